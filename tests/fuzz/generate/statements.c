/* SPDX-License-Identifier: MIT */
#include "generate.h"

void assign(char *lvalue, enum type type, bool uniform)
{
    unsigned how = pick(10);
    int depth = 1 + (int)pick(3);
    char *e = value(type, uniform, depth);
    bool is_narrow = type > BOOL && type < I32, is_unsigned = type == U32 || type == U64;
    if (how < 5 || type == BOOL || type == I32 || type == I64)
        line("%s = %s;", lvalue, e);
    else if (how == 5 && !is_float(type))
        line("%s%s;", lvalue, chance(50) ? "++" : "--");
    else if (is_float(type))
        line("%s %c= %s;", lvalue, "+-*"[pick(3)], e);
    else if (is_unsigned)
        line("%s %c= %s;", lvalue, "+-*^|&"[pick(6)], e);
    else
        line("%s %c= %s;", lvalue, "+-^|&"[pick(is_narrow ? 5 : 2)], e);
}

static struct variable *assignable(struct context c)
{
    for (int tries = 0; tries < 10 && scope.n_variables; tries++) {
        struct variable *v = &scope.variables[pick((unsigned)scope.n_variables)];
        if (!v->fixed && (!v->uniform || c.strict))
            return v;
    }
    return NULL;
}

void declare(struct context c)
{
    struct mark mark = begin_statement();
    bool uniform = c.strict && chance(30);
    enum type type = any_type();
    if (chance(25)) {
        struct small s = small(uniform, 3);
        char *v = name("i");
        line("int %s = %s;", v, s.text);
        add_small(v, uniform, s.lo, s.hi);
    } else {
        char *v = name(types[type].name), *e = value(type, uniform, 1 + (int)pick(3));
        v = text("%s_%s", uniform ? "u" : "v", v);
        line("%s %s = %s;", types[type].c, v, e);
        add_variable(v, type, uniform, false);
    }
    end_statement(mark);
}

void declare_array(void)
{
    struct mark mark = begin_statement();
    struct array a = {.name = name("la"), .element = (int)any_type(), .access = PRIVATE};
    a.rank = 1 + chance(20);
    int n = 1, dims[2];
    char *text_dims = "";
    for (int r = 0; r < a.rank; r++) {
        dims[r] = 2 + (int)pick(a.rank == 1 ? 7 : 2) + (a.rank == 1 && chance(10) ? 30 : 0);
        n *= dims[r];
        a.bounds[r] = bound(-1, 0, dims[r]);
        text_dims = text("%s[%d]", text_dims, dims[r]);
    }
    if (chance(20))
        a.element = STRUCTS + (int)pick(N_STRUCTS);
    const char *type =
        a.element < STRUCTS ? types[a.element].c : text("struct s_%s", structs[a.element - STRUCTS].letters);
    if (a.element < STRUCTS && n < 50 && chance(60)) {
        char *values = "";
        for (int i = 0; i < n; i++) {
            n_reads = 0;
            values = text("%s%s%s", values, i ? ", " : "",
                          chance(50) ? literal((enum type)a.element) : leaf((enum type)a.element, false, 0));
        }
        line("%s %s%s = {%s};", type, a.name, text_dims, values);
    } else
        line("%s %s%s = {0};", type, a.name, text_dims);
    end_statement(mark);
    scope.arrays[scope.n_arrays++] = a;
}

static void declare_struct(void)
{
    struct mark mark = begin_statement();
    int which = (int)pick(N_STRUCTS);
    char *v = name("st");
    if (chance(40)) {
        char *values = "";
        for (int m = 0; m < structs[which].n; m++)
            values = text("%s%s%s", values, m ? ", " : "", value(structs[which].members[m], false, 1));
        line("struct s_%s %s = {%s};", structs[which].letters, v, values);
    } else {
        const struct array *from = NULL;
        for (int i = 0; i < scope.n_arrays; i++)
            if (scope.arrays[i].element >= STRUCTS && (!from || chance(50)))
                from = &scope.arrays[i];
        if (from) {
            which = from->element - STRUCTS;
            line("struct s_%s %s = %s;", structs[which].letters, v, element_of(from, false, 1));
        } else
            line("struct s_%s %s = {0};", structs[which].letters, v);
    }
    end_statement(mark);
    if (scope.n_aggregates < 64)
        scope.aggregates[scope.n_aggregates++] = (struct aggregate){v, which};
    for (int m = 0; m < structs[which].n; m++)
        add_variable(text("%s.m%d", v, m), structs[which].members[m], false, false);
}

