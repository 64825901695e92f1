/* SPDX-License-Identifier: Apache-2.0 */
/* Nested sequences of numbers to arrays, in two walks: the first finds the shape and the dtype, the
 * second writes the elements. Python's numbers give bool, int64, float32 and complex64; a NumPy
 * scalar or an array among them brings its own dtype.
 *
 * Where arrays with axes are among them, of any library's, their elements are not read one by one:
 * the items are stacked, and computed unless an array is traced, whose elements would be
 * constants. Only where their numbers might not fit the wanted dtype is each looked at. */
#include "convert/convert.h"
#include <math.h>

/* The state of both walks. shape has -1 for axes whose extent has not been met. */
typedef struct walk {
    int ndim; /* -1 until the first number has been met */
    int64_t shape[JG_MAX_NDIM];
    int64_t position[JG_MAX_NDIM]; /* where the walk is, for messages */
    bool has_weak;
    bool has_traced;
    bool has_own;    /* arrays with axes that are joggle's */
    bool has_whole;  /* arrays with axes that are no sequences, so that they are taken whole only */
    uint64_t arrays; /* the set of the dtypes of arrays with axes */
    uint64_t strong; /* the set of the dtypes of what has one of its own */
    jg_dtype weak;   /* of Python's numbers */
    jg_dtype fill;   /* what the second walk writes, at next */
    char *next;
    PyObject *wide; /* the first int beyond 64 bits, owned, or NULL: only floats hold it */
    PyObject *met;  /* the last dtype of another library's that a number had, owned, or NULL */
    jg_dtype met_dtype;
} walk;

/* "x[1][2]", for messages: where the walk is, down to that depth. New reference or NULL */
static PyObject *path_of(const walk *w, int depth)
{
    PyObject *text = PyUnicode_FromString("x");
    for (int i = 0; text && i < depth; ++i) {
        PyObject *longer = PyUnicode_FromFormat("%U[%lld]", text, (long long)w->position[i]);
        Py_DECREF(text);
        text = longer;
    }
    return text;
}

/* gives: -1 */
static int fail_at(const walk *w, int depth, PyObject *type, const char *what)
{
    PyObject *path = path_of(w, depth);
    if (path)
        PyErr_Format(type, "%U: %s", path, what);
    Py_XDECREF(path);
    return -1;
}

/* The value of what has a dtype of its own: by Python's protocols of real numbers, for which NumPy
 * makes no array as its item() does. */
static PyObject *value_of(PyObject *object, jg_dtype dtype)
{
    static PyObject *kept;
    jg_dtype_kind kind = jg_dtype_kind_of(dtype);
    PyNumberMethods *methods = Py_TYPE(object)->tp_as_number;
    if (kind == JG_KIND_FLOAT && jg_dtype_bits(dtype) <= 64 && methods && methods->nb_float)
        return PyNumber_Float(object);
    if ((kind == JG_KIND_INT || kind == JG_KIND_UINT) && methods && methods->nb_index)
        return PyNumber_Index(object);
    PyObject *name = py_kept_name(&kept, "item");
    return name ? PyObject_CallMethodNoArgs(object, name) : NULL;
}

/* Whether a dtype that a number has is one of ours. Numbers in one list mostly share the object, as
 * NumPy's do, and to ask another library for its name takes long. */
static bool knows_dtype(walk *w, PyObject *own, jg_dtype *dtype)
{
    if (own == w->met) {
        *dtype = w->met_dtype;
        return true;
    }
    if (!py_dtype_by_name(own, dtype))
        return false;
    Py_XSETREF(w->met, Py_NewRef(own));
    w->met_dtype = *dtype;
    return true;
}

/* After a failure of py_number_from. An int beyond 64 bits counts as an int in the first walk,
 * which ends before the dtype is known; the second one reads it as a float. gives: 1 or -1 */
static int read_wide(walk *w, PyObject *object, jg_number *out)
{
    static const jg_dtype in_second = JG_DTYPE_FLOAT64;
    if (!PyErr_ExceptionMatches(PyExc_OverflowError))
        return -1;
    PyErr_Clear();
    if (w->next)
        return py_number_for(object, &in_second, out);
    if (!w->wide)
        w->wide = Py_NewRef(object);
    *out = (jg_number){.kind = JG_KIND_INT};
    return 1;
}

