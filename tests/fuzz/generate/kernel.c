/* SPDX-License-Identifier: MIT */
#include "generate.h"

static void generate_helper(void)
{
    static struct scope outer;
    outer = scope;
    struct helper h = {.name = text("h%lu_%d", seed, scope.n_helpers), .n = (int)pick(4), .array = -1};
    scope.n_variables = scope.n_arrays = scope.n_shared = scope.n_aggregates = 0;
    h.result = chance(25) ? STRUCTS + (int)pick(N_STRUCTS) : (int)any_type();
    char *params = "";
    for (int p = 0; p < h.n; p++) {
        char *v = text("q%d", p);
        const char *type;
        unsigned kind = pick(10);
        if (kind == 0) {
            int which = (int)pick(N_STRUCTS);
            h.params[p] = STRUCTS + which;
            type = text("struct s_%s ", structs[which].letters);
            scope.aggregates[scope.n_aggregates++] = (struct aggregate){v, which};
            for (int m = 0; m < structs[which].n; m++)
                add_variable(text("%s.m%d", v, m), structs[which].members[m], false, false);
        } else {
            enum type t = any_type();
            h.params[p] = (int)t;
            type = text("%s ", types[t].c);
            if (kind < 3) {
                h.by_pointer = true;
                h.params[p] += POINTER;
                type = text("%s *", types[t].c);
                add_variable(text("(*%s)", v), t, false, false);
            } else
                add_variable(v, t, false, false);
        }
        params = text("%s%s%s%s", params, p ? ", " : "", type, v);
    }
    params = text("%s%sint qi", params, h.n ? ", " : "");
    add_small("qi", false, 0, 31);
    if (chance(40) && outer.n_arrays) {
        h.array = outer.arrays[pick((unsigned)outer.n_arrays)].element;
        const char *type =
            h.array < STRUCTS ? types[h.array].c : text("struct s_%s", structs[h.array - STRUCTS].letters);
        params = text("%s, const %s *qa, int qn", params, type);
        struct array *a = &scope.arrays[scope.n_arrays++];
        *a = (struct array){.name = "qa", .element = h.array, .access = READ, .rank = 1, .bounds = {{-1, 0, 0, "qn"}}};
    }
    const char *type =
        h.result < STRUCTS ? types[h.result].c : text("struct s_%s", structs[h.result - STRUCTS].letters);
    line("static %s %s(%s) restrict(amp)", type, h.name, params);
    line("{");
    in_helper = true, result = h.result, indent = 1;
    statements((struct context){.returns = true}, few() + 1);
    if (h.result < STRUCTS)
        line("return %s;", value((enum type)h.result, false, 2));
    else {
        int which = h.result - STRUCTS;
        char *values = "";
        for (int m = 0; m < structs[which].n; m++)
            values = text("%s%s%s", values, m ? ", " : "", value(structs[which].members[m], false, 1));
        line("return (struct s_%s){%s};", structs[which].letters, values);
    }
    in_helper = false, indent = 0;
    line("}");
    line("%s", "");
    scope = outer;
    scope.helpers[scope.n_helpers++] = h;
}

/* A function with a barrier of its own. `l` is the thread's number in the tile. */
static void generate_waiting_helper(void)
{
    enum type type = waiting_type = any_type();
    char *h = waiting = text("w%lu", seed);
    int n = tile[0] * tile[1] * tile[2];
    line("static %s %s(amp_tile_barrier barrier, int l, %s x, int n) restrict(amp)", types[type].c, h, types[type].c);
    line("{");
    line("    tile_static %s shared[%d];", types[type].c, n);
    line("    %s y = x;", types[type].c);
    line("    for (int k = 0; k < n; k++) {");
    line("        shared[l] = y;");
    line("        amp_tile_barrier_wait(barrier);");
    line("        if (l & %d)", 1 + pick(7));
    line("            y = shared[(l + k + %d) %% %d];", pick(20), n);
    line("        else");
    line("            y = shared[%d - l];", n - 1);
    line("        amp_tile_barrier_wait(barrier);");
    line("    }");
    line("    return y;");
    line("}");
    line("%s", "");
}

