/* SPDX-License-Identifier: MIT
 *
 * What this rank has done: its last calls, of each what it was, and the data that all before have moved. From that
 * comes a number, the tag of each message that the rank sends, so receivers notice without a byte more that a sender
 * has done something else. Then the ranks show each other their calls, and find the first one in which they differ. */
#include "ranks.h"

#include <stdio.h>
#include <string.h>

enum { N_CALLS = 48, N_ARGUMENTS = 20 };

struct done {
    uint32_t number, what, trail; /* `trail`: of the data that were moved before */
    uint8_t arguments[N_ARGUMENTS];
};

static struct history {
    uint32_t number, trail;
    struct done calls[N_CALLS]; /* by their numbers */
} mine;
_Static_assert(sizeof mine == AMP__HISTORY_BYTES, "the size of a history");

/* For texts about calls of this rank. Kernels are unloaded by any thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char text[128];
    const struct amp__kernel *kernel;
} names[N_CALLS] = {{"its first launch", NULL}};

static const uint32_t END = 1, READ = 2, START = 2166136261u;

static uint32_t mix(uint32_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return hash;
}

void amp__trail_add(struct amp__trail *trail, int from, int to, size_t offset, const struct amp__rows *rows)
{
    static const uint32_t factor = 0x9E3779B1u;
    const long long values[] = {from, to, (long long)offset, (long long)rows->n, (long long)rows->bytes};
    uint64_t hash = START;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        hash = (hash ^ (uint64_t)values[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    trail->factor *= factor;
    trail->sum = trail->sum * factor + (uint32_t)hash;
}

void amp__history_move(const struct amp__trail *trail)
{
    mine.trail = mine.trail * trail->factor + trail->sum;
}

void amp__history_copy(int from, int to, size_t offset, const struct amp__rows *rows)
{
    struct amp__trail trail = {1, 0};
    amp__trail_add(&trail, from, to, offset, rows);
    amp__history_move(&trail);
}

static struct done *add(uint32_t what)
{
    struct done *call = &mine.calls[++mine.number % N_CALLS];
    *call = (struct done){.number = mine.number, .what = what, .trail = mine.trail};
    return call;
}

/* Sets what texts call the call that was added last. */
static void set_name(const char *name, const struct amp__kernel *kernel)
{
    int at = mine.number % N_CALLS;
    pthread_mutex_lock(&lock);
    if (!kernel)
        snprintf(names[at].text, sizeof names[at].text, "%s", name);
    else if (names[at].kernel != kernel)
        snprintf(names[at].text, sizeof names[at].text, "%s (%s:%d)", name, kernel->file, kernel->line);
    names[at].kernel = kernel;
    pthread_mutex_unlock(&lock);
}

/* Mixes the value of a parameter, of an array its shape. */
static uint32_t mix_argument(const struct amp__call *call, int param)
{
    const struct amp__param *p = &call->kernel->params[param];
    for (int i = 0; i < call->n_uses; i++)
        if (call->uses[i].param == p)
            return mix(START, call->uses[i].view->extent.dim,
                       (size_t)call->uses[i].view->extent.rank * sizeof *call->uses[i].view->extent.dim);
    return call->kernel->is_closure ? START : mix(START, call->block + p->offset, p->size_bytes);
}

void amp__history_launch(const struct amp__call *call, const struct amp__launch *launch)
{
    const struct amp__kernel *kernel = call->kernel;
    struct done *done = add(mix(mix(START, kernel->name, strlen(kernel->name)), launch->box, sizeof launch->box) | 4);
    for (int p = 0; p < kernel->n_params; p++) {
        uint32_t hash = mix_argument(call, p);
        mine.trail = mix(mine.trail, &hash, sizeof hash);
        done->arguments[p < N_ARGUMENTS ? p : N_ARGUMENTS - 1] ^= (uint8_t)(hash ^ hash >> 8 ^ hash >> 16 ^ hash >> 24);
    }
    mine.trail = mix(mine.trail, done, sizeof *done);
    set_name(kernel->name, kernel);
}

/* Adds what is no launch. */
static void add_named(uint32_t what, const char *name)
{
    struct done *done = add(what);
    mine.trail = mix(mine.trail, done, sizeof *done);
    set_name(name, NULL);
}

void amp__history_call(const char *name, const amp_array_view *view, const char *more)
{
    uint32_t what = mix(mix(START, name, strlen(name)), more, strlen(more));
    add_named(mix(what, view->extent.dim, (size_t)view->extent.rank * sizeof *view->extent.dim) | 4, name);
}

void amp__history_read(void)
{
    add_named(READ, "a copy to the host");
}

void amp__history_end(void)
{
    add_named(END, "the end of its program");
}

void amp__ranks_forget(const struct amp__kernel *kernel)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < N_CALLS; i++)
        names[i].kernel = names[i].kernel == kernel ? NULL : names[i].kernel;
    pthread_mutex_unlock(&lock);
}

int amp__history_tag(int greatest)
{
    return mine.calls[mine.number % N_CALLS].what == END
               ? AMP__END_TAG
               : AMP__END_TAG + 1 + (int)(mine.trail % (uint32_t)(greatest - AMP__END_TAG));
}

const void *amp__history(void)
{
    return &mine;
}

const char *amp__history_now(void)
{
    static char text[sizeof names[0].text + 32];
    snprintf(text, sizeof text, "call %u of all, %s", mine.number, names[mine.number % N_CALLS].text);
    return text;
}

static const char *describe(const struct done *ours, const struct done *theirs, int rank)
{
    static char text[512];
    const char *name = names[ours->number % N_CALLS].text;
    int p = 0;
    pthread_mutex_lock(&lock);
    const struct amp__kernel *kernel = names[ours->number % N_CALLS].kernel;
    while (p < N_ARGUMENTS && theirs->arguments[p] == ours->arguments[p])
        p++;
    if (theirs->what == END)
        snprintf(text, sizeof text, "rank %d has ended its program, while this rank is at call %u of all, %s", rank,
                 ours->number, name);
    else if (ours->what == END)
        snprintf(text, sizeof text,
                 "this rank has ended its program, while rank %d is at call %u of all or a later one", rank,
                 ours->number);
    else if (theirs->what != ours->what)
        snprintf(text, sizeof text,
                 "rank %d does something else at call %u of all than this rank, %s, or over another extent; all ranks "
                 "must make the same calls",
                 rank, ours->number, name);
    else if (p < N_ARGUMENTS && kernel)
        snprintf(text, sizeof text, "argument %s of %s is not the same on rank %d",
                 p < kernel->n_params ? kernel->params[p].name : "of a late parameter", name, rank);
    else
        snprintf(text, sizeof text, "rank %d has moved other data than this rank before call %u of all, %s", rank,
                 ours->number, name);
    pthread_mutex_unlock(&lock);
    return text;
}

const char *amp__history_compare(const void *other, int rank)
{
    struct history theirs;
    memcpy(&theirs, other, sizeof theirs);
    uint32_t last = mine.number < theirs.number ? mine.number : theirs.number;
    for (uint32_t number = last < N_CALLS ? 0 : last - N_CALLS + 1; number <= last; number++) {
        const struct done *ours = &mine.calls[number % N_CALLS], *their = &theirs.calls[number % N_CALLS];
        if (ours->number == number && their->number == number && memcmp(ours, their, sizeof *ours) != 0)
            return describe(ours, their, rank);
    }
    return NULL;
}
