/* SPDX-License-Identifier: MIT
 *
 * The checks of kernels compiled with --amp-check, as far as they are made for every access. The build compiles this
 * file to bitcode; ampcc links it into the code with checks, where most is inlined. What happens rarely is a call of
 * libamp. src/abi/checked.h explains the words. */
#include "../abi/checked.h"

/* Defined by each object. */
extern struct amp__check_now amp__check_now;
extern const int amp__check_shift;

#define RARELY(condition) __builtin_expect(!!(condition), 0)

/* ---- bounds ---- */

static inline __attribute__((always_inline)) int is_outside(long long index, long long extent)
{
    return RARELY((unsigned long long)index >= (unsigned long long)extent);
}

/* Check all subscripts of an array, with its extents `e0` and so on, or for three subscripts the object's. */
void amp__check_index1(const struct amp__check_object *object, unsigned site, long long i0, long long e0)
{
    if (is_outside(i0, e0))
        amp__check_outside(object, site, 1, i0, 0, 0);
}

void amp__check_index2(const struct amp__check_object *object, unsigned site, long long i0, long long i1, long long e0,
                       long long e1)
{
    if (is_outside(i0, e0) || is_outside(i1, e1))
        amp__check_outside(object, site, 2, i0, i1, 0);
}

void amp__check_index3(const struct amp__check_object *object, unsigned site, long long i0, long long i1, long long i2)
{
    const long long *extent = object->extent;
    if (is_outside(i0, extent[0]) || is_outside(i1, extent[1]) || is_outside(i2, extent[2]))
        amp__check_outside(object, site, 3, i0, i1, i2);
}

/* The same for more dimensions. */
void amp__check_indices(const struct amp__check_object *object, unsigned site, int n, const long long *index)
{
    int outside = 0;
    for (int d = 0; d < n; d++)
        outside |= is_outside(index[d], object->extent[d]);
    if (RARELY(outside))
        amp__check_outside_indices(object, site, n, index);
}

/* Checks the subscripts of a pointer to rows, except the first: what the pointer points to has no bounds of its own. */
void amp__check_rows(const char *name, unsigned site, int n, const long long *index, const long long *extent)
{
    int outside = 0;
    for (int d = 1; d < n; d++)
        outside |= is_outside(index[d], extent[d]);
    if (RARELY(outside))
        amp__check_outside_rows(name, site, n, index, extent);
}

/* Check the subscripts of a view with extents of its own. */
void amp__check_view(const struct amp__check_object *object, unsigned site, int n, const long long *index,
                     const long long *extent)
{
    int outside = 0;
    for (int d = 0; d < n; d++)
        outside |= is_outside(index[d], extent[d]);
    if (RARELY(outside))
        amp__check_outside_view(object, site, n, index, extent);
}

void amp__check_view1(const struct amp__check_object *object, unsigned site, long long i0, long long e0)
{
    if (is_outside(i0, e0))
        amp__check_outside_view(object, site, 1, &i0, &e0);
}

void amp__check_view2(const struct amp__check_object *object, unsigned site, long long i0, long long i1, long long e0,
                      long long e1)
{
    if (is_outside(i0, e0) || is_outside(i1, e1))
        amp__check_outside_view(object, site, 2, (long long[]){i0, i1}, (long long[]){e0, e1});
}

/* Checks the subscript of an array within an element. */
void amp__check_member(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                       long long index, long long extent)
{
    if (is_outside(index, extent))
        amp__check_outside_member(object, site, address, index, extent);
}

/* Checks an address, if nothing is known about subscripts. */
void amp__check_address(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                        unsigned long long size_bytes)
{
    unsigned long long offset = (unsigned long long)address - (unsigned long long)object->base;
    if (RARELY(offset > object->size_bytes - size_bytes) | RARELY(object->size_bytes < size_bytes))
        amp__check_outside_bytes(object, site, address);
}

void amp__check_writable(const struct amp__check_object *object, unsigned site, const unsigned char *address)
{
    if (RARELY(object->is_constant))
        amp__check_constant(object, site, address);
}

/* ---- races ---- */

/* Which of the stamps in `amp__check_now` an object has: it is an array or a tile_static variable. */
enum memory { ARRAYS, TILE };

