/* SPDX-License-Identifier: Apache-2.0 */
/* Reading arguments: fast calls into slots, and the small objects that many functions take. */
#include "base/core.h"

/* The parameter of that name, counted from 0; -1 if there is none that takes a name. */
static int find_parameter(const py_signature *signature, const char *name)
{
    for (int i = signature->npositional_only; signature->names[i]; ++i)
        if (strcmp(signature->names[i], name) == 0)
            return i;
    return -1;
}

/* Values that keyword.def has in place of a parameter's number, and the result if no row is
 * found. */
enum { NO_PARAMETER = -1, WITHOUT_EFFECT = -2 };

/* The op that a function is another name of, or the function itself. */
static const char *find_op(const char *function)
{
    static const struct {
        const char *alias, *op;
    } rows[] = {
#define PY_OP(...)
#define PY_ALIAS(alias, name, ...) {#alias, #name},
#include "op_methods.h"
#undef PY_OP
#undef PY_ALIAS
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(rows); ++i)
        if (strcmp(rows[i].alias, function) == 0)
            return rows[i].op;
    return function;
}

/* The parameter that another library has under that name, or one of the two above. It is used only
 * for names that are not our own, so calls with our names do not pay for it. */
static int find_foreign(const char *function, const py_signature *signature, const char *name)
{
    static const struct {
        const char *function, *name;
        int at;
    } rows[] = {
#define PY_KEYWORD(function, name, at) {#function, #name, at},
#include "base/keyword.def"
#undef PY_KEYWORD
    };
    function = find_op(function);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(rows); ++i)
        if (strcmp(rows[i].name, name) == 0 && strcmp(rows[i].function, function) == 0)
            return rows[i].at;
    /* MLX's operands are a and b. */
    int at = strcmp(name, "a") == 0 ? 0 : 1;
    bool is_operand = (at == 0 || strcmp(name, "b") == 0) && at < signature->npositional_only;
    return is_operand && signature->names[at][0] == 'x' ? at : NO_PARAMETER;
}

/* What the parameter is called here that PyTorch calls so; NULL if nothing is known. */
static const char *own_name_of(const py_signature *signature, const char *name)
{
    static const struct {
        const char *theirs, *own;
    } rows[] = {{"dim", "axis"}, {"dims", "axis"}, {"keepdim", "keepdims"}, {"size", "shape"}};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(rows); ++i)
        if (strcmp(rows[i].theirs, name) == 0 && find_parameter(signature, rows[i].own) >= 0)
            return rows[i].own;
    return NULL;
}

/* The message lists the names that the function takes, as the caller most often used the name of
 * another library. */
static int fail_keyword(const char *function, const py_signature *signature, const char *name)
{
    char allowed[512] = "";
    const char *own = own_name_of(signature, name);
    size_t used = 0;
    for (int i = signature->npositional_only; signature->names[i] && used < sizeof allowed; ++i)
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s'%s'",
                                 used ? ", " : ", allowed: ", signature->names[i]);
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'%s%s%s%s", function,
                 name, allowed, own ? "; write " : "", own ? own : "", own ? "=" : "");
    return -1;
}

/* Puts one keyword argument where its parameter is, which must be empty: x given by position and by
 * name is as wrong as x given twice. */
static int place_named(const char *function, const py_signature *signature, PyObject *key,
                       PyObject *value, PyObject **out)
{
    const char *name = PyUnicode_AsUTF8(key);
    if (!name)
        return -1;
    int at = find_parameter(signature, name);
    if (at < 0)
        at = find_foreign(function, signature, name);
    if (at == WITHOUT_EFFECT)
        return 0;
    if (at < 0)
        return fail_keyword(function, signature, name);
    if (out[at]) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", function, name);
        return -1;
    }
    out[at] = value;
    return 0;
}

/* Written out rather than by PyArg_ParseTupleAndKeywords, which needs a tuple and a dict. The
 * messages are worded as Python's own. */
