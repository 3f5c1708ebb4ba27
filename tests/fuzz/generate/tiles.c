/* SPDX-License-Identifier: MIT */
#include "generate.h"

static void barrier(void)
{
    static const char *const fences[] = {"", "", "", "", "_with_all_memory_fence", "_with_tile_static_memory_fence"};
    line("amp_tile_barrier_wait%s(%s);", fences[pick(6)], in_helper ? "barrier" : "t.barrier");
}

enum state *save_states(void)
{
    enum state *states = calloc(64, sizeof *states);
    for (int i = 0; i < scope.n_shared; i++)
        states[i] = scope.shared[i].state;
    return states;
}

bool same_states(const enum state *states, int n)
{
    if (n != scope.n_shared)
        return false;
    for (int i = 0; i < n; i++)
        if (scope.shared[i].state != states[i])
            return false;
    return true;
}

static void set_states(const enum state *states, int n)
{
    for (int i = 0; i < n; i++)
        scope.shared[i].state = states[i];
}

void restore_states(const enum state *states, int n)
{
    if (!same_states(states, n))
        barrier();
    set_states(states, n);
}

const char *atomic_operation(enum type type)
{
    static const char *const operations[] = {"min", "max", "add", "sub", "and", "or", "xor", "add"};
    bool has_one = type >= I32 && (is_cpp ? !is_float(type) : !is_small_float(type));
    return has_one ? text("amp_atomic_fetch_%s", operations[pick(is_float(type) ? 2 : 8)]) : NULL;
}

char *atomic_operand(enum type type, int depth)
{
    char *e = value(type, false, depth);
    return is_float(type) ? text("nonzero_%s(%s)", types[type].name, e) : e;
}

static void declare_shared(void)
{
    struct shared s = {.name = name("ts"), .type = any_type()};
    if (chance(50))
        s.operation = atomic_operation(s.type);
    struct mark mark = begin_statement();
    char *initial;
    if (chance(15)) {
        s.own = "";
        line("tile_static %s %s;", types[s.type].c, s.name);
        initial = value(s.type, false, 2);
        line("if (t.local[0] == 0%s%s)", rank > 1 ? " && t.local[1] == 0" : "", rank > 2 ? " && t.local[2] == 0" : "");
        line("    %s = %s;", s.name, initial);
    } else {
        s.rank = rank;
        s.flat = rank > 1 && chance(30);
        bool swap = rank > 1 && chance(25), reverse = chance(15), pad = chance(20);
        char *dims = "", *linear = "";
        int total = 1;
        s.own = "";
        for (int r = 0; r < rank; r++) {
            int d = swap ? rank - 1 - r : r;
            s.dim[r] = d, s.n[r] = tile[d], s.times[r] = 1;
            total *= tile[d];
            char *i = reverse && r == rank - 1 ? text("%d - t.local[%d]", tile[d] - 1, d) : text("t.local[%d]", d);
            if (!s.flat && r == rank - 1 && chance(15))
                s.times[r] = 2;
            dims = text("%s[%d]", dims, s.times[r] * tile[d] + (pad ? 1 : 0));
            if (s.times[r] > 1)
                i = text("2 * (%s)", i);
            s.own = text("%s[%s]", s.own, i);
            linear = r ? text("(%s) * %d + (%s)", linear, tile[d], i) : i;
        }
        if (s.flat) {
            s.own = text("[%s]", linear);
            dims = text("[%d]", total);
        }
        initial = value(s.type, false, 2);
        line("tile_static %s %s%s;", types[s.type].c, s.name, dims);
        line("%s%s = %s;", s.name, s.own, initial);
    }
    end_statement(mark);
    if (scope.n_shared < 64)
        scope.shared[scope.n_shared++] = s;
}

static void change_state(struct shared *s)
{
    static const enum state next[3][2] = {{SHARED, ATOMIC}, {OWN, ATOMIC}, {OWN, SHARED}};
    s->state = s->operation ? next[s->state][pick(2)] : s->state == OWN ? SHARED : OWN;
}

