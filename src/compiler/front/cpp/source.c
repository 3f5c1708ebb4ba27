/* SPDX-License-Identifier: MIT
 *
 * The pass `front` for C++. It preprocesses the source as ordinary C++. Only if that has included <amp.h> of C++, or
 * has a function with restrict(...), does anything else happen: the text is changed where clang could not read it
 * (tokens.c), and compiled for devices, while libclang parses it for the rules (syntax.c). The run for the host goes on
 * at the same time, until `bitcode` waits for it.
 *
 * Both runs read preprocessed text, but as text that may contain macros, because restrict(...) and tile_static are
 * some. So clang's messages quote what the user wrote, and headers see no trace of the mode that clang is in.
 *
 * needs   the input and the command line in unit->driver
 * keeps   the text in driver->source
 * breaks  nothing */
#include "front/ast.h"
#include "front/cpp/edits.h"
#include "kernel/ir.h"

#include <stdio.h>
#include <string.h>

/* What <amp.h> of C++ declares, so that it can be found in preprocessed text. */
static const char mark[] = "amp__cxx_door";

/* What the words of C++ AMP mean to clang. */
static const char macros[] = "# 1 \"<ampcc>\" 3\n"
                             "#define restrict(...) AMP__RESTRICT(__VA_ARGS__, AMP__FOUR, AMP__THREE, AMP__BOTH, "
                             "AMP__ONE)(__VA_ARGS__)\n"
                             "#define AMP__RESTRICT(a, b, c, d, n, ...) n\n"
                             "#define AMP__ONE(a) AMP__ONLY_##a\n"
                             "#define AMP__BOTH(a, b) AMP__ON_##a AMP__ON_##b\n"
                             "#define AMP__THREE(a, b, c) AMP__BOTH(a, b) AMP__ON_##c\n" /* one may come twice */
                             "#define AMP__FOUR(a, b, c, d) AMP__BOTH(a, b) AMP__BOTH(c, d)\n"
                             "#define AMP__ONLY_cpu AMP__ON_cpu\n"
                             "#define AMP__ONLY_amp __attribute__((device, unused))\n" /* the host does not use it */
                             "#define AMP__ONLY_amp__name restrict\n"                  /* is not replaced again */
                             "#define AMP__ON_cpu __attribute__((host))\n"
                             "#define AMP__ON_amp __attribute__((device))\n"
                             "#define tile_static static __attribute__((shared, annotate(\"amp.tile_static\")))\n";

/* ---- the text ---- */

static bool read_file(struct text *text, const char *path)
{
    FILE *file = fopen(path, "rb");
    bool good = file && text_add_file(text, file);
    if (file)
        fclose(file);
    return good;
}

static bool is_preprocessed(const struct driver *driver)
{
    return strcmp(driver->input->language, "c++") != 0;
}

/* Reads the preprocessed source. */
static bool preprocess(struct driver *driver, bool is_whole, struct text *text)
{
    const char *output = driver_temporary(".ii");
    if (!is_preprocessed(driver))
        return cpp_preprocess(driver, output, is_whole, true) && read_file(text, output);
    if (read_file(text, driver->spooled ? driver->spooled : driver->name) && text->chars)
        return true;
    diag_command("cannot read '%s'", driver->name);
    return false;
}

/* What libclang parses, and what it makes of that. */
struct parsing {
    struct driver *driver;
    CXTranslationUnit tu;
};

static void parse_text(void *what)
{
    struct parsing *parsing = what;
    struct driver *driver = parsing->driver;
    struct words args = {0};
    struct CXUnsavedFile text = {driver->name, driver->device_source.chars, driver->device_source.size};
    words_add(&args, AMPCC_CLANG);
    cpp_add_options(driver, &args, CPP_DEVICE);
    words_add(&args, "-ferror-limit=0");
    words_add(&args, "-x");
    words_add(&args, driver->language);
    ast_keep_to_this_thread();
    clang_parseTranslationUnit2FullArgv(clang_createIndex(0, 0), driver->name, args.items, args.n, &text, 1,
                                        CXTranslationUnit_KeepGoing, &parsing->tu);
}

/* Parses the text for devices with libclang. Returns NULL if that is not possible, also where libclang crashes, because
 * clang then does so, too, and says where. */
static CXTranslationUnit parse(struct driver *driver)
{
    struct parsing parsing = {.driver = driver};
    return driver_survive(parse_text, &parsing) ? parsing.tu : NULL;
}

