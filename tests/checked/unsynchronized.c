// The host reads what a launch or a copy has written, before amp_synchronize: it would get the old contents.
// RUN: %ampcc -O2 --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.json %t %t.bytes | FileCheck %s
// RUN: python3 %S/Inputs/report.py %t.json | FileCheck --check-prefix=JSON %s
// RUN: %ampcc -O0 -g --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked %t %t.bytes | FileCheck %s
// RUN: env AMP_DEFAULT_ACCELERATOR=cpu %t %t.bytes | FileCheck --check-prefix=CPU %s
// RUN: %ampcc -O2 --amp-check --amp-gpu=none -DOTHER -c %s -o %t.other.o
// RUN: %ampcc -O2 --amp-check --amp-gpu=none -DWITH_OTHER %s %t.other.o -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked %t %t.bytes | FileCheck --check-prefix=OTHER %s
#ifdef OTHER
/* A file without kernels. */
int sum_of(const int *p, int n);
int sum_of(const int *p, int n)
{
    int sum = 0;
    while (n-- > 0)
        sum += *p++;
    // OTHER: {{.*}}unsynchronized.c:[[@LINE-1]]:16: add: sum_of reads x[0], which the launch in line {{[0-9]+}} writes
    return sum;
}
#else
#include "Inputs/seed.h"

#include <stdlib.h>
#include <string.h>

enum { L = 3, M = 4, N = 5 };

struct pair {
    int first, second;
};

static volatile int seen;

static void add(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] += 1;
}

static void add2(amp_index2 idx, int M, int N, int a[M][N]) restrict(amp)
{
    a[idx[0]][idx[1]] += 1;
}

static void add3(amp_index3 idx, int L, int M, int N, float b[L][M][N]) restrict(amp)
{
    b[idx[0]][idx[1]][idx[2]] += 1;
}

static void swap(amp_index1 idx, int N, struct pair p[N]) restrict(amp)
{
    p[idx[0]] = (struct pair){p[idx[0]].second, p[idx[0]].first};
}

static void get(amp_index1 idx, int N, const int from[N], int to[N]) restrict(amp)
{
    to[idx[0]] = from[idx[0]];
}

/* JSON: column: 12
 * JSON-NEXT: extents: [5]
 * JSON-NEXT: file: "{{.*}}unsynchronized.c"
 * JSON-NEXT: helper: "on_stack"
 * JSON-NEXT: kernel: "add"
 * JSON-NEXT: kind: "host"
 * JSON-NEXT: line: [[@LINE+14]]
 * JSON-NEXT: other: {"line": [[@LINE+11]], "thread": null}
 * JSON-NEXT: remedy: "call amp_synchronize first"
 * JSON-NEXT: subscripts: [2]
 * JSON-NEXT: text: "on_stack reads x[2], which the launch in line [[@LINE+8]] writes on checked"
 * JSON-NEXT: thread: null
 * JSON-NEXT: variable: "x"
 */
static void on_stack(void)
{
    int data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    amp_parallel_for_each(amp_extent1(N), add, x);
    // CPU: AMP_OK
    seen = data[2]; // CHECK: AMP_ERROR_CHECK {{.*}}unsynchronized.c:[[@LINE]]:12: add: on_stack reads x[2], which the launch in line [[@LINE-2]] writes on checked; call amp_synchronize first
    found();
    amp_synchronize(x);
    seen = data[2]; // CHECK-NEXT: AMP_OK
    found();
    amp_array_view_release(x);
}

static int static_data[N];

static void of_file(void)
{
    amp_array_view *x = amp_array_view1(N, static_data);
    amp_parallel_for_each(amp_extent1(N), add, x);
    static_data[3] += 2; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}unsynchronized.c:[[@LINE]]:20: add: of_file reads x[3], which the launch in line [[@LINE-1]]
    found();
    amp_array_view_release(x); // CHECK-NEXT: AMP_ERROR_CHECK {{.*}} of_file writes x[3], which is then overwritten with what the launch in line [[@LINE-3]] wrote on checked; call amp_synchronize before
    found();
}

static int sum(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

/* Only some of a row is stale. */
static void sections(void)
{
    int *data = calloc(M * N, sizeof *data);
    amp_array_view *a = amp_array_view2(M, N, data), *part = amp_array_view_section2(a, 1, 2, 2, 2);
    amp_parallel_for_each(amp_extent2(2, 2), add2, part);
    seen = sum(data, N + 2) + data[N + 4] + data[3 * N + 2]; // CHECK-NEXT: AMP_OK
    found();
    seen = data[2 * N + 3]; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}unsynchronized.c:[[@LINE]]:12: add2: sections reads a[1][1], which the launch in line [[@LINE-3]]
    found();
    seen = sum(data, M * N); // CHECK-NEXT: {{.*}}unsynchronized.c:[[@LINE-14]]:16: add2: sum reads a[0][0], which
    found();
    amp_array_view_release(part);
    amp_synchronize(a);
    seen = sum(data, M * N); // CHECK-NEXT: AMP_OK
    found();
    amp_array_view *row = amp_array_view_project(a, 2);
    amp_parallel_for_each(amp_extent1(N), add, row);
    seen = sum(data, 2 * N) + data[3 * N]; // CHECK-NEXT: AMP_OK
    found();
    seen = data[2 * N + 4]; // CHECK-NEXT: {{.*}}unsynchronized.c:[[@LINE]]:12: add: sections reads x[4], which
    found();
    amp_array_view_release(row);
    amp_array_view_release(a);
    seen = sum(data, M * N); // CHECK-NEXT: AMP_OK
    found();
    free(data);
}

