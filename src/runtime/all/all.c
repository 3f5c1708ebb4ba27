/* SPDX-License-Identifier: MIT
 *
 * The accelerator `all`, and its places: the ranks that mpirun has started; without it those that AMP_PLACES names
 * ("cuda:0,cuda:1"), or that it counts ("4": on the processor, each with memory of its own), else all GPUs and the
 * processor. In a dry run the processor alone computes. */
#include "all.h"
#include "../dry/dry.h"
#include "../ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct amp__places amp__places;
struct amp__machine amp__machine;
static char description[512];

static int count(void)
{
    return 1;
}

/* Whether `all` consists of this accelerator if AMP_PLACES does not say of which. */
static bool is_usual(const amp_accelerator *a)
{
    if (amp__dry_ranks)
        return a->backend == &amp__cpu_backend;
    return amp__ranks_expected() > 1 ? a->backend == &amp__rank_backend
                                     : !a->properties.is_emulated && !a->backend->finds_mistakes;
}

/* Adds the accelerator whose path is the first `length` characters of the text. Returns false if there is none, or if
 * it is there already. */
static bool add_named(struct amp__places *places, const char *text, size_t length)
{
    for (int i = 0; i < places->n; i++)
        if (!strncmp(places->at[i]->properties.path, text, length) && !places->at[i]->properties.path[length])
            return false;
    amp_accelerator *a;
    for (int i = 0; (a = amp__accelerator_opened(i)); i++)
        if (!strncmp(a->properties.path, text, length) && !a->properties.path[length] && !a->backend->finds_mistakes) {
            places->at[places->n++] = a;
            return true;
        }
    return false;
}

bool amp__places_list(struct amp__places *places, const char *text)
{
    while (add_named(places, text, strcspn(text, ","))) {
        text += strcspn(text, ",");
        if (!*text++)
            return true;
    }
    return false;
}

static amp_status find_places(void)
{
    amp_status status = amp__dry_begin();
    if (status != AMP_OK)
        return status;
    const char *text = amp__dry_ranks || amp__ranks_expected() > 1 ? NULL : getenv("AMP_PLACES");
    amp_accelerator *a;
    amp__places.n = 0;
    amp__places.generation++;
    bool is_given = text && *text, is_number = amp__place_count(text) > 0;
    if (is_given && !is_number && !amp__places_list(&amp__places, text))
        return amp__fail(AMP_ERROR_NO_ACCELERATOR,
                         "all: AMP_PLACES is \"%.80s\"; it must be a number from 1 to %d, or different accelerators, "
                         "such as \"cuda:0,cpu\"",
                         text, (int)AMP__MAX_PLACES);
    for (int i = 0; (!is_given || is_number) && (a = amp__accelerator_opened(i)); i++)
        if (is_number ? a->backend == &amp__place_backend : is_usual(a))
            amp__places.at[amp__places.n++] = a;
    return AMP_OK;
}

/* Lets those that queue their work come first: they work while the others run their parts. */
static void sort(void)
{
    int n_queues = 0;
    for (int i = 0; i < amp__places.n; i++) {
        amp_accelerator *a = amp__places.at[i];
        if (!a->backend->wait)
            continue;
        memmove(&amp__places.at[n_queues + 1], &amp__places.at[n_queues], (size_t)(i - n_queues) * sizeof a);
        amp__places.at[n_queues++] = a;
    }
}

static amp_status set_machine(void)
{
    amp__machine = (struct amp__machine){.n = amp__places.n, .at = amp__places.at, .weigh = amp__speeds_get};
    return amp__dry_ranks ? amp__dry_set_machine() : AMP_OK;
}

/* Writes "cuda:0, cpu", or of many places the first and the last. */
static void describe(void)
{
    enum { MANY = 32 };
    size_t length = 0;
    int n = amp__places.n;
    for (int p = 0; p < n && n <= MANY; p++)
        length += (size_t)snprintf(description + length, sizeof description - length, p ? ", %.12s" : "%.12s",
                                   amp__places.at[p]->properties.path);
    if (n > MANY)
        snprintf(description, sizeof description, "%s to %s", amp__places.at[0]->properties.path,
                 amp__places.at[n - 1]->properties.path);
}