/* 1 with *number set, 0 for what is no number, -1. *dtype tells a dtype of the object's own, which
 * NumPy's scalars and 0-d arrays have. Runs Python code for all but Python's numbers. */
static int read_leaf(walk *w, PyObject *object, jg_number *number, bool *has_dtype, jg_dtype *dtype)
{
    static PyObject *kept;
    *has_dtype = false;
    int found = py_number_from(object, number);
    if (found != 0)
        return found > 0 ? 1 : read_wide(w, object, number);
    PyObject *name = py_kept_name(&kept, "dtype");
    if (!name)
        return -1;
    PyNumberMethods *methods = Py_TYPE(object)->tp_as_number;
    PyObject *own = PyObject_GetAttr(object, name), *value = NULL;
    if (!own && py_forget_missing() < 0)
        return -1;
    if (own && knows_dtype(w, own, dtype)) {
        *has_dtype = true;
        value = value_of(object, *dtype);
    } else if (py_forget_failure() == 0) {
        if (PyIndex_Check(object))
            value = PyNumber_Index(object);
        else if (methods && methods->nb_float)
            value = PyNumber_Float(object);
    }
    Py_XDECREF(own);
    if (!value && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Clear(); /* a date, a text: what has the protocol and no number */
    found = value ? py_number_from(value, number) : PyErr_Occurred() ? -1 : 0;
    if (value && found < 0)
        found = read_wide(w, value, number);
    Py_XDECREF(value);
    return found;
}

/* Among Python's numbers the higher kind wins; a UINT is an int above int64's range. Items with a
 * dtype are promoted separately, so that plain numbers cannot widen it. */
static void note_dtype(walk *w, jg_number number, bool has_dtype, jg_dtype dtype)
{
    if (has_dtype) {
        w->strong |= JG_DTYPE_BIT(dtype);
        return;
    }
    jg_dtype weak = py_number_own_dtype(number);
    jg_dtype_kind kind = jg_dtype_kind_of(weak), before = jg_dtype_kind_of(w->weak);
    if (!w->has_weak || kind > before ||
        (kind == before && jg_dtype_bits(weak) > jg_dtype_bits(w->weak)))
        w->weak = weak;
    w->has_weak = true;
}

/* Python's numbers only raise the kind, as beside an array: a float among int32 scalars gives a
 * float. No numbers at all are float32. */
static int common_dtype(const walk *w, jg_dtype *out)
{
    *out = w->has_weak ? w->weak : JG_DTYPE_FLOAT32;
    if (w->strong == 0)
        return 0;
    if (py_check(jg_dtype_promote_set(w->strong, out)) < 0)
        return -1;
    if (w->has_weak && jg_dtype_kind_of(w->weak) > jg_dtype_kind_of(*out))
        return py_check(jg_dtype_promote(*out, w->weak, out));
    return 0;
}

/* The items of a sequence, new reference. NULL without an exception if the object is no sequence,
 * with one after a failure. */
static PyObject *items_of(PyObject *object)
{
    if (PyList_Check(object) || PyTuple_Check(object))
        return py_frozen(object);
    if (PyUnicode_Check(object) || PyDict_Check(object) || !PySequence_Check(object))
        return NULL;
    PyObject *iterator = PyObject_GetIter(object);
    if (!iterator) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Clear(); /* a 0-d array */
        return NULL;
    }
    PyObject *items = PySequence_List(iterator);
    Py_DECREF(iterator);
    return items;
}

static int survey(walk *w, PyObject *object, int depth);

/* The first sequence at a depth tells its extent, the others must have the same. */
static int note_extent(walk *w, int depth, int64_t count)
{
    if (depth == JG_MAX_NDIM || (w->ndim >= 0 && depth >= w->ndim))
        return fail_at(w, depth, PyExc_ValueError,
                       "a sequence where there are numbers before it, allowed is a number");
    if (w->shape[depth] < 0)
        w->shape[depth] = count;
    if (w->shape[depth] == count)
        return 0;
    PyObject *path = path_of(w, depth);
    if (path)
        PyErr_Format(PyExc_ValueError,
                     "%U: has %lld items, allowed are %lld, as those before it have", path,
                     (long long)count, (long long)w->shape[depth]);
    Py_XDECREF(path);
    return -1;
}

