/* SPDX-License-Identifier: MIT
 *
 * What code that is restrict(amp) may not contain, by libclang's syntax tree. It looks at all such code outside of
 * system headers, whether or not a kernel reaches it: functions, members, lambdas, and the instances of templates that
 * such code uses. What needs to know all that a kernel reaches, such as recursion, is in rules.c.
 *
 * Some rules only reflect the hardware of 2012. They apply with --amp-strict. */
#include "base/map.h"
#include "front/ast.h"
#include "front/cpp/cpp.h"

#include <string.h>

/* A use that leads into the instance of a template. */
struct use {
    CXCursor at;
    const struct use *from;
};

struct walk {
    bool is_strict;
    bool is_amp;    /* the code at hand is for accelerators */
    bool is_output; /* it is the call of a function that writes, whose format may be a string */
    const struct use *use;
    struct map *seen; /* the instances of templates that were walked */
    struct place last;
    const char *last_text;
};

static void visit(struct walk *walk, CXCursor cursor);

/* Reports an error, but one text only once a line. */
static void report(struct walk *walk, CXCursor at, const char *text)
{
    struct place place = ast_place(at);
    if (walk->last_text && place.line == walk->last.line && !strcmp(text, walk->last_text) &&
        !strcmp(place.file, walk->last.file))
        return;
    walk->last = place;
    walk->last_text = text;
    diag_error(place, "%s", text);
    for (const struct use *use = walk->use; use; use = use->from)
        diag_note(ast_place(use->at), "it is used here");
}

static bool is_in_header(CXCursor cursor)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
}

static bool has_child(CXCursor cursor, enum CXCursorKind kind)
{
    struct cursors children = ast_children(cursor);
    for (int i = 0; i < children.n; i++)
        if (clang_getCursorKind(children.items[i]) == kind)
            return true;
    return false;
}

/* ---- types ---- */

static const char *type_problem(CXType type, bool is_strict);

/* Whether the model has no numbers of a type. */
static bool is_foreign_number(enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_Char16:
    case CXType_Char32:
    case CXType_UShort:
    case CXType_ULongLong:
    case CXType_UInt128:
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_WChar:
    case CXType_Short:
    case CXType_LongLong:
    case CXType_Int128:
    case CXType_LongDouble:
    case CXType_Half:
    case CXType_Float16:
    case CXType_BFloat16:
    case CXType_Float128:
        return true;
    default:
        return false;
    }
}

static bool is_function(CXType type)
{
    return type.kind == CXType_FunctionProto || type.kind == CXType_FunctionNoProto;
}

static bool is_reference(CXType type)
{
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

/* Returns what is wrong with a type to which another one points or refers. */
static const char *pointee_problem(CXType type, bool is_strict, bool is_pointer)
{
    type = clang_getCanonicalType(type);
    if (is_function(type))
        return is_strict ? "C++ AMP has no pointers or references to functions; call the function itself, or make it a "
                           "template's argument [strict]"
                         : NULL;
    if (type.kind == CXType_Pointer && is_pointer)
        return "accelerators cannot follow a pointer to a pointer; use a pointer and positions [pointer to pointer]";
    if (type.kind == CXType_NullPtr && is_strict)
        return "C++ AMP has no references or pointers to the type of nullptr [strict]";
    return type_problem(type, is_strict);
}

/* Returns what is wrong with a type as that of an element or a member. */
static const char *part_problem(CXType type)
{
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Pointer || is_reference(type) || type.kind == CXType_NullPtr)
        return "C++ AMP has pointers and references only in variables, parameters and results, not in arrays and "
               "classes; keep a position [strict]";
    return type_problem(type, true);
}

static const char *element_problem(CXType type, bool is_strict)
{
    type = clang_getCanonicalType(type);
    if (!is_strict)
        return type_problem(type, false);
    long long bytes = clang_Type_getSizeOf(type);
    if (bytes > 0 && bytes % 4 && type.kind != CXType_ConstantArray)
        return "the elements of C++ AMP's arrays begin at multiples of 4 bytes, which those of this type do not; use "
               "int "
               "[strict]";
    return part_problem(type);
}

