/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are as they were at an earlier call.
 *
 * A state may have thousands of arrays in dicts that do not change, while the arrays get other
 * values. To read all of them anew at each call costs more than the call. A dict has a version that
 * no other state of any dict has (PEP 509), so a few numbers tell that the tree of dicts holds the
 * same handles. Whether a handle got an array of another form is counted (py_array_form_changes).
 *
 * Lists and tuples have no version. Those that hold nothing but dicts, lists and tuples are
 * compared item by item, and what they hold as well. */
#include "transform/transform.h"

#ifdef PY_DICTS_HAVE_VERSIONS

enum { FEW_LEAVES = 16 };  /* fewer are read as fast as they are skipped */
enum { MAX_FAILURES = 8 }; /* in a row; then it is not tried again */

static uint64_t version_of(PyObject *dict)
{
    return ((PyDictObject *)dict)->ma_version_tag;
}

static bool is_sequence(PyObject *object)
{
    return PyList_Check(object) || PyTuple_Check(object);
}

static bool is_same_container(const py_known_container *known, PyObject *object)
{
    if (!Py_IS_TYPE(object, known->type))
        return false;
    return known->length < 0 ? version_of(object) == known->version
                             : PySequence_Fast_GET_SIZE(object) == known->length;
}

static bool is_same_item(const py_known_container *known, PyObject *holder)
{
    return PySequence_Fast_GET_ITEM(holder, known->item) == known->object;
}

static bool is_same_tree(const py_unchanged_tree *known, PyObject *tree)
{
    if (!known->containers || known->form_changes != py_array_form_changes ||
        !is_same_container(known->containers, tree))
        return false;
    for (int i = 1; i < known->ncontainers; ++i) {
        const py_known_container *at = &known->containers[i];
        const py_known_container *holder = &known->containers[at->holder];
        PyObject *object = at->holder == 0 ? tree : holder->object;
        if (holder->length >= 0 && !is_same_item(at, object))
            return false;
        if (!is_same_container(at, at->object))
            return false;
    }
    return true;
}

static int grow(void *block, int count, int *capacity, size_t size)
{
    void **items = block;
    if (count < *capacity)
        return 0;
    int wanted = 2 * *capacity + 32;
    void *grown = PyMem_Realloc(*items, (size_t)wanted * size);
    if (!grown)
        return -1;
    *items = grown;
    *capacity = wanted;
    return 0;
}

static bool add_container(py_unchanged_tree *known, PyObject *object, int holder, Py_ssize_t item)
{
    if (grow(&known->containers, known->ncontainers, &known->containers_capacity,
             sizeof *known->containers) < 0)
        return false;
    py_known_container *made = &known->containers[known->ncontainers++];
    *made = (py_known_container){object, Py_TYPE(object), 0, -1, holder, item};
    if (is_sequence(object))
        made->length = PySequence_Fast_GET_SIZE(object);
    else
        made->version = version_of(object);
    return true;
}

static bool add_handle(py_unchanged_tree *known, PyObject *handle)
{
    if (grow(&known->handles, known->nhandles, &known->handles_capacity, sizeof *known->handles) <
        0)
        return false;
    known->handles[known->nhandles++] = handle;
    return true;
}

static bool add_tree(py_unchanged_tree *known, PyObject *tree, int holder, Py_ssize_t item);

static bool add_items(py_unchanged_tree *known, PyObject *sequence, int self)
{
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i)
        if (!add_tree(known, PySequence_Fast_GET_ITEM(sequence, i), self, i))
            return false;
    return true;
}

/* A value that is neither an array nor a container was found to be the same constant. */
static bool add_values(py_unchanged_tree *known, PyObject *dict, int self)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        bool done = true;
        if (py_array_check(value))
            done = add_handle(known, value);
        else if (PyDict_Check(value) || is_sequence(value))
            done = add_tree(known, value, self, 0);
        if (!done)
            return false;
    }
    return true;
}

