/* SPDX-License-Identifier: Apache-2.0 */
/* The codes that a kernel's dispatch has, and what it expects of arguments: read and changed in its
 * critical section, and never while Python code runs. */
#include "kernel/dispatch.h"

void py_code_release(py_code *code)
{
    if (!code || py_count_add(&code->uses, -1) > 0)
        return;
    Py_XDECREF(code->kernel);
    Py_XDECREF(code->captured);
    Py_XDECREF(code->finish);
    PyMem_Free(code->sources);
    PyMem_Free(code);
}

py_code *py_code_find(py_dispatch *self, int serial, const uint64_t *key, int nwords)
{
    size_t nbytes = (size_t)nwords * sizeof *key;
    py_code *found = NULL;
    Py_BEGIN_CRITICAL_SECTION(self);
    int count = self->expected.serial == serial ? self->ncodes : 0;
    for (int i = 0; i < count && !found; ++i)
        if (memcmp(self->codes[i]->key, key, nbytes) == 0)
            found = self->codes[i];
    if (found)
        py_count_add(&found->uses, 1);
    Py_END_CRITICAL_SECTION();
    return found;
}

/* gives: the last code, which leaves the list, or NULL */
static py_code *take_last(py_dispatch *self)
{
    py_code *last = NULL;
    Py_BEGIN_CRITICAL_SECTION(self);
    if (self->ncodes > 0)
        last = self->codes[--self->ncodes];
    Py_END_CRITICAL_SECTION();
    return last;
}

void py_codes_forget(py_dispatch *self)
{
    for (py_code *gone; (gone = take_last(self));)
        py_code_release(gone);
}

static bool has_word(const py_code *code, uint64_t word)
{
    for (int i = 0; i < PY_MAX_PARTS; ++i)
        if (code->key[i] == word)
            return true;
    return false;
}

/* gives: a code with that word in its key, which leaves the list, or NULL */
static py_code *take_one_with(py_dispatch *self, uint64_t word)
{
    py_code *taken = NULL;
    Py_BEGIN_CRITICAL_SECTION(self);
    for (int i = 0; i < self->ncodes && !taken; ++i) {
        if (!has_word(self->codes[i], word))
            continue;
        taken = self->codes[i];
        self->codes[i] = self->codes[--self->ncodes];
    }
    Py_END_CRITICAL_SECTION();
    return taken;
}

void py_codes_forget_object(py_dispatch *self, const void *object)
{
    for (py_code *gone; (gone = take_one_with(self, (uint64_t)(uintptr_t)object));)
        py_code_release(gone);
}

void py_code_add(py_dispatch *self, int serial, py_code *code)
{
    bool fits;
    if (self->ncodes == PY_MAX_CODES) /* with so many kinds, calls are not repeated */
        py_codes_forget(self);
    Py_BEGIN_CRITICAL_SECTION(self);
    fits = self->ncodes < PY_MAX_CODES && self->expected.serial == serial;
    if (fits)
        self->codes[self->ncodes++] = code;
    Py_END_CRITICAL_SECTION();
    if (!fits)
        py_code_release(code);
}

void py_expectation_exchange(py_dispatch *self, py_expectation expected)
{
    py_expectation before;
    Py_BEGIN_CRITICAL_SECTION(self);
    before = self->expected;
    self->expected = expected;
    self->expected.serial = before.serial + 1;
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(before.descriptions);
    Py_XDECREF(before.names);
    Py_XDECREF(before.defaults);
}
