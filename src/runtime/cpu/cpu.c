/* SPDX-License-Identifier: MIT
 *
 * Runs kernels on all cores and lanes of the host, on host memory in place. They are ordinary code in the program,
 * compiled for several instruction set levels; pool.c has the threads that share the domain. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "cpu.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    /* Sharing costs about 2 microseconds between two threads, and 10 when one must be woken. Below this estimate the
     * calling thread alone is about as fast. Measured on two Zen 5 cores (`make bench K=shared`). */
    WORTH_SHARING_NS = 20000,
    /* How long a first try must last to predict the cost of the rest: reading the clock takes 20 ns. */
    TRY_NS = 500,
    /* From this size on, even the lightest kernel is worth sharing, and no piece is tried first. */
    CERTAINLY_WORTH_SHARING = 1 << 17, /* threads of the launch */
    /* How long a piece should last. Threads that take shorter ones pass each other more lines of the arrays, launch
     * after launch, than waiting for the last one costs: 600 launches of 10 microseconds (bench/ports/paths.c) take
     * 0.94 to 0.85 of their time, depending on how fast cores exchange lines. */
    PIECE_NS = 4000,
    /* Kernels whose arrays take no more than this fit on any stack, and the stack is not checked. */
    SMALL_STACK = 4 << 10,
    /* What a kernel's stack takes besides its arrays: registers, and the functions that it calls. */
    STACK_RESERVE = 8 << 10
};

/* Read from the environment when the accelerators are enumerated; launches report `error`. */
static struct {
    int n_threads;
    int isa_level; /* of the machine, as far as AMP_ISA allows */
    bool is_capped;
    bool scatters_fast;
    char error[160];
    char description[160];
} settings;

static void read_settings(void)
{
    settings.error[0] = 0;
    /* 1. Threads: as many as this process may use at once. */
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_ZERO(&set);
    long online = CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    settings.n_threads = online < 1 ? 1 : online > AMP__MAX_THREADS ? AMP__MAX_THREADS : (int)online;
    const char *text = getenv("AMP_NUM_THREADS");
    if (text && *text) {
        char *end;
        errno = 0;
        long n = strtol(text, &end, 10);
        if (*end || errno || n < 1 || n > AMP__MAX_THREADS)
            snprintf(settings.error, sizeof settings.error,
                     "AMP_NUM_THREADS is \"%.40s\"; it must be a number from 1 to %d", text, (int)AMP__MAX_THREADS);
        else
            settings.n_threads = (int)n;
    }
    amp__pool_set(settings.n_threads, &set);
    /* 2. Instruction set level. */
    settings.isa_level = amp__isa_of_machine();
    settings.is_capped = false;
    text = getenv("AMP_ISA");
    if (text && *text) {
        int level = amp__isa_level(text);
        if (level == ISA_UNKNOWN)
            snprintf(settings.error, sizeof settings.error,
                     "AMP_ISA is \"%.40s\"; it must be baseline, x86-64-v2, x86-64-v3, x86-64-v4 or native", text);
        else if (level != ISA_NATIVE) {
            settings.is_capped = true;
            if (level < settings.isa_level)
                settings.isa_level = level;
        }
    }
    text = getenv("AMP_TEST_SCATTERS");
    settings.scatters_fast = text && *text ? !strcmp(text, "fast") : amp__isa_scatters_fast();
}

int amp__scatters_fast(void)
{
    return settings.scatters_fast;
}

static int count(void)
{
    return 1;
}

static amp_status open_cpu(int i, void **device, amp_accelerator_properties *properties)
{
    (void)i;
    *device = NULL;
    read_settings();
    char name[80];
    amp__processor_name(name, sizeof name);
    snprintf(settings.description, sizeof settings.description, "%s, %d thread%s, %s", name, settings.n_threads,
             settings.n_threads == 1 ? "" : "s", amp__isa_name(settings.isa_level));
    *properties = (amp_accelerator_properties){
        .path = "cpu",
        .description = settings.description,
        .version = 1 << 16,
        .dedicated_memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
        .n_threads = settings.n_threads,
        .isa = amp__isa_name(settings.isa_level),
        .supports_double_precision = true,
        .supports_limited_double_precision = true,
        .supports_cpu_shared_memory = true,
        .default_cpu_access_type = AMP_ACCESS_READ_WRITE,
    };
    return AMP_OK;
}

/* The last image that the machine supports and AMP_ISA allows. */
static const struct amp__image *find_image(const struct amp__kernel *kernel)
{
    const struct amp__image *best = NULL;
    for (const struct amp__image *image = kernel->images; image && image->backend; image++) {
        if (strcmp(image->backend, "cpu"))
            continue;
        int level = amp__isa_level(image->target);
        if (level == ISA_UNKNOWN && amp__isa_is_processor(image->target))
            level = ISA_NATIVE;
        if (level <= settings.isa_level || (level == ISA_NATIVE && !settings.is_capped))
            best = image;
    }
    return best;
}

