/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products in tiles. For LANES a group is one item: it packs panels of both operands into
 * memory of its own, and joins six rows with sixteen columns at a time, of float32 in vectors. For
 * GROUP the items of a group bring tiles into memory that they share, and each makes four rows by
 * four columns. What lies beyond an edge is zero in a packed panel and not stored. Halves are added
 * up in float32, by tensor cores where the device has those (mma.c). */
#include "source/work/tile.h"
#include <stdio.h>

enum {
    LANES_ROWS = 48,
    LANES_MAX_ROWS = 192, /* where a group's memory is large: a panel is packed for more rows */
    LANES_COLUMNS = 64,
    LANES_INNER = 128, /* of numbers of four bytes; of wider ones less */
    MICRO_ROWS = 6,
    MICRO_COLUMNS = 16,
    VECTOR = 8,
    ITEM_TILE = 4, /* rows and columns of an item */
    GROUP_INNER = 16,
    GROUP_SIDE = 16,   /* items along a tile; fewer if the device's limit is lower */
    AT_ONCE = 512,     /* items that a processor is to have at once */
    LEAST_TERMS = 256, /* of a piece */
    PIECE_STEP = 32,   /* terms that a piece is a multiple of, as memory is read in lines */
    MAX_PIECES = 64
};

static jg_dtype state_of(jg_dtype dtype)
{
    return dtype_is_floating(dtype) && dtype_itemsize(dtype) < 4 ? JG_DTYPE_FLOAT32 : dtype;
}

static int nbytes_of(jg_dtype dtype)
{
    return (int)dtype_itemsize(state_of(dtype));
}

static int inner_of(jg_dtype dtype)
{
    return nbytes_of(dtype) <= 4 ? LANES_INNER : LANES_INNER * 4 / nbytes_of(dtype);
}

static int side_of(const device_facts *facts)
{
    int side = 1;
    while (side < GROUP_SIDE && 4 * side * side <= facts->group_limit)
        side *= 2;
    return side;
}

static int64_t lanes_nbytes(jg_dtype dtype, int rows)
{
    int numbers = rows * LANES_COLUMNS + inner_of(dtype) * (LANES_COLUMNS + MICRO_ROWS);
    return (int64_t)numbers * nbytes_of(dtype);
}

/* Rows of a tile of LANES. */
static int rows_of(const device_facts *facts, jg_dtype dtype)
{
    bool fits = 2 * lanes_nbytes(dtype, LANES_MAX_ROWS) <= facts->local_nbytes;
    return fits ? LANES_MAX_ROWS : LANES_ROWS;
}

static int64_t local_nbytes_of(const device_facts *facts, jg_dtype dtype)
{
    if (facts->shape == DEVICE_LANES)
        return lanes_nbytes(dtype, LANES_ROWS);
    int numbers = 2 * GROUP_INNER * (side_of(facts) * ITEM_TILE + 1);
    return (int64_t)numbers * nbytes_of(dtype);
}

static bool has_arithmetic(const device_facts *facts, jg_dtype state)
{
    const program_inst add = {.op = PROGRAM_ADD, .type = (uint8_t)state, .to = (uint8_t)state};
    const program_inst multiply = {
        .op = PROGRAM_MULTIPLY, .type = (uint8_t)state, .to = (uint8_t)state};
    return source_value_has_type(facts, state) && source_value_entry(facts, &add) >= 0 &&
           source_value_entry(facts, &multiply) >= 0;
}

bool source_tile_is_taken(const device_facts *facts, jg_dtype dtype, device_refusal *refusal)
{
    const source_dialect *dialect = source_dialect_of(facts);
    jg_dtype state = state_of(dtype);
    refusal->position = -1;
    if (facts->shape == DEVICE_LANES && !dialect->vectors)
        snprintf(refusal->message, sizeof refusal->message,
                 "%s has no vectors, which products for lanes are printed in", dialect->name);
    else if (!has_arithmetic(facts, state) || !source_value_has_cast(facts, dtype, state) ||
             !source_value_has_cast(facts, state, dtype))
        snprintf(refusal->message, sizeof refusal->message, "products of %s cannot be printed",
                 dtype_rows[dtype].name);
    else if (local_nbytes_of(facts, dtype) > facts->local_nbytes)
        snprintf(refusal->message, sizeof refusal->message,
                 "a product needs more memory of a group than the device's %d bytes",
                 (int)facts->local_nbytes);
    else
        return true;
    return false;
}

