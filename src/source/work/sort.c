/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in order, by entries of an element's rank and its index, of which no two are equal. Blocks
 * of a line are sorted first: by an item of LANES digit by digit, by a group of GROUP in memory
 * that its items share. Passes over all entries then merge two runs of each line into one, from one
 * half of the scratch memory to the other. Each item makes a piece of what is merged; where that
 * begins in both runs, it searches for. At the end entries become indices or elements. */
#include "source/work.h"
#include <stdio.h>
#include <string.h>

enum { X = DEVICE_SORT_X, RESULT = DEVICE_SORT_RESULT };
enum { BLOCKS, MERGE, WRITE, FEW }; /* the kernels; LANES has no FEW */
enum {
    SHORT_LANES = 32,      /* entries that are sorted by insertion */
    SHORT_GROUP = 16,      /* elements of a line that one item sorts so */
    MIN_BLOCK = 1 << 12,   /* of a line that several items of LANES sort */
    WORTH_LANES = 1 << 11, /* entries */
    DIGITS = 256
};

/* The positions of words in the block. */
typedef struct sort_words {
    int divisor, length, kept, width, from, to, turn, step, extents, divisors, steps, offsets,
        count;
} sort_words;

static sort_words words_of(const device_sort *s)
{
    sort_words words = {0};
    int next = WORDS_FIXED;
    words.divisor = source_take_words(&next, 1);
    words.length = source_take_words(&next, 1);
    words.kept = source_take_words(&next, 1);
    words.width = source_take_words(&next, 1);
    words.from = source_take_words(&next, 1);
    words.to = source_take_words(&next, 1);
    words.turn = source_take_words(&next, 1);
    words.step = source_take_words(&next, 1);
    words.extents = source_take_words(&next, s->ndim);
    words.divisors = source_take_words(&next, s->ndim);
    words.steps = source_take_words(&next, s->ndim);
    words.offsets = source_take_words(&next, DEVICE_SORT_BUFFERS);
    words.count = next;
    return words;
}

static source_rank rank_of(const device_sort *s)
{
    return source_rank_of((jg_dtype)s->dtype);
}

static int entry_nbytes(const device_sort *s)
{
    static const int nbytes[] = {[KEY_NARROW] = 8, [KEY_WIDE] = 16, [KEY_DOUBLE] = 24};
    return nbytes[rank_of(s)];
}

/* Entries that an item of a group has, and a group. */
static int each_of(const device_sort *s)
{
    return rank_of(s) == KEY_NARROW ? 8 : 4;
}

static int block_of(const device_facts *facts, const device_sort *s)
{
    return each_of(s) * source_group(facts);
}

static bool is_taken(const device_facts *facts, const device_sort *s)
{
    return facts->shape == DEVICE_LANES ||
           (int64_t)block_of(facts, s) * entry_nbytes(s) <= facts->local_nbytes;
}

static void print_entry_type(source_draft *d, source_rank rank)
{
    static const char *const fields[] = {
        [KEY_WIDE] = "major, index", [KEY_DOUBLE] = "major, minor, index"};
    if (rank == KEY_NARROW)
        source_write_line(d, "typedef uint64_t entry_%d;", d->number);
    else
        source_write_line(d, "typedef struct { uint64_t %s; } entry_%d;", fields[rank], d->number);
}

static void print_made(source_draft *d, source_rank rank)
{
    int number = d->number;
    source_write_open(
        d, "FUNCTION entry_%d made_%d(MEMORY const uint8_t *at, int64_t index, uint64_t turn)",
        number, number);
    source_write_line(d, "const rank_%d rank = rank_of_%d(at);", number, number);
    if (rank == KEY_NARROW) {
        source_write_line(d, "return (uint64_t)(rank ^ (uint32_t)turn) << 32 | (uint32_t)index;");
    } else {
        source_write_line(d, "entry_%d made;", number);
        source_write_line(d, "made.major = %s ^ turn;", rank == KEY_WIDE ? "rank" : "rank.major");
        if (rank == KEY_DOUBLE)
            source_write_line(d, "made.minor = rank.minor ^ turn;");
        source_write_line(d, "made.index = (uint64_t)index;");
        source_write_line(d, "return made;");
    }
    source_write_close(d);
}

