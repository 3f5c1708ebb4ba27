#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times programs on two ranks of Open MPI with one thread each, beside one process with two threads, and beside the
same by hand with MPI. Prints a table.

    time.py BUILD [FOLDER]    programs are compiled into FOLDER, by default a temporary one

A time is that of a step: the difference between runs of many steps and of few, as medians of ROUNDS rounds in turns."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
ROUNDS = 7
MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
          "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_pml": "ob1",
          "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}

# What is measured: the program, the one by hand or None, arguments before the number of steps, and two such numbers.
PROGRAMS = [
    ("jacobi", "halos", (1026,), 500, 3500),
    ("jacobi", "halos", (2050,), 100, 1100),
    ("jacobi", "halos", (4098,), 20, 220),
    ("product", None, (1500,), 0, 6),
    ("product", None, (2048,), 0, 3),
    ("nbody", None, (4000,), 100, 900),
    ("nbody", None, (16000,), 10, 90),
]


def compile_all(build, folder):
    ampcc = [os.path.join(build, "bin", "ampcc"), "-O2", "--amp-cpu=native", "--amp-gpu=none"]
    for command in (["mpicc.openmpi", "-O3", "-march=native", f"{here}/halos.c", "-o", f"{folder}/halos", "-lm"],
                    [*ampcc, f"{root}/samples/jacobi.c", "-o", f"{folder}/jacobi", "-lm"],
                    [*ampcc, f"{root}/samples/nbody.c", "-o", f"{folder}/nbody", "-lm"],
                    [*ampcc, f"{here}/product.c", "-o", f"{folder}/product"]):
        subprocess.run(command, check=True)


def seconds(command, **variables):
    begin = time.monotonic()
    subprocess.run([str(word) for word in command], env=dict(os.environ, **variables), check=True,
                   stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def on_ranks(program, *arguments):
    return seconds(["mpirun.openmpi", "-n", 2, "--bind-to", "core", program, *arguments], AMP_NUM_THREADS="1",
                   AMP_DEFAULT_ACCELERATOR="all", **MPIRUN)


def on_threads(program, *arguments):
    return seconds([program, *arguments], AMP_NUM_THREADS="2")


def measure(folder, program, by_hand, arguments, few, many):
    runs = {"ranks": (on_ranks, program), "threads": (on_threads, program)}
    if by_hand:
        runs["hand"] = (on_ranks, by_hand)
    times = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, (run, which) in runs.items():
            path = os.path.join(folder, which)
            times[name].append((run(path, *arguments, many) - run(path, *arguments, few)) / (many - few))
    return {name: statistics.median(of) for name, of in times.items()}


def main(build, folder):
    compile_all(build, folder)
    print("                  2 ranks   2 threads          by hand", flush=True)
    for program, by_hand, arguments, few, many in PROGRAMS:
        times = measure(folder, program, by_hand, arguments, few, many)
        ranks, threads = times["ranks"], times["threads"]
        line = f"{program:8} {arguments[0]:5}  {ranks * 1e3:7.3f} ms {threads * 1e3:7.3f} ms {ranks / threads:5.2f}"
        if by_hand:
            line += f" {times['hand'] * 1e3:7.3f} ms {ranks / times['hand']:5.2f}"
        print(line, flush=True)


if len(sys.argv) > 2:
    main(*sys.argv[1:])
else:
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1], folder)
