# SPDX-License-Identifier: Apache-2.0
"""Random graphs whose fused programs are all compiled: the same values as op by op on the tiles."""

import numpy as np
import pytest
from test_fusion import evaluated as evaluated_bytes
from test_fusion_dtypes import DTYPES, is_integer_array
from test_fusion_dtypes import evaluated as evaluated_mixed

import joggle as jg

# Two that went wrong once: results over operands that were loaded after them, or again.
WHOLE = [(852436, "int32"), *((seed, dtype) for seed in range(8) for dtype in ("int64", "float32"))]
MIXED = [("int64", 266), *((dtype, seed) for seed in range(6) for dtype in DTYPES)]


@pytest.fixture(autouse=True)
def compiling():
    """Compiles what is planned, and keeps nothing on disk."""
    before = jg.get_option("jit"), jg.get_option("jit_cache")
    jg.set_option("jit", "1")
    jg.set_option("jit_cache", "none")
    yield
    jg.set_option("jit", before[0])
    jg.set_option("jit_cache", before[1])


def in_turns(evaluate, *arguments):
    """With compiled code, then op by op on the tiles: plans remember their code."""
    compiled = evaluate(*arguments, True)
    jg.set_option("jit", "0")
    tiles = evaluate(*arguments, False)
    jg.set_option("jit", "1")
    return compiled, tiles


@pytest.mark.parametrize(("seed", "dtype"), WHOLE)
def test_compiled_graphs_of_whole_numbers_have_the_same_bits(seed, dtype):
    compiled, tiles = in_turns(evaluated_bytes, seed, dtype, True)
    assert compiled == tiles


@pytest.mark.parametrize(("dtype", "seed"), MIXED)
def test_compiled_graphs_of_mixed_dtypes_have_the_same_values(dtype, seed):
    compiled, tiles = in_turns(evaluated_mixed, seed, dtype)
    for (dtype_a, a), (dtype_b, b) in zip(compiled, tiles, strict=True):
        assert dtype_a == dtype_b
        assert np.array_equal(a, b, equal_nan=not is_integer_array(a))


FUNCTIONS = """
    exp expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
    arctanh
"""


@pytest.mark.parametrize("name", FUNCTIONS.split())
def test_compiled_functions_have_the_same_bits_within_and_beyond_their_usual_range(name):
    """A vector with something unusual takes another way, in which the others stay as they are."""
    rng = np.random.default_rng(11)
    usual = rng.uniform(0.01, 3, 4096).astype(np.float32)
    anything = rng.integers(0, 2**32, 4096, dtype=np.uint32).view(np.float32)
    some = np.where(np.arange(4096) % 37 == 5, anything, usual)
    for x in (usual, some, anything):
        results = []
        for jit in ("1", "0"):
            jg.set_option("jit", jit)
            jg.set_option("fuse", jit)  # another plan: one remembers its code
            results.append(np.asarray(getattr(jg, name)(jg.array(x)) * jg.ones(4096)))
        jg.set_option("fuse", "1")
        compiled, tiles = results
        assert np.array_equal(compiled, tiles, equal_nan=True)
        numbers = ~np.isnan(tiles)
        assert np.array_equal(np.signbit(compiled[numbers]), np.signbit(tiles[numbers]))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("shape", [(3, 128, 2, 32), (640, 4, 64), (7, 48, 2, 128), (40, 3, 64)])
def test_compiled_loops_over_few_rows_have_the_elements_in_their_places(shape, dtype):
    """Such rows are computed in another order."""
    rng = np.random.default_rng(3)
    x = rng.integers(-50, 50, shape).astype(dtype)
    column, row = x[..., :1, :].copy(), x[..., :, :1].copy()
    f = jg.compile(lambda x, column, row: (jg.flip(x, axis=-2) * column + x) * row)
    for given in (x, x[:, ::-1], x[::2]):
        parts = column[: len(given)], row[: len(given)]
        expected = (np.flip(given, -2) * parts[0] + given) * parts[1]
        for threads in (1, 2):
            before = jg.get_num_threads()
            jg.set_num_threads(threads)
            found = np.asarray(f(*map(jg.asarray, (given, *parts))))
            jg.set_num_threads(before)
            assert np.array_equal(found, expected)


def test_products_are_followed_by_few_rows_each():
    rng = np.random.default_rng(4)
    a, b, shift = (
        rng.integers(-4, 5, shape).astype(np.float32)
        for shape in ((128, 2, 96), (96, 64), (128, 1, 64))
    )
    f = jg.compile(lambda a, b, shift: jg.maximum(jg.matmul(a, b) + shift, 0) * shift)
    found = np.asarray(f(*map(jg.asarray, (a, b, shift))))
    assert np.array_equal(found, np.maximum(a @ b + shift, 0) * shift)
