/* SPDX-License-Identifier: MIT
 *
 * The part of OpenCL that the peers need. Errors end the program. */
#pragma once

#include <stddef.h>

/* Turns code into the text of a kernel. */
#define CL(...) #__VA_ARGS__

struct cl_value {
    size_t size_bytes;
    const void *value;
};
#define CL_VALUE(x)                                                                                                    \
    {                                                                                                                  \
        sizeof(x), &(x)                                                                                                \
    }

void *cl_program(const char *source, const char *options);
void *cl_kernel(void *program, const char *name);
/* A buffer over host memory, which a CPU uses in place. */
void *cl_buffer(void *data, size_t size_bytes);
void cl_run(void *kernel, unsigned rank, const size_t *global, const size_t *local, unsigned n,
            const struct cl_value *values);
void cl_finish(void);
/* Waits, and makes the host's memory under a buffer current. */
void cl_read(void *buffer, size_t size_bytes);
