/* SPDX-License-Identifier: MIT
 *
 * Plans of launches that repeat. What a launch does follows from the kernel, the boxes of its domain, the values of its
 * arguments, the shapes of its arrays, which of them are of one home, where these homes are valid (layout.c), and the
 * speeds of the places. A kernel keeps its last plans by these, so a sweep from one array to another and back again has
 * one plan, whichever arrays they are. A plan that is found does no arithmetic with boxes: it knows its parts, what is
 * copied before they run, and where everything is valid afterwards. */
#include "../ranks/ranks.h"
#include "../testing.h"
#include "all.h"

#include <string.h>

enum {
    MOST_PLANS = 16, /* of a kernel */
    MOST_ARGS = 1024 /* bytes of the arguments; launches with more have no plans */
};

struct amp__key {
    int box[6];
    unsigned speeds; /* amp__speeds_version */
    int n_uses;
    struct {
        int same; /* the first use of the same home */
        const struct amp__layout *layout;
        uint32_t memories;
        amp_array_view shape;
    } uses[AMP__MAX_ARGS];
    unsigned char args[MOST_ARGS]; /* without addresses */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n_found;

int amp__test_plans_found(void)
{
    return atomic_exchange(&n_found, 0);
}

/* ---- what a launch is known by ---- */

static int find_same(const struct amp__call *call, int use)
{
    int same = 0;
    while (call->uses[same].view->home != call->uses[use].view->home)
        same++;
    return same;
}

/* Copies the values of the arguments. A closure begins with everything that it captures by value. */
static void copy_args(const struct amp__call *call, unsigned char *args)
{
    const struct amp__kernel *kernel = call->kernel;
    memset(args, 0, kernel->args_bytes);
    for (int pass = 0; pass < 2; pass++)
        for (const struct amp__param *p = kernel->params; p < kernel->params + kernel->n_params; p++) {
            bool is_array = p->kind == 2;
            if (pass == 0 && (!is_array || p->copied))
                memcpy(args + p->offset, call->block + p->offset, is_array ? p->copied : p->size_bytes);
            if (pass == 1 && is_array && kernel->is_closure)
                memset(args + p->offset, 0, sizeof(struct amp__captured));
            if (pass == 1 && is_array && p->copied)
                memset(args + p->reference, 0, sizeof(void *));
        }
}

/* Returns false if the launch has no key. */
static bool make_key(const struct amp__call *call, const struct amp__launch *launch, struct amp__key *key)
{
    if (call->kernel->args_bytes > MOST_ARGS || amp__guard_is_on() || amp__ranks_check)
        return false;
    memcpy(key->box, launch->box, sizeof key->box);
    key->speeds = amp__speeds_version(call->kernel);
    key->n_uses = call->n_uses;
    for (int i = 0; i < call->n_uses; i++) {
        struct amp__home *home = amp__home_planned(call->uses[i].view);
        key->uses[i].same = find_same(call, i);
        key->uses[i].layout = amp__home_layout(home);
        key->uses[i].memories = atomic_load(&home->memories);
        if (!key->uses[i].layout)
            return false;
    }
    copy_args(call, key->args);
    return true;
}

static bool is_same(const struct amp__call *call, const struct amp__key *a, const struct amp__key *b)
{
    if (a->n_uses != b->n_uses || a->speeds != b->speeds)
        return false;
    for (int i = 0; i < a->n_uses; i++)
        if (a->uses[i].layout != b->uses[i].layout || a->uses[i].same != b->uses[i].same ||
            a->uses[i].memories != b->uses[i].memories || !amp__views_equal(&a->uses[i].shape, call->uses[i].view))
            return false;
    return !memcmp(a->box, b->box, sizeof a->box) && !memcmp(a->args, b->args, call->kernel->args_bytes);
}

/* ---- the plans of a kernel; with the lock held ---- */

static struct amp__plan *find(struct amp__kept *kept, const struct amp__call *call, const struct amp__key *key)
{
    for (struct amp__plan **link = &kept->plans, *plan; (plan = *link); link = &plan->next)
        if (is_same(call, plan->key, key)) {
            *link = plan->next;
            plan->next = kept->plans;
            kept->plans = plan;
            plan->users++;
            atomic_fetch_add_explicit(&n_found, 1, memory_order_relaxed);
            return plan;
        }
    return NULL;
}

static void leave(struct amp__plan *plan)
{
    if (--plan->users > 0)
        return;
    for (int i = 0; i < plan->n_homes; i++)
        amp__effect_fini(&plan->homes[i].effect);
    amp__free(plan->division.memory);
    amp__free(plan->key);
    amp__free(plan);
}

static void add(struct amp__kept *kept, struct amp__plan *plan)
{
    plan->next = kept->plans;
    plan->users++;
    kept->plans = plan;
    struct amp__plan **link = &kept->plans;
    for (int n = 0; n < MOST_PLANS && *link; n++)
        link = &(*link)->next;
    if (*link) {
        leave(*link);
        *link = NULL;
    }
}

void amp__plans_forget(struct amp__kept *kept)
{
    pthread_mutex_lock(&lock);
    for (struct amp__plan *plan = kept->plans, *next; plan; plan = next) {
        next = plan->next;
        leave(plan);
    }
    kept->plans = NULL;
    pthread_mutex_unlock(&lock);
}

/* ---- one launch ---- */

static amp_status fail_memory(const struct amp__call *call)
{
    return amp__kernel_fail(call->kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for a plan of what its parts do");
}

static void begin_homes(const struct amp__call *call, struct amp__plan *plan)
{
    for (int i = 0; i < call->n_uses; i++) {
        if (find_same(call, i) != i)
            continue;
        struct amp__home_plan *h = &plan->homes[plan->n_homes++];
        h->use = i;
        h->is_reduced = h->is_written = false;
        amp__effect_begin(&h->effect, amp__home_planned(call->uses[i].view));
    }
}

static amp_status make(const struct amp__call *call, const struct amp__launch *launch, const struct amp__key *key,
                       struct amp__plan **made)
{
    struct amp__plan *plan = *made = amp__alloc(sizeof *plan, _Alignof(struct amp__plan));
    if (!plan)
        return fail_memory(call);
    plan->users = 1;
    plan->is_known = false;
    plan->begin = plan->end = plan->n_homes = 0;
    plan->interior.share = -1;
    plan->division.memory = NULL;
    size_t key_bytes = offsetof(struct amp__key, args) + call->kernel->args_bytes;
    plan->key = key ? amp__alloc(key_bytes, _Alignof(struct amp__key)) : NULL;
    if (plan->key) {
        memcpy(plan->key, key, key_bytes);
        for (int i = 0; i < call->n_uses; i++)
            plan->key->uses[i].shape = amp__view_all(call->uses[i].view);
    }
    amp_status status = amp__divide(call, launch, &plan->division);
    if (status != AMP_OK) {
        amp__plan_end(call->kernel, plan, status);
        *made = NULL;
        return status;
    }
    begin_homes(call, plan);
    return AMP_OK;
}

amp_status amp__plan_begin(const struct amp__call *call, const struct amp__launch *launch, struct amp__plan **plan)
{
    struct amp__key key;
    struct amp__kept *kept = amp__kept_of(call->kernel);
    bool has_key = kept && make_key(call, launch, &key);
    pthread_mutex_lock(&lock);
    *plan = has_key ? find(kept, call, &key) : NULL;
    pthread_mutex_unlock(&lock);
    return *plan ? AMP_OK : make(call, launch, has_key ? &key : NULL, plan);
}

/* Whether the launch can be found by its key: its homes were then as they were when it began. */
static bool is_true(const struct amp__plan *plan)
{
    bool is = plan->key;
    for (const struct amp__home_plan *h = plan->homes; h < plan->homes + plan->n_homes && is; h++)
        is = !h->effect.is_broken && plan->key->uses[h->use].layout == h->effect.before &&
             plan->key->uses[h->use].memories == h->effect.memories;
    return is;
}

void amp__plan_end(const struct amp__kernel *kernel, struct amp__plan *plan, amp_status status)
{
    struct amp__kept *kept = amp__kept_of(kernel);
    pthread_mutex_lock(&lock);
    if (!plan->is_known && status == AMP_OK && kept && is_true(plan)) {
        plan->is_known = true;
        amp__division_shrink(&plan->division, plan->key->n_uses, plan->begin, plan->end);
        add(kept, plan);
    }
    leave(plan);
    pthread_mutex_unlock(&lock);
}
