/* SPDX-License-Identifier: Apache-2.0 */
/* Python's operators on arrays. Two arrays, or an array and a number, go straight to the op;
 * anything else is made an operand first, or left to the other side. x += y gives the handle x the
 * sum. */
#include "array/array.h"
#include "base/narrow.h"

/* 1 with *out set, 0 if one side is not an operand, -1. The exception is set before the operands
 * go, as letting them go may run code that fails and replaces the library's message. */
static int apply_mixed(PyObject *a, PyObject *b, py_binary_op *op, jg_array **out)
{
    py_operand x1, x2;
    int found = py_operands_from(a, b, PY_OPERATOR, &x1, &x2);
    if (found <= 0)
        return found;
    int made = py_is_narrow() ? py_operands_without_uint64(&x1, &x2) : 0;
    if (made == 0) {
        jg_status status = op(x1.array, x2.array, out);
        made = status == JG_OK ? 1 : (py_raise(status), -1);
    }
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return made;
}

/* 1 or -1. Neither making an array of a number nor building a node runs Python code, so arrays are
 * held without references. */
static inline int apply_arrays(PyObject *a, PyObject *b, py_binary_op *op, jg_array **out)
{
    jg_array *x1 = py_array_hold(a), *x2 = py_array_hold(b);
    jg_status status = op(x1, x2, out);
    py_array_drop(x1);
    py_array_drop(x2);
    return status == JG_OK ? 1 : (py_raise(status), -1);
}

/* The same of an array and a number, which may stand on the left. */
static int apply_number(PyObject *array, jg_number number, bool on_left, py_binary_op *op,
                        jg_array **out)
{
    jg_array *x = py_array_hold(array), *y = py_number_array(number, x);
    int made = -1;
    if (y) {
        jg_status status = on_left ? op(y, x, out) : op(x, y, out);
        made = status == JG_OK ? 1 : (py_raise(status), -1);
    }
    jg_array_release(y);
    py_array_drop(x);
    return made;
}

/* 1, 0 or -1 as above. One of the two is an array. */
static inline int apply_any(PyObject *a, PyObject *b, py_binary_op *op, jg_array **out)
{
    jg_number number;
    bool a_is_array = py_array_check(a);
    if (a_is_array && py_array_check(b))
        return apply_arrays(a, b, op, out);
    int is_number = py_number_from(a_is_array ? b : a, &number);
    if (is_number < 0)
        PyErr_Clear(); /* an int beyond 64 bits, which is a float beside floats */
    return is_number > 0 ? apply_number(a_is_array ? a : b, number, !a_is_array, op, out)
                         : apply_mixed(a, b, op, out);
}

static bool is_uint64(PyObject *object)
{
    if (!py_array_check(object))
        return false;
    jg_array *x = py_array_hold(object);
    bool is = jg_array_dtype(x) == JG_DTYPE_UINT64;
    py_array_drop(x);
    return is;
}

static const char *name_of(py_binary_op *op)
{
    static const struct {
        py_binary_op *op;
        const char *name;
    } names[] = {
        {jg_add, "add"},
        {jg_subtract, "subtract"},
        {jg_multiply, "multiply"},
        {jg_divide, "divide"},
        {jg_floor_divide, "floor_divide"},
        {jg_remainder, "remainder"},
        {jg_pow, "power"},
        {jg_matmul, "matmul"},
        {jg_bitwise_and, "bitwise_and"},
        {jg_bitwise_or, "bitwise_or"},
        {jg_bitwise_xor, "bitwise_xor"},
        {jg_bitwise_left_shift, "left_shift"},
        {jg_bitwise_right_shift, "right_shift"},
        {jg_less, "less"},
        {jg_less_equal, "less_equal"},
        {jg_greater, "greater"},
        {jg_greater_equal, "greater_equal"},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(names); ++i)
        if (names[i].op == op)
            return names[i].name;
    return "";
}

/* Computes the result of MLX for operands that the op has refused. 1 or -1. */
static int apply_otherwise(PyObject *a, PyObject *b, py_binary_op *op, jg_array **out)
{
    PyObject *result = py_mlx_otherwise(name_of(op), (PyObject *const[]){a, b}, 2);
    if (result)
        *out = py_array_retain(result);
    Py_XDECREF(result);
    return result ? 1 : -1;
}

