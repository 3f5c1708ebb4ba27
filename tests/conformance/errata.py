# SPDX-License-Identifier: MIT
"""What is wrong with tests of the suite, as far as the specification and their own text tell, and how they would read
without it. A test that fails runs again corrected; it is listed, and not counted as passed."""
import dataclasses
import os

import suite


@dataclasses.dataclass(frozen=True)
class Erratum:
    mistake: str
    correction: str
    texts: tuple  # pairs: what stands there, once, and what should


LEFT_OUT = ("#if 0", "#if 1")
ERRATA = {  # by the end of the test's name
    "4_1_2_c/Negative/UnmatchedCoordinates.1": Erratum(
        "its message is expected in line 16; what is wrong is in line 21", "line 21",
        ((r"test.cpp\(16\)", r"test.cpp\(21\)"),)),
    "7_para_for_each/ComputeDomain/ComputeDomain.01": Erratum(
        "this copy leaves out the extents of rank 128 by `#if 0`, and fails instead", "`#if 1`", (LEFT_OUT,)),
    "8_1_1_Corr_usag_of_tile_barr/Negative/Test.06": Erratum(
        "it expects a message in line 20 about line 21, and one in line 19, where nothing is wrong; its "
        "`std::result_of` is not the standard's",
        "line 21, without the message in line 19, and the standard's `std::result_of`",
        ((r"//#Expects: Error: \(19\) : .+ C2512", ""), (r"\(20\) : .+ C3930", r"\(21\) : .+ C3930"),
         ("result_of<decltype(&foo), tiled_index<1>>", "result_of<decltype(&foo)(tiled_index<1>)>"))),
    "5_1_2_c/Extent_Acclvw/General/Test.03": Erratum(
        "this copy leaves out what it tests by `#if 0`, and fails instead", "`#if 1`, and no failure",
        (LEFT_OUT, ("runall_result result = false;", "runall_result result;"))),
    "Extent_Accl_Staging/General/Test.01": Erratum(
        "it calls `Log_writeline()`, which the suite's library does not have", "`Log_writeline(LogType::Info)`",
        (("Log_writeline();", "Log_writeline(LogType::Info);"),)),
}


def erratum_of(name):
    return next((erratum for end, erratum in ERRATA.items() if name.endswith(end)), None)


def corrected(test, erratum, where):
    """The test with its text corrected, in a folder."""
    with open(test.source, errors="replace") as file:
        text = file.read()
    for old, new in erratum.texts:
        if text.count(old) != 1:
            raise ValueError(f"{test.name}: {old!r} stands there {text.count(old)} times, and not once")
        text = text.replace(old, new)
    path = os.path.join(where, "test.cpp")
    with open(path, "w") as file:
        file.write(text)
    beside = ("-iquote", os.path.dirname(test.source))
    macros = tuple(options + beside for options in test.macros)
    return dataclasses.replace(test, source=path, macros=macros, expected=suite.expected_of(text))
