/* SPDX-License-Identifier: MIT
 *
 * The library of MPI, which is opened when a program that mpirun has started first needs it, and what ranks agree on.
 * Each message begins with a head that says what its sender does. If that is not what its receiver does, the ranks have
 * gone different ways, and none of them can go on: all end, with a message. At its end a program tells all other ranks,
 * so that none waits for it forever. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int amp__rank, amp__n_ranks = 1;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct amp__mpi *mpi; /* NULL: not begun */
static bool is_over;

/* What the program does. */
enum { N_ARGUMENTS = 20 };
struct head {
    uint32_t number, what, trail;
    uint8_t arguments[N_ARGUMENTS];
    uint64_t size;
};
_Static_assert(sizeof(struct head) <= AMP__HEAD, "a head has too little room");
static struct head now;
static char name_now[128] = "its first launch";
static const struct amp__kernel *kernel_now;
static const uint32_t END = 1;

/* ---- opening ---- */

int amp__ranks_expected(void)
{
    const char *open_mpi = getenv("OMPI_COMM_WORLD_SIZE"), *mpich = getenv("PMI_SIZE");
    const char *slurm = getenv("PMIX_RANK") ? getenv("SLURM_NTASKS") : NULL;
    int n = open_mpi ? atoi(open_mpi) : mpich ? atoi(mpich) : slurm ? atoi(slurm) : 1;
    return n > 0 ? n : 1;
}

static const char *plugin_name(void)
{
    bool is_mpich = !getenv("OMPI_COMM_WORLD_SIZE") && getenv("PMI_SIZE");
    return is_mpich ? "libamp-mpich.so" : "libamp-openmpi.so";
}