/* The first number determines the depth of all numbers. */
static int note_depth(walk *w, int depth)
{
    if (w->ndim < 0)
        w->ndim = depth;
    if (depth != w->ndim)
        return fail_at(w, depth, PyExc_ValueError,
                       "a number where there are sequences before it, allowed is a sequence");
    return 0;
}

/* Python code that reads a leaf may change the list: so the size is read anew in each turn, and the
 * item is held. */
static int survey_items(walk *w, PyObject *items, int depth)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
    if (note_extent(w, depth, count) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(items, i));
        w->position[depth] = i;
        int status = survey(w, item, depth + 1);
        Py_DECREF(item);
        if (status < 0)
            return -1;
    }
    /* Nothing lies deeper: [[], []] has two axes. */
    if (count == 0 && w->ndim < 0)
        w->ndim = depth + 1;
    return 0;
}

static int survey_leaf(walk *w, PyObject *object, int depth)
{
    jg_number number;
    bool has_dtype;
    jg_dtype dtype;
    int found = read_leaf(w, object, &number, &has_dtype, &dtype);
    if (found < 0)
        return -1;
    if (found == 0) {
        PyObject *path = path_of(w, depth);
        if (path)
            PyErr_Format(PyExc_TypeError, "%U: got %s, allowed are numbers and sequences of them",
                         path, Py_TYPE(object)->tp_name);
        Py_XDECREF(path);
        return -1;
    }
    note_dtype(w, number, has_dtype, dtype);
    return note_depth(w, depth);
}

/* The array's axes count as nested sequences. */
static int survey_array(walk *w, const jg_array *x, int depth)
{
    for (int i = 0; i < jg_array_ndim(x); ++i) {
        if (note_extent(w, depth + i, jg_array_shape(x)[i]) < 0)
            return -1;
        w->position[depth + i] = 0;
    }
    w->strong |= JG_DTYPE_BIT(jg_array_dtype(x));
    w->arrays |= JG_DTYPE_BIT(jg_array_dtype(x));
    return note_depth(w, depth + jg_array_ndim(x));
}

/* Whether the object is an array of any library's, by its type alone. Both methods are asked for,
 * as py_asarray reads what has one of them as a sequence. */
static bool is_array(PyObject *object)
{
    static PyObject *kept;
    if (PyFloat_Check(object) || PyLong_Check(object) || PyList_Check(object) ||
        PyTuple_Check(object))
        return false;
    if (py_array_check(object) || py_is_numpy(object))
        return true;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *device = py_kept_name(&kept, "__dlpack_device__");
    if (!device)
        PyErr_Clear(); /* no memory, of which what follows tells */
    return device && _PyType_Lookup(type, py_name_dlpack) && _PyType_Lookup(type, device);
}

/* Forgets why the object cannot be taken whole if it can be read otherwise: item by item, as
 * NumPy's arrays of objects are, or as a number. The mask of NumPy's masked arrays would be lost.
 * gives: 0; -1 with the failure */
static int forget_refusal(PyObject *object)
{
    py_pending refusal = py_pending_take(); /* as what follows may run Python code */
    const py_producer *producer = py_producer_of(Py_TYPE(object));
    bool is_masked = producer && producer->is_masked;
    bool has_axes = !is_masked && !PySequence_Check(object) && PyObject_Size(object) >= 0;
    PyErr_Clear();
    py_pending_restore(refusal);
    return is_masked || has_axes ? -1 : py_forget_failure();
}

/* *out: the array that an object is, new reference, or NULL for other things, for what is read as a
 * number, and for arrays that are read item by item. -1 where an array is refused, and for an
 * interrupt */
