/* SPDX-License-Identifier: MIT
 *
 * The command line, and the tools around the pipeline: clang as a child process, temporary files, libclang's view of
 * the source. Passes on LLVM IR need none of this. */
#pragma once

#include "ampcc.h"

#include <clang-c/Index.h>
#include <stdio.h>

/* ---- words.c: a growing list of strings, such as a command line ---- */

struct words {
    const char **items; /* ends with NULL once a word was added */
    int n, capacity;
};

void words_add(struct words *words, const char *word);
void words_add_all(struct words *words, const struct words *more);
/* Adds the words of a response file's text. As in LLVM, a backslash keeps the character after it as it is, even within
 * quotes of either kind. */
void words_split(struct words *words, const char *text);

bool has_prefix(const char *text, const char *prefix);

/* Reads a number of lanes; returns 0 if it is none. */
int words_lanes(const char *text);
/* Whether `word` begins with one of several prefixes, which are separated by spaces. */
bool begins_with_one_of(const char *word, const char *list);

/* Return a path's last part, and the path with another suffix, which may be "". */
const char *file_name(const char *path);
const char *with_suffix(const char *path, const char *suffix);

/* Whether `word` is one of `list`, which are separated by spaces. */
bool is_word_of(const char *word, const char *list);

/* A growing text. */
struct text {
    char *chars;
    size_t size, capacity;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *bytes, size_t size);
/* Adds the rest of `file`. Returns false if it cannot be read to the end. */
bool text_add_file(struct text *text, FILE *file);

/* ---- warnings.c ---- */

/* Which of ampcc's own warnings are reported. */
struct warnings {
    bool are_off, are_errors; /* -w, -Werror */
    bool is_on[N_WARNINGS];
    int severity[N_WARNINGS]; /* 1: an error, -1: none, 0: as for all */
};

struct warnings warnings_default(void);
/* Reads an option. Returns whether it is about warnings of ampcc, and clang does not know it. */
bool warnings_read(struct warnings *warnings, const char *word);
/* Returns the option that switches a warning on, without -W. */
const char *warnings_option(enum warning warning);

/* ---- options.c: what the command line says ---- */

/* What is made from each input. If several are asked for, the last in this list wins, as in clang. */
enum mode {
    MODE_LINK,
    MODE_OBJECT,   /* -c */
    MODE_ASSEMBLY, /* -S */
    MODE_SYNTAX,   /* -fsyntax-only */
    MODE_CLANG     /* -E, -M, --version ...: clang does everything */
};

/* The kinds of words in a command's list. -c, -S, -emit-llvm, -o and -x are not in it: each run adds its own. */
enum word_kind {
    WORD_COMPILE,  /* any other option: for every run of clang that compiles */
    WORD_LINK,     /* libraries and linker options: their order among the inputs matters */
    WORD_DEPEND,   /* -MD, -MF, ...: only for the run that reads the source */
    WORD_BESIDE,   /* -save-temps, -ftime-trace, ...: beside.c finds what our runs of clang get instead */
    WORD_DATABASE, /* -MJ and -gen-cdb-fragment-path: for database.c */
    WORD_RECORD,   /* -frecord-command-line, ...: the user's command line is recorded, not that of a run of clang */
    WORD_INPUT
};

/* One option with its value, or one input. */
struct word {
    enum word_kind kind;
    const char *text[2];  /* text[1] is NULL if the value is part of the option or there is none */
    const char *language; /* of an input: "c", "cpp-output", "c++", "c++-cpp-output"; NULL if it is neither C nor C++ */
    const char *forced;   /* language set by -x, or NULL */
    bool is_source;       /* an input that clang compiles, whatever its language */
    bool is_header;       /* an input that clang makes into a precompiled header, whatever the mode */
};

struct command {
    enum mode mode;
    struct word *words;
    int n_words;
    int n_inputs;
    bool emit_llvm;
    bool preprocesses;                       /* -E, -M or -MM */
    bool writes_depend;                      /* -MD or -MMD */
    const char *depend_file, *depend_target; /* -MF; the last -MT or -MQ */
    const char *output;                      /* -o */
    const char *database, *fragments;        /* -MJ, -gen-cdb-fragment-path */
    bool no_default_libraries, relocatable;
    struct words line;  /* all words that the user gave */
    struct words clang; /* all words that clang sees, unchanged: for MODE_CLANG */
    struct words ours;  /* --amp-... */
    struct words cpus;  /* --amp-cpu= */
    struct words gpus;  /* --amp-gpu= */
    bool no_gpus;       /* --amp-gpu=none */
    int colour;         /* of diagnostics: 1 always, 0 never, -1 on a terminal */
    bool carets;
    struct warnings warnings;
    bool has_remarks; /* -Rpass=... and the like */
    bool help, version, passes;
    struct options options;
};

