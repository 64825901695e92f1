# SPDX-License-Identifier: Apache-2.0
"""Vectors and matrices as values of the host language.

A value that was read from a field remembers its index: setting one of its elements sets the
field's. Otherwise it is a value like a number, and kernels take it as one.
"""

import math
import operator
from itertools import product

from joggle._fields.types import MatrixType, as_dtype, is_real

_SWIZZLES = ("xyzw", "rgba", "stpq")


def cast_number(value, dtype):
    if dtype is None:
        return value
    if is_real(dtype):
        return float(value)
    return bool(value) if dtype.name == "bool" else int(value)


def shape_of(values):
    """The extents of nested sequences."""
    shape = ()
    while hasattr(values, "__len__") and not isinstance(values, (str, dict)):
        shape += (len(values),)
        if not len(values):
            break
        values = values[0]
    return shape


def flatten(values, depth):
    """The numbers of sequences of this nesting depth, in order."""
    if depth == 0:
        return [value_of(values)]
    return [element for row in values for element in flatten(row, depth - 1)]


def value_of(number):
    """A number of Python for one of NumPy, torch and the like."""
    return number.item() if hasattr(number, "item") else number


def elements_of(value, shape):
    """The elements, in order, of a vector or matrix of that shape, or of a number for all. A row
    may be given for a column of the same length, and the other way round, and a list for both.
    Raises ValueError for another shape."""
    if isinstance(value, Matrix):
        found, elements = value._shape, value._values
    else:
        if not hasattr(value, "__len__"):
            return [value] * math.prod(shape)
        found = shape_of(value)
        elements = flatten(value, len(found))
    if found != tuple(shape) and not (
        math.prod(found) == math.prod(shape) and 1 in (*found, *shape)
    ):
        raise ValueError(f"shape: got an element of shape {found}, allowed is {tuple(shape)}")
    return elements


def _numpy_name(dtype):
    """A dtype as NumPy has it; None where it has none, or where a value has no dtype."""
    return None if dtype is None or dtype.name == "bfloat16" else dtype.name


def _elementwise(function):
    def method(self, other):
        return self._combine(other, function, False)

    return method


def _reflected(function):
    def method(self, other):
        return self._combine(other, function, True)

    return method


def _is_of_kernel(x):
    """Whether x is a vector of a kernel that is being compiled, whose operators take ours."""
    return hasattr(type(x), "kernel_kind")


def _with_truth(result, truth):
    """The result of == or !=, which counts as one truth."""
    if result is not NotImplemented:
        result._truth = truth
    return result


