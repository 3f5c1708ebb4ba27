/* SPDX-License-Identifier: MIT
 *
 * generate [--cpp] SEED [COUNT] [DROP...]: writes a C program with COUNT random kernels, of seeds SEED, SEED + 1 and so
 * on, that compares each with the same text compiled for one thread (fuzz.h). A kernel depends on its own seed alone.
 * With --cpp the kernels are C++ AMP, which C++ compiles, too; the comparison and the reference remain C.
 *
 * Kernels are free of undefined behaviour and of races by construction:
 *
 * - Arithmetic that could overflow is unsigned, or on operands that are narrow or whose range is known (struct small).
 *   Divisors are positive, shift counts and indices masked, floating point converts to integers by guarded functions.
 * - Arrays that are written have a map from threads to their own elements, and no thread touches another one's.
 * - A tile_static array is at each place of the program either in OWN state, where a thread touches only its own
 *   element, or in SHARED state, where all only read it, or in ATOMIC state, where all apply one atomic operation,
 *   whose order does not matter. States change at barriers; loops and branches end in the state that they began in.
 * - Code is strict as long as all threads of a tile run it together. Barriers, and assignments to uniform variables,
 *   are only in strict code: strict branches and loops have uniform conditions and no jumps that threads take alone.
 *
 * The reducer knows each statement and each expression by a number. The generator leaves out the statements that DROP
 * lists, puts constants for the expressions, and makes the same random choices after them. -n prints how many numbers
 * there are. */
#include "generate.h"

int main(int argc, char **argv)
{
    is_cpp = argc > 1 && strcmp(argv[1], "--cpp") == 0;
    argc -= is_cpp, argv += is_cpp;
    if (argc < 2) {
        fprintf(stderr, "usage: generate [--cpp] SEED [COUNT] [DROP...]\n");
        return 1;
    }
    unsigned long start = strtoul(argv[1], NULL, 10), count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    bool ask = argc > 3 && strcmp(argv[3], "-n") == 0;
    for (int i = 3; i < argc && !ask; i++)
        drop_node(atoi(argv[i]));
    line("/* generate %lu %lu */", start, count);
    line("#include \"fuzz.h\"");
    line("%s", "");
    for (seed = start; seed < start + count; seed++)
        generate_kernel();
    line("#if !defined FUZZ_REFERENCE && !defined __cplusplus");
    line("int main(void)");
    line("{");
    line("    static const struct fuzz_kernel kernels[] = {");
    for (seed = start; seed < start + count; seed++)
        line("        KERNEL_%lu,", seed);
    line("    };");
    line("    return fuzz_main(kernels, %lu);", count);
    line("}");
    line("#endif");
    if (ask)
        printf("%d\n", n_nodes);
    else
        write_lines();
    return 0;
}
