# SPDX-License-Identifier: Apache-2.0
"""Structs: values of the host language, and fields of them."""

from functools import partial
from types import MethodType

from joggle._fields.field import Described, Field, ScalarField, place_arguments, with_dual
from joggle._fields.interop import StructInterop
from joggle._fields.layout import Layout
from joggle._fields.matrix import Matrix, cast_number
from joggle._fields.matrix_field import MatrixField, as_key
from joggle._fields.types import CompoundType, MatrixType, StructType, as_dtype, is_real


class _Items(tuple):
    def __call__(self):
        return self


class Struct:
    """Named values. One that was read from a field writes through to it.

    Members are attributes and items; another name raises AttributeError. Methods come from the
    type. Its own attributes bypass __setattr__, which sets members.
    """

    def __init__(self, *args, **kwargs):
        members = dict(*args, **kwargs)
        set_ = object.__setattr__
        set_(self, "_methods", members.pop("__struct_methods", {}))
        set_(self, "_place", None)
        set_(self, "_values", {name: as_value(value) for name, value in members.items()})

    @classmethod
    def _of(cls, type_, args, kwargs):
        """A value of the type from members in order, by name, or one struct or dict of them."""
        if len(args) == 1 and not kwargs and isinstance(args[0], (dict, Struct)):
            args, kwargs = (), dict(args[0].items())
        names = list(type_.members)
        if len(args) > len(names):
            raise TypeError(f"{type_.name}: got {len(args)} values, allowed are {len(names)}")
        if len(args) == 1 and not kwargs and len(names) > 1 and not hasattr(args[0], "__len__"):
            raise TypeError(one_number(type_))
        values = {**dict(zip(names, args, strict=False)), **kwargs}
        for name in values:
            if name in kwargs and name in names[: len(args)]:
                raise TypeError(f"{type_.name}: got member {name!r} twice, allowed is once")
            if name not in type_.members:
                raise TypeError(f"{type_.name}: got member {name!r}, allowed are {names}")
        members = {
            name: cast_to(member, values.get(name, 0)) for name, member in type_.members.items()
        }
        self = cls(members)
        object.__setattr__(self, "_methods", type_.methods)
        return self

    @classmethod
    def field(cls, members, methods=None, shape=None, **kwargs):
        """A field of structs with these members, a dict of types by name; methods: functions of an
        element by name; the rest as those of field."""
        if not isinstance(members, dict):
            raise TypeError(
                f"members: got {type(members).__name__}, allowed is a dict of types by name"
            )
        type_ = StructType(**members, __struct_methods=dict(methods or {}))
        return struct_field(type_, shape, **kwargs)

    @property
    def keys(self):
        return list(self._values)

    @property
    def entries(self):
        return self._values

    @property
    def items(self):
        """Names and values, as s.items and as s.items()."""
        return _Items(self._values.items())

    @property
    def methods(self):
        return self._methods

    def to_dict(self):
        """The values as plain dicts, lists and numbers."""
        return {name: plain(value) for name, value in self._values.items()}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        values = self._values
        if name in values:
            return values[name]
        if name in self._methods:
            return MethodType(self._methods[name], self)
        raise AttributeError(f"the struct has no member {name!r}, it has {list(values)}")

    def __setattr__(self, name, value):
        if name not in self._values:
            raise AttributeError(f"the struct has no member {name!r}, it has {self.keys}")
        if self._place is None:
            self._values[name] = as_value(value)
            return
        field, key = self._place
        member = field._members[name]
        member[key if key else None] = value
        self._values[name] = member[key if key else None]

    def __getitem__(self, name):
        return self._values[name]

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def __eq__(self, other):
        return isinstance(other, Struct) and self.to_dict() == other.to_dict()

    __hash__ = None

    def __repr__(self):
        return str(self.to_dict())


def one_number(type_):
    """The message for a struct type that is called with a single number."""
    names = ", ".join(f"{name}=" for name in type_.members)
    return (
        f"{type_.name}: got one number for {len(type_.members)} members, allowed are a value for "
        f"each, names as in {names}, or nothing for zeros"
    )


def as_value(value):
    """A member's value: dicts become structs, lists vectors or matrices."""
    if isinstance(value, dict):
        return Struct(value)
    return Matrix(value) if isinstance(value, (list, tuple)) else value


def cast_to(type_, value):
    """A member's value in its type; 0, the default, means zeros throughout."""
    if isinstance(type_, StructType):
        return Struct._of(type_, (), dict(value.items()) if value else {})
    if isinstance(type_, MatrixType):
        return type_(value)
    return cast_number(value, as_dtype(type_))


def plain(value):
    if isinstance(value, Struct):
        return value.to_dict()
    return value.to_list() if isinstance(value, Matrix) else value


class StructField(StructInterop, Field):
    """A field whose elements are structs. Its members are fields over the same memory."""

    def _prepare(self, type_):
        super()._prepare(type_)
        self._members = {}
        for number, (name, member) in enumerate(type_.members.items()):
            found = self._member(number, member_class(member))
            found._prepare(member)
            self._members[name] = found

    def _add_grad(self, place):
        super()._add_grad(place)
        for name, member in self._members.items():
            member.grad, member._has_grad = self.grad._members[name], True

    @property
    def keys(self):
        return list(self._members)

    @property
    def struct_methods(self):
        return self._type.methods

    @property
    def field_dict(self):
        return dict(self._members)

    def get_member_field(self, name):
        """The field of one member, over the same memory."""
        return self._members[name]

    def __getattr__(self, name):
        members = self.__dict__.get("_members", {})
        if name in members:
            return members[name]
        if name == "parent":
            return partial(Described.parent, self)
        raise AttributeError(f"{type(self).__name__} has no attribute or member {name!r}")

    def _at(self, key):
        key = as_key(key)
        place = key if key else None
        value = Struct({name: member[place] for name, member in self._members.items()})
        object.__setattr__(value, "_methods", self._type.methods)
        object.__setattr__(value, "_place", (self, key))
        return value

    def _put(self, key, value):
        if not isinstance(value, (dict, Struct)):
            raise TypeError(f"value: got {type(value).__name__}, allowed are structs and dicts")
        for name, element in value.items():
            if name not in self._members:
                raise KeyError(f"{name}: allowed are the members {self.keys}")
            self._members[name][key] = element

    def _storage(self):
        return [plane for member in self._members.values() for plane in member._storage()]


def member_class(type_):
    if isinstance(type_, MatrixType):
        return MatrixField
    return StructField if isinstance(type_, CompoundType) else ScalarField


def struct_field(
    type_,
    shape=None,
    name="",
    offset=None,
    needs_grad=False,
    needs_dual=False,
    layout=Layout.AOS,
    order=None,
):
    """A field of elements of a struct type. Arguments as those of field."""
    place = place_arguments(shape, order, name, offset, layout)
    found = StructField._make(type_, needs_grad=needs_grad, **place)
    _want_duals(found, needs_dual)
    return found


def _want_duals(field, needs_dual):
    """Makes tangents of the members that are real."""
    for member in field._members.values():
        if isinstance(member, StructField):
            _want_duals(member, needs_dual)
        elif is_real(getattr(member._type, "dtype", member._type)):
            with_dual(member, needs_dual)


StructType._value = Struct._of
StructType._make_field = staticmethod(struct_field)
