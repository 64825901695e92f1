/* SPDX-License-Identifier: Apache-2.0 */
/* Flat programs as kernels: the question whether one can be, its declarations, and its loops. */
#include "kernel/flat.h"
#include "kernel/flat_build.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static bool refuse(kernel_fault *fault, uint32_t position,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    fault->status = JG_ERR_UNSUPPORTED;
    fault->position = position;
    return false;
}

static bool has_elements(jg_dtype dtype)
{
    return kernel_has_type(dtype) || flat_has_parts(dtype) || flat_is_stored(dtype);
}

/* Results that do not vary in a loop may overwrite an operand that the next iteration would
 * read. */
static bool stands_still(const jg_program *program, const program_space *space, int buffer)
{
    bool per_row = program->buffers[buffer].per_row;
    for (int d = 0; d < space->ndim - (per_row ? space->nreduced : 0); ++d)
        if (program->buffers[buffer].role == PROGRAM_ROLE_WRITE && space->extents[d] > 1 &&
            space->strides[buffer * space->ndim + d] == 0)
            return true;
    return false;
}

static bool takes_space(const jg_program *program, const program_space *space, kernel_fault *fault)
{
    int axes = space->ndim;
    for (int b = 0; b < program->nbuffers; ++b) {
        if (!has_elements((jg_dtype)program->buffers[b].dtype))
            return refuse(fault, KERNEL_NONE, "buffer %d: kernels have no elements of %s", b,
                          dtype_rows[program->buffers[b].dtype].name);
        if (stands_still(program, space, b))
            return refuse(fault, KERNEL_NONE,
                          "buffer %d: several turns of a loop write one element", b);
        if (flat_has_parts((jg_dtype)program->buffers[b].dtype))
            axes = space->ndim + 1;
    }
    if (axes > KERNEL_MAX_NDIM)
        return refuse(fault, KERNEL_NONE, "%d loops: arrays of kernels have up to %d axes",
                      space->ndim, KERNEL_MAX_NDIM);
    return true;
}

/* Whether kernels have the instruction, or can compose it of others. */
static bool takes_inst(const jg_program *program, int position, kernel_fault *fault)
{
    const program_inst *inst = &program->insts[position];
    program_op op = (program_op)inst->op;
    jg_dtype type = (jg_dtype)inst->type, to = (jg_dtype)inst->to;
    const char *name = program_inst_rows[op].name;
    bool moves = op == PROGRAM_LOAD || op == PROGRAM_SCALAR || op == PROGRAM_INDEX ||
                 op == PROGRAM_STORE || op == PROGRAM_CAST || op == PROGRAM_COPY;
    bool has_types = has_elements(to) && (op == PROGRAM_LOAD || has_elements(type));
    bool ordered = op != PROGRAM_REDUCE_MAXIMUM && op != PROGRAM_REDUCE_MINIMUM;
    bool taken;
    if (!has_types)
        return refuse(fault, (uint32_t)position, "%s: kernels have no elements of %s", name,
                      dtype_rows[has_elements(to) ? type : to].name);
    if (moves || flat_is_same(inst))
        return true;
    if (flat_has_parts(type))
        taken = program_is_reduction(op) ? ordered : flat_spells(op);
    else
        taken = program_is_reduction(op) ? kernel_has_type(type) : kernel_takes(inst->op, type);
    return taken || refuse(fault, (uint32_t)position,
                           "%s of %s is not spelled in instructions of "
                           "kernels",
                           name, dtype_rows[type].name);
}

bool kernel_takes_program(const jg_program *program, const program_space *space,
                          kernel_fault *fault)
{
    if (!takes_space(program, space, fault))
        return false;
    for (int p = 0; p < program->ninsts; ++p)
        if (!takes_inst(program, p, fault))
            return false;
    return true;
}

/* A number for each, as names in one scope differ. */
static jg_status add_buffer(flat_making *m, int buffer)
{
    int64_t extents[KERNEL_MAX_NDIM], strides[KERNEL_MAX_NDIM];
    jg_dtype dtype = (jg_dtype)m->program->buffers[buffer].dtype, part = flat_part(dtype);
    int ndim = m->space->ndim;
    char name[16];
    snprintf(name, sizeof name, "b%d", buffer);
    memcpy(extents, m->space->extents, (size_t)ndim * sizeof *extents);
    memcpy(strides, m->space->strides + buffer * ndim, (size_t)ndim * sizeof *strides);
    if (flat_has_parts(dtype)) {
        extents[ndim] = 2;
        strides[ndim++] = (int64_t)dtype_itemsize(part);
    }
    return kernel_add_array(m->kernel, name, part, ndim, extents, strides, &m->arguments[buffer]);
}

