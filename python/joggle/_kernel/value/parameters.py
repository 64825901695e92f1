# SPDX-License-Identifier: Apache-2.0
"""The parameters of kernels: how each kind is declared, which properties of an argument the code
depends on, and what is passed at a launch.

A parameter's `key(argument)` is what the code depends on; calls with equal keys share the code.
`declare` gives the parameter's value in the kernel. `passed(argument)` lists what goes to the
launch, in the order of the declarations.
"""

import dataclasses
import math
import typing
from itertools import chain, product

from joggle._fields.field import Storage
from joggle._fields.matrix import Matrix
from joggle._fields.settings import config
from joggle._fields.struct import Struct
from joggle._fields.tensor import Tensor as TensorStorage
from joggle._fields.types import shape_matches

from ..ir import types
from ..ir.messages import KernelTypeError
from .array import ArrayValue, RecordArray
from .bindings import tells
from .capture import CAPTURED, array_of, is_plain_field, is_struct_field, layout_of
from .identity import Identity
from .values import Record, Tensor

_more_kinds = []  # see annotated


class Kind:
    """The base of all kinds of parameters: how calls that have been seen are distinguished.

    description: how arguments are taken apart into parts (python/src/kernel/parts.c). The letter of
    a part is n where the code depends on nothing, a on an array's dtype and axes, w on which object
    it is: wholes lists these, which the code does not keep alive.
    """

    description = None

    # Each kind has key, declare and passed; see the module's doc string.

    def parts(self, argument):
        """For each part what it passes if that is stored with the code, and kept alive by it; None
        if the part itself is passed."""
        return [None]

    def is_lasting(self, argument):
        """Whether the same parts always mean the same code."""
        return True

    def is_fixed(self, argument):
        """Whether a member of a frozen dataclass passes the same, and means the same code, for as
        long as the object lives."""
        return False

    def shorten(self):
        """Takes objects of frozen dataclasses as one part each, where there are too many parts."""

    def wholes(self, argument):
        """The objects that are one part each, by identity."""
        return []


class Scalar(Kind):
    """A number, converted to the annotation's dtype."""

    description = "n"

    def __init__(self, dtype):
        self.dtype = dtype

    def key(self, argument):
        return None

    def declare(self, lowering, name, argument):
        return lowering.declare_scalar(name, self.dtype, CAPTURED)

    def passed(self, argument):
        return (argument,)

    def is_fixed(self, argument):
        return isinstance(argument, (bool, int, float))


