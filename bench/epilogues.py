# SPDX-License-Identifier: Apache-2.0
"""What follows a convolution, a quantised product or a product block by block, against the same
evaluated in two steps: the gain of taking a bias, an activation or a residual in. The products
alone are a yardstick: what takes no time would come to their share of two steps. Where that is
below 0.87, the goal is 0.9, else 1.0 of two steps."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "epilogues"
GAINS, KEEPS = Goal(0.9, "in two steps"), Goal(1.0, "in two steps")


def _case(name, jg, first, then, goal=GAINS):
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
        "products": code("eval(first())", eval=jg.eval, first=first),
    }
    return Case(name, entries, (goal,))


def _arrays(jg, *shapes):
    rng = np.random.default_rng(0)
    return [jg.asarray(rng.standard_normal(shape, np.float32)) for shape in shapes]


def _convolution(jg, shape, results, taps, residual, goal):
    rows, extent, channels = shape
    x, w, b = _arrays(
        jg, (rows, extent, extent, channels), (results, taps, taps, channels), (results,)
    )
    rest = _arrays(jg, (rows, extent, extent, results))[0]

    def first():
        return jg.conv2d(x, w, 1, taps // 2)

    def bias(y):
        return jg.maximum(y + b, 0)

    def with_rest(y):
        return jg.maximum(y + b + rest, 0)

    name = f"{taps}x{taps} of {channels} to {results}, {rows}x{extent}x{extent}, bias and relu"
    then = with_rest if residual else bias
    return _case(name + (", residual" if residual else ""), jg, first, then, goal)


def _quantized(jg, rows, inner, columns, residual, goal):
    w, x, b = _arrays(jg, (columns, inner), (rows, inner), (columns,))
    rest = _arrays(jg, (rows, columns))[0]
    parts = jg.quantize(w, bits=4)
    name = f"4 bits, {rows}x{inner} by {inner}x{columns}, bias and silu"

    def activated(y):
        y = y + b
        return y * jg.sigmoid(y)

    def with_rest(y):
        return y + b + rest

    def first():
        return jg.quantized_matmul(x, *parts, bits=4)

    if residual:
        return _case(name.replace("silu", "residual"), jg, first, with_rest, goal)
    return _case(name, jg, first, activated, goal)


def _product(jg, rows, inner, columns):
    x, w, b = _arrays(jg, (rows, inner), (inner, columns), (columns,))
    name = f"{rows}x{inner} by {inner}x{columns}, bias and relu"
    return _case(name, jg, lambda: x @ w, lambda y: jg.maximum(y + b, 0))


# (batch, extent, channels), results, taps: of few terms, and of many, which take all the time
CONVOLUTIONS = (
    ((1, 224, 3), 64, 3, GAINS),
    ((1, 224, 16), 64, 1, GAINS),
    ((8, 56, 64), 256, 1, KEEPS),
    ((1, 224, 64), 64, 3, KEEPS),
)
# rows, terms, columns: of adapters, of a deeper layer, and of one token
QUANTIZED = ((16384, 64, 1024, GAINS), (2048, 1024, 1024, KEEPS), (1, 1024, 4096, KEEPS))


def cases(quick):
    for shape, results, taps, goal in CONVOLUTIONS:
        shape = (1, 8, shape[2]) if quick else shape
        for residual in (False, True):
            yield on(
                "joggle",
                lambda jg, s=shape, r=results, t=taps, k=residual, g=goal: _convolution(
                    jg, s, r, t, k, g
                ),
            )
    for rows, inner, columns, goal in QUANTIZED:
        rows = min(rows, 2048) if quick else rows
        for residual in (False, True):
            yield on(
                "joggle",
                lambda jg, m=rows, k=inner, n=columns, r=residual, g=goal: _quantized(
                    jg, m, k, n, r, g
                ),
            )
    extent = 64 if quick else 1792
    yield on("joggle", lambda jg: _product(jg, extent, 128, extent))
