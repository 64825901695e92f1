/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the extension: what the files about traced and compiled functions share. */
#ifndef JG_PY_COMPILE_H
#define JG_PY_COMPILE_H

#include "convert/convert.h"

/* for module.c */

extern PyMethodDef py_transform_functions[]; /* transform.c */
int py_transform_ready(PyObject *module);
extern PyMethodDef py_compile_functions[];
int py_compile_ready(PyObject *module);
extern PyMethodDef py_recording_functions[];
extern PyMethodDef py_tensor_call_functions[]; /* tensor_call.c */

extern PyMethodDef py_custom_functions[];
extern PyMethodDef py_tree_functions[];
extern PyMethodDef py_gradient_functions[];

/* transform.c: lists of arrays, None for NULL */

typedef struct py_flat {
    Py_ssize_t count;
    jg_array **arrays; /* +1 each, or NULL */
} py_flat;

/* All NULL. gives: *row, for py_flat_clear also after a failure; 0 or -1 */
int py_flat_init(py_flat *row, Py_ssize_t count);

/* list: one that the package has made. Items are arrays, or None where that is allowed. */
int py_flat_from(PyObject *list, py_flat *row);

/* Hands the row's arrays to a new list. New reference */
PyObject *py_flat_list(py_flat *row);
void py_flat_clear(py_flat *row);

/* tree.c: trees of lists, tuples and dicts */

/* A copy of a tree, which is read once, with the same leaves: what the caller, another thread or
 * the function under way changes in the tree is not in the copy. Dicts of any type are copied as
 * dicts. New reference */
PyObject *py_tree_copy(PyObject *tree);

/* The leaves of a list of trees that py_tree_copy gave. New reference: a list; None where one is no
 * array of real floats */
PyObject *py_float_leaves(PyObject *trees);

/* Copies of such trees in a list, whose leaves are replaced by those of another list. New
 * reference: a list */
PyObject *py_fill_trees(PyObject *trees, PyObject *leaves);

/* Whether it is a number that has derivatives: a 0-d array of real floats. */
bool py_is_loss(PyObject *object);

/* signature.c, unchanged.c: the arguments of a call */

/* Arrays have references of their own. words tell the tree, dtypes, shapes and layouts. Zeroed
 * it is empty. */
typedef struct py_call_arguments {
    int64_t *words;
    size_t nwords, capacity;
    jg_array **arrays;
    int count, array_capacity;
    PyObject *constants; /* a list, or NULL for none */

    /* A signature that all that was put agrees with, or NULL. Then the first nwords words are its,
     * as are the first nconstants constants, and arrays are borrowed from their handles. */
    const int64_t *expected;
    size_t nexpected;
    PyObject *expected_constants;
    Py_ssize_t nconstants;
    const jg_record *record;             /* of the signature */
    struct py_unchanged_tree *unchanged; /* by number of the tree, or NULL */
    int ntrees;                          /* that were put by py_arguments_put_argument */
} py_call_arguments;

/* Nothing has been put yet. constants: a list or NULL. unchanged: memory for each argument's tree,
 * or NULL. keeps: what is given, until other arguments are put than the signature has, or the
 * next */
void py_arguments_expect(py_call_arguments *all, const int64_t *words, size_t nwords,
                         PyObject *constants, const jg_record *record,
                         struct py_unchanged_tree *unchanged);

/* Whether the arguments are those of the signature: 1, 0, or -1. If so, the arrays are good until
 * Python code runs, and those that the record does not read may be NULL. */
int py_arguments_are_expected(py_call_arguments *all);

/* A whole argument: as py_arguments_put_tree, but a tree that is as it was is not read again. */
int py_arguments_put_argument(py_call_arguments *all, PyObject *tree);

/* Appends what is in the tree: arrays, ours and others', and constants. gives: 0 or -1 */
int py_arguments_put_tree(py_call_arguments *all, PyObject *tree);
int py_arguments_put_constant(py_call_arguments *all, PyObject *object);
int py_arguments_put_number(py_call_arguments *all, char kind, int64_t value);
void py_arguments_clear(py_call_arguments *all);
size_t py_arguments_hash(const py_call_arguments *all);

/* constants.c */

/* Whether two lists of constants mean the same call; NULL is an empty one. 1, 0, or -1 */
int py_constants_equal(PyObject *a, PyObject *b);

