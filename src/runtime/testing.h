/* SPDX-License-Identifier: MIT
 *
 * Hooks for the tests. They are exported, but not part of the interface: they may change at any time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

/* Makes the n-th allocation or start of a thread from now on fail, counted from 1; 0 ends this. Returns how many there
 * were since the last call. */
int amp__test_fail_allocation(int n);

/* Sets whether released objects are kept from now on, as in debug builds, so that handles that are used too late are
 * reported; false frees those that were kept. */
void amp__test_keep_released(bool keep);

/* Reads the environment again, and forgets which accelerator is the default. Nothing else may run. */
void amp__test_restart(void);

/* What `null` has done since the last amp__test_null_reset. */
struct amp__null_counts {
    int allocations, frees;
    int copies_in, copies_out, copies_across;
    size_t bytes_in, bytes_out, bytes_across;
    int launches;
    int waits, flushes; /* waits: those that found work */
    int queues, events; /* that exist now */
    int lost;           /* queues destroyed with work on them */
};
struct amp__null_counts amp__test_null_counts(void);
void amp__test_null_reset(void);

/* Sets how many devices `null` has from the next amp__test_restart on, at most 4: "null", "null:1" and so on. */
void amp__test_null_devices(int n);

/* Makes `null` begin its work only when somebody waits for the queue, until amp__test_null_reset. */
void amp__test_null_late(void);

/* Makes the n-th call of `null` from now on fail with AMP_ERROR_DEVICE, counted from 1 over allocations, copies,
 * launches, flushes, new queues, and waits that find work; 0 ends this. */
void amp__test_null_fail(int n);

/* Takes `null` away: all calls fail with AMP_ERROR_ACCELERATOR_VIEW_REMOVED until amp__test_null_reset. */
void amp__test_null_remove(void);

/* How many launches on `all` have found a plan since the last call. */
int amp__test_plans_found(void);

/* Sets the name of the CUDA driver's library from the next amp__test_restart on; NULL: the real name. */
void amp__test_cuda_library(const char *name);

/* Gives everything that `cuda` has back to the driver. Nothing may use it any more, and amp__test_restart must
 * follow. */
void amp__test_cuda_close(void);

#pragma GCC visibility pop
