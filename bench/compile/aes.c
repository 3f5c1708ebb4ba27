/* SPDX-License-Identifier: MIT
 *
 * AES-128 with its ten rounds written out, as a library would have it: large kernels without a loop, which read tables
 * at places that differ between threads. Compiled to measure ampcc; tests/run/aes.c runs it. */
#include <amp.h>
#include <stdint.h>

/* clang-format off */
#define SUBSTITUTES(X) \
    X(99) X(124) X(119) X(123) X(242) X(107) X(111) X(197) X(48) X(1) X(103) X(43) X(254) X(215) X(171) X(118) \
    X(202) X(130) X(201) X(125) X(250) X(89) X(71) X(240) X(173) X(212) X(162) X(175) X(156) X(164) X(114) X(192) \
    X(183) X(253) X(147) X(38) X(54) X(63) X(247) X(204) X(52) X(165) X(229) X(241) X(113) X(216) X(49) X(21) \
    X(4) X(199) X(35) X(195) X(24) X(150) X(5) X(154) X(7) X(18) X(128) X(226) X(235) X(39) X(178) X(117) \
    X(9) X(131) X(44) X(26) X(27) X(110) X(90) X(160) X(82) X(59) X(214) X(179) X(41) X(227) X(47) X(132) \
    X(83) X(209) X(0) X(237) X(32) X(252) X(177) X(91) X(106) X(203) X(190) X(57) X(74) X(76) X(88) X(207) \
    X(208) X(239) X(170) X(251) X(67) X(77) X(51) X(133) X(69) X(249) X(2) X(127) X(80) X(60) X(159) X(168) \
    X(81) X(163) X(64) X(143) X(146) X(157) X(56) X(245) X(188) X(182) X(218) X(33) X(16) X(255) X(243) X(210) \
    X(205) X(12) X(19) X(236) X(95) X(151) X(68) X(23) X(196) X(167) X(126) X(61) X(100) X(93) X(25) X(115) \
    X(96) X(129) X(79) X(220) X(34) X(42) X(144) X(136) X(70) X(238) X(184) X(20) X(222) X(94) X(11) X(219) \
    X(224) X(50) X(58) X(10) X(73) X(6) X(36) X(92) X(194) X(211) X(172) X(98) X(145) X(149) X(228) X(121) \
    X(231) X(200) X(55) X(109) X(141) X(213) X(78) X(169) X(108) X(86) X(244) X(234) X(101) X(122) X(174) X(8) \
    X(186) X(120) X(37) X(46) X(28) X(166) X(180) X(198) X(232) X(221) X(116) X(31) X(75) X(189) X(139) X(138) \
    X(112) X(62) X(181) X(102) X(72) X(3) X(246) X(14) X(97) X(53) X(87) X(185) X(134) X(193) X(29) X(158) \
    X(225) X(248) X(152) X(17) X(105) X(217) X(142) X(148) X(155) X(30) X(135) X(233) X(206) X(85) X(40) X(223) \
    X(140) X(161) X(137) X(13) X(191) X(230) X(66) X(104) X(65) X(153) X(45) X(15) X(176) X(84) X(187) X(22)
/* clang-format on */

/* A round's table: a substitute times 2, 1, 1 and 3 in the field of 256 elements, turned by bytes. */
#define TWICE(s) (((s) << 1 ^ ((s) & 0x80 ? 0x11b : 0)))
#define COLUMN(s) ((uint32_t)TWICE(s) << 24 | (uint32_t)(s) << 16 | (uint32_t)(s) << 8 | (uint32_t)(TWICE(s) ^ (s)))
#define TURN(w, n) ((w) >> (n) | (w) << (32 - (n)))
#define COLUMN_0(s) COLUMN(s),
#define COLUMN_1(s) TURN(COLUMN(s), 8),
#define COLUMN_2(s) TURN(COLUMN(s), 16),
#define COLUMN_3(s) TURN(COLUMN(s), 24),
#define BYTE(s) s,

