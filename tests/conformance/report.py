# SPDX-License-Identifier: MIT
"""Writes docs/conformance.md from the results, and says in a line why a test has failed."""
import collections
import re

import messages

HEAD = """# The official conformance suite of C++ AMP

[C++ AMP](cpp-amp.md) has an official conformance suite, by Microsoft. It is no part of this project; the folder
`amp-conformance` of the repository RadeonOpenCompute/hcc on GitHub has it, in commit a63b5011 as it was released
(version 1.2.1). Later commits change tests, some of which then cannot pass: the next one makes some fail instead of
running them. The command

    make conformance SUITE=.../amp-conformance

runs it on the accelerator `cpu` and writes this page; `S=3` runs section 3 alone. A test passes if it compiles, links
and ends with status 0, each time if it is to be compiled in several ways. A negative test must be rejected by messages
about its rule, at all lines that it names, with `--amp-strict`; it also fails if another error comes instead. What is
wrong with a lambda's captures is expected where its body begins or ends, and with a parameter's type where the
function's body begins.

Everything is compiled with `-std=c++14`, because it uses exception specifications, and with `-include` for
[microsoft.h](../tests/conformance/microsoft.h), which has what the suite takes for granted: <amp.h> itself, because
`restrict` is a word of Microsoft's compiler, as `__int32` is, and what its <amp.h> includes. A test that skips itself
there, because it needs several accelerators, runs again beside two GPUs that are
[stand-ins](runtime.md#tests-and-sanitizers): the runtime's code for GPUs, on a driver that computes on the host. What
has not been run counts as not passed.
"""

WANTS_COPY = "it wants memory unchanged by kernels until it is synchronised; `cpu` computes in that memory"

# Why some tests cannot pass, by the end of their names; the others tell it by what happens.
KNOWN = {
    "Lite/Negative/out_of_range.01": "the first of its numbers is in the range of float",
    "2_1_1_Func_Decl_Synt/Simple/Test.02": "C++ forbids several names beside a trailing return type",
    "2_1_3_Type_Spec/Typedef/Test.01": "C++14 forbids exception specifications in a typedef",
    "Continuation/Misc/Test.01": "to_task is of Microsoft's Parallel Patterns Library",
    "5_2_3_m/WithoutDataSource/Test.02": "to_task is of Microsoft's Parallel Patterns Library",
    "ImplicitSynchronize/Discard/Test.02": WANTS_COPY,
    "ImplicitSynchronize/OverlappingSynchronize/Test.04": WANTS_COPY,
    "MultiAccelerator/ArrayViewToNonContigArrayView": "it gives one accelerator the access that the other one offers",
    "WithoutDataSource/AssgnOps/Test.01": "a kernel that is 'mutable' is rejected here, as the specification says",
    "WithoutDataSource/copy_to/Test.02": "it compares elements that were never written with a copy of them",
    "conversion_operator/multiple_restrictions_non_class.01":
        "conversions for one side alone do not choose between the operators of numbers",
    "decltype_specifier/evaluation_context.01": "in decltype clang chooses overloads without regard to the side",
    "decltype_specifier/expression.01": "in decltype clang chooses overloads without regard to the side",
    "decltype_specifier/location.01": "in decltype clang chooses overloads without regard to the side",
    "Special_member_functions/defaulted_smf_execution.02":
        "a class gets no constructor by itself whose member has one for each side",
    "typedef_specifier/TypeSpecifier.03": "a function that is declared by the name of a type has no restrictions here",
}

KINDS = ("run", "negative", "compile")


def first_error(output):
    match = next((m for m in map(messages.MESSAGE.match, output.splitlines()) if m and m["kind"] == "error"), None)
    if match:
        return f"{match['file'].rsplit('/', 1)[-1]}:{match['line']}: {match['text']}"
    lines = [line for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line or "undefined" in line]
    return (telling + lines[-1:] + ["no message"])[0]


def first_failure(status, output):
    if status is None:
        return "it takes too long"
    thrown = re.search(r"unhandled \S* ?exception.*?: (.*)", output)
    ends = f"it ends with status {status}" if status > 0 else f"signal {-status} ends it"
    return ends + (f": {thrown[1]}" if thrown else "")


def reason_of(name, result):
    known = [reason for end, reason in KNOWN.items() if name.endswith(end)]
    return (known + [result["reason"]])[0]


def rows_of(tests, results):
    for section in sorted(results):
        own = [test for test in tests if test.section == section]
        done = results[section]
        row = [section]
        for kind in KINDS:
            of_kind = [test.name for test in own if test.kind == kind]
            passed = sum(name in done and not done[name]["reason"] for name in of_kind)
            row.append(f"{passed} of {len(of_kind)}" if of_kind else "-")
        passed = sum(test.name in done and not done[test.name]["reason"] for test in own)
        yield row, passed, len(own), sum(test.name not in done for test in own)


def parts_of(tests, results):
    """Yields each part of a section, and how many of its tests pass."""
    passed, count = collections.Counter(), collections.Counter()
    for test in tests:
        part = "/".join(test.name.split("/")[:2])
        result = results.get(test.section, {}).get(test.name)
        count[part] += 1
        passed[part] += bool(result and not result["reason"])
    for part in sorted(count):
        yield part, passed[part], count[part]


def text_of(tests, results):
    lines = [HEAD]
    lines += ["| section | run | negative | compile | all | not run |", "|---|--:|--:|--:|--:|--:|"]
    total = count = missing = 0
    for row, passed, n, left in rows_of(tests, results):
        lines.append(f"| {' | '.join(row)} | {passed} of {n} | {left} |")
        total, count, missing = total + passed, count + n, missing + left
    lines.append(f"| all | | | | **{total} of {count}** | {missing} |")
    lines += ["", "| part | pass |", "|---|--:|"]
    lines += [f"| {part} | {passed} of {n} |" for part, passed, n in parts_of(tests, results)]
    lines += ["", "## Failures", "", "| test | reason |", "|---|---|"]
    for section in sorted(results):
        for name, result in sorted(results[section].items()):
            if result["reason"]:
                reason = reason_of(name, result).replace("|", "\\|").replace("<", "&lt;")
                lines.append(f"| {name} | {reason[:200]} |")
    return "\n".join(lines) + "\n"
