/* SPDX-License-Identifier: MIT */
#include "generate.h"

bool is_float(int type)
{
    return type >= F16 && type <= F64;
}

bool is_small_float(int type)
{
    return type == F16 || type == BF16;
}

char *convert(char *value, enum type from, enum type to)
{
    if (from == to)
        return value;
    /* clang 19 cannot convert one small type to the other, and none rounds integers well. */
    if (is_small_float(from) && to != BOOL && to != F32)
        return convert(text("(float)(%s)", value), F32, to);
    if (to == BF16 && from >= I32 && from <= U64)
        return text("(__bf16)(float)(%s)", value);
    if (is_float(from) && !is_float(to) && to != BOOL)
        return text("%s_to_%s(%s)", types[from].name, types[to].name, value);
    return text("(%s)(%s)", types[to].c, value);
}

char *literal(enum type type)
{
    static const int special[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 100, 127, 128, 255, 32767, 65535};
    int value = chance(70) ? (int)pick(10) : special[pick(15)];
    switch (type) {
    case BOOL:
        return text("%d", value & 1);
    case I8:
    case U8:
        return text("%d", value & 127);
    case I16:
    case U16:
        return text("%d", value & 32767);
    case I32:
        return chance(10) ? "-2147483647" : text("%d", chance(20) ? -value : value);
    case U32:
        return chance(10) ? text("%uu", pick(0x7fffffff) * 2 + 1) : text("%du", value);
    case I64:
        return chance(10) ? "-9000000000000000000ll" : text("%dll", chance(20) ? -value : value);
    case U64:
        return chance(10) ? text("%u000000007ull", pick(1000)) : text("%dull", value);
    case F16:
    case BF16:
        return text("(%s)%d.%df", types[type].c, value, pick(4) * 25);
    case F32:
        return text("%d.%df", value, pick(4) * 25);
    default:
        return text("%d.%d", value, pick(4) * 25);
    }
}

/* The thread's global index in one dimension, in one of its spellings. */
char *global_index(int d)
{
    if (!tiled)
        return text("idx[%d]", d);
    switch (pick(4)) {
    case 0:
        return text("(t.tile[%d] * %d + t.local[%d])", d, tile[d], d);
    case 1:
        return text("(t.tile_origin[%d] + t.local[%d])", d, d);
    default:
        return text("t.global[%d]", d);
    }
}

/* A thread's group, or its place there, by division or by bits: a flat index that is a row and a column. */
static struct small group_or_place(void)
{
    int d = (int)pick((unsigned)rank), shift = 3 + (int)pick(4), n = 64 + (int)pick(3) * 35;
    char *i = global_index(d);
    switch (pick(6)) {
    case 0:
        return (struct small){text("(%s >> %d)", i, shift), 0, 1023 >> shift};
    case 1:
        return (struct small){text("(%s & %d)", i, (1 << shift) - 1), 0, (1 << shift) - 1};
    case 2:
        return (struct small){text("(%s & -%d)", i, 1 << shift), 0, 1023};
    case 3:
        return (struct small){text("(%s - %s / %d * %d)", i, i, n, n), 0, n - 1};
    case 4:
        return (struct small){text("%s / %d", i, n), 0, 1023 / n};
    default:
        return (struct small){text("%s %% %d", i, n), 0, n - 1};
    }
}

