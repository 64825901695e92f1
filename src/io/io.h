/* SPDX-License-Identifier: Apache-2.0 */
/* io: the formats of files. source.c has the bytes and makes arrays over them, cursor.c reads them
 * in order, tensors.c collects what was read; each format has a file for reading and one for
 * writing, which share only its table.
 *
 * A reader works on bytes that may be anything. It takes them through a cursor, which never leaves
 * the source, and each count from the file is checked before memory is allocated for it. */
#ifndef JG_IO_H
#define JG_IO_H

#include "base/base.h"
#include "compose/compose.h"
#include "exchange/exchange.h"
#include "tensor/tensor.h"
#include <joggle/io.h>

/* source.c */

/* The bytes, of which there are jg_source_nbytes. gives: borrowed; may be NULL if there are none |
 * raises: never */
const uint8_t *io_source_bytes(const jg_source *source);

/* The outcome of reading the source: status, or a failure if the file was cut short meanwhile, when
 * zeros may have been read. raises: IO, status */
jg_status io_source_check(const jg_source *source, jg_status status);

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
 * aligned and in this machine's order, else computed from the bytes. Bools are always computed, as
 * a file may have other bytes than 0 and 1. *nbytes is what they take.
 * keeps: source, until the array goes | gives: *out, +1; *nbytes | raises: VALUE for elements past
 * the end, NOMEM | waits: never */
jg_status io_source_array(jg_source *source, uint64_t offset, const io_elements *elements,
                          jg_array **out, size_t *nbytes);

/* cursor.c */

/* The position of a reader: bytes[at] is the next byte, and at <= nbytes always. The bytes are the
 * source's, which the reader keeps. */
typedef struct io_cursor {
    const char *format;
    const uint8_t *bytes;
    size_t nbytes, at;
} io_cursor;

/* The next bytes, which `what` names in messages; a failure does not move the cursor.
 * keeps: nothing | gives: *out, borrowed from the source | raises: VALUE where fewer are left |
 * waits: never */
jg_status cursor_take(io_cursor *cursor, const char *what, uint64_t nbytes, const uint8_t **out);

/* The next number, little-endian. gives: *out | raises: VALUE | waits: never */
jg_status cursor_u32(io_cursor *cursor, const char *what, uint32_t *out);
jg_status cursor_u64(io_cursor *cursor, const char *what, uint64_t *out);

/* json.c: the part that safetensors' header needs */

/* Skips JSON's white space. json_accept and json_expect do so first: accept takes the character if
 * it is the next one, and tells whether; expect raises if it is not. raises: VALUE, expect alone |
 * waits: never */
void json_skip_space(io_cursor *cursor);
bool json_accept(io_cursor *cursor, char punctuation);
bool json_accept_word(io_cursor *cursor, const char *word); /* the same of a word */
jg_status json_expect(io_cursor *cursor, char punctuation);

/* A string without its escapes, NUL-terminated; there is none inside. Bytes beyond ASCII are passed
 * on as they are, so they may be no UTF-8.
 * gives: *out, for base_free | raises: VALUE, NOMEM */
jg_status json_text(io_cursor *cursor, char **out);
jg_status json_count(io_cursor *cursor, int64_t *out); /* an integer from 0 on */

/* Passes over one value of any kind. raises: VALUE | waits: never */
jg_status json_skip_value(io_cursor *cursor);

/* The failure at the cursor; `allowed` says what was expected there. raises: VALUE, always */
jg_status json_fail(const io_cursor *cursor, const char *allowed);

/* Appends a string with its quotes and escapes. raises: never; text_status reports missing
 * memory */
void json_write_text(base_text *text, const char *value);

/* tensors.c */

/* Tensors while they are collected. Zero-initialised is empty. */
typedef struct tensors_builder {
    base_vec items, metadata;
} tensors_builder;

/* Appends a tensor. takes: name | keeps: array | raises: NOMEM, VALUE if full */
jg_status tensors_add(tensors_builder *builder, char *name, jg_array *array);

/* Appends one metadatum of the file; io_metadatum_clear frees what one holds. takes: what
 * metadatum holds | raises: NOMEM, VALUE if full | waits: never */