static void print_comparison(source_draft *d, source_rank rank)
{
    static const char *const comparisons[] = {
        [KEY_NARROW] = "x < y",
        [KEY_WIDE] = "x.major < y.major || (x.major == y.major && x.index < y.index)",
        [KEY_DOUBLE] = ("x.major != y.major ? x.major < y.major : x.minor != y.minor ? x.minor < "
                        "y.minor : x.index < y.index")};
    source_write_line(d, "FUNCTION int is_before_%d(entry_%d x, entry_%d y) { return %s; }",
                      d->number, d->number, d->number, comparisons[rank]);
    source_write_line(d, "FUNCTION int64_t index_of_%d(entry_%d x) { return (int64_t)(%s); }",
                      d->number, d->number, rank == KEY_NARROW ? "x & 0xffffffffu" : "x.index");
}

/* For LANES: digits of a rank, from the lowest one on. */
static void print_digit(source_draft *d, source_rank rank)
{
    static const char *const digits[] = {[KEY_NARROW] = "x >> (32 + 8 * k)",
                                         [KEY_WIDE] = "x.major >> 8 * k",
                                         [KEY_DOUBLE] =
                                             "(k < 8 ? x.minor : x.major) >> 8 * (k & 7)"};
    source_write_line(d, "FUNCTION int digit_%d(entry_%d x, int k) { return (int)((%s) & 255); }",
                      d->number, d->number, digits[rank]);
}

/* For GROUP: an entry that is ordered after all others. */
static void print_last(source_draft *d, source_rank rank)
{
    int number = d->number;
    source_write_open(d, "FUNCTION entry_%d last_%d(int64_t index)", number, number);
    if (rank == KEY_NARROW) {
        source_write_line(d, "return (uint64_t)0xffffffffu << 32 | 0x80000000u | (uint32_t)index;");
    } else {
        source_write_line(d, "entry_%d made;", number);
        source_write_line(d, "made.major = ~(uint64_t)0;");
        if (rank == KEY_DOUBLE)
            source_write_line(d, "made.minor = ~(uint64_t)0;");
        source_write_line(d, "made.index = (uint64_t)1 << 63 | (uint64_t)index;");
        source_write_line(d, "return made;");
    }
    source_write_close(d);
}

static void print_functions(source_draft *d, const device_sort *s)
{
    source_rank_print(d, (jg_dtype)s->dtype);
    print_entry_type(d, rank_of(s));
    print_made(d, rank_of(s));
    print_comparison(d, rank_of(s));
    if (d->facts->shape == DEVICE_LANES)
        print_digit(d, rank_of(s));
    else
        print_last(d, rank_of(s));
}

/* The line's first element. */
static void print_from(source_draft *d, const device_sort *s, const sort_words *words)
{
    char start[64];
    source_index_decompose(d, "line", 0, s->ndim);
    source_frame_word(d, "step", words->step);
    source_frame_buffer(d, X, start, sizeof start);
    source_frame_address(d, "MEMORY const uint8_t *const from", start,
                         &(source_steps){.index = "i", .count = s->ndim, .word = words->steps});
}

/* The line's entries in a half of the scratch memory. half: the word of where that begins */
static void print_entries(source_draft *d, const char *name, int half)
{
    source_write_line(d,
                      "MEMORY entry_%d *const %s = (MEMORY entry_%d *)scratch + "
                      "(int64_t)block.w[%d] + line * length;",
                      d->number, name, d->number, half);
}

/* Entries start to end - 1. */
static void print_insertion(source_draft *d, const sort_words *words)
{
    int number = d->number;
    source_write_open(d, "for (int64_t i = start; i < end; ++i)");
    source_write_line(d, "const entry_%d own = made_%d(from + i * step, i, block.w[%d]);", number,
                      number, words->turn);
    source_write_line(d, "int64_t k = i;");
    source_write_line(
        d, "for (; k > start && is_before_%d(own, to[k - 1]); --k) to[k] = to[k - 1];", number);
    source_write_line(d, "to[k] = own;");
    source_write_close(d);
}

