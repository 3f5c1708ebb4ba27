#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands in for clang: reads options and preprocesses as $CLANG does, and compiles as $OTHER does.
case " $* " in
*" -E "* | *" -### "*) exec $CLANG "$@" ;;
esac
exec $OTHER "$@"
