/* SPDX-License-Identifier: MIT
 * Which copies between ranks can go at the same time: all but those of bytes that are yet to come, byte by byte. */
#include "kernels.h"

#include "ranks/ranks.h"

enum { BYTES = 400 };

static struct amp__rows random_rows(void)
{
    struct amp__rows rows = {.n = 1 + (size_t)rand() % (rand() % 2 ? 1 : 9)};
    rows.stride = rows.n > 1 ? 1 + (size_t)rand() % 30 : 0;
    rows.bytes = rows.n > 1 ? 1 + (size_t)rand() % rows.stride : 1 + (size_t)rand() % 80;
    rows.offset = (size_t)rand() % (BYTES - (rows.n - 1) * rows.stride - rows.bytes);
    return rows;
}

static void mark(const struct amp__rows *rows, bool bytes[BYTES])
{
    memset(bytes, 0, BYTES);
    for (size_t i = 0; i < rows->n; i++)
        memset(bytes + rows->offset + i * rows->stride, 1, rows->bytes);
}

static struct amp__transfer transfer_of(int from, int to, const struct amp__rows *rows, void *memory)
{
    return (struct amp__transfer){from, to, {memory, rows->offset}, {memory, rows->offset}, *rows};
}

static void test_rounds(void **state)
{
    (void)state;
    static struct amp__round round;
    int memory, n_fitting = 0;
    enum { TRIES = 200000 };
    srand(1);
    for (int i = 0; i < TRIES; i++) {
        struct amp__rows a = random_rows(), b = random_rows();
        bool of_a[BYTES], of_b[BYTES], meet = false;
        mark(&a, of_a);
        mark(&b, of_b);
        for (int k = 0; k < BYTES; k++)
            meet |= of_a[k] && of_b[k];
        struct amp__transfer first = transfer_of(0, 1, &a, &memory), then = transfer_of(1, 2, &b, &memory);
        assert_true(amp__round_fits(&round, &first));
        assert_true(amp__round_add(&round, &first));
        assert_int_equal(amp__round_fits(&round, &then), !meet);
        n_fitting += !meet;
        amp__round_clear(&round);
    }
    assert_in_range(n_fitting, TRIES / 4, TRIES * 3 / 4);
    free(round.of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
