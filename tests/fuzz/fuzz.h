/* SPDX-License-Identifier: MIT
 *
 * What a generated program (generate/) needs besides its kernels. The program is compiled twice, and both objects are
 * linked: by ampcc, which makes kernels and a main; and by another compiler at -O0 with FUZZ_REFERENCE, for which the
 * same text is plain C, called once per thread. The threads of a tile are coroutines there, and a barrier is a switch
 * to the next of them, so nothing that ampcc does to barriers, lanes and masks is repeated in the reference.
 *
 * Both versions get equal arrays, between pages that cannot be accessed, and must leave equal bits behind. NaNs count
 * as equal: which one an operation returns depends on the order of its operands, which C leaves open. */
#pragma once

#include <amp.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#include <amp_math.h>

/* The words of C for those of C++ AMP. */
using namespace concurrency;
using namespace concurrency::precise_math;
#define amp_tile_barrier                                       tile_barrier
#define amp_tile_barrier_wait(b)                               (b).wait()
#define amp_tile_barrier_wait_with_all_memory_fence(b)         (b).wait_with_all_memory_fence()
#define amp_tile_barrier_wait_with_global_memory_fence(b)      (b).wait_with_global_memory_fence()
#define amp_tile_barrier_wait_with_tile_static_memory_fence(b) (b).wait_with_tile_static_memory_fence()
#define amp_atomic_fetch_add                                   atomic_fetch_add
#define amp_atomic_fetch_sub                                   atomic_fetch_sub
#define amp_atomic_fetch_min                                   atomic_fetch_min
#define amp_atomic_fetch_max                                   atomic_fetch_max
#define amp_atomic_fetch_and                                   atomic_fetch_and
#define amp_atomic_fetch_or                                    atomic_fetch_or
#define amp_atomic_fetch_xor                                   atomic_fetch_xor
#define amp_atomic_exchange                                    atomic_exchange
#define amp_atomic_compare_exchange                            atomic_compare_exchange
#define rint                                                   nearbyint
#define rintf                                                  nearbyintf
#endif

/* ---- what kernels use ---- */

/* Structs without padding, since all bits are compared. */
struct s_ff {
    float m0, m1;
};
struct s_fff {
    float m0, m1, m2;
};
struct s_ffff {
    float m0, m1, m2, m3;
};
struct s_ii {
    int32_t m0, m1;
};
struct s_if {
    int32_t m0;
    float m1;
};
struct s_dd {
    double m0, m1;
};
struct s_dif {
    double m0;
    int32_t m1;
    float m2;
};
struct s_hhhh {
    int16_t m0, m1, m2, m3;
};
struct s_bbbb {
    uint8_t m0, m1, m2, m3;
};
struct s_bbhf {
    uint8_t m0, m1;
    uint16_t m2;
    float m3;
};
struct s_lul {
    int64_t m0;
    uint32_t m1, m2;
};
struct s_ee {
    _Float16 m0, m1;
};
struct s_EeEe {
    __bf16 m0;
    _Float16 m1;
    __bf16 m2;
    _Float16 m3;
};
struct s_eEi {
    _Float16 m0;
    __bf16 m1;
    int32_t m2;
};

#ifdef FUZZ_REFERENCE
#define K(name) ref_##name
#else
#define K(name) name
#endif

/* Conversions from floating point that are defined for every value. */
#define FUZZ_CONVERSION(name, from, to, low, high)                                                                     \
    static inline to name(from x) restrict(amp)                                                                        \
    {                                                                                                                  \
        return x >= (from)(low) && x <= (from)(high) ? (to)x : (to)3;                                                  \
    }
