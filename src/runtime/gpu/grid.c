/* SPDX-License-Identifier: MIT
 *
 * Runs a launch's domain as grids. A block takes some points along each dimension. The number of blocks of a grid along
 * y and z is limited, so a long domain needs several grids. */
#include "gpu.h"

/* A part of a domain, and the function that runs it, whose blocks take `points` each. */
struct part {
    void *entry;
    const int *points;
    int begin[3], end[3];
};

/* Sets up a grid's blocks: at most `most` along z and along y, from block `first` of the part on. */
static void cut(struct amp__gpu_grid *grid, const struct part *part, const long long blocks[3],
                const long long first[3], unsigned most)
{
    for (int k = 0; k < 3; k++) {
        long long n = blocks[k] - first[k];
        if (k < 2 && n > most)
            n = most;
        long long begin = part->begin[k] + first[k] * part->points[k], end = begin + n * part->points[k];
        grid->blocks[k] = (unsigned)n;
        grid->box[2 * k] = (int)begin;
        grid->box[2 * k + 1] = end < part->end[k] ? (int)end : part->end[k];
    }
}

static amp_status run_part(struct amp__gpu_queue *queue, struct amp__gpu_grid *grid, const struct part *part)
{
    const struct amp__gpu_driver *driver = queue->device->driver;
    long long blocks[3], most = driver->max_blocks;
    for (int k = 0; k < 3; k++)
        blocks[k] = ((long long)part->end[k] - part->begin[k] + part->points[k] - 1) / part->points[k];
    grid->entry = part->entry;
    amp_status status = AMP_OK;
    for (long long i = 0; i < blocks[0] && blocks[2] > 0; i += most)
        for (long long j = 0; j < blocks[1] && status == AMP_OK; j += most) {
            cut(grid, part, blocks, (long long[]){i, j, 0}, driver->max_blocks);
            status = driver->launch(queue, grid);
        }
    return status;
}

/* A block whose threads stage what they share is so much faster that it pays with few multiprocessors, or points. */
enum {
    ENOUGH = 6, /* blocks times this are as many as multiprocessors */
    FULL = 4    /* points times this fill the blocks */
};

/* If there is a function with several points per thread, it gets all whole blocks, provided that there are enough of
 * them for the device, and the other function gets the rest, along the far borders. If its blocks may extend beyond the
 * domain, it gets everything. Returns how many parts there are. */
static int cut_domain(const struct amp__gpu_device *device, const struct amp__gpu_function *f, const int box[6],
                      struct part parts[4])
{
    const int *many = f->geometry + 6;
    const struct part all = {f->entry, f->geometry + 3, {box[0], box[2], box[4]}, {box[1], box[3], box[5]}};
    int n_parts = 1, end[3]; /* the end of the whole blocks */
    long long n_blocks = 1, n_begun = 1, n_points = 1, n_room = 1;
    parts[0] = all;
    if (!f->many)
        return 1;
    for (int k = 0; k < 3; k++) {
        int n = (all.end[k] - all.begin[k]) / many[k];
        end[k] = all.begin[k] + n * many[k];
        n_blocks *= n;
        n_begun *= n + (end[k] < all.end[k]);
        n_points *= all.end[k] - all.begin[k];
        n_room *= (n + (end[k] < all.end[k])) * (long long)many[k];
    }
    if (f->geometry[9] == AMP__MANY_FOR_ALL && n_begun * ENOUGH >= device->n_multiprocessors &&
        n_points * FULL >= n_room) {
        parts[0].entry = f->many;
        parts[0].points = many;
        return 1;
    }
    if (n_blocks < device->n_multiprocessors)
        return 1;
    parts[0].entry = f->many;
    parts[0].points = many;
    for (int k = 0; k < 3; k++) {
        parts[0].end[k] = end[k];
        if (end[k] == all.end[k])
            continue;
        /* This part lies beyond the whole blocks along k, and within them along the dimensions before k. */
        parts[n_parts] = all;
        parts[n_parts].begin[k] = end[k];
        for (int before = 0; before < k; before++)
            parts[n_parts].end[before] = end[before];
        n_parts++;
    }
    return n_parts;
}

amp_status amp__gpu_run(struct amp__gpu_queue *queue, const struct amp__gpu_function *f,
                        const struct amp__launch *launch)
{
    const int *threads = f->geometry;
    struct amp__gpu_grid grid = {.of = f, .args = launch->args};
    bool is_flat = threads[0] > queue->device->driver->max_depth;
    grid.threads[0] = (unsigned)(is_flat ? 1 : threads[0]);
    grid.threads[1] = (unsigned)(is_flat ? 1 : threads[1]);
    grid.threads[2] = (unsigned)(is_flat ? threads[0] * threads[1] * threads[2] : threads[2]);
    struct part parts[4];
    int n_parts = cut_domain(queue->device, f, launch->box, parts);
    amp_status status = AMP_OK;
    for (int p = 0; p < n_parts && status == AMP_OK; p++)
        status = run_part(queue, &grid, &parts[p]);
    return status;
}
