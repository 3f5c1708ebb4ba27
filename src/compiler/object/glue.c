/* SPDX-License-Identifier: MIT
 *
 * Writes C after the source, for clang to compile with it; for C++, as a source of its own. For a kernel
 *
 *     void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp);
 *
 * it writes, shortened:
 *
 *     struct amp__args_0 { int a0; float a1; void *a2; };
 *     void amp__entry_0(const struct amp__args_0 *amp__args, int amp__g0)
 *     {
 *         const int amp__index[1] = {amp__g0};
 *         scale(amp__index, amp__args->a0, amp__args->a1, amp__args->a2);
 *     }
 *     static void amp__bounds_0(const void *, long long *);    evaluates N
 *     static const struct amp__param amp__params_0[] = {...};
 *     static struct amp__kernel amp__kernels[] = {{...}};      and a constructor that registers them
 *
 * So clang decides the layout of structs and how they are passed, and the later passes see one function of pointers and
 * integers. Building descriptors and calls in IR instead would have to repeat the host's calling convention.
 *
 * The text has to survive everything that a source may do before it ends: macros with any of our names (every
 * identifier is undefined first; a preprocessed source has no macros left) and an open `#pragma pack` or `#pragma GCC
 * visibility`. It counts as a system header, so the user's warnings do not apply.
 *
 * needs   signatures
 * keeps   the source
 * breaks  nothing */
#include "driver/driver.h"
#include "front/signature.h"
#include "gpu/grid.h"
#include "kernel/entry.h"

#include "descriptor_text.h"

#include <ctype.h>
#include <string.h>

/* Adds text as a C string literal. */
static void add_string(struct text *to, const char *chars)
{
    text_add(to, "\"");
    for (; *chars; chars++) {
        unsigned char c = (unsigned char)*chars;
        if (c == '"' || c == '\\' || c == '?') /* ??x may be a trigraph */
            text_add(to, "\\%c", c);
        else if (c < ' ' || c >= 127)
            text_add(to, "\\%03o", c);
        else
            text_add(to, "%c", c);
    }
    text_add(to, "\"");
}

/* Returns the number of bounds that an array has in the source: a closure holds its extents. */
static int bounds_of(const struct kernel *kernel, int param)
{
    return kernel->is_closure ? 0 : kernel->params[param].rank;
}

static int count_bounds(const struct kernel *kernel)
{
    int n = 0;
    for (int i = 0; i < kernel->n_params; i++)
        n += bounds_of(kernel, i);
    return n;
}

/* Writes `expr` by `add`, with a check whether C would wrap it in the type in which C computes `in`. */
static void add_within(struct text *to, const struct expr *expr, const struct expr *in,
                       void (*add)(struct text *to, const struct expr *expr))
{
    long long limit;
    bool wraps = signature_limit(in, &limit);
    text_add(to, wraps ? "amp__within(" : "");
    add(to, expr);
    if (wraps)
        text_add(to, ", %lldLL, amp__overflow)", limit);
}

static void add_expr(struct text *to, const struct expr *expr);

static void add_operation(struct text *to, const struct expr *expr)
{
    static const char *const functions[] = {[EXPR_NEGATE] = "amp__subtract(0, ",
                                            [EXPR_ADD] = "amp__add(",
                                            [EXPR_SUBTRACT] = "amp__subtract(",
                                            [EXPR_MULTIPLY] = "amp__multiply("};
    switch (expr->op) {
    case EXPR_PLUS:
    case EXPR_CONVERT:
        add_expr(to, expr->operands[0]);
        break;
    case EXPR_DIVIDE:
    case EXPR_REMAINDER:
        /* Sums and products that wrapped give a right result if that is in range; quotients do not. */
        text_add(to, "(");
        add_within(to, expr->operands[0], expr, add_expr);
        text_add(to, " %s ", signature_sign(expr->op));
        add_within(to, expr->operands[1], expr, add_expr);
        text_add(to, ")");
        break;
    default:
        text_add(to, "%s", functions[expr->op]);
        add_expr(to, expr->operands[0]);
        if (expr->operands[1]) {
            text_add(to, ", ");
            add_expr(to, expr->operands[1]);
        }
        text_add(to, ", amp__overflow)");
    }
}

/* Writes an expression over the argument block, as long long. `*amp__overflow` notes overflow, and values that C
 * computes in a type without sign and would wrap. */
