/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: every draw is a function of a key and of the element's index, so it is an
 * elementwise graph like any other: fused, computed in parallel, the same on every machine.
 *
 * A key is a 0-d uint64. Keys come from a seed, from splitting a key, or from the process's own
 * sequence, which jg_random_seed restarts. Splitting encrypts counters from 2^63 on, drawing
 * counters below, so that a key's parts and its draws are independent. */
#include "compose/random/random.h"
#include "compose/compose.h"
#include "tensor/threefry.h"
#include <joggle/random.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#define SPLIT_DOMAIN (UINT64_C(1) << 63)

/* The process's own sequence: the key of its number `count` is the encryption of that number.
 * Atomic, as arrays may be made on any thread; two threads that draw get different keys, in no
 * promised order. */
static atomic_uint_fast64_t process_key, process_count;
static pthread_once_t seeded = PTHREAD_ONCE_INIT;

static void seed_from_system(void)
{
    atomic_store(&process_key, base_entropy());
}

void jg_random_seed(uint64_t seed)
{
    pthread_once(&seeded, seed_from_system);
    atomic_store(&process_key, seed);
    atomic_store(&process_count, 0);
}

jg_random_place jg_random_tell(void)
{
    pthread_once(&seeded, seed_from_system);
    return (jg_random_place){atomic_load(&process_key), atomic_load(&process_count)};
}

jg_status jg_random_seek(jg_random_place place)
{
    JG_TRY(traced_refuse("a change of the random state"));
    pthread_once(&seeded, seed_from_system);
    atomic_store(&process_key, place.key);
    atomic_store(&process_count, place.count);
    return JG_OK;
}

static jg_status key_array(uint64_t key, jg_array **out)
{
    return jg_full(JG_DTYPE_UINT64, 0, NULL, (jg_number){.kind = JG_KIND_UINT, .u64 = key}, out);
}

/* Mixed, so that keys of small seeds differ in many bits. */
jg_status compose_random_key(int64_t seed, jg_array **out)
{
    return key_array(threefry_bits((uint64_t)seed, 0), out);
}

/* The key is taken when the array is made, not when it is computed: the same lines of a program
 * draw the same numbers whatever is evaluated first. */
static jg_status next_process_key(jg_array **out)
{
    pthread_once(&seeded, seed_from_system);
    uint64_t number = atomic_fetch_add(&process_count, 1);
    return key_array(threefry_bits(SPLIT_DOMAIN + number, atomic_load(&process_key)), out);
}

jg_status compose_next_key(traced_call *call, jg_array **out)
{
    while (call != NULL && call->key == NULL)
        call = call->outer;
    return call != NULL ? call->key(call, out) : next_process_key(out);
}

jg_status compose_numbered_key(jg_array *key, uint64_t number, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *index = NULL;
    const jg_number counter = {.kind = JG_KIND_UINT, .u64 = SPLIT_DOMAIN + number};
    jg_status status = jg_full(JG_DTYPE_UINT64, 0, NULL, counter, &index);
    index = scope_take(&scope, status, index);
    return scope_finish(&scope, scope_binary(&scope, jg_threefry, index, key), out);
}

jg_array *random_key(compose_scope *scope, jg_op op, jg_array *key)
{
    jg_array *next = NULL;
    if (scope->status != JG_OK)
        return NULL;
    if (key == NULL) {
        jg_status status = compose_next_key(traced_innermost(), &next);
        return scope_take(scope, status, next);
    }
    char text[200];
    if (key->ndim != 0 || key->dtype != JG_DTYPE_UINT64)
        scope->status =
            base_fail(JG_ERR_VALUE, "[%s] key: got %s of shape %s, allowed is a key: a 0-d uint64",
                      op_name(op), dtype_rows[key->dtype].name,
                      text_extents(text, sizeof text, key->ndim, key->dims));
    return key;
}

