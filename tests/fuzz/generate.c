/* SPDX-License-Identifier: MIT
 *
 * generate SEED [COUNT] [DROP...]: writes a C program with COUNT random kernels, of seeds SEED, SEED + 1 and so on,
 * that compares each with the same text compiled for one thread (fuzz.h). A kernel depends on its own seed alone.
 *
 * Kernels are free of undefined behaviour and of races by construction:
 *
 * - Arithmetic that could overflow is unsigned, or on operands that are narrow or whose range is known (struct small).
 *   Divisors are positive, shift counts and indices masked, floating point converts to integers by guarded functions.
 * - Arrays that are written have a map from threads to their own elements, and no thread touches another one's.
 * - A tile_static array is at each place of the program either in OWN state, where a thread touches only its own
 *   element, or in SHARED state, where all only read it, or in ATOMIC state, where all apply one atomic operation,
 * whose order does not matter. States change at barriers; loops and branches end in the state that they began in.
 * - Code is strict as long as all threads of a tile run it together. Barriers, and assignments to uniform variables,
 *   are only in strict code: strict branches and loops have uniform conditions and no jumps that threads take alone.
 *
 * For the reducer, each statement and each expression has a number; what is listed in DROP is left out, or replaced by
 * a constant, without a change to the random choices behind it. -n prints how many numbers there are. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { BOOL, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64, N_TYPES };

static const struct {
    const char *c, *name, *zero;
    char letter;
} types[] = {
    {"bool", "bool", "1", '?'},           {"int8_t", "i8", "1", 'c'},
    {"uint8_t", "u8", "1", 'C'},          {"int16_t", "i16", "1", 'h'},
    {"uint16_t", "u16", "1", 'H'},        {"int32_t", "i32", "1", 'i'},
    {"uint32_t", "u32", "1u", 'I'},       {"int64_t", "i64", "1ll", 'l'},
    {"uint64_t", "u64", "1ull", 'L'},     {"_Float16", "f16", "(_Float16)1", 'e'},
    {"__bf16", "bf16", "(__bf16)1", 'E'}, {"float", "f32", "1.0f", 'f'},
    {"double", "f64", "1.0", 'd'},
};

enum { STRUCTS = 32 }; /* element STRUCTS + i is structs[i] */
static const struct {
    const char *letters;
    int n;
    enum type members[4];
} structs[] = {
    {"ff", 2, {F32, F32}},
    {"fff", 3, {F32, F32, F32}},
    {"ffff", 4, {F32, F32, F32, F32}},
    {"ii", 2, {I32, I32}},
    {"if", 2, {I32, F32}},
    {"dd", 2, {F64, F64}},
    {"dif", 3, {F64, I32, F32}},
    {"hhhh", 4, {I16, I16, I16, I16}},
    {"bbbb", 4, {U8, U8, U8, U8}},
    {"bbhf", 4, {U8, U8, U16, F32}},
    {"lul", 3, {I64, U32, U32}},
    {"ee", 2, {F16, F16}},
    {"EeEe", 4, {BF16, F16, BF16, F16}},
    {"eEi", 3, {F16, BF16, I32}},
};
enum { N_STRUCTS = sizeof structs / sizeof *structs };

/* ---- random numbers, text, numbered nodes ---- */

static uint64_t random_state;

static unsigned pick(unsigned n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ z >> 31) >> 33) % n;
}

static bool chance(unsigned percent)
{
    return pick(100) < percent;
}

/* Formats into memory that is never freed. */
__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...)
{
    va_list args;
    char *result;
    va_start(args, format);
    if (vasprintf(&result, format, args) < 0)
        abort();
    va_end(args);
    return result;
}

static char *out;
static size_t out_length, out_capacity;
static int indent;

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    va_list args;
    char *string;
    va_start(args, format);
    if (vasprintf(&string, format, args) < 0)
        abort();
    va_end(args);
    size_t length = strlen(string), needed = out_length + length + 4 * (size_t)indent + 2;
    if (needed > out_capacity && !(out = realloc(out, out_capacity = 2 * needed)))
        abort();
    out_length += (size_t)sprintf(out + out_length, "%*s%s\n", *string && *string != '#' ? 4 * indent : 0, "", string);
    free(string);
}

static int n_nodes;
static bool *drop;
static int drop_capacity;

