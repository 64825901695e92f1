# SPDX-License-Identifier: Apache-2.0
"""What derivatives are held against: differences, each other, and themselves once more."""

import numpy as np

import joggle as jg


def _random_like(x, generator):
    values = generator.standard_normal(x.shape)
    if np.iscomplexobj(x):
        values = values + 1j * generator.standard_normal(x.shape)
    return np.asarray(values, dtype=x.dtype)


def _inner(a, b):
    return sum(np.real(np.vdot(x, y)) for x, y in zip(a, b, strict=True))


def _numpy(arrays):
    return [np.asarray(x) for x in arrays]


def _list(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def check(fun, *arguments, order=2, rtol=1e-6, dot=1e-12, step=1e-5, seed=0):
    """The derivative of fun at float64 or complex128 arguments: forward against central differences
    of fourth order, reverse against forward, and as much of the derivative."""
    generator = np.random.default_rng(seed)
    arguments = [np.asarray(x) for x in arguments]
    tangents = [_random_like(x, generator) for x in arguments]

    def run(values):
        return [np.asarray(x) for x in _list(fun(*map(jg.asarray, values)))]

    outputs, pushed = jg.jvp(fun, [*map(jg.asarray, arguments)], [*map(jg.asarray, tangents)])
    outputs, pushed = _numpy(outputs), _numpy(pushed)
    points = [
        run([x + n * step * t for x, t in zip(arguments, tangents, strict=True)])
        for n in (-2, -1, 1, 2)
    ]
    for a, b, c, d, got in zip(*points, pushed, strict=True):
        want = (8 * (c - b) - (d - a)) / (12 * step)
        scale = 1 + np.max(np.abs(want), initial=0)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * scale)

    cotangents = [_random_like(x, generator) for x in outputs]
    _, pulled = jg.vjp(fun, [*map(jg.asarray, arguments)], [*map(jg.asarray, cotangents)])
    left, right = _inner(cotangents, pushed), _inner(_numpy(pulled), tangents)
    size = sum(np.sum(np.abs(c) * np.abs(p)) for c, p in zip(cotangents, pushed, strict=True))
    assert abs(left - right) <= dot * (1 + size), (left, right)

    if order > 1:
        given = [jg.asarray(c) for c in cotangents]

        def slope(*primals):
            return jg.vjp(fun, list(primals), given)[1]

        check(slope, *arguments, order=order - 1, rtol=rtol, dot=dot, step=step, seed=seed + 1)
