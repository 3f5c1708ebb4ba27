/* SPDX-License-Identifier: MIT
 *
 * Warns of arithmetic that a constant or a function makes one of doubles, in kernels that have only float data:
 *
 *     x[i] = 0.1 * sin(x[i]);     // write 0.1f and sinf
 *
 * Such arithmetic ends where C converts it to float, compares it, or assigns it as `x *= 0.1` does. It is meant if any
 * part of it is a double for another reason: a variable, a cast, or a function of the user. */
#include "front/doubles.h"

#include "driver/driver.h"
#include "front/ast.h"
#include "kernel/calls.h"

#include <amp.h>
#include <ctype.h>
#include <string.h>

static bool is_of(CXCursor expression, int type)
{
    return ast_type_of(clang_getCursorType(expression)) == type;
}

/* What arithmetic in double consists of. */
struct parts {
    bool has_other;        /* a double of another origin, or something else */
    bool has_value;        /* a float or an integer that is not constant */
    bool computes;         /* something from them; a choice does not */
    CXCursor culprits[16]; /* constants and functions of double */
    int n;
};

static void add_parts(struct parts *parts, CXCursor expression);

static void add_culprit(struct parts *parts, CXCursor culprit)
{
    enum { MOST = sizeof parts->culprits / sizeof *parts->culprits };
    if (parts->n < MOST)
        parts->culprits[parts->n++] = culprit;
}

/* Adds a call of the library's functions, whose arguments are all doubles. */
static void add_call(struct parts *parts, CXCursor call)
{
    CXCursor callee = clang_getCursorReferenced(call);
    bool is_library = clang_Location_isInSystemHeader(clang_getCursorLocation(callee));
    int n = clang_Cursor_getNumArguments(call);
    if (!is_library || calls_find(ast_name(callee))->kind != CALL_MATH)
        parts->has_other = true;
    parts->computes = true;
    add_culprit(parts, call);
    for (int i = 0; i < n && !parts->has_other; i++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        if (!is_of(argument, AMP_TYPE_F64))
            parts->has_other = true;
        add_parts(parts, argument);
    }
}

static bool is_arithmetic(CXCursor expression)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(expression);
    return kind == CXBinaryOperator_Add || kind == CXBinaryOperator_Sub || kind == CXBinaryOperator_Mul ||
           kind == CXBinaryOperator_Div;
}

/* Adds the parts of an expression of type double. */
static void add_parts(struct parts *parts, CXCursor expression)
{
    struct cursors children = ast_children(expression);
    long long value;
    switch (clang_getCursorKind(expression)) {
    case CXCursor_FloatingLiteral:
        add_culprit(parts, expression);
        return;
    case CXCursor_CallExpr:
        add_call(parts, expression);
        return;
    case CXCursor_UnexposedExpr: /* a conversion, or none */
        if (children.n == 1 && !is_of(expression, AMP_TYPE_F64))
            parts->has_other = true;
        else if (children.n == 1 && !is_of(children.items[0], AMP_TYPE_F64))
            parts->has_value = parts->has_value || !ast_constant(children.items[0], &value);
        else if (children.n == 1)
            add_parts(parts, children.items[0]);
        else
            parts->has_other = true;
        return;
    case CXCursor_ParenExpr:
    case CXCursor_UnaryOperator:
    case CXCursor_BinaryOperator:
    case CXCursor_ConditionalOperator: {
        enum CXCursorKind kind = clang_getCursorKind(expression);
        parts->computes = parts->computes || kind == CXCursor_BinaryOperator;
        parts->has_other = parts->has_other || (kind == CXCursor_BinaryOperator && !is_arithmetic(expression));
        for (int i = kind == CXCursor_ConditionalOperator; i < children.n; i++)
            add_parts(parts, children.items[i]);
        return;
    }
    default:
        parts->has_other = true;
    }
}

