/* SPDX-License-Identifier: MIT
 *
 * Finds a word in a text: each thread compares at its own place, and the hits go to a list whose length is counted. */
#include "cookbook.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_HITS = 100 };

static void find(amp_index1 idx, int N, int L, const char text[N], const char word[L], int n_hits[1],
                 int hits[MAX_HITS]) restrict(amp)
{
    for (int i = 0; i < L; i++)
        if (idx[0] + i >= N || text[idx[0] + i] != word[i])
            return;
    int place = amp_atomic_fetch_inc(&n_hits[0]);
    if (place < MAX_HITS)
        hits[place] = idx[0];
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    static const char text[] = "In the beginning the thread was alone, then there were others, and the others waited.";
    static const char word[] = "the";
    int n_data[1] = {0}, hits_data[MAX_HITS];
    int length = (int)strlen(text);
    amp_auto_array_view *t = amp_array_view1(length, text), *w = amp_array_view1((int)strlen(word), word);
    amp_auto_array_view *n_hits = amp_array_view1(1, n_data), *hits = amp_array_view1(MAX_HITS, hits_data);
    amp_parallel_for_each(amp_extent1(length), find, t, w, n_hits, hits);
    amp_synchronize(n_hits);
    amp_synchronize(hits);
    qsort(hits_data, (size_t)n_data[0], sizeof(int), compare); /* threads found them in any order */
    printf("'%s' at", word);
    for (int i = 0; i < n_data[0]; i++)
        printf(" %d", hits_data[i]);
    putchar('\n');
    return finish();
}
