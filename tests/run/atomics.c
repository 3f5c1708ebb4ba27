/* SPDX-License-Identifier: MIT
 *
 * Atomic operations with any lanes active, on global and tile memory, on one place and on many.
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 * row: atomic.exchange, atomic.compare_exchange, atomic.fetch, c10 */
#include <amp.h>
#include <stdio.h>
#include <string.h>

enum { BINS = 16, TILE = 64 };

static void on_one_place(amp_index1 idx, int N, const int x[N], int r[8], unsigned u[2], long long w[2]) restrict(amp)
{
    int v = x[idx[0]];
    amp_atomic_fetch_add(&r[0], v);
    if (v % 3 == 0)
        amp_atomic_fetch_sub(&r[1], v);
    amp_atomic_fetch_min(&r[2], v);
    if (v & 1)
        amp_atomic_fetch_max(&r[3], v);
    amp_atomic_fetch_and(&r[4], ~(1 << (v & 7)));
    amp_atomic_fetch_or(&r[5], 1 << (v & 15));
    amp_atomic_fetch_xor(&r[6], v);
    if (idx[0] == 0)
        r[7] = 1;
    amp_atomic_fetch_max(&u[0], (unsigned)v);
    amp_atomic_fetch_min(&u[1], (unsigned)v);
    amp_atomic_fetch_add(&w[0], (long long)v << 20);
    amp_atomic_fetch_add(&w[1], 1LL);
}

/* Every thread gets a number of its own, and old values are exact. */
static void tickets(amp_index1 idx, int N, int next[1], int seen[N], float sum[1], double bits[2]) restrict(amp)
{
    if (idx[0] % 5 == 2)
        return;
    int ticket = amp_atomic_fetch_add(&next[0], 1);
    amp_atomic_fetch_add(&seen[ticket], 1);
    amp_atomic_fetch_add(&sum[0], 0.5f);
    double old = bits[0], expected = old;
    while (!amp_atomic_compare_exchange(&bits[0], &expected, expected + 2))
        ;
    amp_atomic_exchange(&bits[1], 7.0);
}

static void histogram(amp_tiled_index1(TILE) t, int N, const unsigned char x[N], int bins[BINS], int largest[1])
    restrict(amp)
{
    tile_static int own[BINS], most;
    if (t.local[0] < BINS)
        own[t.local[0]] = 0;
    if (t.local[0] == 0)
        most = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&own[x[t.global[0]] % BINS], 1);
    if (x[t.global[0]] > 100)
        amp_atomic_fetch_max(&most, (int)x[t.global[0]]);
    amp_tile_barrier_wait(t.barrier);
    if (t.local[0] < BINS)
        amp_atomic_fetch_add(&bins[t.local[0]], own[t.local[0]]);
    if (t.local[0] == 0)
        amp_atomic_fetch_max(&largest[0], most);
}

static int failures;

static void expect(const char *what, long long got, long long wanted)
{
    if (got != wanted && failures++ < 10)
        printf("%s: %lld, expected %lld\n", what, got, wanted);
}

static void check_one_place(int n, const int *x)
{
    int r[8] = {0, 0, 1000, -1000, 255, 0, 0, 0}, e[8] = {0, 0, 1000, -1000, 255, 0, 0, 1};
    unsigned u[2] = {0, ~0u}, eu[2] = {0, ~0u};
    long long w[2] = {0}, ew[2] = {0};
    for (int i = 0; i < n; i++) {
        int v = x[i];
        e[0] += v;
        e[1] -= v % 3 == 0 ? v : 0;
        e[2] = v < e[2] ? v : e[2];
        e[3] = (v & 1) && v > e[3] ? v : e[3];
        e[4] &= ~(1 << (v & 7));
        e[5] |= 1 << (v & 15);
        e[6] ^= v;
        eu[0] = (unsigned)v > eu[0] ? (unsigned)v : eu[0];
        eu[1] = (unsigned)v < eu[1] ? (unsigned)v : eu[1];
        ew[0] += (long long)v * (1 << 20);
        ew[1]++;
    }
    amp_array_view *vx = amp_array_view1(n, x), *vr = amp_array_view1(8, r), *vu = amp_array_view1(2, u),
                   *vw = amp_array_view1(2, w);
    amp_parallel_for_each(amp_extent1(n), on_one_place, vx, vr, vu, vw);
    amp_synchronize(vr);
    amp_synchronize(vu);
    amp_synchronize(vw);
    for (int i = 0; i < 8; i++)
        expect("one place", r[i], e[i]);
    for (int i = 0; i < 2; i++) {
        expect("unsigned", u[i], eu[i]);
        expect("64 bits", w[i], ew[i]);
    }
    amp_array_view_release(vx);
    amp_array_view_release(vr);
    amp_array_view_release(vu);
    amp_array_view_release(vw);
}

static void check_tickets(int n, int *seen)
{
    int next[1] = {0}, active = 0;
    float sum[1] = {0};
    double bits[2] = {0};
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int i = 0; i < n; i++)
        active += i % 5 != 2;
    amp_array_view *vn = amp_array_view1(1, next), *vs = amp_array_view1(n, seen), *vf = amp_array_view1(1, sum),
                   *vb = amp_array_view1(2, bits);
    amp_parallel_for_each(amp_extent1(n), tickets, vn, vs, vf, vb);
    amp_synchronize(vn);
    amp_synchronize(vs);
    amp_synchronize(vf);
    amp_synchronize(vb);
    expect("tickets", next[0], active);
    for (int i = 0; i < n; i++)
        expect("a ticket's owners", seen[i], i < active);
    expect("float sum", (long long)(2 * sum[0]), active);
    expect("compare_exchange", (long long)bits[0], 2 * active);
    expect("exchange", (long long)bits[1], 7);
    amp_array_view_release(vn);
    amp_array_view_release(vs);
    amp_array_view_release(vf);
    amp_array_view_release(vb);
}

