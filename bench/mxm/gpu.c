/* SPDX-License-Identifier: MIT */
#include "../gpu/gpu.h"
#include "kernel.h"

#include <dlfcn.h>

/* The sample's kernel. */
#define main sgemm_main
#include "../../samples/sgemm.c"
#undef main

static struct data ma, mb, mc;
static amp_array_view *va, *vb, *vc;
static int size;

static void make_views(void)
{
    va = rows(&ma, size, size), vb = rows(&mb, size, size), vc = rows(&mc, size, size);
}
static void set_up_size(int n_rows)
{
    size = is_check ? 256 : n_rows;
    size_t n = (size_t)size * (size_t)size;
    ma = floats(n, random_floats(n, -1, 1)), mb = floats(n, random_floats(n, -1, 1)), mc = floats(n, NULL);
    make_views();
}
static void set_up(void)
{
    set_up_size(4096);
}
static void set_up_int(void)
{
    size = is_check ? 256 : 4096;
    size_t n = (size_t)size * (size_t)size;
    int *a = new_array(n * sizeof *a), *b = new_array(n * sizeof *b);
    for (size_t i = 0; i < n; i++)
        a[i] = small((uint32_t)i ^ seed), b[i] = small(~(uint32_t)i ^ seed);
    ma = ints(n, a), mb = ints(n, b), mc = ints(n, NULL);
    make_views();
}
/* A few thousand elements all over the matrix. */
#define MXM_VERIFY(T, tolerance)                                                                                       \
    static void verify_##T(void)                                                                                       \
    {                                                                                                                  \
        const T *a = ma.host, *b = mb.host;                                                                            \
        T *c = new_array(mc.size_bytes);                                                                               \
        fetch(&mc, c);                                                                                                 \
        for (size_t i = 0; i < mc.n; i += 1 + mc.n / 4099) {                                                           \
            size_t row = i / (size_t)size, col = i % (size_t)size;                                                     \
            double sum = 0;                                                                                            \
            for (size_t k = 0; k < (size_t)size; k++)                                                                  \
                sum += (double)a[row * (size_t)size + k] * (double)b[k * (size_t)size + col];                          \
            expect((double)c[i], sum, tolerance, i);                                                                   \
        }                                                                                                              \
        store(&mc, NULL); /* the next one must write all of it */                                                      \
        free(c);                                                                                                       \
    }
MXM_VERIFY(float, 4e-6 * size)
MXM_VERIFY(int, 0)

#define MXM(name, kernel, tile_x, tile_y)                                                                              \
    static void name##_ours(void)                                                                                      \
    {                                                                                                                  \
        amp_parallel_for_each_on(on, amp_extent2(size, size), kernel, va, vb, vc);                                     \
    }                                                                                                                  \
    static void name##_peer(void)                                                                                      \
    {                                                                                                                  \
        launch_peer(#name, blocks(size, tile_x), blocks(size, tile_y), tile_x, tile_y,                                 \
                    (void *[]){&size, &size, &size, &ma.memory, &mb.memory, &mc.memory});                              \
    }
MXM(mxm_simple, simple_float, 32, 8)
MXM(mxm_simple_int, simple_int, 32, 8)
MXM(mxm_tiled, tiled16_float, 16, 16)
MXM(mxm_tiled_int, tiled16_int, 16, 16)
MXM(mxm_tiled8, tiled8_float, 8, 8)
MXM(mxm_tiled32, tiled32_float, 32, 32)

static void sgemm_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent2(size / PER, size / PER), sgemm, va, vb, vc);
}
static int (*cublas_sgemm)(void *, int, int, int, int, int, const float *, const void *, int, const void *, int,
                           const float *, void *, int);
static void *cublas;

static const char *find_cublas(void)
{
    static const char *const names[] = {"libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (!library)
        return "libcublas.so";
    int (*create)(void **), (*set_stream)(void *, CUstream), (*set_mode)(void *, int);
    *(void **)&create = dlsym(library, "cublasCreate_v2");
    *(void **)&set_stream = dlsym(library, "cublasSetStream_v2");
    *(void **)&set_mode = dlsym(library, "cublasSetMathMode");
    *(void **)&cublas_sgemm = dlsym(library, "cublasSgemm_v2");
    enum { CUBLAS_PEDANTIC_MATH = 2 }; /* no TF32 */
    if (!create || !set_stream || !set_mode || !cublas_sgemm || create(&cublas) || set_stream(cublas, stream) ||
        set_mode(cublas, CUBLAS_PEDANTIC_MATH))
        die("cuBLAS does not start");
    return NULL;
}
static void sgemm_peer(void)
{
    static const float one = 1, zero = 0;
    /* cuBLAS stores matrices by columns: c' = b' * a'. */
    if (cublas_sgemm(cublas, 0, 0, size, size, size, &one, (void *)(uintptr_t)mb.memory, size,
                     (void *)(uintptr_t)ma.memory, size, &zero, (void *)(uintptr_t)mc.memory, size))
        die("cublasSgemm fails");
}

GPU_PROBLEM("mxm_simple", set_up, mxm_simple_ours, mxm_simple_peer, verify_float)
GPU_PROBLEM("mxm_simple_int", set_up_int, mxm_simple_int_ours, mxm_simple_int_peer, verify_int)
GPU_PROBLEM("mxm_tiled", set_up, mxm_tiled_ours, mxm_tiled_peer, verify_float)
GPU_PROBLEM("mxm_tiled_int", set_up_int, mxm_tiled_int_ours, mxm_tiled_int_peer, verify_int)
GPU_PROBLEM("mxm_tiled8", set_up, mxm_tiled8_ours, mxm_tiled8_peer, verify_float)
GPU_PROBLEM("mxm_tiled32", set_up, mxm_tiled32_ours, mxm_tiled32_peer, verify_float)
GPU_PROBLEM("sgemm", set_up, sgemm_ours, sgemm_peer, verify_float, .peer_name = "cuBLAS", .missing = find_cublas)

/* The textbook product beside cuBLAS, at several sizes. */
#define BESIDE_CUBLAS(n)                                                                                               \
    static void set_up_##n(void)                                                                                       \
    {                                                                                                                  \
        set_up_size(n);                                                                                                \
    }                                                                                                                  \
    GPU_PROBLEM("product_" #n, set_up_##n, mxm_simple_ours, sgemm_peer, verify_float, .peer_name = "cuBLAS",           \
                .missing = find_cublas)
BESIDE_CUBLAS(1000)
BESIDE_CUBLAS(1024)
BESIDE_CUBLAS(2000)
BESIDE_CUBLAS(2048)
BESIDE_CUBLAS(3000)
BESIDE_CUBLAS(4096)
