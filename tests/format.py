#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the layout of the source tree, or mends what a program can mend.

    format.py [--fix] ROOT

Sources of C, C++ and CUDA must be as clang-format 22 leaves them, by the .clang-format of their folder. The version is
fixed, because versions differ. Lines have at most 120 columns, except those that cannot be broken: rows of Markdown
tables, addresses, the commands and patterns of lit, expected messages, rows that a test covers.
"""
import os
import re
import shutil
import subprocess
import sys

VERSION = 22
COLUMNS = 120
SOURCES = (".c", ".h", ".cpp", ".cu")
TEXT = SOURCES + (".cmake", ".def", ".in", ".md", ".py", ".sh", "CMakeLists.txt", "Makefile", ".ci/run",
                  "cmake/packages.txt", "cmake/packages-bench.txt")
GENERATED = ("bench/results/", "docs/coverage.md", "docs/conformance.md")
UNBREAKABLE = re.compile(r"^\s*\||https?://|expected-(error|warning|note)|(RUN|CHECK)[\w-]*:|advice \w+:|row:")
# What a line of prose begins with: the sign of a comment, in Markdown few spaces; then perhaps that of a list.
COMMENT = re.compile(r"( *(?:/\*| \*|//|#) +)(?=\S)")
MARKDOWN = re.compile(r"( {0,3})(?=\S)")
LIST = re.compile(r"((?:[-*]|\d+\.) +)")


def source_files(root):
    """All files of the project, by their paths from the root."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in (".git", "__pycache__") and not f.startswith("build"))
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def find_clang_format():
    found = shutil.which(f"clang-format-{VERSION}") or shutil.which(f"/usr/lib/llvm-{VERSION}/bin/clang-format")
    if not found:
        sys.exit(f"no clang-format {VERSION} here: apt-get install clang-format-{VERSION}")
    return found


def is_too_long(line):
    return len(line) > COLUMNS and not UNBREAKABLE.search(line)


def prefix_of(line, is_markdown):
    """What the next line of the same paragraph begins with, or None: the line is no prose, but code or a table."""
    match = (MARKDOWN if is_markdown else COMMENT).match(line)
    if not match or "   " in line[match.end():]:
        return None
    bullet = LIST.match(line[match.end():])
    return match[1].replace("/*", " *") + " " * len(bullet[1] if bullet else "")


def wrap(lines, is_markdown):
    """Breaks lines of prose that are too long; what is cut off begins the paragraph's next line."""
    lines, is_code = list(lines), False
    for i, line in enumerate(lines):  # `lines` grows meanwhile
        is_code ^= is_markdown and line.startswith("```")
        prefix = prefix_of(line, is_markdown)
        if is_code or prefix is None or not is_too_long(line):
            continue
        cut = line.rfind(" ", 0, min(COLUMNS + 1, len(line) - len(" */")))
        lines[i], rest = line[:cut], line[cut + 1:]
        following = lines[i + 1] if i + 1 < len(lines) else ""
        is_item = LIST.match(following.lstrip(" *#/"))
        if prefix_of(following, is_markdown) == prefix and not is_item:
            lines[i + 1] = prefix + rest + " " + following[len(prefix):]
        else:
            lines.insert(i + 1, prefix + rest)
    return lines


def check_lines(root, name, is_fixing):
    """Yields a message for each line that is too long and, if `is_fixing`, no prose."""
    path = os.path.join(root, name)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if is_fixing and any(map(is_too_long, lines)):
        wrapped = wrap(lines, name.endswith(".md"))
        if wrapped != lines:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(wrapped))
            lines = wrapped
    for number, line in enumerate(lines, 1):
        if is_too_long(line):
            yield f"{name}:{number}: {len(line)} columns instead of {COLUMNS}"


def check_sources(root, names, is_fixing):
    """Yields a message for each place that clang-format would change, and unless `is_fixing` changes nothing."""
    mode = ["-i"] if is_fixing else ["--dry-run", "--Werror"]
    done = subprocess.run([find_clang_format(), *mode, *names], cwd=root, stderr=subprocess.PIPE, text=True)
    places = re.findall(r"^(\S+:\d+):\d+: error: code should be clang-formatted", done.stderr, re.MULTILINE)
    if done.returncode and not places:
        sys.exit(done.stderr)
    for place in places:
        yield f"{place}: clang-format would change this"


def main():
    root, is_fixing = sys.argv[-1], "--fix" in sys.argv
    names = list(source_files(root))
    wrong = list(check_sources(root, [n for n in names if n.endswith(SOURCES)], is_fixing))
    for name in names:
        if name.endswith(TEXT) and not name.startswith(GENERATED):
            wrong += check_lines(root, name, is_fixing)
    if wrong:
        wrong.append("break these lines by hand" if is_fixing else "to mend it: make format")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
