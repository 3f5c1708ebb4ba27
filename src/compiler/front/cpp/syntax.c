/* SPDX-License-Identifier: MIT
 *
 * What code that is restrict(amp) may not contain, by libclang's syntax tree. It looks at all such code outside of
 * system headers, whether or not a kernel reaches it: functions, members, lambdas, and the instances of templates that
 * such code uses. What needs to know all that a kernel reaches, such as the bodies of functions, is in rules.c.
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

/* A call that is reported once all calls are known. */
struct wrong_call {
    CXCursor at;
    const char *text;
    const struct use *use;
    struct wrong_call *next;
};

struct walk {
    bool is_strict;
    bool is_amp;     /* the code at hand is for accelerators */
    bool is_output;  /* it is the call of a function that writes, whose format may be a string */
    bool is_outside; /* the function at hand is restrict(amp) alone, and not within other such code */
    bool is_default; /* the code at hand is a default argument of such a function */
    bool is_apart;   /* it need not run when the function at hand does, or may have other overloads then */
    const struct use *use;
    CXCursor function;              /* the function at hand, */
    CXCursor variable;              /* or the variable outside of functions whose first value is at hand */
    const struct lambda *lambda;    /* the innermost one that is marked */
    struct cpp_calls *calls;        /* of functions that are for accelerators */
    struct map *seen;               /* the instances of templates that were walked */
    struct map *lambdas;            /* the classes of lambdas that are for the host alone */
    struct map *by_default;         /* the functions with a default argument that is wrong */
    struct wrong_call *wrong_calls; /* the last one first */
    struct place last;
    const char *last_text;
};

/* A lambda that is marked, by its words before its body, which libclang does not show otherwise. */
struct lambda {
    CXCursor cursor;
    bool is_amp, has_specification;
    unsigned body;        /* the offset where its body begins */
    struct map *captured; /* variables that it copies, as far as check_container knows */
    const char *captures; /* the words between its brackets, each after a space */
};

static void visit(struct walk *walk, CXCursor cursor);

/* Reports an error, but one text only once a line. Returns whether it has. */
static bool report(struct walk *walk, CXCursor at, const char *text)
{
    struct place place = ast_place(at);
    if (walk->last_text && place.line == walk->last.line && !strcmp(text, walk->last_text) &&
        !strcmp(place.file, walk->last.file))
        return false;
    walk->last = place;
    walk->last_text = text;
    diag_error(place, "%s", text);
    for (const struct use *use = walk->use; use; use = use->from)
        diag_note(ast_place(use->at), "it is used here");
    return true;
}

/* Whether clang itself reports an error at the place of a cursor. */
static bool is_reported(CXCursor at)
{
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(at);
    struct place place = ast_place(at);
    bool found = false;
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu) && !found; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
        struct place other = ast_place_of(tu, clang_getDiagnosticLocation(diagnostic));
        found = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && other.line == place.line &&
                other.file && !strcmp(other.file, place.file);
        clang_disposeDiagnostic(diagnostic);
    }
    return found;
}

static bool has_child(CXCursor cursor, enum CXCursorKind kind)
{
    struct cursors children = ast_children(cursor);
    for (int i = 0; i < children.n; i++)
        if (clang_getCursorKind(children.items[i]) == kind)
            return true;
    return false;
}

static bool is_amp_function(CXCursor function)
{
    return has_child(function, CXCursor_CUDADeviceAttr);
}

static void check_type(struct walk *walk, CXCursor at, CXType type)
{
    const char *problem = cpp_type_problem(type, walk->is_strict);
    if (problem && report(walk, at, problem) && walk->is_strict)
        cpp_note_parts(type);
}

/* Checks the elements of an array or view, in code for the host, too. */
static void check_elements(struct walk *walk, CXCursor at)
{
    const char *problem = walk->is_strict ? cpp_container_problem(clang_getCursorType(at)) : NULL;
    if (problem && report(walk, at, problem))
        cpp_note_parts(clang_Type_getTemplateArgumentAsType(cpp_referred(clang_getCursorType(at)), 0));
}

/* ---- declarations ---- */

static const char has_specification[] =
    "a function of C++ AMP that is restrict(amp) has no exception specification [strict]";

static const char calls_by_default[] =
    "C++ AMP evaluates a default argument outside of its function, as code for the host; what it calls must be "
    "restrict(cpu, amp) [strict]";

