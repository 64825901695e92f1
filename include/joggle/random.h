/* SPDX-License-Identifier: Apache-2.0 */
/* The process's own sequence of random keys, which draws without a key take theirs from. */
#ifndef JOGGLE_RANDOM_H
#define JOGGLE_RANDOM_H

#include <joggle/version.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the sequence anew: from here on, draws without a key repeat what they gave after an
 * earlier call with the same seed. Unseeded, it starts from the system's entropy.
 * raises: never | waits: never */
JG_API void jg_random_seed(uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
