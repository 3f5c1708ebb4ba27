/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 * RUN: %ampcc -O0 -g %s -o %t && %run-alone %t
 *
 * Variables of a thread: arrays with dynamic index, structs, addresses taken, initialised or not, in loops and
 * blocks. */
#include "check.h"

#define KERNEL(name)                                                                                                   \
    static void name(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)

KERNEL(histogram)
{
    int i = idx[0], counts[8] = {0};
    for (int k = 0; k < N; k++)
        counts[(a[k] + i) & 7]++;
    for (int k = 0; k < 8; k++)
        out[i] = out[i] * 3 + counts[k];
}

KERNEL(stack)
{
    int i = idx[0], stack[16], top = 0;
    for (int x = a[i] < 0 ? -a[i] : a[i]; x > 0; x /= 3)
        stack[top++] = x % 3;
    while (top > 0)
        out[i] = out[i] * 4 + stack[--top];
}

KERNEL(two_dimensions)
{
    int i = idx[0], m[3][4];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            m[r][c] = a[i] * r + b[i] * c;
    m[i % 3][(unsigned)b[i] % 4] = 1000;
    int sum = 0;
    for (int c = 0; c < 4; c++)
        sum += m[(unsigned)a[i] % 3][c] * (c + 1);
    out[i] = sum;
}

KERNEL(bytes)
{
    int i = idx[0];
    char text[11] = "0000000000";
    int at = 9;
    for (int x = a[i] + 500; x > 0 && at >= 0; x /= 10)
        text[at--] = (char)('0' + x % 10);
    for (int k = 0; k < 10; k++)
        out[i] = (out[i] * 7 + text[k]) % 1000003;
}

KERNEL(sort)
{
    int i = idx[0], x[6];
    for (int k = 0; k < 6; k++)
        x[k] = a[(i + k * 5) % N];
    for (int k = 1; k < 6; k++) {
        int value = x[k], m = k - 1;
        while (m >= 0 && x[m] > value) {
            x[m + 1] = x[m];
            m--;
        }
        x[m + 1] = value;
    }
    out[i] = x[0] + 3 * x[1] + 5 * x[2] + 7 * x[3] + 11 * x[4] + 13 * x[5];
}

struct particle {
    float at[3];
    int hits;
    bool alive;
};

KERNEL(structs)
{
    int i = idx[0];
    struct particle p = {{(float)a[i], (float)b[i], 1}, 0, true}, start = p;
    for (int k = 0; k < 6 && p.alive; k++) {
        p.at[k % 3] -= start.at[(k + 1) % 3];
        if (p.at[k % 3] < 0) {
            p.at[k % 3] = -p.at[k % 3];
            p.hits++;
        }
        p.alive = p.hits < 3;
    }
    struct particle all[3] = {p, start, p};
    all[1].hits = 9;
    all[(unsigned)a[i] % 3].hits += 100;
    out[i] = (int)p.at[0] + (int)p.at[1] * 3 + all[0].hits + 5 * all[1].hits + 7 * all[2].hits + p.alive * 1000;
}

KERNEL(addresses)
{
    int i = idx[0], x = a[i], y = b[i], *p = &x;
    if (a[i] > b[i])
        p = &y;
    *p += 5;
    if (b[i] > 0) {
        int *q = p;
        *q *= 2;
        p = &x;
    }
    *p -= 1;
    out[i] = x * 1000 + y + (p == &x);
}

KERNEL(pointer_walk)
{
    int i = idx[0], x[10];
    int *end = x + 10;
    for (int *p = x; p != end; p++)
        *p = (int)(p - x) * a[i];
    int *q = &x[(unsigned)b[i] % 10];
    out[i] = *q + (q > x ? q[-1] : 0) + (int)(end - q);
}

/* The array's contents live on from pass to pass, and under masks. */
KERNEL(ring)
{
    int i = idx[0], ring[5] = {1, 2, 3, 4, 5}, at = 0;
    for (int k = 0; k < 30; k++) {
        if ((a[i] ^ k) & 1)
            continue;
        ring[at] += ring[(at + 2) % 5] + b[i];
        at = (at + 1 + (k & 1)) % 5;
        if (ring[at] > 5000)
            break;
    }
    out[i] = ring[0] ^ ring[1] ^ ring[2] ^ ring[3] ^ ring[4] ^ at << 20;
}

KERNEL(whole_copies)
{
    int i = idx[0];
    struct {
        int v[12];
    } x, y = {{0}};
    for (int k = 0; k < 12; k++)
        x.v[k] = a[i] + k;
    if (b[i] > 0)
        y = x;
    y.v[i % 12] = -1;
    x = y;
    memset(y.v, 0, sizeof y.v);
    memcpy(y.v + 2, x.v + 4, 5 * sizeof(int));
    for (int k = 0; k < 12; k++)
        out[i] += (k + 1) * (x.v[k] + 2 * y.v[k]);
}

KERNEL(large)
{
    int i = idx[0], x[300];
    for (int k = 0; k < 300; k++)
        x[k] = k * a[i];
    for (int k = 0; k < 300; k++)
        x[(k * 7 + i) % 300] += x[k] & 15;
    out[i] = x[(unsigned)b[i] % 300] + x[299];
}

KERNEL(scopes)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < 4; k++) {
        int x[3] = {k, a[i], 0};
        x[(k + i) % 3] += 7;
        {
            int y[2] = {x[0], x[2]};
            y[i & 1]++;
            sum += y[0] * y[1];
        }
        sum += x[1];
    }
    int *p = (int[]){sum, a[i], b[i]};
    out[i] = p[(unsigned)sum % 3];
}

union either {
    float f;
    unsigned u;
    unsigned char c[4];
};

KERNEL(unions)
{
    int i = idx[0];
    union either x = {.f = (float)a[i]};
    x.u ^= 1u << 31;
    x.c[i & 3] += 3;
    unsigned y;
    memcpy(&y, &x, sizeof y);
    out[i] = (int)(x.u ^ y << 1);
}

int main(void)
{
    CHECK_KERNEL(int, histogram);
    CHECK_KERNEL(int, stack);
    CHECK_KERNEL(int, two_dimensions);
    CHECK_KERNEL(int, bytes);
    CHECK_KERNEL(int, sort);
    CHECK_KERNEL(int, structs);
    CHECK_KERNEL(int, addresses);
    CHECK_KERNEL(int, pointer_walk);
    CHECK_KERNEL(int, ring);
    CHECK_KERNEL(int, whole_copies);
    CHECK_KERNEL(int, large);
    CHECK_KERNEL(int, scopes);
    CHECK_KERNEL(int, unions);
    return 0;
}
