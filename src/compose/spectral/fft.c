/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms: each axis is a node of its own, one after the other; two axes share a node if
 * the second needs no zeros appended. A line is cut, or zeros are appended, to the length that is
 * asked for before it is transformed. */
#include "compose/compose.h"
#include <inttypes.h>
#include <string.h>

enum { NO_AXIS = -1 };

/* Which of the two ways divides by n, or by its root. */
typedef enum norm_kind { BACKWARD, ORTHO, FORWARD } norm_kind;

static const char *const norm_names[] = {
    [BACKWARD] = "backward", [ORTHO] = "ortho", [FORWARD] = "forward"};

static jg_status find_norm(jg_op op, const char *name, norm_kind *out)
{
    for (size_t i = 0; i < JG_COUNT_OF(norm_names); ++i)
        if (strcmp(name, norm_names[i]) == 0) {
            *out = (norm_kind)i;
            return JG_OK;
        }
    return base_fail(JG_ERR_VALUE, "[%s] norm: got \"%s\", allowed are \"%s\", \"%s\" and \"%s\"",
                     op_name(op), name, norm_names[BACKWARD], norm_names[ORTHO],
                     norm_names[FORWARD]);
}

/* The name of the inverse transform's norm. A text that is no name stays, and is refused by the
 * inverse. */
static const char *other_norm(const char *name)
{
    if (strcmp(name, norm_names[FORWARD]) == 0)
        return norm_names[BACKWARD];
    return strcmp(name, norm_names[BACKWARD]) == 0 ? norm_names[FORWARD] : name;
}

/* To real numbers is backward: rfft's inverse is irfft. */
static bool goes_back(transform_kind kind)
{
    return kind == TRANSFORM_BACKWARD || kind == TRANSFORM_TO_REAL;
}

static transform_norm norm_value(transform_kind kind, norm_kind norm)
{
    if (norm == ORTHO)
        return TRANSFORM_BY_ROOT;
    return goes_back(kind) == (norm == BACKWARD) ? TRANSFORM_BY_N : TRANSFORM_BY_NOTHING;
}

/* A transform of a line: how many elements are read and written, and of what dtypes. */
typedef struct line {
    int64_t read, written;
    jg_dtype operand, result;
} line;

/* The length n; the extent of the axis if it is left out. */
static int64_t find_length(transform_kind kind, int64_t extent, const int64_t *given)
{
    /* Half a spectrum does not say whether n was even or odd; if n is left out it is taken as even,
     * as in NumPy. */
    if (given != NULL)
        return *given;
    return kind == TRANSFORM_TO_REAL ? 2 * (extent - 1) : extent;
}

/* Half precision is computed in float32 and the result is complex64, as there is no complex dtype
 * of halves. A real line has n / 2 + 1 numbers in its half spectrum, the others being their
 * conjugates. */
static jg_status describe(jg_op op, transform_kind kind, const jg_array *a, int64_t n, line *out)
{
    jg_dtype dtype = (jg_dtype)a->dtype;
    op_types types;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    if (n < 1 || n > INT64_MAX / 64)
        return base_fail(JG_ERR_VALUE, "[%s] n: got %" PRId64 ", allowed is 1 and above",
                         op_name(op), n);
    out->read = kind == TRANSFORM_TO_REAL ? n / 2 + 1 : n;
    out->written = kind == TRANSFORM_FROM_REAL ? n / 2 + 1 : n;
    jg_dtype real = compose_wide(dtype_real_part(types.operand[0])), wide;
    JG_TRY(jg_dtype_promote(real, JG_DTYPE_COMPLEX64, &wide));
    out->operand = kind == TRANSFORM_FROM_REAL ? real : wide;
    out->result = kind == TRANSFORM_TO_REAL ? real : wide;
    return JG_OK;
}

/* The first `count` elements along an axis, or all and zeros after them. A cut is a view, and only
 * lines that are too short are copied. */
static jg_status fit(jg_array *a, int axis, int64_t count, jg_array **out)
{
    int64_t before[JG_MAX_NDIM] = {0}, shape[JG_MAX_NDIM];
    jg_layout from, to;
    if (a->dims[axis] >= count) {
        node_layout(a, &from);
        JG_TRY(layout_slice(&from, axis, 0, count, 1, true, &to));
        return compose_view(a, &to, out);
    }
    memcpy(shape, a->dims, (size_t)a->ndim * sizeof *shape);
    shape[axis] = count;
    return compose_extend(JG_OP_pad, a, NULL, EXTEND_CONSTANT, before, shape, out);
}

