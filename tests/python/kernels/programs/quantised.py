# SPDX-License-Identifier: Apache-2.0
"""Springs whose state is kept in numbers of few bits, which round at each write."""

import numpy as np

import joggle.fields as qd

n = 40
place = qd.types.quant.fixed(bits=16, max_value=2.0)
speed = qd.types.quant.fixed(bits=12, max_value=1.0)
kind = qd.types.quant.int(bits=4, signed=False)
x, v, k = qd.field(place), qd.field(speed), qd.field(kind)
packed = qd.BitpackedFields(max_num_bits=32)
packed.place(x, v, k)
qd.root.dense(qd.i, n).place(packed)
energy = qd.field(qd.f32, shape=())


@qd.kernel
def start():
    for i in range(n):
        x[i] = qd.sin(0.3 * i)
        v[i] = 0.0
        k[i] = i % 16


@qd.kernel
def step(dt: qd.f32):
    for i in range(n):
        pull = -(1.0 + k[i] / 8.0) * x[i]
        v[i] = qd.max(-0.9, qd.min(0.9, v[i] + dt * pull))
        x[i] = x[i] + dt * v[i]


@qd.kernel
def measure():
    for i in range(n):
        energy[None] += 0.5 * v[i] * v[i] + 0.5 * (1.0 + k[i] / 8.0) * x[i] * x[i]


def run():
    start()
    for _ in range(20):
        step(0.05)
    measure()
    read = np.array([[x[i], v[i], k[i]] for i in range(n)], np.float32)
    return {"state": read, "energy": energy[None]}