/* Compiles the source for devices, and reads what clang makes. In a trial, clang's errors are not reported. */
static bool compile(struct unit *unit, bool is_trial)
{
    struct driver *driver = unit->driver;
    const char *remapped = driver_temporary(".cpp"), *output = driver_temporary(".bc");
    static const char *const how[] = {"-fno-discard-value-names", "-emit-llvm", "-c", "-Xclang",
                                      "-disable-llvm-passes"};
    struct words args = {0};
    driver_write(remapped, driver->device_source.chars, driver->device_source.size);
    cpp_add_options(driver, &args, CPP_DEVICE);
    if (!unit->options->debug)
        words_add(&args, "-g"); /* names captured variables */
#if LLVM_VERSION_MAJOR >= 21
    words_add(&args, "-gno-key-instructions"); /* as in bitcode.c */
#endif
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        words_add(&args, how[i]);
    words_add(&args, "-o");
    words_add(&args, output);
    struct clang_run run;
    const char *input = driver_add_input(driver, &args, remapped);
    if (!driver_begin_run(&run, &args, input))
        return false;
    struct cpp_syntax syntax = {.tu = parse(driver)}; /* while clang works */
    driver->status = driver_end_run(&run);
    bool is_good = true, is_silent = driver->status && is_trial;
    if (syntax.tu && !is_silent)
        is_good = cpp_check_syntax(unit, &syntax);
    if (!is_silent)
        cpp_print_messages(&run, syntax.tu ? &syntax : NULL);
    clang_disposeTranslationUnit(syntax.tu);
    if (driver->status || !is_good)
        return false;
    if (!syntax.tu)
        diag_defect(NULL, "libclang cannot parse '%s', which clang can", driver->name);
    unit->form = bitcode_read(unit, output);
    driver->triple = LLVMGetTarget(unit->form);
    return true;
}

/* Whether no option but -save-temps asks for more outputs: beside.c does not know this way of compiling. */
static bool has_plain_outputs(const struct command *command)
{
    static const char keeps[] = "-save-temps --save-temps";
    static const char covers[] =
        "--coverage -coverage -ftest-coverage -fprofile-arcs"; /* also an option of the linker */
    for (int i = 0; i < command->n_words; i++) {
        const struct word *word = &command->words[i];
        if ((word->kind == WORD_BESIDE && !begins_with_one_of(word->text[0], keeps)) ||
            is_word_of(word->text[0], covers)) {
            diag_command("'%s' is not possible with C++ AMP so far", word->text[0]);
            return false;
        }
    }
    return true;
}

static struct text changed_text(struct source *source)
{
    struct text text = {0};
    text_add(&text, "%s", macros);
    edits_apply(source, &text);
    return text;
}

/* Whether the program names std::vector, which the light <amp.h> only declares, and has not included it. If it did not
 * compile for that reason, <amp.h> would be tried as a whole anyway, but what does not exist may also change the
 * meaning of a program. */
static bool lacks_vector(const struct source *s)
{
    bool lacks = false;
    if (strstr(s->chars, "/bits/stl_vector.h\""))
        return false;
    for (int i = 0; i < s->n && !lacks; i++)
        lacks = (s->tokens[i].origin == ORIGIN_PROGRAM || s->tokens[i].origin == ORIGIN_SYSTEM) && is(s, i, "vector");
    return lacks;
}

/* Changes preprocessed text, and compiles it for devices. Returns false after errors; in a trial, they may not have
 * been reported. */
static bool read_source(struct unit *unit, const struct text *preprocessed, bool is_trial)
{
    struct driver *driver = unit->driver;
    struct source source = edits_begin(preprocessed);
    unsigned errors = diag_count();
    if (is_trial && lacks_vector(&source))
        return false;
    source.is_strict = unit->options->strict;
    edits_find(&source);
    if (diag_count() != errors)
        return false;
    struct text text = changed_text(&source);
    edits_tell(&source);
    driver->language = "hip";
    driver->source = text.chars;
    driver->source_size = text.size;
    if (!bitcode_begin(unit))
        return false;
    driver->device_source = is_trial && edits_cut_bodies(&source) ? changed_text(&source) : text;
    if (compile(unit, is_trial))
        return true;
    driver_stop_run(&driver->host_run);
    return false;
}

/* Reads the source as if <amp.h> did not include what takes long to read; if that does not compile, with it. */
static bool read_light_or_whole(struct unit *unit, const struct text *light)
{
    struct driver *driver = unit->driver;
    struct text whole = {0};
    const char *language = driver->language;
    unsigned errors = diag_count();
    bool needs_whole =
        is_preprocessed(driver) || strstr(light->chars, "shared_future") || strstr(light->chars, ":future_status");
    if (!needs_whole && read_source(unit, light, true))
        return true;
    if (diag_count() != errors)
        return false;
    driver->language = language;
    return preprocess(driver, true, &whole) && read_source(unit, &whole, false);
}

/* Whether the source itself, without what it includes, looks like C++ AMP. */
static bool is_likely(const struct driver *driver)
{
    struct text text = {0};
    return read_file(&text, driver->spooled ? driver->spooled : driver->name) && text.chars &&
           (strstr(text.chars, "amp.h") || strstr(text.chars, "restrict("));
}

bool cpp_front(struct unit *unit)
{
    struct driver *driver = unit->driver;
    struct text preprocessed = {0};
    if (is_likely(driver))
        driver_reserve_clang(2, false); /* for the host and for devices */
    if (!preprocess(driver, false, &preprocessed))
        return false;
    unit->is_cpp = strstr(preprocessed.chars, mark) || cpp_has_restriction(&preprocessed);
    if (!unit->is_cpp)
        return true;
    if (!has_plain_outputs(driver->command))
        return false;
    driver_reserve_clang(3, false); /* and for glue */
    if (!read_light_or_whole(unit, &preprocessed) || !targets_choose(unit) || !cpp_read_kernels(unit))
        return false;
    if (!unit->options->debug)
        ir_run_passes(unit->form, NULL, "strip-nonlinetable-debuginfo");
    return true;
}
