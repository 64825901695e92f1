# SPDX-License-Identifier: Apache-2.0
"""A stack of matrices times one matrix: right in every layout, its derivative is one product."""

import numpy as np
import pytest

import joggle as jg

RNG = np.random.default_rng(2)


def layouts(shape, dtype):
    """Arrays of a shape that lie differently: dense, turned axes, steps, backwards, broadcast."""
    x = jg.array(RNG.normal(size=shape), dtype=dtype)
    yield x
    yield jg.contiguous(x.swapaxes(0, 1)).swapaxes(0, 1)
    wide = jg.array(RNG.normal(size=(*shape[:-1], 2 * shape[-1])), dtype=dtype)
    yield wide[..., ::2]
    yield x[::-1]
    if x.size:
        yield jg.broadcast_to(x[:1], shape)


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "bfloat16", "int32", "complex64"]
)
@pytest.mark.parametrize(
    ("batch", "rows"), [((3,), 4), ((2, 3), 1), ((5,), 40), ((0,), 3), ((2,), 0)]
)
def test_products_of_stacks_are_those_of_their_matrices(dtype, batch, rows):
    weight = jg.array(RNG.normal(size=(7, 6)) * 3, dtype=dtype)
    wide = "complex128" if dtype == "complex64" else "float64"
    for x in layouts((*batch, rows, 7), dtype):
        for w in (weight, jg.contiguous(weight.T).T):
            found = x @ w
            assert found.dtype == x.dtype
            exact = np.asarray(x.astype(wide)) @ np.asarray(w.astype(wide))
            scale = {"float16": 2e-3, "bfloat16": 2e-2}.get(dtype, 1e-5)
            np.testing.assert_allclose(
                np.asarray(found.astype(wide)), exact, rtol=scale, atol=scale * 10
            )


@pytest.mark.parametrize("complex_numbers", [False, True])
def test_the_derivative_by_the_matrix_is_the_sum_over_the_stack(complex_numbers):
    dtype = jg.complex128 if complex_numbers else jg.float64
    w = jg.array(RNG.normal(size=(7, 6)), dtype=dtype) * (1 + (2j if complex_numbers else 0))
    for x in layouts((2, 5, 7), dtype):
        g = jg.array(RNG.normal(size=(2, 5, 6)), dtype=dtype)
        _, pullback = jg.vjp(lambda w, x=x: x @ w, [w])
        (slope,) = pullback([g])
        expected = sum(np.conj(np.asarray(x)[i]).T @ np.asarray(g)[i] for i in range(2))
        np.testing.assert_allclose(np.asarray(slope), expected, rtol=1e-10, atol=1e-10)


def test_the_gradient_of_a_weight_takes_no_memory_for_each_of_the_batch():
    x = jg.random.normal((64, 16, 256))
    w = jg.random.normal((256, 256))
    jg.eval(x, w)
    slope = jg.compile(jg.grad(lambda w: jg.sum((x @ w) ** 2)))
    jg.eval(slope(w))
    jg.synchronize()
    before = jg.get_active_memory()
    jg.reset_peak_memory()
    jg.eval(slope(w))
    assert jg.get_peak_memory() - before < 16 * w.nbytes  # 64 of them otherwise


def test_the_gradient_of_a_transposed_matrix_lies_as_the_matrix_does():
    rng = np.random.default_rng(0)
    w, x = (jg.asarray(rng.standard_normal(s, np.float32)) for s in ((24, 36), (16, 36)))
    slope = jg.grad(lambda w: jg.sum((x @ w.T) ** 2))(w)
    assert "matmul over (24, 36)" in jg.explain(w - slope)
    expected = 2 * (np.asarray(x) @ np.asarray(w).T).T @ np.asarray(x)
    np.testing.assert_allclose(np.asarray(slope), expected, rtol=1e-4, atol=1e-3)