jg_status tensors_add_metadatum(tensors_builder *builder, jg_metadatum *metadatum);
void io_metadatum_clear(jg_metadatum *metadatum);

/* Gives what was collected, or frees it after a failure. gives: *out on JG_OK | raises: status */
jg_status tensors_finish(tensors_builder *builder, jg_status status, jg_tensors *out);

/* Refuses two tensors of one name, and two metadata of one key: of a file that has such, readers
 * take either. Refuses a number of texts other than one that are no list, too.
 * function: for the message | raises: VALUE, NOMEM | waits: never */
jg_status tensors_check(const char *function, const jg_tensors *tensors);

/* Bytes as a text of its own. gives: *out, for base_free | raises: VALUE for a NUL in it, NOMEM */
jg_status io_text_copy(const char *format, const char *what, const void *bytes, size_t nbytes,
                       char **out);

/* write.c */

/* A writer's sink, and the number of bytes written so far, which padding is counted from. After a
 * failure of the sink nothing more is written. */
typedef struct io_writer {
    const char *function; /* of joggle, for messages */
    jg_sink *sink;
    void *context;
    uint64_t written;
} io_writer;

/* Writes bytes; or zeros, up to a multiple of alignment, which is at most 64.
 * raises: what the sink raises | waits: as long as the sink does */
jg_status writer_put(io_writer *writer, const void *bytes, size_t nbytes);
jg_status writer_pad(io_writer *writer, size_t alignment);

/* The elements, evaluated, row-major. raises: as jg_eval, and the sink
 * waits: until x is in memory, and as long as the sink does */
jg_status writer_put_array(io_writer *writer, jg_array *x);

/* gguf_blocks.c */

/* Kinds of metadata beside those of gguf.def; the most axes of a tensor, of which ggml itself has
 * four; and the alignment of elements if the metadata do not tell it. */
#define GGUF_ALIGNMENT_KEY "general.alignment"
enum { GGUF_TEXT = 8, GGUF_LIST = 9, GGUF_MAX_AXES = 8, GGUF_ALIGNMENT = 32 };

/* A row of gguf.def. */
typedef struct gguf_type {
    uint32_t code;
    const char *name;
    jg_dtype dtype;        /* OPAQUE where elements come in blocks */
    int bits;              /* of an element of a block that MLX's layout has, 0 for other kinds */
    int64_t block, nbytes; /* elements in a block, and its bytes */
} gguf_type;

/* The row of a code, and of plain elements of a dtype.
 * gives: borrowed, valid forever; NULL for none */
const gguf_type *gguf_type_of(uint32_t code);
const gguf_type *gguf_type_of_dtype(jg_dtype dtype);

/* The three arrays that MLX makes of a tensor in blocks: the numbers packed into uint32, and for
 * each block a scale and a bias, such that q means scale * q + bias. bytes: the blocks, (...,
 * blocks of a row, bytes of a block).
 * keeps: bytes, until they are evaluated | gives: out[0..2], +1 | raises: NOMEM | waits: never */
jg_status gguf_unpack(const gguf_type *type, jg_array *bytes, jg_array *out[3]);

/* gguf_superblocks.c: a tensor of a kind of 16 bits, as float16. bytes: as above.
 * keeps: bytes, until they are evaluated | gives: *out, +1 | raises: NOMEM | waits: never */
jg_status gguf_decode(const gguf_type *type, jg_array *bytes, jg_array **out);

/* gguf_blocks.c: what both files read from blocks. The scope holds the result, and NULL is passed
 * on if the scope has failed before. gguf_columns: elements first, first + step, ... below last
 * along the last axis; gguf_bits: the bytes of the last axis as another dtype; gguf_joined: two
 * arrays along an axis. waits: never */
jg_array *gguf_columns(compose_scope *scope, jg_array *x, int64_t first, int64_t last,
                       int64_t step);
jg_array *gguf_bits(compose_scope *scope, jg_array *x, jg_dtype dtype);
jg_array *gguf_joined(compose_scope *scope, jg_array *low, jg_array *high, int64_t axis);

#endif
