/* SPDX-License-Identifier: MIT
 *
 * Reads which of ampcc's own warnings the command line asks for. The last word counts, as in clang. */
#include "driver/driver.h"

#include <string.h>

static const struct {
    const char *option;
    bool is_default;
} table[] = {
#define WARNING(name, option, is_default, about) {option, is_default},
#include "driver/warnings.def"
#undef WARNING
};

struct warnings warnings_default(void)
{
    struct warnings warnings = {0};
    for (int i = 0; i < N_WARNINGS; i++)
        warnings.is_on[i] = table[i].is_default;
    return warnings;
}

const char *warnings_option(enum warning warning)
{
    return table[warning].option;
}

/* Returns the rest of `*word` after `prefix`, and moves `*word` there; false if it does not begin so. */
static bool skip(const char **word, const char *prefix)
{
    bool found = has_prefix(*word, prefix);
    *word += found ? strlen(prefix) : 0;
    return found;
}

bool warnings_read(struct warnings *warnings, const char *word)
{
    static const char groups[] = "all everything";
    bool is_ours = false;
    if (!strcmp(word, "-w"))
        warnings->are_off = true;
    if (!skip(&word, "-W"))
        return false;
    bool is_on = !skip(&word, "no-");
    if (!strcmp(word, "error"))
        warnings->are_errors = is_on;
    bool is_error = skip(&word, "error=");
    for (int i = 0; i < N_WARNINGS; i++) {
        bool is_named = !strcmp(word, table[i].option) || !strcmp(word, "amp");
        bool is_in_group = is_word_of(word, groups) && !table[i].is_default;
        if (is_error && is_named)
            warnings->severity[i] = is_on ? 1 : -1;
        if ((is_named || (is_in_group && !is_error)) && (is_on || !is_error))
            warnings->is_on[i] = is_on;
        is_ours = is_ours || is_named;
    }
    return is_ours;
}
