/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary position embedding: feature i and its partner span the plane in which a position turns
 * them.
 *
 * Features are split in pairs along an axis of their own, so that the partner is the same array
 * with that axis reversed: one pass over memory, x * cos + partner * (-sin, sin), with a table of
 * cosines and sines for each position that all heads share. Angles are computed in float64 and
 * reduced to one turn, as in float32 positions in the millions have no fraction left. */
#include "compose/compose.h"
#include <math.h>

enum { KNOWN_NOW = 512 }; /* elements of a table that is computed at once */

/* base: NULL if freqs are given, and freqs NULL otherwise. All arrays are borrowed. */
typedef struct rope {
    int64_t dims, length; /* features that turn; positions */
    bool traditional;     /* partners lie side by side, not half of dims apart */
    const double *base;
    double scale;
    jg_array *offset, *freqs;
    jg_dtype dtype; /* that it is computed in */
} rope;

/* Exactly one of base and freqs must be given. */
static jg_status check_rope(const jg_array *x, const rope *options)
{
    if (!dtype_is_floating((jg_dtype)x->dtype) || !dtype_rows[x->dtype].computable)
        return base_fail(JG_ERR_TYPE, "[rope] a: got %s, allowed are floats",
                         dtype_rows[x->dtype].name);
    if (x->ndim < 3)
        return base_fail(JG_ERR_VALUE, "[rope] a: got %d axes, allowed are 3 or more", x->ndim);
    if (options->dims <= 0 || options->dims % 2 != 0 || options->dims > x->dims[x->ndim - 1])
        return base_fail(JG_ERR_VALUE,
                         "[rope] dims: got %lld, allowed are even numbers from 2 to %lld, the last "
                         "extent of a",
                         (long long)options->dims, (long long)x->dims[x->ndim - 1]);
    if ((options->base == NULL) == (options->freqs == NULL))
        return base_fail(JG_ERR_VALUE, "[rope] base: got %s, allowed is one of base and freqs",
                         options->base == NULL ? "neither" : "both");
    if (options->freqs != NULL &&
        (options->freqs->ndim != 1 || options->freqs->size != options->dims / 2))
        return base_fail(JG_ERR_VALUE,
                         "[rope] freqs: got %lld elements, allowed is a vector of %lld",
                         (long long)options->freqs->size, (long long)options->dims / 2);
    if (!dtype_is_integer((jg_dtype)options->offset->dtype) || options->offset->ndim > 1 ||
        (options->offset->ndim == 1 && options->offset->size != 1 &&
         options->offset->size != x->dims[0]))
        return base_fail(JG_ERR_VALUE,
                         "[rope] offset: got %s with %d axes and %lld elements, allowed is an "
                         "integer, or a vector of one for each of %lld",
                         jg_dtype_name((jg_dtype)options->offset->dtype), options->offset->ndim,
                         (long long)options->offset->size, (long long)x->dims[0]);
    return JG_OK;
}

/* How far one position turns each plane: 1 / freqs, or base^(-i / half). */
static jg_array *plane_speeds(compose_scope *scope, const rope *options)
{
    if (options->freqs != NULL)
        return scope_unary(scope, jg_reciprocal,
                           scope_cast(scope, options->freqs, JG_DTYPE_FLOAT64));
    double step = -2 * log(*options->base) / (double)options->dims;
    return scope_unary(scope, jg_exp,
                       scope_times(scope, scope_numbers_below(scope, options->dims / 2), step));
}

/* Positions as a column: (length, 1), or (batch, 1..., length, 1) where each has an offset. */
static jg_array *position_column(compose_scope *scope, const rope *options, int ndim)
{
    int64_t shape[JG_MAX_NDIM];
    const int64_t column[] = {-1, 1};
    bool batched = options->offset->ndim == 1 && options->offset->size > 1;
    for (int i = 0; i < ndim; ++i)
        shape[i] = i == 0 ? -1 : 1;
    jg_array *offset = scope_cast(scope, options->offset, JG_DTYPE_FLOAT64);
    offset = scope_shaped(scope, jg_reshape, offset, batched ? ndim : 0, shape);
    jg_array *positions = scope_numbers_below(scope, options->length);
    if (options->length > 0)
        positions = scope_shaped(scope, jg_reshape, positions, 2, column);
    return scope_times(scope, scope_binary(scope, jg_add, positions, offset), options->scale);
}

