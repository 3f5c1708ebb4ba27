/* SPDX-License-Identifier: MIT */
#include "../gpu/gpu.h"
#include "kernel.h"

/* 1000 launches in a queue, timed by the clock, which includes the time of the calling thread. */
enum { QUEUE = 1000 };
static struct data counter;
static void set_up(void)
{
    counter = ints(1, NULL);
}
static void ours(void)
{
    for (int i = 0; i < QUEUE; i++)
        amp_parallel_for_each_on(on, amp_extent1(1), increment, counter.array);
}
static void peer(void)
{
    for (int i = 0; i < QUEUE; i++)
        launch_peer("launch", 1, 1, 1, 1, (void *[]){&counter.memory});
}
static void verify(void)
{
    int n;
    fetch(&counter, &n);
    expect(n, QUEUE, 0, 0);
    store(&counter, NULL);
}

static double time_launch(void (*run)(void))
{
    return gpu_time_by_clock(run) / QUEUE;
}

GPU_PROBLEM("launch", set_up, ours, peer, verify, .peer_name = "cuLaunchKernel", .time = time_launch)
