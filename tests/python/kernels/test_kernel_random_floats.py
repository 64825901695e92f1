# SPDX-License-Identifier: Apache-2.0
"""Random expressions of floats, with every function and every method of float vectors and matrices.

Python computes each in float64 along with a bound of how far a kernel may be off: what rounding of
each operation adds, and what it makes of the errors of its operands.
"""

import importlib.util
import math
import random

import numpy as np
import pytest

import joggle.fields as qd

COUNT = 60  # expressions in a kernel
EPS = {"f32": 2.0**-21, "f64": 2.0**-50}


class Loose:
    """The source of an expression, its value and how far off it may be."""

    def __init__(self, text, value, error):
        self.text, self.value, self.error = text, value, error


def tensor(draw, kind, shape):
    """The source of a vector or matrix with items below 4, and its items."""
    items = [draw.randrange(-32, 33) / 8 for _ in range(math.prod(shape))]
    texts = [f"(qd.{kind}({x}) + zero)" for x in items]
    if len(shape) == 2:
        texts = [
            "[" + ", ".join(texts[i : i + shape[1]]) + "]" for i in range(0, len(texts), shape[1])
        ]
    maker = "Vector" if len(shape) == 1 else "Matrix"
    return f"qd.{maker}([{', '.join(texts)}])", np.array(items).reshape(shape)


def leaf(draw, kind):
    x = draw.randrange(-64, 65) / 16
    return Loose(f"(qd.{kind}({x}) + zero)", x, 0.0)


def unary(draw, kind, a):
    """A function whose slope is at most 4 where it is used."""
    _, text, f = draw.choice(
        [
            ("sin", "qd.sin({})", math.sin),
            ("cos", "qd.cos({})", math.cos),
            ("tanh", "qd.tanh({})", math.tanh),
            ("atan", "qd.atan({})", math.atan),
            ("erf", "qd.erf({})", math.erf),
            ("asinh", "qd.asinh({})", math.asinh),
            ("sqrt", "qd.sqrt(abs({}) + 1.0)", lambda x: math.sqrt(abs(x) + 1)),
            ("rsqrt", "qd.rsqrt(abs({}) + 1.0)", lambda x: 1 / math.sqrt(abs(x) + 1)),
            ("log", "qd.log(abs({}) + 1.0)", lambda x: math.log(abs(x) + 1)),
            ("log2", "qd.log2(abs({}) + 1.0)", lambda x: math.log2(abs(x) + 1)),
            ("log10", "qd.log10(abs({}) + 1.0)", lambda x: math.log10(abs(x) + 1)),
            ("log1p", "qd.log1p(abs({}))", lambda x: math.log1p(abs(x))),
            ("exp", "qd.exp(-abs({}))", lambda x: math.exp(-abs(x))),
            ("exp2", "qd.exp2(-abs({}))", lambda x: math.exp2(-abs(x))),
            ("expm1", "qd.expm1(-abs({}))", lambda x: math.expm1(-abs(x))),
            ("power", "(abs({}) + 1.0) ** -0.5", lambda x: (abs(x) + 1) ** -0.5),
            ("abs", "abs(-{})", abs),
            ("square", "qd.sin({}) ** 2", lambda x: math.sin(x) ** 2),
            ("acos", "qd.acos(qd.sin({}) * 0.5)", lambda x: math.acos(math.sin(x) * 0.5)),
            ("asin", "qd.asin(qd.sin({}) * 0.5)", lambda x: math.asin(math.sin(x) * 0.5)),
            ("fract", "qd.math.smoothstep(-9.0, 9.0, qd.sin({}))", _smooth),
            ("radians", "qd.math.radians({})", math.radians),
            ("mix", "qd.math.mix({}, 1.0, 0.25)", lambda x: 0.75 * x + 0.25),
            ("clamp", "qd.math.clamp({}, -1.0, 1.0)", lambda x: min(max(x, -1), 1)),
        ]
    )
    value = f(a.value)
    # Where an argument is large, its own rounding is part of the error.
    error = 4 * (a.error + EPS[kind] * abs(a.value)) + EPS[kind] * (abs(value) + 1)
    return Loose(text.format(a.text), value, error)


