# SPDX-License-Identifier: Apache-2.0
"""The functions of mlx.core.linalg, fft, fast and random that joggle has too, and the methods of
arrays: the same parameters, and the same results.

The lists are dir() of MLX's modules and of its array. A function has calls in CALLS, or stands in
OTHERWISE with the reason; differences are in docs/mlx.md.
"""

import operator

import mlx.core as mx
import numpy as np
import pytest
from mlx_signatures import parameters
from test_mlx_results import FLOATS, SAMPLES, assert_alike, dtype, make

import joggle as jg

RNG = np.random.default_rng(0)
LINE = RNG.standard_normal((3, 24)).astype("f4")
PLANE = RNG.standard_normal((2, 4, 6)).astype("f4")
TURNING = (LINE + 1j * LINE[::-1]).astype("c8")
SQUARE = (RNG.standard_normal((2, 4, 4)) + 6 * np.eye(4)).astype("f4")
POSITIVE = (SQUARE @ SQUARE.transpose(0, 2, 1)).astype("f4")
LOWER = np.tril(SQUARE)
TALL = RNG.standard_normal((5, 3)).astype("f4")
X = FLOATS

# Each call gets the module (mlx.core's or joggle's), its function, what makes an array and a dtype.
CALLS = {
    "linalg.cholesky": [
        lambda m, f, a, t: f(a(POSITIVE)),
        lambda m, f, a, t: f(a(POSITIVE), upper=True),
    ],
    "linalg.cholesky_inv": [
        lambda m, f, a, t: f(m.linalg.cholesky(a(POSITIVE))),
        lambda m, f, a, t: f(m.linalg.cholesky(a(POSITIVE), True), True),
    ],
    "linalg.cross": [
        lambda m, f, a, t: f(a(TALL), a(TALL[::-1].copy())),
        lambda m, f, a, t: f(a(TALL.T.copy()), a(TALL.T[:, ::-1].copy()), axis=0),
    ],
    "linalg.det": [lambda m, f, a, t: f(a(SQUARE)), lambda m, f, a, t: f(a(SQUARE[0]))],
    "linalg.eig": [lambda m, f, a, t: ordered(m, f(a(POSITIVE[0]))[0])],
    "linalg.eigh": [
        lambda m, f, a, t: f(a(POSITIVE))[0],
        lambda m, f, a, t: m.abs(f(a(POSITIVE), UPLO="U")[1]),
    ],
    "linalg.eigvals": [lambda m, f, a, t: ordered(m, f(a(POSITIVE[0])))],
    "linalg.eigvalsh": [lambda m, f, a, t: f(a(POSITIVE)), lambda m, f, a, t: f(a(POSITIVE), "U")],
    "linalg.inv": [lambda m, f, a, t: f(a(SQUARE))],
    "linalg.lu": [lambda m, f, a, t: f(a(SQUARE)), lambda m, f, a, t: f(a(SQUARE[0]))],
    "linalg.lu_factor": [lambda m, f, a, t: f(a(SQUARE[0]))],
    "linalg.norm": [
        lambda m, f, a, t: f(a(TALL)),
        lambda m, f, a, t: f(a(TALL), ord=1, axis=0),
        lambda m, f, a, t: f(a(TALL), "fro", (0, 1), True),
        lambda m, f, a, t: f(a(TALL), "nuc", axis=(0, 1)),
        lambda m, f, a, t: f(a(TALL), float("inf"), axis=1, keepdims=True),
        lambda m, f, a, t: f(a(TURNING), axis=-1),
        lambda m, f, a, t: f(a(PLANE)),
        lambda m, f, a, t: f(a(PLANE), -1, (1, 2)),
    ],
    "linalg.pinv": [lambda m, f, a, t: f(a(TALL))],
    "linalg.qr": [lambda m, f, a, t: [m.abs(part) for part in f(a(TALL))]],
    "linalg.slogdet": [lambda m, f, a, t: f(a(SQUARE))],
    "linalg.solve": [
        lambda m, f, a, t: f(a(SQUARE), a(PLANE[:, :, :2].copy())),
        lambda m, f, a, t: f(a(SQUARE[0]), a(SQUARE[1, 0].copy())),
    ],
    "linalg.solve_triangular": [
        lambda m, f, a, t: f(a(LOWER[0]), a(PLANE[0])),
        lambda m, f, a, t: f(a(LOWER[0].T.copy()), a(PLANE[0]), upper=True),
    ],
    "linalg.svd": [
        lambda m, f, a, t: f(a(TALL), compute_uv=False),
        lambda m, f, a, t: [m.abs(part) for part in f(a(TALL[:3]))],
    ],
    "linalg.tri_inv": [
        lambda m, f, a, t: f(a(LOWER)),
        lambda m, f, a, t: f(a(LOWER.transpose(0, 2, 1).copy()), upper=True),
    ],
    "fft.fftfreq": [lambda m, f, a, t: f(7), lambda m, f, a, t: f(8, 0.5)],
    "fft.rfftfreq": [lambda m, f, a, t: f(7), lambda m, f, a, t: f(8, d=0.5)],
    "fft.fftshift": [lambda m, f, a, t: f(a(LINE)), lambda m, f, a, t: f(a(PLANE), (0, 2))],
    "fft.ifftshift": [lambda m, f, a, t: f(a(LINE)), lambda m, f, a, t: f(a(PLANE), axes=(1,))],
    "fft.stft": [lambda m, f, a, t: f(a(LINE), 8, 2), lambda m, f, a, t: f(a(LINE), n_fft=8)],
    "fft.istft": [
        lambda m, f, a, t: f(m.fft.stft(a(LINE), 8, 2), 8, 2),
        lambda m, f, a, t: f(m.fft.stft(a(LINE), 8), n_fft=8, length=20),
    ],
    "fast.cross_entropy": [
        lambda m, f, a, t: f(a(LINE), a(np.array([3, 0, 23], "i4"))),
        lambda m, f, a, t: f(logits=a(LINE), targets=a(np.array([3, 0, 23], "i4"))),
    ],
    "fast.layer_norm": [
        lambda m, f, a, t: f(a(LINE), a(LINE[0]), a(LINE[1]), 1e-5),
        lambda m, f, a, t: f(a(LINE), None, None, eps=1e-3),
    ],
    "fast.rms_norm": [
        lambda m, f, a, t: f(a(LINE), a(LINE[0]), 1e-5),
        lambda m, f, a, t: f(a(LINE), weight=None, eps=1e-3),
    ],
    "fast.rope": [
        lambda m, f, a, t: f(
            a(PLANE), 4, traditional=False, base=10000.0, scale=1.0, offset=2, freqs=None
        ),
        lambda m, f, a, t: f(a(PLANE), 6, traditional=True, base=100.0, scale=0.5, offset=0),
    ],
    "fast.scaled_dot_product_attention": [
        lambda m, f, a, t: f(*[a(PLANE[:, None])] * 3, scale=0.5),
        lambda m, f, a, t: f(*[a(PLANE[:, None])] * 3, scale=0.5, mask="causal"),
        lambda m, f, a, t: f(*[a(PLANE[:, None])] * 3, scale=0.5, mask=a(np.eye(4, dtype="f4"))),
        lambda m, f, a, t: f(*[a(PLANE[:, None])] * 3, scale=0.5, mask=a(np.eye(4) > 0)),
    ],
}
for _name in ("fft", "ifft", "rfft", "irfft"):
    _x = LINE if _name == "rfft" else TURNING
    CALLS[f"fft.{_name}"] = [
        lambda m, f, a, t, x=_x: f(a(x)),
        lambda m, f, a, t, x=_x: f(a(x), 10, 0),
        lambda m, f, a, t, x=_x: f(a(x), n=30, axis=1, norm="ortho"),
        lambda m, f, a, t, x=_x: f(a(x), norm="forward"),
    ]
