# SPDX-License-Identifier: Apache-2.0
"""What a statement of a random program calls that NumPy and joggle spell differently: updates at
indices, files, and functions that are recorded, batched or differentiated.

Each takes the namespace first. NumPy's side is the plain meaning: a loop over rows for a batch,
differences for a derivative, which are exact as the functions are of the second degree at most.
"""

import copy
import functools
import os
import pickle
import tempfile

import numpy as np

import joggle as jg


def hadamard(xp, x):
    """The sums with signs over the last axis, a power of two long."""
    if xp is jg:
        return jg.hadamard_transform(x, 1.0)
    matrix = np.ones((1, 1))
    while len(matrix) < x.shape[-1]:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return (x.astype(np.float64) @ matrix).astype(x.dtype)


def bits(xp, x, dtype):
    """The same bytes in another dtype."""
    return x.view(getattr(jg, dtype)) if xp is jg else np.ascontiguousarray(x).view(dtype)


def updated_at(xp, x, index, values, op):
    """x with values added, or multiplied in, at indices of its first axis, which may repeat."""
    if xp is jg:
        return getattr(x.at[index], op)(values)
    result = x.copy()
    getattr(np, op).at(result, index, x.dtype.type(values))
    return result


def put(xp, x, axis):
    """x with its first largest element along an axis replaced."""
    largest = xp.argmax(x, axis=axis, keepdims=True)
    if xp is jg:
        return jg.put_along_axis(x, largest, jg.array(3, dtype=x.dtype), axis=axis)
    result = x.copy()
    np.put_along_axis(result, largest, 3, axis=axis)
    return result


def ours(xp, index):
    """An index with arrays of joggle's for NumPy's, every other one."""
    if xp is np:
        return index
    return tuple(
        jg.asarray(i) if isinstance(i, np.ndarray) and k % 2 else i for k, i in enumerate(index)
    )


def duplicate(xp, x):
    """A copy by the protocol of Python."""
    return copy.deepcopy(x)


def pickled(xp, x):
    return pickle.loads(pickle.dumps(x))


def stored(xp, x, suffix):
    """What a file of x holds, which is gone, or is another's, before anybody reads it."""
    if xp is np:
        return x
    path = os.path.join(tempfile.mkdtemp(), "x" + suffix)
    if suffix == ".npy":
        jg.save(path, x)
        found = jg.load(path)
        jg.save(path, jg.zeros_like(x))
    elif suffix == ".npz":
        jg.savez(path, a=x, b=x)
        found = jg.load(path)["b"]
        jg.savez(path, a=jg.zeros_like(x), b=jg.zeros_like(x))
    else:
        jg.save_safetensors(path, {"a": x, "b": x})
        found = jg.load(path)["b"]
        jg.save_safetensors(path, {"a": jg.zeros_like(x), "b": jg.zeros_like(x)})
    os.unlink(path)
    os.rmdir(os.path.dirname(path))
    return found


def written(xp, x):
    """A copy that is updated twice, once through a view's values."""
    y = x.copy()
    y[..., ::2] += x[..., ::2]
    y[..., 0] = x[..., -1]
    return y


def walked(xp, x):
    """An update of a name that another one keeps."""
    y = x * 2
    kept = y
    y = y + 0
    y[..., -1] = 0
    return y + kept


# Functions of one or two arrays, by name, which are recorded, batched and differentiated. The first
# are linear.
LINEAR = {
    "itself": lambda xp, x: x,
    "twice": lambda xp, x: x * 2,
    "flipped": lambda xp, x: xp.flip(x, axis=-1),
    "summed": lambda xp, x: xp.cumulative_sum(x, axis=-1, dtype=x.dtype),
    "rolled": lambda xp, x: xp.roll(x, 1, axis=-1),
    "less the sum": lambda xp, x: x - xp.sum(x, axis=-1, keepdims=True, dtype=x.dtype),
    "the last": lambda xp, x: x[..., -1:] + 0 * x,
    "every other": lambda xp, x: xp.concat([x[..., ::2], x[..., 1::2]], axis=-1),
    "taken": lambda xp, x: xp.take(x, xp.asarray([0, -1, 0]), axis=-1).sum(
        axis=-1, keepdims=True, dtype=x.dtype) - x,
    "written": written,
    "walked": walked,
    "padded": lambda xp, x: xp.pad(x, [(0, 0)] * (x.ndim - 1) + [(2, 0)])[..., : x.shape[-1]],
    "repeated": lambda xp, x: xp.repeat(x, 2, axis=-1)[..., 1::2],
    "tiled": lambda xp, x: xp.tile(x, (2,))[..., x.shape[-1] - 1 : 2 * x.shape[-1] - 1],
}  # fmt: skip
UNARY = LINEAR | {
    "sorted": lambda xp, x: ordered(xp, x, -1),
    "squared": lambda xp, x: x * x,
    "largest": lambda xp, x: x - xp.max(x, axis=-1, keepdims=True),
    "clipped": lambda xp, x: xp.clip(x, 0, 3) + xp.where(x > 1, x, 0),
    "counted": lambda xp, x: x + xp.astype(xp.argmax(x, axis=-1, keepdims=True), x.dtype),
    "order": lambda xp, x: xp.take_along_axis(x, argsorted(xp, x), axis=-1),
}
BINARY = {
    "sum": lambda xp, x, y: x + y,
    "product": lambda xp, x, y: x * y - x,
    "larger": lambda xp, x, y: xp.maximum(x, y) + xp.minimum(x, y) * 2,
    "swapped": lambda xp, x, y: xp.where(x < y, y, x) - xp.where(x == y, x, y),
    "sides": lambda xp, x, y: xp.stack([x, y], axis=-1).sum(axis=-1, dtype=x.dtype),
    "rows": lambda xp, x, y: xp.concat([x, y], axis=-1)[..., 1 : x.shape[-1] + 1],
}


