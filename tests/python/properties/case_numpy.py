# SPDX-License-Identifier: Apache-2.0
"""Calls of the functions that only NumPy has, and of joggle.linalg, joggle.fft and joggle.fast.

They are compared with themselves on arrays that lie otherwise in memory; files of their own compare
them with NumPy. OTHERWISE names those that take no array, with the reason."""

import choices as st
import numpy as np
from cases import BEYOND
from cases import CASES as OF_TABLE
from drawing import ALL, COMPLEX, FLOATS, INTEGERS, REAL, Case, array_of, axis_of, flag, numbers

import joggle as jg
from joggle import _numpy

NUMBERS = REAL + COMPLEX

OTHERWISE = {
    "of numbers alone": "geomspace kaiser diag_indices tril_indices triu_indices mask_indices "
    "indices fromfunction fromiter isscalar",
    "of shapes and dtypes alone": "ndim shape size iscomplexobj isrealobj min_scalar_type "
    "promote_types",
    "no functions": "c_ index_exp mgrid ogrid r_ s_ ndenumerate ndindex vectorize",
    "whether memory is shared depends on how it lies": "may_share_memory shares_memory",
    "arrays of NumPy's: test_asnumpy.py": "asnumpy",
    "files of text: test_numpy_tables.py": "loadtxt savetxt",
}


def of(dtypes, *, rest=lambda draw, x: (), named=lambda draw, x: {}, ulps=4, **limits):
    """Of an array, and what the functions draw for it."""

    def draw(draw):
        x = array_of(draw, dtypes, **limits)
        return (x, *rest(draw, x)), named(draw, x)

    return Case(draw, ulps=ulps)


def axis(draw, x):
    return {"axis": axis_of(draw, x.ndim)}


def maybe_axis(draw, x):
    return axis(draw, x) if flag(draw) else {}


def same(draw, x):
    return (numbers(draw, x.dtype.name, x.shape),)


def vector(draw, x, least=1):
    """One more, of the same dtype, of any length."""
    return (numbers(draw, x.dtype.name, (draw(st.integers(least, 6)),)),)


def truths(draw, x):
    return numbers(draw, "bool", x.shape)


def whole(draw, count, low, high):
    return np.array([draw(st.integers(low, high)) for _ in range(count)], "i8")


def row(dtypes, least=1, **others):
    return of(dtypes, min_ndim=1, max_ndim=1, least=least, **others)


def two_vectors(dtypes, ulps=64):
    return row(dtypes, rest=vector, ulps=ulps)


def pieces(least, stacked=3):
    """A list of arrays that can be joined."""

    def draw(draw):
        x = array_of(draw, ALL, min_ndim=least, least=1)
        return ([x, *(same(draw, x)[0] for _ in range(draw(st.integers(0, stacked))))],), {}

    return Case(draw)


def products(name):
    """Operands of dot and its kin: vectors of one length, and matrices that fit."""

    def draw(draw):
        dtype = draw(st.sampled_from(NUMBERS))
        n, k, m = (draw(st.integers(1, 5)) for _ in range(3))
        shapes = {
            "dot": ((n, k), (k, m)),
            "vdot": ((n, k), (n, k)),
            "matvec": ((n, k), (k,)),
            "vecmat": ((k,), (k, m)),
        }[name]
        return tuple(numbers(draw, dtype, shape) for shape in shapes), {}

    return Case(draw, ulps=64)


def steps(draw):
    x = array_of(draw, FLOATS, min_ndim=1, least=3, max_ndim=2)
    at = axis_of(draw, x.ndim)
    places = np.cumsum(1 + abs(numbers(draw, "float32", (x.shape[at],))))
    return x, at, places.astype("f4")


def gradient(draw):
    x, at, places = steps(draw)
    return (x, places) if flag(draw) else (x,), {"axis": at}


def trapezoid(draw):
    x, at, places = steps(draw)
    return (x, places) if flag(draw) else (x,), {"axis": at}


def interp(draw):
    xp = np.cumsum(1 + abs(numbers(draw, "float32", (draw(st.integers(2, 6)),)))).astype("f4")
    x = array_of(draw, REAL)
    return (x, xp, numbers(draw, "float32", xp.shape)), {}


