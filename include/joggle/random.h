/* SPDX-License-Identifier: Apache-2.0 */
/* The process's own sequence of random keys, which draws without a key take theirs from. */
#ifndef JOGGLE_RANDOM_H
#define JOGGLE_RANDOM_H

#include <joggle/status.h>
#include <joggle/version.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the sequence anew: from here on, draws without a key repeat what they gave after an
 * earlier call with the same seed. Unseeded, it starts from the system's entropy.
 * raises: never | waits: never */
JG_API void jg_random_seed(uint64_t seed);

/* The position in the sequence of keys: the key it began with, and how many keys were drawn. After
 * a seek to a position the same keys follow again. Draws of other threads count in the same
 * sequence. seek raises: UNSUPPORTED in a function that is being recorded, as later calls of the
 * record would not repeat the seek | waits: never */
typedef struct jg_random_place {
    uint64_t key, count;
} jg_random_place;
JG_API jg_random_place jg_random_tell(void);
JG_API JG_CHECKED jg_status jg_random_seek(jg_random_place place);

#ifdef __cplusplus
}
#endif
#endif
