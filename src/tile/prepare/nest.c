/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the loops that tiles lie over, the length of tiles, and the units of work. */
#include "program/executor.h"
#include "tile/prepare/prepare.h"

enum {
    SHORT_RUN = 16,         /* elements of a row: fewer are not worth a call */
    LONG_ROW = 256,         /* shorter rows are tiled together, by their linear index */
    SHORT_REDUCTION = 32,   /* below, reducing one result at a time costs more than strided reads */
    SHORT_ROW = 16,         /* the same of rows that lie in memory as they are reduced, */
    SHORT_WORDS = 8,        /* where elements have 8 bytes or are products of two rows, as fewer of
                             * them are in a line */
    MANY_RESULTS = 16,      /* from here on a tile of results is worth its calls */
    UNIT_NBYTES = 32 << 10, /* of results */
    UNIT_REDUCED = 32 << 10, /* elements of a reduction */
    UNIT_PASSED = 8 << 10,   /* elements that are passed over several times */
    FEW_RESULTS = 16,        /* with fewer, long reductions are cut into parts: one by one */
    FEW_COLUMNS = 16 << 10,  /* or side by side: fewer than make tiles for all threads */
    MIN_ROWS = 32,           /* of a part side by side, as its accumulators are read once more */
    COLUMN_PARTS = 1 << 20,  /* bytes of accumulators of all parts side by side, at most */
    MAX_PARTS = 64,
    PART_REDUCED = 64 << 10, /* elements of a part, at least */
    LONG_TILE = 4096,        /* of accumulators: rows are read in runs of that length */
    TILE_ALIGN = 64          /* elements; so that a row's tiles begin on cache lines if it does */
};

/* Short rows are tiled by the linear index of all loops: a call for each row would cost more than
 * its elements. */
static tile_nest nest_over(const tile_draft *draft, int first, int last)
{
    const int64_t *extents = draft->space->extents;
    tile_nest nest = {
        .first = first, .ndim = last - first, .size = tile_extent_product(extents, first, last)};
    nest.linear = nest.ndim > 1 && extents[last - 1] < LONG_ROW;
    nest.row = nest.linear || nest.ndim == 0 ? nest.size : extents[last - 1];
    return nest;
}

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Whether more reads have smaller steps along the innermost kept loop than along the innermost
 * reduced one. A step of 0 along the reduced loop counts for the results, as all its elements are
 * the same; a step of 0 along the results counts against them. What has such a step is in the cache
 * either way, so these reads count only where the others are even. */
static bool reads_along_results(const tile_draft *draft, int kept)
{
    int votes = 0, of_repeated = 0;
    for (int b = 0; b < draft->program->nbuffers; ++b) {
        int64_t along = magnitude(tile_stride_at(draft, b, kept - 1));
        int64_t across = magnitude(tile_stride_at(draft, b, draft->space->ndim - 1));
        const program_buffer *buffer = &draft->program->buffers[b];
        if (buffer->role != PROGRAM_ROLE_READ || buffer->per_row || along == across)
            continue;
        int *counted = along == 0 || across == 0 ? &of_repeated : &votes;
        *counted += across == 0 || (along != 0 && along < across) ? 1 : -1;
    }
    return votes > 0 || (votes == 0 && of_repeated > 0);
}

/* Whether nothing is computed before the reduction. */
static bool reads_only(const tile_draft *draft)
{
    const program_inst *insts = draft->program->insts;
    return insts[insts[draft->reduction].src[0]].op == PROGRAM_LOAD;
}

/* Whether the value is read from a buffer that is dense along the nest. */
static bool is_dense_load(const tile_draft *draft, const tile_nest *nest, int value)
{
    const program_inst *inst = &draft->program->insts[value];
    return inst->op == PROGRAM_LOAD && tile_nest_is_dense(draft, nest, inst->buffer);
}

/* Whether short rows, too, are taken in where they lie: nothing is computed before the reduction
 * but products that are added. */
