/* SPDX-License-Identifier: MIT
 *
 * Checks the launches of a file against the kernels that they name, as far as the file shows what they pass:
 *
 *     void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp);
 *     amp_array_view *v = amp_array_view1(10, data);           // int data[10]
 *     amp_parallel_for_each(amp_extent2(4, 4), scale, 2.0f, v);
 *
 * has a wrong rank and wrong elements. Only what fails whenever it runs is an error; everything else is left to the
 * launch, which checks everything again.
 *
 * Method: a launch is a call of amp_launch or amp_launch_async, whatever macro it came from; what it passes is read
 * from the compound literals of the macro. A local variable that has an initialiser and is never assigned stands for
 * that initialiser. */
#include "driver/driver.h"
#include "front/ast.h"
#include "front/signature.h"
#include "front/suspect.h"

#include <amp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct unit *unit;
static CXCursor function; /* the function that contains the launch */

/* ---- what an expression stands for ---- */

/* Returns the expression whose value this one has: it looks through conversions, commas, and variables of the function
 * that keep their initial value. */
static CXCursor resolve(CXCursor expression)
{
    enum { DEPTH = 16 }; /* a variable may be initialised by itself */
    for (int i = 0; i < DEPTH; i++) {
        expression = ast_inner(expression);
        enum CXCursorKind kind = clang_getCursorKind(expression);
        if (kind == CXCursor_BinaryOperator &&
            clang_getCursorBinaryOperatorKind(expression) == CXBinaryOperator_Comma) {
            expression = ast_children(expression).items[1];
        } else if (kind == CXCursor_DeclRefExpr) {
            CXCursor variable = clang_getCursorReferenced(expression);
            CXCursor value = clang_Cursor_getVarDeclInitializer(variable);
            if (clang_getCursorKind(variable) != CXCursor_VarDecl || clang_Cursor_isNull(value) ||
                clang_Cursor_hasVarDeclGlobalStorage(variable) || ast_may_change(function, variable))
                return expression;
            expression = value;
        } else {
            return expression;
        }
    }
    return expression;
}

static CXCursor argument(CXCursor call, int i)
{
    return clang_Cursor_getArgument(call, (unsigned)i);
}

/* Finds what a pointer points to, or an array consists of, without qualifiers. Returns false for other types. */
static bool find_target(CXType type, CXType *target)
{
    type = clang_getCanonicalType(type);
    *target = type.kind == CXType_Pointer ? clang_getPointeeType(type) : clang_getArrayElementType(type);
    if (target->kind != CXType_Invalid)
        *target = clang_getUnqualifiedType(*target);
    return target->kind != CXType_Invalid;
}

static bool points_to(CXType type, const char *name)
{
    CXType target;
    return find_target(type, &target) && !strcmp(ast_type_name(clang_getCanonicalType(target)), name);
}

/* ---- extents and views ---- */

struct extent {
    int rank;   /* 0: unknown */
    int n_read; /* components read so far */
    bool known[MAX_RANK];
    long long dim[MAX_RANK];
    double misfit[MAX_RANK];     /* a constant that no int can hold; otherwise 0 */
    CXCursor variable[MAX_RANK]; /* the variable that it is, if that keeps its value; otherwise null */
};

/* What is known about the view that an expression returns. */
struct view {
    CXCursor made;     /* the call that made it */
    const char *maker; /* the macro for such a call, without the rank at its end */
    struct extent extent;
    long long type, element_size; /* AMP_TYPE_NONE: unknown */
    const char *type_name;
    bool read_only;
};

/* Returns the name of the elements as the source wrote it: what `data` points to, if that has the type. */
static const char *name_elements(long long type, CXCursor data)
{
    static const char *const names[] = {
        [AMP_TYPE_NONE] = "",        [AMP_TYPE_BOOL] = "_Bool",       [AMP_TYPE_I8] = "int8_t",
        [AMP_TYPE_U8] = "uint8_t",   [AMP_TYPE_I16] = "int16_t",      [AMP_TYPE_U16] = "uint16_t",
        [AMP_TYPE_I32] = "int",      [AMP_TYPE_U32] = "unsigned int", [AMP_TYPE_I64] = "int64_t",
        [AMP_TYPE_U64] = "uint64_t", [AMP_TYPE_F32] = "float",        [AMP_TYPE_F64] = "double",
        [AMP_TYPE_F16] = "_Float16", [AMP_TYPE_BF16] = "__bf16",      [AMP_TYPE_STRUCT] = "a struct",
    };
    CXType element;
    if (!clang_Cursor_isNull(data) && find_target(clang_getCursorType(ast_inner(data)), &element) &&
        ast_type_of(element) == type)
        return ast_type_name(element);
    return type >= 0 && type <= AMP_TYPE_STRUCT ? names[type] : "another type";
}

