/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of ops: arrays as they are, anything else turned into one for the time of the call. */
#include "base/narrow.h"
#include "convert/convert.h"

/* Objects that operators take for arrays: their types speak a protocol that describes memory.
 * Instances are not inspected, as every mixed operator runs this. */
static bool is_tensor(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    return _PyType_Lookup(type, py_name_dlpack) || _PyType_Lookup(type, py_name_interface) ||
           _PyType_Lookup(type, py_name_jax);
}

/* Whether an operator leaves the object to its own class: objects that are no arrays, and arrays
 * whose operators do more, such as NumPy's masked arrays, which keep the mask. 1, 0 or -1 */
static int has_own_operators(PyObject *object)
{
    if (!is_tensor(object) || py_overrides_ufuncs(Py_TYPE(object)))
        return 1;
    const py_producer *producer = py_producer_of(Py_TYPE(object));
    return producer ? producer->is_masked : -1;
}

/* The step that takes most of NumPy's arrays, before the others are tried. NULL without an
 * exception where it refuses. */
static jg_array *import_numpy(PyObject *object)
{
    jg_array *array = py_import_dlpack(object, JG_COPY_IF_NEEDED, NULL);
    if (!array && PyErr_ExceptionMatches(PyExc_BufferError))
        PyErr_Clear();
    return array;
}

/* In MLX the arrays of others get the dtype of the array they meet; alone, floats of 64 bits get
 * 32. steals: array */
static jg_array *as_in_mlx(jg_array *array, const jg_array *like)
{
    if (!array)
        return NULL;
    jg_dtype dtype = jg_array_dtype(array);
    py_request request = {.has_dtype = true, .dtype = dtype};
    if (like)
        request.dtype = jg_array_dtype(like);
    else if (dtype == JG_DTYPE_FLOAT64)
        request.dtype = JG_DTYPE_FLOAT32;
    else if (dtype == JG_DTYPE_COMPLEX128)
        request.dtype = JG_DTYPE_COMPLEX64;
    return py_cast(array, &request);
}

static int narrow_operand(PyObject *object, const jg_array *like, py_operand *out)
{
    py_request request = {.copy = JG_COPY_IF_NEEDED};
    *out = (py_operand){as_in_mlx(py_asarray_anywhere(object, &request), like)};
    return out->array ? 1 : -1;
}

/* As py_number_for, with the dtype of the array that the number meets. */
static int number_beside(PyObject *object, const jg_array *like, jg_number *out)
{
    jg_dtype dtype = like ? jg_array_dtype(like) : JG_DTYPE_BOOL;
    return py_number_for(object, &dtype, out);
}

/* Arrays first, then numbers: nearly all operands are of these, and neither needs lookups. */
int py_operand_from(PyObject *object, const jg_array *like, py_operand_mode mode, py_operand *out)
{
    if (py_array_check(object)) {
        *out = (py_operand){py_array_retain(object)};
        return 1;
    }
    if (py_is_numpy(object) && !py_is_narrow() &&
        (out->array = py_uncommitted(object, py_on_default(import_numpy(object)))))
        return 1;
    if (PyErr_Occurred())
        return -1;
    jg_number number;
    int is_number = number_beside(object, like, &number);
    if (is_number < 0)
        return -1;
    if (!is_number && py_is_narrow() && is_tensor(object))
        return narrow_operand(object, like, out);
    int left = !is_number && mode == PY_OPERATOR ? has_own_operators(object) : 0;
    if (left != 0)
        return left < 0 ? -1 : 0;
    py_request request = {.copy = JG_COPY_IF_NEEDED};
    jg_array *array =
        is_number ? py_number_array(number, like) : py_asarray_anywhere(object, &request);
    *out = (py_operand){array};
    return array ? 1 : -1;
}

/* Lists of numbers become float64 as well; arrays, ours and others', keep their dtype. */
int py_operand_real(PyObject *object, py_operand *out)
{
    py_request request = {.copy = JG_COPY_IF_NEEDED, .has_dtype = true, .dtype = JG_DTYPE_FLOAT64};
    if (py_array_check(object) || is_tensor(object))
        return py_operand_from(object, NULL, PY_FUNCTION, out);
    *out = (py_operand){py_asarray_anywhere(object, &request)};
    return out->array ? 1 : -1;
}

