/* SPDX-License-Identifier: Apache-2.0 */
/* Einstein sums: labels that only one operand has are summed at once; then the two operands whose
 * product adds least to what is in memory are contracted, until one is left. A contraction is one
 * batched matrix product; where nothing is summed, a broadcast multiplication. */
#include "compose/linalg/einsum.h"
#include <string.h>

static bool term_has(const einsum_term *term, int label)
{
    return memchr(term->labels, label, (size_t)term->ndim) != NULL;
}

/* Whether a label is wanted by the result or by a term other than the two. a and b may be the same
 * term. */
static bool is_needed(const einsum *sum, int label, const einsum_term *a, const einsum_term *b)
{
    if (memchr(sum->output, label, (size_t)sum->noutput) != NULL)
        return true;
    for (int i = 0; i < sum->count; ++i)
        if (&sum->terms[i] != a && &sum->terms[i] != b && term_has(&sum->terms[i], label))
            return true;
    return false;
}

static void replace(einsum_term *term, jg_array *array)
{
    jg_array_release(term->array);
    term->array = array;
}

/* Axes of equal label become one, along the diagonal. An axis of extent 1 whose label has more
 * elsewhere is dropped: the term is the same all along it. A diagonal steps along all of its axes
 * at once, so its stride is their sum. After this a term has each label once, and sum->extents is
 * the extent of each of its axes. */
static jg_status settle_axes(const einsum *sum, einsum_term *term)
{
    const jg_array *x = term->array;
    jg_layout from, to = {.size = 1};
    uint8_t labels[JG_MAX_NDIM];
    node_layout(x, &from);
    to.offset = from.offset;
    for (int axis = 0; axis < term->ndim; ++axis) {
        const uint8_t *same = memchr(labels, term->labels[axis], (size_t)to.ndim);
        if (from.shape[axis] == 1 && sum->extents[term->labels[axis]] != 1)
            continue;
        if (same != NULL) {
            to.strides[same - labels] += from.strides[axis];
            continue;
        }
        labels[to.ndim] = term->labels[axis];
        to.shape[to.ndim] = from.shape[axis];
        to.strides[to.ndim++] = from.strides[axis];
        to.size *= from.shape[axis];
    }
    /* No axis was joined or dropped: the layout is the old one. */
    if (to.ndim == term->ndim)
        return JG_OK;
    jg_array *view;
    JG_TRY(compose_view(term->array, &to, &view));
    replace(term, view);
    term->ndim = to.ndim;
    memcpy(term->labels, labels, (size_t)to.ndim);
    return JG_OK;
}

/* The sum keeps the dtype, as products do. */
static jg_status sum_axes(einsum_term *term, int naxes, const int64_t *axes)
{
    jg_array *wide, *narrow;
    JG_TRY(graph_reduce(JG_OP_sum, term->array, naxes, axes, false, &wide));
    jg_status status = graph_cast(wide, (jg_dtype)term->array->dtype, &narrow);
    jg_array_release(wide);
    if (status == JG_OK)
        replace(term, narrow);
    return status;
}

/* The kept labels move to the front in their order, as the axes of the reduced array do. */
static jg_status sum_lone_labels(const einsum *sum, einsum_term *term)
{
    int64_t axes[JG_MAX_NDIM];
    int naxes = 0, kept = 0;
    for (int axis = 0; axis < term->ndim; ++axis) {
        if (is_needed(sum, term->labels[axis], term, term))
            term->labels[kept++] = term->labels[axis];
        else
            axes[naxes++] = axis;
    }
    term->ndim = kept;
    return naxes > 0 ? sum_axes(term, naxes, axes) : JG_OK;
}

/* The labels of a pair by their part in the matrix product. batch: in both and still needed; left,
 * right: in one only; summed: in both, and needed nowhere else. left and right are all needed, as
 * sum_lone_labels has removed the others. */
typedef struct pair_labels {
    int nbatch, nleft, nright, nsummed;
    uint8_t batch[EINSUM_LABELS], left[EINSUM_LABELS], right[EINSUM_LABELS], summed[EINSUM_LABELS];
} pair_labels;

/* The labels of batch and summed are in the order of a's axes: b is permuted to it. */
static void sort_labels(const einsum *sum, const einsum_term *a, const einsum_term *b,
                        pair_labels *out)
{
    *out = (pair_labels){0};
    for (int i = 0; i < a->ndim; ++i) {
        uint8_t label = a->labels[i];
        if (!term_has(b, label))
            out->left[out->nleft++] = label;
        else if (is_needed(sum, label, a, b))
            out->batch[out->nbatch++] = label;
        else
            out->summed[out->nsummed++] = label;
    }
    for (int i = 0; i < b->ndim; ++i)
        if (!term_has(a, b->labels[i]))
            out->right[out->nright++] = b->labels[i];
}

