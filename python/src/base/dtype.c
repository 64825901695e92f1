/* SPDX-License-Identifier: Apache-2.0 */
/* joggle.dtype: one immortal object per element type, so that two that are equal are the same. The
 * names that others have for them are read here, too. */
#include "base/core.h"
#include "base/narrow.h"

typedef struct dtype_object {
    PyObject_HEAD jg_dtype dtype;
} dtype_object;

static PyTypeObject *dtype_type;
/* Filled by py_dtype_ready, each with a reference that is never dropped. */
static PyObject *dtype_objects[JG_DTYPE_COUNT];

static jg_dtype dtype_of(PyObject *self)
{
    return ((dtype_object *)self)->dtype;
}

PyObject *py_dtype_object(jg_dtype dtype)
{
    return Py_NewRef(dtype_objects[dtype]);
}

/* Python's own number types, by the dtypes that their numbers have in a list. Subclasses are no
 * dtypes. */
static bool from_python_type(PyObject *object, jg_dtype *out)
{
    const struct {
        PyTypeObject *type;
        jg_dtype dtype;
    } rows[] = {{&PyBool_Type, JG_DTYPE_BOOL},
                {&PyLong_Type, JG_DTYPE_INT64},
                {&PyFloat_Type, JG_DTYPE_FLOAT32},
                {&PyComplex_Type, JG_DTYPE_COMPLEX64}};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(rows); ++i)
        if (object == (PyObject *)rows[i].type) {
            *out = rows[i].dtype;
            return true;
        }
    return false;
}

/* The text that names a foreign dtype: NumPy's name, a NumPy scalar type's __name__, torch's str.
 * New reference; NULL without an exception if there is none. */
static PyObject *foreign_name(PyObject *object)
{
    PyObject *name = PyObject_GetAttrString(object, PyType_Check(object) ? "__name__" : "name");
    if (!name && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        name = PyObject_Str(object);
    }
    if (name && !PyUnicode_Check(name))
        Py_CLEAR(name);
    return name;
}

/* NumPy's short names: the letter of a kind and the bytes, "f8", with this machine's order of bytes
 * in front or without. */
static bool from_code(const char *text, jg_dtype *out)
{
    if (*text == '=' || *text == '|' || *text == (PY_LITTLE_ENDIAN ? '<' : '>'))
        ++text;
    if (*text == '\0' || text[1] < '1' || text[1] > '9' || strlen(text) > 3)
        return false;
    char *end;
    long bytes = strtol(text + 1, &end, 10);
    if (*end != '\0')
        return false;
    for (int kind = JG_KIND_BOOL; kind <= JG_KIND_COMPLEX; ++kind)
        if (text[0] == py_kind_letter((jg_dtype_kind)kind))
            return py_dtype_of_kind((jg_dtype_kind)kind, 8 * (int)bytes, out);
    return false;
}

/* str(torch.float32) is "torch.float32". The library's message about a name that it does not know
 * is replaced by the caller's, which has the object. */
static bool from_name(PyObject *name, jg_dtype *out)
{
    const char *text = PyUnicode_AsUTF8(name);
    if (!text) {
        PyErr_Clear();
        return false;
    }
    if (strncmp(text, "torch.", 6) == 0)
        text += 6;
    return from_code(text, out) || jg_dtype_from_name(text, out) == JG_OK;
}

bool py_dtype_by_name(PyObject *object, jg_dtype *out)
{
    if (Py_IS_TYPE(object, dtype_type)) {
        *out = dtype_of(object);
        return true;
    }
    if (PyUnicode_Check(object))
        return from_name(object, out);
    if (from_python_type(object, out))
        return true;
    PyObject *name = foreign_name(object);
    bool found = name && from_name(name, out);
    Py_XDECREF(name);
    return found;
}

