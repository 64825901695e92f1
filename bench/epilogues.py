# SPDX-License-Identifier: Apache-2.0
"""What follows a convolution, a quantised product or a product block by block, against the same
evaluated in two steps: the gain of taking a bias, an activation or a residual in. The products
alone are the bound: what takes no time would come to their share of two steps. Where that is above
0.87, a row cannot reach 0.9, and its goal is 1.03 times the bound. The bound leaves out the
arithmetic of what follows, which no fusing saves: most of the time of a silu."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "epilogues"
GOAL = Goal(0.9, "in two steps", bound="products")


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
        "products": code("eval(first())", eval=jg.eval, first=first),
    }
    return Case(name, entries, (GOAL,))


def _arrays(jg, *shapes):
    rng = np.random.default_rng(0)
    return [jg.asarray(rng.standard_normal(shape, np.float32)) for shape in shapes]


def _convolution(jg, shape, results, taps, residual):
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
    return _case(name + (", residual" if residual else ""), jg, first, then)


def _quantized(jg, rows, inner, columns, residual):
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
        return _case(name.replace("silu", "residual"), jg, first, with_rest)
    return _case(name, jg, first, activated)


def _product(jg, rows, inner, columns):
    x, w, b = _arrays(jg, (rows, inner), (inner, columns), (columns,))
    name = f"{rows}x{inner} by {inner}x{columns}, bias and relu"
    return _case(name, jg, lambda: x @ w, lambda y: jg.maximum(y + b, 0))


# (batch, extent, channels), results, taps: of few terms, and of many, which take all the time
CONVOLUTIONS = (
    ((1, 224, 3), 64, 3),
    ((1, 224, 16), 64, 1),
    ((8, 56, 64), 256, 1),
    ((1, 224, 64), 64, 3),
)
# rows, terms, columns: of adapters, of a deeper layer, and of one token
QUANTIZED = ((16384, 64, 1024), (2048, 1024, 1024), (1, 1024, 4096))


def cases(quick):
    for shape, results, taps in CONVOLUTIONS:
        shape = (1, 8, shape[2]) if quick else shape
        for residual in (False, True):
            yield on(
                "joggle",
                lambda jg, s=shape, r=results, t=taps, k=residual: _convolution(jg, s, r, t, k),
            )
    for rows, inner, columns in QUANTIZED:
        rows = min(rows, 2048) if quick else rows
        for residual in (False, True):
            yield on(
                "joggle",
                lambda jg, m=rows, k=inner, n=columns, r=residual: _quantized(jg, m, k, n, r),
            )
    extent = 64 if quick else 1792
    yield on("joggle", lambda jg: _product(jg, extent, 128, extent))
