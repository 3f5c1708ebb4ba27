/* SPDX-License-Identifier: MIT
 *
 * An extent says how many elements a view has in each dimension. */
#include <amp.h>
#include <stdio.h>

int main(void)
{
    int data[] = {
        111, 112, 113, 114, /**/ 121, 122, 123, 124, /**/ 131, 132, 133, 134,

        211, 212, 213, 214, /**/ 221, 222, 223, 224, /**/ 231, 232, 233, 234,
    };
    amp_extent e = amp_extent3(2, 3, 4);
    amp_auto_array_view *a = amp_array_view_n(e, data);
    if (!a) {
        fprintf(stderr, "extent: %s\n", amp_error_text());
        return 1;
    }
    amp_extent extent = amp_array_view_extent(a);
    printf("rank %d: %d x %d x %d, %d elements\n", extent.rank, extent.dim[0], extent.dim[1], extent.dim[2],
           (int)amp_extent_size(extent));
    return 0;
}
