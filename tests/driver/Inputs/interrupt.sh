#!/bin/sh
# SPDX-License-Identifier: MIT
# interrupt.sh SIGNAL COMMAND...: runs the command until slow.sh runs below it, then sends it the signal. Prints the
# signal that ended the command, and any files that it should not have left.
signal=$1
shift
rm -rf started late tmp && mkdir tmp
TMPDIR=$PWD/tmp "$@" &
while test ! -e started; do sleep 0.05; done
kill -"$signal" $!
wait $! 2> /dev/null
status=$?
sleep 1.5
echo "ended by $(kill -l $status)"
ls -d late out* tmp/* 2> /dev/null
true
