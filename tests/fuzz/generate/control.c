/* SPDX-License-Identifier: MIT */
#include "generate.h"

void use_locals(struct level level, unsigned percent)
{
    for (int i = level.n_variables; i < scope.n_variables && level.n_variables; i++) {
        const struct variable *from = &scope.variables[i], *to = &scope.variables[pick((unsigned)level.n_variables)];
        if (from->fixed || to->fixed || to->uniform || !chance(percent))
            continue;
        struct mark mark = begin_statement();
        if (to->type == U32 || to->type == U64 || is_float(to->type))
            line("%s += %s;", to->text, convert(from->text, from->type, to->type));
        else
            line("%s = (%s)(%s ^ %s);", to->text, types[to->type].c, convert(to->text, to->type, U32),
                 convert(from->text, from->type, U32));
        end_statement(mark);
    }
}

static void block(struct context c, int n)
{
    struct level level = open_scope();
    c.depth++;
    indent++;
    enum state *states = save_states();
    int n_states = scope.n_shared;
    statements(c, n);
    use_locals(level, 50);
    if (c.strict && with_barriers && !in_helper)
        restore_states(states, n_states);
    indent--;
    close_scope(level);
}

int few(void)
{
    return 1 + (int)pick(3);
}

void branch(struct context c)
{
    bool strict = c.strict && chance(60);
    c.strict = strict;
    struct mark mark = begin_statement();
    n_reads = 0;
    char *test = condition(strict, 2);
    line("if (%s) {", test);
    block(c, few());
    while (chance(20)) {
        n_reads = 0;
        test = condition(strict, 2);
        line("} else if (%s) {", test);
        block(c, few());
    }
    if (chance(45)) {
        line("} else {");
        block(c, few());
    }
    line("}");
    end_statement(mark);
}

/* Conditions and values that need no memory: of what a thread has read, of its index, or the same for all threads. */
static char *simple_condition(const char *had, enum type type)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
    const char *compare = comparisons[pick(6)];
    if (chance(30))
        return text("(D%d %% 5 %s %d)", pick((unsigned)rank), compare, pick(5));
    if (chance(40)) /* whole vectors and rows come and go */
        return text("(%s / %d %% 3 %s %d)", global_index((int)pick((unsigned)rank)), 1 << pick(6), compare, pick(3));
    if (chance(40)) { /* guards, of borders and anywhere in a row */
        int d = (int)pick((unsigned)rank);
        return chance(50) ? text("(%s %s D%d - %d)", global_index(d), compare, d, pick(9))
                          : text("(%s %s %d)", global_index(d), compare, pick(70));
    }
    return text("(%s %s (%s)%d)", had, compare, types[type].c, pick(3));
}

static char *simple_value(char *had, enum type of, enum type type)
{
    if (chance(30))
        return convert(had, of, type);
    if (chance(40))
        return convert(global_index((int)pick((unsigned)rank)), I32, type);
    return convert(text("%d", pick(100)), I32, type);
}

/* Finds one or two arrays of whose elements each thread has its own. Returns false if there is none. */
static bool find_own(const struct array *to[2])
{
    to[0] = to[1] = NULL;
    for (int a = 0; a < scope.n_arrays; a++)
        if (scope.arrays[a].access == OWN_ELEMENT && scope.arrays[a].element < STRUCTS &&
            !is_float(scope.arrays[a].element)) /* whose conversions branch */
            to[chance(50)] = &scope.arrays[a];
    to[0] = to[0] ? to[0] : to[1];
    to[1] = to[1] ? to[1] : to[0];
    return to[0] != NULL;
}

/* Stores of what is less or more than what a thread's own element has. */
void improves(void)
{
    const struct array *to[2];
    if (!find_own(to))
        return;
    struct mark mark = begin_statement();
    enum type type = (enum type)to[0]->element, other = (enum type)to[1]->element;
    char *own = element_of(to[0], false, 0), *had = name("h"), *new = name("n");
    line("%s %s = %s, %s = %s;", types[type].c, had, own, new, simple_value(element_of(to[1], false, 0), other, type));
    bool swaps = chance(50);
    char *test = text("%s %s %s", swaps ? new : had, chance(50) ? "<" : ">=", swaps ? had : new);
    if (chance(30))
        test = simple_condition(had, type);
    if (chance(30)) /* what it has read is not there any more */
        line("%s = %s;", own, convert(text("(%s ^ 5)", new), I32, type));
    line(chance(30) ? "if (!(%s)) {" : "if (%s) {", test);
    line("    %s = %s;", own, new);
    line("}");
    end_statement(mark);
}

