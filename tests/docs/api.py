#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""api.py HEADERS PAGES: reports public functions, macros with parameters and types of the headers without an entry."""
import os
import re
import sys

PUBLIC = re.compile(r"^(?:AMP__INLINE )?(?!typedef|static|#|//)\w[\w ]*[ *]+(amp_(?!_)\w+)\(|"
                    r"^#define (amp_(?!_)\w+)\(|^\} (amp_(?!_)\w+);", re.M)


def public_names(headers):
    names = set()
    for name in ("amp.h", "amp_index.h", "amp_math.h", "amp_algorithms.h"):
        with open(os.path.join(headers, name)) as file:
            names |= {next(filter(None, m)) for m in PUBLIC.findall(file.read())}
    return names


def main():
    headers, pages = sys.argv[1:]
    text = ""
    for name in os.listdir(pages):
        with open(os.path.join(pages, name)) as file:
            text += file.read()
    names = public_names(headers)
    missing = sorted(name for name in names if not re.search(rf"\b{name}\b", text))
    print("no entry:", ", ".join(missing) or "none", f"of {len(names)}")
    return bool(missing) or not names


if __name__ == "__main__":
    sys.exit(main())
