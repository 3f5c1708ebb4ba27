/* SPDX-License-Identifier: MIT
 *
 * AMP for C: data-parallel kernels in ordinary C, compiled by `ampcc`, run by `libamp`.
 *
 * A kernel is the body of a loop, written as a function of an index and marked `restrict(amp)`. It runs once for
 * every point of an extent, on all cores and all SIMD lanes of an accelerator:
 *
 *     #include <amp.h>
 *     #include <stdio.h>
 *
 *     void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp)
 *     {
 *         x[idx[0]] *= factor;
 *     }
 *
 *     int main(void)
 *     {
 *         float data[1000];
 *         for (int i = 0; i < 1000; i++)
 *             data[i] = (float)i;
 *         amp_auto_array_view *x = amp_array_view1(1000, data);
 *         amp_parallel_for_each(amp_extent1(1000), scale, 2.0f, x);
 *         amp_synchronize(x);
 *         if (amp_error_status() != AMP_OK) {
 *             fprintf(stderr, "%s\n", amp_error_text());
 *             return 1;
 *         }
 *         printf("data[999] = %g\n", data[999]);
 *         return 0;
 *     }
 * A kernel's parameters are its contract. The first is the index: amp_index1..8, or amp_tiled_index1..3(T0, ...) with
 * the tile's size. The caller does not pass an `int` parameter that is an array bound (N above): it is read from the
 * view, and other views with the same bound must agree. `const` elements are read, others are read and written. Scalars
 * and structs are passed by value. docs/language.md is the specification.
 * Ownership. Three terms: an *owned* object must be released by its holder; a *borrowed* one is used only during the
 * call; a *kept* one is used from the call until a release, and may not be freed or moved in between. Host memory under
 * a view is kept. A view keeps what it was made from: the storage lives as long as any view of it. A variable declared
 * with amp_auto_array_view and so on releases its object at the end of its scope.
 *
 * Errors. A call that can fail returns an amp_status; a constructor returns NULL. The calling thread keeps the text of
 * its *first* error until amp_error_clear; a NULL handle that is passed on fails without replacing that text, so a
 * program may check once at the end and still learn the cause. A function that reports its own success checks once at
 * its end, too, in a scope between amp_error_begin and amp_error_end, because its caller may have an error already.
 * Questions that are answered with no (amp_accelerator_find) are no errors. The library never exits or aborts, and
 * prints only what kernels print (amp_printf) and what the environment asks for.
 *
 * Threads. Accelerators, accelerator_views and futures may be used from any thread at any time. A view, and views with
 * the same home, may be used by one thread at a time, unless a function says otherwise.
 *
 * Asynchronous functions, whose names end in _async, return a future. Their work runs in order on its accelerator_view,
 * and in the order of submission for each home; all other functions wait for conflicting work. So a program computes
 * the same results with them as without. A child of fork has none of its parent's threads, and gets an error where it
 * would need them. docs/runtime.md has the rules.
 *
 * Sizes and positions. A component of an extent or an index may be a number of any type, such as size_t, and so may the
 * number of elements of a copy. If one cannot be represented, the call that uses it fails with a text that names its
 * value.
 * C++. The types and functions may be used; the macros, which determine types with _Generic, are for C. In C++ this
 * header leaves `restrict` an ordinary name. A header of your own that declares functions marked restrict(amp) and is
 * shared with C++ must define restrict(...) as empty there.
 *
 * Environment. AMP_DEFAULT_ACCELERATOR: path of the default accelerator. AMP_NUM_THREADS: threads of `cpu`, 1 to
 * 1024. AMP_ISA: highest instruction set level that `cpu` may use, such as x86-64-v3. AMP_PLACES: the accelerators
 * that `all` consists of, or on which ranks of MPI compute, see docs/distributed.md. AMP_DRY_RUN_RANKS: for how many
 * ranks of MPI launches say what they would do there, on standard error. AMP_CHECK_RANKS: 1 finds memory of the host
 * that differs between ranks. AMP_LOG: a line on standard error per launch (info), per copy and change of a copy's
 * state (coherence), or both (info,coherence). AMP_PROFILE: 1 writes at the end what ran and how long, what was
 * copied and why, and who waited, to standard error, json the same as JSON; anything else is the name of a file for
 * it. AMP_TRACE: a file for when all that was, which Perfetto opens. docs/debugging.md explains AMP_PROFILE,
 * AMP_TRACE and `checked`. AMP_CHECK_REPORT: a file for what the accelerator `checked` finds, as JSON.
 * AMP_CHECK_TIMEOUT: the seconds after which a loop on `checked` ends. They are read when first needed; calls that
 * depend on a variable with an invalid value fail with a text that names it. */
#ifndef AMP_H
#define AMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma pack(push, 8) /* libamp's layout, also with -fpack-struct */

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ version ---- */

/* The version of this header: 10000 times the major number, 100 times the minor one, and the patch. */
#define AMP_VERSION_MAJOR 0
#define AMP_VERSION_MINOR 1
#define AMP_VERSION_PATCH 0
#define AMP_VERSION       (AMP_VERSION_MAJOR * 10000 + AMP_VERSION_MINOR * 100 + AMP_VERSION_PATCH)

/* Returns the AMP_VERSION of the library that the program runs with, which may be another than that of the header that
 * it was compiled with. Threads any. */
int amp_version(void);

/* ------------------------------------------------------------------ the language ---- */

/* `restrict(amp)` after a declarator marks a kernel, or a function that kernels may call. Only clang accepts the
 * attribute there; for other compilers the file is host code. `float *restrict p` keeps its meaning; before a
 * parenthesis, as in `int *__restrict (*f)(void)`, write `__restrict`. */
#ifdef __cplusplus
#pragma push_macro("restrict") /* until the end of the header */
#undef restrict
#endif
#if defined(AMP__CXX) /* <amp.h> of C++: ampcc knows the words itself */
#define AMP__TILE(...)
#define AMP__LANES(n)
#elif defined(__clang__) && !defined(__cplusplus)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wkeyword-macro"
#define restrict(...) __attribute__((annotate("amp.restrict." #__VA_ARGS__)))
#pragma clang diagnostic pop
#define tile_static static __attribute__((annotate("amp.tile_static")))
#define AMP__TILE(...) __attribute__((annotate("amp.tile", __VA_ARGS__)))
#define AMP__LANES(n)  __attribute__((annotate("amp.lanes." #n)))
#else
#define restrict(...)
#define tile_static static
#define AMP__TILE(...)
#define AMP__LANES(n)
#endif

/* Sets, before a kernel's definition, how many threads run together as lanes of a vector on
 * processors: 1, 2, 4, 8, 16, 32 or 64; 1 runs them one after another. By default the compiler estimates what is
 * faster, and `ampcc --amp-report` says what it chose. The option --amp-lanes=KERNEL:N overrides it. */
#define amp_lanes(n) AMP__LANES(n)

/* The index of a thread in an untiled kernel. idx[0] is the slowest dimension. */
typedef const int amp_index1[1];
typedef const int amp_index2[2];
typedef const int amp_index3[3];
typedef const int amp_index4[4];
typedef const int amp_index5[5];
typedef const int amp_index6[6];
typedef const int amp_index7[7];
typedef const int amp_index8[8];

/* Proof that a thread runs in a tile; comes only from a tiled index. */
typedef struct amp_tile_barrier {
    int reserved;
} amp_tile_barrier;

/* The index of a thread in a tiled kernel: local = global mod tile_extent, tile = global / tile_extent,
 * tile_origin = global - local. The parameter is written amp_tiled_index2(16, 16) t; tile_extent is {16, 16} then. */
typedef struct amp__tiled_index1 {
    int global[1], local[1], tile[1], tile_origin[1], tile_extent[1];
    amp_tile_barrier barrier;
} amp__tiled_index1;
typedef struct amp__tiled_index2 {
    int global[2], local[2], tile[2], tile_origin[2], tile_extent[2];
    amp_tile_barrier barrier;
} amp__tiled_index2;
typedef struct amp__tiled_index3 {
    int global[3], local[3], tile[3], tile_origin[3], tile_extent[3];
    amp_tile_barrier barrier;
} amp__tiled_index3;
#define amp_tiled_index1(T0) AMP__TILE(T0) amp__tiled_index1
#define amp_tiled_index2(T0, T1) AMP__TILE(T0, T1) amp__tiled_index2
#define amp_tiled_index3(T0, T1, T2) AMP__TILE(T0, T1, T2) amp__tiled_index3

/* Wait until all threads of the tile have arrived, and order their accesses to the named memory before and after. Every
 * thread of the tile must execute the same call. Only in kernels: host code cannot call these. */
void amp_tile_barrier_wait(amp_tile_barrier barrier) restrict(amp);
void amp_tile_barrier_wait_with_all_memory_fence(amp_tile_barrier barrier) restrict(amp);
void amp_tile_barrier_wait_with_global_memory_fence(amp_tile_barrier barrier) restrict(amp);
void amp_tile_barrier_wait_with_tile_static_memory_fence(amp_tile_barrier barrier) restrict(amp);

/* Order the calling thread's accesses to the named memory before and after, as the other threads of its tile see them.
 * They do not wait, and may stand in any control flow. Only in kernels. */
void amp_all_memory_fence(amp_tile_barrier barrier) restrict(amp);
void amp_global_memory_fence(amp_tile_barrier barrier) restrict(amp);
void amp_tile_static_memory_fence(amp_tile_barrier barrier) restrict(amp);

/* Whether the code runs on an accelerator, known at compile time: true in kernels and the functions that they call,
 * false on the host. Code that `if (amp_is_device())` keeps for the host may be any host code. Threads any. */
bool amp_is_device(void) restrict(cpu, amp);

/* Prints as printf does, to standard output, from a kernel or from the host. In a kernel `format` is a string literal,
 * and there are up to 30 arguments: numbers, pointers, and text for %s. The output of one call stays together; kernel
 * threads print in any order. Threads any. */
void amp_printf(const char *format, ...) restrict(cpu, amp) __attribute__((format(printf, 1, 2)));

/* Ends the calling thread of a kernel and makes the launch fail with AMP_ERROR_ABORTED. The error text names the kernel
 * and contains the `text` of the first thread that aborted. Barriers do not wait for this thread. Others may run, run
 * in part, or not run at all, and everything that the kernel writes is undefined. Only in kernels. */
void amp_abort(const char *text) restrict(amp) __attribute__((noreturn));

/* Atomic operations of kernels on elements of arrays, tile_static variables and anything else that a kernel's pointer
 * points to: integers of 32 and 64 bits, and for add, sub, min, max, exchange and compare_exchange also float and
 * double. Each returns the old value; compare_exchange stores `value` if `*dest` has the bits of `*expected`, puts the
 * old value into `*expected`, and returns whether it stored. min and max ignore a NaN, as fmin and fmax do. Operations
 * on one object have one order, the same for all threads; they do not order other accesses. What all threads do to one
 * element is combined first where nobody uses the results: docs/performance.md, "Sums of all threads".
 *
 *     T amp_atomic_fetch_add(T *dest, T value);      likewise _sub, _min, _max, _and, _or, _xor
 *     T amp_atomic_fetch_inc(T *dest);               adds 1; likewise _dec subtracts 1; integers only
 *     T amp_atomic_exchange(T *dest, T value);
 *     bool amp_atomic_compare_exchange(T *dest, T *expected, T value); */
