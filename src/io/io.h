/* SPDX-License-Identifier: Apache-2.0 */
/* io: the formats of files. source.c has the bytes and makes arrays over them, cursor.c reads them
 * in order, tensors.c collects what was read; each format has a file for reading and one for
 * writing, which share nothing but its table.
 *
 * A reader works on bytes that may be anything. It takes them through a cursor, which never leaves
 * the source, and each count from the file is checked before memory is asked for on its word. */
#ifndef JG_IO_H
#define JG_IO_H

#include "base/base.h"
#include "compose/compose.h"
#include "exchange/exchange.h"
#include "tensor/tensor.h"
#include <joggle/io.h>

/* ---- source.c ---- */

const uint8_t *source_bytes(const jg_source *source);

/* How elements lie in a file. */
typedef struct io_elements {
    const char *format; /* of the file, for messages */
    const char *name;   /* of the array, for messages */
    jg_dtype dtype;
    bool big_endian;
    int ndim;
    const int64_t *shape;
} io_elements;

/* An array over row-major elements that begin at a byte of the source: in place where they are
 * aligned and in this machine's order, else computed from the bytes. Bools are always computed, as a
 * file may have other bytes than 0 and 1. *nbytes is what they take.
 * keeps: source | gives: *out, +1; *nbytes | raises: VALUE for elements past the end, NOMEM */
jg_status source_array(jg_source *source, uint64_t offset, const io_elements *elements,
                       jg_array **out, size_t *nbytes);

/* ---- cursor.c ---- */

/* Where a reader stands. */
typedef struct io_cursor {
    const char *format;
    const uint8_t *bytes;
    size_t nbytes, at;
} io_cursor;

/* The next bytes, which are those of `what`. raises: VALUE where fewer are left */
jg_status cursor_take(io_cursor *cursor, const char *what, uint64_t nbytes, const uint8_t **out);

/* The next number, little-endian. raises: VALUE */
jg_status cursor_u32(io_cursor *cursor, const char *what, uint32_t *out);
jg_status cursor_u64(io_cursor *cursor, const char *what, uint64_t *out);

/* ---- json.c: as much of it as safetensors' header needs ---- */

void json_skip_space(io_cursor *cursor);
bool json_accept(io_cursor *cursor, char punctuation);
jg_status json_expect(io_cursor *cursor, char punctuation);

/* A string without its escapes, NUL-terminated. gives: *out, for base_free | raises: VALUE, NOMEM */
jg_status json_text(io_cursor *cursor, char **out);
jg_status json_count(io_cursor *cursor, int64_t *out); /* a whole number from 0 on */
jg_status json_skip_value(io_cursor *cursor);
jg_status json_fail(const io_cursor *cursor, const char *allowed);

void json_write_text(base_text *text, const char *value);

/* ---- tensors.c ---- */

/* Tensors while they are collected. Zero-initialised is empty. */
typedef struct tensors_builder {
    base_vec items, metadata;
} tensors_builder;

/* takes: name and array, also when it fails | raises: NOMEM */
jg_status tensors_add(tensors_builder *builder, char *name, jg_array *array);

/* takes: what metadatum holds, also when it fails | raises: NOMEM */
jg_status tensors_add_metadatum(tensors_builder *builder, jg_metadatum *metadatum);
void metadatum_clear(jg_metadatum *metadatum);

/* Gives what was collected, or frees it after a failure. gives: *out on JG_OK | raises: status */
jg_status tensors_finish(tensors_builder *builder, jg_status status, jg_tensors *out);

/* Bytes as a text of its own. gives: *out, for base_free | raises: VALUE for a NUL in it, NOMEM */
jg_status text_copy(const char *format, const char *what, const void *bytes, size_t nbytes,
                    char **out);

/* ---- write.c ---- */

/* Where a writer's bytes go. */
typedef struct io_writer {
    jg_sink *sink;
    void *context;
    uint64_t written;
} io_writer;

jg_status writer_put(io_writer *writer, const void *bytes, size_t nbytes);
jg_status writer_pad(io_writer *writer, size_t alignment); /* zeros up to a multiple */

/* The elements, evaluated, row-major. raises: as jg_eval, and the sink */
jg_status writer_put_array(io_writer *writer, jg_array *x);

/* ---- gguf_blocks.c ---- */

/* A row of gguf_type.def. */
typedef struct gguf_type {
    uint32_t code;
    const char *name;
    jg_dtype dtype;        /* OPAQUE where elements come in blocks */
    int bits;              /* of an element of a block that MLX's layout has, 0 for other kinds */
    int64_t block, nbytes; /* elements in a block, and its bytes */
} gguf_type;

const gguf_type *gguf_type_of(uint32_t code);        /* NULL for none */
const gguf_type *gguf_type_of_dtype(jg_dtype dtype); /* NULL for none */

/* The three arrays that MLX makes of a tensor in blocks: the numbers packed into uint32, and for
 * each block a scale and a bias. bytes: the blocks, (..., blocks of a row, bytes of a block).
 * gives: out[0..2], +1 | raises: NOMEM */
jg_status gguf_unpack(const gguf_type *type, jg_array *bytes, jg_array *out[3]);

#endif
