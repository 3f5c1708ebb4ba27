// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// Calls that code for accelerators cannot make, and variables that it cannot have, whether or not a kernel reaches it;
// and what only resembles them.
// row: S4, S5, D6, C3585, C3586, C3934, T7
#include <amp.h>

using namespace concurrency;

/* ---- recursion ---- */

int even(int n) restrict(amp);
int odd(int n) restrict(amp)
{
    return n ? even(n - 1) : 0;
}
int even(int n) restrict(amp)
{
    return n ? odd(n - 1) : 1; // expected-error: recursion is not allowed in restrict(amp) code: 'odd' is called again by 'even'; write a loop
}
struct counter {
    int count(int n) const restrict(cpu, amp)
    {
        return n ? count(n - 1) : 0; // expected-error: recursion is not allowed in restrict(amp) code: 'count' calls itself; write a loop
    }
};
template <typename T> T down(T n) restrict(amp)
{
    return n > 0 ? down(n - 1) : n; // expected-error: recursion is not allowed in restrict(amp) code: 'down' calls itself; write a loop
}
template <int N> int factorial() restrict(amp) // each instance is another function
{
    return N * factorial<N - 1>();
}
template <> int factorial<0>() restrict(amp)
{
    return 1;
}
int both(int n) restrict(cpu) // on the host
{
    return n ? both(n - 1) : 0;
}
int both(int n) restrict(amp)
{
    return n;
}
int by_side(int n) restrict(cpu, amp)
{
    return both(n);
}
int constants() restrict(amp)
{
    return factorial<5>() + down(3) + by_side(2);
}

/* ---- pointers ---- */

struct base {
    int n;
    int plain() restrict(amp)
    {
        return n;
    }
    virtual int get() restrict(amp)
    {
        return 1;
    }
    int by_this() restrict(amp)
    {
        return get(); // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    }
};
struct derived final : base {
    int get() restrict(amp)
    {
        return base::get() + 1;
    }
};
struct pair {
    base first;
};
struct holder {
    int (*held)(int);
};
typedef int (*function)(int);
int next(int x) restrict(cpu, amp)
{
    return x + 1;
}
constexpr function known = next;

int by_pointer(base *b, base &r, function p, holder h) restrict(amp)
{
    int x = b->get(); // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    x += r.get();     // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    x += (*b).get();  // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    x += p(3);        // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    x += h.held(3);   // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    return x;
}
base &first_of(pair &both) restrict(amp)
{
    return both.first;
}
int by_element(pair &both, bool first) restrict(amp)
{
    base some[2], others[2][2];
    pair pairs[2];
    int x = some[1].get();       // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    x += others[1][0].get();     // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    x += first_of(both).get();   // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    x += (some[0] = some[1]).get();             // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    x += (first ? some[0] : some[1]).get();     // expected-error: a kernel cannot call virtual functions or functions through pointers; ...
    return x + pairs[1].first.get() + some[1].plain() + some[1].base::get();
}
base made() restrict(amp)
{
    return base();
}
int by_value() restrict(amp)
{
    return made().get() + base().get();
}
int certain(base *b, derived *d) restrict(amp)
{
    base mine;
    derived other;
    int base::*member = &base::n;
    pair both;
    return b->base::get() + d->get() + mine.get() + other.get() + base().get() + both.first.get() + b->plain() +
           b->*member + known(2);
}
int amp_alone(int x) restrict(amp)
{
    return x;
}

int (*const on_host)(int) = next, (*also)(int) = &next;
int (*nowhere)(int) = amp_alone;   // expected-error: 'amp_alone' is restrict(amp), and code for the host cannot call it; ...
function either[] = {next, &amp_alone}; // expected-error: 'amp_alone' is restrict(amp), and code for the host cannot call it; ...
int (*of_two)(int) = both;
decltype(&amp_alone) none = nullptr;
template <int (*F)(int) restrict(cpu)> struct by_template {
};
by_template<next> object;

/* ---- members, in code for the host that nothing calls ---- */

struct sided {
    int amp_alone() const restrict(amp)
    {
        return 1;
    }
    int overloaded() const restrict(cpu)
    {
        return 2;
    }
    int overloaded() const restrict(amp)
    {
        return 3;
    }
};
static inline int in_words(sided s)
{
    decltype(s.amp_alone()) n = s.overloaded();
    return n;
}
static inline void in_kernels(sided s, array_view<int> v)
{
    struct functor {
        sided s;
        array_view<int> v;
        void operator()(index<1> i) const restrict(amp)
        {
            v[i] = s.amp_alone() + s.overloaded();
        }
    };
    auto helper = [=]() restrict(amp) { return s.amp_alone(); };
    parallel_for_each(v.extent, functor{s, v});
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = s.amp_alone() + helper(); });
}
static inline void on_the_host(tiled_index<1> i)
{
    i.barrier.wait(); // expected-error: 'wait' is restrict(amp), and code for the host cannot call it; ...
}
template <typename T> int in_template(T x, const sided &s)
{
    return x + s.amp_alone(); // expected-error: 'amp_alone' is restrict(amp), and code for the host cannot call it; ...
}
int first_value = sided().amp_alone(); // expected-error: 'amp_alone' is restrict(amp), and code for the host cannot call it; ...
int used(sided s)
{
    return s.amp_alone(); // expected-error: 'amp_alone' is restrict(amp), and code for the host cannot call it; ...
}

/* ---- variables ---- */

int variables(int x) restrict(cpu, amp)
{
    static int calls;      // expected-error: static variable 'calls' is not allowed in restrict(amp) code, because it is not const; ...
    static const char *p;  // expected-error: static variable 'p' is not allowed in restrict(amp) code, because it is not const; ...
    thread_local int mine; // expected-error: thread-local variable 'mine' cannot be used in restrict(amp) code, ...
    static const int limit = 3, all[2] = {1, 2};
    static constexpr float half = 0.5f;
    return limit + all[x & 1] + (int)half;
}
template <typename T> T variables_of(T x) restrict(amp)
{
    static T last; // expected-error: static variable 'last' is not allowed in restrict(amp) code, because it is not const; ...
    return last = x;
}
template <typename T> struct constant {
    typedef const T type;
};
template <typename T, int N> T constants_of(int i) restrict(amp)
{
    static const T all[N] = {1, 2};
    static typename constant<T>::type most = 3, others[2] = {4, 5};
    return most + all[i] + others[i];
}
int all_of(int x) restrict(amp)
{
    return variables_of(x) + constants_of<int, 2>(x); // expected-note: it is used here
}
int host(int x)
{
    static int calls;
    thread_local int mine;
    return ++calls + ++mine;
}

int main() restrict(amp) // expected-error: 'main' is where the host begins and cannot be restrict(amp); launch a kernel from it
{
    return 0;
}
