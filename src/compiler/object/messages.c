/* SPDX-License-Identifier: MIT
 *
 * Prints what clang says about the host's code while it optimises it and generates code. In our runs clang reads
 * bitcode, and knows no place in the source:
 *
 *     warning: <unknown>:0:0: stack frame size (3032) exceeds limit (100) in function 'work' [-Wframe-larger-than]
 *
 * If it warns or reports an error, clang compiles the source, once more and only for what it says about that:
 *
 *     a.c:7:5: warning: stack frame size (3032) exceeds limit (100) in 'work' [-Wframe-larger-than]
 *         7 | int work(float *a, float *b, int n)
 *           |     ^
 *
 * Remarks are printed as they are, because for them the bitcode has places. */
#include "driver/driver.h"
#include "front/ast.h"
#include "front/cpp/cpp.h"

#include <stdio.h>
#include <string.h>

static struct text read_file(const char *name)
{
    struct text text = {0};
    FILE *file = fopen(name, "rb");
    text_add_bytes(&text, "", 0);
    if (file) {
        text_add_file(&text, file);
        fclose(file);
    }
    return text;
}

/* Returns the lines of a text, which is cut into them. */
static struct words split_lines(char *text)
{
    struct words lines = {0};
    for (char *at = text, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        if (*end)
            *end++ = 0;
        words_add(&lines, at);
    }
    return lines;
}

/* Returns the part of a message's first line that begins with "error: ", "warning: " or "remark: "; NULL for other
 * lines. */
static const char *find_level(const char *line)
{
    static const char *const levels[] = {"error: ", "warning: ", "remark: "};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const char *at = strstr(line, levels[i]);
        if (at && (at == line || at[-1] == ' ') && (!first || at < first))
            first = at;
    }
    return first;
}

static bool is_remark(const char *level)
{
    return has_prefix(level, "remark: ");
}

/* Adds an option for clang's front end, where -Wframe-larger-than needs no number. */
static void add_once(struct words *args, const char *option)
{
    for (int i = 0; i < args->n; i++)
        if (!strcmp(args->items[i], option))
            return;
    words_add(args, "-Xclang");
    words_add(args, option);
}

/* Adds the option that switches a warning on, from the end of its line: [-Wgroup], or [-Werror,-Wgroup]. */
static void add_group(struct words *args, const char *line)
{
    static const char warning[] = "[-W", error[] = "[-Werror,-W";
    const char *option = strrchr(line, '[');
    if (!option || !has_prefix(option, warning))
        return;
    bool is_error = has_prefix(option, error);
    const char *name = option + strlen(is_error ? error : warning);
    add_once(args, arena_printf("-W%s%.*s", is_error ? "error=" : "", (int)strcspn(name, "=]"), name));
}

/* ---- the source without code for accelerators ---- */

/* Whether a text has preprocessing directives other than pragmas. */
static bool has_directive(const char *text, size_t size)
{
    bool is_first = false; /* of its line, but for blanks */
    for (size_t i = 0; i < size; i++) {
        if (is_first && text[i] == '#' && !has_prefix(text + i + 1 + strspn(text + i + 1, " \t"), "pragma"))
            return true;
        is_first = text[i] == '\n' || (is_first && (text[i] == ' ' || text[i] == '\t'));
    }
    return false;
}

/* Blanks out what stands between the braces of a body in the source itself. */
static void blank_body(CXCursor body, char *text)
{
    CXSourceRange range = clang_getCursorExtent(body);
    CXSourceLocation start = clang_getRangeStart(range), end = clang_getRangeEnd(range);
    unsigned from, to;
    clang_getFileLocation(start, NULL, NULL, NULL, &from);
    clang_getFileLocation(end, NULL, NULL, NULL, &to);
    if (!clang_Location_isFromMainFile(start) || !clang_Location_isFromMainFile(end) || text[from] != '{' ||
        to < from + 2 || text[to - 1] != '}' || has_directive(text + from, to - from))
        return;
    for (unsigned i = from + 1; i + 1 < to; i++)
        if (text[i] != '\n' && text[i] != '\r')
            text[i] = ' ';
}

