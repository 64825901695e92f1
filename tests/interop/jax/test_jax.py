# SPDX-License-Identifier: Apache-2.0
"""JAX: legacy capsules only, immutable memory that has no flag to say so, and 64-byte alignment."""

import numpy as np
import pytest

import joggle as jg

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "uint8",
    "uint16",
    "uint32",
    "float16",
    "bfloat16",
    "float32",
    "complex64",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3b11fnuz",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
]
IN = [jg.from_dlpack, jg.array, jg.asarray]
OUT = [jax.dlpack.from_dlpack, jnp.from_dlpack, jnp.asarray]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("come", IN)
def test_every_dtype_goes_round_without_a_copy(dtype, come, address):
    j = jnp.ones((2, 3), dtype=dtype)
    x = come(j)
    assert x.dtype.name == dtype and x.shape == (2, 3)
    assert np.asarray(x).__array_interface__["data"][0] == j.unsafe_buffer_pointer()
    y = (
        x + 0
        if dtype not in ("bool",) and not dtype.startswith("float8")
        else jg.array(np.array(x))
    )
    back = jax.dlpack.from_dlpack(y)  # memory of ours, as JAX's own goes out as a copy
    assert back.dtype == j.dtype and (np.asarray(back) == np.asarray(j)).all()


def test_64_bits_are_not_narrowed_on_the_way_in():
    with jax.enable_x64(True):
        j = jnp.array([0.1, 1e300], dtype="float64")
        assert jg.from_dlpack(j).tolist() == [0.1, 1e300]


@pytest.mark.parametrize("come", IN)
def test_layouts_come_in(layout, come):
    j = layout(jnp.arange(12.0).reshape(3, 4))
    x = come(j)
    assert x.shape == j.shape and np.array_equal(np.asarray(x), np.asarray(j))


@pytest.mark.parametrize("go", OUT)
@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::-1],
        lambda x: x[0],
        lambda x: x[0, 0],
        lambda x: x[:0],
    ],
)
def test_layouts_go_out(make, go):
    x = make(jg.array(np.arange(12.0, dtype="f4").reshape(3, 4)))
    j = go(x)
    assert j.shape == x.shape and np.array_equal(np.asarray(j), np.asarray(x))


def test_jax_takes_our_memory_in_place(address):
    x = jg.ones((8, 8)) * 2
    for go in OUT[:2]:
        assert go(x).unsafe_buffer_pointer() == address(x)
    assert jax.dlpack.from_dlpack(x, copy=False).unsafe_buffer_pointer() == address(x)


@pytest.mark.parametrize("come", IN)
def test_memory_of_jax_is_read_only(come):
    j = jnp.arange(3.0)
    x = come(j)
    assert not np.asarray(x).flags.writeable and not np.from_dlpack(x).flags.writeable
    x[0] = 9
    assert j.tolist() == [0, 1, 2]
    # torch would write to it all the same, so the old protocol, which has no flag, gets a copy
    y = come(j)
    with pytest.raises(BufferError):
        y.__dlpack__(copy=False)


def test_copy_false_shares_memory_and_copy_true_does_not(address):
    j = jnp.arange(3.0)
    assert address(jg.from_dlpack(j, copy=False)) == j.unsafe_buffer_pointer()
    assert address(jg.from_dlpack(j, copy=True)) != j.unsafe_buffer_pointer()


def test_memory_outlives_the_array_on_either_side():
    j = jnp.arange(1000.0) + 1
    y = jg.from_dlpack(j) * 2
    del j
    assert np.array_equal(np.asarray(y), 2 * np.arange(1, 1001.0))
    j = jax.dlpack.from_dlpack(y)
    del y
    jg.eval([jg.zeros(1000) + i for i in range(4)])
    assert np.array_equal(np.asarray(j), 2 * np.arange(1, 1001.0))


def test_tracers_are_refused():
    with pytest.raises(Exception, match="racer"):
        jax.jit(lambda j: jg.from_dlpack(j) and j)(jnp.ones(2))


def test_deleted_arrays_are_refused():
    j = jnp.ones(2)
    j.delete()
    with pytest.raises((RuntimeError, TypeError)):  # JAX's own
        jg.from_dlpack(j)


def test_mixed_operators_are_ours():
    j, x = jnp.ones(2), jg.array([1.0, 2.0])
    assert isinstance(x + j, jg.array) and (x + j).tolist() == [2, 3]
