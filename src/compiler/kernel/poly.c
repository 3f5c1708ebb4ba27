/* SPDX-License-Identifier: MIT */
#include "kernel/poly.h"

const struct poly poly_unknown = {.is_unknown = true};

struct poly poly_constant(long long value)
{
    struct poly result = {.n = value != 0};
    result.of[0].coefficient = value;
    return result;
}

struct poly poly_symbol(int symbol)
{
    struct poly result = poly_constant(1);
    result.of[0].n = 1;
    result.of[0].symbols[0] = symbol;
    return result;
}

static bool has_same_symbols(const struct monomial *a, const struct monomial *b)
{
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; i++)
        same = a->symbols[i] == b->symbols[i];
    return same;
}

static void add_monomial(struct poly *to, const struct monomial *monomial)
{
    int at = 0;
    while (at < to->n && !has_same_symbols(&to->of[at], monomial))
        at++;
    if (at == to->n) {
        to->is_unknown |= to->n == POLY_MONOMIALS;
        if (!to->is_unknown)
            to->of[to->n++] = *monomial;
        return;
    }
    long long *sum = &to->of[at].coefficient;
    to->is_unknown |= __builtin_add_overflow(*sum, monomial->coefficient, sum);
    if (*sum == 0)
        to->of[at] = to->of[--to->n];
}

/* Sets `*product`. Returns false if it is too large. */
static bool multiply_monomials(const struct monomial *a, const struct monomial *b, struct monomial *product)
{
    int i = 0, k = 0;
    *product = (struct monomial){0};
    if (a->n + b->n > POLY_FACTORS || __builtin_mul_overflow(a->coefficient, b->coefficient, &product->coefficient))
        return false;
    while (i < a->n || k < b->n) {
        bool takes_a = k == b->n || (i < a->n && a->symbols[i] <= b->symbols[k]);
        product->symbols[product->n++] = takes_a ? a->symbols[i++] : b->symbols[k++];
    }
    return true;
}

struct poly poly_add(const struct poly *a, const struct poly *b)
{
    struct poly result = *a;
    result.is_unknown |= b->is_unknown;
    for (int i = 0; i < b->n && !result.is_unknown; i++)
        add_monomial(&result, &b->of[i]);
    return result;
}

struct poly poly_multiply(const struct poly *a, const struct poly *b)
{
    struct poly result = {.is_unknown = a->is_unknown || b->is_unknown};
    struct monomial product;
    for (int i = 0; i < a->n && !result.is_unknown; i++)
        for (int k = 0; k < b->n && !result.is_unknown; k++) {
            result.is_unknown = !multiply_monomials(&a->of[i], &b->of[k], &product);
            if (!result.is_unknown)
                add_monomial(&result, &product);
        }
    return result;
}

struct poly poly_scale(const struct poly *a, long long factor)
{
    struct poly constant = poly_constant(factor);
    return poly_multiply(a, &constant);
}

struct poly poly_subtract(const struct poly *a, const struct poly *b)
{
    struct poly negative = poly_scale(b, -1);
    return poly_add(a, &negative);
}

struct poly poly_add_constant(const struct poly *a, long long constant)
{
    struct poly summand = poly_constant(constant);
    return poly_add(a, &summand);
}

bool poly_is_constant(const struct poly *a, long long *value)
{
    *value = a->n ? a->of[0].coefficient : 0;
    return !a->is_unknown && (a->n == 0 || (a->n == 1 && a->of[0].n == 0));
}

bool poly_is_equal(const struct poly *a, const struct poly *b)
{
    struct poly difference = poly_subtract(a, b);
    return !difference.is_unknown && difference.n == 0;
}

struct poly poly_factor(const struct poly *a, int symbol)
{
    struct poly sum = {.is_unknown = a->is_unknown};
    for (int i = 0; i < a->n; i++) {
        struct poly factor = poly_constant(a->of[i].coefficient);
        bool is_of_symbol = false;
        for (int k = 0; k < a->of[i].n; k++) {
            struct poly other = poly_symbol(a->of[i].symbols[k]);
            if (a->of[i].symbols[k] == symbol && !is_of_symbol)
                is_of_symbol = true;
            else
                factor = poly_multiply(&factor, &other);
        }
        if (is_of_symbol)
            sum = poly_add(&sum, &factor);
    }
    return sum;
}

/* Whether `b` divides some of `a`; sets `*quotient`. */
static bool divide_monomials(const struct monomial *a, const struct monomial *b, struct monomial *quotient)
{
    int k = 0;
    *quotient = (struct monomial){.coefficient = a->coefficient / b->coefficient};
    for (int i = 0; i < a->n; i++) {
        if (k < b->n && a->symbols[i] == b->symbols[k])
            k++;
        else
            quotient->symbols[quotient->n++] = a->symbols[i];
    }
    return k == b->n && quotient->coefficient != 0;
}

struct poly poly_divide(struct poly *rest, const struct poly *divisor)
{
    enum { STEPS = 64 }; /* without an order of all monomials some divisions do not end */
    struct poly result = {.is_unknown = rest->is_unknown || divisor->is_unknown || divisor->n == 0};
    int n_steps = 0;
    const struct monomial *lead = &divisor->of[0];
    for (int i = 1; i < divisor->n; i++)
        if (divisor->of[i].n > lead->n)
            lead = &divisor->of[i];
    for (int i = 0; i < rest->n && !result.is_unknown; i++) {
        struct poly quotient = {.n = 1};
        if (!divide_monomials(&rest->of[i], lead, &quotient.of[0]))
            continue;
        struct poly part = poly_multiply(&quotient, divisor);
        result = poly_add(&result, &quotient);
        *rest = poly_subtract(rest, &part);
        result.is_unknown |= rest->is_unknown || ++n_steps == STEPS;
        i = -1;
    }
    return result;
}
