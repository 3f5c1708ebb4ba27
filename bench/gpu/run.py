#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures kernels on the first GPU, each beside the same one in CUDA C by nvcc -O3, or cuBLAS, or the driver alone.

run.py BUILD: compiles each peer.cu for the GPU that is there and starts BUILD/bench/gpu once per kernel; it runs both
sides in turns and verifies their results. Prints a table with the ratios that we want to reach on an H200; unless the
variable K names kernels, all are measured and bench/results gets the table (gpu.txt, gpu.md) and gpu.json. What is not
installed is a line that says so. Exit status 1 if there is no GPU, a program fails or a result is wrong.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
from typing import NamedTuple

here = os.path.dirname(os.path.abspath(__file__))
build, chosen = os.path.abspath(sys.argv[1]), os.environ.get("K", "").split()
folder = os.path.join(build, "bench")
SECONDS = "2"  # for how long each kernel is measured
for name in list(os.environ):
    if name.startswith("AMP_"):
        del os.environ[name]
os.environ["NVIDIA_TF32_OVERRIDE"] = "0"  # cuBLAS computes in single precision


class Kernel(NamedTuple):
    name: str  # as in `make bench-gpu K=`
    title: str
    goal: float  # our time over the peer's, at most
    work: float = 0  # per run
    unit: str = ""  # of a thousand million of it per second
    fast: bool = False  # both with fast math
    problem: str = ""  # of the program, if not `name`
    folder: str = ""  # with peer.cu, if not named as the problem; copies and cuBLAS need none


MXM, SAXPY = 2 * 4096**3, 2**28
SIZES = (1000, 1024, 2000, 2048, 3000, 4096)  # of the textbook product beside cuBLAS
kernels = [
    Kernel("mxm_simple", "mxm_simple 4096^3 float", 1 / 3, MXM, "GFLOP/s", folder="mxm"),
    Kernel("mxm_simple_int", "mxm_simple 4096^3 int", 1.05, MXM, "Gop/s", folder="mxm"),
    Kernel("mxm_tiled", "mxm_tiled 16x16 4096^3 float", 1.02, MXM, "GFLOP/s", folder="mxm"),
    Kernel("mxm_tiled_int", "mxm_tiled 16x16 4096^3 int", 1.05, MXM, "Gop/s", folder="mxm"),
    Kernel("mxm_tiled8", "mxm_tiled 8x8 4096^3 float", 1.05, MXM, "GFLOP/s", folder="mxm"),
    Kernel("mxm_tiled32", "mxm_tiled 32x32 4096^3 float", 1.05, MXM, "GFLOP/s", folder="mxm"),
    Kernel("sgemm", "samples/sgemm.c 4096^3", 1 / 0.85, MXM, "GFLOP/s"),
    *[Kernel("product_%d" % n, "mxm_simple %d^3 float" % n, 1 / 0.7, 2 * n**3, "GFLOP/s") for n in SIZES],
    Kernel("mandelbrot", "mandelbrot 8192^2, 256 iterations", 1.05),
    Kernel("blackscholes", "black-scholes 2^26 options", 1.05, 20 * 2**26, "GB/s"),
    Kernel("convolution", "convolution 7x7 8192^2", 1.05, 2 * 49 * 8192**2, "GFLOP/s"),
    Kernel("jacobi", "jacobi 8192^2, a sweep", 1.05, 8 * 8192**2, "GB/s"),
    Kernel("saxpy", "saxpy 2^28", 1.05, 12 * SAXPY, "GB/s"),
    Kernel("reduction", "tree reduction 2^28, tile 256", 1.05, 4 * 2**28, "GB/s"),
    Kernel("nbody", "n-body 65536, tile 256", 1.05, 20 * 65536**2, "GFLOP/s"),
    Kernel("nbody_fast", "n-body 65536, tile 256, fast math", 1.05, 20 * 65536**2, "GFLOP/s", True, "nbody"),
    Kernel("histogram", "histogram 256 bins, 2^30 bytes", 1.05, 2**30, "GB/s"),
    Kernel("spmv", "sparse matrix x vector, 2^22 rows", 1.05),
    Kernel("across", "copy on the device, 2^28 floats", 1.05, 8 * SAXPY, "GB/s"),
    Kernel("launch", "launch over 1 element, in a queue of 1000", 1.2),
    Kernel("copy_in", "4096^2 floats to the device", 1 / 0.9, 4 * 4096**2, "GB/s"),
    Kernel("copy_out", "4096^2 floats from the device", 1 / 0.9, 4 * 4096**2, "GB/s"),
]