static enum CXVisitorResult find_field(CXCursor field, CXClientData data)
{
    const char **problem = data;
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    CXType referred = clang_getCanonicalType(clang_getPointeeType(type));
    if (is_reference(type) && is_in_header(clang_getTypeDeclaration(referred)))
        return CXVisit_Continue; /* to an array, which is how function objects refer to one */
    if (clang_Cursor_isBitField(field))
        *problem = "C++ AMP's classes have no bit-fields; use whole members [strict]";
    else if (clang_Cursor_getOffsetOfField(field) % 32 > 0)
        *problem = "the members of C++ AMP's classes begin at multiples of 4 bytes, and one of these does not [strict]";
    else
        *problem = part_problem(type);
    return *problem ? CXVisit_Break : CXVisit_Continue;
}

/* Returns what is wrong with a class besides its fields. An instance of a template is as the template says. */
static const char *class_problem(CXCursor declaration)
{
    CXCursor template = clang_getSpecializedCursorTemplate(declaration);
    struct cursors members = ast_children(clang_Cursor_isNull(template) ? declaration : template);
    const char *problem = NULL;
    for (int i = 0; i < members.n && !problem; i++) {
        CXCursor member = members.items[i];
        bool is_base = clang_getCursorKind(member) == CXCursor_CXXBaseSpecifier;
        if ((is_base && clang_isVirtualBase(member)) || clang_CXXMethod_isVirtual(member))
            problem = "C++ AMP has no classes with virtual functions or virtual bases [strict]";
        else if (is_base)
            problem = type_problem(clang_getCursorType(member), true);
    }
    return problem;
}

static const char *record_problem(CXType type)
{
    CXCursor declaration = clang_getTypeDeclaration(type);
    const char *problem = NULL;
    if (is_in_header(declaration))
        return NULL;
    problem = class_problem(declaration);
    if (!problem)
        clang_Type_visitFields(type, find_field, &problem);
    return problem;
}

/* Returns why code for accelerators cannot have values of a type; NULL if it can, or if that depends on a template's
 * parameters. */
static const char *type_problem(CXType type, bool is_strict)
{
    type = clang_getCanonicalType(type);
    if (is_strict && clang_isVolatileQualifiedType(type))
        return "C++ AMP has no volatile variables [strict]";
    if (is_strict && is_foreign_number(type.kind))
        return arena_printf("C++ AMP has no '%s', but bool, int, unsigned, long, unsigned long, float and double; use "
                            "one of these, or leave out --amp-strict [strict]",
                            ast_type_name(clang_getUnqualifiedType(type)));
    switch (type.kind) {
    case CXType_Pointer:
    case CXType_LValueReference:
    case CXType_RValueReference:
        return pointee_problem(clang_getPointeeType(type), is_strict, type.kind == CXType_Pointer);
    case CXType_MemberPointer:
        return is_function(clang_getCanonicalType(clang_getPointeeType(type)))
                   ? pointee_problem(clang_getPointeeType(type), is_strict, false)
                   : NULL;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
        return element_problem(clang_getArrayElementType(type), is_strict);
    case CXType_Enum:
        return is_strict ? type_problem(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)), true) : NULL;
    case CXType_Record:
        return is_strict ? record_problem(type) : NULL;
    default:
        return NULL;
    }
}

static void check_type(struct walk *walk, CXCursor at, CXType type)
{
    const char *problem = type_problem(type, walk->is_strict);
    if (problem)
        report(walk, at, problem);
}

/* ---- declarations ---- */

