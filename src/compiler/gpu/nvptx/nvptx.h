/* SPDX-License-Identifier: MIT
 *
 * NVIDIA's GPUs: kernels become PTX, which the driver compiles for the GPU that it finds. */
#pragma once

#include "target.h"

extern const struct target target_nvptx;

/* ---- lower.c ---- */

void nvptx_lower(struct unit *unit, struct image *image);
void nvptx_barrier(LLVMBuilderRef builder);

/* ---- library.c ---- */

/* Links the functions that the image's module calls into it, and reports those that do not exist. */
void nvptx_link_library(struct unit *unit, struct image *image);

/* ---- report.c ---- */

void nvptx_report(struct unit *unit, int image, struct text *json);
