/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a kernel's dispatch: the code of calls that were seen before, and the way in which
 * arguments are divided into parts. dispatch.c makes codes and runs them; codes.c keeps them. */
#ifndef JG_PY_DISPATCH_H
#define JG_PY_DISPATCH_H

#include "kernel/kernel.h"

/* Codes are looked through one by one. */
enum { PY_MAX_CODES = 64 };

typedef struct py_code {
    uint64_t key[PY_MAX_PARTS];
    PyObject *kernel;   /* a joggle._core.Kernel */
    PyObject *captured; /* a tuple: arguments that are the same at each call */
    PyObject *finish;   /* makes the result of what the run gave, or NULL */
    int16_t *sources;   /* of each argument: a part, or -1 - an index into captured */
    int count;          /* arguments of the kernel */
    int ncaptured;      /* how many of them are the same at each call */
    py_count uses;      /* a run may make the kernel forget the code that it runs */
} py_code;

/* The information that _expect gave. Without the interpreter lock each call has a copy, because
 * _expect may be called again meanwhile. */
typedef struct py_expectation {
    int nparameters;        /* -1: every call goes to _call */
    int serial;             /* no two expectations of a kernel have the same */
    PyObject *descriptions; /* a tuple: how each parameter is taken apart */
    PyObject *names;        /* a tuple: of the parameters */
    PyObject *defaults;     /* a dict: the defaults of parameters that have one, by name */
    py_kinds kinds;         /* of the parts */
    int narrays;            /* among the parts */
} py_expectation;

/* The members are read and changed in the object's critical section. */
typedef struct py_dispatch {
    PyObject_HEAD vectorcallfunc call;
    py_expectation expected;
    int ncodes;
    py_code *codes[PY_MAX_CODES];
} py_dispatch;

/* Drops one use. NULL is fine, and so is code whose making failed, with no uses yet. */
void py_code_release(py_code *code);

/* The code with that key, under the expectation of that serial. gives: it with one more use, or
 * NULL */
py_code *py_code_find(py_dispatch *self, int serial, const uint64_t *key, int nwords);

/* Keeps a code that was made under the expectation of that serial, if that holds still.
 * takes: code */
void py_code_add(py_dispatch *self, int serial, py_code *code);

/* Code that runs is freed by its run. Releasing may run Python code, which finds the list shortened
 * before. */
void py_codes_forget(py_dispatch *self);

/* The same for the codes that have the object's address in their keys; it may be gone already. */
void py_codes_forget_object(py_dispatch *self, const void *object);

/* takes: expected, which gets a serial that no other has had */
void py_expectation_exchange(py_dispatch *self, py_expectation expected);

#endif
