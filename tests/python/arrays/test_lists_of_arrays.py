# SPDX-License-Identifier: Apache-2.0
"""Lists with arrays in them: values, dtypes and refusals are those of the numbers one by one, but
the arrays are taken whole."""

import itertools
import time

import numpy as np
import pytest

import joggle as jg

MAKES = {
    "joggle's": jg.asarray,
    "joggle's that are not computed": lambda a: jg.where(True, jg.asarray(a), jg.asarray(a)),
    "joggle's in another layout": lambda a: jg.flip(jg.asarray(np.flip(a).copy())),
    "NumPy's": lambda a: a,
    "NumPy's in another layout": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "lists": lambda a: a.tolist(),
}
DTYPES = ["bool", "int8", "uint8", "int64", "float16", "float32", "float64", "complex64"]


def one(dtype, shape=(2, 3)):
    return (np.arange(np.prod(shape)).reshape(shape) % 5).astype(dtype)


@pytest.mark.parametrize("first, second", list(itertools.combinations_with_replacement(DTYPES, 2)))
def test_the_dtype_is_the_common_one(first, second):
    a, b = one(first), one(second)
    wanted = np.stack([a, b]).astype(jg.result_type(jg.asarray(a), jg.asarray(b)).name)
    for makes in itertools.product((jg.asarray, MAKES["NumPy's"]), repeat=2):
        found = np.asarray(jg.array([makes[0](a), makes[1](b)]))
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("makes", list(itertools.product(MAKES, repeat=2)))
def test_arrays_lists_and_numbers_meet(makes):
    a, b = one("float32"), one("float32")[::-1]
    first, second = (MAKES[make] for make in makes)
    np.testing.assert_array_equal(np.asarray(jg.array([first(a), second(b)])), np.stack([a, b]))
    nested = jg.array([[first(a), second(b)], [second(b), first(a)]])
    np.testing.assert_array_equal(np.asarray(nested), np.array([[a, b], [b, a]]))
    row = jg.array([first(a[0]), [1, 2.5, True]])
    np.testing.assert_array_equal(np.asarray(row), np.array([a[0], [1, 2.5, 1]], np.float32))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (1,), (1, 1)])
def test_empty_and_small_arrays_in_a_list_keep_their_shape(shape):
    for make in (jg.asarray, MAKES["NumPy's"]):
        found = jg.array([make(np.ones(shape)), np.ones(shape)])
        assert found.shape == (2, *shape)


def test_the_values_are_those_of_the_call():
    memory = np.zeros(3)
    arrays = [jg.array([memory]), jg.array([jg.asarray(memory)]), jg.array([[memory, memory]])]
    memory[...] = 7
    assert [float(jg.max(x)) for x in arrays] == [0, 0, 0]


@pytest.mark.parametrize(
    "values, dtype, error",
    [
        ([300.0, 1.0], "int8", OverflowError),
        ([300, 1], "int8", OverflowError),
        ([np.nan, 1.0], "int32", OverflowError),
        ([1j, 0], "float32", TypeError),
        ([-1, 0], "uint64", OverflowError),
    ],
)
def test_numbers_that_do_not_fit_are_refused_with_their_place(values, dtype, error):
    for make in (jg.asarray, MAKES["NumPy's"]):
        with pytest.raises(error, match=r"x\[1\]\[0\]: "):
            jg.array([make(np.array([1, 1])), make(np.array(values))], dtype=dtype)


def test_shapes_that_differ_are_refused_with_their_place():
    with pytest.raises(ValueError, match=r"x\[1\]: has 2 items, allowed are 3"):
        jg.array([jg.ones(3), jg.ones(2)])
    with pytest.raises(ValueError, match=r"x\[1\]: a number where there are sequences"):
        jg.array([np.ones(3), 1])


@pytest.mark.parametrize("make", [jg.asarray, MAKES["NumPy's"]])
def test_large_arrays_are_taken_whole(make):
    """One by one, these four million numbers take 20 seconds."""
    a = np.ones((1000, 1000), np.float32)
    begin = time.monotonic()
    found = jg.array([make(a), make(a), make(a), make(a)])
    assert float(jg.sum(found)) == 4e6
    assert time.monotonic() - begin < 4


