# SPDX-License-Identifier: MIT
"""Judges ampcc's messages about a test that must be rejected: they must be about the rule, at the line."""
import os
import re

MESSAGE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): "
                     r"(?:fatal )?(?P<kind>error|warning|note): (?P<text>.*)")

# What our message says, by the number of Microsoft's. A word in brackets is the name of a rule of ours.
RULES = {
    "2039": "no member named",
    "2065": r"undeclared identifier|unknown type name|comes after the parameters of a function \[restriction\]",
    "2338": r"static assertion|no matching|no member|invalid operands|too (many|few)|\[\w[\w ,-]*\]",
    "3560": r"\[no body\]",
    "3409": r"before restrict\(|\[restriction\]",
    "3490": "const-qualified|const value|not assignable",
    "3561": r"barrier( needs a tile)?\]",
    "3574": r"\[tile|tile",
    "3581": r"\[(strict|wide types|stored pointer|captured pointer|virtual|volatile|variadic|pointer to pointer|"
            r"pointer cast|function pointer|call through a pointer|capture by reference)\]|elements cannot be",
    "3584": r"\[tile_static",
    "3585": r"\[writable static\]|not static or extern",
    "3586": r"\[writable (global|static)\]|not static or extern|address of a global",
    "3587": r"\[type information\]",
    "3588": r"\[pointer cast\]|cast from pointer",
    "3589": "strings|'char'|'wchar_t'",
    "3590": r"\[(capture|captured)",
    "3591": r"\[type information\]",
    "3592": r"\[inline assembly\]",
    "3593": r"\[goto\]",
    "3594": r"\[exception\]",
    "3595": r"has no '.*\[strict\]",
    "3596": r"\[(capture|captured|strict|pointer to pointer)",
    "3597": r"\[capture by value\]",
    "3598": r"\[goto\]",
    "3599": "pointers to bool",
    "3646": r"after restrict\(",
    "3892": "const-qualified|const value|not assignable",
    "3930": r"\[(host call|call from host|allocation|host library)\]|restrict\(",
    "3931": r"\[(host call|call from host)\]|restrict\(",
    "3933": r"\[(restriction|host call|call from host)\]|restrict\(",
    "3934": r"\[restriction\]",
    "3935": r"\[restriction\]|redefinition|cannot be redeclared|redeclaration",
    "3936": r"\[restriction\]",
    "3937": r"\[restriction\]",
    "3938": r"\[restriction\]|C linkage",
    "3939": r"functions.*\[strict\]|not to a variable or a pointer",
}
CALLS = ("3930", "3931", "3933")  # about calls, which clang may reject because of all candidates' restrictions
UNFIT = re.compile(r"not viable: (it is (not restrict\(amp\)|restrict\(amp\) alone)|what it would call has different)")
# Other numbers are of errors of C++, which clang words its own way. These mean that something is missing here.
MISSING = re.compile("file not found|unknown type name|undeclared identifier|no member named|no template named")
CAPTURE = re.compile(r"\[(capture by reference|capture by value|captured pointer)\]")
TYPE = re.compile(r"^C\+\+ AMP has no '|^C\+\+ AMP's classes|^the members of C\+\+ AMP's classes")


def groups_of(output):
    """The messages, each error with the notes around it, as lists of matches; the error comes first."""
    groups, included = [], []
    for match in map(MESSAGE.match, output.splitlines()):
        if match and match["kind"] == "error":
            groups.append([match])
        elif match and match["kind"] == "note" and groups:
            groups[-1].append(match)
    return groups


def is_about(group, codes):
    """Whether an error, with its notes, is about a rule with one of these numbers."""
    text = group[0]["text"]
    for code in codes:
        if code in RULES and re.search(RULES[code], text):
            return True
        if code in CALLS and any(UNFIT.search(note["text"]) for note in group[1:]):
            return True
        if code not in RULES and code.startswith(("2", "4")) and not MISSING.search(text):
            return True
    return not codes and not MISSING.search(text)


def body_of_lambda(lines, line, column):
    """The lines where the body of the lambda begins and ends that begins at a place. There Microsoft's compiler says
    what is wrong with its captures, in a template at the beginning."""
    text = "\n".join(lines[line - 1:])
    depth, found = 0, set()
    for at in range(column - 1, len(text) if text[column - 1:column] == "[" else 0):
        if depth == 0 and text[at] == "{":
            found.add(line + text[:at].count("\n"))
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0 and text[at] == "}":
            return found | {line + text[:at].count("\n")}
    return set()


def body_of_function(lines, line, column):
    """The line where the body begins of the function whose parameter is at a place. Microsoft's compiler says there
    what is wrong with the parameter's type."""
    text = "\n".join(lines[line - 1:])
    depth = 0
    for at in range(column - 1, len(text)):
        depth += (text[at] in "([") - (text[at] in ")]")
        if depth < -1 or text[at] in ";{}":
            return {line + text[:at].count("\n")} if depth == -1 and text[at] == "{" else set()
    return set()


def lines_of(group, source):
    """The lines of the test that an error and its notes name."""
    with open(source, errors="replace") as file:
        lines = file.read().split("\n")
    own = [m for m in group if os.path.samefile(m["file"], source)]
    found = {int(m["line"]) for m in own}
    for m in own:
        of = body_of_lambda if CAPTURE.search(m["text"]) else body_of_function if TYPE.search(m["text"]) else None
        found |= of(lines, int(m["line"]), int(m["column"])) if of else set()
    return found


def is_met(expectation, groups, source):
    line, codes = expectation
    for group in groups:
        lines = lines_of(group, source)
        if (line in lines or (line is None and lines)) and is_about(group, codes):
            return True
    return False


def reason_against(expected, output, source):
    """Why the messages are not those that a negative test expects; None if they are."""
    groups = [[m for m in group if os.path.exists(m["file"])] for group in groups_of(output)]
    groups = [group for group in groups if group]
    missed = [(line, codes) for line, codes in expected if not is_met((line, codes), groups, source)]
    if not missed:
        return None
    line, codes = missed[0]
    where = f"line {line}" if line else "any line"
    rule = " or ".join("C" + code for code in sorted(codes)) or "an error"
    texts = [f"{m['line']}: {m['text']}" for m in (group[0] for group in groups)]
    return f"{len(missed)} of {len(expected)} messages do not come, the first is {rule} at {where}" + (
        f"; what comes is {texts[0]}" if texts else "")
