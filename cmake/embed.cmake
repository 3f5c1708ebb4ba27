# SPDX-License-Identifier: MIT
# Writes the declarations of a header, without comments and directives, as a C string:
#     cmake -DIN=descriptor.h -DOUT=descriptor_text.h -DNAME=descriptor_text -P embed.cmake
cmake_minimum_required(VERSION 3.25)
file(READ ${IN} text)
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
string(REGEX REPLACE "(^|\n)[ \t]*#[^\n]*" "\\1" text "${text}")
string(REGEX REPLACE "[ \t]+\n" "\n" text "${text}")
string(REGEX REPLACE "\n\n+" "\n" text "${text}")
string(REGEX REPLACE "^\n" "" text "${text}")
string(REGEX REPLACE "([\\\"])" "\\\\\\1" text "${text}")
string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
file(CONFIGURE OUTPUT ${OUT} CONTENT "/* Generated from @IN@ by embed.cmake. */
static const char @NAME@[] =
    \"@text@\";
" @ONLY)