int py_arguments(const char *function, const py_signature *signature, PyObject *const *args,
                 Py_ssize_t nargs, PyObject *kwnames, PyObject **out)
{
    if (nargs > signature->npositional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)",
                     function, signature->npositional, nargs);
        return -1;
    }
    /* All slots are written, so that callers need not clear them. */
    for (int i = 0; signature->names[i]; ++i)
        out[i] = i < nargs ? args[i] : NULL;
    Py_ssize_t nnamed = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < nnamed; ++i)
        if (place_named(function, signature, PyTuple_GET_ITEM(kwnames, i), args[nargs + i], out) <
            0)
            return -1;
    for (int i = 0; i < signature->nrequired; ++i)
        if (!out[i]) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'", function,
                         signature->names[i]);
            return -1;
        }
    return 0;
}

int py_int64_from(PyObject *object, int64_t *out)
{
    PyObject *index = PyNumber_Index(object);
    if (!index)
        return -1;
    long long value = PyLong_AsLongLong(index);
    Py_DECREF(index);
    if (value == -1 && PyErr_Occurred())
        return -1;
    *out = value;
    return 0;
}

/* Floats are refused even where they are whole, as Python's range does. */
int py_int64_argument(const char *argument, PyObject *object, int64_t *out)
{
    if (!object)
        return 0;
    if (!PyIndex_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s: got %s, allowed is an int", argument,
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    if (py_int64_from(object, out) == 0)
        return 0;
    if (PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_Format(PyExc_OverflowError, "%s: got %R, allowed are ints of 64 bits", argument,
                     object);
    return -1;
}

int py_offset_argument(const char *argument, PyObject *object, int64_t *out)
{
    if (py_int64_argument(argument, object, out) == 0)
        return 0;
    PyObject *index = PyErr_ExceptionMatches(PyExc_OverflowError) ? PyNumber_Index(object) : NULL;
    if (!index)
        return -1;
    PyErr_Clear();
    int overflow;
    PyLong_AsLongLongAndOverflow(index, &overflow);
    *out = overflow < 0 ? INT64_MIN : INT64_MAX;
    Py_DECREF(index);
    return 0;
}

int py_int64_or_none(const char *argument, PyObject *object, int64_t *value, const int64_t **out)
{
    if (!object)
        return 0;
    *out = object == Py_None ? NULL : value;
    return *out ? py_int64_argument(argument, object, value) : 0;
}

int py_refuse_differentiated(const char *argument, PyObject *object)
{
    if (!py_array_is_traced(object))
        return 0;
    jg_array *x = py_array_retain(object);
    jg_dtype_kind kind = jg_dtype_kind_of(jg_array_dtype(x));
    jg_array_release(x);
    if (kind != JG_KIND_FLOAT && kind != JG_KIND_COMPLEX)
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "%s: got an array that depends on an argument of a function that is being "
                 "differentiated, allowed is a number, as x.item(): its derivative would be lost",
                 argument);
    return -1;
}

/* Any object with __float__ or __index__. A bool is refused, as other libraries have bools at the
 * positions of some numbers. A result of -1.0 may be a value, so the pending exception is tested as
 * well. */
int py_double_argument(const char *argument, PyObject *object, double *out)
{
    if (!object)
        return 0;
    if (PyBool_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s: got %R, allowed is a number", argument, object);
        return -1;
    }
    double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "%s: got %s, allowed is a number", argument,
                         Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = value;
    return py_refuse_differentiated(argument, object);
}

int py_double_or_none(const char *argument, PyObject *object, double *value, const double **out)
{
    bool none = !object || object == Py_None;
    *out = none ? NULL : value;
    return none ? 0 : py_double_argument(argument, object, value);
}

/* Types, names and dtypes are refused, although Python gives them a truth value: NumPy has dtype at
 * the position where our reductions have keepdims. */
static bool is_dtype(PyObject *object)
{
    jg_dtype unused;
    bool may_be = !PyBool_Check(object) && !PyLong_Check(object) && !py_array_check(object);
    bool found = may_be && py_dtype_by_name(object, &unused);
    PyErr_Clear();
    return found;
}

/* The truth of an object, as `if` sees it: an array of one element counts as its value. A string is
 * refused: NumPy has the kind of a sort where ours has `descending`. */
int py_flag(PyObject *object, bool *out)
{
    if (object && object != Py_None && is_dtype(object)) {
        PyErr_Format(PyExc_TypeError, "got %R, allowed are True and False: name it dtype=", object);
        return -1;
    }
    if (object && (PyUnicode_Check(object) || PyBytes_Check(object))) {
        PyErr_Format(PyExc_TypeError, "got %R, allowed are True and False", object);
        return -1;
    }
    int truth = object ? PyObject_IsTrue(object) : *out;
    *out = truth > 0;
    return truth < 0 ? -1 : 0;
}

/* UTF-8, which the object keeps. */
int py_text(const char *argument, PyObject *object, const char **out)
{
    if (!object)
        return 0;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s: got %s, allowed is a string", argument,
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = PyUnicode_AsUTF8(object);
    return *out ? 0 : -1;
}

int py_dtype_or_none(PyObject *object, jg_dtype *value, const jg_dtype **out)
{
    bool none = !object || object == Py_None;
    *out = none ? NULL : value;
    return none ? 0 : py_dtype_from(object, value);
}

/* items: a tuple, as __index__ is Python code, which may change a list. gives: how many, -1 on
 * failure */
static int read_extents(const char *argument, PyObject *items, int64_t lowest, int64_t *out)
{
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    if (count > JG_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError, "%s: got %zd items, allowed at most %d", argument, count,
                     JG_MAX_NDIM);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (py_int64_argument(argument, PyTuple_GET_ITEM(items, i), &out[i]) < 0)
            return -1;
        if (out[i] < lowest) {
            PyErr_Format(PyExc_ValueError, "%s[%zd]: got %lld, allowed from %lld", argument, i,
                         (long long)out[i], (long long)lowest);
            return -1;
        }
    }
    return (int)count;
}

