/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms along lines, by Stockham's passes: each takes the length by one factor, from
 * one half of the scratch memory to the other, and leaves the numbers in order at the end. Lines
 * are brought there as complex numbers and what is kept of them is stored scaled; before, the roots
 * of unity are put into a table, whose angles are brought into an eighth of a turn.
 *
 * A length with a large prime factor is made a convolution with chirps, whose angles grow as the
 * square (Bluestein): of lines of a power of two, by the same passes there and back. */
#include "source/work.h"
#include <stdio.h>
#include <string.h>

enum { X = DEVICE_FOURIER_X, RESULT = DEVICE_FOURIER_RESULT, NBUFFERS = DEVICE_FOURIER_BUFFERS };
enum {
    TABLE,
    LOAD,
    STORE,
    PASS,
    PASS_2,
    PASS_3,
    PASS_4,
    PASS_5,
    CHIRPS,
    FILTER,
    MULTIPLY
};                             /* the kernels */
enum { WORTH_LANES = 1 << 9 }; /* numbers */

/* The positions of words in the block. Lines are cut into pieces of numbers or butterflies, of
 * which a line has `inner`. A pass by `radix` combines numbers that are `apart` numbers from each
 * other; the passes before it have divided the length by `stride`. */
typedef struct fourier_words {
    int divisor, inner, length, whole, lines, order, read, scale, sign;
    int radix, stride, apart, table_step, from, to, chirps;
    int step, extents, divisors, steps, offsets, count;
} fourier_words;

static fourier_words words_of(const device_fourier *f)
{
    fourier_words words = {0};
    int next = WORDS_FIXED;
    words.divisor = source_take_words(&next, 1);
    words.inner = source_take_words(&next, 1);
    words.length = source_take_words(&next, 1);
    words.whole = source_take_words(&next, 1);
    words.lines = source_take_words(&next, 1);
    words.order = source_take_words(&next, 1);
    words.read = source_take_words(&next, 1);
    words.scale = source_take_words(&next, 1);
    words.sign = source_take_words(&next, 1);
    words.radix = source_take_words(&next, 1);
    words.stride = source_take_words(&next, 1);
    words.apart = source_take_words(&next, 1);
    words.table_step = source_take_words(&next, 1);
    words.from = source_take_words(&next, 1);
    words.to = source_take_words(&next, 1);
    words.chirps = source_take_words(&next, 1);
    words.step = source_take_words(&next, NBUFFERS);
    words.extents = source_take_words(&next, f->ndim);
    words.divisors = source_take_words(&next, f->ndim);
    words.steps = source_take_words(&next, NBUFFERS * f->ndim);
    words.offsets = source_take_words(&next, NBUFFERS);
    words.count = next;
    return words;
}

static bool is_wide(const device_fourier *f)
{
    return f->from == JG_DTYPE_FLOAT64 || f->from == JG_DTYPE_COMPLEX128;
}

static const char *part_of(const device_fourier *f)
{
    return is_wide(f) ? "double" : "float";
}

static int nbytes_of(const device_fourier *f)
{
    return is_wide(f) ? 16 : 8;
}

static program_inst angle_inst(program_op op)
{
    return (program_inst){.op = (uint8_t)op, .type = JG_DTYPE_FLOAT64, .to = JG_DTYPE_FLOAT64};
}

/* A kernel over pieces of `inner` numbers of a line; t is the number. */
static void open_kernel(source_draft *d, const fourier_words *words, const char *name)
{
    source_write_kernel(d, name, NBUFFERS, true, d->facts->shape == DEVICE_LANES);
    source_frame_open_pieces(d, words->divisor, words->inner);
    source_frame_word(d, "length", words->length);
}

/* Prints sine and cosine of an angle up to an eighth of a turn. Without float64 they are power
 * series whose next terms are less than 2e-9. */
