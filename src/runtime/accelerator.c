/* SPDX-License-Identifier: MIT
 *
 * The accelerators of the machine, found when they are first asked for, and which of them is the default. */
#include "backend.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_ready;
static int n_accelerators, n_listed; /* programs can number the first `n_listed`, and name all */
static amp_accelerator accelerators[AMP__MAX_ACCELERATORS];
static amp_accelerator *at[AMP__MAX_LOCATIONS];
static atomic_int n_locations = AMP__HOST + 1; /* views are made while another thread lists the accelerators */
static _Atomic(amp_accelerator *) fixed_default;
static char missing[2048]; /* what was looked for and cannot be used; one line for each */

/* Records the error that a backend has reported, if any. */
static void note_missing(const struct amp__error *error)
{
    size_t length = strlen(missing);
    if (error->status != AMP_OK)
        snprintf(missing + length, sizeof missing - length, "%s%s", length ? "\n" : "", error->text);
}

/* Describes device number `i` of a backend, or records why it is left out; then there is one accelerator fewer. */
static bool open_accelerator(const struct amp__backend *backend, int i, amp_accelerator *a)
{
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error);
    bool is_usable = backend->open(i, &a->device, &a->properties) == AMP_OK;
    amp__error_swap(&error);
    if (!is_usable)
        note_missing(&error);
    return is_usable;
}

static int count_devices(const struct amp__backend *backend)
{
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error);
    int n = backend->count();
    amp__error_swap(&error);
    note_missing(&error);
    return n;
}

/* Whether every kernel of the program can run there. */
static bool has_all_code(const amp_accelerator *a)
{
    return !a->backend->has_code || amp__kernels_suit(a->backend->has_code, a->device, false);
}

amp_accelerator *amp__accelerator_opened(int i)
{
    return i < n_accelerators ? &accelerators[i] : NULL;
}

static void enumerate(void)
{
    n_accelerators = 0;
    missing[0] = 0;
    n_locations = AMP__HOST + 1;
    for (const struct amp__backend *const *b = amp__backends; *b; b++) {
        int n = count_devices(*b);
        for (int i = 0; i < n && n_accelerators < AMP__MAX_ACCELERATORS; i++) {
            amp_accelerator *a = &accelerators[n_accelerators];
            *a = (amp_accelerator){.backend = *b};
            amp__object_init(&a->object, AMP__ACCELERATOR);
            if (!open_accelerator(*b, i, a))
                continue;
            amp__accelerator_view_init(&a->view, a, NULL, AMP_QUEUING_MODE_AUTOMATIC);
            if ((*b)->alloc)
                amp__location_add(a);
            n_accelerators++;
        }
    }
    for (n_listed = n_accelerators; n_listed > 0; n_listed--) {
        const amp_accelerator *a = &accelerators[n_listed - 1];
        if (!a->backend->is_unlisted && (!a->backend->finds_mistakes || has_all_code(a)))
            break;
    }
}

