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
    const char **items; /* ends with NULL once anything was added */
    int n, capacity;
};

void words_add(struct words *words, const char *word);
void words_add_all(struct words *words, const struct words *more);
/* Adds the words of a response file's text. As LLVM has it: a backslash takes the character after it as it is, within
 * quotes of either kind, too. */
void words_split(struct words *words, const char *text);

bool has_prefix(const char *text, const char *prefix);
/* The same for one of several, which are separated by spaces. */
bool begins_with_one_of(const char *word, const char *list);

/* A path's last part; the path with another suffix, which may be "". */
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
/* Adds the rest of `file`. False if it cannot be read to the end. */
bool text_add_file(struct text *text, FILE *file);

/* ---- options.c: what the command line says ---- */

/* What is to be made of each input. Of several the last one here wins, as in clang. */
enum mode {
    MODE_LINK,
    MODE_OBJECT,   /* -c */
    MODE_ASSEMBLY, /* -S */
    MODE_SYNTAX,   /* -fsyntax-only */
    MODE_CLANG     /* -E, -M, --version ...: nothing of ours */
};

/* What stays in a command's list; -c, -S, -emit-llvm, -o and -x do not, every run says them anew. */
enum word_kind {
    WORD_COMPILE,  /* any other option: for every run of clang that compiles */
    WORD_LINK,     /* libraries and linker options: their order among the inputs matters */
    WORD_DEPEND,   /* -MD, -MF, ...: only for the run that reads the source */
    WORD_BESIDE,   /* -save-temps, -ftime-trace, ...: our runs of clang get what beside.c finds that they mean */
    WORD_DATABASE, /* -MJ and -gen-cdb-fragment-path: for database.c */
    WORD_RECORD,   /* -frecord-command-line, ...: the line is the user's, not that of a run of clang */
    WORD_INPUT
};

/* One option with its value, or one input. */
struct word {
    enum word_kind kind;
    const char *text[2];  /* text[1] is NULL if the value is part of the option, or there is none */
    const char *language; /* of an input: "c", "cpp-output"; NULL for everything that is not C */
    const char *forced;   /* language by -x, or NULL */
    bool is_source;       /* an input that clang compiles, whatever its language */
    bool is_header;       /* an input of which clang makes a precompiled header, whatever the mode */
};

struct command {
    enum mode mode;
    struct word *words;
    int n_words;
    int n_inputs;
    bool emit_llvm;
    bool writes_depend;                      /* -MD or -MMD */
    const char *depend_file, *depend_target; /* -MF; -MT or -MQ, the last */
    const char *output;                      /* -o */
    const char *database, *fragments;        /* -MJ, -gen-cdb-fragment-path */
    bool no_default_libraries, relocatable;
    struct words line;  /* all words that the user gave */
    struct words clang; /* all that clang is to see, unchanged: for MODE_CLANG */
    struct words ours;  /* --amp-... */
    struct words cpus;  /* --amp-cpu= */
    struct words gpus;  /* --amp-gpu= */
    bool no_gpus;       /* --amp-gpu=none */
    int colour;         /* of diagnostics: 1 always, 0 never, -1 on a terminal */
    bool carets;
    bool no_warnings, warnings_are_errors; /* -w, -Werror */
    bool help, version, passes;
    struct options options;
};

/* Reads the command line. False after it has reported errors. */
bool options_parse(struct command *command, int n_args, char **args);
void options_help(void);

/* ---- config.c ---- */

/* Puts the words of clang's configuration files into the command line. False after it has reported an error. */
bool options_configure(struct words *line);

/* ---- override.c ---- */

/* Edits the words of the command line as the environment says, which then says nothing any more. */
void options_override(struct words *line);

/* ---- driver.c ---- */

/* Our runs of clang on an input with kernels. */
enum run {
    RUN_SOURCE, /* reads the source and makes IR of it */
    RUN_HOST,   /* optimises the host's code */
    RUN_OBJECT, /* generates code for all */
    N_RUNS
};

