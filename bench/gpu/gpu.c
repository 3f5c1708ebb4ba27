/* SPDX-License-Identifier: MIT
 *
 * gpu KERNEL CUBIN SECONDS: compares a kernel compiled by ampcc with the same one in CUDA C (peer.cu, as a cubin) or
 * with cuBLAS, on the same data in the memory of the same GPU. Both run in turns on one stream, timed by the driver's
 * events. Random inputs differ from run to run; samples of each side's result are first verified against double
 * precision. Prints a line "name: seconds seconds ..." per side, with the seconds of each run. CUBIN is - if there is
 * no nvcc: then, and without cuBLAS, a line "missing: what" replaces the peer's.
 *
 * gpu KERNEL --check: only verifies our kernel, on the default accelerator with little data.
 * gpu --list: prints the kernels' names. */
#include "gpu.h"

#include <dlfcn.h>
#include <time.h>

#define DEFINE(name, symbol, parameters) CUresult(*name) parameters;
GPU_DRIVER(DEFINE)

CUstream stream;
amp_accelerator_view *on;
bool is_check;
uint32_t seed;
static CUmodule peers; /* NULL: there is no nvcc */
static struct problem *problems;

void must(CUresult result, const char *call)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", call, (int)result);
        exit(1);
    }
}

static void open_driver(const char *cubin)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        die(dlerror());
#define FIND(name, symbol, parameters)                                                                                 \
    *(void **)&name = dlsym(library, #symbol);                                                                         \
    if (!name)                                                                                                         \
        die("libcuda.so.1 has no " #symbol);
    GPU_DRIVER(FIND)
    MUST(cuCtxSetCurrent, amp_accelerator_native_handle(amp_accelerator_view_accelerator(on)));
    if (strcmp(cubin, "-") != 0)
        MUST(cuModuleLoad, &peers, cubin);
}

void launch_peer(const char *name, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
                 void **parameters)
{
    static const char *last_name;
    static CUfunction function;
    if (last_name != name)
        MUST(cuModuleGetFunction, &function, peers, name);
    last_name = name;
    MUST(cuLaunchKernel, function, grid_x, grid_y, 1, block_x, block_y, 1, 0, stream, parameters, NULL);
}

/* ---- data ---- */

struct data new_data(size_t n, amp_type type, size_t element_size, void *host)
{
    struct data data = {host ? host : new_array(n * element_size), NULL, 0, n, n * element_size};
    data.array = amp_array_create(amp_extent1((int)n), type, element_size, data.host, on, AMP_ACCESS_AUTO);
    if (!data.array)
        die(amp_error_text());
    data.memory = (CUdeviceptr)(uintptr_t)amp_array_native_handle(data.array);
    return data;
}

float *random_floats(size_t n, float low, float high)
{
    static uint32_t stride;
    stride += 0x9E3779B9u;
    float *x = new_array(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = between(low, high, (uint32_t)i ^ seed ^ stride);
    return x;
}

struct data floats(size_t n, float *host)
{
    return new_data(n, AMP_TYPE_F32, sizeof(float), host);
}

struct data ints(size_t n, int *host)
{
    return new_data(n, AMP_TYPE_I32, sizeof(int), host);
}

void store(const struct data *data, const void *from)
{
    void *zeros = from ? NULL : new_array(data->size_bytes);
    if (amp_copy_operands((amp_operand){AMP_TYPE_ARRAY, AMP_TYPE_NONE, 0, AMP_UNCOUNTED, data->array},
                          (amp_operand){AMP_TYPE_POINTER, AMP_TYPE_NONE, 0, AMP_UNCOUNTED, from ? from : zeros}) !=
        AMP_OK)
        die(amp_error_text());
    free(zeros);
}

void fetch(const struct data *data, void *to)
{
    if (amp_copy_operands((amp_operand){AMP_TYPE_POINTER, AMP_TYPE_NONE, 0, AMP_UNCOUNTED, to},
                          (amp_operand){AMP_TYPE_ARRAY, AMP_TYPE_NONE, 0, AMP_UNCOUNTED, data->array}) != AMP_OK)
        die(amp_error_text());
}

amp_array_view *rows(const struct data *data, int M, int N)
{
    amp_array_view *view = amp_array_reshape(data->array, amp_extent2(M, N));
    if (!view)
        die(amp_error_text());
    return view;
}

/* ---- timing ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double gpu_time_by_clock(void (*run)(void))
{
    double start = now();
    run();
    amp_accelerator_view_wait(on);
    return now() - start;
}

/* The seconds of a run, measured by events around enough runs to last some milliseconds. */
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

/* ---- the problems ---- */

void gpu_add(struct problem *problem)
{
    problem->next = problems;
    problems = problem;
}

const char *gpu_needs_nothing(void)
{
    return NULL;
}

static const char *find_missing(const struct problem *problem)
{
    return problem->missing ? problem->missing() : peers ? NULL : "nvcc";
}

static void run_and_verify(const struct problem *problem, void (*run)(void))
{
    run();
    if (amp_accelerator_view_wait(on) != AMP_OK || amp_error_status() != AMP_OK)
        die(amp_error_text());
    problem->verify();
}

/* Times both sides in turns for `limit` seconds, or only ours if the peer is missing something; prints the runs'
 * seconds.
 */
static void measure(const struct problem *problem, double limit, const char *lacking)
{
    enum { MAX = 1000 };
    static double seconds[2][MAX];
    int n_sides = lacking ? 1 : 2;
    void (*const run[])(void) = {problem->ours, problem->peer};
    double (*timed)(void (*)(void)) = problem->time ? problem->time : by_events, start = 0;
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
}

int main(int argc, char **argv)
{
    bool is_list = argc == 2 && !strcmp(argv[1], "--list");
    for (const struct problem *p = problems; p && is_list; p = p->next)
        puts(p->name);
    if (is_list)
        return 0;
    const struct problem *problem = problems;
    while (problem && argc > 2 && strcmp(problem->name, argv[1]) != 0)
        problem = problem->next;
    is_check = argc == 3 && !strcmp(argv[2], "--check");
    if (!problem || (!is_check && argc != 4))
        die("usage: gpu KERNEL CUBIN SECONDS, gpu KERNEL --check, or gpu --list");
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
    if (!lacking)
        run_and_verify(problem, problem->peer);
    measure(problem, atof(argv[3]), lacking);
    return 0;
}