def _smooth(x):
    t = (math.sin(x) + 9) / 18
    return t * t * (3 - 2 * t)


def binary(draw, kind, a, b):
    eps = EPS[kind]
    form = draw.randrange(8)
    if form == 0:
        value, error = a.value + b.value, a.error + b.error
        text = f"({a.text} + {b.text})"
    elif form == 1:
        value, error = a.value - b.value, a.error + b.error
        text = f"({a.text} - {b.text})"
    elif form == 2:
        value = a.value * b.value
        error = abs(a.value) * b.error + abs(b.value) * a.error + a.error * b.error
        text = f"({a.text} * {b.text})"
    elif form == 3:
        value = a.value / (1 + abs(b.value))
        error = a.error + abs(a.value) * b.error + eps * abs(a.value)
        text = f"({a.text} / (1.0 + abs({b.text})))"
    elif form in (4, 5):
        pick = max if form == 4 else min
        value, error = pick(a.value, b.value), max(a.error, b.error)
        text = f"{'max' if form == 4 else 'qd.min'}({a.text}, {b.text})"
    elif form == 6:
        value = math.atan2(abs(a.value) + 1, b.value)
        error = a.error + b.error
        text = f"qd.atan2(abs({a.text}) + 1.0, {b.text})"
    else:
        value, error = math.hypot(a.value, b.value, 1), a.error + b.error
        text = f"qd.Vector([{a.text}, {b.text}, 1.0]).norm()"
    size = abs(value) + abs(a.value) + abs(b.value) + 1
    return Loose(text, value, error + 2 * eps * size)


# Decompositions put together again.
FUNCTIONS = """
@qd.func
def svd_back(a):
    u, s, v = qd.svd(a)
    return u @ s @ v.transpose()

@qd.func
def polar_back(a):
    r, s = qd.polar_decompose(a)
    return r @ s

@qd.func
def sym_back(a):
    w, v = qd.sym_eig(a)
    for i in qd.static(range(a.n)):
        for k in qd.static(range(a.n)):
            a[k, i] = v[k, i] * w[i]
    return a @ v.transpose()

@qd.func
def eig_rest(a):
    w, v = qd.eig(a)
    rest = a * 0
    for i in qd.static(range(2)):
        x, y = qd.Vector([v[0, i], v[2, i]]), qd.Vector([v[1, i], v[3, i]])
        real = a @ x - x * w[i, 0] + y * w[i, 1]
        imaginary = a @ y - x * w[i, 1] - y * w[i, 0]
        rest[i, 0], rest[i, 1] = real.norm(), imaginary.norm()
    return rest

@qd.func
def gram(a):
    return a.transpose() @ a
"""
LOOSEST = 64  # roundings that a decomposition may be off by, of the size of its matrix


def decomposed(draw, kind):
    """A number of a decomposition of a matrix."""
    cases, a = decompositions(draw, kind)
    text = draw.choice(list(cases))
    size = 1 + np.abs(a).sum()
    size = size ** len(a) if "polar" in text and "determinant" in text else size
    return Loose(text, float(cases[text]), LOOSEST * EPS[kind] * size)


