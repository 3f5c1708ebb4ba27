/* SPDX-License-Identifier: MIT
 *
 * Changes preprocessed C++ AMP where clang would not read it:
 *
 *     [=](index<1> i) mutable restrict(amp) -> int {}     [=] restrict(amp) (index<1> i) mutable -> int {}
 *     auto f(int i) restrict(amp) -> int;                 restrict(amp) auto f(int i) -> int;
 *     int f(int i) restrict(amp) noexcept;                int f(int i) noexcept restrict(amp);
 *     int f(int i) restrict(amp) throw();                 int f(int i) throw() restrict(amp);
 *     template int f<int>(int i) restrict(amp);           template restrict(amp) int f<int>(int i);
 *     int restrict(int i);                                int restrict(amp__name)(int i);
 *     e.tile<2, 2>()                                      e.template tile<2, 2>()
 *     void main() {}                                      int main() {}
 *     accelerator_view &v = a.default_view;               auto &&v = a.default_view;
 *     template <int (*f)(int) restrict(cpu)>              template <int (*f)(int)>
 *     tile_static point p, q[4];                          struct t { point p, q[4]; };
 *                                                         tile_static tile_memory<decltype(t::p)> v;
 *                                                         static constexpr auto &p = v.it; ...
 *
 * The first five move the word to where clang allows an attribute. The sixth keeps an ordinary name from being taken
 * for the macro. The seventh adds what C++ demands where the type of `e` depends on a template's parameters, and
 * Microsoft's compiler does not. Clang's types of functions have no restrictions; one that says `amp` remains, and is
 * an error. The last one spares classes in tile memory their constructors, which the model does not run and clang would
 * reject. Members of classes that are local to a function for accelerators become members for both sides, unless they
 * say more. After `using namespace std` and `using namespace concurrency`, `array<...>` is the accelerator's. In
 * <strings.h> the function `index` gets another name, because programs say `using namespace concurrency` and mean the
 * class. */
#include "front/cpp/edits.h"

/* ---- changes ---- */

/* Moves the words from token `i` to `last` to `to`, an offset in the text. */
static void move(struct source *s, int i, int last, unsigned to)
{
    unsigned begin = s->tokens[i].begin, end = s->tokens[last].end;
    edits_add(s, begin, end, "");
    edits_add(s, to, to, arena_printf(" %.*s ", (int)(end - begin), s->chars + begin));
}

/* Whether the words between the parentheses `open` and `close` are restrictions. */
static bool is_restriction(const struct source *s, int open, int close)
{
    bool good = close > open + 1;
    for (int i = open + 1; i < close && good; i++)
        good = (i - open) % 2 ? is_one_of(s, i, "cpu amp") : is(s, i, ",");
    return good;
}

/* Returns where a trailing return type's function begins with `auto`; -1 if it is not found. */
static int find_auto(const struct source *s, int parameters)
{
    for (int i = parameters - 1; i >= 0 && !is_one_of(s, i, "; { }"); i--)
        if (is(s, i, "auto"))
            return i;
    return -1;
}

/* Returns the word `template` of an explicit instantiation, in whose declaration token `i` is; -1 if it is none. */
static int find_template(const struct source *s, int i)
{
    while (i > 0 && !is_one_of(s, i - 1, "; { }"))
        i--;
    return is(s, i, "template") && !is(s, i + 1, "<") ? i : -1;
}

/* Returns the token after exception specifications that begin at token `i`. */
static int skip_specifications(const struct source *s, int i)
{
    while (is_one_of(s, i, "noexcept throw"))
        i = is(s, i + 1, "(") ? match(s, i + 1, 1) + 1 : i + 1;
    return i;
}

/* Whether the parameters that open at token `open` are those of a type: of a pointer or a reference to functions, or
 * without a name. */
static bool is_of_type(const struct source *s, int open)
{
    int declarator = is(s, open - 1, ")") ? match(s, open - 1, -1) : -1;
    return is_one_of(s, open - 1, "& * void bool char short int long float double signed unsigned") ||
           (declarator >= 0 && is_one_of(s, declarator + 1, "* &"));
}

