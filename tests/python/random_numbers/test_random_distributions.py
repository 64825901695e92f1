# SPDX-License-Identifier: Apache-2.0
"""Distributions made of uniform draws: moments, and Kolmogorov-Smirnov tests at fixed keys whose
chance of failing by accident is below one in a million."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

import joggle as jg

FLOATS = ["float16", "bfloat16", "float32", "float64"]
CHANCE, COUNT = 1e-6, 100_000
BOUNDS = [(-1, 2), (-0.1, 0.1), (3, 4), (-6, -5), (-np.inf, 0), (0.5, np.inf)]


def draw(name, *arguments, seed=3, **names):
    return getattr(jg.random, name)(*arguments, key=jg.random.key(seed), **names)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_truncated_normal_has_its_distribution(low, high, dtype):
    x = draw("truncated_normal", low, high, (COUNT,), dtype)
    assert str(x.dtype).endswith(dtype)
    values = np.asarray(x).astype("f8")
    assert values.min() > low and values.max() < high
    law = scipy.stats.truncnorm(low, high)
    assert scipy.stats.kstest(values, law.cdf).pvalue > CHANCE
    assert abs(values.mean() - law.mean()) < 5 * law.std() / np.sqrt(COUNT)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_truncated_normal_of_half_precision_stays_between_its_bounds(dtype):
    x = draw("truncated_normal", -1, 0.5, (COUNT,), dtype).astype("float64")
    law = scipy.stats.truncnorm(-1, 0.5)
    assert float(x.min()) > -1 and float(x.max()) < 0.5
    assert abs(float(x.mean()) - law.mean()) < 0.01 and abs(float(x.std()) - law.std()) < 0.01


def test_truncated_normal_broadcasts_its_bounds():
    low, high = np.array([[-1.0], [2.0]], "f4"), np.array([3.0, 4.0, 5.0], "f4")
    values = np.asarray(draw("truncated_normal", low, high))
    assert values.shape == (2, 3) and (values > low).all() and (values < high).all()
    assert draw("truncated_normal", low, high, (4, 2, 3)).shape == (4, 2, 3)
    with pytest.raises(ValueError, match="broadcast"):
        draw("truncated_normal", low, high, (3,))


def quantiles_between(low, high, unit):
    """The truncated normal distribution's quantiles, worked in logarithms on the side of 0 on which
    the tail is."""
    if low < 0 < high:
        below, above = scipy.special.ndtr([low, high])
        return scipy.special.ndtri(below + unit * (above - below))
    if high <= 0:
        return -quantiles_between(-high, -low, 1 - unit)
    near, far = scipy.special.log_ndtr([-low, -high])
    return -scipy.special.ndtri_exp(near + np.log1p(unit * np.expm1(far - near)))


TAILS = [(4, 5), (4, 4.001), (3, 5), (8, 9), (20, np.inf), (-np.inf, -15), (-9, -8.5), (30, 31)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("low", "high"), [*TAILS, (1e5, 2e5), (-1e9, -1e5), (0, 1), (-1, 1)])
def test_truncated_normal_gives_the_quantiles_of_its_draws(low, high, dtype):
    values = np.asarray(draw("truncated_normal", low, high, (COUNT,), dtype)).astype("f8")
    unit = np.asarray(draw("uniform", shape=(COUNT,), dtype="float64"))
    precision = 1e-11 if dtype == "float64" else 2e-7
    np.testing.assert_allclose(values, quantiles_between(low, high, unit), precision, precision)


@pytest.mark.parametrize(("low", "high"), TAILS)
def test_truncated_normal_has_as_many_values_in_a_tail_as_draws(low, high):
    values = np.asarray(draw("truncated_normal", low, high, (COUNT,), "float64"))
    assert len(np.unique(values)) > 0.99 * COUNT


def test_truncated_normal_takes_bounds_in_both_tails_and_between_in_one_draw():
    low = np.array([-np.inf, -20.0, -1.0, 4.0, 3.9, 40.0, np.nan, 1e200, 9.0])
    high = np.array([-10.0, 20.0, 1.0, np.inf, 4.1, 41.0, 9.0, np.inf, 8.0])
    values = np.asarray(draw("truncated_normal", low, high, (1000, 9), "float64"))
    inside = (values > low) & (values < high)
    assert inside[:, :6].all() and inside[:, 7].all()
    assert np.isnan(values[:, 6]).all()
    assert (np.abs(values[:, 8] - 8.5) <= 0.5).all()  # an empty interval: near its bounds


def test_truncated_normal_at_infinity_is_infinite():
    for bound in (np.inf, -np.inf):
        assert (np.asarray(draw("truncated_normal", bound, bound, (5,))) == bound).all()


@pytest.mark.parametrize("name", ["uniform", "truncated_normal"])
@pytest.mark.parametrize(("low", "high"), [(0.7, 0.7000001), (0.6, 0.6000001)])
def test_bounds_in_float64_are_those_of_python(name, low, high):
    values = np.asarray(draw(name, low, high, (1000,), "float64"))
    assert (values >= low).all() and (values < high).all()
    assert low <= draw(name, low, high, dtype="float64").item() < high


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["logistic", "standard_cauchy", "exponential"])
def test_half_precision_has_the_distribution_that_float32_has(name, dtype):
    values = np.asarray(draw(name, shape=(COUNT,), dtype=dtype).astype("float64"))
    wide = np.asarray(draw(name, shape=(COUNT,), dtype="float32")).astype("f8")
    np.testing.assert_allclose(values, wide, rtol=2.0**-8, atol=1e-7)


@pytest.mark.parametrize("dtype", FLOATS)
def test_laplace_has_its_distribution(dtype):
    x = draw("laplace", (COUNT,), dtype)
    assert str(x.dtype).endswith(dtype)
    values = np.asarray(x.astype("float64"))
    assert abs(values.mean()) < 0.03 and abs(values.var() - 2) < 0.06
    if dtype in ("float32", "float64"):  # the others' steps are too coarse for the test
        assert scipy.stats.kstest(values, "laplace").pvalue > CHANCE


def test_laplace_is_moved_and_scaled():
    plain = np.asarray(draw("laplace", (4, 3)))
    moved = draw("laplace", (4, 3), loc=-1, scale=np.array([1.0, 2.0, 3.0]))
    assert moved.dtype == jg.float32
    np.testing.assert_allclose(np.asarray(moved), plain * [1, 2, 3] - 1, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_normal_has_parts_of_variance_one_half(dtype):
    x = draw("normal", (COUNT // 10, 10), dtype)
    assert x.shape == (COUNT // 10, 10) and str(x.dtype).endswith(dtype)
    values = np.asarray(x).ravel()
    for part in (values.real, values.imag):
        assert scipy.stats.kstest(part * np.sqrt(2), "norm").pvalue > CHANCE
    assert abs(np.corrcoef(values.real, values.imag)[0, 1]) < 5 / np.sqrt(COUNT)
    assert draw("normal", (), dtype).shape == ()


@pytest.mark.parametrize("name", ["normal", "laplace", "gumbel", "uniform"])
def test_a_dtype_left_out_is_float32_and_a_key_gives_the_same_numbers(name):
    first, second = (draw(name, shape=(50,), dtype=None) for _ in range(2))
    assert first.dtype == jg.float32 and first.tolist() == second.tolist()
    assert first.tolist() != draw(name, shape=(50,), seed=4).tolist()


@pytest.mark.parametrize("name", ["laplace", "normal", "gumbel"])
def test_a_dtype_that_is_no_float_is_refused(name):
    with pytest.raises(TypeError, match=rf"\[random_{name}\] dtype: got int32"):
        draw(name, (3,), "int32")
    with pytest.raises(TypeError, match="dtype: got int32"):
        draw("truncated_normal", 0, 1, (3,), "int32")


@pytest.mark.parametrize("singular", [False, True])
def test_multivariate_normal_has_its_mean_and_covariance(singular):
    root = np.array([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-1.0, 0.3, 0.0 if singular else 0.7]], "f4")
    mean, cov = np.array([1.0, -2.0, 5.0], "f4"), root @ root.T
    values = np.asarray(draw("multivariate_normal", mean, cov, (COUNT,)))
    assert values.shape == (COUNT, 3) and values.dtype == np.float32
    np.testing.assert_allclose(values.mean(0), mean, atol=0.05)
    np.testing.assert_allclose(np.cov(values.T), cov, atol=0.1)
    one = (values - mean) @ np.array([1.0, 2.0, -1.0], "f4")
    spread = np.sqrt(np.array([1.0, 2.0, -1.0]) @ cov @ np.array([1.0, 2.0, -1.0]))
    assert scipy.stats.kstest(one / spread, "norm").pvalue > CHANCE


def test_multivariate_normal_broadcasts():
    mean, cov = np.zeros((4, 1, 2), "f4"), np.broadcast_to(np.eye(2, dtype="f4"), (3, 2, 2))
    assert draw("multivariate_normal", mean, cov).shape == (4, 3, 2)
    assert draw("multivariate_normal", mean, cov, (5, 4, 3)).shape == (5, 4, 3, 2)
    assert draw("multivariate_normal", mean[0, 0], cov[0]).shape == (2,)
    with pytest.raises(ValueError, match=r"cov: got shape \(3, 2, 2\)"):
        draw("multivariate_normal", np.zeros(3, "f4"), cov)


def test_permutation_moves_everything_and_prefers_nothing():
    order = draw("permutation", 1000)
    assert sorted(order.tolist()) == list(range(1000)) != order.tolist()
    assert order.tolist() == draw("permutation", 1000).tolist()
    x = np.arange(24).reshape(4, 6)
    rows, columns = draw("permutation", x), draw("permutation", x, axis=-1)
    assert sorted(np.asarray(rows)[:, 0].tolist()) == x[:, 0].tolist()
    assert (np.asarray(columns)[1:] - np.asarray(columns)[:-1] == 6).all()
    orders = [tuple(draw("permutation", 3, seed=seed).tolist()) for seed in range(3000)]
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 6 and scipy.stats.chisquare(counts).pvalue > CHANCE
    assert draw("permutation", 0).shape == (0,)
    with pytest.raises(ValueError, match="-1"):
        draw("permutation", -1)


def test_uniform_has_the_shape_of_its_bounds_where_none_is_given():
    low, high = np.array([[-1.0], [2.0]], "f4"), np.array([3.0, 4.0, 5.0], "f4")
    values = np.asarray(draw("uniform", low, high, None))
    assert values.shape == (2, 3) and (values >= low).all() and (values < high).all()


def test_a_high_end_of_none_and_negative_extents_are_refused():
    with pytest.raises(TypeError, match=r"\[random_randint\] high: got None"):
        draw("randint", 0, None)
    for replace in (True, False):
        with pytest.raises(ValueError, match="axis 0 has extent -1"):
            draw("choice", 5, (-1,), replace)


@pytest.mark.parametrize("dtype, large", [("float16", 7e4), ("float32", 3e38), ("float64", 1e308)])
def test_uniform_bounds_without_an_even_spread_are_refused_or_give_nan(dtype, large):
    refused = [(-large, large), (0, np.inf), (-np.inf, 0), (np.inf, np.inf)]
    for low, high in refused:
        with pytest.raises(ValueError, match=rf"low, high: got .*, allowed in {dtype} are -"):
            jg.random.uniform(low, high, (3,), dtype=dtype)
        bounds = [jg.array(each, dtype=dtype) for each in (low, high)]
        assert np.isnan(np.asarray(jg.random.uniform(*bounds, (300,), dtype=dtype))).all()
    wide = np.asarray(jg.random.uniform(-large / 2, large / 2, (300,), dtype=dtype))
    assert np.isfinite(wide).all() and (wide.astype("f8") / large).std() > 0.2


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("a", [0.001, 0.02, 0.2, 2.0])
def test_beta_has_numbers_for_small_parameters(a, dtype):
    draws = jg.random.beta(a, 2 * a, (20000,), dtype=getattr(jg, dtype), key=jg.random.key(3))
    found = np.asarray(draws.astype(jg.float64))
    assert ((found >= 0) & (found <= 1)).all()
    np.testing.assert_allclose(found.mean(), 1 / 3, atol=0.02)


@pytest.mark.parametrize(
    "p, replace, message",
    [
        ([-1.0, 2.0, 0.0], True, r"p: got \[-1.0, 2.0, 0.0\], allowed are weights from 0 on"),
        ([np.nan, 1.0, 1.0], True, r"p: got \[nan, .*allowed are weights from 0 on"),
        ([0.0, 0.0, 0.0], True, "p: got 0 weights above 0, allowed are 1 and more"),
        ([1.0, 0.0, 0.0], False, "p: got 1 weights above 0, allowed are 2 and more"),
    ],
)
def test_choice_refuses_weights_that_it_cannot_draw_by(p, replace, message):
    with pytest.raises(ValueError, match=message):
        jg.random.choice(3, (2,), replace=replace, p=p)


def test_choice_takes_weights_that_do_not_add_up_to_one():
    draws = np.asarray(jg.random.choice(3, (20000,), p=np.array([1, 2, 5]), key=jg.random.key(0)))
    np.testing.assert_allclose(np.bincount(draws) / 20000, [1 / 8, 2 / 8, 5 / 8], atol=0.02)


@pytest.mark.parametrize(
    "draw",
    [
        lambda a, key: jg.random.gamma(a, (4,), key=key),
        lambda a, key: jg.random.beta(a, 2.0, (4,), key=key),
        lambda a, key: jg.random.beta(2.0, a, (4,), key=key),
    ],
    ids=["gamma", "beta's a", "beta's b"],
)
def test_shapes_of_gamma_and_beta_have_no_derivative(draw):
    """Which proposal is accepted depends on them: the formula's derivative would be biased."""
    key, one = jg.random.key(0), jg.array(1.0)
    with pytest.raises(NotImplementedError, match=r"random_(gamma|beta) has no derivative"):
        jg.grad(lambda a: jg.sum(draw(a, key)))(one)
    with pytest.raises(NotImplementedError, match=r"random_(gamma|beta) has no derivative"):
        jg.jvp(lambda a: draw(a, key), [one], [one])
    for shape in (jg.array([1.0, 2.0]), jg.array([1, 2])):
        batched = jg.vmap(lambda a: draw(a, key))(shape)
        assert batched[1].tolist() == draw(shape[1], key).tolist()
    assert jg.compile(draw)(one, key).tolist() == draw(one, key).tolist()


