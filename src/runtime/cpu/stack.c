/* SPDX-License-Identifier: MIT
 *
 * How much of its stack a thread has left. The bounds are read once per thread: the system takes microseconds to tell
 * them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getattr_np */
#endif
#include "cpu.h"

#include <pthread.h>
#include <stdint.h>

/* From `low` up to `high`; both 0: not read yet, or not known. */
struct bounds {
    uintptr_t low, high;
};

static _Thread_local struct bounds known;

static struct bounds read_bounds(void)
{
    pthread_attr_t attributes;
    struct bounds bounds = {0, 0};
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return bounds;
    if (!pthread_attr_getstack(&attributes, &low, &size))
        bounds = (struct bounds){(uintptr_t)low, (uintptr_t)low + size};
    pthread_attr_destroy(&attributes);
    return bounds;
}

/* Whether `at` is within the bounds, and too near to the low one. */
static bool is_short(struct bounds bounds, uintptr_t at, size_t bytes)
{
    return at >= bounds.low && at < bounds.high && at - bounds.low < bytes;
}

bool amp__stack_has(size_t bytes, size_t *left)
{
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    if (!known.high)
        known = read_bounds();
    if (is_short(known, at, bytes))
        known = read_bounds(); /* the main thread's limit may have been raised */
    if (!is_short(known, at, bytes))
        return true;
    *left = at - known.low;
    return false;
}
