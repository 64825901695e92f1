/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of runs that is not all the host's.
 *
 * A run has a block for each leaf, each result that it stores and each temporary. The bytes of a
 * block are on the run's device, in host memory, or both: launches of either side ask for them
 * there, and what is not there yet is copied. So values that only the device reads never come to
 * the host, and the other way round. Launches and copies go through the stream's queue, in order;
 * launches that are held back (device_submission) go there before whatever else is given. A
 * copy to the host is waited for; one to the device only before the host writes there again. The
 * blocks live until the queue has run all of it.
 */
#include "run/blocks.h"

typedef struct run_block {
    jg_buffer *origin; /* of a leaf on a third device; borrowed, as the run holds it */
    uint64_t origin_offset;
    jg_buffer *device; /* on the run's device; owned, NULL before it is needed */
    uint64_t device_offset;
    jg_buffer *host; /* owned; NULL before it is needed, and where the address is a leaf's */
    char *address;   /* on the host */
    size_t nbytes;
    bool on_device, on_host; /* where the bytes are up to date */
    bool sending;            /* a copy to the device may still read the host's bytes */
} run_block;

/* The place of a slot's first element. */
typedef struct slot_start {
    int block;
    int64_t first; /* bytes from the block's start */
} slot_start;

struct run_blocks {
    jg_device *device;
    void *queue;               /* the stream's; NULL of the host */
    device_sequence *sequence; /* the plan's */
    device_submission submission;
    int nblocks;
    jg_buffer *scratch; /* of launches, one after the other */
    run_block *blocks;
    slot_start *starts; /* by slot */
};

/* The tables are behind the struct. */
jg_status run_blocks_new(jg_plan *plan, run_blocks **out)
{
    size_t nblocks = (size_t)plan->nleaves + (size_t)plan->nstored + (size_t)plan->ntemps;
    size_t nbytes =
        sizeof **out + nblocks * sizeof(run_block) + (size_t)plan->nslots * sizeof(slot_start);
    run_blocks *blocks = base_alloc_zeroed(nbytes);
    if (blocks == NULL)
        return base_nomem(nbytes, "an evaluation");
    blocks->device = device_at(plan->device);
    blocks->sequence = &plan->sequence;
    blocks->blocks = (run_block *)(void *)(blocks + 1);
    blocks->starts = (slot_start *)(void *)(blocks->blocks + nblocks);
    *out = blocks;
    return JG_OK;
}

void run_blocks_free(run_blocks *blocks)
{
    if (blocks == NULL)
        return;
    device_submission_close(&blocks->submission);
    for (int i = 0; i < blocks->nblocks; ++i) {
        buffer_release(blocks->blocks[i].host);
        buffer_release(blocks->blocks[i].device);
    }
    buffer_release(blocks->scratch);
    base_free(blocks);
}

static run_block *add_block(run_blocks *blocks, int slot, int64_t first)
{
    blocks->starts[slot] = (slot_start){blocks->nblocks, first};
    return &blocks->blocks[blocks->nblocks++];
}

/* The bytes of its root's buffer that the leaf uses, and the offset of its first element in them.
 */
typedef struct leaf_span {
    uint64_t offset;
    size_t nbytes;
    int64_t first;
} leaf_span;

static jg_status find_span(const jg_array *leaf, leaf_span *out)
{
    jg_layout layout;
    int64_t lowest, highest, itemsize = (int64_t)dtype_itemsize((jg_dtype)leaf->dtype);
    if (leaf->size == 0 || itemsize == 0 || leaf->contiguous) { /* packed elements are dense */
        *out = (leaf_span){node_place(leaf).offset, jg_array_nbytes(leaf), 0};
        return JG_OK;
    }
    node_layout(leaf, &layout);
    JG_TRY(layout_bounds(&layout, &lowest, &highest));
    *out = (leaf_span){(uint64_t)(lowest * itemsize), (size_t)((highest - lowest + 1) * itemsize),
                       (layout.offset - lowest) * itemsize};
    return JG_OK;
}

jg_status run_blocks_add_leaf(run_blocks *blocks, int slot, const jg_array *leaf)
{
    jg_buffer *buffer = node_root(leaf)->buffer;
    leaf_span span;
    JG_TRY(find_span(leaf, &span));
    run_block *block = add_block(blocks, slot, span.first);
    block->nbytes = span.nbytes;
    if (buffer_is_on_host(buffer)) {
        block->address = (char *)buffer->handle + span.offset;
        block->on_host = true;
    } else if (buffer->device == blocks->device) {
        block->device = buffer_retain(buffer);
        block->device_offset = span.offset;
        block->on_device = true;
    } else {
        block->origin = buffer;
        block->origin_offset = span.offset;
    }
    return JG_OK;
}

