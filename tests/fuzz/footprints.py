#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C program with random kernels and, for each, the same code for the host, which notes what every access
touches. The program launches each kernel with arrays that are just large enough, which must work, and with arrays that
are too small. A launch that is rejected must name exactly the box that was touched; how many are is printed. With
-DBOXES it compares what random boxes of launches touch with their footprints instead (boxes.h).

    footprints.py SEED N > program.c"""
import random
import sys

rng = random.Random()


def pick(*choices):
    return rng.choice(choices)


class Kernel:
    """`here` are the variables that a place in the code sees."""

    def __init__(self, number):
        self.number = number
        self.rank = pick(1, 1, 2)
        self.tile = [pick(2, 3, 4) for _ in range(self.rank)] if rng.random() < 0.3 else None
        self.array_rank = pick(1, 1, 2)
        self.n_loops = self.n_accesses = 0
        self.index = [f'G({d})' for d in range(self.rank)]
        if self.tile:
            self.index += [f'{c}({d})' for c in 'LTO' for d in range(self.rank)]
        self.lines = []
        self.block(self.index[:], 0, 0)
        if not self.n_accesses:
            self.access(self.index, 0)

    def add(self, depth, text):
        self.lines.append('    ' * (depth + 1) + text)

    def uniform(self):
        return pick('n', 'm', 'w', 'n - 1', 'm + 2', 'n + m', 'n / 2', '3', '4', '1', 'n * 2', 'm - n')

    def affine(self, here):
        text = pick(*here)
        for _ in range(pick(0, 0, 1, 1, 2)):
            term = pick(*here, self.uniform(), f'{pick(*here)} * {pick("2", "3", "w", "n")}', f'{pick(*here)} * w',
                        f'({pick(*here)} + 1) * w')
            text += f' {pick("+", "+", "-")} {term}'
        return text

    def subscript(self, here):
        kind = rng.random()
        if kind < 0.70:
            return self.affine(here)
        if kind < 0.80:
            return f'{pick("least", "greatest")}({self.affine(here)}, {pick(self.uniform(), self.affine(here))})'
        if kind < 0.85:
            return f'least(greatest({self.affine(here)}, 0), {self.uniform()})'
        if kind < 0.90:
            return f'({self.affine(here)}) / {pick(2, 3)}'
        if kind < 0.94:
            return f'(unsigned)({self.affine(here)}) {pick("+ 1u", "- 1u", ">> 1")}'
        if kind < 0.97:
            return f'({self.affine(here)}) % 5'
        return f'({pick(*here)} + 1) * ({pick(*here)} + 1)'

    def condition(self, here):
        v = pick(*here)
        u = self.uniform()
        return pick(f'{v} < {u}', f'{v} <= {u}', f'{v} > {u}', f'{v} >= 1', f'{v} > 0 && {v} < {u}', f'{v} + 2 < {u}',
                    f'{self.affine(here)} < {u}', f'{v} < {u} || {pick(*here)} < 2', f'{v} < {u} && {pick(*here)} > 0',
                    f'{u} > 3', f'{u} == 4', f'{u} != 3', f'({v} & 1) == 0', f'{v} != 0', f'{v} == {u}',
                    f'{v} != {u}', f'(unsigned){v} < (unsigned)({u})', f'(unsigned){v} - 1u < (unsigned)({u})',
                    f'!({v} >= {u})', f'2 * {v} + 1 < {u}', f'{u} > 2 && {v} < 5', f'{v} < {pick(*here)}', 'n', '!n')

    def access(self, here, depth):
        self.n_accesses += 1
        subs = ', '.join(self.subscript(here) for _ in range(self.array_rank))
        self.add(depth, f'{pick("PUT", "PUT", "ADD", "GET")}{self.array_rank}({subs});')

    def loop(self, here, depth):
        k = f'k{self.n_loops}'
        self.n_loops += 1
        start = pick('0', '0', '0', '1', self.uniform(), pick(*here), f'{pick(*here)} * 2')
        end = pick(self.uniform(), self.uniform(), '5', f'{start} + 3', f'{start} + {self.uniform()}', pick(*here))
        kind = rng.random()
        if kind < 0.55:
            step = pick('++', '++', ' += 2', ' += 3')
            self.add(depth, f'for (int {k} = {start}; {k} {pick("<", "<", "<=")} {end}; {k}{step}) {{')
        elif kind < 0.70:
            goes_on = f'{k} {pick(">=", ">", "!=")} {pick("0", "0", "-1")} && {k} < 19 && {k} > -19'
            self.add(depth, f'for (int {k} = {end} - 1; {goes_on}; {k}{pick("--", "--", " -= 2")}) {{')
        elif kind < 0.80:
            self.add(depth, f'for (unsigned {k}_ = 0; {k}_ < (unsigned)least(greatest({end}, 0), 9); {k}_++) {{')
            self.add(depth + 1, f'int {k} = (int){k}_;')
        elif kind < 0.90:
            self.add(depth, f'int {k} = {start} - 1;')
            self.add(depth, f'while (++{k} < {end}) {{')
        else:
            self.add(depth, f'for (int {k} = {end}; {k}-- > 0;) {{')
        if rng.random() < 0.2:
            self.add(depth + 1, f'if ({self.condition(here + [k])})')
            self.add(depth + 2, pick('break;', 'continue;'))
        self.block(here + [k], depth + 1, pick(0, 0, 1))
        self.add(depth, '}')

    def block(self, here, depth, at_least):
        for _ in range(pick(1, 1, 2)):
            kind = rng.random()
            if depth < 3 and kind < 0.25:
                self.add(depth, f'if ({self.condition(here)}) {{')
                self.block(here, depth + 1, 0)
                if rng.random() < 0.3:
                    self.add(depth, '} else {')
                    self.block(here, depth + 1, 0)
                self.add(depth, '}')
            elif depth < 3 and kind < 0.50:
                self.loop(here, depth)
            elif kind < 0.58 and not self.tile:
                self.add(depth, f'if ({self.condition(here)})')
                self.add(depth + 1, 'return;')
            else:
                self.access(here, depth)

    def write(self):
        k, rank, tile = self.number, self.rank, self.tile
        index = f'amp_tiled_index{rank}({", ".join(map(str, tile))}) t' if tile else f'amp_index{rank} t'
        bound, array = ('N, ', 'x[N]') if self.array_rank == 1 else ('M, int N, ', 'x[M][N]')
        body = '\n'.join(self.lines)
        names = {'G': 't.global[d]', 'L': 't.local[d]', 'T': 't.tile[d]', 'O': 't.tile_origin[d]'}
        print(f'#undef DEVICE\n#define DEVICE 1\n#include "footprints.h"')
        for name, text in names.items():
            print(f'#undef {name}\n#define {name}(d) {text if tile else "t[d]"}')
        print(f'static void kernel{k}({index}, int {bound}int n, int m, int w, int {array}, '
              f'int found[1]) restrict(amp)\n{{')
        self.write_body(body)
        print(f'#undef DEVICE\n#define DEVICE 0\n#include "footprints.h"')
        for name, text in zip('GLTO', ('at', 'at_local', 'at_tile', 'at_origin')):
            print(f'#undef {name}\n#define {name}(d) {text}[d]')
        print(f'static void host{k}(int n, int m, int w)\n{{')
        self.write_body(body)
        print(f'static void launch{k}(const struct trial *trial)\n{{')
        print(f'    amp_parallel_for_each_on(on, amp_extent_n({rank}, trial->extent), kernel{k}, trial->n, trial->m, '
              f'trial->w, trial->view, trial->found);\n}}')

    def write_body(self, body):
        """Gives both copies of the code the same line numbers."""
        print(f'#line {1000 * (self.number + 1)}')
        print(body + '\n    (void)n;\n    (void)m;\n    (void)w;\n}')


def main():
    rng.seed(int(sys.argv[1]))
    kernels = [Kernel(i) for i in range(int(sys.argv[2]))]
    print('#define DEVICE 2\n#include "footprints.h"')
    for kernel in kernels:
        kernel.write()
    print('static const struct kernel kernels[] = {')
    for k in kernels:
        tile = (k.tile or []) + [1, 1]
        print(f'    {{host{k.number}, launch{k.number}, {k.rank}, {k.array_rank}, {{{tile[0]}, {tile[1]}}}}},')
    print('};\n#define DEVICE 3\n#include "footprints.h"')


main()
