/* SPDX-License-Identifier: MIT
 *
 * Generates the output with clang, from the host module that holds the kernels' finished code. Two runs, because the
 * host's code wants the user's optimisation and instrumentation, and the kernels' code, optimised for targets of its
 * own, must not get them: host_optimise runs before the kernels are linked in, emit only generates code.
 *
 * needs   the kernels' code in the host module
 * keeps   the module
 * breaks  nothing */
#include "driver.h"

#include <errno.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

static bool write_bitcode(const struct unit *unit, const char *path)
{
    if (!LLVMWriteBitcodeToFile(unit->host, path))
        return true;
    diag_command("cannot write '%s': %s", path, strerror(errno));
    return false;
}

/* Runs clang on the host module: from a pipe, because an input's name can stay in the output. */
static bool run_on_host(struct unit *unit, enum run run, const char *output, const struct words *how)
{
    struct driver *driver = unit->driver;
    const char *input = driver_temporary(".bc");
    struct words args = {0};
    if (!write_bitcode(unit, input))
        return false;
    driver_add_options(driver, &args, false);
    words_add_all(&args, how);
    words_add_all(&args, &driver->beside.words[run]);
    words_add(&args, "-o");
    words_add(&args, output);
    words_add(&args, "-x");
    words_add(&args, "ir");
    words_add(&args, "-");
    driver->status = driver_clang(&args, input);
    return driver->status == 0;
}

bool host_optimise(struct unit *unit)
{
    const char *output = driver_temporary(".bc");
    struct words how = {0};
    words_add(&how, "-emit-llvm");
    words_add(&how, "-c");
    words_add(&how, "-fno-fat-lto-objects"); /* bitcode for the linker would lack the kernels' code */
    if (!run_on_host(unit, RUN_HOST, output, &how))
        return false;
    LLVMDisposeModule(unit->host);
    unit->host = bitcode_read(unit, output);
    return true;
}

/* Generates code for all: "-c" or "-S". */
static bool generate(struct unit *unit, const char *mode, const char *output)
{
    struct words how = {0};
    words_add(&how, mode);
    if (unit->driver->command->emit_llvm)
        words_add(&how, "-emit-llvm");
    words_add(&how, "-Xclang");
    words_add(&how, "-disable-llvm-passes");
    return run_on_host(unit, RUN_OBJECT, output, &how);
}

bool emit(struct unit *unit)
{
    struct driver *driver = unit->driver;
    const struct beside *beside = &driver->beside;
    bool is_assembly = driver->command->mode == MODE_ASSEMBLY;
    /* Only now, because coverage needs it; remarks and the like name lines by it. */
    if (!unit->options->debug && beside->words[RUN_OBJECT].n == 0)
        LLVMStripModuleDebugInfo(unit->host);
    if (beside->bitcode && !write_bitcode(unit, beside->bitcode))
        return false;
    if (beside->assembly && !is_assembly && !generate(unit, "-S", beside->assembly))
        return false;
    return generate(unit, is_assembly ? "-S" : "-c", driver->output) && driver_join_record(driver);
}