def choose(draw):
    choices = [array_of(draw, ALL, min_ndim=2, max_ndim=2, least=1)]
    choices += [same(draw, choices[0])[0] for _ in range(2)]
    at = whole(draw, choices[0].size, 0, 2).reshape(choices[0].shape)
    return (at, choices), {}


def select(draw):
    choices = [array_of(draw, ALL, least=1)]
    choices += same(draw, choices[0])
    return ([truths(draw, x) for x in choices], choices, 0), {}


def piecewise(draw):
    x = array_of(draw, ALL, least=1)
    return (x, [truths(draw, x), truths(draw, x)], [1, 0, 1]), {}


def insert(draw):
    x = array_of(draw, ALL, min_ndim=1, least=1)
    at = axis_of(draw, x.ndim)
    places = whole(draw, draw(st.integers(1, 3)), 0, x.shape[at])
    values = numbers(draw, x.dtype.name, ())
    return (x, places, values, at), {}


def delete(draw):
    x = array_of(draw, ALL, min_ndim=1, least=1)
    at = axis_of(draw, x.ndim)
    return (x, whole(draw, draw(st.integers(1, 3)), 0, x.shape[at] - 1), at), {}


def resized(draw, x):
    return ((draw(st.integers(1, 5)), draw(st.integers(1, 5))),)


def append(draw):
    x = array_of(draw, ALL, min_ndim=1, least=1)
    return (x, *same(draw, x)), maybe_axis(draw, x)


def along_axis(draw):
    x = array_of(draw, REAL, min_ndim=1, least=1)
    return (jg.flip, axis_of(draw, x.ndim), x), {}


def over_axes(draw):
    x = array_of(draw, REAL, min_ndim=1, least=1)
    return (jg.max, x, tuple(range(draw(st.integers(1, x.ndim))))), {}


def points(count):
    def draw(draw):
        x = numbers(draw, draw(st.sampled_from(FLOATS)), (count, draw(st.integers(2, 9))))
        return (x.T.copy(), 3), {"range": [(-8, 8)] * count}

    return Case(draw)


def points_of_two(draw):
    x = array_of(draw, FLOATS, min_ndim=1, max_ndim=1, least=2)
    return (x, *same(draw, x), 3), {"range": [(-8, 8), (-8, 8)]}


def unravelled(draw):
    return (whole(draw, 6, 0, 23).astype(draw(st.sampled_from(INTEGERS))).reshape(2, 3), (4, 6)), {}


def ravelled(draw):
    dtype = draw(st.sampled_from(INTEGERS))
    return ((whole(draw, 5, 0, 3).astype(dtype), whole(draw, 5, 0, 5).astype(dtype)), (4, 6)), {}


def open_grid(draw):
    dtype = draw(st.sampled_from(["bool", *INTEGERS]))
    return tuple(numbers(draw, dtype, (n,), (0, 7)) for n in (3, 4)), {}


def from_shape(draw):
    return (array_of(draw, ALL, min_ndim=2, max_ndim=2, least=1),), {}


def square(draw):
    n = draw(st.integers(1, 5))
    return (numbers(draw, draw(st.sampled_from(ALL)), (n, n)),), {}


def copied(draw):
    x = array_of(draw, ALL)
    return (x, *same(draw, x)), {"where": truths(draw, x)}


def put(draw):
    x = array_of(draw, ALL, min_ndim=1, least=1)
    count = draw(st.integers(1, 4))
    return (x, whole(draw, count, 0, x.size - 1), numbers(draw, x.dtype.name, (count,))), {}


def masked(draw):
    x = array_of(draw, ALL, min_ndim=1, least=1)
    return (x, truths(draw, x), *vector(draw, x)), {}


def filled_diagonal(draw):
    return (*square(draw)[0], 1), {}


def fitted(draw):
    x = np.arange(draw(st.integers(4, 9))).astype("f4")
    return (x, numbers(draw, draw(st.sampled_from(["float32", "float64"])), x.shape), 2), {}


def evaluated(draw):
    dtype = draw(st.sampled_from(NUMBERS))
    p = numbers(draw, dtype, (draw(st.integers(1, 4)),), (-2, 3))
    return (p, numbers(draw, dtype, (draw(st.integers(1, 6)),), (-2, 3))), {}


