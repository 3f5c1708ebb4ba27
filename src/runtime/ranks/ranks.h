/* SPDX-License-Identifier: MIT
 *
 * Programs that mpirun has started. Every rank runs `main` and makes the same calls in the same order, so each knows
 * what all others do, and nothing is said about it. A rank is a place of `all` (all/all.h), with memory of its own; the
 * host's memory has the same contents on every rank. So a copy from the host to a rank needs no message, one from a
 * rank to the host goes to everybody, and one between ranks is a message between the two.
 *
 *     ranks.c      the library of MPI, and what ranks agree on
 *     history.c    what this rank has done, to notice ranks that do something else
 *     rank.c       the backend: a device for each rank
 *     own.c        what this rank computes on: a GPU or the processor
 *     round.c      copies that can go at the same time
 *     check.c      comparison of the host's memory on ranks
 *     file.c       files that all read or write
 *     transfers.c  copies between ranks, which wait until they are needed and become one message for each pair */
#pragma once

#include "../../abi/mpi.h"
#include "../backend.h"

/* ---- ranks.c ---- */

/* How many ranks mpirun has started, as the environment says; 1 without it. */
int amp__ranks_expected(void);
/* The calling process's rank and their number, after amp__ranks_begin. */
extern int amp__rank, amp__n_ranks;
/* Begins MPI when it is first needed. */
amp_status amp__ranks_begin(void);
/* Ends all ranks after a failure of this one, with the text of the last failure. */
void amp__ranks_end_all(void);
/* The same if `status` is one: after a failure on one rank alone nobody can go on. Returns AMP_OK. */
amp_status amp__ranks_insist(amp_status status);
/* Sends and receives messages. Those that come are from ranks that have done what this one has, or all ranks end. */
void amp__ranks_exchange(struct amp__message *sent, int n_sent, struct amp__message *received, int n_received);
/* The same in two steps, by one thread. Between them the messages stay where they are, and other threads that need MPI
 * wait. */
void amp__ranks_start(struct amp__message *sent, int n_sent, struct amp__message *received, int n_received);
void amp__ranks_wait(const struct amp__message *received, int n_received);
/* Returns AMP_OK if `status` is that on every rank; else reports a failure of one. */
amp_status amp__ranks_settle(amp_status status);
/* The same for the status of a launch, without messages if that cannot fail on one rank alone. */
amp_status amp__ranks_agree(const struct amp__kernel *kernel, amp_status status);

/* The greatest value of all ranks. */
long long amp__ranks_greatest(long long value);
/* Between these the calling thread may call the functions of MPI's library. */
const struct amp__mpi *amp__ranks_hold(void);
void amp__ranks_resume(void);

/* Whether MPI reaches the memory of GPUs of a kind. */
bool amp__ranks_reach(const char *kind);

/* ---- own.c ---- */

/* What this rank computes on. For the processor it has the backend of places. */
extern struct amp__own {
    const amp_accelerator *accelerator;
    const struct amp__backend *backend;
    void *device;
} amp__own;
/* Decides. Only accelerators that are opened before ranks count. */
amp_status amp__own_find(void);
/* Whether its memory is the host's. */
bool amp__own_is_host(void);
/* Lets it write bytes of its memory, of which `n_used` will be used, or rows. */
amp_status amp__own_commit(void *memory, size_t begin, size_t end, size_t n_used);
amp_status amp__own_commit_rows(struct amp__at at, const struct amp__rows *rows);
static inline char *amp__own_address(struct amp__at at)
{
    return (char *)at.memory + at.offset;
}
/* Memory for messages; NULL without. It may be a GPU's. */
void *amp__own_message_new(size_t size_bytes);
void amp__own_message_free(void *message);
/* Copy rows to such memory, one after another, and from it. On a GPU both are done later, in this order with all
 * that it does for the rank. */
amp_status amp__own_pack(void *message, struct amp__at from, const struct amp__rows *rows);
amp_status amp__own_unpack(struct amp__at to, const void *message, const struct amp__rows *rows);
/* Waits for all that. */
amp_status amp__own_wait(void);
/* The same between two places in the host's memory. */
void amp__rows_pack(void *message, const void *from, const struct amp__rows *rows);
void amp__rows_unpack(void *to, const void *message, const struct amp__rows *rows);
/* Copies rows from the host, where they are as far apart. */
amp_status amp__own_copy_in(struct amp__at to, const void *host, const struct amp__rows *rows);
/* Copies rows to ordinary memory of the host, one after another. */
amp_status amp__own_fetch(void *bytes, struct amp__at from, const struct amp__rows *rows);
/* Gives the host access to a view in `memory`, which is this rank's, or to a copy of it, in which only `reads` sets the
 * contents. Sets `*first` to where it begins. The other one ends that, and brings back what was written. */
amp_status amp__own_map(const amp_array_view *view, void *memory, bool reads, void **first);
amp_status amp__own_unmap(const amp_array_view *view, void *memory, void *first, bool writes);

/* ---- check.c ---- */

