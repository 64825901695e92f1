/* SPDX-License-Identifier: Apache-2.0 */
/* Tests under Oclgrind, an OpenCL device that reports races, accesses outside of buffers and values
 * that nothing has set: the program starts itself once more under it, and reads what it says. */
#ifndef JG_TESTS_OCLGRIND_H
#define JG_TESTS_OCLGRIND_H

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the program is told of the run; NULL where it is not under Oclgrind. */
static inline const char *oclgrind_mode(void)
{
    return getenv("JOGGLE_INSIDE");
}

/* Oclgrind has itself loaded before AddressSanitizer, which otherwise stops the program for it. */
#define OCLGRIND_SANITIZER "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"

/* Fails unless the named test, which has that many cases then, passes and nothing is reported. */
static inline void run_under_oclgrind(const char *name, const char *options, const char *mode,
                                      int cases)
{
    char self[512], command[1024], line[512], end[32];
    int faults = 0;
    bool passed = false;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    snprintf(end, sizeof end, "[  PASSED  ] %d test", cases);
    snprintf(command, sizeof command, OCLGRIND_SANITIZER " JOGGLE_INSIDE=%s oclgrind %s %s %s 2>&1",
             mode, options, self, name);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    while (fgets(line, sizeof line, output) != NULL) {
        faults += strstr(line, "race") != NULL || strstr(line, "Invalid") != NULL ||
                  strstr(line, "ninitialized") != NULL || strstr(line, "FAILED") != NULL;
        passed |= strstr(line, end) != NULL;
        if (faults > 0 && faults < 20)
            print_message("%s", line);
    }
    assert_int_equal(pclose(output), 0);
    assert_int_equal(faults, 0);
    assert_true(passed);
}

#endif
