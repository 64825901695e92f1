# SPDX-License-Identifier: Apache-2.0
"""Heat that spreads by implicit steps: a sparse matrix from a kernel, and a solver."""

import numpy as np

import joggle.fields as qd

n, steps, dt = 12, 5, 0.2


@qd.kernel
def fill(builder: qd.types.sparse_matrix_builder()):
    for i, j in qd.ndrange(n, n):
        row, near = i * n + j, 0.0
        for di, dj in qd.static([(-1, 0), (1, 0), (0, -1), (0, 1)]):
            if 0 <= i + di < n and 0 <= j + dj < n:
                builder[row, (i + di) * n + j + dj] += -dt
                near += dt
        builder[row, row] += 1.0 + near


def run():
    builder = qd.linalg.SparseMatrixBuilder(n * n, n * n, max_num_triplets=5 * n * n)
    fill(builder)
    matrix = builder.build()
    solver = qd.linalg.SparseSolver(solver_type="LLT")
    solver.analyze_pattern(matrix)
    solver.factorize(matrix)
    heat = np.zeros(n * n, np.float32)
    heat[n * n // 2 + n // 3] = 100.0
    told = [heat]
    for _ in range(steps):
        told.append(np.asarray(solver.solve(told[-1])))
    return {"heat": np.stack(told), "sums": np.stack(told).sum(axis=1), "again": matrix @ told[-1]}