def test_the_scale_of_gamma_has_a_derivative():
    key = jg.random.key(0)
    slope = jg.grad(lambda s: jg.mean(jg.random.gamma(2.0, (50,), scale=s, key=key)))(jg.array(3.0))
    np.testing.assert_allclose(
        slope.item(), jg.random.gamma(2.0, (50,), key=key).mean().item(), 1e-6
    )


@pytest.mark.parametrize("name", ["normal", "laplace", "logistic"])
@pytest.mark.parametrize("argument", ["loc", "scale"])
@pytest.mark.parametrize("value", [1j, jg.array([1j, 2j])])
def test_real_draws_take_no_complex_parameters(name, argument, value):
    message = rf"\[random_{name}\] {argument}: got complex64, allowed for float32 are real numbers"
    with pytest.raises(TypeError, match=message):
        getattr(jg.random, name)((2,), **{argument: value})


@pytest.mark.parametrize("extent", [8, 100, 4097])
def test_a_few_choices_are_the_first_of_many(extent):
    key = jg.random.key(5)
    many = jg.random.choice(extent, (extent,), replace=False, key=key)
    assert sorted(many.tolist()) == list(range(extent))
    for count in (0, 1, extent // 8, extent // 8 + 1):
        few = jg.random.choice(extent, (count,), replace=False, key=key)
        assert few.tolist() == many[:count].tolist()
