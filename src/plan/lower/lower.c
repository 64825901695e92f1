/* SPDX-License-Identifier: Apache-2.0 */
/* Lowers a group to a program with its index space and operands.
 *
 * Members become instructions in slot order, and those that make the same value one. Operands are
 * cast as the op's type rule says; half precision is computed in float32 and rounded after each op,
 * so that fusing changes no result. What a member reads from memory becomes a load through the
 * strides that its index map gives. */
#include "plan/device/code.h"
#include "plan/steps.h"
#include <string.h>

enum { PROGRAM_NONE = PROGRAM_OP_COUNT }; /* of primitives that become no single instruction */
enum { LOWER_REMADE = 16 };               /* that are found again; others are merged later */

static const uint8_t insts[PRIMITIVE_COUNT] = {
#define JG_PRIMITIVE(name, kind, rules) [PRIMITIVE_##name] = PROGRAM_NONE,
#define JG_ELEMENTWISE(name, inst, rules) [PRIMITIVE_##name] = PROGRAM_##inst,
#define JG_REDUCTION(name, inst, rules) [PRIMITIVE_##name] = PROGRAM_##inst,
#include "op/primitive.def"
#undef JG_PRIMITIVE
};

/* One buffer of the program under construction. */
typedef struct lower_buffer {
    plan_operand operand;
    int64_t strides[JG_MAX_NDIM]; /* bytes (steps for an index) along the group's axes */
    int value;                    /* the instruction that loads it */
    bool per_row;
} lower_buffer;

/* A value of another group that this one computes, reached through a map. */
typedef struct lower_remade {
    int slot, value;
    const plan_index_map *map;
} lower_remade;

typedef struct lowering {
    plan_draft *draft;
    const plan_group *group;
    jg_program program;
    lower_buffer buffers[PROGRAM_MAX_BUFFERS];
    plan_scalar scalars[PROGRAM_MAX_SCALARS];
    int *values; /* by slot, from the group's first: the instruction that makes a member's value */
    int nremade;
    lower_remade remade[LOWER_REMADE];
    bool remaking; /* inputs are computed, whatever group they are of */
} lowering;

static const jg_array *node_at(const lowering *low, int slot)
{
    return walk_nodes(low->draft->walk)[slot];
}

/* The strides of a layout, reached through a map, along the group's axes, in bytes or units of
 * scale. */
static void strides_through(const plan_index_map *map, const int64_t *strides, int64_t scale,
                            lower_buffer *buffer)
{
    for (int k = 0; k < map->to; ++k)
        buffer->operand.offset_bytes += map->origin[k] * strides[k] * scale;
    for (int d = 0; d < map->from; ++d) {
        buffer->strides[d] = 0;
        for (int k = 0; k < map->to; ++k)
            buffer->strides[d] += map->steps[d * map->to + k] * strides[k] * scale;
    }
}

/* Whether the buffer reads the same memory in the same way. A view of what is computed may see its
 * root's slot as another dtype. */
static bool same_buffer(const lowering *low, int index, const lower_buffer *other, jg_dtype dtype)
{
    const lower_buffer *buffer = &low->buffers[index];
    return low->program.buffers[index].role == PROGRAM_ROLE_READ &&
           low->program.buffers[index].dtype == dtype &&
           buffer->operand.slot == other->operand.slot &&
           buffer->operand.offset_bytes == other->operand.offset_bytes &&
           buffer->per_row == other->per_row &&
           memcmp(buffer->strides, other->strides,
                  (size_t)low->group->ndim * sizeof *buffer->strides) == 0;
}

/* Whether the member is computed once a row; the input of a reduction is not. */
static bool is_row_value(const lowering *low, int slot)
{
    const plan_node *node = &low->draft->nodes[slot];
    return low->group->nreductions > 0 && plan_space_is_row_value(low->group, node->map);
}

static jg_status add_buffer(lowering *low, program_role role, jg_dtype dtype,
                            const lower_buffer *buffer, int *out)
{
    JG_TRY(program_add_buffer(&low->program, role, dtype, out));
    low->program.buffers[*out].per_row = buffer->per_row;
    low->buffers[*out] = *buffer;
    return JG_OK;
}

/* A load of the buffer's element, shared with an earlier load of the same element. */
static jg_status load_buffer(lowering *low, lower_buffer *buffer, jg_dtype dtype, int *out)
{
    int index;
    for (index = 0; index < low->program.nbuffers; ++index) {
        if (same_buffer(low, index, buffer, dtype)) {
            *out = low->buffers[index].value;
            return JG_OK;
        }
    }
    JG_TRY(add_buffer(low, PROGRAM_ROLE_READ, dtype, buffer, &index));
    JG_TRY(program_load(&low->program, index, out));
    low->buffers[index].value = *out;
    return JG_OK;
}

