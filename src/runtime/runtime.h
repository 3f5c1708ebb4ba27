/* SPDX-License-Identifier: MIT
 *
 * libamp inside: the objects, and the exports of each file under its name. Every file of the runtime includes this
 * header first: what amp.h and the descriptors declare is visible outside of the library, and nothing else is, save
 * the hooks in testing.h. */
#pragma once

#pragma GCC visibility push(default)
#include "../../include/amp.h"

#include "../abi/descriptor.h"
#pragma GCC visibility pop

#include <pthread.h>
#include <stdatomic.h>

enum {
    AMP__MAX_ARGS = 31,
    AMP__MAX_ACCELERATORS = 20, /* 16 of them GPUs */
    AMP__NOWHERE = -1,
    AMP__HOST = 0, /* the location of host memory; accelerators with memory of their own follow */
    AMP__MAX_LOCATIONS = 1 + AMP__MAX_ACCELERATORS
};

/* ---- error.c ---- */

/* Keeps `status` and the text as the calling thread's error, unless it has one. Returns `status`, to be passed on. */
amp_status amp__fail(amp_status status, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

/* An error set aside. */
struct amp__error {
    amp_status status;
    char text[1024];
};
/* Exchanges `error` and the calling thread's. */
void amp__error_swap(struct amp__error *error);
/* The calling thread's. */
const struct amp__error *amp__error_now(void);

/* ---- memory.c ---- */

/* Memory for the library itself: `align` is a power of two. Returns NULL when there is none; the caller reports. */
void *amp__alloc(size_t size_bytes, size_t align);
void amp__free(void *memory);
/* Starts a thread, to which no signal is delivered but those that it raises itself, such as SIGSEGV. Returns false when
 * there is none to be had, which tests can bring about as for an allocation. */
bool amp__thread_start(pthread_t *thread, void *(*work)(void *), void *argument);
/* Between these the calling thread is not cancelled (pthread_cancel): where it calls what may be a cancellation point
 * while others rely on it, such as with a lock or in a kernel. */
int amp__cancellation_hold(void);
void amp__cancellation_resume(int before);

/* ---- stack.c ---- */

/* The bytes that the calling thread's stack has left; AMP__STACK_UNKNOWN on one of the program's own making, of which
 * the system knows no bounds. Takes microseconds at a thread's first call, and when less than `wanted` is left. */
size_t amp__stack_left(size_t wanted);
#define AMP__STACK_UNKNOWN SIZE_MAX

/* ---- object.c ---- */

/* What a handle stands for; odd values, so that other memory is hardly taken for one. */
enum amp__kind {
    AMP__RELEASED = 0x414d5021,
    AMP__ACCELERATOR,
    AMP__ACCELERATOR_VIEW,
    AMP__ARRAY,
    AMP__ARRAY_VIEW,
    AMP__FUTURE
};

/* The beginning of every public object. */
struct amp__object {
    _Atomic unsigned kind;
    atomic_int references;
};

/* With one reference. */
void amp__object_init(struct amp__object *object, enum amp__kind kind);
/* AMP_OK if `handle` is of this kind; else AMP_ERROR_NULL, or AMP_ERROR_INVALID_ARGUMENT for one that was released (as
 * far as that can be told) or stands for something else, reported in the name of `call`. */
static inline amp_status amp__object_check(const void *handle, enum amp__kind kind, const char *call);
amp_status amp__object_fail(const void *handle, enum amp__kind kind, const char *call) __attribute__((cold));
/* Drops a reference. Returns whether it was the last one. */
bool amp__object_drop(struct amp__object *object);
/* Marks `object` as released and frees it; in debug builds keeps it. */
void amp__object_free(struct amp__object *object);

static inline unsigned amp__object_kind(const void *handle)
{
    return atomic_load_explicit(&((struct amp__object *)(uintptr_t)handle)->kind, memory_order_relaxed);
}

static inline amp_status amp__object_check(const void *handle, enum amp__kind kind, const char *call)
{
    return handle && amp__object_kind(handle) == kind ? AMP_OK : amp__object_fail(handle, kind, call);
}

/* ---- log.c ---- */

enum { AMP__LOG_INFO = 1, AMP__LOG_COHERENCE = 2 };

/* Whether AMP_LOG asks for lines of this kind. */
bool amp__log_wants(int kind);
/* Writes a line to standard error. */
void amp__log(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));
/* Returns AMP_OK, or AMP_ERROR_INVALID_ARGUMENT if AMP_LOG makes no sense. */
amp_status amp__log_check(void);
/* Reads AMP_LOG again when it is next asked for. */
void amp__log_restart(void);

