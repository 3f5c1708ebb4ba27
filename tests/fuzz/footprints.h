/* SPDX-License-Identifier: MIT
 *
 * What the programs of footprints.py share; DEVICE says which part: 2 before the kernels, 1 for a kernel, 0 for its
 * copy on the host, 3 after them. */
#undef PUT1
#undef ADD1
#undef GET1
#undef PUT2
#undef ADD2
#undef GET2
#if DEVICE == 1
#define PUT1(a)    x[a] = n
#define ADD1(a)    (keep(found, x[a]), x[a] += n | 1)
#define GET1(a)    keep(found, x[a])
#define PUT2(a, b) x[a][b] = n
#define ADD2(a, b) (keep(found, x[a][b]), x[a][b] += n | 1)
#define GET2(a, b) keep(found, x[a][b])
#elif DEVICE == 0
#define PUT1(a)    note(__LINE__, WRITTEN, 0, a)
#define ADD1(a)    note(__LINE__, READ | WRITTEN, 0, a)
#define GET1(a)    note(__LINE__, READ, 0, a)
#define PUT2(a, b) note(__LINE__, WRITTEN, a, b)
#define ADD2(a, b) note(__LINE__, READ | WRITTEN, a, b)
#define GET2(a, b) note(__LINE__, READ, a, b)
#elif DEVICE == 2
#include "boxes.h"
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial {
    int extent[2], n, m, w, width; /* `width`: of the rows of an array of rank 2 */
    amp_array_view *view, *found;
};
struct kernel {
    void (*host)(int n, int m, int w);
    void (*launch)(const struct trial *trial);
    int rank, array_rank, tile[2];
};

static amp_accelerator_view *on;
static int memory[MEMORY], found;
char touched[MEMORY];
static int thread, writer[MEMORY]; /* the last thread that has written each element */
static int at[2], at_local[2], at_tile[2], at_origin[2];

/* What each line with an access touches: the least and greatest subscripts, and the same for the elements of all. */
enum { MAX_LINES = 1000 };
static struct {
    long long low[2], high[2];
    int n;
} lines[MAX_LINES];
static long long low, high, width;
static int n_touched;

static int least(int a, int b) restrict(cpu, amp)
{
    return a < b ? a : b;
}
static int greatest(int a, int b) restrict(cpu, amp)
{
    return a > b ? a : b;
}
/* Makes a value matter. Only what lies outside of a footprint is so large. */
enum { FOREIGN = 0x70000000 };
static void keep(int *into, int value) restrict(amp)
{
    if (value >= FOREIGN)
        *into = value;
}
/* Notes an access. What a thread has written itself it need not read. */
static void note(int line, int how, long long first, long long second)
{
    int l = line % 1000;
    long long subscripts[2] = {first, second}, element = first * width + second;
    for (int d = 0; d < 2; d++) {
        if (!lines[l].n || subscripts[d] < lines[l].low[d])
            lines[l].low[d] = subscripts[d];
        if (!lines[l].n || subscripts[d] > lines[l].high[d])
            lines[l].high[d] = subscripts[d];
    }
    lines[l].n++;
    low = !n_touched || element < low ? element : low;
    high = !n_touched || element > high ? element : high;
    n_touched++;
    if (element < 0 || element >= MEMORY)
        return;
    touched[element] |= (char)(writer[element] == thread ? how & ~READ : how);
    writer[element] = how & WRITTEN ? thread : writer[element];
}
#else
static int n_small, n_named, n_wrong;

/* Whether launches run in parts, as HACKING.md says. */
static int is_trial(void)
{
    const char *text = getenv("AMP_TEST_FOOTPRINTS");
    return text && *text;
}

int random_number(int from, int to)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return from + (int)(state / 65536 % (unsigned)(to - from + 1));
}

/* Runs the copy on the host over a part of the domain. */
static void touch(const struct kernel *k, const struct trial *t, const int *begin, const int *end)
{
    memset(lines, 0, sizeof lines);
    memset(touched, 0, sizeof touched);
    n_touched = 0;
    width = k->array_rank == 2 ? t->width : 0;
    for (int i = begin[0]; i < end[0]; i++)
        for (int j = begin[1]; j < end[1]; j++) {
            int index[2] = {i, j};
            for (int d = 0; d < 2; d++) {
                at[d] = index[d];
                at_tile[d] = at[d] / k->tile[d];
                at_local[d] = at[d] % k->tile[d];
                at_origin[d] = at[d] - at_local[d];
            }
            thread++;
            k->host(t->n, t->m, t->w);
        }
}

static void wrong(int number, const struct trial *t, const char *what)
{
    printf("kernel%d over %dx%d, n = %d, m = %d, w = %d, width %d, touched [%lld..%lld]: %s: %s\n", number,
           t->extent[0], t->extent[1], t->n, t->m, t->w, t->width, low, high, what, amp_error_text());
    n_wrong++;
}

/* Launches over an array of so many elements, or rows. */
static void launch(int number, struct trial *t, int size)
{
    const struct kernel *k = &kernels[number];
    amp_error_clear();
    t->view = k->array_rank == 1 ? amp_array_view1(size, memory) : amp_array_view2(size, t->width, memory);
    t->found = amp_array_view1(1, &found);
    k->launch(t);
    amp_array_view_release(t->view);
    amp_array_view_release(t->found);
    if (found)
        wrong(number, t, "reads outside of its footprint");
    found = 0;
    for (int i = 0; i < size * (k->array_rank == 1 ? 1 : t->width); i++)
        if (memory[i] >= FOREIGN || memory[i] < -FOREIGN) {
            wrong(number, t, "adds to what is outside of its footprint");
            memory[i] = 0;
        }
}

