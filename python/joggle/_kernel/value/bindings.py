# SPDX-License-Identifier: Apache-2.0
"""Arrays that a kernel reaches by the attributes of objects, and by those of its arguments.

self.x is looked up when a kernel is compiled. The next call may find another array there: it is
passed instead of the first if the code fits it, otherwise the kernel is compiled again. Numbers
that attributes hold are constants of the code. Objects of @data_oriented classes notify when an
attribute is set; for others, and for lists, deques and dicts, each call compares.
"""

import weakref
from collections import deque
from contextlib import suppress
from types import FunctionType, MappingProxyType, MemberDescriptorType, ModuleType

from joggle._fields.field import Storage
from joggle._fields.matrix import Matrix
from joggle._fields.struct import Struct, StructField

from ..ir.messages import KernelTypeError

_watched = {}  # by id of an object: by an attribute's name the kernels that found an array there
_owners = {}  # by id: weak references to these objects
_MOST_ITEMS, _DEPTH = 256, 4  # of containers that are looked into
_MAPPINGS = (dict, MappingProxyType)
_CONTAINERS = (list, tuple, deque, *_MAPPINGS)


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
        self.owner, self.name, self.kind = _held(owner), name, kind

    def of(self, passed):
        """The number for a call. Raises KernelTypeError if its kind has changed."""
        found = getattr(self.owner(), self.name)
        if type(found) is not self.kind:
            raise KernelTypeError(
                f"attribute {self.name}: got {type(found).__name__}, allowed is "
                f"{self.kind.__name__}, as when the kernel was compiled"
            )
        return found


def is_lifted(owner, name):
    """Whether a number that an object holds is an argument of kernels, not a constant of theirs."""
    return getattr(type(owner), "_lifts_numbers", False) and name in getattr(owner, "__dict__", {})


class _Read:
    """What an attribute of an object was found to hold.

    form: of containers, else None. leaves: what they hold, or the value itself, each to be called;
    like the owner they are held weakly, unless they are arrays, which the code passes. is_own:
    whether the object itself has the attribute, and not its class.
    """

    def __init__(self, owner, name, value, is_own):
        self.owner, self.name, self.is_own = _held(owner), name, is_own
        self.take(*_apart(value))

    def take(self, form, leaves):
        self.form, self.leaves = form, [_held(x) for x in leaves]

    def now(self):
        """The form and leaves of what it holds now; None if the object is gone, which then cannot
        be reached."""
        owner = self.owner()
        if owner is None:
            return None
        return _apart(getattr(owner, self.name, None))

    def is_same(self, now):
        if now is None:
            return True
        form, leaves = now
        return self.form == form and all(x() is y for x, y in zip(self.leaves, leaves, strict=True))

    def is_told(self):
        """Whether the kernel is notified when it changes."""
        owner = self.owner()
        if owner is None or getattr(type(owner), "_has_stable_members", False):
            return True
        return self.is_own and tells(owner) and not _may_change(self.form)


class Reads:
    """The attributes that a kernel found arrays, and objects that hold more, in."""

    def __init__(self):
        self._found = {}  # _Read by id of owner and name
        self._fixed = set()  # ids of arrays that the source also uses in other ways
        self._containers = set()  # ids of lists, tuples and dicts that are looked up again

    def add(self, owner, name, value):
        """Notes what an attribute holds. Those of classes and modules are constants."""
        if isinstance(owner, (type, ModuleType)) or not _may_be_another(value):
            return
        is_own = getattr(owner, "__dict__", {}).get(name) is value
        if is_own or isinstance(value, Storage) or _is_stored(owner, name, value):
            self._found[id(owner), name] = _Read(owner, name, value, is_own)
            self._containers.update(map(id, _containers_of(value)))

    def fix(self, x):
        """Notes an array that is reached by something else than an attribute."""
        self._fixed.update(id(plane) for plane in _planes(x))

    def has(self, container):
        """Whether a container is what an attribute holds, so that its items are, too."""
        return id(container) in self._containers

    def watch(self, kernel):
        """Has the kernel notified when one of the attributes is set."""
        for (_, name), read in self._found.items():
            owner = read.owner()
            if getattr(type(owner), "_tells_kernels", False):
                _listeners_of(owner).setdefault(name, weakref.WeakSet()).add(kernel)

    def are_told(self):
        """Whether the kernel is notified when what an attribute holds changes."""
        return all(read.is_told() for read in self._found.values())

    def renewed(self, slots, key):
        """The objects of slots, replaced by those that the attributes hold now; None if the code
        does not fit these. key(array) gives what code depends on."""
        now = {place: read.now() for place, read in self._found.items()}
        if all(read.is_same(now[place]) for place, read in self._found.items()):
            return slots
        changed, planes = {}, {}
        for place, read in self._found.items():
            form, leaves = now[place] or (read.form, [x() for x in read.leaves])
            if form != read.form:
                return None
            for value, other in zip([x() for x in read.leaves], leaves, strict=True):
                # An array that two attributes held is declared once.
                if changed.setdefault(id(value), other) is not other:
                    return None
                if other is not value and not self._fits(value, other, key):
                    return None
                planes.update(zip(map(id, _planes(value)), _planes(other), strict=True))
        for place, read in self._found.items():
            if now[place] is not None:
                read.take(*now[place])
        return [planes.get(id(slot), slot) for slot in slots]

    def _fits(self, value, other, key):
        if not isinstance(value, Storage) or not isinstance(other, Storage):
            return False
        fixed = any(id(plane) in self._fixed for plane in _planes(value))
        return not fixed and key(value) == key(other)