for _name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"):
    CALLS[f"fft.{_name}"] = [
        lambda m, f, a, t: f(a(PLANE)),
        lambda m, f, a, t: f(a(PLANE), (3, 8), (0, 1)),
        lambda m, f, a, t: f(a(PLANE), s=[3, 8], axes=[-1, 0], norm="ortho"),
    ]
# Of random numbers only dtype and shape can be the same.
DRAWS = {
    "random.bernoulli": [
        lambda m, f, a, t: f(),
        lambda m, f, a, t: f(0.3, (2, 3)),
        lambda m, f, a, t: f(a(X)),
        lambda m, f, a, t: f(p=a(X), shape=(4, 2, 3)),
    ],
    "random.categorical": [
        lambda m, f, a, t: f(a(LINE)),
        lambda m, f, a, t: f(a(LINE), axis=0),
        lambda m, f, a, t: f(a(LINE), num_samples=5),
        lambda m, f, a, t: f(a(LINE), -1, (7, 3)),
    ],
    "random.gumbel": [lambda m, f, a, t: f((2, 3)), lambda m, f, a, t: f(dtype=t("float16"))],
    "random.laplace": [
        lambda m, f, a, t: f((2, 3)),
        lambda m, f, a, t: f((3,), t("float16"), loc=1.0, scale=2.0),
    ],
    "random.multivariate_normal": [
        lambda m, f, a, t: f(a(np.zeros(4, "f4")), a(POSITIVE[0])),
        lambda m, f, a, t: f(a(np.zeros(4, "f4")), a(POSITIVE[0]), [5]),
        lambda m, f, a, t: f(a(np.zeros((2, 4), "f4")), a(POSITIVE)),
    ],
    "random.normal": [
        lambda m, f, a, t: f((2, 3)),
        lambda m, f, a, t: f(shape=(), dtype=t("bfloat16"), loc=1.0, scale=2.0),
        lambda m, f, a, t: f((2, 3), loc=a(X), scale=a(X)),
    ],
    "random.permutation": [
        lambda m, f, a, t: f(a(X)),
        lambda m, f, a, t: f(a(X), axis=1, key=m.random.key(3)),
    ],
    "random.randint": [
        lambda m, f, a, t: f(0, 9, (2, 3)),
        lambda m, f, a, t: f(low=a(np.array([0, 1])), high=9, shape=[3, 2], dtype=t("uint8")),
    ],
    "random.truncated_normal": [
        lambda m, f, a, t: f(-1, 1, (2, 3)),
        lambda m, f, a, t: f(a(-X), a(X)),
    ],
    "random.uniform": [
        lambda m, f, a, t: f(),
        lambda m, f, a, t: f(1, 2, (3,), t("float16")),
        lambda m, f, a, t: f(low=a(X), high=a(X + 1), shape=(2, 3)),
    ],
}
OTHERWISE = {
    "random.key": "one number, of which MLX has two",
    "random.split": "as random.key: of another shape",
    "random.seed": "gives nothing",
}
MODULES = ("linalg", "fft", "fast", "random")
# docs/mlx.md: the standard has a function of that name with others, or joggle has them not.
OTHER_PARAMETERS = {
    "linalg.svd": {"compute_uv"},
}