/* ---- extent.c ---- */

/* "2x4" for {2, 4}; as much as fits. Returns `text`. */
enum { AMP__SHAPE_TEXT = 8 * 12 };
char *amp__shape_text(int rank, const int *dim, char text[AMP__SHAPE_TEXT]);
/* What is wrong with the extent or index of rank AMP__MISFIT that has these `dim`: "component 1 of the extent is 1e+10,
 * which an int cannot hold; ...". `what`: "the extent". Returns `text`. */
enum { AMP__MISFIT_TEXT = 192 };
char *amp__misfit_text(const char *what, const int *dim, char text[AMP__MISFIT_TEXT]);

/* ---- type.c ---- */

/* What `address` is aligned to: the largest power of two that divides it. */
static inline size_t amp__align_of(uintptr_t address)
{
    return address & -address;
}

/* The size of a scalar type; 0 for AMP_TYPE_STRUCT and for what is no element type. */
size_t amp__type_size(int type);
/* The C name of a scalar type, for people. */
const char *amp__type_name(int type);
/* Converts a number as in C: AMP_OK; AMP_ERROR_TYPE if either type is no number; AMP_ERROR_OUT_OF_RANGE for an integer
 * that does not fit or a fraction for an integer. Does not report. */
amp_status amp__type_convert(int to_type, void *to, int from_type, const void *from);
/* Writes the number as text, for people. */
void amp__type_print(int type, const void *value, char *text, size_t size);

/* ---- small_floats.c: half and bfloat as bits ---- */

float amp__half_to_float(uint16_t half);
float amp__bfloat_to_float(uint16_t bfloat);
/* Rounded to nearest, ties to even. */
uint16_t amp__half_of(float value);
uint16_t amp__bfloat_of(float value);
/* A double or long double for the two above, which are to round it but once. */
float amp__to_odd(long double value);

/* ---- registry.c ---- */

/* The kernel with this address. Returns NULL with AMP_ERROR_NULL or AMP_ERROR_NO_KERNEL. */
const struct amp__kernel *amp__kernel_find(amp_kernel address);
/* Whether there are kernels, and suits(context, kernel) is true for all of them. */
bool amp__kernels_suit(bool (*suits)(void *context, const struct amp__kernel *kernel), void *context);

/* ---- fork.c ---- */

/* How often this process and its ancestors have been made by fork. Constant, except in the first moments of a child. */
unsigned amp__fork_generation(void);

/* Files with state that a fork must not find changing: `hold` waits for changes under way, and none begins until
 * `resume` in the parent, or `renew` in the child, which only the forking thread has come to. */
void amp__registry_hold(void);
void amp__registry_resume(void);
void amp__registry_renew(void);
void amp__coherence_hold(void);
void amp__coherence_resume(void);
void amp__queue_hold(void);
void amp__queue_resume(void);
void amp__queue_renew(void);
void amp__accelerators_renew(void);

/* ---- accelerator.c ---- */

struct amp_accelerator_view {
    struct amp__object object;
    amp_accelerator *accelerator; /* NULL: chosen by each launch */
    void *queue;                  /* the backend's; NULL is the device's own */
    atomic_int n_pending;         /* tasks that have been submitted and have not run */
    amp_accelerator_view_properties properties;

    /* The rest, and changing `n_pending`, under the lock of queue.c. */
    struct amp__task *first, *last; /* the pending tasks, oldest first */
    struct amp__task *first_done,
        *last_done;     /* those that have run and wait for callbacks, their own or earlier ones */
    int n_done, n_held; /* how many of them the end of the process waits for, and how many are markers */
    uint64_t n_submitted, n_run;
    bool is_busy;         /* some thread runs a task */
    bool is_calling_back; /* the worker does */
    bool has_worker, is_detached;
    pthread_t worker;
    struct amp__sleeper *resting; /* the worker, while it sleeps */
    bool is_dozing;               /* it wakes up by itself soon, and submissions need not wake it */
    int n_vain;                   /* how often in a row it was woken and found that others do its work */
    amp_accelerator_view *next;   /* in the list of those with a worker */
    bool is_expecting;            /* in the list of a home that its first task waits for */
    amp_accelerator_view *next_expecting;
    bool is_left_lying; /* in the list of those of which a thread that falls asleep wakes the workers */
    amp_accelerator_view *next_left_lying;
    struct amp__error failure; /* the first one that nobody has been told of */
};

