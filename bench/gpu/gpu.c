/* SPDX-License-Identifier: MIT
 *
 * gpu KERNEL CUBIN SECONDS: a kernel in our C beside the same one in CUDA C (peers.cu, as a cubin) or beside cuBLAS, on
 * the same data in the memory of the same GPU, on one stream, in turns, timed by the driver's events. Random inputs are
 * others in each run; each side's result is verified against double precision, beforehand, in samples. Prints a line
 * "name: seconds seconds ..." per side, the seconds of one run each. CUBIN is - if there is no nvcc: then, and without
 * cuBLAS, there is a line "missing: what" in the place of the peer's.
 *
 * gpu KERNEL --check: ours alone, on the default accelerator and little data, only verified. */
#include "../../src/runtime/cuda/driver.h"
#include "../bench.h"

#include <amp.h>
#include <dlfcn.h>
#include <time.h>

/* The sample's kernel. */
#define main sgemm_main
#include "../../samples/sgemm.c"
#undef main

/* ---- the driver, for what is not ours ---- */

#define DRIVER(X)                                                                                                      \
    X(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                                                           \
    X(cuModuleLoad, cuModuleLoad, (CUmodule *module, const char *path))                                                \
    X(cuModuleGetFunction, cuModuleGetFunction, (CUfunction *function, CUmodule module, const char *name))             \
    X(cuLaunchKernel, cuLaunchKernel,                                                                                  \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,     \
       unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters, void **extra))                     \
    X(cuStreamSynchronize, cuStreamSynchronize, (CUstream stream))                                                     \
    X(cuEventCreate, cuEventCreate, (CUevent *event, unsigned flags))                                                  \
    X(cuEventRecord, cuEventRecord, (CUevent event, CUstream stream))                                                  \
    X(cuEventSynchronize, cuEventSynchronize, (CUevent event))                                                         \
    X(cuEventElapsedTime, cuEventElapsedTime, (float *ms, CUevent from, CUevent to))                                   \
    X(cuMemHostAlloc, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                   \
    X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))      \
    X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))            \
    X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))
#define FIELD(name, symbol, parameters) static CUresult(*name) parameters;
DRIVER(FIELD)

static CUmodule peers; /* NULL: there is no nvcc */
static CUstream stream;
static amp_accelerator_view *on;
static bool is_check;
static uint32_t seed;

static void must(CUresult result, const char *call)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", call, (int)result);
        exit(1);
    }
}
#define MUST(call, ...) must(call(__VA_ARGS__), #call)

