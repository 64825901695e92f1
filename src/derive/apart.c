/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two accesses are certainly to different elements.
 *
 * Along some axis the index of the second minus that of the first must be above 0, or below. Both
 * are written as sums of values times numbers. Values that both accesses see cancel; the index of a
 * loop of which the second access is in another iteration leaves the difference of the two; others
 * are replaced by the ends of their ranges, from the innermost loop outwards, until a number is
 * left. So `x[t + 1]` is apart from `x[t]` of the same and of each later t, `x[j]` for j below i
 * from `x[i]`, and `x[2 * i + 1]` from `x[2 * i]`. Indices are taken not to wrap. */
#include "derive/passes.h"

enum { MAX_TERMS = 12, MAX_STEPS = 32, MAX_NESTING = 12 };

/* The owner of a value: OF_BOTH: both accesses see the same value; OF_FIRST, OF_SECOND: each has
 * its own; OF_GAP: the difference of the two iterations, as in derive_pair. */
typedef enum owner { OF_BOTH, OF_FIRST, OF_SECOND, OF_GAP } owner;

typedef struct term {
    uint32_t value;
    owner of;
    int64_t factor;
} term;

typedef struct sum {
    const derive_pair *pair;
    term terms[MAX_TERMS];
    int count;
    int64_t number;
    bool known; /* false once it got too long, or a number too large */
} sum;

static const kernel_program *kernel_of(const derive_pair *pair)
{
    return pair->flow->kernel;
}

static const kernel_inst *definition_of(const derive_pair *pair, uint32_t value)
{
    uint32_t at = kernel_value_at(kernel_of(pair), value)->definition;
    return at == KERNEL_NONE ? NULL : kernel_inst_at(kernel_of(pair), at);
}

static bool contains(const derive_pair *pair, uint32_t opener, uint32_t at)
{
    return at > opener && at <= derive_last_of(kernel_of(pair), opener);
}

/* Values from before it are the same for both accesses: the loop whose iterations differ, or the
 * outermost block around the access that is not around the other, or the access. */
static uint32_t outer_of(const derive_pair *pair, owner of)
{
    uint32_t at = of == OF_SECOND ? pair->second : pair->first;
    uint32_t other = of == OF_SECOND ? pair->first : pair->second;
    if (pair->loop != KERNEL_NONE)
        return pair->loop;
    uint32_t found = at;
    for (uint32_t up = pair->flow->blocks[at]; up != KERNEL_NONE && !contains(pair, up, other);
         up = pair->flow->blocks[up])
        found = up;
    return found;
}

static bool is_int(const derive_pair *pair, uint32_t value)
{
    return dtype_rows[kernel_value_at(kernel_of(pair), value)->type].kind == JG_KIND_INT;
}

static bool is_one(const sum *s, const term *t, uint32_t value, owner of)
{
    if (t->of != of)
        return false;
    return t->value == value ||
           (of == OF_BOTH && derive_is_same_value(kernel_of(s->pair), t->value, value));
}

static void add_number(sum *s, int64_t number, int64_t factor)
{
    int64_t product;
    s->known = s->known && !__builtin_mul_overflow(number, factor, &product) &&
               !__builtin_add_overflow(s->number, product, &s->number);
}

static void remove_term(sum *s, int i)
{
    s->terms[i] = s->terms[--s->count];
}

static void add_term(sum *s, uint32_t value, owner of, int64_t factor)
{
    int i = 0;
    while (i < s->count && !is_one(s, &s->terms[i], value, of))
        ++i;
    if (i == MAX_TERMS) {
        s->known = false;
        return;
    }
    if (i == s->count)
        s->terms[s->count++] = (term){value, of, 0};
    s->known = s->known && !__builtin_add_overflow(s->terms[i].factor, factor, &s->terms[i].factor);
    if (s->terms[i].factor == 0)
        remove_term(s, i);
}

/* A value that is no sum. */
static void add_base(sum *s, uint32_t value, owner of, int64_t factor)
{
    const derive_pair *pair = s->pair;
    const kernel_inst *loop =
        pair->loop == KERNEL_NONE ? NULL : kernel_inst_at(kernel_of(pair), pair->loop);
    if (of == OF_BOTH || flow_is_fixed(kernel_of(pair), value, outer_of(pair, of))) {
        add_term(s, value, OF_BOTH, factor);
        return;
    }
    bool moves = loop != NULL && loop->nvalues > 0 && value == loop->first + pair->range;
    if (!moves) {
        add_term(s, value, of, factor);
        return;
    }
    add_term(s, value, OF_BOTH, factor);
    if (of == OF_SECOND)
        add_term(s, value, OF_GAP, factor);
}

static void add_value(sum *s, uint32_t value, owner of, int64_t factor, int depth);

/* Whether the value was a sum, and has been added. */
static bool add_parts(sum *s, const kernel_inst *inst, owner of, int64_t factor, int depth)
{
    const uint32_t *parts = kernel_operands(kernel_of(s->pair), inst);
    int64_t number;
    switch (inst->op) {
    case PROGRAM_CAST:
        if (!flow_widens(inst))
            return false;
        add_value(s, parts[0], of, factor, depth - 1);
        return true;
    case PROGRAM_NEGATE: add_value(s, parts[0], of, -factor, depth - 1); return true;
    case PROGRAM_ADD:
    case PROGRAM_SUBTRACT:
        add_value(s, parts[0], of, factor, depth - 1);
        add_value(s, parts[1], of, inst->op == PROGRAM_ADD ? factor : -factor, depth - 1);
        return true;
    case PROGRAM_MULTIPLY:
        for (int side = 0; side < 2; ++side)
            if (flow_is_number(s->pair->flow, parts[side], &number) &&
                !__builtin_mul_overflow(factor, number, &number)) {
                add_value(s, parts[1 - side], of, number, depth - 1);
                return true;
            }
        return false;
    default: return false;
    }
}