static bool is_dropped(int node)
{
    return node < drop_capacity && drop[node];
}

/* An expression that the reducer may replace by `simple`. */
static char *node(char *full, const char *simple)
{
    return is_dropped(n_nodes++) ? text("%s", simple) : full;
}

/* A statement that the reducer may leave out: between the two calls. */
struct mark {
    size_t length;
    int node;
};

static struct mark begin_statement(void)
{
    return (struct mark){out_length, n_nodes++};
}

static void end_statement(struct mark mark)
{
    if (is_dropped(mark.node))
        out_length = mark.length;
}

/* ---- what is in scope ---- */

struct variable {
    char *text;
    enum type type;
    bool uniform, fixed; /* the same in all threads of a tile; not to be assigned */
    bool is_small;       /* between lo and hi */
    int lo, hi;
};

/* An array bound: times * D<dim> + plus; `plus` alone if dim < 0; D0 * D1 * ... if dim == PRODUCT. */
enum { PRODUCT = 9 };
struct bound {
    int dim, times, plus;
    char *text;
};

enum access { READ, OWN_ELEMENT, PRIVATE, COUNTED };
struct array {
    char *name;
    int element; /* type, or STRUCTS + i */
    enum access access;
    int rank;
    struct bound bounds[4];
    const char *operation; /* of COUNTED: the atomic operation by which alone it is touched */
    char *own; /* of OWN_ELEMENT: subscripts of the thread's element; ends in "[%s]" if it has `n_own` of them */
    int n_own;
};

struct shared {
    char *name;
    enum type type;
    enum state { OWN, SHARED, ATOMIC } state;
    const char *operation; /* in ATOMIC state; NULL: it never is */
    int rank;              /* 0: a scalar, of thread 0 */
    char *own;
    int n[3], dim[3], times[3]; /* subscript r is times[r] * (a number below n[r]), which stands for local[dim[r]] */
    bool flat;                  /* one subscript, n[0] * n[1] * n[2] elements */
};

struct aggregate {
    char *name;
    int which;
};

struct helper {
    char *name;
    int result;       /* type, or STRUCTS + i */
    int n, params[6]; /* type, STRUCTS + i, or POINTER + type: an int or so that it changes */
    int array;        /* element of an array parameter, -1: none; passed as pointer and count */
    bool by_pointer;
};
enum { POINTER = 64 };

static struct scope {
    int n_variables, n_arrays, n_shared, n_aggregates, n_helpers;
    struct variable variables[512];
    struct array arrays[128];
    struct shared shared[64];
    struct aggregate aggregates[64];
    struct helper helpers[8];
} scope;

/* How many of everything there were: the end of a block takes it back. */
struct level {
    int n_variables, n_arrays, n_shared, n_aggregates;
};

static struct level open_scope(void)
{
    return (struct level){scope.n_variables, scope.n_arrays, scope.n_shared, scope.n_aggregates};
}

static void close_scope(struct level level)
{
    scope.n_variables = level.n_variables, scope.n_arrays = level.n_arrays;
    scope.n_shared = level.n_shared, scope.n_aggregates = level.n_aggregates;
}

/* ---- the kernel under construction ---- */

static unsigned long seed;
static int rank, tile[3], n_names;
static bool tiled, in_helper, with_barriers;
static int result;    /* of the helper */
static char *waiting; /* the name of a helper that has barriers, or NULL */
static enum type waiting_type;
static int n_reads; /* of arrays, in the expression */

static char *name(const char *prefix)
{
    return text("%s%d", prefix, n_names++);
}

static void add_variable(char *lvalue, enum type type, bool uniform, bool fixed)
{
    if (scope.n_variables < 512)
        scope.variables[scope.n_variables++] = (struct variable){lvalue, type, uniform, fixed, false, 0, 0};
}

static void add_small(char *lvalue, bool uniform, int lo, int hi)
{
    if (scope.n_variables < 512)
        scope.variables[scope.n_variables++] = (struct variable){lvalue, I32, uniform, true, true, lo, hi};
}

