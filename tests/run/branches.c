/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Branches that lanes take differently: if, else, nested, chains, early return, ?:, and values that meet after them. */
#include "check.h"

#define KERNEL(name)                                                                                                   \
    static void name(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)

KERNEL(if_only)
{
    int i = idx[0];
    if (a[i] > 0)
        out[i] = b[i];
}

KERNEL(if_else)
{
    int i = idx[0];
    if (a[i] > b[i])
        out[i] = a[i] - b[i];
    else
        out[i] = 2 * b[i];
}

KERNEL(value_meets)
{
    int i = idx[0], x = 1, y = 2;
    if (a[i] & 1) {
        x = b[i];
    } else {
        y = b[i];
        x = y + 1;
    }
    out[i] = x * 1000 + y;
}

KERNEL(nested)
{
    int i = idx[0], x = 0;
    if (a[i] > 0) {
        x = 1;
        if (b[i] > 0) {
            x = 2;
            if (a[i] > b[i])
                x = 3;
            else
                out[i] = 7;
            x += 10;
        } else if (b[i] < -100) {
            x = 4;
        }
        x += 100;
    } else {
        if (b[i] & 1)
            x = 5;
    }
    out[i] += x;
}

KERNEL(chain)
{
    int i = idx[0], x;
    if (a[i] < -200)
        x = 1;
    else if (a[i] < 0)
        x = b[i];
    else if (a[i] == 3)
        x = -b[i];
    else if (a[i] < 200)
        x = a[i] + b[i];
    else
        x = 5;
    out[i] = x;
}

KERNEL(early_return)
{
    int i = idx[0];
    if (a[i] < 0)
        return;
    out[i] = 1;
    if (b[i] < 0)
        return;
    out[i] = a[i] * b[i];
}

KERNEL(returns_everywhere)
{
    int i = idx[0];
    if (a[i] < 0) {
        if (b[i] < 0) {
            out[i] = 1;
            return;
        }
        out[i] = 2;
    } else {
        if (b[i] & 2)
            return;
        out[i] = 3;
        if (b[i] & 4) {
            out[i] = 4;
            return;
        }
    }
    out[i] += 10;
}

KERNEL(conditional_expression)
{
    int i = idx[0];
    out[i] = a[i] > 0 ? b[i] > 0 ? a[i] / (b[i] + 1) : a[i] - b[i] : i & 1 ? -a[i] : b[N - 1 - i];
}

KERNEL(on_the_index)
{
    int i = idx[0];
    if (i < N / 2)
        out[i] = a[i];
    else if (i % 3 == 0)
        out[i] = b[i];
    else
        out[i] = i;
}

KERNEL(uniform_inside_varying)
{
    int i = idx[0], x = 0;
    if (a[i] > 0) {
        if (N & 1)
            x = b[i];
        else
            x = b[0];
    }
    out[i] = x;
}

KERNEL(varying_inside_uniform)
{
    int i = idx[0], x = 0;
    if (a[0] > 0 && N > 5) {
        if (a[i] > b[i])
            x = 1;
        else if (N > 20)
            x = 2;
    } else {
        x = a[i] < b[i] ? 3 : 4;
    }
    out[i] = x;
}

/* A uniform value that is set under a varying condition is not uniform after it. */
KERNEL(uniform_value_varying_condition)
{
    int i = idx[0], x = 1;
    if (a[i] > 0)
        x = N;
    if (b[i] > 0)
        x = x * 3;
    out[i] = x;
}

/* Stores to one place by several lanes in program order: the lanes that are off must not write. */
KERNEL(store_order)
{
    int i = idx[0];
    out[i] = 1;
    if (a[i] > 0)
        out[i] = 2;
    else if (b[i] > 0)
        out[i] = 3;
    if (out[i] == 2)
        out[i] += b[i];
}

KERNEL(empty_arms)
{
    int i = idx[0];
    if (a[i] > 0) {
    } else {
        out[i] = 1;
    }
    if (b[i] > 0) {
        if (a[i] > 0) {
        }
    }
    out[i] += 1;
}

KERNEL(constant_branch)
{
    int i = idx[0];
    if (sizeof(int) == 4)
        out[i] = a[i];
    if (0)
        out[i + 1000000] = b[i];
}

int main(void)
{
    CHECK_KERNEL(int, if_only);
    CHECK_KERNEL(int, if_else);
    CHECK_KERNEL(int, value_meets);
    CHECK_KERNEL(int, nested);
    CHECK_KERNEL(int, chain);
    CHECK_KERNEL(int, early_return);
    CHECK_KERNEL(int, returns_everywhere);
    CHECK_KERNEL(int, conditional_expression);
    CHECK_KERNEL(int, on_the_index);
    CHECK_KERNEL(int, uniform_inside_varying);
    CHECK_KERNEL(int, varying_inside_uniform);
    CHECK_KERNEL(int, uniform_value_varying_condition);
    CHECK_KERNEL(int, store_order);
    CHECK_KERNEL(int, empty_arms);
    CHECK_KERNEL(int, constant_branch);
    return 0;
}
