# SPDX-License-Identifier: Apache-2.0
"""Random numbers, as in mlx.core.random: every draw is a lazy array made from a key.

A key is an array that `key(seed)` or `split(key)` gives; the same key gives the same numbers, on
every machine and with any number of threads. Draws without a key take the next one of the process's
own sequence, which `seed` starts anew.
"""

import math

from joggle import _core, _namespace
from joggle._integers import integer_of
from joggle._random_arguments import (
    bounds_within,
    chances_of,
    extents_of,
    number_of,
    positive,
    slices_of,
)

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
    """The class of random.state: it is no list, so trees see it as a leaf without arrays."""

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


#: The position of the process's own sequence of keys, like a list of one array. `place =
#: random.state[0]` and `random.state[0] = place` repeat draws; a key begins the sequence that
#: belongs to it. Compiled functions draw from the sequence, although it is no input or output of
#: them.
state = State()


def key(seed, stream=None):
    """The key that belongs to a seed, an int of 64 bits with or without a sign.

    >>> jg.random.key(7).dtype
    joggle.uint64
    """
    number = integer_of(seed)
    if number is not None and 2**63 <= number < 2**64:
        seed = number - 2**64  # the same bits
    return _core.random_key(seed, stream=stream)


def split(key, num=2, stream=None):
    """num keys made of one, as one array: `k1, k2 = split(key)`. The old one is used up.

    >>> jg.random.split(jg.random.key(7), 3).shape[0]
    3
    """
    return _core.random_split(key, num, stream=stream)