static struct view read_view(CXCursor expression);

/* Finds the variable that __builtin_constant_p is asked about. */
static enum CXChildVisitResult find_variable(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (strcmp(ast_callee(cursor), "__builtin_constant_p") != 0)
        return CXChildVisit_Recurse;
    CXCursor expression = resolve(argument(cursor, 0)), variable = clang_getCursorReferenced(expression);
    enum CXCursorKind kind = clang_getCursorKind(variable);
    if (clang_getCursorKind(expression) == CXCursor_DeclRefExpr &&
        (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) && !ast_may_change(function, variable))
        *(CXCursor *)data = variable;
    return CXChildVisit_Break;
}

/* Reads a component: the macro of an extent passes the value of each, or that it is not constant, to amp__constant. */
static enum CXChildVisitResult read_component(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct extent *extent = data;
    if (strcmp(ast_callee(cursor), "amp__constant") != 0)
        return CXChildVisit_Recurse;
    int d = extent->n_read++;
    double value;
    bool is_constant = ast_component(cursor, &value);
    extent->known[d] = is_constant && ast_is_int(value);
    extent->dim[d] = extent->known[d] ? (long long)value : 0;
    extent->misfit[d] = is_constant && !extent->known[d] ? value : 0;
    extent->variable[d] = clang_getNullCursor();
    clang_visitChildren(cursor, find_variable, &extent->variable[d]);
    return extent->n_read < extent->rank ? CXChildVisit_Continue : CXChildVisit_Break;
}

static struct extent read_extent(CXCursor expression)
{
    struct extent extent = {0};
    CXCursor call = resolve(expression);
    const char *name = ast_callee(call);
    long long rank;
    if (!strcmp(name, "amp__make_amp_extent") && ast_constant(argument(call, 0), &rank)) {
        extent.rank = (int)rank;
        clang_visitChildren(argument(call, 1), read_component, &extent);
    } else if (!strcmp(name, "amp_extent_n") && ast_constant(argument(call, 0), &rank)) {
        extent.rank = rank >= 1 && rank <= MAX_RANK ? (int)rank : 0;
    } else if (!strcmp(name, "amp_extent_pad") || !strcmp(name, "amp_extent_truncate")) {
        extent.rank = read_extent(argument(call, 0)).rank;
    } else if (!strcmp(name, "amp_array_view_extent") || !strcmp(name, "amp_array_extent")) {
        extent = read_view(argument(call, 0)).extent;
    }
    return extent;
}

static struct view read_view(CXCursor expression)
{
    /* The numbers of the constructors' arguments: the extent; the type, which the size follows; the data; and whether
     * the view is read-only. */
    static const struct {
        const char *name, *macro;
        int extent, type, data, read_only; /* argument numbers; -1: there is none */
    } makers[] = {{"amp_array_view_create", "amp_array_view", 0, 2, 1, 4},
                  {"amp_array_view_create_within", "amp_array_view", 0, 3, 1, 5},
                  {"amp_array_view_create_without_source", "amp_array_view_without_source", 0, 1, -1, -1},
                  {"amp_array_create", "amp_array", 0, 1, 3, -1},
                  {"amp_array_create_staging", "amp_extent", 0, 1, 3, -1},
                  {"amp_array_wrap", "amp_extent", 0, 1, 3, -1}};
    struct view view = {.made = resolve(expression), .maker = "amp_array_view"};
    const char *name = ast_callee(view.made);
    bool is_section = !strcmp(name, "amp_array_view_section") || !strcmp(name, "amp_array_section");
    bool is_whole = !strcmp(name, "amp_array_as_view") || !strcmp(name, "amp_array_clone");
    bool is_const = !strcmp(name, "amp_array_as_const_view") || !strcmp(name, "amp_array_view_read_only");
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (strcmp(name, makers[i].name) != 0)
            continue;
        long long read_only;
        view.extent = read_extent(argument(view.made, makers[i].extent));
        view.maker = makers[i].macro;
        if (!ast_constant(argument(view.made, makers[i].type), &view.type) ||
            !ast_constant(argument(view.made, makers[i].type + 1), &view.element_size))
            view.type = AMP_TYPE_NONE;
        view.type &= (1 << AMP__TYPE_BITS) - 1; /* the higher bits say how the elements are aligned */
        view.read_only =
            makers[i].read_only >= 0 && ast_constant(argument(view.made, makers[i].read_only), &read_only) && read_only;
        view.type_name =
            name_elements(view.type, makers[i].data < 0 ? clang_getNullCursor() : argument(view.made, makers[i].data));
    }
    if (is_section || is_whole || is_const) {
        CXCursor made = view.made;
        view = read_view(argument(made, 0));
        view.made = made;
        view.read_only |= is_const;
        if (is_section)
            view.extent = (struct extent){.rank = view.extent.rank};
    }
    return view;
}

