/* SPDX-License-Identifier: MIT
 *
 * Reports the errors that clang finds in a source, in words that help with kernels:
 *
 *     void k(amp_index1 idx, float x[N], int N) restrict(amp)
 *
 * gives clang's "use of undeclared identifier 'N'", and after it our note: "'N' is declared after 'x'; put 'int N'
 * before it". An error inside of a macro of amp.h is replaced by one about what the user wrote. Where nothing is to be
 * added, clang itself reports the errors.
 *
 * Method: a table finds each error by a part of its text; the function of its row looks at the source there, and may
 * add words. Notes about kernels are for functions marked restrict(amp), and for those that try to be kernels. */
#include "driver/driver.h"
#include "front/ast.h"

#include <amp.h>
#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>

struct error {
    CXDiagnostic diagnostic;
    const char *text; /* clang's */
    struct place place;
    CXFile file;
    unsigned offset;
    const char *at; /* the file's text from the place on; "" if there is none */
    enum { ALONE, NOTED, REPLACED, DROPPED } fate;
    struct place note_place;
    const char *words; /* ours */
    bool is_foreign;   /* it is about a word of another language, and clang's notes guess at others */
};

static CXTranslationUnit tu;
static bool language_is_c;
static struct error *errors;
static int n_errors;

static void replace(struct error *error, const char *words)
{
    error->fate = REPLACED;
    error->words = words;
}

static void note(struct error *error, struct place place, const char *words)
{
    error->fate = NOTED;
    error->note_place = place;
    error->words = words;
}

/* ---- the source ---- */

/* Returns the text of a file from an offset on; "" if there is none. */
static const char *text_at(CXFile file, unsigned offset)
{
    size_t size = 0;
    const char *contents = file ? clang_getFileContents(tu, file, &size) : NULL;
    return contents && offset < size ? contents + offset : "";
}

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

static const char *word_at(const char *text)
{
    return arena_printf("%.*s", (int)word_length(text), text);
}

/* Returns what the first quotes in a message enclose. */
static const char *quoted_in(const char *text)
{
    const char *begin = strchr(text, '\'');
    return begin ? arena_printf("%.*s", (int)strcspn(begin + 1, "'"), begin + 1) : "";
}

/* Returns the text of an error's first range; "" if there is none. */
static const char *range_text(const struct error *error)
{
    unsigned begin, end;
    if (clang_getDiagnosticNumRanges(error->diagnostic) == 0)
        return "";
    CXSourceRange range = clang_getDiagnosticRange(error->diagnostic, 0);
    clang_getFileLocation(clang_getRangeStart(range), NULL, NULL, NULL, &begin);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    const char *text = text_at(error->file, begin);
    return begin < end && *text && *text_at(error->file, end - 1) ? arena_printf("%.*s", (int)(end - begin), text) : "";
}

static unsigned begin_of(CXCursor cursor)
{
    unsigned offset;
    clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(cursor)), NULL, NULL, NULL, &offset);
    return offset;
}

static unsigned name_offset(CXCursor cursor)
{
    unsigned offset;
    clang_getFileLocation(clang_getCursorLocation(cursor), NULL, NULL, NULL, &offset);
    return offset;
}

/* Finds the function whose declaration or definition contains an offset of a file. Returns false if there is none. */
static bool find_function(CXFile file, unsigned offset, CXCursor *function)
{
    struct cursors declarations = ast_children(clang_getTranslationUnitCursor(tu));
    for (int i = 0; i < declarations.n; i++) {
        CXSourceRange range = clang_getCursorExtent(declarations.items[i]);
        CXFile its_file;
        unsigned begin, end;
        clang_getFileLocation(clang_getRangeStart(range), &its_file, NULL, NULL, &begin);
        clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
        *function = declarations.items[i];
        if (clang_getCursorKind(*function) == CXCursor_FunctionDecl && begin <= offset && offset < end &&
            clang_File_isEqual(file, its_file))
            return true;
    }
    return false;
}

/* Returns where the last function of a file ends that ends before an offset; 0 if there is none. */
static unsigned end_before(CXFile file, unsigned offset)
{
    struct cursors declarations = ast_children(clang_getTranslationUnitCursor(tu));
    unsigned last = 0, end;
    for (int i = 0; i < declarations.n; i++) {
        CXCursor function = declarations.items[i];
        CXFile its_file;
        clang_getFileLocation(clang_getRangeEnd(clang_getCursorExtent(function)), &its_file, NULL, NULL, &end);
        if (clang_getCursorKind(function) == CXCursor_FunctionDecl && clang_isCursorDefinition(function) &&
            clang_File_isEqual(file, its_file) && end <= offset && end > last)
            last = end;
    }
    return last;
}

/* A declaration or statement: the offset where it begins, and that of a word in it, or UINT_MAX. */
struct declaration {
    unsigned begin, word;
};

