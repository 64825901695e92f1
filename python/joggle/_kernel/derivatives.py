# SPDX-License-Identifier: Apache-2.0
"""Runs derivatives of kernels: kernel.grad, kernel.dual, and modes that intercept calls.

The adjoint and the tangent are made from the kernel's text, once for each combination of types and
of arrays that have a companion, which is the gradient of a field or tensor or the tangent of a
field.
"""

import threading
import weakref
from contextlib import contextmanager

from joggle import _core
from joggle._fields import settings
from joggle._fields.field import Storage, new_tangent
from joggle._fields.make import make_ndarray

from .aliases import refuse_aliases, sharing
from .ir import launches
from .ir.code import ArrayParameter
from .ir.launches import formed
from .value.bindings import Companion
from .value.capture import CAPTURED
from .value.identity import Codes
from .value.parameters import call_key, template_key

_FLOATS = ("float16", "bfloat16", "float32", "float64")


class Modes:
    """The state that intercepts calls of kernels: for each thread a Tape, FwdMode, or none; and the
    object that notes how long calls take (profile.py), or None."""

    def __init__(self):
        self._active, self._times = {}, None  # weak references, by thread

    @property
    def active(self):
        """This thread's mode, or None. Known calls without any mode do not ask."""
        reference = self._active.get(threading.get_ident())
        return None if reference is None else reference()

    @active.setter
    def active(self, mode):
        # An interrupt may come before __exit__ has done anything: then its end ends the mode.
        if mode is None:
            self._active.pop(threading.get_ident(), None)
        else:
            self._active[threading.get_ident()] = weakref.ref(mode, self._ended)
        self._pause()

    def _ended(self, reference):
        for thread, each in list(self._active.items()):
            if each is reference:
                self._active.pop(thread, None)
        self._pause()

    def forget(self):
        """Ends the modes of all threads."""
        self._active.clear()
        self._pause()

    @property
    def times(self):
        """The Times that runs are noted in, or None."""
        return self._times

    @times.setter
    def times(self, times):
        self._times = times
        self._pause()

    def _pause(self):
        # Otherwise the core would run known calls without asking here.
        _core._pause_dispatch(bool(self._active) or self._times is not None)


modes = Modes()


class suspended:
    """Inside, this thread's calls of kernels are not intercepted."""

    def __enter__(self):
        self.mode, modes.active = modes.active, None

    def __exit__(self, *_):
        modes.active = self.mode


def is_torch(x):
    """Whether x is a tensor of torch; imports nothing."""
    return type(x).__module__.partition(".")[0] == "torch"


def gradient_of(x):
    """The gradient of an array that was passed to a kernel, or None. A torch tensor that requires
    one and has none yet gets one."""
    if isinstance(x, Storage):
        return x.grad if x.has_grad() else None
    if not is_torch(x) or not x.requires_grad:
        return None
    if x.grad is None:
        x.grad = x.detach().new_zeros(x.shape)
    return x.grad


def tangent_of(x):
    """The tangent of a field or ndarray, made when it is first asked for; None of other arrays."""
    if not isinstance(x, Storage):
        return None
    if x.dual is None:
        x.dual = new_tangent(x)
    return x.dual


class Form:
    """A kernel for arguments of certain types: its text, and its parameters."""

    def __init__(self, kernel, args):
        lowering = kernel.lowered(args, is_derived=True)
        self.text, self.parameters = kernel.text(lowering), lowering.emitter.parameters
        self.slots, self.result = lowering.slots, lowering.form
        self.names = [p.name for p in self.parameters if isinstance(p, ArrayParameter)]
        self.stopped, self.reads = lowering.stopped, lowering.reads

    def is_current(self):
        """Whether it is for what attributes hold now."""
        slots = self.reads.renewed(self.slots, template_key)
        self.slots = self.slots if slots is None else slots
        return slots is not None

    def launched(self, kinds, args):
        """The arguments of a launch: (dtype, object) for each array, and the scalars. An array
        without a derivative has no dtype."""
        passed = [x for kind, a in zip(kinds, args, strict=True) for x in kind.passed(a)]
        given = iter(passed)
        arrays, scalars = [], []
        for slot, parameter in zip(self.slots, self.parameters, strict=True):
            x = next(given) if slot is CAPTURED else slot
            x = x.of(passed) if isinstance(x, Companion) else x
            if isinstance(parameter, ArrayParameter):
                arrays.append((None if parameter.name in self.stopped else parameter.dtype, x))
            else:
                scalars.append(x)
        return arrays, scalars


_derived = weakref.WeakSet()


