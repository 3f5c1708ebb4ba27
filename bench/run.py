#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what docs/performance.md claims, each figure next to its peers', in one run on all cores.

run.py BUILD CLANG ROUNDS: starts the programs of BUILD/bench in turns, ROUNDS times, each time in its own
process, so that spinning threads of one do not disturb the next, and verifies the results. Prints a table. If the
variable K names kernels, only these are measured; otherwise bench/results gets the table (text, markdown, JSON) and a
chart (needs gnuplot); markdown and chart leave out the ports, and the many sizes and forms of the product. K=checked
measures how much longer the accelerator `checked` takes than one worker of `cpu`, and writes bench/results/checked.txt.
On a machine with other work, start it with real-time priority (as root: chrt -f 1 make bench).
If a peer is not installed, a line says so. Exit status 1 if a program fails or a result is wrong.
"""
import functools
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

here = os.path.dirname(os.path.abspath(__file__))
build, clang, rounds = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
chosen = os.environ.get("K", "").split()
programs = os.path.join(build, "bench")
SECONDS = "0.15"  # how long a program runs its kernel each time it is started
MOST_CHECKED = 100  # times the time on `cpu` that a kernel may take on `checked`
SLOW = 0.5  # if a run takes more seconds than this, one round is enough

# Every peer at its best: it picks its own kernels; threads stay where they are and wait actively.
for name in list(os.environ):
    if name.startswith(("AMP_", "OMP_", "KMP_", "GOMP_", "OPENBLAS_", "BLIS_", "GOTO_", "POCL_")):
        del os.environ[name]
os.environ.update(OMP_PROC_BIND="close", OMP_PLACES="cores", OMP_WAIT_POLICY="active", POCL_AFFINITY="1",
                  AMP_DEFAULT_ACCELERATOR="cpu")


class Kernel(NamedTuple):
    name: str  # as in `make bench K=`
    title: str
    folder: str
    ours: str  # the variant in amp.c
    omp: list = []  # variants in omp.c
    opencl: str = ""
    work: tuple = ()  # per run, and the unit of a thousand million of it per second
    goal: tuple = ()  # peer (a row's name, as a pattern; or =KERNEL), and our time over its time that must, should be
    blas: str = ""  # variant in blas.c
    fast: bool = False  # ours is compiled with -ffast-math, as peers are
    ispc: str = ""  # variant in ispc.c
    unit: tuple = ("ms", 1e3)


# Programs of the kinds that users bring, in ports/; with these kernels, all together have a goal of their own.
PORTS = {
    "2mm": "two products of matrices, 800^2",
    "aes": "AES-128 of 2^17 blocks, byte by byte",
    "aobench": "ambient occlusion, 256^2 pixels, 64 rays",
    "backprop": "layer of 2^18 x 16 weights, tile 16",
    "conv3d": "convolution in three dimensions, 200^3",
    "fdtd2d": "electromagnetic field, 1000^2, 10 steps",
    "fft": "2^12 transforms of 512 in tiles",
    "gridstride": "y += a x of 2^25 floats, 2^16 threads stride",
    "hotspot": "temperatures of a chip, 1032^2, tile 16",
    "kmeans": "nearest of 8 centers, 2^18 x 16",
    "lavamd": "particles in 216 boxes, a tile each",
    "layernorm": "norms of 2^14 rows of 768, a tile each",
    "life": "game of life on a torus of bytes, 2000^2, 4 steps",
    "md5": "MD5 of 2^20 keys",
    "median": "medians of 3 x 3 bytes, 3000 x 4000",
    "moments": "sum, squares, extremes, count of 2^25",
    "myocyte": "2^13 nerve cells, 200 steps",
    "nqueen": "12 queens, a stack for each thread",
    "particlefilter": "particle filter, 2^12 particles",
    "paths": "paths between 600 nodes, 600 launches",
    "sobel": "edges in 3000 x 4000 bytes",
    "srad": "diffusion in an image, 1024^2, 4 steps",
    "svd3x3": "singular values of 2^18 matrices, 3 x 3",
    "syrk": "a times its transpose, 1000^2",
    "tealeaf": "conjugate gradients, 1000^2, 10 steps",
    "triad": "triad of 2^24 doubles",
}
PORTS_TOO = ["bfs", "bitonic", "dot", "lbm", "mv_4096", "nw", "pathfinder", "scan"]
PORTS_MUST = 0.6  # of the time of OpenMP, in the geometric mean
FLOP, INT = (2 * 1024**3, "GFLOP/s"), (2 * 1024**3, "Gop/s")
OMP = "gcc|clang"
FAST = "clang -ffast-math|ISPC"
MXM = ["natural", "reordered", "blocked"]
kernels = [
    Kernel("mxm_simple", "mxm_simple 1024^3 float", "mxm", "simple float", [v + " float" for v in MXM], "simple float",
           FLOP, ("OpenBLAS", 1 / 0.55, 1 / 0.75), blas="sgemm"),
    Kernel("mxm_simple_int", "mxm_simple 1024^3 int", "mxm", "simple int", [v + " int" for v in MXM], "simple int", INT,
           ("=mxm_simple", 1.3, 1)),
    Kernel("mxm_tiled", "mxm_tiled 16x16 1024^3 float", "mxm", "tiled16 float", ["blocked float"], "tiled16 float",
           FLOP, ("OpenBLAS", 1 / 0.5, 1 / 0.65), blas="sgemm"),
    Kernel("mxm_tiled_int", "mxm_tiled 16x16 1024^3 int", "mxm", "tiled16 int", ["blocked int"], "tiled16 int", INT,
           ("=mxm_tiled", 1.3, 1)),
    Kernel("mxm_tiled8", "mxm_tiled 8x8 1024^3 float", "mxm", "tiled8 float", [], "tiled8 float", FLOP,
           ("=mxm_tiled", 2, 1 / 0.9)),
    Kernel("mxm_tiled32", "mxm_tiled 32x32 1024^3 float", "mxm", "tiled32 float", [], "tiled32 float", FLOP,
           ("=mxm_tiled", 2, 1 / 0.9)),
    Kernel("mandelbrot", "mandelbrot 2048^2, 256 iterations", "mandelbrot", "plain", ["natural", "by hand"], "plain",
           goal=("(%s).*by hand" % OMP, 0.9, 0.8)),
    Kernel("blackscholes", "black-scholes 2^22 options", "blackscholes", "plain", ["natural"], "fast",
           goal=("gcc -ffast-math", 0.85, 0.65)),
    Kernel("blackscholes_fast", "black-scholes 2^22 options, -ffast-math", "blackscholes", "plain", ["natural"],
           goal=(FAST, 1, 0.9), fast=True, ispc="natural"),
    Kernel("convolution", "convolution 7x7 2048^2", "convolution", "plain", ["natural", "by hand"], "plain",
           (2 * 49 * 2048**2, "GFLOP/s"), (OMP, 1, 0.85)),
    Kernel("jacobi", "jacobi 4096^2, 10 sweeps", "jacobi", "plain", ["natural"], "plain", (10 * 8 * 4096**2, "GB/s"),
           (OMP, 1.05, 0.95)),
    Kernel("saxpy", "saxpy 2^26", "saxpy", "plain", ["natural"], "plain", (12 * 2**26, "GB/s"), (OMP, 1.05, 0.95)),
    Kernel("reduction", "tree reduction 2^25, tile 256", "reduction", "plain", ["natural"], "plain",
           (4 * 2**25, "GB/s"), (OMP, 1.15, 1)),
    Kernel("reduce_sum", "amp_reduce_sum 2^25 floats", "algorithms", "sum", ["natural sum"], "", (4 * 2**25, "GB/s"),
           (OMP, 1.02, 1)),
    Kernel("scan_sum", "amp_scan_sum 2^26 ints over a loop on one core", "algorithms", "scan", ["natural scan"], "",
           (8 * 2**26, "GB/s"), (OMP, 1, 0.8)),
    Kernel("nbody", "n-body 8192, tile 256, -ffast-math", "nbody", "plain", ["natural", "by hand"], "fast",
           (20 * 8192**2, "GFLOP/s"), (FAST, 1, 0.9), fast=True, ispc="natural"),
    Kernel("histogram", "histogram 256 bins, 2^25 bytes", "histogram", "plain", ["natural", "by hand"], "plain",
           (2**25, "GB/s"), (OMP, 1.3, 1)),
    Kernel("spmv", "sparse matrix x vector, 2^20 rows", "spmv", "plain", ["natural", "by hand"], "plain",
           goal=(OMP, 1, 0.9)),
    Kernel("mv_4000", "matrix x vector by rows, 4000^2", "mv", "4000", ["natural 4000"], work=(4 * 4000**2, "GB/s"),
           goal=(OMP, 1.05, 0.9)),
    Kernel("mv_4096", "matrix x vector by rows, 4096^2", "mv", "4096", ["natural 4096"], work=(4 * 4096**2, "GB/s"),
           goal=(OMP, 1.05, 0.9)),
    Kernel("mv_4000_fast", "matrix x vector, 4000^2, -ffast-math", "mv", "4000", ["natural 4000"],
           work=(4 * 4000**2, "GB/s"), goal=(FAST, 1.05, 0.9), fast=True),
    Kernel("mv_4096_fast", "matrix x vector, 4096^2, -ffast-math", "mv", "4096", ["natural 4096"],
           work=(4 * 4096**2, "GB/s"), goal=(FAST, 1.05, 0.9), fast=True),
    Kernel("bfs", "breadth-first search, 10^6 nodes", "bfs", "plain", ["natural"], goal=(OMP, 1.05, 0.9)),
    Kernel("lbm", "lattice Boltzmann D3Q19, structs", "lbm", "plain", ["natural"], goal=(OMP, 1.05, 1)),
    Kernel("nw", "Needleman-Wunsch 4096^2, tile 16", "nw", "plain", ["natural"], goal=(OMP, 1.1, 1)),
    Kernel("scan", "scan of blocks of 1024, 2^24 ints", "scan", "plain", ["natural"], goal=(OMP, 2, 1)),
    Kernel("dot", "grid-stride dot, 2^25 doubles", "dot", "plain", ["natural"], work=(16 * 2**25, "GB/s"),
           goal=(OMP, 1.1, 1)),
    Kernel("bitonic", "bitonic sort, 2^20 ints", "bitonic", "plain", ["natural"], goal=(OMP, 1.05, 1)),
    Kernel("pathfinder", "pathfinder 200 x 10^6, tile 256", "pathfinder", "plain", ["natural"], goal=(OMP, 1.05, 1)),
    *[Kernel("products_%d_%s" % (n, t), "textbook product %d^3 %s" % (n, t), "products", "%d %s" % (n, t),
             work=(2 * n**3, "GFLOP/s"), goal=("OpenBLAS", 1 / 0.85, 1 / 0.95), blas="%d %s" % (n, t))
      for t in ("float", "double") for n in (500, 1000, 1024, 2000, 2048, 3000, 4096)],
    *[Kernel("tiles_%d_%s" % (n, t), "product in tiles of 16 x 16, %d^3 %s" % (n, t), "products",
             "%d %s in tiles" % (n, t), work=(2 * n**3, "GFLOP/s"), goal=("OpenBLAS", 1 / 0.6, 1 / 0.8),
             blas="%d %s" % (n, t))
      for t in ("float", "double") for n in (512, 1008, 1024, 2000, 2048, 3008, 4096)],
    *[Kernel("guarded_%d_%s" % (n, t), "product in guarded tiles, %d^3 %s" % (n, t), "products",
             "%d %s in guarded tiles" % (n, t), work=(2 * n**3, "GFLOP/s"), goal=("OpenBLAS", 1 / 0.6, 1 / 0.8),
             blas="%d %s" % (n, t))
      for t in ("float", "double") for n in (1000, 1024, 2000, 2048)],
    *[Kernel("forms_%s_%d_%s" % (form, n, t), title % (n, t), "products", "%d %s %s" % (n, t, form),
             work=(2 * n**3 if form != "many" else 2 * 64 * n**2, "GFLOP/s"), goal=("OpenBLAS", 1 / 0.8, 1 / 0.95),
             blas="%d %s %s" % (n, t, form))
      for form, title, sizes in (("flat", "product with a flat index, %d^3 %s", (1000, 1024, 2000, 2048)),
                                 ("transposed", "a times b transposed, %d^3 %s", (1000, 1024, 2000, 2048)),
                                 ("own", "a times a transposed, %d^3 %s", (1000, 2048)),
                                 ("many", "products of 64 x 64 in %d^2 %s", (1024,)))
      for t in ("float", "double") for n in sizes],
    *[Kernel("ports_" + name, title, name, "plain", ["natural"], goal=(OMP, 1.15, 1)) for name, title in PORTS.items()],
    Kernel("launch", "launch over 1 element", "launch", "plain", ["natural"], "plain", unit=("us", 1e6)),
    Kernel("shared", "launch over 2^14 elements, shared", "shared", "one launch", ["natural"], unit=("us", 1e6)),
]


def worker(program, folder, variant, **environment):
    """Runs a measuring program. Returns its seconds, and its description of itself, or why it cannot run."""

    def run(verify):
        command = [os.path.join(programs, program), folder, variant, SECONDS] + ["verify"] * verify
        if not os.path.exists(command[0]):
            return [], "missing " + program.split("-")[0]
        result = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
        if result.returncode != 0:
            sys.exit("%s: exit status %d\n%s" % (" ".join(command), result.returncode, result.stderr))
        lines = result.stdout.splitlines()
        if lines[-1].startswith("missing "):
            return [], lines[-1]
        return [float(line) for line in lines[:-1]], lines[-1].removeprefix("# ")

    return run


def command(times, *words, status=0):
    """Runs a whole command `times` times. Returns the seconds from start to end. It must end with `status`."""

    def run(verify):
        seconds = []
        for _ in range(times):
            start = time.monotonic()
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            seconds.append(time.monotonic() - start)
            if done.returncode != status:
                sys.exit("%s: exit status %d\n%s" % (" ".join(words), done.returncode, done.stderr))
        return seconds, ""

    return run


def instructions(*functions):
    """Counts the instructions in functions during launches, per launch, by callgrind: a few are too short to time."""

    def run(verify):
        if not shutil.which("valgrind"):
            return [], "missing valgrind"
        words = ["--toggle-collect=" + f for f in functions]
        words += [os.path.join(programs, "amp"), "launch", "plain", "0.3"]  # so many that the first hardly counts
        environment = os.environ | {"AMP_ISA": "x86-64-v2", "AMP_NUM_THREADS": "1", "LD_BIND_NOW": "1"}
        result = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + words,
                                capture_output=True, text=True, env=environment)
        collected = re.search(r"Collected : (\d+)", result.stderr)
        if result.returncode != 0 or not collected:
            sys.exit("callgrind: exit status %d\n%s" % (result.returncode, result.stderr))
        # Each launch has a line, but the first; another line is about the program.
        return [int(collected.group(1)) / len(result.stdout.splitlines())], ""

    return run


class Row:
    def __init__(self, name, run):
        self.name, self.run, self.seconds, self.rounds, self.note = name, run, [], [], ""

    def measure(self, verify):
        if not self.seconds or statistics.median(self.seconds) < SLOW:
            seconds, self.note = self.run(verify)
            self.seconds += seconds
            self.rounds += [statistics.median(seconds)] if seconds else []

    def median(self):
        return statistics.median(self.seconds) if self.seconds else None

    def over(self, other):
        """The time over that of `other`, round by round: the memory's speed changes with the host's other work."""
        return statistics.median(a / b for a, b in zip(self.rounds, other.rounds))


class Table:
    def __init__(self, name, title, unit, rows, work=(), goal=()):
        self.name, self.title, self.unit, self.rows, self.work, self.goal = name, title, unit, rows, work, goal

    def best(self, pattern):
        """The fastest peer whose name matches the beginning of `pattern`."""
        rows = [row for row in self.rows[1:] if row.seconds and re.match(pattern, row.name)]
        return min(rows, key=Row.median, default=None)


@functools.cache
def blas_environment(avx2):
    """What makes OpenBLAS use its best kernels: of processors that it does not know, 0.3.21 uses only SSE."""
    if avx2:
        return {"OPENBLAS_CORETYPE": "Haswell"}
    note = worker("blas", "mxm", "sgemm")(False)[1]
    with open("/proc/cpuinfo", encoding="ascii") as processors:
        avx512 = "avx512f" in processors.read()
    return {"OPENBLAS_CORETYPE": "SkylakeX" if avx512 else "Haswell"} if note.endswith("Prescott") else {}


def table(kernel, avx2):
    isa = "x86-64-v3" if avx2 else "native"
    ours = {"AMP_ISA": isa} if avx2 else {}
    rows = [Row("ampcc", worker("amp-fast" if kernel.fast else "amp", kernel.folder, kernel.ours, **ours))]
    for variant in kernel.omp:
        if avx2 and variant.startswith("natural") and len(kernel.omp) > 1:
            continue
        for compiler in "gcc", "gcc -ffast-math", "clang", "clang -ffast-math":
            program = compiler.replace(" -ffast-math", "-fast") + "-" + isa
            label = "%s, %s" % (compiler, re.sub(" (float|int)", "", variant))
            rows.append(Row(label, worker(program, kernel.folder, variant)))
    if kernel.opencl and not avx2:
        rows.append(Row("pocl, same kernel", worker("opencl", kernel.folder, kernel.opencl)))
    if kernel.ispc:
        rows.append(Row("ISPC, " + kernel.ispc, worker("ispc-" + isa, kernel.folder, kernel.ispc)))
    if kernel.blas:
        rows.append(Row("OpenBLAS", worker("blas", kernel.folder, kernel.blas, **blas_environment(avx2))))
    return Table(kernel.name, kernel.title + (", AVX2" if avx2 else ""), kernel.unit, rows, kernel.work, kernel.goal)


def checked(name, title, unit, folder, variant, fast=False):
    """The same on `checked`, and on one worker of `cpu`."""
    ours, with_checks = ("amp-fast", "check-fast") if fast else ("amp", "check")
    rows = [Row("checked", worker(with_checks, folder, variant, AMP_DEFAULT_ACCELERATOR="checked")),
            Row("cpu", worker(ours, folder, variant, AMP_NUM_THREADS="1"))]
    if folder == "host":
        rows.append(Row("cpu, with checks", worker(with_checks, folder, variant, AMP_NUM_THREADS="1")))
    return Table("checked_" + name, title, unit, rows)


PRODUCTS = "MXM_SIMPLE(simple%(n)d, float)\nMXM_TILED(tiled%(n)d, float, 16)\n"


def compiled(source, name="ampcc", status=0):
    """Compiles a file at -O2."""
    ampcc = os.path.join(build, "bin", "ampcc")
    return Row(name, command(2, ampcc, "-O2", "-I", samples, "-c", source, "-o", output, status=status))


def compiled_as_c(source):
    """The same by clang, for which kernels are ordinary functions."""
    include = os.path.join(build, "include")
    return Row("clang", command(2, clang, "-O2", "-w", "-I", include, "-c", source, "-o", output))


def in_cpp(kernel):
    """A kernel in C++ AMP, beside the same in C."""
    return Table("cpp_" + kernel.name, kernel.title + ", in C++", kernel.unit,
                 [Row("ampcc, C++ AMP", worker("cpp", kernel.folder, kernel.ours)),
                  Row("ampcc, C", worker("amp", kernel.folder, kernel.ours))])


def many(n_kernels):
    """Compiles a file of `n_kernels` kernels."""
    source = os.path.join(programs, "kernels%d.c" % n_kernels)
    with open(source, "w") as out:
        out.write('#include "mxm_kernels.h"\n' + "".join(PRODUCTS % {"n": n} for n in range(n_kernels // 2)))
    return compiled(source, name="ampcc, %d kernels" % n_kernels)


def group(name):
    return name.split("_")[0]


def wanted(name):
    return name in chosen or group(name) in chosen or (not chosen and group(name) != "checked")


with open("/proc/cpuinfo") as lines:
    cpuinfo = lines.read()
processor = re.search("model name\\s*: (.*)", cpuinfo)
root, output = os.path.dirname(here), os.path.join(programs, "compiled.o")
samples = os.path.join(root, "samples")
matmul, aes = os.path.join(samples, "matmul.c"), os.path.join(here, "compile", "aes.c")
helpers = os.path.join(root, "tests", "check", "kernel-size.c")
switch = os.path.join(root, "tests", "run", "large-switch.c")
memory = Table("memory", "memory: 1 GiB read; 512 MiB read and written", ("ms", 1e3),
               [Row(v, worker("clang-native", "memory", v)) for v in ("read", "in place")], (2**30, "GB/s"))
others = [
    memory,
    Table("hosts", "3200 such launches, by 8 host threads", ("ms", 1e3),
          [Row("ampcc", worker("amp", "shared", "eight hosts")),
           Row("ampcc, one host thread", worker("amp", "shared", "one host"))]),
    Table("launch_checks", "instructions of such a launch", ("", 1),
          # To call them takes ten more.
          [Row("all", instructions("amp_launch")),
           Row("its checks", instructions("amp__arguments_check_homes", "amp__outside_0"))]),
    Table("start", "life of a program that launches one kernel", ("ms", 1e3),
          [Row("ampcc", command(20, os.path.join(programs, "start_kernel"))),
           Row("empty C program", command(20, os.path.join(programs, "start_empty")))]),
    Table("compile_matmul", "compiling samples/matmul.c at -O2", ("ms", 1e3),
          [compiled(matmul), compiled_as_c(matmul)]),
    Table("compile_cpp", "compiling samples/cpp/walkthrough.cpp at -O2", ("ms", 1e3),
          [compiled(os.path.join(samples, "cpp", "walkthrough.cpp")),
           Row("clang++, its serial function",
               command(2, clang + "++", "-O2", "-c", os.path.join(here, "compile", "serial.cpp"), "-o", output))]),
    Table("compile_aes", "compiling two kernels of AES-128 at -O2", ("ms", 1e3), [compiled(aes), compiled_as_c(aes)]),
    Table("compile_helpers", "rejecting helpers 40 deep", ("ms", 1e3), [compiled(helpers, status=1)]),
    Table("compile_switch", "compiling a switch of 2000 cases at -O2", ("ms", 1e3), [compiled(switch)]),
    Table("compile_many", "compiling many products of matrices at -O2", ("s", 1), [many(10), many(20)]),
]
# Further limits: a figure computed from the medians of the first two rows, its bound, and its name.
limits = {
    "launch": (lambda ours, peer: ours * 1e6, 5, "us for a launch"),
    "launch_checks": (lambda all, checks: 100 * checks / all, 2, "% of a launch look for mistakes"),
    "shared": (lambda ours, peer: ours / peer, 1.25, "of OpenMP's time"),
    "hosts": (lambda ours, peer: ours / peer, 1.1, "of one host thread's time"),
    "start": (lambda ours, peer: (ours - peer) * 1e3, 10, "ms more than an empty program"),
    "compile_matmul": (lambda ours, peer: ours / peer, 3, "of clang's time"),
    "compile_cpp": (lambda ours, peer: ours / peer, 3, "of clang++'s time"),
    "cpp_reading": (lambda ours, peer: ours / peer, 1.2, "of a pointer's time"),
    "compile_aes": (lambda ours, peer: ours, 2, "s for two kernels"),
    "compile_helpers": (lambda ours: ours, 5, "s until the message"),
    "compile_switch": (lambda ours: ours, 5, "s for the kernel"),
    "compile_many": (lambda ours, peer: ours, 6, "s for ten kernels"),
}
once = [k for k in kernels if not k.name.endswith("_fast")]
twins = [in_cpp(k) for k in once if k.folder not in ("algorithms", "launch", "products", "shared", *PORTS)]
limits.update({t.name: (lambda ours, peer: ours / peer, 1.03, "of C's time") for t in twins})
others += twins
others += [Table("cpp_reading", "10^8 elements read on the host", ("ms", 1e3),
                 [Row("array_view", worker("cpp", "reading", "view")),
                  Row("pointer", worker("cpp", "reading", "pointer"))])]
others += [checked(k.name, k.title, k.unit, k.folder, "atomic" if k.name == "bfs" else k.ours, k.fast)
           for k in once if k.folder != "products"]
others += [checked("host_" + v.split()[0], "the host's code, 2^20 floats: " + v, ("ms", 1e3), "host", v)
           for v in ("array", "other memory")]
names = [kernel.name for kernel in kernels] + [other.name for other in others]
unknown = set(chosen) - set(names) - set(map(group, names))
if unknown:
    sys.exit("there is no %s; there are: %s" % (" ".join(unknown), " ".join(names)))
main = [table(kernel, False) for kernel in kernels if wanted(kernel.name)] + [t for t in others if wanted(t.name)]
avx2 = []
if "avx512f" in cpuinfo:
    avx2 = [table(kernel, True) for kernel in kernels if wanted(kernel.name) and kernel.goal]

load = os.getloadavg()[0]
started = time.monotonic()
for number in range(rounds):
    for t in main + avx2:
        for row in t.rows[:: 1 if number % 2 == 0 else -1]:  # nobody is always the first
            if sys.stderr.isatty():
                sys.stderr.write("\r\033[Kround %d of %d: %s: %s" % (number + 1, rounds, t.title, row.name))
            row.measure(number == 0)
if sys.stderr.isatty():
    sys.stderr.write("\r\033[K")


def version(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout.split("\n")[0]
    except FileNotFoundError:
        return "no " + words[0]


# ---- compare ----

def goals(tables):
    """For each table with a goal: the peer to reach, and how our time compares with it."""
    found = []
    for t in tables:
        if not t.goal or not t.rows[0].seconds:
            continue
        pattern, must, aim = t.goal
        if pattern.startswith("="):
            peer = next((other.rows[0] for other in tables if other.name == pattern[1:]), None)
            name = "ampcc " + pattern[1:]
        else:
            peer = t.best(pattern)
            name = peer.name if peer else ""
        if peer:
            ratio = t.rows[0].over(peer)
            found.append({"kernel": t.title, "ampcc_ms": t.rows[0].median() * 1e3, "peer": name,
                          "peer_ms": peer.median() * 1e3, "time_ratio": ratio, "must": must, "aim": aim,
                          "is_met": ratio <= must})
    return found


def over_cpu(tables):
    """How many times as long as on `cpu` kernels take on `checked`: the best of all runs of both."""
    lines = ["%-50s %12s %12s %8s" % ("best of all runs", "cpu, 1 worker", "checked", "ratio")]
    for t in tables:
        times = [min(row.seconds) for row in t.rows]
        ratio, unit = times[0] / times[1], t.unit[0]
        words = "" if ratio <= MOST_CHECKED else "NOT MET: %d" % MOST_CHECKED
        if len(times) > 2:
            words = "%.2f times with the checks on cpu" % (times[2] / times[1])
        lines.append("%-50s %10.4g %s %10.4g %s %8.3g %s" % (t.title, times[1] * t.unit[1], unit, times[0] * t.unit[1],
                                                           unit, ratio, words))
    return [line.rstrip() for line in lines]


text = ["%s, %d cores; load before: %.1f; %s" % (processor.group(1) if processor else platform.machine(),
                                               len(os.sched_getaffinity(0)), load, time.strftime("%Y-%m-%d")),
        "; ".join([version("gcc", "--version"), version(clang, "--version")]),
        "%d rounds in turns, %.0f s; times: medians of all runs; ratios: of each round, then their median"
        % (rounds, time.monotonic() - started), ""]
report = {"machine": text[0], "compilers": text[1], "rounds": rounds, "tables": [], "goals": goals(main) + goals(avx2),
          "limits": []}
of_checked = [t for t in main if group(t.name) == "checked"]
for t in main + avx2:
    if t in of_checked:
        continue
    unit, factor = t.unit
    text.append("%-44s %9s %9s %9s  %s" % (t.title, "best " + unit, "median", t.work[1] if t.work else "",
                                           "time over ampcc's"))
    entries = []
    for row in t.rows:
        entries.append({"name": row.name, "note": row.note})
        if not row.seconds:
            text.append("  %-42s %s" % (row.name, row.note))
            continue
        rate = "%.1f" % (t.work[0] / row.median() / 1e9) if t.work else ""
        is_peer = row is not t.rows[0] and t is not memory and t.rows[0].seconds
        text.append("  %-42s %9.4g %9.4g %9s  %s" % (row.name, min(row.seconds) * factor, row.median() * factor, rate,
                                                    "%.3g" % row.over(t.rows[0]) if is_peer else ""))
        entries[-1].update(runs=len(row.seconds), best_s=min(row.seconds), median_s=row.median())
    text.append("")
    report["tables"].append({"name": t.name, "title": t.title, "rows": entries})
if of_checked:
    text += over_cpu(of_checked)
if of_checked != main:
    text.append("%-44s %9s %-32s %9s %6s %6s %6s" % ("", "ampcc ms", "peer to reach", "ms", "ratio", "must", "aim"))
for goal in report["goals"]:
    text.append("%-44s %9.4g %-32s %9.4g %6.2f %6.2f %6.2f %s"
                % (*list(goal.values())[:-1], "" if goal["is_met"] else "NOT MET"))
for t in main:
    if t.name in limits and all(row.seconds for row in t.rows[:2]):
        compute, bound, words = limits[t.name]
        value = compute(*(row.median() for row in t.rows[:2]))
        text.append("%-44s %9.3g %s (must be below %g%s)"
                    % (t.title[:44], value, words, bound, "" if value < bound else ": NOT MET"))
        report["limits"].append({"name": t.name, "value": value, "unit": words, "must": bound, "is_met": value < bound})
for tables, isa in (main, ""), (avx2, ", AVX2"):
    ports = [goal["time_ratio"] for t in tables for goal in goals([t])
             if t.name in PORTS_TOO or group(t.name) == "ports"]
    if len(ports) > 1:
        value = statistics.geometric_mean(ports)
        title = "geometric mean of %d ports%s" % (len(ports), isa)
        text.append("%-44s %9.3g of OpenMP's time (must be at most %g%s)"
                    % (title, value, PORTS_MUST, "" if value <= PORTS_MUST else ": NOT MET"))
        report["limits"].append({"name": title, "value": value, "unit": "of OpenMP's time", "must": PORTS_MUST,
                                 "is_met": value <= PORTS_MUST})
text += [""] + sorted({row.note for t in main + avx2 for row in t.rows if row.seconds and row.note})
print("\n".join(text))

# ---- write ----

results = os.path.join(here, "results")
os.makedirs(results, exist_ok=True)


def write(name, lines):
    with open(os.path.join(results, name), "w") as out:
        out.write("\n".join(lines) + "\n")


if chosen == ["checked"]:
    write("checked.txt", text)
if chosen:
    sys.exit(0)


columns = [("OpenMP, as it comes", "(%s).*natural" % OMP), ("OpenMP, by hand", "(%s)(?!.*natural)" % OMP),
           ("pocl", "pocl"), ("OpenBLAS", "OpenBLAS")]


def short(number):
    return "%.0f" % number if number >= 100 else "%.3g" % number


def in_brief(tables):
    """The tables of kernels that documents show; of many sizes and forms of one, they say what matters."""
    return [t for t in tables if t.goal and group(t.name) not in ("products", "tiles", "guarded", "forms", "ports")]


def markdown(tables):
    lines = ["| kernel, time in ms | ampcc | %s |" % " | ".join(name for name, _ in columns),
             "|---|" + "--:|" * (len(columns) + 1)]
    for t in in_brief(tables):
        peers = [t.best(pattern) for _, pattern in columns]
        cells = [short(row.median() * 1e3) if row and row.seconds else "-" for row in [t.rows[0]] + peers]
        lines.append("| %s | %s |" % (t.title, " | ".join(cells)))
    return lines


write("bench.txt", text)
write("bench.md", ["`make bench` on %s  " % text[0], text[1], ""] + markdown(main) + [""] + markdown(avx2))
write("bench.json", [json.dumps(report, indent=1)])
if not shutil.which("gnuplot"):
    print("no chart: gnuplot is not installed")
    sys.exit(0)
data = ["$speeds << end"]
for t in in_brief(main):
    if t.rows[0].seconds:
        speeds = ["%.4g" % t.rows[0].over(row) if row else "-" for row in (t.best(p) for _, p in columns)]
        data.append('"%s" %s' % (t.name.replace("_", "\\\\_"), " ".join(speeds)))
data.append("end")
bars = ", ".join('"" using %d title "%s"' % (i + 2, name) for i, (name, _) in enumerate(columns))
bars = bars.replace('""', "$speeds", 1).replace("using 2", "using 2:xtic(1)", 1)
for terminal, name in (("svg size 1000,420 background 'white'", "chart.svg"),
                       ("pngcairo size 1500,630 fontscale 1.2", "chart.png")):
    script = data + ["set terminal " + terminal, "set output '%s'" % os.path.join(results, name),
                     "set datafile missing '-'", "set style data histogram", "set style histogram clustered gap 1",
                     "set style fill solid noborder",
                     "set logscale y", "set grid ytics", "set xtics rotate by -30",
                     "set key outside top center horizontal", "set ylabel 'speed, ampcc = 1'", "set yrange [0.002:5]",
                     "plot %s, 1 notitle linecolor 'black' with lines" % bars]
    subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)