struct small small(bool uniform, int depth)
{
    struct small a, b;
    if (!in_helper && !uniform && chance(4))
        return group_or_place();
    if (depth <= 0 || chance(25)) {
        int d = (int)pick((unsigned)rank);
        if (chance(45)) {
            for (int tries = 0; tries < 6 && scope.n_variables; tries++) {
                /* The latest ones first: counters of loops. */
                int at = chance(50) ? scope.n_variables - 1 -
                                          (int)pick((unsigned)(scope.n_variables < 4 ? scope.n_variables : 4))
                                    : (int)pick((unsigned)scope.n_variables);
                struct variable *v = &scope.variables[at];
                if (v->is_small && (!uniform || v->uniform))
                    return (struct small){v->text, v->lo, v->hi};
            }
        }
        if (!in_helper && !uniform && chance(60)) {
            if (tiled && chance(50))
                return (struct small){text("t.local[%d]", d), 0, tile[d] - 1};
            return (struct small){global_index(d), 0, 1023};
        }
        if (!in_helper && tiled && chance(30))
            return chance(50) ? (struct small){text("t.tile[%d]", d), 0, 7}
                              : (struct small){text("t.tile_origin[%d]", d), 0, 1023};
        if (!in_helper && chance(20))
            return (struct small){text("D%d", d), 1, 1023};
        int value = (int)pick(chance(80) ? 6 : 40);
        return (struct small){text("%d", value), value, value};
    }
    a = small(uniform, depth - 1);
    int k = 1 + (int)pick(chance(70) ? 5 : 20);
    switch (pick(9)) {
    case 0:
    case 1:
        b = small(uniform, depth - 1);
        if (a.hi > 1000000 || b.hi > 1000000 || a.lo < -1000000 || b.lo < -1000000)
            return a;
        return (struct small){text("(%s + %s)", a.text, b.text), a.lo + b.lo, a.hi + b.hi};
    case 2:
        b = small(uniform, depth - 1);
        if (a.hi > 1000000 || b.hi > 1000000 || a.lo < -1000000 || b.lo < -1000000)
            return a;
        return (struct small){text("(%s - %s)", a.text, b.text), a.lo - b.hi, a.hi - b.lo};
    case 3:
        if (a.hi > 1000000 || a.lo < -1000000)
            return a;
        return (struct small){text("%s * %d", a.text, k), a.lo * k, a.hi * k};
    case 4:
        b = small(uniform, depth - 1);
        if (a.lo < 0 || b.lo < 0 || a.hi > 30000 || b.hi > 30000)
            return a;
        return (struct small){text("(%s * (%s))", a.text, b.text), a.lo * b.lo, a.hi * b.hi};
    case 5:
        return (struct small){text("(%s) / %d", a.text, k), a.lo / k, a.hi / k};
    case 6:
        return (struct small){text("(%s) %% %d", a.text, k + 1), a.lo < 0 ? -k : 0, k};
    case 7:
        k = (1 << pick(5)) - 1;
        return (struct small){text("(%s & %d)", a.text, k), 0, k};
    default:
        if (a.lo < 0)
            return a;
        return chance(50) || a.hi > 10000 ? (struct small){text("(%s >> 1)", a.text), a.lo >> 1, a.hi >> 1}
                                          : (struct small){text("(%s << 2)", a.text), a.lo << 2, a.hi << 2};
    }
}

/* Something from 0 to bound - 1. */
static char *in_range(const char *limit, bool uniform, int depth)
{
    if (chance(70) || depth <= 0) {
        struct small s = small(uniform, 2);
        if (s.lo >= 0)
            return text("(%s) %% (%s)", s.text, limit);
        return text("(int)((unsigned)(%s) %% (unsigned)(%s))", s.text, limit);
    }
    char *e = expression(chance(80) ? U32 : U16, uniform, depth - 1);
    return text("(int)((unsigned)(%s) %% (unsigned)(%s))", e, limit);
}

char *subscript(struct bound b, bool uniform, int depth)
{
    bool own = !uniform && !in_helper && b.dim >= 0 && chance(75);
    if (own && b.dim == PRODUCT) {
        char *i = global_index(0), *j = rank > 1 ? global_index(1) : NULL, *k = rank > 2 ? global_index(2) : NULL;
        return rank == 1 ? i : rank == 2 ? text("%s * D1 + %s", i, j) : text("(%s * D1 + %s) * D2 + %s", i, j, k);
    }
    if (own) {
        char *i = global_index(b.dim);
        int k = b.plus ? (int)pick((unsigned)b.plus + 1) : 0;
        switch (pick(5)) {
        case 0:
            if (b.times == 1)
                return text("D%d - 1 - %s + %d", b.dim, i, k);
            return text("%d * %s + %d", b.times, i, pick((unsigned)(b.times + b.plus)));
        case 1: /* a neighbour, as far as there is one */
            k = (int)pick(5) - 2;
            return text("(%s + %d < 0 ? 0 : %s + %d >= %s ? %s - 1 : %s + %d)", i, k, i, k, b.text, b.text, i, k);
        default:
            if (b.times > 1 && chance(70))
                return text("%d * %s + %d", b.times, i, pick((unsigned)(b.times + b.plus)));
            return k ? text("%s + %d", i, k) : i;
        }
    }
    return in_range(b.text, uniform, depth);
}

