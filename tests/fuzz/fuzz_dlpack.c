/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the check of DLPack input: jg_view_from_managed and jg_view_from_dltensor.
 *
 * The bytes describe a tensor, most often one with a flaw or two. An oracle in 128-bit
 * arithmetic, written without looking at bounds.c's way of counting, says whether it must be
 * accepted; the library has to agree. What is accepted is walked: every element has to lie
 * within the reach that the view claims and, if the tensor lies in memory of this file's, is
 * read. Then it makes the round trip through a DLTensor.
 *
 * Bytes, in the order they are read; missing ones are 0:
 *   mode: 1 versioned struct, 2 NULL shape, 4 NULL strides, 8 data anywhere, 16 NULL data
 *   major (if versioned), flags, device type, device id, dtype index or (255) code and bits, lanes,
 *   ndim, per axis extent and stride, byte_offset, data
 * An integer is a byte below 128, 128 + n for entry n of `corners`, or 255 and eight raw bytes;
 * a byte from 192 to 254 is negative, as an int8_t. */
#include "dlpack/dlpack.h"
#include "fuzz_main.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_BYTES 4096
#define WALK_LIMIT 3000

typedef __int128 wide;

static unsigned char memory[MEMORY_BYTES];

typedef struct input {
    const uint8_t *bytes;
    size_t left;
} input;

static const int64_t corners[] = {
    INT64_MAX,     INT64_MIN,    INT64_MAX - 1,   INT64_MIN + 1, INT64_MAX / 2, INT64_MAX / 4,
    INT64_MAX / 8, 1ll << 62,    1ll << 61,       1ll << 60,     1ll << 59,     1ll << 33,
    1ll << 32,     1ll << 31,    (1ll << 31) - 1, 3037000500,    -(1ll << 31),  -(1ll << 32),
    -(1ll << 60),  -(1ll << 61), -(1ll << 62),    4096,          1000,          -1000,
};

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "violated: %s; last message: %s\n", what, jg_error_message());
    abort();
}

static uint8_t next_byte(input *in)
{
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->bytes++;
}

static int64_t next_int(input *in)
{
    uint8_t first = next_byte(in);
    uint64_t value = 0;
    if (first < 128)
        return first;
    if (first < 192)
        return corners[(size_t)(first - 128) % JG_COUNT_OF(corners)];
    if (first < 255)
        return (int8_t)first;
    for (int i = 0; i < 8; i++)
        value = value << 8 | next_byte(in);
    return (int64_t)value;
}

static DLDataType next_dtype(input *in)
{
    uint8_t index = next_byte(in);
    DLDataType type = jg_dtype_dldatatype((jg_dtype)(index % JG_DTYPE_COUNT), 1);
    if (index == 255) {
        type.code = next_byte(in);
        type.bits = next_byte(in);
    }
    type.lanes = (uint16_t)next_int(in);
    return type;
}

static void next_axes(input *in, int ndim, int64_t *shape, int64_t *strides)
{
    for (int i = 0; i < ndim && i < JG_MAX_NDIM; i++) {
        shape[i] = next_int(in);
        strides[i] = next_int(in);
    }
}

static void next_place(input *in, unsigned mode, DLTensor *tensor)
{
    tensor->byte_offset = (uint64_t)next_int(in);
    uint64_t place = (uint64_t)next_int(in);
    if (mode & 8)
        tensor->data = (void *)(uintptr_t)place;
    else
        tensor->data = mode & 16 ? NULL : memory + place % (MEMORY_BYTES + 1);
}

static DLTensor next_tensor(input *in, unsigned mode, int64_t *shape, int64_t *strides)
{
    DLTensor tensor;
    tensor.device.device_type = (DLDeviceType)(int32_t)next_int(in);
    tensor.device.device_id = (int32_t)next_int(in);
    tensor.dtype = next_dtype(in);
    tensor.ndim = (int32_t)next_int(in);
    next_axes(in, tensor.ndim, shape, strides);
    tensor.shape = mode & 2 ? NULL : shape;
    tensor.strides = mode & 4 ? NULL : strides;
    next_place(in, mode, &tensor);
    return tensor;
}

typedef struct verdict {
    bool accepted, empty;
    wide below, above; /* bytes */
} verdict;

/* The limit is out of every range that is asked for, and low enough for one more factor. */
static wide clamp(wide value, int log2)
{
    const wide limit = (wide)1 << log2;
    return value > limit ? limit : value < -limit ? -limit : value;
}

