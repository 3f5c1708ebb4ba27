/* SPDX-License-Identifier: MIT
 *
 * Warns of what a kernel may do but hardly means to:
 *
 *     void k(amp_index2 idx, int M, int N, const float a[M][N], float x[N][M]) restrict(amp)
 *     {
 *         x[idx[0]][idx[1]] = 0.5 * a[idx[0]][idx[1]];
 *     }
 *
 * has two: idx[0] goes through a dimension of length M and one of length N, and 0.5 makes the product one of doubles.
 * The third is a local array that the threads of a tile seem to share: each writes an element of its own and reads
 * those of others, or changes it atomically. But each has a copy of the array.
 *
 * Method: one walk notes all accesses to arrays, comparisons, changes of variables, and barriers. Then each array is
 * looked at. A warning needs evidence that a correct kernel cannot have: what is not understood counts as correct. */
#include "front/suspect.h"
#include "driver/driver.h"
#include "front/ast.h"
#include "kernel/calls.h"

#include <string.h>

enum { MAX_DEPTH = 16 }; /* of expressions that are followed, since C allows int x = x */

/* What must hold for a statement to run: the conditions around it, the innermost first. */
struct guard {
    CXCursor condition;
    const struct guard *outer;
};

enum use { READ, WRITE, UPDATE, ATOMIC, ESCAPE };

struct access {
    CXCursor array;
    int n; /* subscripts, slowest first */
    CXCursor subscripts[MAX_RANK];
    enum use mode;
    CXCursor cursor;
    CXCursor value; /* to the right of `=` or `+=`; otherwise null */
    const struct guard *guards;
    int n_barriers; /* before it in the source */
    struct access *next;
};

struct comparison {
    CXCursor sides[2];
    struct comparison *next;
};

struct changed {
    CXCursor variable;
    const struct access *by; /* NULL in a list of variables alone */
    struct changed *next;
};

/* A jump out of a loop or the kernel, or a loop that may wait for other threads. */
struct exit_of {
    const struct guard *guards;
    const struct exit_of *next;
};

/* What the walk notes about a kernel. */
static struct access *accesses; /* the last one first */
static struct comparison *comparisons;
static struct changed *changes;
static const struct exit_of *exits;
static int n_barriers, n_atomics;
static CXCursor written;           /* the value of the assignment whose left side is walked; otherwise null */
static const struct guard *guards; /* of what is walked */
static const struct kernel *kernel;
static CXCursor kernel_index, *kernel_params;

/* ---- the walk ---- */

static void walk(CXCursor cursor, enum use mode);

static void walk_all(CXCursor cursor)
{
    struct cursors children = ast_children(cursor);
    for (int i = 0; i < children.n; i++)
        walk(children.items[i], READ);
}

/* Notes x[i][j], x or &x. Returns false if the expression is no access to a variable. */
static bool walk_access(CXCursor expression, enum use mode)
{
    CXCursor subscripts[MAX_RANK];
    int n = 0;
    CXCursor whole = expression;
    while (clang_getCursorKind(expression) == CXCursor_ArraySubscriptExpr && n < MAX_RANK) {
        struct cursors operands = ast_children(expression);
        subscripts[n++] = operands.items[1];
        expression = ast_inner(operands.items[0]);
    }
    CXCursor array = clang_getCursorReferenced(expression);
    if (clang_getCursorKind(expression) != CXCursor_DeclRefExpr ||
        (clang_getCursorKind(array) != CXCursor_VarDecl && clang_getCursorKind(array) != CXCursor_ParmDecl))
        return false;
    struct access *access = arena_alloc(sizeof *access);
    *access = (struct access){.array = array,
                              .n = n,
                              .mode = mode,
                              .cursor = whole,
                              .value = written,
                              .guards = guards,
                              .n_barriers = n_barriers};
    written = clang_getNullCursor();
    for (int i = 0; i < n; i++) {
        access->subscripts[i] = subscripts[n - 1 - i];
        walk(subscripts[i], READ);
    }
    access->next = accesses;
    accesses = access;
    if (n == 0 && mode != READ) {
        struct changed *changed = arena_alloc(sizeof *changed);
        *changed = (struct changed){array, access, changes};
        changes = changed;
    }
    return true;
}

static void push_guard(CXCursor condition)
{
    struct guard *guard = arena_alloc(sizeof *guard);
    *guard = (struct guard){condition, guards};
    guards = guard;
}

