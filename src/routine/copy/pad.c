/* SPDX-License-Identifier: Apache-2.0 */
/* Padding and rolling: an index of the result, minus the elements that are put before the array on
 * that axis, is mapped into the array by the mode. A unit is a piece of one row. */
#include "routine/routine.h"
#include <string.h>

enum { X, FILL, BEFORE, RESULT }; /* the operands; BEFORE holds an int64 for each axis */
enum { PIECE_NBYTES = 64 << 10 };

/* Consecutive indices of an axis: `count` indices from `at` on, in steps of -1, 0 or 1; or the fill
 * value. */
typedef struct piece {
    int64_t at, step, count;
    bool is_fill;
} piece;

static int64_t modulo(int64_t x, int64_t n)
{
    int64_t rest = x % n;
    return rest < 0 ? rest + n : rest;
}

/* For an axis that repeats forwards and backwards; `shared` is 1 where the elements at the ends are
 * not repeated. */
static piece mirrored(int64_t index, int64_t n, int64_t shared)
{
    if (n == 1)
        return (piece){0, 0, INT64_MAX, false};
    int64_t period = 2 * (n - shared), m = modulo(index, period), turn = n - shared;
    if (m < turn)
        return (piece){m, 1, turn - m, false};
    return (piece){period - 1 + shared - m, -1, period - m, false};
}

/* The piece of an axis of n elements that is read for the indices from `index` on. n is at least 1
 * unless the mode is constant: the op refuses to extend an empty axis. */
static piece find_piece(int64_t mode, int64_t index, int64_t n)
{
    /* Inside x. The other modes need no case of their own: their arithmetic is right there, too. */
    if (index >= 0 && index < n && mode <= EXTEND_EDGE)
        return (piece){index, 1, n - index, false};
    int64_t left = index < 0 ? -index : INT64_MAX;
    switch (mode) {
    case EXTEND_EDGE: return (piece){index < 0 ? 0 : n - 1, 0, left, false};
    case EXTEND_REFLECT: return mirrored(index, n, 1);
    case EXTEND_SYMMETRIC: return mirrored(index, n, 0);
    case EXTEND_WRAP: return (piece){modulo(index, n), 1, n - modulo(index, n), false};
    default: return (piece){0, 0, left, true};
    }
}

/* The axes that are padded; the last of them is cut into pieces. There is at least one. */
static int axis_count(const routine_call *call)
{
    int count = call->operands[RESULT].ndim - (int)call->attributes->extend.trailing;
    return count > 0 ? count : 1;
}

/* Elements that belong to one index of the row. */
static int64_t block_size(const routine_call *call)
{
    int64_t size = 1;
    for (int i = axis_count(call); i < call->operands[RESULT].ndim; ++i)
        size *= call->operands[RESULT].shape[i];
    return size;
}

/* Indices of a unit, so that it is about PIECE_NBYTES. */
static int64_t piece_size(const routine_call *call)
{
    int64_t nbytes = block_size(call) * (int64_t)dtype_itemsize(call->operands[RESULT].dtype);
    return nbytes < PIECE_NBYTES ? PIECE_NBYTES / nbytes : 1;
}

static int64_t pieces_of_row(const routine_call *call)
{
    int64_t extent = call->operands[RESULT].shape[axis_count(call) - 1], each = piece_size(call);
    return ceil_div(extent, each);
}

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    int64_t count = call->operands[RESULT].size == 0 ? 0 : pieces_of_row(call);
    for (int i = 0; count > 0 && i < axis_count(call) - 1; ++i)
        count *= call->operands[RESULT].shape[i];
    return count;
}

/* Finds where the row's elements begin in x, in elements. gives: false if the whole row is fill */
static bool find_row(const routine_call *call, int64_t row, int64_t *out)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    const int64_t *before = call->addresses[BEFORE];
    int64_t offset = 0;
    for (int i = axis_count(call) - 2; i >= 0; --i) {
        int64_t index = row % result->shape[i] - before[i];
        piece found = find_piece(call->attributes->extend.mode, index, x->shape[i]);
        if (found.is_fill)
            return false;
        offset += found.at * x->strides[i];
        row /= result->shape[i];
    }
    *out = offset;
    return true;
}

/* Continues a periodic pattern: nbytes are filled from the `written` bytes before them, which
 * double with each copy. */
static void repeat_rounds(char *to, int64_t written, int64_t nbytes)
{
    while (nbytes > 0) {
        int64_t count = int64_min(written, nbytes);
        memcpy(to, to - written, (size_t)count);
        to += count;
        nbytes -= count;
        written += count;
    }
}

/* Copies the row's indices first to last - 1. */
static void copy_pieces(const routine_call *call, int64_t offset, bool is_fill, int64_t first,
                        int64_t last, char *to)
{
    const routine_operand *x = &call->operands[X];
    int axis = axis_count(call) - 1;
    int64_t itemsize = (int64_t)dtype_itemsize(x->dtype), block = block_size(call);
    int64_t before = ((const int64_t *)call->addresses[BEFORE])[axis], start = first;
    bool wraps = call->attributes->extend.mode == EXTEND_WRAP;
    while (first < last) {
        /* Once a whole period of x has been written, the rest of the piece is copied from it, in
         * doubling steps. */
        if (wraps && first - start >= x->shape[axis]) {
            repeat_rounds(to, (first - start) / x->shape[axis] * x->shape[axis] * block * itemsize,
                          (last - first) * block * itemsize);
            return;
        }
        piece found = {0, 0, last - first, true};
        if (!is_fill)
            found = find_piece(call->attributes->extend.mode, first - before, x->shape[axis]);
        int64_t count = int64_min(found.count, last - first);
        const char *from = call->addresses[X];
        from += (offset + found.at * x->strides[axis]) * itemsize;
        if (found.is_fill)
            routine_copy_run(to, call->addresses[FILL], count * block, 0, (size_t)itemsize);
        else
            routine_copy_run(to, from, count, found.step * x->strides[axis] * itemsize,
                             (size_t)(block * itemsize));
        first += count;
        to += count * block * itemsize;
    }
}

/* A unit is a piece of one row of the result, so that long rows are shared, too; a row outside of x
 * along another axis is all fill. */
static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    const routine_operand *result = &call->operands[RESULT];
    int64_t extent = result->shape[axis_count(call) - 1], each = piece_size(call);
    int64_t pieces = pieces_of_row(call);
    int64_t nbytes = block_size(call) * (int64_t)dtype_itemsize(result->dtype);
    for (int64_t unit = first; unit < last; ++unit) {
        int64_t row = unit / pieces, from = unit % pieces * each, offset = 0;
        int64_t to = int64_min(from + each, extent);
        bool is_fill = !find_row(call, row, &offset);
        copy_pieces(call, offset, is_fill, from, to,
                    (char *)call->addresses[RESULT] + (row * extent + from) * nbytes);
    }
    return JG_OK;
}

/* A byte costs a sixteenth of an operation. */
static int64_t work(const routine_call *call)
{
    const routine_operand *result = &call->operands[RESULT];
    return result->size / 16 * (int64_t)dtype_itemsize(result->dtype);
}

const jg_routine routine_extend = {.name = "extend", .units = units, .run = run, .work = work};