static void check_variable(struct walk *walk, CXCursor variable)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(variable);
    if (has_child(variable, CXCursor_CUDASharedAttr)) {
        if (type.kind == CXType_Pointer || is_reference(type) || type.kind == CXType_NullPtr)
            report(
                walk, variable,
                "a tile_static variable is neither a pointer nor a reference; keep a position [tile_static pointer]");
    } else if (walk->is_strict && !is_reference(type) && (storage == CX_SC_Static || storage == CX_SC_Extern)) {
        report(walk, variable,
               "the variables of C++ AMP's functions are not static or extern, but may be tile_static "
               "[strict]");
    }
    check_type(walk, variable, type);
}

/* What C++ AMP forbids about a function as a whole. */
static void check_function(struct walk *walk, CXCursor function)
{
    CXType type = clang_getCursorType(function);
    int specification = clang_getExceptionSpecificationType(type);
    enum CXCursorKind kind = clang_getCursorKind(function);
    if (kind != CXCursor_Constructor && kind != CXCursor_Destructor)
        check_type(walk, function, clang_getCursorResultType(function));
    if (!walk->is_strict)
        return;
    if (clang_CXXMethod_isVirtual(function))
        report(walk, function, "a function of C++ AMP that is restrict(amp) is not virtual [strict]");
    if (strstr(ast_type_name(type), ") volatile") || strstr(ast_type_name(type), ") const volatile"))
        report(walk, function, "a function of C++ AMP that is restrict(amp) is not volatile [strict]");
    if (specification == CXCursor_ExceptionSpecificationKind_DynamicNone ||
        specification == CXCursor_ExceptionSpecificationKind_Dynamic ||
        specification == CXCursor_ExceptionSpecificationKind_MSAny)
        report(walk, function, "a function of C++ AMP that is restrict(amp) has no exception specification [strict]");
}

static bool is_amp_function(CXCursor function)
{
    return has_child(function, CXCursor_CUDADeviceAttr);
}

static void visit_children(struct walk *walk, CXCursor cursor)
{
    struct cursors children = ast_children(cursor);
    for (int i = 0; i < children.n; i++)
        visit(walk, children.items[i]);
}

static void visit_function(struct walk *walk, CXCursor function)
{
    struct walk outer = *walk;
    walk->is_amp = is_amp_function(function);
    if (walk->is_amp)
        check_function(walk, function);
    visit_children(walk, function);
    walk->is_amp = outer.is_amp;
}

/* Whether restrict(...) with amp stands before a lambda's body. */
static bool is_amp_lambda(CXCursor lambda, CXCursor body)
{
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(lambda);
    CXSourceRange range = clang_getRange(clang_getRangeStart(clang_getCursorExtent(lambda)),
                                         clang_getRangeStart(clang_getCursorExtent(body)));
    CXToken *tokens = NULL;
    unsigned n = 0;
    bool is_within = false, found = false;
    clang_tokenize(tu, range, &tokens, &n);
    for (unsigned i = 0; i < n && !found; i++) {
        const char *text = ast_text(clang_getTokenSpelling(tu, tokens[i]));
        is_within = !strcmp(text, "restrict") || (is_within && strcmp(text, ")") != 0);
        found = is_within && !strcmp(text, "amp");
    }
    clang_disposeTokens(tu, tokens, n);
    return found;
}

static void visit_lambda(struct walk *walk, CXCursor lambda)
{
    struct cursors children = ast_children(lambda);
    bool outer = walk->is_amp;
    for (int i = 0; i < children.n && !walk->is_amp; i++)
        if (clang_getCursorKind(children.items[i]) == CXCursor_CompoundStmt)
            walk->is_amp = is_amp_lambda(lambda, children.items[i]);
    visit_children(walk, lambda);
    walk->is_amp = outer;
}

/* ---- expressions ---- */

static CXType plain_type(CXCursor expression)
{
    return clang_getCanonicalType(clang_getCursorType(expression));
}

static bool is_integer(CXType type)
{
    return type.kind > CXType_Bool && type.kind <= CXType_Int128;
}