class Array(Kind):
    """An array of any strides: a field, an ndarray, or a tensor of another framework."""

    description = "a"

    def __init__(self, type_, or_none=False):
        self.type, self.or_none = type_, or_none

    def key(self, argument):
        if argument is None and self.or_none:
            return None
        if getattr(argument, "_cells", None) is not None:
            raise KernelTypeError(
                "got a field whose cells need not exist, allowed for it is template()"
            )
        if getattr(argument, "_quant", None) is not None:
            raise KernelTypeError(
                "got a field of numbers of few bits, allowed for it is template()"
            )
        if self.type.needs_grad and not _has_gradient(argument):
            raise KernelTypeError("got an array without a gradient, allowed are those with one")
        return self._key(argument)

    def _key(self, argument):
        """Dtype, rank and element shape. Where the annotation says how many axes elements have and
        not their extents, these are the last axes of a plain tensor."""
        dtype, ndim, element_shape = array_key(argument)
        count = self.type.element_dim
        if count is None or self.type.element_shape is not None:
            return dtype, ndim, element_shape
        if not element_shape and count <= ndim:
            shape = getattr(argument, "shape", None)
            shape = _imported(argument).shape if shape is None else shape
            return dtype, ndim - count, tuple(shape[ndim - count :])
        if len(element_shape) != count:
            raise KernelTypeError(
                f"got {ndim} dimensions and elements of {element_shape}, allowed are "
                f"elements of {count} dimensions, as the annotation says"
            )
        return dtype, ndim, element_shape

    def is_lasting(self, argument):
        if argument is None or self.type.needs_grad:
            return False
        # The base class of kernels tells extents of elements apart, and no others.
        known = self.type.element_dim in (None, 0) or self.type.element_shape is not None
        return known or bool(getattr(argument, "element_shape", None))

    def is_fixed(self, argument):
        """Tensors of torch can get another shape; fields and ndarrays cannot."""
        if argument is None:
            return self.or_none
        return isinstance(argument, Storage) and not self.type.needs_grad

    def declare(self, lowering, name, argument):
        if argument is None and self.or_none:
            return None
        dtype, ndim, element_shape = self._key(argument)
        dtype, ndim, element_shape = self._checked(name, dtype, ndim, element_shape)
        extents = (None,) * ndim + tuple(element_shape)
        strides = (None,) * (ndim + len(element_shape))
        slot = lowering.declare_array(name, dtype, extents, strides, CAPTURED)
        array = ArrayValue(slot, dtype, (None,) * ndim, element_shape)
        array.is_clamped = self.type.boundary == "clamp"
        if self.type.needs_grad is False:
            lowering.stopped.add(slot)
            array.has_no_grad = True
        return array

    def _checked(self, name, dtype, ndim, element_shape):
        """Dtype, rank and element shape, after comparing them with the annotation."""
        wanted = self.type
        shape = wanted.element_shape
        if shape and not element_shape:  # a plain tensor: its last axes are the elements'
            ndim, element_shape = ndim - len(shape), tuple(shape)
        if wanted.dtype is not None and types.dtype_name(wanted.dtype) != dtype:
            raise KernelTypeError(
                f"argument {name}: got an array of {dtype}, allowed is {wanted.dtype.name}, as the "
                "annotation says"
            )
        if (wanted.ndim is not None and wanted.ndim != ndim) or ndim < 0:
            raise KernelTypeError(
                f"argument {name}: got {ndim} dimensions, allowed are {wanted.ndim}, as the "
                "annotation says"
            )
        if shape is not None and not shape_matches(shape, element_shape):
            raise KernelTypeError(
                f"argument {name}: got elements of {element_shape}, allowed are those of {shape}, "
                "as the annotation says"
            )
        return dtype, ndim, element_shape

    def passed(self, argument):
        return () if argument is None else (argument,)


def _has_gradient(x):
    """Whether an array has a gradient beside it, or, of torch, is to get one."""
    return x.has_grad() if isinstance(x, Storage) else bool(getattr(x, "requires_grad", False))


def call_key(kernel, kinds, args):
    """The key of the code for a call: the properties of each argument that the code depends on.
    Raises KernelTypeError that names the kernel and the parameter. kinds: by parameter name."""
    try:
        return tuple([kind.key(x) for kind, x in zip(kinds.values(), args, strict=True)])
    except KernelTypeError:
        # Again, to find the parameter: successful calls need no names.
        for (name, kind), x in zip(kinds.items(), args, strict=True):
            try:
                kind.key(x)
            except KernelTypeError as error:
                raise KernelTypeError(f"[{kernel}] {name}: {error}") from None
        raise


def array_key(argument):
    """Dtype, rank and element shape of an array."""
    try:
        dtype, ndim = argument.dtype, len(argument.shape)
    except (AttributeError, TypeError):
        return _imported_key(argument)
    except RuntimeError:  # a nested tensor of torch has no extents
        raise KernelTypeError(
            f"got {type(argument).__name__} without dtype and shape, allowed are dense tensors"
        ) from None
    return types.dtype_name(dtype), ndim, tuple(getattr(argument, "element_shape", None) or ())


def _imported_key(argument):
    """An object without an array's attributes may still be importable, as the launch does it."""
    array = _imported(argument)
    return array.dtype.name, array.ndim, ()


