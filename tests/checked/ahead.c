// Loops that neighbouring threads run together, ahead of the rest: results are right, and every mistake of one thread
// among them is found, in the loop and after it.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_TIMEOUT=0.2 AMP_CHECK_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON <%t.json
// RUN: %ampcc -O0 -g -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_TIMEOUT=0.2 AMP_CHECK_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON <%t.json
//
// At -O2 the loops of all these kernels do, unless a debugger should stop in them.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none --amp-dump-after=instrument --amp-stop-after=instrument -c %s \
// RUN:     -o %t.o >%t.ll
// RUN: grep -c "^define internal i32 @amp__entry_.*[.]ahead(" %t.ll | FileCheck %s --check-prefix=COUNT
// COUNT: 13
// RUN: %ampcc -O2 -g -w --amp-check --amp-gpu=none --amp-dump-after=instrument --amp-stop-after=instrument -c %s \
// RUN:     -o %t.o | not grep "[.]ahead("
//
// CHECK-NOT: wrong
// CHECK-COUNT-14: AMP_OK
#include "Inputs/seed.h"

enum { M = 5, N = 75, W = 40, MOST = 40 };

#define PRODUCT(name, T)                                                                                               \
    static void name(amp_index2 idx, int M, int N, int W, const T a[M][W], const T b[W][N], T c[M][N]) restrict(amp)   \
    {                                                                                                                  \
        T sum = 1;                                                                                                     \
        for (int k = 0; k < W; k++)                                                                                    \
            sum += a[idx[0]][k] * b[k][idx[1]];                                                                        \
        c[idx[0]][idx[1]] = sum;                                                                                       \
    }
PRODUCT(product_float, float)
PRODUCT(product_double, double)
PRODUCT(product_int, int) // CHECK: AMP_ERROR_CHECK {{.*}}ahead.c:[[@LINE]]:1: product_int, thread (3, 37): signed integer overflow: 1000000 * 1000000 cannot

/* Several results, a way around the loop, one of the turns before its end, and a condition that differs. */
static void several(amp_index1 idx, int N, int W, const int b[W][N], int c[2][N]) restrict(amp)
{
    int least = 1000, k = 0, odd = 0;
    long long sum = 0;
    if (idx[0] == 70)
        return;
    do {
        int v = b[k][idx[0]];
        if (v % 2)
            odd++;
        least = v < least ? v : least;
        sum += v;
    } while (++k < W - 3);
    c[0][idx[0]] = least + k;
    c[1][idx[0]] = (int)sum + odd;
}

static void triangle(amp_index2 idx, int N, const int b[N][N], int c[N][N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < idx[0]; k++)
        sum += b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* ---- mistakes ---- */

static void outside(amp_index1 idx, int N, int W, const int b[W][N], int c[N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < W; k++)
        sum += b[k][idx[0] + 1]; // CHECK: {{.*}}ahead.c:[[@LINE]]:16: outside, thread (74): reads b[0][75], b has 40x75;
    c[idx[0]] = sum;
}

static void outside_in_last_turn(amp_index1 idx, int N, int W, const int b[W][N], int c[N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k <= W; k++)
        sum += b[k][idx[0]]; // CHECK: {{.*}}ahead.c:[[@LINE]]:16: outside_in_last_turn, thread (0): reads b[40][0], b has 40x75;
    c[idx[0]] = sum;
}

static void outside_after(amp_index1 idx, int N, int W, const int b[W][N], int c[N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < W; k++)
        sum += b[k][idx[0]];
    c[idx[0] == 20 ? N : idx[0]] = sum; // CHECK: {{.*}}ahead.c:[[@LINE]]:34: outside_after, thread (20): writes c[75], c has 75; {{.*}} (1 more
    if (idx[0] == 22)
        c[-1] = 0; // JSON: "line": [[@LINE]], "column": 15, "thread": [22], {{.*}}writes c[-1], c has 75
}

static void race_after(amp_index1 idx, int N, int W, const int b[W][N], int c[N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < W; k++)
        sum += b[k][idx[0]];
    c[idx[0] == 47 ? 46 : idx[0]] = sum; // CHECK: {{.*}}ahead.c:[[@LINE]]:35: race_after, thread (47): writes c[46], which thread (46) writes in line [[@LINE]];
}

static void division(amp_index1 idx, int N, int W, const int b[W][N], int c[N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < W; k++)
        sum += 7 / b[k][idx[0]]; // CHECK: {{.*}}ahead.c:[[@LINE]]:18: division, thread (37): division by zero
    c[idx[0]] = sum;
}

static void written_by_others(amp_index1 idx, int N, int W, const int b[W][N], int c[W][N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < W; k++)
        sum += b[k][idx[0]]; // CHECK: {{.*}}ahead.c:[[@LINE]]:16: written_by_others, thread (1): reads b[1][1], which thread (0) writes in line [[@LINE+1]];
    c[1][idx[0] + 1 < N ? idx[0] + 1 : 0] = sum;
}

static void never_ends(amp_index1 idx, int N, int W, const int b[W][N], int c[N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < W; sum &= 7)
        sum += b[k][idx[0]]; // CHECK: {{.*}}ahead.c:{{.*}}: never_ends, thread (0): this loop still runs after
    c[idx[0]] = sum;
}

static void undefined(amp_index1 idx, int N, int W, const int b[W][N], int c[N]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < W; k++)
        sum += b[k][idx[0]]; // CHECK: {{.*}}ahead.c:[[@LINE]]:16: undefined, thread (0): reads b[0][0], which nothing has written
    c[idx[0]] = sum;
}