/* Stores of a thread's own elements in branches whose paths meet before all do, and bring values. */
void joins(void)
{
    const struct array *to[2];
    if (!find_own(to))
        return;
    struct mark mark = begin_statement();
    enum type types_of[2] = {(enum type)to[0]->element, (enum type)to[1]->element}, type = chance(70) ? I32 : U8;
    char *own[2], *had[2], *v = name("j");
    for (int i = 0; i < 2; i++) {
        own[i] = element_of(to[i], false, 0);
        had[i] = name("h");
        line("%s %s = %s;", types[types_of[i]].c, had[i], own[i]);
    }
    line("%s %s = %s;", types[type].c, v, simple_value(had[0], types_of[0], type));
    line("if (%s) {", simple_condition(had[0], types_of[0]));
    for (int n = 1 + (int)pick(2); n > 0; n--) {
        line("    if (%s) {", simple_condition(had[n % 2], types_of[n % 2]));
        if (chance(70))
            line("        %s = %s;", own[0], simple_value(had[1], types_of[1], types_of[0]));
        line("        %s = %s;", v, simple_value(had[1], types_of[1], type));
        if (chance(40)) {
            line("    } else if (%s) {", simple_condition(had[1], types_of[1]));
            line("        %s = %s;", v, simple_value(had[0], types_of[0], type));
        }
        line("    }");
    }
    line("    %s = %s;", own[1], convert(v, type, types_of[1]));
    if (chance(40)) {
        line("} else if (%s) {", simple_condition(had[1], types_of[1]));
        line("    %s = %s;", own[0], had[0]);
    }
    line("}");
    end_statement(mark);
}

void stride_loop(struct context c)
{
    static const char *const counters[] = {"int", "unsigned", "long", "size_t"},
                             *const limits[] = {"D0", "D0 * 2 + 3", "400"}, *const steps[] = {"D0", "D0 + 7", "150"};
    const char *counter = counters[pick(4)], *limit = limits[pick(3)], *step = steps[pick(3)];
    char *k = name("k"), *sum = name("u_u64"), *i = global_index(0);
    enum state *states = save_states();
    c.strict = false, c.loop = c.jumps = true, c.in_switch = false, c.loops++;
    c.head = states, c.n_head = scope.n_shared;
    line("uint64_t %s = %d;", sum, pick(9));
    add_variable(sum, U64, false, false);
    struct mark mark = begin_statement();
    struct level level = open_scope();
    if (chance(30))
        i = text("2 * %s + 1", i);
    line("for (%s %s_ = (%s)(%s); %s_ < (%s)(%s); %s_ += (%s)(%s)) {", counter, k, counter, i, k, counter, limit, k,
         counter, step);
    line("    int %s = (int)%s_;", k, k);
    line("    %s = %s * 5 + (uint64_t)%s_;", sum, sum, k);
    for (int a = 0; a < scope.n_arrays && !strcmp(limit, "D0"); a++) {
        const struct array *from = &scope.arrays[a];
        if (from->access == READ && from->rank == 1 && from->bounds[0].dim == 0 && from->element <= U64)
            line("    %s ^= (uint64_t)%s[%s_];", sum, from->name, k);
    }
    add_small(k, false, 0, 2 * 1023 + 3);
    block(c, few());
    line("}");
    close_scope(level);
    end_statement(mark);
}

void tile_strides(struct context c)
{
    static const char *const limits[] = {"D0", "D0 + 3", "3 * D0"};
    int d = rank - 1, n = tile[d], rows = rank > 1 && chance(30) ? tile[d - 1] : 1, most = 3 * 1023;
    char *j = name("j"), *sum = name("u_u64"), *from = text("t.local[%d]", d);
    char *limit =
        chance(50) ? text("%d", n * (int)pick(6) + (chance(50) ? (int)pick(5) : 0)) : text("%s", limits[pick(3)]);
    enum state *states = save_states();
    c.strict = false, c.loop = c.jumps = true, c.in_switch = false, c.loops++;
    c.head = states, c.n_head = scope.n_shared;
    if (rows > 1)
        from = text("%s + %d * t.local[%d]", from, n, d - 1);
    else if (chance(30))
        from = chance(50) ? text("%s + %d", from, (int)pick(4)) : text("(%s > 2 ? %s : 2)", from, from);
    line("uint64_t %s = %d;", sum, pick(9));
    add_variable(sum, U64, false, false);
    struct mark mark = begin_statement();
    struct level level = open_scope();
    line("for (int %s_ = %s; %s_ < %s; %s_ += %d) {", j, from, j, limit, j, n * rows + (chance(30) ? (int)pick(3) : 0));
    line("    int %s = %s_;", j, j);
    line("    %s = %s * 5 + (uint64_t)%s_;", sum, sum, j);
    for (int a = 0; a < scope.n_arrays && !strcmp(limit, "D0"); a++) {
        const struct array *row = &scope.arrays[a];
        if (row->access == READ && row->rank == 1 && row->bounds[0].dim == 0 && row->element <= U64)
            line("    %s ^= (uint64_t)%s[%s_];", sum, row->name, j);
    }
    add_small(j, false, 0, most);
    if (chance(50))
        block(c, few());
    line("}");
    close_scope(level);
    end_statement(mark);
}

