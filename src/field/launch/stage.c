/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a launch needs on the side where it does not lie. */
#include "field/launch/ported.h"

static int count_of(const field_stage *stage)
{
    return (int)(stage->blocks.nbytes / sizeof(stage_block));
}

static stage_block *block_at(const field_stage *stage, int index)
{
    return (stage_block *)(void *)stage->blocks.data + index;
}

static bool meets(const stage_block *block, const stage_block *other)
{
    return block->handle == other->handle && block->low < other->high && other->low < block->high;
}

static void join(stage_block *to, const stage_block *from)
{
    to->low = from->low < to->low ? from->low : to->low;
    to->high = from->high > to->high ? from->high : to->high;
    to->written |= from->written;
}

/* Joins the new range with the blocks that it meets; a few blocks are searched. */
jg_status field_stage_add(field_stage *stage, void *handle, const char *low, const char *high,
                          bool written)
{
    stage_block added = {.handle = handle, .low = low, .high = high, .written = written};
    if (low == high)
        return JG_OK;
    for (int i = 0; i < count_of(stage);) {
        if (!meets(block_at(stage, i), &added)) {
            i += 1;
            continue;
        }
        join(&added, block_at(stage, i));
        *block_at(stage, i) = *block_at(stage, count_of(stage) - 1);
        stage->blocks.nbytes -= sizeof added;
        i = 0;
    }
    return vec_append(&stage->blocks, &added, sizeof added);
}

static size_t nbytes_of(const stage_block *block)
{
    return (size_t)(block->high - block->low);
}

jg_status field_stage_take(field_stage *stage, jg_device *device)
{
    for (int i = 0; i < count_of(stage); ++i)
        JG_TRY(buffer_new(device, nbytes_of(block_at(stage, i)), &block_at(stage, i)->copy));
    return JG_OK;
}

void *field_stage_place(const field_stage *stage, void *handle, const char *low, const char *high,
                        const void *address, uint64_t *offset)
{
    const stage_block range = {.handle = handle, .low = low, .high = high};
    *offset = 0;
    if (low == high)
        return NULL;
    for (int i = 0; i < count_of(stage); ++i) {
        const stage_block *block = block_at(stage, i);
        if (!meets(block, &range))
            continue;
        *offset = (uint64_t)((const char *)address - block->low);
        return block->copy->handle;
    }
    return NULL;
}

jg_status field_stage_send(const field_stage *stage, void *queue)
{
    for (int i = 0; i < count_of(stage); ++i) {
        const stage_block *block = block_at(stage, i);
        const device_copy copy = {
            DEVICE_FROM_HOST, {block->copy->handle, 0}, {(void *)block->low, 0}, nbytes_of(block)};
        JG_TRY(device_copy_start(block->copy->device, queue, &copy));
    }
    return JG_OK;
}

jg_status field_stage_fetch(const field_stage *stage, void *queue)
{
    for (int i = 0; i < count_of(stage); ++i) {
        const stage_block *block = block_at(stage, i);
        const device_copy copy = {
            DEVICE_TO_HOST, {(void *)block->low, 0}, {block->copy->handle, 0}, nbytes_of(block)};
        if (block->written)
            JG_TRY(device_copy_start(block->copy->device, queue, &copy));
    }
    return JG_OK;
}

/* Addresses of a handle that is none begin at a multiple of 2^48 (device.c). */
static device_place place_of(const stage_block *block)
{
    if (block->handle == NULL)
        return (device_place){(void *)block->low, 0};
    return (device_place){block->handle,
                          (uint64_t)(uintptr_t)block->low & ((UINT64_C(1) << 48) - 1)};
}

jg_status field_stage_read(const field_stage *stage, jg_device *device)
{
    for (int i = 0; i < count_of(stage); ++i) {
        const stage_block *block = block_at(stage, i);
        const device_copy copy = {
            DEVICE_TO_HOST, {block->copy->handle, 0}, place_of(block), nbytes_of(block)};
        JG_TRY(device_copy_all(device, NULL, 1, &copy));
    }
    return JG_OK;
}

jg_status field_stage_write(const field_stage *stage, jg_device *device)
{
    for (int i = 0; i < count_of(stage); ++i) {
        const stage_block *block = block_at(stage, i);
        const device_copy copy = {
            DEVICE_FROM_HOST, place_of(block), {block->copy->handle, 0}, nbytes_of(block)};
        if (block->written)
            JG_TRY(device_copy_all(device, NULL, 1, &copy));
    }
    return JG_OK;
}

void field_stage_clear(field_stage *stage)
{
    for (int i = 0; i < count_of(stage); ++i)
        buffer_release(block_at(stage, i)->copy);
    vec_clear(&stage->blocks);
}
