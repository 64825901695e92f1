/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of the file that the first argument names, such as tensor/dtype, or those of them
 * whose names fit the pattern in the second, such as bits_*. Without arguments it lists the
 * files. */
#include "tests.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LeakSanitizer calls this by its name, where it is linked in. PoCL's compiler keeps memory until
 * the process ends: what is found below PoCL, LLVM or Clang is not reported. gives: a static
 * text */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\nleak:libclang\n";
}

enum { MAX_TESTS = 256, MAX_NAME = 128 }; /* of a file */

/* Constructors of one file follow each other; compilers may call them in any order. */
static test_entry *entries;

void tests_add(test_entry *entry)
{
    entry->next = entries;
    entries = entry;
}

/* tests/c/tensor/test_dtype.c is tensor/dtype. */
static void name_file(const char *path, char name[MAX_NAME])
{
    const char *subject = strstr(path, "/test_"), *room = subject;
    while (room > path && room[-1] != '/')
        --room;
    snprintf(name, MAX_NAME, "%.*s/%s", (int)(subject - room), room, subject + strlen("/test_"));
    *strrchr(name, '.') = '\0';
}

static void list_files(void)
{
    char name[MAX_NAME], last[MAX_NAME] = "";
    for (const test_entry *e = entries; e != NULL; e = e->next) {
        name_file(e->file, name);
        if (strcmp(name, last) != 0)
            puts(name);
        memcpy(last, name, sizeof last);
    }
}

static int by_line(const void *a, const void *b)
{
    return (*(test_entry *const *)a)->line - (*(test_entry *const *)b)->line;
}

/* gives: how many tests and functions around them the file has */
static int find_entries(const char *wanted, test_entry *found[MAX_TESTS])
{
    char name[MAX_NAME];
    int count = 0;
    for (test_entry *e = entries; e != NULL; e = e->next) {
        name_file(e->file, name);
        if (strcmp(name, wanted) != 0)
            continue;
        if (count == MAX_TESTS)
            abort();
        found[count++] = e;
    }
    qsort(found, (size_t)count, sizeof *found, by_line);
    return count;
}

/* pattern: of the names of the tests to run; NULL for all
 * gives: how many tests have failed, or 2 if there is none to run */
static int run_file(const char *name, const char *pattern)
{
    test_entry *found[MAX_TESTS];
    struct CMUnitTest tests[MAX_TESTS];
    CMFixtureFunction around[TESTS_ROLE_COUNT] = {0};
    int count = find_entries(name, found), ntests = 0;
    for (int i = 0; i < count; i++)
        around[found[i]->role] = found[i]->around;
    for (int i = 0; i < count; i++) {
        if (found[i]->role == TESTS_TEST &&
            (pattern == NULL || fnmatch(pattern, found[i]->name, 0) == 0))
            tests[ntests++] =
                (struct CMUnitTest){found[i]->name, found[i]->run, around[TESTS_BEFORE_EACH],
                                    around[TESTS_AFTER_EACH], NULL};
    }
    if (ntests == 0) {
        fprintf(stderr, "no test of %s is named %s\n", name, pattern != NULL ? pattern : "*");
        return 2;
    }
    return _cmocka_run_group_tests(name, tests, (size_t)ntests, around[TESTS_BEFORE_ALL],
                                   around[TESTS_AFTER_ALL]);
}

int main(int count, char **arguments)
{
    if (count < 2) {
        list_files();
        return 0;
    }
    return run_file(arguments[1], count > 2 ? arguments[2] : NULL);
}