struct amp_accelerator {
    struct amp__object object;
    const struct amp__backend *backend;
    void *device;
    int location; /* of its memory; AMP__HOST if it works on host memory in place */
    amp_accelerator_properties properties;
    bool is_cpu_access_fixed; /* the default of it; under the lock of accelerator.c */
    amp_accelerator_view view;
};

/* The default accelerator, which is fixed from now on. Returns NULL with AMP_ERROR_NO_ACCELERATOR. */
amp_accelerator *amp__accelerator_use_default(void);
/* What AMP_ACCESS_AUTO means for arrays on `accelerator`, which is fixed from now on. */
amp_access_type amp__accelerator_use_cpu_access_type(amp_accelerator *accelerator);
/* The accelerator_view that a call means: NULL and the auto-selection view stand for the default accelerator's, which
 * is fixed from now on. An error is reported in the name of `call`. */
amp_status amp__accelerator_view_use(amp_accelerator_view **view, const char *call);
/* The accelerator whose memory is `location`, which is not AMP__HOST. */
amp_accelerator *amp__accelerator_at(int location);
/* The queue of `cpu`, which works on host memory. */
amp_accelerator_view *amp__host_view(void);

/* ---- accelerator_view.c ---- */

/* Makes `view` one of `accelerator` (NULL: the auto-selection view), with one reference. */
void amp__accelerator_view_init(amp_accelerator_view *view, amp_accelerator *accelerator, void *queue,
                                amp_queuing_mode mode);
/* Adds a reference, unless the last one is gone. Returns whether it did. */
bool amp__accelerator_view_retain_used(amp_accelerator_view *view);
/* Frees a view whose last reference is gone and whose thread is at its end. */
void amp__accelerator_view_free(amp_accelerator_view *view);
/* Keeps a failure that nobody has been told of, if there is none yet, for amp_accelerator_view_wait. */
void amp__accelerator_view_keep(amp_accelerator_view *view, const struct amp__error *failure);
/* The same with the queues' lock held. */
void amp__accelerator_view_note(amp_accelerator_view *view, const struct amp__error *failure);
/* Waits for the device, for those who cannot fail: the view keeps the failure. */
void amp__accelerator_view_wait_quietly(amp_accelerator_view *view);

/* ---- queue.c ---- */

/* What asynchronous work does with a home. */
struct amp__access {
    struct amp__home *home;
    bool writes;
};

/* Puts `run(context)` behind what has been submitted to `on` before, and for each of the homes behind what has been
 * submitted on any queue before: a writer after all, a reader after the writers. It runs on a thread of the queue, or
 * on one that waits for it; what it reports there becomes the future's error. It must not call what waits (the
 * functions of amp.h, that is). Waits while the queue is full.
 *
 * run       NULL: a marker.
 * context   the task's from now on, and also after an error: `destroy` (or NULL) gets it when `run` is over.
 * accesses  `n` of them, borrowed; one home may be there twice. Their homes live until the task is over, without a
 *           reference: the last release of a home waits.
 * Returns   a future with one reference; NULL with AMP_ERROR_OUT_OF_MEMORY, or in the child of a fork
 *           AMP_ERROR_ACCELERATOR_VIEW_REMOVED: nothing will run. */
amp_future *amp__queue_submit(amp_accelerator_view *on, amp_status (*run)(void *context),
                              void (*destroy)(void *context), void *context, int n, const struct amp__access *accesses);

/* Wait until the tasks submitted to `on` before, or those that use `home` (and write it, unless `writes`), have run.
 * One load if there are none. Return AMP_OK, or, for a home, AMP_ERROR_ACCELERATOR_VIEW_REMOVED if they will never run,
 * because this process is a child of fork. */
static inline void amp__queue_wait(amp_accelerator_view *on);
static inline amp_status amp__home_wait(struct amp__home *home, bool writes);
void amp__queue_wait_slowly(amp_accelerator_view *on);
amp_status amp__home_wait_slowly(struct amp__home *home, bool writes);

/* Waits until the tasks submitted to `on` before have run, and futures of markers among them are ready. */
void amp__queue_finish(amp_accelerator_view *on);

