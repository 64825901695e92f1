/* SPDX-License-Identifier: Apache-2.0 */
/* Which parallel loops run several indices at once, each in a lane of a vector.
 *
 * LLVM makes vectors of innermost loops. Where those are loops that each index runs by itself, say
 * over the other bodies or along a row, their turns wait for each other: the sum of floats has an
 * order. The indices have none. So where all indices run such loops together (with bounds that are
 * the same for all, outside of branches), and where what they read there is the same or lies side
 * by side, a number of them takes each step of those loops at once. A branch around all of the work
 * is none to those indices that take it together. This file finds out where that is so;
 * emit_lanes.c does it. */
#include "jit/kernel/emit.h"
#include <string.h>

/* A local's elements of all lanes lie on the stack. Indices of more sums and products inside each
 * other than this are kept as they are. */
enum { MAX_LOCAL_NBYTES = 16 << 10, MAX_INDEX_DEPTH = 8 };

typedef struct lane_analysis {
    const kernel_program *kernel;
    const jit_analysis *analysis;
    uint32_t loop, end;
    lane_plan *plan;
    bool *written;   /* of each array: the loop writes it */
    int loops, ifs;  /* around the instruction, within the parallel loop */
    uint32_t widest; /* bits of the values that differ between lanes in inner loops */
    bool has_loop;
    bool screened; /* indices have been checked ahead */
} lane_analysis;

static bool is_scalar(uint16_t op)
{
    return op < KERNEL_CONST;
}

static lane_kind kind_of(const lane_analysis *s, uint32_t value)
{
    return (lane_kind)s->plan->kinds[value];
}

static bool all_same(const lane_analysis *s, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(s->kernel, inst);
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (kind_of(s, operands[i]) != LANES_SAME)
            return false;
    return true;
}

/* Whether a sum, a difference or a cast of integers grows by one from lane to lane, because one
 * operand does. */
static bool stays_in_steps(const lane_analysis *s, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(s->kernel, inst);
    if (!s->analysis->indexing[inst->first] || !kernel_is_linear(inst) ||
        kind_of(s, operands[0]) == LANES_APART)
        return false;
    if (inst->op == PROGRAM_CAST)
        return true;
    lane_kind first = kind_of(s, operands[0]), second = kind_of(s, operands[1]);
    if (inst->op == PROGRAM_ADD)
        return first + second == LANES_STEP;
    return inst->op == PROGRAM_SUBTRACT && first == LANES_STEP && second == LANES_SAME;
}

/* An element is the same for all lanes if its indices are, the array is not written, and it is
 * always read: one that is read in a branch may not exist. */
static lane_kind find_kind(const lane_analysis *s, const kernel_inst *inst)
{
    bool readable = inst->op == KERNEL_LOAD && s->ifs == 0 && !s->written[inst->target];
    if (inst->op == KERNEL_CONST || inst->op == KERNEL_EXTENT || inst->op == KERNEL_FOR)
        return LANES_SAME;
    if ((is_scalar(inst->op) || readable) && all_same(s, inst))
        return LANES_SAME;
    return is_scalar(inst->op) && stays_in_steps(s, inst) ? LANES_STEP : LANES_APART;
}

/* All lanes have the same iterations. */
static bool enters_loop(lane_analysis *s, const kernel_inst *inst)
{
    s->has_loop = true;
    s->loops += 1;
    return s->ifs == 0 && all_same(s, inst);
}

/* In an inner loop, what lanes read or write is one element, or elements side by side. */
static bool reaches_well(const lane_analysis *s, const kernel_inst *inst)
{
    const kernel_array *array = kernel_array_at(s->kernel, inst->target);
    const uint32_t *indices = kernel_operands(s->kernel, inst);
    int last = array->ndim - 1;
    for (int d = 0; s->loops > 0 && d <= last; ++d) {
        bool unit = d == last &&
                    (array->dense || array->strides[d] == (int64_t)dtype_itemsize(array->dtype));
        lane_kind kind = kind_of(s, indices[d]);
        if (kind != LANES_SAME && !(unit && kind == LANES_STEP))
            return false;
    }
    return true;
}

