# SPDX-License-Identifier: Apache-2.0
"""Sorting and searching: serial loops, swaps, break, loop_config, templates."""

import numpy as np

import joggle.fields as qd

n = 16
keys = qd.field(qd.i32, shape=n)
found = qd.field(qd.i32, shape=n)


@qd.func
def swap(x: qd.template(), i, j):
    old = x[i]
    x[i] = x[j]
    x[j] = old


@qd.kernel
def sort(x: qd.template()):
    qd.loop_config(serialize=True)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                swap(x, j, j + 1)


@qd.kernel
def search():
    for i in range(n):
        low, high = 0, n
        while low < high:
            middle = (low + high) // 2
            if keys[middle] < i * 7:
                low = middle + 1
            else:
                high = middle
        found[i] = low


@qd.kernel
def first_above(limit: qd.i32) -> qd.i32:
    place = -1
    for _ in range(1):
        for i in range(n):
            if keys[i] > limit:
                place = i
                break
    return place


def run():
    keys.from_numpy(np.random.default_rng(3).integers(0, 100, n).astype(np.int32))
    sort(keys)
    search()
    return {"keys": keys.to_numpy(), "found": found.to_numpy(), "first": first_above(40)}
