/* SPDX-License-Identifier: MIT
 *
 * Panels: copies of the vectors that a loop reads and that are the same for all rows. */
#pragma once

#include "widen/widen.h"

/* Plans a panel for full blocks of a body of an untiled kernel; returns NULL if no loop has use for one. */
const struct panel *panel_plan(const struct kernel *kernel, const struct cfg *cfg, const struct body *body,
                               LLVMTargetDataRef layout, const struct options *options);

/* Whether a panel would hold what a load reads, if blocks have several rows. */
bool panel_suits(const struct kernel *kernel, const struct shapes *shapes, const struct options *options,
                 LLVMValueRef load);

/* What a body does with copies. Those that make some compute nothing else. */
enum panel_part { PANEL_READS, PANEL_FILLS, PANEL_FILLS_ROWS };

/* How a body takes part. */
struct panel_use {
    const struct panel *panel;
    enum panel_part part;
    LLVMValueRef memory;     /* of the panel */
    LLVMValueRef row_copies; /* memory for what differs between the rows of a block only */
    LLVMValueRef saved;      /* where the block keeps what its loop carries while it pauses */
    LLVMValueRef goes_on;    /* i1: the loop has paused, and goes on */
    LLVMValueRef count;      /* slot: iterations since then */
    LLVMValueRef has_paused; /* slot, i1: set when the panel is full */
};

/* Returns the nodes that such a body runs. */
const bool *panel_nodes(const struct widener *w);

/* Whether the body copies what a load reads, or reads the copy. */
bool panel_has(const struct widener *w, LLVMValueRef load);
void panel_write(struct widener *w, LLVMValueRef load, LLVMValueRef value, int vector);
LLVMValueRef panel_read(struct widener *w, LLVMValueRef load, int vector);

/* The same for a value that differs between rows only. */
bool panel_has_row_copy(const struct widener *w, LLVMValueRef value);
void panel_write_row(struct widener *w, LLVMValueRef value, LLVMValueRef result, int row);
LLVMValueRef panel_read_row(struct widener *w, LLVMValueRef value, int row);

/* Emits what happens along an edge after its phis are written; returns where it leads. At `end` the block is done, or
 * pauses. */
LLVMBasicBlockRef panel_follow(struct widener *w, int from, int to, LLVMBasicBlockRef end);
