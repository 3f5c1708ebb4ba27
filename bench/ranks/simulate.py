#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs programs on many ranks that SimGrid simulates, on a fat tree with links of 100 Gbit/s, and compares simulated
times with what is possible there. All messages are those of libamp, which goes through the same code as under mpirun;
how long kernels take is given, not measured. Writes simulated.txt, .json and .svg into FOLDER.

    simulate.py BUILD FOLDER RANKS...    numbers of ranks, squares such as 16, 64 and 256
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
BYTES_PER_S = 12.5e9  # of a link, in either direction: 100 Gbit/s
LATENCY = "500ns"  # of a link
LAUNCH_NS = 2000  # of a launch that repeats, as run.py measures it
SWEEP_NS = 0.16  # of a point: its 8 bytes at 50 GB/s
FLOPS = 100e9  # of a rank in the product
SIDE = 1024  # sweeps: points of a rank, in each dimension
PRODUCT = 4096  # N of the product
WAIT = """#include <mpi.h>
#define MPI_Test(request, flag, status) (*(flag) = 1, MPI_Wait(request, status))
"""  # time does not pass for those that ask again and again


def compile_all(build, folder):
    with open(f"{folder}/wait.h", "w") as header:
        header.write(WAIT)
    smpicc = ["smpicc", "-O2", "-fPIC"]
    subprocess.run([*smpicc, "-include", f"{folder}/wait.h", "-c", f"{root}/src/mpi/plugin.c", "-o",
                    f"{folder}/plugin.o"], check=True)
    subprocess.run([*smpicc, "-D_GNU_SOURCE", "-c", f"{here}/simulated.c", "-o", f"{folder}/simulated.o"], check=True)
    wrapped = [f"-Wl,--wrap={name}"
               for name in ("atexit", "amp__cpu_backend", "amp__place_backend", "amp__own_message_new",
                            "amp__own_message_free")]
    for source in f"{root}/samples/jacobi.c", f"{here}/sweeps.c", f"{here}/product.c":
        name = f"{folder}/" + os.path.basename(source)[:-2]
        subprocess.run([f"{build}/bin/ampcc", "-O2", "--amp-cpu=native", "--amp-gpu=none", "-fPIC", "-c", source, "-o",
                        name + ".o"], check=True)
        subprocess.run(["objcopy", "--redefine-sym", "main=simulated_main", name + ".o"], check=True)
        subprocess.run([*smpicc, name + ".o", f"{folder}/simulated.o", f"{folder}/plugin.o", f"{build}/lib/libamp.a",
                        "-o", name, "-s", *wrapped, "-lm", "-ldl", "-lpthread"], check=True)


