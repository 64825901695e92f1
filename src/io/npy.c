/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's format: a magic number, a version, the length of a header, and the header: the literal of
 * a Python dict with three keys in any order, padded so that the elements are aligned.
 *
 * A type is a letter for the kind and the bytes of an element, so most dtypes need no table here.
 * bfloat16, which NumPy has not, is "V2", as ml_dtypes and MLX write it. */
#include "io/io.h"
#include <ctype.h>
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, TEXT_SIZE = 32 };

static const char magic[] = "\x93NUMPY", format_name[] = "npy";
static const char kind_letters[] = {'b', 'i', 'u', 'f', 'c'}; /* as jg_dtype_kind counts */

typedef struct npy_header {
    jg_dtype dtype;
    bool big_endian, fortran;
    int ndim;
    int64_t shape[JG_MAX_NDIM];
    bool has_type, has_order, has_shape;
} npy_header;

/* Only dtypes that ops compute on are searched; their kinds all have a letter. If two have one
 * size, the first row is NumPy's: float16 stands before bfloat16. */
static bool find_dtype(char letter, long bytes, jg_dtype *out)
{
    if (letter == 'V' && bytes == 2) {
        *out = JG_DTYPE_BFLOAT16;
        return true;
    }
    for (int dtype = 0; dtype < JG_DTYPE_COUNT; ++dtype) {
        const dtype_row *row = &dtype_rows[dtype];
        if (row->computable && kind_letters[row->kind] == letter && row->bits == 8 * bytes) {
            *out = (jg_dtype)dtype;
            return true;
        }
    }
    return false;
}

/* "<f4", "|b1", or "f4", which is in the machine's order as "=f4" is. */
static jg_status read_type(const char *text, npy_header *header)
{
    bool has_order = strchr("<>=|", text[0]) != NULL && text[0] != '\0';
    const char *letter = text + has_order;
    char *end;
    /* strtol would take signs and spaces. */
    bool has_digit = *letter != '\0' && isdigit((unsigned char)letter[1]);
    long bytes = has_digit ? strtol(letter + 1, &end, 10) : 0;
    if (bytes <= 0 || bytes > 32 || *end != '\0' || !find_dtype(*letter, bytes, &header->dtype))
        return base_fail(JG_ERR_TYPE,
                         "[load] npy: descr: got '%s', allowed are those of joggle's dtypes", text);
    header->big_endian = text[0] == '>';
    header->has_type = true;
    return JG_OK;
}

static jg_status fail_header(const io_cursor *cursor, const char *allowed)
{
    return base_fail(JG_ERR_VALUE, "[load] npy: the header cannot be read: its byte %zu is not %s",
                     cursor->at, allowed);
}

/* A Python string without escapes, in either kind of quotes. length counts the opening one. */
static jg_status read_text(io_cursor *cursor, char out[TEXT_SIZE])
{
    json_skip_space(cursor);
    const char *from = (const char *)cursor->bytes + cursor->at;
    size_t left = cursor->nbytes - cursor->at, length = 1;
    if (left < 2 || (from[0] != '\'' && from[0] != '"'))
        return fail_header(cursor, "a string");
    while (length < left && from[length] != from[0] && from[length] != '\\')
        ++length;
    if (length == left || from[length] != from[0] || length > TEXT_SIZE)
        return fail_header(cursor, "a short string");
    memcpy(out, from + 1, length - 1);
    out[length - 1] = '\0';
    cursor->at += length + 1;
    return JG_OK;
}

/* fortran_order: True for column-major elements. */
static jg_status read_order(io_cursor *cursor, npy_header *header)
{
    header->fortran = json_accept_word(cursor, "True");
    header->has_order = true;
    return header->fortran || json_accept_word(cursor, "False")
               ? JG_OK
               : fail_header(cursor, "True or False");
}