def run(*words):
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit("%s: exit status %d\n%s%s" % (" ".join(words), result.returncode, result.stdout, result.stderr))
    return result.stdout


def find_gpu():
    found = json.loads(run(os.path.join(build, "bin", "amp"), "info", "--json"))
    gpus = [a for a in found["accelerators"] if a["path"] == "cuda:0"]
    if not gpus:
        sys.exit("bench-gpu: nothing can be measured: " + ("; ".join(found["missing"]) or "there is no GPU"))
    return gpus[0]


def find_nvcc():
    return shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def compile_peer(kernel, gpu):
    """The cubin of the kernel's peer; "-" if it needs none or there is no nvcc."""
    folder_name = kernel.folder or kernel.problem or kernel.name
    source = os.path.join(os.path.dirname(here), folder_name, "peer.cu")
    if not find_nvcc() or not os.path.exists(source):
        return "-"
    cubin = os.path.join(folder, "%s%s.cubin" % (folder_name, "-fast" * kernel.fast))
    run(find_nvcc(), "-O3", "-arch=" + gpu["isa"], *["-use_fast_math"] * kernel.fast, "-cubin", source, "-o", cubin)
    return cubin


def measure(kernel, gpu):
    """The seconds of each side, by name, ours first; and what is missing."""
    program = os.path.join(folder, "gpu" + "-fast" * kernel.fast)
    sides, missing = {}, None
    for line in run(program, kernel.problem or kernel.name, compile_peer(kernel, gpu), SECONDS).splitlines():
        name, rest = line.split(": ", 1)
        if name == "missing":
            missing = rest
        else:
            sides[name] = [float(x) for x in rest.split()]
    return sides, missing


def show(seconds):
    return "%.4g ms" % (seconds * 1e3) if seconds >= 1e-4 else "%.3g us" % (seconds * 1e6)


def rate(kernel, seconds):
    return "%.0f %s" % (kernel.work / seconds / 1e9, kernel.unit) if kernel.work else ""


gpu = find_gpu()
about = {
    "device": gpu["description"],
    "peers": run(find_nvcc(), "--version").splitlines()[-2] if find_nvcc() else "missing",
    "command": "make bench-gpu" + (" K='%s'" % " ".join(chosen) if chosen else ""),
}
rows, data, medians = [], {"about": about, "kernels": {}}, {}
for kernel in kernels:
    if chosen and kernel.name not in chosen:
        continue
    sides, missing = measure(kernel, gpu)
    (_, ours), *peers = [(name, statistics.median(s)) for name, s in sides.items()]
    medians[kernel.name] = ours
    row = [kernel.title, show(ours), rate(kernel, ours), "missing: %s" % missing, "", "", ""]
    if peers:
        (name, theirs), ratio = peers[0], ours / peers[0][1]
        row[3:] = [name, show(theirs), "%.3f <= %.3f" % (ratio, kernel.goal), "yes" if ratio <= kernel.goal else "NO"]
    rows.append(row)
    data["kernels"][kernel.name] = {"title": kernel.title, "seconds": sides, "missing": missing, "goal": kernel.goal}
    print(kernel.name, *row[1:], sep="  ", flush=True)
if "saxpy" in medians and "across" in medians:
    # saxpy moves 12 bytes per element, a copy 8: their bandwidths.
    share = 12 / medians["saxpy"] / (8 / medians["across"])
    rows.append(["saxpy's bandwidth", "", "", "a copy's", "", "%.3f >= 0.920" % share,
                 "yes" if share >= 0.92 else "NO"])

header = ["kernel", "ampcc", "", "beside", "its time", "ours over its", "reached"]
widths = [max(len(row[c]) for row in [header] + rows) for c in range(len(header))]
text = "\n".join("%s: %s" % item for item in about.items()) + "\nmedians of runs in turns, results verified\n\n"
text += "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in [header] + rows) + "\n"
print("\n" + text)
if not chosen:
    markdown = "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header)] + rows) + "\n"
    for ending, contents in (("txt", text), ("md", markdown), ("json", json.dumps(data, indent=1) + "\n")):
        with open(os.path.join(os.path.dirname(here), "results", "gpu." + ending), "w") as file:
            file.write(contents)
