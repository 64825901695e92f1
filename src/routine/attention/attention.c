/* SPDX-License-Identifier: Apache-2.0 */
/* Scaled dot product attention that never has all scores in memory: for some queries, keys are
 * taken block after block, and results are corrected when a larger score comes. After Dao, Fu,
 * Ermon, Rudra, Re, "FlashAttention", 2022, and Milakov, Gimelshein, "Online normalizer calculation
 * for softmax", 2018. Sums are float32's.
 *
 * A unit is some of the rows that meet one head of k and v: the queries of all heads of q that this
 * head serves, query by query. No result depends on how rows are cut.
 *
 * Many rows meet packed keys and values. For few of them, as where a model writes word after word,
 * packing would cost more than the rest, so keys and values are read as they lie, and long ones by
 * several units. What each of those found is joined by a second step. */
#include "math/vector_math.h"
#include "routine/attention/attention_call.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Part of the memory, of which `used` elements are taken; NULL of no memory. */
static float *take(float *memory, int64_t *used, int64_t count)
{
    enum { LINE_FLOATS = 16 };
    float *part = memory == NULL ? NULL : memory + *used;
    *used += round_up(count, LINE_FLOATS);
    return part;
}

/* The state of rows after they have met some keys. gives: the number of floats that it takes */
static int64_t lay_out_state(const attention *a, float *memory, attention_room *room)
{
    int64_t used = 0, rows = a->block_rows;
    room->out = take(memory, &used, rows * a->padded);
    room->largest = take(memory, &used, rows);
    room->sums = take(memory, &used, rows);
    return used;
}

/* gives: how many floats the room takes */
static int64_t lay_out(const attention *a, float *memory, attention_room *room)
{
    int64_t used = 0, line = a->depth > a->width ? a->depth : a->width;
    int64_t packed = a->of_keys == NULL ? ATTENTION_KEYS : 0;
    room->q = take(memory, &used, a->block_rows * a->depth);
    room->keys = take(memory, &used, packed * a->depth);
    room->values = take(memory, &used, packed * a->padded);
    room->scores = take(memory, &used, ATTENTION_ROWS * ATTENTION_KEYS);
    room->lines = take(memory, &used, ATTENTION_LINES * line);
    room->offsets = (int64_t *)(void *)take(memory, &used, 2 * a->depth);
    return used + lay_out_state(a, memory == NULL ? NULL : memory + used, room);
}

/* The state of a unit of the first step, if a second step combines the units. */
static int64_t state_floats(const attention *a)
{
    attention_room none;
    return lay_out_state(a, NULL, &none);
}

static jg_status room_init(const attention *a, attention_room *room)
{
    enum { LINE_NBYTES = 64 };
    size_t nbytes = (size_t)lay_out(a, NULL, room) * sizeof(float);
    float *memory = base_alloc_aligned(LINE_NBYTES, nbytes);
    if (memory == NULL)
        return base_nomem(nbytes, "an attention");
    lay_out(a, memory, room);
    for (int64_t d = 0; d < a->depth; ++d)
        room->offsets[d] = d * a->panel;
    return JG_OK;
}

/* Rows of a unit that are taken together, and the keys that they meet. */
typedef struct attention_part {
    const attention_unit *unit, *next; /* whose keys come after these, or NULL */
    int64_t row, rows, key, keys, next_key;
    const attention_panels *turned_keys, *values;
} attention_part;

static int64_t first_key(const attention_unit *unit)
{
    return unit->part * ATTENTION_PART;
}

static void apply_mask(const attention *a, const char *mask, const attention_part *part, float *row)
{
    const int64_t step = a->mask->strides[a->mask->ndim - 1], count = part->keys;
    const char *flags = mask + part->key * step;
    const float *numbers = attention_float(mask, part->key * step);
    if (a->mask->dtype == JG_DTYPE_BOOL)
        for (int64_t j = 0; j < count; ++j)
            row[j] = flags[j * step] ? row[j] : -FLT_MAX;
    else if (step == 1) /* of which the compiler makes vectors */
        for (int64_t j = 0; j < count; ++j)
            row[j] += numbers[j];
    else
        for (int64_t j = 0; j < count; ++j)
            row[j] += numbers[j * step];
}

