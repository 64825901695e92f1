# SPDX-License-Identifier: Apache-2.0
"""Arrays that a kernel reaches by the attributes of objects, and by those of its arguments.

self.x is looked up when a kernel is compiled. The next call may find another array there: it is
passed instead of the first if the code fits it, otherwise the kernel is compiled again. Numbers
that attributes hold are constants of the code. Objects of @data_oriented classes notify when an
attribute is set; for others each call compares.
"""

import weakref
from types import FunctionType, ModuleType

from joggle._fields.field import Storage
from joggle._fields.matrix import Matrix
from joggle._fields.struct import Struct, StructField

from ..ir.messages import KernelTypeError

_watched = {}  # by id of an object and an attribute's name: the kernels that found an array there


class Companion:
    """Replaces an object that is passed at each launch: an attribute of an argument.

    position: of the argument among all that the parameters pass.
    """

    def __init__(self, position, name, array):
        self.position, self.name, self.array = position, name, array

    def of(self, passed):
        """The object for a call. Raises KernelTypeError if the argument has none."""
        found = getattr(passed[self.position], self.name, None)
        if found is None or getattr(found, "shape", None) is None:
            raise KernelTypeError(
                f"{self.array}.{self.name}: got an array without one, allowed are those with it"
            )
        return found


class LiftedNumber(Companion):
    """Replaces a number that each launch reads from an object's attribute."""

    def __init__(self, owner, name, kind):
        self.owner, self.name, self.kind = owner, name, kind

    def of(self, passed):
        """The number for a call. Raises KernelTypeError if its kind has changed."""
        found = getattr(self.owner, self.name)
        if type(found) is not self.kind:
            raise KernelTypeError(
                f"attribute {self.name}: got {type(found).__name__}, allowed is "
                f"{self.kind.__name__}, as when the kernel was compiled"
            )
        return found


def is_lifted(owner, name):
    """Whether a number that an object holds is an argument of kernels, not a constant of theirs."""
    return getattr(type(owner), "_lifts_numbers", False) and name in getattr(owner, "__dict__", {})


class Reads:
    """The attributes that a kernel found arrays, and objects that hold more, in."""

    def __init__(self):
        self._found = {}  # (owner, name, value) by id of owner and name
        self._fixed = set()  # ids of arrays that the source also uses in other ways

    def add(self, owner, name, value):
        """Notes what an attribute holds. Only those of the object itself change."""
        if isinstance(owner, (type, ModuleType)) or not _may_be_another(value):
            return
        if getattr(owner, "__dict__", {}).get(name) is value:
            self._found[id(owner), name] = owner, name, value

    def fix(self, x):
        """Notes an array that is reached by something else than an attribute."""
        self._fixed.update(id(plane) for plane in _planes(x))

    def watch(self, kernel):
        """Has the kernel notified when one of the attributes is set."""
        for place in self._found:
            _watched.setdefault(place, weakref.WeakSet()).add(kernel)

    def renewed(self, slots, key):
        """The objects of slots, replaced by those that the attributes hold now; None if the code
        does not fit these. key(array) gives what code depends on."""
        now = {place: vars(owner).get(name) for place, (owner, name, _) in self._found.items()}
        if all(now[place] is value for place, (_, _, value) in self._found.items()):
            return slots
        changed = {}
        for place, (_, _, value) in self._found.items():
            # An array that two attributes held is declared once.
            if changed.setdefault(id(value), now[place]) is not now[place]:
                return None
            if now[place] is not value and not self._fits(value, now[place], key):
                return None
        planes = {}
        for place, (owner, name, value) in list(self._found.items()):
            planes.update(zip(map(id, _planes(value)), _planes(now[place]), strict=True))
            self._found[place] = owner, name, now[place]
        return [planes.get(id(slot), slot) for slot in slots]

    def _fits(self, value, other, key):
        if not isinstance(value, Storage) or not isinstance(other, Storage):
            return False
        fixed = any(id(plane) in self._fixed for plane in _planes(value))
        return not fixed and key(value) == key(other)


def _may_be_another(value):
    """Whether a value is an array, or an object that may hold some."""
    if isinstance(value, Storage):
        return True
    constant = isinstance(value, (type, ModuleType, Matrix, Struct)) or callable(value)
    return hasattr(value, "__dict__") and not constant


def _planes(x):
    """The arrays that a field is declared as: itself, or those of a struct's members."""
    if isinstance(x, StructField):
        return [plane for member in x._members.values() for plane in _planes(member)]
    return [x]


def tell_when_set(cls):
    """Makes the objects of a class notify when their attributes are set."""
    inherited = cls.__setattr__

    def __setattr__(self, name, value):
        inherited(self, name, value)
        for kernel in _watched.get((id(self), name), ()):
            kernel._forget()

    cls.__setattr__ = __setattr__


def tells(x):
    """Whether x notifies when its attributes are set, or has none that a kernel reads arrays
    from."""
    if getattr(type(x), "_tells_kernels", False) or not hasattr(x, "__dict__"):
        return True
    return isinstance(x, (type, ModuleType, FunctionType)) or callable(x)


def forget():
    """Forgets which kernels are to be notified."""
    _watched.clear()
