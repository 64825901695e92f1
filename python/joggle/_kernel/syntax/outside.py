# SPDX-License-Identifier: Apache-2.0
"""Python functions and methods that a kernel may not call, as they would run once, when it is
compiled, and never when it runs.

Functions of the user's own, and of other packages, are called when compiling: that is how constants
are computed. joggle.fields' own functions for Python may not be called, except those named here.
"""

import types as python_types
from collections.abc import Iterator, MutableMapping, MutableSequence, MutableSet

from joggle._fields.field import Storage
from joggle._fields.matrix import Matrix
from joggle._fields.struct import Struct

from ..ir.emit import describe
from ..ir.messages import KernelTypeError
from .expression import KERNEL_VALUES

# Modules whose functions only describe types or settings, but for _ACTING, and others that only
# compute.
_TELLING = (
    "joggle._fields.types",
    "joggle.fields._types",
    "joggle.fields.lang.impl",
    "joggle.fields.lang.misc",
    "joggle.fields.lang.util",
)
_OURS = ("joggle.fields", "joggle._fields")
_PURE = frozenset({"axes", "is_extension_enabled", "is_logging_effective", "parent"})
_ACTING = frozenset(
    {
        "dataclass",
        "field",
        "in_python_scope",
        "in_quadrants_scope",
        "ndarray",
        "synchronize",
        "warning",
    }
)

# NumPy's functions that write into an array; torch's functions that write end in _.
_WRITING = frozenset(
    {
        "byteswap",
        "fill",
        "itemset",
        "partition",
        "put",
        "resize",
        "setfield",
        "setflags",
        "sort",
        "tofile",
        "dump",
    }
)

CONTAINERS = (MutableMapping, MutableSequence, MutableSet)

# The methods that change a container.
_CHANGING = frozenset(
    {
        "__delitem__",
        "__iadd__",
        "__iand__",
        "__imul__",
        "__ior__",
        "__isub__",
        "__ixor__",
        "__setitem__",
        "add",
        "append",
        "appendleft",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "extendleft",
        "insert",
        "intersection_update",
        "move_to_end",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "rotate",
        "setdefault",
        "sort",
        "subtract",
        "symmetric_difference_update",
        "update",
    }
)

# Functions of modules that change the container, or the iterator, which is their first argument.
_CHANGES_FIRST = frozenset(
    {
        *(("_bisect", name) for name in ("insort_left", "insort_right")),
        *(("_operator", name) for name in ("setitem", "delitem", "iadd", "iconcat", "imul", "ior")),
        *(("_operator", name) for name in ("iand", "isub", "ixor")),
        *(("_heapq", name) for name in ("heapify", "heappop", "heappush", "heappushpop")),
        ("_heapq", "heapreplace"),
        ("builtins", "next"),
    }
)

_UNBOUND = (python_types.MethodDescriptorType, python_types.WrapperDescriptorType)

# Python's own functions that accept values of a kernel.
_ON_VALUES = frozenset({"reversed", "map", "filter", "iter", "next", "slice", "dict", "frozenset"})


def check_callee(callee, args, kwargs):
    """Raises KernelTypeError for what would run when compiling instead of at each run."""
    owner = getattr(callee, "__self__", None)
    owner = None if isinstance(owner, python_types.ModuleType) else owner
    name = getattr(callee, "__name__", type(callee).__name__)
    _check_random(callee, owner, name)
    if _is_ours(callee, owner, name):
        raise KernelTypeError(of_python(_named(owner, name)))
    if owner is not None and hasattr(owner, "__dlpack__") and _writes(name):
        raise KernelTypeError(
            of_python(f"{name} of an array of {type(owner).__module__.partition('.')[0]}")
        )
    if callee is setattr or callee is delattr:
        raise KernelTypeError(of_python(name))
    if home_of(callee) == "builtins" and owner is None and name not in _ON_VALUES:
        _check_builtin(name, (*args, *kwargs.values()))