class Derived:
    """A kernel's adjoint or tangent, compiled for what it is called with.

    derived(text, which) gives the code of a text and the roles of companions.
    """

    def __init__(self, kernel):
        # A proxy: the kernel holds this one.
        self.kernel = weakref.proxy(kernel)
        self.forms = Codes()  # by call_key
        self.codes = Codes()  # by that and the roles of companions
        _derived.add(self)

    def run(self, args, companion):
        """Runs it with what companion gives for each floating array; returns form and results."""
        kinds = list(self.kernel.parameters.values())
        key = call_key(self.kernel.source.name, self.kernel.parameters, args)
        form = self.forms.get(key)
        if form is None or not form.is_current():
            form = self.forms[key] = Form(self.kernel, args)
        arrays, scalars = form.launched(kinds, args)
        companions = [companion(x) if dtype in _FLOATS else None for dtype, x in arrays]
        return form, self._run(key, form, [x for _, x in arrays], companions, scalars)

    def _run(self, key, form, arrays, companions, scalars):
        which = _roles(companions)
        code = self.codes.get((key, which))
        if code is None:
            with self.refusing(NotImplementedError):
                code = self.codes[key, which] = self.derived(form.text, which)
        if code.stored is not None:
            with self.refusing(NotImplementedError):
                self.refuse_aliases(form.names, arrays, companions, code.stored)
        if code.check is not None:
            self.look(code.check, arrays, scalars)
        added = [x for x in companions if x is not None]
        for place, x in enumerate(added):
            if isinstance(x, ReadOnly):
                added[place] = x.copy() if code.written[len(arrays) + place] else x.array
        return code([_plain(x) for x in arrays] + added, scalars)

    def refuse_aliases(self, names, arrays, companions, written):
        """Refuses arrays that share memory, and gradients that do, one of which is written."""
        kernel = self.kernel.source.name
        refuse_aliases(kernel, "arrays", names, [_plain(x) for x in arrays], written)
        added = [i for i, x in enumerate(companions) if not (x is None or isinstance(x, ReadOnly))]
        chosen = [[each[i] for i in added] for each in (names, companions, written)]
        refuse_aliases(kernel, "gradients", *chosen)

    @contextmanager
    def refusing(self, kind, saying=""):
        """An exception of that kind inside, whose message has that text, becomes a refusal that
        names the file."""
        try:
            yield
        except kind as error:
            if saying not in str(error):
                raise
            raise NotImplementedError(f"{self.kernel.source.file}: {error}") from None

    def look(self, check, arrays, scalars):
        """Refuses what only the arrays tell. The launch may also raise what an earlier one on a
        device failed with, or the evaluation of an array."""
        with self.refusing(ValueError, saying="derivative of kernel "):
            check(arrays, scalars)


class DerivedCode:
    """A compiled derivative, and which of its arrays it writes."""

    check = None  # a Check to be run before, if the kernel's text does not tell that it is right
    stored = None  # for each array of the kernel whether that writes it, where they must be apart

    def __init__(self, text, parameters):
        self.launch, self.is_array = launches.load(text), [x is not None for x in parameters]
        self.written = [x for x in parameters if x is not None]

    def __call__(self, arrays, scalars):
        arrays, scalars = iter(arrays), iter(scalars)
        return self.launch(*[next(arrays if is_array else scalars) for is_array in self.is_array])


class ReadOnly:
    """A gradient that must not change and is not needed afterwards: copied if necessary."""

    def __init__(self, array, copy):
        self.array, self.copy = array, copy


_NONE, _YES, _READ, _SHARED = range(4)  # jg_derived


def _roles(companions):
    """The jg_derived of each companion."""
    places = [i for i, x in enumerate(companions) if not (x is None or isinstance(x, ReadOnly))]
    roles = [_READ if isinstance(x, ReadOnly) else _NONE for x in companions]
    for place in places:
        roles[place] = _YES
    for pair in sharing([companions[place] for place in places]):
        for each in pair:
            roles[places[each]] = _SHARED
    return tuple(roles)


# torch refuses to export what requires a gradient.
def _plain(x):
    return x.detach() if is_torch(x) and x.requires_grad else x


class Gradient(Derived):
    """kernel.grad: adds to the gradients of what the kernel reads, from those of what it writes."""

    def __call__(self, *args, **kwargs):
        self.run(self.kernel._bound(args, kwargs), gradient_of)

    def derived(self, text, which):
        adjoint, check, stored = _core._kernel_gradient(text, which)
        code = DerivedCode(*adjoint)
        code.check, code.stored = check and Check(*check), stored
        return code


class Check:
    """A compiled kernel that looks whether an adjoint will be right; marked tells for which arrays
    it takes marks, of how many bytes."""

    def __init__(self, derived, marked):
        self.code, self.marked = DerivedCode(*derived), marked

    def __call__(self, arrays, scalars):
        marks = [_marks_of(x, size) for x, size in zip(arrays, self.marked, strict=True) if size]
        self.code([_plain(x) for x in arrays] + marks, scalars)


def _marks_of(x, nbytes):
    """A zero for each element that a kernel sees in x."""
    extents = x._plane()[1] if isinstance(x, Storage) else x.shape
    return make_ndarray(_core.uint8 if nbytes == 1 else _core.int64, tuple(extents))


class Tangent(Derived):
    """kernel.dual: runs the kernel and computes the tangents of its fields."""

    def derived(self, text, which):
        return DerivedCode(*_core._kernel_tangent(text, which))

    def __call__(self, *args, **kwargs):
        form, results = self.run(self.kernel._bound(args, kwargs), tangent_of)
        return formed(form.result, results)


class Bound:
    """A kernel that is a method, with its object."""

    def __init__(self, call, owner):
        self.call, self.owner = call, owner

    def __call__(self, *args, **kwargs):
        return self.call(self.owner, *args, **kwargs)

    def __getattr__(self, name):
        found = getattr(self.call, name)
        return Bound(found, self.owner) if name in ("grad", "dual", "lower") else found


def _forget():
    for each in list(_derived):
        each.forms.clear()
        each.codes.clear()
    modes.forget()


settings.reset_hooks.append(_forget)
