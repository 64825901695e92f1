# SPDX-License-Identifier: Apache-2.0
"""What follows a convolution, a quantised product or a product block by block, against the same
evaluated in two steps: the gain of taking a bias, an activation or a residual in."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "epilogues"
GOALS = (Goal(0.9, "in two steps"),)


def _case(name, jg, first, then):
    """first: makes what is followed; then: what follows it, of that."""

    def apart():
        y = first()
        jg.eval(y)
        return then(y)

    entries = {
        "joggle": code(
            "eval(then(first()))", "then(first())", eval=jg.eval, first=first, then=then
        ),
        "in two steps": code("eval(apart())", "apart()", eval=jg.eval, apart=apart),
    }
    return Case(name, entries, GOALS)


def _arrays(jg, *shapes):
    rng = np.random.default_rng(0)
    return [jg.asarray(rng.standard_normal(shape, np.float32)) for shape in shapes]


def _convolution(jg, extent, channels, results, taps, residual):
    x, w, b = _arrays(
        jg, (1, extent, extent, channels), (results, taps, taps, channels), (results,)
    )
    rest = _arrays(jg, (1, extent, extent, results))[0]

    def first():
        return jg.conv2d(x, w, 1, taps // 2)

    def bias(y):
        return jg.maximum(y + b, 0)

    def with_rest(y):
        return jg.maximum(y + b + rest, 0)

    name = f"{taps}x{taps} of {channels} to {results}, {extent}x{extent}, bias and relu"
    return _case(
        name + (", residual" if residual else ""), jg, first, with_rest if residual else bias
    )


def _quantized(jg, rows, inner, columns):
    w, x, b = _arrays(jg, (columns, inner), (rows, inner), (columns,))
    parts = jg.quantize(w, bits=4)
    name = f"4 bits, {rows}x{inner} by {inner}x{columns}, bias and silu"

    def then(y):
        y = y + b
        return y * jg.sigmoid(y)

    return _case(name, jg, lambda: jg.quantized_matmul(x, *parts, bits=4), then)


def _product(jg, rows, inner, columns):
    x, w, b = _arrays(jg, (rows, inner), (inner, columns), (columns,))
    name = f"{rows}x{inner} by {inner}x{columns}, bias and relu"
    return _case(name, jg, lambda: x @ w, lambda y: jg.maximum(y + b, 0))


def cases(quick):
    extent = 8 if quick else 224
    for channels, results, taps in ((3, 64, 3), (16, 64, 1), (64, 64, 3)):
        for residual in (False, True):
            yield on(
                "joggle",
                lambda jg, c=channels, r=results, t=taps, with_rest=residual: _convolution(
                    jg, extent, c, r, t, with_rest
                ),
            )
    inner = 64 if quick else 128
    columns = 128 if quick else 32768
    yield on("joggle", lambda jg: _quantized(jg, 1, inner, columns))
    yield on("joggle", lambda jg: _quantized(jg, 1, 8 * inner, columns // 8))
    yield on("joggle", lambda jg: _product(jg, 8 * extent, inner, 8 * extent))