static int array_of(PyObject *object, jg_array **out)
{
    static const py_request as_it_is = {.copy = JG_COPY_IF_NEEDED};
    *out = py_array_is_traced(object) ? py_array_retain(object) : NULL;
    if (*out || !is_array(object))
        return 0;
    *out = py_asarray(object, &as_it_is);
    if (!*out)
        return forget_refusal(object);
    if (jg_array_ndim(*out) == 0) {
        jg_array_release(*out);
        *out = NULL;
    }
    return 0;
}

/* A sequence or a number at that depth. A sequence that is nested deeper than Python's limit of
 * recursion is an error, not a stack overflow. */
static int survey(walk *w, PyObject *object, int depth)
{
    int status = -1;
    jg_array *x;
    if (array_of(object, &x) < 0)
        return -1;
    if (x) {
        w->has_traced = w->has_traced || py_array_is_traced(object);
        w->has_own = w->has_own || py_array_check(object);
        w->has_whole = w->has_whole || !PySequence_Check(object);
        status = survey_array(w, x, depth);
        jg_array_release(x);
        return status;
    }
    PyObject *items = items_of(object);
    if (!items)
        return PyErr_Occurred() ? -1 : survey_leaf(w, object, depth);
    if (!Py_EnterRecursiveCall(" in a nested sequence")) {
        status = survey_items(w, items, depth);
        Py_LeaveRecursiveCall();
    }
    Py_DECREF(items);
    return status;
}

/* The dtype that elements are written in: the wanted one where it has a type of C's, else a wider
 * one that is cast afterwards, by the rounding that casts have. */
static jg_dtype fill_dtype(jg_dtype wanted)
{
    static const jg_dtype wide[JG_KIND_COUNT] = {
        [JG_KIND_BOOL] = JG_DTYPE_BOOL,          [JG_KIND_INT] = JG_DTYPE_INT64,
        [JG_KIND_UINT] = JG_DTYPE_UINT64,        [JG_KIND_FLOAT] = JG_DTYPE_FLOAT64,
        [JG_KIND_COMPLEX] = JG_DTYPE_COMPLEX128, [JG_KIND_OPAQUE] = JG_DTYPE_UINT64,
    };
    return wanted == JG_DTYPE_FLOAT32 || wanted == JG_DTYPE_COMPLEX64
               ? wanted
               : wide[jg_dtype_kind_of(wanted)];
}

/* The real part of any number, as a double. */
static double real_of(jg_number number)
{
    switch (number.kind) {
    case JG_KIND_BOOL:
    case JG_KIND_INT: return (double)number.i64;
    case JG_KIND_UINT: return (double)number.u64;
    default: return number.re;
    }
}

/* Whether a number fits an integer with that many bits; floats are truncated, and NaN fits none.
 * number: not complex. */
static bool fits_integer(const jg_number *number, bool is_signed, int bits)
{
    if (number->kind == JG_KIND_FLOAT) {
        double limit = is_signed ? -(double)INT64_MIN : 2.0 * -(double)INT64_MIN;
        double scale = 1.0;
        for (int i = bits; i < 64; ++i)
            scale *= 0.5;
        double whole = trunc(number->re); /* compared so, as -2^63 - 1 is no double */
        return whole < limit * scale && whole >= (is_signed ? -limit * scale : 0.0);
    }
    if (number->kind == JG_KIND_UINT)
        return !is_signed && bits == 64;
    int64_t high = is_signed    ? INT64_MAX >> (64 - bits)
                   : bits == 64 ? INT64_MAX
                                : ((int64_t)1 << bits) - 1;
    return number->i64 <= high && number->i64 >= (is_signed ? -high - 1 : 0);
}

/* The bits of a number that fits. */
static uint64_t integer_of(jg_number number, bool is_signed)
{
    if (number.kind == JG_KIND_FLOAT)
        return is_signed ? (uint64_t)(int64_t)number.re : (uint64_t)number.re;
    return number.kind == JG_KIND_UINT ? number.u64 : (uint64_t)number.i64;
}

/* build() has allocated all that the survey has counted, and fill() writes no more. */
static void put(walk *w, const void *bytes, size_t size)
{
    memcpy(w->next, bytes, size);
    w->next += size;
}

