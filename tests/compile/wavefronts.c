/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefix=CODE %s
 * RUN: %ampcc -O0 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s -o %t.o
 *
 * Along the diagonals of tile memory, a window of a tile's threads works: they run one after another, if the others
 * have nothing to do meanwhile. In each step the tile asks the cache for a row of what the next tile accesses. */
#include <amp.h>

enum { TILE = 16 };

/* CHECK: kernel diagonals {{.*}}for x86-64-v4
 * CHECK: line 37 read part one thread after another
 * CHECK: line 37 write part one thread after another
 * CHECK: line 36 if the threads that take it run one after another: lanes would take longer
 *
 * It asks for 16 rows of 64 bytes, which may lie in two lines each.
 * CODE-LABEL: define {{.*}}@amp__run_0_0(
 * CODE: %is.left{{[0-9]*}} = icmp ult i64 %{{.*}}, 16
 * CODE: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0, i32 3, i32 1)
 * CODE: %[[last:.*]] = getelementptr i8, ptr %{{.*}}, i64 63
 * CODE: call void @llvm.prefetch.p0(ptr %[[last]], i32 0, i32 3, i32 1)
 */
void diagonals(amp_tiled_index1(TILE) t, int first, int n, int a[n][n]) restrict(amp)
{
    tile_static int part[TILE + 1][TILE + 1];
    int column = t.local[0], top = (first + t.tile[0]) * TILE;
    for (int row = 0; row < TILE; row++)
        part[row + 1][column + 1] = a[top + row][column];
    part[0][column] = part[column + 1][0] = 0;
    amp_tile_barrier_wait(t.barrier);
    for (int diagonal = 0; diagonal < 2 * TILE - 1; diagonal++) {
        int row = diagonal - column;
        if (row >= 0 && row < TILE)
            part[row + 1][column + 1] +=
                part[row][column + 1] > part[row + 1][column] ? part[row][column + 1] : part[row + 1][column];
        amp_tile_barrier_wait(t.barrier);
    }
    for (int row = 0; row < TILE; row++)
        a[top + row][column] = part[row + 1][column + 1];
}

/* The other threads count. The next tile's rows are near, and nothing asks for them.
 * CHECK: kernel others {{.*}}for x86-64-v4
 * CHECK-NOT: one after another
 * CODE-LABEL: define {{.*}}@amp__run_1_0(
 * CODE-NOT: call void @llvm.prefetch
 */
void others(amp_tiled_index1(TILE) t, int n, int a[n][n]) restrict(amp)
{
    tile_static int part[TILE + 1][TILE + 1], counts[TILE];
    int column = t.local[0], left = t.tile[0] * TILE;
    for (int row = 0; row < TILE; row++)
        part[row + 1][column + 1] = a[row][left + column];
    part[0][column] = part[column + 1][0] = counts[column] = 0;
    amp_tile_barrier_wait(t.barrier);
    for (int diagonal = 0; diagonal < 2 * TILE - 1; diagonal++) {
        int row = diagonal - column;
        if (row >= 0 && row < TILE)
            part[row + 1][column + 1] += part[row][column + 1];
        else
            counts[column]++;
        amp_tile_barrier_wait(t.barrier);
    }
    for (int row = 0; row < TILE; row++)
        a[row][left + column] = part[row + 1][column + 1] + counts[column];
}

/* Each step reads from the array, too: then there is something to load all the time.
 * CODE-LABEL: define {{.*}}@amp__run_2_0(
 * CODE-NOT: call void @llvm.prefetch
 */
void reading(amp_tiled_index1(TILE) t, int first, int n, int a[n][n]) restrict(amp)
{
    tile_static int part[TILE];
    int column = t.local[0], top = (first + t.tile[0]) * TILE;
    part[column] = a[top + column][0];
    amp_tile_barrier_wait(t.barrier);
    for (int step = 0; step < TILE; step++) {
        part[(column + step) % TILE] += a[top + column][step];
        amp_tile_barrier_wait(t.barrier);
    }
    a[top + column][0] = part[column];
}
