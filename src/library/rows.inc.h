/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination and reflections for one real matrix of up to ROWS_MAX rows and columns, a row being a
 * few vectors: all that is done is adding multiples of rows, so nothing is summed along a vector.
 * For small.c, which includes it behind small.inc.h and with the same macros. A pivot that is NaN
 * is not zero: NaNs spread through the result, and are no failure. */

enum { NAME(WIDTH) = ROWS_MAX * sizeof(REAL) / VECTOR_NBYTES };
#define WIDTH NAME(WIDTH)
#define LANES NAME(LANES)

/* Rows are padded with zeros to whole vectors; `vectors` of each are in use. */
typedef struct NAME(rows) {
    NAME(lane) at[ROWS_MAX][WIDTH];
    int vectors;
} NAME(rows);

static inline TARGET REAL *NAME(element)(NAME(rows) * x, int i, int j)
{
    return (REAL *)x->at[i] + j;
}

static TARGET void NAME(rows_clear)(NAME(rows) * x, int rows, int columns)
{
    const NAME(lane) zero = {0};
    x->vectors = (int)ceil_div(columns, LANES);
    for (int i = 0; i < rows; ++i)
        for (int v = 0; v < x->vectors; ++v)
            x->at[i][v] = zero;
}

static TARGET void NAME(rows_load)(const batch_walk *from, int64_t index, int rows, int columns,
                                   NAME(rows) * to)
{
    const REAL *x = walk_at(from, index);
    NAME(rows_clear)(to, rows, columns);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            *NAME(element)(to, i, j) = x[i * from->row + j * from->column];
}

static TARGET void NAME(rows_store)(const batch_walk *to, int64_t index, int rows, int columns,
                                    NAME(rows) * from)
{
    REAL *x = walk_at(to, index);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            x[i * to->row + j * to->column] = *NAME(element)(from, i, j);
}

static TARGET void NAME(rows_identity)(NAME(rows) * x, int rows, int columns)
{
    NAME(rows_clear)(x, rows, columns);
    for (int i = 0; i < rows && i < columns; ++i)
        *NAME(element)(x, i, i) = 1;
}

/* Row i plus factor times row k, from a vector on. */
static inline TARGET void NAME(rows_add)(NAME(rows) * x, int i, REAL factor, int k, int from)
{
    for (int v = from; v < x->vectors; ++v)
        x->at[i][v] += factor * x->at[k][v];
}

static inline TARGET void NAME(rows_exchange)(NAME(rows) * x, int i, int k)
{
    for (int v = 0; v < x->vectors; ++v) {
        NAME(lane) kept = x->at[i][v];
        x->at[i][v] = x->at[k][v];
        x->at[k][v] = kept;
    }
}

