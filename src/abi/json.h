/* SPDX-License-Identifier: MIT
 *
 * How ampcc and libamp write text in JSON. Names of files may have any bytes. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* The bytes of the UTF-8 character that `text` begins with; 0 if there is none. */
static inline size_t json_character_bytes(const unsigned char *text)
{
    size_t n = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : *text < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool is_overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool is_none = (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f);
    return is_overlong || is_none ? 0 : n;
}

enum { JSON_CHARACTER = 8 };

/* Writes the first character of `text` as it stands between quotes in JSON. Returns how many bytes of `text` it has. */
static inline size_t json_character(const char *text, char escaped[JSON_CHARACTER])
{
    unsigned char c = (unsigned char)*text;
    size_t n = json_character_bytes((const unsigned char *)text);
    if (n == 0)
        snprintf(escaped, JSON_CHARACTER, "\\ufffd");
    else if (c == '"' || c == '\\')
        snprintf(escaped, JSON_CHARACTER, "\\%c", c);
    else if (c < ' ' || c == 0x7f)
        snprintf(escaped, JSON_CHARACTER, "\\u%04x", (unsigned)c);
    else
        snprintf(escaped, JSON_CHARACTER, "%.*s", (int)n, text);
    return n ? n : 1;
}