#define amp_atomic_fetch_add(dest, value) (AMP__ATOMIC(dest), __atomic_fetch_add((dest), (value), __ATOMIC_RELAXED))
#define amp_atomic_fetch_sub(dest, value) (AMP__ATOMIC(dest), __atomic_fetch_sub((dest), (value), __ATOMIC_RELAXED))
#define amp_atomic_fetch_min(dest, value) (AMP__ATOMIC(dest), __atomic_fetch_min((dest), (value), __ATOMIC_RELAXED))
#define amp_atomic_fetch_max(dest, value) (AMP__ATOMIC(dest), __atomic_fetch_max((dest), (value), __ATOMIC_RELAXED))
#define amp_atomic_fetch_and(dest, value) (AMP__ATOMIC(dest), __atomic_fetch_and((dest), (value), __ATOMIC_RELAXED))
#define amp_atomic_fetch_or(dest, value) (AMP__ATOMIC(dest), __atomic_fetch_or((dest), (value), __ATOMIC_RELAXED))
#define amp_atomic_fetch_xor(dest, value) (AMP__ATOMIC(dest), __atomic_fetch_xor((dest), (value), __ATOMIC_RELAXED))
#define amp_atomic_fetch_inc(dest) (AMP__INTEGER(dest), amp_atomic_fetch_add((dest), 1))
#define amp_atomic_fetch_dec(dest) (AMP__INTEGER(dest), amp_atomic_fetch_sub((dest), 1))
#define amp_atomic_exchange(dest, value)                                                                               \
    __extension__({                                                                                                    \
        AMP__ATOMIC(dest);                                                                                             \
        __typeof__(*(dest)) amp__new = (value), amp__old;                                                              \
        __atomic_exchange((dest), &amp__new, &amp__old, __ATOMIC_RELAXED);                                             \
        amp__old;                                                                                                      \
    })
#define amp_atomic_compare_exchange(dest, expected, value)                                                             \
    __extension__({                                                                                                    \
        AMP__ATOMIC(dest);                                                                                             \
        __typeof__(*(dest)) amp__new = (value);                                                                        \
        __atomic_compare_exchange((dest), (expected), &amp__new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);           \
    })
#define AMP__ATOMIC(dest)                                                                                              \
    AMP__REQUIRE(sizeof(*(dest)) == 4 || sizeof(*(dest)) == 8, atomic_operations_need_32_or_64_bits)
#define AMP__INTEGER(dest)                                                                                             \
    AMP__REQUIRE(__builtin_classify_type(*(dest)) != 8, amp_atomic_fetch_inc_and_dec_need_an_integer)

/* A compile-time error that names `what` unless `condition` holds; C99 has no _Static_assert. */
#define AMP__REQUIRE(condition, what) ((void)sizeof(struct { int what : (condition) ? 1 : -1; }))

/* ------------------------------------------------------------------ errors ---- */

/* X(code, sentence): every status, its name and what it means. */
#define AMP_STATUS_LIST(X)                                                                                             \
    X(AMP_OK, "no error")                                                                                              \
    X(AMP_ERROR_INVALID_ARGUMENT, "an argument has a value that is not allowed")                                       \
    X(AMP_ERROR_NULL, "a handle or pointer is NULL")                                                                   \
    X(AMP_ERROR_INVALID_COMPUTE_DOMAIN, "the extent of a launch is empty, negative, or not divided by the tile")       \
    X(AMP_ERROR_SHAPE, "extents do not agree")                                                                         \
    X(AMP_ERROR_RANK, "ranks do not agree, or a rank is not supported")                                                \
    X(AMP_ERROR_TYPE, "element or argument types do not agree")                                                        \
    X(AMP_ERROR_READ_ONLY, "a read-only view is used for writing")                                                     \
    X(AMP_ERROR_OUT_OF_RANGE, "an index or section lies outside")                                                      \
    X(AMP_ERROR_BUSY, "the object is mapped or in use")                                                                \
    X(AMP_ERROR_NO_KERNEL, "the function is not a kernel compiled by ampcc, or has no code for the accelerator")       \
    X(AMP_ERROR_NO_ACCELERATOR, "there is no such accelerator")                                                        \
    X(AMP_ERROR_UNSUPPORTED_FEATURE, "the accelerator or this version does not support it")                            \
    X(AMP_ERROR_OUT_OF_MEMORY, "memory could not be allocated")                                                        \
    X(AMP_ERROR_ACCELERATOR_VIEW_REMOVED, "the device was lost or reset")                                              \
    X(AMP_ERROR_DEVICE, "the device or its driver failed")                                                             \
    X(AMP_ERROR_ABORTED, "a kernel called amp_abort")                                                                  \
    X(AMP_ERROR_CHECK, "the accelerator checked has found a mistake")                                                  \
    X(AMP_ERROR_INTERNAL, "a defect of libamp")                                                                        \
    X(AMP_ERROR_FILE, "a file cannot be opened, read or written, or is too short")

/* As large as int under -fshort-enums, too: the runtime is compiled without that option. */
#if defined __cplusplus || defined __clang__ || __GNUC__ >= 13
#define AMP__INT : int
#else
#define AMP__INT
#endif

#define AMP__STATUS_ENUM(code, sentence) code,
__extension__ typedef enum amp_status AMP__INT { AMP_STATUS_LIST(AMP__STATUS_ENUM) } amp_status;
#undef AMP__STATUS_ENUM

/* The name of `status`, such as "AMP_ERROR_SHAPE"; "unknown status" for a value that is none.
 * Returns a constant string. Threads any. */
const char *amp_status_name(amp_status status);

/* What `status` means, in one sentence. Returns a constant string. Threads any. */
const char *amp_status_text(amp_status status);

/* The status of the first error of the calling thread since its start or its last amp_error_clear.
 * Returns AMP_OK if there was none. Threads any; each has its own. */
amp_status amp_error_status(void);

/* The full text of that first error: the call, the kernel or argument, what was expected and what was found.
 * Returns "" if there was none; but after an amp_accelerator_find that found nothing, its text. Valid until
 *         amp_error_clear, the begin or end of a scope, or the thread's end.
 * Threads any; each has its own. */
const char *amp_error_text(void);

/* The status and the text of the calling thread's last failure: what to show for a call that has just failed, whatever
 * failed before. Successful calls do not change them.
 * Returns AMP_OK and "" if nothing has failed since the thread's start, the last amp_error_clear, or the last begin or
 *         end of a scope; the text is valid until the next failure.
 * Threads any; each has its own. */
amp_status amp_error_last_status(void);
const char *amp_error_last_text(void);

/* Forgets the calling thread's error, and its last failure. In a scope, what was before the scope is not forgotten.
 * Threads any; each has its own. */
void amp_error_clear(void);

/* What the calling thread's error was before a scope. The members are the library's. */
typedef struct amp_error_scope {
    amp_status status;
    char text[1024];
} amp_error_scope;

/* Begin and end a scope of errors. In it the thread has no error until a call fails there. Afterwards its error is what
 * it was before or, if it had none, the scope's; the scope's error is the last failure, too. Scopes may be nested.
 *
 *     amp_status twice(float *data, int n)
 *     {
 *         amp_error_scope scope = amp_error_begin();
 *         amp_auto_array_view *x = amp_array_view1(n, data);
 *         amp_parallel_for_each(amp_extent1(n), scale, 2.0f, x);
 *         amp_synchronize(x);
 *         return amp_error_end(&scope);
 *     }
 * A function that has dealt with a failure itself calls amp_error_clear.
 *
 * Returns what was before, for amp_error_end; and from that the status of the first error in the scope, AMP_OK if there
 *         was none.
 * Threads any; a scope ends on the thread on which it began. */
amp_error_scope amp_error_begin(void) __attribute__((__warn_unused_result__));
amp_status amp_error_end(const amp_error_scope *scope);

/* ------------------------------------------------------------------ ownership ---- */

/* A local variable declared with amp_auto_array_view, amp_auto_array, amp_auto_future or amp_auto_accelerator_view
 * releases its object at the end of its scope:
 *
 *     amp_auto_array_view *x = amp_array_view1(n, data);
 *
 * It does so on every way out of the scope except longjmp, exit and pthread_exit; variables declared later come first.
 * Whoever releases such an object earlier must set the variable to NULL: else it is released twice, and ampcc warns.
 * To return it, return amp_array_view_retain(x). */
#define AMP__AUTO(T) __attribute__((__cleanup__(amp__end_##T))) AMP__NO_LEAK T
#define AMP__AUTO_END(T)                                                                                               \
    static __inline__ __attribute__((__unused__)) void amp__end_##T(T **variable)                                      \
    {                                                                                                                  \
        T##_release(*variable);                                                                                        \
    }

/* Attributes for compilers and analysers (gcc -Wall and -fanalyzer, clang and clang --analyze), which then find what is
 * released twice, used after its release, or discarded. After a release they take the pointer for invalid. If another
 * reference is left, use the pointer that a _retain function returned for it. */
#if defined __GNUC__ && __GNUC__ >= 11 && !defined __clang__
#define AMP__OWNED(release) __attribute__((__warn_unused_result__, __malloc__(release, 1)))
#define AMP__RELEASES
#define AMP__NO_LEAK
#elif defined __clang_analyzer__ && __clang_major__ >= 18
#define AMP__OWNED(release) __attribute__((__ownership_returns__(malloc)))
#define AMP__RELEASES       __attribute__((__ownership_takes__(malloc, 1)))
#define AMP__NO_LEAK        __attribute__((__suppress__)) /* it does not know cleanups */
#else
#define AMP__OWNED(release) __attribute__((__warn_unused_result__))
#define AMP__RELEASES
#define AMP__NO_LEAK
#endif

/* ------------------------------------------------------------------ extent and index ---- */

#include "amp_index.h"

/* ------------------------------------------------------------------ accelerators ---- */

/* A device that runs kernels. Lives as long as the program; never released. */
typedef struct amp_accelerator amp_accelerator;

/* How the host accesses memory. */
__extension__ typedef enum amp_access_type AMP__INT {
    AMP_ACCESS_NONE = 0,
    AMP_ACCESS_READ = 1,
    AMP_ACCESS_WRITE = 2,
    AMP_ACCESS_READ_WRITE = 3,
    AMP_ACCESS_AUTO = 4
} amp_access_type;

/* What an accelerator is. Strings are UTF-8 and live as long as the program. */
typedef struct amp_accelerator_properties {
    const char *path;        /* the name to find it by: "cpu", "cuda:0", "null" */
    const char *description; /* for people: the processor's name, cores, ISA level */
    uint32_t version;        /* major in the upper 16 bits, minor in the lower */
    uint64_t dedicated_memory_bytes;
    int n_threads;   /* hardware threads it runs kernels on */
    const char *isa; /* the code that is chosen for kernels, such as "x86-64-v4"; a GPU's own architecture, "sm_90" */
    bool has_display;
    bool is_debug;
    bool is_emulated; /* does not compute at a device's speed (checked), or not at all (null) */
    bool supports_double_precision;
    bool supports_limited_double_precision;
    bool supports_cpu_shared_memory;
    amp_access_type default_cpu_access_type;
} amp_accelerator_properties;

/* The number of accelerators of this machine, at least 1. The accelerator `checked` counts only if, at the first
 * call of these functions, all kernels of the program have code for it; it can always be found by name. So can `all`,
 * which consists of others and never counts. Threads any. */
