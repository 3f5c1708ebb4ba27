#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the official conformance suite of C++ AMP, which is no part of this project.

    conformance.py SUITE [--build FOLDER] [--section N ...] [--test TEXT] [--kind KIND] [--again] [--report FILE]

SUITE is the folder `amp-conformance` of a checkout. A test that runs must compile, link, and end with status 0 on the
accelerator `cpu`; one that is compiled must be accepted; a negative one must be rejected with messages about the rule,
at the lines that it names. Negative tests are compiled with --amp-strict, because they include the limits of 2012. A
test that skips itself, as those that need several accelerators do, runs again with the stand-in for GPUs of tests/gpu.

Results are kept by test in BUILD/conformance, and a test that has one for this very compiler is not run again; --again
runs those again that failed. The report lists what the results in that folder say.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import messages
import report
import suite

GRANTED = os.path.join(os.path.dirname(os.path.realpath(__file__)), "microsoft.h")
FLAGS = ["-std=c++14", "-O0", "-w", "-ferror-limit=0", "--amp-cpu=native", "-include", GRANTED]
COMPILE_SECONDS, RUN_SECONDS = 300, 900
SKIPPED, SKIPS = 2, "it skips itself"  # the status of a test that does


def identity_of(build):
    """What a result is valid for: the compiler, the library and the headers."""
    digest = hashlib.sha256()
    paths = [os.path.join(build, "bin", "ampcc"), os.path.join(build, "lib", "libamp.a"), GRANTED]
    for folder in ("include", os.path.join("include", "amp-cpp")):
        where = os.path.join(build, folder)
        paths += [os.path.join(where, name) for name in sorted(os.listdir(where)) if name.endswith(".h")]
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


class Runner:
    def __init__(self, options):
        self.options = options
        self.ampcc = os.path.join(options.build, "bin", "ampcc")
        self.folder = os.path.join(options.build, "conformance")
        self.identity = identity_of(options.build)
        self.flags = FLAGS + ["-I", os.path.join(options.suite, "amp_test_lib", "inc")]
        self.environment = dict(os.environ, AMP_DEFAULT_ACCELERATOR="cpu", LC_ALL="C.UTF-8")

    def command(self, words, seconds, **variables):
        """Runs a command; returns its status, None after a timeout, and its output."""
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                                  stdin=subprocess.DEVNULL, env=dict(self.environment, **variables))
            return done.returncode, done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired:
            return None, ""

    def make_library(self):
        """Compiles the suite's library. Returns the options that link it."""
        sources = os.path.join(self.options.suite, "amp_test_lib", "src")
        where = os.path.join(self.folder, "library-" + self.identity)
        os.makedirs(where, exist_ok=True)
        objects = []
        for name in sorted(os.listdir(sources)):
            objects.append(os.path.join(where, name + ".o"))
            if os.path.exists(objects[-1]):
                continue
            status, output = self.command([self.ampcc, *self.flags, "--amp-gpu=none", "-c", os.path.join(sources, name),
                                           "-o", objects[-1]], COMPILE_SECONDS)
            if status:
                sys.exit(f"the suite's library does not compile: {name}\n{output}")
        return objects

    def make_stand_in(self):
        """Compiles what runs kernels on the stand-in for GPUs. Returns the variables that let a program use it."""
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
        with open(os.path.join(self.options.build, "tests", "tools.txt")) as lines:
            tools = dict(line.rstrip("\n").split("=", 1) for line in lines)
        device = os.path.join(self.folder, "host_device.so")
        subprocess.run([tools["CLANG"], "-O1", "-fPIC", "-shared", "-I", os.path.join(root, "src"),
                        os.path.join(root, "tests", "gpu", "Inputs", "host_device.c"), "-o", device, "-lm", "-ldl"],
                       check=True)
        driver = os.path.join(self.options.build, "tests", "fake_cuda", "static")
        return dict(LD_PRELOAD=device, FAKE_CUDA_KERNELS=device, LD_LIBRARY_PATH=driver)

    def run_once(self, test, macros, where, gpu, **variables):
        """Compiles and runs a test with one set of macros. Returns what failed; None if nothing did."""
        program = os.path.join(where, "test")
        words = [self.ampcc, *self.flags, "--amp-gpu=" + gpu, *macros, test.source]
        if test.kind == "negative":
            words += ["--amp-strict", "-c"]
        elif test.kind == "compile":
            words += ["-c"]
        else:
            words += self.library
        status, output = self.command([*words, "-o", program], COMPILE_SECONDS)
        if status is None:
            return "the compiler takes too long"
        if status < 0 or status > 1:
            return f"the compiler ends with {status}: " + report.first_error(output)
        if test.kind == "negative":
            if status == 0:
                return "it is accepted"
            return messages.reason_against(test.expected, output, test.source)
        if status:
            return report.first_error(output)
        if test.kind == "compile":
            return None
        status, output = self.command([program], RUN_SECONDS, **variables)
        if status == SKIPPED:
            return SKIPS
        return None if status == 0 else report.first_failure(status, output)

    def run_on(self, test, gpu, **variables):
        """Runs a test with all its sets of macros. Returns what failed first; None if nothing did."""
        with tempfile.TemporaryDirectory() as where:
            reasons = (self.run_once(test, macros, where, gpu, **variables) for macros in test.macros)
            return next(filter(None, reasons), None)

    def run(self, test):
        reason = self.run_on(test, "none")
        return self.run_on(test, "host", **self.stand_in) if reason == SKIPS else reason

    def result_of(self, test):
        return dict(name=test.name, kind=test.kind, reason=self.run(test), identity=self.identity)

    # ---- results ----

    def path_of(self, section):
        return os.path.join(self.folder, f"section-{section}.json")

    def read_results(self, section):
        try:
            with open(self.path_of(section)) as file:
                return {line["name"]: line for line in map(json.loads, file)}
        except FileNotFoundError:
            return {}

    def write_results(self, section, results):
        with open(self.path_of(section) + ".new", "w") as file:
            file.writelines(json.dumps(results[name]) + "\n" for name in sorted(results))
        os.replace(file.name, self.path_of(section))

    def is_done(self, result):
        if not result or result["identity"] != self.identity:
            return False
        return not (self.options.again and result["reason"])

    def run_section(self, section, tests):
        """Runs the tests of a section that have no result yet, and keeps each as soon as it is there."""
        results = self.read_results(section)
        left = [test for test in tests if not self.is_done(results.get(test.name))]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            running = [pool.submit(self.result_of, test) for test in left]
            for number, future in enumerate(concurrent.futures.as_completed(running), 1):
                result = future.result()
                results[result["name"]] = result
                self.write_results(section, results)
                print("\n     ".join(lines_of(f"{number}/{len(left)}", result)), flush=True)
        return {test.name: results[test.name] for test in tests if test.name in results}