static void make_ready(void)
{
    if (atomic_load_explicit(&is_ready, memory_order_acquire))
        return;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&is_ready)) {
        int cancellation = amp__cancellation_hold(); /* drivers are loaded */
        amp__registry_expect_end();
        enumerate();
        amp__cancellation_resume(cancellation);
        atomic_store_explicit(&is_ready, true, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
}

void amp__accelerators_renew(void)
{
    pthread_mutex_init(&lock, NULL);
}

void amp__test_restart(void)
{
    amp__queue_end_all();
    amp__watch_restart();
    atomic_store(&is_ready, false);
    atomic_store(&fixed_default, NULL);
    amp__log_restart();
}

int amp_accelerator_count(void)
{
    make_ready();
    return n_listed;
}

const char *amp_accelerator_missing(void)
{
    make_ready();
    return missing;
}

amp_accelerator *amp_accelerator_get(int i)
{
    make_ready();
    if (i >= 0 && i < n_listed)
        return &accelerators[i];
    amp__fail(AMP_ERROR_OUT_OF_RANGE, "amp_accelerator_get: there is no accelerator %d; there are 0 to %d", i,
              n_listed - 1);
    return NULL;
}

/* C++ AMP calls the processor "simd", because its "cpu" runs no kernels. */
static amp_accelerator *by_path(const char *path)
{
    make_ready();
    path = strcmp(path, "simd") ? path : "cpu";
    for (int i = 0; i < n_accelerators; i++)
        if (!strcmp(accelerators[i].properties.path, path))
            return &accelerators[i];
    return NULL;
}

typedef amp_status report(amp_status status, const char *format, ...);

/* Names that accelerators have elsewhere, and what they are called here. */
static const struct {
    const char *name, *path, *hint;
} other_names[] = {
    {"gpu", "cuda:0", "; a GPU is \"cuda:0\""},
    {"cuda", "cuda:0", "; a GPU is \"cuda:0\""},
    {"nvidia", "cuda:0", "; a GPU is \"cuda:0\""},
    {"host", "cpu", "; the processor is \"cpu\""},
};

/* Reports that `path` is not an accelerator. `before`: how the sentence begins. */
static void report_unknown(report *report, const char *before, const char *path)
{
    const char *hint = "", *meant = path;
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (!strcasecmp(path, other_names[i].name)) {
            hint = other_names[i].hint;
            meant = other_names[i].path;
        }
    char list[512] = "";
    size_t length = 0;
    for (int i = 0; i < n_accelerators && length < sizeof list; i++)
        length +=
            (size_t)snprintf(list + length, sizeof list - length, i ? ", %s" : "%s", accelerators[i].properties.path);
    /* Why it is missing, if it was looked for. */
    char reasons[512] = "";
    for (const char *line = missing; *line;) {
        size_t n = strcspn(line, "\n"), used = strlen(reasons);
        if (!strncmp(meant, line, strcspn(line, ":")))
            snprintf(reasons + used, sizeof reasons - used, "; %.*s", (int)n, line);
        line += n + (line[n] != 0);
    }
    report(AMP_ERROR_NO_ACCELERATOR, "%s \"%s\"%s; there are: %s%s", before, path, hint, list, reasons);
}

/* Whether every launch that names no accelerator can run there. */
static bool suits_as_default(const amp_accelerator *a)
{
    return !a->properties.is_emulated && has_all_code(a);
}

amp_accelerator *amp_accelerator_default(void)
{
    amp_accelerator *fixed = atomic_load_explicit(&fixed_default, memory_order_acquire);
    if (fixed)
        return fixed;
    const char *path = getenv("AMP_DEFAULT_ACCELERATOR");
    if (amp__dry_begin() != AMP_OK)
        return NULL;
    if (amp__dry_ranks && !(path && *path))
        path = "all";
    if (path && *path && strcmp(path, "default")) {
        amp_accelerator *named = by_path(path);
        if (!named)
            report_unknown(amp__fail, "AMP_DEFAULT_ACCELERATOR: there is no accelerator", path);
        return named;
    }
    make_ready();
    for (int i = 0; i < n_accelerators; i++)
        if (suits_as_default(&accelerators[i]))
            return &accelerators[i];
    amp__fail(AMP_ERROR_NO_ACCELERATOR, "there is no accelerator that computes");
    return NULL;
}

amp_accelerator *amp__accelerator_use_default(void)
{
    amp_accelerator *fixed = atomic_load_explicit(&fixed_default, memory_order_acquire);
    if (fixed)
        return fixed;
    amp_accelerator *chosen = amp_accelerator_default();
    if (chosen && !atomic_compare_exchange_strong(&fixed_default, &fixed, chosen))
        chosen = fixed;
    return chosen;
}

static amp_accelerator *find(const char *call, report *report, const char *path)
{
    if (!path) {
        amp__fail(AMP_ERROR_NULL, "%s: the path is NULL", call);
        return NULL;
    }
    if (!strcmp(path, "default"))
        return amp_accelerator_default();
    amp_accelerator *found = by_path(path);
    if (!found)
        report_unknown(report, "there is no accelerator", path);
    return found;
}

amp_accelerator *amp_accelerator_find(const char *path)
{
    return find("amp_accelerator_find", amp__answer_no, path);
}

amp_status amp_accelerator_set_default(const char *path)
{
    amp_accelerator *chosen = find("amp_accelerator_set_default", amp__fail, path), *fixed = NULL;
    if (!chosen)
        return path ? AMP_ERROR_NO_ACCELERATOR : AMP_ERROR_NULL;
    if (!atomic_compare_exchange_strong(&fixed_default, &fixed, chosen))
        return amp__fail(AMP_ERROR_BUSY,
                         "amp_accelerator_set_default: the default is \"%s\" already: it can be set once, before its "
                         "first use",
                         fixed->properties.path);
    return AMP_OK;
}

const amp_accelerator_properties *amp_accelerator_info(const amp_accelerator *accelerator)
{
    if (amp__object_check(accelerator, AMP__ACCELERATOR, "amp_accelerator_info") != AMP_OK)
        return NULL;
    return &accelerator->properties;
}

amp_status amp_accelerator_set_default_cpu_access_type(amp_accelerator *accelerator, amp_access_type access)
{
    static const char call[] = "amp_accelerator_set_default_cpu_access_type";
    amp_status status = amp__object_check(accelerator, AMP__ACCELERATOR, call);
    if (status != AMP_OK)
        return status;
    amp_accelerator_properties *properties = &accelerator->properties;
    if ((unsigned)access > AMP_ACCESS_AUTO)
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT,
                         "%s: the access is %d; it must be AMP_ACCESS_NONE, _READ, _WRITE, _READ_WRITE or _AUTO", call,
                         (int)access);
    if (access != AMP_ACCESS_NONE && access != AMP_ACCESS_AUTO && !properties->supports_cpu_shared_memory)
        return amp__fail(AMP_ERROR_UNSUPPORTED_FEATURE,
                         "%s: the host cannot access memory of \"%s\"; AMP_ACCESS_NONE and _AUTO are possible", call,
                         properties->path);
    pthread_mutex_lock(&lock);
    if (accelerator->is_cpu_access_fixed)
        status = amp__fail(AMP_ERROR_BUSY,
                           "%s: the default of \"%s\" is fixed already: it can be set once, before its first use", call,
                           properties->path);
    else if (access != AMP_ACCESS_AUTO)
        properties->default_cpu_access_type = access;
    accelerator->is_cpu_access_fixed = true;
    pthread_mutex_unlock(&lock);
    return status;
}

