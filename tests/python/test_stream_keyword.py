# SPDX-License-Identifier: Apache-2.0
"""stream=: every op and every function that makes arrays takes it, and what it builds is computed
on that stream. The ops and their parameters come from the tables."""

import re

import pytest
from elementwise import ROWS, TAKES, optable, sample

import joggle as jg

FORMS = optable.forms()
KEY = jg.random.key(5)
KEY.wait()
# What a parameter of a kind gets where the form needs nothing of its own.
KINDS = {
    "AXES": (0,),
    "AXIS": 0,
    "AXIS_OR_NONE": 0,
    "AXIS_PAIRS": 1,
    "CUTS": 3,
    "FLAG": False,
    "INT": 2,
    "INTS": (0,),
    "PAIRS": 1,
    "REAL": 0.5,
    "SHAPE": (3, 3),
    "TEXT": "ij,jk->ik",
}
NAMED = {"repetitions": 2, "end_axis": -1, "axis2": 1, "axes": 1, "source": 0, "destination": 1}


def square(row):
    """Three rows of three numbers that the op takes, computed by a graph."""
    dtypes = TAKES[row["types"]]
    dtype = "float32" if "float32" in dtypes else dtypes[-1]
    within = (0.25, 0.75) if dtype == "float32" else (1, 3)
    return jg.array(sample(dtype, 9, within=within).reshape(3, 3))


def packed(stream, mode="affine"):
    """A quantised matrix of 64 by 64, as its functions take it: words, scales, and biases."""
    return jg.quantize(jg.ones((64, 64), stream=stream), mode=mode, stream=stream)


def wide(stream):
    return jg.ones((2, 64), stream=stream)


# Of ops whose arrays are no squares of floats: all that they need.
WHOLE = {
    "rope": lambda s: [jg.ones((1, 1, 3, 4), stream=s), 4, False, 100.0, 1.0, 0],
    "cross_entropy": lambda s: [jg.ones((3, 3), stream=s), jg.zeros(3, jg.int32, stream=s)],
    "segmented_mm": lambda s: [*few(wide(s), 1, s), jg.ones((64, 2), stream=s), [[0, 5]]],
    "quantize": lambda s: [wide(s)],
    "dequantize": packed,
    "quantized_matmul": lambda s: [wide(s), *packed(s)],
    "gather_qmm": lambda s: [wide(s), *packed(s)],
    "qqmm": lambda s: [wide(s), jg.ones((3, 64), stream=s)],
    "gather_qqmm": lambda s: [jg.ones((2, 1, 64), stream=s), jg.ones((2, 3, 64), stream=s)],
    "hadamard_transform": lambda s: [wide(s)],
    "from_fp8": lambda s: [jg.zeros((3,), jg.uint8, stream=s)],
    "searchsorted": lambda s: [jg.arange(5, stream=s), jg.ones((3,), stream=s)],
}


def few(x, count, stream):
    return [jg.copy(x, stream=stream) for _ in range(count)]


def space(row, each, stream):
    """An argument of a convolution or a pooling: as many axes of space as the name says."""
    digit = re.search(r"\d", row["name"])
    rank = int(digit.group()) if digit else 1
    shape = (3,) if row["form"] == "CONVOLVED" else (1, *[3] * rank, 1)
    return 2 if each.name == "kernel_size" else jg.ones(shape, stream=stream)


