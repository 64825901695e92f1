# SPDX-License-Identifier: Apache-2.0
"""Imported memory is live: a lazy array reads what lies there when it is evaluated, not before."""

import numpy as np

import joggle as jg

readings = np.zeros(4, np.float32)
live = jg.from_dlpack(readings)
snapshot = jg.from_dlpack(readings, copy=True)

# Nothing is computed yet, so the sum will see what is written next.
total = jg.sum(live)
readings[:] = [1, 2, 3, 4]
print("sum of the live array   ", total.item())
print("sum of the snapshot     ", jg.sum(snapshot).item())

# Once it is evaluated, an array keeps its value.
readings[:] = 0
print("the same sum, evaluated ", total.item())

# joggle never writes to imported memory: assignment gives the name a new value.
live[0] = 100
print("after live[0] = 100     ", live.tolist(), "and in NumPy", readings.tolist())

# Sharing can be demanded: what cannot be shared is refused then.
try:
    jg.asarray(readings, dtype=jg.float64, copy=False)
except jg.CopyError as error:
    print("copy=False              ", error)
