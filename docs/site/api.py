# SPDX-License-Identifier: MIT
"""Pages of Markdown from the comments of a header: one for each of its sections.

A section begins with a line such as "/* ---- errors ---- */". In it, a comment and the declarations below it, up to a
blank line, are one entry, whose heading names what it declares. Names with two underscores are private."""
import re

SECTION = re.compile(r"^/\* -{3,} (.+?) -{3,} \*/$", re.M)
NAME = re.compile(r"\b(amp_(?!_)\w+)(?=\()|\b(amp_(?!_)\w+)(?=;$)|^typedef (?:enum|struct) (amp_(?!_)\w+)", re.M)


def without_bodies(code):
    """Declarations as a caller sees them: macros without what they expand to, functions without bodies."""
    code = re.sub(r"/\*.*?\*/", lambda m: m[0] if "\n" not in m[0] else "", code, flags=re.S)
    code = re.sub(r"\\\n", " ", code)
    code = re.sub(r"^#define (amp_(?!_)\w+\([^)]*\)).*$", r"\1;", code, flags=re.M)
    code = re.sub(r"^#.*\n?", "", code, flags=re.M)
    code = re.sub(r"\n\{\n.*?^\}", ";", code, flags=re.M | re.S)
    code = re.sub(r"\bAMP__INLINE |\s*__attribute__\(\(.*?\)\)(?=;)", "", code, flags=re.S)
    code = re.sub(r"\s+AMP__\w+(?:\([^()]*\))?(?=\s*(?:;|AMP__))", "", code)  # attributes
    entries = re.findall(r"^typedef (?:enum|struct)[^;{]*\{.*?\} \w+;|^\S.*?;[^\n]*$", code, re.M | re.S)
    return "\n".join(e for e in entries if not re.search(r"\b(amp|AMP)__\w+", e) and not e.startswith(("extern", "}")))


def inline(line):
    """Text as Markdown, with the library's names as code."""
    parts = re.split(r"((?<![\w`])(?:amp|AMP)_\w*\w(?: \*|\([\w., *]*\))?)", line)
    def escape(m):
        return m[1] or "\\" + m[2]
    return "".join(f"`{part}`" if i % 2 else re.sub(r"(\*\w+\*)|([<>*])", escape, part) for i, part in enumerate(parts))


def paragraphs(text):
    """A comment as Markdown. A word with two spaces after it begins a definition; else indented lines are code."""
    out, code, is_definition = [], [], False
    for line in text.split("\n") + [" "]:
        if not is_definition and (line.startswith("    ") or code and not line):
            code.append(line[4:])
            continue
        if code:
            out += ["", "```c", *"\n".join(code).rstrip().split("\n"), "```", ""]
            code = []
        heading = out and re.match(r"(\w+)\s{2,}(.*)|(Returns|Threads|Waits|Holds|Cost)\s(.*)", line)
        is_definition = bool(heading) or is_definition and line.startswith(" ")
        if heading:
            out += ["", f"**{heading[1] or heading[3]}**: {inline(heading[2] or heading[4])}"]
        else:
            out.append(inline(line.strip()))
    return "\n".join(out).strip()


def entry(block):
    """(names, Markdown) of a block; no names: nothing public is in it."""
    comment = re.match(r"/\* ?(.*?)\*/\n?", block, re.S)
    code = without_bodies(block[comment.end():] if comment else block)
    names = list(dict.fromkeys(next(filter(None, m)) for m in NAME.findall(code)))
    text = re.sub(r"^ \* ?", "", comment[1], flags=re.M).strip() if comment else ""
    statuses = re.findall(r'\bX\((AMP_\w+), *"(.*?)"\)', block)
    if statuses:
        rows = "".join(f"| `{name}` | {meaning} |\n" for name, meaning in statuses)
        return ["amp_status"], f"## `amp_status`\n\n| status | what it means |\n|---|---|\n{rows}"
    if not names and not re.search(r"^\s+\w.*\bamp_\w+\(", text, re.M):
        return [], ""
    heading = ", ".join(f"`{n}`" for n in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    if not names:  # declared in words, as macros of many forms are
        names = re.findall(r"\b(amp_\w+)\(", text)
        heading = f"`{names[0]}`"
    declared = f"```c\n{code}\n```\n\n" if code else ""
    return names, f"## {heading}\n\n{declared}{paragraphs(text)}\n"


def pages(header, sources):
    """Yields (file name, title, Markdown) for each section. `sources` are texts by file name, which it may include."""
    text = sources[header]
    starts = list(SECTION.finditer(text))
    for start, end in zip(starts, starts[1:] + [None]):
        body = text[start.end():end.start() if end else len(text)]
        for included in re.findall(r'^#include "(\w+\.h)"', body, re.M):
            body += "\n\n" + sources[included].split("#define", 1)[1]
        body = re.sub(r"^#ifdef __cplusplus\n.*?^#(else|endif).*?\n", "", body, flags=re.M | re.S)
        entries = [markdown for names, markdown in map(entry, re.split(r"\n\s*\n", body)) if names]
        if entries:
            title = start[1].removeprefix("the ")
            heading = f"# {title.replace('_', ' ').capitalize()}\n\nDeclared by `<{header}>`.\n\n"
            name = re.sub(r"\W+", "-", f"{header.removesuffix('.h')}-{title}") + ".md"
            yield name, title, heading + "\n".join(entries)
