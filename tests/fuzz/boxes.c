/* SPDX-License-Identifier: MIT
 *
 * Compares each element that random boxes of a launch touch, as the copy on the host notes it, with the footprint that
 * the library has for the box. Then the box runs as HACKING.md says, so that what is outside of its footprint cannot
 * be accessed, as far as that fills pages. It is linked with a program of footprints.py and
 * -Wl,--wrap=amp__footprints_try, and prints how large footprints are: boxes.py adds it up. */
#include "boxes.h"
#include "backend.h"

#include <stdio.h>

enum { N_KINDS = 2, MOST = 1000 };

/* Of the boxes in which a kernel reads, or writes, elements: how many have a footprint that is 1 + i / 100 times as
 * large, rounded up, or more; how many of them have all of the array, of which they touch less. */
static long n_by_size[N_KINDS][MOST + 1], n_whole[N_KINDS];
/* Of those in which it does not: how many have a footprint, or none. */
static long n_idle[N_KINDS][2];

static bool has(const struct amp__span *span, const long long *subscripts, int rank)
{
    bool is_in = true;
    for (int d = 0; d < rank; d++)
        is_in &= subscripts[d] >= span->low[d] && subscripts[d] <= span->high[d];
    return is_in;
}

/* Returns how a footprint says that an element may be touched. */
static int allowed(const struct amp__footprint *f, long long element, int rank)
{
    long long row = running.width, subscripts[2] = {rank == 1 ? element : element / row, element % row};
    bool is_read = !f->n_reads && has(&f->read, subscripts, rank);
    for (int i = 0; i < f->n_reads; i++)
        is_read |= has(&f->reads[i], subscripts, rank);
    return (is_read ? READ : 0) | (has(&f->written, subscripts, rank) ? WRITTEN : 0);
}

static void count(int kind, long n_elements, long n_allowed, long n_used)
{
    long size = n_used ? (100 * n_allowed + n_used - 1) / n_used - 100 : 0;
    if (n_used)
        n_by_size[kind][size < MOST ? size : MOST]++;
    else
        n_idle[kind][n_allowed > 0]++;
    n_whole[kind] += n_used && n_allowed == n_elements && n_used < n_allowed;
}

/* Compares what the box touches with its footprint. */
static void compare(const struct amp__call *call, const int *box)
{
    struct amp__footprint footprints[AMP__MAX_ARGS];
    int begin[2] = {0, 0}, end[2] = {1, 1};
    long n_allowed[N_KINDS] = {0}, n_used[N_KINDS] = {0};
    amp__footprints(call, box, footprints);
    for (int d = 0; d < running.rank; d++) {
        begin[d] = box[2 * (3 - running.rank + d)] * running.tile[d];
        end[d] = box[2 * (3 - running.rank + d) + 1] * running.tile[d];
    }
    touch_box(begin, end);
    for (long i = 0; i < running.n_elements; i++) {
        int may = allowed(&footprints[0], i, running.array_rank);
        if (touched[i] & ~may)
            report_wrong("touches what is outside of its footprint");
        for (int kind = 0; kind < N_KINDS; kind++) {
            n_allowed[kind] += may >> kind & 1;
            n_used[kind] += touched[i] >> kind & 1;
        }
    }
    for (int kind = 0; kind < N_KINDS; kind++)
        if (kind == 0 ? footprints[0].reach->reads : footprints[0].reach->writes)
            count(kind, running.n_elements, n_allowed[kind], n_used[kind]);
}

amp_status __real_amp__footprints_try(const struct amp__call *call, struct amp__launch *launch);
amp_status __wrap_amp__footprints_try(const struct amp__call *call, struct amp__launch *launch);

amp_status __wrap_amp__footprints_try(const struct amp__call *call, struct amp__launch *launch)
{
    enum { BOXES_OF_LAUNCH = 4 };
    amp_status status = AMP_OK;
    for (int i = 0; i < BOXES_OF_LAUNCH && status == AMP_OK; i++) {
        struct amp__launch part = *launch;
        for (int d = 0; d < 3; d++) {
            part.box[2 * d] = random_number(launch->box[2 * d], launch->box[2 * d + 1] - 1);
            part.box[2 * d + 1] = random_number(part.box[2 * d] + 1, launch->box[2 * d + 1]);
        }
        compare(call, part.box);
        status = __real_amp__footprints_try(call, &part);
    }
    return status;
}

void print_sizes(void)
{
    static const char *const names[N_KINDS] = {"read", "written"};
    for (int kind = 0; kind < N_KINDS; kind++) {
        printf("%s whole %ld idle %ld %ld sizes", names[kind], n_whole[kind], n_idle[kind][0], n_idle[kind][1]);
        for (int i = 0; i <= MOST; i++)
            if (n_by_size[kind][i])
                printf(" %d:%ld", 100 + i, n_by_size[kind][i]);
        printf("\n");
    }
}
