/* SPDX-License-Identifier: MIT
 *
 * The elements of a view as text, for people. */
#include "runtime.h"

#include <stdio.h>

static void print_element(FILE *file, int type, const void *element)
{
    char text[32];
    double real;
    if (type >= AMP_TYPE_F16 && amp__type_convert(AMP_TYPE_F64, &real, type, element) == AMP_OK)
        snprintf(text, sizeof text, "%g", real);
    else
        amp__type_print(type, element, text, sizeof text);
    fputs(text, file);
}

static void print_all(FILE *file, const amp_array_view *view, const unsigned char *first)
{
    int index[AMP_MAX_RANK] = {0}, rank = view->extent.rank, d;
    do {
        ptrdiff_t offset = 0;
        for (int i = 0; i < rank; i++)
            offset += index[i] * view->stride[i];
        print_element(file, (int)view->type, first + (size_t)offset * view->element_size);
        for (d = rank - 1; d >= 0 && ++index[d] == view->extent.dim[d]; d--)
            index[d] = 0;
        bool ends_row = d < rank - 1, ends_matrix = d < rank - 2 && d >= 0;
        fputs(ends_matrix ? "\n\n" : ends_row ? "\n" : " ", file);
    } while (d >= 0);
}

amp_status amp_array_view_print(FILE *file, amp_array_view *view)
{
    static const char call[] = "amp_array_view_print";
    amp_status status = amp__object_check(view, AMP__ARRAY_VIEW, call);
    if (status != AMP_OK)
        return status;
    if (!file)
        return amp__fail(AMP_ERROR_NULL, "%s: the file is NULL", call);
    if (!amp__type_size((int)view->type))
        return amp__fail(AMP_ERROR_TYPE, "%s: the elements are structs of %zu bytes, not numbers", call,
                         view->element_size);
    const void *first;
    status = amp__view_read(call, view, &first);
    if (status == AMP_OK)
        print_all(file, view, first);
    return status;
}
