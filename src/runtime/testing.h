/* SPDX-License-Identifier: MIT
 *
 * Hooks for the tests. Exported, but no part of the interface: they may change at any time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

/* Lets the n-th allocation or start of a thread from now fail, counted from 1, and all others pass; 0 ends it. Returns
 * how many there were since the last call. */
int amp__test_fail_allocation(int n);

/* Whether released objects are kept from now on, as in debug builds, so that handles that are used too late are told;
 * false frees those that were. */
void amp__test_keep_released(bool keep);

/* Reads the environment again, and forgets which accelerator is the default. Nothing else may run. */
void amp__test_restart(void);

/* What `null` has done since the last amp__test_null_reset. */
struct amp__null_counts {
    int allocations, frees;
    int copies_in, copies_out, copies_across;
    size_t bytes_in, bytes_out, bytes_across;
    int launches;
    int waits, flushes; /* waits that found work */
    int queues, events; /* that are there */
    int lost;           /* queues that went with work on them */
};
struct amp__null_counts amp__test_null_counts(void);
void amp__test_null_reset(void);

/* How many devices `null` has from the next amp__test_restart on: "null", and if there are 2 "null:1". */
void amp__test_null_devices(int n);

/* Lets `null` begin with its work only when somebody waits for the queue, until amp__test_null_reset. */
void amp__test_null_late(void);

/* Lets the n-th call of `null` from now fail with AMP_ERROR_DEVICE, counted from 1 over allocations, copies, launches,
 * flushes, new queues, and waits that find work; 0 ends it. */
void amp__test_null_fail(int n);

/* Takes `null` away: all calls fail with AMP_ERROR_ACCELERATOR_VIEW_REMOVED until amp__test_null_reset. */
void amp__test_null_remove(void);

/* The name under which the CUDA driver is looked for from the next amp__test_restart on; NULL: its own. */
void amp__test_cuda_library(const char *name);

/* Gives all that `cuda` has back to the driver. Nothing may be left that uses it, and amp__test_restart must follow. */
void amp__test_cuda_close(void);

#pragma GCC visibility pop