/* first, first + 1, ... in the shape. The elements' indices in row-major order, so that numbers do
 * not depend on how the work is shared. first: 0, or INT64_MIN for the counters from 2^63 on. */
static jg_array *counters(compose_scope *scope, int64_t first, int ndim, const int64_t *shape)
{
    jg_array *made = NULL;
    int64_t size = 0;
    if (scope->status == JG_OK)
        scope->status = shape_size(ndim, shape, &size);
    if (scope->status != JG_OK)
        return NULL;
    const jg_number zero = {.kind = JG_KIND_INT}, stop = {.kind = JG_KIND_INT, .i64 = size},
                    one = {.kind = JG_KIND_INT, .i64 = 1};
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, stop, one, &made);
    jg_array *numbers = scope_take(scope, status, made);
    if (first != 0)
        numbers = scope_binary(scope, jg_bitwise_or, numbers, scope_whole(scope, numbers, first));
    return scope_shaped(scope, jg_reshape, numbers, ndim, shape);
}

/* Random numbers of at most `bits` bits. Two numbers of up to 32 bits share a word. */
static jg_array *draw_number(compose_scope *scope, jg_array *key, int bits, int ndim,
                             const int64_t *shape)
{
    const bool by_half = bits <= 32;
    jg_array *drawn = scope_binary(scope, by_half ? jg_threefry_half : jg_threefry,
                                   counters(scope, 0, ndim, shape), key);
    if (drawn == NULL)
        return NULL;
    return scope_binary(scope, jg_bitwise_right_shift, drawn,
                        scope_whole(scope, drawn, (by_half ? 32 : 64) - bits));
}

/* num keys, a vector: part i is the encryption of 2^63 + i by the key. */
jg_status compose_random_split(jg_array *key, int64_t num, jg_array **out)
{
    compose_scope scope = {0};
    if (num < 0)
        return base_fail(JG_ERR_VALUE, "[random_split] num: got %lld, allowed is 0 or more",
                         (long long)num);
    jg_array *from = random_key(&scope, JG_OP_random_split, key);
    jg_array *indices = counters(&scope, INT64_MIN, 1, &num);
    return scope_finish(&scope, scope_binary(&scope, jg_threefry, indices, from), out);
}

jg_status random_check_floating(jg_op op, jg_dtype dtype)
{
    if (dtype_is_floating(dtype) && dtype_rows[dtype].computable)
        return JG_OK;
    return base_fail(JG_ERR_TYPE, "[%s] dtype: got %s, allowed are floats", op_name(op),
                     jg_dtype_name(dtype));
}

/* Numbers of [0, 1) with equal steps can have as many bits as a significand has. */
static jg_array *draw_unit(compose_scope *scope, jg_array *key, jg_dtype dtype, bool middle,
                           int ndim, const int64_t *shape)
{
    /* A middle takes one more bit to write down. */
    int bits = dtype_significand_bits(dtype) - middle;
    jg_array *drawn = draw_number(scope, key, bits, ndim, shape);
    /* Without AVX-512 no instruction makes floats of 64-bit integers. */
    if (bits < 32)
        drawn = scope_cast(scope, drawn, JG_DTYPE_INT32);
    /* Below 2^bits, so that it is exact, as are the two steps after it. */
    jg_array *whole = scope_cast(scope, drawn, compose_wide(dtype));
    if (middle)
        whole = scope_binary(scope, jg_add, whole, scope_number(scope, whole, 0.5));
    double step = 1.0 / (double)(UINT64_C(1) << bits);
    return scope_binary(scope, jg_multiply, whole, scope_number(scope, whole, step));
}

jg_array *random_part(compose_scope *scope, jg_array *key, uint64_t number)
{
    jg_array *part = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = compose_numbered_key(key, number, &part);
    return scope_take(scope, status, part);
}