/* One part or two, of the width that the fill dtype has. */
static void put_floats(walk *w, jg_number number, jg_dtype_kind kind)
{
    double parts[2] = {real_of(number), number.kind == JG_KIND_COMPLEX ? number.im : 0.0};
    float narrow[2] = {(float)parts[0], (float)parts[1]};
    size_t count = kind == JG_KIND_COMPLEX ? 2 : 1;
    bool is_narrow = jg_dtype_bits(w->fill) == (int)(32 * count);
    put(w, is_narrow ? (const void *)narrow : parts, count * (is_narrow ? 4 : 8));
}

/* object: the number as it was given. dtype: of integers */
static int fail_range(const walk *w, PyObject *object, jg_dtype dtype)
{
    bool is_signed = jg_dtype_kind_of(dtype) == JG_KIND_INT;
    int bits = jg_dtype_bits(dtype);
    long long low = is_signed ? (long long)(INT64_MIN >> (64 - bits)) : 0;
    unsigned long long high = UINT64_MAX >> (64 - bits + is_signed);
    PyObject *path = path_of(w, w->ndim);
    if (path)
        PyErr_Format(PyExc_OverflowError, "%U: got %R, allowed for %s is %lld to %llu", path,
                     object, jg_dtype_name(dtype), low, high);
    Py_XDECREF(path);
    return -1;
}

/* w->fill is of wanted's kind and as wide or wider; ranges are those of wanted. object: the number
 * as it was given */
static int put_number(walk *w, PyObject *object, const jg_number *number, jg_dtype wanted)
{
    jg_dtype_kind kind = jg_dtype_kind_of(w->fill);
    if (number->kind == JG_KIND_COMPLEX && kind != JG_KIND_COMPLEX && kind != JG_KIND_BOOL)
        return fail_at(w, w->ndim, PyExc_TypeError,
                       "a complex number does not fit the dtype, allowed are real ones");
    if (kind == JG_KIND_BOOL) {
        bool truth =
            real_of(*number) != 0.0 || (number->kind == JG_KIND_COMPLEX && number->im != 0.0);
        put(w, &truth, 1);
    } else if (kind == JG_KIND_INT || kind == JG_KIND_UINT) {
        if (!fits_integer(number, kind == JG_KIND_INT, jg_dtype_bits(wanted)))
            return fail_range(w, object, wanted);
        uint64_t value = integer_of(*number, kind == JG_KIND_INT);
        put(w, &value, 8);
    } else {
        put_floats(w, *number, kind);
    }
    return 0;
}

/* The results of the first walk are checked again: Python code that reads a leaf may have changed a
 * list. */
static int fill(walk *w, PyObject *object, int depth, jg_dtype wanted)
{
    if (depth == w->ndim) {
        jg_number number;
        bool has_dtype;
        jg_dtype dtype;
        int found = read_leaf(w, object, &number, &has_dtype, &dtype);
        if (found <= 0)
            return found < 0 ? -1 : fail_at(w, depth, PyExc_RuntimeError, "it changed meanwhile");
        return put_number(w, object, &number, wanted);
    }
    PyObject *items = items_of(object);
    if (!items && PyErr_Occurred())
        return -1;
    if (!items || PySequence_Fast_GET_SIZE(items) != w->shape[depth]) {
        Py_XDECREF(items);
        return fail_at(w, depth, PyExc_RuntimeError, "it changed meanwhile");
    }
    int status = 0;
    for (Py_ssize_t i = 0; status == 0 && i < w->shape[depth]; ++i) {
        w->position[depth] = i;
        if (i >= PySequence_Fast_GET_SIZE(items)) {
            status = fail_at(w, depth, PyExc_RuntimeError, "it changed meanwhile");
            break;
        }
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(items, i));
        status = fill(w, item, depth + 1, wanted);
        Py_DECREF(item);
    }
    Py_DECREF(items);
    return status;
}

/* Of all elements in the fill dtype; negative if memory has never as many: arrays among them may be
 * broadcast. */
static Py_ssize_t fill_nbytes(const walk *w)
{
    Py_ssize_t nbytes = jg_dtype_bits(w->fill) / 8;
    bool is_too_large = false, is_empty = false;
    for (int i = 0; i < w->ndim; ++i) {
        is_too_large |= __builtin_mul_overflow(nbytes, (Py_ssize_t)w->shape[i], &nbytes);
        is_empty |= w->shape[i] == 0;
    }
    return is_empty ? 0 : is_too_large ? -1 : nbytes;
}

