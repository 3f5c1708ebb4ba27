/* SPDX-License-Identifier: MIT
 *
 * The front door for C++ AMP. clang compiles the source twice in a mode in which functions are for the host, for
 * devices, or for both, and overload by that: once for the host, and once for devices, but with the host's processor as
 * the device. The kernels' form is what the second run makes.
 *
 *     source.c    the source as clang gets it
 *     options.c   clang's command lines
 *     tokens.c    what has to change in the source's text
 *     edits.c     tokens and changes of a text
 *     bodies.c    what devices need not read
 *     kernels.c   the kernels in the device's module: struct kernel and entries
 *     names.c     the names of the variables that lambdas capture
 *     syntax.c    what code that is restrict(amp) may not contain, by the syntax tree
 *     calls.c     which functions call which
 *     types.c     which types such code may use
 *     rules.c     what kernels may not contain, by their code
 *     messages.c  what clang has written about the source
 *     words.c     its sentences in our words
 *     restrictions.c  its errors about restrictions as rules */
#pragma once

#include "driver/driver.h"

/* What the passes `front` and `check` do for C++. A source that is no C++ AMP stays one without kernels. */
bool cpp_front(struct unit *unit);
bool cpp_check(struct unit *unit);
/* What `uniform` does besides: rejects what prepared code of kernels may not contain. */
bool cpp_check_prepared(const struct unit *unit);

/* ---- options.c ---- */

/* What clang compiles the source for: the last is the code with checks. */
enum cpp_run { CPP_HOST, CPP_DEVICE, CPP_CHECKED };

/* Adds the options of a run that compiles the source. */
void cpp_add_options(const struct driver *driver, struct words *args, enum cpp_run run);
/* Lets clang preprocess the source to a file, with all that <amp.h> declares if `is_whole`, and write dependencies if
 * the command says so and `finds_headers`. Returns false if clang reports an error. */
bool cpp_preprocess(struct driver *driver, const char *output, bool is_whole, bool finds_headers);

/* ---- tokens.c ---- */

/* Whether preprocessed C++ has a function with restrict(...), which makes it C++ AMP even without <amp.h>. */
bool cpp_has_restriction(const struct text *source);

/* ---- kernels.c ---- */

/* What clang adds for its mode, in the host's code and in glue. */
#define CPP_UNIT_SYMBOL "__hip_cuid_"
/* Removes it from the host's module. */
void cpp_clean_host(LLVMModuleRef host);
/* Finds the kernels in unit->form and makes their entries. Returns false after it has reported errors. */
bool cpp_read_kernels(struct unit *unit);
/* Makes their entries in unit->checked, too. */
void cpp_make_checked_entries(const struct unit *unit);

/* ---- names.c ---- */

/* Returns the name of the variable that a lambda captures, or of the member of another class, around `offset` in it, by
 * the debugging information of the function that describes the kernel; NULL if there is none. */
const char *cpp_capture_name(LLVMContextRef context, LLVMValueRef description, long long offset);

/* ---- syntax.c ---- */

/* What the syntax tree tells about clang's errors. */
struct cpp_syntax {
    CXTranslationUnit tu;
    struct cpp_calls *calls;
};

/* Checks the source as libclang has parsed it for devices. Returns false after it has reported errors. */
bool cpp_check_syntax(const struct unit *unit, struct cpp_syntax *syntax);

/* ---- calls.c ---- */

struct cpp_calls *cpp_calls_new(void);
/* Notes the definition of a function of code for accelerators. */
void cpp_note_function(struct cpp_calls *calls, CXCursor function);
/* Notes that code for accelerators in `caller` calls `callee`. */
void cpp_note_call(struct cpp_calls *calls, CXCursor caller, CXCursor callee, CXCursor at);
/* Reports the calls by which functions come back to themselves. */
void cpp_check_recursion(struct cpp_calls *calls);
/* Whether a place is in code for accelerators. */
bool cpp_has_function_at(const struct cpp_calls *calls, CXSourceLocation location);
/* Prints notes about the calls by which a kernel comes to a place. */
void cpp_note_callers(const struct cpp_calls *calls, CXSourceLocation location);

/* ---- rules.c ---- */

extern const char cpp_call_through_pointer[]; /* the error about a call through a pointer */

/* ---- types.c ---- */

bool cpp_is_in_header(CXCursor cursor);
/* Returns the type of an expression without the names that typedefs give it. */
CXType cpp_plain_type(CXCursor expression);
bool cpp_is_function(CXType type);
bool cpp_is_reference(CXType type);
/* Returns the type to which a reference refers, and any other type itself. */
CXType cpp_referred(CXType type);
/* Returns why code for accelerators cannot have values of a type; NULL if it can, or if that depends on a template's
 * parameters. */
const char *cpp_type_problem(CXType type, bool is_strict);
/* Returns what is wrong with a member of a class by --amp-strict; NULL if nothing is. */
const char *cpp_field_problem(CXCursor field);
/* Returns the type that the source gives a tile_static variable. */
CXType cpp_tile_type(CXType type);
/* Whether a type is an array or a texture, which lambdas capture by reference. */
bool cpp_is_array(CXType type);
/* Whether a class is one of the host's library that keeps elements elsewhere, such as std::vector. */
bool cpp_is_host_container(CXCursor class);
/* Returns the error about the use of such an object, whose name may be "", in code for accelerators. */
const char *cpp_container_error(const char *name, CXCursor class);
/* Returns what is wrong with the elements of a type by --amp-strict; NULL if it is no array or view. */
const char *cpp_container_problem(CXType type);
/* Whether a type is an array, a view or a texture, or has one as a part. */
bool cpp_has_container(CXType type);
/* Notes the parts of a class for which its objects cannot be in code for accelerators. */
void cpp_note_parts(CXType type);

/* ---- words.c ---- */

/* Adds the rest of the line at `at` in our words. Returns what follows it. */
const char *cpp_add_in_our_words(struct text *to, const char *at);
/* Returns a sentence of clang in our words. */
const char *cpp_in_our_words(const char *sentence);

/* ---- restrictions.c ---- */

/* Reports clang's error at a place if it is about restrictions. Returns false if it is about something else. */
bool cpp_report_restriction(const struct cpp_syntax *syntax, struct place place);

/* ---- messages.c ---- */

/* Runs clang like driver_clang, and prints its messages in our words. */
int cpp_clang(const struct words *args, const char *input);
/* Waits for a clang that driver_begin_run has started, and prints its messages; not those of a trial that fails. */
int cpp_end_clang(const struct clang_run *run, bool is_trial);
/* Prints the messages of one that has ended; `syntax`, if not NULL, is what libclang has read of the same source. */
void cpp_print_messages(const struct clang_run *run, const struct cpp_syntax *syntax);