/* The same, kept with the kernel: comparing names took a fifth of a small launch. */
static const struct amp__image *pick_image(const struct amp__kernel *kernel)
{
    const struct amp__image **kept = &((struct amp__kernel *)(uintptr_t)kernel)->of_machine;
    const struct amp__image *image = __atomic_load_n(kept, __ATOMIC_RELAXED);
    if (!image) {
        image = find_image(kernel);
        __atomic_store_n(kept, image, __ATOMIC_RELAXED);
    }
    return image;
}

static amp_status fail_no_image(const struct amp__kernel *kernel)
{
    char list[256] = "";
    size_t length = 0;
    for (const struct amp__image *image = kernel->images; image && image->backend && length < sizeof list; image++)
        if (!strcmp(image->backend, "cpu"))
            length += (size_t)snprintf(list + length, sizeof list - length, length ? ", %s" : "%s", image->target);
    return amp__kernel_fail(kernel, AMP_ERROR_NO_KERNEL,
                            "it is compiled for %s, but %s %s; compile it with a lower --amp-cpu%s",
                            length ? list : "no processor", settings.is_capped ? "AMP_ISA allows" : "this machine has",
                            amp__isa_name(settings.isa_level), settings.is_capped ? ", or raise AMP_ISA" : "");
}

/* ---- one launch ---- */

struct job {
    const struct amp__image *image;
    const void *args;
    struct amp__pieces pieces;
    int first[6];          /* what is left of piece 0 */
    atomic_int is_aborted; /* a thread of the kernel has called amp_abort; `text` is the first one's */
    char text[512];
};

/* The job that the calling thread runs, for amp__abort. */
static _Thread_local struct job *current;

void amp__abort(const char *text)
{
    if (atomic_exchange(&current->is_aborted, 1))
        return;
    const char *said = amp__printed_error(text);
    snprintf(current->text, sizeof current->text, "%s", said ? said : "(null)");
}

static void run_box(struct job *job, const int box[6])
{
    if (atomic_load_explicit(&job->is_aborted, memory_order_relaxed))
        return;
    current = job;
    job->image->run(job->args, box);
}

static void run_piece(void *context, int i)
{
    struct job *job = context;
    int box[6];
    amp__pieces_box(&job->pieces, i, box);
    run_box(job, i == 0 ? job->first : box);
}

/* The cost of a kernel's thread is not known beforehand: a launch of 500 may take a fraction of a microsecond or many
 * milliseconds. So a launch that is not plainly large times some of its first piece, twice as much each time until the
 * time is long enough, and only then decides whether other threads would help. Returns the estimate for the whole
 * domain. */
static double try_first_piece(struct job *job)
{
    const struct amp__pieces *pieces = &job->pieces;
    int some[6];
    double done = 0;
    long long start = amp__now_ns(), elapsed;
    do {
        done += amp__pieces_split(pieces, done > 0 ? done : 1, job->first, some);
        run_box(job, some);
        elapsed = amp__now_ns() - start;
    } while (elapsed < TRY_NS && !amp__pieces_is_empty(job->first));
    return (double)elapsed / done * amp__pieces_grains(pieces, pieces->box);
}

static long long n_threads_of(const struct amp__launch *launch)
{
    long long n = launch->n_threads_per_point;
    for (int d = 0; d < 3; d++)
        n *= launch->box[2 * d + 1] - launch->box[2 * d];
    return n;
}

/* Returns how many pieces each processor may get for them to last PIECE_NS, by what the kernel's launches before took;
 * INT_MAX if none was shared. */
static int most_pieces_each(const struct amp__launch *launch)
{
    enum { LEAST = 2 }; /* threads that need not take the same time */
    float ns_each;
    __atomic_load(&launch->kernel->ns_each, &ns_each, __ATOMIC_RELAXED);
    double each = (double)ns_each * (double)n_threads_of(launch) / settings.n_threads / PIECE_NS;
    return ns_each == 0 || each > INT_MAX ? INT_MAX : each < LEAST ? LEAST : (int)each;
}

/* Runs the pieces from `begin` on with others, and notes what a thread took. A launch whose threads do less may come
 * between others, so less counts only by and by. */
static void run_shared(struct job *job, int begin, const struct amp__launch *launch)
{
    long long start = amp__now_ns();
    amp__pool_run(begin, job->pieces.n, run_piece, job);
    float ns = (float)(amp__now_ns() - start) * (float)launch->n_threads;
    float n_threads = (float)n_threads_of(launch) * (float)(job->pieces.n - begin) / (float)job->pieces.n;
    float *kept = &((struct amp__kernel *)(uintptr_t)launch->kernel)->ns_each, ns_each;
    __atomic_load(kept, &ns_each, __ATOMIC_RELAXED);
    ns_each = ns / n_threads > ns_each / 2 ? ns / n_threads : ns_each / 2;
    __atomic_store(kept, &ns_each, __ATOMIC_RELAXED);
}