/* Whether AMP_CHECK_RANKS asks for it. */
extern bool amp__ranks_check;
amp_status amp__ranks_check_begin(void);
/* What is read from the host's memory from now on: an array of a kernel, or a view in a call; NULL: nothing that has to
 * be the same. */
struct amp__suspect {
    const struct amp__kernel *kernel; /* or NULL */
    const char *name;                 /* of the parameter; else of the call */
    const amp_array_view *view;
};
void amp__ranks_suspect(const struct amp__suspect *what);
/* Compare rows of it, of which the first is at `host`; all of a view, which the host has. Return AMP_OK, or on all
 * ranks an error, which is reported. */
amp_status amp__ranks_compare(const char *host, const struct amp__rows *rows);
amp_status amp__ranks_compare_view(const amp_array_view *view);

/* ---- file.c ---- */

/* All ranks move what they have of a file's view, and agree on the outcome. `mine`: NULL if it is nothing. */
struct amp__file;
struct amp__piece;
amp_status amp__ranks_move_file(const struct amp__file *file, const struct amp__piece *mine);
/* How often they agree. */
enum { AMP__FILE_AGREEMENTS = 4 };

/* ---- history.c ---- */

/* What moves of data add to the history: that of each is its factor times what was before, plus its sum, so that
 * several are one. It begins with {1, 0}. */
struct amp__trail {
    uint32_t factor, sum;
};
void amp__trail_add(struct amp__trail *trail, int from, int to, size_t offset, const struct amp__rows *rows);
/* Add a launch, another call with a view and a text, data that moves, a copy to the host, and the program's end. All
 * ranks must add the same. */
void amp__history_launch(const struct amp__call *call, const struct amp__launch *launch);
void amp__history_call(const char *name, const amp_array_view *view, const char *more);
void amp__history_move(const struct amp__trail *trail);
void amp__history_copy(int from, int to, size_t offset, const struct amp__rows *rows);
void amp__history_read(void);
void amp__history_end(void);
/* A kernel is going to be unloaded. */
void amp__ranks_forget(const struct amp__kernel *kernel);
/* The tag of a message that is sent now; AMP__END_TAG at the end of the program. */
enum { AMP__END_TAG = 1 };
int amp__history_tag(int greatest);
/* This rank's history, for others. */
enum { AMP__HISTORY_BYTES = 1544 };
const void *amp__history(void);
/* "call 3 of all, scale (prog.c:8)" */
const char *amp__history_now(void);
/* Returns a text about the first call in which another rank's history differs from this one's; NULL: none does. */
const char *amp__history_compare(const void *other, int rank);

/* ---- round.c ---- */

/* A copy of rows between two ranks. `memory`: of this rank, if it is one of them. */
struct amp__transfer {
    int from, to;
    struct amp__at source, target;
    struct amp__rows rows;
};

/* Copies that go at the same time. It begins with zeros. */
struct amp__round {
    struct amp__waiting {
        struct amp__transfer transfer;
        size_t earlier; /* the number of the last one before it to the same rank, plus 1; 0: there is none */
    } *of;
    size_t n, room;
    size_t last_to[AMP__MAX_RANKS]; /* the number of the last one to each rank, plus 1 */
};
/* Whether a copy can go with those: its rank does not send what it is yet to receive. */
bool amp__round_fits(const struct amp__round *round, const struct amp__transfer *transfer);
/* Without memory returns false. */
bool amp__round_add(struct amp__round *round, const struct amp__transfer *transfer);
void amp__round_clear(struct amp__round *round);

/* Fails because there is no memory for messages. */
static inline amp_status amp__ranks_no_memory(size_t size_bytes)
{
    return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for messages (%zu bytes)", size_bytes);
}

/* ---- transfers.c ---- */

amp_status amp__transfers_add(const struct amp__transfer *transfer);
/* Carries out what has been added. */
amp_status amp__transfers_finish(void);
/* A launch is going to add what it needs; begin carrying that out, which the next call of the other functions ends. If
 * something was waiting before, the launch may need that, too, and all is carried out. */
void amp__transfers_mark(void);
amp_status amp__transfers_begin(void);
/* Transfers that are repeated, see backend.h. */
struct amp__batch *amp__batch_new(const struct amp__peer_copy *copies, size_t n);
void amp__batch_free(struct amp__batch *batch);
amp_status amp__batch_add(struct amp__batch *batch, struct amp__home *home, bool *is_done);
/* The number of the rank that a device is. */
int amp__rank_number(const void *device);

/* ---- hosts.c ---- */

/* Sends bytes of a rank to all. */
void amp__ranks_spread(int from, char *bytes, size_t size);
/* Sends rows of a rank's memory to the same rows of the host's memory on all ranks, or to that of one alone, after
 * amp__hosts_only(rank); -1: all again. What has been added goes at the next amp__hosts_end. */
void amp__hosts_only(int rank);
amp_status amp__hosts_add(int from, struct amp__at source, char *host, const struct amp__rows *rows);
amp_status amp__hosts_end(void);