/* The list that later calls' constants are compared with; NULL for NULL. Constants without a hash
 * may change, so they are copied. Those that are equal to themselves alone are held weakly; gone is
 * called when one of them is gone. gives: 0 or -1 */
int py_constants_kept(PyObject *constants, PyObject *gone, PyObject **out);

/* Whether a constant that was kept is that object, which is alive. */
bool py_constant_is(PyObject *constant, PyObject *object);

/* The first `count` constants of calls that agree with a list that was kept. New reference */
PyObject *py_constants_given(PyObject *kept, Py_ssize_t count);
int py_constants_ready(void);

/* A dict, list or tuple of the tree, after what holds it. */
typedef struct py_known_container {
    PyObject *object; /* borrowed: alive if what holds it is as it was; not used of the root */
    PyTypeObject *type;
    uint64_t version;  /* of a dict, else 0 */
    Py_ssize_t length; /* of a list or tuple, else -1 */
    int holder;        /* its number, -1: of the root */
    Py_ssize_t item;   /* in a list or tuple: which */
} py_known_container;

/* A whole argument, as it was when it was last read. */
typedef struct py_unchanged_tree {
    int failures;
    uint64_t form_changes;
    size_t nwords; /* of the signature; the tree's words count, too */
    Py_ssize_t nconstants;
    py_known_container *containers;
    int ncontainers, containers_capacity;
    PyObject **handles; /* borrowed as containers are, in the order of the arguments */
    int nhandles, handles_capacity;
    int *read; /* which of them the function reads */
    int nread;
    int taken_at; /* the first array's number in the call under way; -1: the tree has been read */
} py_unchanged_tree;

/* Zeroed, for py_unchanged_free. NULL without memory, without an exception: trees are read then, as
 * they are where dicts have no versions. */
py_unchanged_tree *py_unchanged_new(Py_ssize_t count);
void py_unchanged_free(py_unchanged_tree *known, Py_ssize_t count);

/* Notes a tree that was read and is as expected. before, after: what had been put */
void py_unchanged_note(py_unchanged_tree *known, PyObject *tree, const py_call_arguments *before,
                       const py_call_arguments *after);

/* Puts the tree, for whose arrays there is memory, if it is as it was when it was noted. Arrays
 * that the record does not read are NULL. gives: whether it was */
bool py_unchanged_take(py_unchanged_tree *known, PyObject *tree, py_call_arguments *all);

/* Puts the arrays that were left out. */
void py_unchanged_read(const py_unchanged_tree *known, py_call_arguments *all);

/* donate.c: arguments whose arrays a call gives away */

typedef struct py_donated_array {
    PyObject *handle; /* +1, as the array has */
    jg_array *array;
} py_donated_array;

typedef struct py_donation {
    PyObject *args; /* a tuple of the call's arguments with copies of trees, or NULL */
    py_donated_array *items, few[4];
    Py_ssize_t count, capacity;
} py_donation;

/* Reads the arguments with these numbers, once. args: become those that the call is to read. gives:
 * 0 or -1, and *given for py_donation_clear */
int py_donation_begin(py_donation *given, PyObject *numbers, PyObject *const **args,
                      Py_ssize_t count);

/* Takes the values from handles that hold what they held at the beginning. gives: 0 or -1 */
int py_donation_finish(const py_donation *given);
void py_donation_clear(py_donation *given);

/* result_tree.c: the results of a call */

typedef struct py_result_row {
    int count;
    jg_array **arrays;  /* +1 each */
    PyObject **handles; /* made when first asked for, so that one array is one object */
} py_result_row;

/* A copy of the tree with arrays instead of slots. New reference */
PyObject *py_results_fill(PyObject *tree, const py_result_row *row);

/* Writes the same into the containers of a tree, which stay the same objects. gives: 0 or -1 */
int py_results_update(PyObject *container, PyObject *tree, const py_result_row *row);
void py_results_clear(py_result_row *row);
int py_slot_ready(PyObject *module);

/* recording.c */

/* The record of a capsule that recording.c made, borrowed. NULL with an exception */
jg_record *py_record_of(PyObject *capsule);

/* Calls _compile.py's tracer with the arguments and the arrays that were put. New reference */
PyObject *py_trace_call(PyObject *tracer, PyObject *compiled, const py_call_arguments *all,
                        PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

#endif