static bool is_addressable(const struct variable *v, enum type type)
{
    return v->type == type && !v->uniform && !v->fixed;
}

static bool is_writable(const struct array *a)
{
    return a->access == OWN_ELEMENT || (a->access == PRIVATE && !strncmp(a->name, "la", 2));
}

static void declare_pointer(void)
{
    enum type type = any_type();
    char *targets[4];
    int n = 0;
    for (int i = 0; i < scope.n_variables && n < 4; i++)
        if (is_addressable(&scope.variables[i], type) && chance(60))
            targets[n++] = text("&%s", scope.variables[i].text);
    for (int i = 0; i < scope.n_arrays && n < 4; i++)
        if (scope.arrays[i].element == (int)type && is_writable(&scope.arrays[i])) {
            n_reads = 0;
            targets[n++] = text("&%s", element_of(&scope.arrays[i], false, 1));
        }
    if (!n)
        return;
    struct mark mark = begin_statement();
    char *p = name("p"), *target = targets[pick((unsigned)n)];
    if (n > 1 && chance(60)) {
        n_reads = 0;
        char *test = condition(false, 1);
        target = text("%s ? %s : %s", test, targets[0], targets[1]);
    }
    line("%s *%s = %s;", types[type].c, p, target);
    end_statement(mark);
    add_variable(text("(*%s)", p), type, false, false);
}

/* A pointer to const elements: a row of an array, or a part of it. */
static void declare_row(void)
{
    const struct array *from = &scope.arrays[pick((unsigned)scope.n_arrays)];
    if (from->access == OWN_ELEMENT || from->access == COUNTED || scope.n_arrays > 100)
        return;
    struct mark mark = begin_statement();
    struct array a = {.name = name("row"), .element = from->element, .access = from->access, .rank = 1};
    a.bounds[0] = from->bounds[from->rank - 1];
    char *row = "";
    n_reads = 0;
    if (a.access == READ)
        a.access = PRIVATE; /* which row it is may differ */
    for (int r = 0; r + 1 < from->rank; r++)
        row = text("%s[%s]", row, subscript(from->bounds[r], false, 1));
    const char *type =
        a.element < STRUCTS ? types[a.element].c : text("struct s_%s", structs[a.element - STRUCTS].letters);
    bool writable = from->access == PRIVATE && !strncmp(from->name, "la", 2);
    line("%s%s *%s = %s;", writable ? "" : "const ", type, a.name, row_of(from, row));
    end_statement(mark);
    scope.arrays[scope.n_arrays++] = a;
}

/* A loop over a local array: by index or by pointer. */
static void sweep(struct context c)
{
    for (int tries = 0; tries < 6; tries++) {
        const struct array *a = &scope.arrays[pick((unsigned)scope.n_arrays)];
        if (a->access != PRIVATE || strncmp(a->name, "la", 2) || a->rank != 1)
            continue;
        struct mark mark = begin_statement();
        int n = a->bounds[0].plus, element = a->element;
        struct level level = open_scope();
        char *k = name("k"), *lvalue = text("%s[%s]", a->name, k);
        enum type type;
        if (chance(60)) {
            int from = (int)pick(2);
            line("for (int %s = %d; %s < %d; %s++)", k, from, k, n, k);
            add_small(k, c.strict, from, n);
            if (from && element < STRUCTS && chance(50)) {
                char *e = value((enum type)element, false, 1);
                line("    %s = %s[%s - 1] < %s ? %s : %s[%s - 1];", lvalue, a->name, k, e, e, a->name, k);
                close_scope(level);
                end_statement(mark);
                return;
            }
        } else {
            const char *of =
                element < STRUCTS ? types[element].c : text("struct s_%s", structs[element - STRUCTS].letters);
            line("for (%s *%s = %s; %s < %s + %d; %s++)", of, k, a->name, k, a->name, n, k);
            lvalue = text("(*%s)", k);
        }
        lvalue = member(element, lvalue, &type);
        indent++;
        assign(lvalue, type, false);
        indent--;
        close_scope(level);
        end_statement(mark);
        return;
    }
}

