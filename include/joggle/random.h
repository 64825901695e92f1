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

/* Where the sequence is: its key, and how many were drawn. From a place that is put back the same
 * keys follow; draws of other threads meanwhile are part of either. seek raises: UNSUPPORTED inside
 * of a function that is recorded, whose calls would not repeat it | waits: never */
typedef struct jg_random_place {
    uint64_t key, count;
} jg_random_place;
JG_API jg_random_place jg_random_tell(void);
JG_API JG_CHECKED jg_status jg_random_seek(jg_random_place place);

#ifdef __cplusplus
}
#endif
#endif
