# SPDX-License-Identifier: Apache-2.0
"""Draws at a fixed key, written down: the same key gives the same numbers in every version. Floats
may differ by rounding between instruction sets: 8 units in the last place of 1, or of the number.
Integers may not."""

import numpy as np
import pytest

import joggle as jg

FLOATS = [
    (
        "uniform",
        {"low": -1.0, "high": 2.0},
        "float32",
        [-0.853620589, 0.622890592, 1.99126387, -0.319796085],
    ),
    (
        "uniform",
        {"low": -1.0, "high": 2.0},
        "float64",
        [0.6228906642986412, -0.3197960462441519, 1.3669450508810388, 1.8237553044301844],
    ),
    (
        "normal",
        {"loc": 1.0, "scale": 2.0},
        "float32",
        [3.11365628, 4.44497108, 0.405582905, 0.310647368],
    ),
    (
        "normal",
        {"loc": 1.0, "scale": 2.0},
        "float64",
        [1.20572300919705, -0.49928747122412864, 2.6057858255557287, 4.130737565496905],
    ),
    (
        "truncated_normal",
        {"lower": -1.0, "upper": 0.5},
        "float32",
        [-0.133536533, -0.584443152, 0.199413583, 0.412902504],
    ),
    (
        "truncated_normal",
        {"lower": -1.0, "upper": 0.5},
        "float64",
        [-0.13353653828718656, -0.5844431238215881, 0.19941358174277352, 0.41290251256242805],
    ),
    (
        "laplace",
        {"loc": 1.0, "scale": 2.0},
        "float32",
        [-3.654037, 1.17095709, 11.2915459, -0.581655025],
    ),
    (
        "laplace",
        {"loc": 1.0, "scale": 2.0},
        "float64",
        [1.1709569802659432, -0.5816554037937269, 2.7253263225175197, 5.282694083817207],
    ),
    ("gumbel", {}, "float32", [-1.10531163, 0.487103701, 5.83746243, -0.394724101]),
    (
        "gumbel",
        {},
        "float64",
        [0.4871036140486006, -0.39472421903376154, 1.4396437759861123, 2.8043746425867684],
    ),
    ("standard_cauchy", {}, "float32", [-6.47248793, 0.129405901, 109.305267, -1.1580112]),
    (
        "standard_cauchy",
        {},
        "float64",
        [0.1294059707145173, -1.1580110384881723, 1.2807110307329939, 5.356542515072041],
    ),
    (
        "logistic",
        {"loc": 1.0, "scale": 2.0},
        "float32",
        [-4.94028378, 1.32844436, 12.6719666, -1.45368385],
    ),
    (
        "logistic",
        {"loc": 1.0, "scale": 2.0},
        "float64",
        [1.3284446037339903, -1.4536837290017033, 3.637596337490119, 6.547899202208699],
    ),
    ("exponential", {"scale": 2.0}, "float32", [0.100047439, 1.55725121, 11.6777992, 0.514266014]),
    (
        "exponential",
        {"scale": 2.0},
        "float64",
        [1.5572513413858333, 0.5142660359119142, 3.111620683637409, 5.6689884449370975],
    ),
    ("rayleigh", {"scale": 2.0}, "float32", [0.632605553, 2.4957974, 6.83455896, 1.4342469]),
    (
        "rayleigh",
        {"scale": 2.0},
        "float64",
        [2.4957975409762976, 1.4342468907575352, 3.5279573033909633, 4.761927527771542],
    ),
    ("weibull", {"a": 1.5}, "float32", [0.135763794, 0.846354783, 3.2425549, 0.404363424]),
    (
        "weibull",
        {"a": 1.5},
        "float64",
        [0.8463548332328786, 0.40436345450389816, 1.3426756184821644, 2.002859035777011],
    ),
    ("pareto", {"a": 3.0}, "float32", [0.0168143697, 0.296336055, 6.00272894, 0.0894914195]),
    (
        "pareto",
        {"a": 3.0},
        "float64",
        [0.2963360863923765, 0.08949142630367551, 0.6796802489136514, 1.5723796580838654],
    ),
    ("gamma", {"a": 2.5, "scale": 2.0}, "float32", [9.38733864, 2.48398232, 8.34034634, 1.1059705]),
    (
        "gamma",
        {"a": 2.5, "scale": 2.0},
        "float64",
        [3.8185758703355375, 1.4660320667885438, 4.1709785691924655, 2.5357268938694233],
    ),
    ("gamma", {"a": 0.5}, "float32", [2.17239022, 0.129474401, 0.367535949, 0.0585617498]),
    (
        "gamma",
        {"a": 0.5},
        "float64",
        [0.239058296396282, 0.09372806011031977, 0.10726355694202752, 0.49805421174669173],
    ),
    (
        "beta",
        {"a": 0.5, "b": 2.0},
        "float32",
        [0.0483565032, 0.814709425, 0.111055039, 0.0138120437],
    ),
    (
        "beta",
        {"a": 0.5, "b": 2.0},
        "float64",
        [0.2667443297947888, 0.050990124608966646, 0.253214588206934, 0.001072015551375488],
    ),
]

