/* SPDX-License-Identifier: MIT
 *
 * Polynomials with integer coefficients. Their symbols are numbers that stand for values; touch.c knows for which. A
 * polynomial that would be too large, or whose coefficients would overflow, is unknown, and so is all that is computed
 * from one. */
#pragma once

#include <stdbool.h>

enum { POLY_MONOMIALS = 12, POLY_FACTORS = 4 };

struct monomial {
    long long coefficient; /* not 0 */
    int n;
    int symbols[POLY_FACTORS]; /* ascending; a symbol may occur several times */
};

struct poly {
    bool is_unknown;
    int n;
    struct monomial of[POLY_MONOMIALS];
};

extern const struct poly poly_unknown;
struct poly poly_constant(long long value);
struct poly poly_symbol(int symbol);
struct poly poly_add(const struct poly *a, const struct poly *b);
struct poly poly_subtract(const struct poly *a, const struct poly *b);
struct poly poly_multiply(const struct poly *a, const struct poly *b);
struct poly poly_add_constant(const struct poly *a, long long constant);
struct poly poly_scale(const struct poly *a, long long factor);

/* Sets `*value` if the polynomial is a constant. */
bool poly_is_constant(const struct poly *a, long long *value);
bool poly_is_equal(const struct poly *a, const struct poly *b);

/* Returns what a symbol is multiplied with. */
struct poly poly_factor(const struct poly *a, int symbol);

/* Takes as many multiples of `divisor` out of `*rest` as possible, and returns how many. */
struct poly poly_divide(struct poly *rest, const struct poly *divisor);