/* The items of what has them in an order: a dict's would be its keys. */
static PyObject *ordered_items(PyObject *object)
{
    if (!PyDict_Check(object) && !PyAnySet_Check(object))
        return PySequence_Tuple(object);
    PyErr_Format(PyExc_TypeError, "got %s, allowed is a sequence", Py_TYPE(object)->tp_name);
    return NULL;
}

/* The items of a tuple of ints: the object itself if it is one int, otherwise its items. Arrays
 * have items, and also __index__, which only works for one element. */
static PyObject *items_of(PyObject *object)
{
    bool is_both = PyIndex_Check(object) && PySequence_Check(object);
    PyObject *index = is_both ? PyNumber_Index(object) : NULL;
    if (is_both && !index) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return NULL;
        PyErr_Clear();
        return ordered_items(object);
    }
    PyObject *items = index                   ? PyTuple_Pack(1, index)
                      : PyIndex_Check(object) ? PyTuple_Pack(1, object)
                                              : ordered_items(object);
    Py_XDECREF(index);
    return items;
}

int py_extents(const char *argument, PyObject *object, int64_t lowest, int64_t *out)
{
    PyObject *items = items_of(object);
    if (!items) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "%s: got %s, allowed are an int and a sequence of ints",
                         argument, Py_TYPE(object)->tp_name);
        return -1;
    }
    int count = read_extents(argument, items, lowest, out);
    Py_DECREF(items);
    return count;
}

int py_ints_or_none(const char *argument, PyObject *object, int *count, int64_t *out)
{
    *count = -1;
    if (!object || object == Py_None)
        return 0;
    *count = py_extents(argument, object, INT64_MIN, out);
    return *count < 0 ? -1 : 0;
}

/* Pairs that lie in a sequence, or one flat pair; the first item tells which. gives: how many
 * ints */
static int read_pairs(const char *argument, PyObject *items, int64_t *out)
{
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    int64_t pair[JG_MAX_NDIM];
    if (count > JG_MAX_NDIM || (count > 0 && !PySequence_Check(PyTuple_GET_ITEM(items, 0))))
        return py_extents(argument, items, INT64_MIN, out);
    for (Py_ssize_t i = 0; i < count; ++i) {
        int found = py_extents(argument, PyTuple_GET_ITEM(items, i), INT64_MIN, pair);
        if (found >= 0 && found != 2)
            PyErr_Format(PyExc_ValueError, "%s[%zd]: got %d numbers, allowed are two", argument, i,
                         found);
        if (found != 2)
            return -1;
        out[2 * i] = pair[0];
        out[2 * i + 1] = pair[1];
    }
    return 2 * (int)count;
}

