# SPDX-License-Identifier: Apache-2.0
"""The types of elements: dtypes under short names, and vectors, matrices and structs.

A compound type is a description; calling it makes a value of the host language, `.field` and
`.ndarray` make storage of such elements.
"""

import inspect

import joggle as _jg
from joggle._fields.quant_type import QuantType
from joggle._fields.settings import config

i8, i16, i32, i64 = _jg.int8, _jg.int16, _jg.int32, _jg.int64
u8, u16, u32, u64 = _jg.uint8, _jg.uint16, _jg.uint32, _jg.uint64
u1 = _jg.bool
f16, bf16, f32, f64 = _jg.float16, _jg.bfloat16, _jg.float32, _jg.float64
int8, int16, int32, int64 = i8, i16, i32, i64
uint1, uint8, uint16, uint32, uint64 = u1, u8, u16, u32, u64
float16, bfloat16, float32, float64 = f16, bf16, f32, f64

DTYPES = {
    name: value
    for name, value in globals().items()
    if isinstance(value, _jg.dtype) and name[0] in "iubf"
}
_ALLOWED = frozenset((i8, i16, i32, i64, u1, u8, u16, u32, u64, f16, bf16, f32, f64))


def as_dtype(value, argument="dtype"):
    """The joggle dtype for a dtype, a name, int, float, bool, or a dtype of NumPy or torch;
    int and float are the defaults of init. Raises TypeError for complex numbers and what is only
    stored."""
    if value is int:
        return config.default_ip
    if value is float:
        return config.default_fp
    if value is bool:
        return u1
    try:
        found = _jg.dtype(DTYPES.get(value, value) if isinstance(value, str) else value)
    except TypeError as error:
        raise TypeError(f"{argument}: {str(error).removeprefix('dtype: ')}") from None
    if found not in _ALLOWED:
        raise TypeError(f"{argument}: got {found!r}, allowed are bool, integers and real floats")
    return found


def is_real(dtype):
    return dtype in (f16, bf16, f32, f64)


def is_integral(dtype):
    return not is_real(dtype)


def is_signed(dtype):
    return dtype in (i8, i16, i32, i64) or is_real(dtype)


class CompoundType:
    """The base of the types of vectors, matrices and structs."""


def _extent(name, value):
    """How many rows or columns; None leaves it open."""
    if value is not None and (not isinstance(value, int) or value < 1):
        raise TypeError(f"{name}: got {value!r}, allowed are integers from 1")
    return value


def shape_matches(wanted, shape):
    """Whether elements have the shape of an annotation, in which None stands for any extent."""
    return len(wanted) == len(shape) and all(
        extent in (None, found) for extent, found in zip(wanted, shape, strict=True)
    )


class MatrixType(CompoundType):
    """n by m scalars; a vector where ndim is 1. What is left out (None) matches anything in an
    annotation, and raises TypeError where storage is made.

    Called with items, rows, vectors in a row, or one number for all items.
    """

    # The modules that define values and storage set these, as they import this one.
    _value = _make_field = _make_ndarray = None
    quant = None  # of numbers of few bits: their type

    def __init__(self, n=None, m=None, dtype=None, ndim=2):
        self.n, self.m, self.ndim = _extent("n", n), _extent("m", m), ndim
        if isinstance(dtype, QuantType):
            self.quant, dtype = dtype, dtype.compute
        self.dtype = None if dtype is None else as_dtype(dtype)

    @property
    def element_shape(self):
        return (self.n,) if self.ndim == 1 else (self.n, self.m)

    def matches(self, shape):
        """Whether an element may have this shape."""
        return shape_matches(self.element_shape, shape)

    def __call__(self, *values):
        if len(values) == 1:
            values = values[0]
        return self._value(values, self.element_shape, self.dtype)

    def field(self, *args, **kwargs):
        return self._make_field(self, *args, **kwargs)

    def ndarray(self, *args, **kwargs):
        return self._make_ndarray(self, *args, **kwargs)

    def __eq__(self, other):
        return isinstance(other, MatrixType) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def _key(self):
        return (self.n, self.m, self.ndim, self.dtype, self.quant)

    def __repr__(self):
        name = None if self.dtype is None else self.dtype.name
        if self.ndim == 1:
            return f"vector({self.n}, {name})"
        return f"matrix({self.n}, {self.m}, {name})"


