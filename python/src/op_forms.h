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
        result = result_of(py_called(name, op(x.array, &out)), &out);
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
        result = result_of(py_called(name, op(x.array, &out)), &out);
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
    if (py_operand_given("x1", slots[0]) &&
        py_operand_given("x2", slots[1]) &&
        py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(py_called(name, op(x1.array, x2.array, &out)), &out);
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
        py_operand_given("x1", slots[1]) &&
        py_operand_given("x2", slots[2]) &&
        py_operands_weak(2, (PyObject *[]){slots[1], slots[2]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(py_called(name, op(condition.array, x1.array, x2.array, &out)), &out);
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
        py_ints_or_none("axis", slots[1], &naxes, axes) < 0 ||
        py_flag(slots[2], &keepdims) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, naxes, axes, keepdims, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_ACCUMULATION(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, bool, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"x", "axis", "keepdims", "dtype"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    bool keepdims = false;
    jg_dtype dtype_value; const jg_dtype *dtype;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_ints_or_none("axis", slots[1], &naxes, axes) < 0 ||
        py_flag(slots[2], &keepdims) < 0 ||
        py_dtype_or_none(slots[3], &dtype_value, &dtype) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, naxes, axes, keepdims, dtype, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_ROUNDED(const char *name,
    jg_status (*op)(jg_array *, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "decimals"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t decimals = 0;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("decimals", slots[1], &decimals) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, decimals, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_SPREAD(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, bool, double, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"x", "axis", "keepdims", "correction"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    bool keepdims = false;
    double correction = 0.0;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_ints_or_none("axis", slots[1], &naxes, axes) < 0 ||
        py_flag(slots[2], &keepdims) < 0 ||
        py_double_argument("correction", slots[3], &correction) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, naxes, axes, keepdims, correction, &out)), &out);
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
        result = result_of(py_called(name, op(c.array, a.array, b.array, alpha, beta, &out)), &out);
    py_operand_clear(&c);
    py_operand_clear(&a);
    py_operand_clear(&b);
    return result;
}

static PyObject *call_VECDOT(const char *name,
    jg_status (*op)(jg_array *, jg_array *, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"x1", "x2", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis = -1;
    py_operand x1 = {0};
    py_operand x2 = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("axis", slots[2], &axis) < 0)
        return NULL;
    if (py_operand_given("x1", slots[0]) &&
        py_operand_given("x2", slots[1]) &&
        py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(py_called(name, op(x1.array, x2.array, axis, &out)), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
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
    if (py_operand_given("x1", slots[0]) &&
        py_operand_given("x2", slots[1]) &&
        py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(py_called(name, op(x1.array, x2.array, naxes, is_count ? NULL : axes[0], is_count ? NULL : axes[1], &out)), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

static PyObject *call_ATTENTION(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, double, jg_array *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {4, 6, 3, {"q", "k", "v", "scale", "mask", "causal"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    double scale = 0;
    bool causal = false;
    py_operand q = {0};
    py_operand k = {0};
    py_operand v = {0};
    py_operand mask = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_double_argument("scale", slots[3], &scale) < 0 ||
        py_flag(slots[5], &causal) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &q) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &k) > 0 &&
        py_operand_from(slots[2], NULL, PY_FUNCTION, &v) > 0 &&
        py_operand_or_none(slots[4], &mask) == 0)
        result = result_of(py_called(name, op(q.array, k.array, v.array, scale, mask.array, causal, &out)), &out);
    py_operand_clear(&q);
    py_operand_clear(&k);
    py_operand_clear(&v);
    py_operand_clear(&mask);
    return result;
}

static PyObject *call_QUANTIZE(const char *name,
    jg_status (*op)(jg_array *, const int64_t *, const int64_t *, const char *, jg_array *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 5, 1, {"w", "group_size", "bits", "mode", "global_scale"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    int64_t group_size_value = 0; const int64_t *group_size = NULL;
    int64_t bits_value = 0; const int64_t *bits = NULL;
    const char *mode = "affine";
    py_operand w = {0};
    py_operand global_scale = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("group_size", slots[1], &group_size_value, &group_size) < 0 ||
        py_int64_or_none("bits", slots[2], &bits_value, &bits) < 0 ||
        py_text("mode", slots[3], &mode) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &w) > 0 &&
        py_operand_or_none(slots[4], &global_scale) == 0)
        result = py_tuple_of(py_called(name, op(w.array, group_size, bits, mode, global_scale.array, &out)), &out);
    py_operand_clear(&w);
    py_operand_clear(&global_scale);
    return result;
}

static PyObject *call_DEQUANTIZE(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, const int64_t *, const int64_t *, const char *, jg_array *, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 8, 1, {"w", "scales", "biases", "group_size", "bits", "mode", "global_scale", "dtype"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t group_size_value = 0; const int64_t *group_size = NULL;
    int64_t bits_value = 0; const int64_t *bits = NULL;
    const char *mode = "affine";
    jg_dtype dtype_value; const jg_dtype *dtype;
    py_operand w = {0};
    py_operand scales = {0};
    py_operand biases = {0};
    py_operand global_scale = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("group_size", slots[3], &group_size_value, &group_size) < 0 ||
        py_int64_or_none("bits", slots[4], &bits_value, &bits) < 0 ||
        py_text("mode", slots[5], &mode) < 0 ||
        py_dtype_or_none(slots[7], &dtype_value, &dtype) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &w) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &scales) > 0 &&
        py_operand_or_none(slots[2], &biases) == 0 &&
        py_operand_or_none(slots[6], &global_scale) == 0)
        result = result_of(py_called(name, op(w.array, scales.array, biases.array, group_size, bits, mode, global_scale.array, dtype, &out)), &out);
    py_operand_clear(&w);
    py_operand_clear(&scales);
    py_operand_clear(&biases);
    py_operand_clear(&global_scale);
    return result;
}

static PyObject *call_QUANTIZED_MATMUL(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, jg_array *, bool, const int64_t *, const int64_t *, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 8, 2, {"x", "w", "scales", "biases", "transpose", "group_size", "bits", "mode"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool transpose = true;
    int64_t group_size_value = 0; const int64_t *group_size = NULL;
    int64_t bits_value = 0; const int64_t *bits = NULL;
    const char *mode = "affine";
    py_operand x = {0};
    py_operand w = {0};
    py_operand scales = {0};
    py_operand biases = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[4], &transpose) < 0 ||
        py_int64_or_none("group_size", slots[5], &group_size_value, &group_size) < 0 ||
        py_int64_or_none("bits", slots[6], &bits_value, &bits) < 0 ||
        py_text("mode", slots[7], &mode) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &w) > 0 &&
        py_operand_from(slots[2], NULL, PY_FUNCTION, &scales) > 0 &&
        py_operand_or_none(slots[3], &biases) == 0)
        result = result_of(py_called(name, op(x.array, w.array, scales.array, biases.array, transpose, group_size, bits, mode, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&w);
    py_operand_clear(&scales);
    py_operand_clear(&biases);
    return result;
}

static PyObject *call_GATHER_QMM(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, jg_array *, jg_array *, jg_array *, bool, const int64_t *, const int64_t *, const char *, jg_array *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 12, 2, {"x", "w", "scales", "biases", "lhs_indices", "rhs_indices", "transpose", "group_size", "bits", "mode", "global_scale", "sorted_indices"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool transpose = true;
    int64_t group_size_value = 0; const int64_t *group_size = NULL;
    int64_t bits_value = 0; const int64_t *bits = NULL;
    const char *mode = "affine";
    bool sorted_indices = false;
    py_operand x = {0};
    py_operand w = {0};
    py_operand scales = {0};
    py_operand biases = {0};
    py_operand lhs_indices = {0};
    py_operand rhs_indices = {0};
    py_operand global_scale = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[6], &transpose) < 0 ||
        py_int64_or_none("group_size", slots[7], &group_size_value, &group_size) < 0 ||
        py_int64_or_none("bits", slots[8], &bits_value, &bits) < 0 ||
        py_text("mode", slots[9], &mode) < 0 ||
        py_flag(slots[11], &sorted_indices) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &w) > 0 &&
        py_operand_from(slots[2], NULL, PY_FUNCTION, &scales) > 0 &&
        py_operand_or_none(slots[3], &biases) == 0 &&
        py_operand_or_none(slots[4], &lhs_indices) == 0 &&
        py_operand_or_none(slots[5], &rhs_indices) == 0 &&
        py_operand_or_none(slots[10], &global_scale) == 0)
        result = result_of(py_called(name, op(x.array, w.array, scales.array, biases.array, lhs_indices.array, rhs_indices.array, transpose, group_size, bits, mode, global_scale.array, sorted_indices, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&w);
    py_operand_clear(&scales);
    py_operand_clear(&biases);
    py_operand_clear(&lhs_indices);
    py_operand_clear(&rhs_indices);
    py_operand_clear(&global_scale);
    return result;
}

static PyObject *call_QQMM(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, const int64_t *, const int64_t *, const char *, jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 8, 2, {"x", "w", "scales", "group_size", "bits", "mode", "global_scale_x", "global_scale_w"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t group_size_value = 0; const int64_t *group_size = NULL;
    int64_t bits_value = 0; const int64_t *bits = NULL;
    const char *mode = "nvfp4";
    py_operand x = {0};
    py_operand w = {0};
    py_operand scales = {0};
    py_operand global_scale_x = {0};
    py_operand global_scale_w = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("group_size", slots[3], &group_size_value, &group_size) < 0 ||
        py_int64_or_none("bits", slots[4], &bits_value, &bits) < 0 ||
        py_text("mode", slots[5], &mode) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &w) > 0 &&
        py_operand_or_none(slots[2], &scales) == 0 &&
        py_operand_or_none(slots[6], &global_scale_x) == 0 &&
        py_operand_or_none(slots[7], &global_scale_w) == 0)
        result = result_of(py_called(name, op(x.array, w.array, scales.array, group_size, bits, mode, global_scale_x.array, global_scale_w.array, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&w);
    py_operand_clear(&scales);
    py_operand_clear(&global_scale_x);
    py_operand_clear(&global_scale_w);
    return result;
}

static PyObject *call_GATHER_QQMM(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, jg_array *, jg_array *, const int64_t *, const int64_t *, const char *, jg_array *, jg_array *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 11, 2, {"x", "w", "scales", "lhs_indices", "rhs_indices", "group_size", "bits", "mode", "global_scale_x", "global_scale_w", "sorted_indices"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t group_size_value = 0; const int64_t *group_size = NULL;
    int64_t bits_value = 0; const int64_t *bits = NULL;
    const char *mode = "nvfp4";
    bool sorted_indices = false;
    py_operand x = {0};
    py_operand w = {0};
    py_operand scales = {0};
    py_operand lhs_indices = {0};
    py_operand rhs_indices = {0};
    py_operand global_scale_x = {0};
    py_operand global_scale_w = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("group_size", slots[5], &group_size_value, &group_size) < 0 ||
        py_int64_or_none("bits", slots[6], &bits_value, &bits) < 0 ||
        py_text("mode", slots[7], &mode) < 0 ||
        py_flag(slots[10], &sorted_indices) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &w) > 0 &&
        py_operand_or_none(slots[2], &scales) == 0 &&
        py_operand_or_none(slots[3], &lhs_indices) == 0 &&
        py_operand_or_none(slots[4], &rhs_indices) == 0 &&
        py_operand_or_none(slots[8], &global_scale_x) == 0 &&
        py_operand_or_none(slots[9], &global_scale_w) == 0)
        result = result_of(py_called(name, op(x.array, w.array, scales.array, lhs_indices.array, rhs_indices.array, group_size, bits, mode, global_scale_x.array, global_scale_w.array, sorted_indices, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&w);
    py_operand_clear(&scales);
    py_operand_clear(&lhs_indices);
    py_operand_clear(&rhs_indices);
    py_operand_clear(&global_scale_x);
    py_operand_clear(&global_scale_w);
    return result;
}

static PyObject *call_HADAMARD(const char *name,
    jg_status (*op)(jg_array *, const double *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"a", "scale"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    double scale_value; const double *scale;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_double_or_none("scale", slots[1], &scale_value, &scale) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, scale, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_GATHER_MM(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, jg_array *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 5, 2, {"a", "b", "lhs_indices", "rhs_indices", "sorted_indices"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool sorted_indices = false;
    py_operand a = {0};
    py_operand b = {0};
    py_operand lhs_indices = {0};
    py_operand rhs_indices = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[4], &sorted_indices) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &b) > 0 &&
        py_operand_or_none(slots[2], &lhs_indices) == 0 &&
        py_operand_or_none(slots[3], &rhs_indices) == 0)
        result = result_of(py_called(name, op(a.array, b.array, lhs_indices.array, rhs_indices.array, sorted_indices, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&b);
    py_operand_clear(&lhs_indices);
    py_operand_clear(&rhs_indices);
    return result;
}

static PyObject *call_BLOCK_MASKED_MM(const char *name,
    jg_status (*op)(jg_array *, jg_array *, int64_t, jg_array *, jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 6, 2, {"a", "b", "block_size", "mask_out", "mask_lhs", "mask_rhs"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t block_size = 64;
    py_operand a = {0};
    py_operand b = {0};
    py_operand mask_out = {0};
    py_operand mask_lhs = {0};
    py_operand mask_rhs = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("block_size", slots[2], &block_size) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &b) > 0 &&
        py_operand_or_none(slots[3], &mask_out) == 0 &&
        py_operand_or_none(slots[4], &mask_lhs) == 0 &&
        py_operand_or_none(slots[5], &mask_rhs) == 0)
        result = result_of(py_called(name, op(a.array, b.array, block_size, mask_out.array, mask_lhs.array, mask_rhs.array, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&b);
    py_operand_clear(&mask_out);
    py_operand_clear(&mask_lhs);
    py_operand_clear(&mask_rhs);
    return result;
}

static PyObject *call_SEGMENTED_MM(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 2, {"a", "b", "segments"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand a = {0};
    py_operand b = {0};
    py_operand segments = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &b) > 0 &&
        py_operand_from(slots[2], NULL, PY_FUNCTION, &segments) > 0)
        result = result_of(py_called(name, op(a.array, b.array, segments.array, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&b);
    py_operand_clear(&segments);
    return result;
}

static PyObject *call_FROM_FP8(const char *name,
    jg_status (*op)(jg_array *, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "dtype"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    jg_dtype dtype_value; const jg_dtype *dtype;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_dtype_or_none(slots[1], &dtype_value, &dtype) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, dtype, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_RANDOM_KEY(const char *name,
    jg_status (*op)(int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 0, {"seed"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t seed = 0;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("seed", slots[0], &seed) < 0)
        return NULL;
    if (true)
        result = result_of(py_called(name, op(seed, &out)), &out);
    return result;
}

static PyObject *call_RANDOM_SPLIT(const char *name,
    jg_status (*op)(jg_array *, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"key", "num"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t num = 2;
    py_operand key = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("num", slots[1], &num) < 0)
        return NULL;
    if (py_operand_or_none(slots[0], &key) == 0)
        result = result_of(py_called(name, op(key.array, num, &out)), &out);
    py_operand_clear(&key);
    return result;
}

static PyObject *call_RANDOM_RANGE(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, int, const int64_t *, jg_dtype, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {5, 5, 3, {"key", "low", "high", "shape", "dtype"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int ndim; int64_t shape[JG_MAX_NDIM];
    jg_dtype dtype;
    py_operand key = {0};
    py_operand low = {0};
    py_operand high = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (ndim = py_extents("shape", slots[3], -1, shape)) < 0 ||
        py_dtype_from(slots[4], &dtype) < 0)
        return NULL;
    if (py_operand_or_none(slots[0], &key) == 0 &&
        py_operand_given("low", slots[1]) &&
        py_operand_given("high", slots[2]) &&
        py_operands_weak(2, (PyObject *[]){slots[1], slots[2]}, (py_operand *[]){&low, &high}) == 0)
        result = result_of(py_called(name, op(key.array, low.array, high.array, ndim, shape, dtype, &out)), &out);
    py_operand_clear(&key);
    py_operand_clear(&low);
    py_operand_clear(&high);
    return result;
}

static PyObject *call_RANDOM_SHAPE(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, jg_dtype, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 1, {"key", "shape", "dtype"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int ndim; int64_t shape[JG_MAX_NDIM];
    jg_dtype dtype;
    py_operand key = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (ndim = py_extents("shape", slots[1], -1, shape)) < 0 ||
        py_dtype_from(slots[2], &dtype) < 0)
        return NULL;
    if (py_operand_or_none(slots[0], &key) == 0)
        result = result_of(py_called(name, op(key.array, ndim, shape, dtype, &out)), &out);
    py_operand_clear(&key);
    return result;
}

static PyObject *call_RANDOM_CATEGORY(const char *name,
    jg_status (*op)(jg_array *, jg_array *, int64_t, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 4, 2, {"key", "logits", "axis", "num_samples"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis = -1;
    int64_t num_samples_value = 0; const int64_t *num_samples = NULL;
    py_operand key = {0};
    py_operand logits = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("axis", slots[2], &axis) < 0 ||
        py_int64_or_none("num_samples", slots[3], &num_samples_value, &num_samples) < 0)
        return NULL;
    if (py_operand_or_none(slots[0], &key) == 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &logits) > 0)
        result = result_of(py_called(name, op(key.array, logits.array, axis, num_samples, &out)), &out);
    py_operand_clear(&key);
    py_operand_clear(&logits);
    return result;
}

static PyObject *call_RANDOM_CHANCE(const char *name,
    jg_status (*op)(jg_array *, jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 2, {"key", "p", "shape"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int ndim; int64_t shape[JG_MAX_NDIM];
    py_operand key = {0};
    py_operand p = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (ndim = py_extents("shape", slots[2], -1, shape)) < 0)
        return NULL;
    if (py_operand_or_none(slots[0], &key) == 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &p) > 0)
        result = result_of(py_called(name, op(key.array, p.array, ndim, shape, &out)), &out);
    py_operand_clear(&key);
    py_operand_clear(&p);
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
        py_ints_or_none("axis", slots[1], &naxes, axes) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, naxes, axes, &out)), &out);
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
        result = result_of(py_called(name, op(x.array, weight.array, eps, &out)), &out);
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
        result = result_of(py_called(name, op(x.array, weight.array, bias.array, eps, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&weight);
    py_operand_clear(&bias);
    return result;
}

static PyObject *call_ROPE(const char *name,
    jg_status (*op)(jg_array *, int64_t, bool, const double *, double, jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {6, 7, 1, {"a", "dims", "traditional", "base", "scale", "offset", "freqs"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t dims = 0;
    bool traditional = 0;
    double base_value; const double *base;
    double scale = 0;
    py_operand a = {0};
    py_operand offset = {0};
    py_operand freqs = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("dims", slots[1], &dims) < 0 ||
        py_flag(slots[2], &traditional) < 0 ||
        py_double_or_none("base", slots[3], &base_value, &base) < 0 ||
        py_double_argument("scale", slots[4], &scale) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_from(slots[5], NULL, PY_FUNCTION, &offset) > 0 &&
        py_operand_or_none(slots[6], &freqs) == 0)
        result = result_of(py_called(name, op(a.array, dims, traditional, base, scale, offset.array, freqs.array, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&offset);
    py_operand_clear(&freqs);
    return result;
}

static PyObject *call_CROSS_ENTROPY(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 2, {"logits", "targets"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand logits = {0};
    py_operand targets = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &logits) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &targets) > 0)
        result = result_of(py_called(name, op(logits.array, targets.array, &out)), &out);
    py_operand_clear(&logits);
    py_operand_clear(&targets);
    return result;
}

static PyObject *call_RUNNING(const char *name,
    jg_status (*op)(jg_array *, const int64_t *, bool, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"x", "axis", "reverse", "inclusive"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = 0; const int64_t *axis = NULL;
    bool reverse = false;
    bool inclusive = true;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[1], &axis_value, &axis) < 0 ||
        py_flag(slots[2], &reverse) < 0 ||
        py_flag(slots[3], &inclusive) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, axis, reverse, inclusive, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_RUNNING_SUM(const char *name,
    jg_status (*op)(jg_array *, const int64_t *, bool, bool, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 5, 1, {"x", "axis", "reverse", "inclusive", "dtype"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = 0; const int64_t *axis = NULL;
    bool reverse = false;
    bool inclusive = true;
    jg_dtype dtype_value; const jg_dtype *dtype;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[1], &axis_value, &axis) < 0 ||
        py_flag(slots[2], &reverse) < 0 ||
        py_flag(slots[3], &inclusive) < 0 ||
        py_dtype_or_none(slots[4], &dtype_value, &dtype) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, axis, reverse, inclusive, dtype, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_CUMULATIVE(const char *name,
    jg_status (*op)(jg_array *, const int64_t *, const jg_dtype *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"x", "axis", "dtype", "include_initial"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = 0; const int64_t *axis = NULL;
    jg_dtype dtype_value; const jg_dtype *dtype;
    bool include_initial = false;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[1], &axis_value, &axis) < 0 ||
        py_dtype_or_none(slots[2], &dtype_value, &dtype) < 0 ||
        py_flag(slots[3], &include_initial) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, axis, dtype, include_initial, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_DIFFERENCE(const char *name,
    jg_status (*op)(jg_array *, int64_t, int64_t, jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 5, 1, {"x", "n", "axis", "prepend", "append"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t n = 1;
    int64_t axis = -1;
    py_operand x = {0};
    py_operand prepend = {0};
    py_operand append = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("n", slots[1], &n) < 0 ||
        py_int64_argument("axis", slots[2], &axis) < 0)
        return NULL;
    if (py_operand_given("x", slots[0]) &&
        py_operands_weak(3, (PyObject *[]){slots[0], slots[3], slots[4]}, (py_operand *[]){&x, &prepend, &append}) == 0)
        result = result_of(py_called(name, op(x.array, n, axis, prepend.array, append.array, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&prepend);
    py_operand_clear(&append);
    return result;
}

static PyObject *call_GATHER(const char *name,
    jg_status (*op)(jg_array *, int, jg_array *const *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 2, {"x", "indices", "axes"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes = 0; int64_t axes[JG_MAX_NDIM] = {0};
    py_operand x = {0};
    py_operand_list indices = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[2] ? naxes = py_extents("axes", slots[2], INT64_MIN, axes) : 0) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_list_from("indices", slots[1], &indices) == 0)
        result = result_of(py_called(name, op(x.array, indices.count, indices.arrays, naxes, axes, &out)), &out);
    py_operand_clear(&x);
    py_operand_list_clear(&indices);
    return result;
}

static PyObject *call_TAKE(const char *name,
    jg_status (*op)(jg_array *, jg_array *, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"x", "indices", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = 0; const int64_t *axis = NULL;
    py_operand x = {0};
    py_operand indices = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[2], &axis_value, &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &indices) > 0)
        result = result_of(py_called(name, op(x.array, indices.array, axis, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&indices);
    return result;
}

static PyObject *call_TAKE_ALONG(const char *name,
    jg_status (*op)(jg_array *, jg_array *, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"x", "indices", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = -1; const int64_t *axis = &axis_value;
    py_operand x = {0};
    py_operand indices = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[2], &axis_value, &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &indices) > 0)
        result = result_of(py_called(name, op(x.array, indices.array, axis, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&indices);
    return result;
}

static PyObject *call_SCATTER(const char *name,
    jg_status (*op)(jg_array *, int, jg_array *const *, jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {4, 4, 3, {"x", "indices", "updates", "axes"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes = 0; int64_t axes[JG_MAX_NDIM] = {0};
    py_operand x = {0};
    py_operand_list indices = {0};
    py_operand updates = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[3] ? naxes = py_extents("axes", slots[3], INT64_MIN, axes) : 0) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_list_from("indices", slots[1], &indices) == 0 &&
        py_operand_from(slots[2], NULL, PY_FUNCTION, &updates) > 0)
        result = result_of(py_called(name, op(x.array, indices.count, indices.arrays, updates.array, naxes, axes, &out)), &out);
    py_operand_clear(&x);
    py_operand_list_clear(&indices);
    py_operand_clear(&updates);
    return result;
}

static PyObject *call_PUT_ALONG(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 4, 3, {"x", "indices", "values", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = 0; const int64_t *axis = NULL;
    py_operand x = {0};
    py_operand indices = {0};
    py_operand values = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[3], &axis_value, &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &indices) > 0 &&
        py_operand_from(slots[2], NULL, PY_FUNCTION, &values) > 0)
        result = result_of(py_called(name, op(x.array, indices.array, values.array, axis, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&indices);
    py_operand_clear(&values);
    return result;
}

static PyObject *call_COMPRESS(const char *name,
    jg_status (*op)(jg_array *, jg_array *, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"condition", "x", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = 0; const int64_t *axis = NULL;
    py_operand condition = {0};
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[2], &axis_value, &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &condition) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(condition.array, x.array, axis, &out)), &out);
    py_operand_clear(&condition);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_EXTRACT(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 2, {"condition", "x"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand condition = {0};
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &condition) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(condition.array, x.array, &out)), &out);
    py_operand_clear(&condition);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_TRUE_INDICES(const char *name,
    jg_status (*op)(jg_array *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"x"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = py_tuple_of(py_called(name, op(x.array, &out)), &out);
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
        result = result_of(py_called(name, op(x.array, ndim, shape, &out)), &out);
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
        py_ints_or_none("axes", slots[1], &naxes, axes) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, naxes, axes, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_OVER_AXES(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_ints_or_none("axis", slots[1], &naxes, axes) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, naxes, axes, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_WIDENED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxis = 1; int64_t axis[JG_MAX_NDIM] = {0};
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[1] ? naxis = py_extents("axis", slots[1], INT64_MIN, axis) : 0) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, naxis, axis, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_SWAPPED(const char *name,
    jg_status (*op)(jg_array *, int64_t, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 1, {"x", "axis1", "axis2"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis1 = 0;
    int64_t axis2 = 0;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("axis1", slots[1], &axis1) < 0 ||
        py_int64_argument("axis2", slots[2], &axis2) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, axis1, axis2, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_MOVED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 1, {"x", "source", "destination"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int nsource = 0; int64_t source[JG_MAX_NDIM] = {0};
    int ndestination = 0; int64_t destination[JG_MAX_NDIM] = {0};
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[1] ? nsource = py_extents("source", slots[1], INT64_MIN, source) : 0) < 0 ||
        (slots[2] ? ndestination = py_extents("destination", slots[2], INT64_MIN, destination) : 0) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, nsource, source, ndestination, destination, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_ROTATED(const char *name,
    jg_status (*op)(jg_array *, int64_t, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"x", "k", "axes"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t k = 1;
    int naxes = 2; int64_t axes[JG_MAX_NDIM] = {0, 1};
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("k", slots[1], &k) < 0 ||
        (slots[2] ? naxes = py_extents("axes", slots[2], INT64_MIN, axes) : 0) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, k, naxes, axes, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_FLATTENED(const char *name,
    jg_status (*op)(jg_array *, int64_t, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"x", "start_axis", "end_axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t start_axis = 0;
    int64_t end_axis = -1;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("start_axis", slots[1], &start_axis) < 0 ||
        py_int64_argument("end_axis", slots[2], &end_axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, start_axis, end_axis, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_UNFLATTENED(const char *name,
    jg_status (*op)(jg_array *, int64_t, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 1, {"x", "axis", "shape"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis = 0;
    int ndim; int64_t shape[JG_MAX_NDIM];
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("axis", slots[1], &axis) < 0 ||
        (ndim = py_extents("shape", slots[2], -1, shape)) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, axis, ndim, shape, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_DIAGONAL(const char *name,
    jg_status (*op)(jg_array *, int64_t, int64_t, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"x", "offset", "axis1", "axis2"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t offset = 0;
    int64_t axis1 = 0;
    int64_t axis2 = 1;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_offset_argument("offset", slots[1], &offset) < 0 ||
        py_int64_argument("axis1", slots[2], &axis1) < 0 ||
        py_int64_argument("axis2", slots[3], &axis2) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, offset, axis1, axis2, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_TRACE(const char *name,
    jg_status (*op)(jg_array *, int64_t, int64_t, int64_t, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 5, 1, {"x", "offset", "axis1", "axis2", "dtype"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t offset = 0;
    int64_t axis1 = 0;
    int64_t axis2 = 1;
    jg_dtype dtype_value; const jg_dtype *dtype;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_offset_argument("offset", slots[1], &offset) < 0 ||
        py_int64_argument("axis1", slots[2], &axis1) < 0 ||
        py_int64_argument("axis2", slots[3], &axis2) < 0 ||
        py_dtype_or_none(slots[4], &dtype_value, &dtype) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, offset, axis1, axis2, dtype, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_STRIDED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, int, const int64_t *, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"x", "shape", "strides", "offset"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int nshape; int64_t shape[JG_MAX_NDIM];
    int nstrides; int64_t strides[JG_MAX_NDIM];
    int64_t offset = 0;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_ints_or_none("shape", slots[1], &nshape, shape) < 0 ||
        py_ints_or_none("strides", slots[2], &nstrides, strides) < 0 ||
        py_int64_argument("offset", slots[3], &offset) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, nshape, shape, nstrides, strides, offset, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_BITCAST(const char *name,
    jg_status (*op)(jg_array *, jg_dtype, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 1, {"x", "dtype"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    jg_dtype dtype;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_dtype_from(slots[1], &dtype) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, dtype, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_SPLIT(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, int64_t, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 1, {"x", "indices_or_sections", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    int64_t axis = 0;
    py_operand x = {0};
    py_cuts indices_or_sections = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("axis", slots[2], &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_cuts_from("indices_or_sections", slots[1], &indices_or_sections) == 0)
        result = py_list_of(py_called(name, op(x.array, indices_or_sections.count, indices_or_sections.values, axis, &out)), &out);
    py_operand_clear(&x);
    py_cuts_clear(&indices_or_sections);
    return result;
}

static PyObject *call_UNSTACKED(const char *name,
    jg_status (*op)(jg_array *, int64_t, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    int64_t axis = 0;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("axis", slots[1], &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = py_tuple_of(py_called(name, op(x.array, axis, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_EACH_TUPLE(const char *name,
    jg_status (*op)(int, jg_array *const *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {0, 1, 1, {"arrays"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand_list arrays = {0};
    if (py_arguments(name, &signature, args + nargs, 0, kwnames, slots) < 0)
        return NULL;
    if (py_operand_list_each(args, nargs, &arrays) == 0)
        result = py_tuple_of(py_called(name, op(arrays.count, arrays.arrays, &out)), &out);
    py_operand_list_clear(&arrays);
    return result;
}

static PyObject *call_AT_LEAST(const char *name,
    jg_status (*op)(int, jg_array *const *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {0, 1, 1, {"arrays"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand_list arrays = {0};
    if (py_arguments(name, &signature, args + nargs, 0, kwnames, slots) < 0)
        return NULL;
    if (py_operand_list_each(args, nargs, &arrays) == 0)
        result = py_one_or_tuple_of(py_called(name, op(arrays.count, arrays.arrays, &out)), &out);
    py_operand_list_clear(&arrays);
    return result;
}

static PyObject *call_GRID(const char *name,
    jg_status (*op)(int, jg_array *const *, bool, const char *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {0, 3, 1, {"arrays", "sparse", "indexing"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    bool sparse = false;
    const char *indexing = "xy";
    py_operand_list arrays = {0};
    if (py_arguments(name, &signature, args + nargs, 0, kwnames, slots) < 0 ||
        py_flag(slots[1], &sparse) < 0 ||
        py_text("indexing", slots[2], &indexing) < 0)
        return NULL;
    if (py_operand_list_each(args, nargs, &arrays) == 0)
        result = py_tuple_of(py_called(name, op(arrays.count, arrays.arrays, sparse, indexing, &out)), &out);
    py_operand_list_clear(&arrays);
    return result;
}

static PyObject *call_JOINED(const char *name,
    jg_status (*op)(int, jg_array *const *, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"arrays", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = 0; const int64_t *axis = &axis_value;
    py_operand_list arrays = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[1], &axis_value, &axis) < 0)
        return NULL;
    if (py_operand_list_from("arrays", slots[0], &arrays) == 0)
        result = result_of(py_called(name, op(arrays.count, arrays.arrays, axis, &out)), &out);
    py_operand_list_clear(&arrays);
    return result;
}

static PyObject *call_STACKED(const char *name,
    jg_status (*op)(int, jg_array *const *, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"arrays", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis = 0;
    py_operand_list arrays = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("axis", slots[1], &axis) < 0)
        return NULL;
    if (py_operand_list_from("arrays", slots[0], &arrays) == 0)
        result = result_of(py_called(name, op(arrays.count, arrays.arrays, axis, &out)), &out);
    py_operand_list_clear(&arrays);
    return result;
}

static PyObject *call_SEVERAL(const char *name,
    jg_status (*op)(int, jg_array *const *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"arrays"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand_list arrays = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_list_from("arrays", slots[0], &arrays) == 0)
        result = result_of(py_called(name, op(arrays.count, arrays.arrays, &out)), &out);
    py_operand_list_clear(&arrays);
    return result;
}

static PyObject *call_PADDED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, const char *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 4, 1, {"x", "pad_width", "mode", "constant_values"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int npad_width; int64_t pad_width[2 * JG_MAX_NDIM];
    const char *mode = "constant";
    py_operand x = {0};
    py_operand constant_values = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (npad_width = py_pairs("pad_width", slots[1], pad_width)) < 0 ||
        py_text("mode", slots[2], &mode) < 0)
        return NULL;
    if (py_operand_given("x", slots[0]) &&
        py_operands_weak(2, (PyObject *[]){slots[0], slots[3]}, (py_operand *[]){&x, &constant_values}) == 0)
        result = result_of(py_called(name, op(x.array, npad_width, pad_width, mode, constant_values.array, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&constant_values);
    return result;
}

static PyObject *call_ROLLED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 1, {"x", "shift", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int nshift = 0; int64_t shift[JG_MAX_NDIM] = {0};
    int naxes; int64_t axes[JG_MAX_NDIM];
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[1] ? nshift = py_extents("shift", slots[1], INT64_MIN, shift) : 0) < 0 ||
        py_ints_or_none("axis", slots[2], &naxes, axes) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, nshift, shift, naxes, axes, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_TILED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 1, {"x", "repetitions"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int nrepetitions = 0; int64_t repetitions[JG_MAX_NDIM] = {0};
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[1] ? nrepetitions = py_extents("repetitions", slots[1], INT64_MIN, repetitions) : 0) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, nrepetitions, repetitions, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_REPEATED(const char *name,
    jg_status (*op)(jg_array *, jg_array *, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"x", "repeats", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = 0; const int64_t *axis = NULL;
    py_operand x = {0};
    py_operand repeats = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[2], &axis_value, &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &repeats) > 0)
        result = result_of(py_called(name, op(x.array, repeats.array, axis, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&repeats);
    return result;
}

static PyObject *call_DIVISION(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 2, {"x1", "x2"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand x1 = {0};
    py_operand x2 = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_given("x1", slots[0]) &&
        py_operand_given("x2", slots[1]) &&
        py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = py_tuple_of(py_called(name, op(x1.array, x2.array, &out)), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

static PyObject *call_DECOMPOSED(const char *name,
    jg_status (*op)(jg_array *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"x"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = py_tuple_of(py_called(name, op(x.array, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_SCALED(const char *name,
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
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x1) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &x2) > 0)
        result = result_of(py_called(name, op(x1.array, x2.array, &out)), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

static PyObject *call_CLIP(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"x", "min", "max"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand x = {0};
    py_operand min = {0};
    py_operand max = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_given("x", slots[0]) &&
        py_operands_weak(3, (PyObject *[]){slots[0], slots[1], slots[2]}, (py_operand *[]){&x, &min, &max}) == 0)
        result = result_of(py_called(name, op(x.array, min.array, max.array, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&min);
    py_operand_clear(&max);
    return result;
}

static PyObject *call_CLOSENESS(const char *name,
    jg_status (*op)(jg_array *, jg_array *, double, double, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 5, 2, {"x1", "x2", "rtol", "atol", "equal_nan"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    double rtol = 1e-05;
    double atol = 1e-08;
    bool equal_nan = false;
    py_operand x1 = {0};
    py_operand x2 = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_double_argument("rtol", slots[2], &rtol) < 0 ||
        py_double_argument("atol", slots[3], &atol) < 0 ||
        py_flag(slots[4], &equal_nan) < 0)
        return NULL;
    if (py_operand_given("x1", slots[0]) &&
        py_operand_given("x2", slots[1]) &&
        py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(py_called(name, op(x1.array, x2.array, rtol, atol, equal_nan, &out)), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

static PyObject *call_EQUALITY(const char *name,
    jg_status (*op)(jg_array *, jg_array *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"x1", "x2", "equal_nan"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool equal_nan = false;
    py_operand x1 = {0};
    py_operand x2 = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[2], &equal_nan) < 0)
        return NULL;
    if (py_operand_given("x1", slots[0]) &&
        py_operand_given("x2", slots[1]) &&
        py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(py_called(name, op(x1.array, x2.array, equal_nan, &out)), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

static PyObject *call_EXTREMA(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, bool, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"x", "axis", "keepdims"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    bool keepdims = false;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_ints_or_none("axis", slots[1], &naxes, axes) < 0 ||
        py_flag(slots[2], &keepdims) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = py_tuple_of(py_called(name, op(x.array, naxes, axes, keepdims, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_REPLACEMENT(const char *name,
    jg_status (*op)(jg_array *, double, const double *, const double *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"x", "nan", "posinf", "neginf"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    double nan = 0.0;
    double posinf_value; const double *posinf;
    double neginf_value; const double *neginf;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_double_argument("nan", slots[1], &nan) < 0 ||
        py_double_or_none("posinf", slots[2], &posinf_value, &posinf) < 0 ||
        py_double_or_none("neginf", slots[3], &neginf_value, &neginf) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, nan, posinf, neginf, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_EYE(const char *name,
    jg_status (*op)(int64_t, const int64_t *, int64_t, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 0, {"n_rows", "n_cols", "k", "dtype", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t n_rows = 0;
    int64_t n_cols_value = 0; const int64_t *n_cols = NULL;
    int64_t k = 0;
    jg_dtype dtype_value; const jg_dtype *dtype;
    jg_device_id device;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("n_rows", slots[0], &n_rows) < 0 ||
        py_int64_or_none("n_cols", slots[1], &n_cols_value, &n_cols) < 0 ||
        py_offset_argument("k", slots[2], &k) < 0 ||
        py_dtype_or_none(slots[3], &dtype_value, &dtype) < 0 ||
        py_device_from(slots[4], &device) < 0)
        return NULL;
    if (true)
        result = result_of(py_called(name, op(n_rows, n_cols, k, dtype, &out)), &out);
    return result;
}

static PyObject *call_IDENTITY(const char *name,
    jg_status (*op)(int64_t, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 0, {"n", "dtype", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t n = 0;
    jg_dtype dtype_value; const jg_dtype *dtype;
    jg_device_id device;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("n", slots[0], &n) < 0 ||
        py_dtype_or_none(slots[1], &dtype_value, &dtype) < 0 ||
        py_device_from(slots[2], &device) < 0)
        return NULL;
    if (true)
        result = result_of(py_called(name, op(n, dtype, &out)), &out);
    return result;
}

static PyObject *call_LINSPACE(const char *name,
    jg_status (*op)(double, double, int64_t, bool, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 5, 0, {"start", "stop", "num", "endpoint", "dtype", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    double start = 0;
    double stop = 0;
    int64_t num = 50;
    bool endpoint = true;
    jg_dtype dtype_value; const jg_dtype *dtype;
    jg_device_id device;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_double_argument("start", slots[0], &start) < 0 ||
        py_double_argument("stop", slots[1], &stop) < 0 ||
        py_int64_argument("num", slots[2], &num) < 0 ||
        py_flag(slots[3], &endpoint) < 0 ||
        py_dtype_or_none(slots[4], &dtype_value, &dtype) < 0 ||
        py_device_from(slots[5], &device) < 0)
        return NULL;
    if (true)
        result = result_of(py_called(name, op(start, stop, num, endpoint, dtype, &out)), &out);
    return result;
}

static PyObject *call_LOGSPACE(const char *name,
    jg_status (*op)(double, double, int64_t, bool, double, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 6, 0, {"start", "stop", "num", "endpoint", "base", "dtype", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    double start = 0;
    double stop = 0;
    int64_t num = 50;
    bool endpoint = true;
    double base = 10.0;
    jg_dtype dtype_value; const jg_dtype *dtype;
    jg_device_id device;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_double_argument("start", slots[0], &start) < 0 ||
        py_double_argument("stop", slots[1], &stop) < 0 ||
        py_int64_argument("num", slots[2], &num) < 0 ||
        py_flag(slots[3], &endpoint) < 0 ||
        py_double_argument("base", slots[4], &base) < 0 ||
        py_dtype_or_none(slots[5], &dtype_value, &dtype) < 0 ||
        py_device_from(slots[6], &device) < 0)
        return NULL;
    if (true)
        result = result_of(py_called(name, op(start, stop, num, endpoint, base, dtype, &out)), &out);
    return result;
}

static PyObject *call_WINDOW(const char *name,
    jg_status (*op)(int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 0, {"M"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t M = 0;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("M", slots[0], &M) < 0)
        return NULL;
    if (true)
        result = result_of(py_called(name, op(M, &out)), &out);
    return result;
}

static PyObject *call_POWERS(const char *name,
    jg_status (*op)(jg_array *, const int64_t *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"x", "N", "increasing"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t N_value = 0; const int64_t *N = NULL;
    bool increasing = false;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("N", slots[1], &N_value, &N) < 0 ||
        py_flag(slots[2], &increasing) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, N, increasing, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_TRIANGLE(const char *name,
    jg_status (*op)(jg_array *, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "k"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t k = 0;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_offset_argument("k", slots[1], &k) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, k, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_EXTREMUM_INDEX(const char *name,
    jg_status (*op)(jg_array *, const int64_t *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"x", "axis", "keepdims"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = 0; const int64_t *axis = NULL;
    bool keepdims = false;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[1], &axis_value, &axis) < 0 ||
        py_flag(slots[2], &keepdims) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, axis, keepdims, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_CONVOLUTION(const char *name,
    jg_status (*op)(jg_array *, jg_array *, int, const int64_t *, int, const int64_t *, const int64_t *, int, const int64_t *, int64_t, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 7, 2, {"input", "weight", "stride", "padding", "dilation", "groups", "data_format"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int nstride = 1; int64_t stride[JG_MAX_NDIM] = {1};
    int npadding = 1; int64_t padding_low[JG_MAX_NDIM] = {0}, padding_high[JG_MAX_NDIM] = {0};
    int ndilation = 1; int64_t dilation[JG_MAX_NDIM] = {1};
    int64_t groups = 1;
    const char *data_format = "channels_last";
    py_operand input = {0};
    py_operand weight = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[2] ? nstride = py_extents("stride", slots[2], INT64_MIN, stride) : 0) < 0 ||
        (slots[3] ? npadding = py_sides("padding", slots[3], padding_low, padding_high) : 0) < 0 ||
        (slots[4] ? ndilation = py_extents("dilation", slots[4], INT64_MIN, dilation) : 0) < 0 ||
        py_int64_argument("groups", slots[5], &groups) < 0 ||
        py_text("data_format", slots[6], &data_format) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &input) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &weight) > 0)
        result = result_of(py_called(name, op(input.array, weight.array, nstride, stride, npadding, padding_low, padding_high, ndilation, dilation, groups, data_format, &out)), &out);
    py_operand_clear(&input);
    py_operand_clear(&weight);
    return result;
}

static PyObject *call_CONVOLUTION_ANY(const char *name,
    jg_status (*op)(jg_array *, jg_array *, int, const int64_t *, int, const int64_t *, const int64_t *, int, const int64_t *, int, const int64_t *, int64_t, bool, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 9, 2, {"input", "weight", "stride", "padding", "kernel_dilation", "input_dilation", "groups", "flip", "data_format"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int nstride = 1; int64_t stride[JG_MAX_NDIM] = {1};
    int npadding = 1; int64_t padding_low[JG_MAX_NDIM] = {0}, padding_high[JG_MAX_NDIM] = {0};
    int nkernel_dilation = 1; int64_t kernel_dilation[JG_MAX_NDIM] = {1};
    int ninput_dilation = 1; int64_t input_dilation[JG_MAX_NDIM] = {1};
    int64_t groups = 1;
    bool flip = false;
    const char *data_format = "channels_last";
    py_operand input = {0};
    py_operand weight = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[2] ? nstride = py_extents("stride", slots[2], INT64_MIN, stride) : 0) < 0 ||
        (slots[3] ? npadding = py_sides("padding", slots[3], padding_low, padding_high) : 0) < 0 ||
        (slots[4] ? nkernel_dilation = py_extents("kernel_dilation", slots[4], INT64_MIN, kernel_dilation) : 0) < 0 ||
        (slots[5] ? ninput_dilation = py_extents("input_dilation", slots[5], INT64_MIN, input_dilation) : 0) < 0 ||
        py_int64_argument("groups", slots[6], &groups) < 0 ||
        py_flag(slots[7], &flip) < 0 ||
        py_text("data_format", slots[8], &data_format) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &input) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &weight) > 0)
        result = result_of(py_called(name, op(input.array, weight.array, nstride, stride, npadding, padding_low, padding_high, nkernel_dilation, kernel_dilation, ninput_dilation, input_dilation, groups, flip, data_format, &out)), &out);
    py_operand_clear(&input);
    py_operand_clear(&weight);
    return result;
}

static PyObject *call_CONVOLUTION_TURNED(const char *name,
    jg_status (*op)(jg_array *, jg_array *, int, const int64_t *, int, const int64_t *, const int64_t *, int, const int64_t *, int, const int64_t *, int64_t, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 8, 2, {"input", "weight", "stride", "padding", "dilation", "output_padding", "groups", "data_format"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int nstride = 1; int64_t stride[JG_MAX_NDIM] = {1};
    int npadding = 1; int64_t padding_low[JG_MAX_NDIM] = {0}, padding_high[JG_MAX_NDIM] = {0};
    int ndilation = 1; int64_t dilation[JG_MAX_NDIM] = {1};
    int noutput_padding = 1; int64_t output_padding[JG_MAX_NDIM] = {0};
    int64_t groups = 1;
    const char *data_format = "channels_last";
    py_operand input = {0};
    py_operand weight = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[2] ? nstride = py_extents("stride", slots[2], INT64_MIN, stride) : 0) < 0 ||
        (slots[3] ? npadding = py_sides("padding", slots[3], padding_low, padding_high) : 0) < 0 ||
        (slots[4] ? ndilation = py_extents("dilation", slots[4], INT64_MIN, dilation) : 0) < 0 ||
        (slots[5] ? noutput_padding = py_extents("output_padding", slots[5], INT64_MIN, output_padding) : 0) < 0 ||
        py_int64_argument("groups", slots[6], &groups) < 0 ||
        py_text("data_format", slots[7], &data_format) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &input) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &weight) > 0)
        result = result_of(py_called(name, op(input.array, weight.array, nstride, stride, npadding, padding_low, padding_high, ndilation, dilation, noutput_padding, output_padding, groups, data_format, &out)), &out);
    py_operand_clear(&input);
    py_operand_clear(&weight);
    return result;
}

static PyObject *call_CONVOLVED(const char *name,
    jg_status (*op)(jg_array *, jg_array *, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"a", "v", "mode"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    const char *mode = "full";
    py_operand a = {0};
    py_operand v = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_text("mode", slots[2], &mode) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &v) > 0)
        result = result_of(py_called(name, op(a.array, v.array, mode, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&v);
    return result;
}

static PyObject *call_POOLED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, int, const int64_t *, int, const int64_t *, const int64_t *, int, const int64_t *, bool, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 7, 1, {"input", "kernel_size", "stride", "padding", "dilation", "ceil_mode", "data_format"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int nkernel_size = 0; int64_t kernel_size[JG_MAX_NDIM] = {0};
    int nstride; int64_t stride[JG_MAX_NDIM];
    int npadding = 1; int64_t padding_low[JG_MAX_NDIM] = {0}, padding_high[JG_MAX_NDIM] = {0};
    int ndilation = 1; int64_t dilation[JG_MAX_NDIM] = {1};
    bool ceil_mode = false;
    const char *data_format = "channels_last";
    py_operand input = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[1] ? nkernel_size = py_extents("kernel_size", slots[1], INT64_MIN, kernel_size) : 0) < 0 ||
        py_ints_or_none("stride", slots[2], &nstride, stride) < 0 ||
        (slots[3] ? npadding = py_sides("padding", slots[3], padding_low, padding_high) : 0) < 0 ||
        (slots[4] ? ndilation = py_extents("dilation", slots[4], INT64_MIN, dilation) : 0) < 0 ||
        py_flag(slots[5], &ceil_mode) < 0 ||
        py_text("data_format", slots[6], &data_format) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &input) > 0)
        result = result_of(py_called(name, op(input.array, nkernel_size, kernel_size, nstride, stride, npadding, padding_low, padding_high, ndilation, dilation, ceil_mode, data_format, &out)), &out);
    py_operand_clear(&input);
    return result;
}

static PyObject *call_POOLED_MEAN(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, int, const int64_t *, int, const int64_t *, const int64_t *, bool, bool, const int64_t *, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 8, 1, {"input", "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override", "data_format"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int nkernel_size = 0; int64_t kernel_size[JG_MAX_NDIM] = {0};
    int nstride; int64_t stride[JG_MAX_NDIM];
    int npadding = 1; int64_t padding_low[JG_MAX_NDIM] = {0}, padding_high[JG_MAX_NDIM] = {0};
    bool ceil_mode = false;
    bool count_include_pad = true;
    int64_t divisor_override_value = 0; const int64_t *divisor_override = NULL;
    const char *data_format = "channels_last";
    py_operand input = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[1] ? nkernel_size = py_extents("kernel_size", slots[1], INT64_MIN, kernel_size) : 0) < 0 ||
        py_ints_or_none("stride", slots[2], &nstride, stride) < 0 ||
        (slots[3] ? npadding = py_sides("padding", slots[3], padding_low, padding_high) : 0) < 0 ||
        py_flag(slots[4], &ceil_mode) < 0 ||
        py_flag(slots[5], &count_include_pad) < 0 ||
        py_int64_or_none("divisor_override", slots[6], &divisor_override_value, &divisor_override) < 0 ||
        py_text("data_format", slots[7], &data_format) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &input) > 0)
        result = result_of(py_called(name, op(input.array, nkernel_size, kernel_size, nstride, stride, npadding, padding_low, padding_high, ceil_mode, count_include_pad, divisor_override, data_format, &out)), &out);
    py_operand_clear(&input);
    return result;
}

static PyObject *call_MATRICES(const char *name,
    jg_status (*op)(jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"a"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_TRIANGULAR(const char *name,
    jg_status (*op)(jg_array *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"a", "upper"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool upper = false;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[1], &upper) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, upper, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_INVERSE(const char *name,
    jg_status (*op)(jg_array *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"a", "quiet"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool quiet = false;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[1], &quiet) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, quiet, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_SOLUTION(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 2, {"a", "b"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand a = {0};
    py_operand b = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &b) > 0)
        result = result_of(py_called(name, op(a.array, b.array, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&b);
    return result;
}

static PyObject *call_TRIANGULAR_SOLUTION(const char *name,
    jg_status (*op)(jg_array *, jg_array *, bool, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 4, 2, {"a", "b", "upper", "unit_diagonal"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool upper = false;
    bool unit_diagonal = false;
    py_operand a = {0};
    py_operand b = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[2], &upper) < 0 ||
        py_flag(slots[3], &unit_diagonal) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &b) > 0)
        result = result_of(py_called(name, op(a.array, b.array, upper, unit_diagonal, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&b);
    return result;
}

static PyObject *call_FACTORS(const char *name,
    jg_status (*op)(jg_array *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"a"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = py_tuple_of(py_called(name, op(a.array, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_QR_FACTORS(const char *name,
    jg_status (*op)(jg_array *, bool, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"a", "complete"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    bool complete = false;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[1], &complete) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = py_tuple_of(py_called(name, op(a.array, complete, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_SVD_FACTORS(const char *name,
    jg_status (*op)(jg_array *, bool, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"a", "full_matrices"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    bool full_matrices = true;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[1], &full_matrices) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = py_tuple_of(py_called(name, op(a.array, full_matrices, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_EIGEN_FACTORS(const char *name,
    jg_status (*op)(jg_array *, bool, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"a", "upper"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    bool upper = false;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[1], &upper) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = py_tuple_of(py_called(name, op(a.array, upper, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_FACTORED_SOLUTION(const char *name,
    jg_status (*op)(jg_array *, jg_array *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"b", "a", "upper"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool upper = false;
    py_operand b = {0};
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[2], &upper) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &b) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(b.array, a.array, upper, &out)), &out);
    py_operand_clear(&b);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_PSEUDO_INVERSE(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"a", "rtol"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand a = {0};
    py_operand rtol = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_or_none(slots[1], &rtol) == 0)
        result = result_of(py_called(name, op(a.array, rtol.array, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&rtol);
    return result;
}

static PyObject *call_LEAST_SQUARES(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"a", "b", "rcond"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand a = {0};
    py_operand b = {0};
    py_operand rcond = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_from(slots[1], NULL, PY_FUNCTION, &b) > 0 &&
        py_operand_or_none(slots[2], &rcond) == 0)
        result = py_tuple_of(py_called(name, op(a.array, b.array, rcond.array, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&b);
    py_operand_clear(&rcond);
    return result;
}

static PyObject *call_RANK(const char *name,
    jg_status (*op)(jg_array *, jg_array *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"a", "tol", "rtol"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand a = {0};
    py_operand tol = {0};
    py_operand rtol = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0 &&
        py_operand_or_none(slots[1], &tol) == 0 &&
        py_operand_or_none(slots[2], &rtol) == 0)
        result = result_of(py_called(name, op(a.array, tol.array, rtol.array, &out)), &out);
    py_operand_clear(&a);
    py_operand_clear(&tol);
    py_operand_clear(&rtol);
    return result;
}

static PyObject *call_CONDITION(const char *name,
    jg_status (*op)(jg_array *, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"a", "p"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    const char *p = "2";
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_text("p", slots[1], &p) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, p, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_LENGTH(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, bool, double, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"a", "axis", "keepdims", "ord"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    bool keepdims = false;
    double ord = 2.0;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_ints_or_none("axis", slots[1], &naxes, axes) < 0 ||
        py_flag(slots[2], &keepdims) < 0 ||
        py_double_argument("ord", slots[3], &ord) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, naxes, axes, keepdims, ord, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_MATRIX_NORM(const char *name,
    jg_status (*op)(jg_array *, bool, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"a", "keepdims", "ord"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool keepdims = false;
    const char *ord = "fro";
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[1], &keepdims) < 0 ||
        py_text("ord", slots[2], &ord) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, keepdims, ord, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_MATRIX_POWER(const char *name,
    jg_status (*op)(jg_array *, int64_t, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 1, {"a", "n"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t n = 0;
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("n", slots[1], &n) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, n, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_CHAINED(const char *name,
    jg_status (*op)(int, jg_array *const *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"arrays"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    py_operand_list arrays = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_list_from("arrays", slots[0], &arrays) == 0)
        result = result_of(py_called(name, op(arrays.count, arrays.arrays, &out)), &out);
    py_operand_list_clear(&arrays);
    return result;
}

static PyObject *call_TRANSFORMED(const char *name,
    jg_status (*op)(jg_array *, const int64_t *, int64_t, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"a", "n", "axis", "norm"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t n_value = 0; const int64_t *n = NULL;
    int64_t axis = -1;
    const char *norm = "backward";
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("n", slots[1], &n_value, &n) < 0 ||
        py_int64_argument("axis", slots[2], &axis) < 0 ||
        py_text("norm", slots[3], &norm) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, n, axis, norm, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_TRANSFORMED_AXES(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, int, const int64_t *, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"a", "s", "axes", "norm"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int ns; int64_t s[JG_MAX_NDIM];
    int naxes; int64_t axes[JG_MAX_NDIM];
    const char *norm = "backward";
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_ints_or_none("s", slots[1], &ns, s) < 0 ||
        py_ints_or_none("axes", slots[2], &naxes, axes) < 0 ||
        py_text("norm", slots[3], &norm) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, ns, s, naxes, axes, norm, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_SHIFTED(const char *name,
    jg_status (*op)(jg_array *, int, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"a", "axes"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    py_operand a = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_ints_or_none("axes", slots[1], &naxes, axes) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &a) > 0)
        result = result_of(py_called(name, op(a.array, naxes, axes, &out)), &out);
    py_operand_clear(&a);
    return result;
}

static PyObject *call_FREQUENCIES(const char *name,
    jg_status (*op)(int64_t, double, const jg_dtype *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 0, {"n", "d", "dtype", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t n = 0;
    double d = 1.0;
    jg_dtype dtype_value; const jg_dtype *dtype;
    jg_device_id device;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("n", slots[0], &n) < 0 ||
        py_double_argument("d", slots[1], &d) < 0 ||
        py_dtype_or_none(slots[2], &dtype_value, &dtype) < 0 ||
        py_device_from(slots[3], &device) < 0)
        return NULL;
    if (true)
        result = result_of(py_called(name, op(n, d, dtype, &out)), &out);
    return result;
}

static PyObject *call_ORDERED(const char *name,
    jg_status (*op)(jg_array *, const int64_t *, bool, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 4, 1, {"x", "axis", "descending", "stable"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t axis_value = -1; const int64_t *axis = &axis_value;
    bool descending = false;
    bool stable = true;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_or_none("axis", slots[1], &axis_value, &axis) < 0 ||
        py_flag(slots[2], &descending) < 0 ||
        py_flag(slots[3], &stable) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, axis, descending, stable, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_PARTED(const char *name,
    jg_status (*op)(jg_array *, int64_t, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 1, {"x", "kth", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t kth = 0;
    int64_t axis_value = -1; const int64_t *axis = &axis_value;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("kth", slots[1], &kth) < 0 ||
        py_int64_or_none("axis", slots[2], &axis_value, &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, kth, axis, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_TOPMOST(const char *name,
    jg_status (*op)(jg_array *, int64_t, const int64_t *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 1, {"x", "k", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int64_t k = 0;
    int64_t axis_value = -1; const int64_t *axis = &axis_value;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_int64_argument("k", slots[1], &k) < 0 ||
        py_int64_or_none("axis", slots[2], &axis_value, &axis) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = result_of(py_called(name, op(x.array, k, axis, &out)), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_SEARCHED(const char *name,
    jg_status (*op)(jg_array *, jg_array *, const char *, jg_array *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 4, 2, {"x1", "x2", "side", "sorter"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    const char *side = "left";
    py_operand x1 = {0};
    py_operand x2 = {0};
    py_operand sorter = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_text("side", slots[2], &side) < 0)
        return NULL;
    if (py_operand_given("x1", slots[0]) &&
        py_operand_given("x2", slots[1]) &&
        py_operand_or_none(slots[3], &sorter) == 0 &&
        py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(py_called(name, op(x1.array, x2.array, side, sorter.array, &out)), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    py_operand_clear(&sorter);
    return result;
}

static PyObject *call_MEMBERSHIP(const char *name,
    jg_status (*op)(jg_array *, jg_array *, bool, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 3, 2, {"x1", "x2", "invert"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    bool invert = false;
    py_operand x1 = {0};
    py_operand x2 = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[2], &invert) < 0)
        return NULL;
    if (py_operand_given("x1", slots[0]) &&
        py_operand_given("x2", slots[1]) &&
        py_operands_weak(2, (PyObject *[]){slots[0], slots[1]}, (py_operand *[]){&x1, &x2}) == 0)
        result = result_of(py_called(name, op(x1.array, x2.array, invert, &out)), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

static py_named named_DISTINCT_ALL = {
    "joggle.distinct_all_result", 4,
    {{"values", NULL}, {"indices", NULL}, {"inverse_indices", NULL}, {"counts", NULL}, {NULL, NULL}}, NULL};
static PyObject *call_DISTINCT_ALL(const char *name,
    jg_status (*op)(jg_array *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"x"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = py_named_of(py_called(name, op(x.array, &out)), &out, &named_DISTINCT_ALL);
    py_operand_clear(&x);
    return result;
}

static py_named named_DISTINCT_COUNTS = {
    "joggle.distinct_counts_result", 2,
    {{"values", NULL}, {"counts", NULL}, {NULL, NULL}}, NULL};
static PyObject *call_DISTINCT_COUNTS(const char *name,
    jg_status (*op)(jg_array *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"x"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = py_named_of(py_called(name, op(x.array, &out)), &out, &named_DISTINCT_COUNTS);
    py_operand_clear(&x);
    return result;
}

static py_named named_DISTINCT_INVERSE = {
    "joggle.distinct_inverse_result", 2,
    {{"values", NULL}, {"inverse_indices", NULL}, {NULL, NULL}}, NULL};
static PyObject *call_DISTINCT_INVERSE(const char *name,
    jg_status (*op)(jg_array *, jg_array_list *),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"x"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array_list out;
    py_operand x = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0)
        result = py_named_of(py_called(name, op(x.array, &out)), &out, &named_DISTINCT_INVERSE);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_QUANTILES(const char *name,
    jg_status (*op)(jg_array *, jg_array *, int, const int64_t *, bool, const char *, jg_array **),
    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 5, 2, {"x", "q", "axis", "keepdims", "method"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    jg_array *out;
    int naxes; int64_t axes[JG_MAX_NDIM];
    bool keepdims = false;
    const char *method = "linear";
    py_operand x = {0};
    py_operand q = {0};
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_ints_or_none("axis", slots[2], &naxes, axes) < 0 ||
        py_flag(slots[3], &keepdims) < 0 ||
        py_text("method", slots[4], &method) < 0)
        return NULL;
    if (py_operand_from(slots[0], NULL, PY_FUNCTION, &x) > 0 &&
        py_operand_real(slots[1], &q) > 0)
        result = result_of(py_called(name, op(x.array, q.array, naxes, axes, keepdims, method, &out)), &out);
    py_operand_clear(&x);
    py_operand_clear(&q);
    return result;
}
/* clang-format on */
