/* SPDX-License-Identifier: MIT
 *
 * Runs the pipeline of passes.def: dumps, stops and measures where the command line says so, and verifies the kernels'
 * modules after every pass that works on them. */
#include "driver/driver.h"
#include "front/signature.h"

#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct pass {
    const char *name, *description;
    pass_function *function;
    double milliseconds;
    bool ran;
};

static struct pass passes[] = {
#define PASS(name, description) {#name, description, name, 0, false},
#include "driver/passes.def"
#undef PASS
};
static double begin_ms; /* when the first pass began */

static struct pass *find(const char *name)
{
    for (int i = 0; i < N_PASSES; i++)
        if (!strcmp(passes[i].name, name))
            return &passes[i];
    return NULL;
}

bool passes_exist(const char *name)
{
    return find(name) != NULL;
}

void passes_list(FILE *file)
{
    for (int i = 0; i < N_PASSES; i++)
        fprintf(file, "%-10s %s\n", passes[i].name, passes[i].description);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

void passes_take_times(double milliseconds[N_PASSES])
{
    for (int i = 0; i < N_PASSES; i++) {
        milliseconds[i] = passes[i].milliseconds;
        passes[i].milliseconds = 0;
    }
}

void passes_add_times(const double milliseconds[N_PASSES])
{
    for (int i = 0; i < N_PASSES; i++) {
        passes[i].milliseconds += milliseconds[i];
        passes[i].ran = passes[i].ran || milliseconds[i] > 0;
    }
}

void passes_print_times(void)
{
    for (int i = 0; i < N_PASSES; i++)
        if (passes[i].ran)
            fprintf(stderr, "%-10s %8.1f ms\n", passes[i].name, passes[i].milliseconds);
    fprintf(stderr, "%-10s %8.1f ms\n", "all", begin_ms > 0 ? now() - begin_ms : 0);
}

static void print_module(LLVMModuleRef module)
{
    char *text = LLVMPrintModuleToString(module);
    fputs(text, stdout);
    LLVMDisposeMessage(text);
}

static bool has_device_modules(const struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++)
        if (unit->images[i].module)
            return true;
    return false;
}

static void dump(const struct unit *unit)
{
    if (has_device_modules(unit)) {
        for (int i = 0; i < unit->n_images; i++) {
            printf("; ---- %s ----\n", unit->images[i].name);
            if (unit->images[i].module)
                print_module(unit->images[i].module);
            else
                fwrite(unit->images[i].code, 1, unit->images[i].code_bytes, stdout);
        }
    } else if (unit->form) {
        print_module(unit->form);
    } else if (unit->host) {
        print_module(unit->host);
    } else if (unit->driver->glue) {
        fputs(unit->driver->glue, stdout);
    } else {
        signature_print(unit, stdout);
    }
}

static void verify_module(LLVMModuleRef module, const char *what)
{
    char *message = NULL;
    if (module && LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        diag_defect(NULL, "the module for %s is not valid: %s", what, message);
    LLVMDisposeMessage(message);
}

static void verify(const struct unit *unit)
{
    verify_module(unit->footprints, "footprints");
    for (int i = 0; i < unit->n_images; i++)
        verify_module(unit->images[i].module, unit->images[i].name);
}

static bool is_named(const char *option, const struct pass *pass)
{
    return option && !strcmp(option, pass->name);
}

bool passes_run(struct unit *unit, const char *first, const char *last, bool *stopped)
{
    *stopped = false;
    begin_ms = begin_ms > 0 ? begin_ms : now();
    for (struct pass *pass = find(first), *end = find(last); pass <= end; pass++) {
        diag_set_pass(pass->name);
        double begin = now();
        bool good = pass->function(unit);
        pass->milliseconds += now() - begin;
        pass->ran = true;
        if (good)
            verify(unit);
        diag_set_pass(NULL);
        if (!good)
            return false;
        if (is_named(unit->options->dump_after, pass))
            dump(unit);
        if (is_named(unit->options->stop_after, pass)) {
            *stopped = true;
            return true;
        }
    }
    return true;
}