def uniform(low=0, high=1, shape=(), dtype=_core.float32, key=None, stream=None):
    """Floats spread evenly over low to high, high not included; low and high broadcast to shape.

    A shape of None is theirs, broadcast. The dtype must hold high - low; arrays are not looked at.

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
    loc = number_of("normal", "loc", loc, 0, dtype, stream)
    scale = number_of("normal", "scale", scale, 1, dtype, stream)
    return _core.random_normal(key, shape, dtype, loc, scale, stream=stream)


def truncated_normal(lower, upper, shape=None, dtype=_core.float32, key=None, stream=None):
    """Floats of the standard normal distribution in (lower, upper), broadcast to shape.

    The shape is that of the bounds, broadcast, unless it is given. Bounds may be as far from 0 as
    the dtype reaches.

    >>> jg.all(jg.abs(jg.random.truncated_normal(-1.0, 1.0, (100,))) <= 1)
    array(True, dtype=bool)
    """
    dtype = _float(dtype)
    lower, upper = _bound(lower, dtype), _bound(upper, dtype)
    if shape is None:  # numbers are arrays of their own, as their shape is asked for
        lower, upper = _core.asarray(lower, stream=stream), _core.asarray(upper, stream=stream)
    return _core.random_truncated_normal(key, lower, upper, shape, dtype, stream=stream)


def laplace(shape=(), dtype=_core.float32, loc=0.0, scale=1.0, key=None, stream=None):
    """Floats of the Laplace distribution of mean loc and density exp(-|x - loc| / scale).

    >>> jg.random.laplace((2, 3), scale=2.0).shape
    (2, 3)
    """
    dtype = _float(dtype)
    loc = number_of("laplace", "loc", loc, 0, dtype, stream)
    scale = number_of("laplace", "scale", scale, 1, dtype, stream)
    return _core.random_laplace(key, shape, dtype, loc, scale, stream=stream)


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
    shape = extents_of("multivariate_normal", shape) or None
    return _core.random_multivariate_normal(key, mean, cov, shape, dtype, stream=stream)


def permutation(x, axis=0, key=None, stream=None):
    """The numbers 0 to x - 1 in random order, or an array with what stands along an axis in one.

    >>> jg.sort(jg.random.permutation(4))
    array([0, 1, 2, 3], dtype=int64)
    """
    x = slices_of("permutation", x, stream)
    return _core.random_permutation(key, x, axis, stream=stream)


def _float(dtype):
    return _core.float32 if dtype is None else _core.dtype(dtype)


def _bound(number, dtype):
    """A Python float in float64, as the draws are: alone it would become float32."""
    if isinstance(number, float) and dtype == _core.float64:
        return _core.full((), number, dtype=dtype)
    return number


def randint(low, high, shape=(), dtype=_core.int32, key=None, stream=None):
    """Integers spread evenly over low to high, high not included; both broadcast to shape.

    high may be one more than the largest number of the dtype, as 2**64 is for uint64. Numbers of
    arrays beyond that are taken for the nearest that the dtype allows.

    >>> jg.random.randint(5, 6, (3,))
    array([5, 5, 5], dtype=int32)
    """
    dtype = dtype if dtype is None else _core.dtype(dtype)
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        raise ValueError(f"[random_randint] high: got {high}, allowed is more than low, {low}")
    _check_bounds(low, high, dtype)
    if isinstance(high, int) and dtype in _BEYOND and high == _BEYOND[dtype]:
        high = None
    elif high is None:
        raise TypeError("[random_randint] high: got None, allowed are arrays and numbers")
    low, high = _whole(low, stream), _whole(high, stream)
    low, high = bounds_within(low, high, dtype, stream)
    return _core.random_randint(key, low, high, shape, dtype, stream=stream)


# One more than the largest number of the dtype, which the words of the draw cannot hold.
_BEYOND = {_core.int64: 2**63, _core.uint64: 2**64}


def _whole(number, stream):
    """A Python int that only uint64 holds as that, other bounds as they are."""
    if isinstance(number, int) and number >= 2**63:
        return _core.asarray(number, dtype=_core.uint64, stream=stream)
    return number


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
    return _core.random_bernoulli(key, p, shape, stream=stream)


def categorical(logits, axis=-1, shape=None, num_samples=None, key=None, stream=None):
    """Indices along an axis of logits, drawn with the probabilities softmax(logits).

    One draw for each of the other axes; num_samples adds a last axis of as many draws, and shape is
    one that the other axes broadcast to.

    >>> jg.random.categorical(jg.array([0.0, 1000.0]), num_samples=3)
    array([1, 1, 1], dtype=int64)
    """
    return _core.random_categorical(key, logits, axis, num_samples, shape, stream=stream)


def standard_normal(shape=(), dtype=_core.float32, key=None, stream=None):
    """Numbers of the normal distribution of mean 0 and standard deviation 1.

    >>> jg.random.standard_normal((2, 3)).shape
    (2, 3)
    """
    return normal(shape, dtype, key=key, stream=stream)


def exponential(shape=None, dtype=_core.float32, scale=1.0, key=None, stream=None):
    """Floats of the exponential distribution of mean scale, broadcast to shape.

    >>> jg.random.exponential((2, 3), scale=2.0).shape
    (2, 3)
    """
    dtype = _float(dtype)
    scale = positive("exponential", "scale", scale, dtype, stream)
    return _core.random_exponential(key, scale, shape, dtype, stream=stream)


def logistic(shape=None, dtype=_core.float32, loc=0.0, scale=1.0, key=None, stream=None):
    """Floats of the logistic distribution of mean loc, broadcast to shape.

    >>> jg.random.logistic((2, 3), loc=1.0).shape
    (2, 3)
    """
    dtype = _float(dtype)
    loc = number_of("logistic", "loc", loc, 0, dtype, stream)
    scale = number_of("logistic", "scale", scale, 1, dtype, stream)
    return _core.random_logistic(key, loc, scale, shape, dtype, stream=stream)


def rayleigh(shape=None, dtype=_core.float32, scale=1.0, key=None, stream=None):
    """Floats of the Rayleigh distribution: lengths of normal pairs of standard deviation scale.

    >>> jg.random.rayleigh((2, 3)).shape
    (2, 3)
    """
    dtype = _float(dtype)
    scale = positive("rayleigh", "scale", scale, dtype, stream)
    return _core.random_rayleigh(key, scale, shape, dtype, stream=stream)


def standard_cauchy(shape=(), dtype=_core.float32, key=None, stream=None):
    """Floats of the Cauchy distribution of median 0 and density 1 / (pi (1 + x^2)).

    >>> jg.random.standard_cauchy((2, 3)).shape
    (2, 3)
    """
    return _core.random_standard_cauchy(key, shape, _float(dtype), stream=stream)


def weibull(a, shape=None, dtype=_core.float32, key=None, stream=None):
    """Floats of the Weibull distribution of scale 1 and shape parameter a, broadcast to shape.

    >>> jg.random.weibull(2.0, (2, 3)).shape
    (2, 3)
    """
    dtype = _float(dtype)
    a = positive("weibull", "a", a, dtype, stream)
    return _core.random_weibull(key, a, shape, dtype, stream=stream)


def pareto(a, shape=None, dtype=_core.float32, key=None, stream=None):
    """Floats of the Pareto distribution of exponent a, from 0 on (Lomax), as NumPy's.

    >>> jg.random.pareto(3.0, (2, 3)).shape
    (2, 3)
    """
    dtype = _float(dtype)
    a = positive("pareto", "a", a, dtype, stream)
    return _core.random_pareto(key, a, shape, dtype, stream=stream)


def choice(a, shape=(), replace=True, p=None, axis=0, key=None, stream=None):
    """Slices of a along an axis drawn at random, or numbers from 0 to a - 1 for an int.

    All are as likely, or as the weights p say, which need not add up to 1. Without replace none is
    drawn twice. An array of joggle's as p is not looked at: it must have no NaN, nothing below 0,
    and without replace as much above 0 as is drawn.

    >>> jg.sort(jg.random.choice(4, (4,), replace=False))
    array([0, 1, 2, 3], dtype=int64)
    """
    a = slices_of("choice", a, stream)
    drawn = 1 if replace else math.prod(extents_of("choice", shape))
    p = chances_of("choice", p, drawn, stream)
    return _core.random_choice(key, a, shape, replace, p, axis, stream=stream)


def shuffle(x, axis=0, key=None, stream=None):
    """Puts the slices along an axis of x in random order, in x itself.

    >>> x = jg.arange(4)
    >>> jg.random.shuffle(x)
    >>> jg.sort(x)
    array([0, 1, 2, 3], dtype=int64)
    """
    x[...] = _core.random_permutation(key, x, axis, stream=stream)


def gamma(a, shape=None, dtype=_core.float32, scale=1.0, key=None, stream=None):
    """Floats of the gamma distribution of shape parameter a and mean a * scale, broadcast to shape.

    By Marsaglia and Tsang's method (2000), with eight proposals for each draw: that all are
    rejected, and the mode of the distribution drawn, happens to one in 10^10 draws or fewer.

    >>> jg.random.gamma(2.0, (2, 3)).shape
    (2, 3)
    """
    dtype = _float(dtype)
    a = positive("gamma", "a", a, dtype, stream)
    scale = positive("gamma", "scale", scale, dtype, stream)
    return _core.random_gamma(key, a, scale, shape, dtype, stream=stream)


def beta(a, b, shape=None, dtype=_core.float32, key=None, stream=None):
    """Floats of the beta distribution of shape parameters a and b, broadcast to shape.

    >>> jg.random.beta(2.0, 3.0, (2, 3)).shape
    (2, 3)
    """
    dtype = _float(dtype)
    a = positive("beta", "a", a, dtype, stream)
    b = positive("beta", "b", b, dtype, stream)
    return _core.random_beta(key, a, b, shape, dtype, stream=stream)


def __getattr__(name):
    from joggle import _absent

    raise _absent.module_error("joggle.random", name)