def ordered(module, values):
    return module.sort(module.real(values))


def shared():
    return [
        f"{module}.{name}"
        for module in MODULES
        for name in dir(getattr(mx, module))
        if not name.startswith("_")
        and callable(getattr(getattr(mx, module), name))
        and hasattr(getattr(jg, module), name)
    ]


def function_of(namespace, name):
    module, name = name.split(".")
    return getattr(getattr(namespace, module), name)


def both(call, name):
    return [call(m, function_of(m, name), make(m), dtype(m)) for m in (jg, mx)]


@pytest.mark.parametrize("name", shared())
def test_every_function_of_a_module_is_compared_or_said_not_to_be(name):
    assert (name in CALLS) + (name in DRAWS) + (name in OTHERWISE) == 1


@pytest.mark.parametrize("name", CALLS)
def test_calls_give_what_they_give_in_mlx(name):
    for call in CALLS[name]:
        ours, theirs = both(call, name)
        assert_alike(ours, theirs, name)


@pytest.mark.parametrize("name", DRAWS)
def test_draws_have_the_dtype_and_shape_that_they_have_in_mlx(name):
    for call in DRAWS[name]:
        ours, theirs = both(call, name)
        assert tuple(ours.shape) == tuple(theirs.shape)
        if np.asarray(ours).dtype.kind not in "iu":
            assert str(ours.dtype).split(".")[-1] == str(theirs.dtype).split(".")[-1]


@pytest.mark.parametrize("name", shared())
def test_parameters_that_mlx_names_are_taken_by_those_names(name):
    """In a call that lacks the others: only an unknown name is told of by name."""
    for parameter, kind, _ in parameters(function_of(mx, name)):
        if kind not in ("either", "keyword") or parameter in OTHER_PARAMETERS.get(name, ()):
            continue
        try:
            function_of(jg, name)(**{parameter: object()})
        except Exception as error:
            assert "unexpected keyword" not in str(error), parameter


