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

static const uint64_t golden = 0x9e3779b97f4a7c15u, root = 0x6a09e667f3bcc909u;

static uint64_t mix_in(uint64_t hash, const unsigned char *sixteen)
{
    uint64_t words[2];
    memcpy(words, sixteen, sizeof words);
    return mix(hash ^ words[0], golden ^ words[1]);
}

/* Two products go on side by side, as each has to wait for the one before it. The last sixteen
 * bytes may overlap those before them: the length counts as well. */
uint64_t hash_bytes(const void *bytes, size_t nbytes)
{
    const unsigned char *at = bytes;
    uint64_t hash = nbytes * golden + root, other = golden;
    unsigned char last[16] = {0};
    for (; nbytes > 32; nbytes -= 32, at += 32) {
        hash = mix_in(hash, at);
        other = mix_in(other, at + 16);
    }
    for (; nbytes > 16; nbytes -= 16, at += 16)
        hash = mix_in(hash, at);
    if (JG_LIKELY(nbytes == 16 || at != bytes)) {
        hash = mix_in(hash, at + nbytes - 16);
    } else {
        memcpy(last, at, nbytes);
        hash = mix_in(hash, last);
    }
    return mix(hash ^ other, root);
}
