/* SPDX-License-Identifier: MIT
 *
 * Arithmetic that has no result. clang puts these checks into the code, as for its sanitizer for undefined behaviour,
 * whose words and data these are (compiler-rt, ubsan_handlers.cpp); the compiler gives its functions our names. */
#include "checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct location {
    const char *file;
    uint32_t line, column;
};

struct type {
    uint16_t kind; /* 0: an integer; 1: a floating-point number */
    uint16_t info; /* of an integer: 1 if it is signed, and the logarithm of its bits, times 2; else the bits */
    char name[];
};

struct overflow {
    struct location at;
    const struct type *type;
};

struct shift {
    struct location at;
    const struct type *left, *right;
};

struct conversion {
    struct location at;
    const struct type *from, *to;
};

struct builtin {
    struct location at;
    unsigned char kind; /* 0: __builtin_ctz; 1: __builtin_clz */
};

enum { VALUE_TEXT = 48 };

static bool is_signed(const struct type *type)
{
    return type->info & 1;
}

static int bits_of(const struct type *type)
{
    return 1 << (type->info >> 1);
}

/* An integer operand, which is passed without extension. */
static int64_t signed_value(const struct type *type, uintptr_t value)
{
    int unused = 64 - bits_of(type);
    return (int64_t)((uint64_t)value << unused) >> unused;
}

static const char *text_of(const struct type *type, uintptr_t value, char text[VALUE_TEXT])
{
    float single;
    double number;
    uint32_t low = (uint32_t)value;
    memcpy(&single, &low, sizeof single);
    memcpy(&number, &value, sizeof number);
    if (type->kind == 0 && is_signed(type))
        snprintf(text, VALUE_TEXT, "%" PRId64, signed_value(type, value));
    else if (type->kind == 0)
        snprintf(text, VALUE_TEXT, "%" PRIu64, (uint64_t)value);
    else if (type->info == 16)
        snprintf(text, VALUE_TEXT, "%g", amp__half_to_float((uint16_t)value));
    else
        snprintf(text, VALUE_TEXT, "%g", type->info == 32 ? single : number);
    return text;
}

static bool is_negative(const struct type *type, uintptr_t value)
{
    return is_signed(type) && signed_value(type, value) < 0;
}

/* A type's name has quotes. */
#define REPORT(data, remedy_text, ...)                                                                                 \
    amp__report(site_of(&(data)->at, &(struct amp__check_site){0}),                                                    \
                &(struct amp__finding){.kind = "arithmetic", .remedy = (remedy_text)}, __VA_ARGS__)

static const struct amp__check_site *site_of(const struct location *at, struct amp__check_site *site)
{
    *site = (struct amp__check_site){
        .file = at->file, .function = amp__running.helper, .line = (int)at->line, .column = (int)at->column};
    amp__running.helper = NULL;
    return site;
}

static const char use_wider[] = "compute it in a wider or an unsigned type", test_places[] = "test the places before";

void amp__check_helper(const char *name)
{
    amp__running.helper = name;
}

static void report_overflow(const struct overflow *data, uintptr_t left, const char *sign, uintptr_t right)
{
    char left_text[VALUE_TEXT], right_text[VALUE_TEXT];
    REPORT(data, use_wider, "%s integer overflow: %s %s %s cannot be represented in type %s",
           is_signed(data->type) ? "signed" : "unsigned", text_of(data->type, left, left_text), sign,
           text_of(data->type, right, right_text), data->type->name);
}

void amp__check_add_overflow(const struct overflow *data, uintptr_t left, uintptr_t right)
{
    report_overflow(data, left, "+", right);
}

void amp__check_sub_overflow(const struct overflow *data, uintptr_t left, uintptr_t right)
{
    report_overflow(data, left, "-", right);
}

void amp__check_mul_overflow(const struct overflow *data, uintptr_t left, uintptr_t right)
{
    report_overflow(data, left, "*", right);
}

void amp__check_negate_overflow(const struct overflow *data, uintptr_t value)
{
    char text[VALUE_TEXT];
    REPORT(data, "cast to an unsigned type to negate this value to itself",
           "negation of %s cannot be represented in type %s", text_of(data->type, value, text), data->type->name);
}

/* The processor would end the program. */
void amp__check_divrem_overflow(const struct overflow *data, uintptr_t left, uintptr_t right)
{
    char text[VALUE_TEXT];
    if (is_negative(data->type, right))
        REPORT(data, use_wider, "division of %s by -1 cannot be represented in type %s",
               text_of(data->type, left, text), data->type->name);
    else
        REPORT(data, "test the divisor before", "division by zero");
    amp__check_leave();
}

void amp__check_shift_out_of_bounds(const struct shift *data, uintptr_t left, uintptr_t right)
{
    char left_text[VALUE_TEXT], right_text[VALUE_TEXT];
    text_of(data->left, left, left_text);
    text_of(data->right, right, right_text);
    uint64_t places = is_signed(data->right) ? (uint64_t)signed_value(data->right, right) : (uint64_t)right;
    if (is_negative(data->right, right))
        REPORT(data, test_places, "shift exponent %s is negative", right_text);
    else if (places >= (uint64_t)bits_of(data->left))
        REPORT(data, test_places, "shift exponent %s is too large for %d-bit type %s", right_text, bits_of(data->left),
               data->left->name);
    else if (is_negative(data->left, left))
        REPORT(data, use_wider, "left shift of negative value %s", left_text);
    else
        REPORT(data, use_wider, "left shift of %s by %s places cannot be represented in type %s", left_text, right_text,
               data->left->name);
}

void amp__check_float_cast_overflow(const struct conversion *data, uintptr_t from)
{
    char text[VALUE_TEXT];
    REPORT(data, "test the number before the conversion", "%s is outside the range of representable values of type %s",
           text_of(data->from, from, text), data->to->name);
}

void amp__check_invalid_builtin(const struct builtin *data)
{
    REPORT(data, "test the argument before", "passing zero to __builtin_%s(), which is not a valid argument",
           data->kind ? "clz" : "ctz");
}