/* The line is cut before it is cast, so that no more is cast than is read. */
jg_status compose_transform(jg_op op, jg_array *a, const fft_attributes *attributes, int64_t n,
                            jg_array **out)
{
    const primitive_attributes own_attributes = {.fft = *attributes};
    int64_t shape[JG_MAX_NDIM];
    jg_array *fitted = NULL, *cast = NULL;
    line l = {0};
    jg_status status;
    JG_TRY_DONE(describe(op, attributes->kind, a, n, &l));
    JG_TRY_DONE(fit(a, (int)attributes->axis, l.read, &fitted));
    JG_TRY_DONE(graph_cast(fitted, l.operand, &cast));
    memcpy(shape, a->dims, (size_t)a->ndim * sizeof *shape);
    shape[attributes->axis] = l.written;
    status = graph_routine(op, l.result, a->ndim, shape, 1, &cast, &own_attributes, out);
done:
    jg_array_release(fitted);
    jg_array_release(cast);
    return status;
}

/* then: the axis along which the result is transformed by the same call, or NO_AXIS. */
static jg_status transform_twice(jg_op op, transform_kind kind, jg_array *a, const int64_t *n,
                                 int64_t axis, int then, const char *norm_name, jg_array **out)
{
    norm_kind norm = BACKWARD;
    int at;
    JG_TRY(find_norm(op, norm_name, &norm));
    JG_TRY(shape_axis("axis", axis, a->ndim, &at));
    const fft_attributes attributes = {
        .axis = at, .kind = kind, .norm = norm_value(kind, norm), .then = then};
    return compose_transform(op, a, &attributes, find_length(kind, a->dims[at], n), out);
}

static jg_status transform(jg_op op, transform_kind kind, jg_array *a, const int64_t *n,
                           int64_t axis, const char *norm_name, jg_array **out)
{
    return transform_twice(op, kind, a, n, axis, NO_AXIS, norm_name, out);
}

#define TRANSFORM(name, kind)                                                                      \
    jg_status compose_fft_##name(jg_array *a, const int64_t *n, int64_t axis, const char *norm,    \
                                 jg_array **out)                                                   \
    {                                                                                              \
        return transform(JG_OP_fft_##name, kind, a, n, axis, norm, out);                           \
    }
TRANSFORM(fft, TRANSFORM_FORWARD)
TRANSFORM(ifft, TRANSFORM_BACKWARD)
TRANSFORM(rfft, TRANSFORM_FROM_REAL)
TRANSFORM(irfft, TRANSFORM_TO_REAL)

/* A Hermitian sequence forward is its conjugate backward. */
jg_status compose_fft_hfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                           jg_array **out)
{
    jg_array *conjugate;
    if (dtype_is_complex((jg_dtype)a->dtype))
        JG_TRY(jg_conj(a, &conjugate));
    else
        conjugate = jg_array_retain(a); /* also bools, which jg_conj refuses */
    jg_status status =
        transform(JG_OP_fft_irfft, TRANSFORM_TO_REAL, conjugate, n, axis, other_norm(norm), out);
    jg_array_release(conjugate);
    return status;
}

jg_status compose_fft_ihfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                            jg_array **out)
{
    jg_array *forward;
    JG_TRY(transform(JG_OP_fft_rfft, TRANSFORM_FROM_REAL, a, n, axis, other_norm(norm), &forward));
    jg_status status = jg_conj(forward, out);
    jg_array_release(forward);
    return status;
}

/* A transform for each of several axes, the last one of another kind perhaps. An axis may be in
 * `axes` once only. */
typedef struct axes_plan {
    jg_op op;
    int count, axes[JG_MAX_NDIM];
    int64_t s[JG_MAX_NDIM]; /* -1: all there are */
} axes_plan;

/* Without axes: all, or the last ones that s has lengths for. */
static jg_status find_axes(jg_op op, const jg_array *a, int ns, const int64_t *s, int naxes,
                           const int64_t *axes, axes_plan *out)
{
    uint64_t set;
    *out = (axes_plan){.op = op, .count = naxes >= 0 ? naxes : ns >= 0 ? ns : a->ndim};
    if (ns >= 0 && ns != out->count)
        return base_fail(JG_ERR_VALUE, "[%s] s: got %d lengths for %d axes, allowed are as many",
                         op_name(op), ns, out->count);
    if (naxes < 0 && out->count > a->ndim)
        return base_fail(JG_ERR_VALUE, "[%s] s: got %d lengths, allowed are at most a's %d axes",
                         op_name(op), ns, a->ndim);
    if (naxes >= 0)
        JG_TRY(shape_axes("axes", naxes, axes, a->ndim, &set));
    for (int i = 0; i < out->count; ++i) {
        int64_t axis = naxes >= 0 ? axes[i] : a->ndim - out->count + i;
        JG_TRY(shape_axis("axes", axis, a->ndim, &out->axes[i]));
        out->s[i] = ns >= 0 ? s[i] : -1;
    }
    return JG_OK;
}

