/* SPDX-License-Identifier: MIT
 *
 * A GPU that is none, for tests without one: its threads run on the host, one after the other. */
#pragma once

#include "target.h"

extern const struct target target_host;
