/* SPDX-License-Identifier: Apache-2.0 */
/* safetensors: eight bytes with the length of a header, a header in JSON, and the elements.
 *
 * The header has for each tensor its dtype, its shape, and where among the elements it begins and
 * ends; under "__metadata__", texts by name. Writers put elements that need more alignment first,
 * and pad the header, so that all can be used in place; other files may not. */
#include "io/io.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_LIMIT = 100 << 20, ALIGNMENT = 64 }; /* the limit is the reference reader's */

static const char format_name[] = "safetensors", metadata_key[] = "__metadata__";

/* Indexed by dtype; NULL if the format has no such dtype. */
static const char *const names[JG_DTYPE_COUNT] = {
#define JG_SAFETENSOR(NAME, DTYPE) [JG_DTYPE_##DTYPE] = #NAME,
#include "io/safetensors.def"
#undef JG_SAFETENSOR
};

static jg_status find_dtype(const char *name, jg_dtype *out)
{
    for (int dtype = 0; dtype < JG_DTYPE_COUNT; ++dtype)
        if (names[dtype] != NULL && strcmp(names[dtype], name) == 0) {
            *out = (jg_dtype)dtype;
            return JG_OK;
        }
    return base_fail(JG_ERR_TYPE,
                     "[load] safetensors: got dtype '%.32s', allowed are those of joggle's dtypes",
                     name);
}

/* The header's entry for one tensor. range: its first byte among the elements, and the byte after
 * its last. */
typedef struct tensor_entry {
    jg_dtype dtype;
    int ndim;
    int64_t shape[JG_MAX_NDIM];
    int64_t range[2];
    bool has_dtype, has_shape, has_range;
} tensor_entry;

/* The position of a tensor's bytes among the elements, and the tensor's key, which the reader's
 * list of tensors owns. */
typedef struct tensor_range {
    int64_t first, end;
    const char *name;
    size_t item; /* its number in the reader's list */
} tensor_range;

typedef struct safetensors_reader {
    jg_source *source;
    io_cursor header;
    uint64_t data; /* the byte where the elements begin */
    base_vec ranges;
    bool has_metadata;
    tensors_builder builder;
} safetensors_reader;

/* A list of whole numbers, at most `limit`. */
static jg_status read_counts(io_cursor *header, int limit, int64_t *out, int *count)
{
    *count = 0;
    JG_TRY(json_expect(header, '['));
    if (json_accept(header, ']'))
        return JG_OK;
    do {
        if (*count == limit)
            return json_fail(header, "a number that there is room for");
        JG_TRY(json_count(header, &out[*count]));
        *count += 1;
    } while (json_accept(header, ','));
    return json_expect(header, ']');
}

/* A dtype that joggle does not have ends the reading: a part of a model is useless. */
static jg_status read_dtype(io_cursor *header, tensor_entry *entry)
{
    char *name;
    JG_TRY(json_text(header, &name));
    jg_status status = find_dtype(name, &entry->dtype);
    base_free(name);
    entry->has_dtype = true;
    return status;
}

/* Any other number of offsets than two counts as none. */
static jg_status read_range(io_cursor *header, tensor_entry *entry)
{
    int count;
    JG_TRY(read_counts(header, 2, entry->range, &count));
    entry->has_range = count == 2;
    return JG_OK;
}

/* Unknown members are skipped, as the format may add some. */
static jg_status read_member(io_cursor *header, const char *key, tensor_entry *entry)
{
    bool is_dtype = strcmp(key, "dtype") == 0, is_shape = strcmp(key, "shape") == 0;
    bool is_range = strcmp(key, "data_offsets") == 0;
    if ((is_dtype && entry->has_dtype) || (is_shape && entry->has_shape) ||
        (is_range && entry->has_range))
        return base_fail(JG_ERR_VALUE,
                         "[load] safetensors: a tensor has '%s' twice, before byte %zu", key,
                         header->at);
    JG_TRY(json_expect(header, ':'));
    if (is_dtype)
        return read_dtype(header, entry);
    if (is_range)
        return read_range(header, entry);
    if (!is_shape)
        return json_skip_value(header);
    entry->has_shape = true;
    return read_counts(header, JG_MAX_NDIM, entry->shape, &entry->ndim);
}

/* {"dtype": ..., "shape": [...], "data_offsets": [first, last]}, in any order. */
static jg_status read_entry(io_cursor *header, tensor_entry *entry)
{
    char *key;
    JG_TRY(json_expect(header, '{'));
    do {
        JG_TRY(json_text(header, &key));
        jg_status status = read_member(header, key, entry);
        base_free(key);
        JG_TRY(status);
    } while (json_accept(header, ','));
    return json_expect(header, '}');
}

