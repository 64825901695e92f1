/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of matrices in any layout, their copies to and from dense memory, and their division into
 * units: a unit is as many matrices as are worth a thread's claim. */
#include "library/lapack.h"
#include <inttypes.h>
#include <string.h>

enum {
    ALIASED = 512,       /* bytes; columns of a multiple fall on few sets of the cache */
    LARGE_COLUMN = 1024, /* bytes; shorter ones do not matter */
    CACHE_LINE = 64,
    TILE = 16,                /* rows and columns that are transposed at once */
    MIN_COLUMNS = 128,        /* of a product that is shared by its columns, */
    COLUMN_GRAIN = 16,        /* of which a share has a multiple */
    UNIT_OPERATIONS = 1 << 17 /* of a unit, where its matrices have less */
};

/* inner: axes of one matrix, vector or scalar; the others are the batch. While a plan is made there
 * are no addresses, and shapes alone are asked for. */
static lapack_matrices batch_of(const routine_call *call, int i, int inner)
{
    const routine_operand *x = &call->operands[i];
    lapack_matrices out = {.dtype = x->dtype, .itemsize = dtype_itemsize(x->dtype), .rows = 0};
    if (x->shape == NULL)
        return out;
    out.address = call->addresses != NULL ? call->addresses[i] : NULL;
    out.ndim = x->ndim - inner;
    out.shape = x->shape;
    out.strides = x->strides;
    out.count = 1;
    for (int d = 0; d < out.ndim; ++d)
        out.count *= x->shape[d];
    out.rows = out.columns = 1;
    if (inner > 0) {
        out.rows = x->shape[out.ndim];
        out.row_stride = x->strides[out.ndim];
    }
    if (inner > 1) {
        out.columns = x->shape[out.ndim + 1];
        out.column_stride = x->strides[out.ndim + 1];
    }
    return out;
}

lapack_matrices matrices_of(const routine_call *call, int i)
{
    return batch_of(call, i, 2);
}

lapack_matrices library_vectors_of(const routine_call *call, int i)
{
    return batch_of(call, i, 1);
}

lapack_matrices library_scalars_of(const routine_call *call, int i)
{
    return batch_of(call, i, 0);
}

lapack_matrices matrices_turned(const lapack_matrices *x)
{
    lapack_matrices out = *x;
    out.rows = x->columns;
    out.columns = x->rows;
    out.row_stride = x->column_stride;
    out.column_stride = x->row_stride;
    return out;
}

void *library_matrix_at(const lapack_matrices *x, int64_t index)
{
    int64_t offset = 0;
    if (x->address == NULL)
        return NULL;
    for (int d = x->ndim - 1; d >= 0; --d) {
        offset += index % x->shape[d] * x->strides[d];
        index /= x->shape[d];
    }
    return x->address + offset * (int64_t)x->itemsize;
}

/* The real parts of a complex dtype tell its width. */
lapack_number library_number_at(const void *address, jg_dtype dtype)
{
    const float *single = address;
    const double *wide = address;
    bool is_complex = dtype_is_complex(dtype);
    if (dtype_real_part(dtype) == JG_DTYPE_FLOAT64)
        return (lapack_number){wide[0], is_complex ? wide[1] : 0};
    return (lapack_number){single[0], is_complex ? single[1] : 0};
}

typedef struct word128 {
    uint64_t parts[2];
} word128;

/* A plane of elements: `rows` lines of `columns`, with their steps on either side in elements. */
typedef struct plane {
    int64_t rows, columns, from_row, from_column, to_row, to_column;
} plane;

#define COPY(T)                                                                                    \
    static void copy_##T(const plane *p, const T *from, T *to)                                     \
    {                                                                                              \
        for (int64_t i = 0; i < p->rows; i += TILE)                                                \
            for (int64_t j = 0; j < p->columns; j += TILE) {                                       \
                int64_t rows = int64_min(p->rows - i, TILE);                                       \
                int64_t columns = int64_min(p->columns - j, TILE);                                 \
                const T *tile = from + i * p->from_row + j * p->from_column;                       \
                T *out = to + i * p->to_row + j * p->to_column;                                    \
                for (int64_t r = 0; r < rows; ++r)                                                 \
                    for (int64_t c = 0; c < columns; ++c)                                          \
                        out[r * p->to_row + c * p->to_column] =                                    \
                            tile[r * p->from_row + c * p->from_column];                            \
            }                                                                                      \
    }
COPY(uint32_t)
COPY(uint64_t)
COPY(word128)

/* Both sides' rows lie side by side. Elements may be of any size. */
static void copy_rows(const plane *p, const char *from, char *to, size_t itemsize)
{
    int64_t step = (int64_t)itemsize;
    for (int64_t i = 0; i < p->rows; ++i)
        memcpy(to + i * p->to_row * step, from + i * p->from_row * step,
               (size_t)p->columns * itemsize);
}

