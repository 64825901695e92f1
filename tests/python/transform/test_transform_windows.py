# SPDX-License-Identifier: Apache-2.0
"""Derivatives of convolutions, pooling, Fourier transforms and products of chosen matrices."""

import numpy as np
import pytest
from checks import check

import joggle as jg

generator = np.random.default_rng(11)


def normal(*shape):
    return generator.standard_normal(shape)


def complex_normal(*shape):
    return normal(*shape) + 1j * normal(*shape)


CONVOLUTIONS = {
    "1d": ((2, 7, 3), (4, 3, 3), {}),
    "1d strided and padded": ((2, 8, 3), (4, 3, 3), {"stride": 2, "padding": 1}),
    "2d": ((2, 5, 6, 3), (4, 3, 2, 3), {}),
    "2d all": (
        (2, 6, 7, 4),
        (6, 3, 2, 2),
        {"stride": (2, 1), "padding": (2, 1), "kernel_dilation": (1, 2), "groups": 2},
    ),
    "2d spread": ((1, 4, 5, 2), (3, 3, 3, 2), {"input_dilation": (2, 3), "padding": 1}),
    "2d flipped": ((1, 5, 5, 2), (4, 3, 2, 1), {"flip": True, "groups": 2, "stride": 2}),
    "2d channels first": ((2, 3, 5, 6), (4, 3, 3, 2), {"data_format": "NCHW", "padding": 1}),
    "3d": ((1, 4, 3, 4, 2), (2, 2, 2, 3, 2), {"stride": (1, 2, 1)}),
    "cut off": ((1, 8, 2), (2, 3, 2), {"padding": ([-1], [-2])}),
    "depthwise": ((2, 5, 5, 4), (4, 3, 3, 1), {"groups": 4, "padding": 1}),
    "depthwise 1d": ((2, 9, 3), (3, 4, 1), {"groups": 3, "stride": 2, "padding": 3}),
    "depthwise all": (
        (2, 9, 7, 3),
        (3, 3, 2, 1),
        {"groups": 3, "stride": (2, 1), "padding": (2, 1), "kernel_dilation": (1, 3), "flip": True},
    ),
    "depthwise 3d": ((1, 4, 3, 4, 2), (2, 2, 2, 3, 1), {"groups": 2, "stride": (1, 2, 1)}),
    "depthwise cut off": ((1, 8, 2), (2, 3, 1), {"groups": 2, "padding": ([-1], [-2])}),
    "depthwise spread": ((1, 4, 5, 2), (2, 3, 3, 1), {"groups": 2, "input_dilation": (2, 3)}),
    "depthwise channels first": (
        (2, 3, 5, 6),
        (3, 1, 3, 3),
        {"groups": 3, "data_format": "NCHW", "padding": 1},
    ),
    "depthwise of two results": ((2, 5, 5, 3), (6, 3, 3, 1), {"groups": 3}),
    "depthwise of 81 taps": ((1, 10, 9, 2), (2, 9, 9, 1), {"groups": 2}),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_have_the_derivatives_of_differences(name):
    x, w, how = CONVOLUTIONS[name]
    check(lambda x, w: jg.conv_general(x, w, **how), normal(*x), normal(*w))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_depthwise_weights_of_half_precision_have_sums_that_are_rounded_once(dtype):
    x, w, g = (
        jg.array(normal(*shape), dtype=dtype)
        for shape in ((4, 32, 32, 8), (8, 3, 3, 1), (4, 32, 32, 8))
    )
    share = jg.vjp(lambda w: jg.conv2d(x, w, padding=1, groups=8), [w])[1]([g])[0]
    assert share.dtype == w.dtype
    wide = [jg.astype(each, jg.float64) for each in (x, w, g)]
    exact = jg.vjp(lambda w: jg.conv2d(wide[0], w, padding=1, groups=8), [wide[1]])[1]([wide[2]])[0]
    unit = float(jg.finfo(dtype).eps)
    np.testing.assert_allclose(
        np.asarray(share.astype("float64")), np.asarray(exact), rtol=unit, atol=1e-4
    )


def test_a_batch_of_depthwise_weights_has_the_derivatives_of_each():
    x, w = jg.asarray(normal(3, 2, 6, 5, 4)), jg.asarray(normal(3, 4, 3, 3, 1))
    slopes = jg.grad(lambda w, x: jg.sum(jg.sin(jg.conv2d(x, w, padding=1, groups=4))))
    batched = jg.vmap(slopes)(w, x)
    for i in range(3):
        np.testing.assert_allclose(
            np.asarray(batched[i]), np.asarray(slopes(w[i], x[i])), rtol=1e-12
        )


def test_a_complex_convolution_has_derivatives_or_is_refused():
    try:
        jg.eval(
            jg.conv_general(
                jg.asarray(complex_normal(1, 5, 2)), jg.asarray(complex_normal(2, 3, 2))
            )
        )
    except TypeError:
        return  # refused by name: then there is nothing to differentiate
    check(lambda x, w: jg.conv_general(x, w), complex_normal(1, 5, 2), complex_normal(2, 3, 2))


def test_transposed_convolutions_have_the_derivatives_of_differences():
    check(
        lambda x, w: jg.conv_transpose2d(x, w, stride=2, padding=1),
        normal(1, 3, 4, 2),
        normal(3, 3, 3, 2),
    )


POOLS = {
    "max": lambda x: jg.max_pool2d(x, 2),
    "max overlapping": lambda x: jg.max_pool2d(x, 3, stride=1, padding=1),
    "mean": lambda x: jg.avg_pool2d(x, 2),
    "mean overlapping": lambda x: jg.avg_pool2d(x, 3, stride=2, padding=1),
}


@pytest.mark.parametrize("name", POOLS)
def test_pooling_has_the_derivatives_of_differences(name):
    check(POOLS[name], normal(2, 6, 7, 3))


@pytest.mark.parametrize("name", ["max overlapping", "mean overlapping"])
def test_pooling_is_that_of_torch(name):
    torch = pytest.importorskip("torch")
    x, g = normal(2, 6, 7, 3), None
    result, pull = jg.vjp(POOLS[name], [jg.asarray(x)])
    g = normal(*result.shape)
    (got,) = pull([jg.asarray(g)])
    other = torch.tensor(x.transpose(0, 3, 1, 2), requires_grad=True)
    if name.startswith("max"):
        made = torch.nn.functional.max_pool2d(other, 3, stride=1, padding=1)
    else:
        made = torch.nn.functional.avg_pool2d(other, 3, stride=2, padding=1)
    made.backward(torch.tensor(g.transpose(0, 3, 1, 2)))
    np.testing.assert_allclose(
        np.asarray(got), other.grad.numpy().transpose(0, 2, 3, 1), atol=1e-12
    )


SIDE_BY_SIDE = {
    "even": ((2, 6, 8, 3), 2, {}),
    "with a rest": ((2, 7, 11, 3), (3, 4), {}),
    "of one": ((2, 5, 4, 3), 1, {}),
    "of 81 taps": ((1, 18, 9, 2), 9, {}),
    "of 324 taps": ((1, 18, 18, 2), 18, {}),
    "the whole": ((2, 5, 7, 3), (5, 7), {}),
    "one window, another stride": ((2, 5, 7, 3), (5, 7), {"stride": 1}),
    "gaps": ((2, 9, 9, 3), 2, {"stride": 3}),
    "channels first": ((2, 3, 7, 11), (3, 4), {"data_format": "channels_first"}),
}


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize("name", SIDE_BY_SIDE)
def test_windows_side_by_side_are_those_of_torch(kind, name):
    torch = pytest.importorskip("torch")
    shape, window, keywords = SIDE_BY_SIDE[name]
    first = "data_format" in keywords
    x = np.round(normal(*shape), 1)
    pool = getattr(jg, f"{kind}_pool2d")
    result, pull = jg.vjp(lambda x: pool(x, window, **keywords), [jg.asarray(x)])
    g = normal(*result.shape)
    (got,) = pull([jg.asarray(g)])
    last = np.transpose(np.asarray(got), (0, 2, 3, 1)) if first else np.asarray(got)
    turn = (lambda x: x) if first else (lambda x: x.transpose(0, 3, 1, 2))
    other = torch.tensor(turn(x), requires_grad=True)
    made = getattr(torch.nn.functional, f"{kind}_pool2d")(
        other, window, stride=keywords.get("stride")
    )
    made.backward(torch.tensor(turn(g)))
    expected = other.grad.numpy().transpose(0, 2, 3, 1)
    np.testing.assert_allclose(last, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_windows_side_by_side_keep_other_dtypes(dtype):
    x = jg.asarray(np.round(normal(3, 5, 4, 2), 1), dtype=jg.float64).astype(dtype)
    g = jg.asarray(normal(3, 2, 2, 2)).astype(dtype)
    _, pull = jg.vjp(lambda x: jg.max_pool2d(x, 2), [x])
    (got,) = pull([g])
    wide = x.astype(jg.float64)
    (expected,) = jg.vjp(lambda x: jg.max_pool2d(x, 2), [wide])[1]([g.astype(jg.float64)])
    assert got.dtype == x.dtype
    assert np.array_equal(np.asarray(got.astype(jg.float64)), np.asarray(expected))


def test_pooling_takes_a_divisor_and_three_axes_of_space():
    x = normal(2, 5, 4, 7, 3)
    check(lambda x: jg.avg_pool3d(x, (2, 3, 2), divisor_override=5), x)
    check(lambda x: jg.max_pool3d(x, (2, 3, 2)), x)


def test_a_window_with_nan_gets_nothing():
    x = np.ones((1, 2, 4, 1))
    x[0, 1, 1, 0] = np.nan
    _, pull = jg.vjp(lambda x: jg.max_pool2d(x, 2), [jg.asarray(x)])
    (got,) = pull([jg.ones((1, 1, 2, 1), dtype=jg.float64)])
    assert np.asarray(got)[0, :, :, 0].tolist() == [[0, 0, 1, 0], [0, 0, 0, 0]]


def test_windows_side_by_side_may_have_no_elements():
    for shape in ((0, 4, 4, 3), (2, 4, 4, 0)):
        got = jg.grad(lambda x: jg.sum(jg.max_pool2d(x, 2)))(jg.zeros(shape))
        assert got.shape == shape


def test_ties_of_a_window_go_to_the_first():
    x = jg.ones((1, 2, 2, 1), dtype=jg.float64)
    got = jg.grad(lambda x: jg.sum(jg.max_pool2d(x, 2)))(x)
    assert np.asarray(got).ravel().tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 4, 7, 9])