/* Finds the declaration or statement that contains an offset, and the last of some words in it, up to that offset. */
static struct declaration find_declaration(CXFile file, unsigned offset, const char *words)
{
    CXToken *tokens;
    unsigned n, at;
    struct declaration found = {end_before(file, offset), UINT_MAX};
    CXSourceRange range = clang_getRange(clang_getLocationForOffset(tu, file, found.begin),
                                         clang_getLocationForOffset(tu, file, offset + 1));
    clang_tokenize(tu, range, &tokens, &n);
    for (unsigned i = 0; i < n; i++) {
        const char *token = ast_text(clang_getTokenSpelling(tu, tokens[i]));
        clang_getFileLocation(clang_getTokenLocation(tu, tokens[i]), NULL, NULL, NULL, &at);
        if (at <= offset && is_word_of(token, "; { }"))
            found = (struct declaration){at + 1, UINT_MAX};
        else if (at <= offset && is_word_of(token, words))
            found.word = at;
    }
    clang_disposeTokens(tu, tokens, n);
    return found;
}

/* Finds the function for kernels that contains an error, or what tries to be one. Returns false if there is none. */
static bool find_kernel(const struct error *error, CXCursor *function)
{
    bool tiled;
    return find_function(error->file, error->offset, function) &&
           (ast_is_restricted(*function, "amp") || ast_kernel_rank(*function, &tiled) ||
            find_declaration(error->file, name_offset(*function), "__global__ __device__ __kernel").word != UINT_MAX);
}

/* ---- names ---- */

/* Adds a note about a bound whose name is declared after its array, or not at all. */
static void note_bound(struct error *error, const char *name)
{
    CXCursor function, array = clang_getNullCursor();
    if (!find_kernel(error, &function))
        return;
    struct cursors children = ast_children(function);
    for (int i = 0; i < children.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(children.items[i]);
        if (kind == CXCursor_CompoundStmt && begin_of(children.items[i]) < error->offset)
            return; /* it is no bound, but in the body */
        if (kind == CXCursor_ParmDecl && begin_of(children.items[i]) < error->offset)
            array = children.items[i];
    }
    for (int i = 0; i < children.n && !clang_Cursor_isNull(array); i++)
        if (clang_getCursorKind(children.items[i]) == CXCursor_ParmDecl && !strcmp(ast_name(children.items[i]), name)) {
            note(error, ast_place(children.items[i]),
                 arena_printf("'%s' is declared after '%s'; put '%s %s' before it [bound after its array]", name,
                              ast_name(array), ast_type_name(clang_getCursorType(children.items[i])), name));
            return;
        }
    if (!clang_Cursor_isNull(array))
        note(error, ast_place(array),
             arena_printf("a bound of '%s' is an earlier parameter; add 'int %s' before '%s' [bound after its array]",
                          ast_name(array), name, ast_name(array)));
}

/* Words of CUDA and OpenCL. */
static const struct foreign_word {
    enum { ANYWHERE, IN_KERNELS, INDEX } where;
    const char *patterns, *advice;
} foreign_words[] = {
#define FOREIGN(where, patterns, advice) {where, patterns, advice},
#include "front/foreign.def"
#undef FOREIGN
};

static bool matches(const char *name, const char *patterns)
{
    bool found = false;
    for (size_t n; *patterns && !found; patterns += n + (patterns[n] == ' ')) {
        n = strcspn(patterns, " ");
        found = !fnmatch(arena_printf("%.*s", (int)n, patterns), name, 0);
    }
    return found;
}

/* Returns the row of a word; NULL if there is none. */
static const struct foreign_word *find_foreign(const char *name)
{
    for (size_t i = 0; i < sizeof foreign_words / sizeof *foreign_words; i++)
        if (matches(name, foreign_words[i].patterns))
            return &foreign_words[i];
    return NULL;
}

/* Returns the number of the dimension after a word, "blockIdx.y" or "get_global_id(1)"; these languages count from the
 * fastest one. */
static int foreign_dimension(const char *after)
{
    after += strspn(after, " \t");
    if (*after == '.')
        return after[1] >= 'x' && after[1] <= 'z' ? after[1] - 'x' : 0;
    return *after == '(' && after[1] >= '0' && after[1] <= '2' ? after[1] - '0' : 0;
}

/* Returns what to write for a barrier. */
static const char *find_barrier(const char *index, int rank, bool tiled)
{
    if (tiled)
        return arena_printf("a tiled kernel calls amp_tile_barrier_wait(%s.barrier)", index);
    return arena_printf("a tiled kernel calls amp_tile_barrier_wait(t.barrier); its index is '%s t'",
                        rank == 3   ? "amp_tiled_index3(4, 8, 8)"
                        : rank == 2 ? "amp_tiled_index2(16, 16)"
                                    : "amp_tiled_index1(256)");
}