/* The first character of an attribute that is a text: '\0' if there is none. gives: 0 or -1 */
static int character_of(PyObject *object, const char *attribute, char *out)
{
    PyObject *text = PyObject_GetAttrString(object, attribute);
    const char *characters = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL;
    *out = characters ? *characters : '\0';
    Py_XDECREF(text);
    return py_forget_missing();
}

/* Refuses a dtype of NumPy's that shares no more than the name: its elements have the other order
 * of bytes, or are C's long doubles, which NumPy calls float128. gives: 0 or -1 */
static int check_format(PyObject *object, jg_dtype named)
{
    char order, type;
    if (character_of(object, "byteorder", &order) < 0 || character_of(object, "char", &type) < 0)
        return -1;
    const char *why = NULL;
    if (order == (PY_LITTLE_ENDIAN ? '>' : '<'))
        why = "whose byte order is not this machine's";
    else if (named == JG_DTYPE_FLOAT128 && type == 'g')
        why = "C's long double";
    if (!why)
        return 0;
    PyErr_Format(PyExc_TypeError,
                 "dtype: got %R, %s, allowed are joggle's dtypes and names of them", object, why);
    return -1;
}

/* Sets the error for a text that names no dtype, with the names of those that are computed with.
 * gives: -1 */
static int fail_name(PyObject *text)
{
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; i <= JG_DTYPE_COMPLEX128 && used < sizeof names; ++i)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s, ", jg_dtype_name((jg_dtype)i));
    PyErr_Format(
        PyExc_TypeError,
        "dtype: got %R, which names no dtype, allowed are %sand DLPack's narrow ones, such "
        "as float8_e4m3fn",
        text, names);
    return -1;
}

int py_dtype_from(PyObject *object, jg_dtype *out)
{
    if (py_dtype_by_name(object, out)) {
        bool is_plain = Py_IS_TYPE(object, dtype_type) || PyUnicode_Check(object);
        return is_plain || PyType_Check(object) ? 0 : check_format(object, *out);
    }
    if (PyErr_Occurred())
        return -1;
    if (PyUnicode_Check(object))
        return fail_name(object);
    PyErr_Format(PyExc_TypeError, "dtype: got %R, allowed are joggle's dtypes and names of them",
                 object);
    return -1;
}

void py_dtype_widen(PyObject *object, jg_dtype own, jg_dtype *dtype)
{
    if (own != JG_DTYPE_FLOAT64 && own != JG_DTYPE_COMPLEX128)
        return;
    if (object == (PyObject *)&PyFloat_Type)
        *dtype = JG_DTYPE_FLOAT64;
    if (object == (PyObject *)&PyComplex_Type)
        *dtype = JG_DTYPE_COMPLEX128;
}

/* Whether the object is a type of numbers of NumPy or ml_dtypes, such as np.float32. Of Python's
 * types only bool counts, because float is float64 for NumPy and float32 here. */
static bool is_scalar_type(PyObject *object)
{
    if (object == (PyObject *)&PyBool_Type)
        return true;
    PyObject *module = PyType_Check(object) ? PyObject_GetAttrString(object, "__module__") : NULL;
    bool is = module && PyUnicode_Check(module) &&
              (PyUnicode_CompareWithASCIIString(module, "numpy") == 0 ||
               PyUnicode_CompareWithASCIIString(module, "ml_dtypes") == 0);
    Py_XDECREF(module);
    PyErr_Clear();
    return is;
}

/* A name and a type of NumPy's numbers are equal to the dtype, as they are to NumPy's. The == of
 * NumPy's dtypes handles the other order. */
