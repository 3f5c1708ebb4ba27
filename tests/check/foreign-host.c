// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// CUDA's host code has notes with our words.
#include <amp.h>

__global__ __launch_bounds__(64) void scale(float *x, int n) // expected-error: unknown type name '__global__' expected-note: did you mean restrict(amp)? ... expected-error: leave '__launch_bounds__' out: ...
{
    x[threadIdx.x] *= n; // expected-error: use of undeclared identifier 'threadIdx' expected-note: a thread's position is in the index, the first parameter of a kernel: 'amp_index1 idx'
}

static void k(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] = 1;
}

int main(void)
{
    float host[64] = {0}, *x;
    cudaError_t error; // expected-error: use of undeclared identifier 'cudaError_t' expected-note: amp_error_status() returns the first error, AMP_OK if there was none, and amp_error_text() describes it; the type is amp_status
    cudaMalloc(&x, sizeof host); // expected-error: call to undeclared function 'cudaMalloc'; ... expected-note: an array on the accelerator is amp_array1(float, n); a view of host memory, amp_array_view1(n, data), needs no memory of its own
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice); // expected-error: call to undeclared function 'cudaMemcpy'; ... expected-note: amp_copy(destination, source) knows the size and the direction; views are copied by themselves until amp_synchronize(view) expected-error: use of undeclared identifier 'cudaMemcpyHostToDevice'
    dim3 grid; // expected-error: use of undeclared identifier 'dim3' expected-note: the extent of a launch counts threads, 'amp_extent2(rows, columns)'; the size of a tile is in the kernel's index, 'amp_tiled_index2(16, 16) t'
    k<<<1, 64>>>(64, x); // expected-error: a launch is amp_parallel_for_each(extent, k, arguments...); the extent counts threads, not blocks
    k(amp_extent1(64), x); // expected-error: 'k' is a kernel; launch it with amp_parallel_for_each(extent, k, arguments...)
    k(64, 64, x); // expected-error: 'k' is a kernel; launch it with amp_parallel_for_each(extent, k, arguments...)
    k(x, 64); // expected-error: 'k' is a kernel; launch it with amp_parallel_for_each(extent, k, arguments...)
    cudaDeviceSynchronize(); // expected-error: call to undeclared function 'cudaDeviceSynchronize'; ... expected-note: amp_parallel_for_each is complete when it returns, and amp_synchronize(view) waits for the view's data; amp_accelerator_view_wait(queue) waits for a queue
    cudaFree(x); // expected-error: call to undeclared function 'cudaFree'; ... expected-note: release it with amp_array_release, or declare it as 'amp_auto_array *'
    cudaGraphLaunch(0, 0); // expected-error: call to undeclared function 'cudaGraphLaunch'; ... expected-note: the page "Coming from CUDA" of the documentation says what takes its place
    clFinish(0); // expected-error: call to undeclared function 'clFinish'; ... expected-note: amp_accelerator_view_wait(queue) waits, amp_accelerator_view_flush(queue) does not
    return 1 >>> 0; // expected-error: expected expression
}