def _imported(argument):
    import joggle

    if not hasattr(argument, "__dlpack__") and not _has_buffer(argument):
        raise KernelTypeError(
            f"got {type(argument).__name__} for an array; allowed are fields, ndarrays, tensors of "
            "NumPy, torch, JAX and joggle, and all that speak DLPack"
        )
    return joggle.asarray(argument)


def _has_buffer(argument):
    try:
        memoryview(argument)
    except TypeError:
        return False
    return True


class MatrixValue(Kind):
    """A vector or matrix by value: a scalar argument for each item."""

    def __init__(self, type_):
        self.type = type_
        self.shape = tuple(type_.element_shape)
        if None in self.shape:
            raise KernelTypeError(f"got {type_!r}, allowed is a type whose extents are all given")
        self.dtype = types.dtype_name(type_.dtype or float)
        self.description = math.prod(self.shape)

    def key(self, argument):
        if not isinstance(argument, (Matrix, list, tuple)) and not hasattr(argument, "tolist"):
            raise KernelTypeError(
                f"got {type(argument).__name__}, allowed are vectors, lists and arrays of "
                f"{self.description} numbers"
            )
        count = len(flat_items(argument))
        if count != self.description:
            raise KernelTypeError(f"got {count} numbers, allowed are {self.description}")

    def parts(self, argument):
        return [None] * self.description

    def declare(self, lowering, name, argument):
        items = []
        for place in product(*map(range, self.shape)):
            item = f"{name}_{'_'.join(map(str, place))}"
            items.append(lowering.declare_scalar(item, self.dtype, CAPTURED))
        return Tensor(self.shape, items)

    def passed(self, argument):
        return tuple(flat_items(argument))


def flat_items(x):
    """The numbers of a vector, matrix, array or nested list, row by row."""
    if isinstance(x, Matrix):
        return list(x._values)
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return [item for part in x for item in flat_items(part)]
    return [x]


class StructValue(Kind):
    """A struct by value: an argument for each member."""

    def __init__(self, type_):
        self.type = type_
        self.members = {name: kind_of(member, name) for name, member in type_.members.items()}
        self.description = {name: kind.description for name, kind in self.members.items()}

    def key(self, argument):
        if not isinstance(argument, (dict, Struct)):
            raise KernelTypeError(f"got {type(argument).__name__}, allowed are structs and dicts")
        values = argument if isinstance(argument, dict) else argument.entries
        for name, kind in self.members.items():
            if name not in values:
                raise KernelTypeError(
                    f"got a struct of {', '.join(values)}, allowed are those with a member {name}"
                )
            try:
                kind.key(values[name])
            except KernelTypeError as error:
                raise KernelTypeError(f"member {name}: {error}") from None

    def parts(self, argument):
        return [x for kind in self.members.values() for x in kind.parts(None)]

    def declare(self, lowering, name, argument):
        members = {
            n: kind.declare(lowering, f"{name}_{n}", None) for n, kind in self.members.items()
        }
        return Record(self.type, members)

    def passed(self, argument):
        out = []
        for name, kind in self.members.items():
            member = argument[name] if isinstance(argument, dict) else getattr(argument, name)
            out.extend(kind.passed(member))
        return out


