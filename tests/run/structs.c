/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 * RUN: %ampcc -O0 -g %s -o %t && %run-alone %t
 *
 * Structs: as arguments, small ones passed in registers and large ones; as elements; copied, nested, indexed. */
#include "check.h"

struct one {
    char c;
};
struct pair {
    float x, y;
};
struct mixed {
    double d;
    int i;
    bool b;
};
struct trio {
    float x, y, z;
};
struct packed {
    int8_t a;
    uint16_t b;
    int32_t c;
    uint8_t d;
};
struct large {
    int head;
    double table[20];
    struct pair pairs[3];
    short tail;
};
struct nested {
    struct mixed m;
    struct {
        struct one o;
        int64_t n;
    } inner;
    union {
        float f;
        uint32_t bits;
    } u;
};
struct bits {
    unsigned a : 3, b : 13;
    int c : 10;
};
enum kind { ADD, SUBTRACT };
struct operation {
    enum kind kind;
    float by;
};

static void arguments(amp_index1 idx, struct one one, struct pair pair, struct mixed mixed, struct trio trio,
                      struct packed packed, struct large large, struct nested nested, struct bits bits, int N,
                      double out[N][12]) restrict(cpu, amp)
{
    int i = idx[0];
    double *o = out[i];
    o[0] = one.c;
    o[1] = pair.x - pair.y;
    o[2] = mixed.d * mixed.i + mixed.b;
    o[3] = trio.x + 10 * trio.y + 100 * trio.z;
    o[4] = packed.a + packed.b * 3.0 + packed.c * 5.0 + packed.d * 7.0;
    o[5] = large.head + large.table[i % 20] + large.tail;
    o[6] = large.pairs[i % 3].x + large.pairs[2].y;
    o[7] = nested.m.d + nested.m.i + nested.inner.o.c;
    o[8] = (double)nested.inner.n + nested.u.bits;
    o[9] = bits.a + bits.b * 2 + bits.c * 3;
    large.table[i % 20] = i; /* the copy of this thread only */
    o[10] = large.table[3] + large.table[i % 20];
    pair.x = i;
    o[11] = pair.x * pair.y;
}

static void elements(amp_index1 idx, int N, const struct mixed in[N], const struct pair pairs[N], struct mixed out[N],
                     struct packed packed[N], struct trio trios[N]) restrict(cpu, amp)
{
    int i = idx[0];
    struct mixed m = in[i];
    if (m.b) {
        m.d += pairs[i].x;
        m.i = -m.i;
    } else {
        m = in[N - 1 - i];
        m.b = pairs[i].y > 0;
    }
    out[i].d = m.d;
    out[i].i = m.i;
    out[i].b = m.b;
    packed[i].a += 100;
    packed[i].b = (uint16_t)(packed[i].b * 3);
    packed[i].c -= i;
    packed[i].d++;
    struct trio t = trios[i];
    trios[i] = (struct trio){t.z, t.x, t.y + 1};
}

static void large_elements(amp_index1 idx, int N, const struct large in[N], struct large out[N]) restrict(cpu, amp)
{
    int i = idx[0];
    out[i] = in[N - 1 - i];
    out[i].table[i % 20] = i;
    if (in[i].head % 2)
        out[i].pairs[1] = in[i].pairs[2];
    struct large copy = in[i];
    copy.table[(unsigned)in[i].head % 20] += 1;
    for (int k = 0; k < 20; k++)
        out[i].table[k] += copy.table[k];
}

static void bit_fields(amp_index1 idx, int N, struct bits x[N]) restrict(cpu, amp)
{
    int i = idx[0];
    x[i].a += 3;
    if (x[i].c > 0)
        x[i].b = x[i].a * 1000;
    x[i].c = x[i].c / 2 - i % 5;
}

static void operations(amp_index1 idx, struct operation all, int N, const struct operation each[N], float x[N])
    restrict(cpu, amp)
{
    int i = idx[0];
    struct operation o = all.kind == ADD ? all : each[i];
    x[i] = each[i].kind == ADD ? x[i] + o.by : x[i] - o.by;
}

