/* SPDX-License-Identifier: MIT
 *
 * The library of MPI, which is opened when a program that mpirun has started first needs it, and what ranks agree on.
 * The tag of each message says what its sender has done (history.c). If that is not what its receiver has done, the
 * ranks have gone different ways, and none of them can go on: all end, with a message. A rank that waits for long shows
 * the others its history, so it does not wait forever for one that waits for something else; and at its end a program
 * tells all other ranks. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "ranks.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int amp__rank, amp__n_ranks = 1;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct amp__mpi *mpi; /* NULL: not begun */
static bool is_ending, is_over;

static int greatest_tag, tag;                /* `tag`: of the messages that were started last, */
static const struct amp__message *under_way; /* and those that are sent */
static int n_under_way;

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

/* Opens the plugin beside libamp, as in a build tree, or where it is installed, in the folder libamp there, else where
 * the system finds it. Open MPI's parts need its names. */
static void *open_plugin(const char *name)
{
    static const char *const folders[] = {"", "libamp/"};
    Dl_info info;
    char path[4096];
    const char *slash = dladdr(&amp__rank, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    for (size_t i = 0; slash && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%.*s/%s%s", (int)(slash - info.dli_fname), info.dli_fname, folders[i], name);
        if (access(path, F_OK) == 0)
            return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

/* That of the plugin, if it is linked with the program and a static libamp. */
extern const struct amp__mpi amp__mpi __attribute__((weak, visibility("default")));

static const struct amp__mpi *find_plugin(const char *name)
{
    void *opened = &amp__mpi ? NULL : open_plugin(name);
    const struct amp__mpi *table = opened ? dlsym(opened, "amp__mpi") : &amp__mpi;
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

/* ---- ending ---- */

/* Ends all ranks after a message. */
static __attribute__((noreturn)) void die(const char *why)
{
    fprintf(stderr, "amp: rank %d: %s\n", amp__rank, why);
    fflush(stderr);
    mpi->abort(1);
    abort();
}

static void insist(const char *failure)
{
    if (failure)
        die(failure);
}

/* Looks at what other ranks show. */
static void hear(void)
{
    char theirs[AMP__HISTORY_BYTES];
    bool has_come = true;
    for (int rank; has_come;) {
        insist(mpi->listen(&has_come, &rank, theirs, sizeof theirs));
        if (has_come)
            insist(amp__history_compare(theirs, rank));
    }
}

/* Sends to the rank that is `step` further, and receives from the one that is as far behind. If steps double from 1 on,
 * all ranks hear of all, and none is through before all have come. */
static void swap(int step, void *mine, void *theirs, size_t size)
{
    int n = amp__n_ranks;
    struct amp__message sent = {.rank = (amp__rank + step) % n, .bytes = mine, .size = size};
    struct amp__message received = {.rank = (amp__rank - step + n) % n, .bytes = theirs, .size = size};
    amp__ranks_exchange(&sent, 1, &received, 1);
}

/* Tells all other ranks, at the program's end or when it ends MPI. */
static void end(void)
{
    char theirs[AMP__HISTORY_BYTES];
    if (is_ending)
        return;
    is_ending = true;
    pthread_mutex_lock(&lock);
    amp__history_end();
    pthread_mutex_unlock(&lock);
    for (int step = 1; step < amp__n_ranks; step *= 2) {
        swap(step, (void *)amp__history(), theirs, AMP__HISTORY_BYTES);
        insist(amp__history_compare(theirs, (amp__rank - step + amp__n_ranks) % amp__n_ranks));
    }
    hear();
    mpi->end();
    is_over = true;
}

static amp_status begin(void)
{
    amp_status status = amp__ranks_check_begin();
    if (status != AMP_OK)
        return status;
    const char *name = plugin_name();
    const struct amp__mpi *table = find_plugin(name);
    if (!table)
        return AMP_ERROR_NO_ACCELERATOR;
    const char *failure = table->begin(&amp__rank, &amp__n_ranks, &greatest_tag, end);
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

static amp_status begin_once(void)
{
    amp_status status = AMP_OK;
    pthread_mutex_lock(&lock);
    if (!mpi && amp__ranks_expected() > 1)
        status = begin();
    pthread_mutex_unlock(&lock);
    return status;
}

amp_status amp__ranks_begin(void)
{
    amp_status status = begin_once();
    return status == AMP_OK && is_over ? amp__fail(AMP_ERROR_NO_ACCELERATOR, "all: MPI has ended") : status;
}

int amp_rank(void)
{
    return begin_once() == AMP_OK ? amp__rank : 0;
}

int amp_rank_count(void)
{
    if (amp__dry_begin() == AMP_OK && amp__dry_ranks)
        return amp__dry_ranks;
    return begin_once() == AMP_OK ? amp__n_ranks : 1;
}

const struct amp__mpi *amp__ranks_hold(void)
{
    pthread_mutex_lock(&lock);
    return mpi;
}

void amp__ranks_resume(void)
{
    pthread_mutex_unlock(&lock);
}

bool amp__ranks_reach(const char *kind)
{
    const char *test = getenv("AMP_TEST_MESSAGES"); /* "gpu": as if it did, for tests with GPUs that are none */
    return (test && !strcmp(test, "gpu")) || mpi->reaches(kind);
}

/* ---- messages ---- */

/* Shows this rank's calls to those with which it exchanges messages. So does each of them, and one that waits for
 * something else hears of it. */
static void tell_others(const struct amp__message *received, int n_received)
{
    int n = 0, *ranks = malloc((size_t)(n_received + n_under_way) * sizeof *ranks);
    if (!ranks)
        return;
    for (int i = 0; i < n_received; i++)
        ranks[n++] = received[i].rank;
    for (int i = 0; i < n_under_way; i++)
        ranks[n++] = under_way[i].rank;
    insist(mpi->tell(ranks, n, amp__history(), AMP__HISTORY_BYTES));
    free(ranks);
}

/* Lets others use the processor. The wait began, or called this last, at *since, which becomes now. A thread that
 * yields to one that computes, as MPI_Test may do, too, goes on when that has used up its time: some milliseconds for
 * each message. One that wakes up goes on at once. So where yielding has taken long, this sleeps for the next
 * second, as briefly as possible, which is some 50 us each time. */
static void give_way(long long *since)
{
    enum { LONG_NS = 500000, SECOND_NS = 1000000000 };
    static long long sleeps_until;
    if (*since < sleeps_until)
        nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
    else
        sched_yield();
    long long now = amp__now_ns();
    if (now - *since > LONG_NS)
        sleeps_until = now + SECOND_NS;
    *since = now;
}

/* Waits until the messages that have been started are done. */
static void wait_for_messages(const struct amp__message *received, int n_received)
{
    enum { TRIES = 32, FIRST_NS = 1000000000 };
    bool is_done = false;
    insist(mpi->test(&is_done));
    if (is_done)
        return;
    long long begin = amp__now_ns(), now = begin, patience = FIRST_NS;
    for (int tries = 1; !is_done; tries++) {
        if (tries % TRIES == 0) {
            give_way(&now);
            hear();
            if (now - begin > patience) {
                tell_others(received, n_received);
                patience *= 2;
            }
        }
        insist(mpi->test(&is_done));
    }
}

/* Ends all ranks, because another one has done something else: it says what, if it hears of that. */
static __attribute__((noreturn)) void part_from(int rank, int tag)
{
    enum { WAIT_NS = 2000000000 };
    char text[512];
    if (tag == AMP__END_TAG) {
        snprintf(text, sizeof text, "rank %d has ended its program, while this rank is at %s", rank,
                 amp__history_now());
        die(text);
    }
    insist(mpi->tell(&rank, 1, amp__history(), AMP__HISTORY_BYTES));
    for (long long begin = amp__now_ns(), now = begin; now - begin < WAIT_NS; give_way(&now))
        hear();
    snprintf(text, sizeof text, "rank %d moves other data than this rank, at or after %s", rank, amp__history_now());
    die(text);
}

void amp__ranks_start(struct amp__message *sent, int n_sent, struct amp__message *received, int n_received)
{
    pthread_mutex_lock(&lock);
    tag = amp__history_tag(greatest_tag);
    for (int i = 0; i < n_sent; i++)
        sent[i].tag = tag;
    under_way = sent;
    n_under_way = n_sent;
    insist(mpi->start(sent, n_sent, received, n_received));
}

void amp__ranks_wait(const struct amp__message *received, int n_received)
{
    wait_for_messages(received, n_received);
    for (int i = 0; i < n_received; i++)
        if (received[i].tag != tag || received[i].received != received[i].size)
            part_from(received[i].rank, received[i].tag);
    pthread_mutex_unlock(&lock);
}

void amp__ranks_exchange(struct amp__message *sent, int n_sent, struct amp__message *received, int n_received)
{
    amp__ranks_start(sent, n_sent, received, n_received);
    amp__ranks_wait(received, n_received);
}

/* ---- agreement ---- */

/* Everybody gets the text of the rank that has failed. */
static amp_status spread_failure(int rank, amp_status status)
{
    char text[1024];
    if (rank == amp__rank)
        snprintf(text, sizeof text, "%s", amp__error_now()->text);
    amp__ranks_spread(rank, text, sizeof text);
    return rank == amp__rank ? status : amp__fail(status, "%.*s", (int)sizeof text - 1, text);
}

long long amp__ranks_greatest(long long value)
{
    for (int step = 1; step < amp__n_ranks; step *= 2) {
        long long mine = value, theirs;
        swap(step, &mine, &theirs, sizeof mine);
        value = theirs > value ? theirs : value;
    }
    return value;
}

amp_status amp__ranks_settle(amp_status status)
{
    int value = (int)amp__ranks_greatest(status == AMP_OK ? 0 : (int)status * AMP__MAX_RANKS + amp__rank + 1);
    return value ? spread_failure((value - 1) % AMP__MAX_RANKS, (amp_status)((value - 1) / AMP__MAX_RANKS)) : AMP_OK;
}

amp_status amp__ranks_agree(const struct amp__kernel *kernel, amp_status status)
{
    if (!amp__cpu_may_fail(kernel)) {
        if (status != AMP_OK)
            amp__ranks_end_all();
        return status;
    }
    return amp__ranks_settle(status);
}

void amp__ranks_end_all(void)
{
    die(amp__error_now()->text);
}

amp_status amp__ranks_insist(amp_status status)
{
    if (status != AMP_OK)
        amp__ranks_end_all();
    return status;
}
