/* SPDX-License-Identifier: MIT
 *
 * What this rank computes on: a GPU of its machine, or the processor, where it works as a place does (all/place.c).
 * The ranks of a machine take its GPUs in turn, or the accelerators that AMP_PLACES lists. Data of a GPU passes through
 * messages in memory that it reaches without a copy: pinned memory of the host, or its own if MPI reaches that. */
#include "../all/all.h"
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

struct amp__own amp__own;

/* ---- which one ---- */

/* The number of this process among those of its machine; or among all, if nothing tells the former. */
static int number_on_machine(void)
{
    const char *open_mpi = getenv("OMPI_COMM_WORLD_LOCAL_RANK"), *mpich = getenv("MPI_LOCALRANKID");
    const char *slurm = getenv("SLURM_LOCALID"), *pmi = getenv("PMI_RANK"), *pmix = getenv("PMIX_RANK");
    const char *text = open_mpi ? open_mpi : mpich ? mpich : slurm ? slurm : pmi ? pmi : pmix;
    return text ? abs(atoi(text)) : 0;
}

/* Whether ranks can compute on it: it is the processor, or can take part in messages. */
static bool is_possible(const amp_accelerator *a)
{
    return a->backend == &amp__cpu_backend || a->backend->pack;
}

/* Whether ranks compute on it if AMP_PLACES does not say on what. */
static bool is_usual(const amp_accelerator *a)
{
    return a->backend->pack && (!a->backend->has_code || amp__kernels_suit(a->backend->has_code, a->device, true));
}

static amp_status list_named(const char *text, struct amp__places *list)
{
    bool is_right = amp__places_list(list, text);
    for (int i = 0; i < list->n; i++)
        is_right = is_right && is_possible(list->at[i]);
    return is_right ? AMP_OK
                    : amp__fail(AMP_ERROR_NO_ACCELERATOR,
                                "all: AMP_PLACES is \"%.80s\"; under mpirun it must list the accelerators that the "
                                "ranks of a machine take in turn, such as \"cuda:0,cuda:1\" or \"cpu\"",
                                text);
}

static void list_usual(struct amp__places *list)
{
    const amp_accelerator *a;
    for (int i = 0; (a = amp__accelerator_opened(i)); i++)
        if (is_usual(a))
            list->at[list->n++] = (amp_accelerator *)a;
    for (int i = 0; list->n == 0 && (a = amp__accelerator_opened(i)); i++)
        if (a->backend == &amp__cpu_backend)
            list->at[list->n++] = (amp_accelerator *)a;
}

amp_status amp__own_find(void)
{
    const char *text = getenv("AMP_PLACES");
    static struct amp__places list;
    amp_status status = AMP_OK;
    list.n = 0;
    if (text && *text)
        status = list_named(text, &list);
    else
        list_usual(&list);
    if (status != AMP_OK)
        return status;
    const amp_accelerator *a = list.at[number_on_machine() % list.n];
    amp__own = (struct amp__own){a, a->backend, a->device};
    if (a->backend == &amp__cpu_backend)
        amp__own = (struct amp__own){a, &amp__place_backend, (void *)(uintptr_t)a->properties.path};
    return AMP_OK;
}

/* ---- messages ---- */

static bool is_gpu(void)
{
    return amp__own.backend->pack;
}

bool amp__own_is_host(void)
{
    return !is_gpu();
}

/* Whether messages lie in the GPU's memory. */
static bool are_on_gpu(void)
{
    static int answer = -1;
    if (answer < 0)
        answer = amp__ranks_reach(amp__own.backend->name);
    return answer;
}

void *amp__own_message_new(size_t size_bytes)
{
    void *message;
    if (!is_gpu())
        return malloc(size_bytes);
    amp_status status = amp__own.backend->message_alloc(amp__own.device, are_on_gpu(), size_bytes, &message);
    return status == AMP_OK ? message : NULL;
}

void amp__own_message_free(void *message)
{
    if (!is_gpu())
        free(message);
    else if (message)
        amp__own.backend->message_free(amp__own.device, are_on_gpu(), message);
}

/* Copies rows. Columns are often of single numbers, for which calls of memcpy would take the most time. */
static void copy_rows(char *to, size_t to_stride, const char *from, size_t from_stride, const struct amp__rows *rows)
{
    if (rows->bytes == 4)
        for (size_t i = 0; i < rows->n; i++)
            memcpy(to + i * to_stride, from + i * from_stride, 4);
    else if (rows->bytes == 8)
        for (size_t i = 0; i < rows->n; i++)
            memcpy(to + i * to_stride, from + i * from_stride, 8);
    else
        for (size_t i = 0; i < rows->n; i++)
            memcpy(to + i * to_stride, from + i * from_stride, rows->bytes);
}

void amp__rows_pack(void *message, const void *from, const struct amp__rows *rows)
{
    copy_rows(message, rows->bytes, from, rows->stride, rows);
}

void amp__rows_unpack(void *to, const void *message, const struct amp__rows *rows)
{
    copy_rows(to, rows->stride, message, rows->bytes, rows);
}

amp_status amp__own_pack(void *message, struct amp__at from, const struct amp__rows *rows)
{
    if (is_gpu())
        return amp__own.backend->pack(amp__own.device, NULL, message, from, rows);
    amp__rows_pack(message, (char *)from.memory + from.offset, rows);
    return AMP_OK;
}

