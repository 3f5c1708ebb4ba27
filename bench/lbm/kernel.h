/* SPDX-License-Identifier: MIT */
static void stream_and_collide(amp_index1 idx, int n, const struct cell from[n], struct cell to[n]) restrict(amp)
{
    step_cell(&from[idx[0] + MARGIN], &to[idx[0] + MARGIN]);
}
