#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the findings in a file of AMP_CHECK_REPORT, which must be JSON in UTF-8, a field a line."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    findings = json.load(file)
print("%d findings" % len(findings))
for finding in findings:
    for key in sorted(finding):
        print("%s: %s" % (key, json.dumps(finding[key])))
