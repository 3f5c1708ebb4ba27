/* SPDX-License-Identifier: MIT
 *
 * What the programs of this folder share. Most kernels are restrict(cpu, amp): called as a function for every point of
 * the extent, a kernel is plain C that clang compiles, and so its own reference. Arrays lie between pages that may
 * not be accessed, so that a lane beyond the extent that touches memory ends the program. */
#pragma once

#include <amp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

/* Extents along the lanes: everything up to three vectors of 16 and one, and where blocks of several vectors end. */
static const int extents[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,  17,  18,  19,
                              20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,  36,  37,  38,
                              39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 63, 64, 65, 97, 127, 128, 129, 200};
#define EACH_EXTENT(n) for (int n##_ = 0, n; n##_ < LENGTH(extents) && (n = extents[n##_], true); n##_++)
/* The same for the other dimensions, in which there are no lanes, only blocks of rows. */
static const int few_extents[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17};
#define EACH_FEW(n) for (int n##_ = 0, n; n##_ < LENGTH(few_extents) && (n = few_extents[n##_], true); n##_++)

/* The types of elements of all sizes, for which a test's macro makes kernels, and check_TYPE. */
typedef unsigned char byte;
typedef long long wide_int;
#define EACH_SIZE(X) X(byte) X(short) X(int) X(wide_int) X(float) X(double)

static inline void check_status(const char *file, int line, amp_status status)
{
    if (status == AMP_OK && amp_error_status() == AMP_OK)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, amp_status_name(status), amp_error_text());
    exit(1);
}
#define CHECK_OK(call) check_status(__FILE__, __LINE__, (call))

/* ---- launches ---- */

/* Launches in these programs take what the host has in its memory and leave the results there, wherever they run: views
 * are refreshed before and synchronized after. */
static inline amp_status check_launch(amp_accelerator_view *on, amp_extent extent, amp_kernel kernel, int n_args,
                                      const amp_arg *args)
{
    amp_status status = AMP_OK;
    for (int i = 0; i < n_args && status == AMP_OK; i++)
        if (args[i].type == AMP_TYPE_VIEW)
            status = amp_refresh(*(amp_array_view *const *)args[i].value);
    if (status == AMP_OK)
        status = amp_launch(on, extent, kernel, n_args, args);
    for (int i = 0; i < n_args && status == AMP_OK; i++)
        if (args[i].type == AMP_TYPE_VIEW)
            status = amp_synchronize(*(amp_array_view *const *)args[i].value);
    return status;
}
#undef amp_parallel_for_each_on
#define amp_parallel_for_each_on(accelerator_view, extent, ...)                                                        \
    AMP__CAT(AMP__LAUNCH_, AMP__IS_ONE(__VA_ARGS__))(check_launch, accelerator_view, extent, __VA_ARGS__)

/* ---- memory ---- */

struct guarded {
    char *pages, *memory;
    size_t bytes, length;
};
static struct guarded guarded[64];

/* `bytes` of memory that end where a page without access begins, filled with a pattern that no test expects. */
static inline void *check_alloc(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes + page - 1) / page * page;
    struct guarded *g = guarded;
    while (g->pages)
        g++;
    g->length = inner + 2 * page;
    g->pages = mmap(NULL, g->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g->pages == MAP_FAILED || mprotect(g->pages + page, inner, PROT_READ | PROT_WRITE) != 0) {
        perror("mmap");
        exit(1);
    }
    memset(g->pages + page, 0xa5, inner);
    g->bytes = bytes;
    return g->memory = g->pages + page + inner - bytes;
}

/* Frees all of them; what lies in front of them must be untouched. */
static inline void check_free_all(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (struct guarded *g = guarded; g < guarded + LENGTH(guarded); g++) {
        if (!g->pages)
            continue;
        for (char *p = g->pages + page; p < g->memory; p++)
            if (*p != (char)0xa5) {
                fprintf(stderr, "%td bytes in front of an array of %zu bytes were written\n", g->memory - p, g->bytes);
                exit(1);
            }
        munmap(g->pages, g->length);
        g->pages = NULL;
    }
}

/* Releases views, and frees all arrays. */
static inline void check_release(amp_array_view **views, int n)
{
    for (int i = 0; i < n; i++)
        amp_array_view_release(views[i]);
    check_free_all();
}

/* Elements that repeat late and have both signs. */
static inline int check_value(int i)
{
    return (int)((unsigned)i * 2654435761u >> 8) % 1000 - 500;
}
/* Fills n elements of type T at x with such as make sums that depend on the order. */
#define CHECK_FILL(T, x, n, seed)                                                                                      \
    for (int i_ = 0; i_ < (n); i_++)                                                                                   \
    (x)[i_] = (T)(check_value(i_ + (seed)) * ((T)0.5 ? 1.1 : 1))

/* ---- comparison ---- */

static inline void check_report(const char *file, int line, const char *what, int at, const char *case_text)
{
    fprintf(stderr, "%s:%d: %s[%d], %s: ", file, line, what, at, case_text);
}