class Made:
    """The lists, dicts, sets and iterators that a kernel makes, and the block of the emitter that
    makes each. As long as the kernel is compiled, code changes them there only."""

    def __init__(self):
        self._found = {}  # (object, block) by the object's id

    def note(self, x, block):
        """x, which is new if it is a container or an iterator."""
        if isinstance(x, (*CONTAINERS, Iterator)):
            self._found.setdefault(id(x), (x, block))
        return x

    def check(self, callee, args, block):
        """Raises KernelTypeError if a callee changes a container or an iterator elsewhere."""
        owner = _changed_by(callee, args)
        if owner is None:
            return
        is_method = callee.__name__ in _CHANGING
        method = f"{type(owner).__name__}.{callee.__name__}" if is_method else callee.__name__
        if id(owner) not in self._found:
            raise KernelTypeError(of_python(f"{method} of an object from outside"))
        if self._found[id(owner)][1] is not block:
            raise KernelTypeError(
                f"{method} changes what is known when the kernel is compiled; it cannot be called "
                "under a condition or in a loop that is known at run time only, allowed are the "
                "block that makes the object, and conditions and loops of static(...)"
            )


def _changed_by(callee, args):
    """The container or the iterator that a call changes, or None."""
    name = getattr(callee, "__name__", None)
    if (getattr(callee, "__module__", None), name) in _CHANGES_FIRST:
        return args[0] if args and isinstance(args[0], (*CONTAINERS, Iterator)) else None
    owner = getattr(callee, "__self__", None)
    if isinstance(callee, _UNBOUND) and args:
        owner = args[0]
    return owner if name in _CHANGING and isinstance(owner, CONTAINERS) else None


def gives_new(callee):
    """Whether what a callee gives is new, and no item of a container."""
    owner = getattr(callee, "__self__", None)
    return not isinstance(owner, CONTAINERS) or callee.__name__ == "copy"


def of_python(what):
    """The message about something that kernels cannot call."""
    return (
        f"{what} works outside of kernels only: here it would run once, when compiling; "
        "call it before or after the kernel, or write a loop"
    )


def home_of(callee):
    """The module that a function, a class or a callable object belongs to."""
    if isinstance(callee, (type, python_types.FunctionType)):
        return callee.__module__ or ""
    function = getattr(callee, "__func__", None)
    if function is not None:
        return getattr(function, "__module__", None) or ""
    return getattr(type(callee), "__module__", "") if not _is_builtin(callee) else _of_c(callee)


def _is_builtin(callee):
    return isinstance(callee, python_types.BuiltinFunctionType)


def _of_c(callee):
    owner = callee.__self__
    if owner is None or isinstance(owner, python_types.ModuleType):
        return callee.__module__ or ""
    return type(owner).__module__


def _is_ours(callee, owner, name):
    """Whether a callee is a function of joggle.fields for Python. Internal helpers begin with an
    underscore."""
    if name.startswith("_") or name in _PURE or name.endswith("_scratch_slots"):
        return False
    if isinstance(owner, (Storage, Matrix, Struct)):
        return True
    home = home_of(callee)
    return name in _ACTING if home in _TELLING else home.startswith(_OURS)


def _named(owner, name):
    if owner is None:
        return name
    kind = owner if isinstance(owner, type) else type(owner)
    return f"{kind.__name__}.{name}"


def _writes(name):
    return name in _WRITING or (name.endswith("_") and not name.endswith("__"))


def _check_random(callee, owner, name):
    """Refuses functions whose result differs from call to call."""
    home = getattr(callee, "__module__", None) or type(owner).__module__
    if home in ("random", "joggle.random") or type(owner).__module__.startswith("numpy.random"):
        raise KernelTypeError(
            f"{name} is a function of Python's, which would be called once, when compiling; "
            "use random or randn of joggle.fields"
        )
    if home == "time":
        raise KernelTypeError(
            f"time.{name} would be called once, when compiling; hand the time over as an argument"
        )


def _check_builtin(name, args):
    """Refuses functions of Python that would inspect the object that represents a value."""
    for x in args:
        if isinstance(x, KERNEL_VALUES):
            raise KernelTypeError(
                f"{name}: got {describe(x)}, allowed is what is known when compiling"
            )


def public_names(kind):
    """The public attributes of a class of fields or values."""
    return {name for name in dir(kind) if not name.startswith("_")}
