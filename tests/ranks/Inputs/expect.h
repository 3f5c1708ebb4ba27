/* What the programs for ranks have in common: two kernels, and checks that say which rank and line is wrong. */
#pragma once

#include <amp.h>

#include <stdio.h>

void fill(amp_index2 idx, int R, int C, int x[R][C]) restrict(amp)
{
    x[idx[0]][idx[1]] = idx[0] * C + idx[1];
}

void twice(amp_index2 idx, int R, int C, int x[R][C]) restrict(amp)
{
    x[idx[0]][idx[1]] *= 2;
}

static bool is_right = true;

static void expect(bool holds, int line)
{
    if (!holds)
        fprintf(stderr, "rank %d of %d: line %d: %s\n", amp_rank(), amp_rank_count(), line, amp_error_text());
    is_right &= holds;
}
#define EXPECT(holds) expect((holds), __LINE__)
