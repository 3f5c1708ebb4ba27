#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""build.py ROOT FOLDER: makes a site of ROOT/docs in FOLDER/site, with mkdocs.

The pages are copied to FOLDER/pages first. There a link that leaves docs/ leads to a copy of its file, and one to amp.h
to the pages that api.py makes of the header; a line that is only a link to a sample is followed by the sample. mkdocs
then stops at any link that leads nowhere."""
import os
import re
import shutil
import subprocess
import sys

import api
from api import read, write

LINK = re.compile(r"\[([^][]*)\]\(([^):#\s]+)(#[^)\s]*)?\)")
SOURCE = re.compile(r"^\[[^][]*\]\((\.\./samples/[^)]*\.c)\)$", re.M)
NAVIGATION = [  # a page, with or without another title than its own; or a title and the pages below it
    ("Overview", "index.md"), "why.md", "install.md", "tutorial.md",
    ("Coming from", ["porting-from-cuda.md", "porting-from-opencl.md", "porting-from-openmp.md",
                     "porting-from-cpp-amp.md", "cpp-amp.md", "conformance.md", "wild.md", "comparison.md"]),
    ("Guides", ["coherence.md", ("Several devices and machines", "distributed.md"), "performance.md",
                ("Tools", "debugging.md"), "cookbook.md", "faq.md"]),
    ("Reference", ["language.md", "errors.md", "options.md", "gpu.md", ("C++ AMP, item by item", "coverage.md"),
                   "glossary.md"]),
    ("The library", "API"),
    ("Inside", ["runtime.md", "hacking.md", ("Changes", "changelog.md")]),
]
PAGES = {"README.md": "index.md", "HACKING.md": "hacking.md", "CHANGELOG.md": "changelog.md",
         "include/amp.h": "api/index.md", "include/amp_math.h": "api/index.md",
         "include/amp_algorithms.h": "api/index.md"}


def title(*path):
    heading = re.search(r"^# (.*)", read(*path), re.M)
    return heading[1] if heading else path[-1]


def stage(root, name, text, pages):
    """Writes a page, and copies what it links to outside of docs/. A link named like its page gets the page's title."""
    def relink(link):
        path, anchor = os.path.normpath(os.path.join("docs", link[2])), link[3] or ""
        words = link[1]
        if words.endswith(".md") and os.path.isfile(os.path.join(root, path)):
            words = title(root, path)
        if path in PAGES:
            to = PAGES[path] + anchor
        elif link[2].startswith("../") and os.path.isfile(os.path.join(root, path)):
            to = "files/" + path
            os.makedirs(os.path.dirname(os.path.join(pages, to)), exist_ok=True)
            shutil.copy(os.path.join(root, path), os.path.join(pages, to))
        else:
            to = link[2] + anchor  # in docs/, or one that mkdocs complains about
        return f"[{words.removeprefix('../include/')}]({to})"
    def with_source(line):
        path = os.path.normpath(os.path.join("docs", line[1]))
        return f"{line[0]}\n\n```c\n{read(root, path)}```"
    write(LINK.sub(relink, SOURCE.sub(with_source, text)), pages, name)


def make_api(root, pages):
    """Writes the pages of the headers, and their list. Returns their entries for navigation()."""
    sources = api.read_headers(root)
    guide = re.match(r"/\* SPDX[^\n]*\n(.*?)\*/", sources["amp.h"], re.S)[1]
    names, rows = ["api/index.md"], []
    def link(text):
        """With links for the pages that comments name."""
        return re.sub(r"\bdocs/([\w-]+\.md)", lambda page: f"[{title(root, page[0])}](../{page[1]})", text)
    for header in ("amp.h", "amp_math.h", "amp_algorithms.h"):
        found = list(api.pages(header, sources))
        for name, _, text in found:
            write(link(text), pages, "api", name)
        names.append((header, ["api/" + name for name, _, _ in found]))
        rows.append(f"`<{header}>`: " + ", ".join(f"[{words}]({name})" for name, words, _ in found) + ".\n")
    guide = link(api.paragraphs(re.sub(r"^ \* ?", "", guide, flags=re.M)))
    write("# The library's functions\n\n" + "\n".join(rows) + f"\n\n{guide}\n", pages, "api", "index.md")
    return names


def navigation(entries, api_pages, depth):
    """Yields lines of YAML for the entries."""
    for entry in entries:
        indent = "  " * depth
        name, what = entry if isinstance(entry, tuple) else ("", entry)
        if isinstance(what, str) and what != "API":
            yield f"{indent}- {name}: {what}" if name else f"{indent}- {what}"
            continue
        yield f"{indent}- {name}:"
        yield from navigation(api_pages if what == "API" else what, api_pages, depth + 2)


def main():
    root, folder = map(os.path.abspath, sys.argv[1:])
    docs, pages = os.path.join(root, "docs"), os.path.join(folder, "pages")
    shutil.rmtree(pages, ignore_errors=True)
    for name in sorted(os.listdir(docs)):
        if name.endswith(".md"):
            stage(root, name, read(docs, name), pages)
        elif name.endswith((".svg", ".png")):
            shutil.copy(os.path.join(docs, name), pages)
    if os.path.isdir(os.path.join(docs, "pictures")):
        shutil.copytree(os.path.join(docs, "pictures"), os.path.join(pages, "pictures"))
    for name in ("HACKING.md", "CHANGELOG.md"):
        text = re.sub(r"\]\((?!\w+:|#)", "](../", read(root, name))
        stage(root, name.lower(), re.sub(r"\]\(\.\./docs/", "](", text), pages)
    shutil.copy(os.path.join(docs, "site", "site.css"), pages)
    api_pages = make_api(root, pages)
    settings = os.path.join(folder, "mkdocs.yml")
    lines = [read(docs, "site", "mkdocs.yml"), f"docs_dir: {pages}", f"site_dir: {folder}/site", "nav:"]
    write("\n".join([*lines, *navigation(NAVIGATION, api_pages, 1), ""]), settings)
    return subprocess.run(["mkdocs", "build", "--quiet", "--strict", "-f", settings]).returncode


sys.exit(main())
