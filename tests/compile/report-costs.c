/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-report -c %s -o %t.o 2>&1 | FileCheck --match-full-lines %s
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v2 --amp-report -c %s -o %t.o 2>&1 | FileCheck --match-full-lines --check-prefix=V2 %s
 *
 * What --amp-report says of things that cost: the line, and what would avoid it.
 */
#include <amp.h>
#include <math.h>

/* CHECK: {{.*}}: kernel gathered {{.*}}for x86-64-v4: 16 lanes
 * CHECK-NEXT: memory  line [[#@LINE+8]]  read at  contiguous
 * CHECK-NEXT: line [[#@LINE+7]]  read a gather
 * CHECK-NEXT: -> the index comes from memory: order the data so that neighbours in the last dimension read neighbours
 * CHECK-NEXT: line [[#@LINE+6]]  write o  contiguous
 * CHECK-NEXT: masks   none
 */
void gathered(amp_index1 idx, int n, const int at[n], const float a[n], float o[n]) restrict(amp)
{
    float x = a[at[idx[0]]];
    o[idx[0]] = x;
}

/* CHECK: {{.*}}: kernel scattered {{.*}}for {{.*}}
 * CHECK-NEXT: memory  line [[#@LINE+6]]  read at  contiguous
 * CHECK-NEXT: line [[#@LINE+5]]  write o  scatter
 * CHECK-NEXT: -> the index comes from memory: {{.*}}
 */
void scattered(amp_index1 idx, int n, const int at[n], int o[n]) restrict(amp)
{
    o[at[idx[0]]] = idx[0];
}

/* CHECK: {{.*}}: kernel transposed {{.*}}for {{.*}}
 * CHECK-NEXT: memory  line [[#@LINE+5]]  read a gather
 * CHECK-NEXT: -> lanes lie rows apart: let the last dimension of the index stand last, x[...][idx[n]]
 */
void transposed(amp_index2 idx, int m, int n, const float a[n][m], float o[m][n]) restrict(amp)
{
    o[idx[0]][idx[1]] = a[idx[1]][idx[0]];
}

/* CHECK: {{.*}}: kernel wrapping {{.*}}for {{.*}}
 * CHECK-NEXT: memory  line [[#@LINE+6]]  read a contiguous where a test finds it, otherwise gather
 * CHECK-NEXT: -> the index may wrap around in its type: compute it in int, {{.*}}
 */
void wrapping(amp_index1 idx, int n, unsigned k, const float a[n], float o[n]) restrict(amp)
{
    unsigned i = idx[0];
    o[i] = a[i + k];
}

/* A small stride needs no gather, and no advice; a large one does.
 * CHECK: {{.*}}: kernel strides {{.*}}for {{.*}}
 * CHECK-NEXT: memory  line [[#@LINE+13]]  read few   strided by 4: 4 vectors and a shuffle
 * CHECK-NEXT: line [[#@LINE+13]]  read many  strided by 9: gather
 * CHECK-NEXT: -> lanes lie several elements apart: an array for each member instead of an array of structs puts them side by side
 * CHECK-NEXT: line [[#@LINE+12]]  write o    contiguous
 */
struct four {
    float x, y, z, w;
};
struct nine {
    float x[9];
};
void strides(amp_index1 idx, int n, const struct four few[n], const struct nine many[n], float o[n]) restrict(amp)
{
    float sum = few[idx[0]].y;
    sum += many[idx[0]].x[4];
    o[idx[0]] = sum;
}

/* CHECK: {{.*}}: kernel functions {{.*}}for {{.*}}
 * CHECK: calls   line [[#@LINE+12]]  sinf     a function for vectors
 * CHECK-NEXT: line [[#@LINE+12]]  tgammaf  lane by lane
 * CHECK-NEXT: -> it has no version for vectors: call it less often, {{.*}}
 * CHECK-NEXT: line [[#@LINE+11]]  fmodf    lane by lane
 * CHECK-NEXT: -> it has no version for vectors; write x - y * trunc(x / y) if {{.*}}
 * CHECK-NEXT: spills  {{.*}}
 * V2: {{.*}}: kernel functions {{.*}}for x86-64-v2: 4 lanes{{.*}}
 * V2: line [[#@LINE+9]]  fmaf     lane by lane: this target has no instruction for it
 * V2-NEXT: -> x86-64-v3 has it; a * b + c lets the compiler choose
 */
void functions(amp_index1 idx, int n, const float a[n], float o[n]) restrict(amp)
{
    float x = a[idx[0]], sum = sinf(x);
    sum += tgammaf(x);
    sum += fmodf(x, 3);
    sum += sqrtf(x);
    o[idx[0]] = fmaf(sum, x, 2);
}

