#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""man.py HEADERS LIBRARY PAGES: reports what is wrong with the manual pages in the folder PAGES.

Each function of the headers and of the library has one; pages lead to pages that exist, name what led there, and have
no warnings of groff."""
import os
import re
import subprocess
import sys

from api import public_names


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def exported(library):
    options = ["--dynamic", "--defined-only", "--format=just-symbols"]
    said = subprocess.check_output(["llvm-nm", *options, library], text=True)
    return {name for name in said.split() if re.match(r"amp_[a-z]", name)}


def faults_of(page, folder):
    """What is wrong with a page."""
    text, name = read(page), os.path.basename(page)[:-2]
    leads = re.fullmatch(r"\.so (man3/(\w+)\.3)\n", text)
    if leads:
        target = os.path.join(folder, leads[1])
        named = os.path.exists(target) and re.search(r"^\.SH NAME\n(.*) \\- .", read(target), re.M)
        if not named or name not in named[1].split(", "):
            yield f"{leads[1]} is not there, or does not name it"
        return
    for link, section in re.findall(r"^\.BR (?:\\%)?(amp\w*|libamp) \((\d)\)", text, re.M):
        if not os.path.exists(os.path.join(folder, f"man{section}", f"{link}.{section}")):
            yield f"there is no {link}({section})"
    if not re.search(r"^\.SH NAME\n.*\w \\- \S", text, re.M):
        yield "no NAME"
    if re.search(r"^\.SH DESCRIPTION\n(\.SH|\Z)", text, re.M) and "typedef" not in text:
        yield "no description"


def main():
    headers, library, folder = sys.argv[1:]
    names = public_names(headers) | exported(library)
    pages = [os.path.join(folder, section, page) for section in ("man1", "man3")
             for page in sorted(os.listdir(os.path.join(folder, section)))]
    wrong = [f"{name}: no page" for name in sorted(names) if os.path.join(folder, "man3", name + ".3") not in pages]
    for page in pages:
        wrong += [f"{os.path.basename(page)}: {fault}" for fault in faults_of(page, folder)]
    made = [page for page in pages if not read(page).startswith(".so ")]
    said = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", *made], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    wrong += said.stdout.splitlines()
    print("\n".join([*wrong, f"{len(names)} names, {len(pages)} pages, {len(wrong)} complaints"]))
    return bool(wrong) or len(names) < 200


sys.exit(main())