static void print_angle(source_draft *d)
{
    char sine[64], cosine[64];
    const program_inst of_sine = angle_inst(PROGRAM_SIN), of_cosine = angle_inst(PROGRAM_COS);
    if (!d->facts->f64) {
        source_write_line(d, "const float angle = (float)rest * 0.785398163f / (float)order;");
        source_write_line(d, "const float square = angle * angle;");
        source_write_line(d,
                          "const float sine = angle + angle * square * (-0.166666667f + square * "
                          "(8.33333333e-3f + square * (-1.98412698e-4f + square * "
                          "2.75573192e-6f)));");
        source_write_line(d,
                          "const float cosine = 1.0f + square * (-0.5f + square * (0.0416666667f + "
                          "square * (-1.38888889e-3f + square * (2.48015873e-5f - square * "
                          "2.75573192e-7f))));");
        return;
    }
    source_value_function(&of_sine, sine, sizeof sine);
    source_value_function(&of_cosine, cosine, sizeof cosine);
    prelude_reach(d->reached, source_value_entry(d->facts, &of_sine));
    prelude_reach(d->reached, source_value_entry(d->facts, &of_cosine));
    source_write_line(d,
                      "const double angle = (double)rest * 0.78539816339744831 / (double)order;");
    source_write_line(d, "const double sine = %s(angle), cosine = %s(angle);", sine, cosine);
}

/* re and im of a root of unity, whose angle is an eighth of a turn times octant and a rest. */
static void print_root(source_draft *d, const device_fourier *f, const fourier_words *words)
{
    const char *part = part_of(f);
    source_write_line(d, "const int octant = (int)(8 * index / order);");
    source_write_line(d, "const int64_t past = 8 * index - octant * order;");
    source_write_line(d, "const int64_t rest = (octant & 1) != 0 ? order - past : past;");
    print_angle(d);
    source_write_line(d, "const bool turned = ((octant + 1) & 2) != 0;");
    source_write_line(d, "const bool left = octant >= 2 && octant < 6, below = octant >= 4;");
    source_write_line(d, "%s re = (%s)(turned ? sine : cosine);", part, part);
    source_write_line(d, "%s im = (%s)(turned ? cosine : sine);", part, part);
    source_write_line(d, "re = left ? -re : re;");
    source_write_line(d, "im = (below ? -im : im) * (%s)(int64_t)block.w[%d];", part, words->sign);
}

static void print_number(source_draft *d, const device_fourier *f, const char *at)
{
    source_write_line(d, "AT(%s, %s + t * %d) = re;", part_of(f), at, nbytes_of(f));
    source_write_line(d, "AT(%s, %s + t * %d + %d) = im;", part_of(f), at, nbytes_of(f),
                      nbytes_of(f) / 2);
}

/* Prints the roots of the length. For chirps they are the roots of twice the number of transformed
 * numbers, at the squares. */
static void print_table(source_draft *d, const device_fourier *f, const fourier_words *words,
                        bool chirps)
{
    open_kernel(d, words, chirps ? "chirps" : "table");
    source_write_line(d, "MEMORY uint8_t *const to = scratch + (int64_t)block.w[%d];", words->to);
    source_frame_word(d, "order", words->order);
    source_write_open(d, "for (int64_t t = start; t < end; ++t)");
    source_write_line(d, "const int64_t index = %s;", chirps ? "t * t % order" : "t");
    print_root(d, f, words);
    print_number(d, f, "to");
    source_frame_close(d);
}

/* <name>, where a buffer's line begins, and <name>_step. */
static void print_line(source_draft *d, const device_fourier *f, const fourier_words *words,
                       int buffer, const char *name)
{
    char declared[64], from[64];
    source_index_decompose(d, "line", 0, f->ndim);
    snprintf(declared, sizeof declared, "MEMORY uint8_t *const %s", name);
    source_frame_buffer(d, buffer, from, sizeof from);
    source_frame_address(
        d, declared, from,
        &(source_steps){.index = "i", .count = f->ndim, .word = words->steps + buffer * f->ndim});
    snprintf(declared, sizeof declared, "%s_step", name);
    source_frame_word(d, declared, words->step + buffer);
}