/* The angles without whole turns, between -pi and pi, in the dtype that the functions are computed
 * in. They are reduced in float64: an angle of a million has nine good digits after the point
 * there, and in float32 barely one. */
static jg_array *within_turn(compose_scope *scope, jg_array *angles, jg_dtype dtype)
{
    jg_array *whole = NULL, *turns = scope_times(scope, angles, 0.5 * M_1_PI);
    if (turns == NULL)
        return NULL;
    jg_status status = jg_round(turns, 0, &whole);
    whole = scope_take(scope, status, whole);
    jg_array *rest = scope_binary(scope, jg_subtract, angles, scope_times(scope, whole, 2 * M_PI));
    return scope_cast(scope, rest, dtype);
}

/* (..., length, half) as the pairs lie: with an axis of one for the two of a plane. */
static jg_array *beside_pairs(compose_scope *scope, jg_array *table, bool traditional)
{
    jg_array *made = NULL;
    if (table == NULL)
        return NULL;
    jg_status status = compose_new_axis(table, traditional ? -1 : -2, &made);
    return scope_take(scope, status, made);
}

/* -1 for the first of a plane, 1 for the second, in the form of a pair. */
static jg_array *pair_signs(compose_scope *scope, const rope *options)
{
    const int64_t column[] = {2, 1};
    jg_array *twice = scope_times(scope, scope_numbers_below(scope, 2), 2);
    if (twice == NULL)
        return NULL;
    jg_array *signs = scope_binary(scope, jg_subtract, twice, scope_number(scope, twice, 1));
    signs = scope_cast(scope, signs, options->dtype);
    return options->traditional ? signs : scope_shaped(scope, jg_reshape, signs, 2, column);
}

static jg_array *split_pairs(compose_scope *scope, jg_array *x, const rope *options)
{
    int64_t shape[JG_MAX_NDIM + 1];
    int last = x->ndim - 1;
    for (int i = 0; i < last; ++i)
        shape[i] = x->dims[i];
    shape[last] = options->traditional ? options->dims / 2 : 2;
    shape[last + 1] = options->traditional ? 2 : options->dims / 2;
    return scope_shaped(scope, jg_reshape, x, x->ndim + 1, shape);
}

/* The factors by position and plane, in the layout of pairs: the factor of a feature, and the
 * factor of its partner. */
typedef struct rope_tables {
    jg_array *cosines, *sines; /* sines: -sin for the first of a plane, sin for the second */
} rope_tables;

static rope_tables tables_of_graph(compose_scope *scope, const rope *options, int ndim)
{
    jg_array *angles = scope_binary(scope, jg_multiply, position_column(scope, options, ndim),
                                    plane_speeds(scope, options));
    angles = within_turn(scope, angles, options->dtype);
    jg_array *cosines =
        beside_pairs(scope, scope_unary(scope, jg_cos, angles), options->traditional);
    jg_array *sines = beside_pairs(scope, scope_unary(scope, jg_sin, angles), options->traditional);
    return (rope_tables){cosines,
                         scope_binary(scope, jg_multiply, sines, pair_signs(scope, options))};
}

/* Whether the tables are so small that to compute them here takes less time than to build their
 * nodes: a language model asks for those of one position twice a layer. */
static bool are_known_now(const jg_array *x, const rope *options)
{
    return options->base != NULL && options->length * (options->dims / 2) <= KNOWN_NOW &&
           node_is_on_host(x) && !isnan(compose_known_number(options->offset));
}

/* An array of numbers in the dtype that is computed in. */
static jg_array *table_of(compose_scope *scope, const rope *options, const double *numbers,
                          const int64_t shape[3])
{
    float narrow[2 * KNOWN_NOW];
    const void *data = numbers;
    jg_array *made = NULL;
    if (options->dtype == JG_DTYPE_FLOAT32) {
        for (int64_t i = 0; i < shape[0] * shape[1] * shape[2]; ++i)
            narrow[i] = (float)numbers[i];
        data = narrow;
    }
    jg_status status = graph_from_data(data, options->dtype, 3, shape, &made);
    return scope_take(scope, status, made);
}

