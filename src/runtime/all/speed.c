/* SPDX-License-Identifier: MIT
 *
 * How fast places run a kernel, from its last launches. A device that works later is timed by stamps, which are read
 * when the kernel is launched again. Shares must not change with every launch, because data would move with them: so
 * places of one kind have one speed, and a new one counts only if it differs much from the old one. */
#include "../ranks/ranks.h"
#include "all.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct speed {
    double per_ns;     /* threads; 0: unknown */
    void *begin, *end; /* stamps of a part that is not yet measured */
    double n;          /* its threads */
};

struct amp__speeds {
    bool are_alike; /* the places: nothing is measured */
    unsigned version;
    int n_late;        /* places with stamps */
    struct speed of[]; /* the places */
};

static bool is_same_kind(int a, int b)
{
    const amp_accelerator *x = amp__places.at[a], *y = amp__places.at[b];
    return x->backend == y->backend && !strcmp(x->properties.description, y->properties.description);
}

/* Returns what is known of the kernel; NULL: nothing is to be known. Ranks must decide alike. */
static struct amp__speeds *speeds_of(const struct amp__kernel *kernel)
{
    struct amp__kept *kept = amp__n_ranks == 1 ? amp__kept_of(kernel) : NULL;
    pthread_mutex_lock(&lock);
    size_t bytes = sizeof *kept->speeds + (size_t)amp__places.n * sizeof *kept->speeds->of;
    if (kept && !kept->speeds && (kept->speeds = calloc(1, bytes))) {
        kept->speeds->are_alike = true;
        for (int p = 1; p < amp__places.n; p++)
            kept->speeds->are_alike &= is_same_kind(0, p);
    }
    struct amp__speeds *speeds = kept ? kept->speeds : NULL;
    pthread_mutex_unlock(&lock);
    return speeds && !speeds->are_alike ? speeds : NULL;
}

static void take(struct amp__speeds *speeds, struct speed *speed, double n, long long ns)
{
    const double much = 1.25;
    double now = n / (double)(ns > 0 ? ns : 1);
    if (now > speed->per_ns * much || now * much < speed->per_ns) {
        speed->per_ns = now;
        speeds->version++;
    }
}

/* Reads the stamps of a part, if they have been reached. */
static void read_stamps(struct amp__speeds *speeds, int place)
{
    long long begin_ns, end_ns;
    const amp_accelerator *a = amp__places.at[place];
    struct speed *speed = &speeds->of[place];
    if (!speed->end || !a->backend->stamp_read(a->device, speed->end, false, &end_ns) ||
        !a->backend->stamp_read(a->device, speed->begin, false, &begin_ns))
        return;
    if (begin_ns >= 0 && end_ns >= 0)
        take(speeds, speed, speed->n, end_ns - begin_ns);
    a->backend->stamp_free(a->device, speed->begin);
    a->backend->stamp_free(a->device, speed->end);
    speed->begin = speed->end = NULL;
    speeds->n_late--;
}

/* The mean speed of the places of one kind; 0 if it is not known. */
static double speed_of_kind(const struct amp__speeds *speeds, int place)
{
    double sum = 0;
    int n = 0;
    for (int p = 0; p < amp__places.n; p++)
        if (is_same_kind(p, place) && speeds->of[p].per_ns > 0) {
            sum += speeds->of[p].per_ns;
            n++;
        }
    return n ? sum / n : 0;
}

unsigned amp__speeds_version(const struct amp__kernel *kernel)
{
    struct amp__speeds *speeds = speeds_of(kernel);
    if (!speeds)
        return 0;
    pthread_mutex_lock(&lock);
    for (int p = 0; p < amp__places.n && speeds->n_late; p++)
        read_stamps(speeds, p);
    unsigned version = speeds->version;
    pthread_mutex_unlock(&lock);
    return version;
}

void amp__speeds_get(const struct amp__kernel *kernel, double *weights)
{
    struct amp__speeds *speeds = speeds_of(kernel);
    bool are_known = speeds;
    pthread_mutex_lock(&lock);
    for (int p = 0; p < amp__places.n && are_known; p++) {
        weights[p] = speed_of_kind(speeds, p);
        are_known = weights[p] > 0;
    }
    pthread_mutex_unlock(&lock);
    for (int p = 0; p < amp__places.n && !are_known; p++)
        weights[p] = 1;
}

void amp__speeds_begin(const struct amp__kernel *kernel, const amp_accelerator *place, struct amp__timing *timing)
{
    const struct amp__backend *backend = place->backend;
    timing->speeds = speeds_of(kernel);
    timing->begin = NULL;
    if (!timing->speeds)
        return;
    timing->begin_ns = amp__now_ns();
    if (backend->stamp_take && backend->stamp_take(place->device, place->view.queue, &timing->begin) != AMP_OK)
        timing->begin = NULL;
}

void amp__speeds_end(int place, double n, const struct amp__timing *timing)
{
    struct amp__speeds *speeds = timing->speeds;
    const amp_accelerator *a = amp__places.at[place];
    void *end = NULL;
    if (!speeds)
        return;
    if (timing->begin && a->backend->stamp_take(a->device, a->view.queue, &end) != AMP_OK)
        end = NULL;
    pthread_mutex_lock(&lock);
    struct speed *speed = &speeds->of[place];
    bool is_kept = end && !speed->end;
    if (is_kept) {
        *speed = (struct speed){speed->per_ns, timing->begin, end, n};
        speeds->n_late++;
        read_stamps(speeds, place);
    } else if (!a->backend->wait) {
        take(speeds, speed, n, amp__now_ns() - timing->begin_ns);
    }
    pthread_mutex_unlock(&lock);
    if (timing->begin && !is_kept)
        a->backend->stamp_free(a->device, timing->begin);
    if (end && !is_kept)
        a->backend->stamp_free(a->device, end);
}

/* Stamps that have not been read are lost, because drivers may not be called any more. */
void amp__speeds_forget(struct amp__kept *kept)
{
    free(kept->speeds);
    kept->speeds = NULL;
}
