/* SPDX-License-Identifier: Apache-2.0 */
/* A body that runs in a child of a fork, which is killed when it hangs. */
#ifndef TESTS_FORKED_H
#define TESTS_FORKED_H

#include "support.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child: ends it with the line's number, which the parent shows. */
#define CHILD_CHECK(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s; %s\n", __FILE__, __LINE__, #condition,                     \
                    jg_error_message());                                                           \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* Runs the body in a child, which has 20 seconds and must return 0. */
static inline void run_forked(int (*body)(void *), void *context)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(20);
        _exit(body(context));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        fail_msg("the child was killed by signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