def divided(draw):
    dtype = draw(st.sampled_from(["float32", "float64"]))
    u, v = (numbers(draw, dtype, (n,), (-2, 3)) for n in (5, 3))
    return (u, np.where(np.arange(3) == 0, 1, v).astype(dtype)), {}


def weighted(draw):
    x = array_of(draw, NUMBERS, min_ndim=1, least=1)
    at = axis_of(draw, x.ndim)
    weights = 1 + abs(numbers(draw, "float32", (x.shape[at],)))
    return (x,), {"axis": at, "weights": weights.astype("f4"), "keepdims": flag(draw)}


def sorted_by(draw):
    x = array_of(draw, REAL, min_ndim=2, max_ndim=2, least=1)
    return (x,), axis(draw, x[0])


def bits(draw):
    dtype = draw(st.sampled_from(["bool", *INTEGERS]))
    x = array_of(draw, [dtype], min_ndim=1, least=1)
    return (x,), {"bitorder": draw(st.sampled_from(["big", "little"]))} | maybe_axis(draw, x)


def octets(draw):
    x = array_of(draw, ["uint8"], min_ndim=1, least=1)
    return (x,), {"bitorder": draw(st.sampled_from(["big", "little"]))} | maybe_axis(draw, x)


def blocks(draw):
    x = array_of(draw, ALL, min_ndim=2, max_ndim=2, least=1)
    return ([[x, *same(draw, x)], [*same(draw, x), *same(draw, x)]],), {}


def triangle(draw):
    x = array_of(draw, REAL, min_ndim=2, max_ndim=2, least=1)
    return (x,), {"k": draw(st.integers(-2, 2))}


CASES = {
    **{name: of(REAL, ulps=64) for name in ("i0", "sinc")},
    **{name: of(REAL, min_ndim=1, least=1, named=maybe_axis) for name in ("amax", "amin")},
    **{name: of(ALL, special=True) for name in ("iscomplex", "isreal", "asanyarray")},
    "around": of(NUMBERS, rest=lambda draw, x: (draw(st.integers(-1, 2)),)),
    "array_equiv": of(ALL, rest=same),
    "asarray_chkfinite": of(ALL),
    "ascontiguousarray": of(ALL),
    "real_if_close": of([*COMPLEX, "float32"]),
    "dot": products("dot"),
    "vdot": products("vdot"),
    "matvec": products("matvec"),
    "vecmat": products("vecmat"),
    "packbits": Case(bits),
    "unpackbits": Case(octets),
    "ediff1d": of(NUMBERS, least=1, min_ndim=1),
    "gradient": Case(gradient, ulps=16),
    "interp": Case(interp, ulps=16),
    "trapezoid": Case(trapezoid, ulps=64),
    "unwrap": of(FLOATS, min_ndim=1, least=1, named=axis, ulps=16),
    "choose": Case(choose),
    "piecewise": Case(piecewise),
    "select": Case(select),
    "delete": Case(delete),
    "diagflat": of(ALL, rest=lambda draw, x: (draw(st.integers(-2, 2)),), max_ndim=2),
    "fliplr": of(ALL, min_ndim=2),
    "flipud": of(ALL, min_ndim=1),
    "insert": Case(insert),
    "resize": of(ALL, rest=resized, least=1),
    "rollaxis": of(ALL, min_ndim=1, rest=lambda draw, x: (axis_of(draw, x.ndim),)),
    "trim_zeros": row(ALL),
    "apply_along_axis": Case(along_axis),
    "apply_over_axes": Case(over_axes),
    "histogram2d": Case(points_of_two),
    "histogram_bin_edges": of(REAL, least=1, rest=lambda draw, x: (4,)),
    "histogramdd": points(2),
    "diag_indices_from": Case(square),
    "ix_": Case(open_grid),
    "ravel_multi_index": Case(ravelled),
    "tril_indices_from": Case(triangle),
    "triu_indices_from": Case(triangle),
    "unravel_index": Case(unravelled),
    "append": Case(append),
    "block": Case(blocks),
    "column_stack": pieces(1),
    "dstack": pieces(1),
    "row_stack": pieces(1),
    "copyto": Case(copied),
    "fill_diagonal": Case(filled_diagonal),
    "place": Case(masked),
    "put": Case(put),
    "putmask": Case(masked),
    "poly": row(["float32", "float64"], ulps=256),
    "polyadd": two_vectors(NUMBERS),
    "polyder": row(NUMBERS),
    "polydiv": Case(divided, ulps=256),
    "polyfit": Case(fitted, ulps=4096),
    "polyint": row(NUMBERS),
    "polymul": two_vectors(NUMBERS),
    "polysub": two_vectors(NUMBERS),
    "polyval": Case(evaluated, ulps=64),
    "roots": Case(lambda draw: ((numbers(draw, "float64", (3,), (1, 4)),), {}), ulps=4096),
    **{
        name: row(REAL, rest=vector) for name in ("intersect1d", "setdiff1d", "setxor1d", "union1d")
    },
    "lexsort": Case(sorted_by),
    "sort_complex": of(NUMBERS, min_ndim=1),
    "hsplit": BEYOND["hsplit"],
    "vsplit": BEYOND["vsplit"],
    "dsplit": BEYOND["dsplit"],
    "average": Case(weighted, ulps=64),
    "corrcoef": of(["float32", "float64"], min_ndim=2, max_ndim=2, least=3, ulps=2**16),
    "correlate": two_vectors(NUMBERS),
    "cov": of(["float32", "float64"], min_ndim=2, max_ndim=2, least=3, ulps=256),
}