void shared_statement(void)
{
    if (!scope.n_shared || (chance(15) && scope.n_shared < 5)) {
        declare_shared();
        return;
    }
    struct shared *s = &scope.shared[pick((unsigned)scope.n_shared)];
    if (s->state == ATOMIC && chance(70)) {
        struct mark mark = begin_statement();
        n_reads = 0;
        char *element = shared_read(s, false), *e = atomic_operand(s->type, 2);
        line("%s(&%s, %s);", s->operation, element, e);
        end_statement(mark);
        return;
    }
    if (s->state == OWN && chance(60)) {
        struct mark mark = begin_statement();
        if (s->rank)
            assign(text("%s%s", s->name, s->own), s->type, false);
        else {
            line("if (t.local[0] == 0%s%s)", rank > 1 ? " && t.local[1] == 0" : "",
                 rank > 2 ? " && t.local[2] == 0" : "");
            line("    %s = %s;", s->name, value(s->type, false, 2));
        }
        end_statement(mark);
        return;
    }
    barrier();
    change_state(s);
    for (int i = 0; i < scope.n_shared; i++)
        if (chance(50))
            change_state(&scope.shared[i]);
}

static char *number_in_tile(void)
{
    char *l = "t.local[0]";
    for (int r = 1; r < rank; r++)
        l = text("(%s * %d + t.local[%d])", l, tile[r], r);
    return l;
}

void call_waiting(void)
{
    struct mark mark = begin_statement();
    char *v = name("w"), *x = value(waiting_type, false, 2), *n = small(true, 1).text;
    line("%s %s = %s(t.barrier, %s, %s, %s & 3);", types[waiting_type].c, v, waiting, number_in_tile(), x, n);
    end_statement(mark);
    add_variable(v, waiting_type, false, false);
}

void reduction(struct context c)
{
    int n = tile[0] * tile[1] * tile[2];
    char *l = number_in_tile();
    if (n & (n - 1))
        return;
    static const enum type likely[] = {F32, U32, F64, U64, F32, F16, BF16};
    enum type type = likely[pick(7)];
    struct mark mark = begin_statement();
    char *v = name("red"), *array = name("ts"), *initial = value(type, false, 2), *index = name("l"), *s = name("s");
    bool keep = c.strict && chance(50);
    line("%s %s;", types[type].c, v);
    line("{");
    indent++;
    line("tile_static %s %s[%d];", types[type].c, array, n);
    line("int %s = %s;", index, l);
    line("%s[%s] = %s;", array, index, initial);
    barrier();
    if (chance(50)) {
        line("for (int %s = %d; %s > 0; %s /= 2) {", s, n / 2, s, s);
        line("    if (%s < %s)", index, s);
        line("        %s[%s] += %s[%s + %s];", array, index, array, index, s);
    } else {
        line("for (int %s = 1; %s < %d; %s *= 2) {", s, s, n, s);
        line("    if (%s %% (2 * %s) == 0)", index, s);
        line("        %s[%s] += %s[%s + %s];", array, index, array, index, s);
    }
    indent++;
    barrier();
    indent--;
    line("}");
    line("%s = %s[%s];", v, array, keep ? "0" : text("%s / 2", index));
    barrier();
    indent--;
    line("}");
    end_statement(mark);
    add_variable(v, type, false, false);
}

/* Returns a condition for a thread's row that only rows of the array fulfil. */
static char *in_window(const char *row, int height)
{
    char *low = small(true, 1).text, *high = small(true, 1).text;
    switch (pick(6)) {
    case 0:
        return text("%s >= 0 && %s < %d", row, row, height);
    case 1:
        return text("!(%s < 0 || %s > %d)", row, row, height - 1);
    case 2:
        return text("(unsigned)%s < %du", row, height);
    case 3:
        return text("%s >= ((%s) & 3) && %s < ((%s) & %d) && %s < %d", row, low, row, high, height, row, height);
    case 4:
        return text("%s < ((%s) & 7) && %s >= 0 && %s < %d", row, high, row, row, height);
    default:
        return text("(unsigned)%s <= (unsigned)(%d - ((%s) & 1))", row, height - 1, low);
    }
}

