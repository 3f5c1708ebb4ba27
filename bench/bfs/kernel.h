/* SPDX-License-Identifier: MIT */
#include <amp.h>

/* Several threads may reach one node: all write the same. That is a race, as `checked` says, which all processors
 * forgive. */
static void expand(amp_index1 idx, int n, int m, const int offset[n + 1], const int neighbour[m],
                   unsigned char frontier[n], unsigned char next[n], const unsigned char visited[n], int cost[n])
    restrict(amp)
{
    int node = idx[0];
    if (!frontier[node])
        return;
    frontier[node] = 0;
    for (int k = offset[node]; k < offset[node + 1]; k++) {
        int to = neighbour[k];
        if (!visited[to]) {
            cost[to] = cost[node] + 1;
            next[to] = 1;
        }
    }
}

static void advance(amp_index1 idx, int n, unsigned char frontier[n], unsigned char next[n], unsigned char visited[n],
                    int go_on[1]) restrict(amp)
{
    int node = idx[0];
    if (!next[node])
        return;
    frontier[node] = visited[node] = 1;
    go_on[0] = 1;
    next[node] = 0;
}

/* The same without races. */
static void expand_atomic(amp_index1 idx, int n, int m, const int offset[n + 1], const int neighbour[m],
                          unsigned char frontier[n], const unsigned char visited[n], int cost[n]) restrict(amp)
{
    int node = idx[0];
    if (!frontier[node])
        return;
    frontier[node] = 0;
    for (int k = offset[node]; k < offset[node + 1]; k++)
        if (!visited[neighbour[k]])
            amp_atomic_exchange(&cost[neighbour[k]], cost[node] + 1);
}

static void advance_atomic(amp_index1 idx, int n, unsigned char frontier[n], unsigned char visited[n],
                           const int cost[n], int go_on[1]) restrict(amp)
{
    int node = idx[0];
    if (visited[node] || cost[node] < 0)
        return;
    frontier[node] = visited[node] = 1;
    amp_atomic_exchange(&go_on[0], 1);
}
