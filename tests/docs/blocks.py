#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles and runs the C in Markdown files.

    blocks.py COMPILER FOLDER FILE...

After a block of C comes its transcript, if the block has a `main` or is rejected: a block without a language that
begins with `$ `. Its first command names the source file: that block, an earlier one, or a file of samples/cookbook.
Each command is run, and must print what is shown after it; errors are shown without the lines of the source, and may be
broken into several lines. The same holds for C++ AMP in blocks of cpp, but for those that begin with the name of a
file, which have a test of their own. A program in C that launches a kernel prints
amp_error_text(). With AMP_PROFILE, numbers may differ, and numbers of spills always. Other blocks are compiled, with
<amp.h> and <math.h> in front. In tables with the columns rule, for example, message, each example must be rejected with
that message in an error or a note, and the rule's name at its end: a whole file if it has `restrict(` or a function f
of its own, else the body of a kernel, tiled if it has a `t.`.
What stands in backquotes and begins with amp_ or AMP_ must be in a header; a name that ends with _ stands for several.
"""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys

COOKBOOK = os.path.join(os.path.dirname(__file__), "..", "..", "samples", "cookbook")
INCLUDES = "#include <amp.h>\n#include <math.h>\n#include <stdio.h>\n"
CPP_INCLUDES = "#include <amp.h>\nusing namespace concurrency;\n"
KERNEL = "void k({}, int N, float x[N]) restrict(amp)\n{{\n    {}\n}}\n"


def run(*command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def source_name(transcript):
    """The file that the first line of a transcript names; "" if there is none."""
    name = re.search(r"[\w-]+\.c(?:pp)?\b", transcript.partition("\n")[0])
    return name[0] if name else ""


def in_cookbook(name):
    """The text of a program of the cookbook; "" if it has none of that name."""
    path = os.path.join(COOKBOOK, name)
    if not name or not os.path.exists(path):
        return ""
    with open(path) as file:
        return file.read()


def plain(text, command, is_rejected):
    """Output without what may differ, or is not shown."""
    text = re.sub(r"(spills\s+)\d+", r"\1#", text)
    if is_rejected:
        text = re.sub(r"^ *\d* \| .*\n|^\d+ (error|warning)s?( and \d+ errors?)? generated\.\n", "", text, flags=re.M)
        text = re.sub(r"\n {4}(?=\S)", " ", text)
        text = re.sub(r"(\.c:\d+):\d+: note:", r"\1: note:", text)  # LLVM 19 has other columns
    if "AMP_PROFILE" in command:
        text = re.sub(r"(?<![\w.])[\d.]+( (ns|us|ms|s|%))? *| +", " ", text)
    return text


def is_silent(block):
    """Whether a program launches a kernel, and says nothing if that fails."""
    prints = re.search(r"\bamp_error_(last_)?text\(|\bfinish\(\)", block)
    return "int main(" in block and "amp_parallel_for_each" in block and not prints


def check_transcript(compiler, folder, block, transcript):
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", transcript, re.M)
    if not source_name(transcript) or not block:
        return "the transcript's first command names no source that is shown before"
    if is_silent(block) and "error:" not in transcript:
        return "the program does not print amp_error_text() if something fails"
    write(folder, source_name(transcript), block)
    for name in glob.glob(os.path.join(COOKBOOK, "*.h")):
        shutil.copy(name, folder)
    warn = "" if "warning:" in transcript else "-Wall -Werror"
    write(folder, "ampcc", f'#!/bin/sh\nexec {compiler} {warn} "$@"\n')
    os.chmod(os.path.join(folder, "ampcc"), 0o755)
    for command, expected in commands:
        shell = f'PATH=.:"$PATH"; {command.replace("build/bin/ampcc", "ampcc")}'
        found = run("sh", "-c", shell, folder=folder).stdout
        is_rejected = "error:" in expected
        if plain(found, command, is_rejected) != plain(expected, command, is_rejected):
            return f"$ {command}\nexpected\n{expected}found\n{found}"
    return "" if any(expected for _, expected in commands) else "the transcript shows no output"


def check_block(compiler, folder, block, transcript):
    if transcript:
        return check_transcript(compiler, folder, block, transcript)
    if "int main(" in block:
        return "a program without a transcript"
    write(folder, "block.c", INCLUDES + block)
    return run(compiler, "-O2", "-Wall", "-Werror", "-c", "block.c", folder=folder).stdout


def check_cpp_block(compiler, folder, block, transcript):
    if transcript:
        return check_transcript(compiler, folder, block, transcript)
    write(folder, "block.cpp", block if "#include" in block else CPP_INCLUDES + block)
    return run(compiler, "-O2", "-Wall", "-Werror", "-c", "block.cpp", folder=folder).stdout


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


def tests_of(text):
    """Yields (where, check, arguments) for each block and row of a table."""
    fences = [(m.start(), m[1], m[2]) for m in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)]
    sources = {}  # the last block with a transcript, by the name that this gives it
    for before, (start, language, block), after in zip([("", "", "")] + fences, fences, fences[1:] + [("", "", "")]):
        if language == "cpp" and block.startswith("// "):
            continue
        if language in ("c", "cpp"):
            transcript = after[2] if not after[1] and after[2].startswith("$ ") else ""
            sources[source_name(transcript)] = block
            yield start, check_block if language == "c" else check_cpp_block, (block, transcript)
        elif not language and block.startswith("$ ") and before[1] not in ("c", "cpp"):
            name = source_name(block)
            yield start, check_transcript, (sources.get(name) or in_cookbook(name), block)
    for table in re.finditer(r"^\| rule \| for example \| message \|.*\n.*\n((?:\|.*\n)*)", text, re.M):
        rows = list(re.finditer(r"^\| (.*?) \| `(.*?)` \| (.*?) \|.*\n", table[1], re.M))
        for row in rows:
            yield table.start(1) + row.start(), check_rejected, (row[1], row[2], row[3].replace("\\*", "*"))
        if table[1].count("\n") != len(rows):
            yield table.start(1), lambda *_: "a row of the table cannot be read", ()


def problems_of(compiler, name, folder, pool):
    """Yields (where, complaint) for a file, and None for each test."""
    with open(name) as file:
        text = file.read()
    if os.path.basename(name) != "coverage.md":  # that is generated, and tests/coverage/coverage.py checks its names
        prose = re.sub(r"```.*?```", lambda m: " " * len(m[0]), text, flags=re.S)
        for start, unknown in find_unknown_names(compiler, prose):
            yield start, f"no header has {unknown}"
    running = []
    for start, check, arguments in tests_of(text):
        own = os.path.join(folder, f"{os.path.basename(name)}-{len(running)}")
        os.makedirs(own, exist_ok=True)
        running.append((start, pool.submit(check, compiler, own, *arguments)))
    for start, test in running:
        yield None, None
        if test.result():
            yield start, test.result()


def main():
    compiler, folder, *names = sys.argv[1:]
    n = n_wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name in names:
            with open(name) as file:
                text = file.read()
            for start, problem in problems_of(compiler, name, folder, pool):
                n += problem is None
                if problem:
                    n_wrong += 1
                    print(f"{name}:{text.count(chr(10), 0, start) + 1}: {problem}")
    print(f"{n} blocks and examples, {n_wrong} complaints")
    return bool(n_wrong) or n == 0


if __name__ == "__main__":
    sys.exit(main())
