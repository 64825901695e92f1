/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of halves by a GPU's tensor cores: mma.sync of 16 rows, 8 columns and 16 terms,
 * with sums in float32.
 *
 * A group makes a tile of as many rows as columns, and a warp of it `rows` by 32. Terms are brought
 * DEPTH at a time into one of three stages in the group's memory, two ahead of the sums, by copies
 * of 16 bytes that run at the same time. Operands that are not dense and aligned are copied element
 * by element. Elements beyond an edge are zero in a stage, and are not stored.
 *
 * In a stage an operand has the same order as in memory: along its terms, one row (or column) after
 * the other; or across, one term after the other. Pieces of 16 bytes change places within a line,
 * so that the eight which a load of fragments takes at once lie in different banks. */
#include "source/work/tile.h"
#include <stdio.h>

enum {
    DEPTH = 32, /* terms of a stage */
    STAGES = 3,
    PIECE = 8, /* elements of 16 bytes */
    WIDE = 32, /* columns of a warp */
    BAND = 8,  /* rows of tiles that groups go through together, as they share what they read */
    FULL_TILES = 2, /* large tiles for each processor that are enough to take them */
    ITEMS = 512     /* that a processor is to have at once */
};

/* The two kernels: their tiles, the items of a group, and the rows of a warp. parts: whether a
 * group may have a part of the terms alone */
typedef struct mma_shape {
    const char *name;
    int side, items, rows;
    bool parts;
} mma_shape;

static const mma_shape shapes[SOURCE_MMA_KERNELS] = {{"mma", 128, 256, 64, false},
                                                     {"mma_small", 64, 128, 32, true}};

/* The differences between the two operands in the text. lane_line, lane_term: the bits of a lane
 * that choose the second eight lines, and the second eight terms, of the block that it loads */
typedef struct mma_side {
    const char *name, *line, *lines, *origin, *line_step, *term_step;
    int lane_line, lane_term;
} mma_side;

static const mma_side sides[] = {
    {"left", "i", "rows", "row", "left_row", "left_column", 3, 4},
    {"right", "j", "columns", "column", "right_column", "right_row", 4, 3},
};

static int stage_nbytes(const mma_shape *shape)
{
    return 2 * shape->side * DEPTH * 2;
}

static bool is_across(const source_tile_text *t, const mma_side *side)
{
    return side == &sides[0] ? t->left_across : t->right_across;
}

bool source_mma_is_taken(const device_facts *facts, jg_dtype dtype)
{
    return facts->tensor_cores && source_dialect_of(facts)->tensor_cores != NULL &&
           facts->shape == DEVICE_GROUP && facts->lane_width == 32 &&
           (dtype == JG_DTYPE_FLOAT16 || dtype == JG_DTYPE_BFLOAT16) &&
           facts->group_limit >= shapes[0].items &&
           facts->local_nbytes >= STAGES * stage_nbytes(&shapes[0]);
}

/* The dtype as PTX has it. */
static const char *name_of(const source_tile_text *t)
{
    return t->dtype == JG_DTYPE_FLOAT16 ? "f16" : "bf16";
}

/* The tiles of a band are ordered from top to bottom, then come those of the next column. */
static void print_start(source_draft *d, const source_tile_text *t, const mma_shape *shape)
{
    source_tile_words(d);
    source_write_line(d, "const int64_t part = GROUP_ID / (column_tiles * row_tiles);");
    source_write_line(d, "const int64_t batch = part%s;", shape->parts ? " / pieces" : "");
    source_write_line(d, "const int64_t tile = GROUP_ID %% (column_tiles * row_tiles);");
    source_write_line(d, "const int64_t band = tile / (%d * column_tiles) * %d;", BAND, BAND);
    source_write_line(d, "const int64_t height = LESSER(%d, row_tiles - band);", BAND);
    source_write_line(d, "const int64_t place_in_band = tile - band * column_tiles;");
    source_write_line(d, "const int64_t row = (band + place_in_band %% height) * %d;", shape->side);
    source_write_line(d, "const int64_t column = place_in_band / height * %d;", shape->side);
    t->start(d, t->work);
    if (!shape->parts) {
        source_write_line(d, "const int64_t begin = 0;");
        return;
    }
    source_write_line(d, "const int64_t begin = part %% pieces * length;");
    source_write_line(d, "inner = LESSER(inner, begin + length);");
}

