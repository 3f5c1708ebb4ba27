#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names.py AMPCC CLANG INCLUDE: compiles kernels.c under many names, and prints what is wrong."""
import json
import os
import subprocess
import sys

ampcc, clang, include = sys.argv[1:]
names = [b"a;b", b";", b"a;;b", b"two words", b'"q"', b"it's", b"new\nline", b"tab\there", b"$HOME", b"back\\slash",
         b"\\", b"100%s%d", b"\xff\xfe", b"\xc3\xa9", b"#x", b"a,b:c=d", b"*?[a]", b"-dash", b"@at", b"&|<>()~", b"...",
         b" ", b"\x01", b"x" * 240]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        print(command, "says", done.stderr)
    return done.stdout


def read_and_remove(name):
    with open(name, "rb") as file:
        text = file.read()
    os.unlink(name)
    return text


with open("kernels.c", "rb") as file:
    source = file.read()
for name in names:
    with open(name + b".c", "wb") as file:
        file.write(source)
    path = (b"./" if name[:1] in (b"-", b"@") else b"") + name + b".c"
    run(ampcc, b"-w", b"-MMD", b"-c", path)
    ours = read_and_remove(name + b".d")
    run(ampcc, b"./" + name + b".o", b"-o", b"./" + name)
    output = run(b"./" + name)
    if output != b"4 10, from " + path + b"\n":
        print(name, "prints", output)
    run(clang, b"-w", b"-MMD", b"-isystem", include, b"-c", path)
    clangs = read_and_remove(name + b".d")
    if ours != clangs:
        print(name, "depends on", ours, "and by clang on", clangs)
    if name in (b'"q"', b"new\nline", b"back\\slash", b"\xff\xfe", b"\xc3\xa9"):
        report = json.loads(run(ampcc, b"-w", b"--amp-report=json", b"-c", path, b"-o", b"/dev/null"))
        if not any(item["file"] == path.decode(errors="replace") for item in report):
            print(name, "is reported as", [item["file"] for item in report])
print(len(names), "names")
