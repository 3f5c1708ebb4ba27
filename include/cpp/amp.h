/* SPDX-License-Identifier: MIT
 *
 * C++ AMP on libamp. `ampcc` finds this header as <amp.h> in C++ sources; the C one lies under it.
 *
 *     #include <amp.h>
 *     #include <iostream>
 *     using namespace concurrency;
 *
 *     int main()
 *     {
 *         int data[] = {1, 2, 3};
 *         array_view<int> view(3, data);
 *         parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { view[i] *= 10; });
 *         std::cout << view[2] << std::endl; // 30
 *     }
 *
 * The classes are thin: a handle of libamp, and what kernels need, the address of the elements and the extents. Errors
 * of libamp become the exceptions of the model. docs/cpp-amp.md says what is there, and what differs from the model.
 *
 * Inside. What is for the host alone stands in amp__on_host(...), what is for accelerators alone in
 * amp__on_device(...): ampcc compiles the source once for each, and drops the other. With --amp-check it compiles it
 * once more for accelerators, and keeps amp__on_checked(...). Other compilers read this header as host code.
 */
#ifndef AMP_CPP_AMP_H
#define AMP_CPP_AMP_H

#ifndef __cplusplus
#error "this is <amp.h> of C++ AMP; name the source *.cpp, or include the C header"
#endif
#pragma GCC system_header

extern "C++" { /* a header that includes this one may be included for C */

#include <cstddef>

/* ampcc first tries without what takes long to read, and asks for it if the program needs it: some headers, and the
 * arithmetic of C's indices. */
#if defined AMP__CXX && !defined AMP__COMPLETE && defined __GLIBCXX__ && !defined _GLIBCXX_DEBUG
#define AMP__LIGHT
#else
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <vector>
#endif

#include_next <amp.h>

#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#ifdef AMP__LIGHT
// clang-format off
namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_CONTAINER
template <typename, typename> class vector;
_GLIBCXX_END_NAMESPACE_CONTAINER
}
// clang-format on
#endif

#ifdef AMP__CXX
#define AMP__PROPERTY(type, name) __declspec(property(get = get_##name)) type name
#else
#define restrict(...)
#define amp__on_host(...) __VA_ARGS__
#define amp__on_device(...)
#define amp__on_checked(...)
#define amp__used_on_device
#define amp__most_planes 1024
#define AMP__PROPERTY(type, name) static_assert(true, "")
#endif

/* ampcc looks for this name. */
namespace amp__cxx_door
{
}

/* Programs open the namespace by this name to add to it; they use it by both. */
namespace Concurrency
{
}
namespace concurrency = Concurrency;

namespace Concurrency
{

template <int _Np> class index;
template <int _Np> class extent;
template <int _D0, int _D1 = 0, int _D2 = 0> class tiled_extent;
template <int _D0, int _D1 = 0, int _D2 = 0> class tiled_index;
template <typename _Tp, int _Np = 1> class array;
template <typename _Tp, int _Np = 1> class array_view;

/* of <amp_graphics.h> */
namespace graphics
{
template <typename _Tp, int _Np> class texture;
template <typename _Tp, int _Np> class texture_view;
template <typename _Tp, int _Np> class writeonly_texture_view;
} // namespace graphics

typedef int HRESULT;

enum queuing_mode { queuing_mode_immediate, queuing_mode_automatic };
enum access_type {
    access_type_none = 0,
    access_type_read = 1,
    access_type_write = 2,
    access_type_read_write = access_type_read | access_type_write,
    access_type_auto = 4
};

} // namespace Concurrency

/* Each part needs those before it. */
// clang-format off
#include "amp/exceptions.h"
#include "amp/domain.h"
#include "amp/accelerator.h"
#include "amp/array_view.h"
#include "amp/array.h"
#include "amp/copy.h"
#include "amp/device.h"
#ifdef AMP__CXX
#include "amp/captures.h"
#include "amp/launch.h"
#endif
// clang-format on
#undef AMP__UNLESS
#undef AMP__POSITIVE

} /* extern "C++" */

#endif