static bool takes_rows(const tile_draft *draft, const tile_nest *nest)
{
    const program_inst *inst = &draft->program->insts[draft->reduction];
    const program_inst *made = &draft->program->insts[inst->src[0]];
    if (inst->op != PROGRAM_REDUCE_ADD || made->op != PROGRAM_MULTIPLY ||
        draft->code->loops->fold_products[inst->type] == NULL)
        return is_dense_load(draft, nest, inst->src[0]);
    return is_dense_load(draft, nest, made->src[0]) && is_dense_load(draft, nest, made->src[1]);
}

/* Elements of a reduction from which on results are reduced one by one. */
static int64_t short_reduction(const tile_draft *draft, int kept)
{
    jg_dtype dtype = (jg_dtype)draft->program->insts[draft->reduction].type;
    tile_nest nest = nest_over(draft, kept, draft->space->ndim);
    nest.linear = nest.ndim > 1;
    if (!takes_rows(draft, &nest))
        return SHORT_REDUCTION;
    return !reads_only(draft) || dtype_itemsize(dtype) == 8 ? SHORT_WORDS : SHORT_ROW;
}

static bool stores_elements(const jg_program *program)
{
    for (int b = 0; b < program->nbuffers; ++b)
        if (program->buffers[b].role == PROGRAM_ROLE_WRITE && !program->buffers[b].per_row)
            return true;
    return false;
}

/* Few results are reduced one by one, whatever their layout: a tile of them would have no length. A
 * program that also stores elements is one pass if all elements are reduced to one result. */
static tile_form choose_form(const tile_draft *draft, int kept)
{
    const program_space *space = draft->space;
    if (draft->reduction < 0)
        return TILE_MAP;
    if (!program_reduces_once(draft->program) || (kept > 0 && stores_elements(draft->program)))
        return TILE_ROWS;
    int64_t results = tile_extent_product(space->extents, 0, kept);
    if (kept == 0 || results < MANY_RESULTS)
        return TILE_INNER;
    if (reads_along_results(draft, kept))
        return TILE_OUTER;
    bool is_short =
        tile_extent_product(space->extents, kept, space->ndim) < short_reduction(draft, kept);
    return is_short && results >= LONG_ROW ? TILE_OUTER : TILE_INNER;
}

/* The nest is the loops of the tiles; results are, for reductions, the loops of their results. */
void tile_nest_choose(tile_draft *draft)
{
    tile_code *code = draft->code;
    int ndim = draft->space->ndim, kept = ndim - draft->space->nreduced;
    code->form = choose_form(draft, kept);
    switch (code->form) {
    case TILE_GRID:
    case TILE_MAP: code->nest = nest_over(draft, 0, ndim); break;
    case TILE_OUTER:
        code->nest = nest_over(draft, 0, kept);
        if (reads_only(draft) && draft->space->extents[kept - 1] >= SHORT_RUN) {
            code->nest.linear = false;
            code->nest.row = draft->space->extents[kept - 1];
        }
        code->results = code->nest;
        break;
    case TILE_INNER:
        code->nest = nest_over(draft, kept, ndim);
        code->results = nest_over(draft, 0, kept);
        code->results.linear = true;
        code->results.row = code->results.size;
        break;
    case TILE_ROWS:
        code->nest = nest_over(draft, kept, ndim);
        code->nest.linear = code->nest.ndim > 1;
        code->nest.row = code->nest.size;
        break;
    }
    tile_grid_choose(draft);
}

/* Tiles of about equal length, so that the last one is not much shorter; of full length where they
 * are summed, as sums are taken by blocks of that length, wherever their elements come from. */
static void divide_row(tile_nest *nest, int64_t longest, bool equal)
{
    int64_t count = ceil_div(nest->row, longest);
    nest->tile = longest;
    if (count > 0 && equal)
        nest->tile = round_up(ceil_div(nest->row, count), TILE_ALIGN);
    nest->tile = int64_min(nest->tile, longest);
    nest->tile = int64_min(nest->tile, nest->row);
    nest->tiles_per_row = nest->tile > 0 ? ceil_div(nest->row, nest->tile) : 0;
}

/* At least one, so that an empty space has no units and no division by zero. */
static int64_t clamp_unit(int64_t wanted, int64_t total)
{
    wanted = int64_min(wanted, total);
    return wanted > 0 ? wanted : 1;
}