METHODS = {
    "argmax": [lambda x: x.argmax(), lambda x: x.argmax(1, True), lambda x: x.argmax(axis=0)],
    "astype": [],  # takes a dtype of the module: below
    "conj": [lambda x: x.conj()],
    "diag": [lambda x: x.diag(), lambda x: x.diag(k=1)],
    "diagonal": [lambda x: x.diagonal(), lambda x: x.diagonal(offset=1, axis1=1, axis2=0)],
    "flatten": [lambda x: x.flatten(), lambda x: x.flatten(start_axis=0, end_axis=-1)],
    "item": [lambda x: x[0, 0].item()],
    "moveaxis": [lambda x: x.moveaxis(0, 1)],
    "reshape": [lambda x: x.reshape(3, 2), lambda x: x.reshape((-1,)), lambda x: x.reshape([6])],
    "round": [lambda x: x.round(), lambda x: x.round(decimals=1)],
    "split": [lambda x: x.split(3, 1), lambda x: x.split([1], axis=1)],
    "squeeze": [lambda x: x[:1].squeeze(), lambda x: x[:1].squeeze(axis=0)],
    "swapaxes": [lambda x: x.swapaxes(0, 1)],
    "tolist": [lambda x: x.tolist()],
    "transpose": [
        lambda x: x.transpose(),
        lambda x: x.transpose(1, 0),
        lambda x: x.transpose((1, 0)),
        lambda x: x.transpose([1, 0]),
    ],
    "view": [],
}
METHODS["argmin"] = [lambda x: x.argmin(), lambda x: x.argmin(1, True)]
for _name in ("sum", "prod", "max", "min", "mean", "all", "any", "logsumexp", "var", "std"):
    METHODS[_name] = [
        lambda x, f=_name: getattr(x, f)(),
        lambda x, f=_name: getattr(x, f)(1, True),
        lambda x, f=_name: getattr(x, f)(axis=(0, 1), keepdims=True),
        lambda x, f=_name: getattr(x, f)([0]),
    ]
for _name in ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"):
    METHODS[_name] = [
        lambda x, f=_name: getattr(x, f)(),
        lambda x, f=_name: getattr(x, f)(1),
        lambda x, f=_name: getattr(x, f)(axis=0, reverse=True, inclusive=False),
    ]
ATTRIBUTES = {"T", "at", "dtype", "imag", "itemsize", "mT", "nbytes", "ndim", "real"}
ATTRIBUTES |= {"shape", "size"}
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_"]
OPERATORS += ["xor", "lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge"]
IN_PLACE = [f"i{name.rstrip('_')}" for name in OPERATORS[:13]]


def methods():
    return [n for n in dir(mx.array) if not n.startswith("_") and n not in ATTRIBUTES]


@pytest.mark.parametrize("name", methods())
def test_methods_give_what_they_give_in_mlx(name):
    for call in METHODS.get(name, [lambda x: getattr(x, name)()]):
        ours, theirs = call(jg.array(X)), call(mx.array(X))
        if name in ("item", "tolist"):
            assert ours == theirs
        else:
            assert_alike(ours, theirs, name)


def test_methods_that_take_a_dtype_give_what_they_give_in_mlx():
    for name in ("int32", "float16", "bool_", "complex64"):
        casts = (m.array(X * 3).astype(getattr(m, name)) for m in (jg, mx))
        assert_alike(*casts, "astype")
    for name in ("int32", "uint8", "float16"):
        assert_alike(*(m.array(X).view(getattr(m, name)) for m in (jg, mx)), "view")


@pytest.mark.parametrize("name", ["T", "mT", "real", "imag", "itemsize", "nbytes", "ndim", "size"])
def test_attributes_are_what_they_are_in_mlx(name):
    values = SAMPLES["complex"][0] if name in ("real", "imag") else X
    ours, theirs = (getattr(m.array(values), name) for m in (jg, mx))
    if isinstance(ours, int):
        assert ours == theirs
    else:
        assert_alike(ours, theirs, name)


def outcome(function, *operands):
    try:
        result = function(*operands)
        mx.eval([result] if isinstance(result, mx.array) else [])
    except (TypeError, ValueError):
        return None
    return result


@pytest.mark.parametrize("sample", ["floats", "integers"])
@pytest.mark.parametrize("name", OPERATORS + IN_PLACE)
def test_operators_give_what_they_give_in_mlx(name, sample):
    """Numbers stand on either side; zeros are no divisors, which docs/mlx.md has a line for."""
    function = getattr(operator, name)
    a, b = SAMPLES[sample]
    a, b = (a + 1, a.T @ b) if "matmul" in name else (a + 1, b)
    for pair in [(a, b), (a, 2), (2, a)]:
        ours, theirs = (
            outcome(function, *(x if isinstance(x, int) else m.array(x) for x in pair))
            for m in (jg, mx)
        )
        if theirs is not None:
            assert_alike(ours, theirs, name)


PLACES = ("add", "subtract", "multiply", "divide", "maximum", "minimum")


@pytest.mark.parametrize("name", PLACES)
def test_places_give_what_they_give_in_mlx(name):
    at = np.array([0, 1, 0])
    assert {n for n in dir(mx.array(X).at[0]) if not n.startswith("_")} == set(PLACES)
    results = [getattr(m.array(X).at[m.array(at)], name)(m.array([[2.0]])) for m in (jg, mx)]
    assert_alike(*results, name)
