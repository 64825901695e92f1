/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: the launch's arguments, elements of arrays, locals.
 *
 * What a launch gives is loaded once, in the prologue of each function. An address is the array's
 * base and a sum of index times stride in bytes, in 64 bits without wrapping; extents and strides
 * that the declaration gives are constants. Unless the launch may have arrays that overlap, each
 * array's accesses are marked as apart from all others', and those of a parallel loop's indices
 * from each other. */
#include "jit/kernel/emit.h"
#include <stdio.h>
#include <string.h>

/* With more arrays than this the lists of what does not alias would be too long. */
enum { MAX_APART = 64 };

LLVMValueRef emit_offset(jit_emission *e, LLVMValueRef base, int64_t offset)
{
    LLVMValueRef index = emit_int64(e, offset);
    return LLVMBuildInBoundsGEP2(e->module->builder, e->module->i8, base, &index, 1, "");
}

/* "In bounds": an address outside its array is the user's fault, as kernel/kernel.h says of
 * indices. */
static LLVMValueRef add_bytes(jit_emission *e, LLVMValueRef base, LLVMValueRef offset)
{
    return LLVMBuildInBoundsGEP2(e->module->builder, e->module->i8, base, &offset, 1, "");
}

static void mark(const jit_emission *e, LLVMValueRef access, const char *kind, LLVMMetadataRef node)
{
    unsigned id = LLVMGetMDKindIDInContext(e->module->context, kind, (unsigned)strlen(kind));
    LLVMSetMetadata(access, id, LLVMMetadataAsValue(e->module->context, node));
}

/* Marks a load of what does not change while the code runs. */
static LLVMValueRef load_invariant(jit_emission *e, LLVMTypeRef type, LLVMValueRef address)
{
    LLVMValueRef value = LLVMBuildLoad2(e->module->builder, type, address, "");
    mark(e, value, "invariant.load", e->module->always);
    return value;
}

/* The builder moves to the prologue and back, as callers are in the middle of a body. */
LLVMValueRef emit_argument(jit_emission *e, size_t member, LLVMTypeRef type)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->module->builder);
    LLVMPositionBuilderAtEnd(e->module->builder, e->at->prologue);
    LLVMValueRef value = load_invariant(e, type, emit_offset(e, e->at->arguments, (int64_t)member));
    LLVMPositionBuilderAtEnd(e->module->builder, here);
    return value;
}

/* Every entry takes 8 bytes, and the machine is little-endian. */
LLVMValueRef emit_argument_entry(jit_emission *e, size_t member, int64_t entry, LLVMTypeRef type)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->module->builder);
    LLVMPositionBuilderAtEnd(e->module->builder, e->at->prologue);
    LLVMValueRef address = emit_offset(e, e->at->arguments, (int64_t)member);
    LLVMValueRef table = load_invariant(e, e->module->pointer, address);
    LLVMValueRef value = load_invariant(e, type, emit_offset(e, table, 8 * entry));
    LLVMPositionBuilderAtEnd(e->module->builder, here);
    return value;
}

LLVMValueRef emit_extent(jit_emission *e, uint32_t array, int axis)
{
    int64_t extent = kernel_array_at(e->kernel, array)->extents[axis];
    return extent != KERNEL_GIVEN
               ? emit_int64(e, extent)
               : emit_argument_entry(e, offsetof(kernel_arguments, extents),
                                     (int64_t)e->axes[array] + axis, e->module->i64);
}

/* The stride in bytes; of a dense array, where extents after the axis are known, a constant. */
static LLVMValueRef stride(jit_emission *e, uint32_t array, int axis)
{
    const kernel_array *row = kernel_array_at(e->kernel, array);
    int64_t bytes = row->dense ? (int64_t)dtype_itemsize((jg_dtype)row->dtype) : row->strides[axis];
    for (int d = axis + 1; row->dense && d < row->ndim && bytes != KERNEL_GIVEN; ++d)
        if (row->extents[d] == KERNEL_GIVEN ||
            __builtin_mul_overflow(bytes, row->extents[d], &bytes))
            bytes = KERNEL_GIVEN;
    return bytes != KERNEL_GIVEN
               ? emit_int64(e, bytes)
               : emit_argument_entry(e, offsetof(kernel_arguments, strides),
                                     (int64_t)e->axes[array] + axis, e->module->i64);
}