static struct bound bound(int dim, int times, int plus)
{
    struct bound b = {dim, times, plus, NULL};
    if (dim == PRODUCT)
        b.text = rank == 1 ? "D0" : rank == 2 ? "D0 * D1" : "D0 * D1 * D2";
    else if (dim < 0)
        b.text = text("%d", plus);
    else if (times == 1)
        b.text = plus ? text("D%d + %d", dim, plus) : text("D%d", dim);
    else
        b.text = plus ? text("%d * D%d + %d", times, dim, plus) : text("%d * D%d", times, dim);
    return b;
}

/* ---- expressions ---- */

static char *expression(enum type type, bool uniform, int depth);

static bool is_float(int type)
{
    return type >= F16 && type <= F64;
}

static bool is_small_float(int type)
{
    return type == F16 || type == BF16;
}

static char *convert(char *value, enum type from, enum type to)
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

static char *literal(enum type type)
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
static char *global_index(int d)
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

/* An int whose range is known, so that signed arithmetic on it cannot overflow. */
struct small {
    char *text;
    int lo, hi;
};

static struct small small(bool uniform, int depth)
{
    struct small a, b;
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

static char *subscript(struct bound b, bool uniform, int depth)
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

static char *member(int element, char *value, enum type *type)
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

static char *element_of(const struct array *a, bool uniform, int depth)
{
    if (a->access == OWN_ELEMENT)
        return own_element(a, depth);
    char *subscripts = "";
    for (int r = 0; r < a->rank; r++)
        subscripts = text("%s[%s]", subscripts, subscript(a->bounds[r], uniform, depth));
    return text("%s%s", a->name, subscripts);
}

static char *shared_read(const struct shared *s, bool uniform)
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

static char *leaf(enum type type, bool uniform, int depth)
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

static char *condition(bool uniform, int depth)
{
    static const char *const comparisons[] = {"<", ">", "<=", ">=", "==", "!="};
    const char *comparison = comparisons[pick(6)];
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

/* A call of a helper; NULL if it is one that changes variables and none are given. */
static char *call(const struct helper *h, int depth)
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
        args = text("%s, %s%s, %s", args, a->name, row, a->bounds[a->rank - 1].text);
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

static char *expression(enum type type, bool uniform, int depth)
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

static char *value(enum type type, bool uniform, int depth)
{
    n_reads = 0;
    return expression(type, uniform, depth);
}

static enum type any_type(void)
{
    static const enum type likely[] = {I32, I32, U32, F32,  F32, F64, I64, U64, I8,
                                       U8,  I16, U16, BOOL, I32, F32, F16, BF16};
    return likely[pick(17)];
}

/* ---- statements ---- */

struct context {
    bool strict; /* all threads of the tile are here together */
    bool loop, jumps, in_switch, returns;
    int depth, loops;
    const enum state *head; /* of the innermost loop, if strict: states at its begin, */
    int n_head;             /* of so many tile_static arrays */
    char *label;            /* behind this code, which is not strict, to jump to; or NULL */
};

static void statements(struct context c, int n);
static void use_locals(struct level level, unsigned percent);

static void assign(char *lvalue, enum type type, bool uniform)
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

/* ---- barriers ---- */

static void barrier(void)
{
    static const char *const fences[] = {"", "", "", "", "_with_all_memory_fence", "_with_tile_static_memory_fence"};
    line("amp_tile_barrier_wait%s(%s);", fences[pick(6)], in_helper ? "barrier" : "t.barrier");
}

static enum state *save_states(void)
{
    enum state *states = calloc(64, sizeof *states);
    for (int i = 0; i < scope.n_shared; i++)
        states[i] = scope.shared[i].state;
    return states;
}

static bool same_states(const enum state *states, int n)
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

/* At the end of a strict block: the states of its begin. What was declared in it may be declared again at once. */
static void restore_states(const enum state *states, int n)
{
    if (!same_states(states, n))
        barrier();
    set_states(states, n);
}

/* One whose order does not matter; NULL: there is none for the type. */
static const char *atomic_operation(enum type type)
{
    static const char *const operations[] = {"min", "max", "add", "sub", "and", "or", "xor", "add"};
    return type >= I32 && !is_small_float(type) ? text("amp_atomic_fetch_%s", operations[pick(is_float(type) ? 2 : 8)])
                                                : NULL;
}

/* A value for one: that of floating point is not 0, which has two signs. */
static char *atomic_operand(enum type type, int depth)
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

static void shared_statement(void)
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

static void call_waiting(void)
{
    struct mark mark = begin_statement();
    char *v = name("w"), *x = value(waiting_type, false, 2), *n = small(true, 1).text;
    line("%s %s = %s(t.barrier, %s, %s, %s & 3);", types[waiting_type].c, v, waiting, number_in_tile(), x, n);
    end_statement(mark);
    add_variable(v, waiting_type, false, false);
}

/* A tree reduction, as every textbook has it. */
static void reduction(struct context c)
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

/* ---- control flow ---- */

/* At the end of a block: makes what was computed in it matter to what is outside. */
static void use_locals(struct level level, unsigned percent)
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

static int few(void)
{
    return 1 + (int)pick(3);
}

static void branch(struct context c)
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

static void loop(struct context c)
{
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
    switch (pick(5)) {
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
    default:
        add_small(k, strict, 0, trips + 3);
        line("for (int %s = %d; %s < %s; %s%s) {", k, start, k, limit, k, chance(70) ? "++" : " += 2");
        block(c, n);
        line("}");
    }
    close_scope(level);
    end_statement(mark);
}

static void choice(struct context c)
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

/* A way over a block; from inside of one that is not strict, threads may leave for the label, too. */
static void jump_over(struct context c)
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

static void jump(struct context c)
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

/* ---- variables, arrays, structs, pointers ---- */

static void declare(struct context c)
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

static void declare_array(void)
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
    line("%s%s *%s = %s%s;", writable ? "" : "const ", type, a.name, from->name, row);
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
        char *element = text("%s[%s]", a->name, subscript(a->bounds[0], chance(20), 1));
        char *e = atomic_operand((enum type)a->element, 2);
        line("%s(&%s, %s);", a->operation, element, e);
        end_statement(mark);
    } else if (is_writable(a) && a->element >= I32 && a->element <= F64 && !is_small_float(a->element)) {
        static const char *const operations[] = {"fetch_add", "exchange",  "fetch_min",
                                                 "fetch_max", "fetch_xor", "fetch_and"};
        enum type type = (enum type)a->element;
        struct mark mark = begin_statement();
        n_reads = 0;
        char *element = element_of(a, false, 1), *v = name("old"), *e = atomic_operand(type, 1), *test = literal(type);
        if (chance(30)) {
            line("%s %s = %s;", types[type].c, v, test);
            line("if (amp_atomic_compare_exchange(&%s, &%s, (%s)%s))", element, v, types[type].c, e);
            line("    %s = %s;", v, literal(type));
        } else
            line("%s %s = amp_atomic_%s(&%s, (%s)%s);", types[type].c, v, operations[pick(is_float(type) ? 4 : 6)],
                 element, types[type].c, e);
        end_statement(mark);
        add_variable(v, type, false, false);
    }
}