/* Python sees an array both as an int and as a sequence. Here it is a sequence. */
int py_pairs(const char *argument, PyObject *object, int64_t *out)
{
    if (PyIndex_Check(object) && !PySequence_Check(object))
        return py_extents(argument, object, INT64_MIN, out);
    PyObject *items = ordered_items(object);
    if (!items) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return -1;
        PyErr_Clear();
        return py_extents(argument, object, INT64_MIN, out); /* it raises with what is allowed */
    }
    int count = read_pairs(argument, items, out);
    Py_DECREF(items);
    return count;
}

int py_cuts_from(const char *argument, PyObject *object, py_cuts *out)
{
    bool one = PyIndex_Check(object) && !PySequence_Check(object);
    PyObject *items = one ? PyTuple_Pack(1, object) : ordered_items(object);
    if (!items) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "%s: got %s, allowed are an int and a sequence of ints",
                         argument, Py_TYPE(object)->tp_name);
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    int status = 0;
    /* One more than needed, as no cuts at all are allowed and NULL means that there is no
     * memory. */
    out->values = PyMem_Calloc((size_t)count + 1, sizeof *out->values);
    if (!out->values || count > INT_MAX) {
        PyErr_NoMemory();
        status = -1;
    }
    for (Py_ssize_t i = 0; status == 0 && i < count; ++i)
        status = py_int64_from(PyTuple_GET_ITEM(items, i), &out->values[i]);
    out->count = one ? -1 : (int)count;
    Py_DECREF(items);
    return status;
}

void py_cuts_clear(py_cuts *cuts)
{
    PyMem_Free(cuts->values);
}

/* Whether the object is a sequence of two sequences. Strings do not count as sequences here.
 * py_extents reports whatever else is wrong. 1, 0, or -1 for an interrupt */
static int is_pair_of_lists(PyObject *object)
{
    bool pair =
        PySequence_Check(object) && !PyUnicode_Check(object) && PySequence_Size(object) == 2;
    PyObject *first = pair ? PySequence_GetItem(object, 0) : NULL;
    pair = first != NULL && PySequence_Check(first) && !PyUnicode_Check(first);
    Py_XDECREF(first);
    return py_forget_failure() < 0 ? -1 : pair;
}

/* "same" or "valid", which is none; one number. */
static int padding_by_name(const char *argument, PyObject *name, int64_t *low, int64_t *high)
{
    bool same = PyUnicode_CompareWithASCIIString(name, "same") == 0;
    if (!same && PyUnicode_CompareWithASCIIString(name, "valid") != 0) {
        PyErr_Format(PyExc_ValueError, "%s: got %R, allowed are numbers, 'same' and 'valid'",
                     argument, name);
        return -1;
    }
    *low = *high = same ? JG_PADDING_SAME : 0;
    return 1;
}

int py_sides(const char *argument, PyObject *object, int64_t *low, int64_t *high)
{
    /* One list is for both sides: it is read once and copied. */
    int64_t *const sides[] = {low, high};
    int counts[2];
    if (PyUnicode_Check(object))
        return padding_by_name(argument, object, low, high);
    int paired = is_pair_of_lists(object);
    if (paired < 0)
        return -1;
    if (!paired) {
        counts[0] = py_extents(argument, object, INT64_MIN, low);
        for (int i = 0; i < counts[0]; ++i)
            high[i] = low[i];
        return counts[0];
    }
    for (int i = 0; i < 2; ++i) {
        PyObject *side = PySequence_GetItem(object, i);
        counts[i] = side ? py_extents(argument, side, INT64_MIN, sides[i]) : -1;
        Py_XDECREF(side);
        if (counts[i] < 0)
            return -1;
    }
    if (counts[0] == counts[1])
        return counts[0];
    PyErr_Format(PyExc_ValueError, "%s: got %d numbers before and %d after, allowed are as many",
                 argument, counts[0], counts[1]);
    return -1;
}

