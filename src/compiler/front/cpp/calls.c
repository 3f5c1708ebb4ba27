/* SPDX-License-Identifier: MIT
 *
 * Which functions of code for accelerators call which: to find those that come back to themselves, and to say by which
 * calls kernels come to an error. A lambda is a function, too. */
#include "base/map.h"
#include "front/ast.h"
#include "front/cpp/cpp.h"

#include <limits.h>
#include <string.h>

struct call {
    int callee;
    struct place place;
    struct call *next;
};

struct function {
    CXCursor cursor; /* as it was met first */
    const char *name;
    struct call *first, *last;
    enum { NEW, ON_PATH, DONE } state; /* of the search */
};

struct cpp_calls {
    struct map *numbers; /* of functions, by their first declarations */
    struct function *functions;
    int n, capacity;
};

struct cpp_calls *cpp_calls_new(void)
{
    struct cpp_calls *calls = arena_alloc(sizeof *calls);
    *calls = (struct cpp_calls){.numbers = map_new()};
    return calls;
}

/* Returns what is the same for all cursors of a function: its first declaration, or a lambda's class. */
static const void *key_of(CXCursor cursor)
{
    CXCursor class = clang_getCursorSemanticParent(cursor);
    if (clang_getCursorKind(cursor) == CXCursor_LambdaExpr)
        return clang_getTypeDeclaration(cpp_plain_type(cursor)).data[0];
    bool is_of_lambda = clang_getCursorKind(cursor) == CXCursor_CXXMethod && strstr(ast_name(class), "(lambda at ");
    return is_of_lambda ? class.data[0] : clang_getCanonicalCursor(cursor).data[0];
}

static int number_of(struct cpp_calls *calls, CXCursor cursor)
{
    const void *key = key_of(cursor);
    int number = map_get(calls->numbers, key);
    if (number >= 0)
        return number;
    if (calls->n == calls->capacity) {
        struct function *old = calls->functions;
        calls->capacity = 2 * calls->capacity + 8;
        calls->functions = arena_alloc((size_t)calls->capacity * sizeof *old);
        if (calls->n)
            memcpy(calls->functions, old, (size_t)calls->n * sizeof *old);
    }
    bool is_lambda = clang_getCursorKind(cursor) == CXCursor_LambdaExpr;
    const char *name = is_lambda ? "a lambda" : arena_printf("'%s'", ast_name(cursor));
    calls->functions[calls->n] = (struct function){.cursor = cursor, .name = name};
    map_set(calls->numbers, key, calls->n);
    return calls->n++;
}

void cpp_note_function(struct cpp_calls *calls, CXCursor function)
{
    int number = number_of(calls, function);
    calls->functions[number].cursor = function;
}

void cpp_note_call(struct cpp_calls *calls, CXCursor caller, CXCursor callee, CXCursor at)
{
    int from = number_of(calls, caller), to = number_of(calls, callee);
    struct function *function = &calls->functions[from];
    struct call *call = arena_alloc(sizeof *call);
    *call = (struct call){.callee = to, .place = ast_place(at)};
    if (function->last)
        function->last->next = call;
    else
        function->first = call;
    function->last = call;
}

static void check_from(struct cpp_calls *calls, struct function *function)
{
    function->state = ON_PATH;
    for (const struct call *call = function->first; call; call = call->next) {
        struct function *callee = &calls->functions[call->callee];
        if (callee->state == ON_PATH)
            diag_error(call->place, "recursion is not allowed in restrict(amp) code: %s %s; write a loop [recursion]",
                       callee->name,
                       callee == function ? "calls itself" : arena_printf("is called again by %s", function->name));
        else if (callee->state == NEW)
            check_from(calls, callee);
    }
    function->state = DONE;
}

void cpp_check_recursion(struct cpp_calls *calls)
{
    for (int i = 0; i < calls->n; i++)
        if (calls->functions[i].state == NEW)
            check_from(calls, &calls->functions[i]);
}

/* ---- the way to an error ---- */

static bool contains(CXCursor function, CXSourceLocation location, unsigned *size)
{
    CXSourceRange range = clang_getCursorExtent(function);
    CXFile file, its_file;
    unsigned begin, end, offset;
    clang_getFileLocation(location, &file, NULL, NULL, &offset);
    clang_getFileLocation(clang_getRangeStart(range), &its_file, NULL, NULL, &begin);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    *size = end - begin;
    return file && its_file && clang_File_isEqual(file, its_file) && begin <= offset && offset < end;
}

/* Returns the innermost function that contains a place; -1 if there is none. */
static int function_at(const struct cpp_calls *calls, CXSourceLocation location)
{
    int found = -1;
    unsigned size, least = UINT_MAX;
    for (int i = 0; i < calls->n; i++)
        if (contains(calls->functions[i].cursor, location, &size) && size < least) {
            least = size;
            found = i;
        }
    return found;
}

bool cpp_has_function_at(const struct cpp_calls *calls, CXSourceLocation location)
{
    return function_at(calls, location) >= 0;
}

/* Returns a call of a function by one that is not `passed`, and sets its number; NULL if there is none. */
static const struct call *find_caller(const struct cpp_calls *calls, int callee, const bool *passed, int *caller)
{
    for (*caller = 0; *caller < calls->n; ++*caller)
        for (const struct call *call = calls->functions[*caller].first; call && !passed[*caller]; call = call->next)
            if (call->callee == callee)
                return call;
    return NULL;
}

void cpp_note_callers(const struct cpp_calls *calls, CXSourceLocation location)
{
    bool *passed = arena_alloc((size_t)(calls->n + 1) * sizeof *passed);
    memset(passed, 0, (size_t)calls->n * sizeof *passed);
    const struct call *call;
    for (int caller, at = function_at(calls, location); at >= 0; at = call ? caller : -1) {
        passed[at] = true;
        call = find_caller(calls, at, passed, &caller);
        if (call)
            diag_note(call->place, "a kernel comes here by this call of %s", calls->functions[at].name);
    }
}