static void add_expr(struct text *to, const struct expr *expr)
{
    if (expr->op == EXPR_CONSTANT)
        text_add(to, expr->value < 0 ? "(%lldLL)" : "%lldLL", expr->value);
    else if (expr->op == EXPR_PARAM)
        text_add(to, "(long long)amp__args->%s", entry_member(expr->param));
    else
        add_within(to, expr, expr, add_operation);
}

static void add_bounds(struct text *to, const struct kernel *kernel)
{
    int n = 0;
    text_add(to,
             "static void amp__bounds_%d(const void *amp__block, long long *amp__bounds)\n{\n"
             "    const struct amp__args_%d *amp__args = (const struct amp__args_%d *)amp__block;\n"
             "    int amp__flag, *amp__overflow = &amp__flag;\n"
             "    (void)amp__args;\n    (void)amp__bounds;\n    (void)amp__overflow;\n",
             kernel->number, kernel->number, kernel->number);
    for (int i = 0; i < kernel->n_params; i++)
        for (int d = 0; d < bounds_of(kernel, i); d++, n++) {
            const struct expr *bound = kernel->params[i].bounds[d].expr;
            bool can_overflow = bound->op != EXPR_CONSTANT && bound->op != EXPR_PARAM;
            if (can_overflow)
                text_add(to, "    amp__flag = 0;\n");
            text_add(to, "    amp__bounds[%d] = ", n);
            add_expr(to, bound);
            text_add(to, ";\n");
            if (can_overflow)
                text_add(to, "    if (amp__flag)\n        amp__bounds[%d] = -1;\n", n);
        }
    text_add(to, "}\n");
}

/* Writes the size, the place and the alignment of a parameter: as clang finds them, or, of a closure, as C++ has found
 * them. */
static void add_layout(struct text *to, const struct kernel *kernel, int number)
{
    const struct param *param = &kernel->params[number];
    if (kernel->is_closure)
        text_add(to, "%lld, %lld, %lld, ", param->element_size, param->offset, param->element_align);
    else
        text_add(to, "sizeof(%s), __builtin_offsetof(struct amp__args_%d, %s), __alignof__(%s), ", param->type_name,
                 kernel->number, entry_member(number), param->type_name);
}

static void add_params(struct text *to, const struct kernel *kernel)
{
    static const char *const kinds[] = {"scalar", "struct", "array", "bound"};
    int k = kernel->number, n_bounds = 0;
    if (count_bounds(kernel)) {
        text_add(to, "static const struct amp__dim amp__dims_%d[] = {\n", k);
        for (int i = 0; i < kernel->n_params; i++)
            for (int d = 0; d < bounds_of(kernel, i); d++) {
                text_add(to, "    {");
                add_string(to, kernel->params[i].bounds[d].text);
                text_add(to, ", %d},\n", signature_param(&kernel->params[i].bounds[d]));
            }
        text_add(to, "};\n");
    }
    if (!kernel->n_params)
        return;
    text_add(to, "static const struct amp__param amp__params_%d[] = {\n", k);
    for (int i = 0; i < kernel->n_params; i++) {
        const struct param *param = &kernel->params[i];
        text_add(to, "    {");
        add_string(to, param->name);
        text_add(to, ", ");
        add_string(to, param->type_name);
        text_add(to, ", %d /* %s */, %d, %d, %d, ", param->kind, kinds[param->kind], param->type, param->read_only,
                 param->rank);
        add_layout(to, kernel, i);
        if (bounds_of(kernel, i))
            text_add(to, "amp__dims_%d + %d, ", k, n_bounds);
        else
            text_add(to, "(const struct amp__dim *)0, ");
        text_add(to, "%lld, %lld},\n", param->copied, param->reference);
        n_bounds += bounds_of(kernel, i);
    }
    text_add(to, "};\n");
}

