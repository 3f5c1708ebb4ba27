/* SPDX-License-Identifier: MIT
 *
 * Says clang's errors about restrictions as rules, with the calls by which kernels come to the place:
 *
 *     prog.cpp:7:38: error: 'h2' is called in code for accelerators, but is not restrict(amp); ... [host call]
 *     prog.cpp:6:5: note: 'h2' is declared here
 *     prog.cpp:9:70: note: a kernel comes here by this call of 'h1'
 *
 * clang says why it can call none of the functions of a name, one by one, and nothing about who calls the function at
 * hand. libclang has the same errors in parts: messages.c, which prints what clang has written, asks here at each. */
#include "front/ast.h"
#include "front/cpp/cpp.h"

#include <string.h>

/* What clang's note says of a function that cannot be called here, and what we say of the call. */
static const struct side {
    const char *note, *words, *state, *advice, *rule;
} sides[] = {
    {"call to __host__ function from __device__ function",
     "is called in code for accelerators, but is not restrict(amp)", "is not restrict(amp)",
     "mark it restrict(amp) or restrict(cpu, amp)", "host call"},
    {"call to __host__ function from __host__ __device__ function",
     "is called in code that is restrict(cpu, amp), but is not restrict(amp)", "is not restrict(amp)",
     "mark it restrict(cpu, amp)", "host call"},
    {"call to __device__ function from __host__ function", "is restrict(amp), and code for the host cannot call it",
     "is not restrict(cpu)", "mark it restrict(cpu, amp)", "call from host"},
    {"call to __device__ function from __host__ __device__ function",
     "is restrict(amp), and code that is restrict(cpu, amp) cannot call it", "is not restrict(cpu)",
     "mark it restrict(cpu, amp)", "call from host"},
};

static const char instantiation[] = "in instantiation of ";

/* An error of clang in parts. */
struct error {
    CXTranslationUnit tu;
    CXDiagnostic diagnostic;
    const char *text;
    CXSourceLocation location;
    CXDiagnosticSet notes;
    unsigned n_notes;
};

static const char *note_text(const struct error *error, unsigned i, CXSourceLocation *location)
{
    CXDiagnostic note = clang_getDiagnosticInSet(error->notes, i);
    const char *text = ast_text(clang_getDiagnosticSpelling(note));
    *location = clang_getDiagnosticLocation(note);
    clang_disposeDiagnostic(note);
    return text;
}

/* Whether a note is about what the compiler adds to a class, which has no marks. */
static bool is_about_implicit(const char *note)
{
    return strstr(note, "(the implicit ") != NULL;
}

/* Returns what restrictions say about a function; NULL if it cannot be called for other reasons. */
static const struct side *side_of(const char *note)
{
    if (is_about_implicit(note))
        return NULL;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (strstr(note, sides[i].note))
            return &sides[i];
    return NULL;
}

/* Whether a note is about one of the functions in the source that an error says cannot be called. */
static bool is_about_candidate(const char *note)
{
    return has_prefix(note, "candidate ") && !is_about_implicit(note);
}

/* Returns how messages call the function that a note is about. */
static const char *candidate_name(const struct error *error, CXSourceLocation location)
{
    CXCursor function = clang_getCursor(error->tu, location), parent = clang_getCursorSemanticParent(function);
    const char *name = ast_name(function);
    if (clang_getCursorKind(function) == CXCursor_Constructor ||
        (clang_getCursorKind(function) == CXCursor_FunctionTemplate && has_prefix(name, ast_name(parent)) &&
         strchr("<", name[strlen(ast_name(parent))])))
        return arena_printf("the constructor of '%s'", ast_name(parent));
    return *name ? arena_printf("'%s'", name) : "what is called here";
}

/* Returns what to do about a function that cannot be called. */
static const char *advice_about(const struct side *side, const char *name, bool is_in_header)
{
    if (!is_in_header)
        return side->advice;
    if (!strcmp(side->rule, "call from host"))
        return "its header has it for accelerators alone";
    return !strcmp(name, "'printf'") ? "direct3d_printf can be called instead" : "its header has it for the host alone";
}

/* Prints the notes about the functions that cannot be called, and those that lead to the place. */
static void print_notes(const struct error *error, const struct cpp_syntax *syntax)
{
    CXSourceLocation location, last = error->location;
    for (unsigned i = 0; i < error->n_notes; i++) {
        const char *text = note_text(error, i, &location);
        if (has_prefix(text, instantiation))
            last = location;
        if (clang_Location_isInSystemHeader(location) || is_about_implicit(text))
            continue;
        if (side_of(text))
            text = arena_printf("%s is declared here", candidate_name(error, location));
        diag_note(ast_place_of(error->tu, location), "%s", cpp_in_our_words(text));
    }
    cpp_note_callers(syntax->calls, last);
}

/* Returns the object of a member or an operator that an error is about, "q" of q[0] and q.at(0), and sets its place; ""
 * if there is none. */
static const char *find_object(const struct error *error, CXSourceLocation *location)
{
    if (clang_getDiagnosticNumRanges(error->diagnostic) == 0)
        return "";
    CXFile file;
    unsigned begin, end;
    size_t size;
    CXSourceLocation start = clang_getRangeStart(clang_getDiagnosticRange(error->diagnostic, 0));
    clang_getFileLocation(start, &file, NULL, NULL, &begin);
    clang_getFileLocation(error->location, NULL, NULL, NULL, &end);
    const char *text = file ? clang_getFileContents(error->tu, file, &size) : NULL;
    while (text && begin < end && end <= size && strchr(" .->\n", text[end - 1]))
        end--;
    if (!text || begin >= end || end > size)
        return "";
    *location = start;
    return arena_printf("%.*s", (int)(end - begin), text + begin);
}

