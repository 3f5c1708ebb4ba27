#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rules.py SOURCES... LANGUAGE ERRORS: compares the rules that end the compiler's messages with those that are
documented.

Each that stands in a message in the folders SOURCES, or in a table of the page LANGUAGE, must be a heading of the page
ERRORS, with a transcript that ends a message with it; and each heading with such a transcript must be a rule."""
import os
import re
import sys


def read(name):
    with open(name) as file:
        return file.read()


def in_sources(folders):
    """Names in brackets at the end of a string, if a message has them."""
    rules = set()
    for folder in folders:
        for where, _, names in os.walk(folder):
            for name in names:
                text = read(os.path.join(where, name))
                rules |= set(re.findall(r"\[([a-z_][\w ,'-]* [\w ,'-]+|[a-z]{4,})\]\"", text))
    return rules - {"slot", "node"}


def main():
    *folders, language, errors = sys.argv[1:]
    sources, page = in_sources(folders), re.sub(r"\n {4}(?=\S)", " ", read(errors))
    tables = set()
    for table in re.findall(r"^\| rule \| for example \| message \|.*\n.*\n((?:\|.*\n)*)", read(language), re.M):
        tables |= set(re.findall(r"^\| (.*?) \| `", table, re.M))
    shown = {m[1] for m in re.finditer(r"^### (.*)\n((?:(?!##).*\n)*)", page, re.M) if f" [{m[1]}]\n" in m[2]}
    listed = {m[1] for m in re.finditer(r"\[([^]]+)\]\(#", page.partition("\n## ")[0])}
    wrong = [f"not shown in {errors}: {rule}" for rule in sorted((sources | tables) - shown)]
    wrong += [f"not listed at the top of {errors}: {rule}" for rule in sorted(shown - listed)]
    wrong += [f"no rule: {rule}" for rule in sorted(shown - sources - tables)]
    print("\n".join(wrong + [f"{len(sources)} rules in the sources, {len(tables)} in tables, {len(shown)} shown"]))
    return bool(wrong) or len(sources) < 80


sys.exit(main())
