/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of programs that reduce. A row is passed over once for each level of nested reductions,
 * and once more if elements are stored that depend on the last; before each pass come the values
 * that the row has one of.
 *
 * ALONG and STRIP keep accumulators in arrays that become vector registers: of elements of one row,
 * or of rows side by side. ALONG keeps what is dear, such as exp, of short rows for the passes that
 * need it again. In GROUP the items of a group share a row and add up in a tree; in ROW
 * each item has a row of its own. Where rows are few and long, each pass is a kernel, in which
 * several items or groups share a row: what they accumulate goes through scratch memory, and each
 * kernel that needs the result combines the parts in their order. */
#include "source/draft.h"
#include <stdio.h>

static int kept_loops(const source_draft *d)
{
    return d->form->ndim - d->form->nreduced;
}

static bool is_strip(const source_draft *d)
{
    return d->form->style == STYLE_STRIP;
}

static const char *index_type(const source_draft *d)
{
    return d->form->is_narrow ? "int32_t" : "int64_t";
}

typedef void position_step(source_draft *d, int position);

static void each_reduction(source_draft *d, int pass, position_step *step)
{
    for (int p = 0; p < d->program->ninsts; ++p)
        if (source_value_is_reduced_in(d, p, pass))
            step(d, p);
}

static bool reduces_in(const source_draft *d, int pass)
{
    for (int p = 0; p < d->program->ninsts; ++p)
        if (source_value_is_reduced_in(d, p, pass))
            return true;
    return false;
}

/* For a strip, opens a loop over its rows. */
static void open_lanes(source_draft *d)
{
    if (!is_strip(d))
        return;
    source_write_open(d, "LANES for (int l = 0; l < width; ++l)");
    source_write_line(d, "const int64_t j = column + l;");
    source_write_line(d, "(void)j;");
}

static void close_lanes(source_draft *d)
{
    if (is_strip(d))
        source_write_close(d);
}

/* Values per row that come after `level` reductions. */
static void print_row_values(source_draft *d, int level)
{
    bool opened = false;
    for (int p = 0; p < d->program->ninsts; ++p) {
        const program_inst *inst = &d->program->insts[p];
        char address[96] = "";
        if (d->ranks[p] != RANK_ROW || d->levels[p] != level || inst->op == PROGRAM_STORE ||
            program_is_reduction((program_op)inst->op))
            continue;
        if (!opened)
            open_lanes(d);
        opened = true;
        if (source_has_address((program_op)inst->op))
            source_index_address(d, inst->buffer, "b", address, sizeof address);
        source_value_print(d, p, address);
    }
    if (opened)
        close_lanes(d);
}

static void declare_row_arrays(source_draft *d)
{
    for (int p = 0; is_strip(d) && p < d->program->ninsts; ++p)
        if (d->ranks[p] == RANK_ROW && d->program->insts[p].op != PROGRAM_STORE)
            source_write_line(d, "%s v%d[%d];",
                              source_value_type((jg_dtype)d->program->insts[p].to), p, STRIP_LANES);
}

static void declare(source_draft *d, int position)
{
    int nlanes = is_strip(d) ? STRIP_LANES : d->form->style == STYLE_ALONG ? ALONG_LANES : 0;
    source_reduction_declare(d, position, nlanes);
}

static const char *lane_of_style(const source_draft *d)
{
    return is_strip(d) || d->form->style == STYLE_ALONG ? "[l]" : "";
}

static void step(source_draft *d, int position)
{
    source_reduction_step(d, position, lane_of_style(d));
}

static void print_element(source_draft *d, int pass)
{
    source_index_body(d, "c", pass == d->store_pass);
    each_reduction(d, pass, step);
    source_value_keep(d);
}

static void join_part(source_draft *d, int position)
{
    source_reduction_part_join(d, position, "[l]");
}

/* How many elements of a lane the pass adds up in their own dtype; 0 where it does not only add up
 * what takes little text. */
