/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are no arrays: dtypes, Python's numbers, devices, and numbers as arrays. */
#ifndef JG_PY_VALUE_H
#define JG_PY_VALUE_H

#include "base/failure.h"

/* dtype.c */

PyObject *py_dtype_object(jg_dtype dtype); /* new reference */

/* A dtype from one of ours, a name, a Python type, or an object that has a name (NumPy's, torch's).
 * Runs Python code for the last kind.
 * gives: 0 or -1 | raises: TypeError */
int py_dtype_from(PyObject *object, jg_dtype *out);
/* Makes what Python's float or complex was read as double, if the array beside it is. */
void py_dtype_widen(PyObject *object, jg_dtype own, jg_dtype *dtype);
/* The same by the name alone, where no bytes are read: NumPy's dtypes have it in either byte order,
 * and its long double is called float128. false without or with an exception */
bool py_dtype_by_name(PyObject *object, jg_dtype *out);
/* The dtype of a kind and width as NumPy's protocols have them; bits of both parts for complex.
 * false if there is none. */
bool py_dtype_of_kind(jg_dtype_kind kind, int bits, jg_dtype *out);

/* The letter of a kind in NumPy's type strings, 'f' of "<f4"; '\0' of opaque elements. */
char py_kind_letter(jg_dtype_kind kind);

/* The character of the struct module for a dtype, NULL if NumPy's protocols cannot say it. */
const char *py_format_of(jg_dtype dtype);

int py_dtype_ready(PyObject *module);

/* number.c and element.c */

/* 1 for a Python number, with *out set; 0 for anything else, a NumPy scalar included; -1 for an int
 * beyond 64 bits (OverflowError). An int above INT64_MAX becomes a UINT. */
int py_number_from(PyObject *object, jg_number *out);
/* The same where the dtype that the number gets is known: for a float or a complex one an int
 * beyond 64 bits is a FLOAT, and only one beyond float64 is an error. dtype: may be NULL */
int py_number_for(PyObject *object, const jg_dtype *dtype, jg_number *out);
/* Replaces an integer that the dtype cannot hold by its low bits, with a RuntimeWarning. 0 or -1 */
int py_number_wrap(jg_number *number, jg_dtype dtype);
/* The number as bool, int, float or complex. raises: TypeError for JG_KIND_OPAQUE */
PyObject *py_number_object(jg_number number);

jg_dtype py_number_dtype(jg_dtype_kind kind);   /* of a number that meets no array */
jg_dtype py_number_own_dtype(jg_number number); /* the same; int32 where py_is_narrow() */

/* A 0-d array of the number. like: the array it meets, or NULL for the number's own dtype.
 * raises: OverflowError for an int that the dtype does not hold, MemoryError */
jg_array *py_number_array(jg_number number, const jg_array *like);

/* A 0-d array of the number in that dtype, rounded where the dtype has not all its digits.
 * raises: OverflowError, ValueError, TypeError for what the dtype does not hold, MemoryError */
jg_array *py_number_as(jg_number number, jg_dtype dtype);

/* All elements packed in row-major order, in memory for PyMem_Free; not NULL for an empty array.
 * raises: MemoryError, as jg_eval | waits: until x is in memory */
void *py_array_elements(jg_array *x);

PyObject *py_array_tolist(PyObject *self, PyObject *unused); /* a method of arrays */

/* A copy of x's present values, in memory of its own, also for dtypes that are only stored and
 * exchanged.
 * gives: a reference or NULL | waits: until it is there */
jg_array *py_snapshot(jg_array *x);

/* device.c */

PyObject *py_device_object(jg_device_id device); /* a Device; new reference */

/* The array on the device that the argument names; where it names none, as it is. steals: array,
 * NULL after a failure. New reference */
PyObject *py_on_device(PyObject *array, PyObject *device);
PyObject *py_move(PyObject *array, jg_device_id device); /* the same for a device */
int py_device_ready(PyObject *module);

#endif
