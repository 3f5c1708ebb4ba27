#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times programs on 2 and 4 ranks of Open MPI with one thread each, beside one process with two threads, and beside
peers: the same by hand with MPI, and ScaLAPACK's PSGEMM. Prints a table, and writes the same as JSON.

    time.py BUILD [--ranks N,N] [--json FILE] [--first COMMAND] [PROGRAM...]    COMMAND, as "chrt -f 1", begins each run

A time is that of a step: the difference between runs of many steps and of few, as medians of ROUNDS rounds in turns.
Where ranks have to share cores, all give way while they wait. OpenBLAS should be what libblas.so.3 is, with
OPENBLAS_CORETYPE as it is fastest."""
import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
ROUNDS = 7
MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
          "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_pml": "ob1", "OMPI_MCA_mpi_yield_when_idle": "1",
          "OPENBLAS_NUM_THREADS": "1"}
HALOS = [("halos",), ("halos", "1")]
PSGEMM = [("psgemm", str(block)) for block in (64, 128, 256)]

# What is measured: the program, its peers with their arguments after the number of steps, arguments before it, and two
# such numbers. Of several peers the fastest counts.
PROGRAMS = [
    ("jacobi", HALOS, 1026, 100, 2600),
    ("jacobi", HALOS, 2050, 20, 620),
    ("jacobi", HALOS, 4098, 4, 104),
    ("product", PSGEMM, 1500, 0, 6),
    ("product", PSGEMM, 2048, 0, 4),
    ("nbody", [("bodies-gcc",), ("bodies-clang",)], 4000, 20, 220),
    ("nbody", [("bodies-gcc",), ("bodies-clang",)], 16000, 2, 12),
]


def compile_all(build, folder):
    ampcc = [os.path.join(build, "bin", "ampcc"), "-O2", "--amp-cpu=native", "--amp-gpu=none"]
    with open(os.path.join(build, "tests", "tools.txt")) as lines:
        clang = dict(line.rstrip("\n").split("=", 1) for line in lines)["CLANG"]
    mpicc = ["mpicc.openmpi", "-O3", "-march=native"]
    for command, cc in (([*mpicc, f"{here}/halos.c", "-o", f"{folder}/halos"], "gcc"),
                        ([*mpicc, f"{here}/psgemm.c", "-o", f"{folder}/psgemm", "-lscalapack-openmpi"], "gcc"),
                        ([*mpicc, "-ffast-math", f"{here}/bodies.c", "-o", f"{folder}/bodies-gcc"], "gcc"),
                        ([*mpicc, "-ffast-math", f"{here}/bodies.c", "-o", f"{folder}/bodies-clang"], clang),
                        ([*ampcc, f"{root}/samples/jacobi.c", "-o", f"{folder}/jacobi"], None),
                        ([*ampcc, "-ffast-math", f"{root}/samples/nbody.c", "-o", f"{folder}/nbody"], None),
                        ([*ampcc, f"{here}/product.c", "-o", f"{folder}/product"], None)):
        subprocess.run([*command, "-lm"], check=True, env=dict(os.environ, **({"OMPI_CC": cc} if cc else {})))


class Measured:
    """The rows of one program and size."""

    def __init__(self, folder, first, program, size, few, many):
        self.folder, self.first, self.program = folder, first.split(), program
        self.size, self.few, self.many = size, few, many

    def seconds(self, n_ranks, name, steps, rest):
        command = [os.path.join(self.folder, name), str(self.size), str(steps), *rest]
        if n_ranks:
            command = ["mpirun.openmpi", "-n", str(n_ranks), "--map-by", "core", "--bind-to", "core:overload-allowed",
                       *command]
        settings = dict(MPIRUN, AMP_NUM_THREADS="1" if n_ranks else "2",
                        AMP_DEFAULT_ACCELERATOR="all" if n_ranks else "cpu")
        begin = time.monotonic()
        subprocess.run([*self.first, *command], env=dict(os.environ, **settings), check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - begin

    def step(self, n_ranks, name, rest):
        few, many = (self.seconds(n_ranks, name, steps, rest) for steps in (self.few, self.many))
        return 1e3 * (many - few) / (self.many - self.few)

    def medians(self, runs):
        times = [[self.step(*run) for run in runs] for _ in range(ROUNDS)]
        return [statistics.median(of) for of in zip(*times)]


def measure(measured, peers, numbers):
    """Yields a row for each number of ranks, in milliseconds."""
    for n_ranks in numbers:
        runs = [(n_ranks, measured.program, ()), *((n_ranks, name, rest) for name, *rest in peers)]
        if n_ranks == 2:
            runs.append((0, measured.program, ()))
        ours, *others = measured.medians(runs)
        threads = others.pop() if n_ranks == 2 else None
        best = min(range(len(peers)), key=lambda i: others[i])
        yield {"program": measured.program, "size": measured.size, "ranks": n_ranks, "ms": ours, "threads_ms": threads,
               "peer": " ".join(peers[best]), "peer_ms": others[best],
               "peers_ms": {" ".join(peer): ms for peer, ms in zip(peers, others)}}


def line(row):
    threads = f"{row['threads_ms']:8.3f} {row['ms'] / row['threads_ms']:5.2f}" if row["threads_ms"] else " " * 14
    return (f"{row['program']:8} {row['size']:5} {row['ranks']:6} {row['ms']:8.3f}   {threads}   {row['peer_ms']:8.3f} "
            f"{row['ms'] / row['peer_ms']:5.2f}  {row['peer']}")


def machine(folder):
    with open("/proc/cpuinfo") as lines:
        names = re.findall(r"model name\s*: (.*)", lines.read())
    libraries = subprocess.check_output(["ldd", f"{folder}/psgemm"], text=True)
    return {"processor": names[0] if names else platform.processor(), "cores": os.cpu_count(),
            "blas": "OpenBLAS" if "openblas" in libraries else "libblas"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("programs", nargs="*", help="of these alone")
    parser.add_argument("--ranks", default="2,4", metavar="N,N")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--first", default="", metavar="COMMAND")
    options = parser.parse_intermixed_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        compile_all(options.build, folder)
        print("milliseconds of a step, and how many times as long as 2 threads, and as the peer\n"
              "                 ranks           2 threads               peer", flush=True)
        for program, peers, *rest in PROGRAMS:
            if not options.programs or program in options.programs:
                numbers = map(int, options.ranks.split(","))
                for row in measure(Measured(folder, options.first, program, *rest), peers, numbers):
                    rows.append(row)
                    print(line(row), flush=True)
        if options.json:
            with open(options.json, "w") as file:
                json.dump({"machine": machine(folder), "rounds": ROUNDS, "rows": rows}, file, indent=1)
                file.write("\n")


main()