/* <name>, where the line's numbers in scratch memory begin. */
static void print_numbers(source_draft *d, const device_fourier *f, int word, const char *name)
{
    source_write_line(d,
                      "MEMORY uint8_t *const %s = scratch + (int64_t)block.w[%d] + "
                      "(int64_t)line * length * %d;",
                      name, word, nbytes_of(f));
}

/* re and im times the chirp of t, or its conjugate. */
static void print_chirped(source_draft *d, const device_fourier *f, const fourier_words *words)
{
    const char *part = part_of(f);
    source_write_line(
        d, "MEMORY const uint8_t *const chirp = scratch + (int64_t)block.w[%d] + t * %d;",
        words->chirps, nbytes_of(f));
    source_write_line(d, "const %s cr = AT(const %s, chirp), ci = AT(const %s, chirp + %d);", part,
                      part, part, nbytes_of(f) / 2);
    source_write_line(d, "const %s before = re;", part);
    source_write_line(d, "re = re * cr - im * ci;");
    source_write_line(d, "im = before * ci + im * cr;");
}

/* A number that is not in memory is zero; in a half transform it is the conjugate of the mirrored
 * number. */
static void print_load(source_draft *d, const device_fourier *f, const fourier_words *words)
{
    const char *part = part_of(f);
    open_kernel(d, words, "load");
    print_line(d, f, words, X, "from");
    print_numbers(d, f, words->to, "to");
    source_frame_word(d, "whole", words->whole);
    source_write_open(d, "for (int64_t t = start; t < end; ++t)");
    source_write_line(d, "const bool mirrored = %s;", f->half ? "t > whole / 2" : "false");
    source_write_line(d, "const int64_t i = mirrored ? whole - t : t;");
    source_write_line(d, "%s re = 0, im = 0;", part);
    source_write_open(d, "if (t < whole && i < (int64_t)block.w[%d])", words->read);
    source_write_line(d, "re = AT(const %s, from + i * from_step);", part);
    if (dtype_is_complex((jg_dtype)f->from))
        source_write_line(d, "im = AT(const %s, from + i * from_step + %d);", part,
                          nbytes_of(f) / 2);
    source_write_line(d, "im = mirrored ? -im : im;");
    if (f->chirps)
        print_chirped(d, f, words);
    source_write_close(d);
    print_number(d, f, "to");
    source_frame_close(d);
}

static void print_store(source_draft *d, const device_fourier *f, const fourier_words *words)
{
    const char *part = part_of(f);
    open_kernel(d, words, "store");
    print_line(d, f, words, RESULT, "to");
    print_numbers(d, f, words->from, "from");
    source_write_line(d,
                      is_wide(f) ? "const double scale = f64_of_bits(block.w[%d]);"
                                 : "const float scale = f32_of_bits((uint32_t)block.w[%d]);",
                      words->scale);
    source_write_open(d, "for (int64_t t = start; t < end; ++t)");
    source_write_line(d, "%s re = AT(const %s, from + t * %d);", part, part, nbytes_of(f));
    source_write_line(d, "%s im = AT(const %s, from + t * %d + %d);", part, part, nbytes_of(f),
                      nbytes_of(f) / 2);
    if (f->chirps) {
        source_write_line(d, "im = -im;");
        print_chirped(d, f, words);
    }
    source_write_line(d, "AT(%s, to + t * to_step) = re * scale;", part);
    if (dtype_is_complex((jg_dtype)f->to))
        source_write_line(d, "AT(%s, to + t * to_step + %d) = im * scale;", part, nbytes_of(f) / 2);
    source_frame_close(d);
}

/* The filter is the line after the others: the conjugated chirps, mirrored around its first
 * number. */
