/* SPDX-License-Identifier: MIT
 *
 * The singular values of many matrices of 3 x 3: a matrix for each thread, whose elements are in nine arrays. */
#include "port.h"

enum { COUNT = 1 << 18, SWEEPS = 5 };
static float *matrices, *values;

static void set_up(void)
{
    matrices = new_array(9 * COUNT * sizeof *matrices);
    values = new_array(3 * COUNT * sizeof *values);
    for (uint32_t i = 0; i < 9 * COUNT; i++)
        matrices[i] = between(-1, 1, i);
}

/* Turns the symmetric matrix in the plane of p and q, so that its element there becomes 0. r is the third index. */
static inline void turn(float s[3][3], int p, int q, int r) FOR_BOTH
{
    float off = s[p][q];
    if (fabsf(off) < 1e-12f)
        return;
    float theta = (s[q][q] - s[p][p]) / (2 * off);
    float t = (theta < 0 ? -1.0f : 1.0f) / (fabsf(theta) + sqrtf(theta * theta + 1));
    float c = 1 / sqrtf(t * t + 1), sine = t * c;
    s[p][p] -= t * off;
    s[q][q] += t * off;
    s[p][q] = s[q][p] = 0;
    float rp = c * s[r][p] - sine * s[r][q], rq = sine * s[r][p] + c * s[r][q];
    s[r][p] = s[p][r] = rp;
    s[r][q] = s[q][r] = rq;
}

static inline void decompose(const float m[9], float v[3]) FOR_BOTH
{
    float s[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s[i][j] = m[i] * m[j] + m[3 + i] * m[3 + j] + m[6 + i] * m[6 + j];
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        turn(s, 0, 1, 2);
        turn(s, 0, 2, 1);
        turn(s, 1, 2, 0);
    }
    float a = s[0][0], b = s[1][1], c = s[2][2];
    float high = fmaxf(a, fmaxf(b, c)), low = fminf(a, fminf(b, c));
    v[0] = sqrtf(fmaxf(high, 0));
    v[1] = sqrtf(fmaxf(a + b + c - high - low, 0));
    v[2] = sqrtf(fmaxf(low, 0));
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 0; i < COUNT; i++) {
        float m[9], v[3];
        for (int k = 0; k < 9; k++)
            m[k] = matrices[k * COUNT + i];
        decompose(m, v);
        for (int k = 0; k < 3; k++)
            values[k * COUNT + i] = v[k];
    }
}

#ifndef _OPENMP
static void decompose_all(amp_index1 idx, int n, const float in[9][n], float out[3][n]) restrict(amp)
{
    float m[9], v[3];
    for (int k = 0; k < 9; k++)
        m[k] = in[k][idx[0]];
    decompose(m, v);
    for (int k = 0; k < 3; k++)
        out[k][idx[0]] = v[k];
}

static void launch(void)
{
    amp_auto_array_view *in = amp_array_view2(9, COUNT, (const float *)matrices);
    amp_auto_array_view *out = amp_array_view2(3, COUNT, values);
    amp_discard_data(out);
    amp_parallel_for_each(amp_extent1(COUNT), decompose_all, in, out);
    amp_synchronize(out);
}
#endif

PORT("svd3x3", values, 3 * COUNT, 1e-3)