/* Returns a file with the source, without the bodies that the host's code does not have either. C++ leaves them out by
 * itself. */
static const char *write_host_source(const struct driver *driver)
{
    const char *file = driver_temporary(driver->tu ? ".c" : ".cpp");
    struct text text = {0};
    text_add_bytes(&text, driver->source, driver->source_size);
    struct cursors all = {0};
    if (driver->tu)
        all = ast_children(clang_getTranslationUnitCursor(driver->tu));
    for (int i = 0; i < all.n; i++) {
        CXCursor function = all.items[i];
        if (clang_getCursorKind(function) != CXCursor_FunctionDecl || !clang_isCursorDefinition(function) ||
            !ast_is_restricted(function, "amp") || ast_is_restricted(function, "cpu"))
            continue;
        struct cursors children = ast_children(function);
        blank_body(children.items[children.n - 1], text.chars);
    }
    driver_write(file, text.chars, text.size);
    return file;
}

/* Lets clang do with the source what `run` does with bitcode, with no messages but errors and those that `choice`
 * switches on. Returns what it says; "" if it does not fail where it failed before. */
static const char *compile_source(const struct driver *driver, enum run run, const struct words *choice)
{
    const char *said = driver_temporary(".txt");
    struct words args = {0};
    if (driver->tu)
        driver_add_options(driver, &args, true);
    else
        cpp_add_options(driver, &args, CPP_HOST);
    words_add(&args, "-Wno-everything");
    words_add(&args, "-Rno-everything");
    words_add_all(&args, choice);
    words_add(&args, diag_has_colour() ? "-fcolor-diagnostics" : "-fno-color-diagnostics");
    driver_add_mode(driver->command, &args);
    if (run == RUN_HOST)
        words_add(&args, "-emit-llvm");
    words_add(&args, "-o");
    words_add(&args, driver_temporary(".o"));
    const char *input = driver_add_input(driver, &args, write_host_source(driver));
    int status = driver_begin_clang(&args, input, said);
    if (!status)
        status = driver_end_clang();
    return !status == !driver->status ? read_file(said).chars : "";
}

/* ---- the messages ---- */

/* Prints a remark, of which clang tells the place after the level: "remark: a.c:16:5: text". Returns false if it tells
 * none. */
static bool print_remark(const char *level)
{
    const char *file = strchr(level, ' ') + 1, *text = strstr(file, ": ");
    struct place place = {0};
    char rest[2] = "";
    for (const char *at = file; text && (at = strchr(at, ':')) && at < text; at++)
        if (sscanf(at, ":%u:%u%1[:]", &place.line, &place.column, rest) == 3) {
            place.file = arena_printf("%.*s", (int)(at - file), file);
            place.column += !place.column; /* 0: the line as a whole */
            diag_remark(place, "%s", strchr(at, ' ') + 1);
            return true;
        }
    return false;
}

void messages_print(const struct driver *driver, enum run run)
{
    struct text said = read_file(driver->host_said);
    struct words lines = split_lines(said.chars), choice = {0};
    bool has_problem = false, is_replaced = false;
    for (int i = 0; i < lines.n; i++) {
        const char *level = find_level(lines.items[i]);
        has_problem = has_problem || (level && !is_remark(level));
        if (level && is_remark(level))
            add_once(&choice, BITCODE_PLACES);
        else if (level)
            add_group(&choice, level);
    }
    const char *better = has_problem ? compile_source(driver, run, &choice) : "";
    for (int i = 0; i < lines.n; i++) {
        const char *level = find_level(lines.items[i]);
        is_replaced = *better && (level ? !is_remark(level) : is_replaced);
        if (!is_replaced && !(level && is_remark(level) && print_remark(level)))
            fprintf(stderr, "%s\n", lines.items[i]);
    }
    fputs(better, stderr);
}