/* Loaded once for each function. */
static LLVMValueRef base_of(jit_emission *e, uint32_t array)
{
    LLVMValueRef *base = &e->at->bases[array];
    if (*base == NULL)
        *base = emit_argument_entry(e, offsetof(kernel_arguments, addresses), array,
                                    e->module->pointer);
    return *base;
}

static LLVMValueRef array_address(jit_emission *e, const kernel_inst *inst)
{
    LLVMBuilderRef builder = e->module->builder;
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    const kernel_array *array = kernel_array_at(e->kernel, inst->target);
    LLVMValueRef address = base_of(e, inst->target);
    for (int d = 0; d < array->ndim; ++d) {
        LLVMValueRef index = emit_index(e, operands[d]);
        address =
            add_bytes(e, address, LLVMBuildNSWMul(builder, index, stride(e, inst->target, d), ""));
    }
    return address;
}

static LLVMValueRef local_address(jit_emission *e, const kernel_inst *inst)
{
    const kernel_local *local = kernel_local_at(e->kernel, inst->target);
    LLVMValueRef address = e->at->locals[inst->target];
    LLVMValueRef index =
        local->length == 0 ? emit_int64(e, 0) : emit_index(e, kernel_operands(e->kernel, inst)[0]);
    if (e->lanes != NULL && !e->analysis.locals[inst->target].shared)
        return jit_lanes_local_address(e, inst->target, index);
    if (local->length == 0)
        return address;
    LLVMTypeRef type = module_stored_type(e->module, (jg_dtype)local->dtype);
    return LLVMBuildInBoundsGEP2(e->module->builder, type, address, &index, 1, "");
}

LLVMValueRef emit_address(jit_emission *e, const kernel_inst *inst)
{
    bool array = inst->op == KERNEL_LOAD || inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC;
    return array ? array_address(e, inst) : local_address(e, inst);
}

static LLVMMetadataRef scope_node(const jit_emission *e, uint32_t number)
{
    LLVMContextRef context = e->module->context;
    LLVMMetadataRef name = LLVMMDStringInContext2(context, "arrays", 6);
    LLVMMetadataRef domain = LLVMMDNodeInContext2(context, &name, 1);
    char text[16];
    int length = snprintf(text, sizeof text, "array %u", number);
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(context, text, (size_t)length), domain};
    return LLVMMDNodeInContext2(context, parts, 2);
}

/* scopes[a] is the list of array a's scope, others[a] that of all but it. The last is the
 * frame's. */
jg_status emit_prepare_aliases(jit_emission *e)
{
    uint32_t count = e->kernel->narrays + 1;
    LLVMMetadataRef nodes[MAX_APART + 1], list[MAX_APART + 1];
    if (!(e->flags & COMPILE_NO_ALIAS) || count > MAX_APART)
        return JG_OK;
    e->scopes = base_alloc(2 * count * sizeof *e->scopes);
    if (e->scopes == NULL)
        return base_nomem(2 * count * sizeof *e->scopes, "a kernel");
    e->others = e->scopes + count;
    for (uint32_t a = 0; a < count; ++a)
        nodes[a] = scope_node(e, a);
    for (uint32_t a = 0; a < count; ++a) {
        uint32_t n = 0;
        for (uint32_t b = 0; b < count; ++b)
            if (b != a)
                list[n++] = nodes[b];
        e->scopes[a] = LLVMMDNodeInContext2(e->module->context, &nodes[a], 1);
        e->others[a] = LLVMMDNodeInContext2(e->module->context, list, n);
    }
    return JG_OK;
}

/* array KERNEL_NONE: a local. Those of lanes are independent of each other, as each has memory of
 * its own; those in the frame are not independent of other iterations. */
static void mark_access(const jit_emission *e, LLVMValueRef access, uint32_t array)
{
    if (e->scopes != NULL) {
        uint32_t number = array == KERNEL_NONE ? e->kernel->narrays : array;
        mark(e, access, "alias.scope", e->scopes[number]);
        mark(e, access, "noalias", e->others[number]);
    }
    if (e->group != NULL && (array != KERNEL_NONE || e->lanes != NULL))
        mark(e, access, "llvm.access.group", e->group);
}

