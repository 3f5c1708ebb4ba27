#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares a compiler's messages with those that comments in the source expect.

    expect.py COMPILER [option...] FILE

`// expected-error: text` expects that error on the comment's line, `// expected-error@+2: text` two lines below; the
same with note and warning. Several on one line follow each other; `expected-note 3: text` expects three. A text is
complete, except for the name of the rule in brackets at its end; "..." in it stands for anything. All expected messages
must come, and no others. If no error is expected, the compiler must succeed.
"""
import re
import subprocess
import sys

MESSAGE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?:fatal )?(?P<kind>error|warning|note): (?P<text>.*)")
EXPECTED = re.compile(r"expected-(error|warning|note)(?:@([+-]\d+))?(?: (\d+))?: (.*?)\s*"
                      r"(?=expected-(?:error|warning|note)|\*/|$)")


def expected_messages(name):
    messages = []
    with open(name) as lines:
        for number, line in enumerate(lines, 1):
            for kind, offset, times, text in EXPECTED.findall(line):
                messages += [(number + int(offset or 0), kind, text)] * int(times or 1)
    return messages


def main():
    command, name = sys.argv[1:], sys.argv[-1]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = [(int(m["line"]), m["kind"], m["text"]) for m in map(MESSAGE.fullmatch, done.stderr.splitlines()) if m]
    wrong = []
    for line, kind, text in expected_messages(name):
        pattern = re.compile(".*".join(map(re.escape, text.split("..."))) + r"( \[[\w' ,-]+\])?")
        match = next((m for m in found if m[:2] == (line, kind) and pattern.fullmatch(m[2])), None)
        if match:
            found.remove(match)
        else:
            wrong.append(f"{name}:{line}: expected, but did not come: {kind}: {text}")
    wrong += [f"{name}:{line}: came, but was not expected: {kind}: {text}" for line, kind, text in found]
    status = 1 if any(kind == "error" for _, kind, _ in expected_messages(name)) else 0
    if done.returncode != status:
        wrong.append(f"{name}: exit status {done.returncode}, expected {status}")
    if wrong:
        print("\n".join(wrong), done.stderr, "repeat: " + " ".join(command), sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
