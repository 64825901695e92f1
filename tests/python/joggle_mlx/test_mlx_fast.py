# SPDX-License-Identifier: Apache-2.0
"""joggle.mlx.core.fast beside the mlx wheel: attention with sinks, the gated delta rule."""

import mlx.core as mx
import numpy as np
import pytest

import joggle.mlx.core as ours

RNG = np.random.default_rng(3)


def drawn(*shape):
    return RNG.standard_normal(shape).astype("f4")


def close(found, expected, tolerance=2e-5):
    np.testing.assert_allclose(np.array(found), np.array(expected), tolerance, tolerance)


MASKS = {
    "none": lambda m, a, length, span: None,
    "causal": lambda m, a, length, span: "causal",
    "bools": lambda m, a, length, span: a(RNG_MASK[:length, :span] > 0),
    "numbers": lambda m, a, length, span: a(RNG_MASK[None, None, :length, :span]),
    "one column": lambda m, a, length, span: a(RNG_MASK[:length, :1]),
}
RNG_MASK = drawn(64, 64)
RNG_MASK[:, 0] = 1  # a row that attends nothing is not defined


@pytest.mark.parametrize("force_fused", [False, True])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("length", [1, 5, 40])
@pytest.mark.parametrize("heads", [4, 2])
def test_sinks_take_part_of_the_attention(heads, length, mask, force_fused):
    span, depth = 48, 16
    q, k, v = drawn(2, 4, length, depth), drawn(2, heads, span, depth), drawn(2, heads, span, depth)
    sinks = drawn(4)

    def call(m, **options):
        return m.fast.scaled_dot_product_attention(
            *map(m.array, (q, k, v)),
            scale=0.3,
            mask=MASKS[mask](m, m.array, length, span),
            sinks=m.array(sinks),
            **options,
        )

    close(call(ours, force_fused=force_fused), call(mx))


def test_sinks_keep_the_dtype_and_have_derivatives():
    q = ours.array(drawn(1, 2, 3, 8)).astype(ours.bfloat16)
    for fused in (False, True):
        out = ours.fast.scaled_dot_product_attention(
            q, q, q, scale=0.3, sinks=ours.zeros((2,), ours.bfloat16), force_fused=fused
        )
        assert out.dtype == ours.bfloat16

    def loss(m, sinks, fused):
        x = m.array(FIXED)
        options = {"force_fused": True} if fused else {}
        return (
            m.fast.scaled_dot_product_attention(x, x, x, scale=0.3, sinks=sinks, **options)
            .square()
            .sum()
        )

    expected = mx.grad(lambda s: loss(mx, s, False))(mx.array([0.5, -0.5]))
    for fused in (False, True):
        close(ours.grad(lambda s, f=fused: loss(ours, s, f))(ours.array([0.5, -0.5])), expected)


FIXED = drawn(1, 2, 3, 8)


@pytest.mark.parametrize("given", [False, True])
def test_the_gated_delta_rule_is_that_of_mlx(given):
    batch, length, groups, heads, depth, width = 2, 5, 2, 4, 32, 16
    arrays = [
        drawn(batch, length, groups, depth),
        drawn(batch, length, groups, depth) * 0.2,
        drawn(batch, length, heads, width),
        1 / (1 + np.exp(drawn(batch, length, heads))),
        1 / (1 + np.exp(drawn(batch, length, heads))),
    ]
    state = drawn(batch, heads, width, depth)
    mask = drawn(batch, length) > 0

    def call(m):
        more = (m.array(state), m.array(mask)) if given else ()
        return m.fast.gated_delta_update(*map(m.array, arrays), *more)

    for found, expected in zip(call(ours), call(mx), strict=True):
        close(found, expected, 1e-4)


def test_the_gated_delta_rule_names_what_does_not_fit():
    x = ours.ones((1, 3, 2, 4))
    with pytest.raises(ValueError, match="heads"):
        ours.fast.gated_delta_update(x, x, ours.ones((1, 3, 3, 4)), x, x)
    with pytest.raises(ValueError, match="shapes"):
        ours.fast.gated_delta_update(x, x, x, x, x)


def test_kernels_for_gpus_are_made_but_not_run():
    kernel = ours.fast.metal_kernel("k", ["x"], ["y"], "")
    with pytest.raises(RuntimeError, match="Metal"):
        kernel(inputs=[], output_shapes=[], output_dtypes=[])
    for make in (ours.fast.cuda_kernel, mx.fast.cuda_kernel):
        with pytest.raises(RuntimeError, match="CUDA"):
            make("k", ["x"], ["y"], "")