/* The row below or at k with the largest element of column k; the first of equal ones. */
static TARGET int NAME(rows_pivot)(NAME(rows) * a, int n, int k)
{
    int best = k;
    REAL most = (REAL)fabs((double)*NAME(element)(a, k, k));
    for (int i = k + 1; i < n; ++i) {
        REAL here = (REAL)fabs((double)*NAME(element)(a, i, k));
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    return best;
}

/* Makes a upper triangular, and does the same to b. Gives the sign of the exchanges, 0 if a pivot
 * is zero. */
static TARGET int NAME(rows_eliminate)(NAME(rows) * a, NAME(rows) * b, int n)
{
    int sign = 1;
    for (int k = 0; k < n; ++k) {
        int best = NAME(rows_pivot)(a, n, k);
        if (best != k) {
            NAME(rows_exchange)(a, best, k);
            NAME(rows_exchange)(b, best, k);
            sign = -sign;
        }
        REAL pivot = *NAME(element)(a, k, k);
        if (pivot == 0)
            return 0;
        for (int i = k + 1; i < n; ++i) {
            REAL factor = -*NAME(element)(a, i, k) / pivot;
            /* From the vector that holds the pivot on: elements left of it are zero or not read
             * again. */
            NAME(rows_add)(a, i, factor, k, k / LANES);
            NAME(rows_add)(b, i, factor, k, 0);
        }
    }
    return sign;
}

/* b becomes the solution of the triangular system, from the last row up. */
static TARGET void NAME(rows_substitute)(NAME(rows) * a, NAME(rows) * b, int n)
{
    for (int k = n - 1; k >= 0; --k) {
        REAL pivot = *NAME(element)(a, k, k);
        for (int v = 0; v < b->vectors; ++v)
            b->at[k][v] /= pivot;
        for (int i = 0; i < k; ++i)
            NAME(rows_add)(b, i, -*NAME(element)(a, i, k), k, 0);
    }
}

static TARGET int64_t NAME(rows_inverse)(const small_call *c)
{
    NAME(rows) a, b;
    for (int64_t at = c->first; at < c->last; ++at) {
        NAME(rows_load)(&c->a, at, c->n, c->n, &a);
        NAME(rows_identity)(&b, c->n, c->n);
        bool regular = NAME(rows_eliminate)(&a, &b, c->n) != 0;
        if (!regular && !c->quiet)
            return at;
        if (regular)
            NAME(rows_substitute)(&a, &b, c->n);
        for (int i = 0; i < c->n && !regular; ++i)
            for (int j = 0; j < c->n; ++j)
                *NAME(element)(&b, i, j) = (REAL)INFINITY;
        NAME(rows_store)(&c->x, at, c->n, c->n, &b);
    }
    return -1;
}

static TARGET int64_t NAME(rows_solution)(const small_call *c)
{
    NAME(rows) a, b;
    for (int64_t at = c->first; at < c->last; ++at) {
        NAME(rows_load)(&c->a, at, c->n, c->n, &a);
        NAME(rows_load)(&c->b, at, c->n, (int)c->columns, &b);
        if (NAME(rows_eliminate)(&a, &b, c->n) == 0)
            return at;
        NAME(rows_substitute)(&a, &b, c->n);
        NAME(rows_store)(&c->x, at, c->n, (int)c->columns, &b);
    }
    return -1;
}

/* A singular matrix, which rows_eliminate gives up at the first zero pivot, has factors of 0. */
static TARGET int64_t NAME(rows_determinant)(const small_call *c)
{
    NAME(rows) a, none;
    none.vectors = 0;
    for (int64_t at = c->first; at < c->last; ++at) {
        NAME(rows_load)(&c->a, at, c->n, c->n, &a);
        determinant_parts d = {NAME(rows_eliminate)(&a, &none, c->n), 1, 0};
        d.product = d.sign;
        for (int k = 0; k < c->n; ++k)
            take_factor(c, &d,
                        d.product == 0 && d.sign == 0 ? 0 : (double)*NAME(element)(&a, k, k));
        if (c->product != NULL)
            ((REAL *)c->product)[at] = (REAL)d.product;
        if (c->sign != NULL)
            ((REAL *)c->sign)[at] = (REAL)d.sign;
        if (c->logarithm != NULL)
            ((REAL *)c->logarithm)[at] = (REAL)d.logarithm;
    }
    return -1;
}

/* The length of column k below row k. Where the squares leave double's range, all are scaled by the
 * largest. */
static TARGET double NAME(length_below)(NAME(rows) * x, int rows, int k)
{
    double sum = 0, most = 0;
    for (int i = k + 1; i < rows; ++i) {
        double element = (double)*NAME(element)(x, i, k);
        sum += element * element;
        most = fabs(element) > most ? fabs(element) : most;
    }
    if (!(sum < 1e290 && sum > 1e-290) && most > 0 && most < (double)INFINITY) {
        sum = 0;
        for (int i = k + 1; i < rows; ++i) {
            double part = (double)*NAME(element)(x, i, k) / most;
            sum += part * part;
        }
        return most * sqrt(sum);
    }
    return sqrt(sum);
}

/* Rows k to the last minus tau v (v^T rows). */
static TARGET void NAME(reflect)(NAME(rows) * x, int rows, int k, const REAL *v, REAL tau)
{
    for (int part = 0; part < x->vectors; ++part) {
        NAME(lane) sum = {0};
        for (int i = k; i < rows; ++i)
            sum += v[i] * x->at[i][part];
        sum *= tau;
        for (int i = k; i < rows; ++i)
            x->at[i][part] -= v[i] * sum;
    }
}

/* Makes a upper triangular by reflections, whose vectors and factors are kept. */
static TARGET void NAME(rows_triangulate)(NAME(rows) * a, int rows, int count,
                                          REAL v[ROWS_MAX][ROWS_MAX], REAL *tau)
{
    for (int k = 0; k < count; ++k) {
        double head = (double)*NAME(element)(a, k, k), tail = NAME(length_below)(a, rows, k);
        tau[k] = 0;
        if (tail == 0)
            continue;
        /* The sign that does not cancel with the head (Golub and Van Loan, "Matrix Computations",
         * section 5.1). */
        double length = head > 0 ? -hypot(head, tail) : hypot(head, tail);
        tau[k] = (REAL)((length - head) / length);
        v[k][k] = 1;
        for (int i = k + 1; i < rows; ++i)
            v[k][i] = (REAL)((double)*NAME(element)(a, i, k) / (head - length));
        NAME(reflect)(a, rows, k, v[k], tau[k]);
        *NAME(element)(a, k, k) = (REAL)length;
        for (int i = k + 1; i < rows; ++i)
            *NAME(element)(a, i, k) = 0;
    }
}

static TARGET int64_t NAME(rows_qr)(const small_call *c)
{
    NAME(rows) a, q;
    REAL v[ROWS_MAX][ROWS_MAX], tau[ROWS_MAX];
    int count = int_min(c->n, (int)c->columns);
    for (int64_t at = c->first; at < c->last; ++at) {
        NAME(rows_load)(&c->a, at, c->n, (int)c->columns, &a);
        NAME(rows_triangulate)(&a, c->n, count, v, tau);
        if (c->r.start != NULL)
            NAME(rows_store)(&c->r, at, (int)c->r.matrices->rows, (int)c->columns, &a);
        if (c->x.start == NULL)
            continue;
        NAME(rows_identity)(&q, c->n, (int)c->x.matrices->columns);
        /* The last reflection first, onto the identity: Q is their product. */
        for (int k = count - 1; k >= 0; --k)
            if (tau[k] != 0)
                NAME(reflect)(&q, c->n, k, v[k], tau[k]);
        NAME(rows_store)(&c->x, at, c->n, (int)c->x.matrices->columns, &q);
    }
    return -1;
}

static const small_loops NAME(row_loops) = {.inverse = NAME(rows_inverse),
                                            .solution = NAME(rows_solution),
                                            .determinant = NAME(rows_determinant),
                                            .qr = NAME(rows_qr)};

#undef WIDTH
#undef LANES
