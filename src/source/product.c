/* SPDX-License-Identifier: Apache-2.0 */
/* Products of float32 matrices in tiles. For LANES a group is one item: it packs panels of both
 * operands into memory of its own, and joins six rows with sixteen columns at a time in vectors.
 * For GROUP the items of a group bring tiles into memory that they share, and each makes four rows
 * by four columns. What lies beyond an edge is zero in a packed panel and not stored. */
#include "source/draft.h"

enum {
    LANES_ROWS = 48,
    LANES_COLUMNS = 64,
    LANES_INNER = 128,
    MICRO_ROWS = 6,
    MICRO_COLUMNS = 16,
    VECTOR = 8,
    ITEM_TILE = 4, /* rows and columns of an item */
    GROUP_INNER = 16,
    GROUP_SIDE = 16 /* items along a tile, if the device has so many */
};

/* The block of words. Strides are of batch, row and column. */
enum {
    PRODUCT_ROWS,
    PRODUCT_COLUMNS,
    PRODUCT_INNER,
    PRODUCT_ROW_TILES,
    PRODUCT_COLUMN_TILES,
    PRODUCT_STRIDES,
    PRODUCT_OFFSETS = PRODUCT_STRIDES + 9,
    PRODUCT_WORDS = PRODUCT_OFFSETS + DEVICE_PRODUCT_BUFFERS
};

static const char *const operand_names[] = {"left", "right", "out"};

static int side_of(const device_facts *facts)
{
    int side = 1;
    while (side < GROUP_SIDE && 4 * side * side <= facts->group_limit)
        side *= 2;
    return side;
}

static void print_start(source_draft *d, int tile_rows, int tile_columns)
{
    static const char *const sizes[] = {"rows", "columns", "inner", "row_tiles", "column_tiles"};
    for (int i = 0; i < (int)JG_COUNT_OF(sizes); ++i)
        frame_word(d, sizes[i], i);
    source_write_line(d, "const int64_t column = GROUP_ID %% column_tiles * %d;", tile_columns);
    source_write_line(d, "const int64_t row = GROUP_ID / column_tiles %% row_tiles * %d;",
                      tile_rows);
    source_write_line(d, "const int64_t batch = GROUP_ID / (column_tiles * row_tiles);");
    for (int b = 0; b < DEVICE_PRODUCT_BUFFERS; ++b) {
        int stride = PRODUCT_STRIDES + 3 * b;
        source_write_line(d, "const int64_t %s_row = (int64_t)block.w[%d];", operand_names[b],
                          stride + 1);
        source_write_line(d, "const int64_t %s_column = (int64_t)block.w[%d];", operand_names[b],
                          stride + 2);
        source_write_line(d,
                          "MEMORY uint8_t *const %s = m%d + (int64_t)block.w[%d] + batch * "
                          "(int64_t)block.w[%d];",
                          operand_names[b], b, PRODUCT_OFFSETS + b, stride);
    }
}

/* A panel of the left operand as [inner][MICRO_ROWS], one of the right as [inner][MICRO_COLUMNS].
 */
