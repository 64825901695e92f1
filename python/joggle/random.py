# SPDX-License-Identifier: Apache-2.0
"""Random numbers, as in mlx.core.random: every draw is a lazy array made from a key.

A key is an array that `key(seed)` or `split(key)` gives; the same key gives the same numbers, on
every machine and with any number of threads. Draws without a key take the next one of the process's
own sequence, which `seed` starts anew.
"""

import math

from joggle import _core, _namespace
from joggle._random_arguments import check_axis, extents_of, positive, shape_of, slices_of

__all__ = [
    "bernoulli",
    "beta",
    "categorical",
    "choice",
    "exponential",
    "gamma",
    "gumbel",
    "key",
    "laplace",
    "logistic",
    "multivariate_normal",
    "normal",
    "pareto",
    "permutation",
    "randint",
    "rayleigh",
    "seed",
    "shuffle",
    "split",
    "standard_cauchy",
    "standard_normal",
    "state",
    "truncated_normal",
    "uniform",
    "weibull",
]


def seed(seed):
    """Starts the process's own sequence of keys anew.

    >>> jg.random.seed(7)
    """
    _core.random_seed(seed)


class State:
    """What random.state is: no list, so that to trees that hold it, it is a leaf without arrays."""

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return [_core.array(_core._random_tell(), dtype=_core.uint64)][index]

    def __setitem__(self, index, value):
        range(1)[index]
        place = _core.asarray(value, dtype=_core.uint64)
        if place.shape not in ((), (2,)):
            raise ValueError(
                f"[random.state] value: got shape {place.shape}, allowed are a key and what "
                "state[0] gave, which is (2,)"
            )
        _core._random_seek(*(place.tolist() if place.ndim else (place.item(), 0)))

    def __iter__(self):
        return iter([self[0]])

    def __repr__(self):
        return f"[{self[0]!r}]"


#: Where the process's own sequence of keys is, like a list of one array: `place = random.state[0]`
#: and `random.state[0] = place` let draws repeat; a key begins the sequence that belongs to it.
#: Compiled functions draw from it without being given it in their inputs and outputs.
state = State()


def key(seed, stream=None):
    """The key that belongs to a seed, an int.

    >>> jg.random.key(7).dtype
    joggle.uint64
    """
    return _core.random_key(seed, stream=stream)


def split(key, num=2, stream=None):
    """num keys made of one, as one array: `k1, k2 = split(key)`. The old one is used up.

    >>> jg.random.split(jg.random.key(7), 3).shape[0]
    3
    """
    return _core.random_split(key, num, stream=stream)


def uniform(low=0, high=1, shape=(), dtype=_core.float32, key=None, stream=None):
    """Floats spread evenly over low to high, high not included; low and high broadcast to shape.

    >>> jg.random.uniform(0, 1, (3,)) < 1
    array([ True,  True,  True], dtype=bool)
    """
    dtype = _float(dtype)
    low, high = _bound(low, dtype), _bound(high, dtype)
    return _core.random_uniform(key, low, high, shape, dtype, stream=stream)


def normal(shape=(), dtype=_core.float32, loc=None, scale=None, key=None, stream=None):
    """Numbers of the normal distribution of mean loc (0) and standard deviation scale (1).

    Of a complex dtype, real and imaginary part have variance 1/2 each.

    >>> jg.random.normal((2, 3), loc=1.0, scale=0.1).shape
    (2, 3)
    """
    dtype = _float(dtype)
    drawn = _core.random_normal(key, shape, dtype, stream=stream)
    return _move(drawn, dtype, loc, scale, stream)


def truncated_normal(lower, upper, shape=None, dtype=_core.float32, key=None, stream=None):
    """Floats of the standard normal distribution in (lower, upper), broadcast to shape.

    The shape is that of the bounds, broadcast, unless it is given. Bounds may be as far from 0 as
    the dtype reaches.

    >>> jg.all(jg.abs(jg.random.truncated_normal(-1.0, 1.0, (100,))) <= 1)
    array(True, dtype=bool)
    """
    dtype = _float(dtype)
    lower, upper = _bound(lower, dtype), _bound(upper, dtype)
    if shape is None:
        lower, upper = _core.asarray(lower, stream=stream), _core.asarray(upper, stream=stream)
        shape = _core.broadcast_arrays(lower, upper, stream=stream)[0].shape
    return _core.random_truncated_normal(key, lower, upper, shape, dtype, stream=stream)


