# SPDX-License-Identifier: Apache-2.0
"""qd.math in kernels and in Python gives the same numbers."""

import cmath
import math

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")
tm = qd.math


def test_functions_of_shaders_agree_with_their_formulas():
    @qd.kernel
    def function(x: qd.f64, out: qd.types.ndarray(qd.f64, 1)):
        out[0] = tm.clamp(x, -1.0, 1.0)
        out[1] = tm.mix(2.0, 4.0, x)
        out[2] = tm.fract(x)
        out[3] = tm.mod(x, 0.75)
        out[4] = tm.step(1.0, x)
        out[5] = tm.smoothstep(0.0, 4.0, x)
        out[6] = tm.degrees(x) + tm.radians(x)
        out[7] = tm.sign(-x) + tm.pi

    x, out = 2.4, np.zeros(8)
    function(x, out)
    t = x / 4
    expected = [1, 2 + 2 * x, x - 2, x % 0.75, 1, t * t * (3 - 2 * t)]
    expected += [math.degrees(x) + math.radians(x), math.pi - 1]
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    assert tm.clamp(x, -1.0, 1.0) == 1
    assert tm.fract(x) == x - 2


def test_functions_of_vectors_give_what_numpy_gives():
    vec3 = qd.types.vector(3, qd.f64)

    @qd.kernel
    def function(x: vec3, n: vec3) -> tuple[vec3, vec3, qd.f64]:
        turned = tm.rot_by_axis(n, 0.5) @ qd.Vector([x[0], x[1], x[2], 1.0])
        return (
            tm.reflect(x, n),
            turned.xyz,
            tm.distance(x, n) + tm.length(x) * tm.normalize(x).sum(),
        )

    x, n = np.array([1.0, -2.0, 0.5]), np.array([0.0, 0.6, 0.8])
    mirrored, turned, number = function(x, n)
    np.testing.assert_allclose(mirrored.to_numpy(), x - 2 * (x @ n) * n, rtol=1e-6)
    expected = (
        x * math.cos(0.5) + np.cross(n, x) * math.sin(0.5) + n * (n @ x) * (1 - math.cos(0.5))
    )
    np.testing.assert_allclose(turned.to_numpy(), expected, rtol=1e-6)
    assert number == pytest.approx(np.linalg.norm(x - n) + x.sum(), rel=1e-6)


def test_vectors_of_two_are_computed_with_as_complex_numbers():
    vec2 = qd.types.vector(2, qd.f64)

    @qd.kernel
    def function(z: vec2, w: vec2) -> qd.types.matrix(6, 2, qd.f64):
        rows = [tm.cmul(z, w), tm.cdiv(z, w), tm.cexp(z), tm.clog(z), tm.csqrt(z), tm.cpow(z, 3.0)]
        return qd.Matrix.rows(rows)

    z, w = 1.5 - 0.5j, -0.25 + 2j
    found = function([z.real, z.imag], [w.real, w.imag]).to_numpy()
    expected = [z * w, z / w, cmath.exp(z), cmath.log(z), cmath.sqrt(z), z**3]
    np.testing.assert_allclose(found[:, 0] + 1j * found[:, 1], expected, rtol=1e-6)


def test_types_have_the_default_dtypes():
    assert tm.vec3.dtype == qd.f32 and tm.mat2.element_shape == (2, 2) and tm.ivec4.dtype == qd.i32
    qd.init(default_fp=qd.f64)
    assert tm.vec3.dtype == qd.f64
