/* SPDX-License-Identifier: MIT
 *
 * Internals of libamp: the objects, and the exports of each file under its name. Every file of the runtime includes
 * this header first: what amp.h and the descriptors declare is visible outside the library; nothing else is, except the
 * hooks in testing.h. */
#pragma once

#pragma GCC visibility push(default)
#include "../../include/amp.h"

#include "../abi/descriptor.h"
#pragma GCC visibility pop

#include <pthread.h>
#include <stdatomic.h>

enum {
    AMP__MAX_ARGS = 31,
    AMP__MAX_RANKS = 4096,                       /* of MPI, and of a dry run */
    AMP__MAX_ACCELERATORS = AMP__MAX_RANKS + 32, /* 16 of them GPUs */
    AMP__NOWHERE = -1,
    AMP__HOST = 0, /* the location of host memory; accelerators with memory of their own follow */
    AMP__MAX_LOCATIONS = AMP__MAX_RANKS + 64
};

/* ---- error.c ---- */

/* Keeps `status` and the text as the calling thread's last failure, and as its error, unless it has one. Returns
 * `status`, to be passed on. */
amp_status amp__fail(amp_status status, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));
/* Keeps them as the last failure alone: a question is answered with no. */
amp_status amp__answer_no(amp_status status, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));
/* Makes the last failure the thread's error, unless it has one. */
void amp__error_admit(void) __attribute__((cold));

/* An error set aside. */
struct amp__error {
    amp_status status;
    char text[1024];
    bool is_heard; /* the program hears of failures: they are last failures, too */
};
/* Exchanges `error` and the calling thread's error. Until it is called again with `error`, failures stay within the
 * library, unless `is_heard`. */
void amp__error_swap(struct amp__error *error);
/* The calling thread's error. */
const struct amp__error *amp__error_now(void);

/* ---- memory.c ---- */

/* Memory for the library itself: `align` is a power of two. Returns NULL when there is none; the caller reports. */
void *amp__alloc(size_t size_bytes, size_t align);
void amp__free(void *memory);
/* Starts a thread that receives only the signals that it raises itself, such as SIGSEGV. If it begins `elsewhere`, it
 * may run on the processors of the calling thread except the one that the caller is on, if there are others, and must
 * then set its own affinity. Returns false if that fails, which tests can cause as for an allocation. */
bool amp__thread_start(pthread_t *thread, void *(*work)(void *), void *argument, bool elsewhere);
/* Between these the calling thread is not cancelled (pthread_cancel). Used around possible cancellation points while
 * others depend on the thread, such as with a lock held or in a kernel. */
int amp__cancellation_hold(void);
void amp__cancellation_resume(int before);

/* ---- device.c ---- */

/* Returns what the calling thread has printed last by amp__print_error, if that was with `format`; else `format`. */
const char *amp__printed_error(const char *format);

/* ---- output.c: the files that AMP_PROFILE and AMP_TRACE name ---- */

/* Where a variable of the environment wants text to go. */
struct amp__output {
    const char *variable;
    char name[4096]; /* of the file; empty: standard error */
    int descriptor;
    bool is_per_process; /* the name has the number of the process */
};
/* Opens the file `name`, in which %p stands for the number of the process, and empties it. Returns false if it
 * cannot be written or another process is writing it, after a message, and in a child of fork if the file is its
 * parent's. */
bool amp__output_open(struct amp__output *output, const char *variable, const char *name);
/* Writes all of the text. Returns false after a message, and closes the file. */
bool amp__output_write(struct amp__output *output, const char *text, size_t size_bytes);
void amp__output_close(struct amp__output *output);
/* Writes `text` as it stands between the quotes of JSON, as much as fits. Returns `json`. */
char *amp__json_text(const char *text, char *json, size_t size);

/* ---- event.c: what happens, and when ---- */

/* Nanoseconds of the monotonic clock. */
long long amp__now_ns(void);

enum amp__event_kind {
    AMP__CALL, /* a call of the library, or a step of one */
    AMP__LAUNCH,
    AMP__COPY,
    AMP__WAIT
};

enum amp__clock {
    AMP__CLOCK_HOST,
    AMP__CLOCK_DEVICE,
    AMP__CLOCK_NONE /* the device works later, and cannot tell when */
};

/* What a thread does for a while. It lives on the thread's stack, in the event that the thread is in. */
struct amp__event {
    bool is_open;
    enum amp__event_kind kind;
    const char *name;                 /* of the call; what is waited for */
    const struct amp__kernel *kernel; /* of a launch, and of the call that makes it */
    amp_accelerator_view *on;         /* the queue, if there is one */
    const amp_accelerator *from, *to; /* of a copy; NULL is the host */
    const char *line;                 /* of docs/coherence.md, for the copies in it; NULL: that of the event around */
    size_t bytes;                     /* of a copy; of a launch's arrays */
    size_t n;                         /* copies of the device */
    uint64_t flow;                    /* its number, if this is in one */
    char flow_phase;                  /* where: 's' at its start, 't' on its way, 'f' at its end */

    /* Filled by event.c. */
    struct amp__event *around;
    const char *by;                       /* the outermost call around it */
    long long begin_ns, end_ns, inner_ns; /* `inner_ns`: of the events in it */
    enum amp__clock clock;
    int thread; /* the system's number */
    bool has_launched, has_failed;
    struct amp__late *late; /* of work whose times the device will tell */
};

/* Declares an event and begins it, if somebody wants to know. What follows are the initialisers of its fields. */
#define AMP__EVENT(event, ...)                                                                                         \
    struct amp__event event;                                                                                           \
    if ((event.is_open = amp__is_watched()))                                                                           \
    amp__event_begin(&event, &(struct amp__event){.is_open = true, __VA_ARGS__})
static inline bool amp__is_watched(void);
void amp__event_begin(struct amp__event *event, const struct amp__event *what) __attribute__((cold));
/* Ends the event, whose outcome is `status`. Returns `status`. */
static inline amp_status amp__event_end(struct amp__event *event, amp_status status);
void amp__event_end_open(struct amp__event *event, amp_status status) __attribute__((cold));
/* A number for a new flow. */
uint64_t amp__event_new_flow(void);
/* Reports the events whose times the devices have told; if `waits`, all. */
void amp__event_settle(bool waits);
/* Whether anybody wants to know, after a look at the environment. */
bool amp__watch(void) __attribute__((cold));
/* Reports all, ends the files, and makes the next query read the environment again. */
void amp__watch_restart(void);

