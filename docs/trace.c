/* SPDX-License-Identifier: MIT
 *
 * Two steps for each of four pictures, on two queues, so that a step of one picture runs beside a step of another:
 * docs/trace.py draws its trace. */
#include <amp.h>
#include <stdio.h>

enum { SIZE = 1024, N_PICTURES = 4 };

static void blur(amp_index2 idx, int M, int N, const float from[M][N], float to[M][N]) restrict(amp)
{
    float sum = 0;
    int n = 0;
    for (int y = idx[0] - 4; y <= idx[0] + 4; y++)
        for (int x = idx[1] - 4; x <= idx[1] + 4; x++)
            if (y >= 0 && y < M && x >= 0 && x < N) {
                sum += from[y][x];
                n++;
            }
    to[idx[0]][idx[1]] = sum / (float)n;
}

static void sharpen(amp_index2 idx, int M, int N, const float blurred[M][N], float picture[M][N]) restrict(amp)
{
    float value = picture[idx[0]][idx[1]];
    for (int i = 0; i < 200; i++)
        value += (value - blurred[idx[0]][idx[1]]) * 0.001f;
    picture[idx[0]][idx[1]] = value;
}

int main(void)
{
    static float pixels[N_PICTURES][SIZE][SIZE], camera[SIZE][SIZE];
    amp_extent extent = amp_extent2(SIZE, SIZE);
    amp_accelerator_view *queues[2];
    amp_array_view *pictures[N_PICTURES], *blurred[N_PICTURES];
    for (int i = 0; i < 2; i++)
        queues[i] = amp_accelerator_create_view(amp_accelerator_default(), AMP_QUEUING_MODE_AUTOMATIC);
    for (int i = 0; i < N_PICTURES; i++) {
        pictures[i] = amp_array_view2(SIZE, SIZE, pixels[i][0]);
        blurred[i] = amp_array_view_without_source2(float, SIZE, SIZE);
        amp_copy(pictures[i], camera[0]);
        amp_future_release(amp_parallel_for_each_on_async(queues[0], extent, blur, pictures[i], blurred[i]));
        amp_future_release(amp_parallel_for_each_on_async(queues[1], extent, sharpen, blurred[i], pictures[i]));
    }
    for (int i = 0; i < 2; i++)
        amp_accelerator_view_wait(queues[i]);
    for (int i = 0; i < N_PICTURES; i++) {
        amp_array_view_release(pictures[i]);
        amp_array_view_release(blurred[i]);
    }
    for (int i = 0; i < 2; i++)
        amp_accelerator_view_release(queues[i]);
    if (amp_error_status() != AMP_OK)
        fprintf(stderr, "%s\n", amp_error_text());
    return amp_error_status() != AMP_OK;
}