/* (), (3,), (3, 4): a comma may follow the last. */
static jg_status read_shape(io_cursor *cursor, npy_header *header)
{
    header->ndim = 0;
    header->has_shape = true;
    if (!json_accept(cursor, '('))
        return fail_header(cursor, "a tuple");
    while (!json_accept(cursor, ')')) {
        if (header->ndim == JG_MAX_NDIM)
            return fail_header(cursor, "an extent that there is room for");
        JG_TRY(json_count(cursor, &header->shape[header->ndim]));
        header->ndim += 1;
        json_accept(cursor, 'L'); /* as Python 2 wrote */
        if (json_accept(cursor, ','))
            continue;
        return json_accept(cursor, ')') ? JG_OK : fail_header(cursor, "the end of a tuple");
    }
    return JG_OK;
}

/* One key with its value. Keys that are not known are refused, as NumPy refuses them. */
static jg_status read_entry(io_cursor *cursor, npy_header *header)
{
    char key[TEXT_SIZE], type[TEXT_SIZE];
    JG_TRY(read_text(cursor, key));
    if (!json_accept(cursor, ':'))
        return fail_header(cursor, "':'");
    if (strcmp(key, "fortran_order") == 0)
        return read_order(cursor, header);
    if (strcmp(key, "shape") == 0)
        return read_shape(cursor, header);
    if (strcmp(key, "descr") != 0)
        return base_fail(
            JG_ERR_VALUE,
            "[load] npy: the header has a key '%s', allowed are descr, fortran_order and shape",
            key);
    json_skip_space(cursor);
    if (cursor->at < cursor->nbytes && cursor->bytes[cursor->at] == '[')
        return base_fail(JG_ERR_TYPE,
                         "[load] npy: descr: got '%.*s...', records, allowed are those of joggle's "
                         "dtypes",
                         (int)size_min(cursor->nbytes - cursor->at, 40),
                         (const char *)(cursor->bytes + cursor->at));
    JG_TRY(read_text(cursor, type));
    return read_type(type, header);
}

/* After the dict there is padding up to the elements; any other byte there is damage, as for
 * NumPy. */
static jg_status read_dict(io_cursor *cursor, npy_header *header)
{
    if (!json_accept(cursor, '{'))
        return fail_header(cursor, "a dict");
    while (!json_accept(cursor, '}')) {
        JG_TRY(read_entry(cursor, header));
        if (!json_accept(cursor, ',')) {
            if (!json_accept(cursor, '}'))
                return fail_header(cursor, "the end of a dict");
            break;
        }
    }
    if (!header->has_type || !header->has_order || !header->has_shape)
        return base_fail(
            JG_ERR_VALUE,
            "[load] npy: the header lacks %s, allowed is one with descr, fortran_order and shape",
            !header->has_type    ? "descr"
            : !header->has_order ? "fortran_order"
                                 : "shape");
    json_skip_space(cursor);
    return cursor->at == cursor->nbytes ? JG_OK : fail_header(cursor, "padding, which is spaces");
}

/* The header's text as a cursor of its own; the file's cursor then is at the elements. The length
 * has two bytes in version 1 and four in 2 and 3; version 3 is 2 with UTF-8 (numpy.lib.format). */
static jg_status find_header(io_cursor *file, io_cursor *header)
{
    const uint8_t *start, *bytes;
    uint32_t length;
    JG_TRY(cursor_take(file, "the magic number", 8, &start));
    if (memcmp(start, magic, sizeof magic - 1) != 0)
        return base_fail(
            JG_ERR_VALUE,
            "[load] npy: the file begins with %02x %02x %02x, allowed is NumPy's magic, 93 4e 55",
            start[0], start[1], start[2]);
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return base_fail(JG_ERR_VALUE, "[load] npy: version %d.%d, allowed are 1.0, 2.0 and 3.0",
                         start[6], start[7]);
    if (start[6] == 1) {
        JG_TRY(cursor_take(file, "the length", 2, &bytes));
        length = (uint32_t)(bytes[0] | bytes[1] << 8);
    } else {
        JG_TRY(cursor_u32(file, "the length", &length));
    }
    JG_TRY(cursor_take(file, "the header", length, &bytes));
    *header = (io_cursor){format_name, bytes, length, 0};
    return JG_OK;
}

static void reverse(int count, int64_t *values)
{
    for (int i = 0; i < count / 2; ++i) {
        int64_t value = values[i];
        values[i] = values[count - 1 - i];
        values[count - 1 - i] = value;
    }
}