jg_array *random_bits(compose_scope *scope, jg_op op, jg_array *key, int ndim, const int64_t *shape)
{
    jg_array *from = random_key(scope, op, key);
    return scope_binary(scope, jg_threefry, counters(scope, 0, ndim, shape), from);
}

jg_array *random_unit(compose_scope *scope, jg_op op, jg_array *key, jg_dtype dtype, bool middle,
                      int ndim, const int64_t *shape)
{
    return draw_unit(scope, random_key(scope, op, key), dtype, middle, ndim, shape);
}

/* NULL or a parameter that does not broadcast to the shape. */
static const random_parameter *misfit(int count, const random_parameter *parameters,
                                      const random_shape *to)
{
    for (int k = 0; k < count; ++k) {
        const jg_array *x = parameters[k].array;
        if (x != NULL && x->ndim > to->ndim)
            return &parameters[k];
        for (int i = 0; x != NULL && i < x->ndim; ++i)
            if (x->dims[i] != 1 && x->dims[i] != to->extents[to->ndim - x->ndim + i])
                return &parameters[k];
    }
    return NULL;
}

static jg_status shape_of_parameters(int count, const random_parameter *parameters,
                                     random_shape *out)
{
    *out = (random_shape){0};
    for (int k = 0; k < count; ++k) {
        const jg_array *x = parameters[k].array;
        if (x == NULL)
            continue;
        JG_TRY(
            shape_broadcast(out->ndim, out->extents, x->ndim, x->dims, &out->ndim, out->extents));
    }
    return JG_OK;
}

jg_status random_shape_of(int count, const random_parameter *parameters, int nshape,
                          const int64_t *shape, random_shape *out)
{
    char has[200], allowed[200];
    if (nshape == JG_NONE)
        return shape_of_parameters(count, parameters, out);
    if (nshape < 0 || nshape > JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "shape: got %d axes, allowed are 0 to %d", nshape,
                         JG_MAX_NDIM);
    out->ndim = nshape;
    for (int i = 0; i < nshape; ++i)
        out->extents[i] = shape[i];
    const random_parameter *found = misfit(count, parameters, out);
    if (found == NULL)
        return JG_OK;
    return base_fail(JG_ERR_VALUE,
                     "%s: has shape %s, allowed are those that broadcast to shape, %s", found->name,
                     text_extents(has, sizeof has, found->array->ndim, found->array->dims),
                     text_extents(allowed, sizeof allowed, nshape, shape));
}

/* The value of a number that is known before anything is computed; NaN where it is not known, so
 * only for leaving work out and for early errors. */
static double constant_of(const jg_array *x)
{
    jg_scalar held;
    if (x->primitive != PRIMITIVE_full || x->ndim != 0)
        return NAN;
    jg_dtype_kind kind = scalar_load(&x->attributes.full.value, (jg_dtype)x->dtype, &held);
    return kind == JG_KIND_FLOAT ? held.f64 : kind == JG_KIND_INT ? (double)held.i64 : NAN;
}

jg_status random_bounds_shape(jg_array *low, jg_array *high, int nshape, const int64_t *shape,
                              random_shape *out)
{
    const random_parameter bounds[] = {{"low", low}, {"high", high}};
    return random_shape_of(nshape == JG_NONE ? 2 : 0, bounds, nshape, shape, out);
}

/* Bounds that are not finite in the dtype, and those whose difference is not finite where it is
 * computed, give no even spread. low, high: NaN where they are not known yet */
static jg_status check_span(double low, double high, jg_dtype dtype)
{
    jg_float_limits in_dtype, in_wide;
    JG_TRY(jg_dtype_float_limits(dtype, &in_dtype));
    JG_TRY(jg_dtype_float_limits(compose_wide(dtype), &in_wide));
    bool fits = !(fabs(low) > in_dtype.largest) && !(fabs(high) > in_dtype.largest);
    if (fits && !(fabs(high - low) > in_wide.largest))
        return JG_OK;
    return base_fail(
        JG_ERR_VALUE,
        "[random_uniform] low, high: got %g and %g, allowed in %s are %g to %g that lie "
        "at most %g apart",
        low, high, jg_dtype_name(dtype), -in_dtype.largest, in_dtype.largest, in_wide.largest);
}

