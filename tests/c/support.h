/* SPDX-License-Identifier: Apache-2.0 */
/* What every C test starts with: TEST(name) from tests.h, and checks of statuses that show joggle's
 * own message when they fail. */
#ifndef JG_TESTS_SUPPORT_H
#define JG_TESTS_SUPPORT_H

#include "tests.h"

#include "base/base.h"
#include <pthread.h>
#include <string.h>

#define assert_ok(call) check_status((call), JG_OK, #call, __FILE__, __LINE__)
#define assert_fails(expected, call) check_status((call), (expected), #call, __FILE__, __LINE__)

/* A failure of that status whose message holds the text: the argument's name, what it was. */
#define assert_fails_saying(expected, text, call)                                                  \
    do {                                                                                           \
        assert_fails(expected, call);                                                              \
        check_message((text), __FILE__, __LINE__);                                                 \
    } while (0)

static inline void check_status(jg_status got, jg_status expected, const char *call,
                                const char *file, int line)
{
    if (got == expected)
        return;
    print_error("%s\n  gave %s (%s), expected %s\n", call, jg_status_name(got),
                got != JG_OK ? jg_error_message() : "", jg_status_name(expected));
    _fail(file, line);
}

static inline void check_message(const char *text, const char *file, int line)
{
    if (strstr(jg_error_message(), text) != NULL)
        return;
    print_error("the message \"%s\" does not hold \"%s\"\n", jg_error_message(), text);
    _fail(file, line);
}

/* Runs body on count threads at once, each with its own element of contexts, and waits for them.
 * Asserting is for the caller: cmocka's checks work on the test's own thread only. */
static inline void run_threads(int count, void *(*body)(void *), void *contexts, size_t nbytes)
{
    pthread_t threads[64];
    assert_true(count <= (int)JG_COUNT_OF(threads));
    for (int i = 0; i < count; ++i)
        assert_int_equal(
            pthread_create(&threads[i], NULL, body, (char *)contexts + (size_t)i * nbytes), 0);
    for (int i = 0; i < count; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* A small generator with a fixed start, so that a failure can be repeated. */
static inline uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* A number from low to high, both included. */
static inline int64_t random_between(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(next_random(state) % (uint64_t)(high - low + 1));
}

#endif