static void name_function(source_draft *d, program_op op, jg_dtype dtype, char *out, size_t nbytes)
{
    const program_inst inst = {.op = (uint8_t)op, .type = (uint8_t)dtype, .to = (uint8_t)dtype};
    source_value_function(&inst, out, nbytes);
    prelude_reach(d->reached, source_value_entry(d->facts, &inst));
}

/* JOINED_<work>(sum, x, y): the sum with the product of both. */
static void define_join(source_draft *d, jg_dtype state)
{
    char add[64], multiply[64];
    if (dtype_is_single_or_double(state)) {
        text_add(d->out, "#define JOINED_%d(sum, x, y) fma_f%d(x, y, sum)\n", d->number,
                 state == JG_DTYPE_FLOAT32 ? 32 : 64);
        return;
    }
    name_function(d, PROGRAM_ADD, state, add, sizeof add);
    name_function(d, PROGRAM_MULTIPLY, state, multiply, sizeof multiply);
    text_add(d->out, "#define JOINED_%d(sum, x, y) %s(sum, %s(x, y))\n", d->number, add, multiply);
}

/* Defines the macros with which kernels read, combine and write: READ_<work>(place),
 * WRITE_<work>(place, sum), NUMBER_<work> and ZERO_<work>. */
static void define_all(source_draft *d, const source_tile_text *t)
{
    jg_dtype state = state_of(t->dtype);
    const char *type = source_value_type(t->dtype), *number = source_value_type(state);
    jg_dtype result = t->widens ? state : t->dtype;
    const char *stored = source_value_type(result);
    char load[64], store[64];
    source_value_cast(d, t->dtype, state, load, sizeof load);
    source_value_cast(d, state, result, store, sizeof store);
    if (prelude_find(number) >= 0)
        source_value_needs(d, number);
    define_join(d, state);
    text_add(d->out, "#define NUMBER_%d %s\n", d->number, number);
    text_add(d->out, "#define READ_%d(place) %s(AT(const %s, place))\n", d->number, load, type);
    text_add(d->out, "#define WRITE_%d(place, sum) AT(%s, place) = %s(sum)\n", d->number, stored,
             store);
    if (dtype_is_complex(state))
        text_add(d->out, "#define ZERO_%d MADE(%s){0, 0}\n", d->number, number);
    else
        text_add(d->out, "#define ZERO_%d ((%s)0)\n", d->number, number);
}

static void print_start(source_draft *d, const source_tile_text *t, int tile_rows, int tile_columns)
{
    source_tile_words(d);
    source_write_line(d, "const int64_t column = GROUP_ID %% column_tiles * %d;", tile_columns);
    source_write_line(d, "const int64_t row = GROUP_ID / column_tiles %% row_tiles * %d;",
                      tile_rows);
    source_write_line(d, "const int64_t part = GROUP_ID / (column_tiles * row_tiles);");
    source_write_line(d, "const int64_t batch = part / pieces;");
    t->start(d, t->work);
    source_write_line(d, "const int64_t begin = part %% pieces * length;");
    source_write_line(d, "inner = LESSER(inner, begin + length);");
}

/* A panel of the left operand as [inner][MICRO_ROWS], one of the right as [inner][MICRO_COLUMNS].
 */
static void print_dense_packing(source_draft *d, int most)
{
    source_write_open(d, "for (int k = 0; k < depth; ++k)");
    source_write_line(d, "MEMORY uint8_t *const from = right + (start + k) * right_row + column * "
                         "right_column;");
    source_write_open(d, "LANES for (int c = 0; c < %d; ++c)", LANES_COLUMNS);
    source_write_line(d,
                      "rights[(c / %d * %d + k) * %d + c %% %d] = c < width ? "
                      "READ_%d(from + (c < width ? c : 0) * right_column) : ZERO_%d;",
                      MICRO_COLUMNS, most, MICRO_COLUMNS, MICRO_COLUMNS, d->number, d->number);
    source_write_close(d);
    source_write_close(d);
    source_write_open(d, "for (int r = 0; r < height; r += %d)", MICRO_ROWS);
    source_write_open(d, "for (int i = 0; i < %d; ++i)", MICRO_ROWS);
    source_write_line(
        d, "MEMORY uint8_t *const from = left + (row + LESSER(r + i, height - 1)) * left_row "
           "+ start * left_column;");
    source_write_line(d,
                      "for (int k = 0; k < depth; ++k) lefts[k * %d + i] = READ_%d(from + k * "
                      "left_column);",
                      MICRO_ROWS, d->number);
    source_write_close(d);
}