/* ---- the kernel and its domain ---- */

/* Returns what casts enclose: a cast may choose among overloaded kernels. */
static CXCursor without_casts(CXCursor expression)
{
    expression = ast_inner(expression);
    while (clang_getCursorKind(expression) == CXCursor_CStyleCastExpr) {
        struct cursors operands = ast_children(expression);
        expression = ast_inner(operands.items[operands.n - 1]);
    }
    return expression;
}

static const char first_parameter[] = "an amp_index1 to amp_index8 or an amp_tiled_index1 to 3";

/* Reports the launch of a function that is not marked; `definition` is null if it has none. */
static void report_unmarked(struct place place, CXCursor definition, const char *name)
{
    bool tiled;
    if (!clang_Cursor_isNull(definition) && ast_kernel_rank(definition, &tiled))
        diag_error(place, "'%s' is not a kernel; add restrict(amp) after its parameters [launch of no kernel]", name);
    else
        diag_error(place,
                   "'%s' is not a kernel; a kernel is marked restrict(amp) after its parameters, the first of which is "
                   "%s [launch of no kernel]",
                   name, first_parameter);
    if (!clang_Cursor_isNull(definition))
        diag_note(ast_place(definition), "'%s' is defined here", name);
}

static void report_helper(struct place place, CXCursor definition)
{
    const char *name = ast_name(definition);
    diag_error(
        place,
        "'%s' is not a kernel, but a function for kernels to call; a kernel's first parameter is %s [launch of a "
        "helper]",
        name, first_parameter);
    diag_note(ast_place(definition), "'%s' is defined here", name);
}

/* Returns the kernel that a launch names; NULL if it is wrong, which is reported, or not visible here. */
static const struct kernel *read_kernel(CXCursor expression)
{
    CXCursor cast = ast_inner(expression);
    struct cursors operands = ast_children(cast);
    if (clang_getCursorKind(cast) != CXCursor_CStyleCastExpr || operands.n == 0)
        return NULL;
    CXCursor inner = without_casts(operands.items[operands.n - 1]);
    CXType type = clang_getCanonicalType(clang_getCursorType(inner));
    CXType target = clang_getCanonicalType(clang_getPointeeType(type));
    if (clang_getCursorKind(inner) == CXCursor_UnaryOperator && target.kind == CXType_FunctionProto) /* &kernel */
        inner = ast_inner(ast_children(inner).items[0]);
    CXCursor named = clang_getCursorReferenced(inner);
    if (clang_getCursorKind(inner) != CXCursor_DeclRefExpr || clang_getCursorKind(named) != CXCursor_FunctionDecl) {
        if (target.kind == CXType_Record)
            diag_error(
                ast_place(inner),
                "a value of type '%s' stands where the launch has its kernel; write the extent, the kernel, then its "
                "arguments [launch without kernel]",
                ast_type_name(clang_getCursorType(inner)));
        return NULL;
    }
    CXCursor definition = clang_getCursorDefinition(named);
    bool tiled, is_system = clang_Location_isInSystemHeader(clang_getCursorLocation(named));
    if (clang_Cursor_isNull(definition) && !is_system)
        return NULL; /* another file may say more */
    if (clang_Cursor_isNull(definition) || !ast_is_restricted(definition, "amp"))
        report_unmarked(ast_place(inner), definition, ast_name(named));
    else if (!ast_kernel_rank(definition, &tiled))
        report_helper(ast_place(inner), definition);
    else
        return signature_find(unit, ast_symbol(definition));
    return NULL;
}

static void note_kernel(const struct kernel *kernel)
{
    diag_note(kernel->place, "'%s' is defined here", kernel->name);
}