/* What a thread waits for: done(what), which is called under the lock. */
typedef bool amp__condition(const void *what);
struct amp__wait {
    amp__condition *done;
    const void *what;
    /* Whose tasks the thread may run meanwhile: the queue's, or that of the last one that uses the home; either NULL.
     * The thread of a queue runs those of its own, so that callbacks may wait. */
    amp_accelerator_view *on;
    const struct amp__home *home;
    bool has_limit;
    double seconds; /* a limit, for which no thread but that of a queue runs tasks */
};
/* Returns done(what): false after the limit, and for what will never be in the child of a fork. */
bool amp__queue_wait_until(const struct amp__wait *wait);
void amp__queue_lock(void);
void amp__queue_unlock(void);
/* Reports that work was lost in a fork. Returns AMP_ERROR_ACCELERATOR_VIEW_REMOVED. */
amp_status amp__queue_fail_lost(void);
/* Whether this process is a child of fork whose parent had threads. */
bool amp__queue_is_lost(void);
/* Whether the calling thread is that of `on`, in a callback. */
bool amp__queue_is_own(const amp_accelerator_view *on);
/* Has the callbacks of a future called whose task has run, and which had none. Returns false if there is no thread for
 * them. Called with the lock held, as the next is. */
bool amp__queue_call_back(amp_future *future);
/* After a change: wakes those whose wait is over. */
void amp__queue_wake(void);

/* Ends the thread of `on`, which has no tasks. Returns false on that thread itself: it will free `on` later. */
bool amp__queue_end(amp_accelerator_view *on);
/* At the end of the process: waits for tasks and callbacks that others of its last functions have brought about. */
void amp__queue_drain_at_exit(void);
/* Waits for all tasks and their callbacks, and ends all threads. */
void amp__queue_end_all(void);

/* ---- future.c ---- */

enum amp__progress {
    AMP__PENDING,
    AMP__HELD,     /* a marker whose turn has come, but callbacks that were there before it are still to be called */
    AMP__LAUNCHED, /* it has run, as far as the host has to; `event` is its end on the device */
    AMP__READY
};

struct amp_future {
    struct amp__object object;
    atomic_int n_handles;           /* references of users, who share one of the object's */
    _Atomic unsigned char progress; /* amp__progress; it changes under the lock of queue.c */
    atomic_bool is_reported;        /* somebody has got the status */
    amp_status status;              /* when it is ready, or launched and failed */
    char *text;                     /* of a failure, its own; NULL: that of the status */
    void *event;                    /* or NULL; it stays until the future goes */
    bool is_settling, is_settled;   /* somebody waits for the event, or has */
    amp_accelerator_view *on;
    /* In order; none is added when it is ready; under the lock of queue.c until then. */
    struct amp__callback *callbacks;
};

/* With two references, the users' and the queue's. */
void amp__future_init(amp_future *future, amp_accelerator_view *on);
/* Takes note of a failure, as far as there is memory for its text. */
void amp__future_fail(amp_future *future, const struct amp__error *error);
/* Waits for the device and makes a launched future ready. Without the lock. */
void amp__future_settle(amp_future *future);
/* Leaves a failure that nobody has been told of with the future's queue. Called with the lock held. */
void amp__future_leave_failure(amp_future *future);
/* Frees a future whose references are gone, or whose task was not submitted; leaves its failure. */
void amp__future_free(amp_future *future);
/* Calls the callbacks of a future that is ready. */
void amp__future_call_back(amp_future *future);

/* ---- dense.c ---- */

/* A view's elements in order, as runs of bytes without a gap. */
struct amp__runs {
    int n_outer; /* dimensions in front of those that make up a run */
    size_t n, run_bytes;
    ptrdiff_t offset; /* of the current one from the first element, in bytes */
    int at[AMP_MAX_RANK];
};
/* Begins with the first run; each is one of `other`, too, which has the same extent and element size. */
struct amp__runs amp__runs_begin(const amp_array_view *view, const amp_array_view *other);
/* Goes on to the next one. Returns false if there is none. */
bool amp__runs_next(const amp_array_view *view, struct amp__runs *runs);
/* Copies a view's elements, the first of them at `first`, to or from dense storage. */
void amp__dense_pack(const amp_array_view *view, const void *first, void *dense);
void amp__dense_unpack(const amp_array_view *view, void *first, const void *dense);
/* Copies between the elements of two views of one extent and element size, which lie apart. */
void amp__dense_copy(const amp_array_view *to, void *first_to, const amp_array_view *from, const void *first_from);
/* Whether a view's elements lie as in an array of its extent. */
bool amp__view_is_dense(const amp_array_view *view);
/* The bytes from a view's first element to the end of its last. */
size_t amp__view_span(const amp_array_view *view);
/* Whether two views of one home have a byte in common; whether they are the same elements in the same order. */
bool amp__views_overlap(const amp_array_view *a, const amp_array_view *b);
bool amp__views_equal(const amp_array_view *a, const amp_array_view *b);