/* Loads an input of a member from memory. The input of a reduction is read for each element of a
 * row. */
static jg_status load_input(lowering *low, int slot, int input, int *out)
{
    const jg_array *x = node_at(low, slot)->inputs[input];
    const plan_index_map *map;
    int64_t itemsize = (int64_t)dtype_itemsize((jg_dtype)x->dtype);
    lower_buffer buffer = {.operand.slot = (int)walk_slot(x)};
    buffer.per_row = is_row_value(low, slot) && low->draft->nodes[slot].reads == NULL;
    JG_TRY(draft_input_map(low->draft, slot, input, &map));
    /* A leaf's address includes its own offset; a view of something computed starts inside its
     * root. */
    buffer.operand.offset_bytes = node_has_storage(x) ? 0 : x->offset * itemsize;
    if (x->size > 0) /* the strides of an empty array may be anything */
        strides_through(map, node_strides(x), itemsize, &buffer);
    return load_buffer(low, &buffer, (jg_dtype)x->dtype, out);
}

static jg_status scalar_value(lowering *low, int slot, plan_scalar_field field, jg_dtype dtype,
                              int *out)
{
    int scalar;
    JG_TRY(program_add_scalar(&low->program, dtype, &scalar));
    low->scalars[scalar] = (plan_scalar){slot, field};
    return program_scalar(&low->program, scalar, out);
}

/* The scalar of a number that equals this one, or -1. */
static int find_constant(const lowering *low, int constant)
{
    for (int i = 0; constant != 0 && i < low->program.nscalars; ++i)
        if (low->scalars[i].field == SCALAR_VALUE &&
            low->draft->nodes[low->scalars[i].slot].constant == constant)
            return i;
    return -1;
}

static jg_status lower_full(lowering *low, int slot, int *out)
{
    int scalar = find_constant(low, low->draft->nodes[slot].constant);
    if (scalar >= 0)
        return program_scalar(&low->program, scalar, out);
    return scalar_value(low, slot, SCALAR_VALUE, (jg_dtype)node_at(low, slot)->dtype, out);
}

static jg_status lower_node(lowering *low, int slot, int *out);

/* Lowers a node as if it were a member that the map leads to. */
static jg_status lower_through(lowering *low, int slot, const plan_index_map *map, int *out)
{
    plan_node *node = &low->draft->nodes[slot], own = *node;
    bool remaking = low->remaking;
    node->map = map;
    node->reads = NULL;
    low->remaking = true;
    jg_status status = lower_node(low, slot, out);
    low->remaking = remaking;
    *node = own;
    return status;
}

/* The value of a node that its own group does not store: remake.c has seen that it is cheap. */
static jg_status remake_input(lowering *low, int slot, int input, int *out)
{
    int read = (int)walk_slot(node_at(low, slot)->inputs[input]);
    const plan_index_map *map;
    JG_TRY(draft_root_map(low->draft, slot, input, &map));
    for (int i = 0; i < low->nremade; ++i) {
        const lower_remade *remade = &low->remade[i];
        *out = remade->value;
        if (remade->slot == read && plan_map_equal(remade->map, map))
            return JG_OK;
    }
    JG_TRY(lower_through(low, read, map, out));
    if (low->nremade < LOWER_REMADE)
        low->remade[low->nremade++] = (lower_remade){read, *out, map};
    return JG_OK;
}

/* The instruction that gives the input: of this group, a number, a load, or computed again. */
static jg_status input_value(lowering *low, int slot, int input, int *out)
{
    const jg_array *x = node_at(low, slot)->inputs[input];
    int read = (int)walk_slot(x);
    const plan_node *node = &low->draft->nodes[read];
    if (!low->remaking && node->group == low->draft->nodes[slot].group) {
        *out = low->values[read - low->group->first];
        return JG_OK;
    }
    if (node_has_storage(x) || node->output)
        return load_input(low, slot, input, out);
    if (draft_is_number(low->draft, read))
        return lower_full(low, read, out);
    return remake_input(low, slot, input, out);
}

/* Results lie row-major. */
static jg_status store(lowering *low, int slot, int value)
{
    const jg_array *x = node_at(low, slot);
    int index;
    lower_buffer buffer = {.operand.slot = slot, .per_row = is_row_value(low, slot)};
    if (x->size > 0)
        strides_through(low->draft->nodes[slot].map, node_strides(x),
                        (int64_t)dtype_itemsize((jg_dtype)x->dtype), &buffer);
    JG_TRY(add_buffer(low, PROGRAM_ROLE_WRITE, (jg_dtype)x->dtype, &buffer, &index));
    return program_store(&low->program, value, index);
}

