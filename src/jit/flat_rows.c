/* SPDX-License-Identifier: Apache-2.0 */
/* Flat programs by rows: the code takes a row of adjacent elements, a multiple of its group of
 * lanes, and this file goes from row to row. The rest of a row is copied to memory for one group,
 * computed there and copied back, so the code needs no special case. The code knows neither extents
 * nor strides, so it works for every shape of the program. */
#include "jit/flat.h"
#include <string.h>

/* Rows below this many elements are left to a kernel's loops; reduced ones to the tiles. Whole
 * groups need no copies, so they may be fewer. */
enum { MIN_ROW = 128, MIN_WHOLE_ROW = 32, MIN_REDUCED = 16 };

/* The code takes the rows of one loop at once. Where that loop has few, rows of the one around it
 * are taken instead, if they lie on the same page or the next one. */
enum { FEW_ROWS = 16, MAX_ROWS_APART = 4096 /* bytes */ };

struct jit_flat_rows {
    struct kernel_code *code;
    jit_row_entry *entry;
    jit_reduced_entry *reduced; /* if rows are reduced: the same address */
    jg_program *program;
    program_space *space;
    jit_rows rows;
    int64_t lanes; /* a power of two */
};

static int64_t step_of(const program_space *space, int buffer)
{
    return space->strides[(buffer + 1) * space->ndim - 1];
}

static bool lies_in_rows(const jg_program *program, const program_space *space, int buffer)
{
    const program_buffer *row = &program->buffers[buffer];
    int64_t step = step_of(space, buffer), itemsize = (int64_t)dtype_itemsize((jg_dtype)row->dtype);
    return row->role == PROGRAM_ROLE_INDEX || step == itemsize ||
           (step == 0 && row->role == PROGRAM_ROLE_READ);
}

/* Whether the row is whole groups, which have as many lanes as fill a cache line with the narrowest
 * dtype, or fewer. */
static bool is_whole(const jg_program *program, int64_t columns)
{
    int64_t lanes = JIT_MIN_LANES;
    for (int b = 0; b < program->nbuffers; ++b)
        lanes = int64_max(lanes, JIT_LINE_NBYTES /
                                     (int64_t)dtype_itemsize((jg_dtype)program->buffers[b].dtype));
    return columns % lanes == 0;
}

bool jit_rows_suit(const jg_program *program, const program_space *space)
{
    int64_t columns = space->extents[space->ndim - 1];
    if (space->ndim > 1 && columns < MIN_ROW &&
        (columns < MIN_WHOLE_ROW || !is_whole(program, columns)))
        return false;
    for (int b = 0; b < program->nbuffers; ++b)
        if (!lies_in_rows(program, space, b))
            return false;
    return true;
}

/* A per-row buffer does not move in the row's loop, so only the others are checked. An INDEX cannot
 * be a value of the row. */
bool jit_rows_suit_reduced(const jg_program *program, const program_space *space)
{
    if (space->nreduced != 1 || space->extents[space->ndim - 1] < MIN_REDUCED)
        return false;
    for (int b = 0; b < program->nbuffers; ++b) {
        const program_buffer *buffer = &program->buffers[b];
        if (buffer->per_row ? buffer->role == PROGRAM_ROLE_INDEX : !lies_in_rows(program, space, b))
            return false;
    }
    return true;
}

static jg_status make_code(const jit_backend *backend, const void *program, const void *options,
                           const char *symbol, disk_object *out, jg_error *error)
{
    return backend->compile_rows(program, options, symbol, out, error);
}

static jg_status find_code(jit_flat_rows *rows)
{
    base_vec key = {0};
    jg_status status = jit_key_write_rows(&key, rows->program, &rows->rows);
    if (status == JG_OK)
        status = jit_code_find(&key, make_code, rows->program, &rows->rows, &rows->code);
    vec_clear(&key);
    if (status != JG_OK)
        return status;
    *(void **)&rows->entry = *(void **)&rows->reduced = jit_code_address(rows->code);
    rows->lanes = jit_code_count_lanes(rows->program);
    return JG_OK;
}

void jit_rows_release(jit_flat_rows *rows)
{
    if (rows->code != NULL)
        jit_code_release(rows->code);
    base_free(rows->program);
    base_free(rows->space);
    base_free(rows);
}