static void open_driver(const char *cubin)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        die(dlerror());
#define FIND(name, symbol, parameters)                                                                                 \
    *(void **)&name = dlsym(library, #symbol);                                                                         \
    if (!name)                                                                                                         \
        die("libcuda.so.1 has no " #symbol);
    DRIVER(FIND)
    MUST(cuCtxSetCurrent, amp_accelerator_native_handle(amp_accelerator_view_accelerator(on)));
    if (strcmp(cubin, "-") != 0)
        MUST(cuModuleLoad, &peers, cubin);
}

/* Launches a peer: `n` values by pointer. */
static void launch_peer(const char *name, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
                        void **parameters)
{
    static const char *last_name;
    static CUfunction function;
    if (last_name != name)
        MUST(cuModuleGetFunction, &function, peers, name);
    last_name = name;
    MUST(cuLaunchKernel, function, grid_x, grid_y, 1, block_x, block_y, 1, 0, stream, parameters, NULL);
}

/* ---- data: on the host, and in an array on the accelerator ---- */

struct data {
    void *host;
    amp_array *array;
    CUdeviceptr memory;
    size_t n, size_bytes;
};

static struct data new_data(size_t n, amp_type type, size_t element_size, void *host)
{
    struct data data = {host ? host : new_array(n * element_size), NULL, 0, n, n * element_size};
    data.array = amp_array_create(amp_extent1((int)n), type, element_size, data.host, on, AMP_ACCESS_AUTO);
    if (!data.array)
        die(amp_error_text());
    data.memory = (CUdeviceptr)(uintptr_t)amp_array_native_handle(data.array);
    return data;
}

static float *random_floats(size_t n, float low, float high)
{
    static uint32_t stride;
    stride += 0x9E3779B9u;
    float *x = new_array(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = between(low, high, (uint32_t)i ^ seed ^ stride);
    return x;
}

static struct data floats(size_t n, float *host)
{
    return new_data(n, AMP_TYPE_F32, sizeof(float), host);
}

static struct data ints(size_t n, int *host)
{
    return new_data(n, AMP_TYPE_I32, sizeof(int), host);
}

/* Gives the array other contents: those of `from`, or zeros. */
static void store(const struct data *data, const void *from)
{
    void *zeros = from ? NULL : new_array(data->size_bytes);
    if (amp_copy_operands((amp_operand){AMP_TYPE_ARRAY, AMP_TYPE_NONE, 0, AMP_UNCOUNTED, data->array},
                          (amp_operand){AMP_TYPE_POINTER, AMP_TYPE_NONE, 0, AMP_UNCOUNTED, from ? from : zeros}) !=
        AMP_OK)
        die(amp_error_text());
    free(zeros);
}

static void fetch(const struct data *data, void *to)
{
    if (amp_copy_operands((amp_operand){AMP_TYPE_POINTER, AMP_TYPE_NONE, 0, AMP_UNCOUNTED, to},
                          (amp_operand){AMP_TYPE_ARRAY, AMP_TYPE_NONE, 0, AMP_UNCOUNTED, data->array}) != AMP_OK)
        die(amp_error_text());
}

/* An array seen in two dimensions. */
static amp_array_view *rows(const struct data *data, int M, int N)
{
    amp_array_view *view = amp_array_view_as(data->array, amp_extent2(M, N));
    if (!view)
        die(amp_error_text());
    return view;
}

/* ---- the kernels, which are those for the CPU, and what they need ---- */

enum { TAPS = 7, RADIUS = 3, TILE = 256, BINS = 256, PER_THREAD = 256 };
struct vec4 {
    float x, y, z, w;
};

#include "../blackscholes/kernel.h"
#include "../convolution/kernel.h"
#include "../histogram/kernel.h"
#include "../jacobi/kernel.h"
#include "../mandelbrot/kernel.h"
#include "../mxm/kernel.h"
#include "../nbody/kernel.h"
#include "../reduction/kernel.h"
#include "../saxpy/kernel.h"
#include "../spmv/kernel.h"

SIMPLE(float)
SIMPLE(int)
TILED(float, 16)
TILED(int, 16)
TILED(float, 8)
TILED(float, 32)

static void increment(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]]++;
}

/* ---- the problems: `set_up` makes them, ours and the peer's run may be repeated, `verify` looks at one run's result
 * ---- */

struct problem {
    const char *name;
    void (*set_up)(void), (*ours)(void), (*peer)(void), (*verify)(void);
    const char *peer_name;          /* "nvcc" unless said */
    double (*time)(void (*)(void)); /* how a run is timed, if not by events */
};

static unsigned blocks(int n, int of)
{
    return (unsigned)((n + of - 1) / of);
}

/* saxpy */
static struct data sx, sy;
static int sn;
static float alpha = 1.5f;

static void saxpy_set_up(void)
{
    sn = is_check ? 100003 : 1 << 28;
    sx = floats((size_t)sn, random_floats((size_t)sn, -1, 1));
    sy = floats((size_t)sn, random_floats((size_t)sn, -1, 1));
}
static void saxpy_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(sn), saxpy, alpha, sx.array, sy.array);
}
static void saxpy_peer(void)
{
    launch_peer("saxpy", blocks(sn, 256), 1, 256, 1, (void *[]){&sn, &alpha, &sx.memory, &sy.memory});
}
static void saxpy_verify(void)
{
    float *result = new_array(sy.size_bytes), *x = sx.host, *y = sy.host;
    fetch(&sy, result);
    for (int i = 0; i < sn; i += 1 + sn / 1000003)
        expect(result[i], (double)y[i] + 1.5 * x[i], 1e-6, (size_t)i);
    store(&sy, y); /* as before, for the next one */
    free(result);
}

