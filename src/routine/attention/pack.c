/* SPDX-License-Identifier: Apache-2.0 */
/* Queries, keys and values of an attention as the blocks of products take them. */
#include "routine/attention/attention_call.h"
#include <string.h>

enum { LINES = ATTENTION_LINES }; /* keys that are packed together */

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

/* The factor of the scores. */
static float factor_of(const attention *a)
{
    float factor = (float)a->call->attributes->attention.scale;
    if (a->factor != NULL)
        factor *= *attention_float(attention_address(a, a->factor, 0), 0);
    if (a->divisor != NULL)
        factor /= *attention_float(attention_address(a, a->divisor, 0), 0);
    return factor;
}

void attention_pack_queries(const attention *a, const attention_unit *unit,
                            const attention_room *room)
{
    const float factor = factor_of(a);
    const int64_t step = a->q->strides[a->q->ndim - 1];
    for (int64_t r = 0; r < unit->rows; ++r) {
        const char *from = attention_address(a, a->q, attention_row_offset(a, unit, a->q, r));
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
            int64_t at = attention_offset(a->k, unit->batch, unit->head, first + i + line);
            rows[line] = floats_of(attention_address(a, a->k, at), a->k->dtype, step, a->depth,
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
        int64_t at = attention_offset(a->v, unit->batch, unit->head, first + i);
        const float *row =
            floats_of(attention_address(a, a->v, at), a->v->dtype, step, a->width, room->lines);
        for (int64_t j = 0; j < a->width; j += a->panel) {
            int64_t part = a->width - j < a->panel ? a->width - j : a->panel;
            float *to = room->values + j * count + i * a->panel;
            memcpy(to, row + j, (size_t)part * sizeof *to);
            memset(to + part, 0, (size_t)(a->panel - part) * sizeof *to);
        }
    }
}

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
    const char *start =
        attention_address(a, a->v, attention_offset(a->v, unit->batch, unit->head, first));
    return (attention_panels){attention_float(start, 0), count, a->v->strides[a->v->ndim - 2],
                              a->panel};
}

void attention_multiply(const attention *a, const float *x, int64_t x_row,
                        const attention_panels *w, float *y, int64_t y_row, int64_t rows,
                        int64_t columns, bool adds)
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
            tile.rows = rows - row < a->products->most_rows ? rows - row : a->products->most_rows;
            tile.x = x + row * x_row;
            tile.y = y + row * y_row + column;
            a->products->multiply[tile.rows - 1][1](&tile);
        }
        tile.w = (const float *)tile.w + w->panel_step;
    }
}

void attention_pack(const attention *a, const attention_unit *unit, int64_t first, int64_t count,
                    const attention_room *room, attention_panels *keys, attention_panels *values)
{
    pack_keys(a, unit, first, count, room);
    *keys = packed(a, room->keys, a->depth);
    *values = values_of(a, unit, first, count, room);
}
