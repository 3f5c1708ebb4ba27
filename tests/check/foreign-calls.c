// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// CUDA's functions of the runtime.
#include <amp.h>

int main(void)
{
    void *x;
    cudaMallocHost(&x, 4); // expected-error: call to undeclared function 'cudaMallocHost'; ... expected-note: use ordinary memory, or a staging array, amp_array_staging
    cudaMallocManaged(&x, 4); // expected-error: call to undeclared function 'cudaMallocManaged'; ... expected-note: make a view of ordinary memory: amp_array_view1(n, data)
    cudaMemcpyAsync(x, x, 4, 1, 0); // expected-error: call to undeclared function 'cudaMemcpyAsync'; ... expected-note: amp_copy_async(destination, source) knows the size and the direction
    cudaMemset(x, 0, 4); // expected-error: call to undeclared function 'cudaMemset'; ... expected-note: fill the host's memory before the view is made, or write a kernel
    cudaGetLastError(); // expected-error: call to undeclared function 'cudaGetLastError'; ... expected-note: amp_error_status() returns the first error, AMP_OK if there was none, and amp_error_text() describes it; the type is amp_status
    cudaSetDevice(1); // expected-error: call to undeclared function 'cudaSetDevice'; ... expected-note: amp_accelerator_set_default("cuda:1") chooses the accelerator
    cudaGetDeviceCount(x); // expected-error: call to undeclared function 'cudaGetDeviceCount'; ... expected-note: amp_accelerator_count() counts the accelerators
    cudaGetDeviceProperties(x, 0); // expected-error: call to undeclared function 'cudaGetDeviceProperties'; ... expected-note: amp_accelerator_info(accelerator) describes an accelerator
    cudaStreamCreate(x); // expected-error: call to undeclared function 'cudaStreamCreate'; ... expected-note: a stream is an amp_accelerator_view, from amp_accelerator_create_view(amp_accelerator_default(), AMP_QUEUING_MODE_AUTOMATIC)
    cudaStreamSynchronize(x); // expected-error: call to undeclared function 'cudaStreamSynchronize'; ... expected-note: amp_accelerator_view_wait(queue) waits for a queue
    cudaStreamWaitEvent(x, x); // expected-error: call to undeclared function 'cudaStreamWaitEvent'; ... expected-note: leave it out: launches on different queues that use the same data run in the order of their calls
    cudaStreamDestroy(x); // expected-error: call to undeclared function 'cudaStreamDestroy'; ... expected-note: amp_accelerator_view_release(queue) releases a queue
    cudaEventRecord(x); // expected-error: call to undeclared function 'cudaEventRecord'; ... expected-note: an event is an amp_future, from amp_accelerator_view_create_marker(queue) or a function whose name ends in _async
    cudaEventSynchronize(x); // expected-error: call to undeclared function 'cudaEventSynchronize'; ... expected-note: amp_future_wait(future) waits for an operation
    cudaEventElapsedTime(x, x, x); // expected-error: call to undeclared function 'cudaEventElapsedTime'; ... expected-note: run the program with AMP_PROFILE=1 to see how long its kernels take
    cudaMemGetInfo(x, x); // expected-error: call to undeclared function 'cudaMemGetInfo'; ... expected-note: amp_accelerator_info(accelerator) has the size of its memory
    return 0;
}
