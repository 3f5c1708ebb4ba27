/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run-alone %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-lanes=4 %s -o %t && %run-alone %t
 * RUN: %ampcc -O2 --amp-gpu=sm_75 --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck --check-prefix=GPU %s
 *
 * Types with an alignment larger than a cache line: elements, arguments, tile_static variables, and each thread's own
 * variables. Only what a kernel prints shows where they were. Memory that is less aligned than its elements is an
 * error, of the view or of the launch.
 *
 * GPU: .param .align 512
 * GPU: .local .align 512
 * GPU: .shared .align 128
 * GPU: .shared .align 256
 */
#include "check.h"

typedef struct {
    _Alignas(128) float v[32];
} wide128;
typedef struct {
    _Alignas(512) float v[128];
} wide512;

enum { N = 32, TILE = 8, N_PLACES = 6 };
static const unsigned long aligns[N_PLACES] = {128, 256, 128, 128, 512, 128};

static void places(amp_tiled_index1(TILE) t, wide512 arg, int M, wide128 x[M], int out[M]) restrict(amp)
{
    tile_static wide128 shared[TILE];
    tile_static _Alignas(256) char bytes[3];
    wide128 own, many[3];
    int i = t.global[0];
    own.v[0] = (float)i;
    shared[t.local[0]] = own;
    if (t.local[0] == 0)
        bytes[0] = 1;
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < 32; e++)
            many[k].v[e] = arg.v[k + e];
    amp_tile_barrier_wait(t.barrier);
    amp_printf("%p %p %p %p %p %p\n", (void *)&shared[t.local[0]], (void *)bytes, (void *)&own, (void *)&many[i % 3],
               (void *)&arg, (void *)&x[i]);
    x[i].v[1] = shared[(t.local[0] + 1) % TILE].v[0] + many[i % 3].v[2];
    out[i] = (int)x[i].v[1] + bytes[0];
}

static void check_output(FILE *output)
{
    int n = 0;
    unsigned long at[N_PLACES];
    rewind(output);
    while (fscanf(output, "%lx %lx %lx %lx %lx %lx", &at[0], &at[1], &at[2], &at[3], &at[4], &at[5]) == N_PLACES) {
        n++;
        for (int k = 0; k < N_PLACES; k++)
            if (at[k] % aligns[k]) {
                fprintf(stderr, "place %d of line %d is %lx, which is not aligned to %lu\n", k, n, at[k], aligns[k]);
                exit(1);
            }
    }
    if (n != N) {
        fprintf(stderr, "%d lines instead of %d\n", n, N);
        exit(1);
    }
}

/* An allocation may be anywhere, so the test makes several arrays and keeps them. */
static void check_places(void)
{
    enum { N_TRIES = 16 };
    wide512 arg = {{0, 0, 1, 2, 3}};
    amp_array *kept[N_TRIES];
    for (int i = 0; i < N_TRIES; i++) {
        int out[N], expected[N];
        FILE *output = tmpfile();
        int to_stdout = dup(1);
        dup2(fileno(output), 1);
        kept[i] = amp_array1(wide128, N);
        amp_array_view *o = amp_array_view1(N, out);
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), places, arg, kept[i], o));
        CHECK_OK(amp_synchronize(o));
        fflush(stdout);
        dup2(to_stdout, 1);
        close(to_stdout);
        if (strncmp(amp_accelerator_info(amp_accelerator_default())->path, "cuda", 4)) /* where addresses say nothing */
            check_output(output);
        fclose(output);
        for (int k = 0; k < N; k++)
            expected[k] = k / TILE * TILE + (k + 1) % TILE + (int)arg.v[k % 3 + 2] + 1;
        CHECK_INTS(out, expected, N, "%s", "out");
        amp_array_view_release(o);
    }
    for (int i = 0; i < N_TRIES; i++)
        amp_array_release(kept[i]);
}

static void check_error(const char *text)
{
    if (!strstr(amp_error_text(), text)) {
        fprintf(stderr, "'%s' instead of '%s'\n", amp_error_text(), text);
        exit(1);
    }
    amp_error_clear();
}

static void check_memory(void)
{
    static _Alignas(512) char memory[N * sizeof(wide128) + 64];
    void *at = memory + 64;
    if (amp_array_view1(N, (wide128 *)at))
        exit(1);
    check_error("the memory is aligned to 64 bytes, but elements of type struct to 128");
    /* The launch distinguishes a type of the same size, which may be at that address. */
    amp_array_view *x = amp_array_view_create(amp_extent1(N), at, AMP_TYPE_STRUCT, sizeof(wide128), false);
    amp_array_view *out = amp_array_view_without_source1(int, N);
    amp_accelerator_view *on_cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    wide512 arg = {{0}};
    amp_parallel_for_each_on(on_cpu, amp_extent1(N), places, arg, x, out);
    check_error("x has elements of type wide128, aligned to 128 bytes, but the view's memory on cpu is aligned to 64 "
                "bytes");
    amp_array_view_release(out);
    amp_array_view_release(x);
}

int main(void)
{
    check_places();
    check_memory();
    return 0;
}
