# SPDX-License-Identifier: Apache-2.0
"""@kernel, @func and @data_oriented: what the decorators make, and what a call does.

A kernel is compiled once for each combination of what its code depends on: dtypes and ranks of
arrays, the values of templates. The settings of qd.init when it is compiled apply; init discards
all compiled code.
"""

import functools
import inspect
import weakref
from itertools import compress

from joggle import _core
from joggle._fields import settings
from joggle._fields.streams import check_stream

from .derivatives import Bound, Gradient, Tangent, modes
from .ir import launches
from .ir.launches import formed
from .ir.messages import KernelTypeError
from .library.func import Func, annotations_of, is_tuple
from .library.source import Source
from .syntax.lowering import Lowering
from .value import bindings
from .value.bindings import Companion
from .value.capture import CAPTURED
from .value.identity import Codes
from .value.parameters import ANNOTATIONS, Template, call_key, kind_of, template_key

# isort: split
# Imported for the rows that they add to tables. lanes: THREADS (library/threads.py), functions of
# simt. constructors, view: HANDLERS (syntax/calls.py), what kernels call. textures, view: the list
# of annotated() (value/parameters.py), what parameters may be annotated with.
from .library import lanes, textures  # noqa: F401
from .syntax import constructors, view  # noqa: F401

_kernels = weakref.WeakSet()
_MOST_KEPT = 64


def _gone(owner, address, _):
    """An object that a kernel knows by its address is gone; another may get the address. owner: a
    weak reference to the kernel."""
    kernel = owner()
    if kernel is not None:
        del kernel.watched[address]
        kernel._forget_object(address)


def _is_in_class(function):
    """Whether a function was defined in a class: its first parameter is the object."""
    owner = function.__qualname__.rpartition(".")[0]
    return bool(owner) and not owner.endswith("<locals>")


