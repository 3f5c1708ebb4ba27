/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 *
 * Loops that lanes leave at different times, each of which adds up what it reads along a row of its own: vectors of
 * successive iterations run as far as all lanes do. Nothing is read that the thread would not read. */
#include "check.h"

enum { LONGEST = 150, ROWS = 77 };

#define FORM(NAME)                                                                                                     \
    static void NAME(amp_index1 idx, int n, const int first[n], const int last[n], const int a[n][LONGEST],            \
                     const int b[LONGEST], int out[n]) restrict(cpu, amp)

FORM(lower)
{
    int sum = 1;
    for (int k = 0; k < last[idx[0]]; k++)
        sum += a[idx[0]][k] * b[k];
    out[idx[0]] = sum;
}

FORM(upper)
{
    int sum = 0, k = first[idx[0]];
    for (; k < LONGEST; k++)
        sum -= a[idx[0]][k] ^ b[k];
    out[idx[0]] = sum + k;
}

FORM(between)
{
    unsigned sum = 3;
    for (unsigned k = (unsigned)first[idx[0]]; k != (unsigned)last[idx[0]]; k++)
        sum |= (unsigned)a[idx[0]][k] & 0x55;
    out[idx[0]] = (int)sum;
}

FORM(inclusive)
{
    int sum = 0, most = -9999;
    for (int k = first[idx[0]]; k <= last[idx[0]] - 1; k++) {
        int value = a[idx[0]][k];
        sum += value;
        most = value > most ? value : most;
    }
    out[idx[0]] = sum * 31 + most;
}

/* The row of a lane that does not take part must not be read. */
FORM(under_if)
{
    int sum = 5;
    if (b[idx[0] % LONGEST] % 3 == 0)
        for (int k = 0; k < last[idx[0]]; k++)
            sum += a[idx[0]][k];
    out[idx[0]] = sum;
}

/* The loop begins again, for other lanes. */
FORM(nested)
{
    int sum = 0;
    for (int round = 0; round < first[idx[0]] % 5; round++) {
        int inner = round;
        for (int k = round; k < last[idx[0]] - round; k++)
            inner += a[idx[0]][k] & round;
        sum = sum * 3 + inner;
    }
    out[idx[0]] = sum;
}

/* What a lane has when it leaves the loop is not what others go on with. */
FORM(in_turn)
{
    int sum = 0, k = 0;
    for (int part = 0; part < 3; part++) {
        for (; k < last[idx[0]] * (part + 1) / 3; k++)
            sum += a[idx[0]][k];
        sum = sum * 5 + k;
    }
    out[idx[0]] = sum;
}

FORM(by_two)
{
    int sum = 0;
    for (int k = 0, l = 0; l < last[idx[0]] * 2; k++, l += 2)
        sum += a[idx[0]][k] + l;
    out[idx[0]] = sum;
}

FORM(by_pointer)
{
    const int *from = &a[idx[0]][first[idx[0]]];
    int sum = 0;
    for (int left = last[idx[0]] - first[idx[0]]; left > 0; left--)
        sum += *from++;
    out[idx[0]] = sum;
}

static const struct {
    const char *name;
    void (*loop)(amp_index1, int, const int *, const int *, const int (*)[LONGEST], const int *, int *);
} forms[] = {{"lower", lower},     {"upper", upper},   {"between", between}, {"inclusive", inclusive},
             {"under_if", under_if}, {"nested", nested}, {"in_turn", in_turn}, {"by_two", by_two},
             {"by_pointer", by_pointer}};

static void launch(int form, int n, amp_array_view *const *views)
{
    amp_array_view *first = views[0], *last = views[1], *a = views[2], *b = views[3], *out = views[4];
    switch (form) {
#define CASE(NUMBER, NAME)                                                                                             \
    case NUMBER:                                                                                                       \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), NAME, first, last, a, b, out));                                 \
        break;
        CASE(0, lower)
        CASE(1, upper)
        CASE(2, between)
        CASE(3, inclusive)
        CASE(4, under_if)
        CASE(5, nested)
        CASE(6, in_turn)
        CASE(7, by_two)
        CASE(8, by_pointer)
    }
}

/* `kind`: triangles, the same for all, random rows, and some empty ones. */
static void check_rows(int n, int kind)
{
    int *first = check_alloc((size_t)n * sizeof(int)), *last = check_alloc((size_t)n * sizeof(int));
    int *a = check_alloc((size_t)n * LONGEST * sizeof(int)), *b = check_alloc(LONGEST * sizeof(int));
    int *out = check_alloc((size_t)n * sizeof(int)), *want = check_alloc((size_t)n * sizeof(int));
    for (int i = 0; i < n * LONGEST; i++)
        a[i] = check_value(i) - 100;
    for (int i = 0; i < LONGEST; i++)
        b[i] = check_value(i + 7);
    for (int i = 0; i < n; i++) {
        int some = (i * 37 + 11) % LONGEST, more = (i * 53 + 5) % (LONGEST - some);
        first[i] = kind == 0 ? i : kind == 1 ? 3 : some;
        last[i] = kind == 0 ? LONGEST - ROWS + i : kind == 1 ? LONGEST : some + (kind == 3 && i % 5 ? 0 : more);
    }
    amp_array_view *views[] = {amp_array_view1(n, (const int *)first), amp_array_view1(n, (const int *)last),
                               amp_array_view2(n, LONGEST, (const int *)a), amp_array_view1(LONGEST, (const int *)b),
                               amp_array_view1(n, out)};
    for (int form = 0; form < (int)(sizeof forms / sizeof *forms); form++) {
        launch(form, n, views);
        CHECK_OK(amp_synchronize(views[4]));
        for (int i = 0; i < n; i++)
            forms[form].loop((amp_index1){i}, n, first, last, (const int(*)[LONGEST])a, b, want);
        CHECK_BYTES(out, want, n, "%s, %d rows of kind %d", forms[form].name, n, kind)
    }
    for (int v = 0; v < 5; v++)
        amp_array_view_release(views[v]);
    check_free_all();
}

int main(void)
{
    for (int kind = 0; kind < 4; kind++)
        for (int n = 1; n <= ROWS; n += 19)
            check_rows(n, kind);
    return 0;
}
