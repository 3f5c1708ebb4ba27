/* SPDX-License-Identifier: MIT
 *
 * The objects of a launch: arrays, whose bounds and memory are known now, and tile_static variables. What a launch may
 * write is saved before it, because a launch that fails changes nothing. */
#include "checked.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BOUNDS = AMP__MAX_ARGS * AMP_MAX_RANK };

/* What an array had before the launch. */
struct saved {
    const struct amp__check_object *object;
    unsigned char *bytes, *defined; /* in `saved_memory` */
};

static struct saved saved[AMP__MAX_ARGS];
static int n_saved;

/* Kept from launch to launch: the system takes as long to make new memory as a large launch takes to use it. */
static struct {
    unsigned char *bytes;
    size_t size_bytes;
} saved_memory;

static struct {
    amp__check_word *words; /* `written`, then `read`, then `updated` */
    unsigned char *defined;
    size_t bytes;
} tile_memory; /* kept from launch to launch */

static const struct amp__param *param_of(const struct amp__check_object *object)
{
    return &amp__running.launch->kernel->params[object->variable->param];
}

static bool overlap(const struct amp__check_object *a, const struct amp__check_object *b)
{
    return a->base < b->base + b->size_bytes && b->base < a->base + a->size_bytes;
}

static bool is_array(const struct amp__check_object *object)
{
    return object->variable->param >= 0;
}

/* Accesses to an array that no parameter lets the kernel write are not recorded. */
static void forget_constant_arrays(void)
{
    const struct amp__check_kernel *kernel = amp__running.kernel;
    for (int i = 0; i < kernel->n_objects; i++) {
        struct amp__check_object *object = &kernel->objects[i];
        bool is_written = !is_array(object);
        for (int k = 0; k < kernel->n_objects && !is_written; k++) {
            const struct amp__check_object *other = &kernel->objects[k];
            is_written = is_array(other) && !param_of(other)->read_only && overlap(object, other);
        }
        if (!is_written)
            object->written = object->read = object->updated = NULL;
    }
}

/* Where the extents of what a closure captures are in the argument block. */
static const char *captured_extents(const struct amp__param *param)
{
    return (const char *)amp__running.args + param->offset + sizeof(struct amp__captured);
}

void amp__object_pitches(const struct amp__check_object *object, long long pitch[AMP_MAX_RANK])
{
    const struct amp__check_variable *variable = object->variable;
    const struct amp__param *param = is_array(object) ? param_of(object) : NULL;
    long long dense = 1;
    if (param && amp__running.launch->kernel->is_closure) {
        size_t extents_bytes = ((size_t)param->rank * sizeof(int) + 7) / 8 * 8;
        memcpy(pitch, captured_extents(param) + extents_bytes, (size_t)param->rank * sizeof *pitch);
        return;
    }
    for (int d = variable->rank - 1; d >= 0; d--) {
        pitch[d] = dense;
        dense *= param ? object->extent[d] : variable->extent[d];
    }
}

/* Reads the bounds of an array: what a closure captures has them in itself. */
static void set_extents(struct amp__check_object *object, const struct amp__param *param, const long long *bounds)
{
    for (int d = 0; d < param->rank; d++) {
        int extent = 0;
        if (amp__running.launch->kernel->is_closure)
            memcpy(&extent, captured_extents(param) + (size_t)d * sizeof extent, sizeof extent);
        object->extent[d] = amp__running.launch->kernel->is_closure ? extent : bounds[d];
    }
}

/* Finds the array's bytes; a section's are those from its first to its last element. Returns false without memory for
 * what accesses to it leave. */
static bool begin_array(struct amp__check_object *object, const long long *bounds)
{
    const struct amp__param *param = param_of(object);
    unsigned char *base;
    long long pitch[AMP_MAX_RANK], n = 1;
    memcpy(&base, (const char *)amp__running.args + param->offset, sizeof base);
    set_extents(object, param, bounds);
    amp__object_pitches(object, pitch);
    for (int d = 0; d < param->rank; d++)
        n = object->extent[d] > 0 && n > 0 ? n + (object->extent[d] - 1) * pitch[d] : 0;
    size_t size = (size_t)n * param->size_bytes;
    object->is_constant = param->read_only;
    object->base = base;
    object->size_bytes = size;
    return amp__checked_watch(base, size);
}

static bool reserve_tile_memory(size_t bytes)
{
    if (tile_memory.bytes >= bytes)
        return true;
    free(tile_memory.words);
    free(tile_memory.defined);
    tile_memory.words = calloc(3 * bytes, sizeof *tile_memory.words);
    tile_memory.defined = malloc(bytes);
    tile_memory.bytes = tile_memory.words && tile_memory.defined ? bytes : 0;
    return tile_memory.bytes;
}