extern _Atomic unsigned char amp__watch_state;
enum { AMP__WATCH_OFF, AMP__WATCH_UNREAD, AMP__WATCH_ON };

static inline bool amp__is_watched(void)
{
    return __builtin_expect(atomic_load_explicit(&amp__watch_state, memory_order_relaxed) != AMP__WATCH_OFF, 0) &&
           amp__watch();
}

static inline amp_status amp__event_end(struct amp__event *event, amp_status status)
{
    if (__builtin_expect(event->is_open, 0))
        amp__event_end_open(event, status);
    return status;
}

/* ---- profile.c, trace.c: what becomes of the events ---- */

/* Return whether the environment asks for them. Called once, before the others. */
bool amp__profile_begin(void);
bool amp__trace_begin(void);
void amp__profile_add(const struct amp__event *event);
void amp__trace_add(const struct amp__event *event);
/* Write what is left. */
void amp__profile_end(void);
void amp__trace_end(void);
/* The queue is about to be freed. */
void amp__trace_forget(const amp_accelerator_view *on);

/* ---- stack.c ---- */

/* The bytes that the calling thread's stack has left; AMP__STACK_UNKNOWN on a stack that the program itself has made,
 * whose bounds the system does not know. Takes microseconds at a thread's first call, and if less than `wanted` is
 * left. */
size_t amp__stack_left(size_t wanted);
#define AMP__STACK_UNKNOWN SIZE_MAX

/* ---- object.c ---- */

/* What a handle stands for. The values are odd, so that other memory is unlikely to look like an object. */
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

/* Starts with one reference. */
void amp__object_init(struct amp__object *object, enum amp__kind kind);
/* AMP_OK if `handle` is of this kind; else reports in the name of `call` AMP_ERROR_NULL, or AMP_ERROR_INVALID_ARGUMENT
 * if it stands for something else or, as far as this is known, was released. */
static inline amp_status amp__object_check(const void *handle, enum amp__kind kind, const char *call);
amp_status amp__object_fail(const void *handle, enum amp__kind kind, const char *call) __attribute__((cold));
/* Drops a reference. Returns whether it was the last one. */
bool amp__object_drop(struct amp__object *object);
/* Marks `object` as released and frees it; debug builds keep it. */
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
/* Returns AMP_OK, or AMP_ERROR_INVALID_ARGUMENT if AMP_LOG is invalid. */
amp_status amp__log_check(void);
/* Makes the next query read AMP_LOG again. */
void amp__log_restart(void);

/* ---- extent.c ---- */

/* Writes "2x4" for {2, 4}, as much as fits. Returns `text`. */
enum { AMP__SHAPE_TEXT = 8 * 12 };
char *amp__shape_text(int rank, const int *dim, char text[AMP__SHAPE_TEXT]);
/* Writes what is wrong with the extent or index of rank AMP__MISFIT that has these `dim`: "component 1 of the extent is
 * 1e+10, which an int cannot hold; ...". `what`: "the extent". Returns `text`. */
enum { AMP__MISFIT_TEXT = 192 };
char *amp__misfit_text(const char *what, const int *dim, char text[AMP__MISFIT_TEXT]);

/* ---- type.c ---- */

/* The alignment of `address`: the largest power of two that divides it. */
static inline size_t amp__align_of(uintptr_t address)
{
    return address & -address;
}

/* The size of a scalar type; 0 for AMP_TYPE_STRUCT and for anything that is not an element type. */
size_t amp__type_size(int type);
/* The C name of a scalar type, for people. */
const char *amp__type_name(int type);
/* Converts a number as in C. Returns AMP_OK; AMP_ERROR_TYPE if either type is no number; AMP_ERROR_OUT_OF_RANGE if the
 * target is an integer and the number does not fit or has a fraction. Does not report. */
amp_status amp__type_convert(int to_type, void *to, int from_type, const void *from);
/* Writes the number as text, for people. */
void amp__type_print(int type, const void *value, char *text, size_t size);

/* ---- small_floats.c: half and bfloat as bits ---- */

float amp__half_to_float(uint16_t half);
float amp__bfloat_to_float(uint16_t bfloat);
/* Rounds to nearest, ties to even. */
uint16_t amp__half_of(float value);
uint16_t amp__bfloat_of(float value);
/* Prepares a double or long double for the two above, so that it is rounded only once. */
float amp__to_odd(long double value);

/* ---- registry.c ---- */

/* Sets `*kernel` to the kernel with this address. After an error, which is reported, it is NULL: AMP_ERROR_NULL,
 * AMP_ERROR_NO_KERNEL, or AMP_ERROR_ACCELERATOR_VIEW_REMOVED because the process is ending. */
amp_status amp__kernel_find(amp_kernel address, const struct amp__kernel **kernel);
/* Arranges to notice the end of the process. Called when kernels are first registered, and when the library is first
 * used: what is registered with `atexit` earlier may be called only after kernels of shared libraries are gone. */
void amp__registry_expect_end(void);
/* Whether suits(context, kernel) is true for all kernels of the program, besides those of libamp; `if_none`: what this
 * is if it has none. */
bool amp__kernels_suit(bool (*suits)(void *context, const struct amp__kernel *kernel), void *context, bool if_none);

/* ---- main_thread.c ---- */

enum { AMP__LINGER_NS = 100000000 };

/* Whether the main thread is alive and its end will be noticed. Otherwise threads of the library end when they have had
 * nothing to do for AMP__LINGER_NS. */
bool amp__main_is_alive(void);
/* On the main thread: arranges that its end is noticed. */
void amp__main_watch(void);
/* If the main thread has ended, lets the calling thread, which is the library's, take the signals that it took. */
void amp__main_follow(void);

/* ---- fork.c ---- */

/* How many forks led to this process. Constant, except at the very beginning of a child. */
unsigned amp__fork_generation(void);

/* Each of these files has state that must not be changing at a fork. `hold` waits for changes under way, and no change
 * begins until `resume` in the parent or `renew` in the child, which has only the forking thread. */
void amp__registry_hold(void);
void amp__registry_resume(void);
void amp__registry_renew(void);
void amp__coherence_hold(void);
void amp__coherence_resume(void);
void amp__guard_hold(void);
void amp__guard_resume(void);
void amp__guard_renew(void);
void amp__queue_hold(void);
void amp__queue_resume(void);
void amp__queue_renew(void);
void amp__accelerators_renew(void);
void amp__main_renew(void);
void amp__watch_hold(void);
void amp__watch_resume(void);
void amp__watch_renew(void);
void amp__profile_hold(void);
void amp__profile_resume(void);
void amp__trace_hold(void);
void amp__trace_resume(void);
void amp__profile_renew(void);
void amp__trace_renew(void);