class Matrix:
    """A vector or matrix: Matrix([[1, 2], [3, 4]]), Vector([1, 2, 3]).

    Operators work item by item and give values of their own; comparisons give 0 and 1, those by ==
    and != have one truth as well. Raises ValueError for rows of different lengths and for more
    than two axes. _place and _key: the field that it was read from and its index there, which
    setting an element writes to; None of other values.
    """

    __slots__ = ("_dtype", "_key", "_place", "_shape", "_truth", "_values")

    def __init__(self, values, dt=None):
        shape = values._shape if isinstance(values, Matrix) else shape_of(values)
        if len(shape) not in (1, 2):
            raise ValueError(f"Matrix: got {len(shape)} axes, allowed are 1 and 2")
        flat = values._values if isinstance(values, Matrix) else flatten(values, len(shape))
        if len(flat) != math.prod(shape):
            raise ValueError(
                f"Matrix: got {len(flat)} numbers in {shape[0]} rows, the first of {shape[-1]}, "
                "allowed are rows that are equally long"
            )
        self._set(flat, shape, None if dt is None else as_dtype(dt))

    def _set(self, values, shape, dtype=None, place=None, key=None):
        self._values = [cast_number(value, dtype) for value in values]
        self._shape, self._place, self._key = tuple(shape), place, key
        self._dtype = dtype

    @classmethod
    def _of(cls, values, shape, dtype):
        """A value of that shape from numbers, rows, vectors in a row, or one number for all."""
        if hasattr(values, "__len__"):
            values = joined(values)
        self = object.__new__(Vector if len(shape) == 1 else Matrix)
        if not hasattr(values, "__len__") or len(values) != math.prod(shape) or _is_row(values[0]):
            values = elements_of(values, shape)
        self._set(values, shape, dtype)
        return self

    @classmethod
    def _read(cls, values, shape, place, key):
        """An element of a field. values: a list that is not shared."""
        self = object.__new__(Vector if len(shape) == 1 else Matrix)
        self._values, self._shape, self._place, self._key = values, shape, place, key
        self._dtype = None
        return self

    def _new(self, values, shape=None):
        shape = self._shape if shape is None else shape
        self = object.__new__(Vector if len(shape) == 1 else Matrix)
        self._set(values, shape)
        return self

    @property
    def n(self):
        return self._shape[0]

    @property
    def m(self):
        return self._shape[1] if len(self._shape) > 1 else 1

    @property
    def ndim(self):
        return len(self._shape)

    def get_shape(self):
        return self._shape

    def _position(self, key):
        key = key if isinstance(key, tuple) else (key,)
        if len(key) != len(self._shape):
            raise IndexError(f"index: got {len(key)} numbers, allowed are {len(self._shape)}")
        position = 0
        for index, extent in zip(key, self._shape, strict=True):
            index = operator.index(index)
            if not -extent <= index < extent:
                raise IndexError(f"index: got {index}, allowed {-extent} to {extent - 1}")
            position = position * extent + index % extent
        return position

    def __getitem__(self, key):
        items = key if isinstance(key, tuple) else (key,)
        if len(self._shape) == 2 and len(items) == 1:
            items = (items[0], slice(None))
        if not any(isinstance(item, slice) for item in items):
            return self._values[self._position(key)]
        picked = [
            range(*item.indices(extent)) if isinstance(item, slice) else (item,)
            for item, extent in zip(items, self._shape, strict=True)
        ]
        shape = [
            len(choice)
            for choice, item in zip(picked, items, strict=True)
            if isinstance(item, slice)
        ]
        return self._new([self._values[self._position(at)] for at in product(*picked)], shape)

    def __setitem__(self, key, value):
        if len(self._shape) == 2 and not isinstance(key, tuple):
            for column, element in enumerate(elements_of(value, (self.m,))):
                self[key, column] = element
            return
        position = self._position(key)
        self._values[position] = value_of(value)
        if self._place is not None:
            inside = divmod(position, self.m) if len(self._shape) == 2 else (position,)
            self._place._store(self._key + inside, self._values[position])

    def __len__(self):
        return self._shape[0]

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def to_list(self):
        if len(self._shape) == 1:
            return list(self._values)
        return [self._values[i * self.m : (i + 1) * self.m] for i in range(self.n)]

    def to_numpy(self, keep_dims=False):
        import numpy

        found = numpy.array(self.to_list(), dtype=self._numpy_dtype())
        return found.reshape(self.n, self.m) if keep_dims else found

    def __array__(self, dtype=None, copy=None):
        import numpy

        return numpy.array(self.to_list(), dtype=dtype or self._numpy_dtype())

    def _numpy_dtype(self):
        """The dtype as NumPy has it; of items without one what holds them: integers from 2^63 on
        beside smaller ones become float64 if NumPy is left to choose, and lose digits."""
        whole = self._dtype is None and all(type(value) is int for value in self._values)
        if whole and max(self._values) >= 2**63 and min(self._values) >= 0:
            return "uint64"
        return _numpy_name(self._dtype)

    def __repr__(self):
        return str(self.to_list())

    def __str__(self):
        return str(self.to_numpy())

    def fill(self, value):
        for index in product(*(range(extent) for extent in self._shape)):
            self[index] = value

    def _combine(self, other, function, reflected):
        if _is_of_kernel(other):
            return NotImplemented
        try:
            elements = elements_of(other, self._shape)
        except TypeError:
            return NotImplemented
        pairs = zip(self._values, elements, strict=True)
        return self._new([function(b, a) if reflected else function(a, b) for a, b in pairs])

    def __eq__(self, other):
        if other is None or isinstance(other, str):
            return NotImplemented
        return _with_truth(self._combine(other, lambda a, b: int(a == b), False), all)

    def __ne__(self, other):
        if other is None or isinstance(other, str):
            return NotImplemented
        return _with_truth(self._combine(other, lambda a, b: int(a != b), False), any)

    __hash__ = None

    def _map(self, function):
        return self._new([function(value) for value in self._values])

    def __neg__(self):
        return self._map(operator.neg)

    def __pos__(self):
        return self._map(operator.pos)

    def __abs__(self):
        return self._map(abs)

    def __invert__(self):
        return self._map(operator.invert)

    def __matmul__(self, other):
        if _is_of_kernel(other):
            return NotImplemented
        other = other if isinstance(other, Matrix) else Matrix(other)
        if self._shape[-1] != other.n:
            raise ValueError(
                f"shapes {self._shape} and {other._shape} cannot be multiplied, "
                "allowed are as many columns of the first as the second has rows"
            )
        rows = [self._values] if self.ndim == 1 else self.to_list()
        columns = [other._values] if other.ndim == 1 else other.transpose().to_list()
        values = [sum(map(operator.mul, row, column)) for row in rows for column in columns]
        shape = self._shape[:-1] + other._shape[1:]
        return self._new(values, shape) if shape else values[0]

    def __bool__(self):
        """For v == w, whether all items are equal; for v != w, whether any differ. Raises
        ValueError for any other value."""
        truth = getattr(self, "_truth", None)
        if truth is None:
            raise ValueError("the truth of a matrix is not one: use all() or any()")
        return bool(truth(self._values))

    def cast(self, dtype):
        dtype = as_dtype(dtype)
        return self._map(lambda value: cast_number(value, dtype))

    def transpose(self):
        """Rows as columns; a vector becomes a row."""
        if self.ndim == 1:
            return self._new(self._values, (1, self.n))
        rows = self.to_list()
        return self._new(
            [value for column in zip(*rows, strict=True) for value in column], (self.m, self.n)
        )

    def sum(self):
        return sum(self._values)

    def max(self):
        return max(self._values)

    def min(self):
        return min(self._values)

    def any(self):
        return any(self._values)

    def all(self):
        return all(self._values)

    def norm_sqr(self):
        return sum(value * value for value in self._values)

    @property
    def entries(self):
        return list(self._values)

    def frobenius_inner(self, other):
        return (self * other).sum()

    def norm(self, eps=0):
        """The root of the sum of squares and eps."""
        return math.sqrt(self.norm_sqr() + eps)

    def norm_inv(self, eps=0):
        return 1 / self.norm(eps)

    def normalized(self, eps=0):
        """The items over norm plus eps; ZeroDivisionError for zeros where eps is 0."""
        length = self.norm() + eps
        return self._map(lambda value: value / length)

    def dot(self, other):
        return sum(map(operator.mul, self._values, elements_of(other, self._shape)))

    def cross(self, other):
        """A vector for vectors of 3, a number for vectors of 2. Raises ValueError for other
        lengths."""
        a, b = self._values, elements_of(other, self._shape)
        if self.n == 2:
            return a[0] * b[1] - a[1] * b[0]
        if self.n != 3:
            raise ValueError(f"cross: got {self.n} elements, allowed are 2 and 3")
        pairs = ((1, 2), (2, 0), (0, 1))
        return self._new([a[i] * b[j] - a[j] * b[i] for i, j in pairs])

    def outer_product(self, other):
        """The matrix of all products of two vectors' items."""
        other = list(other)
        return self._new([a * b for a in self._values for b in other], (self.n, len(other)))

    def trace(self):
        self._check_square("trace")
        return sum(self[i, i] for i in range(self.n))

    def determinant(self):
        """The determinant by elimination with row exchanges, in float64. Raises ValueError unless
        it is square."""
        self._check_square("determinant")
        rows, found = [list(map(float, row)) for row in self.to_list()], 1.0
        for i in range(self.n):
            pivot = max(range(i, self.n), key=lambda r: abs(rows[r][i]))
            if rows[pivot][i] == 0:
                return 0.0
            if pivot != i:
                rows[i], rows[pivot], found = rows[pivot], rows[i], -found
            found *= rows[i][i]
            for r in range(i + 1, self.n):
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
        return found

    def inverse(self):
        """The inverse by elimination with row exchanges, in float64; ValueError where there is
        none."""
        self._check_square("inverse")
        n = self.n
        rows = [
            [*map(float, row), *(float(i == j) for j in range(n))]
            for i, row in enumerate(self.to_list())
        ]
        for i in range(n):
            pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
            if rows[pivot][i] == 0:
                raise ValueError(
                    f"inverse: got {self.to_list()}, which is singular, allowed are others"
                )
            rows[i], rows[pivot] = rows[pivot], rows[i]
            rows[i] = [value / rows[i][i] for value in rows[i]]
            for r in range(n):
                if r != i:
                    factor = rows[r][i]
                    rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
        return self._new([value for row in rows for value in row[n:]])

    def _check_square(self, name):
        if self.ndim != 2 or self.n != self.m:
            raise ValueError(f"{name}: got shape {self._shape}, allowed are square matrices")

    @classmethod
    def zero(cls, dt, n, m=None):
        shape = (n,) if m is None else (n, m)
        return Matrix._of(0, shape, as_dtype(dt))

    @classmethod
    def one(cls, dt, n, m=None):
        shape = (n,) if m is None else (n, m)
        return Matrix._of(1, shape, as_dtype(dt))

    @classmethod
    def identity(cls, dt, n):
        values = [int(i == j) for i in range(n) for j in range(n)]
        return Matrix._of(values, (n, n), as_dtype(dt))

    @classmethod
    def diag(cls, dim, val):
        return Matrix([[val if i == j else 0 for j in range(dim)] for i in range(dim)])

    @classmethod
    def unit(cls, n, i, dt=None):
        return Matrix._of([int(k == i) for k in range(n)], (n,), dt and as_dtype(dt))

    @classmethod
    def rows(cls, rows):
        return Matrix([list(row) for row in rows])

    @classmethod
    def cols(cls, cols):
        return Matrix.rows(cols).transpose()

    @classmethod
    def rotation2d(cls, alpha):
        return Matrix([[math.cos(alpha), -math.sin(alpha)], [math.sin(alpha), math.cos(alpha)]])

    @classmethod
    def field(cls, n, m, dtype, shape=None, *args, **kwargs):
        """A field of n by m matrices."""
        return MatrixType(n, m, dtype).field(shape, *args, **kwargs)

    @classmethod
    def ndarray(cls, n, m, dtype, shape, needs_grad=False):
        """An ndarray of n by m matrices."""
        return MatrixType(n, m, dtype).ndarray(shape, needs_grad)

    @classmethod
    def tensor(cls, n, m, dtype, shape, **kwargs):
        """A tensor of n by m matrices."""
        return cls._make_tensor(MatrixType(n, m, dtype), shape, **kwargs)


