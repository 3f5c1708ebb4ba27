/* SPDX-License-Identifier: MIT
 *
 * Describes accesses that the checks of a kernel have found wrong: outside of an object, in conflict with another
 * thread's, or of what was not written. */
#include "checked.h"

#include <stdio.h>
#include <string.h>

enum { ELEMENT_TEXT = 256 };

static const struct amp__check_variable *variable_of(const struct amp__check_object *object)
{
    return object->variable;
}

/* "reads", "writes", "updates". */
static const char *verb(unsigned site)
{
    static const char *const verbs[] = {"reads", "writes", "updates"};
    return verbs[amp__running.kernel->sites[site].use];
}

/* An extent of an array. */
static long long extent_of(const struct amp__check_object *object, int d)
{
    return variable_of(object)->param >= 0 ? object->extent[d] : variable_of(object)->extent[d];
}

/* Writes "8" or "4x6": an object's extents. */
static const char *shape(const struct amp__check_object *object, char text[AMP__SHAPE_TEXT])
{
    int dim[AMP_MAX_RANK], rank = variable_of(object)->rank;
    for (int d = 0; d < rank; d++)
        dim[d] = (int)extent_of(object, d);
    return amp__shape_text(rank, dim, text);
}

/* Writes "x[8]" or "a[3][9]". */
static const char *element(const struct amp__check_object *object, int n, const long long *index,
                           char text[ELEMENT_TEXT])
{
    int at = snprintf(text, ELEMENT_TEXT, "%s", variable_of(object)->name);
    for (int d = 0; d < n && at < ELEMENT_TEXT; d++)
        at += snprintf(text + at, (size_t)(ELEMENT_TEXT - at), "[%lld]", index[d]);
    return text;
}

/* The same for an address. */
static const char *element_at(const struct amp__check_object *object, const unsigned char *address,
                              char text[ELEMENT_TEXT])
{
    const struct amp__check_variable *variable = variable_of(object);
    long long index[AMP_MAX_RANK], size = (long long)variable->element_bytes;
    long long offset = address - object->base, number = (offset - (offset < 0 ? size - 1 : 0)) / size;
    for (int d = variable->rank - 1; d > 0; d--) {
        long long extent = extent_of(object, d) > 0 ? extent_of(object, d) : 1, rest = number % extent;
        rest += rest < 0 ? extent : 0;
        index[d] = rest;
        number = (number - rest) / extent;
    }
    index[0] = number;
    if (variable->rank == 0 && offset != 0) {
        snprintf(text, ELEMENT_TEXT, "%s, byte %lld", variable->name, offset);
        return text;
    }
    return element(object, variable->rank, index, text);
}

/* ---- outside ---- */

static void report_outside(const struct amp__check_object *object, unsigned site, const char *element)
{
    char shape_text[AMP__SHAPE_TEXT];
    const char *name = variable_of(object)->name;
    if (variable_of(object)->rank > 0)
        amp__report(site, "outside", "%s %s, %s has %s; test the subscript before the access", verb(site), element,
                    name, shape(object, shape_text));
    else
        amp__report(site, "outside", "%s outside of %s, which has %llu bytes", verb(site), name, object->size_bytes);
}

_Noreturn void amp__check_outside(const struct amp__check_object *object, unsigned site, int n, long long i0,
                                  long long i1, long long i2)
{
    char text[ELEMENT_TEXT];
    long long index[] = {i0, i1, i2};
    report_outside(object, site, element(object, n, index, text));
    amp__check_leave();
}

_Noreturn void amp__check_outside_indices(const struct amp__check_object *object, unsigned site, int n,
                                          const long long *index)
{
    char text[ELEMENT_TEXT];
    report_outside(object, site, element(object, n, index, text));
    amp__check_leave();
}

_Noreturn void amp__check_outside_rows(const char *name, unsigned site, int n, const long long *index,
                                       const long long *extent)
{
    struct amp__check_variable variable = {.name = name, .param = -1};
    struct amp__check_object object = {.variable = &variable};
    char text[ELEMENT_TEXT], shape_text[AMP__SHAPE_TEXT];
    int dim[AMP_MAX_RANK];
    for (int d = 1; d < n; d++)
        dim[d - 1] = (int)extent[d];
    amp__report(site, "outside", "%s %s, %s has rows of %s; test the subscript before the access", verb(site),
                element(&object, n, index, text), name, amp__shape_text(n - 1, dim, shape_text));
    amp__check_leave();
}

_Noreturn void amp__check_outside_bytes(const struct amp__check_object *object, unsigned site,
                                        const unsigned char *address)
{
    char text[ELEMENT_TEXT];
    const unsigned char *end = object->base + object->size_bytes; /* where an access leaves that begins inside */
    report_outside(object, site, element_at(object, address >= object->base && address < end ? end : address, text));
    amp__check_leave();
}