/* Checks a cast that the source spells. */
static void check_cast(struct walk *walk, CXCursor cast)
{
    struct cursors children = ast_children(cast);
    if (!children.n)
        return;
    CXCursor operand = ast_inner(children.items[children.n - 1]);
    CXType from = plain_type(operand), to = plain_type(cast);
    long long value = 1;
    if (from.kind == CXType_Pointer && is_integer(to))
        report(walk, cast, "code for accelerators cannot make an integer from a pointer [pointer cast]");
    else if (is_integer(from) && to.kind == CXType_Pointer && !(ast_constant(operand, &value) && !value))
        report(walk, cast, "a kernel cannot make a pointer from an integer [pointer cast]");
}

/* Checks arithmetic with pointers to bool, which the model does not have. */
static void check_arithmetic(struct walk *walk, CXCursor expression)
{
    CXType type = plain_type(expression), pointee = clang_getCanonicalType(clang_getPointeeType(type));
    if (type.kind == CXType_Pointer && pointee.kind == CXType_Bool)
        report(walk, expression,
               "C++ AMP does not compute with pointers to bool; use int, or leave out --amp-strict "
               "[strict]");
}

/* Walks the instance of a template that an expression uses. */
static void follow(struct walk *walk, CXCursor expression)
{
    CXCursor function = clang_getCursorDefinition(clang_getCursorReferenced(expression));
    if (clang_Cursor_isNull(function) || is_in_header(function))
        return;
    switch (clang_getCursorKind(function)) {
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
        break;
    default:
        return;
    }
    CXCursor class = clang_getCursorSemanticParent(function);
    bool is_instance = !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(function)) ||
                       !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(class));
    if (!is_instance || map_get(walk->seen, function.data[0]) >= 0)
        return;
    map_set(walk->seen, function.data[0], 1);
    const struct use *outer = walk->use;
    walk->use = &(struct use){expression, outer};
    visit_function(walk, function);
    walk->use = outer;
}

/* What code for accelerators has none of, whatever is in it. */
static const struct {
    enum CXCursorKind kind;
    const char *text;
} constructs[] = {
    {CXCursor_GotoStmt, "code for accelerators has no goto; write a loop or an if [goto]"},
    {CXCursor_IndirectGotoStmt, "code for accelerators has no goto; write a loop or an if [goto]"},
    {CXCursor_LabelStmt, "code for accelerators has no labels but those of switch [goto]"},
    {CXCursor_GCCAsmStmt, "a kernel has no assembly [inline assembly]"},
    {CXCursor_MSAsmStmt, "a kernel has no assembly [inline assembly]"},
    {CXCursor_CXXNewExpr, "a kernel cannot allocate memory; declare an array of fixed size [allocation]"},
    {CXCursor_CXXDeleteExpr, "a kernel cannot free memory [allocation]"},
    {CXCursor_CXXTypeidExpr, "a kernel has no typeid [type information]"},
    {CXCursor_CXXDynamicCastExpr, "a kernel has no dynamic_cast [type information]"},
};

static void check_construct(struct walk *walk, CXCursor cursor, enum CXCursorKind kind)
{
    for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++)
        if (constructs[i].kind == kind)
            report(walk, cursor, constructs[i].text);
}

static void check_strict(struct walk *walk, CXCursor cursor, enum CXCursorKind kind)
{
    if (kind == CXCursor_StringLiteral) {
        if (!walk->is_output)
            report(walk, cursor, "C++ AMP has no strings in restrict(amp) code [strict]");
        return;
    }
    if (kind == CXCursor_BinaryOperator || kind == CXCursor_UnaryOperator || kind == CXCursor_CompoundAssignOperator)
        check_arithmetic(walk, cursor);
    CXType type = plain_type(cursor);
    bool has_value = clang_isExpression(kind) && kind != CXCursor_UnexposedExpr && kind != CXCursor_LambdaExpr;
    if (has_value && !is_function(type) && !walk->is_output)
        check_type(walk, cursor, type);
}

