/* SPDX-License-Identifier: MIT
 *
 * The processor that clang compiles for, with checks. */
#include "ampcc.h"
#include "checked/checked.h"

static const char *standard(const struct unit *unit)
{
    (void)unit;
    return "checked";
}

static bool parse(struct unit *unit, struct image *image)
{
    (void)unit;
    image->cpu = NULL;
    return true;
}

const struct target target_checked = {
    .backend = "checked",
    .facts = {.tile_bytes = 1 << 20, .tile_align = 16},
    .has_checks = true,
    .standard = standard,
    .parse = parse,
};