class Measured:
    """A number with a dtype of another library's, which tells how often that is asked its name."""

    asked = 0

    class Dtype:
        @property
        def name(self):
            Measured.asked += 1
            return "float32"

    dtype = Dtype()

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value


def test_numbers_that_share_a_dtype_ask_for_its_name_once():
    Measured.asked = 0
    x = jg.asarray([[Measured(1.5), Measured(2.5)], [Measured(3.5), 4]])
    assert x.dtype == jg.float32 and x.tolist() == [[1.5, 2.5], [3.5, 4.0]]
    assert Measured.asked == 1


@pytest.mark.parametrize("dtype", ["bool", *"bBhHiIlLqQefdFD"])
def test_numpys_scalars_and_arrays_without_axes_give_their_values(dtype):
    numbers = np.array([0, 1, 2, 3], dtype=dtype)
    if numbers.dtype.kind in "iu":
        numbers[1:3] = np.iinfo(dtype).min, np.iinfo(dtype).max
    elif numbers.dtype.kind == "f":
        numbers[1:3] = np.finfo(dtype).tiny, -np.inf
    x = jg.asarray(list(numbers))
    y = jg.asarray([np.asarray(number) for number in numbers])
    assert x.dtype == y.dtype == numbers.dtype
    assert np.array_equal(np.asarray(x), numbers) and np.array_equal(np.asarray(y), numbers)


WRONG = [np.datetime64("2020-01-01"), np.str_("a"), np.array("a"), np.longdouble(1)]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_has_no_number_is_refused_by_its_place(wrong):
    with pytest.raises(TypeError, match=r"x\[1\]: got numpy.* allowed are numbers and sequences"):
        jg.asarray([1, wrong])


def test_tensors_of_other_libraries_are_taken_whole():
    torch = pytest.importorskip("torch")
    columns = [torch.ones(1, 1), torch.zeros(1, 1)]
    assert jg.asarray(columns).shape == (2, 1, 1)
    assert jg.asarray([torch.arange(2)]).tolist() == [[0, 1]]
    assert jg.asarray([[torch.tensor(1), 2], [torch.tensor(3), 4]]).tolist() == [[1, 2], [3, 4]]
    assert jg.asarray([torch.tensor([1.5, 2.5])], dtype=jg.int8).tolist() == [[1, 2]]
    with pytest.raises(BufferError, match="requires grad"):
        jg.asarray([torch.ones(1, requires_grad=True)])


@pytest.mark.parametrize("library", ["mlx.core", "jax.numpy"])
def test_arrays_of_other_libraries_in_lists_keep_their_axes(library):
    xp = pytest.importorskip(library)
    x = jg.asarray([xp.array([1.0, 2.0]), xp.array([3.0, 4.0])])
    assert x.dtype == jg.float32 and x.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_mask_is_not_lost_in_a_list():
    masked = np.ma.masked_array([1, 2, 3], [0, 1, 0])
    for wrong in ([masked, masked], [masked[1], 1.0], [[1, 2, 3], masked]):
        with pytest.raises(TypeError, match="mask"):
            jg.asarray(wrong)


class Sequence:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class WithHalfAProtocol(Sequence):
    def __dlpack__(self, **options):
        raise AssertionError("it tells no device")


class WithoutProtocol(Sequence):
    __dlpack__ = None

    def __dlpack_device__(self):
        return (1, 0)


class Refusing(Sequence):
    def __dlpack__(self, **options):
        raise BufferError("it never exports")

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("kind", [WithHalfAProtocol, WithoutProtocol, Refusing])
def test_sequences_that_export_no_tensor_are_read_item_by_item(kind):
    assert jg.asarray([kind([1.0, 2.0]), [3.0, 4.0]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    if kind is WithHalfAProtocol:
        assert jg.asarray(kind([1.0, 2.0])).tolist() == [1.0, 2.0]