/* start + index * step, in int64 or float64, then in the dtype asked for. */
static jg_status lower_arange(lowering *low, int slot, int *out)
{
    const jg_array *x = node_at(low, slot);
    const int64_t one = 1;
    bool whole = dtype_is_integer((jg_dtype)x->dtype) || x->dtype == JG_DTYPE_BOOL;
    jg_dtype wide = whole ? JG_DTYPE_INT64 : JG_DTYPE_FLOAT64;
    lower_buffer buffer = {.operand.slot = -1, .per_row = is_row_value(low, slot)};
    int index, operands[2], sum[2];
    strides_through(low->draft->nodes[slot].map, &one, 1, &buffer);
    JG_TRY(add_buffer(low, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &buffer, &index));
    JG_TRY(program_index(&low->program, index, &operands[0]));
    JG_TRY(program_cast(&low->program, operands[0], wide, &operands[0]));
    JG_TRY(scalar_value(low, slot, SCALAR_STEP, wide, &operands[1]));
    JG_TRY(program_apply(&low->program, PROGRAM_MULTIPLY, 2, operands, &sum[0]));
    JG_TRY(scalar_value(low, slot, SCALAR_START, wide, &sum[1]));
    JG_TRY(program_apply(&low->program, PROGRAM_ADD, 2, sum, out));
    return program_cast(&low->program, *out, (jg_dtype)x->dtype, out);
}

/* Whether the instruction computes in a wider type. Choosing and moving elements needs none, and
 * nextafter is asked for in the element's own type. */
static bool needs_width(program_op inst)
{
    return inst != PROGRAM_COPY && inst != PROGRAM_SELECT && inst != PROGRAM_NEXT_AFTER;
}

bool plan_lower_is_simple(const jg_array *x)
{
    int inst = insts[x->primitive];
    return inst == PROGRAM_COPY || (inst != PROGRAM_NONE && program_is_simple((program_op)inst));
}

/* Operands in the types that the rule gives, half precision in float32, and the result rounded to
 * the node's dtype: what the op would have stored, had it run alone. */
static jg_status lower_op(lowering *low, int slot, int *out)
{
    const jg_array *x = node_at(low, slot);
    program_op inst = (program_op)insts[x->primitive];
    jg_dtype inputs[GRAPH_FEW_INPUTS] = {0};
    int operands[GRAPH_FEW_INPUTS], ninputs = x->ninputs;
    op_types types;
    for (int i = 0; i < ninputs; ++i)
        inputs[i] = (jg_dtype)x->inputs[i]->dtype;
    JG_TRY(op_resolve_types((jg_op)x->label, ninputs, inputs, &types));
    for (int i = 0; i < ninputs; ++i) {
        jg_dtype type = types.operand[i];
        JG_TRY(input_value(low, slot, i, &operands[i]));
        JG_TRY(program_cast(&low->program, operands[i], type, &operands[i]));
        if (dtype_is_half(type) && needs_width(inst))
            JG_TRY(program_cast(&low->program, operands[i], JG_DTYPE_FLOAT32, &operands[i]));
    }
    JG_TRY(program_apply(&low->program, inst, ninputs, operands, out));
    return program_cast(&low->program, *out, (jg_dtype)x->dtype, out);
}

/* A storage-only dtype has casts from and to one other dtype. */
static jg_status cast_on_the_way(lowering *low, int value, jg_dtype to, int *out)
{
    jg_dtype from = program_type_of(&low->program, value);
    *out = value;
    if (from == to)
        return JG_OK;
    JG_TRY(program_cast(&low->program, value, dtype_on_the_way(from), out));
    JG_TRY(program_cast(&low->program, *out, dtype_on_the_way(to), out));
    return program_cast(&low->program, *out, to, out);
}

static jg_status lower_cast(lowering *low, int slot, int *out)
{
    JG_TRY(input_value(low, slot, 0, out));
    return cast_on_the_way(low, *out, (jg_dtype)node_at(low, slot)->dtype, out);
}

static jg_status lower_node(lowering *low, int slot, int *out)
{
    const jg_array *x = node_at(low, slot);
    switch (x->primitive) {
    case PRIMITIVE_full: return lower_full(low, slot, out);
    case PRIMITIVE_arange: return lower_arange(low, slot, out);
    case PRIMITIVE_cast: return lower_cast(low, slot, out);
    default: return lower_op(low, slot, out);
    }
}