void run_blocks_add_result(run_blocks *blocks, int slot, jg_buffer *buffer, size_t nbytes)
{
    run_block *block = add_block(blocks, slot, 0);
    block->nbytes = nbytes;
    if (buffer_is_on_host(buffer))
        block->address = buffer->handle;
    else
        block->device = buffer_retain(buffer);
}

void run_blocks_add_temps(run_blocks *blocks, const jg_plan *plan)
{
    int first = blocks->nblocks;
    for (int i = 0; i < plan->ntemps; ++i)
        blocks->blocks[blocks->nblocks++].nbytes = plan->temps[i];
    for (int i = 0; i < plan->nhoused; ++i) {
        const plan_slot *slot = &plan->slots[plan->housed[i]];
        blocks->starts[plan->housed[i]] = slot->kind == SLOT_TEMP
                                              ? (slot_start){first + slot->temp, 0}
                                              : blocks->starts[slot->home];
    }
}

jg_status run_blocks_open(run_blocks *blocks, jg_stream *stream)
{
    if (blocks->queue != NULL || device_is_host(blocks->device))
        return JG_OK;
    bool is_new = stream_known_queue(stream) == NULL;
    if (is_new) /* a new queue is not ordered after works that still run */
        JG_TRY(memory_works_wait(blocks->device));
    JG_TRY(stream_queue(stream, &blocks->queue));
    if (is_new) /* works that began meanwhile may not know the queue yet; later works do */
        memory_works_settle(blocks->device);
    return JG_OK;
}

void run_blocks_begin(run_blocks *blocks)
{
    if (blocks->queue != NULL)
        device_submission_begin(&blocks->submission, blocks->device, blocks->queue,
                                blocks->sequence);
}

void run_blocks_end(run_blocks *blocks)
{
    device_submission_end(&blocks->submission);
}

jg_status run_blocks_launch(run_blocks *blocks, device_code *code, const device_start *start)
{
    return device_submission_launch(&blocks->submission, code, start);
}

jg_status run_blocks_cut(run_blocks *blocks)
{
    return device_submission_cut(&blocks->submission);
}

/* If a copy cannot be submitted, it is dropped; the queue still has to run the rest. */
jg_status run_blocks_finish(run_blocks *blocks)
{
    jg_error failure;
    if (blocks->queue == NULL)
        return JG_OK;
    for (int i = 0; i < blocks->nblocks; ++i)
        blocks->blocks[i].sending = false;
    jg_status given = run_blocks_cut(blocks);
    if (given == JG_OK)
        return device_copy_all(blocks->device, blocks->queue, 0, NULL);
    error_capture(&failure, given);
    (void)device_copy_all(blocks->device, blocks->queue, 0, NULL);
    return error_raise(&failure);
}

bool run_blocks_mark(run_blocks *blocks, void **mark)
{
    return blocks->queue != NULL &&
           device_mark_record(blocks->device, blocks->queue, mark) == JG_OK;
}

/* Copies what the block has on a device to the host. */
static jg_status fetch(run_blocks *blocks, run_block *block)
{
    device_copy copy = {DEVICE_TO_HOST, {block->address, 0}, {NULL, 0}, block->nbytes};
    JG_TRY(run_blocks_cut(blocks));
    if (block->on_device) {
        copy.from = (device_place){block->device->handle, block->device_offset};
        return device_copy_all(blocks->device, blocks->queue, 1, &copy);
    }
    copy.from = (device_place){block->origin->handle, block->origin_offset};
    return device_copy_all(block->origin->device, NULL, 1, &copy);
}

static jg_status require_on_host(run_blocks *blocks, run_block *block, bool reads)
{
    if (block->address == NULL) {
        JG_TRY(buffer_new(device_cpu(), block->nbytes, &block->host));
        block->address = block->host->handle;
    }
    if (!reads && block->sending)
        JG_TRY(run_blocks_finish(blocks));
    if (!reads || block->on_host || !(block->on_device || block->origin != NULL))
        return JG_OK;
    JG_TRY(fetch(blocks, block));
    block->on_host = true;
    return JG_OK;
}

/* The host's bytes stay as they are until the copy has run. */
static jg_status store(run_blocks *blocks, run_block *block)
{
    const device_copy copy = {DEVICE_FROM_HOST,
                              {block->device->handle, block->device_offset},
                              {block->address, 0},
                              block->nbytes};
    JG_TRY(run_blocks_cut(blocks));
    JG_TRY(device_copy_start(blocks->device, blocks->queue, &copy));
    block->on_device = block->sending = true;
    return JG_OK;
}

/* Whether another device's bytes reach the run's device without the host. */
static bool is_near(const run_blocks *blocks, const run_block *block)
{
    const jg_device_ops *ops = blocks->device->ops;
    return block->origin != NULL && !block->on_host && ops->flat_addresses &&
           block->origin->device->ops == ops;
}

/* Waits for work of other libraries that still writes there: the run's queue does not know that
 * work. */