_Noreturn void amp__check_outside_member(const struct amp__check_object *object, unsigned site,
                                         const unsigned char *address, long long index, long long extent)
{
    (void)address;
    amp__report(site, "outside",
                "%s element %lld of an array in an element of %s; that array has %lld; test the "
                "subscript before the access",
                verb(site), index, variable_of(object)->name, extent);
    amp__check_leave();
}

/* ---- constants ---- */

_Noreturn void amp__check_constant(const struct amp__check_object *object, unsigned site, const unsigned char *address)
{
    char text[ELEMENT_TEXT];
    const char *name = variable_of(object)->name;
    element_at(object, address, text);
    if (variable_of(object)->param >= 0)
        amp__report(site, "constant", "%s %s, but the elements of %s are const; declare %s without const", verb(site),
                    text, name, name);
    else
        amp__report(site, "constant", "%s %s, but %s is const; copy it into a local array", verb(site), text, name);
    amp__check_leave();
}

/* ---- races ---- */

int amp__check_is_own(amp__check_word word)
{
    const struct amp__check_now *now = amp__running.kernel->now;
    long long apart = (long long)(now->thread >> AMP__CHECK_STAMP_SHIFT) - (long long)(word >> AMP__CHECK_STAMP_SHIFT);
    return word >= now->tile && apart % amp__running.launch->n_threads_per_point == 0;
}

/* What mends a race. */
static const char *remedy(const struct amp__check_object *object, unsigned site, unsigned other, bool is_of_tile)
{
    const struct amp__check_site *sites = amp__running.kernel->sites;
    if (sites[site].use == AMP__CHECK_ATOMIC || sites[other].use == AMP__CHECK_ATOMIC)
        return "; use an atomic operation here, too";
    if (object->is_tile || is_of_tile)
        return ", and no barrier is between them; call amp_tile_barrier_wait";
    return "; use amp_atomic_fetch_add or a reduction, or give each thread an element of its own";
}

void amp__check_conflict(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                         amp__check_word word)
{
    const struct amp__check_now *now = amp__running.kernel->now;
    char text[ELEMENT_TEXT], thread[AMP__THREAD_TEXT] = "(?)";
    struct amp__place at;
    bool is_own = amp__check_is_own(word);
    if (is_own && !(word & AMP__CHECK_SEVERAL))
        return; /* a barrier that does not order this memory is between them */
    unsigned other = word & ((1 << AMP__CHECK_SITE_BITS) - 1);
    const struct amp__check_site *there = &amp__running.kernel->sites[other];
    static const char *const verbs[] = {"reads", "writes", "updates"};
    if (!is_own && amp__place_of((long long)(word >> AMP__CHECK_STAMP_SHIFT), &at))
        amp__thread_text(&at, thread);
    amp__report(site, "race", "%s %s, which %s%s %s in line %d%s", verb(site), element_at(object, address, text),
                is_own ? "another thread" : "thread ", is_own ? "" : thread, verbs[there->use], there->line,
                remedy(object, site, other, word >= now->tile));
}

/* ---- what was not written ---- */

void amp__check_undefined(const struct amp__check_object *object, unsigned site, const unsigned char *address)
{
    char text[ELEMENT_TEXT];
    amp__report(site, "undefined", "reads %s, which nothing has written", element_at(object, address, text));
}

/* ---- local variables ---- */

static struct amp__check_object object_for(const struct amp__check_variable *variable)
{
    return (struct amp__check_object){.variable = variable, .size_bytes = variable->size_bytes};
}

_Noreturn void amp__check_outside_local(const struct amp__check_variable *variable, unsigned site, int n, long long i0,
                                        long long i1, long long i2)
{
    struct amp__check_object object = object_for(variable);
    amp__check_outside(&object, site, n, i0, i1, i2);
}

_Noreturn void amp__check_outside_local_indices(const struct amp__check_variable *variable, unsigned site, int n,
                                                const long long *index)
{
    struct amp__check_object object = object_for(variable);
    amp__check_outside_indices(&object, site, n, index);
}

_Noreturn void amp__check_outside_local_member(const struct amp__check_variable *variable, unsigned site,
                                               long long index, long long extent)
{
    struct amp__check_object object = object_for(variable);
    amp__check_outside_member(&object, site, NULL, index, extent);
}

_Noreturn void amp__check_outside_local_bytes(const struct amp__check_variable *variable, unsigned site,
                                              long long offset)
{
    struct amp__check_object object = object_for(variable);
    amp__check_outside_bytes(&object, site, object.base + offset);
}

_Noreturn void amp__check_constant_local(const struct amp__check_variable *variable, unsigned site, long long offset)
{
    struct amp__check_object object = object_for(variable);
    amp__check_constant(&object, site, object.base + offset);
}

void amp__check_undefined_local(const struct amp__check_variable *variable, unsigned site, long long offset)
{
    struct amp__check_object object = object_for(variable);
    amp__check_undefined(&object, site, object.base + offset);
}
