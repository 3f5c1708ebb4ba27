/* SPDX-License-Identifier: MIT
 *
 * Which types code that is restrict(amp) may use, for syntax.c. Those that only reflect the hardware of 2012 are
 * forbidden with --amp-strict. */
#include "front/ast.h"
#include "front/cpp/cpp.h"

#include <string.h>

bool cpp_is_in_header(CXCursor cursor)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
}

CXType cpp_plain_type(CXCursor expression)
{
    return clang_getCanonicalType(clang_getCursorType(expression));
}

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

bool cpp_is_function(CXType type)
{
    return type.kind == CXType_FunctionProto || type.kind == CXType_FunctionNoProto;
}

bool cpp_is_reference(CXType type)
{
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

/* Returns what is wrong with a type to which another one points or refers. */
static const char *pointee_problem(CXType type, bool is_strict, bool is_pointer)
{
    type = clang_getCanonicalType(type);
    if (cpp_is_function(type))
        return is_strict ? "C++ AMP has no pointers or references to functions; call the function itself, or make it a "
                           "template's argument [strict]"
                         : NULL;
    if (type.kind == CXType_Pointer && is_pointer)
        return "accelerators cannot follow a pointer to a pointer; use a pointer and positions [pointer to pointer]";
    if (type.kind == CXType_NullPtr && is_strict)
        return "C++ AMP has no references or pointers to the type of nullptr [strict]";
    return cpp_type_problem(type, is_strict);
}

/* Returns what is wrong with a type as that of an element or a member. */
static const char *part_problem(CXType type)
{
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Pointer || cpp_is_reference(type) || type.kind == CXType_NullPtr)
        return "C++ AMP has pointers and references only in variables, parameters and results, not in arrays and "
               "classes; keep a position [strict]";
    return cpp_type_problem(type, true);
}

static const char *element_problem(CXType type, bool is_strict)
{
    type = clang_getCanonicalType(type);
    if (!is_strict)
        return cpp_type_problem(type, false);
    long long bytes = clang_Type_getSizeOf(type);
    if (bytes > 0 && bytes % 4 && type.kind != CXType_ConstantArray)
        return "the elements of C++ AMP's arrays begin at multiples of 4 bytes, which those of this type do not; use "
               "int "
               "[strict]";
    return part_problem(type);
}

const char *cpp_field_problem(CXCursor field)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    CXType referred = clang_getCanonicalType(clang_getPointeeType(type));
    if (cpp_is_reference(type) && cpp_is_in_header(clang_getTypeDeclaration(referred)))
        return NULL; /* to an array, which is how function objects refer to one */
    if (clang_Cursor_isBitField(field))
        return "C++ AMP's classes have no bit-fields; use whole members [strict]";
    if (clang_Cursor_getOffsetOfField(field) % 32 > 0)
        return "the members of C++ AMP's classes begin at multiples of 4 bytes, and one of these does not [strict]";
    return part_problem(type);
}

static enum CXVisitorResult find_field(CXCursor field, CXClientData data)
{
    const char **problem = data;
    *problem = cpp_field_problem(field);
    return *problem ? CXVisit_Break : CXVisit_Continue;
}

/* Returns the members of a class besides its fields; those of an instance of a template are as the template says. */
static struct cursors members_of(CXCursor declaration)
{
    CXCursor template = clang_getSpecializedCursorTemplate(declaration);
    return ast_children(clang_Cursor_isNull(template) ? declaration : template);
}

#if LLVM_VERSION_MAJOR >= 20
static enum CXVisitorResult find_base_problem(CXCursor base, CXClientData data)
{
    const char **problem = data;
    *problem = cpp_type_problem(clang_getCursorType(base), true);
    return *problem ? CXVisit_Break : CXVisit_Continue;
}
#endif

/* Returns what is wrong with a class besides its fields. */
static const char *class_problem(CXType type)
{
    struct cursors members = members_of(clang_getTypeDeclaration(type));
    const char *problem = NULL;
    for (int i = 0; i < members.n && !problem; i++) {
        CXCursor member = members.items[i];
        bool is_base = clang_getCursorKind(member) == CXCursor_CXXBaseSpecifier;
        if ((is_base && clang_isVirtualBase(member)) || clang_CXXMethod_isVirtual(member))
            problem = "C++ AMP has no classes with virtual functions or virtual bases [strict]";
        else if (is_base)
            problem = cpp_type_problem(clang_getCursorType(member), true);
    }
#if LLVM_VERSION_MAJOR >= 20 /* the bases of a template's instance */
    if (!problem)
        clang_visitCXXBaseClasses(type, find_base_problem, &problem);
#endif
    return problem;
}

static const char *record_problem(CXType type)
{
    CXCursor declaration = clang_getTypeDeclaration(type);
    const char *problem = NULL;
    if (cpp_is_in_header(declaration))
        return NULL;
    problem = class_problem(type);
    if (!problem)
        clang_Type_visitFields(type, find_field, &problem);
    return problem;
}

/* Returns why code for accelerators cannot have values of a type; NULL if it can, or if that depends on a template's
 * parameters. */
