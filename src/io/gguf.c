/* SPDX-License-Identifier: Apache-2.0 */
/* Reading GGUF: a magic number, a version, two counts, the metadata, the tensors' names, extents
 * (the fastest first), kinds and offsets, and, aligned, the elements.
 *
 * Quantised kinds that MLX's layout has become three arrays (gguf_blocks.c), three more become
 * float16 (gguf_superblocks.c); the others are refused, as a part of a model is useless. */
#include "io/io.h"
#include <inttypes.h>
#include <limits.h>
#include <string.h>

static const char format_name[] = "gguf";

typedef struct gguf_reader {
    jg_source *source;
    io_cursor file;
    uint64_t data, alignment;
    tensors_builder builder;
} gguf_reader;

/* The description of a tensor, before the elements. */
typedef struct tensor_entry {
    char *name;
    const gguf_type *type;
    int ndim;
    int64_t shape[GGUF_MAX_AXES + 1];
    uint64_t offset;
} tensor_entry;

/* A length of 64 bits and that many bytes, without a terminator. */
static jg_status read_text(io_cursor *file, const char *what, char **out)
{
    const uint8_t *bytes = NULL;
    uint64_t length;
    JG_TRY(cursor_u64(file, what, &length));
    JG_TRY(cursor_take(file, what, length, &bytes));
    return io_text_copy(format_name, what, bytes, (size_t)length, out);
}

/* The dtype of numbers of that kind; texts and lists have been handled before. */
static jg_status find_value_dtype(uint32_t code, jg_dtype *out)
{
    switch (code) {
#define JG_GGUF_TYPE(CODE, NAME, DTYPE, BITS, BLOCK, NBYTES)
#define JG_GGUF_VALUE(CODE, DTYPE)                                                                 \
    case CODE:                                                                                     \
        *out = JG_DTYPE_##DTYPE;                                                                   \
        return JG_OK;
#include "io/gguf.def"
#undef JG_GGUF_TYPE
#undef JG_GGUF_VALUE
    default: break;
    }
    return base_fail(JG_ERR_VALUE,
                     "[load] gguf: metadata of kind %" PRIu32 ", allowed are those of the format",
                     code);
}

/* Numbers may be unaligned, so most are computed from the bytes; the source has been checked to
 * have them. count: not negative */
static jg_status read_numbers(gguf_reader *reader, uint32_t code, int ndim, int64_t count,
                              jg_metadatum *metadatum)
{
    const io_elements elements = {
        .format = format_name, .name = metadatum->key, .ndim = ndim, .shape = &count};
    io_elements typed = elements;
    size_t nbytes;
    JG_TRY(find_value_dtype(code, &typed.dtype));
    JG_TRY(io_source_array(reader->source, reader->file.at, &typed, &metadatum->array, &nbytes));
    reader->file.at += nbytes;
    return JG_OK;
}

static jg_status read_texts(gguf_reader *reader, uint64_t count, jg_metadatum *metadatum)
{
    io_cursor *file = &reader->file;
    size_t most = (file->nbytes - file->at) / sizeof(uint64_t); /* each has a length at least */
    if (count > size_min(most, INT_MAX))
        return base_fail(JG_ERR_VALUE,
                         "[load] gguf: '%.64s' has %" PRIu64 " texts, allowed are %zu%s",
                         metadatum->key, count, size_min(most, INT_MAX),
                         most <= INT_MAX ? ", for which the file has bytes" : "");
    size_t nbytes = (size_t)count * sizeof *metadatum->texts;
    metadatum->texts = base_alloc(nbytes);
    if (metadatum->texts == NULL)
        return base_nomem(nbytes, "a list of texts");
    for (uint64_t i = 0; i < count; ++i) {
        JG_TRY(read_text(file, "a text", &metadatum->texts[i]));
        metadatum->ntexts += 1;
    }
    return JG_OK;
}

static jg_status read_list(gguf_reader *reader, jg_metadatum *metadatum)
{
    uint32_t code;
    uint64_t count;
    JG_TRY(cursor_u32(&reader->file, "the kind of a list", &code));
    JG_TRY(cursor_u64(&reader->file, "the length of a list", &count));
    metadatum->is_list = code == GGUF_TEXT;
    if (code == GGUF_TEXT)
        return read_texts(reader, count, metadatum);
    if (code == GGUF_LIST)
        return base_fail(
            JG_ERR_UNSUPPORTED,
            "[load] gguf: '%.64s' is a list of lists, allowed are lists of numbers and of texts",
            metadatum->key);
    if (count > INT64_MAX)
        return base_fail(JG_ERR_VALUE,
                         "[load] gguf: '%.64s' has %" PRIu64 " numbers, allowed are %" PRId64,
                         metadatum->key, count, INT64_MAX);
    return read_numbers(reader, code, 1, (int64_t)count, metadatum);
}

/* Also on failure, the values read so far are in metadatum, for io_metadatum_clear. Its key is
 * set. */
