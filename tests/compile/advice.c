/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: env ADVICE=V4 python3 %S/Inputs/advice.py %ampcc -O2 --amp-cpu=x86-64-v4 --amp-gpu=none %s
 * RUN: env ADVICE=V2 python3 %S/Inputs/advice.py %ampcc -O2 --amp-cpu=x86-64-v2 --amp-gpu=none %s
 *
 * The advice of --amp-report helps: beside each kernel that gets some is one that follows it.
 */
#include <amp.h>
#include <amp_math.h>
#include <math.h>

/* ---- where lanes read and write ---- */

/* advice V4: mirrored -> straight: lanes go backwards through it */
void mirrored(amp_index1 i, int n, const int y[n], int x[n]) restrict(amp)
{
    x[i[0]] = y[n - 1 - i[0] * 2];
}
void straight(amp_index1 i, int n, const int y[n], int x[n]) restrict(amp)
{
    x[i[0]] = y[1 + i[0] * 2];
}

/* advice V4: wrapping -> not_wrapping: compute it in int */
void wrapping(amp_index1 i, int n, unsigned k, const int y[n], int x[n]) restrict(amp)
{
    x[i[0]] = y[i[0] + k];
}
void not_wrapping(amp_index1 i, int n, int k, const int y[n], int x[n]) restrict(amp)
{
    x[i[0]] = y[i[0] + k];
}

/* advice V4: short_index -> int_index: compute it in int */
void short_index(amp_index1 i, int n, int k, const int y[n], int x[n]) restrict(amp)
{
    short at = (short)(i[0] + k);
    x[i[0]] = y[at];
}
void int_index(amp_index1 i, int n, int k, const int y[n], int x[n]) restrict(amp)
{
    int at = i[0] + k;
    x[i[0]] = y[at];
}

/* A subscript in int gets to know what else may wrap.
 * advice V4: shifted -> multiplied: by + and *, not in unsigned, short or char, nor by << */
void shifted(amp_index1 i, int n, int k, const int y[n], int x[n]) restrict(amp)
{
    int at = (i[0] << 1) + k;
    x[i[0]] = y[at];
}
void multiplied(amp_index1 i, int n, int k, const int y[n], int x[n]) restrict(amp)
{
    int at = i[0] * 2 + k;
    x[i[0]] = y[at];
}

/* advice V4: remainder_of -> one_more_dimension: give the kernel one more dimension */
void remainder_of(amp_index1 i, int n, int w, const int y[w], int x[n]) restrict(amp)
{
    x[i[0]] = y[i[0] & (w - 1)];
}
void one_more_dimension(amp_index2 i, int m, int w, const int y[w], int x[m][w]) restrict(amp)
{
    x[i[0]][i[1]] = y[i[1]];
}

/* Of a tile, too, and nothing of a copy through tile_static where it is one.
 * advice V4: tile_bits -> tile_dimension: so lanes do not lie side by side: give the kernel one more dimension instead */
void tile_bits(amp_tiled_index1(64) t, int n, int x[n]) restrict(amp)
{
    tile_static int s[64];
    s[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s[t.local[0] % 32];
}
void tile_dimension(amp_tiled_index2(2, 32) t, int m, int n, int x[m][n]) restrict(amp)
{
    tile_static int s[2][32];
    s[t.local[0]][t.local[1]] = x[t.global[0]][t.global[1]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]][t.global[1]] = s[0][t.local[1]];
}

/* advice V4: from_memory -> in_order: order the data so that neighbours in the last dimension read neighbours */
void from_memory(amp_index1 i, int n, const int at[n], const int y[n], int x[n]) restrict(amp)
{
    x[i[0]] = y[at[i[0]]];
}
void in_order(amp_index1 i, int n, const int y_by_at[n], int x[n]) restrict(amp)
{
    x[i[0]] = y_by_at[i[0]];
}

/* advice V4: by_columns -> by_rows: let the last dimension of the index stand last */
void by_columns(amp_index2 i, int m, int n, float x[n][m]) restrict(amp)
{
    x[i[1]][i[0]] *= 2;
}
void by_rows(amp_index2 i, int m, int n, float x[m][n]) restrict(amp)
{
    x[i[0]][i[1]] *= 2;
}

/* advice V4: from_float -> from_int: the index comes from floating point: compute it in int */
void from_float(amp_index1 i, int n, const int y[n], int x[n]) restrict(amp)
{
    x[i[0]] = y[(int)(i[0] * 3.0f)];
}
void from_int(amp_index1 i, int n, const int y[n], int x[n]) restrict(amp)
{
    x[i[0]] = y[i[0] * 3];
}

/* Rows of constant length, too.
 * advice V4: row_by_lane -> column_by_lane: let the last dimension of the index stand last */
void row_by_lane(amp_index1 i, int n, const float y[n][16], float x[n]) restrict(amp)
{
    x[i[0]] = y[i[0]][3];
}
void column_by_lane(amp_index1 i, int n, const float y[16][n], float x[n]) restrict(amp)
{
    x[i[0]] = y[3][i[0]];
}

