#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the report's advice helps.

    advice.py AMPCC [option...] FILE

For each comment `advice PREFIX: BEFORE -> AFTER: text` with the PREFIX of the environment's ADVICE the kernel BEFORE
must get advice with this text. AFTER, which follows it, must not, and less in it may cost.
"""
import json
import os
import re
import subprocess
import sys

COMMENT = re.compile(r"advice (\w+): (\w+) -> (\w+): (.+?)(?: \*/)?$", re.M)
SECTIONS = ["memory", "masks", "calls", "notes"]
CHEAP = {"uniform", "contiguous", "strided", "vector", "combined", "at borders"}


def items_of(kernel):
    return [item for section in SECTIONS for item in kernel[section]]


def cost(kernel):
    return sum(item["kind"] not in CHEAP for item in items_of(kernel)) + (kernel["why_scalar"] is not None)


def check(kernels, before, after, text):
    said = [[item["advice"] or "" for item in items_of(kernels[name])] for name in (before, after)]
    if not any(text in advice for advice in said[0]):
        yield f"{before} gets no such advice: {text}; it gets {said[0]}"
    if any(text in advice for advice in said[1]):
        yield f"{after} gets it still: {text}"
    if cost(kernels[after]) >= cost(kernels[before]):
        yield f"{after} costs {cost(kernels[after])} and {before} {cost(kernels[before])}"


def main():
    command, name = sys.argv[1:], sys.argv[-1]
    report = subprocess.run(command + ["-c", "--amp-report=json", "-o", os.devnull], stdout=subprocess.PIPE, check=True)
    kernels = {kernel["kernel"]: kernel for kernel in json.loads(report.stdout) if "memory" in kernel}
    with open(name) as file:
        comments = [c[1:] for c in COMMENT.findall(file.read()) if c[0] == os.environ["ADVICE"]]
    wrong = [message for comment in comments for message in check(kernels, *comment)]
    print("\n".join(wrong + [f"{len(comments)} pieces of advice, {len(wrong)} wrong"]))
    return 1 if wrong or not comments else 0


if __name__ == "__main__":
    sys.exit(main())
