/* SPDX-License-Identifier: MIT
 *
 * half (_Float16) and bfloat (__bf16) as bits, for compilers that lack these types, and the functions that clang calls
 * for __bf16 in the host's code, which libgcc has only since version 13. */
#include "runtime.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Drops the last `n` bits, rounding to nearest, ties to even. */
static uint32_t round_off(uint32_t bits, int n)
{
    return (bits + (1u << (n - 1)) - 1 + (bits >> n & 1)) >> n;
}

float amp__half_to_float(uint16_t half)
{
    uint32_t sign = (half & 0x8000u) << 16, size = half & 0x7fff;
    float value = size >= 0x7c00 ? of_bits(size << 13 | 0x7f800000)
                  : size < 0x400 ? (float)size * 0x1p-24f
                                 : of_bits((size << 13) + ((127 - 15) << 23));
    return of_bits(bits_of(value) | sign);
}

uint16_t amp__half_of(float value)
{
    uint32_t sign = bits_of(value) >> 16 & 0x8000, size = bits_of(value) & 0x7fffffff;
    uint32_t half = size > 0x7f800000         ? 0x7e00 | (size >> 13 & 0x3ff)
                    : size >= 0x47800000      ? 0x7c00                                      /* from 65536 on */
                    : size < (127 - 14) << 23 ? bits_of(of_bits(size) + 0.5f) - (126 << 23) /* subnormal */
                                              : round_off(size - ((127 - 15) << 23), 13);
    return (uint16_t)(sign | half);
}

float amp__bfloat_to_float(uint16_t bfloat)
{
    return of_bits((uint32_t)bfloat << 16);
}

uint16_t amp__bfloat_of(float value)
{
    uint32_t bits = bits_of(value);
    return (uint16_t)(isnan(value) ? bits >> 16 | 0x40 : round_off(bits, 16));
}

/* Rounds to odd: cuts off, and sets the last bit if anything was lost. Rounding the result again gives the same as
 * rounding once. */
float amp__to_odd(long double value)
{
    float nearest = (float)value;
    uint32_t bits = bits_of(nearest) - (fabsl(nearest) > fabsl(value));
    return of_bits(bits | (!isnan(value) && nearest != value));
}

/* ---- for clang ---- */

#ifdef __FLT16_MANT_DIG__
/* __bf16 is returned as _Float16 is. */
static _Float16 in_register(uint16_t bits)
{
    _Float16 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define FOR_CLANG __attribute__((weak, visibility("default")))
FOR_CLANG _Float16 __truncsfbf2(float value);
FOR_CLANG _Float16 __truncdfbf2(double value);
FOR_CLANG _Float16 __truncxfbf2(long double value);

_Float16 __truncsfbf2(float value)
{
    return in_register(amp__bfloat_of(value));
}

_Float16 __truncdfbf2(double value)
{
    return in_register(amp__bfloat_of(amp__to_odd(value)));
}

_Float16 __truncxfbf2(long double value)
{
    return in_register(amp__bfloat_of(amp__to_odd(value)));
}
#endif