/* A size that overflows loses every comparison; creating such an array fails. */
static int64_t extent_of(const einsum *sum, int count, const uint8_t *labels)
{
    int64_t extent = 1;
    for (int i = 0; i < count; ++i)
        if (__builtin_mul_overflow(extent, sum->extents[labels[i]], &extent))
            return INT64_MAX;
    return extent;
}

/* The term with its axes in the order of three lists of labels, each merged into one axis. labels
 * together are the term's, each once. */
static jg_array *as_matrices(compose_scope *scope, const einsum *sum, const einsum_term *term,
                             const int counts[3], const uint8_t *const labels[3])
{
    int64_t order[JG_MAX_NDIM], shape[3];
    int n = 0;
    for (int part = 0; part < 3; ++part) {
        shape[part] = extent_of(sum, counts[part], labels[part]);
        for (int i = 0; i < counts[part]; ++i) {
            const uint8_t *at = memchr(term->labels, labels[part][i], (size_t)term->ndim);
            order[n++] = at - term->labels;
        }
    }
    jg_array *turned = scope_shaped(scope, jg_permute_dims, term->array, n, order);
    return scope_shaped(scope, jg_reshape, turned, 3, shape);
}

/* batch, left, right: the labels of the result, and its extents. */
static jg_status result_labels(const einsum *sum, const pair_labels *pair, einsum_term *out,
                               int64_t *shape)
{
    int ndim = pair->nbatch + pair->nleft + pair->nright;
    if (ndim > JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE,
                         "[einsum] an intermediate result would have %d axes, allowed are %d", ndim,
                         JG_MAX_NDIM);
    memcpy(out->labels, pair->batch, (size_t)pair->nbatch);
    memcpy(out->labels + pair->nbatch, pair->left, (size_t)pair->nleft);
    memcpy(out->labels + pair->nbatch + pair->nleft, pair->right, (size_t)pair->nright);
    for (int i = 0; i < ndim; ++i)
        shape[i] = sum->extents[out->labels[i]];
    out->ndim = ndim;
    return JG_OK;
}

/* Without a summed label the matrices have one column and one row: their product is elementwise. */
static jg_status contract(const einsum *sum, const einsum_term *a, const einsum_term *b,
                          einsum_term *out)
{
    compose_scope scope = {0};
    pair_labels pair;
    int64_t shape[JG_MAX_NDIM];
    sort_labels(sum, a, b, &pair);
    JG_TRY(result_labels(sum, &pair, out, shape));
    jg_array *left =
        as_matrices(&scope, sum, a, (const int[]){pair.nbatch, pair.nleft, pair.nsummed},
                    (const uint8_t *const[]){pair.batch, pair.left, pair.summed});
    jg_array *right =
        as_matrices(&scope, sum, b, (const int[]){pair.nbatch, pair.nsummed, pair.nright},
                    (const uint8_t *const[]){pair.batch, pair.summed, pair.right});
    jg_array *product =
        scope_binary(&scope, pair.nsummed > 0 ? jg_matmul : jg_multiply, left, right);
    jg_array *shaped = scope_shaped(&scope, jg_reshape, product, out->ndim, shape);
    return scope_finish(&scope, shaped, &out->array);
}

/* How much larger the product is than the two together. In doubles, as an estimate: the extents'
 * product may leave int64. */
static double growth_of(const einsum *sum, const einsum_term *a, const einsum_term *b)
{
    pair_labels pair;
    sort_labels(sum, a, b, &pair);
    double product = (double)extent_of(sum, pair.nbatch, pair.batch) *
                     (double)extent_of(sum, pair.nleft, pair.left) *
                     (double)extent_of(sum, pair.nright, pair.right);
    return product - (double)a->array->size - (double)b->array->size;
}

/* The position of a term among those that are left, in the order in which they came. */
static int position_of(const einsum *sum, const einsum_term *term)
{
    int position = 0;
    for (int i = 0; i < sum->count; ++i)
        position += sum->terms[i].order < term->order;
    return position;
}