static void note_exit(void)
{
    struct exit_of *note = arena_alloc(sizeof *note);
    *note = (struct exit_of){guards, exits};
    exits = note;
}

/* Walks a statement or expression of which the first part decides whether the others run. */
static void walk_choice(CXCursor cursor)
{
    struct cursors parts = ast_children(cursor);
    const struct guard *outer = guards;
    for (int i = 0; i < parts.n; i++) {
        walk(parts.items[i], READ);
        if (i == 0)
            push_guard(parts.items[0]);
    }
    guards = outer;
}

/* Walks a loop. All expressions in its head count as conditions: libclang does not say which one is. */
static void walk_loop(CXCursor cursor)
{
    struct cursors parts = ast_children(cursor);
    const struct guard *outer = guards;
    int n_before = n_atomics, body = clang_getCursorKind(cursor) == CXCursor_DoStmt ? 0 : parts.n - 1;
    for (int i = 0; i < parts.n; i++)
        if (i != body && clang_isExpression(clang_getCursorKind(parts.items[i])))
            push_guard(parts.items[i]);
    walk_all(cursor);
    if (n_atomics != n_before)
        note_exit();
    guards = outer;
}

static void walk_operator(CXCursor cursor)
{
    struct cursors operands = ast_children(cursor);
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    if (operands.n != 2)
        return;
    if (kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE) {
        struct comparison *comparison = arena_alloc(sizeof *comparison);
        *comparison = (struct comparison){{operands.items[0], operands.items[1]}, comparisons};
        comparisons = comparison;
    }
    if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr) {
        walk_choice(cursor);
        return;
    }
    walk(operands.items[1], READ);
    written = kind == CXBinaryOperator_Assign ? operands.items[1] : clang_getNullCursor();
    walk(operands.items[0], kind == CXBinaryOperator_Assign ? WRITE : READ);
    written = clang_getNullCursor();
}

static void walk_unary(CXCursor cursor)
{
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
    bool is_step = kind >= CXUnaryOperator_PostInc && kind <= CXUnaryOperator_PreDec;
    walk(ast_children(cursor).items[0], is_step ? UPDATE : kind == CXUnaryOperator_AddrOf ? ESCAPE : READ);
}

/* Walks an atomic operation, which libclang does not name: x or &x, maybe with an offset, comes first in it, as in no
 * other expression of several parts. Returns false if the expression is none. */
static bool walk_atomic(struct cursors operands)
{
    if (operands.n < 2)
        return false;
    CXCursor place = ast_inner(operands.items[0]);
    while (clang_getCursorKind(place) == CXCursor_BinaryOperator)
        place = ast_inner(ast_children(place).items[0]);
    enum CXTypeKind type = clang_getCanonicalType(clang_getCursorType(place)).kind;
    bool is_address = clang_getCursorKind(place) == CXCursor_UnaryOperator &&
                      clang_getCursorUnaryOperatorKind(place) == CXUnaryOperator_AddrOf;
    if (!is_address && type != CXType_ConstantArray)
        return false;
    n_atomics++;
    walk(is_address ? ast_children(place).items[0] : place, ATOMIC);
    for (int i = 1; i < operands.n; i++)
        walk(operands.items[i], READ);
    return true;
}

static void walk(CXCursor cursor, enum use mode)
{
    cursor = ast_inner(cursor);
    struct cursors children;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_DeclRefExpr:
        if (!walk_access(cursor, mode))
            walk_all(cursor);
        return;
    case CXCursor_MemberRefExpr:
        children = ast_children(cursor);
        if (children.n)
            walk(children.items[0], mode);
        return;
    case CXCursor_BinaryOperator:
        walk_operator(cursor);
        return;
    case CXCursor_CompoundAssignOperator:
        children = ast_children(cursor);
        walk(children.items[1], READ);
        written = children.items[1];
        walk(children.items[0], UPDATE);
        written = clang_getNullCursor();
        return;
    case CXCursor_UnaryOperator:
        walk_unary(cursor);
        return;
    case CXCursor_IfStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_ConditionalOperator:
        walk_choice(cursor);
        return;
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        walk_loop(cursor);
        return;
    case CXCursor_ReturnStmt:
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_GotoStmt:
        walk_all(cursor);
        note_exit();
        return;
    case CXCursor_UnexposedExpr:
        if (!walk_atomic(ast_children(cursor)))
            walk_all(cursor);
        return;
    case CXCursor_CallExpr:
        walk_all(cursor);
        if (calls_find(ast_name(clang_getCursorReferenced(cursor)))->kind == CALL_BARRIER)
            n_barriers++;
        return;
    default:
        walk_all(cursor);
    }
}