def decompositions(draw, kind):
    """Sources, with what NumPy makes of the matrix in float64, and the matrix."""
    n = draw.randrange(2, 4)
    m, a = tensor(draw, kind, (n, n))
    k, j = draw.randrange(n), draw.randrange(n)
    symmetric = a + a.T
    both = f"({m} + {m}.transpose())"
    values, vectors = np.linalg.eigh(symmetric)
    singular = np.linalg.svd(a)[1]
    cases = {
        f"svd_back({m})[{k}, {j}]": a[k, j],
        f"abs(qd.svd({m})[1][{k}, {k}])": singular[k],
        f"gram(qd.svd({m})[0])[{k}, {j}]": float(k == j),
        f"gram(qd.svd({m})[2])[{k}, {j}]": float(k == j),
        f"qd.svd({m})[2].determinant()": 1.0,
        f"polar_back({m})[{k}, {j}]": a[k, j],
        f"gram(qd.polar_decompose({m})[0])[{k}, {j}]": float(k == j),
        f"abs(qd.polar_decompose({m})[1].determinant())": abs(np.linalg.det(a)),
        f"qd.sym_eig({both})[0][{k}]": values[k],
        f"sym_back({both})[{k}, {j}]": symmetric[k, j],
        f"gram(qd.sym_eig({both})[1])[{k}, {j}]": float(k == j),
        f"qd.make_spd({both})[{k}, {j}]": (vectors * np.maximum(values, 0) @ vectors.T)[k, j],
    }
    if n == 2:
        roots = sorted(np.linalg.eigvals(a), key=lambda z: (-z.real, -z.imag))
        cases[f"qd.eig({m})[0][{k}, {j}]"] = _part(complex(roots[k]), j)
        cases[f"eig_rest({m})[{k}, {j}]"] = 0.0
    return cases, a


def of_tensors(draw, kind):
    """A number by a method of a vector or matrix."""
    if draw.randrange(5) == 0:
        return decomposed(draw, kind)
    cases, size = methods(draw, kind)
    text = draw.choice(list(cases))
    return Loose(text, float(cases[text]), 8 * EPS[kind] * size(text))


def methods(draw, kind):
    """Sources of numbers and what NumPy makes them; how large what is summed for one can be."""
    n = draw.randrange(2, 5)
    v, x = tensor(draw, kind, (n,))
    w, y = tensor(draw, kind, (n,))
    m, a = tensor(draw, kind, (n, n))
    k, j = draw.randrange(n), draw.randrange(n)
    steep = a + 20 * np.eye(n)
    steep_text = f"({m} + qd.Matrix.identity(qd.{kind}, {n}) * 20.0)"
    cases = {
        f"{v}.norm()": np.linalg.norm(x),
        f"{v}.norm(0.5)": math.sqrt(x @ x + 0.5),
        f"{v}.norm_sqr()": x @ x,
        f"{v}.norm_inv(0.5)": 1 / math.sqrt(x @ x + 0.5),
        f"{v}.normalized(eps=1.0)[{k}]": x[k] / (np.linalg.norm(x) + 1),
        f"{v}.dot({w})": x @ y,
        f"qd.math.dot({v}, {w})": x @ y,
        f"({v} @ {w})": x @ y,
        f"{v}.outer_product({w})[{k}, {j}]": x[k] * y[j],
        f"{m}.norm()": np.linalg.norm(a),
        f"{m}.norm_sqr()": (a * a).sum(),
        f"{m}.norm_inv(0.5)": 1 / math.sqrt((a * a).sum() + 0.5),
        f"{m}.normalized(1.0)[{k}, {j}]": a[k, j] / (np.linalg.norm(a) + 1),
        f"{m}.sum()": a.sum(),
        f"{m}.max()": a.max(),
        f"{m}.min()": a.min(),
        f"({m}[{k}, {j}] + {m}.any()) * {m}.all()": (a[k, j] + a.any()) * a.all(),
        f"({m} @ {m})[{k}, {j}]": (a @ a)[k, j],
        f"{m}.cast(qd.i32).cast(qd.{kind}).norm()": np.linalg.norm(np.trunc(a)),
        f"(qd.Matrix.rotation2d({v}[{k}]) @ {v}.xy)[{k % 2}]": (_turn(x[k]) @ x[:2])[k % 2],
        f"qd.Matrix.rotation2d({v}[{k}])[{k % 2}, {j % 2}]": _turn(x[k])[k % 2, j % 2],
        f"{v}.sum()": x.sum(),
        f"{v}.max()": x.max(),
        f"{v}.min()": x.min(),
        f"({m} @ {v})[{k}]": (a @ x)[k],
        f"({v} @ {m})[{k}]": (x @ a)[k],
        f"{m}.transpose()[{k}, {j}]": a[j, k],
        f"{m}.trace()": np.trace(a),
        f"{m}.determinant()": np.linalg.det(a),
        f"{steep_text}.inverse()[{k}, {j}]": np.linalg.inv(steep)[k, j],
        f"qd.solve({steep_text}, {v})[{k}]": np.linalg.solve(steep, x)[k],
        f"{m}[{k}, :].sum()": a[k].sum(),
        f"{m}[:, {j}].max()": a[:, j].max(),
        f"{m}.frobenius_inner({m})": (a * a).sum(),
        f"{v}.cast(qd.i32)[{k}] * qd.{kind}(1.0)": float(int(x[k])),
        f"qd.floor({v})[{k}]": math.floor(x[k]),
        f"qd.ceil({v})[{k}]": math.ceil(x[k]),
        f"qd.round({v})[{k}]": math.copysign(math.floor(abs(x[k]) + 0.5), x[k]),
        f"({v} * 2.0 + {w})[{k}]": x[k] * 2 + y[k],
        f"qd.max({v}, {w})[{k}]": max(x[k], y[k]),
        f"qd.math.length({v} - {w})": np.linalg.norm(x - y),
        f"qd.math.distance({v}, {w})": np.linalg.norm(x - y),
        f"qd.math.reflect({v}, {w})[{k}]": (x - 2 * (x @ y) * y)[k],
        f"qd.math.mod({v}, 3.0)[{k}]": x[k] - 3 * math.floor(x[k] / 3),
    }
    if n == 3:
        cases[f"{v}.cross({w})[{k}]"] = np.cross(x, y)[k]
    if n == 2:
        cases[f"{v}.cross({w})"] = x[0] * y[1] - x[1] * y[0]
        cases[f"qd.math.cmul({v}, {w})[{k}]"] = _part(complex(*x) * complex(*y), k)

    def size(text):
        found = 1 + np.abs(x).sum() * (1 + np.abs(y).sum()) + np.abs(a).sum()
        found = found + np.abs(a).sum(0).prod() if "determinant" in text else found
        squared = ("reflect", "frobenius", f"{m}.norm_sqr", f"({m} @ {m})")
        return found * 40 if any(part in text for part in squared) else found

    return cases, size


