/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds differ from request to request, and from process to process, also where the system gives no
 * entropy. */
#include "../support.h"
#include <errno.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool refuses;

/* These two stand before libc's for all that this program calls. In a container the first process
 * has number 1, and a sandbox may refuse to give entropy. */
ssize_t getrandom(void *out, size_t nbytes, unsigned flags)
{
    if (!refuses)
        return syscall(SYS_getrandom, out, nbytes, flags);
    errno = ENOSYS;
    return -1;
}

pid_t getpid(void)
{
    return refuses ? 1 : (pid_t)syscall(SYS_getpid);
}

/* gives: the first seed of a child, which has asked as often as this process */
static uint64_t seed_of_child(void)
{
    int ends[2];
    uint64_t seed;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        seed = base_entropy();
        _exit(write(ends[1], &seed, sizeof seed) != (ssize_t)sizeof seed);
    }
    assert_int_equal(read(ends[0], &seed, sizeof seed), sizeof seed);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ends[0]);
    close(ends[1]);
    return seed;
}

TEST(two_requests_differ)
{
    assert_true(base_entropy() != base_entropy());
}

TEST(two_processes_differ)
{
    assert_true(seed_of_child() != seed_of_child());
}

TEST(two_requests_differ_where_the_system_gives_no_entropy)
{
    refuses = true;
    two_requests_differ(state);
    refuses = false;
}

TEST(two_processes_of_one_number_differ_where_the_system_gives_no_entropy)
{
    refuses = true;
    two_processes_differ(state);
    refuses = false;
}