class DefaultMatrixType(MatrixType):
    """A type whose scalars have a default dtype of qd.init, "default_fp" say, as it is when it is
    asked for."""

    def __init__(self, n, m, setting, ndim=2):
        self._setting = setting
        super().__init__(n, m, None, ndim)

    @property
    def dtype(self):
        return getattr(config, self._setting)

    @dtype.setter
    def dtype(self, dtype):
        assert dtype is None


def vector(n=None, dtype=None, unpacked=False):
    """The type of vectors of n scalars. unpacked has no effect: kernels take all vectors apart."""
    del unpacked
    return MatrixType(n, 1, dtype, ndim=1)


def matrix(n=None, m=None, dtype=None):
    """The type of matrices of n rows and m columns."""
    return MatrixType(n, m, dtype, ndim=2)


class StructType(CompoundType):
    """Named members, each of a dtype or a compound type, and methods of values and elements.

    Called with values in order, by name, or with one struct or dict; what is left out is 0. One
    number alone for several members is refused: it might be meant for the first, or for all.
    """

    _value = _make_field = None  # struct.py sets them, as it imports this module

    def __init__(self, **members):
        self.methods = members.pop("__struct_methods", {})
        self.name = members.pop("__struct_name", "struct")
        self.members = {name: as_member(name, type_) for name, type_ in members.items()}

    def __call__(self, *args, **kwargs):
        return self._value(self, args, kwargs)

    def field(self, *args, **kwargs):
        return self._make_field(self, *args, **kwargs)

    def __eq__(self, other):
        return isinstance(other, StructType) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def _key(self):
        return (tuple(self.members.items()), tuple(self.methods.items()))

    def __repr__(self):
        inside = ", ".join(
            f"{name}={getattr(type_, 'name', type_)}" for name, type_ in self.members.items()
        )
        return f"{self.name}({inside})"


def struct(**members):
    """The type of structs with these members."""
    return StructType(**members)


def as_member(name, type_):
    """A member's type: a compound type as it is, a dict as a struct, else a dtype."""
    if isinstance(type_, CompoundType):
        return type_
    if isinstance(type_, dict):
        return StructType(**type_)
    return as_dtype(type_, f"member {name!r}")


def dataclass(cls):
    """Makes a struct type of a class: annotations are members, functions are methods. Raises
    TypeError for a member with a default value."""
    if isinstance(cls, StructType):
        return cls
    if not isinstance(cls, type):
        raise TypeError(f"dataclass: got {cls!r}, allowed are classes")
    members = inspect.get_annotations(cls)
    methods = {
        name: value
        for name, value in cls.__dict__.items()
        if callable(value) and not (name.startswith("__") and name.endswith("__"))
    }
    for name, value in cls.__dict__.items():
        if name in members and not callable(value):
            raise TypeError(
                f"{cls.__name__}.{name}: got the default value {value!r}, allowed for members of a "
                "struct are types alone"
            )
    return StructType(**members, __struct_methods=methods, __struct_name=cls.__name__)