static void print_filter(source_draft *d, const device_fourier *f, const fourier_words *words)
{
    const char *part = part_of(f);
    open_kernel(d, words, "filter");
    source_write_line(d,
                      "MEMORY uint8_t *const to = scratch + (int64_t)block.w[%d] + "
                      "(int64_t)block.w[%d] * length * %d;",
                      words->to, words->lines, nbytes_of(f));
    source_frame_word(d, "whole", words->whole);
    source_write_open(d, "for (int64_t t = start; t < end; ++t)");
    source_write_line(d, "const int64_t i = t < whole ? t : length - t;");
    source_write_line(d, "%s re = 0, im = 0;", part);
    source_write_open(d, "if (i < whole)");
    source_write_line(
        d, "MEMORY const uint8_t *const chirp = scratch + (int64_t)block.w[%d] + i * %d;",
        words->chirps, nbytes_of(f));
    source_write_line(d, "re = AT(const %s, chirp);", part);
    source_write_line(d, "im = -AT(const %s, chirp + %d);", part, nbytes_of(f) / 2);
    source_write_close(d);
    print_number(d, f, "to");
    source_frame_close(d);
}

/* Each line by that one, conjugated: so the same passes lead back. */
static void print_multiply(source_draft *d, const device_fourier *f, const fourier_words *words)
{
    const char *part = part_of(f);
    int nbytes = nbytes_of(f);
    open_kernel(d, words, "multiply");
    print_numbers(d, f, words->from, "from");
    source_write_line(d,
                      "MEMORY const uint8_t *const filter = scratch + (int64_t)block.w[%d] + "
                      "(int64_t)block.w[%d] * length * %d;",
                      words->from, words->lines, nbytes);
    source_write_open(d, "for (int64_t t = start; t < end; ++t)");
    source_write_line(d, "const %s ar = AT(const %s, from + t * %d);", part, part, nbytes);
    source_write_line(d, "const %s ai = AT(const %s, from + t * %d + %d);", part, part, nbytes,
                      nbytes / 2);
    source_write_line(d, "const %s br = AT(const %s, filter + t * %d);", part, part, nbytes);
    source_write_line(d, "const %s bi = AT(const %s, filter + t * %d + %d);", part, part, nbytes,
                      nbytes / 2);
    source_write_line(d, "const %s re = ar * br - ai * bi, im = -(ar * bi + ai * br);", part);
    print_number(d, f, "from");
    source_frame_close(d);
}

/* The sum of all numbers, each times a root of the radix. */
static void print_sum(source_draft *d, const device_fourier *f, const char *radix)
{
    const char *part = part_of(f);
    int nbytes = nbytes_of(f);
    source_write_line(d, "%s re = ar[0], im = ai[0];", part);
    source_write_line(d, "int turn = 0;");
    source_write_open(d, "for (int r = 1; r < %s; ++r)", radix);
    source_write_line(d, "turn = turn + k >= %s ? turn + k - %s : turn + k;", radix, radix);
    source_write_line(d, "MEMORY const uint8_t *const root = scratch + turn * table_step * %d;",
                      nbytes);
    source_write_line(d, "const %s wr = AT(const %s, root), wi = AT(const %s, root + %d);", part,
                      part, part, nbytes / 2);
    source_write_line(d, "re += ar[r] * wr - ai[r] * wi;");
    source_write_line(d, "im += ar[r] * wi + ai[r] * wr;");
    source_write_close(d);
}

static void print_store_number(source_draft *d, const device_fourier *f)
{
    const char *part = part_of(f);
    int nbytes = nbytes_of(f);
    source_write_line(d, "MEMORY const uint8_t *const root = scratch + p * k * stride * %d;",
                      nbytes);
    source_write_line(d, "const %s wr = AT(const %s, root), wi = AT(const %s, root + %d);", part,
                      part, part, nbytes / 2);
    source_write_line(d, "MEMORY uint8_t *const at = to + (q + stride * (p * radix + k)) * %d;",
                      nbytes);
    source_write_line(d, "AT(%s, at) = re * wr - im * wi;", part);
    source_write_line(d, "AT(%s, at + %d) = re * wi + im * wr;", part, nbytes / 2);
}

