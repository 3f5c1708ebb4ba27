/* SPDX-License-Identifier: MIT
 *
 * What the programs of the cookbook share: pictures, random numbers, and the end of main. */
#ifndef COOKBOOK_H
#define COOKBOOK_H

#include <amp.h>
#include <stdio.h>

/* Writes a picture, rows of red, green and blue bytes, to the file that the command line names, if it names one. */
static inline void picture_write(int argc, char **argv, int height, int width, const unsigned char *rgb)
{
    FILE *file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (file) {
        fprintf(file, "P6\n%d %d\n255\n", width, height);
        fwrite(rgb, 3, (size_t)width * (size_t)height, file);
        fclose(file);
    }
}

/* A random number from 0 to below 1 for each number `n`: the same on all machines and in any order. */
static inline float random_of(unsigned n) restrict(cpu, amp)
{
    n = (n ^ 61) ^ (n >> 16);
    n *= 9;
    n ^= n >> 4;
    n *= 0x27d4eb2d;
    n ^= n >> 15;
    return (float)(n >> 8) / 16777216;
}

/* The result of main: says what failed first, if anything did. */
static inline int finish(void)
{
    if (amp_error_status() != AMP_OK)
        fprintf(stderr, "%s\n", amp_error_text());
    return amp_error_status() != AMP_OK;
}

#endif
