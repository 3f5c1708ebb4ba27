/* SPDX-License-Identifier: MIT
 *
 * An array holds a deep copy of its data on an accelerator; results are copied back when they are needed. */
#include <amp.h>
#include <stdio.h>

enum { N = 5 };

static void times_ten(amp_index1 idx, int n, int a[n]) restrict(amp)
{
    a[idx[0]] = a[idx[0]] * 10;
}

int main(void)
{
    int data[N];
    for (int i = 0; i < N; i++)
        data[i] = i;

    /* The elements are copied to the default accelerator now; from here on data and a are independent. */
    amp_auto_array *a = amp_array_from1(N, data);

    amp_parallel_for_each(amp_array_extent(a), times_ten, a);

    /* There is nothing to synchronise, but the results must be copied. */
    amp_copy_to(data, a, N);

    /* The first error of any call above. */
    if (amp_error_status() != AMP_OK) {
        fprintf(stderr, "array: %s\n", amp_error_text());
        return 1;
    }
    for (int i = 0; i < N; i++)
        printf("%d\n", data[i]);
    return 0;
}