/* Reports the use of an object that keeps its elements in the host's memory, if such a class has the function at
 * `candidate`. */
static bool report_container(const struct error *error, const struct cpp_syntax *syntax, CXSourceLocation candidate)
{
    CXCursor function = clang_getCursor(error->tu, candidate), class = clang_getCursorSemanticParent(function);
    CXSourceLocation location = error->location;
    if (clang_getCursorKind(function) == CXCursor_Constructor || !cpp_is_host_container(class))
        return false;
    const char *name = find_object(error, &location);
    diag_error(ast_place_of(error->tu, location), "%s", cpp_container_error(name, class));
    cpp_note_callers(syntax->calls, location);
    return true;
}

/* Reports that none of the functions of a name can be called, if restrictions are a reason. */
static bool report_candidates(const struct error *error, const struct cpp_syntax *syntax)
{
    const struct side *side = NULL;
    const char *name = "";
    CXSourceLocation location, of_side = error->location;
    bool is_all = true, is_in_header = false;
    for (unsigned i = 0; i < error->n_notes; i++) {
        const char *text = note_text(error, i, &location);
        const struct side *its = side_of(text);
        if (its && !side) {
            side = its;
            of_side = location;
            name = candidate_name(error, location);
            is_in_header = clang_Location_isInSystemHeader(location);
        }
        is_all = is_all && (its || !is_about_candidate(text) || clang_Location_isInSystemHeader(location));
    }
    if (!side || report_container(error, syntax, of_side))
        return side != NULL;
    struct place place = ast_place_of(error->tu, error->location);
    if (is_all)
        diag_error(place, "%s %s; %s [%s]", name, side->words, advice_about(side, name, is_in_header), side->rule);
    else
        diag_error(place, "%s is the one to call here, but %s; %s, or pass what another one takes [%s]", name,
                   side->state, side->advice, side->rule);
    print_notes(error, syntax);
    return true;
}

/* Reports that several functions may be called, which in code for accelerators are not all that a header has. */
static bool report_ambiguity(const struct error *error, const struct cpp_syntax *syntax)
{
    CXSourceLocation location;
    bool is_in_header = error->n_notes > 0 && cpp_has_function_at(syntax->calls, error->location);
    for (unsigned i = 0; i < error->n_notes && is_in_header; i++) {
        note_text(error, i, &location);
        is_in_header = clang_Location_isInSystemHeader(location);
    }
    if (!is_in_header)
        return false;
    diag_error(ast_place_of(error->tu, error->location),
               "%s for accelerators, which do not have all functions of the host's headers; call one of "
               "concurrency::fast_math or concurrency::precise_math, or convert the arguments [host call]",
               error->text);
    print_notes(error, syntax);
    return true;
}

/* Reports that code for accelerators follows one of the host's pointers that are objects. */
static bool report_smart_pointer(const struct error *error, const struct cpp_syntax *syntax)
{
    static const char *const types[] = {"std::unique_ptr", "std::shared_ptr"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strstr(error->text, arena_printf("%s<", types[i])) && cpp_has_function_at(syntax->calls, error->location)) {
            diag_error(ast_place_of(error->tu, error->location),
                       "a kernel cannot follow a %s, which leads into the host's memory; capture an array_view of the "
                       "memory instead [captured pointer]",
                       types[i]);
            cpp_note_callers(syntax->calls, error->location);
            return true;
        }
    return false;
}

/* Reports the call of a function that clang has chosen. */
static void report_choice(const struct error *error, const struct cpp_syntax *syntax)
{
    CXSourceLocation location;
    const char *words = cpp_in_our_words(error->text);
    for (unsigned i = 0; i < error->n_notes && strstr(words, "[host call]"); i++) {
        note_text(error, i, &location);
        if (clang_Location_isInSystemHeader(location)) {
            const char *name = candidate_name(error, location);
            words = arena_printf("%s %s; %s [%s]", name, sides[0].words, advice_about(&sides[0], name, true),
                                 sides[0].rule);
            break;
        }
    }
    diag_error(ast_place_of(error->tu, error->location), "%s", words);
    print_notes(error, syntax);
}

/* Reports an error about restrictions. Returns false if it is about something else. */
static bool report(const struct error *error, const struct cpp_syntax *syntax)
{
    if (has_prefix(error->text, "call to '") && strstr(error->text, "is ambiguous"))
        return report_ambiguity(error, syntax);
    if (has_prefix(error->text, "indirection requires pointer") || has_prefix(error->text, "member reference type"))
        return report_smart_pointer(error, syntax);
    if (!has_prefix(error->text, "reference to __"))
        return report_candidates(error, syntax);
    report_choice(error, syntax);
    return true;
}

bool cpp_report_restriction(const struct cpp_syntax *syntax, struct place place)
{
    bool is_reported = false;
    for (unsigned i = 0; i < clang_getNumDiagnostics(syntax->tu) && !is_reported; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(syntax->tu, i);
        struct error error = {syntax->tu, diagnostic, .location = clang_getDiagnosticLocation(diagnostic)};
        struct place its = ast_place_of(syntax->tu, error.location);
        if (clang_getDiagnosticSeverity(diagnostic) == CXDiagnostic_Error && its.file && its.line == place.line &&
            its.column == place.column && !strcmp(its.file, place.file)) {
            error.text = ast_text(clang_getDiagnosticSpelling(diagnostic));
            error.notes = clang_getChildDiagnostics(diagnostic);
            error.n_notes = clang_getNumDiagnosticsInSet(error.notes);
            is_reported = report(&error, syntax);
        }
        clang_disposeDiagnostic(diagnostic);
    }
    return is_reported;
}
