/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's rotations of one dtype, a matrix in each lane of the vectors. For jacobi_loops.c, which
 * defines before each inclusion: REAL, the type of an element; WHOLE, the integer of its size;
 * EXPONENT and ONE_EXPONENT, the bits of its exponent and their unit; EPSILON; MIN_SQUARE, the
 * least square of a length beside 1 that is exact enough; SQUARE_ROOT; NAME(x).
 *
 * A lane that has converged is rotated by an angle of 0, so its result does not depend on its
 * neighbours. Matrices are scaled by powers of two, so that squares do not overflow. */

enum { NAME(LANES) = VECTOR_NBYTES / sizeof(REAL) };
#define LANES NAME(LANES)

typedef REAL NAME(lane) __attribute__((vector_size(VECTOR_NBYTES)));
typedef WHOLE NAME(mask) __attribute__((vector_size(VECTOR_NBYTES)));
#define lane NAME(lane)
#define mask NAME(mask)

/* Matrices column by column, and the product of all rotations, which begins as the identity. */
typedef struct NAME(block) {
    lane a[N][N], v[N][N];
    lane scale; /* what values are to be multiplied by */
    mask unfit; /* -1 in lanes that are not done */
    int rows, columns;
} NAME(block);
#define block NAME(block)

INLINE void NAME(root)(lane *x)
{
    lane out = *x;
    for (int l = 0; l < LANES; ++l)
        out[l] = SQUARE_ROOT(out[l]);
    *x = out;
}

INLINE void NAME(magnitude)(const lane *x, lane *out)
{
    const lane zero = {0};
    *out = (lane)((mask)*x & ~(mask)(-zero));
}