/* An array of the fill dtype, which goes to the device of the arrays that it meets. One byte is
 * added, as there may be no elements. */
static jg_array *build(walk *w, PyObject *object, jg_dtype wanted)
{
    w->fill = fill_dtype(wanted);
    Py_ssize_t nbytes = fill_nbytes(w);
    char *data = w->next = nbytes < 0 ? NULL : PyMem_Malloc((size_t)nbytes + 1);
    if (!data) {
        PyErr_NoMemory();
        return NULL;
    }
    jg_array *out = NULL;
    if (nbytes > 0 && fill(w, object, 0, wanted) < 0)
        goto done;
    if (py_check(jg_array_from_data(data, w->fill, w->ndim, w->shape, &out)) < 0)
        out = NULL;
    else
        jg_array_set_committed(out, false);
done:
    PyMem_Free(data);
    return out;
}

/* The items as arrays, stacked along a new axis. items: a tuple */
static jg_array *stack_items(PyObject *items, const py_request *request)
{
    Py_ssize_t count = PyTuple_GET_SIZE(items), made = 0;
    jg_array **arrays = PyMem_Calloc((size_t)count + 1, sizeof *arrays), *out = NULL;
    if (!arrays) {
        PyErr_NoMemory();
        return NULL;
    }
    for (; made < count; ++made) {
        PyObject *item = PyTuple_GET_ITEM(items, made);
        if (!(arrays[made] = py_uncommitted(item, py_asarray(item, request))))
            break;
    }
    if (made == count && py_check(jg_stack((int)count, arrays, 0, &out)) < 0)
        out = NULL;
    while (made > 0)
        jg_array_release(arrays[--made]);
    PyMem_Free(arrays);
    return out;
}

/* Joins a sequence that contains an array with axes. The items get the wanted dtype, so that they
 * are not promoted with each other; items without arrays are read as usual. The present values are
 * copied, because an array's memory may belong to an owner who writes to it later. */
static jg_array *join(const walk *w, PyObject *object, jg_dtype wanted)
{
    py_request each = {.has_dtype = true, .dtype = wanted, .copy = JG_COPY_IF_NEEDED};
    PyObject *items = PySequence_Tuple(object);
    jg_array *out = items ? stack_items(items, &each) : NULL;
    Py_XDECREF(items);
    if (!out || w->has_traced)
        return out;
    if (py_evaluate(out) < 0) {
        jg_array_release(out);
        return NULL;
    }
    if (!w->has_own)
        jg_array_set_committed(out, false);
    return out;
}

/* The result is of the wanted dtype at once, so that py_asarray's cast has nothing to do: an int
 * that does not fit is then refused here, with its path. NULL with an exception */
static jg_array *convert(walk *w, PyObject *object, const py_request *request)
{
    jg_dtype dtype;
    if (survey(w, object, 0) < 0 || common_dtype(w, &dtype) < 0)
        return NULL;
    py_request cast = {.has_dtype = true, .dtype = request->has_dtype ? request->dtype : dtype};
    jg_number unused;
    if (w->wide && py_number_for(w->wide, &cast.dtype, &unused) < 0)
        return NULL;
    bool joins = w->has_traced || w->has_whole || (w->arrays && py_all_fit(w->arrays, cast.dtype));
    return joins ? join(w, object, cast.dtype) : py_cast(build(w, object, cast.dtype), &cast);
}

int py_convert_sequence(PyObject *object, const py_request *request, jg_array **out)
{
    if (request->copy == JG_COPY_NEVER) {
        PyErr_SetString(py_copy_error, "Python numbers must be copied, and copy is False");
        return -1;
    }
    walk w = {.ndim = -1};
    for (int i = 0; i < JG_MAX_NDIM; ++i)
        w.shape[i] = -1;
    *out = convert(&w, object, request);
    Py_XDECREF(w.met);
    Py_XDECREF(w.wide);
    return *out ? 1 : -1;
}