def ordered(xp, x, axis):
    """Sorted. NumPy 2.4 loses elements of large arrays of float16 with some instruction sets."""
    if xp is jg or x.dtype != np.float16:
        return xp.sort(x, axis=axis)
    return np.sort(x.astype(np.float32), axis=axis).astype(np.float16)


def distinct(xp, x):
    """The distinct elements, in any order; NumPy's sorts to find them."""
    if xp is jg or x.dtype != np.float16:
        return xp.unique_values(x)
    return np.unique_values(x.astype(np.float32)).astype(np.float16)


def argsorted(xp, x):
    return jg.argsort(x, axis=-1) if xp is jg else np.argsort(x, axis=-1, kind="stable")


@functools.cache
def compiled(names, donate=False):
    """One record of functions, for whatever arrays come."""
    chosen = {"donate_argnums": (0,)} if donate else {}
    return jg.compile(lambda *arrays: chain(jg, names, *arrays), **chosen)


def chain(xp, names, *arrays):
    """The functions one after the other; the first may take two arrays."""
    x, *rest = arrays
    for name in names:
        x = BINARY[name](xp, x, *rest) if name in BINARY else UNARY[name](xp, x)
    return x


def recorded(xp, names, *arrays):
    return compiled(names)(*arrays) if xp is jg else chain(np, names, *arrays)


def given_away(xp, names, x):
    """The same with a copy of the argument that the call may overwrite."""
    return compiled(names, True)(jg.array(x, copy=True)) if xp is jg else chain(np, names, x)


def batched(xp, names, x, axis):
    """The functions on each slice along an axis."""
    if xp is jg:
        return jg.vmap(lambda row: chain(jg, names, row), axis, axis)(x)
    rows = [chain(np, names, row) for row in np.moveaxis(x, axis, 0)]
    return np.moveaxis(np.stack(rows), 0, axis)


def value_of(xp, names, x):
    """A number of the second degree in x."""
    return xp.sum(LINEAR[names[0]](xp, x) * LINEAR[names[1]](xp, x))


def slope(xp, names, x, way):
    """The gradient of value_of, by rule or by differences."""
    if xp is np:
        return np.asarray([
            (value_of(np, names, x + unit) - value_of(np, names, x - unit)) / 2
            for unit in np.eye(x.size, dtype=x.dtype).reshape(-1, *x.shape)
        ]).reshape(x.shape).astype(x.dtype)  # fmt: skip

    def value(x):
        return value_of(jg, names, x)

    match way:
        case "grad":
            return jg.grad(value)(x)
        case "recorded":
            return jg.compile(jg.grad(value))(x)
        case "of a record":
            return jg.grad(jg.compile(value))(x)
        case "again":
            return jg.grad(jg.checkpoint(value))(x)
        case "batched":
            return jg.vmap(jg.grad(value))(jg.stack([x, x * 0, x]))[2]
        case _:
            units = jg.reshape(jg.eye(x.size, dtype=x.dtype), (-1, *x.shape))
            pushed = jg.vmap(lambda unit: jg.jvp(value, [x], [unit])[1][0])(units)
            return jg.reshape(pushed, x.shape)


WAYS_OF_SLOPES = ("grad", "recorded", "of a record", "again", "batched", "forward")
HELPERS = {
    f.__name__: f
    for f in (hadamard, bits, updated_at, duplicate, pickled, stored, recorded, given_away,
              batched, slope, argsorted, ordered, distinct, put, ours)
}  # fmt: skip