INLINE bool NAME(any)(const mask *x)
{
    uint64_t words[VECTOR_NBYTES / sizeof(uint64_t)], all = 0;
    memcpy(words, x, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        all |= words[i];
    return all != 0;
}

static uint32_t NAME(bits)(const mask *x, int count)
{
    uint32_t out = 0;
    for (int l = 0; l < count; ++l)
        out |= (*x)[l] != 0 ? UINT32_C(1) << l : 0;
    return out;
}

/* Column j of the matrices from element `first` of it on; lanes without a matrix hold zeros. */
static void NAME(load)(const lapack_matrices *from, int64_t index, int count, bool triangle,
                       block *b)
{
    if (count < LANES)
        memset(b->a, 0, sizeof b->a);
    for (int l = 0; l < count; ++l) {
        const REAL *x = library_matrix_at(from, index + l);
        for (int j = 0; j < b->columns; ++j)
            for (int i = triangle ? j : 0; i < b->rows; ++i)
                b->a[j][i][l] = x[i * from->row_stride + j * from->column_stride];
    }
}

/* Scales by the power of two that brings the largest element to between 1 and 2; matrices that are
 * not finite or have no such power are left to LAPACK. Zeros need none. */
static void NAME(fit)(block *b, bool triangle)
{
    lane most = {0}, size, spoilt = {0};
    for (int j = 0; j < b->columns; ++j)
        for (int i = triangle ? j : 0; i < b->rows; ++i) {
            NAME(magnitude)(&b->a[j][i], &size);
            mask larger = size > most;
            most = (lane)(((mask)size & larger) | ((mask)most & ~larger));
            spoilt += size - size; /* NaN of what is not finite */
        }
    mask exponent = (mask)most & EXPONENT, zero = most == 0;
    b->unfit = (spoilt != 0) | (~zero & (exponent == 0)) | (exponent > EXPONENT - 3 * ONE_EXPONENT);
    lane down = (lane)(EXPONENT - ONE_EXPONENT - exponent);
    b->scale = (lane)exponent;
    for (int j = 0; j < b->columns; ++j)
        for (int i = triangle ? j : 0; i < b->rows; ++i)
            b->a[j][i] *= down;
}

static void NAME(begin_rotations)(block *b)
{
    const lane zero = {0};
    for (int i = 0; i < b->columns; ++i)
        for (int j = 0; j < b->columns; ++j)
            b->v[i][j] = zero + (REAL)(i == j);
}

/* The indices of n values of a lane in ascending or descending order. */
static void NAME(order)(const lane *values, int n, int l, bool descending, int *order)
{
    for (int i = 0; i < n; ++i) {
        REAL value = values[i][l];
        int at = i;
        for (; at > 0; --at) {
            REAL before = values[order[at - 1]][l];
            if (descending ? before >= value : before <= value)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* Zeros are written without a sign, which rotations by no angle may change. */
static void NAME(store_values)(const lapack_matrices *to, int64_t index, const lane *values,
                               const lane *scale, const int *order, int n, int l)
{
    if (to->address == NULL)
        return;
    REAL *out = library_matrix_at(to, index + l);
    for (int j = 0; j < n; ++j)
        out[j * to->row_stride] = values[order[j]][l] * (*scale)[l] + 0;
}

static void NAME(store_vectors)(const lapack_matrices *to, int64_t index, lane vectors[N][N],
                                const int *order, int rows, int columns, int l)
{
    if (to->address == NULL)
        return;
    REAL *out = library_matrix_at(to, index + l);
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i)
            out[i * to->row_stride + j * to->column_stride] = vectors[order[j]][i][l] + 0;
}

typedef struct NAME(rotation) {
    lane t, s, half; /* tangent, sine, tangent of half the angle */
} NAME(rotation);
#define rotation NAME(rotation)

/* The smaller angle that makes [[x, half], [half, x + difference]] diagonal, where needed. */
INLINE void NAME(angle)(const lane *difference, const lane *half, const mask *needed, rotation *out)
{
    const lane zero = {0};
    const mask sign = (mask)(-zero);
    lane twice = *half + *half, root = *difference * *difference + twice * twice;
    NAME(root)(&root);
    root = (lane)((mask)root | ((mask)*difference & sign));
    out->t = (lane)((mask)(twice / (*difference + root)) & *needed);
    lane length = out->t * out->t + 1;
    NAME(root)(&length);
    out->s = out->t / length;
    out->half = out->t / (length + 1);
}

/* The cosine is 1 - s * half: its rounding error is proportional to the angle, so that many small
 * rotations stay exact. */
INLINE void NAME(turn)(lane *x, lane *y, const rotation *by)
{
    lane first = *x, second = *y;
    *x = first - by->s * (second + by->half * first);
    *y = second + by->s * (first - by->half * second);
}

INLINE void NAME(turn_columns)(lane *x, lane *y, int rows, const rotation *by)
{
    for (int i = 0; i < rows; ++i)
        NAME(turn)(&x[i], &y[i], by);
}

static void NAME(turn_both_sides)(lane a[N][N], int n, int p, int q, const rotation *by)
{
    for (int k = 0; k < p; ++k)
        NAME(turn)(&a[k][p], &a[k][q], by);
    for (int k = p + 1; k < q; ++k)
        NAME(turn)(&a[p][k], &a[k][q], by);
    for (int k = q + 1; k < n; ++k)
        NAME(turn)(&a[p][k], &a[q][k], by);
}

/* Makes element (p, q) zero; gives whether it was not in any lane. */
static bool NAME(clear_element)(block *b, int p, int q, bool vectors)
{
    lane off = b->a[p][q], size;
    NAME(magnitude)(&off, &size);
    mask needed = size > EPSILON / 8;
    if (!NAME(any)(&needed))
        return false;
    rotation by;
    lane difference = b->a[q][q] - b->a[p][p];
    NAME(angle)(&difference, &off, &needed, &by);
    b->a[p][p] -= by.t * off;
    b->a[q][q] += by.t * off;
    b->a[p][q] = (lane)((mask)off & ~needed);
    NAME(turn_both_sides)(b->a, b->columns, p, q, &by);
    if (vectors)
        NAME(turn_columns)(b->v[p], b->v[q], b->columns, &by);
    return true;
}

/* Gives whether nothing is left to do. */
static bool NAME(make_diagonal)(block *b, bool vectors)
{
    for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep) {
        bool turned = false;
        for (int p = 0; p < b->columns; ++p)
            for (int q = p + 1; q < b->columns; ++q)
                turned |= NAME(clear_element)(b, p, q, vectors);
        if (!turned)
            return true;
    }
    return false;
}

static uint32_t NAME(hermitian)(const jacobi_call *call, int64_t first, int count)
{
    const int n = (int)call->a.rows;
    const bool vectors = call->left.address != NULL;
    lapack_matrices a = call->upper ? matrices_turned(&call->a) : call->a;
    block b = {.rows = n, .columns = n};
    lane values[N];
    int order[N];
    NAME(load)(&a, first, count, true, &b);
    NAME(fit)(&b, true);
    NAME(begin_rotations)(&b);
    if (!NAME(make_diagonal)(&b, vectors))
        return UINT32_MAX >> (32 - count);
    for (int j = 0; j < n; ++j)
        values[j] = b.a[j][j];
    for (int l = 0; l < count; ++l) {
        NAME(order)(values, n, l, false, order);
        NAME(store_values)(&call->values, first, values, &b.scale, order, n, l);
        NAME(store_vectors)(&call->left, first, b.v, order, n, n, l);
    }
    return NAME(bits)(&b.unfit, count);
}

INLINE void NAME(product)(const lane *x, const lane *y, int rows, lane *out)
{
    lane sum = x[0] * y[0];
    for (int i = 1; i < rows; ++i)
        sum += x[i] * y[i];
    *out = sum;
}

/* Makes columns p and q orthogonal, whose squared lengths it keeps; gives whether they were not in
 * any lane. */
static bool NAME(clear_product)(block *b, lane *squares, int p, int q, bool vectors)
{
    lane product, size, limit = squares[p] * squares[q];
    NAME(product)(b->a[p], b->a[q], b->rows, &product);
    NAME(magnitude)(&product, &size);
    NAME(root)(&limit);
    mask needed = size > limit * (EPSILON * (REAL)(2 + b->rows / 4));
    if (!NAME(any)(&needed))
        return false;
    rotation by;
    lane difference = squares[q] - squares[p];
    NAME(angle)(&difference, &product, &needed, &by);
    squares[p] -= by.t * product;
    squares[q] += by.t * product;
    NAME(turn_columns)(b->a[p], b->a[q], b->rows, &by);
    if (vectors)
        NAME(turn_columns)(b->v[p], b->v[q], b->columns, &by);
    return true;
}

static bool NAME(make_orthogonal)(block *b, lane *squares, bool vectors)
{
    for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep) {
        bool turned = false;
        for (int j = 0; j < b->columns; ++j)
            NAME(product)(b->a[j], b->a[j], b->rows, &squares[j]);
        for (int p = 0; p < b->columns; ++p)
            for (int q = p + 1; q < b->columns; ++q)
                turned |= NAME(clear_product)(b, squares, p, q, vectors);
        if (!turned)
            return true;
    }
    return false;
}

/* From columns to their lengths and directions. Zeros have none, and short ones are not exact. */
static void NAME(split_columns)(block *b, lane *squares, bool directions)
{
    for (int j = 0; j < b->columns; ++j) {
        if (directions)
            b->unfit |= squares[j] < MIN_SQUARE;
        NAME(root)(&squares[j]);
        for (int i = 0; i < b->rows && directions; ++i)
            b->a[j][i] /= squares[j];
    }
}

static uint32_t NAME(singular)(const jacobi_call *call, int64_t first, int count)
{
    block b = {.rows = (int)call->a.rows, .columns = (int)call->a.columns};
    const bool left = call->left.address != NULL, right = call->right.address != NULL;
    lane squares[N];
    int order[N];
    NAME(load)(&call->a, first, count, false, &b);
    NAME(fit)(&b, false);
    NAME(begin_rotations)(&b);
    if (!NAME(make_orthogonal)(&b, squares, right))
        return UINT32_MAX >> (32 - count);
    NAME(split_columns)(&b, squares, left);
    for (int l = 0; l < count; ++l) {
        NAME(order)(squares, b.columns, l, true, order);
        NAME(store_values)(&call->values, first, squares, &b.scale, order, b.columns, l);
        NAME(store_vectors)(&call->left, first, b.a, order, b.rows, b.columns, l);
        NAME(store_vectors)(&call->right, first, b.v, order, b.columns, b.columns, l);
    }
    return NAME(bits)(&b.unfit, count);
}

#undef rotation
#undef block
#undef mask
#undef lane
#undef LANES