static jg_status bring_over(run_blocks *blocks, run_block *block)
{
    const device_copy copy = {DEVICE_WITHIN,
                              {block->device->handle, block->device_offset},
                              {block->origin->handle, block->origin_offset},
                              block->nbytes};
    JG_TRY(device_copy_all(block->origin->device, NULL, 0, NULL));
    JG_TRY(run_blocks_cut(blocks));
    JG_TRY(device_copy_start(blocks->device, blocks->queue, &copy));
    block->on_device = true;
    return JG_OK;
}

static jg_status require_on_device(run_blocks *blocks, run_block *block, bool reads)
{
    if (block->device == NULL)
        JG_TRY(buffer_new(blocks->device, block->nbytes, &block->device));
    if (!reads || block->on_device || !(block->on_host || block->origin != NULL))
        return JG_OK;
    if (is_near(blocks, block))
        return bring_over(blocks, block);
    JG_TRY(require_on_host(blocks, block, true));
    return store(blocks, block);
}

/* Operands that a launch reads must be on its side before it starts. A launch may write a block
 * that it also reads. */
static jg_status require_operands(run_blocks *blocks, const plan_launch *launch, bool on_host)
{
    for (int i = 0; i < launch->noperands; ++i) {
        int slot = launch->operands[i].slot;
        if (slot < 0)
            continue;
        run_block *block = &blocks->blocks[blocks->starts[slot].block];
        bool reads = !launch->kind->writes(launch, i);
        JG_TRY(on_host ? require_on_host(blocks, block, reads)
                       : require_on_device(blocks, block, reads));
    }
    return JG_OK;
}

static void note_writes(run_blocks *blocks, const plan_launch *launch, bool on_host)
{
    for (int i = 0; i < launch->noperands; ++i) {
        int slot = launch->operands[i].slot;
        if (slot < 0 || !launch->kind->writes(launch, i))
            continue;
        run_block *block = &blocks->blocks[blocks->starts[slot].block];
        block->on_host = on_host;
        block->on_device = !on_host;
    }
}

jg_status run_blocks_ready_host(run_blocks *blocks, const plan_launch *launch, void **addresses)
{
    JG_TRY(require_operands(blocks, launch, true));
    for (int i = 0; i < launch->noperands; ++i) {
        int slot = launch->operands[i].slot;
        if (slot < 0)
            continue;
        const slot_start *start = &blocks->starts[slot];
        addresses[slot] = blocks->blocks[start->block].address + start->first;
    }
    note_writes(blocks, launch, true);
    return JG_OK;
}

jg_status run_blocks_ready_device(run_blocks *blocks, const plan_launch *launch, void **handles,
                                  int64_t *offsets)
{
    JG_TRY(require_operands(blocks, launch, false));
    for (int i = 0; i < launch->noperands; ++i) {
        const plan_operand *operand = &launch->operands[i];
        handles[i] = NULL;
        offsets[i] = operand->offset_bytes;
        if (operand->slot < 0)
            continue;
        const slot_start *start = &blocks->starts[operand->slot];
        const run_block *block = &blocks->blocks[start->block];
        handles[i] = block->device->handle;
        offsets[i] += (int64_t)block->device_offset + start->first;
    }
    note_writes(blocks, launch, false);
    return JG_OK;
}

jg_status run_blocks_read(run_blocks *blocks, const plan_launch *launch, int operand,
                          const void **out)
{
    const plan_operand *read = &launch->operands[operand];
    const slot_start *start = &blocks->starts[read->slot];
    run_block *block = &blocks->blocks[start->block];
    JG_TRY(require_on_host(blocks, block, true));
    *out = block->address + start->first + read->offset_bytes;
    return JG_OK;
}

/* Launches that are queued may use smaller scratch memory until they have run. */
jg_status run_blocks_scratch(run_blocks *blocks, size_t nbytes, void **handle)
{
    *handle = NULL;
    if (nbytes == 0)
        return JG_OK;
    if (blocks->scratch != NULL && blocks->scratch->nbytes < nbytes) {
        JG_TRY(run_blocks_finish(blocks));
        buffer_release(blocks->scratch);
        blocks->scratch = NULL;
    }
    if (blocks->scratch == NULL)
        JG_TRY(buffer_new(blocks->device, nbytes, &blocks->scratch));
    *handle = blocks->scratch->handle;
    return JG_OK;
}

jg_status run_blocks_store_results(run_blocks *blocks, const jg_plan *plan)
{
    for (int i = 0; i < plan->nstored; ++i) {
        run_block *block = &blocks->blocks[blocks->starts[plan->stored[i]].block];
        if (block->device != NULL && !block->on_device && block->on_host)
            JG_TRY(store(blocks, block));
    }
    return JG_OK;
}

void *run_blocks_queue(const run_blocks *blocks)
{
    return blocks->queue;
}
