# SPDX-License-Identifier: Apache-2.0
"""Keywords of what makes fields and kernels: each does what it says, or is refused by its name."""

import inspect

import numpy as np
import pytest
import quadrants
import torch

import joggle.fields as qd
from joggle.fields import _init as settings

pytestmark = pytest.mark.usefixtures("tier")

# Of each function the keywords that are known to have an effect, each shown by a test here or in
# the subject's own file, and those that docs/kernels.md says have nothing to set.
EFFECTIVE = {
    qd.field: "dtype shape order name offset needs_grad needs_dual layout",
    qd.ndarray: "dtype shape needs_grad",
    qd.tensor: "dtype shape layout needs_grad name",
    qd.types.vector: "n dtype",
    qd.types.matrix: "n m dtype",
    qd.types.ndarray: "dtype ndim element_dim element_shape field_dim needs_grad boundary",
    qd.types.template: "element_type ndim",
    qd.types.texture: "num_dimensions",
    qd.types.rw_texture: "num_dimensions lod fmt",
    qd.types.quant.int: "bits signed compute",
    qd.types.quant.fixed: "bits signed max_value compute scale",
    qd.types.quant.float: "exp frac signed compute",
    qd.Texture: "fmt arr_shape",
    qd.BitpackedFields: "max_num_bits",
    qd.kernel: "function fast_math checkpoints",
    qd.func: "function is_real_function requires_top_level",
    qd.data_oriented: "cls stable_members template_primitives",
    qd.loop_config: "serialize block_dim parallelize",
    qd.ndrange: "args axes",
    qd.init: "arch default_fp default_ip debug check_out_of_bound fast_math random_seed "
    "kernel_profiler cpu_max_num_threads log_level enable_fallback raise_on_templated_floats "
    "others",
    qd.perf_dispatch: "get_geometry_hash first_warmup warmup active repeat_after_count "
    "repeat_after_seconds",
    qd.ad.Tape: "loss clear_gradients validation grad_check",
    qd.ad.FwdMode: "loss param seed clear_gradients",
    qd.linalg.MatrixFreeCG: "A b x tol maxiter quiet",
}
NOTHING_TO_SET = {
    qd.tensor: "backend",
    qd.types.vector: "unpacked",
    qd.kernel: "pure fastcache graph",
    qd.loop_config: "block_dim_adaptive bit_vectorize name",
}


@pytest.mark.parametrize("function", EFFECTIVE, ids=lambda f: f.__name__)
def test_every_keyword_is_known_to_these_tests(function):
    known = f"{EFFECTIVE[function]} {NOTHING_TO_SET.get(function, '')}".split()
    assert sorted(inspect.signature(function).parameters) == sorted(known)


@pytest.mark.parametrize("function", NOTHING_TO_SET, ids=lambda f: f.__name__)
def test_what_has_nothing_to_set_is_listed_in_the_documentation(function, request):
    page = (request.config.rootpath / "docs/kernels.md").read_text()
    table = page.split("## Keywords that change nothing")[1].split("\n## ")[0]
    for name in NOTHING_TO_SET[function].split():
        assert f"`{name}`" in table


def test_an_index_outside_of_a_clamped_array_stands_for_the_nearest_inside():
    @qd.kernel
    def shift(
        a: qd.types.ndarray(qd.i32, 1, boundary="clamp"),
        v: qd.types.ndarray(qd.types.vector(2, qd.i32), 2, boundary="clamp"),
        by: qd.i64,
    ) -> qd.types.vector(4, qd.i32):
        a[100] = 7
        a[by] += 1
        v[by, -by][1] = 9
        return [a[by], a[-by], a[-2], v[-by, by][0]]

    for by in (5, 2**40):
        a, v = np.arange(4, dtype=np.int32), np.arange(12, dtype=np.int32).reshape(2, 3, 2)
        assert shift(a, v, by).to_list() == [8, 0, 0, 4]
        assert a.tolist() == [0, 1, 2, 8] and v[1, 0, 1] == 9


@pytest.mark.parametrize("dtype", [qd.i8, qd.u8, qd.i16, qd.u32, qd.u64])
def test_indices_of_every_dtype_are_clamped(dtype):
    @qd.kernel
    def read(a: qd.types.ndarray(qd.i32, 1, boundary="clamp"), i: dtype) -> qd.i32:
        return a[i]

    a = np.arange(300, dtype=np.int32)
    high = 127 if dtype is qd.i8 else 255 if dtype is qd.u8 else 32767
    assert read(a, high) == min(high, 299)
    assert read(a, 3) == 3
    if dtype in (qd.i8, qd.i16):
        assert read(a, -3) == 0


def test_a_clamped_array_without_elements_is_refused_at_the_access():
    @qd.kernel
    def read(a: qd.types.ndarray(qd.i32, 1, boundary="clamp"), n: int) -> qd.i32:
        total = 0
        for i in range(n):
            total += a[i]
        return total

    assert read(np.zeros(0, np.int32), 0) == 0
    with pytest.raises(IndexError, match="axis 0 of a: got no elements"):
        read(np.zeros(0, np.int32), 1)