/* mxm, and sgemm */
static struct data ma, mb, mc;
static amp_array_view *va, *vb, *vc;
static int size;

static void mxm_views(void)
{
    va = rows(&ma, size, size), vb = rows(&mb, size, size), vc = rows(&mc, size, size);
}
static void mxm_set_up(void)
{
    size = is_check ? 256 : 4096;
    size_t n = (size_t)size * (size_t)size;
    ma = floats(n, random_floats(n, -1, 1)), mb = floats(n, random_floats(n, -1, 1)), mc = floats(n, NULL);
    mxm_views();
}
static void mxm_set_up_int(void)
{
    size = is_check ? 256 : 4096;
    size_t n = (size_t)size * (size_t)size;
    int *a = new_array(n * sizeof *a), *b = new_array(n * sizeof *b);
    for (size_t i = 0; i < n; i++)
        a[i] = small((uint32_t)i ^ seed), b[i] = small(~(uint32_t)i ^ seed);
    ma = ints(n, a), mb = ints(n, b), mc = ints(n, NULL);
    mxm_views();
}
/* Some thousand elements, all over the matrix. */
#define MXM_VERIFY(T, tolerance)                                                                                       \
    static void mxm_verify_##T(void)                                                                                   \
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
        store(&mc, NULL); /* the next one has all to write */                                                          \
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

/* Returns false if it is not installed. */
static bool open_cublas(void)
{
    static const char *const names[] = {"libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (!library)
        return false;
    int (*create)(void **), (*set_stream)(void *, CUstream), (*set_mode)(void *, int);
    *(void **)&create = dlsym(library, "cublasCreate_v2");
    *(void **)&set_stream = dlsym(library, "cublasSetStream_v2");
    *(void **)&set_mode = dlsym(library, "cublasSetMathMode");
    *(void **)&cublas_sgemm = dlsym(library, "cublasSgemm_v2");
    enum { CUBLAS_PEDANTIC_MATH = 2 }; /* no TF32 */
    if (!create || !set_stream || !set_mode || !cublas_sgemm || create(&cublas) || set_stream(cublas, stream) ||
        set_mode(cublas, CUBLAS_PEDANTIC_MATH))
        die("cuBLAS does not start");
    return true;
}
static void sgemm_peer(void)
{
    static const float one = 1, zero = 0;
    /* It takes columns for rows: c' = b' * a'. */
    if (cublas_sgemm(cublas, 0, 0, size, size, size, &one, (void *)(uintptr_t)mb.memory, size,
                     (void *)(uintptr_t)ma.memory, size, &zero, (void *)(uintptr_t)mc.memory, size))
        die("cublasSgemm fails");
}

/* mandelbrot */
static struct data image;
static amp_array_view *image_view;
static int limit = 256;
static void mandelbrot_set_up(void)
{
    size = is_check ? 200 : 8192;
    image = ints((size_t)size * (size_t)size, NULL);
    image_view = rows(&image, size, size);
}
static void mandelbrot_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent2(size, size), mandelbrot, limit, image_view);
}
static void mandelbrot_peer(void)
{
    launch_peer("mandelbrot", blocks(size, 32), blocks(size, 8), 32, 8,
                (void *[]){&size, &size, &limit, &image.memory});
}
/* In single precision as in the kernel, where rounding decides; elements at the border may differ. */
static void mandelbrot_verify(void)
{
    int *result = new_array(image.size_bytes), n_wrong = 0, n_samples = 0;
    fetch(&image, result);
    for (size_t i = 0; i < image.n; i += 1 + image.n / 100003, n_samples++) {
        double cx = -2 + (double)((int)(i % (size_t)size)) * (3.0 / size),
               cy = -1.5 + (double)((int)(i / (size_t)size)) * (3.0 / size), zx = 0, zy = 0;
        int n = 0;
        while (n < limit && zx * zx + zy * zy <= 4) {
            double next = zx * zx - zy * zy + cx;
            zy = 2 * zx * zy + cy;
            zx = next;
            n++;
        }
        n_wrong += result[i] != n;
    }
    expect(n_wrong, 0, n_samples / 100.0, 0);
    store(&image, NULL);
    free(result);
}

