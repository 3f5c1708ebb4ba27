/* SPDX-License-Identifier: MIT
 *
 * array: storage on one accelerator_view. It is a home of its own and the view of all of it, so views, launches and
 * copies treat both alike. This file decides where it lives and what the host may do to it in place. */
#include "backend.h"

#include <string.h>

static amp_status check(const char *call, const amp_array *array)
{
    return amp__object_check(array, AMP__ARRAY, call);
}

/* ---- making arrays ---- */

static const char *path_of(const amp_accelerator_view *view)
{
    return view->accelerator->properties.path;
}

/* What the host may do in place to an array on `on` that was created with `access`. */
static amp_status resolve_access(const char *call, const amp_accelerator_view *on, amp_access_type *access)
{
    const amp_accelerator_properties *properties = &on->accelerator->properties;
    if ((unsigned)*access > AMP_ACCESS_AUTO)
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: the cpu access is %d, which is no amp_access_type", call,
                         (int)*access);
    if (*access == AMP_ACCESS_AUTO)
        *access = amp__accelerator_use_cpu_access_type(on->accelerator);
    else if (*access != AMP_ACCESS_NONE && !properties->supports_cpu_shared_memory)
        return amp__fail(AMP_ERROR_UNSUPPORTED_FEATURE,
                         "%s: %s does not share memory with the host; create the array with AMP_ACCESS_NONE or "
                         "AMP_ACCESS_AUTO, and reach its elements by amp_copy or a view of it",
                         call, properties->path);
    return AMP_OK;
}

/* What an array is made of. */
struct plan {
    const char *call;
    amp_extent extent;
    amp_type type;
    size_t element_size;
    void *memory;               /* where it is to be; NULL: in its own memory, filled from one of these, if any: */
    const void *data;           /* dense host memory */
    const amp_array_view *view; /* of the same shape */
};

static struct plan plan_of_view(const char *call, const amp_array_view *view)
{
    return (struct plan){.call = call,
                         .extent = view->extent,
                         .type = amp_type_aligned(view->type, view->align),
                         .element_size = view->element_size,
                         .view = view};
}

static amp_array *array_new(const struct plan *plan, amp_accelerator_view *on, amp_access_type cpu_access,
                            amp_accelerator_view *associated)
{
    amp_array_view whole;
    size_t size_bytes;
    if (amp__view_init(plan->call, &whole, &plan->extent, plan->type, plan->element_size, &size_bytes) != AMP_OK)
        return NULL;
    if (plan->memory && amp__view_check_memory(plan->call, &whole, plan->memory) != AMP_OK)
        return NULL;
    amp_array *array = amp__alloc(sizeof *array, _Alignof(amp_array));
    if (!array) {
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for an array's description (%zu bytes)", plan->call,
                  sizeof *array);
        return NULL;
    }
    if (amp__home_new(plan->call, &whole, amp__view_storage_align(&whole), on->accelerator->location, plan->memory, on,
                      &whole.home) != AMP_OK) {
        amp__free(array);
        return NULL;
    }
    memcpy(&array->whole, &whole, sizeof whole);
    amp__object_init(&array->whole.object, AMP__ARRAY);
    array->associated = amp_accelerator_view_retain(associated);
    array->cpu_access = cpu_access;
    amp_status status = plan->view ? amp__view_begin(plan->call, plan->view, AMP_ACCESS_READ) : AMP_OK;
    if (plan->data)
        status = amp__copy_from_memory(plan->call, &array->whole, plan->data);
    else if (plan->view && status == AMP_OK)
        status = amp__copy_from_view(plan->call, &array->whole, plan->view);
    if (status == AMP_OK)
        return array;
    amp_array_release(array);
    return NULL;
}

static amp_array *create(const struct plan *plan, amp_accelerator_view *on, amp_access_type cpu_access)
{
    if (amp__accelerator_view_use(&on, plan->call) != AMP_OK || resolve_access(plan->call, on, &cpu_access) != AMP_OK)
        return NULL;
    return array_new(plan, on, cpu_access, on);
}

amp_array *amp_array_create(amp_extent extent, amp_type type, size_t element_size, const void *data,
                            amp_accelerator_view *on, amp_access_type cpu_access)
{
    return create(&(struct plan){"amp_array_create", extent, type, element_size, .data = data}, on, cpu_access);
}

