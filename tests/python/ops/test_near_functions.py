# SPDX-License-Identifier: Apache-2.0
"""Functions that have a shorter form for runs of usual numbers: it gives the same bits."""

import numpy as np
import pytest

import joggle as jg

UNARY = ["log", "log2", "log10", "log1p", "arcsinh", "arccosh"]
SPECIAL = [0.0, -0.0, -1.5, np.nan, np.inf, -np.inf, "tiny"]
DTYPES = ["float32", "float64"]


def numbers(rng, dtype, low=-20, high=20, count=4096):
    return (10.0 ** rng.uniform(low, high, count)).astype(dtype)


def special(value, dtype):
    return np.finfo(dtype).smallest_subnormal * 77 if value == "tiny" else value


@pytest.mark.parametrize("value", SPECIAL, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_a_special_number_changes_no_bit_of_its_neighbours(name, dtype, value):
    x = 1 + numbers(np.random.default_rng(0), dtype)
    mixed = x.copy()
    mixed[::97] = special(value, dtype)
    function = getattr(jg, name)
    found = np.array(function(jg.asarray(mixed)))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found[::97], getattr(np, name)(mixed[::97]), rtol=1e-6)
    found[::97] = 0
    plain = np.array(function(jg.asarray(x)))
    plain[::97] = 0
    assert found.tobytes() == plain.tobytes()


@pytest.mark.parametrize("value", [*SPECIAL, 1.0, 2.0, 3.0, 2.0**70], ids=str)
@pytest.mark.parametrize("place", ["base", "exponent"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_special_base_or_exponent_changes_no_bit_of_other_powers(dtype, place, value):
    rng = np.random.default_rng(1)
    operands = {"base": numbers(rng, dtype, -3, 3), "exponent": rng.normal(size=4096).astype(dtype)}
    operands["exponent"][::5] = 2
    mixed = operands | {place: operands[place].copy()}
    mixed[place][::97] = special(value, dtype)
    found, plain = (np.array(jg.pow(*map(jg.asarray, each.values()))) for each in (mixed, operands))
    exact = [each[::97].astype("float64") for each in mixed.values()]
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found[::97], np.power(*exact).astype(dtype), rtol=1e-6)
    found[::97] = plain[::97] = 0
    assert found.tobytes() == plain.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_powers_reach_the_ends_of_the_range(dtype):
    info = np.finfo(dtype)
    base = np.array([info.max, info.tiny, 10, 0.1, 1 + info.eps, 1 - info.eps], dtype)
    for exponent in (1.0, -1.0, 0.5, 37.5, -37.5, 300.0, -300.0, 1e9, -1e9, 2.0**40):
        with np.errstate(all="ignore"):
            exact = np.power(base.astype(np.longdouble), np.longdouble(exponent)).astype(dtype)
        for exponents in (jg.asarray(exponent, dtype=dtype), jg.full(6, exponent, dtype=dtype)):
            found = np.asarray(jg.pow(jg.asarray(base), exponents))
            np.testing.assert_allclose(found, exact, rtol=2 * info.eps, atol=info.tiny * info.eps)