char *member(int element, char *value, enum type *type)
{
    if (element < STRUCTS) {
        *type = (enum type)element;
        return value;
    }
    int m = (int)pick((unsigned)structs[element - STRUCTS].n);
    *type = structs[element - STRUCTS].members[m];
    return text("%s.m%d", value, m);
}

static char *own_element(const struct array *a, int depth)
{
    if (!a->n_own)
        return text("%s%s", a->name, a->own);
    char *which = in_range(text("%d", a->n_own), false, depth);
    return text("%s%s[%s]", a->name, a->own, which);
}

char *element_of(const struct array *a, bool uniform, int depth)
{
    if (a->access == OWN_ELEMENT)
        return own_element(a, depth);
    char *subscripts = "";
    for (int r = 0; r < a->rank; r++)
        subscripts = text("%s[%s]", subscripts, subscript(a->bounds[r], uniform, depth));
    return text("%s%s", a->name, subscripts);
}

char *row_of(const struct array *a, const char *subscripts)
{
    return is_cpp ? text("&%s%s[0]", a->name, subscripts) : text("%s%s", a->name, subscripts);
}

char *shared_read(const struct shared *s, bool uniform)
{
    if (s->rank == 0)
        return s->name;
    if (s->state == OWN)
        return text("%s%s", s->name, s->own);
    char *parts[3] = {0};
    for (int r = 0; r < s->rank; r++) {
        int n = s->n[r], k = (int)pick(4);
        char *i = text("t.local[%d]", s->dim[r]);
        switch (uniform || in_helper ? 9 : pick(6)) {
        case 0:
            parts[r] = i;
            break;
        case 1:
            parts[r] = text("(%s + %d) %% %d", i, k, n);
            break;
        case 2:
            parts[r] = text("(%d - %s)", n - 1, i);
            break;
        case 3:
            parts[r] = text("(%s ^ %d) %% %d", i, k, n);
            break;
        default:
            parts[r] = in_range(text("%d", n), uniform, 1);
        }
        if (s->times[r] > 1)
            parts[r] = text("%d * (%s)", s->times[r], parts[r]);
    }
    char *subscripts = "";
    if (s->flat) {
        subscripts = parts[0];
        for (int r = 1; r < s->rank; r++)
            subscripts = text("(%s) * %d + (%s)", subscripts, s->n[r], parts[r]);
        return text("%s[%s]", s->name, subscripts);
    }
    for (int r = 0; r < s->rank; r++)
        subscripts = text("%s[%s]", subscripts, parts[r]);
    return text("%s%s", s->name, subscripts);
}

/* Reads something that is in memory; NULL if nothing fits. */
static char *memory_read(enum type type, bool uniform, int depth)
{
    enum type from;
    if (scope.n_shared && chance(50)) {
        const struct shared *s = &scope.shared[pick((unsigned)scope.n_shared)];
        if (s->state == SHARED || (s->state == OWN && s->rank && !uniform))
            return convert(shared_read(s, uniform), s->type, type);
    }
    if (!scope.n_arrays)
        return NULL;
    const struct array *a = &scope.arrays[pick((unsigned)scope.n_arrays)];
    if (a->access == COUNTED || (uniform && a->access != READ))
        return NULL;
    char *element = element_of(a, uniform, depth), *value;
    /* Sometimes one that not all threads read. */
    value = member(a->element, element, &from);
    const struct bound *last = &a->bounds[a->rank - 1];
    if (!uniform && !in_helper && a->access == READ && a->rank == 1 && last->dim >= 0 && last->dim < rank &&
        chance(25)) {
        char *i = global_index(last->dim);
        int k = 1 + (int)pick(3);
        value = member(a->element, text("%s[%s + %d]", a->name, i, k), &from);
        char *other = literal(type);
        return text("(%s + %d < %s ? %s : %s)", i, k, last->text, convert(value, from, type), other);
    }
    return convert(value, from, type);
}

