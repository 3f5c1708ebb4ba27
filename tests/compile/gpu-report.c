/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-gpu=sm_75 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-gpu=sm_75 --amp-report=json -c %s -o %t.o | python3 -m json.tool \
 * RUN:     | FileCheck --check-prefix=JSON %s
 *
 * What --amp-report says of GPUs, with ptxas and without.
 *
 * JSON: "target": "baseline"
 * JSON: "target": "sm_75"
 * JSON: "rows": 8,
 * JSON-NEXT: "columns": 8,
 * JSON-NEXT: "staged": 8,
 * JSON-NEXT: "ptxas":
 */
#include <amp.h>

/* CHECK: gpu-report.c:[[#@LINE+3]]: kernel product (rank 2; a[][], b[][], c[][]) for sm_75: blocks of 16 x 16 threads; for large domains 8 rows x 8 columns of points per thread, staging 8 iterations of a loop in shared memory
 * CHECK-NEXT: {{^}}    ptxas {{ *[0-9]+ registers, spills none|.*not there}}
 */
void product(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* CHECK: kernel mirror {{.*}}for sm_75: blocks of 64 threads
 * CHECK-NEXT: {{^}}    ptxas {{ *[0-9]+ registers, 256 bytes of shared memory, spills none$|.*not there}}
 */
void mirror(amp_tiled_index1(64) t, int N, int a[N]) restrict(amp)
{
    tile_static int tile[64];
    tile[t.local[0]] = a[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    a[t.global[0]] = tile[63 - t.local[0]];
}
