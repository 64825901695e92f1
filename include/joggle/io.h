/* SPDX-License-Identifier: Apache-2.0 */
/* Files: arrays over mapped files, and files made of arrays.
 *
 * A jg_source is a run of bytes that arrays lie over: a mapped file, or memory of the caller's.
 * What is read from it shares its bytes where their alignment and their order allow, and is
 * computed from them when it is evaluated where they do not. The last array over a source gives it
 * back.
 *
 * Nothing in a file is believed: sizes and offsets are checked against the bytes that are there.
 * Where a file is cut short while it is mapped, JG_ERR_IO is raised by what computes with its
 * arrays or looks at their memory; code that has an address of it already reads zeros. */
#ifndef JOGGLE_IO_H
#define JOGGLE_IO_H

#include <joggle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jg_source jg_source;

/* Maps a regular file from its first byte, privately: what is written to the memory, as by a
 * consumer of an exported array, does not reach the file. The descriptor stays the caller's and may
 * be closed. path: what messages call the file; NULL, or one that is not absolute: the system
 * knows.
 * gives: *out, +1 | raises: IO, NOMEM | waits: never; pages are read when they are used */
JG_API JG_CHECKED jg_status jg_source_map(int descriptor, const char *path, jg_source **out);

/* The file of that name, mapped. gives: *out, +1 | raises: IO, VALUE for NULL, NOMEM */
JG_API JG_CHECKED jg_status jg_source_open(const char *path, jg_source **out);

/* Memory of the caller's; release(context), which may be NULL, is called when nothing uses it any
 * more, from any thread. takes: context (on JG_OK) | gives: *out, +1 | raises: NOMEM */
JG_API JG_CHECKED jg_status jg_source_take(const void *data, size_t nbytes, bool read_only,
                                           void (*release)(void *context), void *context,
                                           jg_source **out);

/* How many bytes there are. raises: never | waits: never */
JG_API size_t jg_source_nbytes(const jg_source *source);

/* One reference less; NULL is fine. Arrays have references of their own. raises: never */
JG_API void jg_source_release(jg_source *source);

typedef struct jg_tensor {
    char *name;
    jg_array *array;
} jg_tensor;

/* A word about a file: numbers, a text, or a list of texts, which GGUF alone has. */
typedef struct jg_metadatum {
    char *key;
    jg_array *array; /* 0-d or a vector; NULL for texts */
    int ntexts;      /* 1 unless is_list, 0 or more then; any for numbers */
    char **texts;
    bool is_list; /* a list of texts, even of one or none; otherwise texts[0] is the text */
} jg_metadatum;

typedef struct jg_tensors {
    int count, nmetadata;
    jg_tensor *items;
    jg_metadatum *metadata;
} jg_tensors;

/* Frees what a function below gave. raises: never */
JG_API void jg_tensors_clear(jg_tensors *tensors);

/* NumPy's format, from a byte of the source on. keeps: source | gives: *out, +1; *end, the byte
 * after the elements, unless it is NULL | raises: VALUE for what is no such file or cut short, TYPE
 * for elements that no dtype describes, NOMEM | waits: for elements of the other byte order */
JG_API JG_CHECKED jg_status jg_load_npy(jg_source *source, size_t offset, jg_array **out,
                                        size_t *end);

/* The same for files of safetensors and of GGUF, from their first byte. Of GGUF's quantised kinds
 * Q4_0, Q4_1 and Q8_0 become three arrays each, as in MLX: x.weight, x.scales and x.biases.
 * keeps: source | gives: *out, for jg_tensors_clear | raises: VALUE, TYPE, NOMEM, UNSUPPORTED for
 * GGUF's other quantised kinds | waits: for elements that are not mapped as they are */
JG_API JG_CHECKED jg_status jg_load_safetensors(jg_source *source, jg_tensors *out);
JG_API JG_CHECKED jg_status jg_load_gguf(jg_source *source, jg_tensors *out);

/* Takes the next bytes of a file. raises: any status, which is passed on; jg_error_set tells
 * why */
typedef jg_status jg_sink(void *context, const void *bytes, size_t nbytes);

/* These compute the arrays and write them, row-major. keeps: nothing
 * raises: TYPE for a dtype or metadata that the format does not have, VALUE for a name or key that
 * occurs twice, for other texts than jg_metadatum says, and in safetensors for a text that is no
 * UTF-8, NOMEM, as jg_eval, and what the sink raises | waits: until the arrays are in memory */
JG_API JG_CHECKED jg_status jg_save_npy(jg_array *x, jg_sink *sink, void *context);
JG_API JG_CHECKED jg_status jg_save_safetensors(const jg_tensors *tensors, jg_sink *sink,
                                                void *context);
JG_API JG_CHECKED jg_status jg_save_gguf(const jg_tensors *tensors, jg_sink *sink, void *context);

#ifdef __cplusplus
}
#endif
#endif