static void add_images(struct text *to, const struct unit *unit, const struct kernel *kernel)
{
    int k = kernel->number;
    if (kernel->tiled) {
        text_add(to, "static const int amp__tile_%d[] = {", k);
        for (int d = 0; d < kernel->rank; d++)
            text_add(to, "%s%d", d ? ", " : "", kernel->tile[d]);
        text_add(to, "};\n");
    }
    for (int i = 0; i < unit->n_images; i++) {
        const struct code *code = &unit->images[i].codes[k];
        text_add(to, "extern __attribute__((visibility(\"hidden\"))) const int %s[];\n", code->geometry_symbol);
        if (!unit->images[i].target->has_grid) {
            text_add(to, "extern __attribute__((visibility(\"hidden\"))) void %s(const void *, const int *)",
                     code->symbol);
            text_add(to, kernel->is_closure ? " __asm__(\"%s\");\n" : ";\n", code->name);
        }
    }
    if (!kernel->is_closure)
        text_add(to, "extern __attribute__((visibility(\"hidden\"))) void %s(void);\n", kernel->own);
    text_add(to, "static const struct amp__image amp__images_%d[] = {\n", k);
    for (int i = 0; i < unit->n_images; i++) {
        const struct target *target = unit->images[i].target;
        const struct code *code = &unit->images[i].codes[k];
        text_add(to, "    {\"%s\", ", target->backend);
        add_string(to, unit->images[i].name);
        if (!target->has_grid)
            text_add(to, ", %s, (const struct amp__code *)0, (const char *)0", code->symbol);
        else
            text_add(to, ", (void (*)(const void *, const int *))0, &%s, \"%s\"", unit->images[i].code_symbol,
                     code->symbol);
        text_add(to, ", %s},\n", code->geometry_symbol);
    }
    text_add(to, "    {(const char *)0, (const char *)0, (void (*)(const void *, const int *))0, "
                 "(const struct amp__code *)0, (const char *)0, (const int *)0},\n};\n");
}

/* Declares what the pass `footprint` writes. */
static void add_footprint(struct text *to, const struct kernel *kernel)
{
    text_add(to,
             "extern __attribute__((visibility(\"hidden\"))) int %s(const void *, const int *, long long *);\n"
             "extern __attribute__((visibility(\"hidden\"))) const struct amp__touch %s[];\n",
             kernel->outside, kernel->touches);
    text_add(to,
             "extern __attribute__((visibility(\"hidden\"))) void %s(const void *, const int *, long long *);\n"
             "extern __attribute__((visibility(\"hidden\"))) const struct amp__reach %s[];\n",
             kernel->reach_function, kernel->reach_table);
}

static void add_marker(struct text *to, const struct kernel *kernel, bool is_system)
{
    text_add(to, "# %u ", kernel->place.line);
    add_string(to, kernel->place.file);
    text_add(to, is_system ? " 3\n" : "\n");
}

/* Where the descriptor stands, its file's name is the source's, as -ffile-prefix-map and the like change it. */
static void add_descriptor(struct text *to, const struct kernel *kernel)
{
    int k = kernel->number;
    add_marker(to, kernel, true);
    text_add(to, "    {AMP__ABI, (void (*)(void))%s, %s, ", kernel->c,
             kernel->is_closure ? "(void (*)(void))0" : kernel->own);
    add_string(to, kernel->name);
    text_add(to, ", __builtin_FILE(), %u, %d, ", kernel->place.line, kernel->rank);
    text_add(to, kernel->tiled ? "amp__tile_%d, " : "(const int *)0, ", k);
    text_add(to, "%d, ", kernel->is_closure);
    text_add(to, "%d, ", kernel->n_params);
    text_add(to, kernel->n_params ? "amp__params_%d,\n" : "(const struct amp__param *)0,\n", k);
    text_add(to, "     sizeof(struct amp__args_%d), __alignof__(struct amp__args_%d), ", k, k);
    text_add(to, kernel->rank > kernel->box_rank ? "__builtin_offsetof(struct amp__args_%d, flat), " : "0, ", k);
    text_add(to, "amp__bounds_%d, %s, %s, %s, %s, amp__images_%d,\n", k, kernel->outside, kernel->touches,
             kernel->reach_function, kernel->reach_table, k);
    text_add(to, "     (struct amp__kernel *)0},\n");
}

/* How add_params_as_read writes what libclang read. */
struct reading {
    const char *variable;       /* stands for every bound that is not constant; NULL: the bound itself */
    const struct bound *longer; /* the constant bound that is written one larger */
    bool has_first;             /* arrays are written with their first bounds */
};

