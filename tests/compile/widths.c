/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v2,x86-64-v3,x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:   | FileCheck %s --check-prefix=EACH
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v3 --amp-lanes=32 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:   | FileCheck %s --check-prefix=WIDE
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-lanes=1 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:   | FileCheck %s --check-prefix=ONE
 *
 * How many lanes there are: as many floats as a register of the target holds, or half as many doubles; a narrow tile's
 * columns; what the option says.
 *
 * EACH: ---- x86-64-v2
 * EACH: define {{.*}}@amp__run_0_0(
 * EACH: load <4 x float>
 * EACH: store <4 x float>
 * EACH: define {{.*}}@amp__run_1_0(
 * EACH: load <2 x double>
 * EACH: define {{.*}}@amp__run_2_0(
 * EACH: load <4 x i32>
 * EACH: ---- x86-64-v3
 * EACH: define {{.*}}@amp__run_0_1(
 * EACH: load <8 x float>
 * EACH: store <8 x float>
 * EACH: define {{.*}}@amp__run_1_1(
 * EACH: load <4 x double>
 * EACH: define {{.*}}@amp__run_2_1(
 * EACH: load <4 x i32>
 * EACH: ---- x86-64-v4
 * EACH: define {{.*}}@amp__run_0_2(
 * EACH: load <16 x float>
 * EACH: store <16 x float>
 * EACH: define {{.*}}@amp__run_1_2(
 * EACH: load <8 x double>
 * EACH: define {{.*}}@amp__run_2_2(
 * EACH: load <4 x i32>
 *
 * WIDE: define {{.*}}@amp__run_0_0(
 * WIDE: store <32 x float>
 * WIDE: define {{.*}}@amp__run_1_0(
 * WIDE: store <32 x double>
 * WIDE: define {{.*}}@amp__run_2_0(
 * WIDE: store <4 x i32>
 *
 * ONE: define {{.*}}@amp__run_0_0(
 * ONE-NOT: {{<[0-9]+ x}}
 * ONE: attributes
 */
#include <amp.h>

void floats(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] = -x[idx[0]];
}

void doubles(amp_index1 idx, int N, double x[N]) restrict(amp)
{
    x[idx[0]] = -x[idx[0]];
}

void narrow(amp_tiled_index2(8, 4) t, int M, int N, int x[M][N]) restrict(amp)
{
    x[t.global[0]][t.global[1]] += t.local[0];
}
