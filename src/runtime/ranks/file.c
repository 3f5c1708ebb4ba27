/* SPDX-License-Identifier: MIT
 *
 * Files that all ranks read or write together, each its box. MPI waits for all ranks when it opens and closes a file,
 * so before each step they agree that all have come, and on how the last one has ended. */
#include "../all/all.h"
#include "ranks.h"

#include <stdio.h>

static amp_status move_bytes(const struct amp__file *file, long long offset, char *bytes, size_t size)
{
    size_t moved = 0;
    char why[96];
    const char *failure = amp__ranks_hold()->file_move(file->writes, offset, bytes, size, &moved);
    amp__ranks_resume();
    if (!failure && moved < size) {
        snprintf(why, sizeof why, "%zu bytes from byte %lld on were to be moved, and %zu were", size, offset, moved);
        failure = why;
    }
    return failure ? amp__file_fail(file, failure) : AMP_OK;
}

static amp_status close_file(const struct amp__file *file)
{
    const char *failure = amp__ranks_hold()->file_close();
    amp__ranks_resume();
    return failure ? amp__file_fail(file, failure) : AMP_OK;
}

static amp_status open_file(const struct amp__file *file, long long *size_bytes)
{
    const char *failure = amp__ranks_hold()->file_open(file->path, file->writes, size_bytes);
    amp__ranks_resume();
    return failure ? amp__file_fail(file, failure) : AMP_OK;
}

amp_status amp__ranks_move_file(const struct amp__file *file, const struct amp__piece *mine)
{
    long long size_bytes = 0;
    amp_status status = amp__ranks_settle(AMP_OK);
    if (status == AMP_OK)
        status = amp__ranks_settle(open_file(file, &size_bytes));
    if (status != AMP_OK)
        return status;
    status = amp__ranks_settle(file->writes ? AMP_OK : amp__file_check_size(file, size_bytes));
    if (status != AMP_OK) {
        close_file(file);
        return status;
    }
    if (mine)
        status = amp__file_move(file, mine, mine->first, move_bytes);
    amp_status closed = close_file(file);
    return amp__ranks_settle(status == AMP_OK ? closed : status);
}
