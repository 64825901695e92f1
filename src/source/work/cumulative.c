/* SPDX-License-Identifier: Apache-2.0 */
/* Running results along lines: an item walks a line in order. For LANES, where lines lie side by
 * side, it walks many of them at a time. For GROUP, where lines are few and
 * long, they are cut into blocks: items find the results of whole blocks, one for each line carries
 * them from block to block, and then each block goes on from there. Floats are carried in float64
 * where the device has it, integers in 64 bits, and rounded where they are written, as on the host.
 */
#include "source/work.h"
#include <stdio.h>
#include <string.h>

enum { FROM, TO, NBUFFERS };
enum { LINES, TOTALS, CARRY, BLOCKS }; /* the kernels */
enum { STRIPS = 1 };                   /* of LANES, beside LINES */
enum { MIN_BLOCK = 64, WORTH_LANES = 1 << 12, SCAN_STEPS = 6 };
enum { MAX_STRIP = 1024, MIN_STRIP = 8 }; /* lines of a strip */

/* The positions of words in the block. Loop 0 counts the blocks of a line. */
typedef struct scan_words {
    int length, block, lines, lead, pieces, step, start, extents, divisors, steps, offsets, count;
} scan_words;

static scan_words words_of(const device_cumulative *s)
{
    scan_words words = {0};
    int next = WORDS_FIXED;
    words.length = source_take_words(&next, 1);
    words.block = source_take_words(&next, 1);
    words.lines = source_take_words(&next, 1);
    words.lead = source_take_words(&next, 1);
    words.pieces = source_take_words(&next, 1); /* the divisor for the strips of a row of lines */
    words.step = source_take_words(&next, NBUFFERS);
    words.start = source_take_words(&next, NBUFFERS);
    words.extents = source_take_words(&next, s->ndim + 1);
    words.divisors = source_take_words(&next, s->ndim + 1);
    words.steps = source_take_words(&next, NBUFFERS * s->ndim);
    words.offsets = source_take_words(&next, NBUFFERS);
    words.count = next;
    return words;
}

static jg_dtype state_of(const device_facts *facts, const device_cumulative *s)
{
    jg_dtype dtype = (jg_dtype)s->from;
    bool compares = s->op == PROGRAM_MAXIMUM || s->op == PROGRAM_MINIMUM;
    if (dtype_is_complex((jg_dtype)s->to))
        return facts->f64 ? JG_DTYPE_COMPLEX128 : JG_DTYPE_COMPLEX64;
    if (compares)
        return dtype_is_floating(dtype) && dtype_itemsize(dtype) < 4 ? JG_DTYPE_FLOAT32 : dtype;
    if (dtype_is_floating((jg_dtype)s->to))
        return facts->f64 ? JG_DTYPE_FLOAT64 : JG_DTYPE_FLOAT32;
    return JG_DTYPE_INT64;
}

/* Whether the neutral element is an infinity: for comparisons and for log_add_exp on floats. */
static bool leads_with_infinity(const device_cumulative *s)
{
    return s->op != PROGRAM_ADD && s->op != PROGRAM_MULTIPLY && dtype_is_floating((jg_dtype)s->to);
}

static bool is_taken(const device_facts *facts, const device_cumulative *s)
{
    jg_dtype state = state_of(facts, s);
    const program_inst inst = {.op = s->op, .type = (uint8_t)state, .to = (uint8_t)state};
    return source_value_has_type(facts, (jg_dtype)s->from) &&
           source_value_has_type(facts, (jg_dtype)s->to) &&
           source_value_has_cast(facts, (jg_dtype)s->from, state) &&
           source_value_has_cast(facts, state, (jg_dtype)s->to) &&
           source_value_has_cast(facts, JG_DTYPE_INT64, (jg_dtype)s->to) &&
           (!leads_with_infinity(s) ||
            source_value_has_cast(facts, JG_DTYPE_FLOAT32, (jg_dtype)s->to)) &&
           source_value_entry(facts, &inst) >= 0;
}

/* The pieces of text with which kernels read, combine and write. */
typedef struct scan_text {
    scan_words words;
    const char *state;
    const char *truth;
    char cast[64], read[192], join[64], write[64];
} scan_text;

