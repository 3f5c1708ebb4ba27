/* SPDX-License-Identifier: MIT
 *
 * Checks the rules of restrict(amp) on every function of the file that is marked so, and on host code that uses such
 * functions. The rules are about the source, so they are checked on the source and not on the IR, which has lost half
 * of it. The one rule that needs data flow, uniform control around barriers, has its own pass, `uniform`.
 *
 *     static float f(float x) restrict(amp) { return x > 0 ? f(x - 1) : log_it(x); }
 *
 * has two errors: recursion, and a call of log_it, which is host code. For both the message names the chain of calls by
 * which a kernel gets there: a helper may be correct by itself but wrong for its caller.
 *
 * Method: list the marked functions and the calls between them; walk that graph from all kernels, remembering the first
 * caller, and again from the untiled kernels alone, to know where barriers and tile_static are wrong; then walk each
 * body once. An expression of a type that is not allowed is reported where the type arises, not for everything that
 * encloses it.
 *
 * needs   the translation unit of front
 * keeps   it
 * breaks  nothing */
#include "driver/driver.h"
#include "front/ast.h"
#include "front/cpp/cpp.h"
#include "front/doubles.h"
#include "front/suspect.h"
#include "kernel/calls.h"

#include <amp.h>
#include <llvm/Config/llvm-config.h>
#include <stdarg.h>
#include <string.h>

/* ---- functions and calls ---- */

struct call {
    int callee;
    struct place place;
};

struct function {
    const char *name;
    CXCursor cursor; /* the definition */
    struct place place;
    bool for_cpu; /* restrict(cpu, amp) */
    bool is_kernel, is_tiled;
    struct call *calls;
    int n_calls, capacity;
    /* How kernels get here: 0 for any kernel, 1 for an untiled one. A kernel is its own caller. */
    struct {
        bool reached;
        int caller;
        struct place place;
    } from[2];
    int state; /* in the search for recursion: 0 new, 1 on the path, 2 done */
};

static struct function *functions;
static int n_functions;

static int find_function(CXCursor callee)
{
    CXCursor definition = clang_getCursorDefinition(callee);
    for (int i = 0; i < n_functions; i++)
        if (clang_equalCursors(functions[i].cursor, definition))
            return i;
    return -1;
}

/* Whether an expression of a selection may be the selected one: it has the type of the whole. */
static bool may_be_selected(CXCursor expression, CXCursor selection)
{
    return clang_equalTypes(clang_getCanonicalType(clang_getCursorType(expression)),
                            clang_getCanonicalType(clang_getCursorType(selection)));
}

/* Whether two expressions are names of one function or variable. */
static bool are_one_name(CXCursor a, CXCursor b)
{
    a = ast_inner(a);
    b = ast_inner(b);
    return clang_getCursorKind(a) == CXCursor_DeclRefExpr && clang_getCursorKind(b) == CXCursor_DeclRefExpr &&
           clang_equalCursors(clang_getCursorReferenced(a), clang_getCursorReferenced(b));
}

/* The expression that a selection selects, or a selection among whose expressions its type does not tell. */
static CXCursor find_selected(CXCursor selection)
{
    struct cursors children = ast_children(selection);
    int selected = 0;
    for (int i = 1; i < children.n; i++) {
        if (!may_be_selected(children.items[i], selection))
            continue;
        if (selected && !are_one_name(children.items[selected], children.items[i]))
            return selection;
        selected = i;
    }
    if (!selected)
        return selection;
    CXCursor inner = ast_inner(children.items[selected]);
    return clang_getCursorKind(inner) == CXCursor_GenericSelectionExpr ? find_selected(inner) : inner;
}

/* What a call calls: the expression before its arguments. */
static CXCursor called(CXCursor call)
{
    struct cursors children = ast_children(call);
    return children.n > 0 ? ast_inner(children.items[0]) : clang_getNullCursor();
}

static bool is_selection(CXCursor call)
{
    return clang_getCursorKind(called(call)) == CXCursor_GenericSelectionExpr;
}

/* Finds the function that a call names, or selects with _Generic. Returns false if the call goes through a pointer, or
 * the selection is not known. */
static bool find_callee(CXCursor call, CXCursor *callee)
{
    CXCursor inner = called(call);
    if (clang_getCursorKind(inner) == CXCursor_GenericSelectionExpr)
        inner = find_selected(inner);
    if (clang_getCursorKind(inner) != CXCursor_DeclRefExpr)
        return false;
    *callee = clang_getCursorReferenced(inner);
    return clang_getCursorKind(*callee) == CXCursor_FunctionDecl;
}

/* For `if (amp_is_device()) a; else b;`, also with `!` or as `?:`, returns the number of the child that only the host
 * runs; an `if` without `else` may lack it. Accelerators run the other child. Returns 0 for any other condition, or
 * none. */
static int find_host_side(CXCursor branch)
{
    enum CXCursorKind kind = clang_getCursorKind(branch);
    if (kind != CXCursor_IfStmt && kind != CXCursor_ConditionalOperator)
        return 0;
    struct cursors children = ast_children(branch);
    CXCursor condition = ast_inner(children.items[0]), callee;
    int host = 2;
    while (clang_getCursorKind(condition) == CXCursor_UnaryOperator &&
           clang_getCursorUnaryOperatorKind(condition) == CXUnaryOperator_LNot) {
        condition = ast_inner(ast_children(condition).items[0]);
        host = 3 - host;
    }
    return clang_getCursorKind(condition) == CXCursor_CallExpr && find_callee(condition, &callee) &&
                   calls_find(ast_name(callee))->kind == CALL_IS_DEVICE
               ? host
               : 0;
}

static void collect_calls(struct function *function, CXCursor cursor)
{
    struct cursors children = ast_children(cursor);
    CXCursor callee;
    int called, host = find_host_side(cursor);
    for (int i = 0; i < children.n; i++)
        if (!host || i != host)
            collect_calls(function, children.items[i]);
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr || !find_callee(cursor, &callee) ||
        (called = find_function(callee)) < 0)
        return;
    if (function->n_calls == function->capacity) {
        function->capacity = 2 * function->capacity + 8;
        struct call *calls = arena_alloc((size_t)function->capacity * sizeof *calls);
        if (function->n_calls)
            memcpy(calls, function->calls, (size_t)function->n_calls * sizeof *calls);
        function->calls = calls;
    }
    function->calls[function->n_calls++] = (struct call){called, ast_place(cursor)};
}

