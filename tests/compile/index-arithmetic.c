/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:   | FileCheck %s --implicit-check-not="x i8]" --implicit-check-not="call {{.*}}@amp_index" \
 * RUN:     --implicit-check-not="call {{.*}}@amp_extent"
 * row: index.add, extent.contains
 *
 * Indices and extents of constant rank leave nothing in memory: no private array, no call; loads are contiguous. */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK-COUNT-4: load <16 x float>
 * CHECK: store <16 x float>
 */
void shifted(amp_index2 i, int M, int N, const float x[M][N], float y[M][N]) restrict(amp)
{
    amp_index at = amp_index_of2(i);
    amp_index right = amp_index_add(at, amp_index2(0, 1)), below = amp_index_add(at, amp_index2(1, 0));
    amp_index both = amp_index_add_int(amp_index_inc(at), 1);
    y[at.dim[0]][at.dim[1]] = x[at.dim[0]][at.dim[1]] + x[right.dim[0]][right.dim[1]] + x[below.dim[0]][below.dim[1]] +
                              x[both.dim[0]][both.dim[1]];
}

/* CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: store <16 x float>
 */
void inside(amp_tiled_index2(4, 16) t, int M, int N, const float x[M][N], float y[M][N]) restrict(amp)
{
    amp_extent e = amp_extent_pad(amp_extent2(M - 1, N - 1), amp_extent_n(2, t.tile_extent));
    amp_index at = amp_index_of2(t.global), next = amp_index_inc(at);
    float value = 0;
    if (amp_extent_contains(amp_extent2(M, N), next))
        value = x[next.dim[0]][next.dim[1]] * (float)amp_extent_size(e);
    y[at.dim[0]][at.dim[1]] = value;
}