/* What the last exchange found outlives the loop, which some threads never enter. */
static void count_down(amp_index1 idx, int n, int times, int x[n], int found[n]) restrict(amp)
{
    int last = -1;
    if (x[idx[0]] % 3 == 0)
        return;
    for (int k = times & 7; k > 0; k--) {
        int expected = 7;
        if (amp_atomic_compare_exchange(&x[idx[0]], &expected, 8))
            expected = 100;
        for (int once = 1; once > 0; once--)
            last = expected;
    }
    found[idx[0]] = last;
}

static void check_count_down(int n)
{
    int x[100], found[100];
    for (int i = 0; i < n; i++) {
        x[i] = i;
        found[i] = -2;
    }
    amp_array_view *vx = amp_array_view1(n, x), *vf = amp_array_view1(n, found);
    amp_parallel_for_each(amp_extent1(n), count_down, 2, vx, vf);
    amp_synchronize(vx);
    amp_synchronize(vf);
    for (int i = 0; i < n; i++) {
        expect("exchanged", x[i], i == 7 ? 8 : i);
        expect("found", found[i], i % 3 == 0 ? -2 : i == 7 ? 8 : i);
    }
    amp_array_view_release(vx);
    amp_array_view_release(vf);
}

/* On memory of the thread's own: private arrays, indexed at run time. */
static int own_memory(int v) restrict(cpu, amp)
{
    int own[4] = {1, 2, 3, 4}, k = v & 3, expected = 3;
    float f[2] = {0.5f, 1.5f};
    long long wide[2] = {-1, 1};
    int sum = amp_atomic_fetch_add(&own[k], v);
    sum = 3 * sum + amp_atomic_fetch_sub(&own[3 - k], 7);
    sum = 3 * sum + amp_atomic_fetch_max(&own[k], 2);
    sum = 3 * sum + amp_atomic_fetch_min(&own[3 - k], -2);
    sum = 3 * sum + amp_atomic_fetch_and(&own[k], 6);
    sum = 3 * sum + amp_atomic_fetch_or(&own[k], 9);
    sum = 3 * sum + amp_atomic_fetch_xor(&own[k], 5);
    sum = 3 * sum + amp_atomic_compare_exchange(&own[2], &expected, 50);
    sum = 3 * sum + amp_atomic_exchange(&own[k ^ 1], 11) + expected;
    sum = 3 * sum + (int)(2 * amp_atomic_fetch_add(&f[v & 1], 2.0f));
    sum = 3 * sum + (int)amp_atomic_fetch_max(&wide[v & 1], 0LL);
    for (int i = 0; i < 4; i++)
        sum = 3 * sum + own[i] + (int)f[i & 1] + (int)wide[i & 1];
    return sum;
}

static void on_own_memory(amp_index1 idx, int n, const int x[n], int found[n]) restrict(amp)
{
    found[idx[0]] = own_memory(x[idx[0]]);
}

static void check_own_memory(int n, const int *x)
{
    int found[200];
    amp_array_view *vx = amp_array_view1(n, x), *vf = amp_array_view1(n, found);
    amp_parallel_for_each(amp_extent1(n), on_own_memory, vx, vf);
    amp_synchronize(vf);
    for (int i = 0; i < n; i++)
        expect("own memory", found[i], own_memory(x[i]));
    amp_array_view_release(vx);
    amp_array_view_release(vf);
}

static void check_histogram(int n, const unsigned char *x)
{
    int bins[BINS] = {0}, wanted[BINS] = {0}, largest[1] = {0}, most = 0;
    for (int i = 0; i < n; i++) {
        wanted[x[i] % BINS]++;
        most = x[i] > 100 && x[i] > most ? x[i] : most;
    }
    amp_array_view *vx = amp_array_view1(n, x), *vb = amp_array_view1(BINS, bins), *vl = amp_array_view1(1, largest);
    amp_parallel_for_each(amp_extent1(n), histogram, vx, vb, vl);
    amp_synchronize(vb);
    amp_synchronize(vl);
    for (int i = 0; i < BINS; i++)
        expect("bin", bins[i], wanted[i]);
    expect("largest", largest[0], most);
    amp_array_view_release(vx);
    amp_array_view_release(vb);
    amp_array_view_release(vl);
}

int main(void)
{
    enum { N = 64 * 1024 };
    static int x[N], seen[N];
    static unsigned char bytes[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int)((unsigned)i * 2654435761u >> 8) % 1001 - 500;
        bytes[i] = (unsigned char)((unsigned)i * 2654435761u >> 13);
    }
    for (int n = 1; n <= 49; n++) {
        check_one_place(n, x + n);
        check_tickets(n, seen);
        check_count_down(2 * n);
    }
    check_own_memory(200, x);
    check_one_place(N, x);
    check_tickets(5000, seen);
    check_histogram(TILE, bytes);
    check_histogram(N, bytes);
    if (*amp_error_text())
        printf("%s\n", amp_error_text());
    printf(failures ? "%d failures\n" : "ok\n", failures);
    return failures != 0 || *amp_error_text();
}