def _turn(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def _part(z, k):
    return (z.real, z.imag)[k]


def expression(draw, kind, depth):
    if depth == 0:
        return leaf(draw, kind)
    form = draw.randrange(4)
    if form == 0:
        return of_tensors(draw, kind)
    a = expression(draw, kind, depth - 1)
    if form == 1:
        return unary(draw, kind, a)
    found = binary(draw, kind, a, expression(draw, kind, depth - 1))
    return found if abs(found.value) < 1000 else a


def check(seed, folder):
    draw = random.Random(seed)
    kinds = [draw.choice(["f32", "f64"]) for _ in range(COUNT)]
    found = [expression(draw, kind, 3) for kind in kinds]
    lines = ["import joggle.fields as qd", FUNCTIONS, "@qd.kernel"]
    lines += ["def run(out: qd.types.ndarray(qd.f64, 1), zero: qd.f32):"]
    lines += [f"    out[{k}] = {e.text}" for k, e in enumerate(found)]
    path = folder / f"random_floats_{seed}.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = np.zeros(COUNT)
    module.run(out, 0)
    wrong = [
        (seed, e.text, kind, "got", got, "expected", e.value, "error", e.error)
        for e, kind, got in zip(found, kinds, out.tolist(), strict=True)
        if not abs(got - e.value) <= e.error
    ]
    assert wrong == [], wrong


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_random_floats_are_as_near_as_rounding_allows(compiler, tmp_path, seed, fast):
    qd.init(fast_math=fast)
    check(seed, tmp_path)


@pytest.mark.timeout(36000)
def test_many_random_floats_are_as_near_as_rounding_allows(compiler, tmp_path, request):
    count = 1500 if request.config.getoption("--long", False) else 1
    for seed in range(1000, 1000 + count):
        qd.init(fast_math=bool(seed % 2))
        check(seed, tmp_path)