static int part_length(const source_draft *d, int pass)
{
    int count = 0, ndear = 0;
    for (int p = 0; p < d->program->ninsts; ++p) {
        const program_inst *inst = &d->program->insts[p];
        if (source_value_is_reduced_in(d, p, pass) && !source_reduction_has_parts(d->facts, inst))
            return 0;
        ndear += d->wanted[p] && source_value_is_dear(inst);
        count += d->wanted[p];
    }
    if (count > PART_VALUES || ndear > 1)
        return 0;
    return ndear > 0 ? DEAR_PART_LENGTH : PART_LENGTH;
}

/* Successive vectors are added up, so memory is read in order. */
static void print_parts(source_draft *d, int pass, const char *last, int each)
{
    int length = ALONG_LANES * each;
    source_write_open(d, "for (; start + %d <= %s; start += %d)", length, last, length);
    source_write_open(d, "for (int first = 0; first < %d; first += %d)", ALONG_LANES, PART_LANES);
    source_write_open(d, "%s for (int k = 0; k < %d; ++k)", source_value_lanes(d), PART_LANES);
    source_write_line(d, "const int l = first + k;");
    each_reduction(d, pass, source_reduction_part_declare);
    source_write_open(d, "UNROLL for (int u = 0; u < %d; ++u)", each);
    source_write_line(d, "const int64_t j = start + first * %d + u * %d + k;", each, PART_LANES);
    source_index_body(d, "c", pass == d->store_pass);
    each_reduction(d, pass, source_reduction_part_step);
    source_value_keep(d);
    source_write_close(d);
    each_reduction(d, pass, join_part);
    source_write_close(d);
    source_write_close(d);
    source_write_close(d);
}

/* Whole vectors of lanes, then what is left of the row. */
static void print_along(source_draft *d, int pass, const char *first, const char *last)
{
    if (!reduces_in(d, pass)) {
        source_write_open(d, "LANES for (int64_t j = %s; j < %s; ++j)", first, last);
        print_element(d, pass);
        source_write_close(d);
        return;
    }
    int each = part_length(d, pass);
    source_write_line(d, "int64_t start = %s;", first);
    if (each > 0)
        print_parts(d, pass, last, each);
    source_write_open(d, "for (; start + %d <= %s; start += %d)", ALONG_LANES, last, ALONG_LANES);
    source_write_open(d, "%s for (int l = 0; l < %d; ++l)", source_value_lanes(d), ALONG_LANES);
    source_write_line(d, "const int64_t j = start + l;");
    print_element(d, pass);
    source_write_close(d);
    source_write_close(d);
    source_write_line(d, "const int rest = (int)(%s - start);", last);
    source_write_open(d, "LANES for (int l = 0; l < rest; ++l)");
    source_write_line(d, "const int64_t j = start + l;");
    print_element(d, pass);
    source_write_close(d);
}

static void print_lane_loop(source_draft *d, int pass, const char *first, const char *last)
{
    switch (d->form->style) {
    case STYLE_ALONG: print_along(d, pass, first, last); return;
    case STYLE_STRIP: open_lanes(d); break;
    case STYLE_GROUP:
        source_write_open(d, "for (%s j = %s + ITEM_ID; j < %s; j += %d)", index_type(d), first,
                          last, source_group(d->facts));
        break;
    default:
        source_write_open(d, "for (%s j = %s; j < %s; ++j)", index_type(d), first, last);
        break;
    }
    print_element(d, pass);
    source_write_close(d);
}

/* For adjacent rows: the values of `each` iterations of the innermost loop are added up for a row
 * before its accumulator is loaded and stored. The remaining iterations follow from `start` on. */
static void print_strip_parts(source_draft *d, int pass, int each, const char *begin,
                              const char *end)
{
    int loop = d->form->ndim - 1;
    source_write_line(d, "int64_t start = %s;", begin);
    source_write_open(d, "for (; start + %d <= %s; start += %d)", each, end, each);
    source_write_open(d, "%s for (int l = 0; l < width; ++l)", source_value_lanes(d));
    source_write_line(d, "const int64_t j = column + l;");
    each_reduction(d, pass, source_reduction_part_declare);
    source_write_open(d, "UNROLL for (int u = 0; u < %d; ++u)", each);
    source_write_line(d, "const int64_t i%d = start + u;", loop);
    source_index_bases(d, "b", "c", kept_loops(d), loop + 1);
    source_index_body(d, "c", pass == d->store_pass);
    each_reduction(d, pass, source_reduction_part_step);
    source_write_close(d);
    each_reduction(d, pass, join_part);
    source_write_close(d);
    source_write_close(d);
}