/* With MLX's dtypes. */
static Py_NO_INLINE int apply_as_mlx(PyObject *a, PyObject *b, py_binary_op *op, jg_array **out)
{
    bool outer = py_narrow_enter();
    int made = is_uint64(a) || is_uint64(b) ? apply_mixed(a, b, op, out) : apply_any(a, b, op, out);
    py_narrow_leave(outer);
    return made < 0 ? apply_otherwise(a, b, op, out) : made;
}

static inline int apply(PyObject *a, PyObject *b, py_binary_op *op, jg_array **out)
{
    return py_process_is_mlx() ? apply_as_mlx(a, b, op, out) : apply_any(a, b, op, out);
}

static const char *operator_name(py_binary_op *op)
{
    return op == jg_equal ? "equal" : op == jg_not_equal ? "not_equal" : name_of(op);
}

/* a or b is ours: Python calls this for either side. */
static inline PyObject *binary(PyObject *a, PyObject *b, py_binary_op *op)
{
    jg_array *out;
    int made = apply(a, b, op, &out);
    if (made > 0)
        return py_array_wrap(out);
    return made == 0 ? py_operate(operator_name(op), a, b) : NULL;
}

PyObject *py_binary(PyObject *a, PyObject *b, py_binary_op *op)
{
    return binary(a, b, op);
}