static void run_job(struct job *job, struct amp__launch *launch)
{
    if (settings.n_threads == 1 || job->pieces.n == 1) {
        run_box(job, launch->box);
        return;
    }
    amp__pieces_box(&job->pieces, 0, job->first);
    if (n_threads_of(launch) >= CERTAINLY_WORTH_SHARING || try_first_piece(job) >= (double)WORTH_SHARING_NS)
        launch->n_threads = job->pieces.n < settings.n_threads ? job->pieces.n : settings.n_threads;
    int begin = amp__pieces_is_empty(job->first);
    if (launch->n_threads > 1)
        run_shared(job, begin, launch);
    else
        for (int i = begin; i < job->pieces.n; i++)
            run_piece(job, i);
}

/* Kernels with large arrays would end the program if the stack were too small for them. */
static amp_status check_stack(const struct amp__kernel *kernel, const struct amp__image *image)
{
    size_t needed = (size_t)image->geometry[3] + STACK_RESERVE;
    if (needed <= SMALL_STACK + STACK_RESERVE)
        return AMP_OK;
    size_t left = amp__stack_left(needed);
    if (left >= needed)
        return AMP_OK;
    return amp__kernel_fail(kernel, AMP_ERROR_OUT_OF_MEMORY,
                            "it needs %zu bytes of stack, and the calling thread has %zu left; launch it "
                            "from a thread with a larger stack (pthread_attr_setstacksize, ulimit -s), or make the "
                            "local arrays or the tile smaller",
                            needed, left);
}

bool amp__cpu_may_fail(const struct amp__kernel *kernel)
{
    for (const struct amp__image *image = kernel->images; image->backend; image++)
        if (!strcmp(image->backend, "cpu") && (image->geometry[3] > SMALL_STACK || image->geometry[5]))
            return true;
    return false;
}

/* Returns the length of a row of a flat index; 0 if it is not known, or if `run` does not run by rows. */
static int row_length(const struct job *job)
{
    const int *geometry = job->image->geometry;
    int length = geometry[10];
    if (length == 0 && geometry[11] >= 0)
        memcpy(&length, (const char *)job->args + geometry[11], sizeof length);
    return length >= AMP__LEAST_ROW ? length : 0;
}

static amp_status launch(void *device, void *queue, struct amp__launch *launch)
{
    (void)device, (void)queue;
    const struct amp__kernel *kernel = launch->kernel;
    if (settings.error[0])
        return amp__kernel_fail(kernel, AMP_ERROR_INVALID_ARGUMENT, "%s", settings.error);
    struct job job;
    job.image = pick_image(kernel);
    if (!job.image)
        return fail_no_image(kernel);
    amp_status status = check_stack(kernel, job.image);
    if (status != AMP_OK)
        return status;
    launch->isa = job.image->target;
    const int *block = job.image->geometry + (settings.scatters_fast && job.image->geometry[6] ? 6 : 0);
    launch->lanes = block[0];
    launch->n_threads = 1;

    int columns = block[0] * block[2], rows = block[1];
    int grain[3] = {1, kernel->tile ? 1 : rows, kernel->tile ? 1 : columns};
    job.args = launch->args;
    enum amp__cut cut = (enum amp__cut)job.image->geometry[4];
    int length = job.image->geometry[9] > 0 ? row_length(&job) : 0;
    if (length > 0)
        grain[2] = amp__pieces_rows(launch->box[5] - launch->box[4], length, job.image->geometry[9], grain[2],
                                    settings.n_threads);
    else if (cut == AMP__CUT_LONG)
        cut = AMP__CUT_ROWS;
    int each = amp__pieces_each(launch->box[5] - launch->box[4], job.image->geometry[12], settings.n_threads);
    int most = cut == AMP__CUT_LONG ? each : most_pieces_each(launch); /* there are few of these anyway */
    job.pieces = amp__pieces_cut(launch->box, grain, cut, settings.n_threads * (each < most ? each : most));
    atomic_init(&job.is_aborted, 0);
    run_job(&job, launch);
    return atomic_load(&job.is_aborted) ? amp__kernel_fail(kernel, AMP_ERROR_ABORTED, "amp_abort: %s", job.text)
                                        : AMP_OK;
}

const struct amp__backend amp__cpu_backend = {
    .name = "cpu",
    .count = count,
    .open = open_cpu,
    .launch = launch,
    .main_ended = amp__pool_main_ended,
};
