/* SPDX-License-Identifier: MIT
 *
 * What AMP_PROFILE and AMP_TRACE should show. The argument says what the program does, or how it ends. */
#define _GNU_SOURCE
#include "../../../src/runtime/testing.h"

#include <amp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, ROWS = 8, COLUMNS = 8, N_THREADS = 4 };

static float a_data[N], b_data[N];
static int grid_data[ROWS][COLUMNS];

static void fill(amp_index1 idx, int N, float value, float x[N]) restrict(amp)
{
    x[idx[0]] = value;
}

static void add(amp_index1 idx, int N, const float a[N], float b[N]) restrict(amp)
{
    b[idx[0]] += a[idx[0]];
}

static void mark(amp_index2 idx, int M, int N, int x[M][N]) restrict(amp)
{
    x[idx[0]][idx[1]] = 1;
}

/* One of each: 3 + 2 + 1 launches, and copies for every reason. */
static void do_each(void)
{
    amp_array_view *a = amp_array_view1(N, a_data), *b = amp_array_view1(N, b_data);
    amp_array_view *grid = amp_array_view2(ROWS, COLUMNS, grid_data[0]);
    amp_array_view *middle = amp_array_view_section(grid, amp_index2(2, 2), amp_extent2(4, 4));
    amp_array *array = amp_array1(float, N);
    for (int i = 0; i < 3; i++)
        amp_parallel_for_each(amp_extent1(N), fill, 2.0f, a); /* read-in: 4000 bytes, once */
    for (int i = 0; i < 2; i++)
        amp_parallel_for_each(amp_extent1(N), add, a, b);   /* read-in: 4000 */
    amp_synchronize(b);                                     /* read-out: 4000 */
    amp_parallel_for_each(amp_extent2(4, 4), mark, middle); /* pack: 64 in; unpack: 64 out */
    amp_copy(array, a);                                     /* copy: 4000 across */
    amp_copy(b_data, array);                                /* copy: 4000 out */
    amp_array_view_map(a, AMP_ACCESS_READ);                 /* read-out: 4000 */
    amp_array_view_unmap(a);
    amp_parallel_for_each(amp_extent1(N), fill, 3.0f, b);
    amp_array_view_release(middle);
    amp_array_view_release(grid);
    amp_array_view_release(a);
    amp_array_view_release(b); /* read-out: 4000 */
    amp_array_release(array);
}

static void do_asynchronously(void)
{
    amp_accelerator_view *queues[2];
    amp_array_view *a = amp_array_view1(N, a_data), *b = amp_array_view1(N, b_data);
    for (int i = 0; i < 2; i++)
        queues[i] = amp_accelerator_create_view(amp_accelerator_default(), AMP_QUEUING_MODE_AUTOMATIC);
    for (int i = 0; i < 20; i++) {
        amp_future *futures[] = {amp_parallel_for_each_on_async(queues[0], amp_extent1(N), fill, 1.0f, a),
                                 amp_parallel_for_each_on_async(queues[1], amp_extent1(N), add, a, b),
                                 amp_synchronize_async(b), amp_accelerator_view_create_marker(queues[1])};
        for (int k = 0; k < 4; k++) {
            amp_future_wait(futures[k]);
            amp_future_release(futures[k]);
        }
    }
    amp_array_view_release(a);
    amp_array_view_release(b);
    for (int i = 0; i < 2; i++)
        amp_accelerator_view_release(queues[i]);
}

static void *launch_often(void *of_thread)
{
    float *data = of_thread;
    pthread_setname_np(pthread_self(), "launcher");
    amp_array_view *x = amp_array_view1(N / N_THREADS, data);
    for (int i = 0; i < 500; i++)
        amp_parallel_for_each(amp_extent1(N / N_THREADS), fill, 1.0f, x);
    amp_array_view_release(x);
    return NULL;
}

static void do_on_threads(void)
{
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, launch_often, &a_data[i * (N / N_THREADS)]);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Prints the most memory that the process has had, in KiB. */
static void launch_many_times(int n)
{
    struct rusage usage;
    amp_array_view *x = amp_array_view1(1, a_data);
    for (int i = 0; i < n; i++)
        amp_parallel_for_each(amp_extent1(1), fill, 1.0f, x);
    amp_array_view_release(x);
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "%ld\n", usage.ru_maxrss);
}

static void launch_once(void)
{
    amp_array_view *x = amp_array_view1(1, a_data);
    amp_parallel_for_each(amp_extent1(1), fill, 1.0f, x);
    amp_array_view_release(x);
}

static void launch_in_child(void)
{
    launch_once();
    if (fork() == 0) {
        launch_once();
        launch_once();
        exit(0);
    }
    wait(NULL);
    launch_once();
}

static void print_counts(void)
{
    struct amp__null_counts n = amp__test_null_counts();
    printf("launches=%d in=%d out=%d across=%d bytes_in=%zu bytes_out=%zu bytes_across=%zu\n", n.launches, n.copies_in,
           n.copies_out, n.copies_across, n.bytes_in, n.bytes_out, n.bytes_across);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "each";
    setenv("AMP_DEFAULT_ACCELERATOR", "null", 0);
    if (!strcmp(what, "each"))
        do_each();
    else if (!strcmp(what, "async"))
        do_asynchronously();
    else if (!strcmp(what, "threads"))
        do_on_threads();
    else if (!strcmp(what, "fork"))
        launch_in_child();
    else if (atoi(what) > 0)
        launch_many_times(atoi(what));
    else
        launch_once();
    if (!strcmp(what, "exit"))
        exit(3);
    if (!strcmp(what, "quick_exit"))
        quick_exit(4);
    if (!strcmp(what, "_exit")) {
        usleep(150000);
        launch_once(); /* after a tenth of a second, what is in the buffer is written */
        _exit(5);
    }
    if (!strcmp(what, "abort"))
        abort();
    if (amp_error_status() != AMP_OK)
        printf("%s\n", amp_error_text());
    if (!strcmp(what, "each") || !strcmp(what, "async") || !strcmp(what, "threads"))
        print_counts();
    return amp_error_status() != AMP_OK;
}