/* ---- what a subscript is ---- */

static bool is_changed(CXCursor variable)
{
    for (const struct changed *changed = changes; changed; changed = changed->next)
        if (clang_equalCursors(changed->variable, variable))
            return true;
    return false;
}

/* Returns what an expression stands for: the initial value of a variable that keeps it, otherwise itself. */
static CXCursor resolve(CXCursor expression)
{
    enum { DEPTH = 4 };
    expression = ast_inner(expression);
    for (int i = 0; i < DEPTH && clang_getCursorKind(expression) == CXCursor_DeclRefExpr; i++) {
        CXCursor variable = clang_getCursorReferenced(expression);
        if (clang_getCursorKind(variable) != CXCursor_VarDecl || is_changed(variable))
            break;
        CXCursor value = clang_Cursor_getVarDeclInitializer(variable);
        if (clang_Cursor_isNull(value))
            break;
        expression = ast_inner(value);
    }
    return expression;
}

/* Returns which component of the index an expression is, of its member `of` ("global", "local") if the kernel is tiled;
 * -1 if it is none. */
static int find_component(CXCursor expression, const char *of)
{
    long long component;
    expression = resolve(expression);
    struct cursors operands = ast_children(expression);
    if (clang_getCursorKind(expression) != CXCursor_ArraySubscriptExpr || operands.n != 2 ||
        !ast_constant(operands.items[1], &component) || component < 0 || component >= kernel->rank)
        return -1;
    CXCursor base = ast_inner(operands.items[0]);
    if (kernel->tiled) {
        struct cursors inner = ast_children(base);
        if (clang_getCursorKind(base) != CXCursor_MemberRefExpr || strcmp(ast_name(base), of) != 0 || inner.n == 0)
            return -1;
        base = ast_inner(inner.items[0]);
    }
    return clang_equalCursors(clang_getCursorReferenced(base), kernel_index) ? (int)component : -1;
}

/* Returns the number of the parameter that an expression is; -1 if it is none. */
static int find_param(CXCursor expression)
{
    expression = resolve(expression);
    for (int i = 0; i < kernel->n_params && clang_getCursorKind(expression) == CXCursor_DeclRefExpr; i++)
        if (clang_equalCursors(clang_getCursorReferenced(expression), kernel_params[i]))
            return i;
    return -1;
}

/* ---- subscripts in another order than the bounds ---- */

/* The parameter that is a whole bound of an array; -1 if none is. */
static int bound_param(const struct param *array, int dimension)
{
    const struct expr *expr = array->bounds[dimension].expr;
    return expr->op == EXPR_PARAM ? expr->param : -1;
}

/* Whether comparisons limit a component of the index; sets `*by_this` if one is with the parameter `bound`. */
static bool is_limited(int component, int bound, bool *by_this)
{
    bool found = false;
    *by_this = false;
    for (const struct comparison *c = comparisons; c; c = c->next)
        for (int side = 0; side < 2; side++)
            if (find_component(c->sides[side], "global") == component) {
                found = true;
                *by_this = *by_this || find_param(c->sides[1 - side]) == bound;
            }
    return found;
}

/* Returns how many accesses to arrays other than `array` let a component of the index go through a dimension whose
 * bound is the parameter `bound`; sets `*other` to such an array. */
static int count_uses(int component, int bound, const struct param *array, const struct param **other)
{
    int n = 0;
    for (const struct access *access = accesses; access; access = access->next) {
        const struct param *param = NULL;
        for (int i = 0; i < kernel->n_params; i++)
            if (clang_equalCursors(access->array, kernel_params[i]))
                param = &kernel->params[i];
        for (int d = 0; param && param != array && d < access->n && d < param->rank; d++)
            if (bound_param(param, d) == bound && find_component(access->subscripts[d], "global") == component) {
                *other = param;
                n++;
            }
    }
    return n;
}

/* Returns whether a component of the index goes through `bound` and not through `own`, as far as the rest of the kernel
 * shows; `*why` becomes the reason. */