/* The same where elements are found one by one. */
static void print_found_packing(source_draft *d, const source_tile_text *t, int most)
{
    source_write_open(d, "for (int p = 0; p < depth; ++p)");
    source_write_line(d, "const int64_t k = start + p;");
    t->places->term(d, t->work);
    source_write_open(d, "for (int c = 0; c < %d; ++c)", LANES_COLUMNS);
    source_write_line(d, "const int64_t j = column + LESSER(c, width - 1);");
    t->places->right(d, t->work);
    source_write_line(
        d, "rights[(c / %d * %d + p) * %d + c %% %d] = c < width ? READ_%d(place) : ZERO_%d;",
        MICRO_COLUMNS, most, MICRO_COLUMNS, MICRO_COLUMNS, d->number, d->number);
    source_write_close(d);
    source_write_close(d);
    source_write_open(d, "for (int r = 0; r < height; r += %d)", MICRO_ROWS);
    source_write_open(d, "for (int l = 0; l < %d; ++l)", MICRO_ROWS);
    source_write_line(d, "const int64_t i = row + LESSER(r + l, height - 1);");
    t->places->row(d, t->work);
    source_write_open(d, "for (int p = 0; p < depth; ++p)");
    source_write_line(d, "const int64_t k = start + p;");
    source_write_line(d, "bool inside = true;");
    t->places->term(d, t->work);
    t->places->left(d, t->work);
    source_write_line(d, "NUMBER_%d value = ZERO_%d;", d->number, d->number);
    source_write_line(d, "if (inside) value = READ_%d(place);", d->number);
    source_write_line(d, "lefts[p * %d + l] = value;", MICRO_ROWS);
    source_write_close(d);
    source_write_close(d);
}

static void print_packing(source_draft *d, const source_tile_text *t)
{
    int most = inner_of(t->dtype);
    source_write_open(d, "for (int64_t start = begin; start < inner; start += %d)", most);
    source_write_line(d, "const int depth = (int)LESSER(%d, inner - start);", most);
    if (t->places != NULL)
        print_found_packing(d, t, most);
    else
        print_dense_packing(d, most);
}

static void print_micro_memory(source_draft *d, bool stores)
{
    for (int i = 0; i < MICRO_ROWS; ++i)
        for (int half = 0; half < MICRO_COLUMNS / VECTOR; ++half) {
            int at = i * LANES_COLUMNS + half * VECTOR;
            if (stores)
                source_write_line(d, "STORE_VECTOR(s%d_%d, at + %d);", i, half, at);
            else
                source_write_line(d, "VECTOR s%d_%d = VECTOR_AT(at + %d);", i, half, at);
        }
}

/* Six rows by sixteen columns in twelve vectors. */
static void print_vectors(source_draft *d)
{
    print_micro_memory(d, false);
    source_write_open(d, "for (int k = 0; k < depth; ++k)");
    for (int half = 0; half < MICRO_COLUMNS / VECTOR; ++half)
        source_write_line(d, "const VECTOR y%d = VECTOR_AT(panel + k * %d + %d);", half,
                          MICRO_COLUMNS, half * VECTOR);
    for (int i = 0; i < MICRO_ROWS; ++i) {
        source_write_line(d, "const float x%d = lefts[k * %d + %d];", i, MICRO_ROWS, i);
        for (int half = 0; half < MICRO_COLUMNS / VECTOR; ++half)
            source_write_line(d, "s%d_%d = JOIN_VECTOR(x%d, y%d, s%d_%d);", i, half, i, half, i,
                              half);
    }
    source_write_close(d);
    print_micro_memory(d, true);
}

/* The same in loops, which the compiler makes vectors of where it can. */
static void print_loops(source_draft *d)
{
    source_write_line(d, "NUMBER_%d s[%d];", d->number, MICRO_ROWS * MICRO_COLUMNS);
    source_write_line(d, "for (int e = 0; e < %d; ++e) s[e] = at[e / %d * %d + e %% %d];",
                      MICRO_ROWS * MICRO_COLUMNS, MICRO_COLUMNS, LANES_COLUMNS, MICRO_COLUMNS);
    source_write_open(d, "for (int k = 0; k < depth; ++k)");
    source_write_open(d, "UNROLL for (int i = 0; i < %d; ++i)", MICRO_ROWS);
    source_write_line(d, "const NUMBER_%d x = lefts[k * %d + i];", d->number, MICRO_ROWS);
    source_write_line(d,
                      "LANES for (int c = 0; c < %d; ++c) s[i * %d + c] = JOINED_%d(s[i * %d + c], "
                      "x, panel[k * %d + c]);",
                      MICRO_COLUMNS, MICRO_COLUMNS, d->number, MICRO_COLUMNS, MICRO_COLUMNS);
    source_write_close(d);
    source_write_close(d);
    source_write_line(d, "for (int e = 0; e < %d; ++e) at[e / %d * %d + e %% %d] = s[e];",
                      MICRO_ROWS * MICRO_COLUMNS, MICRO_COLUMNS, LANES_COLUMNS, MICRO_COLUMNS);
}

