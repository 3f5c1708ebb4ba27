/* SPDX-License-Identifier: MIT
 *
 * libamp-openmpi.so and libamp-mpich.so: what libamp needs of MPI (src/abi/mpi.h). It has a communicator of its own, so
 * its messages never meet the program's. */
#include "../abi/mpi.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm all = MPI_COMM_NULL;
static bool is_ours; /* MPI was begun here */
static char text[MPI_MAX_ERROR_STRING + 64];

static const char *describe(const char *call, int code)
{
    char reason[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, reason, &length);
    snprintf(text, sizeof text, "%s: %s", call, reason);
    return text;
}

static const char *check_alive(void)
{
    int is_over;
    MPI_Finalized(&is_over);
    return is_over ? "the program has called MPI_Finalize" : NULL;
}

static const char *begin(int *rank, int *n_ranks)
{
    int is_begun, given, code = MPI_SUCCESS;
    MPI_Initialized(&is_begun);
    if (is_begun) {
        if (check_alive())
            return check_alive();
        MPI_Query_thread(&given);
    } else {
        code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
        is_ours = code == MPI_SUCCESS;
    }
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &all);
    if (code != MPI_SUCCESS)
        return describe("MPI_Init_thread", code);
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    if (is_ours)
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* that of MPI_Waitall */
    MPI_Comm_rank(all, rank);
    MPI_Comm_size(all, n_ranks);
    return NULL;
}

enum { MOST = 1 << 30 }; /* bytes of one message of MPI, which counts in int */

static size_t count_pieces(const struct amp__message *messages, int n)
{
    size_t pieces = 0;
    for (int i = 0; i < n; i++)
        pieces += messages[i].size / MOST + 1;
    return pieces;
}

static size_t piece_of(const struct amp__message *message, size_t at)
{
    return message->size - at < MOST ? message->size - at : MOST;
}

static const char *exchange(struct amp__message *sent, int n_sent, struct amp__message *received, int n_received)
{
    size_t n = count_pieces(sent, n_sent) + count_pieces(received, n_received), k = 0;
    MPI_Request *requests = malloc((n + 1) * sizeof *requests);
    MPI_Status *statuses = malloc((n + 1) * sizeof *statuses);
    const char *failure = requests && statuses ? check_alive() : "no memory for messages";
    int code = MPI_SUCCESS;
    for (int i = 0; i < n_received && !failure && code == MPI_SUCCESS; i++)
        for (size_t at = 0; at <= received[i].size && code == MPI_SUCCESS; at += MOST)
            code = MPI_Irecv((char *)received[i].bytes + at, (int)piece_of(&received[i], at), MPI_BYTE,
                             received[i].rank, 0, all, &requests[k++]);
    for (int i = 0; i < n_sent && !failure && code == MPI_SUCCESS; i++)
        for (size_t at = 0; at <= sent[i].size && code == MPI_SUCCESS; at += MOST)
            code = MPI_Isend((char *)sent[i].bytes + at, (int)piece_of(&sent[i], at), MPI_BYTE, sent[i].rank, 0, all,
                             &requests[k++]);
    if (!failure && code == MPI_SUCCESS)
        code = MPI_Waitall((int)k, requests, statuses);
    size_t next = 0;
    for (int i = 0; i < n_received && !failure && (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS); i++) {
        received[i].received = 0;
        for (size_t at = 0; at <= received[i].size; at += MOST) {
            int count = 0;
            MPI_Get_count(&statuses[next++], MPI_BYTE, &count);
            received[i].received += count > 0 ? (size_t)count : 0;
        }
    }
    if (!failure && code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
        failure = describe("MPI", code);
    free(requests);
    free(statuses);
    return failure;
}

static void end(void)
{
    if (check_alive())
        return;
    if (is_ours)
        MPI_Finalize();
}

static void stop(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    _Exit(status);
}

const struct amp__mpi amp__mpi = {
    .version = AMP__MPI_VERSION,
#ifdef OPEN_MPI
    .name = "Open MPI",
#else
    .name = "MPICH",
#endif
    .begin = begin,
    .exchange = exchange,
    .end = end,
    .abort = stop,
};
