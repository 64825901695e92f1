# SPDX-License-Identifier: Apache-2.0
"""Kernels from their text, launched on tensors of every kind in place."""

import numpy as np
import pytest

import joggle as jg
from joggle import _core

SCALE = """kernel scale
array x {dtype} [*, *] [*, *]
scalar a {dtype}
array y {dtype} [*, *] [*, *]
{{
  %zero:int64 = const 0
  %m:int64 = extent x 0
  %n:int64 = extent x 1
  parallel %i:int64 = %zero to %m, %j:int64 = %zero to %n {{
    %v:{dtype} = load x [%i, %j]
    %w:{dtype} = multiply %v %a
    store y [%i, %j] = %w
  }}
}}
"""

FIRST = """kernel first
array x float32 [*] [*]
result float32
result bool
{
  %zero:int64 = const 0
  %x:float32 = load x [%zero]
  %c:bool = equal %x %x
  return %x %c
}
"""


def has_compiler():
    try:
        _core.Kernel("kernel nothing\n{\n}\n")()
    except NotImplementedError:
        return False
    return True


compiled = pytest.mark.skipif(not has_compiler(), reason="this build has no LLVM")


def scale(dtype="float32"):
    return _core.Kernel(SCALE.format(dtype=dtype))


def strided(kind, dtype=np.float32):
    """The numbers 0 to 11 in memory of that layout."""
    values = np.arange(12).reshape(3, 4).astype(dtype)
    memory = {
        "dense": lambda: values.copy(),
        "transposed": lambda: np.ascontiguousarray(values.T).T,
        "every other": lambda: np.repeat(np.repeat(values, 2, 0), 3, 1)[::2, ::3],
        "backwards": lambda: values[::-1, ::-1].copy()[::-1, ::-1],
    }[kind]()
    np.testing.assert_array_equal(memory, values)
    return memory


def test_the_text_is_read_and_written():
    kernel = scale()
    again = _core.Kernel(kernel.text)
    assert kernel.name == "scale"
    assert again.text == kernel.text
    assert "array x float32 [*, *] [*, *]\nscalar a float32\narray y" in kernel.text


def test_a_fault_in_the_text_is_a_value_error_with_its_place():
    with pytest.raises(ValueError, match="3:1: jump begins no statement"):
        _core.Kernel("kernel k\n{\njump\n}\n")


def test_a_wrong_type_in_the_text_is_a_type_error():
    with pytest.raises(TypeError, match="add: operand 2 is int32, it must be float32"):
        _core.Kernel("kernel k\nscalar a float32\nscalar b int32\n{\n%0:float32 = add %a %b\n}\n")


def test_the_number_of_arguments_is_checked():
    with pytest.raises(TypeError, match="got 2 arguments, allowed are 3"):
        scale()(1, 2)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ([[1.0]], TypeError, "argument x: got list"),
        (1.0, TypeError, "argument x: got float"),
        (None, TypeError, "argument x: got NoneType"),
        (np.zeros((2, 2), np.int32), TypeError, "array x: got int32, it is float32"),
        (np.zeros(2, np.float32), ValueError, "array x: got 1 axes, it has 2"),
        (np.zeros((2, 2), ">f4"), BufferError, "argument x"),
    ],
)
def test_an_argument_that_does_not_fit_is_named(x, error, message):
    with pytest.raises(error, match=message):
        scale()(x, 2.0, np.zeros((2, 2), np.float32))


def test_numbers_that_do_not_fit_wrap_and_others_are_refused():
    x = np.ones((2, 2), np.int8)
    with pytest.warns(RuntimeWarning, match="^131 does not fit int8, so -125 is used$"):
        scale("int8")(x, 131, x)
    assert (x == -125).all()
    with pytest.raises(
        TypeError, match=r"scalar a: got the float 1\.5, allowed are numbers for int8"
    ):
        scale("int8")(x, 1.5, x)
    with pytest.raises(TypeError, match="argument a: got str, allowed are numbers"):
        scale("int8")(x, "1", x)


def test_read_only_memory_that_is_written_is_refused():
    x = np.zeros((2, 2), np.float32)
    x.flags.writeable = False
    with pytest.raises(BufferError, match="array y: the memory is read-only"):
        scale()(x, 1.0, x)


def test_arrays_of_joggle_are_not_written():
    x = jg.zeros((2, 2))
    with pytest.raises(BufferError, match="argument y: arrays of joggle are values"):
        scale()(x, 1.0, x)


