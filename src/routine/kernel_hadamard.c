/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of a Walsh-Hadamard transform. Sums and differences of elements less than eight apart
 * are taken within a vector; further stages are loops over vectors. The matrices of order 12, 20
 * and 28 are those of MLX. */
#include "routine/kernels.h"
#include <string.h>

typedef float floats8 __attribute__((vector_size(32)));

/* Of each row j of a Hadamard matrix of that order, which elements are -1. */
static const uint32_t minus_12[] = {0x002, 0xaab, 0x3c8, 0x96e, 0xf20, 0x5ba,
                                    0xc8c, 0x6e6, 0x23c, 0xb96, 0x8f0, 0xe5a};
static const uint32_t minus_20[] = {0x933de, 0x2e3bd, 0x5477b, 0xa0ef7, 0x499ef, 0x637c1, 0xc6ba2,
                                    0x8d764, 0x1aee8, 0x359f0, 0x0fa53, 0x174a7, 0x26d4e, 0x45e9c,
                                    0x83d39, 0xf7a6d, 0xef4fa, 0xdedd5, 0xbdf8b, 0x7bf36};
static const uint32_t minus_28[] = {
    0xcd69e7e, 0x9ad7c7d, 0x37ab8fb, 0x6d571f7, 0xd8ae3ef, 0xb3587df, 0x66b4f3f,
    0xb467f43, 0x6acbe87, 0xd593d8e, 0xab27b9c, 0x564f7b8, 0xac9aff0, 0x5b31fe1,
    0x87fb325, 0x0ff66ca, 0x1decd95, 0x39ddb2a, 0x71bf654, 0xe17eca9, 0xc2fd9d2,
    0xfcf1299, 0xfbe2532, 0xf7c4ae4, 0xef8d549, 0xdf1ea13, 0xbe3d4a6, 0x7e7a94c};

/* Stage by stage, for parts of fewer than eight elements. */
static void transform_few(float *x, int64_t count)
{
    for (int64_t half = 1; half < count; half *= 2)
        for (int64_t i = 0; i < count; i += 2 * half)
            for (int64_t j = i; j < i + half; ++j) {
                float sum = x[j] + x[j + half], difference = x[j] - x[j + half];
                x[j] = sum;
                x[j + half] = difference;
            }
}

/* The first three stages: neighbours, pairs, fours. */
static void transform_eights(float *x, int64_t count)
{
    const floats8 first = {1, -1, 1, -1, 1, -1, 1, -1}, second = {1, 1, -1, -1, 1, 1, -1, -1},
                  third = {1, 1, 1, 1, -1, -1, -1, -1};
    for (int64_t i = 0; i < count; i += 8) {
        floats8 v;
        memcpy(&v, x + i, sizeof v);
        v = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6) + v * first;
        v = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5) + v * second;
        v = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3) + v * third;
        memcpy(x + i, &v, sizeof v);
    }
}

/* Two stages, of half and of twice it. */
static void transform_fours(float *x, int64_t count, int64_t half)
{
    for (int64_t i = 0; i < count; i += 4 * half) {
        float *a = x + i, *b = a + half, *c = b + half, *d = c + half;
        for (int64_t j = 0; j < half; ++j) {
            float ab = a[j] + b[j], cd = c[j] + d[j], a_b = a[j] - b[j], c_d = c[j] - d[j];
            a[j] = ab + cd;
            b[j] = a_b + c_d;
            c[j] = ab - cd;
            d[j] = a_b - c_d;
        }
    }
}

static void transform_twos(float *x, int64_t count, int64_t half)
{
    for (int64_t i = 0; i < count; i += 2 * half) {
        float *a = x + i, *b = a + half;
        for (int64_t j = 0; j < half; ++j) {
            float sum = a[j] + b[j];
            b[j] = a[j] - b[j];
            a[j] = sum;
        }
    }
}

/* Two stages at a time read and write memory half as often. */
static void transform_power(float *x, int64_t count)
{
    int64_t half = 8;
    if (count < half) {
        transform_few(x, count);
        return;
    }
    transform_eights(x, count);
    for (; 4 * half <= count; half *= 4)
        transform_fours(x, count, half);
    if (half < count)
        transform_twos(x, count, half);
}

static const uint32_t *minus_of(int64_t factor)
{
    return factor == 12 ? minus_12 : factor == 20 ? minus_20 : minus_28;
}

/* Columns across `factor` parts of `count` elements, some side by side at a time. */
static void combine_parts(float *x, int64_t factor, int64_t count)
{
    enum { MOST = 28, WIDTH = 64 };
    const uint32_t *minus = minus_of(factor);
    float columns[MOST][WIDTH];
    for (int64_t start = 0; start < count; start += WIDTH) {
        int64_t width = count - start < WIDTH ? count - start : WIDTH;
        for (int64_t i = 0; i < factor; ++i)
            memcpy(columns[i], x + i * count + start, (size_t)width * sizeof(float));
        for (int64_t part = 0; part < factor; ++part) {
            float *to = x + part * count + start;
            for (int64_t j = 0; j < width; ++j)
                to[j] = minus[part] & 1 ? -columns[0][j] : columns[0][j];
            for (int64_t i = 1; i < factor; ++i) {
                float sign = minus[part] >> i & 1 ? -1.0f : 1.0f;
                for (int64_t j = 0; j < width; ++j)
                    to[j] += sign * columns[i][j];
            }
        }
    }
}

void ROUTINE_NAMED(hadamard_row)(float *x, int64_t factor, int64_t count, float scale)
{
    for (int64_t part = 0; part < factor; ++part)
        transform_power(x + part * count, count);
    if (factor > 1)
        combine_parts(x, factor, count);
    if (scale != 1)
        for (int64_t i = 0; i < factor * count; ++i)
            x[i] *= scale;
}
