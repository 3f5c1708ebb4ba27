#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which test covers which row of the model: makes docs/coverage.md from rows.txt and the marks in the tests.

    coverage.py ROOT           writes docs/coverage.md
    coverage.py ROOT --check   fails if that would change it, if a row has neither a test nor a reason, if a mark
                               names no row, or if the table names a thing of C that is in no header, or a rule that
                               is not in docs/language.md
"""
import os
import re
import sys

MARK = re.compile(r"(?:^|//|/\*|\*|#)[ \t]*row: *([\w.]+(?:, *[\w.]+)*)", re.M)
FOLDERS = ["tests", "samples"]

HEAD = """# Coverage

Every row of C++ AMP 1.2, what it is in C, and the tests that cover it. `tests/coverage/coverage.py` makes this file
from `rows.txt` and from comments `row: NAME` in the tests; `make check` fails if it is stale. Rules are those of
[language.md](language.md).

"""


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def read_rows(text):
    """A list of (section, [(name, model, c)])."""
    sections = []
    for line in text.splitlines():
        if line.startswith("== "):
            sections.append((line[3:], []))
        elif line.strip() and not line.startswith("#"):
            sections[-1][1].append(tuple(cell.strip() for cell in line.split(" | ", 2)))
    return sections


def read_marks(root):
    """For each marked row the tests, as paths from the root."""
    marks = {}
    for folder in FOLDERS:
        for path, folders, names in sorted(os.walk(os.path.join(root, folder))):
            folders[:] = [f for f in folders if f not in ("coverage", "Inputs")]
            for name in sorted(names):
                if not name.endswith((".c", ".h", ".test", ".py", ".sh")):
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


def main():
    root = sys.argv[1]
    sections = read_rows(read(os.path.join(root, "tests", "coverage", "rows.txt")))
    include = os.path.join(root, "include")
    headers = "".join(read(os.path.join(include, name)) for name in sorted(os.listdir(include)) if name.endswith(".h"))
    rules = re.findall(r"^\| ([^|`]+) \| `", read(os.path.join(root, "docs", "language.md")), re.M)
    marks = read_marks(root)
    rows = [row for _, section in sections for row in section]
    names = [row[0] for row in rows]
    wrong = ["a row is named twice: " + name for name in sorted({n for n in names if names.count(n) > 1})]
    wrong += [f"{', '.join(tests)}: no row is called '{row}'"
              for row, tests in sorted(marks.items()) if row not in names]

    text = HEAD
    n_tested = n_left_out = 0
    for title, section in sections:
        text += f"## {title}\n\n| row | in C++ AMP | in C | tests |\n|---|---|---|---|\n"
        for name, model, c in section:
            tests = marks.get(name, [])
            left_out = c.startswith("no: ")
            names_of_c = re.findall(r"\b(?:amp|AMP)_[A-Za-z]\w*", re.sub(r"<[\w.]+>", "", c))
            missing = [n for n in names_of_c if not re.search(rf"\b{n}\b", headers)]
            n_tested += bool(tests)
            n_left_out += left_out and not tests
            wrong += [f"row {name}: {n} is in no header" for n in missing if not left_out]
            wrong += [f"row {name}: no rule is called *{rule}*"
                      for rule in re.findall(r"\*([^*]+)\*", c) if rule not in rules]
            if not tests and not left_out:
                wrong.append(f"row {name} has neither a test nor a reason: {model}")
            shown = "" if left_out else "**open**"
            if tests:
                shown = ", ".join(f"[{os.path.splitext(t)[0].removeprefix('tests/')}](../{t})" for t in tests)
            reason = "left out: " + c.removeprefix("no: ") if left_out else c
            text += f"| {name} | {escape(model)} | {escape(reason)} | {shown} |\n"
        text += "\n"
    text = text.rstrip("\n") + f"\n\n{len(rows)} rows: {n_tested} tested, {n_left_out} left out.\n"

    output = os.path.join(root, "docs", "coverage.md")
    if "--check" not in sys.argv[2:]:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)
    elif not os.path.exists(output) or read(output) != text:
        wrong.append("docs/coverage.md is stale; run tests/coverage/coverage.py .")
    for line in wrong:
        print(line)
    print(f"{len(rows)} rows: {n_tested} tested, {n_left_out} left out, {len(wrong)} wrong")
    return bool(wrong)


sys.exit(main())