static void report_default(struct walk *walk, CXCursor at)
{
    report(walk, at, calls_by_default);
    map_set(walk->by_default, clang_getCanonicalCursor(walk->function).data[0], 1);
}

/* Whether a static variable can be written, of which a template may only know in its instances. */
static bool is_writable(CXType type)
{
    CXType element = type;
    while (clang_getArrayElementType(element).kind != CXType_Invalid)
        element = clang_getCanonicalType(clang_getArrayElementType(element));
    return element.kind != CXType_Unexposed && !cpp_is_reference(type) && !ast_is_const(type);
}

static void check_variable(struct walk *walk, CXCursor variable)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(variable);
    if (has_child(variable, CXCursor_CUDASharedAttr)) {
        if (type.kind == CXType_Pointer || cpp_is_reference(type) || type.kind == CXType_NullPtr)
            report(
                walk, variable,
                "a tile_static variable is neither a pointer nor a reference; keep a position [tile_static pointer]");
        else if (walk->is_strict && cpp_has_container(cpp_tile_type(type)))
            report(walk, variable,
                   "a tile_static variable has no arrays, views or textures in it; use the kernel's own [tile_static "
                   "pointer]");
    } else if (clang_getCursorTLSKind(variable) != CXTLS_None) {
        report(walk, variable,
               arena_printf("thread-local variable '%s' cannot be used in restrict(amp) code, it belongs to a host "
                            "thread; pass its value to the kernel [thread-local]",
                            ast_name(variable)));
    } else if (storage == CX_SC_Static && is_writable(type) && !is_reported(variable)) {
        report(walk, variable,
               arena_printf("static variable '%s' is not allowed in restrict(amp) code, because it is not const; use a "
                            "local variable, tile_static, or a parameter [writable static]",
                            ast_name(variable)));
    } else if (walk->is_strict && !cpp_is_reference(type) && (storage == CX_SC_Static || storage == CX_SC_Extern)) {
        report(walk, variable,
               "the variables of C++ AMP's functions are not static or extern, but may be tile_static "
               "[strict]");
    }
    check_type(walk, variable, type);
}

/* Whether a declaration of a function for the host has this symbol, which the linker would confuse with another. */
static bool is_symbol_of_host(CXCursor scope, const char *symbol)
{
    struct cursors declarations = ast_children(scope);
    bool found = false;
    for (int i = 0; i < declarations.n && !found; i++) {
        CXCursor at = declarations.items[i];
        if (clang_getCursorKind(at) == CXCursor_LinkageSpec)
            found = is_symbol_of_host(at, symbol);
        else if (clang_getCursorKind(at) == CXCursor_FunctionDecl && !strcmp(ast_name(at), symbol))
            found = !is_amp_function(at) && !strcmp(ast_symbol(at), symbol);
    }
    return found;
}

/* C has one function of a name. */
static void check_linkage(struct walk *walk, CXCursor function)
{
    const char *symbol = ast_symbol(function);
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(function);
    if (clang_getCursorKind(function) != CXCursor_FunctionDecl || strcmp(symbol, ast_name(function)) != 0)
        return;
    if (has_child(function, CXCursor_CUDAHostAttr) || is_symbol_of_host(clang_getTranslationUnitCursor(tu), symbol))
        report(walk, function,
               "a function of C++ AMP with C linkage is restrict(cpu) or restrict(amp), not both [strict]");
}

