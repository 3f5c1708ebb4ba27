// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check -Wall %s
// RUN: %ampcc --amp-stop-after=check -Wno-amp-release -Werror %S/release.c
// RUN: not %ampcc --amp-stop-after=check -Werror=amp-release %S/release.c
// Releases of what nobody releases again.
#include <amp.h>

static amp_array_view *global;

void views(int n, float *data, amp_array_view *param)
{
    amp_auto_array_view *early = amp_array_view1(n, data), *next = amp_array_view1(n, data);
    amp_auto_array_view *shared = amp_array_view1(n, data), *by_address = amp_array_view1(n, data);
    amp_array_view *plain = amp_array_view1(n, data), *other = amp_array_view_retain(shared);
    amp_array_view **place = &by_address;
    amp_array_view_release(early);
    early = NULL;
    amp_array_view_release(next);
    next = amp_array_view1(n, data + 1);
    amp_array_view_release(shared);
    amp_array_view_release(by_address);
    *place = NULL;
    amp_array_view_release(plain);
    amp_array_view_release(other);
    amp_array_view_release(param);
    amp_array_view_release(global);
    amp_array_view_release(NULL);
}