static amp_status open_all(int i, void **device, amp_accelerator_properties *properties)
{
    (void)i;
    amp_status status = find_places();
    if (status != AMP_OK)
        return status;
    if (amp__places.n == 0) /* the reason is reported already */
        return AMP_ERROR_NO_ACCELERATOR;
    sort();
    status = set_machine();
    if (status != AMP_OK)
        return status;
    *device = &amp__places;
    *properties = (amp_accelerator_properties){
        .path = "all",
        .description = description,
        .version = 1 << 16,
        .isa = amp__places.at[0]->properties.isa,
        .supports_double_precision = true,
        .supports_limited_double_precision = true,
        .default_cpu_access_type = AMP_ACCESS_NONE,
    };
    describe();
    for (int p = 0; p < amp__places.n; p++) {
        const amp_accelerator_properties *place = &amp__places.at[p]->properties;
        properties->dedicated_memory_bytes += place->dedicated_memory_bytes;
        properties->n_threads += place->n_threads;
        properties->supports_double_precision &= place->supports_double_precision;
        properties->supports_limited_double_precision &= place->supports_limited_double_precision;
    }
    return AMP_OK;
}

static struct amp__kept **find_kept(const struct amp__kernel *kernel)
{
    return (struct amp__kept **)&((struct amp__kernel *)(uintptr_t)kernel)->of_all;
}

/* What is known of other places is of no use. */
static void renew(struct amp__kept *kept)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (atomic_load(&kept->generation) != amp__places.generation) {
        amp__speeds_forget(kept);
        amp__plans_forget(kept);
        atomic_store(&kept->generation, amp__places.generation);
    }
    pthread_mutex_unlock(&lock);
}

struct amp__kept *amp__kept_of(const struct amp__kernel *kernel)
{
    struct amp__kept **found = find_kept(kernel), *kept = __atomic_load_n(found, __ATOMIC_ACQUIRE);
    if (!kept) {
        struct amp__kept *made = calloc(1, sizeof *made);
        if (made)
            atomic_init(&made->generation, amp__places.generation);
        if (!__atomic_compare_exchange_n(found, &kept, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            free(made);
        else
            kept = made;
    }
    if (kept && atomic_load_explicit(&kept->generation, memory_order_acquire) != amp__places.generation)
        renew(kept);
    return kept;
}

static void forget(const struct amp__kernel *kernel)
{
    struct amp__kept **kept = find_kept(kernel);
    if (*kept) {
        amp__speeds_forget(*kept);
        amp__plans_forget(*kept);
    }
    free(*kept);
    *kept = NULL;
    amp__ranks_forget(kernel);
}

static amp_status wait_for_all(void *device, void *queue)
{
    (void)device, (void)queue;
    amp_status status = AMP_OK;
    for (int p = 0; p < amp__places.n; p++) {
        amp_status now = amp__device_wait(&amp__places.at[p]->view);
        status = status == AMP_OK ? now : status;
    }
    return status;
}

static amp_status flush(void *device, void *queue)
{
    (void)device, (void)queue;
    amp_status status = AMP_OK;
    for (int p = 0; p < amp__places.n && status == AMP_OK; p++) {
        const amp_accelerator *a = amp__places.at[p];
        status = a->backend->flush ? a->backend->flush(a->device, a->view.queue) : AMP_OK;
    }
    return status;
}

static bool is_ordered(void)
{
    return amp__ranks_expected() > 1 || amp__dry_ranks;
}

const struct amp__backend amp__all_backend = {
    .name = "all",
    .is_unlisted = true,
    .count = count,
    .open = open_all,
    .forget = forget,
    .run = amp__all_run,
    .is_ordered = is_ordered,
    .wait = wait_for_all,
    .flush = flush,
};
