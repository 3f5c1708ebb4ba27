#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts what ranks of Open MPI send to each other, and measures how long a rank takes for launches that repeat,
besides MPI and the work itself. Prints a table.

    run.py BUILD [FOLDER]    programs are compiled into FOLDER, by default a temporary one
"""
import collections
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))


def compile_all(build, folder):
    ampcc = [os.path.join(build, "bin", "ampcc"), "-O2", "--amp-cpu=native", "--amp-gpu=none"]
    for command in (["mpicc.openmpi", "-O2", "-shared", "-fPIC", f"{here}/count.c", "-o", f"{folder}/count.so"],
                    ["mpicc.openmpi", "-O2", f"{here}/halos.c", "-o", f"{folder}/halos", "-lm"],
                    ["cc", "-O2", "-shared", "-fPIC", f"{here}/alone.c", "-o", f"{folder}/libamp-openmpi.so"],
                    [*ampcc, f"{here}/plan.c", "-o", f"{folder}/plan"],
                    [*ampcc, f"{root}/samples/jacobi.c", "-o", f"{folder}/jacobi", "-lm"],
                    [*ampcc, f"{here}/product.c", "-o", f"{folder}/product"]):
        subprocess.run(command, check=True)
    shutil.copy(os.path.join(build, "lib", "libamp.so.0"), folder)


def plan(folder, n_ranks):
    """Prints how long one of many ranks, which is alone, takes for a launch that repeats."""
    environment = dict(os.environ, AMP_DEFAULT_ACCELERATOR="all", AMP_NUM_THREADS="1", LD_LIBRARY_PATH=folder,
                       OMPI_COMM_WORLD_SIZE=str(n_ranks))
    print(subprocess.run([f"{folder}/plan"], env=environment, check=True, stdout=subprocess.PIPE,
                         universal_newlines=True).stdout, end="")


def count(folder, n_ranks, program, *arguments):
    """Returns the messages and bytes that all ranks have sent together."""
    name = os.path.join(folder, "count")
    command = [os.path.join(root, "tests", "run-ranks.sh"), "openmpi", str(n_ranks), "env",
               f"LD_PRELOAD={folder}/count.so", f"COUNT_FILE={name}", os.path.join(folder, program)]
    command += map(str, arguments)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    sent = collections.Counter()
    for rank in range(n_ranks):
        with open(f"{name}.{rank}") as lines:
            for line in lines:
                kind, messages, sizes = line.split()
                if "send" in kind:
                    sent["messages"] += int(messages)
                    sent["bytes"] += int(sizes)
    return sent


def per_sweep(folder, n_ranks, program, *rest):
    few, many = (count(folder, n_ranks, program, 514, sweeps, *rest) for sweeps in (20, 40))
    return (many["messages"] - few["messages"]) / 20, (many["bytes"] - few["bytes"]) / 20


def main(build, folder):
    compile_all(build, folder)
    print("jacobi of 514 x 514 points, per sweep, all ranks together")
    print("ranks   messages      bytes   by hand: messages      bytes")
    for n_ranks in 2, 3, 4:
        ours, theirs = (per_sweep(folder, n_ranks, *program) for program in (("jacobi",), ("halos", 1)))
        print(f"{n_ranks:5} {ours[0]:10.0f} {ours[1]:10.0f}   {theirs[0]:17.0f} {theirs[1]:10.0f}")
    print("\nproduct of 256 x 256 elements, made by the ranks; elements sent, in products of 256 x 256")
    print("ranks       sent   ScaLAPACK's bound")
    for n_ranks, bound in (4, 2), (16, 6), (64, 14):
        before, after = (count(folder, n_ranks, "product", 256, runs) for runs in (0, 1))
        print(f"{n_ranks:5} {(after['bytes'] - before['bytes']) / 4 / 256 ** 2:10.2f}   {bound:17}")
    print("\na launch over 130 x 130 points on one rank that sends its messages nowhere, best of 9 x 1000", flush=True)
    for n_ranks in 4, 16, 64, 1024:
        plan(folder, n_ranks)


if len(sys.argv) > 2:
    main(*sys.argv[1:])
else:
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1], folder)