static void print_counts(source_draft *d, const sort_words *words, int ndigits)
{
    int number = d->number;
    source_write_line(d, "for (int k = 0; k < %d; ++k) counts[k] = 0;", ndigits * DIGITS);
    source_write_open(d, "for (int64_t i = 0; i < count; ++i)");
    source_write_line(d,
                      "const entry_%d own = made_%d(from + (start + i) * step, start + i, "
                      "block.w[%d]);",
                      number, number, words->turn);
    source_write_line(d, "x[i] = own;");
    source_write_line(d,
                      "UNROLL for (int k = 0; k < %d; ++k) counts[k * %d + digit_%d(own, k)] += "
                      "1;",
                      ndigits, DIGITS, number);
    source_write_close(d);
}

/* A digit that all entries share moves none. counts become where the next entry of each goes. */
static void print_passes(source_draft *d, int ndigits)
{
    int number = d->number;
    source_write_open(d, "for (int k = 0; k < %d; ++k)", ndigits);
    source_write_line(d, "if (counts[k * %d + digit_%d(x[0], k)] == count) continue;", DIGITS,
                      number);
    source_write_line(d, "uint32_t sum = 0;");
    source_write_open(d, "for (int v = k * %d; v < (k + 1) * %d; ++v)", DIGITS, DIGITS);
    source_write_line(d, "const uint32_t next = sum + counts[v];");
    source_write_line(d, "counts[v] = sum;");
    source_write_line(d, "sum = next;");
    source_write_close(d);
    source_write_line(
        d, "for (int64_t i = 0; i < count; ++i) y[counts[k * %d + digit_%d(x[i], k)]++] = x[i];",
        DIGITS, number);
    source_write_line(d, "MEMORY entry_%d *const other = x;", number);
    source_write_line(d, "x = y;");
    source_write_line(d, "y = other;");
    source_write_close(d);
    source_write_line(d, "if (x != to + start)");
    source_write_line(d, "    for (int64_t i = 0; i < count; ++i) to[start + i] = x[i];");
}

static void print_blocks_of_items(source_draft *d, const device_sort *s, const sort_words *words)
{
    static const int digits[] = {[KEY_NARROW] = 4, [KEY_WIDE] = 8, [KEY_DOUBLE] = 16};
    int ndigits = digits[rank_of(s)], number = d->number;
    source_write_kernel(d, "blocks", 1, true, 1);
    source_write_line(d, "uint32_t counts[%d];", ndigits * DIGITS);
    source_frame_word(d, "length", words->length);
    source_frame_open_pieces(d, words->divisor, words->length);
    print_from(d, s, words);
    print_entries(d, "to", words->to);
    print_entries(d, "spare", words->from);
    source_write_line(d, "const uint32_t count = (uint32_t)(end - start);");
    source_write_open(d, "if (count <= %d)", SHORT_LANES);
    print_insertion(d, words);
    source_write_line(d, "continue;");
    source_write_close(d);
    source_write_line(d, "MEMORY entry_%d *x = to + start, *y = spare + start;", number);
    print_counts(d, words, ndigits);
    print_passes(d, ndigits);
    source_frame_close(d);
}

static void print_few(source_draft *d, const device_sort *s, const sort_words *words)
{
    source_write_kernel(d, "few", 1, true, 0);
    source_frame_word(d, "length", words->length);
    source_frame_open_pieces(d, words->divisor, words->length);
    print_from(d, s, words);
    print_entries(d, "to", words->to);
    print_insertion(d, words);
    source_frame_close(d);
}

/* Of two sorted runs with nx and ny entries: prints the search for how many entries of each, i and
 * j, are among the first k of both. x and y are the text of an element of either run, up to its
 * index. */
static void print_split(source_draft *d, const char *type, const char *x, const char *y)
{
    source_write_line(d, "%s i = k > ny ? k - ny : 0, high = LESSER(k, nx);", type);
    source_write_open(d, "while (i < high)");
    source_write_line(d, "const %s middle = (i + high) / 2;", type);
    source_write_line(d, "if (is_before_%d(%s middle], %s k - 1 - middle])) i = middle + 1;",
                      d->number, x, y);
    source_write_line(d, "else high = middle;");
    source_write_close(d);
    source_write_line(d, "%s j = k - i;", type);
}

