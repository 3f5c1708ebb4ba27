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

#include <llvm-c/Linker.h>
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

/* Reads the module that clang has made of the source. Returns NULL after errors. */
static LLVMModuleRef read_source_module(struct unit *unit, const char *path)
{
    if (is_bitcode(path))
        return bitcode_read(unit, path);
    diag_command("clang made no bitcode of '%s'; an option that has it make something else, such as -Xclang -ast-dump, "
                 "needs -fsyntax-only with it",
                 unit->driver->name);
    return NULL;
}

/* Keeps the preprocessed source, for -save-temps. */
static bool keep_preprocessed(const struct unit *unit)
{
    struct driver *driver = unit->driver;
    struct words args = {0};
    if (unit->is_cpp)
        return cpp_preprocess(driver, driver->beside.preprocessed, true, false);
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

/* Adds clang's arguments to compile a file in place of the source, with the options `how`; `run` is for C++. Returns
 * the standard input. */
static const char *add_arguments(const struct unit *unit, struct words *args, const char *remapped, const char *output,
                                 const struct words *how, enum cpp_run run)
{
    struct driver *driver = unit->driver;
    if (unit->is_cpp)
        cpp_add_options(driver, args, run);
    else
        driver_add_options(driver, args, true);
    words_add_all(args, how);
#if LLVM_VERSION_MAJOR >= 21
    /* Key instructions mark where a statement's breakpoint belongs; the C API cannot keep the marks in copied code. */
    words_add(args, "-gno-key-instructions");
#endif
    words_add(args, "-c");
    words_add(args, "-o");
    words_add(args, output);
    return driver_add_input(driver, args, remapped);
}

/* Adds the options with which clang makes IR. */
static void add_bitcode_options(struct words *args)
{
    words_add(args, "-emit-llvm");
    words_add(args, "-Xclang");
    words_add(args, "-disable-llvm-passes");
}

/* Compiles the source, with the options `how` added. Returns false after errors. */
static bool run_clang(struct unit *unit, const char *remapped, const char *output, const struct words *how,
                      enum cpp_run run)
{
    struct words args = {0};
    add_bitcode_options(&args);
    const char *input = add_arguments(unit, &args, remapped, output, how, run);
    unit->driver->status = driver_clang(&args, input);
    return unit->driver->status == 0;
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
    if (unit->is_cpp)
        driver_write(remapped, unit->driver->device_source.chars, unit->driver->device_source.size);
    if (!run_clang(unit, remapped, output, &words, CPP_CHECKED))
        return false;
    unit->checked = bitcode_read(unit, output);
    if (unit->is_cpp)
        cpp_make_checked_entries(unit);
    return true;
}

/* Adds the options of the run that compiles the source, besides those of all runs. */
static void add_source_options(const struct unit *unit, struct words *how)
{
    bool makes_object = unit->is_cpp && unit->has_objects;
    driver_add_record(unit->driver, how);
    if (!unit->options->debug && !makes_object) /* the report finds lines in the targets' assembly */
        words_add(how, unit->options->report ? "-gline-tables-only" : BITCODE_PLACES);
    if (unit->options->report)
        words_add(how, "-fno-discard-value-names"); /* keeps the names of local arrays */
    words_add_all(how, &unit->driver->beside.words[RUN_SOURCE]);
}

/* ---- C++ ---- */

/* Starts to compile a text for the host in place of the source, to an object or to IR, with the options `how` added. */
static bool begin_host(struct unit *unit, struct clang_run *run, struct text text, struct words *how)
{
    const char *remapped = driver_temporary(".cpp");
    struct words args = {0};
    run->makes_object = unit->has_objects;
    run->output = driver_temporary(run->makes_object ? ".o" : ".bc");
    driver_write(remapped, text.chars, text.size);
    if (run->makes_object)
        host_add_object_options(unit, how);
    else
        add_bitcode_options(how);
    const char *input = add_arguments(unit, &args, remapped, run->output, how, CPP_HOST);
    return driver_begin_run(run, &args, input);
}

static bool begin_source(struct unit *unit, bool is_quiet)
{
    struct driver *driver = unit->driver;
    struct words how = {0};
    add_source_options(unit, &how);
    if (is_quiet)
        words_add(&how, "-w");
    return begin_host(unit, &driver->host_run, (struct text){driver->source, driver->source_size}, &how);
}

static bool begin_glue(struct unit *unit)
{
    static const char *const options[] = {"-w", "-g0", "-fno-ident", "-fno-profile-instr-generate",
                                          "-fno-coverage-mapping"};
    struct driver *driver = unit->driver;
    struct words how = {0};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        words_add(&how, options[i]);
    return begin_host(unit, &driver->glue_run, (struct text){driver->glue, strlen(driver->glue)}, &how);
}

bool bitcode_begin(struct unit *unit)
{
    unit->has_objects = join_is_allowed(unit->driver->command);
    return begin_source(unit, false);
}

/* Links glue into the host's module. The kernels' functions may be local to it, which a linker does not look at. */
static void link_glue(struct unit *unit, LLVMModuleRef module)
{
    LLVMLinkage *linkages = arena_alloc((size_t)unit->n_kernels * sizeof *linkages);
    LLVMValueRef *functions = arena_alloc((size_t)unit->n_kernels * sizeof *functions);
    for (int k = 0; k < unit->n_kernels; k++) {
        functions[k] = LLVMGetNamedFunction(unit->host, unit->kernels[k].symbol);
        linkages[k] = functions[k] ? LLVMGetLinkage(functions[k]) : LLVMExternalLinkage;
        if (linkages[k] == LLVMInternalLinkage)
            LLVMSetLinkage(functions[k], LLVMExternalLinkage);
    }
    if (LLVMLinkModules2(unit->host, module))
        diag_defect(NULL, "glue cannot be linked with '%s'", unit->driver->name);
    for (int k = 0; k < unit->n_kernels; k++)
        if (linkages[k] == LLVMInternalLinkage)
            LLVMSetLinkage(functions[k], LLVMInternalLinkage);
}

/* Waits for the modules of the source and of glue, and links them. */
static bool link_host(struct unit *unit)
{
    struct driver *driver = unit->driver;
    if (!bitcode_end(unit) || !(unit->host = read_source_module(unit, driver->host_run.output)))
        return false;
    LLVMModuleRef glue = bitcode_read(unit, driver->glue_run.output);
    cpp_clean_host(unit->host);
    cpp_clean_host(glue);
    for (int k = 0; k < unit->n_kernels; k++)
        check_symbol(unit, &unit->kernels[k], "amp__kernels");
    if (diag_count())
        return false;
    link_glue(unit, glue);
    return check_symbols(unit);
}

static bool compile_cpp(struct unit *unit)
{
    struct driver *driver = unit->driver;
    if (driver->host_run.makes_object && !unit->has_objects) {
        driver_stop_run(&driver->host_run);
        if (!begin_source(unit, false))
            return false;
    }
    return begin_glue(unit) && (unit->has_objects || link_host(unit));
}

bool bitcode_end(struct unit *unit)
{
    struct driver *driver = unit->driver;
    driver->status = cpp_end_clang(&driver->host_run, false);
    int status = cpp_end_clang(&driver->glue_run, driver->status != 0);
    driver->status = driver->status ? driver->status : status;
    return driver->status == 0;
}

bool bitcode_again(struct unit *unit)
{
    return begin_source(unit, true) && begin_glue(unit) && link_host(unit);
}

/* ---- the whole ---- */

/* Compiles the source with glue after it; the text goes to the file `remapped`. */
static bool compile_source(struct unit *unit, const char *remapped)
{
    struct driver *driver = unit->driver;
    const char *output = driver_temporary(".bc");
    struct text text = {0};
    struct words how = {0};
    text_add_bytes(&text, driver->source, driver->source_size);
    text_add(&text, "%s", driver->glue);
    driver_write(remapped, text.chars, text.size);
    driver_add_depend(driver, &how);
    add_source_options(unit, &how);
    if (!run_clang(unit, remapped, output, &how, CPP_HOST))
        return false;
    unit->host = read_source_module(unit, output);
    return unit->host && agree_check(unit) && check_symbols(unit);
}

bool bitcode(struct unit *unit)
{
    struct driver *driver = unit->driver;
    if (driver->beside.preprocessed && !keep_preprocessed(unit))
        return false;
    const char *remapped = driver_temporary(unit->is_cpp ? ".cpp" : ".c");
    if (!(unit->is_cpp ? compile_cpp(unit) : compile_source(unit, remapped)))
        return false;
    if (!unit->is_cpp)
        descriptor_read(unit);
    return !unit->options->check || unit->n_kernels == 0 || compile_checked(unit, remapped);
}