amp_array *amp_array_from_view(amp_array_view *view, amp_accelerator_view *on, amp_access_type cpu_access)
{
    static const char call[] = "amp_array_from_view";
    if (amp__object_check(view, AMP__ARRAY_VIEW, call) != AMP_OK)
        return NULL;
    struct plan plan = plan_of_view(call, view);
    return create(&plan, on, cpu_access);
}

static amp_array *create_staging(const struct plan *plan, amp_accelerator_view *on, amp_accelerator_view *associated)
{
    if (!on)
        on = amp__host_view();
    if (amp__accelerator_view_use(&on, plan->call) != AMP_OK ||
        amp__accelerator_view_use(&associated, plan->call) != AMP_OK)
        return NULL;
    if (on->accelerator->location == AMP__HOST)
        return array_new(plan, on, AMP_ACCESS_READ_WRITE, associated);
    amp__fail(AMP_ERROR_INVALID_ARGUMENT,
              "%s: a staging array lives in host memory, but %s has memory of its own; pass cpu's accelerator_view, or "
              "NULL",
              plan->call, path_of(on));
    return NULL;
}

amp_array *amp_array_create_staging(amp_extent extent, amp_type type, size_t element_size, const void *data,
                                    amp_accelerator_view *on, amp_accelerator_view *associated)
{
    return create_staging(&(struct plan){"amp_array_create_staging", extent, type, element_size, .data = data}, on,
                          associated);
}

amp_array *amp_array_staging_from_view(amp_array_view *view, amp_accelerator_view *on, amp_accelerator_view *associated)
{
    static const char call[] = "amp_array_staging_from_view";
    if (amp__object_check(view, AMP__ARRAY_VIEW, call) != AMP_OK)
        return NULL;
    struct plan plan = plan_of_view(call, view);
    return create_staging(&plan, on, associated);
}

amp_array *amp_array_wrap(amp_extent extent, amp_type type, size_t element_size, void *memory, amp_accelerator_view *on)
{
    static const char call[] = "amp_array_wrap";
    if (!memory) {
        amp__fail(AMP_ERROR_NULL, "%s: the memory is NULL; amp_array_create makes an array with memory of its own",
                  call);
        return NULL;
    }
    return create(&(struct plan){call, extent, type, element_size, memory}, on, AMP_ACCESS_AUTO);
}

amp_array *amp_array_clone(amp_array *array)
{
    static const char call[] = "amp_array_clone";
    if (check(call, array) != AMP_OK)
        return NULL;
    struct plan plan = plan_of_view(call, &array->whole);
    return array_new(&plan, array->whole.home->on, array->cpu_access, array->associated);
}

amp_array *amp_array_retain(amp_array *array)
{
    if (array && check("amp_array_retain", array) == AMP_OK)
        atomic_fetch_add_explicit(&array->whole.object.references, 1, memory_order_relaxed);
    return array;
}

void amp_array_release(amp_array *array)
{
    if (array && check("amp_array_release", array) == AMP_OK && amp__object_drop(&array->whole.object)) {
        amp_accelerator_view_release(array->associated);
        amp__view_fini(&array->whole);
    }
}

/* ---- what an array is ---- */

amp_extent amp_array_extent(const amp_array *array)
{
    return check("amp_array_extent", array) == AMP_OK ? array->whole.extent : (amp_extent){0};
}

amp_type amp_array_type(const amp_array *array)
{
    return check("amp_array_type", array) == AMP_OK ? array->whole.type : AMP_TYPE_NONE;
}

size_t amp_array_element_size(const amp_array *array)
{
    return check("amp_array_element_size", array) == AMP_OK ? array->whole.element_size : 0;
}

amp_accelerator_view *amp_array_accelerator_view(const amp_array *array)
{
    return check("amp_array_accelerator_view", array) == AMP_OK ? array->whole.home->on : NULL;
}

amp_accelerator_view *amp_array_associated_accelerator_view(const amp_array *array)
{
    return check("amp_array_associated_accelerator_view", array) == AMP_OK ? array->associated : NULL;
}

amp_access_type amp_array_cpu_access_type(const amp_array *array)
{
    return check("amp_array_cpu_access_type", array) == AMP_OK ? array->cpu_access : AMP_ACCESS_NONE;
}

/* ---- access by the host ---- */