static void reach(int start, int which)
{
    int *queue = arena_alloc((size_t)n_functions * sizeof *queue), head = 0, tail = 0;
    if (functions[start].from[which].reached)
        return;
    functions[start].from[which].reached = true;
    functions[start].from[which].caller = start;
    queue[tail++] = start;
    while (head < tail) {
        int at = queue[head++];
        for (int i = 0; i < functions[at].n_calls; i++) {
            const struct call *call = &functions[at].calls[i];
            struct function *callee = &functions[call->callee];
            if (callee->from[which].reached)
                continue;
            callee->from[which].reached = true;
            callee->from[which].caller = at;
            callee->from[which].place = call->place;
            queue[tail++] = call->callee;
        }
    }
}

/* ---- reports ---- */

struct reported {
    struct place place;
    const char *text;
    struct reported *next;
};

static struct reported *reported;

/* Whether this text is reported for the first time in this line. */
static bool is_new(struct place place, const char *text)
{
    for (const struct reported *r = reported; r; r = r->next)
        if (r->place.line == place.line && !strcmp(r->text, text) &&
            (r->place.file == place.file || !strcmp(r->place.file, place.file)))
            return false;
    struct reported *new = arena_alloc(sizeof *new);
    *new = (struct reported){place, arena_printf("%s", text), reported};
    reported = new;
    return true;
}

/* Reports once per line, with notes for the calls that lead from a kernel to `function`, if that is not NULL. */
static void report(struct place place, const struct function *function, int which, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void report(struct place place, const struct function *function, int which, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!is_new(place, text))
        return;
    diag_error(place, "%s", text);
    while (function && function->from[which].reached &&
           !(function->is_kernel && &functions[function->from[which].caller] == function)) {
        const struct function *caller = &functions[function->from[which].caller];
        diag_note(function->from[which].place, "'%s' is called by %s '%s' here", function->name,
                  caller->is_kernel ? "kernel" : "function", caller->name);
        function = caller;
    }
}

/* ---- what may be called ---- */

/* Functions that the classification macros of <math.h> become, and integer functions that are single instructions. */
static const char others[] =
    "abs labs llabs __isnan __isnanf __isinf __isinff __finite __finitef __fpclassify __fpclassifyf "
    "__signbit __signbitf";
static const char builtins[] =
    "abs labs llabs expect expect_with_probability unpredictable assume unreachable assume_aligned constant_p "
    "classify_type clz clzl "
    "clzll clzg clzs ctz ctzl ctzll ctzg ctzs ffs ffsl ffsll popcount popcountl popcountll popcountg "
    "parity parityl parityll clrsb clrsbl clrsbll bswap16 bswap32 bswap64 bitreverse8 bitreverse16 "
    "bitreverse32 bitreverse64 rotateleft8 rotateleft16 rotateleft32 rotateleft64 rotateright8 "
    "rotateright16 rotateright32 rotateright64 isnan isinf isinf_sign isfinite isnormal issubnormal "
    "iszero issignaling isfpclass fpclassify signbit signbitf isgreater isgreaterequal isless islessequal "
    "islessgreater isunordered inf inff huge_val huge_valf nan nanf add_overflow sub_overflow "
    "mul_overflow addcs addc addcl addcll subcs subc subcl subcll choose_expr types_compatible_p offsetof object_size "
    "dynamic_object_size";

static const char *behind(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) ? NULL : name + n;
}

/* Functions of the host's library, and what kernels use instead. */
static const struct {
    const char *names, *advice;
} host_only[] = {
    {"printf puts putchar fprintf dprintf vprintf vfprintf fputs fputc putc fwrite fflush perror write",
     "print with amp_printf"},
    {"malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign valloc strdup strndup",
     "kernels have no heap, declare a local array with a constant bound, or pass an array"},
    {"rand srand rand_r random srandom drand48 erand48 lrand48 nrand48 mrand48 jrand48 srand48",
     "its state is one for all threads, compute a number from the index and a seed that you pass"},
    {"abort exit _Exit _exit quick_exit raise err errx", "call amp_abort, which ends the launch with an error"},
    {"setjmp _setjmp __sigsetjmp sigsetjmp longjmp siglongjmp", "leave loops by 'break' and functions by 'return'"},
    {"memcmp memchr memccpy mempcpy strlen strnlen strcpy strncpy stpcpy strcat strncat strcmp strncmp strchr strrchr "
     "strstr qsort bsearch",
     "write a loop"},
    {"sprintf snprintf vsnprintf scanf fscanf sscanf atoi atol atof strtol strtoul strtod strtof",
     "convert text before or after the launch"},
    {"fopen fclose fread fgets getc getchar fgetc read open close", "read before the launch, write after it"},
    {"__errno_location", "kernels have no errno, test the arguments or the result"},
    {"time clock clock_gettime gettimeofday usleep sleep nanosleep", "measure around the launch"},
    {"__expf __logf __log2f __log10f __sinf __cosf __tanf __sincosf __powf",
     "call a fast function of <amp_math.h>, such as amp_fast_sinf"},
};

static bool is_math(const char *name)
{
    return calls_find(name)->kind == CALL_MATH;
}

/* Returns what to do instead of calling a function of the host's library. */
static const char *find_advice(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof host_only / sizeof *host_only; i++)
        if (is_word_of(name, host_only[i].names))
            return host_only[i].advice;
    if (behind(name, "amp_"))
        return "call it before or after the launch";
    if (behind(name, "_mm"))
        return "write the code for one element, it is vectorised";
    const char *shorter = arena_printf("%.*s", (int)n - 1, name);
    return name[n - 1] == 'l' && is_math(shorter) ? arena_printf("devices lack its long double, so call '%s'", shorter)
                                                  : "compute what it gives before the launch, and pass that";
}

/* Whether a function belongs to clang's <tgmath.h>: wrappers that call <math.h>, and a function of which only the type
 * is used. */
static bool is_generic_math(CXCursor callee, const char *name)
{
    return behind(name, "__tg_") && clang_Location_isInSystemHeader(clang_getCursorLocation(callee));
}