static int64_t first_output_itemsize(const tile_draft *draft)
{
    for (int b = 0; b < draft->program->nbuffers; ++b)
        if (draft->program->buffers[b].role == PROGRAM_ROLE_WRITE)
            return tile_itemsize_of(draft, b);
    return 1;
}

static int64_t count_tiles(const tile_nest *nest)
{
    return nest->row == 0 ? 0 : nest->size / nest->row * nest->tiles_per_row;
}

/* No less than the bytes of the accumulators of a part, by the space alone: the number of parts
 * follows from them, and code that takes this one's place, with tiles of another length, has the
 * same memory. The tiles of a row that is one tile take whole lines each. Those of longer rows are
 * whole lines, and all but the last are full, so together they are shorter than two rows. */
static int64_t count_part_nbytes(const tile_code *code)
{
    const tile_nest *nest = &code->nest;
    if (code->form != TILE_OUTER)
        return code->results.size * (int64_t)code->acc_nbytes;
    size_t row_nbytes = (size_t)nest->row * (size_t)code->reduction->acc_nbytes;
    return nest->size / nest->row * 2 * (int64_t)size_whole_lines(row_nbytes);
}

/* A long reduction to few results is cut into parts, so that threads can share it. Where, depends
 * on the space alone: the result is the same with any number of threads, and however its elements
 * come to be. Narrower tiles of results would not do: rows are read in runs of their length. */
static int64_t choose_parts(const tile_code *code, int64_t reduced)
{
    int64_t results = code->results.size;
    if (code->form != TILE_OUTER && code->form != TILE_INNER)
        return 1;
    if (results == 0 || results >= (code->form == TILE_OUTER ? FEW_COLUMNS : FEW_RESULTS))
        return 1;
    bool is_outer = code->form == TILE_OUTER;
    int64_t most = is_outer ? COLUMN_PARTS : EXECUTOR_SHARED_NBYTES;
    int64_t parts = results * reduced / PART_REDUCED, limit = most / count_part_nbytes(code);
    parts = int64_min(parts, limit);
    if (is_outer)
        parts = int64_min(parts, reduced / MIN_ROWS);
    parts = int64_min(parts, MAX_PARTS);
    return int64_max(parts, 1);
}

/* Whole rows, if a unit has about that many tiles: then it may follow the launch that made its
 * elements. */
static int64_t round_to_rows(const tile_nest *nest, int64_t wanted)
{
    enum { MAX_UNITS = 4 }; /* that become one */
    if (nest->grid || nest->row == nest->size || nest->tiles_per_row > MAX_UNITS * wanted)
        return wanted;
    return wanted < nest->tiles_per_row ? nest->tiles_per_row
                                        : wanted - wanted % nest->tiles_per_row;
}

/* Counts what is divided: tiles, results or rows. gives: how many are worth a claim */
static int64_t count_total(tile_draft *draft, int64_t reduced)
{
    tile_code *code = draft->code;
    int64_t tile = code->nest.tile > 0 ? code->nest.tile : 1;
    switch (code->form) {
    case TILE_GRID:
    case TILE_MAP:
        code->total = code->nest.grid ? code->total : count_tiles(&code->nest);
        return round_to_rows(&code->nest, UNIT_NBYTES / (tile * first_output_itemsize(draft)));
    case TILE_INNER: code->total = code->results.size; return UNIT_REDUCED / reduced;
    case TILE_OUTER: code->total = count_tiles(&code->nest); return UNIT_REDUCED / tile / reduced;
    case TILE_ROWS:
        code->total = tile_extent_product(draft->space->extents, 0, code->nest.first);
        return UNIT_PASSED / reduced;
    }
    return 1;
}

/* Few results of many elements each are reduced in parts, of which each is a unit. */
static void divide_into_parts(tile_code *code)
{
    code->shared_nbytes = (size_t)(code->nparts * count_part_nbytes(code));
    code->total *= code->nparts;
    code->per_unit = 1;
}

/* A unit is what a thread claims: enough work to be worth the claim, by the bytes written or the
 * elements reduced, and never more than the whole. */