int py_operand_or_none(PyObject *object, py_operand *out)
{
    bool none = !object || object == Py_None;
    return none || py_operand_from(object, NULL, PY_FUNCTION, out) > 0 ? 0 : -1;
}

void py_operand_clear(py_operand *operand)
{
    jg_array_release(operand->array);
}

/* Whether the object is a Python number. An int beyond 64 bits is one beside floats; elsewhere
 * py_operand_from raises again what py_number_from does. */
static bool is_number(PyObject *object)
{
    jg_number unused;
    int found = py_number_from(object, &unused);
    if (found < 0)
        PyErr_Clear();
    return found != 0;
}

int py_operand_stored(PyObject *object, const jg_array *x, py_operand *out)
{
    jg_number number;
    bool is_cast = py_array_check(object) || py_process_is_mlx(); /* in MLX numbers are, too */
    int found = is_cast ? 0 : number_beside(object, x, &number);
    if (found <= 0)
        return found < 0 ? -1 : py_operand_from(object, x, PY_FUNCTION, out);
    *out = (py_operand){py_number_as(number, jg_array_dtype(x))};
    return out->array ? 1 : -1;
}

/* Whether the object is an int that MLX's int32 does not hold: among numbers the others follow
 * it. */
static bool is_long(PyObject *object)
{
    jg_number number;
    if (!py_is_narrow() || !PyLong_CheckExact(object))
        return false;
    int found = py_number_from(object, &number);
    if (found < 0)
        PyErr_Clear();
    return found > 0 && py_number_own_dtype(number) != JG_DTYPE_INT32;
}

/* A number on the left waits for the array on the right, to take its dtype. */
int py_operands_from(PyObject *a, PyObject *b, py_operand_mode mode, py_operand *x1, py_operand *x2)
{
    bool a_is_weak = !py_array_check(a) && is_number(a) && !(is_long(a) && is_number(b));
    PyObject *first = a_is_weak ? b : a, *second = a_is_weak ? a : b;
    py_operand *to_first = a_is_weak ? x2 : x1, *to_second = a_is_weak ? x1 : x2;
    int found = py_operand_from(first, NULL, mode, to_first);
    if (found <= 0)
        return found;
    found = py_operand_from(second, to_first->array, mode, to_second);
    if (found <= 0)
        py_operand_clear(to_first);
    return found;
}

bool py_operand_given(const char *argument, PyObject *object)
{
    if (object && object != Py_None)
        return true;
    PyErr_Format(PyExc_TypeError, "%s: got None, allowed are arrays and numbers", argument);
    return false;
}

/* Whether the object takes the dtype of an array beside it: a number does, and with MLX's rules any
 * object that is not ours. */
static bool follows(PyObject *object)
{
    jg_number unused;
    if (py_array_check(object))
        return false;
    if (py_number_from(object, &unused) == 0)
        return py_is_narrow() && is_tensor(object);
    PyErr_Clear();
    return true;
}

int py_operands_without_uint64(py_operand *x1, py_operand *x2)
{
    py_operand *const both[2] = {x1, x2};
    jg_dtype dtypes[2];
    for (int i = 0; i < 2; ++i) {
        if (!both[i]->array)
            return 0;
        dtypes[i] = jg_array_dtype(both[i]->array);
    }
    int wide = dtypes[0] == JG_DTYPE_UINT64 ? 0 : 1;
    if (dtypes[wide] != JG_DTYPE_UINT64 || jg_dtype_kind_of(dtypes[1 - wide]) != JG_KIND_INT)
        return 0;
    for (int i = 0; i < 2; ++i) {
        jg_array *before = both[i]->array;
        if (py_check(jg_astype(before, JG_DTYPE_FLOAT32, &both[i]->array)) < 0) {
            both[i]->array = before;
            return -1;
        }
        jg_array_release(before);
    }
    return 0;
}