/* x where the span of the bounds, as they are in the dtype, is finite; else NaN. x: in the wider
 * dtype that spans are computed in, as the result */
static jg_array *nan_unless_finite(compose_scope *scope, jg_array *low, jg_array *high, jg_array *x)
{
    if (x == NULL)
        return NULL;
    const jg_dtype wide = (jg_dtype)x->dtype;
    jg_array *span = scope_binary(scope, jg_subtract, scope_cast(scope, high, wide),
                                  scope_cast(scope, low, wide));
    return scope_binary(scope, jg_add, x, scope_binary(scope, jg_subtract, span, span));
}

jg_status compose_random_uniform(jg_array *key, jg_array *low, jg_array *high, int nshape,
                                 const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    compose_scope scope = {0};
    random_shape to;
    JG_TRY(random_check_floating(JG_OP_random_uniform, dtype));
    JG_TRY(random_bounds_shape(low, high, nshape, shape, &to));
    const double known_low = constant_of(low), known_high = constant_of(high);
    JG_TRY(check_span(known_low, known_high, dtype));
    jg_array *from = random_key(&scope, JG_OP_random_uniform, key);
    jg_array *unit = draw_unit(&scope, from, dtype, false, to.ndim, to.extents);
    if (known_low == 0 && known_high == 1) /* as it is: times 1, plus 0 */
        return scope_finish(&scope, scope_cast(&scope, unit, dtype), out);
    jg_array *lowest = scope_cast(&scope, low, compose_wide(dtype));
    jg_array *highest = scope_cast(&scope, high, compose_wide(dtype));
    jg_array *span = scope_binary(&scope, jg_subtract, highest, lowest);
    jg_array *scaled = scope_binary(&scope, jg_multiply, unit, span);
    jg_array *value = scope_cast(&scope, scope_binary(&scope, jg_add, scaled, lowest), dtype);
    /* Rounding may reach high, which is not in the range. high may be less than low. */
    jg_array *first = scope_cast(&scope, low, dtype), *end = scope_cast(&scope, high, dtype);
    jg_array *reached = scope_where(&scope, scope_binary(&scope, jg_less, first, end),
                                    scope_binary(&scope, jg_greater_equal, value, end),
                                    scope_binary(&scope, jg_less_equal, value, end));
    if (isnan(known_low + known_high)) /* NaN where computed bounds give no even spread */
        first = scope_cast(&scope, nan_unless_finite(&scope, first, end, lowest), dtype);
    value = scope_where(&scope, reached, first, value);
    return scope_finish(&scope, scope_shaped(&scope, jg_broadcast_to, value, to.ndim, to.extents),
                        out);
}

/* true where a draw from [0, 1) is below p: never for 0, always for 1. */
jg_status compose_random_bernoulli(jg_array *key, jg_array *p, int nshape, const int64_t *shape,
                                   jg_array **out)
{
    compose_scope scope = {0};
    const int ndim = nshape == JG_NONE ? p->ndim : nshape;
    if (nshape == JG_NONE)
        shape = p->dims;
    jg_dtype dtype = dtype_with_float((jg_dtype)p->dtype);
    JG_TRY(random_check_floating(JG_OP_random_bernoulli, dtype));
    jg_array *from = random_key(&scope, JG_OP_random_bernoulli, key);
    jg_array *unit = draw_unit(&scope, from, compose_wide(dtype), false, ndim, shape);
    jg_array *value = scope_binary(&scope, jg_less, unit, scope_cast(&scope, p, dtype));
    return scope_finish(&scope, scope_shaped(&scope, jg_broadcast_to, value, ndim, shape), out);
}
