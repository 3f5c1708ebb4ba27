/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 *
 * Arrays of a thread that loops go over: where their lengths are constant, the elements are in registers, and no lane
 * gathers. Where they are not, or are too long, the arrays stay in memory. */
#include "check.h"

#define KERNEL(name)                                                                                                   \
    static void name(amp_index1 idx, int n, const int a[n], unsigned out[n]) restrict(cpu, amp)

/* As a cipher's: each round mixes bytes, whose places are constants only when the inner loops are unrolled. */
KERNEL(squares)
{
    unsigned char state[16], moved[16];
    int i = idx[0];
    for (int k = 0; k < 16; k++)
        state[k] = (unsigned char)(a[i] >> k % 8);
    for (int round = 0; round < 10; round++) {
        for (int k = 0; k < 16; k++)
            moved[k] = (unsigned char)(state[(k + 4 * (k % 4)) % 16] * 7 + round);
        for (int k = 0; k < 16; k++) {
            const unsigned char *column = &moved[k / 4 * 4];
            state[k] = (unsigned char)(column[k % 4] ^ column[(k + 1) % 4] << 1 ^ column[(k + 3) % 4]);
        }
    }
    out[i] = 0;
    for (int k = 0; k < 16; k++)
        out[i] = out[i] * 31 + state[k];
}

KERNEL(downwards)
{
    int i = idx[0], values[12];
    for (int k = 11; k >= 0; k--)
        values[k] = a[i] * k + k;
    for (unsigned k = 12; k-- > 0;)
        values[k] ^= values[11 - k] + (k < 11 ? values[k + 1] : 0);
    for (int k = 0; k != 12; k++)
        out[i] = out[i] * 7 + (unsigned)values[k] % 100;
}

KERNEL(nested)
{
    int i = idx[0], m[4][4], product[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            m[r][c] = a[i] % (r + 2) - c;
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            product[r][c] = 0;
            for (int k = 0; k < 4; k++)
                product[r][c] += m[r][k] * m[k][c];
        }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            out[i] = out[i] * 3 + (unsigned)product[c][r];
}

KERNEL(steps)
{
    int i = idx[0], values[32];
    for (int k = 0; k < 32; k++)
        values[k] = a[i] / (k + 1);
    for (int k = 1; k < 32; k += 3)
        values[k] = values[k - 1] + values[(k * 5) & 31];
    for (short k = 30; k > 2; k = (short)(k - 4))
        values[k] -= values[k - 2];
    for (int k = 0; k < 32; k++)
        out[i] += (unsigned)(values[k] * k);
}

/* A place that another value of the loop turns. */
KERNEL(turns)
{
    int i = idx[0], pair[2][3] = {{a[i], a[i] + 1, a[i] + 2}}, from = 0;
    for (int pass = 0; pass < 9; pass++) {
        for (int k = 0; k < 3; k++)
            pair[!from][k] = pair[from][(k + 1) % 3] * 3 + pass;
        from = !from;
    }
    out[i] = (unsigned)(pair[from][0] - pair[from][1] + pair[from][2]);
}

/* A loop that threads leave early, beside those that count. */
KERNEL(exits)
{
    int i = idx[0], values[8], left = 0;
    for (int k = 0; k < 8; k++)
        values[k] = a[i] + k * k;
    while (left < 100 && (a[i] + left) % 7 != 0)
        left++;
    for (int k = 0; k < 8; k++)
        out[i] = out[i] * 5 + (unsigned)(values[7 - k] + left);
}

/* Lengths and places that are only known later, and loops that are too long. */
KERNEL(in_memory)
{
    int i = idx[0], values[40], many[200];
    for (int k = 0; k < 40; k++)
        values[k] = a[i] - k;
    for (int k = 0; k < n % 40; k++)
        values[k] += values[39 - k];
    for (int k = 0; k < 200; k++)
        many[k] = a[i] * k;
    out[i] = (unsigned)(values[(unsigned)a[i] % 40] + many[(unsigned)a[i] % 200] + many[199]);
}

int main(void)
{
    EACH_EXTENT(n) {
        int *a = check_alloc((size_t)n * sizeof *a);
        unsigned *out = check_alloc((size_t)n * sizeof *out), *want = check_alloc((size_t)n * sizeof *want);
        for (int i = 0; i < n; i++)
            a[i] = check_value(i);
        amp_array_view *views[] = {amp_array_view1(n, (const int *)a), amp_array_view1(n, out)};
#define CHECK(kernel)                                                                                                  \
    for (int i = 0; i < n; i++)                                                                                        \
        out[i] = want[i] = (unsigned)i;                                                                                \
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, views[0], views[1]));                                       \
    for (int i = 0; i < n; i++)                                                                                        \
        kernel((amp_index1){i}, n, a, want);                                                                           \
    CHECK_INTS(out, want, n, #kernel ", %d", n)
        CHECK(squares)
        CHECK(downwards)
        CHECK(nested)
        CHECK(steps)
        CHECK(turns)
        CHECK(exits)
        CHECK(in_memory)
        check_release(views, LENGTH(views));
    }
    return 0;
}
