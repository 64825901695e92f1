# SPDX-License-Identifier: Apache-2.0
"""The kernels of field_kernels as a user of NVIDIA Warp writes them: each function takes the module
and gives what launches on Warp's arrays; ELEMENTS names those whose elements are vectors."""

ELEMENTS = {"nbody": "vec3"}


def saxpy(wp, a=2.0):
    array = wp.array(dtype=wp.float32)

    @wp.kernel
    def saxpy_kernel(z: array, x: array, y: array, a: wp.float32):
        i = wp.tid()
        z[i] = a * x[i] + y[i]

    return lambda z, x, y: wp.launch(saxpy_kernel, dim=x.shape, inputs=[z, x, y, a])


def stencil(wp):
    """The mean of the four neighbours, inside."""
    image = wp.array2d(dtype=wp.float32)

    @wp.kernel
    def stencil_kernel(v: image, u: image):
        i, j = wp.tid()
        i = i + 1
        j = j + 1
        v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

    def run(v, u):
        inside = (u.shape[0] - 2, u.shape[1] - 2)
        wp.launch(stencil_kernel, dim=inside, inputs=[v, u])

    return run


def nbody(wp):
    """The pull of all bodies on each of them."""
    rows = wp.array(dtype=wp.vec3)

    @wp.kernel
    def nbody_kernel(pull: rows, place: rows):
        i = wp.tid()
        here = place[i]
        total = wp.vec3(0.0, 0.0, 0.0)
        for j in range(place.shape[0]):
            d = place[j] - here
            inverse = 1.0 / wp.sqrt(wp.dot(d, d) + 1.0e-3)
            total += d * (inverse * inverse * inverse)
        pull[i] = total

    return lambda pull, place: wp.launch(nbody_kernel, dim=place.shape, inputs=[pull, place])


def matmul(wp):
    matrix = wp.array2d(dtype=wp.float32)

    @wp.kernel
    def matmul_kernel(c: matrix, a: matrix, b: matrix):
        i, j = wp.tid()
        total = float(0)  # not 0.0, which Warp takes for a constant
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total

    return lambda c, a, b: wp.launch(matmul_kernel, dim=c.shape, inputs=[c, a, b])


def histogram(wp):
    integers = wp.array(dtype=wp.int32)

    @wp.kernel
    def histogram_kernel(counts: integers, values: integers):
        wp.atomic_add(counts, values[wp.tid()], 1)

    def run(counts, values):
        counts.zero_()
        wp.launch(histogram_kernel, dim=values.shape, inputs=[counts, values])

    return run


def total(wp):
    array = wp.array(dtype=wp.float32)

    @wp.kernel
    def total_kernel(sum: array, values: array):
        wp.atomic_add(sum, 0, values[wp.tid()])

    def run(sum, values):
        sum.zero_()
        wp.launch(total_kernel, dim=values.shape, inputs=[sum, values])

    return run
