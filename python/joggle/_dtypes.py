# SPDX-License-Identifier: Apache-2.0
"""Categories and further names of dtypes, as in MLX and NumPy."""

from joggle import _core

__all__ = [
    "Dtype",
    "DtypeCategory",
    "bool_",
    "byte",
    "cdouble",
    "complexfloating",
    "csingle",
    "double",
    "floating",
    "generic",
    "half",
    "inexact",
    "int_",
    "intc",
    "integer",
    "intp",
    "issubdtype",
    "long",
    "longlong",
    "number",
    "short",
    "signedinteger",
    "single",
    "ubyte",
    "uint",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "unsignedinteger",
    "ushort",
]

Dtype = _core.dtype
bool_ = _core.bool

# NumPy's names after the types of C, on systems where long and pointers have 64 bits.
half = _core.float16
single = _core.float32
double = _core.float64
csingle = _core.complex64
cdouble = _core.complex128
byte = _core.int8
ubyte = _core.uint8
short = _core.int16
ushort = _core.uint16
intc = _core.int32
uintc = _core.uint32
int_ = _core.int64
uint = _core.uint64
long = _core.int64
ulong = _core.uint64
longlong = _core.int64
ulonglong = _core.uint64
intp = _core.int64
uintp = _core.uint64


class DtypeCategory:
    """A set of dtypes: DtypeCategory.floating, and so on. Each but generic is part of another."""

    __slots__ = ("_whole", "name")

    def __init__(self, name, whole=None):
        self.name = name
        self._whole = whole

    def __repr__(self):
        return f"DtypeCategory.{self.name}"

    def __reduce__(self):
        return self.name


generic = DtypeCategory("generic")
number = DtypeCategory("number", generic)
integer = DtypeCategory("integer", number)
inexact = DtypeCategory("inexact", number)
signedinteger = DtypeCategory("signedinteger", integer)
unsignedinteger = DtypeCategory("unsignedinteger", integer)
floating = DtypeCategory("floating", inexact)
complexfloating = DtypeCategory("complexfloating", inexact)

_OF_KIND = {
    "bool": generic,
    "int": signedinteger,
    "uint": unsignedinteger,
    "float": floating,
    "complex": complexfloating,
    "opaque": generic,
}

for _category in (number, integer, inexact, generic, signedinteger, unsignedinteger):
    setattr(DtypeCategory, _category.name, _category)
for _category in (floating, complexfloating):
    setattr(DtypeCategory, _category.name, _category)


def issubdtype(arg1, arg2):
    """Whether a dtype or a category is another one or a part of it. A dtype has no parts.

    >>> jg.issubdtype(jg.float16, jg.inexact)
    True
    >>> jg.issubdtype(jg.float16, jg.float32)
    False
    """
    part, whole = _dtype_or_category(arg1), _dtype_or_category(arg2)
    if part is whole:
        return True
    category = part if isinstance(part, DtypeCategory) else _OF_KIND[part._kind]
    while category is not None and category is not whole:
        category = category._whole
    return category is not None


def _dtype_or_category(object):
    return object if isinstance(object, DtypeCategory) else _core.dtype(object)
