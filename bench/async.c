/* SPDX-License-Identifier: MIT
 *
 * async [SECONDS]: asynchronous launches over one element, each waited for before the next, by 1 to 8 host
 * threads, each on its own queue or all on the accelerator's. Prints launches per second, all threads together. */
#include <amp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_THREADS = 8 };

static void increment(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]]++;
}

struct host_thread {
    pthread_t id;
    amp_accelerator_view *on;
    long n_launches;
    int x;
};

static atomic_bool is_over;

static void *launch_and_wait(void *argument)
{
    struct host_thread *self = argument;
    amp_array_view *view = amp_array_view1(1, &self->x);
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        amp_future *future = amp_parallel_for_each_on_async(self->on, amp_extent1(1), increment, view);
        if (amp_future_wait(future) != AMP_OK) {
            fprintf(stderr, "%s\n", amp_error_text());
            exit(1);
        }
        amp_future_release(future);
        self->n_launches++;
    }
    amp_array_view_release(view);
    return NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Launches per second. */
static double measure(int n_threads, bool has_queues, double seconds)
{
    static struct host_thread threads[MOST_THREADS];
    amp_accelerator *accelerator = amp_accelerator_default();
    atomic_store(&is_over, false);
    double begin = now();
    for (int i = 0; i < n_threads; i++) {
        threads[i] = (struct host_thread){.on = amp_accelerator_default_view(accelerator)};
        if (has_queues)
            threads[i].on = amp_accelerator_create_view(accelerator, AMP_QUEUING_MODE_AUTOMATIC);
        pthread_create(&threads[i].id, NULL, launch_and_wait, &threads[i]);
    }
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)(seconds * 1e9) % 1000000000}, NULL);
    atomic_store(&is_over, true);
    long n_launches = 0;
    for (int i = 0; i < n_threads; i++) {
        pthread_join(threads[i].id, NULL);
        n_launches += threads[i].n_launches;
        if (threads[i].x != threads[i].n_launches) {
            fprintf(stderr, "%ld launches of thread %d added %d\n", threads[i].n_launches, i, threads[i].x);
            exit(1);
        }
        if (has_queues)
            amp_accelerator_view_release(threads[i].on);
    }
    return (double)n_launches / (now() - begin);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 0.5;
    printf("host threads   a queue each     one queue   (launches/s)\n");
    for (int n = 1; n <= MOST_THREADS; n *= 2)
        printf("%12d %14.0f %13.0f\n", n, measure(n, true, seconds), measure(n, false, seconds));
    return 0;
}
