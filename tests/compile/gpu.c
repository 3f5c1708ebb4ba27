/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-gpu=sm_75 --amp-stop-after=assemble --amp-dump-after=assemble %s | sed -n '/^; ---- sm_75/,$p' \
 * RUN:     | FileCheck --implicit-check-not=.local --implicit-check-not=call %s
 * RUN: %ampcc -O2 -ffast-math --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | FileCheck --check-prefix=FAST %s
 * RUN: %ampcc -O2 --amp-gpu=sm_75,sm_90 -c %s -o %t.o && strings -n 3 %t.o | FileCheck --check-prefix=OBJECT %s
 *
 * What becomes of kernels on a GPU: parameters, threads of a block, address spaces, barriers, atomics.
 *
 * OBJECT: .target sm_75
 * OBJECT: .entry scale_kernel
 * OBJECT: .target sm_90
 * OBJECT: .entry scale_kernel
 */
#include <amp.h>

/* The arguments and the box by value; one thread per point, and none outside of the box.
 * CHECK: .entry scale_kernel(
 * CHECK-NEXT: .param .align 8 .b8 scale_kernel_param_0[16],
 * CHECK-NEXT: .param .align 4 .b8 scale_kernel_param_1[24]
 * CHECK: .reqntid 256
 * CHECK: setp{{.*}}.u32
 * CHECK: ld.global
 * CHECK: mul.rn.f32
 * CHECK: st.global
 * CHECK: ret;
 */
void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp)
{
    x[idx[0]] *= factor;
}

/* A tile's threads, exactly. Tile memory is shared, and all of it is reached as such; four barriers, without fences.
 * CHECK: .entry turn_kernel(
 * CHECK: .reqntid 16, 4, 1
 * CHECK: .shared .align 16 .b8 {{.*}}[256];
 * CHECK: ld.global
 * CHECK: st.shared
 * CHECK-COUNT-4: bar.sync 0;
 * CHECK-NOT: bar.sync
 * CHECK: ld.shared
 * CHECK: st.global
 */
void turn(amp_tiled_index2(4, 16) t, int M, int N, float a[M][N]) restrict(amp)
{
    tile_static float tile[4][16];
    tile[t.local[0]][t.local[1]] = a[t.global[0]][t.global[1]];
    amp_tile_barrier_wait(t.barrier);
    amp_tile_barrier_wait_with_all_memory_fence(t.barrier);
    amp_tile_barrier_wait_with_global_memory_fence(t.barrier);
    amp_tile_barrier_wait_with_tile_static_memory_fence(t.barrier);
    a[t.global[0]][t.global[1]] = tile[3 - t.local[0]][15 - t.local[1]];
}

/* Atomic operations are single instructions, also where there is only a sibling of them.
 * CHECK: .entry count_kernel(
 * CHECK-NOT: loop
 * CHECK: .global.add.u32
 * CHECK: .global.min.s32
 * CHECK: .global.add.f32
 * CHECK: neg.f64
 * CHECK: .global.add.f64
 * CHECK: .global.exch.b32
 * CHECK: .global.cas.b64
 * CHECK-NOT: bra.uni
 * CHECK: ret;
 */
void count(amp_index1 idx, int n, int c[n], float f[n], double d[n], long l[n]) restrict(amp)
{
    int i = idx[0];
    amp_atomic_fetch_add(&c[0], i);
    amp_atomic_fetch_min(&c[1], i);
    amp_atomic_fetch_add(&f[0], 1.0f + i);
    amp_atomic_fetch_sub(&d[0], 1.0 + i);
    f[i] = amp_atomic_exchange(&f[1], 2.0f);
    long expected = 7;
    amp_atomic_compare_exchange(&l[0], &expected, 8L);
    l[i] = expected;
}

/* Contraction is what the source says, not what the GPU likes; division and roots are exact.
 * CHECK: .entry exact_kernel(
 * CHECK: mul.rn.f32
 * CHECK: add.rn.f32
 * CHECK: fma.rn.f32
 * CHECK: div.rn.f32
 * CHECK: sqrt.rn.f32
 * CHECK: ret;
 * FAST: .entry exact_kernel(
 * FAST: fma.rn.ftz.f32
 * FAST: ret;
 */
void exact(amp_index1 idx, int n, const float a[n], const float b[n], float o[n]) restrict(amp)
{
    int i = idx[0];
    float product = a[i] * b[i];
    float sum = product + b[i];
    o[i] = __builtin_sqrtf((sum * a[i] + b[i]) / sum);
}

/* Blocks deeper than the hardware's are numbered along x.
 * CHECK: .entry deep_kernel(
 * CHECK: .reqntid 512
 * CHECK-NOT: %tid.{{[yz]}}
 * CHECK: ret;
 */
void deep(amp_tiled_index3(128, 2, 2) t, int L, int M, int N, int a[L][M][N]) restrict(amp)
{
    a[t.global[0]][t.global[1]][t.global[2]] = t.local[0] + t.local[1] * 10 + t.local[2] * 100 + t.tile[0] * 1000;
}

/* Tables are constant memory of the device.
 * CHECK: .entry table_kernel(
 * CHECK: .reqntid 32, 8, 1
 * CHECK: ld.global
 */
static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
void table(amp_index3 idx, int L, int M, int N, int a[L][M][N]) restrict(amp)
{
    a[idx[0]][idx[1]][idx[2]] = primes[idx[2] & 7];
}

/* A pointer that is one into a table or one into an array.
 * CHECK: .entry either_kernel(
 * CHECK: ld.global
 */
static const float defaults[4] = {1, 2, 3, 5};

void either(amp_index1 idx, int N, const int which[N], const float x[N], float out[N]) restrict(amp)
{
    int i = idx[0];
    const float *from = which[i] > 0 ? &x[i] : &defaults[which[i] & 3];
    out[i] = which[i] < 9 ? *from : 0;
}

/* Atomic operations on tile memory, and fences, which cost no more than their own.
 * CHECK: .entry histogram_kernel(
 * CHECK: atom.shared.add.u32
 * CHECK: {{membar.cta|fence.*cta}};
 * CHECK: ld.shared
 */
void histogram(amp_tiled_index1(32) t, int N, const unsigned char x[N], int sums[32]) restrict(amp)
{
    tile_static int bins[32];
    bins[t.local[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&bins[x[t.global[0]] % 32], 1);
    amp_tile_static_memory_fence(t.barrier);
    if (bins[0] > 7)
        amp_atomic_fetch_add(&sums[0], 1);
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&sums[t.local[0]], bins[t.local[0]]);
}

/* There is none for the least of floating point: the value is exchanged until nobody came in between.
 * CHECK: .entry least_kernel(
 * CHECK: min.f32
 * CHECK: .global.cas.b32
 * CHECK: bra
 * CHECK: max.f64
 * CHECK: .global.cas.b64
 * CHECK: bra
 */
void least(amp_index1 idx, int n, float f[n], double d[n]) restrict(amp)
{
    amp_atomic_fetch_min(&f[idx[0] & 7], f[idx[0]]);
    amp_atomic_fetch_max(&d[idx[0] & 7], d[idx[0]]);
}
