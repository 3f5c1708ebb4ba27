/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t
 * RUN: env AMP_DEFAULT_ACCELERATOR=cpu AMP_NUM_THREADS=64 %t 0 2>&1 | count 0
 * RUN: env AMP_DEFAULT_ACCELERATOR=cpu AMP_NUM_THREADS=64 %t 30000 2>&1 | count 0
 * RUN: env AMP_DEFAULT_ACCELERATOR=cpu AMP_NUM_THREADS=64 OMP_THREAD_LIMIT=1 %t -1 2>&1 | count 0
 * RUN: env AMP_DEFAULT_ACCELERATOR=cpu AMP_NUM_THREADS=1024 %t -1 2>&1 | count 0
 *
 * If the system can make no more threads, launches run with the existing ones, and nothing is printed. The argument is
 * how many KiB the process may still use for threads. */
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { N = 1 << 18 };
static unsigned x[N];

static void advance(amp_index1 idx, int n, unsigned x[n]) restrict(amp)
{
    unsigned v = x[idx[0]];
    for (unsigned k = 0; k < 40; k++)
        v = v * 5 + k;
    x[idx[0]] = v;
}

static unsigned advanced(unsigned v, int times)
{
    for (int i = 0; i < times; i++)
        for (unsigned k = 0; k < 40; k++)
            v = v * 5 + k;
    return v;
}

/* So much memory may still be had; with none, no processes or threads either, unless root asks. */
static void limit(long kib)
{
    long pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    if (!in || fscanf(in, "%ld", &pages) != 1)
        exit(2);
    fclose(in);
    rlim_t bytes = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + kib * 1024);
    if (setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) != 0)
        exit(2);
    if (kib == 0 && setrlimit(RLIMIT_NPROC, &(struct rlimit){1, 1}) != 0)
        exit(2);
}

int main(int argc, char **argv)
{
    long kib = argc > 1 ? atol(argv[1]) : -1;
    for (unsigned i = 0; i < N; i++)
        x[i] = i;
    amp_array_view *view = amp_array_view1(N, x);
    if (kib >= 0)
        limit(kib);
    for (int i = 0; i < 20; i++)
        if (amp_parallel_for_each(amp_extent1(N), advance, view) != AMP_OK) {
            puts(amp_error_text());
            return 1;
        }
    amp_synchronize(view);
    for (unsigned i = 0; i < N; i++)
        if (x[i] != advanced(i, 20)) {
            printf("x[%u] is %u, expected %u\n", i, x[i], advanced(i, 20));
            return 1;
        }
    amp_array_view_release(view);
    return 0;
}