const void *jit_rows_address(const jit_flat_rows *rows)
{
    return jit_code_address(rows->code);
}

static bool are_rows_near(const program_space *space, int loop)
{
    for (int b = 0; b < space->nbuffers; ++b) {
        int64_t stride = space->strides[b * space->ndim + loop];
        if (stride > MAX_ROWS_APART || stride < -MAX_ROWS_APART)
            return false;
    }
    return true;
}

/* How many rows of the last loop but two come one after the other, before the next of the last but
 * one; 0 where rows stay in their order. These blocks of rows fill the units, so that each unit
 * has the elements that it would have in order. unit: a power of two */
static int64_t count_turned(const program_space *space, int64_t unit)
{
    int rows = space->ndim - 2, around = rows - 1;
    if (around < 0 || space->ndim == JG_MAX_NDIM || space->nreduced > 0 ||
        space->extents[rows] >= FEW_ROWS || !are_rows_near(space, around))
        return 0;
    int64_t each = space->extents[rows] * space->extents[rows + 1];
    if (each == 0 || unit % each != 0)
        return 0;
    int64_t even = space->extents[around] & -space->extents[around]; /* its largest power of two */
    int64_t count = int64_min(even, unit / each);
    return count > space->extents[rows] ? count : 0;
}

/* The space with one loop more: (a, b) becomes (a / count, b, count). */
static void turn_rows(const program_space *space, int64_t count, program_space *out)
{
    int around = space->ndim - 3, ndim = space->ndim + 1;
    *out = (program_space){.ndim = ndim, .nbuffers = space->nbuffers};
    for (int d = 0; d < ndim; ++d) {
        int from = d < around + 2 ? d : d == around + 2 ? around : d - 1;
        out->extents[d] = space->extents[from];
        for (int b = 0; b < space->nbuffers; ++b)
            out->strides[b * ndim + d] =
                space->strides[b * space->ndim + from] * (d == around ? count : 1);
    }
    out->extents[around] /= count;
    out->extents[around + 2] = count;
}

static program_space *order_rows(const program_space *space, int64_t unit)
{
    int64_t count = count_turned(space, unit);
    if (count == 0)
        return base_copy(space, program_space_nbytes(space->nbuffers, space->ndim));
    program_space *out = base_alloc(program_space_nbytes(space->nbuffers, space->ndim + 1));
    if (out != NULL)
        turn_rows(space, count, out);
    return out;
}

static jg_status fill(const jg_program *program, const program_space *space, int64_t unit,
                      jit_flat_rows *out)
{
    out->program = base_copy(program, sizeof *program);
    out->space = order_rows(space, unit);
    if (out->program == NULL || out->space == NULL)
        return base_nomem(program_space_nbytes(space->nbuffers, space->ndim), "a program");
    for (int b = 0; b < program->nbuffers; ++b)
        out->rows.still[b] =
            program->buffers[b].role == PROGRAM_ROLE_READ && step_of(space, b) == 0;
    return find_code(out);
}

/* Whether every row of the results begins at a cache line if the first does. */
static bool rows_are_lines(const program_space *space, int buffer)
{
    for (int d = 0; d + 1 < space->ndim; ++d)
        if (space->strides[buffer * space->ndim + d] % JIT_LINE_NBYTES != 0)
            return false;
    return true;
}

/* The buffers that are written past the caches, as bits: all results or, where the rows of one do
 * not begin at lines, none. */
static uint32_t streaming_buffers(const jg_program *program, const program_space *space)
{
    uint32_t buffers = 0;
    for (int b = 0; b < program->nbuffers; ++b) {
        const program_buffer *buffer = &program->buffers[b];
        if (buffer->role != PROGRAM_ROLE_WRITE || buffer->cached || buffer->per_row)
            continue;
        if (!rows_are_lines(space, b))
            return 0;
        buffers |= UINT32_C(1) << b;
    }
    return buffers;
}

jg_status jit_rows_prepare(const jg_program *program, const program_space *space, int64_t unit,
                           bool streams, jit_flat_rows **out)
{
    jit_flat_rows *rows = base_alloc_zeroed(sizeof *rows);
    if (rows == NULL)
        return base_nomem(sizeof *rows, "a program");
    rows->rows.streams = streams ? streaming_buffers(program, space) : 0;
    rows->rows.reduced = space->nreduced > 0 ? space->extents[space->ndim - 1] : 0;
    jg_status status = fill(program, space, unit, rows);
    if (status != JG_OK) {
        jit_rows_release(rows);
        return status;
    }
    *out = rows;
    return JG_OK;
}

