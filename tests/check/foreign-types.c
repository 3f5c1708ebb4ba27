// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// CUDA's types and marks, and the components of its positions.
#include <amp.h>

__shared__ float shared[256]; // expected-error: unknown type name '__shared__' expected-note: memory that a tile shares is declared in a tiled kernel, with constant sizes: 'tile_static float s[256]'
__constant__ float table[4]; // expected-error: unknown type name '__constant__' expected-note: a constant table is 'static const' with an initialiser, or an array parameter with const elements
__managed__ int managed; // expected-error: unknown type name '__managed__' expected-note: make a view of ordinary memory and pass it to the kernel
static __device__ __forceinline__ float inlined(float x) // expected-error: unknown type name '__device__' expected-note: a function for kernels is marked restrict(amp) after its parameters; data are passed as array parameters
{
    return __expf(x); // expected-error: call to undeclared function '__expf'; ... expected-note: <amp_math.h> has fast functions with the prefix amp_fast_, such as amp_fast_sinf
}

struct body {
    float4 position; // expected-error: unknown type name 'float4' expected-note: declare a struct of numbers, such as 'struct float4 { float x, y, z, w; }'
};

void untiled(amp_index2 idx, int M, int N, float x[M][N]) restrict(amp)
{
    float4 v = make_float4(1, 2, 3, 4); // expected-error: use of undeclared identifier 'float4' expected-note: declare a struct of numbers, such as 'struct float4 { float x, y, z, w; }'
    x[idx.y][idx.x] = 1; // expected-error: 'idx' has no member 'y'; write 'idx[0]': the last component varies fastest expected-error: 'idx' has no member 'x'; write 'idx[1]': the last component varies fastest
    x[idx.z][0] = 1; // expected-error: 'idx' has no member 'z', and rank 2; its last component, 'idx[1]', varies fastest
}

void tiled(amp_tiled_index2(16, 16) t, int M, int N, float x[M][N]) restrict(amp)
{
    extern __shared__ float s[]; // expected-error: unknown type name '__shared__' expected-note: memory that a tile shares is declared in a tiled kernel, with constant sizes: 'tile_static float s[256]'
    extern tile_static float u[]; // expected-error: tile_static memory is not 'extern': it has a constant size, such as that of the tile, 'tile_static float s[256]'
    x[t.global.y][t.local.x] = 1; // expected-error: 't.global' has no member 'y'; write 't.global[0]': the last component varies fastest expected-error: 't.local' has no member 'x'; write 't.local[1]': the last component varies fastest
    x[0][t.x] = 1; // expected-error: 't' has no member 'x'; write 't.global[1]': the last component varies fastest
}

/* Clang loses track at this mark. */
void __launch_bounds__(256) bounded(amp_index1 idx, int N, float x[N]) restrict(amp) // expected-error: leave '__launch_bounds__' out: the size of a tile is in its kernel's index, 'amp_tiled_index1(256) t'
{
    x[idx[0]] = 1;
}
