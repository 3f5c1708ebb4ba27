/* SPDX-License-Identifier: MIT
 *
 * Reductions over all parts of a launch, as histograms and sums by atomic operations are. Each place works on a copy of
 * its own, in which a sum begins with 0; an operation that may see a number twice begins with the contents. Afterwards
 * the host's copy gets what the places have found, one after another. So integers are exact, and sums of floats are
 * rounded in another order than on one device. */
#include "all.h"

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

static amp_status copy_zeros(const struct piece *piece)
{
    const amp_accelerator *a = piece->on->accelerator;
    void *memory = amp__home_memory(piece->home, a->location);
    return a->backend->copy_in(a->device, piece->on->queue, (struct amp__at){memory, piece->offset}, piece->buffer,
                               piece->bytes);
}

static amp_status add_to_host(const struct piece *piece)
{
    const amp_accelerator *a = piece->on->accelerator;
    void *memory = amp__home_memory(piece->home, a->location);
    char *host = amp__home_memory(piece->home, AMP__HOST);
    amp_status status = a->backend->copy_out(a->device, piece->on->queue, piece->buffer,
                                             (struct amp__at){memory, piece->offset}, piece->bytes);
    if (status == AMP_OK)
        combine(piece->reduction, piece->element_size, host + piece->offset, piece->buffer,
                piece->bytes / piece->element_size);
    return status;
}

enum { MOST = 1 << 20 }; /* bytes of a piece */

size_t amp__private_copies(const amp_array_view *view)
{
    struct amp__runs runs = amp__runs_begin(view, view);
    return runs.n * ((runs.run_bytes + MOST - 1) / MOST);
}

/* Goes through a view in pieces. */
static amp_status for_pieces(const amp_array_view *view, amp_accelerator_view *on, int reduction,
                             amp_status (*work)(const struct piece *piece))
{
    enum { ALIGN = 64 };
    struct amp__runs runs = amp__runs_begin(view, view);
    size_t size_bytes = runs.run_bytes < MOST ? runs.run_bytes : MOST;
    struct piece piece = {view->home, on, 0, 0, view->element_size, reduction, amp__alloc(size_bytes, ALIGN)};
    if (!piece.buffer)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for a reduction (%zu bytes)", size_bytes);
    memset(piece.buffer, 0, size_bytes);
    amp_status status = AMP_OK;
    do
        for (size_t at = 0; at < runs.run_bytes && status == AMP_OK; at += piece.bytes) {
            piece.offset = view->offset_bytes + (size_t)runs.offset + at;
            piece.bytes = runs.run_bytes - at < MOST ? runs.run_bytes - at : MOST;
            status = work(&piece);
        }
    while (status == AMP_OK && amp__runs_next(view, &runs));
    amp__free(piece.buffer);
    return status;
}

amp_status amp__private_begin(const amp_array_view *view, amp_accelerator_view *on, int reduction)
{
    if (!begins_with_zero(reduction))
        return amp__home_read(view->home, on, view);
    amp_status status = amp__home_reserve(view->home, on, view);
    return status == AMP_OK ? for_pieces(view, on, reduction, copy_zeros) : status;
}

amp_status amp__private_end(const amp_array_view *view, amp_accelerator_view *on, int reduction)
{
    return for_pieces(view, on, reduction, add_to_host);
}
