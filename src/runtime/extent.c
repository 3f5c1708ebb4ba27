/* SPDX-License-Identifier: MIT */
#define AMP__INLINE /* here are the bodies that are not inlined */
#include "runtime.h"

#include <stdio.h>

char *amp__shape_text(int rank, const int *dim, char text[AMP__SHAPE_TEXT])
{
    int length = 0;
    text[0] = 0;
    for (int i = 0; i < rank && rank <= AMP_MAX_RANK; i++)
        length += snprintf(text + length, (size_t)(AMP__SHAPE_TEXT - length), i ? "x%d" : "%d", dim[i]);
    return text;
}
