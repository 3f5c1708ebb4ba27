/* Views to files and from files, in the folder that is the argument: also to and from files that are not as they
 * should be. */
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 61, M = 83, OFFSET = 100 };

/* Each rank looks at the file for itself. */
static void check_file(const char *path, long offset, int factor, int n)
{
    FILE *file = fopen(path, "rb");
    EXPECT(file != NULL);
    for (int i = 0, number; file && i < n; i++) {
        fseek(file, offset + (long)sizeof(int) * i, SEEK_SET);
        EXPECT(fread(&number, sizeof number, 1, file) == 1 && number == factor * i);
    }
    if (file)
        fclose(file);
}

static void check_failure(amp_status status, const char *text)
{
    EXPECT(status == AMP_ERROR_FILE && strstr(amp_error_text(), text));
    amp_error_clear();
}

static void try_mistakes(amp_array_view *x, const char *folder, const char *path)
{
    char missing[1100], text[1200], denied[1100];
    snprintf(missing, sizeof missing, "%s/missing/file", folder);
    snprintf(denied, sizeof denied, "%s/.", folder);
    snprintf(text, sizeof text, "amp_array_view_read: \"%s\", %zu bytes from byte 7 on: ", missing, sizeof(int[N][M]));
    check_failure(amp_array_view_read(x, missing, 7), text);
    snprintf(text, sizeof text, "amp_array_view_write: \"%s\", %zu bytes from byte 7 on: ", missing, sizeof(int[N][M]));
    check_failure(amp_array_view_write(x, missing, 7), text);
    check_failure(amp_array_view_write(x, denied, 0), denied);
    snprintf(text, sizeof text, "bytes from byte %d on: the file has only %zu bytes", OFFSET + 1,
             OFFSET + sizeof(int[N][M]));
    check_failure(amp_array_view_read(x, path, OFFSET + 1), text);
    EXPECT(amp_array_view_read(x, path, -1) == AMP_ERROR_INVALID_ARGUMENT);
    amp_error_clear();
    EXPECT(amp_array_view_read(x, NULL, 0) == AMP_ERROR_NULL && amp_array_view_write(NULL, path, 0) == AMP_ERROR_NULL);
    amp_error_clear();
    amp_auto_array_view *constant = amp_array_view_read_only(x);
    EXPECT(amp_array_view_read(constant, path, 0) == AMP_ERROR_READ_ONLY);
    amp_error_clear();
}

int main(int argc, char **argv)
{
    static int data[N][M], other[N][M], cube[5][3][4][2];
    char path[1024];
    const char *folder = argv[1], *way = argc > 2 ? argv[2] : "";
    snprintf(path, sizeof path, "%s/file", folder);
    if (!strcmp(way, "other") && amp_rank() == 1) /* this rank names another file */
        snprintf(path, sizeof path, "%s/another", folder);
    amp_auto_array_view *x = amp_array_view2(N, M, data[0]), *y = amp_array_view2(N, M, other[0]);
    amp_auto_array_view *box = amp_array_view_section(y, amp_index2(11, 13), amp_extent2(30, 41));
    amp_auto_array_view *column = amp_array_view_section(y, amp_index2(0, 5), amp_extent2(N, 1));
    amp_auto_array_view *z =
        amp_array_view_create(amp_extent_n(4, (int[]){5, 3, 4, 2}), cube, AMP_TYPE_I32, sizeof(int), false);
    amp_extent all = amp_extent2(N, M);

    /* 1. What ranks have goes to a file, and comes back into another array, which goes on from there. */
    amp_parallel_for_each(all, fill, x);
    EXPECT(amp_array_view_write(x, path, OFFSET) == AMP_OK);
    EXPECT(amp_rank_count() == 1 || !data[N - 1][M - 1]);
    check_file(path, OFFSET, 1, N * M);
    EXPECT(amp_array_view_read(y, path, OFFSET) == AMP_OK);
    amp_parallel_for_each(all, twice, y);
    amp_synchronize(y);
    for (int i = 0; i < N * M; i++)
        EXPECT(other[0][i] == 2 * i);

    /* 2. What the host has; sections, whose elements follow one another in the file. */
    for (int i = 0; i < N * M; i++)
        other[0][i] = -1;
    amp_refresh(y);
    EXPECT(amp_array_view_read(box, path, OFFSET) == AMP_OK);
    amp_synchronize(y);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            bool is_inside = i >= 11 && i < 41 && j >= 13 && j < 54;
            EXPECT(other[i][j] == (is_inside ? (i - 11) * 41 + j - 13 : -1));
        }
    amp_parallel_for_each(all, twice, y);
    EXPECT(amp_array_view_write(box, path, OFFSET) == AMP_OK);
    check_file(path, OFFSET, 2, 30 * 41);
    EXPECT(amp_array_view_read(column, path, OFFSET) == AMP_OK);
    amp_synchronize(column);
    for (int i = 0; i < N; i++)
        EXPECT(other[i][5] == 2 * i);

    /* 3. Four dimensions. */
    EXPECT(amp_array_view_read(z, path, OFFSET) == AMP_OK);
    amp_synchronize(z);
    for (int i = 0; i < 5 * 3 * 4 * 2; i++)
        EXPECT((&cube[0][0][0][0])[i] == 2 * i);
    EXPECT(amp_array_view_write(z, path, OFFSET) == AMP_OK);
    check_file(path, OFFSET, 2, 5 * 3 * 4 * 2);

    if (strcmp(way, "right"))
        try_mistakes(x, folder, path);
    amp_synchronize(x); /* what could not be read is as it was */
    for (int i = 0; i < N * M; i++)
        EXPECT(data[0][i] == i);
    printf("%s\n", is_right ? "right" : "wrong");
    return !is_right;
}
