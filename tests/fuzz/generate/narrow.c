/* SPDX-License-Identifier: MIT
 *
 * Ints computed from numbers of 8 and 16 bits, as of pictures and sounds. What they may be is known, so that nothing
 * overflows. */
#include "generate.h"

enum { MOST = 1 << 29 };

static struct small of_type(enum type type, char *e)
{
    int bits = type == BOOL ? 1 : type == I8 || type == U8 ? 8 : 16;
    bool is_signed = type == I8 || type == I16;
    return (struct small){text("(int)(%s)(%s)", types[type].c, e), is_signed ? -(1 << (bits - 1)) : 0,
                          (1 << (bits - is_signed)) - 1};
}

static struct small narrow_leaf(void)
{
    static const enum type from[] = {U8, U8, U8, I8, I16, I16, U16, BOOL};
    static const int constants[] = {0, 1, -1, 2, 7, 127, 128, 255, 256, 1000, 32767, -32768, 32768, 65535};
    if (chance(25)) {
        int number = constants[pick(14)];
        return (struct small){text("(%d)", number), number, number};
    }
    enum type type = from[pick(8)];
    return of_type(type, expression(type, false, (int)pick(3)));
}

static struct small narrow(int depth);

static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!="};

/* Whether a sum of bytes, constants and conditions is some number, or in a range. */
static char *count_condition(void)
{
    char *sum = text("%d", chance(70) ? 0 : (int)pick(255));
    for (int n = 2 + (int)pick(7); n > 0; n--) {
        enum type type = chance(70) ? U8 : BOOL;
        sum = text(chance(60) ? "(%s + %s)" : "(%2$s + %1$s)", sum,
                   of_type(type, expression(type, false, (int)pick(2))).text);
    }
    int with = (int)pick(chance(50) ? 8 : 300), length = (int)pick(9);
    const char *compare = comparisons[pick(6)];
    switch (pick(4)) {
    case 0:
        return text("(%s >= %d && %s < %d)", sum, with, sum, with + length);
    case 1:
        return text("(%s == %d || %s == %d)", sum, with, sum, with + 1);
    case 2:
        return text("((%s & %d) == %d)", sum, -1 << pick(4), with);
    default:
        return text("(%s %s %d)", sum, compare, with);
    }
}

static char *narrow_condition(int depth)
{
    if (chance(25))
        return count_condition();
    struct small a = narrow(depth), b = narrow(depth);
    const char *as = chance(30) ? "(unsigned)" : "";
    return text("(%s%s %s %s%s)", as, a.text, comparisons[pick(6)], as, b.text);
}

static struct small narrow(int depth)
{
    if (depth <= 0 || chance(15))
        return narrow_leaf();
    struct small a = narrow(depth - 1), b = narrow(depth - 1);
    bool are_small = a.hi < MOST && a.lo > -MOST && b.hi < MOST && b.lo > -MOST;
    bool are_short = a.hi < 1 << 14 && a.lo > -(1 << 14) && b.hi < 1 << 14 && b.lo > -(1 << 14);
    int k = (int)pick(chance(80) ? 9 : 32), low = a.lo < b.lo ? a.lo : b.lo, high = a.hi > b.hi ? a.hi : b.hi, all = 1;
    while (all < high)
        all = 2 * all + 1;
    switch (are_small ? pick(11) : 4) {
    case 0:
    case 1:
        return (struct small){text("(%s + %s)", a.text, b.text), a.lo + b.lo, a.hi + b.hi};
    case 2:
    case 3:
        return (struct small){text("(%s - %s)", a.text, b.text), a.lo - b.hi, a.hi - b.lo};
    case 4:
        return (struct small){text("(%s >> %d)", a.text, k), a.lo >> k, a.hi >> k};
    case 5: {
        static const enum type to[] = {U8, I8, I16, U16};
        return of_type(to[pick(4)], a.text);
    }
    case 6:
        if (low < 0)
            return chance(50) ? (struct small){text("(%s & %d)", a.text, 255 << k % 7), 0, 255 << k % 7} : a;
        return (struct small){text("(%s %c %s)", a.text, "&|^"[pick(3)], b.text), 0, all};
    case 7:
        return (struct small){text("(%s ? %s : %s)", narrow_condition(depth - 2), a.text, b.text), low, high};
    case 8:
        return (struct small){text("(%s %c %s ? %s : %s)", a.text, "<>"[pick(2)], b.text, a.text, b.text), low, high};
    case 9: {
        int most = -a.lo > a.hi ? -a.lo : a.hi;
        return (struct small){text("(%s < 0 ? -%s : %s)", a.text, a.text, a.text), 0, most < 0 ? 0 : most};
    }
    default:
        if (are_short) {
            int most = (-low > high ? -low : high) + 1;
            return (struct small){text("(%s * %s)", a.text, b.text), -most * most, most * most};
        }
        return (struct small){text("(int)%s", narrow_condition(depth - 2)), 0, 1};
    }
}

void narrow_numbers(void)
{
    static const enum type to[] = {I32, U8, I16, U32, BOOL, I64, F32};
    struct mark mark = begin_statement();
    enum type type = to[pick(7)];
    char *v = name("n"), *e = chance(20) ? narrow_condition(3) : narrow(2 + (int)pick(3)).text;
    line("%s %s = (%s)%s;", types[type].c, v, types[type].c, e);
    add_variable(v, type, false, false);
    end_statement(mark);
}
