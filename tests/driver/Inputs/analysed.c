/* SPDX-License-Identifier: MIT
 * Right and wrong uses of objects, for analysers. An analyser warns in each function whose name begins with wrong_, and
 * nowhere else. */
#include <amp.h>

void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp);

/* ---- wrong ---- */

int wrong_twice(float *data)
{
    amp_array_view *view = amp_array_view1(4, data);
    amp_status status = amp_synchronize(view);
    amp_array_view_release(view);
    amp_array_view_release(view);
    return status;
}

int wrong_late(amp_extent extent)
{
    amp_array *array = amp_array_create(extent, AMP_TYPE_F32, 4, NULL, NULL, AMP_ACCESS_AUTO);
    amp_array_release(array);
    return amp_array_extent(array).rank;
}

void wrong_late_future(amp_accelerator_view *on)
{
    amp_future *future = amp_accelerator_view_create_marker(on);
    amp_future_release(future);
    amp_future_wait(future);
}

void wrong_discarded_launch(amp_array_view *view)
{
    amp_parallel_for_each_async(amp_extent1(4), scale, 2.0f, view);
}

void wrong_discarded_future(amp_array_view *view)
{
    amp_synchronize_async(view);
}

void wrong_discarded_view(amp_array_view *view)
{
    amp_array_view_read_only(view);
}

/* ---- right ---- */

int scope(float *data, int n, int way)
{
    amp_auto_array_view *view = amp_array_view1(n, data);
    if (way == 0)
        return 1;
    for (int i = 0; i < n; i++) {
        amp_auto_array_view *part = amp_array_view_section1(view, i, 1);
        amp_auto_future *done = amp_parallel_for_each_async(amp_extent1(1), scale, 2.0f, part);
        if (way == 1)
            break;
        if (amp_future_wait(done) != AMP_OK)
            return 2;
    }
    return amp_synchronize(view) != AMP_OK;
}

void unused_future(amp_array_view *view)
{
    amp_auto_future *done = amp_synchronize_async(view);
}

amp_array_view *returned(float *data)
{
    amp_auto_array_view *view = amp_array_view1(4, data);
    return amp_array_view_retain(view);
}

int shared(float *data)
{
    amp_array_view *view = amp_array_view1(4, data), *other = amp_array_view_retain(view);
    amp_array_view_release(view);
    amp_status status = amp_synchronize(other);
    amp_array_view_release(other);
    return status;
}

struct holder {
    amp_array_view *view;
};

int hold(struct holder *holder, float *data)
{
    holder->view = amp_array_view1(4, data);
    return holder->view != NULL;
}

void drop(struct holder *holder)
{
    amp_array_view_release(holder->view);
    holder->view = NULL;
}

void reuse(float *data)
{
    amp_array_view *view = amp_array_view1(4, data);
    amp_array_view_release(view);
    view = amp_array_view1(2, data);
    amp_synchronize(view);
    amp_array_view_release(view);
}

void none(void)
{
    amp_array_view *view = NULL;
    amp_array_view_release(view);
}

void own_queue(amp_accelerator *accelerator)
{
    amp_auto_accelerator_view *on = amp_accelerator_create_view(accelerator, AMP_QUEUING_MODE_AUTOMATIC);
    amp_accelerator_view_flush(on);
}
