/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of a result that index arrays lead to. Columns are the loops along which updates never
 * meet, rows the others: an item walks all rows of its columns in order, so that an element that is
 * named twice takes both updates as it would on the host. For LANES an item has a piece of the
 * innermost column loop for each row, for GROUP one column. There, items share a column by the
 * first array's numbers where columns are few: each looks at all rows and takes those whose numbers
 * are of its part. For LANES that does not pay, as it is a branch that is not foreseen. */
#include "source/work.h"
#include <stdio.h>

enum { WORTH_LANES = 1 << 13, GROUPS_PER_UNIT = 4 };

enum {
    RESULT = DEVICE_SCATTER_RESULT,
    UPDATES = DEVICE_SCATTER_UPDATES,
    ARRAYS = DEVICE_SCATTER_BUFFERS
};

/* The positions of words in the block. Loop 0 of the columns counts the parts. */
typedef struct scatter_words {
    int part, extents, divisors, rows, target, column_steps, row_steps, numbers, offsets, count;
} scatter_words;

static scatter_words words_of(const device_scatter *s)
{
    scatter_words words = {.part = WORDS_FIXED, .extents = WORDS_FIXED + 1};
    words.divisors = words.extents + s->ndim + 1;
    words.rows = words.divisors + s->ndim + 1;
    words.target = words.rows + s->ndim;
    words.column_steps = words.target + s->ndim;
    words.row_steps = words.column_steps + s->ndim * (s->narrays + 1);
    words.numbers = words.row_steps + s->ndim * (s->narrays + 1);
    words.offsets = words.numbers + 2 * s->narrays;
    words.count = words.offsets + ARRAYS + s->narrays;
    return words;
}

/* source: 0 for the updates, and then one for each index array. */
static int step_word(const device_scatter *s, int first, int source, int loop)
{
    return first + source * s->ndim + loop;
}

/* Halves are joined as float32 and rounded, as programs do it. */
static bool is_half(const device_scatter *s)
{
    return s->op != PROGRAM_COPY && dtype_is_floating((jg_dtype)s->dtype) &&
           dtype_itemsize((jg_dtype)s->dtype) < sizeof(float);
}

static program_inst combination(const device_scatter *s)
{
    uint8_t type = is_half(s) ? JG_DTYPE_FLOAT32 : s->dtype;
    return (program_inst){.op = s->op, .type = type, .to = type};
}

static program_inst cast_of(uint8_t from, uint8_t to)
{
    return (program_inst){.op = PROGRAM_CAST, .type = from, .to = to};
}

static bool is_taken(const device_facts *facts, const device_scatter *s)
{
    const program_inst inst = combination(s), widens = cast_of(s->dtype, JG_DTYPE_FLOAT32),
                       rounds = cast_of(JG_DTYPE_FLOAT32, s->dtype);
    if (is_half(s) &&
        (source_value_entry(facts, &widens) < 0 || source_value_entry(facts, &rounds) < 0))
        return false;
    return source_value_has_type(facts, (jg_dtype)s->dtype) &&
           (s->op == PROGRAM_COPY || source_value_entry(facts, &inst) >= 0);
}

/* Addresses of the columns: to of the result, c0 of the updates, c1 and on of the arrays. ndim: how
 * many of the column loops have an index by now */
static void print_bases(source_draft *d, const device_scatter *s, const scatter_words *words,
                        int ndim)
{
    source_steps steps = {.index = "i", .first = 1, .count = ndim, .word = words->target};
    char from[64], declared[64];
    source_frame_buffer(d, RESULT, from, sizeof from);
    source_frame_address(d, "MEMORY uint8_t *const to", from, &steps);
    for (int b = 0; b <= s->narrays; ++b) {
        snprintf(declared, sizeof declared, "MEMORY const uint8_t *const c%d", b);
        source_frame_buffer(d, UPDATES + b, from, sizeof from);
        steps.word = step_word(s, words->column_steps, b, 0);
        source_frame_address(d, declared, from, &steps);
    }
}

static void open_rows(source_draft *d, const device_scatter *s, const scatter_words *words)
{
    for (int loop = 0; loop < s->ndim; ++loop)
        source_write_open(d, "for (int64_t r%d = 0; r%d < (int64_t)block.w[%d]; ++r%d)", loop, loop,
                          words->rows + loop, loop);
    for (int b = 0; b <= s->narrays; ++b) {
        const source_steps steps = {
            .index = "r", .count = s->ndim, .word = step_word(s, words->row_steps, b, 0)};
        char from[64], declared[64];
        snprintf(declared, sizeof declared, "MEMORY const uint8_t *const u%d", b);
        snprintf(from, sizeof from, "c%d", b);
        source_frame_address(d, declared, from, &steps);
    }
}

