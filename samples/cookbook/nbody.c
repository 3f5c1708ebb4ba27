/* SPDX-License-Identifier: MIT
 *
 * Gravity: 1024 bodies attract each other. A tile loads a block of them at a time, which all its threads then use. The
 * picture has the paths of some. */
#include "cookbook.h"
#include <math.h>

enum { N = 1024, T = 128, STEPS = 150, SIZE = 240 };
struct body {
    float x, y, vx, vy;
};

static void move(amp_tiled_index1(T) t, const struct body now[N], struct body next[N]) restrict(amp)
{
    tile_static float xs[T], ys[T];
    struct body me = now[t.global[0]];
    float ax = 0, ay = 0;
    for (int first = 0; first < N; first += T) {
        xs[t.local[0]] = now[first + t.local[0]].x;
        ys[t.local[0]] = now[first + t.local[0]].y;
        amp_tile_barrier_wait(t.barrier);
        for (int i = 0; i < T; i++) {
            float dx = xs[i] - me.x, dy = ys[i] - me.y, d2 = dx * dx + dy * dy + 0.002f, d = sqrtf(d2);
            ax += dx / (d2 * d);
            ay += dy / (d2 * d);
        }
        amp_tile_barrier_wait(t.barrier);
    }
    me.vx += 9e-8f * ax;
    me.vy += 9e-8f * ay;
    me.x += me.vx;
    me.y += me.vy;
    next[t.global[0]] = me;
}

int main(int argc, char **argv)
{
    static struct body bodies[N];
    static unsigned char rgb[SIZE][SIZE][3];
    for (unsigned i = 0; i < N; i++) { /* a disc that turns */
        float r = 0.35f * sqrtf(random_of(7919 * i)), angle = 6.2832f * random_of(104729 * i + 1),
              v = 0.11f * sqrtf(r) / 4;
        bodies[i] = (struct body){r * cosf(angle), r * sinf(angle), -v * sinf(angle), v * cosf(angle)};
    }
    amp_auto_array_view *now = amp_array_view1(N, bodies), *next = amp_array_view_without_source1(struct body, N);
    for (int step = 0; step < STEPS; step++) {
        amp_parallel_for_each(amp_extent1(N), move, now, next);
        amp_array_view *last = now;
        now = next;
        next = last;
        const struct body *at = amp_array_view_map(now, AMP_ACCESS_READ);
        for (int i = 0; at && i < N; i += step == STEPS - 1 ? 1 : 64) {
            int y = (int)(SIZE / 2 + at[i].y * SIZE * 0.9f), x = (int)(SIZE / 2 + at[i].x * SIZE * 0.9f);
            if (x >= 0 && x < SIZE && y >= 0 && y < SIZE)
                for (int c = 0; c < 3; c++)
                    rgb[y][x][c] = (unsigned char)(step == STEPS - 1 ? 255 : 90 + 50 * c);
        }
        amp_array_view_unmap(now);
    }
    amp_synchronize(now);
    double px = 0, py = 0;
    for (int i = 0; i < N; i++) {
        px += bodies[i].x;
        py += bodies[i].y;
    }
    printf("%s\n", fabs(px) + fabs(py) < 0.1 * N ? "the centre stays" : "the centre moves");
    picture_write(argc, argv, SIZE, SIZE, rgb[0][0]);
    return finish();
}
