/* SPDX-License-Identifier: MIT
 *
 * The plan of each launch. What a launch does to homes here is what all/run.c, and launch.c for one that is not cut, do
 * on ranks. Afterwards the launch runs on the processor. */
#include "dry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_int amp__dry_ranks;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool is_unnoticed; /* what this thread does */
static int n_launches;
static struct amp__traffic all_traffic;

/* ---- the ranks, and what they have ---- */

static amp_accelerator *ranks[AMP__MAX_RANKS];

/* The home that stands for one in the dry run. */
static struct amp__home *imagine(struct amp__home *home)
{
    struct amp__home *imagined = atomic_load(&home->imagined), *made;
    if (imagined)
        return imagined;
    if (!(made = amp__home_imagine(home))) {
        fprintf(stderr, "amp: dry run: no memory for where data would be\n");
        exit(1);
    }
    if (atomic_compare_exchange_strong(&home->imagined, &imagined, made))
        return made;
    amp__home_release(made);
    return imagined;
}

/* ---- the program's calls ---- */

bool amp__dry_pause(bool is_paused)
{
    bool was_paused = is_unnoticed;
    is_unnoticed = is_paused;
    return was_paused;
}

static void note(const char *what)
{
    amp__traffic_finish();
    struct amp__traffic traffic = amp__traffic_take(NULL);
    amp__traffic_add(&all_traffic, &traffic);
    if (traffic.messages)
        amp__log("dry run: %s: %lld messages, %lld bytes", what, traffic.messages, traffic.bytes);
}

void amp__dry_hold(void)
{
    if (amp__dry_ranks)
        pthread_mutex_lock(&lock);
}

void amp__dry_resume(void)
{
    if (amp__dry_ranks)
        pthread_mutex_unlock(&lock);
}

/* What becomes of a view's home is to become of the imagined one. */
static struct amp__home *begin(struct amp__home *home)
{
    pthread_mutex_lock(&lock);
    return imagine(home);
}

void amp__dry_read(struct amp__home *home, const amp_array_view *view)
{
    if (is_unnoticed)
        return;
    amp__home_read(begin(home), NULL, view);
    note("a copy to the host of all ranks");
    pthread_mutex_unlock(&lock);
}

void amp__dry_show(struct amp__home *home, const amp_array_view *view, int rank)
{
    struct amp__home *imagined = begin(home);
    amp__traffic_only_to(rank);
    amp__home_show(imagined, view);
    amp__traffic_only_to(-1);
    note("a copy to the host of one rank");
    pthread_mutex_unlock(&lock);
}

void amp__dry_own(struct amp__home *home, const amp_array_view *view)
{
    if (is_unnoticed)
        return;
    amp__home_own(begin(home), AMP__HOST, view);
    pthread_mutex_unlock(&lock);
}

void amp__dry_discard(struct amp__home *home, const amp_array_view *view)
{
    amp__home_discard(begin(home), view);
    pthread_mutex_unlock(&lock);
}

/* ---- a launch that is cut ---- */

/* Before the launch the host gets the contents, and keeps them alone. */
static amp_status begin_reduction(const amp_array_view *view)
{
    struct amp__home *home = imagine(view->home);
    amp_status status = amp__home_read(home, NULL, view);
    return status == AMP_OK ? amp__home_own(home, AMP__HOST, view) : status;
}

/* After it each rank sends what it has found to all. */
static void end_reduction(const struct amp__call *call, const struct amp__division *division, int use)
{
    for (int i = 0; i < division->n; i++) {
        const struct amp__share *share = &division->shares[i];
        if (amp__share_role(call, share, use) != AMP__REDUCES)
            continue;
        struct amp__footprint room;
        const struct amp__footprint *f = amp__share_footprint(call, share, use, &room);
        amp_array_view part = amp__span_view(call->uses[use].view, &f->written);
        size_t n = amp__private_copies(&part), bytes = amp__view_bytes(&part);
        for (size_t k = 0; k < n; k++)
            amp__traffic_spread(share->place, k == 0 ? bytes - (n - 1) * (bytes / n) : bytes / n);
    }
}

static amp_status plan_parts(const struct amp__call *call, struct amp__plan *plan)
{
    struct amp__home_plan *const begin = plan->homes, *const end = begin + plan->n_homes, *h;
    amp_status status = AMP_OK;
    bool is_planned = true;
    if (!plan->is_known)
        amp__plan_roles(call, plan);
    for (h = begin; h < end && status == AMP_OK; h++)
        status = amp__plan_acquire(call, plan, h, &is_planned);
    amp__traffic_finish();
    return status;
}