class NdarrayType:
    """A kernel's parameter that is an array; what is left out is taken from the argument.

    dtype: of the scalars, or a type of vectors or matrices. ndim, or field_dim: without the
    elements' axes, which a plain tensor has as its last. element_shape: of vectors and matrices;
    element_dim: how many axes it has. needs_grad: True if arguments must have a gradient, False if
    the kernel takes them for constants. boundary: "clamp" if indices outside of the array mean the
    nearest inside.
    """

    def __init__(
        self,
        dtype=None,
        ndim=None,
        element_dim=None,
        element_shape=None,
        field_dim=None,
        needs_grad=None,
        boundary="unsafe",
    ):
        self._element = dtype if isinstance(dtype, MatrixType) else None
        if self._element is not None:
            if not any(dtype.element_shape):  # of any size
                element_dim = _agreed("element_dim", element_dim, dtype.ndim)
            else:
                element_shape = _agreed("element_shape", element_shape, dtype.element_shape)
            dtype = None
        self._dtype = None if dtype is None else as_dtype(dtype)
        self.ndim = _agreed("ndim", field_dim, ndim)
        if self.ndim is not None and (not isinstance(self.ndim, int) or self.ndim < 0):
            raise TypeError(f"ndim: got {self.ndim!r}, allowed are integers from 0")
        self.element_shape = None if element_shape is None else tuple(element_shape)
        found = None if element_shape is None else len(self.element_shape)
        self.element_dim = _agreed("element_dim", element_dim, found)
        if self.element_dim not in (None, 0, 1, 2):
            raise TypeError(f"element_dim: got {self.element_dim!r}, allowed are 0, 1, 2 and None")
        if boundary not in ("unsafe", "clamp"):
            raise ValueError(f"boundary: got {boundary!r}, allowed are 'unsafe' and 'clamp'")
        if needs_grad not in (None, True, False):
            raise TypeError(f"needs_grad: got {needs_grad!r}, allowed are True, False and None")
        self.needs_grad, self.boundary = needs_grad, boundary

    @property
    def dtype(self):
        """The scalars' dtype; for types of qd.math the default of init."""
        return self._dtype if self._element is None else self._element.dtype

    def __class_getitem__(cls, key):
        """NDArray[dtype, ndim], the same as ndarray(dtype, ndim)."""
        return cls(*key) if isinstance(key, tuple) else cls(key)

    def __or__(self, other):
        """ndarray(...) | None: an array, or None, which is known when the kernel is compiled."""
        return OptionalType(self) if other is None else NotImplemented

    __ror__ = __or__

    def __repr__(self):
        name = None if self.dtype is None else self.dtype.name
        return f"ndarray(dtype={name}, ndim={self.ndim}, element_shape={self.element_shape})"


def _agreed(name, given, known):
    """One of two arguments with the same meaning, whichever is given. Raises TypeError if they
    differ."""
    if given is None or known is None or given == known:
        return known if given is None else given
    raise TypeError(f"{name}: got {given!r}, allowed is {known!r}, as the other arguments say")


class OptionalType:
    """A kernel's parameter that is an array of a type, or None."""

    def __init__(self, type_):
        self.type = type_

    def __repr__(self):
        return f"{self.type!r} | None"


ndarray = NdarrayType
NDArray = NdarrayType


class SparseMatrixBuilderType:
    """A kernel's parameter that is a builder of a sparse matrix (qd.linalg.SparseMatrixBuilder)."""


sparse_matrix_builder = SparseMatrixBuilderType


class Template:
    """A kernel's parameter that is known when it is compiled: a field, or any constant.

    element_type: the dtype, or the type of vectors, matrices or structs, that a field must have; or
    the class of another object. ndim: how many axes it must have.
    """

    def __init__(self, element_type=None, ndim=None):
        kinds = (CompoundType, _jg.dtype, type, None.__class__)
        if not isinstance(element_type, kinds):
            raise TypeError(f"element_type: got {element_type!r}, allowed are dtypes and types")
        if ndim is not None and (not isinstance(ndim, int) or ndim < 0):
            raise TypeError(f"ndim: got {ndim!r}, allowed are integers from 0")
        self.dtype, self.ndim = element_type, ndim

    def fault(self, x, type_, ndim):
        """The mismatch of an object whose elements have a type (None: it is no array), or None."""
        wanted = self.dtype
        if wanted in (int, float, bool) or isinstance(wanted, (_jg.dtype, CompoundType)):
            of_python = isinstance(wanted, type) and isinstance(x, wanted)
            wanted = wanted if isinstance(wanted, CompoundType) else as_dtype(wanted)
            if type_ != wanted and not of_python:
                got = type_ or type(x).__name__
                return f"got elements of {got}, allowed is {wanted}, as the annotation says"
        elif wanted is not None and wanted is not object and not isinstance(x, wanted):
            return f"got {type(x).__name__}, allowed is {wanted.__name__}, as the annotation says"
        if self.ndim is not None and ndim != self.ndim:
            return f"got {ndim} dimensions, allowed are {self.ndim}, as the annotation says"
        return None

    def __repr__(self):
        return "template()"


def template(element_type=None, ndim=None):
    return Template(element_type, ndim)


class Ref(Template):
    """A function's parameter that is the variable it is called with."""

    def __repr__(self):
        return f"ref({self.dtype})"


def ref(element_type):
    """The annotation of a parameter through which a function assigns to its caller's variable."""
    return Ref(element_type)