static void check_domain(const struct kernel *kernel, CXCursor expression)
{
    struct extent extent = read_extent(expression);
    struct place place = ast_place(ast_inner(expression));
    if (extent.rank && extent.rank != kernel->rank) {
        diag_error(place, "the index of '%s' has rank %d, but the extent of the launch has rank %d [launch rank]",
                   kernel->name, kernel->rank, extent.rank);
        note_kernel(kernel);
        return;
    }
    for (int d = 0; d < extent.rank; d++) {
        if (extent.misfit[d] != 0)
            diag_error(place, "component %d of the extent is %.15g, which no int can hold [launch domain]", d,
                       extent.misfit[d]);
        if (!extent.known[d])
            continue;
        if (extent.dim[d] <= 0)
            diag_error(place, "component %d of the extent is %lld; all of a launch must be positive [launch domain]", d,
                       extent.dim[d]);
        else if (kernel->tiled && extent.dim[d] % kernel->tile[d])
            diag_error(place,
                       "component %d of the extent is %lld, which is no multiple of the tile's %d in '%s'; "
                       "amp_extent_pad rounds it up [launch tile]",
                       d, extent.dim[d], kernel->tile[d], kernel->name);
    }
}

/* ---- arguments ---- */

/* What a launch passes for a parameter. */
struct passed {
    const struct kernel *kernel;
    const struct param *param;
    CXCursor launch, value;
    CXType type; /* of the value */
};

/* Lists the parameters that are passed, "float factor, x", or the bounds, "N, M", which are not. */
static const char *list_params(const struct kernel *kernel, bool bounds)
{
    struct text text = {0};
    text_add_bytes(&text, "", 0);
    for (int i = 0; i < kernel->n_params; i++)
        if ((kernel->params[i].kind == PARAM_BOUND) == bounds)
            text_add(&text, "%s%s", text.size ? ", " : "", kernel->params[i].name);
    return text.chars;
}

static void check_count(const struct kernel *kernel, CXCursor launch, int n_passed, int n_expected)
{
    const char *bounds = list_params(kernel, true);
    diag_error(ast_place(launch),
               "'%s' takes %d argument%s after the extent%s%s, but %d %s passed%s%s%s [launch count]", kernel->name,
               n_expected, n_expected == 1 ? "" : "s", n_expected ? ": " : "", list_params(kernel, false), n_passed,
               n_passed == 1 ? "is" : "are", *bounds ? "; " : "", bounds,
               !*bounds              ? ""
               : strchr(bounds, ',') ? " are read off the views"
                                     : " is read off the views");
    note_kernel(kernel);
}

static bool is_integer_type(int type)
{
    return type >= AMP_TYPE_I8 && type <= AMP_TYPE_U64;
}

/* Returns a constant as text if an integer parameter cannot hold it; otherwise NULL. */
static const char *find_misfit(const struct param *param, CXCursor value)
{
    CXEvalResult result = is_integer_type(param->type) ? clang_Cursor_Evaluate(value) : NULL;
    if (!result)
        return NULL;
    bool is_signed = (param->type - AMP_TYPE_I8) % 2 == 0;
    int bits = (8 << (param->type - AMP_TYPE_I8) / 2) - is_signed;
    double end = 2 * (double)(1ull << (bits - 1)), low = is_signed ? -end : 0, number = 0;
    const char *text = NULL;
    if (clang_EvalResult_getKind(result) == CXEval_Float) {
        number = clang_EvalResult_getAsDouble(result);
        text = arena_printf("%g", number);
    } else if (clang_EvalResult_getKind(result) == CXEval_Int && clang_EvalResult_isUnsignedInt(result)) {
        number = (double)clang_EvalResult_getAsUnsigned(result);
        text = arena_printf("%llu", clang_EvalResult_getAsUnsigned(result));
    } else if (clang_EvalResult_getKind(result) == CXEval_Int) {
        number = (double)clang_EvalResult_getAsLongLong(result);
        text = arena_printf("%lld", clang_EvalResult_getAsLongLong(result));
    }
    clang_EvalResult_dispose(result);
    bool is_exact = number > -0x1p53 && number < 0x1p53; /* other numbers are left to the launch */
    return text && is_exact && !(number >= low && number < end && number == (double)(long long)number) ? text : NULL;
}

/* Returns what ends the name of a macro that makes something of a rank. */
static const char *rank_text(int rank)
{
    enum { MOST = 3 };
    return rank <= MOST ? arena_printf("%d", rank) : "_n";
}

