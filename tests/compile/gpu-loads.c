/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck %s
 *
 * Loads go in front of square roots, divisions and functions, which take branches; but not across stores.
 */
#include <amp.h>
#include <math.h>

/* CHECK: .entry root_kernel(
 * CHECK: ld.global
 * CHECK-NOT: sqrt
 * CHECK: ld.global
 * CHECK: sqrt.rn
 */
void root(amp_index1 idx, int N, const float a[N], const float b[N], const int at[N], float c[N]) restrict(amp)
{
    int i = idx[0];
    c[i] = sqrtf(a[i]) / b[i + 1];
}

/* CHECK: .entry exponential_kernel(
 * CHECK: ld.global
 * CHECK-NOT: ex2
 * CHECK: ld.global
 * CHECK-NOT: ex2
 * CHECK: ld.global
 * CHECK: ex2.approx
 */
void exponential(amp_index1 idx, int N, const float a[N], const float b[N], const int at[N], float c[N]) restrict(amp)
{
    int i = idx[0];
    float e = expf(a[i]);
    c[i] = e + b[at[i]];
}

/* CHECK: .entry between_kernel(
 * CHECK: ld.global
 * CHECK: sqrt.rn
 * CHECK: st.global
 * CHECK: ld.global
 */
void between(amp_index1 idx, int N, const float a[N], const float b[N], const int at[N], float c[N]) restrict(amp)
{
    int i = idx[0];
    c[i] = sqrtf(a[i]);
    c[i + 1] = b[i];
}