static bool begin_variables(void)
{
    const struct amp__check_kernel *kernel = amp__running.kernel;
    size_t bytes = 0, offset = 0;
    for (int i = 0; i < kernel->n_objects; i++)
        bytes += is_array(&kernel->objects[i]) ? 0 : kernel->variables[i].size_bytes;
    if (bytes && !reserve_tile_memory(bytes))
        return false;
    for (int i = 0; i < kernel->n_objects; i++) {
        struct amp__check_object *object = &kernel->objects[i];
        const struct amp__check_variable *variable = &kernel->variables[i];
        if (is_array(object))
            continue;
        object->base = variable->address;
        object->size_bytes = variable->size_bytes;
        object->written = tile_memory.words + offset;
        object->read = tile_memory.words + tile_memory.bytes + offset;
        object->updated = tile_memory.words + 2 * tile_memory.bytes + offset;
        object->is_tile = true;
        for (int d = 0; d < variable->rank; d++)
            object->extent[d] = variable->extent[d];
        offset += variable->size_bytes;
    }
    return true;
}

/* Returns where it is noted which bytes of a tile_static variable were written. */
static unsigned char *defined_of(const struct amp__check_object *object)
{
    const struct amp__check_kernel *kernel = amp__running.kernel;
    unsigned char *defined = tile_memory.defined;
    for (const struct amp__check_object *other = kernel->objects; other < object; other++)
        defined += is_array(other) ? 0 : other->size_bytes;
    return defined;
}

void amp__objects_begin_tile(void)
{
    const struct amp__check_kernel *kernel = amp__running.kernel;
    for (int i = 0; i < kernel->n_objects; i++) {
        struct amp__check_object *object = &kernel->objects[i];
        if (is_array(object))
            continue;
        object->defined = defined_of(object);
        memset(object->defined, 0, object->size_bytes);
    }
}

void amp__objects_close_defined(void)
{
    const struct amp__check_kernel *kernel = amp__running.kernel;
    for (int i = 0; i < kernel->n_objects; i++) {
        struct amp__check_object *object = &kernel->objects[i];
        if (!is_array(object) && object->defined && !memchr(object->defined, 0, object->size_bytes))
            object->defined = NULL;
    }
}

void amp__check_note_defined(const struct amp__check_object *object)
{
    struct amp__check_object *noted = &amp__running.kernel->objects[object - amp__running.kernel->objects];
    noted->defined = defined_of(object);
    memset(noted->defined, 1, object->size_bytes);
}

static bool is_to_be_saved(const struct amp__check_object *object)
{
    return is_array(object) && !param_of(object)->read_only;
}

static bool reserve_saved_memory(size_t size_bytes)
{
    if (saved_memory.size_bytes >= size_bytes)
        return true;
    amp__checked_unmap(saved_memory.bytes, saved_memory.size_bytes);
    saved_memory.bytes = amp__checked_map(size_bytes);
    saved_memory.size_bytes = saved_memory.bytes ? size_bytes : 0;
    return saved_memory.bytes;
}

/* Saves what the launch may write. Returns false without memory. */
static bool save_arrays(void)
{
    const struct amp__check_kernel *kernel = amp__running.kernel;
    size_t size_bytes = 0;
    for (const struct amp__check_object *o = kernel->objects; o < kernel->objects + kernel->n_objects; o++)
        size_bytes += is_to_be_saved(o) ? o->size_bytes * (o->defined ? 2 : 1) : 0;
    if (!reserve_saved_memory(size_bytes))
        return false;
    unsigned char *to = saved_memory.bytes;
    for (const struct amp__check_object *o = kernel->objects; o < kernel->objects + kernel->n_objects; o++) {
        if (!is_to_be_saved(o))
            continue;
        struct saved *s = &saved[n_saved++];
        *s = (struct saved){o, to, o->defined ? to + o->size_bytes : NULL};
        memcpy(s->bytes, o->base, o->size_bytes);
        if (s->defined)
            memcpy(s->defined, o->defined, o->size_bytes);
        to += o->size_bytes * (s->defined ? 2 : 1);
    }
    return true;
}

bool amp__objects_begin(void)
{
    struct amp__running *r = &amp__running;
    const struct amp__check_kernel *kernel = r->kernel;
    long long bounds[MOST_BOUNDS];
    r->launch->kernel->bounds(r->args, bounds);
    bool has_memory = true;
    for (int i = 0; i < kernel->n_objects && has_memory; i++) {
        struct amp__check_object *object = &kernel->objects[i];
        object->variable = &kernel->variables[i];
        if (!is_array(object))
            continue;
        const long long *of_param = bounds;
        for (const struct amp__param *p = r->launch->kernel->params; p < param_of(object); p++)
            of_param += p->rank;
        has_memory = begin_array(object, of_param);
    }
    for (int i = 0; i < kernel->n_objects && has_memory; i++)
        if (is_array(&kernel->objects[i]))
            amp__checked_find(kernel->granule_shift, &kernel->objects[i]);
    has_memory = has_memory && begin_variables();
    forget_constant_arrays();
    has_memory = has_memory && save_arrays();
    if (!has_memory)
        r->status = amp__kernel_fail(r->launch->kernel, AMP_ERROR_OUT_OF_MEMORY,
                                     "no memory to keep what its arrays have, and what it does with them");
    return has_memory;
}

void amp__objects_end(bool is_kept)
{
    while (n_saved > 0) {
        struct saved *s = &saved[--n_saved];
        if (!is_kept)
            memcpy(s->object->base, s->bytes, s->object->size_bytes);
        if (!is_kept && s->defined)
            memcpy(s->object->defined, s->defined, s->object->size_bytes);
    }
    amp__checked_unwatch();
}
