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

static void **speeds_of(const struct amp__kernel *kernel)
{
    return &((struct amp__kernel *)(uintptr_t)kernel)->of_all;
}

static void take(struct speed *speed, double n, long long ns)
{
    const double much = 1.25;
    double now = n / (double)(ns > 0 ? ns : 1);
    if (now > speed->per_ns * much || now * much < speed->per_ns)
        speed->per_ns = now;
}

/* Reads the stamps of a part, if they have been reached. */
static void read_stamps(const amp_accelerator *place, struct speed *speed)
{
    long long begin_ns, end_ns;
    const struct amp__backend *backend = place->backend;
    if (!speed->end || !backend->stamp_read(place->device, speed->end, false, &end_ns) ||
        !backend->stamp_read(place->device, speed->begin, false, &begin_ns))
        return;
    if (begin_ns >= 0 && end_ns >= 0)
        take(speed, speed->n, end_ns - begin_ns);
    backend->stamp_free(place->device, speed->begin);
    backend->stamp_free(place->device, speed->end);
    speed->begin = speed->end = NULL;
}

static bool is_same_kind(int a, int b)
{
    const amp_accelerator *x = amp__places.at[a], *y = amp__places.at[b];
    return x->backend == y->backend && !strcmp(x->properties.description, y->properties.description);
}

/* The mean speed of the places of one kind; 0 if it is not known. */
static double speed_of_kind(const struct speed *speeds, int place)
{
    double sum = 0;
    int n = 0;
    for (int p = 0; p < amp__places.n; p++)
        if (is_same_kind(p, place) && speeds[p].per_ns > 0) {
            sum += speeds[p].per_ns;
            n++;
        }
    return n ? sum / n : 0;
}

void amp__speeds_get(const struct amp__kernel *kernel, double weights[AMP__MAX_ACCELERATORS])
{
    pthread_mutex_lock(&lock);
    struct speed *speeds = *speeds_of(kernel);
    bool are_known = speeds && amp__n_ranks == 1; /* ranks must decide alike */
    for (int p = 0; p < amp__places.n && speeds; p++)
        read_stamps(amp__places.at[p], &speeds[p]);
    for (int p = 0; p < amp__places.n && are_known; p++) {
        weights[p] = speed_of_kind(speeds, p);
        are_known = weights[p] > 0;
    }
    pthread_mutex_unlock(&lock);
    for (int p = 0; p < amp__places.n && !are_known; p++)
        weights[p] = 1;
}

void amp__speeds_begin(const amp_accelerator *place, struct amp__timing *timing)
{
    const struct amp__backend *backend = place->backend;
    timing->begin = NULL;
    timing->begin_ns = amp__now_ns();
    if (backend->stamp_take && backend->stamp_take(place->device, place->view.queue, &timing->begin) != AMP_OK)
        timing->begin = NULL;
}

void amp__speeds_end(const struct amp__kernel *kernel, int place, double n, const struct amp__timing *timing)
{
    const amp_accelerator *a = amp__places.at[place];
    void *end = NULL;
    if (timing->begin && a->backend->stamp_take(a->device, a->view.queue, &end) != AMP_OK)
        end = NULL;
    pthread_mutex_lock(&lock);
    void **kept = speeds_of(kernel);
    if (!*kept)
        *kept = calloc(AMP__MAX_ACCELERATORS, sizeof(struct speed));
    struct speed *speed = *kept ? (struct speed *)*kept + place : NULL;
    bool is_kept = speed && end && !speed->end;
    if (is_kept)
        *speed = (struct speed){speed->per_ns, timing->begin, end, n};
    else if (speed && !a->backend->wait)
        take(speed, n, amp__now_ns() - timing->begin_ns);
    if (is_kept)
        read_stamps(a, speed);
    pthread_mutex_unlock(&lock);
    if (timing->begin && !is_kept)
        a->backend->stamp_free(a->device, timing->begin);
    if (end && !is_kept)
        a->backend->stamp_free(a->device, end);
}

/* Stamps that have not been read are lost, because drivers may not be called any more. */
void amp__speeds_forget(const struct amp__kernel *kernel)
{
    void **kept = speeds_of(kernel);
    free(*kept);
    *kept = NULL;
}
