/* SPDX-License-Identifier: MIT
 *
 * Reductions over all parts of a launch, as histograms and sums by atomic operations are. Each place works on a copy of
 * its own, in which a sum begins with 0; an operation that may see a number twice begins with the contents. Afterwards
 * the host's copy gets what the places have found, one after another, though that of ranks travels at the same time. So
 * integers are exact, and sums of floats are rounded in another order than on one device. */
#include "all.h"

#include <stdlib.h>
#include <string.h>

/* Combines all numbers at `from` with those at `to`. */
#define COMBINE(type, expression)                                                                                      \
    do {                                                                                                               \
        type *a = to;                                                                                                  \
        const type *b = from;                                                                                          \
        for (size_t i = 0; i < n; i++)                                                                                 \
            a[i] = (type)(expression);                                                                                 \
    } while (0)
#define LEAST    (b[i] < a[i] ? b[i] : a[i])
#define GREATEST (b[i] > a[i] ? b[i] : a[i])
#define DEFINE_INTEGERS(bits)                                                                                          \
    static bool combine_##bits(int reduction, void *to, const void *from, size_t n)                                    \
    {                                                                                                                  \
        switch (reduction) {                                                                                           \
        case AMP__REDUCES_ADD: COMBINE(uint##bits##_t, a[i] + b[i]); return true;                                      \
        case AMP__REDUCES_AND: COMBINE(uint##bits##_t, a[i] & b[i]); return true;                                      \
        case AMP__REDUCES_OR: COMBINE(uint##bits##_t, a[i] | b[i]); return true;                                       \
        case AMP__REDUCES_XOR: COMBINE(uint##bits##_t, a[i] ^ b[i]); return true;                                      \
        case AMP__REDUCES_MIN: COMBINE(int##bits##_t, LEAST); return true;                                             \
        case AMP__REDUCES_MAX: COMBINE(int##bits##_t, GREATEST); return true;                                          \
        case AMP__REDUCES_UMIN: COMBINE(uint##bits##_t, LEAST); return true;                                           \
        case AMP__REDUCES_UMAX: COMBINE(uint##bits##_t, GREATEST); return true;                                        \
        default: return false;                                                                                         \
        }                                                                                                              \
    }
#define DEFINE_FLOATS(type)                                                                                            \
    static bool combine_##type(int reduction, void *to, const void *from, size_t n)                                    \
    {                                                                                                                  \
        switch (reduction) {                                                                                           \
        case AMP__REDUCES_FADD: COMBINE(type, a[i] + b[i]); return true;                                               \
        case AMP__REDUCES_FMIN: COMBINE(type, b[i] < a[i] || a[i] != a[i] ? b[i] : a[i]); return true;                 \
        case AMP__REDUCES_FMAX: COMBINE(type, b[i] > a[i] || a[i] != a[i] ? b[i] : a[i]); return true;                 \
        default: return false;                                                                                         \
        }                                                                                                              \
    }
DEFINE_INTEGERS(32)
DEFINE_INTEGERS(64)
DEFINE_FLOATS(float)
DEFINE_FLOATS(double)

static bool combine(int reduction, size_t element_size, void *to, const void *from, size_t n)
{
    bool is_float = reduction == AMP__REDUCES_FADD || reduction == AMP__REDUCES_FMIN || reduction == AMP__REDUCES_FMAX;
    switch (element_size) {
    case 4:
        return (is_float ? combine_float : combine_32)(reduction, to, from, n);
    case 8:
        return (is_float ? combine_double : combine_64)(reduction, to, from, n);
    default:
        return false;
    }
}

bool amp__reduction_is_known(int reduction, size_t element_size)
{
    return combine(reduction, element_size, NULL, NULL, 0);
}

static bool begins_with_zero(int reduction)
{
    return reduction == AMP__REDUCES_ADD || reduction == AMP__REDUCES_FADD || reduction == AMP__REDUCES_XOR;
}

/* What is copied at once. */
struct piece {
    struct amp__home *home;
    amp_accelerator_view *on;
    size_t offset, bytes, element_size;
    int reduction;
    void *buffer;
};

enum { MOST = 1 << 20, MOST_AT_ONCE = 16 << 20, ALIGN = 64 }; /* bytes of a piece, and of pieces that wait together */

size_t amp__private_copies(const amp_array_view *view)
{
    struct amp__runs runs = amp__runs_begin(view, view);
    return runs.n * ((runs.run_bytes + MOST - 1) / MOST);
}

static amp_status fail_memory(size_t size_bytes)
{
    return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for a reduction (%zu bytes)", size_bytes);
}

static struct amp__at place_of(const struct piece *piece)
{
    return (struct amp__at){amp__home_memory(piece->home, piece->on->accelerator->location), piece->offset};
}

/* Goes through a view in pieces, which have `buffer`. */
static amp_status for_pieces(const amp_array_view *view, amp_accelerator_view *on, int reduction, void *buffer,
                             amp_status (*work)(const struct piece *piece, struct amp__found *found),
                             struct amp__found *found)
{
    struct amp__runs runs = amp__runs_begin(view, view);
    struct piece piece = {view->home, on, 0, 0, view->element_size, reduction, buffer};
    amp_status status = AMP_OK;
    do
        for (size_t at = 0; at < runs.run_bytes && status == AMP_OK; at += piece.bytes) {
            piece.offset = view->offset_bytes + (size_t)runs.offset + at;
            piece.bytes = runs.run_bytes - at < MOST ? runs.run_bytes - at : MOST;
            status = work(&piece, found);
        }
    while (status == AMP_OK && amp__runs_next(view, &runs));
    return status;
}

/* ---- before the launch ---- */

static amp_status copy_zeros(const struct piece *piece, struct amp__found *found)
{
    (void)found;
    const amp_accelerator *a = piece->on->accelerator;
    return a->backend->copy_in(a->device, piece->on->queue, place_of(piece), piece->buffer, piece->bytes);
}

amp_status amp__private_begin(const amp_array_view *view, amp_accelerator_view *on, int reduction)
{
    if (!begins_with_zero(reduction))
        return amp__home_read(view->home, on, view);
    amp_status status = amp__home_reserve(view->home, on, view);
    size_t run_bytes = amp__runs_begin(view, view).run_bytes, size_bytes = run_bytes < MOST ? run_bytes : MOST;
    void *zeros = status == AMP_OK ? amp__alloc(size_bytes, ALIGN) : NULL;
    if (status == AMP_OK && !zeros)
        status = fail_memory(size_bytes);
    if (status == AMP_OK) {
        memset(zeros, 0, size_bytes);
        status = for_pieces(view, on, reduction, zeros, copy_zeros, NULL);
    }
    amp__free(zeros);
    return status;
}

/* ---- after it ---- */

static amp_status add_to_list(struct amp__found *found, const struct piece *piece)
{
    if (found->n == found->room) {
        size_t wanted = found->room ? 2 * found->room : 16;
        struct piece *more = realloc(found->of, wanted * sizeof *more);
        if (!more)
            return fail_memory(wanted * sizeof *more);
        found->of = more;
        found->room = wanted;
    }
    found->of[found->n++] = *piece;
    found->bytes += piece->bytes;
    return AMP_OK;
}

static amp_status fetch(const struct piece *piece, struct amp__found *found)
{
    const amp_accelerator *a = piece->on->accelerator;
    const struct amp__rows row = {.offset = piece->offset, .bytes = piece->bytes, .n = 1};
    struct piece own = *piece;
    own.buffer = amp__alloc(own.bytes, ALIGN);
    amp_status status = own.buffer ? add_to_list(found, &own) : fail_memory(own.bytes);
    if (status != AMP_OK) {
        amp__free(own.buffer);
        return status;
    }
    if (a->backend->begin_copy_out) {
        found->begun = a;
        status = a->backend->begin_copy_out(a->device, own.buffer, place_of(piece), &row);
    } else
        status = a->backend->copy_out(a->device, own.on->queue, own.buffer, place_of(piece), own.bytes);
    return status == AMP_OK && found->bytes >= MOST_AT_ONCE ? amp__found_combine(found, status) : status;
}

amp_status amp__private_end(const amp_array_view *view, amp_accelerator_view *on, int reduction,
                            struct amp__found *found)
{
    return for_pieces(view, on, reduction, NULL, fetch, found);
}

amp_status amp__found_combine(struct amp__found *found, amp_status status)
{
    amp_status ended = found->begun ? found->begun->backend->end_copies_out(found->begun->device) : AMP_OK;
    status = status == AMP_OK ? ended : status;
    for (const struct piece *piece = found->of; piece < found->of + found->n; piece++) {
        char *host = amp__home_memory(piece->home, AMP__HOST);
        if (status == AMP_OK)
            combine(piece->reduction, piece->element_size, host + piece->offset, piece->buffer,
                    piece->bytes / piece->element_size);
        amp__free(piece->buffer);
    }
    free(found->of);
    *found = (struct amp__found){0};
    return status;
}