static void check_code(struct walk *walk, CXCursor cursor, enum CXCursorKind kind)
{
    check_construct(walk, cursor, kind);
    switch (kind) {
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl:
        check_variable(walk, cursor);
        return;
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        check_cast(walk, cursor);
        break;
    default:
        break;
    }
    if (walk->is_strict)
        check_strict(walk, cursor, kind);
}

/* Whether a call is that of a function that writes, such as direct3d_printf. In a template, what is called may be a set
 * of functions, which is within the call's first child. */
static bool is_output(CXCursor call)
{
    CXCursor at = call;
    for (int depth = 0; depth < 3; depth++) {
        if (has_prefix(ast_name(at), "direct3d_"))
            return true;
        struct cursors children = ast_children(at);
        if (!children.n)
            return false;
        at = children.items[0];
    }
    return false;
}

static bool is_of_library(CXCursor function)
{
    const char *file = ast_place(function).file, *name = strrchr(file, '/');
    return is_in_header(function) && name && !strcmp(name, "/amp.h");
}

/* Whether a call is that of the library's parallel_for_each. The parallel patterns library has another one. In a
 * template, what is called may be a set of functions, which is within the call's first child. */
static bool is_launch(CXCursor call)
{
    CXCursor function = clang_getCursorReferenced(call);
    for (int depth = 0; depth < 3 && clang_Cursor_isNull(function); depth++) {
        struct cursors children = ast_children(call);
        if (!children.n)
            return false;
        call = children.items[0];
        function = clang_getCursorReferenced(call);
    }
    if (strcmp(ast_name(function), "parallel_for_each") != 0)
        return false;
    if (clang_getCursorKind(function) != CXCursor_OverloadedDeclRef)
        return is_of_library(function);
    bool is_ours = true;
    for (unsigned i = 0; i < clang_getNumOverloadedDecls(function); i++)
        is_ours = is_ours && is_of_library(clang_getOverloadedDecl(function, i));
    return is_ours;
}

/* Checks that the lambdas in a launch are marked: clang takes one without a mark for both sides. */
static void check_launch(struct walk *walk, CXCursor call)
{
    for (int i = 0; i < clang_Cursor_getNumArguments(call); i++) {
        CXCursor lambda = ast_inner(clang_Cursor_getArgument(call, (unsigned)i));
        if (clang_getCursorKind(lambda) != CXCursor_LambdaExpr)
            continue;
        struct cursors children = ast_children(lambda);
        for (int k = 0; k < children.n; k++)
            if (clang_getCursorKind(children.items[k]) == CXCursor_CompoundStmt &&
                !is_amp_lambda(lambda, children.items[k]))
                report(walk, lambda, "a kernel is restrict(amp); write that after its parameters [restriction]");
    }
}

static void visit(struct walk *walk, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool outer = walk->is_output;
    switch (kind) {
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
    case CXCursor_FunctionTemplate:
        visit_function(walk, cursor);
        return;
    case CXCursor_LambdaExpr:
        visit_lambda(walk, cursor);
        return;
    case CXCursor_UnaryExpr: /* sizeof and the like compute nothing */
        return;
    case CXCursor_CallExpr:
        walk->is_output = is_output(cursor);
        if (is_launch(cursor))
            check_launch(walk, cursor);
        break;
    default:
        break;
    }
    if (walk->is_amp)
        check_code(walk, cursor, kind);
    if (clang_isExpression(kind))
        follow(walk, cursor);
    visit_children(walk, cursor);
    walk->is_output = outer;
}

bool cpp_check_syntax(const struct unit *unit, CXTranslationUnit tu)
{
    unsigned errors = diag_count();
    struct walk walk = {.is_strict = unit->options->strict, .seen = map_new()};
    struct cursors declarations = ast_children(clang_getTranslationUnitCursor(tu));
    for (int i = 0; i < declarations.n; i++)
        if (!is_in_header(declarations.items[i]))
            visit(&walk, declarations.items[i]);
    return diag_count() == errors;
}