/* Whether add_expr_as_read knows what clang computes. */
static bool is_known_as_read(const struct expr *expr)
{
    bool known = expr->op != EXPR_CONSTANT || (expr->type_name && !expr->is_of_variable);
    for (int i = 0; i < 2 && expr->operands[i]; i++)
        known = known && is_known_as_read(expr->operands[i]);
    return known;
}

/* Writes an expression over add_params_as_read's parameters, which clang compiles to the same instructions as the
 * user's. */
static void add_expr_as_read(struct text *to, const struct expr *expr)
{
    if (expr->op == EXPR_CONSTANT) {
        text_add(to, "(%s)%lluULL", expr->type_name, (unsigned long long)expr->value);
        return;
    }
    if (expr->op == EXPR_PARAM) {
        text_add(to, "libclang_reads_%d", expr->param + 1);
        return;
    }
    text_add(to, "(");
    if (expr->operands[1])
        add_expr_as_read(to, expr->operands[0]);
    if (expr->op == EXPR_CONVERT)
        text_add(to, "(%s)", expr->type_name);
    else
        text_add(to, expr->operands[1] ? " %s " : "%s", signature_sign(expr->op));
    add_expr_as_read(to, expr->operands[expr->operands[1] != NULL]);
    text_add(to, ")");
}

/* Writes the parameters of a kernel, index first. */
static void add_params_as_read(struct text *to, const struct kernel *kernel, const struct reading *reading)
{
    text_add(to, kernel->tiled ? "(amp__tiled_index%d amp__index" : "(const int *amp__index", kernel->rank);
    for (int i = 0; i < kernel->n_params; i++) {
        const struct param *param = &kernel->params[i];
        bool is_pointer = param->rank && !reading->has_first;
        text_add(to, ", %s %slibclang_reads_%d%s", param->canonical, is_pointer ? "(*" : "", i + 1,
                 is_pointer ? ")" : "");
        for (int d = is_pointer; d < param->rank; d++) {
            const struct bound *bound = &param->bounds[d];
            bool is_variable = reading->has_first ? bound->is_variable : bound->expr->op != EXPR_CONSTANT;
            text_add(to, "[");
            if (!is_variable)
                add_expr(to, bound->expr);
            else if (reading->variable)
                text_add(to, "%s", reading->variable);
            else
                add_expr_as_read(to, bound->expr);
            text_add(to, bound == reading->longer ? " + 1]" : "]");
        }
    }
    text_add(to, ")");
}

static void add_assertion(struct text *to, const struct kernel *kernel, const char *condition, const char *what)
{
    add_marker(to, kernel, true);
    text_add(to,
             "_Static_assert(%s, \"clang, which compiles kernel '%s', sees %s of it that libclang, which reads it, "
             "does not see\");\n",
             condition, kernel->name, what);
}

static void add_type_assertion(struct text *to, const struct kernel *kernel, bool is_same, struct reading reading)
{
    struct text params = {0};
    add_params_as_read(&params, kernel, &reading);
    add_assertion(to, kernel,
                  arena_printf("%s__builtin_types_compatible_p(__typeof__(&%s), void (*)%s)", is_same ? "" : "!",
                               kernel->name, params.chars),
                  "parameters");
}

/* A bound that is not constant is compatible with every other, so types agree with 1 and with 2 in its place. A
 * constant is compatible only with itself. */
static void add_type_assertions(struct text *to, const struct kernel *kernel)
{
    add_type_assertion(to, kernel, true, (struct reading){.variable = "1"});
    add_type_assertion(to, kernel, true, (struct reading){.variable = "2"});
    for (int i = 0; i < kernel->n_params; i++)
        for (int d = 1; d < kernel->params[i].rank; d++)
            if (!kernel->params[i].bounds[d].is_variable)
                add_type_assertion(to, kernel, false,
                                   (struct reading){.variable = "*", .longer = &kernel->params[i].bounds[d]});
}

/* Declares an overloaded kernel by its symbol. */
static void add_symbol(struct text *to, const struct kernel *kernel)
{
    if (!strcmp(kernel->c, kernel->name))
        return;
    text_add(to, "void %s", kernel->c);
    add_params_as_read(to, kernel, &(struct reading){.variable = "*"});
    text_add(to, " __asm__(");
    add_string(to, kernel->symbol);
    text_add(to, ");\n");
}

/* Defines an empty function with the kernel's parameters. Both functions compute their bounds first, and agree.c
 * compares how. */
