/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that run on PoCL, whose compiler keeps memory until the process ends: what LeakSanitizer
 * finds below PoCL, LLVM or Clang is not reported. Leaks of joggle and of the test are. */
#ifndef TESTS_FOREIGN_LEAKS_H
#define TESTS_FOREIGN_LEAKS_H

/* LeakSanitizer calls this by its name, where it is linked in. gives: a static text */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\nleak:libclang\n";
}

#endif