/* Through the reduced loops; of a row that is shared, through the item's part of the first one. */
static void print_loops(source_draft *d, int pass)
{
    int first = kept_loops(d), last = d->form->ndim - (is_strip(d) ? 0 : 1);
    const char *type = index_type(d);
    char begin[32], end[48];
    for (int loop = first; loop <= last; ++loop) {
        bool is_part = loop == first && d->form->is_split;
        snprintf(begin, sizeof begin, is_part ? "part_first" : "0");
        snprintf(end, sizeof end, is_part ? "part_last" : "(%s)block.w[%d]", type,
                 d->words.extents + loop);
        int each = is_strip(d) && loop == last - 1 ? part_length(d, pass) : 0;
        if (each > 0) {
            print_strip_parts(d, pass, each, begin, end);
            snprintf(begin, sizeof begin, "start");
        }
        if (loop < last)
            source_write_open(d, "for (%s i%d = %s; i%d < %s; ++i%d)", type, loop, begin, loop, end,
                              loop);
    }
    source_index_bases(d, "b", "c", first, last);
    print_lane_loop(d, pass, begin, end);
    for (int loop = first; loop < last; ++loop)
        source_write_close(d);
}

/* Halves the lanes until one is left: in vectors while there are enough for one. */
static void gather_lanes(source_draft *d, int position)
{
    for (int half = ALONG_LANES / 2; half > 0; half /= 2) {
        char other[24];
        snprintf(other, sizeof other, "[l + %d]", half);
        reduction_fields others = source_reduction_private(position, other);
        source_write_open(d, "%s for (int l = 0; l < %d; ++l)", half < 8 ? "UNROLL" : "LANES",
                          half);
        source_reduction_merge(d, position, "[l]", &others);
        source_write_close(d);
    }
}

/* Combines the lanes' accumulators into the first one, or those of a group's items into one that
 * every item has. */
static void gather(source_draft *d, int position)
{
    if (d->form->style == STYLE_ALONG)
        gather_lanes(d, position);
    if (d->form->style == STYLE_GROUP)
        source_reduction_tree(d, position, source_group(d->facts));
}

static const char *total_lane(const source_draft *d)
{
    return is_strip(d) ? "[l]" : d->form->style == STYLE_ALONG ? "[0]" : "";
}

static void finish(source_draft *d, int position)
{
    gather(d, position);
    open_lanes(d);
    source_reduction_finish(d, position, total_lane(d));
    close_lanes(d);
}

/* The address in scratch memory of the accumulator fields of one part of a shared row. */
static reduction_fields slots_of(const source_draft *d, int position, const char *part)
{
    reduction_kind kind = source_reduction_of(d->facts, &d->program->insts[position]);
    int slots = source_reduction_slots(d->facts, d->program, d->program->ninsts);
    int first = source_reduction_slots(d->facts, d->program, position);
    reduction_fields fields = {0};
    for (int i = 0; i < kind.nfields; ++i)
        snprintf(fields.names[i], sizeof fields.names[i],
                 "AT(%s, scratch + (((int64_t)%s * (int64_t)block.w[%d] + %s) * %d + %d) * %d)",
                 source_value_type(kind.dtype), is_strip(d) ? "(row + l)" : "row", WORD_PIECES,
                 part, slots, first + i, SLOT_NBYTES);
    return fields;
}

static void store_part(source_draft *d, int position)
{
    reduction_kind kind = source_reduction_of(d->facts, &d->program->insts[position]);
    reduction_fields from = source_reduction_private(position, total_lane(d));
    reduction_fields to = slots_of(d, position, "part");
    bool is_group = d->form->style == STYLE_GROUP;
    gather(d, position);
    open_lanes(d);
    if (is_group)
        source_write_open(d, "if (ITEM_ID == 0)");
    for (int i = 0; i < kind.nfields; ++i)
        source_write_line(d, "%s = %s;", to.names[i], from.names[i]);
    if (is_group)
        source_write_close(d);
    close_lanes(d);
}

