# SPDX-License-Identifier: Apache-2.0
"""Random kernels give what the same function gives when Python runs it.

Programs are drawn as source: variables of 64-bit integers and floats, expressions, branches, loops
with break and continue, elements of arrays, and a function that is written in. Integers are kept
small enough never to wrap, and only integers decide branches, so both sides do the same steps;
floats may differ by what contraction and another order of rounding do.
"""

import importlib.util
import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import joggle.fields as qd

INTS, FLOATS = ("i", "j", "k"), ("x", "y")
_numbers = itertools.count()


@st.composite
def whole(draw, depth=2):
    """An expression of integers below about 1e12."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*INTS, "n", "a[0]", "a[1]", "3", "-7", "11"]))
    form = draw(
        st.sampled_from(
            [
                "({} + {})",
                "({} - {})",
                "({} * {}) % 1009",
                "({} // 7 - {})",
                "({} % 13 + {})",
                "({} & 255 | {} % 16)",
                "({} ^ {})",
                "max({}, {})",
                "min({}, {} + 1)",
                "abs({} - {})",
                "({} if {} > 2 else 5)",
                "(-{} + ~{})",
                "({} << 2) + ({} >> 1)",
            ]
        )
    )
    return form.format(draw(whole(depth - 1)), draw(whole(depth - 1)))


@st.composite
def real(draw, depth=2):
    """An expression of floats of moderate size."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*FLOATS, "b[0]", "b[1]", "0.5", "2.0"]))
    form = draw(
        st.sampled_from(
            [
                "({} + {})",
                "({} - {})",
                "({} * 0.5 * {} / 4.0)",
                "({} / (1.0 + abs({})))",
                "max({}, {})",
                "({} if n > 3 else {})",
                "half({}) + {}",
                "sqrt(abs({})) - {}",
                "sin({}) * {}",
            ]
        )
    )
    return form.format(draw(real(depth - 1)), draw(real(depth - 1)))


@st.composite
def condition(draw):
    operator = draw(st.sampled_from(["<", "<=", "==", "!=", ">", ">="]))
    one = f"{draw(whole(1))} {operator} {draw(whole(1))}"
    if draw(st.booleans()):
        return one
    return f"{one} {draw(st.sampled_from(['and', 'or']))} not {draw(whole(1))} > 4"


@st.composite
def statement(draw, depth, in_loop):
    """Lines of one statement, without indentation."""
    kinds = ["whole", "real", "element", "update"] + (["if", "for", "while"] if depth else [])
    kind = draw(st.sampled_from(kinds + (["leave"] if in_loop else [])))
    if kind == "whole":
        return [f"{draw(st.sampled_from(INTS))} = ({draw(whole())}) % 10007 - 5000"]
    if kind == "real":
        return [f"{draw(st.sampled_from(FLOATS))} = sin({draw(real())}) * 8.0"]
    if kind == "element":
        return [f"b[{draw(st.sampled_from(INTS))} % 4] = {draw(real())}"]
    if kind == "update":
        return [f"a[({draw(whole(1))}) % 4] += ({draw(whole(1))}) % 100"]
    if kind == "leave":
        return [f"if {draw(condition())}:", f"    {draw(st.sampled_from(['break', 'continue']))}"]
    inside = [f"    {line}" for line in draw(block(depth - 1, in_loop or kind != "if"))]
    if kind == "if":
        other = [f"    {line}" for line in draw(block(depth - 1, in_loop))]
        return [f"if {draw(condition())}:", *inside, "else:", *other]
    if kind == "for":
        name = draw(st.sampled_from(INTS))
        bounds = draw(st.sampled_from(["n % 5", "2, 6", "7, 1, -2"]))
        return [f"for {name} in range({bounds}):", *inside]
    turns = f"turns{next(_numbers)}"
    return [f"{turns} = 0", f"while {turns} < n % 4:", f"    {turns} += 1", *inside]


@st.composite
def block(draw, depth, in_loop=False):
    count = draw(st.integers(1, 3))
    return [line for _ in range(count) for line in draw(statement(depth, in_loop))]


HEAD = """
def half(x):
    y = x * 0.5
    return y

def program(n: int, a: {array_i}, b: {array_f}) -> float:
    i = n
    j = 2
    k = -3
    x = 0.25
    y = 1.5
    for once in range(1):
        i += once
{body}
    return i + 2.0 * j + 3.0 * k + x + y
"""


def load(body, path):
    """The program as a function of Python and as a kernel."""
    lines = "\n".join(f"        {line}" for line in body)
    path.write_text(HEAD.format(body=lines, array_i="object", array_f="object"))
    spec = importlib.util.spec_from_file_location(f"random_program_{next(_numbers)}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    plain, half = module.program, module.half
    kernel = qd.kernel(plain)
    array_i, array_f = qd.types.ndarray(qd.i64, 1), qd.types.ndarray(qd.f64, 1)
    plain.__annotations__.update(n=qd.i64, a=array_i, b=array_f, **{"return": qd.f64})
    return plain, kernel, half, module


def run_plain(module, plain, half, n, a, b, sine=np.sin):
    """What Python computes, with floats of 64 bits and integers that do not end."""
    module.half, module.sin, module.sqrt = half, sine, np.sqrt
    a, b = [int(v) for v in a], [float(v) for v in b]
    with np.errstate(all="ignore"):
        return float(plain(n, a, b)), a, b


def rounded_up(x):
    return np.nextafter(np.sin(x), np.inf)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(body=block(2), n=st.integers(-3, 9))
def test_a_random_program_gives_what_python_gives(tier, tmp_path_factory, body, n):
    qd.init(default_ip=qd.i64, default_fp=qd.f64, fast_math=False)
    path = tmp_path_factory.mktemp("programs") / "program.py"
    plain, kernel, half, module = load(body, path)
    a, b = np.array([3, -1, 40, 7]), np.array([0.5, -2.0, 3.25, 0.0])
    expected, expected_a, expected_b = run_plain(module, plain, half, n, a, b)
    # Chaotic programs, where the last bit of a sine decides, have no result to compare.
    again, _, again_b = run_plain(module, plain, half, n, a, b, rounded_up)
    near = {"rtol": 1e-10, "atol": 1e-10, "equal_nan": True}
    assume(np.allclose(again, expected, **near) and np.allclose(again_b, expected_b, **near))
    module.half, module.sin, module.sqrt = qd.func(half), qd.sin, qd.sqrt
    result = kernel(n, a, b)
    assert a.tolist() == expected_a
    np.testing.assert_allclose(b, expected_b, rtol=1e-9, atol=1e-9)
    assert result == pytest.approx(expected, rel=1e-9, abs=1e-9)
