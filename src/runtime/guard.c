/* SPDX-License-Identifier: MIT
 *
 * Finds where the host's code uses arrays wrongly while a device that looks for mistakes has them, too. Code that was
 * compiled with ampcc --amp-check calls amp__check_host before it accesses memory (src/compiler/object/guard.c). These
 * are mistakes:
 *
 *     a read of what a launch or a copy has written on a device, before the host's copy was synchronised
 *     a write, without amp_refresh, that a launch on the device does not see, or that a synchronisation overwrites
 *     a write of what a pending operation uses, and a read of what it writes
 *
 * So each byte of a home that such a device has memory for has two marks: which operation has written it since it was
 * synchronised, and where the host's code has written it since both copies were the same. A read of a byte that has the
 * first mark and not the second is reported at once. A write is not a mistake by itself, because amp_refresh may
 * follow. It becomes one when a launch finds different bytes on the two sides, or when the host's are overwritten.
 *
 * Reports are the error of the thread whose code made the mistake, or of the one whose call noticed it. */
#include "backend.h"

#pragma GCC visibility push(default)
#include "../abi/checked.h"
#pragma GCC visibility pop

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MARKS = UINT16_MAX, MOST_NAME = 64, MOST_PATH = 256, DOING_TEXT = MOST_PATH + 64 };

/* A place in the host's code, with texts of its own: the code may be unloaded. */
struct place {
    char file[MOST_PATH], function[MOST_NAME];
    int line, column;
    unsigned told; /* the stamp of the last operation when it was last reported */
};

/* What has changed an array on a device. */
struct deed {
    struct amp__doing doing;
    char name[MOST_NAME], variable[MOST_NAME];
    amp_array_view view; /* which it last wrote */
};

/* A number for each byte of a home. Launches mostly write whole arrays, so all of the bytes often have the same. */
struct marks {
    uint16_t *each; /* NULL: no two were ever different */
    uint16_t all;   /* what all bytes have, if `are_equal` */
    bool are_equal;
};

/* A home, and the marks of its bytes: numbers of deeds and of places; 0: none. */
struct guard {
    struct guard *next;
    struct amp__home *home;
    uintptr_t begin, end;
    struct marks written, changed;
    struct deed *deeds; /* by their numbers */
    int n_deeds, capacity;
    unsigned stamp; /* of the last deed */
};

/* An operation that has been submitted and has not run. */
struct pending {
    struct pending *next;
    const void *key;
    struct amp__doing doing;
    char name[MOST_NAME];
    unsigned stamp;
    int n;
    struct amp__guarded uses[];
};

