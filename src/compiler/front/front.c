/* SPDX-License-Identifier: MIT
 *
 * Parses the source with libclang and reads each kernel's contract off its parameters:
 *
 *     void k(amp_index2 idx, int N, int W, float f, const float a[N][W], float b[N / 2]) restrict(amp)
 *
 * gives N: bound, W: bound (each is a whole bound somewhere), f: scalar, a: array of rank 2, read-only, b: array of
 * rank 1 whose bound is arithmetic. This file checks what a kernel's parameters may be; check.c checks what its body
 * may do.
 *
 * needs   the input and the command line in unit->driver
 * keeps   the translation unit for check
 * breaks  nothing */
#include "driver/driver.h"
#include "front/ast.h"
#include "front/cpp/cpp.h"
#include "front/signature.h"
#include "kernel/entry.h"

#include <amp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- parsing ---- */

/* Returns the source as `clang` preprocesses it; NULL if that fails. */
static const char *preprocess(struct driver *driver, const char *clang)
{
    const char *output = driver_temporary(".i");
    struct words args = {0};
    struct text text = {0};
    driver_add_options(driver, &args, true);
    words_add(&args, "-w");
    words_add(&args, "-E");
    words_add(&args, "-P");
    words_add(&args, "-o");
    words_add(&args, output);
    const char *input = driver_add_input(driver, &args, NULL);
    driver->status = driver_clang_at(clang, &args, input);
    FILE *file = driver->status ? NULL : fopen(output, "rb");
    if (!file)
        return NULL;
    bool good = text_add_file(&text, file);
    fclose(file);
    return good ? text.chars : NULL;
}

/* Whether clang reads the source as libclang does. A clang that the user chose may be a different one, or a script that
 * adds options unknown to libclang. */
static bool reads_as_libclang(struct driver *driver)
{
    const char *clang = driver_clang_path(), *chosen, *own;
    if (!strcmp(clang, AMPCC_CLANG))
        return true;
    if (!(chosen = preprocess(driver, clang)) && driver->status)
        return false;
    if (chosen && (own = preprocess(driver, AMPCC_CLANG)) && !strcmp(chosen, own))
        return true;
    diag_command("'%s', which AMPCC_CLANG names, does not read '%s' as libclang does, which reads the kernels: it must "
                 "be clang %d, and options belong on ampcc's command line",
                 clang, driver->name, LLVM_VERSION_MAJOR);
    return false;
}

struct pipe {
    const char *source, *found;
};

/* Finds a file, other than the source, that can be read only once. */
static void find_pipe(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    struct pipe *pipe = data;
    const char *name = ast_text(clang_getFileName(file));
    struct stat about;
    (void)stack;
    (void)depth;
    if (strcmp(name, pipe->source) != 0 && !stat(name, &about) && S_ISFIFO(about.st_mode))
        pipe->found = name;
}

/* Whether clang, too, can read what the source includes. */
static bool is_readable_again(const struct driver *driver)
{
    struct pipe pipe = {driver->name, NULL};
    clang_getInclusions(driver->tu, find_pipe, &pipe);
    if (pipe.found)
        diag_command("'%s', which '%s' includes, can be read only once, and libclang and clang read it; write it to a "
                     "file and include that",
                     pipe.found, driver->name);
    return !pipe.found;
}

/* Takes the source's text from libclang, for clang to compile. With -ivfsoverlay and -remap-file libclang reads other
 * text than the file's. */
static void take_source(struct driver *driver)
{
    size_t size = 0;
    struct text text = {0};
    const char *contents = clang_getFileContents(driver->tu, clang_getFile(driver->tu, driver->name), &size);
    text_add_bytes(&text, contents ? contents : "", size);
    driver->source = text.chars;
    driver->source_size = text.size;
    diag_source(driver->name, driver->source);
}

