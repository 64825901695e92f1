/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination for LANES matrices at once, one of each vector's elements for each. For small.c,
 * which defines before each inclusion: REAL, the type of an element; WHOLE, the integer of its
 * size; NAME(x), a name with the type and the instruction set in it; TARGET and VECTOR_NBYTES, that
 * set's attribute and vectors. Vectors go by address: how they are passed depends on the
 * instruction set, and compilers warn of it. */

enum { NAME(LANES) = VECTOR_NBYTES / sizeof(REAL) };
#define LANES NAME(LANES)

typedef REAL NAME(lane) __attribute__((vector_size(VECTOR_NBYTES)));
typedef WHOLE NAME(mask) __attribute__((vector_size(VECTOR_NBYTES)));

/* A matrix and its right-hand sides, column by column; at most N columns of each. */
typedef struct NAME(system) {
    NAME(lane) a[N][N], b[N][N];
    NAME(lane) sign;     /* of the exchanges of rows */
    NAME(mask) singular; /* -1 where a pivot is zero */
} NAME(system);

/* Exchanges x and y in the lanes where `exchanged` is -1, as bits. */
ALWAYS_INLINE TARGET void NAME(choose)(NAME(lane) * x, NAME(lane) * y, const NAME(mask) * exchanged)
{
    NAME(mask) differing = ((NAME(mask)) * x ^ (NAME(mask)) * y) & *exchanged;
    *x = (NAME(lane))((NAME(mask)) * x ^ differing);
    *y = (NAME(lane))((NAME(mask)) * y ^ differing);
}

/* Without the sign bit, which is all that -0 has. */
ALWAYS_INLINE TARGET void NAME(magnitude)(const NAME(lane) * x, NAME(lane) * out)
{
    const NAME(lane) sign = {0};
    *out = (NAME(lane))((NAME(mask)) * x & ~(NAME(mask))(-sign));
}

/* Brings the row with the largest element of column k to row k, exchange by exchange. */
ALWAYS_INLINE TARGET void NAME(pivot)(NAME(system) * s, int n, int columns, int k)
{
    for (int i = k + 1; i < n; ++i) {
        NAME(lane) here, there;
        NAME(magnitude)(&s->a[k][k], &here);
        NAME(magnitude)(&s->a[i][k], &there);
        NAME(mask) exchanged = there > here;
        for (int j = k; j < n; ++j)
            NAME(choose)(&s->a[k][j], &s->a[i][j], &exchanged);
        for (int j = 0; j < columns; ++j)
            NAME(choose)(&s->b[k][j], &s->b[i][j], &exchanged);
        NAME(lane) negated = -s->sign;
        NAME(choose)(&s->sign, &negated, &exchanged);
    }
}

/* Makes a upper triangular, and does the same to b. A lane with a zero pivot continues, with
 * infinities and NaNs; readers check `singular` first. */
ALWAYS_INLINE TARGET void NAME(eliminate)(NAME(system) * s, int n, int columns)
{
    for (int k = 0; k < n; ++k) {
        NAME(pivot)(s, n, columns, k);
        s->singular |= s->a[k][k] == 0;
        for (int i = k + 1; i < n; ++i) {
            NAME(lane) factor = s->a[i][k] / s->a[k][k];
            for (int j = k + 1; j < n; ++j)
                s->a[i][j] -= factor * s->a[k][j];
            for (int j = 0; j < columns; ++j)
                s->b[i][j] -= factor * s->b[k][j];
        }
    }
}

/* b becomes the solution, from the last row up. */
ALWAYS_INLINE TARGET void NAME(substitute)(NAME(system) * s, int n, int columns)
{
    for (int k = n - 1; k >= 0; --k)
        for (int j = 0; j < columns; ++j) {
            s->b[k][j] /= s->a[k][k];
            for (int i = 0; i < k; ++i)
                s->b[i][j] -= s->a[i][k] * s->b[k][j];
        }
}

ALWAYS_INLINE TARGET void NAME(load)(const batch_walk *from, int64_t first, int64_t count, int rows,
                                     int columns, NAME(lane) to[N][N])
{
    for (int64_t l = 0; l < count; ++l) {
        const REAL *x = walk_at(from, first + l);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                to[i][j][l] = x[i * from->row + j * from->column];
    }
}

