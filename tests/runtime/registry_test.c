/* SPDX-License-Identifier: MIT
 * Kernels by address: registered, registered twice, unregistered, of another ABI, from many threads. */
#include "kernels.h"

#include <unistd.h>

static void function(void)
{
}

static const struct amp__kernel *found(amp_kernel address)
{
    const struct amp__kernel *kernel;
    amp__kernel_find(address, &kernel);
    return kernel;
}

static void test_unknown_function(void **state)
{
    (void)state;
    char text[300];
    snprintf(text, sizeof text,
             "the function at %p is not a kernel: it must be marked restrict(amp), have an index as its first "
             "parameter, and its file must be compiled by ampcc",
             (void *)(uintptr_t)function);
    assert_error(amp_parallel_for_each(amp_extent1(1), function), AMP_ERROR_NO_KERNEL, text);
    assert_error(amp_launch(NULL, amp_extent1(1), NULL, 0, NULL), AMP_ERROR_NULL, "amp_launch: the kernel is NULL");
}

static void test_first_of_an_address_is_found(void **state)
{
    (void)state;
    struct amp__kernel a[] = {scale_kernel}, b[] = {scale_kernel};
    a->address = b->address = function;
    amp__register_kernels(a, 1);
    amp__register_kernels(b, 1);
    amp__register_kernels(a, 1); /* a second time changes nothing */
    assert_ptr_equal(found(function), a);
    amp__unregister_kernels(a, 1);
    assert_ptr_equal(found(function), b);
    amp__unregister_kernels(a, 1);
    amp__unregister_kernels(b, 1);
    assert_null(found(function));
    amp_error_clear();
}

/* This happens with a weak kernel beside a strong one, or with a linker that folds identical code. */
static void test_different_kernels_of_an_address(void **state)
{
    (void)state;
    struct amp__kernel a[] = {scale_kernel}, b[] = {scale_kernel};
    static const struct {
        const char *name, *file;
        int line;
    } others[] = {{"scale", "kernels.c", 99}, {"scale", "other.c", 3}, {"half", "kernels.c", 3}};
    a->address = b->address = function;
    for (int i = 0; i < 3; i++) {
        b->name = others[i].name;
        b->file = others[i].file;
        b->line = others[i].line;
        amp__register_kernels(a, 1);
        amp__register_kernels(b, 1);
        char text[500];
        snprintf(text, sizeof text,
                 "the kernels scale (kernels.c:3) and %s (%s:%d) have one address, %p, so that a launch cannot tell "
                 "which is meant: define a kernel only once in a program, and do not let the linker fold identical "
                 "code (--icf=safe or --icf=none instead of --icf=all)",
                 b->name, b->file, b->line, (void *)(uintptr_t)function);
        assert_error(amp_parallel_for_each(amp_extent1(1), function), AMP_ERROR_NO_KERNEL, text);
        assert_null(amp_parallel_for_each_async(amp_extent1(1), function));
        assert_error(amp_error_status(), AMP_ERROR_NO_KERNEL, text);
        amp__unregister_kernels(a, 1);
        assert_ptr_equal(found(function), b);
        amp__unregister_kernels(b, 1);
    }
}

/* One kernel in a header that files in several folders include. */
static void test_one_kernel_of_several_files(void **state)
{
    (void)state;
    static const char *const paths[] = {"lib/x/k.h", "/home/lib/x/k.h",     "k.h",
                                        "../x/k.h",  "./lib//y/../x/./k.h", "lib/y/z/../../x/k.h"};
    static const char *const others[] = {"lib/y/k.h", "/k/lib2/x/k.h", "lib/x/kk.h", "lib/x/h"};
    struct amp__kernel a[] = {scale_kernel}, b[] = {scale_kernel};
    a->address = b->address = function;
    a->file = paths[0];
    amp__register_kernels(a, 1);
    for (int i = 0; i < 6; i++) {
        b->file = paths[i];
        amp__register_kernels(b, 1);
        assert_ptr_equal(found(function), a);
        amp__unregister_kernels(b, 1);
    }
    for (int i = 0; i < 4; i++) {
        b->file = others[i];
        amp__register_kernels(b, 1);
        assert_null(found(function));
        amp__unregister_kernels(b, 1);
    }
    amp__unregister_kernels(a, 1);
    amp_error_clear();
}