/* Two results of one op, as a tuple. */
static PyObject *slot_divmod(PyObject *a, PyObject *b)
{
    py_operand x1, x2;
    jg_array_list out;
    int found = py_operands_from(a, b, PY_OPERATOR, &x1, &x2);
    if (found <= 0)
        return found == 0 ? py_operate("divmod", a, b) : NULL;
    jg_status status = jg_divmod(x1.array, x2.array, &out);
    PyObject *result = py_tuple_of(status, &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

/* Extents, without broadcasting. */
static bool same_shape(const jg_array *a, const jg_array *b)
{
    return jg_array_ndim(a) == jg_array_ndim(b) &&
           memcmp(jg_array_shape(a), jg_array_shape(b),
                  (size_t)jg_array_ndim(a) * sizeof(int64_t)) == 0;
}

/* Gives the array the dtype if it is of the same kind, as NumPy and PyTorch do: an int8 takes in an
 * int64, a float32 a float64. takes: *x on success */
static int narrow(jg_array **x, jg_dtype dtype)
{
    jg_dtype found = jg_array_dtype(*x);
    if (found == dtype)
        return 0;
    if (jg_dtype_kind_of(found) != jg_dtype_kind_of(dtype)) {
        PyErr_Format(PyExc_TypeError,
                     "in-place operator: the result is %s, allowed is the array's kind, %s",
                     jg_dtype_name(found), jg_dtype_name(dtype));
        return -1;
    }
    jg_array *narrowed;
    if (py_check(jg_astype(*x, dtype, &narrowed)) < 0)
        return -1;
    jg_array_release(*x);
    *x = narrowed;
    return 0;
}

/* Whether x may become the result in place. As the Array API has it, that changes neither x's dtype
 * nor its shape; in MLX it may, but no quotient replaces integers. *out may become
 * another array. */
static bool fits(const jg_array *x, py_binary_op *op, jg_array **out)
{
    jg_dtype_kind kind = jg_dtype_kind_of(jg_array_dtype(x));
    bool is_mlx = py_process_is_mlx();
    if (is_mlx && (op != jg_divide || kind == JG_KIND_FLOAT || kind == JG_KIND_COMPLEX))
        return true;
    if (is_mlx || same_shape(x, *out))
        return narrow(out, jg_array_dtype(x)) == 0;
    PyObject *got = py_shape_object(jg_array_ndim(*out), jg_array_shape(*out));
    PyObject *own = py_shape_object(jg_array_ndim(x), jg_array_shape(x));
    if (got && own)
        PyErr_Format(PyExc_ValueError,
                     "in-place operator: got an operand that broadcasts the array to %R, allowed "
                     "are shapes that broadcast to its own, %R",
                     got, own);
    Py_XDECREF(got);
    Py_XDECREF(own);
    return false;
}

/* The array is not written: the handle gets another one, and the library reuses the memory if there
 * are no other references. Where another thread gave it one meanwhile, that one is changed. */
static PyObject *inplace(PyObject *self, PyObject *other, py_binary_op *op)
{
    for (;;) {
        jg_array *x = py_array_retain(self), *out = NULL;
        int made = apply(self, other, op, &out);
        bool takes = made > 0 && fits(x, op, &out);
        bool done = takes && py_array_exchange(self, x, out);
        jg_array_release(x);
        if (done)
            return Py_NewRef(self);
        if (made == 0)
            return Py_NewRef(Py_NotImplemented);
        if (!takes) {
            jg_array_release(out);
            return py_mlx_refusal();
        }
    }
}

/* The operand is held alone: building a node runs no Python code. */
static PyObject *unary(PyObject *self, py_unary_op *op, const char *name)
{
    jg_array *x = py_array_hold(self), *out;
    jg_status status = op(x, &out);
    py_array_drop(x);
    if (status == JG_OK)
        return py_array_wrap(out);
    py_raise(status);
    return py_mlx_otherwise(name, &self, 1);
}

#define BINARY(op)                                                                                 \
    static PyObject *slot_##op(PyObject *a, PyObject *b)                                           \
    {                                                                                              \
        return binary(a, b, jg_##op);                                                              \
    }                                                                                              \
    static PyObject *inplace_##op(PyObject *self, PyObject *other)                                 \
    {                                                                                              \
        return inplace(self, other, jg_##op);                                                      \
    }
BINARY(add)
BINARY(subtract)
BINARY(multiply)
BINARY(divide)
BINARY(floor_divide)
BINARY(remainder)
BINARY(matmul)
BINARY(bitwise_and)
BINARY(bitwise_or)
BINARY(bitwise_xor)
BINARY(bitwise_left_shift)
BINARY(bitwise_right_shift)

/* pow(x, y, z) with a modulus is for Python's ints alone. */
static PyObject *slot_pow(PyObject *a, PyObject *b, PyObject *modulo)
{
    return modulo == Py_None ? binary(a, b, jg_pow) : Py_NewRef(Py_NotImplemented);
}

static PyObject *inplace_pow(PyObject *self, PyObject *other, PyObject *modulo)
{
    return modulo == Py_None ? inplace(self, other, jg_pow) : Py_NewRef(Py_NotImplemented);
}

#define UNARY(op)                                                                                  \
    static PyObject *slot_##op(PyObject *self)                                                     \
    {                                                                                              \
        return unary(self, jg_##op, #op);                                                          \
    }
UNARY(negative)
UNARY(positive)
UNARY(abs)
UNARY(bitwise_invert)

/* Elementwise, == too: whether two handles are the same object is `is`. */
static PyObject *compare(PyObject *a, PyObject *b, int operator)
{
    static py_binary_op *const ops[] = {
        [Py_LT] = jg_less,      [Py_LE] = jg_less_equal, [Py_EQ] = jg_equal,
        [Py_NE] = jg_not_equal, [Py_GT] = jg_greater,    [Py_GE] = jg_greater_equal,
    };
    return binary(a, b, ops[operator]);
}

/* An array of one element in any number of axes counts as its number. waits: for the value */
static int read_item(PyObject *self, jg_number *out)
{
    jg_array *x = py_array_retain(self);
    int status = -1;
    if (jg_array_size(x) != 1) {
        PyErr_Format(PyExc_TypeError,
                     "an array of %lld elements is not a number, allowed is one element",
                     (long long)jg_array_size(x));
        py_mlx_refusal();
    } else {
        status = py_item(x, out);
    }
    jg_array_release(x);
    return status;
}

/* if x: an array of one element, of any shape, counts as its value; NumPy's reason to refuse the
 * others holds here, too. */
static int slot_bool(PyObject *self)
{
    jg_array *x = py_array_retain(self);
    int64_t size = jg_array_size(x);
    jg_array_release(x);
    if (size != 1) {
        PyErr_Format(PyExc_ValueError,
                     "the truth value of an array of %lld elements is ambiguous, reduce it first",
                     (long long)size);
        return -1;
    }
    jg_number number;
    if (read_item(self, &number) < 0)
        return -1;
    /* The number is converted to Python's, whose rules for NaN and complex numbers apply. */
    PyObject *value = py_number_object(number);
    int truth = value ? PyObject_IsTrue(value) : -1;
    Py_XDECREF(value);
    return truth;
}

/* Complex is refused as Python's float() refuses it, also where the imaginary part is 0. */
static PyObject *slot_float(PyObject *self)
{
    jg_number number;
    if (read_item(self, &number) < 0)
        return NULL;
    if (number.kind == JG_KIND_COMPLEX) {
        PyErr_SetString(PyExc_TypeError, "float(x): got a complex number, allowed are real ones");
        return NULL;
    }
    PyObject *value = py_number_object(number), *result = value ? PyNumber_Float(value) : NULL;
    Py_XDECREF(value);
    return result;
}

static PyObject *slot_int(PyObject *self)
{
    jg_number number;
    if (read_item(self, &number) < 0)
        return NULL;
    PyObject *value = py_number_object(number), *result = value ? PyNumber_Long(value) : NULL;
    Py_XDECREF(value);
    return result;
}

/* Stricter than int(x), as Python uses the result as an exact count or index. */
static PyObject *slot_index(PyObject *self)
{
    jg_array *x = py_array_retain(self);
    jg_dtype_kind kind = jg_dtype_kind_of(jg_array_dtype(x));
    const char *dtype = jg_dtype_name(jg_array_dtype(x));
    int ndim = jg_array_ndim(x);
    bool fits = ndim == 0 && (kind == JG_KIND_INT || kind == JG_KIND_UINT);
    jg_array_release(x);
    if (fits)
        return slot_int(self);
    return PyErr_Format(PyExc_TypeError,
                        "an index: got an array of %s with %d axes, allowed are only 0-d arrays of "
                        "integers",
                        dtype, ndim);
}

PyType_Slot py_operator_slots[] = {
    {Py_nb_add, slot_add},
    {Py_nb_subtract, slot_subtract},
    {Py_nb_multiply, slot_multiply},
    {Py_nb_true_divide, slot_divide},
    {Py_nb_floor_divide, slot_floor_divide},
    {Py_nb_remainder, slot_remainder},
    {Py_nb_divmod, slot_divmod},
    {Py_nb_power, slot_pow},
    {Py_nb_matrix_multiply, slot_matmul},
    {Py_nb_and, slot_bitwise_and},
    {Py_nb_or, slot_bitwise_or},
    {Py_nb_xor, slot_bitwise_xor},
    {Py_nb_lshift, slot_bitwise_left_shift},
    {Py_nb_rshift, slot_bitwise_right_shift},
    {Py_nb_inplace_add, inplace_add},
    {Py_nb_inplace_subtract, inplace_subtract},
    {Py_nb_inplace_multiply, inplace_multiply},
    {Py_nb_inplace_true_divide, inplace_divide},
    {Py_nb_inplace_floor_divide, inplace_floor_divide},
    {Py_nb_inplace_remainder, inplace_remainder},
    {Py_nb_inplace_power, inplace_pow},
    {Py_nb_inplace_matrix_multiply, inplace_matmul},
    {Py_nb_inplace_and, inplace_bitwise_and},
    {Py_nb_inplace_or, inplace_bitwise_or},
    {Py_nb_inplace_xor, inplace_bitwise_xor},
    {Py_nb_inplace_lshift, inplace_bitwise_left_shift},
    {Py_nb_inplace_rshift, inplace_bitwise_right_shift},
    {Py_nb_negative, slot_negative},
    {Py_nb_positive, slot_positive},
    {Py_nb_absolute, slot_abs},
    {Py_nb_invert, slot_bitwise_invert},
    {Py_nb_bool, slot_bool},
    {Py_nb_float, slot_float},
    {Py_nb_int, slot_int},
    {Py_nb_index, slot_index},
    {Py_tp_richcompare, compare},
    {0, NULL},
};