def test_another_boundary_is_refused():
    with pytest.raises(ValueError, match="boundary: got 'wrap', allowed are 'unsafe' and 'clamp'"):
        qd.types.ndarray(qd.f32, 1, boundary="wrap")


def test_an_annotation_may_ask_for_a_gradient():
    @qd.kernel
    def double(a: qd.types.ndarray(qd.f32, 1, needs_grad=True)):
        for i in a:
            a[i] *= 2

    x = qd.ndarray(qd.f32, 3, needs_grad=True)
    double(x)
    for without in (qd.ndarray(qd.f32, 3), np.zeros(3, np.float32)):
        for _ in range(2):
            with pytest.raises(TypeError, match="a: got an array without a gradient"):
                double(without)
            double(x)


def test_an_annotation_may_have_arrays_taken_for_constants():
    @qd.kernel
    def product(
        a: qd.types.ndarray(qd.f32, 1),
        b: qd.types.ndarray(qd.f32, 1, needs_grad=False),
        out: qd.types.ndarray(qd.f32, 1),
    ):
        for i in a:
            out[0] += a[i] * b[i]

    a, b, out = (qd.ndarray(qd.f32, n, needs_grad=True) for n in (3, 3, 1))
    a.fill(2)
    b.fill(5)
    out.grad.fill(1)
    product.grad(a, b, out)
    assert a.grad.to_numpy().tolist() == [5, 5, 5]
    assert b.grad.to_numpy().tolist() == [0, 0, 0]

    @qd.kernel
    def look(b: qd.types.ndarray(qd.f32, 1, needs_grad=False)):
        b.grad[0] = 1

    with pytest.raises(TypeError, match=r"b\.grad: the annotation says needs_grad=False"):
        look(b)


def test_parts_of_an_annotation_that_contradict_each_other_are_refused():
    with pytest.raises(TypeError, match="ndim: got 2, allowed is 1, as the other"):
        qd.types.ndarray(qd.f32, ndim=1, field_dim=2)
    with pytest.raises(TypeError, match="element_dim: got 2, allowed is 1, as the other"):
        qd.types.ndarray(qd.types.vector(3, qd.f32), element_dim=2)
    with pytest.raises(TypeError, match=r"element_shape: got \(2,\), allowed is"):
        qd.types.ndarray(qd.types.vector(3, qd.f32), element_shape=(2,))
    with pytest.raises(TypeError, match="needs_grad: got 'no', allowed"):
        qd.types.ndarray(needs_grad="no")


def test_a_template_may_ask_for_a_type_and_a_number_of_axes():
    @qd.func
    def whole(y: qd.template(qd.i32)):
        return y

    @qd.kernel
    def first(x: qd.template(qd.f32, 1), n: qd.template(int)) -> qd.f32:
        return x[0] + whole(n)

    assert first(qd.field(qd.f32, 2), 3) == 3
    with pytest.raises(
        TypeError, match=r"x: got elements of .*int32.*, allowed is .*, as the annotation"
    ):
        first(qd.field(qd.i32, 2), 3)
    with pytest.raises(
        TypeError, match="x: got 2 dimensions, allowed are 1, as the annotation says"
    ):
        first(qd.field(qd.f32, (2, 2)), 3)
    with pytest.raises(TypeError, match="element_type: got 5, allowed are dtypes and types"):
        qd.template(5)


def test_a_reference_is_to_a_variable_of_its_type():
    @qd.func
    def add(a: qd.ref(qd.i32)):
        a += 1

    @qd.kernel
    def run() -> int:
        total = 2.5
        add(total)
        return 1

    with pytest.raises(
        TypeError, match=r"got elements of .*float32.*, allowed is .*int32.*, as the"
    ):
        run()


def test_numbers_of_objects_are_read_at_each_call_if_they_are_no_templates():
    @qd.data_oriented(template_primitives=False)
    class Counter:
        def __init__(self):
            self.n, self.scale = 3, 0.5

        @qd.kernel
        def total(self) -> float:
            result = 0.0
            for _ in range(self.n):
                result += self.scale
            return result

    counter = Counter()
    assert counter.total() == 1.5
    counter.n, counter.scale = 4, 2.0
    assert counter.total() == 8
    assert counter.total() == 8
    counter.n = 2.5
    with pytest.raises(TypeError, match="attribute n: got float, allowed is int"):
        counter.total()


def test_a_function_may_ask_to_be_called_at_the_top():
    x = qd.field(qd.i32, 4)

    @qd.func(requires_top_level=True)
    def ones():
        for i in x:
            x[i] += 1

    @qd.kernel
    def good():
        ones()
        for _ in qd.static(range(2)):
            ones()

    @qd.kernel
    def bad(n: int):
        if n > 0:
            ones()

    good()
    assert x.to_numpy().tolist() == [3] * 4
    with pytest.raises(SyntaxError, match="ones belongs to the top level of a kernel"):
        bad(1)