def laplace(shape=(), dtype=_core.float32, loc=0.0, scale=1.0, key=None, stream=None):
    """Floats of the Laplace distribution of mean loc and density exp(-|x - loc| / scale).

    >>> jg.random.laplace((2, 3), scale=2.0).shape
    (2, 3)
    """
    dtype = _float(dtype)
    drawn = _core.random_laplace(key, shape, dtype, stream=stream)
    return _move(drawn, dtype, loc, scale, stream)


def gumbel(shape=(), dtype=_core.float32, key=None, stream=None):
    """Floats of the standard Gumbel distribution.

    >>> jg.random.gumbel((2, 3)).shape
    (2, 3)
    """
    return _core.random_gumbel(key, shape, _float(dtype), stream=stream)


def multivariate_normal(mean, cov, shape=(), dtype=_core.float32, key=None, stream=None):
    """Vectors of the joint normal distribution of that mean (..., n) and covariance (..., n, n).

    shape is what the axes before n broadcast to; without one it is that of mean and cov, broadcast.
    cov must be symmetric and have no negative eigenvalue; it may be singular.

    >>> jg.random.multivariate_normal(jg.zeros((2,)), jg.eye(2), (5,)).shape
    (5, 2)
    """
    dtype = _float(dtype)
    mean = _core.asarray(mean, dtype=dtype, stream=stream)
    cov = _core.asarray(cov, dtype=dtype, stream=stream)
    if mean.ndim < 1 or cov.ndim < 2 or cov.shape[-2:] != mean.shape[-1:] * 2:
        raise ValueError(
            f"[random_multivariate_normal] cov: got shape {cov.shape}, allowed is (..., n, n) for "
            f"mean of shape {mean.shape}"
        )
    factor = _square_root(cov, stream)
    shape = extents_of("multivariate_normal", shape)
    if len(shape) == 0:
        shape = _core.broadcast_arrays(mean[..., None], factor, stream=stream)[0].shape[:-2]
    drawn = _core.random_normal(key, (*shape, mean.shape[-1]), dtype, stream=stream)
    turned = _core.matmul(factor, drawn[..., None], stream=stream)[..., 0]
    return _core.broadcast_to(_core.add(turned, mean, stream=stream), drawn.shape, stream=stream)


def _square_root(cov, stream):
    """A matrix whose product with its transpose is cov: eigenvectors, each times the root of its
    value, which rounding may have made negative."""
    values, vectors = _core.linalg_eigh(cov, stream=stream)
    lengths = _core.sqrt(_core.maximum(values, 0, stream=stream), stream=stream)
    return _core.multiply(vectors, lengths[..., None, :], stream=stream)


def permutation(x, axis=0, key=None, stream=None):
    """The numbers 0 to x - 1 in random order, or an array with what stands along an axis in one.

    >>> jg.sort(jg.random.permutation(4))
    array([0, 1, 2, 3], dtype=int64)
    """
    x = slices_of("permutation", "x", x, axis, stream)
    return _permuted(x, axis, key, stream)


def _permuted(x, axis, key, stream):
    least, most = -(2**63), 2**63 - 1
    places = _core.random_randint(key, least, most, (x.shape[axis],), _core.int64, stream=stream)
    return _core.take(x, _core.argsort(places, stream=stream), axis, stream=stream)


def _float(dtype):
    return _core.float32 if dtype is None else _core.dtype(dtype)


def _bound(number, dtype):
    """A Python float in float64, as the draws are: alone it would become float32."""
    if isinstance(number, float) and dtype == _core.float64:
        return _core.asarray(number, dtype=dtype)
    return number


def _wide(dtype):
    """The dtype in which draws are transformed: half precision has too few numbers near 0."""
    dtype = _float(dtype)
    return _core.float32 if dtype in (_core.float16, _core.bfloat16) else dtype


def _move(drawn, dtype, loc, scale, stream):
    """drawn * scale + loc in the dtype that was asked for, to which arrays, too, are cast."""
    if not _is(scale, 1):
        scale = _core.asarray(scale, dtype=dtype, stream=stream)
        drawn = _core.multiply(drawn, scale, stream=stream)
    if not _is(loc, 0):
        drawn = _core.add(drawn, _core.asarray(loc, dtype=dtype, stream=stream), stream=stream)
    return drawn


def _is(number, value):
    """Whether an argument equals its default."""
    return number is None or (isinstance(number, (int, float)) and number == value)


