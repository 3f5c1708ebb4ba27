// SPDX-License-Identifier: MIT
// RUN: %ampcc -O2 %s -o %t && %run %t
// The kernels that the benchmark of compile time compiles, by the examples of FIPS 197 (appendices B and C.1), and on
// other blocks by the cipher as the standard writes it, byte by byte.
#include "../../bench/compile/aes.c"

#include <stdio.h>
#include <string.h>

enum { BLOCKS = 512 };
static uint32_t keys[44], in[BLOCKS][4], out[BLOCKS][4], expected[BLOCKS][4];

static uint32_t substitute(uint32_t word)
{
    return (uint32_t)substitutes[word >> 24] << 24 | (uint32_t)substitutes[word >> 16 & 255] << 16 |
           (uint32_t)substitutes[word >> 8 & 255] << 8 | substitutes[word & 255];
}

static void expand(const uint32_t key[4])
{
    uint32_t constant = 1;
    memcpy(keys, key, 4 * sizeof *keys);
    for (int i = 4; i < 44; i++) {
        uint32_t before = keys[i - 1];
        if (i % 4 == 0) {
            before = substitute(before << 8 | before >> 24) ^ constant << 24;
            constant = TWICE(constant);
        }
        keys[i] = keys[i - 4] ^ before;
    }
}

/* SubBytes, ShiftRows, in all rounds but the last MixColumns, and AddRoundKey. */
static void encrypt_by_bytes(const uint32_t from[4], uint32_t to[4])
{
    unsigned char state[16], moved[16];
    for (int i = 0; i < 16; i++)
        state[i] = (unsigned char)((from[i / 4] ^ keys[i / 4]) >> (24 - i % 4 * 8));
    for (int round = 1; round <= 10; round++) {
        for (int i = 0; i < 16; i++)
            moved[i] = substitutes[state[(i + i % 4 * 4) % 16]];
        for (int i = 0; i < 16; i++) {
            const unsigned char *column = moved + i / 4 * 4;
            int a = column[i % 4], b = column[(i + 1) % 4], c = column[(i + 2) % 4], d = column[(i + 3) % 4];
            int mixed = round < 10 ? TWICE(a) ^ TWICE(b) ^ b ^ c ^ d : a;
            state[i] = (unsigned char)(mixed ^ keys[round * 4 + i / 4] >> (24 - i % 4 * 8));
        }
    }
    for (int w = 0; w < 4; w++)
        to[w] = (uint32_t)state[4 * w] << 24 | (uint32_t)state[4 * w + 1] << 16 | (uint32_t)state[4 * w + 2] << 8 |
                state[4 * w + 3];
}

static int check(const char *name, amp_kernel kernel)
{
    memset(out, 0, sizeof out);
    amp_array_view *k = amp_array_view1(44, (const uint32_t *)keys), *b = amp_array_view2(BLOCKS, 4, out[0]);
    amp_array_view *a = amp_array_view2(BLOCKS, 4, (const uint32_t *)in[0]);
    amp_parallel_for_each(amp_extent1(BLOCKS), kernel, k, a, b);
    if (amp_synchronize(b) != AMP_OK || amp_error_status() != AMP_OK)
        fprintf(stderr, "%s\n", amp_error_text());
    amp_array_view_release(b);
    amp_array_view_release(a);
    amp_array_view_release(k);
    for (int i = 0; i < BLOCKS; i++)
        for (int w = 0; w < 4; w++)
            if (out[i][w] != expected[i][w]) {
                fprintf(stderr, "%s: word %d of block %d is %08x and not %08x\n", name, w, i, out[i][w],
                        expected[i][w]);
                return 1;
            }
    return 0;
}

int main(void)
{
    /* Key, text, and what it is encrypted. */
    static const uint32_t examples[2][3][4] = {
        {{0x2b7e1516, 0x28aed2a6, 0xabf71588, 0x09cf4f3c},
         {0x3243f6a8, 0x885a308d, 0x313198a2, 0xe0370734},
         {0x3925841d, 0x02dc09fb, 0xdc118597, 0x196a0b32}},
        {{0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f},
         {0x00112233, 0x44556677, 0x8899aabb, 0xccddeeff},
         {0x69c4e0d8, 0x6a7b0430, 0xd8cdb780, 0x70b4c55a}},
    };
    for (int e = 0; e < 2; e++) {
        expand(examples[e][0]);
        for (int i = 0; i < BLOCKS; i++) {
            for (int w = 0; w < 4; w++)
                in[i][w] = i % 3 ? (uint32_t)(i * 4 + w) * 2654435761u : examples[e][1][w];
            encrypt_by_bytes(in[i], expected[i]);
            if (i % 3 == 0)
                memcpy(expected[i], examples[e][2], sizeof expected[i]);
        }
        if (check("encrypt", (amp_kernel)encrypt) || check("encrypt_tiled", (amp_kernel)encrypt_tiled))
            return 1;
    }
    return 0;
}