static PyObject *dtype_compare(PyObject *self, PyObject *other, int op)
{
    jg_dtype named;
    bool equal = self == other;
    if (op != Py_EQ && op != Py_NE)
        Py_RETURN_NOTIMPLEMENTED;
    if (PyUnicode_Check(other) || is_scalar_type(other)) {
        PyObject *name = PyUnicode_Check(other) ? Py_NewRef(other) : foreign_name(other);
        equal = name && from_name(name, &named) && named == dtype_of(self);
        Py_XDECREF(name);
        if (PyErr_Occurred())
            return NULL;
    } else if (!Py_IS_TYPE(other, dtype_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return PyBool_FromLong(equal == (op == Py_EQ));
}

static Py_hash_t dtype_hash(PyObject *self)
{
    return dtype_of(self);
}

/* The expression that gives the dtype, with the module's full name. */
static PyObject *dtype_repr(PyObject *self)
{
    const char *module = py_process_is_mlx() ? "mlx.core" : "joggle";
    return PyUnicode_FromFormat("%s.%s", module, jg_dtype_name(dtype_of(self)));
}

static PyObject *dtype_name(PyObject *self, void *Py_UNUSED(closure))
{
    return PyUnicode_InternFromString(jg_dtype_name(dtype_of(self)));
}

static PyObject *dtype_itemsize(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong((jg_dtype_bits(dtype_of(self)) + 7) / 8);
}

static PyObject *dtype_bits(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(jg_dtype_bits(dtype_of(self)));
}

static PyObject *dtype_kind(PyObject *self, void *Py_UNUSED(closure))
{
    static const char *const names[JG_KIND_COUNT] = {
        [JG_KIND_BOOL] = "bool",   [JG_KIND_INT] = "int",         [JG_KIND_UINT] = "uint",
        [JG_KIND_FLOAT] = "float", [JG_KIND_COMPLEX] = "complex", [JG_KIND_OPAQUE] = "opaque",
    };
    return PyUnicode_InternFromString(names[jg_dtype_kind_of(dtype_of(self))]);
}

/* NumPy's letter for the kind, 'V' for what is only stored. xarray and Dask ask for it. */
static PyObject *dtype_letter(PyObject *self, void *Py_UNUSED(closure))
{
    char letter = py_kind_letter(jg_dtype_kind_of(dtype_of(self)));
    return PyUnicode_FromFormat("%c", letter ? letter : 'V');
}

/* The dtype of NumPy, or of ml_dtypes, with that name; np.dtype(jg.float32) reads it. NumPy has
 * been imported by then. */
static PyObject *dtype_numpy(PyObject *self, void *Py_UNUSED(closure))
{
    jg_dtype dtype = dtype_of(self);
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *names = numpy && !py_format_of(dtype) ? PyImport_ImportModule("ml_dtypes") : NULL;
    PyObject *named = NULL, *result = NULL;
    if (numpy && py_format_of(dtype))
        named = PyUnicode_FromString(jg_dtype_name(dtype));
    else if (names)
        named = PyObject_GetAttrString(names, jg_dtype_name(dtype));
    if (named)
        result = PyObject_CallMethod(numpy, "dtype", "O", named);
    else if (PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Format(PyExc_TypeError, "NumPy has no dtype for %s; use one that it has",
                     jg_dtype_name(dtype));
    Py_XDECREF(named);
    Py_XDECREF(names);
    Py_XDECREF(numpy);
    return result;
}

/* An attribute of NumPy's dtype; AttributeError where NumPy and ml_dtypes have none. Libraries that
 * take every dtype for NumPy's read them. closure: the attribute's name */
static PyObject *dtype_of_numpy(PyObject *self, void *closure)
{
    PyObject *dtype = dtype_numpy(self, NULL);
    PyObject *result = dtype ? PyObject_GetAttrString(dtype, closure) : NULL;
    Py_XDECREF(dtype);
    if (!result &&
        (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ImportError)))
        PyErr_Format(PyExc_AttributeError,
                     "'joggle.dtype' object has no attribute '%s': NumPy has no dtype for %s",
                     (const char *)closure, jg_dtype_name(dtype_of(self)));
    return result;
}

/* This machine's order, as NumPy writes it: bytes have none. */
static PyObject *dtype_byteorder(PyObject *self, void *Py_UNUSED(closure))
{
    return PyUnicode_FromString(jg_dtype_bits(dtype_of(self)) <= 8 ? "|" : "=");
}

static PyObject *dtype_isnative(PyObject *Py_UNUSED(self), void *Py_UNUSED(closure))
{
    Py_RETURN_TRUE;
}

/* Elements are numbers, so they have no fields. */
static PyObject *dtype_names(PyObject *Py_UNUSED(self), void *Py_UNUSED(closure))
{
    Py_RETURN_NONE;
}

/* A string tells pickle that the object is the module's global of that name, so unpickling gives
 * the same object. */
static PyObject *dtype_reduce(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return PyUnicode_FromString(jg_dtype_name(dtype_of(self)));
}

/* dtype("float32"), dtype(np.float32): the object for whatever names it. */
static PyObject *dtype_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"", NULL};
    PyObject *object;
    jg_dtype dtype;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:dtype", names, &object) ||
        py_dtype_from(object, &dtype) < 0)
        return NULL;
    return py_dtype_object(dtype);
}