/* Opens the plugin beside libamp, else where the system finds it. Open MPI's parts need its names. */
static void *open_plugin(const char *name)
{
    Dl_info info;
    char path[4096];
    const char *slash = dladdr(&amp__rank, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (slash) {
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, name);
        void *opened = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (opened)
            return opened;
    }
    return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

static const struct amp__mpi *find_plugin(const char *name)
{
    void *opened = open_plugin(name);
    const struct amp__mpi *table = opened ? dlsym(opened, "amp__mpi") : NULL;
    if (!table) {
        const char *why = dlerror();
        amp__fail(AMP_ERROR_NO_ACCELERATOR, "all: mpirun has started %d processes, but %s", amp__ranks_expected(),
                  why ? why : name);
    } else if (table->version != AMP__MPI_VERSION) {
        amp__fail(AMP_ERROR_NO_ACCELERATOR, "all: %s is of another version of libamp", name);
        table = NULL;
    }
    return table;
}

/* Ends all ranks after a message. */
static __attribute__((noreturn)) void die(const char *why)
{
    fprintf(stderr, "amp: rank %d: %s\n", amp__rank, why);
    fflush(stderr);
    mpi->abort(1);
    abort();
}

static void end(void)
{
    char heads[2][AMP__MAX_RANKS][AMP__HEAD];
    struct amp__message sent[AMP__MAX_RANKS], received[AMP__MAX_RANKS];
    int n = 0;
    pthread_mutex_lock(&lock);
    now.number++;
    now.what = END;
    snprintf(name_now, sizeof name_now, "the end of its program");
    kernel_now = NULL;
    memset(now.arguments, 0, sizeof now.arguments);
    pthread_mutex_unlock(&lock);
    for (int r = 0; r < amp__n_ranks; r++)
        if (r != amp__rank) {
            sent[n] = (struct amp__message){r, heads[0][n], AMP__HEAD, 0};
            received[n] = (struct amp__message){r, heads[1][n], AMP__HEAD, 0};
            n++;
        }
    if (amp__ranks_exchange(sent, n, received, n) == AMP_OK)
        mpi->end();
    is_over = true;
}

static amp_status begin(void)
{
    const char *name = plugin_name();
    const struct amp__mpi *table = find_plugin(name);
    if (!table)
        return AMP_ERROR_NO_ACCELERATOR;
    const char *failure = table->begin(&amp__rank, &amp__n_ranks);
    if (failure)
        return amp__fail(AMP_ERROR_NO_ACCELERATOR, "all: %s: %s", table->name, failure);
    if (amp__n_ranks != amp__ranks_expected())
        return amp__fail(AMP_ERROR_NO_ACCELERATOR,
                         "all: %s counts %d processes, but mpirun has started %d; the two are not of one library",
                         table->name, amp__n_ranks, amp__ranks_expected());
    mpi = table;
    atexit(end);
    return AMP_OK;
}

amp_status amp__ranks_begin(void)
{
    amp_status status = AMP_OK;
    pthread_mutex_lock(&lock);
    if (amp__ranks_expected() > 1 && !mpi)
        status = begin();
    pthread_mutex_unlock(&lock);
    return status == AMP_OK && is_over ? amp__fail(AMP_ERROR_NO_ACCELERATOR, "all: MPI has ended") : status;
}

int amp_rank(void)
{
    return amp__ranks_begin() == AMP_OK ? amp__rank : 0;
}

int amp_rank_count(void)
{
    return amp__ranks_begin() == AMP_OK ? amp__n_ranks : 1;
}

/* ---- what ranks do ---- */

static uint32_t mix(uint32_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return hash;
}

void amp__ranks_note(const long long *values, int n)
{
    now.trail = mix(now.trail, values, (size_t)n * sizeof *values);
}

/* Mixes the value of a parameter, of an array its shape. */
static uint32_t mix_argument(const struct amp__call *call, int param)
{
    const struct amp__param *p = &call->kernel->params[param];
    uint32_t hash = 2166136261u;
    for (int i = 0; i < call->n_uses; i++)
        if (call->uses[i].param == p)
            return mix(hash, call->uses[i].view->extent.dim,
                       (size_t)call->uses[i].view->extent.rank * sizeof *call->uses[i].view->extent.dim);
    return call->kernel->is_closure ? hash : mix(hash, call->block + p->offset, p->size_bytes);
}

void amp__ranks_do(const struct amp__call *call, const struct amp__launch *launch)
{
    const struct amp__kernel *kernel = call->kernel;
    now.number++;
    now.what = mix(mix(2166136261u, kernel->name, strlen(kernel->name)), launch->box, sizeof launch->box) | 2;
    memset(now.arguments, 0, sizeof now.arguments);
    for (int p = 0; p < kernel->n_params; p++) {
        uint32_t hash = mix_argument(call, p);
        now.arguments[p < N_ARGUMENTS ? p : N_ARGUMENTS - 1] ^= (uint8_t)(hash ^ hash >> 8 ^ hash >> 16 ^ hash >> 24);
    }
    snprintf(name_now, sizeof name_now, "%s (%s:%d)", kernel->name, kernel->file, kernel->line);
    kernel_now = kernel;
}

/* Ends all ranks, because another one does something else. */
static void report(const struct head *theirs, int rank)
{
    char text[512];
    int p = 0;
    while (p < N_ARGUMENTS && theirs->arguments[p] == now.arguments[p])
        p++;
    if (theirs->what == END)
        snprintf(text, sizeof text, "rank %d has ended its program, while this rank is at call %u of all, %s", rank,
                 now.number, name_now);
    else if (theirs->number != now.number || theirs->what != now.what)
        snprintf(text, sizeof text,
                 "rank %d is at call %u of all, and this rank at call %u, %s, or it launches something else there or "
                 "over another extent; all ranks must make the same calls",
                 rank, theirs->number, now.number, name_now);
    else if (p < N_ARGUMENTS && kernel_now)
        snprintf(text, sizeof text, "argument %s of %s is not the same on rank %d",
                 p < kernel_now->n_params ? kernel_now->params[p].name : "of a late parameter", name_now, rank);
    else
        snprintf(text, sizeof text, "rank %d moves other data than this rank, at or after call %u of all, %s", rank,
                 now.number, name_now);
    die(text);
}

amp_status amp__ranks_exchange(struct amp__message *sent, int n_sent, struct amp__message *received, int n_received)
{
    for (int i = 0; i < n_sent; i++) {
        struct head head = now;
        head.size = sent[i].size;
        memcpy(sent[i].bytes, &head, sizeof head);
    }
    pthread_mutex_lock(&lock);
    const char *failure = mpi->exchange(sent, n_sent, received, n_received);
    pthread_mutex_unlock(&lock);
    if (failure)
        die(failure);
    for (int i = 0; i < n_received; i++) {
        struct head head, mine = now;
        mine.size = received[i].size;
        memcpy(&head, received[i].bytes, sizeof head);
        if (received[i].received != received[i].size || memcmp(&head, &mine, sizeof head) != 0)
            report(&head, received[i].rank);
    }
    return AMP_OK;
}

/* Everybody gets the text of the rank that has failed. */
static amp_status spread_failure(int rank, amp_status status)
{
    enum { TEXT = 1024 };
    char messages[AMP__MAX_RANKS][AMP__HEAD + TEXT];
    struct amp__message sent[AMP__MAX_RANKS], received = {rank, messages[0], sizeof messages[0], 0};
    if (rank != amp__rank) {
        amp__ranks_exchange(NULL, 0, &received, 1);
        return amp__fail(status, "%.*s", (int)TEXT - 1, messages[0] + AMP__HEAD);
    }
    int n = 0;
    for (int r = 0; r < amp__n_ranks; r++)
        if (r != amp__rank) {
            snprintf(messages[n] + AMP__HEAD, TEXT, "%s", amp__error_now()->text);
            sent[n] = (struct amp__message){r, messages[n], sizeof messages[n], 0};
            n++;
        }
    amp__ranks_exchange(sent, n, NULL, 0);
    return status;
}

/* Returns the greatest value of all ranks. In each step the number of ranks whose values a rank knows doubles. */
static int find_greatest(int value)
{
    struct {
        _Alignas(uint64_t) char head[AMP__HEAD];
        int value;
    } mine, theirs;
    for (int step = 1; step < amp__n_ranks; step *= 2) {
        mine.value = value;
        struct amp__message sent = {(amp__rank + step) % amp__n_ranks, &mine, sizeof mine, 0};
        struct amp__message received = {(amp__rank - step + amp__n_ranks) % amp__n_ranks, &theirs, sizeof theirs, 0};
        amp__ranks_exchange(&sent, 1, &received, 1);
        value = theirs.value > value ? theirs.value : value;
    }
    return value;
}

amp_status amp__ranks_agree(amp_status status)
{
    int value = find_greatest(status == AMP_OK ? 0 : (int)status * AMP__MAX_RANKS + amp__rank + 1);
    return value ? spread_failure((value - 1) % AMP__MAX_RANKS, (amp_status)((value - 1) / AMP__MAX_RANKS)) : AMP_OK;
}

void amp__ranks_check(void)
{
    find_greatest(0);
}

void amp__ranks_end_all(void)
{
    die(amp__error_now()->text);
}
