// SPDX-License-Identifier: MIT
// What glue asserts of parameters holds for types of every kind, in every dialect, and says nothing.
// RUN: %ampcc -Wall -Wextra -Werror -c %s -o %t.o
// RUN: %ampcc -std=c99 -pedantic-errors -Wno-c11-extensions -c %s -o %t.o
// RUN: %ampcc -std=c2x -fshort-enums -funsigned-char -c %s -o %t.o
// RUN: %ampcc -E %s -o %t.i && %ampcc -fms-extensions -fpack-struct=2 -c %t.i -o %t.o
// RUN: %ampcc --target=i386-linux-gnu -ffreestanding -Wno-ignored-attributes -c %s -o %t.o
// RUN: %ampcc --target=aarch64-linux-gnu -ffreestanding -c %s -o %t.o
#include <amp.h>

typedef float aligned_float __attribute__((aligned(64)));
typedef struct {
    union {
        int i;
        float f;
    };
    struct {
        short s;
        char c;
    } in;
    int b : 3, : 0, c : 5;
    _Bool flag;
    double d[3];
} odd;
struct __attribute__((packed)) packed {
    char a;
    double b;
};
struct over {
    _Alignas(32) int x;
};
_Static_assert(sizeof(amp_status) == sizeof(int) && sizeof(amp_type) == sizeof(int) &&
                   sizeof(amp_access_type) == sizeof(int) && sizeof(amp_queuing_mode) == sizeof(int),
               "as large as in the runtime, which is compiled without -fshort-enums");
typedef enum { LEFT, RIGHT } side;
enum __attribute__((packed)) small { SMALL };
union both {
    int a;
    char b[8];
};
typedef int grid[4][8];

static inline void k(amp_index2 idx, const int N, odd o, struct packed p, struct over v, side s, enum small m,
                     union both u, const odd os[N], const struct packed ps[3][N], grid g[N], const grid h[2 * N],
                     unsigned char uc, char c, signed char sc, long long ll, long l, aligned_float f, _Bool t,
                     side ss[N]) restrict(amp)
{
    (void)idx, (void)o, (void)p, (void)v, (void)s, (void)m, (void)u, (void)os, (void)ps, (void)h, (void)uc;
    (void)c, (void)sc, (void)ll, (void)l, (void)f, (void)t, (void)ss;
    g[0][0][0] = 1;
}

__attribute__((ms_abi)) static void other_convention(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] = 1;
}

void tiled(amp_tiled_index3(2, 3, 4) t, int N, char x[N]) restrict(cpu, amp)
{
    x[t.global[0]] = 1;
}

void none(amp_index1 idx) restrict(amp)
{
    (void)idx;
}

void eight(amp_index8 idx, int n, float x[n][n + 1][3][n][2][1][1][n]) restrict(amp)
{
    x[idx[0]][0][0][0][0][0][0][0] = 1;
}

extern void use(void (*)(void));
void f(void);
void f(void)
{
    use((void (*)(void))k);
    use((void (*)(void))other_convention);
}