int main(void)
{
    EACH_EXTENT(n) {
        struct one one = {'q'};
        struct pair pair = {1.5f, -2.25f};
        struct mixed mixed = {1e10, -77, true};
        struct trio trio = {1, 2, 3};
        struct packed packed = {-5, 60000, 123456789, 200};
        struct large large = {-9, {0.5}, {{1, 2}, {3, 4}, {5, 6}}, -321};
        for (int k = 0; k < 20; k++)
            large.table[k] = k * k * 0.25;
        struct nested nested = {{2.5, 9, false}, {{'z'}, 1ll << 40}, {.f = 1.0f}};
        struct bits bits = {5, 4321, -300};
        double *out = check_alloc(12 * n * sizeof(double)), *want = check_alloc(12 * n * sizeof(double));
        amp_array_view *out_view = amp_array_view2(n, 12, out);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), arguments, one, pair, mixed, trio, packed, large, nested, bits,
                                       out_view));
        for (int i = 0; i < n; i++)
            arguments((amp_index1){i}, one, pair, mixed, trio, packed, large, nested, bits, n, (double (*)[12])want);
        CHECK_FLOATS(out, want, 12 * n, "arguments, extent %d", n);
        amp_array_view_release(out_view);
        check_free_all();

        struct mixed *m = check_alloc(n * sizeof *m), *m_out = check_alloc(n * sizeof *m);
        struct mixed *m_want = check_alloc(n * sizeof *m);
        struct pair *pairs = check_alloc(n * sizeof *pairs);
        struct packed *p = check_alloc(n * sizeof *p), *p_want = check_alloc(n * sizeof *p);
        struct trio *t = check_alloc(n * sizeof *t), *t_want = check_alloc(n * sizeof *t);
        memset(p, 0, n * sizeof *p);
        for (int i = 0; i < n; i++) {
            m[i] = (struct mixed){check_value(i) / 8.0, check_value(i + 1), check_value(i) & 1};
            pairs[i] = (struct pair){(float)check_value(i + 2), (float)check_value(i + 3)};
            p[i].a = (int8_t)check_value(i), p[i].b = (uint16_t)(check_value(i) * 99), p[i].c = check_value(i) * 99999;
            p[i].d = (uint8_t)check_value(i + 4);
            t[i] = (struct trio){(float)i, (float)-i, (float)check_value(i)};
        }
        memset(m_out, 0, n * sizeof *m);
        memset(m_want, 0, n * sizeof *m);
        memcpy(p_want, p, n * sizeof *p);
        memcpy(t_want, t, n * sizeof *t);
        amp_array_view *v[] = {amp_array_view1(n, (const struct mixed *)m),
                               amp_array_view1(n, (const struct pair *)pairs), amp_array_view1(n, m_out),
                               amp_array_view1(n, p), amp_array_view1(n, t)};
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), elements, v[0], v[1], v[2], v[3], v[4]));
        for (int i = 0; i < n; i++)
            elements((amp_index1){i}, n, m, pairs, m_want, p_want, t_want);
        CHECK_BYTES(m_out, m_want, n, "elements, extent %d", n);
        CHECK_BYTES(p, p_want, n, "elements, extent %d", n);
        CHECK_BYTES(t, t_want, n, "elements, extent %d", n);
        for (int i = 0; i < LENGTH(v); i++)
            amp_array_view_release(v[i]);
        check_free_all();

        struct large *l = check_alloc(n * sizeof *l), *l_out = check_alloc(n * sizeof *l);
        struct large *l_want = check_alloc(n * sizeof *l);
        for (int i = 0; i < n; i++) {
            memset(&l[i], 0, sizeof *l);
            l[i].head = check_value(i) + 500;
            for (int k = 0; k < 20; k++)
                l[i].table[k] = check_value(i * 20 + k);
            for (int k = 0; k < 3; k++)
                l[i].pairs[k] = (struct pair){(float)k, (float)i};
            l[i].tail = (short)-i;
        }
        v[0] = amp_array_view1(n, (const struct large *)l), v[1] = amp_array_view1(n, l_out);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), large_elements, v[0], v[1]));
        for (int i = 0; i < n; i++)
            large_elements((amp_index1){i}, n, l, l_want);
        CHECK_BYTES(l_out, l_want, n, "large_elements, extent %d", n);
        amp_array_view_release(v[0]);
        amp_array_view_release(v[1]);
        check_free_all();

        struct bits *b = check_alloc(n * sizeof *b), *b_want = check_alloc(n * sizeof *b);
        memset(b, 0, n * sizeof *b);
        for (int i = 0; i < n; i++)
            b[i].a = (unsigned)i & 7, b[i].b = (unsigned)i * 37 & 8191, b[i].c = check_value(i);
        memcpy(b_want, b, n * sizeof *b);
        v[0] = amp_array_view1(n, b);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), bit_fields, v[0]));
        for (int i = 0; i < n; i++)
            bit_fields((amp_index1){i}, n, b_want);
        CHECK_BYTES(b, b_want, n, "bit_fields, extent %d", n);
        amp_array_view_release(v[0]);
        check_free_all();

        struct operation *each = check_alloc(n * sizeof *each);
        float *x = check_alloc(n * sizeof *x), *x_want = check_alloc(n * sizeof *x);
        for (int i = 0; i < n; i++) {
            each[i] = (struct operation){check_value(i) & 1 ? ADD : SUBTRACT, (float)i};
            x[i] = x_want[i] = (float)check_value(i);
        }
        v[0] = amp_array_view1(n, (const struct operation *)each), v[1] = amp_array_view1(n, x);
        for (int k = 0; k < 2; k++) {
            struct operation all = {k ? ADD : SUBTRACT, 0.5f};
            CHECK_OK(amp_parallel_for_each(amp_extent1(n), operations, all, v[0], v[1]));
            for (int i = 0; i < n; i++)
                operations((amp_index1){i}, all, n, each, x_want);
            CHECK_FLOATS(x, x_want, n, "operations, extent %d", n);
        }
        amp_array_view_release(v[0]);
        amp_array_view_release(v[1]);
        check_free_all();
    }
    return 0;
}
