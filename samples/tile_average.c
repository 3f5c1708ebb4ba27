/* SPDX-License-Identifier: MIT
 *
 * The average of each 2x2 tile of a 4x6 matrix, at each element of the tile. */
#include <amp.h>
#include <stdio.h>

static void average_tile(amp_tiled_index2(2, 2) idx, int M, int N, const int sample[M][N], int average[M][N])
    restrict(amp)
{
    /* There is one `nums` for each tile, which its four threads share. */
    tile_static int nums[2][2];

    /* Each thread copies one value, so that all four together fill it. */
    nums[idx.local[1]][idx.local[0]] = sample[idx.global[0]][idx.global[1]];

    /* Wait until all threads of the tile have done so. */
    amp_tile_barrier_wait(idx.barrier);

    /* Now all of nums is valid, and each thread calculates the average. */
    int sum = nums[0][0] + nums[0][1] + nums[1][0] + nums[1][1];
    average[idx.global[0]][idx.global[1]] = sum / 4;
}

int main(void)
{
    const int sample_data[4][6] = {
        {2, 2, 9, 7, 1, 4},
        {4, 4, 8, 8, 3, 4},
        {1, 5, 1, 2, 5, 2},
        {6, 8, 3, 2, 7, 2},
    };
    int average_data[4][6] = {{0}};

    amp_auto_array_view *sample = amp_array_view_whole2(sample_data);
    amp_auto_array_view *average = amp_array_view_whole2(average_data);

    /* The kernel's index has tiles of 2x2, so the 4x6 threads run in 2x3 tiles. */
    amp_parallel_for_each(amp_array_view_extent(sample), average_tile, sample, average);
    amp_synchronize(average);

    if (amp_error_status() != AMP_OK) {
        fprintf(stderr, "tile_average: %s\n", amp_error_text());
        return 1;
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 6; j++)
            printf("%d ", average_data[i][j]);
        printf("\n");
    }
    return 0;
}
