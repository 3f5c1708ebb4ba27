/* SPDX-License-Identifier: MIT
 * Elements with a larger alignment than their storage would otherwise have, and memory with a smaller alignment than
 * its elements. Storage of every kind is aligned, on every accelerator; memory that cannot be is an error that names
 * both numbers. */
#include "kernels.h"

/* Only the size and the alignment of these matter. */
#define ELEMENT(bytes)                                                                                                 \
    struct aligned_##bytes {                                                                                           \
        _Alignas(bytes) float values[bytes / 4];                                                                       \
    }
ELEMENT(128);
ELEMENT(256);
ELEMENT(512);
ELEMENT(4096);
struct loose { /* of the same size, but aligned only to a byte */
    char bytes[128];
};

static amp_accelerator_view *on_null, *on_cpu;

static int setup(void **state)
{
    (void)state;
    amp_error_clear();
    amp__test_null_reset();
    on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    on_cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    return 0;
}

/* void see(amp_index1 idx, struct aligned_512 s, int M, const struct aligned_128 x[M], struct aligned_128 y[M]):
 * records what it received as its arguments. */
struct see_args {
    struct aligned_512 s;
    int M;
    const struct aligned_128 *x;
    struct aligned_128 *y;
};
static const struct see_args *seen_block;
static struct see_args seen;
static void see_run(const void *p, const int *box)
{
    (void)box;
    seen_block = p;
    memcpy(&seen, p, sizeof seen);
    for (int i = 0; i < seen.M; i++)
        seen.y[i].values[1] = seen.x[i].values[0] + seen.s.values[2];
}
static void see_bounds(const void *p, long long *bounds)
{
    bounds[0] = bounds[1] = ((const struct see_args *)p)->M;
}
KERNEL(see, 110, 1, NULL,
       {.name = "s",
        .type_name = "struct aligned_512",
        .kind = 1,
        .type = AMP_TYPE_STRUCT,
        .size_bytes = sizeof(struct aligned_512),
        .offset = offsetof(struct see_args, s),
        .align = 512},
       BOUND(see_args, M, int, AMP_TYPE_I32), ARRAY(see_args, x, struct aligned_128, AMP_TYPE_STRUCT, 1, {"M", 1}),
       ARRAY(see_args, y, struct aligned_128, AMP_TYPE_STRUCT, 0, {"M", 1}));

__attribute__((constructor)) static void register_see(void)
{
    amp__register_kernels(&see_kernel, 1);
}

#define assert_aligned(pointer, align) assert_int_equal((uintptr_t)(pointer) % (align), 0)

/* Allocations of one size may be anywhere, so each test makes several and keeps them. */
enum { N_TRIES = 24 };

static void test_arrays(void **state)
{
    (void)state;
    amp_array *kept[N_TRIES][5];
    for (int i = 0; i < N_TRIES; i++) {
        kept[i][0] = amp_array_on(struct aligned_128, amp_extent1(3), on_cpu, AMP_ACCESS_AUTO);
        kept[i][1] = amp_array_on(struct aligned_4096, amp_extent1(1), on_cpu, AMP_ACCESS_AUTO);
        kept[i][2] = amp_array_staging(struct aligned_256, amp_extent1(1), NULL, on_null);
        kept[i][3] = amp_array_on(struct aligned_256, amp_extent1(1), on_null, AMP_ACCESS_AUTO);
        kept[i][4] = amp_array_clone(kept[i][1]);
        assert_ok(amp_error_status());
        static const size_t aligns[] = {128, 4096, 256, 256, 4096};
        for (int k = 0; k < 5; k++)
            assert_aligned(amp_array_native_handle(kept[i][k]), aligns[k]);
    }
    /* If the type does not say the alignment, it is the largest that the size allows. */
    amp_array *untold = amp_array_create(amp_extent1(1), AMP_TYPE_STRUCT, 256, NULL, on_cpu, AMP_ACCESS_AUTO);
    assert_aligned(amp_array_native_handle(untold), 256);
    assert_int_equal(amp_array_type(untold), AMP_TYPE_STRUCT);
    amp_array_release(untold);
    for (int i = 0; i < N_TRIES; i++)
        for (int k = 0; k < 5; k++)
            amp_array_release(kept[i][k]);
}