static void add_output(int number, bool plain)
{
    struct array a = {.name = text("a%d", number), .element = (int)any_type(), .access = OWN_ELEMENT, .rank = rank};
    if (chance(25))
        a.element = STRUCTS + (int)pick(N_STRUCTS);
    const char *index = tiled ? "t.global" : "idx";
    int how = plain ? 0 : (int)pick(6);
    bool swap = how == 1 && rank > 1;
    a.own = "";
    for (int r = 0; r < rank; r++) {
        int d = swap ? rank - 1 - r : r;
        bool last = r == rank - 1;
        a.bounds[r] = bound(d, 1, 0);
        char *i = text("%s[%d]", index, d);
        if (last && how == 2)
            i = text("D%d - 1 - %s", d, i);
        if (last && how == 3) {
            a.bounds[r] = bound(d, 2, 1);
            i = text("2 * %s + 1", i);
        }
        a.own = text("%s[%s]", a.own, i);
    }
    if (how == 4 && rank < 3) {
        a.n_own = 2 + (int)pick(3);
        a.bounds[a.rank++] = bound(-1, 0, a.n_own);
    } else if (how == 5 && rank > 1) {
        a.rank = 1;
        a.bounds[0] = bound(PRODUCT, 0, 0);
        a.own = rank == 2 ? text("[%s[0] * D1 + %s[1]]", index, index)
                          : text("[(%s[0] * D1 + %s[1]) * D2 + %s[2]]", index, index, index);
    }
    scope.arrays[scope.n_arrays++] = a;
}

static void add_counted(int number)
{
    static const enum type likely[] = {U32, I32, U32, U64, I64, F32, F64};
    struct array a = {.name = text("a%d", number), .access = COUNTED, .rank = 1};
    a.element = (int)likely[pick(is_cpp ? 5 : 7)]; /* C++ AMP has no such operations on floating point */
    a.operation = atomic_operation((enum type)a.element);
    a.bounds[0] = chance(50) ? bound(-1, 0, 1 + (int)pick(20)) : bound(rank - 1, 1, 0);
    scope.arrays[scope.n_arrays++] = a;
}

static void add_input(int number)
{
    struct array a = {.name = text("a%d", number), .element = (int)any_type(), .access = READ};
    a.rank = 1 + (int)pick((unsigned)rank);
    if (chance(25))
        a.element = STRUCTS + (int)pick(N_STRUCTS);
    if (chance(rank == 1 ? 40 : 15) && a.rank < 3)
        a.rank++;
    for (int r = 0; r < a.rank; r++) {
        int d = chance(75) ? rank - a.rank + r : (int)pick((unsigned)rank);
        if (d < 0)
            d = 0;
        switch (pick(8)) {
        case 0:
            a.bounds[r] = bound(d, 1, 1 + (int)pick(3));
            break;
        case 1:
            a.bounds[r] = bound(d, 2 + r, (int)pick(2));
            break;
        case 2:
            a.bounds[r] = bound(-1, 0, 1 + (int)pick(20));
            break;
        default:
            a.bounds[r] = bound(d, 1, 0);
        }
    }
    if (rank > 1 && a.rank == 1 && chance(30))
        a.bounds[0] = bound(PRODUCT, 0, 0);
    scope.arrays[scope.n_arrays++] = a;
}

static const char *element_type(const struct array *a)
{
    return a->element < STRUCTS ? types[a->element].c : text("struct s_%s", structs[a->element - STRUCTS].letters);
}

static void choose_tile(void)
{
    static const char *const tiles[3][14] = {
        {"1", "2", "3", "4", "6", "8", "16", "17", "32", "48", "64", "100", "256", "16"},
        {"2 2", "8 8", "16 16", "3 5", "4 4", "1 16", "16 1", "2 32", "6 6", "4 64", "5 3", "1 7", "16 16", "3 48"},
        {"2 4 8", "2 2 2", "1 3 5", "4 4 4", "3 1 16", "1 1 48", "2 2 17", "1 8 8", "4 8 2", "1 2 32", "5 1 1", "2 4 8",
         "1 16 16", "3 3 3"}};
    tile[0] = tile[1] = tile[2] = 1;
    sscanf(tiles[rank - 1][pick(14)], "%d %d %d", &tile[0], &tile[1], &tile[2]);
}

static bool only_sums;   /* the kernel's only loop is one of sums, and nothing is written before its end */
static bool only_narrow; /* it computes with narrow numbers, and its tiles stride */
static bool only_joins;  /* it has nothing that keeps branches from being masks */
static bool only_staged; /* it copies pieces of arrays to tile memory, and does little else that threads part for */

