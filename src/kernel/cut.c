/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts device bodies out of a kernel: finds what crosses from one part into another, and gives it
 * bytes of the frame. The verifier asks the same questions of a kernel that says it is cut. */
#include "kernel/cut.h"
#include "kernel/check.h"
#include <string.h>

/* Which parts use a value or a local besides the one that makes it. */
enum { CROSSES_NOT, CROSSES_TO_SERIAL, CROSSES_TO_BODY };

/* Parts are numbered in order; NOWHERE is the number for what every part makes itself. */
#define NOWHERE UINT32_MAX

typedef struct crossings {
    const kernel_program *kernel;
    uint32_t *values, *locals;        /* the part that each is defined in */
    uint8_t *value_uses, *local_uses; /* CROSSES_ */
} crossings;

static bool is_local_access(uint16_t op)
{
    return op == KERNEL_GET || op == KERNEL_SET || op == KERNEL_ATOMIC_LOCAL || op == KERNEL_PUSH ||
           op == KERNEL_POP;
}

static bool is_declaration(uint16_t op)
{
    return op == KERNEL_LOCAL || op == KERNEL_STACK;
}

/* The part that begins at the instruction. gives: where the next begins */
static uint32_t part_end(const kernel_program *kernel, uint32_t first, bool *is_body)
{
    const kernel_inst *inst = kernel_inst_at(kernel, first);
    *is_body = inst->op == KERNEL_PARALLEL;
    if (*is_body)
        return inst->match + 1;
    while (first < kernel->ninsts && kernel_inst_at(kernel, first)->op != KERNEL_PARALLEL)
        first += 1;
    return first;
}

static void note_definitions(crossings *c, const kernel_inst *inst, uint32_t part)
{
    bool anywhere = inst->op == KERNEL_CONST || inst->op == KERNEL_EXTENT;
    for (uint32_t i = 0; i < inst->nvalues; ++i)
        c->values[inst->first + i] = anywhere ? NOWHERE : part;
    if (is_declaration(inst->op))
        c->locals[inst->target] = part;
}

static void note_use(uint32_t from, uint32_t part, bool is_body, uint8_t *uses)
{
    uint8_t kind = is_body ? CROSSES_TO_BODY : CROSSES_TO_SERIAL;
    if (from != NOWHERE && from != part && *uses < kind)
        *uses = kind;
}

static void note_uses(crossings *c, const kernel_inst *inst, uint32_t part, bool is_body)
{
    const uint32_t *operands = kernel_operands(c->kernel, inst);
    for (uint32_t i = 0; i < inst->noperands; ++i)
        note_use(c->values[operands[i]], part, is_body, &c->value_uses[operands[i]]);
    if (is_local_access(inst->op))
        note_use(c->locals[inst->target], part, is_body, &c->local_uses[inst->target]);
}

/* In one pass, as what is used has been defined before. */
static void find_crossings(crossings *c)
{
    bool is_body;
    uint32_t part = 0;
    for (uint32_t v = 0; v < c->kernel->nscalars; ++v)
        c->values[v] = NOWHERE;
    for (uint32_t first = 0, end; first < c->kernel->ninsts; first = end, ++part) {
        end = part_end(c->kernel, first, &is_body);
        for (uint32_t p = first; p < end; ++p) {
            const kernel_inst *inst = kernel_inst_at(c->kernel, p);
            note_uses(c, inst, part, is_body);
            note_definitions(c, inst, part);
        }
    }
}

static void clear_crossings(crossings *c)
{
    base_free(c->values);
}

/* The tables are one block that values begins. The kernel is one that the verifier has seen. */
static jg_status make_crossings(const kernel_program *kernel, crossings *out)
{
    size_t count = (size_t)kernel->nvalues + kernel->nlocals + 1;
    size_t nbytes = count * (sizeof *out->values + sizeof *out->value_uses);
    void *block = base_alloc_zeroed(nbytes);
    if (block == NULL)
        return base_nomem(nbytes, "a kernel");
    *out = (crossings){.kernel = kernel, .values = block};
    out->locals = out->values + kernel->nvalues;
    out->value_uses = (uint8_t *)(out->values + count);
    out->local_uses = out->value_uses + kernel->nvalues;
    find_crossings(out);
    return JG_OK;
}

