/* SPDX-License-Identifier: MIT
 *
 * Cells of a nerve after Hodgkin and Huxley, whose membranes charge and fire: a cell for each thread, which goes
 * through many short steps of time. */
#include "port.h"

enum { CELLS = 1 << 13, STEPS = 200 };
static float *currents, *voltages;

static void set_up(void)
{
    currents = new_array(CELLS * sizeof *currents);
    voltages = new_array(CELLS * sizeof *voltages);
    for (uint32_t i = 0; i < CELLS; i++)
        currents[i] = between(5, 20, i);
}

static inline float simulate(float current) FOR_BOTH
{
    float v = -65, m = 0.05f, h = 0.6f, n = 0.32f;
    for (int step = 0; step < STEPS; step++) {
        float opening_m = 0.1f * (v + 40.01f) / (1 - expf(-(v + 40.01f) / 10)), closing_m = 4 * expf(-(v + 65) / 18);
        float opening_h = 0.07f * expf(-(v + 65) / 20), closing_h = 1 / (1 + expf(-(v + 35) / 10));
        float opening_n = 0.01f * (v + 55.01f) / (1 - expf(-(v + 55.01f) / 10)),
              closing_n = 0.125f * expf(-(v + 65) / 80);
        float sodium = 120 * m * m * m * h * (v - 50), potassium = 36 * (n * n) * (n * n) * (v + 77);
        float leak = 0.3f * (v + 54.387f);
        v += 0.01f * (current - sodium - potassium - leak);
        m += 0.01f * (opening_m * (1 - m) - closing_m * m);
        h += 0.01f * (opening_h * (1 - h) - closing_h * h);
        n += 0.01f * (opening_n * (1 - n) - closing_n * n);
    }
    return v;
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 0; i < CELLS; i++)
        voltages[i] = simulate(currents[i]);
}

#ifndef _OPENMP
static void simulate_all(amp_index1 idx, int n, const float current[n], float v[n]) restrict(amp)
{
    v[idx[0]] = simulate(current[idx[0]]);
}

static void launch(void)
{
    amp_auto_array_view *current = amp_array_view1(CELLS, (const float *)currents);
    amp_auto_array_view *v = amp_array_view1(CELLS, voltages);
    amp_discard_data(v);
    amp_parallel_for_each(amp_extent1(CELLS), simulate_all, current, v);
    amp_synchronize(v);
}
#endif

PORT("myocyte", voltages, CELLS, 1e-3)
