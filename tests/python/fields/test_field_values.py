# SPDX-License-Identifier: Apache-2.0
"""Vectors, matrices and structs as values of the host language, compared with NumPy."""

import operator

import numpy as np
import pytest

import joggle.fields as qd

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.ge,
    operator.eq,
    operator.ne,
]


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
def test_operators_are_elementwise(op):
    a, b = np.array([[1.5, 2], [3, 4]]), np.array([[2, 2], [1.5, 3]])
    m, n = qd.Matrix(a), qd.Matrix(b)
    np.testing.assert_allclose(op(m, n).to_numpy(), op(a, b))
    np.testing.assert_allclose(op(m, 2).to_numpy(), op(a, 2))
    np.testing.assert_allclose(op(2, m).to_numpy(), op(2, a))
    v = qd.Vector([1.0, 2, 3])
    np.testing.assert_allclose(op(v, [3, 2, 1]).to_numpy(), op(np.array([1, 2, 3.0]), [3, 2, 1]))


def test_products_and_inverses_are_those_of_linear_algebra():
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 4):
        a, b, x = rng.normal(size=(n, n)), rng.normal(size=(n, n)), rng.normal(size=n)
        m = qd.Matrix(a)
        np.testing.assert_allclose((m @ qd.Matrix(b)).to_numpy(), a @ b, atol=1e-12)
        np.testing.assert_allclose((m @ qd.Vector(x)).to_numpy(), a @ x, atol=1e-12)
        np.testing.assert_allclose(m.inverse().to_numpy(), np.linalg.inv(a), rtol=1e-9)
        np.testing.assert_allclose(m.determinant(), np.linalg.det(a), rtol=1e-9)
        np.testing.assert_allclose(m.transpose().to_numpy(), a.T)
        assert m.trace() == pytest.approx(np.trace(a))
    with pytest.raises(ValueError, match="singular"):
        qd.Matrix([[1, 2], [2, 4]]).inverse()
    with pytest.raises(ValueError, match="square"):
        qd.Matrix([[1, 2]]).trace()


def test_vectors_have_norms_and_products():
    a, b = np.array([1.0, 2, 3]), np.array([-1.0, 0.5, 2])
    v, w = qd.Vector(a), qd.Vector(b)
    assert v.norm() == pytest.approx(np.linalg.norm(a))
    assert v.norm_sqr() == 14
    assert v.dot(w) == pytest.approx(a @ b)
    np.testing.assert_allclose(v.cross(w).to_numpy(), np.cross(a, b))
    np.testing.assert_allclose(v.normalized().to_numpy(), a / np.linalg.norm(a))
    np.testing.assert_allclose(v.outer_product(w).to_numpy(), np.outer(a, b))
    assert (v.sum(), v.max(), v.min()) == (6, 3, 1)
    assert qd.Vector([1, 0]).cross(qd.Vector([0, 1])) == 1


def test_indexing_follows_numpy():
    a = np.arange(12).reshape(3, 4)
    m = qd.Matrix(a)
    for key in ((1, 2), (slice(None), 1), (0, slice(1, 3)), (slice(0, 2), slice(None, None, 2)), 1):
        np.testing.assert_array_equal(np.asarray(m[key]), a[key])
    m[1] = [9, 9, 9, 9]
    assert m[1, 3] == 9
    with pytest.raises(IndexError):
        m[3, 0]
    with pytest.raises(IndexError):
        qd.Vector([1, 2])[0, 0]


def test_types_make_values_of_their_dtype():
    vec3 = qd.types.vector(3, qd.i32)
    assert list(vec3(1.7, 2, 3)) == [1, 2, 3]
    assert list(vec3(4)) == [4, 4, 4]
    assert list(qd.types.vector(3, float)(qd.Vector([1, 2]), 3)) == [1, 2, 3]
    mat = qd.types.matrix(2, 2, qd.f32)
    assert (
        mat([1, 2], [3, 4]).to_list()
        == mat([[1, 2], [3, 4]]).to_list()
        == mat(1, 2, 3, 4).to_list()
    )
    assert qd.Matrix.identity(qd.f32, 2).to_list() == [[1, 0], [0, 1]]
    assert vec3 == qd.types.vector(3, qd.i32)
    assert vec3 != qd.types.vector(3, qd.f32)
    with pytest.raises(ValueError, match=r"\(2,\).*\(3,\)"):
        vec3([1, 2])


def test_structs_have_members_and_methods():
    @qd.dataclass
    class Ball:
        position: qd.types.vector(3, qd.f32)
        mass: qd.f32

        def weight(self, g):
            return self.mass * g

    ball = Ball(position=[1, 2, 3], mass=4)
    assert ball.weight(2) == 8
    assert ball.position.y == 2
    ball.mass = 5
    assert ball.to_dict() == {"position": [1, 2, 3], "mass": 5}
    balls = Ball.field(shape=(2,), layout=qd.Layout.SOA)
    balls[1] = ball
    assert balls[1].weight(10) == 50
    assert Ball().to_dict() == {"position": [0, 0, 0], "mass": 0}
    assert Ball([1, 2, 3], 2).mass == 2
    with pytest.raises(TypeError, match="colour"):
        Ball(colour=1)
    with pytest.raises(TypeError, match="default"):

        @qd.dataclass
        class WithDefault:
            mass: qd.f32 = 1.0


def test_types_of_parameters_keep_what_they_are_given():
    plain = qd.types.ndarray()
    assert (plain.dtype, plain.ndim) == (None, None)
    full = qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=2)
    assert (full.dtype, full.ndim, full.element_shape) == (qd.f32, 2, (3,))
    assert qd.types.ndarray(qd.i32, 1).dtype == qd.i32


@pytest.mark.parametrize("export", [lambda v: v.to_numpy(), np.asarray])
def test_elements_beyond_63_bits_keep_their_digits(export):
    large = 2**63 + 12345
    x = qd.Vector.field(2, qd.u64, 2)
    x[0] = [1, large]
    assert export(x[0]).tolist() == [1, large]
    x[1] = export(x[0])
    assert x[1].to_list() == [1, large]
    m = qd.Matrix([[1, large], [0, 2]])
    assert export(m).tolist() == [[1, large], [0, 2]]
    assert export(qd.Vector([1, 2])).dtype == np.int64


def test_a_product_of_shapes_that_do_not_fit_says_which_do():
    message = r"shapes \(2, 3\) and \(2, 3\) .*as many columns of the first as the second has rows"
    with pytest.raises(ValueError, match=message):
        qd.Matrix([[1, 2, 3], [4, 5, 6]]) @ qd.Matrix([[1, 2, 3], [4, 5, 6]])
