// SPDX-License-Identifier: MIT
// What each kind of parameter is understood to be, from declarations of every form.
// RUN: %ampcc --amp-signatures -c %s -o %t.o | FileCheck %s
// RUN: %ampcc -E %s -o %t.i
// RUN: %ampcc --amp-signatures -c %t.i -o %t.o | FileCheck %s
#include <amp.h>

typedef float row[16];
typedef const float const_row[8];
typedef struct {
    int a;
    unsigned char b[3];
} pair;
enum colour { RED, GREEN };
typedef enum { LEFT, RIGHT } side;
typedef amp_index2 place;
#define SHAPE [N][M]
#define HALF (N / 2)

// CHECK: signatures.c:[[#@LINE+1]]: kernel k, index of rank 3
void k(amp_index3 idx, int N, int M, const row x[N], const_row y[M], const pair s[static N], pair t, enum colour c,
       side d, enum colour es[3], float z SHAPE, char h[HALF], _Bool b, __typeof__(1.0f) f, const unsigned long ul,
       int v[(long)N * M]) restrict(cpu, amp)
// CHECK-NEXT: bound int N: from extent 0 of x, extent 0 of s, extent 0 of z
// CHECK-NEXT: bound int M: from extent 0 of y, extent 1 of z
// CHECK-NEXT: array const float x[N][16]: read
// CHECK-NEXT: array const float y[M][8]: read
// CHECK-NEXT: array const pair s[N]: read
// CHECK-NEXT: struct pair t
// CHECK-NEXT: scalar enum colour c
// CHECK-NEXT: scalar side d
// CHECK-NEXT: array enum colour es[3]: read and written
// CHECK-NEXT: array float z[N][M]: read and written
// CHECK-NEXT: array char h[{{HALF|\(N / 2\)}}]: read and written
// CHECK-NEXT: scalar _Bool b
// CHECK-NEXT: scalar float f
// CHECK-NEXT: scalar unsigned long ul
// CHECK-NEXT: array int v[(long)N * M]: read and written
{
}

// Marked in the declaration alone, its index by another name.
void declared(place idx, int N, float x[N]) restrict(amp);
// CHECK-NEXT: signatures.c:[[#@LINE+1]]: kernel declared, index of rank 2
void declared(place idx, int N, float x[N])
// CHECK-NEXT: bound int N: from extent 0 of x
// CHECK-NEXT: array float x[N]: read and written
{
}

// CHECK-NEXT: kernel tiled, index of rank 2, tiles of 16 x 4 threads
void tiled(amp_tiled_index2(4 * 4, sizeof(float)) t) restrict(amp)
{
}

// A bound that is not in one piece is told by its meaning.
// CHECK-NEXT: kernel pieces, index of rank 1
void pieces(amp_index1 idx, int N, unsigned M,
            float x[(long)M *
#include "Inputs/sum.h"
],
            float y[-N
#if 1
                    + 20
#endif
][(N - -2)
#if 1
            - -(N % 3)
#endif
]) restrict(amp)
// CHECK-NEXT: scalar int N
// CHECK-NEXT: scalar unsigned int M
// CHECK-NEXT: array float x[(long)M * (N + 1)]: read and written
// CHECK-NEXT: array float y[-N + 20][(N - -2) - -(N % 3)]: read and written
{
}

// CHECK-NOT: kernel
float helper(const int idx[2]) restrict(amp);
void host(amp_index1 idx);