/* Returns what to write for a word that stands for `component` of a tiled index. */
static const char *find_component(CXCursor function, const char *component, int dimension)
{
    bool tiled;
    int rank = ast_kernel_rank(function, &tiled);
    const char *index = rank ? ast_name(clang_Cursor_getArgument(function, 0)) : "";
    if (!strcmp(component, "barrier"))
        return find_barrier(index, rank, tiled);
    if (!rank)
        return "a thread's position is in the index, the first parameter of a kernel: 'amp_index1 idx'";
    int d = dimension < rank ? rank - 1 - dimension : 0;
    if (tiled)
        return arena_printf("this is in the kernel's index; write '%s.%s[%d]'", index, component, d);
    return arena_printf(strcmp(component, "global") != 0
                            ? "this kernel has no blocks; the position of a thread among all is '%s[%d]'"
                            : "a thread's position is in the kernel's index; write '%s[%d]'",
                        index, d);
}

/* Adds a note about a word of another language, and removes what clang takes it for. */
static void note_foreign(struct error *error, const char *name)
{
    const struct foreign_word *word = language_is_c ? find_foreign(name) : NULL;
    CXCursor function;
    if (!word || (word->where != ANYWHERE && !find_kernel(error, &function)))
        return;
    const char *advice = word->advice, *guess = strstr(error->text, "; did you mean");
    if (word->where == INDEX)
        advice = find_component(function, advice, foreign_dimension(error->at + strlen(name)));
    if (guess)
        error->text = arena_printf("%.*s", (int)(guess - error->text), error->text);
    error->is_foreign = true;
    note(error, error->place, arena_printf("%s [word of another language]", advice));
}

static void look_at_identifier(struct error *error)
{
    const char *name = quoted_in(error->text);
    note_bound(error, name);
    if (error->fate == ALONE)
        note_foreign(error, name);
}

/* ---- types, and marks before functions ---- */

static void find_header(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData found)
{
    (void)stack, (void)depth;
    if (!strcmp(file_name(ast_text(clang_getFileName(file))), "amp.h"))
        *(bool *)found = true;
}

static bool includes_amp(void)
{
    bool found = false;
    clang_getInclusions(tu, find_header, &found);
    return found;
}

/* Returns how many sizes amp_tiled_index1 to 3 take; 0 for another name. */
static int count_sizes(const char *name)
{
    static const char prefix[] = "amp_tiled_index";
    const char *digit = has_prefix(name, prefix) ? name + sizeof prefix - 1 : "";
    return *digit >= '1' && *digit <= '3' && !digit[1] ? *digit - '0' : 0;
}

static void look_at_type(struct error *error)
{
    static const char *const sizes[] = {NULL, "one size, such as (256)", "two sizes, such as (16, 16)",
                                        "three sizes, such as (4, 8, 8)"};
    const char *name = quoted_in(error->text);
    if (has_prefix(name, "amp_") && !includes_amp())
        note(error, error->place, "amp.h declares this; write '#include <amp.h>' before [header]");
    else if (count_sizes(name))
        replace(error, arena_printf("'%s' takes %s [sizes of a tile]", name, sizes[count_sizes(name)]));
    else
        note_foreign(error, name);
}

/* Drops what clang says about the sizes in amp_tiled_index2(16): the unknown type that remains is reported. */
static void look_at_macro(struct error *error)
{
    CXDiagnosticSet notes = clang_getChildDiagnostics(error->diagnostic);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); i++) {
        CXDiagnostic child = clang_getDiagnosticInSet(notes, i);
        if (count_sizes(quoted_in(ast_text(clang_getDiagnosticSpelling(child)))))
            error->fate = DROPPED;
        clang_disposeDiagnostic(child);
    }
}

/* Whether a word is `restrict` with up to two letters wrong, too many or too few. */
static bool is_nearly_restrict(const char *word)
{
    enum { MOST = 2, LENGTH = sizeof "restrict" - 1 };
    static const char right[] = "restrict";
    size_t n = strlen(word);
    int distance[LENGTH + 1], above;
    if (n > LENGTH + MOST)
        return false;
    for (int j = 0; j <= LENGTH; j++)
        distance[j] = j;
    for (size_t i = 0; i < n; i++) {
        int diagonal = distance[0]++;
        for (int j = 1; j <= LENGTH; j++, diagonal = above) {
            int changed = diagonal + (word[i] != right[j - 1]);
            int shorter = 1 + (distance[j - 1] < distance[j] ? distance[j - 1] : distance[j]);
            above = distance[j];
            distance[j] = changed < shorter ? changed : shorter;
        }
    }
    return distance[LENGTH] <= MOST;
}