int amp_accelerator_count(void);

/* Which of the processes that mpirun has started this is. Begins MPI, unless the program has (docs/distributed.md).
 * Returns a number from 0; 0 without mpirun. Threads any. */
int amp_rank(void);

/* How many processes mpirun has started. Begins MPI like amp_rank.
 * Returns their number; 1 without mpirun. Threads any. */
int amp_rank_count(void);

/* The drivers and devices that cannot be used, with the reasons: a line for each, without a newline after the last one,
 * such as "cuda: libcuda.so.1: cannot open shared object file: No such file or directory".
 * Returns a string that lives as long as the program, "" if there is nothing to say. Threads any. */
const char *amp_accelerator_missing(void);

/* The accelerator with number `i`, from 0; the order does not change while the program runs.
 * Returns NULL with AMP_ERROR_OUT_OF_RANGE if there is none; otherwise borrowed for the program's life. Threads any. */
amp_accelerator *amp_accelerator_get(int i);

/* The accelerator with the path `path` ("cpu", "cuda:0", "null"; "default" is the default one).
 * Returns NULL if there is none. That is no error, unless this NULL is passed on as an accelerator, but the last
 * failure:
 *         amp_error_last_text lists the existing ones. NULL with AMP_ERROR_NULL if `path` is NULL.
 * Threads any. */
amp_accelerator *amp_accelerator_find(const char *path);

/* The default accelerator: the one that was set; else AMP_DEFAULT_ACCELERATOR; else the first GPU for which all kernels
 * of the program have code; else `cpu`. This call does not fix the default. Returns NULL with AMP_ERROR_NO_ACCELERATOR
 * if the variable names none. Threads any. */
amp_accelerator *amp_accelerator_default(void);

/* Makes the accelerator `path` the default of the process. Allowed once, and only before the first launch or view that
 * uses the default.
 * Returns AMP_OK; AMP_ERROR_BUSY if it is fixed already, AMP_ERROR_NO_ACCELERATOR if there is none (no change).
 * Threads any. */
amp_status amp_accelerator_set_default(const char *path);

/* The properties of `accelerator`.
 * Returns a struct that lives as long as the program; NULL with AMP_ERROR_NULL for NULL. Threads any. */
const amp_accelerator_properties *amp_accelerator_info(const amp_accelerator *accelerator);

/* Sets how the host may access arrays on `accelerator` that are made with AMP_ACCESS_AUTO; this becomes its
 * default_cpu_access_type. `access` AMP_ACCESS_AUTO changes nothing. Allowed once, before the first such array is made,
 * and while no other thread reads the properties.
 * Returns AMP_OK; AMP_ERROR_BUSY if it is fixed already, AMP_ERROR_UNSUPPORTED_FEATURE (the host cannot access its
 *         memory), AMP_ERROR_INVALID_ARGUMENT or AMP_ERROR_NULL (no change).
 * Threads any. */
amp_status amp_accelerator_set_default_cpu_access_type(amp_accelerator *accelerator, amp_access_type access);

/* ------------------------------------------------------------------ accelerator_view ---- */

/* An in-order queue on an accelerator: work takes effect in the order in which it was queued; queues are
 * independent. */
typedef struct amp_accelerator_view amp_accelerator_view;

/* Adds a reference. Returns `on`, also when it is NULL. Threads any, concurrently too. */
amp_accelerator_view *amp_accelerator_view_retain(amp_accelerator_view *on);

/* Drops a reference; NULL is allowed, and an accelerator's own queue stays. Work on the queue is still done: futures
 * keep their queue. Threads any, concurrently too. */
void amp_accelerator_view_release(amp_accelerator_view *on) AMP__RELEASES;
AMP__AUTO_END(amp_accelerator_view)
#define amp_auto_accelerator_view AMP__AUTO(amp_accelerator_view)

/* When a queue hands its work to the device: at once, or when the runtime chooses. */
__extension__ typedef enum amp_queuing_mode AMP__INT {
    AMP_QUEUING_MODE_IMMEDIATE,
    AMP_QUEUING_MODE_AUTOMATIC
} amp_queuing_mode;

/* What an accelerator_view is. */
typedef struct amp_accelerator_view_properties {
    amp_accelerator *accelerator; /* NULL for the auto-selection view */
    amp_queuing_mode queuing_mode;
    uint32_t version; /* the accelerator's */
    bool is_debug;    /* the accelerator's */
    bool is_auto_selection;
} amp_accelerator_view_properties;

/* The driver's own handle of the accelerator, for programs that also use the driver directly.
 * Returns it, borrowed for the program's life; NULL if there is none, as for `cpu`; NULL with AMP_ERROR_NULL for NULL.
 * Threads any. */
void *amp_accelerator_native_handle(amp_accelerator *accelerator);

/* The accelerator's own queue, whose queuing mode is automatic. It need not be released.
 * Returns it, borrowed for the program's life; NULL with AMP_ERROR_NULL for NULL. Threads any. */
amp_accelerator_view *amp_accelerator_default_view(amp_accelerator *accelerator);

/* Makes a further queue on `accelerator`, independent of all others.
 * Returns an accelerator_view with one reference, owned by the caller. NULL with AMP_ERROR_NULL,
 * AMP_ERROR_INVALID_ARGUMENT (there is no such mode), AMP_ERROR_OUT_OF_MEMORY or the device's failure. Threads any. */
amp_accelerator_view *amp_accelerator_create_view(amp_accelerator *accelerator, amp_queuing_mode mode)
    AMP__OWNED(amp_accelerator_view_release);

/* The queue that lets the runtime choose: a launch on it goes to the accelerator with current copies of the most bytes
 * of its arguments, or to the default one if there is none. In other calls it means the default accelerator's queue.
 * Returns it, borrowed for the program's life. Threads any. */
amp_accelerator_view *amp_accelerator_auto_selection_view(void);

/* The properties of `on`.
 * Returns a struct that lives as long as `on`; NULL with AMP_ERROR_NULL for NULL. Threads any. */
const amp_accelerator_view_properties *amp_accelerator_view_info(const amp_accelerator_view *on);

/* The accelerator of a queue; for the auto-selection view, the default one. Returns it, borrowed for the program's
 * life; NULL with AMP_ERROR_NULL for NULL. Threads any. */
amp_accelerator *amp_accelerator_view_accelerator(amp_accelerator_view *on);

/* The driver's own handle of the queue, for programs that also use the driver directly.
 * Returns it, borrowed as long as `on` lives; NULL if there is none, as for `cpu` and for some accelerators' own
 * queues; NULL with AMP_ERROR_NULL for NULL. Threads any. */
void *amp_accelerator_view_native_handle(amp_accelerator_view *on);

/* Hands the work on the queue to the device, if the device has not begun it yet.
 * Returns AMP_OK; AMP_ERROR_NULL; the device's failure. Threads any. Waits for nothing. */
amp_status amp_accelerator_view_flush(amp_accelerator_view *on);

/* Waits until all work queued before is done and its futures are ready. In a callback of amp_future_then it runs the
 * work of the callback's queue meanwhile.
 * Returns AMP_OK; AMP_ERROR_NULL; the first failure since the last wait that was not reported yet: of asynchronous work
 *         whose future was released without being asked, or of the release of a view; the device's failure;
 *         AMP_ERROR_ACCELERATOR_VIEW_REMOVED, once, in the child of a fork that lost work on the queue.
 * Threads any. */
amp_status amp_accelerator_view_wait(amp_accelerator_view *on);

/* ------------------------------------------------------------------ futures ---- */

/* The result of an asynchronous operation, available once it is done. */
typedef struct amp_future amp_future;

/* Adds a reference. Returns `future`, also when it is NULL. Threads any, concurrently too. */
amp_future *amp_future_retain(amp_future *future);

/* Drops a reference; NULL is allowed. The operation goes on and its callbacks will be called; an unreported failure is
 * kept for amp_accelerator_view_wait. Threads any, concurrently too. */
void amp_future_release(amp_future *future) AMP__RELEASES;
AMP__AUTO_END(amp_future)
#define amp_auto_future AMP__AUTO(amp_future)

/* Puts a marker on the queue.
 * Returns a future that is ready when all work queued before is done, including its callbacks; a callback of this same
 *         queue need not wait for the others. Owned by the caller; NULL with AMP_ERROR_NULL, AMP_ERROR_OUT_OF_MEMORY,
 *         or AMP_ERROR_ACCELERATOR_VIEW_REMOVED in the child of a fork.
 * Waits   for nothing, unless the queue is full.
 * Threads any. */
amp_future *amp_accelerator_view_create_marker(amp_accelerator_view *on) AMP__OWNED(amp_future_release);

/* Waits until the operation is done. In a callback of amp_future_then it runs the work of the callback's queue
 * meanwhile; elsewhere the calling thread may do work of the operation's queue instead of sleeping.
 * Returns the operation's status; if that is an error, its text becomes the calling thread's error, unless that has
 *         one. AMP_ERROR_NULL for NULL; AMP_ERROR_ACCELERATOR_VIEW_REMOVED if it was lost in a fork.
 * Threads any, concurrently too. */
amp_status amp_future_wait(amp_future *future);

/* Waits until the operation is done, but at most `seconds`; not at all if that is not positive. In a callback of
 * amp_future_then it runs at least one operation of the callback's queue meanwhile, and does not cut short one that has
 * begun.
 * Returns whether it is done; false with AMP_ERROR_NULL for NULL. Threads any, concurrently too. */
bool amp_future_wait_for(amp_future *future, double seconds);

/* Whether the operation is done. Returns false with AMP_ERROR_NULL for NULL. Threads any, concurrently too. */
bool amp_future_is_ready(const amp_future *future);

/* Returns the operation's status, which does not become the thread's error; AMP_ERROR_BUSY while it is not done,
 * AMP_ERROR_NULL for NULL. Threads any, concurrently too. */
amp_status amp_future_status(amp_future *future);

/* Arranges for callback(status, user) to be called once, when the operation is done: on the queue's thread, after
 * earlier callbacks, or at once on the calling thread if the operation is done already. Waiting for the future or its
 * queue does not wait for callbacks; waiting for a marker queued after the operation does. During the callback,
 * amp_error_text() is the text of a failure. It may call anything; until it returns, its queue starts nothing new,
 * unless the callback waits, and calls no other callback. It must return, and not end its thread (pthread_exit). The
 * queue's thread blocks all signals except faults; programs that the callback starts inherit this unless it unblocks
 * them.
 * Returns AMP_OK; AMP_ERROR_NULL; AMP_ERROR_OUT_OF_MEMORY, or AMP_ERROR_ACCELERATOR_VIEW_REMOVED if the operation was
 *         lost in a fork: the callback will not be called.
 * Threads any, concurrently too. */
amp_status amp_future_then(amp_future *future, void (*callback)(amp_status status, void *user), void *user);

/* ------------------------------------------------------------------ element types ---- */