/* Whether all pieces of an operand begin at multiples of 16 bytes, and are dense. */
static void print_whole(source_draft *d, const source_tile_text *t, const mma_side *side)
{
    bool across = is_across(t, side);
    source_write_line(d,
                      "const bool %s_whole = %s == 2 && (((uint64_t)%s | (uint64_t)%s) & 15) == 0;",
                      side->name, across ? side->line_step : side->term_step, side->name,
                      across ? side->term_step : side->line_step);
}

/* Declares r and p, the line and the term of element or piece e. width: elements of it */
static void print_position(source_draft *d, const mma_shape *shape, bool across, int width)
{
    int along = (across ? shape->side : DEPTH) / width;
    source_write_line(d, "const int e = ITEM_ID + u * %d;", shape->items);
    source_write_line(d, "const int %s = e / %d, %s = e %% %d * %d;", across ? "p" : "r", along,
                      across ? "r" : "p", along, width);
}

/* The place of the element of line r and term p, in bytes from the begin of its operand in a
 * stage. */
static void format_place(const mma_shape *shape, bool across, char *out, size_t nbytes)
{
    if (across)
        snprintf(out, nbytes, "p * %d + ((r / 8 ^ (p & 7)) << 4) + r %% 8 * 2", 2 * shape->side);
    else
        snprintf(out, nbytes, "r * %d + ((p / 8 ^ (r >> 1 & 3)) << 4) + p %% 8 * 2", 2 * DEPTH);
}

static void print_indices(source_draft *d, const mma_side *side)
{
    source_write_line(d, "const int64_t %s = %s + r, k = start + p;", side->line, side->origin);
}

static void print_pieces(source_draft *d, const source_tile_text *t, const mma_shape *shape,
                         const mma_side *side)
{
    bool across = is_across(t, side);
    char place[128];
    format_place(shape, across, place, sizeof place);
    source_write_open(d, "UNROLL for (int u = 0; u < %d; ++u)",
                      shape->side * DEPTH / PIECE / shape->items);
    print_position(d, shape, across, PIECE);
    print_indices(d, side);
    source_write_line(d, "const int64_t there = %s < %s && k < inner ? LESSER(%s - %s, %d) : 0;",
                      side->line, side->lines, across ? side->lines : "inner",
                      across ? side->line : "k", PIECE);
    source_write_line(d,
                      "copy_16(to + (%s), there > 0 ? %s + %s * %s + k * %s : %s, (int)there * 2);",
                      place, side->name, side->line, side->line_step, side->term_step, side->name);
    source_write_close(d);
}

/* Declares the address of the element of a line and a term; lessens `inside`. */
static void print_found(source_draft *d, const source_tile_text *t, const mma_side *side)
{
    bool left = side == &sides[0];
    if (t->places == NULL) {
        source_write_line(d, "MEMORY const uint8_t *const place = %s + %s * %s + k * %s;",
                          side->name, side->line, side->line_step, side->term_step);
        return;
    }
    if (left)
        t->places->row(d, t->work);
    t->places->term(d, t->work);
    (left ? t->places->left : t->places->right)(d, t->work);
}

static void print_elements(source_draft *d, const source_tile_text *t, const mma_shape *shape,
                           const mma_side *side)
{
    bool across = is_across(t, side);
    char place[128];
    format_place(shape, across, place, sizeof place);
    source_write_open(d, "FOUR_TIMES for (int u = 0; u < %d; ++u)",
                      shape->side * DEPTH / shape->items);
    print_position(d, shape, across, 1);
    print_indices(d, side);
    source_write_line(d, "uint16_t value = 0;");
    source_write_line(d, "bool inside = k < inner && %s < %s;", side->line, side->lines);
    source_write_open(d, "if (inside)");
    print_found(d, t, side);
    source_write_line(d, "if (inside) value = AT(const uint16_t, place);");
    source_write_close(d);
    source_write_line(d, "*(uint16_t *)(to + (%s)) = value;", place);
    source_write_close(d);
}