/* Reads the command line. Returns false after it has reported errors. */
bool options_parse(struct command *command, int n_args, char **args);
void options_help(void);

/* ---- config.c ---- */

/* Puts the words of clang's configuration files into the command line. Returns false after it has reported an error. */
bool options_configure(struct words *line);

/* ---- override.c ---- */

/* Edits the words of the command line as CCC_OVERRIDE_OPTIONS says, and removes that from the environment. */
void options_override(struct words *line);

/* ---- driver.c ---- */

/* The runs of clang on an input with kernels. */
enum run {
    RUN_SOURCE, /* reads the source and makes IR from it */
    RUN_HOST,   /* optimises the host's code */
    RUN_OBJECT, /* generates code for all */
    N_RUNS
};

/* What clang writes beside the output. */
struct beside {
    struct words words[N_RUNS]; /* options that name it, for the runs that write it */
    const char *record;         /* the file for the optimiser's remarks; NULL: none is wanted */
    const char *late_record;    /* a temporary file for the code generator's remarks */
    bool is_yaml;               /* the remarks are YAML */
    const char *preprocessed, *bitcode, *assembly, *object; /* what -save-temps keeps; NULL: nothing */
};

/* A clang that runs. */
struct clang_run {
    pid_t clang;
    const char *errors; /* the file with what it says */
    const char *output; /* of those of bitcode.c: what it makes */
    bool makes_object;  /* and not IR */
};

/* One input of the compilation, on its way through the pipeline. */
struct driver {
    const struct command *command;
    const struct word *input;
    const char *name;     /* as messages spell it: "<stdin>" for "-" */
    const char *spooled;  /* a copy of an input that can be read only once; NULL otherwise */
    const char *output;   /* NULL if none is made */
    const char *triple;   /* the target that the source is compiled for */
    const char *language; /* in which clang reads the source: the input's, or for C++ AMP another one */
    char *source;         /* the input's text as libclang read it: `source_size` bytes and a final 0 */
    size_t source_size;
    struct text device_source; /* for C++ AMP, what clang reads of it for devices */
    CXTranslationUnit tu;      /* from front */
    char *glue;                /* from glue */
    struct clang_run host_run; /* for C++ AMP, from bitcode_begin */
    struct clang_run glue_run; /* from bitcode */
    struct beside beside;
    const char *host_object; /* from host_begin */
    const char *host_said;   /* the file with what clang says about the host's code */
    const char *footprints;  /* the file with the object of what `footprint` has written; from join_write_footprints */
    int status;              /* exit status of a tool that failed, otherwise 0 */
};

/* Compiles what the command says. Returns the exit status. */
int driver_run(const struct command *command);

/* ---- arguments.c: clang's command line ---- */

/* Add the command's words of a kind, and the folder of amp.h. */
void driver_add_kind(const struct command *command, struct words *args, enum word_kind kind);
void driver_add_header(struct words *args);

/* Whether an input is C++, preprocessed or not. */
bool driver_is_cpp(const struct word *input);
/* Adds what C++ needs to find its <amp.h>, with all that this declares if `is_whole`. */
void driver_add_cpp_header(struct words *args, bool is_whole);

/* Adds the user's options for a run of clang: all of them for the source, those for preprocessing and dependency output
 * left out for IR made from it. */
void driver_add_options(const struct driver *driver, struct words *args, bool reads_source);
/* Returns the name of what the user gets from an input: the program, or what is made from this input alone. */
const char *driver_output_name(const struct command *command, const struct word *input);
/* Adds -c, or the option for whatever else the command makes. */
void driver_add_mode(const struct command *command, struct words *args);
/* Adds options for dependency output, named after what the user gets and not after temporary files, and for recording
 * the user's command line. */
void driver_add_depend(const struct driver *driver, struct words *args);
void driver_add_record(const struct driver *driver, struct words *args);
/* Adds the input itself, with its language; `remapped`, if not NULL, replaces its contents. Returns what clang's
 * standard input must be, or NULL for any. */
const char *driver_add_input(const struct driver *driver, struct words *args, const char *remapped);

/* Returns the folder that holds ampcc's bin, lib and include. */
const char *driver_prefix(void);

/* ---- beside.c: what clang writes beside the output ---- */

/* Finds out what clang writes for driver->input. */
void driver_find_beside(struct driver *driver);
/* Joins the remarks into one file, after the last run. Returns false after an error. */
bool driver_join_record(const struct driver *driver);

/* ---- cpp_library.c ---- */

/* Adds the library of C++ to a link that needs it. */
void driver_add_cpp_library(const struct command *command, struct words *args);

/* ---- new.c ---- */

/* Makes the project that the words after `ampcc --new` name. Returns the exit status. */
int new_project(int n_names, char **names);

/* ---- database.c ---- */