class Dataclass(Kind):
    """An object of a dataclass of Python: each field by its own annotation.

    is_whole: the object is one part. It is frozen, so that its members need not be looked at again.
    """

    is_whole = False

    def __init__(self, type_):
        self.type = type_
        hints = typing.get_type_hints(type_)
        names = [field.name for field in dataclasses.fields(type_)]
        self.members = {name: kind_of(hints[name], name) for name in names}
        self._describe()

    def _describe(self):
        pairs = ((name, kind.description) for name, kind in self.members.items())
        self.description = tuple(chain.from_iterable(pairs))

    def shorten(self):
        if self.type.__dataclass_params__.frozen:
            self.is_whole, self.description = True, "w"
            return
        for kind in self.members.values():
            kind.shorten()
        self._describe()

    def wholes(self, argument):
        if self.is_whole:
            return [argument]
        return [
            x for name, kind in self.members.items() for x in kind.wholes(getattr(argument, name))
        ]

    def key(self, argument):
        return tuple(kind.key(getattr(argument, name)) for name, kind in self.members.items())

    def parts(self, argument):
        if self.is_whole:
            return [list(self.passed(argument))]
        pairs = [(kind, getattr(argument, name)) for name, kind in self.members.items()]
        return [x for kind, member in pairs for x in kind.parts(member)]

    def is_lasting(self, argument):
        if self.is_whole:
            return self.is_fixed(argument)
        return all(k.is_lasting(getattr(argument, name)) for name, k in self.members.items())

    def is_fixed(self, argument):
        params = getattr(type(argument), "__dataclass_params__", None)
        return (
            params is not None
            and params.frozen
            and all(k.is_fixed(getattr(argument, name)) for name, k in self.members.items())
        )

    def declare(self, lowering, name, argument):
        first = len(lowering.slots)
        members = {
            n: kind.declare(lowering, f"{name}_{n}", getattr(argument, n))
            for n, kind in self.members.items()
        }
        places = range(first, len(lowering.slots))
        lowering.members.update(p for p in places if lowering.slots[p] is CAPTURED)
        return Members(members, argument)

    def passed(self, argument):
        return [
            x for name, kind in self.members.items() for x in kind.passed(getattr(argument, name))
        ]


class Members:
    """An object whose attributes are values of the kernel."""

    def __init__(self, members, object):
        self.__dict__.update(members)
        self._object = object


class Template(Kind):
    """The facts that are known when compiling. Fields of one layout share code."""

    description = "w"

    def __init__(self, annotation=None):
        self.annotation = annotation  # what is required of the argument

    def parts(self, argument):
        passed = list(self.passed(argument))
        return [None] if len(passed) == 1 and passed[0] is argument else [passed]

    def is_lasting(self, argument):
        """Floats and texts may be equal without being identical; lists and vectors may change, and
        so may attributes of objects that do not notify."""
        if isinstance(argument, (float, str, list, tuple, dict, Matrix, Struct)):
            return False
        if isinstance(argument, Storage):
            return is_plain_field(argument) or not is_foreign_array(argument)
        return not is_foreign_array(argument) and tells(argument)

    def wholes(self, argument):
        return [] if argument is None or type(argument) in (bool, int) else [argument]

    def is_fixed(self, argument):
        return isinstance(argument, (float, str)) or self.is_lasting(argument)

    def key(self, argument):
        if isinstance(argument, float) and config.raise_on_templated_floats:
            raise KernelTypeError(
                f"got the float {argument!r}, which raise_on_templated_floats of init forbids for "
                "a template, "
                "allowed are others"
            )
        if self.annotation is not None:
            check_template(self.annotation, argument)
        return template_key(argument)

    def declare(self, lowering, name, argument):
        if is_plain_field(argument):
            return array_of(lowering, argument, name, CAPTURED)
        if is_struct_field(argument):
            members = {
                n: self.declare(lowering, f"{name}_{n}", member)
                for n, member in argument._members.items()
            }
            return RecordArray(name, argument._type, members, argument.shape, argument)
        if is_foreign_array(argument):
            return Array(types.NdarrayType()).declare(lowering, name, argument)
        if isinstance(argument, (tuple, list)):
            items = [self.declare(lowering, name, item) for item in argument]
            make = getattr(argument, "_make", type(argument))  # named tuples take them apart
            return make(items)
        if type(argument) is dict:
            return {key: self.declare(lowering, name, item) for key, item in argument.items()}
        return lowering.capture(argument, name)

    def passed(self, argument):
        if is_struct_field(argument):
            return [x for m in argument._members.values() for x in self.passed(m)]
        if is_plain_field(argument) or is_foreign_array(argument):
            return (argument,)
        if isinstance(argument, (tuple, list)):
            return [x for item in argument for x in self.passed(item)]
        if type(argument) is dict:
            return [x for item in argument.values() for x in self.passed(item)]
        return ()


