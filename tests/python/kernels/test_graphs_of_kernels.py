# SPDX-License-Identifier: Apache-2.0
"""qd.graph.GraphBuilder: kernels in order, with arguments by name."""

import numpy as np
import pytest

import joggle.fields as qd
from joggle.fields.graph import Arg, ArgKind, GraphBuilder


@qd.kernel
def scale(x: qd.types.ndarray(ndim=1), by: qd.f32):
    for i in range(x.shape[0]):
        x[i] *= by


@qd.kernel
def add(x: qd.types.ndarray(ndim=1), y: qd.types.ndarray(dtype=qd.math.vec2, ndim=1)):
    for i in range(x.shape[0]):
        y[i] += qd.Vector([x[i], 1.0])


X = Arg(ArgKind.NDARRAY, "x", dtype=qd.f32, ndim=1)
Y = Arg(ArgKind.NDARRAY, "y", dtype=qd.math.vec2, ndim=1)
BY = Arg(ArgKind.SCALAR, "by", dtype=qd.f32)


def made():
    builder = GraphBuilder()
    builder.dispatch(scale, X, BY)
    twice = builder.create_sequential()
    twice.dispatch(add, X, Y)
    builder.append(twice)
    builder.dispatch(scale, X, 10.0)
    builder.append(twice)
    return builder.compile()


def test_a_graph_runs_its_kernels_in_order():
    graph = made()
    for _ in range(2):
        x, y = np.array([1, 2], np.float32), qd.Vector.ndarray(2, qd.f32, 2)
        graph.run({"x": x, "y": y, "by": 3})
        assert x.tolist() == [30, 60]
        assert y.to_numpy().tolist() == [[33, 2], [66, 2]]


def test_arguments_that_do_not_fit_are_refused_by_name():
    graph, x, y = made(), np.ones(2, np.float32), np.zeros((2, 2), np.float32)
    graph.run({"x": x, "y": y, "by": 1})
    with pytest.raises(TypeError, match="by: missing, allowed are x, by, y"):
        graph.run({"x": x, "y": y})
    with pytest.raises(TypeError, match="z: unknown, allowed are x, by, y"):
        graph.run({"x": x, "y": y, "by": 1, "z": 2})
    with pytest.raises(
        TypeError, match=r"x: got an array of shape \(2, 2\), allowed are arrays of 1"
    ):
        graph.run({"x": y, "y": y, "by": 1})
    with pytest.raises(TypeError, match="x: got int, allowed are arrays of 1"):
        graph.run({"x": 1, "y": y, "by": 1})
    with pytest.raises(TypeError, match="x: got float64, allowed is float32"):
        graph.run({"x": np.ones(2), "y": y, "by": 1})
    assert x.tolist() == [10, 10]  # by the first run alone
    with pytest.raises(TypeError, match="kernel_fn: got"):
        GraphBuilder().dispatch(print, X)
    with pytest.raises(TypeError, match="node: got 3"):
        GraphBuilder().append(3)
    with pytest.raises(TypeError, match=r"tag: got 'scalar', allowed is one of graph\.ArgKind"):
        Arg("scalar", "t")