/* Whether the user's own definition replaces a function of the library. */
static bool is_users_own(CXCursor callee)
{
    CXCursor definition = clang_getCursorDefinition(callee);
    return !clang_Cursor_isNull(definition) && !clang_Location_isInSystemHeader(clang_getCursorLocation(definition));
}

/* Whether a function that kernels cannot call is not the user's. */
static bool is_library(CXCursor callee, const char *name)
{
    CXSourceLocation location = clang_getCursorLocation(callee);
    bool is_builtin = !ast_place(callee).file; /* it is declared by its use */
    return !is_users_own(callee) && (is_builtin || behind(name, "amp_") || clang_Location_isInSystemHeader(location));
}

/* Whether a function's body is in our headers, which obey the rules, so that functions that a file does not use need no
 * walk. */
static bool is_ours_inline(CXCursor function)
{
    return behind(ast_name(function), "amp_") && clang_Cursor_isFunctionInlined(function) &&
           clang_Cursor_getStorageClass(function) == CX_SC_Extern;
}

/* Whether a function is a barrier or a fence. */
static bool is_for_tile(CXCursor callee, const char *name)
{
    enum call_kind kind = calls_find(name)->kind;
    return (kind == CALL_BARRIER || kind == CALL_FENCE || kind == CALL_TILE_FENCE) &&
           ast_is_restricted(callee, "amp") && clang_Cursor_isNull(clang_getCursorDefinition(callee));
}

/* Whether amp.h declares a function for kernels and the host, but the compiler makes it. */
static bool is_made_by_compiler(CXCursor callee, const char *name)
{
    enum call_kind kind = calls_find(name)->kind;
    return (kind == CALL_IS_DEVICE || kind == CALL_PRINTF || kind == CALL_ABORT) && ast_is_restricted(callee, "amp") &&
           clang_Cursor_isNull(clang_getCursorDefinition(callee));
}

/* ---- rules about types ---- */

static CXType element_of(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray ||
           type.kind == CXType_IncompleteArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    return type;
}

static bool is_function(CXType type)
{
    type = clang_getCanonicalType(type);
    return type.kind == CXType_FunctionProto || type.kind == CXType_FunctionNoProto;
}

/* Returns why a value of this type may not be in restrict(amp) code, or NULL. */
static const char *find_type_problem(CXType type)
{
    const char *problem = ast_type_problem(type);
    CXType element = element_of(type);
    if (problem)
        return problem;
    if (element.kind == CXType_BlockPointer ||
        (element.kind == CXType_Pointer && is_function(clang_getPointeeType(element))))
        return "pointers to functions do not exist on devices; choose with 'if' or 'switch' [function pointer]";
    bool is_array = !clang_equalTypes(element, clang_getCanonicalType(type));
    bool stores_pointer = element.kind == CXType_Pointer ? is_array || ast_has_pointer(clang_getPointeeType(element))
                                                         : element.kind == CXType_Record && ast_has_pointer(element);
    if (stores_pointer)
        return "pointers may not be stored in memory, they mean nothing on another device; keep an index [stored "
               "pointer]";
    return NULL;
}

static bool check_type(const struct function *function, CXCursor cursor, CXType type)
{
    const char *problem = find_type_problem(type);
    if (problem)
        report(ast_place(cursor), function, 0, "type '%s' is not allowed in restrict(amp) code; %s",
               ast_type_name(type), problem);
    return problem != NULL;
}

/* ---- jumps ---- */

/* The nested loops of a body, and the jumps to labels that come later. */
struct loop_here {
    const struct loop_here *outer;
};

struct jump {
    CXSourceLocation label;
    const struct loop_here *loop;
    struct place place;
    struct jump *next;
};

/* The innermost loop, the forward jumps, and the labels so far, of the body that is walked. */
static const struct loop_here *loop_here;
static struct jump *jumps, *labels;

static struct jump *new_jump(CXSourceLocation label, struct place place, struct jump *next)
{
    struct jump *jump = arena_alloc(sizeof *jump);
    *jump = (struct jump){label, loop_here, place, next};
    return jump;
}

static void check_goto(const struct function *function, CXCursor cursor)
{
    struct cursors children = ast_children(cursor);
    if (children.n == 0)
        return;
    CXSourceLocation label = clang_getCursorLocation(clang_getCursorReferenced(children.items[0]));
    for (const struct jump *l = labels; l; l = l->next)
        if (clang_equalLocations(l->label, label)) {
            report(ast_place(cursor), function, 0,
                   "goto to a label before it is not allowed in restrict(amp) code; write a loop [goto]");
            return;
        }
    jumps = new_jump(label, ast_place(cursor), jumps);
}

/* Checks that no jump from outside of a loop goes to a label in it, which would be a second way into the loop. */
static void check_label(const struct function *function, CXCursor cursor)
{
    CXSourceLocation label = clang_getCursorLocation(cursor);
    labels = new_jump(label, ast_place(cursor), labels);
    for (const struct jump *jump = jumps; jump; jump = jump->next) {
        if (!clang_equalLocations(jump->label, label))
            continue;
        const struct loop_here *around = jump->loop;
        while (around && around != loop_here)
            around = around->outer;
        if (around != loop_here)
            report(jump->place, function, 0,
                   "goto into a loop is not allowed in restrict(amp) code; put what it skips under an 'if' in the loop "
                   "[jump into a loop]");
    }
}

static void warn_of_volatile(CXCursor cursor)
{
    CXType type = clang_getCursorType(cursor);
    if (!ast_has_volatile(type))
        return;
    const char *text =
        arena_printf("type '%s' is volatile: each thread makes these accesses itself and in order, one thread after "
                     "another, which is slow; they order nothing between threads",
                     ast_type_name(type));
    if (is_new(ast_place(cursor), text))
        diag_warning(WARN_VOLATILE, ast_place(cursor), "%s", text);
}

/* ---- rules about bodies ---- */

enum enclosing { IN_NONE, IN_LOOP, IN_SWITCH };

static bool walk(struct function *function, CXCursor cursor, CXCursor parent, enum enclosing enclosing);
static enum CXChildVisitResult check_host_code(CXCursor cursor, CXCursor parent, CXClientData data);

