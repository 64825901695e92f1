# SPDX-License-Identifier: Apache-2.0
"""Expressions of elements, and statistics. Each takes a namespace and a (3, 4) array."""

EXPRESSIONS = {
    "product of sines": lambda xp, x: xp.sin(x) * xp.sin(2 * x) * xp.cos(x / 3),
    "damped wave": lambda xp, x: xp.exp(-xp.square(x)) * xp.cos(5 * x),
    "rational": lambda xp, x: (1 + x) / (2 + x * x),
    "nested rational": lambda xp, x: 1 / (1 + 1 / (2 + 1 / (3 + x * x))),
    "horner": lambda xp, x: ((2 * x - 3) * x + 5) * x - 7,
    "powers": lambda xp, x: x**3 - x**2 + xp.abs(x) ** 1.5,
    "power of powers": lambda xp, x: (x * x + 1) ** (xp.sin(x) + 2),
    "log of polynomial": lambda xp, x: xp.log(x**4 + x * x + 1),
    "log1p and expm1": lambda xp, x: xp.log1p(xp.expm1(x) ** 2),
    "roots": lambda xp, x: xp.sqrt(x * x + 1e-3) + xp.sqrt(xp.exp(x)),
    "reciprocal root": lambda xp, x: 1 / xp.sqrt(1 + x * x),
    "hyperbolic": lambda xp, x: xp.sinh(x) / xp.cosh(x) - xp.tanh(x) ** 3,
    "inverse hyperbolic": lambda xp, x: xp.arcsinh(x) + xp.arctanh(x / 5) + xp.arccosh(2 + x * x),
    "inverse circular": lambda xp, x: xp.arcsin(x / 5) + xp.arccos(x / 6) + xp.arctan(x),
    "angle": lambda xp, x: xp.arctan2(x, 1 + xp.cos(x)),
    "distance": lambda xp, x: xp.hypot(x, xp.exp(x)),
    "base two": lambda xp, x: xp.exp2(x) * xp.log2(1 + x * x),
    "base ten": lambda xp, x: xp.log10(1 + xp.exp(x)),
    "log add": lambda xp, x: xp.logaddexp(x, -x) + xp.logaddexp(2 * x, xp.sin(x)),
    "copied sign": lambda xp, x: xp.copysign(xp.exp(x), x),
    "greatest": lambda xp, x: xp.maximum(x, xp.sin(3 * x) + 0.1),
    "least": lambda xp, x: xp.minimum(x * x, xp.exp(-x)),
    "clipped": lambda xp, x: xp.clip(x * 2, -1.5, 1.5) * x,
    "chosen": lambda xp, x: xp.where(x > 0, xp.exp(-x), xp.sin(x)),
    "chosen twice": lambda xp, x: xp.where(x > 1, x, xp.where(x < -1, x**3, xp.sin(x))),
    "guarded root": lambda xp, x: xp.where(x > 0, xp.sqrt(xp.where(x > 0, x, 1.0)), 0.0),
    "guarded logarithm": lambda xp, x: xp.where(x > 0.1, xp.log(xp.where(x > 0.1, x, 1.0)), x),
    "modulo": lambda xp, x: xp.remainder(x, 0.7) * x,
    "fractional part": lambda xp, x: x - xp.floor(x) + xp.square(x),
    "absolute of wave": lambda xp, x: xp.abs(xp.sin(4 * x)) + xp.sign(x) * x,
    "logistic": lambda xp, x: 1 / (1 + xp.exp(-x)),
    "soft sign": lambda xp, x: x / (1 + xp.abs(x)),
    "gaussian bump": lambda xp, x: xp.where(
        xp.abs(x) < 1, xp.exp(-1 / (1 - xp.where(xp.abs(x) < 1, x, 0.0) ** 2)), 0.0
    ),
    "sinc": lambda xp, x: xp.sin(x) / xp.where(xp.abs(x) < 1e-9, 1.0, x),
    "iterated sine": lambda xp, x: xp.sin(xp.sin(xp.sin(xp.sin(x)))),
    "iterated logistic map": lambda xp, x: _iterate(lambda y: 3.2 * y * (1 - y), xp.tanh(x) / 3, 6),
    "newton root": lambda xp, x: _iterate(lambda y: (y + (x * x + 2) / y) / 2, 1 + x * x, 6),
    "continued fraction": lambda xp, x: _iterate(lambda y: 1 / (2 + x + y), x / 9, 5),
    "series of exp": lambda xp, x: _series(x, 12),
    "chebyshev": lambda xp, x: _chebyshev(x / 4, 7),
    "legendre": lambda xp, x: _legendre(x / 4, 6),
    "product of three": lambda xp, x: x * xp.exp(x) * xp.log(3 + xp.tanh(x)),
    "in place": lambda xp, x: _accumulate(xp, x),
}