static jg_status read_value(gguf_reader *reader, jg_metadatum *metadatum)
{
    uint32_t code;
    JG_TRY(cursor_u32(&reader->file, "the kind of a value", &code));
    if (code == GGUF_TEXT)
        return read_texts(reader, 1, metadatum);
    if (code == GGUF_LIST)
        return read_list(reader, metadatum);
    return read_numbers(reader, code, 0, 1, metadatum);
}

/* The only metadata that the reader itself uses. */
static jg_status note_alignment(gguf_reader *reader, const jg_metadatum *metadatum)
{
    jg_number number;
    if (strcmp(metadatum->key, GGUF_ALIGNMENT_KEY) != 0 || metadatum->array == NULL)
        return JG_OK;
    JG_TRY(jg_array_item(metadatum->array, &number));
    uint64_t alignment = number.kind == JG_KIND_UINT ? number.u64 : 0;
    if (alignment == 0 || alignment > UINT32_MAX)
        return base_fail(JG_ERR_VALUE,
                         "[load] gguf: %s is %" PRIu64
                         " as an unsigned number, allowed is 1 to %" PRIu32,
                         GGUF_ALIGNMENT_KEY, alignment, UINT32_MAX);
    reader->alignment = alignment;
    return JG_OK;
}

static jg_status read_metadatum(gguf_reader *reader)
{
    jg_metadatum metadatum = {0};
    jg_status status = read_text(&reader->file, "a key", &metadatum.key);
    if (status == JG_OK)
        status = read_value(reader, &metadatum);
    if (status == JG_OK)
        status = note_alignment(reader, &metadatum);
    if (status == JG_OK)
        status = tensors_add_metadatum(&reader->builder, &metadatum);
    if (status != JG_OK)
        io_metadatum_clear(&metadatum);
    return status;
}

/* The file has the fastest axis first, arrays have it last. */
static jg_status read_extents(io_cursor *file, tensor_entry *entry)
{
    uint32_t ndim;
    uint64_t extent;
    JG_TRY(cursor_u32(file, "the count of extents", &ndim));
    if (ndim > GGUF_MAX_AXES)
        return base_fail(JG_ERR_VALUE, "[load] gguf: '%.64s' has %" PRIu32 " axes, allowed are %d",
                         entry->name, ndim, GGUF_MAX_AXES);
    entry->ndim = (int)ndim;
    for (int i = entry->ndim - 1; i >= 0; --i) {
        JG_TRY(cursor_u64(file, "an extent", &extent));
        if (extent > INT64_MAX)
            return base_fail(JG_ERR_VALUE,
                             "[load] gguf: '%.64s' has an extent of %" PRIu64
                             ", allowed is up to %" PRId64,
                             entry->name, extent, INT64_MAX);
        entry->shape[i] = (int64_t)extent;
    }
    return JG_OK;
}

/* Kinds that have no array are refused here, before any element is read. entry->name is to be
 * freed, also on failure. */
static jg_status read_entry(io_cursor *file, tensor_entry *entry)
{
    uint32_t code;
    JG_TRY(read_text(file, "a name", &entry->name));
    JG_TRY(read_extents(file, entry));
    JG_TRY(cursor_u32(file, "the kind of a tensor", &code));
    JG_TRY(cursor_u64(file, "the place of a tensor", &entry->offset));
    entry->type = gguf_type_of(code);
    if (entry->type == NULL || (entry->type->block > 1 && entry->type->bits == 0))
        return base_fail(JG_ERR_UNSUPPORTED,
                         "[load] gguf: '%.64s' is of kind %s (%" PRIu32 "), allowed are whole "
                         "numbers and floats, Q4_0, Q4_1, Q8_0, Q2_K, Q4_K and Q6_K",
                         entry->name, entry->type ? entry->type->name : "unknown", code);
    return JG_OK;
}

/* "x.weight" has "x.scales" and "x.biases" beside it, as in MLX. */
static jg_status name_part(const tensor_entry *entry, const char *part, char **out)
{
    static const char suffix[] = ".weight";
    size_t length = strlen(entry->name), end = sizeof suffix - 1;
    base_text text = {0};
    if (length >= end && strcmp(entry->name + length - end, suffix) == 0)
        length -= end;
    text_add(&text, "%.*s%s", (int)length, entry->name, part);
    jg_status status = text_finish(&text, out);
    if (status != JG_OK)
        text_clear(&text);
    return status;
}

/* keeps: array */
static jg_status add_part(gguf_reader *reader, const tensor_entry *entry, const char *part,
                          jg_array *array)
{
    char *name;
    JG_TRY(part ? name_part(entry, part, &name)
                : io_text_copy(format_name, "a name", entry->name, strlen(entry->name), &name));
    jg_status status = tensors_add(&reader->builder, name, array);
    if (status != JG_OK)
        base_free(name);
    return status;
}