static jg_status add_scalar(flat_making *m, int scalar)
{
    jg_dtype dtype = (jg_dtype)m->program->scalars[scalar];
    flat_number *to = &m->scalars[scalar];
    char name[16];
    snprintf(name, sizeof name, "s%d", scalar);
    to->im = KERNEL_NONE;
    JG_TRY(kernel_add_scalar(m->kernel, name, flat_part(dtype), &to->re));
    snprintf(name, sizeof name, "s%d_im", scalar);
    return flat_has_parts(dtype) ? kernel_add_scalar(m->kernel, name, flat_part(dtype), &to->im)
                                 : JG_OK;
}

static jg_status declare(flat_making *m)
{
    const jg_program *program = m->program;
    for (int b = 0; b < program->nbuffers; ++b)
        if (program->buffers[b].role != PROGRAM_ROLE_INDEX)
            JG_TRY(add_buffer(m, b));
    for (int s = 0; s < program->nscalars; ++s)
        JG_TRY(add_scalar(m, s));
    for (int b = 0; b < program->nbuffers; ++b) {
        char name[16];
        snprintf(name, sizeof name, "i%d", b);
        if (program->buffers[b].role == PROGRAM_ROLE_INDEX)
            JG_TRY(kernel_add_scalar(m->kernel, name, JG_DTYPE_INT64, &m->arguments[b]));
    }
    return JG_OK;
}

/* Opens a parallel loop over the first `count` loops of the space; without loops it has one range
 * of one index. */
static void open_parallel(flat_making *m, int count)
{
    uint32_t bounds[2 * KERNEL_MAX_RANGES];
    kernel_inst loop = {.op = KERNEL_PARALLEL, .type = JG_DTYPE_INT64, .to = JG_DTYPE_INT64};
    uint32_t ranges = count > 0 ? (uint32_t)count : 1;
    for (uint32_t d = 0; d < ranges; ++d) {
        bounds[2 * d] = flat_whole(m, JG_DTYPE_INT64, 0);
        bounds[2 * d + 1] = flat_whole(m, JG_DTYPE_INT64, count > 0 ? m->space->extents[d] : 1);
    }
    uint32_t first = flat_append(m, &loop, 2 * ranges, bounds);
    for (int d = 0; d < count; ++d)
        m->indices[d] = first + (uint32_t)d;
}

static void open_loops(flat_making *m, int first, int last)
{
    kernel_inst loop = {
        .op = KERNEL_FOR, .type = JG_DTYPE_INT64, .to = JG_DTYPE_INT64, .immediate = 1};
    for (int d = first; d < last; ++d) {
        uint32_t bounds[2] = {flat_whole(m, JG_DTYPE_INT64, 0),
                              flat_whole(m, JG_DTYPE_INT64, m->space->extents[d])};
        m->indices[d] = flat_append(m, &loop, 2, bounds);
    }
}

static void close_loops(flat_making *m, int count)
{
    kernel_inst end = {.op = KERNEL_END};
    for (int i = 0; i < count; ++i)
        flat_append(m, &end, 0, NULL);
}

/* Values per element: results, and the values that they are stored from. */
static bool is_of_elements(const flat_making *m, int position)
{
    const program_inst *inst = &m->program->insts[position];
    if (inst->op == PROGRAM_STORE)
        return !m->program->buffers[inst->buffer].per_row;
    return m->ranks[position] == RANK_ELEMENT;
}

static void find_levels(flat_making *m)
{
    for (int p = 0; p < m->program->ninsts; ++p) {
        const program_inst *inst = &m->program->insts[p];
        uint16_t level = 0;
        m->ranks[p] = (uint8_t)program_rank_of(m->program, p, m->ranks);
        for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
            level = m->levels[inst->src[i]] > level ? m->levels[inst->src[i]] : level;
        m->levels[p] = (uint16_t)(level + program_is_reduction((program_op)inst->op));
    }
}

static bool is_reduced_in(const flat_making *m, int position, int pass)
{
    return program_is_reduction((program_op)m->program->insts[position].op) &&
           m->levels[position] == pass + 1;
}