static void check_view(const struct kernel *kernel, const struct param *param, CXCursor value)
{
    struct view view = read_view(value);
    struct place place = ast_place(value);
    unsigned n_errors = diag_count();
    bool is_struct = param->type == AMP_TYPE_STRUCT && view.type == AMP_TYPE_STRUCT;
    if (view.type != AMP_TYPE_NONE && view.type != param->type)
        diag_error(place, "'%s' has elements of type %s, but this view has elements of type %s [launch elements]",
                   param->name, param->type_name, view.type_name);
    else if (is_struct && view.element_size != param->element_size)
        diag_error(
            place,
            "'%s' has elements of %lld bytes, type %s, but this view has elements of %lld bytes [launch elements]",
            param->name, param->element_size, param->type_name, view.element_size);
    else if (view.extent.rank && view.extent.rank != param->rank)
        diag_error(place,
                   "'%s' has rank %d, but this view has rank %d; make it with %s%s, or give '%s' %d bound%s [launch of "
                   "another rank]",
                   param->name, param->rank, view.extent.rank, view.maker, rank_text(param->rank), param->name,
                   view.extent.rank, view.extent.rank == 1 ? "" : "s");
    else if (view.read_only && !param->read_only)
        diag_error(place,
                   "this view is read-only, but '%s' may write '%s'; declare the parameter's elements const, or make "
                   "the view of a pointer that is not [launch of a read-only view]",
                   kernel->name, param->name);
    if (diag_count() > n_errors) {
        diag_note(ast_place(view.made), "the view is made here");
        note_kernel(kernel);
    }
}

/* Whether components of two extents are the same constant or variable. */
static bool is_same(const struct extent *a, int i, const struct extent *b, int j)
{
    if (a->known[i] || b->known[j])
        return a->known[i] && b->known[j] && a->dim[i] == b->dim[j];
    return i < a->n_read && j < b->n_read && !clang_Cursor_isNull(a->variable[i]) &&
           clang_equalCursors(a->variable[i], b->variable[j]);
}

/* Warns if the kernel subscripts a view in another order than that in which the extent has its dimensions. */
static void look_at_order(const struct passed *passed)
{
    const struct kernel *kernel = passed->kernel;
    const struct param *param = passed->param;
    struct extent domain = read_extent(argument(passed->launch, 1)), view = read_view(passed->value).extent;
    if (param->kind != PARAM_ARRAY || domain.rank != kernel->rank || view.rank != param->rank)
        return;
    for (int a = 0; a < view.rank; a++)
        for (int b = a + 1; b < view.rank; b++) {
            int i = param->components[a] - 1, j = param->components[b] - 1;
            if (i < 0 || j < 0 || !is_same(&domain, i, &view, b) || !is_same(&domain, j, &view, a) ||
                is_same(&domain, i, &view, a))
                continue;
            diag_warning(WARN_SUBSCRIPTS, ast_place(passed->value),
                         "the extent has the dimensions of this view in another order: in '%s', component %d of the "
                         "index subscripts the dimension of length %s; did you mean '%s'?",
                         kernel->name, i, param->bounds[a].text, suspect_exchanged(param, a, b));
            diag_note(param->place, "'%s' is declared here", param->name);
            return;
        }
}

static void check_argument(const struct passed *passed)
{
    const struct kernel *kernel = passed->kernel;
    const struct param *param = passed->param;
    CXCursor value = passed->value;
    CXType type = passed->type;
    struct place place = ast_place(value);
    const char *written = ast_type_name(clang_getCursorType(value)), *misfit;
    bool is_view = points_to(type, "struct amp_array_view") || points_to(type, "struct amp_array");
    bool is_pointer = clang_getCanonicalType(type).kind == CXType_Pointer;
    int passed_type = ast_type_of(type);
    unsigned n_errors = diag_count();
    if (param->kind == PARAM_ARRAY && is_view) {
        check_view(kernel, param, value);
        return;
    }
    if (param->kind == PARAM_ARRAY)
        diag_error(
            place,
            "'%s' takes an amp_array_view * or amp_array *, but a value of type '%s' is passed%s [launch argument]",
            param->name, written,
            is_pointer ? arena_printf("; make a view of the memory with amp_array_view%d", param->rank) : "");
    else if (param->kind == PARAM_STRUCT &&
             (passed_type != AMP_TYPE_STRUCT || clang_Type_getSizeOf(type) != param->element_size))
        diag_error(
            place,
            "'%s' takes a '%s' of %lld bytes, but a value of type '%s' is passed, of %lld bytes [launch argument]",
            param->name, param->type_name, param->element_size, written, clang_Type_getSizeOf(type));
    else if (param->kind == PARAM_SCALAR && (passed_type < AMP_TYPE_BOOL || passed_type > AMP_TYPE_F64))
        diag_error(place, "'%s' takes a number for '%s', but a value of type '%s' is passed [launch argument]",
                   param->name, param->type_name, written);
    else if (param->kind == PARAM_SCALAR && (misfit = find_misfit(param, value)))
        diag_error(place, "'%s' is of type '%s', which cannot hold %s [launch constant]", param->name, param->type_name,
                   misfit);
    if (diag_count() > n_errors)
        note_kernel(kernel);
}