/* Sorts the entries that an item holds in its own variables, by odd-even exchanges. */
static void print_own(source_draft *d, int each)
{
    int number = d->number;
    source_write_line(d, "UNROLL for (int k = 0; k < %d; ++k) own[k] = held[first + k];", each);
    source_write_open(d, "UNROLL for (int round = 0; round < %d; ++round)", each);
    source_write_open(d, "UNROLL for (int k = round & 1; k + 1 < %d; k += 2)", each);
    source_write_open(d, "if (is_before_%d(own[k + 1], own[k]))", number);
    source_write_line(d, "const entry_%d other = own[k];", number);
    source_write_line(d, "own[k] = own[k + 1];");
    source_write_line(d, "own[k + 1] = other;");
    source_write_close(d);
    source_write_close(d);
    source_write_close(d);
    source_write_line(d, "UNROLL for (int k = 0; k < %d; ++k) held[first + k] = own[k];", each);
}

/* Runs of the group's entries, two and two, until one is left. */
static void print_group_merges(source_draft *d, int each, int block)
{
    source_write_open(d, "for (int width = %d; width < %d && width < count; width *= 2)", each,
                      block);
    source_write_line(d, "BARRIER;");
    source_write_line(d, "const int begin = first & ~(2 * width - 1), k = first - begin;");
    source_write_line(d, "const int nx = width, ny = width;");
    print_split(d, "int", "held[begin +", "held[begin + width +");
    source_write_open(d, "UNROLL for (int n = 0; n < %d; ++n)", each);
    source_write_line(d,
                      "if (j >= ny || (i < nx && is_before_%d(held[begin + i], held[begin + width "
                      "+ j]))) own[n] = held[begin + i++];",
                      d->number);
    source_write_line(d, "else own[n] = held[begin + width + j++];");
    source_write_close(d);
    source_write_line(d, "BARRIER;");
    source_write_line(d, "UNROLL for (int n = 0; n < %d; ++n) held[first + n] = own[n];", each);
    source_write_close(d);
}

static void print_blocks_of_groups(source_draft *d, const device_sort *s, const sort_words *words)
{
    int each = each_of(s), group = source_group(d->facts), block = each * group;
    int number = d->number;
    source_write_kernel(d, "blocks", 1, true, group);
    source_write_line(d, "LOCAL entry_%d held[%d];", number, block);
    source_write_line(d, "entry_%d own[%d];", number, each);
    source_frame_word(d, "length", words->length);
    source_write_line(d, "const %s number = GROUP_ID;", d->form->is_narrow ? "int32_t" : "int64_t");
    source_frame_pieces(d, words->divisor, words->length);
    print_from(d, s, words);
    print_entries(d, "to", words->to);
    source_write_line(d, "const int count = (int)(end - start), first = ITEM_ID * %d;", each);
    source_write_line(d,
                      "for (int k = ITEM_ID; k < %d; k += %d) held[k] = k < count ? made_%d(from + "
                      "(start + k) * step, start + k, block.w[%d]) : last_%d(k);",
                      block, group, number, words->turn, number);
    source_write_line(d, "BARRIER;");
    print_own(d, each);
    print_group_merges(d, each, block);
    source_write_line(d, "BARRIER;");
    source_write_line(d, "for (int k = ITEM_ID; k < count; k += %d) to[start + k] = held[k];",
                      group);
    source_write_close(d);
}

/* While neither run ends, an entry is taken without a look at how many are left. */
static void print_merged(source_draft *d)
{
    int number = d->number;
    source_write_line(d, "int64_t at = start;");
    source_write_open(d, "while (at < end && i < nx && j < ny)");
    source_write_line(d, "const int64_t left = LESSER(nx - i, ny - j);");
    source_write_line(d, "const int64_t stop = LESSER(end, at + left);");
    source_write_open(d, "for (; at < stop; ++at)");
    source_write_line(d, "const entry_%d own = x[i], other = y[j];", number);
    source_write_line(d, "const int is_own = is_before_%d(own, other);", number);
    source_write_line(d, "to[at] = is_own ? own : other;");
    source_write_line(d, "i += is_own;");
    source_write_line(d, "j += !is_own;");
    source_write_close(d);
    source_write_close(d);
    source_write_line(d, "for (; at < end && i < nx; ++at) to[at] = x[i++];");
    source_write_line(d, "for (; at < end; ++at) to[at] = y[j++];");
}