/* Views allocate their storage where they are used. */
static void test_views(void **state)
{
    (void)state;
    for (int i = 0; i < N_TRIES; i++) {
        amp_array_view *x = amp_array_view_without_source1(struct aligned_128, 2 + i);
        assert_ok(amp_synchronize_to_for(x, on_null, AMP_ACCESS_WRITE));
        assert_aligned(amp_array_view_map(x, AMP_ACCESS_READ), 128);
        assert_aligned(amp__home_memory(x->home, on_null->accelerator->location), 128);
        assert_int_equal(amp_array_view_type(x), AMP_TYPE_STRUCT);
        amp_array_view_release(x);
    }
}

/* A kernel's argument block, even one that waits, and dense copies of sections. */
static void test_launches(void **state)
{
    (void)state;
    static struct aligned_128 data[8][2], out[8];
    struct aligned_512 s = {{0, 0, 5}};
    for (int i = 0; i < 8; i++)
        data[i][1].values[0] = (float)i;
    amp_array_view *all = amp_array_view2(8, 2, &data[0][0]), *y = amp_array_view1(8, out);
    amp_array_view *column = amp_array_view_section2(all, 0, 1, 8, 1);
    struct amp__param params[4];
    memcpy(params, see_params, sizeof params);
    static const struct amp__dim dims[] = {{"M", 1}, {"1", -1}};
    params[2].rank = 2;
    params[2].dims = dims;
    struct amp__kernel kernel = see_kernel;
    kernel.address = (amp_kernel)(uintptr_t)data;
    kernel.params = params;
    void see_column_bounds(const void *p, long long *bounds);
    kernel.bounds = see_column_bounds;
    amp__register_kernels(&kernel, 1);
    for (int i = 0; i < 2 * N_TRIES; i++) {
        amp_accelerator_view *on = i % 2 ? on_null : on_cpu;
        amp__test_null_late();
        amp_future *future =
            i % 4 < 2 ? amp_parallel_for_each_on_async(on, amp_extent1(1), kernel.address, s, column, y) : NULL;
        assert_ok(future ? amp_future_wait(future)
                         : amp_parallel_for_each_on(on, amp_extent1(1), kernel.address, s, column, y));
        assert_ok(amp_synchronize(y));
        assert_aligned(seen_block, 512);
        assert_aligned(seen.x, 128);
        assert_aligned(seen.y, 128);
        assert_true(out[7].values[1] == 7 + 5);
        amp_future_release(future);
    }
    amp__unregister_kernels(&kernel, 1);
    amp_array_view_release(column);
    amp_array_view_release(all);
    amp_array_view_release(y);
}

void see_column_bounds(const void *p, long long *bounds)
{
    memcpy(bounds, (long long[]){((const struct see_args *)p)->M, 1, ((const struct see_args *)p)->M},
           3 * sizeof *bounds);
}

static void test_what_a_device_cannot_do(void **state)
{
    (void)state;
    assert_null(amp_array_on(struct aligned_512, amp_extent1(3), on_null, AMP_ACCESS_AUTO));
    assert_error(amp_error_status(), AMP_ERROR_UNSUPPORTED_FEATURE,
                 "the elements are aligned to 512 bytes, but memory of null only to 256");
    amp_array_view *x = amp_array_view_without_source1(struct aligned_4096, 2);
    assert_error(amp_synchronize_to(x, on_null), AMP_ERROR_UNSUPPORTED_FEATURE,
                 "the elements are aligned to 4096 bytes, but memory of null only to 256");
    assert_ok(amp_synchronize_to(x, on_cpu));
    amp_array_view_release(x);
}