/* What C++ AMP forbids about a function as a whole. */
static void check_function(struct walk *walk, CXCursor function)
{
    CXType type = clang_getCursorType(function);
    CXCursor parent = clang_getCursorSemanticParent(function);
    int specification = clang_getExceptionSpecificationType(type);
    enum CXCursorKind kind = clang_getCursorKind(function);
    if (kind != CXCursor_Constructor && kind != CXCursor_Destructor)
        check_type(walk, function, clang_getCursorResultType(function));
    if (clang_getCursorKind(parent) == CXCursor_TranslationUnit && !strcmp(ast_name(function), "main"))
        report(walk, function,
               "'main' is where the host begins and cannot be restrict(amp); launch a kernel from it [main]");
    if (clang_isFunctionTypeVariadic(type))
        report(walk, function,
               "code for accelerators has no functions with a variable number of arguments; use a template [variadic]");
    if (!walk->is_strict)
        return;
    check_linkage(walk, function);
    if (clang_CXXMethod_isVirtual(function))
        report(walk, function, "a function of C++ AMP that is restrict(amp) is not virtual [strict]");
    if (strstr(ast_type_name(type), ") volatile") || strstr(ast_type_name(type), ") const volatile"))
        report(walk, function, "a function of C++ AMP that is restrict(amp) is not volatile [strict]");
    if (specification == CXCursor_ExceptionSpecificationKind_DynamicNone ||
        specification == CXCursor_ExceptionSpecificationKind_Dynamic ||
        specification == CXCursor_ExceptionSpecificationKind_MSAny)
        report(walk, function, has_specification);
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
    walk->lambda = NULL;
    walk->is_apart = false;
    walk->function = function;
    if (walk->is_amp && clang_isCursorDefinition(function))
        cpp_note_function(walk->calls, function);
    if (ast_annotation(function, "amp.tile_static", NULL))
        report(walk, function, "tile_static belongs to a variable, and not to a function [tile_static on the host]");
    if (walk->is_amp)
        check_function(walk, function);
    walk->is_outside = walk->is_amp && !outer.is_amp && !has_child(function, CXCursor_CUDAHostAttr);
    visit_children(walk, function);
    walk->is_amp = outer.is_amp;
    walk->lambda = outer.lambda;
    walk->is_apart = outer.is_apart;
    walk->function = outer.function;
    walk->is_outside = outer.is_outside;
}

/* ---- lambdas ---- */

static unsigned offset_of(CXCursor cursor)
{
    unsigned offset;
    clang_getFileLocation(clang_getCursorLocation(cursor), NULL, NULL, NULL, &offset);
    return offset;
}

static struct lambda read_lambda(CXCursor lambda)
{
    struct cursors children = ast_children(lambda);
    CXCursor body = lambda;
    for (int i = 0; i < children.n; i++)
        if (clang_getCursorKind(children.items[i]) == CXCursor_CompoundStmt)
            body = children.items[i];
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(lambda);
    CXSourceRange range = clang_getRange(clang_getRangeStart(clang_getCursorExtent(lambda)),
                                         clang_getRangeStart(clang_getCursorExtent(body)));
    CXToken *tokens = NULL;
    unsigned n = 0;
    bool is_within = false, is_captured = true;
    struct lambda words = {.cursor = lambda};
    struct text captures = {0};
    clang_tokenize(tu, range, &tokens, &n);
    for (unsigned i = 1; i < n; i++) {
        const char *text = ast_text(clang_getTokenSpelling(tu, tokens[i]));
        is_captured = is_captured && strcmp(text, "]") != 0;
        if (is_captured)
            text_add(&captures, " %s", text);
        is_within = !strcmp(text, "restrict") || (is_within && strcmp(text, ")") != 0);
        words.is_amp |= is_within && !strcmp(text, "amp");
        words.has_specification |= !strcmp(text, "throw");
    }
    clang_disposeTokens(tu, tokens, n);
    words.captures = captures.size ? captures.chars : "";
    words.body = offset_of(body);
    words.captured = map_new();
    return words;
}

/* Whether a lambda captures a variable by reference. */
static bool is_by_reference(const struct lambda *lambda, const char *name)
{
    static const char by_default[] = " &";
    const char *captures = arena_printf("%s ,", lambda->captures);
    if (strstr(captures, arena_printf(" & %s ,", name)))
        return true;
    return !strstr(captures, arena_printf(" %s ,", name)) && has_prefix(captures, by_default);
}

/* Whether a variable is one of those around a lambda, and no constant. */
static bool is_captured(const struct lambda *lambda, CXCursor variable)
{
    enum CXCursorKind kind = clang_getCursorKind(variable);
    CXType type = cpp_plain_type(variable);
    bool is_constant = clang_isConstQualifiedType(type) && type.kind <= CXType_LongDouble;
    return (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) && !is_constant &&
           clang_getCursorLinkage(variable) == CXLinkage_NoLinkage &&
           clang_Cursor_getStorageClass(variable) != CX_SC_Static && offset_of(variable) < offset_of(lambda->cursor);
}

