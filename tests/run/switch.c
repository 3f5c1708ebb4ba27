/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * switch on a value that differs by lane: fallthrough, a default in the middle, gaps, nested in loops, return in a
 * case; && and || with side effects. */
#include "check.h"

#define KERNEL(name)                                                                                                   \
    static void name(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)

KERNEL(plain)
{
    int i = idx[0];
    switch (a[i] & 3) {
    case 0:
        out[i] = b[i];
        break;
    case 1:
        out[i] = -b[i];
        break;
    case 2:
        out[i] = 2 * b[i];
        break;
    }
}

KERNEL(fallthrough)
{
    int i = idx[0], x = 0;
    switch (a[i] & 7) {
    case 0:
        x += 1;
    case 1:
    case 2:
        x += 10;
        break;
    case 3:
        x += b[i];
    default:
        x += 100;
    case 5:
        x += 1000;
    }
    out[i] = x;
}

KERNEL(default_in_the_middle)
{
    int i = idx[0], x = 0;
    switch (a[i]) {
    case 3:
        x = 1;
        break;
    default:
        x = 2;
        if (b[i] > 0)
            break;
        x = 3;
    case 1:
        x += 4;
        break;
    case -1000:
        x = 5;
    }
    out[i] = x;
}

KERNEL(gaps)
{
    int i = idx[0];
    switch (a[i]) {
    case -499 ...(-400):
        out[i] = 1;
        break;
    case -300:
    case 0:
    case 4:
        out[i] = 2;
        break;
    case 100 ... 400:
        out[i] = 3;
        return;
    }
    out[i] += 10;
}

KERNEL(in_a_loop)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < 9; k++) {
        switch ((a[i] + k * b[i]) & 3) {
        case 0:
            continue;
        case 1:
            sum += k;
            break;
        case 2:
            sum += 100;
            if (sum > 400)
                return;
        default:
            sum += 1000;
        }
        sum++;
    }
    out[i] = sum;
}

KERNEL(loop_in_a_case)
{
    int i = idx[0], x = b[i] & 15, n = 0;
    switch (a[i] & 3) {
    case 2:
        while (x > 0) {
            x -= 3;
            n++;
        }
        break;
    case 1:
        do {
            x += 2;
            n += 10;
        } while (x < 20);
    case 3:
        n++;
    }
    out[i] = n * 100 + x;
}

KERNEL(on_a_uniform_value)
{
    int i = idx[0];
    switch (N % 4) {
    case 0:
        out[i] = a[i];
        break;
    case 1:
        if (a[i] > 0)
            break;
        out[i] = b[i];
    default:
        out[i] += 5;
    }
}

KERNEL(wide_table)
{
    int i = idx[0], x;
    switch (a[i] & 31) {
    case 0:
        x = 31;
        break;
    case 1:
        x = 7;
        break;
    case 2:
        x = 99;
        break;
    case 3:
        x = 12;
        break;
    case 4:
        x = 4;
        break;
    case 5:
        x = 65;
        break;
    case 6:
        x = 8;
        break;
    case 7:
        x = 1;
        break;
    case 8:
        x = b[i];
        break;
    case 9:
        x = b[i] * 2;
        break;
    case 20:
        x = 3;
        break;
    default:
        x = -1;
    }
    out[i] = x;
}

KERNEL(short_circuit)
{
    int i = idx[0], calls = 0;
    if (a[i] > 0 && ++calls && b[i] > 0 && ++calls && a[i] > b[i])
        calls += 100;
    if (a[i] < 0 || (calls += 1000) < 0 || b[i] < 0 || (calls += 10000) < 0)
        calls = -calls;
    out[i] = calls;
}

KERNEL(short_circuit_values)
{
    int i = idx[0], x = 0;
    x = x * 2 + (a[i] && b[i]);
    x = x * 2 + (a[i] || b[i]);
    x = x * 2 + !(a[i] > 0 && !(b[i] > 0 || i % 2));
    for (int k = 0; k < 5 && (a[i] >> k & 1 || b[i] >> k & 1); k++)
        x += 10;
    out[i] = x;
}

static int count(int *n, int result) restrict(cpu, amp)
{
    ++*n;
    return result;
}

KERNEL(side_effects_in_calls)
{
    int i = idx[0], n = 0;
    int x = (count(&n, a[i] > 0) && count(&n, b[i] > 0)) || count(&n, a[i] == 3) ? count(&n, 5) : 7;
    while (count(&n, n < (a[i] & 7)) && count(&n, b[i] & 1))
        x += 10;
    out[i] = x * 100 + n;
}

KERNEL(comma)
{
    int i = idx[0], x, y;
    x = (y = a[i], y += b[i], y * 2);
    out[i] = (x > 0 ? y++ : --y, x + y);
}

struct pair {
    float x, y;
};

/* Two floats are passed as a vector, which unreachable code must not keep. */
static void case_that_cannot_be(amp_index1 idx, struct pair p, int N, const int a[N], int out[N]) restrict(amp)
{
    int i = idx[0], k = 0;
    switch ((a[i] > 0 ? 1 : a[i] & 3) & 3) {
    case 0:
    case 1:
    case 2:
    case 3:
        break;
    default:
        do {
            p.y = 1;
        } while (++k < 2);
    }
    out[i] = (int)p.x;
}

static void check_case_that_cannot_be(void)
{
    int a[] = {3, 0, -5}, out[3];
    amp_array_view *va = amp_array_view1(3, a), *vout = amp_array_view1(3, out);
    amp_parallel_for_each(amp_extent1(3), case_that_cannot_be, ((struct pair){7, 8}), va, vout);
    CHECK_OK(amp_synchronize(vout));
    CHECK_INTS(out, ((int[]){7, 7, 7}), 3, "case_that_cannot_be");
    amp_array_view_release(va);
    amp_array_view_release(vout);
}

int main(void)
{
    CHECK_KERNEL(int, plain);
    CHECK_KERNEL(int, fallthrough);
    CHECK_KERNEL(int, default_in_the_middle);
    CHECK_KERNEL(int, gaps);
    CHECK_KERNEL(int, in_a_loop);
    CHECK_KERNEL(int, loop_in_a_case);
    CHECK_KERNEL(int, on_a_uniform_value);
    CHECK_KERNEL(int, wide_table);
    CHECK_KERNEL(int, short_circuit);
    CHECK_KERNEL(int, short_circuit_values);
    CHECK_KERNEL(int, side_effects_in_calls);
    CHECK_KERNEL(int, comma);
    check_case_that_cannot_be();
    return 0;
}