typedef struct row_call {
    const jit_flat_rows *rows;
    const jg_scalar *scalars;
    void *addresses[PROGRAM_MAX_BUFFERS]; /* of the row's next element; of an INDEX its value */
    void *begins[PROGRAM_MAX_BUFFERS];    /* the same of the row's first element */
    int64_t steps[PROGRAM_MAX_BUFFERS];
    int64_t row_steps[PROGRAM_MAX_BUFFERS]; /* from row to row of the last loop but one */
    int64_t indices[JG_MAX_NDIM];           /* of the row, in all loops but the innermost */
} row_call;

static void *moved_by(void *address, int64_t nbytes)
{
    return (void *)((uintptr_t)address + (uintptr_t)nbytes);
}

static void advance(row_call *call, int64_t count)
{
    for (int b = 0; b < call->rows->program->nbuffers; ++b)
        call->addresses[b] = moved_by(call->addresses[b], count * call->steps[b]);
}

static size_t itemsize_of(const jit_flat_rows *rows, int buffer)
{
    return dtype_itemsize((jg_dtype)rows->program->buffers[buffer].dtype);
}

static bool is_moved(const jit_flat_rows *rows, int buffer, program_role role)
{
    return rows->program->buffers[buffer].role == role && !rows->rows.still[buffer];
}

/* Up to a group of elements that are too few or not aligned for the code. */
static void run_few(row_call *call, int64_t count)
{
    _Alignas(JIT_LINE_NBYTES) char memory[PROGRAM_MAX_BUFFERS][JIT_GROUP_NBYTES];
    const jit_flat_rows *rows = call->rows;
    void *addresses[PROGRAM_MAX_BUFFERS];
    for (int b = 0; b < rows->program->nbuffers; ++b) {
        size_t nbytes = (size_t)count * itemsize_of(rows, b);
        addresses[b] = call->addresses[b];
        if (is_moved(rows, b, PROGRAM_ROLE_READ)) {
            memset(memory[b], 0, (size_t)rows->lanes * itemsize_of(rows, b));
            memcpy(memory[b], addresses[b], nbytes);
        }
        if (is_moved(rows, b, PROGRAM_ROLE_READ) || is_moved(rows, b, PROGRAM_ROLE_WRITE))
            addresses[b] = memory[b];
    }
    rows->entry(addresses, call->steps, call->scalars, 1, call->row_steps, rows->lanes);
    for (int b = 0; b < rows->program->nbuffers; ++b)
        if (is_moved(rows, b, PROGRAM_ROLE_WRITE))
            memcpy(call->addresses[b], memory[b], (size_t)count * itemsize_of(rows, b));
    advance(call, count);
}

/* Results that go past the caches go to whole lines. */
static bool is_aligned(const row_call *call)
{
    const jit_flat_rows *rows = call->rows;
    for (int b = 0; rows->rows.streams != 0 && b < rows->program->nbuffers; ++b)
        if ((rows->rows.streams >> b & 1) && (uintptr_t)call->addresses[b] % JIT_LINE_NBYTES != 0)
            return false;
    return true;
}

/* Elements of one row. */
static void run_row(row_call *call, int64_t count)
{
    int64_t lanes = call->rows->lanes;
    int64_t whole = count & -lanes;
    if (whole > 0 && is_aligned(call)) {
        call->rows->entry(call->addresses, call->steps, call->scalars, 1, call->row_steps, whole);
        count -= whole;
        if (count > 0)
            advance(call, whole);
    }
    for (; count > 0; count -= lanes)
        run_few(call, int64_min(count, lanes));
}

/* Moves the row by `count` indices of loop d, and goes to its first element. */
static void move_row(row_call *call, int d, int64_t count)
{
    const program_space *space = call->rows->space;
    for (int b = 0; b < space->nbuffers; ++b)
        call->addresses[b] = call->begins[b] =
            moved_by(call->begins[b], count * space->strides[b * space->ndim + d]);
}