def _is_stored(owner, name, value):
    """Whether an attribute is in a slot or of the class, so that each look at it gives the same."""
    found = getattr(type(owner), name, None)
    return found is value or isinstance(found, MemberDescriptorType)


def held(x):
    """A function that gives x: a weak reference, if there can be one."""
    try:
        return weakref.ref(x)
    except TypeError:
        return lambda: x


def _held(x):
    return (lambda: x) if isinstance(x, Storage) else held(x)


def _is_container(x):
    return isinstance(x, _CONTAINERS) and len(x) <= _MOST_ITEMS


def _items(container):
    return container.values() if isinstance(container, _MAPPINGS) else container


def _apart(x, depth=_DEPTH):
    """The form of a container, and what it holds, however deep; (None, [x]) of anything else."""
    if depth == 0 or not _is_container(x):
        return None, [x]
    forms, leaves = [], []
    for item in _items(x):
        form, inside = _apart(item, depth - 1)
        forms.append(form)
        leaves += inside
    return (type(x), tuple(x) if isinstance(x, _MAPPINGS) else None, tuple(forms)), leaves


def _containers_of(x, depth=_DEPTH):
    """A container and those inside of it."""
    if depth == 0 or not _is_container(x):
        return []
    return [x, *(found for item in _items(x) for found in _containers_of(item, depth - 1))]


def _may_change(form):
    """Whether a container of a form, or one inside of it, may change in place."""
    if form is None:
        return False
    kind, _, forms = form
    return not issubclass(kind, tuple) or any(map(_may_change, forms))


def _may_be_another(value):
    """Whether a value is an array, or an object or a container that may hold some."""
    _, leaves = _apart(value)
    return any(_may_hold_arrays(x) for x in leaves)


def _may_hold_arrays(x):
    if isinstance(x, Storage):
        return True
    return _has_attributes(x) and not isinstance(x, (Matrix, Struct)) and not _is_constant(x)


def _has_attributes(x):
    """Whether attributes of x can be set, in its dict or in slots."""
    return hasattr(x, "__dict__") or any(getattr(c, "__slots__", ()) for c in type(x).__mro__)


def _is_constant(x):
    """Whether x is a class, a module or a function: what has a __call__ of Python's is an object
    like others, unless it is one of ours."""
    if isinstance(x, (type, ModuleType)):
        return True
    if not callable(x):
        return False
    is_object = isinstance(type(x).__call__, FunctionType)
    return not is_object or type(x).__module__.startswith("joggle.")


def _planes(x):
    """The arrays that a field is declared as: itself, or those of a struct's members."""
    if isinstance(x, StructField):
        return [plane for member in x._members.values() for plane in _planes(member)]
    return [x]


def _listeners_of(owner):
    """The kernels that read attributes of an object, by name, for as long as the object lives."""
    address = id(owner)
    if address not in _watched:
        _watched[address] = {}
        with suppress(TypeError):  # a class with slots and without one for that
            _owners[address] = weakref.ref(owner, lambda _: _forget_owner(address))
    return _watched[address]


def _forget_owner(address):
    _watched.pop(address, None)
    _owners.pop(address, None)


def tell_when_set(cls):
    """Makes the objects of a class notify when their attributes are set."""
    inherited = cls.__setattr__

    def __setattr__(self, name, value):
        inherited(self, name, value)
        for kernel in _watched.get(id(self), {}).get(name, ()):
            kernel._forget()

    cls.__setattr__ = __setattr__


def tells(x):
    """Whether x notifies when its attributes are set, or has none that a kernel reads arrays
    from."""
    return getattr(type(x), "_tells_kernels", False) or not _has_attributes(x) or _is_constant(x)


def forget():
    """Forgets which kernels are to be notified."""
    _watched.clear()
    _owners.clear()