static scan_text text_of(source_draft *d, const device_cumulative *s)
{
    jg_dtype state = state_of(d->facts, s);
    const program_inst inst = {.op = s->op, .type = (uint8_t)state, .to = (uint8_t)state};
    scan_text text = {.words = words_of(s), .state = source_value_type(state)};
    text.truth = s->from == JG_DTYPE_BOOL ? " != 0" : "";
    source_value_cast(d, (jg_dtype)s->from, state, text.cast, sizeof text.cast);
    snprintf(text.read, sizeof text.read, "%s(AT(const %s, from + i * from_step)%s)", text.cast,
             source_value_type((jg_dtype)s->from), text.truth);
    source_value_cast(d, state, (jg_dtype)s->to, text.write, sizeof text.write);
    source_value_function(&inst, text.join, sizeof text.join);
    prelude_reach(d->reached, source_value_entry(d->facts, &inst));
    if (prelude_find(text.state) >= 0)
        source_value_needs(d, text.state);
    return text;
}

/* nloops: how many of the loops of lines have an index by now */
static void print_address(source_draft *d, const device_cumulative *s, const scan_words *words,
                          int buffer, int nloops)
{
    static const char *const declared[] = {"MEMORY uint8_t *from", "MEMORY uint8_t *to"};
    static const char *const steps[] = {"from_step", "to_step"};
    char begin[64], start[96];
    source_frame_word(d, steps[buffer], words->step + buffer);
    source_frame_buffer(d, buffer, begin, sizeof begin);
    snprintf(start, sizeof start, "%s + (int64_t)block.w[%d]", begin, words->start + buffer);
    source_frame_address(
        d, declared[buffer], start,
        &(source_steps){
            .index = "i", .first = 1, .count = nloops, .word = words->steps + buffer * s->ndim});
}

/* The elements of the item's block, which is all of the line where that is not cut. */
static void print_block(source_draft *d, const device_cumulative *s, const scan_words *words)
{
    source_index_decompose(d, "number", 0, s->ndim + 1);
    print_address(d, s, words, FROM, s->ndim);
    print_address(d, s, words, TO, s->ndim);
    source_write_line(d, "int64_t i = (int64_t)i0 * (int64_t)block.w[%d];", words->block);
    source_write_line(d,
                      "const int64_t end = LESSER(i + (int64_t)block.w[%d], "
                      "(int64_t)block.w[%d]);",
                      words->block, words->length);
    source_write_line(d, "(void)to; (void)to_step;");
}

/* With the result of no elements before that of the first one. */
static void print_store(source_draft *d, const device_cumulative *s, const scan_text *text)
{
    source_write_line(d, "AT(%s, to + (i + %d) * to_step) = %s(state);",
                      source_value_type((jg_dtype)s->to), s->initial, text->write);
}

static uint64_t lead_of(const device_cumulative *s)
{
    bool is_signed = jg_dtype_kind_of((jg_dtype)s->to) == JG_KIND_INT;
    int sign = 8 * (int)dtype_itemsize((jg_dtype)s->to) - 1;
    if (leads_with_infinity(s))
        return s->op == PROGRAM_MINIMUM ? 0x7f800000u : 0xff800000u;
    if (s->op == PROGRAM_MAXIMUM)
        return is_signed ? ~(uint64_t)0 << sign : 0;
    if (s->op == PROGRAM_MINIMUM)
        return is_signed ? ~(~(uint64_t)0 << sign) : ~(uint64_t)0;
    return s->op == PROGRAM_MULTIPLY;
}

static void print_lead(source_draft *d, const device_cumulative *s, const scan_words *words,
                       const char *before, const char *address)
{
    bool infinity = leads_with_infinity(s);
    char cast[64];
    if (!s->initial)
        return;
    source_value_cast(d, infinity ? JG_DTYPE_FLOAT32 : JG_DTYPE_INT64, (jg_dtype)s->to, cast,
                      sizeof cast);
    source_write_line(d, "%s AT(%s, %s) = %s(%sblock.w[%d]));", before,
                      source_value_type((jg_dtype)s->to), address, cast,
                      infinity ? "f32_of_bits((uint32_t)" : "((int64_t)", words->lead);
}

