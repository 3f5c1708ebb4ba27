/* SPDX-License-Identifier: MIT
 *
 * What kernels with checks (ampcc --amp-check) and libamp share. The compiler lays out `amp__check_kernel` and what it
 * points to, by hand (src/compiler/checked/table.c); src/checked/library.c is the kernels' side of the checks, and
 * src/runtime/checked the runtime's.
 *
 * Threads run one after another. Each has a stamp: a number that grows from thread to thread, from barrier to barrier,
 * and from launch to launch, so that what is recorded about memory need never be cleared. Three words per granule of
 * memory say who wrote it last, who read it, and who updated it with an atomic operation; a word is a stamp and the
 * number of the access in the source.
 *
 *     launch   the first stamp of this launch: what is older is over
 *     tile     the first stamp of this tile, or of this thread in a kernel without tiles
 *     since    the first stamp after the last barrier that orders the memory
 *     thread   this thread's stamp
 *
 * An access conflicts with a recorded one whose stamp is from `launch` to `tile`, which is of another tile, or from
 * `since` to `thread`, which is of another thread of the tile that no barrier separates. No recorded stamp is greater
 * than `thread`. */
#pragma once

enum { AMP__CHECK_VERSION = 1 };

/* A recorded access: the stamp, whether several threads made it since the last barrier, and its site's number. */
typedef unsigned long long amp__check_word;
enum { AMP__CHECK_SITE_BITS = 20, AMP__CHECK_SEVERAL = 1 << AMP__CHECK_SITE_BITS, AMP__CHECK_STAMP_SHIFT = 21 };

/* What is known about a variable of the source when it is compiled. */
struct amp__check_variable {
    const char *name;
    void *address;                 /* of a tile_static variable; otherwise NULL */
    unsigned long long size_bytes; /* of any but an array parameter, which is known at a launch */
    unsigned long long element_bytes;
    int param;     /* the number of an array parameter; otherwise -1 */
    int rank;      /* 0: no array */
    int extent[8]; /* of any but an array parameter */
};

/* An object that accesses point into: an array, a tile_static or local variable, a constant table. */
struct amp__check_object {
    const struct amp__check_variable *variable;
    unsigned char *base;
    unsigned long long size_bytes;
    amp__check_word *written, *read, *updated; /* by granules; NULL: no other thread can write it */
    unsigned char *defined; /* by bytes: whether it was written; NULL: all was, as often of a tile_static variable */
    long long is_tile;      /* a tile_static variable */
    long long is_constant;  /* the source may not write it */
    long long extent[8];
};

/* The thread that runs now. The numbers are stamps, shifted as in a word. */
struct amp__check_now {
    amp__check_word thread, tile;
    amp__check_word round;     /* the first stamp after the last barrier */
    amp__check_word launch[2]; /* for arrays; for tile_static variables, of which each tile has its own: `tile` */
    amp__check_word since[2];  /* for arrays, for tile_static variables */
    unsigned waits;            /* the site of the barrier or return where a thread stopped last, shifted to the left by
                                  two, and in the last two bits what the barrier orders; 0 there: it has returned */
    const long long *kept;     /* what this thread's loop that ran ahead has handed out; NULL: it runs */
    void *frame;               /* of the thread that begins now in a kernel with barriers; NULL: it is not reserved */
};
enum { AMP__CHECK_ENDED = 1 << 30 }; /* instead of `waits`: the thread has ended with a report */

/* How many neighbouring threads run a loop together, and how many values each may keep. */
enum { AMP__CHECK_TOGETHER = 16, AMP__CHECK_KEPT = 8 };

/* The threads of a tile with barriers. Each that waits has a frame for what it needs then. */
struct amp__check_tile {
    unsigned *waits; /* by threads, as in `now` */
    unsigned char *frames;
    unsigned long long frame_bytes;
    int n, next; /* threads; the first that is to run */
};

