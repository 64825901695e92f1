/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about the types whose objects are imported.
 *
 * A type is inspected once: DLPack allows its exchange table to be kept per type, and the names of
 * its base classes tell which special cases apply. The table below maps the type's address to a
 * row; a row holds a reference to its type, so no other type can get the address. Rows are never
 * freed. */
#include "exchange/exchange.h"

static py_producer **table; /* open addressing, at most half full */
static size_t table_size, table_count;

#ifdef Py_GIL_DISABLED
static PyMutex table_lock;
#define LOCK() PyMutex_Lock(&table_lock)
#define UNLOCK() PyMutex_Unlock(&table_lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

/* NULL for an attribute that the type lacks or that raises. An interrupt stays pending; then no
 * other attribute is read, and look_at fails. */
static PyObject *attribute(PyObject *object, const char *name)
{
    PyObject *found = PyErr_Occurred() ? NULL : PyObject_GetAttrString(object, name);
    if (!found)
        (void)py_forget_failure();
    return found;
}

/* The text of a str, borrowed from it; NULL for what is none. */
static const char *text_of(PyObject *object)
{
    const char *text = object && PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : NULL;
    if (!text)
        (void)py_forget_failure();
    return text;
}

/* The newest table of a major version that is known here: tables are chained from the newest to the
 * oldest. Each function in it may be missing; without the one that exports, the table is of no use.
 * NULL for none */
static const DLPackExchangeAPI *usable_api(const DLPackExchangeAPIHeader *header)
{
    while (header && header->version.major != DLPACK_MAJOR_VERSION)
        header = header->prev_api;
    const DLPackExchangeAPI *api = (const DLPackExchangeAPI *)header;
    return api && api->managed_tensor_from_py_object_no_sync ? api : NULL;
}

/* The capsule may go: the table is static, as the protocol asks. */
static const DLPackExchangeAPI *find_api(PyTypeObject *type)
{
    PyObject *capsule = attribute((PyObject *)type, "__dlpack_c_exchange_api__");
    void *header = NULL;
    if (capsule && PyCapsule_IsValid(capsule, "dlpack_exchange_api"))
        header = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    Py_XDECREF(capsule);
    return usable_api(header);
}

/* The module that a type says it is from, without the submodules: "torch" of
 * "torch.nn.parameter". */
static bool is_from(PyTypeObject *type, const char *package)
{
    PyObject *module = attribute((PyObject *)type, "__module__");
    const char *text = text_of(module);
    size_t length = strlen(package);
    bool found = text && strncmp(text, package, length) == 0 &&
                 (text[length] == '\0' || text[length] == '.');
    Py_XDECREF(module);
    return found;
}

/* The name without its module, which heap types may leave out. Borrowed from the type. */
static const char *short_name(PyTypeObject *type)
{
    const char *dot = strrchr(type->tp_name, '.');
    return dot ? dot + 1 : type->tp_name;
}

/* Whether the class dispatches its ops itself: torch puts a function that does nothing where it
 * does not. */
static bool dispatches(PyTypeObject *type)
{
    PyObject *dispatch = attribute((PyObject *)type, "__torch_dispatch__");
    PyObject *name = dispatch ? attribute(dispatch, "__name__") : NULL;
    const char *text = text_of(name);
    bool disabled = !dispatch || (text && strcmp(text, "_disabled_torch_dispatch_impl") == 0);
    Py_XDECREF(dispatch);
    Py_XDECREF(name);
    return !disabled;
}

/* A property of a class also holds for classes derived from it: a Parameter has the special cases
 * of a Tensor. */
static void look_at_base(py_producer *row, PyTypeObject *base)
{
    const char *name = short_name(base);
    if (strcmp(name, "Tensor") == 0 && is_from(base, "torch"))
        row->is_torch = true;
    if (strcmp(name, "MaskedArray") == 0 && is_from(base, "numpy"))
        row->is_masked = true;
}

static void drop_row(py_producer *row)
{
    Py_XDECREF(row->requires_grad);
    Py_XDECREF(row->is_neg);
    Py_XDECREF(row->is_conj);
    Py_DECREF(row->type);
    PyMem_Free(row);
}

static void look_at_torch(py_producer *row)
{
    PyObject *type = (PyObject *)row->type;
    row->is_dispatched = dispatches(row->type);
    row->requires_grad = attribute(type, "requires_grad");
    row->is_neg = attribute(type, "is_neg");
    row->is_conj = attribute(type, "is_conj");
}

/* A row for the type. This runs Python code (metaclasses may have any __getattribute__), so no lock
 * is held. NULL with MemoryError, or an interrupt of that code */
static py_producer *look_at(PyTypeObject *type)
{
    py_producer *row = PyMem_Calloc(1, sizeof *row);
    if (!row) {
        PyErr_NoMemory();
        return NULL;
    }
    row->type = (PyTypeObject *)Py_NewRef(type);
    row->api = find_api(type);
    row->is_numpy = strcmp(type->tp_name, "numpy.ndarray") == 0 && is_from(type, "numpy");
    row->is_immutable = is_from(type, "jax") || is_from(type, "jaxlib");
    PyObject *bases = Py_XNewRef(type->tp_mro); /* held, as that code may give it others */
    for (Py_ssize_t i = 0; bases && i < PyTuple_GET_SIZE(bases); ++i)
        look_at_base(row, (PyTypeObject *)PyTuple_GET_ITEM(bases, i));
    Py_XDECREF(bases);
    if (row->is_torch)
        look_at_torch(row);
    if (!PyErr_Occurred())
        return row;
    drop_row(row);
    return NULL;
}

/* The type's slot, or the empty one where it belongs. size: a power of two. Types lie at multiples
 * of 16 or more, so the low bits say nothing. */
static py_producer **find_slot(py_producer **rows, size_t size, PyTypeObject *type)
{
    size_t at = ((size_t)type >> 5) & (size - 1);
    while (rows[at] && rows[at]->type != type)
        at = (at + 1) & (size - 1);
    return &rows[at];
}

/* The lock is held, as in insert(). */
static int grow_table(void)
{
    size_t size = table_size ? 2 * table_size : 64;
    py_producer **rows = PyMem_Calloc(size, sizeof *rows);
    if (!rows) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < table_size; ++i)
        if (table[i])
            *find_slot(rows, size, table[i]->type) = table[i];
    PyMem_Free(table);
    table = rows;
    table_size = size;
    return 0;
}

/* takes: row. Another thread may have been first: then its row counts, and this one stays unused,
 * as rows are never freed. */
static const py_producer *insert(py_producer *row)
{
    if (2 * table_count >= table_size && grow_table() < 0)
        return NULL;
    py_producer **slot = find_slot(table, table_size, row->type);
    if (!*slot) {
        *slot = row;
        ++table_count;
    }
    return *slot;
}

const py_producer *py_producer_of(PyTypeObject *type)
{
    LOCK();
    const py_producer *found = table_size ? *find_slot(table, table_size, type) : NULL;
    UNLOCK();
    if (found)
        return found;
    py_producer *row = look_at(type);
    if (!row)
        return NULL;
    LOCK();
    found = insert(row);
    UNLOCK();
    if (!found)
        drop_row(row);
    return found;
}