static bool walk_children(struct function *function, CXCursor cursor, int first, enum enclosing enclosing)
{
    struct cursors children = ast_children(cursor);
    int host = find_host_side(cursor);
    bool found = false, for_cpu = function->for_cpu;
    for (int i = first; i < children.n; i++) {
        if (host && i == host) {
            check_host_code(children.items[i], cursor, (void *)function->name);
            clang_visitChildren(children.items[i], check_host_code, (void *)function->name);
            continue;
        }
        function->for_cpu = for_cpu && !(host && i == 3 - host);
        found = walk(function, children.items[i], cursor, enclosing) || found;
    }
    function->for_cpu = for_cpu;
    return found;
}

static bool walk_loop(struct function *function, CXCursor loop)
{
    struct loop_here *kept = arena_alloc(sizeof *kept); /* jumps point to it */
    kept->outer = loop_here;
    loop_here = kept;
    bool found = walk_children(function, loop, 0, IN_LOOP);
    loop_here = kept->outer;
    return found;
}

/* Checks that barriers and tile_static have a tile: no path to them may begin in an untiled kernel or on the host. */
static void check_tiled(const struct function *function, CXCursor cursor, const char *what)
{
    if (function->for_cpu)
        report(ast_place(cursor), function, 0,
               "%s needs a tile, which the host has not, but '%s' is restrict(cpu, amp); mark it restrict(amp) [tile "
               "for both]",
               what, function->name);
    else if (function->from[1].reached)
        report(ast_place(cursor), function, 1,
               "%s needs a tile; it is allowed only in kernels whose first parameter is an amp_tiled_index, and in "
               "functions that only those call [%s]",
               what, *what == '\'' ? "barrier needs a tile" : "tile_static needs a tile");
}

/* Whether a printf format has %n, which writes. */
static bool has_count(const char *format)
{
    while ((format = strchr(format, '%'))) {
        format += 1 + strspn(format + 1, " #+-'.*$0123456789hlLjzt");
        if (*format == 'n')
            return true;
        format += *format != 0;
    }
    return false;
}

static bool is_small_float(CXType type)
{
    return ast_type_of(type) == AMP_TYPE_F16 || ast_type_of(type) == AMP_TYPE_BF16;
}

static void check_printf(const struct function *function, CXCursor call)
{
    enum { MOST = 30 };
    int n = clang_Cursor_getNumArguments(call) - 1;
    CXCursor format = ast_inner(clang_Cursor_getArgument(call, 0));
    if (clang_getCursorKind(format) != CXCursor_StringLiteral)
        report(ast_place(call), function, 0,
               "the format of 'amp_printf' must be a string literal in restrict(amp) code, devices must know it "
               "beforehand [format]");
    else if (has_count(ast_name(format)))
        report(ast_place(format), function, 0,
               "%%n is not allowed in restrict(amp) code, where nothing counts output [count of output]");
    if (n > MOST)
        report(ast_place(call), function, 0,
               "'amp_printf' takes up to %d arguments after the format in restrict(amp) "
               "code; split the call [printed arguments]",
               MOST);
    for (int i = 1; i <= n; i++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        CXType type = clang_getCanonicalType(clang_getCursorType(argument));
        if (type.kind == CXType_Record)
            report(ast_place(argument), function, 0,
                   "'amp_printf' prints numbers, pointers and text, and no '%s'; "
                   "pass its members [printed type]",
                   ast_type_name(clang_getCursorType(argument)));
        else if (is_small_float(type))
            report(ast_place(argument), function, 0,
                   "'amp_printf' prints no '%s', which C passes as it is where formats mean a double; pass (double) of "
                   "it [printed half]",
                   ast_type_name(clang_getCursorType(argument)));
    }
}

/* Checks a call. Returns whether it was rejected. */
static bool check_call(struct function *function, CXCursor call)
{
    struct place place = ast_place(call);
    unsigned n_errors = diag_count();
    CXCursor callee;
    if (!find_callee(call, &callee)) {
        report(place, function, 0,
               is_selection(call)
                   ? "which of these functions _Generic selects is not known, because some have one type; select the "
                     "call, as in '_Generic(x, int: f(x), float: g(x))' [call through a pointer]"
                   : "a call through a pointer is not allowed in restrict(amp) code; choose with 'if' or 'switch' "
                     "which function to call [call through a pointer]");
        return true;
    }
    const char *name = ast_name(callee), *builtin = behind(name, "__builtin_");
    const char *copy = builtin ? builtin : name;
    if (is_for_tile(callee, name)) {
        check_tiled(function, call, arena_printf("'%s'", name));
    } else if (is_made_by_compiler(callee, name)) {
        if (calls_find(name)->kind == CALL_PRINTF)
            check_printf(function, call);
        if (function->for_cpu && !ast_is_restricted(callee, "cpu"))
            report(place, function, 0,
                   "'%s' is restrict(cpu, amp), but '%s', which it calls, is not for the cpu; call it under 'if "
                   "(amp_is_device())' [abort for both]",
                   function->name, name);
    } else if (is_ours_inline(clang_getCursorDefinition(callee))) {
        return false;
    } else if (ast_is_restricted(callee, "amp")) {
        int i = find_function(callee);
        if (i < 0)
            report(place, function, 0,
                   "'%s' is restrict(amp), but its body is not in this file; define it here, or 'static inline' in a "
                   "header [no body]",
                   name);
        else if (function->for_cpu && !functions[i].for_cpu)
            report(place, function, 0,
                   "'%s' is restrict(cpu, amp), but '%s', which it calls, is not for the cpu; mark that restrict(cpu, "
                   "amp), too [restricted for both]",
                   function->name, name);
    } else if (!strcmp(copy, "alloca") || behind(copy, "alloca_with_align") || !strcmp(copy, "alloca_uninitialized")) {
        report(place, function, 0,
               "alloca is not allowed in restrict(amp) code, a thread's memory has a fixed size; declare an array with "
               "a constant bound [alloca]");
    } else if (calls_is_copy(calls_find(copy)->kind) && !is_users_own(callee)) {
        return false;
    } else if (builtin && !is_word_of(builtin, builtins) && !is_math(builtin)) {
        report(place, function, 0, "'%s' is not allowed in restrict(amp) code; write it in plain C [builtin]", name);
    } else if (behind(name, "__sync_")) {
        report(
            place, function, 0,
            "this atomic operation is not one of a kernel's; write amp_atomic_fetch_add and the like [foreign atomic]");
    } else if (!strcmp(name, "__assert_fail")) {
        report(place, function, 0,
               "assert is not allowed in restrict(amp) code, a kernel cannot stop the program; compile with -DNDEBUG, "
               "or call amp_abort, which ends the launch with an error [assert]");
    } else if (is_generic_math(callee, name)) {
        return false;
    } else if (!builtin && ((!is_math(name) && !is_word_of(name, others)) || is_users_own(callee))) {
        if (is_library(callee, name))
            report(place, function, 0, "'%s' exists on the host only; %s [host library]", name, find_advice(name));
        else
            report(
                place, function, 0,
                "%s '%s' cannot call '%s', which is not restrict(amp); mark '%s' restrict(amp), and give its body in "
                "this file [host call]",
                function->is_kernel ? "kernel" : "function", function->name, name, name);
    }
    return diag_count() > n_errors;
}