/* b[k] of four numbers. */
static void print_four(source_draft *d, const device_fourier *f)
{
    const char *part = part_of(f);
    source_write_line(d, "%s br[4], bi[4];", part);
    source_write_line(d, "const %s er = ar[0] + ar[2], ei = ai[0] + ai[2];", part);
    source_write_line(d, "const %s fr = ar[0] - ar[2], fi = ai[0] - ai[2];", part);
    source_write_line(d, "const %s gr = ar[1] + ar[3], gi = ai[1] + ai[3];", part);
    source_write_line(d, "const %s hr = (ai[3] - ai[1]) * sign, hi = (ar[1] - ar[3]) * sign;",
                      part);
    source_write_line(d, "br[0] = er + gr; bi[0] = ei + gi;");
    source_write_line(d, "br[1] = fr + hr; bi[1] = fi + hi;");
    source_write_line(d, "br[2] = er - gr; bi[2] = ei - gi;");
    source_write_line(d, "br[3] = fr - hr; bi[3] = fi - hi;");
}

static void print_butterfly(source_draft *d, const device_fourier *f, int radix)
{
    const char *part = part_of(f);
    char count[16] = "(int)radix";
    int nbytes = nbytes_of(f);
    bool is_four = radix == 4;
    if (radix > 0)
        snprintf(count, sizeof count, "%d", radix);
    source_write_line(d, "%s ar[%d], ai[%d];", part, radix > 0 ? radix : DEVICE_FOURIER_FACTOR,
                      radix > 0 ? radix : DEVICE_FOURIER_FACTOR);
    source_write_open(d, "%sfor (int r = 0; r < %s; ++r)", radix > 0 ? "UNROLL " : "", count);
    source_write_line(
        d, "MEMORY const uint8_t *const at = from + (q + stride * (p + apart * r)) * %d;", nbytes);
    source_write_line(d, "ar[r] = AT(const %s, at);", part);
    source_write_line(d, "ai[r] = AT(const %s, at + %d);", part, nbytes / 2);
    source_write_close(d);
    if (is_four)
        print_four(d, f);
    source_write_open(d, "%sfor (int k = 0; k < %s; ++k)", radix > 0 ? "UNROLL " : "", count);
    if (is_four)
        source_write_line(d, "const %s re = br[k], im = bi[k];", part);
    else
        print_sum(d, f, count);
    print_store_number(d, f);
    source_write_close(d);
}

/* t counts butterflies, q within the stride and p past it. radix: 0 for the block's */
static void print_pass(source_draft *d, const device_fourier *f, const fourier_words *words,
                       int radix)
{
    char name[16] = "pass";
    if (radix > 0)
        snprintf(name, sizeof name, "pass%d", radix);
    open_kernel(d, words, name);
    if (radix > 0)
        source_write_line(d, "const int64_t radix = %d;", radix);
    else
        source_frame_word(d, "radix", words->radix);
    source_frame_word(d, "stride", words->stride);
    source_frame_word(d, "apart", words->apart);
    source_frame_word(d, "table_step", words->table_step);
    source_write_line(d, "const %s sign = (%s)(int64_t)block.w[%d];", part_of(f), part_of(f),
                      words->sign);
    print_numbers(d, f, words->from, "from");
    print_numbers(d, f, words->to, "to");
    source_write_line(d, "int64_t p = start / stride, q = start - p * stride;");
    source_write_open(d, "for (int64_t t = start; t < end; ++t)");
    print_butterfly(d, f, radix);
    source_write_line(d, "q += 1;");
    source_write_line(d, "if (q == stride) { q = 0; p += 1; }");
    source_frame_close(d);
}

