/* SPDX-License-Identifier: Apache-2.0 */
/* A hash for tables in memory: sixteen bytes a step through a multiply and a fold of the 128-bit
 * product. Constants are the fractional bits of the golden ratio and of the square root of two. */
#include "base/base.h"
#include <string.h>

static uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_bytes(const void *bytes, size_t nbytes)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u, root = 0x6a09e667f3bcc909u;
    const unsigned char *at = bytes;
    uint64_t hash = nbytes * golden + root, words[2];
    for (; nbytes >= sizeof words; nbytes -= sizeof words, at += sizeof words) {
        memcpy(words, at, sizeof words);
        hash = mix(hash ^ words[0], golden ^ words[1]);
    }
    words[0] = words[1] = 0;
    memcpy(words, at, nbytes);
    return mix(mix(hash ^ words[0], golden ^ words[1]), root);
}