static bool parse(struct driver *driver)
{
    struct words args = {0}, options = {0};
    driver_add_options(driver, &options, true);
    words_add(&args, AMPCC_CLANG); /* it looks for its headers and configuration beside this */
    for (int i = 0; i < options.n; i++)
        if (strcmp(options.items[i], "-v") != 0)
            words_add(&args, options.items[i]);
    words_add(&args, "-w"); /* warnings come once, from clang's run */
    words_add(&args, "-ferror-limit=0");
    words_add(&args, "-x");
    words_add(&args, driver->input->language);
    struct CXUnsavedFile spooled = {driver->name, driver->source, driver->source_size};
    ast_keep_to_this_thread();
    CXIndex index = clang_createIndex(0, 0);
    enum CXErrorCode error =
        clang_parseTranslationUnit2FullArgv(index, driver->name, args.items, args.n, &spooled, driver->spooled != NULL,
                                            CXTranslationUnit_KeepGoing, &driver->tu);
    if (!error) {
        take_source(driver);
        return is_readable_again(driver) && errors_report(driver);
    }

    /* Options that clang refuses are reported here. */
    if (errors_ask_clang(driver))
        diag_defect(NULL, "libclang cannot parse '%s', which clang can (error %d)", driver->name, error);
    return false;
}

void front_forget(struct driver *driver)
{
    if (driver->tu)
        clang_disposeTranslationUnit(driver->tu);
    driver->tu = NULL;
}

/* ---- one kernel ---- */

struct signature {
    struct unit *unit;
    CXCursor function;
    struct kernel *kernel;
    CXCursor *params; /* after the index */
};

static bool is_array(CXType type)
{
    type = clang_getCanonicalType(type);
    return type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray ||
           type.kind == CXType_IncompleteArray || type.kind == CXType_DependentSizedArray;
}

static enum CXVisitorResult find_flexible(CXCursor field, CXClientData data)
{
    bool *found = data;
    *found = clang_getCursorType(field).kind == CXType_IncompleteArray;
    return *found ? CXVisit_Break : CXVisit_Continue;
}

/* Checks that values of `type` can be passed, and names it, as in the source if glue can use that name, too. */
static bool read_value_type(struct param *param, CXType type, const char *what)
{
    const char *problem = ast_type_problem(type);
    CXType canonical = clang_getCanonicalType(type);
    CXCursor declaration = clang_getTypeDeclaration(canonical);
    bool is_flexible = false;
    const char *written = ast_type_name(type);
    param->type = ast_type_of(type);
    param->element_size = clang_Type_getSizeOf(type);
    type = clang_getUnqualifiedType(type);
    param->type_name = ast_type_name(type);
    param->element_align = clang_Type_getAlignOf(type);
    bool is_named = !strstr(param->type_name, "(unnamed") && !strstr(param->type_name, "(anonymous");
    if (canonical.kind == CXType_Record)
        clang_Type_visitFields(canonical, find_flexible, &is_flexible);

    if (!problem && param->type == AMP_TYPE_NONE)
        problem = "it is no number, enum, struct or union";
    else if (!problem && canonical.kind == CXType_Record && ast_has_pointer(canonical))
        problem = "it contains a pointer, which means nothing on another device; pass an array of its own";
    else if (!problem && is_flexible)
        problem = "its size is not known; pass the flexible array as an array of its own";
    else if (!problem && (canonical.kind == CXType_Record || canonical.kind == CXType_Enum) &&
             (clang_getCursorKind(clang_getCursorSemanticParent(declaration)) == CXCursor_FunctionDecl ||
              (canonical.kind == CXType_Record && !is_named)))
        problem = "only the parameter list knows it; declare it before the function, with a name";
    if (problem) {
        diag_error(param->place, "%s of type '%s' cannot be passed to a kernel: %.*s [%s]", what, written,
                   (int)(strcspn(problem, "[") - (strchr(problem, '[') != NULL)), problem,
                   param->rank ? "element type" : "parameter type");
        return false;
    }
    if (canonical.kind != CXType_Record && (type.kind == CXType_Unexposed || !is_named)) {
        while (canonical.kind == CXType_Enum)
            canonical = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(canonical)));
        param->type_name = ast_type_name(clang_getUnqualifiedType(canonical));
    }
    return true;
}

struct layout {
    const char *type_name;
    struct text text;
};

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
    struct layout *layout = data;
    const char *name = ast_name(field);
    bool is_named = *name && !strchr(name, '('); /* "union pair::(anonymous at ...)" */
    if (is_named && !clang_Cursor_isBitField(field))
        text_add(&layout->text, " && __builtin_offsetof(%s, %s) == %lld", layout->type_name, name,
                 clang_Cursor_getOffsetOfField(field) / 8);
    return CXVisit_Continue;
}

