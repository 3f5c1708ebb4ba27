/* SPDX-License-Identifier: MIT
 *
 * The options of clang for the mode in which it compiles C++ AMP. */
#include "front/cpp/cpp.h"

/* Whether an option is for the preprocessor alone, which has run when clang compiles. */
static bool is_for_preprocessor(const char *word)
{
    static const char whole[] = "-include -imacros --include --imacros --define-macro --undefine-macro -include-pch";
    static const char begins[] = "-D -U --define-macro= --undefine-macro= --include= --imacros= -Wp,";
    return is_word_of(word, whole) || begins_with_one_of(word, begins);
}

void cpp_add_options(const struct driver *driver, struct words *args, enum cpp_run run)
{
    bool is_for_device = run != CPP_HOST;
    static const char *const mode[] = {"--offload-host-only",
                                       "-nogpuinc",
                                       "-nogpulib",
                                       "-fuse-cuid=none",
                                       "-fdeclspec",
                                       "-ffp-contract=on",
                                       "-Wno-cuda-compat",
                                       "-Wno-gcc-compat",
                                       "-Wno-gnu-line-marker",
                                       "-Wno-option-ignored", /* sanitizers are for the host alone */
                                       "-Wno-unused-command-line-argument"};
    const struct command *command = driver->command;
    for (size_t i = 0; i < sizeof mode / sizeof *mode; i++)
        words_add(args, mode[i]);
    if (is_for_device)
        words_add(args, "-fno-strict-aliasing"); /* views of one memory by reinterpret_as alias */
    for (int i = 0; i < command->n_words; i++) {
        const struct word *word = &command->words[i];
        if (word->kind != WORD_COMPILE || is_for_preprocessor(word->text[0]))
            continue;
        words_add(args, word->text[0]);
        if (word->text[1])
            words_add(args, word->text[1]);
    }
    words_add(args, arena_printf("-Damp__on_device(...)=%s", is_for_device ? "__VA_ARGS__" : ""));
    words_add(args, arena_printf("-Damp__on_host(...)=%s", is_for_device ? "" : "__VA_ARGS__"));
    words_add(args, arena_printf("-Damp__on_checked(...)=%s", run == CPP_CHECKED ? "__VA_ARGS__" : ""));
    words_add(args, arena_printf("-Damp__most_planes=%d", command->options.strict ? 64 : 1024));
    words_add(args, arena_printf("-Damp__used_on_device=%s", is_for_device ? "__attribute__((used))" : ""));
    if (is_for_device) {
        words_add(args, "-w");
        words_add(args, "-Xclang");
        words_add(args, "-fcuda-is-device");
    }
}

bool cpp_preprocess(struct driver *driver, const char *output, bool is_whole, bool finds_headers)
{
    const char *language = driver->language;
    struct words args = {0};
    driver_add_cpp_header(&args, is_whole);
    driver_add_options(driver, &args, true);
    if (is_whole)
        words_add(&args, "-w"); /* the first time has said it all */
    if (finds_headers)
        driver_add_depend(driver, &args);
    words_add(&args, "-E");
    words_add(&args, "-o");
    words_add(&args, output);
    driver->language = driver->input->language;
    const char *input = driver_add_input(driver, &args, NULL);
    driver->language = language;
    driver->status = driver_clang(&args, input);
    return driver->status == 0;
}
