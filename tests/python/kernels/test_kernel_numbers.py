# SPDX-License-Identifier: Apache-2.0
"""What kernels know of bits, of floats taken apart, of small systems of equations and of text."""

import math

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def test_exchanges_give_what_was_there():
    x = qd.field(qd.i32, shape=2)
    x.fill(5)

    @qd.kernel
    def run() -> qd.i32:
        old = qd.atomic_exchange(x[0], 3)
        total = 0
        for i in range(4):
            total += qd.atomic_exchange(x[1], i)
        return old * 100 + total

    assert run() == 500 + 5 + 0 + 1 + 2
    assert x.to_numpy().tolist() == [3, 3]


@pytest.mark.parametrize("dtype", [qd.f32, qd.f64])
def test_frexp_gives_what_pythons_gives(dtype):
    @qd.kernel
    def run(x: dtype) -> tuple[dtype, qd.i32]:
        return qd.frexp(x)

    tiny = 1e-40 if dtype is qd.f32 else 5e-324
    for x in (1.4, 0.0, -3.0, tiny, -tiny, 1e30, math.inf, 0.5, 1.0):
        given = float(np.float32(x)) if dtype is qd.f32 else x
        assert tuple(run(x)) == math.frexp(given)
    assert math.isnan(run(math.nan)[0])


def test_bits_are_found_from_below():
    @qd.kernel
    def first(x: qd.i32) -> qd.i32:
        return qd.math.ffs(x)

    @qd.kernel
    def nth(mask: qd.u32, base: qd.u32, offset: qd.i32) -> qd.u32:
        return qd.math.fns(mask, base, offset)

    assert [first(x) for x in (0, 1, 2, 12, -(2**31))] == [0, 1, 2, 3, 32]
    assert [nth(0b10110, 0, k) for k in (1, 2, 3)] == [1, 2, 4]
    assert [nth(0b10110, 4, -2), nth(0b10110, 1, 0)] == [2, 1]
    assert [nth(0b10110, 0, 4), nth(0b10110, 0, 0), nth(0, 0, 1)] == [0xFFFFFFFF] * 3


def test_systems_of_equations_are_solved_with_pivots():
    matrix, vector = qd.types.matrix(3, 3, qd.f64), qd.types.vector(3, qd.f64)

    @qd.kernel
    def run(a: matrix, b: vector) -> vector:
        return qd.solve(a, b)

    a, b = np.array([[0, 2.0, 1], [1, 1, 3], [4, 0, 0.5]]), np.array([1.0, 2, 3])
    assert np.allclose(run(a, b).to_list(), np.linalg.solve(a, b))


@pytest.mark.parametrize("n", [2, 3, 5])
def test_eigenvalues_of_symmetric_matrices_ascend(n):
    matrix = qd.types.matrix(n, n, qd.f64)

    @qd.kernel
    def values(a: matrix) -> qd.types.vector(n, qd.f64):
        found, _ = qd.sym_eig(a)
        return found

    @qd.kernel
    def nearest(a: matrix) -> matrix:
        return qd.make_spd(a)

    a = np.random.default_rng(n).normal(size=(n, n))
    a += a.T
    w, v = np.linalg.eigh(a)
    assert np.allclose(values(a).to_list(), w)
    assert np.allclose(nearest(a).to_list(), v @ np.diag(np.maximum(w, 0)) @ v.T)


def test_rotations_are_composed_as_yaw_pitch_and_roll():
    @qd.kernel
    def run() -> qd.types.matrix(4, 4, qd.f32):
        return qd.math.rotation3d(0.52, -0.785, 1.046)

    expected = [0.05048351, -0.61339645, -0.78816002, 0]
    assert np.allclose(run().to_list()[0], expected, atol=1e-6)


def test_texts_take_formats_and_braces(capfd):
    @qd.kernel
    def run(a: qd.f32, b: qd.i32, v: qd.types.vector(2, qd.f32)):
        print(f"{a:.2f}|{b:5d}|{b:<5}|{b:x}|{v:.1f}|{{}}|{b:.1f}|{a=}")
        print("{:.3f} {} {name}".format(a, b, name=v), "{x}", sep="{}", end="!\n")  # noqa: UP032

    run(1.25, 255, [1.0, 2.5])
    expected = (
        "1.25|  255|255  |ff|[1.0, 2.5]|{}|255.0|a=1.250000\n1.250 255 [1.000000, 2.500000]{}{x}!\n"
    )
    assert capfd.readouterr().out == expected


