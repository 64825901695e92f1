/* SPDX-License-Identifier: Apache-2.0 */
/* Private to compose: what the modes of quantised matrices have in common. */
#ifndef JG_COMPOSE_QUANTIZE_H
#define JG_COMPOSE_QUANTIZE_H

#include "compose/compose.h"

/* How a matrix is quantised, from the arguments of an op. */
typedef struct quantization {
    const char *op; /* for messages */
    quantized_mode mode;
    int bits, group; /* of a code; codes that share a scale */
    jg_dtype dtype;  /* that scales are computed in: the matrix's */
} quantization;

/* Reads the arguments; NULL for the mode's own. raises: VALUE, naming the argument */
jg_status quantization_read(jg_op op, const char *mode, const int64_t *group_size,
                            const int64_t *bits, quantization *out);

/* Checks that w holds words, and scales and biases belong to it; global_scale must be NULL or a
 * float of the mode nvfp4. raises: TYPE, VALUE */
jg_status quantization_check(const quantization *scheme, const jg_array *w, const jg_array *scales,
                             const jg_array *biases, const jg_array *global_scale);
jg_status quantization_check_global(const quantization *scheme, const jg_array *global_scale);

/* Checks that w may be quantised. raises: TYPE, VALUE */
jg_status quantization_check_matrix(const quantization *scheme, const char *name,
                                    const jg_array *w);

/* Codes in a row of w. */
int64_t quantization_columns(const quantization *scheme, const jg_array *w);

/* quantize_code.c: steps of compositions */

/* x in another shape of its last axes: `dropped` of them become the two extents, or the one if the
 * second is 0. */
jg_array *quantization_reshape(compose_scope *scope, jg_array *x, int dropped, int64_t first,
                               int64_t second);

/* (..., K) as float32 (..., K / group, group). */
jg_array *quantization_cut(compose_scope *scope, const quantization *scheme, jg_array *x);

/* A group's scale and bias; each (..., K / group, 1). */
typedef struct quantization_group {
    jg_array *scale, *bias; /* bias: affine only */
    jg_array *code;         /* of the scale, as uint8: not affine */
} quantization_group;

/* groups: as quantization_cut gives them. global_scale: NULL, or of nvfp4. */
quantization_group quantization_scales(compose_scope *scope, const quantization *scheme,
                                       jg_array *groups, jg_array *global_scale);

/* The codes of groups as bytes, (..., K / group, group). */
jg_array *quantization_codes(compose_scope *scope, const quantization *scheme, jg_array *groups,
                             const quantization_group *of);

/* The values of codes before scales and biases, in dtype. */
jg_array *quantization_values(compose_scope *scope, const quantization *scheme, jg_array *codes,
                              jg_dtype dtype);

/* The scales of the float modes as numbers. */
jg_array *quantization_scale_values(compose_scope *scope, const quantization *scheme,
                                    jg_array *codes, jg_array *global_scale);

/* The unit of E4M3 scales: the largest product of a code and a scale is global_scale. */
jg_array *quantization_unit(compose_scope *scope, jg_array *global_scale);

/* x, whose rows are cut in groups, rounded to the values of its codes, in float32. */
jg_array *quantization_round(compose_scope *scope, const quantization *scheme, jg_array *x,
                             jg_array *global_scale);

/* bits.c: the bytes of codes as words, or back, in two axes whose elements are those of the rows in
 * their order: in steps that devices have. */
jg_array *quantization_bits(compose_scope *scope, const quantization *scheme, jg_array *x,
                            bool back);

/* quantize.c: the numbers (..., K) that words encode, computed in the dtype `worked`. */
jg_array *quantization_numbers(compose_scope *scope, const quantization *scheme, jg_array *w,
                               jg_array *scales, jg_array *biases, jg_array *global_scale,
                               jg_dtype worked);

/* quantize_code.c: x rounded to E4M3 as bytes, saturating; and back. */
jg_array *quantization_to_e4m3(compose_scope *scope, jg_array *x);
jg_array *quantization_from_e4m3(compose_scope *scope, jg_array *codes, jg_dtype dtype);

#endif
