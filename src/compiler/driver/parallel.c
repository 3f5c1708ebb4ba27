/* SPDX-License-Identifier: MIT
 *
 * Makes the kernels' code for all images at the same time: for each image, a copy of this process takes the kernels'
 * form through the passes from `retarget` to `assemble` and leaves an object. This process makes the object of what
 * `footprint` writes. Meanwhile, and from `prepare` on, clang makes the object of the host's code; in C++, since
 * `front`.
 *
 * A copy reports nothing that goes wrong. This process then does all the work itself, one image after another, and
 * fails the same way. */
#include "driver/driver.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct job {
    struct unit *unit;
    int image;
    double *milliseconds; /* in shared memory: for each pass, how long it took */
    pid_t copy;
};

static int make_image(void *what)
{
    struct job *job = what;
    struct unit *unit = job->unit;
    struct image *image = &unit->images[0];
    LLVMModuleRef data = join_module(unit);
    bool stopped;
    if (!unit->options->debug) /* places in the source serve messages, and a copy prints none */
        LLVMStripModuleDebugInfo(unit->form);
    *image = unit->images[job->image];
    unit->n_images = 1;
    passes_take_times(job->milliseconds);
    if (!passes_run(unit, "retarget", "assemble", &stopped))
        return EXIT_USER_ERROR;
    if (image->target->has_grid)
        join_write_data(unit, image, data);
    else
        driver_write(image->object, image->code, image->code_bytes);
    passes_take_times(job->milliseconds);
    return 0;
}

/* Waits for the copy. */
static bool end_job(const struct job *job)
{
    if (job->copy < 0 || driver_end_copy(job->copy))
        return false;
    passes_add_times(job->milliseconds);
    return true;
}

static bool make_images(struct unit *unit)
{
    struct job jobs[MAX_IMAGES];
    size_t bytes = (size_t)(unit->n_images + 1) * N_PASSES * sizeof(double);
    double *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    for (int i = 0; i < unit->n_images; i++) {
        unit->images[i].object = driver_temporary(".o");
        jobs[i] = (struct job){unit, i, &shared[i * N_PASSES], 0};
        jobs[i].copy = driver_begin_copy(make_image, &jobs[i]);
    }
    bool stopped, good = passes_run(unit, "footprint", "footprint", &stopped);
    join_write_footprints(unit);
    for (int i = 0; i < unit->n_images; i++)
        good = end_job(&jobs[i]) && good;
    munmap(shared, bytes);
    return good;
}

bool parallel_run(struct unit *unit, bool *stopped)
{
    if (unit->has_objects) {
        if (!unit->is_cpp && !host_begin(unit))
            return false;
        bool is_valid = passes_run(unit, "prepare", "uniform", stopped), good = is_valid && make_images(unit);
        if (!(unit->is_cpp ? bitcode_end(unit) : host_end(unit)) || !is_valid)
            return false;
        bool is_done = good && passes_run(unit, "describe", "emit", stopped);
        if (is_done || (good && unit->has_objects))
            return is_done;
        unit->has_objects = false;
        if (unit->is_cpp && !bitcode_again(unit))
            return false;
    } else if (!passes_run(unit, "prepare", "uniform", stopped) || *stopped) {
        return *stopped;
    }
    return passes_run(unit, "footprint", "emit", stopped);
}
