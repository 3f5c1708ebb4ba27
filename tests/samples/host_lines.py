#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""host_lines.py FOLDER PAGE: counts the lines of host code of the programs in FOLDER, and compares the counts with the
table in PAGE, whose rows name the files. Ours may need at most three lines more than C++ AMP's.

A line of host code has code, and is not between the comments `kernel` and `host`, which enclose what runs on the
device, or describes it."""
import os
import re
import sys

PROGRAMS = ["saxpy", "product"]
FILES = {"AMP for C": "{}.c", "C++ AMP": "{}_cppamp.cpp", "OpenMP": "{}_openmp.c", "SYCL": "{}_sycl.cpp",
         "CUDA": "{}_cuda.cu", "OpenCL": "{}_opencl.c"}
MORE_THAN_CPPAMP = 3


def count(path):
    with open(path) as file:
        text = file.read()
    parts = re.split(r"^.*(?:/\* kernel \*/|// kernel)\n|^.*(?:/\* host \*/|// host)\n", text, flags=re.M)
    if len(parts) != 3:
        sys.exit(f"{path}: not one part with the kernel")
    host = re.sub(r"/\*.*?\*/|//[^\n]*", "", parts[0] + parts[2], flags=re.S)
    return sum(1 for line in host.splitlines() if line.strip())


def main():
    folder, page = sys.argv[1:]
    counts = {name: [count(os.path.join(folder, file.format(program))) for program in PROGRAMS]
              for name, file in FILES.items()}
    with open(page) as file:
        text = file.read()
    failed = False
    for name, numbers in counts.items():
        links = [f"[{n}](../samples/compared/{FILES[name].format(program)})"
                 for n, program in zip(numbers, PROGRAMS)]
        row = f"| {name} | {links[0]} | {links[1]} |"
        print(row)
        if row not in text:
            failed = True
            print(f"{page} has another row for {name}")
    for ours, theirs, program in zip(counts["AMP for C"], counts["C++ AMP"], PROGRAMS):
        if ours > theirs + MORE_THAN_CPPAMP:
            failed = True
            print(f"{program}: {ours} lines, and C++ AMP has {theirs}")
    return failed


sys.exit(main())
