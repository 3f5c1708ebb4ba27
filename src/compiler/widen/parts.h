/* SPDX-License-Identifier: MIT
 *
 * What the files of the widener share. Other files need only widen.h. `row` and `vector` name an instance. */
#pragma once

#include "widen/widen.h"

/* ---- value.c ---- */

/* The first returns the value's number in the shapes, -1 for constants; the second, an instance's place in arrays of
 * them. */
int widen_number(const struct widener *w, LLVMValueRef value);
int widen_instance(const struct widener *w, int row, int vector);

/* Returns how the body runs an instruction. */
const struct way *widen_way(const struct widener *w, LLVMValueRef instruction);

/* Returns the vector type for a scalar type, and the struct of vectors for a struct type. */
LLVMTypeRef widen_vector_type(const struct widener *w, LLVMTypeRef type);
LLVMValueRef widen_i32(const struct widener *w, long value);
/* What widen_steps and widen_splat return, with `n` elements. */
LLVMValueRef widen_steps_of(LLVMTypeRef type, long step, int n);
LLVMValueRef widen_splat_of(const struct widener *w, LLVMValueRef scalar, int n);
LLVMValueRef widen_intrinsic(const struct widener *w, const char *name, LLVMTypeRef *types, size_t n_types,
                             LLVMValueRef *args, unsigned n_args);

/* Adds a basic block after the one that the builder is in. */
LLVMBasicBlockRef widen_block_here(const struct widener *w, const char *name);

/* Compute whether some lane of `mask` is on, whether all are; a & b, even where b is poison in lanes that are off in a;
 * a mask of all lanes for NULL. For a & b, a scalar stands for all lanes alike, and NULL for all that are on. */
