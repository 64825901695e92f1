# SPDX-License-Identifier: Apache-2.0
"""Operators in a process where mlx is joggle.mlx have MLX's dtypes and shapes, in place too.

What the mlx wheel says in the same program is what is expected."""

import subprocess
import sys

import pytest

PROGRAM = """if True:
    import sys
    if sys.argv[1] == "joggle":
        import joggle.mlx
        joggle.mlx.install()
    import mlx.core as mx
    import numpy as np

    def told(x):
        return f"{str(x.dtype).rpartition('.')[2]} {tuple(x.shape)} {x.tolist()}"

    makers = [
        lambda: mx.array([1, 2, 3]), lambda: mx.array([1.0, 2.0, 3.0]),
        lambda: mx.array([True, False, True]), lambda: mx.array([4, 5, 6], dtype=mx.uint64),
        lambda: mx.array([1.0, 2.0, 3.0], dtype=mx.float16), lambda: mx.ones((2, 3)),
    ]
    others = makers + [lambda: 2, lambda: 2.0, lambda: True, lambda: np.float64(3.0)]
    for op in ("+", "*", "//", "**", "/", "-", "%", ">"):
        for i, make in enumerate(makers):
            for j, other in enumerate(others):
                for text in (f"x {op} y", f"x {op}= y"):
                    x, y = make(), other()
                    before, names = x, {"x": x, "y": y}
                    try:
                        if "=" in text and op != ">":
                            exec(text, names)
                            out = names["x"]
                        else:
                            out = eval(f"x {op} y", names)
                        same = out is before
                        line = f"{told(out)} {same}"
                    except (TypeError, ValueError):
                        line = "refused"
                    print(text, i, j, line)
    for name in "sum prod argmax argmin cumsum cumprod max min square abs mean".split():
        for i, make in enumerate(makers):
            print(name, i, told(getattr(make(), name)()))
    for value in (1.5, 7, True, 2 + 1j):
        for i, make in enumerate(makers):
            x = make()
            x[1] = value
            print("x[1] =", value, i, told(x))
    for shape in ((), (3,), (2, 3), (2, 3, 4)):
        print("T", mx.zeros(shape).T.shape)
    for i, make in enumerate([*makers, lambda: mx.array([1 + 2j, 3]), lambda: mx.array(True)]):
        for part in ("real", "imag"):
            print(part, i, told(getattr(make(), part)))
    print(sorted(name for name in dir(mx.zeros((1, 1))) if name[0] != "_" and
                 not callable(getattr(mx.array, name)) and name not in sys.argv[2:]))
"""

OWN = ("device", "status", "strides")  # attributes that MLX's arrays do not have

# docs/mlx.md has both: joggle refuses arithmetic of bools with bools (operands 2 and 8), and what
# is left of a division by 0 is 0.
DIFFER = {
    f"x {op}{way} y 2 {j}"
    for op in ("+", "*", "//", "**", "-", "%")
    for way in ("", "=")
    for j in (2, 8)
} | {f"x %{way} y {i} 2" for i in (0, 3) for way in ("", "=")}


def lines_of(which):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, which, *OWN], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_operators_are_mlx_in_a_process_of_mlx():
    pytest.importorskip("mlx.core")
    ours, theirs = lines_of("joggle"), lines_of("mlx")
    assert len(ours) == len(theirs)
    wrong = [
        (one, other)
        for one, other in zip(ours, theirs, strict=True)
        if one != other and " ".join(one.split()[:5]) not in DIFFER
    ]
    assert not wrong, "\n".join(f"{one}    MLX: {other}" for one, other in wrong[:40])


def test_operators_of_joggle_keep_the_standards_meaning_elsewhere():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import joggle as jg, joggle.mlx.core as mx\n"
            "x = mx.array([1, 2])\n"
            "try:\n    x += 1.5\n"
            "except TypeError as error:\n    print(error)\n"
            "print((mx.array([True]) + 1).dtype)",
        ],
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [
        "in-place operator: the result is float32, allowed is the array's kind, int32",
        "joggle.int64",
    ], done.stderr
