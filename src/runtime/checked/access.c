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

static const struct amp__check_site *site_of(unsigned site)
{
    return &amp__running.kernel->sites[site];
}

/* "reads", "writes", "updates". */
static const char *verb(unsigned site)
{
    static const char *const verbs[] = {"reads", "writes", "updates"};
    return verbs[site_of(site)->use];
}

/* ---- what is accessed ---- */

static struct amp__finding finding_of(const char *kind, const struct amp__check_object *object)
{
    const struct amp__check_variable *variable = variable_of(object);
    struct amp__finding finding = {.kind = kind, .variable = variable->name, .n_extents = variable->rank};
    for (int d = 0; d < variable->rank; d++)
        finding.extents[d] = variable->param >= 0 ? object->extent[d] : variable->extent[d];
    return finding;
}

static void set_subscripts(struct amp__finding *finding, int n, const long long *index)
{
    finding->n_subscripts = n;
    memcpy(finding->subscripts, index, (size_t)n * sizeof *index);
}

/* Writes "8" or "4x6": extents from the dimension `first` on. */
static const char *shape(const struct amp__finding *finding, int first, char text[AMP__SHAPE_TEXT])
{
    int dim[AMP_MAX_RANK];
    for (int d = first; d < finding->n_extents; d++)
        dim[d - first] = (int)finding->extents[d];
    return amp__shape_text(finding->n_extents - first, dim, text);
}

/* Writes "x[8]" or "a[3][9]". */
static const char *element(const struct amp__finding *finding, char text[ELEMENT_TEXT])
{
    int at = snprintf(text, ELEMENT_TEXT, "%s", finding->variable);
    for (int d = 0; d < finding->n_subscripts && at < ELEMENT_TEXT; d++)
        at += snprintf(text + at, (size_t)(ELEMENT_TEXT - at), "[%lld]", finding->subscripts[d]);
    return text;
}

/* Sets the subscripts of the element at an address, and writes it. */
static const char *element_at(struct amp__finding *finding, const struct amp__check_object *object,
                              const unsigned char *address, char text[ELEMENT_TEXT])
{
    const struct amp__check_variable *variable = variable_of(object);
    long long index[AMP_MAX_RANK] = {0}, pitch[AMP_MAX_RANK], size = (long long)variable->element_bytes;
    long long offset = address - object->base, number = (offset - (offset < 0 ? size - 1 : 0)) / size;
    amp__object_pitches(object, pitch);
    for (int d = 0; d < variable->rank; d++) {
        long long step = pitch[d] > 0 ? pitch[d] : 1, rest = number % step;
        rest += rest < 0 ? step : 0;
        index[d] = (number - rest) / step;
        number = rest;
    }
    set_subscripts(finding, variable->rank, index);
    element(finding, text);
    if (variable->rank == 0 && offset != 0)
        snprintf(text, ELEMENT_TEXT, "%s, byte %lld", variable->name, offset);
    return text;
}

/* ---- outside ---- */

static const char test_subscript[] = "test the subscript before the access";

static void report_outside(const struct amp__check_object *object, unsigned site, struct amp__finding *finding)
{
    char text[ELEMENT_TEXT], shape_text[AMP__SHAPE_TEXT];
    finding->remedy = test_subscript;
    if (variable_of(object)->rank > 0)
        amp__report(site_of(site), finding, "%s %s, %s has %s", verb(site), element(finding, text), finding->variable,
                    shape(finding, 0, shape_text));
    else
        amp__report(site_of(site), finding, "%s outside of %s, which has %llu bytes", verb(site), finding->variable,
                    object->size_bytes);
}

_Noreturn void amp__check_outside_indices(const struct amp__check_object *object, unsigned site, int n,
                                          const long long *index)
{
    struct amp__finding finding = finding_of("outside", object);
    set_subscripts(&finding, n, index);
    report_outside(object, site, &finding);
    amp__check_leave();
}

_Noreturn void amp__check_outside(const struct amp__check_object *object, unsigned site, int n, long long i0,
                                  long long i1, long long i2)
{
    amp__check_outside_indices(object, site, n, (long long[]){i0, i1, i2});
}

_Noreturn void amp__check_outside_view(const struct amp__check_object *object, unsigned site, int n,
                                       const long long *index, const long long *extent)
{
    struct amp__finding finding = finding_of("outside", object);
    char text[ELEMENT_TEXT], shape_text[AMP__SHAPE_TEXT];
    if (n == finding.n_extents && !memcmp(finding.extents, extent, (size_t)n * sizeof *extent))
        amp__check_outside_indices(object, site, n, index);
    finding.remedy = test_subscript;
    set_subscripts(&finding, n, index);
    finding.n_extents = n;
    memcpy(finding.extents, extent, (size_t)n * sizeof *extent);
    amp__report(site_of(site), &finding, "%s %s of a part of %s that has %s", verb(site),
                element(&finding, text) + strlen(finding.variable), finding.variable, shape(&finding, 0, shape_text));
    amp__check_leave();
}

