# SPDX-License-Identifier: MIT
"""Compares what a dry run says that ranks send with what they really send, as a library that counts says.

    dry.py RUN_RANKS MPI COUNT.so RANKS PROGRAM [ARGUMENT...]    RANKS: numbers with commas
"""
import os
import re
import subprocess
import sys
import tempfile

run_ranks, mpi, counter, ranks = sys.argv[1:5]
program = sys.argv[5:]


def planned(n):
    environment = {**os.environ, "AMP_DRY_RUN_RANKS": n}
    result = subprocess.run(program, env=environment, capture_output=True, text=True)
    numbers = re.search(r"launches; (\d+) messages, (\d+) bytes; at the end (\d+) more of (\d+) bytes", result.stderr)
    messages, sizes, more, size = map(int, numbers.groups())
    return messages + more, sizes + more * size


def sent(n):
    messages = sizes = 0
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "count")
        subprocess.run([run_ranks, mpi, n, "env", f"LD_PRELOAD={counter}", f"COUNT_FILE={name}", *program], check=True,
                       stdout=subprocess.DEVNULL)
        for rank in range(int(n)):
            with open(f"{name}.{rank}") as lines:
                for kind, calls, amount in (line.split() for line in lines):
                    if "send" in kind:
                        messages += int(calls)
                        sizes += int(amount)
    return messages, sizes


for n in ranks.split(","):
    plan, truth = planned(n), sent(n)
    print(f"{n} ranks: planned {plan[0]} messages, {plan[1]} bytes; sent {truth[0]}, {truth[1]}:",
          "right" if plan == truth else "wrong")
