/* SPDX-License-Identifier: MIT
 *
 * The device's memory: each allocation has the bytes, three words for each granule of them that say who accessed it,
 * and a byte for each byte that says whether it was written. All of it is mapped, so what is never touched takes no
 * memory. */
#include "checked.h"

#include <string.h>
#include <sys/mman.h>

struct memory {
    struct memory *next;
    unsigned char *bytes;
    size_t size_bytes;
    amp__check_word *written, *read, *updated;
    unsigned char *defined; /* NULL: all of it is */
    bool is_users;          /* `bytes` are */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct memory *all;

void amp__checked_renew(void)
{
    pthread_mutex_init(&lock, NULL);
}

void *amp__checked_map(size_t size_bytes)
{
    void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, size_bytes, MADV_HUGEPAGE); /* for speed alone, so it may fail */
    return memory;
}

void amp__checked_unmap(void *memory, size_t size_bytes)
{
    if (memory)
        munmap(memory, size_bytes);
}

static void free_memory(struct memory *m)
{
    size_t words_bytes = m->size_bytes * sizeof(amp__check_word);
    if (!m->is_users)
        amp__checked_unmap(m->bytes, m->size_bytes);
    amp__checked_unmap(m->written, words_bytes);
    amp__checked_unmap(m->read, words_bytes);
    amp__checked_unmap(m->updated, words_bytes);
    amp__checked_unmap(m->defined, m->size_bytes);
    amp__free(m);
}

amp_status amp__checked_alloc(void *device, size_t size_bytes, void **memory)
{
    (void)device;
    struct memory *m = amp__alloc(sizeof *m, _Alignof(struct memory));
    size_t words_bytes;
    bool fits = m && !__builtin_mul_overflow(size_bytes, sizeof(amp__check_word), &words_bytes);
    if (fits) {
        *m = (struct memory){.size_bytes = size_bytes ? size_bytes : 1,
                             .bytes = amp__checked_map(size_bytes),
                             .written = amp__checked_map(words_bytes),
                             .read = amp__checked_map(words_bytes),
                             .updated = amp__checked_map(words_bytes),
                             .defined = amp__checked_map(size_bytes)};
        fits = m->bytes && m->written && m->read && m->updated && m->defined;
        if (!fits)
            free_memory(m);
    } else if (m) {
        amp__free(m);
    }
    if (!fits)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "checked: no memory for %zu bytes", size_bytes);
    pthread_mutex_lock(&lock);
    m->next = all;
    all = m;
    pthread_mutex_unlock(&lock);
    *memory = m->bytes;
    return AMP_OK;
}

void amp__checked_free(void *device, void *memory)
{
    (void)device;
    pthread_mutex_lock(&lock);
    struct memory **link = &all;
    while ((*link)->bytes != memory)
        link = &(*link)->next;
    struct memory *old = *link;
    *link = old->next;
    pthread_mutex_unlock(&lock);
    free_memory(old);
}

void *amp__checked_address(void *device, struct amp__at at)
{
    (void)device;
    return (unsigned char *)at.memory + at.offset;
}

/* Returns the allocation that has an address, NULL if it is the user's own memory. Called with the lock held. */
static struct memory *find(const unsigned char *address)
{
    struct memory *m = all;
    while (m && (address < m->bytes || address >= m->bytes + m->size_bytes))
        m = m->next;
    return m;
}

/* Notes that bytes have contents. */
static void define(unsigned char *address, size_t size_bytes)
{
    pthread_mutex_lock(&lock);
    struct memory *m = find(address);
    if (m && m->defined && size_bytes == m->size_bytes) {
        amp__checked_unmap(m->defined, m->size_bytes);
        m->defined = NULL;
    } else if (m && m->defined) {
        memset(m->defined + (address - m->bytes), 1, size_bytes);
    }
    pthread_mutex_unlock(&lock);
}

amp_status amp__checked_copy_in(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes)
{
    (void)queue;
    unsigned char *address = amp__checked_address(device, to);
    memcpy(address, host, size_bytes);
    define(address, size_bytes);
    return AMP_OK;
}

amp_status amp__checked_copy_out(void *device, void *queue, void *host, struct amp__at from, size_t size_bytes)
{
    (void)queue;
    memcpy(host, amp__checked_address(device, from), size_bytes);
    return AMP_OK;
}

/* Returns where it is noted that bytes have contents, all of which may become undefined; NULL: that is not noted.
 * Called with the lock held. */
