# SPDX-License-Identifier: Apache-2.0
"""outer, inner, tensordot, addmm and einsum against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import joggle as jg

TYPES = {"int8": 0, "int32": 0, "uint64": 0, "float32": 1e-5, "float64": 1e-13, "complex64": 1e-5}


def sample(shape, dtype="float64", seed=0):
    values = np.random.default_rng(seed).integers(-3, 4, size=shape)
    if dtype.startswith("u"):
        values = abs(values)
    if dtype.startswith("c"):
        values = values + 1j * sample(shape, "float64", seed + 1)
    return np.asarray(values).astype(dtype)


def check(result, reference, tolerance=1e-12):
    assert result.shape == reference.shape
    assert str(result.dtype).removeprefix("joggle.") == str(reference.dtype)
    np.testing.assert_allclose(np.asarray(result), reference, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", TYPES)
def test_products_in_every_kind_of_dtype_are_numpys(dtype):
    a, b, c = sample((4, 3), dtype), sample((3, 5), dtype, 1), sample((4, 5), dtype, 2)
    tolerance = TYPES[dtype]
    check(jg.outer(a, b), np.outer(a, b), tolerance)
    check(jg.inner(a, b.T), np.inner(a, b.T), tolerance)
    check(jg.tensordot(a, b, 1), np.tensordot(a, b, 1), tolerance)
    check(jg.einsum("ij,jk->ki", a, b), np.einsum("ij,jk->ki", a, b), tolerance)
    check(jg.addmm(c, a, b), c + a @ b, tolerance)


@pytest.mark.parametrize(
    ("a", "b"), [((), ()), ((), (3,)), ((3,), (3,)), ((2, 3), (3,)), ((2, 0), (4, 0))]
)
def test_inner_is_numpys_for_every_rank(a, b):
    check(jg.inner(sample(a), sample(b)), np.inner(sample(a), sample(b)))


def test_outer_takes_odd_layouts():
    a, b = sample((3, 4))[::-1, ::2], np.broadcast_to(sample((2,)), (3, 2))
    check(jg.outer(a, b), np.outer(a, b))
    check(jg.outer(sample(0), sample(3)), np.outer(sample(0), sample(3)))


def test_addmm_scales_both():
    a, b, c = sample((4, 3)), sample((3, 5), seed=1), sample((5,), seed=2)
    check(jg.addmm(c, a, b, 2.5, -0.5), 2.5 * (a @ b) - 0.5 * c)
    check(jg.addmm(c, a, b, alpha=0), 0 * (a @ b) + c)


@pytest.mark.parametrize("axes", [0, 1, 2, ([0], [2]), ([-1, 0], [1, 0]), (1, 1), ([], [])])
def test_tensordot_is_numpys_over_any_axes(axes):
    a, b = sample((4, 3, 4)), sample((4, 4, 3), seed=1)
    if axes == 1:
        b = sample((4, 2), seed=1)
    elif axes == 2:
        b = sample((3, 4, 2), seed=1)
    elif axes == (1, 1):
        b = sample((2, 3), seed=1)
    elif axes == ([0], [2]):
        b = sample((2, 5, 4), seed=1)
    check(jg.tensordot(a, b, axes), np.tensordot(a, b, axes))
    check(jg.tensordot(a.T.copy().T, b[..., ::-1], axes), np.tensordot(a, b[..., ::-1], axes))


@pytest.mark.parametrize(
    ("axes", "error", "text"),
    [
        (3, ValueError, "axes: got 3, allowed 0 to 2"),
        (-1, ValueError, "axes: got -1"),
        (([0], [0, 1]), ValueError, "allowed are as many"),
        (([0], [1]), ValueError, "allowed are equal ones|allowed is the same extent"),
        (([2], [0]), IndexError, "axes: got 2"),
        (([0, 0], [0, 0]), ValueError, "axes"),
        ("ab", TypeError, "axes"),
    ],
)
def test_tensordot_names_wrong_axes(axes, error, text):
    with pytest.raises(error, match=text):
        jg.tensordot(sample((2, 3)), sample((2, 3)), axes)


EINSUMS = [
    ("ij,jk", (2, 3), (3, 4)),
    ("ij,jk->ki", (2, 3), (3, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk->...ik", (2, 3, 4), (5, 1, 4, 2)),
    ("i...,i...->...", (3, 2, 4), (3, 4)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iij->ij", (3, 3, 2)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("i,j->ij", (2,), (3,)),
    ("i,i", (4,), (4,)),
    ("ij,ij->i", (4, 2), (4, 2)),
    ("ab,bc,cd->ad", (2, 3), (3, 4), (4, 5)),
    ("a,b,c,d->dcba", (2,), (3,), (1,), (4,)),
    ("ijk,jl,kl->il", (2, 3, 4), (3, 5), (4, 5)),
    (" i j , j k -> i k ", (2, 3), (3, 4)),
    ("...", (2, 3)),
    ("...->...", ()),
    ("aB,Bc", (2, 3), (3, 2)),
    ("ba", (2, 3)),
    ("ij,j->ij", (2, 0), (0,)),
    ("ij,j->i", (2, 0), (0,)),
    ("ij,kj->ikj", (3, 2), (4, 1)),
    ("i->", (5,)),
    (",ij->ij", (), (2, 3)),
]


@pytest.mark.parametrize("case", EINSUMS, ids=lambda case: case[0])
def test_einsum_gives_numpys_values_for_any_layout(case):
    subscripts, *shapes = case
    operands = [sample(shape, seed=i) for i, shape in enumerate(shapes)]
    check(jg.einsum(subscripts, *operands), np.einsum(subscripts, *operands))
    views = [np.ascontiguousarray(x[..., ::-1].T).T if x.ndim else x for x in operands]
    check(jg.einsum(subscripts, *views), np.einsum(subscripts, *views))


@settings(max_examples=200)
@given(st.data())
def test_einsum_of_random_subscripts_is_numpys(data):
    extents = dict(zip("abcde", data.draw(st.tuples(*[st.integers(1, 4)] * 5)), strict=True))
    terms = data.draw(st.lists(st.text("abcde", max_size=4), min_size=1, max_size=4))
    letters = sorted(set("".join(terms)))
    output = "".join(data.draw(st.permutations(letters)))[: data.draw(st.integers(0, 5))]
    operands = [sample([extents[c] for c in term], seed=i) for i, term in enumerate(terms)]
    subscripts = ",".join(terms) + "->" + output
    check(jg.einsum(subscripts, *operands), np.einsum(subscripts, *operands))


@pytest.mark.parametrize(
    ("subscripts", "text"),
    [
        ("ij,jk,k", "more terms than operands"),
        ("ij", "more operands than terms"),
        ("i,jk", "operand 0 has 2 axes"),
        ("ij,ij", "operand 1, axis 0: has extent 3, allowed are 2"),
        ("ij,jk->il", "no operand has"),
        ("ij,jk->ii", "twice"),
        ("i.j,jk", "allowed are letters"),
        ("...j,jk->k", "must have one"),
        ("ij,jk->i>k", "allowed are letters"),
    ],
)
def test_einsum_names_what_is_wrong(subscripts, text):
    with pytest.raises(ValueError, match=text):
        jg.einsum(subscripts, sample((2, 3)), sample((3, 4)))


def test_einsum_refuses_what_is_no_text_and_no_operands():
    with pytest.raises(TypeError):
        jg.einsum(sample((2, 3)), sample((3, 4)))
    with pytest.raises(ValueError, match="operands: got none"):
        jg.einsum("ij")
    with pytest.raises(TypeError):
        jg.einsum("ij", object())


@pytest.mark.parametrize("dtype", ["int16", "float16", "float32", "complex64", "complex128"])
@pytest.mark.parametrize(
    ("first", "second", "axis"),
    [((5,), (5,), -1), ((3, 5), (3, 5), -1), ((5, 3), (2, 5, 1), -2), ((4, 0), (4, 0), -1)],
)
def test_vecdot_conjugates_its_first_operand(dtype, first, second, axis):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, shape) + 0.0 for shape in (first, second))
    if "complex" in dtype:
        a, b = a + 1j * rng.integers(-4, 5, first), b + 1j * rng.integers(-4, 5, second)
    a, b = a.astype(dtype), b.astype(dtype)
    x = jg.vecdot(jg.array(a), jg.array(b), axis=axis)
    assert x.dtype.name == dtype
    assert np.array_equal(np.asarray(x), np.vecdot(a, b, axis=axis))


def test_vecdot_names_what_does_not_fit():
    with pytest.raises(ValueError, match="extent 3, allowed is 2"):
        jg.vecdot(jg.ones(2), jg.ones(3))
    with pytest.raises(IndexError, match="axis"):
        jg.vecdot(jg.ones(2), jg.ones((2, 2)), axis=-2)


@pytest.fixture
def threads():
    """Chooses how many threads work, until the test ends."""
    yield lambda count: jg.set_option("num_threads", str(count))
    jg.set_option("num_threads", "0")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("shape", [(1, 600, 1030), (3, 600, 1030), (8, 300, 4100), (17, 500, 999)])
def test_products_of_few_rows_are_the_same_however_many_threads_share_them(
    shape, count, dtype, threads
):
    rows, terms, columns = shape
    a, b = sample((rows, terms), dtype), sample((columns, terms), dtype, 1)
    threads(count)
    check(jg.matmul(a, b.T), a @ b.T, TYPES[dtype] * 100)
    check(jg.matmul(a, np.ascontiguousarray(b.T)) + a[:, :1], a @ b.T + a[:, :1], 1e-3)


def test_a_batch_of_products_of_few_rows_is_cut_in_columns_matrix_by_matrix(threads):
    a, b = sample((2, 4, 256), "float32"), sample((2, 256, 2050), "float32", 1)
    threads(3)
    check(jg.matmul(a, b), a @ b, 1e-5)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(
    "batch, extents", [((1000,), (16, 16, 16)), ((4999,), (7, 5, 3)), ((3, 701), (8, 9, 40))]
)
def test_batches_of_small_products_are_the_same_however_many_threads_share_them(
    batch, extents, count, threads
):
    m, k, n = extents
    a, b = sample((*batch, m, k), "float32"), sample((*batch, k, n), "float32", 1)
    bias = sample((n,), "float32", 2)
    threads(count)
    np.testing.assert_array_equal(np.asarray(jg.matmul(a, b)), a @ b)
    np.testing.assert_array_equal(
        np.asarray(jg.maximum(jg.matmul(a, b) + bias, 0)), np.maximum(a @ b + bias, 0)
    )


@pytest.mark.parametrize(
    "shapes", [("ii", (1, 3)), ("ii->i", (3, 1)), ("bd,bb->b", (3, 1), (1, 3))]
)
def test_a_label_that_an_operand_repeats_has_one_extent(shapes):
    subscripts, *extents = shapes
    with pytest.raises(ValueError, match=r"allowed is [13], as axis 0 has the same label"):
        jg.einsum(subscripts, *map(jg.ones, extents))
