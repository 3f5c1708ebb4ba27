/* SPDX-License-Identifier: MIT */
#include "../gpu/gpu.h"
#include "kernel.h"

static struct data image;
static amp_array_view *image_view;
static int size, limit = 256;
static void set_up(void)
{
    size = is_check ? 200 : 8192;
    image = ints((size_t)size * (size_t)size, NULL);
    image_view = rows(&image, size, size);
}
static void ours(void)
{
    amp_parallel_for_each_on(on, amp_extent2(size, size), mandelbrot, limit, image_view);
}
static void peer(void)
{
    launch_peer("mandelbrot", blocks(size, 32), blocks(size, 8), 32, 8,
                (void *[]){&size, &size, &limit, &image.memory});
}
/* Computed in single precision like the kernel, because rounding decides; elements at the border may differ. */
static void verify(void)
{
    int *result = new_array(image.size_bytes), n_wrong = 0, n_samples = 0;
    fetch(&image, result);
    for (size_t i = 0; i < image.n; i += 1 + image.n / 100003, n_samples++) {
        double cx = -2 + (double)((int)(i % (size_t)size)) * (3.0 / size),
               cy = -1.5 + (double)((int)(i / (size_t)size)) * (3.0 / size), zx = 0, zy = 0;
        int n = 0;
        while (n < limit && zx * zx + zy * zy <= 4) {
            double next = zx * zx - zy * zy + cx;
            zy = 2 * zx * zy + cy;
            zx = next;
            n++;
        }
        n_wrong += result[i] != n;
    }
    expect(n_wrong, 0, n_samples / 100.0, 0);
    store(&image, NULL);
    free(result);
}

GPU_PROBLEM("mandelbrot", set_up, ours, peer, verify)