static void print(source_draft *d, const device_work *work, source_form *form)
{
    const device_fourier *f = work->fourier;
    static const int radices[] = {0, 2, 3, 4, 5}; /* PASS and the next */
    const fourier_words words = words_of(f);
    form->nreduced = f->half;
    form->is_split = f->chirps;
    form->walks[X][0] = f->from;
    form->walks[RESULT][0] = f->to;
    source_frame_begin(d, form,
                       &(source_frame){.style = STYLE_FOURIER,
                                       .ndim = f->ndim,
                                       .nbuffers = NBUFFERS,
                                       .extents = words.extents,
                                       .divisors = words.divisors,
                                       .offsets = words.offsets,
                                       .nwords = words.count});
    print_table(d, f, &words, false);
    print_load(d, f, &words);
    print_store(d, f, &words);
    for (size_t i = 0; i < JG_COUNT_OF(radices); ++i)
        print_pass(d, f, &words, radices[i]);
    if (f->chirps) {
        print_table(d, f, &words, true);
        print_filter(d, f, &words);
        print_multiply(d, f, &words);
    }
}

static bool fits(const device_facts *facts, const source_form *form, const device_work *work)
{
    const device_fourier *f = work->fourier;
    (void)facts;
    return form->style == STYLE_FOURIER && form->ndim == f->ndim && form->nreduced == f->half &&
           form->is_split == f->chirps && form->walks[X][0] == f->from &&
           form->walks[RESULT][0] == f->to;
}

/* The data from which the steps of a launch are made. */
typedef struct fourier_plan {
    const device_facts *facts;
    const device_fourier *f;
    fourier_words words;
    device_launch *launch;
    int64_t lines, length; /* of the passes */
    int64_t halves[2];     /* of the scratch memory: where they begin, behind the tables */
    int from;              /* which of them has the numbers */
    bool inverse;          /* of the passes */
} fourier_plan;

/* Twice as many numbers as are transformed, less one, fit the length of chirps. */
static int64_t length_of(const device_fourier *f)
{
    int64_t length = 1;
    while (length < 2 * f->length - 1)
        length *= 2;
    return f->chirps ? length : f->length;
}

static uint64_t scale_bits(const fourier_plan *plan)
{
    uint64_t bits = 0;
    double scale = plan->f->chirps ? plan->f->scale / (double)plan->length : plan->f->scale;
    float single = (float)scale;
    if (is_wide(plan->f))
        memcpy(&bits, &scale, sizeof scale);
    else
        memcpy(&bits, &single, sizeof single);
    return bits;
}

static void fill(const fourier_plan *plan, uint64_t *to)
{
    const device_fourier *f = plan->f;
    const fourier_words *words = &plan->words;
    to[words->length] = to[words->order] = (uint64_t)plan->length;
    to[words->whole] = (uint64_t)f->length;
    to[words->lines] = (uint64_t)plan->lines;
    to[words->read] = (uint64_t)f->read;
    to[words->scale] = scale_bits(plan);
    to[words->sign] = (uint64_t)(plan->inverse ? 1 : -1);
    to[words->chirps] = (uint64_t)(plan->length * nbytes_of(f));
    source_fill_loops(to, words->extents, words->divisors, f->ndim, f->extents);
    source_fill_words(to + words->step, NBUFFERS, f->step);
    for (int b = 0; b < NBUFFERS; ++b)
        source_fill_words(to + words->steps + b * f->ndim, f->ndim, f->steps[b]);
}

/* Adds a step over `inner` numbers of `lines` lines. gives: the step's words */
static uint64_t *add_step(fourier_plan *plan, int kernel, int64_t lines, int64_t inner)
{
    bool lanes = plan->facts->shape == DEVICE_LANES;
    int64_t piece = lanes ? int64_min(inner, WORTH_LANES) : 1;
    uint64_t *to = source_launch_add_pieces(plan->facts, plan->launch, plan->words.count, kernel,
                                            &(source_pieces){.lines = lines,
                                                             .extent = inner,
                                                             .length = piece,
                                                             .worth = ceil_div(WORTH_LANES, piece),
                                                             .divisor = plan->words.divisor})
                       ->words;
    to[plan->words.inner] = (uint64_t)inner;
    to[plan->words.from] = (uint64_t)plan->halves[plan->from];
    to[plan->words.to] = (uint64_t)plan->halves[1 - plan->from];
    return to;
}

