/* Each rank's own box of a view: what it has, what the host may do to it, and what others notice. */
#include "expect.h"

#include <stdio.h>
#include <string.h>

enum { N = 70, M = 90, SMALL = 3 };

/* The boxes of all ranks make up the view. */
static void check_boxes(const amp_array_view *view)
{
    static int owners[N * M];
    amp_extent extent = amp_array_view_extent(view);
    int rows = extent.rank > 1 ? extent.dim[0] : 1, columns = extent.dim[extent.rank - 1];
    memset(owners, 0, sizeof owners);
    for (int rank = 0; rank < amp_rank_count(); rank++) {
        amp_box box = amp_array_view_local(view, rank);
        EXPECT(box.origin.rank == extent.rank && box.extent.rank == extent.rank);
        int first = extent.rank > 1 ? box.origin.dim[0] : 0, n = extent.rank > 1 ? box.extent.dim[0] : 1;
        for (int i = first; i < first + n; i++)
            for (int j = 0; j < box.extent.dim[extent.rank - 1]; j++)
                owners[i * columns + box.origin.dim[extent.rank - 1] + j]++;
    }
    for (int i = 0; i < rows * columns; i++)
        EXPECT(owners[i] == 1);
}

/* Each rank adds to its box, whose elements are `factor` times their numbers in a matrix with rows of M. */
static void change(amp_array_view *view, int factor, int first)
{
    check_boxes(view);
    amp_box box = amp_array_view_local(view, amp_rank());
    int *at = amp_array_view_map_local(view, AMP_ACCESS_READ_WRITE);
    EXPECT(amp_error_status() == AMP_OK && (at || box.extent.dim[0] == 0));
    amp_box mapped = amp_array_view_local(view, amp_rank());
    EXPECT(!memcmp(&mapped, &box, sizeof box));
    ptrdiff_t stride = amp_array_view_stride(view, 0);
    for (int i = 0; at && i < box.extent.dim[0]; i++)
        for (int j = 0; j < box.extent.dim[1]; j++) {
            int number = first + (box.origin.dim[0] + i) * M + box.origin.dim[1] + j;
            EXPECT(at[i * stride + j] == factor * number);
            at[i * stride + j] += 1;
        }
    EXPECT(amp_array_view_map(view, AMP_ACCESS_READ) == NULL && amp_error_last_status() == AMP_ERROR_BUSY);
    amp_error_clear();
    EXPECT(amp_array_view_unmap(view) == AMP_OK);
}

static void check_whole(const int *data, int factor, int from, int to)
{
    for (int i = from; i < to; i++)
        EXPECT(data[i] == factor * i + 1);
}

int main(int argc, char **argv)
{
    static int data[N][M], few[SMALL], cube[2][3][4][5];
    amp_auto_array_view *x = amp_array_view2(N, M, data[0]), *y = amp_array_view1(SMALL, few);
    amp_auto_array_view *z =
        amp_array_view_create(amp_extent_n(4, (int[]){2, 3, 4, 5}), cube, AMP_TYPE_I32, sizeof(int), false);
    amp_auto_array_view *middle = amp_array_view_section(x, amp_index2(10, 20), amp_extent2(30, 40));
    amp_extent all = amp_extent2(N, M);

    /* 1. What a launch has written stays where it is. */
    amp_parallel_for_each(all, fill, x);
    amp_parallel_for_each(all, twice, x);
    change(x, 2, 0);
    EXPECT(amp_rank_count() == 1 || !data[N - 1][M - 1]);
    if (argc > 1 && amp_rank() == 1) /* this rank leaves out a call */
        return 1;
    const int *mine = amp_array_view_map_local(x, AMP_ACCESS_READ);
    amp_box box = amp_array_view_local(x, amp_rank());
    EXPECT(*mine == 2 * (box.origin.dim[0] * M + box.origin.dim[1]) + 1);
    amp_array_view_unmap(x);
    amp_synchronize(x);
    check_whole(data[0], 2, 0, N * M);

    /* 2. What the host has. A section, whose rows lie apart. */
    for (int i = 0; i < N * M; i++)
        data[0][i] = i;
    amp_refresh(x);
    change(middle, 1, 10 * M + 20);
    amp_parallel_for_each(all, twice, x);
    amp_synchronize(x);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            EXPECT(data[i][j] == 2 * (i * M + j + (i >= 10 && i < 40 && j >= 20 && j < 60)));

    /* 3. Fewer elements than ranks, and more dimensions than are cut. */
    check_boxes(y);
    int *one = amp_array_view_map_local(y, AMP_ACCESS_WRITE);
    box = amp_array_view_local(y, amp_rank());
    for (int i = 0; i < box.extent.dim[0]; i++)
        one[i] = box.origin.dim[0] + i + 1;
    amp_array_view_unmap(y);
    amp_synchronize(y);
    EXPECT(few[0] == 1 && few[1] == 2 && few[2] == 3);
    int n = 0;
    for (int rank = 0; rank < amp_rank_count(); rank++)
        n += (int)amp_extent_size(amp_array_view_local(z, rank).extent);
    EXPECT(n == 2 * 3 * 4 * 5);

    /* 4. Mistakes. */
    amp_auto_array_view *constant = amp_array_view_read_only(x);
    EXPECT(!amp_array_view_map_local(constant, AMP_ACCESS_WRITE) && amp_error_last_status() == AMP_ERROR_READ_ONLY);
    EXPECT(!amp_array_view_map_local(NULL, AMP_ACCESS_READ) && amp_error_last_status() == AMP_ERROR_NULL);
    EXPECT(!amp_array_view_local(x, amp_rank_count()).extent.rank);
    EXPECT(amp_error_last_status() == AMP_ERROR_INVALID_ARGUMENT);
    amp_error_clear();
    printf("%s\n", is_right ? "right" : "wrong");
    return !is_right;
}