/* Black and Scholes */
static struct data price, strike, years, call, put;
static float rate = 0.02f, volatility = 0.3f;
static int bn;
static void blackscholes_set_up(void)
{
    bn = is_check ? 10007 : 1 << 26;
    size_t n = (size_t)bn;
    price = floats(n, random_floats(n, 5, 30)), strike = floats(n, random_floats(n, 1, 100));
    years = floats(n, random_floats(n, 0.25f, 10)), call = floats(n, NULL), put = floats(n, NULL);
}
static void blackscholes_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(bn), black_scholes, rate, volatility, price.array, strike.array,
                             years.array, call.array, put.array);
}
static void blackscholes_peer(void)
{
    launch_peer(
        "blackscholes", blocks(bn, 256), 1, 256, 1,
        (void *[]){&bn, &rate, &volatility, &price.memory, &strike.memory, &years.memory, &call.memory, &put.memory});
}
static void blackscholes_verify(void)
{
    float *c = new_array(call.size_bytes), *p = new_array(put.size_bytes);
    const float *s = price.host, *x = strike.host, *t = years.host;
    fetch(&call, c);
    fetch(&put, p);
    for (int i = 0; i < bn; i += 1 + bn / 100003) {
        double spread = (double)volatility * sqrt(t[i]);
        double d1 = (log((double)s[i] / x[i]) + (rate + 0.5 * volatility * volatility) * t[i]) / spread;
        double n1 = 0.5 * erfc(-d1 / sqrt(2)), n2 = 0.5 * erfc(-(d1 - spread) / sqrt(2)),
               discounted = x[i] * exp(-(double)rate * t[i]);
        expect(c[i], s[i] * n1 - discounted * n2, 1e-3, (size_t)i);
        expect(p[i], discounted * (1 - n2) - s[i] * (1 - n1), 1e-3, (size_t)i);
    }
    store(&call, NULL);
    store(&put, NULL);
    free(c), free(p);
}

/* convolution and Jacobi's method */
static struct data filter, from, to;
static amp_array_view *filter_view, *from_view, *to_view;
static void grid_set_up(void)
{
    size = is_check ? 300 : 8192;
    size_t n = (size_t)size * (size_t)size;
    filter = floats(TAPS * TAPS, random_floats(TAPS * TAPS, 0, 1));
    from = floats(n, random_floats(n, -1, 1)), to = floats(n, NULL);
    filter_view = rows(&filter, TAPS, TAPS), from_view = rows(&from, size, size), to_view = rows(&to, size, size);
}
static void convolution_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent2(size, size), convolve, filter_view, from_view, to_view);
}
static void convolution_peer(void)
{
    launch_peer("convolution", blocks(size, 32), blocks(size, 8), 32, 8,
                (void *[]){&size, &size, &filter.memory, &from.memory, &to.memory});
}
static void jacobi_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent2(size - 2, size - 2), sweep, from_view, to_view);
}
static void jacobi_peer(void)
{
    launch_peer("jacobi", blocks(size - 2, 32), blocks(size - 2, 8), 32, 8,
                (void *[]){&size, &size, &from.memory, &to.memory});
}
static double at(int i, int j)
{
    return i >= 0 && i < size && j >= 0 && j < size ? ((float *)from.host)[(size_t)i * (size_t)size + (size_t)j] : 0;
}
static double convolved(int i, int j)
{
    double sum = 0;
    for (int y = 0; y < TAPS; y++)
        for (int x = 0; x < TAPS; x++)
            sum += (double)((float *)filter.host)[y * TAPS + x] * at(i + y - RADIUS, j + x - RADIUS);
    return sum;
}
static double swept(int i, int j)
{
    bool is_inside = i > 0 && i < size - 1 && j > 0 && j < size - 1;
    return is_inside ? 0.25 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)) : 0;
}
static void grid_verify(double (*expected)(int, int))
{
    float *result = new_array(to.size_bytes);
    fetch(&to, result);
    for (size_t i = 0; i < to.n; i += 1 + to.n / 100003)
        expect(result[i], expected((int)(i / (size_t)size), (int)(i % (size_t)size)), 1e-5, i);
    store(&to, NULL);
    free(result);
}
static void convolution_verify(void)
{
    grid_verify(convolved);
}
static void jacobi_verify(void)
{
    grid_verify(swept);
}