/* Terms from `start` on of one operand into its half of the stage. */
static void print_bring(source_draft *d, const source_tile_text *t, const mma_shape *shape,
                        int which)
{
    const mma_side *side = &sides[which];
    source_write_open(d, "%s", "");
    source_write_line(d, "uint8_t *const to = stages + into * %d + %d;", stage_nbytes(shape),
                      which * stage_nbytes(shape) / 2);
    if (t->places == NULL) {
        source_write_open(d, "if (%s_whole)", side->name);
        print_pieces(d, t, shape, side);
        source_write_close(d);
        source_write_open(d, "else");
        print_elements(d, t, shape, side);
        source_write_close(d);
    } else {
        print_elements(d, t, shape, side);
    }
    source_write_close(d);
}

/* 16 lines by 16 terms for each turn: four matrices of 8 by 8, of each of which eight lanes have
 * the addresses. */
static void print_fragments(source_draft *d, const source_tile_text *t, const mma_shape *shape,
                            int which, int count)
{
    const mma_side *side = &sides[which];
    bool across = is_across(t, side);
    char place[128];
    format_place(shape, across, place, sizeof place);
    source_write_line(d, "uint32_t %ss[%d];", side->name, 4 * count);
    source_write_open(d, "UNROLL for (int a = 0; a < %d; ++a)", count);
    if (across) {
        source_write_line(d, "const int r = %s_first + a * 16 + (lane >> %d & 1) * 8;", side->name,
                          side->lane_line);
        source_write_line(d, "const int p = step + (lane >> %d & 1) * 8 + (lane & 7);",
                          side->lane_term);
    } else {
        source_write_line(d, "const int r = %s_first + a * 16 + (lane >> %d & 1) * 8 + (lane & 7);",
                          side->name, side->lane_line);
        source_write_line(d, "const int p = step + (lane >> %d & 1) * 8;", side->lane_term);
    }
    source_write_line(d, "load_%smatrices(%ss + 4 * a, stages + from * %d + %d + (%s));",
                      across ? "turned_" : "", side->name, stage_nbytes(shape),
                      which * stage_nbytes(shape) / 2, place);
    source_write_close(d);
}

static void print_sums(source_draft *d, const source_tile_text *t, const mma_shape *shape)
{
    int high = shape->rows / 16, wide = WIDE / 8;
    source_write_open(d, "UNROLL for (int step = 0; step < %d; step += 16)", DEPTH);
    print_fragments(d, t, shape, 0, high);
    print_fragments(d, t, shape, 1, wide / 2);
    source_write_open(d, "UNROLL for (int a = 0; a < %d; ++a)", high);
    source_write_line(
        d,
        "UNROLL for (int b = 0; b < %d; ++b) mma_%s(sums + (a * %d + b) * 4, lefts + a * 4, "
        "rights + b * 2);",
        wide, name_of(t), wide);
    source_write_close(d);
    source_write_close(d);
}

/* Stage `into` is filled while the one of two turns before is used. A thread that has passed the
 * barrier has used the stage that is filled next. */
static void print_loop(source_draft *d, const source_tile_text *t, const mma_shape *shape)
{
    source_write_line(d, "int into = 0;");
    source_write_open(d, "for (int64_t start = begin; start < inner + %d; start += %d)",
                      (STAGES - 1) * DEPTH, DEPTH);
    source_write_open(d, "if (start >= begin + %d)", (STAGES - 1) * DEPTH);
    source_write_line(d, "copy_wait();");
    source_write_line(d, "BARRIER;");
    source_write_close(d);
    source_write_open(d, "if (start < inner)");
    print_bring(d, t, shape, 0);
    print_bring(d, t, shape, 1);
    source_write_close(d);
    source_write_line(d, "copy_commit();");
    source_write_line(d, "into = into == %d ? 0 : into + 1;", STAGES - 1);
    source_write_line(d, "const int from = into;");
    source_write_line(d, "if (start < begin + %d) continue;", (STAGES - 1) * DEPTH);
    print_sums(d, t, shape);
    source_write_close(d);
}

/* A lane has two sums side by side, which are stored as one where they can be. step: bytes from one
 * of them to the next, where `to` is a row; single: as float32 */