def randint(low, high, shape=(), dtype=_core.int32, key=None, stream=None):
    """Integers spread evenly over low to high, high not included; both broadcast to shape.

    high may be one more than the largest number of the dtype, as 2**64 is for uint64.

    >>> jg.random.randint(5, 6, (3,))
    array([5, 5, 5], dtype=int32)
    """
    dtype = dtype if dtype is None else _core.dtype(dtype)
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        raise ValueError(f"[random_randint] high: got {high}, allowed is more than low, {low}")
    _check_bounds(low, high, dtype)
    low = _whole(low, stream)
    if isinstance(high, int) and dtype in _BEYOND and high == _BEYOND[dtype]:
        return _to_the_largest(low, shape, dtype, key, stream)
    return _core.random_randint(key, low, _whole(high, stream), shape, dtype, stream=stream)


# What the words that numbers are drawn in cannot hold: one more than the largest of the dtype.
_BEYOND = {_core.int64: 2**63, _core.uint64: 2**64}


def _whole(number, stream):
    """A Python int that only uint64 holds as that, other bounds as they are."""
    if isinstance(number, int) and number >= 2**63:
        return _core.asarray(number, dtype=_core.uint64, stream=stream)
    return number


def _to_the_largest(low, shape, dtype, key, stream):
    """Integers from low on. Spans count modulo 2**64, so that from the least number on is 0: there
    each bit is drawn."""
    least = _namespace.iinfo(dtype).min
    keys = (None, None, None) if key is None else _core.random_split(key, 3, stream=stream)
    if isinstance(low, int) and low == least:
        return _all_bits(shape, dtype, keys, stream)
    top = _core.asarray(least, dtype=dtype, stream=stream)  # is the largest + 1, modulo 2**64
    first = None if key is None else keys[2]
    drawn = _core.random_randint(first, low, top, shape, dtype, stream=stream)
    if isinstance(low, int):
        return drawn
    every = _core.equal(low, top, stream=stream)
    return _core.where(every, _all_bits(shape, dtype, keys, stream), drawn, stream=stream)


def _all_bits(shape, dtype, keys, stream):
    upper, lower = (
        _core.random_randint(key, 0, 2**32, shape, _core.uint64, stream=stream) for key in keys[:2]
    )
    upper = _core.bitwise_left_shift(upper, 32, stream=stream)
    return _core.astype(_core.bitwise_or(upper, lower, stream=stream), dtype, stream=stream)


def _check_bounds(low, high, dtype):
    """Whether the dtype has all numbers from low to high - 1, where they are Python's."""
    if not isinstance(dtype, _core.dtype) or not _core.isdtype(dtype, "integral"):
        return  # which the op refuses
    limits = _namespace.iinfo(dtype)
    for name, number, most in (("low", low, limits.max), ("high", high, limits.max + 1)):
        if isinstance(number, int) and not limits.min <= number <= most:
            raise ValueError(
                f"[random_randint] {name}: got {number}, allowed for {dtype} is "
                f"{limits.min} to {most}"
            )


def bernoulli(p=0.5, shape=None, key=None, stream=None):
    """True with probability p; the shape is p's unless it is given.

    >>> jg.random.bernoulli(1.0, (3,))
    array([ True,  True,  True], dtype=bool)
    """
    p = _core.asarray(p, stream=stream)
    return _core.random_bernoulli(key, p, p.shape if shape is None else shape, stream=stream)


def categorical(logits, axis=-1, shape=None, num_samples=None, key=None, stream=None):
    """Indices along an axis of logits, drawn with the probabilities softmax(logits).

    One draw for each of the other axes; num_samples adds a last axis of as many draws, and shape is
    one that the other axes broadcast to.

    >>> jg.random.categorical(jg.array([0.0, 1000.0]), num_samples=3)
    array([1, 1, 1], dtype=int64)
    """
    if shape is None:
        return _core.random_categorical(key, logits, axis, num_samples, stream=stream)
    if num_samples is not None:
        raise ValueError(
            f"[random_categorical] num_samples: got {num_samples} beside shape, allowed is one of "
            "the two"
        )
    logits = _core.moveaxis(logits, axis, -1, stream=stream)
    shape = extents_of("categorical", shape)
    logits = _core.broadcast_to(logits, (*shape, logits.shape[-1]), stream=stream)
    return _core.random_categorical(key, logits, stream=stream)


def standard_normal(shape=(), dtype=_core.float32, key=None, stream=None):
    """Numbers of the normal distribution of mean 0 and standard deviation 1.

    >>> jg.random.standard_normal((2, 3)).shape
    (2, 3)
    """
    return normal(shape, dtype, key=key, stream=stream)


