/* SPDX-License-Identifier: MIT
 *
 * `ampcc --new NAME` makes a project: a copy of the files in share/amp/new, in which @NAME@ and the like stand for what
 * only this run knows. In their names, "dot-" stands for ".". */
#include "driver/driver.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A word in the templates, and what replaces it. */
struct replacement {
    const char *word, *with;
};
enum { N_REPLACEMENTS = 4 };

struct project {
    const char *folder, *name, *templates;
    struct replacement replacements[N_REPLACEMENTS];
    struct words files; /* those that were written */
};

/* The name becomes that of a folder, of a program, and of targets for make and CMake. */
static bool is_usable(const char *name)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    static const char taken[] =
        "ALL_BUILD INSTALL PACKAGE RUN_TESTS ZERO_CHECK all build clean edit_cache help install "
        "package preinstall rebuild_cache run test Makefile";
    if (!isalpha((unsigned char)*name) || name[strspn(name, characters)]) {
        diag_command("'%s' cannot be the name of a project: use letters, digits, '_' and '-', and begin with a letter",
                     name);
        return false;
    }
    if (is_word_of(name, taken)) {
        diag_command("'%s' cannot be the name of a project: make or CMake has its own use for it", name);
        return false;
    }
    return true;
}

/* Returns a template's text with all replacements made. */
static struct text replace(const struct project *project, const char *template)
{
    struct text text = {0};
    text_add_bytes(&text, "", 0);
    while (*template) {
        const struct replacement *r = project->replacements;
        while (r < project->replacements + N_REPLACEMENTS && !has_prefix(template, r->word))
            r++;
        bool is_word = r < project->replacements + N_REPLACEMENTS;
        if (is_word)
            text_add(&text, "%s", r->with);
        else
            text_add_bytes(&text, template, 1);
        template += is_word ? strlen(r->word) : 1;
    }
    return text;
}

/* Makes one file of the project. Returns false after an error. */
static bool write_file(struct project *project, const char *template)
{
    static const char dot[] = "dot-";
    bool is_hidden = has_prefix(template, dot);
    const char *from = arena_printf("%s/%s", project->templates, template);
    const char *to =
        arena_printf("%s/%s%s", project->folder, is_hidden ? "." : "", template + (is_hidden ? strlen(dot) : 0));
    struct text text = {0};
    FILE *source = fopen(from, "r");
    if (!source || !text_add_file(&text, source)) {
        diag_command("cannot read '%s': %s", from, strerror(errno));
        if (source)
            fclose(source);
        return false;
    }
    fclose(source);
    text = replace(project, text.chars);
    FILE *file = fopen(to, "wx");
    if (file)
        words_add(&project->files, to);
    size_t written = file ? fwrite(text.chars, 1, text.size, file) : 0;
    if (!file || fclose(file) || written != text.size) {
        diag_command("cannot write '%s': %s", to, strerror(errno));
        return false;
    }
    return true;
}

static bool write_files(struct project *project)
{
    DIR *templates = opendir(project->templates);
    if (!templates) {
        diag_command("cannot read '%s', where the files of new projects are: %s", project->templates, strerror(errno));
        return false;
    }
    bool good = true;
    for (const struct dirent *entry; good && (entry = readdir(templates));)
        if (entry->d_name[0] != '.')
            good = write_file(project, entry->d_name);
    closedir(templates);
    return good;
}

static void remove_files(const struct project *project)
{
    for (int i = 0; i < project->files.n; i++)
        unlink(project->files.items[i]);
    rmdir(project->folder);
}

/* Makes the project find this ampcc. One that is on the PATH needs no path in the project, which then builds on other
 * machines, too. */
static struct project project_of(const char *folder, const char *name)
{
    const char *prefix = driver_prefix(), *found = driver_find_program("ampcc");
    bool is_on_path = found && is_same_file(found, "/proc/self/exe");
    return (struct project){
        .folder = folder,
        .name = name,
        .templates = arena_printf("%s/share/amp/new", prefix),
        .replacements = {{"@NAME@", name},
                         {"@AMPCC@", is_on_path ? "ampcc" : arena_printf("'%s/bin/ampcc'", prefix)},
                         {"@HINTS@", is_on_path ? "" : arena_printf(" HINTS \"%s\"", prefix)},
                         {"@INCLUDE@", arena_printf("%s/include", prefix)}},
    };
}

int new_project(int n_names, char **names)
{
    if (n_names != 1 || !*names[0]) {
        diag_command("--new takes the name of the project to make, and nothing else: ampcc --new NAME");
        return EXIT_USER_ERROR;
    }
    char *folder = arena_printf("%s", names[0]);
    for (size_t length = strlen(folder); length > 1 && folder[length - 1] == '/'; length--)
        folder[length - 1] = 0;
    struct project project = project_of(folder, file_name(folder));
    if (!is_usable(project.name))
        return EXIT_USER_ERROR;
    if (mkdir(folder, 0777)) {
        diag_command("cannot make the folder '%s': %s", folder,
                     errno == EEXIST ? "it exists, or a file of this name" : strerror(errno));
        return EXIT_USER_ERROR;
    }
    if (!write_files(&project)) {
        remove_files(&project);
        return EXIT_USER_ERROR;
    }
    printf("made %s; to build and run it: cd %s && make run\n", folder, folder);
    return 0;
}
