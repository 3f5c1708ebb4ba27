/* SPDX-License-Identifier: MIT
 *
 * Memory that the host and an accelerator share: the host accesses an array with a host access type directly,
 * without copies. */
#include <amp.h>
#include <stdio.h>

enum { N = 10 };

static void square(amp_index1 idx, int n, const int in[n], int out[n]) restrict(amp)
{
    out[idx[0]] = in[idx[0]] * in[idx[0]];
}

/* Fills `in` on the host, squares it into `out` on the accelerator, and prints that on the host. */
static amp_status run(amp_accelerator_view *on, amp_array *in, amp_array *out)
{
    amp_error_scope scope = amp_error_begin();
    int *numbers = amp_array_map_as(in, int, AMP_ACCESS_WRITE);
    for (int i = 0; numbers && i < N; i++)
        numbers[i] = i;
    amp_array_unmap(in);

    amp_parallel_for_each_on(on, amp_array_extent(out), square, in, out);

    const int *squares = amp_array_map_as(out, const int, AMP_ACCESS_READ);
    for (int i = 0; squares && i < N; i++)
        printf("%d%s", squares[i], i < N - 1 ? " " : "\n");
    amp_array_unmap(out);
    return amp_error_end(&scope);
}

int main(void)
{
    /* A machine may have several accelerators; take the default one. */
    amp_accelerator *accelerator = amp_accelerator_default();
    const amp_accelerator_properties *properties = amp_accelerator_info(accelerator);
    if (!properties) {
        fprintf(stderr, "shared_memory: %s\n", amp_error_text());
        return 1;
    }
    if (!properties->supports_cpu_shared_memory) {
        printf("The default accelerator does not support shared memory\n");
        return 1;
    }

    /* How the host may access arrays that are made without an access type. */
    amp_accelerator_set_default_cpu_access_type(accelerator, AMP_ACCESS_READ_WRITE);
    amp_accelerator_view *on = amp_accelerator_default_view(accelerator);
    amp_extent extent = amp_extent1(N);

    amp_auto_array *in = amp_array_on(int, extent, on, AMP_ACCESS_WRITE);              /* written by the host */
    amp_auto_array *out = amp_array_on(int, extent, on, AMP_ACCESS_READ);              /* read by the host */
    amp_auto_array *in_and_out = amp_array_on(int, extent, on, AMP_ACCESS_READ_WRITE); /* both */

    amp_status status = run(on, in, out);
    if (status == AMP_OK)
        status = run(on, in_and_out, out);

    if (status != AMP_OK)
        fprintf(stderr, "shared_memory: %s\n", amp_error_last_text());
    return status != AMP_OK;
}