/* A region of a kernel with barriers, whose threads all come to the same: what they do from one barrier to the next. */
struct amp__check_region {
    const void *args;
    const int (*places)[3]; /* in the tile, of its threads by their numbers */
    const int *tile;
    long long *in, *out; /* what is the same for all threads where the region begins, and where it ends */
    int first, end;      /* the threads that are to run */
    int number;          /* 0: the kernel's beginning; otherwise of the barrier behind which it begins */
};
enum { AMP__CHECK_SHARED = 64 }; /* how many values may be the same */

/* How an access uses memory. */
enum amp__check_use { AMP__CHECK_READ, AMP__CHECK_WRITE, AMP__CHECK_ATOMIC };

/* What a statement does that reads an element and changes it by what it has read. */
enum amp__check_update {
    AMP__CHECK_NO_UPDATE,
    AMP__CHECK_ADD,
    AMP__CHECK_SUB,
    AMP__CHECK_AND,
    AMP__CHECK_OR,
    AMP__CHECK_XOR,
    AMP__CHECK_MIN,
    AMP__CHECK_MAX,
    AMP__CHECK_COMPARE,      /* it writes if the element has a certain value */
    AMP__CHECK_OTHER_UPDATE, /* anything else */
    AMP__CHECK_NARROW,       /* anything, to an element that is too small for atomic operations */
};

/* A place in the source that accesses memory, waits, or computes. */
struct amp__check_site {
    const char *file;
    const char *function; /* NULL: the kernel itself */
    int line, column;
    int use;    /* amp__check_use */
    int update; /* amp__check_update: of which this access is a part */
};

struct amp__check_kernel {
    int version;
    int granule_shift;
    int stack_bytes; /* of the variables of a thread */
    int n_objects;   /* array parameters and tile_static variables */
    /* Runs a thread: `place` and `tile` are slowest first; without tiles `tile` is not used. */
    void (*thread)(const void *args, const int *place, const int *tile);
    /* NULL: without barriers. Otherwise `thread` comes back from the first one that it reaches, too, and this lets the
     * threads of the tile from `next` on run from the barrier at which they wait to the next one. */
    void (*resume)(struct amp__check_tile *tile);
    /* NULL: without barriers, or not all threads of a tile come to the same. Otherwise both are NULL instead, and this
     * lets threads run a region. Then `waits` is 0 if they have returned; otherwise it has the next region's number in
     * place of a site's. It is as before if no thread came so far. */
    void (*regions)(const struct amp__check_region *region);
    /* NULL: none. Runs a loop of AMP__CHECK_TOGETHER threads of a row, from the one at `place` on, together and
     * ahead of the rest, and keeps what it hands out: of each value, in turn, those of all threads. Returns 0 if
     * there is something to be reported or recorded: then the threads must run the loop. */
    int (*ahead)(const void *args, const int *place, long long *kept);
    struct amp__check_object *objects;
    struct amp__check_now *now;
    const struct amp__check_variable *variables; /* of the objects */
    const struct amp__check_site *sites;
};

/* ---- what kernels call ---- */

/* Runs a box of a kernel, as amp__image.run does. */
void amp__check_run(const void *args, const int *box, const struct amp__check_kernel *kernel);

/* Report an access outside of an object, by `n` subscripts or by its address, and end the thread. */
_Noreturn void amp__check_outside(const struct amp__check_object *object, unsigned site, int n, long long i0,
                                  long long i1, long long i2);
_Noreturn void amp__check_outside_indices(const struct amp__check_object *object, unsigned site, int n,
                                          const long long *index);
/* The same for a pointer to rows, which has `n` subscripts and, from the second on, extents. */
_Noreturn void amp__check_outside_rows(const char *name, unsigned site, int n, const long long *index,
                                       const long long *extent);
/* The same for a view of an array that has extents of its own. */
_Noreturn void amp__check_outside_view(const struct amp__check_object *object, unsigned site, int n,
                                       const long long *index, const long long *extent);
_Noreturn void amp__check_outside_member(const struct amp__check_object *object, unsigned site,
                                         const unsigned char *address, long long index, long long extent);
