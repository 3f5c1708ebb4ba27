/* SPDX-License-Identifier: MIT
 *
 * Reports what NVIDIA's assembler says about the code, if it is installed.
 *
 *     mm.c:3: kernel mxm (rank 2; a[][], b[][], c[][]) for sm_75: blocks of 4 x 32 threads; ...
 *         ptxas   38 registers, spills none
 *                 78 registers, spills none, with several points per thread
 *
 * Drivers compile PTX as ptxas does, and nothing else knows the numbers of registers. */
#include "driver/driver.h"
#include "gpu/grid.h"
#include "gpu/nvptx/nvptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What ptxas says about one function. */
struct usage {
    int registers, spills, stack_bytes, shared_bytes; /* spills: bytes stored and loaded */
};

/* Returns the number before `words` in `text`, if these come before `end`; otherwise 0. */
static int number_before(const char *text, const char *end, const char *words)
{
    const char *at = strstr(text, words);
    if (!at || at >= end)
        return 0;
    while (at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return atoi(at);
}

/* Assembles an image's code. Returns what ptxas prints; NULL if it is not installed or fails. */
static const char *assembler_output(const struct image *image)
{
    const char *source = driver_temporary(".ptx"), *output = driver_temporary(".txt");
    struct words args = {0};
    struct text text = {0};
    driver_write(source, image->code, image->code_bytes);
    words_add(&args, "ptxas");
    words_add(&args, "-v");
    words_add(&args, arena_printf("-arch=%s", image->name));
    words_add(&args, source);
    words_add(&args, "-o");
    words_add(&args, driver_temporary(".cubin"));
    FILE *file = driver_tool(&args, output) == 0 ? fopen(output, "r") : NULL;
    if (!file)
        return NULL;
    text_add_file(&text, file);
    fclose(file);
    return text.chars;
}

static struct usage usage_of(const char *output, const char *function)
{
    const char *begin = strstr(output, arena_printf("function '%s' for", function));
    if (!begin)
        return (struct usage){0};
    const char *end = strstr(begin + 1, "Compiling entry");
    end = end ? end : begin + strlen(begin);
    return (struct usage){.registers = atoi(strstr(begin, "Used ") ? strstr(begin, "Used ") + 5 : "0"),
                          .spills = number_before(begin, end, " bytes spill stores") +
                                    number_before(begin, end, " bytes spill loads"),
                          .stack_bytes = number_before(begin, end, " bytes stack frame"),
                          .shared_bytes = number_before(begin, end, " bytes smem")};
}

/* ---- the report as text ---- */

static void print_usage(FILE *file, const char *begin, struct usage usage, const char *remark)
{
    fprintf(file, "    %-7s %d registers", begin, usage.registers);
    if (usage.shared_bytes)
        fprintf(file, ", %d bytes of shared memory", usage.shared_bytes);
    if (usage.stack_bytes)
        fprintf(file, ", %d bytes of stack", usage.stack_bytes);
    if (usage.spills)
        fprintf(file, ", spills of %d bytes%s\n", usage.spills, remark);
    else
        fprintf(file, ", spills none%s\n", remark);
}

static void print_usages(const struct image *image, const char *name, bool has_many, const char *output)
{
    if (!output) {
        fprintf(stderr, "    ptxas   is not there, or does not know %s: it would say how many registers this takes\n",
                image->name);
        return;
    }
    print_usage(stderr, "ptxas", usage_of(output, name), "");
    if (has_many)
        print_usage(stderr, "", usage_of(output, arena_printf("%s_many", name)), ", with several points per thread");
}

/* ---- the report as JSON ---- */

static void add_usage(struct text *to, const char *key, const char *output, const char *function)
{
    struct usage usage = usage_of(output ? output : "", function);
    text_add(to, ", \"%s\": ", key);
    if (output)
        text_add(to, "{\"registers\": %d, \"spill_bytes\": %d, \"stack_bytes\": %d, \"shared_bytes\": %d}",
                 usage.registers, usage.spills, usage.stack_bytes, usage.shared_bytes);
    else
        text_add(to, "null");
}

static void add_usages(const char *name, bool has_many, const char *output, struct text *to)
{
    add_usage(to, "ptxas", output, name);
    if (has_many)
        add_usage(to, "ptxas_many", output, arena_printf("%s_many", name));
    text_add(to, "}");
}

void nvptx_report(struct unit *unit, int image, struct text *json)
{
    const char *output = assembler_output(&unit->images[image]);
    for (int k = 0; k < unit->n_kernels; k++) {
        const char *name = unit->images[image].codes[k].symbol;
        bool has_many = report_grid(&unit->images[image], &unit->kernels[k], json);
        if (json)
            add_usages(name, has_many, output, json);
        else
            print_usages(&unit->images[image], name, has_many, output);
    }
}