/* Where each launch of the kernel gets its sizes from. */
static void generate_launches(int n)
{
    static const int last[] = {1,  2,  3,  5,  7,  8,  9,  15, 16, 17, 24,  31,
                               32, 33, 40, 47, 48, 49, 63, 64, 65, 97, 200, 300};
    static const int others[] = {1, 2, 3, 4, 5, 7, 8, 9};
    line("static const int launches_%lu[][6] = {", seed);
    for (int l = 0; l < n; l++) {
        int D[3] = {1, 1, 1}, extent[3] = {1, 1, 1};
        for (int d = 0; d < rank; d++) {
            D[d] = tiled           ? tile[d] * (1 + (int)pick(tile[d] > 64 ? 2 : 3))
                   : d == rank - 1 ? last[pick(24)]
                                   : others[pick(8)] * (only_sums && d == rank - 2 ? 3 : 1);
            extent[d] = D[d];
            if (!tiled && chance(20))
                extent[d] = 1 + (int)pick((unsigned)D[d]);
            else if (tiled && chance(15))
                extent[d] = tile[d];
        }
        line("    {%d, %d, %d, %d, %d, %d},", D[0], D[1], D[2], extent[0], extent[1], extent[2]);
    }
    line("};");
}

/* Returns a read of an array by the counter of a loop and the index, as the type; NULL if no array is for reading. */
static char *shared_element(const char *counter, enum type type)
{
    const struct array *a = NULL;
    for (int tries = 0; tries < 9 && (!a || a->access != READ); tries++)
        a = &scope.arrays[pick((unsigned)scope.n_arrays)];
    if (a->access != READ)
        return NULL;
    char *subscripts = "";
    for (int r = 0; r < a->rank; r++) {
        const struct bound *b = &a->bounds[r];
        bool fits = b->dim == rank - 1 && b->times && chance(80);
        char *of_row = text("idx[%d] %% (%s)", rank - 2, b->text),
             *of_lane = text("idx[%d] %% (%s)", rank - 1, b->text);
        char *i = fits         ? text("idx[%d]", rank - 1)
                  : chance(60) ? text("%s %% (%s)", counter, b->text)
                  : chance(50) ? of_lane
                               : of_row;
        subscripts = text("%s[%s]", subscripts, i);
    }
    enum type from;
    char *element = member(a->element, text("%s%s", a->name, subscripts), &from);
    return convert(element, from, type);
}

/* Sums over a loop that all threads run alike, of what some of them share. */
static void generate_sums(void)
{
    enum { MOST = 3 };
    static const enum type summed[] = {U32, U64, F32, F64};
    struct variable sums[MOST];
    int n = 1 + (int)pick(MOST);
    for (int i = 0; i < n; i++) {
        sums[i] = (struct variable){.text = name("p"), .type = summed[pick(4)]};
        line("%s %s = %s;", types[sums[i].type].c, sums[i].text, literal(sums[i].type));
        add_variable(sums[i].text, sums[i].type, false, false);
    }
    char *k = name("k"), *limit = chance(50) ? text("D%d", (int)pick((unsigned)rank)) : text("%d", (int)pick(20));
    line("for (int %s = 0; %s < %s; %s++) {", k, k, limit, k);
    for (int i = 0; i < n; i++) {
        struct mark mark = begin_statement();
        char *element = shared_element(k, sums[i].type), *factor = shared_element(k, sums[i].type);
        char *another = chance(50) ? shared_element(k, sums[i].type) : NULL; /* some are computed for a row */
        if (another)
            factor = factor ? text("(%s %c %s)", factor, chance(50) ? '*' : '-', another) : another;
        if (element)
            line("%s = %s * 3 + %s * %s;", sums[i].text, sums[i].text, element, factor ? factor : "2");
        end_statement(mark);
    }
    line("}");
}

static void generate_launch(int n_arrays, const char *passed)
{
    char *list = "";
    for (int i = 0; i < n_arrays; i++)
        list = text("%s, v[%d]", list, i);
    line("static amp_status launch_%lu(amp_extent extent, amp_array_view **v)", seed);
    line("{");
    line("    return amp_parallel_for_each(extent, k%lu%s%s);", seed, passed, list);
    line("}");
}

