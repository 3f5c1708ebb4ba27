#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""header_docs.py amp.h: every public function stands below a comment, alone or in a group without blank lines, that says
when it may be called from several threads and what comes back. Names those that do not."""
import re
import sys

# What tells what comes back, if not "Returns": a first line that names the thing.
SAYS_RESULT = re.compile(r"\bReturns?\b|^(The|Whether|What|How many|Make[s]?|Each) ")
IN_KERNELS = re.compile(r"restrict\(amp\)")

source = open(sys.argv[1]).read()
source = source[source.index('extern "C" {'):]
bad = 0
functions = 0
for block in re.split(r"\n\s*\n", source):
    comment = re.match(r"/\* (.*?)\*/\n", block, re.S)
    code = block[comment.end():] if comment else re.sub(r"/\*.*?\*/", "", block, flags=re.S)
    code = re.sub(r"^#.*?(?<!\\)$", "", code, flags=re.S | re.M)
    if "{" in code and "typedef" in code:
        continue
    for function in re.finditer(r"^(?!typedef|static)(\w[\w ]*[ *]+)(amp_\w+)\([^;{}]*?\)[^;{}]*;", code, re.M):
        returns, name = function.group(1).strip(), function.group(2)
        functions += 1
        wrong = []
        if not comment:
            wrong.append("no comment")
        elif not IN_KERNELS.search(function.group(0)):
            if "Threads" not in comment.group(1):
                wrong.append("no word on threads")
            if returns != "void" and not SAYS_RESULT.search(comment.group(1)):
                wrong.append("not said what it returns")
        if wrong:
            bad += 1
            print("%s: %s" % (name, ", ".join(wrong)))
print("%d public functions, %d without what a user must know" % (functions, bad))
sys.exit(bad != 0 or functions == 0)
