/* SPDX-License-Identifier: MIT
 *
 * Makes the kernels' code for all images at the same time: for each image, a copy of this process takes the kernels'
 * form through the passes from `retarget` to `assemble` and leaves the code in a file. Meanwhile clang makes the object
 * of the host's code.
 *
 * A copy reports nothing that goes wrong. This process then does all the work itself, one image after another, and
 * fails the same way. */
#include "driver/driver.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* What a copy hands back, in shared memory. */
struct result {
    double milliseconds[N_PASSES];
    int geometries[][MAX_GEOMETRY]; /* by the kernels' numbers */
};

struct job {
    struct unit *unit;
    int image;
    struct result *result;
    pid_t copy;
};

static int make_image(void *what)
{
    struct job *job = what;
    struct unit *unit = job->unit;
    struct image *image = &unit->images[0];
    bool stopped;
    if (!unit->options->debug) /* places in the source serve messages, and a copy prints none */
        LLVMStripModuleDebugInfo(unit->form);
    *image = unit->images[job->image];
    unit->n_images = 1;
    passes_take_times(job->result->milliseconds);
    if (!passes_run(unit, "retarget", "assemble", &stopped))
        return EXIT_USER_ERROR;
    passes_take_times(job->result->milliseconds);
    for (int k = 0; k < unit->n_kernels; k++)
        memcpy(job->result->geometries[k], image->codes[k].geometry, sizeof image->codes[k].geometry);
    driver_write(image->code_file, image->code, image->code_bytes);
    return 0;
}

/* Reads a GPU's code, which becomes data. */
static bool read_code(struct image *image)
{
    FILE *file = fopen(image->code_file, "rb");
    struct text text = {0};
    bool good = file && text_add_file(&text, file);
    if (file)
        fclose(file);
    image->code = text.chars;
    image->code_bytes = text.size;
    return good;
}

/* Waits for the copy and takes over what it made. */
static bool end_job(const struct job *job)
{
    struct image *image = &job->unit->images[job->image];
    if (job->copy < 0 || driver_end_copy(job->copy))
        return false;
    for (int k = 0; k < job->unit->n_kernels; k++)
        memcpy(image->codes[k].geometry, job->result->geometries[k], sizeof image->codes[k].geometry);
    passes_add_times(job->result->milliseconds);
    return !image->target->has_grid || read_code(image);
}

static bool make_images(struct unit *unit)
{
    struct job jobs[MAX_IMAGES];
    size_t bytes = sizeof(struct result) + (size_t)unit->n_kernels * sizeof(int[MAX_GEOMETRY]);
    bytes = (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    char *shared =
        mmap(NULL, bytes * (size_t)unit->n_images, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    for (int i = 0; i < unit->n_images; i++) {
        unit->images[i].code_file = driver_temporary(".o");
        jobs[i] = (struct job){unit, i, (struct result *)(shared + bytes * (size_t)i), 0};
        jobs[i].copy = driver_begin_copy(make_image, &jobs[i]);
    }
    bool good = true;
    for (int i = 0; i < unit->n_images; i++)
        good = end_job(&jobs[i]) && good;
    munmap(shared, bytes * (size_t)unit->n_images);
    return good;
}

/* Whether the kernels' code can be in separate objects: no option asks for what lies between the passes. */
static bool can_have_objects(const struct unit *unit)
{
    const struct options *options = unit->options;
    return !options->report && !options->dump_after && !options->stop_after && join_is_possible(unit);
}

bool parallel_run(struct unit *unit, bool *stopped)
{
    unit->has_objects = can_have_objects(unit);
    if (unit->has_objects) {
        if (!host_begin(unit))
            return false;
        bool good = make_images(unit);
        if (!host_end(unit))
            return false;
        bool is_done = good && passes_run(unit, "describe", "emit", stopped);
        if (is_done || (good && unit->has_objects))
            return is_done;
        unit->has_objects = false;
    }
    return passes_run(unit, "retarget", "emit", stopped);
}
