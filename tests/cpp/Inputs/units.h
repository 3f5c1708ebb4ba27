// SPDX-License-Identifier: MIT
// Kernels in templates, inline functions and an unnamed namespace, which two translation units have. WHICH differs.
#include <amp.h>

using namespace concurrency;

template <typename T> void scale(array_view<T> v, T factor)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = v[i] * factor + (T)i[0]; });
}
inline void sum_tiles(array_view<int> v)
{
    parallel_for_each(v.extent.tile<8>(), [=](tiled_index<8> t) restrict(amp) {
        tile_static int all[8];
        all[t.local[0]] = v[t];
        t.barrier.wait();
        int sum = 0;
        for (int i = 0; i < 8; i++)
            sum += all[i];
        v[t] = sum;
    });
}
namespace
{
struct own {
    array_view<int> v;
    int k;
    void operator()(index<1> i) const restrict(amp)
    {
        v[i] += k * WHICH;
    }
};
} // namespace
static inline void add_own(array_view<int> v, int k)
{
    own kernel = {v, k};
    parallel_for_each(v.extent, kernel);
}