/* ---- box.c ---- */

/* A row-major grid of the bytes of a home: the last dimension counts bytes, and no dimension has only one point, unless
 * the grid does. */
struct amp__grid {
    int rank;
    size_t dim[AMP_MAX_RANK], stride[AMP_MAX_RANK]; /* strides in bytes */
};
void amp__grid_init(struct amp__grid *grid, const amp_extent *extent, size_t element_size);

/* The points of a grid from begin[d] up to, but not including, end[d] in each dimension d. Boxes are never empty. */
struct amp__box {
    size_t begin[AMP_MAX_RANK], end[AMP_MAX_RANK];
};
enum { AMP__MAX_PIECES = 2 * AMP_MAX_RANK };

struct amp__box amp__box_of(const struct amp__grid *grid);
size_t amp__box_bytes(const struct amp__grid *grid, const struct amp__box *box);
/* Whether two boxes have points in common; these are `*common`, which may be one of the two. */
bool amp__box_meet(int rank, const struct amp__box *a, const struct amp__box *b, struct amp__box *common);
/* Cuts what `a` has outside of `b` into boxes. Returns how many. */
int amp__box_subtract(int rank, const struct amp__box *a, const struct amp__box *b,
                      struct amp__box pieces[AMP__MAX_PIECES]);
/* Whether two boxes that have no point in common make up a box, which `a` then is. */
bool amp__box_join(int rank, struct amp__box *a, const struct amp__box *b);

/* The boxes that a view is in the grid of its home. A section of what the home was made as is one box. Any other view
 * is a few boxes for each run of its bytes; if there are more than `most_runs`, what lies between them counts as the
 * view's. */
struct amp__cover {
    const struct amp__grid *grid;
    const amp_array_view *view;
    int n, next;
    struct amp__box boxes[AMP__MAX_PIECES];
    bool is_rough; /* it has more than the view */
    bool has_runs; /* more of them to come */
    struct amp__runs runs;
};
/* `view`: NULL for all of the grid. */
void amp__cover_begin(struct amp__cover *cover, const struct amp__grid *grid, const amp_array_view *view,
                      size_t most_runs);
/* The next box; NULL if there is none. */
const struct amp__box *amp__cover_next(struct amp__cover *cover);

/* The bytes of a box, as rows at the same distance, one group of them after the other. */
struct amp__rows {
    size_t offset, bytes; /* of the first row, in the home */
    size_t n, stride;     /* rows, and bytes from the beginning of one to that of the next */
    int n_outer;          /* dimensions in front of those that make up a group */
    struct amp__box box;
    size_t at[AMP_MAX_RANK];
};
void amp__rows_begin(struct amp__rows *rows, const struct amp__grid *grid, const struct amp__box *box);
/* Goes on to the next group. Returns false if there is none. */
bool amp__rows_next(struct amp__rows *rows, const struct amp__grid *grid);

/* All points of a grid, as boxes that have none in common, each with a set of places. */
struct amp__part {
    struct amp__box box;
    uint32_t places;
};
struct amp__parts {
    int n, capacity;
    struct amp__part *of, first; /* `of`: `first`, until there are more */
};
void amp__parts_init(struct amp__parts *parts, const struct amp__grid *grid, uint32_t places);
void amp__parts_fini(struct amp__parts *parts);
/* One part, with these places. */
void amp__parts_reset(struct amp__parts *parts, const struct amp__grid *grid, uint32_t places);
/* Cuts the parts so that each is inside of the box or outside. Returns false if there is no memory; nothing has changed
 * then. */
bool amp__parts_split(struct amp__parts *parts, int rank, const struct amp__box *box);
/* Makes one part of two with the same places as often as that is possible. */
void amp__parts_join(struct amp__parts *parts, int rank);
/* The places that are in the sets of all parts, or in that of any. */
uint32_t amp__parts_all(const struct amp__parts *parts);
uint32_t amp__parts_any(const struct amp__parts *parts);