/* Looks at what stands between a function's parameters and its body. */
static void look_after_parameters(struct error *error)
{
    const char *at = error->at + strspn(error->at, " \t\r\n"), *word = word_at(at), *after = at + strlen(word);
    bool is_list = after[strspn(after, " \t")] == '(';
    if (!is_nearly_restrict(word))
        return;
    if (strcmp(word, "restrict") != 0 && is_list)
        note(error, error->place, "did you mean 'restrict(amp)'? [misspelled restrict]");
    else if (!strcmp(word, "restrict") && is_list && !includes_amp())
        note(error, error->place, "amp.h defines restrict(amp); write '#include <amp.h>' before [header]");
    else if (!strcmp(word, "restrict") && !is_list)
        note(error, error->place, "did you mean 'restrict(amp)', with parentheses? [misspelled restrict]");
}

/* Looks at `int *restrict (*f)(void)`: amp.h takes the parenthesis for a list, and clang misses what stood there. */
static void look_at_restrict(struct error *error)
{
    unsigned begin = error->offset;
    while (begin > 0 && *text_at(error->file, begin - 1) != '\n')
        begin--;
    for (unsigned at = begin; at < error->offset; at++) {
        const char *word = text_at(error->file, at), *after = word + word_length(word);
        after += strspn(after, " \t");
        if (!strcmp(word_at(word), "restrict") && after[0] == '(' && after[1] == '*' && includes_amp()) {
            note(error, ast_place_of(tu, clang_getLocationForOffset(tu, error->file, at)),
                 "amp.h takes restrict(...) for the mark of a kernel; write '__restrict' here [keyword restrict]");
            return;
        }
    }
}

/* ---- syntax of other languages ---- */

/* Whether an earlier error is about a foreign word in the same declaration or statement that begins with `prefix`. */
static bool follows_foreign(const struct error *error, const char *prefix)
{
    unsigned begin = find_declaration(error->file, error->offset, "").begin;
    for (const struct error *other = errors; other < error; other++)
        if (other->is_foreign && has_prefix(other->at, prefix) && clang_File_isEqual(other->file, error->file) &&
            begin <= other->offset && other->offset <= error->offset)
            return true;
    return false;
}

/* Looks at k<<<blocks, threads>>>(x). Clang misses an expression at the ends of "<<<" and ">>>". */
static void look_at_launch_brackets(struct error *error)
{
    const char *brackets = error->offset < 2 ? "" : text_at(error->file, error->offset - 2);
    unsigned end = error->offset - 2, begin;
    if (has_prefix(brackets, ">>>") && follows_foreign(error, "<"))
        error->fate = DROPPED;
    if (!has_prefix(brackets, "<<<"))
        return;
    while (end > 0 && *text_at(error->file, end - 1) == ' ')
        end--;
    for (begin = end; begin > 0 && word_length(text_at(error->file, begin - 1)) > end - begin;)
        begin--;
    const char *kernel = begin < end ? word_at(text_at(error->file, begin)) : "kernel";
    error->is_foreign = true;
    replace(error, arena_printf("a launch is amp_parallel_for_each(extent, %s, arguments...); the extent counts "
                                "threads, not blocks [word of another language]",
                                kernel));
}

/* Looks at __launch_bounds__(256). Clang takes this for a function, and stumbles several times. */
static void look_at_launch_bounds(struct error *error)
{
    unsigned offset = find_declaration(error->file, error->offset, "__launch_bounds__").word;
    if (offset == UINT_MAX || follows_foreign(error, "__launch_bounds__"))
        return;
    error->place = ast_place_of(tu, clang_getLocationForOffset(tu, error->file, offset));
    error->offset = offset;
    error->at = text_at(error->file, offset);
    error->is_foreign = true;
    replace(error, "leave '__launch_bounds__' out: the size of a tile is in its kernel's index, "
                   "'amp_tiled_index1(256) t' [word of another language]");
}

/* Looks at an error of syntax. Clang takes a mark of another language for a type, and what it expects after this would
 * mislead. */
static void look_at_syntax(struct error *error)
{
    if (!language_is_c)
        return;
    look_at_launch_brackets(error);
    if (error->fate == ALONE)
        look_at_launch_bounds(error);
    if (error->fate == ALONE && follows_foreign(error, "__"))
        error->fate = DROPPED;
}

/* ---- C++ in a file of C ---- */

/* Whether an error is about what only C++ has. */
static bool is_about_cpp(const struct error *error)
{
    static const char words[] = "using namespace template class typename std concurrency Concurrency";
    static const char headers[] =
        "algorithm array chrono cmath cstdio cstdlib functional iomanip iostream memory numeric "
        "random string thread vector amp_math.h amp_graphics.h amp_short_vectors.h";
    bool is_name = has_prefix(error->text, "unknown type name '") || has_prefix(error->text, "use of undeclared");
    const char *quoted = quoted_in(error->text);
    return (is_name && is_word_of(quoted, words)) ||
           (strstr(error->text, "' file not found") && is_word_of(quoted, headers));
}

