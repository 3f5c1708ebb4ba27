// SPDX-License-Identifier: MIT
// The headers are host code for other compilers: g++ and clang++ take them with all warnings, and without kernels the
// library works.
// REQUIRES: gcc
// DEFINE: %{with} = -I%root/include/cpp -I%root/include
// DEFINE: %{libamp} = -L%build/lib -lamp -Wl,-rpath,%build/lib
// RUN: g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror %{with} %s -o %t %{libamp} && %run %t | FileCheck %s
// RUN: g++ -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror %{with} %s
// RUN: %clang -x c++ -std=c++14 -fsyntax-only -Wall -Wextra -Wpedantic -Werror %{with} %s
// RUN: %clang -x c++ -std=c++23 -fsyntax-only -Wall -Wextra -Wpedantic -Werror %{with} %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <amp_graphics.h>
#include <amp_math.h>
#include <amp_short_vectors.h>
#include <vector>

using namespace concurrency;
using namespace concurrency::graphics;

static int twice(int x) restrict(cpu, amp)
{
    return 2 * x;
}

int main()
{
    std::vector<int> data(12, 1);
    array_view<int, 2> v(3, 4, data);
    v(1, 2) = twice(7);
    array<int, 2> a(v);
    array_view<const int, 2> row = a.section(1, 0, 1, 4);
    CHECK(row(0, 2) == 14 && fast_math::sqrt(4.0f) == 2 && precise_math::cbrt(8.0) == 2);
    float_3 x(1, 2, 3);
    x.set_xy(x.get_yx());
    CHECK(x == float_3(2, 1, 3) && norm(2.0f) == NORM_MAX);
    texture<float_4, 2> t(2, 2);
    std::vector<float_4> texels(4, float_4(1, 2, 3, 4)), out(4);
    copy(texels.begin(), texels.end(), t);
    copy(t, out.begin());
    CHECK(out[3] == texels[0]);
    CHECK_THROWS(runtime_exception, accelerator(L"nothing"));
    return result();
}