/* After its parts have got what they read. */
static amp_status plan_rest(const struct amp__call *call, struct amp__plan *plan)
{
    struct amp__home_plan *const begin = plan->homes, *const end = begin + plan->n_homes, *h;
    amp_status status = AMP_OK;
    for (h = begin; h < end && status == AMP_OK; h++)
        if (h->is_reduced)
            status = begin_reduction(call->uses[h->use].view);
    for (h = begin; h < end && status == AMP_OK; h++)
        status = amp__plan_settle(call, plan, h, status);
    for (h = begin; h < end && status == AMP_OK; h++)
        if (h->is_reduced)
            end_reduction(call, &plan->division, h->use);
    return status;
}

/* ---- a launch that is not cut ---- */

static amp_status plan_whole(const struct amp__call *call, int rank)
{
    const struct amp__use *begin = call->uses, *end = begin + call->n_uses, *use;
    const amp_accelerator *a = ranks[rank];
    amp_status status = AMP_OK;
    for (use = begin; use < end && status == AMP_OK; use++)
        if (!amp__use_is_in_place(call, use) && !use->same)
            status = amp__home_read(imagine(use->view->home), NULL, use->view);
    for (use = begin; use < end && status == AMP_OK; use++)
        if (amp__use_is_in_place(call, use))
            status = amp__home_read(imagine(use->view->home), &ranks[rank]->view, use->view);
    amp__traffic_finish();
    for (use = begin; use < end && status == AMP_OK; use++)
        if (amp__use_is_in_place(call, use) && !use->param->read_only)
            status = amp__home_own(imagine(use->view->home), a->location, use->view);
    for (use = begin; use < end && status == AMP_OK; use++) {
        if (amp__use_is_in_place(call, use) || use->same || !amp__use_is_written(call, use))
            continue;
        struct amp__home *home = imagine(use->view->home);
        status = amp__home_reserve(home, NULL, use->view);
        amp__traffic_spread(rank, amp__view_bytes(use->view));
        if (status == AMP_OK)
            status = amp__home_own(home, AMP__HOST, use->view);
    }
    return status;
}

/* ---- what is said ---- */

static long long threads_of(const struct amp__launch *launch, const struct amp__share *share)
{
    long long n = launch->n_threads_per_point;
    for (int d = 0; d < 3; d++)
        n *= share->box[2 * d + 1] - share->box[2 * d];
    return n;
}

/* Writes "[0..63][64..127]", in threads. */
static const char *box_text(const struct amp__kernel *kernel, const int box[6], char text[AMP__SHAPE_TEXT])
{
    int length = 0;
    for (int d = 3 - kernel->rank; d < 3; d++) {
        int tile = kernel->tile ? kernel->tile[d - (3 - kernel->rank)] : 1;
        length += snprintf(text + length, AMP__SHAPE_TEXT - (size_t)length, "[%d..%d]", box[2 * d] * tile,
                           box[2 * d + 1] * tile - 1);
    }
    return text;
}

static void show_parts(const struct amp__call *call, const struct amp__launch *launch,
                       const struct amp__division *division, const struct amp__traffic *of_rank)
{
    char text[AMP__SHAPE_TEXT];
    for (const struct amp__share *share = division->shares; share < division->shares + division->n; share++)
        amp__log("dry run:   rank %d: %s, %lld threads, gets %lld messages, %lld bytes", share->place,
                 box_text(call->kernel, share->box, text), threads_of(launch, share), of_rank[share->place].messages,
                 of_rank[share->place].bytes);
}

static void show(const struct amp__call *call, const struct amp__launch *launch, const amp_extent *extent,
                 const struct amp__plan *plan, const struct amp__traffic *traffic)
{
    char domain[AMP__SHAPE_TEXT], grid[AMP__SHAPE_TEXT], how[512], before[64] = "";
    const struct amp__division *division = &plan->division;
    long long most = 0, all = 0;
    for (int i = 0; i < division->n; i++) {
        long long n = threads_of(launch, &division->shares[i]);
        most = n > most ? n : most;
        all += n;
    }
    if (division->n > 1)
        snprintf(how, sizeof how, "in %s parts, balance %.2f",
                 amp__shape_text(extent->rank, division->grid + 3 - extent->rank, grid),
                 (double)all / (double)amp__dry_ranks / (double)most);
    else
        snprintf(how, sizeof how, "as a whole on rank %d, because %s", division->whole, division->why);
    if (plan->is_known && division->n > 1)
        snprintf(before, sizeof before, "; as launch %d", plan->number);
    amp__log("dry run: launch %d: %s (%s:%d) over %s %s: %lld messages, %lld bytes, to a rank at most %lld and %lld%s",
             n_launches, call->kernel->name, call->kernel->file, call->kernel->line,
             amp__shape_text(extent->rank, extent->dim, domain), how, traffic->messages, traffic->bytes,
             traffic->most_messages, traffic->most_bytes, before);
}