/* The same numbers as those of the graph but for the last bit: angles are rounded as there. */
static rope_tables tables_now(compose_scope *scope, const rope *options)
{
    const int64_t length = options->length, half = options->dims / 2,
                  column = options->traditional ? half : 1,
                  apart = options->traditional ? 1 : half; /* from one of a pair to the other */
    const double first = compose_known_number(options->offset), step = -2 * log(*options->base);
    double cosines[KNOWN_NOW], sines[2 * KNOWN_NOW];
    for (int64_t i = 0; i < length * half; ++i) {
        double speed = exp((double)(i % half) * (step / (double)options->dims));
        double angle = ((double)(i / half) + first) * options->scale * speed;
        double rest = angle - rint(angle * (0.5 * M_1_PI)) * (2 * M_PI);
        rest = options->dtype == JG_DTYPE_FLOAT32 ? (float)rest : rest;
        double *pair = sines + (options->traditional ? 2 * i : i + i / half * half);
        cosines[i] = cos(rest);
        pair[0] = -sin(rest);
        pair[apart] = sin(rest);
    }
    jg_array *table = table_of(scope, options, cosines, (int64_t[]){length, column, half / column});
    if (table == NULL)
        return (rope_tables){NULL, NULL};
    return (rope_tables){table, table_of(scope, options, sines,
                                         (int64_t[]){length, options->traditional ? half : 2,
                                                     options->traditional ? 2 : half})};
}

/* The features of x, all of which turn. */
static jg_array *turn(compose_scope *scope, jg_array *x, const rope *options)
{
    const int64_t axis = options->traditional ? -1 : -2;
    rope_tables tables = are_known_now(x, options) ? tables_now(scope, options)
                                                   : tables_of_graph(scope, options, x->ndim);
    jg_array *pairs = split_pairs(scope, x, options);
    jg_array *partners = scope_shaped(scope, jg_flip, pairs, 1, &axis);
    jg_array *wide = scope_cast(scope, pairs, options->dtype);
    jg_array *others = scope_cast(scope, partners, options->dtype);
    jg_array *sum =
        scope_binary(scope, jg_add, scope_binary(scope, jg_multiply, wide, tables.cosines),
                     scope_binary(scope, jg_multiply, others, tables.sines));
    jg_array *turned = scope_cast(scope, sum, (jg_dtype)x->dtype);
    return scope_shaped(scope, jg_reshape, turned, x->ndim, x->dims);
}

static jg_array *features(compose_scope *scope, jg_array *x, int64_t start, int64_t count)
{
    jg_array *made = NULL;
    jg_layout from, to;
    node_layout(x, &from);
    scope->status = layout_slice(&from, x->ndim - 1, start, count, 1, true, &to);
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = compose_view(x, &to, &made);
    return scope_take(scope, status, made);
}

/* Features after the first dims stay as they are and are joined to those that turned. */
jg_status compose_rope(jg_array *x, int64_t dims, bool traditional, const double *base,
                       double scale, jg_array *offset, jg_array *freqs, jg_array **out)
{
    const int64_t last = -1;
    compose_scope scope = {0};
    rope options = {.dims = dims,
                    .traditional = traditional,
                    .base = base,
                    .scale = scale,
                    .offset = offset,
                    .freqs = freqs,
                    .dtype = compose_wide((jg_dtype)x->dtype)};
    JG_TRY(check_rope(x, &options));
    options.length = x->dims[x->ndim - 2];
    int64_t rest = x->dims[x->ndim - 1] - dims;
    if (rest == 0 || x->size == 0)
        return scope_finish(&scope, x->size == 0 ? x : turn(&scope, x, &options), out);
    jg_array *turning = features(&scope, x, 0, dims);
    jg_array *parts[] = {turning != NULL ? turn(&scope, turning, &options) : NULL, NULL},
             *made = NULL;
    if (parts[0] != NULL)
        parts[1] = features(&scope, x, dims, rest);
    if (parts[1] == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = jg_concat(2, parts, &last, &made);
    return scope_finish(&scope, scope_take(&scope, status, made), out);
}
