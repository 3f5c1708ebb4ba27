/* SPDX-License-Identifier: MIT
 *
 * The accelerator `all`, which is made of the machine's others, its *places*. A launch on it is cut into boxes, one for
 * each place, if the compiler knows what they touch (footprint.c):
 *
 *     all.c      which places there are, and for which machine launches are planned
 *     place.c    places on the processor with memory of their own, for tests
 *     speed.c    how fast places run a kernel
 *     divide.c   which boxes a launch is cut into, or why it is not
 *     plans.c    what launches have done, for those that repeat
 *     run.c      a launch from its copies to what is valid afterwards
 *     interior.c what of a part can run while its copies go on
 *     reduce.c   private copies of what all parts add to
 *     local.c    which box of a view each rank has for itself
 *     file.c     views from files and to files */
#pragma once

#include "../backend.h"

/* ---- all.c ---- */

struct amp__places {
    unsigned generation; /* how often they have changed */
    int n;
    amp_accelerator *at[AMP__MAX_ACCELERATORS]; /* those that queue their work come first */
};
extern struct amp__places amp__places;
/* Adds the accelerators whose paths a text lists, with commas. Returns false if it lists something else, or one of them
 * twice. */
bool amp__places_list(struct amp__places *places, const char *text);

/* For what launches are planned: these places; or, in a dry run, ranks that are not there (dry/dry.h). */
struct amp__machine {
    int n;
    amp_accelerator *const *at;
    /* Sets the shares of a launch that the `n` should get; only their ratios count. */
    void (*weigh)(const struct amp__kernel *kernel, double *weights);
    /* The home as it would be in a dry run, which stands for it there. Optional. */
    struct amp__home *(*imagine)(struct amp__home *home);
};
extern struct amp__machine amp__machine;
/* The home whose bytes such launches move. */
static inline struct amp__home *amp__home_planned(const amp_array_view *view)
{
    return amp__machine.imagine ? amp__machine.imagine(view->home) : view->home;
}

/* What is known about a kernel. */
struct amp__kept {
    atomic_uint generation; /* of the places */
    struct amp__speeds *speeds;
    struct amp__plan *plans; /* the last one that was used comes first */
};
/* Returns it; NULL without memory. */
struct amp__kept *amp__kept_of(const struct amp__kernel *kernel);

/* ---- place.c ---- */

/* How many places the text asks for; 0 if it is no such number. */
int amp__place_count(const char *text);
enum { AMP__MAX_PLACES = 16 };

/* ---- speed.c ---- */

/* Sets the shares of a launch that places should get. */
void amp__speeds_get(const struct amp__kernel *kernel, double *weights);
/* A number that changes when they do. */
unsigned amp__speeds_version(const struct amp__kernel *kernel);

/* A measurement of a part that runs. */
struct amp__timing {
    struct amp__speeds *speeds; /* NULL: nothing is measured */
    long long begin_ns;
    void *begin; /* a stamp, if the device has them */
};
void amp__speeds_begin(const struct amp__kernel *kernel, const amp_accelerator *place, struct amp__timing *timing);
/* The place has run, or has got to run, a part of `n` threads. */
void amp__speeds_end(int place, double n, const struct amp__timing *timing);
void amp__speeds_forget(struct amp__kept *kept);

/* ---- divide.c ---- */

/* The part of a launch that a place runs. */
struct amp__share {
    int place;
    int box[6];
    struct amp__footprint *footprints; /* by the uses of the launch; NULL: dropped */
};

struct amp__division {
    int n;                     /* at most 1: the launch runs as a whole */
    struct amp__share *shares; /* room for as many as the machine has */
    int grid[3];               /* how many parts there are in each dimension */
    size_t missing;            /* the bytes that places lack */
    int whole;                 /* if it is not cut: the place that runs it */
    char why[256];             /* and why */
    void *memory;              /* of `shares` and all that belongs to them */
};

/* Decides how to cut a launch for several places. The division is to be freed with amp__free(division->memory). */
amp_status amp__divide(const struct amp__call *call, const struct amp__launch *launch, struct amp__division *division);
/* Drops the footprints of all parts but some, which a launch that repeats seldom needs: of many ranks, they are most of
 * a plan. Without memory for the rest, nothing is dropped. */
void amp__division_shrink(struct amp__division *division, int n_uses, int begin, int end);
/* What a part may touch of a use; in `room`, if that was dropped. */
const struct amp__footprint *amp__share_footprint(const struct amp__call *call, const struct amp__share *share, int use,
                                                  struct amp__footprint *room);
/* The elements of a view that a part may touch. */
amp_array_view amp__span_view(const amp_array_view *view, const struct amp__span *span);
bool amp__span_is_empty(const struct amp__span *span);
/* Whether all that a launch does with the home of a use is one reduction. */
bool amp__use_is_reduced(const struct amp__call *call, int use, const struct amp__footprint *footprint);

/* ---- plans.c ---- */

