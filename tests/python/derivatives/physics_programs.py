# SPDX-License-Identifier: Apache-2.0
"""Programs of the kinds that users of Quadrants write. Each is a function of the module, which is
joggle.fields or quadrants itself, and of fields of a World; it gives a kernel to be run, and says
whether it is to be derived."""

import numpy as np

COUNT = 12
GRADIENTS, VALUES = [], []


def derived(function):
    GRADIENTS.append(function)
    return function


def valued(function):
    VALUES.append(function)
    return function


class World:
    def __init__(self, qd):
        self.x, self.y, self.z = (qd.field(qd.f64, COUNT, needs_grad=True) for _ in range(3))
        self.v = qd.Vector.field(2, qd.f64, COUNT, needs_grad=True)
        self.m = qd.Matrix.field(2, 2, qd.f64, COUNT, needs_grad=True)
        self.grid = qd.field(qd.f64, (8, 8), needs_grad=True)
        self.total = qd.field(qd.f64, (), needs_grad=True)
        self.p, self.k = (qd.field(qd.i32, COUNT) for _ in range(2))

    def floats(self):
        return {name: getattr(self, name) for name in ("y", "z", "v", "m", "grid", "total")}

    def set(self, x):
        self.x.from_numpy(x)
        for field in self.floats().values():
            field.fill(0.0)
        self.p.from_numpy(np.array([3, 1, 0, 2, 7, 6, 4, 5, 11, 9, 10, 8], np.int32))
        self.k.from_numpy(np.arange(-6, 6, dtype=np.int32))

    def weigh(self, weights):
        """The gradients of all results, in the order that results() has."""
        for field in self.floats().values():
            shape = field.to_numpy().shape
            size = int(np.prod(shape))
            field.grad.from_numpy(np.array(weights[:size]).reshape(shape))
            weights = weights[size:]

    def results(self):
        return np.concatenate([f.to_numpy().ravel() for f in self.floats().values()])


X = np.linspace(0.21, 1.37, COUNT) + 0.05 * np.cos(7.0 * np.arange(COUNT))