/* reduction */
static struct data terms, parts, last;
static int rn;
static void reduction_set_up(void)
{
    rn = is_check ? 1 << 18 : 1 << 28;
    float *x = new_array((size_t)rn * sizeof *x);
    for (int i = 0; i < rn; i++)
        x[i] = (float)small((uint32_t)i ^ seed);
    terms = floats((size_t)rn, x), parts = floats((size_t)rn / TILE, NULL),
    last = floats((size_t)rn / TILE / TILE, NULL);
}
static void reduction_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(rn), reduce, terms.array, parts.array);
    amp_parallel_for_each_on(on, amp_extent1(rn / TILE), reduce, parts.array, last.array);
}
static void reduction_peer(void)
{
    launch_peer("reduction", blocks(rn, TILE), 1, TILE, 1, (void *[]){&terms.memory, &parts.memory});
    launch_peer("reduction", blocks(rn / TILE, TILE), 1, TILE, 1, (void *[]){&parts.memory, &last.memory});
}
static void reduction_verify(void)
{
    double sum = 0, expected = 0;
    float *x = new_array(last.size_bytes);
    fetch(&last, x);
    for (size_t i = 0; i < last.n; i++)
        sum += x[i];
    for (int i = 0; i < rn; i++)
        expected += ((float *)terms.host)[i];
    expect(sum, expected, 0, 0);
    store(&last, NULL);
    free(x);
}

/* n-body */
static struct data body, acceleration;
static float softening = 1e-2f;
static int nn;
static void nbody_set_up(void)
{
    nn = is_check ? 1024 : 1 << 16;
    struct vec4 *p = new_array((size_t)nn * sizeof *p);
    float *x = random_floats(4 * (size_t)nn, -1, 1);
    for (int i = 0; i < nn; i++)
        p[i] = (struct vec4){x[4 * i], x[4 * i + 1], x[4 * i + 2], fabsf(x[4 * i + 3]) + 0.1f};
    free(x);
    body = new_data((size_t)nn, AMP_TYPE_STRUCT, sizeof *p, p);
    acceleration = new_data((size_t)nn, AMP_TYPE_STRUCT, sizeof *p, NULL);
}
static void nbody_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(nn), attract, softening, body.array, acceleration.array);
}
static void nbody_peer(void)
{
    launch_peer("nbody", blocks(nn, TILE), 1, TILE, 1, (void *[]){&nn, &softening, &body.memory, &acceleration.memory});
}
static void nbody_verify(void)
{
    const struct vec4 *p = body.host;
    struct vec4 *a = new_array(acceleration.size_bytes);
    fetch(&acceleration, a);
    for (int i = 0; i < nn; i += 1 + nn / 101) {
        double x = 0, y = 0, z = 0;
        for (int j = 0; j < nn; j++) {
            double dx = (double)p[j].x - p[i].x, dy = (double)p[j].y - p[i].y, dz = (double)p[j].z - p[i].z;
            double d2 = dx * dx + dy * dy + dz * dz + softening, s = p[j].w / (d2 * sqrt(d2));
            x += dx * s, y += dy * s, z += dz * s;
        }
        double tolerance = 1e-4 * sqrt(x * x + y * y + z * z) + 2.5e-6 * nn;
        expect(a[i].x, x, tolerance, (size_t)i), expect(a[i].y, y, tolerance, (size_t)i),
            expect(a[i].z, z, tolerance, (size_t)i);
    }
    store(&acceleration, NULL);
    free(a);
}

