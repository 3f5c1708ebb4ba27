/* SPDX-License-Identifier: MIT
 *
 * What libamp calls in libamp-openmpi.so and libamp-mpich.so, which are one source compiled for two libraries of
 * MPI, so that libamp itself needs neither. Each exports a struct amp__mpi with the name amp__mpi. One thread at a time
 * calls these functions. A function that fails returns a text that lives until the next call; NULL is success. */
#pragma once

#include <stddef.h>

enum { AMP__MPI_VERSION = 1 };

struct amp__message {
    int rank; /* to which it goes, or from which it comes */
    void *bytes;
    size_t size;
    size_t received; /* set: how many bytes came, at most `size` */
};

struct amp__mpi {
    int version;
    const char *name; /* "Open MPI" */
    /* Begins MPI, unless the program has. */
    const char *(*begin)(int *rank, int *n_ranks);
    /* Sends and receives messages, and waits for all of them. Those between two ranks arrive in their order. */
    const char *(*exchange)(struct amp__message *sent, int n_sent, struct amp__message *received, int n_received);
    /* Ends MPI, if `begin` has begun it and the program has not ended it. */
    void (*end)(void);
    /* Ends all ranks. Does not return. */
    void (*abort)(int status);
};
