/* SPDX-License-Identifier: MIT
 *
 * Answers questions about libclang's syntax tree, for the files of front/. Strings live in the arena. */
#pragma once

#include "ampcc.h"

#include <clang-c/Index.h>

/* Makes libclang use our stack, which is deeper than those of its threads, and leave crashes to our handler. */
void ast_keep_to_this_thread(void);

/* Returns the text, which lives in the arena; disposes of `string`. */
const char *ast_text(CXString string);
const char *ast_name(CXCursor cursor);
const char *ast_type_name(CXType type);

/* Return the symbol of a function, and whether several functions may have its name. */
const char *ast_symbol(CXCursor function);
bool ast_is_overloadable(CXCursor function);

/* Returns the place of `cursor` for messages: what a macro expands to is where the macro is used, and line markers
 * count. */
struct place ast_place(CXCursor cursor);
struct place ast_place_of(CXTranslationUnit tu, CXSourceLocation location);

/* Returns what follows `prefix` in the annotation of `cursor` that begins with it; NULL if there is none. Sets
 * `*annotation`, if not NULL, to the annotation's cursor. */
const char *ast_annotation(CXCursor cursor, const char *prefix, CXCursor *annotation);

/* Whether the function's restrict(...) names `what` ("amp", "cpu"). */
bool ast_is_restricted(CXCursor function, const char *what);

/* Finds the value of an integer constant expression. Returns false if the expression is none. */
bool ast_constant(CXCursor expression, long long *value);

/* Returns the name of the function that a call names; "" if the expression is no call. */
const char *ast_callee(CXCursor call);

/* Finds the component of an extent or index for which a macro of amp.h calls amp__constant. Returns false if it is not
 * constant. */
bool ast_component(CXCursor call, double *value);
bool ast_is_int(double value);

/* Whether `code` assigns to a part of a variable, or takes the address of one. */
bool ast_may_change(CXCursor code, CXCursor variable);

/* The children of a cursor. */
struct cursors {
    CXCursor *items;
    int n, capacity;
};
struct cursors ast_children(CXCursor cursor);

/* Returns what implicit conversions and parentheses enclose. */
CXCursor ast_inner(CXCursor expression);

/* Returns why values of a type cannot exist on every device, as half a sentence; NULL if they can. */
const char *ast_type_problem(CXType type);
/* Whether a type is __bf16, for which libclang has no kind. */
bool ast_is_bfloat(CXType type);
/* Whether a type is const, or an array of const elements. */
bool ast_is_const(CXType type);
/* Whether what a type describes, or points to, is volatile in whole or in part. */
bool ast_has_volatile(CXType type);
/* Whether a type is or contains a pointer. */
bool ast_has_pointer(CXType type);

/* Returns the amp_type of values of a type; AMP_TYPE_NONE if they cannot be passed. */
int ast_type_of(CXType type);
/* Returns the rank in a type's name such as amp_index2, through typedefs; 0 if it is no such type. */
int ast_index_rank(CXType type, const char *prefix);
/* Returns the rank of the index that is the first parameter of `function`; 0 if it has none. A function with an index
 * that is marked restrict(amp) is a kernel. */
int ast_kernel_rank(CXCursor function, bool *tiled);
