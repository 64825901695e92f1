/* SPDX-License-Identifier: Apache-2.0 */
/* call_FORM for each form of op: reads the arguments, calls the op, wraps the result. For ops.c.
 * Written by tools/optable.py from src/op/form.def. */
/* clang-format off */
static PyObject *call_UNARY(const char *name,
    jg_status (*op)(jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"x"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(op(x.array, &out), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_ATTRIBUTE(const char *name,
    jg_status (*op)(jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"x"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(op(x.array, &out), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_BINARY(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 2, {"x1", "x2"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand x1 = {0};
    py_operand x2 = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(op(x1.array, x2.array, &out), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

static PyObject *call_TERNARY(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 3, {"condition", "x1", "x2"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand condition = {0};
    py_operand x1 = {0};
    py_operand x2 = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &condition) > 0 &&
        py_operands_weak(2, (PyObject *[]){slots[1], slots[2]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(op(condition.array, x1.array, x2.array, &out), &out);
    py_operand_clear(&condition);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

static PyObject *call_REDUCTION(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"x", "axis", "keepdims"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    bool keepdims = false;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_axes(slots[1], &naxes, axes) < 0 ||
        py_flag(slots[2], &keepdims) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(op(x.array, naxes, axes, keepdims, &out), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_ADDMM(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, double, double, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 5, 3, {"c", "a", "b", "alpha", "beta"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    double alpha = 1.0;
    double beta = 1.0;
    py_operand c = {0};
    py_operand a = {0};
    py_operand b = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_double_argument("alpha", slots[3], &alpha) < 0 ||
        py_double_argument("beta", slots[4], &beta) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &c) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_from(slots[2], NULL, PY_FUNCTION, &b) > 0)
        result = result_of(op(c.array, a.array, b.array, alpha, beta, &out), &out);
    py_operand_clear(&c);
    py_operand_clear(&a);
    py_operand_clear(&b);
    return result;
}

static PyObject *call_TENSORDOT(const char *name,
    jg_status (*op)(jg_array *, jg_array *, int, const int64_t *, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"x1", "x2", "axes"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes = 2; int64_t axes[2][JG_MAX_NDIM]; bool is_count;
    py_operand x1 = {0};
    py_operand x2 = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_axis_pairs(slots[2], &naxes, axes, &is_count) < 0)
        return NULL;
    if (py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(op(x1.array, x2.array, naxes, is_count ? NULL : axes[0], is_count ? NULL : axes[1], &out), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

static PyObject *call_SOFTMAX(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_axes(slots[1], &naxes, axes) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(op(x.array, naxes, axes, &out), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_RMS_NORM(const char *name,
    jg_status (*op)(jg_array *, jg_array *, double, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 2, {"x", "weight", "eps"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    double eps = 0;
    py_operand x = {0};
    py_operand weight = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_double_argument("eps", slots[2], &eps) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_or_none(slots[1], &weight) == 0)
        result = result_of(op(x.array, weight.array, eps, &out), &out);
    py_operand_clear(&x);
    py_operand_clear(&weight);
    return result;
}

static PyObject *call_LAYER_NORM(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, double, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {4, 4, 3, {"x", "weight", "bias", "eps"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    double eps = 0;
    py_operand x = {0};
    py_operand weight = {0};
    py_operand bias = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_double_argument("eps", slots[3], &eps) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_or_none(slots[1], &weight) == 0 &&
        py_operand_or_none(slots[2], &bias) == 0)
        result = result_of(op(x.array, weight.array, bias.array, eps, &out), &out);
    py_operand_clear(&x);
    py_operand_clear(&weight);
    py_operand_clear(&bias);
    return result;
}

static PyObject *call_SCAN(const char *name,
    jg_status (*op)(jg_array *, const int64_t *, bool, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"x", "axis", "reverse", "inclusive"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value; const int64_t *axis;
    bool reverse = false;
    bool inclusive = true;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[1], &axis_value, &axis) < 0 ||
        py_flag(slots[2], &reverse) < 0 ||
        py_flag(slots[3], &inclusive) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(op(x.array, axis, reverse, inclusive, &out), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_SHAPED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 1, {"x", "shape"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int ndim; int64_t shape[JG_MAX_NDIM];
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (ndim = py_extents("shape", slots[1], -1, shape)) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(op(x.array, ndim, shape, &out), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_PERMUTED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "axes"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_axes(slots[1], &naxes, axes) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(op(x.array, naxes, axes, &out), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_SQUEEZED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_axes(slots[1], &naxes, axes) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(op(x.array, naxes, axes, &out), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_AXIS(const char *name,
    jg_status (*op)(jg_array *, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis = 0;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("axis", slots[1], &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(op(x.array, axis, &out), &out);
    py_operand_clear(&x);
    return result;
}
/* clang-format on */