def test_a_tangent_is_there_if_it_is_asked_for():
    x = qd.field(qd.f32, 3, needs_dual=True)
    assert x.has_dual() and x.dual.shape == (3,)
    assert qd.Vector.field(2, qd.f32, 3, needs_dual=True).dual.element_shape == (2,)
    assert not qd.field(qd.f32, 3).has_dual()
    struct = qd.Struct.field({"a": qd.f32, "n": qd.i32}, shape=2, needs_dual=True)
    assert struct.a.has_dual() and not struct.n.has_dual()
    with pytest.raises(TypeError, match="needs_grad: got elements of int32"):
        qd.field(qd.i32, 3, needs_dual=True)


def test_the_axes_of_a_vector_fields_elements_are_those_of_its_type():
    assert qd.Vector.field(3, qd.f32, 2, ndim=1).element_shape == (3,)
    with pytest.raises(ValueError, match="ndim: got 2, allowed is that of"):
        qd.Vector.field(3, qd.f32, 2, ndim=2)


def test_a_loop_for_one_thread_runs_in_order():
    @qd.kernel
    def last(n: int, a: qd.types.ndarray(qd.i32, 1)):
        qd.loop_config(parallelize=1)
        for i in range(n):
            a[0] = i

    a = np.zeros(1, np.int32)
    last(10000, a)
    assert a[0] == 9999
    assert "parallel" not in last.lower(3, a)[0]


def options():
    return [name for name in dir(quadrants.cfg) if not name.startswith("_")]


def test_settings_of_quadrants_are_heeded_or_named():
    named = set(inspect.signature(qd.init).parameters)
    for name in {*options(), *inspect.signature(quadrants.init).parameters} - {"kwargs"}:
        lists = (settings.TUNING, settings.UNHEEDED, settings.REFUSED, named, {"_test_mode"})
        assert sum(name in one for one in lists) == 1, name


@pytest.mark.parametrize("name", sorted(settings.UNHEEDED))
def test_a_setting_that_asks_for_output_warns(name):
    with pytest.warns(UserWarning, match=f"{name}: it has no effect; "):
        qd.init(**{name: True})
    qd.init(**{name: False})


@pytest.mark.parametrize("name", sorted(settings.REFUSED))
def test_a_setting_that_would_mean_something_else_is_refused(name):
    with pytest.raises(TypeError, match=f"{name}: "):
        qd.init(**{name: 1})


def test_another_arch_is_refused_without_fallback():
    with pytest.raises(RuntimeError, match=r"arch: .*cuda.*, and enable_fallback is False"):
        qd.init(arch=qd.cuda, enable_fallback=False)


def test_floats_for_templates_may_be_refused():
    @qd.kernel
    def same(x: qd.template()) -> float:
        return x

    qd.init(raise_on_templated_floats=True)
    assert same(2) == 2
    with pytest.raises(
        TypeError, match=r"x: got the float [-0-9.]+, which raise_on_templated_floats"
    ):
        same(0.5)
    qd.init()
    assert same(0.5) == 0.5


def test_elements_are_the_last_axes_that_element_dim_says():
    @qd.kernel
    def run(
        v: qd.types.ndarray(element_dim=1),
        m: qd.types.ndarray(element_dim=2),
        n: qd.types.ndarray(element_dim=0),
        out: qd.types.ndarray(),
    ):
        for i in range(v.shape[0]):
            x = m[i] @ v[i]
            for j in qd.static(range(x.n)):
                out[i, j] = x[j] + n[i]

    for rows in (2, 3, 4, 3):
        v, m = np.arange(5.0 * 3).reshape(5, 3), np.arange(5.0 * rows * 3).reshape(5, rows, 3)
        n, out = np.arange(5.0), np.zeros((5, rows))
        for given in (v, torch.from_numpy(v)):
            out[:] = 0
            run(given, m, n, out)
            assert np.array_equal(out, np.einsum("ijk,ik->ij", m, v) + n[:, None])
    field = qd.Vector.field(3, qd.f64, shape=5)
    field.from_numpy(v)
    out[:] = 0
    run(field, m, n, out)
    assert np.array_equal(out, np.einsum("ijk,ik->ij", m, v) + n[:, None])


def test_elements_of_another_number_of_axes_are_refused():
    @qd.kernel
    def run(v: qd.types.ndarray(element_dim=1)) -> qd.f64:
        return v[0][0]

    with pytest.raises(TypeError, match=r"v: got 0 dimensions.*elements of 1 dimensions"):
        run(np.float64(3))
    with pytest.raises(TypeError, match=r"v: got 1 dimensions and elements of \(2, 2\)"):
        run(qd.Matrix.field(2, 2, qd.f64, shape=1))
    with pytest.raises(TypeError, match="element_dim: got 3, allowed are 0, 1, 2 and None"):
        qd.types.ndarray(element_dim=3)
