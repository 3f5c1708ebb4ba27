/* SPDX-License-Identifier: MIT
 *
 * libamp-openmpi.so and libamp-mpich.so: what libamp needs of MPI (src/abi/mpi.h). It has communicators of its own, so
 * its messages never meet the program's. */
#include "../abi/mpi.h"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm all = MPI_COMM_NULL, asides = MPI_COMM_NULL;
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

static void (*at_end)(void);

static int leave(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    at_end();
    return MPI_SUCCESS;
}

/* MPI_Finalize first deletes what belongs to MPI_COMM_SELF, and messages may still be sent then. */
static void watch_end(void (*ending)(void))
{
    int key;
    at_end = ending;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* To another rank of the machine, Open MPI sends what is longer than 4 KiB in steps, for each of which one of the two
 * must be running. Rows of a few thousand numbers shall go at once: that helps most where ranks share cores
 * (bench/ranks/time.py). What the user has set counts. */
static void set_limits(void)
{
#ifdef OPEN_MPI
    static const char limit[] = "20480";
    setenv("OMPI_MCA_btl_vader_eager_limit", limit, 0); /* Open MPI 4 */
    setenv("OMPI_MCA_btl_sm_eager_limit", limit, 0);    /* Open MPI 5 */
#endif
}

static const char *begin(int *rank, int *n_ranks, int *greatest_tag, void (*ending)(void))
{
    int is_begun, given, has_greatest, *greatest, code = MPI_SUCCESS;
    MPI_Initialized(&is_begun);
    if (is_begun) {
        if (check_alive())
            return check_alive();
        MPI_Query_thread(&given);
    } else {
        set_limits();
        code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
        is_ours = code == MPI_SUCCESS;
    }
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &all);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &asides);
    if (code != MPI_SUCCESS)
        return describe("MPI_Init_thread", code);
    watch_end(ending);
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    if (is_ours) { /* one of these is that of MPI_Test */
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    MPI_Comm_set_errhandler(asides, MPI_ERRORS_RETURN);
    MPI_Comm_set_name(asides, "amp asides"); /* bench/ranks/count.c does not count them */
    MPI_Comm_get_attr(all, MPI_TAG_UB, &greatest, &has_greatest);
    *greatest_tag = has_greatest ? *greatest : 32767; /* the standard promises that */
    MPI_Comm_rank(all, rank);
    MPI_Comm_size(all, n_ranks);
    return NULL;
}

/* What the library that runs can do, not the one whose headers were there. */
static bool reaches(const char *kind)
{
    int is_so = 0;
#if defined(OMPI_HAVE_MPI_EXT_CUDA)
    is_so = MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
    if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_so) != MPI_SUCCESS)
        is_so = 0;
#endif
    return is_so && !strcmp(kind, "cuda");
}

enum { MOST = 1 << 30 }; /* bytes of one message of MPI, which counts in int */

/* What was started last. */
static struct {
    MPI_Request *requests;
    MPI_Status *statuses;
    int n, n_done;
    struct amp__message *received; /* their requests come first */
    int n_received;
} now;

static size_t count_pieces(const struct amp__message *messages, int n)
{
    size_t pieces = 0;
    for (int i = 0; i < n; i++)
        pieces += messages[i].size / MOST + 1;
    return pieces;
}

static int piece_of(const struct amp__message *message, size_t at)
{
    return (int)(message->size - at < MOST ? message->size - at : MOST);
}

static const char *start(const struct amp__message *sent, int n_sent, struct amp__message *received, int n_received)
{
    size_t n = count_pieces(sent, n_sent) + count_pieces(received, n_received);
    int code = MPI_SUCCESS;
    if (check_alive())
        return check_alive();
    now.requests = malloc((n + 1) * sizeof *now.requests);
    now.statuses = malloc((n + 1) * sizeof *now.statuses);
    now.n = now.n_done = 0;
    now.received = received;
    now.n_received = n_received;
    if (!now.requests || !now.statuses)
        return "no memory for messages";
    for (int i = 0; i < n_received; i++)
        for (size_t at = 0; at <= received[i].size && code == MPI_SUCCESS; at += MOST)
            code = MPI_Irecv((char *)received[i].bytes + at, piece_of(&received[i], at), MPI_BYTE, received[i].rank,
                             MPI_ANY_TAG, all, &now.requests[now.n++]);
    for (int i = 0; i < n_sent; i++)
        for (size_t at = 0; at <= sent[i].size && code == MPI_SUCCESS; at += MOST)
            code = MPI_Isend((char *)sent[i].bytes + at, piece_of(&sent[i], at), MPI_BYTE, sent[i].rank, sent[i].tag,
                             all, &now.requests[now.n++]);
    return code == MPI_SUCCESS ? NULL : describe("MPI_Isend", code);
}