__extension__ typedef enum amp_type AMP__INT {
    AMP_TYPE_NONE = 0,
    AMP_TYPE_BOOL,
    AMP_TYPE_I8,
    AMP_TYPE_U8,
    AMP_TYPE_I16,
    AMP_TYPE_U16,
    AMP_TYPE_I32,
    AMP_TYPE_U32,
    AMP_TYPE_I64,
    AMP_TYPE_U64,
    AMP_TYPE_F16,  /* _Float16 */
    AMP_TYPE_BF16, /* __bf16 */
    AMP_TYPE_F32,
    AMP_TYPE_F64,
    AMP_TYPE_STRUCT,     /* a struct or union, distinguished by size only */
    AMP_TYPE_VIEW,       /* only for arguments: an amp_array_view * */
    AMP_TYPE_POINTER,    /* only for arguments: any other pointer; an error in a launch, host memory in a copy */
    AMP_TYPE_ARRAY,      /* only for arguments: an amp_array * */
    AMP_TYPE_CONST_ARRAY /* only for arguments: a const amp_array *, which a kernel may only read */
} amp_type;

#define AMP__CASE_INT(T)                                                                                               \
    T:                                                                                                                 \
    (sizeof(T) == 8 ? ((T)-1 < (T)1 ? AMP_TYPE_I64 : AMP_TYPE_U64) : ((T)-1 < (T)1 ? AMP_TYPE_I32 : AMP_TYPE_U32))

/* Not every compiler has these types. */
#ifdef __FLT16_MANT_DIG__
#define AMP__CASE_F16 _Float16: AMP_TYPE_F16,
#else
#define AMP__CASE_F16
#endif
#if defined __BFLT16_MANT_DIG__ || (defined __FLT16_MANT_DIG__ && __clang_major__ >= 17 && !defined __s390x__)
#define AMP__CASE_BF16 __bf16: AMP_TYPE_BF16,
#else
#define AMP__CASE_BF16
#endif

/* The amp_type of an expression's value (not of a view). */
#define amp_type_of(x)                                                                                                 \
    __extension__ _Generic((x),                                                                                        \
        _Bool: AMP_TYPE_BOOL,                                                                                          \
        char: ((char)-1 < (char)1 ? AMP_TYPE_I8 : AMP_TYPE_U8),                                                        \
        signed char: AMP_TYPE_I8,                                                                                      \
        unsigned char: AMP_TYPE_U8,                                                                                    \
        short: AMP_TYPE_I16,                                                                                           \
        unsigned short: AMP_TYPE_U16,                                                                                  \
        AMP__CASE_INT(int),                                                                                            \
        AMP__CASE_INT(unsigned int),                                                                                   \
        AMP__CASE_INT(long),                                                                                           \
        AMP__CASE_INT(unsigned long),                                                                                  \
        AMP__CASE_INT(long long),                                                                                      \
        AMP__CASE_INT(unsigned long long),                                                                             \
        AMP__CASE_F16 AMP__CASE_BF16                                                                                   \
        float: AMP_TYPE_F32,                                                                                           \
        double: AMP_TYPE_F64,                                                                                          \
        default: AMP_TYPE_STRUCT)

/* The amp_type of values of the type T. */
#define AMP__TYPE_OF(T) amp_type_of(*(T *)0)

/* An element type with the alignment of its elements, in bytes, a power of two. The functions that make views and
 * arrays take this as well as a plain amp_type: they align storage to it, and check the caller's memory against it. For
 * numbers a plain amp_type suffices; for a struct with a plain type, only a launch checks the memory. Threads any. */
#define amp_type_aligned(type, align) ((amp_type)((int)(type) | (__builtin_ctzll(align) + 1) << AMP__TYPE_BITS))
enum { AMP__TYPE_BITS = 8 };
/* The same for the type T, and for an element's type. */
#define AMP__ELEMENT_TYPE(T)          amp_type_aligned(AMP__TYPE_OF(T), __alignof__(T))
#define AMP__ELEMENT_TYPE_OF(element) amp_type_aligned(amp_type_of(element), __alignof__(__typeof__(element)))

/* ------------------------------------------------------------------ array_view ---- */

/* A view of elements in row-major order, which are copied to the accelerators that use it. Its *home* is the storage
 * that it shares with all views made from it: host memory, an array's storage, or, without a source, memory wherever it
 * is first used. docs/coherence.md says what is copied when. */
typedef struct amp_array_view amp_array_view;

/* Adds a reference. Returns `view`, also when it is NULL. Threads any, concurrently too. */
amp_array_view *amp_array_view_retain(amp_array_view *view);

/* Drops a reference; NULL is allowed. Dropping the last one to a mapped view ends its mapping. Dropping the last one
 * over host memory copies back what the host's memory lacks. A failure of that copy, or of device work not yet waited
 * for, is not reported by this call but by amp_accelerator_view_wait for the accelerator_view that was used last. Call
 * amp_synchronize first. Threads any, concurrently too. */
void amp_array_view_release(amp_array_view *view) AMP__RELEASES;
AMP__AUTO_END(amp_array_view)
#define amp_auto_array_view AMP__AUTO(amp_array_view)

/* Makes a view of `extent` elements at `data`, which the view keeps. It starts in sync with that memory.
 *
 * extent     rank 1 to 8, every component positive, in elements.
 * data       dense, row-major, aligned as the elements are; at least the extent's size times `element_size` bytes.
 * read_only  kernels and the host may only read through the view.
 * Returns    a view with one reference, owned by the caller. NULL with AMP_ERROR_NULL, AMP_ERROR_RANK,
 *            AMP_ERROR_SHAPE (a component is not positive, or the size in bytes overflows), AMP_ERROR_TYPE (`type` and
 *            `element_size` do not agree), AMP_ERROR_INVALID_ARGUMENT (the data are less aligned than the elements)
 *            or AMP_ERROR_OUT_OF_MEMORY.
 * Threads    any. */
amp_array_view *amp_array_view_create(amp_extent extent, const void *data, amp_type type, size_t element_size,
                                      bool read_only) AMP__OWNED(amp_array_view_release);

/* The same for data of which `room` bytes exist from `data` on; SIZE_MAX: unknown. More elements than have room are
 * AMP_ERROR_OUT_OF_RANGE. Returns as above. Threads any. */
amp_array_view *amp_array_view_create_within(amp_extent extent, const void *data, size_t room, amp_type type,
                                             size_t element_size, bool read_only) AMP__OWNED(amp_array_view_release);

/* The same with the element type, its size and read-only (from `const`) taken from the pointer's type. Unless NDEBUG is
 * defined, also with the room, where the compiler knows the object: variables, and with optimisation also memory that
 * the function has allocated. In programs with AddressSanitizer all of them ask it about every byte of the view. */
#define amp_array_view1(e0, data) amp_array_view_n(amp_extent1(e0), data)
#define amp_array_view2(e0, e1, data) amp_array_view_n(amp_extent2(e0, e1), data)
#define amp_array_view3(e0, e1, e2, data) amp_array_view_n(amp_extent3(e0, e1, e2), data)
#define amp_array_view_n(extent, data)                                                                                 \
    amp_array_view_create_within((AMP__ELEMENTS(data), (extent)), (data), AMP__ROOM(data),                             \
                                 AMP__ELEMENT_TYPE_OF(*(data)), sizeof(*(data)), AMP__POINTS_TO_CONST(data))

/* The same for all of a C array, whose type has the shape: float A[1000] for _whole1, float A[3][2] for _whole2. What
 * is only a pointer, as a parameter of a function is, does not compile. */
#define amp_array_view_whole1(A)                                                                                       \
    (AMP__WHOLE(*(A)), amp_array_view1(AMP__LENGTH(A), (A)))
#define amp_array_view_whole2(A)                                                                                       \
    (AMP__WHOLE(**(A)), amp_array_view2(AMP__LENGTH(A), AMP__LENGTH(*(A)), *(A)))
#define amp_array_view_whole3(A)                                                                                       \
    (AMP__WHOLE(***(A)), amp_array_view3(AMP__LENGTH(A), AMP__LENGTH(*(A)), AMP__LENGTH(**(A)), **(A)))

#define AMP__WHOLE(element)                                                                                            \
    AMP__REQUIRE(__builtin_classify_type(element) != 5, the_array_has_another_rank_or_elements_that_are_pointers)
#define AMP__LENGTH(A) (AMP__REQUIRE(AMP__IS_ARRAY(A), this_is_a_pointer_and_not_an_array), sizeof(A) / sizeof(*(A)))
#define AMP__IS_ARRAY(A) (!__builtin_types_compatible_p(__typeof__(A), __typeof__(&*(A))))
#define AMP__ROOM(data) SIZE_MAX
#if !defined NDEBUG && defined __has_builtin
#if __has_builtin(__builtin_dynamic_object_size)
#undef AMP__ROOM
#define AMP__ROOM(data) __builtin_dynamic_object_size((data), 0)
#endif
#endif
#define AMP__ELEMENTS(data)                                                                                            \
    AMP__REQUIRE(__builtin_classify_type(*(data)) != 5, data_are_rows_or_pointers_so_pass_A_0_instead_of_A)
#define AMP__POINTS_TO_CONST(p)                                                                                        \
    __extension__ _Generic(1 ? (p) : (void *)(intptr_t)1,                                                              \
        const void *: true, const volatile void *: true, default: false)

/* Makes a view without a data source: its elements are undefined until they are written, and their storage is created
 * where they are first used. Nothing is copied to places that do not need it.
 *
 * Returns  an owned view; NULL with the errors of amp_array_view_create.
 * Threads  any. */
amp_array_view *amp_array_view_create_without_source(amp_extent extent, amp_type type, size_t element_size)
    AMP__OWNED(amp_array_view_release);

/* The same for elements of the type T. */
#define amp_array_view_without_source1(T, e0) amp_array_view_without_source_n(T, amp_extent1(e0))
#define amp_array_view_without_source2(T, e0, e1) amp_array_view_without_source_n(T, amp_extent2(e0, e1))
#define amp_array_view_without_source3(T, e0, e1, e2) amp_array_view_without_source_n(T, amp_extent3(e0, e1, e2))
#define amp_array_view_without_source_n(T, extent)                                                                     \
    amp_array_view_create_without_source((extent), AMP__ELEMENT_TYPE(T), sizeof(T))

/* What the view was made with. They return rank 0, AMP_TYPE_NONE, 0, false with AMP_ERROR_NULL for NULL. Threads
 * any. */
amp_extent amp_array_view_extent(const amp_array_view *view);
amp_type amp_array_view_type(const amp_array_view *view);
size_t amp_array_view_element_size(const amp_array_view *view);
bool amp_array_view_is_read_only(const amp_array_view *view);

/* Where the home is: the array's accelerator_view, or that of `cpu` for host memory.
 * Returns it, borrowed as long as the view lives; NULL with AMP_ERROR_NULL, or AMP_ERROR_INVALID_ARGUMENT for a view
 * without a source. Threads any. */
amp_accelerator_view *amp_array_view_source_accelerator_view(const amp_array_view *view);

/* A view of the box of `extent` elements at `origin` of `view`, whose own indices start at 0. It shares the home: what
 * is written through one is seen through the other. amp_array_view_section_from: all elements from `origin` on;
 * amp_array_view_section_to: those before `extent`.
 *
 * Returns  an owned view that keeps the home. NULL with AMP_ERROR_NULL, AMP_ERROR_RANK, AMP_ERROR_SHAPE (a component of
 *          `extent` is not positive), AMP_ERROR_OUT_OF_RANGE or AMP_ERROR_OUT_OF_MEMORY.
 * Threads  any. */
amp_array_view *amp_array_view_section(amp_array_view *view, amp_index origin, amp_extent extent)
    AMP__OWNED(amp_array_view_release);