def _exponential(shape, dtype, key, stream):
    """-log(1 - u) for u from 0 to 1, which does not reach 1."""
    drawn = uniform(0, 1, shape, _wide(dtype), key, stream)
    drawn = _core.negative(_core.log1p(_core.negative(drawn, stream=stream), stream=stream))
    return _core.astype(drawn, _float(dtype), copy=False)


def _on(stream):
    return _core.stream(_core.default_stream() if stream is None else stream)


def exponential(shape=None, dtype=_core.float32, scale=1.0, key=None, stream=None):
    """Floats of the exponential distribution of mean scale, broadcast to shape.

    >>> jg.random.exponential((2, 3), scale=2.0).shape
    (2, 3)
    """
    with _on(stream):
        scale = positive("exponential", "scale", scale, _float(dtype))
        shape = shape_of("exponential", shape, scale=scale)
        return _core.multiply(_exponential(shape, dtype, key, None), scale)


def logistic(shape=None, dtype=_core.float32, loc=0.0, scale=1.0, key=None, stream=None):
    """Floats of the logistic distribution of mean loc, broadcast to shape.

    >>> jg.random.logistic((2, 3), loc=1.0).shape
    (2, 3)
    """
    with _on(stream):
        shape = shape_of("logistic", shape, loc=_core.asarray(loc), scale=_core.asarray(scale))
        drawn = _inner(shape, dtype, key)  # to be put into the inverse of the distribution function
        drawn = _core.log(drawn) - _core.log1p(_core.negative(drawn))
        drawn = _core.astype(drawn, _float(dtype), copy=False)
        return _move(drawn, _float(dtype), loc, scale, None)


def _inner(shape, dtype, key):
    """Floats spread evenly between 0 and 1, neither of which is reached, in the wide dtype."""
    drawn = uniform(0, 1, shape, _wide(dtype), key)
    least = 2.0**-25 if _float(dtype) != _core.float64 else 2.0**-54
    return _core.maximum(drawn, least)


def rayleigh(shape=None, dtype=_core.float32, scale=1.0, key=None, stream=None):
    """Floats of the Rayleigh distribution: lengths of normal pairs of standard deviation scale.

    >>> jg.random.rayleigh((2, 3)).shape
    (2, 3)
    """
    with _on(stream):
        scale = positive("rayleigh", "scale", scale, _float(dtype))
        shape = shape_of("rayleigh", shape, scale=scale)
        return _core.sqrt(2 * _exponential(shape, dtype, key, None)) * scale


def standard_cauchy(shape=(), dtype=_core.float32, key=None, stream=None):
    """Floats of the Cauchy distribution of median 0 and density 1 / (pi (1 + x^2)).

    >>> jg.random.standard_cauchy((2, 3)).shape
    (2, 3)
    """
    with _on(stream):
        drawn = _inner(shape, dtype, key)
        return _core.astype(_core.tan(math.pi * (drawn - 0.5)), _float(dtype), copy=False)


def weibull(a, shape=None, dtype=_core.float32, key=None, stream=None):
    """Floats of the Weibull distribution of scale 1 and shape parameter a, broadcast to shape.

    >>> jg.random.weibull(2.0, (2, 3)).shape
    (2, 3)
    """
    with _on(stream):
        a = positive("weibull", "a", a, _float(dtype))
        shape = shape_of("weibull", shape, a=a)
        return _core.power(_exponential(shape, dtype, key, None), 1 / a)


def pareto(a, shape=None, dtype=_core.float32, key=None, stream=None):
    """Floats of the Pareto distribution of exponent a, from 0 on (Lomax), as NumPy's.

    >>> jg.random.pareto(3.0, (2, 3)).shape
    (2, 3)
    """
    with _on(stream):
        a = positive("pareto", "a", a, _float(dtype))
        shape = shape_of("pareto", shape, a=a)
        return _core.expm1(_exponential(shape, dtype, key, None) / a)


