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
    AMP__MAX_ACCELERATORS = 16,
    AMP__HOST = 0, /* the location of host memory; accelerators with memory of their own follow */
    AMP__MAX_LOCATIONS = 1 + AMP__MAX_ACCELERATORS
};

/* ---- error.c ---- */

/* Keeps `status` and the text as the calling thread's error, unless it has one. Returns `status`, to be passed on. */
amp_status amp__fail(amp_status status, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

/* ---- memory.c ---- */

/* Memory for the library itself: `align` is a power of two. Returns NULL when there is none; the caller reports. */
void *amp__alloc(size_t size_bytes, size_t align);
void amp__free(void *memory);

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

/* ---- type.c ---- */

/* The size of a scalar type; 0 for AMP_TYPE_STRUCT and for what is no element type. */
size_t amp__type_size(int type);
/* The C name of a scalar type, for people. */
const char *amp__type_name(int type);
/* Converts a number as in C: AMP_OK; AMP_ERROR_TYPE if either type is no number; AMP_ERROR_OUT_OF_RANGE for an integer
 * that does not fit or a fraction for an integer. Does not report. */
amp_status amp__type_convert(int to_type, void *to, int from_type, const void *from);
/* Writes the number as text, for people. */
void amp__type_print(int type, const void *value, char *text, size_t size);

/* ---- registry.c ---- */

/* The kernel with this address. Returns NULL with AMP_ERROR_NULL or AMP_ERROR_NO_KERNEL. */
const struct amp__kernel *amp__kernel_find(amp_kernel address);

/* ---- accelerator.c ---- */

struct amp_accelerator_view {
    amp_accelerator *accelerator;
    void *queue; /* the backend's; NULL is the device's own */
};

struct amp_accelerator {
    const struct amp__backend *backend;
    void *device;
    int location; /* of its memory; AMP__HOST if it works on host memory in place */
    amp_accelerator_properties properties;
    amp_accelerator_view view;
};

/* The default accelerator, which is fixed from now on. Returns NULL with AMP_ERROR_NO_ACCELERATOR. */
amp_accelerator *amp__accelerator_use_default(void);
/* The accelerator whose memory is `location`, which is not AMP__HOST. */
amp_accelerator *amp__accelerator_at(int location);

/* ---- coherence.c ---- */

enum amp__state { AMP__INVALID, AMP__SHARED, AMP__OWNER };

struct amp__copy {
    _Atomic unsigned char state; /* amp__state */
    _Atomic(void *) memory;      /* NULL until the location is first used */
    /* Whose queue used the memory last and may still do so; NULL for the host, and if the device queues no work. */
    _Atomic(amp_accelerator_view *) used_on;
};

/* The storage that a view and its sections share, with its copies. */
struct amp__home {
    atomic_int references;
    size_t size_bytes;
    bool read_only;
    pthread_mutex_t lock; /* of transitions */
    _Atomic(const amp_array_view *) mapped_by;
    amp_access_type mapped_for;
    struct amp__copy copies[AMP__MAX_LOCATIONS];
};

/* docs/coherence.md has the table of these transitions. */
struct amp__home *amp__home_new(void *host, size_t size_bytes, bool read_only);
void amp__home_retain(struct amp__home *home);
void amp__home_release(struct amp__home *home);
amp_status amp__home_read(struct amp__home *home, amp_accelerator_view *on);
amp_status amp__home_used(struct amp__home *home, amp_accelerator_view *on);
void amp__home_own(struct amp__home *home, int location);
void amp__home_discard(struct amp__home *home);
void amp__home_abandon(struct amp__home *home, int location);

/* ---- view.c ---- */

struct amp_array_view {
    atomic_int references;
    struct amp__home *home;
    size_t offset_bytes; /* of the first element in the home */
    amp_extent extent;
    int origin[AMP_MAX_RANK];       /* of the box, in the home's elements */
    ptrdiff_t stride[AMP_MAX_RANK]; /* in elements; the home's */
    amp_type type;
    size_t element_size;
    bool read_only;
    bool is_dense;
};

/* ---- dense.c ---- */

/* Copies the view's elements between the home's host memory and dense storage. */
void amp__dense_pack(const amp_array_view *view, void *dense);
void amp__dense_unpack(const amp_array_view *view, const void *dense);
/* Whether two views of one home have an element in common; whether they are the same box. */
bool amp__views_overlap(const amp_array_view *a, const amp_array_view *b);
bool amp__views_equal(const amp_array_view *a, const amp_array_view *b);

/* ---- arguments.c ---- */

/* An array argument of a launch. */
struct amp__use {
    const struct amp__param *param;
    amp_array_view *view;
    struct amp__use *same; /* an earlier use of the same strided section, whose dense copy serves here too */
    void *dense;           /* a strided section's dense copy on the host; NULL when used in place */
    void *memory;          /* where the kernel finds it */
};

/* A launch whose arguments have been checked. */
struct amp__call {
    const struct amp__kernel *kernel;
    unsigned char *block; /* the kernel's argument block */
    int n_uses;
    int n_strided; /* uses of views that are not dense */
    struct amp__use uses[AMP__MAX_ARGS];
};

/* Checks `args` against the kernel's parameters and fills the argument block, save the pointers of arrays. */
amp_status amp__arguments_check(struct amp__call *call, int n_args, const amp_arg *args);

/* Reports for a kernel: "name (file:line): ...". Returns `status`. */
amp_status amp__kernel_fail(const struct amp__kernel *kernel, amp_status status, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
