#!/bin/sh
# SPDX-License-Identifier: MIT
# try-options.sh AMPCC PROGRAM: compiles and runs PROGRAM under the options of each line that is read, for one processor
# and one GPU. A line "OPTIONS => MESSAGE" must be rejected with that error.
failed=0
while IFS= read -r line; do
    options=${line%% => *} message=
    case $line in
    '' | '#'*) continue ;;
    *' => '*) message=${line#* => } ;;
    esac
    rm -f prog
    # The options are words.
    # shellcheck disable=SC2086
    "$1" --amp-cpu=x86-64-v3 $options "$2" -o prog -lm 2>errors
    status=$?
    if [ -n "$message" ]; then
        if [ $status = 1 ] && grep -qF -e "$message" errors; then
            echo "rejected    $options"
            continue
        fi
    elif [ $status = 0 ] && [ "$(./prog 2>>errors | tail -n 1)" = "0 different, AMP_OK" ]; then
        echo "right       $options"
        continue
    fi
    echo "fails       $options: status $status"
    head -n 5 errors
    failed=$((failed + 1))
done
echo "$failed failed"
