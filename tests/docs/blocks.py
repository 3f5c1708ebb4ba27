#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles and runs the C in Markdown files.

    blocks.py COMPILER FOLDER FILE...

A block of C with a `main` is run, and must print what the next block shows after its `$` lines, the first of which
names the source file and our options, and the last of which may set variables of the environment; with AMP_PROFILE,
numbers may differ. Other blocks are compiled, with <amp.h> and <math.h> in front. In tables with the columns rule, for
example, message, each example must be rejected with that message in an error or a note, and the rule's name at its end:
a whole file if it has `restrict(` or a function f of its own, else the body of a kernel, tiled if it has a `t.`.
What stands in backquotes and begins with amp_ or AMP_ must be in a header; a name that ends with _ stands for several.
"""
import os
import re
import subprocess
import sys

INCLUDES = "#include <amp.h>\n#include <math.h>\n#include <stdio.h>\n"
KERNEL = "void k({}, int N, float x[N]) restrict(amp)\n{{\n    {}\n}}\n"


def run(*command, folder, variables=()):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          env=dict(os.environ, **dict(variables)))


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def check_block(compiler, folder, block, output):
    if "int main(" not in block:
        write(folder, "block.c", INCLUDES + block)
        return run(compiler, "-O2", "-Wall", "-Werror", "-c", "block.c", folder=folder).stdout
    commands = [line for line in output.splitlines() if line.startswith("$")]
    name = re.search(r"\w+\.c\b", commands[0])[0] if commands else "block.c"
    write(folder, name, block)
    program = name.removesuffix(".c")
    options = re.findall(r" (--amp-\S+)", commands[0]) if commands else []
    compiled = run(compiler, "-O2", "-Wall", "-Werror", *options, name, "-o", program, "-lm", folder=folder)
    if compiled.returncode:
        return compiled.stdout
    expected = "".join(line + "\n" for line in output.splitlines() if not line.startswith("$"))
    variables = re.findall(r"\b(AMP_\w+)=(\S+)", commands[-1]) if commands else ()
    found = run("./" + program, folder=folder, variables=variables).stdout
    if "AMP_PROFILE" in dict(variables):
        expected, found = (re.sub(r"(?<![\w.])[\d.]+( (ns|us|ms|s|%))? *| +", " ", text) for text in (expected, found))
    return "" if found == expected and expected else f"expected\n{expected}found\n{found}"


def check_rejected(compiler, folder, rule, example, message):
    index = "amp_tiled_index1(16) t" if re.search(r"\bt\.", example) else "amp_index1 i"
    is_file = re.search(r"restrict\(|\bvoid f\(", example)
    write(folder, "rejected.c", INCLUDES + (example + "\n" if is_file else KERNEL.format(index, example)))
    done = run(compiler, "-O2", "-w", "-fopenmp", "-c", "rejected.c", folder=folder)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line or ": note: " in line]
    if done.returncode == 1 and any(message in error and error.endswith(f" [{rule}]") for error in errors):
        return ""
    return f"expected: {message} ... [{rule}]\n{done.stdout}"


def find_unknown_names(compiler, text):
    """Names of the library in backquotes that no header has: (where, name)."""
    include = os.path.join(os.path.dirname(os.path.dirname(compiler)), "include")
    headers = ""
    for folder, _, names in os.walk(include):
        for name in names:
            with open(os.path.join(folder, name)) as file:
                headers += file.read()
    for code in re.finditer(r"`[^`\n]+`", text):
        for name in re.finditer(r"\b(?:amp|AMP)_[a-zA-Z]\w*(?!\w|\.h)", code[0]):
            if not re.search(rf"\b{name[0]}" + ("" if name[0].endswith("_") else r"\b"), headers):
                yield code.start() + name.start(), name[0]


def main():
    compiler, folder, *names = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    n = {"blocks": 0, "rejected examples": 0}
    failed = False
    for name in names:
        with open(name) as file:
            text = file.read()
        fences = [(m.start(), m[1], m[2]) for m in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)]
        tests = []
        for k, (start, language, block) in enumerate(fences):
            if language == "c":
                output = fences[k + 1][2] if k + 1 < len(fences) and not fences[k + 1][1] else ""
                tests.append((start, "blocks", check_block, block, output))
        for table in re.finditer(r"^\| rule \| for example \| message \|.*\n.*\n((?:\|.*\n)*)", text, re.M):
            rows = list(re.finditer(r"^\| (.*?) \| `(.*?)` \| (.*?) \|.*\n", table[1], re.M))
            tests += [(table.start(1) + row.start(), "rejected examples", check_rejected, row[1], row[2], row[3])
                      for row in rows]
            if table[1].count("\n") != len(rows):
                failed = True
                print(f"{name}: a row of a table of rejected code cannot be read")
        is_generated = os.path.basename(name) == "coverage.md"  # tests/coverage/coverage.py checks its names
        prose = re.sub(r"```.*?```", lambda m: " " * len(m[0]), text, flags=re.S)
        for start, unknown in () if is_generated else find_unknown_names(compiler, prose):
            failed = True
            print(f"{name}:{text.count(chr(10), 0, start) + 1}: no header has {unknown}")
        for start, kind, check, *arguments in tests:
            n[kind] += 1
            problem = check(compiler, folder, *arguments)
            if problem:
                failed = True
                print(f"{name}:{text.count(chr(10), 0, start) + 1}: {problem}")
    print(", ".join(f"{count} {kind}" for kind, count in n.items()))
    return failed


sys.exit(main())
