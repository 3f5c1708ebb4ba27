#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands in for clang: preprocesses as $CLANG does, and compiles as $OTHER does.
case " $* " in
*" -E "*) exec $CLANG "$@" ;;
esac
exec $OTHER "$@"
