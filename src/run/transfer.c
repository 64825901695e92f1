/* SPDX-License-Identifier: Apache-2.0 */
/* Launches on the host whose operands are on a device.
 *
 * The host's tiers run the launches that a device cannot run, on copies in host memory. These are
 * all launches of a device whose memory the host cannot read, and those of the CPU with an operand
 * from such a device. */
#include "run/frame.h"

/* Bytes of a device's buffer and of the host's that are to be equal. */
typedef struct transfer {
    jg_buffer *host; /* owned */
    jg_device *device;
    device_copy copy;
} transfer;

struct run_transfers {
    bool fetched;
    int nfetches, nstores;
    transfer *fetches;
    device_copy *stores; /* all to one device */
    jg_buffer **results; /* of the stores: the host's buffers, owned */
};

/* The tables lie behind the struct. */
jg_status transfers_new(const jg_plan *plan, run_transfers **out)
{
    size_t nleaves = (size_t)plan->nleaves, nstored = (size_t)plan->nstored;
    size_t nbytes = sizeof **out + nleaves * sizeof(transfer) +
                    nstored * (sizeof(device_copy) + sizeof(jg_buffer *));
    run_transfers *transfers = base_alloc_zeroed(nbytes);
    if (transfers == NULL)
        return base_nomem(nbytes, "an evaluation");
    transfers->fetches = (transfer *)(void *)(transfers + 1);
    transfers->stores = (device_copy *)(void *)(transfers->fetches + nleaves);
    transfers->results = (jg_buffer **)(void *)(transfers->stores + nstored);
    *out = transfers;
    return JG_OK;
}

void transfers_free(run_transfers *transfers)
{
    if (transfers == NULL)
        return;
    for (int i = 0; i < transfers->nfetches; ++i)
        buffer_release(transfers->fetches[i].host);
    for (int i = 0; i < transfers->nstores; ++i)
        buffer_release(transfers->results[i]);
    base_free(transfers);
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

jg_status transfers_add_leaf(run_transfers *transfers, const jg_array *leaf, void **address)
{
    const jg_buffer *buffer = node_root(leaf)->buffer;
    transfer *added = &transfers->fetches[transfers->nfetches];
    leaf_span span;
    JG_TRY(find_span(leaf, &span));
    JG_TRY(buffer_new(device_cpu(), span.nbytes, &added->host));
    added->device = buffer->device;
    added->copy = (device_copy){
        DEVICE_TO_HOST, {added->host->handle, 0}, {buffer->handle, span.offset}, span.nbytes};
    transfers->nfetches += 1;
    *address = (char *)added->host->handle + span.first;
    return JG_OK;
}

jg_status transfers_add_result(run_transfers *transfers, const jg_buffer *result, size_t nbytes,
                               void **address)
{
    int added = transfers->nstores;
    JG_TRY(buffer_new(device_cpu(), nbytes, &transfers->results[added]));
    *address = transfers->results[added]->handle;
    transfers->stores[added] =
        (device_copy){DEVICE_FROM_HOST, {result->handle, 0}, {*address, 0}, nbytes};
    transfers->nstores += 1;
    return JG_OK;
}

/* Leaves may lie on several devices, and the run's need not be among them. */
jg_status transfers_fetch(run_transfers *transfers)
{
    for (int i = 0; i < transfers->nfetches && !transfers->fetched; ++i)
        JG_TRY(device_copy_all(transfers->fetches[i].device, NULL, 1, &transfers->fetches[i].copy));
    transfers->fetched = true;
    return JG_OK;
}

jg_status transfers_store(run_transfers *transfers, jg_device *device, jg_stream *stream)
{
    void *queue;
    if (transfers->nstores == 0)
        return JG_OK;
    JG_TRY(stream_queue(stream, &queue));
    return device_copy_all(device, queue, transfers->nstores, transfers->stores);
}
