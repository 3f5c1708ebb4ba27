# SPDX-License-Identifier: MIT
"""Checks a file of AMP_TRACE, and prints how many launches, copies, waits and bytes it shows.

usage: trace.py FILE [unfinished]       `unfinished`: the bracket at the end is missing
"""
import collections
import json
import sys

FLOW = "stf"


def fail(*what):
    sys.exit(" ".join(map(str, what)))


def check_names(events):
    """Each track has a name, and so has its process; each only once."""
    names = collections.Counter((e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else 0)
                                for e in events if e["ph"] == "M")
    for name, n in names.items():
        if n > 1:
            fail("named twice:", name)
    for e in events:
        if e["ph"] == "X" and not (names["thread_name", e["pid"], e["tid"]] and names["process_name", e["pid"], 0]):
            fail("without a name:", e)


def check_nesting(track, slices):
    """Slices of a track are inside one another or apart."""
    around = []
    for begin, end, name in sorted(slices, key=lambda s: (s[0], -s[1])):
        while around and around[-1][1] <= begin:
            around.pop()
        if around and end > around[-1][1]:
            fail("slices overlap on", track, (begin, end, name), around[-1])
        around.append((begin, end, name))


def check_flows(events, tracks, is_finished):
    """Each flow begins once and, if all is there, ends once, in this order, each time where a slice begins."""
    flows = collections.defaultdict(list)
    begins = {track: {begin for begin, _, _ in slices} for track, slices in tracks.items()}
    for e in events:
        if e["ph"] in FLOW:
            flows[e["id"]].append((time_of(e["ts"]), FLOW.index(e["ph"]), e["pid"], e["tid"]))
    for flow in flows.values():
        steps = [step[1] for step in sorted(flow)]
        if is_finished and (steps != sorted(steps) or steps.count(0) != 1 or steps.count(2) != 1):
            fail("not a flow:", sorted(flow))
        for time, _, process, thread in flow if is_finished else ():
            if time not in begins[process, thread]:
                fail("a flow without a slice:", flow)


def time_of(microseconds):
    return round(1000 * microseconds)


def main():
    with open(sys.argv[1]) as file:
        text = file.read()
    is_finished = len(sys.argv) < 3
    events = json.loads(text if is_finished else text + "\n]")
    tracks = collections.defaultdict(list)
    sums = collections.Counter()
    for e in events:
        if e["ph"] not in "MX" + FLOW:
            fail("unknown:", e)
        if e["ph"] != "X":
            continue
        begin = time_of(e["ts"])
        tracks[e["pid"], e["tid"]].append((begin, begin + time_of(e["dur"]), e["name"]))
        arguments = e["args"]
        if e["dur"] < 0 or e["ts"] < 0 or arguments["clock"] not in ("host", "device"):
            fail("wrong:", e)
        if e["cat"] == "launch":
            sums["launches"] += 1
            sums["launch of " + e["name"]] += 1
        elif e["cat"] == "copy":
            way = ("across" if arguments["from"] == arguments["to"] else "in" if arguments["from"] == "host" else "out")
            sums[way] += arguments["copies"]
            sums["bytes_" + way] += arguments["bytes"]
        elif e["cat"] == "wait":
            sums["waits"] += 1
    check_names(events)
    for track, slices in tracks.items():
        check_nesting(track, slices)
    check_flows(events, tracks, is_finished)
    keys = ["launches", "in", "out", "across", "bytes_in", "bytes_out", "bytes_across"]
    print(*(f"{key}={sums[key]}" for key in keys))
    names = sorted(f"{e['args']['name']}" for e in events if e["ph"] == "M")
    print("names:", ", ".join(names))


main()