static void divide_units(tile_draft *draft)
{
    tile_code *code = draft->code;
    int64_t reduced =
        tile_extent_product(draft->space->extents, code->ndim - code->nreduced, code->ndim);
    reduced = int64_max(reduced, 1);
    int64_t wanted = count_total(draft, reduced);
    code->per_unit = clamp_unit(wanted, code->total);
    code->nparts = choose_parts(code, reduced);
    if (code->nparts > 1)
        divide_into_parts(code);
    code->nunits = ceil_div(code->total, code->per_unit);
}

/* Bytes of scratch with tiles of that length. */
static size_t measure(tile_draft *draft, int64_t longest)
{
    tile_code *code = draft->code;
    if (code->nest.grid)
        tile_grid_divide(draft, longest);
    else
        divide_row(&code->nest, longest, code->form == TILE_MAP || code->form == TILE_OUTER);
    divide_row(&code->results, longest, true);
    int64_t tile = int64_max(code->nest.tile, code->results.tile);
    code->slots_nbytes = size_whole_lines((size_t)code->nslots * sizeof(char *));
    code->register_nbytes = size_whole_lines((size_t)(tile > 0 ? tile : 1) << draft->max_size_log);
    if (code->reduction != NULL)
        code->acc_nbytes = size_whole_lines((size_t)code->reduction->acc_nbytes *
                                            (size_t)(code->form == TILE_OUTER ? tile : 1));
    size_t combined = code->combine != NULL ? (size_t)tile << code->result_size_log : 0;
    code->scratch_nbytes = code->slots_nbytes + code->acc_nbytes + code->kept_nbytes + combined +
                           (size_t)draft->nregisters * code->register_nbytes;
    return code->scratch_nbytes;
}

/* The loop that adds rows of an operand that is computed tile by tile. There is none for products,
 * because products of floats would overflow before they reach the wider accumulators. */
static tile_loop choose_combine(tile_draft *draft)
{
    if (draft->code->form != TILE_OUTER)
        return NULL;
    const program_inst *inst = tile_inst_at(draft, draft->reduction);
    const tile_value *operand = tile_value_source(draft, draft->reduction, 0);
    if (operand->level != LEVEL_TILE || operand->in_memory || inst->op == PROGRAM_REDUCE_MULTIPLY)
        return NULL;
    return draft->code->loops->apply[program_combining((program_op)inst->op)][inst->type];
}

/* The buffer that the value is read from as it is: in place, or as one element for the whole tile.
 * gives: -1 of any other value */
static int buffer_of(tile_draft *draft, const tile_value *value)
{
    const program_inst *inst = tile_inst_at(draft, (int)(value - draft->values));
    bool is_read = inst->op == PROGRAM_LOAD && (value->in_memory || value->level == LEVEL_ROW);
    return is_read ? inst->buffer : -1;
}

/* Whether what is reduced is the product of two buffers; then finds them and the loop. */
static void choose_products(tile_draft *draft)
{
    tile_code *code = draft->code;
    const program_inst *inst = tile_inst_at(draft, draft->reduction);
    const tile_value *operand = tile_value_source(draft, draft->reduction, 0);
    int position = (int)(operand - draft->values);
    if (inst->op != PROGRAM_REDUCE_ADD || operand->partner != NO_VALUE ||
        tile_inst_at(draft, position)->op != PROGRAM_MULTIPLY)
        return;
    tile_call call = tile_value_call(draft, position); /* what is one element is on the right */
    int a = buffer_of(draft, call.operands[0]), b = buffer_of(draft, call.operands[1]);
    if (a < 0 || b < 0 || !call.operands[0]->in_memory)
        return;
    code->scaled = !call.operands[1]->in_memory;
    code->factors[0] = (uint8_t)a;
    code->factors[1] = (uint8_t)b;
    code->products = code->loops->product_rows[code->scaled][inst->type];
}

void tile_nest_divide(tile_draft *draft)
{
    tile_code *code = draft->code;
    code->combine = choose_combine(draft);
    if (code->combine != NULL)
        choose_products(draft);
    bool is_read = code->only_reduces && code->product == NULL;
    int64_t longest = is_read || code->combine != NULL ? LONG_TILE : TILE_SIZE;
    /* The loop ends, as what does not shrink with the tiles (mainly KEPT_NBYTES of passes.c) is
     * less than half of the limit. */
    while (measure(draft, longest) > SCRATCH_LIMIT)
        longest /= 2;
    divide_units(draft);
}
