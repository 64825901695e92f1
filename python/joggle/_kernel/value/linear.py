# SPDX-License-Identifier: Apache-2.0
"""Vectors and matrices: their attributes, swizzles and methods, written out over their items.

Items are scalars with Python's operators, so each formula is written as in a textbook. A method
takes the emitter, the tensor, and then its arguments.
"""

from itertools import product

from ..ir import arithmetic
from ..ir.arithmetic import is_number
from ..ir.emit import describe
from ..ir.messages import KernelTypeError, KernelValueError
from ..ir.promotion import as_float, is_bool
from ..ir.types import dtype_name, dtype_object
from .signatures import binding, signature_of
from .values import Tensor, TensorPlace, assign, kind_of_shape, read, tensor_of

_SWIZZLES = ("xyzw", "rgba", "stpq")
_LARGEST_INVERSE = 4  # cofactors are n! products: 24 here, 120 for the next


class Method:
    """A method of a tensor that a kernel's source names: tensor.norm."""

    def __init__(self, function, tensor):
        self.function, self.tensor = function, tensor

    def call(self, lowering, args, kwargs):
        """The result of the call."""
        return self.function(lowering.emitter, read(self.tensor), *args, **kwargs)


def attribute_of_tensor(emitter, owner, name):
    """owner.name of a vector or matrix: a part, a fact, or a method."""
    if name in ("n", "m"):
        return (*owner.shape, 1)["nm".index(name)]
    if name in ("shape", "ndim"):
        return owner.shape if name == "shape" else len(owner.shape)
    if name in METHODS:
        return Method(METHODS[name], owner)
    if name == "fill":
        return Filler(owner)
    if name in ("dtype", "entries"):
        items = read(owner).items
        return dtype_object(emitter.dtype_of(items[0])) if name == "dtype" else list(items)
    places = _swizzle(owner.shape, name)
    if places is None:
        raise KernelTypeError(f"a {kind_of_shape(owner.shape)} has no attribute {name} in kernels")
    if len(places) == 1:
        return owner.items[places[0]]
    part = Tensor if isinstance(owner, Tensor) else TensorPlace
    return part((len(places),), [owner.items[place] for place in places])


def _swizzle(shape, name):
    """The positions that letters such as xy name; None if they name none of a vector's."""
    if len(shape) != 1:
        return None
    for letters in _SWIZZLES:
        if all(letter in letters[: shape[0]] for letter in name):
            return [letters.index(letter) for letter in name]
    return None


class Filler:
    """tensor.fill, which sets a place: a Method would be given its value."""

    def __init__(self, owner):
        self.owner = owner

    def call(self, lowering, args, kwargs):
        """Sets all items to one number."""
        _FILL(lowering, [self.owner, *args], kwargs)


def _fill(lowering, args, kwargs):
    owner, value = args
    value = read(value)
    if not is_number(value):
        raise KernelTypeError(f"fill: got {describe(value)}, allowed are numbers")
    if isinstance(owner, Tensor):
        raise KernelTypeError(
            f"fill: got {describe(owner)}, allowed are variables and elements of fields"
        )
    for place in owner.items:
        assign(lowering.emitter, place, value)


_FILL = binding("fill", signature_of("owner, value"), _fill)


def matmul(emitter, a, b):
    """a @ b; a vector is a column on the right and a row on the left."""
    if a.shape[-1] != b.shape[0]:
        raise KernelTypeError(
            f"operator @: got {a.kernel_kind()} and {b.kernel_kind()}, "
            "allowed are as many columns of the first as the second has rows"
        )
    if len(a.shape) == 1:
        if len(b.shape) == 1:
            return dot(emitter, a, b)
        columns = list(zip(*b.rows(), strict=True))
        return tensor_of(emitter, (len(columns),), [_dot(a.items, column) for column in columns])
    columns = list(zip(*b.rows(), strict=True))
    items = [_dot(row, column) for row, column in product(a.rows(), columns)]
    shape = (a.shape[0],) if len(b.shape) == 1 else (a.shape[0], b.shape[1])
    return tensor_of(emitter, shape, items)


def _dot(a, b):
    total = None
    for x, y in zip(a, b, strict=True):
        total = x * y if total is None else total + x * y
    return total


def dot(emitter, a, b):
    """The sum of products of two vectors."""
    _check_vectors("dot", a, b)
    return _dot(a.items, b.items)


def cross(emitter, a, b):
    """The cross product: of vectors of 3 a vector, of vectors of 2 a number."""
    _check_vectors("cross", a, b)
    x, y = a.items, b.items
    if len(x) == 2:
        return x[0] * y[1] - x[1] * y[0]
    if len(x) != 3:
        raise KernelTypeError(f"cross: got a vector of {len(x)}, allowed are 2 and 3")
    pairs = ((1, 2), (2, 0), (0, 1))
    return tensor_of(emitter, (3,), [x[i] * y[j] - x[j] * y[i] for i, j in pairs])


def outer_product(emitter, a, b):
    """The matrix of all products of two vectors' items."""
    for x in (a, b):
        if not isinstance(x, Tensor) or len(x.shape) != 1:
            raise KernelTypeError(f"outer_product: got {describe(x)}, allowed are two vectors")
    items = [x * y for x, y in product(a.items, b.items)]
    return tensor_of(emitter, (len(a.items), len(b.items)), items)


