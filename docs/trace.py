#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a file of AMP_TRACE as SVG.

    trace.py TRACE.json >PICTURE.svg     any trace
    trace.py --make BUILD                compiles docs/trace.c with the ampcc in BUILD, runs it, writes docs/trace.svg
"""
import collections
import html
import json
import os
import subprocess
import sys
import tempfile

WIDTH, LEFT, ROW, GAP = 1000, 170, 20, 10
COLOURS = {"call": "#cfe0f3", "wait": "#e6e6e6", "launch": "#f4b183", "copy": "#b7d7a8"}


def rows_of(slices):
    """The row of each slice of a track: one more than that of the slice around it."""
    around, rows = [], {}
    for i, e in sorted(enumerate(slices), key=lambda s: (s[1]["ts"], -s[1]["dur"])):
        while around and around[-1]["ts"] + around[-1]["dur"] <= e["ts"]:
            around.pop()
        rows[i] = len(around)
        around.append(e)
    return rows


def draw_slice(e, x, width, y):
    name = html.escape(e["name"])
    yield f'<rect x="{x:.1f}" y="{y}" width="{max(width, 0.8):.1f}" height="{ROW - 2}" rx="2" '\
          f'fill="{COLOURS[e["cat"]]}" stroke="#555" stroke-width="0.4"><title>{name}, {e["dur"]:.1f} us</title></rect>'
    if width > 6.5 * len(name):
        yield f'<text x="{x + 3:.1f}" y="{y + 13}">{name}</text>'


def draw_flow(steps):
    for (x0, y0), (x1, y1) in zip(steps, steps[1:]):
        if abs(y1 - y0) >= ROW:
            bend = max(12, (x1 - x0) / 3)
            yield f'<path d="M{x0:.1f} {y0} C{x0 + bend:.1f} {y0} {x1 - bend:.1f} {y1} {x1:.1f} {y1}" '\
                  'fill="none" stroke="#c00" stroke-width="0.9" marker-end="url(#end)"/>'


def draw(events):
    names = {(e["pid"], e["tid"] if e["name"] == "thread_name" else None): e["args"]["name"]
             for e in events if e["ph"] == "M"}
    tracks = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            tracks[e["pid"], e["tid"]].append(e)
    begin = min(e["ts"] for slices in tracks.values() for e in slices)
    end = max(e["ts"] + e["dur"] for slices in tracks.values() for e in slices)
    scale = (WIDTH - LEFT - 10) / (end - begin)
    lines, places, y = [], {}, 20
    for track, slices in sorted(tracks.items()):
        label = f"{names[track[0], None]}: {names[track]}"
        lines.append(f'<text x="6" y="{y + 13}">{html.escape(label)}</text>')
        rows = rows_of(slices)
        for i, e in enumerate(slices):
            x, top = LEFT + (e["ts"] - begin) * scale, y + ROW * rows[i]
            lines += draw_slice(e, x, e["dur"] * scale, top)
            key = (*track, e["ts"])
            places[key] = (x, max(top + ROW / 2 - 1, places.get(key, (0, 0))[1]))
        y += ROW * (max(rows.values()) + 1) + GAP
    flows = collections.defaultdict(list)
    for e in events:
        if e["ph"] in "stf":
            flows[e["id"]].append((e["ts"], "stf".index(e["ph"]), places[e["pid"], e["tid"], e["ts"]]))
    for flow in flows.values():
        lines += draw_flow([place for _, _, place in sorted(flow)])
    step = 10 ** len(str(int((end - begin) / 1000 / 3))) / 10 or 1
    for i in range(int((end - begin) / 1000 / step) + 1):
        x = LEFT + i * step * 1000 * scale
        lines.insert(0, f'<line x1="{x:.1f}" y1="15" x2="{x:.1f}" y2="{y}" stroke="#ddd"/>'
                        f'<text x="{x:.1f}" y="11" text-anchor="middle" fill="#666">{i * step:g} ms</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" '
            f'font-size="11"><defs><marker id="end" markerWidth="6" markerHeight="6" refX="5" refY="3" orient="auto">'
            f'<path d="M0 0 L6 3 L0 6 z" fill="#c00"/></marker></defs>'
            f'<rect width="{WIDTH}" height="{y}" fill="white"/>\n' + "\n".join(lines) + "\n</svg>\n")


def make(build):
    docs = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        program, trace = os.path.join(folder, "pictures"), os.path.join(folder, "trace.json")
        compiler = os.path.join(build, "bin", "ampcc")
        subprocess.check_call([compiler, "-O2", os.path.join(docs, "trace.c"), "-o", program])
        variables = {"AMP_TRACE": trace, "AMP_DEFAULT_ACCELERATOR": "cpu", "AMP_NUM_THREADS": "1"}
        subprocess.check_call([program], env=dict(os.environ, **variables))
        with open(trace) as file, open(os.path.join(docs, "trace.svg"), "w") as picture:
            picture.write(draw(json.load(file)))


if sys.argv[1] == "--make":
    make(sys.argv[2])
else:
    with open(sys.argv[1]) as trace_file:
        sys.stdout.write(draw(json.load(trace_file)))