static bool has_visible_value(CXCursor variable)
{
    return !clang_Cursor_isNull(clang_getCursorDefinition(variable)) ||
           clang_Cursor_getStorageClass(variable) != CX_SC_Extern;
}

/* Checks the type of a reference. Returns whether a problem was reported, here or where the name was declared. */
static bool check_reference(const struct function *function, CXCursor reference)
{
    CXCursor declaration = clang_getCursorReferenced(reference);
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    CXType type = clang_getCursorType(declaration);
    const char *name = ast_name(declaration);
    if (kind == CXCursor_FunctionDecl) {
        report(ast_place(reference), function, 0,
               "the address of function '%s' is not allowed in restrict(amp) code; functions can only be called there "
               "[function's address]",
               name);
        return true;
    }
    if (kind == CXCursor_ParmDecl)
        return find_type_problem(type) != NULL;
    if (kind != CXCursor_VarDecl)
        return false;
    if (clang_getCursorKind(clang_getCursorSemanticParent(declaration)) == CXCursor_FunctionDecl &&
        clang_Cursor_getStorageClass(declaration) != CX_SC_Extern)
        return find_type_problem(type) != NULL; /* reported at its declaration */
    if (ast_annotation(declaration, "amp.tile_static", NULL))
        return true;
    struct place place = ast_place(reference);
    if (clang_getCursorTLSKind(declaration) != CXTLS_None)
        report(place, function, 0,
               "thread-local variable '%s' cannot be used in restrict(amp) code, it belongs to a host thread; pass its "
               "value to the kernel [thread-local]",
               name);
    else if (!ast_is_const(type))
        report(place, function, 0,
               "global variable '%s' cannot be used in restrict(amp) code, because it is not const; pass its value or "
               "an array to the kernel [writable global]",
               name);
    else if (!has_visible_value(declaration))
        report(place, function, 0,
               "the value of '%s' is not known in this file; give its initialiser here, or pass it to the kernel "
               "[unknown constant]",
               name);
    else {
        warn_of_volatile(reference);
        return check_type(function, reference, type);
    }
    return true;
}

/* Whether an attribute makes the variable's end call a function. */
static bool has_cleanup(CXCursor variable)
{
    struct cursors children = ast_children(variable);
    bool has_unknown = false;
    for (int i = 0; i < children.n; i++)
        has_unknown = has_unknown || clang_getCursorKind(children.items[i]) == CXCursor_UnexposedAttr;
    if (!has_unknown)
        return false;
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(variable);
    const char *text = ast_text(clang_getCursorPrettyPrinted(variable, policy));
    clang_PrintingPolicy_dispose(policy);
    return strstr(text, "((cleanup(") || strstr(text, "::cleanup(");
}

/* Checks a variable that a body declares. Returns whether its type was reported. */
static bool check_variable(struct function *function, CXCursor variable)
{
    CXType type = clang_getCursorType(variable);
    const char *name = ast_name(variable);
    struct place place = ast_place(variable);
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(variable);
    bool is_vla = false;
    for (CXType t = clang_getCanonicalType(type); t.kind == CXType_VariableArray || t.kind == CXType_ConstantArray;
         t = clang_getCanonicalType(clang_getArrayElementType(t)))
        is_vla = is_vla || t.kind == CXType_VariableArray;

    if (ast_annotation(variable, "amp.tile_static", NULL)) {
        check_tiled(function, variable, arena_printf("tile_static '%s'", name));
        if (!clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(variable)))
            report(place, function, 0,
                   "tile_static '%s' cannot have an initialiser, all threads of a tile share it; let one thread write "
                   "it, then wait at a barrier [tile_static initialiser]",
                   name);
        if (ast_has_pointer(type)) {
            report(place, function, 0,
                   "tile_static '%s' contains a pointer; pointers may not be stored in memory, keep an index "
                   "[tile_static pointer]",
                   name);
            return true;
        }
    } else if (clang_getCursorTLSKind(variable) != CXTLS_None) {
        report(place, function, 0,
               "thread-local variable '%s' cannot be used in restrict(amp) code, it belongs to a host thread; pass its "
               "value to the kernel [thread-local]",
               name);
        return true;
    } else if (storage == CX_SC_Static && !ast_is_const(type)) {
        report(place, function, 0,
               "static variable '%s' is not allowed in restrict(amp) code, because it is not const; use a local "
               "variable, tile_static, or a parameter [writable static]",
               name);
    } else if (is_vla && storage != CX_SC_Extern) {
        report(place, function, 0,
               "'%s' is a local array of variable length, which is not allowed in restrict(amp) code, a thread's "
               "memory has a fixed size; give it a constant bound [variable array]",
               name);
    }
    if (has_cleanup(variable))
        report(place, function, 0,
               "the attribute 'cleanup' of '%s' is not allowed in restrict(amp) code, it hides a call; write the call "
               "[cleanup]",
               name);
    warn_of_volatile(variable);
    return check_type(function, variable, type);
}

static bool is_integer_type(CXType type)
{
    type = clang_getCanonicalType(type);
    return (type.kind > CXType_Bool && type.kind <= CXType_Int128) || type.kind == CXType_Enum;
}

static bool is_pointer_type(CXType type)
{
    type = clang_getCanonicalType(type);
    return type.kind == CXType_Pointer || type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray ||
           type.kind == CXType_IncompleteArray;
}