/* histogram */
static struct data bytes, bins;
static int hn;
static void histogram_set_up(void)
{
    hn = is_check ? 1 << 18 : 1 << 30;
    unsigned char *x = new_array((size_t)hn);
    for (int i = 0; i < hn; i++) {
        uint32_t random = hash((uint32_t)i ^ seed);
        x[i] = (unsigned char)((random >> 24) * (random >> 16 & 255) >> 8);
    }
    bytes = new_data((size_t)hn, AMP_TYPE_U8, 1, x), bins = ints(BINS, NULL);
}
static void histogram_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(hn / PER_THREAD), count, bytes.array, bins.array);
}
static void histogram_peer(void)
{
    launch_peer("histogram", blocks(hn, TILE * PER_THREAD), 1, TILE, 1, (void *[]){&bytes.memory, &bins.memory});
}
static void histogram_verify(void)
{
    int result[BINS], expected[BINS] = {0};
    fetch(&bins, result);
    for (int i = 0; i < hn; i++)
        expected[((unsigned char *)bytes.host)[i]]++;
    for (size_t i = 0; i < BINS; i++)
        expect(result[i], expected[i], 0, i);
    store(&bins, NULL);
}

/* sparse matrix x vector */
static struct data offset, column, value, in, out;
static int n_rows;
static void spmv_set_up(void)
{
    enum { BAND = 4096 };
    n_rows = is_check ? 3 * BAND : 1 << 22;
    int *o = new_array(((size_t)n_rows + 1) * sizeof *o);
    for (int row = 0; row < n_rows; row++)
        o[row + 1] = o[row] + 1 + (int)(hash((uint32_t)row ^ seed) >> 26);
    size_t n = (size_t)o[n_rows];
    int *c = new_array(n * sizeof *c);
    for (int row = 0; row < n_rows; row++) {
        int first = row < BAND ? 0 : row > n_rows - BAND ? n_rows - 2 * BAND : row - BAND;
        int step = 2 * BAND / (o[row + 1] - o[row]);
        for (int k = o[row]; k < o[row + 1]; k++)
            c[k] = first + (k - o[row]) * step + (int)(hash((uint32_t)k ^ seed) >> 8) % step;
    }
    offset = ints((size_t)n_rows + 1, o), column = ints(n, c), value = floats(n, random_floats(n, 0, 1));
    in = floats((size_t)n_rows, random_floats((size_t)n_rows, -1, 1)), out = floats((size_t)n_rows, NULL);
}
static void spmv_ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(n_rows), multiply, offset.array, column.array, value.array, in.array,
                             out.array);
}
static void spmv_peer(void)
{
    launch_peer("spmv", blocks(n_rows, 256), 1, 256, 1,
                (void *[]){&n_rows, &offset.memory, &column.memory, &value.memory, &in.memory, &out.memory});
}
static void spmv_verify(void)
{
    float *y = new_array(out.size_bytes), *v = value.host, *x = in.host;
    int *o = offset.host, *c = column.host;
    fetch(&out, y);
    for (int row = 0; row < n_rows; row += 1 + n_rows / 100003) {
        double sum = 0;
        for (int k = o[row]; k < o[row + 1]; k++)
            sum += (double)v[k] * x[c[k]];
        expect(y[row], sum, 1e-5, (size_t)row);
    }
    store(&out, NULL);
    free(y);
}

/* 1000 launches in a queue, by the clock: what the calling thread spends is part of it. */
enum { QUEUE = 1000 };
static struct data counter;
static void launch_set_up(void)
{
    counter = ints(1, NULL);
}
static void launch_ours(void)
{
    for (int i = 0; i < QUEUE; i++)
        amp_parallel_for_each_on(on, amp_extent1(1), increment, counter.array);
}
static void launch_driver(void)
{
    for (int i = 0; i < QUEUE; i++)
        launch_peer("launch", 1, 1, 1, 1, (void *[]){&counter.memory});
}
static void launch_verify(void)
{
    int n;
    fetch(&counter, &n);
    expect(n, QUEUE, 0, 0);
    store(&counter, NULL);
}