/* Reports that a source is C++, in place of all that C finds wrong with it. Returns false if it does not look like
 * it. */
static bool report_cpp(const struct driver *driver)
{
    int i = 0;
    while (i < n_errors && !is_about_cpp(&errors[i]))
        i++;
    if (!language_is_c || i == n_errors)
        return false;
    const char *name = file_name(driver->name), *dot = strrchr(name, '.');
    const char *other =
        dot && !strcmp(dot, ".c") ? arena_printf("call it '%.*s.cpp', or ", (int)(dot - name), name) : "";
    diag_error(errors[i].place, "this is C++, but '%s' is compiled as C; %sput '-x c++' before it [source language]",
               name, other);
    return true;
}

/* ---- bodies ---- */

struct variable {
    const char *name;
    bool is_floating;
};

static enum CXChildVisitResult find_floating(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct variable *variable = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if ((kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) && !strcmp(ast_name(cursor), variable->name)) {
        int type = ast_type_of(clang_getCursorType(cursor));
        variable->is_floating = type == AMP_TYPE_F32 || type == AMP_TYPE_F64;
    }
    return CXChildVisit_Recurse;
}

/* Whether an expression, of which clang keeps nothing but the text, has a floating-point variable or constant. */
static bool is_floating(CXCursor function, const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = word_length(at);
        struct variable variable = {word_at(at), false};
        if (isdigit((unsigned char)*at) && at[n] == '.')
            return true;
        if (n)
            clang_visitChildren(function, find_floating, &variable);
        if (variable.is_floating)
            return true;
        at += n + (n == 0);
    }
    return false;
}

/* Replaces the words about x[idx], which exists in C++ AMP but not in C. */
static void replace_index(struct error *error, CXCursor function, const char *written)
{
    bool tiled;
    int rank = ast_kernel_rank(function, &tiled);
    const char *name = rank ? ast_name(clang_Cursor_getArgument(function, 0)) : "";
    size_t length = strlen(name);
    if (!rank || strncmp(written, name, length) != 0 || (written[length] && written[length] != '.'))
        return;
    struct text text = {0};
    text_add(&text, "'%s' is an index of rank %d and no number; write ", written, rank);
    for (int d = 0; d < rank; d++)
        text_add(&text, "[%s%s[%d]]", written, tiled && !written[length] ? ".global" : "", d);
    text_add(&text, " [index as number]");
    replace(error, text.chars);
}

static void look_at_subscript(struct error *error)
{
    CXCursor function;
    const char *written = range_text(error);
    if (!*written || !find_kernel(error, &function))
        return;
    replace_index(error, function, written);
    bool is_word = !written[word_length(written)];
    if (error->fate == ALONE && is_floating(function, written))
        note(error, error->place,
             arena_printf("convert it explicitly: '(int)%s%s%s' [floating-point subscript]", is_word ? "" : "(",
                          written, is_word ? "" : ")"));
}

/* Looks at idx.x, which CUDA would have. */
static void look_at_member(struct error *error)
{
    CXCursor function;
    bool tiled;
    const char *base = range_text(error), *member = word_at(error->at + strspn(error->at, "->. \t"));
    int rank = find_kernel(error, &function) ? ast_kernel_rank(function, &tiled) : 0, d = rank - 1 - (*member - 'x');
    if (!rank || !is_word_of(member, "x y z") ||
        !is_word_of(word_at(base), ast_name(clang_Cursor_getArgument(function, 0))))
        return;
    const char *component = arena_printf("%s%s", base, tiled && !strchr(base, '.') ? ".global" : "");
    if (d >= 0)
        replace(error, arena_printf("'%s' has no member '%s'; write '%s[%d]': the last component varies fastest "
                                    "[component of an index]",
                                    base, member, component, d));
    else
        replace(error,
                arena_printf("'%s' has no member '%s', and rank %d; its last component, '%s[%d]', varies fastest "
                             "[component of an index]",
                             base, member, rank, component, rank - 1));
}

/* Looks at the call of a kernel. */
static void look_at_call(struct error *error)
{
    CXCursor function;
    bool tiled;
    CXDiagnosticSet notes = clang_getChildDiagnostics(error->diagnostic);
    if (find_kernel(error, &function))
        return;
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes) && error->fate == ALONE; i++) {
        CXDiagnostic child = clang_getDiagnosticInSet(notes, i);
        CXFile file;
        unsigned offset;
        clang_getFileLocation(clang_getDiagnosticLocation(child), &file, NULL, NULL, &offset);
        if (find_function(file, offset, &function) && ast_is_restricted(function, "amp") &&
            ast_kernel_rank(function, &tiled))
            replace(error,
                    arena_printf("'%s' is a kernel; launch it with amp_parallel_for_each(extent, %s, arguments...) "
                                 "[call from host]",
                                 ast_name(function), ast_name(function)));
        clang_disposeDiagnostic(child);
    }
}

