/* SPDX-License-Identifier: MIT
 *
 * The average of each tile, one number per tile: the threads of a tile fill its tile_static memory,
 * wait with a fence for that memory only, and one of them adds it up. */
#include <amp.h>
#include <stdio.h>

enum { SAMPLESIZE = 2 };

static void average_tiles(amp_tiled_index2(SAMPLESIZE, SAMPLESIZE) t_idx, int M, int N, const float matrix[M][N],
                          float averages[M / SAMPLESIZE][N / SAMPLESIZE]) restrict(amp)
{
    /* Copy the data from global memory to tile_static memory. */
    tile_static float tile_values[SAMPLESIZE][SAMPLESIZE];
    tile_values[t_idx.local[0]][t_idx.local[1]] = matrix[t_idx.global[0]][t_idx.global[1]];

    /* Wait until all of tile_values is filled. The tile's threads exchange nothing through arrays. */
    amp_tile_barrier_wait_with_tile_static_memory_fence(t_idx.barrier);

    /* Without this condition, all threads of the tile would add to one element at once. */
    if (t_idx.local[0] == 0 && t_idx.local[1] == 0) {
        float *average = &averages[t_idx.tile[0]][t_idx.tile[1]];
        for (int row = 0; row < SAMPLESIZE; row++)
            for (int col = 0; col < SAMPLESIZE; col++)
                *average += tile_values[row][col];
        *average /= SAMPLESIZE * SAMPLESIZE;
    }
}

int main(void)
{
    enum { ROWS = 4, COLS = 6 };
    const float matrix_data[ROWS][COLS] = {
        {2, 2, 9, 7, 1, 4},
        {4, 4, 8, 8, 3, 4},
        {1, 5, 1, 2, 5, 2},
        {6, 8, 3, 2, 7, 2},
    };
    float average_data[ROWS / SAMPLESIZE][COLS / SAMPLESIZE] = {{0}};

    amp_auto_array_view *matrix = amp_array_view_whole2(matrix_data);
    amp_auto_array_view *averages = amp_array_view_whole2(average_data);

    amp_parallel_for_each(amp_array_view_extent(matrix), average_tiles, matrix, averages);
    amp_synchronize(averages);

    /* The first error of any call above. */
    if (amp_error_status() != AMP_OK) {
        fprintf(stderr, "fences: %s\n", amp_error_text());
        return 1;
    }
    for (int i = 0; i < ROWS / SAMPLESIZE; i++) {
        for (int j = 0; j < COLS / SAMPLESIZE; j++)
            printf("%g ", average_data[i][j]);
        printf("\n");
    }
    return 0;
}
