/* SPDX-License-Identifier: MIT
 * Transfers that are repeated as a batch: each rank sends, receives and remembers what it would with single ones. So it
 * does where messages are not copied, and on a GPU, which packs and unpacks when somebody waits. All ranks are played
 * one after another, with messages that a stand-in records: it receives as early as it may, and sends as late. */
#define amp__ranks_exchange exchange
#define amp__ranks_start start_messages
#define amp__ranks_wait wait_for_messages
#include "../../src/runtime/ranks/transfers.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { RANKS = 4, HOMES = 3, BATCHES = 6, MOST_COPIES = 5, BYTES = 120, STEPS = 40, TRIES = 300 };

static struct amp__home homes[HOMES];
static char memory[HOMES][RANKS][BYTES];
static amp_accelerator accelerators[RANKS];
static int numbers[RANKS] = {0, 1, 2, 3};

/* What happened: a hash of all messages, in their order, and what texts of errors would tell. */
static uint64_t happened;
static int n_messages, n_batched, n_direct;
static const struct amp__message *going; /* what is sent when it is waited for */
static int n_going;

static void record(long long value)
{
    happened = (happened ^ (uint64_t)value) * 0x9E3779B97F4A7C15u;
    happened ^= happened >> 29;
}

static bool in_memory(const char *bytes)
{
    return bytes >= (char *)memory && bytes < (char *)memory + sizeof memory;
}

void start_messages(struct amp__message *sent, int n_sent, struct amp__message *received, int n_received)
{
    record(amp__history_tag(1 << 30));
    going = sent;
    n_going = n_sent;
    for (int i = 0; i < n_received; i++) {
        record(-received[i].rank);
        record((long long)received[i].size);
        for (size_t k = 0; k < received[i].size; k++)
            ((char *)received[i].bytes)[k] = (char)(happened >> k % 50);
    }
}

void wait_for_messages(const struct amp__message *received, int n_received)
{
    (void)received, (void)n_received;
    for (int i = 0; i < n_going; i++, n_messages++) {
        n_direct += in_memory(going[i].bytes);
        record(going[i].rank);
        for (size_t k = 0; k < going[i].size; k++)
            record(((char *)going[i].bytes)[k]);
    }
}

void exchange(struct amp__message *sent, int n_sent, struct amp__message *received, int n_received)
{
    start_messages(sent, n_sent, received, n_received);
    wait_for_messages(received, n_received);
}

/* ---- what the ranks compute on ---- */

static const struct amp__backend processor;

enum { MOST_LATE = 500 };
static struct {
    void *to;
    const void *from;
    struct amp__rows rows;
    bool is_in;
} late[MOST_LATE];
static int n_late;

static amp_status put(void *to, const void *from, const struct amp__rows *rows, bool is_in)
{
    assert_true(n_late < MOST_LATE);
    late[n_late].to = to;
    late[n_late].from = from;
    late[n_late].rows = *rows;
    late[n_late++].is_in = is_in;
    return AMP_OK;
}

static amp_status pack(void *device, void *queue, void *message, struct amp__at from, const struct amp__rows *rows)
{
    (void)device, (void)queue;
    return put(message, (char *)from.memory + from.offset, rows, false);
}

static amp_status unpack(void *device, void *queue, struct amp__at to, const void *message,
                         const struct amp__rows *rows)
{
    (void)device, (void)queue;
    return put((char *)to.memory + to.offset, message, rows, true);
}

static amp_status do_all(void *device, void *queue)
{
    (void)device, (void)queue;
    for (int i = 0; i < n_late; i++)
        (late[i].is_in ? amp__rows_unpack : amp__rows_pack)(late[i].to, late[i].from, &late[i].rows);
    n_late = 0;
    return AMP_OK;
}

static amp_status alloc_message(void *device, bool is_on_device, size_t size_bytes, void **message)
{
    (void)device;
    assert_true(is_on_device); /* AMP_TEST_MESSAGES says so */
    *message = malloc(size_bytes);
    return AMP_OK;
}

static void free_message(void *device, bool is_on_device, void *message)
{
    (void)device, (void)is_on_device;
    for (int i = 0; i < n_late; i++)
        assert_true(late[i].to != message && late[i].from != message);
    free(message);
}

static const struct amp__backend gpu = {.name = "gpu",
                                        .message_alloc = alloc_message,
                                        .message_free = free_message,
                                        .pack = pack,
                                        .unpack = unpack,
                                        .wait = do_all};

/* ---- what they do ---- */

static struct amp__peer_copy random_copy(void)
{
    int from = rand() % RANKS, to = (from + 1 + rand() % (RANKS - 1)) % RANKS;
    struct amp__rows rows = {.n = 1 + (size_t)rand() % (rand() % 2 ? 1 : 5)};
    size_t width = rand() % 2 ? 4 : 1 + (size_t)rand() % 9;
    rows.bytes = width;
    rows.stride = rows.n > 1 ? width + (size_t)rand() % 8 : 0;
    rows.offset = (size_t)rand() % (BYTES - (rows.n - 1) * rows.stride - rows.bytes);
    return (struct amp__peer_copy){&accelerators[from], &accelerators[to], rows};
}

static void add_single(const struct amp__peer_copy *copy, struct amp__home *home)
{
    struct amp__transfer transfer = {.from = amp__rank_number(copy->from->device),
                                     .to = amp__rank_number(copy->to->device),
                                     .source = {amp__home_memory(home, copy->from->location), copy->rows.offset},
                                     .target = {amp__home_memory(home, copy->to->location), copy->rows.offset},
                                     .rows = copy->rows};
    assert_int_equal(amp__transfers_add(&transfer), AMP_OK);
}