/* An atomic operation: on what all threads count in, or on the thread's own element, with a result then. */
static void atomic(void)
{
    const struct array *a = &scope.arrays[pick((unsigned)scope.n_arrays)];
    if (a->access == COUNTED) {
        struct mark mark = begin_statement();
        n_reads = 0;
        bool is_known = chance(40); /* by the arguments alone */
        char *element = text("%s[%s]", a->name, is_known ? "0" : subscript(a->bounds[0], chance(20), 1));
        char *e = atomic_operand((enum type)a->element, 2);
        line("%s(&%s, %s);", a->operation, element, e);
        end_statement(mark);
    } else if (is_writable(a) && a->element >= I32 && a->element <= F64 && !is_small_float(a->element)) {
        static const char *const operations[] = {"fetch_add", "exchange",  "fetch_min",
                                                 "fetch_max", "fetch_xor", "fetch_and"};
        enum type type = (enum type)a->element;
        bool only_exchange = is_cpp && is_float(type);
        struct mark mark = begin_statement();
        n_reads = 0;
        char *element = element_of(a, false, 1), *v = name("old"), *e = atomic_operand(type, 1), *test = literal(type);
        if (chance(30) && !only_exchange) {
            line("%s %s = %s;", types[type].c, v, test);
            line("if (amp_atomic_compare_exchange(&%s, &%s, (%s)%s))", element, v, types[type].c, e);
            line("    %s = %s;", v, literal(type));
        } else
            line("%s %s = amp_atomic_%s(&%s, (%s)%s);", types[type].c, v,
                 operations[only_exchange ? 1 : pick(is_float(type) ? 4 : 6)], element, types[type].c, e);
        end_statement(mark);
        add_variable(v, type, false, false);
    }
}

/* A sum along a dimension of an array: all of it, or what comes after the thread. */
static void accumulate(struct context c)
{
    const struct array *a = &scope.arrays[pick((unsigned)scope.n_arrays)];
    if (a->access != READ || in_helper)
        return;
    struct mark mark = begin_statement();
    static const enum type likely[] = {F32, U32, F64, U64, F16, BF16};
    enum type type = likely[pick(6)], from;
    char *sum = name("sum"), *k = name("k"), *subscripts = "";
    int along = (int)pick((unsigned)a->rank);
    n_reads = 0;
    for (int r = 0; r < a->rank; r++)
        subscripts = text("%s[%s]", subscripts, r == along ? k : subscript(a->bounds[r], false, 0));
    char *element = member(a->element, text("%s%s", a->name, subscripts), &from);
    const char *start = chance(60) ? "0" : text("(%s & 3)", small(false, 1).text);
    line("%s %s = %s;", types[type].c, sum, literal(type));
    line("for (int %s = %s; %s < %s; %s += %d) {", k, start, k, a->bounds[along].text, k, 1 + (int)pick(2));
    struct level level = open_scope();
    add_small(k, false, 0, 3000);
    char *e = value(type, false, 1);
    line("    %s += %s * %s;", sum, convert(element, from, type), e);
    close_scope(level);
    if (chance(30)) {
        struct mark part = begin_statement();
        line("    if (%s > %s)", sum, literal(type));
        line("        break;");
        end_statement(part);
    }
    line("}");
    end_statement(mark);
    add_variable(sum, type, false, false);
    (void)c;
}

static void write_array(void)
{
    for (int tries = 0; tries < 6; tries++) {
        const struct array *a = &scope.arrays[pick((unsigned)scope.n_arrays)];
        if (!is_writable(a))
            continue;
        struct mark mark = begin_statement();
        n_reads = 0;
        char *element = element_of(a, false, 1);
        if (a->element >= STRUCTS && chance(40)) {
            char *from = NULL;
            for (int i = 0; i < scope.n_aggregates; i++)
                if (scope.aggregates[i].which == a->element - STRUCTS && (!from || chance(50)))
                    from = scope.aggregates[i].name;
            for (int i = 0; !from && i < scope.n_arrays; i++)
                if (scope.arrays[i].element == a->element && chance(70))
                    from = element_of(&scope.arrays[i], false, 1);
            if (from)
                line("%s = %s;", element, from);
        } else {
            enum type type;
            element = member(a->element, element, &type);
            assign(element, type, false);
        }
        end_statement(mark);
        return;
    }
}

