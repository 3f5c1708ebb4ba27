/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 -c %s --amp-dump-after=optimise --amp-stop-after=optimise \
 * RUN:   | FileCheck %s --implicit-check-not=vector.body --implicit-check-not=wide.masked
 * RUN: %ampcc -O3 --amp-lanes=1 -c %s --amp-dump-after=optimise --amp-stop-after=optimise \
 * RUN:   | FileCheck %s --implicit-check-not=vector.body --implicit-check-not=wide.masked
 *
 * LLVM's loop vectoriser stays off: what is scalar in a kernel is so on purpose. Of the first kernel's loop it also
 * made code that reads anywhere (LLVM 22): it computes the address, which is the same in each pass, only where the
 * first of its passes needs it. */
#include <amp.h>

// CHECK-LABEL: define {{.*}}@amp__run_0_0(
void address(amp_index3 idx, int D0, int D1, int D2, int n, unsigned out[D0][D1][D2], const double a[D0 + 3][D1][D1])
    restrict(amp)
{
    unsigned bits = 0;
    int k = 0;
    do {
        bits |= (idx[0] / 18 + (idx[1] & 15) < k + 1
                     ? (unsigned)a[(unsigned)((1 - idx[1]) * 5) % (unsigned)(D0 + 3)][idx[1]][idx[1]]
                     : 1u) &
                1u;
    } while (++k < (n & 7));
    out[idx[0]][idx[1]][idx[2]] = bits;
}

// CHECK-LABEL: define {{.*}}@amp__run_1_0(
void sums(amp_index1 idx, int R, int n, const int x[R][n], int out[R]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[idx[0]][k] * k;
    out[idx[0]] = sum;
}
