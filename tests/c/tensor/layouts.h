/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts by brute force: the element that each index reaches, one by one, and small random
 * layouts. */
#ifndef JG_TESTS_LAYOUTS_H
#define JG_TESTS_LAYOUTS_H

#include "../support.h"
#include "tensor/tensor.h"

enum { MANY = 4096 }; /* more elements than any layout here has */

/* Moves to the next index in row-major order. gives: false after the last */
static inline bool next_index(int ndim, const int64_t *shape, int64_t *index)
{
    for (int axis = ndim - 1; axis >= 0; --axis) {
        if (++index[axis] < shape[axis])
            return true;
        index[axis] = 0;
    }
    return false;
}

static inline int64_t element_at(const jg_layout *layout, const int64_t *index)
{
    int64_t element = layout->offset;
    for (int i = 0; i < layout->ndim; ++i)
        element += index[i] * layout->strides[i];
    return element;
}

/* The elements that the layout's indices reach, in row-major order. gives: how many there are */
static inline int64_t enumerate(const jg_layout *layout, int64_t *elements)
{
    int64_t index[JG_MAX_NDIM] = {0}, count = 0;
    if (layout->size == 0)
        return 0;
    do {
        assert_true(count < MANY);
        elements[count++] = element_at(layout, index);
    } while (next_index(layout->ndim, layout->shape, index));
    assert_int_equal(count, layout->size);
    return count;
}

static inline void assert_shape(const jg_layout *layout, int ndim, const int64_t *shape)
{
    assert_int_equal(layout->ndim, ndim);
    for (int i = 0; i < ndim; ++i)
        assert_int_equal(layout->shape[i], shape[i]);
}

/* Both reach the same elements in the same order. */
static inline void assert_same_elements(const jg_layout *layout, const int64_t *expected,
                                        int64_t count)
{
    static int64_t elements[MANY];
    assert_int_equal(enumerate(layout, elements), count);
    for (int64_t i = 0; i < count; ++i)
        assert_int_equal(elements[i], expected[i]);
}

/* Up to four axes of extent 0 to 4 (mostly above 0) with strides from -12 to 12. */
static inline jg_layout random_layout(uint64_t *seed)
{
    jg_layout layout = {.ndim = (int)random_between(seed, 0, 4), .size = 1};
    layout.offset = random_between(seed, 0, 100);
    for (int i = 0; i < layout.ndim; ++i) {
        layout.shape[i] = random_between(seed, 0, 19) == 0 ? 0 : random_between(seed, 1, 4);
        layout.strides[i] = random_between(seed, -12, 12);
        layout.size *= layout.shape[i];
    }
    return layout;
}

/* A layout that views make of a row-major array: slices with any step, broadcasts, permutations. */
static inline void random_view(uint64_t *seed, jg_layout *layout)
{
    for (int steps = (int)random_between(seed, 0, 4); steps > 0 && layout->ndim > 0; --steps) {
        int axis = (int)random_between(seed, 0, layout->ndim - 1);
        int64_t extent = layout->shape[axis];
        jg_layout from = *layout;
        if (random_between(seed, 0, 2) == 0) {
            int64_t order[JG_MAX_NDIM];
            for (int i = 0; i < layout->ndim; ++i)
                order[i] = (i + axis) % layout->ndim;
            assert_ok(layout_permute(&from, layout->ndim, order, layout));
        } else if (extent > 0) {
            int64_t step = random_between(seed, 0, 1) ? 1 : 2;
            int64_t count = random_between(seed, 1, (extent - 1) / step + 1);
            bool backwards = random_between(seed, 0, 1);
            int64_t start = backwards ? extent - 1 : 0;
            assert_ok(layout_slice(&from, axis, start, count, backwards ? -step : step,
                                   random_between(seed, 0, 3) > 0, layout));
        }
    }
}

#endif
