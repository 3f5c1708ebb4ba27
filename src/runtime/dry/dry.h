/* SPDX-License-Identifier: MIT
 *
 * Dry runs: with AMP_DRY_RUN_RANKS=1024 a program runs on the processor alone, and says what each launch would do on so
 * many ranks: its parts, and what they would send. Launches are cut as those on ranks are (all/divide.c), and the bytes
 * of homes move by the rules of coherence.c and ranks/, but only their boxes do, and the sets of locations have more
 * members than a word has bits:
 *
 *     sets.c     sets of locations, each kept once
 *     spread.c   where the bytes of homes would be
 *     traffic.c  what would be sent
 *     dry.c      the plan of each launch */
#pragma once

#include "../all/all.h"
#include "../ranks/ranks.h"

/* ---- sets.c ---- */

/* A location is AMP__HOST, the memory of the host on all ranks, or 1 and the number of a rank. A set is known by a
 * number, so equal sets have equal numbers. */
enum { AMP__SET_NOTHING, AMP__SET_EVERYWHERE, AMP__DRY_LOCATIONS = 1 + AMP__MAX_DRY_RANKS };

bool amp__set_has(uint32_t set, int location);
/* Each returns AMP__SET_NOTHING without memory. */
uint32_t amp__set_with(uint32_t set, int location);
uint32_t amp__set_common(uint32_t a, uint32_t b);
/* The least location of a set that has one. */
int amp__set_first(uint32_t set);
/* Whether sets have, together, at least `n` members. They are those of parts. */
bool amp__sets_have(const struct amp__parts *parts, int n);

/* ---- spread.c ---- */

/* The transitions of coherence.c. */
amp_status amp__spread_read(struct amp__home *home, int location, const amp_array_view *view,
                            struct amp__effect *effect);
amp_status amp__spread_reserve(struct amp__home *home, int location, const amp_array_view *view);
amp_status amp__spread_show(struct amp__home *home, const amp_array_view *view, int rank);
amp_status amp__spread_own(struct amp__home *home, int location, const amp_array_view *view);
amp_status amp__spread_discard(struct amp__home *home, const amp_array_view *view);

size_t amp__spread_missing(int rank, const amp_array_view *view);
const struct amp__layout *amp__spread_layout(struct amp__home *home);
void amp__spread_begin(struct amp__effect *effect, struct amp__home *home);
/* The same layout, to be kept in an effect. */
void amp__spread_keep(struct amp__home *home, struct amp__layout **layout);
/* Makes a home's bytes be where the layout says. */
amp_status amp__spread_turn(struct amp__home *home, const struct amp__layout *layout);

/* ---- traffic.c ---- */

void amp__traffic_add(struct amp__traffic *sum, const struct amp__traffic *more);
/* Ranks begin a copy, as rank.c does: between ranks it waits for others. */
amp_status amp__traffic_move(struct amp__home *home, const struct amp__move *move);
/* The waiting ones go. */
void amp__traffic_finish(void);
/* A message from one rank to all others, or to one alone, or to none if that is itself; -1: all. */
void amp__traffic_send(int from, int to, size_t size_bytes);
/* All ranks learn something of `size_bytes` from all others. */
void amp__traffic_agree(size_t size_bytes);
/* Returns what has been sent since the last call. `of_rank`: what each rank has received, until the next call. */
struct amp__traffic amp__traffic_take(const struct amp__traffic **of_rank);

/* ---- dry.c ---- */

/* Plans a launch, says so, and runs it. */
amp_status amp__dry_run(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent);
/* Says what a call of the program has sent. `n`: how often ranks agree in it. */
void amp__dry_agree(const char *call, int n);
/* Makes the machine that of the dry run. */
void amp__dry_set_machine(void);