static void check_cast(const struct function *function, CXCursor cast, CXCursor operand)
{
    CXType to = clang_getCursorType(cast), from = clang_getCursorType(operand);
    long long value;
    bool to_integer = is_integer_type(to) && is_pointer_type(from);
    bool to_pointer = is_pointer_type(to) && is_integer_type(from) && !(ast_constant(operand, &value) && value == 0);
    if (to_integer || to_pointer)
        report(ast_place(cast), function, 0,
               "a cast from '%s' to '%s' is not allowed in restrict(amp) code, an address means nothing on another "
               "device; compute with indices [pointer cast]",
               ast_type_name(from), ast_type_name(to));
    if (LLVM_VERSION_MAJOR < 22 && is_small_float(to) && is_small_float(from) && ast_type_of(to) != ast_type_of(from))
        report(ast_place(cast), function, 0,
               "a conversion from '%s' to '%s' is more than clang %d can do; convert to float in between [half to "
               "bfloat]",
               ast_type_name(from), ast_type_name(to), LLVM_VERSION_MAJOR);
}

/* Whether a function is nan or nanf; NAN is __builtin_nanf(""). */
static bool is_nan(CXCursor callee)
{
    const char *name = ast_name(callee), *builtin = behind(name, "__builtin_");
    return is_word_of(builtin ? builtin : name, "nan nanf") && !is_users_own(callee);
}

/* Checks a call. Returns whether it was rejected. */
static bool check_nan(const struct function *function, CXCursor call)
{
    CXCursor payload = ast_inner(clang_Cursor_getArgument(call, 0));
    if (clang_getCursorKind(payload) == CXCursor_StringLiteral)
        return false;
    report(ast_place(call), function, 0,
           "the argument of '%s' must be a string literal in restrict(amp) code, nothing parses text there [nan of a "
           "variable]",
           ast_name(clang_getCursorReferenced(call)));
    return true;
}

/* Checks for idx[2] of an index of rank 2: to C the parameter is a pointer, so no compiler would notice. */
static void check_component(const struct function *function, CXCursor subscript)
{
    struct cursors operands = ast_children(subscript);
    long long component;
    bool tiled;
    if (operands.n != 2 || !ast_constant(operands.items[1], &component))
        return;
    CXCursor index = clang_getCursorReferenced(ast_inner(operands.items[0]));
    CXCursor owner = clang_getCursorSemanticParent(index);
    if (clang_getCursorKind(index) != CXCursor_ParmDecl || clang_Cursor_getNumArguments(owner) < 1 ||
        !clang_equalCursors(clang_Cursor_getArgument(owner, 0), index))
        return;
    int rank = ast_kernel_rank(owner, &tiled);
    if (rank && !tiled && (component < 0 || component >= rank))
        report(ast_place(operands.items[1]), function, 0,
               "'%s' is an index of rank %d and has no component %lld; they are [0] to [%d] [component of an index]",
               ast_name(index), rank, component, rank - 1);
}

/* Walks an argument of amp_printf or amp_abort, which may be a string literal, or a choice among several. */
static bool walk_text(struct function *function, CXCursor cursor, CXCursor parent, enum enclosing enclosing)
{
    CXCursor inner = ast_inner(cursor);
    if (clang_getCursorKind(inner) == CXCursor_StringLiteral)
        return false;
    if (clang_getCursorKind(inner) != CXCursor_ConditionalOperator || find_host_side(inner))
        return walk(function, cursor, parent, enclosing);
    struct cursors children = ast_children(inner);
    bool found = walk(function, children.items[0], inner, enclosing);
    for (int i = 1; i < children.n; i++)
        found = walk_text(function, children.items[i], inner, enclosing) || found;
    return found;
}

static void report_assembly(const struct function *function, CXCursor cursor)
{
    report(ast_place(cursor), function, 0,
           "inline assembly is not allowed in restrict(amp) code, it ties the kernel to one processor; write C "
           "[inline assembly]");
}

/* Walks a statement; `*found` is what `walk` returns. Returns false if the cursor is none. */
static bool walk_statement(struct function *function, CXCursor cursor, enum enclosing enclosing, bool *found)
{
    struct place place = ast_place(cursor);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        *found = walk_loop(function, cursor);
        return true;
    case CXCursor_SwitchStmt:
        *found = walk_children(function, cursor, 0, IN_SWITCH);
        return true;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        if (enclosing == IN_LOOP)
            report(place, function, 0,
                   "a case label inside of a loop whose 'switch' is outside is not allowed in restrict(amp) code, it "
                   "jumps into the loop; put the 'switch' into the loop [jump into a loop]");
        *found = walk_children(function, cursor, 0, enclosing);
        return true;
    case CXCursor_GotoStmt:
        check_goto(function, cursor);
        return true;
    case CXCursor_IndirectGotoStmt:
        report(place, function, 0, "a computed goto is not allowed in restrict(amp) code; use 'switch' [label]");
        return true;
    case CXCursor_LabelStmt:
        check_label(function, cursor);
        *found = walk_children(function, cursor, 0, enclosing);
        return true;
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt:
        report_assembly(function, cursor);
        return true;
    default:
        return false;
    }
}

/* Does the same for a declaration, or what belongs to one. */
static bool walk_declaration(struct function *function, CXCursor cursor, enum enclosing enclosing, bool *found)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_VarDecl:
        *found = check_variable(function, cursor);
        *found = walk_children(function, cursor, 0, enclosing) || *found;
        return true;
    case CXCursor_AsmLabelAttr:
        report_assembly(function, cursor);
        return true;
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
    case CXCursor_TypedefDecl:
    case CXCursor_FunctionDecl:
    case CXCursor_AnnotateAttr:
    case CXCursor_StaticAssert:
        return true;
    default:
        return false;
    }
}

