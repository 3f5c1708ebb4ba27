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

static bool keeps_temporaries(const struct command *command)
{
    bool keeps = false;
    for (int i = 0; i < command->n_words; i++)
        keeps = keeps || strstr(command->words[i].text[0], "-save-temps");
    return keeps;
}

/* Runs clang on the host module. Its name, which can stay in the output, is that of clang's input: none, or that of the
 * source, after which -save-temps names what it keeps. */
static bool run_on_host(struct unit *unit, const char *output, const struct words *how)
{
    struct driver *driver = unit->driver;
    const char *input = driver_temporary_named(driver_stem(driver), ".ir");
    struct words args = {0};
    if (LLVMWriteBitcodeToFile(unit->host, input)) {
        diag_command("cannot write '%s': %s", input, strerror(errno));
        return false;
    }
    driver_add_options(driver, &args, false);
    words_add_all(&args, how);
    words_add(&args, "-o");
    words_add(&args, output);
    words_add(&args, "-x");
    words_add(&args, "ir");
    bool is_named = keeps_temporaries(driver->command);
    words_add(&args, is_named ? input : "-");
    driver->status = driver_clang(&args, is_named ? NULL : input);
    return driver->status == 0;
}

bool host_optimise(struct unit *unit)
{
    const char *output = driver_temporary(".bc");
    struct words how = {0};
    words_add(&how, "-emit-llvm");
    words_add(&how, "-c");
    words_add(&how, "-fno-fat-lto-objects"); /* bitcode for the linker would lack the kernels' code */
    if (!run_on_host(unit, output, &how))
        return false;
    LLVMDisposeModule(unit->host);
    unit->host = bitcode_read(unit, output);
    return true;
}

bool emit(struct unit *unit)
{
    const struct command *command = unit->driver->command;
    struct words how = {0};
    if (!unit->options->debug) /* only now: coverage needs it */
        LLVMStripModuleDebugInfo(unit->host);
    words_add(&how, command->mode == MODE_ASSEMBLY ? "-S" : "-c");
    if (command->emit_llvm)
        words_add(&how, "-emit-llvm");
    words_add(&how, "-Xclang");
    words_add(&how, "-disable-llvm-passes");
    return run_on_host(unit, unit->driver->output, &how);
}