class Kernel(_core.Dispatch):
    """A function that is compiled for what it is called with.

    A call that the base class does not know comes to _call.
    """

    kernel_source = True

    def __init__(self, function, fast_math=None):
        self.function, self.fast_math = function, fast_math  # fast_math None: as qd.init says
        self.mutated = None  # the names that change, found on first use
        self.codes = Codes()  # by call_key
        self.is_expected = False  # whether the base class knows the parameters
        self.watched = {}  # weak references to objects that it knows by their address
        self.kept = {}  # such objects, where there are no weak references to them
        functools.update_wrapper(self, function)
        _kernels.add(self)

    @functools.cached_property
    def source(self):
        return Source(self.function)

    @functools.cached_property
    def signature(self):
        return inspect.signature(self.function)

    @functools.cached_property
    def parameters(self):
        """The kinds of the parameters, by name."""
        annotations = annotations_of(self.function)
        kinds = {}
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise KernelTypeError(
                    f"{self.__qualname__}: got the parameter {parameter}, allowed are parameters "
                    "of one value each, without * and **"
                )
            kinds[name] = self._kind(name, annotations)
        return kinds

    def _kind(self, name, annotations):
        if name in annotations:
            return kind_of(annotations[name], name)
        if name == next(iter(self.signature.parameters)) and _is_in_class(self.function):
            return Template()
        raise KernelTypeError(
            f"{self.__qualname__}: parameter {name} needs an annotation, allowed are {ANNOTATIONS}"
        )

    @functools.cached_property
    def result_type(self):
        """The annotation of the result: a type, a tuple of types, or None."""
        annotation = annotations_of(self.function).get("return")
        inside = getattr(annotation, "__args__", None)
        return tuple(inside) if inside and is_tuple(annotation) else annotation

    @functools.cached_property
    def grad(self):
        """The adjoint: called as the kernel is, it adds to the gradients of what that reads."""
        return Gradient(self)

    @functools.cached_property
    def dual(self):
        """The tangent: called as the kernel is, it does the same and computes tangents."""
        return Tangent(self)

    def __get__(self, owner, kind=None):
        return self if owner is None else Bound(self, owner)

    def _call(self, args, kwargs):
        """A call of a form that the base class has not seen. Raises KernelError for what cannot
        be compiled, TypeError for arguments that do not fit the signature."""
        _prepare()
        if modes.active is not None:
            return modes.active.run(self, args, kwargs)
        kinds = self.parameters
        if "qd_stream" in kwargs:
            check_stream(kwargs.pop("qd_stream"))
        if kwargs or len(args) != len(kinds):
            args = self._bound(args, kwargs)
        code = self._code_for(args)
        self._tell(code, args)
        return code(args) if modes.times is None else modes.times.run(self.__name__, code, args)

    def _code_for(self, args):
        key = call_key(self.source.name, self.parameters, args)
        code = self.codes.get(key)
        if code is None or not code.is_current():
            code = self.codes[key] = self.compile(args)
            code.reads.watch(self)
        return code

    def written(self, args, known):
        """(name, array) of each array that a call with args, in their order, would write; nothing
        where the names of all of them are known."""
        _prepare()
        code = self._code_for(args)
        if code.writes <= known:
            return []
        pairs = zip(code.launch.writes, code.launched(args), strict=True)
        return [(name, x) for name, x in pairs if name is not None]

    def _tell(self, code, args):
        """Lets the base class run calls of this form by itself, if it can."""
        kinds = list(self.parameters.values())
        if not self.is_expected:
            self._describe(kinds)
        if not code.is_lasting() or not all(
            kind.is_lasting(x) for kind, x in zip(kinds, args, strict=True)
        ):
            return
        self._forget_with(kinds, args)
        self._remember(args, code.launch, *code.plan(args))

    def _describe(self, kinds):
        """Tells the base class how arguments are taken apart."""
        self.is_expected = True
        given = self.signature.parameters
        defaults = {n: p.default for n, p in given.items() if p.default is not p.empty}
        if not self._expect(tuple(kind.description for kind in kinds), tuple(given), defaults):
            for kind in kinds:
                kind.shorten()
            self._expect(tuple(kind.description for kind in kinds), tuple(given), defaults)

    def _forget_with(self, kinds, args):
        """Has the base class forget what it remembers when one of the objects is gone that it knows
        by their address. Objects without weak references are kept, up to a number of them."""
        if len(self.kept) > _MOST_KEPT:
            self._forget()
            self.kept.clear()
        for kind, given in zip(kinds, args, strict=True):
            for x in kind.wholes(given):
                if id(x) in self.watched:
                    continue
                gone = functools.partial(_gone, weakref.ref(self), id(x))
                try:
                    self.watched[id(x)] = weakref.ref(x, gone)
                except TypeError:  # a class with slots and without one for that
                    self.kept[id(x)] = x

    def _bound(self, args, kwargs):
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            allowed = ", ".join(self.signature.parameters) or "none"
            raise TypeError(f"[{self.__name__}] {error}; allowed are {allowed}") from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def lower(self, *args, **kwargs):
        """The kernel's text and what else a launch needs, for these arguments."""
        lowering = self.lowered(self._bound(args, kwargs))
        return self.text(lowering), lowering.slots, lowering.form

    def lowered(self, args, is_derived=False):
        """The lowering that has written the kernel for these arguments. is_derived: whether
        derivatives are made of the text."""
        in_order, trusts_loops = frozenset(), True
        while True:
            lowering = self._written(args, trusts_loops, is_derived, in_order)
            racing = lowering.racing()
            was_wrong = trusts_loops and lowering.known_cells.was_wrong
            if not racing and not was_wrong:
                return lowering
            in_order |= racing
            trusts_loops = trusts_loops and not was_wrong

    def text(self, lowering, unused=()):
        """The text of what a lowering has written, without the parameters at some places."""
        config = settings.config
        fast = config.fast_math if self.fast_math is None else self.fast_math
        name = "".join(c if c.isalnum() else "_" for c in self.__name__).lstrip("_") or "kernel"
        checked = {None: True, True: "all", False: False}[config.check_out_of_bound]
        alone = lowering.known_cells.are_listed
        return lowering.emitter.text(name, fast, checked, alone, unused)

    def _written(self, args, trusts_loops, is_derived, in_order):
        """One try at a lowering that writes the body. trusts_loops: as KnownCells does. in_order:
        loops that cannot be parallel."""
        config = settings.config
        bounds = bool(config.check_out_of_bound)
        lowering = Lowering(self.source, config.debug, bounds, trusts_loops, is_derived, in_order)

        def declare(lowering):
            pairs = zip(self.parameters.items(), args, strict=True)
            try:
                return {name: kind.declare(lowering, name, x) for (name, kind), x in pairs}
            except KernelTypeError as error:
                raise KernelTypeError(f"[{self.__name__}] {error}") from None

        lowering.write(self, declare)
        return lowering

    def compile(self, args):
        """The code for arguments like these. Members of dataclasses that it does not use are no
        arguments of its launch."""
        lowering = self.lowered(args)
        slots, unused = lowering.slots, lowering.unused_members()
        captured = [slot for slot in slots if slot is not CAPTURED]
        taken = [place not in unused for place, slot in enumerate(slots) if slot is CAPTURED]
        launch = launches.load(self.text(lowering, unused))
        kinds = list(self.parameters.values())
        return Code(launch, kinds, captured, lowering.form, lowering.reads, taken)


def _prepare():
    if settings.before_use is not None:
        settings.before_use()