/* Numbers are in range when the launch begins, but memory of others may change in between. */
static void print_numbers(source_draft *d, const device_scatter *s, const scatter_words *words,
                          bool steps)
{
    for (int k = 0; k < s->narrays; ++k) {
        const char *type = source_value_type((jg_dtype)s->array_dtypes[k]);
        int extent = words->numbers + 2 * k;
        char number[64];
        snprintf(number, sizeof number, steps ? "u%d + j * (int64_t)block.w[%d]" : "u%d", k + 1,
                 step_word(s, words->column_steps, k + 1, s->ndim - 1));
        source_write_line(d, "int64_t n%d = (int64_t)AT(const %s, %s);", k, type, number);
        source_write_line(d, "n%d += n%d < 0 ? (int64_t)block.w[%d] : 0;", k, k, extent);
        source_write_line(d, "n%d = n%d < 0 ? 0 : LESSER(n%d, (int64_t)block.w[%d] - 1);", k, k, k,
                          extent);
    }
    if (s->narrays > 0 && d->facts->shape == DEVICE_GROUP)
        source_write_line(d, "if (n0 < low || n0 >= high) continue;");
    text_add(d->out, "%*sMEMORY uint8_t *const at = to", 4 * d->depth, "");
    for (int k = 0; k < s->narrays; ++k)
        text_add(d->out, " + n%d * (int64_t)block.w[%d]", k, words->numbers + 2 * k + 1);
    text_add(d->out, ";\n");
}

/* The function of an instruction, which the text then has. */
static void use_function(source_draft *d, const program_inst *inst, char *out, size_t nbytes)
{
    source_value_function(inst, out, nbytes);
    prelude_reach(d->reached, source_value_entry(d->facts, inst));
}

static void print_joined(source_draft *d, const device_scatter *s, const char *to)
{
    const program_inst inst = combination(s);
    const char *type = source_value_type((jg_dtype)s->dtype);
    char function[64], widens[64], rounds[64];
    use_function(d, &inst, function, sizeof function);
    if (!is_half(s)) {
        source_write_line(d, "AT(%s, %s) = %s(x, y);", type, to, function);
        return;
    }
    const program_inst up = cast_of(s->dtype, JG_DTYPE_FLOAT32),
                       down = cast_of(JG_DTYPE_FLOAT32, s->dtype);
    use_function(d, &up, widens, sizeof widens);
    use_function(d, &down, rounds, sizeof rounds);
    source_write_line(d, "AT(%s, %s) = %s(%s(%s(x), %s(y)));", type, to, rounds, function, widens,
                      widens);
}

/* In foreign memory, any byte but 0 is true. */
static void print_update(source_draft *d, const device_scatter *s, const char *to, const char *from)
{
    const char *type = source_value_type((jg_dtype)s->dtype);
    const char *truth = s->dtype == JG_DTYPE_BOOL ? " != 0" : "";
    if (s->op == PROGRAM_COPY) {
        source_write_line(d, "AT(%s, %s) = AT(const %s, %s);", type, to, type, from);
        return;
    }
    source_write_line(d, "const %s x = AT(const %s, %s)%s;", type, type, to, truth);
    source_write_line(d, "const %s y = AT(const %s, %s)%s;", type, type, from, truth);
    print_joined(d, s, to);
}

/* Columns first to last - 1 of the innermost column loop. */
static void print_piece(source_draft *d, const device_scatter *s, const scatter_words *words)
{
    int inner = s->ndim - 1;
    char to[64], from[64];
    snprintf(to, sizeof to, "at + j * (int64_t)block.w[%d]", words->target + inner);
    snprintf(from, sizeof from, "u0 + j * (int64_t)block.w[%d]",
             step_word(s, words->column_steps, 0, inner));
    if (!s->varies)
        print_numbers(d, s, words, false);
    source_write_open(d, "%sfor (int64_t j = first; j < last; ++j)", s->varies ? "" : "LANES ");
    if (s->varies)
        print_numbers(d, s, words, true);
    print_update(d, s, to, from);
    source_write_close(d);
}

static void print_part(source_draft *d, const scatter_words *words)
{
    source_write_line(d, "const int64_t low = (int64_t)i0 * (int64_t)block.w[%d];", words->part);
    source_write_line(d, "const int64_t high = low + (int64_t)block.w[%d];", words->part);
}

static void print_lanes(source_draft *d, const device_scatter *s, const scatter_words *words)
{
    source_write_kernel(d, "scatter", ARRAYS + s->narrays, false, 1);
    source_frame_chunk(d, words->extents + s->ndim);
    source_frame_open_lines(d, s->ndim);
    print_bases(d, s, words, s->ndim - 1);
    open_rows(d, s, words);
    print_piece(d, s, words);
    source_frame_close(d);
}

static void print_group(source_draft *d, const device_scatter *s, const scatter_words *words)
{
    source_write_kernel(d, "scatter", ARRAYS + s->narrays, false, 0);
    source_frame_number(d);
    source_index_decompose(d, "number", 0, s->ndim + 1);
    print_part(d, words);
    print_bases(d, s, words, s->ndim);
    open_rows(d, s, words);
    print_numbers(d, s, words, false);
    print_update(d, s, "at", "u0");
    source_frame_close(d);
}

