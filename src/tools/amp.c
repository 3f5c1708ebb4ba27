/* SPDX-License-Identifier: MIT
 *
 * amp: says what a machine has for programs that use libamp. */
#include "tools.h"

#include <amp.h>

#include <stdio.h>
#include <string.h>

static const char usage[] = "usage: amp info [--json]\n"
                            "       amp doctor [--json]\n"
                            "\n"
                            "info    shows the accelerators of this machine, and why a driver could not be used\n"
                            "doctor  tries what works here, and says what is missing and how to install it; the exit\n"
                            "        status is 0 if kernels can be compiled, and run on cpu\n"
                            "\n"
                            "  --json     for programs\n"
                            "  --help     this text\n"
                            "  --version  the version\n";

int main(int argc, char **argv)
{
    const char *command = argc >= 2 ? argv[1] : "";
    bool is_info = !strcmp(command, "info"), is_doctor = !strcmp(command, "doctor"), is_well = true;
    bool is_json = argc == 3 && !strcmp(argv[2], "--json");
    if (argc == 2 && (!strcmp(command, "--help") || !strcmp(command, "-h")))
        fputs(usage, stdout);
    else if (argc == 2 && !strcmp(command, "--version"))
        printf("amp %d.%d.%d\n", amp_version() / 10000, amp_version() / 100 % 100, amp_version() % 100);
    else if (is_info && (argc == 2 || is_json))
        info_print(is_json);
    else if (is_doctor && (argc == 2 || is_json))
        is_well = doctor_print(is_json);
    else {
        fputs(usage, stderr);
        return 2;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("amp: standard output");
        return 1;
    }
    return !is_well;
}