/* CHECK: {{.*}}: kernel doubles {{.*}}for x86-64-v4: 8 lanes
 * CHECK: notes   line [[#@LINE+6]]  a  64-bit elements: half as many in a vector as of 32 bits
 * CHECK-NEXT: line [[#@LINE+5]]  o  64-bit elements: half as many in a vector as of 32 bits
 * CHECK-NEXT: -> float or int, where they suffice, take half the time
 */
void doubles(amp_index1 idx, int n, const double a[n], double o[n]) restrict(amp)
{
    o[idx[0]] = 2 * a[idx[0]];
}

/* CHECK: {{.*}}: kernel promoted {{.*}}for {{.*}}
 * CHECK: notes   line [[#@LINE+5]]  float    becomes double: half as many in a vector
 * CHECK-NEXT: -> write constants as 0.5f and functions as sinf if float will do
 */
void promoted(amp_index1 idx, int n, const float a[n], float o[n]) restrict(amp)
{
    o[idx[0]] = a[idx[0]] * 0.1;
}

/* By a constant, it is a multiplication; with 32 bits, it is done in double.
 * CHECK: {{.*}}: kernel divided {{.*}}for {{.*}}
 * CHECK: calls   line [[#@LINE+6]]  /  {{ *}}of 64-bit integers: lane by lane, for want of an instruction for vectors
 * CHECK-NEXT: -> divide by a constant (#define, enum), or 32-bit integers where they suffice
 * CHECK: spills  {{.*}}
 */
void divided(amp_index1 idx, int n, const long a[n], const int b[n], long o[n]) restrict(amp)
{
    long x = o[idx[0]] / a[idx[0]];
    o[idx[0]] = x + a[idx[0]] % 7 + b[idx[0]] % (b[idx[0]] + 5);
}

/* CHECK: {{.*}}: kernel counted {{.*}}for {{.*}}
 * CHECK-NEXT: memory  line [[#@LINE+5]]  update c      atomic, lane by lane
 * CHECK-NEXT: line [[#@LINE+5]]  update total  atomic, summed in registers: once for many threads
 */
void counted(amp_index1 idx, int n, int c[n], int total[1]) restrict(amp)
{
    amp_atomic_fetch_add(&c[idx[0]], 1);
    amp_atomic_fetch_add(&total[0], 1);
}

/* CHECK: {{.*}}: kernel private {{.*}}for {{.*}}
 * CHECK: line [[#@LINE+9]]  read mine  {{ *}}gather
 * CHECK-NEXT: -> each thread has this array in memory: with constant indices, or loops of constant length, {{.*}}
 */
void private(amp_index1 idx, int n, const int a[n], int o[n]) restrict(amp)
{
    int mine[40], sum = 0;
    for (int k = 0; k < 40; k++)
        mine[k] = a[idx[0]] * k;
    for (int k = 0; k < 40; k++)
        sum += mine[(unsigned)(a[idx[0]] + k) % 40];
    o[idx[0]] = sum;
}

/* CHECK: {{.*}}: kernel six {{.*}}for x86-64-v4: 8 lanes{{.*}}
 * CHECK: notes   line [[#@LINE+3]]  tile  {{ *}}2 of 8 lanes have no thread: the tile is 6 wide
 * CHECK-NEXT: -> a last dimension that is a multiple of 8
 */
void six(amp_tiled_index2(4, 6) t, int m, int n, float o[m][n]) restrict(amp)
{
    o[t.global[0]][t.global[1]] = 1;
}

/* What cannot be made SIMD, and why.
 * CHECK: {{.*}}: kernel sparse {{.*}}for x86-64-v4: no SIMD, one thread after another: lanes would take {{[0-9.]+}} times as long{{.*}}
 * CHECK-NEXT: notes   line [[#@LINE+10]]  v    lanes would gather it
 * CHECK-NEXT: line [[#@LINE+9]]  col  lanes would gather it
 * CHECK-NEXT: line [[#@LINE+8]]  in   lanes would gather it
 * CHECK-NEXT: -> the index comes from memory: {{.*}}
 */
void sparse(amp_index1 idx, int R, int C, int E, const int at[R + 1], const int col[E], const float v[E],
            const float in[C], float out[R]) restrict(amp)
{
    float sum = 0;
    for (int k = at[idx[0]]; k < at[idx[0] + 1]; k++)
        sum += v[k] * in[col[k]];
    out[idx[0]] = sum;
}
