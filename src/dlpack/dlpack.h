/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack: foreign tensors become views, views become DLTensors; no heap, no ownership, no device.
 *
 * bounds.c checks what a jg_view says, for callers in the same process (view.c) and for hostile
 * structs (check.c) alike: after it, every element lies at an index that int64_t holds and a byte
 * offset that ptrdiff_t holds, and so does the size of a dense copy. Numbers of DLPack's (device
 * types, dtype codes) are read in code.c alone. The room exchange adds ownership. */
#ifndef JG_DLPACK_H
#define JG_DLPACK_H

#include "tensor/tensor.h"
#include <joggle/dlpack.h>
#include <joggle/view.h>

/* code.c */

/* Whether a DLPack 1.3 device type has this number. */
bool dlpack_device_is_known(int32_t type);

/* Whether data is an address that offsets can be added to, and not a handle. */
bool dlpack_device_has_addresses(int32_t type);

/* The device with the id that DLPack prescribes: host and managed memory have id 0, whatever the
 * producer wrote. raises: status, for an unknown type or a negative id */
jg_status dlpack_device_normalise(jg_device_id device, jg_status status, jg_device_id *out);

/* bounds.c */

/* Bits from one position to the next: all lanes, or a byte per lane where sub-byte values are
 * padded. A packed position need not be a whole number of bytes. */
int64_t dlpack_view_position_bits(const jg_view *view);

/* Bytes from the start of the first element down to the lowest one, and up to the end of the
 * highest. Both are 0 for a view without elements. */
void dlpack_view_reach(const jg_view *view, size_t *below, size_t *above);

/* The address of the first element, on a device with addresses. gives: borrowed from the view */
void *dlpack_view_address(const jg_view *view);

/* Whether the address of the first element is a multiple of what the dtype's value needs: its
 * size, half of it for complex, one byte for sub-byte dtypes. Strides count whole elements, so
 * the rest follow. */
bool dlpack_view_is_aligned(const jg_view *view);

/* The fields that are set, without the unused ends of the arrays. */
void dlpack_view_copy(jg_view *to, const jg_view *from);

/* Checks and sets dtype, lanes and flags: a dtype that is a packed pair becomes its value with
 * twice the lanes.
 * raises: status */
jg_status dlpack_view_set_type(jg_view *view, jg_status status, jg_dtype dtype, int64_t lanes,
                               unsigned flags);

/* Checks and sets ndim, shape and strides, after data, byte_offset, device and the type have been
 * set, and normalises as jg_view_from_dltensor says. raises: status, for anything that memory
 * cannot hold */
jg_status dlpack_view_set_layout(jg_view *view, jg_status status, int64_t ndim,
                                 const int64_t *shape, const int64_t *strides);

/* check.c */

/* If src/ is on the path of <> includes, <dlpack/dlpack.h> finds this header before the ABI is
 * declared. The guard hides this part then. */
#ifdef DLPACK_DLPACK_H_

/* jg_view_from_dltensor into the caller's view; after a failure its fields are undefined.
 * raises: as jg_view_from_dltensor */
jg_status dlpack_view_check(const DLTensor *tensor, unsigned flags, jg_view *view);

#endif

#endif
