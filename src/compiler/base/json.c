/* SPDX-License-Identifier: MIT */
#include "../abi/json.h"
#include "driver/driver.h"

#include <errno.h>
#include <string.h>

static struct text all; /* the array's elements, of all inputs */

struct text *json_elements(void)
{
    return &all;
}

void json_add_text(struct text *to, const char *value)
{
    text_add(to, "\"");
    for (char escaped[JSON_CHARACTER]; *value;) {
        value += json_character(value, escaped);
        text_add(to, "%s", escaped);
    }
    text_add(to, "\"");
}

void json_add_string(struct text *to, const char *key, const char *value)
{
    text_add(to, "\"%s\": ", key);
    if (value)
        json_add_text(to, value);
    else
        text_add(to, "null");
}

bool json_end(const struct options *options)
{
    if (options->report != REPORT_JSON)
        return true;
    FILE *file = options->report_file ? fopen(options->report_file, "w") : stdout;
    if (file) {
        fprintf(file, "[%s]\n", all.size ? all.chars : "");
        if ((options->report_file ? fclose(file) : fflush(file)) == 0)
            return true;
    }
    diag_command("cannot write '%s': %s", options->report_file ? options->report_file : "standard output",
                 strerror(errno));
    return false;
}
