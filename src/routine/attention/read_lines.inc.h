/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of read_loops.c for one dtype, of elements ELEMENT, whose functions end in NAME. */

/* The last elements of a line: less than LANES, then zeros. */
INLINE vec NAME(some_lanes)(const ELEMENT *from, int64_t count)
{
    ELEMENT lanes[LANES] = {0};
    memcpy(lanes, from, (size_t)count * sizeof *lanes);
    return NAME(lanes_of)(lanes);
}

/* Adds LANES elements of each line, from i on, times those of the rows. The last may be fewer. */
INLINE void NAME(add_products)(const attention_lines *call, const ELEMENT *line, const float *x,
                               int64_t i, const int rows, const int lines, vec sums[][LINES])
{
    vec elements[LINES];
    const int64_t left = call->length - i;
    for (int j = 0; j < lines; ++j) {
        const ELEMENT *at = line + j * call->step + i;
        elements[j] = left >= LANES ? NAME(lanes_of)(at) : NAME(some_lanes)(at, left);
    }
    for (int r = 0; r < rows; ++r) {
        const float *at = x + r * call->x_row + i;
        const vec factor = left >= LANES ? load(at) : some_lanes_FLOAT32(at, left);
        for (int j = 0; j < lines; ++j)
            sums[r][j] = multiply_add(elements[j], factor, sums[r][j]);
    }
}

/* rows and lines are constants to the compiler, so that all sums are in registers. */
INLINE void NAME(dots_of)(const attention_lines *call, int64_t row, int64_t line, const int rows,
                          const int lines)
{
    const ELEMENT *from = (const ELEMENT *)call->lines + line * call->step;
    const float *x = call->x + row * call->x_row;
    vec sums[ROWS][LINES] = {0};
    int64_t i = 0;
    for (; i + LANES <= call->length; i += LANES)
        NAME(add_products)(call, from, x, i, rows, lines, sums);
    if (i < call->length)
        NAME(add_products)(call, from, x, i, rows, lines, sums);
    for (int r = 0; r < rows; ++r) {
        float *to = call->to + (row + r) * call->to_row + line;
        if (lines == LINES) {
            const quad four = sums_of_four(sums[r]);
            memcpy(to, &four, sizeof four);
        } else {
            *to = sum_of_quad(quad_of(sums[r][0]));
        }
    }
}

INLINE void NAME(dots_of_rows)(const attention_lines *call, int64_t row, const int rows)
{
    int64_t line = 0;
    for (; line + LINES <= call->count; line += LINES) {
        for (int j = 0; j < LINES && call->ahead != NULL && row == 0; ++j)
            fetch_line(call, line + j);
        NAME(dots_of)(call, row, line, rows, LINES);
    }
    for (; line < call->count; ++line)
        NAME(dots_of)(call, row, line, rows, 1);
}

static void NAME(dots)(const attention_lines *call)
{
    int64_t row = 0;
    for (; row + ROWS <= call->rows; row += ROWS)
        NAME(dots_of_rows)(call, row, ROWS);
    for (; row < call->rows; ++row)
        NAME(dots_of_rows)(call, row, 1);
}

/* Some vectors of the columns of some rows; of one vector, fewer than all lanes may be there. */
INLINE void NAME(blend_of)(const attention_lines *call, int64_t row, int64_t column, const int rows,
                           const int vectors, bool is_whole)
{
    const bool fetches = call->ahead != NULL && row == 0 && column == 0;
    const ELEMENT *from = (const ELEMENT *)call->lines + column;
    const float *x = call->x + row * call->x_row;
    float *to = call->to + row * call->to_row + column;
    vec sums[ROWS][VECTORS], elements[VECTORS];
    for (int r = 0; r < rows; ++r)
        for (int v = 0; v < vectors; ++v)
            sums[r][v] = call->adds ? load(to + r * call->to_row + v * LANES) : (vec){0};
    for (int64_t j = 0; j < call->count; ++j, from += call->step, ++x) {
        if (fetches)
            fetch_line(call, j);
        for (int v = 0; v < vectors; ++v)
            elements[v] = is_whole ? NAME(lanes_of)(from + v * LANES)
                                   : NAME(some_lanes)(from, call->length - column);
        for (int r = 0; r < rows; ++r) {
            const vec factor = spread(x[r * call->x_row]);
            for (int v = 0; v < vectors; ++v)
                sums[r][v] = multiply_add(elements[v], factor, sums[r][v]);
        }
    }
    for (int r = 0; r < rows; ++r)
        for (int v = 0; v < vectors; ++v)
            memcpy(to + r * call->to_row + v * LANES, &sums[r][v], sizeof(vec));
}

INLINE void NAME(blend_rows)(const attention_lines *call, int64_t row, const int rows)
{
    int64_t column = 0;
    for (; column + VECTORS * LANES <= call->length; column += VECTORS * LANES)
        NAME(blend_of)(call, row, column, rows, VECTORS, true);
    for (; column + LANES <= call->length; column += LANES)
        NAME(blend_of)(call, row, column, rows, 1, true);
    if (column < call->length)
        NAME(blend_of)(call, row, column, rows, 1, false);
}

static void NAME(blend)(const attention_lines *call)
{
    int64_t row = 0;
    for (; row + ROWS <= call->rows; row += ROWS)
        NAME(blend_rows)(call, row, ROWS);
    for (; row < call->rows; ++row)
        NAME(blend_rows)(call, row, 1);
}

static const attention_reader NAME(reader) = {NAME(dots), NAME(blend)};