static void print_walk(source_draft *d, const device_cumulative *s, const scan_text *text,
                       bool stores)
{
    source_write_open(d, "for (; i < end; ++i)");
    source_write_line(d, "state = %s(state, %s);", text->join, text->read);
    if (stores)
        print_store(d, s, text);
    source_write_close(d);
}

/* goes_on: from what scratch memory has of the blocks before */
static void print_results(source_draft *d, const device_cumulative *s, const scan_text *text,
                          bool goes_on)
{
    source_write_kernel(d, goes_on ? "blocks" : "lines", NBUFFERS, goes_on,
                        d->facts->shape == DEVICE_LANES);
    source_frame_open_items(d);
    print_block(d, s, &text->words);
    print_lead(d, s, &text->words, "if (i0 == 0)", "to");
    source_write_open(d, "if (i < end)");
    if (goes_on) {
        source_write_line(d, "%s state;", text->state);
        source_write_line(d, "if (i0 > 0) state = %s(AT(%s, scratch + number * %d), %s);",
                          text->join, text->state, (int)dtype_itemsize(state_of(d->facts, s)),
                          text->read);
        source_write_line(d, "else state = %s;", text->read);
    } else {
        source_write_line(d, "%s state = %s;", text->state, text->read);
    }
    print_store(d, s, text);
    source_write_line(d, "++i;");
    print_walk(d, s, text, true);
    source_frame_close(d);
}

static void print_totals(source_draft *d, const device_cumulative *s, const scan_text *text)
{
    source_write_kernel(d, "totals", NBUFFERS, true, 0);
    source_frame_open_items(d);
    print_block(d, s, &text->words);
    source_write_line(d, "%s state = %s;", text->state, text->read);
    source_write_line(d, "++i;");
    print_walk(d, s, text, false);
    source_write_line(d, "AT(%s, scratch + (int64_t)number * %d) = state;", text->state,
                      (int)dtype_itemsize(state_of(d->facts, s)));
    source_frame_close(d);
}

/* Each block's result becomes that of all blocks before it; the first block has none. */
static void print_carry(source_draft *d, const device_cumulative *s, const scan_text *text)
{
    int nbytes = (int)dtype_itemsize(state_of(d->facts, s));
    source_write_kernel(d, "carry", NBUFFERS, true, 0);
    source_frame_open_items(d);
    source_frame_word(d, "lines", text->words.lines);
    source_write_line(d, "MEMORY uint8_t *at = scratch + (int64_t)number * %d;", nbytes);
    source_write_line(d, "%s state = AT(%s, at);", text->state, text->state);
    source_write_open(d, "for (int64_t k = 1; k < (int64_t)block.w[%d]; ++k)", text->words.extents);
    source_write_line(d, "at += lines * %d;", nbytes);
    source_write_line(d, "const %s next = AT(%s, at);", text->state, text->state);
    source_write_line(d, "AT(%s, at) = state;", text->state);
    source_write_line(d, "state = %s(state, next);", text->join);
    source_frame_close(d);
}

/* Prints one element of each of the strip's lines. The arguments tell the bytes from one line to
 * the next in either buffer. */
static void print_row(source_draft *d, const device_cumulative *s, const scan_text *text,
                      bool is_first, const char *from_apart, const char *to_apart)
{
    char value[192];
    snprintf(value, sizeof value, "%s(AT(const %s, x + l * %s)%s)", text->cast,
             source_value_type((jg_dtype)s->from), from_apart, text->truth);
    source_write_open(d, "LANES for (int l = 0; l < count; ++l)");
    if (is_first)
        source_write_line(d, "state[l] = %s;", value);
    else
        source_write_line(d, "state[l] = %s(state[l], %s);", text->join, value);
    source_write_line(d, "AT(%s, y + l * %s) = %s(state[l]);", source_value_type((jg_dtype)s->to),
                      to_apart, text->write);
    source_write_close(d);
}

static void print_rows(source_draft *d, const device_cumulative *s, const scan_text *text,
                       const char *from_apart, const char *to_apart)
{
    source_write_open(d, "for (int64_t i = 0; i < length; ++i)");
    source_write_line(d, "MEMORY const uint8_t *const x = from + i * from_step;");
    source_write_line(d, "MEMORY uint8_t *const y = to + (i + %d) * to_step;", s->initial);
    source_write_open(d, "if (i > 0)");
    print_row(d, s, text, false, from_apart, to_apart);
    source_write_close(d);
    source_write_open(d, "else");
    print_row(d, s, text, true, from_apart, to_apart);
    source_write_close(d);
    source_write_close(d);
}

