/* SPDX-License-Identifier: Apache-2.0 */
/* Where the largest or the smallest element of each line stands, the first of several. Elements are
 * compared as whole numbers of the same order, largest first: a float's magnitude with its sign,
 * NaN beyond all others, and for the smallest everything turned round.
 *
 * Lines that lie side by side are taken by rows. Others are cut into blocks whose places are found
 * first (step 0) and then compared (step 1), so that one long line is work for several threads. */
#include "routine/routine.h"

enum { AXIS, SMALLEST }; /* the places in values */
enum { X, RESULT };
enum { STRIP = 512, NARROW = 8, BLOCK = 1 << 16, CHUNK = 256 };

typedef struct place_kernels {
    /* The place of the first of the line's largest. */
    int64_t (*along)(const void *from, int64_t count, int64_t step);
    /* The same of lines that begin side by side, `apart` from each other. */
    void (*across)(const void *from, int64_t count, int64_t step, int64_t lines, int64_t apart,
                   int64_t *places);
    bool (*beats)(const void *x, const void *other); /* whether x comes before the other */
} place_kernels;

/* An instance for elements IN, compared as RANK(x), a KEY; INDEX is an integer as wide as KEY. */
#define PLACE_KERNELS(NAME, IN, KEY, INDEX, RANK)                                                  \
    static inline KEY top_##NAME(const IN *from, int64_t count, int64_t step)                      \
    {                                                                                              \
        KEY top = RANK(from[0]);                                                                   \
        for (int64_t i = 1; i < count; ++i) {                                                      \
            KEY rank = RANK(from[i * step]);                                                       \
            top = rank > top ? rank : top;                                                         \
        }                                                                                          \
        return top;                                                                                \
    }                                                                                              \
                                                                                                   \
    static int64_t along_##NAME(const void *line, int64_t count, int64_t step)                     \
    {                                                                                              \
        const IN *from = line;                                                                     \
        int64_t place = 0;                                                                         \
        KEY best = RANK(from[0]);                                                                  \
        for (int64_t first = 0; first < count; first += CHUNK) {                                   \
            const IN *chunk = from + first * step;                                                 \
            int64_t n = count - first < CHUNK ? count - first : CHUNK;                             \
            KEY top = step == 1 ? top_##NAME(chunk, n, 1) : top_##NAME(chunk, n, step);            \
            if (top > best) {                                                                      \
                best = top;                                                                        \
                place = first;                                                                     \
            }                                                                                      \
        }                                                                                          \
        while (RANK(from[place * step]) != best) /* it stands in the chunk that begins there */    \
            ++place;                                                                               \
        return place;                                                                              \
    }                                                                                              \
                                                                                                   \
    static inline void row_##NAME(const IN *restrict from, int64_t apart, INDEX place,             \
                                  KEY *restrict best, INDEX *restrict places, int64_t lines)       \
    {                                                                                              \
        for (int64_t j = 0; j < lines; ++j) {                                                      \
            KEY rank = RANK(from[j * apart]);                                                      \
            places[j] = rank > best[j] ? place : places[j];                                        \
            best[j] = rank > best[j] ? rank : best[j];                                             \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void across_##NAME(const void *line, int64_t count, int64_t step, int64_t lines,        \
                              int64_t apart, int64_t *places)                                      \
    {                                                                                              \
        const IN *from = line;                                                                     \
        KEY best[STRIP];                                                                           \
        INDEX found[STRIP];                                                                        \
        for (int64_t j = 0; j < lines; ++j) {                                                      \
            best[j] = RANK(from[j * apart]);                                                       \
            found[j] = 0;                                                                          \
        }                                                                                          \
        for (int64_t i = 1; i < count; ++i)                                                        \
            if (apart == 1)                                                                        \
                row_##NAME(from + i * step, 1, (INDEX)i, best, found, lines);                      \
            else                                                                                   \
                row_##NAME(from + i * step, apart, (INDEX)i, best, found, lines);                  \
        for (int64_t j = 0; j < lines; ++j)                                                        \
            places[j] = found[j];                                                                  \
    }                                                                                              \
                                                                                                   \
    static bool beats_##NAME(const void *x, const void *other)                                     \
    {                                                                                              \
        return RANK(*(const IN *)x) > RANK(*(const IN *)other);                                    \
    }                                                                                              \
                                                                                                   \
    static const place_kernels kernels_##NAME = {                                                  \
        .along = along_##NAME, .across = across_##NAME, .beats = beats_##NAME};

/* ---- ranks ---- */

typedef int16_t bits16 __attribute__((may_alias));
typedef int32_t bits32 __attribute__((may_alias));
typedef int64_t bits64 __attribute__((may_alias));

/* Without branches, so that compilers make vector code of it. */
#define SIGN(bits) ((bits) >> (8 * (int)sizeof(bits) - 1))
#define SIGNED(bits, high) ((((bits) & (high)) ^ SIGN(bits)) - SIGN(bits))
#define IS_NAN(T, bits, high, infinity) (-(T)(((bits) & (high)) > (infinity)))
#define ORDER(T, bits, high, infinity)                                                             \
    ((SIGNED(bits, high) & ~IS_NAN(T, bits, high, infinity)) |                                     \
     ((high)&IS_NAN(T, bits, high, infinity)))
#define TURNED(T, bits, high, infinity)                                                            \
    ((-SIGNED(bits, high) & ~IS_NAN(T, bits, high, infinity)) |                                    \
     ((high)&IS_NAN(T, bits, high, infinity)))

#define RANK_SAME(x) (x)
#define RANK_TURNED(x) (~(x))
#define RANK_HALF(x) ORDER(int32_t, x, INT16_MAX, 0x7c00)
#define RANK_BFLOAT(x) ORDER(int32_t, x, INT16_MAX, 0x7f80)
#define RANK_FLOAT(x) ORDER(int32_t, x, INT32_MAX, 0x7f800000)
#define RANK_DOUBLE(x) ORDER(int64_t, x, INT64_MAX, INT64_C(0x7ff0000000000000))
#define TURNED_HALF(x) TURNED(int32_t, x, INT16_MAX, 0x7c00)
#define TURNED_BFLOAT(x) TURNED(int32_t, x, INT16_MAX, 0x7f80)
#define TURNED_FLOAT(x) TURNED(int32_t, x, INT32_MAX, 0x7f800000)
#define TURNED_DOUBLE(x) TURNED(int64_t, x, INT64_MAX, INT64_C(0x7ff0000000000000))

/* X(NAME, IN, KEY, INDEX, RANK, TURNED) */
#define PLACES(X)                                                                                  \
    X(BOOL, uint8_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                     \
    X(INT8, int8_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                      \
    X(INT16, int16_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                    \
    X(INT32, int32_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                    \
    X(INT64, int64_t, int64_t, int64_t, RANK_SAME, RANK_TURNED)                                    \
    X(UINT8, uint8_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                    \
    X(UINT16, uint16_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                  \
    X(UINT32, uint32_t, uint32_t, int32_t, RANK_SAME, RANK_TURNED)                                 \
    X(UINT64, uint64_t, uint64_t, int64_t, RANK_SAME, RANK_TURNED)                                 \
    X(FLOAT16, bits16, int32_t, int32_t, RANK_HALF, TURNED_HALF)                                   \
    X(BFLOAT16, bits16, int32_t, int32_t, RANK_BFLOAT, TURNED_BFLOAT)                              \
    X(FLOAT32, bits32, int32_t, int32_t, RANK_FLOAT, TURNED_FLOAT)                                 \
    X(FLOAT64, bits64, int64_t, int64_t, RANK_DOUBLE, TURNED_DOUBLE)

#define INSTANCES(NAME, IN, KEY, INDEX, LARGEST_RANK, SMALLEST_RANK)                               \
    PLACE_KERNELS(largest_##NAME, IN, KEY, INDEX, LARGEST_RANK)                                    \
    PLACE_KERNELS(smallest_##NAME, IN, KEY, INDEX, SMALLEST_RANK)
PLACES(INSTANCES)

#define INSTANCES_AT(NAME, ...)                                                                    \
    [JG_DTYPE_##NAME] = {&kernels_largest_##NAME, &kernels_smallest_##NAME},
static const place_kernels *const table[JG_DTYPE_COUNT][2] = {PLACES(INSTANCES_AT)};

/* ---- the routine ---- */

static int axis_of(const routine_call *call)
{
    return (int)call->values[AXIS];
}

static const place_kernels *kernels_of(const routine_call *call)
{
    return table[call->operands[X].dtype][call->values[SMALLEST]];
}

static int64_t divide_up(int64_t count, int64_t each)
{
    return count / each + (count % each != 0);
}

static int64_t count_of(const routine_call *call)
{
    return call->operands[X].shape[axis_of(call)];
}

static int64_t columns_of(const routine_call *call)
{
    return routine_columns(&call->operands[X], axis_of(call));
}

static bool is_across(const routine_call *call)
{
    return columns_of(call) >= NARROW && count_of(call) <= INT32_MAX;
}

static int64_t blocks_of(const routine_call *call)
{
    return divide_up(count_of(call), BLOCK);
}

static const char *address_of(const routine_call *call, int64_t line, int64_t index)
{
    const routine_operand *x = &call->operands[X];
    int64_t offset = routine_line_start(x, axis_of(call), line) + index * x->strides[axis_of(call)];
    return (const char *)call->addresses[X] + offset * (int64_t)dtype_itemsize(x->dtype);
}

static void run_strip(const routine_call *call, int64_t unit)
{
    const routine_operand *x = &call->operands[X];
    int64_t columns = columns_of(call), strips = divide_up(columns, STRIP);
    int64_t column = unit % strips * STRIP, line = unit / strips * columns + column;
    int64_t lines = columns - column < STRIP ? columns - column : STRIP;
    kernels_of(call)->across(address_of(call, line, 0), count_of(call), x->strides[axis_of(call)],
                             lines, x->strides[x->ndim - 1],
                             (int64_t *)call->addresses[RESULT] + line);
}

/* The place in one block of a line, for the result where there is but one. */
static void run_block(const routine_call *call, int64_t unit)
{
    int64_t blocks = blocks_of(call), line = unit / blocks, first = unit % blocks * BLOCK;
    int64_t count = count_of(call) - first < BLOCK ? count_of(call) - first : BLOCK;
    int64_t *places = blocks > 1 ? call->scratch : call->addresses[RESULT];
    places[unit] = first + kernels_of(call)->along(address_of(call, line, first), count,
                                                   call->operands[X].strides[axis_of(call)]);
}

/* The earliest block whose element no later one beats. */
static void compare_blocks(const routine_call *call, int64_t line)
{
    const int64_t *places = (const int64_t *)call->scratch + line * blocks_of(call);
    int64_t best = places[0];
    for (int64_t i = 1; i < blocks_of(call); ++i)
        if (kernels_of(call)->beats(address_of(call, line, places[i]),
                                    address_of(call, line, best)))
            best = places[i];
    ((int64_t *)call->addresses[RESULT])[line] = best;
}

static int steps(const routine_call *call)
{
    return is_across(call) || blocks_of(call) < 2 ? 1 : 2;
}

static int64_t units(const routine_call *call, int step)
{
    int64_t lines = call->operands[RESULT].size;
    if (lines == 0)
        return 0;
    if (is_across(call))
        return lines / columns_of(call) * divide_up(columns_of(call), STRIP);
    return step == 0 ? lines * blocks_of(call) : lines;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    bool across = is_across(call);
    for (int64_t unit = first; unit < last; ++unit)
        if (across)
            run_strip(call, unit);
        else if (step == 0)
            run_block(call, unit);
        else
            compare_blocks(call, unit);
    return JG_OK;
}

static size_t scratch(const routine_call *call)
{
    if (steps(call) == 1)
        return 0;
    return (size_t)(call->operands[RESULT].size * blocks_of(call)) * sizeof(int64_t);
}

const jg_routine routine_place = {
    .name = "place", .steps = steps, .units = units, .run = run, .scratch = scratch};