/* Notes about the type of a value, or of an array's elements, what glue lets clang confirm. */
static void read_layout(struct param *param, CXType type)
{
    CXType canonical = clang_getCanonicalType(type); /* for an array, it has the elements' qualifiers */
    const char *is_const = clang_isConstQualifiedType(canonical) ? "const " : "";
    const char *is_volatile = clang_isVolatileQualifiedType(canonical) ? "volatile " : "";
    while (is_array(canonical))
        canonical = clang_getCanonicalType(clang_getArrayElementType(canonical));
    bool is_named = canonical.kind == CXType_Record || canonical.kind == CXType_Enum;
    struct layout layout = {param->type_name, {0}};
    text_add(&layout.text, "sizeof(%s) == %lld && _Alignof(%s) == %lld", param->type_name, param->element_size,
             param->type_name, param->element_align);
    if (param->type >= AMP_TYPE_I8 && param->type <= AMP_TYPE_U64)
        text_add(&layout.text, " && ((%s)-1 < (%s)1) == %d", param->type_name, param->type_name,
                 (param->type - AMP_TYPE_I8) % 2 == 0);
    if (canonical.kind == CXType_Record)
        clang_Type_visitFields(canonical, add_field, &layout);
    param->layout = layout.text.chars;
    param->canonical = arena_printf("%s%s%s", is_const, is_volatile,
                                    is_named ? param->type_name : ast_type_name(clang_getUnqualifiedType(canonical)));
}

static int find_param(const struct signature *signature, CXCursor declaration)
{
    for (int i = 0; i < signature->kernel->n_params; i++)
        if (clang_equalCursors(signature->params[i], declaration))
            return i;
    return -1;
}

static bool is_integer(const struct param *param)
{
    return param->rank == 0 && param->type >= AMP_TYPE_I8 && param->type <= AMP_TYPE_U64;
}

/* Returns the source text of an expression with white space collapsed; NULL if it is not in one piece or contains lines
 * for the preprocessor. */
