# SPDX-License-Identifier: Apache-2.0
"""Numbers and other tensors beside tensors of float16 and bfloat16 have the digits that eager torch
reads them with: those of the half for most operators."""

import pytest

import joggle.torch

torch = pytest.importorskip("torch")
from lowered import lowered  # noqa: E402

from joggle._torch.aten import TABLE  # noqa: E402

F = torch.nn.functional
HALVES = [torch.float16, torch.bfloat16]
NUMBERS = [0.1, -0.1, 0.3, 1.7, -1.7, 1 / 3, -0.7, 1e-3, 257.5, 0.5, -0.5, 0.0]
NUMBERS += [3, 2049, -3, 2, -2, 1, -1, True, float("inf")]
_COUNT = 32 * 96  # torch's loops end with other instructions, which round once more for alpha

# What is done with x and a number, or a tensor without axes.
EXACT = {
    "add": lambda x, s: x + s,
    "add to a number": lambda x, s: s + x,
    "add with a weight": lambda x, s: torch.add(x, s, alpha=0.3),
    "clamp": lambda x, s: x.clamp(s),
    "clamp to": lambda x, s: x.clamp_max(s),
    "div": lambda x, s: x / s,
    "div of a number": lambda x, s: s / x,
    "div trunc": lambda x, s: torch.div(x, s, rounding_mode="trunc"),
    "div floor": lambda x, s: x // s,
    "div floor of a number": lambda x, s: s // x,
    "eq": lambda x, s: x == s,
    "fmod": lambda x, s: torch.fmod(x, s),
    "ge": lambda x, s: x >= s,
    "gt": lambda x, s: x > s,
    "le": lambda x, s: x <= s,
    "lt": lambda x, s: x < s,
    "masked": lambda x, s: x.masked_fill(x == s, 9),
    "mul": lambda x, s: x * s,
    "mul of a number": lambda x, s: s * x,
    "ne": lambda x, s: x != s,
    "remainder": lambda x, s: x % s,
    "remainder of a number": lambda x, s: s % x,
    "sub": lambda x, s: x - s,
    "sub from a number": lambda x, s: s - x,
    "sub with a weight": lambda x, s: torch.sub(x, s, alpha=0.3),
    "where": lambda x, s: torch.where(x > s, x, s),
}
# Torch takes numbers alone here.
OF_NUMBERS = {
    "add.Tensor": lambda x, s: torch.add(x, x.flip(0), alpha=s),
    "constant_pad_nd": lambda x, s: F.pad(x, (1, 1), value=s),
    "fill.Scalar": lambda x, s: torch.fill(x, s),
    "full": lambda x, s: torch.full((3,), s, dtype=x.dtype),
    "full_like": lambda x, s: torch.full_like(x, s),
    "hardshrink": lambda x, s: F.hardshrink(x, s),
    "hardtanh": lambda x, s: F.hardtanh(x, min(-s, s), max(-s, s)),
    "leaky_relu": lambda x, s: F.leaky_relu(x, s),
    "relu6": lambda x, s: F.relu6(x * s),
    "scalar_tensor": lambda x, s: torch.scalar_tensor(s, dtype=x.dtype),
    "scatter.value": lambda x, s: x.scatter(0, torch.arange(3), s),
    "sub.Tensor": lambda x, s: torch.sub(x, x.flip(0), alpha=s),
    "threshold": lambda x, s: F.threshold(x, s, s),
}
# Few elements differ, in the last digit.
CLOSE = {
    "elu": lambda x, s: F.elu(x, s),
    "lerp": lambda x, s: torch.lerp(x, x.flip(0), float(s)),
    "pow": lambda x, s: x**s,
    "pow of large ones": lambda x, s: (x.abs() * 100) ** s,
    "pow of a number": lambda x, s: s**x,
}
# Of integers, sums whose order differs, and multiples that torch computes a few at a time.
_OTHERS = {
    *("bitwise_and.Scalar", "bitwise_or.Scalar", "bitwise_xor.Scalar", "arange.start_step"),
    *("linalg_vector_norm", "var.correction", "var_mean.correction", "addmm"),
}


def _values(dtype):
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(_COUNT, generator=generator) * 2
    x[: len(NUMBERS)] = torch.tensor(NUMBERS)
    x[len(NUMBERS) : len(NUMBERS) + 4] = torch.tensor([-0.0, float("nan"), -float("inf"), 65504])
    return x.to(dtype)


def _outcome(function, args):
    try:
        return function(*args)
    except (RuntimeError, TypeError, ValueError) as error:
        return type(error)


def _differing(found, wanted):
    """The share of elements that differ."""
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    differs = (found != wanted) & ~(found.isnan() & wanted.isnan())
    if found.dtype.is_floating_point:
        differs |= (found.signbit() != wanted.signbit()) & ~found.isnan()
    return differs.float().mean().item()