static void test_other_abi(void **state)
{
    (void)state;
    unsigned foreign[100] = {AMP__ABI + 6}; /* nothing is known about the other fields */
    amp__register_kernels((struct amp__kernel *)(void *)foreign, 3);
    assert_ptr_equal(found(scale), &scale_kernel);
    char text[400];
    snprintf(text, sizeof text,
             "the function at %p is not a kernel that libamp knows; 3 kernels were compiled by another version of "
             "ampcc (ABI %d, and this libamp has %d): compile them again with the ampcc of this libamp",
             (void *)(uintptr_t)function, AMP__ABI + 6, (int)AMP__ABI);
    assert_error(amp_parallel_for_each(amp_extent1(1), function), AMP_ERROR_NO_KERNEL, text);
    amp__unregister_kernels((struct amp__kernel *)(void *)foreign, 3);
    assert_null(found(function));
    assert_null(strstr(amp_error_text(), "ABI"));
    amp_error_clear();
}

enum { N_THREADS = 4, N_KERNELS = 2000, N_ROUNDS = 20 };

static char addresses[N_THREADS][16 * N_KERNELS];

static void *come_and_go(void *number)
{
    char *base = addresses[(intptr_t)number];
    struct amp__kernel *kernels = calloc(N_KERNELS, sizeof *kernels);
    for (int i = 0; i < N_KERNELS; i++)
        kernels[i] = (struct amp__kernel){.abi = AMP__ABI, .address = (amp_kernel)(uintptr_t)(base + 16 * i)};
    intptr_t wrong = 0;
    for (int round = 0; round < N_ROUNDS; round++) {
        amp__register_kernels(kernels, N_KERNELS);
        for (int i = 0; i < N_KERNELS; i += 7)
            wrong += found(kernels[i].address) != &kernels[i];
        wrong += found(scale) != &scale_kernel;
        amp__unregister_kernels(kernels, N_KERNELS);
    }
    free(kernels);
    return (void *)wrong;
}

static void test_many_threads(void **state)
{
    (void)state;
    pthread_t threads[N_THREADS];
    for (intptr_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, (void *)i), 0);
    for (int i = 0; i < N_THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

/* Two readers, one of which always has the lock: each keeps it until the other one comes, or for a while. */
static atomic_int n_reads;
static atomic_bool is_over;

static bool reads(void *context, const struct amp__kernel *kernel)
{
    (void)context, (void)kernel;
    int mine = atomic_fetch_add(&n_reads, 1) + 1;
    for (int i = 0; i < 200 && atomic_load(&n_reads) == mine && !atomic_load(&is_over); i++)
        usleep(100);
    return false;
}

static void *read_in_turns(void *context)
{
    while (!atomic_load(&is_over))
        amp__kernels_suit(reads, context, false);
    return NULL;
}

static void *write_once(void *has_written)
{
    amp__register_kernels(&scale_kernel, 1);
    atomic_store((atomic_bool *)has_written, true);
    return NULL;
}

static void test_readers_do_not_keep_a_writer_waiting(void **state)
{
    (void)state;
    atomic_bool has_written = false;
    pthread_t readers[2], writer;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_in_turns, NULL), 0);
    while (atomic_load(&n_reads) < 10)
        usleep(100);
    assert_int_equal(pthread_create(&writer, NULL, write_once, &has_written), 0);
    for (int i = 0; i < 2000 && !atomic_load(&has_written); i++)
        usleep(1000);
    bool was_in_time = atomic_load(&has_written);
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    pthread_join(writer, NULL);
    assert_true(was_in_time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_function),
        cmocka_unit_test(test_first_of_an_address_is_found),
        cmocka_unit_test(test_different_kernels_of_an_address),
        cmocka_unit_test(test_one_kernel_of_several_files),
        cmocka_unit_test(test_other_abi),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_readers_do_not_keep_a_writer_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