static void add_twin(struct text *to, const struct kernel *kernel)
{
    bool is_known = kernel->is_plain;
    for (int i = 0; i < kernel->n_params; i++)
        for (int d = 0; d < kernel->params[i].rank; d++)
            is_known = is_known &&
                       (!kernel->params[i].bounds[d].is_variable || is_known_as_read(kernel->params[i].bounds[d].expr));
    if (!is_known)
        return;
    text_add(to, "__attribute__((visibility(\"hidden\"))) void amp__twin_%d", kernel->number);
    add_params_as_read(to, kernel, &(struct reading){.has_first = true});
    text_add(to, "\n{\n}\n");
}

/* Lets clang confirm what libclang read: the two might have read different things. */
static void add_assertions(struct text *to, const struct kernel *kernel)
{
    if (kernel->is_plain)
        add_type_assertions(to, kernel);
    for (int i = 0; i < kernel->n_params; i++)
        add_assertion(to, kernel, kernel->params[i].layout, arena_printf("a type of parameter %d", i + 1));
    text_add(to, "# 1 \"<ampcc>\" 3\n");
}

/* Declares the kernels once more. The type of a function lacks first bounds, but where a function is declared again,
 * clang compares those that are constant, and warns. */
static void add_declarations(struct text *to, const struct unit *unit)
{
    text_add(to, "#pragma clang diagnostic push\n"
                 "#pragma clang diagnostic ignored \"-Weverything\"\n"
                 "#pragma clang diagnostic error \"-Warray-parameter\"\n"
                 "static __inline__ void amp__declare(int amp__any)\n{\n");
    for (int i = 0; i < unit->n_kernels; i++)
        if (unit->kernels[i].is_plain) {
            add_marker(to, &unit->kernels[i], false);
            text_add(to, "void %s", unit->kernels[i].name);
            add_params_as_read(to, &unit->kernels[i], &(struct reading){.variable = "amp__any", .has_first = true});
            text_add(to, ";\n");
        }
    text_add(to, "# 1 \"<ampcc>\" 3\n}\n#pragma clang diagnostic pop\n");
}

static const char arithmetic[] =
    "static __inline__ long long amp__add(long long a, long long b, int *overflow)\n"
    "{\n    long long r;\n    *overflow |= __builtin_add_overflow(a, b, &r);\n    return r;\n}\n"
    "static __inline__ long long amp__subtract(long long a, long long b, int *overflow)\n"
    "{\n    long long r;\n    *overflow |= __builtin_sub_overflow(a, b, &r);\n    return r;\n}\n"
    "static __inline__ long long amp__multiply(long long a, long long b, int *overflow)\n"
    "{\n    long long r;\n    *overflow |= __builtin_mul_overflow(a, b, &r);\n    return r;\n}\n"
    "static __inline__ long long amp__within(long long a, long long max, int *overflow)\n"
    "{\n    *overflow |= a < 0 || a > max;\n    return a;\n}\n";

/* Whether clang treats a character, or a byte of one in UTF-8, as a letter of a name. */
static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 128;
}

/* Adds one "#undef NAME" for each identifier of `text` outside of strings. */
static void add_undefs(struct text *to, const char *text)
{
    struct words names = {0};
    for (const char *c = text; *c;) {
        if (*c == '"') {
            for (c++; *c && *c != '"'; c++)
                c += *c == '\\';
            c += *c != 0;
        } else if (is_letter(*c)) {
            const char *begin = c;
            while (is_letter(*c) || isdigit((unsigned char)*c))
                c++;
            const char *name = arena_printf("%.*s", (int)(c - begin), begin);
            bool known = !strcmp(name, "defined"); /* no macro can have this name */
            for (int i = 0; i < names.n && !known; i++)
                known = !strcmp(names.items[i], name);
            if (!known) {
                words_add(&names, name);
                text_add(to, "#undef %s /* ampcc uses this name after the source: it must not be poisoned */\n", name);
            }
        } else if (isdigit((unsigned char)*c)) {
            while (isalnum((unsigned char)*c))
                c++;
        } else {
            c++;
        }
    }
}

/* Writes a kernel's assertions and entry. */
static void add_c_kernel(struct text *to, const struct kernel *kernel)
{
    add_assertions(to, kernel);
    add_twin(to, kernel);
    add_symbol(to, kernel);
    entry_write(to, kernel);
}

