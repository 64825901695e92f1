/* SPDX-License-Identifier: Apache-2.0 */
/* Writing GGUF, version 3. Extents are written the fastest first; elements begin at multiples of 32
 * bytes, the format's default, so that they can be used in place.
 *
 * Entries come before the elements, so their offsets are computed and the elements then written in
 * the same order with the same padding. */
#include "io/io.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 3 };

static jg_status put_u32(io_writer *writer, uint32_t number)
{
    return writer_put(writer, &number, sizeof number);
}

static jg_status put_u64(io_writer *writer, uint64_t number)
{
    return writer_put(writer, &number, sizeof number);
}

static jg_status put_text(io_writer *writer, const char *text)
{
    size_t length = strlen(text);
    JG_TRY(put_u64(writer, length));
    return writer_put(writer, text, length);
}

static jg_status find_value_code(const jg_metadatum *metadatum, uint32_t *out)
{
    jg_dtype dtype = jg_array_dtype(metadatum->array);
    switch (dtype) {
#define JG_GGUF_TYPE(CODE, NAME, DTYPE, BITS, BLOCK, NBYTES)
#define JG_GGUF_VALUE(CODE, DTYPE)                                                                 \
    case JG_DTYPE_##DTYPE:                                                                         \
        *out = CODE;                                                                               \
        return JG_OK;
#include "io/gguf.def"
#undef JG_GGUF_TYPE
#undef JG_GGUF_VALUE
    default: break;
    }
    return base_fail(JG_ERR_TYPE,
                     "[save_gguf] metadata '%.64s': got %s, allowed are dtypes that the format has",
                     metadatum->key, dtype_rows[dtype].name);
}

static jg_status put_numbers(io_writer *writer, const jg_metadatum *metadatum)
{
    uint32_t code = 0;
    int ndim = jg_array_ndim(metadatum->array);
    JG_TRY(find_value_code(metadatum, &code));
    if (ndim > 1)
        return base_fail(JG_ERR_VALUE, "[save_gguf] metadata '%.64s': has %d axes, allowed is one",
                         metadatum->key, ndim);
    if (ndim == 1)
        JG_TRY(put_u32(writer, GGUF_LIST));
    JG_TRY(put_u32(writer, code));
    if (ndim == 1)
        JG_TRY(put_u64(writer, (uint64_t)jg_array_size(metadatum->array)));
    return writer_put_array(writer, metadatum->array);
}

static jg_status put_texts(io_writer *writer, const jg_metadatum *metadatum)
{
    if (metadatum->is_list) {
        JG_TRY(put_u32(writer, GGUF_LIST));
        JG_TRY(put_u32(writer, GGUF_TEXT));
        JG_TRY(put_u64(writer, (uint64_t)metadatum->ntexts));
    } else {
        JG_TRY(put_u32(writer, GGUF_TEXT));
    }
    for (int i = 0; i < metadatum->ntexts; ++i)
        JG_TRY(put_text(writer, metadatum->texts[i]));
    return JG_OK;
}

/* Readers use this word, so it must describe what is written. */
static jg_status check_alignment(const jg_metadatum *metadatum)
{
    jg_number number = {.kind = JG_KIND_INT};
    char given[48] = "a text";
    if (strcmp(metadatum->key, GGUF_ALIGNMENT_KEY) != 0)
        return JG_OK;
    if (metadatum->array != NULL)
        JG_TRY(jg_array_item(metadatum->array, &number));
    if (number.kind == JG_KIND_UINT && number.u64 == GGUF_ALIGNMENT)
        return JG_OK;
    if (metadatum->array != NULL)
        snprintf(given, sizeof given, "%g of %s",
                 scalar_real(scalar_of_number(&number), number.kind),
                 jg_dtype_name(jg_array_dtype(metadatum->array)));
    return base_fail(JG_ERR_VALUE,
                     "[save_gguf] metadata '%s': got %s, allowed is %d, as an unsigned integer",
                     GGUF_ALIGNMENT_KEY, given, GGUF_ALIGNMENT);
}

static jg_status put_metadatum(io_writer *writer, const jg_metadatum *metadatum)
{
    JG_TRY(check_alignment(metadatum));
    JG_TRY(put_text(writer, metadatum->key));
    return metadatum->array != NULL ? put_numbers(writer, metadatum) : put_texts(writer, metadatum);
}

static uint64_t aligned(uint64_t offset)
{
    return size_round_up(offset, GGUF_ALIGNMENT);
}

/* offset: the offset of the tensor's elements from those of the first; it is advanced to the next
 * tensor's. */
static jg_status put_entry(io_writer *writer, const jg_tensor *tensor, uint64_t *offset)
{
    const jg_array *x = tensor->array;
    int ndim = jg_array_ndim(x);
    const gguf_type *type = gguf_type_of_dtype(jg_array_dtype(x));
    if (type == NULL)
        return base_fail(JG_ERR_TYPE,
                         "[save_gguf] '%.64s': got %s, allowed are dtypes that the format has",
                         tensor->name, dtype_rows[jg_array_dtype(x)].name);
    if (ndim > GGUF_MAX_AXES)
        return base_fail(JG_ERR_VALUE, "[save_gguf] '%.64s': has %d axes, allowed are %d",
                         tensor->name, ndim, GGUF_MAX_AXES);
    JG_TRY(put_text(writer, tensor->name));
    JG_TRY(put_u32(writer, (uint32_t)ndim));
    for (int i = ndim - 1; i >= 0; --i)
        JG_TRY(put_u64(writer, (uint64_t)jg_array_shape(x)[i]));
    JG_TRY(put_u32(writer, type->code));
    JG_TRY(put_u64(writer, *offset));
    *offset = aligned(*offset + jg_array_nbytes(x));
    return JG_OK;
}

static jg_status put_header(io_writer *writer, const jg_tensors *tensors)
{
    uint64_t offset = 0;
    JG_TRY(writer_put(writer, "GGUF", 4));
    JG_TRY(put_u32(writer, VERSION));
    JG_TRY(put_u64(writer, (uint64_t)tensors->count));
    JG_TRY(put_u64(writer, (uint64_t)tensors->nmetadata));
    for (int i = 0; i < tensors->nmetadata; ++i)
        JG_TRY(put_metadatum(writer, &tensors->metadata[i]));
    for (int i = 0; i < tensors->count; ++i)
        JG_TRY(put_entry(writer, &tensors->items[i], &offset));
    return JG_OK;
}

jg_status jg_save_gguf(const jg_tensors *tensors, jg_sink *sink, void *context)
{
    io_writer writer = {"save_gguf", sink, context, 0};
    JG_TRY(tensors_check("save_gguf", tensors));
    JG_TRY(put_header(&writer, tensors));
    for (int i = 0; i < tensors->count; ++i) {
        JG_TRY(writer_pad(&writer, GGUF_ALIGNMENT));
        JG_TRY(writer_put_array(&writer, tensors->items[i].array));
    }
    return writer_pad(&writer, GGUF_ALIGNMENT);
}