/* In ascending order inputs come first: slots are numbers in a walk. */
static jg_status lower_members(lowering *low)
{
    const plan_group *group = low->group;
    for (int slot = group->first; slot >= 0; slot = low->draft->nodes[slot].next) {
        JG_TRY(lower_node(low, slot, &low->values[slot - group->first]));
        if (low->draft->nodes[slot].output)
            JG_TRY(store(low, slot, low->values[slot - group->first]));
    }
    return JG_OK;
}

/* Makes the group's axis the loop of that number, the outermost being 0. */
static void set_loop(const lowering *low, int axis, int loop, program_space *space)
{
    space->extents[loop] = low->group->shape[axis];
    for (int b = 0; b < space->nbuffers; ++b)
        space->strides[b * space->ndim + loop] = low->buffers[b].strides[axis];
}

/* The kept axes are the outer loops, in order, and then the reduced ones. */
static jg_status make_space(const lowering *low, program_space **out)
{
    const plan_group *group = low->group;
    int nbuffers = low->program.nbuffers, ndim = group->ndim ? group->ndim : 1;
    size_t nbytes = program_space_nbytes(nbuffers, ndim);
    program_space *space = base_alloc(nbytes);
    if (space == NULL)
        return base_nomem(nbytes, "a plan");
    *space = (program_space){.ndim = ndim, .nbuffers = nbuffers};
    space->extents[0] = 1; /* a 0-d space is one loop of one step */
    memset(space->strides, 0, (size_t)(nbuffers * ndim) * sizeof(int64_t));
    uint64_t reduced = group->nreductions > 0 ? group->reduced : 0;
    int loop = 0;
    for (int d = 0; d < group->ndim; ++d)
        if (!(reduced >> d & 1))
            set_loop(low, d, loop++, space);
    space->nreduced = group->ndim - loop;
    for (int d = 0; d < group->ndim; ++d)
        if (reduced >> d & 1)
            set_loop(low, d, loop++, space);
    *out = space;
    return JG_OK;
}

/* Whether the operand is all that the launch reads of its slot's memory, from its start on. */
static bool is_only_reader(const lowering *low, int read)
{
    const plan_operand *operand = &low->buffers[read].operand;
    if (operand->slot < 0 || operand->offset_bytes != 0)
        return false;
    for (int i = 0; i < low->program.nbuffers; ++i)
        if (i != read && low->buffers[i].operand.slot == operand->slot)
            return false;
    return true;
}

/* The operands whose memory the written one may have, as a bit set. */
static uint32_t find_in_place(const lowering *low, const program_space *space, int written)
{
    uint32_t found = 0;
    for (int i = 0; i < low->program.nbuffers; ++i)
        if (is_only_reader(low, i) && program_may_overwrite(&low->program, space, written, i))
            found |= UINT32_C(1) << i;
    return found;
}

/* Finds, for each buffer that is written, the set of buffers that it is computed from. If a run has
 * lost one of these, the results of the other buffers are still correct. */
static void find_needs(const jg_program *program, uint32_t *needs)
{
    uint32_t made_of[PROGRAM_MAX_INSTS];
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        bool loads = inst->op == PROGRAM_LOAD || inst->op == PROGRAM_LOAD_AT;
        made_of[p] = loads ? UINT32_C(1) << inst->buffer : 0;
        for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
            made_of[p] |= made_of[inst->src[i]];
        if (inst->op == PROGRAM_STORE)
            needs[inst->buffer] |= made_of[p];
    }
}

static jg_status copy_operands(const lowering *low, const program_space *space, plan_launch *out)
{
    int noperands = low->program.nbuffers, nscalars = low->program.nscalars;
    out->operands = base_alloc((size_t)noperands * sizeof *out->operands);
    out->scalars = base_alloc((size_t)nscalars * sizeof *out->scalars);
    if (out->operands == NULL || out->scalars == NULL)
        return base_nomem((size_t)noperands * sizeof *out->operands, "a plan");
    uint32_t needs[PROGRAM_MAX_BUFFERS] = {0};
    find_needs(&low->program, needs);
    for (int i = 0; i < noperands; ++i)
        out->operands[i] = low->buffers[i].operand;
    for (int i = 0; i < noperands; ++i) {
        out->operands[i].in_place = find_in_place(low, space, i);
        out->operands[i].needs = needs[i];
        out->program.written |= (uint32_t)(low->program.buffers[i].role == PROGRAM_ROLE_WRITE) << i;
    }
    memcpy(out->scalars, low->scalars, (size_t)nscalars * sizeof *out->scalars);
    out->noperands = noperands;
    out->nscalars = nscalars;
    return JG_OK;
}

