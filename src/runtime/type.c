/* SPDX-License-Identifier: MIT
 *
 * Element and argument types: a table, and the conversions of numbers. */
#include "runtime.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned char size, is_signed, is_integer;
} types[] = {
    [AMP_TYPE_NONE] = {"nothing", 0, 0, 0},
    [AMP_TYPE_BOOL] = {"_Bool", 1, 0, 1},
    [AMP_TYPE_I8] = {"int8_t", 1, 1, 1},
    [AMP_TYPE_U8] = {"uint8_t", 1, 0, 1},
    [AMP_TYPE_I16] = {"int16_t", 2, 1, 1},
    [AMP_TYPE_U16] = {"uint16_t", 2, 0, 1},
    [AMP_TYPE_I32] = {"int", 4, 1, 1},
    [AMP_TYPE_U32] = {"unsigned int", 4, 0, 1},
    [AMP_TYPE_I64] = {"int64_t", 8, 1, 1},
    [AMP_TYPE_U64] = {"uint64_t", 8, 0, 1},
    [AMP_TYPE_F16] = {"_Float16", 2, 1, 0},
    [AMP_TYPE_BF16] = {"__bf16", 2, 1, 0},
    [AMP_TYPE_F32] = {"float", 4, 1, 0},
    [AMP_TYPE_F64] = {"double", 8, 1, 0},
    [AMP_TYPE_STRUCT] = {"struct", 0, 0, 0},
    [AMP_TYPE_VIEW] = {"amp_array_view *", 0, 0, 0},
    [AMP_TYPE_POINTER] = {"pointer", 0, 0, 0},
    [AMP_TYPE_ARRAY] = {"amp_array *", 0, 0, 0},
    [AMP_TYPE_CONST_ARRAY] = {"const amp_array *", 0, 0, 0},
};

enum { N_TYPES = sizeof types / sizeof *types };

size_t amp__type_size(int type)
{
    return (unsigned)type < N_TYPES ? types[type].size : 0;
}

const char *amp__type_name(int type)
{
    return (unsigned)type < N_TYPES ? types[type].name : "unknown type";
}

/* A number during its conversion: an integer as its low 64 bits and its sign, or a floating-point value. */
struct number {
    bool is_integer, is_negative;
    uint64_t bits;
    double value;
};

static bool load(int type, const void *from, struct number *n)
{
    *n = (struct number){.is_integer = true};
    int64_t i = 0;
    switch (type) {
    case AMP_TYPE_BOOL:
    case AMP_TYPE_U8:
        n->bits = *(const uint8_t *)from;
        return true;
    case AMP_TYPE_U16:
        n->bits = *(const uint16_t *)from;
        return true;
    case AMP_TYPE_U32:
        n->bits = *(const uint32_t *)from;
        return true;
    case AMP_TYPE_U64:
        n->bits = *(const uint64_t *)from;
        return true;
    case AMP_TYPE_I8:
        i = *(const int8_t *)from;
        break;
    case AMP_TYPE_I16:
        i = *(const int16_t *)from;
        break;
    case AMP_TYPE_I32:
        i = *(const int32_t *)from;
        break;
    case AMP_TYPE_I64:
        i = *(const int64_t *)from;
        break;
    case AMP_TYPE_F16:
        n->is_integer = false;
        n->value = amp__half_to_float(*(const uint16_t *)from);
        return true;
    case AMP_TYPE_BF16:
        n->is_integer = false;
        n->value = amp__bfloat_to_float(*(const uint16_t *)from);
        return true;
    case AMP_TYPE_F32:
        n->is_integer = false;
        n->value = *(const float *)from;
        return true;
    case AMP_TYPE_F64:
        n->is_integer = false;
        n->value = *(const double *)from;
        return true;
    default:
        return false;
    }
    n->bits = (uint64_t)i;
    n->is_negative = i < 0;
    return true;
}

/* Makes a floating-point number an integer. Returns false if it has a fraction or does not fit. */
static bool to_integer(struct number *n)
{
    double v = n->value;
    if (!(v >= -0x1p63 && v < 0x1p64) || v != trunc(v))
        return false;
    n->is_integer = true;
    n->is_negative = v < 0;
    n->bits = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
    return true;
}

static bool fits(int type, const struct number *n)
{
    int bits = 8 * types[type].size;
    uint64_t max = types[type].is_signed ? UINT64_MAX >> (65 - bits) : UINT64_MAX >> (64 - bits);
    return n->is_negative ? types[type].is_signed && ~n->bits <= max : n->bits <= max;
}

/* Rounds once, even integers of 64 bits. */
static uint16_t round_to_small(int type, const struct number *n)
{
    uint64_t size = n->is_negative ? -n->bits : n->bits;
    /* If an integer does not fit into a double, its last 11 bits become one that tells whether any was set. */
    if (size >> 53)
        size = (size & ~0x7ffull) | (uint64_t)((size & 0x7ff) != 0) << 11;
    double value = n->is_integer ? copysign((double)size, n->is_negative ? -1 : 1) : n->value;
    return type == AMP_TYPE_F16 ? amp__half_of(amp__to_odd(value)) : amp__bfloat_of(amp__to_odd(value));
}

amp_status amp__type_convert(int to_type, void *to, int from_type, const void *from)
{
    /* 1. The types are equal, as usual. */
    if (to_type == from_type && amp__type_size(to_type)) {
        memcpy(to, from, types[to_type].size);
        return AMP_OK;
    }
    /* 2. The target is a floating-point type, or _Bool, which tells whether the value is not zero. */
    struct number n;
    if (!amp__type_size(to_type) || !load(from_type, from, &n))
        return AMP_ERROR_TYPE;
    double value = !n.is_integer ? n.value : n.is_negative ? (double)(int64_t)n.bits : (double)n.bits;
    if (to_type == AMP_TYPE_F64) {
        memcpy(to, &value, sizeof value);
        return AMP_OK;
    }
    if (to_type == AMP_TYPE_F32) {
        /* Not through double, which would round an integer twice. */
        float f = !n.is_integer ? (float)n.value : n.is_negative ? (float)(int64_t)n.bits : (float)n.bits;
        memcpy(to, &f, sizeof f);
        return AMP_OK;
    }
    if (to_type == AMP_TYPE_F16 || to_type == AMP_TYPE_BF16) {
        uint16_t bits = round_to_small(to_type, &n);
        memcpy(to, &bits, sizeof bits);
        return AMP_OK;
    }
    if (to_type == AMP_TYPE_BOOL) {
        *(uint8_t *)to = n.is_integer ? n.bits != 0 : n.value != 0;
        return AMP_OK;
    }
    /* 3. The target is an integer: the value must be one, and fit. */
    if ((!n.is_integer && !to_integer(&n)) || !fits(to_type, &n))
        return AMP_ERROR_OUT_OF_RANGE;
    uint8_t u8 = (uint8_t)n.bits;
    uint16_t u16 = (uint16_t)n.bits;
    uint32_t u32 = (uint32_t)n.bits;
    const void *narrow[] = {[1] = &u8, [2] = &u16, [4] = &u32, [8] = &n.bits};
    memcpy(to, narrow[types[to_type].size], types[to_type].size);
    return AMP_OK;
}

void amp__type_print(int type, const void *value, char *text, size_t size)
{
    struct number n;
    if (!load(type, value, &n))
        snprintf(text, size, "?");
    else if (!n.is_integer)
        snprintf(text, size, "%.17g", n.value);
    else if (n.is_negative)
        snprintf(text, size, "%" PRId64, (int64_t)n.bits);
    else
        snprintf(text, size, "%" PRIu64, n.bits);
}
