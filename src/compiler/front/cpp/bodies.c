/* SPDX-License-Identifier: MIT
 *
 * Removes what code for devices need not read: the bodies of the standard library's functions, a third of a small
 * program's compilation for devices. Kernels can call only those that are constexpr, which are left as they are.
 *
 *     int f(int i) noexcept { ... }                        int f(int i) noexcept ;
 *     list(int n) : size(n) { ... }                        list(int n) ;
 *     template <typename T> void list<T>::add() { ... }
 *
 * Only what is clearly a function's definition is changed. If that was wrong, the text does not compile, and source.c
 * takes all of it; the same if code for devices needs one of the functions, which clang takes for the host's.
 *
 * A body may be all that makes an instance of a template of the program, as of a member of a vector's elements. If the
 * template launches a kernel, only the host would have that kernel; so nothing is removed from a program with a launch
 * in a template. */
#include "front/cpp/edits.h"

/* ---- launches in templates ---- */

/* Whether the `auto` at token `i`, which is between parentheses, is a parameter's type, and not a loop's variable's. */
static bool is_parameter(const struct source *s, int i)
{
    int open = i - 1;
    while (is_one_of(s, open, "const volatile"))
        open--;
    return !is(s, open, "(") || !is_one_of(s, open - 1, "for if while switch");
}

/* Looks for launches in templates of the program, from token `i` to the end of a scope, which is itself in a template
 * if `is_inside`. Returns the token that closes it. */
static int find_launch(const struct source *s, int i, bool is_inside, bool *found)
{
    bool is_template = false; /* so far, what is declared */
    int depth = 0;            /* of parentheses and square brackets */
    for (; i < s->n && !*found; i++) {
        char c = s->chars[s->tokens[i].begin];
        if (c == '}')
            break;
        bool is_of_program = s->tokens[i].origin == ORIGIN_PROGRAM || s->tokens[i].origin == ORIGIN_SYSTEM;
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (c == ';' && depth == 0) {
            is_template = false;
        } else if (c == '{') {
            i = find_launch(s, i + 1, is_inside || is_template, found);
            is_template = is_template && (depth > 0 || is_one_of(s, i + 1, ", { ( ) > ; :"));
        } else if (is_of_program && is_letter(c)) {
            is_template = is_template || (is(s, i, "template") && is(s, i + 1, "<")) ||
                          (depth > 0 && is(s, i, "auto") && is_parameter(s, i));
            *found =
                is_one_of(s, i, "requires concept") || ((is_inside || is_template) && is(s, i, "parallel_for_each"));
        }
    }
    return i;
}

static bool has_launch_in_template(const struct source *s)
{
    bool found = false;
    for (int i = 0; i < s->n && !found; i++)
        i = find_launch(s, i, false, &found);
    return found;
}

/* ---- bodies ---- */

/* What is known of a declaration up to some token. */
struct declaration {
    int begin, name;
    int parameters, initialisers; /* where they begin; -1: there are none so far */
    bool is_kept;                 /* it is no function whose body can be removed */
    bool is_namespace, is_class;
};

/* Returns the token after the template's parameters or arguments that open at token `i`; -1 if that is not clear. */
static int skip_angles(const struct source *s, int i)
{
    int depth = 0;
    for (; i >= 0 && i < s->n && !is_one_of(s, i, "; }"); i++) {
        depth += is(s, i, "<") - is(s, i, ">");
        if (depth == 0)
            return i + 1;
        if (is_one_of(s, i, "( [ {"))
            i = match(s, i, 1);
        if (i < 0)
            break;
    }
    return -1;
}

/* Removes the tokens from `first` to `last`, but no lines. */
static void remove_tokens(struct source *s, int first, int last, const char *instead)
{
    unsigned begin = s->tokens[first].begin, end = s->tokens[last].end;
    struct text text = {0};
    text_add(&text, "%s", instead);
    for (const char *at = s->chars + begin; (at = memchr(at, '\n', (size_t)(s->chars + end - at))); at++)
        text_add_bytes(&text, at, at[1] == '#' ? 1 + strcspn(at + 1, "\n") : 1);
    edits_add(s, begin, end, text.chars);
}

