/* SPDX-License-Identifier: Apache-2.0 */
/* Printed texts through the compilers of their dialects, where there are such. */
#ifndef TESTS_SOURCE_COMPILERS_H
#define TESTS_SOURCE_COMPILERS_H

#include "../support.h"

#include "base/base.h"
#include "device/device.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* What the compilers are, and what stands in for their libraries.
 * gives: a hash of it; 0 if it cannot be told */
static inline uint64_t hash_compilers(void)
{
    static const char told_by[] =
        "cd %s/tests/c/source && cat nvrtc.py metal_stdlib && clang-19 --version 2>&1; "
        "python3 nvrtc.py 2>&1";
    char command[512], told[1 << 16];
    snprintf(command, sizeof command, told_by, getenv("JOGGLE_TEST_ROOT"));
    FILE *output = popen(command, "r");
    if (!output)
        return 0;
    size_t nbytes = fread(told, 1, sizeof told, output);
    bool whole = nbytes < sizeof told;
    pclose(output);
    return whole ? hash_bytes(told, nbytes) : 0;
}

/* The file that says that the unit went through this command before: compilers take minutes for all
 * texts, which seldom change. An empty path where nothing is kept. */
static inline void record_path(const device_unit *unit, const char *format, char *out,
                               size_t nbytes)
{
    static uint64_t compilers;
    const char *folder = getenv("JOGGLE_TEST_COMPILED");
    compilers = compilers ? compilers : hash_compilers();
    uint64_t hashes[] = {compilers, hash_bytes(format, strlen(format)),
                         hash_bytes(unit->flags, strlen(unit->flags)),
                         hash_bytes(unit->text, unit->nbytes)};
    *out = '\0';
    if (folder && compilers && (mkdir(folder, 0777) == 0 || errno == EEXIST))
        snprintf(out, nbytes, "%s/%016" PRIx64, folder, hash_bytes(hashes, sizeof hashes));
}

/* The command has %1$s for the flags and %2$s for the file, or %s for each in this order. A unit
 * that it once took is not compiled again.
 * gives: its status */
static inline int compile_unit(const device_unit *unit, const char *format)
{
    char path[] = "/tmp/joggle-source-XXXXXX", command[1024], record[1024];
    if (!COMPILES)
        return 0;
    record_path(unit, format, record, sizeof record);
    if (*record && access(record, F_OK) == 0)
        return 0;
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, unit->text, unit->nbytes), (ssize_t)unit->nbytes);
    close(file);
    snprintf(command, sizeof command, format, unit->flags, path);
    int status = system(command);
    unlink(path);
    FILE *kept = status == 0 && *record ? fopen(record, "w") : NULL;
    if (kept)
        fclose(kept);
    return status;
}

#endif
