/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between two layouts of one shape, against an index by index copy. */
#include "../tensor/layouts.h"
#include "memory/memory.h"

enum { SPACE = 2000, MIDDLE = 1000 };

static void copy_slowly(const jg_layout *from, const char *source, const jg_layout *to,
                        char *target, size_t itemsize)
{
    int64_t index[JG_MAX_NDIM] = {0}, size = (int64_t)itemsize;
    for (bool more = from->size > 0; more; more = next_index(from->ndim, from->shape, index))
        memcpy(target + element_at(to, index) * size, source + element_at(from, index) * size,
               itemsize);
}

TEST(every_element_arrives_and_nothing_else_changes)
{
    static char source[SPACE * 16], expected[SPACE * 16], target[SPACE * 16];
    static const size_t itemsizes[] = {1, 2, 4, 8, 16};
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof source; ++i)
        source[i] = (char)next_random(&seed);
    for (int round = 0; round < 1000; ++round) {
        size_t itemsize = itemsizes[round % 5];
        jg_layout from = random_layout(&seed), to = from;
        from.offset = to.offset = 0;
        if (round % 2) { /* dense rows on both sides, with gaps between them */
            for (int i = from.ndim - 1, step = 1; i >= 0; --i, step *= 5)
                from.strides[i] = to.strides[i] = step;
        } else {
            layout_row_major(to.ndim, to.shape, to.strides);
        }
        memset(target, 0, sizeof target);
        memset(expected, 0, sizeof expected);
        size_t middle = MIDDLE * itemsize;
        copy_slowly(&from, source + middle, &to, expected + middle, itemsize);
        copy_strided(from.ndim, from.shape, itemsize, source + middle, from.strides,
                     target + middle, to.strides);
        assert_memory_equal(target, expected, sizeof target);
    }
}

/* Larger than the strips in which such copies go, by a rest; forwards and backwards. */
TEST(transposes_of_all_axes_arrive)
{
    enum { A = 7, B = 37, C = 41, SIZE = A * B * C };
    static const int64_t shapes[][3] = {{A, B, C}, {B, C, A}, {C, A, B}};
    static const size_t itemsizes[] = {1, 2, 4, 8, 16, 3};
    static char source[SIZE * 16], expected[SIZE * 16], target[SIZE * 16];
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof source; ++i)
        source[i] = (char)next_random(&seed);
    for (int round = 0; round < 36 * 6; ++round) {
        size_t itemsize = itemsizes[round % 6];
        const int64_t *shape = shapes[round / 6 % 3];
        int turn = round / 18 % 2, flip = round / 36 % 6;
        jg_layout from, to;
        assert_ok(layout_init(&from, 3, shape));
        to = from;
        int64_t places[3] = {turn ? 2 : 1, turn ? 0 : 2, turn ? 1 : 0}, step = 1, start = 0;
        for (int i = 0; i < 3; ++i) {
            int64_t extent = shape[places[i]];
            from.strides[places[i]] = flip == i ? -step : step;
            start += flip == i ? step * (extent - 1) : 0;
            step *= extent;
        }
        copy_slowly(&from, source + start * (int64_t)itemsize, &to, expected, itemsize);
        copy_strided(3, shape, itemsize, source + start * (int64_t)itemsize, from.strides, target,
                     to.strides);
        assert_memory_equal(target, expected, SIZE * itemsize);
    }
}

TEST(a_scalar_is_one_element)
{
    const double from = 1.5;
    double to = 0;
    copy_strided(0, NULL, sizeof to, &from, NULL, &to, NULL);
    assert_true(to == from);
}
