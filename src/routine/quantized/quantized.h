/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: how the loops of quantised products read a matrix. A row is a stream of codes
 * of a few bits, cut in groups; code q of group g is the number value(q) * scale[g] + bias[g].
 * Scales come as floats: they are converted a chunk of a row at a time. */
#ifndef JG_ROUTINE_QUANTIZED_H
#define JG_ROUTINE_QUANTIZED_H

#include "program/routine.h"

/* How the codes of a row are read: their width and their values. */
typedef enum quantized_code {
    QUANTIZED_BITS_1, /* whole numbers from 0 on */
    QUANTIZED_BITS_2,
    QUANTIZED_BITS_3,
    QUANTIZED_BITS_4,
    QUANTIZED_BITS_5,
    QUANTIZED_BITS_6,
    QUANTIZED_BITS_8,
    QUANTIZED_E2M1,
    QUANTIZED_E4M3,
    QUANTIZED_CODES
} quantized_code;

/* How scales are stored. */
typedef enum quantized_scale {
    QUANTIZED_SCALE_FLOAT32,
    QUANTIZED_SCALE_FLOAT16,
    QUANTIZED_SCALE_BFLOAT16,
    QUANTIZED_SCALE_E8M0, /* 2^(byte - 127) */
    QUANTIZED_SCALE_E4M3
} quantized_scale;

enum {
    QUANTIZED_LANES = 16,      /* the longest vector, in floats */
    QUANTIZED_TILE_ROWS = 4,   /* of x */
    QUANTIZED_PANEL = 24,      /* rows of w that meet tiles at once: whole tiles of any vectors */
    QUANTIZED_CHUNK = 1 << 13, /* codes of a span at most: whole groups, whole blocks */
    QUANTIZED_LARGEST_GROUP = 128
};

/* A part of a row, of whole groups. */
typedef struct quantized_span {
    const uint8_t *codes;
    const float *scales, *biases; /* of each group; QUANTIZED_LANES more may be read */
    int64_t count;                /* of codes, up to QUANTIZED_CHUNK */
    int group;                    /* codes that share a scale: 16, 32, 64 or 128 */
} quantized_span;

/* A span and a row of x, for products of few rows. A lane takes the codes of a word, or eight codes
 * if a word does not hold a whole number of codes. x lies in blocks of `lanes` times that number:
 * the first element of each lane, then the second of each, and so on. Zeros fill the last block. */
typedef struct quantized_dot {
    quantized_span span;
    const float *x;
    const float *sums; /* of x, over each group */
} quantized_dot;

/* Rows of codes of four bits and a row of x, or a part of whole blocks of it. The members
 * codes_row, scales_row and biases_row are bytes from row to row. */
typedef struct quantized_strip {
    const uint8_t *codes;
    const char *scales, *biases;
    quantized_scale kind;
    int64_t codes_row, scales_row, biases_row;
    int64_t rows, count; /* of codes in a row, up to QUANTIZED_CHUNK */
    int group;
    const int8_t *x;           /* three bytes for each number, as write_x gave them */
    const float *units, *sums; /* of x's groups */
    float *to;                 /* a number for each row */
    bool adds;                 /* to what `to` holds */
} quantized_strip;

typedef struct quantized_strips {
    /* x in a form for sums, units and sums of its groups. The bytes are filled up to a whole block.
     * gives: false for numbers that the form does not hold, as those that are not finite */
    bool (*write_x)(const float *x, int64_t count, int group, int8_t *to, float *units,
                    float *sums);
    void (*sums)(const quantized_strip *strip);
} quantized_strips; /* of NULL where an instruction set has none */

/* to[i * to_row + j] (+)= sum over k of x[i][k] w[j][k], or of x[i][k] w[k][j]. The rows of w and
 * its expanded part are dense; the rows of x and `to` may be any distance apart. */
typedef struct quantized_tile {
    const float *x, *w;
    float *to;
    int64_t x_row, w_row, to_row;
    int64_t m, n, k;
    bool adds;         /* to what `to` holds */
    const char *ahead; /* as `to`, of panels: what is fetched while they are made; or NULL */
} quantized_tile;

typedef struct quantized_loops {
    void (*expand[QUANTIZED_CODES])(const quantized_span *span, float *to);
    float (*dot[QUANTIZED_CODES])(const quantized_dot *dot);
    void (*floats)(quantized_scale kind, const void *from, int64_t count, float *to);
    void (*rows)(const quantized_tile *tile);    /* x w^T; up to QUANTIZED_PANEL rows are read */
    void (*columns)(const quantized_tile *tile); /* x w; n is a multiple of QUANTIZED_LANES */

    /* x w, where w lies in panels of `wide` columns, w_row elements apart: k dense rows of those.
     * The last panel is whole, but only its first columns are wanted where n ends in it. */
    void (*panels)(const quantized_tile *tile);
    int lanes; /* of a block */
    int wide;  /* divides 64 */
    const quantized_strips *strips;
} quantized_loops;

static inline int quantized_bits(quantized_code code)
{
    static const uint8_t bits[QUANTIZED_CODES] = {1, 2, 3, 4, 5, 6, 8, 4, 8};
    return bits[code];
}

#endif