int py_axis_pairs(PyObject *object, int *naxes, int64_t axes[2][JG_MAX_NDIM], bool *is_count)
{
    /* The default, for axes that are left out. */
    int64_t count = *naxes;
    *is_count = !object || PyIndex_Check(object);
    if (*is_count) {
        if (py_int64_argument("axes", object, &count) < 0)
            return -1;
        *naxes = count < 0 ? -1 : count > INT_MAX ? INT_MAX : (int)count;
        return 0;
    }
    PyObject *pair = ordered_items(object);
    if (!pair && !PyErr_ExceptionMatches(PyExc_TypeError))
        return -1;
    if (!pair || PyTuple_GET_SIZE(pair) != 2) {
        PyErr_Format(PyExc_TypeError, "axes: got %R, allowed are an int and a pair of axis lists",
                     object);
        Py_XDECREF(pair);
        return -1;
    }
    int counts[2] = {0, 0};
    for (int i = 0; i < 2 && counts[0] >= 0; ++i)
        counts[i] = py_extents("axes", PyTuple_GET_ITEM(pair, i), INT64_MIN, axes[i]);
    Py_DECREF(pair);
    if (counts[0] < 0 || counts[1] < 0)
        return -1;
    if (counts[0] != counts[1]) {
        PyErr_Format(PyExc_ValueError, "axes: got %d axes of x1 and %d of x2, allowed are as many",
                     counts[0], counts[1]);
        return -1;
    }
    *naxes = counts[0];
    return 0;
}

/* None is tested first, as it has a truth value too. */
int py_copy_from(PyObject *object, jg_copy_policy *out)
{
    *out = JG_COPY_IF_NEEDED;
    if (!object || object == Py_None)
        return 0;
    int truth = PyObject_IsTrue(object);
    if (truth < 0)
        return -1;
    *out = truth ? JG_COPY_ALWAYS : JG_COPY_NEVER;
    return 0;
}

/* A text with a NUL inside names no device: the text after the NUL would not be read. */
static int device_from_text(PyObject *object, jg_device_id *out)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (!text)
        return -1;
    if (strlen(text) == (size_t)length)
        return py_check(jg_device_parse(text, out));
    PyErr_Format(PyExc_ValueError, "device: got %R, allowed are names without a NUL", object);
    return -1;
}

static bool is_gpu(PyObject *object)
{
    const char *text = PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : NULL;
    return text && strncmp(text, "gpu", 3) == 0;
}

/* A Device is a string, so its name is read here. A pair is the result of __dlpack_device__. */
int py_device_from(PyObject *object, jg_device_id *out)
{
    if (!object || object == Py_None)
        return py_check(jg_device_get_default(out));
    if (PyUnicode_Check(object)) {
        if (device_from_text(object, out) < 0)
            return -1;
    } else {
        int64_t pair[JG_MAX_NDIM];
        int count = PyTuple_Check(object) ? py_extents("device", object, 0, pair) : 0;
        if (count < 0)
            return -1;
        if (count != 2 || pair[0] > INT32_MAX || pair[1] > INT32_MAX) {
            PyErr_Format(PyExc_TypeError, "device: got %R, allowed are a name and a DLPack pair",
                         object);
            return -1;
        }
        *out = (jg_device_id){(int32_t)pair[0], (int32_t)pair[1]};
    }
    if (jg_device_require(*out) == JG_OK)
        return 0;
    PyErr_Format(PyExc_ValueError, is_gpu(object) ? "%s (a gpu is a cuda device)" : "%s",
                 jg_error_message());
    return -1;
}

PyObject *py_shape_object(int ndim, const int64_t *shape)
{
    PyObject *tuple = PyTuple_New(ndim);
    for (int i = 0; tuple && i < ndim; ++i) {
        PyObject *extent = PyLong_FromLongLong(shape[i]);
        if (!extent)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, extent);
    }
    return tuple;
}