/* Checks the use of a variable that a marked lambda captures. */
static void check_capture(struct walk *walk, CXCursor expression)
{
    const struct lambda *lambda = walk->lambda;
    CXCursor variable = clang_getCursorReferenced(expression);
    if (!walk->is_strict || !lambda || clang_Cursor_isNull(variable) || !is_captured(lambda, variable))
        return;
    const char *name = ast_name(variable);
    CXType type = cpp_referred(clang_getCursorType(variable));
    bool by_reference = is_by_reference(lambda, name);
    bool depends = type.kind == CXType_Unexposed; /* on a template's parameters */
    if (cpp_is_array(type) && !by_reference)
        report(
            walk, lambda->cursor,
            arena_printf(
                "a lambda of C++ AMP that is restrict(amp) captures '%s' by value, which would copy it; capture it by "
                "reference, [&], or use a view of it [capture by value]",
                name));
    else if (by_reference && !cpp_is_array(type) && !depends)
        report(walk, lambda->cursor,
               arena_printf("a lambda of C++ AMP that is restrict(amp) captures '%s' by reference, and only arrays and "
                            "textures may be; capture it by value [capture by reference]",
                            name));
    else if (type.kind == CXType_Pointer)
        report(walk, lambda->cursor,
               arena_printf("a lambda of C++ AMP that is restrict(amp) captures '%s', a pointer; capture an array_view "
                            "of the memory [captured pointer]",
                            name));
}

/* Checks the use of a variable that keeps its elements in the host's memory, of which a lambda has a copy. clang names
 * those that it copies where the lambda begins. Other uses, as in decltype, are none at run time. */
static void check_container(struct walk *walk, CXCursor expression)
{
    const struct lambda *lambda = walk->lambda;
    CXCursor variable = clang_getCursorReferenced(expression);
    CXCursor class = clang_getTypeDeclaration(cpp_referred(clang_getCursorType(variable)));
    if (!lambda || !cpp_is_host_container(class))
        return;
    if (offset_of(lambda->cursor) <= offset_of(expression) && offset_of(expression) < lambda->body)
        map_set(lambda->captured, variable.data[0], 1);
    else if (map_get(lambda->captured, variable.data[0]) >= 0 && !is_reported(expression))
        report(walk, expression, cpp_container_error(ast_name(variable), class));
}

static void visit_lambda(struct walk *walk, CXCursor cursor)
{
    struct lambda lambda = read_lambda(cursor);
    struct walk outer = *walk;
    if (walk->is_default && !lambda.is_amp)
        report_default(walk, cursor);
    walk->is_outside = walk->is_default = false;
    walk->is_amp |= lambda.is_amp;
    if (lambda.is_amp)
        walk->lambda = &lambda;
    if (walk->is_amp) {
        walk->function = cursor;
        cpp_note_function(walk->calls, cursor);
    }
    walk->is_apart |= !lambda.is_amp; /* clang takes it for both sides, and calls the overload of each */
    if (!walk->is_amp)
        map_set(walk->lambdas, clang_getTypeDeclaration(cpp_plain_type(cursor)).data[0], 1);
    else if (walk->is_strict && lambda.has_specification)
        report(walk, cursor, has_specification);
    visit_children(walk, cursor);
    walk->is_amp = outer.is_amp;
    walk->lambda = outer.lambda;
    walk->function = outer.function;
    walk->is_outside = outer.is_outside;
    walk->is_default = outer.is_default;
    walk->is_apart = outer.is_apart;
}

/* ---- calls ---- */

static bool is_constexpr(CXCursor function)
{
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(function);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    const char *text = ast_text(clang_getCursorPrettyPrinted(function, policy));
    clang_PrintingPolicy_dispose(policy);
    return strstr(text, "constexpr ") || strstr(text, "consteval ");
}

static bool is_host_function(CXCursor function)
{
    return has_child(function, CXCursor_CUDAHostAttr) || !is_amp_function(function);
}

/* Checks that a class's destructor is for all that its constructors are for. */
static void check_class(struct walk *walk, CXCursor class)
{
    struct cursors members = ast_children(class);
    CXCursor destructor = clang_getNullCursor();
    bool is_amp = false, is_host = false;
    for (int i = 0; i < members.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(members.items[i]);
        if (kind == CXCursor_Destructor)
            destructor = members.items[i];
        is_amp |= kind == CXCursor_Constructor && is_amp_function(members.items[i]);
        is_host |= kind == CXCursor_Constructor && is_host_function(members.items[i]);
    }
    if (!clang_Cursor_isNull(destructor) &&
        ((is_amp && !is_amp_function(destructor)) || (is_host && !is_host_function(destructor))))
        report(walk, destructor,
               "a destructor of C++ AMP has all restrictions of the class's constructors: restrict(cpu, amp) [strict]");
}

static bool is_function_cursor(CXCursor cursor)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
        return true;
    default:
        return false;
    }
}