static bool belongs_to(int component, int bound, int own, const struct param *array, const char **why)
{
    bool by_bound, by_own;
    const struct param *other = NULL;
    const char *name = kernel->params[bound].name;
    bool is_known = is_limited(component, bound, &by_bound);
    is_limited(component, own, &by_own);
    if (is_known) {
        *why = arena_printf("is compared with %s", name);
        return by_bound && !by_own;
    }
    int n_bound = count_uses(component, bound, array, &other);
    *why = other ? arena_printf("subscripts a dimension of length %s in '%s'", name, other->name) : NULL;
    return n_bound > 0 && count_uses(component, own, array, &other) == 0;
}

const char *suspect_exchanged(const struct param *array, int a, int b)
{
    struct text text = {0};
    text_add(&text, "%s", array->name);
    for (int d = 0; d < array->rank; d++)
        text_add(&text, "[%s]", array->bounds[d == a ? b : d == b ? a : d].text);
    return text.chars;
}

/* Looks at an access to an array of the kernel. Returns whether it was reported. */
static bool look_at_order(const struct access *access, const struct param *array)
{
    for (int a = 0; a < access->n; a++)
        for (int b = a + 1; b < access->n; b++) {
            int i = find_component(access->subscripts[a], "global"), first = bound_param(array, a);
            int j = find_component(access->subscripts[b], "global"), second = bound_param(array, b);
            const char *why, *unused;
            if (i < 0 || j < 0 || i == j || first < 0 || second < 0 || first == second ||
                !belongs_to(i, second, first, array, &why) || !belongs_to(j, first, second, array, &unused))
                continue;
            const char *index = arena_printf("%s%s[%d]", ast_name(kernel_index), kernel->tiled ? ".global" : "", i);
            diag_warning(WARN_SUBSCRIPTS, ast_place(access->cursor),
                         "%s subscripts the dimension of length %s; did you mean '%s'?", index,
                         kernel->params[first].name, suspect_exchanged(array, a, b));
            diag_note(array->place, "'%s' is declared here; %s %s", array->name, index, why);
            return true;
        }
    return false;
}

static void look_at_orders(void)
{
    /* Of two arrays that contradict each other, the later one is reported. */
    for (int p = kernel->n_params - 1; p >= 0; p--)
        for (const struct access *access = accesses; access && kernel->params[p].kind == PARAM_ARRAY;
             access = access->next)
            if (clang_equalCursors(access->array, kernel_params[p]) && access->n == kernel->params[p].rank &&
                look_at_order(access, &kernel->params[p]))
                return;
}

/* Notes for the launches which components subscript an array's dimensions, the same ones in all accesses, and are not
 * compared with anything. */
static void note_components(struct param *array, CXCursor param)
{
    bool is_first = true, unused;
    for (const struct access *access = accesses; access; access = access->next) {
        if (!clang_equalCursors(access->array, param) || access->n != array->rank)
            continue;
        for (int d = 0; d < array->rank; d++) {
            int component = find_component(access->subscripts[d], "global");
            int noted = component < 0 || is_limited(component, -1, &unused) ? 0 : component + 1;
            array->components[d] = is_first || array->components[d] == noted ? noted : 0;
        }
        is_first = false;
    }
}

/* ---- local variables that are used like tile_static ones ---- */

/* Whether all that is written to the array goes to the thread's own place along a dimension, and updates go anywhere;
 * sets `*component` to that of the local index, and `*n_before` to the number of barriers before the first write. */
static bool writes_own(CXCursor array, int dimension, int *component, int *n_before)
{
    *component = -1;
    for (const struct access *access = accesses; access; access = access->next) {
        if (!clang_equalCursors(access->array, array))
            continue;
        if (access->n <= dimension || access->mode == ESCAPE)
            return false;
        int own = find_component(access->subscripts[dimension], "local");
        if (access->mode != WRITE && (access->mode == READ || own < 0))
            continue;
        if (own < 0 || (*component >= 0 && own != *component))
            return false;
        *component = own;
        *n_before = access->n_barriers;
    }
    return *component >= 0;
}

/* Whether an expression reads an array of the kernel, maybe through variables that keep their values. */
static bool comes_from_memory(CXCursor expression, int depth)
{
    expression = resolve(expression);
    struct cursors parts = ast_children(expression);
    bool found = clang_getCursorKind(expression) == CXCursor_ArraySubscriptExpr && find_param(parts.items[0]) >= 0;
    for (int i = 0; i < parts.n && !found && depth; i++)
        found = comes_from_memory(parts.items[i], depth - 1);
    return found;
}