LLVMValueRef widen_any(const struct widener *w, LLVMValueRef mask);
LLVMValueRef widen_all(const struct widener *w, LLVMValueRef mask);
LLVMValueRef widen_mask_and(const struct widener *w, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef widen_mask_or_all(const struct widener *w, LLVMValueRef mask);

/* Returns the mask of an instance of an access in the current node, which may be predicated; NULL: all lanes. */
LLVMValueRef widen_predicate(const struct widener *w, int row, int vector);

/* Whether the current node may run for lanes that are off: under a mask of its own, or predicated. */
bool widen_may_be_off(const struct widener *w);

bool widen_is_vector(LLVMValueRef value);

/* Returns what a slot holds; NULL for NULL. */
LLVMValueRef widen_read(const struct widener *w, LLVMValueRef slot);

/* Computes mask ? a : b, for structs member by member. */
LLVMValueRef widen_select(struct widener *w, LLVMValueRef mask, LLVMValueRef a, LLVMValueRef b);

/* The first says whether a value is cheaper to compute again than to keep; the second decides that it is computed
 * again. */
bool widen_is_cheap(const struct widener *w, LLVMValueRef value, int depth);
void widen_recompute(struct widener *w, LLVMValueRef value);

/* Return an instance: as it is kept, a scalar for uniform and linear values (that of lane 0) and a vector for varying
 * ones; as a vector with an element per lane; as a result of `shape` needs it; and one element of a vector. */
LLVMValueRef widen_get(struct widener *w, LLVMValueRef value, int row, int vector);
LLVMValueRef widen_get_vector(struct widener *w, LLVMValueRef value, int row, int vector);
LLVMValueRef widen_get_for(struct widener *w, struct shape shape, LLVMValueRef value, int row, int vector);
LLVMValueRef widen_lane(const struct widener *w, LLVMValueRef vector, int lane);
/* Returns the element of the first lane that is on. */
LLVMValueRef widen_first_lane(const struct widener *w, LLVMValueRef vector);

/* Returns a location of the entry as one of this copy of the nodes. */
LLVMMetadataRef widen_location(const struct widener *w, LLVMMetadataRef location);

/* ---- arithmetic.c ---- */

/* Makes an instance of an instruction's result, of that shape; returns NULL if it has none. */
typedef LLVMValueRef widen_code(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector);

/* Does so by the instruction's row in ops.def, and lets the instance promise what the instruction does. */
LLVMValueRef widen_instruction(struct widener *w, LLVMValueRef i, int row, int vector);

/* Returns the number of the operand that differs between lanes, and is linear, in a comparison of integers whose other
 * operand is uniform; -1 if there is none. */
int widen_linear_side(const struct shapes *shapes, LLVMValueRef comparison);

/* Whether a value is a comparison whose result was found before the body. */
static inline bool widen_is_known(const struct widener *w, LLVMValueRef i)
{
    int known = LLVMIsAICmpInst(i) ? shape_known(w->shapes, i) : 0;
    return known && !(known & KNOWN_EACH);
}

/* Whether a value is extended by computing it again in the wider type. */
bool widen_is_exact(const struct widener *w, LLVMValueRef i);

/* Runs `per_lane` for each lane, or, if `guarded`, for each lane that is on; makes a vector of the results, if any. */
LLVMValueRef widen_for_each_lane(struct widener *w, LLVMTypeRef result_type, bool guarded,
                                 LLVMValueRef (*per_lane)(struct widener *w, void *user, int lane), void *user);
LLVMValueRef widen_lane_by_lane(struct widener *w, LLVMValueRef i, struct shape shape, bool guarded, int row,
                                int vector);

/* ---- memory.c ---- */

/* Does what a contiguous load does: loads the vector of its lanes at `place`, of those in `mask` if that is not
 * NULL. */
LLVMValueRef widen_load_at(struct widener *w, LLVMValueRef load, LLVMValueRef place, LLVMValueRef mask);

/* Loads a vector of type `wide`; only those elements of it that are on, if `mask` is not NULL. */
LLVMValueRef widen_vector_at(struct widener *w, LLVMTypeRef wide, LLVMValueRef address, unsigned align,
                             LLVMValueRef mask);
/* Asks a cache for the `n` bytes that lie `distance` bytes after `address`, which may be anywhere. What loads ask for
 * comes to the second cache, since requests to the first hold up loads (bench/mv and bench/pathfinder on a Zen 4). */
enum cache { FIRST_CACHE = 3, SECOND_CACHE = 2 }; /* as LLVM's locality */
void widen_request(struct widener *w, enum cache cache, LLVMValueRef address, long distance, long n);
widen_code widen_load, widen_store, widen_atomic, widen_exchange;
/* Stores an instance's lanes, those that are on, side by side. Returns NULL. */
LLVMValueRef widen_store_at(struct widener *w, LLVMValueRef store, LLVMValueRef place, int row, int vector);
/* Loads a vector of elements at any places; only those that are on, if `mask` is not NULL. */
LLVMValueRef widen_gather(struct widener *w, LLVMTypeRef wide, LLVMValueRef addresses, unsigned align,
                          LLVMValueRef mask);
/* Stores a vector, or only those elements of it that are on. Returns the instruction. */
LLVMValueRef widen_store_vector(struct widener *w, LLVMValueRef vector, LLVMValueRef address, unsigned align,
                                LLVMValueRef mask);
/* Returns the value of one lane. Addresses and casts are computed again from their operands' lanes, because extracting
 * them from vectors of addresses costs more. Linear casts are not: widen_uses does not list their operands. */
LLVMValueRef widen_value_of_lane(struct widener *w, LLVMValueRef value, int row, int vector, int lane);

/* ---- joint.c ---- */

/* Returns the accesses that are done together with one; NULL if it stands for itself. */
const struct members *widen_members(const struct widener *w, LLVMValueRef access);
/* Do so with an instance of each; the first returns their values. */
void widen_load_members(struct widener *w, const struct members *members, int row, int vector,
                        LLVMValueRef values[MAX_MEMBERS]);
void widen_store_members(struct widener *w, const struct members *members, int row, int vector);
/* Loads a scalar for each lane, from somewhere else for lanes that are off. */
LLVMValueRef widen_load_anywhere(struct widener *w, LLVMValueRef load, int row, int vector);

/* ---- transpose.c ---- */

/* Prepares the slots of a load of stretches. */
void widen_begin_stretches(struct widener *w, LLVMValueRef load);
/* Returns the slot that says how many elements of the load's stretches were used, and what is stored there where
 * control enters the loop: all of them, so that the first iteration loads new ones. */
LLVMValueRef widen_stretch_slot(const struct widener *w, LLVMValueRef load);
LLVMValueRef widen_stretch_empty(const struct widener *w, LLVMValueRef load);
/* Returns how many iterations of a loop certainly follow on this one, in the type of its bound. */
LLVMValueRef widen_iterations_after(struct widener *w, const struct stretch *stretch);
/* The same for other values of its counter and bound, which may be vectors of lanes. */
LLVMValueRef widen_iterations_from(struct widener *w, const struct stretch *stretch, LLVMValueRef counter,
                                   LLVMValueRef bound);
/* Returns how often the loop that a node is, all of it, is unrolled; 0: it is not. What iterations then load ahead
 * stays in registers. `loads`: those of its stretches. */
int widen_unroll_length(const struct widener *w, int node, const LLVMValueRef *loads, int n_loads);
/* Returns an i1: whether so many iterations may begin, because they certainly follow and nothing is loaded ahead. */
LLVMValueRef widen_unrolled_may_begin(struct widener *w, LLVMValueRef load);
/* Emits such a load for the whole block; stores its instances at their places in `results`. */
void widen_stretches(struct widener *w, LLVMValueRef load, LLVMValueRef results[MAX_INSTANCES]);

/* ---- guess.c ---- */

/* Returns how many elements apart the places of neighbouring lanes probably are, because nothing but the index makes
 * them differ: 1 or, for loads, 0; -1: unknown. */
int widen_guessed_distance(const struct shapes *shapes, LLVMValueRef access);
/* Computes the addresses of such accesses again where they are used, so that subscripts are kept until then; returns
 * whether that changed the kernel. */
bool widen_sink_guesses(const struct shapes *shapes);
/* Makes an instance of such an access. */
widen_code widen_guess;

/* ---- call.c ---- */

/* Emits a call that lanes do not run. Code after amp_abort is never run. */
void widen_control(struct widener *w, LLVMValueRef call);
/* Calls the intrinsic that a call of WORK_VECTOR does, for vectors. */
LLVMValueRef widen_vector_call(const struct widener *w, LLVMValueRef call, LLVMValueRef *args);
/* Calls the vector version that a call of WORK_MATH does, for vectors of as many elements as that has at once. */
LLVMValueRef widen_math_call(const struct widener *w, LLVMValueRef call, LLVMValueRef *args);
widen_code widen_call;
