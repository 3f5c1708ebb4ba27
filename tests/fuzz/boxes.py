#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what random boxes of random kernels touch with the footprints that the library has for them (boxes.c,
footprints.py), and prints how much larger the footprints are.

    boxes.py [-n COUNT] [--seed FIRST]    COUNT kernels, of which a hundred are a program; a seed that is wrong is named
"""
import argparse
import collections
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
BATCH = 100  # kernels per program
LARGEST = 1100  # a ratio of 11 in hundredths stands for it and for all above


class Sizes:
    """Of the boxes with one kind of access: the footprints' sizes, in hundredths of what is touched."""

    def __init__(self):
        self.ratios, self.whole, self.idle = collections.Counter(), 0, [0, 0]

    def add(self, words):
        self.whole += int(words[2])
        self.idle = [self.idle[i] + int(words[4 + i]) for i in range(2)]
        for word in words[7:]:
            ratio, n = word.split(":")
            self.ratios[int(ratio)] += int(n)

    def quantile(self, share):
        n, below = sum(self.ratios.values()), 0
        for ratio in sorted(self.ratios):
            below += self.ratios[ratio]
            if below >= share * n:
                return ("over " if ratio == LARGEST else "") + f"{ratio / 100:.2f}"
        return "-"

    def line(self, kind):
        n = max(sum(self.ratios.values()), 1)
        return (f"{kind:8} {n:9} {self.ratios[100] / n:7.1%} {self.quantile(0.5):>8} {self.quantile(0.75):>8} "
                f"{self.quantile(0.9):>10} {self.whole / n:7.1%} {sum(self.idle):11} "
                f"{self.idle[0] / max(sum(self.idle), 1):7.1%}")


def compile_harness(folder):
    subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", f"-I{root}/src/runtime", f"-I{root}/include", "-c", f"{here}/boxes.c",
                    "-o", f"{folder}/boxes.o"], check=True)


def run_program(folder, build, seed, n):
    """Returns what the program of a seed prints, or raises an error with it."""
    name = f"{folder}/{seed}"
    with open(f"{name}.c", "w") as source:
        subprocess.run([sys.executable, f"{here}/footprints.py", str(seed), str(n)], stdout=source, check=True)
    level = ["-O2", "-O2", "-O2", "-O0"][seed % 4]
    compiling = [f"{build}/bin/ampcc", level, "--amp-gpu=none", "--amp-cpu=native", "-w", "-DBOXES", f"-I{here}",
                 f"{name}.c", f"{folder}/boxes.o", f"{build}/lib/libamp.a", "-Wl,--wrap=amp__footprints_try",
                 "-o", name]
    for command, settings in (compiling, {}), ([name], {"AMP_TEST_FOOTPRINTS": "1", "AMP_NUM_THREADS": "1"}):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              env=dict(os.environ, **settings))
        if done.returncode:
            raise RuntimeError(f"seed {seed}, {level}: status {done.returncode}\n" + done.stdout[:2000])
    for end in "", ".c":
        os.remove(name + end)
    return done.stdout


def campaign(folder, build, first, count, jobs):
    sizes, n_wrong = {"read": Sizes(), "written": Sizes()}, 0
    compile_harness(folder)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(run_program, folder, build, first + at // BATCH, min(BATCH, count - at))
                for at in range(0, count, BATCH)]
        for run in runs:
            try:
                for line in run.result().splitlines():
                    words = line.split()
                    sizes[words[0]].add(words)
            except RuntimeError as error:
                print(error, flush=True)
                n_wrong += 1
    print("            boxes   exact   median  3 of 4  9 of 10   whole   untouched, of which exact")
    for kind, of in sizes.items():
        print(of.line(kind))
    print(f"{count} kernels, {n_wrong} programs wrong")
    return n_wrong == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=1000, help="kernels")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="programs at a time")
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--build", default=os.path.join(root, os.environ.get("AMP_BUILD", "build")))
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="amp-boxes-")
    try:
        sys.exit(0 if campaign(folder, options.build, options.seed, options.n, options.jobs) else 1)
    finally:
        shutil.rmtree(folder)


main()