/* The launch in C++. By the seed, the kernel is a lambda with views, or a functor, or a lambda with arrays. */
static void generate_cpp_launch(const struct array *arrays, int n_arrays, const char *index, const char *passed)
{
    enum { LAMBDA, FUNCTOR, ARRAYS };
    int form = (int)(seed % 3);
    char *members = "", *names = "", *captures = "=";
    for (int i = 0; i < n_arrays; i++) {
        const struct array *a = &arrays[i];
        char *type = text("array_view<%s%s, %d>", a->access == READ ? "const " : "", element_type(a), a->rank);
        members = text("%s    %s %s;\n", members, type, a->name);
        names = text("%s, %s", names, a->name);
        if (form == ARRAYS && a->access != READ)
            captures = text("%s, &%s", captures, a->name);
    }
    char *call =
        text("(%s i) %srestrict(amp) { k%lu(i, %s%s); }", index, form == FUNCTOR ? "const " : "", seed, passed, names);
    if (form == FUNCTOR)
        line("struct functor_%lu {\n    int D0, D1, D2;\n%s    void operator()%s\n};", seed, members, call);
    line("extern \"C\" void cpp_%lu(const int *e, const int *D, void *const *data)", seed);
    line("{");
    line("    const int D0 = D[0], D1 = D[1], D2 = D[2];");
    for (int i = 0; i < n_arrays; i++) {
        const struct array *a = &arrays[i];
        const char *type = element_type(a);
        bool is_array = form == ARRAYS && a->access != READ;
        char *bounds = "";
        for (int r = 0; r < a->rank; r++)
            bounds = text("%s%s, ", bounds, a->bounds[r].text);
        line("    %s<%s%s, %d> %s(%s(%s *)data[%d]);", is_array ? "array" : "array_view",
             a->access == READ ? "const " : "", type, a->rank, a->name, bounds, type, i);
    }
    char *tiles = text(rank == 1   ? ".tile<%d>()"
                       : rank == 2 ? ".tile<%d, %d>()"
                                   : ".tile<%d, %d, %d>()",
                       tile[0], tile[1], tile[2]);
    char *kernel = form == FUNCTOR ? text("functor_%lu{D0, D1, D2%s}", seed, names) : text("[%s]%s", captures, call);
    line("    parallel_for_each(extent<%d>(e)%s, %s);", rank, tiled ? tiles : "", kernel);
    for (int i = 0; i < n_arrays; i++)
        if (arrays[i].access != READ && form == ARRAYS)
            line("    copy(%s, (%s *)data[%d]);", arrays[i].name, element_type(&arrays[i]), i);
        else if (arrays[i].access != READ)
            line("    %s.synchronize();", arrays[i].name);
    line("}");
}