/* Moves a restriction, tokens `i` to `last`, to a place that clang allows. */
static void place_restriction(struct source *s, int i, int last, bool is_for_amp)
{
    int parameters = i - 1, next = last + 1, after = skip_specifications(s, next);
    while (is_one_of(s, parameters, "mutable const volatile noexcept override final constexpr &"))
        parameters--;
    int open = is(s, parameters, ")") ? match(s, parameters, -1) : parameters + 1;
    if (is(s, open - 1, "throw") || is(s, open - 1, "noexcept")) {
        parameters = open - 2;
        open = is(s, parameters, ")") ? match(s, parameters, -1) : parameters + 1;
    }
    bool is_lambda = is(s, open - 1, "]") && !is(s, match(s, open - 1, -1) - 1, "operator");
    if (!is_for_amp && is_of_type(s, open)) {
        edits_add(s, s->tokens[i].begin, s->tokens[last].end, "");
    } else if (is_lambda) {
        if (parameters != i - 1 || !is(s, next, "{"))
            move(s, i, last, s->tokens[open - 1].end);
    } else if (find_template(s, open) >= 0) {
        move(s, i, last, s->tokens[find_template(s, open)].end);
    } else if (is(s, after, "->")) {
        int begin = find_auto(s, open);
        if (begin >= 0)
            move(s, i, last, s->tokens[begin].begin);
    } else if (after > next) {
        move(s, i, last, s->tokens[after - 1].end);
    }
}

/* Returns where the body begins of a function whose declarator goes on at token `i`; -1 if there is none. */
static int find_body(const struct source *s, int i)
{
    bool initialises = false; /* members, in a constructor */
    for (; i >= 0 && i < s->n && !is_one_of(s, i, "; ) }"); i++) {
        initialises = initialises || is(s, i, ":");
        if (is(s, i, "{") && !(initialises && is_letter(s->chars[s->tokens[i - 1].begin])))
            return i;
        if (is_one_of(s, i, "( [ {"))
            i = match(s, i, 1);
    }
    return -1;
}

/* Lets the restrictions that members between two tokens say be all that they have. */
static void edit_members(struct source *s, int i, int end)
{
    for (; i < end; i++) {
        int close = is(s, i, "restrict") && is(s, i + 1, "(") ? match(s, i + 1, 1) : -1;
        if (close < 0 || !is_restriction(s, i + 1, close))
            continue;
        int body = find_body(s, close + 1), last = body < 0 ? close : match(s, body, 1);
        while (body < 0 && last < end && !is(s, last, ";"))
            last++;
        if (last < 0 || last >= end)
            return;
        edits_add(s, s->tokens[i].begin, s->tokens[i].begin, "_Pragma(\"clang force_cuda_host_device end\") ");
        edits_add(s, s->tokens[last].end, s->tokens[last].end, " _Pragma(\"clang force_cuda_host_device begin\")");
        i = last;
    }
}

/* Returns the token after the initialisers of members that begin at token `i`; -1 if that is not clear. */
static int skip_initialisers(const struct source *s, int i, int end)
{
    do {
        while (++i < end && !is_one_of(s, i, "( {"))
            ;
        int close = i < end ? match(s, i, 1) : -1;
        i = close < 0 ? -1 : close + 1;
    } while (i >= 0 && is(s, i, ","));
    return i;
}

/* Marks the functions whose bodies are between two tokens of a class, unless they have restrictions. */
static void mark_members(struct source *s, int i, int end)
{
    for (; i >= 0 && i < end; i++) {
        int close = is_one_of(s, i, "( {") ? match(s, i, 1) : i, next = close + 1;
        bool has_parameters =
            is(s, i, "(") && !is_one_of(s, i - 1, "restrict noexcept throw alignas decltype explicit __attribute__");
        i = close;
        while (has_parameters && is_one_of(s, next, "const noexcept override final"))
            next++;
        if (has_parameters && is_one_of(s, next, "{ :"))
            edits_add(s, s->tokens[next].begin, s->tokens[next].begin,
                      "__attribute__((host)) __attribute__((device)) ");
        if (has_parameters && is(s, next, ":"))
            i = skip_initialisers(s, next, end) - 1;
    }
}

