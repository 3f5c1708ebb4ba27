/* SPDX-License-Identifier: MIT */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char source[] =
    /* kernel */
    "kernel void saxpy(float a, global const float *x, global float *y)"
    "{"
    "    int i = get_global_id(0);"
    "    y[i] += a * x[i];"
    "}";
/* host */

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 8);
        y[i] = 1;
    }
    cl_platform_id platform;
    cl_device_id device;
    cl_int e[12] = {0};
    e[0] = clGetPlatformIDs(1, &platform, NULL);
    e[1] = clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e[2]);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e[3]);
    cl_program program = clCreateProgramWithSource(context, 1, &(const char *){source}, NULL, &e[4]);
    e[5] = clBuildProgram(program, 1, &device, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "saxpy", &e[6]);
    cl_mem xs = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x, &e[7]);
    cl_mem ys = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof y, y, &e[8]);
    e[9] |= clSetKernelArg(kernel, 0, sizeof(cl_float), &(cl_float){2});
    e[9] |= clSetKernelArg(kernel, 1, sizeof xs, &xs);
    e[9] |= clSetKernelArg(kernel, 2, sizeof ys, &ys);
    e[10] = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){N}, NULL, 0, NULL, NULL);
    e[11] = clEnqueueReadBuffer(queue, ys, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
    for (int i = 0; i < 12; i++)
        if (e[i] != CL_SUCCESS) {
            fprintf(stderr, "step %d: error %d\n", i, e[i]);
            return 1;
        }
    clReleaseMemObject(ys);
    clReleaseMemObject(xs);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("%g %g\n", y[0], y[N - 1]);
    return 0;
}