static bool device_ok(DLDevice device)
{
    int32_t type = (int32_t)device.device_type;
    bool known = (type >= 1 && type <= 4) || (type >= 7 && type <= 18);
    bool host = type == 1 || type == 3 || type == 11 || type == 13;
    return known && (host || device.device_id >= 0);
}

static bool dtype_ok(DLDataType type)
{
    bool found = false;
    for (int i = 0; i < JG_DTYPE_COUNT; i++)
        found |= dtype_rows[i].dlpack_code == type.code && dtype_rows[i].bits == type.bits;
    return found && type.lanes > 0;
}

static wide to_bytes(wide positions, DLDataType type, unsigned flags)
{
    int bits = type.bits < 8 && flags & 4 ? 8 : type.bits;
    return (clamp(positions, 100) * (bits * type.lanes) + 7) / 8;
}

/* Whether the extents are possible, and how many elements there are with empty axes counted as
 * one. */
static bool extents_ok(const DLTensor *tensor, wide *product, bool *empty)
{
    *product = 1;
    *empty = false;
    for (int i = 0; i < tensor->ndim; i++) {
        int64_t extent = tensor->shape[i];
        if (extent < 0)
            return false;
        *empty |= extent == 0;
        *product = clamp(*product * (extent == 0 ? 1 : extent), 63);
    }
    return *product <= INT64_MAX;
}

static void reach(const DLTensor *tensor, wide *low, wide *high)
{
    wide row_major = 1;
    *low = *high = 0;
    for (int i = tensor->ndim - 1; i >= 0; i--) {
        wide stride = tensor->strides == NULL ? row_major : tensor->strides[i];
        wide distance = clamp((wide)(tensor->shape[i] - 1) * stride, 90);
        *(distance < 0 ? low : high) += distance;
        row_major *= tensor->shape[i];
    }
}

static bool place_ok(const DLTensor *tensor, const verdict *v)
{
    int32_t type = (int32_t)tensor->device.device_type;
    bool handle =
        type != 1 && type != 2 && type != 3 && type != 10 && type != 11 && type != 13 && type != 14;
    wide offset = (wide)tensor->byte_offset, first = (wide)(uintptr_t)tensor->data + offset;
    if (tensor->data == NULL || offset > PTRDIFF_MAX)
        return false;
    if (handle)
        return v->below <= offset && offset + v->above <= PTRDIFF_MAX;
    return first <= UINTPTR_MAX && v->below <= first && first + v->above <= UINTPTR_MAX;
}

static verdict judge(const DLTensor *tensor, unsigned flags)
{
    verdict v = {false, false, 0, 0};
    wide product, low, high;
    bool described = device_ok(tensor->device) && dtype_ok(tensor->dtype) && tensor->ndim >= 0 &&
                     tensor->ndim <= JG_MAX_NDIM && (tensor->ndim == 0 || tensor->shape != NULL);
    if (!described || !extents_ok(tensor, &product, &v.empty))
        return v;
    v.accepted = v.empty;
    if (v.empty || to_bytes(product, tensor->dtype, flags) > PTRDIFF_MAX)
        return v;
    reach(tensor, &low, &high);
    v.below = to_bytes(-low, tensor->dtype, flags);
    v.above = to_bytes(high + 1, tensor->dtype, flags);
    /* Half-byte elements can fit in bytes and still not be counted in int64_t, as a layout must. */
    v.accepted = -low <= INT64_MAX && high < INT64_MAX && v.below + v.above <= PTRDIFF_MAX &&
                 place_ok(tensor, &v);
    return v;
}

/* Whether all that the view reaches lies in `memory`. */
static bool in_memory(const jg_view *view, size_t below, size_t above)
{
    uintptr_t start = (uintptr_t)memory, first = (uintptr_t)view->data;
    return view->device.type == JG_DEVICE_CPU && first >= start + below &&
           first <= start + MEMORY_BYTES && above <= start + MEMORY_BYTES - first;
}

/* The next index in row-major order. gives: false after the last one */
static bool advance(const jg_view *view, int64_t *index)
{
    for (int i = view->ndim - 1; i >= 0; i--) {
        if (++index[i] < view->shape[i])
            return true;
        index[i] = 0;
    }
    return false;
}

