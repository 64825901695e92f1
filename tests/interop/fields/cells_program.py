# SPDX-License-Identifier: Apache-2.0
"""A program of Quadrants with all kinds of nodes; argument: the module that it runs on."""

import importlib
import sys

import numpy as np

qd = importlib.import_module(sys.argv[1])
qd.init(arch=qd.cpu)


def tell(name, *values):
    shown = [x.tolist() if isinstance(x, np.ndarray) else x for x in values]
    print(f"{name}:", *shown)


x, z = qd.field(qd.f32), qd.field(qd.f32)
blocks = qd.root.pointer(qd.ij, 4)
inner = blocks.bitmasked(qd.ij, 4)
inner.place(x)
line = qd.root.pointer(qd.i, 8)
line.dense(qd.i, 4).place(z)

a, b, loss = qd.field(qd.f32), qd.field(qd.f32), qd.field(qd.f32)
qd.root.pointer(qd.i, 16).dense(qd.i, 4).place(a)
qd.root.bitmasked(qd.i, 64).place(b)
qd.root.place(loss)

v = qd.Vector.field(2, qd.f32)
s = qd.Struct.field({"a": qd.i32, "m": qd.types.vector(2, qd.f32)})
shared = qd.root.pointer(qd.ij, (4, 2))
shared.bitmasked(qd.ij, (2, 3)).place(v)
shared.dense(qd.j, 3).place(s)

moved = qd.field(qd.i32)
qd.root.pointer(qd.i, 8).dense(qd.i, 4).place(moved, offset=-16)

lists, queue = qd.field(qd.i32), qd.field(qd.i32)
qd.root.dense(qd.i, 4).dynamic(qd.j, 16, chunk_size=4).place(lists)
ways = qd.root.pointer(qd.i, 4).dynamic(qd.j, 8)
ways.place(queue)
qd.root.lazy_grad()


@qd.kernel
def indices(node: qd.template()):
    for index in qd.grouped(node):
        print("index:", index)


@qd.kernel
def is_active(node: qd.template(), i: qd.i32, j: qd.i32) -> qd.i32:
    return qd.is_active(node, [i, j])


@qd.kernel
def deactivate(node: qd.template(), i: qd.i32, j: qd.i32):
    qd.deactivate(node, [i, j])


@qd.kernel
def activate(node: qd.template(), i: qd.i32, j: qd.i32):
    qd.activate(node, [i, j])


@qd.kernel
def grow():
    for i in z:
        z[i + 4] = z[i] + 1


@qd.kernel
def rescaled():
    print("rescaled:", qd.rescale_index(x, blocks, [5, 9]))


@qd.kernel
def square():
    for i in a:
        b[i] = a[i] * a[i]


@qd.kernel
def add():
    for i in b:
        loss[None] += b[i] * 3.0


@qd.kernel
def change():
    for i, j in v:
        v[i, j][0] += 1
        v[i, j] *= 2
        v[(i + 2) % 8, j] += qd.Vector([0.5, 0.5])
    for i, j in s:
        s[i, j].a += 1


@qd.kernel
def show():
    for index in qd.grouped(v):
        print("v:", index, v[index])
    for i, j in s:
        if s[i, j].a != 0 or s[i, j].m[0] != 0:
            print("s:", i, j, s[i, j].a, s[i, j].m)
    for i in moved:
        if moved[i] != 0:
            print("moved:", i, moved[i])
        moved[i] += 1


@qd.kernel
def append() -> qd.i32:
    last = 0
    for i in range(4):
        for j in range(i):
            last = qd.append(lists.parent(), i, j * 10)
    for k in range(12):
        qd.append(ways, k % 3, k)
    return last


@qd.kernel
def length(node: qd.template(), i: qd.i32) -> qd.i32:
    return qd.length(node, i)


@qd.kernel
def end(i: qd.i32):
    qd.deactivate(lists.parent(), i)


@qd.kernel
def of_list(i: qd.i32) -> qd.i32:
    lists[i].append(7)
    return lists[i].length()


@qd.kernel
def total() -> qd.i32:
    result = 0
    for i, j in queue:
        result += queue[i, j] * (i + 1)
    return result


tell("shapes", blocks.shape, inner.shape, x.shape, x.parent().parent().shape, lists.shape)
x[5, 9] = 3.0
for node in (blocks, inner, x):
    indices(node)
qd.sync()
tell("active", is_active(blocks, 1, 2), is_active(blocks, 2, 2), is_active(inner, 5, 8))
x[5, 8] = 7.0
deactivate(blocks, 1, 2)
tell("ended", x[5, 8], x[5, 9], is_active(inner, 5, 8), is_active(blocks, 1, 2))
activate(blocks, 1, 2)
tell("again", x[5, 8], is_active(inner, 5, 8), is_active(blocks, 1, 2))
x[0, 0] = 4
x.fill(2.0)
tell("filled", x.to_numpy().sum())
x.from_numpy(np.ones((16, 16), np.float32))
tell("taken", x.to_numpy().sum())
z[3] = 1.0
z.fill(5.0)
tell("z", z.to_numpy())
grow()
tell("grown", z.to_numpy())
grow()
tell("grown twice", z.to_numpy())
line.deactivate_all()
tell("none", z.to_numpy())
rescaled()
qd.sync()

for i in (1, 2, 5, 40):
    a[i] = float(i)
with qd.ad.Tape(loss):
    square()
    add()
tell("loss", loss[None], a.grad.to_numpy(), b.to_numpy())

v[3, 4] = [1, 2]
s[1, 2].a = 5
s[3, 1].m = [3, 4]
moved[-16], moved[15], moved[-3] = 3, 7, 9
show()
change()
show()
qd.sync()

tell("last", append(), lists.to_numpy())
tell("lengths", [length(lists.parent(), i) for i in range(4)])
tell("queue", [length(ways, i) for i in range(4)], total())
end(3)
tell("without", [length(lists.parent(), i) for i in range(4)], lists.to_numpy())
lists[3, 5] = 9
tell("written", length(lists.parent(), 3), lists.to_numpy())
tell("of a list", [of_list(i) for i in range(4)])
ways.deactivate_all()
tell("queue again", [length(ways, i) for i in range(4)], total())
z[1] = x[0, 0] = 1.0
qd.deactivate_all_snodes()
tell("nothing", z[1], x[0, 0], [length(lists.parent(), i) for i in range(4)])
