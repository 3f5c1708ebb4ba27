/* SPDX-License-Identifier: MIT
 *
 * A GPU of one thread at a time, for tests without one: preloaded into a program, it puts the kernels that ampcc
 * made for GPUs, which on-host.sh has compiled for this machine, in the place of those for the cpu. It does what
 * docs/gpu.md asks of a backend, blocks from last to first; the threads of a tile take turns from barrier to barrier. A
 * kernel that has a form with several points per thread runs as one and the other by turns. */
#define _GNU_SOURCE
#include "abi/descriptor.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

typedef void kernel_function(const void *args, const int *box);

static int thread[3], block[3]; /* x, y, z */

int device_tid_x(void)
{
    return thread[0];
}
int device_tid_y(void)
{
    return thread[1];
}
int device_tid_z(void)
{
    return thread[2];
}
int device_ctaid_x(void)
{
    return block[0];
}
int device_ctaid_y(void)
{
    return block[1];
}
int device_ctaid_z(void)
{
    return block[2];
}

/* ---- approximations, here as exact as float tells; subnormal numbers count as 0 ---- */

static float flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

float device_rcp(float x)
{
    return flush(1 / flush(x));
}
float device_rsqrt(float x)
{
    return flush((float)(1 / sqrt(flush(x))));
}
float device_ex2(float x)
{
    return flush(exp2f(flush(x)));
}
float device_lg2(float x)
{
    return flush(log2f(flush(x)));
}

/* Where sums have no more digits than a double. */
float device_fma_down(float x, float y, float z)
{
    double sum = (double)x * y + z;
    float near = (float)sum;
    return near > sum ? nextafterf(near, -INFINITY) : near;
}

/* ---- threads that wait and end ---- */

enum { STACK_BYTES = 128 << 10, MAX_THREADS = 1024 };
static ucontext_t scheduler, contexts[MAX_THREADS];
static bool is_done[MAX_THREADS];
static int current;
static struct {
    kernel_function *function;
    const void *args;
    const int *box;
} job;

void device_barrier(void)
{
    swapcontext(&contexts[current], &scheduler);
}

void device_fence(void)
{
}

void device_exit(void)
{
    is_done[current] = true;
    setcontext(&scheduler);
}

static void run_thread(void)
{
    job.function(job.args, job.box);
    device_exit();
}

static void set_thread(int number, const int size[3])
{
    thread[0] = number % size[0];
    thread[1] = number / size[0] % size[1];
    thread[2] = number / size[0] / size[1];
}

static void run_block(const int size[3], bool has_turns)
{
    static char *stacks;
    int n = size[0] * size[1] * size[2];
    if (!has_turns) {
        for (int i = n - 1; i >= 0; i--) {
            set_thread(i, size);
            job.function(job.args, job.box);
        }
        return;
    }
    if (!stacks)
        stacks = malloc((size_t)MAX_THREADS * STACK_BYTES);
    for (int i = 0; i < n; i++) {
        is_done[i] = false;
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks + (size_t)i * STACK_BYTES;
        contexts[i].uc_stack.ss_size = STACK_BYTES;
        makecontext(&contexts[i], run_thread, 0);
    }
    for (int left = n; left > 0;) {
        left = 0;
        for (current = n - 1; current >= 0; current--) {
            if (is_done[current])
                continue;
            set_thread(current, size);
            swapcontext(&scheduler, &contexts[current]);
            left += !is_done[current];
        }
    }
}

/* ---- what the driver has ---- */

int device_printf(const char *format, const char *arguments)
{
    for (size_t at = 0; *format;) {
        char one[64];
        size_t n = *format == '%' ? 1 + strspn(format + 1, " #+-.0123456789hl") : strcspn(format, "%");
        char kind = *format == '%' ? format[n++] : 0;
        bool is_real = kind && strchr("eEfFgGaA", kind);
        bool is_long = is_real || memchr(format, 'l', n) || kind == 's' || kind == 'p';
        snprintf(one, sizeof one, "%.*s", (int)n, format);
        if (!kind) {
            printf("%.*s", (int)n, format);
        } else if (kind == '%') {
            putchar('%');
        } else {
            size_t size = is_long ? 8 : 4;
            at = (at + size - 1) / size * size;
            if (is_real)
                printf(one, *(const double *)(arguments + at));
            else if (is_long)
                printf(one, *(const long *)(arguments + at));
            else
                printf(one, *(const int *)(arguments + at));
            at += size;
        }
        format += n;
    }
    return 0;
}

