/* SPDX-License-Identifier: MIT */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char source[] =
    /* kernel */
    "kernel void product(int W, global const float *a, global const float *b, global float *c)"
    "{"
    "    int row = get_global_id(0), column = get_global_id(1), N = get_global_size(1);"
    "    float sum = 0;"
    "    for (int k = 0; k < W; k++)"
    "        sum += a[row * W + k] * b[k * N + column];"
    "    c[row * N + column] = sum;"
    "}";
/* host */

int main(void)
{
    enum { M = 96, N = 160, W = 128 };
    static float a[M][W], b[W][N], c[M][N];
    for (int i = 0; i < M * W; i++)
        a[i / W][i % W] = (float)(i % 7);
    for (int i = 0; i < W * N; i++)
        b[i / N][i % N] = (float)(i % 9);
    cl_platform_id platform;
    cl_device_id device;
    cl_int e[13] = {0};
    e[0] = clGetPlatformIDs(1, &platform, NULL);
    e[1] = clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e[2]);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e[3]);
    cl_program program = clCreateProgramWithSource(context, 1, &(const char *){source}, NULL, &e[4]);
    e[5] = clBuildProgram(program, 1, &device, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "product", &e[6]);
    cl_mem as = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &e[7]);
    cl_mem bs = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof b, b, &e[8]);
    cl_mem cs = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof c, NULL, &e[9]);
    e[10] |= clSetKernelArg(kernel, 0, sizeof(cl_int), &(cl_int){W});
    e[10] |= clSetKernelArg(kernel, 1, sizeof as, &as);
    e[10] |= clSetKernelArg(kernel, 2, sizeof bs, &bs);
    e[10] |= clSetKernelArg(kernel, 3, sizeof cs, &cs);
    e[11] = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (size_t[]){M, N}, NULL, 0, NULL, NULL);
    e[12] = clEnqueueReadBuffer(queue, cs, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL);
    for (int i = 0; i < 13; i++)
        if (e[i] != CL_SUCCESS) {
            fprintf(stderr, "step %d: error %d\n", i, e[i]);
            return 1;
        }
    clReleaseMemObject(cs);
    clReleaseMemObject(bs);
    clReleaseMemObject(as);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("%g %g\n", c[0][0], c[M - 1][N - 1]);
    return 0;
}