static void print(source_draft *d, const device_work *work, source_form *form)
{
    const device_scatter *s = work->scatter;
    const scatter_words words = words_of(s);
    source_frame_begin(d, form,
                       &(source_frame){.style = STYLE_SCATTER,
                                       .ndim = s->ndim + 1,
                                       .nbuffers = ARRAYS + s->narrays,
                                       .is_narrow = s->is_narrow,
                                       .extents = words.extents,
                                       .divisors = words.divisors,
                                       .offsets = words.offsets,
                                       .nwords = words.count});
    if (d->facts->shape == DEVICE_LANES)
        print_lanes(d, s, &words);
    else
        print_group(d, s, &words);
}

static int64_t product_of(int count, const int64_t *extents)
{
    int64_t product = 1;
    for (int i = 0; i < count; ++i)
        product *= extents[i];
    return product;
}

/* How a launch is cut. */
typedef struct scatter_cut {
    int64_t columns, inner, rows;
    int64_t items, parts, part; /* part: numbers of each */
} scatter_cut;

static scatter_cut cut_of(const device_facts *facts, const device_scatter *s)
{
    bool lanes = facts->shape == DEVICE_LANES;
    scatter_cut cut = {.columns = product_of(s->ndim, s->columns),
                       .inner = s->columns[s->ndim - 1],
                       .rows = product_of(s->ndim, s->rows)};
    cut.items = lanes ? source_lane_items(facts, cut.columns * cut.rows, WORTH_LANES)
                      : (int64_t)facts->compute_units * GROUPS_PER_UNIT * source_group(facts);
    int64_t extent = s->narrays > 0 ? s->numbers[0].extent : 1;
    cut.parts =
        lanes ? 1 : int64_clamp(cut.items / cut.columns, 1, int64_clamp(extent, 1, cut.rows));
    cut.part = ceil_div(extent, cut.parts);
    cut.parts = ceil_div(extent, cut.part);
    return cut;
}

static void fill(uint64_t *to, const device_scatter *s, const scatter_cut *cut)
{
    const scatter_words words = words_of(s);
    to[words.part] = (uint64_t)cut->part;
    source_fill_loops(to, words.extents, words.divisors, 1, &cut->parts);
    source_fill_loops(to, words.extents + 1, words.divisors + 1, s->ndim, s->columns);
    source_fill_words(to + words.rows, s->ndim, s->rows);
    source_fill_words(to + words.target, s->ndim, s->target);
    for (int b = 0; b <= s->narrays; ++b) {
        source_fill_words(to + step_word(s, words.column_steps, b, 0), s->ndim,
                          s->steps[b].columns);
        source_fill_words(to + step_word(s, words.row_steps, b, 0), s->ndim, s->steps[b].rows);
    }
    for (int k = 0; k < s->narrays; ++k) {
        to[words.numbers + 2 * k] = (uint64_t)s->numbers[k].extent;
        to[words.numbers + 2 * k + 1] = (uint64_t)s->numbers[k].stride;
    }
}

static jg_status arrange(const source_text *text, const device_work *work, device_launch **out)
{
    const device_facts *facts = text->facts;
    const device_scatter *s = work->scatter;
    int nwords = words_of(s).count;
    const scatter_cut cut = cut_of(facts, s);
    device_launch *launch = NULL;
    JG_TRY(source_launch_begin(2, nwords, &launch));
    fill(launch->words, s, &cut);
    if (facts->shape == DEVICE_LANES)
        source_launch_add_chunks(launch, nwords, cut.parts * (cut.columns / cut.inner), cut.inner,
                                 cut.items);
    else
        source_launch_add_exact(facts, launch, nwords, 0, 0, cut.parts * cut.columns, 1);
    *out = launch;
    return JG_OK;
}

static bool fits(const device_facts *facts, const source_form *form, const device_work *work)
{
    (void)facts;
    return form->style == STYLE_SCATTER && form->ndim == work->scatter->ndim + 1;
}

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    const device_scatter *s = work->scatter;
    int count = DEVICE_SCATTER_BUFFERS + s->narrays + 1; /* the block */
    if (!is_taken(facts, s))
        return source_refuse(refusal, -1, "%s of %s cannot be printed",
                             program_inst_rows[s->op].name, dtype_rows[s->dtype].name);
    return count <= facts->max_buffers ||
           source_refuse(refusal, -1, "%d buffers: the device's kernels have up to %d", count,
                         facts->max_buffers);
}

static void reach(prelude_set *reached, const device_work *work)
{
    source_reach_type(reached, (jg_dtype)work->scatter->dtype);
}

const source_work source_work_scatter = {
    .takes = takes,
    .reach = reach,
    .print = print,
    .fits = fits,
    .arrange = arrange,
};