/* ---- coherence.c ---- */

enum amp__state { AMP__INVALID, AMP__PARTIAL, AMP__SHARED, AMP__OWNER };

struct amp__copy {
    _Atomic unsigned char state; /* amp__state: what the parts say of the location */
    _Atomic(void *) memory;      /* NULL until the location is first used */
    /* Whose queue used the memory last and may still do so; NULL for the host, and if the device queues no work. */
    _Atomic(amp_accelerator_view *) used_on;
};

/* The storage that an array or a view, and all views made of it, share, with its copies. */
struct amp__home {
    atomic_int references;
    size_t size_bytes;
    size_t align;             /* of its own memory, at least; changes under `lock` */
    int place;                /* the location that synchronising brings up to date; AMP__NOWHERE: without a source */
    bool is_borrowed;         /* the memory there is the user's */
    amp_accelerator_view *on; /* of an array; NULL for host memory, and without a source */
    pthread_mutex_t lock;     /* of transitions */
    struct amp__grid grid;    /* as it was made */
    struct amp__parts parts;  /* with the locations that have valid copies, as bits; under `lock` */
    atomic_uint generation;   /* of the process that has initialized it */
    _Atomic(const amp_array_view *) mapped_by;
    amp_access_type mapped_for;
    /* Tasks that use it; under the lock of queue.c, save reading `n_pending`. */
    atomic_int n_pending;
    uint64_t reads_submitted, reads_done, writes_submitted, writes_done;
    const struct amp__task *last_task; /* NULL if that has run */
    amp_accelerator_view *expecting;   /* queues whose first task waits for it; each is in one such list */
    struct amp__copy copies[AMP__MAX_LOCATIONS];
};

static inline void amp__queue_wait(amp_accelerator_view *on)
{
    if (atomic_load_explicit(&on->n_pending, memory_order_acquire) > 0)
        amp__queue_wait_slowly(on);
}

static inline amp_status amp__home_wait(struct amp__home *home, bool writes)
{
    return atomic_load_explicit(&home->n_pending, memory_order_acquire) > 0 ? amp__home_wait_slowly(home, writes)
                                                                            : AMP_OK;
}

/* A new home for all elements of the dense view `shape`, valid at `place`: the user's `memory` there, or its own that
 * nothing was written to yet if that is NULL. Its own is aligned to `align` bytes. After an error, which is reported,
 * `*home` is NULL. */
amp_status amp__home_new(const char *call, const amp_array_view *shape, size_t align, int place, void *memory,
                         amp_accelerator_view *on, struct amp__home **home);
/* Has the home's own memory aligned to `align` bytes from now on. Returns false if there is memory already, the user's
 * or its own, that is not; `*found` is what is aligned to then. */
bool amp__home_align(struct amp__home *home, size_t align, size_t *found);
void amp__home_retain(struct amp__home *home);
void amp__home_release(struct amp__home *home);
/* The functions that take a home and a view of it are about what the view has; NULL stands for all of the home. */
/* Whether the copy at `location` is valid and has memory. */
bool amp__home_has(struct amp__home *home, int location, const amp_array_view *view);
/* What kernels on `a`, which has memory for the home, know its byte at `offset` by. */
void *amp__home_address(struct amp__home *home, const amp_accelerator *a, size_t offset);
/* Where a valid copy has contents: at `location`, else on the host, else anywhere. If they are spread, the host;
 * AMP__NOWHERE if nothing was written since the contents were given up. */
int amp__home_find(struct amp__home *home, int location, const amp_array_view *view);
/* docs/coherence.md has the table of these transitions. */
amp_status amp__home_read(struct amp__home *home, amp_accelerator_view *on, const amp_array_view *view);
amp_status amp__home_reserve(struct amp__home *home, amp_accelerator_view *on, const amp_array_view *view);
amp_status amp__home_used(struct amp__home *home, amp_accelerator_view *on);
amp_status amp__home_own(struct amp__home *home, int location, const amp_array_view *view);
void amp__home_discard(struct amp__home *home, const amp_array_view *view);
void amp__home_abandon(struct amp__home *home, int location, const amp_array_view *view);

/* ---- view.c ---- */

