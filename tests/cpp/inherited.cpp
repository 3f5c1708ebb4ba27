// SPDX-License-Identifier: MIT
// Members of classes that are local to a restricted function have its restrictions. Types of functions may say
// restrict(cpu). A class may be called `restrict`.
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 -std=c++20 %s -o %t && %run-cpu %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp.h>

using namespace concurrency;

static int in_static_member(int x) restrict(cpu, amp)
{
    const struct local {
        static int twice(int x)
        {
            struct inner {
                int operator()(int x)
                {
                    struct innermost {
                        int x;
                    } sum = {x + x};
                    return sum.x;
                }
            };
            return inner()(x);
        }
    } object = local();
    return object.twice(x);
}

class with_member
{
    int m;

  public:
    explicit with_member(int x) restrict(cpu, amp) : m{x}
    {
        struct one {
            int operator()() const
            {
                return 1;
            }
        };
        m += one()();
    }
    int get() const restrict(cpu, amp)
    {
        return m;
    }
};

static int by_side() restrict(cpu, amp)
{
    struct local {
        int f() const restrict(cpu) noexcept
        {
            return 1;
        }
        int f() const restrict(amp)
        {
            return 2;
        }
        int g() const
        {
            return f();
        }
    } object;
    return object.f() * 10 + object.g();
}

static void test_local_classes()
{
    int data[2] = {};
    array_view<int> v(2, data);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        class base
        {
            int m;

          public:
            base() : m(2)
            {
            }
            int get() const
            {
                return m;
            }
        };
        struct derived : public base {
            float f;
            union {
                int n;
                float g;
            };
            derived() : f(16), n(0)
            {
            }
            float twice() const
            {
                auto by = [](float x, float y) { return x * y; };
                return by(f, 2);
            }
            int own() const restrict(amp)
            {
                struct inner {
                    int five() const
                    {
                        return 5;
                    }
                };
                return inner().five();
            }
        };
        enum class kind { none, some };
        derived d[3];
        v[i] = i[0] == 0 ? d[1].get() + (int)d[2].twice() + d[0].own() + (int)kind::some
                         : in_static_member(10) + with_member(4).get() + by_side();
    });
    CHECK(v[0] == 2 + 32 + 5 + 1 && v[1] == 20 + 5 + 22 && in_static_member(3) == 6 && by_side() == 11);
}

template <int (*f)(int) restrict(cpu)> static int call(int x)
{
    return f(x);
}
template <typename T> struct is_reference {
    static const bool value = false;
};
template <> struct is_reference<int && (int) restrict(cpu)> {
    static const bool value = true;
};

static int increment(int x) restrict(cpu)
{
    return x + 1;
}
static int apply(int (*f)(int) restrict(cpu), int x)
{
    return f(x);
}

/* A class may have this name. */
namespace other
{
struct restrict {
    explicit restrict(unsigned n) restrict(cpu, amp) : size((int)n)
    {
    }
    restrict() restrict(cpu, amp) : size(10)
    {
    }
    ~restrict() restrict(cpu, amp)
    {
        size = 0;
    }
    int size;
};
struct with_member {
    int restrict;
    explicit with_member(int n) restrict(cpu, amp) : restrict(n)
    {
    }
};
static int sum() restrict(cpu, amp)
{
    restrict a(4u), b;
    return a.size + b.size + restrict(3u).size + with_member(2).restrict;
}
} // namespace other

static void test_types()
{
    int (*pointer)(int) restrict(cpu) = &increment;
    int (&reference)(int) restrict(cpu) = increment;
    CHECK(call<increment>(1) == 2 && apply(pointer, 2) == 3 && reference(3) == 4);
    CHECK(is_reference<int && (int)>::value);
    int number = 0;
    array_view<int> v(1, &number);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = other::sum(); });
    CHECK(v[0] == 19 && other::sum() == 19);
}

int main()
{
    test_local_classes();
    test_types();
    return result();
}