char *leaf(enum type type, bool uniform, int depth)
{
    unsigned which = pick(100);
    if (which < 45 && scope.n_variables)
        for (int tries = 0; tries < 5; tries++) {
            const struct variable *v = &scope.variables[pick((unsigned)scope.n_variables)];
            if (!uniform || v->uniform)
                return convert(v->text, v->type, type);
        }
    if (which < 75 && n_reads < 12) {
        n_reads++;
        char *read = memory_read(type, uniform, depth > 0 ? 1 : 0);
        if (read)
            return read;
    }
    if (which < 92) {
        char *s = small(uniform, 1).text;
        return convert(s, I32, type);
    }
    return literal(type);
}

/* Compares an index with the border of the domain, or with one near it. */
static char *guard(const char *comparison)
{
    static const char *const casts[] = {"", "", "(unsigned)", "(int64_t)"};
    unsigned d = pick((unsigned)rank);
    int distance = (int)pick(chance(50) ? 3 : 20);
    const char *cast = casts[pick(4)], *index = global_index((int)d);
    if (tiled && chance(30))
        index = text("(t.tile[%u] * %d + t.local[%u])", d, tile[d], d);
    if (chance(30))
        index = text("(%s - %d)", index, distance);
    char *border = chance(30) ? text("%d", distance) : text("(D%u - %d)", d, distance);
    return chance(50) ? text("%s%s %s %s%s", cast, index, comparison, cast, border)
                      : text("%s%s %s %s%s", cast, border, comparison, cast, index);
}

char *condition(bool uniform, int depth)
{
    static const char *const comparisons[] = {"<", ">", "<=", ">=", "==", "!="};
    const char *comparison = comparisons[pick(6)];
    if (!uniform && !in_helper && chance(20))
        return node(guard(comparison), "1");
    switch (depth <= 0 ? pick(4) : 1 + pick(8)) {
    case 0:
    case 1: {
        struct small a = small(uniform, 2), b = small(uniform, 1);
        return node(text("%s %s %s", a.text, comparison, b.text), "1");
    }
    case 2: {
        struct small a = small(uniform, 1);
        int mask = 1 + (int)pick(3);
        return node(text("(%s & %d) %s 0", a.text, mask, chance(50) ? "==" : "!="), "1");
    }
    case 3:
    case 4: {
        static const enum type likely[] = {I32, U32, F32, I32, F32, F64, I64, U64, U8, I16, F16, BF16};
        enum type type = likely[pick(12)];
        char *a = expression(type, uniform, depth - 1), *b = expression(type, uniform, depth - 2);
        return node(text("%s %s %s", a, comparison, b), "1");
    }
    case 5:
    case 6: {
        char *a = condition(uniform, depth - 1), *b = condition(uniform, depth - 1);
        return node(text("(%s) %s (%s)", a, chance(50) ? "&&" : "||", b), "1");
    }
    case 7: {
        char *a = condition(uniform, depth - 1);
        return node(text("!(%s)", a), "0");
    }
    default:
        return node(text("%s", expression(BOOL, uniform, depth - 1)), "1");
    }
}