/* Writes the entries that the command asks for. Returns false after an error. */
bool database_write(const struct command *command);

/* ---- children.c: temporary files and child processes ---- */

/* Asks the system for a deep stack and long turns on processors. From here on a signal that ends ampcc also ends its
 * children, and leaves neither temporary files nor unfinished output. */
void driver_set_up_process(void);

/* Calls `work`. Returns false if it crashes; what it was at work on is then in no known state. */
bool driver_survive(void (*work)(void *what), void *what);
/* Starts a copy of this process, which calls `work` and exits with the status that it returns. What the copy prints is
 * dropped. Returns its process number, or a negative number if it cannot be started. */
typedef int copy_work(void *what);
pid_t driver_begin_copy(copy_work *work, void *what);
/* Waits for a copy and returns its status. */
int driver_end_copy(pid_t copy);

/* Loads the clangs that the next runs take, to save time then, up to `n`: runs that print what they say, or those of
 * driver_begin_run. */
void driver_reserve_clang(int n, bool prints);
/* Runs clang with `args` and, if not NULL, `input` as its standard input. Returns its exit status. */
int driver_clang(const struct words *args, const char *input);
/* Do the same in two steps, to allow other work meanwhile. What clang prints on standard error goes to the file
 * `errors`, if that is not NULL. If begin returns a status other than 0, clang was not started. */
int driver_begin_clang(const struct words *args, const char *input, const char *errors);
int driver_end_clang(void);
/* Do the same with a clang that runs beside others. Begin returns false if it was not started. */
bool driver_begin_run(struct clang_run *run, const struct words *args, const char *input);
int driver_end_run(const struct clang_run *run);
/* Ends that clang before it is done. */
void driver_stop_run(const struct clang_run *run);
/* Does the same with another clang. */
int driver_clang_at(const char *clang, const struct words *args, const char *input);
/* Replaces this process by clang with `args`. Returns an exit status if that fails. */
int driver_become_clang(const struct words *args);
/* Returns the file that a program's name means, found along PATH; NULL if there is none. */
const char *driver_find_program(const char *name);
/* Returns the path of the clang that is run. */
const char *driver_clang_path(void);
/* Whether that is ampcc itself, which would then run itself forever. */
bool driver_is_clang_ours(void);

/* Returns what clang says it would do for a command line. */
const char *driver_ask_clang(const struct words *args);

/* Runs a program with its arguments; all that it prints goes to the file `output`. Returns its exit status, or -1 if
 * there is no such program. */
int driver_tool(const struct words *line, const char *output);

/* Returns the name of a new temporary file, which is removed when the process ends, however it ends. */
const char *driver_temporary(const char *suffix);

/* Writes a temporary file; exits with an error message if that fails. */
void driver_write(const char *path, const char *bytes, size_t size);

/* From begin to end the file at `path` is unfinished: it is removed if the process ends meanwhile, or if `is_good` is
 * false at the end. */
void driver_begin_output(const char *path);
void driver_end_output(bool is_good);

/* ---- passes.c ---- */

/* Runs the passes from `first` to `last`. Returns false if one failed; sets `*stopped` if the pipeline ended at
 * stop_after. */
bool passes_run(struct unit *unit, const char *first, const char *last, bool *stopped);
bool passes_exist(const char *name);
void passes_list(FILE *file);
/* Prints how long each pass took, in all processes together. */
void passes_print_times(void);
/* The number of passes. */
enum {
#define PASS(name, description) PASS_##name,
#include "driver/passes.def"
#undef PASS
    N_PASSES
};
/* Hand the times of passes from a child process to its parent: the child takes them, the parent adds them. */
void passes_take_times(double milliseconds[N_PASSES]);
void passes_add_times(const double milliseconds[N_PASSES]);

/* ---- front.c ---- */

/* Frees what libclang made of the source, which passes up to `check`, and messages, need. */
void front_forget(struct driver *driver);

/* ---- errors.c ---- */

/* Reports the errors of the source. Returns false if there are any. */
bool errors_report(struct driver *driver);
/* Lets clang itself say what is wrong. Returns whether clang found nothing. */
bool errors_ask_clang(struct driver *driver);

/* ---- check_launch.c ---- */

/* Reports launches in `host_function` that cannot succeed. */
void check_launches(const struct unit *unit, CXCursor host_function);
/* Warns about launches without errors, once the kernels have been looked at. */
void suspect_launches(const struct unit *unit, CXCursor host_function);

/* ---- parallel.c ---- */

/* Runs the passes from `prepare` to `emit`, those from `retarget` to `assemble` for all images at the same time where
 * possible. Results are as for passes_run. */
bool parallel_run(struct unit *unit, bool *stopped);

/* ---- bundle.c ---- */