static jg_status check_some(const axes_plan *plan)
{
    if (plan->count > 0)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[%s] axes: got none, allowed is one or more",
                     op_name(plan->op));
}

/* If *a has at least as many elements along axis number i as are transformed, replaces it by these
 * first elements. A cut commutes with transforms along other axes and leaves fewer lines for them.
 * takes: *a | gives: *a, +1, also on failure; *enough, whether there were enough elements */
static jg_status cut(const axes_plan *plan, int i, jg_array **a, bool *enough)
{
    int64_t extent = (*a)->dims[plan->axes[i]], n = plan->s[i] == -1 ? extent : plan->s[i];
    jg_array *made;
    *enough = n >= 1 && n <= extent;
    if (!*enough)
        return JG_OK;
    JG_TRY(fit(*a, plan->axes[i], n, &made));
    jg_array_release(*a);
    *a = made;
    return JG_OK;
}

/* Replaces *a by its transform along axis number i, and then along the one before it if that can be
 * done in the same call. i becomes the number of the next one.
 * takes: *a | gives: *a, +1, also on failure */
static jg_status step(const axes_plan *plan, int *i, transform_kind kind, const char *norm_name,
                      jg_array **a)
{
    static const jg_op ops[] = {[TRANSFORM_FORWARD] = JG_OP_fft_fft,
                                [TRANSFORM_BACKWARD] = JG_OP_fft_ifft,
                                [TRANSFORM_FROM_REAL] = JG_OP_fft_rfft,
                                [TRANSFORM_TO_REAL] = JG_OP_fft_irfft};
    jg_array *made;
    const int64_t *n = plan->s[*i] == -1 ? NULL : &plan->s[*i];
    bool two = *i > 0 && kind != TRANSFORM_TO_REAL;
    if (two)
        JG_TRY(cut(plan, *i - 1, a, &two));
    JG_TRY(transform_twice(ops[kind], kind, *a, n, plan->axes[*i],
                           two ? plan->axes[*i - 1] : NO_AXIS, norm_name, &made));
    jg_array_release(*a);
    *a = made;
    *i -= 1 + two;
    return JG_OK;
}

/* Axes last to first of the plan, from the last to the first. Any order gives the same but for
 * rounding; this one is NumPy's. */
static jg_status steps(const axes_plan *plan, int last, transform_kind kind, const char *norm_name,
                       jg_array **a)
{
    while (last >= 0)
        JG_TRY(step(plan, &last, kind, norm_name, a));
    return JG_OK;
}

static jg_status finish(jg_status status, jg_array *a, jg_array **out)
{
    if (status == JG_OK)
        *out = a;
    else
        jg_array_release(a);
    return status;
}

static jg_status transform_complex(jg_op op, transform_kind kind, jg_array *a, int ns,
                                   const int64_t *s, int naxes, const int64_t *axes,
                                   const char *norm_name, jg_array **out)
{
    axes_plan plan;
    JG_TRY(find_axes(op, a, ns, s, naxes, axes, &plan));
    JG_TRY(check_some(&plan));
    jg_array *x = jg_array_retain(a);
    jg_status status = steps(&plan, plan.count - 1, kind, norm_name, &x);
    return finish(status, x, out);
}

jg_status compose_fft_fftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                           const char *norm, jg_array **out)
{
    return transform_complex(JG_OP_fft_fftn, TRANSFORM_FORWARD, a, ns, s, naxes, axes, norm, out);
}

jg_status compose_fft_ifftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                            const char *norm, jg_array **out)
{
    return transform_complex(JG_OP_fft_ifftn, TRANSFORM_BACKWARD, a, ns, s, naxes, axes, norm, out);
}

/* The real axis goes first, as the others then have half of the lines to transform. */
jg_status compose_fft_rfftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                            const char *norm, jg_array **out)
{
    axes_plan plan;
    JG_TRY(find_axes(JG_OP_fft_rfftn, a, ns, s, naxes, axes, &plan));
    JG_TRY(check_some(&plan));
    jg_array *x = jg_array_retain(a);
    int last = plan.count - 1;
    jg_status status = step(&plan, &last, TRANSFORM_FROM_REAL, norm, &x);
    if (status == JG_OK)
        status = steps(&plan, last, TRANSFORM_FORWARD, norm, &x);
    return finish(status, x, out);
}

