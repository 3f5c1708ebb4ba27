// SPDX-License-Identifier: MIT
// Checks that print what is wrong; result() is main's result.
#pragma once

#include <cstdio>

static int n_failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                        \
            n_failures++;                                                                                              \
        }                                                                                                              \
    } while (0)

#define CHECK_THROWS(type, ...)                                                                                        \
    do {                                                                                                               \
        bool thrown = false;                                                                                           \
        try {                                                                                                          \
            __VA_ARGS__;                                                                                               \
        } catch (const type &) {                                                                                       \
            thrown = true;                                                                                             \
        }                                                                                                              \
        if (!thrown) {                                                                                                 \
            std::printf("%s:%d: no %s: %s\n", __FILE__, __LINE__, #type, #__VA_ARGS__);                                \
            n_failures++;                                                                                              \
        }                                                                                                              \
    } while (0)

static int result()
{
    if (!n_failures)
        std::puts("all right");
    return n_failures != 0;
}
