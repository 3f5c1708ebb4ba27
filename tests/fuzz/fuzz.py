#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares random kernels, compiled by ampcc, with the same text compiled for one thread (generate/main.c, fuzz.h).
With --cpp they are C++ AMP: lambdas, functors and functions of array_view and array.

    fuzz.py [-n COUNT] [--seed FIRST]    COUNT kernels; a seed that differs is named, with what shows it
    fuzz.py --reduce SEED [-o FILE]      the smallest program that still shows what SEED shows
"""
import argparse
import concurrent.futures
import glob
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
flags = ["-D_GNU_SOURCE", "-ffp-contract=off", "-w", "-I", here]
in_c, in_cpp = ["-std=gnu11"], ["-std=gnu++17", "-Wno-c++11-narrowing", "-x", "c++"]
batch = 15  # kernels per program

levels = subprocess.check_output([os.path.join(root, "tests", "run-levels.sh")], text=True).split()
cpus = ["--amp-cpu=" + level for level in reversed(levels)]
others = ["-O2 --amp-lanes=1", "-O2 --amp-lanes=32", "-O2 --amp-lanes=2", "-O3 --amp-lanes=8", "-O1 -g", "-O0",
          "-O2 --amp-lanes=16", "-O1 --amp-lanes=64", "-O0 --amp-lanes=8", "-O0 -g"]


def way_of(seed):
    """How the batch at `seed` is compiled: as users do, or with other lanes or options, each for one level in turn."""
    turn, is_other = seed // batch // 2, seed // batch % 2
    forms = " --amp-panels=%d" % (1 + turn // 2 % 4) if turn % 2 else ""  # as in large boxes
    if turn % 3:
        forms += " --amp-convoys=%d" % (1 + turn // 3 % 5)  # as over large arrays
    if not is_other:
        return "-O2 " + cpus[turn % len(cpus)] + forms
    return others[turn % len(others)] + " " + cpus[turn // len(others) % len(cpus)] + forms


class Failure(Exception):
    """What happened: `kind` is reference, compile, crash or differ; `text` its output."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind, self.text = kind, text


def run(command, timeout, **settings):
    env = dict(os.environ, **settings)
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                              errors="replace", env=env)
    except subprocess.TimeoutExpired:
        return 124, "no end after %d s\n" % timeout
    return done.returncode, done.stdout