def regular(draw):
    """Tensors that are matrices of 4 by 4 once reshaped, far from singular."""
    dtype = draw(st.sampled_from(["float32", "float64"]))
    tensor = numbers(draw, dtype, (4, 4), (-1, 2)) + 9 * np.eye(4, dtype=dtype)
    return tensor.reshape(2, 2, 2, 2)


CASES |= {
    "linalg.tensorinv": Case(lambda draw: ((regular(draw),), {"ind": 2}), ulps=256),
    "linalg.tensorsolve": Case(
        lambda draw: ((x := regular(draw), x[0].reshape(4, 2)[:2]), {}), ulps=256
    ),
}


def changed(function):
    """The function's first argument, which it writes."""

    def call(x, *args, **named):
        function(x, *args, **named)
        return x

    return call


def attention(q, k, v, scale, mask, causal):
    return jg.fast.scaled_dot_product_attention(
        q, k, v, scale=scale, mask="causal" if causal else mask
    )


def rope(a, dims, traditional, base, scale, offset, freqs=None):
    named = {"base": base, "scale": scale, "offset": offset, "freqs": freqs}
    return jg.fast.rope(a, dims, traditional=traditional, **named)


def histogramdd(*args, **named):
    counts, edges = jg.histogramdd(*args, **named)
    return counts, *edges


def of_triangle(function):
    return lambda a, upper=False: function(a, "U" if upper else "L")


# How a function is called whose case has arguments in the way of its op, or that gives its results
# in another way than as an array or a tuple of them.
CALLS = {name: changed(getattr(jg, name)) for name in _numpy.MODULES["place"]} | {
    "fast.rope": rope,
    "fast.scaled_dot_product_attention": attention,
    "histogramdd": histogramdd,
    "linalg.diagonal": lambda x, offset=0, *axes: jg.linalg.diagonal(x, offset=offset),
    "linalg.eigh": of_triangle(jg.linalg.eigh),
    "linalg.eigvalsh": of_triangle(jg.linalg.eigvalsh),
    "linalg.qr": lambda a, complete=False: jg.linalg.qr(a, "complete" if complete else "reduced"),
    "linalg.trace": lambda x, offset=0, *rest, **named: jg.linalg.trace(x, offset=offset),
}

MODULES = {"linalg": jg.linalg, "fft": jg.fft, "fast": jg.fast}


def of_modules():
    """The public functions of the modules that are ops of the table, with the cases of those."""
    for module, namespace in MODULES.items():
        for name in namespace.__all__:
            function = getattr(namespace, name)
            if isinstance(function, type) or f"{module}.{name}" in BEYOND:
                continue
            for op in (f"{module}_{name}", name):
                if op in OF_TABLE:
                    yield f"{module}.{name}", OF_TABLE[op]
                    break


IN_MODULES = dict(of_modules())
