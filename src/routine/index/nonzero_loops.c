/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of NONZERO: counting true bools and writing their indices. */
#include "routine/loops.h"
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* Eight bytes as 0 or 1. Any byte but 0 is true: adding 0x7f to the low seven bits carries into the
 * eighth unless they are 0. */
static uint64_t mark_true(const uint8_t *bools)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t word;
    memcpy(&word, bools, sizeof word);
    return (((word & low) + low) | word) >> 7 & UINT64_C(0x0101010101010101);
}

int64_t ROUTINE_NAMED(routine_count_true)(const uint8_t *bools, int64_t count)
{
    enum { WORDS = 31 }; /* so that the eight bytes of a sum together stay below 256 */
    int64_t found = 0, i = 0;
    while (count - i >= 8) {
        uint64_t sums = 0;
        for (int words = 0; words < WORDS && count - i >= 8; ++words, i += 8)
            sums += mark_true(bools + i);
        found += (int64_t)(sums * UINT64_C(0x0101010101010101) >> 56);
    }
    for (; i < count; ++i)
        found += bools[i] != 0;
    return found;
}

/* Writes the indices of the true among eight bools; `to` can hold all. */
#ifdef __AVX512F__
/* Always writes eight indices, and advances by the number of true bools: `to` must have room for
 * eight, which the caller ensures. */
static int64_t *write_word(const uint8_t *bools, int64_t first, int64_t *out)
{
    const __m512i steps = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    __m512i indices = _mm512_add_epi64(_mm512_set1_epi64(first), steps);
    __m512i values = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)(bools + first)));
    __mmask8 which = _mm512_test_epi64_mask(values, values);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(which, indices));
    return out + __builtin_popcount(which);
}
#else
static int64_t *write_word(const uint8_t *bools, int64_t first, int64_t *out)
{
    uint64_t word;
    memcpy(&word, bools + first, sizeof word);
    if (word == 0)
        return out;
    for (int64_t i = first; i < first + 8; ++i) {
        *out = i;
        out += bools[i] != 0;
    }
    return out;
}
#endif

int64_t ROUTINE_NAMED(routine_write_true)(const uint8_t *bools, int64_t first, int64_t last,
                                          int64_t *out, const int64_t *end)
{
    const int64_t *begin = out;
    for (; last - first >= 8 && end - out >= 8; first += 8)
        out = write_word(bools, first, out);
    for (; first < last && out < end; ++first) {
        *out = first;
        out += bools[first] != 0;
    }
    return out - begin;
}
