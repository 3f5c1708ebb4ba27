/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O0 -fsanitize=undefined -fno-sanitize-recover=undefined %s -o %t && %t | FileCheck %s
 * RUN: not %t overflow 2>&1 | FileCheck %s --check-prefix=STOP
 * RUN: %ampcc -O2 -fsanitize=undefined -fno-sanitize-recover=undefined %s -o %t && %t | FileCheck %s
 * RUN: not %t overflow 2>&1 | FileCheck %s --check-prefix=STOP
 *
 * Calls that do not return, behind checks of values that differ between threads, are no divergent control flow for the
 * barriers behind.
 * STOP: sanitize-tiles.c:{{[0-9]+}}:{{[0-9]+}}: runtime error: signed integer overflow: 2000000000 * 3
 */
#include <amp.h>
#include <stdio.h>
static void k(amp_tiled_index1(8) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static int s[8];
    s[t.local[0]] = x[t.global[0]] * 3;
    amp_tile_barrier_wait(t.barrier);
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += s[i] + (1 << (t.local[0] + i));
    amp_tile_barrier_wait(t.barrier);
    s[t.local[0]] = sum;
    amp_tile_barrier_wait(t.barrier);
    y[t.global[0]] = s[7 - t.local[0]];
}
int main(int argc, char **argv)
{
    int x[16], y[16];
    (void)argv;
    for (int i = 0; i < 16; i++)
        x[i] = i;
    if (argc > 1)
        x[9] = 2000000000;
    amp_array_view *a = amp_array_view1(16, (const int *)x), *b = amp_array_view1(16, y);
    amp_parallel_for_each(amp_extent1(16), k, a, b);
    /* CHECK: 32724 16404 8244 4164 2124 1104 594 339 32916 16596 8436 4356 2316 1296 786 531 .
     */
    for (int i = 0; i < 16; i++)
        printf("%d ", y[i]);
    puts(".");
    amp_array_view_release(b);
    amp_array_view_release(a);
    return 0;
}