/* The user's memory. */
static void test_memory(void **state)
{
    (void)state;
    static _Alignas(256) unsigned char bytes[1024];
    void *at = bytes + 32;
    assert_null(amp_array_view1(2, (struct aligned_128 *)at));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_view_create: the memory is aligned to 32 bytes, but elements of type struct to 128; align "
                 "the memory, or copy it to an array");
    at = bytes + 129;
    assert_null(amp_array_view1(2, (const double *)at));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_view_create: the memory is aligned to 1 byte, but elements of type double to 8; align the "
                 "memory, or copy it to an array");
    at = bytes + 2;
    assert_null(amp_array_wrap_on(amp_extent1(2), (int *)at, on_cpu));
    assert_error(
        amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
        "amp_array_wrap: the memory is aligned to 2 bytes, but elements of type int to 4; align the memory, or "
        "copy it to an array");
    /* A struct that is not aligned may lie anywhere, and copies may come from and go anywhere. */
    amp_array_view *loose = amp_array_view1(2, (struct loose *)(void *)(bytes + 1));
    assert_non_null(loose);
    amp_array_view_release(loose);
    amp_array *a = amp_array_from1(2, (int *)at);
    assert_ok(amp_copy(a, (int *)at));
    assert_ok(amp_copy((int *)at, a));
    amp_array_release(a);
    /* If the type does not say its alignment, a launch detects the misalignment. */
    amp_array_view *x = amp_array_view_create(amp_extent1(2), bytes + 64, AMP_TYPE_STRUCT, 128, false);
    amp_array_view *y = amp_array_view_without_source1(struct aligned_128, 2);
    struct aligned_512 s = {{0}};
    assert_error(amp_parallel_for_each_on(on_cpu, amp_extent1(1), see, s, x, y), AMP_ERROR_INVALID_ARGUMENT,
                 "see (kernels.c:110): x has elements of type struct aligned_128, aligned to 128 bytes, but the view's "
                 "memory on cpu is aligned to 64 bytes");
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(1), see, s, x, y)); /* whose memory is aligned */
    amp_array_view_release(y);
    amp_array_view_release(x);
}

/* Other elements in the same bytes: what matters is their alignment, not their size, and where all copies begin. */
static void test_reinterpret(void **state)
{
    (void)state;
    static _Alignas(256) float data[256];
    amp_array_view *all = amp_array_view1(256, data);
    static const int origins[] = {0, 32, 64, 16, 1};
    for (int i = 0; i < 5; i++) {
        amp_array_view *from = amp_array_view_section1(all, origins[i], 64);
        amp_array_view *as = amp_array_view_reinterpret_as(from, struct aligned_128);
        assert_int_equal(as != NULL, origins[i] % 32 == 0);
        if (!as && origins[i] == 16)
            assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                         "amp_array_view_reinterpret: the view begins at a multiple of 64 bytes, but elements of type "
                         "struct are aligned to 128");
        if (!as && origins[i] == 1)
            assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                         "amp_array_view_reinterpret: the view begins at a multiple of 4 bytes, but elements of type "
                         "struct are aligned to 128");
        amp_array_view *loose = amp_array_view_reinterpret_as(from, struct loose);
        assert_non_null(loose);
        amp_array_view_release(loose);
        amp_array_view_release(as);
        amp_array_view_release(from);
    }
    amp_array_view_release(all);
    /* Later copies are aligned for it; an existing copy that is not aligned forbids it. */
    for (int is_there = 0; is_there < 2; is_there++) {
        static _Alignas(4096) float page[1024];
        all = amp_array_view1(1024, page);
        if (is_there)
            assert_ok(amp_synchronize_to(all, on_null));
        void *memory = amp__home_memory(all->home, on_null->accelerator->location);
        amp_array_view *as = amp_array_view_reinterpret_as(all, struct aligned_4096);
        assert_int_equal(as != NULL, (uintptr_t)memory % 4096 == 0);
        amp_error_clear();
        if (as && !is_there)
            assert_error(amp_synchronize_to(as, on_null), AMP_ERROR_UNSUPPORTED_FEATURE,
                         "the elements are aligned to 4096 bytes, but memory of null only to 256");
        amp_array_view_release(as);
        amp_array_view_release(all);
    }
    /* An array of numbers, whose storage exists already. */
    for (int i = 0; i < N_TRIES; i++) {
        amp_array *a = amp_array_on(float, amp_extent1(1024), on_cpu, AMP_ACCESS_AUTO);
        bool is_aligned = (uintptr_t)amp_array_native_handle(a) % 4096 == 0;
        amp_array_view *as = amp_array_reinterpret_as(a, struct aligned_4096);
        assert_int_equal(as != NULL, is_aligned);
        amp_error_clear();
        amp_array_view_release(as);
        amp_array_release(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_arrays, setup),   cmocka_unit_test_setup(test_views, setup),
        cmocka_unit_test_setup(test_launches, setup), cmocka_unit_test_setup(test_what_a_device_cannot_do, setup),
        cmocka_unit_test_setup(test_memory, setup),   cmocka_unit_test_setup(test_reinterpret, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