def _found(function, x, given):
    """Joggle's results, traced once: of all numbers at once, and of tensors of one kind in turn."""
    if not isinstance(given[0], torch.Tensor):
        _, found, graph = lowered(lambda x: [function(x, s) for s in given], (x,), {})
        return graph, found
    _, _, graph = lowered(function, (x, given[0]), {})
    return graph, [graph([x, s])[0] for s in given]


def _kind(s):
    return (s.dtype, s.shape) if isinstance(s, torch.Tensor) else None


def _check(function, x, given, most=0.0):
    groups = {}
    for s in given:
        wanted = _outcome(function, (x, s))
        if isinstance(wanted, torch.Tensor):
            groups.setdefault(_kind(s), []).append((s, wanted))
    for group in groups.values():
        graph, results = _found(function, x, [s for s, _ in group])
        assert not graph.refused
        for (s, wanted), found in zip(group, results, strict=True):
            assert _differing(found, wanted) <= most, s
            if most:
                finite = wanted.isfinite()
                torch.testing.assert_close(found[finite], wanted[finite])


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", EXACT | OF_NUMBERS)
def test_numbers_have_the_digits_of_eager_torch(name, dtype):
    _check((EXACT | OF_NUMBERS)[name], _values(dtype), NUMBERS)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", EXACT)
def test_tensors_without_axes_have_the_digits_of_eager_torch(name, dtype):
    kinds = (torch.float32, torch.float64, dtype)
    given = [torch.tensor(s, dtype=kind) for s in NUMBERS if s for kind in kinds]
    _check(EXACT[name], _values(dtype), [*given, torch.tensor(2049)])


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", EXACT)
def test_integers_have_the_digits_of_eager_torch(name, dtype):
    x = _values(dtype)
    ints = torch.arange(1, 70000, 70000 // _COUNT)[:_COUNT]
    _check(EXACT[name], x, [ints, ints[-1:], x[3:4]])


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", CLOSE)
def test_numbers_have_nearly_the_digits_of_eager_torch(name, dtype):
    finite = [s for s in NUMBERS if s not in (True, float("inf"))]
    _check(CLOSE[name], _values(dtype), finite, 0.01)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_softshrink_is_that_of_eager_torch(dtype):
    for bound in (0.1, 0.3, 1.7, 0.0):
        x = _values(dtype)
        # torch's zeros have either sign.
        _check(lambda x, s: F.softshrink(x, s) + 0, x, [bound])
        torch._dynamo.reset()
        grads = []
        for run in (F.softshrink, joggle.torch.compile(F.softshrink)):
            leaf = x.clone().requires_grad_()
            found = run(leaf, bound)
            found.sum().backward()
            grads.append((found, leaf.grad))
        torch.testing.assert_close(*grads, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("exponent", [-2, -1, -0.5, 0.5, 1, 2, 3])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_powers_that_are_products_are_those_of_eager_torch(dtype, exponent):
    _check(lambda x, s: x**s, _values(dtype), [exponent])


def test_all_operators_with_numbers_are_compared():
    numbers = set()
    for name in TABLE:
        packet, _, overload = name.partition(".")
        op = getattr(getattr(torch.ops.aten, packet), overload or "default")
        if any("number" in str(x.type) for x in op._schema.arguments):
            numbers.add(name)
    compared = {name.partition(".")[0].partition(" ")[0] for name in EXACT | OF_NUMBERS | CLOSE}
    assert {name for name in numbers - _OTHERS if name.partition(".")[0] not in compared} == set()


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_compiled_programs_read_numbers_as_eager_torch_does(dtype):
    def program(x):
        y = x.masked_fill(x == 0.3, 9) - 0.1
        by = torch.tensor(1.7)
        return (
            x == 0.1,
            x <= 0.1,
            y % 0.1,
            y % by,
            x == torch.tensor(0.1),
            (x * 1000) ** 1.7,
            0.3**x,
        )

    torch._dynamo.reset()
    x = _values(dtype)
    for found, wanted in zip(joggle.torch.compile(program)(x), program(x), strict=True):
        torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("mode", ["trunc", "floor"])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_rounded_quotients_of_halves_are_those_of_eager_torch(dtype, mode):
    generator = torch.Generator().manual_seed(8)
    a, b = (torch.randn(20000, generator=generator) * scale for scale in (20, 2))
    inf = float("inf")
    special = torch.tensor([0.0, -0.0, 1.5, -1.5, inf, -inf, float("nan"), 60000.0])
    a[:64], b[:64] = special.repeat(8), special.repeat_interleave(8)
    a, b = a.to(dtype), b.to(dtype)

    def divide(x, y):
        return torch.div(x, y, rounding_mode=mode)

    _check(divide, a, [b])
    _check(divide, a[:256, None], [b[:64]])
    _check(divide, a[7], [b])