/* The items of a group share the parts: one item alone would wait for each of a thousand loads. */
static void load_parts(source_draft *d, int position)
{
    reduction_fields from = slots_of(d, position, "other");
    bool is_group = d->form->style == STYLE_GROUP;
    int group = source_group(d->facts);
    source_reduction_declare(d, position, is_strip(d) ? STRIP_LANES : 0);
    source_write_open(d, "for (int64_t other = %s; other < (int64_t)block.w[%d]; other += %d)",
                      is_group ? "ITEM_ID" : "0", WORD_PIECES, is_group ? group : 1);
    open_lanes(d);
    source_reduction_merge(d, position, is_strip(d) ? "[l]" : "", &from);
    close_lanes(d);
    source_write_close(d);
    if (is_group)
        source_reduction_tree(d, position, group);
    open_lanes(d);
    source_reduction_finish(d, position, is_strip(d) ? "[l]" : "");
    close_lanes(d);
}

/* Waits until every item of the group has read the row's operands, which the stores may
 * overwrite. */
static void print_row_stores(source_draft *d)
{
    bool opened = false, is_group = d->form->style == STYLE_GROUP;
    for (int p = 0; p < d->program->ninsts; ++p) {
        const program_inst *inst = &d->program->insts[p];
        char address[96], value[32];
        if (inst->op != PROGRAM_STORE || !d->program->buffers[inst->buffer].per_row)
            continue;
        if (!opened && is_group) {
            source_write_line(d, "BARRIER;");
            source_write_open(d, "if (ITEM_ID == 0)");
        }
        if (!opened)
            open_lanes(d);
        opened = true;
        source_index_address(d, inst->buffer, "b", address, sizeof address);
        source_value_name(d, inst->src[0], value, sizeof value);
        source_write_line(d, "AT(%s, %s) = %s;", source_value_type((jg_dtype)inst->to), address,
                          value);
    }
    if (!opened)
        return;
    close_lanes(d);
    if (is_group)
        source_write_close(d);
}

/* Which row, or strip of rows, or part of it, the item makes; opens a loop where it makes several.
 */
static void open_rows(source_draft *d, bool has_parts)
{
    const char *type = index_type(d), *number = is_strip(d) ? "strip" : "row";
    bool several = !d->form->is_split && (is_strip(d) || d->form->style == STYLE_ALONG);
    bool is_row = d->form->style == STYLE_ROW;
    if (several) {
        source_frame_open_run(d, number, "GROUP_ID", "end");
        return;
    }
    source_write_line(d, "const %s number = (%s)block.w[%d] + (%s)GROUP_ID%s;", type, type,
                      WORD_FIRST, type, is_row ? " * GROUP_ITEMS + ITEM_ID" : "");
    source_write_open(d, "%s", "");
    if (!has_parts) {
        source_write_line(d, "const %s %s = number;", type, number);
        return;
    }
    int divisor = is_row ? WORD_COUNT : WORD_PIECES;
    source_write_line(d, "const %s %s = number %s (%s)block.w[%d];", type, number,
                      is_row ? "%" : "/", type, divisor);
    source_write_line(d, "const %s part = number %s (%s)block.w[%d];", type, is_row ? "/" : "%",
                      type, divisor);
    source_write_line(d, "const %s part_first = part * (%s)block.w[%d];", type, type, WORD_LENGTH);
    source_write_line(d,
                      "const %s part_last = LESSER(part_first + (%s)block.w[%d], (%s)block.w[%d]);",
                      type, type, WORD_LENGTH, type, d->words.extents + kept_loops(d));
}

static void print_row_bases(source_draft *d)
{
    int kept = kept_loops(d), extent = d->words.extents + kept - 1;
    if (!is_strip(d)) {
        source_index_decompose(d, "row", 0, kept);
        source_index_bases(d, NULL, "b", 0, kept);
        return;
    }
    source_write_line(d, "const int64_t strips = ((int64_t)block.w[%d] + %d) / %d;", extent,
                      STRIP_LANES - 1, STRIP_LANES);
    source_write_line(d, "const int64_t line = strip / strips;");
    source_write_line(d, "const int64_t column = strip %% strips * %d;", STRIP_LANES);
    source_write_line(d, "const int width = (int)LESSER(%d, (int64_t)block.w[%d] - column);",
                      STRIP_LANES, extent);
    source_write_line(d, "const int64_t row = line * (int64_t)block.w[%d] + column;", extent);
    source_write_line(d, "(void)row;");
    source_index_decompose(d, "line", 0, kept - 1);
    source_index_bases(d, NULL, "b", 0, kept - 1);
    declare_row_arrays(d);
}