class Code:
    """Compiled code, with what its launch passes and how its results are read."""

    def __init__(self, launch, kinds, captured, form, reads, taken):
        self.launch, self.kinds, self.captured, self.form = launch, kinds, captured, form
        self.reads, self.taken = reads, taken  # taken: whether each that is passed is launched with
        self.writes = frozenset(launch.writes) - {None}

    def is_current(self):
        """Whether it fits what attributes of objects hold now."""
        captured = self.reads.renewed(self.captured, template_key)
        self.captured = self.captured if captured is None else captured
        return captured is not None

    def is_lasting(self):
        """Whether what it captured stays the same for all calls, or the kernel is notified."""
        return self.reads.are_told() and not any(isinstance(x, Companion) for x in self.captured)

    def __call__(self, args):
        return formed(self.form, self.launch(*self.launched(args)))

    def launched(self, args):
        """What the launch is called with."""
        passed = []
        for kind, argument in zip(self.kinds, args, strict=True):
            passed.extend(kind.passed(argument))
        captured = [x.of(passed) if isinstance(x, Companion) else x for x in self.captured]
        return [*compress(passed, self.taken), *captured]

    def plan(self, args):
        """The sources of the launch's arguments (a part of the call, or a constant: -1 - its
        position), the constants, and the form of the result. Constants are kept alive."""
        pairs = zip(self.kinds, args, strict=True)
        parts = [part for kind, argument in pairs for part in kind.parts(argument)]
        passed = []  # (part, None), or (None, what stays the same)
        for number, part in enumerate(parts):
            passed += [(number, None)] if part is None else [(None, x) for x in part]
        sources, same = [], []
        for number, x in compress(passed, self.taken):
            sources.append(-1 - len(same) if number is None else number)
            same += [x] * (number is None)
        sources += range(-1 - len(same), -1 - len(same) - len(self.captured), -1)
        same += self.captured
        plain = self.form in (None, "int", "float")
        return tuple(sources), tuple(same), None if plain else functools.partial(formed, self.form)


def kernel(
    function=None, *, fast_math=None, pure=False, fastcache=False, graph=False, checkpoints=False
):
    """Makes a kernel of a function: it is compiled for what it is called with (docs/kernels.md).

    Each parameter needs an annotation: a dtype for a number, qd.types.ndarray(...) for an array of
    any strides, a vector, matrix or struct type for one by value, a dataclass, or qd.template() for
    a field or whatever is known when compiling. A result needs one, too. fast_math: whether floats
    may be reassociated, in place of what qd.init says. pure, fastcache and graph have no effect.

    A call raises KernelError, which is also the SyntaxError, TypeError, NameError, ValueError or
    IndexError that it names, with file, line and source, for what kernels do not have; TypeError,
    ValueError or BufferError for an array that does not fit; AssertionError for an assert in debug
    mode.
    """
    del pure, fastcache, graph
    if checkpoints:
        raise NotImplementedError("checkpoints: end the kernel there, and go on in a second one")
    if function is not None and not callable(function):
        raise TypeError(f"kernel: got {function!r}, allowed are functions")
    if function is None:
        return lambda inner: Kernel(inner, fast_math)
    return Kernel(function, fast_math)


def func(function=None, *, is_real_function=False, requires_top_level=False):
    """A function for kernels to call; its body is written into them at each call.

    Parameters are values; those annotated with qd.template() are the argument itself, which may be
    assigned to. What it returns is converted to its annotation, if there is one. Outside of kernels
    it is the function of Python. requires_top_level: calls from inside of a loop or a branch are
    refused. is_real_function: it may call itself.
    """
    if function is not None and not callable(function):
        raise TypeError(f"func: got {function!r}, allowed are functions")
    if function is None:
        return functools.partial(
            func, is_real_function=is_real_function, requires_top_level=requires_top_level
        )
    return Func(function, requires_top_level, is_real_function)


def real_func(function):
    """func(is_real_function=True)."""
    return func(function, is_real_function=True)


def data_oriented(cls=None, *, stable_members=False, template_primitives=True):
    """Marks a class whose methods are kernels.

    Numbers that its objects hold are constants of a kernel's code, as they are when it is compiled;
    with template_primitives=False they are read at each call. Arrays and objects may be exchanged
    for others between calls. stable_members: they are not.
    """
    if cls is None:
        return functools.partial(
            data_oriented, stable_members=stable_members, template_primitives=template_primitives
        )
    if not isinstance(cls, type):
        raise TypeError(f"data_oriented: got {cls!r}, allowed are classes")
    if not stable_members and not getattr(cls, "_tells_kernels", False):
        bindings.tell_when_set(cls)
    cls._tells_kernels, cls._has_stable_members = True, stable_members
    cls._lifts_numbers = not template_primitives
    return cls


def forget():
    """Forgets all compiled code: the settings it was compiled under have changed."""
    bindings.forget()
    for each in list(_kernels):
        each.codes.clear()
        each._forget()
        each.kept.clear()
        vars(each).pop("parameters", None)  # their dtypes may have been defaults
        each.is_expected = False


settings.reset_hooks.append(forget)