amp_status amp__own_commit(void *memory, size_t begin, size_t end, size_t n_used)
{
    return amp__own.backend->commit ? amp__own.backend->commit(amp__own.device, memory, begin, end, n_used) : AMP_OK;
}

amp_status amp__own_commit_rows(struct amp__at at, const struct amp__rows *rows)
{
    return amp__own_commit(at.memory, at.offset, at.offset + amp__rows_span(rows), amp__rows_bytes(rows));
}

amp_status amp__own_unpack(struct amp__at to, const void *message, const struct amp__rows *rows)
{
    if (is_gpu())
        return amp__own.backend->unpack(amp__own.device, NULL, to, message, rows);
    amp_status status = amp__own_commit_rows(to, rows);
    if (status == AMP_OK)
        amp__rows_unpack((char *)to.memory + to.offset, message, rows);
    return status;
}

amp_status amp__own_wait(void)
{
    return amp__own.backend->wait ? amp__own.backend->wait(amp__own.device, NULL) : AMP_OK;
}

/* ---- copies ---- */

amp_status amp__own_copy_in(struct amp__at to, const void *host, const struct amp__rows *rows)
{
    amp_status status = amp__own_commit_rows(to, rows);
    if (status == AMP_OK && rows->n > 1 && amp__own.backend->copy_rows_in)
        return amp__own.backend->copy_rows_in(amp__own.device, NULL, to, host, rows);
    for (size_t i = 0; i < rows->n && status == AMP_OK; i++, to.offset += rows->stride)
        status =
            amp__own.backend->copy_in(amp__own.device, NULL, to, (const char *)host + i * rows->stride, rows->bytes);
    return status;
}

static amp_status copy_out(void *host, struct amp__at from, const struct amp__rows *rows)
{
    amp_status status = AMP_OK;
    if (rows->n > 1 && amp__own.backend->copy_rows_out)
        return amp__own.backend->copy_rows_out(amp__own.device, NULL, host, from, rows);
    for (size_t i = 0; i < rows->n && status == AMP_OK; i++, from.offset += rows->stride)
        status = amp__own.backend->copy_out(amp__own.device, NULL, (char *)host + i * rows->stride, from, rows->bytes);
    return status;
}

/* The driver's copies to ordinary memory leave rows as far apart as they are. */
amp_status amp__own_fetch(void *bytes, struct amp__at from, const struct amp__rows *rows)
{
    if (!is_gpu())
        return amp__own_pack(bytes, from, rows);
    char *there = rows->n > 1 ? malloc(amp__rows_span(rows)) : bytes;
    if (!there)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for rows (%zu bytes)", amp__rows_span(rows));
    amp_status status = copy_out(there, from, rows);
    if (rows->n > 1) {
        amp__rows_pack(bytes, there, rows);
        free(there);
    }
    return status;
}

/* ---- the host's access ---- */

/* The rows of a view: calls `copy` with each group, its memory on the GPU and on the host, where the view begins at
 * `first`. */
static amp_status copy_view(const amp_array_view *view, struct amp__at at, char *first, bool is_in)
{
    const struct amp__grid *grid = &view->home->grid;
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__groups groups;
    amp_status status = AMP_OK;
    amp__cover_begin(&cover, grid, view, SIZE_MAX);
    while (status == AMP_OK && (box = amp__cover_next(&cover))) {
        amp__groups_begin(&groups, grid, box);
        do {
            char *host = first + (groups.rows.offset - view->offset_bytes);
            at.offset = groups.rows.offset;
            status = is_in ? amp__own_copy_in(at, host, &groups.rows) : copy_out(host, at, &groups.rows);
        } while (status == AMP_OK && amp__groups_next(&groups, grid));
    }
    return status;
}

enum { ALIGN = 4096 };

static size_t skip_of(const amp_array_view *view)
{
    return view->offset_bytes % ALIGN;
}

static amp_status make_copy(const amp_array_view *view, void *memory, bool reads, void **first)
{
    size_t skip = skip_of(view), end = skip + amp__view_span(view);
    void *copy;
    amp_status status = amp__place_backend.alloc((void *)(uintptr_t)"cpu", end, &copy);
    if (status != AMP_OK)
        return status;
    *first = (char *)copy + skip;
    status = amp__place_commit(copy, skip, end, amp__view_bytes(view));
    if (status == AMP_OK && reads)
        status = copy_view(view, (struct amp__at){memory, 0}, *first, false);
    return status;
}

amp_status amp__own_map(const amp_array_view *view, void *memory, bool reads, void **first)
{
    if (is_gpu())
        return make_copy(view, memory, reads, first);
    *first = (char *)memory + view->offset_bytes;
    size_t begin = view->offset_bytes;
    return amp__own_commit(memory, begin, begin + amp__view_span(view), amp__view_bytes(view));
}

amp_status amp__own_unmap(const amp_array_view *view, void *memory, void *first, bool writes)
{
    if (!is_gpu())
        return AMP_OK;
    amp_status status = writes ? copy_view(view, (struct amp__at){memory, 0}, first, true) : AMP_OK;
    amp__place_backend.free(NULL, (char *)first - skip_of(view));
    return status;
}