/* Returns an array of two dimensions that has an element for each thread along dimension `d`; NULL if there is none. */
static const struct array *array_with_threads(int d)
{
    const struct array *found = NULL;
    for (int a = 0; a < scope.n_arrays; a++) {
        const struct array *from = &scope.arrays[a];
        if (from->access == READ && from->rank == 2 && from->bounds[d].dim == 0 && from->element <= U64)
            found = from;
    }
    return found;
}

bool column_loop(struct context c)
{
    const struct array *a = array_with_threads(1);
    if (!a)
        return false;
    char *k = name("k"), *sum = name("u_u64");
    enum state *states = save_states();
    c.strict = c.jumps = false, c.loop = true, c.in_switch = false, c.loops++;
    c.head = states, c.n_head = scope.n_shared;
    line("uint64_t %s = %d;", sum, pick(9));
    add_variable(sum, U64, false, false);
    struct mark mark = begin_statement();
    struct level level = open_scope();
    line("for (int %s = 0; %s < %s; %s++) {", k, k, a->bounds[0].text, k);
    line("    %s = %s * 5 + (uint64_t)%s[%s][%s];", sum, sum, a->name, k, global_index(0));
    if (chance(50)) /* an element that all threads read */
        line("    %s ^= (uint64_t)%s[%s][0];", sum, a->name, k);
    if (chance(50))
        block(c, few());
    line("}");
    close_scope(level);
    end_statement(mark);
    return true;
}

/* Each thread adds up its row, in an order that does not matter. */
static bool row_loop(void)
{
    static const char *const operations[] = {"+", "-", "^", "|", "&"};
    const struct array *a = array_with_threads(0);
    if (!a)
        return false;
    char *k = name("k");
    int n = 1 + (int)pick(3);
    enum type types_of_sums[3];
    char *names[3];
    for (int s = 0; s < n; s++) {
        types_of_sums[s] = chance(50) ? U32 : U64;
        names[s] = name("u_sum");
        line("%s %s = %d;", types[types_of_sums[s]].c, names[s], pick(99));
        add_variable(names[s], types_of_sums[s], false, false);
    }
    struct mark mark = begin_statement();
    line("for (int %s = %d; %s < %s; %s++) {", k, pick(3), k, a->bounds[1].text, k);
    for (int s = 0; s < n; s++) {
        char *element = text("(%s)%s[%s][%s]", types[types_of_sums[s]].c, a->name, global_index(0), k);
        if (chance(40)) /* and an element of a row that all threads read */
            element = text("%s * (%s)%s[0][%s]", element, types[types_of_sums[s]].c, a->name, k);
        if (chance(30))
            element = text("(%s + (%s)%s)", element, types[types_of_sums[s]].c, k);
        if (chance(20))
            element = text("(%s < %s + %d ? %s : 1)", k, global_index(0), pick(9), element);
        if (chance(20))
            line("    %s = %s < %s ? %s : %s;", names[s], element, names[s], element, names[s]);
        else
            line("    %s %s= %s;", names[s], operations[pick(5)], element);
    }
    line("}");
    end_statement(mark);
    return true;
}