static unsigned char *open_defined(unsigned char *address)
{
    struct memory *m = find(address);
    if (m && !m->defined && !m->is_users && (m->defined = amp__checked_map(m->size_bytes)))
        memset(m->defined, 1, m->size_bytes);
    return m && m->defined ? m->defined + (address - m->bytes) : NULL;
}

void amp__checked_discard(void *device, struct amp__at at, size_t size_bytes)
{
    pthread_mutex_lock(&lock);
    unsigned char *defined = open_defined(amp__checked_address(device, at));
    if (defined)
        memset(defined, 0, size_bytes);
    pthread_mutex_unlock(&lock);
}

/* Bytes without contents do not differ. */
size_t amp__checked_compare(void *device, struct amp__at at, const void *host, size_t size_bytes)
{
    const unsigned char *address = amp__checked_address(device, at), *other = host;
    size_t i = 0;
    pthread_mutex_lock(&lock);
    const struct memory *m = find(address);
    const unsigned char *defined = m && m->defined ? m->defined + (address - m->bytes) : NULL;
    if (memcmp(address, other, size_bytes) == 0)
        i = size_bytes;
    while (i < size_bytes && (address[i] == other[i] || (defined && !defined[i])))
        i++;
    pthread_mutex_unlock(&lock);
    return i;
}

/* What has no contents at `from` has none at `to`. */
amp_status amp__checked_copy_across(void *device, void *queue, struct amp__at to, struct amp__at from,
                                    size_t size_bytes)
{
    unsigned char *source = amp__checked_address(device, from), *target = amp__checked_address(device, to);
    amp_status status = amp__checked_copy_in(device, queue, to, source, size_bytes);
    pthread_mutex_lock(&lock);
    struct memory *m = find(source);
    const unsigned char *of_source = m && m->defined ? m->defined + (source - m->bytes) : NULL;
    unsigned char *of_target = of_source ? open_defined(target) : NULL;
    if (of_target)
        memcpy(of_target, of_source, size_bytes);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- the user's memory ---- */

/* Finds an entry of the user's memory that overlaps. Called with the lock held. */
static struct memory *find_overlap(const unsigned char *base, size_t size_bytes)
{
    struct memory *m = all;
    while (m && !(m->is_users && base < m->bytes + m->size_bytes && m->bytes < base + size_bytes))
        m = m->next;
    return m;
}

static void remove_entry(struct memory *old)
{
    struct memory **link = &all;
    while (*link != old)
        link = &(*link)->next;
    *link = old->next;
    free_memory(old);
}

/* One entry has all that overlap: nothing was recorded in them yet. */
bool amp__checked_watch(unsigned char *base, size_t size_bytes)
{
    unsigned char *end = base + size_bytes;
    struct memory *m;
    bool has_memory = true;
    pthread_mutex_lock(&lock);
    m = find(base);
    if (size_bytes > 0 && (!m || m->is_users)) {
        while ((m = find_overlap(base, (size_t)(end - base)))) {
            base = m->bytes < base ? m->bytes : base;
            end = m->bytes + m->size_bytes > end ? m->bytes + m->size_bytes : end;
            remove_entry(m);
        }
        size_t bytes = (size_t)(end - base), words_bytes = bytes * sizeof(amp__check_word);
        m = amp__alloc(sizeof *m, _Alignof(struct memory));
        if (m) {
            *m = (struct memory){.next = all,
                                 .bytes = base,
                                 .size_bytes = bytes,
                                 .written = amp__checked_map(words_bytes),
                                 .read = amp__checked_map(words_bytes),
                                 .updated = amp__checked_map(words_bytes),
                                 .is_users = true};
            all = m;
        }
        has_memory = m && m->written && m->read && m->updated;
    }
    pthread_mutex_unlock(&lock);
    return has_memory;
}

void amp__checked_unwatch(void)
{
    pthread_mutex_lock(&lock);
    for (struct memory *m = all, *next; m; m = next) {
        next = m->next;
        if (m->is_users)
            remove_entry(m);
    }
    pthread_mutex_unlock(&lock);
}

void amp__checked_find(int granule_shift, struct amp__check_object *object)
{
    pthread_mutex_lock(&lock);
    const struct memory *m = find(object->base);
    object->written = object->read = object->updated = NULL;
    object->defined = NULL;
    if (m) {
        size_t offset = (size_t)(object->base - m->bytes);
        object->written = m->written + (offset >> granule_shift);
        object->read = m->read + (offset >> granule_shift);
        object->updated = m->updated + (offset >> granule_shift);
        object->defined = m->defined ? m->defined + offset : NULL;
    }
    pthread_mutex_unlock(&lock);
}