static void print_merge(source_draft *d, const sort_words *words)
{
    bool lanes = d->facts->shape == DEVICE_LANES;
    source_write_kernel(d, "merge", 0, true, lanes);
    source_frame_word(d, "length", words->length);
    source_frame_word(d, "width", words->width);
    source_frame_open_pieces(d, words->divisor, words->length);
    print_entries(d, "from", words->from);
    print_entries(d, "to", words->to);
    source_write_line(d, "const int64_t begin = start / (2 * width) * (2 * width);");
    source_write_line(d, "const int64_t second = LESSER(begin + width, length);");
    source_write_line(d, "const int64_t nx = second - begin, k = start - begin;");
    source_write_line(d, "const int64_t ny = LESSER(second + width, length) - second;");
    source_write_line(d, "MEMORY const entry_%d *const x = from + begin, *const y = from + second;",
                      d->number);
    print_split(d, "int64_t", "x[", "y[");
    print_merged(d);
    source_frame_close(d);
}

/* Elements move as bits: as two words where there is none so large. */
static void print_copy(source_draft *d, size_t itemsize)
{
    const char *type = source_value_type(itemsize == 1   ? JG_DTYPE_UINT8
                                         : itemsize == 2 ? JG_DTYPE_UINT16
                                         : itemsize == 4 ? JG_DTYPE_UINT32
                                                         : JG_DTYPE_UINT64);
    source_write_line(d, "MEMORY const uint8_t *const x = from + index_of_%d(entries[k]) * step;",
                      d->number);
    for (size_t part = 0; part < itemsize; part += 8)
        source_write_line(d, "AT(%s, to + k * %d + %d) = AT(const %s, x + %d);", type,
                          (int)itemsize, (int)part, type, (int)part);
}

static void print_write(source_draft *d, const device_sort *s, const sort_words *words)
{
    bool lanes = d->facts->shape == DEVICE_LANES;
    size_t itemsize = dtype_itemsize(s->indices ? JG_DTYPE_INT64 : (jg_dtype)s->dtype);
    char start[64];
    source_write_kernel(d, "write", DEVICE_SORT_BUFFERS, true, lanes);
    source_frame_word(d, "length", words->length);
    source_frame_open_pieces(d, words->divisor, words->kept);
    print_entries(d, "entries", words->from);
    source_frame_buffer(d, RESULT, start, sizeof start);
    source_write_line(d, "MEMORY uint8_t *const to = %s + line * (int64_t)block.w[%d] * %d;", start,
                      words->kept, (int)itemsize);
    if (!s->indices)
        print_from(d, s, words);
    source_write_open(d, "for (int64_t k = start; k < end; ++k)");
    if (s->indices)
        source_write_line(d, "AT(int64_t, to + k * 8) = index_of_%d(entries[k]);", d->number);
    else
        print_copy(d, itemsize);
    source_frame_close(d);
}

static void print(source_draft *d, const device_work *work, source_form *form)
{
    const device_sort *s = work->sort;
    const sort_words words = words_of(s);
    bool lanes = d->facts->shape == DEVICE_LANES;
    source_frame_begin(d, form,
                       &(source_frame){.style = STYLE_SORT,
                                       .ndim = s->ndim,
                                       .nbuffers = DEVICE_SORT_BUFFERS,
                                       .is_narrow = s->is_narrow,
                                       .extents = words.extents,
                                       .divisors = words.divisors,
                                       .offsets = words.offsets,
                                       .nwords = words.count});
    print_functions(d, s);
    if (lanes)
        print_blocks_of_items(d, s, &words);
    else
        print_blocks_of_groups(d, s, &words);
    print_merge(d, &words);
    print_write(d, s, &words);
    if (!lanes)
        print_few(d, s, &words);
}

/* How a launch is cut. */
typedef struct sort_cut {
    int64_t lines;
    int64_t block, piece, kept; /* entries that are sorted, merged and written by one or a group */
} sort_cut;

