/* SPDX-License-Identifier: MIT
 *
 * Internals of the cpu backend. */
#pragma once

#include "../backend.h"

#include <sched.h>

enum { AMP__MAX_THREADS = 1024 };

/* ---- isa.c ---- */

/* Instruction set levels, ascending. NATIVE is code for the machine that compiled it; it is no level, and
 * AMP_ISA=native sets no limit. */
enum { ISA_BASELINE, ISA_V2, ISA_V3, ISA_V4, ISA_NATIVE, ISA_UNKNOWN };

/* The level of this name ("x86-64-v3", "native", ...), its name, and the highest level that the processor and the
 * system support. */
int amp__isa_level(const char *name);
const char *amp__isa_name(int level);
int amp__isa_of_machine(void);

/* Whether lanes that scatter pay more than on AMD's processors: on Intel's. */
bool amp__isa_scatters_fast(void);
/* Whether this machine has the processor that LLVM calls this, or a later Zen; only common names are known. */
bool amp__isa_is_processor(const char *name);

/* The processor's name, as it calls itself. */
void amp__processor_name(char *text, size_t size);

/* ---- pieces.c ---- */

/* A domain cut into `n` pieces, which threads take one by one. A piece's borders are multiples of `grain` from the
 * domain's beginning. */
struct amp__pieces {
    int box[6], grain[3];
    int per_dim[3];
    int n;
};

/* Cuts `box` into at most about `wanted` pieces, along the slowest dimension first. */
struct amp__pieces amp__pieces_cut(const int box[6], const int grain[3], enum amp__cut cut, int wanted);
/* The box {begin0, end0, begin1, end1, begin2, end2} of piece `i`. */
void amp__pieces_box(const struct amp__pieces *pieces, int i, int box[6]);
/* Returns a grain for a flat index whose rows have `length` threads, of which `rows` run at once: the length of whole
 * rows, if there are enough of them for `n_threads` threads, otherwise `grain`. */
int amp__pieces_rows(int extent, int length, int rows, int grain, int n_threads);
/* Returns how many pieces of a domain of this extent each of `n_threads` threads should get, if pieces shorter than
 * `together` would read less in a row; 0: they may be of any length. */
int amp__pieces_each(int extent, int together, int n_threads);
/* How many grains `box` has. */
double amp__pieces_grains(const struct amp__pieces *pieces, const int box[6]);
/* Cuts `box` in two across its longest dimension in grains. `first` gets about `grains` of them, but at least one
 * slice; `box` keeps the rest, which may be empty. Returns how many `first` got. */
double amp__pieces_split(const struct amp__pieces *pieces, double grains, int box[6], int first[6]);
/* Whether the box is empty. */
bool amp__pieces_is_empty(const int box[6]);

/* ---- pool.c ---- */

/* From now on launches share `n_threads` threads, including their callers, which run on `cpus`; empty: anywhere. */
void amp__pool_set(int n_threads, const cpu_set_t *cpus);
/* Calls `run` once for each piece from `begin` to `end`, on the calling thread and on as many others as are available,
 * with the caller's floating-point environment. Returns when all are done. */
void amp__pool_run(int begin, int end, void (*run)(void *context, int piece), void *context);
/* Lets threads that have nothing to do end, because the main thread has ended. */
void amp__pool_main_ended(void);