def argument(row, each, stream):
    """What to give the parameter."""
    x, form = square(row), row["form"]
    if each.name == "key":
        return KEY
    if each.name in ("indices", "repeats"):
        index = jg.zeros((3, 3) if "ALONG" in form else 3, jg.int64, stream=stream)
        return (index,) if each.kind == "ARRAYS" else index
    if row["form"].startswith(("CONVOL", "POOLED")):
        return space(row, each, stream)
    if each.name == "updates":
        return x[:, 0] if form == "GATHER" else x
    if each.name in ("weight", "bias") or form == "POWERS":
        return jg.copy(x[0], stream=stream)
    if each.kind == "DTYPE":
        return jg.float32 if row["types"] == "floating" else jg.int32
    if form == "UNFLATTENED" and each.name == "shape":
        return 3, 1
    if row["types"] == "factored" and each.kind == "ARRAY":
        return jg.add(x, jg.multiply(jg.eye(3, stream=stream), 3, stream=stream), stream=stream)
    if form == "TRIANGLE" or each.name == "condition":
        return jg.greater(x, 0.5, stream=stream)
    if form == "GRID":
        return few(x[0], 2, stream)
    if form == "ATTENTION" and each.is_array:
        return jg.reshape(x, (1, 1, 3, 3))
    if each.is_array:
        several = each.kind in ("ARRAYS", "EACH", "REST")
        return few(x, 2, stream) if several else jg.copy(x, stream=stream)
    return NAMED.get(each.name, KINDS[each.kind])


def call(row, stream):
    form = FORMS[row["form"]]
    needed = [each for each in form.parameters if each.default is None]
    arguments = list(WHOLE[row["name"]](stream)) if row["name"] in WHOLE else []
    for each in () if arguments else needed:
        value = argument(row, each, stream)
        arguments += value if each.kind in ("EACH", "REST") else [value]
    named = {"stream": stream}
    if row["form"] in ("CUMULATIVE", "PUT_ALONG", "REPEATED"):  # None wants a vector
        named["axis"] = 0
    result = getattr(jg._core, row["name"])(*arguments, **named)
    return list(result) if isinstance(result, (tuple, list)) else [result]


def streams_of(*arrays):
    """The streams that compute what is not evaluated yet."""
    boxes = [line for line in jg.export_dot(*arrays).split("\n") if "shape=box" in line]
    found = [re.search(r"stream (\d+)", line) for line in boxes]
    return {int(match.group(1)) if match else 0 for match in found}


@pytest.fixture(scope="module")
def stream():
    return jg.new_stream()


@pytest.mark.parametrize("name", ROWS)
def test_every_op_of_the_table_builds_on_its_stream(name, stream):
    results = call(ROWS[name], stream)
    assert streams_of(*results) <= {stream.index}
    jg.eval(*results)
    assert jg.default_stream().index == 0


@pytest.mark.parametrize("name", ROWS)
def test_no_op_of_the_table_takes_anything_else_for_a_stream(name):
    with pytest.raises(TypeError, match="stream: got 3"):
        call(ROWS[name], 3)


x = jg.array([[0.5, 2.0], [1.0, 3.0]])
heads = jg.reshape(jg.arange(16, dtype=jg.float32), (1, 2, 4, 2))
jg.eval(heads)
SQUARES = jg.array([[0.5, 2.0, 1.0], [1.0, 3.0, 0.5], [0.0, 1.0, 4.0]])
TWO_OPERANDS = {"cholesky_solve", "cross", "kron", "lstsq", "matmul", "outer", "solve"}
TWO_OPERANDS |= {"solve_triangular", "tensordot", "vecdot"}


def linalg_maker(name):
    """Calls the function of joggle.linalg with square matrices, or with what else it takes."""
    arguments = [SQUARES] * (1 + (name in TWO_OPERANDS))
    if name == "outer":
        arguments = [SQUARES[0], SQUARES[1]]
    if name == "multi_dot":
        arguments = [[SQUARES] * 3]
    if name == "matrix_power":
        arguments.append(3)

    def make(stream):
        made = getattr(jg.linalg, name)(*arguments, stream=stream)
        return made[0] if isinstance(made, tuple) else made

    return make


def fft_maker(name):
    """Calls the function of joggle.fft."""
    several = [1.0] * 32 if "n" not in name[-1:] and "2" not in name else None
    values = jg.array(several) if several else jg.ones((4, 4))
    arguments = [8] if name.endswith("freq") else [values]
    if name == "stft":
        arguments.append(16)
    if name == "istft":
        arguments = [jg.ones((3, 9), dtype=jg.complex64), 16]
    jg.eval(*(each for each in arguments if isinstance(each, jg.array)))
    return lambda stream: getattr(jg.fft, name)(*arguments, stream=stream)