/* 4096^2 floats in pageable memory to the device, and back; the peer's are in pinned memory. */
static struct data box;
static float *source, *result, *pinned;
static void copy_set_up(void)
{
    size_t n = is_check ? 1000003 : 4096 * 4096;
    box = floats(n, NULL);
    source = random_floats(n, -1, 1);
    result = new_array(box.size_bytes);
    if (is_check)
        return;
    void *memory;
    MUST(cuMemHostAlloc, &memory, box.size_bytes, 0);
    pinned = memcpy(memory, source, box.size_bytes);
}
static void copy_in_ours(void)
{
    amp_copy_from(box.array, source, (int64_t)box.n);
}
static void copy_in_peer(void)
{
    MUST(cuMemcpyHtoDAsync, box.memory, pinned, box.size_bytes, stream);
}
static void copy_out_ours(void)
{
    amp_copy_to(box.array, result, (int64_t)box.n);
}
static void copy_out_peer(void)
{
    MUST(cuMemcpyDtoHAsync, pinned, box.memory, box.size_bytes, stream);
}
static void copy_verify(void)
{
    fetch(&box, result);
    for (size_t i = 0; i < box.n; i++)
        expect(result[i], source[i], 0, i);
}
static void copy_out_set_up(void)
{
    copy_set_up();
    copy_in_ours();
}

/* What the device's own copy of 2^28 floats takes. */
static void across_set_up(void)
{
    saxpy_set_up();
}
static void across_ours(void)
{
    amp_copy(sy.array, sx.array);
}
static void across_peer(void)
{
    MUST(cuMemcpyDtoDAsync, sy.memory, sx.memory, sx.size_bytes, stream);
}
static void across_verify(void)
{
    float *y = new_array(sy.size_bytes);
    fetch(&sy, y);
    for (int i = 0; i < sn; i++)
        expect(y[i], ((float *)sx.host)[i], 0, (size_t)i);
    free(y);
}

/* ---- timing ---- */

/* The seconds until the runs' results are there, by the clock. */
static double by_clock(void (*run)(void))
{
    double start = now();
    run();
    amp_accelerator_view_wait(on);
    return now() - start;
}

static double per_launch(void (*run)(void))
{
    return by_clock(run) / QUEUE;
}

/* The seconds of a run, by events around as many of them as last some milliseconds. */
static double by_events(void (*run)(void))
{
    static CUevent first, last_one;
    static int n = 1;
    if (!first) {
        MUST(cuEventCreate, &first, 0);
        MUST(cuEventCreate, &last_one, 0);
    }
    float ms;
    for (;; n *= 2) {
        MUST(cuEventRecord, first, stream);
        for (int i = 0; i < n; i++)
            run();
        MUST(cuEventRecord, last_one, stream);
        MUST(cuEventSynchronize, last_one);
        MUST(cuEventElapsedTime, &ms, first, last_one);
        if (ms >= 4)
            return (double)ms * 1e-3 / n;
    }
}

