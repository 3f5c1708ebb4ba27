/* SPDX-License-Identifier: MIT
 *
 * The functions that are made for a kernel: its entry, which runs one thread, and for each target one that runs a box
 * of threads. Only this file knows what their parameters mean and in which order they stand: glue calls it to write the
 * entry as C, and the passes ask it what they find. */
#pragma once

#include "ampcc.h"

struct text;

/* ---- the entry ---- */

enum entry_meaning {
    ENTRY_ARGUMENTS, /* the address of the argument block */
    ENTRY_GLOBAL,    /* a component of the thread's index in the domain, */
    ENTRY_LOCAL,     /* of its index in the tile, */
    ENTRY_TILE,      /* of the tile's number, */
    ENTRY_ORIGIN,    /* of the index of the tile's first thread */
    ENTRY_CONVOY /* the number of the convoy's first tile, or, if there are no tiles, the index of its first thread */
};

struct entry_param {
    enum entry_meaning meaning;
    int component;              /* the component of the kernel's index in its box: 0 is the slowest */
    int dimension;              /* the same, counted among the three dimensions of a box */
    bool differs_in_tile;       /* between threads of a tile, or of the domain if there are no tiles */
    bool differs_between_tiles; /* between threads with the same index in different tiles */
};

/* Returns the name of the kernel's entry. */
const char *entry_name(int kernel_number);
/* Whether a function is an entry. */
bool entry_is(LLVMValueRef function);

int entry_n_params(const struct kernel *kernel);
struct entry_param entry_param(const struct kernel *kernel, int number);
/* Returns the number of a parameter in its function. */
int entry_param_number(LLVMValueRef argument);

/* The thread that an entry runs, along one dimension: its place in the tile and the tile's number, or, if that is NULL
 * because there are no tiles, its place in the domain; and where its convoy begins, if it has one. */
struct entry_thread {
    LLVMValueRef args, place, tile, convoy;
};

/* Returns the value of a parameter of the entry for a thread, which is given along the parameter's dimension. */
LLVMValueRef entry_value(LLVMBuilderRef builder, const struct kernel *kernel, const struct entry_param *param,
                         const struct entry_thread *thread);

/* Writes the type of the kernel's argument block, and the entry, as C. */
void entry_write(struct text *to, const struct kernel *kernel);
/* Returns the name of a parameter's value within the argument block. */
const char *entry_member(int param);

/* ---- the argument block ---- */

/* Whether `pointer` is the block's address. */
bool entry_is_block(LLVMValueRef pointer);
/* Whether `pointer` is a fixed place in the argument block; the first sets `*offset` to its bytes from the start. */
bool entry_place(LLVMValueRef pointer, long long *offset);
bool entry_is_argument(LLVMValueRef pointer);
/* Whether a value follows from arguments and constants, by way of loops, too; if `with_index`, also from the index. */
bool entry_determines(LLVMValueRef value, bool with_index);
/* Returns the kernel's parameter that begins at this place; NULL if none does. The closure of C++ as a whole is none.
 */
const struct param *entry_argument(const struct kernel *kernel, LLVMValueRef pointer);

/* An array or view in a closure begins with three addresses, the first of which is that of its elements; its extents
 * and its pitches follow: struct elements in include/cpp/amp/array_view.h. */
enum { ENTRY_ADDRESSES_BYTES = 3 * 8, ENTRY_EXTENT_BYTES = 4, ENTRY_PITCH_BYTES = 8 };
/* Return where the block has the extent and the pitch of dimension `d`. */
long long entry_extent(const struct param *param, int d);
long long entry_pitch(const struct param *param, int d);

/* ---- functions that run a box ---- */

enum { RUN_ARGS, RUN_BOX, RUN_PARAMS }; /* their parameters: the addresses of the argument block and the box */

/* Adds such a function, without a body, to a module. */
LLVMValueRef entry_add_run(LLVMModuleRef module, const char *name);
