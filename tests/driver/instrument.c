// SPDX-License-Identifier: MIT
// Programs with instrumentation compile, link and run: the same results, and kernels report undefined behaviour.
// RUN: rm -rf %t && mkdir %t && cd %t && echo '%ampcc "$@" %s -o prog -lm && ./prog' > do
// RUN: env LLVM_PROFILE_FILE=0.raw sh -e do -O0 -fprofile-instr-generate -fcoverage-mapping | FileCheck %s && test -s 0.raw
// RUN: env LLVM_PROFILE_FILE=2.raw sh -e do -O2 -fprofile-instr-generate -fcoverage-mapping | FileCheck %s && test -s 2.raw
// RUN: sh -e do -O0 --coverage | FileCheck %s && test -s prog-instrument.gcda && rm prog-instrument.gcda
// RUN: sh -e do -O2 --coverage | FileCheck %s && test -s prog-instrument.gcda
// RUN: env ASAN_OPTIONS=detect_leaks=0 sh -e do -O0 -fsanitize=address,undefined 2>&1 | FileCheck --check-prefixes=CHECK,UNDEFINED %s
// RUN: env ASAN_OPTIONS=detect_leaks=0 sh -e do -O2 -fsanitize=address,undefined 2>&1 | FileCheck --check-prefixes=CHECK,UNDEFINED %s
// RUN: env TSAN_OPTIONS=ignore_noninstrumented_modules=1 sh -e do -O0 -fsanitize=thread 2>&1 | FileCheck --implicit-check-not=WARNING %s
// RUN: env TSAN_OPTIONS=ignore_noninstrumented_modules=1 sh -e do -O2 -fsanitize=thread 2>&1 | FileCheck --implicit-check-not=WARNING %s
#include <amp.h>
#include <math.h>
#include <stdio.h>

enum { N = 1 << 16 };

static float pick(float x) restrict(amp)
{
    float parts[4] = {x, 2 * x, 3 * x, 4 * x};
    return parts[(int)x & 3] > 2 ? sqrtf(parts[(int)x & 3]) : parts[3];
}

static void sums(amp_index1 idx, int n, const int counts[n], float x[n]) restrict(amp)
{
    float sum = 0;
    for (int i = 0; i < counts[idx[0]]; i++)
        sum += pick(x[idx[0]] + (float)i);
    x[idx[0]] = sum;
}

static void exchange(amp_tiled_index1(32) t, int n, float x[n]) restrict(amp)
{
    tile_static float s[32];
    s[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] += s[31 - t.local[0]];
}

static void overflow(amp_index1 idx, int n, int counts[n]) restrict(amp)
{
    counts[idx[0]] *= 1 << 30; // UNDEFINED: [[@LINE]]:{{[0-9]+}}: runtime error: signed integer overflow
}

int main(void)
{
    static float x[N];
    static int counts[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 16);
        counts[i] = i % 8;
    }
    amp_array_view *floats = amp_array_view1(N, x), *ints = amp_array_view1(N, counts);
    amp_parallel_for_each(amp_extent1(N), sums, ints, floats);
    amp_parallel_for_each(amp_extent1(N), exchange, floats);
    amp_parallel_for_each(amp_extent1(N), overflow, ints);
    amp_synchronize(floats);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double)x[i];
    printf("%.6g%s\n", sum, amp_error_text()); // CHECK: {{^}}2.3181e+06{{$}}
    amp_array_view_release(ints);
    amp_array_view_release(floats);
    return 0;
}
