/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of functions: which parameter each belongs to, and what objects mean where a
 * parameter wants ints, axes, numbers, texts, a dtype, a device or a policy for copies. */
#ifndef JG_PY_ARGUMENTS_H
#define JG_PY_ARGUMENTS_H

#include "base/failure.h"

/* arguments.c */

#define PY_MAX_PARAMETERS 12

/* The parameters of a function, required ones first, those that take only a name last. The first
 * npositional_only have no name that callers could use. names ends with NULL. */
typedef struct py_signature {
    int nrequired, npositional, npositional_only;
    const char *names[PY_MAX_PARAMETERS + 1];
} py_signature;

/* Sorts the arguments of a fast call by parameter into out, which can hold all of them; NULL
 * stands for those left out. The objects stay the caller's.
 * raises: TypeError */
int py_arguments(const char *function, const py_signature *signature, PyObject *const *args,
                 Py_ssize_t nargs, PyObject *kwnames, PyObject **out);

/* An int or a sequence of ints. gives: how many there are, -1 on failure. raises: TypeError,
 * ValueError for more than JG_MAX_NDIM and for extents below `lowest` */
int py_extents(const char *argument, PyObject *object, int64_t lowest, int64_t *out);

/* None (*count is -1), an int or a sequence of ints, at most JG_MAX_NDIM. gives: 0 or -1 */
int py_ints_or_none(const char *argument, PyObject *object, int *count, int64_t *out);

/* An int, two, or up to JG_MAX_NDIM pairs, one after the other in out, which can hold 2 *
 * JG_MAX_NDIM. gives: how many ints, -1 on failure */
int py_pairs(const char *argument, PyObject *object, int64_t *out);

/* An int, several ints, two lists of equal length (before and after), or "same" or "valid".
 * gives: how many each, -1 on failure */
int py_sides(const char *argument, PyObject *object, int64_t *low, int64_t *high);

/* An int (count -1) or a sequence of any number of ints. out: zeroed, to be cleared also on
 * failure */
typedef struct py_cuts {
    int count;
    int64_t *values;
} py_cuts;
int py_cuts_from(const char *argument, PyObject *object, py_cuts *out);
void py_cuts_clear(py_cuts *cuts);

/* The number that __index__ gives. raises: TypeError, OverflowError beyond 64 bits */
int py_int64_from(PyObject *object, int64_t *out);

/* The object of a parameter; what is left out (NULL) leaves *out as it is. gives: 0 or -1 */
int py_int64_argument(const char *argument, PyObject *object, int64_t *out);
/* The same, but a value beyond 64 bits becomes the nearest one that fits. */
int py_offset_argument(const char *argument, PyObject *object, int64_t *out);
/* An array of floats whose derivative would be lost in a number. gives: 0 or -1 with ValueError */
int py_refuse_differentiated(const char *argument, PyObject *object);
int py_double_argument(const char *argument, PyObject *object, double *out);
int py_flag(PyObject *object, bool *out);
int py_text(const char *argument, PyObject *object, const char **out); /* valid as long as object */

/* The same for parameters that may be None: *out is NULL then, else it points to *value. An int
 * that is left out leaves *out as it is. */
int py_int64_or_none(const char *argument, PyObject *object, int64_t *value, const int64_t **out);
int py_double_or_none(const char *argument, PyObject *object, double *value, const double **out);
int py_dtype_or_none(PyObject *object, jg_dtype *value, const jg_dtype **out);

/* A count of axes (*naxes; the default is in it before, and -1 stands for one below 0), or two
 * lists of axes of one length. gives: 0 or -1 | raises: TypeError, ValueError */
int py_axis_pairs(PyObject *object, int *naxes, int64_t axes[2][JG_MAX_NDIM], bool *is_count);

/* copy=None, False or True, or what counts as one of the last two. NULL counts as None. */
int py_copy_from(PyObject *object, jg_copy_policy *out);

/* device=None, "cpu", "cpu:0", (1, 0); *out is the default device for None. raises: ValueError for
 * a device without a back end, TypeError */
int py_device_from(PyObject *object, jg_device_id *out);

/* Extents, strides or axes as a tuple of ints. */
PyObject *py_shape_object(int ndim, const int64_t *shape);

#endif