/* Looks at t[0]. */
static void look_at_subscripted(struct error *error)
{
    CXCursor function;
    bool tiled;
    const char *written = range_text(error), *name = word_at(written);
    if (!find_kernel(error, &function) || !ast_kernel_rank(function, &tiled) ||
        strcmp(name, ast_name(clang_Cursor_getArgument(function, 0))) != 0)
        return;
    const char *after = error->at + (error->at[0] == '[' ? 0 : strcspn(error->at, "["));
    note(error, error->place,
         arena_printf("'%s' is the index of a tiled kernel; use '%s.global%.*s' [tiled index as array]", name, name,
                      (int)(strcspn(after, "]") + 1), after));
}

static void look_at_assignment(struct error *error)
{
    CXCursor function;
    const char *written = range_text(error), *name = word_at(written + strspn(written, "(*&+- "));
    if (!*name || !find_kernel(error, &function))
        return;
    for (int i = 0; i < clang_Cursor_getNumArguments(function); i++) {
        CXCursor param = clang_Cursor_getArgument(function, (unsigned)i);
        CXType type = clang_getCanonicalType(clang_getCursorType(param));
        bool tiled;
        if (strcmp(ast_name(param), name) != 0 ||
            !ast_is_const(type.kind == CXType_Pointer ? clang_getPointeeType(type) : type))
            continue;
        if (i == 0 && ast_kernel_rank(function, &tiled))
            note(error, ast_place(param),
                 arena_printf("'%s' is the thread's position; copy it to a variable to change it, 'int i = %s[0]' "
                              "[write to const]",
                              name, name));
        else
            note(error, ast_place(param),
                 arena_printf("'%s' has const elements, which a kernel only reads; remove const to write them [write "
                              "to const]",
                              name));
    }
}

static void look_at_static(struct error *error)
{
    CXCursor function;
    if (find_kernel(error, &function) && find_declaration(error->file, error->offset, "tile_static").word != UINT_MAX)
        note(
            error, error->place,
            arena_printf("tile_static '%s' needs constant bounds: literals, enumerators or macros, such as the size of "
                         "the tile [tile_static bound]",
                         word_at(error->at)));
}

/* Looks at `extern tile_static float s[]`, as CUDA has it. */
static void look_at_extern(struct error *error)
{
    if (!strcmp(word_at(error->at), "tile_static"))
        replace(error, "tile_static memory is not 'extern': it has a constant size, such as that of the tile, "
                       "'tile_static float s[256]' [tile_static bound]");
}

/* ---- macros of amp.h ---- */

/* Drops the other errors in the call of a macro that an error is about. */
static void drop_others(const struct error *error)
{
    int depth = 0;
    const char *end = error->at + word_length(error->at);
    end += strspn(end, " \t\r\n");
    do
        depth += (*end == '(') - (*end == ')');
    while (*end++ && depth > 0);
    for (struct error *other = errors; other < errors + n_errors; other++)
        if (other != error && clang_File_isEqual(other->file, error->file) && other->offset >= error->offset &&
            other->offset < error->offset + (size_t)(end - error->at))
            other->fate = DROPPED;
}

/* Looks at amp_parallel_for_each(kernel, extent). */
static void look_at_launch(struct error *error)
{
    if (!has_prefix(error->at, "amp_parallel_for_each"))
        return;
    replace(error, "the extent comes first, then the kernel, then its arguments [launch order]");
    drop_others(error);
}

/* Looks at amp_array_view1(data, n). */
static void look_at_data(struct error *error)
{
    bool is_swapped = strstr(error->text, "'amp_extent'") != NULL;
    if (!has_prefix(error->at, "amp_array_"))
        return;
    for (int i = 0; i < n_errors; i++)
        is_swapped |= errors[i].offset == error->offset && clang_File_isEqual(errors[i].file, error->file) &&
                      strstr(errors[i].text, "components_are_numbers_and_not_pointers");
    const char *macro = word_at(error->at);
    replace(error, arena_printf(is_swapped ? "the extent comes first in '%s', then the data [data before extent]"
                                           : "the data of '%s' are a pointer to elements, and this is none [data]",
                                macro));
    drop_others(error);
}