struct amp_array_view {
    struct amp__object object;
    struct amp__home *home;
    size_t offset_bytes; /* of the first element in the home */
    amp_extent extent;
    ptrdiff_t stride[AMP_MAX_RANK]; /* in elements; that of the last dimension is 1 */
    amp_type type;
    size_t element_size;
    size_t align; /* of an element; 1 if nobody said it */
    bool read_only;
    bool is_dense;
};

/* A new view like `like`, with a reference to its home. Returns NULL, reported. */
amp_array_view *amp__view_new(const char *call, const amp_array_view *like);
/* All that a view is, without being an object: for a new view to begin with, or for later. It keeps nothing. */
amp_array_view amp__view_all(const amp_array_view *view);
/* Fills the shape of a view of dense elements, whose type may tell their alignment; `*size_bytes` is how much they
 * take. Reports. */
amp_status amp__view_init(const char *call, amp_array_view *view, const amp_extent *extent, amp_type type,
                          size_t element_size, size_t *size_bytes);
/* Whether the user's memory, which is to be its home, is aligned as its elements are. Reports. */
amp_status amp__view_check_memory(const char *call, const amp_array_view *view, const void *memory);
/* What storage for such elements is aligned to. */
size_t amp__view_storage_align(const amp_array_view *view);
/* Whether it has all elements of its home. */
bool amp__view_is_whole(const amp_array_view *view);
/* What the functions of their names do to a view, and to the array that is all of its home. */
amp_array_view *amp__view_section(const char *call, const amp_array_view *view, const amp_index *origin,
                                  const amp_extent *extent);
amp_array_view *amp__view_project(const char *call, const amp_array_view *view, const amp_index *index);
amp_array_view *amp__view_reinterpret(const char *call, const amp_array_view *view, amp_type type, size_t element_size);
amp_array_view *amp__view_reshape(const char *call, const amp_array_view *view, const amp_extent *extent);
void *amp__view_map(const char *call, const amp_array_view *view, amp_access_type access);
amp_status amp__view_unmap(const char *call, const amp_array_view *view);
/* AMP_ERROR_BUSY if a mapping stands against `access` to a view's home. */
amp_status amp__view_check_unmapped(const char *call, const amp_array_view *view, amp_access_type access);
/* The same, and then waits for asynchronous work that stands against it. */
amp_status amp__view_begin(const char *call, const amp_array_view *view, amp_access_type access);
/* Ends a view that is mapped, with its last reference. */
void amp__view_fini(amp_array_view *view);

/* ---- array.c ---- */

struct amp_array {
    amp_array_view whole; /* with the array's tag */
    amp_accelerator_view *associated;
    amp_access_type cpu_access; /* what the host may do to it in place */
};

/* ---- copy.c ---- */

/* Copies to all elements of a view from dense host memory, or from a view of the same shape and type. */
amp_status amp__copy_from_memory(const char *call, const amp_array_view *to, const void *data);
amp_status amp__copy_from_view(const char *call, const amp_array_view *to, const amp_array_view *from);
/* The same for a dense copy that a launch needs: bytes that come from elsewhere come from the host, where the source
 * becomes valid, so that the next launch finds it there. */
amp_status amp__copy_to_launch(const char *call, const amp_array_view *to, const amp_array_view *from);

/* ---- arguments.c ---- */

/* An array argument of a launch. */
struct amp__use {
    const struct amp__param *param;
    amp_array_view *view;
    struct amp__use *same;   /* an earlier use of the same strided section, whose dense copy serves here too */
    struct amp__home *dense; /* of a strided section's dense copy, where the kernel runs; NULL when used in place */
    void *memory;            /* where the kernel finds it */
};

/* A launch whose arguments have been checked. */
struct amp__call {
    const struct amp__kernel *kernel;
    amp_accelerator_view *on;           /* where it is to run; NULL: nothing has been said */
    const struct amp__param *placed_by; /* the array that has said so */
    unsigned char *block;               /* the kernel's argument block */
    int n_uses;
    int n_strided;                       /* uses of views that are not dense */
    struct amp__use uses[AMP__MAX_ARGS]; /* last, so that a launch that waits can leave out those that there are not */
};

/* Checks `args` against the kernel's parameters and fills the argument block, save the pointers of arrays. */
amp_status amp__arguments_check(struct amp__call *call, int n_args, const amp_arg *args);

/* Reports for a kernel: "name (file:line): ...". Returns `status`. */
amp_status amp__kernel_fail(const struct amp__kernel *kernel, amp_status status, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