static void print_strip_address(source_draft *d, const device_cumulative *s,
                                const scan_words *words, int buffer, const char *apart)
{
    print_address(d, s, words, buffer, s->ndim - 1);
    source_frame_word(d, apart, words->steps + buffer * s->ndim + s->ndim - 1);
}

/* For LANES: lines of the last loop, where they are dense in both buffers as vectors. */
static void print_strips(source_draft *d, const device_cumulative *s, const scan_text *text)
{
    const scan_words *words = &text->words;
    char sizes[NBUFFERS][16];
    snprintf(sizes[FROM], sizeof sizes[FROM], "%d", (int)dtype_itemsize((jg_dtype)s->from));
    snprintf(sizes[TO], sizeof sizes[TO], "%d", (int)dtype_itemsize((jg_dtype)s->to));
    source_write_kernel(d, "strips", NBUFFERS, false, 1);
    source_write_line(d, "%s state[%d];", text->state, MAX_STRIP);
    source_frame_word(d, "length", words->length);
    source_frame_open_pieces(d, words->pieces, words->extents + s->ndim);
    source_index_decompose(d, "line", 1, s->ndim);
    print_strip_address(d, s, words, FROM, "from_apart");
    print_strip_address(d, s, words, TO, "to_apart");
    source_write_line(d, "const int count = (int)(end - start);");
    source_write_line(d, "from += start * from_apart;");
    source_write_line(d, "to += start * to_apart;");
    print_lead(d, s, words, "for (int l = 0; l < count; ++l)", "to + l * to_apart");
    source_write_open(d, "if (from_apart == %s && to_apart == %s)", sizes[FROM], sizes[TO]);
    print_rows(d, s, text, sizes[FROM], sizes[TO]);
    source_write_close(d);
    source_write_open(d, "else");
    print_rows(d, s, text, "from_apart", "to_apart");
    source_frame_close(d);
}

static void print(source_draft *d, const device_work *work, source_form *form)
{
    const device_cumulative *s = work->cumulative;
    const scan_words words = words_of(s);
    source_frame_begin(d, form,
                       &(source_frame){.style = STYLE_CUMULATIVE,
                                       .ndim = s->ndim + 1,
                                       .nbuffers = NBUFFERS,
                                       .is_narrow = s->is_narrow,
                                       .extents = words.extents,
                                       .divisors = words.divisors,
                                       .offsets = words.offsets,
                                       .nwords = words.count});
    const scan_text text = text_of(d, s);
    print_results(d, s, &text, false);
    if (d->facts->shape == DEVICE_LANES) {
        print_strips(d, s, &text);
        return;
    }
    print_totals(d, s, &text);
    print_carry(d, s, &text);
    print_results(d, s, &text, true);
}

/* How a launch is cut. */
typedef struct scan_cut {
    int64_t lines, blocks, block;
} scan_cut;

static scan_cut cut_of(const device_facts *facts, const device_cumulative *s)
{
    scan_cut cut = {.lines = 1, .blocks = 1};
    for (int loop = 0; loop < s->ndim; ++loop)
        cut.lines *= s->extents[loop];
    if (facts->shape == DEVICE_GROUP) {
        int64_t items = (int64_t)facts->compute_units * source_group(facts);
        int64_t most = s->length / MIN_BLOCK;
        cut.blocks = int64_min(items / cut.lines, most);
    }
    cut.blocks = int64_max(cut.blocks, 1);
    cut.block = s->length > 0 ? ceil_div(s->length, cut.blocks) : 1;
    cut.blocks = s->length > 0 ? ceil_div(s->length, cut.block) : 1;
    return cut;
}

static void fill(uint64_t *to, const device_cumulative *s, const scan_cut *cut)
{
    const scan_words words = words_of(s);
    to[words.length] = (uint64_t)s->length;
    to[words.block] = (uint64_t)cut->block;
    to[words.lines] = (uint64_t)cut->lines;
    to[words.lead] = lead_of(s);
    source_fill_loops(to, words.extents, words.divisors, 1, &cut->blocks);
    source_fill_loops(to, words.extents + 1, words.divisors + 1, s->ndim, s->extents);
    for (int b = 0; b < NBUFFERS; ++b) {
        to[words.step + b] = (uint64_t)s->step[b];
        to[words.start + b] = (uint64_t)s->start[b];
        source_fill_words(to + words.steps + b * s->ndim, s->ndim, s->steps[b]);
    }
}

