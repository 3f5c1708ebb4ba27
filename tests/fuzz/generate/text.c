/* SPDX-License-Identifier: MIT */
#include "generate.h"

#include <stdarg.h>

static uint64_t random_state;

void seed_random(unsigned long seed)
{
    random_state = seed * 0xd1342543de82ef95u; /* no multiple of the step in pick: streams must not overlap */
}

unsigned pick(unsigned n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ z >> 31) >> 33) % n;
}

bool chance(unsigned percent)
{
    return pick(100) < percent;
}

__attribute__((format(printf, 1, 2))) char *text(const char *format, ...)
{
    va_list args;
    char *result;
    va_start(args, format);
    if (vasprintf(&result, format, args) < 0)
        abort();
    va_end(args);
    return result;
}

static char *out;
static size_t out_length, out_capacity;
int indent;

__attribute__((format(printf, 1, 2))) void line(const char *format, ...)
{
    va_list args;
    char *string;
    va_start(args, format);
    if (vasprintf(&string, format, args) < 0)
        abort();
    va_end(args);
    size_t length = strlen(string), needed = out_length + length + 4 * (size_t)indent + 2;
    if (needed > out_capacity && !(out = realloc(out, out_capacity = 2 * needed)))
        abort();
    out_length += (size_t)sprintf(out + out_length, "%*s%s\n", *string && *string != '#' ? 4 * indent : 0, "", string);
    free(string);
}

int n_nodes;
static bool *drop;
static int drop_capacity;

void drop_node(int node)
{
    if (node >= drop_capacity) {
        drop = realloc(drop, (size_t)(node + 1) * sizeof *drop);
        memset(drop + drop_capacity, 0, (size_t)(node + 1 - drop_capacity) * sizeof *drop);
        drop_capacity = node + 1;
    }
    drop[node] = true;
}

static bool is_dropped(int node)
{
    return node < drop_capacity && drop[node];
}

char *node(char *full, const char *simple)
{
    return is_dropped(n_nodes++) ? text("%s", simple) : full;
}

struct mark begin_statement(void)
{
    return (struct mark){out_length, n_nodes++};
}

void end_statement(struct mark mark)
{
    if (is_dropped(mark.node))
        out_length = mark.length;
}

void write_lines(void)
{
    fwrite(out, 1, out_length, stdout);
}
