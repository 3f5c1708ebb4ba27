/* SPDX-License-Identifier: MIT
 *
 * What all public objects have in common: a kind, which shows that a handle is of something else, and a count of
 * references. Debug builds keep released objects, marked as released. A handle that is used too late then finds such an
 * object instead of whatever else the memory holds by then. */
#include "runtime.h"
#include "testing.h"

#include <string.h>

static const struct {
    const char *noun, *article;
} kinds[] = {
    [AMP__ACCELERATOR - AMP__RELEASED] = {"accelerator", "an"},
    [AMP__ACCELERATOR_VIEW - AMP__RELEASED] = {"accelerator_view", "an"},
    [AMP__ARRAY - AMP__RELEASED] = {"array", "an"},
    [AMP__ARRAY_VIEW - AMP__RELEASED] = {"view", "a"},
    [AMP__FUTURE - AMP__RELEASED] = {"future", "a"},
};

/* A released object that is kept. */
struct kept {
    struct amp__object object;
    struct kept *next;
};

#ifdef AMP_KEEP_RELEASED
static atomic_bool keeps = true;
#else
static atomic_bool keeps;
#endif
static _Atomic(struct kept *) kept;

void amp__test_keep_released(bool keep)
{
    atomic_store(&keeps, keep);
    struct kept *k = keep ? NULL : atomic_exchange(&kept, NULL);
    while (k) {
        struct kept *next = k->next;
        amp__free(k);
        k = next;
    }
}

void amp__object_init(struct amp__object *object, enum amp__kind kind)
{
    atomic_init(&object->kind, kind);
    atomic_init(&object->references, 1);
}

amp_status amp__object_fail(const void *handle, enum amp__kind kind, const char *call)
{
    const char *noun = kinds[kind - AMP__RELEASED].noun;
    if (!handle && kind == AMP__ACCELERATOR)
        amp__error_admit(); /* the answer of amp_accelerator_find mattered */
    if (!handle)
        return amp__fail(AMP_ERROR_NULL, "%s: the %s is NULL", call, noun);
    unsigned found = amp__object_kind(handle);
    if (found == AMP__RELEASED)
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: the %s was released", call, noun);
    if (found > AMP__RELEASED && found < AMP__RELEASED + sizeof kinds / sizeof *kinds)
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: the handle is %s %s, where %s %s is expected", call,
                         kinds[found - AMP__RELEASED].article, kinds[found - AMP__RELEASED].noun,
                         kinds[kind - AMP__RELEASED].article, noun);
    return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: the handle is no %s of libamp", call, noun);
}

bool amp__object_drop(struct amp__object *object)
{
    return atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1;
}

void amp__object_free(struct amp__object *object)
{
    atomic_store_explicit(&object->kind, AMP__RELEASED, memory_order_relaxed);
    if (!atomic_load_explicit(&keeps, memory_order_relaxed)) {
        amp__free(object);
        return;
    }
    struct kept *k = (struct kept *)(void *)object;
    k->next = atomic_load(&kept);
    while (!atomic_compare_exchange_weak(&kept, &k->next, k))
        continue;
}
