/* SPDX-License-Identifier: MIT
 *
 * OpenBLAS's sgemm, opened at run time. */
#define FLOAT_ONLY
#include "problem.h"
#include <dlfcn.h>

enum { CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANS = 111 };

static void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);

static void prepare(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!library)
        missing("libopenblas.so.0 (package libopenblas0-pthread)");
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    if (!sgemm)
        die("libopenblas.so.0 lacks cblas_sgemm");
    set_up_float();
}

static void run(void)
{
    sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, SIZE, SIZE, SIZE, 1, a_float, SIZE, b_float, SIZE, 0,
          c_float, SIZE);
}

BENCH("mxm", "sgemm", prepare, run, verify_float)

const char *bench_note(void)
{
    static char note[256];
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    char *(*config)(void), *(*core)(void);
    *(void **)&config = dlsym(library, "openblas_get_config");
    *(void **)&core = dlsym(library, "openblas_get_corename");
    if (!config || !core)
        die("libopenblas.so.0 lacks openblas_get_config or openblas_get_corename");
    snprintf(note, sizeof note, "%s, kernels for %s", config(), core());
    return note;
}
