/* SPDX-License-Identifier: MIT
 *
 * AES-128 byte by byte: a block of 16 bytes for each thread, and the table of substitutes in an array. */
#include "port.h"

enum { BLOCKS = 1 << 17, ROUNDS = 10, BYTES = 16 };
static uint8_t *plain, *encrypted, substitutes[256], keys[ROUNDS + 1][BYTES];

static inline uint8_t twice(uint8_t x) FOR_BOTH
{
    return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static void set_up(void)
{
    plain = new_array(BLOCKS * BYTES);
    encrypted = new_array(BLOCKS * BYTES);
    for (uint32_t i = 0; i < BLOCKS * BYTES; i++)
        plain[i] = (uint8_t)hash(i);

    /* 3 generates the field: x is one power of it after another, and y its inverse. */
    uint8_t x = 1, y = 1;
    do {
        x ^= twice(x);
        y ^= (uint8_t)(y << 1);
        y ^= (uint8_t)(y << 2);
        y ^= (uint8_t)(y << 4);
        if (y & 0x80)
            y ^= 9;
        unsigned turned = y | (unsigned)y << 8;
        substitutes[x] = (uint8_t)(y ^ turned >> 7 ^ turned >> 6 ^ turned >> 5 ^ turned >> 4 ^ 0x63);
    } while (x != 1);
    substitutes[0] = 0x63;

    for (int i = 0; i < BYTES; i++)
        keys[0][i] = (uint8_t)i;
    uint8_t constant = 1;
    for (int round = 1; round <= ROUNDS; round++, constant = twice(constant))
        for (int i = 0; i < BYTES; i++) {
            uint8_t before = i < 4 ? substitutes[keys[round - 1][12 + (i + 1) % 4]] : keys[round][i - 4];
            keys[round][i] = keys[round - 1][i] ^ before ^ (i == 0 ? constant : 0);
        }
}

static inline void encrypt(const uint8_t from[BYTES], const uint8_t table[256], const uint8_t key[ROUNDS + 1][BYTES],
                           uint8_t to[BYTES]) FOR_BOTH
{
    uint8_t state[BYTES], moved[BYTES];
    for (int i = 0; i < BYTES; i++)
        state[i] = from[i] ^ key[0][i];
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < BYTES; i++)
            moved[i] = table[state[(i + 4 * (i % 4)) % BYTES]];
        for (int i = 0; i < BYTES; i++) {
            const uint8_t *column = &moved[i / 4 * 4];
            uint8_t a = column[i % 4], b = column[(i + 1) % 4], c = column[(i + 2) % 4], d = column[(i + 3) % 4];
            uint8_t mixed = (uint8_t)(twice(a) ^ twice(b) ^ b ^ c ^ d);
            state[i] = (round < ROUNDS ? mixed : a) ^ key[round][i];
        }
    }
    for (int i = 0; i < BYTES; i++)
        to[i] = state[i];
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 0; i < BLOCKS; i++)
        encrypt(&plain[i * BYTES], substitutes, keys, &encrypted[i * BYTES]);
}

#ifndef _OPENMP
static void encrypt_all(amp_index1 idx, int n, const uint8_t from[n][BYTES], const uint8_t table[256],
                        const uint8_t key[ROUNDS + 1][BYTES], uint8_t to[n][BYTES]) restrict(amp)
{
    encrypt(from[idx[0]], table, key, to[idx[0]]);
}

static void launch(void)
{
    amp_auto_array_view *from = amp_array_view2(BLOCKS, BYTES, (const uint8_t *)plain);
    amp_auto_array_view *table = amp_array_view1(256, (const uint8_t *)substitutes);
    amp_auto_array_view *key = amp_array_view2(ROUNDS + 1, BYTES, (const uint8_t *)keys);
    amp_auto_array_view *to = amp_array_view2(BLOCKS, BYTES, encrypted);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent1(BLOCKS), encrypt_all, from, table, key, to);
    amp_synchronize(to);
}
#endif

PORT("aes", encrypted, BLOCKS *BYTES, 0)