def check_template(annotation, x):
    """Raises KernelTypeError unless an object is what qd.template(element_type, ndim) asks for."""
    type_, ndim = None, None
    if isinstance(x, Storage):
        type_, ndim = x._type, len(x.shape)
    elif is_foreign_array(x):
        type_, ndim = types.dtype_object(types.dtype_name(x.dtype)), len(x.shape)
    fault = annotation.fault(x, type_, ndim)
    if fault:
        raise KernelTypeError(fault)


def is_foreign_array(x):
    """Whether x is an array of another framework or of joggle."""
    return hasattr(x, "__dlpack__") and getattr(x, "shape", None) is not None


def template_key(x):
    """The key of code that was specialised on x."""
    if is_struct_field(x):
        members = ((name, template_key(m)) for name, m in x._members.items())
        return *members, *method_keys(x._type.methods)
    if is_plain_field(x):
        key = (layout_of(x), layout_of(x.grad)) if x.has_grad() else layout_of(x)
        return key if x._cells is None else (key, Identity(x._cells))
    if isinstance(x, Matrix):
        return Matrix, x._shape, tuple(template_key(item) for item in x._values)
    if isinstance(x, Struct):
        members = ((name, template_key(m)) for name, m in x._values.items())
        return Struct, *members, *method_keys(x._methods)
    if is_foreign_array(x):
        return array_key(x)
    if isinstance(x, (tuple, list)):
        return type(x), *(template_key(item) for item in x)
    if type(x) is dict:
        return dict, *((template_key(name), template_key(item)) for name, item in x.items())
    if is_number_object(x):
        return type(x), str(x.dtype), template_key(x.item())
    if isinstance(x, float):
        return type(x), x.hex()  # 0.0 and -0.0 are equal, and NaN is unlike itself
    if isinstance(x, (bool, int, str, type(None))):
        return type(x), x
    return Identity(x)


def method_keys(methods):
    """The key of code that calls methods of a struct."""
    return tuple((name, Identity(method)) for name, method in (methods or {}).items())


def is_number_object(x):
    """Whether x is a number of NumPy, or of a library like it."""
    return getattr(x, "shape", None) == () and hasattr(x, "item") and hasattr(x, "dtype")


def _is_storage(annotation):
    return isinstance(annotation, type) and issubclass(annotation, Storage)


def annotated(kind):
    """Registers a function that gives the kind of an annotation that it knows, else None."""
    _more_kinds.append(kind)
    return kind


# The annotations that parameters may have, for messages.
ANNOTATIONS = "dtypes, ndarray(...), vector, matrix and struct types, dataclasses and template()"


def kind_of(annotation, name):
    """The kind of a parameter with an annotation."""
    for more in _more_kinds:
        kind = more(annotation)
        if kind is not None:
            return kind
    if annotation is types.template or annotation is types.Template:
        return Template()
    if isinstance(annotation, types.Template):
        return Template(annotation)
    if annotation is types.NdarrayType or _is_storage(annotation):
        return Array(types.NdarrayType(), or_none=annotation is TensorStorage)
    if isinstance(annotation, types.OptionalType):
        return Array(annotation.type, or_none=True)
    if isinstance(annotation, types.NdarrayType):
        return Array(annotation)
    if isinstance(annotation, types.MatrixType):
        return MatrixValue(annotation)
    if isinstance(annotation, types.StructType):
        return StructValue(annotation)
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return Dataclass(annotation)
    try:
        return Scalar(types.dtype_name(annotation))
    except TypeError:
        raise KernelTypeError(
            f"parameter {name}: got the annotation {annotation!r}; allowed are {ANNOTATIONS}"
        ) from None
