// SPDX-License-Identifier: MIT
// Programs that use <future>, <chrono> or <memory> through <amp.h> alone compile, and those that say nothing of them
// have a completion_future that behaves in the same way.
// RUN: %ampcc -O1 -DCASE=0 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O1 -DCASE=1 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O1 -DCASE=2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O1 -DCASE=3 %s -o %t && %run %t | FileCheck %s
// RUN: not %ampcc -DCASE=4 %s -o %t 2>&1 | FileCheck --check-prefix=WRONG --implicit-check-not=error: %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <stdexcept>

using namespace concurrency;

static int data[64];

static completion_future begin()
{
    array_view<int> view(64, data);
    parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { view[i] = i[0]; });
    return view.synchronize_async();
}

#if CASE == 0
static void use(completion_future f)
{
    static int calls;
    struct counter {
        void operator()() const
        {
            calls++;
        }
    };
    f.then(counter());
    f.get();
    CHECK(data[63] == 63 && f.valid());
    try {
        completion_future().get();
        CHECK(false);
    } catch (const std::logic_error &error) {
        CHECK(std::string(error.what()).find("No associated state") != std::string::npos);
    }
}
#elif CASE == 1
static void use(completion_future f)
{
    std::shared_future<void> shared = f;
    shared.get();
    CHECK(data[63] == 63);
}
#elif CASE == 2
static void use(completion_future f)
{
    std::unique_ptr<int> one(new int(1));
    f.wait();
    CHECK(data[63] == 63 && *one == 1);
}
#elif CASE == 3
static void use(completion_future f)
{
    CHECK((int)f.wait_for(std::chrono::seconds(100)) == 0);
    CHECK(data[63] == 63);
}
#else
static void use(completion_future f)
{
    // WRONG: futures.cpp:[[@LINE+1]]:7: error: no member named 'wate' in
    f.wate();
}
#endif

int main()
{
    use(begin());
    return result();
}