amp_array_view *amp_array_view_section_from(amp_array_view *view, amp_index origin) AMP__OWNED(amp_array_view_release);
amp_array_view *amp_array_view_section_to(amp_array_view *view, amp_extent extent) AMP__OWNED(amp_array_view_release);
#define amp_array_view_section1(view, o0, e0) amp_array_view_section((view), amp_index1(o0), amp_extent1(e0))
#define amp_array_view_section2(view, o0, o1, e0, e1)                                                                  \
    amp_array_view_section((view), amp_index2(o0, o1), amp_extent2(e0, e1))
#define amp_array_view_section3(view, o0, o1, o2, e0, e1, e2)                                                          \
    amp_array_view_section((view), amp_index3(o0, o1, o2), amp_extent3(e0, e1, e2))

/* A view of the elements at `i` in the slowest dimension, without that dimension: a row of a matrix. It shares the
 * home.
 * Returns an owned view that keeps the home. NULL with AMP_ERROR_NULL, AMP_ERROR_RANK (of rank 1),
 *         AMP_ERROR_OUT_OF_RANGE or AMP_ERROR_OUT_OF_MEMORY.
 * Threads any. */
amp_array_view *amp_array_view_project(amp_array_view *view, int i) AMP__OWNED(amp_array_view_release);
amp_array_view *amp__array_view_project(amp_array_view *view, amp_index i)
    AMP__OWNED(amp_array_view_release); /* `i` may be a number of any type */

/* A view of the same bytes as elements of another type, of rank 1. The macro takes the type:
 * amp_array_view_reinterpret_as(view, float). It shares the home. Only views of rank 1 are certain to be contiguous.
 * Returns an owned view that keeps the home. NULL with AMP_ERROR_NULL, AMP_ERROR_TYPE, AMP_ERROR_RANK (not of rank 1),
 *         AMP_ERROR_SHAPE (the bytes are no whole number of elements, or too many), AMP_ERROR_INVALID_ARGUMENT (the
 *         bytes are less aligned than the type) or AMP_ERROR_OUT_OF_MEMORY.
 * Threads any. */
amp_array_view *amp_array_view_reinterpret(amp_array_view *view, amp_type type, size_t element_size)
    AMP__OWNED(amp_array_view_release);
#define amp_array_view_reinterpret_as(view, T) amp_array_view_reinterpret((view), AMP__ELEMENT_TYPE(T), sizeof(T))

/* A view of the first elements in another shape, which may have fewer elements. It shares the home.
 * Returns an owned view that keeps the home. NULL with AMP_ERROR_NULL, AMP_ERROR_RANK (`view` is not of rank 1, or the
 *         extent's is not supported), AMP_ERROR_SHAPE (it has more elements) or AMP_ERROR_OUT_OF_MEMORY.
 * Threads any. */
amp_array_view *amp_array_view_reshape(amp_array_view *view, amp_extent extent) AMP__OWNED(amp_array_view_release);

/* A read-only view of the same elements. It shares the home.
 * Returns an owned view that keeps the home; NULL with AMP_ERROR_NULL or AMP_ERROR_OUT_OF_MEMORY. Threads any. */
amp_array_view *amp_array_view_read_only(amp_array_view *view) AMP__OWNED(amp_array_view_release);

/* Says that the view's contents are not needed: the next use need not copy them in. Reading an element before it is
 * written gives an undefined value. For a section, only its elements are given up.
 * Returns AMP_OK; AMP_ERROR_NULL; AMP_ERROR_READ_ONLY; AMP_ERROR_BUSY if mapped (no change).
 * Threads one at a time per home. */
amp_status amp_discard_data(amp_array_view *view);

/* Brings the view up to date in its home, so that the host may read its memory directly, or an array has what was
 * written through a view of it elsewhere. For a section, only its elements are certain to be up to date. Forgetting
 * this happens to work on `cpu`, which uses host memory in place, but reads stale data elsewhere. Without a source
 * there is nothing to do.
 *
 * access  AMP_ACCESS_READ, as amp_synchronize; _WRITE: the view's memory is about to be overwritten: other copies of it
 *         become stale, and its contents are not copied back; _READ_WRITE: both.
 * Returns AMP_OK; AMP_ERROR_NULL; AMP_ERROR_INVALID_ARGUMENT (another access); AMP_ERROR_READ_ONLY; AMP_ERROR_BUSY if
 *         mapped for writing (no change); AMP_ERROR_OUT_OF_MEMORY or the cause of a failed copy (the contents in the
 *         home are then undefined, the accelerator's intact); AMP_ERROR_CHECK if the accelerator `checked` has found
 *         that this overwrites what the host has changed without amp_refresh (the view is up to date).
 * Waits   for kernels that write the view.
 * Threads one at a time per home. Cost none when the view is current. */
amp_status amp_synchronize(amp_array_view *view);
amp_status amp_synchronize_for(amp_array_view *view, amp_access_type access);

/* Does the same for the host's memory of one rank alone, which may then read it: a rank that writes a file, say. The
 * others' memory of the view is as before, so until amp_synchronize only that rank may read it. All ranks must make the
 * call (docs/distributed.md). The same as amp_synchronize without mpirun, and if the view's home is an array elsewhere.
 *
 * rank    from 0 to amp_rank_count() - 1, the same on all ranks.
 * Returns as amp_synchronize; AMP_ERROR_INVALID_ARGUMENT if there is no such rank (no change).
 * Waits   for kernels that write the view.
 * Threads one at a time per home. Cost one message for each box that is elsewhere, and none when it is current. */
amp_status amp_synchronize_at(amp_array_view *view, int rank);

/* The same for the memory of an accelerator_view, wherever the home is: copies data there before it is needed.
 * Returns as above, and AMP_ERROR_NULL if `on` is NULL. Threads one at a time per home. */
amp_status amp_synchronize_to(amp_array_view *view, amp_accelerator_view *on);
amp_status amp_synchronize_to_for(amp_array_view *view, amp_accelerator_view *on, amp_access_type access);

/* The same without waiting: runs after earlier work on the queue of the home, or on `on`, and after
 * earlier work on other queues that uses the home.
 * Returns a future, owned; NULL with the errors above or AMP_ERROR_OUT_OF_MEMORY, except that the future reports those
 *         of copies.
 * Threads one at a time per home. */
amp_future *amp_synchronize_async(amp_array_view *view) AMP__OWNED(amp_future_release);
amp_future *amp_synchronize_for_async(amp_array_view *view, amp_access_type access) AMP__OWNED(amp_future_release);
amp_future *amp_synchronize_to_async(amp_array_view *view, amp_accelerator_view *on) AMP__OWNED(amp_future_release);
amp_future *amp_synchronize_to_for_async(amp_array_view *view, amp_accelerator_view *on, amp_access_type access)
    AMP__OWNED(amp_future_release);

/* Says that the view's memory in its home was changed directly: drops all other copies of it. Nothing to do without a
 * source.
 * Returns AMP_OK; AMP_ERROR_NULL; AMP_ERROR_BUSY if mapped (no change); AMP_ERROR_OUT_OF_MEMORY.
 * Threads one at a time per home. */
amp_status amp_refresh(amp_array_view *view);

/* Makes the view's elements current on the host and returns a pointer to the first; rows of a section are as far apart
 * as in its home (amp_array_view_stride). Until amp_array_view_unmap no kernel may use the home.
 *
 * access   AMP_ACCESS_READ, AMP_ACCESS_WRITE (old contents are kept, too) or AMP_ACCESS_READ_WRITE.
 * Returns  the pointer, borrowed until the unmap; NULL with AMP_ERROR_NULL, AMP_ERROR_READ_ONLY,
 *          AMP_ERROR_INVALID_ARGUMENT, AMP_ERROR_BUSY (mapped already), AMP_ERROR_OUT_OF_MEMORY, or the cause of a
 *          failed copy (no change).
 * Threads  one at a time per home. */
void *amp_array_view_map(amp_array_view *view, amp_access_type access);

/* The same for elements that must be of this type. The macro takes the type and gives a pointer to it:
 * `const float *x = amp_array_view_map_as(view, const float, AMP_ACCESS_READ)`.
 * Returns  as above; NULL with AMP_ERROR_TYPE if the elements have another type, AMP_ERROR_INVALID_ARGUMENT if the
 *          memory is less aligned than the type.
 * Threads  one at a time per home. */
void *amp_array_view_map_typed(amp_array_view *view, amp_type type, size_t element_size, amp_access_type access);
#define amp_array_view_map_as(view, T, access)                                                                         \
    ((T *)amp_array_view_map_typed((view), AMP__ELEMENT_TYPE(T), sizeof(T), (access)))

/* Ends the mapping; after one for writing, the accelerators' copies of the view are stale.
 * Returns AMP_OK; AMP_ERROR_NULL; AMP_ERROR_INVALID_ARGUMENT if the view is not mapped; AMP_ERROR_OUT_OF_MEMORY.
 * Threads one at a time per home. */
amp_status amp_array_view_unmap(amp_array_view *view);

/* The box of a view that a rank has for itself. The boxes of all ranks make up the view, and no two have an element in
 * common: they are those of a launch over the view's extent in which each thread writes its element, if that came next.
 * So what such a launch has just written is in its rank's box. A view with few elements may leave ranks without a box.
 * Without mpirun, all of the view.
 *
 * rank    from 0 to amp_rank_count() - 1: also that of another rank.
 * Returns the box, in indices of the view; its extent is zero in each dimension if the rank has none; all zero with
 *         AMP_ERROR_NULL, or AMP_ERROR_INVALID_ARGUMENT if there is no such rank.
 * Threads one at a time per home. */
amp_box amp_array_view_local(const amp_array_view *view, int rank);

/* Does what amp_array_view_map does for this rank's box alone, amp_array_view_local(view, amp_rank()): gives the host
 * access to it where the rank computes, without bringing the rest of the view. All ranks must make the call, and
 * amp_array_view_unmap later (docs/distributed.md). The same as amp_array_view_map without mpirun.
 *
 * access   AMP_ACCESS_READ, AMP_ACCESS_WRITE (old contents are kept, too) or AMP_ACCESS_READ_WRITE.
 * Returns  a pointer to the box's first element, borrowed until amp_array_view_unmap; rows are as far apart as in the
 *          view's home (amp_array_view_stride). NULL without an error if the rank has no box; else as
 *          amp_array_view_map.
 * Threads  one at a time per home.
 * Cost     none if a launch has just written the boxes; messages between ranks for what is elsewhere; if the rank
 *          computes on a GPU, a copy of the box to the host, and after a mapping for writing one back. */
void *amp_array_view_map_local(amp_array_view *view, amp_access_type access);

/* Read all elements of a view from a file, and write them to one: as they are in memory, one after another in row-major
 * order, from byte `offset` of the file on. A file that is written is created if it is not there; what else it has
 * stays as it is. Under mpirun all ranks must make the call, for a file that all can reach: each rank moves its own box
 * (amp_array_view_local) between the file and where it computes, by MPI-IO, so no rank needs all of the view.
 *
 * view    also a section, whose elements follow one another in the file.
 * Returns AMP_OK; AMP_ERROR_NULL; AMP_ERROR_INVALID_ARGUMENT (a negative offset); AMP_ERROR_READ_ONLY; AMP_ERROR_BUSY
 *         if mapped; AMP_ERROR_OUT_OF_MEMORY; AMP_ERROR_FILE, on all ranks, with a text that has the file's name, the
 *         offset and the number of bytes: if a file cannot be opened or is too short, nothing has changed; if reading
 *         fails later, the view's contents are undefined, and if writing does, the file's.
 * Waits   for kernels that use the view; on ranks, for all of them.
 * Threads one at a time per home. */