/* The least factor that is left, fours before twos. */
static int64_t next_factor(int64_t rest)
{
    if (rest % 4 == 0)
        return 4;
    for (int64_t factor = 2; factor <= DEVICE_FOURIER_FACTOR; ++factor)
        if (rest % factor == 0)
            return factor;
    return rest;
}

static void add_passes(fourier_plan *plan, int64_t lines)
{
    const fourier_words *words = &plan->words;
    int64_t length = plan->length, stride = 1;
    while (stride < length) {
        int64_t radix = next_factor(length / stride);
        int kernel = radix <= 5 ? PASS_2 + (int)radix - 2 : PASS;
        uint64_t *to = add_step(plan, kernel, lines, length / radix);
        to[words->radix] = (uint64_t)radix;
        to[words->stride] = (uint64_t)stride;
        to[words->apart] = (uint64_t)(length / stride / radix);
        to[words->table_step] = (uint64_t)(length / radix);
        plan->from = 1 - plan->from;
        stride *= radix;
    }
}

/* The chirps and the line of their filter. */
static void add_filter(fourier_plan *plan)
{
    uint64_t *to = add_step(plan, CHIRPS, 1, plan->f->length);
    to[plan->words.to] = to[plan->words.chirps];
    to[plan->words.order] = (uint64_t)(2 * plan->f->length);
    to[plan->words.sign] = (uint64_t)(plan->f->inverse ? 1 : -1);
    add_step(plan, FILTER, 1, plan->length);
}

static void add_steps(fourier_plan *plan)
{
    const device_fourier *f = plan->f;
    uint64_t *to = add_step(plan, TABLE, 1, plan->length);
    to[plan->words.to] = 0;
    if (f->chirps)
        add_filter(plan);
    add_step(plan, LOAD, plan->lines, plan->length);
    plan->from = 0;
    add_passes(plan, plan->lines + f->chirps);
    if (f->chirps) {
        add_step(plan, MULTIPLY, plan->lines, plan->length);
        add_passes(plan, plan->lines);
    }
    add_step(plan, STORE, plan->lines, f->kept);
}

static jg_status arrange(const source_text *text, const device_work *work, device_launch **out)
{
    const device_facts *facts = text->facts;
    const device_fourier *f = work->fourier;
    fourier_plan plan = {.facts = facts,
                         .f = f,
                         .words = words_of(f),
                         .lines = 1,
                         .length = length_of(f),
                         .from = 1,
                         .inverse = f->inverse && !f->chirps};
    JG_TRY(source_launch_begin(DEVICE_MAX_STEPS, plan.words.count, &plan.launch));
    for (int loop = 0; loop < f->ndim; ++loop)
        plan.lines *= f->extents[loop];
    int64_t numbers = plan.length * nbytes_of(f), all = (plan.lines + f->chirps) * numbers;
    plan.halves[0] = numbers + (f->chirps ? f->length * nbytes_of(f) : 0);
    plan.halves[1] = plan.halves[0] + all;
    plan.launch->scratch_nbytes = (size_t)(plan.halves[1] + all);
    fill(&plan, plan.launch->words);
    add_steps(&plan);
    *out = plan.launch;
    return JG_OK;
}

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    const program_inst sine = angle_inst(PROGRAM_SIN), cosine = angle_inst(PROGRAM_COS);
    bool has_angles =
        source_value_entry(facts, &sine) >= 0 && source_value_entry(facts, &cosine) >= 0;
    jg_dtype dtype = (jg_dtype)work->fourier->from;
    return (source_value_has_type(facts, dtype) && (!facts->f64 || has_angles)) ||
           source_refuse(refusal, -1, "transforms of %s cannot be printed", dtype_rows[dtype].name);
}

const source_work source_work_fourier = {
    .takes = takes,
    .print = print,
    .fits = fits,
    .arrange = arrange,
};
