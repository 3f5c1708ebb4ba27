#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""functions.py ROOT FOLDER: writes the manual pages, FOLDER/man1 and FOLDER/man3.

Those beside this script are copied, libamp.3 with a list of all functions. The others are made from the comments of the
headers: one for each comment and what it declares, together with later comments that refer to it ("the same", "as
above"). It has the name of what is declared first; the other names lead to it."""
import collections
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "site"))
import api  # noqa: E402
from api import read, write  # noqa: E402

HEADERS = ["amp.h", "amp_math.h", "amp_algorithms.h"]
COLUMNS = 72  # of declarations
REFERS = re.compile(r"^(?:The|Does the|Do the) same\b|\bas above\b")
Page = collections.namedtuple("Page", "header title names entries")


def escape(text):
    """Text for troff, which would read some characters as commands and replace others by typographic ones."""
    for character, name in (("\\", r"\(rs"), ("-", r"\-"), ("'", r"\(aq"), ("`", r"\(ga"), ("^", r"\(ha"),
                            ("~", r"\(ti")):
        text = text.replace(character, name)
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def prose(text):
    """A paragraph: what stands in backquotes and names of the library are bold."""
    parts = re.split(r"(`[^`]*`|(?<!\w)(?:amp|AMP)_\w*\w)", text.strip())
    words = [f"\\fB\\%{escape(part.strip('`'))}\\fR" if i % 2 else escape(part).replace(r"\-", "-")
             for i, part in enumerate(parts)]
    return re.sub(r"^([.'])", r"\\&\1", "".join(words), flags=re.M)


def folded(line):
    """A line of code as lines that fit, if it is one declaration or call."""
    lines, indent = [], ""
    while line.find(";") == len(line) - 1 and len(indent + line) > COLUMNS and ", " in line[:COLUMNS - len(indent)]:
        end = line.rindex(", ", 0, COLUMNS - len(indent)) + 1
        lines.append(indent + line[:end])
        line, indent = line[end:].lstrip(), " " * 8
    return lines + [indent + line]


def listing(code):
    """Lines of code, with their breaks."""
    lines = [part for line in code.split("\n") for part in folded(line)]
    return [".EX", *escape("\n".join(lines)).split("\n"), ".EE"]


def body(text):
    """The lines of a comment."""
    lines, paragraph, is_definition = [], [], False

    def end():
        if paragraph:
            lines.append(prose("\n".join(paragraph)))
            paragraph.clear()

    for kind, *what in [*api.comment_parts(text), ("line", "")]:
        if kind == "definition":
            end()
            lines.extend([".TP", f".B {escape(what[0])}"])
            paragraph.append(what[1])
        elif kind == "code":
            end()
            lines.extend([".PP" if not lines or not is_definition else ".IP", *listing(what[0])])
        elif not what[0]:
            end()
        else:
            if not paragraph:
                lines.append(".PP")
            paragraph.append(what[0])
        is_definition = kind == "definition"
    return lines


def links(names):
    """The pages of these names, for a reader who follows them."""
    return [f".BR \\%{escape(name)} (3){',' if name != names[-1] else ''}" for name in names]


def summary(page):
    """What stands after the names: the first sentence, or the section's title."""
    text = page.entries[0].text
    if not text or page.entries[0].statuses:
        return page.title
    sentence = re.match(r"((?:\([^)]*\)|.)*?)(?:[.:;](?=\s|$)|$)", text.replace("\n", " "))[1].replace("`", "")
    return sentence[0].lower() + sentence[1:] if sentence[1:2].islower() or sentence[1:2] == " " else sentence


def find_pages(root):
    """The pages, in the order of the headers."""
    pages, known = [], set()
    for header in HEADERS:
        for title, entries in api.sections(header, api.read_headers(root)):
            first = len(pages)
            for entry in entries:
                names = [name for name in entry.names if name not in known]
                if len(pages) > first and (not entry.text or not names or REFERS.search(entry.text)):
                    pages[-1].names.extend(names)
                    pages[-1].entries.append(entry)
                else:
                    pages.append(Page(header, title, names, [entry]))
                known.update(names)
    return pages


def references(page, where):
    """Other pages for the names that this one mentions."""
    mentioned = {where.get(name, page.names[0]) for entry in page.entries
                 for name in re.findall(r"\bamp_\w+", entry.code + entry.text)}
    return ["libamp", *sorted(mentioned - {page.names[0]})]


def roff(page, where, version):
    """The text of a page."""
    names = [escape(name) for name in page.names]
    lines = [r'.\" SPDX-License-Identifier: MIT', f'.TH {page.names[0]} 3 "" "AMP for C {version}" "Library Functions"',
             ".nh", ".ad l", ".SH NAME", ", ".join(names) + r" \- " + escape(summary(page)).replace(r"\-", "-"),
             ".SH SYNOPSIS", f".B #include <{page.header}>"]
    declared = "\n".join(entry.code for entry in page.entries if entry.code)
    if declared:
        lines += [".PP", *listing(re.sub(r"(?<=[(,])\n +", lambda m: " " if m.string[m.start() - 1] == "," else "",
                                         declared))]
    lines.append(".SH DESCRIPTION")
    for entry in page.entries:
        if len(page.entries) > 1 and entry.text:
            shown = ", ".join(entry.names[:3]) + (" and others" if len(entry.names) > 3 else "")
            lines.append(f".SS {escape(shown)}")
        if entry.statuses:
            for name, meaning in entry.statuses:
                lines += [".TP", f".B {name}", prose(meaning)]
        elif entry.text:
            lines += body(entry.text)
    lines += [".SH SEE ALSO", *links(references(page, where))]
    return "\n".join(lines) + "\n"


def overview(text, pages):
    """libamp.3 with a list of the pages."""
    lists = collections.defaultdict(list)
    for page in pages:
        lists[page.title].append(page.names[0])
    lines = [".SH FUNCTIONS AND TYPES", ".ad l"]
    for title, names in lists.items():
        lines += [".TP", f".B {title}", *links(names)]
    return text.replace(".SH ENVIRONMENT", "\n".join([*lines, ".ad b", ".SH ENVIRONMENT"]), 1)


def main():
    root, folder = sys.argv[1:]
    pages = find_pages(root)
    where = {name: page.names[0] for page in pages for name in page.names}
    version = ".".join(re.findall(r"^#define AMP_VERSION_(?:MAJOR|MINOR) (\d+)", read(root, "include", "amp.h"), re.M))
    for section in "13":
        shutil.rmtree(os.path.join(folder, "man" + section), ignore_errors=True)
        for name in os.listdir(HERE):
            if name.endswith("." + section):
                text = read(HERE, name)
                write(overview(text, pages) if name == "libamp.3" else text, folder, "man" + section, name)
    for page in pages:
        for name in page.names:
            text = roff(page, where, version) if name == page.names[0] else f".so man3/{page.names[0]}.3\n"
            write(text, folder, "man3", name + ".3")


main()
