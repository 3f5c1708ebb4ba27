# SPDX-License-Identifier: MIT
"""Reads the tests of the official conformance suite of C++ AMP, which lies elsewhere: what each test is, with which
macros it is compiled, and which messages it expects."""
import dataclasses
import os
import re
import shlex

CODE = re.compile(r"\bC(\d{4})\b")
LINE = re.compile(r"(?:test\\?\.cpp)?\\?\((\d+)\\?\)")
EXPECTS = re.compile(r"//#\s*Expects\s*\d*\s*:\s*(?:warning|error)?(.*)", re.I)
SET = re.compile(r"\{(.*?)\}", re.S)
PAIR = re.compile(r"'([^']*)'\s*=>\s*'([^']*)'")


@dataclasses.dataclass(frozen=True)
class Test:
    name: str  # its folder below Tests
    source: str
    kind: str  # run, negative or compile
    macros: tuple  # sets of options
    expected: tuple  # pairs of line and codes; each may be missing

    @property
    def section(self):
        return self.name[0]


def configuration_of(folder, root):
    """The text of the nearest configuration on the way up, as the suite's own runner looks for it."""
    while folder.startswith(root):
        names = [name for name in os.listdir(folder) if name.endswith(".conf")]
        if names:
            with open(os.path.join(folder, names[0]), errors="replace") as file:
                return file.read()
        folder = os.path.dirname(folder)
    return ""


def macros_of(configuration):
    """A tuple of options for each way to compile the test. The suite passes them through a shell, in quotes."""
    definitions = configuration.partition("definitions")[2]
    sets = [tuple(shlex.split(" ".join(f'"-D{name}={value}"' for name, value in PAIR.findall(group))))
            for group in SET.findall(definitions)]
    return tuple(sets) or ((),)


def expected_of(text):
    """Where a negative test expects errors, and with which codes of Microsoft's compiler."""
    directives = [match[1] for match in map(EXPECTS.search, text.splitlines()) if match]
    everywhere = frozenset(code for directive in directives for code in CODE.findall(directive))
    expected = []
    for directive in directives:
        line = None if "amp.h" in directive else LINE.search(directive)
        codes = frozenset(CODE.findall(directive)) or everywhere
        expected.append((int(line[1]) if line else None, codes))
    return tuple(expected)


def read_test(source, root):
    configuration = configuration_of(os.path.dirname(source), root)
    with open(source, errors="replace") as file:
        text = file.read()
    expected = expected_of(text)
    kind = "negative" if expected else "compile" if "compile_only" in configuration else "run"
    macros = macros_of(configuration)
    if re.search(" main *\\(", text):
        before = os.path.join(os.path.dirname(root), "test_main.h")
        macros = tuple(options + ("-include", before) for options in macros)
    return Test(os.path.relpath(os.path.dirname(source), root), source, kind, macros, expected)


def read_tests(suite):
    root = os.path.join(suite, "Tests")
    sources = [os.path.join(folder, "test.cpp") for folder, _, names in os.walk(root) if "test.cpp" in names]
    return [read_test(source, root) for source in sorted(sources)]
