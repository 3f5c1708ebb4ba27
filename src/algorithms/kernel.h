/* SPDX-License-Identifier: MIT
 *
 * What the kernels share, also with src/runtime: their names, as in amp__reduce_f32, and what a reduction leaves. */
#pragma once

#include <amp_algorithms.h>

#define KERNEL(name)           KERNEL_(name, NAME)
#define KERNEL_(name, suffix)  KERNEL__(name, suffix)
#define KERNEL__(name, suffix) amp__##name##_##suffix

/* What is reduced: an amp_reduction of x, or the sum of the products of x and y. */
enum { REDUCTION_DOT = AMP_REDUCTION_MAX + 1 };

/* A chunk has CHUNK elements, the last one may have fewer. Its parts, numbers of the type T, take ROW_BYTES: element i
 * belongs to column i % COLUMNS(T). Several vectors of columns, because each addition waits for the one before: with
 * one, data in a cache are read at a third of the speed. */
enum { CHUNK = 1 << 14, ROW_BYTES = 128 };
#define COLUMNS(T) (ROW_BYTES / (int)sizeof(T))

/* How many chunks n elements are. */
#define N_CHUNKS(n) (((n) + CHUNK - 1) / CHUNK)