INTEGERS = [
    ("randint", (-5, 100, (6,)), [51, 18, 77, 93, 12, 30]),
    (
        "randint",
        (-(2**63), 2**63, (3,), "int64"),
        [-268606614298304667, -5633056461702277839, -1414859210257369439],
    ),
    (
        "randint",
        (5, 2**63, (3,), "int64"),
        [115569487565888911, 6815142443165598755, 3482222043523087963],
    ),
    (
        "randint",
        (0, 2**64, (3,), "uint64"),
        [18178137459411246949, 12813687612007273777, 17031884863452182177],
    ),
    ("randint", (-128, 128, (6,), "int8"), [10, -70, 73, 112, -87, -41]),
    ("permutation", (8,), [4, 1, 5, 6, 0, 7, 2, 3]),
    ("choice", (9, (6,)), [5, 3, 4, 0, 2, 3]),
    ("choice", (9, (6,), False), [8, 4, 1, 5, 6, 0]),
    ("choice", (4, (6,), True, [0.1, 0.2, 0.3, 0.4]), [2, 1, 3, 3, 1, 2]),
    ("choice", (4, (4,), False, [0.1, 0.2, 0.3, 0.4]), [1, 2, 3, 0]),
    ("categorical", ([0.0, 1.0, 2.0], -1, None, 6), [2, 2, 1, 1, 2, 1]),
    ("categorical", ([0.0, 1.0, 2.0], -1, (2, 3)), [[2, 2, 1], [1, 2, 1]]),
    ("bernoulli", (0.5, (6,)), [True, False, False, True, True, False]),
]


@pytest.mark.parametrize(("name", "parameters", "dtype", "expected"), FLOATS)
def test_floats_of_a_key_stay_the_same(name, parameters, dtype, expected):
    x = getattr(jg.random, name)(shape=(4,), dtype=dtype, key=jg.random.key(7), **parameters)
    assert x.dtype.name == dtype
    tolerance = 8 * jg.finfo(dtype).eps
    np.testing.assert_allclose(np.asarray(x), expected, tolerance, tolerance)


@pytest.mark.parametrize(("name", "arguments", "expected"), INTEGERS)
def test_integers_of_a_key_stay_the_same(name, arguments, expected):
    assert getattr(jg.random, name)(*arguments, key=jg.random.key(7)).tolist() == expected


def test_draws_without_a_key_take_as_many_keys_as_ever():
    """gamma takes one, beta two, integers of all 64 bits two, the others one."""
    jg.random.seed(11)
    found = [
        jg.random.gamma(0.5).item(),
        jg.random.beta(0.5, 2.0).item(),
        jg.random.choice(100).item(),
        jg.random.permutation(5).tolist(),
        jg.random.randint(-(2**63), 2**63, dtype="int64").item(),
        jg.random.uniform().item(),
    ]
    assert found[:2] == pytest.approx([0.6828234791755676, 0.12370652705430984], rel=1e-6)
    assert found[2:5] == [91, [3, 4, 0, 2, 1], 4091432150239694501]
    assert found[5] == 0.4290613532066345
    assert jg.random.state[0][1].item() == 8