/* The numbers among the objects wait until there is an array that they can follow: the first pass
 * makes the others, the second long ints, the third the other numbers. */
int py_operands_weak(int count, PyObject *const *objects, py_operand *const *out)
{
    const jg_array *like = NULL;
    for (int pass = 0; pass < 3; ++pass)
        for (int i = 0; i < count; ++i) {
            if (out[i]->array || !objects[i] || objects[i] == Py_None)
                continue;
            if (pass < 2 && follows(objects[i]) && !(pass == 1 && is_long(objects[i])))
                continue;
            if (py_operand_from(objects[i], like, PY_FUNCTION, out[i]) < 0)
                return -1;
            if (!like)
                like = out[i]->array;
        }
    return count == 2 && py_is_narrow() ? py_operands_without_uint64(out[0], out[1]) : 0;
}

/* Each by itself: numbers in a list are not weak. out->count are to be cleared, also on failure. */
int py_operand_list_each(PyObject *const *objects, Py_ssize_t count, py_operand_list *out)
{
    out->operands = PyMem_Calloc((size_t)count + 1, sizeof *out->operands);
    out->arrays = PyMem_Calloc((size_t)count + 1, sizeof(jg_array *));
    if (!out->operands || !out->arrays) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (py_operand_from(objects[i], NULL, PY_FUNCTION, &out->operands[i]) < 0)
            return -1;
        out->arrays[i] = out->operands[i].array;
        out->count += 1;
    }
    return 0;
}

int py_operand_list_from(const char *argument, PyObject *object, py_operand_list *out)
{
    /* A tuple, as making operands may run Python code, which may change a list. An array is a
     * sequence of its rows, too, but is refused. */
    PyObject *items = py_array_check(object) ? NULL : PySequence_Tuple(object);
    if (!items && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
        return -1;
    if (!items) {
        PyErr_Format(PyExc_TypeError, "%s: got %s, allowed is a sequence of arrays", argument,
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    int status = py_operand_list_each(&PyTuple_GET_ITEM(items, 0), PyTuple_GET_SIZE(items), out);
    Py_DECREF(items);
    return status;
}

void py_operand_list_clear(py_operand_list *list)
{
    for (int i = 0; i < list->count; ++i)
        py_operand_clear(&list->operands[i]);
    PyMem_Free(list->operands);
    PyMem_Free(list->arrays);
}

/* The tuple has its own references, so the list is always cleared. */
PyObject *py_tuple_of(jg_status status, jg_array_list *out)
{
    if (status != JG_OK)
        return py_raise(status);
    PyObject *tuple = PyTuple_New(out->count);
    for (int i = 0; tuple && i < out->count; ++i) {
        PyObject *item = py_array_wrap(jg_array_retain(out->arrays[i]));
        if (!item)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, item);
    }
    jg_array_list_clear(out);
    return tuple;
}

/* The type is made when the first tuple is. */
PyObject *py_named_of(jg_status status, jg_array_list *out, py_named *named)
{
    PyStructSequence_Desc description = {named->name, "The results of the function of this name.",
                                         named->fields, named->count};
    PyObject *items = py_tuple_of(status, out);
    if (!items || (!named->type && !(named->type = PyStructSequence_NewType(&description)))) {
        Py_XDECREF(items);
        return NULL;
    }
    PyObject *result = PyObject_CallOneArg((PyObject *)named->type, items);
    Py_DECREF(items);
    return result;
}

PyObject *py_list_of(jg_status status, jg_array_list *out)
{
    PyObject *tuple = py_tuple_of(status, out), *list = tuple ? PySequence_List(tuple) : NULL;
    Py_XDECREF(tuple);
    return list;
}

PyObject *py_one_or_tuple_of(jg_status status, jg_array_list *out)
{
    PyObject *tuple = py_tuple_of(status, out);
    if (!tuple || PyTuple_GET_SIZE(tuple) != 1)
        return tuple;
    PyObject *only = Py_NewRef(PyTuple_GET_ITEM(tuple, 0));
    Py_DECREF(tuple);
    return only;
}