static void assign_struct(void)
{
    if (scope.n_aggregates < 2)
        return;
    const struct aggregate *to = &scope.aggregates[pick((unsigned)scope.n_aggregates)];
    const struct aggregate *from = &scope.aggregates[pick((unsigned)scope.n_aggregates)];
    struct mark mark = begin_statement();
    for (int i = 0; i < scope.n_helpers; i++)
        if (scope.helpers[i].result == STRUCTS + to->which && chance(70)) {
            n_reads = 0;
            char *value = call(&scope.helpers[i], 1);
            if (value) {
                line("%s = %s;", to->name, value);
                end_statement(mark);
                return;
            }
        }
    if (to->which == from->which && to != from)
        line("%s = %s;", to->name, from->name);
    end_statement(mark);
}

/* memcpy, memmove or memset of a number of elements of a private array, which may be 0 and differ between threads. */
static void memory_function(void)
{
    struct array *a = NULL;
    for (int i = 0; i < scope.n_arrays; i++)
        if (scope.arrays[i].access == PRIVATE && !strncmp(scope.arrays[i].name, "la", 2) && scope.arrays[i].rank == 1 &&
            (!a || chance(50)))
            a = &scope.arrays[i];
    if (!a)
        return;
    unsigned which = pick(3);
    int n = a->bounds[0].plus / (which == 0 ? 2 : 1), most = 0; /* memcpy stays in the halves of the array */
    while (2 * (2 * most + 1) <= n)
        most = 2 * most + 1;
    n_reads = 0;
    struct mark mark = begin_statement();
    char *count =
        chance(20) ? text("%d", pick((unsigned)most + 1)) : text("(size_t)(%s & %d)", small(false, 2).text, most);
    char *size = text("%s * sizeof *%s", count, a->name);
    char *to = text("&%s[%s & %d]", a->name, small(false, 1).text, most);
    const char *prefix = chance(30) || is_cpp ? "__builtin_" : "";
    if (which == 2)
        line("%smemset(%s, %s, %s);", prefix, to, a->element == BOOL ? "1" : small(false, 1).text, size);
    else
        line("%s%s(%s, &%s[%d + (%s & %d)], %s);", prefix, which ? "memmove" : "memcpy", to, a->name, which ? 0 : n,
             small(false, 1).text, most, size);
    end_statement(mark);
}

/* Calls a helper for what it does to a variable. */
static void call_statement(void)
{
    for (int i = 0; i < scope.n_helpers; i++)
        if (scope.helpers[i].by_pointer && chance(60)) {
            n_reads = 0;
            struct mark mark = begin_statement();
            char *text = call(&scope.helpers[i], 1);
            if (text)
                line("%s;", text);
            end_statement(mark);
        }
}

static void statement(struct context c)
{
    bool may_wait = c.strict && with_barriers && !in_helper;
    if (may_wait && chance(30)) {
        if (chance(10) && c.depth < 2)
            reduction(c);
        else if (chance(15) && c.depth < 2)
            wavefront();
        else if (waiting && chance(15))
            call_waiting();
        else
            shared_statement();
        return;
    }
    unsigned which = pick(100);
    if (c.depth < 3 && which < 17)
        branch(c);
    else if (c.loops < 2 && c.depth < 3 && which < 30)
        loop(c);
    else if (c.depth < 2 && which < 34)
        choice(c);
    else if (which < 42 && (c.loop || c.returns || c.strict))
        jump(c);
    else if (which < 51)
        declare(c);
    else if (which < 54)
        declare_array();
    else if (which < 58)
        declare_struct();
    else if (which < 62)
        declare_pointer();
    else if (which < 64 && scope.n_arrays)
        declare_row();
    else if (which < 67 && scope.n_arrays)
        sweep(c);
    else if (which < 70 && scope.n_arrays)
        accumulate(c);
    else if (which < 74 && scope.n_arrays)
        atomic();
    else if (which < 80 && scope.n_arrays)
        write_array();
    else if (which < 82)
        assign_struct();
    else if (which < 85)
        call_statement();
    else if (which < 88)
        memory_function();
    else if (c.depth < 3 && which < 90 && !is_cpp)
        jump_over(c); /* C++ AMP has no goto */
    else {
        struct variable *v = assignable(c);
        if (v) {
            struct mark mark = begin_statement();
            assign(v->text, v->type, v->uniform);
            end_statement(mark);
        }
    }
}

void statements(struct context c, int n)
{
    for (int i = 0; i < n; i++)
        statement(c);
}