/* At the end of the program ranks show each other what they have done. */
static void show_all(void)
{
    long long messages = 0;
    for (int step = 1; step < amp__dry_ranks; step *= 2)
        messages += amp__dry_ranks;
    if (amp__dry_ranks && n_launches)
        amp__log("dry run of %d ranks: %d launches; %lld messages, %lld bytes; at the end %lld more of %d bytes",
                 amp__dry_ranks, n_launches, all_traffic.messages, all_traffic.bytes, messages,
                 (int)AMP__HISTORY_BYTES);
}

/* ---- launches ---- */

static amp_status plan_launch(struct amp__call *call, const struct amp__launch *launch, const amp_extent *extent)
{
    struct amp__plan *plan;
    const struct amp__traffic *of_rank = NULL;
    amp_status status = amp__plan_begin(call, launch, &plan);
    if (status != AMP_OK)
        return status;
    n_launches++;
    if (!plan->is_known)
        plan->number = n_launches;
    bool is_new = !plan->is_known && plan->division.n > 1;
    status = plan->division.n > 1 ? plan_parts(call, plan) : plan_whole(call, plan->division.whole);
    struct amp__traffic traffic = amp__traffic_take(is_new ? &of_rank : NULL);
    if (plan->division.n > 1 && status == AMP_OK)
        status = plan_rest(call, plan);
    if (amp__cpu_may_fail(call->kernel))
        amp__traffic_agree(sizeof(long long));
    struct amp__traffic rest = amp__traffic_take(NULL);
    amp__traffic_add(&traffic, &rest);
    amp__traffic_add(&all_traffic, &traffic);
    if (status == AMP_OK)
        show(call, launch, extent, plan, &traffic);
    if (status == AMP_OK && of_rank)
        show_parts(call, launch, &plan->division, of_rank);
    amp__plan_end(call->kernel, plan, status);
    return status;
}

amp_status amp__dry_run(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent)
{
    pthread_mutex_lock(&lock);
    amp_status status = plan_launch(call, launch, extent);
    pthread_mutex_unlock(&lock);
    if (status != AMP_OK)
        return status;
    bool was_paused = amp__dry_pause(true);
    status = amp__launch_on(call, launch, extent, call->on);
    amp__dry_pause(was_paused);
    return status;
}

static void weigh(const struct amp__kernel *kernel, double *weights)
{
    (void)kernel;
    for (int rank = 0; rank < amp__dry_ranks; rank++)
        weights[rank] = 1;
}

void amp__dry_agree(const char *call, int n)
{
    pthread_mutex_lock(&lock);
    amp__traffic_finish();
    for (int i = 0; i < n; i++)
        amp__traffic_agree(sizeof(long long));
    note(call);
    pthread_mutex_unlock(&lock);
}

amp_status amp__dry_set_machine(void)
{
    static amp_accelerator *all; /* until the machine is set again */
    free(all);
    all = calloc((size_t)amp__dry_ranks, sizeof *all);
    if (!all)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "dry run: no memory for %d ranks", amp__dry_ranks);
    for (int rank = 0; rank < amp__dry_ranks; rank++) {
        amp_accelerator *a = ranks[rank] = &all[rank];
        a->backend = &amp__dry_backend;
        a->device = (void *)((uintptr_t)rank + 1);
        a->properties.path = "rank";
        amp__accelerator_view_init(&a->view, a, NULL, AMP_QUEUING_MODE_AUTOMATIC);
        amp__location_add(a);
    }
    amp__machine = (struct amp__machine){.n = amp__dry_ranks, .at = ranks, .weigh = weigh, .imagine = imagine};
    return AMP_OK;
}

static void register_end(void)
{
    atexit(show_all);
}

amp_status amp__dry_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *text = getenv("AMP_DRY_RUN_RANKS");
    if (!text || !*text) {
        amp__dry_ranks = 0;
        return AMP_OK;
    }
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < 2 || n > AMP__MAX_RANKS)
        return amp__fail(AMP_ERROR_NO_ACCELERATOR,
                         "all: AMP_DRY_RUN_RANKS is \"%.80s\"; it must be a number from 2 to %d", text,
                         (int)AMP__MAX_RANKS);
    if (amp__ranks_expected() > 1)
        return amp__fail(AMP_ERROR_NO_ACCELERATOR, "all: AMP_DRY_RUN_RANKS is for programs without mpirun");
    amp__dry_ranks = (int)n;
    pthread_once(&once, register_end);
    return AMP_OK;
}
