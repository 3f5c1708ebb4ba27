/* SPDX-License-Identifier: MIT
 *
 * The report of GPUs' code: how kernels are spread over threads. What their code takes, the targets say. */
#include "describe.h"
#include "driver.h"
#include "gpu/grid.h"

#include <stdio.h>

static void print_headline(const struct kernel *kernel, const struct image *image, const int shape[9])
{
    fprintf(stderr, "%s:%u: kernel %s for %s: blocks of ", kernel->place.file, kernel->place.line, kernel->name,
            image->name);
    for (int d = 3 - kernel->box_rank; d < 3; d++)
        fprintf(stderr, "%d%s", shape[d], d < 2 ? " x " : " threads");
    if (shape[8])
        fprintf(stderr, "; for large domains %d rows x %d columns of points per thread", shape[7] / shape[1],
                shape[8] / shape[2]);
    fputs("\n", stderr);
}

static void add_json(const struct kernel *kernel, const struct image *image, const int shape[9], struct text *to)
{
    text_add(to, "%s{", to->size ? ",\n " : "");
    describe_string(to, "kernel", kernel->name);
    text_add(to, ", ");
    describe_string(to, "file", kernel->place.file);
    text_add(to, ", \"line\": %u, ", kernel->place.line);
    describe_string(to, "target", image->name);
    text_add(to, ",\n  \"threads\": [%d, %d, %d], \"rows\": %d, \"columns\": %d", shape[0], shape[1], shape[2],
             shape[8] ? shape[7] / shape[1] : 1, shape[8] ? shape[8] / shape[2] : 1);
}

bool report_grid(const struct image *image, const struct kernel *kernel, struct text *json)
{
    const int *shape = image->codes[kernel->number].shape;
    if (json)
        add_json(kernel, image, shape, json);
    else
        print_headline(kernel, image, shape);
    return shape[8] > 0;
}
