#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""options.py AMPCC SOURCES PAGE: compares a page with the options of ampcc, its warnings, and the environment.

Every option and warning in `ampcc --amp-help`, and every variable that the sources read by getenv, must stand in a
table of the page in backquotes, and each option, warning and variable with such a name there must exist. AMP_TEST_...
are variables for our own tests."""
import os
import re
import subprocess
import sys


def variables(folder):
    """What the C files of a folder pass to getenv, by name or as a static string."""
    names = set()
    for where, _, files in os.walk(folder):
        for file in files:
            with open(os.path.join(where, file)) as source:
                text = source.read()
            for argument in re.findall(r"\b(?:secure_)?getenv\((.*?)\)", text):
                literal = re.search(r'"(\w+)"', argument) or re.search(rf'\b{argument}(?:\[\])? = "(\w+)"', text)
                if not literal:
                    raise SystemExit(f"{file}: getenv({argument}) cannot be understood")
                names.add(literal[1])
    return {name for name in names if not name.startswith("AMP_TEST_")}


def main():
    ampcc, sources, page = sys.argv[1:]
    said = subprocess.run([ampcc, "--amp-help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    exist = set(re.findall(r"--amp-[a-z-]+", said)) | set(re.findall(r"^  (amp-\w+):", said, re.M)) | variables(sources)
    with open(page) as file:
        rows = "".join(re.findall(r"^\|.*\n", file.read(), re.M))
    shown = set(re.findall(r"`(--amp-[a-z-]+|amp-\w+|[A-Z]{3,}_\w+)", rows))
    shown |= exist & set(re.findall(r"`(\w+)`", rows))
    wrong = [f"not in the page: {name}" for name in sorted(exist - shown)]
    wrong += [f"does not exist: {name}" for name in sorted(shown - exist)]
    print("\n".join(wrong + [f"{len(exist)} options, warnings and variables"]))
    return bool(wrong) or len(exist) < 20


sys.exit(main())