#define FUZZ_CONVERSIONS(name, from)                                                                                   \
    FUZZ_CONVERSION(name##_to_i8, from, int8_t, -128, 127)                                                             \
    FUZZ_CONVERSION(name##_to_u8, from, uint8_t, 0, 255)                                                               \
    FUZZ_CONVERSION(name##_to_i16, from, int16_t, -32768, 32767)                                                       \
    FUZZ_CONVERSION(name##_to_u16, from, uint16_t, 0, 65535)                                                           \
    FUZZ_CONVERSION(name##_to_i32, from, int32_t, -2e9, 2e9)                                                           \
    FUZZ_CONVERSION(name##_to_u32, from, uint32_t, 0, 4e9)                                                             \
    FUZZ_CONVERSION(name##_to_i64, from, int64_t, -9e18, 9e18)                                                         \
    FUZZ_CONVERSION(name##_to_u64, from, uint64_t, 0, 18e18)
FUZZ_CONVERSIONS(f32, float)
FUZZ_CONVERSIONS(f64, double)

/* The same for any NaN, and for zeros of either sign. */
static inline float sign_f32(float x, float y) restrict(amp)
{
    return copysignf(x, y == y ? y : 1.0f);
}
static inline double sign_f64(double x, double y) restrict(amp)
{
    return copysign(x, y == y ? y : 1.0);
}
static inline float least_f32(float x, float y) restrict(amp)
{
    return fminf(x, y) + 0.0f;
}
static inline double least_f64(double x, double y) restrict(amp)
{
    return fmin(x, y) + 0.0;
}

/* Not 0, of which an atomic minimum or maximum with one of the other sign may keep either. */
static inline float nonzero_f32(float x) restrict(amp)
{
    return x == 0 ? 1.0f : x;
}
static inline double nonzero_f64(double x) restrict(amp)
{
    return x == 0 ? 1.0 : x;
}

/* ---- one kernel and its launches ---- */

struct fuzz_array {
    const char *members; /* a letter per member: c C h H i I l L f d as for printf; ? is _Bool, e _Float16, E __bf16 */
    bool read_only;
    int rank;
};

typedef void fuzz_reference(const int *extent, const int *D, void *const *arrays);

struct fuzz_kernel {
    unsigned long seed;
    int rank, n_launches, n_arrays;
    const int (*launches)[6]; /* D0 to D2, and the extent */
    const struct fuzz_array *arrays;
    void (*shape)(const int *D, int (*dims)[3]);
    amp_status (*launch)(amp_extent extent, amp_array_view **views);
    fuzz_reference *reference;
    fuzz_reference *cpp; /* instead of `launch`, in C++ AMP */
};

#ifdef FUZZ_REFERENCE
/* ---- the reference: every thread is a coroutine ---- */

#include <ucontext.h>

struct fuzz_index {
    int global[3], local[3], tile[3], tile_origin[3];
};
typedef void fuzz_thread(const struct fuzz_index *index, const int *D, void *const *arrays);

enum { FUZZ_MAX_TILE = 1024, FUZZ_STACK = 32768 };
static struct fuzz_coroutine {
    ucontext_t context;
    struct fuzz_index index;
    bool done;
} fuzz_coroutines[FUZZ_MAX_TILE];
static ucontext_t fuzz_tile_context;
static struct fuzz_coroutine *fuzz_current;
static fuzz_thread *fuzz_body;
static const int *fuzz_D;
static void *const *fuzz_arrays;

/* Threads run one after the other, so an atomic operation is a plain one. */
#undef amp_atomic_fetch_add
#undef amp_atomic_fetch_sub
#undef amp_atomic_fetch_min
#undef amp_atomic_fetch_max
#undef amp_atomic_fetch_and
#undef amp_atomic_fetch_or
#undef amp_atomic_fetch_xor
#undef amp_atomic_exchange
#undef amp_atomic_compare_exchange
#define FUZZ_ATOMIC(dest, value, result)                                                                               \
    __extension__({                                                                                                    \
        __typeof__(dest) place = (dest);                                                                               \
        __typeof__(*place) old = *place, new = (value);                                                                \
        *place = (result);                                                                                             \
        old;                                                                                                           \
    })
#define FUZZ_WIDE(x)                                                                                                   \
    _Generic((x), int32_t : (uint32_t)(x), int64_t : (uint64_t)(x), default : (x)) /* does not overflow */
#define amp_atomic_fetch_add(dest, value) FUZZ_ATOMIC(dest, value, (__typeof__(old))(FUZZ_WIDE(old) + FUZZ_WIDE(new)))
#define amp_atomic_fetch_sub(dest, value) FUZZ_ATOMIC(dest, value, (__typeof__(old))(FUZZ_WIDE(old) - FUZZ_WIDE(new)))
#define FUZZ_IS_NUMBER(x)                 (!__builtin_isnan((double)(x)))
#define amp_atomic_fetch_min(dest, value) FUZZ_ATOMIC(dest, value, new < old || !FUZZ_IS_NUMBER(old) ? new : old)
#define amp_atomic_fetch_max(dest, value) FUZZ_ATOMIC(dest, value, new > old || !FUZZ_IS_NUMBER(old) ? new : old)
#define amp_atomic_fetch_and(dest, value) FUZZ_ATOMIC(dest, value, old &new)
#define amp_atomic_fetch_or(dest, value)  FUZZ_ATOMIC(dest, value, old | new)
#define amp_atomic_fetch_xor(dest, value) FUZZ_ATOMIC(dest, value, old ^ new)
#define amp_atomic_exchange(dest, value)  FUZZ_ATOMIC(dest, value, new)
#define amp_atomic_compare_exchange(dest, expected, value)                                                             \
    __extension__({                                                                                                    \
        __typeof__(dest) place = (dest), expect = (expected);                                                          \
        __typeof__(*place) old = *place, new = (value);                                                                \
        bool same = memcmp(&old, expect, sizeof old) == 0;                                                             \
        *place = same ? new : old;                                                                                     \
        *expect = old;                                                                                                 \
        same;                                                                                                          \
    })

#define amp_tile_barrier_wait(b)                               fuzz_barrier()
#define amp_tile_barrier_wait_with_all_memory_fence(b)         fuzz_barrier()
#define amp_tile_barrier_wait_with_global_memory_fence(b)      fuzz_barrier()
#define amp_tile_barrier_wait_with_tile_static_memory_fence(b) fuzz_barrier()
static inline void fuzz_barrier(void)
{
    swapcontext(&fuzz_current->context, &fuzz_tile_context);
}

static void fuzz_start(void)
{
    fuzz_body(&fuzz_current->index, fuzz_D, fuzz_arrays);
    fuzz_current->done = true;
    swapcontext(&fuzz_current->context, &fuzz_tile_context);
}

/* Runs all threads of an extent, tile by tile; `tile` is NULL for an untiled kernel. */
static void fuzz_run(int rank, const int *extent, const int *tile, fuzz_thread *thread, const int *D,
                     void *const *arrays)
{
    static char *stacks;
    if (!stacks)
        stacks = malloc((size_t)FUZZ_MAX_TILE * FUZZ_STACK);
    int e[3] = {1, 1, 1}, t[3] = {1, 1, 1};
    for (int d = 0; d < rank; d++) {
        e[d] = extent[d];
        t[d] = tile ? tile[d] : 1;
    }
    fuzz_body = thread, fuzz_D = D, fuzz_arrays = arrays;
    int n_threads = t[0] * t[1] * t[2], n_tiles = e[0] / t[0] * (e[1] / t[1]) * (e[2] / t[2]);
    for (int at = 0; at < n_tiles; at++) {
        int tiles[3] = {at / (e[2] / t[2]) / (e[1] / t[1]), at / (e[2] / t[2]) % (e[1] / t[1]), at % (e[2] / t[2])};
        for (int n = 0; n < n_threads; n++) {
            struct fuzz_index *index = &fuzz_coroutines[n].index;
            int local[3] = {n / t[2] / t[1], n / t[2] % t[1], n % t[2]};
            for (int d = 0; d < 3; d++) {
                index->local[d] = local[d], index->tile[d] = tiles[d];
                index->tile_origin[d] = tiles[d] * t[d];
                index->global[d] = index->tile_origin[d] + local[d];
            }
            if (!tile) {
                thread(index, D, arrays);
                continue;
            }
            fuzz_coroutines[n].done = false;
            getcontext(&fuzz_coroutines[n].context);
            fuzz_coroutines[n].context.uc_stack.ss_sp = stacks + (size_t)n * FUZZ_STACK;
            fuzz_coroutines[n].context.uc_stack.ss_size = FUZZ_STACK;
            makecontext(&fuzz_coroutines[n].context, fuzz_start, 0);
        }
        for (int running = tile ? n_threads : 0; running;) {
            running = 0;
            for (int n = 0; n < n_threads; n++) {
                fuzz_current = &fuzz_coroutines[n];
                if (!fuzz_current->done)
                    swapcontext(&fuzz_tile_context, &fuzz_current->context);
                running += !fuzz_current->done;
            }
            if (running && running < n_threads) {
                fprintf(stderr, "the generator is wrong: only %d of %d threads are at a barrier\n", running, n_threads);
                exit(70);
            }
        }
    }
}

#elif !defined __cplusplus
/* ---- the program that compares ---- */

#include <sys/mman.h>
#include <unistd.h>

static uint64_t fuzz_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t fuzz_member_size(char member)
{
    return strchr("?cC", member) ? 1 : strchr("hHeE", member) ? 2 : strchr("iIf", member) ? 4 : 8;
}

static amp_type fuzz_type(const char *members)
{
    static const char letters[] = "?cChHiIlLeEfd";
    return members[1] ? AMP_TYPE_STRUCT : (amp_type)(AMP_TYPE_BOOL + (strchr(letters, members[0]) - letters));
}

/* Memory that ends, or begins, where a page ends that must not be accessed. */
static void *fuzz_memory(size_t n_bytes, bool at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = (n_bytes + page - 1) / page * page;
    char *memory = mmap(NULL, n + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, n, PROT_READ | PROT_WRITE)) {
        perror("mmap");
        exit(70);
    }
    return memory + page + (at_end ? n - n_bytes : 0);
}

static void fuzz_free(void *memory, size_t n_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = (n_bytes + page - 1) / page * page;
    munmap((char *)((uintptr_t)memory / page * page) - page, n + 2 * page);
}

static void fuzz_fill(char *at, char member, uint64_t *state)
{
    uint64_t r = fuzz_random(state), value = r >> 8;
    double real = (double)(int64_t)(value % 2001) / 8 - 125;
    if ((r & 7) == 0)
        real *= 1e9;
    else if ((r & 7) == 1)
        real = (double)(value % 65) - 32;
    else if ((r & 0xff) == 2)
        real = (value & 1) ? INFINITY : (value & 2) ? (double)NAN : -0.0;
    if ((r & 7) > 3)
        value %= 100;
    float single = (float)real;
    _Float16 half = (_Float16)real;
    __bf16 bfloat = (__bf16)real;
    uint8_t truth = value & 1;
    if (member == 'd')
        memcpy(at, &real, sizeof real);
    else if (member == 'f')
        memcpy(at, &single, sizeof single);
    else if (member == 'e')
        memcpy(at, &half, sizeof half);
    else if (member == 'E')
        memcpy(at, &bfloat, sizeof bfloat);
    else
        memcpy(at, member == '?' ? (void *)&truth : (void *)&value, fuzz_member_size(member));
}

/* A floating-point member; 0 for others. */
static double fuzz_real(const char *at, char member)
{
    _Float16 half;
    __bf16 bfloat;
    float single;
    double real = 0;
    if (member == 'e')
        memcpy(&half, at, sizeof half), real = half;
    else if (member == 'E')
        memcpy(&bfloat, at, sizeof bfloat), real = bfloat;
    else if (member == 'f')
        memcpy(&single, at, sizeof single), real = single;
    else if (member == 'd')
        memcpy(&real, at, sizeof real);
    return real;
}

static bool fuzz_equal(const char *a, const char *b, char member)
{
    return memcmp(a, b, fuzz_member_size(member)) == 0 || (isnan(fuzz_real(a, member)) && isnan(fuzz_real(b, member)));
}

static void fuzz_print(const char *at, char member)
{
    uint64_t bits = 0;
    memcpy(&bits, at, fuzz_member_size(member));
    printf("0x%llx", (unsigned long long)bits);
    if (strchr("eEfd", member))
        printf(" (%.17g)", fuzz_real(at, member));
}

static bool fuzz_launch(const struct fuzz_kernel *k, const int *launch)
{
    enum { MAX_ARRAYS = 16 };
    int dims[MAX_ARRAYS][3];
    size_t n_bytes[MAX_ARRAYS], size[MAX_ARRAYS];
    void *actual[MAX_ARRAYS], *expected[MAX_ARRAYS];
    amp_array_view *views[MAX_ARRAYS];
    k->shape(launch, dims);
    uint64_t state = k->seed;
    for (int a = 0; a < k->n_arrays; a++) {
        const char *members = k->arrays[a].members;
        size[a] = 0;
        for (const char *m = members; *m; m++)
            size[a] += fuzz_member_size(*m);
        n_bytes[a] = size[a];
        for (int d = 0; d < k->arrays[a].rank; d++)
            n_bytes[a] *= (size_t)dims[a][d];
        bool at_end = fuzz_random(&state) & 1;
        actual[a] = fuzz_memory(n_bytes[a], at_end), expected[a] = fuzz_memory(n_bytes[a], at_end);
        char *at = actual[a];
        for (size_t i = 0; i < n_bytes[a] / size[a]; i++)
            for (const char *m = members; *m; at += fuzz_member_size(*m++))
                fuzz_fill(at, *m, &state);
        memcpy(expected[a], actual[a], n_bytes[a]);
        views[a] = k->cpp ? NULL
                          : amp_array_view_create(amp_extent_n(k->arrays[a].rank, dims[a]), actual[a],
                                                  fuzz_type(members), size[a], k->arrays[a].read_only);
    }
    k->reference(launch + 3, launch, expected);
    if (k->cpp)
        k->cpp(launch + 3, launch, actual);
    bool good = k->cpp || k->launch(amp_extent_n(k->rank, launch + 3), views) == AMP_OK;
    for (int a = 0; good && !k->cpp && a < k->n_arrays; a++)
        good = amp_synchronize(views[a]) == AMP_OK;
    if (!good)
        printf("%lu: %s\n", k->seed, amp_error_text());
    for (int a = 0; a < k->n_arrays; a++) {
        const char *x = actual[a], *y = expected[a];
        for (size_t i = 0; good && i < n_bytes[a] / size[a]; i++)
            for (const char *m = k->arrays[a].members; *m; x += fuzz_member_size(*m), y += fuzz_member_size(*m), m++)
                if (good && !fuzz_equal(x, y, *m)) {
                    printf("%lu: D %d %d %d, extent %d %d %d: a%d, element %zu of", k->seed, launch[0], launch[1],
                           launch[2], launch[3], launch[4], launch[5], a, i);
                    for (int d = 0; d < k->arrays[a].rank; d++)
                        printf(" %d", dims[a][d]);
                    printf(", member %d: expected ", (int)(m - k->arrays[a].members));
                    fuzz_print(y, *m);
                    printf(", got ");
                    fuzz_print(x, *m);
                    printf("\n");
                    good = false;
                }
        amp_array_view_release(views[a]);
        fuzz_free(actual[a], n_bytes[a]), fuzz_free(expected[a], n_bytes[a]);
    }
    return good;
}

/* Runs every launch of every kernel; says where the first difference of each is. Returns main's status. */
static int fuzz_main(const struct fuzz_kernel *kernels, int n_kernels)
{
    int n_bad = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < n_kernels; i++) {
        bool good = true;
        for (int l = 0; l < kernels[i].n_launches && good; l++)
            good = fuzz_launch(&kernels[i], kernels[i].launches[l]);
        n_bad += !good;
    }
    return n_bad > 0;
}
#endif