/* advice V4: of_structs -> of_members: an array for each member instead of an array of structs */
struct large {
    float a, b[11];
};
void of_structs(amp_index1 i, int n, const struct large y[n], float x[n]) restrict(amp)
{
    x[i[0]] = y[i[0]].a;
}
void of_members(amp_index1 i, int n, const float a[n], float x[n]) restrict(amp)
{
    x[i[0]] = a[i[0]];
}

/* advice V4: tile_columns -> tile_rows: let the last dimension of the thread in the tile stand last */
void tile_columns(amp_tiled_index2(16, 16) t, int m, int n, int x[m][n]) restrict(amp)
{
    tile_static int s[16][16];
    s[t.local[1]][t.local[0]] = x[t.global[0]][t.global[1]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]][t.global[1]] = s[t.local[1]][15 - t.local[0]];
}
void tile_rows(amp_tiled_index2(16, 16) t, int m, int n, int x[m][n]) restrict(amp)
{
    tile_static int s[16][16];
    s[t.local[0]][t.local[1]] = x[t.global[0]][t.global[1]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]][t.global[1]] = s[15 - t.local[0]][t.local[1]];
}

/* advice V4: own_array -> in_registers: with constant indices, or loops of constant length, it is kept in registers */
void own_array(amp_index1 i, int n, const int y[n], float x[n]) restrict(amp)
{
    float a[4] = {x[i[0]], 2, 3, 4};
    x[i[0]] = a[y[i[0]] & 3];
}
void in_registers(amp_index1 i, int n, const int y[n], float x[n]) restrict(amp)
{
    float a[4] = {x[i[0]], 2, 3, 4}, found = 0;
    int at = y[i[0]] & 3;
    for (int k = 0; k < 4; k++)
        found += a[k] * (float)(at == k);
    x[i[0]] = found;
}

/* Why a kernel has no lanes.
 * advice V4: chases -> walks: order the data so that neighbours in the last dimension read neighbours */
void chases(amp_index1 i, int n, const int next[n], int x[n]) restrict(amp)
{
    int at = i[0], steps = 0;
    while ((at = next[at]) > 0)
        steps++;
    x[i[0]] = steps;
}
void walks(amp_index1 i, int m, int n, const int next[m][n], int x[n]) restrict(amp)
{
    int steps = 0;
    while (steps < m && next[steps][i[0]] > 0)
        steps++;
    x[i[0]] = steps;
}

/* ---- what lanes do ---- */

/* advice V4: in_double -> in_float: float or int, where they suffice, take half the time */
void in_double(amp_index1 i, int n, double x[n]) restrict(amp)
{
    x[i[0]] *= 2;
}
void in_float(amp_index1 i, int n, float x[n]) restrict(amp)
{
    x[i[0]] *= 2;
}

/* advice V4: by_double -> by_float: write constants as 0.5f and functions as sinf */
void by_double(amp_index1 i, int n, float x[n]) restrict(amp)
{
    x[i[0]] = sin(x[i[0]]) * 0.1;
}
void by_float(amp_index1 i, int n, float x[n]) restrict(amp)
{
    x[i[0]] = sinf(x[i[0]]) * 0.1f;
}

/* advice V4: divides -> divides_by_constant: divide by a constant (#define, enum), or 32-bit integers
 * advice V4: divides -> divides_ints: divide by a constant (#define, enum), or 32-bit integers */
void divides(amp_index1 i, int n, long k, long x[n]) restrict(amp)
{
    x[i[0]] = (x[i[0]] & 0xffff) / k;
}
void divides_by_constant(amp_index1 i, int n, long x[n]) restrict(amp)
{
    enum { K = 24 };
    x[i[0]] = (x[i[0]] & 0xffff) / K;
}
void divides_ints(amp_index1 i, int n, int k, long x[n]) restrict(amp)
{
    x[i[0]] = (int)(x[i[0]] & 0xffff) / k;
}

/* advice V4: long_for_some -> as_long: as many passes for all lanes */
void long_for_some(amp_index1 i, int n, const int passes[n], float x[n]) restrict(amp)
{
    for (int k = 0; k < passes[i[0]]; k++)
        x[i[0]] = x[i[0]] * 0.5f + 1;
}
void as_long(amp_index1 i, int n, int passes, float x[n]) restrict(amp)
{
    for (int k = 0; k < passes; k++)
        x[i[0]] = x[i[0]] * 0.5f + 1;
}

/* advice V4: parting -> together: a condition that is the same along the last dimension
 * advice V4: parting -> choosing: or ?: between values (not indices) instead of stores and calls */
void parting(amp_index2 i, int m, int n, int passes, const int y[m][n], float x[m][n]) restrict(amp)
{
    if (y[i[0]][i[1]] > 0)
        for (int k = 0; k < passes; k++)
            x[i[0]][i[1]] = x[i[0]][i[1]] * 0.5f + k;
}
void together(amp_index2 i, int m, int n, int passes, const int y[m], float x[m][n]) restrict(amp)
{
    if (y[i[0]] > 0)
        for (int k = 0; k < passes; k++)
            x[i[0]][i[1]] = x[i[0]][i[1]] * 0.5f + k;
}
void choosing(amp_index2 i, int m, int n, int passes, const int y[m][n], float x[m][n]) restrict(amp)
{
    float old = x[i[0]][i[1]], value = old;
    for (int k = 0; k < passes; k++)
        value = value * 0.5f + k;
    x[i[0]][i[1]] = y[i[0]][i[1]] > 0 ? value : old;
}

