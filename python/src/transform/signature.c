/* SPDX-License-Identifier: Apache-2.0 */
/* The signature of a call of a compiled function: two calls with the same signature build the same
 * graph on other arrays. */
#include "transform/transform.h"

void py_arguments_clear(py_call_arguments *all)
{
    for (int i = 0; i < all->count && !all->expected; ++i)
        jg_array_release(all->arrays[i]);
    PyMem_Free(all->words);
    PyMem_Free(all->arrays);
    Py_XDECREF(all->constants);
}

static int grow(py_call_arguments *all, size_t nwords)
{
    size_t capacity = 2 * all->capacity + nwords + 32;
    int64_t *grown = PyMem_Realloc(all->words, capacity * sizeof *grown);
    if (!grown) {
        PyErr_NoMemory();
        return -1;
    }
    all->words = grown;
    all->capacity = capacity;
    return 0;
}

/* Nothing that is done while arguments are as expected runs Python code, so that with the
 * interpreter lock the signature cannot go meanwhile, and the arrays need no references. Without
 * the lock nothing is expected. */
void py_arguments_expect(py_call_arguments *all, const int64_t *words, size_t nwords,
                         PyObject *constants, const jg_record *record, py_unchanged_tree *unchanged)
{
    all->expected = words;
    all->nexpected = nwords;
    all->expected_constants = constants;
    all->record = record;
    all->unchanged = unchanged;
}

/* Makes words, references and constants of what was as expected so far. */
static int leave_expected(py_call_arguments *all)
{
    const int64_t *words = all->expected;
    PyObject *constants = all->expected_constants;
    for (int i = 0; all->unchanged && i < all->ntrees; ++i)
        py_unchanged_read(&all->unchanged[i], all);
    for (int i = 0; i < all->count; ++i)
        jg_array_retain(all->arrays[i]);
    all->expected = NULL;
    if (grow(all, all->nwords) < 0)
        return -1;
    memcpy(all->words, words, all->nwords * sizeof *words);
    if (all->nconstants == 0)
        return 0;
    Py_INCREF(constants);
    all->constants = py_constants_given(constants, all->nconstants);
    Py_DECREF(constants);
    return all->constants ? 0 : -1;
}

int py_arguments_are_expected(py_call_arguments *all)
{
    PyObject *constants = all->expected_constants;
    if (!all->expected)
        return 0;
    if (all->nwords == all->nexpected &&
        all->nconstants == (constants ? PyList_GET_SIZE(constants) : 0))
        return 1;
    return leave_expected(all);
}

static int append(py_call_arguments *all, int64_t first, int64_t second)
{
    if (all->nwords + 2 > all->capacity && grow(all, 2) < 0)
        return -1;
    all->words[all->nwords] = first;
    all->words[all->nwords + 1] = second;
    all->nwords += 2;
    return 0;
}

/* Two words at the end. gives: 0 or -1 */
static inline int put(py_call_arguments *all, int64_t first, int64_t second)
{
    const int64_t *expected = all->expected;
    if (expected) {
        size_t at = all->nwords;
        if (at + 2 <= all->nexpected && expected[at] == first && expected[at + 1] == second) {
            all->nwords = at + 2;
            return 0;
        }
        if (leave_expected(all) < 0)
            return -1;
    }
    return append(all, first, second);
}

int py_arguments_put_number(py_call_arguments *all, char kind, int64_t value)
{
    return put(all, kind, value);
}

/* Whether the object is the expected one. If not, the rest of the arguments is read without
 * expectations. 1, 0, or -1 */
static inline int is_expected_constant(py_call_arguments *all, PyObject *object)
{
    PyObject *constants = all->expected_constants;
    if (constants && all->nconstants < PyList_GET_SIZE(constants) &&
        py_constant_is(PyList_GET_ITEM(constants, all->nconstants), object))
        return 1;
    return leave_expected(all);
}

int py_arguments_put_constant(py_call_arguments *all, PyObject *object)
{
    int same = all->expected ? is_expected_constant(all, object) : 0;
    if (same < 0 || (same > 0 && put(all, 'C', all->nconstants) < 0))
        return -1;
    if (same > 0 && all->expected) {
        all->nconstants += 1;
        return 0;
    }
    if (same > 0) /* the word was put, and the object is to follow */
        all->nwords -= 2;
    if (!all->constants && !(all->constants = PyList_New(0)))
        return -1;
    if (py_arguments_put_number(all, 'C', PyList_GET_SIZE(all->constants)) < 0)
        return -1;
    return PyList_Append(all->constants, object);
}

/* Memory for `count` more arrays. gives: 0 or -1 */
static int reserve(py_call_arguments *all, int count)
{
    if (all->array_capacity - all->count >= count)
        return 0;
    int capacity = 2 * all->array_capacity + 8 + count;
    jg_array **grown = PyMem_Realloc(all->arrays, (size_t)capacity * sizeof *grown);
    if (!grown) {
        PyErr_NoMemory();
        return -1;
    }
    all->arrays = grown;
    all->array_capacity = capacity;
    return 0;
}

