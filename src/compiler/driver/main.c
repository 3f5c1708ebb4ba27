/* SPDX-License-Identifier: MIT */
#include "driver/driver.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

static int run(const struct command *command)
{
    if (command->help) {
        options_help();
        return 0;
    }
    if (command->version) {
        unsigned major, minor, patch;
        LLVMGetVersion(&major, &minor, &patch);
        CXString libclang = clang_getClangVersion();
        printf("ampcc %s (LLVM %u.%u.%u)\nlibclang: %s\n", AMPCC_VERSION, major, minor, patch,
               clang_getCString(libclang));
        clang_disposeString(libclang);
        return 0;
    }
    if (command->passes) {
        passes_list(stdout);
        return 0;
    }
    diag_setup(command->colour, command->carets);
    diag_setup_warnings(&command->warnings);
    return driver_run(command);
}

int main(int n_args, char **args)
{
    static struct command command;
    bool is_new = n_args > 1 && !strcmp(args[1], "--new");
    if (!is_new && !options_parse(&command, n_args, args))
        return EXIT_USER_ERROR;
    int status = is_new ? new_project(n_args - 2, args + 2) : run(&command);
    if (!fflush(stdout) && !ferror(stdout))
        return status;
    diag_command("cannot write all that belongs on the standard output");
    return status ? status : EXIT_USER_ERROR;
}
