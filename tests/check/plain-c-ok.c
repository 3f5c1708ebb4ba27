// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -Wall -Wextra -Wno-unused-parameter -Werror -c -o %t.o %s
// row: allowed, S13
// Ordinary C that no rule forbids.
#include <amp.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define COUNT(x) (sizeof(x) / sizeof((x)[0]))
#define CLAMP(x)                                                                                                       \
    do {                                                                                                               \
        if ((x) > 100)                                                                                                 \
            (x) = 100;                                                                                                 \
    } while (0)

struct vec {
    float v[3];
};
union bits {
    float f;
    uint32_t u;
};
enum op { ADD, SUB, MUL };
static const struct {
    enum op op;
    float weight[2];
} program[] = {{ADD, {1, 2}}, {.op = MUL, .weight[1] = 3}};

static inline struct vec add(struct vec a, const struct vec *b) restrict(cpu, amp)
{
    return (struct vec){{a.v[0] + b->v[0], a.v[1] + b->v[1], a.v[2] + b->v[2]}};
}

static inline void swap(float *restrict a, float *restrict b) restrict(amp)
{
    float t = *a;
    *a = *b, *b = t;
}

static _Bool between(long long x, int8_t low, uint16_t high) restrict(amp)
{
    return x >= low && x <= (long long)high;
}

void k(amp_index2 idx, int N, int M, float x[restrict N][M], struct vec v[N], const unsigned char mask[N][M])
    restrict(amp)
{
    _Static_assert(COUNT(program) == 2, "two");
    float local[4] = {[2] = 1}, sum = 0, *p = local, (*row)[M] = &x[idx[0]];
    union bits bits = {.f = x[0][0]};
    const float *const end = p + COUNT(local);
    for (; p != end; ++p)
        sum += *p ?: 1;
    CLAMP(sum);
    bits.u ^= 0x80000000u;
    for (size_t i = 0; i < COUNT(program); i++) {
        const enum op op = program[i].op;
        switch (op) {
        case ADD:
            sum += program[i].weight[i];
            break;
        case SUB:
            sum -= 1;
            /* fall through */
            __attribute__((fallthrough));
        case MUL:
        default:
            sum *= _Generic(sum, float: 2.0f, double: 3.0, long double: 4.0L);
        }
    }
    v[idx[0]] = add(v[idx[0]], &(struct vec){{1, 2, 3}});
    swap(&local[0], &local[1]);
    (*row)[idx[1]] = MAX(sum, bits.f) + (between(INT_MAX, -1, 3) ? fmaf(sum, 2, 1) : NAN);
    if (!mask[idx[0]][idx[1]])
        return;
    int bit = 0;
    while (bit < 8 && !(mask[idx[0]][idx[1]] >> bit & 1))
        bit++;
    x[idx[0]][idx[1]] += (float)bit + (isfinite(sum) ? copysignf(1, sum) : HUGE_VALF);
    memset(local, 0, sizeof local);
    (void)N;
}