static bool find_extent(const derive_pair *pair, const kernel_inst *inst, int64_t *out)
{
    if (inst->op != KERNEL_EXTENT)
        return false;
    *out = kernel_array_at(kernel_of(pair), inst->target)->extents[inst->immediate];
    return *out != KERNEL_GIVEN;
}

static void add_value(sum *s, uint32_t value, owner of, int64_t factor, int depth)
{
    const kernel_inst *inst = definition_of(s->pair, value);
    int64_t number;
    if (flow_is_number(s->pair->flow, value, &number) ||
        (inst != NULL && find_extent(s->pair, inst, &number)))
        add_number(s, number, factor);
    else if (factor != 0 && (inst == NULL || depth == 0 || !is_int(s->pair, value) ||
                             !add_parts(s, inst, of, factor, depth)))
        add_base(s, value, of, factor);
}

/* The gap between the two iterations, at its lower or upper end. */
static bool bound_gap(sum *s, const term *t, bool lower)
{
    const derive_pair *pair = s->pair;
    const kernel_inst *loop = kernel_inst_at(kernel_of(pair), pair->loop);
    const uint32_t *bounds = kernel_operands(kernel_of(pair), loop) + 2 * (size_t)pair->range;
    int64_t step = loop->op == KERNEL_FOR ? loop->immediate : 1, low, high, most;
    bool up = (step > 0) == (pair->sign > 0);
    int64_t least = step < 0 ? -step : step;
    if (up == lower) {
        add_number(s, up ? least : -least, t->factor);
        return true;
    }
    if (!flow_is_number(pair->flow, bounds[0], &low) ||
        !flow_is_number(pair->flow, bounds[1], &high) ||
        __builtin_sub_overflow(step > 0 ? high : low, step > 0 ? low : high, &most))
        return false;
    add_number(s, up ? most - 1 : 1 - most, t->factor);
    return true;
}

/* Puts the lower or upper end of its range in the place of a loop's index. */
static bool bound_index(sum *s, const term *t, bool lower)
{
    const kernel_inst *loop = definition_of(s->pair, t->value);
    if (loop == NULL || (loop->op != KERNEL_FOR && loop->op != KERNEL_PARALLEL))
        return false;
    const uint32_t *bounds =
        kernel_operands(kernel_of(s->pair), loop) + 2 * (size_t)(t->value - loop->first);
    bool down = loop->op == KERNEL_FOR && loop->immediate < 0;
    bool first = lower != down;
    add_value(s, bounds[first ? 0 : 1], t->of, t->factor, MAX_NESTING);
    if (!first)
        add_number(s, down ? 1 : -1, t->factor);
    return true;
}

/* An extent is not below 0; of other values nothing is known. */
static bool bound_other(sum *s, const term *t, bool lower)
{
    const kernel_inst *inst = definition_of(s->pair, t->value);
    (void)s;
    return lower && inst != NULL && inst->op == KERNEL_EXTENT;
}

static int innermost(const sum *s)
{
    int found = 0;
    uint32_t last = 0;
    for (int i = 0; i < s->count; ++i) {
        if (s->terms[i].of == OF_GAP)
            return i;
        uint32_t at = kernel_value_at(kernel_of(s->pair), s->terms[i].value)->definition;
        if (at != KERNEL_NONE && at >= last) {
            last = at;
            found = i;
        }
    }
    return found;
}

/* Whether the sum is above 0 for all values. */
static bool is_positive(sum s)
{
    for (int step = 0; s.known && s.count > 0; ++step) {
        int i = innermost(&s);
        term t = s.terms[i];
        bool lower = t.factor > 0;
        remove_term(&s, i);
        bool bounded = t.of == OF_GAP ? bound_gap(&s, &t, lower)
                                      : bound_index(&s, &t, lower) || bound_other(&s, &t, lower);
        if (!bounded || step == MAX_STEPS)
            return false;
    }
    return s.known && s.number > 0;
}

bool derive_are_apart(const derive_pair *pair)
{
    const kernel_inst *first = kernel_inst_at(kernel_of(pair), pair->first);
    const kernel_inst *second = kernel_inst_at(kernel_of(pair), pair->second);
    int ndim = kernel_array_at(kernel_of(pair), first->target)->ndim;
    for (int d = 0; d < ndim; ++d) {
        sum up = {.pair = pair, .known = true}, down = up;
        uint32_t x = kernel_operands(kernel_of(pair), first)[d];
        uint32_t y = kernel_operands(kernel_of(pair), second)[d];
        add_value(&up, y, OF_SECOND, 1, MAX_NESTING);
        add_value(&up, x, OF_FIRST, -1, MAX_NESTING);
        add_value(&down, y, OF_SECOND, -1, MAX_NESTING);
        add_value(&down, x, OF_FIRST, 1, MAX_NESTING);
        if (is_positive(up) || is_positive(down))
            return true;
    }
    return false;
}
