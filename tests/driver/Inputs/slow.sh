#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands in for clang or a linker: says that it runs, takes its time, and writes a result that nobody awaits any more.
echo > started
sleep 1 &
wait
echo > late