static void walk(const jg_view *view, size_t below, size_t above, bool readable)
{
    int64_t index[JG_MAX_NDIM] = {0}, bits = dlpack_view_position_bits(view);
    volatile unsigned char sink = 0;
    int steps = 0;
    do {
        int64_t position = 0;
        for (int i = 0; i < view->ndim; i++)
            position += index[i] * view->strides[i];
        wide low = (wide)position * bits, high = low + bits;
        require(low >= -(wide)below * 8 && high <= (wide)above * 8,
                "an element lies within the reach");
        if (readable) {
            const unsigned char *first = view->data;
            sink = (unsigned char)(sink ^ first[(low - (low < 0 ? 7 : 0)) / 8] ^
                                   first[(high - 1) / 8]);
        }
    } while (++steps < WALK_LIMIT && advance(view, index));
}

static void check_fields(const DLTensor *tensor, const jg_view *view, const verdict *v)
{
    wide product = 1;
    require(view->ndim == tensor->ndim, "ndim is taken over");
    require((view->flags & ~7) == 0, "unknown flags are dropped");
    for (int i = view->ndim - 1; i >= 0; i--) {
        bool own = tensor->strides != NULL && !v->empty && view->shape[i] != 1;
        require(view->shape[i] == tensor->shape[i], "extents are taken over");
        require(view->strides[i] == (own ? tensor->strides[i] : (int64_t)product), "strides");
        product *= view->shape[i] == 0 ? 1 : view->shape[i];
    }
    require(jg_view_size(view) == (v->empty ? 0 : (int64_t)product), "size");
    require((view->data == NULL) == v->empty, "data is NULL if and only if there are no elements");
}

static void check_round_trip(const jg_view *view)
{
    jg_view again;
    DLTensor tensor = jg_view_dltensor(view);
    require(tensor.shape != NULL && tensor.strides != NULL, "shape and strides are not NULL");
    require(jg_view_from_dltensor(&tensor, view->flags, &again) == JG_OK,
            "a view is accepted again");
    size_t used = (size_t)view->ndim * sizeof(int64_t);
    require(again.data == view->data && again.byte_offset == view->byte_offset, "same place");
    require(again.dtype == view->dtype && again.lanes == view->lanes, "same type");
    require(again.flags == view->flags && again.ndim == view->ndim, "same flags and ndim");
    require(again.device.type == view->device.type && again.device.id == view->device.id,
            "same device");
    require(memcmp(again.shape, view->shape, used) == 0, "same shape");
    require(memcmp(again.strides, view->strides, used) == 0, "same strides");
}

static void check_accepted(const DLTensor *tensor, const jg_view *view, const verdict *v)
{
    size_t below, above;
    check_fields(tensor, view, v);
    dlpack_view_reach(view, &below, &above);
    require((wide)below == v->below && (wide)above == v->above,
            "the reach is what the oracle says");
    if (!v->empty)
        walk(view, below, above, in_memory(view, below, above));
    if (v->empty || tensor->strides == NULL)
        require(jg_view_is_contiguous(view), "empty and NULL strides are contiguous");
    (void)dlpack_view_is_aligned(view);
    check_round_trip(view);
}

static jg_status import(input *in, unsigned mode, DLTensor *tensor, unsigned *flags, int64_t *axes,
                        jg_view *out)
{
    DLManagedTensorVersioned managed = {.version = {DLPACK_MAJOR_VERSION, 0}};
    if (mode & 1)
        managed.version.major = (uint32_t)next_int(in);
    *flags = (unsigned)next_int(in);
    *tensor = next_tensor(in, mode, axes, axes + JG_MAX_NDIM);
    if (!(mode & 1))
        return jg_view_from_dltensor(tensor, *flags, out);
    managed.flags = *flags | UINT64_C(1) << 63;
    managed.dl_tensor = *tensor;
    if (managed.version.major != DLPACK_MAJOR_VERSION) {
        require(jg_view_from_managed(&managed, out) == JG_ERR_BUFFER, "another major is refused");
        return jg_view_from_dltensor(tensor, *flags, out);
    }
    return jg_view_from_managed(&managed, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes)
{
    input in = {bytes, nbytes};
    int64_t axes[2 * JG_MAX_NDIM] = {0};
    DLTensor tensor;
    unsigned flags, mode = next_byte(&in);
    jg_view view, before;
    memset(&view, 0x5a, sizeof view);
    memcpy(&before, &view, sizeof view);
    jg_status status = import(&in, mode, &tensor, &flags, axes, &view);
    verdict v = judge(&tensor, flags);
    require((status == JG_OK) == v.accepted, "the oracle agrees");
    if (status == JG_OK) {
        check_accepted(&tensor, &view, &v);
    } else {
        require(status == JG_ERR_BUFFER && jg_error_message()[0] != 0, "refused with a message");
        require(memcmp(&view, &before, sizeof view) == 0, "a refusal leaves the result alone");
    }
    return 0;
}
