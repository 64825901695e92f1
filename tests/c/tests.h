/* SPDX-License-Identifier: Apache-2.0 */
/* How a test is written: TEST(a_sentence_about_behaviour) { ... }. That is all: a constructor adds
 * the test to the list that main.c runs, under the name of its file (tests/c/tensor/test_dtype.c is
 * tensor/dtype), so no list of tests is kept by hand. A file's tests run in the order in which they
 * stand.
 *
 * A file may name functions for cmocka, which return 0 or fail: BEFORE_ALL(function) and
 * AFTER_ALL(function) run once, BEFORE_EACH(function) and AFTER_EACH(function) around every
 * test. */
#ifndef JG_TESTS_TESTS_H
#define JG_TESTS_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef enum test_role {
    TESTS_TEST,
    TESTS_BEFORE_ALL,
    TESTS_AFTER_ALL,
    TESTS_BEFORE_EACH,
    TESTS_AFTER_EACH,
    TESTS_ROLE_COUNT,
} test_role;

/* A test of a file, or a function that runs around its tests. */
typedef struct test_entry {
    const char *file;
    int line;
    test_role role;
    const char *name;
    CMUnitTestFunction run;   /* of a test */
    CMFixtureFunction around; /* of the others */
    struct test_entry *next;
} test_entry;

/* keeps: entry */
void tests_add(test_entry *entry);

/* __BASE_FILE__ is the file that is compiled: a header may hold tests for several. */
#define TESTS_ADD(condition, role, name, run, around)                                              \
    __attribute__((constructor)) static void add_##role##_##name(void)                             \
    {                                                                                              \
        static test_entry entry = {__BASE_FILE__, __LINE__, role, #name, run, around, NULL};       \
        if (condition)                                                                             \
            tests_add(&entry);                                                                     \
    }

/* A test that is there if the condition holds when the program starts. */
#define TEST_IF(condition, name)                                                                   \
    static void name(void **state);                                                                \
    TESTS_ADD(condition, TESTS_TEST, name, name, NULL)                                             \
    static void name(void **state __attribute__((unused)))

#define TEST(name) TEST_IF(true, name)

#define BEFORE_ALL(function) TESTS_ADD(true, TESTS_BEFORE_ALL, function, NULL, function)
#define AFTER_ALL(function) TESTS_ADD(true, TESTS_AFTER_ALL, function, NULL, function)
#define BEFORE_EACH(function) TESTS_ADD(true, TESTS_BEFORE_EACH, function, NULL, function)
#define AFTER_EACH(function) TESTS_ADD(true, TESTS_AFTER_EACH, function, NULL, function)

#endif
