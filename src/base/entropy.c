/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that nobody can foresee, for seeds.
 *
 * They are the system's. Some sandboxes refuse the call, so the time, the process and how often the
 * process has asked are always mixed in: two requests differ without the system as well. The
 * process alone would not do, as it has the same number in many containers. */
#include "base/base.h"
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t base_entropy(void)
{
    static atomic_uint_fast64_t requests;
    struct timespec now;
    uint64_t words[5] = {0};
    if (getrandom(&words[0], sizeof words[0], 0) != (ssize_t)sizeof words[0])
        words[0] = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    words[1] = (uint64_t)now.tv_sec;
    words[2] = (uint64_t)now.tv_nsec;
    words[3] = (uint64_t)getpid();
    words[4] = atomic_fetch_add_explicit(&requests, 1, memory_order_relaxed);
    return hash_bytes(words, sizeof words);
}