char *call(const struct helper *h, int depth)
{
    char *args = "";
    for (int p = 0; p < h->n; p++) {
        char *arg = NULL;
        if (h->params[p] >= POINTER) {
            for (int at = 0; at < scope.n_variables; at++) {
                const struct variable *v = &scope.variables[at];
                if ((int)v->type == h->params[p] - POINTER && !v->uniform && !v->fixed && (!arg || chance(50)))
                    arg = text("&%s", v->text);
            }
            if (!arg)
                return NULL;
        } else if (h->params[p] >= STRUCTS) {
            int which = h->params[p] - STRUCTS;
            for (int at = 0; at < scope.n_aggregates; at++)
                if (scope.aggregates[at].which == which && (!arg || chance(50)))
                    arg = scope.aggregates[at].name;
            for (int at = 0; !arg && at < scope.n_arrays; at++)
                if (scope.arrays[at].element == h->params[p])
                    arg = element_of(&scope.arrays[at], false, 0);
            if (!arg) {
                arg = text("(struct s_%s){", structs[which].letters);
                for (int m = 0; m < structs[which].n; m++)
                    arg = text("%s%s%s", arg, m ? ", " : "", expression(structs[which].members[m], false, depth - 2));
                arg = text("%s}", arg);
            }
        } else
            arg = expression((enum type)h->params[p], false, depth - 1);
        args = text("%s%s%s", args, p ? ", " : "", arg);
    }
    args = text("%s%s%s & 31", args, h->n ? ", " : "", small(false, 1).text);
    if (h->array >= 0) {
        const struct array *a = NULL;
        for (int at = 0; at < scope.n_arrays; at++)
            if (scope.arrays[at].element == h->array &&
                (scope.arrays[at].access == READ || scope.arrays[at].access == PRIVATE) && (!a || chance(50)))
                a = &scope.arrays[at];
        if (!a)
            return NULL;
        char *row = "";
        for (int r = 0; r + 1 < a->rank; r++)
            row = text("%s[%s]", row, subscript(a->bounds[r], false, 0));
        args = text("%s, %s, %s", args, row_of(a, row), a->bounds[a->rank - 1].text);
    }
    return text("%s(%s)", h->name, args);
}

static char *integer(enum type type, bool uniform, int depth)
{
    bool is_signed = type == I32 || type == I64, wide = type == I64 || type == U64;
    enum type other = type == I32 ? U32 : type == I64 ? U64 : type, narrow = wide ? I32 : I16;
    int bits = wide ? 64 : 32;
    char *a, *b, *c;
    switch (pick(16)) {
    case 0:
    case 1:
    case 2:
    case 3: {
        static const char operators[] = "+-*&|^";
        a = expression(other, uniform, depth - 1), b = expression(other, uniform, depth - 1);
        char *sum = text("(%s %c %s)", a, operators[pick(6)], b);
        return is_signed ? text("(%s)%s", types[type].c, sum) : sum;
    }
    case 4: /* signed, and it cannot overflow */
        a = expression(narrow, uniform, depth - 1), b = expression(narrow, uniform, depth - 1);
        return text("(%s)((%s)(%s) %c %s)", types[type].c, types[wide ? I64 : I32].c, a, "+-*"[pick(3)], b);
    case 5:
        a = expression(type, uniform, depth - 1), b = expression(wide && chance(30) ? U64 : U32, uniform, depth - 2);
        return text("(%s >> (%s & %d))", a, b, bits - 1);
    case 6:
        a = expression(other, uniform, depth - 1), b = expression(U32, uniform, depth - 2);
        return text("(%s)(%s << (%s & %d))", types[type].c, a, b, bits - 1);
    case 7:
        a = expression(type, uniform, depth - 1), b = expression(type, uniform, depth - 2);
        return text("(%s %c ((%s & 255) + 1))", a, "/%"[pick(2)], b);
    case 8:
    case 9:
        c = condition(uniform, depth - 1), a = expression(type, uniform, depth - 1),
        b = expression(type, uniform, depth - 1);
        return text("(%s ? %s : %s)", c, a, b);
    case 10:
        c = condition(uniform, depth - 1);
        return text("(%s)(%s)", types[type].c, c);
    case 11:
        a = expression(other, uniform, depth - 1);
        return text("(%s)(%c%s)", types[type].c, "~-"[pick(2)], a);
    case 12: {
        static const enum type from[] = {F32, F64, I8, U8, I16, U16, I32, U32, I64, U64, BOOL, F32, F16, BF16};
        enum type source = from[pick(14)];
        a = expression(source, uniform, depth - 1);
        return convert(a, source, type);
    }
    case 13: {
        a = expression(wide ? U64 : U32, uniform, depth - 1);
        const char *suffix = wide ? "ll" : "";
        switch (pick(4)) {
        case 0:
            return text("(%s)__builtin_popcount%s(%s)", types[type].c, suffix, a);
        case 1:
            return text("(%s)__builtin_clz%s(%s | 1)", types[type].c, suffix, a);
        case 2:
            return text("(%s)__builtin_ctz%s(%s | 16)", types[type].c, suffix, a);
        default:
            return text("(%s)__builtin_bswap%d(%s)", types[type].c, bits, a);
        }
    }
    default:
        a = small(uniform, 3).text;
        return text("(%s)(%s)", types[type].c, a);
    }
}

