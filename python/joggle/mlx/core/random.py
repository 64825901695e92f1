# SPDX-License-Identifier: Apache-2.0
"""mlx.core.random: keys are two uint32, and integers of 32 bits are drawn."""

import operator
import types

from joggle import _core
from joggle import random as _random

__all__ = [
    "bernoulli",
    "categorical",
    "gumbel",
    "key",
    "laplace",
    "multivariate_normal",
    "normal",
    "permutation",
    "randint",
    "seed",
    "split",
    "state",
    "truncated_normal",
    "uniform",
]

_uint32 = _core.uint32
_DRAWS = (
    *("bernoulli", "categorical", "gumbel", "laplace", "multivariate_normal", "normal"),
    *("permutation", "randint", "split", "truncated_normal", "uniform"),
)
# The functions refuse with errors that are also of MLX's kinds.
_drawn = types.SimpleNamespace(
    **{name: _core._narrowed(getattr(_random, name), "kept", None) for name in _DRAWS}
)


def _word(key):
    """The key as joggle has it, one uint64."""
    if key is None:
        return key
    if not hasattr(key, "dtype"):
        raise TypeError(
            f"[random] key: got {type(key).__name__}, allowed is what random.key and random.split "
            "give"
        )
    if key.ndim == 0 and key.dtype == _core.uint64:
        return key
    if key.shape != (2,) or key.dtype != _uint32:
        raise ValueError(
            f"[random] key: got {key.dtype.name} of shape {key.shape}, allowed is what "
            "random.key and random.split give, two numbers of uint32"
        )
    return _core.reshape(_core.view(_core.contiguous(key), _core.uint64), ())


def _pairs(words):
    """Keys of joggle's as MLX has them: (..., 2) of uint32."""
    return _core.view(_core.expand_dims(words, -1), _uint32)


class _State(_random.State):
    """The class of random.state: joggle's, which gives a key as two numbers and cannot be set."""

    def __setitem__(self, index, value):
        raise TypeError(
            "[random.state] cannot be set; random.seed begins a sequence, and the state of "
            "joggle.random goes back to a place in one"
        )

    def __getitem__(self, index):
        seed, count = _core._random_tell()
        mixed = (seed ^ (count * 0x9E3779B97F4A7C15)) & (2**64 - 1)
        return [_pairs(_core.asarray(mixed, dtype=_core.uint64))][index]


#: Tells where the process's own sequence of keys is, like a list of one array. Compiled functions
#: draw from it without being given it in their inputs and outputs, but may be.
state = _State()


def _checked(name, seed):
    """MLX's seeds are uint64; of joggle's the low 64 bits count."""
    number = operator.index(seed)
    if not 0 <= number < 2**64:
        raise TypeError(f"[{name}] seed: got {seed!r}, allowed are ints from 0 and below 2**64")
    return number


def seed(seed):
    """Starts the process's own sequence of keys anew.

    >>> mx.random.seed(7)
    """
    _random.seed(_checked("random.seed", seed))


def key(seed, stream=None):
    """The key that belongs to a seed: two numbers of uint32.

    >>> mx.random.key(7).shape
    (2,)
    """
    number = _checked("random.key", seed)
    return _pairs(_random.key(number - (number >> 63 << 64), stream))  # joggle's are signed


def split(key, num=2, stream=None):
    """num keys made of one, as the rows of an array. The old one is used up.

    >>> mx.random.split(mx.random.key(7), 3).shape
    (3, 2)
    """
    return _pairs(_drawn.split(_word(key), num, stream))


def uniform(low=0, high=1, shape=(), dtype=_core.float32, key=None, stream=None):
    """Floats spread evenly over low to high, high not included; low and high broadcast to shape.

    >>> mx.random.uniform(shape=(2, 3)).dtype
    joggle.float32
    """
    return _drawn.uniform(low, high, shape, dtype, _word(key), stream)


def normal(shape=(), dtype=_core.float32, loc=None, scale=None, key=None, stream=None):
    """Numbers of the normal distribution of mean loc (0) and standard deviation scale (1).

    >>> mx.random.normal((2, 3)).shape
    (2, 3)
    """
    return _drawn.normal(shape, dtype, loc, scale, _word(key), stream)


def truncated_normal(lower, upper, shape=None, dtype=_core.float32, key=None, stream=None):
    """Floats of the standard normal distribution in (lower, upper), broadcast to shape.

    >>> mx.random.truncated_normal(-1.0, 1.0, (4,)).shape
    (4,)
    """
    return _drawn.truncated_normal(lower, upper, shape, dtype, _word(key), stream)


def laplace(shape=(), dtype=_core.float32, loc=0.0, scale=1.0, key=None, stream=None):
    """Floats of the Laplace distribution of mean loc and density exp(-|x - loc| / scale).

    >>> mx.random.laplace((2, 3)).shape
    (2, 3)
    """
    return _drawn.laplace(shape, dtype, loc, scale, _word(key), stream)


def gumbel(shape=(), dtype=_core.float32, key=None, stream=None):
    """Floats of the standard Gumbel distribution.

    >>> mx.random.gumbel((2, 3)).shape
    (2, 3)
    """
    return _drawn.gumbel(shape, dtype, _word(key), stream)


def multivariate_normal(mean, cov, shape=(), dtype=_core.float32, key=None, stream=None):
    """Vectors of the joint normal distribution of that mean (..., n) and covariance (..., n, n).

    >>> mx.random.multivariate_normal(mx.zeros((2,)), mx.eye(2), (5,)).shape
    (5, 2)
    """
    return _drawn.multivariate_normal(mean, cov, shape, dtype, _word(key), stream)


def randint(low, high, shape=(), dtype=_core.int32, key=None, stream=None):
    """Integers spread evenly over low to high, high not included; both broadcast to shape.

    >>> mx.random.randint(5, 6, (3,))
    array([5, 5, 5], dtype=int32)
    """
    return _drawn.randint(low, high, shape, dtype, _word(key), stream)


def bernoulli(p=0.5, shape=None, key=None, stream=None):
    """True with probability p; the shape is p's unless it is given.

    >>> mx.random.bernoulli(1.0, (3,))
    array([ True,  True,  True], dtype=bool)
    """
    return _drawn.bernoulli(p, shape, _word(key), stream)


def categorical(logits, axis=-1, shape=None, num_samples=None, key=None, stream=None):
    """Indices along an axis of logits, drawn with the probabilities softmax(logits), as uint32.

    >>> mx.random.categorical(mx.array([0.0, 1000.0]), num_samples=3)
    array([1, 1, 1], dtype=uint32)
    """
    drawn = _drawn.categorical(logits, axis, shape, num_samples, _word(key), stream)
    return _core.astype(drawn, _uint32, copy=False)


def permutation(x, axis=0, key=None, stream=None):
    """The numbers 0 to x - 1 in random order, as uint32, or an array with what stands along an axis
    in one.

    >>> mx.sort(mx.random.permutation(4))
    array([0, 1, 2, 3], dtype=uint32)
    """
    drawn = _drawn.permutation(x, axis, _word(key), stream)
    return _core.astype(drawn, _uint32) if isinstance(x, int) else drawn
