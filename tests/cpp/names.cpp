// SPDX-License-Identifier: MIT
// The headers' own names are reserved, so a program may define short ones as macros before it includes them.
// DEFINE: %{macros} = -DA=[ -DB=[ -DC=[ -DD=[ -DE=[ -DF=[ -DG=[ -DH=[ -DI=[ -DJ=[ -DK=[ -DL=[ -DM=[ -DN=[ -DO=[ -DP=[
// DEFINE: %{others} = -DQ=[ -DR=[ -DS=[ -DT=[ -DU=[ -DV=[ -DW=[ -DX=[ -DY=[ -DZ=[ -DD0=[ -DD1=[ -DD2=[ -DSize=[
// RUN: %ampcc -O2 %{macros} %{others} %s -o %t && %run %t | FileCheck %s
// RUN: %clang -x c++ -std=c++17 -fsyntax-only %{macros} %{others} -I%root/include/cpp -I%root/include %s
// CHECK: 20
#include <amp.h>
#include <amp_math.h>
#include <cstdio>

using namespace concurrency;

int main()
{
    int data[] = {1, 2};
    array_view<int> view(2, data);
#ifdef AMP__CXX
    parallel_for_each(view.get_extent(), [=](index<1> i) restrict(amp) { view[i] *= 10; });
#endif
    std::printf("%d\n", view[1]);
}