/* Does the same for an expression whose own type is reported elsewhere or does not matter. */
static bool walk_untyped(struct function *function, CXCursor cursor, CXCursor parent, bool *found)
{
    enum CXCursorKind parent_kind = clang_getCursorKind(parent);
    CXCursor callee;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_AddrLabelExpr:
        report(ast_place(cursor), function, 0,
               "the address of a label is not allowed in restrict(amp) code; use 'switch' [label]");
        *found = true;
        return true;
    case CXCursor_CallExpr:
        if (check_call(function, cursor)) {
            *found = true; /* its arguments do not matter then */
            return true;
        }
        if (!find_callee(cursor, &callee) || !is_nan(callee))
            return false;
        *found = check_nan(function, cursor);
        return true;
    case CXCursor_DeclRefExpr:
        *found = check_reference(function, cursor);
        return true;
    case CXCursor_StringLiteral:
        *found = parent_kind != CXCursor_VarDecl && parent_kind != CXCursor_InitListExpr;
        if (*found)
            report(ast_place(cursor), function, 0,
                   "a string literal can only initialise an array in restrict(amp) code, or be printed; declare "
                   "'static const char text[] = ...' [string]");
        return true;
    case CXCursor_BlockExpr:
        *found = check_type(function, cursor, clang_getCursorType(cursor));
        return true;
    case CXCursor_UnaryExpr: /* sizeof and the like compute nothing */
        return true;
    default:
        return false;
    }
}

/* Walks a call that is allowed. */
static bool walk_call(struct function *function, CXCursor call, enum enclosing enclosing)
{
    CXCursor callee;
    bool found = false, is_direct = find_callee(call, &callee);
    if (!is_direct || !is_made_by_compiler(callee, ast_name(callee)))
        return walk_children(function, call, is_direct, enclosing);
    for (int i = 0; i < clang_Cursor_getNumArguments(call); i++)
        found = walk_text(function, clang_Cursor_getArgument(call, (unsigned)i), call, enclosing) || found;
    return found;
}

/* Walks a selection. Only the selected expression counts. */
static bool walk_selection(struct function *function, CXCursor selection, enum enclosing enclosing)
{
    struct cursors children = ast_children(selection);
    bool found = false;
    for (int i = 1; i < children.n; i++)
        if (may_be_selected(children.items[i], selection))
            found = walk(function, children.items[i], selection, enclosing) || found;
    return found;
}

/* Walks a part of a body. Returns whether a type that is not allowed was reported in it. */
static bool walk(struct function *function, CXCursor cursor, CXCursor parent, enum enclosing enclosing)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool found = false;
    if (walk_statement(function, cursor, enclosing, &found) || walk_declaration(function, cursor, enclosing, &found) ||
        walk_untyped(function, cursor, parent, &found))
        return found;
    if (kind >= CXCursor_OMPParallelDirective && kind <= CXCursor_LastStmt && kind != CXCursor_BuiltinBitCastExpr) {
        report(ast_place(cursor), function, 0,
               "OpenMP and OpenACC directives are not allowed in restrict(amp) code, the kernel's threads are all "
               "there are; remove it [OpenMP]");
        return false;
    }
    if (kind == CXCursor_CallExpr)
        found = walk_call(function, cursor, enclosing);
    else if (kind == CXCursor_GenericSelectionExpr)
        found = walk_selection(function, cursor, enclosing);
    else {
        struct cursors children = ast_children(cursor);
        bool is_cast = kind == CXCursor_CStyleCastExpr || kind == CXCursor_UnexposedExpr;
        if (kind == CXCursor_ArraySubscriptExpr)
            check_component(function, cursor);
        if (is_cast && children.n && clang_isExpression(clang_getCursorKind(children.items[children.n - 1])))
            check_cast(function, cursor, children.items[children.n - 1]);
        if (kind == CXCursor_CStyleCastExpr)
            warn_of_volatile(cursor);
        found = walk_children(function, cursor, 0, enclosing);
        if (kind == CXCursor_UnexposedExpr && children.n == 1)
            return found; /* an implicit conversion: its cause was or will be reported */
    }
    if (clang_isExpression(kind) && !found && kind != CXCursor_InitListExpr)
        found = check_type(function, cursor, clang_getCursorType(cursor));
    return found;
}

static void check_function(struct function *function)
{
    CXCursor cursor = function->cursor;
    if (clang_Cursor_isVariadic(cursor))
        report(function->place, function, 0,
               "'%s' takes a variable number of arguments, which is not allowed for restrict(amp); give it one "
               "parameter for each [variadic]",
               function->name);
    if (!function->is_kernel || clang_getCanonicalType(clang_getCursorResultType(cursor)).kind == CXType_Void)
        check_type(function, cursor, clang_getCursorResultType(cursor));
    struct cursors children = ast_children(cursor);
    for (int i = 0; i < children.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(children.items[i]);
        if (kind == CXCursor_ParmDecl)
            warn_of_volatile(children.items[i]);
        if (kind == CXCursor_ParmDecl && !function->is_kernel) /* a kernel's parameters are checked as its signature */
            check_type(function, children.items[i], clang_getCursorType(children.items[i]));
        if (kind == CXCursor_CompoundStmt) {
            jumps = labels = NULL;
            walk(function, children.items[i], cursor, IN_NONE);
        }
    }
}

static void check_recursion(struct function *function)
{
    function->state = 1;
    for (int i = 0; i < function->n_calls; i++) {
        struct function *callee = &functions[function->calls[i].callee];
        if (callee->state == 1)
            report(function->calls[i].place, function, 0,
                   "recursion is not allowed in restrict(amp) code: '%s' %s; write a loop [recursion]", callee->name,
                   callee == function ? "calls itself" : arena_printf("is called again by '%s'", function->name));
        else if (callee->state == 0)
            check_recursion(callee);
    }
    function->state = 2;
}

/* ---- host code ---- */

static void report_tile_static(CXCursor variable)
{
    report(ast_place(variable), NULL, 0,
           "tile_static '%s' is not allowed here, only in tiled kernels and in restrict(amp) functions that they call "
           "[tile_static on the host]",
           ast_name(variable));
}

