/* SPDX-License-Identifier: MIT
 *
 * Runs clang on the host's module: to make an object of it, or to optimise it before the kernels' code is linked into
 * it. The user's optimisation and instrumentation are for the host's code alone. */
#include "driver/driver.h"

#include <errno.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

bool host_write(const struct unit *unit, const char *path)
{
    if (!LLVMWriteBitcodeToFile(unit->host, path))
        return true;
    diag_command("cannot write '%s': %s", path, strerror(errno));
    return false;
}

/* Adds options for LLVM's passes: loops get a version without checks (guard.c, elements in <amp.h>). */
static void add_pass_options(const struct unit *unit, struct words *args)
{
    if (unit->options->check || unit->is_cpp) {
        words_add(args, "-mllvm");
        words_add(args, "-enable-nontrivial-unswitch");
    }
}

void host_add_object_options(const struct unit *unit, struct words *args)
{
    add_pass_options(unit, args);
    words_add(args, "-c");
    words_add(args, "-fno-addrsig"); /* it makes a section of symbol numbers, which the linker changes */
}

/* Starts clang on the host's module, which it reads from a pipe, because an input's name can stay in the output. */
static bool begin_clang(struct unit *unit, enum run run, const char *output, const struct words *how)
{
    struct driver *driver = unit->driver;
    const char *input = driver_temporary(".bc");
    struct words args = {0};
    if (!host_write(unit, input))
        return false;
    driver_add_options(driver, &args, false);
    words_add(&args, "-fno-caret-diagnostics"); /* a caret would point into bitcode */
    words_add(&args, "-fno-color-diagnostics");
    words_add(&args, "-fdiagnostics-show-option");
    words_add(&args, "-fdiagnostics-format=clang");
    words_add_all(&args, how);
    words_add_all(&args, &driver->beside.words[run]);
    words_add(&args, "-o");
    words_add(&args, output);
    words_add(&args, "-x");
    words_add(&args, "ir");
    words_add(&args, "-");
    driver->host_said = driver_temporary(".txt");
    driver->status = driver_begin_clang(&args, input, driver->host_said);
    return driver->status == 0;
}

static bool end_clang(const struct unit *unit, enum run run)
{
    unit->driver->status = driver_end_clang();
    messages_print(unit->driver, run);
    return unit->driver->status == 0;
}

bool host_end(struct unit *unit)
{
    return end_clang(unit, RUN_OBJECT);
}

bool host_run(struct unit *unit, enum run run, const char *output, const struct words *how)
{
    return begin_clang(unit, run, output, how) && end_clang(unit, run);
}

bool host_optimise(struct unit *unit)
{
    const char *output = driver_temporary(".bc");
    struct words how = {0};
    add_pass_options(unit, &how);
    words_add(&how, "-emit-llvm");
    words_add(&how, "-c");
    words_add(&how, "-fno-fat-lto-objects"); /* bitcode for the linker would lack the kernels' code */
    if (!host_run(unit, RUN_HOST, output, &how))
        return false;
    LLVMDisposeModule(unit->host);
    unit->host = bitcode_read(unit, output);
    return true;
}

bool host_begin(struct unit *unit)
{
    struct words how = {0};
    if (!unit->options->debug)
        LLVMStripModuleDebugInfo(unit->host);
    host_add_object_options(unit, &how);
    unit->driver->host_object = driver_temporary(".o");
    return begin_clang(unit, RUN_OBJECT, unit->driver->host_object, &how);
}
