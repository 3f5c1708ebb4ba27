/* What only a GPU shows: its native handles, running out of its memory, and a kernel that makes the device fail.
 * REQUIRES: cuda
 * RUN: %ampcc -O2 %s -o %t && %t
 * SPDX-License-Identifier: MIT */
#include <amp.h>
#include <stdio.h>
#include <string.h>

static int n_failed;

static void check(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s; the error is %s: %s\n", what, amp_status_name(amp_error_status()), amp_error_text());
        n_failed++;
    }
}

static void increment(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]]++;
}

static void write_far_away(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[((long)idx[0] + 1) << 38] = 1;
}

int main(void)
{
    static int data[1000];
    amp_accelerator *gpu = amp_accelerator_default();
    const char *path = gpu ? amp_accelerator_info(gpu)->path : "none";
    check(!strncmp(path, "cuda:", 5), "the default is no GPU, and all kernels have code for it");
    check(amp_accelerator_native_handle(gpu), "there is no native handle");
    amp_accelerator_view *on = amp_accelerator_default_view(gpu);
    check(amp_accelerator_view_native_handle(on), "the queue has no native handle");

    amp_array *large = amp_array_create(amp_extent2(1 << 20, 1 << 20), AMP_TYPE_F64, 8, NULL, on, AMP_ACCESS_AUTO);
    check(!large && amp_error_status() == AMP_ERROR_OUT_OF_MEMORY, "8 TiB were found");
    check(strstr(amp_error_text(), "CUDA_ERROR_OUT_OF_MEMORY"), "the driver's name for it is not told");
    amp_error_clear();

    amp_array_view *x = amp_array_view1(1000, data);
    check(amp_parallel_for_each(amp_extent1(1000), increment, x) == AMP_OK && amp_synchronize(x) == AMP_OK &&
              data[0] == 1 && data[999] == 1,
          "a kernel does not run");
    amp_parallel_for_each(amp_extent1(1), write_far_away, x);
    check(amp_synchronize(x) == AMP_ERROR_ACCELERATOR_VIEW_REMOVED, "a wrong address is not told");
    check(strstr(amp_error_text(), "write_far_away") && strstr(amp_error_text(), path), "nor which kernel and device");
    amp_error_clear();
    check(amp_parallel_for_each(amp_extent1(1000), increment, x) == AMP_ERROR_ACCELERATOR_VIEW_REMOVED, "it goes on");
    amp_error_clear();
    check(data[0] == 1 && data[999] == 1, "the host's memory has changed");
    amp_array_view_release(x);

    x = amp_array_view1(1000, data);
    amp_accelerator_view *cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    check(amp_parallel_for_each_on(cpu, amp_extent1(1000), increment, x) == AMP_OK && amp_synchronize(x) == AMP_OK &&
              data[0] == 2 && data[999] == 2,
          "the cpu does not go on");
    amp_array_view_release(x);
    return n_failed;
}
