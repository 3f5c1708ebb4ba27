/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=2 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Accesses out of bounds in lanes that are off must not happen: the arrays end where memory may not be touched. */
#include "check.h"

#define KERNEL(name)                                                                                                   \
    static void name(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)

KERNEL(last_neighbour)
{
    int i = idx[0];
    out[i] = i + 1 < N ? a[i + 1] : -1;
    if (i >= 1)
        out[i] += b[i - 1];
}

KERNEL(far_away)
{
    int i = idx[0];
    long far = a[i] > 0 ? i : 1000000000l * (i + 1);
    if (a[i] > 0)
        out[i] = b[far] + a[far];
    if (far < N)
        out[far] -= 5;
}

KERNEL(uniform_address)
{
    int i = idx[0], sum = 0;
    for (int k = 0; k < 300; k++)
        if (i >= k && k < N)
            sum += a[k];
    if (a[i] > 10000)
        sum += b[123456789];
    out[i] = sum;
}

KERNEL(null_pointer)
{
    int i = idx[0], x = 7;
    int *p = a[i] > b[i] ? &x : NULL;
    if (p)
        *p += b[i];
    out[i] = p ? *p : -1;
}

KERNEL(null_array)
{
    int i = idx[0];
    const int *p = a[i] > 0 ? a : NULL;
    out[i] = p && p[i] > 3 ? p[i] : 0;
}

KERNEL(strided)
{
    int i = idx[0];
    if (2 * i + 1 < N)
        out[2 * i] = a[2 * i] - b[2 * i + 1];
    if (2 * i + 1 < N && a[i] > 0)
        out[2 * i + 1] = i;
}

KERNEL(list_walk)
{
    int i = idx[0], n = 0;
    while (i < N && n < 1000) {
        i += (a[i] & 7) + 1;
        n++;
    }
    out[idx[0]] = n * 1000 + i;
}

KERNEL(bisect)
{
    int low = 0, high = N;
    while (low < high) {
        int middle = (low + high) / 2;
        if (b[middle] < a[idx[0]])
            low = middle + 1;
        else
            high = middle;
    }
    out[idx[0]] = low < N ? b[low] : low;
}

KERNEL(short_circuit)
{
    int i = idx[0];
    out[i] = i + 1 < N && a[i + 1] > 0 && i > 0 && b[i - 1] > 0;
    for (int k = i; k < N && a[k] != 3; k++)
        out[i] += 10;
}

/* Wrong to execute anywhere, and not taken. */
KERNEL(never)
{
    int i = idx[0];
    if (N < 0)
        out[i] = *(const int *)(a + 1000000000);
    else
        out[i] = 1;
}

KERNEL(private_array)
{
    int i = idx[0], x[4] = {1, 2, 3, 4};
    int at = a[i] > 0 ? i & 3 : i + 100000000;
    if (a[i] > 0)
        x[at] += b[i];
    out[i] = at < 4 ? x[at] : -x[i & 3];
}

/* AVX-512 has one instruction for the product, which reads all of a memory operand, whatever the mask is. */
KERNEL(narrow_product)
{
    int i = idx[0], r = i / 16;
    if (i + 3 < N)
        r = (short)a[i + 3] * (short)r;
    out[i] = r & 3;
}

/* Cutting numbers down is a shuffle, which reads all of a memory operand, too. */
static void narrowed(amp_index1 idx, int N, const double a[N], const double b[N], double out[N]) restrict(cpu, amp)
{
    int i = idx[0];
    unsigned low = 4 > i * i ? (i + 1 < N ? (unsigned)(*(const unsigned long long *)&a[i + 1]) : 7u) : (unsigned)i;
    out[i] = (double)__builtin_clz(low | 1);
}

int main(void)
{
    CHECK_KERNEL(int, last_neighbour);
    CHECK_KERNEL(int, far_away);
    CHECK_KERNEL(int, uniform_address);
    CHECK_KERNEL(int, null_pointer);
    CHECK_KERNEL(int, null_array);
    CHECK_KERNEL(int, strided);
    CHECK_KERNEL(int, list_walk);
    CHECK_KERNEL(int, bisect);
    CHECK_KERNEL(int, short_circuit);
    CHECK_KERNEL(int, never);
    CHECK_KERNEL(int, private_array);
    CHECK_KERNEL(int, narrow_product);
    CHECK_KERNEL(double, narrowed);
    return 0;
}