static const char *source_text(CXCursor expression)
{
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(expression);
    CXSourceRange range = clang_getCursorExtent(expression);
    CXFile file, end_file;
    unsigned begin, end;
    size_t size;
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getFileLocation(clang_getRangeEnd(range), &end_file, NULL, NULL, &end);
    const char *contents = file ? clang_getFileContents(tu, file, &size) : NULL;
    if (!contents || !clang_File_isEqual(file, end_file) || begin >= end || end > size)
        return NULL;
    char *text = arena_printf("%.*s", (int)(end - begin), contents + begin), *to = text;
    for (const char *from = text; *from; from++) {
        bool is_space = strchr(" \t\r\n\\", *from) != NULL;
        if (*from == '\n' && from[1 + strspn(from + 1, " \t")] == '#')
            return NULL;
        if (!is_space)
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = 0;
    return text;
}

static enum CXChildVisitResult find_variable(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    bool *found = data;
    enum CXCursorKind kind = clang_getCursorKind(clang_getCursorReferenced(cursor));
    *found =
        clang_getCursorKind(cursor) == CXCursor_DeclRefExpr && (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl);
    return *found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* Whether a constant contains a variable whose value libclang knows, but which clang's code loads all the same. */
static bool has_variable(CXCursor constant)
{
    bool found;
    find_variable(constant, constant, &found);
    if (!found)
        clang_visitChildren(constant, find_variable, &found);
    return found;
}

static const struct expr *read_expr(const struct signature *signature, CXCursor expression, CXCursor *bad);

/* Finds the operation of arithmetic, and sets `*first` to the number of the first operand among the cursor's children.
 * Returns false if a bound may not have it. */
static bool read_op(CXCursor expression, struct cursors operands, enum expr_op *op, int *first)
{
    static const enum expr_op ops[] = {
        /* All others are EXPR_CONSTANT, which is no operation. */
        [CXBinaryOperator_Add] = EXPR_ADD,       [CXBinaryOperator_Sub] = EXPR_SUBTRACT,
        [CXBinaryOperator_Mul] = EXPR_MULTIPLY,  [CXBinaryOperator_Div] = EXPR_DIVIDE,
        [CXBinaryOperator_Rem] = EXPR_REMAINDER,
    };
    long long value;
    *first = 0;
    switch (clang_getCursorKind(expression)) {
    case CXCursor_UnaryOperator: {
        enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(expression);
        *op = kind == CXUnaryOperator_Plus ? EXPR_PLUS : EXPR_NEGATE;
        return kind == CXUnaryOperator_Plus || kind == CXUnaryOperator_Minus;
    }
    case CXCursor_CStyleCastExpr: /* a cast to a type that loses nothing */
        *op = EXPR_CONVERT;
        *first = operands.n - 1;
        return clang_Type_getSizeOf(clang_getCursorType(expression)) == 8 && operands.n > 0;
    case CXCursor_BinaryOperator: {
        enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(expression);
        if (operands.n != 2 || kind >= sizeof ops / sizeof *ops || !ops[kind])
            return false;
        *op = ops[kind];
        return (*op != EXPR_DIVIDE && *op != EXPR_REMAINDER) ||
               (ast_constant(operands.items[1], &value) && value != 0 && value != -1);
    }
    default:
        return false;
    }
}

/* Reads arithmetic in a bound that is not constant. */
static bool read_operation(const struct signature *signature, CXCursor expression, struct expr *expr, CXCursor *bad)
{
    int first;
    struct cursors operands = ast_children(expression);
    if (!read_op(expression, operands, &expr->op, &first))
        return false;
    for (int i = first; i < operands.n; i++)
        if (!(expr->operands[i - first] = read_expr(signature, operands.items[i], bad)))
            return false;
    return true;
}

/* Reads a bound's expression. Returns NULL if it is more than simple arithmetic, and sets `*bad` to the subexpression
 * that is to blame. */
static const struct expr *read_expr(const struct signature *signature, CXCursor expression, CXCursor *bad)
{
    struct expr *expr = arena_alloc(sizeof *expr);
    *bad = expression = ast_inner(expression);
    CXType type = clang_getCursorType(expression);
    expr->type = ast_type_of(type);
    expr->type_name = ast_type_name(clang_getUnqualifiedType(clang_getCanonicalType(type)));
    expr->place = ast_place(expression);
    if (ast_constant(expression, &expr->value)) {
        expr->op = EXPR_CONSTANT;
        expr->is_of_variable = has_variable(expression);
        return expr;
    }
    if (clang_getCursorKind(expression) == CXCursor_DeclRefExpr) {
        expr->op = EXPR_PARAM;
        expr->param = find_param(signature, clang_getCursorReferenced(expression));
        return expr->param >= 0 && is_integer(&signature->kernel->params[expr->param]) ? expr : NULL;
    }
    return read_operation(signature, expression, expr, bad) ? expr : NULL;
}

static bool read_bound(const struct signature *signature, struct param *param, struct bound *bound, CXCursor expression)
{
    CXCursor bad;
    bound->expr = read_expr(signature, expression, &bad);
    if (!bound->expr) {
        if (clang_getCursorKind(bad) == CXCursor_DeclRefExpr)
            diag_error(ast_place(bad),
                       "'%s' in a bound of '%s' is no earlier integer parameter of the kernel; add a parameter 'int "
                       "%s' before '%s' [bound's name]",
                       ast_name(bad), param->name, ast_name(bad), param->name);
        else
            diag_error(ast_place(bad),
                       "this bound of '%s' is too complicated; write constants, earlier integer parameters, + - *, and "
                       "/ %% by a constant other than 0 and -1 [bound's form]",
                       param->name);
        return false;
    }
    bool is_param = signature_param(bound) >= 0;
    bound->text = is_param ? signature->kernel->params[signature_param(bound)].name : source_text(expression);
    if (!bound->text)
        bound->text = signature_text(signature->kernel, bound->expr);
    return true;
}

static bool read_array(const struct signature *signature, struct param *param, CXCursor cursor)
{
    CXCursor sizes[MAX_RANK]; /* written in this declaration, slowest first */
    int n_sizes = 0, level = 0;
    struct cursors children = ast_children(cursor);
    for (int i = children.n - 1; i >= 0 && n_sizes < MAX_RANK; i--)
        if (clang_isExpression(clang_getCursorKind(children.items[i])))
            sizes[n_sizes++] = children.items[i];

    CXType type = clang_getCursorType(cursor);
    bool is_written = true, good = true;
    for (; is_array(type); level++) {
        if (level == MAX_RANK) {
            diag_error(param->place, "'%s' has more than %d dimensions [rank]", param->name, MAX_RANK);
            return false;
        }
        if (type.kind != CXType_ConstantArray && type.kind != CXType_VariableArray &&
            type.kind != CXType_IncompleteArray) {
            is_written = false; /* the rest is a typedef's */
            type = clang_getCanonicalType(type);
        }
        struct bound *bound = &param->bounds[level];
        if (type.kind == CXType_IncompleteArray) {
            diag_error(
                param->place,
                "the first bound of '%s' is missing; write it, such as '%s[N]' with 'int N' before [missing bound]",
                param->name, param->name);
            return false;
        }
        if (is_written && level < n_sizes) {
            good = read_bound(signature, param, bound, sizes[level]) && good;
        } else {
            struct expr *size = arena_alloc(sizeof *size);
            *size = (struct expr){.op = EXPR_CONSTANT, .value = clang_getArraySize(type), .place = param->place};
            *bound = (struct bound){.text = arena_printf("%lld", size->value), .expr = size};
        }
        bound->is_variable = type.kind == CXType_VariableArray;
        type = clang_getArrayElementType(type);
    }
    param->kind = PARAM_ARRAY;
    param->rank = level;
    param->read_only = ast_is_const(clang_getCursorType(cursor));
    if (!read_value_type(param, type, "an array with elements"))
        return false;
    read_layout(param, clang_getCursorType(cursor));
    return good;
}

static bool read_param(const struct signature *signature, struct param *param, CXCursor cursor)
{
    CXType type = clang_getCursorType(cursor);
    if (ast_index_rank(type, "amp_index") || ast_annotation(cursor, "amp.tile", NULL)) {
        diag_error(param->place, "'%s' is a second index; a kernel has one, its first parameter [second index]",
                   param->name);
        return false;
    }
    if (is_array(type))
        return read_array(signature, param, cursor);
    CXType canonical = clang_getCanonicalType(type);
    if (canonical.kind == CXType_Pointer) {
        CXType pointee = clang_getCanonicalType(clang_getPointeeType(canonical));
        if (pointee.kind == CXType_FunctionProto || pointee.kind == CXType_FunctionNoProto)
            diag_error(param->place,
                       "'%s' is a pointer to a function, which cannot be passed to a kernel; pass a number and choose "
                       "with 'switch' [pointer parameter]",
                       param->name);
        else
            diag_error(param->place,
                       "'%s' is a pointer, which cannot be passed to a kernel; write it as an array with its bounds, "
                       "such as '%s[N]' with 'int N' before [pointer parameter]",
                       param->name, param->name);
        return false;
    }
    if (!read_value_type(param, type, "a parameter"))
        return false;
    param->kind = param->type == AMP_TYPE_STRUCT ? PARAM_STRUCT : PARAM_SCALAR;
    read_layout(param, type);
    return true;
}

/* Reads and checks the tile's size from the annotation's arguments. */
static bool read_tile(struct kernel *kernel, CXCursor annotation, struct place place)
{
    struct cursors sizes = ast_children(annotation);
    long long n_threads = 1;
    int n = 0;
    for (int i = 0; i < sizes.n; i++) {
        long long size;
        if (!clang_isExpression(clang_getCursorKind(sizes.items[i])) || n == kernel->rank)
            continue;
        if (!ast_constant(sizes.items[i], &size)) {
            diag_error(place, "the size of a tile must be an integer constant; use a literal, an enumerator or a macro "
                              "[tile size constant]");
            return false;
        }
        if (size <= 0) {
            diag_error(place, "a tile of size %lld is not possible; every size must be positive [tile size positive]",
                       size);
            return false;
        }
        n_threads = size > MAX_TILE ? MAX_TILE + 1LL : n_threads * size;
        kernel->tile[n++] = (int)(size > MAX_TILE ? MAX_TILE + 1 : size);
        if (n_threads > MAX_TILE) {
            diag_error(place, "a tile has no more than %d threads; make it smaller [tile size]", MAX_TILE);
            return false;
        }
    }
    return true;
}

static void read_names(struct kernel *kernel, CXCursor function)
{
    bool is_c = clang_getFunctionTypeCallingConv(clang_getCursorType(function)) == CXCallingConv_C;
    bool is_overloadable = ast_is_overloadable(function);
    kernel->name = ast_name(function);
    kernel->symbol = ast_symbol(function);
    kernel->c = is_c && is_overloadable ? arena_printf("amp__kernel_%d", kernel->number) : kernel->name;
    kernel->is_plain = is_c && !is_overloadable;
    kernel->entry = entry_name(kernel->number);
}

/* Finds a parameter that C passes as another type because its function is defined without a prototype. Returns false if
 * there is none. */
static bool find_promoted(CXCursor function, CXCursor *param)
{
    CXType type = clang_getCursorType(function);
    bool found = false;
    for (int i = 0; i < clang_Cursor_getNumArguments(function) && !found; i++) {
        *param = clang_Cursor_getArgument(function, (unsigned)i);
        CXType passed = clang_getUnqualifiedType(clang_getCanonicalType(clang_getArgType(type, (unsigned)i)));
        CXType written = clang_getUnqualifiedType(clang_getCanonicalType(clang_getCursorType(*param)));
        found = ast_type_of(written) != AMP_TYPE_NONE && !clang_equalTypes(passed, written);
    }
    return found;
}

/* Whether the function can be declared again and called by its name. */
static bool has_own_name(const struct kernel *kernel, CXCursor function)
{
    size_t length = strcspn(kernel->name, "["); /* "k[implementation={vendor(llvm)}]" */
    CXCursor param;
    if (kernel->name[length])
        diag_error(kernel->place,
                   "kernel '%.*s' stands between '#pragma omp begin declare variant' and its end; move it out of there "
                   "[declare variant]",
                   (int)length, kernel->name);
    else if (find_promoted(function, &param))
        diag_error(ast_place(param),
                   "kernel '%s' has no prototype, and C passes '%s' as another type; write the types of parameters "
                   "between the parentheses [prototype]",
                   kernel->name, ast_name(param));
    else
        return true;
    return false;
}

/* Reads how many lanes the command line or the source asks for. */
static bool read_lanes(const struct options *options, struct kernel *kernel, CXCursor function)
{
    const char *asked = ast_annotation(function, "amp.lanes.", NULL);
    if (asked && !(kernel->lanes = words_lanes(asked))) {
        diag_error(kernel->place,
                   "amp_lanes(%s) before kernel '%s': the number of lanes must be 1, 2, 4, 8, 16, 32 or 64 [lanes]",
                   asked, kernel->name);
        return false;
    }
    const struct kernel_lanes *entry = options->kernel_lanes;
    while (entry && strcmp(entry->kernel, kernel->name) != 0)
        entry = entry->next;
    if (entry)
        kernel->lanes = entry->lanes;
    else if (!asked)
        kernel->lanes = options->lanes;
    return true;
}

static void read_kernel(struct unit *unit, CXCursor function)
{
    bool tiled, good = true;
    struct kernel kernel = {.place = ast_place(function), .number = unit->n_kernels};
    read_names(&kernel, function);
    kernel.rank = ast_kernel_rank(function, &tiled);
    kernel.box_rank = kernel.rank < MAX_TILE_RANK ? kernel.rank : MAX_TILE_RANK;
    kernel.tiled = tiled;
    CXCursor index = clang_Cursor_getArgument(function, 0), annotation;
    kernel.index_place = ast_place(index);
    if (!has_own_name(&kernel, function))
        return;
    if (clang_getCanonicalType(clang_getCursorResultType(function)).kind != CXType_Void) {
        diag_error(kernel.place,
                   "kernel '%s' returns something; a kernel returns void and writes its results to an array (a "
                   "function that kernels call has no index as its first parameter) [result]",
                   kernel.name);
        good = false;
    }
    good = read_lanes(unit->options, &kernel, function) && good;
    if (tiled && ast_annotation(index, "amp.tile", &annotation))
        good = read_tile(&kernel, annotation, kernel.index_place) && good;

    kernel.n_params = clang_Cursor_getNumArguments(function) - 1;
    kernel.params = arena_alloc((size_t)(kernel.n_params + 1) * sizeof *kernel.params);
    struct signature signature = {unit, function, &kernel,
                                  arena_alloc((size_t)(kernel.n_params + 1) * sizeof(CXCursor))};
    for (int i = 0; i < kernel.n_params; i++) {
        CXCursor cursor = signature.params[i] = clang_Cursor_getArgument(function, (unsigned)i + 1);
        struct param *param = &kernel.params[i];
        param->name = ast_name(cursor);
        if (!*param->name)
            param->name = arena_printf("#%d", i + 1);
        param->place = ast_place(cursor);
        good = read_param(&signature, param, cursor) && good;
    }
    for (int i = 0; i < kernel.n_params && good; i++)
        for (int d = 0; d < kernel.params[i].rank; d++)
            if (signature_param(&kernel.params[i].bounds[d]) >= 0)
                kernel.params[signature_param(&kernel.params[i].bounds[d])].kind = PARAM_BOUND;
    if (good)
        unit->kernels[unit->n_kernels++] = kernel;
}

/* ---- what the source embeds ---- */

/* Returns the path of a directive #embed, if `text` is what follows that word; NULL if the path is not a plain one. */
static const char *embedded_path(const struct driver *driver, const char *text)
{
    text += strspn(text, " \t");
    size_t length = strcspn(text + (*text != 0), "\">\n");
    const char *slash = strrchr(driver->name, '/');
    if (has_prefix(text, "__FILE__") || has_prefix(text, "__BASE_FILE__"))
        return driver->name;
    if ((*text != '"' && *text != '<') || text[1 + length] == '\n')
        return NULL;
    bool is_beside = *text == '"' && text[1] != '/' && slash;
    return arena_printf("%.*s%.*s", is_beside ? (int)(slash + 1 - driver->name) : 0, driver->name, (int)length,
                        text + 1);
}

/* Returns what is wrong with a file that the source embeds; NULL if nothing is. */
static const char *embedding_problem(const struct unit *unit, const char *path)
{
    struct stat about;
    if (unit->n_kernels && is_same_file(path, unit->input))
        return "a source with kernels cannot embed itself, because ampcc adds to its text; embed a copy";
    if (!stat(path, &about) && S_ISFIFO(about.st_mode))
        return "this can be read only once, and libclang and clang read it; write it to a file and embed that";
    return NULL;
}

/* Whether everything that the source embeds is the same for clang; reports what is not. */
static bool can_be_embedded(const struct unit *unit)
{
    const struct driver *driver = unit->driver;
    unsigned number = 1, errors = diag_count();
    for (const char *line = driver->source; line; number++) {
        const char *at = line + strspn(line, " \t"), *word = *at == '#' ? at + 1 + strspn(at + 1, " \t") : "";
        const char *path = has_prefix(word, "embed") ? embedded_path(driver, word + 5) : NULL;
        const char *problem = path ? embedding_problem(unit, path) : NULL;
        if (problem)
            diag_error((struct place){driver->name, number, (unsigned)(at - line) + 1}, "%s", problem);
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return diag_count() == errors;
}

/* ---- the pass ---- */

bool front(struct unit *unit)
{
    struct driver *driver = unit->driver;
    if (driver_is_cpp(driver->input))
        return cpp_front(unit);
    if (!parse(driver))
        return false;
    CXTargetInfo target = clang_getTranslationUnitTargetInfo(driver->tu);
    driver->triple = ast_text(clang_TargetInfo_getTriple(target));
    clang_TargetInfo_dispose(target);

    struct cursors declarations = ast_children(clang_getTranslationUnitCursor(driver->tu));
    unit->kernels = arena_alloc((size_t)(declarations.n + 1) * sizeof *unit->kernels);
    bool tiled;
    for (int i = 0; i < declarations.n; i++) {
        CXCursor function = declarations.items[i];
        if (clang_getCursorKind(function) == CXCursor_FunctionDecl && clang_isCursorDefinition(function) &&
            ast_is_restricted(function, "amp") && ast_kernel_rank(function, &tiled))
            read_kernel(unit, function);
    }
    if (!targets_choose(unit))
        return false;
    return can_be_embedded(unit) && (unit->n_kernels == 0 || reads_as_libclang(driver));
}
