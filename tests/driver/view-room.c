// SPDX-License-Identifier: MIT
// A view of more elements than its data have is an error where somebody knows: the compiler, except with NDEBUG, or
// AddressSanitizer.
// RUN: %ampcc -O0 %s -o %t && %t | FileCheck --check-prefixes=VARIABLE,NO-HEAP %s
// RUN: %ampcc -O2 %s -o %t && %t | FileCheck --check-prefixes=VARIABLE,HEAP %s
// RUN: %ampcc -O2 -DNDEBUG %s -o %t && %t | FileCheck --check-prefixes=NO-VARIABLE,NO-HEAP %s
// RUN: %ampcc -O0 -DNDEBUG -fsanitize=address %s -o %t && env ASAN_OPTIONS=detect_leaks=0 %t | FileCheck --check-prefixes=VARIABLE,HEAP %s
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>

static double rows[4][5];

static void say(amp_array_view *view)
{
    printf("%s\n", view ? "fits" : amp_error_text());
    amp_error_clear();
    amp_array_view_release(view);
}

int main(int n_args, char **args)
{
    (void)args;
    size_t n = (size_t)n_args * 10;
    float *heap = malloc(n * sizeof *heap);
    if (!heap)
        return 1;
    // VARIABLE: amp_array_view_create: 5x5 elements of 8 bytes take 200 bytes, but the data have only 160
    // NO-VARIABLE: fits
    say(amp_array_view2(5, 5, rows[0]));
    // VARIABLE-NEXT: amp_array_view_create: 20 elements of 8 bytes take 160 bytes, but the data have only 120
    // NO-VARIABLE-NEXT: fits
    say(amp_array_view1(20, rows[1]));
    // VARIABLE-NEXT: fits
    // NO-VARIABLE-NEXT: fits
    say(amp_array_view2(4, 5, rows[0]));
    // HEAP-NEXT: amp_array_view_create: 11 elements of 4 bytes take 44 bytes, but the data have only 40
    // NO-HEAP-NEXT: fits
    say(amp_array_view1(n + 1, heap));
    // HEAP-NEXT: fits
    // NO-HEAP-NEXT: fits
    say(amp_array_view1(n, heap));
    free(heap);
    return 0;
}
