#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what the README claims, each figure beside its peer, in one run on all cores.

run.py BUILD CLANG ROUNDS: starts the programs of BUILD/bench in turns, ROUNDS times, each time in a process of its own so that
threads that one leaves spinning do not disturb the next. Writes bench.json and bench.txt into bench/results and prints
the latter. A peer that is not installed is a line that says so. Exit status 1 if a program fails or a result is wrong.
"""
import json
import os
import platform
import statistics
import subprocess
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))
build, clang, rounds = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
programs = os.path.join(build, "bench")

# Every peer picks its own threads and kernels.
for name in list(os.environ):
    if name.startswith(("AMP_", "OMP_", "KMP_", "GOMP_", "OPENBLAS_", "BLIS_", "GOTO_", "POCL_")):
        del os.environ[name]

FLOP = 2 * 1024**3


def worker(*arguments):
    """Runs a measuring program; its seconds, and what it says of itself, or why it cannot run."""

    def run():
        command = [os.path.join(programs, arguments[0]), *arguments[1:]]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit("%s: exit status %d\n%s" % (" ".join(command), result.returncode, result.stderr))
        lines = result.stdout.splitlines()
        if lines and lines[-1].startswith("missing "):
            return None, lines[-1]
        return [float(line) for line in lines[:-1]], lines[-1].removeprefix("# ")

    return run


def command(times, *words):
    """Runs a whole command `times` times; the seconds from its start to its end."""

    def run():
        seconds = []
        for _ in range(times):
            start = time.monotonic()
            subprocess.run(words, stdin=subprocess.DEVNULL, check=True)
            seconds.append(time.monotonic() - start)
        return seconds, os.path.basename(words[0])

    return run


sample = os.path.join(here, "..", "samples", "matmul.c")
include = "-I" + os.path.join(build, "include")
output = os.path.join(programs, "matmul.o")

# title, unit, factor from seconds to the unit, [(name, how to run)]; the first is ours, the others are its peers.
tables = [
    ("mxm_tiled 16x16, 1024^3, float", "ms", 1e3, FLOP,
     [("ampcc", worker("amp", "tiled", "float", "10")), ("pocl, same kernel", worker("opencl", "tiled", "float", "3")),
      ("OpenBLAS sgemm", worker("blas", "sgemm", "float", "10"))]),
    ("mxm_tiled 16x16, 1024^3, int", "ms", 1e3, FLOP,
     [("ampcc", worker("amp", "tiled", "int", "10")), ("pocl, same kernel", worker("opencl", "tiled", "int", "3"))]),
    ("mxm_simple, 1024^3, float", "ms", 1e3, FLOP,
     [("ampcc", worker("amp", "simple", "float", "5")), ("pocl, same kernel", worker("opencl", "simple", "float", "1")),
      ("OpenBLAS sgemm", worker("blas", "sgemm", "float", "10"))]),
    ("launch over 1 element", "us", 1e6, None,
     [("ampcc", worker("amp", "launch", "none", "2000")), ("pocl", worker("opencl", "launch", "none", "500")),
      ("empty OpenMP region", worker("omp", "region", "none", "2000"))]),
    ("life of a program that launches one kernel", "ms", 1e3, None,
     [("ampcc", command(20, os.path.join(programs, "start_kernel"))),
      ("empty C program", command(20, os.path.join(programs, "start_empty")))]),
    ("compiling samples/matmul.c at -O2", "ms", 1e3, None,
     [("ampcc", command(2, os.path.join(build, "bin", "ampcc"), "-O2", "-c", sample, "-o", output)),
      ("clang", command(2, clang, "-O2", include, "-c", sample, "-o", output))]),
]

# What issue and README promise: table, peer (None: ours alone), what is computed from the medians, bound, in words.
goals = [
    (0, 1, lambda ours, peer: peer / ours, ">=", 5, "times pocl"),
    (1, 1, lambda ours, peer: peer / ours, ">=", 5, "times pocl"),
    (0, 2, lambda ours, peer: peer / ours, ">=", 0.2, "of OpenBLAS sgemm"),
    (3, 0, lambda ours, peer: ours * 1e6, "<", 5, "us for a launch"),
    (4, 1, lambda ours, peer: (ours - peer) * 1e3, "<=", 10, "ms more than an empty program"),
    (5, 1, lambda ours, peer: ours - peer, "<=", 2, "s more than clang"),
]

load = os.getloadavg()[0]
measured = [[([], None) for _ in rows] for *_, rows in tables]
for round_number in range(rounds):
    for t, (title, *_, rows) in enumerate(tables):
        for r, (name, run) in enumerate(rows):
            if sys.stderr.isatty():
                sys.stderr.write("\r\033[Kround %d of %d: %s: %s" % (round_number + 1, rounds, title, name))
            seconds, note = run()
            measured[t][r] = (None if seconds is None else measured[t][r][0] + seconds, note)
if sys.stderr.isatty():
    sys.stderr.write("\r\033[K")


def processor():
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


report = {"date": time.strftime("%Y-%m-%d"), "processor": processor(), "cores": len(os.sched_getaffinity(0)),
          "rounds": rounds, "load": load, "compiler": subprocess.run([clang, "--version"], capture_output=True, text=True).stdout.split("\n")[0],
          "tables": [], "goals": []}
text = ["%(processor)s, %(cores)d cores; %(compiler)s; %(date)s; load before: %(load).1f" % report,
        "%d rounds in turns; ratio: how many times as fast ampcc is, by the medians" % rounds, ""]
for t, (title, unit, factor, operations, rows) in enumerate(tables):
    text.append("%-42s %9s %9s %9s %8s" % (title, "best " + unit, "median", "Gop/s" if operations else "", "ratio"))
    entries = []
    for r, (name, _) in enumerate(rows):
        seconds, note = measured[t][r]
        if seconds is None:
            text.append("  %-40s %s" % (name, note))
            entries.append({"name": name, "note": note})
            continue
        best, median = min(seconds), statistics.median(seconds)
        rate = "%.1f" % (operations / median / 1e9) if operations else ""
        ratio = median / statistics.median(measured[t][0][0])
        text.append("  %-40s %9.4g %9.4g %9s %8s" % (name, best * factor, median * factor, rate, "%.3g" % ratio if r else ""))
        entries.append({"name": name, "runs": len(seconds), "best_s": best, "median_s": median, "note": note})
    text.append("")
    report["tables"].append({"title": title, "rows": entries})
for t, peer, compute, relation, bound, words in goals:
    ours, theirs = (measured[t][r][0] for r in (0, peer))
    if theirs is None:
        continue
    value = compute(statistics.median(ours), statistics.median(theirs))
    met = value >= bound if relation == ">=" else value < bound if relation == "<" else value <= bound
    text.append("%-44s %8.3g %-30s (goal %s %g: %s)" % (tables[t][0], value, words, relation, bound, "met" if met else "NOT MET"))
    report["goals"].append({"title": tables[t][0], "value": value, "unit": words, "goal": relation + " %g" % bound, "met": met})
text += [""] + sorted({note for row in measured for seconds, note in row if seconds and " " in note})

os.makedirs(os.path.join(here, "results"), exist_ok=True)
with open(os.path.join(here, "results", "bench.json"), "w") as out:
    json.dump(report, out, indent=1)
    out.write("\n")
with open(os.path.join(here, "results", "bench.txt"), "w") as out:
    out.write("\n".join(text) + "\n")
print("\n".join(text))
