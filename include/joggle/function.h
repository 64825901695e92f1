/* SPDX-License-Identifier: Apache-2.0 */
/* Files of functions: recorded functions (transform.h) that another process calls, without the
 * source that they were recorded from.
 *
 * A function has variants, one for each kind of arguments that it was recorded for. A file holds
 * the variants' nodes by the names of primitives and ops, and the constants' elements, which are
 * mapped. It is a file of safetensors, so other programs can look at it. */
#ifndef JOGGLE_FUNCTION_H
#define JOGGLE_FUNCTION_H

#include <joggle/io.h>
#include <joggle/transform.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A recorded function, whose last nkeywords arguments are given by name. The names differ, and are
 * in the order of their bytes. */
typedef struct jg_function_variant {
    const jg_record *record;
    int nkeywords;
    const char *const *keywords;
} jg_function_variant;

/* Writes a function to a file. name: of the function, for messages. metadata: a text that belongs
 * to it, or NULL. keeps: nothing
 * raises: VALUE for no variant, or two variants of the same arguments; UNSUPPORTED for what
 * a file cannot hold: a constant of one call alone, arrays on several devices; TYPE for a dtype
 * that the format does not have; NOMEM; what evaluating constants and the sink raise
 * waits: until the constants are in memory */
JG_API JG_CHECKED jg_status jg_function_save(const char *name, int nvariants,
                                             const jg_function_variant *variants,
                                             const char *metadata, jg_sink *sink, void *context);

typedef struct jg_exported jg_exported;

/* Reads a file of a function. The file is not trusted: each node is checked as the op that makes it
 * checks its arguments. Constants stay in the file, and are read when they are used.
 * keeps: source, until the function and its results go
 * gives: *out, for jg_function_release | raises: VALUE for what is no such file or is damaged;
 * UNSUPPORTED for a primitive or a version that this library does not have; TYPE, NOMEM, IO
 * waits: for constants that are not stored as they are used */
JG_API JG_CHECKED jg_status jg_function_load(jg_source *source, jg_exported **out);

/* One reference more; one less, the last of which frees the function.
 * gives: function itself | raises: never */
JG_API jg_exported *jg_function_retain(jg_exported *function);
JG_API void jg_function_release(jg_exported *function); /* NULL is fine */

/* The name, the number of variants and the metadata that the function was saved with. gives:
 * borrowed, valid as long as the function | raises: never | waits: never */
JG_API const char *jg_function_name(const jg_exported *function);
JG_API int jg_function_nvariants(const jg_exported *function);
JG_API const char *jg_function_metadata(const jg_exported *function); /* NULL: none */

/* Variant number `variant`, borrowed. raises: VALUE for one that the function does not have */
JG_API JG_CHECKED jg_status jg_function_variant_at(const jg_exported *function, int variant,
                                                   jg_function_variant *out);

/* Calls the variant whose arguments have the dtypes and shapes of the inputs, and the names of
 * those given by name, in any order. Any number of threads may call one function at once.
 * named: nnamed inputs with their names. keeps: inputs
 * gives: *out, for jg_array_list_clear | raises: VALUE where there is no such variant, listing
 * those that there are; NOMEM */
JG_API JG_CHECKED jg_status jg_function_call(const jg_exported *function, int ninputs,
                                             jg_array *const *inputs, int nnamed,
                                             const jg_tensor *named, jg_array_list *out);

#ifdef __cplusplus
}
#endif
#endif
