/* SPDX-License-Identifier: MIT
 *
 * Views from files and to files: the host's copy as a whole, or under mpirun the box of each rank (local.c), by MPI. */
#include "../dry/dry.h"
#include "../ranks/ranks.h"
#include "all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

amp_status amp__file_fail(const struct amp__file *file, const char *why)
{
    return amp__fail(AMP_ERROR_FILE, "%s: \"%.400s\", %zu bytes from byte %lld on: %s", file->call, file->path,
                     amp__view_bytes(file->view), file->offset, why);
}

amp_status amp__file_check_size(const struct amp__file *file, long long size_bytes)
{
    char why[64];
    if (size_bytes - file->offset >= (long long)amp__view_bytes(file->view))
        return AMP_OK;
    snprintf(why, sizeof why, "the file has only %lld bytes", size_bytes);
    return amp__file_fail(file, why);
}

/* The part's elements as they lie in the file, from byte `*offset` on. */
static amp_array_view lay_out(const struct amp__file *file, const struct amp__piece *piece, long long *offset)
{
    amp_array_view in_file = amp__view_all(&piece->view);
    long long stride = 1;
    *offset = file->offset;
    for (int d = in_file.extent.rank - 1; d >= 0; d--) {
        in_file.stride[d] = (ptrdiff_t)stride;
        *offset += piece->origin.dim[d] * stride * (long long)in_file.element_size;
        stride *= file->view->extent.dim[d];
    }
    return in_file;
}

amp_status amp__file_move(const struct amp__file *file, const struct amp__piece *piece, char *first,
                          amp_status (*move)(const struct amp__file *file, long long offset, char *bytes, size_t size))
{
    long long offset;
    amp_array_view in_file = lay_out(file, piece, &offset);
    struct amp__runs there = amp__runs_begin(&in_file, &piece->view);
    struct amp__runs here = amp__runs_begin(&piece->view, &in_file);
    amp_status status;
    do
        status = move(file, offset + there.offset, first + here.offset, here.run_bytes);
    while (status == AMP_OK && amp__runs_next(&in_file, &there) && amp__runs_next(&piece->view, &here));
    return status;
}

/* ---- without ranks ---- */

static amp_status move_bytes(const struct amp__file *file, long long offset, char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        off_t to = (off_t)offset + (off_t)at;
        ssize_t n = file->writes ? pwrite(file->descriptor, bytes + at, size - at, to)
                                 : pread(file->descriptor, bytes + at, size - at, to);
        if (n < 0 && errno != EINTR)
            return amp__file_fail(file, strerror(errno));
        if (n == 0)
            return amp__file_check_size(file, (long long)to);
        at += n > 0 ? (size_t)n : 0;
    }
    return AMP_OK;
}

static amp_status move_view(const struct amp__file *file, char *first)
{
    const struct amp__piece all = {.origin = {.rank = file->view->extent.rank}, .view = amp__view_all(file->view)};
    return amp__file_move(file, &all, first, move_bytes);
}

static amp_status write_from_host(const struct amp__file *file)
{
    const void *first;
    amp_status status = amp__view_read(file->call, file->view, &first);
    return status == AMP_OK ? move_view(file, (char *)(uintptr_t)first) : status;
}

