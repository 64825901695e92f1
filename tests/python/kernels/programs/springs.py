# SPDX-License-Identifier: Apache-2.0
"""A hanging chain of springs in a class: methods as kernels, vectors, serial time steps."""

import joggle.fields as qd


@qd.data_oriented
class Chain:
    def __init__(self, n):
        self.n = n
        self.rest = 1.0 / n
        self.x = qd.Vector.field(3, dtype=qd.f32, shape=n)
        self.v = qd.Vector.field(3, dtype=qd.f32, shape=n)

    @qd.kernel
    def start(self):
        for i in range(self.n):
            self.x[i] = qd.Vector([i * self.rest, 0.0, 0.1 * i * i])
            self.v[i] = qd.Vector([0.0, 0.0, 0.0])

    @qd.func
    def pull(self, i, j):
        d = self.x[j] - self.x[i]
        length = d.norm() + 1e-6
        return 50.0 * (length - self.rest) * d / length

    @qd.kernel
    def step(self, dt: qd.f32):
        for i in range(self.n):
            force = qd.Vector([0.0, -9.8, 0.0])
            if i > 0:
                force += self.pull(i, i - 1)
            if i < self.n - 1:
                force += self.pull(i, i + 1)
            self.v[i] = (self.v[i] + dt * force) * qd.exp(-dt)
        for i in range(1, self.n):
            self.x[i] += dt * self.v[i]

    @qd.kernel
    def energy(self) -> qd.f32:
        total = 0.0
        for i in range(self.n):
            total += 0.5 * self.v[i].norm_sqr()
        return total


def run():
    chain = Chain(12)
    chain.start()
    for _ in range(5):
        chain.step(0.01)
    return {"x": chain.x.to_numpy(), "v": chain.v.to_numpy(), "energy": chain.energy()}
