/* SPDX-License-Identifier: MIT
 *
 * OpenBLAS's sgemm, opened at run time: blas sgemm float RUNS. */
#include "bench.h"
#include <dlfcn.h>

enum { CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANS = 111 };

int main(int argc, char **argv)
{
    if (argc != 4)
        die("usage: blas sgemm float RUNS");
    int runs = atoi(argv[3]);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!library)
        missing("libopenblas.so.0 (package libopenblas0-pthread)");
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int) =
        (void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                  int))dlsym(library, "cblas_sgemm");
    char *(*config)(void) = (char *(*)(void))dlsym(library, "openblas_get_config");
    char *(*core)(void) = (char *(*)(void))dlsym(library, "openblas_get_corename");
    if (!sgemm || !config || !core)
        die("libopenblas.so.0 lacks cblas_sgemm, openblas_get_config or openblas_get_corename");
    float *a = new_matrix(), *b = new_matrix(), *c = new_matrix();
    fill(a, 1, 1);
    fill(b, 1, 7);
    for (int i = -1; i < runs; i++) {
        double start = now();
        sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0, c, SIZE);
        double seconds = now() - start;
        if (i >= 0)
            printf("%.9f\n", seconds);
    }
    verify(a, b, c, 1);
    printf("# %s, kernels for %s\n", config(), core());
    return 0;
}
