/* SPDX-License-Identifier: MIT
 *
 * 10^8 elements that a kernel has written, read one by one on the host: through an array_view, and by a pointer. */
#include "../bench.h"

#include <amp.h>

using namespace concurrency;

enum { SIZE = 10000 };
static int *numbers, sum;
static array_view<int, 2> *view;

static void prepare(void)
{
    numbers = new_array((size_t)SIZE * SIZE * sizeof *numbers);
    view = new array_view<int, 2>(SIZE, SIZE, numbers);
    array_view<int, 2> v = *view;
    parallel_for_each(v.extent, [=](index<2> i) restrict(amp) { v[i] = i[1] % 3; });
}

static void by_view(void)
{
    array_view<int, 2> product = *view;
    sum = 0;
    for (int row = 0; row < SIZE; row++)
        for (int col = 0; col < SIZE; col++)
            sum += product(row, col);
}

static void by_pointer(void)
{
    view->synchronize();
    const int *product = numbers;
    sum = 0;
    for (int row = 0; row < SIZE; row++)
        for (int col = 0; col < SIZE; col++)
            sum += product[row * SIZE + col];
}

static void verify(void)
{
    expect(sum, SIZE * (SIZE - 1.0), 0, 0);
}

BENCH("reading", "view", prepare, by_view, verify)
BENCH("reading", "pointer", prepare, by_pointer, verify)
