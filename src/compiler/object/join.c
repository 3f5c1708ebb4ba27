/* SPDX-License-Identifier: MIT
 *
 * Joins objects into one with the system's tools: clang's object of the host's code, one of what `footprint` has
 * written, and one for each image, with the kernels' code and the data that the descriptors refer to. The linker
 * combines them, and objcopy makes local the symbols by which they refer to one another. */
#include "driver/driver.h"
#include "kernel/ir.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Options that need host and kernels in one module. Some are for the code generator or the assembler, but ampcc
 * generates the kernels' code as clang does without them. Others are for sections that belong to other sections, or for
 * files beside the output. The rest need the places in the source, which clang must not see in an object without them.
 */
static const char only_one_module[] =
    "-flto -fthinlto -ffat-lto -gsplit-dwarf -fno-integrated-as -no-integrated-as -mllvm "
    "-Xclang -Wa, -Xassembler -mcmodel= -mlarge-data -mrelax -mthread-model -ffunction-sections -fdata-sections "
    "-funique -fbasic-block -fsplit-machine -fstack-size -fembed-bitcode -fembed-offload "
    "-fdebug-types -R --coverage -coverage -ftest-coverage -fprofile -fcs-profile "
    "-fpseudo-probe -fcoverage -femulated-tls -fbinutils-version -gz -gdwarf64 -fsanitize -fxray -fpatchable "
    "-fveclib";

/* Whether objcopy can read the kernels' names from a list. An asm label may have any character. */
static bool has_plain_names(const struct unit *unit)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
    bool has = true;
    for (int k = 0; k < unit->n_kernels; k++)
        has = has && !unit->kernels[k].symbol[strspn(unit->kernels[k].symbol, plain)];
    return has;
}

/* The linker is that of this system and does not know other systems' objects. */
bool join_is_possible(const struct unit *unit)
{
    const struct command *command = unit->driver->command;
    char *native = LLVMGetDefaultTargetTriple();
    bool can = !strcmp(LLVMGetTarget(unit->host), native) && command->mode != MODE_ASSEMBLY && !command->emit_llvm &&
               strcmp(unit->driver->output, "-") != 0 && !access(AMPCC_LD, X_OK) && !access(AMPCC_OBJCOPY, X_OK) &&
               has_plain_names(unit);
    LLVMDisposeMessage(native);
    const struct beside *beside = &unit->driver->beside;
    can = can && beside->words[RUN_HOST].n == 0 && beside->words[RUN_OBJECT].n == 0 && !beside->bitcode &&
          !beside->assembly;
    for (int i = 0; i < command->n_words; i++)
        can = can && (command->words[i].kind != WORD_COMPILE ||
                      !begins_with_one_of(command->words[i].text[0], only_one_module));
    return can;
}

/* Copies the flags that linkers expect in all objects, such as the one that code is safe for a shadow stack. */
static void copy_flags(LLVMModuleRef to, LLVMModuleRef from)
{
    size_t n, length;
    LLVMModuleFlagEntry *flags = LLVMCopyModuleFlagsMetadata(from, &n);
    for (unsigned i = 0; i < n; i++) {
        const char *key = LLVMModuleFlagEntriesGetKey(flags, i, &length);
        LLVMAddModuleFlag(to, LLVMModuleFlagEntriesGetFlagBehavior(flags, i), key, length,
                          LLVMModuleFlagEntriesGetMetadata(flags, i));
    }
    LLVMDisposeModuleFlagsMetadata(flags);
}

/* Writes the object of a module for the host, which is deleted. */
static void write_object(const struct unit *unit, LLVMModuleRef module, const char *path)
{
    char *error;
    size_t length;
    LLVMTargetMachineRef machine = targets_machine(LLVMGetTarget(module), "", "", LLVMCodeGenLevelDefault);
    LLVMSetSourceFileName(module, LLVMGetSourceFileName(unit->host, &length), length);
    copy_flags(module, unit->host);
    if (LLVMTargetMachineEmitToFile(machine, module, (char *)path, LLVMObjectFile, &error))
        diag_defect(NULL, "no object for the host: %s", error);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
}

void join_write_data(const struct unit *unit, const struct image *image)
{
    LLVMModuleRef module = ir_module_like(unit->host);
    bundle_data(unit, image, module);
    write_object(unit, module, image->object);
}

void join_write_footprints(struct unit *unit)
{
    unit->driver->footprints = driver_temporary(".o");
    write_object(unit, unit->footprints, unit->driver->footprints);
    unit->footprints = NULL;
}

/* Lists the symbols by which the objects refer to one another, and which others must not see. */
static const char *list_symbols(const struct unit *unit)
{
    const char *list = driver_temporary(".txt");
    struct text text = {0};
    for (int k = 0; k < unit->n_kernels; k++)
        text_add(&text, "%s\n%s\n%s\n%s\n", unit->kernels[k].outside, unit->kernels[k].touches,
                 unit->kernels[k].reach_function, unit->kernels[k].reach_table);
    for (int i = 0; i < unit->n_images; i++) {
        const struct image *image = &unit->images[i];
        if (image->target->has_grid)
            text_add(&text, "%s\n", image->code_symbol);
        for (int k = 0; k < unit->n_kernels; k++) {
            text_add(&text, "%s\n", image->codes[k].geometry_symbol);
            if (!image->target->has_grid)
                text_add(&text, "%s\n", image->codes[k].name);
        }
    }
    driver_write(list, text.chars, text.size);
    return list;
}

const char *join_objects(const struct unit *unit)
{
    const char *joined = driver_temporary(".o"), *result = driver_temporary(".o"), *said = driver_temporary(".txt");
    struct words link = {0}, copy = {0};
    words_add(&link, AMPCC_LD);
    words_add(&link, "-r");
    words_add(&link, "-o");
    words_add(&link, joined);
    words_add(&link, unit->driver->host_object);
    words_add(&link, unit->driver->footprints);
    for (int i = 0; i < unit->n_images; i++)
        words_add(&link, unit->images[i].object);
    words_add(&copy, AMPCC_OBJCOPY);
    words_add(&copy, arena_printf("--localize-symbols=%s", list_symbols(unit)));
    words_add(&copy, joined);
    words_add(&copy, result);
    return driver_tool(&link, said) == 0 && driver_tool(&copy, said) == 0 ? result : NULL;
}
