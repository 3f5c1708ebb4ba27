/* SPDX-License-Identifier: MIT */
#include "../../samples/mxm_kernels.h"

MXM_SIMPLE(simple_float, float)
MXM_SIMPLE(simple_int, int)
MXM_TILED(tiled16_float, float, 16)
MXM_TILED(tiled16_int, int, 16)
MXM_TILED(tiled8_float, float, 8)
MXM_TILED(tiled32_float, float, 32)