static inline __attribute__((always_inline)) int conflicts(enum memory memory, amp__check_word other)
{
    const struct amp__check_now *now = &amp__check_now;
    amp__check_word since = now->since[memory], launch = now->launch[memory];
    if (memory == TILE)
        return other - since < now->thread - since; /* `launch` is `tile` */
    return (other - since < now->thread - since) | (other - launch < now->tile - launch);
}

/* Notes that a second thread reads or updates. A barrier that does not order this memory leaves the thread's own
 * accesses in doubt. */
static inline __attribute__((always_inline)) void note_second(amp__check_word *word, amp__check_word old,
                                                              amp__check_word since)
{
    if (since == amp__check_now.round || !amp__check_is_own(old))
        *word = old | AMP__CHECK_SEVERAL;
}

/* Notes a read or an update in its word. Keeps the first thread if it is of another tile, or of this one since the last
 * barrier: a later access conflicts with it if it conflicts with any. */
static inline __attribute__((always_inline)) void note_first(enum memory memory, amp__check_word *word, unsigned site)
{
    const struct amp__check_now *now = &amp__check_now;
    amp__check_word old = *word, since = now->since[memory];
    int is_before = old < now->launch[memory] || old - now->tile < since - now->tile;
    if (memory == TILE)
        is_before = old < since; /* `launch` is `tile` */
    if (is_before)
        *word = now->thread | site;
    else if (old - since < now->thread - since && !(old & AMP__CHECK_SEVERAL))
        note_second(word, old, since);
}

static inline __attribute__((always_inline)) unsigned long long granule_of(const struct amp__check_object *object,
                                                                           const unsigned char *address)
{
    return ((unsigned long long)address - (unsigned long long)object->base) >> amp__check_shift;
}

/* The number of granules after the first that an access touches. */
static inline __attribute__((always_inline)) unsigned long long more_granules(unsigned long long size_bytes)
{
    return (size_bytes - 1) >> amp__check_shift;
}

/* The accesses with which one is compared. */
enum { WRITES = 1, READS = 2, UPDATES = 4 };

static inline __attribute__((always_inline)) void check_granule(const struct amp__check_object *object, unsigned site,
                                                                const unsigned char *address, unsigned long long g,
                                                                enum memory memory, int others)
{
    amp__check_word written = object->written[g], read = others & READS ? object->read[g] : 0,
                    updated = others & UPDATES ? object->updated[g] : 0;
    if (RARELY(conflicts(memory, written)))
        amp__check_conflict(object, site, address, written);
    if (others & READS && RARELY(conflicts(memory, read)))
        amp__check_conflict(object, site, address, read);
    if (others & UPDATES && RARELY(conflicts(memory, updated)))
        amp__check_conflict(object, site, address, updated);
}

static inline __attribute__((always_inline)) void check_read(const struct amp__check_object *object, unsigned site,
                                                             const unsigned char *address,
                                                             unsigned long long size_bytes, enum memory memory,
                                                             int others)
{
    unsigned long long first = granule_of(object, address), last = first + more_granules(size_bytes);
    for (unsigned long long g = first; size_bytes > 0 && g <= last; g++) {
        check_granule(object, site, address, g, memory, others);
        note_first(memory, &object->read[g], site);
    }
}

static inline __attribute__((always_inline)) void check_write(const struct amp__check_object *object, unsigned site,
                                                              const unsigned char *address,
                                                              unsigned long long size_bytes, enum memory memory,
                                                              int others)
{
    unsigned long long first = granule_of(object, address), last = first + more_granules(size_bytes);
    for (unsigned long long g = first; size_bytes > 0 && g <= last; g++) {
        check_granule(object, site, address, g, memory, others);
        object->written[g] = amp__check_now.thread | site;
    }
}

static inline __attribute__((always_inline)) enum memory memory_of(const struct amp__check_object *object)
{
    return object->is_tile ? TILE : ARRAYS;
}

/* Check and record an access to an object of either kind. */
void amp__check_read(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                     unsigned long long size_bytes)
{
    if (object->written)
        check_read(object, site, address, size_bytes, memory_of(object), WRITES | UPDATES);
}