static sort_cut cut_of(const device_facts *facts, const device_sort *s)
{
    int64_t units = facts->compute_units, blocks = 1;
    sort_cut cut = {.lines = 1, .block = s->length, .piece = each_of(s), .kept = 1};
    for (int loop = 0; loop < s->ndim; ++loop)
        cut.lines *= s->extents[loop];
    if (facts->shape == DEVICE_GROUP) {
        if (s->length > SHORT_GROUP)
            cut.block = block_of(facts, s);
        return cut;
    }
    while (blocks * cut.lines < units && s->length / (2 * blocks) >= MIN_BLOCK)
        blocks *= 2;
    cut.block = cut.piece = ceil_div(s->length, blocks);
    cut.kept = ceil_div(s->kept, blocks);
    return cut;
}

static void fill(uint64_t *to, const device_sort *s)
{
    const sort_words words = words_of(s);
    to[words.length] = (uint64_t)s->length;
    to[words.kept] = (uint64_t)s->kept;
    to[words.turn] = s->descending ? ~(uint64_t)0 : 0;
    to[words.step] = (uint64_t)s->step;
    source_fill_loops(to, words.extents, words.divisors, s->ndim, s->extents);
    source_fill_words(to + words.steps, s->ndim, s->steps);
}

/* Adds a step for a kernel that works on pieces of lines. gives: the step, which has its words */
static device_step *add_step(const device_facts *facts, device_launch *launch, const device_sort *s,
                             int kernel, int64_t lines, int64_t extent, int64_t piece)
{
    const sort_words words = words_of(s);
    return source_launch_add_pieces(facts, launch, words.count, kernel,
                                    &(source_pieces){.lines = lines,
                                                     .extent = extent,
                                                     .length = piece,
                                                     .worth = ceil_div(WORTH_LANES, piece),
                                                     .divisor = words.divisor});
}

static void add_blocks(const device_facts *facts, device_launch *launch, const device_sort *s,
                       const sort_cut *cut)
{
    const sort_words words = words_of(s);
    bool lanes = facts->shape == DEVICE_LANES, few = !lanes && s->length <= SHORT_GROUP;
    device_step *step =
        add_step(facts, launch, s, few ? FEW : BLOCKS, cut->lines, s->length, cut->block);
    step->words[words.from] = (uint64_t)(cut->lines * s->length); /* spare */
    if (!lanes && !few)
        step->groups = cut->lines * ceil_div(s->length, cut->block);
}

static jg_status arrange(const source_text *text, const device_work *work, device_launch **out)
{
    const device_facts *facts = text->facts;
    const device_sort *s = work->sort;
    const sort_words words = words_of(s);
    const sort_cut cut = cut_of(facts, s);
    int64_t count = cut.lines * s->length, from = 0;
    device_launch *launch = NULL;
    JG_TRY(source_launch_begin(DEVICE_MAX_STEPS, words.count, &launch));
    fill(launch->words, s);
    launch->scratch_nbytes = 2 * (size_t)count * (size_t)entry_nbytes(s);
    add_blocks(facts, launch, s, &cut);
    for (int64_t width = cut.block; width < s->length; width *= 2, from = count - from) {
        const device_step *step =
            add_step(facts, launch, s, MERGE, cut.lines, s->length, cut.piece);
        step->words[words.width] = (uint64_t)width;
        step->words[words.from] = (uint64_t)from;
        step->words[words.to] = (uint64_t)(count - from);
    }
    const device_step *last = add_step(facts, launch, s, WRITE, cut.lines, s->kept, cut.kept);
    last->words[words.from] = (uint64_t)from;
    *out = launch;
    return JG_OK;
}

static bool fits(const device_facts *facts, const source_form *form, const device_work *work)
{
    (void)facts;
    return form->style == STYLE_SORT && form->ndim == work->sort->ndim;
}

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    const device_sort *s = work->sort;
    if (!source_rank_is_taken((jg_dtype)s->dtype, refusal))
        return false;
    return is_taken(facts, s) ||
           source_refuse(refusal, -1,
                         "sorting needs more memory of a group than the device's %d bytes",
                         (int)facts->local_nbytes);
}

const source_work source_work_sort = {
    .takes = takes,
    .print = print,
    .fits = fits,
    .arrange = arrange,
};