static amp_status read_to_host(const struct amp__file *file)
{
    struct stat about;
    struct amp__home *home = file->view->home;
    if (fstat(file->descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        amp_status status = amp__file_check_size(file, (long long)about.st_size);
        if (status != AMP_OK)
            return status;
    }
    amp_status status = amp__home_reserve(home, NULL, file->view);
    if (status != AMP_OK)
        return status;
    char *first = (char *)amp__home_memory(home, AMP__HOST) + file->view->offset_bytes;
    status = move_view(file, first);
    if (status == AMP_OK)
        return amp__home_own(home, AMP__HOST, file->view);
    amp__home_abandon(home, AMP__HOST, file->view);
    return status;
}

static amp_status move_on_host(struct amp__file *file)
{
    int flags = file->writes ? O_WRONLY | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC;
    file->descriptor = open(file->path, flags, 0666);
    if (file->descriptor < 0)
        return amp__file_fail(file, strerror(errno));
    amp_status status = (file->writes ? write_from_host : read_to_host)(file);
    bool is_closed = close(file->descriptor) == 0;
    return status != AMP_OK || is_closed || !file->writes ? status : amp__file_fail(file, strerror(errno));
}

/* ---- with ranks ---- */

static amp_status move_pieces(const struct amp__file *file, struct amp__pieces *pieces)
{
    amp_status status = file->writes ? amp__pieces_bring(file->call, file->view, pieces) : amp__pieces_reserve(pieces);
    if (amp__dry_ranks) {
        amp__dry_agree(file->call, AMP__FILE_AGREEMENTS);
        return status == AMP_OK && !file->writes ? amp__pieces_own(pieces) : status;
    }
    if (status != AMP_OK)
        return status;
    struct amp__piece *mine = amp__piece_of(pieces, amp__rank);
    status = amp__piece_map(mine, file->writes);
    if (status != AMP_OK)
        return status;
    status = amp__ranks_move_file(file, mine);
    amp_status ended = amp__piece_unmap(mine, status == AMP_OK && !file->writes);
    status = status == AMP_OK ? ended : status;
    return status == AMP_OK && !file->writes ? amp__pieces_own(pieces) : status;
}

static amp_status move_by_ranks(const struct amp__file *file)
{
    char where[512];
    struct amp__pieces *pieces = amp__pieces_new(file->view);
    if (!pieces)
        return AMP_ERROR_OUT_OF_MEMORY;
    snprintf(where, sizeof where, "%lld %s", file->offset, file->path);
    if (amp__n_ranks > 1)
        amp__history_call(file->call, file->view, where);
    amp_status status = move_pieces(file, pieces);
    amp__free(pieces);
    return status;
}

/* ---- the program's calls ---- */

static amp_status move(struct amp__file *file)
{
    bool by_ranks;
    amp_status status = amp__pieces_begin(&by_ranks);
    if (status == AMP_OK && by_ranks)
        status = move_by_ranks(file);
    if (status != AMP_OK || (by_ranks && !amp__dry_ranks))
        return status;
    bool was_paused = amp__dry_pause(by_ranks);
    int cancellation = amp__cancellation_hold();
    status = move_on_host(file);
    amp__cancellation_resume(cancellation);
    amp__dry_pause(was_paused);
    return status;
}

static amp_status check_and_move(struct amp__file *file)
{
    amp_status status = amp__object_check(file->view, AMP__ARRAY_VIEW, file->call);
    amp_access_type access = file->writes ? AMP_ACCESS_READ : AMP_ACCESS_WRITE;
    if (status == AMP_OK && !file->path)
        return amp__fail(AMP_ERROR_NULL, "%s: the path is NULL", file->call);
    if (status == AMP_OK && (file->offset < 0 || file->offset > INT64_MAX - (int64_t)amp__view_bytes(file->view)))
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: \"%.400s\", %zu bytes: the offset is %lld", file->call,
                         file->path, amp__view_bytes(file->view), file->offset);
    if (status == AMP_OK)
        status = amp__view_check_access(file->call, file->view, access);
    if (status == AMP_OK)
        status = amp__view_begin(file->call, file->view, access);
    if (status != AMP_OK)
        return status;
    AMP__EVENT(event, .kind = AMP__CALL, .name = file->call);
    return amp__event_end(&event, move(file));
}

amp_status amp_array_view_read(amp_array_view *view, const char *path, int64_t offset)
{
    return check_and_move(&(struct amp__file){"amp_array_view_read", view, path, offset, .writes = false});
}

amp_status amp_array_view_write(amp_array_view *view, const char *path, int64_t offset)
{
    return check_and_move(&(struct amp__file){"amp_array_view_write", view, path, offset, .writes = true});
}
