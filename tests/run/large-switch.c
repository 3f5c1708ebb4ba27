// SPDX-License-Identifier: MIT
// RUN: timeout 100 %ampcc -O2 --amp-report %s -o %t 2>&1 | FileCheck %s
// RUN: %run %t
// Two thousand cases are too many for masks: the threads run one after another.
#include <amp.h>
#include <stdio.h>

#define CASE(n)                                                                                                        \
    case (n) * 7 % 2003:                                                                                               \
        v = v * ((n) | 1) + (n) * (n) % 977;                                                                           \
        break;
#define CASES_4(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3)
#define CASES_20(n) CASES_4(n) CASES_4(n + 4) CASES_4(n + 8) CASES_4(n + 12) CASES_4(n + 16)
#define CASES_100(n) CASES_20(n) CASES_20(n + 20) CASES_20(n + 40) CASES_20(n + 60) CASES_20(n + 80)
#define CASES_500(n) CASES_100(n) CASES_100(n + 100) CASES_100(n + 200) CASES_100(n + 300) CASES_100(n + 400)

static unsigned choose(unsigned v) restrict(cpu, amp)
{
    switch (v) {
        CASES_500(0)
        CASES_500(500)
        CASES_500(1000)
        CASES_500(1500)
    }
    return v;
}

// CHECK: kernel chooses {{.*}}for {{.*}}: no SIMD, one thread after another: lanes part in more than 1000 places
void chooses(amp_index1 i, int N, unsigned x[N]) restrict(amp)
{
    x[i[0]] = choose(x[i[0]]);
}

int main(void)
{
    enum { N = 5000 };
    static unsigned x[N];
    for (unsigned i = 0; i < N; i++)
        x[i] = i * 3 % 2100;
    amp_array_view *view = amp_array_view1(N, x);
    amp_parallel_for_each(amp_extent1(N), chooses, view);
    if (amp_synchronize(view) != AMP_OK || amp_error_status() != AMP_OK) {
        fprintf(stderr, "%s\n", amp_error_text());
        return 1;
    }
    amp_array_view_release(view);
    for (unsigned i = 0; i < N; i++)
        if (x[i] != choose(i * 3 % 2100)) {
            fprintf(stderr, "x[%u] is %u and not %u\n", i, x[i], choose(i * 3 % 2100));
            return 1;
        }
    return 0;
}