/* ---- */

#define CHECK_PRODUCT(T)                                                                                               \
    static void check_##T(int W)                                                                                       \
    {                                                                                                                  \
        static T a[M * MOST], b[MOST * N], c[M * N];                                                                   \
        for (int i = 0; i < M * W; i++)                                                                                \
            a[i] = (T)(i % 13 - 5);                                                                                    \
        for (int i = 0; i < W * N; i++)                                                                                \
            b[i] = (T)(i % 37);                                                                                        \
        amp_auto_array_view *va = amp_array_view2(M, W, a), *vb = amp_array_view2(W, N, b),                            \
                            *vc = amp_array_view2(M, N, c);                                                            \
        amp_parallel_for_each(amp_extent2(M, N), product_##T, va, vb, vc);                                             \
        amp_synchronize(vc);                                                                                           \
        for (int i = 0; i < M; i++)                                                                                    \
            for (int j = 0; j < N; j++) {                                                                              \
                T sum = 1;                                                                                             \
                for (int k = 0; k < W; k++)                                                                            \
                    sum += a[i * W + k] * b[k * N + j];                                                                \
                if (sum != c[i * N + j])                                                                               \
                    printf("wrong: %s, %d, %d\n", #T, i, j);                                                           \
            }                                                                                                          \
        found();                                                                                                       \
    }
CHECK_PRODUCT(float)
CHECK_PRODUCT(double)
CHECK_PRODUCT(int)

static void check_several(void)
{
    static int b[W][N], c[2][N];
    for (int k = 0; k < W; k++)
        for (int j = 0; j < N; j++)
            b[k][j] = (k * 31 + j * 17) % 101;
    amp_auto_array_view *vb = amp_array_view_whole2(b), *vc = amp_array_view_whole2(c);
    amp_parallel_for_each(amp_extent1(N), several, vb, vc);
    amp_synchronize(vc);
    for (int j = 0; j < N; j++) {
        int least = 1000, sum = 0;
        for (int k = 0; k < W - 3; k++) {
            least = b[k][j] < least ? b[k][j] : least;
            sum += b[k][j] + b[k][j] % 2;
        }
        if (j == 70 ? c[0][j] || c[1][j] : c[0][j] != least + W - 3 || c[1][j] != sum)
            printf("wrong: several, %d\n", j);
    }
    found();
}

static void check_triangle(void)
{
    static int b[N][N], c[N][N];
    for (int i = 0; i < N * N; i++)
        b[i / N][i % N] = i;
    amp_auto_array_view *vb = amp_array_view_whole2(b), *vc = amp_array_view_whole2(c);
    amp_parallel_for_each(amp_extent2(N, N), triangle, vb, vc);
    amp_synchronize(vc);
    for (int i = 0; i < N; i++)
        for (int j = 0, sum = 0; j < N; j++, sum = 0) {
            for (int k = 0; k < i; k++)
                sum += b[k][j];
            if (sum != c[i][j])
                printf("wrong: triangle, %d, %d\n", i, j);
        }
    found();
}

int main(void)
{
    static int a[M][W], b[W][N], c[W][N], d[W][N], p[M][N];
    for (int k = 0; k < W; k++)
        for (int j = 0; j < N; j++)
            b[k][j] = 1 + (k + j) % 5;
    for (int width = 1; width <= MOST; width += 13) {
        check_float(width);
        check_double(width);
        check_int(width);
    }
    check_several();
    check_triangle();
    amp_array_view *va = amp_array_view_whole2(a), *vb = amp_array_view_whole2(b), *vc = amp_array_view1(N, c[0]),
                   *vp = amp_array_view_whole2(p), *vd = amp_array_view_whole2(d),
                   *both = amp_array_view_whole2(c);
    amp_extent n = amp_extent1(N);
    a[3][20] = b[20][37] = 1000000;
    MISTAKE(amp_parallel_for_each(amp_extent2(M, N), product_int, va, vb, vp));
    MISTAKE(amp_parallel_for_each(n, outside, vb, vc));
    MISTAKE(amp_parallel_for_each(n, outside_in_last_turn, vb, vc));
    MISTAKE(amp_parallel_for_each(n, outside_after, vb, vc));
    MISTAKE(amp_parallel_for_each(n, race_after, vb, vc));
    amp_refresh(vb);
    b[30][37] = 0;
    MISTAKE(amp_parallel_for_each(n, division, vb, vc));
    MISTAKE(amp_parallel_for_each(n, written_by_others, both, both));
    MISTAKE(amp_parallel_for_each(n, never_ends, vb, vc));
    amp_discard_data(vd);
    MISTAKE(amp_parallel_for_each(n, undefined, vd, vc));
    return 0;
}