/* Returns the last read of an array along a dimension if all that is written there but constants goes where data say,
 * and all reads are of the thread's own place across a barrier; otherwise NULL. */
static const struct access *find_own_reads(CXCursor array, int dimension)
{
    const struct access *read = NULL;
    int n_writes = 0, n_before = 0;
    long long value;
    for (const struct access *access = accesses; access; access = access->next) {
        if (!clang_equalCursors(access->array, array))
            continue;
        if (access->n <= dimension || access->mode == ESCAPE)
            return NULL;
        if (access->mode == READ) {
            if (n_writes || find_component(access->subscripts[dimension], "local") < 0)
                return NULL;
            read = access;
            n_before = access->n_barriers;
        } else if (access->mode != WRITE || !ast_constant(access->value, &value)) {
            if (access->n_barriers >= n_before || !comes_from_memory(access->subscripts[dimension], MAX_DEPTH))
                return NULL;
            n_writes++;
        }
    }
    return n_writes ? read : NULL;
}

static void warn_private(const struct access *access, const char *how)
{
    const char *name = ast_name(access->array);
    if (diag_warning(WARN_PRIVATE, ast_place(access->cursor),
                     "'%s' is private to each thread, yet %s; declare it tile_static", name, how))
        diag_note(ast_place(access->array), "'%s' is declared here", name);
}

static void look_at_private(CXCursor array, int rank)
{
    long long value;
    int component, n_before;
    bool has_value = !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(array));
    for (int d = 0; d < rank; d++) {
        const struct access *own = find_own_reads(array, d), *other = NULL;
        if (!has_value && writes_own(array, d, &component, &n_before))
            for (const struct access *access = accesses; access; access = access->next)
                if (clang_equalCursors(access->array, array) && access->mode != WRITE &&
                    access->n_barriers > n_before && !ast_constant(access->subscripts[d], &value) &&
                    find_component(access->subscripts[d], "local") != component)
                    other = access;
        if (other)
            warn_private(other, arena_printf("%s across a barrier at another thread's index",
                                             other->mode == READ ? "read" : "changed"));
        else if (own)
            warn_private(own, "written at an index from memory and read across a barrier at the thread's own");
        if (other || own)
            return;
    }
}

/* Looks for an atomic operation on a thread's own variable. Returns whether there is one. */
static bool look_at_atomics(CXCursor variable, int rank)
{
    const struct access *first = NULL;
    for (const struct access *access = accesses; access; access = access->next)
        if (clang_equalCursors(access->array, variable) && access->mode == ATOMIC && access->n <= rank)
            first = access;
    if (!first)
        return false;
    CXType type = clang_getCursorType(variable);
    const char *name = ast_name(variable), *bounds = "";
    for (; type.kind == CXType_ConstantArray; type = clang_getArrayElementType(type))
        bounds = arena_printf("%s[%lld]", bounds, clang_getArraySize(type));
    if (diag_warning(WARN_PRIVATE, ast_place(first->cursor),
                     "'%s' belongs to this thread alone, so an atomic operation does nothing more than a plain one; to "
                     "share it, %s tile_static %s %s%s",
                     name, kernel->tiled ? "declare it" : "make it a parameter, or the kernel tiled and it",
                     ast_type_name(type), name, bounds))
        diag_note(ast_place(variable), "'%s' is declared here", name);
    return true;
}

static void look_at_privates(void)
{
    struct changed *seen = NULL;
    for (const struct access *access = accesses; access; access = access->next) {
        CXCursor variable = access->array;
        CXType type = clang_getCanonicalType(clang_getCursorType(variable));
        int rank = 0;
        for (; type.kind == CXType_ConstantArray; rank++)
            type = clang_getCanonicalType(clang_getArrayElementType(type));
        bool is_new = true;
        for (const struct changed *other = seen; other; other = other->next)
            is_new = is_new && !clang_equalCursors(other->variable, variable);
        if (!is_new || clang_getCursorKind(variable) != CXCursor_VarDecl ||
            clang_Cursor_hasVarDeclGlobalStorage(variable))
            continue;
        struct changed *new = arena_alloc(sizeof *new);
        *new = (struct changed){variable, NULL, seen};
        seen = new;
        if (!look_at_atomics(variable, rank) && kernel->tiled && n_barriers && rank)
            look_at_private(variable, rank);
    }
}

