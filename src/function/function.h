/* SPDX-License-Identifier: Apache-2.0 */
/* function: recorded functions as files, and back.
 *
 * A file is one of safetensors: constants as tensors, and one text of JSON with the nodes, in which
 * the list of variants is called "traces". Inside a variant values have numbers: its arguments
 * first, then the random keys that a call draws, then what the nodes give; -1 is the file's first
 * constant, -2 the second.
 *
 * write.c goes from records to the text, read.c from the text to nodes. build.c makes each node in
 * the way that ops make theirs, so that types and shapes are those of an op; checks.c and its kin
 * check the operands of routines that no op takes as they are. */
#ifndef JG_FUNCTION_H
#define JG_FUNCTION_H

#include "base/base.h"
#include "compose/compose.h"
#include "graph/graph.h"
#include "io/io.h"
#include "op/op.h"
#include "program/program.h"
#include "run/run.h"
#include "transform/transform.h"
#include <inttypes.h>
#include <joggle/function.h>

/* The metadata of a file: "format" is FUNCTION_FORMAT, the nodes' text lies under FUNCTION_KEY, and
 * the user's under FUNCTION_METADATA. */
#define FUNCTION_FORMAT "joggle function 1"
#define FUNCTION_KEY "function"
#define FUNCTION_METADATA "metadata"

/* The version of the primitives' meaning and attributes. If one changes, the version gets the next
 * number. */
enum { FUNCTION_PRIMITIVE_VERSION = 1 };

/* Extents and attributes of windows are below it: sums of a few products do not overflow. */
#define FUNCTION_LIMIT ((int64_t)1 << 40)

/* The tensor of constant number i. */
#define FUNCTION_CONSTANT "constant.%d"

/* A result of a call, as the file has it. */
typedef struct function_result {
    int number; /* among the results of the primitive */
    jg_dtype dtype;
    int ndim;
    int64_t shape[JG_MAX_NDIM];
} function_result;

/* A call of a primitive. */
typedef struct function_node {
    jg_op op;
    jg_primitive primitive;
    int ninputs;
    jg_array **inputs; /* +1 each; a check may replace one by its copy */
    primitive_attributes attributes;
    int64_t offset, strides[JG_MAX_NDIM]; /* of a view, in its root, in elements */
    int nresults;
    function_result results[GRAPH_MAX_RESULTS];
} function_node;

/* build.c */

/* The node's results. gives: out, node->nresults of them, +1 each | raises: VALUE for what no op
 * makes, UNSUPPORTED for a primitive that files do not have, NOMEM */
jg_status function_build(function_node *node, jg_array **out);

/* checks.c and its kin */

/* The failure of a node whose primitive does not take such operands. The text of the first names
 * the subject, its value and the allowed values. The texts of the others say what is allowed for
 * input or result i, whose dtype and shape are printed before. raises: VALUE, always */
