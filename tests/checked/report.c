// AMP_CHECK_REPORT: a JSON array of all findings, each once. A file that cannot be written changes nothing else.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.json %t | FileCheck %s
// RUN: python3 -c "import json, sys; a = json.load(open(sys.argv[1])); print([(r['line'], r['kernel'], r['thread']) for r in a])" %t.json | FileCheck --check-prefix=JSON %s
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.none/x %t 2>/dev/null | FileCheck %s
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.none/x %t 2>&1 | FileCheck --check-prefixes=UNWRITTEN %s
#include "Inputs/seed.h"

static void fill(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0] + 1] = 1; // CHECK: AMP_ERROR_CHECK {{.*}}report.c:[[@LINE]]:19: fill, thread (3): writes x[4],
}

static void sum(amp_index2 idx, int N, int x[N]) restrict(amp)
{
    x[0]++; // CHECK: AMP_ERROR_CHECK {{.*}}report.c:[[@LINE]]:9: sum, thread (0, 1): reads x[0],
}

// JSON: [(11, 'fill', [3]), (16, 'sum', [0, 1])]
// UNWRITTEN: AMP_CHECK_REPORT: '{{.*}}' cannot be written
int main(void)
{
    static int x[4];
    amp_array_view *v = amp_array_view1(4, x);
    setvbuf(stdout, NULL, _IONBF, 0);
    MISTAKE(amp_parallel_for_each(amp_extent1(4), fill, v));
    MISTAKE(amp_parallel_for_each(amp_extent1(4), fill, v));
    MISTAKE(amp_parallel_for_each(amp_extent2(2, 2), sum, v));
    return 0;
}