amp_status amp_array_view_read(amp_array_view *view, const char *path, int64_t offset);
amp_status amp_array_view_write(amp_array_view *view, const char *path, int64_t offset);

struct _IO_FILE; /* FILE of <stdio.h>, which freestanding programs do not have */

/* Writes the elements to `file` as text, for people: a row on a line, numbers as %d and %g print them, and an empty
 * line between matrices. To see a part, print a section.
 * Returns AMP_OK; AMP_ERROR_NULL; AMP_ERROR_TYPE (structs), AMP_ERROR_BUSY (mapped for writing),
 * AMP_ERROR_OUT_OF_MEMORY,
 *         or the cause of a failed copy (nothing was written). Whether the file took it, ferror says.
 * Waits   for kernels that write the view.
 * Threads one at a time per home. */
amp_status amp_array_view_print(struct _IO_FILE *file, amp_array_view *view);

/* How many elements lie between neighbours along `dimension` in the home's memory; 0 for NULL or an absent dimension.
 * Threads any. */
ptrdiff_t amp_array_view_stride(const amp_array_view *view, int dimension);

/* ------------------------------------------------------------------ array ---- */

/* Storage for elements in row-major order on one accelerator_view, where it stays. Kernels use it in place there; to
 * use it elsewhere, make a view of it, or copy it. Two arrays never share storage. */
typedef struct amp_array amp_array;

/* Adds a reference. Returns `array`, also when it is NULL. Threads any, concurrently too. */
amp_array *amp_array_retain(amp_array *array);

/* Drops a reference; NULL is allowed. Dropping the last one to a mapped array ends its mapping. The storage lives on as
 * long as there are views of it. Threads any, concurrently too. */
void amp_array_release(amp_array *array) AMP__RELEASES;
AMP__AUTO_END(amp_array)
#define amp_auto_array AMP__AUTO(amp_array)

/* Makes an array of `extent` elements.
 *
 * extent      rank 1 to 8, every component positive, in elements.
 * data        dense, row-major, to be copied; NULL: the elements are undefined.
 * on          the accelerator_view where the array stays, kept; NULL: the default accelerator's own queue.
 * cpu_access  how the host may access the elements in place; AMP_ACCESS_AUTO: the accelerator's default. Anything but
 *             that and AMP_ACCESS_NONE needs supports_cpu_shared_memory.
 * Returns     an array with one reference, owned by the caller. NULL with AMP_ERROR_RANK, AMP_ERROR_SHAPE (a component
 *             is not positive, or the size in bytes overflows), AMP_ERROR_TYPE (`type` and `element_size` do not
 *             agree), AMP_ERROR_INVALID_ARGUMENT, AMP_ERROR_UNSUPPORTED_FEATURE (the access, or elements more
 *             aligned than the accelerator's memory), AMP_ERROR_NO_ACCELERATOR, AMP_ERROR_OUT_OF_MEMORY, or the
 *             device's failure.
 * Threads     any. */
amp_array *amp_array_create(amp_extent extent, amp_type type, size_t element_size, const void *data,
                            amp_accelerator_view *on, amp_access_type cpu_access) AMP__OWNED(amp_array_release);

/* The same for elements of the type T, or with the type taken from a pointer to the elements. */
#define amp_array1(T, e0) amp_array_n(T, amp_extent1(e0))
#define amp_array2(T, e0, e1) amp_array_n(T, amp_extent2(e0, e1))
#define amp_array3(T, e0, e1, e2) amp_array_n(T, amp_extent3(e0, e1, e2))
#define amp_array_n(T, extent) amp_array_on(T, extent, NULL, AMP_ACCESS_AUTO)
#define amp_array_on(T, extent, on, cpu_access)                                                                        \
    amp_array_create((extent), AMP__ELEMENT_TYPE(T), sizeof(T), NULL, (on), (cpu_access))
#define amp_array_from1(e0, data) amp_array_from_n(amp_extent1(e0), data)
#define amp_array_from2(e0, e1, data) amp_array_from_n(amp_extent2(e0, e1), data)
#define amp_array_from3(e0, e1, e2, data) amp_array_from_n(amp_extent3(e0, e1, e2), data)
#define amp_array_from_n(extent, data) amp_array_from_on(extent, data, NULL, AMP_ACCESS_AUTO)
#define amp_array_from_on(extent, data, on, cpu_access)                                                                \
    amp_array_create((AMP__ELEMENTS(data), (extent)), AMP__ELEMENT_TYPE_OF(*(data)), sizeof(*(data)), (data), (on),    \
                     (cpu_access))

/* Makes an array with the shape and the elements of `view`.
 * Returns an owned array; NULL with AMP_ERROR_NULL, AMP_ERROR_BUSY (the view is mapped for writing), or the errors of
 *         amp_array_create.
 * Threads one at a time per home of the view. */
amp_array *amp_array_from_view(amp_array_view *view, amp_accelerator_view *on, amp_access_type cpu_access)
    AMP__OWNED(amp_array_release);

/* Makes a staging array: a transfer buffer in host memory, which the host may map, for copies to and from arrays on
 * `associated`. Kernels on an accelerator with its own memory cannot use it.
 *
 * The memory is ordinary, not pinned: copies to and from a GPU pass through pinned memory of the library.
 *
 * on          an accelerator_view of `cpu`, kept; NULL means the default one of `cpu`.
 * associated  the other end, kept; NULL: the default accelerator's own queue.
 * Returns     an owned array; NULL with AMP_ERROR_INVALID_ARGUMENT (`on` has its own memory), or the errors of
 *             amp_array_create.
 * Threads     any; for a view, one at a time per home. */
amp_array *amp_array_create_staging(amp_extent extent, amp_type type, size_t element_size, const void *data,
                                    amp_accelerator_view *on, amp_accelerator_view *associated)
    AMP__OWNED(amp_array_release);
amp_array *amp_array_staging_from_view(amp_array_view *view, amp_accelerator_view *on, amp_accelerator_view *associated)
    AMP__OWNED(amp_array_release);
#define amp_array_staging(T, extent, on, associated)                                                                   \
    amp_array_create_staging((extent), AMP__ELEMENT_TYPE(T), sizeof(T), NULL, (on), (associated))
#define amp_array_staging_from(extent, data, on, associated)                                                           \
    amp_array_create_staging((AMP__ELEMENTS(data), (extent)), AMP__ELEMENT_TYPE_OF(*(data)), sizeof(*(data)), (data),  \
                             (on), (associated))

/* Makes an array from existing memory of `on`'s accelerator: a device's pointer, or host memory for `cpu`. Nothing is
 * copied; the array keeps the memory and does not free it. The last release of the array and its views copies back what
 * was written elsewhere.
 * Returns an owned array; NULL with AMP_ERROR_NULL (`memory`), AMP_ERROR_INVALID_ARGUMENT (it is less aligned than the
 *         elements), or the errors of amp_array_create.
 * Threads any. */
amp_array *amp_array_wrap(amp_extent extent, amp_type type, size_t element_size, void *memory, amp_accelerator_view *on)
    AMP__OWNED(amp_array_release);
#define amp_array_wrap_on(extent, memory, on)                                                                          \
    amp_array_wrap((AMP__ELEMENTS(memory), (extent)), AMP__ELEMENT_TYPE_OF(*(memory)), sizeof(*(memory)), (memory),    \
                   (on))

/* Makes an array like `array`, on the same accelerator_view and with the same elements.
 * Returns an owned array; NULL with AMP_ERROR_NULL, AMP_ERROR_BUSY (it is mapped for writing), or the errors of
 *         amp_array_create.
 * Threads one at a time per array. */
amp_array *amp_array_clone(amp_array *array) AMP__OWNED(amp_array_release);

/* What the array was made with; AMP_ACCESS_AUTO is resolved. They return rank 0, AMP_TYPE_NONE, 0, AMP_ACCESS_NONE with
 * AMP_ERROR_NULL for NULL. Threads any. */
amp_extent amp_array_extent(const amp_array *array);
amp_type amp_array_type(const amp_array *array);
size_t amp_array_element_size(const amp_array *array);
amp_access_type amp_array_cpu_access_type(const amp_array *array);

/* Where the array lives; and the other end of a staging array, which for any other array is again where it lives.
 * Returns it, borrowed as long as the array lives; NULL with AMP_ERROR_NULL for NULL. Threads any. */
amp_accelerator_view *amp_array_accelerator_view(const amp_array *array);
amp_accelerator_view *amp_array_associated_accelerator_view(const amp_array *array);

/* Gives the host a pointer to the elements of an array that it may access in place: an array on `cpu`, a staging array,
 * or one made with such an access. Until amp_array_unmap no kernel and no copy may use it.
 *
 * access   AMP_ACCESS_READ, AMP_ACCESS_WRITE (old contents are kept, too) or AMP_ACCESS_READ_WRITE.
 * Returns  the pointer, borrowed until the unmap; NULL with AMP_ERROR_NULL, AMP_ERROR_UNSUPPORTED_FEATURE (the host
 *          cannot reach it), AMP_ERROR_READ_ONLY or AMP_ERROR_INVALID_ARGUMENT (it was made for another access),
 *          AMP_ERROR_BUSY (mapped already), or the cause of a failed copy (no change).
 * Waits    for copies and kernels that use the array.
 * Threads  one at a time per array and its views. */
void *amp_array_map(amp_array *array, amp_access_type access);

/* The same for elements that must be of this type, as amp_array_view_map_typed and amp_array_view_map_as do it for a
 * view. Returns as there. Threads as above. */
void *amp_array_map_typed(amp_array *array, amp_type type, size_t element_size, amp_access_type access);
#define amp_array_map_as(array, T, access)                                                                             \
    ((T *)amp_array_map_typed((array), AMP__ELEMENT_TYPE(T), sizeof(T), (access)))

/* Ends the mapping.
 * Returns AMP_OK; AMP_ERROR_NULL; AMP_ERROR_INVALID_ARGUMENT if the array is not mapped.
 * Threads one at a time per array and its views. */
amp_status amp_array_unmap(amp_array *array);

/* The array's memory as a handle of its accelerator's driver; for `cpu`, a pointer. The memory is made current first;
 * after writing to it, call amp_refresh on a view of the array.
 * Returns it, borrowed as long as the array lives; NULL with AMP_ERROR_NULL, AMP_ERROR_BUSY (it is mapped), or the
 *         cause of a failed copy.
 * Threads one at a time per array and its views. */
void *amp_array_native_handle(amp_array *array);

/* A view of the whole array, read-only for a const one. It keeps the array's storage.
 * Returns an owned view; NULL with AMP_ERROR_NULL or AMP_ERROR_OUT_OF_MEMORY. Threads any. */
amp_array_view *amp_array_as_view(amp_array *array) AMP__OWNED(amp_array_view_release);
amp_array_view *amp_array_as_const_view(const amp_array *array) AMP__OWNED(amp_array_view_release);

/* Views of an array's part, row, elements of another type, or another shape, as amp_array_view_section, _project,
 * _reinterpret and _reshape make them from a view. An array is contiguous whatever its rank.
 * Returns an owned view that keeps the array's storage; NULL with the errors there. Threads any. */