/* Errors that mention internals of amp.h, and our words for them. */
static const struct {
    const char *begin, *end, *text;
} own_words[] = {
    {"'annotate' attribute requires parameter", "constant expression",
     "the size of a tile must be an integer constant; use a literal, an enumerator or a macro [tile size constant]"},
    {"", "incompatible type 'amp_extent'",
     "this is no amp_extent; write amp_extent1(n), amp_extent2(rows, columns) [launch extent]"},
    {"", "'AMP_ERROR_a_launch_passes_at_most_31_arguments'",
     "a launch passes at most 31 arguments; put some into a struct [launch size]"},
    {"'data_are_rows_or_pointers", "",
     "the data of a view are elements, and these are rows; pass &data[0][0] [rows as data]"},
    {"'amp_atomic_fetch_inc_and_dec_need_an_integer'", "",
     "increments need an integer; write amp_atomic_fetch_add [atomic increment]"},
    {"'components_are_numbers_and_not_pointers'", "",
     "a component of an extent or an index is a number, and this is a pointer [pointer as component]"},
    {"'the_rank_is_an_integer'", "",
     "the rank of an extent or an index is an integer, and this is a floating-point number [rank as fraction]"},
    {"'the_destination_of_a_copy_is_const'", "", "the destination of this copy is const [copy to const]"},
    {"'atomic_operations_need_32_or_64_bits'", "",
     "atomic operations need 32 or 64 bits; use int, long, float or double [atomic size]"},
};

/* ---- the table of errors ---- */

/* What an error's text contains, and who looks at such an error. */
static const struct {
    const char *part;
    void (*look)(struct error *error);
} looks[] = {
    {"expected ", look_at_syntax},
    {"parameter named", look_at_syntax},
    {"was not declared, defaults to 'int'", look_at_syntax},
    {"type specifier missing", look_at_syntax},
    {"use of undeclared identifier", look_at_identifier},
    {"call to undeclared function", look_at_identifier},
    {"call to undeclared library function", look_at_identifier},
    {"unknown type name", look_at_type},
    {"arguments provided to function-like macro", look_at_macro},
    {"expected function body after function declarator", look_after_parameters},
    {"expected ';' after top level declarator", look_after_parameters},
    {"array subscript is not an integer", look_at_subscript},
    {"subscripted value is not an array", look_at_subscripted},
    {"expected identifier or '('", look_at_restrict},
    {"member reference base type", look_at_member},
    {"no member named", look_at_member},
    {"arguments to function call", look_at_call},
    {"passing '", look_at_call},
    {"read-only variable is not assignable", look_at_assignment},
    {"cannot assign to variable", look_at_assignment},
    {"cannot have 'static' storage duration", look_at_static},
    {"cannot combine with previous 'extern'", look_at_extern},
    {"operand of type 'amp_extent'", look_at_launch},
    {"indirection requires pointer operand", look_at_data},
};

static void look_at(struct error *error)
{
    for (size_t i = 0; i < sizeof own_words / sizeof *own_words && error->fate == ALONE; i++)
        if (strstr(error->text, own_words[i].begin) && strstr(error->text, own_words[i].end))
            replace(error, own_words[i].text);
    for (size_t i = 0; i < sizeof looks / sizeof *looks && error->fate == ALONE; i++)
        if (strstr(error->text, looks[i].part))
            looks[i].look(error);
}

/* Finds the brace of the first argument with commas between braces, in the call of a macro. Returns false if there is
 * none. The preprocessor splits such an argument. */
static bool find_braces(CXFile file, unsigned offset, struct place *place)
{
    CXToken *tokens;
    size_t size;
    unsigned n;
    int depth = 0, braces = 0;
    bool found = false;
    clang_getFileContents(tu, file, &size);
    CXSourceLocation end = clang_getLocationForOffset(tu, file, (unsigned)size);
    clang_tokenize(tu, clang_getRange(clang_getLocationForOffset(tu, file, offset), end), &tokens, &n);
    for (unsigned i = 1; i < n && !found && (i == 1 || depth > 0); i++) {
        const char *token = ast_text(clang_getTokenSpelling(tu, tokens[i]));
        depth += !strcmp(token, "(") - !strcmp(token, ")");
        if (depth == 1 && !strcmp(token, "{") && braces++ == 0)
            *place = ast_place_of(tu, clang_getTokenLocation(tu, tokens[i]));
        braces -= depth == 1 && !strcmp(token, "}");
        found = depth == 1 && braces > 0 && !strcmp(token, ",");
    }
    clang_disposeTokens(tu, tokens, n);
    return found;
}

/* Finds the same in a macro of amp.h that an error is about. */
static bool find_split(const struct error *error, struct place *place)
{
    static const char needed[] = "parentheses are required around macro argument";
    bool found = has_prefix(error->at, "amp_parallel_for_each") && find_braces(error->file, error->offset, place);
    CXDiagnosticSet notes = clang_getChildDiagnostics(error->diagnostic);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes) && !found; i++) {
        CXDiagnostic child = clang_getDiagnosticInSet(notes, i);
        CXFile file;
        unsigned offset;
        clang_getFileLocation(clang_getDiagnosticLocation(child), &file, NULL, NULL, &offset);
        found = has_prefix(ast_text(clang_getDiagnosticSpelling(child)), needed) &&
                has_prefix(text_at(file, offset), "amp_") && find_braces(file, offset, place);
        clang_disposeDiagnostic(child);
    }
    return found;
}