/* A line is enough for a stack's head. */
static uint32_t local_nbytes(const kernel_local *local)
{
    uint32_t count = local->length > 0 ? local->length : 1;
    uint32_t nbytes = local->stack ? 1 : count * (uint32_t)dtype_itemsize((jg_dtype)local->dtype);
    return (nbytes + KERNEL_FRAME_LINE - 1) & -(uint32_t)KERNEL_FRAME_LINE;
}

/* Gives offsets from *at on to all that crosses in the way `kind`. */
static void give_offsets(const crossings *c, uint8_t kind, uint32_t *at)
{
    for (uint32_t l = 0; l < c->kernel->nlocals; ++l) {
        kernel_local *local = kernel_local_at(c->kernel, l);
        if (c->local_uses[l] == kind) {
            local->frame_offset = *at;
            *at += local_nbytes(local);
        }
    }
    for (uint32_t v = 0; v < c->kernel->nvalues; ++v)
        if (c->value_uses[v] == kind) {
            kernel_value_at(c->kernel, v)->frame_offset = *at;
            *at += 8;
        }
    *at = (*at + KERNEL_FRAME_LINE - 1) & -(uint32_t)KERNEL_FRAME_LINE;
}

jg_status kernel_cut(kernel_program *kernel)
{
    crossings c;
    JG_TRY(make_crossings(kernel, &c));
    for (uint32_t l = 0; l < kernel->nlocals; ++l)
        kernel_local_at(kernel, l)->frame_offset = 0;
    for (uint32_t v = 0; v < kernel->nvalues; ++v)
        kernel_value_at(kernel, v)->frame_offset = 0;
    kernel->frame_nbytes = KERNEL_FRAME_HEAD;
    give_offsets(&c, CROSSES_TO_BODY, &kernel->frame_nbytes);
    give_offsets(&c, CROSSES_TO_SERIAL, &kernel->frame_nbytes);
    clear_crossings(&c);
#ifdef NDEBUG
    return JG_OK;
#else
    return kernel_verify(kernel); /* as after every pass that makes a kernel */
#endif
}

/* Appends what the part takes, each value once. seen: of each value, the last part that took it,
 * counted from 1. */
static jg_status add_taken(const crossings *c, kernel_part *part, uint32_t number, uint32_t *seen,
                           kernel_parts *out)
{
    for (uint32_t p = part->first; p < part->last; ++p) {
        const kernel_inst *inst = kernel_inst_at(c->kernel, p);
        const uint32_t *operands = kernel_operands(c->kernel, inst);
        for (uint32_t i = 0; i < inst->noperands; ++i) {
            uint32_t value = operands[i], from = c->values[value];
            if (from == NOWHERE || from == number || seen[value] == number + 1)
                continue;
            seen[value] = number + 1;
            part->ntaken += 1;
            JG_TRY(vec_append(&out->taken, &value, sizeof value));
        }
    }
    return JG_OK;
}

static void reach(kernel_parts *parts, uint32_t end)
{
    if (end > parts->body_nbytes)
        parts->body_nbytes = end;
}

static void measure_bodies(const crossings *c, kernel_parts *out)
{
    out->body_nbytes = KERNEL_FRAME_HEAD;
    for (uint32_t l = 0; l < c->kernel->nlocals; ++l)
        if (c->local_uses[l] == CROSSES_TO_BODY)
            reach(out, kernel_local_at(c->kernel, l)->frame_offset +
                           local_nbytes(kernel_local_at(c->kernel, l)));
    for (uint32_t v = 0; v < c->kernel->nvalues; ++v)
        if (c->value_uses[v] == CROSSES_TO_BODY)
            reach(out, kernel_value_at(c->kernel, v)->frame_offset + 8);
}

static jg_status list_parts(const crossings *c, uint32_t *seen, kernel_parts *out)
{
    for (uint32_t first = 0; first < c->kernel->ninsts;) {
        kernel_part part = {.first = first,
                            .taken = (uint32_t)(out->taken.nbytes / sizeof(uint32_t))};
        part.last = part_end(c->kernel, first, &part.is_body);
        JG_TRY(add_taken(c, &part, out->count, seen, out));
        JG_TRY(vec_append(&out->parts, &part, sizeof part));
        out->count += 1;
        first = part.last;
    }
    return JG_OK;
}

