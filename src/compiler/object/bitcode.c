/* SPDX-License-Identifier: MIT
 *
 * Compiles source and glue to LLVM IR with clang, in one run with the user's options: warnings, dependency files and
 * debug information come from here, once. The IR is as the front end made it, before any optimisation, because the
 * kernels still change. Line numbers are always kept, for our own diagnostics.
 *
 * needs   glue
 * keeps   nothing
 * breaks  nothing */
#include "driver/driver.h"
#include "front/cpp/cpp.h"

#include <string.h>

/* With options after -Xclang, clang may succeed without making bitcode. */
static bool is_bitcode(const char *path)
{
    char magic[2] = "";
    FILE *file = fopen(path, "rb");
    bool good = file && fread(magic, 1, sizeof magic, file) == sizeof magic && !memcmp(magic, "BC", sizeof magic);
    if (file)
        fclose(file);
    return good;
}

/* Keeps the preprocessed source, for -save-temps. */
static bool keep_preprocessed(struct driver *driver)
{
    struct words args = {0};
    driver_add_options(driver, &args, true);
    words_add(&args, "-w");
    words_add(&args, "-E");
    words_add(&args, "-o");
    words_add(&args, driver->beside.preprocessed);
    const char *input = driver_add_input(driver, &args, NULL);
    driver->status = driver_clang(&args, input);
    return driver->status == 0;
}

/* Reports if the source defines a symbol that ampcc needs for a kernel. */
static void check_symbol(const struct unit *unit, const struct kernel *kernel, const char *symbol)
{
    LLVMValueRef function = LLVMGetNamedFunction(unit->host, symbol);
    LLVMValueRef variable = LLVMGetNamedGlobal(unit->host, symbol);
    if ((function && !LLVMIsDeclaration(function)) || (variable && !LLVMIsDeclaration(variable)) ||
        LLVMGetNamedGlobalAlias(unit->host, symbol, strlen(symbol)))
        diag_error(kernel->place,
                   "the source has a symbol '%s', which ampcc needs for kernel '%s'; give it another name", symbol,
                   kernel->name);
}

static bool check_symbols(const struct unit *unit)
{
    for (int k = 0; k < unit->n_kernels; k++) {
        const struct kernel *kernel = &unit->kernels[k];
        check_symbol(unit, kernel, kernel->own);
        check_symbol(unit, kernel, kernel->outside);
        check_symbol(unit, kernel, kernel->touches);
        check_symbol(unit, kernel, kernel->reach_function);
        check_symbol(unit, kernel, kernel->reach_table);
        for (int i = 0; i < unit->n_images; i++) {
            const struct image *image = &unit->images[i];
            check_symbol(unit, kernel, image->codes[k].geometry_symbol);
            check_symbol(unit, kernel, image->target->has_grid ? image->code_symbol : image->codes[k].symbol);
            if (!image->target->has_grid)
                check_symbol(unit, kernel, image->codes[k].name);
        }
    }
    return diag_count() == 0;
}

/* Compiles the source, with the options `how` added. Returns false after errors. */
static bool run_clang(struct unit *unit, const char *remapped, const char *output, const struct words *how)
{
    struct driver *driver = unit->driver;
    struct words args = {0};
    if (unit->is_cpp)
        cpp_add_options(driver, &args, false);
    else
        driver_add_options(driver, &args, true);
    words_add_all(&args, how);
#if LLVM_VERSION_MAJOR >= 21
    /* Key instructions mark where a statement's breakpoint belongs; the C API cannot keep the marks in copied code. */
    words_add(&args, "-gno-key-instructions");
#endif
    words_add(&args, "-emit-llvm");
    words_add(&args, "-c");
    words_add(&args, "-o");
    words_add(&args, output);
    words_add(&args, "-Xclang");
    words_add(&args, "-disable-llvm-passes");
    const char *input = driver_add_input(driver, &args, remapped);
    driver->status = unit->is_cpp ? cpp_clang(&args, input) : driver_clang(&args, input);
    return driver->status == 0;
}

/* Whether the options let signed numbers wrap around. */
static bool wraps(const struct driver *driver)
{
    struct words args = {0};
    bool result = false;
    driver_add_options(driver, &args, true);
    for (int i = 0; i < args.n; i++) {
        const char *word = args.items[i];
        if (!strcmp(word, "-fwrapv") || !strcmp(word, "-fno-strict-overflow"))
            result = true;
        else if (!strcmp(word, "-fno-wrapv") || !strcmp(word, "-fstrict-overflow"))
            result = false;
    }
    return result;
}

/* Compiles the source once more for the code with checks: clang knows where arithmetic goes wrong. */
static bool compile_checked(struct unit *unit, const char *remapped)
{
    static const char *const how[] = {
        "-w",
        "-fno-discard-value-names",
        "-fno-sanitize=all",
        "-fsanitize=integer-divide-by-zero,shift-exponent,float-cast-overflow,builtin",
        "-fsanitize-recover=all",
        "-Xclang",
        "-fsanitize-address-use-after-scope", /* notes the lives of variables with -O0, too */
        "-fno-sanitize-trap=all",
        "-fno-sanitize-minimal-runtime"};
    const char *output = driver_temporary(".bc");
    struct words words = {0};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        words_add(&words, how[i]);
    if (!wraps(unit->driver))
        words_add(&words, "-fsanitize=signed-integer-overflow");
    if (!unit->options->debug)
        words_add(&words, "-gline-tables-only");
    if (!run_clang(unit, remapped, output, &words))
        return false;
    unit->checked = bitcode_read(unit, output);
    return true;
}

bool bitcode(struct unit *unit)
{
    struct driver *driver = unit->driver;
    if (driver->beside.preprocessed && !keep_preprocessed(driver))
        return false;
    const char *remapped = driver_temporary(".c"), *output = driver_temporary(".bc");
    struct text text = {0};
    text_add_bytes(&text, driver->source, driver->source_size);
    text_add(&text, "%s", driver->glue);
    driver_write(remapped, text.chars, text.size);

    struct words how = {0};
    if (!unit->is_cpp)
        driver_add_depend(driver, &how);
    driver_add_record(driver, &how);
    if (!unit->options->debug) /* the report finds lines in the targets' assembly */
        words_add(&how, unit->options->report ? "-gline-tables-only" : BITCODE_PLACES);
    if (unit->options->report)
        words_add(&how, "-fno-discard-value-names"); /* keeps the names of local arrays */
    words_add_all(&how, &driver->beside.words[RUN_SOURCE]);
    if (!run_clang(unit, remapped, output, &how))
        return false;
    if (!is_bitcode(output)) {
        diag_command("clang made no bitcode of '%s'; an option that has it make something else, such as -Xclang "
                     "-ast-dump, needs -fsyntax-only with it",
                     driver->name);
        return false;
    }
    unit->host = bitcode_read(unit, output);
    if (unit->is_cpp)
        cpp_clean_host(unit->host);
    if ((!unit->is_cpp && !agree_check(unit)) || !check_symbols(unit))
        return false;
    descriptor_read(unit);
    return !unit->options->check || unit->n_kernels == 0 || compile_checked(unit, remapped);
}