/* A mistake, to be reported when the lock is released. */
struct mistake {
    struct place at;
    struct amp__host_mistake what;
    char name[MOST_NAME], variable[MOST_NAME], before[MOST_NAME + 32], after[DOING_TEXT + 128];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct guard *guards;
static struct pending *all_pending;
static struct place *places; /* by their numbers */
static int n_places = 1, places_capacity;
static _Atomic uintptr_t low = UINTPTR_MAX, high; /* all that is guarded lies in [low, high) */
static unsigned n_stamps;
static bool is_full; /* there is no room for another place, so nothing is reported any more */
static _Thread_local struct amp__check_place *calling;
static _Thread_local volatile bool has_lock; /* a signal's handler must not take it again */

int amp__check_host_arrays;
const amp_accelerator *_Atomic amp__guard_device;

static void acquire(void)
{
    has_lock = true;
    pthread_mutex_lock(&lock);
}

static void release(void)
{
    pthread_mutex_unlock(&lock);
    has_lock = false;
}

/* ---- places and deeds ---- */

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

/* Returns the elements with room for one more; NULL without memory, or if marks cannot count that far. */
static void *make_room(void *elements, int n, int *capacity, size_t size_bytes)
{
    if (n < *capacity)
        return elements;
    int more = *capacity ? 2 * *capacity : 16;
    void *all = n < MOST_MARKS ? realloc(elements, (size_t)more * size_bytes) : NULL;
    if (all)
        *capacity = more;
    return all;
}

/* The number of a place; 0 if there is no room for it. */
static int number_of(struct amp__check_place *place)
{
    if (place->number || is_full)
        return place->number;
    struct place *all = make_room(places, n_places, &places_capacity, sizeof *places);
    is_full = !all;
    if (is_full)
        return 0;
    places = all;
    struct place *own = &places[n_places];
    copy_text(own->file, sizeof own->file, place->file);
    copy_text(own->function, sizeof own->function, place->function);
    own->line = place->line;
    own->column = place->column;
    own->told = 0;
    return place->number = n_places++;
}

/* The number of a deed; 0 if there is no room for it. */
static int number_of_deed(struct guard *g, const struct amp__doing *doing, const char *variable)
{
    for (int i = 1; i < g->n_deeds; i++)
        if (g->deeds[i].doing.place == doing->place && !strncmp(g->deeds[i].name, doing->name, MOST_NAME - 1) &&
            !strncmp(g->deeds[i].variable, variable, MOST_NAME - 1))
            return i;
    struct deed *all = make_room(g->deeds, g->n_deeds, &g->capacity, sizeof *g->deeds);
    if (!all)
        return 0;
    g->deeds = all;
    struct deed *deed = &g->deeds[g->n_deeds];
    deed->doing = *doing;
    copy_text(deed->name, sizeof deed->name, doing->name);
    copy_text(deed->variable, sizeof deed->variable, variable);
    return g->n_deeds++;
}

void amp__check_call(struct amp__check_place *place)
{
    calling = place;
}

void amp__guard_use(const amp_accelerator *a)
{
    if (a->backend->finds_mistakes)
        atomic_store(&amp__guard_device, a);
}

int amp__guard_call(const amp_accelerator *a)
{
    int number = 0;
    if (a)
        amp__guard_use(a);
    if (amp__guard_is_on() && calling) {
        acquire();
        number = number_of(calling);
        release();
    }
    calling = NULL;
    return number;
}

/* ---- what is guarded ---- */

/* Called with the lock held, as all that follows up to the exported functions. */
static void widen(uintptr_t begin, uintptr_t end)
{
    if (begin < atomic_load(&low))
        atomic_store(&low, begin);
    if (end > atomic_load(&high))
        atomic_store(&high, end);
    __atomic_store_n(&amp__check_host_arrays, 1, __ATOMIC_RELAXED);
}

/* After something is no longer guarded. */
static void narrow(void)
{
    if (!guards && !all_pending) {
        __atomic_store_n(&amp__check_host_arrays, 0, __ATOMIC_RELAXED);
        atomic_store(&low, UINTPTR_MAX);
        atomic_store(&high, 0);
    }
}

static struct guard *guard_of(const struct amp__home *home)
{
    struct guard *g = guards;
    while (g && g->home != home)
        g = g->next;
    return g;
}

static void *host_memory(const struct amp__home *home)
{
    return amp__home_memory(home, AMP__HOST);
}

/* Returns the guard of a home; NULL if the host has no memory for it, or without memory for marks. */
static struct guard *guard(struct amp__home *home)
{
    struct guard *g = guard_of(home);
    uintptr_t begin = (uintptr_t)host_memory(home);
    if (g || !begin)
        return g;
    g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->written.are_equal = g->changed.are_equal = true;
    g->n_deeds = 1;
    g->home = home;
    g->begin = begin;
    g->end = begin + home->size_bytes;
    g->next = guards;
    guards = g;
    widen(g->begin, g->end);
    return g;
}

static int mark_of(const struct marks *marks, size_t offset)
{
    return marks->are_equal ? marks->all : marks->each[offset];
}

/* Whether any byte of a home may have a mark. */
static bool has_marks(const struct marks *marks)
{
    return !marks->are_equal || marks->all;
}

static void fill(uint16_t *marks, size_t n, int number)
{
    for (size_t i = 0; i < n; i++)
        marks[i] = (uint16_t)number;
}

/* Lets the bytes of a home have different marks. Returns false without memory. */
static bool tell_apart(const struct guard *g, struct marks *marks)
{
    size_t n = g->home->size_bytes;
    if (!marks->are_equal)
        return true;
    if (!marks->each && !(marks->each = malloc(n * sizeof *marks->each))) {
        is_full = true;
        return false;
    }
    fill(marks->each, n, marks->all);
    marks->are_equal = false;
    return true;
}

/* Marks bytes of a home. */
static void mark_bytes(const struct guard *g, struct marks *marks, size_t offset, size_t n, int number)
{
    bool have_it = marks->are_equal && marks->all == number;
    if (!have_it && tell_apart(g, marks))
        fill(marks->each + offset, n, number);
}

/* Marks the bytes of a view, or of all of the home if that is NULL. */
static void mark(const struct guard *g, struct marks *marks, const amp_array_view *view, int number)
{
    if (!view || amp__view_is_whole(view)) {
        marks->all = (uint16_t)number;
        marks->are_equal = true;
        return;
    }
    struct amp__runs runs = amp__runs_begin(view, view);
    do {
        mark_bytes(g, marks, view->offset_bytes + runs.offset, runs.run_bytes, number);
    } while (amp__runs_next(view, &runs));
}

/* ---- mistakes ---- */

/* Sets which element of a view has a byte of its home. */
static void set_element(struct mistake *m, const amp_array_view *view, size_t offset)
{
    if (!amp__view_meets(view, (ptrdiff_t)offset, 1))
        return;
    m->what.index = amp__view_index_of(view, offset);
    m->what.extent = view->extent;
}

/* Writes "the launch in line 38": an operation as a report at `at` names it. Returns `text`. */
static char *name_doing(const struct amp__doing *doing, const struct place *at, char text[DOING_TEXT])
{
    const struct place *place = doing->place ? &places[doing->place] : NULL;
    if (!place)
        snprintf(text, DOING_TEXT, "the %s", doing->what);
    else if (!strcmp(place->file, at->file))
        snprintf(text, DOING_TEXT, "the %s in line %d", doing->what, place->line);
    else
        snprintf(text, DOING_TEXT, "the %s in %s:%d", doing->what, place->file, place->line);
    return text;
}

/* Begins to describe a mistake that the host's code makes at a place; 0: it is not known. */
static void describe(struct mistake *m, int place, const struct amp__doing *doing, const char *name,
                     const char *variable)
{
    memset(m, 0, sizeof *m);
    if (place)
        m->at = places[place];
    copy_text(m->name, sizeof m->name, name);
    copy_text(m->variable, sizeof m->variable, variable);
    m->what.other_line = doing->place ? places[doing->place].line : 0;
}

/* Reports a mistake. Called without the lock. Returns the status. */
static amp_status report(struct mistake *m)
{
    const amp_accelerator *a = atomic_load(&amp__guard_device);
    m->what.file = m->at.file;
    m->what.function = *m->at.function ? m->at.function : NULL;
    m->what.line = m->at.line;
    m->what.column = m->at.column;
    m->what.kernel = m->name;
    m->what.variable = m->variable;
    m->what.before = m->before;
    m->what.after = m->after;
    return a->backend->report_host(a->device, &m->what);
}

/* ---- accesses ---- */

struct access {
    uintptr_t begin, end;
    int place, use;
};

/* Writes "main reads ". */
static void name_access(struct mistake *m, const struct access *access)
{
    static const char *const verbs[] = {"reads", "writes", "updates"};
    snprintf(m->before, sizeof m->before, "%s %s ", m->at.function, verbs[access->use]);
}

/* Whether an access is to be reported, and was not reported before, as from element to element of an array. */
static bool is_new(const struct access *access, unsigned stamp)
{
    struct place *place = &places[access->place];
    bool is_told = place->told == stamp;
    place->told = stamp;
    return !is_told;
}

/* Whether a read is a mistake: of what a device has written and the host has not. */
static bool is_stale(const struct guard *g, const struct access *access, size_t begin, size_t end, struct mistake *m)
{
    size_t i = begin;
    while (i < end && (!mark_of(&g->written, i) || mark_of(&g->changed, i)))
        i++;
    if (i == end)
        return false;
    const struct deed *deed = &g->deeds[mark_of(&g->written, i)];
    char doing[DOING_TEXT];
    describe(m, access->place, &deed->doing, deed->name, deed->variable);
    set_element(m, &deed->view, i);
    name_access(m, access);
    m->what.remedy = "call amp_synchronize first";
    snprintf(m->after, sizeof m->after, ", which %s writes on %s", name_doing(&deed->doing, &m->at, doing),
             atomic_load(&amp__guard_device)->properties.path);
    return is_new(access, g->stamp);
}

static bool check_home(struct guard *g, const struct access *access, struct mistake *m)
{
    if (access->begin >= g->end || access->end <= g->begin)
        return false;
    size_t begin = access->begin > g->begin ? access->begin - g->begin : 0;
    size_t end = (access->end < g->end ? access->end : g->end) - g->begin;
    bool is_mistake = access->use != AMP__CHECK_WRITE && is_stale(g, access, begin, end, m);
    bool is_elsewhere = atomic_load(&g->home->host_state) != AMP__OWNER;
    for (size_t i = begin; access->use != AMP__CHECK_READ && i < end; i++)
        if (is_elsewhere || mark_of(&g->written, i))
            mark_bytes(g, &g->changed, i, 1, access->place);
    return is_mistake;
}

/* Returns the memory that the host's code can see of what an operation uses; 0: none. What was given to amp_array_wrap
 * on a device that looks for mistakes is the program's, too. */
static uintptr_t memory_of(const struct amp__guarded *use)
{
    const struct amp__home *home = use->view.home;
    if (use->memory)
        return (uintptr_t)use->memory;
    bool is_wrapped =
        home->is_borrowed && home->place != AMP__HOST && amp__accelerator_at(home->place)->backend->finds_mistakes;
    return (uintptr_t)(is_wrapped ? amp__home_memory(home, home->place) : host_memory(home));
}

/* Whether an access meets what a pending operation uses. */
static bool check_pending(const struct pending *p, const struct amp__guarded *use, const struct access *access,
                          struct mistake *m)
{
    uintptr_t memory = memory_of(use);
    if (!memory || (access->use == AMP__CHECK_READ && !use->writes) || access->end <= memory ||
        !amp__view_meets(&use->view, (ptrdiff_t)(access->begin - memory), access->end - access->begin))
        return false;
    char doing[DOING_TEXT];
    describe(m, access->place, &p->doing, p->name, use->variable);
    if (access->begin >= memory)
        set_element(m, &use->view, access->begin - memory);
    name_access(m, access);
    m->what.remedy = "wait for its future first";
    snprintf(m->after, sizeof m->after, " while %s, which %s it, is pending", name_doing(&p->doing, &m->at, doing),
             use->writes ? "writes" : "reads");
    return is_new(access, p->stamp);
}

/* Looks for a mistake. What a pending launch will have written is reported like what it has written. */
static bool check(const struct access *access, struct mistake *m)
{
    bool is_mistake = false;
    for (struct guard *g = guards; g; g = g->next)
        is_mistake |= check_home(g, access, m);
    for (const struct pending *p = all_pending; p && !is_mistake; p = p->next)
        for (int i = 0; i < p->n && !is_mistake; i++)
            is_mistake = check_pending(p, &p->uses[i], access, m);
    return is_mistake;
}

void amp__check_host(const void *address, unsigned long long size_bytes, struct amp__check_place *place)
{
    struct access access = {(uintptr_t)address, (uintptr_t)address + size_bytes, 0, place->use};
    struct mistake m;
    if (access.begin >= atomic_load_explicit(&high, memory_order_relaxed) ||
        access.end <= atomic_load_explicit(&low, memory_order_relaxed) || has_lock)
        return;
    acquire();
    access.place = number_of(place);
    bool is_mistake = !is_full && check(&access, &m);
    release();
    if (is_mistake)
        report(&m);
}

/* ---- operations ---- */

void amp__guard_home(struct amp__home *home)
{
    const amp_accelerator *a = atomic_load(&amp__guard_device);
    if (!a || !host_memory(home) || !amp__home_memory(home, a->location))
        return;
    acquire();
    guard(home);
    release();
}

void amp__guard_forget(struct amp__home *home)
{
    if (!amp__guard_is_on())
        return;
    acquire();
    struct guard **link = &guards, *g;
    while (*link && (*link)->home != home)
        link = &(*link)->next;
    if ((g = *link)) {
        *link = g->next;
        free(g->written.each);
        free(g->changed.each);
        free(g->deeds);
        free(g);
    }
    narrow();
    release();
}

void amp__guard_written(const struct amp__doing *doing, const amp_accelerator *a, const amp_array_view *view,
                        const char *variable)
{
    if (!amp__guard_is_on() || a->location == AMP__HOST)
        return;
    acquire();
    struct guard *g = a->backend->finds_mistakes ? guard(view->home) : guard_of(view->home);
    int number = g && a->backend->finds_mistakes ? number_of_deed(g, doing, variable) : 0;
    if (number) {
        g->deeds[number].view = amp__view_all(view);
        g->stamp = ++n_stamps;
    }
    if (g)
        mark(g, &g->written, view, number);
    release();
}

/* Clears marks of a view, or of all of the home. */
static void clear(struct amp__home *home, const amp_array_view *view, bool of_written, bool of_changed)
{
    if (!amp__guard_is_on())
        return;
    acquire();
    struct guard *g = guard_of(home);
    if (g && of_written)
        mark(g, &g->written, view, 0);
    if (g && of_changed)
        mark(g, &g->changed, view, 0);
    release();
}

void amp__guard_synchronized(struct amp__home *home, const amp_array_view *view)
{
    clear(home, view, true, false);
}

void amp__guard_seen(struct amp__home *home, const amp_array_view *view)
{
    clear(home, view, false, true);
}

void amp__guard_refreshed(struct amp__home *home, const amp_array_view *view)
{
    clear(home, view, true, true);
}

/* Finds the first byte that the host's code has written and that differs from the device's. Returns false if there is
 * none. */
static bool find_lost(const struct guard *g, const amp_accelerator *a, size_t begin, size_t end, size_t *offset)
{
    const char *host = host_memory(g->home);
    struct amp__at at = {amp__home_memory(g->home, a->location), begin};
    while (at.offset < end) {
        size_t n = 0;
        while (at.offset + n < end && mark_of(&g->changed, at.offset + n))
            n++;
        size_t same = n ? a->backend->compare(a->device, at, host + at.offset, n) : 0;
        *offset = at.offset + same;
        if (same < n)
            return true;
        at.offset += n + 1;
    }
    return false;
}

static void describe_lost(const struct guard *g, size_t offset, struct mistake *m)
{
    static const struct amp__doing unknown = {.what = "device"};
    const struct deed *deed = mark_of(&g->written, offset) ? &g->deeds[mark_of(&g->written, offset)] : NULL;
    const struct amp__doing *doing = deed ? &deed->doing : &unknown;
    char text[DOING_TEXT];
    describe(m, mark_of(&g->changed, offset), doing, deed ? deed->name : "", deed ? deed->variable : "a view");
    if (deed)
        set_element(m, &deed->view, offset);
    snprintf(m->before, sizeof m->before, "%s writes ", m->at.function);
    snprintf(m->after, sizeof m->after, ", which is then overwritten with what %s wrote on %s",
             name_doing(doing, &m->at, text), atomic_load(&amp__guard_device)->properties.path);
    m->what.remedy = "call amp_synchronize before writing the memory of a view, and amp_refresh after it";
}

amp_status amp__guard_overwrite(struct amp__home *home, const amp_accelerator *a, size_t offset, size_t size_bytes)
{
    struct mistake m;
    size_t at;
    if (!amp__guard_is_on() || !a->backend->compare)
        return AMP_OK;
    acquire();
    struct guard *g = guard_of(home);
    bool is_lost = g && has_marks(&g->changed) && !is_full && find_lost(g, a, offset, offset + size_bytes, &at);
    if (is_lost)
        describe_lost(g, at, &m);
    if (g)
        mark_bytes(g, &g->changed, offset, size_bytes, 0);
    release();
    return is_lost ? report(&m) : AMP_OK;
}

amp_status amp__guard_report_change(const struct amp__doing *doing, const amp_array_view *view, const char *variable,
                                    const amp_accelerator *a, size_t offset, const struct amp__kernel *kernel)
{
    struct mistake m;
    char text[DOING_TEXT];
    acquire();
    const struct guard *g = guard_of(view->home);
    int place = g ? mark_of(&g->changed, offset) : 0;
    describe(&m, place || kernel ? place : doing->place, doing, doing->name, variable);
    set_element(&m, view, offset);
    if (!place && kernel) {
        copy_text(m.at.file, sizeof m.at.file, kernel->file);
        m.at.line = kernel->line;
    }
    if (place) {
        snprintf(m.before, sizeof m.before, "%s has changed ", m.at.function);
        snprintf(m.after, sizeof m.after, ", of which %s has a copy, before %s", a->properties.path,
                 name_doing(doing, &m.at, text));
    } else {
        snprintf(m.before, sizeof m.before, "before this %s the host has changed ", doing->what);
        snprintf(m.after, sizeof m.after, ", of which %s has a copy", a->properties.path);
    }
    m.what.remedy = "call amp_refresh after writing the memory of a view";
    release();
    return report(&m);
}

/* ---- operations that wait for their turn ---- */

void amp__guard_pend(const void *key, const struct amp__doing *doing, int n, const struct amp__guarded *uses)
{
    struct pending *p = amp__guard_is_on() ? calloc(1, sizeof *p + (size_t)n * sizeof *uses) : NULL;
    if (!p)
        return;
    p->key = key;
    p->doing = *doing;
    copy_text(p->name, sizeof p->name, doing->name);
    p->n = n;
    memcpy(p->uses, uses, (size_t)n * sizeof *uses);
    acquire();
    for (int i = 0; i < n; i++) {
        uintptr_t memory = memory_of(&uses[i]);
        if (memory)
            widen(memory + uses[i].view.offset_bytes,
                  memory + uses[i].view.offset_bytes + amp__view_span(&uses[i].view));
    }
    p->stamp = ++n_stamps;
    p->next = all_pending;
    all_pending = p;
    release();
}

void amp__guard_free(void *key)
{
    if (amp__guard_is_on()) {
        acquire();
        struct pending **link = &all_pending, *p;
        while (*link && (*link)->key != key)
            link = &(*link)->next;
        if ((p = *link))
            *link = p->next;
        narrow();
        release();
        free(p);
    }
    amp__free(key);
}

/* ---- fork ---- */

void amp__guard_hold(void)
{
    acquire();
}

void amp__guard_resume(void)
{
    release();
}

/* What was pending is lost. */
void amp__guard_renew(void)
{
    for (struct pending *p; (p = all_pending);) {
        all_pending = p->next;
        free(p);
    }
    narrow();
    release();
}