static void note_pair(einsum *sum, const einsum_term *a, const einsum_term *b)
{
    int first = position_of(sum, a), second = position_of(sum, b);
    if (sum->path == NULL)
        return;
    sum->path[2 * sum->nproducts] = int_min(first, second);
    sum->path[2 * sum->nproducts + 1] = int_max(first, second);
}

/* Greedy, as opt_einsum's "greedy" (Smith and Gray 2018) with its default cost: quadratic in the
 * terms for each step, which matters for hundreds of operands only. Of equal pairs the first is
 * taken, so that the path is the same on every machine. */
static jg_status contract_best(einsum *sum)
{
    int first = 0, second = 1;
    double least = growth_of(sum, &sum->terms[0], &sum->terms[1]);
    for (int i = 0; i < sum->count; ++i) {
        for (int j = i + 1; j < sum->count; ++j) {
            double growth = growth_of(sum, &sum->terms[i], &sum->terms[j]);
            if (growth < least) {
                least = growth;
                first = i;
                second = j;
            }
        }
    }
    einsum_term product;
    JG_TRY(contract(sum, &sum->terms[first], &sum->terms[second], &product));
    /* Before the terms are replaced: positions are counted among those that are there. */
    note_pair(sum, &sum->terms[first], &sum->terms[second]);
    product.order = sum->noperands + sum->nproducts++;
    /* first < second <= count - 1, so that the last term moved to second is never the product. */
    replace(&sum->terms[first], product.array);
    sum->terms[first] = product;
    jg_array_release(sum->terms[second].array);
    sum->terms[second] = sum->terms[--sum->count];
    return JG_OK;
}

/* The last term has the labels of the result, each once, in the order of the contractions. */
static jg_status finish(const einsum *sum, jg_array **out)
{
    const einsum_term *term = &sum->terms[0];
    int64_t order[JG_MAX_NDIM];
    for (int i = 0; i < sum->noutput; ++i) {
        const uint8_t *at = memchr(term->labels, sum->output[i], (size_t)term->ndim);
        order[i] = at - term->labels;
    }
    return jg_permute_dims(term->array, sum->noutput, order, out);
}

/* First all diagonals, then all sums, as whether a label is needed elsewhere depends on the
 * diagonals. */
static jg_status evaluate(einsum *sum, const char *subscripts, jg_array **out)
{
    JG_TRY(einsum_parse(sum, subscripts));
    for (int i = 0; i < sum->count; ++i)
        JG_TRY(settle_axes(sum, &sum->terms[i]));
    for (int i = 0; i < sum->count; ++i)
        JG_TRY(sum_lone_labels(sum, &sum->terms[i]));
    while (sum->count > 1)
        JG_TRY(contract_best(sum));
    return finish(sum, out);
}

/* All operands in their common dtype. sum->count grows with each term that owns an array, so that a
 * failure releases just those. */
static jg_status take_operands(einsum *sum, int count, jg_array *const *operands)
{
    jg_dtype common;
    JG_TRY(compose_common_dtype(count, operands, &common));
    for (; sum->count < count; sum->count += 1) {
        sum->terms[sum->count].order = sum->count;
        JG_TRY(graph_cast(operands[sum->count], common, &sum->terms[sum->count].array));
    }
    sum->noperands = count;
    return JG_OK;
}

/* path: as einsum.path. */
static jg_status run(const char *subscripts, int count, jg_array *const *operands, int *path,
                     jg_array **out)
{
    if (count < 1)
        return base_fail(JG_ERR_VALUE, "[einsum] operands: got none, allowed is 1 or more");
    einsum sum = {.path = path, .terms = base_alloc_zeroed((size_t)count * sizeof *sum.terms)};
    if (sum.terms == NULL)
        return base_nomem((size_t)count * sizeof *sum.terms, "an einsum");
    jg_status status = take_operands(&sum, count, operands);
    if (status == JG_OK)
        status = evaluate(&sum, subscripts, out);
    for (int i = 0; i < sum.count; ++i)
        jg_array_release(sum.terms[i].array);
    base_free(sum.terms);
    return status;
}

jg_status compose_einsum(const char *subscripts, int count, jg_array *const *operands,
                         jg_array **out)
{
    return run(subscripts, count, operands, NULL, out);
}

/* The path is that of a real contraction, of which no array is computed: arrays are lazy. */
jg_status jg_einsum_path(const char *subscripts, int count, jg_array *const *operands, int *path)
{
    jg_array *unused;
    JG_TRY(run(subscripts, count, operands, path, &unused));
    jg_array_release(unused);
    return JG_OK;
}
