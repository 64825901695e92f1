/* SPDX-License-Identifier: Apache-2.0 */
/* Scaled dot product attention that never has all scores in memory: for some queries, keys are
 * taken block after block, and results are corrected when a larger score comes. After Dao, Fu,
 * Ermon, Rudra, Re, "FlashAttention", 2022, and Milakov, Gimelshein, "Online normalizer calculation
 * for softmax", 2018. Sums are float32's.
 *
 * A unit is some of the rows that meet one head of k and v: the queries of all heads of q that this
 * head serves, query by query. No result depends on how rows are cut. */
#include "routine/loops.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* q (..., N, L, D), k (..., M, T, D), v (..., M, T, E), N a multiple of M; then, where there are
 * any, the mask (..., N, L, T), bool or float32, and the sinks (..., N, 1, 1), float32. The result
 * is (..., N, L, E). The axes before are the same, and nothing is empty. */
enum { Q, K, V, REST };
enum { INNER_AXES = 3 };

enum {
    MOST_ROWS = 256, /* of a unit, each of which packs k and v anew */
    LEAST_ROWS = 32,
    ROW_FLOATS = 64 << 10, /* that a unit keeps of its rows, about */
    MOST_KEYS = 128,       /* of a block: whole panels for every instruction set */
    LINES = 8              /* keys that are packed together */
};

typedef struct attention {
    const routine_call *call;
    const routine_operand *q, *k, *v, *mask, *sinks, *out; /* mask, sinks: NULL if there is none */
    int64_t heads, group, length, span, depth, width;      /* M, N / M, L, T, D, E */
    int64_t rows, blocks, block_rows; /* of a head of k; units; rows of a unit */
    int64_t panel, padded;            /* columns of a panel; E in whole panels */
    const convolve_loops *products;   /* whose multiply is a block of a product */
    const attention_loops *softmax;
} attention;

/* What a unit works in. Matrices of panels have all rows of a panel before the next one. */
typedef struct attention_room {
    float *q;                      /* rows by depth, scaled */
    float *keys;                   /* in panels, depth by keys */
    float *values;                 /* in panels, keys by width */
    float *scores;                 /* ATTENTION_ROWS by MOST_KEYS */
    float *out;                    /* rows by padded */
    float *largest, *sums, *lines; /* lines: LINES rows of k or v */
    int64_t *offsets;              /* in a panel of keys, of each element of a key */
} attention_room;

static const float *float_of(const void *address, int64_t element)
{
    return (const float *)address + element;
}

static const routine_operand *last_of(const routine_call *call)
{
    return &call->operands[call->noperands - 1];
}

static void cut(attention *a)
{
    int64_t most = ROW_FLOATS / (a->depth + a->width);
    most = int64_clamp(most, LEAST_ROWS, MOST_ROWS);
    a->rows = a->length * a->group;
    a->blocks = ceil_div(a->rows, most);
    a->block_rows = ceil_div(a->rows, a->blocks);
}

static attention describe(const routine_call *call)
{
    const attention_attributes *how = &call->attributes->attention;
    const routine_operand *q = &call->operands[Q], *k = &call->operands[K], *v = &call->operands[V];
    const routine_loops *loops = routine_loops_chosen();
    const int axis = q->ndim - INNER_AXES;
    attention a = {.call = call,
                   .q = q,
                   .k = k,
                   .v = v,
                   .mask = how->masked ? &call->operands[REST] : NULL,
                   .sinks = how->sunk ? &call->operands[REST + how->masked] : NULL,
                   .out = last_of(call),
                   .heads = k->shape[axis],
                   .group = q->shape[axis] / k->shape[axis],
                   .length = q->shape[axis + 1],
                   .span = k->shape[axis + 1],
                   .depth = q->shape[axis + 2],
                   .width = v->shape[axis + 2],
                   .products = loops->convolves->loops[JG_DTYPE_FLOAT32],
                   .softmax = loops->attention};
    a.panel = 2 * (int64_t)a.products->lanes;
    a.padded = round_up(a.width, a.panel);
    cut(&a);
    return a;
}

