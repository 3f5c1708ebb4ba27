/* SPDX-License-Identifier: MIT
 *
 * Requests: while a tile computes, it asks the cache for what the next one accesses. */
#pragma once

#include "kernel/touch.h"
#include "widen/widen.h"

enum { REQUESTS_MOST = 4 };

/* Rows that a tile accesses, each so many bytes after the one before. */
struct request {
    const struct param *param;
    struct poly first, step; /* in bytes: where the array has the first row of the next tile, and from row to row */
    long long from, to;      /* which bytes of a row, from there */
    int count;
};

struct requests {
    const struct touches *touches;
    int loop; /* whose barriers end a pass: each pass asks for a row of each */
    int n;
    struct request of[REQUESTS_MOST];
};

/* Plans requests for a tiled kernel; returns NULL if they would not help. */
const struct requests *requests_plan(const struct kernel *kernel, const struct cfg *cfg);

/* How a tile takes part. */
struct requests_use {
    const struct requests *requests;
    LLVMValueRef rows[REQUESTS_MOST], steps[REQUESTS_MOST];
    LLVMValueRef asked; /* slot: how many passes have asked */
};

/* Begins a tile, at the builder's place. */
struct requests_use requests_begin(struct widener *w, const struct requests *requests, LLVMValueRef args,
                                   const LLVMValueRef tile[3]);

/* Asks at the builder's place, if these nodes are a pass. It begins new basic blocks. */
void requests_ask(struct widener *w, const struct requests_use *use, const bool *nodes);
