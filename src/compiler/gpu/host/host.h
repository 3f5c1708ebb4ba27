/* SPDX-License-Identifier: MIT
 *
 * A simulated GPU, for tests without a real one: its threads run on the host, one after another. */
#pragma once

#include "target.h"

extern const struct target target_host;