/* ---- accelerator.c ---- */

struct amp_accelerator_view {
    struct amp__object object;
    amp_accelerator *accelerator; /* NULL: chosen by each launch */
    void *queue;                  /* the backend's; NULL is the device's own */
    atomic_int n_pending;         /* tasks that have been submitted and have not run */
    amp_accelerator_view_properties properties;

    /* The lock of queue.c guards the rest, and changes of `n_pending`. */
    struct amp__task *first, *last; /* the pending tasks, oldest first */
    struct amp__task *first_done,
        *last_done;     /* tasks that have run and wait for callbacks, their own or earlier ones */
    int n_done, n_held; /* how many of these the end of the process waits for, and how many are markers */
    uint64_t n_submitted, n_run;
    bool is_busy;         /* some thread is running a task */
    bool is_calling_back; /* the worker is calling a callback */
    bool has_worker, is_detached;
    bool has_left; /* the worker has ended for lack of work */
    pthread_t worker;
    bool has_predecessor; /* such a worker, which the present one joins */
    pthread_t predecessor;
    struct amp__sleeper *resting; /* the worker, while it sleeps */
    bool is_dozing;               /* it wakes up by itself soon, and submissions need not wake it */
    int n_vain;                   /* how often in a row it was woken and found that others had done its work */
    amp_accelerator_view *next;   /* in the list of queues with a worker */
    bool is_expecting;            /* it is in the list of a home that its first task waits for */
    amp_accelerator_view *next_expecting;
    bool is_left_lying; /* it is in the list of queues whose workers a thread wakes before it falls asleep */
    amp_accelerator_view *next_left_lying;
    struct amp__error failure; /* the first failure that nobody has been told of */
};

