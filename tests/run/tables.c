/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Constant tables of the file and of functions: one and two dimensions, structs, small types, pointers into
 * them, and tables larger than a cache line. */
#include "check.h"

#define KERNEL(name)                                                                                                   \
    static void name(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)

static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
static const int8_t moves[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
const float weights[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{-1, -2}, {-3, -4}, {-5, -6}}};
static const struct unit {
    char name[4];
    double factor;
    int offset;
} units[] = {{"m", 1, 0}, {"km", 1000, -7}, {"in", 0.0254, 9}};
static const int one = 12345;
static const int empty[64];
static const struct pair {
    int x, y;
} origin = {3, -4};

KERNEL(scalars)
{
    out[idx[0]] = one + origin.x * 2 + origin.y + primes[2] + moves[3][0];
}

KERNEL(uniform_index)
{
    out[idx[0]] = primes[N % 11] + moves[N & 3][1] + (int)weights[N & 1][N % 3][0] + empty[N & 63];
}

KERNEL(varying_index)
{
    int i = idx[0];
    out[i] =
        primes[(unsigned)a[i] % 11] * 100 + moves[b[i] & 3][i & 1] + (int)weights[i & 1][(unsigned)b[i] % 3][a[i] & 1];
}

KERNEL(contiguous_index)
{
    int i = idx[0];
    if (i < LENGTH(primes))
        out[i] = primes[i];
    if (i < 64)
        out[i] += empty[i] + 1;
}

KERNEL(structs)
{
    int i = idx[0];
    const struct unit *u = &units[(unsigned)a[i] % 3];
    struct unit copy = units[(unsigned)b[i] % 3];
    out[i] = (int)(b[i] * u->factor) + u->offset + copy.offset + copy.name[i & 3];
}

KERNEL(walk)
{
    int i = idx[0], x = 0, y = 0;
    for (int k = 0; k < 10; k++) {
        const int8_t *m = moves[(a[i] >> k) & 3];
        x += m[0];
        y += m[1];
    }
    out[i] = x * 100 + y;
}

KERNEL(local_tables)
{
    static const uint16_t squares[] = {0, 1, 4, 9, 16, 25, 36, 49};
    const int cubes[4] = {0, 1, 8, 27};
    static const char digits[] = "0123456789abcdef";
    int i = idx[0];
    out[i] = squares[a[i] & 7] + cubes[b[i] & 3] * 100 + digits[a[i] & 15];
}

static int look_up(const int *table, int n, int x) restrict(cpu, amp)
{
    for (int k = 0; k < n; k++)
        if (table[k] > x)
            return k;
    return n;
}

KERNEL(passed_on)
{
    int i = idx[0];
    const int *p = a[i] > 0 ? primes : empty;
    out[i] = look_up(primes, 11, b[i] & 31) + 100 * look_up(p, 11, 4) + p[i % 11];
}

int main(void)
{
    CHECK_KERNEL(int, scalars);
    CHECK_KERNEL(int, uniform_index);
    CHECK_KERNEL(int, varying_index);
    CHECK_KERNEL(int, contiguous_index);
    CHECK_KERNEL(int, structs);
    CHECK_KERNEL(int, walk);
    CHECK_KERNEL(int, local_tables);
    CHECK_KERNEL(int, passed_on);
    return 0;
}