/* How many representable values lie between; 0 for two NaNs and for zeros of either sign. */
static inline double check_ulps(double a, double b, bool is_double)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    if (isnan(a) || isnan(b) || isinf(a) || isinf(b))
        return INFINITY;
    int exponent;
    frexp(fabs(a) > fabs(b) ? a : b, &exponent);
    int digits = is_double ? 53 : 24, least = is_double ? -1074 : -149;
    exponent -= digits;
    return fabs(a - b) / ldexp(1, exponent < least ? least : exponent);
}

/* Compares n elements; CASE is a printf format with its arguments that tells which of many cases it was. */
#define CHECK_INTS(got, want, n, ...)                                                                                  \
    CHECK_EACH(got, want, n, (got)[i_] == (want)[i_], "%" PRId64, int64_t, __VA_ARGS__)
#define CHECK_FLOATS(got, want, n, ...) CHECK_ULPS(0, got, want, n, __VA_ARGS__)
#define CHECK_ULPS(ulps, got, want, n, ...)                                                                            \
    CHECK_EACH(got, want, n, check_ulps((got)[i_], (want)[i_], sizeof *(got) == 8) <= (ulps), "%.17g", double,         \
               __VA_ARGS__)
#define CHECK_EACH(got, want, n, equal, format, type, ...)                                                             \
    for (int i_ = 0; i_ < (n); i_++)                                                                                   \
        if (!(equal)) {                                                                                                \
            char case_text[200];                                                                                       \
            snprintf(case_text, sizeof case_text, __VA_ARGS__);                                                        \
            check_report(__FILE__, __LINE__, #got, i_, case_text);                                                     \
            fprintf(stderr, "got " format ", expected " format "\n", (type)(got)[i_], (type)(want)[i_]);               \
            exit(1);                                                                                                   \
        }
/* Compares the bytes of n elements: structs without padding. */
#define CHECK_BYTES(got, want, n, ...)                                                                                 \
    CHECK_EACH(((const unsigned char *)(got)), ((const unsigned char *)(want)), (int)((n) * sizeof *(got)),            \
               ((const unsigned char *)(got))[i_] == ((const unsigned char *)(want))[i_], "%d", int, __VA_ARGS__)

/* ---- kernels of one form: out[i] from a[i] and b[i], or from all of them ---- */

#define CHECK_FORM(T)                                                                                                  \
    typedef void T##_kernel(const int *idx, int n, const T *a, const T *b, T *out);                                    \
    /* Fills a and b: values of both signs; small ones, so that lanes meet often; all alike; one that is different. */ \
    static inline void T##_fill(int pattern, int n, T *a, T *b)                                                        \
    {                                                                                                                  \
        for (int i = 0; i < n; i++) {                                                                                  \
            a[i] = (T)(pattern == 0 ? check_value(i) : pattern == 1 ? i % 5 - 1 : pattern == 2 ? 3 : i == n / 2);      \
            b[i] = (T)(pattern == 0   ? check_value(i + 777)                                                           \
                       : pattern == 1 ? i * 7 % 11                                                                     \
                       : pattern == 2 ? 4                                                                              \
                                      : i == n - 1);                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void T##_check(const char *name, T##_kernel *kernel)                                                 \
    {                                                                                                                  \
        enum { MOST = 200 };                                                                                           \
        T *a = check_alloc(MOST * sizeof(T)), *b = check_alloc(MOST * sizeof(T));                                      \
        T *out = check_alloc(MOST * sizeof(T)), *want = check_alloc(MOST * sizeof(T));                                 \
        for (int pattern = 0; pattern < 4; pattern++)                                                                  \
            EACH_EXTENT(n)                                                                                             \
            {                                                                                                          \
                int at = MOST - n; /* the arrays end where they must not be left */                                    \
                T##_fill(pattern, n, a + at, b + at);                                                                  \
                memset(out, 0, MOST * sizeof(T));                                                                      \
                memset(want, 0, MOST * sizeof(T));                                                                     \
                amp_array_view *a_view = amp_array_view1(n, (const T *)a + at);                                        \
                amp_array_view *b_view = amp_array_view1(n, (const T *)b + at),                                        \
                               *out_view = amp_array_view1(n, out + at);                                               \
                CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, a_view, b_view, out_view));                     \
                for (int i = 0; i < n; i++)                                                                            \
                    kernel((amp_index1){i}, n, a + at, b + at, want + at);                                             \
                if ((T)0.5) {                                                                                          \
                    CHECK_FLOATS(out, want, MOST, "%s, extent %d of the last elements, pattern %d", name, n, pattern)  \
                } else {                                                                                               \
                    CHECK_INTS(out, want, MOST, "%s, extent %d of the last elements, pattern %d", name, n, pattern)    \
                }                                                                                                      \
                amp_array_view_release(a_view);                                                                        \
                amp_array_view_release(b_view);                                                                        \
                amp_array_view_release(out_view);                                                                      \
            }                                                                                                          \
        check_free_all();                                                                                              \
    }
typedef long long wide;
CHECK_FORM(int)
CHECK_FORM(wide)
CHECK_FORM(float)
CHECK_FORM(double)
/* Runs KERNEL, whose elements have the type T, for every extent and pattern. */
#define CHECK_KERNEL(T, KERNEL) T##_check(#KERNEL, KERNEL)