void wavefront(void)
{
    enum { MOST = 1500 }; /* elements: there is not much tile memory */
    static const enum type likely[] = {U32, F32, U32, F64, U64};
    int n = tile[0] * tile[1] * tile[2], height = 2 + (int)pick(20);
    enum type type = likely[pick(5)];
    while (height > 2 && (height + 1) * (n + 2) > MOST)
        height--;
    if ((height + 1) * (n + 2) > MOST)
        return;
    struct mark mark = begin_statement();
    char *v = name("wave"), *array = name("ts"), *x = name("x"), *index = name("l"), *row = name("r"), *d = name("d"),
         *i = name("i"), *initial = value(type, false, 2);
    bool up = chance(30);
    line("%s %s, %s = %s;", types[type].c, v, x, initial);
    line("{");
    indent++;
    line("tile_static %s %s[%d][%d];", types[type].c, array, height + 1, n + 2);
    line("int %s = %s;", index, number_in_tile());
    line("for (int %s = 0; %s <= %d; %s++) {", i, i, height, i);
    line("    %s[%s][%s + 1] = %s + (%s)%s;", array, i, index, x, types[type].c, i);
    line("    if (%s == 0)", index);
    line("        %s[%s][0] = %s[%s][%d] = (%s)%s;", array, i, array, i, n + 1, types[type].c, i);
    line("}");
    barrier();
    int first = (int)pick(6) - 2;
    line("for (int %s = %d; %s < %d; %s++) {", d, first, d, first + (int)pick((unsigned)(n + height)), d);
    indent++;
    if (up)
        line("int %s = %s + %s - %d;", row, d, index, n - 1);
    else
        line("int %s = %s - %s;", row, d, index);
    line("if (%s)", in_window(row, height));
    line("    %s[%s + 1][%s + 1] = %s[%s][%s + %d] > %s ? %s[%s][%s + 1] : %s[%s + 1][%s + %d] + %s;", array, row,
         index, array, row, index, 2 * up, x, array, row, index, array, row, index, 2 * up, x);
    if (chance(20))
        line("%s += (%s)%s;", x, types[type].c, d);
    barrier();
    indent--;
    line("}");
    line("%s = %s[%d][%s + 1] + %s;", v, array, (int)pick((unsigned)height + 1), index, x);
    barrier();
    indent--;
    line("}");
    end_statement(mark);
    add_variable(v, type, false, false);
}

/* An array of numbers that a thread may read by its place; NULL: there is none. */
static const struct array *array_to_stage(void)
{
    for (int tries = 0; tries < 8; tries++) {
        const struct array *a = &scope.arrays[pick((unsigned)scope.n_arrays)];
        if (a->element < STRUCTS && a->element != BOOL && a->element != F16 && a->element != BF16 &&
            a->access == READ && a->rank <= 2)
            return a;
    }
    return NULL;
}

/* Returns a condition for a subscript that is at least -3: that it is in the array. */
static char *is_in_bound(const char *subscript, const char *bound)
{
    switch (pick(3)) {
    case 0:
        return text("%s >= 0 && %s < %s", subscript, subscript, bound);
    case 1:
        return text("(unsigned)%s < (unsigned)(%s)", subscript, bound);
    default:
        return text("!(%s < 0 || %s > (%s) - 1)", subscript, subscript, bound);
    }
}

