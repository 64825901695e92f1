/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a compiled function: looked for and changed in its critical section, and freed
 * outside of it, as that may run Python code. */
#include "transform/records.h"

static py_entry **place_of(py_compiled *self, Py_ssize_t serial)
{
    py_entry **at = &self->entries;
    while (*at && (*at)->serial != serial)
        at = &(*at)->next;
    return at;
}

/* An entry is looked for anew after its constants were compared. */
int py_entry_find(py_compiled *self, const py_call_arguments *all, size_t hash, py_entry **out)
{
    for (py_entry **at = &self->entries; *at; at = &(*at)->next) {
        py_entry *found = *at;
        if (found->hash != hash || found->nwords != all->nwords ||
            memcmp(found->signature, all->words, all->nwords * sizeof *all->words) != 0)
            continue;
        Py_ssize_t serial = found->serial;
        PyObject *constants = Py_XNewRef(found->constants);
        int same = py_constants_equal(constants, all->constants);
        Py_XDECREF(constants);
        if (same < 0)
            return -1;
        at = place_of(self, serial);
        if (!(found = *at))
            return 0;
        if (same == 0)
            continue;
        if (found != self->entries) {
            *at = found->next;
            found->next = self->entries;
            self->entries = found;
        }
        *out = found;
        return 1;
    }
    return 0;
}

static void entry_free(py_entry *gone)
{
    jg_record_release(gone->record);
    PyMem_Free(gone->signature);
    Py_XDECREF(gone->constants);
    Py_XDECREF(gone->results);
    Py_XDECREF(gone->state);
    py_unchanged_free(gone->unchanged, gone->ntrees);
    PyMem_Free(gone);
}

static void free_entries(py_entry *entries)
{
    while (entries) {
        py_entry *next = entries->next;
        entry_free(entries);
        entries = next;
    }
}

/* gives: the entry, no longer in the list */
static py_entry *take_last(py_compiled *self)
{
    py_entry **at = &self->entries;
    while ((*at)->next)
        at = &(*at)->next;
    py_entry *gone = *at;
    *at = NULL;
    self->count -= 1;
    return gone;
}

/* Whether there is an entry of the same signature: 1, 0, or -1 */
static int is_there(py_compiled *self, const py_entry *made)
{
    py_entry *found;
    py_call_arguments all = {
        .words = made->signature, .nwords = made->nwords, .constants = made->constants};
    return py_entry_find(self, &all, made->hash, &found);
}

int py_entry_keep(py_compiled *self, py_entry *made, bool is_wanted)
{
    py_entry *gone = made;
    int there = 0;
    Py_BEGIN_CRITICAL_SECTION(self);
    self->misses += 1;
    if (is_wanted)
        there = is_there(self, made);
    if (is_wanted && there == 0) {
        made->next = self->entries;
        self->entries = made;
        self->count += 1;
        gone = self->count > JG_MAX_RECORDS ? take_last(self) : NULL;
    }
    Py_END_CRITICAL_SECTION();
    if (gone)
        entry_free(gone);
    return there < 0 ? -1 : is_wanted && there == 0;
}

Py_ssize_t py_entry_serial(py_compiled *self)
{
    Py_ssize_t serial;
    Py_BEGIN_CRITICAL_SECTION(self);
    serial = ++self->serial;
    Py_END_CRITICAL_SECTION();
    return serial;
}

void py_entries_forget(py_compiled *self)
{
    py_entry *entries;
    Py_BEGIN_CRITICAL_SECTION(self);
    entries = self->entries;
    self->entries = NULL;
    self->count = 0;
    Py_END_CRITICAL_SECTION();
    free_entries(entries);
}

/* Frees the entry of a serial, if it is there. */
static void drop_entry(py_compiled *self, Py_ssize_t serial)
{
    py_entry *gone;
    Py_BEGIN_CRITICAL_SECTION(self);
    py_entry **at = place_of(self, serial);
    gone = *at;
    if (gone) {
        *at = gone->next;
        self->count -= 1;
    }
    Py_END_CRITICAL_SECTION();
    if (gone)
        entry_free(gone);
}

/* Called with the reference to a constant that is gone. pair: a weak reference to the function, and
 * the serial of the entry */
static PyObject *constant_gone(PyObject *pair, PyObject *reference)
{
    PyObject *object = PyObject_CallNoArgs(PyTuple_GET_ITEM(pair, 0));
    Py_ssize_t serial = PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 1));
    Py_INCREF(reference); /* which the entry holds */
    if (object && object != Py_None)
        drop_entry((py_compiled *)object, serial);
    Py_DECREF(reference);
    if (!object)
        return NULL;
    Py_DECREF(object);
    Py_RETURN_NONE;
}

PyObject *py_entry_dropper(py_compiled *self, Py_ssize_t serial)
{
    static PyMethodDef method = {"_constant_gone", constant_gone, METH_O, NULL};
    PyObject *owner = PyWeakref_NewRef((PyObject *)self, NULL);
    PyObject *pair = owner ? Py_BuildValue("(On)", owner, serial) : NULL;
    PyObject *made = pair ? PyCFunction_New(&method, pair) : NULL;
    Py_XDECREF(owner);
    Py_XDECREF(pair);
    return made;
}
