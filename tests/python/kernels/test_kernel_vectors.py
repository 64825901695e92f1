# SPDX-License-Identifier: Apache-2.0
"""Vectors and matrices in kernels, against NumPy."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")

vec3 = qd.types.vector(3, qd.f32)
mat3 = qd.types.matrix(3, 3, qd.f32)
A = np.array([[2.0, 1.0, 0.5], [-1.0, 3.0, 1.0], [0.0, 1.0, -4.0]], np.float32)


def test_vectors_pass_by_value_and_return():
    @qd.kernel
    def function(a: vec3, s: float) -> vec3:
        return a * s + qd.Vector([1, 2, 3])

    result = function(qd.Vector([1.0, 2.0, 3.0]), 2.0)
    assert isinstance(result, qd.Matrix)
    assert result.to_list() == [3.0, 6.0, 9.0]
    assert function([0, 0, 1], 1.0).to_list() == [1.0, 2.0, 4.0]


def test_products_and_norms_of_vectors_are_numpys():
    @qd.kernel
    def function(a: vec3, b: vec3, out: qd.types.ndarray(qd.f32, 1)) -> mat3:
        out[0] = a.dot(b)
        out[1] = a.norm()
        out[2] = a.norm_sqr()
        out[3] = a.normalized().sum()
        out[4] = a.max() - b.min()
        out[5] = (a @ b) + qd.Vector([a.x, b.y]).cross(qd.Vector([1.0, 2.0]))
        c = a.cross(b)
        out[6], out[7], out[8] = c
        return a.outer_product(b)

    a, b = np.array([1.0, -2.0, 3.0], np.float32), np.array([0.5, 4.0, -1.0], np.float32)
    out = np.zeros(9, np.float32)
    outer = function(a, b, out)
    cross2 = a[0] * 2 - b[1] * 1
    expected = [
        a @ b,
        np.linalg.norm(a),
        a @ a,
        a.sum() / np.linalg.norm(a),
        3 - -1,
        a @ b + cross2,
    ]
    np.testing.assert_allclose(out, [*expected, *np.cross(a, b)], rtol=1e-5)
    np.testing.assert_allclose(outer.to_numpy(), np.outer(a, b), rtol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_inverse_determinant_trace_and_transpose_are_numpys(n):
    matrix = qd.types.matrix(n, n, qd.f64)

    @qd.kernel
    def function(a: matrix, out: qd.types.ndarray(qd.f64, 1)) -> matrix:
        out[0] = a.determinant()
        out[1] = a.trace()
        return a.inverse() @ a.transpose()

    a = np.random.default_rng(n).normal(size=(n, n)) + 3 * np.eye(n)
    out = np.zeros(2)
    result = function(a, out)
    np.testing.assert_allclose(out, [np.linalg.det(a), np.trace(a)], rtol=1e-10)
    np.testing.assert_allclose(result.to_numpy(), np.linalg.inv(a) @ a.T, rtol=1e-9)


def test_items_swizzles_and_slices_are_read_and_assigned():
    @qd.kernel
    def function(k: int) -> qd.types.vector(4, qd.f32):
        v = qd.Vector([1.0, 2.0, 3.0, 4.0])
        m = qd.Matrix([[1.0, 2.0], [3.0, 4.0]])
        w = v.xy + v[1:3] + m[0, :] + v.wz + m[:, 1]
        v.xy = w
        v.z += 100
        v[k] *= 2.0
        m[k - 2, 1] = 7.0
        v[3] += m[1, 1] + v[k] + m[k - 2, 0]
        return v.yxzw

    v = np.array([1.0, 2, 3, 4])
    w = v[:2] + v[1:3] + [1, 2] + [4, 3] + [2, 4]
    v[:2] = w
    v[2] = 206.0
    v[3] += 4 + 206 + 1
    assert function(2).to_list() == [v[1], v[0], v[2], v[3]]


def test_comparisons_and_conditions_of_vectors_go_item_by_item():
    @qd.kernel
    def function(a: vec3) -> int:
        big = a > 1.5
        picked = qd.select(big, 1, 10)
        return big.any() + 2 * big.all() + 100 * picked.sum() + 10 * big.sum()

    assert function([1, 2, 3]) == 1 + 100 * 12 + 20


def test_matrices_are_made_by_name():
    @qd.kernel
    def function() -> mat3:
        m = qd.Matrix.identity(qd.f32, 3) * 2.0 + qd.Matrix.one(qd.f32, 3, 3)
        m += qd.Matrix.zero(qd.f32, 3, 3)
        m[0, 1] += qd.Vector.unit(3, 1)[1] + qd.Vector([i * 2 for i in range(4)]).sum()
        return m

    expected = 2 * np.eye(3) + 1
    expected[0, 1] += 13
    np.testing.assert_array_equal(function().to_numpy(), expected)


def test_constants_of_the_outside_can_be_vectors():
    gravity = qd.Vector([0.0, -9.5, 1.0])

    @qd.kernel
    def function(a: vec3) -> vec3:
        return a + gravity * 2

    assert function([1, 1, 1]).to_list() == [1, -18, 3]


def test_fields_of_vectors_and_matrices_hold_their_elements():
    x = qd.Vector.field(3, qd.f32, shape=4)
    m = qd.Matrix.field(2, 2, qd.f32, shape=(2, 2))

    @qd.kernel
    def fill():
        for i in x:
            x[i] = qd.Vector([i, 2 * i, 3 * i])
            x[i].y += 0.5
            x[i][2] = x[i][0] * 10
        for i, j in m:
            m[i, j] = qd.Matrix([[i, j], [j, i]])
            m[i, j][0, 1] -= 1

    fill()
    i = np.arange(4)
    np.testing.assert_array_equal(x.to_numpy(), np.stack([i, 2 * i + 0.5, 10 * i], 1))
    assert m[1, 0].to_list() == [[1, -1], [0, 1]]


def test_arrays_of_numpy_hold_vectors_where_the_annotation_says_so():
    @qd.kernel
    def lengths(x: qd.types.ndarray(dtype=vec3, ndim=1), out: qd.types.ndarray()):
        for i in x:
            out[i] = x[i].norm_sqr()

    x = np.arange(12, dtype=np.float32).reshape(3, 4).T
    out = np.zeros(4, np.float32)
    lengths(x, out)
    np.testing.assert_allclose(out, (x * x).sum(1))


def test_a_vector_times_a_matrix_of_one_row_is_refused():
    @qd.kernel
    def product(a: vec3):
        b = qd.Matrix([[1.0, 2.0, 3.0]])
        print(a @ b)

    with pytest.raises((TypeError, ValueError), match="3"):
        product([1.0, 2.0, 3.0])
