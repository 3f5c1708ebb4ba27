/* SPDX-License-Identifier: MIT
 *
 * Launches that are just large enough to be shared among threads, in quick succession: what sharing costs. */
#include "../bench.h"

enum { N = 1 << 14, STEPS = 20, HOSTS = 8, LAUNCHES = 100 };

static unsigned data[HOSTS][N];

static void set_up(void)
{
    for (unsigned i = 0; i < HOSTS * N; i++)
        data[i / N][i % N] = i;
}

/* Whether the runs have advanced each of the first `n_rows` rows `times` times, and no others. */
static void verify_rows(int n_rows, long times)
{
    for (unsigned i = 0; i < HOSTS * N; i += 1001) {
        unsigned v = i;
        for (long n = 0; n < (i / N < (unsigned)n_rows ? bench_runs * times * STEPS : 0); n++)
            v = (v ^ v >> 3) * 5 + 1;
        expect(data[i / N][i % N], v, 0, i);
    }
}
