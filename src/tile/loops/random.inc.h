/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry on a tile: the words are taken apart into arrays of their own, a run at a time, so that
 * all rounds are done on full vectors of 32-bit lanes. */
#include "tensor/threefry.h"

#define THREEFRY_RUN 256

/* In runs, taken apart into 32-bit words first: so all three loops become vector code. */
static void THREEFRY_UINT64(void *dst, const void *a, const void *b, const void *c, int64_t n)
{
    uint64_t *to = dst;
    const uint64_t *counters = a, *keys = b;
    uint32_t x0[THREEFRY_RUN], x1[THREEFRY_RUN], k0[THREEFRY_RUN], k1[THREEFRY_RUN];
    (void)c;
    for (; n > 0; n -= THREEFRY_RUN) {
        int64_t count = int64_min(n, THREEFRY_RUN);
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

/* Whether the counters follow one another, all under one key. */
static bool threefry_is_sequence(const uint64_t *counters, const uint64_t *keys, int64_t count)
{
    uint64_t differing = 0;
    for (int64_t i = 0; i < count; ++i)
        differing |= (counters[i] ^ (counters[0] + (uint64_t)i)) | (keys[i] ^ keys[0]);
    return differing == 0;
}

/* Both halves of `count` words from a counter on. */
static void threefry_pairs(uint64_t *to, uint64_t counter, uint64_t key, int64_t count)
{
    uint32_t x0[THREEFRY_RUN / 2], x1[THREEFRY_RUN / 2];
    for (int64_t i = 0; i < count; ++i) {
        x0[i] = (uint32_t)(counter + (uint64_t)i);
        x1[i] = (uint32_t)((counter + (uint64_t)i) >> 32);
    }
    for (int64_t i = 0; i < count; ++i)
        threefry_words(&x0[i], &x1[i], (uint32_t)key, (uint32_t)(key >> 32));
    for (int64_t i = 0; i < count; ++i) {
        to[2 * i] = x0[i];
        to[2 * i + 1] = x1[i];
    }
}

static void threefry_sequence(uint64_t *to, uint64_t counter, uint64_t key, int64_t count)
{
    if (count > 0 && (counter & 1)) {
        *to++ = threefry_half(counter++, key);
        --count;
    }
    threefry_pairs(to, counter >> 1, key, count / 2);
    if (count & 1)
        to[count - 1] = threefry_half(counter + (uint64_t)count - 1, key);
}

/* Neighbours share a word, so a sequence takes half of them. */
static void THREEFRY_HALF_UINT64(void *dst, const void *a, const void *b, const void *c, int64_t n)
{
    uint64_t *to = dst;
    const uint64_t *counters = a, *keys = b;
    (void)c;
    for (int64_t count; n > 0; n -= count, to += count, counters += count, keys += count) {
        count = int64_min(n, THREEFRY_RUN);
        if (threefry_is_sequence(counters, keys, count))
            threefry_sequence(to, counters[0], keys[0], count);
        else
            for (int64_t i = 0; i < count; ++i)
                to[i] = threefry_half(counters[i], keys[i]);
    }
}
