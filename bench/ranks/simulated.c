/* SPDX-License-Identifier: MIT
 *
 * What a program of libamp needs to run on ranks that SimGrid simulates (simulate.py). They are threads of one process,
 * each with its own copy of the program's data, so functions for the end of the process are called when main returns.
 * The clock is SimGrid's: a launch takes SIMULATED_LAUNCH_NS, and SIMULATED_NS for each of its threads; messages take
 * what the network is said to need, and all else nothing. With SIMULATED_ONLY=1 kernels do not run, and all arrays and
 * messages of all ranks are one memory, so that many ranks fit into a machine. Rank 0 prints when it began to run each
 * kernel. */
#include "../../src/runtime/ranks/ranks.h"

#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const char *name)
{
    const char *text = getenv(name);
    return text ? atof(text) : 0;
}

/* ---- the end ---- */

enum { MOST_ENDS = 32 };
static void (*ends[MOST_ENDS])(void);
static int n_ends;

int __wrap_atexit(void (*end)(void))
{
    if (n_ends == MOST_ENDS)
        return 1;
    ends[n_ends++] = end;
    return 0;
}

int simulated_main(int argc, char **argv); /* the program's */

int main(int argc, char **argv)
{
    int status = simulated_main(argc, argv);
    while (n_ends > 0)
        ends[--n_ends]();
    return status;
}

/* ---- the processor, and the memory of ranks ---- */

extern const struct amp__backend __real_amp__cpu_backend, __real_amp__place_backend;
struct amp__backend __wrap_amp__cpu_backend, __wrap_amp__place_backend;

/* Of a launch whose interior runs early, the rims follow. */
static bool is_rim(const struct amp__launch *launch)
{
    static bool had_interior;
    static const struct amp__kernel *kernel;
    bool is = had_interior && !launch->is_early && kernel == launch->kernel;
    had_interior = launch->is_early || is;
    kernel = launch->kernel;
    return is;
}

static amp_status launch_simulated(void *device, void *queue, struct amp__launch *launch)
{
    bool is_first = !is_rim(launch);
    double n_threads = launch->n_threads_per_point;
    for (int d = 0; d < 3; d++)
        n_threads *= launch->box[2 * d + 1] - launch->box[2 * d];
    if (amp__rank == 0 && is_first)
        printf("%.9f %s\n", MPI_Wtime(), launch->kernel->name);
    smpi_execute_flops((is_first ? number("SIMULATED_LAUNCH_NS") : 0) +
                       n_threads * number("SIMULATED_NS")); /* of 1 GFLOP/s */
    return number("SIMULATED_ONLY") ? AMP_OK : __real_amp__cpu_backend.launch(device, queue, launch);
}

static amp_status commit_simulated(void *device, void *memory, size_t begin, size_t end)
{
    return number("SIMULATED_ONLY") ? AMP_OK : __real_amp__place_backend.commit(device, memory, begin, end);
}

/* Memory of at least this size that is the same for all ranks, unlike this file's variables: the environment says where
 * it is. NULL: there is not enough. */
static char *share(const char *name, size_t size_bytes)
{
    char text[64], *shared = NULL;
    const char *known = getenv(name);
    size_t room = 0;
    if (known && sscanf(known, "%p %zu", (void **)&shared, &room) == 2 && room >= size_bytes)
        return shared;
    shared = calloc(1, size_bytes);
    snprintf(text, sizeof text, "%p %zu", (void *)shared, size_bytes);
    return shared && setenv(name, text, 1) == 0 ? shared : NULL;
}

/* Each array of a rank begins elsewhere in the memory. */
static amp_status alloc_simulated(void *device, size_t size_bytes, void **memory)
{
    enum { PAGE = 4096, MOST_ARRAYS = 64 };
    static int n_arrays;
    if (!number("SIMULATED_ONLY"))
        return __real_amp__place_backend.alloc(device, size_bytes, memory);
    char *shared = share("SIMULATED_ARRAYS", size_bytes + PAGE * MOST_ARRAYS);
    *memory = shared + PAGE * (n_arrays++ % MOST_ARRAYS);
    return shared ? AMP_OK : AMP_ERROR_OUT_OF_MEMORY;
}

void *__real_amp__own_message_new(size_t size_bytes);
void __real_amp__own_message_free(void *message);

void *__wrap_amp__own_message_new(size_t size_bytes)
{
    return number("SIMULATED_ONLY") ? share("SIMULATED_MESSAGES", size_bytes) : __real_amp__own_message_new(size_bytes);
}

void __wrap_amp__own_message_free(void *message)
{
    if (!number("SIMULATED_ONLY"))
        __real_amp__own_message_free(message);
}

static void free_simulated(void *device, void *memory)
{
    if (!number("SIMULATED_ONLY"))
        (__real_amp__place_backend.free)(device, memory); /* `free` is a macro of SimGrid */
}

__attribute__((constructor)) static void wrap(void)
{
    __wrap_amp__cpu_backend = __real_amp__cpu_backend;
    __wrap_amp__cpu_backend.launch = launch_simulated;
    __wrap_amp__place_backend = __real_amp__place_backend;
    __wrap_amp__place_backend.alloc = alloc_simulated;
    __wrap_amp__place_backend.free = free_simulated;
    __wrap_amp__place_backend.commit = commit_simulated;
}
