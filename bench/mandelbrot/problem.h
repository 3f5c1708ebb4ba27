/* SPDX-License-Identifier: MIT
 *
 * For each point c of [-2, 1] x [-1.5, 1.5]: how many steps z = z^2 + c, from 0, until |z| > 2. */
#include "../bench.h"

enum { SIZE = 2048, LIMIT = 256 };
static int *image;

static void set_up(void)
{
    image = new_array(SIZE * SIZE * sizeof *image);
}

/* Near the set's border single precision ends up elsewhere after many steps: 1 point of 100 may differ. */
static void verify(void)
{
    int points = 0, others = 0;
    for (int row = 5; row < SIZE; row += 37) {
        for (int col = 0; col < SIZE; col++) {
            double cx = -2 + col * (3.0 / SIZE), cy = -1.5 + row * (3.0 / SIZE), zx = 0, zy = 0;
            int n = 0;
            for (; n < LIMIT && zx * zx + zy * zy <= 4; n++) {
                double next = zx * zx - zy * zy + cx;
                zy = 2 * zx * zy + cy;
                zx = next;
            }
            points++;
            others += image[row * SIZE + col] != n;
        }
    }
    if (others * 100 > points)
        die("the image is not the Mandelbrot set");
}