/* What clang writes beside the output. */
struct beside {
    struct words words[N_RUNS];                             /* name it to the runs that write it */
    const char *record;                                     /* of the optimiser's remarks; NULL: none is wanted */
    const char *late_record;                                /* temporary: the code generator's */
    bool is_yaml;                                           /* they are */
    const char *preprocessed, *bitcode, *assembly, *object; /* what -save-temps keeps; NULL: nothing */
};

/* One input of the compilation, on its way through the pipeline. */
struct driver {
    const struct command *command;
    const struct word *input;
    const char *name;    /* as messages spell it: "<stdin>" for "-" */
    const char *spooled; /* a copy of an input that can be read only once; NULL otherwise */
    const char *output;  /* NULL if none is made */
    const char *triple;  /* that the source is compiled for */
    char *source;        /* the input's text as libclang read it, `source_size` long, ends with 0 */
    size_t source_size;
    CXTranslationUnit tu; /* from front */
    char *glue;           /* from glue */
    struct beside beside;
    const char *host_object; /* from host_begin */
    int status;              /* exit status of a tool that failed; 0 if none did */
};

/* Compiles what the command says. Returns the exit status. */
int driver_run(const struct command *command);

/* ---- arguments.c: clang's command line ---- */

/* The command's words of a kind; the folder of amp.h. */
void driver_add_kind(const struct command *command, struct words *args, enum word_kind kind);
void driver_add_header(struct words *args);

/* The user's options for a run of clang on the source (all of them) or on IR made from it (without preprocessing and
 * dependency output). */
void driver_add_options(const struct driver *driver, struct words *args, bool reads_source);
/* What the user gets of an input: the program, or what is made of this input alone. */
const char *driver_output_name(const struct command *command, const struct word *input);
/* -c or what else the command says is made. */
void driver_add_mode(const struct command *command, struct words *args);
/* Dependency output, named after what the user gets and not after our temporary files; and the command line that clang
 * records, which is the user's. */
void driver_add_depend(const struct driver *driver, struct words *args);
void driver_add_record(const struct driver *driver, struct words *args);
/* The input itself, with its language; `remapped` stands in for its contents, if not NULL. Returns what clang's
 * standard input must be (NULL for any). */
const char *driver_add_input(const struct driver *driver, struct words *args, const char *remapped);

/* The folder above our own bin, lib, include. */
const char *driver_prefix(void);

/* ---- beside.c: what clang writes beside the output ---- */

/* Finds out what that is for driver->input. */
void driver_find_beside(struct driver *driver);
/* Makes one file of the remarks, after the last run. False after an error. */
bool driver_join_record(const struct driver *driver);

/* ---- database.c ---- */

/* Writes the entries that the command asks for. False after an error. */
bool database_write(const struct command *command);

/* ---- children.c: temporary files and child processes ---- */

/* From here on a signal that ends us ends our children, and leaves neither temporary files nor unfinished output. */
void driver_handle_signals(void);

/* Starts a copy of this process, which calls `work` and ends with the status that it returns. What the copy prints goes
 * nowhere. Returns its number, which is negative if there can be none. */
typedef int copy_work(void *what);
pid_t driver_begin_copy(copy_work *work, void *what);
/* Waits for it and returns its status. */
int driver_end_copy(pid_t copy);

/* Runs clang with `args` and, if not NULL, `input` as its standard input. Returns its exit status. */
int driver_clang(const struct words *args, const char *input);
/* The same in two steps, for work beside it. A status that is not 0 means that it was not begun. */
int driver_begin_clang(const struct words *args, const char *input);
int driver_end_clang(void);
/* The same with another clang. */
int driver_clang_at(const char *clang, const struct words *args, const char *input);
/* Puts clang with `args` in our place. Returns an exit status if that fails. */
int driver_become_clang(const struct words *args);
/* The clang that is run. */
const char *driver_clang_path(void);
/* Whether that is ampcc itself, which would run itself for ever. */
bool driver_is_clang_ours(void);

/* What clang says that it would do for a command line. */
const char *driver_ask_clang(const struct words *args);

/* Runs a program with its arguments, all that it prints going to the file `output`. Returns its exit status, or -1 if
 * there is no such program. */