/* ---- elements that all threads write ---- */

/* The variables whose values are looked at, the innermost first. */
struct visit {
    CXCursor variable;
    const struct visit *outer;
};

static int budget; /* of expressions, for code in which variables depend on one another in many ways */

static bool is_common(CXCursor expression, const struct visit *visit);

static bool are_common(const struct guard *guard, const struct visit *visit)
{
    for (; guard; guard = guard->outer)
        if (!is_common(guard->condition, visit))
            return false;
    return true;
}

/* Whether a variable has the same value in all threads: it gets only such values, and in all threads at once. What
 * depends on the variable itself is taken to hold. */
static bool is_common_variable(CXCursor variable, const struct visit *outer)
{
    struct visit visit = {variable, outer};
    bool is_param = false;
    for (; outer; outer = outer->outer)
        if (clang_equalCursors(outer->variable, variable))
            return true;
    for (int i = 0; i < kernel->n_params; i++)
        is_param = is_param || clang_equalCursors(variable, kernel_params[i]);
    bool is_local =
        clang_getCursorKind(variable) == CXCursor_VarDecl && !clang_Cursor_hasVarDeclGlobalStorage(variable);
    if (!is_param && !is_local)
        return false;
    CXCursor first = is_local ? clang_Cursor_getVarDeclInitializer(variable) : clang_getNullCursor();
    bool common = clang_Cursor_isNull(first) || is_common(first, &visit);
    for (const struct changed *changed = changes; changed && common; changed = changed->next)
        if (clang_equalCursors(changed->variable, variable))
            common = (changed->by->mode == WRITE || changed->by->mode == UPDATE) &&
                     (clang_Cursor_isNull(changed->by->value) || is_common(changed->by->value, &visit)) &&
                     are_common(changed->by->guards, &visit);
    return common;
}

/* Whether an expression certainly has the same value in all threads, or in all of a tile. */
static bool is_common(CXCursor expression, const struct visit *visit)
{
    long long value;
    expression = ast_inner(expression);
    enum CXCursorKind kind = clang_getCursorKind(expression);
    struct cursors parts = ast_children(expression);
    bool is_operator =
        kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator ||
        kind == CXCursor_ConditionalOperator || kind == CXCursor_CStyleCastExpr ||
        (kind == CXCursor_UnaryOperator && clang_getCursorUnaryOperatorKind(expression) != CXUnaryOperator_Deref);
    if (budget-- <= 0)
        return false;
    if (kind == CXCursor_FloatingLiteral || ast_constant(expression, &value) ||
        (kernel->tiled && find_component(expression, "tile") >= 0))
        return true;
    if (kind == CXCursor_DeclRefExpr)
        return is_common_variable(clang_getCursorReferenced(expression), visit);
    for (int i = 0; i < parts.n && is_operator; i++)
        if (clang_isExpression(clang_getCursorKind(parts.items[i])) && !is_common(parts.items[i], visit))
            return false;
    return is_operator;
}

/* Whether an expression contains the index of the thread, maybe through variables that keep their values. */
static bool has_index(CXCursor expression, int depth)
{
    expression = resolve(expression);
    struct cursors parts = ast_children(expression);
    bool found = kernel->tiled ? find_component(expression, "local") >= 0 || find_component(expression, "global") >= 0
                               : find_component(expression, "") >= 0;
    for (int i = 0; i < parts.n && !found && depth; i++)
        found = has_index(parts.items[i], depth - 1);
    return found;
}

/* Whether there is certainly more than one thread: in each tile, or because the kernel asks which one it is. */
static bool has_threads(void)
{
    int n_threads = 1;
    for (int d = 0; d < kernel->rank && kernel->tiled; d++)
        n_threads *= kernel->tile[d];
    bool asks = false;
    for (const struct access *access = accesses; access && !asks; access = access->next)
        asks = clang_equalCursors(access->array, kernel_index);
    return kernel->tiled ? n_threads > 1 : asks;
}