/* Finds the last child of a kind. */
static bool find_child(CXCursor cursor, enum CXCursorKind kind, CXCursor *child)
{
    struct cursors children = ast_children(cursor);
    for (int i = children.n - 1; i >= 0; i--) {
        *child = ast_inner(children.items[i]);
        if (clang_getCursorKind(*child) == kind)
            return true;
    }
    return false;
}

/* Calls `look` for each argument of a launch, as long as they can be read. */
static void each_argument(const struct kernel *kernel, CXCursor launch, void (*look)(const struct passed *passed))
{
    CXCursor list, item, initialiser;
    /* (const amp_arg[]){{type, size, (T[1]){(x)}}, ...} */
    CXCursor args = ast_inner(argument(launch, 4));
    if (clang_getCursorKind(args) != CXCursor_CompoundLiteralExpr || !find_child(args, CXCursor_InitListExpr, &list))
        return;
    struct cursors items = ast_children(list);
    for (int i = 0, p = 0; p < kernel->n_params; p++) {
        if (kernel->params[p].kind == PARAM_BOUND)
            continue;
        if (i == items.n)
            return;
        item = ast_inner(items.items[i++]);
        if (clang_getCursorKind(item) != CXCursor_InitListExpr ||
            !find_child(item, CXCursor_CompoundLiteralExpr, &item) ||
            !find_child(item, CXCursor_InitListExpr, &initialiser))
            return;
        struct cursors values = ast_children(initialiser);
        if (values.n != 1)
            continue;
        struct passed passed = {kernel, &kernel->params[p], launch, ast_inner(values.items[0]),
                                clang_getArrayElementType(clang_getCursorType(item))};
        look(&passed);
    }
}

static void check_launch(CXCursor launch)
{
    const struct kernel *kernel = read_kernel(argument(launch, 2));
    long long n_passed;
    if (!kernel)
        return;
    check_domain(kernel, argument(launch, 1));
    int n_expected = 0;
    for (int i = 0; i < kernel->n_params; i++)
        n_expected += kernel->params[i].kind != PARAM_BOUND;
    if (ast_constant(argument(launch, 3), &n_passed) && n_passed != n_expected)
        check_count(kernel, launch, (int)n_passed, n_expected);
    else
        each_argument(kernel, launch, check_argument);
}

static void suspect_launch(CXCursor launch)
{
    const struct kernel *kernel = read_kernel(argument(launch, 2));
    if (kernel)
        each_argument(kernel, launch, look_at_order);
}

/* Whether a call is a launch: one of amp.h's functions. */
static bool is_launch(CXCursor call)
{
    enum { ARGS = 4 };
    if (strcmp(ast_callee(call), "amp_launch") != 0 && strcmp(ast_callee(call), "amp_launch_async") != 0)
        return false;
    CXType type = clang_getArgType(clang_getCursorType(clang_getCursorReferenced(call)), ARGS);
    return type.kind != CXType_Invalid && !strcmp(ast_type_name(type), "const amp_arg *");
}

static enum CXChildVisitResult find_launch(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (!is_launch(cursor))
        return CXChildVisit_Recurse;
    if (*(const bool *)data)
        suspect_launch(cursor);
    else
        check_launch(cursor);
    return CXChildVisit_Recurse;
}

static void find_launches(const struct unit *in, CXCursor host_function, bool suspects)
{
    unit = in;
    function = host_function;
    clang_visitChildren(function, find_launch, &suspects);
}

void check_launches(const struct unit *in, CXCursor host_function)
{
    find_launches(in, host_function, false);
}

void suspect_launches(const struct unit *in, CXCursor host_function)
{
    find_launches(in, host_function, true);
}