def _check_vectors(name, a, b):
    kinds = [x.kernel_kind() if isinstance(x, Tensor) else "a scalar" for x in (a, b)]
    if any(not isinstance(x, Tensor) or len(x.shape) != 1 for x in (a, b)) or a.shape != b.shape:
        raise KernelTypeError(f"{name}: got {kinds[0]} and {kinds[1]}, allowed are vectors alike")


def norm_sqr(emitter, a):
    """The sum of squares."""
    return _dot(a.items, a.items)


def frobenius_inner(emitter, a, b):
    """The sum of the products of items at the same indices."""
    if not isinstance(b, Tensor) or a.shape != b.shape:
        kind = b.kernel_kind() if isinstance(b, Tensor) else "a scalar"
        raise KernelTypeError(
            f"frobenius_inner: got {a.kernel_kind()} and {kind}, allowed are two of one shape"
        )
    return _dot(a.items, b.items)


def _real(emitter, x):
    return emitter.scalar(x, as_float(x.dtype, emitter.default_fp))


def norm(emitter, a, eps=0):
    """The root of the sum of squares (and eps)."""
    total = norm_sqr(emitter, a)
    if not (is_number(eps) and not hasattr(eps, "name") and eps == 0):
        total = total + eps
    return arithmetic.function(emitter, "sqrt", None, total)


def norm_inv(emitter, a, eps=0):
    """1 / norm."""
    return 1.0 / norm(emitter, a, eps)


def normalized(emitter, a, eps=0):
    """a over its norm (plus eps)."""
    length = norm(emitter, a)
    inverse = 1.0 / (length + eps if hasattr(eps, "name") or eps else length)
    return tensor_of(emitter, a.shape, [x * inverse for x in a.items])


def _fold(apply, items):
    result = items[0]
    for x in items[1:]:
        result = apply(result, x)
    return result


def total(emitter, a):
    """The sum of the items; of bools, how many hold."""
    items = a.items
    if is_bool(emitter.dtype_of(items[0])):
        items = [emitter.scalar(x, emitter.default_ip) for x in items]
    return _fold(lambda x, y: x + y, items)


def largest(emitter, a):
    return _fold(lambda x, y: arithmetic.binary(emitter, "maximum", x, y), a.items)


def smallest(emitter, a):
    return _fold(lambda x, y: arithmetic.binary(emitter, "minimum", x, y), a.items)


def any_of(emitter, a):
    return _fold(
        lambda x, y: x | y, [emitter.scalar(arithmetic.truth(emitter, x)) for x in a.items]
    )


def all_of(emitter, a):
    return _fold(
        lambda x, y: x & y, [emitter.scalar(arithmetic.truth(emitter, x)) for x in a.items]
    )


def cast(emitter, a, dtype):
    """The items in another dtype."""
    return tensor_of(emitter, a.shape, a.items, dtype_name(dtype))


def _check_square(name, a):
    if len(a.shape) != 2 or a.shape[0] != a.shape[1]:
        raise KernelTypeError(f"{name}: got {a.kernel_kind()}, allowed are square matrices")


def transpose(emitter, a):
    """Rows as columns; a vector becomes a row."""
    rows = a.rows()
    shape = (len(rows[0]), len(rows))
    return Tensor(shape, [x for column in zip(*rows, strict=True) for x in column])


def trace(emitter, a):
    """The sum of the diagonal."""
    _check_square("trace", a)
    return _fold(lambda x, y: x + y, [row[i] for i, row in enumerate(a.rows())])


# Without row i and column j.
def _minor(rows, i, j):
    return [[x for k, x in enumerate(row) if k != j] for r, row in enumerate(rows) if r != i]


def _determinant(rows):
    """The determinant by cofactors of the first row (Laplace)."""
    if len(rows) == 1:
        return rows[0][0]
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    result = None
    for j, x in enumerate(rows[0]):
        term = x * _determinant(_minor(rows, 0, j))
        result = term if result is None else (result - term if j % 2 else result + term)
    return result


def _check_size(name, a):
    _check_square(name, a)
    if a.shape[0] > _LARGEST_INVERSE:
        raise KernelValueError(f"{name}: got {a.kernel_kind()}, allowed are matrices up to 4 by 4")


def determinant(emitter, a):
    """The determinant, of matrices up to 4 by 4."""
    _check_size("determinant", a)
    return _determinant(a.rows())


def inverse(emitter, a):
    """The inverse, of matrices up to 4 by 4: cofactors over the determinant."""
    _check_size("inverse", a)
    a = Tensor(a.shape, [_real(emitter, x) for x in a.items])
    rows, n = a.rows(), a.shape[0]
    scale = 1.0 / _determinant(rows)
    if n == 1:
        return Tensor(a.shape, [scale])
    items = []
    for i, j in product(range(n), range(n)):
        cofactor = _determinant(_minor(rows, j, i))
        items.append(-cofactor * scale if (i + j) % 2 else cofactor * scale)
    return tensor_of(emitter, a.shape, items)


METHODS = {
    "all": all_of,
    "any": any_of,
    "cast": cast,
    "cross": cross,
    "determinant": determinant,
    "dot": dot,
    "inverse": inverse,
    "max": largest,
    "min": smallest,
    "frobenius_inner": frobenius_inner,
    "norm": norm,
    "norm_inv": norm_inv,
    "norm_sqr": norm_sqr,
    "normalized": normalized,
    "outer_product": outer_product,
    "sum": total,
    "trace": trace,
    "transpose": transpose,
}