MAKERS = {
    "array": lambda s: jg.array([1, 2], dtype=jg.float32, stream=s) + 0,
    "asarray": lambda s: jg.asarray(x, dtype=jg.int8, stream=s),
    "arange": lambda s: jg.arange(5, stream=s),
    "empty": lambda s: jg.empty(2, stream=s),
    "empty_like": lambda s: jg.empty_like(x, stream=s),
    "zeros": lambda s: jg.zeros(2, stream=s),
    "zeros_like": lambda s: jg.zeros_like(x, stream=s),
    "ones": lambda s: jg.ones(2, stream=s),
    "ones_like": lambda s: jg.ones_like(x, stream=s),
    "full": lambda s: jg.full(2, 3.5, stream=s),
    "full_like": lambda s: jg.full_like(x, 3.5, stream=s),
    "transpose": lambda s: jg.transpose(x, stream=s),
    "fast.rms_norm": lambda s: jg.fast.rms_norm(x, None, 1e-5, stream=s),
    "fast.layer_norm": lambda s: jg.fast.layer_norm(x, None, None, 1e-5, stream=s),
    "fast.cross_entropy": lambda s: jg.fast.cross_entropy(x, jg.array([0, 1]), stream=s),
    "fast.rope": lambda s: jg.fast.rope(
        heads, 2, traditional=False, base=10.0, scale=1.0, offset=0, stream=s
    ),
    **{f"fft.{name}": fft_maker(name) for name in jg.fft.__all__},
    **{f"linalg.{name}": linalg_maker(name) for name in jg.linalg.__all__ if name.islower()},
    "random.key": lambda s: jg.random.key(3, stream=s),
    "random.split": lambda s: jg.random.split(KEY, 3, stream=s),
    "random.uniform": lambda s: jg.random.uniform(1, 2, (3,), key=KEY, stream=s),
    "random.normal": lambda s: jg.random.normal((3,), loc=2, scale=x[0, 0], stream=s),
    "random.gumbel": lambda s: jg.random.gumbel((3,), stream=s),
    "random.laplace": lambda s: jg.random.laplace((3,), stream=s),
    "random.truncated_normal": lambda s: jg.random.truncated_normal(-1, 1, (3,), stream=s),
    "random.multivariate_normal": lambda s: jg.random.multivariate_normal(
        [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], (3,), stream=s
    ),
    "random.permutation": lambda s: jg.random.permutation(5, stream=s),
    "random.randint": lambda s: jg.random.randint(0, 5, (3,), stream=s),
    "random.bernoulli": lambda s: jg.random.bernoulli(0.5, (3,), stream=s),
    "random.categorical": lambda s: jg.random.categorical(x, shape=(3, 2), stream=s),
}
for mask in (None, "causal"):
    MAKERS[f"fast.scaled_dot_product_attention {mask}"] = lambda s, mask=mask: (
        jg.fast.scaled_dot_product_attention(heads, heads, heads, scale=1, mask=mask, stream=s)
    )


@pytest.mark.parametrize("name", MAKERS)
def test_every_function_that_makes_arrays_builds_on_its_stream(name, stream):
    result = MAKERS[name](stream)
    if name == "array":
        assert streams_of(result) == {0}  # of numbers: nothing is computed but the sum
    else:
        assert streams_of(result) <= {stream.index}
    jg.eval(result)
    with pytest.raises(TypeError, match="stream: got 3"):
        MAKERS[name](3)


def test_every_public_function_of_random_and_fast_is_tested():
    found = {name.split(" ")[0] for name in MAKERS if "." in name} | {"random.seed"}
    found.add("linalg.LinAlgError")
    modules = {"random": jg.random, "fast": jg.fast, "linalg": jg.linalg, "fft": jg.fft}
    assert found == {f"{short}.{name}" for short, it in modules.items() for name in it.__all__}