/* Whether a function is a member of a class in a function. Unless it says more, it is for what that is for. */
static bool is_local(CXCursor function)
{
    CXCursor scope = clang_getCursorSemanticParent(function);
    while (clang_isDeclaration(clang_getCursorKind(scope)) && !is_function_cursor(scope))
        scope = clang_getCursorSemanticParent(scope);
    return is_function_cursor(scope) && !has_child(function, CXCursor_CUDAHostAttr);
}

/* Whether a function stands in <amp.h> or in a part of it. */
static bool is_of_library(CXCursor function)
{
    const char *file = ast_place(function).file;
    return cpp_is_in_header(function) && (strstr(file, "/amp-cpp/amp.h") || strstr(file, "/amp-cpp/amp/"));
}

/* Whether a function has been written for the host alone. What the compiler adds to a class is for where it is used. */
static bool is_for_host(struct walk *walk, CXCursor function)
{
    CXCursor parent = clang_getCursorSemanticParent(function);
    if (clang_getCursorKind(function) == CXCursor_CXXMethod && map_get(walk->lambdas, parent.data[0]) >= 0)
        return true;
    return is_function_cursor(function) && (!cpp_is_in_header(function) || is_of_library(function)) &&
           !is_amp_function(function) && !clang_CXXMethod_isDefaulted(function) &&
           !clang_equalLocations(clang_getCursorLocation(function), clang_getCursorLocation(parent)) &&
           !is_local(function) && !is_constexpr(function);
}

static void add_wrong_call(struct walk *walk, CXCursor at, const char *text)
{
    struct wrong_call *call = arena_alloc(sizeof *call);
    *call = (struct wrong_call){at, text, NULL, walk->wrong_calls};
    const struct use **end = &call->use;
    for (const struct use *use = walk->use; use; use = use->from) {
        struct use *copy = arena_alloc(sizeof *copy);
        *copy = (struct use){use->at, NULL};
        *end = copy;
        end = &copy->from;
    }
    walk->wrong_calls = call;
}

/* Whether the last arguments of a call are what is given by default, which stands nowhere in it. */
static bool leaves_out_arguments(CXCursor call)
{
    struct cursors children = ast_children(call);
    return children.n > 1 && !ast_place(children.items[children.n - 1]).file;
}

/* Checks the function that an expression uses. clang does so only in code that a kernel reaches. */
static void check_callee(struct walk *walk, CXCursor expression)
{
    CXCursor function = clang_getCursorReferenced(expression);
    bool is_spelled = ast_place(expression).file != NULL;
    if (walk->is_default && is_amp_function(function) && !has_child(function, CXCursor_CUDAHostAttr))
        report_default(walk, expression);
    if (!is_spelled || clang_Cursor_isNull(function))
        return;
    bool is_called = is_function_cursor(function) && clang_getCursorKind(expression) == CXCursor_CallExpr;
    if (is_called && !clang_Cursor_isNull(walk->function))
        cpp_note_call(walk->calls, walk->function, function, expression);
    if (is_called && leaves_out_arguments(expression) &&
        map_get(walk->by_default, clang_getCanonicalCursor(function).data[0]) >= 0)
        report(walk, expression,
               arena_printf("what '%s' is given by default is code for the host, which code for accelerators cannot "
                            "call; pass that argument [host call]",
                            ast_name(function)));
    if (!is_for_host(walk, function) || is_reported(expression))
        return;
    const char *advice = is_of_library(function) ? "the library has it for the host alone"
                                                 : "mark it restrict(amp) or restrict(cpu, amp)";
    add_wrong_call(walk, expression,
                   arena_printf("'%s' is called in code for accelerators, but is not restrict(amp); %s [host call]",
                                ast_name(function), advice));
}

static void report_wrong_calls(struct walk *walk)
{
    struct wrong_call *first = NULL;
    for (struct wrong_call *call = walk->wrong_calls, *next; call; call = next) {
        next = call->next;
        call->next = first;
        first = call;
    }
    for (const struct wrong_call *call = first; call; call = call->next) {
        const struct use *use = call->use;
        walk->use = use;
        if (!report(walk, call->at, call->text))
            continue;
        while (use && use->from)
            use = use->from;
        cpp_note_callers(walk->calls, clang_getCursorLocation(use ? use->at : call->at));
    }
}

static bool is_final(CXCursor method)
{
    return has_child(method, CXCursor_CXXFinalAttr) ||
           has_child(clang_getCursorSemanticParent(method), CXCursor_CXXFinalAttr);
}