class Vector(Matrix):
    """A vector: Vector([1, 2, 3])."""

    __slots__ = ()

    @classmethod
    def field(cls, n, dtype, shape=None, *args, **kwargs):
        """A field of vectors of n scalars."""
        return MatrixType(n, 1, dtype, ndim=1).field(shape, *args, **kwargs)

    @classmethod
    def ndarray(cls, n, dtype, shape, needs_grad=False):
        """An ndarray of vectors of n scalars."""
        return MatrixType(n, 1, dtype, ndim=1).ndarray(shape, needs_grad)

    @classmethod
    def tensor(cls, n, dtype, shape, **kwargs):
        """A tensor of vectors of n scalars."""
        return cls._make_tensor(MatrixType(n, 1, dtype, ndim=1), shape, **kwargs)


MatrixType._value = Matrix._of


def joined(values):
    """Numbers and vectors in a row as one list of numbers; rows of a matrix as they are."""
    if isinstance(values, Matrix):
        return values
    values = list(values)
    if any(isinstance(value, Vector) for value in values) or not all(map(_is_row, values)):
        return [number for value in values for number in (value if _is_row(value) else (value,))]
    return values


def _is_row(value):
    return hasattr(value, "__len__")


_OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
for _name, _function in _OPERATORS.items():
    setattr(Matrix, f"__{_name}__", _elementwise(_function))
    setattr(Matrix, f"__r{_name}__", _reflected(_function))
for _name, _compare in (
    ("lt", operator.lt),
    ("le", operator.le),
    ("gt", operator.gt),
    ("ge", operator.ge),
):
    setattr(Matrix, f"__{_name}__", _elementwise(lambda a, b, f=_compare: int(f(a, b))))


def _swizzle(places):
    """The property of the letters that name these components: v.x a number, v.zx a vector."""

    def get(self):
        if max(places) >= self.n:
            raise AttributeError(f"the vector has {self.n} elements")
        found = [self._values[place] for place in places]
        return found[0] if len(found) == 1 else self._new(found, (len(found),))

    def set_(self, value):
        for place, element in zip(places, elements_of(value, (len(places),)), strict=True):
            self[place] = element

    return property(get, set_)


for _letters in _SWIZZLES:
    for _count in range(1, 5):
        for _places in product(range(4), repeat=_count):
            setattr(Vector, "".join(_letters[place] for place in _places), _swizzle(_places))