void amp__check_write(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                      unsigned long long size_bytes)
{
    if (object->written)
        check_write(object, site, address, size_bytes, memory_of(object), WRITES | READS | UPDATES);
}

/* An atomic operation races with all but atomic operations. */
void amp__check_update(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                       unsigned long long size_bytes)
{
    unsigned long long first = granule_of(object, address), last = first + more_granules(size_bytes);
    for (unsigned long long g = first; object->written && g <= last; g++) {
        check_granule(object, site, address, g, memory_of(object), WRITES | READS);
        note_first(memory_of(object), &object->updated[g], site);
    }
}

/* The same for an array whose parameter is const: others can write it only through another parameter. */
static __attribute__((noinline)) void check_read_apart(const struct amp__check_object *object, unsigned site,
                                                       const unsigned char *address, unsigned long long size_bytes)
{
    check_read(object, site, address, size_bytes, ARRAYS, WRITES | UPDATES);
}

void amp__check_read_constant(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                              unsigned long long size_bytes)
{
    if (RARELY(object->written))
        check_read_apart(object, site, address, size_bytes);
}

/* The same where the kernel has no atomic operation on the memory: for arrays, */
void amp__check_read_array(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                           unsigned long long size_bytes)
{
    if (object->written)
        check_read(object, site, address, size_bytes, ARRAYS, WRITES);
}

void amp__check_write_array(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                            unsigned long long size_bytes)
{
    if (object->written)
        check_write(object, site, address, size_bytes, ARRAYS, WRITES | READS);
}

/* for tile_static variables, */
void amp__check_read_tile(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                          unsigned long long size_bytes)
{
    check_read(object, site, address, size_bytes, TILE, WRITES);
}

void amp__check_write_tile(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                           unsigned long long size_bytes)
{
    check_write(object, site, address, size_bytes, TILE, WRITES | READS);
}

/* and for those of which no reads are recorded. */
void amp__check_write_unread(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                             unsigned long long size_bytes)
{
    check_write(object, site, address, size_bytes, TILE, WRITES);
}

/* ---- what was written ---- */

/* Whether any of the bytes was written. */
static inline __attribute__((always_inline)) int is_any_defined(const unsigned char *defined,
                                                                unsigned long long size_bytes)
{
    unsigned long long word = 0;
    unsigned char any = 0;
    if (size_bytes <= sizeof word) {
        __builtin_memcpy(&word, defined, size_bytes);
        return word != 0;
    }
    for (unsigned long long i = 0; i < size_bytes; i++)
        any |= defined[i];
    return any;
}

/* Parts of an object that is copied as a whole may be undefined. */
void amp__check_defined(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                        unsigned long long size_bytes)
{
    if (!RARELY(object->defined))
        return;
    if (RARELY(!is_any_defined(object->defined + (address - object->base), size_bytes)))
        amp__check_undefined(object, site, address);
}

void amp__check_define(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                       unsigned long long size_bytes)
{
    (void)site;
    if (object->defined)
        __builtin_memset(object->defined + (address - object->base), 1, size_bytes);
}

/* Where it is noted whether an object's byte was written; NULL: all were. */
unsigned char *amp__check_find_defined(const struct amp__check_object *object, const unsigned char *address)
{
    return object->defined ? object->defined + (address - object->base) : 0;
}

/* The same for what is copied to, perhaps from what was not written. */
unsigned char *amp__check_open_defined(const struct amp__check_object *object, const unsigned char *address)
{
    if (object->is_tile && !object->defined)
        amp__check_note_defined(object);
    return amp__check_find_defined(object, address);
}

void amp__check_copy_defined(unsigned char *to, const unsigned char *from, unsigned long long size_bytes)
{
    if (to && from)
        __builtin_memmove(to, from, size_bytes);
    else if (to)
        __builtin_memset(to, 1, size_bytes);
}

/* ---- local variables ---- */

/* Reports a variable without a value, where it is read as a whole. */
void amp__check_flag(int is_written, unsigned site, const struct amp__check_variable *variable)
{
    if (RARELY(!is_written))
        amp__check_undefined_local(variable, site, 0);
}

