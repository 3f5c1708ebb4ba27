# SPDX-License-Identifier: MIT
"""Reads a profile on its input. With --table, prints the tables with T, S and R for times, shares and rates, the rows
of each in alphabetical order; with --json, checks JSON and prints the sums of all rows."""
import json
import re
import sys

text = sys.stdin.read()
if sys.argv[1] == "--table":
    text = re.sub(r"process \d+, [\d.]+ s", "process P, T", text)
    text = re.sub(r" +[\d.]+ (ns|us|ms|s )", "  T", text)
    text = re.sub(r" +[\d.]+ %", "  S", text)
    text = re.sub(r" +[\d.]+  (host|device)", r"  R  \1", text)
    text = re.sub(r"\(/.*/", "(", text)
    for table in re.sub(r" +\n", "\n", text).split("\n\n"):
        head, *rows = table.strip("\n").split("\n")
        print("\n".join([head] + sorted(rows)))
else:
    profile = json.loads(text)
    sums = {key: 0 for key in ("launches", "in", "out", "across", "bytes_in", "bytes_out", "bytes_across")}
    for kernel in profile["kernels"]:
        sums["launches"] += kernel["launches"]
        assert kernel["total_ns"] >= 0 and kernel["bytes"] > 0 and kernel["line"] > 0, kernel
    assert not profile["kernels"] or abs(sum(kernel["share"] for kernel in profile["kernels"]) - 1) < 1e-4
    for copy in profile["copies"]:
        way = "across" if copy["from"] == copy["to"] else "in" if copy["from"] == "host" else "out"
        sums[way] += copy["copies"]
        sums["bytes_" + way] += copy["bytes"]
    assert all(wait["total_ns"] >= 0 for wait in profile["waits"]) and profile["lost"] == 0
    print(*(f"{key}={value}" for key, value in sums.items()))