JG_COLD jg_status function_refuse(const function_node *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
JG_COLD jg_status function_refuse_input(const function_node *node, int i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
JG_COLD jg_status function_refuse_result(const function_node *node, int i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All results of a routine, +1 each. */
typedef struct function_made {
    int count;
    jg_array *arrays[GRAPH_MAX_RESULTS];
} function_made;

/* Makes the node. The demands of an op on operands and attributes are stated where the op makes
 * such a node (compose/routines.h). Checked here are only conditions that always hold when an op
 * makes the node. out: for one result | gives: *out | raises: VALUE, what the op raises, NOMEM */
typedef jg_status function_check(function_node *node, function_made *out);

#define JG_PRIMITIVE(name, kind, rules)
#define JG_ROUTINE(name, rules) function_check function_check_##name;
#define JG_LIBRARY_ROUTINE(name, rules) function_check function_check_##name;
#include "op/primitive.def"
#undef JG_PRIMITIVE

/* Refuse the node unless the condition holds, by the function of that name. */
#define FUNCTION_NEEDS_OR(condition, failure)                                                      \
    do {                                                                                           \
        if (JG_UNLIKELY(!(condition)))                                                             \
            return failure;                                                                        \
    } while (0)
#define FUNCTION_NEEDS(node, condition, ...)                                                       \
    FUNCTION_NEEDS_OR(condition, function_refuse(node, __VA_ARGS__))
#define FUNCTION_NEEDS_INPUT(node, condition, i, ...)                                              \
    FUNCTION_NEEDS_OR(condition, function_refuse_input(node, i, __VA_ARGS__))
#define FUNCTION_NEEDS_RESULT(node, condition, ...)                                                \
    FUNCTION_NEEDS_OR(condition, function_refuse_result(node, 0, __VA_ARGS__))
#define FUNCTION_NEEDS_INPUTS(node, count)                                                         \
    FUNCTION_NEEDS(node, (node)->ninputs == (count), "inputs: got %d, allowed is %d",              \
                   (node)->ninputs, (count))

/* The routine over the node's inputs, with one result of that dtype and of the shape in the file.
 * gives: *out | raises: NOMEM */
jg_status function_make(const function_node *node, jg_dtype dtype, function_made *out);

/* Input i as row-major memory. raises: NOMEM */
jg_status function_make_dense(function_node *node, int i);

/* Input i as row-major int64 numbers that no other process can change: a constant of the file,
 * copied.
 * gives: *out, borrowed from the input; *count | raises: VALUE, NOMEM, what evaluating raises */
jg_status function_read_numbers(function_node *node, int i, const int64_t **out, int64_t *count);

/* x's extent along an axis from the end: 1 is the last one. */
static inline int64_t function_extent(const jg_array *x, int from_end)
{
    return x->dims[x->ndim - from_end];
}
bool function_same_shape(int ndim, const int64_t *a, const int64_t *b);

/* write.c */

typedef struct function_writer {
    base_vec constants;  /* jg_array *, +1 each */
    base_vec primitives; /* uint8_t: those that nodes have, once each */
} function_writer;

/* The text of the variants. gives: *out, for base_free | raises: as jg_function_save */
jg_status function_write(function_writer *writer, const char *name, int nvariants,
                         const jg_function_variant *variants, char **out);
void function_writer_clear(function_writer *writer);

/* text.c: all raise VALUE for what is not there, and NOMEM */

/* Reads a comma (not before the first member), the name of a member and the colon.
 * raises: VALUE, NOMEM */
jg_status function_text_member(io_cursor *text, bool first, const char *name);

/* Reads an integer, of any size or from 0 to the limit. gives: *out | raises: VALUE */
jg_status function_text_integer(io_cursor *text, int64_t *out);
jg_status function_text_count(io_cursor *text, int64_t limit, int *out);

/* Reads "dtype":...,"shape":[...], of an array that can be. shape: memory for JG_MAX_NDIM.
 * gives: *dtype, *ndim, shape | raises: VALUE, NOMEM */
jg_status function_text_type(io_cursor *text, bool first, jg_dtype *dtype, int *ndim,
                             int64_t *shape);

/* Reads the attributes of the node's primitive.
 * gives: node's; *nstrides, of a view | raises: VALUE, NOMEM */
jg_status function_text_attributes(io_cursor *text, function_node *node, int *nstrides);

/* read.c */

/* A variant as the function holds it. */
typedef struct function_variant {
    jg_record *record; /* +1 */
    int nkeywords;
    char **keywords; /* for base_free, each and all */
} function_variant;

/* A function that was read from a file. It does not change once it is read. */
struct jg_exported {
    atomic_int refs;
    char *name;
    int nvariants;
    function_variant *variants;
    jg_tensors tensors;
};

/* Reads the text into the function, which has its tensors. raises: as jg_function_load
 * waits: as jg_function_load */
jg_status function_read(jg_exported *function, const char *text);

#endif