ALWAYS_INLINE TARGET void NAME(store)(const batch_walk *to, int64_t first, int64_t count, int rows,
                                      int columns, NAME(lane) from[N][N])
{
    for (int64_t l = 0; l < count; ++l) {
        REAL *x = walk_at(to, first + l);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                x[i * to->row + j * to->column] = from[i][j][l];
    }
}

/* Lanes without a matrix have the identity. */
ALWAYS_INLINE TARGET void NAME(begin)(NAME(system) * s, const batch_walk *a, int64_t first,
                                      int64_t count, int n)
{
    const NAME(lane) zero = {0};
    s->sign = zero + 1;
    s->singular = (NAME(mask)){0};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            s->a[i][j] = zero + (REAL)(i == j);
    NAME(load)(a, first, count, n, n, s->a);
}

/* The first of the lanes whose matrix is singular, -1 if none is. */
ALWAYS_INLINE TARGET int64_t NAME(first_singular)(const NAME(system) * s)
{
    for (int64_t l = 0; l < LANES; ++l)
        if (s->singular[l] != 0)
            return l;
    return -1;
}

/* quiet: singular matrices have infinities for an inverse; the lanes beside them are as they would
 * be without. */
ALWAYS_INLINE TARGET int64_t NAME(inverse_sized)(const small_call *c, int n)
{
    for (int64_t at = c->first; at < c->last; at += LANES) {
        int64_t count = int64_min(c->last - at, LANES);
        const NAME(lane) zero = {0};
        NAME(system) s;
        NAME(begin)(&s, &c->a, at, count, n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                s.b[i][j] = zero + (REAL)(i == j);
        NAME(eliminate)(&s, n, n);
        NAME(substitute)(&s, n, n);
        int64_t failed = NAME(first_singular)(&s);
        if (failed >= 0 && !c->quiet)
            return at + failed;
        for (int i = 0; i < n * n && failed >= 0; ++i)
            for (int64_t l = 0; l < LANES; ++l)
                if (s.singular[l] != 0)
                    s.b[i / n][i % n][l] = (REAL)INFINITY;
        NAME(store)(&c->x, at, count, n, n, s.b);
    }
    return -1;
}

/* Right-hand sides by up to N columns. */
ALWAYS_INLINE TARGET int64_t NAME(solution_sized)(const small_call *c, int n)
{
    for (int64_t at = c->first; at < c->last; at += LANES) {
        int64_t count = int64_min(c->last - at, LANES);
        for (int64_t j = 0; j == 0 || j < c->columns; j += N) {
            int columns = c->columns - j < N ? (int)(c->columns - j) : N;
            batch_walk b = walk_from_column(&c->b, j), x = walk_from_column(&c->x, j);
            NAME(system) s;
            memset(s.b, 0, sizeof s.b);
            NAME(begin)(&s, &c->a, at, count, n);
            NAME(load)(&b, at, count, n, columns, s.b);
            NAME(eliminate)(&s, n, columns);
            if (NAME(first_singular)(&s) >= 0)
                return at + NAME(first_singular)(&s);
            NAME(substitute)(&s, n, columns);
            NAME(store)(&x, at, count, n, columns, s.b);
        }
    }
    return -1;
}

/* The lower factor, in b; elements without a root are told in singular. */
ALWAYS_INLINE TARGET void NAME(root)(NAME(system) * s, int n)
{
    for (int j = 0; j < n; ++j) {
        NAME(lane) rest = s->a[j][j];
        for (int k = 0; k < j; ++k)
            rest -= s->b[j][k] * s->b[j][k];
        s->singular |= ~(rest > 0);
        for (int64_t l = 0; l < LANES; ++l)
            /* Element by element: there is no operator for roots of vectors. float's root computed
             * in double rounds correctly. */
            s->b[j][j][l] = (REAL)sqrt((double)rest[l]);
        for (int i = j + 1; i < n; ++i) {
            NAME(lane) sum = s->a[i][j];
            for (int k = 0; k < j; ++k)
                sum -= s->b[i][k] * s->b[j][k];
            s->b[i][j] = sum / s->b[j][j];
        }
    }
}

/* If the triangle of the upper factor is read, the walks exchange rows and columns. */
ALWAYS_INLINE TARGET int64_t NAME(cholesky_sized)(const small_call *c, int n)
{
    for (int64_t at = c->first; at < c->last; at += LANES) {
        int64_t count = int64_min(c->last - at, LANES);
        NAME(system) s;
        memset(s.b, 0, sizeof s.b);
        NAME(begin)(&s, &c->a, at, count, n);
        NAME(root)(&s, n);
        if (NAME(first_singular)(&s) >= 0)
            return at + NAME(first_singular)(&s);
        NAME(store)(&c->x, at, count, n, n, s.b);
    }
    return -1;
}

/* A singular lane's other pivots are the results of a division by 0, so all its factors are taken
 * as 0. */
ALWAYS_INLINE TARGET void NAME(split_product)(const small_call *c, const NAME(system) * s, int n,
                                              int64_t at, int64_t count)
{
    for (int64_t l = 0; l < count; ++l) {
        determinant_parts d = {(double)s->sign[l], 1, 0};
        for (int k = 0; k < n; ++k)
            take_factor(c, &d, s->singular[l] != 0 ? 0 : (double)s->a[k][k][l]);
        if (c->sign != NULL)
            ((REAL *)c->sign)[at + l] = (REAL)d.sign;
        if (c->logarithm != NULL)
            ((REAL *)c->logarithm)[at + l] = (REAL)d.logarithm;
    }
}

/* The minor of columns i and j of two rows. */
ALWAYS_INLINE TARGET double NAME(minor)(const REAL *x, const REAL *y, int64_t i, int64_t j)
{
    return (double)x[i] * (double)y[j] - (double)x[j] * (double)y[i];
}

/* The determinant of one, two or three rows by its formula, in double: that of float32 is as good
 * as exact, that of float64 within a few units of rounding of the sum of the magnitudes of its
 * terms, which scaling rows and columns does not worsen. */
ALWAYS_INLINE TARGET double NAME(formula)(const REAL *x, int64_t row, int64_t column, int n)
{
    const REAL *y = x + row, *z = y + row;
    const int64_t second = column, third = 2 * column;
    if (n == 1)
        return (double)x[0];
    if (n == 2)
        return NAME(minor)(x, y, 0, second);
    return (double)x[0] * NAME(minor)(y, z, second, third) -
           (double)x[second] * NAME(minor)(y, z, 0, third) +
           (double)x[third] * NAME(minor)(y, z, 0, second);
}

/* One by one: the compiler's vectors of several matrices take longer to fill than they save. */
ALWAYS_INLINE TARGET void NAME(formulas)(const small_call *c, int n)
{
    const batch_walk a = c->a;
    REAL *out = c->product;
    for (int64_t at = c->first; at < c->last; ++at) {
        __asm__ volatile("");
        out[at] = (REAL)NAME(formula)(walk_at(&a, at), a.row, a.column, n);
    }
}

ALWAYS_INLINE TARGET int64_t NAME(determinant_sized)(const small_call *c, int n)
{
    if (n > 0 && n <= 3 && c->sign == NULL && c->logarithm == NULL) {
        NAME(formulas)(c, n);
        return -1;
    }
    for (int64_t at = c->first; at < c->last; at += LANES) {
        int64_t count = int64_min(c->last - at, LANES);
        NAME(system) s;
        NAME(begin)(&s, &c->a, at, count, n);
        NAME(eliminate)(&s, n, 0);
        NAME(lane) product = s.sign;
        for (int k = 0; k < n; ++k)
            product *= s.a[k][k];
        for (int64_t l = 0; l < count && c->product != NULL; ++l)
            ((REAL *)c->product)[at + l] = s.singular[l] != 0 ? 0 : product[l];
        if (c->sign != NULL || c->logarithm != NULL)
            NAME(split_product)(c, &s, n, at, count);
    }
    return -1;
}

#define SIZED(what)                                                                                \
    static TARGET int64_t NAME(what)(const small_call *c)                                          \
    {                                                                                              \
        switch (c->n) {                                                                            \
        case 0: return NAME(what##_sized)(c, 0);                                                   \
        case 1: return NAME(what##_sized)(c, 1);                                                   \
        case 2: return NAME(what##_sized)(c, 2);                                                   \
        case 3: return NAME(what##_sized)(c, 3);                                                   \
        default: return NAME(what##_sized)(c, 4);                                                  \
        }                                                                                          \
    }
SIZED(inverse)
SIZED(solution)
SIZED(determinant)
SIZED(cholesky)

static const small_loops NAME(loops) = {.inverse = NAME(inverse),
                                        .solution = NAME(solution),
                                        .determinant = NAME(determinant),
                                        .cholesky = NAME(cholesky)};

#undef SIZED
#undef LANES