void loop(struct context c)
{
    if (rank == 1 && !in_helper && chance(5)) {
        stride_loop(c);
        return;
    }
    if (rank == 1 && !in_helper && chance(10) && column_loop(c))
        return;
    if (rank == 1 && !in_helper && chance(30) && row_loop())
        return;
    bool strict = c.strict && chance(70);
    enum state *states = save_states();
    c.strict = strict, c.loop = true, c.jumps = !strict, c.in_switch = false, c.loops++;
    c.head = states, c.n_head = scope.n_shared;
    struct mark mark = begin_statement();
    struct level level = open_scope();
    char *k = name("k"), *limit;
    int trips = c.loops > 1 ? 3 : 7;
    if (chance(35))
        limit = text("%d", 1 + pick((unsigned)trips));
    else {
        struct small s = small(strict || chance(30), 2);
        if (chance(30) && !strict) {
            char *e = value(U32, false, 1);
            limit = text("(int)(%s & %d)", e, trips);
        } else
            limit = text("(%s & %d)", s.text, trips);
    }
    int start = (int)pick(3), n = few();
    switch (in_helper || strict ? pick(5) : pick(6)) {
    case 0: { /* the condition is tested with what changes, too */
        line("int %s = 0;", k);
        add_small(k, strict, 0, trips + 1);
        n_reads = 0;
        char *test = condition(strict, 1);
        /* The count comes first, so that `continue` and dropped statements leave the loop finite. */
        line("while (%s++ < %d && (%s)) {", k, trips, test);
        block(c, n);
        line("}");
        break;
    }
    case 1:
        line("int %s = 0;", k);
        add_small(k, strict, 0, trips + 1);
        line("do {");
        block(c, n);
        line("} while (++%s < %s);", k, limit);
        break;
    case 2:
        add_small(k, strict, 0, trips);
        line("for (int %s = %s; %s > 0; %s--) {", k, limit, k, k);
        block(c, n);
        line("}");
        break;
    case 5: { /* a window around the thread's place */
        char *i = global_index((int)pick((unsigned)rank));
        add_small(k, false, 0, 1023 + 3 + trips);
        line("for (int %s = %s + %d; %s < %s + %d + %s; %s++) {", k, i, start, k, i, start, limit, k);
        block(c, n);
        line("}");
        break;
    }
    default:
        add_small(k, strict, 0, trips + 3);
        line("for (int %s = %d; %s < %s; %s%s) {", k, start, k, limit, k, chance(70) ? "++" : " += 2");
        block(c, n);
        line("}");
    }
    close_scope(level);
    end_statement(mark);
}

void choice(struct context c)
{
    bool strict = c.strict && chance(50);
    c.strict = strict, c.in_switch = true;
    struct mark mark = begin_statement();
    n_reads = 0;
    char *of = chance(50) ? small(strict, 2).text : expression(I32, strict, 2);
    int n = 2 + (int)pick(4), at = 0;
    line("switch ((%s) & %d) {", of, chance(50) ? 3 : 7);
    for (int i = 0; i < n; i++) {
        bool last = i == n - 1;
        if (last && chance(60))
            line("default:");
        else
            line("case %d:", at);
        at += 1 + (int)chance(30);
        if (chance(15))
            line("case %d:", at++);
        struct mark part = begin_statement();
        line("{");
        block(c, few());
        line("}");
        end_statement(part);
        if (last || chance(70))
            line("    break;");
    }
    line("}");
    end_statement(mark);
}

void jump_over(struct context c)
{
    c.strict = c.strict && chance(40);
    n_reads = 0;
    struct mark mark = begin_statement();
    char *label = name("label"), *test = condition(c.strict, 2);
    c.label = c.strict ? NULL : label;
    line("if (%s)", test);
    line("    goto %s;", label);
    line("{");
    block(c, few());
    line("}");
    line("%s:;", label);
    end_statement(mark);
}

void jump(struct context c)
{
    n_reads = 0;
    if (c.label && chance(40)) {
        struct mark mark = begin_statement();
        char *test = condition(false, 2);
        line("if (%s)", test);
        line("    goto %s;", c.label);
        end_statement(mark);
        return;
    }
    bool can_loop = c.loop && (c.jumps || (c.strict && same_states(c.head, c.n_head)));
    if (c.strict && !in_helper && chance(40)) {
        struct mark mark = begin_statement();
        char *test = condition(true, 1);
        line("if (%s)", test);
        line("    return;");
        end_statement(mark);
    } else if (can_loop && (!c.returns || chance(75))) {
        struct mark mark = begin_statement();
        char *test = condition(c.strict && !c.jumps, 2);
        line("if (%s)", test);
        line("    %s;", chance(50) && !c.in_switch ? "break" : "continue");
        end_statement(mark);
    } else if (c.returns) {
        struct mark mark = begin_statement();
        char *test = condition(false, 2);
        if (!in_helper) {
            line("if (%s)", test);
            line("    return;");
        } else if (result < STRUCTS) {
            char *e = value((enum type)result, false, 2);
            line("if (%s)", test);
            line("    return %s;", e);
        }
        end_statement(mark);
    }
}
