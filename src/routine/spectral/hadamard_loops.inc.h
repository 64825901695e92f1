/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of a Walsh-Hadamard transform for one dtype, REAL, of which EIGHT is a vector of
 * eight. */

/* Stage by stage, for parts of fewer than eight elements. */
static void NAME(transform_few)(REAL *x, int64_t count)
{
    for (int64_t half = 1; half < count; half *= 2)
        for (int64_t i = 0; i < count; i += 2 * half)
            for (int64_t j = i; j < i + half; ++j) {
                REAL sum = x[j] + x[j + half], difference = x[j] - x[j + half];
                x[j] = sum;
                x[j + half] = difference;
            }
}

/* The first three stages: neighbours, pairs, fours. */
static void NAME(transform_eights)(REAL *x, int64_t count)
{
    const EIGHT first = {1, -1, 1, -1, 1, -1, 1, -1}, second = {1, 1, -1, -1, 1, 1, -1, -1},
                third = {1, 1, 1, 1, -1, -1, -1, -1};
    for (int64_t i = 0; i < count; i += 8) {
        EIGHT v;
        memcpy(&v, x + i, sizeof v);
        v = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6) + v * first;
        v = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5) + v * second;
        v = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3) + v * third;
        memcpy(x + i, &v, sizeof v);
    }
}

/* Two stages, of half and of twice it. */
static void NAME(transform_fours)(REAL *x, int64_t count, int64_t half)
{
    for (int64_t i = 0; i < count; i += 4 * half) {
        REAL *a = x + i, *b = a + half, *c = b + half, *d = c + half;
        for (int64_t j = 0; j < half; ++j) {
            REAL ab = a[j] + b[j], cd = c[j] + d[j], a_b = a[j] - b[j], c_d = c[j] - d[j];
            a[j] = ab + cd;
            b[j] = a_b + c_d;
            c[j] = ab - cd;
            d[j] = a_b - c_d;
        }
    }
}

static void NAME(transform_twos)(REAL *x, int64_t count, int64_t half)
{
    for (int64_t i = 0; i < count; i += 2 * half) {
        REAL *a = x + i, *b = a + half;
        for (int64_t j = 0; j < half; ++j) {
            REAL sum = a[j] + b[j];
            b[j] = a[j] - b[j];
            a[j] = sum;
        }
    }
}

/* Two stages at a time read and write memory half as often. */
static void NAME(transform_power)(REAL *x, int64_t count)
{
    int64_t half = 8;
    if (count < half) {
        NAME(transform_few)(x, count);
        return;
    }
    NAME(transform_eights)(x, count);
    for (; 4 * half <= count; half *= 4)
        NAME(transform_fours)(x, count, half);
    if (half < count)
        NAME(transform_twos)(x, count, half);
}

/* Columns across `factor` parts of `count` elements, some side by side at a time. */
static void NAME(combine_parts)(REAL *x, int64_t factor, int64_t count)
{
    enum { MAX_ORDER = 28, WIDTH = 64 };
    const uint32_t *minus = minus_of(factor);
    REAL columns[MAX_ORDER][WIDTH];
    for (int64_t start = 0; start < count; start += WIDTH) {
        int64_t width = int64_min(count - start, WIDTH);
        for (int64_t i = 0; i < factor; ++i)
            memcpy(columns[i], x + i * count + start, (size_t)width * sizeof(REAL));
        for (int64_t part = 0; part < factor; ++part) {
            REAL *to = x + part * count + start;
            for (int64_t j = 0; j < width; ++j)
                to[j] = minus[part] & 1 ? -columns[0][j] : columns[0][j];
            for (int64_t i = 1; i < factor; ++i) {
                REAL sign = minus[part] >> i & 1 ? -1 : 1;
                for (int64_t j = 0; j < width; ++j)
                    to[j] += sign * columns[i][j];
            }
        }
    }
}

static void NAME(transform_row)(void *row, int64_t factor, int64_t count, double scale)
{
    REAL *x = row, by = (REAL)scale;
    for (int64_t part = 0; part < factor; ++part)
        NAME(transform_power)(x + part * count, count);
    if (factor > 1)
        NAME(combine_parts)(x, factor, count);
    if (scale != 1)
        for (int64_t i = 0; i < factor * count; ++i)
            x[i] *= by;
}