const char *cpp_type_problem(CXType type, bool is_strict)
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
        return cpp_is_function(clang_getCanonicalType(clang_getPointeeType(type)))
                   ? pointee_problem(clang_getPointeeType(type), is_strict, false)
                   : NULL;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
        return element_problem(clang_getArrayElementType(type), is_strict);
    case CXType_VariableArray:
        return "code for accelerators has no arrays of variable length, a thread's memory has a fixed size; give it a "
               "constant bound [variable array]";
    case CXType_Vector:
    case CXType_ExtVector:
        return ast_type_problem(type);
    case CXType_Enum:
        return is_strict ? cpp_type_problem(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)), true) : NULL;
    case CXType_Record:
        return is_strict ? record_problem(type) : NULL;
    default:
        return NULL;
    }
}

/* ---- arrays and views ---- */

CXType cpp_referred(CXType type)
{
    type = clang_getCanonicalType(type);
    return cpp_is_reference(type) ? clang_getCanonicalType(clang_getPointeeType(type)) : type;
}

/* Whether a type is one of the library's classes whose names, without namespaces, are in `list`. */
static bool is_of_library(CXType type, const char *list)
{
    CXCursor declaration = clang_getTypeDeclaration(type);
    return type.kind == CXType_Record && cpp_is_in_header(declaration) &&
           has_prefix(ast_type_name(clang_getUnqualifiedType(type)), "Concurrency::") &&
           is_word_of(ast_name(declaration), list);
}

static bool is_container(CXType type)
{
    return is_of_library(type, "array array_view texture texture_view writeonly_texture_view");
}

CXType cpp_tile_type(CXType type)
{
    return is_of_library(type, "tile_memory") ? clang_Type_getTemplateArgumentAsType(type, 0) : type;
}

bool cpp_is_array(CXType type)
{
    return is_of_library(type, "array texture");
}

static enum CXVisitorResult find_container(CXCursor field, CXClientData data)
{
    bool *found = data;
    *found = cpp_has_container(clang_getCursorType(field));
    return *found ? CXVisit_Break : CXVisit_Continue;
}

bool cpp_has_container(CXType type)
{
    type = cpp_referred(type);
    if (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray)
        return cpp_has_container(clang_getArrayElementType(type));
    if (type.kind != CXType_Record)
        return false;
    struct cursors members = ast_children(clang_getTypeDeclaration(type));
    bool found = is_container(type);
    if (cpp_is_in_header(clang_getTypeDeclaration(type)))
        return found;
    for (int i = 0; i < members.n && !found; i++) {
        enum CXCursorKind kind = clang_getCursorKind(members.items[i]);
        if (kind == CXCursor_CXXBaseSpecifier || kind == CXCursor_VarDecl)
            found = cpp_has_container(clang_getCursorType(members.items[i]));
    }
    if (!found)
        clang_Type_visitFields(type, find_container, &found);
    return found;
}

bool cpp_is_host_container(CXCursor class)
{
    static const char containers[] = "basic_string deque forward_list list map multimap multiset priority_queue queue "
                                     "set stack unordered_map unordered_multimap unordered_multiset unordered_set "
                                     "valarray vector";
    CXCursor scope = clang_getCursorSemanticParent(class);
    while (clang_getCursorKind(scope) == CXCursor_Namespace && strcmp(ast_name(scope), "std") != 0)
        scope = clang_getCursorSemanticParent(scope);
    return cpp_is_in_header(class) && clang_getCursorKind(scope) == CXCursor_Namespace &&
           is_word_of(ast_name(class), containers);
}

const char *cpp_container_error(const char *name, CXCursor class)
{
    const char *type = ast_name(class);
    return arena_printf("%s is a std::%s, whose elements are in the host's memory, where accelerators do not see them; "
                        "use an array_view of it, made outside of the kernel [host container]",
                        *name ? arena_printf("'%s'", name) : "this", !strcmp(type, "basic_string") ? "string" : type);
}

const char *cpp_container_problem(CXType type)
{
    type = cpp_referred(type);
    if (!is_of_library(type, "array array_view"))
        return NULL;
    CXType element = clang_getUnqualifiedType(clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(type, 0)));
    if (cpp_has_container(element))
        return "the elements of C++ AMP's arrays and views are no arrays, views or textures, and have none as members "
               "[strict]";
    return element_problem(element, true);
}

/* ---- notes ---- */

static enum CXVisitorResult note_field(CXCursor field, CXClientData data)
{
    (void)data;
    if (part_problem(clang_getCursorType(field))) {
        diag_note(ast_place(field), "it has this member");
        cpp_note_parts(clang_getCursorType(field));
    }
    return CXVisit_Continue;
}

void cpp_note_parts(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray || type.kind == CXType_Pointer || cpp_is_reference(type))
        type = clang_getCanonicalType(type.kind == CXType_ConstantArray ? clang_getArrayElementType(type)
                                                                        : clang_getPointeeType(type));
    CXCursor declaration = clang_getTypeDeclaration(type);
    if (type.kind != CXType_Record || cpp_is_in_header(declaration))
        return;
    struct cursors members = members_of(declaration);
    for (int i = 0; i < members.n; i++) {
        CXCursor member = members.items[i];
        bool is_base = clang_getCursorKind(member) == CXCursor_CXXBaseSpecifier;
        if (is_base ? clang_isVirtualBase(member) : clang_CXXMethod_isVirtual(member))
            diag_note(ast_place(member), "it has this virtual %s", is_base ? "base" : "function");
        if (is_base)
            cpp_note_parts(clang_getCursorType(member));
    }
    clang_Type_visitFields(type, note_field, NULL);
}