_Noreturn void amp__check_outside_bytes(const struct amp__check_object *object, unsigned site,
                                        const unsigned char *address);
/* Reports a write to what is constant, and ends the thread. */
_Noreturn void amp__check_constant(const struct amp__check_object *object, unsigned site, const unsigned char *address);
/* Reports an access that conflicts with a recorded one. */
void amp__check_conflict(const struct amp__check_object *object, unsigned site, const unsigned char *address,
                         amp__check_word other);
/* Whether this thread made a recorded access of its tile. */
int amp__check_is_own(amp__check_word word);
/* Notes again which bytes of an object are written, where all were. */
void amp__check_note_defined(const struct amp__check_object *object);
/* Reports a read of what was not written. */
void amp__check_undefined(const struct amp__check_object *object, unsigned site, const unsigned char *address);
/* Report the same for a local variable, `offset` bytes from its beginning. */
_Noreturn void amp__check_outside_local(const struct amp__check_variable *variable, unsigned site, int n, long long i0,
                                        long long i1, long long i2);
_Noreturn void amp__check_outside_local_indices(const struct amp__check_variable *variable, unsigned site, int n,
                                                const long long *index);
_Noreturn void amp__check_outside_local_member(const struct amp__check_variable *variable, unsigned site,
                                               long long index, long long extent);
_Noreturn void amp__check_outside_local_bytes(const struct amp__check_variable *variable, unsigned site,
                                              long long offset);
_Noreturn void amp__check_constant_local(const struct amp__check_variable *variable, unsigned site, long long offset);
void amp__check_undefined_local(const struct amp__check_variable *variable, unsigned site, long long offset);
/* Ends the launch if it takes too long. */
void amp__check_time(unsigned site);

/* ---- what the host's code calls ---- */

/* A place in the host's code. */
struct amp__check_place {
    const char *file, *function;
    int line, column;
    int use;    /* amp__check_use */
    int number; /* libamp's, once it has seen it */
};

/* Not 0 while libamp wants to know which memory the host's code accesses, and then what the host's code calls before an
 * access. */
extern int amp__check_host_arrays;
void amp__check_host(const void *address, unsigned long long size_bytes, struct amp__check_place *place);
/* Says where the next call of the library is, on this thread. */
void amp__check_call(struct amp__check_place *place);

/* What clang's checks of arithmetic call: see src/runtime/checked/arithmetic.c. The first is called before one of the
 * others in a function that is not a kernel. */
void amp__check_helper(const char *name);
struct overflow;
struct shift;
struct conversion;
struct builtin;
void amp__check_add_overflow(const struct overflow *data, __UINTPTR_TYPE__ left, __UINTPTR_TYPE__ right);
void amp__check_sub_overflow(const struct overflow *data, __UINTPTR_TYPE__ left, __UINTPTR_TYPE__ right);
void amp__check_mul_overflow(const struct overflow *data, __UINTPTR_TYPE__ left, __UINTPTR_TYPE__ right);
void amp__check_negate_overflow(const struct overflow *data, __UINTPTR_TYPE__ value);
void amp__check_divrem_overflow(const struct overflow *data, __UINTPTR_TYPE__ left, __UINTPTR_TYPE__ right);
void amp__check_shift_out_of_bounds(const struct shift *data, __UINTPTR_TYPE__ left, __UINTPTR_TYPE__ right);
void amp__check_float_cast_overflow(const struct conversion *data, __UINTPTR_TYPE__ from);
void amp__check_invalid_builtin(const struct builtin *data);

/* Notes a fence, which orders what a barrier with the same number does, and an atomic operation, which may see that
 * other threads have passed their fences. */
void amp__check_fence(int orders);
void amp__check_observe(void);
/* Reserves memory for what each thread keeps while it waits at barriers. Returns this thread's. */
void *amp__check_frame(unsigned long long size_bytes, unsigned long long align);
/* Ends the launch for amp_abort. */
_Noreturn void amp__check_abort(const char *text);