/* A score that is masked out becomes the lowest finite number, as in attention that is spelled in
 * other ops: in a row whose scores are all masked, all keys get equal weights. Columns beyond the
 * keys become -inf. */
static void mask_scores(const attention *a, const attention_part *part, float *scores)
{
    const bool causal = a->call->attributes->attention.causal;
    for (int64_t r = 0; r < part->rows; ++r, scores += ATTENTION_KEYS) {
        if (a->mask != NULL) {
            int64_t at = attention_row_offset(a, part->unit, a->mask, part->row + r);
            apply_mask(a, attention_address(a, a->mask, at), part, scores);
        }
        if (causal) {
            int64_t query = (part->unit->first + part->row + r) / a->group;
            int64_t seen = a->span - a->length + query + 1 - part->key;
            for (int64_t j = int64_max(seen, 0); j < part->keys; ++j)
                scores[j] = -FLT_MAX;
        }
        for (int64_t j = part->keys; j < round_up(part->keys, ATTENTION_STRIP); ++j)
            scores[j] = -INFINITY;
    }
}

/* A sink is a score without a value, which the first part meets. A later part may see no key. */
static void begin_rows(const attention *a, const attention_unit *unit, const attention_room *room)
{
    if (a->of_keys != NULL)
        memset(room->out, 0, (size_t)(unit->rows * a->padded) * sizeof *room->out);
    for (int64_t r = 0; r < unit->rows; ++r) {
        room->largest[r] = -INFINITY;
        room->sums[r] = 0;
        if (a->sinks == NULL || unit->part > 0)
            continue;
        int64_t head = unit->head * a->group + (unit->first + r) % a->group;
        room->largest[r] = *attention_float(
            attention_address(a, a->sinks, attention_offset(a->sinks, unit->batch, head, 0)), 0);
        room->sums[r] = 1;
    }
}

/* A key or a value of the part, and those after it. */
static attention_lines lines_of(const attention *a, const attention_part *part,
                                const routine_operand *x)
{
    int64_t at = attention_offset(x, part->unit->batch, part->unit->head, part->key);
    return (attention_lines){.lines = attention_address(a, x, at),
                             .step = x->strides[x->ndim - 2],
                             .count = part->keys,
                             .length = x->shape[x->ndim - 1],
                             .rows = part->rows};
}

/* Has lines of the part fetched while others are read. */
static void fetch(const attention *a, const attention_part *part, const routine_operand *x,
                  attention_lines *meanwhile)
{
    const attention_lines lines = lines_of(a, part, x);
    int64_t itemsize = (int64_t)dtype_itemsize(x->dtype);
    meanwhile->ahead = lines.lines;
    meanwhile->ahead_step = lines.step * itemsize;
    meanwhile->ahead_length = lines.length * itemsize;
}

static void score_rows(const attention *a, const attention_part *part, const attention_room *room)
{
    const float *queries = room->q + part->row * a->depth;
    if (a->of_keys == NULL) {
        attention_multiply(a, queries, a->depth, part->turned_keys, room->scores, ATTENTION_KEYS,
                           part->rows, round_up(part->keys, a->panel), false);
        return;
    }
    attention_lines call = lines_of(a, part, a->k);
    call.x = queries;
    call.x_row = a->depth;
    call.to = room->scores;
    call.to_row = ATTENTION_KEYS;
    /* Otherwise the values would be read only when all keys were. */
    if (a->of_values != NULL && part->row == 0)
        fetch(a, part, a->v, &call);
    a->of_keys->dots(&call);
}

static void blend_values(const attention *a, const attention_part *part, bool adds, float *out,
                         const attention_room *room)
{
    if (a->of_values == NULL) {
        attention_multiply(a, room->scores, ATTENTION_KEYS, part->values, out, a->padded,
                           part->rows, a->padded, adds);
        return;
    }
    attention_lines call = lines_of(a, part, a->v);
    call.x = room->scores;
    call.x_row = ATTENTION_KEYS;
    call.to = out;
    call.to_row = a->padded;
    call.adds = adds;
    if (a->of_keys != NULL && part->row == 0 && part->next != NULL) {
        const attention_part next = {.unit = part->next, .key = part->next_key};
        fetch(a, &next, a->k, &call);
    }
    a->of_values->blend(&call);
}