/* Whether the object of a member's call is what a pointer or a reference leads to, or an element of an array, which
 * clang treats as one: the class may be another one. */
static bool is_led_to(CXCursor call)
{
    struct cursors children = ast_children(call);
    struct cursors objects = {0};
    if (children.n && clang_getCursorKind(children.items[0]) == CXCursor_MemberRefExpr)
        objects = ast_children(children.items[0]);
    CXCursor object = objects.n ? ast_inner(objects.items[0]) : clang_getNullCursor();
    enum CXCursorKind kind = clang_getCursorKind(object);
    if (!objects.n || !clang_isExpression(kind)) /* `this` */
        return true;
    if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr)
        return cpp_is_reference(clang_getCanonicalType(clang_getCursorType(clang_getCursorReferenced(object)))) ||
               cpp_plain_type(object).kind == CXType_Pointer;
    if (kind == CXCursor_CallExpr)
        return cpp_is_reference(clang_getCanonicalType(clang_getCursorResultType(clang_getCursorReferenced(object))));
    return kind == CXCursor_UnaryOperator || kind == CXCursor_ArraySubscriptExpr ||
           kind == CXCursor_ConditionalOperator || kind == CXCursor_BinaryOperator ||
           cpp_plain_type(object).kind == CXType_Pointer;
}

/* Checks that a call is not through a pointer, of which clang only knows in a constant where it leads. */
static void check_way(struct walk *walk, CXCursor call)
{
    CXCursor callee = clang_getCursorReferenced(call);
    CXType type = clang_getCanonicalType(clang_getCursorType(callee));
    enum CXCursorKind kind = clang_getCursorKind(callee);
    bool is_variable = kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl || kind == CXCursor_FieldDecl;
    bool by_pointer = is_variable && type.kind == CXType_Pointer && !clang_isConstQualifiedType(type) &&
                      cpp_is_function(clang_getCanonicalType(clang_getPointeeType(type)));
    if (by_pointer ||
        (kind == CXCursor_CXXMethod && clang_Cursor_isDynamicCall(call) && !is_final(callee) && is_led_to(call)))
        report(walk, call, cpp_call_through_pointer);
}

/* ---- expressions ---- */

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
    CXType from = cpp_plain_type(operand), to = cpp_plain_type(cast);
    long long value = 1;
    if (from.kind == CXType_Pointer && is_integer(to))
        report(walk, cast, "code for accelerators cannot make an integer from a pointer [pointer cast]");
    else if (is_integer(from) && to.kind == CXType_Pointer && !(ast_constant(operand, &value) && !value))
        report(walk, cast, "a kernel cannot make a pointer from an integer [pointer cast]");
}

/* Checks that an operator does not take the address of a global variable: the model has only values of constants. */
static void check_address(struct walk *walk, CXCursor expression)
{
    struct cursors children = ast_children(expression);
    CXCursor variable = children.n == 1 ? clang_getCursorReferenced(ast_inner(children.items[0])) : expression;
    CXType type = cpp_plain_type(expression);
    if (clang_getCursorKind(variable) == CXCursor_VarDecl && type.kind == CXType_Pointer &&
        clang_getCursorLinkage(variable) != CXLinkage_NoLinkage && !has_child(variable, CXCursor_CUDASharedAttr) &&
        cpp_plain_type(variable).kind != CXType_Pointer)
        report(walk, expression,
               "C++ AMP's code for accelerators does not take the address of a global constant, but uses its value "
               "[strict]");
}

/* Checks arithmetic with pointers to bool, which the model does not have. */
static void check_arithmetic(struct walk *walk, CXCursor expression)
{
    CXType type = cpp_plain_type(expression), pointee = clang_getCanonicalType(clang_getPointeeType(type));
    if (type.kind == CXType_Pointer && pointee.kind == CXType_Bool)
        report(walk, expression,
               "C++ AMP does not compute with pointers to bool; use int, or leave out --amp-strict "
               "[strict]");
}

