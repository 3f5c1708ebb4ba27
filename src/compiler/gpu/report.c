/* SPDX-License-Identifier: MIT
 *
 * Reports how kernels are spread over the threads of GPUs. The targets report what their code takes. */
#include "driver/driver.h"
#include "gpu/grid.h"
#include "object/describe.h"

#include <stdio.h>

static void print_headline(const struct kernel *kernel, const struct image *image, const struct plan *plan)
{
    struct block points = plan->body.block;
    fprintf(stderr, "%s:%u: kernel %s for %s: blocks of ", kernel->place.file, kernel->place.line,
            describe_ranks(kernel), image->name);
    for (int d = 3 - kernel->box_rank; d < 3; d++)
        fprintf(stderr, "%d%s", plan->threads[d], d < 2 ? " x " : " threads");
    if (points.rows * points.vectors > 1)
        fprintf(stderr, "; for large domains %d rows x %d columns of points per thread", points.rows, points.vectors);
    if (plan->stage)
        fprintf(stderr, ", staging %d iterations of a loop in shared memory", plan->stage->depth);
    fputs("\n", stderr);
}

static void add_json(const struct kernel *kernel, const struct image *image, const struct plan *plan, struct text *to)
{
    struct block points = plan->body.block;
    text_add(to, "%s{", to->size ? ",\n " : "");
    json_add_string(to, "kernel", kernel->name);
    text_add(to, ", ");
    json_add_string(to, "file", kernel->place.file);
    text_add(to, ", \"line\": %u, ", kernel->place.line);
    json_add_string(to, "target", image->name);
    describe_ranks_json(kernel, to);
    text_add(to, ",\n  \"threads\": [%d, %d, %d], \"rows\": %d, \"columns\": %d, \"staged\": %d", plan->threads[0],
             plan->threads[1], plan->threads[2], points.rows, points.vectors, plan->stage ? plan->stage->depth : 0);
}

bool report_grid(const struct image *image, const struct kernel *kernel, struct text *json)
{
    const struct plan *plan = image->codes[kernel->number].plan;
    if (json)
        add_json(kernel, image, plan, json);
    else
        print_headline(kernel, image, plan);
    return plan->body.block.rows * plan->body.block.vectors > 1;
}
