// Preprocessed C++ AMP, which -E makes and -save-temps keeps, compiles as the source does.
// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cpp && cd %t
// RUN: %ampcc -E a.cpp -o e.ii && %ampcc --amp-gpu=none e.ii -o e && ./e | FileCheck a.cpp
// RUN: %ampcc -E -C -P a.cpp -o c.ii && %ampcc --amp-gpu=none -x c++-cpp-output - -o c < c.ii && ./c | FileCheck a.cpp
// RUN: %ampcc -M a.cpp | FileCheck --check-prefix=DEPEND a.cpp
// RUN: mkdir -p x/y && %ampcc --amp-gpu=none -save-temps=obj -MD a.cpp -o x/prog && ./x/prog | FileCheck a.cpp
// RUN: ls x | tr '\n' ' ' | FileCheck --check-prefix=KEPT a.cpp
// RUN: %ampcc --amp-gpu=none -save-temps -O2 -c x/a.ii -o a.o && %ampcc a.o -lstdc++ -o o && ./o | FileCheck a.cpp
// RUN: %clang x/a.s -L%build/lib -lamp -lstdc++ -lm -Wl,-rpath,%build/lib -o s && ./s | FileCheck a.cpp
// RUN: %ampcc -E -DWRONG a.cpp -o wrong.ii && not %ampcc wrong.ii -o w 2>&1 | FileCheck --check-prefix=ERROR a.cpp
// RUN: echo 'int main() { return 0; }' > plain.ii && %ampcc plain.ii -o plain && ./plain
// RUN: not %ampcc -ftime-trace -c a.cpp 2>&1 | FileCheck --check-prefix=OTHER a.cpp
// DEPEND: a.o: a.cpp
// DEPEND: amp-cpp/amp.h
// KEPT: {{^}}a.bc a.ii a.o a.s prog prog.d y
// OTHER: error: '-ftime-trace' is not possible with C++ AMP
#include <amp.h>
#include <iostream>
#include <vector>

using namespace concurrency;

int main()
{
    std::vector<int> data = {1, 2, 3}; // the preprocessor may keep what isn't restrict(amp)
    array_view<int> view(3, data);
    parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { view[i] *= 10; /* ' */ });
    std::cout << view[2] << std::endl;
#ifdef WRONG
    parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { throw 1; });
    // ERROR: a.cpp:[[@LINE-1]]:68: error: code for accelerators cannot throw exceptions [exception]
#endif
}
// CHECK: 30