@derived
def nested_static_loops(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            total = qd.Vector([0.0, 0.0], dt=qd.f64)
            for a, b in qd.static(qd.ndrange(3, 2)):
                for c in qd.static(range(a)):
                    total[b] += w.x[(i + a + c) % COUNT] ** (b + 1) * (c + 1)
            w.v[i] += total
            w.y[i] = total.dot(total)

    return run


@derived
def products_of_matrices(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            a = qd.Matrix([[w.x[i], 0.3], [-0.2, 1.0 + w.x[(i + 1) % COUNT]]], dt=qd.f64)
            b = a.inverse() @ a.transpose()
            w.m[i] = b @ b
            w.y[i] = a.determinant() + b.trace()

    return run


@derived
def sums_of_matrices_on_a_grid(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            f = qd.Matrix([[w.x[i], 0.1], [0.2, w.x[i] * w.x[i]]], dt=qd.f64)
            w.m[w.p[i] // 3] += f @ f
            w.v[w.p[i] // 2] += f @ qd.Vector([1.0, w.x[i]], dt=qd.f64)

    return run


@derived
def particles_to_a_grid_and_back(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            at = qd.Vector([w.x[i] * 3.0 + 0.7, w.x[(i + 5) % COUNT] * 3.0 + 0.6], dt=qd.f64)
            base = qd.cast(at - 0.5, qd.i32)
            fx = at - qd.cast(base, qd.f64)
            wx = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
            for a, b in qd.static(qd.ndrange(3, 3)):
                w.grid[base + qd.Vector([a, b])] += wx[a][0] * wx[b][1] * w.x[i]
        for i in w.x:
            at = qd.Vector([w.x[i] * 3.0 + 0.7, w.x[(i + 5) % COUNT] * 3.0 + 0.6], dt=qd.f64)
            base = qd.cast(at - 0.5, qd.i32)
            fx = at - qd.cast(base, qd.f64)
            wx = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
            found = 0.0
            for a, b in qd.static(qd.ndrange(3, 3)):
                found += wx[a][0] * wx[b][1] * w.grid[base + qd.Vector([a, b])]
            w.y[i] = found

    return run


@derived
def springs(qd, w):
    @qd.kernel
    def run():
        for i in range(COUNT - 1):
            a = qd.Vector([w.x[i], 0.2 * w.x[i]], dt=qd.f64)
            b = qd.Vector([w.x[i + 1] + 0.5, 0.7], dt=qd.f64)
            length = (a - b).norm()
            pull = qd.max(length - 0.6, 0.0) * (a - b).normalized()
            qd.atomic_add(w.v[i], -pull)
            qd.atomic_add(w.v[i + 1], pull)
            w.total[None] += 0.5 * (length - 0.6) ** 2

    return run


@derived
def neighbours_within_reach(qd, w):
    @qd.func
    def cubic(r):
        result = qd.cast(0.0, qd.f64)
        if r < 1.0:
            result = 1.0 - 1.5 * r * r * (1.0 - 0.5 * r)
        elif r < 2.0:
            result = 0.25 * (2.0 - r) ** 3
        return result

    @qd.kernel
    def run():
        for i in w.x:
            density = 0.0
            for j in range(COUNT):
                if i != j:
                    density += cubic(qd.abs(w.x[i] - w.x[j]) * 3.0) * (1.0 + w.x[j])
            w.y[i] = density

    return run


@derived
def steps_in_time(qd, w):
    @qd.kernel
    def run():
        for i in range(2):
            w.z[i] = w.x[i]
        for _ in range(1):
            for t in range(1, COUNT - 1):
                force = -w.x[t] * w.z[t] + 0.1 * qd.sin(3.0 * w.z[t - 1])
                w.z[t + 1] = 2.0 * w.z[t] - w.z[t - 1] + 0.2 * force

    return run


@derived
def bounces(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            at = w.x[i]
            speed = 1.0 - w.x[i]
            for _ in range(20):
                at += speed * 0.13
                if at > 1.3:
                    at = 2.6 - at
                    speed = -speed * 0.9
                elif at < 0.1:
                    at = 0.2 - at
                    speed = -speed
            w.y[i] = at * at
            w.z[i] = speed

    return run


@derived
def functions_that_return_early(qd, w):
    @qd.func
    def shape(a, b):
        if a > b:
            if a > 1.2:
                return a * b
            return a - b * b
        elif a * 2.0 > b:
            return qd.exp(-a) * b
        return qd.sin(a) + b

    @qd.kernel
    def run():
        for i in w.x:
            w.y[i] = shape(w.x[i], w.x[(i * 5 + 2) % COUNT])

    return run


@derived
def roots_by_newton(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            guess = 1.0 + w.x[i]
            turns = 0
            while turns < 30:
                turns += 1
                after = guess - (guess * guess * guess - w.x[i]) / (3.0 * guess * guess)
                if qd.abs(after - guess) < 1e-13:
                    break
                guess = after
            w.y[i] = guess

    return run


@derived
def samples_between_cells(qd, w):
    @qd.kernel
    def run():
        for i, j in w.grid:
            w.grid[i, j] = qd.sin(w.x[(i + j) % COUNT] * (i - 0.5 * j))
        for i in w.x:
            at = qd.Vector([2.0 + 3.0 * w.x[i], 5.5 - 2.0 * w.x[w.p[i]]], dt=qd.f64)
            low = qd.floor(at, qd.i32)
            f = at - low
            here = qd.math.mix(w.grid[low], w.grid[low + qd.Vector([1, 0])], f[0])
            above = qd.math.mix(
                w.grid[low + qd.Vector([0, 1])], w.grid[low + qd.Vector([1, 1])], f[0]
            )
            w.y[i] = here * (1.0 - f[1]) + above * f[1]

    return run


@derived
def local_arrays_by_index(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            parts = qd.Vector([0.0] * 4, dt=qd.f64)
            for j in range(6):
                parts[(i + j * j) % 4] += w.x[(i + j) % COUNT] * (j + 1)
            best = parts[0]
            for j in range(1, 4):
                best = qd.max(best, parts[j])
            w.y[i] = best + parts[i % 4] * parts[(i + 1) % 4]

    return run


@derived
def clamps_and_choices(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            low = qd.min(qd.max(w.x[i], 0.5), 1.1)
            chosen = qd.select(w.x[i] > 0.8, low * w.x[i], low - w.x[i])
            other = w.x[i] ** 3 if i % 3 == 0 else qd.atan2(w.x[i], low)
            w.y[i] = chosen + other
            w.z[i] = qd.abs(0.7 - w.x[i]) + qd.tanh(low) + qd.pow(w.x[i], 1.7)

    return run


@derived
def sums_that_normalise(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            w.total[None] += qd.exp(w.x[i])
        for i in w.x:
            w.y[i] = qd.exp(w.x[i]) / w.total[None]
        for i in w.x:
            w.z[w.p[i]] += w.y[i] * qd.log(w.y[i])

    return run


@derived
def scatters_by_a_permutation(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            w.z[w.p[i]] = w.x[i] * qd.sin(w.x[i])
        for i in w.x:
            w.y[i] = w.z[i] * w.z[w.p[i]]

    return run


@derived
def structs_with_methods(qd, w):
    @qd.dataclass
    class Ray:
        at: qd.types.vector(2, qd.f64)
        way: qd.types.vector(2, qd.f64)

        @qd.func
        def point(self, t):
            return self.at + t * self.way

    @qd.kernel
    def run():
        for i in w.x:
            ray = Ray(
                at=qd.Vector([w.x[i], 0.1], dt=qd.f64), way=qd.Vector([0.3, w.x[i]], dt=qd.f64)
            )
            for j in range(3):
                ray.at = ray.point(0.5 * (j + 1))
                ray.way = ray.way * w.x[(i + j) % COUNT]
            w.v[i] = ray.at + ray.way

    return run


@derived
def nests_with_a_continue(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            total = 0.0
            for a, b in qd.ndrange((-1, 2), (i % 3, 4)):
                if (a + b) % 2 == 0:
                    continue
                total += w.x[(i + a + COUNT) % COUNT] * w.x[b]
            w.y[i] = total

    return run


@derived
def swaps_and_components(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            a, b = w.x[i], w.x[w.p[i]]
            if a > b:
                a, b = b, a
            pair = qd.Vector([a, b], dt=qd.f64)
            pair[0] *= pair[1]
            pair.y -= pair.x
            w.v[i] = pair
            w.v[i].x += b * b

    return run


@valued
def old_values_of_atomics(qd, w):
    @qd.kernel
    def run():
        qd.loop_config(serialize=True)
        for i in range(COUNT):
            old = qd.atomic_add(w.total[None], w.x[i])
            w.y[i] = old
            w.z[i % 4] = qd.atomic_max(w.y[i % 5], w.x[i])
            qd.atomic_min(w.y[(i * 7) % COUNT], 0.9)
            qd.atomic_sub(w.z[5], w.x[i])

    return run


@valued
def integers_round_down(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            k = w.k[i]
            w.y[i] = k // 4 * 1000 + k % 4 * 100 + (k >> 1) * 10 + (k & 3)
            w.z[i] = qd.cast(w.x[i] * k, qd.i32) + (k ^ 5) * 0.5 + qd.cast(k, qd.u8)
            w.v[i] = [-k // 3, k % -5]

    return run


@valued
def chains_of_comparisons(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            inside = 0.4 < w.x[i] <= 1.1 and not (w.k[i] == 0 or w.k[i] == -3)
            w.y[i] = inside
            w.z[i] = (w.x[i] > 1.0) + (w.k[i] > 0) * 2
            if not inside and (w.k[i] < -2 or w.x[i] > 1.2):
                w.z[i] += 10

    return run


@valued
def recursion_of_real_functions(qd, w):
    @qd.real_func
    def ways(n: qd.i32, k: qd.i32) -> qd.i32:
        if k == 0 or k == n:
            return 1
        return ways(n - 1, k - 1) + ways(n - 1, k)

    @qd.kernel
    def run():
        for i in w.x:
            w.y[i] = ways(COUNT, i)

    return run


@valued
def cells_of_a_pointer(qd, w):
    s = qd.field(qd.f64)
    block = qd.root.pointer(qd.i, 8)
    block.dense(qd.i, 4).place(s)

    @qd.kernel
    def fill():
        for i in range(COUNT):
            if i % 5 != 0:
                s[i * 2] += w.x[i]

    @qd.kernel
    def gather():
        for i in s:
            w.total[None] += 1.0
            w.y[i % COUNT] += s[i] * (i + 1)

    def run():
        block.deactivate_all()
        fill()
        gather()

    return run


@valued
def lists_that_grow(qd, w):
    s = qd.field(qd.i32)
    rows = qd.root.dense(qd.i, COUNT)
    lists = rows.dynamic(qd.j, 32, chunk_size=4)
    lists.place(s)

    @qd.kernel
    def fill():
        for i in range(COUNT):
            qd.deactivate(lists, [i])
        for i in range(COUNT):
            for j in range(i % 5):
                s[i].append(j * j + i)

    @qd.kernel
    def gather():
        for i in range(COUNT):
            for j in range(s[i].length()):
                w.y[i] += s[i, j]
            w.z[i] = s[i].length()

    def run():
        fill()
        gather()

    return run


@valued
def decompositions(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            a = qd.Matrix([[w.x[i], 0.4], [0.1, 1.0 - w.x[w.p[i]]]], dt=qd.f64)
            u, sig, v = qd.svd(a, qd.f64)
            r, s = qd.polar_decompose(a, qd.f64)
            w.m[i] = u @ sig @ v.transpose() + r @ s
            w.v[i] = [sig[0, 0], sig[1, 1]]
            w.y[i] = r.determinant()

    return run


@valued
def vectors_by_parts(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            a = qd.math.vec3(w.x[i], 2.0, w.k[i])
            b = a.zyx.cross(a) + a.xxy * 0.5
            w.v[i] = b.xy + qd.math.normalize(a.yz)
            w.y[i] = qd.math.length(b) + qd.math.fract(w.x[i] * 7.0) + b.max()
            w.z[i] = qd.math.clamp(b.z, -1.0, 1.0) + qd.math.sign(a.z) + qd.math.mod(b.x, 0.3)

    return run


@valued
def loops_that_leave(qd, w):
    @qd.kernel
    def run():
        for i in w.x:
            found = -1
            for a in range(COUNT):
                if w.p[a] == i:
                    found = a
                    break
            steps = 0
            n = found * 3 + 1
            while n != 1:
                if n % 2 == 0:
                    n //= 2
                else:
                    n = 3 * n + 1
                steps += 1
                if steps > 25:
                    break
            w.y[i] = steps
            w.z[i] = found

    return run
