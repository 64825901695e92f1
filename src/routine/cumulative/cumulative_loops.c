/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of cumulative ops. Each instance of CUMULATIVE_LOOPS is one op over one dtype:
 *   IN, OUT        the elements read and written
 *   STATE, BEGIN   what is carried along a line, and how it starts
 *   STEP(s, x)     the state after an element, for loops over many states
 *   NEXT(s, x)     the same for loops that go from state to state
 *   VALUE(s)       what is written of a state
 *   MERGE(s, t)    the state after all elements of t's block
 *   IDENTITY       what is written where nothing has been read yet
 * Sums and products of floats are carried in double and rounded where they are written, integers
 * wrap in 64 bits, and a NaN stays. Sums of floats begin with minus zero, which changes no sum.
 * Lines of a group are computed side by side, as each state of one line waits for the one
 * before. */
#include "routine/loops.h"
#include "tensor/half.h"
#include <complex.h>
#include <math.h>

/* Partial sums of a total. Their number is part of the result, as it decides the rounding. */
enum { LANES = 8 };

/* Lines that are computed side by side, and elements of each whose ranks are in the first cache. */
enum { GROUP = 4, PIECE = 64 };

#define ALONG_LOOPS(NAME, IN, OUT, STATE, NEXT, VALUE)                                             \
    static void one_##NAME(const cumulative_run *run, int line)                                    \
    {                                                                                              \
        const IN *from = run->from[line];                                                          \
        OUT *to = run->to[line];                                                                   \
        STATE state = ((STATE *)run->states)[line];                                                \
        for (int64_t i = 0; i < run->count; ++i) {                                                 \
            state = NEXT(state, from[i * run->from_step]);                                         \
            to[i * run->to_step] = VALUE(state);                                                   \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void along_##NAME(const cumulative_run *run)                                            \
    {                                                                                              \
        const STATE *states = run->states;                                                         \
        int64_t step = run->from_step, to_step = run->to_step;                                     \
        int k = 0;                                                                                 \
        for (; k + 4 <= run->lines; k += 4) {                                                      \
            const IN *a = run->from[k], *b = run->from[k + 1], *c = run->from[k + 2],              \
                     *d = run->from[k + 3];                                                        \
            OUT *to = run->to[k], *to_b = run->to[k + 1], *to_c = run->to[k + 2],                  \
                *to_d = run->to[k + 3];                                                            \
            STATE p = states[k], q = states[k + 1], r = states[k + 2], s = states[k + 3];          \
            for (int64_t i = 0; i < run->count; ++i) {                                             \
                p = NEXT(p, a[i * step]);                                                          \
                q = NEXT(q, b[i * step]);                                                          \
                r = NEXT(r, c[i * step]);                                                          \
                s = NEXT(s, d[i * step]);                                                          \
                to[i * to_step] = VALUE(p);                                                        \
                to_b[i * to_step] = VALUE(q);                                                      \
                to_c[i * to_step] = VALUE(r);                                                      \
                to_d[i * to_step] = VALUE(s);                                                      \
            }                                                                                      \
        }                                                                                          \
        for (; k < run->lines; ++k)                                                                \
            one_##NAME(run, k);                                                                    \
    }

/* The same where elements become states by RANK_OF, which takes time: they are made of a piece's
 * elements first, and values of the states last, in vectors both. KEEP(s, x) joins two of them: the
 * largest or smallest of ranks, a sum or a product. */
#define RANKED_ALONG(NAME, BITS, STATE, RANK_OF, KEEP, VALUE)                                      \
    static inline void read_##NAME(const BITS *from, int64_t step, STATE *ranks, int64_t count)    \
    {                                                                                              \
        for (int64_t i = 0; i < count; ++i)                                                        \
            ranks[i] = RANK_OF(from[i * step]);                                                    \
    }                                                                                              \
                                                                                                   \
    static inline void write_##NAME(const STATE *ranks, BITS *to, int64_t step, int64_t count)     \
    {                                                                                              \
        for (int64_t i = 0; i < count; ++i)                                                        \
            to[i * step] = (BITS)VALUE(ranks[i]);                                                  \
    }                                                                                              \
                                                                                                   \
    static inline void keep_##NAME(STATE ranks[GROUP][PIECE], STATE *states, int64_t count)        \
    {                                                                                              \
        STATE p = states[0], q = states[1], r = states[2], s = states[3];                          \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            p = ranks[0][i] = KEEP(p, ranks[0][i]);                                                \
            q = ranks[1][i] = KEEP(q, ranks[1][i]);                                                \
            r = ranks[2][i] = KEEP(r, ranks[2][i]);                                                \
            s = ranks[3][i] = KEEP(s, ranks[3][i]);                                                \
        }                                                                                          \
        states[0] = p, states[1] = q, states[2] = r, states[3] = s;                                \
    }                                                                                              \
                                                                                                   \
    /* A group with fewer lines computes with zeros in place of the others. */                     \
    static void group_##NAME(const cumulative_run *run, int64_t first, int64_t lines)              \
    {                                                                                              \
        STATE ranks[GROUP][PIECE], states[GROUP] = {0};                                            \
        if (lines < GROUP)                                                                         \
            memset(ranks, 0, sizeof ranks);                                                        \
        for (int64_t k = 0; k < lines; ++k)                                                        \
            states[k] = ((const STATE *)run->states)[first + k];                                   \
        for (int64_t i = 0, count; i < run->count; i += count) {                                   \
            count = int64_min(run->count - i, PIECE);                                              \
            for (int64_t k = 0; k < lines; ++k) {                                                  \
                const BITS *from = (const BITS *)run->from[first + k] + i * run->from_step;        \
                if (run->from_step == 1)                                                           \
                    read_##NAME(from, 1, ranks[k], count);                                         \
                else                                                                               \
                    read_##NAME(from, run->from_step, ranks[k], count);                            \
            }                                                                                      \
            keep_##NAME(ranks, states, count);                                                     \
            for (int64_t k = 0; k < lines; ++k) {                                                  \
                BITS *to = (BITS *)run->to[first + k] + i * run->to_step;                          \
                if (run->to_step == 1)                                                             \
                    write_##NAME(ranks[k], to, 1, count);                                          \
                else                                                                               \
                    write_##NAME(ranks[k], to, run->to_step, count);                               \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void along_##NAME(const cumulative_run *run)                                            \
    {                                                                                              \
        for (int64_t k = 0; k < run->lines; k += GROUP)                                            \
            group_##NAME(run, k, int64_min(run->lines - k, GROUP));                                \
    }

/* Several lanes hide the latency of an addition; they are merged in order. */
#define TOTAL_LOOP(NAME, IN, STATE, BEGIN, STEP, MERGE)                                            \
    static inline STATE total_##NAME(const IN *from, int64_t count, int64_t step)                  \
    {                                                                                              \
        STATE lanes[LANES], total = BEGIN;                                                         \
        int64_t i = 0;                                                                             \
        for (int k = 0; k < LANES; ++k)                                                            \
            lanes[k] = BEGIN;                                                                      \
        for (; i + LANES <= count; i += LANES)                                                     \
            for (int k = 0; k < LANES; ++k)                                                        \
                lanes[k] = STEP(lanes[k], from[(i + k) * step]);                                   \
        for (int k = 0; k < LANES; ++k)                                                            \
            total = MERGE(total, lanes[k]);                                                        \
        for (; i < count; ++i)                                                                     \
            total = STEP(total, from[i * step]);                                                   \
        return total;                                                                              \
    }

/* The same, in the same order, of states that are made of a piece's elements first. */
#define RANKED_TOTAL(NAME, BITS, STATE, BEGIN, STEP, KEEP)                                         \
    static inline STATE total_##NAME(const BITS *from, int64_t count, int64_t step)                \
    {                                                                                              \
        STATE ranks[PIECE], lanes[LANES], total = BEGIN;                                           \
        int64_t i = 0;                                                                             \
        for (int k = 0; k < LANES; ++k)                                                            \
            lanes[k] = BEGIN;                                                                      \
        for (int64_t n; i + LANES <= count; i += n) {                                              \
            n = int64_min(count - i, PIECE) / LANES * LANES;                                       \
            read_##NAME(from + i * step, step, ranks, n);                                          \
            for (int64_t j = 0; j < n; j += LANES)                                                 \
                for (int k = 0; k < LANES; ++k)                                                    \
                    lanes[k] = KEEP(lanes[k], ranks[j + k]);                                       \
        }                                                                                          \
        for (int k = 0; k < LANES; ++k)                                                            \
            total = KEEP(total, lanes[k]);                                                         \
        for (; i < count; ++i)                                                                     \
            total = STEP(total, from[i * step]);                                                   \
        return total;                                                                              \
    }

#define STATE_LOOPS(NAME, IN, OUT, STATE, BEGIN, STEP, VALUE, MERGE, IDENTITY, ROWS)               \
    static void begin_##NAME(void *states, int64_t count)                                          \
    {                                                                                              \
        STATE *to = states;                                                                        \
        for (int64_t i = 0; i < count; ++i)                                                        \
            to[i] = BEGIN;                                                                         \
    }                                                                                              \
                                                                                                   \
    static void lead_##NAME(void *to)                                                              \
    {                                                                                              \
        *(OUT *)to = IDENTITY;                                                                     \
    }                                                                                              \
                                                                                                   \
    static void totals_##NAME(const cumulative_run *run)                                           \
    {                                                                                              \
        STATE *states = run->states;                                                               \
        for (int64_t k = 0; k < run->lines; ++k)                                                   \
            states[k] = run->from_step == 1                                                        \
                            ? total_##NAME(run->from[k], run->count, 1)                            \
                            : total_##NAME(run->from[k], run->count, run->from_step);              \
    }                                                                                              \
                                                                                                   \
    static inline void row_##NAME(const IN *restrict from, int64_t step, OUT *restrict to,         \
                                  STATE *restrict states, int64_t columns)                         \
    {                                                                                              \
        for (int64_t j = 0; j < columns; ++j) {                                                    \
            states[j] = STEP(states[j], from[j * step]);                                           \
            to[j] = VALUE(states[j]);                                                              \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Whole rows at once: lines that begin side by side. */                                       \
    static void across_##NAME(const cumulative_run *run)                                           \
    {                                                                                              \
        const IN *from = run->from[0];                                                             \
        OUT *to = run->to[0];                                                                      \
        for (int64_t i = 0; i < run->count; ++i, from += run->from_step, to += run->to_step)       \
            if (run->line_step == 1)                                                               \
                row_##NAME(from, 1, to, run->states, run->lines);                                  \
            else                                                                                   \
                row_##NAME(from, run->line_step, to, run->states, run->lines);                     \
    }                                                                                              \
                                                                                                   \
    /* Each state becomes that before its block. */                                                \
    static void carry_##NAME(void *states, int64_t count)                                          \
    {                                                                                              \
        STATE *blocks = states, sum = BEGIN;                                                       \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            STATE before = sum;                                                                    \
            sum = MERGE(sum, blocks[i]);                                                           \
            blocks[i] = before;                                                                    \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static const cumulative_loops loops_##NAME = {                                                 \
        .state_nbytes = sizeof(STATE),                                                             \
        .begin = begin_##NAME,                                                                     \
        .lead = lead_##NAME,                                                                       \
        .totals = totals_##NAME,                                                                   \
        .carry = carry_##NAME,                                                                     \
        .along = along_##NAME,                                                                     \
        .across = across_##NAME,                                                                   \
        .rows = ROWS,                                                                              \
        .longest_row = LONGEST_ROW,                                                                \
    };

/* Lines of floats that follow each other. Where a vector holds eight doubles, a block of eight
 * elements of eight lines is turned, so that one vector has an element of each. Elsewhere lines are
 * read number by number: short ones overlap, and of longer ones `along` takes four at once. */
#ifdef __AVX512F__
#define LONGEST_ROW (INT64_C(1) << 15)
enum { SIDE = 8, LEAST_IN_PARTS = 64 };
typedef float floats __attribute__((vector_size(SIDE * sizeof(float))));
typedef double doubles __attribute__((vector_size(SIDE * sizeof(double))));

/* Each half of the lanes by itself: elements of two rows one by one. */
static inline void mix_rows(floats *a, floats *b)
{
    const floats low = __builtin_shufflevector(*a, *b, 0, 8, 1, 9, 4, 12, 5, 13);
    *b = __builtin_shufflevector(*a, *b, 2, 10, 3, 11, 6, 14, 7, 15);
    *a = low;
}

/* Elements of two rows two by two. */
static inline void mix_pairs(floats *a, floats *b)
{
    const floats low = __builtin_shufflevector(*a, *b, 0, 1, 8, 9, 4, 5, 12, 13);
    *b = __builtin_shufflevector(*a, *b, 2, 3, 10, 11, 6, 7, 14, 15);
    *a = low;
}

static inline void mix_halves(floats *a, floats *b)
{
    const floats low = __builtin_shufflevector(*a, *b, 0, 1, 2, 3, 8, 9, 10, 11);
    *b = __builtin_shufflevector(*a, *b, 4, 5, 6, 7, 12, 13, 14, 15);
    *a = low;
}

/* Rows become columns, in the order of COLUMN. */
static inline void turn_block(floats block[SIDE])
{
    for (int i = 0; i < SIDE; i += 2)
        mix_rows(&block[i], &block[i + 1]);
    for (int i = 0; i < SIDE; i += 4) {
        mix_pairs(&block[i], &block[i + 2]);
        mix_pairs(&block[i + 1], &block[i + 3]);
    }
    for (int i = 0; i < SIDE / 2; ++i)
        mix_halves(&block[i], &block[i + SIDE / 2]);
}

/* The position of column i in a transposed block: its two low bits are swapped. */
#define COLUMN(i) (((i)&4) | ((i)&1) << 1 | ((i) >> 1 & 1))

/* Reads the rest of eight lines after the whole blocks: `count` elements of each, `step` apart. */
static inline void read_parts(const float *from, int64_t step, int64_t count, float *rows)
{
    for (int k = 0; k < SIDE; ++k)
        for (int64_t i = 0; i < count; ++i)
            rows[k * SIDE + i] = from[k * step + i];
}

static inline void write_parts(float *to, int64_t step, int64_t count, const float *rows)
{
    for (int k = 0; k < SIDE; ++k)
        for (int64_t i = 0; i < count; ++i)
            to[k * step + i] = rows[k * SIDE + i];
}

/* eights_ gives how many lines it has done: none that are short and end in a part of a block. */
#define EIGHT_LOOPS(NAME, BEGIN, STEP)                                                             \
    static inline void block_##NAME(doubles *state_of, const float *from, int64_t step, float *to, \
                                    int64_t to_step)                                               \
    {                                                                                              \
        floats block[SIDE], results[SIDE];                                                         \
        doubles state = *state_of;                                                                 \
        for (int k = 0; k < SIDE; ++k)                                                             \
            memcpy(&block[k], from + k * step, sizeof *block);                                     \
        turn_block(block);                                                                         \
        for (int j = 0; j < SIDE; ++j) {                                                           \
            state = STEP(state, __builtin_convertvector(block[COLUMN(j)], doubles));               \
            results[j] = __builtin_convertvector(state, floats);                                   \
        }                                                                                          \
        turn_block(results);                                                                       \
        for (int k = 0; k < SIDE; ++k)                                                             \
            memcpy(to + k * to_step, &results[COLUMN(k)], sizeof *results);                        \
        *state_of = state;                                                                         \
    }                                                                                              \
                                                                                                   \
    static void eight_##NAME(const float *from, float *to, int64_t count)                          \
    {                                                                                              \
        const double begin = BEGIN;                                                                \
        float rows[SIDE * SIDE] = {0};                                                             \
        doubles state = {begin, begin, begin, begin, begin, begin, begin, begin};                  \
        int64_t i = 0;                                                                             \
        for (; i + SIDE <= count; i += SIDE)                                                       \
            block_##NAME(&state, from + i, count, to + i, count);                                  \
        if (i == count)                                                                            \
            return;                                                                                \
        read_parts(from + i, count, count - i, rows);                                              \
        block_##NAME(&state, rows, SIDE, rows, SIDE);                                              \
        write_parts(to + i, count, count - i, rows);                                               \
    }                                                                                              \
                                                                                                   \
    static int64_t eights_##NAME(const cumulative_run *run)                                        \
    {                                                                                              \
        const float *from = run->from[0];                                                          \
        float *to = run->to[0];                                                                    \
        int64_t line = 0, count = run->count;                                                      \
        bool takes = count % SIDE == 0 || count >= LEAST_IN_PARTS;                                 \
        for (; takes && line + SIDE <= run->lines; line += SIDE)                                   \
            eight_##NAME(from + line * count, to + line * count, count);                           \
        return line;                                                                               \
    }
#else
#define LONGEST_ROW 32
#define EIGHT_LOOPS(NAME, BEGIN, STEP)                                                             \
    static int64_t eights_##NAME(const cumulative_run *run)                                        \
    {                                                                                              \
        (void)run;                                                                                 \
        return 0;                                                                                  \
    }
#endif

#define ROWS_LOOPS(NAME, BEGIN, STEP)                                                              \
    EIGHT_LOOPS(NAME, BEGIN, STEP)                                                                 \
                                                                                                   \
    static void rows_##NAME(const cumulative_run *run)                                             \
    {                                                                                              \
        int64_t count = run->count, line = eights_##NAME(run);                                     \
        const float *from = (const float *)run->from[0] + line * count;                            \
        float *to = (float *)run->to[0] + line * count;                                            \
        for (; line < run->lines; ++line, from += count, to += count) {                            \
            double state = BEGIN;                                                                  \
            for (int64_t i = 0; i < count; ++i) {                                                  \
                state = STEP(state, (double)from[i]);                                              \
                to[i] = (float)state;                                                              \
            }                                                                                      \
        }                                                                                          \
    }

#define CUMULATIVE_LOOPS(NAME, IN, OUT, STATE, BEGIN, STEP, NEXT, VALUE, MERGE, IDENTITY)          \
    ALONG_LOOPS(NAME, IN, OUT, STATE, NEXT, VALUE)                                                 \
    TOTAL_LOOP(NAME, IN, STATE, BEGIN, STEP, MERGE)                                                \
    STATE_LOOPS(NAME, IN, OUT, STATE, BEGIN, STEP, VALUE, MERGE, IDENTITY, NULL)

/* The loops for float32. One call may take several lines that follow each other. */
#define FLOAT_LOOPS(NAME, BEGIN, STEP, NEXT, MERGE, IDENTITY)                                      \
    ALONG_LOOPS(NAME, float, float, double, NEXT, TO_FLOAT)                                        \
    ROWS_LOOPS(NAME, BEGIN, MERGE)                                                                 \
    TOTAL_LOOP(NAME, float, double, BEGIN, STEP, MERGE)                                            \
    STATE_LOOPS(NAME, float, float, double, BEGIN, STEP, TO_FLOAT, MERGE, IDENTITY, rows_##NAME)

#define RANKED_LOOPS(NAME, BITS, STATE, BEGIN, STEP, RANK_OF, KEEP, VALUE, IDENTITY)               \
    RANKED_ALONG(NAME, BITS, STATE, RANK_OF, KEEP, VALUE)                                          \
    RANKED_TOTAL(NAME, BITS, STATE, BEGIN, STEP, KEEP)                                             \
    STATE_LOOPS(NAME, BITS, BITS, STATE, BEGIN, STEP, VALUE, KEEP, IDENTITY, NULL)

#define SAME(s) (s)
#define TO_FLOAT(s) ((float)(s))
#define TO_HALF(s) half_of_f32((float)(s))
#define TO_BFLOAT(s) bfloat_of_f32((float)(s))
#define TO_COMPLEX64(s) ((float _Complex)(s))
#define FROM_HALF(x) f32_of_half(x)
#define FROM_BFLOAT(x) f32_of_bfloat(x)
#define WIDE_HALF(x) ((double)FROM_HALF(x))
#define WIDE_BFLOAT(x) ((double)FROM_BFLOAT(x))

#define ADD(s, x) ((s) + (x))
#define ADD_WORD(s, x) ((s) + (uint64_t)(int64_t)(x))
#define ADD_HALF(s, x) ((s) + WIDE_HALF(x))
#define ADD_BFLOAT(s, x) ((s) + WIDE_BFLOAT(x))
#define ADD_FLOAT(s, x) ((s) + (double)(x))
#define MULTIPLY(s, x) ((s) * (x))
#define MULTIPLY_WORD(s, x) ((s) * (uint64_t)(int64_t)(x))
#define MULTIPLY_HALF(s, x) ((s)*WIDE_HALF(x))
#define MULTIPLY_BFLOAT(s, x) ((s)*WIDE_BFLOAT(x))
#define MULTIPLY_FLOAT(s, x) ((s) * (double)(x))

/* This is the formula of all complex products in joggle: infinities get no special case. */
static inline double _Complex multiply_complex(double _Complex a, double _Complex b)
{
    double re = creal(a) * creal(b) - cimag(a) * cimag(b);
    double im = creal(a) * cimag(b) + cimag(a) * creal(b);
    return CMPLX(re, im);
}

#define LARGER(s, x) ((x) > (s) ? (x) : (s))
#define SMALLER(s, x) ((x) < (s) ? (x) : (s))

/* Floats are compared as integers of the same order, so that NaN needs no test. The bits of
 * negative floats are inverted, and NaN becomes the largest integer, whose bits are those of a NaN,
 * too. The mapping is its own inverse. */
typedef int16_t bits16 __attribute__((may_alias));
typedef int32_t bits32 __attribute__((may_alias));
typedef int64_t bits64 __attribute__((may_alias));

enum { HALF_INFINITY = 0x7c00, BFLOAT_INFINITY = 0x7f80, FLOAT_INFINITY = 0x7f800000 };
#define DOUBLE_INFINITY INT64_C(0x7ff0000000000000)

/* Without branches, so that compilers make vector code of it. */
#define SIGN(bits) ((bits) >> (8 * (int)sizeof(bits) - 1))
#define TURN(T, bits, high) ((T)((bits) ^ (SIGN(bits) & (high))))
#define IS_NAN(T, bits, high, infinity) (-(T)(((bits) & (high)) > (infinity)))
#define RANK(T, bits, high, infinity, nan)                                                         \
    ((((bits) ^ (SIGN(bits) & (high))) & ~IS_NAN(T, bits, high, infinity)) |                       \
     ((nan)&IS_NAN(T, bits, high, infinity)))

#define BITS_HALF(s) TURN(int16_t, s, INT16_MAX)
#define BITS_FLOAT(s) TURN(int32_t, s, INT32_MAX)
#define BITS_DOUBLE(s) TURN(int64_t, s, INT64_MAX)
#define LARGEST_RANK_HALF(x) RANK(int32_t, x, INT16_MAX, HALF_INFINITY, INT16_MAX)
#define SMALLEST_RANK_HALF(x) RANK(int32_t, x, INT16_MAX, HALF_INFINITY, INT16_MIN)
#define LARGEST_RANK_BFLOAT(x) RANK(int32_t, x, INT16_MAX, BFLOAT_INFINITY, INT16_MAX)
#define SMALLEST_RANK_BFLOAT(x) RANK(int32_t, x, INT16_MAX, BFLOAT_INFINITY, INT16_MIN)
#define LARGEST_RANK_FLOAT(x) RANK(int32_t, x, INT32_MAX, FLOAT_INFINITY, INT32_MAX)
#define SMALLEST_RANK_FLOAT(x) RANK(int32_t, x, INT32_MAX, FLOAT_INFINITY, INT32_MIN)
#define LARGEST_RANK_DOUBLE(x) RANK(int64_t, x, INT64_MAX, DOUBLE_INFINITY, INT64_MAX)
#define SMALLEST_RANK_DOUBLE(x) RANK(int64_t, x, INT64_MAX, DOUBLE_INFINITY, INT64_MIN)
#define LARGER_HALF(s, x) LARGER(s, LARGEST_RANK_HALF(x))
#define SMALLER_HALF(s, x) SMALLER(s, SMALLEST_RANK_HALF(x))
#define LARGER_BFLOAT(s, x) LARGER(s, LARGEST_RANK_BFLOAT(x))
#define SMALLER_BFLOAT(s, x) SMALLER(s, SMALLEST_RANK_BFLOAT(x))
#define LARGER_FLOAT(s, x) LARGER(s, LARGEST_RANK_FLOAT(x))
#define SMALLER_FLOAT(s, x) SMALLER(s, SMALLEST_RANK_FLOAT(x))
#define LARGER_DOUBLE(s, x) LARGER(s, LARGEST_RANK_DOUBLE(x))
#define SMALLER_DOUBLE(s, x) SMALLER(s, SMALLEST_RANK_DOUBLE(x))

/* log(sum * e^high): the exponents never leave the range, whatever was read. */
typedef struct log_sum {
    double high, sum;
} log_sum;

/* The logarithm of 0. An exponent of -infinity never meets another in a difference. */
#define NO_SUM ((log_sum){-INFINITY, 0})

/* s is e^high * sum, and so is the addend. Equal highs need no exponential, which also avoids inf -
 * inf. An addend with e^-inf adds nothing. */
static inline log_sum add_scaled(log_sum s, double high, double sum, double (*exponential)(double))
{
    if (high == s.high)
        return (log_sum){high, s.sum + sum};
    if (high > s.high)
        return (log_sum){high, s.sum * exponential(s.high - high) + sum};
    if (high == -INFINITY)
        return s;
    return (log_sum){s.high, s.sum + sum * exponential(high - s.high)};
}

/* Enough for float32, whose results are rounded to fewer bits. */
static inline double exp_short(double x)
{
    return (double)expf((float)x);
}

#define ADD_LOG(s, x) add_scaled(s, x, 1, exp)
#define ADD_LOG_FLOAT(s, x) add_scaled(s, (double)(x), 1, exp_short)
#define ADD_LOG_HALF(s, x) ADD_LOG_FLOAT(s, FROM_HALF(x))
#define ADD_LOG_BFLOAT(s, x) ADD_LOG_FLOAT(s, FROM_BFLOAT(x))
#define MERGE_LOG(s, t) add_scaled(s, (t).high, (t).sum, exp)
#define LOG_OF(s) ((s).high + log((s).sum))
#define LOG_FLOAT(s) ((float)((s).high + (double)logf((float)(s).sum)))
#define LOG_HALF(s) half_of_f32(LOG_FLOAT(s))
#define LOG_BFLOAT(s) bfloat_of_f32(LOG_FLOAT(s))

#define INTEGERS(X)                                                                                \
    X(BOOL, uint8_t, 0, 1)                                                                         \
    X(INT8, int8_t, INT8_MIN, INT8_MAX)                                                            \
    X(INT16, int16_t, INT16_MIN, INT16_MAX)                                                        \
    X(INT32, int32_t, INT32_MIN, INT32_MAX)                                                        \
    X(INT64, int64_t, INT64_MIN, INT64_MAX)                                                        \
    X(UINT8, uint8_t, 0, UINT8_MAX)                                                                \
    X(UINT16, uint16_t, 0, UINT16_MAX)                                                             \
    X(UINT32, uint32_t, 0, UINT32_MAX)                                                             \
    X(UINT64, uint64_t, 0, UINT64_MAX)

#define HALF_ONE 0x3c00
#define BFLOAT_ONE 0x3f80

#define SUM_OF(N, T, low, high)                                                                    \
    CUMULATIVE_LOOPS(sum_##N, T, uint64_t, uint64_t, 0, ADD_WORD, ADD_WORD, SAME, ADD, 0)
INTEGERS(SUM_OF)
RANKED_LOOPS(sum_FLOAT16, uint16_t, double, -0.0, ADD_HALF, WIDE_HALF, ADD, TO_HALF, 0)
RANKED_LOOPS(sum_BFLOAT16, uint16_t, double, -0.0, ADD_BFLOAT, WIDE_BFLOAT, ADD, TO_BFLOAT, 0)
FLOAT_LOOPS(sum_FLOAT32, -0.0, ADD_FLOAT, ADD_FLOAT, ADD, 0)
CUMULATIVE_LOOPS(sum_FLOAT64, double, double, double, -0.0, ADD, ADD, SAME, ADD, 0)
CUMULATIVE_LOOPS(sum_COMPLEX64, float _Complex, float _Complex, double _Complex, CMPLX(-0.0, -0.0),
                 ADD, ADD, TO_COMPLEX64, ADD, 0)
CUMULATIVE_LOOPS(sum_COMPLEX128, double _Complex, double _Complex, double _Complex,
                 CMPLX(-0.0, -0.0), ADD, ADD, SAME, ADD, 0)

#define PRODUCT_OF(N, T, low, high)                                                                \
    CUMULATIVE_LOOPS(product_##N, T, uint64_t, uint64_t, 1, MULTIPLY_WORD, MULTIPLY_WORD, SAME,    \
                     MULTIPLY, 1)
INTEGERS(PRODUCT_OF)
RANKED_LOOPS(product_FLOAT16, uint16_t, double, 1, MULTIPLY_HALF, WIDE_HALF, MULTIPLY, TO_HALF,
             HALF_ONE)
RANKED_LOOPS(product_BFLOAT16, uint16_t, double, 1, MULTIPLY_BFLOAT, WIDE_BFLOAT, MULTIPLY,
             TO_BFLOAT, BFLOAT_ONE)
FLOAT_LOOPS(product_FLOAT32, 1, MULTIPLY_FLOAT, MULTIPLY_FLOAT, MULTIPLY, 1)
CUMULATIVE_LOOPS(product_FLOAT64, double, double, double, 1, MULTIPLY, MULTIPLY, SAME, MULTIPLY, 1)
CUMULATIVE_LOOPS(product_COMPLEX64, float _Complex, float _Complex, double _Complex, 1,
                 multiply_complex, multiply_complex, TO_COMPLEX64, multiply_complex, 1)
CUMULATIVE_LOOPS(product_COMPLEX128, double _Complex, double _Complex, double _Complex, 1,
                 multiply_complex, multiply_complex, SAME, multiply_complex, 1)

#define LARGEST_OF(N, T, low, high)                                                                \
    CUMULATIVE_LOOPS(largest_##N, T, T, T, low, LARGER, LARGER, SAME, LARGER, low)
INTEGERS(LARGEST_OF)
RANKED_LOOPS(largest_FLOAT16, bits16, int32_t, INT16_MIN, LARGER_HALF, LARGEST_RANK_HALF, LARGER,
             BITS_HALF, (int16_t)(INT16_MIN | HALF_INFINITY))
RANKED_LOOPS(largest_BFLOAT16, bits16, int32_t, INT16_MIN, LARGER_BFLOAT, LARGEST_RANK_BFLOAT,
             LARGER, BITS_HALF, (int16_t)(INT16_MIN | BFLOAT_INFINITY))
RANKED_LOOPS(largest_FLOAT32, bits32, int32_t, INT32_MIN, LARGER_FLOAT, LARGEST_RANK_FLOAT, LARGER,
             BITS_FLOAT, INT32_MIN | FLOAT_INFINITY)
RANKED_LOOPS(largest_FLOAT64, bits64, int64_t, INT64_MIN, LARGER_DOUBLE, LARGEST_RANK_DOUBLE,
             LARGER, BITS_DOUBLE, INT64_MIN | DOUBLE_INFINITY)

#define SMALLEST_OF(N, T, low, high)                                                               \
    CUMULATIVE_LOOPS(smallest_##N, T, T, T, high, SMALLER, SMALLER, SAME, SMALLER, high)
INTEGERS(SMALLEST_OF)
RANKED_LOOPS(smallest_FLOAT16, bits16, int32_t, INT16_MAX, SMALLER_HALF, SMALLEST_RANK_HALF,
             SMALLER, BITS_HALF, HALF_INFINITY)
RANKED_LOOPS(smallest_BFLOAT16, bits16, int32_t, INT16_MAX, SMALLER_BFLOAT, SMALLEST_RANK_BFLOAT,
             SMALLER, BITS_HALF, BFLOAT_INFINITY)
RANKED_LOOPS(smallest_FLOAT32, bits32, int32_t, INT32_MAX, SMALLER_FLOAT, SMALLEST_RANK_FLOAT,
             SMALLER, BITS_FLOAT, FLOAT_INFINITY)
RANKED_LOOPS(smallest_FLOAT64, bits64, int64_t, INT64_MAX, SMALLER_DOUBLE, SMALLEST_RANK_DOUBLE,
             SMALLER, BITS_DOUBLE, DOUBLE_INFINITY)

CUMULATIVE_LOOPS(logsum_FLOAT16, uint16_t, uint16_t, log_sum, NO_SUM, ADD_LOG_HALF, ADD_LOG_HALF,
                 LOG_HALF, MERGE_LOG, 0xfc00)
CUMULATIVE_LOOPS(logsum_BFLOAT16, uint16_t, uint16_t, log_sum, NO_SUM, ADD_LOG_BFLOAT,
                 ADD_LOG_BFLOAT, LOG_BFLOAT, MERGE_LOG, 0xff80)
CUMULATIVE_LOOPS(logsum_FLOAT32, float, float, log_sum, NO_SUM, ADD_LOG_FLOAT, ADD_LOG_FLOAT,
                 LOG_FLOAT, MERGE_LOG, -INFINITY)
CUMULATIVE_LOOPS(logsum_FLOAT64, double, double, log_sum, NO_SUM, ADD_LOG, ADD_LOG, LOG_OF,
                 MERGE_LOG, -INFINITY)

#define FLOATS_OF(kind)                                                                            \
    [JG_DTYPE_FLOAT16] = &loops_##kind##_FLOAT16, [JG_DTYPE_BFLOAT16] = &loops_##kind##_BFLOAT16,  \
    [JG_DTYPE_FLOAT32] = &loops_##kind##_FLOAT32, [JG_DTYPE_FLOAT64] = &loops_##kind##_FLOAT64
#define COMPLEX_OF(kind)                                                                           \
    [JG_DTYPE_COMPLEX64] = &loops_##kind##_COMPLEX64, [JG_DTYPE_COMPLEX128] =                      \
                                                          &loops_##kind##_COMPLEX128
#define SUM_AT(N, T, low, high) [JG_DTYPE_##N] = &loops_sum_##N,
#define PRODUCT_AT(N, T, low, high) [JG_DTYPE_##N] = &loops_product_##N,
#define LARGEST_AT(N, T, low, high) [JG_DTYPE_##N] = &loops_largest_##N,
#define SMALLEST_AT(N, T, low, high) [JG_DTYPE_##N] = &loops_smallest_##N,

const cumulative_loops *const
    ROUTINE_NAMED(routine_cumulatives)[cumulative_kind_count][JG_DTYPE_COUNT] = {
        [CUMULATIVE_SUM] = {INTEGERS(SUM_AT) FLOATS_OF(sum), COMPLEX_OF(sum)},
        [CUMULATIVE_PRODUCT] = {INTEGERS(PRODUCT_AT) FLOATS_OF(product), COMPLEX_OF(product)},
        [CUMULATIVE_MAXIMUM] = {INTEGERS(LARGEST_AT) FLOATS_OF(largest)},
        [CUMULATIVE_MINIMUM] = {INTEGERS(SMALLEST_AT) FLOATS_OF(smallest)},
        [CUMULATIVE_LOG_SUM] = {FLOATS_OF(logsum)},
};