static void print_micro(source_draft *d, const source_tile_text *t)
{
    source_write_open(d, "for (int first = 0; first < width; first += %d)", MICRO_COLUMNS);
    source_write_line(d, "LOCAL NUMBER_%d *const at = sums + r * %d + first;", d->number,
                      LANES_COLUMNS);
    source_write_line(d, "LOCAL const NUMBER_%d *const panel = rights + first * %d;", d->number,
                      inner_of(t->dtype));
    if (state_of(t->dtype) == JG_DTYPE_FLOAT32)
        print_vectors(d);
    else
        print_loops(d);
    source_write_close(d);
}

static void print_lanes(source_draft *d, const source_tile_text *t)
{
    int most = inner_of(t->dtype), number = d->number, high = rows_of(d->facts, t->dtype);
    source_write_kernel(d, "product", t->nbuffers, false, 1);
    source_write_line(d, "LOCAL NUMBER_%d sums[%d];", number, high * LANES_COLUMNS);
    source_write_line(d, "LOCAL NUMBER_%d rights[%d];", number, most * LANES_COLUMNS);
    source_write_line(d, "LOCAL NUMBER_%d lefts[%d];", number, most * MICRO_ROWS);
    print_start(d, t, high, LANES_COLUMNS);
    source_write_line(d, "const int height = (int)LESSER(%d, rows - row);", high);
    source_write_line(d, "const int width = (int)LESSER(%d, columns - column);", LANES_COLUMNS);
    source_write_line(d, "for (int e = 0; e < %d; ++e) sums[e] = ZERO_%d;", high * LANES_COLUMNS,
                      number);
    print_packing(d, t);
    print_micro(d, t);
    source_write_close(d);
    source_write_close(d);
    source_write_open(d, "for (int r = 0; r < height; ++r)");
    source_write_line(d, "const int64_t i = row + r;");
    source_tile_out(d, t);
    source_write_line(
        d,
        "for (int c = 0; c < width; ++c) WRITE_%d(to + (column + c) * out_column, sums[r * %d + "
        "c]);",
        number, LANES_COLUMNS);
    source_write_close(d);
    source_write_close(d);
}

/* A number of a tile; numbers beyond an edge are zero. left: from i and k, otherwise from k and
 * j */
static void print_number(source_draft *d, const source_tile_text *t, bool left)
{
    source_write_line(d, "NUMBER_%d value = ZERO_%d;", d->number, d->number);
    source_write_line(d, "bool inside = k < inner && %s;", left ? "i < rows" : "j < columns");
    source_write_open(d, "if (inside)");
    if (t->places == NULL) {
        source_write_line(d, left ? "MEMORY uint8_t *const place = left + i * left_row + k * "
                                    "left_column;"
                                  : "MEMORY uint8_t *const place = right + k * right_row + j * "
                                    "right_column;");
    } else {
        if (left)
            t->places->row(d, t->work);
        t->places->term(d, t->work);
        (left ? t->places->left : t->places->right)(d, t->work);
    }
    source_write_line(d, "if (inside) value = READ_%d(place);", d->number);
    source_write_close(d);
}

/* Elements that lie side by side in memory go to items that do. */
static void print_bring(source_draft *d, const source_tile_text *t, int side)
{
    int tile = side * ITEM_TILE, items = side * side;
    source_write_open(d, "for (int e = ITEM_ID; e < %d; e += %d)", tile * GROUP_INNER, items);
    source_write_line(d, "const int r = e / %d, p = e %% %d;", GROUP_INNER, GROUP_INNER);
    source_write_line(d, "const int64_t i = row + r, k = start + p;");
    print_number(d, t, true);
    source_write_line(d, "lefts[p * %d + r] = value;", tile + 1);
    source_write_close(d);
    source_write_open(d, "for (int e = ITEM_ID; e < %d; e += %d)", tile * GROUP_INNER, items);
    source_write_line(d, "const int p = e / %d, c = e %% %d;", tile, tile);
    source_write_line(d, "const int64_t k = start + p, j = column + c;");
    print_number(d, t, false);
    source_write_line(d, "rights[p * %d + c] = value;", tile + 1);
    source_write_close(d);
}