jg_status kernel_find_parts(const kernel_program *kernel, kernel_parts *out)
{
    crossings c;
    kernel_parts parts = {0};
    size_t nbytes = (kernel->nvalues + 1) * sizeof(uint32_t);
    uint32_t *seen = base_alloc_zeroed(nbytes);
    if (seen == NULL)
        return base_nomem(nbytes, "a kernel");
    jg_status status = make_crossings(kernel, &c);
    if (status == JG_OK) {
        measure_bodies(&c, &parts);
        status = list_parts(&c, seen, &parts);
        clear_crossings(&c);
    }
    base_free(seen);
    if (status == JG_OK)
        *out = parts;
    else
        kernel_parts_clear(&parts);
    return status;
}

void kernel_parts_clear(kernel_parts *parts)
{
    vec_clear(&parts->parts);
    vec_clear(&parts->taken);
}

/* Which words of 8 bytes of the frame are taken. */
typedef struct frame_map {
    uint8_t *words;
    uint32_t nbytes;
} frame_map;

/* Whether the bytes are in the frame behind its head, and free; marks them as taken. */
static bool take_bytes(frame_map *map, uint32_t offset, uint32_t nbytes, uint32_t alignment)
{
    if (offset < KERNEL_FRAME_HEAD || offset % alignment != 0 || offset > map->nbytes ||
        nbytes > map->nbytes - offset)
        return false;
    for (uint32_t at = offset; at < offset + nbytes; at += 8) {
        if (map->words[at / 8] != 0)
            return false;
        map->words[at / 8] = 1;
    }
    return true;
}

/* Whether a value that crosses parts has an offset whose bytes no other value uses. */
static bool check_offset(verification *v, frame_map *map, uint8_t uses, uint32_t offset,
                         uint32_t nbytes)
{
    if (offset == 0)
        return uses == CROSSES_NOT ||
               verify_break(v, JG_ERR_VALUE,
                            "another part uses it, and it has no offset in the frame");
    if (take_bytes(map, offset, nbytes, nbytes == 8 ? 8 : KERNEL_FRAME_LINE))
        return true;
    return verify_break(v, JG_ERR_VALUE, "the bytes from %u of the frame are not free", offset);
}

static bool check_offsets(verification *v, const crossings *c, frame_map *map)
{
    for (uint32_t l = 0; l < v->kernel->nlocals; ++l) {
        const kernel_local *local = kernel_local_at(v->kernel, l);
        v->position = local->declaration;
        if (!check_offset(v, map, c->local_uses[l], local->frame_offset, local_nbytes(local)))
            return false;
    }
    for (uint32_t i = v->kernel->nscalars; i < v->kernel->nvalues; ++i) {
        const kernel_value *value = kernel_value_at(v->kernel, i);
        v->position = value->definition;
        if (!check_offset(v, map, c->value_uses[i], value->frame_offset, 8))
            return false;
    }
    return true;
}

static bool check_frame(verification *v)
{
    crossings c;
    frame_map map = {.nbytes = v->kernel->frame_nbytes};
    bool allowed = map.nbytes >= KERNEL_FRAME_HEAD && map.nbytes % KERNEL_FRAME_LINE == 0 &&
                   map.nbytes <= KERNEL_MAX_FRAME_NBYTES;
    if (!allowed)
        return verify_break(v, JG_ERR_VALUE, "frame: got %u, allowed multiples of %d to %d",
                            map.nbytes, KERNEL_FRAME_LINE, KERNEL_MAX_FRAME_NBYTES);
    map.words = base_alloc_zeroed(map.nbytes / 8);
    if (map.words == NULL || make_crossings(v->kernel, &c) != JG_OK) {
        base_free(map.words);
        return verify_break(v, JG_ERR_NOMEM, "out of memory while it was checked");
    }
    bool holds = check_offsets(v, &c, &map);
    clear_crossings(&c);
    base_free(map.words);
    return holds;
}

bool verify_cut(verification *v)
{
    const kernel_program *kernel = v->kernel;
    v->position = KERNEL_NONE;
    if (kernel->frame_nbytes != 0)
        return check_frame(v);
    for (uint32_t l = 0; l < kernel->nlocals; ++l)
        if (kernel_local_at(kernel, l)->frame_offset != 0)
            return verify_break(v, JG_ERR_VALUE, "an offset, but no frame");
    for (uint32_t i = 0; i < kernel->nvalues; ++i)
        if (kernel_value_at(kernel, i)->frame_offset != 0)
            return verify_break(v, JG_ERR_VALUE, "an offset, but no frame");
    return true;
}
