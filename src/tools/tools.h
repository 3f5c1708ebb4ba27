/* SPDX-License-Identifier: MIT
 *
 * The parts of the tool `amp`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Prints `length` bytes of text with quotes and escapes. */
void json_print(const char *text, size_t length);

/* Prints what accelerators there are. */
void info_print(bool is_json);

/* Tries what this machine can do, and prints it. Returns whether kernels can be compiled and run on `cpu`. */
bool doctor_print(bool is_json);
