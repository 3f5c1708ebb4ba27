/* SPDX-License-Identifier: MIT */
#include "front/ast.h"

#include "driver/driver.h"

#include <amp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void ast_keep_to_this_thread(void)
{
    setenv("LIBCLANG_NOTHREADS", "1", 1);
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
}

const char *ast_text(CXString string)
{
    const char *chars = clang_getCString(string);
    const char *text = arena_printf("%s", chars ? chars : "");
    clang_disposeString(string);
    return text;
}

const char *ast_name(CXCursor cursor)
{
    return ast_text(clang_getCursorSpelling(cursor));
}

const char *ast_type_name(CXType type)
{
    return ast_text(clang_getTypeSpelling(type));
}

const char *ast_symbol(CXCursor function)
{
    return ast_text(clang_Cursor_getMangling(function));
}

bool ast_is_overloadable(CXCursor function)
{
    /* libclang's own name for it then has the parameters' types, each followed by #. */
    const char *usr = ast_text(clang_getCursorUSR(function));
    return *usr && usr[strlen(usr) - 1] == '#';
}

struct place ast_place_of(CXTranslationUnit tu, CXSourceLocation location)
{
    CXFile file;
    unsigned line, column, offset, expanded_line, presumed_line;
    clang_getFileLocation(location, &file, &line, &column, &offset);
    if (!file)
        return (struct place){0};
    /* Line markers move lines. For a place in a macro's arguments, libclang says by how much only at the macro's
     * beginning. */
    CXString name;
    location = clang_getLocationForOffset(tu, file, offset);
    clang_getExpansionLocation(location, NULL, &expanded_line, NULL, NULL);
    clang_getPresumedLocation(location, &name, &presumed_line, NULL);
    return diag_place((struct place){ast_text(name), line + presumed_line - expanded_line, column});
}

struct place ast_place(CXCursor cursor)
{
    return ast_place_of(clang_Cursor_getTranslationUnit(cursor), clang_getCursorLocation(cursor));
}

static enum CXChildVisitResult add_child(CXCursor child, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct cursors *cursors = data;
    if (cursors->n == cursors->capacity) {
        int capacity = cursors->capacity ? 2 * cursors->capacity : 8;
        CXCursor *items = arena_alloc((size_t)capacity * sizeof *items);
        if (cursors->n)
            memcpy(items, cursors->items, (size_t)cursors->n * sizeof *items);
        cursors->items = items;
        cursors->capacity = capacity;
    }
    cursors->items[cursors->n++] = child;
    return CXChildVisit_Continue;
}

struct cursors ast_children(CXCursor cursor)
{
    struct cursors cursors = {0};
    clang_visitChildren(cursor, add_child, &cursors);
    return cursors;
}

const char *ast_annotation(CXCursor cursor, const char *prefix, CXCursor *annotation)
{
    struct cursors children = ast_children(cursor);
    for (int i = 0; i < children.n; i++) {
        if (clang_getCursorKind(children.items[i]) != CXCursor_AnnotateAttr)
            continue;
        const char *text = ast_name(children.items[i]);
        if (!strncmp(text, prefix, strlen(prefix))) {
            if (annotation)
                *annotation = children.items[i];
            return text + strlen(prefix);
        }
    }
    return NULL;
}

bool ast_is_restricted(CXCursor function, const char *what)
{
    const char *list = ast_annotation(function, "amp.restrict.", NULL);
    size_t n = strlen(what);
    while (list && *list) {
        size_t length = strcspn(list, ", ");
        if (length == n && !strncmp(list, what, n))
            return true;
        list += length;
        list += strspn(list, ", ");
    }
    return false;
}

bool ast_constant(CXCursor expression, long long *value)
{
    if (!clang_isExpression(clang_getCursorKind(expression)))
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(expression);
    if (!result)
        return false;
    bool is_integer = clang_EvalResult_getKind(result) == CXEval_Int;
    if (is_integer)
        *value = clang_EvalResult_getAsLongLong(result);
    clang_EvalResult_dispose(result);
    return is_integer;
}

CXCursor ast_inner(CXCursor expression)
{
    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(expression);
        if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr)
            return expression;
        struct cursors children = ast_children(expression);
        if (children.n != 1)
            return expression;
        expression = children.items[0];
    }
}

const char *ast_callee(CXCursor call)
{
    return clang_getCursorKind(call) == CXCursor_CallExpr ? ast_name(clang_getCursorReferenced(call)) : "";
}