/* advice V4: idle -> busy: a last dimension that is a multiple of */
void idle(amp_tiled_index1(20) t, int n, float x[n]) restrict(amp)
{
    x[t.global[0]] += 1;
}
void busy(amp_tiled_index1(32) t, int n, float x[n]) restrict(amp)
{
    x[t.global[0]] += 1;
}

/* ---- functions without vectors ---- */

#define FUNCTION(name, before, after)                                                                                  \
    void call_##name(amp_index1 i, int n, const float x[n], const float y[n], float o[n]) restrict(amp)                \
    {                                                                                                                  \
        float u = x[i[0]], v = y[i[0]];                                                                                \
        o[i[0]] = (float)(before);                                                                                     \
    }                                                                                                                  \
    void instead_of_##name(amp_index1 i, int n, const float x[n], const float y[n], float o[n]) restrict(amp)          \
    {                                                                                                                  \
        float u = x[i[0]], v = y[i[0]];                                                                                \
        o[i[0]] = (float)(after);                                                                                      \
    }

static float by_frexp(float x) restrict(amp)
{
    int e;
    return frexpf(x, &e) + (float)e;
}
static float by_fast_frexp(float x) restrict(amp)
{
    int e;
    return amp_fast_frexpf(x, &e) + (float)e;
}
static float power(int n) restrict(amp)
{
    union {
        int bits;
        float value;
    } two = {(n + 127) << 23};
    return two.value;
}
static float by_modf(float x) restrict(amp)
{
    float whole;
    return modff(x, &whole) * whole;
}
static float by_fast_modf(float x) restrict(amp)
{
    float whole;
    return amp_fast_modff(x, &whole) * whole;
}

/* advice V4: call_fdim -> instead_of_fdim: write fmax(x - y, 0)
 * advice V4: call_fmod -> instead_of_fmod: write x - y * trunc(x / y)
 * advice V4: call_frexp -> instead_of_frexp: write amp_fast_frexpf of <amp_math.h>
 * advice V4: call_ilogb -> instead_of_ilogb: write floor(log2(fabs(x)))
 * advice V4: call_ldexp -> instead_of_ldexp: write x times a float of the bits (n + 127) << 23
 * advice V4: call_logb -> instead_of_logb: write floor(log2(fabs(x)))
 * advice V4: call_llrint -> instead_of_llrint: write (long long)rint(x)
 * advice V4: call_llround -> instead_of_llround: write (long long)round(x)
 * advice V4: call_lrint -> instead_of_lrint: write (long)rint(x)
 * advice V4: call_lround -> instead_of_lround: write (long)round(x)
 * advice V4: call_modf -> instead_of_modf: write amp_fast_modff of <amp_math.h>
 * advice V4: call_modf -> instead_of_modf_too: or x - trunc(x)
 * advice V4: call_remainder -> instead_of_remainder: write x - y * rint(x / y)
 * advice V4: call_scalbln -> instead_of_scalbln: write x * exp2(n)
 * advice V4: call_scalbn -> instead_of_scalbn: write x times a float of the bits (n + 127) << 23
 * advice V4: call_tgamma -> instead_of_tgamma: call it less often, for example once and keep the values in an array */
FUNCTION(fdim, fdimf(u, v), fmaxf(u - v, 0))
FUNCTION(fmod, fmodf(u, v), u - v * truncf(u / v))
FUNCTION(frexp, by_frexp(u), by_fast_frexp(u))
FUNCTION(ilogb, ilogbf(u), floorf(log2f(fabsf(u))))
FUNCTION(ldexp, ldexpf(u, (int)v), u *power((int)v))
FUNCTION(logb, logbf(u), floorf(log2f(fabsf(u))))
FUNCTION(llrint, llrintf(u), (long long)rintf(u))
FUNCTION(llround, llroundf(u), (long long)roundf(u))
FUNCTION(lrint, lrintf(u), (long)rintf(u))
FUNCTION(lround, lroundf(u), (long)roundf(u))
FUNCTION(modf, by_modf(u), by_fast_modf(u))
FUNCTION(modf_too, 0, (u - truncf(u)) * truncf(u))
FUNCTION(remainder, remainderf(u, v), u - v * rintf(u / v))
FUNCTION(scalbln, scalblnf(u, (long)v), u *exp2f((float)(long)v))
FUNCTION(scalbn, scalbnf(u, (int)v), u *power((int)v))
FUNCTION(tgamma, tgammaf(u), v /* the values, computed once */)

/* advice V2: fused -> not_fused: a * b + c lets the compiler choose */
void fused(amp_index1 i, int n, float x[n]) restrict(amp)
{
    x[i[0]] = fmaf(x[i[0]], 3, 1);
}
void not_fused(amp_index1 i, int n, float x[n]) restrict(amp)
{
    x[i[0]] = x[i[0]] * 3 + 1;
}