LLVMValueRef emit_read(jit_emission *e, LLVMValueRef address, jg_dtype dtype, uint32_t array)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef value = LLVMBuildLoad2(builder, module_stored_type(e->module, dtype), address, "");
    mark_access(e, value, array);
    return dtype == JG_DTYPE_BOOL
               ? LLVMBuildICmp(builder, LLVMIntNE, value, LLVMConstNull(e->module->i8), "")
               : value;
}

void emit_write(jit_emission *e, LLVMValueRef address, jg_dtype dtype, LLVMValueRef value,
                uint32_t array)
{
    LLVMBuilderRef builder = e->module->builder;
    if (dtype == JG_DTYPE_BOOL)
        value = LLVMBuildZExt(builder, value, e->module->i8, "");
    mark_access(e, LLVMBuildStore(builder, value, address), array);
}

void emit_load(jit_emission *e, const kernel_inst *inst)
{
    LLVMValueRef address = emit_address(e, inst);
    emit_define(e, inst, emit_read(e, address, (jg_dtype)inst->to, inst->target));
}

static LLVMValueRef last_operand(jit_emission *e, const kernel_inst *inst)
{
    return emit_value(e, kernel_operands(e->kernel, inst)[inst->noperands - 1]);
}

void emit_store(jit_emission *e, const kernel_inst *inst)
{
    jg_dtype dtype = (jg_dtype)kernel_array_at(e->kernel, inst->target)->dtype;
    LLVMValueRef address = emit_address(e, inst);
    emit_write(e, address, dtype, last_operand(e, inst), inst->target);
}

/* In the prologue, where LLVM makes registers of what is allocated. count 0: one value. */
LLVMValueRef emit_alloca(jit_emission *e, LLVMTypeRef type, int64_t count)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->module->builder);
    LLVMPositionBuilderAtEnd(e->module->builder, e->at->prologue);
    LLVMTypeRef whole = count > 0 ? LLVMArrayType2(type, (uint64_t)count) : type;
    LLVMValueRef address = LLVMBuildAlloca(e->module->builder, whole, "");
    LLVMPositionBuilderAtEnd(e->module->builder, here);
    return address;
}

/* Zeroed where it is declared, each time that the code reaches it. Shared locals have their bytes
 * since the functions were opened. */
void emit_local(jit_emission *e, const kernel_inst *inst)
{
    const kernel_local *local = kernel_local_at(e->kernel, inst->target);
    LLVMTypeRef type = module_stored_type(e->module, (jg_dtype)local->dtype);
    LLVMValueRef *address = &e->at->locals[inst->target];
    if (e->lanes != NULL) {
        LLVMValueRef lane = jit_lanes_local_address(e, inst->target, emit_int64(e, 0));
        emit_write(e, lane, (jg_dtype)local->dtype,
                   LLVMConstNull(module_type(e->module, (jg_dtype)local->dtype)), KERNEL_NONE);
        return;
    }
    if (*address == NULL)
        *address = emit_alloca(e, type, local->length);
    if (local->length == 0) {
        LLVMBuildStore(e->module->builder, LLVMConstNull(type), *address);
        return;
    }
    int64_t nbytes = (int64_t)(local->length * dtype_itemsize((jg_dtype)local->dtype));
    LLVMBuildMemSet(e->module->builder, *address, LLVMConstNull(e->module->i8),
                    emit_int64(e, nbytes), 1);
}

/* Locals in the frame are marked like an array; a function's own need no marks. */
void emit_get(jit_emission *e, const kernel_inst *inst)
{
    LLVMValueRef address = emit_address(e, inst);
    emit_define(e, inst, emit_read(e, address, (jg_dtype)inst->to, KERNEL_NONE));
}

void emit_set(jit_emission *e, const kernel_inst *inst)
{
    jg_dtype dtype = (jg_dtype)kernel_local_at(e->kernel, inst->target)->dtype;
    if (emit_branch_set(e, inst))
        return;
    LLVMValueRef address = emit_address(e, inst);
    emit_write(e, address, dtype, last_operand(e, inst), KERNEL_NONE);
}