void generate_kernel(void)
{
    enum { N_LAUNCHES = 3 };
    static const char *const sizes[] = {"D0", "D0, int D1", "D0, int D1, int D2"},
                             *const calls[] = {"D[0]", "D[0], D[1]", "D[0], D[1], D[2]"},
                             *const same[] = {"D0", "D0, D1", "D0, D1, D2"};
    seed_random(seed);
    n_names = 0, indent = 0, in_helper = false;
    memset(&scope, 0, sizeof scope);
    rank = 1 + (int)pick(3);
    tiled = chance(50);
    only_sums = seed % 3 == 0;
    if (only_sums) {
        tiled = false;
        rank = rank < 2 ? 2 : rank;
    }
    only_staged = !only_sums && seed % 5 == 2;
    if (only_staged) {
        tiled = true;
        rank = rank < 2 ? 2 : rank;
    }
    only_narrow = !only_sums && !only_staged && seed % 7 == 3;
    only_joins = only_narrow && chance(40);
    with_barriers = tiled && (only_staged || chance(80));
    choose_tile();
    int n_outputs = 1 + (int)pick(3), n_inputs = 1 + (int)pick(3), n_tables = (int)pick(2), n_scalars = (int)pick(4);
    int n_counted = chance(30);
    line("/* ---- %lu ---- */", seed);
    line("%s", "");
    if (is_cpp)
        line("#if defined FUZZ_REFERENCE || defined __cplusplus");
    for (int i = 0; i < n_tables; i++) {
        struct array a = {.name = text("table%lu_%d", seed, i), .element = (int)any_type(), .access = READ, .rank = 1};
        int n = 2 + (int)pick(15);
        a.bounds[0] = bound(-1, 0, n);
        char *values = "";
        for (int k = 0; k < n; k++)
            values = text("%s%s%s", values, k ? ", " : "", literal((enum type)a.element));
        line("static const %s %s[%d] = {%s};", types[a.element].c, a.name, n, values);
        scope.arrays[scope.n_arrays++] = a;
    }
    int first = scope.n_arrays, n_arrays = n_outputs + n_counted + n_inputs;
    for (int i = 0; i < n_outputs; i++)
        add_output(i, i == 0 || only_joins);
    if (n_counted)
        add_counted(n_outputs);
    for (int i = 0; i < n_inputs; i++)
        add_input(n_outputs + n_counted + i);
    /* What everything is hashed into at the end. */
    scope.arrays[first].element = chance(80) ? U32 : U64;

    /* 1. Functions. */
    struct scope *kernel_scope = malloc(sizeof *kernel_scope);
    *kernel_scope = scope;
    for (int n = (int)pick(3); n; n--)
        generate_helper();
    waiting = NULL;
    if (with_barriers && chance(30))
        generate_waiting_helper();

    /* 2. Parameters, here and where the kernel is called. */
    char *params, *index, *cpp_index, *passed = "";
    if (tiled) {
        const char *dims = rank == 1   ? text("%d", tile[0])
                           : rank == 2 ? text("%d, %d", tile[0], tile[1])
                                       : text("%d, %d, %d", tile[0], tile[1], tile[2]);
        params = text("amp_tiled_index%d(%s) t", rank, dims);
        cpp_index = text("tiled_index<%s>", dims);
        char *parts = "";
        static const char *const members[] = {"global", "local", "tile", "tile_origin"};
        for (int m = 0; m < 4; m++) {
            parts = text("%s{", parts);
            for (int d = 0; d < rank; d++)
                parts = text("%sx->%s[%d], ", parts, members[m], d);
            parts = text("%s}, ", parts);
        }
        index = text("(amp__tiled_index%d){%s{0}}", rank, parts);
    } else {
        params = text("amp_index%d idx", rank);
        cpp_index = text("index<%d>", rank);
        index = "x->global";
    }
    params = text("%s, int %s", params, sizes[rank - 1]);
    for (int i = 0; i < n_scalars; i++) {
        char *v = text("s%d", i);
        if (chance(20)) {
            int which = (int)pick(N_STRUCTS);
            char *values = "";
            for (int m = 0; m < structs[which].n; m++) {
                values = text("%s%s%s", values, m ? ", " : "", literal(structs[which].members[m]));
                add_variable(text("%s.m%d", v, m), structs[which].members[m], true, false);
            }
            scope.aggregates[scope.n_aggregates++] = (struct aggregate){v, which};
            /* Members are assigned together by assign_struct, so they are not uniform. */
            for (int m = 0; m < structs[which].n; m++)
                scope.variables[scope.n_variables - 1 - m].uniform = false;
            params = text("%s, struct s_%s %s", params, structs[which].letters, v);
            passed = text("%s, ((struct s_%s){%s})", passed, structs[which].letters, values);
        } else if (chance(50)) {
            int value = (int)pick(30);
            params = text("%s, int %s", params, v);
            passed = text("%s, %d", passed, value);
            add_small(v, true, 0, 30);
        } else {
            enum type type = any_type();
            params = text("%s, %s %s", params, types[type].c, v);
            passed = text("%s, (%s)%s", passed, types[type].c, literal(type));
            add_variable(v, type, true, false);
        }
    }
    char *cpp_params = text("%s%s", cpp_index, strstr(params, tiled ? " t," : " idx,"));
    for (int i = 0; i < n_arrays; i++) {
        const struct array *a = &scope.arrays[first + i];
        const char *qualifier = a->access == READ ? "const " : "";
        params = text("%s, %s%s %s", params, qualifier, element_type(a), a->name);
        for (int r = 0; r < a->rank; r++)
            params = text("%s[%s]", params, a->bounds[r].text);
        cpp_params = text("%s, array_view<%s%s, %d> %s", cpp_params, qualifier, element_type(a), a->rank, a->name);
    }

    /* 3. The kernel: strict code, then code in which threads may return on their own, then the hash. */
    if (is_cpp)
        line("#ifdef __cplusplus\nstatic void k%lu(%s) restrict(amp)\n#else", seed, cpp_params);
    line("void K(k%lu)(%s) restrict(amp)", seed, params);
    if (is_cpp)
        line("#endif");
    line("{");
    indent = 1;
    struct context c = {.strict = true};
    for (int n = 2 + (int)pick(3); n; n--)
        declare(c);
    if (only_sums)
        generate_sums();
    else if (only_staged) {
        for (int n = 1 + (int)pick(2); n; n--)
            staged();
    } else if (only_joins) {
        for (int n = 1 + (int)pick(3); n; n--)
            if (chance(40))
                improves();
            else
                joins();
    } else if (only_narrow) {
        for (int n = 1 + (int)pick(4); n; n--)
            narrow_numbers();
        if (tiled && chance(70))
            tile_strides(c);
        c.strict = false;
        statements(c, (int)pick(4));
    } else {
        if (rank == 1 && chance(30))
            stride_loop(c);
        if (rank == 1 && chance(50))
            column_loop(c);
        if (chance(40))
            declare_array();
        statements(c, 4 + (int)pick(5));
        c.strict = false, c.returns = true;
        statements(c, (int)pick(5));
    }
    const char *digest = types[scope.arrays[first].element].c;
    line("%s digest = 1;", digest);
    for (int i = 0; i < scope.n_variables; i++)
        if (!scope.variables[i].fixed) {
            struct mark mark = begin_statement();
            char *e = convert(scope.variables[i].text, scope.variables[i].type, (enum type)scope.arrays[first].element);
            line("digest = digest * 31 + %s;", e);
            end_statement(mark);
        }
    for (int i = 0; i < scope.n_arrays; i++)
        if (scope.arrays[i].access == PRIVATE && !strncmp(scope.arrays[i].name, "la", 2)) {
            struct mark mark = begin_statement();
            enum type type;
            char *e = member(scope.arrays[i].element, element_of(&scope.arrays[i], false, 0), &type);
            line("digest = digest * 31 + %s;", convert(e, type, (enum type)scope.arrays[first].element));
            end_statement(mark);
        }
    line("%s%s = digest;", scope.arrays[first].name, scope.arrays[first].own);
    indent = 0;
    line("}");
    if (is_cpp)
        line("#endif");
    line("%s", "");

    /* 4. What fuzz.h needs to launch it. */
    const struct array *arrays = &kernel_scope->arrays[first];
    line("#ifdef FUZZ_REFERENCE");
    line("static void thread_%lu(const struct fuzz_index *x, const int *D, void *const *a)", seed);
    line("{");
    char *list = "";
    for (int i = 0; i < n_arrays; i++)
        list = text("%s, a[%d]", list, i);
    line("    K(k%lu)(%s, %s%s%s);", seed, index, calls[rank - 1], passed, list);
    line("}");
    line("void reference_%lu(const int *extent, const int *D, void *const *arrays)", seed);
    line("{");
    const char *tiles = tiled ? text("(int[]){%d, %d, %d}", tile[0], tile[1], tile[2]) : "NULL";
    line("    fuzz_run(%d, extent, %s, thread_%lu, D, arrays);", rank, tiles, seed);
    line("}");
    if (is_cpp) {
        line("#elif defined __cplusplus");
        generate_cpp_launch(arrays, n_arrays, cpp_index, text("%s%s", same[rank - 1], passed));
    }
    line("#else");
    line("fuzz_reference reference_%lu;", seed);
    generate_launches(N_LAUNCHES);
    line("static const struct fuzz_array arrays_%lu[] = {", seed);
    for (int i = 0; i < n_arrays; i++) {
        const char *letters = "";
        if (arrays[i].element < STRUCTS)
            letters = text("%c", types[arrays[i].element].letter);
        else
            for (int m = 0; m < structs[arrays[i].element - STRUCTS].n; m++)
                letters = text("%s%c", letters, types[structs[arrays[i].element - STRUCTS].members[m]].letter);
        line("    {\"%s\", %d, %d},", letters, arrays[i].access == READ, arrays[i].rank);
    }
    line("};");
    line("static void shape_%lu(const int *D, int (*dims)[3])", seed);
    line("{");
    line("    const int D0 = D[0], D1 = D[1], D2 = D[2];");
    for (int i = 0; i < n_arrays; i++)
        for (int r = 0; r < arrays[i].rank; r++)
            line("    dims[%d][%d] = %s;", i, r, arrays[i].bounds[r].text);
    line("}");
    if (is_cpp)
        line("fuzz_reference cpp_%lu;\n#define launch_%lu NULL", seed, seed);
    else
        generate_launch(n_arrays, passed);
    line("#define KERNEL_%lu {%lu, %d, %d, %d, launches_%lu, arrays_%lu, shape_%lu, launch_%lu, reference_%lu%s}", seed,
         seed, rank, N_LAUNCHES, n_arrays, seed, seed, seed, seed, seed, is_cpp ? text(", cpp_%lu", seed) : "");
    line("#endif");
    line("%s", "");
}
