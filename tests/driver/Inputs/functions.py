# SPDX-License-Identifier: MIT
"""Prints the functions of C files that have more lines than LINES or more parameters than PARAMETERS, and counts all.

usage: functions.py LINES PARAMETERS FOLDER      the files are formatted by clang-format
"""
import os
import re
import sys


def count_parameters(text):
    depth, n = 0, 1
    for character in text:
        depth += (character in "([") - (character in ")]")
        n += character == "," and depth == 0
    return n


def functions(lines):
    begin = None
    for end, line in enumerate(lines):
        if line == "{":
            begin = end
        if line != "}" or begin is None:
            continue
        first = begin - 1
        while lines[first].startswith(" "):
            first -= 1
        found = re.search(r"(\w+)\((.*)\)$", " ".join(lines[first:begin]))
        if found:
            yield found[1], end - first + 1, count_parameters(found[2])
        begin = None


most_lines, most_parameters, n = int(sys.argv[1]), int(sys.argv[2]), 0
for folder, _, names in os.walk(sys.argv[3]):
    for path in (os.path.join(folder, name) for name in names if name.endswith((".c", ".h"))):
        with open(path) as file:
            for name, lines, parameters in functions(file.read().split("\n")):
                n += 1
                if lines > most_lines or parameters > most_parameters:
                    print(f"{path}: {name} has {lines} lines and {parameters} parameters")
print(n, "functions")
