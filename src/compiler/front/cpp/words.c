/* SPDX-License-Identifier: MIT
 *
 * Says in our words what clang says in those of the mode that it is in: sentences that name the mode's attributes. */
#include "front/cpp/cpp.h"

#include <string.h>

/* Sentences of clang, in which a * stands for anything, and ours, in which $1 is what the first * stood for. */
static const struct {
    const char *clang, *ours;
} sentences[] = {
    {"reference to __host__ function '*' in __device__ function",
     "'$1' is called in code for accelerators, but is not restrict(amp); mark it restrict(amp) or restrict(cpu, amp) "
     "[host call]"},
    {"reference to __host__ function '*' in __host__ __device__ function",
     "'$1' is called in code that is restrict(cpu, amp), but is not restrict(amp); mark it restrict(cpu, amp) [host "
     "call]"},
    {"reference to __device__ function '*' in __host__ function",
     "'$1' is restrict(amp), and code for the host cannot call it; mark it restrict(cpu, amp) [call from host]"},
    {"reference to __device__ function '*' in __host__ __device__ function",
     "'$1' is restrict(amp), and code that is restrict(cpu, amp) cannot call it; mark it restrict(cpu, amp) "
     "[call from host]"},
    {"cannot use 'throw' in __* function", "code for accelerators cannot throw exceptions [exception]"},
    {"cannot use 'try' in __* function", "code for accelerators cannot catch exceptions [exception]"},
    {"not viable: call to __host__ function from __* function", "not viable: it is not restrict(amp)"},
    {"not viable: call to __device__ function from __* function", "not viable: it is restrict(amp) alone"},
    {"not viable: call to invalid function from __* function",
     "not viable: what it would call has different restrictions"},
    {"implicit * inferred target collision: call to both __* members",
     "the implicit $1 would call functions that are restrict(cpu) and functions that are restrict(amp)"},
    {"reference to __host__ variable 'cout' in __* function",
     "code for accelerators cannot use 'cout'; direct3d_printf can be called instead [writable global]"},
    {"reference to __host__ variable '*' in __* function",
     "global variable '$1' cannot be used in restrict(amp) code; pass its value [writable global]"},
    {"host variable declared here", "declared here"},
    {"const variable cannot be emitted on device side due to dynamic initialization",
     "its value is only known when the program runs"},
    {"CUDA device code does not support variadic functions",
     "code for accelerators has no functions with a variable number of arguments [variadic]"},
    {"within a __* function, only __shared__ variables or const variables without device memory qualifier may be "
     "marked 'static'",
     "in code for accelerators, only a tile_static variable or a constant may be static [writable static]"},
    {"initialization is not supported for __shared__ variables",
     "a tile_static variable has no initialiser; assign to it, then wait at a barrier [tile_static initialiser]"},
    {"__device__ function '*' cannot overload __host__ __device__ function '*'",
     "'$1' is declared with other restrictions before; overloads by restriction cannot overlap [restriction]"},
    {"__host__ __device__ function '*' cannot overload __host__ function '*'",
     "'$1' is declared with other restrictions before; overloads by restriction cannot overlap [restriction]"},
    {"__host__ __device__ function '*' cannot overload __device__ function '*'",
     "'$1' is declared with other restrictions before; overloads by restriction cannot overlap [restriction]"},
    {"__host__ function '*' cannot overload __host__ __device__ function '*'",
     "'$1' is declared with other restrictions before; overloads by restriction cannot overlap [restriction]"},
    {"__constant__, __device__, and __managed__ are not allowed on non-static local variables",
     "restrict(...) belongs to a function, and not to a variable or a pointer [restriction]"},
    {"calling a private constructor of class 'Concurrency::tiled_index<*>'",
     "'tiled_index<$1>' has no default constructor; parallel_for_each gives one to the kernel"},
    {"generated when compiling for host.", "generated."},
    {"generated when compiling for x86-64.", "generated."},
    {"CUDA/HIP only supports '*'", "'$1' is not possible here"},
};

/* Returns where the first `length` characters of `part` stand between `at` and `end`; NULL if they do not. */
static const char *find(const char *at, const char *end, const char *part, size_t length)
{
    for (; at + length <= end; at++)
        if (!strncmp(at, part, length))
            return at;
    return NULL;
}

/* Matches `text` with a pattern, and notes where the part for the first * begins and ends. Returns the length of the
 * match; 0 if there is none. */
static size_t match(const char *text, const char *pattern, const char **begin, const char **end)
{
    const char *at = text, *line_end = text + strcspn(text, "\n");
    for (int n_stars = 0;; n_stars++) {
        size_t length = strcspn(pattern, "*");
        const char *found = find(at, n_stars ? line_end : at + length, pattern, length);
        if (!found)
            return 0;
        if (n_stars == 1) {
            *begin = at;
            *end = found;
        }
        at = found + length;
        pattern += length;
        if (!*pattern++)
            return (size_t)(at - text);
    }
}

/* Adds a sentence of ours for clang's at `text`. Returns the length of clang's; 0 if it is none that changes. */
static size_t add_ours(struct text *to, const char *text)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        const char *begin = NULL, *end = NULL;
        size_t length = match(text, sentences[i].clang, &begin, &end);
        if (!length)
            continue;
        const char *ours = sentences[i].ours, *dollar = strstr(ours, "$1");
        if (dollar && begin)
            text_add(to, "%.*s%.*s%s", (int)(dollar - ours), ours, (int)(end - begin), begin, dollar + 2);
        else
            text_add(to, "%s", ours);
        return length;
    }
    return 0;
}

const char *cpp_add_in_our_words(struct text *to, const char *at)
{
    bool may_begin = true; /* a sentence: after "error: ", or a colour */
    while (*at && *at != '\n') {
        size_t length = may_begin ? add_ours(to, at) : 0;
        if (!length)
            text_add_bytes(to, at, length = 1);
        at += length;
        may_begin = at[-1] == ' ' || at[-1] == 'm';
    }
    if (*at)
        text_add_bytes(to, at++, 1);
    return at;
}

const char *cpp_in_our_words(const char *sentence)
{
    struct text text = {0};
    cpp_add_in_our_words(&text, sentence);
    return text.chars ? text.chars : "";
}