static void print_packing(source_draft *d)
{
    source_write_open(d, "for (int64_t start = 0; start < inner; start += %d)", LANES_INNER);
    source_write_line(d, "const int depth = (int)LESSER(%d, inner - start);", LANES_INNER);
    source_write_open(d, "for (int k = 0; k < depth; ++k)");
    source_write_line(d, "MEMORY uint8_t *const from = right + (start + k) * right_row + column * "
                         "right_column;");
    source_write_open(d, "LANES for (int c = 0; c < %d; ++c)", LANES_COLUMNS);
    source_write_line(d,
                      "rights[(c / %d * %d + k) * %d + c %% %d] = c < width ? "
                      "AT(const float, from + (c < width ? c : 0) * right_column) : 0.0f;",
                      MICRO_COLUMNS, LANES_INNER, MICRO_COLUMNS, MICRO_COLUMNS);
    source_write_close(d);
    source_write_close(d);
    source_write_open(d, "for (int r = 0; r < height; r += %d)", MICRO_ROWS);
    source_write_open(d, "for (int i = 0; i < %d; ++i)", MICRO_ROWS);
    source_write_line(
        d, "MEMORY uint8_t *const from = left + (row + LESSER(r + i, height - 1)) * left_row "
           "+ start * left_column;");
    source_write_line(
        d,
        "for (int k = 0; k < depth; ++k) lefts[k * %d + i] = AT(const float, from + k * "
        "left_column);",
        MICRO_ROWS);
    source_write_close(d);
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
static void print_micro(source_draft *d)
{
    source_write_open(d, "for (int c = 0; c < width; c += %d)", MICRO_COLUMNS);
    source_write_line(d, "LOCAL float *const at = sums + r * %d + c;", LANES_COLUMNS);
    source_write_line(d, "LOCAL const float *const panel = rights + c * %d;", LANES_INNER);
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
    source_write_close(d);
}

static void print_lanes(source_draft *d)
{
    source_write_kernel(d, "product", DEVICE_PRODUCT_BUFFERS, false, 1);
    source_write_line(d, "LOCAL float sums[%d];", LANES_ROWS * LANES_COLUMNS);
    source_write_line(d, "LOCAL float rights[%d];", LANES_INNER * LANES_COLUMNS);
    source_write_line(d, "LOCAL float lefts[%d];", LANES_INNER * MICRO_ROWS);
    print_start(d, LANES_ROWS, LANES_COLUMNS);
    source_write_line(d, "const int height = (int)LESSER(%d, rows - row);", LANES_ROWS);
    source_write_line(d, "const int width = (int)LESSER(%d, columns - column);", LANES_COLUMNS);
    source_write_line(d, "for (int i = 0; i < %d; ++i) sums[i] = 0.0f;",
                      LANES_ROWS * LANES_COLUMNS);
    print_packing(d);
    print_micro(d);
    source_write_close(d);
    source_write_close(d);
    source_write_open(d, "for (int r = 0; r < height; ++r)");
    source_write_line(
        d, "MEMORY uint8_t *const to = out + (row + r) * out_row + column * out_column;");
    source_write_line(
        d, "for (int c = 0; c < width; ++c) AT(float, to + c * out_column) = sums[r * %d + c];",
        LANES_COLUMNS);
    source_write_close(d);
    source_write_close(d);
}

/* Elements that lie side by side in memory go to items that do. */
static void print_bring(source_draft *d, int side)
{
    int tile = side * ITEM_TILE, items = side * side;
    source_write_open(d, "for (int e = ITEM_ID; e < %d; e += %d)", tile * GROUP_INNER, items);
    source_write_line(d, "const int r = e / %d, k = e %% %d;", GROUP_INNER, GROUP_INNER);
    source_write_line(d, "const bool inside = row + r < rows && start + k < inner;");
    source_write_line(d,
                      "lefts[k * %d + r] = inside ? AT(const float, left + (row + r) * left_row + "
                      "(start + k) * left_column) : 0.0f;",
                      tile + 1);
    source_write_close(d);
    source_write_open(d, "for (int e = ITEM_ID; e < %d; e += %d)", tile * GROUP_INNER, items);
    source_write_line(d, "const int k = e / %d, c = e %% %d;", tile, tile);
    source_write_line(d, "const bool inside = column + c < columns && start + k < inner;");
    source_write_line(
        d,
        "rights[k * %d + c] = inside ? AT(const float, right + (start + k) * right_row + "
        "(column + c) * right_column) : 0.0f;",
        tile + 1);
    source_write_close(d);
}

static void print_group(source_draft *d)
{
    int side = side_of(d->facts), tile = side * ITEM_TILE;
    source_write_kernel(d, "product", DEVICE_PRODUCT_BUFFERS, false, side * side);
    source_write_line(d, "LOCAL float lefts[%d];", GROUP_INNER * (tile + 1));
    source_write_line(d, "LOCAL float rights[%d];", GROUP_INNER * (tile + 1));
    print_start(d, tile, tile);
    source_write_line(d, "const int r0 = ITEM_ID / %d, c0 = ITEM_ID %% %d;", side, side);
    source_write_line(d, "float sums[%d];", ITEM_TILE * ITEM_TILE);
    source_write_line(d, "UNROLL for (int i = 0; i < %d; ++i) sums[i] = 0.0f;",
                      ITEM_TILE * ITEM_TILE);
    source_write_open(d, "for (int64_t start = 0; start < inner; start += %d)", GROUP_INNER);
    print_bring(d, side);
    source_write_line(d, "BARRIER;");
    source_write_open(d, "for (int k = 0; k < %d; ++k)", GROUP_INNER);
    source_write_open(d, "UNROLL for (int i = 0; i < %d; ++i)", ITEM_TILE * ITEM_TILE);
    source_write_line(
        d,
        "sums[i] = fma_f32(lefts[k * %d + r0 + i / %d * %d], rights[k * %d + c0 + i %% %d * "
        "%d], sums[i]);",
        tile + 1, ITEM_TILE, side, tile + 1, ITEM_TILE, side);
    source_write_close(d);
    source_write_close(d);
    source_write_line(d, "BARRIER;");
    source_write_close(d);
    source_write_open(d, "UNROLL for (int i = 0; i < %d; ++i)", ITEM_TILE * ITEM_TILE);
    source_write_line(d,
                      "const int64_t r = row + r0 + i / %d * %d, c = column + c0 + i %% %d * %d;",
                      ITEM_TILE, side, ITEM_TILE, side);
    source_write_line(
        d, "if (r < rows && c < columns) AT(float, out + r * out_row + c * out_column) = "
           "sums[i];");
    source_write_close(d);
    source_write_close(d);
}

void source_product_print(source_draft *d, source_form *form)
{
    frame_begin(d, form,
                &(source_frame){.style = STYLE_TILE,
                                .nbuffers = DEVICE_PRODUCT_BUFFERS,
                                .offsets = PRODUCT_OFFSETS,
                                .nwords = PRODUCT_WORDS});
    if (d->facts->shape == DEVICE_LANES)
        print_lanes(d);
    else
        print_group(d);
}

bool source_product_fits_local(const device_facts *facts)
{
    int floats = LANES_ROWS * LANES_COLUMNS + LANES_INNER * (LANES_COLUMNS + MICRO_ROWS);
    int tile = side_of(facts) * ITEM_TILE + 1;
    if (facts->shape == DEVICE_GROUP)
        floats = 2 * GROUP_INNER * tile;
    return (int64_t)floats * 4 <= facts->local_nbytes;
}

static void fill(uint64_t *words, const device_product *product, int64_t row_tiles,
                 int64_t column_tiles)
{
    const int64_t *strides[] = {product->left, product->right, product->out};
    words[PRODUCT_ROWS] = (uint64_t)product->rows;
    words[PRODUCT_COLUMNS] = (uint64_t)product->columns;
    words[PRODUCT_INNER] = (uint64_t)product->inner;
    words[PRODUCT_ROW_TILES] = (uint64_t)row_tiles;
    words[PRODUCT_COLUMN_TILES] = (uint64_t)column_tiles;
    for (int b = 0; b < DEVICE_PRODUCT_BUFFERS; ++b)
        source_fill_words(words + PRODUCT_STRIDES + 3 * b, 3, strides[b]);
}

jg_status source_product_arrange(const device_facts *facts, const device_product *product,
                                 device_launch **out)
{
    bool lanes = facts->shape == DEVICE_LANES;
    int side = side_of(facts), tile = side * ITEM_TILE;
    int64_t high = lanes ? LANES_ROWS : tile, wide = lanes ? LANES_COLUMNS : tile;
    int64_t row_tiles = ceil_div(product->rows, high);
    int64_t column_tiles = ceil_div(product->columns, wide);
    int64_t groups = product->batch * row_tiles * column_tiles;
    device_launch *launch = NULL;
    JG_TRY(source_launch_begin(1, PRODUCT_WORDS, &launch));
    fill(launch->words, product, row_tiles, column_tiles);
    if (groups > 0)
        source_launch_add(launch, PRODUCT_WORDS, 0, groups, lanes ? 1 : side * side);
    *out = launch;
    return JG_OK;
}
