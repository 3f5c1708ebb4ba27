/* SPDX-License-Identifier: MIT
 *
 * The same kernels in OpenCL C, on the platform's CPU (Debian's pocl): opencl tiled|simple|launch float|int|none RUNS.
 * The library is opened at run time, by its ABI: no headers are needed to build. */
#include "bench.h"
#include <dlfcn.h>
#include <stdint.h>

/* The numbers are those of the OpenCL 1.2 specification, CL/cl.h. */
enum {
    CL_DEVICE_TYPE_CPU = 2,
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_VERSION = 0x102F,
    CL_MEM_READ_WRITE = 1,
    CL_MEM_USE_HOST_PTR = 8,
    CL_MAP_READ = 1
};

#define FUNCTIONS(X)                                                                                                   \
    X(int, clGetPlatformIDs, (unsigned, void **, unsigned *))                                                          \
    X(int, clGetDeviceIDs, (void *, uint64_t, unsigned, void **, unsigned *))                                          \
    X(int, clGetDeviceInfo, (void *, unsigned, size_t, void *, size_t *))                                              \
    X(void *, clCreateContext, (const intptr_t *, unsigned, void *const *, void *, void *, int *))                     \
    X(void *, clCreateCommandQueue, (void *, void *, uint64_t, int *))                                                 \
    X(void *, clCreateProgramWithSource, (void *, unsigned, const char **, const size_t *, int *))                     \
    X(int, clBuildProgram, (void *, unsigned, void *const *, const char *, void *, void *))                            \
    X(void *, clCreateKernel, (void *, const char *, int *))                                                           \
    X(void *, clCreateBuffer, (void *, uint64_t, size_t, void *, int *))                                               \
    X(int, clSetKernelArg, (void *, unsigned, size_t, const void *))                                                   \
    X(int, clEnqueueNDRangeKernel,                                                                                     \
      (void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned, void *, void *))            \
    X(void *, clEnqueueMapBuffer,                                                                                      \
      (void *, void *, unsigned, uint64_t, size_t, size_t, unsigned, void *, void *, int *))                           \
    X(int, clFinish, (void *))

#define DECLARE(result, name, parameters) static result(*name) parameters;
FUNCTIONS(DECLARE)

static const char source[] =
    "#define TS 16\n"
    "kernel void simple(int M, int N, int W, global const T *a, global const T *b, global T *c)\n"
    "{\n"
    "    int row = get_global_id(1), col = get_global_id(0);\n"
    "    T sum = 0;\n"
    "    for (int k = 0; k < W; k++)\n"
    "        sum += a[row * W + k] * b[k * N + col];\n"
    "    c[row * N + col] = sum;\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(TS, TS, 1)))\n"
    "void tiled(int M, int N, int W, global const T *a, global const T *b, global T *c)\n"
    "{\n"
    "    local T local_a[TS][TS], local_b[TS][TS];\n"
    "    int row = get_local_id(1), col = get_local_id(0);\n"
    "    T sum = 0;\n"
    "    for (int i = 0; i < W; i += TS) {\n"
    "        local_a[row][col] = a[get_global_id(1) * W + i + col];\n"
    "        local_b[row][col] = b[(i + row) * N + get_global_id(0)];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < TS; k++)\n"
    "            sum += local_a[row][k] * local_b[k][col];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[get_global_id(1) * N + get_global_id(0)] = sum;\n"
    "}\n"
    "kernel void launch(global int *x)\n"
    "{\n"
    "    x[get_global_id(0)]++;\n"
    "}\n";

static void check(int error, const char *call)
{
    if (error) {
        fprintf(stderr, "%s: OpenCL error %d\n", call, error);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        die("usage: opencl tiled|simple|launch float|int|none RUNS");
    int is_launch = strcmp(argv[1], "launch") == 0, is_float = strcmp(argv[2], "float") == 0, runs = atoi(argv[3]);

    /* 1. Library, device, program. */
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library)
        missing("libOpenCL.so.1 (package ocl-icd-libopencl1)");
#define LOAD(result, name, parameters)                                                                                 \
    if (!(name = (result(*) parameters)dlsym(library, #name)))                                                         \
        die("libOpenCL.so.1 lacks " #name);
    FUNCTIONS(LOAD)
    void *platform = NULL, *device = NULL;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL))
        missing("an OpenCL platform with a CPU (package pocl-opencl-icd)");
    int error = 0;
    void *context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    void *queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    const char *text = source;
    void *program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, is_float ? "-DT=float" : "-DT=int", NULL, NULL), "clBuildProgram");
    void *kernel = clCreateKernel(program, argv[1], &error);
    check(error, "clCreateKernel");

    /* 2. Arguments. */
    void *data[3], *buffer[3];
    for (int i = 0; i < 3; i++) {
        data[i] = new_matrix();
        if (i < 2 && !is_launch)
            fill(data[i], is_float, i == 0 ? 1 : 7);
        buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, N_ELEMS * 4, data[i], &error);
        check(error, "clCreateBuffer");
    }
    int size = SIZE;
    for (unsigned i = 0; !is_launch && i < 6; i++)
        check(clSetKernelArg(kernel, i, i < 3 ? sizeof size : sizeof(void *), i < 3 ? &size : (void *)&buffer[i - 3]),
              "clSetKernelArg");
    if (is_launch)
        check(clSetKernelArg(kernel, 0, sizeof(void *), &buffer[0]), "clSetKernelArg");

    /* 3. Runs. The first ones compile the kernel and are not counted. The untiled kernel's groups are pocl's choice. */
    const size_t global[2] = {is_launch ? 1 : SIZE, SIZE}, local[2] = {TS, TS};
    int warm_up = is_launch ? 100 : 1;
    for (int i = -warm_up; i < runs; i++) {
        double start = now();
        check(clEnqueueNDRangeKernel(queue, kernel, is_launch ? 1 : 2, NULL, global,
                                     strcmp(argv[1], "tiled") == 0 ? local : NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish");
        double seconds = now() - start;
        if (i >= 0)
            printf("%.9f\n", seconds);
    }

    /* 4. The result. */
    int result = is_launch ? 0 : 2;
    clEnqueueMapBuffer(queue, buffer[result], 1, CL_MAP_READ, 0, N_ELEMS * 4, 0, NULL, NULL, &error);
    check(error, "clEnqueueMapBuffer");
    if (is_launch && *(int *)data[0] != runs + warm_up)
        die("launches are missing");
    if (!is_launch)
        verify(data[0], data[1], data[2], is_float);
    char version[256] = "", name[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("# %s, %s\n", version, name);
    return 0;
}
