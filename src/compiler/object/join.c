/* SPDX-License-Identifier: MIT
 *
 * Joins objects into one with the system's tools: clang's object of the host's code, one of what `footprint` has
 * written, and one for each image, with the kernels' code and the data that the descriptors refer to. The linker
 * combines them, and objcopy makes local the symbols by which they refer to one another. */
#include "driver/driver.h"
#include "front/cpp/cpp.h"
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

bool join_is_allowed(const struct command *command)
{
    const struct options *options = &command->options;
    bool is = command->mode != MODE_ASSEMBLY && !command->emit_llvm && !options->report && !options->dump_after &&
              !options->stop_after && !(command->output && !strcmp(command->output, "-")) && !access(AMPCC_LD, X_OK) &&
              !access(AMPCC_OBJCOPY, X_OK);
    for (int i = 0; i < command->n_words; i++)
        is = is && (command->words[i].kind != WORD_COMPILE ||
                    !begins_with_one_of(command->words[i].text[0], only_one_module));
    return is;
}

/* The linker is that of this system and does not know other systems' objects. */
bool join_is_possible(const struct unit *unit)
{
    const struct beside *beside = &unit->driver->beside;
    char *native = LLVMGetDefaultTargetTriple();
    bool can = join_is_allowed(unit->driver->command) && (unit->n_images > 0 || unit->is_cpp) &&
               !strcmp(unit->driver->triple, native) && strcmp(unit->driver->output, "-") != 0 &&
               has_plain_names(unit) && beside->words[RUN_HOST].n == 0 && beside->words[RUN_OBJECT].n == 0 &&
               !beside->bitcode && !beside->assembly;
    LLVMDisposeMessage(native);
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

/* Gives a module for the host what objects of the source's code have. */
static void complete(const struct unit *unit, LLVMModuleRef module)
{
    size_t length;
    LLVMSetSourceFileName(module, LLVMGetSourceFileName(unit->form, &length), length);
    copy_flags(module, unit->form);
}

LLVMModuleRef join_module(const struct unit *unit)
{
    LLVMModuleRef module = ir_module_like(unit->form);
    complete(unit, module);
    return module;
}

/* Writes the object of a module for the host, which is deleted. */
static void write_object(LLVMModuleRef module, const char *path)
{
    char *error;
    LLVMTargetMachineRef machine = targets_machine(LLVMGetTarget(module), "", "", LLVMCodeGenLevelDefault);
    if (LLVMTargetMachineEmitToFile(machine, module, (char *)path, LLVMObjectFile, &error))
        diag_defect(NULL, "no object for the host: %s", error);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
}

void join_write_data(const struct unit *unit, const struct image *image, LLVMModuleRef module)
{
    bundle_data(unit, image, module);
    write_object(module, image->object);
}

void join_write_footprints(struct unit *unit)
{
    unit->driver->footprints = driver_temporary(".o");
    complete(unit, unit->footprints);
    write_object(unit->footprints, unit->driver->footprints);
    unit->footprints = NULL;
}

static const char *write_list(const struct text *text)
{
    const char *list = driver_temporary(".txt");
    driver_write(list, text->chars ? text->chars : "", text->size);
    return list;
}

/* Adds the kernels of C++ that are local to the source, which the object of glue refers to. */
static void add_local_kernels(const struct unit *unit, struct text *list)
{
    for (int k = 0; k < unit->n_kernels; k++)
        if (unit->kernels[k].is_local)
            text_add(list, "%s\n", unit->kernels[k].symbol);
}

/* Lists the symbols by which the objects refer to one another, and which others must not see. */
static const char *list_symbols(const struct unit *unit)
{
    struct text text = {0};
    add_local_kernels(unit, &text);
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
    return write_list(&text);
}

/* Runs objcopy with an option. Returns the new object's name, or NULL if that fails. */
static const char *copy_object(const char *object, const char *option, const char *said)
{
    const char *result = driver_temporary(".o");
    struct words line = {0};
    words_add(&line, AMPCC_OBJCOPY);
    words_add(&line, option);
    words_add(&line, "--strip-symbol=" CPP_UNIT_SYMBOL);
    words_add(&line, object);
    words_add(&line, result);
    return driver_tool(&line, said) == 0 ? result : NULL;
}

/* Adds the objects of the host's code. Returns false if a tool fails. */
static bool add_host(const struct unit *unit, struct words *link, const char *said)
{
    const struct driver *driver = unit->driver;
    const char *host = driver->host_object;
    struct text local = {0};
    if (unit->is_cpp) {
        add_local_kernels(unit, &local);
        host = copy_object(driver->host_run.output, arena_printf("--globalize-symbols=%s", write_list(&local)), said);
    }
    if (!host)
        return false;
    words_add(link, host);
    if (unit->is_cpp)
        words_add(link, driver->glue_run.output);
    return true;
}

const char *join_objects(const struct unit *unit)
{
    const char *joined = driver_temporary(".o"), *said = driver_temporary(".txt");
    struct words link = {0};
    words_add(&link, AMPCC_LD);
    words_add(&link, "-r");
    words_add(&link, "-o");
    words_add(&link, joined);
    if (!add_host(unit, &link, said))
        return NULL;
    words_add(&link, unit->driver->footprints);
    for (int i = 0; i < unit->n_images; i++)
        words_add(&link, unit->images[i].object);
    if (driver_tool(&link, said))
        return NULL;
    return copy_object(joined, arena_printf("--localize-symbols=%s", list_symbols(unit)), said);
}