static bool fits_local(const lane_analysis *s, const kernel_inst *inst)
{
    const kernel_local *local = kernel_local_at(s->kernel, inst->target);
    size_t nbytes = local->length * dtype_itemsize((jg_dtype)local->dtype) * LANES_MAX;
    return local->length == 0 || (s->ifs == 0 && nbytes <= MAX_LOCAL_NBYTES);
}

/* The serial code's may be read where it is a single variable; an index's own array is used at the
 * same position by all lanes, so that their elements lie side by side. */
static bool uses_local_well(const lane_analysis *s, const kernel_inst *inst)
{
    const kernel_local *local = kernel_local_at(s->kernel, inst->target);
    bool own = s->analysis->locals[inst->target].loop == s->loop;
    if (!own)
        return inst->op == KERNEL_GET && local->length == 0;
    return local->length == 0 || kind_of(s, kernel_operands(s->kernel, inst)[0]) == LANES_SAME;
}

/* A lane that left the loop would end the others' work; what is the same for all lanes is checked
 * before them. */
static bool is_checked_well(const lane_analysis *s, uint32_t position, const kernel_inst *inst)
{
    uint8_t looks = s->analysis->looks[position];
    bool same = inst->op == KERNEL_LOAD && find_kind(s, inst) == LANES_SAME;
    return s->screened || (!(looks & LOOK_BEFORE) && (!(looks & LOOK_HERE) || same));
}

static bool is_fine(lane_analysis *s, uint32_t position, const kernel_inst *inst)
{
    if (!is_checked_well(s, position, inst))
        return false;
    switch (inst->op) {
    case KERNEL_CONST:
    case KERNEL_EXTENT: return true;
    case KERNEL_LOAD:
    case KERNEL_STORE: return reaches_well(s, inst);
    case KERNEL_LOCAL: return fits_local(s, inst);
    case KERNEL_GET:
    case KERNEL_SET: return uses_local_well(s, inst);
    case KERNEL_ATOMIC:
        return s->analysis->private[position] ||
               (analysis_is_plain(inst, COMPILE_NO_ALIAS) && reaches_well(s, inst));
    case KERNEL_FOR: return enters_loop(s, inst);
    case KERNEL_IF: s->ifs += position != s->plan->branch; return true;
    case KERNEL_ELSE: return true;
    case KERNEL_END:
        if (kernel_inst_at(s->kernel, inst->match)->op == KERNEL_FOR)
            s->loops -= 1;
        else
            s->ifs -= inst->match != s->plan->branch;
        return true;
    default: return is_scalar(inst->op);
    }
}

/* The number of lanes follows from the values in inner loops. */
static void note_width(lane_analysis *s, const kernel_inst *inst)
{
    uint32_t bits = dtype_rows[inst->to].bits;
    if (s->loops > 0 && inst->nvalues == 1 && kind_of(s, inst->first) == LANES_APART &&
        bits > s->widest)
        s->widest = bits;
}

/* Values in the order of their definitions, so that operands have their kinds; and whether all of
 * the loop may be run so. Without an inner loop LLVM makes vectors of the loop itself. */
static bool look_through(lane_analysis *s)
{
    const kernel_inst *loop = kernel_inst_at(s->kernel, s->loop);
    s->plan->kinds[loop->first + loop->nvalues - 1] = LANES_STEP;
    for (uint32_t p = s->loop + 1; p < s->end; ++p) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, p);
        if (!is_fine(s, p, inst))
            return false;
        if (inst->nvalues == 1)
            s->plan->kinds[inst->first] = (uint8_t)find_kind(s, inst);
        note_width(s, inst);
    }
    return s->has_loop && s->widest > 0;
}