def write_platform(folder, n):
    """A fat tree of switches with 16 ranks each, which as many switches above connect: nothing is shared but links."""
    switches = max(1, n // 16)
    with open(f"{folder}/platform.xml", "w") as platform:
        platform.write('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                       f'<platform version="4.1"><cluster id="tree" prefix="n" suffix="" radical="0-{n - 1}" '
                       f'speed="1Gf" bw="{BYTES_PER_S:.0f}Bps" lat="{LATENCY}" topology="FAT_TREE" '
                       f'topo_parameters="2;16,{switches};1,16;1,1"/></platform>\n')
    with open(f"{folder}/hosts", "w") as hosts:
        hosts.writelines(f"n{i}\n" for i in range(n))


def run(folder, n, ns, only, *command):
    """Returns what the program prints, and when rank 0 began its kernels, in seconds."""
    write_platform(folder, n)
    environment = dict(os.environ, AMP_DEFAULT_ACCELERATOR="all", PMI_SIZE=str(n), AMP_NUM_THREADS="1",
                       SIMULATED_NS=str(ns), SIMULATED_LAUNCH_NS=str(LAUNCH_NS), SIMULATED_ONLY=str(int(only)))
    result = subprocess.run(["smpirun", "-np", str(n), "-platform", f"{folder}/platform.xml", "-hostfile",
                             f"{folder}/hosts", "--cfg=smpi/simulate-computation:no", "--cfg=contexts/stack-size:256",
                             f"--cfg=smpi/tmpdir:{folder}", "--log=root.thres:warning",
                             f"{folder}/{command[0]}", *map(str, command[1:])], env=environment, stdout=subprocess.PIPE,
                            universal_newlines=True, check=True)
    return result.stdout, [(float(t), name) for t, name in re.findall(r"^([0-9.]+) (\w+)$", result.stdout, re.M)]


def check_sample(folder, n):
    """The sample as it is, with its kernels: its result is right."""
    said, _ = run(folder, n, SWEEP_NS, False, "jacobi", 258, 10)
    if "as it should be" not in said:
        sys.exit(f"jacobi on {n} simulated ranks: {said}")


def sweep_time(folder, n):
    """Of the last sweeps, which repeat."""
    times = run(folder, n, SWEEP_NS, True, "sweeps", SIDE * math.isqrt(n), 10)[1]
    return (times[-1][0] - times[-5][0]) / 4


def product_time(folder, n):
    """From when the second matrix begins to be made, which is said to take as long as the product's kernel, until that
    begins: so it is the time of the kernel and of what it waits for."""
    times = run(folder, n, 2 * PRODUCT / FLOPS * 1e9, True, "product", PRODUCT, 1)[1]
    return times[-1][0] - times[-2][0]


def measure(folder, n):
    sweep, product = sweep_time(folder, n), product_time(folder, n)
    alone = SIDE * SIDE * SWEEP_NS * 1e-9
    work = 2 * PRODUCT ** 3 / n / FLOPS
    bound = 2 * PRODUCT ** 2 * (math.sqrt(n) - 1) / n * 4 / BYTES_PER_S  # seconds for what each rank gets
    return {"ranks": n, "sweep_us": sweep * 1e6, "sweep_efficiency": alone / sweep, "product_ms": product * 1e3,
            "product_bound_ms": (work + bound) * 1e3, "product_over_bound": product / (work + bound)}


def table(rows):
    yield (f"simulated by SimGrid, not measured: a fat tree, links of 100 Gbit/s and {LATENCY}, 16 ranks to a switch; "
           "a rank")
    yield (f"does {1 / SWEEP_NS:.2f} points of a sweep in a ns, {FLOPS / 1e9:.0f} GFLOP/s of a product, and takes "
           f"{LAUNCH_NS / 1000:.0f} us for a launch; bench/ranks/simulate.py")
    yield ""
    yield f"        sweeps, {SIDE} x {SIDE} points for each rank   product, N = {PRODUCT}"
    yield "ranks      a sweep   weak scaling                          bound       over it"
    for row in rows:
        yield (f"{row['ranks']:5} {row['sweep_us']:9.1f} us {row['sweep_efficiency']:14.3f} "
               f"{row['product_ms']:14.3f} ms {row['product_bound_ms']:9.3f} ms {row['product_over_bound']:9.2f}")


def plot(rows):
    """A picture: efficiency of the sweeps, and the bound over the time of the product."""
    width, height, left, top = 640, 300, 60, 30
    span = max(1, len(rows) - 1)

    def line(key, colour):
        points = " ".join(f"{left + i * (width - 2 * left) / span:.0f},{top + (1 - key(row)) * (height - 2 * top):.0f}"
                          for i, row in enumerate(rows))
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'

    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           'font-size="12">')
    yield '<rect width="100%" height="100%" fill="white"/>'
    for share in 0, 0.25, 0.5, 0.75, 1:
        y = top + (1 - share) * (height - 2 * top)
        yield f'<path d="M{left} {y}H{width - left}" stroke="#ccc"/><text x="20" y="{y + 4}">{share:.2f}</text>'
    for i, row in enumerate(rows):
        x = left + i * (width - 2 * left) / span
        yield f'<text x="{x:.0f}" y="{height - 10}" text-anchor="middle">{row["ranks"]} ranks</text>'
    yield line(lambda row: row["sweep_efficiency"], "#07c")
    yield line(lambda row: 1 / row["product_over_bound"], "#c50")
    yield f'<text x="{left + 8}" y="{height - 60}" fill="#07c">sweeps, weak scaling (simulated)</text>'
    yield f'<text x="{left + 8}" y="{height - 42}" fill="#c50">product, strong scaling: bound / time (simulated)</text>'
    yield "</svg>"


def main(build, results, ranks):
    with tempfile.TemporaryDirectory() as folder:
        compile_all(os.path.abspath(build), folder)
        check_sample(folder, ranks[0])
        rows = [measure(folder, n) for n in ranks]
    for name, lines in (("txt", table(rows)), ("svg", plot(rows)), ("json", [json.dumps(rows, indent=1)])):
        text = "\n".join(lines) + "\n"
        with open(os.path.join(results, "simulated." + name), "w") as file:
            file.write(text)
        if name == "txt":
            print(text, end="")


main(sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3:]])