/* steals: array; borrows it while arguments are as expected */
static int add_array(py_call_arguments *all, jg_array *array)
{
    if (reserve(all, 1) < 0) {
        if (!all->expected)
            jg_array_release(array);
        return -1;
    }
    all->arrays[all->count++] = array;
    return 0;
}

/* Like add_array. */
static int put_array(py_call_arguments *all, jg_array *array)
{
    int ndim = jg_array_ndim(array);
    jg_device_id device = jg_array_device(array);
    const int64_t *shape = jg_array_shape(array), *strides = jg_array_strides(array);
    int64_t form = 'A' | (int64_t)ndim << 8 | (int64_t)jg_array_dtype(array) << 16;
    if (add_array(all, array) < 0 ||
        put(all, form, (int64_t)device.type << 32 | (uint32_t)device.id) < 0)
        return -1;
    for (int i = 0; i < ndim; ++i)
        if (put(all, shape[i], strides[i]) < 0)
            return -1;
    return 0;
}

/* type: of which the items are. An item is held, as the Python code of one that is no array of ours
 * may change the tree. */
static int put_items(py_call_arguments *all, PyObject *tree, PyTypeObject *type, bool is_list)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(tree);
    if (py_arguments_put_number(all, is_list ? 'L' : 'T', count) < 0)
        return -1;
    /* A NamedTuple is made again by its type. */
    if (!is_list && type != &PyTuple_Type && py_arguments_put_constant(all, (PyObject *)type) < 0)
        return -1;
    int status = 0;
    for (Py_ssize_t i = 0; status == 0 && i < count && i < PySequence_Fast_GET_SIZE(tree); ++i) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(tree, i));
        status = py_arguments_put_tree(all, item);
        Py_DECREF(item);
    }
    return status;
}

static int put_values(py_call_arguments *all, PyObject *tree)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (py_arguments_put_number(all, 'D', PyDict_GET_SIZE(tree)) < 0)
        return -1;
    int status = 0;
    while (status == 0 && PyDict_Next(tree, &at, &key, &value)) {
        Py_INCREF(key);
        Py_INCREF(value);
        status = py_arguments_put_constant(all, key);
        if (status == 0)
            status = py_arguments_put_tree(all, value);
        Py_DECREF(key);
        Py_DECREF(value);
    }
    return status;
}

static int put_container(py_call_arguments *all, PyObject *tree)
{
    PyObject *frozen = py_frozen(tree);
    if (!frozen)
        return -1;
    int status = PyDict_Check(tree) ? put_values(all, frozen)
                                    : put_items(all, frozen, Py_TYPE(tree), PyList_Check(tree));
    Py_DECREF(frozen);
    return status;
}

/* Arrays of others are arguments as ours are. */
static bool is_foreign_array(PyObject *object)
{
    return !PyType_Check(object) && _PyType_Lookup(Py_TYPE(object), py_name_dlpack) != NULL;
}

int py_arguments_put_tree(py_call_arguments *all, PyObject *tree)
{
    py_operand operand;
    if (py_array_check(tree))
        return put_array(all, all->expected ? py_array_hold(tree) : py_array_retain(tree));
    if (PyFloat_CheckExact(tree) || PyLong_CheckExact(tree) || PyUnicode_CheckExact(tree) ||
        tree == Py_None || PyBool_Check(tree))
        return py_arguments_put_constant(all, tree);
    if (Py_EnterRecursiveCall(" in the arguments of a compiled function"))
        return -1;
    int status;
    if (PyDict_Check(tree) || PyList_Check(tree) || PyTuple_Check(tree))
        status = put_container(all, tree);
    else if (!is_foreign_array(tree))
        status = py_arguments_put_constant(all, tree);
    else if (all->expected && leave_expected(all) < 0) /* what follows runs Python code */
        status = -1;
    else if (py_operand_from(tree, NULL, PY_FUNCTION, &operand) < 0)
        status = -1;
    else
        status = put_array(all, operand.array);
    Py_LeaveRecursiveCall();
    return status;
}

/* Notes that the argument has been read, and how it lies in the signature. */
static int put_whole(py_call_arguments *all, PyObject *tree, py_unchanged_tree *known)
{
    py_call_arguments before = *all;
    if (py_arguments_put_tree(all, tree) < 0)
        return -1;
    if (all->expected)
        py_unchanged_note(known, tree, &before, all);
    return 0;
}

int py_arguments_put_argument(py_call_arguments *all, PyObject *tree)
{
    bool is_container = PyDict_Check(tree) || PyList_Check(tree) || PyTuple_Check(tree);
    if (!all->expected || !all->unchanged)
        return py_arguments_put_tree(all, tree);
    py_unchanged_tree *known = &all->unchanged[all->ntrees];
    known->taken_at = -1;
    all->ntrees += 1;
    if (!is_container)
        return py_arguments_put_tree(all, tree);
    if (reserve(all, known->nhandles) < 0)
        return -1;
    return py_unchanged_take(known, tree, all) ? 0 : put_whole(all, tree, known);
}

/* FNV-1a over words: signatures differ in few of them. */
size_t py_arguments_hash(const py_call_arguments *all)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < all->nwords; ++i) {
        hash = (hash ^ (uint64_t)all->words[i]) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return (size_t)hash;
}