def test_fourier_transforms_have_the_derivatives_of_differences(norm, n):
    fft = jg.fft
    check(lambda x: fft.fft(x, n=n, axis=0, norm=norm), complex_normal(6, 2))
    check(lambda x: fft.ifft(x, n=n, axis=0, norm=norm), complex_normal(6, 2))
    check(lambda x: fft.rfft(x, n=n, axis=0, norm=norm), normal(6, 2))
    check(lambda x: fft.irfft(x, n=n, axis=0, norm=norm), complex_normal(5, 2))
    check(lambda x: fft.hfft(x, n=n, axis=0, norm=norm), complex_normal(5, 2))
    check(lambda x: fft.ihfft(x, n=n, axis=0, norm=norm), normal(6, 2))


def test_fourier_transforms_of_several_axes_have_derivatives():
    check(lambda x: jg.fft.fft2(x), complex_normal(3, 4, 5))
    check(lambda x: jg.fft.rfftn(x), normal(4, 3, 5))
    check(lambda x: jg.fft.irfft2(x), complex_normal(3, 4, 5))
    check(lambda x: jg.fft.irfftn(x, s=(3, 6)), complex_normal(3, 4))


@pytest.mark.parametrize("n", [1, 8, 12, 20, 56])
def test_hadamard_transforms_have_the_derivatives_of_differences(n):
    check(lambda x: jg.hadamard_transform(x), normal(2, n))