/* Maps an array in the name of `call`. */
static void *map(const char *call, amp_array *array, amp_access_type access)
{
    const amp_accelerator_view *on = array->whole.home->on;
    amp_access_type allowed = on->accelerator->location == AMP__HOST ? AMP_ACCESS_READ_WRITE : array->cpu_access;
    if (allowed == AMP_ACCESS_NONE) {
        amp__fail(AMP_ERROR_UNSUPPORTED_FEATURE,
                  "%s: the array lives on %s, where the host cannot reach it; use amp_copy, or map a view of it "
                  "(amp_array_as_view)",
                  call, path_of(on));
        return NULL;
    }
    if (access & ~(unsigned)allowed & AMP_ACCESS_READ_WRITE) {
        bool writes = allowed == AMP_ACCESS_READ;
        amp__fail(writes ? AMP_ERROR_READ_ONLY : AMP_ERROR_INVALID_ARGUMENT,
                  "%s: the array was created for the host to %s only", call, writes ? "read" : "write");
        return NULL;
    }
    return amp__view_map(call, &array->whole, access);
}

void *amp_array_map(amp_array *array, amp_access_type access)
{
    static const char call[] = "amp_array_map";
    return check(call, array) == AMP_OK ? map(call, array, access) : NULL;
}

void *amp_array_map_typed(amp_array *array, amp_type type, size_t element_size, amp_access_type access)
{
    static const char call[] = "amp_array_map_typed";
    if (check(call, array) != AMP_OK || amp__view_check_type(call, &array->whole, type, element_size) != AMP_OK)
        return NULL;
    return map(call, array, access);
}

amp_status amp_array_unmap(amp_array *array)
{
    static const char call[] = "amp_array_unmap";
    amp_status status = check(call, array);
    return status == AMP_OK ? amp__view_unmap(call, &array->whole) : status;
}

void *amp_array_native_handle(amp_array *array)
{
    static const char call[] = "amp_array_native_handle";
    if (check(call, array) != AMP_OK)
        return NULL;
    struct amp__home *home = array->whole.home;
    if (amp__view_begin(call, &array->whole, AMP_ACCESS_WRITE) != AMP_OK ||
        amp__home_read(home, home->on, NULL) != AMP_OK)
        return NULL;
    return amp__home_address(home, home->on->accelerator, 0);
}

/* ---- views of arrays ---- */

amp_array_view *amp_array_as_view(amp_array *array)
{
    static const char call[] = "amp_array_as_view";
    return check(call, array) == AMP_OK ? amp__view_new(call, &array->whole) : NULL;
}

amp_array_view *amp_array_as_const_view(const amp_array *array)
{
    static const char call[] = "amp_array_as_const_view";
    if (check(call, array) != AMP_OK)
        return NULL;
    amp_array_view *view = amp__view_new(call, &array->whole);
    if (view)
        view->read_only = true;
    return view;
}

amp_array_view *amp_array_section(amp_array *array, amp_index origin, amp_extent extent)
{
    static const char call[] = "amp_array_section";
    return check(call, array) == AMP_OK ? amp__view_section(call, &array->whole, &origin, &extent) : NULL;
}

amp_array_view *amp__array_project(amp_array *array, amp_index i)
{
    static const char call[] = "amp_array_project";
    return check(call, array) == AMP_OK ? amp__view_project(call, &array->whole, &i) : NULL;
}

amp_array_view *(amp_array_project)(amp_array *array, int i)
{
    return amp_array_project(array, i);
}

amp_array_view *amp_array_reinterpret(amp_array *array, amp_type type, size_t element_size)
{
    static const char call[] = "amp_array_reinterpret";
    return check(call, array) == AMP_OK ? amp__view_reinterpret(call, &array->whole, type, element_size) : NULL;
}

amp_array_view *amp_array_reshape(amp_array *array, amp_extent extent)
{
    static const char call[] = "amp_array_reshape";
    return check(call, array) == AMP_OK ? amp__view_reshape(call, &array->whole, &extent) : NULL;
}

void amp__array_store_only(amp_array *array)
{
    if (array)
        array->whole.home->is_store = true;
}

/* ---- older names, for programs that were linked with them ---- */

#undef amp_array_view_of
#undef amp_array_view_of_const
#undef amp_array_view_as
amp_array_view *amp_array_view_of(amp_array *array)
{
    return amp_array_as_view(array);
}

amp_array_view *amp_array_view_of_const(const amp_array *array)
{
    return amp_array_as_const_view(array);
}

amp_array_view *amp_array_view_as(amp_array *array, amp_extent extent)
{
    return amp_array_reshape(array, extent);
}
