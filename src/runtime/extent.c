/* SPDX-License-Identifier: MIT */
#define AMP__INLINE /* this file has the bodies for calls that are not inlined */
#include "runtime.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The `dim` of an extent or an index of rank AMP__MISFIT holds this. */
struct misfit {
    int component; /* -1: an operand that is no component */
    int type;      /* amp_type */
    union {
        int64_t integer;
        double real;
    } value;
};
_Static_assert(sizeof(struct misfit) <= sizeof(int[AMP_MAX_RANK]), "fits into the components");

static void keep_misfit(int rank, const amp__numbers *numbers, int *dim)
{
    static const int types[] = {
        [AMP__SIGNED] = AMP_TYPE_I64, [AMP__UNSIGNED] = AMP_TYPE_U64, [AMP__REAL] = AMP_TYPE_F64};
    int i = 0;
    while (amp__fits(numbers->of[i]))
        i++;
    const amp__number *number = &numbers->of[i];
    struct misfit misfit = {.component = rank ? i : -1, .type = types[number->kind]};
    if (number->kind == AMP__REAL)
        misfit.value.real = number->real;
    else
        misfit.value.integer = number->integer;
    memcpy(dim, &misfit, sizeof misfit);
}

amp_extent amp__misfit_amp_extent(int rank, amp__numbers numbers)
{
    amp_extent extent = {.rank = AMP__MISFIT};
    keep_misfit(rank, &numbers, extent.dim);
    return extent;
}

amp_index amp__misfit_amp_index(int rank, amp__numbers numbers)
{
    amp_index index = {.rank = AMP__MISFIT};
    keep_misfit(rank, &numbers, index.dim);
    return index;
}

char *amp__misfit_text(const char *what, const int *dim, char text[AMP__MISFIT_TEXT])
{
    struct misfit misfit;
    memcpy(&misfit, dim, sizeof misfit);
    char value[32], subject[64];
    amp__type_print(misfit.type, &misfit.value, value, sizeof value);
    if (misfit.component < 0)
        snprintf(subject, sizeof subject, "a number that %s was computed with", what);
    else
        snprintf(subject, sizeof subject, "component %d of %s", misfit.component, what);
    bool is_large = misfit.type == AMP_TYPE_F64 ? misfit.value.real > INT_MAX
                                                : misfit.type == AMP_TYPE_U64 || misfit.value.integer > INT_MAX;
    snprintf(text, AMP__MISFIT_TEXT, "%s is %s, which an int cannot hold%s", subject, value,
             is_large ? "; use two dimensions for more than 2147483647 elements" : "");
    return text;
}

char *amp__shape_text(int rank, const int *dim, char text[AMP__SHAPE_TEXT])
{
    int length = 0;
    text[0] = 0;
    for (int i = 0; i < rank && rank <= AMP_MAX_RANK; i++)
        length += snprintf(text + length, (size_t)(AMP__SHAPE_TEXT - length), i ? "x%d" : "%d", dim[i]);
    return text;
}
