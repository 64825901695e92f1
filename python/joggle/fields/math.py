# SPDX-License-Identifier: Apache-2.0
"""qd.math: the functions of shaders, complex numbers as vectors of two, and constants.

Most are written in the language of kernels and run in Python as well, on numbers and vectors.
"""

import math as _math

from joggle._fields.matrix import Matrix as _Matrix
from joggle._fields.matrix import Vector as _Vector
from joggle._fields.types import DefaultMatrixType as _DefaultMatrixType
from joggle._fields.types import Template as _Template
from joggle._fields.types import i32 as _i32
from joggle._fields.types import u32 as _u32
from joggle._kernel.kernel import func as _func
from joggle._kernel.value.functions import FUNCTIONS as _functions

pi, e, inf, nan = _math.pi, _math.e, _math.inf, _math.nan

_DIRECT = (
    "acos",
    "asin",
    "atan2",
    "ceil",
    "clz",
    "cos",
    "cross",
    "determinant",
    "dot",
    "exp",
    "ffs",
    "floor",
    "inverse",
    "isinf",
    "isnan",
    "log",
    "log2",
    "max",
    "min",
    "popcnt",
    "pow",
    "round",
    "sign",
    "sin",
    "sqrt",
    "tan",
    "tanh",
)
globals().update({name: _functions[name] for name in _DIRECT})
_static, _select, _cast = _functions["static"], _functions["select"], _functions["cast"]
_sin, _cos, _sqrt = _functions["sin"], _functions["cos"], _functions["sqrt"]
_exp, _log, _atan2 = _functions["exp"], _functions["log"], _functions["atan2"]
_floor, _max, _min = _functions["floor"], _functions["max"], _functions["min"]


for _n in (2, 3, 4):
    globals()[f"vec{_n}"] = _DefaultMatrixType(_n, 1, "default_fp", ndim=1)
    globals()[f"ivec{_n}"] = _DefaultMatrixType(_n, 1, "default_ip", ndim=1)
    globals()[f"uvec{_n}"] = _DefaultMatrixType(_n, 1, "default_up", ndim=1)
    globals()[f"mat{_n}"] = _DefaultMatrixType(_n, _n, "default_fp")


@_func
def clamp(x, xmin, xmax):
    """x moved into [xmin, xmax]."""
    return _min(_max(x, xmin), xmax)


@_func
def mix(x, y, a):
    """x where a is 0, y where it is 1, and in between."""
    return x * (1.0 - a) + y * a


@_func
def fract(x):
    """x - floor(x)."""
    return x - _floor(x)


@_func
def mod(x, y):
    """x - y * floor(x / y)."""
    return x - y * _floor(x / y)


@_func
def step(edge, x):
    """0 below the edge, else 1."""
    return _select(x < edge, 0.0, 1.0)