STATISTICS = {
    "mean and deviation": lambda xp, x: (x - xp.mean(x)) / xp.std(x),
    "variance by rows": lambda xp, x: xp.var(x, axis=1) * xp.mean(x, axis=1),
    "standardised columns": lambda xp, x: (
        (x - xp.mean(x, axis=0)) / (xp.sqrt(xp.var(x, axis=0)) + 0.1)
    ),
    "moments": lambda xp, x: xp.mean((x - xp.mean(x)) ** 3) / xp.std(x) ** 3,
    "kurtosis": lambda xp, x: xp.mean((x - xp.mean(x)) ** 4) / xp.var(x) ** 2,
    "covariance": lambda xp, x: (lambda y: y @ y.T / 4)(x - xp.mean(x, axis=1, keepdims=True)),
    "correlation": lambda xp, x: _correlation(xp, x[0], x[1]),
    "log of sums": lambda xp, x: xp.log(xp.sum(xp.exp(x), axis=0)),
    "entropy": lambda xp, x: (lambda p: -xp.sum(p * xp.log(p), axis=1))(_softmax(xp, x)),
    "perplexity": lambda xp, x: (lambda p: xp.exp(-xp.sum(p * xp.log(p), axis=1)))(_softmax(xp, x)),
    "kl divergence": lambda xp, x: (lambda p, q: xp.sum(p * xp.log(p / q)))(
        _softmax(xp, x), _softmax(xp, 2 * x + 1)
    ),
    "geometric mean": lambda xp, x: xp.exp(xp.mean(xp.log(x * x + 0.5), axis=0)),
    "harmonic mean": lambda xp, x: 1 / xp.mean(1 / (x * x + 1), axis=1),
    "product": lambda xp, x: xp.prod(x, axis=1) + xp.prod(x, axis=0)[:3],
    "largest of rows": lambda xp, x: xp.max(x * xp.sin(x), axis=1) - xp.min(x, axis=1),
    "range": lambda xp, x: xp.max(x) * xp.min(x),
    "median of sines": lambda xp, x: xp.median(xp.sin(x) + x, axis=1),
    "sorted weights": lambda xp, x: xp.sort(x, axis=1) * xp.arange(4.0),
    "gini": lambda xp, x: (
        lambda y: xp.sum(y * (2 * xp.arange(1.0, 13.0) - 13)) / (12 * xp.sum(y))
    )(xp.sort(xp.reshape(xp.exp(x), (12,)))),
    "running mean": lambda xp, x: xp.cumsum(x, axis=1) / xp.arange(1.0, 5.0),
    "running product": lambda xp, x: xp.cumprod(1 + x / 5, axis=0),
    "weighted mean": lambda xp, x: xp.sum(x * xp.exp(x)) / xp.sum(xp.exp(x)),
    "norms": lambda xp, x: xp.sum(xp.abs(x) ** 3, axis=1) ** (1 / 3),
    "gaussian density": lambda xp, x: xp.exp(-(x**2) / 2) / (2 * xp.pi) ** 0.5,
    "student density": lambda xp, x: (1 + x * x / 5) ** -3,
    "mixture likelihood": lambda xp, x: xp.log(
        0.3 * xp.exp(-((x - 1) ** 2)) + 0.7 * xp.exp(-((x + 1) ** 2) / 4)
    ),
    "differences": lambda xp, x: xp.diff(x, axis=1) ** 2,
    "quantile": lambda xp, x: xp.quantile(x, 0.3, axis=1),
}


def _iterate(step, y, count):
    for _ in range(count):
        y = step(y)
    return y


def _series(x, count):
    term = total = 1 + 0 * x
    for n in range(1, count):
        term = term * x / n
        total = total + term
    return total


def _chebyshev(x, count):
    before, now = 1 + 0 * x, x
    for _ in range(count):
        before, now = now, 2 * x * now - before
    return now


def _legendre(x, count):
    before, now = 1 + 0 * x, x
    for n in range(1, count):
        before, now = now, ((2 * n + 1) * x * now - n * before) / (n + 1)
    return now


def _accumulate(xp, x):
    total = xp.zeros_like(x)
    for i in range(4):
        total += xp.sin(x * i)
        total *= 0.9
    return total


def _correlation(xp, a, b):
    a, b = a - xp.mean(a), b - xp.mean(b)
    return xp.sum(a * b) / xp.sqrt(xp.sum(a * a) * xp.sum(b * b))


def _softmax(xp, x):
    powers = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return powers / xp.sum(powers, axis=1, keepdims=True)