/* Lets the members of classes that are local to a function for accelerators be for them, too, unless they say more.
 * The function's declarator goes on at token `i`. Clang reads the bodies of members where the class ends, so the words
 * are around the declaration, and also serve the classes inside. In the body of a function that is a member itself,
 * clang has forgotten them by then, so members are marked one by one, too. */
static void edit_local_classes(struct source *s, int i)
{
    int body = find_body(s, i), end = body < 0 ? -1 : match(s, body, 1);
    for (int at = body + 1; body >= 0 && at < end; at++) {
        if (!is_one_of(s, at, "class struct union") || is(s, at - 1, "enum"))
            continue;
        unsigned begin = s->tokens[at].begin;
        while (at < end && !is_one_of(s, at, "{ } ( ) ; ="))
            at++;
        if (!is(s, at, "{"))
            continue;
        int members = at;
        while (at >= 0 && at < end && !is(s, at, ";"))
            at = is_one_of(s, at, "( [ {") ? match(s, at, 1) + 1 : at + 1;
        if (at < 0 || at >= end)
            return;
        edits_add(s, begin, begin, "_Pragma(\"clang force_cuda_host_device begin\") ");
        edit_members(s, members + 1, match(s, members, 1));
        mark_members(s, members + 1, match(s, members, 1));
        edits_add(s, s->tokens[at].end, s->tokens[at].end, " _Pragma(\"clang force_cuda_host_device end\")");
    }
}

/* Whether token `i` may come before a restriction: the parameters, or what follows them. */
static bool ends_parameters(const struct source *s, int i)
{
    return is_one_of(s, i, ") ] & const volatile mutable noexcept override final constexpr");
}

/* Whether the parenthesis at token `i` closes an exception specification. */
static bool ends_specification(const struct source *s, int i)
{
    return is(s, i, ")") && is_one_of(s, match(s, i, -1) - 1, "throw noexcept");
}

/* Checks the order in which the model has the words around a restriction, tokens `i` to `last`. */
static void check_order(struct source *s, int i, int last)
{
    if (is(s, last + 1, "mutable"))
        diag_error(edits_place(s, i), "C++ AMP has 'mutable' before restrict(...) [strict]");
    else if (is(s, i - 1, "noexcept") || ends_specification(s, i - 1))
        diag_error(edits_place(s, i), "C++ AMP has exception specifications after restrict(...) [strict]");
}

/* Handles the word `restrict` at token `i`. */
static void edit_restrict(struct source *s, int i)
{
    int close = is(s, i + 1, "(") ? match(s, i + 1, 1) : -1;
    if (close < 0)
        return;
    if (is_restriction(s, i + 1, close)) {
        bool is_for_amp = false;
        for (int at = i + 2; at < close; at++)
            is_for_amp = is_for_amp || is(s, at, "amp");
        if (s->is_strict)
            check_order(s, i, close);
        if (ends_parameters(s, i - 1))
            place_restriction(s, i, close, is_for_amp);
        else
            diag_error(edits_place(s, i), "restrict(...) comes after the parameters of a function [restriction]");
        if (is_for_amp)
            edit_local_classes(s, close + 1);
    } else if (is_one_of(s, i - 1, ") const mutable") && is_one_of(s, close + 1, "{ ; ->")) {
        diag_error(edits_place(s, i), "restrict(...) names cpu, amp, or both, as restrict(cpu, amp) [restriction]");
    } else {
        edits_add(s, s->tokens[i].begin, s->tokens[i].end, "restrict(amp__name)");
    }
}

