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
