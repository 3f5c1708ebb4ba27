// SPDX-License-Identifier: MIT
// amp_array_view_whole1, _whole2 and _whole3 take arrays of just this rank, and no pointers.
// RUN: %ampcc -DCORRECT -O2 -Wall -Wextra -Werror -Wconversion -Wpedantic %s -o %t && %t | FileCheck %s
// RUN: not %ampcc -c %s -o %t.o 2>&1 | FileCheck --check-prefix=WRONG %s
#include <amp.h>
#include <stdio.h>

static float line[5], rows[2][3], boxes[2][3][4];

#ifdef CORRECT
int main(void)
{
    amp_array_view *views[] = {amp_array_view_whole1(line), amp_array_view_whole2(rows), amp_array_view_whole3(boxes)};
    for (int i = 0; i < 3; i++) {
        amp_extent e = amp_array_view_extent(views[i]);
        // CHECK: 1: 5 0 0
        // CHECK-NEXT: 2: 2 3 0
        // CHECK-NEXT: 3: 2 3 4
        printf("%d: %d %d %d\n", e.rank, e.dim[0], e.dim[1], e.dim[2]);
        amp_array_view_release(views[i]);
    }
    return 0;
}
#else
void wrong(float *pointer, float parameter[5], float (*pointer_to_rows)[3], float *pointers[4])
{
    amp_array_view *view;
    // WRONG: [[#@LINE+1]]:{{.*}} error: {{.*}}this_is_a_pointer_and_not_an_array
    view = amp_array_view_whole1(pointer);
    // WRONG: [[#@LINE+1]]:{{.*}} error: {{.*}}this_is_a_pointer_and_not_an_array
    view = amp_array_view_whole1(parameter);
    // WRONG: [[#@LINE+1]]:{{.*}} error: {{.*}}this_is_a_pointer_and_not_an_array
    view = amp_array_view_whole2(pointer_to_rows);
    // WRONG: [[#@LINE+1]]:{{.*}} error: {{.*}}the_array_has_another_rank_or_elements_that_are_pointers
    view = amp_array_view_whole1(rows);
    // WRONG: [[#@LINE+1]]:{{.*}} error: {{.*}}the_array_has_another_rank_or_elements_that_are_pointers
    view = amp_array_view_whole2(boxes);
    // WRONG: [[#@LINE+1]]:{{.*}} error: {{.*}}the_array_has_another_rank_or_elements_that_are_pointers
    view = amp_array_view_whole1(pointers);
    (void)view;
}
#endif
