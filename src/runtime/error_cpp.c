/* SPDX-License-Identifier: MIT
 *
 * Says in C++ what libamp says in C: which function reports an error, and the names of accelerators. */
#include "runtime.h"

#include <string.h>

static const char *const words[][2] = {{"amp_array_view_create_without_source: ", "array_view: "},
                                       {"amp_array_view_create: ", "array_view: "},
                                       {"amp_array_view_project: ", "array_view::operator[]: "},
                                       {"amp_array_view_map: ", "array_view::operator[]: "},
                                       {"amp_array_view_reinterpret: ", "array_view::reinterpret_as: "},
                                       {"amp_array_view_reshape: ", "array_view::view_as: "},
                                       {"amp_array_view_", "array_view::"},
                                       {"amp_array_create_staging: ", "array: "},
                                       {"amp_array_create: ", "array: "},
                                       {"amp_array_from_view: ", "array: "},
                                       {"amp_array_staging_from_view: ", "array: "},
                                       {"amp_array_", "array::"},
                                       {"amp_accelerator_view_", "accelerator_view::"},
                                       {"amp_accelerator_", "accelerator::"},
                                       {"amp_future_", "completion_future::"},
                                       {"amp_launch: ", "parallel_for_each: "},
                                       {"amp_", ""}};

/* Twice as large as a text of error.c, which grows by a byte for each " on cpu", and elsewhere by less than 32. */
static _Thread_local char text[2048];

static void replace(char *at, size_t length, const char *by)
{
    memmove(at + strlen(by), at + length, strlen(at + length) + 1);
    memcpy(at, by, strlen(by));
}

static void name_simd(const char *place)
{
    for (char *at = text; (at = strstr(at, place)); at += strlen(place))
        if (strchr(",; ", at[strlen(place)])) /* the end, too */
            replace(at + strlen(place) - 3, 3, "simd");
}

const char *amp__error_in_cpp(amp_status status)
{
    static const char there_are[] = "there are: ", abort[] = ": amp_abort";
    const char *said = amp_error_text();
    strcpy(text, *said ? said : amp_status_text(status));
    amp_error_clear();
    name_simd(" on cpu");
    name_simd(" of cpu");
    char *list = strstr(text, "there are: cpu");
    if (list)
        replace(list + strlen(there_are), 0, "simd, ");
    char *end = strstr(text, ": amp_abort: ");
    if (end) /* of direct3d_abort or direct3d_errorf */
        replace(end, strlen(abort), "");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(text, words[i][0], strlen(words[i][0]))) {
            replace(text, strlen(words[i][0]), words[i][1]);
            break;
        }
    return text;
}
