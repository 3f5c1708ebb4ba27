/* SPDX-License-Identifier: MIT */
#include "problem.h"
#include <amp.h>
#include <pthread.h>

static void advance(amp_index1 idx, int n, unsigned x[n]) restrict(amp)
{
    unsigned v = x[idx[0]];
    for (int k = 0; k < STEPS; k++)
        v = (v ^ v >> 3) * 5 + 1;
    x[idx[0]] = v;
}

static amp_array_view *views[HOSTS];

static void prepare(void)
{
    set_up();
    for (int i = 0; i < HOSTS; i++)
        views[i] = amp_array_view1(N, data[i]);
}

static void run(void)
{
    amp_parallel_for_each(amp_extent1(N), advance, views[0]);
}

static void verify(void)
{
    amp_synchronize(views[0]);
    verify_rows(1, 1);
}

BENCH("shared", "one launch", prepare, run, verify)

/* ---- many launches: from one host thread, or from as many as there are rows ---- */

static void launch_on(amp_array_view *view)
{
    for (int i = 0; i < LAUNCHES; i++)
        amp_parallel_for_each(amp_extent1(N), advance, view);
}

static void run_alone(void)
{
    for (int i = 0; i < HOSTS; i++)
        launch_on(views[i]);
}

static pthread_barrier_t begin, end;

static void *host(void *view)
{
    for (;;) {
        pthread_barrier_wait(&begin);
        launch_on(view);
        pthread_barrier_wait(&end);
    }
    return NULL;
}

static void prepare_hosts(void)
{
    prepare();
    pthread_barrier_init(&begin, NULL, HOSTS + 1);
    pthread_barrier_init(&end, NULL, HOSTS + 1);
    pthread_t thread;
    for (int i = 0; i < HOSTS; i++)
        if (pthread_create(&thread, NULL, host, views[i]) != 0)
            die("no thread");
}

static void run_hosts(void)
{
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
}

static void verify_all(void)
{
    for (int i = 0; i < HOSTS; i++)
        amp_synchronize(views[i]);
    verify_rows(HOSTS, LAUNCHES);
}

BENCH("shared", "one host", prepare, run_alone, verify_all)
BENCH("shared", "eight hosts", prepare_hosts, run_hosts, verify_all)