/* Opens the loop over an item's columns j of its row a. */
static void print_columns(source_draft *d, int side)
{
    source_write_open(d, "UNROLL for (int b = 0; b < %d; ++b)", ITEM_TILE);
    source_write_line(d, "const int64_t j = column + c0 + b * %d;", side);
}

static void print_group_stores(source_draft *d, const source_tile_text *t, int side)
{
    source_write_open(d, "UNROLL for (int a = 0; a < %d; ++a)", ITEM_TILE);
    source_write_line(d, "const int64_t i = row + r0 + a * %d;", side);
    source_write_open(d, "if (i < rows && pieces > 1)");
    source_write_line(
        d,
        "MEMORY NUMBER_%d *const to = (MEMORY NUMBER_%d *)scratch + (part * rows + i) * columns;",
        d->number, d->number);
    print_columns(d, side);
    source_write_line(d, "if (j < columns) to[j] = sums[a * %d + b];", ITEM_TILE);
    source_write_close(d);
    source_write_close(d);
    source_write_open(d, "else if (i < rows)");
    source_tile_out(d, t);
    print_columns(d, side);
    source_write_line(d, "if (j < columns) WRITE_%d(to + j * out_column, sums[a * %d + b]);",
                      d->number, ITEM_TILE);
    source_write_close(d);
    source_write_close(d);
    source_write_close(d);
}

static void print_group(source_draft *d, const source_tile_text *t)
{
    int side = side_of(d->facts), tile = side * ITEM_TILE, number = d->number;
    source_write_kernel(d, "product", t->nbuffers, true, side * side);
    source_write_line(d, "LOCAL NUMBER_%d lefts[%d];", number, GROUP_INNER * (tile + 1));
    source_write_line(d, "LOCAL NUMBER_%d rights[%d];", number, GROUP_INNER * (tile + 1));
    print_start(d, t, tile, tile);
    source_write_line(d, "const int r0 = ITEM_ID / %d, c0 = ITEM_ID %% %d;", side, side);
    source_write_line(d, "NUMBER_%d sums[%d];", number, ITEM_TILE * ITEM_TILE);
    source_write_line(d, "UNROLL for (int e = 0; e < %d; ++e) sums[e] = ZERO_%d;",
                      ITEM_TILE * ITEM_TILE, number);
    source_write_open(d, "for (int64_t start = begin; start < inner; start += %d)", GROUP_INNER);
    print_bring(d, t, side);
    source_write_line(d, "BARRIER;");
    source_write_open(d, "for (int p = 0; p < %d; ++p)", GROUP_INNER);
    source_write_open(d, "UNROLL for (int e = 0; e < %d; ++e)", ITEM_TILE * ITEM_TILE);
    source_write_line(d,
                      "sums[e] = JOINED_%d(sums[e], lefts[p * %d + r0 + e / %d * %d], rights[p * "
                      "%d + c0 + e %% %d * %d]);",
                      number, tile + 1, ITEM_TILE, side, tile + 1, ITEM_TILE, side);
    source_write_close(d);
    source_write_close(d);
    source_write_line(d, "BARRIER;");
    source_write_close(d);
    print_group_stores(d, t, side);
    source_write_close(d);
}

/* An item adds up the pieces of one element, in their order. */
static void print_join(source_draft *d, const source_tile_text *t)
{
    int items = side_of(d->facts) * side_of(d->facts), number = d->number;
    char add[64];
    name_function(d, PROGRAM_ADD, state_of(t->dtype), add, sizeof add);
    source_write_kernel(d, "join", t->nbuffers, true, items);
    source_tile_words(d);
    source_write_line(d, "const int64_t size = rows * columns, groups = (size + %d) / %d;",
                      items - 1, items);
    source_write_line(d, "const int64_t batch = GROUP_ID / groups;");
    source_write_line(d, "const int64_t element = GROUP_ID %% groups * %d + ITEM_ID;", items);
    t->start(d, t->work);
    source_write_open(d, "if (element < size)");
    source_write_line(d, "const int64_t i = element / columns, j = element %% columns;");
    source_write_line(d,
                      "MEMORY const NUMBER_%d *const from = (MEMORY const NUMBER_%d *)scratch + "
                      "batch * pieces * size + element;",
                      number, number);
    source_write_line(d, "NUMBER_%d sum = from[0];", number);
    source_write_line(d, "for (int64_t p = 1; p < pieces; ++p) sum = %s(sum, from[p * size]);",
                      add);
    source_tile_out(d, t);
    source_write_line(d, "WRITE_%d(to + j * out_column, sum);", number);
    source_write_close(d);
    source_write_close(d);
}

