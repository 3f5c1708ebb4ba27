/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <amp_algorithms.h>
#include <stdio.h>

#ifdef KERNEL
static void set(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] = 1;
}
#endif

/* Which accelerators the program has, the default one, and what it computes. */
int main(void)
{
    float data[5] = {1, 2, 3, 4, 5}, sum = 0;
    amp_auto_array_view *x = amp_array_view_whole1(data);
    for (int i = 0; i < amp_accelerator_count(); i++)
        printf("%s ", amp_accelerator_info(amp_accelerator_get(i))->path);
    printf("default %s", amp_accelerator_info(amp_accelerator_default())->path);
    amp_accelerator_view *cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
#ifdef KERNEL
    amp_parallel_for_each_on(cpu, amp_extent1(5), set, x);
#endif
    amp_reduce_sum_on(cpu, x, &sum);
    printf(", sum %g\n", sum);
    return amp_error_status() != AMP_OK;
}