/* Adds the contribution of the keys to the results of these rows. */
static void add_part(const attention *a, const attention_part *part, const attention_room *room)
{
    float factors[ATTENTION_ROWS], *out = room->out + part->row * a->padded;
    const bool adds = part->key > first_key(part->unit);
    score_rows(a, part, room);
    mask_scores(a, part, room->scores);
    a->softmax->fold(&(attention_scores){.scores = room->scores,
                                         .row_step = ATTENTION_KEYS,
                                         .rows = part->rows,
                                         .columns = round_up(part->keys, ATTENTION_STRIP),
                                         .largest = room->largest + part->row,
                                         .sums = room->sums + part->row,
                                         .factors = factors});
    for (int64_t r = 0; r < part->rows && adds; ++r)
        if (factors[r] != 1)
            a->softmax->scale(out + r * a->padded, a->padded, factors[r]);
    blend_values(a, part, adds, out, room);
}

/* So few rows at a time that their queries, scores and results stay in the first cache. */
static void add_keys(const attention *a, attention_part part, const attention_room *room)
{
    attention_panels keys, values;
    part.turned_keys = &keys;
    part.values = &values;
    if (a->of_keys == NULL)
        attention_pack(a, part.unit, part.key, part.keys, room, &keys, &values);
    for (; part.row < part.unit->rows; part.row += part.rows) {
        int64_t left = part.unit->rows - part.row;
        part.rows = int64_min(left, a->taken_rows);
        add_part(a, &part, room);
    }
}

static void store_rows(const attention *a, const attention_unit *unit, const attention_room *room)
{
    void (*narrow)(const void *, int64_t, void *) =
        routine_loops_chosen()->convolves->narrow[a->out->dtype];
    const float total =
        a->total != NULL ? *attention_float(attention_address(a, a->total, 0), 0) : 1;
    for (int64_t r = 0; r < unit->rows; ++r) {
        float *row = room->out + r * a->padded;
        int64_t at = attention_row_offset(a, unit, a->out, r);
        char *to = (char *)a->call->addresses[a->call->noperands - 1] +
                   at * (int64_t)dtype_itemsize(a->out->dtype);
        for (int64_t j = 0; j < a->width; ++j)
            row[j] = row[j] * total / room->sums[r];
        if (narrow != NULL)
            narrow(row, a->width, to);
        else
            memcpy(to, row, (size_t)a->width * sizeof *row);
    }
}

/* A causal unit reads only the keys that its last query sees. With more queries than keys the first
 * ones see none, so their scores of all keys are alike. */
static void attend(const attention *a, const attention_unit *unit, const attention_unit *next,
                   const attention_room *room)
{
    int64_t seen = a->span, key = first_key(unit), next_key = next != NULL ? first_key(next) : 0;
    if (a->call->attributes->attention.causal && a->span >= a->length)
        seen = a->span - a->length + (unit->first + unit->rows - 1) / a->group + 1;
    if (a->parts > 1 && seen > key + ATTENTION_PART)
        seen = key + ATTENTION_PART;
    attention_pack_queries(a, unit, room);
    begin_rows(a, unit, room);
    for (; key < seen; key += ATTENTION_KEYS) {
        const bool is_last = seen - key <= ATTENTION_KEYS;
        const attention_part part = {
            .unit = unit,
            .key = key,
            .keys = is_last ? seen - key : ATTENTION_KEYS,
            .next = is_last ? next : unit,
            .next_key = is_last ? next_key : key + ATTENTION_KEYS,
        };
        add_keys(a, part, room);
    }
}