/* Adds `template` before a member template of the library at token `i`, if its arguments follow. */
static void edit_member(struct source *s, int i)
{
    int at = i + 2;
    if (!is_one_of(s, i - 1, ". ->") || !is(s, i + 1, "<"))
        return;
    while (at < s->n && !is_one_of(s, at, "> ; { } <"))
        at++;
    if (is(s, at, ">") && is(s, at + 1, "("))
        edits_add(s, s->tokens[i].begin, s->tokens[i].begin, "template ");
}

/* Whether a word of a declaration is a declarator's name, outside of template arguments and bounds. */
static bool is_declared(const struct source *s, int i)
{
    return is_letter(s->chars[s->tokens[i].begin]) && is_one_of(s, i + 1, ", ; [");
}

/* Finds the names that the declaration from token `i` to the `;` at `end` declares, and defines each in tile memory.
 * Returns how many there are, and sets `*first` to the first one; returns 0 if there is anything but a type, names and
 * bounds. */
static int find_names(const struct source *s, int i, int *end, int *first, struct text *variables, int number)
{
    int n = 0, depth = 0;
    for (; i >= 0 && i < s->n && (depth || !is(s, i, ";")); i++) {
        if (is_one_of(s, i, "= { ( } ) & *") && !depth)
            return 0;
        depth += is(s, i, "<") - is(s, i, ">");
        if (depth == 0 && is_declared(s, i)) {
            *first = n++ ? *first : i;
            const char *name =
                arena_printf("%.*s", (int)(s->tokens[i].end - s->tokens[i].begin), s->chars + s->tokens[i].begin);
            text_add(
                variables,
                " tile_static ::Concurrency::amp__detail::tile_memory<decltype(amp__tile_type_%d::%s)> amp__tile_%s;",
                number, name, name);
            text_add(variables, " static constexpr auto &%s = amp__tile_%s.it;", name, name);
        }
        if (is(s, i, "["))
            i = match(s, i, 1);
    }
    *end = i;
    return i >= 0 && i < s->n ? n : 0;
}

/* Makes a tile_static variable at token `i` one whose constructor is not run, unless it is of one of C's types. */
static void edit_tile_static(struct source *s, int i)
{
    static const char plain[] = "int float double unsigned signed char short long bool const";
    struct text variables = {0};
    int end = 0, first = 0, number = s->n_edits, at = i + 1;
    if (!find_names(s, i + 1, &end, &first, &variables, number))
        return;
    while (at < first && is_one_of(s, at, plain))
        at++;
    if (at == first)
        return;
    edits_add(s, s->tokens[i].begin, s->tokens[i].end, arena_printf("struct amp__tile_type_%d {", number));
    edits_add(s, s->tokens[end].end, s->tokens[end].end, arena_printf(" };%s", variables.chars));
}

/* Whether `using namespace` and one of the names begin at token `i`. */
static bool is_using(const struct source *s, int i, const char *names)
{
    return is(s, i, "using") && is(s, i + 1, "namespace") && is_one_of(s, i + 2, names) && is(s, i + 3, ";");
}

/* Lets `array<...>` mean the library's after `using namespace` of both libraries, whose other one also has an array:
 * without the change each use is an error. */
static void edit_arrays(struct source *s)
{
    bool is_std = false, is_ours = false;
    int depth = 0;
    for (int i = 0; i < s->n; i++) {
        depth += is(s, i, "{") - is(s, i, "}");
        if (s->tokens[i].origin != ORIGIN_PROGRAM)
            continue;
        is_std = is_std || (depth == 0 && is_using(s, i, "std"));
        is_ours = is_ours || (depth == 0 && is_using(s, i, "concurrency Concurrency"));
        if (is(s, i, "array") && is_one_of(s, i - 1, "class struct using"))
            return;
        if (is_std && is_ours && is(s, i, "array") && is(s, i + 1, "<") && !is_one_of(s, i - 1, ":: . ->"))
            edits_add(s, s->tokens[i].begin, s->tokens[i].end, "Concurrency::array");
    }
}

