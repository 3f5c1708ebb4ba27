# SPDX-License-Identifier: MIT
"""Judges ampcc's messages about a test that must be rejected: they must be about the rule, at the line."""
import os
import re

MESSAGE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?:fatal )?(?P<kind>error|warning|note): (?P<text>.*)")

# What our message says, by the number of Microsoft's. A word in brackets is the name of a rule of ours.
RULES = {
    "2039": "no member named",
    "2065": "undeclared identifier|unknown type name",
    "2338": r"static assertion|no matching|no member|invalid operands|too (many|few)|\[\w[\w ,-]*\]",
    "3560": r"\[no body\]",
    "3561": r"\[barrier",
    "3574": r"\[tile|tile",
    "3581": r"\[(strict|wide types|stored pointer|captured pointer|virtual|volatile|variadic|pointer to pointer|"
            r"pointer cast|function pointer|call through a pointer)\]",
    "3584": r"\[tile_static",
    "3585": r"\[writable static\]|not static or extern",
    "3586": r"\[writable (global|static)\]|not static or extern",
    "3587": r"\[type information\]",
    "3588": r"\[pointer cast\]",
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
    "3930": r"\[(host call|call from host)\]|restrict\(",
    "3931": r"\[(host call|call from host)\]|restrict\(",
    "3933": r"\[(restriction|host call|call from host)\]|restrict\(",
    "3934": r"\[restriction\]",
    "3935": r"\[restriction\]|redefinition|cannot be redeclared|redeclaration",
    "3936": r"\[restriction\]",
    "3937": r"\[restriction\]",
    "3938": r"\[restriction\]|C linkage",
    "3939": r"functions.*\[strict\]|not to a variable or a pointer",
}
# Other numbers are of errors of C++, which clang words its own way. These mean that something is missing here.
MISSING = re.compile("file not found|unknown type name|undeclared identifier|no member named|no template named")


def groups_of(output):
    """The messages, each error with the notes around it, as lists of matches; the error comes first."""
    groups, included = [], []
    for match in map(MESSAGE.match, output.splitlines()):
        if match and match["kind"] == "error":
            groups.append([match])
        elif match and match["kind"] == "note" and groups:
            groups[-1].append(match)
    return groups


def is_about(text, codes):
    """Whether a message is about a rule with one of these numbers."""
    for code in codes:
        if code in RULES and re.search(RULES[code], text):
            return True
        if code not in RULES and code.startswith(("2", "4")) and not MISSING.search(text):
            return True
    return not codes and not MISSING.search(text)


def is_met(expectation, groups, source):
    line, codes = expectation
    for group in groups:
        places = [m for m in group if os.path.samefile(m["file"], source)] if group else []
        if any(line is None or int(m["line"]) == line for m in places) and is_about(group[0]["text"], codes):
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
