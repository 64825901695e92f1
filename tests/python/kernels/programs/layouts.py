# SPDX-License-Identifier: Apache-2.0
"""Trees of axes, axis order, structs of arrays, fields without axes."""

import joggle.fields as qd

a, b, c = qd.field(qd.f32), qd.field(qd.i32), qd.field(qd.f32)
qd.root.dense(qd.ij, (4, 4)).dense(qd.ij, (2, 2)).place(a)
qd.root.dense(qd.i, 8).place(b, c)
total = qd.field(qd.f32, shape=())
state = qd.Struct.field({"x": qd.f32, "y": qd.i32}, shape=(3, 2), layout=qd.Layout.SOA)


@qd.kernel
def fill():
    for i, j in a:
        a[i, j] = i * 100 + j
        total[None] += 1.0
    for i in b:
        b[i] = i * i
        c[i] = b[i] / 2
    for i, j in state:
        state[i, j].x = i + 0.5 * j
        state.y[i, j] = i - j


def run():
    fill()
    data = state.to_numpy()
    return {
        "a": a.to_numpy(),
        "b": b.to_numpy(),
        "c": c.to_numpy(),
        "total": total[None],
        "x": data["x"],
        "y": data["y"],
    }