/* What a launch does. */
struct amp__plan {
    struct amp__plan *next;
    int users; /* launches, and the list, if it is there */
    struct amp__key *key;
    bool is_known; /* it has been carried out before */
    struct amp__division division;
    int begin, end; /* the shares that this process runs are among these */
    int number;     /* in a dry run: of the first launch that had it */
    struct amp__interior {
        int share; /* which part has one; -1: none */
        int box[6];
    } interior;
    int n_homes;
    struct amp__home_plan {
        int use; /* the first one of the home */
        bool is_reduced, is_written;
        struct amp__effect effect;
    } homes[AMP__MAX_ARGS];
};
/* Finds the plan of a launch, or makes one. */
amp_status amp__plan_begin(const struct amp__call *call, const struct amp__launch *launch, struct amp__plan **plan);
/* Keeps a new plan for other launches if it was carried out. */
void amp__plan_end(const struct amp__kernel *kernel, struct amp__plan *plan, amp_status status);
void amp__plans_forget(struct amp__kept *kept);

/* ---- run.c ---- */

/* What a use is for a part. */
enum amp__role { AMP__READS, AMP__WRITES, AMP__REDUCES };
enum amp__role amp__share_role(const struct amp__call *call, const struct amp__share *share, int use);
/* Finds which homes of a new plan are reduced, which are written, and which places need memory for them. */
void amp__plan_roles(const struct amp__call *call, struct amp__plan *plan);
/* Brings to all parts of a launch what they need of a home. Sets `*is_planned` to false if that takes other copies than
 * the plan says. */
amp_status amp__plan_acquire(const struct amp__call *call, struct amp__plan *plan, struct amp__home_plan *h,
                             bool *is_planned);
/* Records what they have written of it, or have not because the launch has ended with `status`. */
amp_status amp__plan_settle(const struct amp__call *call, struct amp__plan *plan, struct amp__home_plan *h,
                            amp_status status);

/* ---- interior.c ---- */

/* Finds the interior of the part that runs here, once it is known what is copied. */
void amp__plan_interior(const struct amp__call *call, struct amp__plan *plan);
/* Cuts what is left of a box around its interior into boxes. Returns their number. */
int amp__cut_rims(const int box[6], const int interior[6], int rims[6][6]);

/* ---- reduce.c ---- */

/* Whether numbers of this size can be reduced so; see amp__reach. */
bool amp__reduction_is_known(int reduction, size_t element_size);

/* Gives a place a private copy of the elements of a view, in which the operation begins anew. The host has their
 * contents. */
amp_status amp__private_begin(const amp_array_view *view, amp_accelerator_view *on, int reduction);
/* What places have found, on its way to the host. It begins with zeros. */
struct amp__found {
    struct piece *of;
    size_t n, room, bytes;
    const amp_accelerator *begun; /* one from which copies to the host are only begun; NULL: there are none */
};
/* Adds what a place has found. */
amp_status amp__private_end(const amp_array_view *view, amp_accelerator_view *on, int reduction,
                            struct amp__found *found);
/* Brings it to the host, unless `status` is a failure, which it returns then; there is nothing in it afterwards. */
amp_status amp__found_combine(struct amp__found *found, amp_status status);
/* In how many copies. */
size_t amp__private_copies(const amp_array_view *view);

/* ---- local.c ---- */

/* A box of a view for each rank that has one; together they make up the view. */
struct amp__pieces {
    int n;
    struct amp__piece {
        int rank;
        amp_index origin;
        amp_array_view view;
        void *first; /* where this rank's host has the first element, while the piece is mapped */
    } of[];
};
/* Begins MPI if that is needed, and sets whether ranks have boxes of their own. */
amp_status amp__pieces_begin(bool *are_needed);
/* To be freed with amp__free. After an error, which is reported, returns NULL. */
struct amp__pieces *amp__pieces_new(const amp_array_view *view);
/* Bring them to their ranks, for a call with a view; and let these have memory for them, which they will overwrite. */
amp_status amp__pieces_bring(const char *call, const amp_array_view *view, const struct amp__pieces *pieces);
amp_status amp__pieces_reserve(const struct amp__pieces *pieces);
/* That of a rank; NULL: it has none. */
struct amp__piece *amp__piece_of(struct amp__pieces *pieces, int rank);
/* Gives this rank's host access to its piece, if it has one, and with `reads` its contents; and ends that. */
amp_status amp__piece_map(struct amp__piece *piece, bool reads);
amp_status amp__piece_unmap(const struct amp__piece *piece, bool writes);
/* Makes ranks the owners of their pieces. */
amp_status amp__pieces_own(const struct amp__pieces *pieces);

/* ---- file.c ---- */

/* What a program moves between a view and a file. */
struct amp__file {
    const char *call;
    amp_array_view *view;
    const char *path;
    long long offset;
    bool writes; /* the file */
    int descriptor;
};
/* Report a failure; and, with a status, that a file which has so many bytes is too short. */
amp_status amp__file_fail(const struct amp__file *file, const char *why);
amp_status amp__file_check_size(const struct amp__file *file, long long size_bytes);
/* Moves a part of the view, whose elements in memory begin at `first`: calls `move` for bytes that follow one another
 * in the file and in memory, until one fails. */
amp_status amp__file_move(const struct amp__file *file, const struct amp__piece *piece, char *first,
                          amp_status (*move)(const struct amp__file *file, long long offset, char *bytes, size_t size));
