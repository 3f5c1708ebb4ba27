// AMP_CHECK_REPORT: a JSON array of all findings, each once; an empty one if there are none. A file that cannot be
// written changes nothing else.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.json %t | FileCheck %s
// RUN: python3 %S/Inputs/report.py %t.json | FileCheck --check-prefix=JSON --match-full-lines %s
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.json %t right
// RUN: python3 %S/Inputs/report.py %t.json | FileCheck --check-prefix=NONE --match-full-lines %s
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.none/x %t 2>/dev/null | FileCheck %s
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.none/x %t 2>&1 | FileCheck --check-prefix=UNWRITTEN %s
// RUN: python3 -c "import sys; s = open(sys.argv[1], 'rb').read(); open(sys.argv[2], 'wb').write(b'#line 1 \"caf\xe9 \xc3\xa9 \\\\\"x\\\\\".c\"\n' + s)" %s %t-named.c
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none -I%S %t-named.c -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.json %t >/dev/null
// RUN: python3 %S/Inputs/report.py %t.json | FileCheck --check-prefix=NAMED %s
#include "Inputs/seed.h"

// JSON: 5 findings
// JSON-NEXT: column: 19
// JSON-NEXT: extents: [4]
// JSON-NEXT: file: "{{.*}}report.c"
// JSON-NEXT: helper: null
// JSON-NEXT: kernel: "fill"
// JSON-NEXT: kind: "outside"
// JSON-NEXT: line: [[@LINE+9]]
// JSON-NEXT: other: null
// JSON-NEXT: remedy: "test the subscript before the access"
// JSON-NEXT: subscripts: [4]
// JSON-NEXT: text: "writes x[4], x has 4"
// JSON-NEXT: thread: [3]
// JSON-NEXT: variable: "x"
static void fill(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0] + 1] = 1; // CHECK: AMP_ERROR_CHECK {{.*}}report.c:[[@LINE]]:19: fill, thread (3): writes x[4],
}

// JSON: kernel: "sum"
// JSON-NEXT: kind: "race"
// JSON-NEXT: line: [[@LINE+9]]
// JSON-NEXT: other: {"line": [[@LINE+8]], "thread": [0, 0]}
// JSON-NEXT: remedy: "both threads update it: use amp_atomic_fetch_add or a reduction"
// JSON-NEXT: subscripts: [0]
// JSON-NEXT: text: "reads x[0], which thread (0, 0) writes in line [[@LINE+5]]"
// JSON-NEXT: thread: [0, 1]
// JSON-NEXT: variable: "x"
static void sum(amp_index2 idx, int N, int x[N]) restrict(amp)
{
    x[0]++; // CHECK: AMP_ERROR_CHECK {{.*}}report.c:[[@LINE]]:9: sum, thread (0, 1): reads x[0],
}

// JSON: extents: [null, 2]
// JSON: helper: "set"
// JSON-NEXT: kernel: "by_helper"
// JSON: subscripts: [1, -1]
// JSON: variable: "p"
static void set(int (*p)[2], int j) restrict(amp)
{
    p[1][j] = 1; // CHECK: {{.*}}report.c:[[@LINE]]:13: by_helper, thread (0): writes p[1][-1],
}

static void by_helper(amp_index1 idx, int N, int x[N][2]) restrict(amp)
{
    set(x, idx[0] - 1);
}

// JSON: extents: []
// JSON: helper: "ratio"
// JSON-NEXT: kernel: "arithmetic"
// JSON-NEXT: kind: "arithmetic"
// JSON: remedy: "test the divisor before"
// JSON: variable: null
static int ratio(int a, int b) restrict(amp)
{
    return a / b; // CHECK: {{.*}}report.c:[[@LINE]]:14: arithmetic, thread (0): division by zero; test the divisor
}

// JSON: helper: null
// JSON-NEXT: kernel: "arithmetic"
// JSON: remedy: "compute it in a wider or an unsigned type"
static void arithmetic(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    if (idx[0] == 0)
        x[0] = ratio(1, idx[0]);
    x[idx[0]] = idx[0] + 2147483647;
}

// NONE: 0 findings
// NONE-NOT: {{.}}
// NAMED: file: "caf\ufffd \u00e9 \"x\".c"
// UNWRITTEN: AMP_CHECK_REPORT: cannot write {{.*}}.none/x: No such file or directory
int main(int argc, char **argv)
{
    static int x[4], y[4];
    amp_array_view *v = amp_array_view1(4, x), *pairs = amp_array_view2(2, 2, y);
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc > 1)
        return amp_parallel_for_each(amp_extent1(3), fill, v) != AMP_OK;
    MISTAKE(amp_parallel_for_each(amp_extent1(4), fill, v));
    MISTAKE(amp_parallel_for_each(amp_extent1(4), fill, v));
    MISTAKE(amp_parallel_for_each(amp_extent2(2, 2), sum, v));
    MISTAKE(amp_parallel_for_each(amp_extent1(1), by_helper, pairs));
    MISTAKE(amp_parallel_for_each(amp_extent1(4), arithmetic, v));
    return 0;
}
