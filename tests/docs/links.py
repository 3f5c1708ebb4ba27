#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""links.py FILE...: reports links of Markdown files to files and headings that do not exist.

An address with a scheme, such as https:, is not looked at. Headings have the names that GitHub and mkdocs give them."""
import os
import re
import sys

LINK = re.compile(r"!?\[(?:[^][]|\[[^]]*\])*\]\(([^)\s]+)\)")


def headings(text):
    """The names of the headings of a page."""
    names = {}
    for heading in re.findall(r"^#+ +(.*?)\s*$", without_code(text), re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
        names[name] = names.get(name, 0) + 1
    return set(names)


def without_code(text):
    """The text with as many lines, without blocks of code."""
    return re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)


def broken(name):
    """Yields (line, link, complaint)."""
    with open(name) as file:
        text = file.read()
    for link in LINK.finditer(re.sub(r"`[^`\n]*`", lambda m: "`" * len(m[0]), without_code(text))):
        if re.match(r"\w+:", link[1]):
            continue
        path, _, anchor = link[1].partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        line = text_line(text, link)
        if not os.path.exists(target):
            yield line, link[1], "no such file"
        elif anchor and target.endswith(".md"):
            with open(target) as file:
                if anchor not in headings(file.read()):
                    yield line, link[1], "no such heading"


def text_line(text, link):
    return without_code(text).count("\n", 0, link.start()) + 1


def main():
    wrong = n = 0
    for name in sys.argv[1:]:
        n += 1
        for line, link, complaint in broken(name):
            wrong += 1
            print(f"{name}:{line}: {link}: {complaint}")
    print(f"{n} pages, {wrong} broken links")
    return bool(wrong) or n == 0


sys.exit(main())
