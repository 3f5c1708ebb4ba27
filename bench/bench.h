/* SPDX-License-Identifier: MIT
 *
 * What the measuring programs share. Each folder has one kernel: kernel.h is its code for ampcc, also for
 * GPUs; problem.h makes its data and verifies the result; amp.c runs it; cpp.cpp is the same in C++ AMP; omp.c,
 * opencl.c, and ispc.c with ispc.ispc are peers. A program consists of main.c and all files of one name, compiled one
 * way; run.py starts the programs in turns. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One way to run one kernel. The result may depend on how often it ran: bench_runs. */
struct bench {
    const char *kernel, *variant;
    void (*set_up)(void), (*run)(void), (*verify)(void);
    struct bench *next;
};

void bench_add(struct bench *bench);
extern long bench_runs;

/* What a program prints about itself after its runs: the device, the number of threads. Fails if a run failed. */
const char *bench_note(void);

#ifdef __cplusplus
}
#endif

#define BENCH(kernel, variant, set_up, run, verify)                                                                    \
    __attribute__((constructor)) static void BENCH_NAME(add, __COUNTER__)(void)                                        \
    {                                                                                                                  \
        static struct bench bench = {kernel, variant, set_up, run, verify, NULL};                                      \
        bench_add(&bench);                                                                                             \
    }
#define BENCH_NAME(a, b)  BENCH_NAME_(a, b)
#define BENCH_NAME_(a, b) a##b

static inline void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* Reports that a peer's library is not installed; run.py prints a line about it. */
static inline void missing(const char *what)
{
    printf("missing %s\n", what);
    exit(0);
}

/* Zeroed memory whose pages are already present. */
static inline void *new_memory(size_t size_bytes)
{
    void *array = aligned_alloc(4096, (size_bytes + 4095) / 4096 * 4096);
    if (!array)
        die("out of memory");
    return memset(array, 0, size_bytes);
}
#ifdef __cplusplus /* where void * converts to nothing */
struct memory {
    void *bytes;
    template <typename T> operator T *() const
    {
        return static_cast<T *>(bytes);
    }
};
static inline memory new_array(size_t size_bytes)
{
    return {new_memory(size_bytes)};
}
#else
#define new_array new_memory
#endif

static inline uint32_t hash(uint32_t i)
{
    i *= 2654435761u;
    return (i ^ i >> 15) * 2246822519u;
}

/* A number from `low` to `high`, different for each `i`. */
static inline float between(float low, float high, uint32_t i)
{
    return low + (high - low) * (float)(hash(i) >> 8) / (float)(1 << 24);
}

/* A small whole number: products and sums of many are exact, in any order. */
static inline int small(uint32_t i)
{
    return (int)(hash(i) >> 16) % 9 - 4;
}

static inline void expect(double value, double expected, double tolerance, size_t i)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fprintf(stderr, "element %zu is %.9g, expected %.9g\n", i, value, expected);
        exit(1);
    }
}