class Fuzz:
    def __init__(self, build, cc, way, on, is_cpp):
        self.ampcc, self.cc, self.way, self.on = os.path.join(build, "bin", "ampcc"), cc, way, on
        self.is_cpp = is_cpp
        self.folder = tempfile.mkdtemp(prefix="amp-fuzz-")
        self.generator = os.path.join(self.folder, "generate")
        sources = glob.glob(os.path.join(here, "generate", "*.c"))
        subprocess.check_call([cc, "-O1", "-std=gnu11", "-D_GNU_SOURCE", *sources, "-o", self.generator])

    def ask(self, *words, **settings):
        return subprocess.run([self.generator, *["--cpp"][:self.is_cpp], *map(str, words)], check=True, **settings)

    def path(self, name):
        return os.path.join(self.folder, name)

    def generate(self, seed, count, drop=()):
        with open(self.path("f.c"), "w") as file:
            self.ask(seed, count, *drop, stdout=file)

    def compile_c(self, output, *options):
        include = os.path.join(root, "include")
        command = [self.cc, "-O0", *in_c, *flags, "-I", include, *options, "-c", self.path("f.c")]
        status, text = run(command + ["-o", self.path(output)], 100)
        if status:
            raise Failure("reference", text)

    def reference(self):
        self.compile_c("r.o", "-DFUZZ_REFERENCE")
        if self.is_cpp:
            self.compile_c("main.o")

    def compare(self, way):
        gpu = {"cpu": ["--amp-gpu=none"], "checked": ["--amp-gpu=none", "--amp-check"]}.get(self.on, [])
        form, others = (in_cpp, ["-x", "none", self.path("main.o")]) if self.is_cpp else (in_c, [])
        files = [self.path("f.c"), *others, self.path("r.o"), "-lm", "-o", self.path("f")]
        status, text = run([self.ampcc, *way.split(), *gpu, *flags, *form, *files], 300)
        if status:
            raise Failure("compile", text)
        status, text = run([self.path("f")], 100, AMP_DEFAULT_ACCELERATOR=self.on)
        if status:
            raise Failure("differ" if status == 1 else "crash", "exit status %d\n%s" % (status, text))

    def show(self, seed, way, failure):
        first = [l for l in failure.text.splitlines() if re.search(r"error|defect|expected|no end|LLVM|Assert", l)]
        text = (first or [failure.text.strip()[-200:]])[0]
        print("seed %d, %s: %s: %s" % (seed, way, failure.kind, text), flush=True)

    def one_by_one(self, first, count, way):
        """A batch has failed: finds which of its kernels fail. Returns how many."""
        bad = 0
        for seed in range(first, first + count):
            try:
                self.generate(seed, 1)
                self.reference()
                self.compare(way)
            except Failure as failure:
                self.show(seed, way, failure)
                bad += 1
        return bad

    def batch(self, seed, n):
        """Compares n kernels from `seed`; returns how many are bad."""
        self.generate(seed, n)
        try:
            self.reference()
        except Failure as failure:
            sys.exit("the generator is wrong: seed %d: %s" % (seed, failure.text))
        way = self.way or way_of(seed)
        try:
            self.compare(way)
            return 0
        except Failure as failure:
            found = self.one_by_one(seed, n, way)
            if not found:
                print("seeds %d to %d together, none of them alone:" % (seed, seed + n - 1))
                self.show(seed, way, failure)
            return max(found, 1)

    def reduce(self, seed, output):
        def outcome(drop):
            self.generate(seed, 1, drop)
            try:
                self.reference()
                self.compare(way)
            except Failure as failure:
                return failure
            return None

        found = None
        for way in [self.way] if self.way else [way_of(0), *(o + " " + c for c in cpus for o in others)]:
            found = outcome(())
            if found:
                break
        if not found:
            sys.exit("seed %d shows nothing" % seed)
        self.show(seed, way, found)
        said = re.search(r"defect: [^:]*:[^:']{0,40}|(error|LLVM ERROR): [^':]{0,40}", found.text)
        word = said if found.kind == "compile" else None

        def bad(drop):
            failure = outcome(drop)
            return failure and failure.kind == found.kind and (not word or word.group(0) in failure.text)

        n = int(self.ask(seed, 1, "-n", stdout=subprocess.PIPE).stdout)
        drop, size = set(), n // 2
        while size:
            progress = False
            for start in range(n - size, -size, -size):
                more = set(range(max(start, 0), start + size)) - drop
                if more and bad(sorted(drop | more)):
                    drop |= more
                    progress = True
            if not progress or size > 1:
                size //= 2
            print("\r%d of %d nodes left, by %d " % (n - len(drop), n, size), end="", file=sys.stderr)
        print(file=sys.stderr)
        failure = outcome(sorted(drop))
        with open(self.path("f.c")) as source:
            program = source.read()
        with open(output, "w") if output else sys.stdout as file:
            words = " ".join(["--cpp"][:self.is_cpp] + [str(n) for n in (seed, 1, *sorted(drop))])
            file.write("/* generate %s\n * ampcc %s\n * %s */\n" % (
                words, way, failure.text.strip().replace("\n", "\n * ")))
            file.write(program)


def campaign(workers, seed, count):
    """Distributes the batches among the workers, which run in parallel."""
    bad, done, free = 0, 0, queue.SimpleQueue()
    for worker in workers:
        free.put(worker)

    def take(start):
        worker, n = free.get(), min(batch, count - start)
        try:
            return n, worker.batch(seed + start, n)
        finally:
            free.put(worker)

    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        for n, failures in pool.map(take, range(0, count, batch)):
            done, bad = done + n, bad + failures
            if sys.stderr.isatty():
                print("\r%d kernels, %d bad " % (done, bad), end="", file=sys.stderr)
    print("%d kernels compared, %d failures" % (done, bad))
    return bad == 0


def find_clang(build):
    """gcc 12 is not suitable: it turns 0.0 - (double)i into -(double)i, which differs in the sign of zero."""
    try:
        with open(os.path.join(build, "tests", "tools.txt")) as lines:
            return dict(line.rstrip("\n").split("=", 1) for line in lines)["CLANG"]
    except OSError:
        return "clang"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=200, help="kernels to compare")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(),
                        help="batches at a time; default: one per processor")
    parser.add_argument("--seed", type=int, default=1, help="of the first kernel")
    parser.add_argument("--build", default=os.path.join(root, os.environ.get("AMP_BUILD", "build")))
    parser.add_argument("--cc", help="compiles the reference; default: the build's clang")
    parser.add_argument("--reduce", type=int, metavar="SEED")
    parser.add_argument("--way", help="ampcc's options, as --way='-O2 --amp-lanes=8'; default: many in turn")
    parser.add_argument("--on", default="cpu", metavar="ACCELERATOR", help="runs the kernels, as cuda:0")
    parser.add_argument("--cpp", action="store_true", help="kernels in C++ AMP")
    parser.add_argument("-o", metavar="FILE")
    options = parser.parse_args()
    alone = options.reduce is not None
    workers = [Fuzz(options.build, options.cc or find_clang(options.build), options.way, options.on,
                    options.cpp)
               for _ in range(1 if alone else options.jobs)]
    try:
        if alone:
            workers[0].reduce(options.reduce, options.o)
            return
        sys.exit(0 if campaign(workers, options.seed, options.n) else 1)
    finally:
        for worker in workers:
            shutil.rmtree(worker.folder)


main()
