/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck %s
 *
 * amp_printf and amp_abort on a GPU: the driver's vprintf with a block of arguments and the sizes that it knows; a
 * record of the first thread that aborts, and the end of each.
 *
 * CHECK: .extern .func {{.*}} vprintf
 * CHECK-DAG: .visible .global .align 4 .b8 amp__aborted[256];
 * "%lu %lx\n" and "%d\n", bytewise:
 * CHECK-DAG: .b8 {{.*}} = {37, 108, 117, 32, 37, 108, 120, 10{{.*}};
 * CHECK-DAG: .b8 {{.*}} = {37, 100, 10{{.*}};
 */
#include <amp.h>
#include <stdint.h>

/* CHECK: .entry sizes_kernel(
 * CHECK: .local .align 8 .b8 {{.*}}[
 * CHECK: call.uni
 * CHECK: call.uni
 */
void sizes(amp_index1 idx, int N, const size_t x[N], const uintmax_t y[N]) restrict(amp)
{
    amp_printf("%zu %jx\n", x[idx[0]], y[idx[0]]);
    if (x[idx[0]] > 5)
        amp_printf("%d\n", idx[0]);
}

/* CHECK: .entry gives_up_kernel(
 * CHECK: atom.global.exch.b32 {{.*}}, [{{amp__aborted|%rd[0-9]+}}], 1;
 * CHECK: exit;
 * CHECK: bar.sync
 * CHECK: ret;
 */
void gives_up(amp_tiled_index1(32) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[32];
    if (x[t.global[0]] < 0)
        amp_abort("negative");
    s[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s[31 - t.local[0]];
}
