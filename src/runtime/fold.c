/* SPDX-License-Identifier: MIT
 *
 * What is left to do for reductions and scans when the kernels of src/algorithms have handled all chunks. A chunk has
 * left a row of parts. Rows are combined column by column, then the first half of the columns with the second, and so
 * on. Sums of float are added in double, so that those of many chunks are nearly exact. */
#include "runtime.h"

#include "algorithms/kernel.h"

#include <math.h>
#include <string.h>

typedef void fold(const void *parts, int64_t n, union amp__total *total);

#define ADD(a, b)     ((a) + (b))
#define LESS(a, b)    ((b) < (a) || isnan((double)(a)) ? (b) : (a))
#define GREATER(a, b) ((b) > (a) || isnan((double)(a)) ? (b) : (a))

/* For parts of the type T, which are combined in the wider type W, that of the member. */
#define DEFINE_FOLD(name, T, W, member, COMBINE)                                                                       \
    static void name(const void *parts, int64_t n, union amp__total *total)                                            \
    {                                                                                                                  \
        const T(*rows)[COLUMNS(T)] = parts;                                                                            \
        W columns[COLUMNS(T)];                                                                                         \
        for (int c = 0; c < COLUMNS(T); c++)                                                                           \
            columns[c] = rows[0][c];                                                                                   \
        for (int64_t i = 1; i < n; i++)                                                                                \
            for (int c = 0; c < COLUMNS(T); c++)                                                                       \
                columns[c] = COMBINE(columns[c], rows[i][c]);                                                          \
        for (int half = COLUMNS(T) / 2; half > 0; half /= 2)                                                           \
            for (int c = 0; c < half; c++)                                                                             \
                columns[c] = COMBINE(columns[c], columns[c + half]);                                                   \
        total->member = columns[0];                                                                                    \
    }

#define DEFINE_EXTREMES(name, T, W, member)                                                                            \
    DEFINE_FOLD(min_##name, T, W, member, LESS)                                                                        \
    DEFINE_FOLD(max_##name, T, W, member, GREATER)

#define DEFINE_ALL(name, T, W, member)                                                                                 \
    DEFINE_EXTREMES(name, T, W, member)                                                                                \
    DEFINE_FOLD(sum_##name, T, W, member, ADD)                                                                         \
    static void before_##name(const void *parts, int64_t n, union amp__total *total, void *before)                     \
    {                                                                                                                  \
        const T(*rows)[COLUMNS(T)] = parts;                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            union amp__total own;                                                                                      \
            sum_##name(rows[i], 1, &own);                                                                              \
            ((T *)before)[i] = (T)total->member;                                                                       \
            total->member += own.member;                                                                               \
        }                                                                                                              \
    }

DEFINE_EXTREMES(i8, int8_t, int64_t, whole)
DEFINE_EXTREMES(i16, int16_t, int64_t, whole)
DEFINE_EXTREMES(i32, int32_t, int64_t, whole)
DEFINE_EXTREMES(i64, int64_t, int64_t, whole)
DEFINE_ALL(u8, uint8_t, uint64_t, natural)
DEFINE_ALL(u16, uint16_t, uint64_t, natural)
DEFINE_ALL(u32, uint32_t, uint64_t, natural)
DEFINE_ALL(u64, uint64_t, uint64_t, natural)
DEFINE_ALL(f32, float, double, real)
DEFINE_ALL(f64, double, double, real)

static const struct folds {
    fold *min, *max, *sum;
    void (*before)(const void *parts, int64_t n, union amp__total *total, void *before);
} folds[] = {
    [AMP_TYPE_I8] = {min_i8, max_i8, NULL, NULL},
    [AMP_TYPE_U8] = {min_u8, max_u8, sum_u8, before_u8},
    [AMP_TYPE_I16] = {min_i16, max_i16, NULL, NULL},
    [AMP_TYPE_U16] = {min_u16, max_u16, sum_u16, before_u16},
    [AMP_TYPE_I32] = {min_i32, max_i32, NULL, NULL},
    [AMP_TYPE_U32] = {min_u32, max_u32, sum_u32, before_u32},
    [AMP_TYPE_I64] = {min_i64, max_i64, NULL, NULL},
    [AMP_TYPE_U64] = {min_u64, max_u64, sum_u64, before_u64},
    [AMP_TYPE_F32] = {min_f32, max_f32, sum_f32, before_f32},
    [AMP_TYPE_F64] = {min_f64, max_f64, sum_f64, before_f64},
};

void amp__fold(amp_type type, int reduction, const void *parts, int64_t n, union amp__total *total)
{
    const struct folds *of = &folds[type];
    fold *fold = reduction == AMP_REDUCTION_MIN ? of->min : reduction == AMP_REDUCTION_MAX ? of->max : of->sum;
    fold(parts, n, total);
}

void amp__fold_before(amp_type type, const void *parts, int64_t n, union amp__total *total, void *before)
{
    folds[type].before(parts, n, total, before);
}

void amp__total_store(const union amp__total *total, amp_type type, void *value)
{
    uint8_t u8 = (uint8_t)total->natural;
    uint16_t u16 = (uint16_t)total->natural;
    uint32_t u32 = (uint32_t)total->natural;
    float f32;
    switch (type) {
    case AMP_TYPE_F64:
        memcpy(value, &total->real, sizeof total->real);
        return;
    case AMP_TYPE_F32:
        f32 = (float)total->real;
        memcpy(value, &f32, sizeof f32);
        return;
    case AMP_TYPE_F16:
        u16 = amp__half_of(amp__to_odd(total->real));
        break;
    case AMP_TYPE_BF16:
        u16 = amp__bfloat_of(amp__to_odd(total->real));
        break;
    default:
        break;
    }
    size_t size_bytes = amp__type_size((int)type);
    memcpy(value,
           size_bytes == 1   ? (const void *)&u8
           : size_bytes == 2 ? (const void *)&u16
           : size_bytes == 4 ? (const void *)&u32
                             : (const void *)&total->natural,
           size_bytes);
}