bool ast_component(CXCursor call, double *value)
{
    CXEvalResult result = clang_Cursor_Evaluate(clang_Cursor_getArgument(call, 0));
    *value = AMP__NO_CONSTANT;
    if (result && clang_EvalResult_getKind(result) == CXEval_Float)
        *value = clang_EvalResult_getAsDouble(result);
    if (result)
        clang_EvalResult_dispose(result);
    return *value != AMP__NO_CONSTANT;
}

bool ast_is_int(double value)
{
    return value >= INT_MIN && value <= INT_MAX && value == (int)value;
}

/* ---- changes of variables ---- */

/* Whether an expression names a part of the variable. */
static bool is_part_of(CXCursor expression, CXCursor variable)
{
    for (;;) {
        expression = ast_inner(expression);
        enum CXCursorKind kind = clang_getCursorKind(expression);
        if (kind == CXCursor_DeclRefExpr)
            return clang_equalCursors(clang_getCursorReferenced(expression), variable);
        struct cursors operands = ast_children(expression);
        if ((kind != CXCursor_MemberRefExpr && kind != CXCursor_ArraySubscriptExpr) || operands.n == 0)
            return false;
        expression = operands.items[0];
    }
}

static bool is_array_member(CXCursor expression)
{
    return clang_getCursorKind(expression) == CXCursor_MemberRefExpr &&
           clang_getCanonicalType(clang_getCursorType(expression)).kind == CXType_ConstantArray;
}

bool ast_may_change(CXCursor code, CXCursor variable)
{
    enum CXCursorKind kind = clang_getCursorKind(code);
    struct cursors children = ast_children(code);
    bool assigns =
        kind == CXCursor_CompoundAssignOperator ||
        (kind == CXCursor_UnaryOperator && clang_getCursorUnaryOperatorKind(code) <= CXUnaryOperator_AddrOf) ||
        (kind == CXCursor_BinaryOperator && clang_getCursorBinaryOperatorKind(code) == CXBinaryOperator_Assign);
    if ((assigns || is_array_member(code)) && is_part_of(assigns ? children.items[0] : code, variable))
        return true;
    bool is_element = kind == CXCursor_ArraySubscriptExpr && is_array_member(ast_inner(children.items[0]));
    for (int i = is_element; i < children.n; i++)
        if (ast_may_change(children.items[i], variable))
            return true;
    return false;
}

/* ---- types ---- */

static enum CXVisitorResult find_field_problem(CXCursor field, CXClientData data)
{
    const char **problem = data;
    CXType type = clang_getCursorType(field);
    /* This does not follow pointers: a list node points to its own type. */
    *problem = clang_getCanonicalType(type).kind == CXType_Pointer ? NULL : ast_type_problem(type);
    return *problem ? CXVisit_Break : CXVisit_Continue;
}

const char *ast_type_problem(CXType type)
{
    const char *problem = NULL;
    type = clang_getCanonicalType(type);
    switch (type.kind) {
    case CXType_LongDouble:
        return "long double does not exist on devices; use double [wide types]";
    case CXType_Float128:
    case CXType_Ibm128:
        return "128-bit floating point does not exist on devices; use double [wide types]";
    case CXType_Int128:
    case CXType_UInt128:
        return "128-bit integers do not exist on devices; use 64-bit ones [wide types]";
    case CXType_Complex:
        return "_Complex does not exist on devices; use a struct of two numbers [wide types]";
    case CXType_Half:
        return "__fp16 is for storage alone; use _Float16 [half]";
    case CXType_Vector:
    case CXType_ExtVector:
        return "vector types are not supported; write the code for one element, it is vectorised [vector, atomic, "
               "_BitInt]";
    case CXType_Atomic:
        return "_Atomic is not supported [vector, atomic, _BitInt]";
    case CXType_Pointer:
        return ast_type_problem(clang_getPointeeType(type));
    case CXType_ConstantArray:
    case CXType_VariableArray:
    case CXType_IncompleteArray:
        return ast_type_problem(clang_getArrayElementType(type));
    case CXType_Record:
        clang_Type_visitFields(type, find_field_problem, &problem);
        return problem;
    default:
        if (type.kind == CXType_Unexposed && strstr(ast_type_name(type), "_BitInt"))
            return "_BitInt is not supported; use an integer of 8, 16, 32 or 64 bits [vector, atomic, _BitInt]";
        return NULL;
    }
}

static enum CXVisitorResult find_volatile_field(CXCursor field, CXClientData data)
{
    bool *found = data;
    *found = ast_has_volatile(clang_getCursorType(field));
    return *found ? CXVisit_Break : CXVisit_Continue;
}