amp_array_view *amp_array_section(amp_array *array, amp_index origin, amp_extent extent)
    AMP__OWNED(amp_array_view_release);
amp_array_view *amp_array_project(amp_array *array, int i) AMP__OWNED(amp_array_view_release);
amp_array_view *amp__array_project(amp_array *array, amp_index i)
    AMP__OWNED(amp_array_view_release); /* `i` may be a number of any type */
amp_array_view *amp_array_reinterpret(amp_array *array, amp_type type, size_t element_size)
    AMP__OWNED(amp_array_view_release);
amp_array_view *amp_array_reshape(amp_array *array, amp_extent extent) AMP__OWNED(amp_array_view_release);
AMP__TEMPLATE(amp_array_view *amp_array_view_project(amp_array_view *view, _Ap i),
              amp__array_view_project(view, amp_index_make1(i)))
AMP__TEMPLATE(amp_array_view *amp_array_project(amp_array *array, _Ap i), amp__array_project(array, amp_index_make1(i)))
#ifndef __cplusplus
#define amp_array_view_project(view, i) amp__array_view_project((view), amp_index1(i))
#define amp_array_project(array, i)     amp__array_project((array), amp_index1(i))
#endif
#define amp_array_reinterpret_as(array, T) amp_array_reinterpret((array), AMP__ELEMENT_TYPE(T), sizeof(T))

/* ------------------------------------------------------------------ copy ---- */

/* Copies all elements of `source` to `destination`; each is an amp_array *, an amp_array_view * or a pointer to dense
 * host memory, and at most one of them is such a pointer. amp_copy_from and amp_copy_to take the number of elements in
 * host memory, which is checked.
 *
 *     amp_status amp_copy(destination, source);
 *     amp_status amp_copy_from(destination, const T *data, n_elements);
 *     amp_status amp_copy_to(T *data, source, n_elements);
 * The destination comes first, as in memcpy. amp_copy_to also takes the source first, as it did once: the host
 * memory is the destination either way.
 *
 * destination  not const, not a read-only view. In a section, only its elements change.
 * Returns      AMP_OK; AMP_ERROR_NULL, AMP_ERROR_RANK, AMP_ERROR_SHAPE (extents, or the number, differ), AMP_ERROR_TYPE
 *              (void * fits any), AMP_ERROR_READ_ONLY, AMP_ERROR_INVALID_ARGUMENT (two pointers), AMP_ERROR_BUSY (a
 *              side is mapped) (no change); AMP_ERROR_OUT_OF_MEMORY or the cause of a failed copy (the destination's
 *              elements are undefined).
 * Waits        for kernels that write the source or use the destination.
 * Threads      one at a time per home. */
#define amp_copy(destination, source) amp_copy_operands(AMP__DESTINATION(destination), AMP__OPERAND(source))
#define amp_copy_from(destination, data, n_elements)                                                                   \
    amp_copy_operands(AMP__DESTINATION(destination), AMP__COUNTED(data, n_elements))
#define amp_copy_to(data, source, n_elements)                                                                          \
    amp__copy_to((AMP__WRITABLE_IF_MEMORY(data), AMP__OPERAND(data)),                                                  \
                 (AMP__WRITABLE_IF_MEMORY(source), AMP__OPERAND(source)), AMP__NUMBERS(AMP__NUMBER(n_elements)))

/* The same without waiting: runs after earlier work on the queue of the array, if one side is an array, and after
 * earlier work on other queues that uses the homes. Host memory is kept, and may not be touched, until the future is
 * ready; views and arrays may be released.
 *
 *     amp_future *amp_copy_async(destination, source);
 *     amp_future *amp_copy_from_async(destination, const T *data, n_elements);
 *     amp_future *amp_copy_to_async(T *data, source, n_elements);
 * Returns  a future, owned; NULL with the errors above (no change), except that the future reports those of copies. */
#define amp_copy_async(destination, source)                                                                            \
    amp_copy_operands_async(AMP__DESTINATION(destination), AMP__OPERAND(source))
#define amp_copy_from_async(destination, data, n_elements)                                                             \
    amp_copy_operands_async(AMP__DESTINATION(destination), AMP__COUNTED(data, n_elements))
#define amp_copy_to_async(data, source, n_elements)                                                                    \
    amp__copy_to_async((AMP__WRITABLE_IF_MEMORY(data), AMP__OPERAND(data)),                                            \
                       (AMP__WRITABLE_IF_MEMORY(source), AMP__OPERAND(source)), AMP__NUMBERS(AMP__NUMBER(n_elements)))

/* Copies one element to host memory: amp_get(sums, amp_index1(0), &sum).
 *
 *     amp_status amp_get(source, amp_index index, T *value);
 * source   an amp_array *, or an amp_array_view *.
 * Returns  AMP_OK; AMP_ERROR_RANK or AMP_ERROR_OUT_OF_RANGE for the index, or an error of amp_copy. After any error but
 *          that of a failed copy, `value` is unchanged.
 * Waits    for kernels that write the source.
 * Threads  one at a time per home.
 * Cost     a copy of one element. For many, use amp_copy_to or amp_array_view_map. */
#define amp_get(source, index, value)                                                                                  \
    amp_get_operand(AMP__OPERAND(source), (index), (AMP__WRITABLE(value), AMP__OPERAND(value)))

/* One side of a copy, as the macros make it. */
typedef struct amp_operand {
    amp_type kind;       /* AMP_TYPE_ARRAY, AMP_TYPE_VIEW, or AMP_TYPE_POINTER: host memory */
    amp_type type;       /* of host memory: of its elements; AMP_TYPE_NONE: unknown */
    size_t element_size; /* of host memory */
    int64_t n_elements;  /* of host memory; AMP_UNCOUNTED: unknown, assumed to be enough */
    const void *object;
} amp_operand;
#define AMP_UNCOUNTED INT64_MIN
#define AMP__MISCOUNTED (INT64_MIN + 1) /* a number that exceeds int64_t: `type` and `element_size` hold it */

/* The macros call these; for other languages and generated code. They return what amp_copy, amp_copy_async and amp_get
 * return. Threads one at a time per home. */
amp_status amp_copy_operands(amp_operand destination, amp_operand source);
amp_future *amp_copy_operands_async(amp_operand destination, amp_operand source) AMP__OWNED(amp_future_release);
amp_status amp_get_operand(amp_operand source, amp_index index, amp_operand value);

/* Copy to the one of the two that is host memory, with `n_elements` elements. Returns as above. Threads as above. */
amp_status amp__copy_to(amp_operand data, amp_operand source, amp__numbers n_elements);
amp_future *amp__copy_to_async(amp_operand data, amp_operand source, amp__numbers n_elements)
    AMP__OWNED(amp_future_release);

/* `memory` with `n_elements` elements. Threads any. */
amp_operand amp__counted(amp_operand memory, amp__numbers n_elements);

#define AMP__DESTINATION(x) (AMP__WRITABLE(x), AMP__OPERAND(x))
#define AMP__WRITABLE(x) AMP__REQUIRE(!AMP__POINTS_TO_CONST(x), the_destination_of_a_copy_is_const)
#define AMP__WRITABLE_IF_MEMORY(x)                                                                                     \
    AMP__REQUIRE(AMP__OPERAND_KIND(x) != AMP_TYPE_POINTER || !AMP__POINTS_TO_CONST(x),                                 \
                 the_destination_of_a_copy_is_const)
#define AMP__COUNTED(x, n)  amp__counted(AMP__OPERAND(x), AMP__NUMBERS(AMP__NUMBER(n)))
#define AMP__OPERAND(x)                                                                                                \
    ((amp_operand){AMP__OPERAND_KIND(x), AMP__MEMORY_TYPE(x),                                                          \
                   (AMP__ELEMENTS(AMP__MEMORY_POINTER(x)), sizeof(*AMP__MEMORY_POINTER(x))), AMP_UNCOUNTED, (x)})
#define AMP__OPERAND_KIND(x)                                                                                           \
    __extension__ _Generic((x),                                                                                        \
        amp_array_view *: AMP_TYPE_VIEW,                                                                               \
        const amp_array_view *: AMP_TYPE_VIEW,                                                                         \
        amp_array *: AMP_TYPE_ARRAY,                                                                                   \
        const amp_array *: AMP_TYPE_ARRAY,                                                                             \
        default: AMP_TYPE_POINTER)
#define AMP__MEMORY_TYPE(x)                                                                                            \
    __extension__ _Generic((x),                                                                                        \
        void *: AMP_TYPE_NONE,                                                                                         \
        const void *: AMP_TYPE_NONE,                                                                                   \
        default: amp_type_of(*AMP__MEMORY_POINTER(x)))
/* `x` if it points to elements, which the handles of objects do not. */
#define AMP__MEMORY_POINTER(x)                                                                                         \
    __extension__ _Generic((x),                                                                                        \
        amp_array_view *: (char *)0,                                                                                   \
        const amp_array_view *: (char *)0,                                                                             \
        amp_array *: (char *)0,                                                                                        \
        const amp_array *: (char *)0,                                                                                  \
        void *: (char *)0,                                                                                             \
        const void *: (char *)0,                                                                                       \
        default: (x))

/* ------------------------------------------------------------------ parallel_for_each ---- */

/* Any kernel's address. */
typedef void (*amp_kernel)(void);

/* The size of a tiled kernel's tile, for amp_extent_pad: amp_tile_extent(mxm_tiled).
 * Returns rank 0 with AMP_ERROR_NULL, AMP_ERROR_NO_KERNEL, or AMP_ERROR_INVALID_ARGUMENT if it is not tiled.
 * Threads any. */
amp_extent amp_kernel_tile_extent(amp_kernel kernel);
#define amp_tile_extent(kernel) amp_kernel_tile_extent((amp_kernel)(kernel))

/* An argument of a launch, as the macros below make it. `value` points to a copy of the argument. */
typedef struct amp_arg {
    amp_type type;
    size_t size_bytes;
    const void *value;
} amp_arg;

/* Runs `kernel` once for every point of `extent`: amp_parallel_for_each on the default accelerator's own queue,
 * amp_parallel_for_each_on on `on` (NULL means the default, too).
 *
 *     amp_status amp_parallel_for_each(amp_extent extent, kernel, args...);
 *     amp_status amp_parallel_for_each_on(amp_accelerator_view *on, amp_extent extent, kernel, args...);
 *
 * extent   rank of the kernel's index; every component positive and, for a tiled kernel, a multiple of the tile's.
 * args     one for each parameter of the kernel after the index, in order, except those that are array bounds: an
 *          amp_array_view * or amp_array * for an array, a number for a number, a struct for a struct. Up to 31. A
 *          const amp_array * is for reading only. Numbers convert as in C, but an integer that does not fit and a
 *          fraction for an integer are errors. A compound literal needs parentheses around it because of its commas:
 *          ((struct point){1, 2}).
 * Holds    borrows the views for the call.
 * Returns  AMP_OK; or one of these errors, after which nothing ran, and whose text names kernel, place, argument, what
 *          was expected and what was found: AMP_ERROR_NO_KERNEL, AMP_ERROR_INVALID_COMPUTE_DOMAIN,
 *          AMP_ERROR_INVALID_ARGUMENT (their number, memory that is less aligned than the kernel's elements, or
 *          separate views of memory that overlaps, one of them written), AMP_ERROR_TYPE, AMP_ERROR_RANK,
 *          AMP_ERROR_SHAPE, AMP_ERROR_READ_ONLY, AMP_ERROR_NULL, AMP_ERROR_BUSY, AMP_ERROR_OUT_OF_MEMORY,
 *          AMP_ERROR_OUT_OF_RANGE (an array is too small for what the kernel would certainly touch over this extent),
 *          AMP_ERROR_UNSUPPORTED_FEATURE (sections of one home that overlap, one of them written, whose rows lie
 *          apart), AMP_ERROR_NO_ACCELERATOR (there is no default), AMP_ERROR_ACCELERATOR_VIEW_REMOVED (the process is
 *          ending). AMP_ERROR_ABORTED or the device's failure mean that something did run, and what the kernel may have
 *          written is undefined on the device.
 * Waits    until the kernel has run, or is queued on a device: later calls that use the views wait for it there, and
 *          see its results. A failure of the device after this call has returned is reported by the first that waits.
 * Threads  any, concurrently too, as long as no two launches at once write the same home, or one writes what the other
 *          reads. */
