/* SPDX-License-Identifier: MIT
 *
 * Warns of calls of amp.h's functions that hardly do what is meant:
 *
 *     amp_array_view *x = amp_array_view1(5000000000, data); // no int can hold the number
 */
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

static enum CXChildVisitResult look_at_call(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent, (void)data;
    if (!strcmp(ast_callee(cursor), "amp__constant"))
        look_at_component(cursor);
    return CXChildVisit_Recurse;
}

void suspect_calls(CXCursor function)
{
    if (diag_warns(WARN_COMPONENT))
        clang_visitChildren(function, look_at_call, NULL);
}
