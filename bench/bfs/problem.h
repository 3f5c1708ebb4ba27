/* SPDX-License-Identifier: MIT
 *
 * The distance of each node of a graph from node 0, level by level. Each node has 1 to 11 neighbours, stored as
 * compressed rows; most are anywhere. */
#include "../bench.h"

enum { NODES = 1000000 };
static int *offset, *neighbour, *cost, n_edges;
static unsigned char *frontier, *next, *visited;

static void set_up(void)
{
    offset = new_array((NODES + 1) * sizeof *offset);
    for (uint32_t node = 0; node < NODES; node++)
        offset[node + 1] = offset[node] + 1 + (int)(hash(node) >> 8) % 11;
    n_edges = offset[NODES];
    neighbour = new_array((size_t)n_edges * sizeof *neighbour);
    for (int i = 0; i < n_edges; i++)
        neighbour[i] = (int)(hash((uint32_t)i ^ 0x5bd1e995u) % NODES);
    cost = new_array(NODES * sizeof *cost);
    frontier = new_array(NODES);
    next = new_array(NODES);
    visited = new_array(NODES);
}

static void begin(void)
{
    for (int node = 0; node < NODES; node++)
        cost[node] = -1;
    memset(frontier, 0, NODES);
    memset(next, 0, NODES);
    memset(visited, 0, NODES);
    cost[0] = 0;
    frontier[0] = visited[0] = 1;
}

static void verify(void)
{
    int *queue = new_array(NODES * sizeof *queue), *expected = new_array(NODES * sizeof *expected), n = 0;
    for (int node = 0; node < NODES; node++)
        expected[node] = -1;
    expected[queue[n++] = 0] = 0;
    for (int i = 0; i < n; i++)
        for (int k = offset[queue[i]]; k < offset[queue[i] + 1]; k++)
            if (expected[neighbour[k]] < 0) {
                expected[neighbour[k]] = expected[queue[i]] + 1;
                queue[n++] = neighbour[k];
            }
    for (int node = 0; node < NODES; node++)
        expect(cost[node], expected[node], 0, (size_t)node);
    free(queue);
    free(expected);
}