def test_products_of_chosen_matrices_have_derivatives():
    lhs = jg.asarray(np.array([0, 2, 2], dtype=np.uint32))
    rhs = jg.asarray(np.array([1, 1, 0], dtype=np.uint32))
    check(lambda a, b: jg.gather_mm(a, b, lhs, rhs), normal(3, 2, 4), normal(2, 4, 3))


def test_products_of_segments_have_derivatives():
    segments = jg.asarray(np.array([[0, 2], [1, 5], [3, 3]], dtype=np.uint32))
    check(lambda a, b: jg.segmented_mm(a, b, segments), normal(3, 5), normal(5, 2))


@pytest.mark.parametrize("transpose", [True, False])
def test_quantised_products_pass_to_inputs_scales_and_biases(transpose):
    w, scales, biases = jg.quantize(
        jg.asarray(normal(64, 64).astype(np.float32)), bits=4, group_size=32
    )
    x = normal(3, 64).astype(np.float32)

    def product(x, scales, biases):
        return jg.quantized_matmul(x, w, scales, biases, transpose=transpose, bits=4, group_size=32)

    def plain(x, scales, biases):
        full = jg.dequantize(w, scales, biases, bits=4, group_size=32)
        return x @ (full.T if transpose else full)

    arguments = [jg.asarray(x), scales, biases]
    g = jg.asarray(normal(3, 64).astype(np.float32))
    got, want = (jg.vjp(f, arguments, [g])[1] for f in (product, plain))
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-4, atol=1e-4)
    tangents = [jg.ones_like(x) for x in arguments]
    _, (got,) = jg.jvp(product, arguments, tangents)
    _, (want,) = jg.jvp(plain, arguments, tangents)
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("count", [1, 3, 5, 28])
def test_hadamard_transforms_of_numbers_are_batched(count):
    x = jg.array(np.arange(1, count + 1, dtype="f4"))
    for scale in (None, 0.5):
        found = jg.vmap(lambda one, scale=scale: jg.hadamard_transform(one, scale))(x)
        np.testing.assert_array_equal(np.asarray(found), np.asarray(x) * (scale or 1))
    slopes = jg.vmap(jg.grad(lambda one: jg.hadamard_transform(one * one, 0.5)))(x)
    np.testing.assert_array_equal(np.asarray(slopes), np.asarray(x))