/* Reports macros whose arguments the preprocessor splits: clang would report each piece, in macros of amp.h. */
static bool report_braces(void)
{
    struct place place, last = {0};
    for (int i = 0; i < n_errors; i++)
        if (find_split(&errors[i], &place) && (place.line != last.line || place.column != last.column)) {
            diag_error(place,
                       "the preprocessor takes what stands between the commas here for arguments of its own; put "
                       "the value in parentheses: ((struct point){1, 2}) [launch braces]");
            last = place;
        }
    return last.line != 0;
}

/* ---- reports ---- */

bool errors_ask_clang(struct driver *driver)
{
    struct words args = {0};
    driver_add_options(driver, &args, true);
    driver_add_depend(driver, &args);
    words_add(&args, "-fsyntax-only");
    const char *input = driver_add_input(driver, &args, NULL);
    driver->status = driver_clang(&args, input);
    return driver->status == 0;
}

/* Reports an error that clang does not find, for example because libclang lacks headers: what was parsed is not the
 * source. */
static void report_disagreement(const struct error *error)
{
    diag_error(error->place,
               "%s, says libclang, which reads the kernels; clang does not: is libclang-common-%d-dev installed?",
               error->text, LLVM_VERSION_MAJOR);
}

/* Lists the errors. Returns whether all are such that clang goes on after them. */
static bool list_errors(void)
{
    unsigned n = clang_getNumDiagnostics(tu);
    bool is_complete = true;
    errors = arena_alloc((n + 1) * sizeof *errors);
    n_errors = 0;
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
        CXSourceLocation location = clang_getDiagnosticLocation(diagnostic);
        struct error *error = &errors[n_errors];
        if (clang_getDiagnosticSeverity(diagnostic) < CXDiagnostic_Error) {
            clang_disposeDiagnostic(diagnostic);
            continue;
        }
        is_complete = is_complete && clang_getDiagnosticSeverity(diagnostic) == CXDiagnostic_Error;
        *error = (struct error){.diagnostic = diagnostic,
                                .text = ast_text(clang_getDiagnosticSpelling(diagnostic)),
                                .place = ast_place_of(tu, location)};
        clang_getFileLocation(location, &error->file, NULL, NULL, &error->offset);
        error->at = text_at(error->file, error->offset);
        n_errors++;
    }
    return is_complete;
}

static void report_as_clang(const struct error *error)
{
    const char *option = ast_text(clang_getDiagnosticOption(error->diagnostic, NULL));
    diag_error(error->place, *option ? "%s [%s]" : "%s", error->text, option);
    CXDiagnosticSet notes = clang_getChildDiagnostics(error->diagnostic);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes) && !error->is_foreign; i++) {
        CXDiagnostic child = clang_getDiagnosticInSet(notes, i);
        diag_note(ast_place_of(tu, clang_getDiagnosticLocation(child)), "%s",
                  ast_text(clang_getDiagnosticSpelling(child)));
        clang_disposeDiagnostic(child);
    }
}

/* Reports an error with our words; `last` is the one before it that has a note, which is not repeated. */
static void report_error(const struct error *error, const struct error *last)
{
    if (error->fate == REPLACED)
        diag_error(error->place, "%s", error->words);
    else if (error->fate != DROPPED)
        report_as_clang(error);
    bool is_said = last && last->note_place.line == error->note_place.line && !strcmp(last->words, error->words);
    if (error->fate == NOTED && !is_said)
        diag_note(error->note_place, "%s", error->words);
}

/* Reports the errors ourselves if we have words for one. Returns whether we had. */
static bool report_ours(void)
{
    enum { MOST = 20 }; /* clang's limit */
    const struct error *last = NULL;
    bool is_ours = false;
    for (int i = 0; i < n_errors; i++) {
        look_at(&errors[i]);
        is_ours = is_ours || errors[i].fate != ALONE;
    }
    for (int i = 0; i < n_errors && is_ours; i++) {
        report_error(&errors[i], last);
        last = errors[i].fate == NOTED ? &errors[i] : last;
        if (diag_count() == MOST && i < n_errors - 1) {
            diag_command("too many errors, stopping now");
            break;
        }
    }
    return is_ours;
}

bool errors_report(struct driver *driver)
{
    tu = driver->tu;
    language_is_c = !driver_is_cpp(driver->input);
    bool is_complete = list_errors();
    if (n_errors && !report_cpp(driver) && !report_braces() && !(is_complete && report_ours()) &&
        errors_ask_clang(driver))
        report_disagreement(&errors[0]);
    for (int i = 0; i < n_errors; i++)
        clang_disposeDiagnostic(errors[i].diagnostic);
    return n_errors == 0;
}
