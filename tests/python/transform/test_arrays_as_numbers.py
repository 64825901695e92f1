# SPDX-License-Identifier: Apache-2.0
"""Arrays where a number or a nested list may stand: derivatives go on through them, or the call is
refused; nothing takes them for constants."""

import checks
import numpy as np
import pytest

import joggle as jg

X = np.array([0.7, 1.3, 2.1])
IMAGE = jg.ones((1, 1, 3, 4))

THROUGH = {
    "full": lambda x: jg.full((3, 2), x[0] * x[1]),
    "full of an array of one axis": lambda x: jg.full(4, x[1:2] ** 2),
    "full_like": lambda x: jg.full_like(x, jg.sum(x * x)),
    "full of a list": lambda x: jg.full(2, [x[0] * x[2]]),
    "a list": lambda x: jg.array([x[0] * 2, x[1] * x[2]]),
    "a matrix with numbers": lambda x: jg.asarray([[x[0] ** 2, 1.0], [2, x[1] * x[2]]]),
    "a list of vectors": lambda x: jg.array([x * x, [1.0, 2.0, 3.0], X]),
    "a tuple of a list of vectors": lambda x: jg.array(([x * x], [jg.ones(3)])),
    "a reduction": lambda x: jg.sum((x * x,)),
    "concatenate": lambda x: jg.concatenate([[x[0] ** 2], x]),
    "stack": lambda x: jg.stack([[x[0] * x[1], x[2]], [1.0, 2.0]]),
    "at": lambda x: x.at[jg.array([0, 1])].add([x[0], x[0] * x[1]]),
    "interp": lambda x: jg.interp([x[0] * x[1]], [0.0, 3.0], [x[0], x[2]]),
    "linspace": lambda x: jg.linspace(x[0], x[1] * x[2], 5, dtype=jg.float64),
    "linspace by name": lambda x: jg.linspace(
        start=1, stop=x[1] ** 2, num=4, endpoint=False, dtype=jg.float64
    ),
    "linspace of one": lambda x: jg.linspace(x[0], x[1], 1, dtype=jg.float64),
    "logspace": lambda x: jg.logspace(x[0], x[1], 4, base=x[2], dtype=jg.float64),
}

REFUSED = {
    "nan_to_num": lambda s: jg.nan_to_num(jg.ones(3), nan=s),
    "rms_norm": lambda s: jg.fast.rms_norm(jg.ones(3), None, s),
    "scaled_dot_product_attention": lambda s: jg.fast.scaled_dot_product_attention(
        IMAGE, IMAGE, IMAGE, scale=s
    ),
    "rope": lambda s: jg.fast.rope(IMAGE, 4, traditional=False, base=s, scale=1.0, offset=0),
    "addmm": lambda s: jg.addmm(jg.ones((3, 3)), jg.ones((3, 3)), jg.ones((3, 3)), alpha=s),
    "quantile": lambda s: jg.quantile(jg.ones(3), s),
    "percentile": lambda s: jg.percentile(jg.ones(3), [s, 50.0]),
    "var": lambda s: jg.var(jg.ones(3), correction=s),
}


@pytest.mark.parametrize("name", THROUGH)
def test_derivatives_go_through_arrays_in_the_place_of_numbers(name):
    checks.check(THROUGH[name], X)


@pytest.mark.parametrize("name", THROUGH)
def test_traced_arrays_give_the_values_that_others_give(name):
    want = np.asarray(THROUGH[name](jg.asarray(X)))
    traced = [
        jg.vjp(THROUGH[name], [jg.asarray(X)])[0],
        jg.compile(THROUGH[name])(jg.asarray(X)),
        jg.vmap(THROUGH[name])(jg.asarray(X[None]))[0],
    ]
    for got in traced:
        assert np.asarray(got).dtype == want.dtype
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-15)


@pytest.mark.parametrize("name", REFUSED)
def test_a_number_that_an_argument_decides_is_refused(name):
    with pytest.raises(ValueError, match=rf"\[{name}\] \w+: got an array that depends"):
        jg.grad(lambda s: jg.sum(REFUSED[name](s)))(jg.array(0.5))
    REFUSED[name](jg.array(0.5))
    jg.grad(lambda s: s * jg.sum(REFUSED[name](s.item())))(jg.array(0.5))


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (lambda x: [x[0], 1], jg.float32),
        (lambda x: [x[0], 1.0, True], jg.float32),
        (lambda x: [x[0], 1j], jg.complex64),
        (lambda x: [x[0], np.float64(2)], jg.float64),
        (lambda x: [jg.astype(x[0], jg.int8), 2], jg.int8),
        (lambda x: [jg.astype(x[0], jg.int8), 2.5], jg.float32),
    ],
)
def test_dtypes_of_lists_are_those_without_a_trace(make, dtype):
    x = jg.array([1.0, 2.0])
    assert jg.array(make(x)).dtype == dtype
    found = []
    jg.vjp(lambda x: found.append(jg.array(make(x)).dtype) or x, [x])
    assert found == [dtype]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: [x, [1.0]], r"x\[1\]: has 1 items, allowed are 2"),
        (lambda x: [[1.0], x], r"x\[1\]: has 2 items, allowed are 1"),
        (lambda x: [x, 1.0], r"x\[1\]: a number where there are sequences"),
        (lambda x: [1.0, x], r"x\[1\]: a sequence where there are numbers"),
        (lambda x: [x[0], "a"], r"x\[1\]: got str"),
    ],
)
def test_lists_of_traced_arrays_are_refused_as_those_of_others(make, message):
    x = jg.array([1.0, 2.0])
    with pytest.raises((TypeError, ValueError), match=message):
        jg.array(make(x))
    with pytest.raises((TypeError, ValueError), match=message):
        jg.vjp(lambda x: jg.array(make(x)), [x])


def test_full_of_several_traced_numbers_is_refused():
    with pytest.raises(ValueError):
        jg.vjp(lambda x: jg.full((2,), x), [jg.ones(2)])
    with pytest.raises(ValueError, match="start"):
        jg.vjp(lambda x: jg.linspace(x, 1, 3), [jg.ones(2)])
