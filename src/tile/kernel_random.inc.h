/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry on a tile: the words are taken apart into arrays of their own, a run at a time, so that
 * all rounds are done on full vectors of 32-bit lanes. */
#include "tensor/threefry.h"

#define THREEFRY_RUN 256

static void THREEFRY_UINT64(void *dst, const void *a, const void *b, const void *c, int64_t n)
{
    uint64_t *to = dst;
    const uint64_t *counters = a, *keys = b;
    uint32_t x0[THREEFRY_RUN], x1[THREEFRY_RUN], k0[THREEFRY_RUN], k1[THREEFRY_RUN];
    (void)c;
    for (; n > 0; n -= THREEFRY_RUN) {
        int64_t count = n < THREEFRY_RUN ? n : THREEFRY_RUN;
        for (int64_t i = 0; i < count; ++i) {
            x0[i] = (uint32_t)counters[i];
            x1[i] = (uint32_t)(counters[i] >> 32);
            k0[i] = (uint32_t)keys[i];
            k1[i] = (uint32_t)(keys[i] >> 32);
        }
        for (int64_t i = 0; i < count; ++i)
            threefry_words(&x0[i], &x1[i], k0[i], k1[i]);
        for (int64_t i = 0; i < count; ++i)
            to[i] = x0[i] | (uint64_t)x1[i] << 32;
        to += count;
        counters += count;
        keys += count;
    }
}
