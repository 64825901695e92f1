/* SPDX-License-Identifier: Apache-2.0 */
/* tile and repeat. Tiling is reading past an array's end from its beginning again, as padding does;
 * repeating writes each item several times. */
#include "compose/compose.h"
#include <inttypes.h>

static jg_status multiply(jg_op op, int64_t extent, int64_t by, int64_t *out)
{
    if (by < 0)
        return base_fail(JG_ERR_VALUE, "[%s] repeats: got %" PRId64 ", allowed is 0 and above",
                         op_name(op), by);
    if (__builtin_mul_overflow(extent, by, out))
        return base_fail(JG_ERR_VALUE,
                         "[%s] repeats: got %" PRId64 " for extent %" PRId64
                         ", allowed is a product below 2^63",
                         op_name(op), by, extent);
    return JG_OK;
}

jg_status compose_tile(jg_array *x, int nrepetitions, const int64_t *repetitions, jg_array **out)
{
    const int64_t before[JG_MAX_NDIM] = {0};
    int64_t wide[JG_MAX_NDIM], shape[JG_MAX_NDIM];
    int ndim = int_max(nrepetitions, x->ndim);
    jg_array *widened;
    if (ndim > JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[tile] repetitions: got %d, allowed are at most %d", ndim,
                         JG_MAX_NDIM);
    for (int i = 0; i < ndim; ++i) {
        /* Both lists are aligned at their ends, as in broadcasting; what is missing in front is
         * 1. */
        int axis = i - (ndim - x->ndim), times = i - (ndim - nrepetitions);
        wide[i] = axis >= 0 ? x->dims[axis] : 1;
        JG_TRY(multiply(JG_OP_tile, wide[i], times >= 0 ? repetitions[times] : 1, &shape[i]));
    }
    JG_TRY(jg_reshape(x, ndim, wide, &widened));
    jg_status status = compose_extend(JG_OP_tile, widened, NULL, EXTEND_WRAP, before, shape, out);
    jg_array_release(widened);
    return status;
}

/* starts: NULL, or where the copies of each index begin; total: the axis's new extent. */
static jg_status repeat_along(jg_array *x, int axis, int64_t times, jg_array *starts, int64_t total,
                              jg_array **out)
{
    const primitive_attributes attributes = {.repeat = {.axis = axis, .times = times}};
    int64_t shape[JG_MAX_NDIM];
    jg_array *dense;
    JG_TRY(compose_check_bytes(x));
    for (int i = 0; i < x->ndim; ++i)
        shape[i] = i == axis ? total : x->dims[i];
    JG_TRY(graph_contiguous(x, &dense));
    jg_array *const inputs[] = {dense, starts};
    jg_status status = graph_routine(JG_OP_repeat, (jg_dtype)x->dtype, x->ndim, shape,
                                     starts != NULL ? 2 : 1, inputs, &attributes, out);
    jg_array_release(dense);
    return status;
}

jg_status compose_repeat_evenly(jg_array *x, int axis, int64_t times, jg_array **out)
{
    int64_t total = 0;
    JG_TRY(multiply(JG_OP_repeat, x->dims[axis], times, &total));
    return repeat_along(x, axis, times, NULL, total, out);
}

jg_status compose_repeat_starts(jg_array *x, int axis, jg_array *starts, int64_t total,
                                jg_array **out)
{
    return repeat_along(x, axis, 0, starts, total, out);
}

/* The count decides the shape, so that it is read at the call. waits: for repeats */
static jg_status repeat_evenly(jg_array *x, jg_array *repeats, int axis, jg_array **out)
{
    jg_number times;
    JG_TRY(jg_array_item(repeats, &times));
    return compose_repeat_evenly(x, axis, times.i64, out);
}

/* The counts of an array in memory, summed up: starts has one more. */
static jg_status sum_counts(const int64_t *counts, int64_t count, int64_t *starts)
{
    int64_t ignored;
    starts[0] = 0;
    for (int64_t i = 0; i < count; ++i) {
        JG_TRY(multiply(JG_OP_repeat, 1, counts[i], &ignored));
        if (__builtin_add_overflow(starts[i], counts[i], &starts[i + 1]))
            return base_fail(
                JG_ERR_VALUE,
                "[repeat] repeats: add up to 2^63 or more, allowed is a sum below 2^63");
    }
    return JG_OK;
}

/* Makes the starts, one more than counts: the routine finds the copies of index i between starts[i]
 * and starts[i + 1]. gives: *out, the starts as an array; *total, their last | waits: for
 * repeats */
static jg_status make_starts(jg_array *repeats, jg_array **out, int64_t *total)
{
    const int64_t count = repeats->size, nstarts = count + 1;
    size_t nbytes = (size_t)count * sizeof(int64_t);
    jg_array *wide = NULL;
    int64_t *counts = base_alloc(nbytes + 1), *starts = base_alloc(nbytes + sizeof *starts);
    /* One byte more, as an allocation of 0 bytes may give NULL, which would look like a failure. */
    jg_status status = counts && starts ? JG_OK : base_nomem(nbytes, "a list of counts");
    if (status == JG_OK)
        status = graph_cast(repeats, JG_DTYPE_INT64, &wide);
    if (status == JG_OK)
        status = jg_array_copy_to(wide, counts, nbytes);
    if (status == JG_OK)
        status = sum_counts(counts, count, starts);
    if (status == JG_OK)
        status = graph_from_data(starts, JG_DTYPE_INT64, 1, &nstarts, out);
    if (status == JG_OK)
        *total = starts[count];
    jg_array_release(wide);
    base_free(counts);
    base_free(starts);
    return status;
}

static jg_status repeat_each(jg_array *x, jg_array *repeats, int axis, jg_array **out)
{
    jg_array *starts;
    int64_t total = 0;
    if (repeats->ndim != 1 || repeats->size != x->dims[axis])
        return base_fail(JG_ERR_VALUE,
                         "[repeat] repeats: has %" PRId64
                         " elements on %d axes, allowed are one, or "
                         "one for each of %" PRId64,
                         repeats->size, repeats->ndim, x->dims[axis]);
    JG_TRY(make_starts(repeats, &starts, &total));
    jg_status status = compose_repeat_starts(x, axis, starts, total, out);
    jg_array_release(starts);
    return status;
}

/* One count, even in an array of any shape, is for all. */
jg_status compose_repeat(jg_array *x, jg_array *repeats, const int64_t *axis, jg_array **out)
{
    const int64_t first = 0;
    jg_array *flat;
    int at;
    if (!dtype_is_integer((jg_dtype)repeats->dtype) && repeats->dtype != JG_DTYPE_BOOL)
        return base_fail(JG_ERR_TYPE, "[repeat] repeats: got %s, allowed are integers",
                         dtype_rows[repeats->dtype].name);
    JG_TRY(compose_check_bytes(x));
    if (axis == NULL) {
        JG_TRY(jg_ravel(x, &flat));
        jg_status status = jg_repeat(flat, repeats, &first, out);
        jg_array_release(flat);
        return status;
    }
    JG_TRY(shape_axis("axis", *axis, x->ndim, &at));
    return repeats->size == 1 ? repeat_evenly(x, repeats, at, out)
                              : repeat_each(x, repeats, at, out);
}