/* The reverse of rfftn: the axis that becomes real goes last. */
jg_status compose_fft_irfftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                             const char *norm, jg_array **out)
{
    axes_plan plan;
    JG_TRY(find_axes(JG_OP_fft_irfftn, a, ns, s, naxes, axes, &plan));
    JG_TRY(check_some(&plan));
    jg_array *x = jg_array_retain(a);
    int last = plan.count - 1;
    jg_status status = steps(&plan, last - 1, TRANSFORM_BACKWARD, norm, &x);
    if (status == JG_OK)
        status = step(&plan, &last, TRANSFORM_TO_REAL, norm, &x);
    return finish(status, x, out);
}

static jg_status shift(jg_array *a, int naxes, const int64_t *axes, int sign, jg_array **out)
{
    int64_t by[JG_MAX_NDIM], which[JG_MAX_NDIM];
    int count = naxes < 0 ? a->ndim : naxes;
    uint64_t set;
    if (naxes >= 0)
        JG_TRY(shape_axes("axes", naxes, axes, a->ndim, &set));
    for (int i = 0; i < count; ++i) {
        int axis;
        JG_TRY(shape_axis("axes", naxes < 0 ? i : axes[i], a->ndim, &axis));
        which[i] = axis;
        /* For odd extents the two shifts differ: n / 2 elements in one direction undo n / 2 in the
         * other. */
        by[i] = sign * (a->dims[axis] / 2);
    }
    if (count > 0)
        return jg_roll(a, count, by, count, which, out);
    return graph_same(a, out);
}

jg_status compose_fft_fftshift(jg_array *a, int naxes, const int64_t *axes, jg_array **out)
{
    return shift(a, naxes, axes, 1, out);
}

jg_status compose_fft_ifftshift(jg_array *a, int naxes, const int64_t *axes, jg_array **out)
{
    return shift(a, naxes, axes, -1, out);
}

static jg_status check_frequencies(jg_op op, int64_t n, const jg_dtype *dtype)
{
    if (n < 1)
        return base_fail(JG_ERR_VALUE, "[%s] n: got %" PRId64 ", allowed is 1 and above",
                         op_name(op), n);
    if (dtype != NULL && !dtype_is_floating(*dtype))
        return base_fail(JG_ERR_TYPE, "[%s] dtype: got %s, allowed are floats", op_name(op),
                         jg_dtype_name(*dtype));
    return JG_OK;
}

/* Integers from 0 on, divided by n * d. If `half` is not 0, n is subtracted from those from n -
 * half on: i becomes (i + half) mod n - half. */
static jg_status frequencies(jg_op op, int64_t n, int64_t count, int64_t half, double d,
                             const jg_dtype *dtype, jg_array **out)
{
    JG_TRY(check_frequencies(op, n, dtype));
    compose_scope scope = {0};
    jg_array *made = NULL;
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1},
                    stop = {.kind = JG_KIND_INT, .i64 = count};
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, stop, one, &made);
    jg_array *i = scope_take(&scope, status, made);
    if (half != 0 && i != NULL) {
        jg_array *by = scope_whole(&scope, i, half);
        i = scope_binary(&scope, jg_add, i, by);
        /* made has the dtype of i, int64, and is owned by the scope. */
        i = scope_binary(&scope, jg_remainder, i, scope_whole(&scope, made, n));
        i = scope_binary(&scope, jg_subtract, i, by);
    }
    jg_array *wide = scope_cast(&scope, i, JG_DTYPE_FLOAT64);
    if (wide != NULL)
        wide = scope_binary(&scope, jg_multiply, wide,
                            scope_number(&scope, wide, 1 / ((double)n * d)));
    return scope_finish(&scope, scope_cast(&scope, wide, dtype ? *dtype : DTYPE_DEFAULT_FLOAT),
                        out);
}

jg_status compose_fft_fftfreq(int64_t n, double d, const jg_dtype *dtype, jg_array **out)
{
    return frequencies(JG_OP_fft_fftfreq, n, n, n / 2, d, dtype, out);
}

jg_status compose_fft_rfftfreq(int64_t n, double d, const jg_dtype *dtype, jg_array **out)
{
    return frequencies(JG_OP_fft_rfftfreq, n, n / 2 + 1, 0, d, dtype, out);
}