/* Dtype and shape must agree with the offsets. io_source_array checks that the offsets are in the
 * file, and check_ranges that all tensors fill it. */
static jg_status check_entry(const char *name, const tensor_entry *entry, size_t *nbytes)
{
    int64_t size;
    if (!entry->has_dtype || !entry->has_shape || !entry->has_range)
        return base_fail(
            JG_ERR_VALUE,
            "[load] safetensors: '%.64s' lacks its %s, allowed are tensors with dtype, "
            "shape and data_offsets",
            name,
            !entry->has_dtype   ? "dtype"
            : !entry->has_shape ? "shape"
                                : "data_offsets");
    JG_TRY(shape_size(entry->ndim, entry->shape, &size));
    JG_TRY(dtype_nbytes(entry->dtype, size, nbytes));
    if (entry->range[1] < entry->range[0] ||
        (uint64_t)(entry->range[1] - entry->range[0]) != *nbytes)
        return base_fail(
            JG_ERR_VALUE,
            "[load] safetensors: '%.64s' takes %zu bytes, but is said to lie from byte "
            "%" PRId64 " to %" PRId64,
            name, *nbytes, entry->range[0], entry->range[1]);
    return JG_OK;
}

/* takes: name */
static jg_status add_tensor(safetensors_reader *reader, char *name, const tensor_entry *entry)
{
    size_t nbytes;
    jg_array *array;
    const io_elements elements = {format_name, name,        entry->dtype,
                                  false,       entry->ndim, entry->shape};
    JG_TRY(check_entry(name, entry, &nbytes));
    const tensor_range range = {entry->range[0], entry->range[1], name,
                                reader->builder.items.nbytes / sizeof(jg_tensor)};
    JG_TRY(vec_append(&reader->ranges, &range, sizeof range));
    JG_TRY(io_source_array(reader->source, reader->data + (uint64_t)entry->range[0], &elements,
                           &array, &nbytes));
    jg_status status = tensors_add(&reader->builder, name, array);
    jg_array_release(array);
    return status;
}

/* takes: key and text */
static jg_status add_text(safetensors_reader *reader, char *key, char *text)
{
    /* A text is a list of one (jg_metadatum), so that both are freed in the same way. */
    char **texts = base_alloc(sizeof *texts);
    jg_metadatum metadatum = {.key = key, .texts = texts, .ntexts = 1};
    if (texts == NULL)
        return base_nomem(sizeof *texts, "a list of texts");
    texts[0] = text;
    jg_status status = tensors_add_metadatum(&reader->builder, &metadatum);
    if (status != JG_OK)
        base_free(texts);
    return status;
}

/* The format has texts alone as metadata. */
static jg_status read_pair(safetensors_reader *reader)
{
    char *key, *text = NULL;
    JG_TRY(json_text(&reader->header, &key));
    jg_status status = json_expect(&reader->header, ':');
    if (status == JG_OK)
        status = json_text(&reader->header, &text);
    if (status == JG_OK)
        status = add_text(reader, key, text);
    if (status != JG_OK) {
        base_free(key);
        base_free(text);
    }
    return status;
}

static jg_status read_metadata(safetensors_reader *reader)
{
    if (reader->has_metadata)
        return base_fail(JG_ERR_VALUE,
                         "[load] safetensors: the header has '%s' twice, allowed is once",
                         metadata_key);
    reader->has_metadata = true;
    if (json_accept_word(&reader->header, "null")) /* what MLX writes where there is none */
        return JG_OK;
    JG_TRY(json_expect(&reader->header, '{'));
    if (json_accept(&reader->header, '}'))
        return JG_OK;
    do
        JG_TRY(read_pair(reader));
    while (json_accept(&reader->header, ','));
    return json_expect(&reader->header, '}');
}

/* One member of the header: a tensor, or the metadata under their name. */
static jg_status read_tensor(safetensors_reader *reader)
{
    char *name;
    tensor_entry entry = {0};
    JG_TRY(json_text(&reader->header, &name));
    jg_status status = json_expect(&reader->header, ':');
    bool is_tensor = strcmp(name, metadata_key) != 0;
    if (status == JG_OK)
        status = is_tensor ? read_entry(&reader->header, &entry) : read_metadata(reader);
    if (status == JG_OK && is_tensor)
        status = add_tensor(reader, name, &entry);
    if (status != JG_OK || !is_tensor)
        base_free(name);
    return status;
}