bool ast_has_volatile(CXType type)
{
    bool found = clang_isVolatileQualifiedType(type);
    type = clang_getCanonicalType(type);
    if (found || clang_isVolatileQualifiedType(type))
        return true;
    switch (type.kind) {
    case CXType_Pointer:
        type = clang_getPointeeType(type);
        return clang_isVolatileQualifiedType(type) || clang_isVolatileQualifiedType(clang_getCanonicalType(type));
    case CXType_ConstantArray:
    case CXType_VariableArray:
    case CXType_IncompleteArray:
        return ast_has_volatile(clang_getArrayElementType(type));
    case CXType_Record:
        clang_Type_visitFields(type, find_volatile_field, &found);
        return found;
    default:
        return false;
    }
}

bool ast_is_bfloat(CXType type)
{
    return !strcmp(ast_type_name(clang_getUnqualifiedType(clang_getCanonicalType(type))), "__bf16");
}

bool ast_is_const(CXType type)
{
    for (;;) {
        /* A canonical array type itself has its elements' qualifiers. */
        CXType canonical = clang_getCanonicalType(type);
        if (clang_isConstQualifiedType(type) || clang_isConstQualifiedType(canonical))
            return true;
        if (canonical.kind != CXType_ConstantArray && canonical.kind != CXType_VariableArray &&
            canonical.kind != CXType_IncompleteArray && canonical.kind != CXType_DependentSizedArray)
            return false;
        type = clang_getArrayElementType(canonical);
    }
}

static enum CXVisitorResult find_pointer_field(CXCursor field, CXClientData data)
{
    bool *found = data;
    *found = ast_has_pointer(clang_getCursorType(field));
    return *found ? CXVisit_Break : CXVisit_Continue;
}

bool ast_has_pointer(CXType type)
{
    bool found = false;
    type = clang_getCanonicalType(type);
    switch (type.kind) {
    case CXType_Pointer:
    case CXType_BlockPointer:
    case CXType_NullPtr:
        return true;
    case CXType_ConstantArray:
    case CXType_VariableArray:
    case CXType_IncompleteArray:
        return ast_has_pointer(clang_getArrayElementType(type));
    case CXType_Record:
        clang_Type_visitFields(type, find_pointer_field, &found);
        return found;
    default:
        return false;
    }
}

/* ---- what kernels are given ---- */

static int integer_type(CXType type, bool is_signed)
{
    switch (clang_Type_getSizeOf(type)) {
    case 1:
        return is_signed ? AMP_TYPE_I8 : AMP_TYPE_U8;
    case 2:
        return is_signed ? AMP_TYPE_I16 : AMP_TYPE_U16;
    case 4:
        return is_signed ? AMP_TYPE_I32 : AMP_TYPE_U32;
    case 8:
        return is_signed ? AMP_TYPE_I64 : AMP_TYPE_U64;
    default:
        return AMP_TYPE_NONE;
    }
}

int ast_type_of(CXType type)
{
    type = clang_getCanonicalType(type);
    switch (type.kind) {
    case CXType_Bool:
        return AMP_TYPE_BOOL;
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
        return integer_type(type, true);
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
        return integer_type(type, false);
    case CXType_Float16:
        return AMP_TYPE_F16;
    case CXType_Float:
        return AMP_TYPE_F32;
    case CXType_Double:
        return AMP_TYPE_F64;
    case CXType_Enum:
        return ast_type_of(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
    case CXType_Record:
        return AMP_TYPE_STRUCT;
    default:
        return ast_is_bfloat(type) ? AMP_TYPE_BF16 : AMP_TYPE_NONE;
    }
}

int ast_index_rank(CXType type, const char *prefix)
{
    for (;;) {
        while (type.kind == CXType_Elaborated)
            type = clang_Type_getNamedType(type);
        if (type.kind != CXType_Typedef)
            return 0;
        const char *name = ast_text(clang_getTypedefName(type));
        if (has_prefix(name, prefix)) {
            int rank = atoi(name + strlen(prefix));
            return rank >= 1 && rank <= MAX_INDEX_RANK ? rank : 0;
        }
        type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
    }
}

int ast_kernel_rank(CXCursor function, bool *tiled)
{
    if (clang_Cursor_getNumArguments(function) < 1)
        return 0;
    CXCursor index = clang_Cursor_getArgument(function, 0);
    *tiled = ast_annotation(index, "amp.tile", NULL) != NULL;
    return ast_index_rank(clang_getCursorType(index), *tiled ? "amp__tiled_index" : "amp_index");
}