/* The buffers whose elements lie side by side in the order of the loops. */
static uint32_t find_in_order(const program_space *space, const jg_program *program)
{
    uint32_t buffers = 0;
    for (int b = 0; b < space->nbuffers; ++b) {
        int64_t expected = (int64_t)dtype_itemsize((jg_dtype)program->buffers[b].dtype);
        bool dense = program->buffers[b].role != PROGRAM_ROLE_INDEX;
        for (int d = space->ndim - 1; d >= 0 && dense; --d) {
            dense = space->extents[d] == 1 || space->strides[b * space->ndim + d] == expected;
            if (__builtin_mul_overflow(expected, space->extents[d], &expected))
                break; /* of an empty array, whose extents have no bound */
        }
        buffers |= (uint32_t)dense << b;
    }
    return buffers;
}

/* A launch that follows a routine overwrites the routine's result while that is in a cache. A store
 * that bypasses the caches would write both to memory. */
static void mark_cached(lowering *low, const plan_launch *out)
{
    int leads = low->draft->leads;
    const jg_array *x = leads >= 0 ? walk_nodes(low->draft->walk)[leads] : NULL;
    if (x == NULL || x->stored || x->size != low->group->size)
        return;
    for (int i = 0; i < out->noperands; ++i)
        for (uint32_t set = out->operands[i].in_place; set != 0; set &= set - 1)
            if (out->operands[__builtin_ctz(set)].slot == leads)
                low->program.buffers[i].cached = true;
}

/* Makes the tier's code of the program, the code that a device may run instead, and the entry for
 * better code. */
static jg_status prepare(lowering *low, const program_space *space, plan_launch *out)
{
    plan_program *program = &out->program;
    program->in_order = find_in_order(space, &low->program);
    plan_log_program(low->group, &low->program, space);
    JG_TRY(copy_operands(low, space, out));
    mark_cached(low, out);
    JG_TRY(program->executor->prepare(&low->program, space, &program->code));
    JG_TRY(plan_code_of_program(low->draft->walk->device, &low->program, space, &out->code));
    if (plan_code_is_taken(out->code))
        return JG_OK;
    return heat_begin(program->executor, &low->program, space, &program->heat);
}

/* A check between two passes is for tests, as the last check is made always. */
static jg_status verify_between(const jg_program *program)
{
    return graph_verifies ? program_verify(program) : JG_OK;
}

static jg_status shorten(lowering *low, plan_program *out)
{
    jg_program *program = &low->program;
    JG_TRY(verify_between(program));
    out->nmerged = program_merge(program);
    JG_TRY(verify_between(program));
    out->nsimplified = program_simplify(program);
    if (out->nsimplified > 0) { /* what has become simpler may have become equal */
        JG_TRY(verify_between(program));
        out->nmerged += program_merge(program);
    }
    return program_verify(program);
}

/* Equal instructions are merged and rules applied before anything is counted or numbered; the space
 * is simplified before the tier and find_in_order see it. */
static jg_status finish_launch(lowering *low, plan_launch *out)
{
    program_space *space = NULL;
    plan_program *program = &out->program;
    JG_TRY(shorten(low, program));
    program->nremade = low->nremade;
    JG_TRY(make_space(low, &space));
    jg_status status = program_space_simplify(space, &low->program);
    if (status == JG_OK)
        status = prepare(low, space, out);
    base_free(space);
    JG_TRY(status);
    program->units = program->executor->units(program->code);
    if (program->executor->shared_nbytes != NULL)
        program->shared_nbytes = program->executor->shared_nbytes(program->code);
    out->label = (jg_op)node_at(low, low->group->root)->label;
    if (__builtin_mul_overflow(low->group->size, program_steps(&low->program), &out->work))
        out->work = INT64_MAX;
    return JG_OK;
}

jg_status plan_lower_group(plan_draft *draft, const plan_group *group, plan_launch *out)
{
    jg_status status = JG_OK;
    size_t span = (size_t)group->root - (size_t)group->first + 1;
    lowering *low = base_alloc(sizeof *low);
    int *values = base_alloc(span * sizeof *values);
    if (low == NULL || values == NULL) {
        status = base_nomem(sizeof *low, "a plan");
        goto done;
    }
    low->draft = draft;
    low->group = group;
    low->values = values;
    low->nremade = 0;
    low->remaking = false;
    program_init(&low->program);
    JG_TRY_DONE(lower_members(low));
    JG_TRY_DONE(finish_launch(low, out));
done:
    base_free(values);
    base_free(low);
    return status;
}