extern struct {
    int is_aborted;
    char text[252];
} amp__aborted __attribute__((weak));

/* ---- kernels ---- */

enum { MAX_KERNELS = 64 };
static struct device_kernel {
    const struct amp__kernel *kernel;
    const int *shape;
    kernel_function *entry, *many;
    int n_launches;
} kernels[MAX_KERNELS];

/* Runs a grid of blocks of `size` threads, x, y, z. `has_turns`: threads may wait for each other, or end. For the driver's
 * stand-in, too. */
void device_launch(void *function, const void *args, const int *box, const int grid[3], const int size[3], bool has_turns)
{
    job.function = (kernel_function *)function;
    job.args = args;
    job.box = box;
    for (block[2] = grid[2] - 1; block[2] >= 0; block[2]--)
        for (block[1] = grid[1] - 1; block[1] >= 0; block[1]--)
            for (block[0] = grid[0] - 1; block[0] >= 0; block[0]--)
                run_block(size, has_turns);
}

static void run(struct device_kernel *k, const void *args, const int *box)
{
    bool many = k->many && k->n_launches++ % 2;
    const int *points = k->shape + (many ? 6 : 3), *threads = k->shape;
    int size[3] = {threads[2], threads[1], threads[0]}, grid[3];
    if (threads[0] > 64) {
        size[0] *= size[1] * size[2];
        size[1] = size[2] = 1;
    }
    for (int d = 0; d < 3; d++)
        grid[2 - d] = (int)(((long)box[2 * d + 1] - box[2 * d] + points[d] - 1) / points[d]);
    device_launch((void *)(many ? k->many : k->entry), args, box, grid, size, k->kernel->tile || &amp__aborted);
    if (&amp__aborted && amp__aborted.is_aborted) {
        static char text[sizeof amp__aborted.text];
        memcpy(text, amp__aborted.text, sizeof text);
        memset(&amp__aborted, 0, sizeof amp__aborted);
        amp__abort(text);
    }
}

/* Octal numbers below MAX_KERNELS. */
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define EACH(X)                                                                                                        \
    EIGHT(X, 00) EIGHT(X, 01) EIGHT(X, 02) EIGHT(X, 03) EIGHT(X, 04) EIGHT(X, 05) EIGHT(X, 06) EIGHT(X, 07)
#define RUN(i)                                                                                                         \
    static void run_##i(const void *args, const int *box)                                                              \
    {                                                                                                                  \
        run(&kernels[i], args, box);                                                                                   \
    }
#define NAME(i) run_##i,
EACH(RUN)
static void (*const runs[])(const void *, const int *) = {EACH(NAME)};

static void *find(const char *name)
{
    Dl_info here;
    dladdr((void *)runs, &here);
    void *symbol = dlsym(dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD), name);
    if (!symbol) {
        fprintf(stderr, "host_device: there is no %s\n", name);
        abort();
    }
    return symbol;
}

void amp__register_kernels(struct amp__kernel *list, int n)
{
    static const int one[4] = {1, 1, 1, 0}; /* and no arrays on the stack */
    static struct amp__image images[MAX_KERNELS][2];
    void (*next)(struct amp__kernel *, int);
    *(void **)&next = dlsym(RTLD_NEXT, "amp__register_kernels");
    if (n > MAX_KERNELS) {
        fprintf(stderr, "host_device: %d kernels are too many\n", n);
        abort();
    }
    for (int i = 0; i < n; i++) {
        const struct amp__image *image = list[i].images;
        while (strcmp(image->backend, "cuda"))
            image++;
        char many[64];
        snprintf(many, sizeof many, "%s_many", image->entry);
        kernels[i] = (struct device_kernel){.kernel = &list[i], .shape = image->shape};
        kernels[i].entry = (kernel_function *)find(image->entry);
        kernels[i].many = image->shape[6] ? (kernel_function *)find(many) : NULL;
        images[i][0] = (struct amp__image){.backend = "cpu", .target = "baseline", .run = runs[i], .shape = one};
        list[i].images = images[i];
    }
    next(list, n);
}
