/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 --amp-cpu=native --amp-lanes=64 %s -o %t && %run-native %t
 *
 * Sums of bytes that are only compared, also such that are more than a byte holds; and elements that threads read only
 * if they must, between such that all read, up to the end of the memory. */
#include "check.h"

typedef unsigned char uchar;

enum { MOST = 3000 };

#define LIFE_AT(x, above, here, below)                                                                                 \
    int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;                                                 \
    int sum = above[left] + above[x] + above[right] + here[left] + here[right] + below[left] + below[x] + below[right];

static void live(amp_index1 idx, int n, const uchar above[n], const uchar here[n], const uchar below[n], uchar out[n])
    restrict(cpu, amp)
{
    int x = idx[0];
    LIFE_AT(x, above, here, below)
    out[x] = sum == 3 || (sum == 2 && here[x]);
}

static void ranges(amp_index1 idx, int n, const uchar above[n], const uchar here[n], const uchar below[n], uchar out[n])
    restrict(cpu, amp)
{
    int x = idx[0];
    LIFE_AT(x, above, here, below)
    uchar bits = (uchar)(sum > 254) | (uchar)(sum >= 254) << 1 | (uchar)(sum == 254) << 2 | (uchar)(sum < 17) << 3;
    if (sum >= 40 && sum < 44)
        bits |= 16;
    if ((sum & -8) == 48)
        bits |= 32;
    if (sum >= 200 && sum <= 250)
        bits |= 64;
    if (sum != 0)
        bits |= 128;
    out[x] = bits;
}

/* These need more than a byte. */
static void above_bytes(amp_index1 idx, int n, const uchar above[n], const uchar here[n], const uchar below[n],
                        uchar out[n]) restrict(cpu, amp)
{
    int x = idx[0];
    LIFE_AT(x, above, here, below)
    uchar bits = (uchar)(sum > 255) | (uchar)(sum == 256) << 1 | (uchar)(sum >= 250 && sum < 260) << 2;
    if ((sum & -16) == 240)
        bits |= 8;
    if ((sum & 1) == 0)
        bits |= 16;
    if (sum - 100 > 0)
        bits |= 32;
    out[x] = bits;
}

static void conditions(amp_index1 idx, int n, const uchar above[n], const uchar here[n], const uchar below[n],
                       uchar out[n]) restrict(cpu, amp)
{
    int x = idx[0], n_larger = 3 + (above[x] > here[x]) + (here[x] > below[x]) + (above[x] > below[x]);
    if (n_larger == 6 || n_larger == 4)
        out[x] = here[x];
    else if (n_larger > 4)
        out[x] = above[x];
    else
        out[x] = 9;
}

#define DEFINE(T)                                                                                                      \
    /* The second read lies between two others away from the borders, the third one only if x + 2 < n. */              \
    static void T##_between(amp_index1 idx, int n, const T a[n], T out[n]) restrict(cpu, amp)                          \
    {                                                                                                                  \
        int x = idx[0], left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;                                 \
        T sum = (T)(a[left] + a[right]), own = 5;                                                                      \
        if (sum > 20)                                                                                                  \
            own = a[x];                                                                                                \
        else if (sum > 10 && x + 2 < n)                                                                                \
            own = a[x + 2];                                                                                            \
        out[x] = own;                                                                                                  \
    }                                                                                                                  \
    static void T##_check_between(int n)                                                                               \
    {                                                                                                                  \
        T *a = check_alloc(n * sizeof(T)), *out = check_alloc(n * sizeof(T)), *want = check_alloc(n * sizeof(T));      \
        amp_array_view *from = amp_array_view1(n, (const T *)a), *to = amp_array_view1(n, out);                        \
        for (int i = 0; i < n; i++)                                                                                    \
            a[i] = (T)(i * 37 % 17);                                                                                   \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), T##_between, from, to));                                        \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            T##_between((amp_index1){i}, n, a, want);                                                                  \
        CHECK_BYTES(out, want, n, #T ", %d elements", n);                                                              \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }

DEFINE(uchar)
DEFINE(short)
DEFINE(int)
DEFINE(float)
DEFINE(double)

static void check_counts(int n, int most)
{
    static const char *const names[] = {"live", "ranges", "above bytes", "conditions"};
    uchar *rows[3], *out = check_alloc(n), *want = check_alloc(n);
    amp_array_view *views[3], *to = amp_array_view1(n, out);
    for (int r = 0; r < 3; r++) {
        rows[r] = check_alloc(n);
        for (int i = 0; i < n; i++)
            rows[r][i] = (uchar)((i * 7919 + r * 31 + i / 13 * 5) % most);
        views[r] = amp_array_view1(n, (const uchar *)rows[r]);
    }
    for (int k = 0; k < 4; k++) {
        amp_array_view *a = views[0], *b = views[1], *c = views[2];
        CHECK_OK(k == 0   ? amp_parallel_for_each(amp_extent1(n), live, a, b, c, to)
                 : k == 1 ? amp_parallel_for_each(amp_extent1(n), ranges, a, b, c, to)
                 : k == 2 ? amp_parallel_for_each(amp_extent1(n), above_bytes, a, b, c, to)
                          : amp_parallel_for_each(amp_extent1(n), conditions, a, b, c, to));
        CHECK_OK(amp_synchronize(to));
        for (int i = 0; i < n; i++)
            (k == 0   ? live
             : k == 1 ? ranges
             : k == 2 ? above_bytes
                      : conditions)((amp_index1){i}, n, rows[0], rows[1], rows[2], want);
        CHECK_BYTES(out, want, n, "%s, %d elements below %d", names[k], n, most);
    }
    for (int r = 0; r < 3; r++)
        amp_array_view_release(views[r]);
    amp_array_view_release(to);
    check_free_all();
}

int main(void)
{
    static const int sizes[] = {1, 2, 3, 16, 31, 64, 65, 130, 257, 1000, MOST}, most[] = {2, 3, 7, 40, 90, 256};
    for (unsigned s = 0; s < LENGTH(sizes); s++) {
        for (unsigned m = 0; m < LENGTH(most); m++)
            check_counts(sizes[s], most[m]);
        uchar_check_between(sizes[s]);
        short_check_between(sizes[s]);
        int_check_between(sizes[s]);
        float_check_between(sizes[s]);
        double_check_between(sizes[s]);
    }
    return 0;
}