/* Returns whether an access of two lines that LLVM has made one, which has no line, is within what all lines touch. */
static bool is_within(const struct kernel *k, const char *text)
{
    long long found[4] = {0};
    const char *box = strstr(text, "touches x");
    if (!box || sscanf(box, k->array_rank == 1 ? "touches x[%lld..%lld]" : "touches x[%lld..%lld][%lld..%lld]",
                       &found[2 - 2 * (k->array_rank - 1)], &found[3 - 2 * (k->array_rank - 1)], &found[2],
                       &found[3]) != 2 * k->array_rank)
        return false;
    bool is_low = false, is_high = false;
    for (int l = 0; l < MAX_LINES; l++) {
        is_low |= lines[l].n && found[2] >= lines[l].low[1] && found[0] >= lines[l].low[0];
        is_high |= lines[l].n && found[3] <= lines[l].high[1] && found[1] <= lines[l].high[0];
    }
    return is_low && is_high;
}

/* Checks that the error names what the line touches. */
static void check_box(int number, const struct trial *t)
{
    const struct kernel *k = &kernels[number];
    const char *text = amp_error_text(), *place = strstr(text, ".c:");
    for (const char *next = place; next; next = strstr(next + 1, ".c:"))
        place = next;
    int line = place ? atoi(place + 3) : 0, l = line % 1000;
    char first[64] = "", box[192];
    if (k->array_rank == 2)
        snprintf(first, sizeof first, "[%lld..%lld]", lines[l].low[0], lines[l].high[0]);
    snprintf(box, sizeof box, "touches x%s[%lld..%lld] for this extent", first, lines[l].low[1], lines[l].high[1]);
    bool has_line = line / 1000 == number + 1;
    if (has_line ? !lines[l].n || !strstr(text, box) : !is_within(k, text))
        wrong(number, t, box);
}

/* Chooses what a kernel is launched with. Some arrays have rows that fill pages. Returns the elements of a row. */
static int choose(const struct kernel *k, struct trial *t, int widest)
{
    *t = (struct trial){.width = random_number(0, 3) ? random_number(1, 9) : widest};
    for (int d = 0; d < 2; d++)
        t->extent[d] = d < k->rank ? k->tile[d] * random_number(1, k->tile[d] > 1 ? 3 : 7) : 1;
    t->n = random_number(-2, 9), t->m = random_number(-2, 9), t->w = random_number(-1, 6);
    return k->array_rank == 1 ? 1 : t->width;
}

#ifdef BOXES
static int running_number;
static struct trial running_trial;
struct running running;

void touch_box(const int *begin, const int *end)
{
    touch(&kernels[running_number], &running_trial, begin, end);
}

void report_wrong(const char *what)
{
    wrong(running_number, &running_trial, what);
}

static void try_kernel(int number)
{
    enum { PAGE_OF_INTS = 1024 };
    const struct kernel *k = &kernels[number];
    struct trial *t = &running_trial;
    int row = choose(k, t, PAGE_OF_INTS);
    touch(k, t, (int[]){0, 0}, t->extent);
    int size = (n_touched ? (int)(high / row) + 1 : 1) + random_number(0, 3);
    if ((n_touched && (low < 0 || high > MEMORY)) || size * row > MEMORY)
        return;
    running_number = number;
    running = (struct running){k->rank, k->array_rank, t->width, k->tile, (long)size * row};
    launch(number, t, size);
    if (amp_error_status() != AMP_OK)
        wrong(number, t, "a right launch fails");
}

int main(void)
{
    enum { TRIALS = 24 };
    setvbuf(stdout, NULL, _IOLBF, 0); /* what cannot be accessed may end the program */
    on = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    for (int k = 0; k < (int)(sizeof kernels / sizeof *kernels); k++)
        for (int i = 0; i < TRIALS; i++)
            try_kernel(k);
    print_sizes();
    return n_wrong > 0;
}
#else
static void try_kernel(int number)
{
    const struct kernel *k = &kernels[number];
    struct trial t;
    int row = choose(k, &t, 7);
    touch(k, &t, (int[]){0, 0}, t.extent);
    if (n_touched && high > MEMORY - t.width)
        return;
    int size = n_touched && high >= 0 ? (int)(high / row) + 1 : 1;
    if (!n_touched || low >= 0) {
        launch(number, &t, size);
        if (amp_error_status() != AMP_OK)
            wrong(number, &t, "a right launch fails");
        size--;
    }
    if (!n_touched || size == 0 || is_trial())
        return;
    launch(number, &t, size);
    n_small++;
    n_named += amp_error_status() != AMP_OK;
    if (amp_error_status() != AMP_OK)
        check_box(number, &t);
}

int main(void)
{
    enum { TRIALS = 60 };
    on = amp_accelerator_default_view(amp_accelerator_find(is_trial() ? "cpu" : "null"));
    for (int k = 0; k < (int)(sizeof kernels / sizeof *kernels); k++)
        for (int i = 0; i < TRIALS; i++)
            try_kernel(k);
    printf("%d launches with arrays that are too small, %d of them rejected, %d wrong\n", n_small, n_named, n_wrong);
    return n_wrong > 0;
}
#endif
#endif
