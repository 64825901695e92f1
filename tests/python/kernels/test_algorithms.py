# SPDX-License-Identifier: Apache-2.0
"""qd.algorithms against NumPy, the solvers of qd.linalg, and the choice of the fastest function."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")
DTYPES = [qd.i32, qd.u32, qd.i64, qd.u64, qd.f32, qd.f64]
random = np.random.default_rng(3)


def some(dtype, count):
    """Numbers of both signs where the dtype has them, with equal ones."""
    values = random.integers(-50 if qd.types.is_signed(dtype) else 0, 50, count)
    return (values * (0.5 if qd.types.is_real(dtype) else 1)).astype(dtype.name)


def filled(dtype, values):
    x = qd.field(dtype, len(values))
    x.from_numpy(values)
    return x


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reductions_of_a_part_are_numpys(dtype):
    values = some(dtype, 37)
    x, out = filled(dtype, values), qd.field(dtype, 3)
    total, least, greatest = (qd.field(dtype, 1) for _ in range(3))
    scratch = qd.field(qd.u32, qd.algorithms.reduce_scratch_slots(37))

    @qd.kernel
    def run(n: qd.i32):
        qd.algorithms.reduce_add(x, total, scratch, n, dtype, 1)
        qd.algorithms.reduce_min(x, least, scratch, n, dtype, 1)
        qd.algorithms.reduce_max(x, greatest, scratch, n, dtype, 1)
        out[0], out[1], out[2] = total[0], least[0], greatest[0]

    run(30)
    part = values[:30]
    assert out.to_numpy().tolist() == [part.sum(), part.min(), part.max()]
    run(0)
    lowest, highest = limits(dtype)
    assert out.to_numpy().tolist() == [0, highest, lowest]


def limits(dtype):
    if qd.types.is_real(dtype):
        return -np.inf, np.inf
    return np.iinfo(dtype.name).min, np.iinfo(dtype.name).max


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_exclusive_scans_are_those_of_numpy(dtype):
    values = some(dtype, 40)
    x, sums, least, greatest = filled(dtype, values), *(qd.field(dtype, 40) for _ in range(3))
    scratch = qd.field(qd.u32, qd.algorithms.exclusive_scan_scratch_slots(40, 1))

    @qd.kernel(graph=True)
    def run(n: qd.i32):
        qd.algorithms.exclusive_scan_add(x, sums, scratch, n, dtype, 1)
        qd.algorithms.exclusive_scan_min(x, least, scratch, n, dtype, 1)
        qd.algorithms.exclusive_scan_max(x, greatest, scratch, n, dtype, 1)

    run(40)
    lowest, highest = limits(dtype)
    assert sums.to_numpy().tolist() == [values[:i].sum() for i in range(40)]
    assert least.to_numpy().tolist() == [min([highest, *values[:i]]) for i in range(40)]
    assert greatest.to_numpy().tolist() == [max([lowest, *values[:i]]) for i in range(40)]


def test_select_and_reduce_by_key_give_what_numpy_gives():
    keys, values = np.array([4, 4, 1, 1, 1, 4, 9], np.int32), np.arange(1.0, 8)
    k, v = filled(qd.i32, keys), filled(qd.f64, values)
    chosen, sums, owners = qd.field(qd.f64, 7), qd.field(qd.f64, 7), qd.field(qd.i32, 7)
    counts, runs = qd.field(qd.i32, 1), qd.field(qd.i32, 1)
    scratch = qd.field(qd.u32, qd.algorithms.reduce_by_key_scratch_slots(7))
    flags = filled(qd.i32, (keys == 4).astype(np.int32))

    @qd.kernel
    def run():
        qd.algorithms.select(v, flags, chosen, counts, scratch, 7, 1)
        qd.algorithms.reduce_by_key_add(k, v, owners, sums, runs, scratch, 7, qd.f64, 1)

    run()
    assert counts[0] == 3 and chosen.to_numpy()[:3].tolist() == [1, 2, 6]
    assert runs[0] == 4 and owners.to_numpy()[:4].tolist() == [4, 1, 4, 9]
    assert sums.to_numpy()[:4].tolist() == [3, 12, 6, 7]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sorting_keeps_the_order_of_equal_keys(dtype):
    values = some(dtype, 60)
    keys, places = filled(dtype, values), filled(qd.i32, np.arange(60, dtype=np.int32))
    spare, others = qd.field(dtype, 60), qd.field(qd.i32, 60)
    n, scratch = qd.field(qd.i32, ()), qd.field(qd.u32, qd.algorithms.sort_scratch_slots(60))
    n.fill(60)

    @qd.kernel
    def run():
        qd.algorithms.sort(
            keys, spare, places, others, scratch, n, dtype, True, qd.static(dtype.bits), 1
        )

    run()
    order = values.argsort(kind="stable")
    assert keys.to_numpy().tolist() == values[order].tolist()
    assert places.to_numpy().tolist() == order.tolist()


def test_python_sorts_and_sums_fields_by_algorithms():
    keys, values = filled(qd.i32, np.array([3, -1, 2], np.int32)), filled(qd.f32, np.ones(3))
    values.from_numpy(np.array([30.0, -10, 20]))
    qd.algorithms.parallel_sort(keys, values)
    assert keys.to_numpy().tolist() == [-1, 2, 3] and values.to_numpy().tolist() == [-10, 20, 30]
    qd.algorithms.PrefixSumExecutor(2).run(keys)
    assert keys.to_numpy().tolist() == [-1, 1, 3]
    with pytest.raises(ValueError, match=r"values: got shape \(4,\), allowed is that of keys"):
        qd.algorithms.parallel_sort(keys, qd.field(qd.f32, 4))
    with pytest.raises(ValueError, match=r"parallel_sort: got shape \(2, 2\), allowed is one axis"):
        qd.algorithms.parallel_sort(qd.field(qd.i32, (2, 2)))
    with pytest.raises(RuntimeError, match="input_arr: got float32, allowed is int32"):
        qd.algorithms.PrefixSumExecutor(3).run(values)


@pytest.mark.parametrize("solver", ["MatrixFreeCG", "MatrixFreeBICGSTAB"])
def test_solvers_find_what_the_operator_maps_to_the_right_side(solver, capsys):
    n, skew = 24, 0.4 if solver == "MatrixFreeBICGSTAB" else 0.0

    @qd.kernel
    def multiply(x: qd.template(), out: qd.template()):
        for i in x:
            left = x[i - 1] if i > 0 else 0.0
            right = x[i + 1] if i < n - 1 else 0.0
            out[i] = 3 * x[i] - (1 + skew) * left - (1 - skew) * right

    b, x = filled(qd.f64, random.standard_normal(n)), qd.field(qd.f64, n)
    operator = qd.linalg.LinearOperator(multiply)
    assert getattr(qd.linalg, solver)(operator, b, x, tol=1e-10, quiet=False) is True
    assert "Residual" in capsys.readouterr().out
    image = qd.field(qd.f64, n)
    operator.matvec(x, image)
    np.testing.assert_allclose(image.to_numpy(), b.to_numpy(), atol=1e-9)
    x.fill(0)
    assert getattr(qd.linalg, solver)(operator, b, x, tol=1e-10, maxiter=2) is False


def test_solvers_refuse_what_does_not_fit():
    operator = qd.linalg.LinearOperator(qd.kernel(lambda: None))
    b, x = qd.field(qd.f64, 4), qd.field(qd.f64, 5)
    with pytest.raises(RuntimeError, match=r"x: got shape \(5,\) of float64, allowed is that of b"):
        qd.linalg.MatrixFreeCG(operator, b, x)
    with pytest.raises(TypeError, match="A: got function, allowed are LinearOperators"):
        qd.linalg.MatrixFreeBICGSTAB(limits, b, b)
    with pytest.raises(TypeError, match=r"b: got .*int32.*, allowed are fields of floats"):
        qd.linalg.MatrixFreeCG(operator, qd.field(qd.i32, 4), b)


def test_the_fastest_of_several_functions_is_kept():
    ran = []

    @qd.perf_dispatch(get_geometry_hash=lambda n: n > 10, repeat_after_count=5)
    def work(n):
        """Never called."""

    @work.register
    def slow(n):
        ran.append("slow")
        np.sort(random.standard_normal(400_000))
        return -n

    @work.register(is_compatible=lambda n: n > 3)
    def fast(n):
        ran.append("fast")
        return n

    assert work(2) == -2 and ran == ["slow"] and work.__name__ == "work"
    ran.clear()
    assert {work(20) for _ in range(4)} == {20, -20} and sorted(ran) == ["fast"] * 2 + ["slow"] * 2
    ran.clear()
    assert [work(20) for _ in range(5)] == [20] * 5
    assert {work(20), work(20)} == {20, -20}
    empty = qd.perf_dispatch(get_geometry_hash=hash)(limits)
    with pytest.raises(RuntimeError, match="limits: no registered function takes the arguments"):
        empty(3)