static bool is_same_element(const struct access *access)
{
    CXCursor array = access->array;
    bool is_shared = clang_getCursorKind(array) == CXCursor_VarDecl && clang_Cursor_hasVarDeclGlobalStorage(array);
    for (int i = 0; i < kernel->n_params; i++)
        is_shared = is_shared || (kernel->params[i].kind == PARAM_ARRAY && clang_equalCursors(array, kernel_params[i]));
    if (!is_shared || access->n == 0 ||
        (access->mode != UPDATE && (access->mode != WRITE || !has_index(access->value, MAX_DEPTH))))
        return false;
    budget = 1000;
    bool same = are_common(access->guards, NULL);
    for (int d = 0; d < access->n; d++)
        same = same && is_common(access->subscripts[d], NULL);
    return same;
}

static void look_at_elements(void)
{
    budget = 1000;
    for (const struct exit_of *exit = exits; exit; exit = exit->next)
        if (!are_common(exit->guards, NULL))
            return;
    for (const struct access *access = accesses; access; access = access->next)
        if (is_same_element(access))
            diag_warning(WARN_RACE, ast_place(access->cursor),
                         "all threads%s write the same element of '%s'; use amp_atomic_fetch_add and the like, or "
                         "subscript it by the index",
                         kernel->tiled ? " of a tile" : "", ast_name(access->array));
}

/* ---- directives ---- */

void suspect_pragmas(CXCursor function)
{
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(function);
    CXSourceRange range = clang_getCursorExtent(function);
    CXFile file;
    CXToken *tokens;
    unsigned begin, end, n;
    size_t size;
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    const char *contents = file ? clang_getFileContents(tu, file, &size) : NULL;
    if (!contents || begin > end || end > size || !memmem(contents + begin, end - begin, "omp", 3))
        return;
    clang_tokenize(tu, range, &tokens, &n);
    for (unsigned i = 0; i + 2 < n; i++)
        if (!strcmp(ast_text(clang_getTokenSpelling(tu, tokens[i])), "#") &&
            !strcmp(ast_text(clang_getTokenSpelling(tu, tokens[i + 1])), "pragma") &&
            !strcmp(ast_text(clang_getTokenSpelling(tu, tokens[i + 2])), "omp"))
            diag_warning(
                WARN_OPENMP, ast_place_of(tu, clang_getTokenLocation(tu, tokens[i])),
                "OpenMP's directives do nothing in a kernel, whose threads are all there are; remove this one");
    clang_disposeTokens(tu, tokens, n);
}

/* ---- the kernel ---- */

/* Whether an array of the kernel has two bounds that are different parameters. */
static bool has_order(void)
{
    for (int i = 0; i < kernel->n_params; i++) {
        int first = -1;
        for (int d = 0; d < kernel->params[i].rank; d++) {
            int here = bound_param(&kernel->params[i], d);
            if (first >= 0 && here >= 0 && here != first)
                return true;
            first = here >= 0 ? here : first;
        }
    }
    return false;
}

void suspect_kernel(const struct kernel *of, CXCursor function)
{
    kernel = of;
    bool notes_components = diag_warns(WARN_SUBSCRIPTS) && kernel->rank > 1;
    bool looks_at_orders = notes_components && has_order();
    bool looks_at_privates = diag_warns(WARN_PRIVATE);
    bool looks_at_elements = diag_warns(WARN_RACE);
    if (!notes_components && !looks_at_privates && !looks_at_elements)
        return;
    accesses = NULL;
    comparisons = NULL;
    changes = NULL;
    exits = NULL;
    guards = NULL;
    n_barriers = n_atomics = 0;
    written = clang_getNullCursor();
    kernel_index = clang_Cursor_getArgument(function, 0);
    kernel_params = arena_alloc((size_t)(kernel->n_params + 1) * sizeof *kernel_params);
    for (int i = 0; i < kernel->n_params; i++)
        kernel_params[i] = clang_Cursor_getArgument(function, (unsigned)i + 1);
    struct cursors children = ast_children(function);
    for (int i = 0; i < children.n; i++)
        if (clang_getCursorKind(children.items[i]) == CXCursor_CompoundStmt)
            walk_all(children.items[i]);
    for (int i = 0; i < kernel->n_params && notes_components; i++)
        if (kernel->params[i].kind == PARAM_ARRAY)
            note_components(&kernel->params[i], kernel_params[i]);
    if (looks_at_orders)
        look_at_orders();
    if (looks_at_privates)
        look_at_privates();
    if (looks_at_elements && has_threads())
        look_at_elements();
}