void source_tile_print(source_draft *d, const source_tile_text *t)
{
    define_all(d, t);
    if (source_mma_is_taken(d->facts, t->dtype))
        source_mma_print(d, t);
    else if (d->facts->shape == DEVICE_LANES)
        print_lanes(d, t);
    else
        print_group(d, t);
    if (d->facts->shape != DEVICE_LANES)
        print_join(d, t);
}

/* If there are too few tiles to keep all processors busy, each group sums only a part of the terms.
 * The number of parts, and so the rounding of the result, depends only on the device and the
 * sizes. */
static int64_t pieces_of(const device_facts *facts, int64_t inner, int64_t groups, int items)
{
    int64_t wanted = (int64_t)facts->compute_units * int_max(AT_ONCE / items, 1);
    if (facts->shape == DEVICE_LANES || groups == 0)
        return 1;
    return int64_clamp(int64_min(wanted / groups, inner / LEAST_TERMS), 1, MAX_PIECES);
}

/* The step that adds up the pieces. */
static void add_join(const device_facts *facts, jg_dtype dtype, const int64_t *sizes,
                     int64_t pieces, int nwords, int kernel, device_launch *launch)
{
    int64_t size = sizes[TILE_SIZE_ROWS] * sizes[TILE_SIZE_COLUMNS];
    int64_t batch = sizes[TILE_SIZE_BATCH];
    int items = side_of(facts) * side_of(facts);
    launch->scratch_nbytes = (size_t)(batch * pieces * size) * (size_t)nbytes_of(dtype);
    source_launch_add(launch, nwords, kernel, batch * ceil_div(size, items), items);
}

void source_tile_add(const device_facts *facts, jg_dtype dtype, const int64_t *sizes, int nwords,
                     device_launch *launch)
{
    bool lanes = facts->shape == DEVICE_LANES;
    int side = side_of(facts), tile = side * ITEM_TILE, kernel = 0, join = 1;
    int high = lanes ? rows_of(facts, dtype) : tile, wide = lanes ? LANES_COLUMNS : tile;
    int items = lanes ? 1 : side * side;
    if (source_mma_is_taken(facts, dtype)) {
        kernel = source_mma_choose(facts, sizes, &tile, &items);
        join = SOURCE_MMA_KERNELS;
        high = wide = tile;
    }
    int64_t row_tiles = ceil_div(sizes[TILE_SIZE_ROWS], high);
    int64_t column_tiles = ceil_div(sizes[TILE_SIZE_COLUMNS], wide);
    int64_t groups = sizes[TILE_SIZE_BATCH] * row_tiles * column_tiles;
    int64_t inner = sizes[TILE_SIZE_INNER], pieces = pieces_of(facts, inner, groups, items);
    int64_t length = round_up(ceil_div(inner, pieces), PIECE_STEP);
    pieces = int64_max(ceil_div(inner, int64_max(length, 1)), 1);
    launch->words[TILE_ROWS] = (uint64_t)sizes[TILE_SIZE_ROWS];
    launch->words[TILE_COLUMNS] = (uint64_t)sizes[TILE_SIZE_COLUMNS];
    launch->words[TILE_INNER] = (uint64_t)sizes[TILE_SIZE_INNER];
    launch->words[TILE_ROW_TILES] = (uint64_t)row_tiles;
    launch->words[TILE_COLUMN_TILES] = (uint64_t)column_tiles;
    launch->words[TILE_PIECES] = (uint64_t)pieces;
    launch->words[TILE_LENGTH] = (uint64_t)length;
    if (groups > 0)
        source_launch_add(launch, nwords, kernel, groups * pieces, items);
    if (groups > 0 && pieces > 1)
        add_join(facts, dtype, sizes, pieces, nwords, join, launch);
}

const char *source_tile_way(const device_facts *facts, jg_dtype dtype)
{
    return source_mma_is_taken(facts, dtype) ? " by tensor cores" : "";
}
