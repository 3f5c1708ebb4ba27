/* SPDX-License-Identifier: MIT
 *
 * A GPU of one thread at a time, for tests without one: preloaded into a program, it puts the kernels that ampcc made
 * with --amp-gpu=host (src/compiler/gpu/host) in the place of those for the cpu. If FAKE_CUDA_KERNELS is set, they
 * become those for cuda instead, where the stand-in for the driver runs them. It does what docs/gpu.md asks of a
 * backend, blocks from last to first; the threads of a tile take turns from barrier to barrier. A kernel that has a
 * form with several points per thread runs as one and the other by turns. */
#define _GNU_SOURCE
#include "abi/descriptor.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

typedef void kernel_function(const void *args, const int *box);

static int thread[3], block[3]; /* x, y, z */

int device_thread(int axis)
{
    return thread[axis];
}

int device_block(int axis)
{
    return block[axis];
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

struct aborted {
    int is_aborted;
    char text[252];
};

void device_abort(struct aborted *aborted, const char *text)
{
    if (!aborted->is_aborted)
        snprintf(aborted->text, sizeof aborted->text, "%s", text);
    aborted->is_aborted = 1;
    device_exit();
}

/* ---- code ---- */

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "host_device: %s\n", what);
    abort();
}

/* The length of an object file, whose section headers come last. */
static size_t length_of(const void *object)
{
    const Elf64_Ehdr *header = object;
    return memcmp(header->e_ident, ELFMAG, SELFMAG) ? 0
                                                    : header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

/* Links an object file, and gives its handle for dlsym; NULL if it is none. For the driver's stand-in, too. */
void *device_load(const void *object)
{
    size_t bytes = length_of(object);
    char name[] = "/tmp/host_device.XXXXXX", library[sizeof name + 3], command[128];
    if (!bytes)
        return NULL;
    int file = mkstemp(name);
    if (file < 0 || write(file, object, bytes) != (ssize_t)bytes || close(file))
        fail("cannot write the object file");
    snprintf(library, sizeof library, "%s.so", name);
    snprintf(command, sizeof command, "LD_PRELOAD= ld -shared %s -o %s", name, library);
    void *handle = system(command) ? NULL : dlopen(library, RTLD_NOW);
    if (!handle)
        fail(dlerror());
    unlink(name);
    unlink(library);
    return handle;
}

/* ---- kernels ---- */

enum { MAX_KERNELS = 64, MAX_IMAGES = 8 };
static struct device_kernel {
    const struct amp__kernel *kernel;
    const int *geometry;
    kernel_function *entry, *many;
    struct aborted *aborted; /* NULL: it does not abort */
    int n_launches;
} kernels[MAX_KERNELS];

/* Runs a grid of blocks of `size` threads, x, y, z. `has_turns`: threads may wait for each other, or end. For the
 * driver's stand-in, too. */
void device_launch(void *function, const void *args, const int *box, const int grid[3], const int size[3],
                   bool has_turns)
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
    const int *points = k->geometry + (many ? 6 : 3), *threads = k->geometry;
    int size[3] = {threads[2], threads[1], threads[0]}, grid[3];
    if (threads[0] > 64) {
        size[0] *= size[1] * size[2];
        size[1] = size[2] = 1;
    }
    for (int d = 0; d < 3; d++)
        grid[2 - d] = (int)(((long)box[2 * d + 1] - box[2 * d] + points[d] - 1) / points[d]);
    device_launch((void *)(many ? k->many : k->entry), args, box, grid, size, k->kernel->tile || k->aborted || many);
    if (k->aborted && k->aborted->is_aborted) {
        struct aborted was = *k->aborted;
        memset(k->aborted, 0, sizeof *k->aborted);
        amp__abort(was.text);
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

static struct amp__image on_cpu(int number, const struct amp__kernel *kernel, const struct amp__image *image)
{
    static const int one[12] = {1, 1, 1}; /* and no arrays on the stack */
    static const struct amp__code *loaded;
    static void *handle;
    struct device_kernel *k = &kernels[number];
    char many[128];
    if (loaded != image->code)
        handle = device_load(image->code->text);
    loaded = image->code;
    snprintf(many, sizeof many, "%s_many", image->entry);
    *k = (struct device_kernel){.kernel = kernel, .geometry = image->geometry};
    k->entry = (kernel_function *)dlsym(handle, image->entry);
    k->many = (kernel_function *)dlsym(handle, many);
    k->aborted = dlsym(handle, "amp__aborted");
    if (!k->entry || !k->many != !image->geometry[6])
        fail("a kernel is missing");
    return (struct amp__image){.backend = "cpu", .target = "baseline", .run = runs[number], .geometry = one};
}

/* Copies images of a kernel. The one for the host is for cuda then. */
static void copy_for_cuda(struct amp__image *to, const struct amp__image *image)
{
    int n = 0;
    for (; image->backend; image++) {
        if (n == MAX_IMAGES - 1)
            fail("a kernel has too many images");
        to[n] = *image;
        if (!strcmp(image->backend, "host"))
            to[n].backend = "cuda", to[n].target = "sm_50";
        n++;
    }
}

void amp__register_kernels(struct amp__kernel *list, int n)
{
    static struct amp__image images[MAX_KERNELS][MAX_IMAGES];
    void (*next)(struct amp__kernel *, int);
    *(void **)&next = dlsym(RTLD_NEXT, "amp__register_kernels");
    if (n > MAX_KERNELS)
        fail("too many kernels");
    for (int i = 0; i < n; i++) {
        if (!strncmp(list[i].name, "amp__", 5)) /* libamp's own */
            continue;
        const struct amp__image *image = list[i].images;
        while (image->backend && strcmp(image->backend, "host"))
            image++;
        if (!image->backend || image->code->bytes != length_of(image->code->text))
            fail("a kernel has no code for the host, or not all of it");
        if (getenv("FAKE_CUDA_KERNELS"))
            copy_for_cuda(images[i], list[i].images);
        else
            images[i][0] = on_cpu(i, &list[i], image);
        list[i].images = images[i];
    }
    next(list, n);
}
