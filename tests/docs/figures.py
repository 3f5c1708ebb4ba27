#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""figures.py RESULTS PAGE README: compares the figures that are published with those that were measured.

PAGE must have every row of RESULTS/bench.md as it is, and of gpu.md the times and ratio; a row of README that begins as
one of them must be the same. What bench.txt says of launches, programs and compilation must be in PAGE, rounded."""
import os
import re
import sys


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def rows(text):
    """The rows of all tables, by their first cell; without those between head and body."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*\|$", text, re.M)]
    return {row[0]: row for row in cells if row[0] and not re.fullmatch(r"[ :-]+", row[0])}


def gpu_rows(results):
    return {name: row[:5] + [row[5].split()[0]] for name, row in rows(read(results, "gpu.md")).items() if row[1]}


def main():
    results, page, readme = sys.argv[1:]
    cpu, gpu = rows(read(results, "bench.md")), gpu_rows(results)
    cpu.pop("kernel, time in ms"), gpu.pop("kernel")
    wrong = []
    shown = rows(read(page))
    wrong += [f"{page} lacks: {' | '.join(row)}" for row in cpu.values() if row != shown.get(row[0])]
    wrong += [f"{page} lacks: {' | '.join(row)}" for row in gpu.values() if row != shown.get(row[0])]
    for name, row in rows(read(readme)).items():
        if row not in (cpu.get(name, row), gpu.get(name, row)):
            wrong.append(f"{readme} has: {' | '.join(row)}")
    for line in ("launch over 1 element", "life of a program", "compiling samples/matmul.c"):
        value, unit = re.search(rf"^{line}.*?  ([\d.]+) (\w+)", read(results, "bench.txt"), re.M).groups()
        if f" {float(value):.2g} {unit} " not in read(page):
            wrong.append(f"{page} lacks: {line}: {float(value):.2g} {unit}")
    print("\n".join(wrong + [f"{len(cpu)} rows of processors, {len(gpu)} of GPUs"]))
    return bool(wrong) or not cpu or not gpu


sys.exit(main())
