/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of arrays. The type is final, so that a check for it is one comparison. Dead handles are
 * kept on a short list, as building an expression makes and drops one per op. */
#include "base/core.h"

PyTypeObject *py_array_type;

#ifndef Py_GIL_DISABLED
enum { FREE_LIST_SIZE = 64 };
static py_array *free_list[FREE_LIST_SIZE];
static int free_count;
#endif

/* A handle with a count of one whose fields are not set. The type is a heap type, so each handle
 * has a reference to it: PyObject_Init takes it, py_array_dealloc drops it. */
static py_array *new_handle(void)
{
#ifndef Py_GIL_DISABLED
    if (free_count > 0) {
        PyObject *self = (PyObject *)free_list[--free_count];
        return (py_array *)PyObject_Init(self, py_array_type);
    }
#endif
    return PyObject_New(py_array, py_array_type);
}

/* The memory alone: what the handle held has been taken out before. */
static void free_handle(py_array *self)
{
#ifndef Py_GIL_DISABLED
    if (free_count < FREE_LIST_SIZE) {
        free_list[free_count++] = self;
        return;
    }
#endif
    PyObject_Free(self);
}

PyObject *py_array_wrap(jg_array *array)
{
    if (!array)
        return NULL;
    py_array *self = new_handle();
    if (!self) {
        jg_array_release(array);
        return NULL;
    }
    self->array = array;
    self->weakrefs = NULL;
    self->lent = NULL;
    return (PyObject *)self;
}

/* The last reference may call a producer's deleter, which may be Python code: no exception may be
 * pending then. */
static void release(jg_array *array)
{
    py_pending pending = py_pending_take();
    jg_array_release(array);
    py_pending_restore(pending);
}

uint64_t py_array_form_changes;

#ifdef PY_DICTS_HAVE_VERSIONS
static bool have_same_form(const jg_array *x, const jg_array *y)
{
    int ndim = jg_array_ndim(x);
    size_t nbytes = (size_t)ndim * sizeof(int64_t);
    jg_device_id first = jg_array_device(x), second = jg_array_device(y);
    return jg_array_dtype(x) == jg_array_dtype(y) && ndim == jg_array_ndim(y) &&
           first.type == second.type && first.id == second.id &&
           memcmp(jg_array_shape(x), jg_array_shape(y), nbytes) == 0 &&
           memcmp(jg_array_strides(x), jg_array_strides(y), nbytes) == 0;
}

static void count_form(const jg_array *old, const jg_array *array)
{
    py_array_form_changes += !have_same_form(old, array);
}
#else
static void count_form(const jg_array *Py_UNUSED(old), const jg_array *Py_UNUSED(array))
{
}
#endif

bool py_array_exchange(PyObject *self, const jg_array *expected, jg_array *array)
{
    /* The new array is set before the old one is released, as the deleter may be Python code that
     * reads the handle. */
    jg_array *old;
    Py_BEGIN_CRITICAL_SECTION(self);
    old = ((py_array *)self)->array;
    if (old == expected) {
        ((py_array *)self)->array = array;
        count_form(old, array);
    }
    Py_END_CRITICAL_SECTION();
    release(old == expected ? old : array);
    return old == expected;
}

/* A second reference, so that the memory is not reused. */
typedef struct py_lent {
    jg_array *array;
    struct py_lent *next;
} py_lent;

int py_array_lend(PyObject *object, jg_array *array)
{
    py_array *self = (py_array *)object;
    bool is_known;
    Py_BEGIN_CRITICAL_SECTION(object);
    is_known = self->lent && self->lent->array == array;
    Py_END_CRITICAL_SECTION();
    if (is_known)
        return 0;
    py_lent *lent = PyMem_Malloc(sizeof *lent);
    if (!lent) {
        PyErr_NoMemory();
        return -1;
    }
    Py_BEGIN_CRITICAL_SECTION(object);
    *lent = (py_lent){jg_array_retain(array), self->lent};
    self->lent = lent;
    Py_END_CRITICAL_SECTION();
    return 0;
}

/* NULL is fine. */
static void release_lent(py_lent *lent)
{
    while (lent) {
        py_lent *next = lent->next;
        release(lent->array);
        PyMem_Free(lent);
        lent = next;
    }
}

void py_array_dealloc(PyObject *object)
{
    py_array *self = (py_array *)object;
    if (self->weakrefs)
        PyObject_ClearWeakRefs(object);
    /* The handle is on the free list before its array is released, as that may run Python code,
     * which may make the next handle of this one. */
    jg_array *array = self->array;
    py_lent *lent = self->lent;
    PyTypeObject *type = Py_TYPE(object);
    free_handle(self);
    Py_DECREF(type);
    release(array);
    release_lent(lent);
}
