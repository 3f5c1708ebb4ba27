#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs programs on the accelerator `checked`. They have no mistakes: each must succeed, and nothing may be reported.

    programs.py AMPCC FOLDER SOURCE[:ARGUMENT]...    compiles each source, as its first RUN line does if it has one
"""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

build = re.compile(r"RUN:.*%ampcc ((?:-(?!c |shared )\S+ )*)%s((?: -(?!c |shared )\S+)*) -o %t")

mistaken = {"too-small.c"}  # makes mistakes on purpose


def options(source):
    """The options before and after the source in the first RUN line that makes a program of it; None: it takes more
    than the source, or a GPU, or it makes mistakes."""
    with open(source) as lines:
        text = lines.read()
    if os.path.basename(source) in mistaken:
        return None
    if "RUN:" not in text:
        return "-O2 ", ""
    found = build.search(text)
    return found.groups() if found and "REQUIRES: cuda" not in text else None


def run(command, limit, **settings):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit,
                              env=dict(os.environ, **settings))
    except subprocess.TimeoutExpired:
        return "no end after %d s" % limit
    text = done.stdout.decode(errors="replace").strip()
    return "exit status %d: %s" % (done.returncode, text[-2000:]) if done.returncode else ""


def check(ampcc, folder, name):
    """Returns what is wrong with a program, "" if nothing is."""
    source, *arguments = name.split(":")
    of, file = os.path.split(source)
    program = os.path.join(folder, os.path.basename(of) + "-" + os.path.splitext(file)[0])
    report = program + ".json"
    if os.path.exists(report):
        os.remove(report)
    before, after = (shlex.split(words) for words in options(source))
    files = [source, *after, "-lm", "-o", program]
    ours = ["-w", "--amp-check", "--amp-gpu=none", "--amp-cpu=baseline", "--amp-lanes=1"]
    wrong = run([ampcc, *before, *ours, *files], 300)
    wrong = wrong or run([program, *arguments], 300, AMP_DEFAULT_ACCELERATOR="checked", AMP_CHECK_REPORT=report)
    if not wrong and os.path.exists(report):  # a program that launches nothing writes none
        with open(report) as file:
            text = file.read()
        wrong = "" if text == "[]\n" else text
    return wrong


def main():
    ampcc, folder, *sources = sys.argv[1:]
    names = [source for source in sources if options(source.split(":")[0])]
    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: check(ampcc, folder, name), names))
    for name, wrong in zip(names, results):
        if wrong:
            print("%s: %s" % (name, wrong), file=sys.stderr)
    print("%d of %d programs have no mistakes" % (results.count(""), len(names)))
    sys.exit(any(results))


main()
