/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that every writer uses. They write and count bytes; zeros up to a boundary; and the
 * elements of an array, row-major and in the files' byte order, which is little-endian. */
#include "io/io.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files are written in the machine's own order, which has to be little-endian"
#endif

jg_status writer_put(io_writer *writer, const void *bytes, size_t nbytes)
{
    if (nbytes == 0)
        return JG_OK;
    unsigned before = error_count();
    jg_status status = writer->sink(writer->context, bytes, nbytes);
    JG_TRY(error_of_callback(before, status, writer->function, "sink"));
    writer->written += nbytes;
    return JG_OK;
}

jg_status writer_pad(io_writer *writer, size_t alignment)
{
    /* The largest alignment that a format here has. */
    static const char zeros[64];
    size_t past = (size_t)(writer->written % alignment);
    return past == 0 ? JG_OK : writer_put(writer, zeros, alignment - past);
}

jg_status writer_put_array(io_writer *writer, jg_array *x)
{
    jg_array *here, *dense;
    jg_view view;
    JG_TRY(jg_to_device(x, (jg_device_id){JG_DEVICE_CPU, 0}, &here));
    /* The array itself where it is row-major already, so that it is not copied to be written. */
    jg_status status = jg_contiguous(here, &dense);
    jg_array_release(here);
    JG_TRY(status);
    status = jg_array_view(dense, &view);
    if (status == JG_OK && jg_array_size(x) > 0)
        status =
            writer_put(writer, (const char *)view.data + view.byte_offset, jg_array_nbytes(dense));
    jg_array_release(dense);
    return status;
}