static PyGetSetDef dtype_getset[] = {
    {"name", dtype_name, NULL, "The name, as NumPy or ml_dtypes spells it.", NULL},
    {"itemsize", dtype_itemsize, NULL, "Bytes of one element by itself.", NULL},
    {"size", dtype_itemsize, NULL, "The same, as MLX calls it.", NULL},
    {"kind", dtype_letter, NULL, "NumPy's letter for the kind, as 'f'.", NULL},
    {"type", dtype_of_numpy, NULL, "NumPy's type of scalars of this dtype.", "type"},
    {"char", dtype_of_numpy, NULL, "NumPy's character for this dtype, as 'd'.", "char"},
    {"num", dtype_of_numpy, NULL, "NumPy's number of this dtype.", "num"},
    {"str", dtype_of_numpy, NULL, "NumPy's text for this dtype, as '<f8'.", "str"},
    {"byteorder", dtype_byteorder, NULL, "'=', this machine's, or '|' for single bytes.", NULL},
    {"isnative", dtype_isnative, NULL, "True.", NULL},
    {"names", dtype_names, NULL, "None: there are no fields.", NULL},
    {"_kind", dtype_kind, NULL, "The kind that promotion goes by.", NULL},
    {"__numpy_dtype__", dtype_numpy, NULL, NULL, NULL},
    {"bits", dtype_bits, NULL, "Bits of one element.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef dtype_methods[] = {
    {"__reduce__", dtype_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot dtype_slots[] = {
    {Py_tp_doc, "dtype(name, /)\n--\n\nAn element type."},
    {Py_tp_new, dtype_new},
    {Py_tp_repr, dtype_repr},
    {Py_tp_richcompare, dtype_compare},
    {Py_tp_hash, dtype_hash},
    {Py_tp_getset, dtype_getset},
    {Py_tp_methods, dtype_methods},
    {0, NULL},
};

static PyType_Spec dtype_spec = {
    .name = "joggle.dtype",
    .basicsize = sizeof(dtype_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = dtype_slots,
};

int py_dtype_ready(PyObject *module)
{
    dtype_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &dtype_spec, NULL);
    if (!dtype_type || PyModule_AddObjectRef(module, "dtype", (PyObject *)dtype_type) < 0)
        return -1;
    for (int dtype = 0; dtype < JG_DTYPE_COUNT; ++dtype) {
        /* Made directly, as dtype_new only looks existing objects up. */
        dtype_object *self = PyObject_New(dtype_object, dtype_type);
        if (!self)
            return -1;
        self->dtype = (jg_dtype)dtype;
        dtype_objects[dtype] = (PyObject *)self;
        if (PyModule_AddObjectRef(module, jg_dtype_name((jg_dtype)dtype), (PyObject *)self) < 0)
            return -1;
    }
    return 0;
}
