// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check %s
// Variables that are released by hand, and again at the end of their scope.
#include <amp.h>

amp_status views(int n, float *data, bool early)
{
    amp_auto_array_view *x = amp_array_view1(n, data), *y = amp_array_view1(n, data); // expected-note: 'x' is declared here expected-note: 'y' is declared here
    if (early) {
        amp_array_view_release((y)); // expected-warning: 'y' is released again at the end of its scope; remove this call, or set 'y' to NULL after it [-Wamp-release]
        return amp_error_status();
    }
    amp_synchronize(x);
    amp_array_view_release(x); // expected-warning: 'x' is released again at the end of its scope; remove this call, or set 'x' to NULL after it [-Wamp-release]
    return amp_error_status();
}

void others(amp_accelerator *accelerator)
{
    amp_auto_accelerator_view *on = amp_accelerator_create_view(accelerator, AMP_QUEUING_MODE_IMMEDIATE); // expected-note: 'on' is declared here
    amp_auto_future *done = amp_accelerator_view_create_marker(on); // expected-note: 'done' is declared here
    amp_auto_array *a = amp_array_on(int, amp_extent1(7), on, AMP_ACCESS_AUTO); // expected-note: 'a' is declared here
    amp_future_release(done); // expected-warning: 'done' is released again ...
    amp_array_release(a); // expected-warning: 'a' is released again ...
    amp_accelerator_view_release(on); // expected-warning: 'on' is released again ...
}
