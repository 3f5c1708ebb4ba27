/* SPDX-License-Identifier: MIT
 *
 * Warns of calls of amp.h's functions that hardly do what is meant:
 *
 *     amp_auto_array_view *x = amp_array_view1(5000000000, data);
 *     amp_array_view_release(x);
 *
 * has two: no int can hold the number, and the view is released again at the end of the scope. */
#include "driver/driver.h"
#include "front/ast.h"
#include "front/suspect.h"

#include <string.h>

/* Warns of a component that does not fit; `call` shows it to us. */
static void look_at_component(CXCursor call)
{
    double value;
    if (ast_component(call, &value) && !ast_is_int(value))
        diag_warning(WARN_COMPONENT, ast_place(call),
                     "no int can hold %.15g, and the components of extents and indices are ints", value);
}

/* Whether code passes a variable to a function whose name ends with `suffix`. */
static bool passes(CXCursor code, CXCursor variable, const char *suffix)
{
    const char *end = strstr(ast_callee(code), suffix);
    if (end && !strcmp(end, suffix) && clang_Cursor_getNumArguments(code) == 1 &&
        clang_equalCursors(clang_getCursorReferenced(ast_inner(clang_Cursor_getArgument(code, 0))), variable))
        return true;
    struct cursors children = ast_children(code);
    for (int i = 0; i < children.n; i++)
        if (passes(children.items[i], variable, suffix))
            return true;
    return false;
}

/* Warns of a release of a variable declared with amp_auto_..., if it keeps its value and that has one owner. */
static void look_at_release(CXCursor function, CXCursor call)
{
    CXCursor variable = clang_getCursorReferenced(ast_inner(clang_Cursor_getArgument(call, 0)));
    const char *callee = ast_callee(call);
    if (clang_getCursorKind(variable) != CXCursor_VarDecl)
        return;
    const char *declaration = ast_text(clang_getCursorPrettyPrinted(variable, NULL));
    const char *cleanup = arena_printf("cleanup(amp__end_%.*s)", (int)(strlen(callee) - strlen("_release")), callee);
    if (!strstr(declaration, cleanup) || ast_may_change(function, variable) || passes(function, variable, "_retain"))
        return;
    const char *name = ast_name(variable);
    if (diag_warning(WARN_RELEASE, ast_place(call),
                     "'%s' is released again at the end of its scope; remove this call, or set '%s' to NULL after it",
                     name, name))
        diag_note(ast_place(variable), "'%s' is declared here", name);
}

static enum CXChildVisitResult look_at_call(CXCursor cursor, CXCursor parent, CXClientData function)
{
    (void)parent;
    const char *callee = ast_callee(cursor);
    if (!strcmp(callee, "amp__constant"))
        look_at_component(cursor);
    else if (is_word_of(callee, "amp_array_view_release amp_array_release amp_future_release "
                                "amp_accelerator_view_release"))
        look_at_release(*(CXCursor *)function, cursor);
    return CXChildVisit_Recurse;
}

void suspect_calls(CXCursor function)
{
    if (diag_warns(WARN_COMPONENT) || diag_warns(WARN_RELEASE))
        clang_visitChildren(function, look_at_call, &function);
}