_Noreturn void amp__check_outside_rows(const char *name, unsigned site, int n, const long long *index,
                                       const long long *extent)
{
    struct amp__finding finding = {
        .kind = "outside", .remedy = test_subscript, .variable = name, .n_extents = n, .extents = {AMP__UNKNOWN}};
    char text[ELEMENT_TEXT], shape_text[AMP__SHAPE_TEXT];
    set_subscripts(&finding, n, index);
    for (int d = 1; d < n; d++)
        finding.extents[d] = extent[d];
    amp__report(site_of(site), &finding, "%s %s, %s has rows of %s", verb(site), element(&finding, text), name,
                shape(&finding, 1, shape_text));
    amp__check_leave();
}

_Noreturn void amp__check_outside_bytes(const struct amp__check_object *object, unsigned site,
                                        const unsigned char *address)
{
    char text[ELEMENT_TEXT];
    const unsigned char *end = object->base + object->size_bytes; /* where an access leaves that begins inside */
    struct amp__finding finding = finding_of("outside", object);
    element_at(&finding, object, address >= object->base && address < end ? end : address, text);
    report_outside(object, site, &finding);
    amp__check_leave();
}

_Noreturn void amp__check_outside_member(const struct amp__check_object *object, unsigned site,
                                         const unsigned char *address, long long index, long long extent)
{
    (void)address;
    struct amp__finding finding = {.kind = "outside",
                                   .remedy = test_subscript,
                                   .variable = variable_of(object)->name,
                                   .n_subscripts = 1,
                                   .subscripts = {index},
                                   .n_extents = 1,
                                   .extents = {extent}};
    amp__report(site_of(site), &finding, "%s element %lld of an array in an element of %s; that array has %lld",
                verb(site), index, finding.variable, extent);
    amp__check_leave();
}

/* ---- constants ---- */

_Noreturn void amp__check_constant(const struct amp__check_object *object, unsigned site, const unsigned char *address)
{
    char text[ELEMENT_TEXT];
    struct amp__finding finding = finding_of("constant", object);
    bool is_array = variable_of(object)->param >= 0;
    finding.remedy = is_array ? "declare the parameter without const" : "copy it into a local array";
    element_at(&finding, object, address, text);
    amp__report(site_of(site), &finding, "%s %s, but %s%s %s const", verb(site), text,
                is_array ? "the elements of " : "", finding.variable, is_array ? "are" : "is");
    amp__check_leave();
}

/* ---- races ---- */

int amp__check_is_own(amp__check_word word)
{
    const struct amp__check_now *now = amp__running.kernel->now;
    long long apart = (long long)(now->thread >> AMP__CHECK_STAMP_SHIFT) - (long long)(word >> AMP__CHECK_STAMP_SHIFT);
    return word >= now->tile && apart % amp__running.launch->n_threads_per_point == 0;
}

#define BOTH_UPDATE "both threads update it: use "

/* What mends a race between two statements that update an element, by what they do. */
static const char *const atomic_for[] = {
    [AMP__CHECK_ADD] = BOTH_UPDATE "amp_atomic_fetch_add or a reduction",
    [AMP__CHECK_SUB] = BOTH_UPDATE "amp_atomic_fetch_sub or a reduction",
    [AMP__CHECK_AND] = BOTH_UPDATE "amp_atomic_fetch_and or a reduction",
    [AMP__CHECK_OR] = BOTH_UPDATE "amp_atomic_fetch_or or a reduction",
    [AMP__CHECK_XOR] = BOTH_UPDATE "amp_atomic_fetch_xor or a reduction",
    [AMP__CHECK_MIN] = BOTH_UPDATE "amp_atomic_fetch_min or a reduction",
    [AMP__CHECK_MAX] = BOTH_UPDATE "amp_atomic_fetch_max or a reduction",
    [AMP__CHECK_COMPARE] = BOTH_UPDATE "amp_atomic_compare_exchange",
    [AMP__CHECK_OTHER_UPDATE] = BOTH_UPDATE "an atomic operation, such as amp_atomic_fetch_min, amp_atomic_fetch_max "
                                            "or amp_atomic_compare_exchange, or a reduction",
    [AMP__CHECK_NARROW] = BOTH_UPDATE "elements of 32 bits and an atomic operation, or a reduction",
};

