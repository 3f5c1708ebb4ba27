/* SPDX-License-Identifier: MIT
 *
 * Says which processors there are, and what they have. The numbers of registers were measured with the kernels of
 * bench/: the matrix multiplications for what a loop keeps, mandelbrot for loops that lanes leave one by one. */
#include "cpu/cpu.h"
#include "driver/driver.h"

#include <stdio.h>
#include <string.h>

enum {
    TILE_BYTES = 1 << 20, /* of a worker's stack */
    LINE = 64             /* of the cache: vectors must not lie across two */
};

/* Kinds by the width of vectors: what every x86-64 and AArch64 has, AVX2, AVX-512. */
enum { BASELINE, AVX2, AVX512 };
static const struct facts levels[] = {
    [BASELINE] = {.tile_bytes = TILE_BYTES,
                  .tile_align = LINE,
                  .vector_bits = 128,
                  .vectors = 16,
                  .kept_vectors = 8,
                  .loop_vectors = 10,
                  .gather = 1.5,
                  .scatter = 1.5},
    [AVX2] = {.tile_bytes = TILE_BYTES,
              .tile_align = LINE,
              .converts_half = true,
              .vector_bits = 256,
              .vectors = 16,
              .kept_vectors = 12,
              .loop_vectors = 20,
              .masked_bytes = 4,
              .stack_align = 32,
              .gather = 1.5,
              .scatter = 1.5,
              .far_ahead = 2048,
              .far_streams = 4}, /* by bench/ports/conv3d, fdtd2d and triad on a Zen 5 */
    [AVX512] = {.tile_bytes = TILE_BYTES,
                .tile_align = LINE,
                .converts_half = true,
                .vector_bits = 512,
                .vectors = 32,
                .kept_vectors = 16,
                .loop_vectors = 20,
                .masked_bytes = 1,
                .has_masks = true,
                .stack_align = 64,
                .gather = 2,
                .scatter = 4, /* these are AMD's */
                .by_scalars = 1.5,
                .far_ahead = 2048, /* of 1, 2 and 4 KiB, by bench/ports/triad and stencils on a Zen 4 */
                .far_streams = 1,
                .fast_scatter = 2}, /* Intel's: what agrees with bench/lbm and with copies of structs there */
};

static bool is_x86(const struct unit *unit)
{
    return has_prefix(unit->driver->triple, "x86_64");
}

/* Whether the source is compiled for this kind of machine. */
static bool is_host(const struct unit *unit)
{
    char *host = LLVMGetDefaultTargetTriple();
    bool is_same = !strncmp(unit->driver->triple, host, strcspn(host, "-") + 1);
    LLVMDisposeMessage(host);
    return is_same;
}

static const char *standard(const struct unit *unit)
{
    return is_x86(unit) && is_host(unit) ? "x86-64-v2 x86-64-v3 x86-64-v4" : "baseline";
}

/* Reads what a processor has from the macros that clang predefines for it. Returns false if clang does not know it and
 * has listed those that it knows. */
static bool ask_clang(const struct unit *unit, struct image *image)
{
    static const char *const avx512[] = {"__AVX512F__", "__AVX512BW__", "__AVX512DQ__", "__AVX512VL__"};
    const char *output = driver_temporary(".h");
    struct words args = {0};
    struct text macros = {0};
    words_add(&args, arena_printf("--target=%s", unit->driver->triple));
    words_add(&args, arena_printf(is_x86(unit) ? "-march=%s" : "-mcpu=%s", image->name));
    words_add(&args, "-w"); /* clang 19 warns of its own choice of features on machines with AVX10.1 */
    words_add(&args, "-dM");
    words_add(&args, "-E");
    words_add(&args, "-x");
    words_add(&args, "c");
    words_add(&args, "/dev/null");
    words_add(&args, "-o");
    words_add(&args, output);
    FILE *file = driver_clang(&args, NULL) ? NULL : fopen(output, "rb");
    if (!file)
        return false;
    text_add_file(&macros, file);
    fclose(file);
    bool has_avx512 = true;
    for (size_t i = 0; i < sizeof avx512 / sizeof *avx512; i++)
        has_avx512 = has_avx512 && strstr(macros.chars, avx512[i]);
    image->facts = levels[has_avx512 ? AVX512 : strstr(macros.chars, "__AVX2__") ? AVX2 : BASELINE];
    image->facts.converts_half = strstr(macros.chars, "__F16C__") != NULL;
    return true;
}

static bool parse_native(struct unit *unit, struct image *image)
{
    if (!is_host(unit)) {
        diag_command("--amp-cpu=native makes code for this machine, but the target is %s", unit->driver->triple);
        return false;
    }
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    image->cpu = arena_printf("%s", cpu);
    image->features = arena_printf("%s", features);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    ask_clang(unit, image);
    return true;
}

static bool find_processor(struct unit *unit, struct image *image)
{
    const char *name = image->name;
    if (!strcmp(name, "baseline")) {
        image->cpu = is_x86(unit) ? "x86-64" : NULL; /* elsewhere, what clang chooses */
        return true;
    }
    if (is_x86(unit) && has_prefix(name, "x86-64-v") && name[8] >= '2' && name[8] <= '4' && !name[9]) {
        image->facts = levels[name[8] - '2'];
        return true;
    }
    if (!strcmp(name, "native"))
        return parse_native(unit, image);
    if (ask_clang(unit, image))
        return true;
    diag_command("--amp-cpu: unknown processor '%s' for %s; there are baseline, native%s and those above", name,
                 unit->driver->triple, is_x86(unit) ? ", x86-64-v2, x86-64-v3, x86-64-v4" : "");
    return false;
}

static bool parse(struct unit *unit, struct image *image)
{
    image->facts = levels[BASELINE];
    bool is_known = find_processor(unit, image);
    image->facts.has_libmvec = is_x86(unit);
    return is_known;
}

const struct target target_cpu = {
    .backend = "cpu",
    .facts = {.tile_bytes = TILE_BYTES},
    .standard = standard,
    .parse = parse,
};
