/* SPDX-License-Identifier: MIT
 *
 * How often each of the 256 bytes occurs: small ones more often than large ones. */
#include "../bench.h"

enum { N = 1 << 25, BINS = 256, TILE = 256, PER_THREAD = 256 };
static unsigned char *data;
static int bins[BINS];

static void set_up(void)
{
    data = new_array(N);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t random = hash(i);
        data[i] = (unsigned char)((random >> 24) * (random >> 16 & 255) >> 8);
    }
}

static void verify(void)
{
    int expected[BINS] = {0};
    for (size_t i = 0; i < N; i++)
        expected[data[i]]++;
    for (size_t i = 0; i < BINS; i++)
        expect(bins[i], expected[i], 0, i);
}