/* Tiles of TILE x TILE elements are transposed within a few cache lines on either side. */
static void copy_plane(const plane *p, const void *from, void *to, size_t itemsize)
{
    if (p->from_column == 1 && p->to_column == 1)
        copy_rows(p, from, to, itemsize);
    else if (itemsize == 4)
        copy_uint32_t(p, from, to);
    else if (itemsize == 8)
        copy_uint64_t(p, from, to);
    else
        copy_word128(p, from, to);
}

/* The columns are copied as rows where these lie side by side on both sides. */
static plane turn(const plane *p)
{
    return (plane){p->columns, p->rows, p->from_column, p->from_row, p->to_column, p->to_row};
}

static void copy_best(plane p, const void *from, void *to, size_t itemsize)
{
    if (p.from_row == 1 && p.to_row == 1)
        p = turn(&p);
    copy_plane(&p, from, to, itemsize);
}

void library_matrix_load(const lapack_matrices *x, int64_t index, bool turned, void *to,
                         int64_t leading)
{
    plane p = {x->rows,          x->columns,           x->row_stride,
               x->column_stride, turned ? 1 : leading, turned ? leading : 1};
    copy_best(p, library_matrix_at(x, index), to, x->itemsize);
}

void library_matrix_store(const lapack_matrices *x, int64_t index, bool turned, const void *from,
                          int64_t leading)
{
    plane p = {x->rows,       x->columns,      turned ? 1 : leading, turned ? leading : 1,
               x->row_stride, x->column_stride};
    copy_best(p, from, library_matrix_at(x, index), x->itemsize);
}

/* A line more keeps columns of a multiple of ALIASED bytes apart. At least 1, as LAPACK demands of
 * empty matrices, too. */
int library_matrix_leading(int rows, size_t itemsize)
{
    size_t nbytes = (size_t)rows * itemsize;
    if (nbytes < LARGE_COLUMN || nbytes % ALIASED != 0)
        return rows > 0 ? rows : 1;
    return rows + (int)(CACHE_LINE / itemsize);
}

/* Depends on one matrix alone, so that units, range and work agree. */
int64_t library_batch_grain(double operations)
{
    double grain = UNIT_OPERATIONS / (operations < 1 ? 1 : operations);
    return grain < 1 ? 1 : (int64_t)grain;
}

double library_group_operations(double operations, int group)
{
    int64_t groups = library_batch_grain(operations) / group;
    return UNIT_OPERATIONS / ((double)((groups > 0 ? groups : 1) * group) + 0.5);
}

int64_t library_batch_units(int64_t count, double operations)
{
    int64_t grain = library_batch_grain(operations);
    return count > 0 ? (count - 1) / grain + 1 : 0;
}

int64_t library_batch_columns(int64_t products, int64_t columns, int threads)
{
    int64_t most = columns / MIN_COLUMNS, strips = 1;
    if (threads > 1 && products > 0 && products < 2 * threads && most > 1)
        strips = ceil_div(2 * threads, products);
    strips = strips < most || strips == 1 ? strips : most;
    int64_t width = ceil_div(columns, strips);
    return round_up(width, COLUMN_GRAIN);
}

int64_t library_batch_work(int64_t count, double operations)
{
    /* In double and limited, as the product of large batches may exceed int64. */
    double work = (double)count * operations;
    return work < 1e18 ? (int64_t)work : (int64_t)1e18;
}

void library_batch_range(int64_t count, double operations, int64_t *first, int64_t *last)
{
    int64_t grain = library_batch_grain(operations);
    *first *= grain;
    *last = *last * grain < count ? *last * grain : count;
}

/* At most as many blocks as the struct can list: no routine takes more than seven. */
void *workspace_take(workspace *work, int64_t count, size_t itemsize)
{
    size_t nbytes = (size_t)(count > 0 ? count : 1) * itemsize;
    void *block = base_alloc(nbytes);
    if (block == NULL)
        work->failed_nbytes = nbytes;
    else
        work->blocks[work->count++] = block;
    return block;
}

jg_status workspace_status(const workspace *work)
{
    return work->failed_nbytes == 0 ? JG_OK
                                    : base_nomem(work->failed_nbytes, "the workspace of LAPACK");
}

void workspace_clear(workspace *work)
{
    while (work->count > 0)
        base_free(work->blocks[--work->count]);
}

/* index: of the matrix, which is named where there are several. */
jg_status library_batch_fail(const char *argument, int64_t index, int64_t count, const char *what)
{
    if (count == 1)
        return base_fail(JG_ERR_LINALG, "%s: %s", argument, what);
    return base_fail(JG_ERR_LINALG, "%s: matrix %" PRId64 " of %" PRId64 " %s", argument, index,
                     count, what);
}
