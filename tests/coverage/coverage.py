#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which test covers which row of the model: makes docs/coverage.md from rows.txt and the marks in the tests.

    coverage.py ROOT           writes docs/coverage.md
    coverage.py ROOT --check   fails if that would change it, if a row has neither a test nor a reason, in C or in C++,
                               if a mark names no row, or if the table names a thing of C that is in no header, or a
                               rule that is not in docs/language.md
"""
import os
import re
import sys
from typing import NamedTuple

MARK = re.compile(r"(?:^|//|/\*|\*|#)[ \t]*row: *([\w.]+(?:, *[\w.]+)*)", re.M)
FOLDERS = ["tests", "samples"]

HEAD = """# Coverage

Every row of C++ AMP 1.2, what it is in C, and the tests that cover it, in C and in C++.
`tests/coverage/coverage.py` makes this file from `rows.txt` and from comments `row: NAME` in the tests; `make check`
fails if it is stale. Rules are those of [language.md](language.md).

"""


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


class Row(NamedTuple):
    name: str
    model: str
    c: str  # what it is in C; "no: REASON" if it is left out
    cpp: str = ""  # why it is left out in C++


class Section(NamedTuple):
    title: str
    rows: list


def read_rows(text):
    sections = []
    for line in text.splitlines():
        if line.startswith("== "):
            sections.append(Section(line[3:], []))
        elif line.strip() and not line.startswith("#"):
            row, _, cpp = line.partition(" | C++: ")
            sections[-1].rows.append(Row(*(cell.strip() for cell in row.split(" | ", 2)), cpp.strip()))
    return sections


def read_marks(root):
    """For each marked row the tests, as paths from the root."""
    marks = {}
    for folder in FOLDERS:
        for path, folders, names in sorted(os.walk(os.path.join(root, folder))):
            folders[:] = [f for f in folders if f not in ("coverage", "Inputs")]
            for name in sorted(names):
                if not name.endswith((".c", ".cpp", ".h", ".test", ".py", ".sh")):
                    continue
                test = os.path.relpath(os.path.join(path, name), root)
                for match in MARK.finditer(read(os.path.join(path, name))):
                    for row in re.split(", *", match[1]):
                        if test not in marks.setdefault(row, []):
                            marks[row].append(test)
    return marks


def escape(cell):
    """For Markdown: marks headers and names of the library as code."""
    cell = cell.replace("|", "\\|")
    parts = re.split(r"(`[^`]*`|(?<!\w)(?:amp_|AMP_)\w+(?:\([^)]*\))?|<[\w.]+\.h>)", cell)
    return "".join(f"`{part.strip('`')}`" if i % 2 else part.replace("<", "&lt;") for i, part in enumerate(parts))


def links(tests):
    return ", ".join(f"[{os.path.splitext(t)[0].removeprefix('tests/')}](../{t})" for t in tests)


def check_row(row, tests, headers, rules):
    """What is wrong with a row; `tests` are those in C and in C++."""
    left_out = row.c.startswith("no: ")
    names = re.findall(r"\b(?:amp|AMP)_[A-Za-z]\w*", re.sub(r"<[\w.]+>", "", row.c))
    wrong = [f"row {row.name}: {n} is in no header" for n in names
             if not left_out and not re.search(rf"\b{n}\b", headers)]
    wrong += [f"row {row.name}: no rule is called *{rule}*"
              for rule in re.findall(r"\*([^*]+)\*", row.c) if rule not in rules]
    if not tests[0] and not left_out:
        wrong.append(f"row {row.name} has neither a test nor a reason: {row.model}")
    if not tests[1] and not row.cpp:
        wrong.append(f"row {row.name} has neither a test in C++ nor a reason: {row.model}")
    return wrong


def main():
    root = sys.argv[1]
    sections = read_rows(read(os.path.join(root, "tests", "coverage", "rows.txt")))
    include = os.path.join(root, "include")
    headers = "".join(read(os.path.join(include, name)) for name in sorted(os.listdir(include)) if name.endswith(".h"))
    rules = re.findall(r"^\| ([^|`]+) \| `", read(os.path.join(root, "docs", "language.md")), re.M)
    marks = read_marks(root)
    names = [row.name for section in sections for row in section.rows]
    wrong = ["a row is named twice: " + name for name in sorted({n for n in names if names.count(n) > 1})]
    wrong += [f"{', '.join(tests)}: no row is called '{row}'"
              for row, tests in sorted(marks.items()) if row not in names]

    text = HEAD
    n_tested, n_left_out = [0, 0], 0
    for section in sections:
        text += f"## {section.title}\n\n| row | in C++ AMP | in C | tests | tests in C++ |\n|---|---|---|---|---|\n"
        for row in section.rows:
            marked = marks.get(row.name, [])
            tests = [t for t in marked if not t.endswith(".cpp")], [t for t in marked if t.endswith(".cpp")]
            left_out = row.c.startswith("no: ")
            n_tested = [n + bool(t) for n, t in zip(n_tested, tests)]
            n_left_out += left_out and not tests[0]
            wrong += check_row(row, tests, headers, rules)
            shown = links(tests[0]) or ("" if left_out else "**open**")
            cpp = links(tests[1]) or "left out: " + row.cpp
            reason = "left out: " + row.c.removeprefix("no: ") if left_out else row.c
            text += f"| {row.name} | {escape(row.model)} | {escape(reason)} | {shown} | {cpp} |\n"
        text += "\n"
    text = text.rstrip("\n") + (f"\n\n{len(names)} rows: {n_tested[0]} tested in C, {n_left_out} left out there; "
                                f"{n_tested[1]} tested in C++.\n")

    output = os.path.join(root, "docs", "coverage.md")
    if "--check" not in sys.argv[2:]:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)
    elif not os.path.exists(output) or read(output) != text:
        wrong.append("docs/coverage.md is stale; run tests/coverage/coverage.py .")
    for line in wrong:
        print(line)
    print(f"{len(names)} rows: {n_tested[0]} tested in C, {n_left_out} left out there; {n_tested[1]} tested in C++; "
          f"{len(wrong)} wrong")
    return bool(wrong)


sys.exit(main())