/* Returns a constant as the source has it: the number, or the macro that contains it. */
static const char *constant_text(CXCursor literal)
{
    CXFile file;
    unsigned offset;
    size_t size, n = 0;
    clang_getFileLocation(clang_getCursorLocation(literal), &file, NULL, NULL, &offset);
    const char *contents = file ? clang_getFileContents(clang_Cursor_getTranslationUnit(literal), file, &size) : NULL;
    if (!contents || offset >= size)
        return "";
    const char *at = contents + offset;
    bool is_number = isdigit((unsigned char)*at) || *at == '.';
    while (isalnum((unsigned char)at[n]) || at[n] == '_' || (is_number && at[n] == '.') ||
           (is_number && n && strchr("+-", at[n]) && at[n] && strchr("eEpP", at[n - 1])))
        n++;
    return arena_printf("%.*s", (int)n, at);
}

static void warn_of(CXCursor culprit)
{
    struct place place = ast_place(culprit);
    if (clang_getCursorKind(culprit) == CXCursor_CallExpr) {
        const char *name = ast_name(clang_getCursorReferenced(culprit));
        diag_warning(WARN_DOUBLE, place, "'%s' computes in double, but this kernel's data are floats; write '%sf'",
                     name, name);
        return;
    }
    const char *text = constant_text(culprit);
    bool is_number = isdigit((unsigned char)*text) || *text == '.';
    diag_warning(WARN_DOUBLE, place,
                 "'%s' is a double, which makes this arithmetic one of doubles, but this kernel's data are floats; "
                 "write '%s%s%s'",
                 text, is_number ? "" : "(float)", text, is_number ? "f" : "");
}

static void warn_of_all(const struct parts *parts)
{
    for (int i = 0; i < parts->n && parts->has_value && parts->computes && !parts->has_other; i++)
        warn_of(parts->culprits[i]);
}

static bool is_comparison(CXCursor cursor)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    return clang_getCursorKind(cursor) == CXCursor_BinaryOperator && kind >= CXBinaryOperator_LT &&
           kind <= CXBinaryOperator_NE;
}

/* Finds where arithmetic in double ends. */
static enum CXChildVisitResult find_end(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent, (void)data;
    struct parts parts = {.computes = clang_getCursorKind(cursor) != CXCursor_UnexposedExpr};
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_UnexposedExpr && kind != CXCursor_CompoundAssignOperator && !is_comparison(cursor))
        return CXChildVisit_Recurse;
    struct cursors children = ast_children(cursor);
    if (kind == CXCursor_UnexposedExpr && children.n == 1 && is_of(cursor, AMP_TYPE_F32) &&
        is_of(children.items[0], AMP_TYPE_F64)) {
        add_parts(&parts, children.items[0]);
    } else if (kind == CXCursor_CompoundAssignOperator && children.n == 2 && is_of(children.items[0], AMP_TYPE_F32) &&
               is_of(children.items[1], AMP_TYPE_F64)) {
        parts.has_value = true;
        add_parts(&parts, children.items[1]);
    } else if (is_comparison(cursor) && children.n == 2 && is_of(children.items[0], AMP_TYPE_F64)) {
        add_parts(&parts, children.items[0]);
        add_parts(&parts, children.items[1]);
    }
    warn_of_all(&parts);
    return CXChildVisit_Recurse;
}

/* Whether a function takes or returns doubles. */
static bool has_doubles(CXCursor function)
{
    for (int i = 0; i < clang_Cursor_getNumArguments(function); i++) {
        CXType type = clang_getCanonicalType(clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)i)));
        while (type.kind == CXType_Pointer || type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray ||
               type.kind == CXType_IncompleteArray)
            type = clang_getCanonicalType(type.kind == CXType_Pointer ? clang_getPointeeType(type)
                                                                      : clang_getArrayElementType(type));
        if (ast_type_of(type) == AMP_TYPE_F64)
            return true;
    }
    return ast_type_of(clang_getCursorResultType(function)) == AMP_TYPE_F64;
}

void doubles_warn(CXCursor function)
{
    if (!has_doubles(function))
        clang_visitChildren(function, find_end, NULL);
}