/* Part of the memory, of which `used` elements are taken; NULL of no memory. */
static float *take(float *memory, int64_t *used, int64_t count)
{
    enum { LINE_FLOATS = 16 };
    float *part = memory == NULL ? NULL : memory + *used;
    *used += round_up(count, LINE_FLOATS);
    return part;
}

/* gives: how many floats the room takes */
static int64_t lay_out(const attention *a, float *memory, attention_room *room)
{
    int64_t used = 0, rows = a->block_rows, line = int64_max(a->depth, a->width);
    room->q = take(memory, &used, rows * a->depth);
    room->keys = take(memory, &used, MOST_KEYS * a->depth);
    room->values = take(memory, &used, MOST_KEYS * a->padded);
    room->scores = take(memory, &used, ATTENTION_ROWS * MOST_KEYS);
    room->out = take(memory, &used, rows * a->padded);
    room->largest = take(memory, &used, rows);
    room->sums = take(memory, &used, rows);
    room->lines = take(memory, &used, LINES * line);
    room->offsets = (int64_t *)(void *)take(memory, &used, 2 * a->depth);
    return used;
}

static jg_status room_init(const attention *a, attention_room *room)
{
    enum { LINE_NBYTES = 64 };
    size_t nbytes = (size_t)lay_out(a, NULL, room) * sizeof(float);
    float *memory = base_alloc_aligned(LINE_NBYTES, nbytes);
    if (memory == NULL)
        return base_nomem(nbytes, "an attention");
    lay_out(a, memory, room);
    for (int64_t d = 0; d < a->depth; ++d)
        room->offsets[d] = d * a->panel;
    return JG_OK;
}

/* Of a unit: its batch and head of k, its first row, and how many rows. */
typedef struct attention_unit {
    int64_t batch, head, first, rows;
} attention_unit;

static attention_unit unit_at(const attention *a, int64_t number)
{
    int64_t block = number % a->blocks, head = number / a->blocks;
    int64_t first = block * a->block_rows, left = a->rows - first;
    return (attention_unit){head / a->heads, head % a->heads, first,
                            int64_min(left, a->block_rows)};
}

/* Elements to where the batch's part of an operand begins, then to a head, to one of its rows. */
static int64_t offset_of(const routine_operand *x, int64_t batch, int64_t head, int64_t row)
{
    int axis = x->ndim - INNER_AXES;
    int64_t offset = head * x->strides[axis] + row * x->strides[axis + 1];
    for (int i = axis - 1; i >= 0; --i) {
        offset += batch % x->shape[i] * x->strides[i];
        batch /= x->shape[i];
    }
    return offset;
}

/* Of row r of the unit, in an operand with the heads of q. */
static int64_t row_offset(const attention *a, const attention_unit *unit, const routine_operand *x,
                          int64_t r)
{
    int64_t row = unit->first + r, head = unit->head * a->group + row % a->group;
    return offset_of(x, unit->batch, head, row / a->group);
}

static const char *address_of(const attention *a, const routine_operand *x, int64_t offset)
{
    const char *start = a->call->addresses[x - a->call->operands];
    return start + offset * (int64_t)dtype_itemsize(x->dtype);
}

/* Elements `step` apart as float32s side by side: as they lie, or in `line`. */
static const float *floats_of(const char *from, jg_dtype dtype, int64_t step, int64_t count,
                              float *line)
{
    void (*widen)(const void *, int64_t, void *) = routine_loops_chosen()->convolves->widen[dtype];
    int64_t nbytes = step * (int64_t)dtype_itemsize(dtype);
    if (widen == NULL && step == 1)
        return (const float *)(const void *)from;
    if (step == 1)
        widen(from, count, line);
    else
        for (int64_t i = 0; i < count; ++i)
            if (widen != NULL)
                widen(from + i * nbytes, 1, line + i);
            else
                memcpy(line + i, from + i * nbytes, sizeof *line);
    return line;
}

