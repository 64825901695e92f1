/* SPDX-License-Identifier: Apache-2.0 */
/* The hash for tables in memory. */
#include "../support.h"

TEST(equal_bytes_hash_equal_wherever_they_lie)
{
    char bytes[64], moved[65];
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (char)(i * 7);
    memcpy(moved + 1, bytes, sizeof bytes);
    for (size_t nbytes = 0; nbytes <= sizeof bytes; ++nbytes)
        assert_int_equal(hash_bytes(bytes, nbytes), hash_bytes(moved + 1, nbytes));
}

TEST(every_bit_and_the_length_count)
{
    unsigned char bytes[33] = {0};
    uint64_t hashes[33 * 8 + 34];
    int count = 0;
    for (size_t nbytes = 0; nbytes <= sizeof bytes; ++nbytes)
        hashes[count++] = hash_bytes(bytes, nbytes);
    for (size_t bit = 0; bit < sizeof bytes * 8; ++bit) {
        bytes[bit / 8] = (unsigned char)(1u << bit % 8);
        hashes[count++] = hash_bytes(bytes, sizeof bytes);
        bytes[bit / 8] = 0;
    }
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j)
            assert_true(hashes[i] != hashes[j]);
}

TEST(low_bits_spread_over_a_table)
{
    int filled[1024] = {0}, most = 0;
    for (uint32_t i = 0; i < 8192; ++i) {
        int *bucket = &filled[hash_bytes(&i, sizeof i) % 1024];
        *bucket += 1;
        most = *bucket > most ? *bucket : most;
    }
    assert_in_range(most, 8, 32); /* 8 on average */
}