/* Walks the instance of a template that an expression uses. */
static void follow(struct walk *walk, CXCursor expression)
{
    CXCursor function = clang_getCursorDefinition(clang_getCursorReferenced(expression));
    if (clang_Cursor_isNull(function) || cpp_is_in_header(function))
        return;
    if (!is_function_cursor(function) || clang_getCursorKind(function) == CXCursor_FunctionTemplate)
        return;
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

/* Checks the member that an expression or an initialiser names: the class may have been named nowhere else. */
static void check_member(struct walk *walk, CXCursor expression)
{
    CXCursor field = clang_getCursorReferenced(expression);
    const char *problem = NULL;
    if (clang_getCursorKind(field) == CXCursor_FieldDecl && !cpp_is_in_header(field))
        problem = cpp_field_problem(field);
    if (problem)
        report(walk, expression, problem);
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
    if (kind == CXCursor_UnaryOperator)
        check_address(walk, cursor);
    if (kind == CXCursor_MemberRef || kind == CXCursor_MemberRefExpr)
        check_member(walk, cursor);
    CXType type = cpp_plain_type(cursor);
    bool has_value = clang_isExpression(kind) && kind != CXCursor_UnexposedExpr && kind != CXCursor_LambdaExpr;
    if (has_value && !cpp_is_function(type) && !walk->is_output)
        check_type(walk, cursor, type);
}

static const char *call_from_host(CXCursor function)
{
    return arena_printf("'%s' is restrict(amp), and code for the host cannot call it; mark it restrict(cpu, amp) "
                        "[call from host]",
                        ast_name(function));
}

/* Whether an expression in a function, or in a variable's first value, is within decltype(...) and the like, where
 * nothing is called. */
static bool is_unevaluated(CXCursor function, CXCursor expression)
{
    static const char words[] = "decltype __decltype typeof __typeof __typeof__ typeof_unqual typeid noexcept";
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(function);
    CXSourceRange range =
        clang_getRange(clang_getRangeStart(clang_getCursorExtent(function)), clang_getCursorLocation(expression));
    CXToken *tokens = NULL;
    unsigned n = 0;
    int depth = 0, within = 0; /* parentheses that are open, and when the first of such a word was */
    bool is_word = false;
    clang_tokenize(tu, range, &tokens, &n);
    for (unsigned i = 0; i < n; i++) {
        const char *text = ast_text(clang_getTokenSpelling(tu, tokens[i]));
        depth += !strcmp(text, "(");
        if (!within && is_word && !strcmp(text, "("))
            within = depth;
        depth -= !strcmp(text, ")");
        within = depth < within ? 0 : within;
        is_word = is_word_of(text, words);
    }
    clang_disposeTokens(tu, tokens, n);
    return within > 0;
}

/* Whether code at a cursor need not run when the function that it is in does: a default argument, a class, what may be
 * discarded, or only asks whether something can be compiled. */
static bool is_apart(CXCursor cursor, enum CXCursorKind kind)
{
    if (kind == CXCursor_ParmDecl || kind == CXCursor_RequiresExpr || kind == CXCursor_ClassDecl ||
        kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl)
        return true;
    if (kind != CXCursor_IfStmt)
        return false;
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(cursor);
    CXToken *tokens = NULL;
    unsigned n = 0;
    clang_tokenize(tu, clang_getCursorExtent(cursor), &tokens, &n);
    bool is_constant = n > 1 && !strcmp(ast_text(clang_getTokenSpelling(tu, tokens[1])), "constexpr");
    clang_disposeTokens(tu, tokens, n);
    return is_constant;
}

/* Checks the member that an expression in code for the host uses. clang does so only in functions that are used. */
static void check_host_callee(struct walk *walk, CXCursor expression)
{
    CXCursor function = clang_getCursorReferenced(expression);
    bool is_in_function = !clang_Cursor_isNull(walk->function);
    CXCursor user = is_in_function ? walk->function : walk->variable;
    bool is_host = !clang_Cursor_isNull(user) && !walk->is_apart && !walk->lambda &&
                   (!is_in_function || (!is_local(user) && !is_constexpr(user)));
    if (is_host && ast_place(expression).file && is_function_cursor(function) && is_amp_function(function) &&
        !is_host_function(function) && !is_reported(expression) && !is_unevaluated(user, expression))
        add_wrong_call(walk, expression, call_from_host(function));
}

/* Checks that the first value of a variable of the file is no address of a function without code for the host. clang
 * does so in functions alone. */
static void check_first_value(struct walk *walk, CXCursor value)
{
    CXCursor inner = ast_inner(value), function = clang_getCursorReferenced(inner);
    enum CXCursorKind kind = clang_getCursorKind(inner);
    if (kind == CXCursor_InitListExpr || kind == CXCursor_UnaryOperator) {
        struct cursors children = ast_children(inner);
        for (int i = 0; i < children.n; i++)
            check_first_value(walk, children.items[i]);
    } else if (kind == CXCursor_DeclRefExpr && is_amp_function(function) && !is_host_function(function)) {
        report(walk, inner, call_from_host(function));
    }
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
    case CXCursor_VariableRef:
        check_container(walk, cursor);
        check_capture(walk, cursor);
        break;
    case CXCursor_DeclRefExpr:
        check_container(walk, cursor);
        check_capture(walk, cursor);
        check_callee(walk, cursor);
        break;
    case CXCursor_CallExpr:
        check_way(walk, cursor);
        check_callee(walk, cursor);
        break;
    case CXCursor_MemberRefExpr:
        check_callee(walk, cursor);
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

/* Whether a class of the program has call operators, none of which is for accelerators. */
static bool is_host_functor(CXCursor class)
{
    struct cursors members = ast_children(class);
    bool has_operator = false, is_amp = false;
    for (int i = 0; i < members.n && !cpp_is_in_header(class); i++) {
        bool is_operator = is_function_cursor(members.items[i]) && !strcmp(ast_name(members.items[i]), "operator()");
        has_operator |= is_operator;
        is_amp |= is_operator && is_amp_function(members.items[i]);
    }
    return has_operator && !is_amp;
}

/* Checks that what a launch runs is marked: clang takes lambdas without a mark for both sides, and so functors. */
static void check_launch(struct walk *walk, CXCursor call)
{
    for (int i = 0; i < clang_Cursor_getNumArguments(call); i++) {
        CXCursor argument = ast_inner(clang_Cursor_getArgument(call, (unsigned)i));
        if (clang_getCursorKind(argument) == CXCursor_LambdaExpr) {
            if (!read_lambda(argument).is_amp)
                report(walk, argument, "a kernel is restrict(amp); write that after its parameters [restriction]");
            continue;
        }
        CXCursor class = clang_getTypeDeclaration(cpp_plain_type(argument));
        if (is_host_functor(class))
            report(walk, argument,
                   arena_printf("the call operator of '%s' is not restrict(amp); write that after its parameters "
                                "[restriction]",
                                ast_name(class)));
    }
}

static void visit(struct walk *walk, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    struct walk outer = *walk;
    if (is_function_cursor(cursor)) {
        visit_function(walk, cursor);
        return;
    }
    switch (kind) {
    case CXCursor_ClassDecl:
    case CXCursor_StructDecl:
    case CXCursor_ClassTemplate:
        if (walk->is_strict)
            check_class(walk, cursor);
        break;
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
    walk->is_apart |= is_apart(cursor, kind);
    if (clang_Cursor_isNull(walk->function) && kind == CXCursor_VarDecl)
        walk->variable = cursor;
    if (walk->is_amp)
        check_code(walk, cursor, kind);
    else if (kind == CXCursor_VarDecl && has_child(cursor, CXCursor_CUDASharedAttr))
        report(walk, cursor, "tile_static variables are in code for accelerators alone [tile_static on the host]");
    else if (kind == CXCursor_VarDecl && clang_getCursorLinkage(cursor) != CXLinkage_NoLinkage)
        check_first_value(walk, clang_Cursor_getVarDeclInitializer(cursor));
    else if (kind == CXCursor_MemberRefExpr)
        check_host_callee(walk, cursor);
    if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl || kind == CXCursor_CallExpr)
        check_elements(walk, cursor);
    if (clang_isExpression(kind))
        follow(walk, cursor);
    walk->is_default = walk->is_default || (walk->is_strict && walk->is_outside && kind == CXCursor_ParmDecl);
    visit_children(walk, cursor);
    walk->is_output = outer.is_output;
    walk->is_default = outer.is_default;
    walk->is_apart = outer.is_apart;
    walk->variable = outer.variable;
}

bool cpp_check_syntax(const struct unit *unit, struct cpp_syntax *syntax)
{
    unsigned errors = diag_count();
    struct walk walk = {
        .is_strict = unit->options->strict,
        .function = clang_getNullCursor(),
        .variable = clang_getNullCursor(),
        .calls = cpp_calls_new(),
        .seen = map_new(),
        .lambdas = map_new(),
        .by_default = map_new(),
    };
    struct cursors declarations = ast_children(clang_getTranslationUnitCursor(syntax->tu));
    for (int i = 0; i < declarations.n; i++)
        if (!cpp_is_in_header(declarations.items[i]))
            visit(&walk, declarations.items[i]);
    report_wrong_calls(&walk);
    cpp_check_recursion(walk.calls);
    syntax->calls = walk.calls;
    return diag_count() == errors;
}