/* The numbers keep the tensor's name. */
static jg_status add_blocks(gguf_reader *reader, const tensor_entry *entry, jg_array *bytes)
{
    static const char *const parts[] = {NULL, ".scales", ".biases"};
    jg_array *arrays[3];
    int count = entry->type->bits == 16 ? 1 : 3;
    JG_TRY((count == 1 ? gguf_decode : gguf_unpack)(entry->type, bytes, arrays));
    jg_status status = JG_OK;
    for (int i = 0; i < count && status == JG_OK; ++i)
        status = add_part(reader, entry, parts[i], arrays[i]);
    node_release_all(count, arrays);
    return status;
}

/* The shape of a tensor in blocks as that of bytes: rows of blocks, blocks of bytes. There is an
 * axis more than GGUF has, for that. shape_size checks the product. */
static jg_status split_blocks(tensor_entry *entry)
{
    int last = entry->ndim - 1;
    if (last < 0 || entry->shape[last] % entry->type->block != 0)
        return base_fail(JG_ERR_VALUE,
                         "[load] gguf: '%.64s' has rows of %" PRId64
                         " elements, allowed are whole blocks of %s, of %d each",
                         entry->name, last < 0 ? 1 : entry->shape[last], entry->type->name,
                         (int)entry->type->block);
    entry->shape[last] /= entry->type->block;
    entry->shape[entry->ndim] = entry->type->nbytes;
    entry->ndim += 1;
    return JG_OK;
}

/* The entry's shape is that of the blocks' bytes afterwards, where there are blocks. */
static jg_status add_tensor(gguf_reader *reader, tensor_entry *entry)
{
    bool in_blocks = entry->type->block > 1;
    jg_array *array;
    size_t nbytes;
    uint64_t offset;
    /* io_source_array refuses what is past the end, and names the tensor. */
    if (__builtin_add_overflow(reader->data, entry->offset, &offset))
        offset = UINT64_MAX;
    if (in_blocks)
        JG_TRY(split_blocks(entry));
    const io_elements elements = {
        format_name, entry->name, in_blocks ? JG_DTYPE_UINT8 : entry->type->dtype,
        false,       entry->ndim, entry->shape};
    JG_TRY(io_source_array(reader->source, offset, &elements, &array, &nbytes));
    jg_status status =
        in_blocks ? add_blocks(reader, entry, array) : add_part(reader, entry, NULL, array);
    jg_array_release(array);
    return status;
}

/* Every entry takes bytes of the file, so a count that is too large fails before it takes much
 * memory. entries: names are to be freed, also on failure. */
static jg_status read_entries(gguf_reader *reader, uint64_t count, base_vec *entries)
{
    for (uint64_t i = 0; i < count; ++i) {
        tensor_entry *entry;
        void *added;
        JG_TRY(vec_grow(entries, sizeof *entry, &added));
        entry = added;
        *entry = (tensor_entry){0};
        JG_TRY(read_entry(&reader->file, entry));
    }
    uint64_t past = reader->file.at % reader->alignment;
    reader->data = reader->file.at + (past ? reader->alignment - past : 0);
    return JG_OK;
}

/* All entries first, as the elements begin after the last of them. */
static jg_status read_tensors(gguf_reader *reader, uint64_t count)
{
    base_vec entries = {0};
    jg_status status = read_entries(reader, count, &entries);
    tensor_entry *items = (void *)entries.data;
    size_t found = entries.nbytes / sizeof *items;
    for (size_t i = 0; i < found; ++i) {
        if (status == JG_OK)
            status = add_tensor(reader, &items[i]);
        base_free(items[i].name);
    }
    vec_clear(&entries);
    return status;
}

static jg_status read_file(gguf_reader *reader)
{
    const uint8_t *start;
    uint32_t version;
    uint64_t ntensors, nmetadata;
    JG_TRY(cursor_take(&reader->file, "the magic number", 4, &start));
    if (memcmp(start, "GGUF", 4) != 0)
        return base_fail(JG_ERR_VALUE,
                         "[load] gguf: the file begins with %02x %02x %02x %02x, allowed is GGUF",
                         start[0], start[1], start[2], start[3]);
    JG_TRY(cursor_u32(&reader->file, "the version", &version));
    if (version < 2 || version > 3)
        return base_fail(JG_ERR_VALUE, "[load] gguf: version %" PRIu32 ", allowed are 2 and 3",
                         version);
    JG_TRY(cursor_u64(&reader->file, "the count of tensors", &ntensors));
    JG_TRY(cursor_u64(&reader->file, "the count of metadata", &nmetadata));
    for (uint64_t i = 0; i < nmetadata; ++i)
        JG_TRY(read_metadatum(reader));
    return read_tensors(reader, ntensors);
}

jg_status jg_load_gguf(jg_source *source, jg_tensors *out)
{
    gguf_reader reader = {
        .source = source,
        .file = {format_name, io_source_bytes(source), jg_source_nbytes(source), 0},
        .alignment = GGUF_ALIGNMENT,
    };
    jg_status status = io_source_check(source, read_file(&reader));
    JG_TRY(tensors_finish(&reader.builder, status, out));
    status = tensors_check("load", out);
    if (status != JG_OK)
        jg_tensors_clear(out);
    return status;
}
