/* SPDX-License-Identifier: MIT
 *
 * PROGRAM KERNEL VARIANT SECONDS [verify]: after a run to warm up, runs the kernel for about SECONDS and prints the
 * seconds of each run, then a line about the program itself. Exit status 1 if the result is wrong. */
#include "bench.h"
#include <time.h>

static struct bench *benches;
long bench_runs;

void bench_add(struct bench *bench)
{
    bench->next = benches;
    benches = bench;
}

static double timed(void (*run)(void))
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    run();
    clock_gettime(CLOCK_MONOTONIC, &end);
    bench_runs++;
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        die("usage: PROGRAM KERNEL VARIANT SECONDS [verify]");
    struct bench *bench = benches;
    while (bench && (strcmp(bench->kernel, argv[1]) != 0 || strcmp(bench->variant, argv[2]) != 0))
        bench = bench->next;
    if (!bench)
        die("there is no such kernel or variant");
    double limit = atof(argv[3]);

    bench->set_up();
    enum { MAX = 4096 };
    double seconds[MAX], sum = 0;
    int n = 0;
    timed(bench->run);
    while (n < MAX && sum < limit)
        sum += seconds[n++] = timed(bench->run);
    const char *note = bench_note();
    if (argc == 5)
        bench->verify();
    for (int i = 0; i < n; i++)
        printf("%.9f\n", seconds[i]);
    printf("# %s\n", note);
    return 0;
}