/* A sum along a dimension of an array: all of it, or what lies behind the thread. */
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
    const char *prefix = chance(30) ? "__builtin_" : "";
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
    else if (which < 73 && scope.n_arrays)
        atomic();
    else if (which < 80 && scope.n_arrays)
        write_array();
    else if (which < 82)
        assign_struct();
    else if (which < 85)
        call_statement();
    else if (which < 88)
        memory_function();
    else if (c.depth < 3 && which < 90)
        jump_over(c);
    else {
        struct variable *v = assignable(c);
        if (v) {
            struct mark mark = begin_statement();
            assign(v->text, v->type, v->uniform);
            end_statement(mark);
        }
    }
}

static void statements(struct context c, int n)
{
    for (int i = 0; i < n; i++)
        statement(c);
}

/* ---- functions ---- */

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
    a.element = (int)likely[pick(7)];
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
    if (chance(15) && a.rank < 3)
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

/* Where each launch of the kernel gets its sizes from. */
static void generate_launches(int n)
{
    static const int last[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 47, 48, 49, 63, 64, 65, 97};
    static const int others[] = {1, 2, 3, 4, 5, 7, 8, 9};
    line("static const int launches_%lu[][6] = {", seed);
    for (int l = 0; l < n; l++) {
        int D[3] = {1, 1, 1}, extent[3] = {1, 1, 1};
        for (int d = 0; d < rank; d++) {
            D[d] = tiled           ? tile[d] * (1 + (int)pick(tile[d] > 64 ? 2 : 3))
                   : d == rank - 1 ? last[pick(22)]
                                   : others[pick(8)];
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

static void generate_kernel(void)
{
    enum { N_LAUNCHES = 3 };
    static const char *const sizes[] = {"D0", "D0, int D1", "D0, int D1, int D2"}, *const calls[] = {
                                                                                       "D[0]", "D[0], D[1]",
                                                                                       "D[0], D[1], D[2]"};
    random_state = seed * 0xd1342543de82ef95u; /* no multiple of the step in pick: streams must not overlap */
    n_names = 0, indent = 0, in_helper = false;
    memset(&scope, 0, sizeof scope);
    rank = 1 + (int)pick(3);
    tiled = chance(50);
    with_barriers = tiled && chance(80);
    choose_tile();
    int n_outputs = 1 + (int)pick(3), n_inputs = 1 + (int)pick(3), n_tables = (int)pick(2), n_scalars = (int)pick(4);
    int n_counted = chance(30);
    line("/* ---- %lu ---- */", seed);
    line("%s", "");
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
        add_output(i, i == 0);
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
    char *params, *index, *passed = "", *given = "";
    if (tiled) {
        const char *dims = rank == 1   ? text("%d", tile[0])
                           : rank == 2 ? text("%d, %d", tile[0], tile[1])
                                       : text("%d, %d, %d", tile[0], tile[1], tile[2]);
        params = text("amp_tiled_index%d(%s) t", rank, dims);
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
    for (int i = 0; i < n_arrays; i++) {
        const struct array *a = &scope.arrays[first + i];
        params = text("%s, %s%s %s", params, a->access == READ ? "const " : "", element_type(a), a->name);
        for (int r = 0; r < a->rank; r++)
            params = text("%s[%s]", params, a->bounds[r].text);
        given = text("%s, %%s[%d]", given, i);
    }

    /* 3. The kernel: strict code, then code in which threads may return on their own, then the hash. */
    line("void K(k%lu)(%s) restrict(amp)", seed, params);
    line("{");
    indent = 1;
    struct context c = {.strict = true};
    for (int n = 2 + (int)pick(3); n; n--)
        declare(c);
    if (chance(40))
        declare_array();
    statements(c, 4 + (int)pick(5));
    c.strict = false, c.returns = true;
    statements(c, (int)pick(5));
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
    line("static amp_status launch_%lu(amp_extent extent, amp_array_view **v)", seed);
    line("{");
    list = "";
    for (int i = 0; i < n_arrays; i++)
        list = text("%s, v[%d]", list, i);
    line("    return amp_parallel_for_each(extent, k%lu%s%s);", seed, passed, list);
    line("}");
    line("#define KERNEL_%lu {%lu, %d, %d, %d, launches_%lu, arrays_%lu, shape_%lu, launch_%lu, reference_%lu}", seed,
         seed, rank, N_LAUNCHES, n_arrays, seed, seed, seed, seed, seed);
    line("#endif");
    line("%s", "");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: generate SEED [COUNT] [DROP...]\n");
        return 1;
    }
    unsigned long start = strtoul(argv[1], NULL, 10), count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    bool ask = argc > 3 && strcmp(argv[3], "-n") == 0;
    for (int i = 3; i < argc && !ask; i++) {
        int node = atoi(argv[i]);
        if (node >= drop_capacity) {
            drop = realloc(drop, (size_t)(node + 1) * sizeof *drop);
            memset(drop + drop_capacity, 0, (size_t)(node + 1 - drop_capacity) * sizeof *drop);
            drop_capacity = node + 1;
        }
        drop[node] = true;
    }
    line("/* generate %lu %lu */", start, count);
    line("#include \"fuzz.h\"");
    line("%s", "");
    for (seed = start; seed < start + count; seed++)
        generate_kernel();
    line("#ifndef FUZZ_REFERENCE");
    line("int main(void)");
    line("{");
    line("    static const struct fuzz_kernel kernels[] = {");
    for (seed = start; seed < start + count; seed++)
        line("        KERNEL_%lu,", seed);
    line("    };");
    line("    return fuzz_main(kernels, %lu);", count);
    line("}");
    line("#endif");
    if (ask)
        printf("%d\n", n_nodes);
    else
        fwrite(out, 1, out_length, stdout);
    return 0;
}
