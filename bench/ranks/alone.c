/* SPDX-License-Identifier: MIT
 *
 * A stand-in for libamp-openmpi.so in which one rank of OMPI_COMM_WORLD_SIZE runs alone: what it sends goes nowhere,
 * and what it receives has come at once, with no contents. So plan.c measures what a rank does besides MPI. It only
 * knows the tag of messages that come while others go, as in sweeps of a stencil. */
#include "../../src/abi/mpi.h"

#include <stdlib.h>

static const char *begin(int *rank, int *n_ranks, int *greatest_tag, void (*ending)(void))
{
    (void)ending;
    *n_ranks = atoi(getenv("OMPI_COMM_WORLD_SIZE"));
    *rank = *n_ranks / 3; /* in the middle */
    *greatest_tag = 1 << 30;
    return NULL;
}

static bool reaches(const char *kind)
{
    (void)kind;
    return false;
}

static const char *start(const struct amp__message *sent, int n_sent, struct amp__message *received, int n_received)
{
    for (int i = 0; i < n_received && n_sent > 0; i++) {
        received[i].tag = sent[0].tag;
        received[i].received = received[i].size;
    }
    return NULL;
}

static const char *test(bool *is_done)
{
    *is_done = true;
    return NULL;
}

static const char *tell(const int *ranks, int n, const void *bytes, size_t size)
{
    (void)ranks, (void)n, (void)bytes, (void)size;
    return NULL;
}

static const char *listen(bool *has_come, int *rank, void *bytes, size_t size)
{
    (void)rank, (void)bytes, (void)size;
    *has_come = false;
    return NULL;
}

static void end(void)
{
}

const struct amp__mpi amp__mpi = {.version = AMP__MPI_VERSION,
                                  .name = "alone",
                                  .begin = begin,
                                  .reaches = reaches,
                                  .start = start,
                                  .test = test,
                                  .tell = tell,
                                  .listen = listen,
                                  .end = end,
                                  .abort = _Exit};
