# SPDX-License-Identifier: Apache-2.0
"""A loop that is left before it would read memory that it must not: turns behind a break are not
looked at, whatever is decided for several at once."""

import ctypes
import mmap

import numpy as np

import joggle.fields as qd

qd.init(arch=qd.cpu)
pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
forbidden = ctypes.c_void_p(address + mmap.PAGESIZE)
assert ctypes.CDLL(None).mprotect(forbidden, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
x = np.frombuffer(pages, np.float32, count=20, offset=mmap.PAGESIZE - 80)
x[:] = 0.5
x[-1] = 9
start, size = qd.field(qd.i32, shape=2), qd.field(qd.i32, shape=2)
start.from_numpy(np.array([0, 10], np.int32))
size.from_numpy(np.array([10, 60], np.int32))
out = qd.field(qd.f32, shape=4)


@qd.kernel
def run(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(4):
        total = 0.0
        for s in range(size.shape[0]):
            for j in range(start[s], start[s] + size[s]):
                if qd.abs(x[i] - x[j]) > 5.0:
                    total += x[j] / (x[i] + 1.0)
                    break
        out[i] = total


run(x)
print(out.to_numpy().tolist())