static void pack_queries(const attention *a, const attention_unit *unit, const attention_room *room)
{
    const float factor = (float)a->call->attributes->attention.scale;
    const int64_t step = a->q->strides[a->q->ndim - 1];
    for (int64_t r = 0; r < unit->rows; ++r) {
        const char *from = address_of(a, a->q, row_offset(a, unit, a->q, r));
        const float *row = floats_of(from, a->q->dtype, step, a->depth, room->lines);
        float *to = room->q + r * a->depth;
        for (int64_t d = 0; d < a->depth; ++d)
            to[d] = row[d] * factor;
    }
}

/* Keys first to first + count - 1, as columns; the last panel is filled up with zeros. */
static void pack_keys(const attention *a, const attention_unit *unit, int64_t first, int64_t count,
                      const attention_room *room)
{
    const int64_t step = a->k->strides[a->k->ndim - 1], whole = round_up(count, a->panel);
    if (whole > count)
        memset(room->keys + (whole - a->panel) * a->depth, 0,
               (size_t)(a->panel * a->depth) * sizeof(float));
    for (int64_t i = 0; i < count; i += LINES) {
        const void *rows[LINES];
        int lines = count - i < LINES ? (int)(count - i) : LINES;
        for (int line = 0; line < lines; ++line) {
            int64_t at = offset_of(a->k, unit->batch, unit->head, first + i + line);
            rows[line] = floats_of(address_of(a, a->k, at), a->k->dtype, step, a->depth,
                                   room->lines + line * a->depth);
        }
        float *panel = room->keys + i / a->panel * a->panel * a->depth;
        a->products->interleave(rows, lines, a->depth, room->offsets, panel + i % a->panel);
    }
}

/* The values of these keys; columns beyond the width are zeros. */
static void pack_values(const attention *a, const attention_unit *unit, int64_t first,
                        int64_t count, const attention_room *room)
{
    const int64_t step = a->v->strides[a->v->ndim - 1];
    for (int64_t i = 0; i < count; ++i) {
        int64_t at = offset_of(a->v, unit->batch, unit->head, first + i);
        const float *row =
            floats_of(address_of(a, a->v, at), a->v->dtype, step, a->width, room->lines);
        for (int64_t j = 0; j < a->width; j += a->panel) {
            int64_t part = int64_min(a->width - j, a->panel);
            float *to = room->values + j * count + i * a->panel;
            memcpy(to, row + j, (size_t)part * sizeof *to);
            memset(to + part, 0, (size_t)(a->panel - part) * sizeof *to);
        }
    }
}

/* A factor whose columns are in panels. Steps from a row to the next, and from a panel. */
typedef struct attention_panels {
    const float *start;
    int64_t rows, row_step, panel_step;
} attention_panels;

static attention_panels packed(const attention *a, const float *start, int64_t rows)
{
    return (attention_panels){start, rows, a->panel, a->panel * rows};
}

/* Whether values are whole panels as they lie, which products take row after row. */
static bool are_values_panels(const attention *a)
{
    const int64_t *steps = a->v->strides + a->v->ndim - 2;
    return a->v->dtype == JG_DTYPE_FLOAT32 && steps[0] > 0 && steps[1] == 1 &&
           a->padded == a->width;
}

static attention_panels values_of(const attention *a, const attention_unit *unit, int64_t first,
                                  int64_t count, const attention_room *room)
{
    if (!are_values_panels(a)) {
        pack_values(a, unit, first, count, room);
        return packed(a, room->values, count);
    }
    const char *start = address_of(a, a->v, offset_of(a->v, unit->batch, unit->head, first));
    return (attention_panels){float_of(start, 0), count, a->v->strides[a->v->ndim - 2], a->panel};
}

