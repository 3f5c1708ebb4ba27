/* SPDX-License-Identifier: MIT
 *
 * An index is the position of an element in a view. */
#include <amp.h>
#include <stdio.h>

int main(void)
{
    int data[] = {1, 2, 3, 4, 5, 6};
    amp_auto_array_view *a = amp_array_view2(2, 3, data); /* two rows, three columns */
    amp_index idx = amp_index2(1, 2);

    const int *elements = amp_array_view_map_as(a, const int, AMP_ACCESS_READ);
    if (!elements) {
        fprintf(stderr, "index: %s\n", amp_error_text());
        return 1;
    }
    if (amp_extent_contains(amp_array_view_extent(a), idx))
        printf("%d\n", elements[idx.dim[0] * amp_array_view_stride(a, 0) + idx.dim[1] * amp_array_view_stride(a, 1)]);
    amp_array_view_unmap(a);
    return 0;
}