/* Only spaces may follow the object: writers pad with them. */
static jg_status read_header(safetensors_reader *reader)
{
    JG_TRY(json_expect(&reader->header, '{'));
    if (!json_accept(&reader->header, '}')) {
        do
            JG_TRY(read_tensor(reader));
        while (json_accept(&reader->header, ','));
        JG_TRY(json_expect(&reader->header, '}'));
    }
    json_skip_space(&reader->header);
    return reader->header.at == reader->header.nbytes
               ? JG_OK
               : json_fail(&reader->header, "the end of the header");
}

static int compare_ranges(const void *a, const void *b)
{
    const tensor_range *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int compare_names(const void *a, const void *b)
{
    const tensor_range *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->item > y->item) - (x->item < y->item);
}

/* If a name occurs several times, the last entry in the header counts, as with the format's own
 * library; the others are dropped. gives: how many are left */
static size_t drop_repeated(tensors_builder *builder, tensor_range *ranges, size_t count)
{
    jg_tensor *items = (jg_tensor *)(void *)builder->items.data;
    size_t kept = 0, left = 0;
    qsort(ranges, count, sizeof *ranges, compare_names);
    for (size_t i = 0; i < count; ++i) {
        jg_tensor *item = &items[ranges[i].item];
        if (i + 1 == count || strcmp(ranges[i].name, ranges[i + 1].name) != 0) {
            ranges[kept++] = ranges[i];
            continue;
        }
        base_free(item->name);
        jg_array_release(item->array);
        *item = (jg_tensor){0};
    }
    for (size_t i = 0; i < count; ++i)
        if (items[i].name != NULL)
            items[left++] = items[i];
    builder->items.nbytes = left * sizeof *items;
    return kept;
}

/* Every byte after the header must belong to one tensor: other bytes could be read as another
 * format. */
static jg_status check_ranges(safetensors_reader *reader)
{
    tensor_range *ranges = (tensor_range *)(void *)reader->ranges.data;
    size_t count = reader->ranges.nbytes / sizeof *ranges;
    int64_t end = 0, all = (int64_t)(jg_source_nbytes(reader->source) - (size_t)reader->data);
    if (count > 0) {
        count = drop_repeated(&reader->builder, ranges, count);
        qsort(ranges, count, sizeof *ranges, compare_ranges);
    }
    for (size_t i = 0; i < count; end = ranges[i++].end)
        if (ranges[i].first != end)
            return base_fail(JG_ERR_VALUE,
                             "[load] safetensors: '%.64s' begins at byte %" PRId64
                             " of the elements, allowed is %" PRId64
                             ", where the one before it ends",
                             ranges[i].name, ranges[i].first, end);
    if (end == all)
        return JG_OK;
    return base_fail(JG_ERR_VALUE,
                     "[load] safetensors: the elements end at byte %" PRId64 ", but the file has "
                     "%" PRId64 " bytes of them",
                     end, all);
}

static jg_status read_file(safetensors_reader *reader)
{
    JG_TRY(read_header(reader));
    return check_ranges(reader);
}

jg_status jg_load_safetensors(jg_source *source, jg_tensors *out)
{
    io_cursor file = {format_name, io_source_bytes(source), jg_source_nbytes(source), 0};
    safetensors_reader reader = {.source = source};
    const uint8_t *bytes = NULL;
    uint64_t length;
    JG_TRY(cursor_u64(&file, "the header's length", &length));
    if (length > HEADER_LIMIT)
        return base_fail(JG_ERR_VALUE,
                         "[load] safetensors: a header of %" PRIu64 " bytes, allowed are %d",
                         length, HEADER_LIMIT);
    JG_TRY(cursor_take(&file, "the header", length, &bytes));
    reader.header = (io_cursor){format_name, bytes, (size_t)length, 0};
    reader.data = file.at;
    jg_status status = io_source_check(source, read_file(&reader));
    vec_clear(&reader.ranges);
    return tensors_finish(&reader.builder, status, out);
}

/* Larger elements first: then every tensor begins at a multiple of its element, without gaps, which
 * the format forbids. Of one size, in the order given: the pointers are of one array. */
static int compare_alignment(const void *a, const void *b)
{
    const jg_tensor *x = *(const jg_tensor *const *)a, *y = *(const jg_tensor *const *)b;
    size_t left = dtype_itemsize(jg_array_dtype(x->array));
    size_t right = dtype_itemsize(jg_array_dtype(y->array));
    return left != right ? (left < right) - (left > right) : (x > y) - (x < y);
}