static const struct problem problems[] = {
    {"mxm_simple", mxm_set_up, mxm_simple_ours, mxm_simple_peer, mxm_verify_float},
    {"mxm_simple_int", mxm_set_up_int, mxm_simple_int_ours, mxm_simple_int_peer, mxm_verify_int},
    {"mxm_tiled", mxm_set_up, mxm_tiled_ours, mxm_tiled_peer, mxm_verify_float},
    {"mxm_tiled_int", mxm_set_up_int, mxm_tiled_int_ours, mxm_tiled_int_peer, mxm_verify_int},
    {"mxm_tiled8", mxm_set_up, mxm_tiled8_ours, mxm_tiled8_peer, mxm_verify_float},
    {"mxm_tiled32", mxm_set_up, mxm_tiled32_ours, mxm_tiled32_peer, mxm_verify_float},
    {"sgemm", mxm_set_up, sgemm_ours, sgemm_peer, mxm_verify_float, "cuBLAS"},
    {"mandelbrot", mandelbrot_set_up, mandelbrot_ours, mandelbrot_peer, mandelbrot_verify},
    {"blackscholes", blackscholes_set_up, blackscholes_ours, blackscholes_peer, blackscholes_verify},
    {"convolution", grid_set_up, convolution_ours, convolution_peer, convolution_verify},
    {"jacobi", grid_set_up, jacobi_ours, jacobi_peer, jacobi_verify},
    {"saxpy", saxpy_set_up, saxpy_ours, saxpy_peer, saxpy_verify},
    {"reduction", reduction_set_up, reduction_ours, reduction_peer, reduction_verify},
    {"nbody", nbody_set_up, nbody_ours, nbody_peer, nbody_verify},
    {"histogram", histogram_set_up, histogram_ours, histogram_peer, histogram_verify},
    {"spmv", spmv_set_up, spmv_ours, spmv_peer, spmv_verify},
    {"across", across_set_up, across_ours, across_peer, across_verify, "cuMemcpyDtoDAsync"},
    {"launch", launch_set_up, launch_ours, launch_driver, launch_verify, "cuLaunchKernel", per_launch},
    {"copy_in", copy_set_up, copy_in_ours, copy_in_peer, copy_verify, "cuMemcpyHtoDAsync, pinned", by_clock},
    {"copy_out", copy_out_set_up, copy_out_ours, copy_out_peer, copy_verify, "cuMemcpyDtoHAsync, pinned", by_clock},
};

/* What the peer needs and the machine has not; NULL if nothing. */
static const char *find_missing(const struct problem *problem)
{
    bool is_kernel = !problem->peer_name || problem->peer == launch_driver;
    if (is_kernel && !peers)
        return "nvcc";
    return problem->peer == sgemm_peer && !open_cublas() ? "libcublas.so" : NULL;
}

static void run_and_verify(const struct problem *problem, void (*run)(void))
{
    run();
    if (amp_accelerator_view_wait(on) != AMP_OK || amp_error_status() != AMP_OK)
        die(amp_error_text());
    problem->verify();
}

int main(int argc, char **argv)
{
    const struct problem *problem = problems, *end = problems + sizeof problems / sizeof *problems;
    while (problem < end && argc > 2 && strcmp(problem->name, argv[1]) != 0)
        problem++;
    is_check = argc == 3 && !strcmp(argv[2], "--check");
    if (problem == end || (!is_check && argc != 4))
        die("usage: gpu KERNEL CUBIN SECONDS, or gpu KERNEL --check");
    seed = (uint32_t)time(NULL) * 2654435761u;
    on = amp_accelerator_default_view(is_check ? amp_accelerator_default() : amp_accelerator_find("cuda:0"));
    if (!on)
        die(amp_error_text());
    if (!is_check) {
        stream = amp_accelerator_view_native_handle(on);
        open_driver(argv[2]);
    }
    problem->set_up();
    if (amp_error_status() != AMP_OK)
        die(amp_error_text());
    run_and_verify(problem, problem->ours);
    if (is_check)
        return 0;
    const char *lacking = find_missing(problem);
    int n_sides = lacking ? 1 : 2;
    if (!lacking)
        run_and_verify(problem, problem->peer);

    enum { MAX = 1000 };
    static double seconds[2][MAX];
    void (*const run[])(void) = {problem->ours, problem->peer};
    double (*timed)(void (*)(void)) = problem->time ? problem->time : by_events, limit = atof(argv[3]), start = 0;
    int n = -1; /* the first round warms up */
    while (n < 5 || (n < MAX && now() - start < limit)) {
        for (int side = 0; side < n_sides; side++)
            seconds[side][n < 0 ? 0 : n] = timed(run[side]);
        if (n++ < 0)
            start = now();
    }
    if (amp_error_status() != AMP_OK)
        die(amp_error_text());
    for (int side = 0; side < n_sides; side++) {
        printf("%s:", side == 0 ? "ampcc" : problem->peer_name ? problem->peer_name : "nvcc");
        for (int i = 0; i < n; i++)
            printf(" %.9f", seconds[side][i]);
        printf("\n");
    }
    if (lacking)
        printf("missing: %s\n", lacking);
    return 0;
}
