/* SPDX-License-Identifier: MIT
 *
 * As many threads as the argument says launch, and map what a rank has for itself, each with views of its own. In a dry
 * run they send that many times what one sends. */
#include <amp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 256, TIMES = 100, MOST = 2 };

static void across(amp_index2 idx, int M, const float from[M][M], float to[M][M]) restrict(amp)
{
    to[idx[0]][idx[1]] = from[idx[1]][idx[0]] + 1;
}

static void *work(void *memory)
{
    amp_extent all = amp_extent2(N, N);
    amp_auto_array_view *x = amp_array_view2(N, N, (float *)memory),
                        *y = amp_array_view2(N, N, (float *)memory + N * N);
    amp_auto_array_view *half = amp_array_view_section(y, amp_index2(3, 5), amp_extent2(N / 2, N / 2));
    for (int i = 0; i < TIMES; i++) {
        amp_parallel_for_each(all, across, x, y);
        amp_array_view_map_local(half, AMP_ACCESS_READ_WRITE);
        amp_array_view_unmap(half);
        amp_parallel_for_each(all, across, y, x);
    }
    if (amp_error_status() != AMP_OK)
        printf("%s\n", amp_error_text());
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t threads[MOST];
    void *memory[MOST];
    for (int i = 0; i < n; i++)
        if (!(memory[i] = calloc(2 * N * N, sizeof(float))) || pthread_create(&threads[i], NULL, work, memory[i]))
            return 1;
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        free(memory[i]);
    }
    return 0;
}