static jg_status transpose_all(jg_array *x, jg_array **out)
{
    int64_t axes[JG_MAX_NDIM];
    int ndim = jg_array_ndim(x);
    for (int i = 0; i < ndim; ++i)
        axes[i] = ndim - 1 - i;
    return jg_permute_dims(x, ndim, axes, out);
}

/* A column-major array is the transpose of a row-major one of the reversed shape, so it shares the
 * bytes as well. end: may be NULL */
static jg_status make_array(jg_source *source, size_t offset, npy_header *header, jg_array **out,
                            size_t *end)
{
    size_t nbytes;
    jg_array *x;
    if (header->fortran)
        reverse(header->ndim, header->shape);
    const io_elements elements = {format_name,        "the array",  header->dtype,
                                  header->big_endian, header->ndim, header->shape};
    JG_TRY(io_source_array(source, offset, &elements, &x, &nbytes));
    jg_status status = JG_OK;
    if (header->fortran) {
        jg_array *rows = x;
        status = transpose_all(rows, &x);
        jg_array_release(rows);
    }
    if (status != JG_OK)
        return status;
    if (end != NULL)
        *end = offset + nbytes;
    *out = x;
    return JG_OK;
}

jg_status jg_load_npy(jg_source *source, size_t offset, jg_array **out, size_t *end)
{
    size_t nbytes = jg_source_nbytes(source);
    io_cursor file = {format_name, io_source_bytes(source), nbytes, size_min(offset, nbytes)};
    io_cursor text = {0};
    npy_header header = {0};
    jg_status status = find_header(&file, &text);
    if (status == JG_OK)
        status = read_dict(&text, &header);
    JG_TRY(io_source_check(source, status));
    return make_array(source, file.at, &header, out, end);
}

/* A dtype whose type string find_dtype would read as another dtype cannot be written. */
static jg_status write_type(base_text *text, jg_dtype dtype)
{
    const dtype_row *row = &dtype_rows[dtype];
    jg_dtype found;
    if (dtype == JG_DTYPE_BFLOAT16)
        text_add(text, "<V2");
    else if (row->computable && find_dtype(kind_letters[row->kind], row->bits / 8, &found) &&
             found == dtype)
        text_add(text, "%c%c%d", row->bits > 8 ? '<' : '|', kind_letters[row->kind], row->bits / 8);
    else
        return base_fail(JG_ERR_TYPE, "[save] npy: got %s, allowed are dtypes that the format has",
                         row->name);
    return JG_OK;
}

static jg_status write_header(base_text *text, const jg_array *x)
{
    text_add(text, "{'descr': '");
    JG_TRY(write_type(text, jg_array_dtype(x)));
    text_add(text, "', 'fortran_order': False, 'shape': ");
    text_add_extents(text, jg_array_ndim(x), jg_array_shape(x));
    text_add(text, ", }");
    /* The magic number, four bytes of version and length, the text and its line end together are a
     * multiple; sizeof counts the NUL, which equals the byte of the line end. */
    while (text->failed_nbytes == 0 && (text->bytes.nbytes + sizeof magic + 4) % ALIGNMENT != 0)
        text_add(text, " ");
    text_add(text, "\n");
    return text_status(text);
}

/* 64 axes of 19 digits stay below the 65535 bytes that version 1 can have. */
static jg_status put_header(io_writer *writer, const jg_array *x)
{
    base_text text = {0};
    jg_status status;
    JG_TRY_DONE(write_header(&text, x));
    size_t length = text.bytes.nbytes;
    const uint8_t version[] = {1, 0, (uint8_t)length, (uint8_t)(length >> 8)};
    JG_TRY_DONE(writer_put(writer, magic, sizeof magic - 1));
    JG_TRY_DONE(writer_put(writer, version, sizeof version));
    JG_TRY_DONE(writer_put(writer, text.bytes.data, length));
done:
    text_clear(&text);
    return status;
}

jg_status jg_save_npy(jg_array *x, jg_sink *sink, void *context)
{
    io_writer writer = {"save_npy", sink, context, 0};
    JG_TRY(jg_eval(1, &x));
    JG_TRY(put_header(&writer, x));
    return writer_put_array(&writer, x);
}