@_func
def smoothstep(edge0, edge1, x):
    """0 below the first edge, 1 above the second, a smooth cubic between."""
    t = clamp((x - edge0) / (edge1 - edge0), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


@_func
def degrees(x):
    """Radians in degrees."""
    return x * (180.0 / pi)


@_func
def radians(x):
    """Degrees in radians."""
    return x * (pi / 180.0)


@_func
def length(x):
    """The norm of a vector."""
    return x.norm()


@_func
def distance(x, y):
    """The norm of the difference of two vectors."""
    return (x - y).norm()


@_func
def normalize(x):
    """A vector over its norm."""
    return x.normalized()


@_func
def reflect(x, n):
    """x mirrored at the plane with the unit normal n."""
    return x - 2.0 * x.dot(n) * n


@_func
def refract(x, n, eta):
    """The direction of x beyond the plane with the unit normal n; 0 if it is reflected."""
    d = x.dot(n)
    k = 1.0 - eta * eta * (1.0 - d * d)
    root = _sqrt(_max(k, 0.0))
    return _select(k > 0.0, 1.0, 0.0) * (eta * x - (eta * d + root) * n)


@_func
def eye(n: _Template):
    """The n by n identity."""
    return _Matrix([[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)])


@_func
def rotation2d(angle):
    """The matrix that turns the plane."""
    c, s = _cos(angle), _sin(angle)
    return _Matrix([[c, -s], [s, c]])


@_func
def vdir(angle):
    """The unit vector at an angle."""
    return _Vector([_cos(angle), _sin(angle)])


@_func
def translate(dx, dy, dz):
    """The 4 by 4 matrix of a translation."""
    return _Matrix([[1.0, 0, 0, dx], [0, 1, 0, dy], [0, 0, 1, dz], [0, 0, 0, 1]])


@_func
def scale(sx, sy, sz):
    """The 4 by 4 matrix of a scaling."""
    return _Matrix([[sx, 0, 0, 0], [0, sy, 0, 0], [0, 0, sz, 0], [0, 0, 0, 1.0]])


@_func
def rot_by_axis(axis, angle):
    """The 4 by 4 matrix of a rotation about an axis."""
    c, s = _cos(angle), _sin(angle)
    n = axis.normalized()
    t = (1.0 - c) * n
    x = [t[0] * n[0] + c, t[1] * n[0] - s * n[2], t[2] * n[0] + s * n[1], 0]
    y = [t[0] * n[1] + s * n[2], t[1] * n[1] + c, t[2] * n[1] - s * n[0], 0]
    z = [t[0] * n[2] - s * n[1], t[1] * n[2] + s * n[0], t[2] * n[2] + c, 0]
    return _Matrix([x, y, z, [0, 0, 0, 1]])


@_func
def rot_yaw_pitch_roll(yaw, pitch, roll):
    """The 4 by 4 matrix of rotations about the axes y (yaw), x (pitch) and z (roll)."""
    ch, sh = _cos(yaw), _sin(yaw)
    cp, sp = _cos(pitch), _sin(pitch)
    cb, sb = _cos(roll), _sin(roll)
    x = [ch * cb + sh * sp * sb, sb * cp, ch * sp * sb - sh * cb, 0.0]
    y = [sh * sp * cb - ch * sb, cb * cp, sb * sh + ch * sp * cb, 0.0]
    return _Matrix([x, y, [sh * cp, -sp, ch * cp, 0.0], [0.0, 0.0, 0.0, 1.0]])


@_func
def rotation3d(ang_x, ang_y, ang_z):
    """The 4 by 4 matrix of rotations by angles, as Quadrants composes them."""
    return rot_yaw_pitch_roll(ang_z, ang_x, ang_y)


@_func
def fns(mask, base, offset):
    """The place of the offset-th of 32 bits that is set, from base on; downwards if offset is
    negative, base itself if it is 0; 0xFFFFFFFF if there is none."""
    bits, first = _cast(mask, _u32), _cast(base, _i32)
    none = _cast(0xFFFFFFFF, _u32)
    result, found = none, 0
    for step in range(32):
        place = first + step if offset > 0 else first - step
        if 0 <= place < 32 and (offset != 0 or step == 0) and ((bits >> place) & 1) == 1:
            found += 1
            if result == none and found == _max(offset, -offset, 1):
                result = _cast(place, _u32)
    return result


@_func
def cmul(z, w):
    """The product of complex numbers."""
    return _Vector([z[0] * w[0] - z[1] * w[1], z[0] * w[1] + z[1] * w[0]])


@_func
def cconj(z):
    """The conjugate."""
    return _Vector([z[0], -z[1]])


@_func
def cdiv(z, w):
    """The quotient of complex numbers."""
    return cmul(z, cconj(w)) / w.dot(w)


@_func
def cinv(z):
    """1 / z."""
    return cconj(z) / z.dot(z)


@_func
def cexp(z):
    """e to the z."""
    return _exp(z[0]) * _Vector([_cos(z[1]), _sin(z[1])])


@_func
def clog(z):
    """The logarithm of a complex number."""
    return _Vector([_log(z.norm()), _atan2(z[1], z[0])])


@_func
def cpow(z, n):
    """z to the n, n real."""
    angle = _atan2(z[1], z[0]) * n
    return z.norm() ** n * _Vector([_cos(angle), _sin(angle)])


@_func
def csqrt(z):
    """The root of a complex number with a real part that is not negative."""
    angle = _atan2(z[1], z[0]) * 0.5
    return _sqrt(z.norm()) * _Vector([_cos(angle), _sin(angle)])