struct amp_accelerator {
    struct amp__object object;
    const struct amp__backend *backend;
    void *device;
    int location; /* the location of its memory; AMP__HOST if it works on host memory in place */
    amp_accelerator_properties properties;
    bool is_cpu_access_fixed; /* whether the default access type is fixed; under the lock of accelerator.c */
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
/* How many locations there are. */
int amp__location_count(void);
/* Gives an accelerator a location. */
void amp__location_add(amp_accelerator *a);
/* The queue of `cpu`, which works on host memory. */
amp_accelerator_view *amp__host_view(void);

/* ---- accelerator_view.c ---- */

/* Makes `view` one of `accelerator` (NULL: the auto-selection view), with one reference. */
void amp__accelerator_view_init(amp_accelerator_view *view, amp_accelerator *accelerator, void *queue,
                                amp_queuing_mode mode);
/* Adds a reference, unless the last one is gone. Returns whether it did. */
bool amp__accelerator_view_retain_used(amp_accelerator_view *view);
/* Frees a view whose last reference is gone and whose thread is ending. */
void amp__accelerator_view_free(amp_accelerator_view *view);
/* Keeps a failure that nobody has been told of, if there is none yet, for amp_accelerator_view_wait. */
void amp__accelerator_view_keep(amp_accelerator_view *view, const struct amp__error *failure);
/* The same with the queues' lock held. */
void amp__accelerator_view_note(amp_accelerator_view *view, const struct amp__error *failure);
/* Waits until the device has done all work on the queue. */
amp_status amp__device_wait(const amp_accelerator_view *on);
/* The same for callers that cannot fail: the view keeps the failure. */
void amp__accelerator_view_wait_quietly(amp_accelerator_view *view);

/* ---- queue.c ---- */

/* What asynchronous work does with a home. */
struct amp__access {
    struct amp__home *home;
    bool writes;
};

/* Submits `run(context)`. It runs after all earlier tasks of `on`, and, for each of the homes, after earlier tasks of
 * any queue: a writer after all of them, a reader after the writers. It runs on a thread of the queue, or on one that
 * waits for it; what it reports there becomes the future's error. It must not call functions that wait, such as those
 * of amp.h. Waits while the queue is full.
 *
 * run       NULL: a marker.
 * context   the task owns it from now on, even after an error: `destroy` (or NULL) gets it when `run` is over.
 * accesses  `n` of them, borrowed; a home may occur twice. Their homes live until the task is over, without a
 *           reference: the last release of a home waits.
 * Returns   a future with one reference; NULL with AMP_ERROR_OUT_OF_MEMORY, or in the child of a fork with
 *           AMP_ERROR_ACCELERATOR_VIEW_REMOVED: nothing will run. */
amp_future *amp__queue_submit(amp_accelerator_view *on, amp_status (*run)(void *context),
                              void (*destroy)(void *context), void *context, int n, const struct amp__access *accesses);

/* Wait until all earlier tasks of `on`, or those that use `home` (only those that write it, unless `writes`), have run.
 * One load if there are none. For a home return AMP_OK, or AMP_ERROR_ACCELERATOR_VIEW_REMOVED if they will never run
 * because this process is a child of fork. */
static inline void amp__queue_wait(amp_accelerator_view *on);
static inline amp_status amp__home_wait(struct amp__home *home, bool writes);
void amp__queue_wait_slowly(amp_accelerator_view *on);
amp_status amp__home_wait_slowly(struct amp__home *home, bool writes);

/* Waits until all earlier tasks of `on` have run, and futures of markers among them are ready. */
void amp__queue_finish(amp_accelerator_view *on);

/* What a thread waits for: done(what), which is called under the lock. */
typedef bool amp__condition(const void *what);
struct amp__wait {
    amp__condition *done;
    const void *what;
    /* The thread may run tasks meanwhile: those of this queue, or of the queue whose task is the last to use the home;
     * either is NULL. The thread of a queue runs its own queue's tasks, so that callbacks may wait. */
    amp_accelerator_view *on;
    const struct amp__home *home;
    bool has_limit;
    double seconds; /* with a limit only the thread of a queue runs tasks */
};
/* Returns done(what): false after the limit, and in the child of a fork if it will never be true. */
bool amp__queue_wait_until(const struct amp__wait *wait);
void amp__queue_lock(void);
void amp__queue_unlock(void);
/* Reports that work was lost in a fork. Returns AMP_ERROR_ACCELERATOR_VIEW_REMOVED. */
amp_status amp__queue_fail_lost(void);
/* Whether this process is a child of fork whose parent had threads. */
bool amp__queue_is_lost(void);
/* Whether the calling thread is the thread of `on`, in a callback. */
bool amp__queue_is_own(const amp_accelerator_view *on);
/* Arranges to call the callbacks of a future whose task has run, and which had none. Returns false if there is no
 * thread for them. Called with the lock held, like the next function. */
bool amp__queue_call_back(amp_future *future);
/* After a change: wakes the threads whose wait is over. */
void amp__queue_wake(void);

/* Ends the thread of `on`, which has no tasks. Returns false on that thread itself: it will free `on` later. */
bool amp__queue_end(amp_accelerator_view *on);
/* Waits for all tasks and their callbacks. */
void amp__queue_drain(void);
/* Wakes all workers, because the main thread has ended. */
void amp__queue_rouse(void);
/* At the end of the process: waits for tasks and callbacks that other functions called at the end have caused. */
void amp__queue_drain_at_exit(void);
/* Waits for all tasks and their callbacks, and ends all threads. */
void amp__queue_end_all(void);

/* ---- future.c ---- */

enum amp__progress {
    AMP__PENDING,
    AMP__HELD,     /* a marker whose turn has come, but earlier callbacks are still to be called */
    AMP__LAUNCHED, /* the host's part has run; `event` is its end on the device */
    AMP__READY
};

struct amp_future {
    struct amp__object object;
    atomic_int n_handles;           /* the users' references, which share one of the object's */
    _Atomic unsigned char progress; /* amp__progress; it changes under the lock of queue.c */
    atomic_bool is_reported;        /* somebody has been told the status */
    amp_status status;              /* valid when it is ready, or launched and failed */
    char *text;                     /* of a failure, owned; NULL: the status's text */
    void *event;                    /* or NULL; it lives as long as the future */
    bool is_settling, is_settled;   /* somebody is waiting for the event, or has waited */
    amp_accelerator_view *on;
    /* In order; fixed once the future is ready, and until then under the lock of queue.c. */
    struct amp__callback *callbacks;
};

/* Starts with two references, the users' and the queue's. */
void amp__future_init(amp_future *future, amp_accelerator_view *on);
/* Records a failure, with its text if there is memory for that. */
void amp__future_fail(amp_future *future, const struct amp__error *error);
/* Waits for the device and makes a launched future ready. Called without the lock. */
void amp__future_settle(amp_future *future);
/* Leaves a failure that nobody has been told of with the future's queue. Called with the lock held. */
void amp__future_leave_failure(amp_future *future);
/* Frees a future whose references are gone, or whose task was not submitted; leaves its failure with the queue. */
void amp__future_free(amp_future *future);
/* Calls the callbacks of a future that is ready. */
void amp__future_call_back(amp_future *future);

/* ---- dense.c ---- */

/* A view's elements in order, as contiguous runs of bytes. */
struct amp__runs {
    int n_outer; /* dimensions before those that make up a run */
    size_t n, run_bytes;
    ptrdiff_t offset; /* of the current run from the first element, in bytes */
    int at[AMP_MAX_RANK];
};
/* Begins with the first run. Each run is also contiguous in `other`, which has the same extent and element size. */
struct amp__runs amp__runs_begin(const amp_array_view *view, const amp_array_view *other);
/* Goes on to the next run. Returns false if there is none. */
bool amp__runs_next(const amp_array_view *view, struct amp__runs *runs);
/* Copies a view's elements, the first of them at `first`, to or from dense storage. */
void amp__dense_pack(const amp_array_view *view, const void *first, void *dense);
void amp__dense_unpack(const amp_array_view *view, void *first, const void *dense);
/* Copies between two views of the same extent and element size, which have no memory in common. */
void amp__dense_copy(const amp_array_view *to, void *first_to, const amp_array_view *from, const void *first_from);
/* Whether a view's elements are laid out as in an array of its extent. */
bool amp__view_is_dense(const amp_array_view *view);
/* The bytes of a view's elements. */
size_t amp__view_bytes(const amp_array_view *view);
/* The bytes from a view's first element to the end of its last. */
size_t amp__view_span(const amp_array_view *view);
/* Whether a view's elements have one of `size_bytes` bytes of its home. */
bool amp__view_meets(const amp_array_view *view, ptrdiff_t offset, size_t size_bytes);
/* The index in a view of the element that has a byte of the view's home. */
amp_index amp__view_index_of(const amp_array_view *view, size_t offset);
/* Whether two views of one home have a byte in common; whether they are the same elements in the same order. */
bool amp__views_overlap(const amp_array_view *a, const amp_array_view *b);
bool amp__views_equal(const amp_array_view *a, const amp_array_view *b);
/* Whether two views, whose homes are different but have memory at the same place, have a byte of it in common. */
bool amp__views_share_memory(const amp_array_view *a, const amp_array_view *b);

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
/* Whether two boxes have points in common; if so, sets `*common`, which may be one of the two, to these. */
bool amp__box_meet(int rank, const struct amp__box *a, const struct amp__box *b, struct amp__box *common);
/* Cuts the part of `a` outside `b` into boxes. Returns how many. */
int amp__box_subtract(int rank, const struct amp__box *a, const struct amp__box *b,
                      struct amp__box pieces[AMP__MAX_PIECES]);
/* Whether two boxes that have no point in common make up a box; if so, sets `a` to it. */
bool amp__box_join(int rank, struct amp__box *a, const struct amp__box *b);

/* The boxes that cover a view in the grid of its home. A section in the home's own shape is one box. Any other view is
 * a few boxes for each run of its bytes; if there are more runs than `most_runs`, the bytes between them count as the
 * view's. */
struct amp__cover {
    const struct amp__grid *grid;
    const amp_array_view *view;
    int n, next;
    struct amp__box boxes[AMP__MAX_PIECES];
    bool is_rough; /* it covers more than the view */
    bool has_runs; /* more runs are to come */
    struct amp__runs runs;
};
/* `view`: NULL for all of the grid. */
void amp__cover_begin(struct amp__cover *cover, const struct amp__grid *grid, const amp_array_view *view,
                      size_t most_runs);
/* The next box; NULL if there is none. */
const struct amp__box *amp__cover_next(struct amp__cover *cover);

/* Equidistant rows of bytes. */
struct amp__rows {
    size_t offset, bytes; /* of the first row, in the home */
    size_t n, stride;     /* number of rows, and bytes from the beginning of one to the beginning of the next */
};
/* The bytes from the first row's first to the last one's last. */
size_t amp__rows_span(const struct amp__rows *rows);
static inline size_t amp__rows_bytes(const struct amp__rows *rows)
{
    return rows->n * rows->bytes;
}
static inline bool amp__rows_have_gaps(const struct amp__rows *rows)
{
    return rows->n > 1 && rows->stride != rows->bytes;
}

/* The bytes of a box, as groups of rows, one group after the other. */
struct amp__groups {
    struct amp__rows rows; /* of this group */
    int n_outer;           /* dimensions before those that make up a group */
    struct amp__box box;
    size_t at[AMP_MAX_RANK];
};
void amp__groups_begin(struct amp__groups *groups, const struct amp__grid *grid, const struct amp__box *box);
/* Goes on to the next group. Returns false if there is none. */
bool amp__groups_next(struct amp__groups *groups, const struct amp__grid *grid);

/* ---- set.c ---- */

/* A set of locations is known by a number, and equal sets have equal numbers. */
enum { AMP__SET_NOTHING, AMP__SET_EVERYWHERE, AMP__SET_ONES };
static inline uint32_t amp__set_of(int location)
{
    return AMP__SET_ONES + (uint32_t)location;
}
bool amp__set_has(uint32_t set, int location);
/* The least location from `location` on that is in the set; AMP__NOWHERE if there is none. */
int amp__set_next(uint32_t set, int location);
/* Sets with a location more, with one less, and of what two have in common. Return AMP__SET_NOTHING without memory,
 * too. */
uint32_t amp__set_with(uint32_t set, int location);
uint32_t amp__set_without(uint32_t set, int location);
uint32_t amp__set_common(uint32_t a, uint32_t b);
/* The least location that is in both; AMP__NOWHERE if there is none. */
int amp__set_first_common(uint32_t a, uint32_t b);
/* Whether `b` has all that `a` has. */
bool amp__set_is_within(uint32_t a, uint32_t b);
void amp__sets_hold(void);
void amp__sets_resume(void);

/* ---- parts.c ---- */

/* All points of a grid, as boxes that have no point in common, each with a set of places. */
struct amp__part {
    struct amp__box box;
    uint32_t places;
    bool has_changed; /* since parts were last joined */
    unsigned search;  /* the last one that has found it by the tree */
};
struct amp__parts {
    const struct amp__grid *grid;
    int n, capacity;
    struct amp__part *of, first; /* `of`: points to `first` while there is one part */
    int n_found, n_changed;
    int *found, *changed; /* numbers of parts: those of the last amp__parts_find, and those that have changed */
    int first_found, first_changed;
    struct amp__tree *tree; /* or NULL */
    unsigned n_searches;    /* since there is one, or since there is none */
};
void amp__parts_init(struct amp__parts *parts, const struct amp__grid *grid, uint32_t places);
void amp__parts_fini(struct amp__parts *parts);
/* Makes all of the grid one part, with these places. */
void amp__parts_reset(struct amp__parts *parts, uint32_t places);
/* Makes room for so many parts. Without memory returns false. */
bool amp__parts_reserve(struct amp__parts *parts, int n);
/* Makes parts the same as others of a grid of this shape. Without memory returns false and changes nothing. */
bool amp__parts_copy(struct amp__parts *parts, const struct amp__parts *from);
/* Finds the parts that have points in common with a box. Returns how many; their numbers are in `found`, in order. */
int amp__parts_find(struct amp__parts *parts, const struct amp__box *box);
/* Cuts the parts so that each is inside the box or outside. Without memory returns false and changes nothing. */
bool amp__parts_split(struct amp__parts *parts, const struct amp__box *box);
void amp__part_set(struct amp__parts *parts, int number, uint32_t places);
/* Joins parts with the same places, two at a time, as often as possible. Looks only at those that have changed and what
 * they may be joined with, because no others can be joined since the last time. */
void amp__parts_join(struct amp__parts *parts);
/* Cuts parts anew, so that they do not depend on how they have come to be, and sorts them by their first points. This
 * makes at most half as many more; if it would take more, or without memory, they are only sorted. */
void amp__parts_normalise(struct amp__parts *parts);
/* Whether sorted parts, and their grids, are the same. */
bool amp__parts_equal(const struct amp__parts *a, const struct amp__parts *b);
/* These are in set.c. The places that every part has, and those that any part has; AMP__SET_NOTHING without memory. */
uint32_t amp__parts_all(const struct amp__parts *parts);
uint32_t amp__parts_any(const struct amp__parts *parts);
/* The number of places that parts have, leaving out parts that are valid everywhere. */
int amp__parts_count_places(const struct amp__parts *parts);

/* ---- layout.c: its functions are called with the lock of coherence.c held under which parts change ---- */

struct amp__layout {
    struct amp__layout *next; /* in its bucket */
    int references;
    uint64_t hash, valid; /* `valid`: amp__validity_of the parts */
    struct amp__grid grid;
    struct amp__parts parts; /* sorted */
};
/* The layout of a home with these parts, which are sorted, with a reference for the caller; NULL without memory. */
struct amp__layout *amp__layout_of(struct amp__parts *parts);
void amp__layout_release(struct amp__layout *layout);

/* ---- coherence.c ---- */

enum amp__state { AMP__INVALID, AMP__PARTIAL, AMP__SHARED, AMP__OWNER };

enum {
    AMP__MOST_PARTS = 64,      /* a home in more parts moves as a whole, */
    AMP__PARTS_PER_PLACE = 32, /* unless it is spread over many places; a box and its rims in three dimensions are 27 */
    AMP__MOST_RUNS = 16        /* a view in more runs, which is no box, moves with the bytes between them */
};

struct amp__copy {
    _Atomic(void *) memory; /* NULL until the location is first used */
    /* The queue that used the memory last and may still use it; NULL for the host, and if the device queues no work. */
    _Atomic(amp_accelerator_view *) used_on;
};

/* The storage that an array or a view shares with all views made of it, and its copies. */
struct amp__home {
    atomic_int references;
    size_t size_bytes;
    size_t align;             /* the least alignment of its own memory; changes under `lock` */
    int place;                /* the location that synchronising brings up to date; AMP__NOWHERE: without a source */
    bool is_borrowed;         /* the memory at `place` is the user's */
    amp_accelerator_view *on; /* the queue of an array; NULL for host memory, and without a source */
    pthread_mutex_t lock;     /* held during transitions */
    struct amp__grid grid;    /* of the shape that it was created with */
    struct amp__parts parts;  /* their places are the sets of locations that have valid copies; under `lock` */
    _Atomic uint64_t valid;   /* amp__validity_of the parts; 0: not known */
    _Atomic unsigned char host_state;     /* of the host, or AMP__PARTIAL while it is not known */
    int most_parts;                       /* up to so many are not too many; under `lock` */
    _Atomic(struct amp__layout *) layout; /* of the parts, if it is known; changes under `lock` */
    bool is_ahead;                        /* the layout is newer than the parts; under `lock` */
    unsigned n_changes;                   /* of the parts; under `lock` */
    atomic_uint memories;                 /* the set of locations that have memory */
    bool is_store;                        /* launches may not use it as an array; see amp__array_store_only */
    bool has_lost_writes;                 /* a write of the host was overwritten, and reported; under `lock` */
    atomic_uint generation;               /* of the process that has initialised `lock` */
    _Atomic(const amp_array_view *) mapped_by;
    amp_access_type mapped_for;
    struct amp__pieces *pieces; /* of a local mapping (all/local.c); else NULL */
    /* Tasks that use it; under the lock of queue.c, except reading `n_pending`. */
    atomic_int n_pending;
    uint64_t reads_submitted, reads_done, writes_submitted, writes_done;
    const struct amp__task *last_task; /* NULL if that has run */
    amp_accelerator_view *expecting;   /* queues whose first task waits for it; a queue is in one such list at most */
    _Atomic(struct amp__home *) imagined; /* in a dry run: the home as it would be (dry/dry.h) */
    bool is_imagined;                     /* this is such a home: it has no memory */
    struct amp__copy host;
    int n_others;                       /* locations besides the host for which there is room */
    _Atomic(struct amp__copy *) others; /* by location, the first one at 0; NULL until one of them is used */
};

/* The copy at a location; NULL if it was never used. */
static inline struct amp__copy *amp__home_copy(const struct amp__home *home, int location)
{
    if (location == AMP__HOST)
        return (struct amp__copy *)(uintptr_t)&home->host;
    struct amp__copy *others = atomic_load_explicit(&home->others, memory_order_acquire);
    return others && location <= home->n_others ? &others[location - 1] : NULL;
}

/* Its memory; NULL if there is none. */
static inline void *amp__home_memory(const struct amp__home *home, int location)
{
    struct amp__copy *copy = amp__home_copy(home, location);
    return copy ? atomic_load_explicit(&copy->memory, memory_order_acquire) : NULL;
}

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

/* A new home for all elements of the dense view `shape`, valid at `place`: the user's `memory` there or, if that is
 * NULL, its own, still undefined. Its own memory is aligned to `align` bytes. After an error, which is reported,
 * `*home` is NULL. */
amp_status amp__home_new(const char *call, const amp_array_view *shape, size_t align, int place, void *memory,
                         amp_accelerator_view *on, struct amp__home **home);
/* A home of the same shape that has no memory, valid where a home is that a program has just made; NULL without memory
 * for it. */
struct amp__home *amp__home_imagine(const struct amp__home *like);
/* Makes all memory of the home aligned to `align` bytes from now on. Returns false if the home already has memory, the
 * user's or its own, that is not; `*found` is then its alignment. */
bool amp__home_align(struct amp__home *home, size_t align, size_t *found);
/* The memory at the home's place, which it has. */
static inline char *amp__home_source(const struct amp__home *home)
{
    return amp__home_memory(home, home->place);
}
void amp__home_retain(struct amp__home *home);
void amp__home_release(struct amp__home *home);
/* What the parts say of a location. */
enum amp__state amp__home_state(struct amp__home *home, int location);
/* The sets of locations at which all parts are valid, and any, as one number that is not 0; 0 without memory. */
uint64_t amp__validity_of(const struct amp__parts *parts);
/* Functions that take a home and a view act on the bytes of the view; NULL stands for all of the home. */
/* Whether the copy at `location` is valid and has memory. */
bool amp__home_has(struct amp__home *home, int location, const amp_array_view *view);
/* The address, for kernels on `a`, which has memory for the home, of its byte at `offset`. */
void *amp__home_address(struct amp__home *home, const amp_accelerator *a, size_t offset);
/* How many bytes of the view are not valid at `location`, but elsewhere. */
size_t amp__home_missing(struct amp__home *home, int location, const amp_array_view *view);
/* Where a valid copy has contents: at `location`, else on the host, else anywhere. If no location has all of them, the
 * host; AMP__NOWHERE if the contents are undefined. */
int amp__home_find(struct amp__home *home, int location, const amp_array_view *view);
/* docs/coherence.md has the table of these transitions. */
amp_status amp__home_read(struct amp__home *home, amp_accelerator_view *on, const amp_array_view *view);
amp_status amp__home_show(struct amp__home *home, const amp_array_view *view);
amp_status amp__home_reserve(struct amp__home *home, amp_accelerator_view *on, const amp_array_view *view);
amp_status amp__home_used(struct amp__home *home, amp_accelerator_view *on);
/* Lets a device, which has memory for the home, write a view there. */
amp_status amp__home_commit(struct amp__home *home, const amp_accelerator *a, const amp_array_view *view);
amp_status amp__home_own(struct amp__home *home, int location, const amp_array_view *view);
void amp__home_discard(struct amp__home *home, const amp_array_view *view);
void amp__home_abandon(struct amp__home *home, int location, const amp_array_view *view);

/* A copy of a box from one location to another. */
struct amp__move {
    int from, to;
    struct amp__box box;
};
/* What a launch on several places does to a home, to be repeated when the home is as it was then. */
struct amp__effect {
    struct amp__layout *before, *between, *after; /* kept; `between`: when everything is where it is read */
    uint32_t memories;                            /* the set of locations that had memory before */
    uint32_t used;                                /* the set of those that need memory */
    uint32_t queued;                              /* the set of those of them that queue work */
    int rank;                                     /* of the home's boxes */
    int n, room;
    size_t *moves;            /* from `before` to `between`, as move_at reads them */
    struct amp__batch *batch; /* all of them at once, by this backend; or NULL */
    const struct amp__backend *batch_backend;
    unsigned n_changes; /* of the home, until now */
    bool is_broken;     /* others have changed the home meanwhile, or memory lacks: it cannot be repeated */
};
/* The layout of a home, for comparisons only; NULL without memory. */
const struct amp__layout *amp__home_layout(struct amp__home *home);
/* Note an effect in this order: first all reads, then what is owned. The two in the middle are amp__home_read and
 * amp__home_own besides. */
void amp__effect_begin(struct amp__effect *effect, struct amp__home *home);
amp_status amp__effect_read(struct amp__effect *effect, struct amp__home *home, amp_accelerator_view *on,
                            const amp_array_view *view);
void amp__effect_have_read(struct amp__effect *effect, struct amp__home *home);
amp_status amp__effect_own(struct amp__effect *effect, struct amp__home *home, int location,
                           const amp_array_view *view);
void amp__effect_end(struct amp__effect *effect, struct amp__home *home);
void amp__effect_fini(struct amp__effect *effect);
/* How many of its reads bring something of a view to a location, or, if that writes it, take it from there. */
int amp__effect_meets(const struct amp__effect *effect, const struct amp__home *home, int location, bool is_written,
                      const amp_array_view *view);
/* Repeat its reads, and what is owned. Return false, and do nothing, if the home is not as it was. */
bool amp__effect_repeat_reads(const struct amp__effect *effect, struct amp__home *home, amp_status *status);
bool amp__effect_repeat_owns(const struct amp__effect *effect, struct amp__home *home);

/* Finds a byte of a view that has other contents on the host than on an accelerator, though both copies are valid: the
 * host was changed without amp_refresh. Returns false if there is none. */
bool amp__home_differs(struct amp__home *home, const amp_accelerator *a, const amp_array_view *view, size_t *offset);

/* ---- dry/: what a program would do on many ranks, see dry/dry.h ---- */

/* How many ranks there would be; 0: this is no dry run. */
extern atomic_int amp__dry_ranks;
/* Sets that by the environment. */
amp_status amp__dry_begin(void);
/* Lets it not notice, for a while, what the calling thread does, or notice it again. Returns whether it did not. */
bool amp__dry_pause(bool is_paused);
/* Tell it that a view comes to the host, to that of one rank alone, is written by the host, or has no contents. */
void amp__dry_read(struct amp__home *home, const amp_array_view *view);
void amp__dry_show(struct amp__home *home, const amp_array_view *view, int rank);
void amp__dry_own(struct amp__home *home, const amp_array_view *view);
void amp__dry_discard(struct amp__home *home, const amp_array_view *view);

/* ---- view.c ---- */

struct amp_array_view {
    struct amp__object object;
    struct amp__home *home;
    size_t offset_bytes; /* of the first element in the home */
    amp_extent extent;
    ptrdiff_t stride[AMP_MAX_RANK]; /* in elements; that of the last dimension is 1 */
    amp_type type;
    size_t element_size;
    size_t align; /* of an element; 1 if unknown */
    bool read_only;
    bool is_dense;
};

/* A new view like `like`, with a reference to its home. After an error, which is reported, returns NULL. */
amp_array_view *amp__view_new(const char *call, const amp_array_view *like);
/* A copy of a view that is not an object, for a new view to begin with or for later. It keeps nothing. */
amp_array_view amp__view_all(const amp_array_view *view);
/* Sets the shape of a view of dense elements, whose type may say their alignment, and `*size_bytes` to their size.
 * Reports. */
amp_status amp__view_init(const char *call, amp_array_view *view, const amp_extent *extent, amp_type type,
                          size_t element_size, size_t *size_bytes);
/* Checks that the user's memory, which is to be the view's home, is aligned for its elements. Reports. */
amp_status amp__view_check_memory(const char *call, const amp_array_view *view, const void *memory);
/* The alignment of storage for such elements. */
size_t amp__view_storage_align(const amp_array_view *view);
/* Whether it has all elements of its home. */
bool amp__view_is_whole(const amp_array_view *view);
/* These do what the public functions of their names do, for a view and for an array, which is the view of all of it. */
amp_array_view *amp__view_section(const char *call, const amp_array_view *view, const amp_index *origin,
                                  const amp_extent *extent);
amp_array_view *amp__view_project(const char *call, const amp_array_view *view, const amp_index *index);
amp_array_view *amp__view_reinterpret(const char *call, const amp_array_view *view, amp_type type, size_t element_size);
amp_array_view *amp__view_reshape(const char *call, const amp_array_view *view, const amp_extent *extent);
/* Makes `element` the view of the one element at `index`. Reports. */
amp_status amp__view_element(const char *call, const amp_array_view *view, const amp_index *index,
                             amp_array_view *element);
/* Checks that the elements have this type, and are aligned for it. Reports. */
amp_status amp__view_check_type(const char *call, const amp_array_view *view, amp_type type, size_t element_size);
/* Makes the view current on the host, and `*first` point to its first element. */
amp_status amp__view_read(const char *call, const amp_array_view *view, const void **first);
void *amp__view_map(const char *call, const amp_array_view *view, amp_access_type access);
amp_status amp__view_unmap(const char *call, const amp_array_view *view);
/* AMP_ERROR_BUSY if a mapping excludes `access` to a view's home. */
amp_status amp__view_check_unmapped(const char *call, const amp_array_view *view, amp_access_type access);
/* The same, and then waits for asynchronous work that excludes it. */
amp_status amp__view_begin(const char *call, const amp_array_view *view, amp_access_type access);
/* Checks that the access is one, and that the view allows it. */
amp_status amp__view_check_access(const char *call, const amp_array_view *view, amp_access_type access);
/* Ends a view whose last reference is gone, and its mapping if any. */
void amp__view_fini(amp_array_view *view);

/* ---- all/local.c ---- */

/* Ends a mapping of this rank's piece, and frees the pieces. */
amp_status amp__pieces_unmap(struct amp__pieces *pieces, bool writes);

/* ---- array.c ---- */

struct amp_array {
    amp_array_view whole; /* with the array's tag */
    amp_accelerator_view *associated;
    amp_access_type cpu_access; /* what the host may do to the array in place */
};

/* ---- guard.c: what the host's code does to arrays, for a device that looks for mistakes ---- */

/* That device, once a program uses it; NULL. */
extern const amp_accelerator *_Atomic amp__guard_device;
static inline bool amp__guard_is_on(void)
{
    return atomic_load_explicit(&amp__guard_device, memory_order_relaxed);
}

/* An operation that a program has asked for. */
struct amp__doing {
    const char *what; /* "launch" */
    const char *name; /* of the kernel, or of the function */
    int place;        /* amp__guard_call */
};
/* What it does with memory. */
struct amp__guarded {
    amp_array_view view;
    const void *memory;   /* where the view's home begins; NULL: that of the view's home on the host */
    const char *variable; /* how the operation calls it */
    bool writes;
};

/* Begins to guard if this accelerator looks for mistakes. */
void amp__guard_use(const amp_accelerator *a);
/* The number of the place of the call under way, which is forgotten; 0: it is not known. `a`: which it uses; or
 * NULL. */
int amp__guard_call(const amp_accelerator *a);
/* A home has got memory on the host or on a device. */
void amp__guard_home(struct amp__home *home);
void amp__guard_forget(struct amp__home *home);
/* An operation writes a view with an accelerator, from now on. */
void amp__guard_written(const struct amp__doing *doing, const amp_accelerator *a, const amp_array_view *view,
                        const char *variable);
/* The operation has failed, or the host has got the view's contents. */
void amp__guard_synchronized(struct amp__home *home, const amp_array_view *view);
/* The device has seen what the host has written so far. */
void amp__guard_seen(struct amp__home *home, const amp_array_view *view);
/* The host's contents are what counts. */
void amp__guard_refreshed(struct amp__home *home, const amp_array_view *view);
/* Bytes on the host are about to be overwritten with a device's. Reports if the host has changed them. */
amp_status amp__guard_overwrite(struct amp__home *home, const amp_accelerator *a, size_t offset, size_t size_bytes);
/* Reports that the host has changed a byte of a view, of which `a` has a copy, before an operation. `kernel`: whose
 * place to name if that of the change is not known; or NULL. Returns the status. */
amp_status amp__guard_report_change(const struct amp__doing *doing, const amp_array_view *view, const char *variable,
                                    const amp_accelerator *a, size_t offset, const struct amp__kernel *kernel);
/* An operation waits for its turn. `key`: with which amp__guard_free will be called, after it has run. */
void amp__guard_pend(const void *key, const struct amp__doing *doing, int n, const struct amp__guarded *uses);
/* Ends that, and frees `key`. */
void amp__guard_free(void *key);

/* ---- copy.c ---- */

/* Copies to all elements of a view from dense host memory, or from a view of the same shape and type. */
amp_status amp__copy_from_memory(const char *call, const amp_array_view *to, const void *data);
amp_status amp__copy_from_view(const char *call, const amp_array_view *to, const amp_array_view *from);
/* The same for a dense copy that a launch needs, before and after it. Bytes from another device come through the host,
 * where the source becomes valid, so that the next launch finds it there. */
amp_status amp__copy_to_launch(const char *call, const amp_array_view *to, const amp_array_view *from);
amp_status amp__copy_from_launch(const char *call, const amp_array_view *to, const amp_array_view *from);

/* ---- arguments.c ---- */

/* An array argument of a launch. */
struct amp__use {
    const struct amp__param *param;
    amp_array_view *view;
    struct amp__use *same;   /* an earlier use of the same strided section, whose dense copy is used here, too */
    struct amp__home *dense; /* of a strided section's dense copy, where the kernel runs; NULL when used in place */
    void *memory;            /* the kernel's address of it */
};

/* A launch whose arguments have been checked. */
struct amp__call {
    const struct amp__kernel *kernel;
    int place;                          /* amp__guard_call */
    amp_accelerator_view *on;           /* where it is to run; NULL: not yet known */
    const struct amp__param *placed_by; /* the array that has decided this */
    unsigned char *block;               /* the kernel's argument block */
    int n_uses;
    int n_strided;                       /* uses of views that are not dense */
    struct amp__use uses[AMP__MAX_ARGS]; /* last, so that a waiting launch can leave out the unused ones */
};

/* Checks `args` against the kernel's parameters and fills the argument block, except the pointers of arrays. */
amp_status amp__arguments_check(struct amp__call *call, int n_args, const amp_arg *args);
/* An array is used where it lives, and decides where the launch runs if nothing else does. */
amp_status amp__arguments_check_place(struct amp__call *call, const struct amp__param *param,
                                      const amp_array_view *whole);
/* Checks that no array's memory is written through the home of another. */
amp_status amp__arguments_check_homes(const struct amp__call *call);

/* ---- footprint.c ---- */

/* The elements of an array that a part of a launch may touch: the least and the greatest subscripts, within the array.
 * If a least one is above the greatest one, there are none. */
struct amp__span {
    long long low[AMP_MAX_RANK], high[AMP_MAX_RANK];
};
struct amp__footprint {
    const struct amp__reach *reach; /* NULL: nothing is known, and the array may be read and written */
    struct amp__span read, written;
    int n_reads; /* if it is not 0, only these spans are read; `read` is their hull */
    struct amp__span reads[AMP__MAX_READS];
};

/* Finds for each use of a launch what the part `box` of it may touch. */
void amp__footprints(const struct amp__call *call, const int *box, struct amp__footprint *footprints);
/* Finds it for one use. */
void amp__footprint_of_use(const struct amp__call *call, const int *box, int use, struct amp__footprint *footprint);

struct amp__launch;
/* For tests, if AMP_TEST_FOOTPRINTS is 1, or 2, which also prints the footprints: launches on the processor run in
 * parts, on copies of their arrays of which only the part's footprints hold the contents. What is changed outside of
 * them ends the program. */
bool amp__footprints_are_tried(const struct amp__call *call);
amp_status amp__footprints_try(const struct amp__call *call, struct amp__launch *launch);

/* ---- launch.c ---- */

/* What amp_launch does, in a task, whose turn it is: it does not wait for other tasks. */
amp_status amp__launch_in_turn(amp_accelerator_view *on, amp_extent extent, amp_kernel kernel, int n_args,
                               const amp_arg *args);
/* The calling thread's rounding, and whatever else its control register controls; and work(context) under such
 * settings. */
unsigned amp__floating_point(void);
amp_status amp__run_with_floating_point(unsigned control, amp_status (*work)(void *context), void *context);

/* ---- fold.c ---- */

/* A sum, the least or the greatest: of real numbers, signed and unsigned integers. */
union amp__total {
    double real;
    int64_t whole;
    uint64_t natural;
};

/* Reduces `n` rows of parts of the type `type`, at least one, as src/algorithms/kernel.h says. */
void amp__fold(amp_type type, int reduction, const void *parts, int64_t n, union amp__total *total);
/* Stores in `before`, for each row, the sum of `*total` and of all earlier rows; adds all rows to `*total`. */
void amp__fold_before(amp_type type, const void *parts, int64_t n, union amp__total *total, void *before);
/* Stores it as a number of the type `type`, rounded once. */
void amp__total_store(const union amp__total *total, amp_type type, void *value);

/* ---- closure.c ---- */

/* Checks what a closure of C++ captures, and fills the argument block in the same way. */
amp_status amp__closure_check(struct amp__call *call, const void *closure, size_t size_bytes);

/* Reports for a kernel: "name (file:line): ...". Returns `status`. */
amp_status amp__kernel_fail(const struct amp__kernel *kernel, amp_status status, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