static void open_kernel(source_draft *d, const char *name, bool has_parts)
{
    int group = source_group(d->facts);
    bool is_group = d->form->style == STYLE_GROUP;
    source_write_kernel(d, name, d->program->nbuffers, d->form->is_split,
                        d->form->style == STYLE_ROW ? 0
                        : is_group                  ? group
                                                    : 1);
    if (is_group)
        source_reduction_declare_tree(d, group);
    source_value_print_uniform(d);
    open_rows(d, has_parts);
    print_row_bases(d);
}

static void close_kernel(source_draft *d)
{
    source_write_close(d);
    source_write_close(d);
}

static void print_whole(source_draft *d)
{
    open_kernel(d, "rows", false);
    source_value_declare_kept(d);
    for (int pass = 0; pass <= d->last_level; ++pass) {
        print_row_values(d, pass);
        if (!source_value_find_wanted(d, pass))
            continue;
        each_reduction(d, pass, declare);
        source_write_open(d, "%s", "");
        print_loops(d, pass);
        source_write_close(d);
        each_reduction(d, pass, finish);
    }
    print_row_stores(d);
    close_kernel(d);
}

/* Combines the partial results of the row that earlier kernels left. */
static void print_row_so_far(source_draft *d, int level)
{
    print_row_values(d, 0);
    for (int pass = 0; pass < level; ++pass) {
        each_reduction(d, pass, load_parts);
        print_row_values(d, pass + 1);
    }
}

/* A kernel of a part's pass, without its end. */
static void open_pass(source_draft *d, int pass)
{
    char name[16];
    snprintf(name, sizeof name, "pass%d", pass);
    open_kernel(d, name, true);
    print_row_so_far(d, pass);
    (void)source_value_find_wanted(d, pass);
    each_reduction(d, pass, declare);
    source_write_open(d, "%s", "");
    print_loops(d, pass);
    source_write_close(d);
    each_reduction(d, pass, store_part);
}

static void print_pass(source_draft *d, int pass)
{
    open_pass(d, pass);
    close_kernel(d);
}

/* Behind the item's part: the item that ends last makes all rows. */
static void print_joined_ends(source_draft *d)
{
    const char *fence = d->dialect->fence, *number = is_strip(d) ? "strip" : "row";
    source_write_line(d, "%s", fence);
    source_write_open(d,
                      "if (ADD32(&blocks->w[%d], 1) + 1 == (uint32_t)(block.w[%d] * block.w[%d]))",
                      WORD_ENDED, WORD_COUNT, WORD_PIECES);
    source_write_line(d, "%s", fence);
    source_write_open(d, "for (int64_t %s = 0; %s < (int64_t)block.w[%d]; ++%s)", number, number,
                      WORD_COUNT, number);
    print_row_bases(d);
    print_row_so_far(d, d->last_level);
    print_row_stores(d);
    source_write_close(d);
    source_write_close(d);
}

static void print_joined(source_draft *d)
{
    text_add(d->out, "%s", d->dialect->atomics);
    open_pass(d, 0);
    print_joined_ends(d);
    close_kernel(d);
}

void source_rows_print(source_draft *d)
{
    source_value_find_levels(d);
    d->lane = is_strip(d) ? "[l]" : "";
    if (!d->form->is_split) {
        print_whole(d);
        return;
    }
    if (d->form->joins) {
        print_joined(d);
        return;
    }
    for (int pass = 0; pass <= d->last_level; ++pass)
        if (source_value_find_wanted(d, pass))
            print_pass(d, pass);
    if (program_stores_rows(d->program)) {
        open_kernel(d, "ends", false);
        print_row_so_far(d, d->last_level);
        print_row_stores(d);
        close_kernel(d);
    }
}