/* Removes the body between the tokens `open` and `close`; a member that is defined outside of its class disappears. */
static void remove_body(struct source *s, const struct declaration *d, int open, int close)
{
    int before = d->name - 1;
    if (is(s, before, "~"))
        before--;
    bool is_declared = is(s, before, "::") && before > d->begin &&
                       (is(s, before - 1, ">") || is_letter(s->chars[s->tokens[before - 1].begin]));
    if (is_declared)
        remove_tokens(s, d->begin, close, "");
    else
        remove_tokens(s, d->initialisers >= 0 ? d->initialisers : open, close, ";");
}

/* Whether the brace at token `i` begins the body of a function, and not a member's initialiser. */
static bool begins_body(const struct source *s, const struct declaration *d, int i)
{
    if (d->parameters < 0)
        return false;
    if (d->initialisers >= 0)
        return is_one_of(s, i - 1, ") }");
    return is_one_of(s, i - 1, ") const volatile & noexcept override final");
}

/* Reads the word at token `i` of a declaration. Returns the next token. */
static int read_word(const struct source *s, struct declaration *d, int i)
{
    static const char kept[] = "asm auto catch concept consteval constexpr constinit decltype enum friend requires "
                               "restrict static_assert try typedef using";
    int next = i + 1;
    if (is_one_of(s, i, kept))
        d->is_kept = true;
    else if (is(s, i, "namespace") || (is(s, i, "extern") && is_one_of(s, next, "\"C\" \"C++\"") && is(s, i + 2, "{")))
        d->is_namespace = true;
    else if (is_one_of(s, i, "class struct union"))
        d->is_class = !is(s, i - 1, "enum");
    if (d->parameters < 0)
        d->name = i;
    if (is(s, i, "operator")) {
        next += is(s, next, "(") ? 2 : 0;
        while (next < s->n && !is_one_of(s, next, "( ; }"))
            next++;
    } else if (is(s, next, "<")) {
        next = skip_angles(s, next);
        d->is_kept = d->is_kept || next < 0;
    }
    return next < 0 ? i + 2 : next;
}

static int cut_scope(struct source *s, int i);

/* Reads what is between braces that open at token `i`. Returns the next token, and sets `*is_end` if the declaration
 * ends there. */
static int read_braces(struct source *s, struct declaration *d, int i, bool *is_end)
{
    if (d->is_namespace || (d->is_class && d->parameters < 0)) {
        *is_end = d->is_namespace;
        d->is_class = false;
        d->is_kept = true;
        return cut_scope(s, i + 1) + 1;
    }
    int close = match(s, i, 1);
    if (close < 0)
        return s->n;
    bool is_body = begins_body(s, d, i);
    if (is_body && !d->is_kept && s->tokens[i].origin == ORIGIN_STANDARD)
        remove_body(s, d, i, close);
    *is_end = is_body || (d->parameters >= 0 && d->initialisers < 0 && !is_one_of(s, close + 1, "; , ="));
    return close + 1;
}

/* Removes bodies from the declaration that begins at token `i`. Returns the token after it. */
static int cut_declaration(struct source *s, int i)
{
    static const char no_parameters[] = "__attribute__ __declspec alignas decltype explicit noexcept throw";
    struct declaration d = {.begin = i, .name = i, .parameters = -1, .initialisers = -1};
    bool is_end = is_one_of(s, i, "public protected private") && is(s, i + 1, ":");
    if (is_end)
        return i + 2;
    while (i < s->n && !is_end) {
        char c = s->chars[s->tokens[i].begin];
        if (c == '}')
            return i;
        is_end = c == ';';
        if (c == '{') {
            i = read_braces(s, &d, i, &is_end);
        } else if (c == '(' || c == '[') {
            if (c == '(' && d.parameters < 0 && !is_one_of(s, i - 1, no_parameters))
                d.parameters = i;
            int close = match(s, i, 1);
            i = close < 0 ? s->n : close + 1;
        } else if (is_letter(c)) {
            i = read_word(s, &d, i);
        } else {
            d.is_kept = d.is_kept || c == '=';
            if (c == ':' && d.parameters >= 0 && d.initialisers < 0 && is(s, i, ":"))
                d.initialisers = i;
            i++;
        }
    }
    return i;
}

/* Removes bodies from token `i` to the end of a namespace or a class. Returns the token that closes it. */
static int cut_scope(struct source *s, int i)
{
    while (i < s->n && !is(s, i, "}"))
        i = cut_declaration(s, i);
    return i;
}

bool edits_cut_bodies(struct source *s)
{
    if (has_launch_in_template(s))
        return false;
    for (int i = 0; i < s->n; i++)
        i = cut_scope(s, i);
    return true;
}