static char *real(enum type type, bool uniform, int depth)
{
    const char *suffix = type == F64 ? "" : "f"; /* there are no functions of small types */
    char *a, *b, *c;
    switch (pick(13)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        a = expression(type, uniform, depth - 1), b = expression(type, uniform, depth - 1);
        return text("(%s %c %s)", a, "+-*/+-*"[pick(7)], b);
    case 5:
    case 6:
        c = condition(uniform, depth - 1), a = expression(type, uniform, depth - 1),
        b = expression(type, uniform, depth - 1);
        return text("(%s ? %s : %s)", c, a, b);
    case 7:
        a = expression(type, uniform, depth - 1);
        return chance(50) ? text("(-%s)", a) : text("sqrt%s(fabs%s(%s))", suffix, suffix, a);
    case 8: {
        static const char *const rounding[] = {"floor", "ceil", "trunc", "rint", "fabs", "round", "nearbyint"};
        a = expression(type, uniform, depth - 1);
        return text("%s%s(%s)", rounding[pick(7)], suffix, a);
    }
    case 9:
        a = expression(type, uniform, depth - 1), b = expression(type, uniform, depth - 1);
        return text("%s_%s(%s, %s)", chance(50) ? "sign" : "least", type == F64 ? "f64" : "f32", a, b);
    case 10:
        a = expression(type, uniform, depth - 1), b = expression(type, uniform, depth - 1);
        c = expression(type, uniform, depth - 1);
        return text("fma%s(%s, %s, %s)", suffix, a, b, c);
    default: {
        static const enum type from[] = {I32, U32, I64, U64, I8, U8, I16, U16, F32, F64, BOOL, F16, BF16};
        enum type source = from[pick(13)];
        a = expression(source, uniform, depth - 1);
        return convert(a, source, type);
    }
    }
}

char *expression(enum type type, bool uniform, int depth)
{
    char *full = NULL;
    if (depth > 0 && !uniform && scope.n_helpers && chance(8)) {
        const struct helper *h = &scope.helpers[pick((unsigned)scope.n_helpers)];
        /* C leaves open whether what it changes is read before or after. */
        char *value = h->by_pointer ? NULL : call(h, depth);
        if (value) {
            enum type from;
            value = member(h->result, value, &from);
            full = convert(value, from, type);
        }
    }
    if (full)
        ;
    else if (depth <= 0 || chance(12))
        full = leaf(type, uniform, depth);
    else if (is_float(type))
        full = real(type, uniform, depth);
    else if (type == BOOL)
        full = chance(60) ? text("(%s)", condition(uniform, depth - 1))
                          : text("(bool)(%s)", expression(F32, uniform, depth - 1));
    else if (type < I32) {
        enum type wide = chance(50) ? I32 : U32;
        full = text("(%s)(%s)", types[type].c, expression(wide, uniform, depth - 1));
    } else
        full = integer(type, uniform, depth);
    return node(full, types[type].zero);
}

char *value(enum type type, bool uniform, int depth)
{
    n_reads = 0;
    return expression(type, uniform, depth);
}

enum type any_type(void)
{
    static const enum type likely[] = {I32, I32, U32, F32,  F32, F64, I64, U64, I8,
                                       U8,  I16, U16, BOOL, I32, F32, F16, BF16};
    return likely[pick(17)];
}