/* Returns the token after the name of a class that begins at token `i`, with arguments of a template and attributes. */
static int skip_class_name(const struct source *s, int i, int end)
{
    int depth = 0;
    while (is_one_of(s, i, "[ alignas __attribute__ __declspec"))
        i = match(s, is(s, i, "[") ? i : i + 1, 1) + 1;
    i += i < end && is_letter(s->chars[s->tokens[i].begin]) && !is(s, i, "final");
    while (is(s, i, "::"))
        i += 2;
    for (; i < end && (depth > 0 || is(s, i, "<")); i++)
        depth += is(s, i, "<") - is(s, i, ">");
    return i + is(s, i, "final");
}

/* Whether the innermost braces around token `i` are those of a class. */
static bool is_in_class(const struct source *s, int i)
{
    int open = i - 1;
    while (open >= 0 && !is_one_of(s, open, "{ ( ["))
        open = is_one_of(s, open, ") ] }") ? match(s, open, -1) - 1 : open - 1;
    int at = open;
    while (at > 0 && !is_one_of(s, at - 1, "; { }"))
        at--;
    for (; at < open; at++)
        if (is_one_of(s, at, "class struct union") && is_one_of(s, skip_class_name(s, at + 1, open), "{ :"))
            return true;
    return false;
}

/* Lets a reference that is a variable, and no member, be one to a temporary object, as Microsoft's compiler does:
 * accelerator_view &v = accelerator().default_view; */
static void edit_reference(struct source *s, int i)
{
    int begin = is(s, i - 1, "::") ? i - 2 : i;
    if (is(s, i + 1, "&") && is(s, i + 3, "=") && !is(s, i + 2, "operator") && is_one_of(s, begin - 1, "; { }") &&
        !is_in_class(s, i))
        edits_add(s, s->tokens[begin].begin, s->tokens[i + 1].end, "auto &&");
}

/* Whether a block of statements begins at token `i`, a brace within a function, and not a lambda's or class's body. */
static bool begins_block(const struct source *s, int i)
{
    if (is(s, i - 1, ")"))
        return is_one_of(s, match(s, i - 1, -1) - 1, "if constexpr for while switch catch");
    return is_one_of(s, i - 1, "{ } ; : else do try");
}

/* Lets main be `void`, as Microsoft's compiler does, at token `i`: its result is 0. */
static void edit_main(struct source *s, int i)
{
    int begin = match(s, i + 2, 1) + 1, end = match(s, begin, 1);
    edits_add(s, s->tokens[i].begin, s->tokens[i].end, "int");
    for (int at = begin + 1; at < end && is(s, begin, "{"); at++) {
        if (is(s, at, "{") && !begins_block(s, at))
            at = match(s, at, 1);
        else if (is(s, at, "return") && is(s, at + 1, ";"))
            edits_add(s, s->tokens[at].begin, s->tokens[at].end, "return 0");
    }
}

void edits_find(struct source *s)
{
    edit_arrays(s);
    for (int i = 0; i < s->n; i++) {
        char c = s->chars[s->tokens[i].begin];
        if (c == 'r' && is(s, i, "restrict"))
            edit_restrict(s, i);
        else if (c == 'a' && is(s, i, "accelerator_view"))
            edit_reference(s, i);
        else if (c == 't' && is(s, i, "tile_static"))
            edit_tile_static(s, i);
        else if ((c == 't' && is(s, i, "tile")) || (c == 'r' && is(s, i, "reinterpret_as")))
            edit_member(s, i);
        else if (c == 'i' && s->tokens[i].is_in_strings && is(s, i, "index"))
            edits_add(s, s->tokens[i].begin, s->tokens[i].end, "amp__strings_index");
        else if (c == 'v' && is(s, i, "void") && is(s, i + 1, "main") && is(s, i + 2, "("))
            edit_main(s, i);
    }
}

bool cpp_has_restriction(const struct text *source)
{
    struct source s = edits_begin(source);
    for (int i = 0; i < s.n; i++)
        if (is(&s, i, "restrict") && ends_parameters(&s, i - 1) && is(&s, i + 1, "(") &&
            is_restriction(&s, i + 1, match(&s, i + 1, 1)))
            return true;
    return false;
}
