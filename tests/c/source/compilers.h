/* SPDX-License-Identifier: Apache-2.0 */
/* Printed texts through the compilers of their dialects, where there are such. */
#ifndef TESTS_SOURCE_COMPILERS_H
#define TESTS_SOURCE_COMPILERS_H

#include "../support.h"

#include "device/device.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A sanitizer sees the texts printed; the compilers take minutes, and it sees nothing of them. */
#ifdef __SANITIZE_ADDRESS__
#define COMPILES false
#else
#define COMPILES true
#endif

#define HIP                                                                                        \
    "clang-19 -x hip %s --cuda-device-only -nogpuinc -nogpulib -Wno-everything -O1 -S "            \
    "-o /dev/null %s --offload-arch="

/* Skips the test where the tool is not there. */
static inline void need_tool(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", name);
    if (system(command) == 0)
        return;
    print_message("%s is not there: its dialect is not compiled\n", name);
    skip();
}

/* The command has %1$s for the flags and %2$s for the file, or %s for each in this order.
 * gives: its status */
static inline int compile_unit(const device_unit *unit, const char *format)
{
    char path[] = "/tmp/joggle-source-XXXXXX", command[1024];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, unit->text, unit->nbytes), (ssize_t)unit->nbytes);
    close(file);
    snprintf(command, sizeof command, format, unit->flags, path);
    int status = COMPILES ? system(command) : 0;
    unlink(path);
    return status;
}

#endif