/* Notes what has come. */
static void note_received(void)
{
    const MPI_Status *status = now.statuses;
    for (struct amp__message *m = now.received; m < now.received + now.n_received; m++) {
        m->received = 0;
        for (size_t at = 0; at <= m->size; at += MOST, status++) {
            int count = 0;
            MPI_Get_count(status, MPI_BYTE, &count);
            m->received += count > 0 ? (size_t)count : 0;
            m->tag = status->MPI_TAG;
        }
    }
}

/* Whether a request has failed because the message is too long, for which it is then the only one. */
static bool is_too_long(int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class == MPI_ERR_TRUNCATE;
}

/* Asks for one request after another. */
static const char *test(bool *is_done)
{
    for (int flag = 1; now.n_done < now.n && flag; now.n_done += flag) {
        MPI_Status *status = &now.statuses[now.n_done];
        int code = MPI_Test(&now.requests[now.n_done], &flag, status);
        if (code == MPI_SUCCESS)
            continue;
        if (!is_too_long(code))
            return describe("MPI_Test", code);
        status->MPI_TAG = 0;
        flag = 1;
    }
    *is_done = now.n_done == now.n;
    if (*is_done) {
        note_received();
        free(now.requests);
        free(now.statuses);
    }
    return NULL;
}

/* What is told goes its own way, because `start` takes all that comes. */
enum { MOST_TOLD = 2048 };
static char told[MOST_TOLD];
static MPI_Request *telling;
static int n_telling;

static const char *tell(const int *ranks, int n, const void *bytes, size_t size)
{
    int flag = 1, code = MPI_SUCCESS;
    for (; n_telling > 0 && flag && code == MPI_SUCCESS; n_telling -= flag)
        code = MPI_Test(&telling[n_telling - 1], &flag, MPI_STATUS_IGNORE);
    MPI_Request *more = flag ? realloc(telling, ((size_t)n + 1) * sizeof *more) : NULL;
    if (code == MPI_SUCCESS && more && size <= MOST_TOLD) {
        telling = more;
        memcpy(told, bytes, size);
        for (n_telling = 0; n_telling < n && code == MPI_SUCCESS; n_telling++)
            code = MPI_Isend(told, (int)size, MPI_BYTE, ranks[n_telling], 0, asides, &telling[n_telling]);
    }
    return code == MPI_SUCCESS ? NULL : describe("MPI_Isend", code);
}

static const char *listen_to(bool *has_come, int *rank, void *bytes, size_t size)
{
    MPI_Status status;
    int flag = 0, code = MPI_Iprobe(MPI_ANY_SOURCE, 0, asides, &flag, &status);
    *has_come = code == MPI_SUCCESS && flag;
    if (*has_come) {
        *rank = status.MPI_SOURCE;
        code = MPI_Recv(bytes, (int)size, MPI_BYTE, *rank, 0, asides, MPI_STATUS_IGNORE);
    }
    return code == MPI_SUCCESS ? NULL : describe("MPI_Iprobe", code);
}

/* ---- files ---- */

static MPI_File file;

static const char *file_open(const char *path, bool writes, long long *size_bytes)
{
    int mode = writes ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
    MPI_Offset size = 0;
    int code = check_alive() ? MPI_SUCCESS : MPI_File_open(all, path, mode, MPI_INFO_NULL, &file);
    if (check_alive())
        return check_alive();
    if (code != MPI_SUCCESS)
        return describe("MPI_File_open", code);
    code = MPI_File_get_size(file, &size);
    *size_bytes = (long long)size;
    return code == MPI_SUCCESS ? NULL : describe("MPI_File_get_size", code);
}

/* No collective function moves bytes, because Open MPI's do not tell that a disk is full. */
static const char *file_move(bool writes, long long offset, void *bytes, size_t size, size_t *moved)
{
    MPI_Status status;
    int count = 1;
    for (*moved = 0; *moved < size && count > 0; *moved += (size_t)(count > 0 ? count : 0)) {
        char *at = (char *)bytes + *moved;
        int n = size - *moved < MOST ? (int)(size - *moved) : MOST;
        MPI_Offset to = offset + (MPI_Offset)*moved;
        int code = writes ? MPI_File_write_at(file, to, at, n, MPI_BYTE, &status)
                          : MPI_File_read_at(file, to, at, n, MPI_BYTE, &status);
        if (code != MPI_SUCCESS)
            return describe(writes ? "MPI_File_write_at" : "MPI_File_read_at", code);
        MPI_Get_count(&status, MPI_BYTE, &count);
    }
    return NULL;
}

static const char *file_close(void)
{
    int code = MPI_File_close(&file);
    return code == MPI_SUCCESS ? NULL : describe("MPI_File_close", code);
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
    if (!check_alive())
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
    .reaches = reaches,
    .start = start,
    .test = test,
    .tell = tell,
    .listen = listen_to,
    .file_open = file_open,
    .file_move = file_move,
    .file_close = file_close,
    .end = end,
    .abort = stop,
};