/* Gives what an image's module defines its names in the object, and drops what the object does not need. */
void bundle_finish(const struct unit *unit, const struct image *image);
/* Defines the data of an image that the descriptors refer to: its geometry and, for GPUs, its code. It is local in the
 * host's module. */
void bundle_data(const struct unit *unit, const struct image *image, LLVMModuleRef module);

/* ---- host.c ---- */

/* Adds the options with which clang makes an object of the host's code. */
void host_add_object_options(const struct unit *unit, struct words *args);
/* Start clang to make an object from the host's module alone, and wait for it. They return false after errors. */
bool host_begin(struct unit *unit);
bool host_end(struct unit *unit);
/* Runs the user's optimisation on the host's module, before the kernels' code is added. Returns false after errors. */
bool host_optimise(struct unit *unit);
/* Runs clang on the host's module with the options `how` added. Returns false after errors. */
bool host_run(struct unit *unit, enum run run, const char *output, const struct words *how);
/* Writes the host's module as bitcode. Returns false after an error. */
bool host_write(const struct unit *unit, const char *path);

/* ---- messages.c ---- */

/* Prints what clang said about the host's code, with its places in the source. */
void messages_print(const struct driver *driver, enum run run);

/* ---- join.c ---- */

/* Whether the command line lets the kernels' code be in separate objects, to be joined with the host's. */
bool join_is_allowed(const struct command *command);
/* Whether it can be. */
bool join_is_possible(const struct unit *unit);
/* Returns an empty module for the host, for an object to be joined. */
LLVMModuleRef join_module(const struct unit *unit);
/* Writes the object of a GPU's image, which holds its data, from an empty module. */
void join_write_data(const struct unit *unit, const struct image *image, LLVMModuleRef module);
/* Writes the object of what `footprint` has written. */
void join_write_footprints(struct unit *unit);
/* Joins all objects into one. Returns its name, or NULL if a tool fails. */
const char *join_objects(const struct unit *unit);

/* ---- bitcode.c ---- */

/* Starts to compile a C++ source for the host: to an object, if there may be separate ones, which bitcode_end waits
 * for; else to IR, which `bitcode` waits for. Returns false if that is not possible. */
bool bitcode_begin(struct unit *unit);
/* Waits for the objects of the source and of glue. Returns false after errors. */
bool bitcode_end(struct unit *unit);
/* Makes the host's module after all. Returns false after errors. */
bool bitcode_again(struct unit *unit);

/* ---- module.c ---- */

/* Reads bitcode into a new module of the unit's context; reports a defect if that fails. */
LLVMModuleRef bitcode_read(struct unit *unit, const char *path);
/* The option with which clang keeps places in the source without making debug information of them: remarks that no pass
 * makes. */
#define BITCODE_PLACES "-Rpass=^$"

/* ---- agree.c ---- */

/* Whether clang compiled what libclang read; reports each difference. */
bool agree_check(const struct unit *unit);

/* ---- json.c: the report of all inputs, for programs ---- */

/* Returns the text of the array's elements. */
struct text *json_elements(void);
/* Adds a string, with quotes and escapes. */
void json_add_text(struct text *to, const char *value);
/* Adds "key": "value" to an object; null for NULL. */
void json_add_string(struct text *to, const char *key, const char *value);
/* Writes the report if it was asked for. Returns false if that failed. */
bool json_end(const struct options *options);

/* ---- diag.c ---- */

void diag_setup(int colour, bool carets);
bool diag_has_colour(void);
void diag_setup_warnings(const struct warnings *warnings);
/* Whether a warning would be reported. */
bool diag_warns(enum warning warning);
/* Notes which pass runs now, for reports of defects; NULL: none. */
void diag_set_pass(const char *name);
const char *diag_pass(void);
/* Notes the text of `file`, for files that cannot be read, or not a second time. */
void diag_source(const char *file, const char *text);
/* Returns the text of a file; NULL if it cannot be read. */
const char *diag_text(const char *file);
/* Prints the line of a place, and the caret. */
void diag_quote(struct place place);
/* Adds errors that clang has printed to those of the input. */
void diag_add_errors(unsigned n);
/* Ends an input: prints "2 errors generated.", and sets diag_count to 0. */
void diag_summary(void);
/* An error without a place: "ampcc: error: ...". */
void diag_command(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- places.c ---- */

/* Notes that clang reads `after` bytes for the `before` ones at a place of the source; in the order of columns. */
void diag_edited(struct place place, unsigned before, unsigned after);
/* Notes that the preprocessor has made `now` of a line of the source; both end as lines do. */
void diag_respelled(struct place line, const char *source, const char *now);
void diag_forget_edits(void);
/* Whether clang reads something else for the line. */
bool diag_is_edited(struct place place);
/* Leads from a place of the text that clang reads to that of the source. */
struct place diag_place(struct place place);
