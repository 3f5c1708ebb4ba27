/* SPDX-License-Identifier: MIT
 *
 * Voronoi cells: each pixel takes the colour of the nearest of 40 sites. */
#include "cookbook.h"

enum { H = 200, W = 300, SITES = 40 };

static void voronoi(amp_index2 idx, unsigned char rgb[H][W][3]) restrict(amp)
{
    int nearest = 0, best = H * H + W * W, second = best;
    for (int i = 0; i < SITES; i++) {
        int dy = idx[0] - (int)(random_of(2 * (unsigned)i) * H),
            dx = idx[1] - (int)(random_of(2 * (unsigned)i + 1) * W);
        int distance = dy * dy + dx * dx;
        if (distance < best) {
            second = best;
            best = distance;
            nearest = i;
        } else if (distance < second) {
            second = distance;
        }
    }
    for (int c = 0; c < 3; c++) /* dark where two sites are nearly as near, and at the site */
        rgb[idx[0]][idx[1]][c] =
            second - best < 40 || best < 9
                ? 30
                : (unsigned char)(90 + 160 * random_of(1000 + 3 * (unsigned)nearest + (unsigned)c));
}

int main(int argc, char **argv)
{
    static unsigned char rgb[H][W][3];
    amp_auto_array_view *picture = amp_array_view3(H, W, 3, rgb[0][0]);
    amp_parallel_for_each(amp_extent2(H, W), voronoi, picture);
    amp_synchronize(picture);
    int borders = 0;
    for (int i = 0; i < H * W; i++)
        borders += rgb[0][i][0] == 30;
    printf("%d pixels of borders\n", borders);
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}