int driver_tool(const struct words *line, const char *output);

/* The name of a new temporary file, which is removed when the process ends, however it does. */
const char *driver_temporary(const char *suffix);

/* Writes a temporary file; leaves with an error message if that fails. */
void driver_write(const char *path, const char *bytes, size_t size);

/* From begin to end the file at `path` is unfinished: it is removed if the process ends, or if the end is not good. */
void driver_begin_output(const char *path);
void driver_end_output(bool is_good);

/* ---- passes.c ---- */

/* Runs the passes from `first` to `last`. False if one failed; `*stopped` if the pipeline ended at stop_after. */
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
/* Hand the times of passes from a child process to its parent: take them out, add them. */
void passes_take_times(double milliseconds[N_PASSES]);
void passes_add_times(const double milliseconds[N_PASSES]);

/* ---- front.c ---- */

/* The amp_type of values of a type; AMP_TYPE_NONE if they cannot be passed. */
int front_type_of(CXType type);
/* The rank of the index that `function`, marked restrict(amp), has as its first parameter; 0 if it is no kernel. */
int front_kernel_rank(CXCursor function, bool *tiled);

/* ---- check_launch.c ---- */

/* Reports launches in `host_function` that cannot succeed. */
void check_launches(const struct unit *unit, CXCursor host_function);

/* ---- parallel.c ---- */

/* Runs the passes from `retarget` to `emit`, for all images at the same time where that is possible. The rest as
 * passes_run. */
bool parallel_run(struct unit *unit, bool *stopped);

/* ---- bundle.c ---- */

/* Gives what an image's module defines the names that it has in the object, and drops what is not needed there. */
void bundle_finish(const struct unit *unit, const struct image *image);
/* Defines what the descriptors refer to and is data: shapes, and the code of GPUs. In the host's module it is local. */
void bundle_data(const struct unit *unit, LLVMModuleRef module);

/* ---- host.c ---- */

/* Has clang make an object of the host's module alone, and waits for that. False after errors. */
bool host_begin(struct unit *unit);
bool host_end(struct unit *unit);
/* Runs the user's optimisation on the host's module, before it gets the kernels' code. False after errors. */
bool host_optimise(struct unit *unit);
/* Runs clang on the host's module with more options. False after errors. */
bool host_run(struct unit *unit, enum run run, const char *output, const struct words *how);
/* Writes the host's module as bitcode. False after an error. */
bool host_write(const struct unit *unit, const char *path);

/* ---- join.c ---- */

/* Whether the kernels' code can be in objects of its own, to be joined with the host's. */
bool join_is_possible(const struct unit *unit);
/* Makes one object of all. Returns its name, or NULL if the tools fail. */
const char *join_objects(const struct unit *unit);

/* ---- bitcode.c ---- */

/* Reads bitcode into a new module of the unit's context; a defect if it is not readable. */
LLVMModuleRef bitcode_read(struct unit *unit, const char *path);

/* ---- agree.c ---- */

/* Whether clang made of the source what libclang read in it; reports where not. */
bool agree_check(const struct unit *unit);

/* ---- json.c: the report of all inputs, for programs ---- */

/* The elements of its array. */
struct text *json_elements(void);
/* Adds a string. */
void json_add_text(struct text *to, const char *value);
/* Adds "key": "value" to an object; null for NULL. */
void json_add_string(struct text *to, const char *key, const char *value);
/* Writes the report, if it was asked for. False if that failed. */
bool json_end(const struct options *options);

/* ---- diag.c ---- */

void diag_setup(int colour, bool carets);
void diag_setup_warnings(bool used, bool are_errors);
/* Says which pass runs now, for what is said of defects; NULL: none. */
void diag_set_pass(const char *name);
const char *diag_pass(void);
/* Says what the text of `file` is, for files that cannot be read (again). */
void diag_source(const char *file, const char *text);
/* Ends an input: prints "2 errors generated.", and diag_count begins anew. */
void diag_summary(void);
/* An error without a place: "ampcc: error: ...". */
void diag_command(const char *format, ...) __attribute__((format(printf, 1, 2)));