@compiled
@pytest.mark.parametrize("kind", ["dense", "transposed", "every other", "backwards"])
@pytest.mark.parametrize("target", ["dense", "transposed", "every other", "backwards"])
def test_any_strides_are_worked_on_in_place(kind, target):
    x, y = strided(kind), strided(target)
    scale()(x, 3.0, y)
    np.testing.assert_array_equal(y, 3 * x)


@compiled
@pytest.mark.parametrize(
    "dtype",
    [
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
    ],
)
def test_every_dtype_of_numpy_is_taken(dtype):
    x, y = strided("dense", dtype), strided("transposed", dtype)
    scale(dtype)(x, 3, y)
    np.testing.assert_array_equal(y, 3 * x)


@compiled
def test_bfloat16_of_ml_dtypes_is_taken():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(4).reshape(2, 2).astype(ml_dtypes.bfloat16)
    y = np.zeros_like(x)
    scale("bfloat16")(x, 2.0, y)
    np.testing.assert_array_equal(y.astype(np.float32), 2 * x.astype(np.float32))


@compiled
def test_tensors_of_torch_are_worked_on_in_place():
    torch = pytest.importorskip("torch")
    x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    y = torch.zeros(4, 3).T
    scale()(x, 2.0, y)
    assert torch.equal(y, 2 * x)
    scale()(x.clone().requires_grad_(), 3.0, y)
    assert torch.equal(y, 3 * x)


def test_negated_tensors_of_torch_are_refused():
    torch = pytest.importorskip("torch")
    x = torch.zeros(2, 2, dtype=torch.complex64).conj().imag
    assert x.is_neg()
    with pytest.raises(BufferError, match="argument x: a torch tensor that is negated by a bit"):
        scale()(x, 2.0, torch.zeros(2, 2))


@compiled
def test_arrays_of_joggle_and_jax_are_read():
    jnp = pytest.importorskip("jax.numpy")
    y = np.zeros((3, 4), np.float32)
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    scale()(jg.arange(12, dtype=jg.float32).reshape(3, 4), 2.0, y)
    np.testing.assert_array_equal(y, 2 * values)
    scale()(jnp.asarray(values), 3.0, y)
    np.testing.assert_array_equal(y, 3 * values)


def test_arrays_of_jax_are_not_written():
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.zeros((2, 2))
    with pytest.raises(BufferError, match="array y: the memory is read-only"):
        scale()(x, 2.0, x)


@compiled
def test_results_are_numbers():
    kernel = _core.Kernel(FIRST)
    assert kernel(np.array([1.5, 2.0], np.float32)) == (1.5, True)
    assert kernel(np.array([np.nan], np.float32))[1] is False


@compiled
@pytest.mark.parametrize("a", [3, 3.0, True, np.float32(3), np.int64(3), jg.array(3.0)])
def test_scalars_are_numbers_of_any_kind(a):
    x, y = strided("dense"), strided("dense")
    scale()(x, a, y)
    np.testing.assert_array_equal(y, float(a) * x)


@compiled
def test_a_lazy_array_never_sees_what_a_kernel_writes():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    values = x.copy()
    kernel = scale()
    lazy = jg.from_dlpack(x) + 1
    kernel(x, 10.0, x)
    np.testing.assert_array_equal(x, 10 * values)
    np.testing.assert_array_equal(np.asarray(lazy), values + 1)


@compiled
def test_texts_are_printed_to_stdout(capsys):
    _core.Kernel('kernel k\nscalar a int32\n{\nprint "a" @1\nprint " = {}\\n" %a\n}\n')(7)
    assert capsys.readouterr().out == "a = 7\n"


@compiled
def test_an_assertion_that_fails_is_raised():
    text = 'kernel k\nscalar c bool\nscalar a float32\n{{\nassert %c {}"a is {{}}" %a @3\n}}\n'
    for word, error in (("", AssertionError), ("index ", IndexError), ("value ", ValueError)):
        kernel = _core.Kernel(text.format(word))
        assert kernel(True, 1.5) is None
        with pytest.raises(error, match=r"\[k\] line 3: a is 1.5"):
            kernel(False, 1.5)


@compiled
def test_random_numbers_repeat_after_the_same_seed():
    kernel = _core.Kernel("kernel k\nresult float64\n{\n%0:float64 = random\nreturn %0\n}\n")
    _core._kernel_seed(5)
    drawn = [kernel() for _ in range(100)]
    _core._kernel_seed(5)
    assert drawn == [kernel() for _ in range(100)]
    assert len(set(drawn)) == 100
    assert all(0 <= x < 1 for x in drawn)