#define amp_parallel_for_each(extent, ...) amp_parallel_for_each_on(NULL, extent, __VA_ARGS__)
#define amp_parallel_for_each_on(on, extent, ...)                                                        \
    AMP__CAT(AMP__LAUNCH_, AMP__IS_ONE(__VA_ARGS__))(amp_launch, on, extent, __VA_ARGS__)

/* Does the same without waiting: checks everything now, puts the launch on the queue, and returns. The launch runs
 * after earlier work on its queue, and after asynchronous operations submitted before, on any queue, that write what it
 * uses or use what it writes. The views' other functions, and launches that are not asynchronous, wait for it if they
 * must. So the results are those of a program that waits at once.
 *
 *     amp_future *amp_parallel_for_each_async(amp_extent extent, kernel, args...);
 *     amp_future *amp_parallel_for_each_on_async(amp_accelerator_view *on, amp_extent extent, kernel, args...);
 * Holds    the homes of the views until it has run: their last release waits. The views themselves may be released.
 * Returns  a future, owned by the caller, with the status of the launch once it has run. NULL with an error of the
 *          arguments as above, AMP_ERROR_OUT_OF_MEMORY, or in the child of a fork AMP_ERROR_ACCELERATOR_VIEW_REMOVED:
 *          nothing will run.
 * Waits    only if there are 16384 operations on the queue already, until one of them is done.
 * Threads  as above. */
#define amp_parallel_for_each_async(extent, ...) amp_parallel_for_each_on_async(NULL, extent, __VA_ARGS__)
#define amp_parallel_for_each_on_async(on, extent, ...)                                                  \
    AMP__CAT(AMP__LAUNCH_, AMP__IS_ONE(__VA_ARGS__))(amp_launch_async, on, extent, __VA_ARGS__)

/* The macros call these; for other languages and generated code. `args` are `n_args` arguments, borrowed for the call.
 * Returns as above. Threads as above. */
amp_status amp_launch(amp_accelerator_view *on, amp_extent extent, amp_kernel kernel, int n_args, const amp_arg *args);
amp_future *amp_launch_async(amp_accelerator_view *on, amp_extent extent, amp_kernel kernel, int n_args,
                             const amp_arg *args) AMP__OWNED(amp_future_release);

/* Launches a closure of C++; <amp.h> of C++ calls it. Returns as amp_launch. Threads as above. */
amp_status amp_launch_closure(amp_accelerator_view *accelerator_view, amp_extent extent, amp_kernel kernel,
                              const void *closure, size_t size_bytes);

/* The state of the host's copy of the home of a view or an array, which changes as the home is used: 3 if the host may
 * read and write all elements, 2 if it may read them. Otherwise the host must map the view or the array first. For
 * <amp.h> of C++.
 * Returns a pointer that is valid as long as `handle`; NULL with AMP_ERROR_NULL or AMP_ERROR_INVALID_ARGUMENT.
 * Threads any. */
const volatile unsigned char *amp__host_state(const void *handle);

/* Takes the thread's error, so that it has none afterwards. For <amp.h> of C++.
 * Returns the error's text in the words of C++, or that of `status` if it has none; valid until the thread's next call.
 * Threads any. */
const char *amp__error_in_cpp(amp_status status);

/* Makes launches fail that capture the array: for those on the accelerator "cpu" of C++ AMP, which runs no kernels. For
 * <amp.h> of C++. Does nothing with NULL.
 * Threads any, before the array is used. */
void amp__array_store_only(amp_array *array);

#define AMP__LAUNCH_MANY(...) AMP_ERROR_a_launch_passes_at_most_31_arguments
#define AMP__LAUNCH_1(launch, on, extent, kernel) launch((on), (extent), (amp_kernel)(kernel), 0, NULL)
#define AMP__LAUNCH_0(launch, on, extent, kernel, ...)                                                                 \
    launch((on), (extent), (amp_kernel)(kernel), AMP__COUNT(__VA_ARGS__),                                              \
           (const amp_arg[]){AMP__CAT(AMP__EACH_, AMP__COUNT(__VA_ARGS__))(__VA_ARGS__)})

/* One argument: its type, and a copy of it that lives until the end of the block. */
#define AMP__ARG(x) {AMP__ARG_TYPE(x), sizeof(AMP__VALUE_TYPE(x)), (AMP__VALUE_TYPE(x)[1]){(x)}}
#define AMP__VALUE_TYPE(x) __typeof__(((void)0, (x)))
#define AMP__ARG_TYPE(x)                                                                                               \
    __extension__ _Generic((x),                                                                                        \
        amp_array_view *: AMP_TYPE_VIEW,                                                                               \
        const amp_array_view *: AMP_TYPE_VIEW,                                                                         \
        amp_array *: AMP_TYPE_ARRAY,                                                                                   \
        const amp_array *: AMP_TYPE_CONST_ARRAY,                                                                       \
        default: __builtin_classify_type(x) == 5 ? AMP_TYPE_POINTER : amp_type_of(x))

#define AMP__CAT(a, b) AMP__CAT_(a, b)
#define AMP__CAT_(a, b) a##b
/* How many arguments there are, and whether there is exactly one, or more than 32 (the kernel and 31 others). */
#define AMP__COUNT(...) AMP__PICK(__VA_ARGS__, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, \
    46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19,    \
    18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define AMP__IS_ONE(...) AMP__PICK(__VA_ARGS__, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY,      \
    MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY,  \
    MANY, MANY, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0)
#define AMP__PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, _21, _22, \
                  _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, _34, _35, _36, _37, _38, _39, _40, _41, _42,  \
                  _43, _44, _45, _46, _47, _48, _49, _50, _51, _52, _53, _54, _55, _56, _57, _58, _59, _60, _61, _62,  \
                  _63, _64, n, ...) n

#define AMP__EACH_1(x) AMP__ARG(x)
#define AMP__EACH_2(x, ...) AMP__ARG(x), AMP__EACH_1(__VA_ARGS__)
#define AMP__EACH_3(x, ...) AMP__ARG(x), AMP__EACH_2(__VA_ARGS__)
#define AMP__EACH_4(x, ...) AMP__ARG(x), AMP__EACH_3(__VA_ARGS__)
#define AMP__EACH_5(x, ...) AMP__ARG(x), AMP__EACH_4(__VA_ARGS__)
#define AMP__EACH_6(x, ...) AMP__ARG(x), AMP__EACH_5(__VA_ARGS__)
#define AMP__EACH_7(x, ...) AMP__ARG(x), AMP__EACH_6(__VA_ARGS__)
#define AMP__EACH_8(x, ...) AMP__ARG(x), AMP__EACH_7(__VA_ARGS__)
#define AMP__EACH_9(x, ...) AMP__ARG(x), AMP__EACH_8(__VA_ARGS__)
#define AMP__EACH_10(x, ...) AMP__ARG(x), AMP__EACH_9(__VA_ARGS__)
#define AMP__EACH_11(x, ...) AMP__ARG(x), AMP__EACH_10(__VA_ARGS__)
#define AMP__EACH_12(x, ...) AMP__ARG(x), AMP__EACH_11(__VA_ARGS__)
#define AMP__EACH_13(x, ...) AMP__ARG(x), AMP__EACH_12(__VA_ARGS__)
#define AMP__EACH_14(x, ...) AMP__ARG(x), AMP__EACH_13(__VA_ARGS__)
#define AMP__EACH_15(x, ...) AMP__ARG(x), AMP__EACH_14(__VA_ARGS__)
#define AMP__EACH_16(x, ...) AMP__ARG(x), AMP__EACH_15(__VA_ARGS__)
#define AMP__EACH_17(x, ...) AMP__ARG(x), AMP__EACH_16(__VA_ARGS__)
#define AMP__EACH_18(x, ...) AMP__ARG(x), AMP__EACH_17(__VA_ARGS__)
#define AMP__EACH_19(x, ...) AMP__ARG(x), AMP__EACH_18(__VA_ARGS__)
#define AMP__EACH_20(x, ...) AMP__ARG(x), AMP__EACH_19(__VA_ARGS__)
#define AMP__EACH_21(x, ...) AMP__ARG(x), AMP__EACH_20(__VA_ARGS__)
#define AMP__EACH_22(x, ...) AMP__ARG(x), AMP__EACH_21(__VA_ARGS__)
#define AMP__EACH_23(x, ...) AMP__ARG(x), AMP__EACH_22(__VA_ARGS__)
#define AMP__EACH_24(x, ...) AMP__ARG(x), AMP__EACH_23(__VA_ARGS__)
#define AMP__EACH_25(x, ...) AMP__ARG(x), AMP__EACH_24(__VA_ARGS__)
#define AMP__EACH_26(x, ...) AMP__ARG(x), AMP__EACH_25(__VA_ARGS__)
#define AMP__EACH_27(x, ...) AMP__ARG(x), AMP__EACH_26(__VA_ARGS__)
#define AMP__EACH_28(x, ...) AMP__ARG(x), AMP__EACH_27(__VA_ARGS__)
#define AMP__EACH_29(x, ...) AMP__ARG(x), AMP__EACH_28(__VA_ARGS__)
#define AMP__EACH_30(x, ...) AMP__ARG(x), AMP__EACH_29(__VA_ARGS__)
#define AMP__EACH_31(x, ...) AMP__ARG(x), AMP__EACH_30(__VA_ARGS__)

/* ------------------------------------------------------------------ older names ---- */

/* What amp_array_as_view, amp_array_as_const_view, amp_array_reshape and amp_array_view_reshape were called. Return the
 * same. Threads any. */
amp_array_view *amp_array_view_of(amp_array *array) AMP__OWNED(amp_array_view_release);
amp_array_view *amp_array_view_of_const(const amp_array *array) AMP__OWNED(amp_array_view_release);
amp_array_view *amp_array_view_as(amp_array *array, amp_extent extent) AMP__OWNED(amp_array_view_release);
amp_array_view *amp_array_view_view_as(amp_array_view *view, amp_extent extent) AMP__OWNED(amp_array_view_release);
#define amp_array_view_of       amp_array_as_view
#define amp_array_view_of_const amp_array_as_const_view
#define amp_array_view_as       amp_array_reshape
#define amp_array_view_view_as  amp_array_view_reshape

#ifdef __cplusplus
#pragma pop_macro("restrict")
}
#endif

#pragma pack(pop)

#endif
