#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands in for clang, which CLANG names, and takes its time with the host's code only.
case " $* " in
    *" -x ir "*) exec ./slow.sh ;;
    *) exec "$CLANG" "$@" ;;
esac
