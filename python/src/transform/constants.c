/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of signatures: what of the arguments of a compiled function is no array.
 *
 * Objects that are equal to themselves alone are held weakly, as their records are of no use
 * without them: in place of such an object stands a reference of a type of its own, as references
 * of the user's may be constants, too. */
#include "transform/transform.h"

static PyObject *held_type; /* a subclass of weakref.ref */

static bool is_held(PyObject *constant)
{
    return Py_IS_TYPE(constant, (PyTypeObject *)held_type);
}

/* held: a reference. Borrowed, and None of an object that is gone: only for comparisons with an
 * object that is alive */
static PyObject *target_of(PyObject *held)
{
    return __atomic_load_n(&((PyWeakReference *)held)->wr_object, __ATOMIC_RELAXED);
}

bool py_constant_is(PyObject *constant, PyObject *object)
{
    if (constant == object)
        return true;
    return is_held(constant) && object != Py_None && target_of(constant) == object;
}

/* Whether its type has the comparison and the hash of objects, and weak references. */
static bool is_told_by_identity(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    return object != Py_None && !is_held(object) && type->tp_weaklistoffset > 0 &&
           type->tp_richcompare == PyBaseObject_Type.tp_richcompare &&
           type->tp_hash == PyBaseObject_Type.tp_hash;
}

PyObject *py_constants_given(PyObject *kept, Py_ssize_t count)
{
    PyObject *out = PyList_GetSlice(kept, 0, count);
    for (Py_ssize_t i = 0; out && i < count; ++i) {
        PyObject *item = PyList_GET_ITEM(out, i);
        PyObject *object = is_held(item) ? PyObject_CallNoArgs(item) : NULL;
        if (object && object != Py_None)
            PyList_SetItem(out, i, object);
        else
            Py_XDECREF(object);
    }
    if (PyErr_Occurred())
        Py_CLEAR(out);
    return out;
}

/* Whether their texts are equal. 1, 0 or -1 */
static int same_text(PyObject *a, PyObject *b)
{
    PyObject *one = PyObject_Repr(a), *other = one ? PyObject_Repr(b) : NULL;
    int same = other ? PyUnicode_Compare(one, other) == 0 : -1;
    Py_XDECREF(one);
    Py_XDECREF(other);
    return PyErr_Occurred() ? -1 : same;
}

/* 1 and True, 1 and 1.0, 0.0 and -0.0 are other constants, in a set or a slice, too, whose text
 * tells; NaN is the same. */
static int same_constant(PyObject *a, PyObject *b)
{
    if (a == b)
        return 1;
    if (is_held(a) || is_held(b))
        return is_held(a) && is_held(b) ? py_constant_is(a, target_of(b))
                                        : py_constant_is(a, b) || py_constant_is(b, a);
    if (Py_TYPE(a) != Py_TYPE(b))
        return 0;
    if (PyFloat_CheckExact(a)) {
        double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
        return memcmp(&x, &y, sizeof x) == 0;
    }
    int same = PyObject_RichCompareBool(a, b, Py_EQ);
    if (same > 0 && (PyAnySet_Check(a) || PySlice_Check(a)))
        same = same_text(a, b);
    if (same < 0 && py_forget_failure() == 0) /* what cannot be compared is another */
        return 0;
    return same;
}

int py_constants_equal(PyObject *a, PyObject *b)
{
    Py_ssize_t count = a ? PyList_GET_SIZE(a) : 0;
    if (count != (b ? PyList_GET_SIZE(b) : 0))
        return 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        int same = same_constant(PyList_GET_ITEM(a, i), PyList_GET_ITEM(b, i));
        if (same <= 0)
            return same;
    }
    return 1;
}

/* An object without a hash, such as a set. One that cannot be copied equals nothing, so its calls
 * are traced each time. New reference */
static PyObject *copy_of_changeable(PyObject *object)
{
    PyObject *module = PyImport_ImportModule("copy");
    PyObject *copied = module ? PyObject_CallMethod(module, "deepcopy", "O", object) : NULL;
    Py_XDECREF(module);
    if (!copied && py_forget_failure() == 0)
        copied = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    return copied;
}

/* What later calls' constants are compared with in place of one of them. New reference */
static PyObject *kept_constant(PyObject *item, PyObject *gone)
{
    if (is_told_by_identity(item))
        return PyObject_CallFunctionObjArgs(held_type, item, gone, NULL);
    if (PyObject_Hash(item) != -1)
        return Py_NewRef(item);
    return py_forget_failure() == 0 ? copy_of_changeable(item) : NULL;
}

int py_constants_kept(PyObject *constants, PyObject *gone, PyObject **out)
{
    *out = constants ? PyList_GetSlice(constants, 0, PyList_GET_SIZE(constants)) : NULL;
    if (constants && !*out)
        return -1;
    for (Py_ssize_t i = 0; constants && i < PyList_GET_SIZE(*out); ++i) {
        PyObject *kept = kept_constant(PyList_GET_ITEM(*out, i), gone);
        if (!kept) {
            Py_CLEAR(*out);
            return -1;
        }
        PyList_SetItem(*out, i, kept);
    }
    return 0;
}

int py_constants_ready(void)
{
    PyObject *made = PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){s(),ss}", "_Held",
                                           (PyObject *)&_PyWeakref_RefType, "__slots__",
                                           "__module__", "joggle._core");
    held_type = made;
    return made ? 0 : -1;
}
