/* SPDX-License-Identifier: MIT
 *
 * Kernels that compute each element of a square grid from its neighbours in another one. */
#include "gpu.h"

static struct data from, to;
static amp_array_view *from_view, *to_view;
static int size;

static void make_grids(void)
{
    size = is_check ? 300 : 8192;
    size_t n = (size_t)size * (size_t)size;
    from = floats(n, random_floats(n, -1, 1)), to = floats(n, NULL);
    from_view = rows(&from, size, size), to_view = rows(&to, size, size);
}

/* An element of `from`; 0 outside the grid. */
static double at(int i, int j)
{
    return i >= 0 && i < size && j >= 0 && j < size ? ((float *)from.host)[(size_t)i * (size_t)size + (size_t)j] : 0;
}

static void verify_grid(double (*expected)(int i, int j))
{
    float *result = new_array(to.size_bytes);
    fetch(&to, result);
    for (size_t i = 0; i < to.n; i += 1 + to.n / 100003)
        expect(result[i], expected((int)(i / (size_t)size), (int)(i % (size_t)size)), 1e-5, i);
    store(&to, NULL);
    free(result);
}