def lines_of(number, result):
    """What is said of a result."""
    yield f"{number} {'FAIL' if result['reason'] else 'pass'} {result['name']}"
    if result["reason"]:
        yield result["reason"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--build", default="build")
    parser.add_argument("--section", nargs="*", default=[], help="sections to run; all")
    parser.add_argument("--test", default="", help="only tests whose name contains this")
    parser.add_argument("--kind", choices=report.KINDS, help="only tests of this kind")
    parser.add_argument("--again", action="store_true", help="also run again what failed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--report", help="write the report there")
    options = parser.parse_args()
    options.suite, options.build = os.path.abspath(options.suite), os.path.abspath(options.build)
    if not os.path.isdir(os.path.join(options.suite, "Tests")):
        parser.error(f"{options.suite} has no folder 'Tests': it is the folder 'amp-conformance' of a checkout")
    return options


def main():
    options = parse()
    tests = suite.read_tests(options.suite)
    runner = Runner(options)
    os.makedirs(runner.folder, exist_ok=True)
    runner.library, runner.stand_in = runner.make_library(), runner.make_stand_in()
    sections = sorted({test.section for test in tests})
    for section in sections:
        chosen = [test for test in tests if test.section == section and options.test in test.name
                  and options.kind in (None, test.kind)]
        if chosen and (not options.section or section in options.section):
            results = runner.run_section(section, chosen)
            passed = sum(not result["reason"] for result in results.values())
            print(f"section {section}: {passed} of {len(chosen)} pass", flush=True)
    if options.report:
        results = {section: runner.read_results(section) for section in sections}
        with open(options.report, "w") as file:
            file.write(report.text_of(tests, results))


if __name__ == "__main__":
    main()
