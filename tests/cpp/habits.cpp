// SPDX-License-Identifier: MIT
// What programs for Microsoft's compiler rely on.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 -std=c++11 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 -std=c++20 %s -o %t && %run %t | FileCheck %s
// RUN: not %ampcc -DUNMARKED %s -o %t 2>&1 | FileCheck --check-prefix=UNMARKED %s
// CHECK: all right
#include <algorithm>
#include <amp.h>
#include <array>
#include <vector>

#include "check.h"

// The parallel patterns library has a parallel_for_each, too.
namespace Concurrency
{
template <typename Iterator, typename Function> void parallel_for_each(Iterator first, Iterator last, Function f)
{
    std::for_each(first, last, f);
}
} // namespace Concurrency

static const std::array<int, 3> lengths = {{1, 2, 3}};

using namespace std;
using namespace concurrency;

// Both libraries have an array; the one with this name is the accelerator's.
static void double_all(array<int, 2> &numbers)
{
    parallel_for_each(numbers.extent, [&numbers](index<2> i) restrict(amp) { numbers[i] *= 2; });
}

// A tile beside an extent that has none.
static void number_tiles(array_view<int> row)
{
    array_view<int, 2> plane = row.view_as(concurrency::extent<2>(4, 8));
    array_view<int, 3> block = row.view_as(concurrency::extent<3>(2, 2, 8));
    accelerator_view view = accelerator().default_view;
    parallel_for_each<4>(row.extent, [=](tiled_index<4> i) restrict(amp) { row[i.global] = i.tile[0]; });
    parallel_for_each<2, 4>(plane.extent, [=](tiled_index<2, 4> i) restrict(amp) {
        tile_static int first;
        if (i.local[0] == 0 && i.local[1] == 0)
            first = plane[i.global];
        i.barrier.wait();
        plane[i] = 100 * first + 10 * i.tile[0] + i.tile[1];
    });
    parallel_for_each<1, 2, 8>(view, block.extent,
                               [=](tiled_index<1, 2, 8> i) restrict(amp) { block[i] += i.tile[0]; });
    parallel_for_each<1>(row.extent, [=](index<1> i) restrict(amp) { row[i] *= 10; }); // a rank
}

template <typename T> static void increment(vector<T> &numbers)
{
    parallel_for_each(numbers.begin(), numbers.end(), [](T &number) { number++; });
    array_view<T> view((int)numbers.size(), numbers);
    parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { view[i]++; });
#ifdef UNMARKED
    // UNMARKED: habits.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a kernel is restrict(amp){{.*}}[restriction]
    parallel_for_each(view.extent, [=](index<1> i) { view[i]++; });
    // UNMARKED: habits.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a kernel is restrict(amp){{.*}}[restriction]
    concurrency::parallel_for_each(accelerator().default_view, view.extent, [=](index<1> i) { view[i]++; });
#endif
}

// Members keep their type; variables in their functions may refer to temporaries.
accelerator_view global_view = accelerator().default_view;
template <typename T>
class base_of_holder {
    T first = 1;

public:
    accelerator_view &view = global_view;
    bool is_default()
    {
        accelerator_view &other = accelerator().default_view;
        return other == view;
    }
};
struct alignas(16) holder final : base_of_holder<int> {
    int second = [] {
        accelerator_view &other = accelerator().default_view;
        return other == global_view;
    }();
    concurrency::accelerator_view &also = view;
};

int main()
{
    vector<int> numbers = {1, 2, 3, 4};
    int sum = 0;
    parallel_for_each(numbers.begin(), numbers.end(), [&](int &number) { sum += number; });
    CHECK(sum == 10);
    increment(numbers);
    CHECK(numbers[0] == 3 && numbers[3] == 6);

    // A reference to what a function returns.
    accelerator_view &view = accelerator().default_view;
    concurrency::accelerator_view &same = view;
    const accelerator_view &constant = accelerator().get_default_view();
    view.wait();
    CHECK(same == view && &same == &view && constant == view);

    struct {
        int number = 1;
        accelerator_view &view = global_view;
    } local;
    holder held;
    CHECK(&held.also == &global_view && &local.view == &global_view && held.is_default() && held.second == 1);

    array<int, 2> doubled(concurrency::extent<2>(2, 2), numbers.begin(), view);
    double_all(doubled);
    vector<int> result = doubled;
    CHECK(result[0] == 6 && result[3] == 12);

    vector<int> tiled(32);
    number_tiles(array_view<int>(32, tiled));
    CHECK(tiled[0] == 0 && tiled[7] == 1010 && tiled[15] == 1010 && tiled[16] == 4110 && tiled[31] == 5120);

    const std::array<int, 2> pair = {{1, 2}};
    CHECK(lengths.size() == 3 && pair[1] == 2);
    CHECK(result[1] == 8);
    return ::result();
}