void amp__check_local_index1(const struct amp__check_variable *variable, unsigned site, long long i0)
{
    if (is_outside(i0, variable->extent[0]))
        amp__check_outside_local(variable, site, 1, i0, 0, 0);
}

void amp__check_local_index2(const struct amp__check_variable *variable, unsigned site, long long i0, long long i1)
{
    if (is_outside(i0, variable->extent[0]) | is_outside(i1, variable->extent[1]))
        amp__check_outside_local(variable, site, 2, i0, i1, 0);
}

void amp__check_local_index3(const struct amp__check_variable *variable, unsigned site, long long i0, long long i1,
                             long long i2)
{
    const int *extent = variable->extent;
    if (is_outside(i0, extent[0]) | is_outside(i1, extent[1]) | is_outside(i2, extent[2]))
        amp__check_outside_local(variable, site, 3, i0, i1, i2);
}

void amp__check_local_indices(const struct amp__check_variable *variable, unsigned site, int n, const long long *index)
{
    int outside = 0;
    for (int d = 0; d < n; d++)
        outside |= is_outside(index[d], variable->extent[d]);
    if (RARELY(outside))
        amp__check_outside_local_indices(variable, site, n, index);
}

void amp__check_local_member(const struct amp__check_variable *variable, unsigned site, long long index,
                             long long extent)
{
    if (is_outside(index, extent))
        amp__check_outside_local_member(variable, site, index, extent);
}

void amp__check_local_address(const struct amp__check_variable *variable, unsigned site, long long offset,
                              unsigned long long bytes, unsigned long long size_bytes)
{
    if (RARELY(bytes > size_bytes) || RARELY((unsigned long long)offset > size_bytes - bytes))
        amp__check_outside_local_bytes(variable, site, offset);
}

void amp__check_local_defined(const struct amp__check_variable *variable, unsigned site, const unsigned char *defined,
                              unsigned long long size_bytes, long long offset)
{
    if (RARELY(!is_any_defined(defined, size_bytes)))
        amp__check_undefined_local(variable, site, offset);
}

void amp__check_local_define(unsigned char *defined, unsigned long long size_bytes)
{
    __builtin_memset(defined, 1, size_bytes);
}

/* Reports a write to a constant table. */
void amp__check_local_constant(const struct amp__check_variable *variable, unsigned site, long long offset)
{
    amp__check_constant_local(variable, site, offset);
}

/* ---- barriers ---- */

/* The compiler makes these: one lets the thread wait and returns 0 when it goes on, the other ends the function. */
unsigned char amp__check_suspend(void);
_Noreturn void amp__check_end(void);

/* Waits at a barrier, after which arrays (1), tile_static variables (2) or both (3) are ordered. */
void amp__check_barrier(unsigned site, int orders)
{
    amp__check_now.waits = site << 2 | (unsigned)orders;
    if (amp__check_suspend())
        amp__check_end();
}

/* Lets the threads of a tile run to the next barrier, each by a call of `resume`. */
void amp__check_resume(struct amp__check_tile *tile, void (*resume)(void *frame))
{
    struct amp__check_now *now = &amp__check_now;
    const struct amp__check_tile all = *tile; /* here LLVM sees that no thread changes it */
    amp__check_word thread = now->round + ((amp__check_word)all.next << AMP__CHECK_STAMP_SHIFT);
    unsigned char *frame = all.frames + all.frame_bytes * (unsigned long long)all.next;
    for (int i = all.next; i < all.n; i++) {
        if (all.waits[i] != AMP__CHECK_ENDED) {
            now->thread = thread;
            resume(frame);
            all.waits[i] = now->waits;
        }
        thread += 1 << AMP__CHECK_STAMP_SHIFT;
        frame += all.frame_bytes;
    }
    tile->next = all.n;
}

/* Notes where the thread leaves the kernel. */
void amp__check_returns(unsigned site)
{
    amp__check_now.waits = site << 2;
}

/* ---- loops ---- */

enum { TURNS = 1 << 20 }; /* of a function's loops, between two looks at the clock */

void amp__check_begin_turns(int *turns)
{
    *turns = TURNS;
}

void amp__check_turn(int *turns, unsigned site)
{
    if (RARELY(--*turns < 0)) {
        amp__check_time(site);
        *turns = TURNS;
    }
}
