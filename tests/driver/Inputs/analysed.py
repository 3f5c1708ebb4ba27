#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""analysed.py SOURCE COMMAND...: runs an analyser on SOURCE. It must warn in each function whose name begins with
wrong_, and nowhere else."""
import re
import subprocess
import sys

source, *command = sys.argv[1:]
with open(source) as file:
    lines = file.read().splitlines()
functions = [re.match(r"\w[\w *]*\b(\w+)\(.*[^;]$", line) for line in lines]
wrong = {match[1] for match in functions if match and match[1].startswith("wrong_")}
said = subprocess.run([*command, source], stderr=subprocess.PIPE, text=True).stderr
warned = set()
for where, text in re.findall(r"^(\S+?:\d+):\d+: ((?:warning|error): .*)", said, re.M):
    path, line = where.rsplit(":", 1)
    above = [match[1] for match in functions[:int(line)] if match] if path == source else []
    name = above[-1] if above else path
    warned.add(name)
    if name not in wrong:
        print(f"a false alarm in {name}, {where}: {text}")
for name in sorted(wrong - warned):
    print(f"nothing said about {name}")
sys.exit(not wrong or wrong != warned)
