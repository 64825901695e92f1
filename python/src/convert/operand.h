/* SPDX-License-Identifier: Apache-2.0 */
/* Operands: the conversion of objects to arrays for ops, and of results to Python's objects. */
#ifndef JG_PY_OPERAND_H
#define JG_PY_OPERAND_H

#include "base/core.h"

/* Ops as the operators and attributes are given them. */
typedef jg_status py_unary_op(jg_array *, jg_array **);
typedef jg_status py_binary_op(jg_array *, jg_array *, jg_array **);

/* operand.c */

/* An operand, with a reference: a handle's array, or one that was made for the op. Making the next
 * operand may run Python code, which may give the handle another array. Zero-initialised it is
 * none, and may be cleared. */
typedef struct py_operand {
    jg_array *array;
} py_operand;

/* The objects that an operand may be made from: an operator leaves lists and unknown objects to the
 * other side. */
typedef enum py_operand_mode { PY_OPERATOR, PY_FUNCTION } py_operand_mode;

/* 1 with *out set, 0 if the object is not an operand (only PY_OPERATOR), -1. like: the array that a
 * Python number takes its dtype from, or NULL. Runs Python code for what is neither an array nor a
 * number. */
int py_operand_from(PyObject *object, const jg_array *like, py_operand_mode mode, py_operand *out);

/* 1 with *out set, or -1. What is stored in elements of x: a Python number gets the dtype of x and
 * must fit it, an array is cast later, as by astype. */
int py_operand_stored(PyObject *object, const jg_array *x, py_operand *out);
int py_operand_real(PyObject *object, py_operand *out); /* numbers become float64 */
void py_operand_clear(py_operand *operand);

/* The same for a parameter that may be None: *out, zeroed before, stays as it is. 0 or -1 */
int py_operand_or_none(PyObject *object, py_operand *out);

/* Two operands, one of which need not be an array. 1, 0 or -1 as above. */
int py_operands_from(PyObject *a, PyObject *b, py_operand_mode mode, py_operand *x1,
                     py_operand *x2);

/* Checks that a required operand is not None. raises: TypeError */
bool py_operand_given(const char *argument, PyObject *object);

/* Several operands, of which Python numbers take the dtype of the first that is not one. Where the
 * object is NULL or None the operand stays as it is. out: zeroed, to be cleared also on failure */
int py_operands_weak(int count, PyObject *const *objects, py_operand *const *out);

/* In MLX uint64 and a signed integer promote to float32: both operands are cast to it. 0 or -1 */
int py_operands_without_uint64(py_operand *x1, py_operand *x2);

/* The operands of a sequence, and their arrays in a row, as the library takes them. The arrays
 * belong to the operands. */
typedef struct py_operand_list {
    int count;
    py_operand *operands;
    jg_array **arrays;
} py_operand_list;

/* out: zeroed, to be cleared also on failure */
int py_operand_list_from(const char *argument, PyObject *object, py_operand_list *out);
int py_operand_list_each(PyObject *const *objects, Py_ssize_t count, py_operand_list *out);
void py_operand_list_clear(py_operand_list *list);

/* The results of an op that gives several arrays, as one object, or the exception of its failure.
 * steals: the list's arrays */
PyObject *py_tuple_of(jg_status status, jg_array_list *out);

/* A tuple with names. What is known of its type; `type` is NULL until one is made. */
typedef struct py_named {
    const char *name;
    int count;
    PyStructSequence_Field fields[8]; /* one more, at the end, is empty */
    PyTypeObject *type;
} py_named;

/* py_tuple_of with names, as a list, and without the tuple around a single array. */
PyObject *py_named_of(jg_status status, jg_array_list *out, py_named *named);
PyObject *py_list_of(jg_status status, jg_array_list *out);
PyObject *py_one_or_tuple_of(jg_status status, jg_array_list *out);

#endif
