/* SPDX-License-Identifier: MIT
 *
 * What the suite takes for granted and does not include. `restrict` is a word of Microsoft's compiler, so <amp.h>
 * must be known everywhere; its own <amp.h> includes these headers of C++, and Windows's, which have min and max. */
#pragma once

#include <algorithm>
#include <amp.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstring>

#define __int32 int
using std::max;
using std::min;
