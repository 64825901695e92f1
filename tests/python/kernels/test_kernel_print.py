# SPDX-License-Identifier: Apache-2.0
"""print in kernels writes what it writes in Quadrants."""

import pytest
import quadrants

import joggle.fields as joggle_fields

PROGRAM = """
@qd.dataclass
class Pair:
    a: qd.f32
    b: qd.i32

@qd.kernel
def run(f: qd.f32, d: qd.f64, i: qd.i32, u: qd.u32, l: qd.i64, b: qd.u8):
    m = qd.Matrix([[2e1, 3e2, 4e3], [5e4, 6e5, 7e6]], qd.f32)
    n = qd.Matrix([[1, -2], [30, 4]])
    print(f, d, i, u, l, b)
    print(1234.5, 7, -3, f > 1, True)
    print(qd.cast(f, qd.f16), qd.cast(i, qd.i8), "text", "%s %d {}")
    print(f"{f} {d} {f:e} {f:g} {f:.3} {d:.3} {f:10.3f}|{f:5}|{f:05.1f}|{f:+f}|{f:.3G}|{f:E}")
    print(f"{i:i} {u:u} {i:.5d} {-i:.5d} {i:5d}|{i:5}|{u:x} {u:X} {i:.3} {u:o}")
    print(f"{i = } {f = :.1f} {i + 1}")
    print([1, f, (2, 3)], (1,), [])
    print("a", [f, "b"], sep="<>", end="!")
    print(" next", sep="", end="\\n")
    print("m =", m)
    print(f"m = {m}, {m:.1f}, {m:.1}, {m = :g}, {n:.2d}, {n}")
    print("m = {}, {:e}, {:.1}".format(m, m, m))
    print("{:d} abc {:i} {:.1} {:.10d} {:.2} {name:i} {value:d}".format(
        123, 1, 2, 3, f, name=999, value=123))
    name, value = 123.4, 456.7
    print("{:.2e} {name:.3G} {value:.4f}".format(f, name=name, value=value))
    print("{2} {1} {}|{2} {} {1} {k} {0} {k} {0} {k}".format(3, 2, 1, k=f))
    print(1e30 * f, 1e-9 * f, 1e-9 * d)
    known = 1.5
    print(f"{1.5} {True} {-2} {1e-10} {2 ** 0.5} {qd.static(2.5)} {known} {1.5:.3f}")
    print("{} {} {k}".format(1.5, False, k=1e20))
"""
MISMATCHED = """
@qd.kernel
def run(f: qd.f32, i: qd.i32, u: qd.u32):
    print(f"{SHOWN}")
"""


def kernel_of(qd, source, path):
    """The kernel of a program, which needs a file to be read from."""
    name = f"{qd.__name__.replace('.', '_')}.py"
    file = path / name
    file.write_text(source)
    scope = {"qd": qd, "__name__": name}
    exec(compile(source, str(file), "exec"), scope)
    return scope["run"]


@pytest.mark.usefixtures("tier")
def test_every_format_gives_the_text_of_quadrants(capfd, tmp_path):
    quadrants.init(arch=quadrants.cpu, log_level=quadrants.ERROR)
    texts = []
    for qd in (quadrants, joggle_fields):
        run = kernel_of(qd, PROGRAM, tmp_path)
        qd.sync()
        capfd.readouterr()
        run(1.5, 2.123456789012345, 3, 4, 5, 6)
        qd.sync()
        texts.append(capfd.readouterr().out)
    assert texts[0].count("\n") == 17
    assert texts[1].splitlines() == texts[0].splitlines()


@pytest.mark.parametrize("shown", ["f:.2d", "f:- #0.233lli", "i:u", "f:i", "f:s", "i:s", "f:x"])
def test_a_format_that_does_not_fit_is_named(shown, tmp_path):
    run = kernel_of(joggle_fields, MISMATCHED.replace("SHOWN", shown), tmp_path)
    with pytest.raises(joggle_fields.QuadrantsTypeError, match=f"format(: got)? '{shown[2:]}'"):
        run(1.5, 3, 4)


def test_known_numbers_take_the_same_formats(capfd, tmp_path):
    source = """
@qd.kernel
def run():
    print("{:<8.2f}|{:>4i}|{:g}|{:5}|{:+d}".format(1.5, 3, 2.0, 7, 7), "{:>4}".format("x"))
    print("{:d}".format(1.5))
"""
    lines = source.splitlines()
    good = kernel_of(joggle_fields, "\n".join(lines[:-1]), tmp_path)
    good()
    joggle_fields.sync()
    assert capfd.readouterr().out == "1.50    |   3|2|    7|+7    x\n"
    with pytest.raises(joggle_fields.QuadrantsTypeError, match="format 'd': got the number"):
        kernel_of(joggle_fields, source, tmp_path)()
