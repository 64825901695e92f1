/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the test program that its argument names, or lists them all. */
#include <stdio.h>
#include <string.h>

#define TEST(name, run) int run(void);
#include "tests.def"
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name, run) {name, run},
#include "tests.def"
#undef TEST
};

/* LeakSanitizer calls this by its name, where it is linked in. PoCL's compiler keeps memory until
 * the process ends: what is found below PoCL, LLVM or Clang is not reported. gives: a static
 * text */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\nleak:libclang\n";
}

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (count < 2)
            puts(tests[i].name);
        else if (strcmp(arguments[1], tests[i].name) == 0)
            return tests[i].run();
    }
    if (count < 2)
        return 0;
    fprintf(stderr, "%s: no test is named %s\n", arguments[0], arguments[1]);
    return 2;
}
