/* SPDX-License-Identifier: MIT
 *
 * Files that the environment names. A file that cannot be written is reported on standard error, because nobody asks
 * for the status, and the program goes on.
 *
 * JSON is written with printf: that takes only the function below, and libamp should need no library but C's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../abi/json.h"
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const struct amp__output *output, const char *why)
{
    amp__log("%s: cannot write %s: %s", output->variable, *output->name ? output->name : "to standard error", why);
    return false;
}

/* Sets the file's name. Returns false if it is too long. */
static bool set_name(struct amp__output *output, const char *name)
{
    size_t n = 0;
    output->is_per_process = false;
    while (*name && n < sizeof output->name - 1)
        if (name[0] == '%' && name[1] == 'p') {
            n += (size_t)snprintf(output->name + n, sizeof output->name - n, "%d", (int)getpid());
            output->is_per_process = true;
            name += 2;
        } else {
            output->name[n++] = *name++;
        }
    output->name[n < sizeof output->name ? n : sizeof output->name - 1] = 0;
    return n < sizeof output->name - 1;
}

/* Opens a file. If a standard stream is closed, its number stays free: what is written to it is not for the file. */
static int open_apart(const char *name)
{
    int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || file > STDERR_FILENO)
        return file;
    int apart = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
    close(file);
    errno = error;
    return apart;
}

bool amp__output_open(struct amp__output *output, const char *variable, const char *name)
{
    output->variable = variable;
    output->descriptor = -1;
    if (!set_name(output, name))
        return fail(output, strerror(ENAMETOOLONG));
    if (amp__fork_generation() > 0 && !output->is_per_process)
        return false;
    int cancellation = amp__cancellation_hold(), error = 0;
    int file = open_apart(output->name);
    struct stat status;
    bool is_regular = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    if (file < 0)
        error = errno;
    else if (is_regular && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        error = EWOULDBLOCK;
    else if (is_regular && ftruncate(file, 0) != 0)
        error = errno;
    if (error && file >= 0)
        close(file);
    amp__cancellation_resume(cancellation);
    if (error)
        return fail(output, error == EWOULDBLOCK
                                ? "it is being written already; %p in the name stands for the process's number"
                                : strerror(error));
    output->descriptor = file;
    return true;
}

bool amp__output_write(struct amp__output *output, const char *text, size_t size_bytes)
{
    int cancellation = amp__cancellation_hold(), file = *output->name ? output->descriptor : STDERR_FILENO, error = 0;
    while (size_bytes > 0 && !error) {
        ssize_t n = write(file, text, size_bytes);
        if (n >= 0) {
            text += n;
            size_bytes -= (size_t)n;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    amp__cancellation_resume(cancellation);
    if (!error)
        return true;
    amp__output_close(output);
    return fail(output, strerror(error));
}

void amp__output_close(struct amp__output *output)
{
    int cancellation = amp__cancellation_hold();
    if (*output->name && output->descriptor >= 0)
        close(output->descriptor);
    output->descriptor = -1;
    amp__cancellation_resume(cancellation);
}

/* ---- JSON ---- */

char *amp__json_text(const char *text, char *json, size_t size)
{
    size_t used = 0;
    for (char escaped[JSON_CHARACTER]; *text;) {
        text += json_character(text, escaped);
        size_t length = strlen(escaped);
        if (used + length >= size)
            break;
        memcpy(json + used, escaped, length);
        used += length;
    }
    json[used] = 0;
    return json;
}