/* Adds the state of one part to that of another, as if all keys had come one after the other. */
static void join_rows(const attention *a, int64_t rows, const attention_room *to,
                      const attention_room *from)
{
    for (int64_t r = 0; r < rows; ++r) {
        const float ours = to->largest[r], theirs = from->largest[r];
        const float largest = ours > theirs ? ours : theirs;
        const float shift = largest == -INFINITY ? 0 : largest;
        const float left = vector_exp_f32(ours - shift), right = vector_exp_f32(theirs - shift);
        float *sums = to->out + r * a->padded;
        const float *more = from->out + r * a->padded;
        for (int64_t j = 0; j < a->width; ++j)
            sums[j] = sums[j] * left + more[j] * right;
        to->sums[r] = to->sums[r] * left + from->sums[r] * right;
        to->largest[r] = largest;
    }
}

static float *state_at(const attention *a, int64_t unit)
{
    return (float *)a->call->scratch + unit * state_floats(a);
}

/* Units of the second step are those that one thread could have done in one. */
static void join_parts(const attention *a, int64_t number)
{
    const attention_unit unit = attention_unit_at(a, number * a->parts);
    attention_room all, part;
    lay_out_state(a, state_at(a, number * a->parts), &all);
    for (int64_t i = 1; i < a->parts; ++i) {
        lay_out_state(a, state_at(a, number * a->parts + i), &part);
        join_rows(a, unit.rows, &all, &part);
    }
    store_rows(a, &unit, &all);
}

enum { ATTEND, JOIN, STEPS };

static int steps(const routine_call *call)
{
    return attention_describe(call).parts > 1 ? STEPS : 1;
}

static int64_t blocks_of_all(const attention *a)
{
    return a->out->size / (a->rows * a->width) * a->blocks;
}

static int64_t units(const routine_call *call, int step)
{
    const attention a = attention_describe(call);
    return blocks_of_all(&a) * (step == ATTEND ? a.parts : 1);
}

static size_t scratch(const routine_call *call)
{
    const attention a = attention_describe(call);
    int64_t states = a.parts > 1 ? blocks_of_all(&a) * a.parts : 0;
    return (size_t)(states * state_floats(&a)) * sizeof(float);
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    const attention a = attention_describe(call);
    attention_room room;
    if (step == JOIN) {
        for (int64_t number = first; number < last; ++number)
            join_parts(&a, number);
        return JG_OK;
    }
    JG_TRY(room_init(&a, &room));
    attention_unit unit = attention_unit_at(&a, first), next;
    for (int64_t number = first; number < last; ++number, unit = next) {
        const bool is_last = number + 1 == last;
        next = is_last ? unit : attention_unit_at(&a, number + 1);
        if (a.parts > 1)
            lay_out_state(&a, state_at(&a, number), &room);
        attend(&a, &unit, is_last ? NULL : &next, &room);
        if (a.parts == 1)
            store_rows(&a, &unit, &room);
    }
    base_free(room.q);
    return JG_OK;
}

/* A twelfth of an element for a term, as of matrix products; a score takes an exponential. Where
 * keys are read for few rows, memory is the limit: a sixth of an element a byte. */
static int64_t work(const routine_call *call)
{
    enum { TERM = 12, SCORE = 4 };
    const attention a = attention_describe(call);
    int64_t scores;
    if (__builtin_mul_overflow(a.out->size / a.width, a.span, &scores) ||
        __builtin_mul_overflow(scores, (a.depth + a.width) / TERM + SCORE, &scores))
        return INT64_MAX;
    if (a.of_keys == NULL)
        return scores;
    int64_t line = a.depth * (int64_t)dtype_itemsize(a.k->dtype) +
                   a.width * (int64_t)dtype_itemsize(a.v->dtype),
            nbytes;
    if (__builtin_mul_overflow(blocks_of_all(&a) * a.span, line, &nbytes) ||
        __builtin_add_overflow(scores, nbytes / 6, &scores))
        return INT64_MAX;
    return scores;
}

/* Both products, of q by k and of the shares by v. */
static double flops(const routine_call *call)
{
    const routine_operand *q = &call->operands[0], *k = &call->operands[1];
    double span = (double)k->shape[k->ndim - 2];
    return 2 * span * ((double)q->size + (double)call->operands[call->noperands - 1].size);
}

const jg_routine routine_attention = {
    .name = "attention",
    .steps = steps,
    .units = units,
    .run = run,
    .work = work,
    .flops = flops,
    .scratch = scratch,
};
