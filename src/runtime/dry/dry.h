/* SPDX-License-Identifier: MIT
 *
 * Dry runs: with AMP_DRY_RUN_RANKS=1024 a program runs on the processor alone, and says what each launch would do on so
 * many ranks: its parts, and what they would send. Beside each home there is an imagined one, without memory, whose
 * bytes move by the same functions (coherence.c) between ranks that only count them:
 *
 *     traffic.c  these ranks, and what would be sent
 *     dry.c      the plan of each launch */
#pragma once

#include "../all/all.h"
#include "../ranks/ranks.h"

/* ---- traffic.c ---- */

/* What ranks send. */
struct amp__traffic {
    long long messages, bytes;
    long long most_messages, most_bytes; /* to one rank, or more than that */
};
void amp__traffic_add(struct amp__traffic *sum, const struct amp__traffic *more);
/* The backend of ranks that are not there. */
extern const struct amp__backend amp__dry_backend;
/* Copies between ranks, which wait for others, go. */
void amp__traffic_finish(void);
/* Copies to the host go to that of one rank alone; -1: to all again. */
void amp__traffic_only_to(int rank);
/* A message from one rank to all others. */
void amp__traffic_spread(int from, size_t size_bytes);
/* All ranks learn something of `size_bytes` from all others. */
void amp__traffic_agree(size_t size_bytes);
/* Returns what has been sent since the last call. `of_rank`: what each rank has received, until the next call. */
struct amp__traffic amp__traffic_take(const struct amp__traffic **of_rank);

/* ---- dry.c ---- */

/* Plans a launch, says so, and runs it. */
amp_status amp__dry_run(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent);
/* Between these, homes may be planned for; they do nothing without a dry run. */
void amp__dry_hold(void);
void amp__dry_resume(void);
/* Says what a call of the program has sent. `n`: how often ranks agree in it. */
void amp__dry_agree(const char *call, int n);
/* Makes the machine that of the dry run. */
amp_status amp__dry_set_machine(void);