def choice(a, shape=(), replace=True, p=None, axis=0, key=None, stream=None):
    """Slices of a along an axis drawn at random, or numbers from 0 to a - 1 for an int.

    Each is as likely as p says, or all alike. Without replace none is drawn twice.

    >>> jg.sort(jg.random.choice(4, (4,), replace=False))
    array([0, 1, 2, 3], dtype=int64)
    """
    with _on(stream):
        a = slices_of("choice", "a", a, axis)
        extent = a.shape[axis]
        shape = extents_of("choice", shape)
        count = math.prod(shape)
        allowed = extent if not replace else count if extent else 0
        if count > allowed:
            raise ValueError(
                f"[random_choice] shape: draws {count}, allowed are {allowed} of {extent}"
            )
        if p is not None:
            p = _core.asarray(p)
            if p.shape != (extent,):
                raise ValueError(f"[random_choice] p: has shape {p.shape}, allowed is ({extent},)")
        places = _core.reshape(_chosen(extent, count, replace, p, key), shape)
        return _core.take(a, places, axis)


def _chosen(extent, count, replace, p, key):
    """Indices below extent: by the cumulative sum of p, or those that come first in a random
    order."""
    if replace and p is None:
        return randint(0, max(extent, 1), (count,), _core.int64, key)
    if replace:
        upto = _core.cumsum(_core.astype(p, _core.float64, copy=False))
        drawn = uniform(0, 1, (count,), _core.float64, key) * upto[-1:]
        return _core.minimum(_core.searchsorted(upto, drawn, "right"), max(extent - 1, 0))
    if p is None:
        return permutation(extent, key=key)[:count]
    # Times until the first event, of rates p: the order in which they come (Efraimidis, Spirakis).
    times = _exponential((extent,), _core.float64, key, None) / _core.astype(
        p, _core.float64, copy=False
    )
    return _core.argsort(times)[:count]


def shuffle(x, axis=0, key=None, stream=None):
    """Puts the slices along an axis of x in random order, in x itself.

    >>> x = jg.arange(4)
    >>> jg.random.shuffle(x)
    >>> jg.sort(x)
    array([0, 1, 2, 3], dtype=int64)
    """
    with _on(stream):
        values = _core.asarray(x)
        check_axis("shuffle", "x", values, axis)
        x[...] = _permuted(values, axis, key, None)


_PROPOSALS = 8


def _own_key():
    """A key made from the next one of the process's sequence."""
    drawn = randint(-(2**63), 2**63 - 1, (), _core.int64)
    return _core.bitcast(drawn, _core.uint64)


def gamma(a, shape=None, dtype=_core.float32, scale=1.0, key=None, stream=None):
    """Floats of the gamma distribution of shape parameter a and mean a * scale, broadcast to shape.

    By Marsaglia and Tsang's method (2000), with eight proposals for each draw: that all are
    rejected, and the mode of the distribution drawn, happens to one in 10^10 draws or fewer.

    >>> jg.random.gamma(2.0, (2, 3)).shape
    (2, 3)
    """
    with _on(stream):
        a = positive("gamma", "a", a, _float(dtype))
        scale = positive("gamma", "scale", scale, _float(dtype))
        shape = shape_of("gamma", shape, a=a, scale=scale)
        key = _own_key() if key is None else key
        return _gamma(a, shape, _float(dtype), key) * scale


def _gamma(a, shape, dtype, key):
    small = a < 1
    third = _core.where(small, a + 1, a) - 1 / 3
    keys = _core.random_split(key, 3)
    normals = normal((_PROPOSALS, *shape), dtype, key=keys[0])
    cubes = (1 + normals / _core.sqrt(9 * third)) ** 3
    logs = _core.log(_core.where(cubes > 0, cubes, 1))
    limit = normals * normals / 2 + third * (1 - cubes + logs)
    below = _exponential((_PROPOSALS, *shape), dtype, keys[1], None)
    accepted = _core.logical_and(cubes > 0, _core.negative(below) < limit)
    first = _core.expand_dims(_core.argmax(accepted, 0), 0)
    drawn = _core.take_along_axis(cubes, first, 0)[0]
    drawn = third * _core.where(_core.any(accepted, 0), drawn, 1)
    factor = _core.exp(-_exponential(shape, dtype, keys[2], None) / a)
    return _core.where(small, drawn * factor, drawn)


def beta(a, b, shape=None, dtype=_core.float32, key=None, stream=None):
    """Floats of the beta distribution of shape parameters a and b, broadcast to shape.

    >>> jg.random.beta(2.0, 3.0, (2, 3)).shape
    (2, 3)
    """
    with _on(stream):
        a, b = positive("beta", "a", a, _float(dtype)), positive("beta", "b", b, _float(dtype))
        shape = shape_of("beta", shape, a=a, b=b)
        keys = (None, None) if key is None else _core.random_split(key, 2)
        first, second = (gamma(x, shape, dtype, key=k) for x, k in zip((a, b), keys, strict=True))
        return first / (first + second)
