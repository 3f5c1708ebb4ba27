/* SPDX-License-Identifier: MIT
 *
 * Generates the output: joins objects, or lets clang generate the code of the host's module, which then also holds the
 * kernels' finished code.
 *
 * needs   the kernels' code as objects, or in the host module
 * keeps   the module
 * breaks  nothing */
#include "driver/driver.h"

#include <errno.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lets clang generate code for the whole module; `mode` is "-c" or "-S". If it does both, it warns once. */
static bool generate(struct unit *unit, const char *mode, bool warns, const char *output)
{
    struct words how = {0};
    words_add(&how, mode);
    if (!warns) {
        words_add(&how, "-w");
        words_add(&how, "-Rno-everything");
    }
    if (unit->driver->command->emit_llvm)
        words_add(&how, "-emit-llvm");
    words_add(&how, "-Xclang");
    words_add(&how, "-disable-llvm-passes");
    return host_run(unit, RUN_OBJECT, output, &how);
}

static bool emit_module(struct unit *unit)
{
    const struct driver *driver = unit->driver;
    const struct beside *beside = &driver->beside;
    bool is_assembly = driver->command->mode == MODE_ASSEMBLY;
    /* Places are dropped only now: coverage needs them, and so do remarks and the like, to name lines. For the report
     * they would become debug information. */
    bool names_lines = beside->words[RUN_OBJECT].n > 0 || driver->command->has_remarks;
    if (!unit->options->debug && (!names_lines || unit->options->report))
        LLVMStripModuleDebugInfo(unit->host);
    if (beside->bitcode && !host_write(unit, beside->bitcode))
        return false;
    if (beside->assembly && !is_assembly && !generate(unit, "-S", false, beside->assembly))
        return false;
    return generate(unit, is_assembly ? "-S" : "-c", true, driver->output) && driver_join_record(driver);
}

/* Opens what becomes `to`, as clang does: a file next to it, named in `*beside`, which is renamed when it is complete.
 * If `to` exists and is no regular file, or its folder takes no more files, opens `to` and sets `*beside` to NULL. */
static FILE *open_output(const char *to, char **beside)
{
    struct stat about;
    bool exists = !stat(to, &about);
    *beside = NULL;
    if (exists && S_ISREG(about.st_mode) && access(to, W_OK)) {
        errno = EPERM;
        return NULL;
    }
    if (!exists || S_ISREG(about.st_mode)) {
        mode_t mask = umask(0);
        umask(mask);
        *beside = arena_printf("%s-XXXXXX", to);
        int file = mkstemp(*beside);
        if (file >= 0 && !fchmod(file, 0666 & ~mask)) {
            driver_begin_output(*beside);
            return fdopen(file, "wb");
        }
        *beside = NULL;
    }
    return fopen(to, "wb");
}

static bool copy_file(const char *from, const char *to)
{
    char *beside = NULL;
    FILE *in = fopen(from, "rb"), *out = in ? open_output(to, &beside) : NULL;
    struct text text = {0};
    bool good = out && text_add_file(&text, in) && fwrite(text.chars, 1, text.size, out) == text.size;
    if (in)
        fclose(in);
    if ((out && fclose(out)) || !good || (beside && rename(beside, to))) {
        diag_command("unable to open output file '%s': '%s'", to, strerror(errno));
        if (beside)
            unlink(beside);
        return false;
    }
    return true;
}

/* Joins the objects. If the tools fail, there are no separate objects: everything must be made as one module. */
static bool emit_joined(struct unit *unit)
{
    const char *object = join_objects(unit);
    unit->has_objects = object != NULL;
    if (!object)
        return false;
    bool good = copy_file(object, unit->driver->output);
    if (unit->driver->command->mode != MODE_LINK)
        driver_begin_output(unit->driver->output);
    return good;
}

bool emit(struct unit *unit)
{
    return unit->has_objects ? emit_joined(unit) : emit_module(unit);
}
