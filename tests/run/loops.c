/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Loops whose trip count, exits or nesting differ by lane. */
#include "check.h"

#define KERNEL(name)                                                                                                   \
    static void name(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)

KERNEL(varying_count)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < a[i] % 20; k++)
        sum += k * b[i];
    out[i] = sum;
}

KERNEL(count_by_index)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k <= i; k++)
        sum += a[k] - k;
    out[i] = sum;
}

KERNEL(uniform_count)
{
    int i = idx[0];
    unsigned sum = 0;
    for (int k = 0; k < N; k++)
        sum = sum * 3 + (unsigned)(a[k] * b[(i + k) % N]);
    out[i] = (int)sum;
}

KERNEL(do_while)
{
    int i = idx[0], x = a[i], n = 0;
    do {
        n++;
        x = x / 2;
    } while (x != 0);
    out[i] = n * 100 + x;
}

KERNEL(collatz)
{
    int i = idx[0], n = 0;
    unsigned x = (unsigned)a[i] % 97 + 1;
    while (x != 1 && n < 200) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        n++;
    }
    out[i] = n;
}

KERNEL(breaks)
{
    int i = idx[0], k;
    for (k = 0; k < 30; k++) {
        if (k * 20 > a[i])
            break;
        out[i] += k;
    }
    out[i] += 1000 * k;
}

KERNEL(continues)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < 12; k++) {
        if ((a[i] + k) % 3 == 0)
            continue;
        if ((b[i] + k) % 5 == 0) {
            sum += 1000;
            continue;
        }
        sum += k;
    }
    out[i] = sum;
}

KERNEL(break_and_continue)
{
    int i = idx[0], sum = 0, k = 0;
    while (true) {
        k++;
        if ((b[i] ^ k) & 1)
            continue;
        if (k > (a[i] & 15))
            break;
        sum += k * k;
        if (sum > 300)
            break;
    }
    out[i] = sum * 100 + k;
}

KERNEL(return_inside)
{
    int i = idx[0];
    for (int k = 0; k < 10; k++) {
        if (a[i] + k == 5) {
            out[i] = k;
            return;
        }
        out[i] = -k;
        if (b[i] < 0)
            return;
    }
    out[i] += 1000;
}

KERNEL(nested_varying)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < (a[i] & 7); k++)
        for (int m = k; m < (b[i] & 7); m++)
            sum += k * 10 + m;
    out[i] = sum;
}

KERNEL(nested_breaks)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < 8; k++) {
        int m;
        for (m = 0; m < 8; m++) {
            if (k * m > (a[i] & 31))
                break;
            if ((k + m + b[i]) % 4 == 0)
                continue;
            sum += k + m;
        }
        if (m == 8)
            sum += 100;
        else if (sum > 200)
            break;
    }
    out[i] = sum;
}

KERNEL(return_from_the_inner)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < 6; k++)
        for (int m = 0; m < 6; m++) {
            sum += k ^ m;
            if (sum > (a[i] & 63)) {
                out[i] = sum * 100 + k * 10 + m;
                return;
            }
        }
    out[i] = -1;
}

/* A varying loop inside a uniform one, and the other way round. */
KERNEL(varying_in_uniform)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < 5; k++) {
        int x = a[i] & 15;
        while (x > k) {
            sum += x * k;
            x -= k + 1;
        }
    }
    out[i] = sum;
}

KERNEL(uniform_in_varying)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < (a[i] & 7); k++)
        for (int m = 0; m < 4; m++)
            sum += a[(m + N) % N] + k;
    out[i] = sum;
}

/* The counter is uniform inside, but not what the loop hands out. */
KERNEL(counter_handed_out)
{
    int i = idx[0], k;
    for (k = 0; k < 40; k++)
        if (a[k % N] > b[i])
            break;
    out[i] = k;
}

KERNEL(two_counters_handed_out)
{
    int i = idx[0], k = 0, m = 100;
    while (k < m) {
        k += (a[i] & 3) + 1;
        if (k > 50)
            break;
        m -= (b[i] & 3) + 1;
    }
    out[i] = k * 1000 + m;
}

/* A value of the pass before, and swapped values: phis that read each other. */
KERNEL(fibonacci)
{
    int i = idx[0], x = 0, y = 1;
    for (int k = 0; k < (a[i] & 31); k++) {
        int z = x + y;
        x = y;
        y = z;
    }
    out[i] = x;
}

KERNEL(swapping)
{
    int i = idx[0], x = a[i], y = b[i];
    for (int k = 0; k < (i & 7); k++) {
        int z = x;
        x = y;
        y = z;
    }
    out[i] = x * 3 + y;
}

KERNEL(greatest_common_divisor)
{
    int i = idx[0], x = a[i] < 0 ? -a[i] : a[i], y = b[i] < 0 ? -b[i] : b[i];
    while (y != 0) {
        int r = x % y;
        x = y;
        y = r;
    }
    out[i] = x;
}

KERNEL(loop_under_if)
{
    int i = idx[0], sum = 0;
    if (a[i] > 0) {
        for (int k = 0; k < 7; k++)
            sum += k * b[i];
        if (b[i] > 0)
            for (int k = 0; k < (b[i] & 3); k++)
                sum += 11;
    } else {
        for (int k = 3; k > 0; k--)
            sum -= k;
    }
    out[i] = sum;
}

KERNEL(never_entered)
{
    int i = idx[0];
    for (int k = 0; k < N - 1000; k++)
        out[i + k * 1000000] = 1;
    for (int k = a[i]; k < -1000; k++)
        out[i + k * 1000000] = 1;
    out[i] = 5;
}

KERNEL(stores_inside)
{
    int i = idx[0];
    for (int k = 0; k < (a[i] & 7); k++) {
        out[i] += b[i] + k;
        if (out[i] > 100)
            out[i] -= 50;
    }
}

int main(void)
{
    CHECK_KERNEL(int, varying_count);
    CHECK_KERNEL(int, count_by_index);
    CHECK_KERNEL(int, uniform_count);
    CHECK_KERNEL(int, do_while);
    CHECK_KERNEL(int, collatz);
    CHECK_KERNEL(int, breaks);
    CHECK_KERNEL(int, continues);
    CHECK_KERNEL(int, break_and_continue);
    CHECK_KERNEL(int, return_inside);
    CHECK_KERNEL(int, nested_varying);
    CHECK_KERNEL(int, nested_breaks);
    CHECK_KERNEL(int, return_from_the_inner);
    CHECK_KERNEL(int, varying_in_uniform);
    CHECK_KERNEL(int, uniform_in_varying);
    CHECK_KERNEL(int, counter_handed_out);
    CHECK_KERNEL(int, two_counters_handed_out);
    CHECK_KERNEL(int, fibonacci);
    CHECK_KERNEL(int, swapping);
    CHECK_KERNEL(int, greatest_common_divisor);
    CHECK_KERNEL(int, loop_under_if);
    CHECK_KERNEL(int, never_entered);
    CHECK_KERNEL(int, stores_inside);
    return 0;
}