/* Goes to the linear-th index of the outermost ndim loops. gives: how many follow it in the last of
 * them, itself included */
static int64_t go_to(row_call *call, void *const *addresses, int ndim, int64_t linear)
{
    const program_space *space = call->rows->space;
    int64_t rest = linear;
    for (int b = 0; b < space->nbuffers; ++b)
        call->addresses[b] = call->begins[b] = addresses[b];
    for (int d = ndim - 1; d >= 0; --d, rest /= space->extents[d + 1]) {
        call->indices[d] = rest % space->extents[d];
        if (d < ndim - 1)
            move_row(call, d, call->indices[d]);
    }
    if (ndim == 0)
        return 1;
    for (int b = 0; b < space->nbuffers; ++b)
        call->addresses[b] = moved_by(
            call->begins[b], call->indices[ndim - 1] * space->strides[b * space->ndim + ndim - 1]);
    return space->extents[ndim - 1] - call->indices[ndim - 1];
}

/* Advances by `rows` rows, which are all in the last but one of the outermost ndim loops. It needs
 * no division, which takes as long as a short row. */
static void go_on(row_call *call, int ndim, int64_t rows)
{
    const program_space *space = call->rows->space;
    for (int d = ndim - 2; d >= 0; --d, rows = 1) {
        call->indices[d] += rows;
        if (call->indices[d] < space->extents[d]) {
            move_row(call, d, rows);
            break;
        }
        move_row(call, d, rows - call->indices[d]);
        call->indices[d] = 0;
    }
}

static void end_streams(const jit_flat_rows *rows)
{
#ifdef __x86_64__
    if (rows->rows.streams != 0)
        __builtin_ia32_sfence();
#else
    (void)rows;
#endif
}

/* Begins a call over the outermost ndim loops of the space. */
static void begin_call(row_call *call, const jit_flat_rows *rows, const jg_scalar *scalars,
                       int ndim)
{
    const program_space *space = rows->space;
    call->rows = rows;
    call->scalars = scalars;
    for (int b = 0; b < space->nbuffers; ++b) {
        call->steps[b] = step_of(space, b);
        call->row_steps[b] = ndim > 1 ? space->strides[b * space->ndim + ndim - 2] : 0;
    }
}

void jit_rows_run_reduced(const jit_flat_rows *rows, void *const *addresses,
                          const jg_scalar *scalars, int64_t first, int64_t last)
{
    row_call call; /* most of it is never used */
    int kept = rows->space->ndim - 1;
    /* The code takes whole rows, from row to row of the last loop that is not reduced. */
    begin_call(&call, rows, scalars, kept + 1);
    for (int64_t left, done; first < last; first += done) {
        left = go_to(&call, addresses, kept, first);
        done = int64_min(left, last - first);
        rows->reduced(call.addresses, call.steps, scalars, done, call.row_steps);
    }
    end_streams(rows);
}

/* Rows that the code takes at once from here on: whole ones of whole groups. */
static int64_t count_rows(const row_call *call, int64_t columns, int64_t count)
{
    const program_space *space = call->rows->space;
    int outer = space->ndim - 2;
    if (outer < 0 || (columns & (call->rows->lanes - 1)) != 0 || !is_aligned(call))
        return 0;
    return int64_min(space->extents[outer] - call->indices[outer], count / columns);
}

void jit_rows_run(const jit_flat_rows *rows, void *const *addresses, const jg_scalar *scalars,
                  int64_t first, int64_t last)
{
    row_call call; /* most of it is never used */
    int ndim = rows->space->ndim;
    if (first == last)
        return;
    begin_call(&call, rows, scalars, ndim);
    int64_t columns = ndim > 0 ? rows->space->extents[ndim - 1] : 1;
    int64_t left = go_to(&call, addresses, ndim, first); /* in this row */
    while (first < last) {
        int64_t several = left == columns ? count_rows(&call, columns, last - first) : 0;
        int64_t count = int64_min(left, last - first);
        if (several > 0) {
            count = several * columns;
            rows->entry(call.addresses, call.steps, scalars, several, call.row_steps, columns);
        } else {
            run_row(&call, count);
        }
        go_on(&call, ndim, int64_max(several, 1));
        left = columns;
        first += count;
    }
    end_streams(rows);
}