/* In the order of py_arguments_put_tree, which has read the same tree within the limit of
 * recursion. gives: false for a tree that has to be read at each call */
static bool add_tree(py_unchanged_tree *known, PyObject *tree, int holder, Py_ssize_t item)
{
    int self = known->ncontainers;
    bool is_dict = PyDict_Check(tree);
    if ((!is_dict && !is_sequence(tree)) || !add_container(known, tree, holder, item))
        return false;
    return is_dict ? add_values(known, tree, self) : add_items(known, tree, self);
}

static bool list_read(py_unchanged_tree *known, const jg_record *record, int first)
{
    PyMem_Free(known->read);
    known->nread = 0;
    known->read = PyMem_New(int, (size_t)known->nhandles);
    for (int i = 0; known->read && i < known->nhandles; ++i)
        if (jg_record_reads(record, first + i))
            known->read[known->nread++] = i;
    return known->read != NULL;
}

static void forget(py_unchanged_tree *known)
{
    PyMem_Free(known->containers);
    known->containers = NULL;
    known->ncontainers = known->containers_capacity = known->nhandles = 0;
}

void py_unchanged_note(py_unchanged_tree *known, PyObject *tree, const py_call_arguments *before,
                       const py_call_arguments *after)
{
    int count = after->count - before->count;
    if (count < FEW_LEAVES || known->failures > MAX_FAILURES)
        return;
    forget(known);
    known->failures += 1;
    if (!add_tree(known, tree, -1, 0) || known->nhandles != count ||
        !list_read(known, after->record, before->count)) {
        forget(known);
        return;
    }
    known->form_changes = py_array_form_changes;
    known->nwords = after->nwords - before->nwords;
    known->nconstants = after->nconstants - before->nconstants;
}

bool py_unchanged_take(py_unchanged_tree *known, PyObject *tree, py_call_arguments *all)
{
    if (!is_same_tree(known, tree))
        return false;
    jg_array **arrays = all->arrays + all->count;
    memset((void *)arrays, 0, (size_t)known->nhandles * sizeof *arrays);
    for (int i = 0; i < known->nread; ++i)
        arrays[known->read[i]] = py_array_hold(known->handles[known->read[i]]);
    known->failures = 0;
    known->taken_at = all->count;
    all->count += known->nhandles;
    all->nwords += known->nwords;
    all->nconstants += known->nconstants;
    return true;
}

void py_unchanged_read(const py_unchanged_tree *known, py_call_arguments *all)
{
    for (int i = 0; known->taken_at >= 0 && i < known->nhandles; ++i)
        all->arrays[known->taken_at + i] = py_array_hold(known->handles[i]);
}

py_unchanged_tree *py_unchanged_new(Py_ssize_t count)
{
    return PyMem_Calloc((size_t)count, sizeof(py_unchanged_tree));
}

void py_unchanged_free(py_unchanged_tree *known, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; known && i < count; ++i) {
        PyMem_Free(known[i].containers);
        PyMem_Free(known[i].handles);
        PyMem_Free(known[i].read);
    }
    PyMem_Free(known);
}

#else

py_unchanged_tree *py_unchanged_new(Py_ssize_t Py_UNUSED(count))
{
    return NULL;
}

void py_unchanged_free(py_unchanged_tree *Py_UNUSED(known), Py_ssize_t Py_UNUSED(count))
{
}

void py_unchanged_note(py_unchanged_tree *Py_UNUSED(known), PyObject *Py_UNUSED(tree),
                       const py_call_arguments *Py_UNUSED(before),
                       const py_call_arguments *Py_UNUSED(after))
{
}

bool py_unchanged_take(py_unchanged_tree *Py_UNUSED(known), PyObject *Py_UNUSED(tree),
                       py_call_arguments *Py_UNUSED(all))
{
    return false;
}

void py_unchanged_read(const py_unchanged_tree *Py_UNUSED(known), py_call_arguments *Py_UNUSED(all))
{
}

#endif