amp_access_type amp__accelerator_use_cpu_access_type(amp_accelerator *accelerator)
{
    pthread_mutex_lock(&lock);
    accelerator->is_cpu_access_fixed = true;
    amp_access_type access = accelerator->properties.default_cpu_access_type;
    pthread_mutex_unlock(&lock);
    return access;
}

void *amp_accelerator_native_handle(amp_accelerator *accelerator)
{
    if (amp__object_check(accelerator, AMP__ACCELERATOR, "amp_accelerator_native_handle") != AMP_OK)
        return NULL;
    const struct amp__backend *backend = accelerator->backend;
    return backend->native_device ? backend->native_device(accelerator->device) : NULL;
}

amp_accelerator_view *amp_accelerator_default_view(amp_accelerator *accelerator)
{
    if (amp__object_check(accelerator, AMP__ACCELERATOR, "amp_accelerator_default_view") != AMP_OK)
        return NULL;
    return &accelerator->view;
}

amp_accelerator *amp__accelerator_at(int location)
{
    return at[location];
}

int amp__location_count(void)
{
    return n_locations;
}

void amp__location_add(amp_accelerator *a)
{
    a->location = n_locations;
    at[n_locations] = a;
    n_locations++;
}

amp_accelerator_view *amp__host_view(void)
{
    make_ready();
    int i = 0;
    while (accelerators[i].location != AMP__HOST)
        i++;
    return &accelerators[i].view;
}
