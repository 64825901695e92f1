/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry-2x32 with 20 rounds: a keyed bijection of 64 bits; its values over a counter are
 * pseudorandom. J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3", SC11 (2011), table 2 for the rotations. One text for the tiles' loops and the
 * host. */
#ifndef JG_TENSOR_THREEFRY_H
#define JG_TENSOR_THREEFRY_H

#include <stdint.h>

/* The rotations of rounds, by turns the first four and the last. */
#define THREEFRY_ROTATIONS_EVEN 13, 15, 26, 6
#define THREEFRY_ROTATIONS_ODD 17, 29, 16, 24

#define THREEFRY_PARITY UINT32_C(0x1BD11BDA)

/* Four rounds, then the next two words of the key schedule. */
#define THREEFRY_ROUND(x0, x1, rotation)                                                           \
    x0 += x1;                                                                                      \
    x1 = (x1 << (rotation)) | (x1 >> (32 - (rotation)));                                           \
    x1 ^= x0;
#define THREEFRY_FOUR(...) THREEFRY_FOUR_OF(__VA_ARGS__)
#define THREEFRY_FOUR_OF(x0, x1, a, b, c, d, word0, word1, number)                                 \
    THREEFRY_ROUND(x0, x1, a)                                                                      \
    THREEFRY_ROUND(x0, x1, b)                                                                      \
    THREEFRY_ROUND(x0, x1, c)                                                                      \
    THREEFRY_ROUND(x0, x1, d)                                                                      \
    x0 += (word0);                                                                                 \
    x1 += (word1) + (number);

/* Encrypts the counter (x0, x1) in place under the key (k0, k1). */
static inline void threefry_words(uint32_t *counter0, uint32_t *counter1, uint32_t k0, uint32_t k1)
{
    uint32_t k2 = THREEFRY_PARITY ^ k0 ^ k1, x0 = *counter0 + k0, x1 = *counter1 + k1;
    THREEFRY_FOUR(x0, x1, THREEFRY_ROTATIONS_EVEN, k1, k2, 1)
    THREEFRY_FOUR(x0, x1, THREEFRY_ROTATIONS_ODD, k2, k0, 2)
    THREEFRY_FOUR(x0, x1, THREEFRY_ROTATIONS_EVEN, k0, k1, 3)
    THREEFRY_FOUR(x0, x1, THREEFRY_ROTATIONS_ODD, k1, k2, 4)
    THREEFRY_FOUR(x0, x1, THREEFRY_ROTATIONS_EVEN, k2, k0, 5)
    *counter0 = x0;
    *counter1 = x1;
}

/* The same on 64-bit words, of which the low half comes first. */
static inline uint64_t threefry_bits(uint64_t counter, uint64_t key)
{
    uint32_t x0 = (uint32_t)counter, x1 = (uint32_t)(counter >> 32);
    threefry_words(&x0, &x1, (uint32_t)key, (uint32_t)(key >> 32));
    return x0 | (uint64_t)x1 << 32;
}

/* Half of a word: counters 2 n and 2 n + 1 have the low and the high one of counter n. */
static inline uint64_t threefry_half(uint64_t counter, uint64_t key)
{
    uint64_t word = threefry_bits(counter >> 1, key);
    return counter & 1 ? word >> 32 : (uint32_t)word;
}

#endif
