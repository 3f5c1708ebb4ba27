# SPDX-License-Identifier: MIT
"""Prints the circles of a program's source files, one a line: files each of which needs a symbol of the next.

usage: circles.py SOURCES OBJECTS      two folders; the object of a/b.c is a/b.c.o
"""
import os
import subprocess
import sys


def symbols(object_file, defined):
    kind = "--defined-only" if defined else "--undefined-only"
    lines = subprocess.check_output(["llvm-nm", "--extern-only", "--format=just-symbols", kind, object_file], text=True)
    return set(lines.split())


def reachable(needs, start):
    found, work = set(), [start]
    while work:
        for other in needs[work.pop()] - found:
            found.add(other)
            work.append(other)
    return found


sources, objects = sys.argv[1:]
files = []
for folder, _, names in os.walk(sources):
    files += [os.path.relpath(os.path.join(folder, name), sources) for name in names if name.endswith(".c")]
owner = {symbol: file for file in files for symbol in symbols(os.path.join(objects, file + ".o"), True)}
needs = {file: {owner[s] for s in symbols(os.path.join(objects, file + ".o"), False) if s in owner} for file in files}
reach = {file: reachable(needs, file) for file in files}
circles = {tuple(sorted(other for other in files if other in reach[file] and file in reach[other])) for file in files}
for circle in sorted(circles):
    if circle:
        print(*circle)