static void print_pairs(source_draft *d, const source_tile_text *t, const char *step, bool single)
{
    int wide = WIDE / 8, nbytes = single ? 4 : 2, bits = 8 * nbytes;
    source_write_line(d, "const bool pairs = %s == %d && ((uint64_t)to & %d) == 0;", step, nbytes,
                      2 * nbytes - 1);
    source_write_open(d, "UNROLL for (int b = 0; b < %d; ++b)", wide);
    source_write_line(d, "const int64_t j = column + right_first + b * 8 + lane %% 4 * 2;");
    source_write_line(d, "const int at = (a / 2 * %d + b) * 4 + a %% 2 * 2;", wide);
    if (single)
        source_write_line(d, "const uint64_t pair = bits_of_f32(sums[at]) | "
                             "(uint64_t)bits_of_f32(sums[at + 1]) << 32;");
    else
        source_write_line(d, "const uint32_t pair = pair_%s(sums[at], sums[at + 1]);", name_of(t));
    source_write_line(d, "if (pairs && j + 1 < columns) AT(uint%d_t, to + j * %d) = pair;",
                      2 * bits, nbytes);
    source_write_line(d, "else if (j < columns) AT(uint%d_t, to + j * %s) = (uint%d_t)pair;", bits,
                      step, bits);
    source_write_line(d,
                      "if (!pairs && j + 1 < columns) AT(uint%d_t, to + (j + 1) * %s) = "
                      "(uint%d_t)(pair >> %d);",
                      bits, step, bits, bits);
    source_write_close(d);
}

static void print_stores(source_draft *d, const source_tile_text *t, const mma_shape *shape)
{
    source_write_open(d, "UNROLL for (int a = 0; a < %d; ++a)", shape->rows / 8);
    source_write_line(d, "const int64_t i = row + left_first + a * 8 + lane / 4;");
    if (shape->parts) {
        source_write_open(d, "if (i < rows && pieces > 1)");
        source_write_line(d,
                          "MEMORY uint8_t *const to = scratch + (part * rows + i) * columns * 4;");
        print_pairs(d, t, "4", true);
        source_write_close(d);
    }
    source_write_open(d, shape->parts ? "else if (i < rows)" : "if (i < rows)");
    source_tile_out(d, t);
    print_pairs(d, t, "out_column", t->widens);
    source_write_close(d);
    source_write_close(d);
}

static void print_kernel(source_draft *d, const source_tile_text *t, const mma_shape *shape)
{
    int nsums = shape->rows * WIDE / 32;
    d->at_once = ITEMS / shape->items;
    source_write_kernel(d, shape->name, t->nbuffers, shape->parts, shape->items);
    source_write_line(d, "ALIGNED(128) LOCAL uint8_t stages[%d];", STAGES * stage_nbytes(shape));
    print_start(d, t, shape);
    for (int which = 0; which < 2 && t->places == NULL; ++which)
        print_whole(d, t, &sides[which]);
    source_write_line(d, "const int lane = ITEM_ID %% 32, warp = ITEM_ID / 32;");
    source_write_line(d, "const int left_first = warp / %d * %d, right_first = warp %% %d * %d;",
                      shape->side / WIDE, shape->rows, shape->side / WIDE, WIDE);
    source_write_line(d, "float sums[%d];", nsums);
    source_write_line(d, "UNROLL for (int e = 0; e < %d; ++e) sums[e] = 0;", nsums);
    print_loop(d, t, shape);
    print_stores(d, t, shape);
    source_write_close(d);
}

void source_mma_print(source_draft *d, const source_tile_text *t)
{
    text_add(d->out, "%s", d->dialect->tensor_cores);
    for (size_t i = 0; i < JG_COUNT_OF(shapes); ++i)
        print_kernel(d, t, &shapes[i]);
}

/* Small tiles where there are too few large ones to keep all processors busy. */
int source_mma_choose(const device_facts *facts, const int64_t *sizes, int *side, int *items)
{
    int64_t tiles = sizes[TILE_SIZE_BATCH] * ceil_div(sizes[TILE_SIZE_ROWS], shapes[0].side) *
                    ceil_div(sizes[TILE_SIZE_COLUMNS], shapes[0].side);
    int which = tiles < (int64_t)FULL_TILES * facts->compute_units;
    *side = shapes[which].side;
    *items = shapes[which].items;
    return which;
}
