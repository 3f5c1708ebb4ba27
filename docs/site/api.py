# SPDX-License-Identifier: MIT
"""The comments of a header, and pages of Markdown from them: one for each of its sections.

A section begins with a line such as "/* ---- errors ---- */". In it, a comment and the declarations below it, up to a
blank line, are one entry, whose heading names what it declares. Names with two underscores are private."""
import collections
import os
import re

# What a header declares together: the names, the declarations, the comment, and for amp_status each value's meaning.
# Of what macros declare, the names stand only in the comment.
Entry = collections.namedtuple("Entry", "names code text statuses")

SECTION = re.compile(r"^/\* -{3,} (.+?) -{3,} \*/$", re.M)
NAME = re.compile(r"\b(amp_(?!_)\w+)(?=\()|\b(amp_(?!_)\w+)(?=;$)|^typedef (?:enum|struct) (amp_(?!_)\w+)", re.M)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def write(text, *path):
    os.makedirs(os.path.dirname(os.path.join(*path)), exist_ok=True)
    with open(os.path.join(*path), "w", encoding="utf-8") as file:
        file.write(text)


def read_headers(root):
    """The texts of the public headers, by name."""
    folder = os.path.join(root, "include")
    return {name: read(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".h")}


def without_bodies(code):
    """Declarations as a caller sees them: macros without what they expand to, functions without bodies."""
    code = re.sub(r"/\*.*?\*/", lambda m: m[0] if "\n" not in m[0] else "", code, flags=re.S)
    code = re.sub(r"\\\n", " ", code)
    code = re.sub(r"^#define (amp_(?!_)\w+\([^)]*\)).*$", r"\1;", code, flags=re.M)
    code = re.sub(r"^#.*\n?", "", code, flags=re.M)
    code = re.sub(r"\n\{\n.*?^\}", ";", code, flags=re.M | re.S)
    code = re.sub(r"^__extension__ (typedef enum \w+) AMP__INT\b", r"\1", code, flags=re.M)
    code = re.sub(r"\bAMP__INLINE |\s*__attribute__\(\(.*?\)\)(?=;)", "", code, flags=re.S)
    code = re.sub(r"\s+AMP__\w+(?:\([^()]*\))?(?=\s*(?:;|AMP__))", "", code)  # attributes
    entries = re.findall(r"^typedef (?:enum|struct)[^;{]*\{.*?\} \w+;|^\S.*?;[^\n]*$", code, re.M | re.S)
    return "\n".join(e for e in entries if not re.search(r"\b(amp|AMP)__\w+", e) and not e.startswith(("extern", "}")))


def inline(line):
    """Text as Markdown, with headers, the library's names and what stands in backquotes as code."""
    parts = re.split(r"(`[^`]*`|<\w+\.h>|(?<!\w)(?:amp|AMP)_\w*\w(?: \*|\([\w., *]*\))?)", line)
    def escape(m):
        return m[1] or {"<": "&lt;", "*": "\\*"}[m[2]]
    return "".join(f"`{part.strip('`')}`" if i % 2 else re.sub(r"(\*\w+\*(?!\w))|([<*])", escape, part)
                   for i, part in enumerate(parts))


def comment_parts(text):
    """Yields a comment's parts: ("code", text), ("definition", word, line) or ("line", line), where "" ends a
    paragraph. A word with two spaces after it begins a definition; else indented lines are code."""
    code, is_definition = [], False
    for number, line in enumerate(text.split("\n") + [" "]):
        if not is_definition and (line.startswith("    ") or code and not line):
            code.append(line[4:])
            continue
        if code:
            yield "code", "\n".join(code).rstrip()
            code = []
        heading = number > 0 and re.match(r"(\w+)\s{2,}(.*)|(Returns|Threads|Waits|Holds|Cost)\s(.*)", line)
        is_definition = bool(heading) or is_definition and line.startswith(" ")
        if heading:
            yield "definition", heading[1] or heading[3], heading[2] or heading[4]
        else:
            yield "line", line.strip()


def paragraphs(text):
    """A comment as Markdown."""
    out = []
    for kind, *what in comment_parts(text):
        if kind == "code":
            out += ["", "```c", *what[0].split("\n"), "```", ""]
        elif kind == "definition":
            out += ["", f"**{what[0]}**: {inline(what[1])}"]
        else:
            out.append(inline(what[0]))
    return "\n".join(out).strip()


def read_entry(block):
    """The Entry of a block; without names: nothing public is in it."""
    comment = re.match(r"/\* ?(.*?)\*/\n?", block, re.S)
    code = without_bodies(block[comment.end():] if comment else block)
    names = list(dict.fromkeys(next(filter(None, m)) for m in NAME.findall(code)))
    text = re.sub(r"^ \* ?", "", comment[1], flags=re.M).strip() if comment else ""
    statuses = re.findall(r'\bX\((AMP_\w+), *"(.*?)"\)', block)
    return Entry(["amp_status"] if statuses else names, code if names else "", text, statuses)


def add_mentioned(entries):
    """Adds names that are declared nowhere to the first entry that mentions them, preferably one without names."""
    known = {name for entry in entries for name in entry.names}
    for entry in sorted(entries, key=lambda entry: bool(entry.names)):
        mentioned = dict.fromkeys(re.findall(r"(?<![\w/])amp_(?!_)\w*\w\b(?!\.)", entry.text))
        entry.names.extend(name for name in mentioned if name not in known)
        known.update(mentioned)


def sections(header, sources):
    """A list of (title, entries) for the sections. `sources` are texts by file name, which the header may include."""
    text = sources[header]
    starts = list(SECTION.finditer(text))
    found = []
    for start, end in zip(starts, starts[1:] + [None]):
        body = text[start.end():end.start() if end else len(text)]
        for included in re.findall(r'^#include "(\w+\.h)"', body, re.M):
            body += "\n\n" + sources[included].split("#define", 1)[1]
        body = re.sub(r"^#ifdef __cplusplus\n.*?^#(else|endif).*?\n", "", body, flags=re.M | re.S)
        found.append((start[1].removeprefix("the "), list(map(read_entry, re.split(r"\n\s*\n", body)))))
    add_mentioned([entry for _, entries in found for entry in entries])
    found = [(title, [entry for entry in entries if entry.names]) for title, entries in found]
    return [(title, entries) for title, entries in found if entries]


def markdown(entry):
    """The Markdown of an entry."""
    names = entry.names
    heading = ", ".join(f"`{n}`" for n in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    if entry.statuses:
        rows = "".join(f"| `{name}` | {meaning} |\n" for name, meaning in entry.statuses)
        return f"## {heading}\n\n| status | what it means |\n|---|---|\n{rows}"
    declared = f"```c\n{entry.code}\n```\n\n" if entry.code else ""
    return f"## {heading}\n\n{declared}{paragraphs(entry.text)}\n"


def pages(header, sources):
    """Yields (file name, title, Markdown) for each section. `sources` are as for sections()."""
    for title, entries in sections(header, sources):
        heading = f"# {title.replace('_', ' ').capitalize()}\n\nDeclared by `<{header}>`.\n\n"
        name = re.sub(r"\W+", "-", f"{header.removesuffix('.h')}-{title}") + ".md"
        yield name, title, heading + "\n".join(map(markdown, entries))
