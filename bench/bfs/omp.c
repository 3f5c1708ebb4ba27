/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
    begin();
    int go_on;
    do {
        go_on = 0;
#pragma omp parallel for
        for (int node = 0; node < NODES; node++)
            if (frontier[node]) {
                frontier[node] = 0;
                for (int k = offset[node]; k < offset[node + 1]; k++) {
                    int to = neighbour[k];
                    if (!visited[to]) {
                        cost[to] = cost[node] + 1;
                        next[to] = 1;
                    }
                }
            }
#pragma omp parallel for
        for (int node = 0; node < NODES; node++)
            if (next[node]) {
                frontier[node] = visited[node] = 1;
                go_on = 1;
                next[node] = 0;
            }
    } while (go_on);
}

BENCH("bfs", "natural", set_up, natural, verify)
