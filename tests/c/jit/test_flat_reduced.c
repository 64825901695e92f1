/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that reduce rows and pass over them again give the same bits on both tiers: for rows of
 * any length, whatever is in them, from units in any order. */
#include "../program/loads.h"
#include "jit/flat.h"
#include "jit/jit.h"
#include "tile/tile.h"
#include <math.h>
#include <stdlib.h>

enum { ROWS = 5, LONGEST = 3300, NREADS = 3, GAP = 8 };

/* Below a block, whole blocks, rests of all kinds, whole tiles, and what follows those. */
static const int64_t lengths[] = {16,  17,  31,  32,  33,   47,   63,   64,   65,   100,  127,
                                  128, 191, 192, 256, 1000, 1023, 1024, 1025, 1056, 2048, LONGEST};

/* Elements: ordinary ones; zeros of both signs, of which one is the largest; some NaN or infinity
 * among ordinary ones; only -infinity. */
typedef enum filling { ORDINARY, ZEROS, SPECIAL, NOTHING, FILLINGS } filling;

typedef struct trial {
    jg_program program;
    jg_scalar scalars[PROGRAM_MAX_SCALARS];
    float *memory[2][PROGRAM_MAX_BUFFERS]; /* by tier */
} trial;

static uint64_t next_bits(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static float element(filling kind, uint64_t *seed)
{
    static const float specials[] = {NAN, INFINITY, -INFINITY, -0.0F, 3e38F, 1e-41F};
    float x = (float)next_bits(seed) / (float)(1u << 30) - 1;
    switch (kind) {
    case ZEROS: return next_bits(seed) % 2 ? -0.0F : next_bits(seed) % 3 ? 0.0F : -fabsf(x);
    case SPECIAL:
        return next_bits(seed) % 200 == 0 ? specials[next_bits(seed) % JG_COUNT_OF(specials)] : x;
    case NOTHING: return -INFINITY;
    default: return 3 * x;
    }
}

static void store(trial *t, int position, bool per_row)
{
    int buffer;
    assert_ok(program_add_buffer(&t->program, PROGRAM_ROLE_WRITE,
                                 program_type_of(&t->program, position), &buffer));
    t->program.buffers[buffer].per_row = per_row;
    assert_ok(program_store(&t->program, position, buffer));
}

static int apply(trial *t, program_op op, int x, int y)
{
    int position, operands[] = {x, y};
    assert_ok(program_apply(&t->program, op, program_inst_rows[op].arity, operands, &position));
    t->program.reduces |= program_is_reduction(op);
    return position;
}

static int number(trial *t, float value)
{
    int scalar, position;
    assert_ok(program_add_scalar(&t->program, JG_DTYPE_FLOAT32, &scalar));
    memcpy(&t->scalars[scalar], &value, sizeof value);
    assert_ok(program_scalar(&t->program, scalar, &position));
    return position;
}

/* The reads are x, dense rows with a gap behind each; w, the same for all rows; s, one for each. */
static program_space *make_space(const trial *t, int64_t columns)
{
    const jg_program *program = &t->program;
    program_space *space =
        calloc(1, sizeof *space + (size_t)program->nbuffers * 2 * sizeof(int64_t));
    *space = (program_space){
        .ndim = 2, .nreduced = 1, .nbuffers = program->nbuffers, .extents = {ROWS, columns}};
    for (int b = 0; b < program->nbuffers; ++b) {
        int64_t itemsize = (int64_t)dtype_itemsize((jg_dtype)program->buffers[b].dtype);
        bool one = program->buffers[b].per_row || b == 2;
        int64_t row = b == 0 ? columns + GAP : b == 1 ? 0 : one ? 1 : columns;
        space->strides[2 * b] = row * itemsize;
        space->strides[2 * b + 1] = one ? 0 : itemsize;
        if (program->buffers[b].role == PROGRAM_ROLE_INDEX) {
            space->strides[2 * b] = -2;
            space->strides[2 * b + 1] = 1;
        }
    }
    return space;
}

static void fill_memory(trial *t, filling kind)
{
    size_t count = (size_t)ROWS * (LONGEST + GAP);
    for (int b = 0; b < t->program.nbuffers; ++b) {
        uint64_t seed = (uint64_t)b + 1;
        for (int tier = 0; tier < 2; ++tier)
            t->memory[tier][b] = aligned_alloc(64, size_round_up(count * sizeof(float), 64));
        for (size_t i = 0; i < count; ++i)
            t->memory[0][b][i] = t->memory[1][b][i] =
                b < NREADS ? element(b == 0 ? kind : ORDINARY, &seed) : 99;
    }
}

static void run_tier(trial *t, const program_space *space, const program_executor *executor,
                     int tier)
{
    static _Alignas(64) char shared[EXECUTOR_SHARED_NBYTES];
    void *addresses[PROGRAM_MAX_BUFFERS];
    executor_code *code;
    for (int b = 0; b < t->program.nbuffers; ++b)
        addresses[b] = t->program.buffers[b].role == PROGRAM_ROLE_INDEX ? (void *)(intptr_t)-3
                                                                        : t->memory[tier][b];
    assert_true(executor->accepts(&t->program));
    assert_ok(executor->prepare(&t->program, space, &code));
    for (int64_t u = executor->units(code); u-- > 0;)
        executor->run(code, addresses, t->scalars, shared, u, u + 1);
    executor->finish(code, addresses, t->scalars, shared);
    executor->release(code);
}

static bool is_half_nan(uint16_t half)
{
    return (half & 0x7fff) > 0x7c00;
}

/* NaN is NaN. */
static bool same(const char *x, const char *y, bool half)
{
    float floats[2];
    uint16_t halves[2];
    memcpy(halves, x, sizeof *halves);
    memcpy(halves + 1, y, sizeof *halves);
    if (half)
        return halves[0] == halves[1] || (is_half_nan(halves[0]) && is_half_nan(halves[1]));
    memcpy(floats, x, sizeof *floats);
    memcpy(floats + 1, y, sizeof *floats);
    return memcmp(x, y, sizeof *floats) == 0 || (floats[0] != floats[0] && floats[1] != floats[1]);
}

static void compare(const trial *t, int64_t columns, filling kind)
{
    for (int b = 0; b < t->program.nbuffers; ++b) {
        size_t itemsize = dtype_itemsize((jg_dtype)t->program.buffers[b].dtype);
        const char *x = (const char *)t->memory[0][b], *y = (const char *)t->memory[1][b];
        if (t->program.buffers[b].role == PROGRAM_ROLE_INDEX)
            continue;
        for (size_t i = 0; i < (size_t)ROWS * (LONGEST + GAP); ++i)
            if (!same(x + i * itemsize, y + i * itemsize, itemsize == sizeof(uint16_t)))
                fail_msg("rows of %d, filling %d: element %zu of buffer %d differs", (int)columns,
                         (int)kind, i, b);
    }
}

static void check_lengths(trial *t, filling kind)
{
    assert_ok(program_verify(&t->program));
    for (size_t i = 0; i < JG_COUNT_OF(lengths); ++i) {
        program_space *space = make_space(t, lengths[i]);
        fill_memory(t, kind);
        run_tier(t, space, &tile_executor, 0);
        run_tier(t, space, &jit_executor, 1);
        compare(t, lengths[i], kind);
        for (int b = 0; b < t->program.nbuffers; ++b)
            for (int tier = 0; tier < 2; ++tier)
                free(t->memory[tier][b]);
        free(space);
    }
}

static void check(trial *t)
{
    for (filling kind = 0; kind < FILLINGS; ++kind)
        check_lengths(t, kind);
    free(t);
}

/* gives: what all programs begin with: x, w and s as reads 0 to 2 */
static trial *start(int reads[NREADS])
{
    trial *t = calloc(1, sizeof *t);
    program_init(&t->program);
    for (int i = 0; i < NREADS; ++i)
        reads[i] = add_load(&t->program, JG_DTYPE_FLOAT32);
    t->program.buffers[2].per_row = true;
    return t;
}

static int mean_of(trial *t, int x)
{
    return apply(t, PROGRAM_MULTIPLY, apply(t, PROGRAM_REDUCE_ADD, x, 0), number(t, 0.01F));
}

TEST(softmax_has_the_bits_of_the_tiles)
{
    int reads[NREADS];
    trial *t = start(reads);
    int most = apply(t, PROGRAM_REDUCE_MAXIMUM, reads[0], 0);
    int powers = apply(t, PROGRAM_EXP, apply(t, PROGRAM_SUBTRACT, reads[0], most), 0);
    int sum = apply(t, PROGRAM_REDUCE_ADD, powers, 0);
    store(t, apply(t, PROGRAM_DIVIDE, powers, sum), false);
    store(t, most, true);
    check(t);
}

/* The largest is of computed values, which are then used again. */
TEST(softmax_before_an_index_has_the_bits_of_the_tiles)
{
    int reads[NREADS], index, at, zero, chosen;
    trial *t = start(reads);
    assert_ok(program_add_buffer(&t->program, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &index));
    assert_ok(program_index(&t->program, index, &at));
    assert_ok(program_cast(&t->program, number(t, 20), JG_DTYPE_INT64, &zero));
    int scaled = apply(t, PROGRAM_ADD, apply(t, PROGRAM_MULTIPLY, reads[0], reads[2]), reads[1]);
    int below = apply(t, PROGRAM_LESS, at, zero), operands[] = {below, scaled, number(t, -9)};
    assert_ok(program_apply(&t->program, PROGRAM_SELECT, 3, operands, &chosen));
    int least = apply(t, PROGRAM_REDUCE_MINIMUM, chosen, 0);
    int powers = apply(t, PROGRAM_EXP, apply(t, PROGRAM_SUBTRACT, least, chosen), 0);
    int sum = apply(t, PROGRAM_REDUCE_ADD, powers, 0);
    store(t, apply(t, PROGRAM_MULTIPLY, powers, sum), false);
    store(t, apply(t, PROGRAM_ADD, sum, reads[2]), true);
    store(t, least, true);
    check(t);
}

TEST(layer_norm_has_the_bits_of_the_tiles)
{
    int reads[NREADS];
    trial *t = start(reads);
    int centred = apply(t, PROGRAM_SUBTRACT, reads[0], mean_of(t, reads[0]));
    int variance = mean_of(t, apply(t, PROGRAM_MULTIPLY, centred, centred));
    int deviation = apply(t, PROGRAM_SQRT, apply(t, PROGRAM_ADD, variance, number(t, 1e-5F)), 0);
    int normed = apply(t, PROGRAM_DIVIDE, centred, deviation);
    store(t, apply(t, PROGRAM_ADD, apply(t, PROGRAM_MULTIPLY, normed, reads[1]), reads[2]), false);
    check(t);
}

/* A sum of products of what lies in memory, a second sum in the same pass, and a result for each
 * element of a half. */
TEST(sums_of_products_and_halves_have_the_bits_of_the_tiles)
{
    int reads[NREADS], half;
    trial *t = start(reads);
    int square = apply(t, PROGRAM_REDUCE_ADD, apply(t, PROGRAM_MULTIPLY, reads[0], reads[0]), 0);
    int weighed = apply(t, PROGRAM_REDUCE_ADD, apply(t, PROGRAM_MULTIPLY, reads[0], reads[1]), 0);
    int both = apply(t, PROGRAM_ADD, square, weighed);
    int scaled = apply(t, PROGRAM_DIVIDE, reads[0], both);
    assert_ok(program_cast(&t->program, scaled, JG_DTYPE_FLOAT16, &half));
    store(t, half, false);
    store(t, apply(t, PROGRAM_REDUCE_ADD, scaled, 0), true);
    store(t, apply(t, PROGRAM_REDUCE_MAXIMUM, scaled, 0), true);
    check(t);
}

/* Sums with the row as it is, in one call of the tiles, and beside something computed. */
TEST(sums_taken_at_once_have_the_bits_of_the_tiles)
{
    int reads[NREADS];
    trial *t = start(reads);
    int sum = mean_of(t, reads[0]), most = apply(t, PROGRAM_REDUCE_MAXIMUM, reads[0], 0);
    int shifted = apply(t, PROGRAM_SUBTRACT, apply(t, PROGRAM_SUBTRACT, reads[0], sum), most);
    store(t, apply(t, PROGRAM_REDUCE_ADD, shifted, 0), true);
    store(t, apply(t, PROGRAM_REDUCE_ADD, apply(t, PROGRAM_MULTIPLY, shifted, shifted), 0), true);
    store(t, sum, true);
    check(t);
}

/* What another length would add in another order is left to the tiles. */
TEST(other_reductions_are_left_to_the_tiles)
{
    static const program_op ops[] = {PROGRAM_REDUCE_MULTIPLY, PROGRAM_REDUCE_ADD};
    for (size_t i = 0; i < JG_COUNT_OF(ops); ++i) {
        trial *t = calloc(1, sizeof *t);
        program_init(&t->program);
        jg_dtype dtype = ops[i] == PROGRAM_REDUCE_ADD ? JG_DTYPE_FLOAT64 : JG_DTYPE_FLOAT32;
        int x = add_load(&t->program, dtype), result = apply(t, ops[i], x, 0);
        store(t, apply(t, PROGRAM_DIVIDE, x, result), false);
        assert_ok(program_verify(&t->program));
        assert_true(tile_executor.accepts(&t->program));
        assert_false(jit_executor.accepts(&t->program));
        free(t);
    }
}

/* Rows that begin at lines go past the caches, others into them; both have the same values, and
 * nothing beside a row is written. */
TEST(rows_stream_wherever_they_begin)
{
    enum { COLUMNS = 192 };
    int reads[NREADS];
    trial *t = start(reads);
    jit_flat_rows *rows;
    store(t, apply(t, PROGRAM_SUBTRACT, reads[0], apply(t, PROGRAM_REDUCE_ADD, reads[0], 0)),
          false);
    program_space *space = make_space(t, COLUMNS);
    assert_true(jit_rows_suit_reduced(&t->program, space));
    assert_ok(jit_rows_prepare(&t->program, space, 1, true, &rows));
    for (int shift = 0; shift < 18; shift += 4) {
        static _Alignas(64) float to[ROWS * COLUMNS + 64];
        fill_memory(t, ORDINARY);
        for (size_t i = 0; i < JG_COUNT_OF(to); ++i)
            to[i] = 99;
        run_tier(t, space, &tile_executor, 0);
        jit_rows_run_reduced(
            rows, (void *[]){t->memory[1][0], t->memory[1][1], t->memory[1][2], to + shift}, NULL,
            0, ROWS);
        for (int i = 0; i < (int)JG_COUNT_OF(to); ++i) {
            bool inside = i >= shift && i < shift + ROWS * COLUMNS;
            assert_true(to[i] == (inside ? t->memory[0][3][i - shift] : 99));
        }
        for (int b = 0; b < t->program.nbuffers; ++b)
            for (int tier = 0; tier < 2; ++tier)
                free(t->memory[tier][b]);
    }
    jit_rows_release(rows);
    free(space);
    free(t);
}