static void ranks(void)
{
    static float data[L][M][N];
    static struct pair pairs[N];
    amp_array_view *b = amp_array_view_whole3(data), *p = amp_array_view1(N, pairs);
    amp_parallel_for_each(amp_extent3(L, M, N), add3, b);
    amp_parallel_for_each(amp_extent1(N), swap, p);
    seen = data[2][1][3] > 0; // CHECK-NEXT: {{.*}}unsynchronized.c:[[@LINE]]:12: add3: ranks reads b[2][1][3], which the launch in line [[@LINE-2]]
    found();
    seen = pairs[1].second; // CHECK-NEXT: {{.*}}unsynchronized.c:[[@LINE]]:21: swap: ranks reads p[1], which the launch in line [[@LINE-3]]
    found();
    amp_array_view_release(b);
    amp_array_view_release(p);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Functions of the C library. */
static void library(const char *path)
{
    int data[N] = {0}, copy[N];
    FILE *file = fopen(path, "w+b");
    amp_array_view *x = amp_array_view1(N, data);
    amp_parallel_for_each(amp_extent1(N), add, x);
    memcpy(copy, data, sizeof copy); // CHECK-NEXT: {{.*}}unsynchronized.c:[[@LINE]]:5: add: library reads x[0],
    found();
    seen = memcmp(copy, data, sizeof copy); // CHECK-NEXT: {{.*}}unsynchronized.c:[[@LINE]]:12: add: library reads x[0],
    found();
    fwrite(data + 1, sizeof *data, 2, file); // CHECK-NEXT: {{.*}}unsynchronized.c:[[@LINE]]:5: add: library reads x[1],
    found();
    qsort(data, 2, sizeof *data, compare); // CHECK-NEXT: {{.*}}unsynchronized.c:[[@LINE]]:5: add: library reads x[0],
    found();
    rewind(file);
    seen = (int)fread(data, sizeof *data, 2, file); // CHECK-NEXT: AMP_OK
    found();
    amp_refresh(x);
    amp_array_view_release(x);
    fclose(file);
}

/* A copy whose destination is on the device. */
static void copied(void)
{
    int from[N] = {0}, to[N] = {0}, other[N] = {0};
    amp_array_view *a = amp_array_view1(N, from), *b = amp_array_view1(N, to), *c = amp_array_view1(N, other);
    amp_parallel_for_each(amp_extent1(N), get, a, b);
    amp_parallel_for_each(amp_extent1(N), get, b, c);
    amp_copy(c, b);
    seen = from[1]; // CHECK-NEXT: AMP_OK
    found();
    seen = other[4]; // CHECK-NEXT: {{.*}}unsynchronized.c:[[@LINE]]:12: amp_copy: copied reads destination[4], which the copy in line [[@LINE-3]] writes on checked;
    found();
    amp_array_view_release(a);
    amp_array_view_release(b);
    amp_array_view_release(c);
}

/* What the host may do. */
static void right(void)
{
    int data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    amp_parallel_for_each(amp_extent1(N), add, x);
    for (int i = 0; i < N; i++) {
        data[i] = i;
        seen = data[i];
    }
    amp_refresh(x);
    amp_parallel_for_each(amp_extent1(N), add, x);
    const int *mapped = amp_array_view_map(x, AMP_ACCESS_READ);
    seen = mapped[2] + data[3];
    amp_array_view_unmap(x);
    amp_parallel_for_each(amp_extent1(N), add, x);
    amp_discard_data(x);
    seen = data[0];
    amp_parallel_for_each_on(amp_accelerator_default_view(amp_accelerator_find("cpu")), amp_extent1(N), add, x);
    seen = data[0];
    amp_array_view_release(x);
    seen = data[4]; // CHECK-NEXT: AMP_OK
    found();
}

#ifdef WITH_OTHER
int sum_of(const int *p, int n);
#else
#define sum_of sum
#endif

static void in_other_file(void)
{
    int data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    amp_parallel_for_each(amp_extent1(N), add, x);
    seen = sum_of(data, N); // CHECK-NEXT: {{.*}}unsynchronized.c:{{[0-9]+}}:16: add: sum reads x[0],
    found();
    amp_array_view_release(x);
}

int main(int argc, char **argv)
{
    on_stack();
    of_file();
    sections();
    ranks();
    library(argv[argc - 1]);
    copied();
    right();
    in_other_file();
    return 0;
}
#endif
// CPU-NOT: AMP_ERROR_CHECK