/* Such a value is kept if it is used in another region, a sum or product that goes into an index by
 * its parts: it is computed again, as a kept one is no longer the exact number. depth: of these
 * parts */
static void keep(lane_analysis *s, uint32_t value, uint32_t region, int depth)
{
    uint32_t from = kernel_value_at(s->kernel, value)->definition;
    if (kind_of(s, value) != LANES_APART || s->plan->regions[from] == region)
        return;
    const kernel_inst *inst = kernel_inst_at(s->kernel, from);
    if (depth == 0 || !s->analysis->indexing[value] || !kernel_is_linear(inst)) {
        s->plan->kept[value] = true;
        return;
    }
    for (uint32_t i = 0; i < inst->noperands; ++i)
        keep(s, kernel_operands(s->kernel, inst)[i], region, depth - 1);
}

/* Regions are what lies between the inner loops' ends. A value that differs from lane to lane and
 * is used in another one is kept; those in steps are computed again. */
static void find_regions(lane_analysis *s)
{
    uint32_t region = 0;
    for (uint32_t p = s->loop + 1; p < s->end; ++p) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, p);
        bool closes =
            inst->op == KERNEL_END && kernel_inst_at(s->kernel, inst->match)->op == KERNEL_FOR;
        region += inst->op == KERNEL_FOR || closes;
        s->plan->regions[p] = region;
    }
    for (uint32_t p = s->loop + 1; p < s->end; ++p) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, p);
        const uint32_t *operands = kernel_operands(s->kernel, inst);
        for (uint32_t i = 0; i < inst->noperands; ++i)
            keep(s, operands[i], s->plan->regions[p], MAX_INDEX_DEPTH);
    }
}

static void find_written(const lane_analysis *s)
{
    for (uint32_t p = s->loop; p < s->end; ++p) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, p);
        if (inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC)
            s->written[inst->target] = true;
    }
}

void jit_lane_plan_clear(lane_plan *plan)
{
    base_free(plan->kinds);
    base_free(plan->regions);
    *plan = (lane_plan){0};
}

uint32_t analysis_only_branch(const kernel_program *kernel, const jit_analysis *analysis,
                              uint32_t loop)
{
    uint32_t end = kernel_inst_at(kernel, loop)->match;
    for (uint32_t p = loop + 1; p < end; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (inst->op == KERNEL_IF)
            return inst->match + 1 == end ? p : KERNEL_NONE;
        if (kernel_effect_of(inst->op) != KERNEL_EFFECT_NOTHING || analysis->looks[p] != 0)
            return KERNEL_NONE;
    }
    return KERNEL_NONE;
}

jg_status jit_lanes_plan_loop(const kernel_program *kernel, const jit_analysis *analysis,
                              uint32_t loop, bool screened, lane_plan *out)
{
    size_t nbytes = 2 * (size_t)kernel->nvalues + kernel->narrays + 1;
    lane_plan plan = {.kinds = base_alloc_zeroed(nbytes),
                      .regions = base_alloc_zeroed((kernel->ninsts + 1) * sizeof(uint32_t)),
                      .branch = analysis_only_branch(kernel, analysis, loop)};
    lane_analysis s = {.kernel = kernel,
                       .analysis = analysis,
                       .loop = loop,
                       .end = kernel_inst_at(kernel, loop)->match,
                       .plan = &plan,
                       .screened = screened};
    if (plan.kinds == NULL || plan.regions == NULL) {
        jit_lane_plan_clear(&plan);
        return base_nomem(nbytes, "a kernel");
    }
    plan.kept = (bool *)plan.kinds + kernel->nvalues;
    s.written = plan.kept + kernel->nvalues;
    find_written(&s);
    if (look_through(&s)) {
        find_regions(&s);
        plan.bits = s.widest;
    } else {
        jit_lane_plan_clear(&plan);
    }
    *out = plan;
    return JG_OK;
}
