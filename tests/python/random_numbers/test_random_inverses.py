# SPDX-License-Identifier: Apache-2.0
"""Distributions by the inverse of their functions and by rejection, and choices: by tests whose
chance of failing by accident is below one in a million."""

import numpy as np
import pytest
import scipy.stats

import joggle as jg

CHANCE = 1e-6
COUNT = 100_000
CASES = {
    "standard_normal": ({}, scipy.stats.norm()),
    "exponential": ({"scale": 2.5}, scipy.stats.expon(scale=2.5)),
    "logistic": ({"loc": 1.0, "scale": 0.5}, scipy.stats.logistic(1, 0.5)),
    "rayleigh": ({"scale": 3.0}, scipy.stats.rayleigh(scale=3)),
    "standard_cauchy": ({}, scipy.stats.cauchy()),
    "weibull": ({"a": 1.5}, scipy.stats.weibull_min(1.5)),
    "pareto": ({"a": 3.0}, scipy.stats.lomax(3)),
    "gamma": ({"a": 2.5, "scale": 2.0}, scipy.stats.gamma(2.5, scale=2)),
    "beta": ({"a": 2.0, "b": 0.7}, scipy.stats.beta(2, 0.7)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_draws_have_their_distribution(name, dtype):
    options, expected = CASES[name]
    draw = getattr(jg.random, name)
    drawn = draw(shape=(COUNT,), dtype=dtype, key=jg.random.key(3), **options)
    assert drawn.dtype == jg.dtype(dtype) and drawn.shape == (COUNT,)
    values = np.asarray(drawn).astype("f8")
    assert np.isfinite(values).all()
    assert scipy.stats.kstest(values, expected.cdf).pvalue > CHANCE
    if name not in ("standard_cauchy", "pareto"):
        error = 5 * expected.std() / np.sqrt(COUNT)
        assert abs(values.mean() - expected.mean()) < error
        assert abs(values.std() / expected.std() - 1) < 0.03


@pytest.mark.parametrize("a", [0.1, 0.9, 1.0, 3.0, 1000.0])
def test_gamma_draws_are_right_for_small_and_large_parameters(a):
    values = np.asarray(jg.random.gamma(a, (COUNT,), "float64", key=jg.random.key(1)))
    assert scipy.stats.kstest(values, scipy.stats.gamma(a).cdf).pvalue > CHANCE


@pytest.mark.parametrize("name", CASES)
def test_a_key_gives_the_same_draws_again(name):
    options, _ = CASES[name]
    draw = getattr(jg.random, name)
    first, again = (draw(shape=(50,), key=jg.random.key(7), **options) for _ in range(2))
    jg.random.seed(1)
    own, next_own = draw(shape=(50,), **options), draw(shape=(50,), **options)
    jg.random.seed(1)
    assert first.tolist() == again.tolist() != own.tolist() != next_own.tolist()
    assert own.tolist() == draw(shape=(50,), **options).tolist()


def test_parameters_broadcast_to_a_shape():
    a = jg.array([[0.5], [200.0]])
    values = np.asarray(jg.random.gamma(a, (2, 3000), key=jg.random.key(1)))
    np.testing.assert_allclose(values.mean(1), [0.5, 200], rtol=0.1)
    assert jg.random.weibull(a).shape == (2, 1)
    assert jg.random.beta(a, jg.ones(3)).shape == (2, 3)


def test_choices_have_their_probabilities():
    p, count = np.array([0.1, 0.0, 0.6, 0.3]), 50_000
    found = np.bincount(np.asarray(jg.random.choice(4, (count,), p=p, key=jg.random.key(1))))
    assert found[1] == 0
    kept = p > 0
    assert scipy.stats.chisquare(found[kept], p[kept] * count).pvalue > CHANCE
    found = np.bincount(np.asarray(jg.random.choice(5, (count,), key=jg.random.key(2))))
    assert scipy.stats.chisquare(found).pvalue > CHANCE


def test_the_first_of_choices_without_replacement_has_its_probability():
    p = np.array([0.2, 0.5, 0.3])
    drawn = [
        jg.random.choice(3, 2, False, p, key=key) for key in jg.random.split(jg.random.key(4), 3000)
    ]
    drawn = np.asarray(jg.stack(drawn))
    assert (drawn[:, 0] != drawn[:, 1]).all()
    assert scipy.stats.chisquare(np.bincount(drawn[:, 0]), p * 3000).pvalue > CHANCE


@pytest.mark.parametrize("p", [None, [0.25, 0.25, 0.25, 0.25]])
def test_slices_are_chosen_along_an_axis(p):
    x = jg.reshape(jg.arange(12), (3, 4))
    found = jg.random.choice(x, (4,), False, p, axis=1)
    assert jg.sort(found, axis=1).tolist() == x.tolist()
    assert jg.random.choice(x, (2, 5)).shape == (2, 5, 4)
    assert jg.random.choice(x).shape == (4,) and jg.random.choice(3, 0).shape == (0,)


def test_shuffle_writes_into_the_array():
    x = jg.reshape(jg.arange(200), (100, 2))
    before = x.tolist()
    assert jg.random.shuffle(x, key=jg.random.key(1)) is None
    assert x.tolist() != before and sorted(x.tolist()) == before


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.random.exponential(scale=-1.0), ValueError, "scale: got -1.0"),
        (lambda: jg.random.gamma(0), ValueError, "a: got 0, allowed is more than 0"),
        (lambda: jg.random.choice(3, 4, False), ValueError, "shape: draws 4, allowed are 3"),
        (lambda: jg.random.choice(0, 1), ValueError, "shape: draws 1, allowed are 0"),
        (lambda: jg.random.choice(3, 1, p=[1.0]), ValueError, "p: has shape"),
        (lambda: jg.random.choice(jg.zeros(3), 1, axis=1), IndexError, "axis: got 1"),
        (lambda: jg.random.choice(3, 2.5), TypeError, r"\[random_choice\] shape: got float"),
        (lambda: jg.random.choice(1.5), ValueError, r"\[random_choice\] a: has no axes"),
        (lambda: jg.random.permutation(-1), ValueError, r"\[random_permutation\] x: got -1"),
        (lambda: jg.random.pareto(2.0, (3,), "int32"), TypeError, "dtype"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


WIDE = {
    "exponential": {"scale": 2.0},
    "rayleigh": {"scale": 2.0},
    "logistic": {"loc": 2.0},
    "weibull": {"a": 2.0},
    "pareto": {"a": 2.0},
    "gamma": {"a": 2.0, "scale": 3.0},
    "beta": {"a": 2.0, "b": 3.0},
}


@pytest.mark.parametrize("name", WIDE)
def test_each_element_of_a_parameter_has_a_draw_of_its_own(name):
    draw = getattr(jg.random, name)
    for argument, value in WIDE[name].items():
        others = {other: number for other, number in WIDE[name].items() if other != argument}
        wide = {argument: jg.full((3, 4), value), **others}
        values = np.asarray(draw(**wide, key=jg.random.key(1)))
        assert values.shape == (3, 4) and len(np.unique(values)) == 12
        same = draw(shape=(3, 4), **WIDE[name], key=jg.random.key(1))
        np.testing.assert_array_equal(values, np.asarray(same))
        for shape in ((4,), (), (3, 1), (2, 3, 5)):
            with pytest.raises(ValueError, match=rf"\[random_{name}\] {argument}: has shape"):
                draw(shape=shape, **wide)


def test_integers_of_numpy_are_counts_and_shapes():
    key, three = jg.random.key(1), np.int64(3)
    drawn = [
        (jg.random.permutation(three, key=key), jg.random.permutation(3, key=key)),
        (jg.random.choice(three, three, key=key), jg.random.choice(3, 3, key=key)),
        (jg.random.gamma(2.0, three, key=key), jg.random.gamma(2.0, 3, key=key)),
        (
            jg.random.categorical(jg.zeros(2), shape=three, key=key),
            jg.random.categorical(jg.zeros(2), shape=3, key=key),
        ),
        (
            jg.random.multivariate_normal(jg.zeros(2), jg.eye(2), three, key=key),
            jg.random.multivariate_normal(jg.zeros(2), jg.eye(2), 3, key=key),
        ),
    ]
    for ours, reference in drawn:
        assert ours.shape[0] == 3 and ours.tolist() == reference.tolist()
