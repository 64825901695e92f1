# SPDX-License-Identifier: Apache-2.0
"""vmap of every public op is its loop, for each way to map its arguments."""

import itertools

import numpy as np
import pytest
import vmap_cases
from vmap_cases import leaves

import joggle as jg

EXTENT = 3
DTYPES = ["float64", "float32", "int32", "bool", "complex128"]


def patterns(count):
    """Which arguments are mapped, and along which axis: any but none at all."""
    for mapped in itertools.product([True, False], repeat=count):
        if any(mapped):
            yield mapped


def specimens(makers, seed):
    random = np.random.default_rng(seed)
    return [[np.asarray(make(random)) for _ in range(EXTENT)] for make in makers]


def check(function, elements, exact):
    """elements: for each argument, those of the batch."""
    singles = [[jg.asarray(x) for x in argument] for argument in elements]
    for number, mapped in enumerate(patterns(len(elements))):
        axes, given = [], []
        for argument, is_mapped, parts in zip(elements, mapped, singles, strict=True):
            axis = (0, -1, argument[0].ndim // 2)[number % 3]
            axes.append(axis if is_mapped else None)
            given.append(jg.asarray(np.stack(argument, axis)) if is_mapped else parts[0])
        got = jg.vmap(function, tuple(axes))(*given)
        for index in range(EXTENT):
            single = [parts[index if m else 0] for parts, m in zip(singles, mapped, strict=True)]
            want = function(*single)
            for whole, one in zip(leaves(got), leaves(want), strict=True):
                assert whole.dtype == one.dtype and whole.shape == (EXTENT, *one.shape)
                compare(np.asarray(whole)[index], np.asarray(one), exact)


def compare(got, want, exact):
    if exact or want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want)
        return
    tolerance = 1e-12 if want.dtype.itemsize in (8, 16) and want.dtype != np.complex64 else 2e-5
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", sorted(vmap_cases.ELEMENTWISE))
def test_an_elementwise_op_has_the_bits_of_its_loop(name):
    op = getattr(jg, name)
    count = {"UNARY": 1, "BINARY": 2, "TERNARY": 3}[vmap_cases.OPS[name]]
    shapes = [(2, 3), (3,), (2, 1)][:count]
    done = 0
    for dtype in DTYPES:
        random = np.random.default_rng(0)
        made = [
            [
                (random.uniform(0.1, 4, s) + 0.1j).astype(dtype)
                if dtype[0] == "c"
                else random.uniform(0.1, 4, s).astype(dtype)
                for _ in range(EXTENT)
            ]
            for s in shapes
        ]
        try:
            op(*[jg.asarray(x[0]) for x in made])
        except TypeError:
            continue  # not of this dtype
        check(op, made, exact=True)
        done += 1
    assert done > 0


@pytest.mark.parametrize(
    "case", vmap_cases.CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(vmap_cases.CASES)]
)
def test_an_op_gives_what_its_loop_gives(case):
    _, function, *makers = case
    check(function, specimens(makers, 7), exact=False)


@pytest.mark.parametrize("name", sorted(vmap_cases.ASKS_FOR_VALUES))
def test_an_op_that_asks_for_values_is_refused(name):
    with pytest.raises(ValueError, match="which has no values"):
        jg.vmap(vmap_cases.ASKS_FOR_VALUES[name])(jg.ones((3, 4)))


def test_every_public_op_is_here():
    cases = {case[0] for case in vmap_cases.CASES} | vmap_cases.ELEMENTWISE
    assert (
        not vmap_cases.OPS.keys()
        - cases
        - vmap_cases.WITHOUT_ARRAYS
        - vmap_cases.ASKS_FOR_VALUES.keys()
    )


@pytest.mark.parametrize(
    "case", vmap_cases.CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(vmap_cases.CASES)]
)
def test_an_op_of_an_empty_batch_has_the_shape_of_its_loop(case):
    _, function, *makers = case
    elements = [jg.asarray(argument[0]) for argument in specimens(makers, 7)]
    given = [jg.zeros((0, *x.shape), dtype=x.dtype) for x in elements]
    got = leaves(jg.vmap(function)(*given))
    for whole, one in zip(got, leaves(function(*elements)), strict=True):
        assert whole.dtype == one.dtype and np.asarray(whole).shape == (0, *one.shape)


def has_derivative(maker):
    specimen = np.asarray(maker(np.random.default_rng(0)))
    return specimen.dtype.kind == "f" and not np.isnan(specimen).any()


def loss_of(function):
    """A number that depends on each floating result."""

    def loss(*arguments):
        results = leaves(function(*arguments))
        floating = [x for x in results if x.dtype.name.startswith(("float", "complex"))]
        return sum([jg.sum(jg.abs(x * jg.cos(x))) for x in floating], jg.array(0.0))

    return loss


DIFFERENTIABLE = [case for case in vmap_cases.CASES if any(map(has_derivative, case[2:]))]


@pytest.mark.parametrize(
    "case", DIFFERENTIABLE, ids=[f"{i}-{case[0]}" for i, case in enumerate(DIFFERENTIABLE)]
)
def test_a_batch_of_gradients_is_their_loop(case):
    _, function, *makers = case
    numbers = tuple(i for i, maker in enumerate(makers) if has_derivative(maker))
    gradient = jg.grad(loss_of(function), argnums=numbers)
    elements = specimens(makers, 3)
    try:
        want = [gradient(*[jg.asarray(x[index]) for x in elements]) for index in range(EXTENT)]
    except NotImplementedError:
        return  # an op without derivative: the tests of derivatives know them
    got = jg.vmap(gradient)(*[jg.asarray(np.stack(x)) for x in elements])
    for number in range(len(numbers)):
        for index in range(EXTENT):
            one = np.asarray(want[index][number])
            tolerance = 1e-10 if one.dtype == np.float64 else 1e-3
            np.testing.assert_allclose(
                np.asarray(got[number])[index], one, rtol=tolerance, atol=tolerance
            )
