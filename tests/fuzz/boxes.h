/* SPDX-License-Identifier: MIT
 *
 * What the programs of footprints.py and boxes.c share. */
#pragma once

enum { READ = 1, WRITTEN = 2, MEMORY = 1 << 16 };

/* The launch that runs: the rank of its index, of its array, and the array's size. */
struct running {
    int rank, array_rank, width; /* `width`: of the rows of an array of rank 2 */
    const int *tile;
    long n_elements;
};
extern struct running running;
extern char touched[MEMORY]; /* how each element of its array is touched */

/* Finds what a box of its domain touches. */
void touch_box(const int *begin, const int *end);
void report_wrong(const char *what);
int random_number(int from, int to);
void print_sizes(void);
