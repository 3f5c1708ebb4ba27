/* SPDX-License-Identifier: MIT
 *
 * How much of its stack a thread has left. The bounds are read once per thread, because that takes microseconds. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getattr_np */
#endif
#include "runtime.h"

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

static size_t left_above(uintptr_t low, uintptr_t at)
{
    return at >= low && at < known.high ? at - low : AMP__STACK_UNKNOWN;
}

size_t amp__stack_left(size_t wanted)
{
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    if (!known.high || left_above(known.low, at) < wanted)
        known = read_bounds(); /* the main thread's limit may have been raised */
    return left_above(known.low, at);
}