/* Declares a kernel of C++ by its symbol, and its argument block, of which only the size counts. Its entry exists
 * already. */
static void add_closure(struct text *to, const struct kernel *kernel)
{
    text_add(to,
             "void %s(void) __asm__(\"%s\");\n"
             "struct amp__args_%d { char a0[%lld]; } __attribute__((aligned(%lld)));\n",
             kernel->c, kernel->symbol, kernel->number, kernel->args_bytes, kernel->args_align);
}

/* Names what the passes will make: footprints, each GPU's code, and the kernels' functions. */
static void name_codes(struct unit *unit)
{
    for (int k = 0; k < unit->n_kernels; k++) {
        struct kernel *kernel = &unit->kernels[k];
        kernel->own = arena_printf("amp__own_%d", k);
        kernel->outside = arena_printf("amp__outside_%d", k);
        kernel->touches = arena_printf("amp__touches_%d", k);
        kernel->reach_function = arena_printf("amp__reach_%d", k);
        kernel->reach_table = arena_printf("amp__reaches_%d", k);
    }
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        image->code_symbol = arena_printf("amp__code_%d", i);
        image->codes = arena_alloc((size_t)unit->n_kernels * sizeof *image->codes);
        for (int k = 0; k < unit->n_kernels; k++) {
            struct code *code = &image->codes[k];
            code->symbol =
                image->target->has_grid ? grid_entry_name(&unit->kernels[k]) : arena_printf("amp__run_%d_%d", k, i);
            code->name = arena_printf("%s.%s", unit->kernels[k].symbol, image->name);
            code->geometry_symbol = arena_printf("amp__geometry_%d_%d", k, i);
        }
    }
}

bool glue(struct unit *unit)
{
    struct driver *driver = unit->driver;
    struct text body = {0}, text = {0};
    name_codes(unit);
    text_add(&body, "%s#pragma GCC visibility push(default)\n#pragma pack(8)\n%s#pragma pack()\n%s",
             unit->is_cpp ? "extern \"C\" {\n" : "", descriptor_text, arithmetic); /* whatever -fpack-struct says */
    for (int i = 0; i < unit->n_images; i++)
        if (unit->images[i].target->has_grid)
            text_add(&body, "extern __attribute__((visibility(\"hidden\"))) const struct amp__code %s;\n",
                     unit->images[i].code_symbol);
    for (int i = 0; i < unit->n_kernels; i++) {
        const struct kernel *kernel = &unit->kernels[i];
        if (kernel->is_closure)
            add_closure(&body, kernel);
        else
            add_c_kernel(&body, kernel);
        add_bounds(&body, kernel);
        add_params(&body, kernel);
        add_footprint(&body, kernel);
        add_images(&body, unit, kernel);
    }
    if (!unit->is_cpp)
        add_declarations(&body, unit);
    text_add(&body, "static struct amp__kernel amp__kernels[]%s = {\n", /* which C++ would mangle */
             unit->is_cpp ? " __asm__(\"amp__kernels\")" : "");
    for (int i = 0; i < unit->n_kernels; i++)
        add_descriptor(&body, &unit->kernels[i]);
    text_add(&body,
             "};\n"
             "# 1 \"<ampcc>\" 3\n"
             "static __attribute__((constructor(101))) void amp__begin(void)\n"
             "{\n    amp__register_kernels(amp__kernels, %d);\n}\n"
             "static __attribute__((destructor(101))) void amp__end(void)\n"
             "{\n    amp__unregister_kernels(amp__kernels, %d);\n}\n"
             "#pragma GCC visibility pop\n%s",
             unit->n_kernels, unit->n_kernels, unit->is_cpp ? "}\n" : "");

    bool is_preprocessed = !strcmp(driver->input->language, "cpp-output");
    text_add(&text, is_preprocessed ? "\n\n" : "\n\n#if !__INCLUDE_LEVEL__\n"); /* a source may include itself */
    text_add(&text, "#pragma clang diagnostic ignored \"-Wgnu-line-marker\"\n# 1 \"<ampcc>\" 3\n#pragma pack()\n");
    if (!is_preprocessed)
        add_undefs(&text, body.chars);
    text_add_bytes(&text, body.chars, body.size);
    text_add(&text, is_preprocessed ? "" : "#endif\n");
    driver->glue = text.chars;
    return true;
}