static enum CXChildVisitResult check_host_code(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    const char *caller = data;
    CXCursor callee;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_VarDecl && ast_annotation(cursor, "amp.tile_static", NULL))
        report_tile_static(cursor);
    if (kind == CXCursor_CallExpr && find_callee(cursor, &callee) && ast_is_restricted(callee, "amp") &&
        !ast_is_restricted(callee, "cpu")) {
        const char *name = ast_name(callee);
        bool is_ours = is_for_tile(callee, name) || is_made_by_compiler(callee, name);
        report(ast_place(cursor), NULL, 0,
               "'%s' is restrict(amp) and '%s' is host code, which cannot call it; %s [call from host]", name, caller,
               is_ours
                   ? "only kernels have it, and what they call"
                   : arena_printf("launch a kernel with amp_parallel_for_each, or mark '%s' restrict(cpu, amp)", name));
    }
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult find_kernel_code(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    CXCursor callee, *use = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool is_shared = kind == CXCursor_VarDecl && ast_annotation(cursor, "amp.tile_static", NULL);
    bool is_call = kind == CXCursor_CallExpr && find_callee(cursor, &callee) && ast_is_restricted(callee, "amp") &&
                   !ast_is_restricted(callee, "cpu");
    if (!is_shared && !is_call)
        return CXChildVisit_Recurse;
    *use = cursor;
    return CXChildVisit_Break;
}

/* Checks a function of the host, which may be a kernel without its mark. */
static void check_host_function(CXCursor function)
{
    bool tiled;
    CXCursor use;
    if (!ast_kernel_rank(function, &tiled) || !clang_visitChildren(function, find_kernel_code, &use)) {
        clang_visitChildren(function, check_host_code, (void *)ast_name(function));
        return;
    }
    report(ast_place(function), NULL, 0,
           "'%s' uses what only kernels have; add restrict(amp) after its parameters [unmarked kernel]",
           ast_name(function));
    diag_note(ast_place(use), "it is used here");
}

static void check_restriction(CXCursor function)
{
    CXCursor annotation;
    const char *list = ast_annotation(function, "amp.restrict.", &annotation);
    if (!list)
        return;
    if (!*list)
        report(ast_place(annotation), NULL, 0,
               "restrict() is empty; write restrict(amp) or restrict(cpu, amp) [empty restriction]");
    while (*list) {
        int n = (int)strcspn(list, ", ");
        if (!(n == 3 && (!strncmp(list, "amp", 3) || !strncmp(list, "cpu", 3))))
            report(ast_place(annotation), NULL, 0, "unknown restriction '%.*s'; there are amp and cpu [restriction]", n,
                   list);
        list += n;
        list += strspn(list, ", ");
    }
}

static void check_lanes(CXCursor function)
{
    bool tiled;
    CXCursor annotation;
    const char *lanes = ast_annotation(function, "amp.lanes.", &annotation);
    if (lanes && !(ast_is_restricted(function, "amp") && ast_kernel_rank(function, &tiled)))
        report(ast_place(annotation), NULL, 0,
               "amp_lanes(%s) before '%s', which is not a kernel; the kernels that call it "
               "decide [lanes]",
               lanes, ast_name(function));
}

/* ---- the pass ---- */

/* Whether a declaration defines a function, and is not part of a system's header. */
static bool is_own_definition(CXCursor cursor)
{
    return clang_getCursorKind(cursor) == CXCursor_FunctionDecl && clang_isCursorDefinition(cursor) &&
           !clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
}

/* Warns about functions without errors. Front has read their kernels in the same order. */
static void suspect_functions(const struct unit *unit, struct cursors declarations)
{
    int n_kernels = 0;
    for (int i = 0; i < n_functions; i++) {
        if (functions[i].is_kernel && n_kernels < unit->n_kernels)
            suspect_kernel(&unit->kernels[n_kernels++], functions[i].cursor);
        if (diag_warns(WARN_DOUBLE))
            doubles_warn(functions[i].cursor);
        if (diag_warns(WARN_OPENMP) && !functions[i].for_cpu)
            suspect_pragmas(functions[i].cursor);
    }
    for (int i = 0; i < declarations.n; i++)
        if (is_own_definition(declarations.items[i])) {
            suspect_calls(declarations.items[i]);
            if (diag_warns(WARN_SUBSCRIPTS))
                suspect_launches(unit, declarations.items[i]);
        }
}

bool check(struct unit *unit)
{
    struct driver *driver = unit->driver;
    if (unit->is_cpp)
        return cpp_check(unit);
    if (!driver->tu) /* C++ without kernels */
        return true;
    struct cursors declarations = ast_children(clang_getTranslationUnitCursor(driver->tu));

    /* 1. List the marked functions and what they call. */
    functions = arena_alloc((size_t)(declarations.n + 1) * sizeof *functions);
    n_functions = 0;
    reported = NULL;
    for (int i = 0; i < declarations.n; i++) {
        CXCursor cursor = declarations.items[i];
        if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl)
            continue;
        check_restriction(cursor);
        check_lanes(cursor);
        if (!strcmp(ast_name(cursor), "main") && ast_is_restricted(cursor, "amp"))
            report(ast_place(cursor), NULL, 0,
                   "'main' is where the host begins and cannot be restrict(amp); launch a kernel from it [main]");
        if (!clang_isCursorDefinition(cursor) || !ast_is_restricted(cursor, "amp") || is_ours_inline(cursor))
            continue;
        struct function *function = &functions[n_functions++];
        *function = (struct function){.name = ast_name(cursor),
                                      .cursor = cursor,
                                      .place = ast_place(cursor),
                                      .for_cpu = ast_is_restricted(cursor, "cpu")};
        function->is_kernel = ast_kernel_rank(cursor, &function->is_tiled) > 0;
    }
    for (int i = 0; i < n_functions; i++)
        collect_calls(&functions[i], functions[i].cursor);

    /* 2. Find how kernels get to them. */
    for (int i = 0; i < n_functions; i++) {
        if (functions[i].is_kernel)
            reach(i, 0);
        if (functions[i].is_kernel && !functions[i].is_tiled)
            reach(i, 1);
    }

    /* 3. Check them, and where host code uses them. */
    for (int i = 0; i < n_functions; i++) {
        check_function(&functions[i]);
        if (functions[i].state == 0)
            check_recursion(&functions[i]);
    }
    for (int i = 0; i < declarations.n; i++) {
        CXCursor cursor = declarations.items[i];
        if (clang_getCursorKind(cursor) == CXCursor_VarDecl && ast_annotation(cursor, "amp.tile_static", NULL))
            report_tile_static(cursor);
        if (is_own_definition(cursor) && !ast_is_restricted(cursor, "amp")) {
            check_host_function(cursor);
            check_launches(unit, cursor);
        }
    }
    if (diag_count() == 0)
        suspect_functions(unit, declarations);
    return diag_count() == 0;
}
