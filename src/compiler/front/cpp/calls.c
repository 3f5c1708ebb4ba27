/* SPDX-License-Identifier: MIT
 *
 * Which functions of code for accelerators call which, to find those that come back to themselves. */
#include "base/map.h"
#include "front/ast.h"
#include "front/cpp/cpp.h"

#include <string.h>

struct call {
    int callee;
    struct place place;
    struct call *next;
};

struct function {
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

static int number_of(struct cpp_calls *calls, CXCursor cursor)
{
    const void *key = clang_getCanonicalCursor(cursor).data[0];
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
    calls->functions[calls->n] = (struct function){.name = ast_name(cursor)};
    map_set(calls->numbers, key, calls->n);
    return calls->n++;
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
            diag_error(call->place, "recursion is not allowed in restrict(amp) code: '%s' %s; write a loop [recursion]",
                       callee->name,
                       callee == function ? "calls itself" : arena_printf("is called again by '%s'", function->name));
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