/* Which values of elements the pass needs. gives: whether there is anything to do in it */
static bool find_wanted(flat_making *m, int pass, bool stores)
{
    bool any = false;
    memset(m->wanted, 0, sizeof m->wanted);
    for (int p = m->program->ninsts; p-- > 0;) {
        const program_inst *inst = &m->program->insts[p];
        bool is_store = inst->op == PROGRAM_STORE;
        bool ends = is_reduced_in(m, p, pass) || (stores && is_store && is_of_elements(m, p));
        any |= ends;
        if (!ends && !m->wanted[p])
            continue;
        for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
            m->wanted[inst->src[i]] |= m->ranks[inst->src[i]] == RANK_ELEMENT;
    }
    return any;
}

static void make_elements(flat_making *m)
{
    for (int p = 0; p < m->program->ninsts; ++p)
        if (m->wanted[p])
            m->values[p] = flat_value(m, p);
}

/* A result may overwrite an operand that is loaded later, so results are stored last. */
static void make_stores(flat_making *m, bool of_elements)
{
    for (int p = 0; p < m->program->ninsts; ++p)
        if (m->program->insts[p].op == PROGRAM_STORE && is_of_elements(m, p) == of_elements)
            flat_store(m, p);
}

/* Computes the values of the row, and of the whole space, that depend on `level` reductions before
 * them. */
static void make_row_values(flat_making *m, int level)
{
    for (int p = 0; p < m->program->ninsts; ++p) {
        const program_inst *inst = &m->program->insts[p];
        if (m->levels[p] == level && m->ranks[p] != RANK_ELEMENT && inst->op != PROGRAM_STORE &&
            !program_is_reduction((program_op)inst->op))
            m->values[p] = flat_value(m, p);
    }
}

typedef void reduction_step(flat_making *m, int position);

static void each_reduction(flat_making *m, int pass, reduction_step *step)
{
    for (int p = 0; p < m->program->ninsts; ++p)
        if (is_reduced_in(m, p, pass))
            step(m, p);
}

/* Once over the row: what is reduced on this level, and in the last pass the elements' results. */
static void make_pass(flat_making *m, int pass, bool is_last)
{
    int ndim = m->space->ndim, first = ndim - m->space->nreduced;
    uint32_t still[JG_MAX_NDIM];
    if (!find_wanted(m, pass, is_last))
        return;
    memcpy(still, m->indices, sizeof still);
    each_reduction(m, pass, flat_begin_reduction);
    open_loops(m, first, ndim);
    make_elements(m);
    each_reduction(m, pass, flat_step_reduction);
    if (is_last)
        make_stores(m, true);
    close_loops(m, ndim - first);
    memcpy(m->indices, still, sizeof still);
    each_reduction(m, pass, flat_finish_reduction);
}

static void make_row(flat_making *m)
{
    int last = 0;
    for (int p = 0; p < m->program->ninsts; ++p)
        last = int_max(m->levels[p], last);
    uint32_t zero = flat_whole(m, JG_DTYPE_INT64, 0);
    for (int d = m->space->ndim - m->space->nreduced; d < m->space->ndim; ++d)
        m->indices[d] = zero;
    for (int pass = 0; pass <= last; ++pass) {
        make_row_values(m, pass);
        make_pass(m, pass, pass == last);
    }
    make_stores(m, false);
}

/* Without reductions every instruction is one of the element's. */
static void make_element(flat_making *m)
{
    for (int p = 0; p < m->program->ninsts; ++p)
        if (m->program->insts[p].op != PROGRAM_STORE)
            m->values[p] = flat_value(m, p);
    make_stores(m, true);
    make_stores(m, false);
}

static jg_status translate(flat_making *m)
{
    int outer = m->space->ndim - m->space->nreduced;
    int ranges = int_min(outer, KERNEL_MAX_RANGES);
    JG_TRY(declare(m));
    find_levels(m);
    open_parallel(m, ranges);
    open_loops(m, ranges, outer);
    if (m->program->reduces)
        make_row(m);
    else
        make_element(m);
    close_loops(m, 1 + outer - ranges);
    JG_TRY(m->status);
    return kernel_verify(m->kernel);
}

jg_status kernel_of_program(const jg_program *program, const program_space *space,
                            kernel_program *out)
{
    kernel_fault fault;
    if (!kernel_takes_program(program, space, &fault))
        return base_fail(fault.status, "%s", fault.message);
    flat_making *m = base_alloc_zeroed(sizeof *m);
    if (m == NULL)
        return base_nomem(sizeof *m, "a program");
    *m = (flat_making){.program = program, .space = space, .kernel = out};
    jg_status status = kernel_init(out, "flat", false);
    if (status == JG_OK) {
        status = translate(m);
        if (status != JG_OK)
            kernel_clear(out);
    }
    base_free(m);
    return status;
}
