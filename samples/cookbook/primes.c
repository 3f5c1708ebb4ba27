/* SPDX-License-Identifier: MIT
 *
 * How many primes there are below a million: each thread tries to divide its number, and stops when it can. */
#include "cookbook.h"

enum { LIMIT = 1000000 };

static void count_primes(amp_index1 idx, int count[1]) restrict(amp)
{
    int n = 2 * idx[0] + 3, is_prime = 1;
    for (int d = 3; d * d <= n && is_prime; d += 2)
        is_prime = n % d != 0;
    amp_atomic_fetch_add(&count[0], is_prime);
}

int main(void)
{
    int count_data[1] = {1}; /* 2 */
    amp_auto_array_view *count = amp_array_view1(1, count_data);
    amp_parallel_for_each(amp_extent1((LIMIT - 3) / 2 + 1), count_primes, count);
    amp_synchronize(count);
    printf("%d primes below %d\n", count_data[0], LIMIT);
    return finish();
}