/* y = x @ w, or that added to y; the columns are all of y's. */
static void multiply(const attention *a, const float *x, int64_t x_row, const attention_panels *w,
                     float *y, int64_t y_row, int64_t rows, int64_t columns, bool adds)
{
    const convolve_run run = {0};
    convolve_tile tile = {.runs = &run,
                          .nruns = 1,
                          .length = w->rows,
                          .columns = a->panel,
                          .x_row = x_row,
                          .y_row = y_row,
                          .x_step = 1,
                          .w_step = w->row_step,
                          .adds = adds};
    tile.w = w->start;
    for (int64_t column = 0; column < columns; column += a->panel) {
        for (int64_t row = 0; row < rows; row += tile.rows) {
            tile.rows = int64_min(rows - row, a->products->most_rows);
            tile.x = x + row * x_row;
            tile.y = y + row * y_row + column;
            a->products->multiply[tile.rows - 1][1](&tile);
        }
        tile.w = (const float *)tile.w + w->panel_step;
    }
}

/* Rows of a unit that are taken together, and the keys that they meet. */
typedef struct attention_part {
    const attention_unit *unit;
    int64_t row, rows, key, keys;
    const attention_panels *turned_keys, *values;
} attention_part;

static void apply_mask(const attention *a, const char *mask, const attention_part *part, float *row)
{
    const int64_t step = a->mask->strides[a->mask->ndim - 1];
    if (a->mask->dtype == JG_DTYPE_BOOL)
        for (int64_t j = 0; j < part->keys; ++j)
            row[j] = mask[(part->key + j) * step] ? row[j] : -FLT_MAX;
    else
        for (int64_t j = 0; j < part->keys; ++j)
            row[j] += *float_of(mask, (part->key + j) * step);
}

/* What is left out becomes the lowest finite number, as where attention is spelled in other ops:
 * a row of which nothing is left has equal shares. Columns that are no keys become -inf. */
static void mask_scores(const attention *a, const attention_part *part, float *scores)
{
    const bool causal = a->call->attributes->attention.causal;
    for (int64_t r = 0; r < part->rows; ++r, scores += MOST_KEYS) {
        if (a->mask != NULL) {
            int64_t at = row_offset(a, part->unit, a->mask, part->row + r);
            apply_mask(a, address_of(a, a->mask, at), part, scores);
        }
        if (causal) {
            int64_t query = (part->unit->first + part->row + r) / a->group;
            int64_t seen = a->span - a->length + query + 1 - part->key;
            for (int64_t j = int64_max(seen, 0); j < part->keys; ++j)
                scores[j] = -FLT_MAX;
        }
        for (int64_t j = part->keys; j < round_up(part->keys, ATTENTION_STRIP); ++j)
            scores[j] = -INFINITY;
    }
}

/* A sink is a score without a value. */
static void begin_rows(const attention *a, const attention_unit *unit, const attention_room *room)
{
    for (int64_t r = 0; r < unit->rows; ++r) {
        room->largest[r] = -INFINITY;
        room->sums[r] = 0;
        if (a->sinks == NULL)
            continue;
        int64_t head = unit->head * a->group + (unit->first + r) % a->group;
        room->largest[r] =
            *float_of(address_of(a, a->sinks, offset_of(a->sinks, unit->batch, head, 0)), 0);
        room->sums[r] = 1;
    }
}

