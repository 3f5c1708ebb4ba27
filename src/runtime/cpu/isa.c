/* SPDX-License-Identifier: MIT
 *
 * Instruction set levels of the x86-64 psABI ("microarchitecture levels", its table 3.1), with the operating system's
 * support for the registers. Processors other than x86-64 have their baseline. */
#include "cpu.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const names[] = {"baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4", "native"};

int amp__isa_level(const char *name)
{
    for (int i = ISA_BASELINE; i <= ISA_NATIVE; i++)
        if (!strcmp(names[i], name))
            return i;
    return ISA_UNKNOWN;
}

const char *amp__isa_name(int level)
{
    return names[level];
}

#if defined(__x86_64__)
/* AMD's Zen, first to fifth; 0 for others. Each runs the code of those before it. Families and models as in LLVM's
 * TargetParser/Host.cpp, since the compilers' run-time libraries of 2022 do not know the newer ones. */
static int zen_generation(void)
{
    unsigned a, vendor[3], b, c, d;
    if (!__get_cpuid(0, &a, &vendor[0], &vendor[2], &vendor[1]) || memcmp(vendor, "AuthenticAMD", 12) ||
        !__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    unsigned family = (a >> 8 & 0xf) + (a >> 20 & 0xff), model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
    if (family == 0x17)
        return model < 0x30 ? 1 : 2;
    if (family == 0x19)
        return (model >= 0x10 && model <= 0x1f) || (model >= 0x60 && model <= 0xaf) ? 4 : 3;
    return family >= 0x1a ? 5 : 0;
}
#endif

bool amp__isa_is_processor(const char *name)
{
    (void)name;
#if defined(__x86_64__)
    if (!strncmp(name, "znver", 5) && name[5] >= '1' && name[5] <= '5' && !name[6])
        return zen_generation() >= name[5] - '0';
    __builtin_cpu_init();
#define IS(processor)                                                                                                  \
    if (!strcmp(name, processor))                                                                                      \
        return __builtin_cpu_is(processor);
    IS("nehalem")
    IS("westmere")
    IS("sandybridge")
    IS("ivybridge")
    IS("haswell")
    IS("broadwell")
    IS("skylake")
    IS("skylake-avx512")
    IS("cascadelake")
    IS("cooperlake")
    IS("icelake-client")
    IS("icelake-server")
    IS("tigerlake")
    IS("alderlake")
    IS("sapphirerapids")
#undef IS
#endif
    return false;
}

int amp__isa_of_machine(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
        return ISA_V4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return ISA_V3;
    if (__builtin_cpu_supports("x86-64-v2"))
        return ISA_V2;
#endif
    return ISA_BASELINE;
}

bool amp__isa_scatters_fast(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
#else
    return false;
#endif
}

void amp__processor_name(char *text, size_t size)
{
    snprintf(text, size, "CPU");
#if defined(__x86_64__)
    /* Extended leaves 0x80000002 to 4 hold the name, 16 bytes each, padded with spaces. */
    unsigned words[13] = {0}, highest = __get_cpuid_max(0x80000000, NULL);
    for (unsigned leaf = 0; leaf < 3 && highest >= 0x80000004; leaf++)
        __get_cpuid(0x80000002 + leaf, &words[4 * leaf], &words[4 * leaf + 1], &words[4 * leaf + 2],
                    &words[4 * leaf + 3]);
    const char *name = (const char *)words;
    name += strspn(name, " ");
    int length = (int)strlen(name);
    while (length > 0 && name[length - 1] == ' ')
        length--;
    if (length > 0)
        snprintf(text, size, "%.*s", length, name);
#endif
}
