#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""header_docs.py HEADER...: checks the comments of public functions, and of macros that are called like functions.

Each comes below a comment, alone or in a group without blank lines, or after a comment that names it. The comment
begins with a sentence. It says what the function returns, if anything, and from which threads it may be called, unless
kernels call it. Its headings come in the order of HEADINGS, after those of the parameters; parameters and statuses that
it names must exist. Prints those that break these rules."""
import re
import sys

HEADINGS = ["Holds", "Returns", "Waits", "Threads", "Cost", "Source"]
# These say what a function returns, if "Returns" does not: a first line that names the thing.
SAYS_RESULT = re.compile(r"\bReturns?\b|^(An?|The|Whether|What|How many|Make[s]?|Each) ")
FUNCTION = re.compile(
    r"^(?!typedef|static|#)(?:AMP__INLINE )?(\w[\w ]*[ *]+)(amp_(?!_)\w+)\(([^;{}]*?)\)"
    r"[^;{}()]*(?:\([^;{}()]*\))?(?:;|\n{)", re.M)
MACRO = re.compile(r"^#define (amp_(?!_)\w+)\(([^)]*)\)", re.M)
PROTOTYPE = re.compile(r"\b(amp_\w+)\(([^()]*)\);")


def names_of(parameters):
    return set(re.findall(r"(\w+)(?=\s*(?:,|$|\[|\)))", parameters))


def check(comment, before, functions, macros, statuses):
    """What is wrong with the comment above these, or with earlier comments on them: (name, complaint)."""
    first = (functions[0].group(2) if functions else macros[0].group(1))
    if not comment:
        names = [f.group(2) for f in functions] + [m.group(1) for m in macros]
        return [(name, "no comment") for name in names if not re.search(rf"\b{name}\b", before)]
    text = re.sub(r"^ \* ?", "", comment, flags=re.M).strip()
    wrong = []
    if not re.match(r"[^\n]*(?:\n[^\n]+){0,3}?[.:;]", text):
        wrong.append((first, "the comment does not begin with a sentence"))
    on_host = [f for f in functions if "restrict(amp)" not in f.group(0)]
    if on_host and not re.search(r"\bThreads\b", text):
        wrong.append((first, "no word on threads"))
    for f in on_host:
        if f.group(1).strip() != "void" and not SAYS_RESULT.search(text):
            wrong.append((f.group(2), "not said what it returns"))
    known = set()
    for f in functions:
        known |= names_of(f.group(3))
    for m in macros:
        known |= names_of(m.group(2))
    for p in PROTOTYPE.finditer(text):
        known |= names_of(p.group(2)) | ({"args"} if "..." in p.group(2) else set())
    ends = "|".join(f"(?<={heading}) " for heading in HEADINGS)
    headings = re.findall(rf"^(\w+)(?: {{2,}}|{ends})", text.partition("\n")[2], re.M)
    order = [HEADINGS.index(h) if h in HEADINGS else -1 for h in headings]
    if order != sorted(order):
        wrong.append((first, "headings out of order: " + ", ".join(headings)))
    for h in headings:
        if h not in HEADINGS and h not in known:
            wrong.append((first, f"no parameter is called '{h}'"))
    for status in re.findall(r"\bAMP_ERROR_\w+", text):
        if status not in statuses:
            wrong.append((first, f"there is no {status}"))
    return wrong


def main():
    sources = [open(name).read() for name in sys.argv[1:]]
    statuses = set(re.findall(r"X\((AMP_\w+),", "".join(sources)))
    n = 0
    wrong = []
    for source in sources:
        start = source.find('extern "C" {')
        before = ""  # comments so far that say what is required
        for block in re.split(r"\n\s*\n", source[max(start, 0):]):
            comment = re.match(r"/\* (.*?)\*/\n", block, re.S)
            code = re.sub(r"/\*.*?\*/", "", block[comment.end():] if comment else block, flags=re.S)
            macros = list(MACRO.finditer(code))
            code = re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", "", code, flags=re.M)
            functions = [] if "{" in code and "typedef" in code else list(FUNCTION.finditer(code))
            n += len(functions) + len(macros)
            if functions or macros:
                wrong += check(comment and comment.group(1), before, functions, macros, statuses)
            if comment and re.search(r"\bThreads\b", comment.group(1)):
                before += comment.group(1)
    for name, complaint in wrong:
        print(f"{name}: {complaint}")
    print(f"{n} public functions and macros, {len(wrong)} complaints")
    return bool(wrong) or n == 0


sys.exit(main())
