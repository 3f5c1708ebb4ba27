/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <amp_math.h>
#include <cstdio>

struct range {
    int restrict;
    int low, high;
    range(int low, int high) : restrict(0), low(low), high(high)
    {
    }
    int restrict_to(int x) const
    {
        return x < low ? low : x > high ? high : x;
    }
};

static int restrict(int x, const range &r)
{
    return r.restrict_to(x);
}

template <class T> static T twice(T restrict)
{
    return restrict + restrict;
}

int main()
{
    amp_extent e = amp_extent2(2, 3);
    std::printf("%d %d %d\n", restrict(1, range(3, 9)), restrict(7, range(3, 9)), (int)amp_extent_size(e));
    return twice(e.rank) != 4;
}
