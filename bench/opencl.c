/* SPDX-License-Identifier: MIT
 *
 * OpenCL on the platform's CPU (Debian's pocl). The library is opened at run time, by its ABI: no headers are needed to
 * build. */
#include "opencl.h"
#include "bench.h"
#include <dlfcn.h>

/* The numbers are those of the OpenCL 1.2 specification, CL/cl.h. */
enum {
    CL_DEVICE_TYPE_CPU = 2,
    CL_DEVICE_VERSION = 0x102F,
    CL_MEM_READ_WRITE = 1,
    CL_MEM_USE_HOST_PTR = 8,
    CL_MAP_READ = 1,
    CL_PROGRAM_BUILD_LOG = 0x1183
};

#define FUNCTIONS(X)                                                                                                   \
    X(int, clGetPlatformIDs, (unsigned, void **, unsigned *))                                                          \
    X(int, clGetDeviceIDs, (void *, uint64_t, unsigned, void **, unsigned *))                                          \
    X(int, clGetDeviceInfo, (void *, unsigned, size_t, void *, size_t *))                                              \
    X(void *, clCreateContext, (const intptr_t *, unsigned, void *const *, void *, void *, int *))                     \
    X(void *, clCreateCommandQueue, (void *, void *, uint64_t, int *))                                                 \
    X(void *, clCreateProgramWithSource, (void *, unsigned, const char **, const size_t *, int *))                     \
    X(int, clBuildProgram, (void *, unsigned, void *const *, const char *, void *, void *))                            \
    X(int, clGetProgramBuildInfo, (void *, void *, unsigned, size_t, void *, size_t *))                                \
    X(void *, clCreateKernel, (void *, const char *, int *))                                                           \
    X(void *, clCreateBuffer, (void *, uint64_t, size_t, void *, int *))                                               \
    X(int, clSetKernelArg, (void *, unsigned, size_t, const void *))                                                   \
    X(int, clEnqueueNDRangeKernel,                                                                                     \
      (void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned, void *, void *))            \
    X(void *, clEnqueueMapBuffer,                                                                                      \
      (void *, void *, unsigned, uint64_t, size_t, size_t, unsigned, void *, void *, int *))                           \
    X(int, clEnqueueUnmapMemObject, (void *, void *, void *, unsigned, void *, void *))                                \
    X(int, clFinish, (void *))

#define DECLARE(result, name, parameters) static result(*name) parameters;
FUNCTIONS(DECLARE)

static void *device, *context, *queue;

static void check(int error, const char *call)
{
    if (error) {
        fprintf(stderr, "%s: OpenCL error %d\n", call, error);
        exit(1);
    }
}

static void open_device(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library)
        missing("libOpenCL.so.1 (package ocl-icd-libopencl1)");
#define LOAD(result, name, parameters)                                                                                 \
    if (!(name = (result(*) parameters)dlsym(library, #name)))                                                         \
        die("libOpenCL.so.1 lacks " #name);
    FUNCTIONS(LOAD)
    void *platform = NULL;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL))
        missing("an OpenCL platform with a CPU (package pocl-opencl-icd)");
    int error = 0;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
}

void *cl_program(const char *source, const char *options)
{
    if (!device)
        open_device();
    int error = 0;
    void *program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, options, NULL, NULL)) {
        static char log[4096];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        die(log);
    }
    return program;
}

void *cl_kernel(void *program, const char *name)
{
    int error = 0;
    void *kernel = clCreateKernel(program, name, &error);
    check(error, "clCreateKernel");
    return kernel;
}

void *cl_buffer(void *data, size_t size_bytes)
{
    int error = 0;
    void *buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size_bytes, data, &error);
    check(error, "clCreateBuffer");
    return buffer;
}

void cl_run(void *kernel, unsigned rank, const size_t *global, const size_t *local, unsigned n,
            const struct cl_value *values)
{
    for (unsigned i = 0; i < n; i++)
        check(clSetKernelArg(kernel, i, values[i].size_bytes, values[i].value), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, rank, NULL, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

void cl_finish(void)
{
    check(clFinish(queue), "clFinish");
}

void cl_read(void *buffer, size_t size_bytes)
{
    int error = 0;
    void *data = clEnqueueMapBuffer(queue, buffer, 1, CL_MAP_READ, 0, size_bytes, 0, NULL, NULL, &error);
    check(error, "clEnqueueMapBuffer");
    check(clEnqueueUnmapMemObject(queue, buffer, data, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    cl_finish();
}

const char *bench_note(void)
{
    static char version[256];
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    return version;
}