/* Reads an element of the array into `to` where there is one. */
static void read_guarded(const struct array *a, const char *to, const char *y, const char *x, const char *otherwise)
{
    const char *row = a->rank > 1 ? is_in_bound(y, a->bounds[0].text) : NULL;
    const char *column = is_in_bound(x, a->bounds[a->rank - 1].text);
    const char *element = a->rank > 1 ? text("%s[%s][%s]", a->name, y, x) : text("%s[%s]", a->name, x);
    if (chance(20)) /* only some rows */
        row = row ? text("(%s) && (%s & %d) != 1", row, y, 1 + (int)pick(3)) : text("(%s & 1) == 0", y);
    char *both = row ? text("(%s) && %s", row, column) : text("%s", column);
    switch (pick(4)) {
    case 0:
        line("%s = %s ? %s : %s;", to, both, element, otherwise);
        break;
    case 1:
        line("if (%s)", both);
        line("    %s = %s;", to, element);
        line("else");
        line("    %s = %s;", to, otherwise);
        break;
    case 2:
        line("%s = 1;", to);
        line("if (%s)", row ? row : column);
        line("    %s = %s ? %s : %s;", to, column, element, otherwise);
        break;
    default:
        line("%s = %s;", to, otherwise);
        line("if (%s)", both);
        line("    %s = %s;", to, element);
    }
}

void staged(void)
{
    enum { MOST = 700 }; /* elements: there is not much tile memory */
    int n = tile[0] * tile[1] * tile[2], width = tile[rank - 1], height = n / width;
    const struct array *a = array_to_stage(), *b = array_to_stage();
    if (!a || !b || n > MOST)
        return;
    struct mark mark = begin_statement();
    enum type type = (enum type)a->element, of_sum = is_float(type) ? type : chance(50) ? U32 : U64;
    const char *c = types[of_sum].c;
    char *sum = name("sum"), *p = name("ts"), *q = name("ts"), *i = name("i"), *k = name("k");
    char *column = text("t.local[%d]", rank - 1);
    char *row = rank == 2 ? "t.local[0]" : text("t.local[0] * %d + t.local[1]", tile[1]);
    char *x = name("x"), *y = name("y"), *to = name("v");
    line("%s %s = 0;", c, sum);
    line("{");
    indent++;
    line("tile_static %s %s[%d][%d];", types[type].c, p, height, width);
    line("tile_static %s %s[%d][%d];", types[b->element].c, q, height, width);
    line("for (int %s = 0; %s < %d; %s++) {", i, i, 1 + (int)pick(4), i);
    indent++;
    int left = (int)pick(4);
    line("int %s = %s + %s * %d - %d;", x, global_index(rank - 1), i, chance(50) ? width : (int)pick(3), left);
    line("int %s = %s + %s * %d - %d;", y, global_index(rank - 2), i, chance(30) ? height : (int)pick(2), (int)pick(4));
    line("%s %s = %d;", types[type].c, to, (int)pick(5));
    read_guarded(a, to, y, x, text("(%s)(%s & 3)", types[type].c, x));
    line("%s[%s][%s] = %s;", p, row, column, to);
    if (chance(50))
        read_guarded(b, text("%s[%s][%s]", q, row, column), y, x, "2");
    else
        line("%s[%s][%s] = (%s)%s;", q, row, column, types[b->element].c, i);
    barrier();
    bool adds_bits = !is_float(of_sum);
    char *other = is_float(b->element) && adds_bits ? text("(%s[%s][%s] > 1)", q, k, column)
                                                    : text("(%s)%s[%s][%s]", c, q, k, column);
    line("for (int %s = 0; %s < %d; %s++)", k, k, width, k);
    line("    %s += (%s)%s[%s][%s];", sum, c, p, row, k);
    line("for (int %s = 0; %s < %d; %s++)", k, k, height, k);
    line("    %s %s= %s * (%s)%s[%s][%s];", sum, adds_bits ? "^" : "+", other, c, p, k, column);
    barrier();
    indent--;
    line("}");
    indent--;
    line("}");
    end_statement(mark);
    add_variable(sum, of_sum, false, false);
}