/* Adds what the keys give to the results of these rows. */
static void add_part(const attention *a, const attention_part *part, const attention_room *room)
{
    float factors[ATTENTION_ROWS], *out = room->out + part->row * a->padded;
    multiply(a, room->q + part->row * a->depth, a->depth, part->turned_keys, room->scores,
             MOST_KEYS, part->rows, round_up(part->keys, a->panel), false);
    mask_scores(a, part, room->scores);
    a->softmax->fold(&(attention_scores){.scores = room->scores,
                                         .row_step = MOST_KEYS,
                                         .rows = part->rows,
                                         .columns = round_up(part->keys, ATTENTION_STRIP),
                                         .largest = room->largest + part->row,
                                         .sums = room->sums + part->row,
                                         .factors = factors});
    for (int64_t r = 0; r < part->rows && part->key > 0; ++r)
        if (factors[r] != 1)
            a->softmax->scale(out + r * a->padded, a->padded, factors[r]);
    multiply(a, room->scores, MOST_KEYS, part->values, out, a->padded, part->rows, a->padded,
             part->key > 0);
}

/* So few rows at a time that their queries, scores and results stay in the first cache. */
static void add_keys(const attention *a, const attention_unit *unit, int64_t first, int64_t count,
                     const attention_room *room)
{
    const int64_t most = ATTENTION_ROWS / a->products->most_rows * a->products->most_rows;
    pack_keys(a, unit, first, count, room);
    const attention_panels keys = packed(a, room->keys, a->depth);
    const attention_panels values = values_of(a, unit, first, count, room);
    attention_part part = {
        .unit = unit, .key = first, .keys = count, .turned_keys = &keys, .values = &values};
    for (; part.row < unit->rows; part.row += part.rows) {
        int64_t left = unit->rows - part.row;
        part.rows = int64_min(left, most);
        add_part(a, &part, room);
    }
}

static void store_rows(const attention *a, const attention_unit *unit, const attention_room *room)
{
    void (*narrow)(const void *, int64_t, void *) =
        routine_loops_chosen()->convolves->narrow[a->out->dtype];
    for (int64_t r = 0; r < unit->rows; ++r) {
        float *row = room->out + r * a->padded;
        int64_t at = row_offset(a, unit, a->out, r);
        char *to = (char *)a->call->addresses[a->call->noperands - 1] +
                   at * (int64_t)dtype_itemsize(a->out->dtype);
        for (int64_t j = 0; j < a->width; ++j)
            row[j] /= room->sums[r];
        if (narrow != NULL)
            narrow(row, a->width, to);
        else
            memcpy(to, row, (size_t)a->width * sizeof *row);
    }
}

/* A causal unit reads only the keys that its last query sees. With more queries than keys the first
 * ones see none, so their scores of all keys are alike. */
static void attend(const attention *a, const attention_unit *unit, const attention_room *room)
{
    int64_t seen = a->span;
    if (a->call->attributes->attention.causal && a->span >= a->length)
        seen = a->span - a->length + (unit->first + unit->rows - 1) / a->group + 1;
    pack_queries(a, unit, room);
    begin_rows(a, unit, room);
    for (int64_t first = 0; first < seen; first += MOST_KEYS)
        add_keys(a, unit, first, int64_min(seen - first, MOST_KEYS), room);
    store_rows(a, unit, room);
}

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    const attention a = describe(call);
    return a.out->size / (a.rows * a.width) * a.blocks;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    const attention a = describe(call);
    attention_room room;
    JG_TRY(room_init(&a, &room));
    for (int64_t number = first; number < last; ++number) {
        const attention_unit unit = unit_at(&a, number);
        attend(&a, &unit, &room);
    }
    base_free(room.q);
    return JG_OK;
}

/* A twelfth of an element for a term, as of matrix products; a score takes an exponential. */
static int64_t work(const routine_call *call)
{
    enum { TERM = 12, SCORE = 4 };
    const attention a = describe(call);
    int64_t scores;
    if (__builtin_mul_overflow(a.out->size / a.width, a.span, &scores) ||
        __builtin_mul_overflow(scores, (a.depth + a.width) / TERM + SCORE, &scores))
        return INT64_MAX;
    return scores;
}

const jg_routine routine_attention = {
    .name = "attention", .units = units, .run = run, .work = work};
