/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a compiled function: its records. compile.c makes and calls them; records.c keeps
 * them. */
#ifndef JG_PY_RECORDS_H
#define JG_PY_RECORDS_H

#include "transform/transform.h"

/* A record and what belongs to it. Not a Python object: it lives in its function's list. */
typedef struct py_entry {
    jg_record *record;
    size_t nwords, hash;
    int64_t *signature;
    PyObject *constants; /* a list */
    PyObject *results;   /* the tree of what the function gives, with slots */
    PyObject *state;     /* the same of `outputs` after the call, or None */
    int noutputs;
    Py_ssize_t serial;            /* no two entries of a function have the same */
    py_unchanged_tree *unchanged; /* of each argument, then of `inputs`; or NULL */
    Py_ssize_t ntrees;
    struct py_entry *next;
} py_entry;

typedef struct py_compiled {
    PyObject_HEAD PyObject *dict, *weakrefs;
    vectorcallfunc vectorcall;
    PyObject *function, *inputs, *outputs, *donated; /* trees or None; a tuple of ints */
    PyObject *tracer;                                /* called where there is no record */
    PyObject *lock;                                  /* of its state; NULL where it has none */
    py_entry *entries;                               /* the one used last first */
    Py_ssize_t hits, misses, count, serial;
} py_compiled;

/* Moves the entry of a call to the front. Comparing constants may run Python code, and other
 * threads with it, which change the list. Called in the function's critical section.
 * gives: 1 and *out, 0 if there is none, or -1 */
int py_entry_find(py_compiled *self, const py_call_arguments *all, size_t hash, py_entry **out);

/* Counts a call that was traced, and puts its entry before the others, unless another thread has
 * put one of the same signature there meanwhile.
 * takes: made | gives: 1 if it was put there, 0, or -1 */
int py_entry_keep(py_compiled *self, py_entry *made, bool is_wanted);

/* A serial for an entry that is to come. */
Py_ssize_t py_entry_serial(py_compiled *self);

/* A function that drops the entry of that serial when it is called. New reference or NULL */
PyObject *py_entry_dropper(py_compiled *self, Py_ssize_t serial);

/* Drops all. Freeing may run Python code, which finds none of them. */
void py_entries_forget(py_compiled *self);

#endif
