/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 -g %s -o %t && %run-alone %t
 * row: error.printf
 *
 * amp_abort under masks, in helpers that return something, in loops, and in tiles before barriers. Lanes that are off
 * do not abort; a thread does nothing after it; the next launch works as if nothing had happened. */
#include "check.h"

enum { TILE = 32 };

static int checked(int x) restrict(amp)
{
    if (x >= 0)
        return x * 2;
    amp_abort("negative");
}

static _Noreturn void complain(int x) restrict(amp)
{
    amp_abort(x > 1000 ? "large" : "huge");
}

static int divide(int a, int b) restrict(amp)
{
    if (b == 0)
        amp_abort("division by zero");
    return a / b;
}

static void plain(amp_index1 i, int N, const int x[N], int y[N]) restrict(amp)
{
    y[i[0]] = -1;
    if (x[i[0]] > 900)
        complain(x[i[0]]);
    y[i[0]] = checked(x[i[0]]);
}

static void quotients(amp_index1 i, int N, const int x[N], int y[N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < x[i[0]] % 5 + 1; k++)
        sum += divide(1000, x[(i[0] + k) % N]);
    y[i[0]] = sum;
}

/* A loop that only amp_abort ends, in its second round. */
static void spin(amp_index2 i, int N, const int x[N], int y[N]) restrict(amp)
{
    int k = 0;
    while (x[i[1]] == -77)
        if (k++ > i[0])
            amp_abort("spins");
    if (i[0] == 0)
        y[i[1]] = x[i[1]];
}

static void tiles(amp_tiled_index1(TILE) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static int s[TILE];
    int me = t.local[0], at = t.global[0];
    if (t.global[0] >= N - 3)
        amp_abort("padding");
    s[me] = x[at];
    amp_tile_barrier_wait(t.barrier);
    if (x[at] == 99) {
        if (me == 5)
            amp_abort("99 at 5");
        s[me] = 1;
    }
    for (int k = 1; k < TILE; k *= 2) {
        int other = s[me ^ k];
        amp_tile_barrier_wait(t.barrier);
        s[me] += other;
        if (s[me] > 1 << 20)
            amp_abort("overflow");
        amp_tile_barrier_wait(t.barrier);
    }
    y[at] = s[me];
}

static void always(amp_index1 i) restrict(amp)
{
    amp_abort(i[0] >= 0 ? "always" : "never");
}

static void expect(int line, amp_status status, const char *kernel, const char *text)
{
    char wanted[200];
    snprintf(wanted, sizeof wanted, "): amp_abort: %s", text);
    const char *found = strstr(amp_error_text(), "): ");
    if (status != AMP_ERROR_ABORTED || amp_error_status() != status || !found || strcmp(found, wanted) ||
        strncmp(amp_error_text(), kernel, strlen(kernel))) {
        fprintf(stderr, "line %d: %s: '%s', expected '%s%s'\n", line, amp_status_name(status), amp_error_text(), kernel,
                wanted);
        exit(1);
    }
    amp_error_clear();
}
#define EXPECT(kernel, text, ...)                                                                                      \
    expect(__LINE__, amp_parallel_for_each(__VA_ARGS__), #kernel, text)

int main(void)
{
    enum { MOST = 5000 };
    static int x[MOST + 100], y[MOST + 100], want[MOST + 100];
    static const int sizes[] = {1, 3, 16, 17, 33, 100, MOST};
    for (int k = 0; k < LENGTH(sizes); k++) {
        int n = sizes[k], at = n * 2 / 3, padded = (n + TILE - 1) / TILE * TILE;
        amp_array_view *x_view = amp_array_view1(n, (const int *)x), *y_view = amp_array_view1(n, y);
        for (int i = 0; i < n; i++) {
            x[i] = i % 500 + 1;
            want[i] = 2 * x[i];
        }
        /* 1. Nobody aborts. */
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), plain, x_view, y_view));
        CHECK_INTS(y, want, n, "nobody aborts, extent %d", n);
        CHECK_OK(amp_parallel_for_each(amp_extent2(3, n), spin, x_view, y_view));
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), quotients, x_view, y_view));
        /* 2. One thread does; what it would write afterwards is not written. */
        x[at] = -5;
        y[at] = 0;
        EXPECT(plain, "negative", amp_extent1(n), plain, x_view, y_view);
        if (y[at] != -1 && y[at] != 0) {
            fprintf(stderr, "the thread went on: %d\n", y[at]);
            return 1;
        }
        x[at] = 2000;
        EXPECT(plain, "large", amp_extent1(n), plain, x_view, y_view);
        x[at] = 950;
        EXPECT(plain, "huge", amp_extent1(n), plain, x_view, y_view);
        x[at] = 0;
        EXPECT(quotients, "division by zero", amp_extent1(n), quotients, x_view, y_view);
        x[at] = -77;
        EXPECT(spin, "spins", amp_extent2(3, n), spin, x_view, y_view);
        x[at] = at % 500 + 1;
        amp_array_view_release(x_view);
        amp_array_view_release(y_view);

        /* 3. Tiles, whose barriers the others do not pass either. */
        amp_array_view *u = amp_array_view1(padded + 3, (const int *)x), *v = amp_array_view1(padded + 3, y);
        for (int i = 0; i < padded + 3; i++)
            x[i] = i % 7;
        CHECK_OK(amp_parallel_for_each(amp_extent1(padded), tiles, u, v));
        for (int i = 0; i < padded; i++) {
            want[i] = 0;
            for (int j = i / TILE * TILE; j < i / TILE * TILE + TILE; j++)
                want[i] += x[j];
        }
        CHECK_INTS(y, want, padded, "tiles, extent %d", padded);
        x[padded - TILE + 5] = 99;
        EXPECT(tiles, "99 at 5", amp_extent1(padded), tiles, u, v);
        x[padded - TILE + 5] = 1 << 21;
        EXPECT(tiles, "overflow", amp_extent1(padded), tiles, u, v);
        amp_array_view_release(u);
        amp_array_view_release(v);
        u = amp_array_view1(padded, (const int *)x), v = amp_array_view1(padded, y);
        x[padded - TILE + 5] = 0;
        EXPECT(tiles, "padding", amp_extent1(padded), tiles, u, v);
        amp_array_view_release(u);
        amp_array_view_release(v);
        EXPECT(always, "always", amp_extent1(n), always);
        /* 4. Behind the caller's back. */
        amp_future *future = amp_parallel_for_each_async(amp_extent1(n), always);
        expect(__LINE__, amp_future_wait(future), "always", "always");
        amp_future_release(future);
    }
    return 0;
}