static struct amp__copy others[HOMES][RANKS];

static struct program {
    int n_copies[BATCHES];
    struct amp__peer_copy copies[BATCHES][MOST_COPIES];
    struct step {
        enum { BATCH, SINGLE, BEGIN, FINISH } kind;
        int home, batch;
        struct amp__peer_copy copy;
    } steps[STEPS];
} program;

static void write_program(void)
{
    for (int b = 0; b < BATCHES; b++) {
        program.n_copies[b] = 1 + rand() % MOST_COPIES;
        for (int i = 0; i < program.n_copies[b]; i++)
            program.copies[b][i] = random_copy();
    }
    for (int s = 0; s < STEPS; s++) {
        int choice = rand() % 8;
        program.steps[s] = (struct step){choice < 5   ? BATCH
                                         : choice < 6 ? SINGLE
                                         : choice < 7 ? BEGIN
                                                      : FINISH,
                                         rand() % HOMES, rand() % BATCHES, random_copy()};
    }
}

/* Runs the program on one rank, where so many bytes are not copied. Returns what happened, with the memory that it
 * leaves. */
static uint64_t run(int rank, bool has_batches, size_t least)
{
    struct amp__batch *batches[BATCHES];
    large = least;
    amp__rank = rank;
    amp__n_ranks = RANKS;
    happened = (uint64_t)rank;
    memset((void *)amp__history(), 0, AMP__HISTORY_BYTES);
    for (size_t k = 0; k < sizeof memory; k++)
        ((char *)memory)[k] = (char)(k * 7);
    for (int b = 0; b < BATCHES; b++)
        batches[b] = has_batches ? amp__batch_new(program.copies[b], (size_t)program.n_copies[b]) : NULL;
    for (const struct step *step = program.steps; step < program.steps + STEPS; step++) {
        struct amp__home *home = &homes[step->home];
        bool is_done = false;
        if (step->kind == BEGIN)
            assert_int_equal(amp__transfers_begin(), AMP_OK);
        if (step->kind == FINISH)
            assert_int_equal(amp__transfers_finish(), AMP_OK);
        if (step->kind == SINGLE)
            add_single(&step->copy, home);
        if (step->kind == BATCH && batches[step->batch])
            assert_int_equal(amp__batch_add(batches[step->batch], home, &is_done), AMP_OK);
        n_batched += is_done;
        for (int i = 0; step->kind == BATCH && !is_done && i < program.n_copies[step->batch]; i++)
            add_single(&program.copies[step->batch][i], home);
    }
    for (int b = 0; b < BATCHES; b++)
        if (batches[b])
            amp__batch_free(batches[b]);
    assert_int_equal(amp__transfers_finish(), AMP_OK);
    assert_int_equal(amp__own_wait(), AMP_OK);
    record(amp__history_tag(1 << 30));
    for (int h = 0; h < HOMES; h++)
        for (int k = 0; k < BYTES; k++)
            record(memory[h][rank][k]);
    return happened;
}

static void free_all(void)
{
    for (int r = 0; r < RANKS; r++) {
        amp__own_message_free(in.of[r].bytes);
        amp__own_message_free(out.of[r].bytes);
        in.of[r] = out.of[r] = (struct buffer){0};
    }
    free(waiting.of);
    free(leaving.of);
    waiting = (struct amp__round){0};
    memset(&leaving, 0, sizeof leaving);
    amp__n_ranks = 1;
}

/* Changes what the ranks compute on. */
static void on(const struct amp__backend *backend)
{
    if (amp__own.backend)
        free_all();
    amp__own.backend = backend;
}

static void test_batches(void **state)
{
    (void)state;
    srand(3);
    setenv("AMP_TEST_MESSAGES", "gpu", true);
    for (int h = 0; h < HOMES; h++) {
        homes[h].n_others = RANKS;
        atomic_init(&homes[h].others, others[h]);
    }
    for (int r = 0; r < RANKS; r++) {
        accelerators[r].device = &numbers[r];
        amp__location_add(&accelerators[r]);
        for (int h = 0; h < HOMES; h++)
            atomic_init(&others[h][r].memory, memory[h][r]);
    }
    for (int i = 0; i < TRIES; i++) {
        write_program();
        for (int r = 0; r < RANKS; r++) {
            on(&processor);
            uint64_t right = run(r, false, SIZE_MAX);
            assert_int_equal(run(r, true, SIZE_MAX), right);
            assert_int_equal(run(r, false, 1), right);
            assert_int_equal(run(r, true, 1), right);
            on(&gpu);
            assert_int_equal(run(r, true, 1), right);
        }
    }
    assert_true(n_messages > TRIES * RANKS && n_batched > TRIES * RANKS && n_direct > TRIES * RANKS);
    free_all();
}

/* A launch only begins transfers of its own: the rest of it may need older ones. */
static void test_begin(void **state)
{
    (void)state;
    struct amp__peer_copy copy = {&accelerators[0], &accelerators[1], {.n = 1, .bytes = 8}};
    amp__n_ranks = RANKS;
    amp__transfers_mark();
    add_single(&copy, &homes[0]);
    assert_int_equal(amp__transfers_begin(), AMP_OK);
    assert_true(flight.is_on);
    assert_int_equal(amp__transfers_finish(), AMP_OK);
    assert_false(flight.is_on);
    add_single(&copy, &homes[0]);
    amp__transfers_mark();
    add_single(&copy, &homes[1]);
    assert_int_equal(amp__transfers_begin(), AMP_OK);
    assert_false(flight.is_on);
    assert_int_equal(waiting.n, 0);
    free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batches), cmocka_unit_test(test_begin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