def test_a_format_that_kernels_do_not_have_is_named():
    @qd.kernel
    def run(a: qd.f32):
        print(f"{a:%}")

    with pytest.raises(qd.QuadrantsTypeError, match="format: got '%', allowed in kernels"):
        run(1.0)


def test_an_array_whose_gradient_is_stopped_is_a_constant():
    x, y = (qd.field(qd.f64, 3, needs_grad=True) for _ in range(2))
    loss = qd.field(qd.f64, (), needs_grad=True)
    x.fill(2)
    y.fill(3)

    @qd.kernel
    def run():
        qd.stop_grad(y)
        for i in x:
            loss[None] += x[i] * y[i]

    with qd.ad.Tape(loss):
        run()
    assert x.grad.to_numpy().tolist() == [3, 3, 3]
    assert y.grad.to_numpy().tolist() == [0, 0, 0]


def test_errors_have_the_names_that_quadrants_gives_them():
    @qd.kernel
    def run():
        try:
            pass
        finally:
            pass

    with pytest.raises(qd.QuadrantsSyntaxError):
        run()
    assert issubclass(qd.QuadrantsTypeError, qd.QuadrantsCompilationError)


def test_letters_of_colours_and_textures_name_parts_of_vectors():
    v = qd.Vector([1, 2, 3, 4])
    assert list(v.stpq) == [1, 2, 3, 4]
    assert (v.q, v.bgr[0]) == (4, 3)


def test_bits_shifted_out_of_negative_numbers_are_replaced_by_zeros():
    @qd.kernel
    def shift(x: qd.i32, by: qd.i32) -> qd.i32:
        return qd.bit_shr(x, by)

    @qd.kernel
    def shift_long(x: qd.i64, by: qd.i32) -> qd.i64:
        return qd.bit_shr(x, by)

    for x in (-16, -1, 0, 7, -(2**31), 2**31 - 1):
        for by in (0, 1, 2, 31):
            expected = int((np.array(x, np.int32).view(np.uint32) >> by).view(np.int32))
            assert shift(x, by) == qd.bit_shr(x, by) == expected
    assert shift_long(-16, 60) == 15


def test_numbers_just_below_a_half_are_rounded_down():
    @qd.kernel
    def rounded(x: qd.f64) -> qd.f64:
        return qd.round(x)

    for x in (0.49999999999999994, 0.5, 1.5, -0.5, 2.5, 4503599627370497.0):
        assert rounded(x) == qd.round(x) == np.trunc(x + np.copysign(np.nextafter(0.5, 0), x))


def test_a_constant_that_was_cast_is_what_the_cast_made_of_it():
    @qd.kernel
    def run(out: qd.types.ndarray(qd.f64, 1), m: qd.i32):
        v = qd.Vector([47, 300], qd.i32)
        out[0] = qd.i32(qd.u1(v[0])) + m
        out[1] = qd.f64(qd.f32(0.1)) + m
        out[2] = qd.i32(qd.f16(2049)) + m
        out[3] = qd.f32(qd.bf16(0.1)) + m
        out[4] = qd.f64(qd.f16(1e9))
        out[5] = qd.cast(2.75, qd.i32) + m

    out = np.zeros(6)
    run(out, 0)
    bfloat = float(np.float32(0.100097656))
    assert out.tolist() == [1, float(np.float32(0.1)), 2048, bfloat, np.inf, 2]


def test_an_unsigned_index_reaches_a_field_whose_indices_begin_below_zero():
    x = qd.field(qd.i32, 4, offset=-2)

    @qd.kernel
    def run(i: qd.u64, j: qd.u8):
        x[i] = 5
        x[j] = 6

    run(1, 0)
    assert x.to_numpy().tolist() == [0, 0, 6, 5]