/* What mends one between an atomic operation and a plain access, of which `site` is the second. */
static const char *remedy_with_atomic(const struct amp__check_site *site, bool lacks_barrier)
{
    if (lacks_barrier)
        return "call amp_tile_barrier_wait, or use atomic operations in both lines";
    if (site->use == AMP__CHECK_ATOMIC)
        return "use an atomic operation there, too";
    return site->use == AMP__CHECK_WRITE || site->update
               ? "use an atomic operation here, too"
               : "use an atomic operation here, too, such as amp_atomic_fetch_add of 0, or read it in a later launch";
}

/* What mends a race between `site` and an access before it. */
static const char *remedy_of_race(const struct amp__check_site *site, const struct amp__check_site *other,
                                  bool lacks_barrier)
{
    bool both_write = site->use == AMP__CHECK_WRITE && other->use == AMP__CHECK_WRITE;
    if (site->update && other->update)
        return atomic_for[site->update];
    if (site->use == AMP__CHECK_ATOMIC || other->use == AMP__CHECK_ATOMIC)
        return remedy_with_atomic(site, lacks_barrier);
    if (lacks_barrier)
        return both_write && site == other ? "let one thread write it, or call amp_tile_barrier_wait between the writes"
                                           : "call amp_tile_barrier_wait";
    if (both_write)
        return "let one thread write it, use amp_atomic_exchange, or give each thread an element of its own";
    const struct amp__check_site *read = site->use == AMP__CHECK_READ ? site : other;
    return read < (read == site ? other : site) ? "write to another array, and swap the two after the launch"
                                                : "read it in a later launch";
}

void amp__check_conflict(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                         amp__check_word word)
{
    const struct amp__check_now *now = amp__running.kernel->now;
    char text[ELEMENT_TEXT];
    struct amp__place at;
    bool is_own = amp__check_is_own(word);
    if (is_own && !(word & AMP__CHECK_SEVERAL))
        return; /* a barrier that does not order this memory is between them */
    if (amp__is_observed(object, word))
        return;
    unsigned other = word & ((1 << AMP__CHECK_SITE_BITS) - 1);
    bool lacks_barrier = object->is_tile || word >= now->tile;
    struct amp__finding finding = finding_of("race", object);
    finding.remedy = remedy_of_race(site_of(site), site_of(other), lacks_barrier);
    finding.other_line = site_of(other)->line;
    if (!is_own && amp__place_of((long long)(word >> AMP__CHECK_STAMP_SHIFT), &at))
        amp__thread_text(&at, finding.other_thread);
    element_at(&finding, object, address, text);
    bool is_known = *finding.other_thread;
    amp__report(site_of(site), &finding, "%s %s, which %s%s %s in line %d%s", verb(site), text,
                is_known ? "thread " : "another thread", finding.other_thread, verb(other), finding.other_line,
                lacks_barrier ? ", and no barrier is between them" : "");
}

/* ---- what was not written ---- */

static const char *remedy_of_undefined(const struct amp__check_object *object, char text[ELEMENT_TEXT])
{
    const struct amp__check_variable *variable = variable_of(object);
    if (variable->param >= 0)
        return "copy or write it before the launch";
    if (object->is_tile)
        return "write it first; if another thread of the tile writes it, wait with amp_tile_barrier_wait before";
    if (variable->rank == 0 || !amp__running.launch->kernel->tile)
        return "write it first";
    snprintf(text, ELEMENT_TEXT, "write it first (each thread has its own '%s'; tile_static is shared)",
             variable->name);
    return text;
}

void amp__check_undefined(const struct amp__check_object *object, unsigned site, const unsigned char *address)
{
    char text[ELEMENT_TEXT], remedy[ELEMENT_TEXT];
    struct amp__finding finding = finding_of("undefined", object);
    finding.remedy = remedy_of_undefined(object, remedy);
    amp__report(site_of(site), &finding, "reads %s, which nothing has written",
                element_at(&finding, object, address, text));
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

/* ---- the host ---- */

void amp__report_host(const struct amp__reporter *host, const struct amp__host_mistake *mistake)
{
    char text[ELEMENT_TEXT];
    struct amp__check_site site = {
        .file = mistake->file, .function = mistake->function, .line = mistake->line, .column = mistake->column};
    struct amp__finding finding = {.kind = "host",
                                   .host = host,
                                   .remedy = mistake->remedy,
                                   .variable = mistake->variable,
                                   .n_subscripts = mistake->index.rank,
                                   .n_extents = mistake->extent.rank,
                                   .other_line = mistake->other_line};
    for (int d = 0; d < mistake->index.rank; d++) {
        finding.subscripts[d] = mistake->index.dim[d];
        finding.extents[d] = mistake->extent.dim[d];
    }
    amp__report(&site, &finding, "%s%s%s", mistake->before, element(&finding, text), mistake->after);
}
