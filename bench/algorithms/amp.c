/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp_algorithms.h>

static amp_array_view *views[2];

static void prepare_sum(void)
{
    set_up_sum();
    views[0] = amp_array_view1(N_SUM, (const float *)terms);
}

static void run_sum(void)
{
    amp_reduce_sum(views[0], &sum);
}

static void prepare_scan(void)
{
    set_up_scan();
    views[0] = amp_array_view1(N_SCAN, (const int *)from);
    views[1] = amp_array_view1(N_SCAN, to);
}

static void run_scan(void)
{
    amp_scan_sum(views[1], views[0], true);
    amp_synchronize(views[1]);
}

BENCH("algorithms", "sum", prepare_sum, run_sum, verify_sum)
BENCH("algorithms", "scan", prepare_scan, run_scan, verify_scan)