static const uint32_t columns_0[256] = {SUBSTITUTES(COLUMN_0)}, columns_1[256] = {SUBSTITUTES(COLUMN_1)},
                      columns_2[256] = {SUBSTITUTES(COLUMN_2)}, columns_3[256] = {SUBSTITUTES(COLUMN_3)};
static const uint8_t substitutes[256] = {SUBSTITUTES(BYTE)};

#define WORD(t0, t1, t2, t3, a, b, c, d, key)                                                                          \
    (t0[a >> 24] ^ t1[b >> 16 & 255] ^ t2[c >> 8 & 255] ^ t3[d & 255] ^ (key))
#define ROUND(t, s, k, t0, t1, t2, t3)                                                                                 \
    t##0 = WORD(t0, t1, t2, t3, s##0, s##1, s##2, s##3, keys[k]);                                                      \
    t##1 = WORD(t0, t1, t2, t3, s##1, s##2, s##3, s##0, keys[k + 1]);                                                  \
    t##2 = WORD(t0, t1, t2, t3, s##2, s##3, s##0, s##1, keys[k + 2]);                                                  \
    t##3 = WORD(t0, t1, t2, t3, s##3, s##0, s##1, s##2, keys[k + 3]);
#define LAST(bytes, a, b, c, d, key)                                                                                   \
    (((uint32_t)bytes[a >> 24] << 24 | (uint32_t)bytes[b >> 16 & 255] << 16 | (uint32_t)bytes[c >> 8 & 255] << 8 |     \
      bytes[d & 255]) ^                                                                                                \
     (key))
#define ENCRYPT(i, t0, t1, t2, t3, bytes)                                                                              \
    uint32_t s0 = in[i][0] ^ keys[0], s1 = in[i][1] ^ keys[1], s2 = in[i][2] ^ keys[2], s3 = in[i][3] ^ keys[3];       \
    uint32_t u0, u1, u2, u3;                                                                                           \
    ROUND(u, s, 4, t0, t1, t2, t3)                                                                                     \
    ROUND(s, u, 8, t0, t1, t2, t3)                                                                                     \
    ROUND(u, s, 12, t0, t1, t2, t3)                                                                                    \
    ROUND(s, u, 16, t0, t1, t2, t3)                                                                                    \
    ROUND(u, s, 20, t0, t1, t2, t3)                                                                                    \
    ROUND(s, u, 24, t0, t1, t2, t3)                                                                                    \
    ROUND(u, s, 28, t0, t1, t2, t3)                                                                                    \
    ROUND(s, u, 32, t0, t1, t2, t3)                                                                                    \
    ROUND(u, s, 36, t0, t1, t2, t3)                                                                                    \
    out[i][0] = LAST(bytes, u0, u1, u2, u3, keys[40]);                                                                 \
    out[i][1] = LAST(bytes, u1, u2, u3, u0, keys[41]);                                                                 \
    out[i][2] = LAST(bytes, u2, u3, u0, u1, keys[42]);                                                                 \
    out[i][3] = LAST(bytes, u3, u0, u1, u2, keys[43]);

/* A thread for each block of 16 bytes, four words with the first byte on top; `keys` is the expanded key. */
void encrypt(amp_index1 idx, int n, const uint32_t keys[44], const uint32_t in[n][4], uint32_t out[n][4]) restrict(amp)
{
    ENCRYPT(idx[0], columns_0, columns_1, columns_2, columns_3, substitutes)
}

/* The same with the tables in the memory of a tile. */
void encrypt_tiled(amp_tiled_index1(256) t, int n, const uint32_t keys[44], const uint32_t in[n][4], uint32_t out[n][4])
    restrict(amp)
{
    tile_static uint32_t t0[256], t1[256], t2[256], t3[256];
    tile_static uint8_t bytes[256];
    int l = t.local[0];
    t0[l] = columns_0[l];
    t1[l] = columns_1[l];
    t2[l] = columns_2[l];
    t3[l] = columns_3[l];
    bytes[l] = substitutes[l];
    amp_tile_barrier_wait(t.barrier);
    ENCRYPT(t.global[0], t0, t1, t2, t3, bytes)
}
