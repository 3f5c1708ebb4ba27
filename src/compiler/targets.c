/* SPDX-License-Identifier: MIT */
#include "checked/checked.h"
#include "cpu/cpu.h"
#include "driver/driver.h"
#include "gpu/host/host.h"
#include "gpu/nvptx/nvptx.h"

#include <string.h>

const struct target *const targets[] = {&target_cpu, &target_nvptx, &target_host, &target_checked, NULL};

const struct facts *targets_least_tile(void)
{
    const struct facts *least = &targets[0]->facts;
    for (const struct target *const *t = targets; *t; t++)
        least = (*t)->facts.tile_bytes < least->tile_bytes ? &(*t)->facts : least;
    return least;
}

bool targets_has_function(const struct target *target, const char *name)
{
    if (target)
        return target->functions && is_word_of(name, target->functions);
    for (const struct target *const *t = targets; *t; t++)
        if (targets_has_function(*t, name))
            return true;
    return false;
}

LLVMTargetMachineRef targets_machine(const char *triple, const char *cpu, const char *features,
                                     LLVMCodeGenOptLevel level)
{
    char *error;
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, &error))
        diag_defect(NULL, "no code generator for %s: %s", triple, error);
    return LLVMCreateTargetMachine(target, triple, cpu, features, level, LLVMRelocPIC, LLVMCodeModelDefault);
}

/* ---- what the command line names ---- */

static bool add_image(struct unit *unit, const struct target *target, const char *name)
{
    struct image image = {.target = target, .name = name, .cpu = name, .features = "", .facts = target->facts};
    if (target->parse && !target->parse(unit, &image))
        return false;
    unit->images[unit->n_images++] = image;
    return true;
}

/* Adds an image for each name that applies to the target if the command line has none. */
static bool add_standard(struct unit *unit, const struct target *target)
{
    const char *names = target->standard ? target->standard(unit) : NULL;
    char *rest = names ? arena_printf("%s", names) : NULL;
    for (const char *name; (name = strsep(&rest, " "));)
        if (!add_image(unit, target, name))
            return false;
    return true;
}

static bool add_processors(struct unit *unit)
{
    const struct words *names = &unit->driver->command->cpus;
    for (int i = 0; i < names->n; i++)
        if (!add_image(unit, &target_cpu, names->items[i]))
            return false;
    return names->n || add_standard(unit, &target_cpu);
}

static const struct target *find_gpu(const char *name)
{
    for (const struct target *const *t = targets; *t; t++)
        if ((*t)->has_grid && is_word_of(name, (*t)->names))
            return *t;
    struct text known = {0};
    for (const struct target *const *t = targets; *t; t++)
        if ((*t)->has_grid && !(*t)->is_hidden)
            text_add(&known, "%s, ", (*t)->names);
    diag_command("--amp-gpu: unknown processor '%s'; there are %sand none", name, known.chars);
    return NULL;
}

static bool add_gpus(struct unit *unit)
{
    const struct command *command = unit->driver->command;
    const char *triple = unit->driver->triple;
    bool fits = has_prefix(triple, "x86_64") || has_prefix(triple, "aarch64-"); /* data layouts agree */
    for (int i = 0; i < command->gpus.n; i++) {
        if (!fits) {
            diag_command("--amp-gpu: structs are laid out for %s, and GPUs need those of x86_64 or aarch64", triple);
            return false;
        }
        const struct target *target = find_gpu(command->gpus.items[i]);
        if (!target || !add_image(unit, target, command->gpus.items[i]))
            return false;
    }
    bool is_standard = fits && !command->gpus.n && !command->no_gpus;
    for (const struct target *const *t = targets; *t && is_standard; t++)
        if ((*t)->has_grid && !add_standard(unit, *t))
            return false;
    return true;
}

static bool add_checked(struct unit *unit)
{
    for (const struct target *const *t = targets; *t && unit->options->check; t++)
        if ((*t)->has_checks && !add_standard(unit, *t))
            return false;
    return true;
}

bool targets_choose(struct unit *unit)
{
    struct driver *driver = unit->driver;
    if (unit->n_kernels && !strstr(driver->triple, "linux")) {
        diag_command("kernels run on Linux; '%s' has some, and the target is %s: name another one by --target=",
                     driver->name, driver->triple);
        return false;
    }
    return add_processors(unit) && add_gpus(unit) && add_checked(unit);
}
