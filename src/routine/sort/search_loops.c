/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search for many keys at a time in keys that are sorted. The searches take the same steps,
 * so that none has a branch, and their loads are under way together. The larger half of what is
 * left is kept at each step, so that all searches take as many; an element may be looked at
 * twice. */
#include "routine/loops.h"

enum { TOGETHER = 16 };

/* BEFORE: which keys come before the index that is looked for. */
#define SEARCH_FUNCTION(NAME, KEY, BEFORE)                                                         \
    static inline int64_t step_##NAME(const KEY *keys, int64_t first, int64_t half, KEY wanted)    \
    {                                                                                              \
        return keys[first + half - 1] BEFORE wanted ? first + half : first;                        \
    }                                                                                              \
                                                                                                   \
    static void search_##NAME(const void *sorted, int64_t count, const void *wanted, int64_t n,    \
                              int64_t *indices)                                                    \
    {                                                                                              \
        const KEY *keys = sorted, *w = wanted;                                                     \
        int64_t i = 0;                                                                             \
        for (; i + TOGETHER <= n && count > 0; i += TOGETHER) {                                    \
            int64_t at[TOGETHER] = {0};                                                            \
            for (int64_t left = count; left > 0; left -= left > 1 ? left / 2 : 1)                  \
                for (int k = 0; k < TOGETHER; ++k)                                                 \
                    at[k] = step_##NAME(keys, at[k], left > 1 ? left / 2 : 1, w[i + k]);           \
            for (int k = 0; k < TOGETHER; ++k)                                                     \
                indices[i + k] = at[k];                                                            \
        }                                                                                          \
        for (; i < n; ++i) {                                                                       \
            int64_t at = 0;                                                                        \
            for (int64_t left = count; left > 0; left -= left > 1 ? left / 2 : 1)                  \
                at = step_##NAME(keys, at, left > 1 ? left / 2 : 1, w[i]);                         \
            indices[i] = at;                                                                       \
        }                                                                                          \
    }

SEARCH_FUNCTION(left_32, int32_t, <)
SEARCH_FUNCTION(right_32, int32_t, <=)
SEARCH_FUNCTION(left_64, int64_t, <)
SEARCH_FUNCTION(right_64, int64_t, <=)

search_keys *const ROUTINE_NAMED(routine_searches)[2][2] = {
    {search_left_32, search_right_32},
    {search_left_64, search_right_64},
};