static void add_lanes(const device_facts *facts, device_launch *launch, const device_cumulative *s,
                      const scan_cut *cut)
{
    int64_t items = source_lane_items(facts, cut->lines * s->length, WORTH_LANES);
    int64_t run = ceil_div(cut->lines, items);
    uint64_t *words =
        source_launch_add(launch, words_of(s).count, LINES, ceil_div(cut->lines, run), 1)->words;
    words[WORD_RUN] = (uint64_t)run;
    words[WORD_COUNT] = (uint64_t)cut->lines;
}

/* Whether lines of the last loop are nearer to each other than elements of a line. */
static bool is_across(const device_cumulative *s)
{
    int last = s->ndim - 1;
    int64_t apart = s->steps[FROM][last], step = s->step[FROM];
    apart = apart < 0 ? -apart : apart;
    step = step < 0 ? -step : step;
    return s->length > 1 && s->extents[last] >= MIN_STRIP && apart < step;
}

static void add_strips(const device_facts *facts, device_launch *launch, const device_cumulative *s,
                       const scan_cut *cut)
{
    const scan_words words = words_of(s);
    int64_t inner = s->extents[s->ndim - 1], rows = cut->lines / inner;
    int64_t strips = rows < facts->compute_units ? ceil_div(facts->compute_units, rows) : 1;
    int64_t strip = round_up(ceil_div(inner, strips), MIN_STRIP);
    strip = int64_min(strip, MAX_STRIP);
    source_launch_add_pieces(facts, launch, words.count, STRIPS,
                             &(source_pieces){.lines = rows,
                                              .extent = inner,
                                              .length = strip,
                                              .worth = ceil_div(WORTH_LANES, strip * s->length),
                                              .divisor = words.pieces});
}

static jg_status arrange(const source_text *text, const device_work *work, device_launch **out)
{
    const device_facts *facts = text->facts;
    const device_cumulative *s = work->cumulative;
    const scan_cut cut = cut_of(facts, s);
    int nwords = words_of(s).count;
    device_launch *launch = NULL;
    JG_TRY(source_launch_begin(SCAN_STEPS, nwords, &launch));
    fill(launch->words, s, &cut);
    if (facts->shape == DEVICE_LANES && is_across(s)) {
        add_strips(facts, launch, s, &cut);
    } else if (facts->shape == DEVICE_LANES) {
        add_lanes(facts, launch, s, &cut);
    } else if (cut.blocks == 1) {
        source_launch_add_exact(facts, launch, nwords, LINES, 0, cut.lines, 1);
    } else {
        launch->scratch_nbytes =
            (size_t)(cut.lines * cut.blocks) * dtype_itemsize(state_of(facts, s));
        source_launch_add_exact(facts, launch, nwords, TOTALS, 0, cut.lines * cut.blocks, 1);
        source_launch_add_exact(facts, launch, nwords, CARRY, 0, cut.lines, 1);
        source_launch_add_exact(facts, launch, nwords, BLOCKS, 0, cut.lines * cut.blocks, 1);
    }
    *out = launch;
    return JG_OK;
}

static bool fits(const device_facts *facts, const source_form *form, const device_work *work)
{
    (void)facts;
    return form->style == STYLE_CUMULATIVE && form->ndim == work->cumulative->ndim + 1;
}

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    const device_cumulative *s = work->cumulative;
    return is_taken(facts, s) ||
           source_refuse(refusal, -1, "running results by %s of %s cannot be printed",
                         program_inst_rows[s->op].name, dtype_rows[s->from].name);
}

static void reach(prelude_set *reached, const device_work *work)
{
    source_reach_type(reached, (jg_dtype)work->cumulative->from);
    source_reach_type(reached, (jg_dtype)work->cumulative->to);
}

const source_work source_work_cumulative = {
    .takes = takes,
    .reach = reach,
    .print = print,
    .fits = fits,
    .arrange = arrange,
};
