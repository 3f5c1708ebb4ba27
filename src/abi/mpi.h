/* SPDX-License-Identifier: MIT
 *
 * What libamp calls in libamp-openmpi.so and libamp-mpich.so, which are one source compiled for two libraries of
 * MPI, so that libamp itself needs neither. Each exports a struct amp__mpi with the name amp__mpi. One thread at a time
 * calls these functions. A function that fails returns a text that lives until the next call; NULL is success. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { AMP__MPI_VERSION = 4 };

struct amp__message {
    int rank;    /* to which it goes, or from which it comes */
    void *bytes; /* of the host; or of a GPU, if `reaches` says so */
    size_t size;
    int tag;         /* from 1 to the greatest; set for those that come, 0 if it is not known */
    size_t received; /* set: how many bytes came, at most `size` */
};

struct amp__mpi {
    int version;
    const char *name; /* "Open MPI" */
    /* Begins MPI, unless the program has. If the program ends MPI, `ending` is called just before. */
    const char *(*begin)(int *rank, int *n_ranks, int *greatest_tag, void (*ending)(void));
    /* Begins to send and to receive messages, whatever their tags are. Those between two ranks arrive in their
     * order. */
    const char *(*start)(const struct amp__message *sent, int n_sent, struct amp__message *received, int n_received);
    /* Whether messages may lie in the memory of GPUs of a kind, such as "cuda". After `begin`. */
    bool (*reaches)(const char *kind);
    /* Asks whether what was started last is done. */
    const char *(*test)(bool *is_done);
    /* Sends to other ranks what they need not expect, and does not wait. While an earlier one is under way, nothing is
     * sent. */
    const char *(*tell)(const int *ranks, int n, const void *bytes, size_t size);
    /* Receives such a message, if one has come. */
    const char *(*listen)(bool *has_come, int *rank, void *bytes, size_t size);
    /* Opens a file, to be read, or to be written, when it is created if it is not there. Sets its size. All ranks call
     * this, and then `file_close`. One file is open. */
    const char *(*file_open)(const char *path, bool writes, long long *size_bytes);
    /* Moves bytes between this rank's memory and the file. Sets how many: fewer is a failure, too. */
    const char *(*file_move)(bool writes, long long offset, void *bytes, size_t size, size_t *moved);
    const char *(*file_close)(void);
    /* Ends MPI, if `begin` has begun it and the program has not ended it. */
    void (*end)(void);
    /* Ends all ranks. Does not return. */
    void (*abort)(int status);
};