/* The tensors in the order in which their elements are written. gives: *out, for base_free */
static jg_status order_tensors(const jg_tensors *tensors, const jg_tensor ***out)
{
    size_t nbytes = (size_t)tensors->count * sizeof **out;
    const jg_tensor **order = base_alloc(nbytes);
    if (order == NULL)
        return base_nomem(nbytes, "a list of tensors");
    for (int i = 0; i < tensors->count; ++i)
        order[i] = &tensors->items[i];
    qsort(order, (size_t)tensors->count, sizeof *order, compare_alignment);
    *out = order;
    return JG_OK;
}

/* JSON is UTF-8. A reader decodes the header as a whole, so one other byte would make the file
 * unreadable. what: of text, for the message */
static jg_status write_text(base_text *to, const char *what, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        int nbytes = text_character_nbytes(at);
        if (nbytes == 0)
            return base_fail(JG_ERR_VALUE,
                             "[save_safetensors] %s '%.64s': its byte %zu is no UTF-8, allowed is "
                             "UTF-8 alone",
                             what, text, (size_t)(at - text));
        at += nbytes;
    }
    json_write_text(to, text);
    return JG_OK;
}

/* *end: where the elements written so far end; it is advanced. */
static jg_status write_entry(base_text *text, const jg_tensor *tensor, int64_t *end)
{
    const jg_array *x = tensor->array;
    jg_dtype dtype = jg_array_dtype(x);
    if (names[dtype] == NULL)
        return base_fail(
            JG_ERR_TYPE,
            "[save_safetensors] '%.64s': got %s, allowed are dtypes that the format has",
            tensor->name, dtype_rows[dtype].name);
    if (strcmp(tensor->name, metadata_key) == 0)
        return base_fail(JG_ERR_VALUE,
                         "[save_safetensors] '%s': is the name of the metadata, allowed are others",
                         metadata_key);
    const int64_t range[] = {*end, *end + (int64_t)jg_array_nbytes(x)};
    JG_TRY(write_text(text, "name", tensor->name));
    text_add(text, ":{\"dtype\":\"%s\",\"shape\":", names[dtype]);
    text_add_list(text, jg_array_ndim(x), jg_array_shape(x));
    text_add(text, ",\"data_offsets\":");
    text_add_list(text, 2, range);
    text_add(text, "}");
    *end = range[1];
    return JG_OK;
}

static jg_status write_metadata(base_text *text, const jg_tensors *tensors)
{
    json_write_text(text, metadata_key);
    text_add(text, ":{");
    for (int i = 0; i < tensors->nmetadata; ++i) {
        const jg_metadatum *metadatum = &tensors->metadata[i];
        if (metadatum->array != NULL || metadatum->is_list)
            return base_fail(JG_ERR_TYPE,
                             "[save_safetensors] metadata '%.64s': got %s, allowed are texts",
                             metadatum->key, metadatum->is_list ? "a list" : "an array");
        text_add(text, i ? "," : "");
        JG_TRY(write_text(text, "key", metadatum->key));
        text_add(text, ":");
        JG_TRY(write_text(text, "metadata", metadatum->texts[0]));
    }
    text_add(text, "}");
    return JG_OK;
}

/* Padded so that the elements, which follow the length and the header, begin at a multiple of
 * 64. */
static jg_status write_header(base_text *text, const jg_tensors *tensors, const jg_tensor **order)
{
    int64_t end = 0;
    text_add(text, "{");
    if (tensors->nmetadata > 0)
        JG_TRY(write_metadata(text, tensors));
    for (int i = 0; i < tensors->count; ++i) {
        text_add(text, i || tensors->nmetadata ? "," : "");
        JG_TRY(write_entry(text, order[i], &end));
    }
    text_add(text, "}");
    while (text->failed_nbytes == 0 && (text->bytes.nbytes + sizeof(uint64_t)) % ALIGNMENT != 0)
        text_add(text, " ");
    return text_status(text);
}

jg_status jg_save_safetensors(const jg_tensors *tensors, jg_sink *sink, void *context)
{
    io_writer writer = {"save_safetensors", sink, context, 0};
    base_text text = {0};
    const jg_tensor **order = NULL;
    jg_status status;
    JG_TRY_DONE(tensors_check("save_safetensors", tensors));
    JG_TRY_DONE(order_tensors(tensors, &order));
    /* Before the first byte goes out: a dtype that cannot be written leaves no partial file. */
    JG_TRY_DONE(write_header(&text, tensors, order));
    uint64_t length = text.bytes.nbytes;
    JG_TRY_DONE(writer_put(&writer, &length, sizeof length));
    JG_TRY_DONE(writer_put(&writer, text.bytes.data, text.bytes.nbytes));
    for (int i = 0; status == JG_OK && i < tensors->count; ++i)
        status = writer_put_array(&writer, order[i]->array);
done:
    base_free(order);
    text_clear(&text);
    return status;
}
