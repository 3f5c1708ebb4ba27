/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -pthread %s -o %t && %run-alone %t
 * RUN: %ampcc -O2 -pthread -fopenmp %s -o %t && %run-alone %t
 * RUN: %ampcc -O0 -pthread -fopenmp --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Launches from several host threads at once, small ones and ones for all cores, of one kernel and of several; with
 * -fopenmp also from inside a parallel region. Each thread keeps its own error. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 6, ROUNDS = 40, S = 16 };

static void advance(amp_index1 idx, int N, int by, int x[N]) restrict(cpu, amp)
{
    int v = x[idx[0]];
    for (int k = 0; k < (v & 31); k++)
        v += by ^ k;
    x[idx[0]] = v;
}

static void reverse(amp_tiled_index1(S) t, int N, int x[N]) restrict(amp)
{
    tile_static int part[S];
    part[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = part[S - 1 - t.local[0]] + 1;
}

/* What went wrong on a thread, as text; "" if nothing. */
struct work {
    int number, n;
    char error[300];
};

static void *work(void *argument)
{
    struct work *w = argument;
    int n = w->n, *x = malloc(n * sizeof *x), *want = malloc(n * sizeof *want);
    for (int i = 0; i < n; i++)
        x[i] = want[i] = check_value(i + w->number);
    amp_array_view *view = amp_array_view1(n, x), *wrong = amp_array_view2(n / S, S, x);
    amp_kernel unchecked = (amp_kernel)reverse; /* of which the compiler does not see that it cannot succeed */
    for (int round = 0; round < ROUNDS && !*w->error; round++) {
        int by = w->number + round, v[S];
        amp_parallel_for_each(amp_extent1(n), advance, by, view);
        amp_parallel_for_each(amp_extent1(n), reverse, view);
        amp_synchronize(view);
        if (amp_error_status() != AMP_OK)
            snprintf(w->error, sizeof w->error, "%s", amp_error_text());
        for (int i = 0; i < n; i++)
            advance((amp_index1){i}, n, by, want);
        for (int i = 0; i < n; i += S) {
            memcpy(v, want + i, sizeof v);
            for (int k = 0; k < S; k++)
                want[i + k] = v[S - 1 - k] + 1;
        }
        for (int i = 0; i < n && !*w->error; i++)
            if (x[i] != want[i])
                snprintf(w->error, sizeof w->error, "round %d, x[%d] of %d is %d, expected %d", round, i, n, x[i],
                         want[i]);
        /* An error of this thread is no other thread's. */
        if (w->number % 2 && amp_parallel_for_each(amp_extent1(n), unchecked, wrong) != AMP_ERROR_RANK)
            snprintf(w->error, sizeof w->error, "the rank was taken");
        if (w->number % 2)
            amp_error_clear();
    }
    amp_array_view_release(view);
    amp_array_view_release(wrong);
    free(x);
    free(want);
    return NULL;
}

static int report(const struct work *all, const char *where)
{
    for (int i = 0; i < THREADS; i++)
        if (*all[i].error) {
            fprintf(stderr, "%s, thread %d: %s\n", where, i, all[i].error);
            return 1;
        }
    return 0;
}

int main(void)
{
    static const int sizes[THREADS] = {S, 160, 48000, 16, 80000, 4800};
    struct work all[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        all[i] = (struct work){.number = i, .n = sizes[i]};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, &all[i]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (report(all, "host threads"))
        return 1;
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < THREADS; i++)
        work(&all[i]);
    return report(all, "OpenMP");
}
