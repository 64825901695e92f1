# SPDX-License-Identifier: Apache-2.0
"""Works on memory that another process filled, through Python's buffer protocol, without NumPy."""

from multiprocessing import get_context
from multiprocessing.shared_memory import SharedMemory

import joggle as jg

COUNT = 1000


def fill(name):
    """Runs in the other process."""
    block = SharedMemory(name)
    assert block.buf is not None
    numbers = block.buf.cast("f")
    for i in range(COUNT):
        numbers[i] = i
    numbers.release()
    block.close()


def main():
    block = SharedMemory(create=True, size=4 * COUNT)
    assert block.buf is not None
    try:
        process = get_context("spawn").Process(target=fill, args=(block.name,))
        process.start()
        process.join()
        # The block may be larger than asked for. The array holds on to this slice of it.
        numbers = jg.asarray(block.buf[: 4 * COUNT].cast("f"))
        print("dtype and shape:", numbers.dtype, numbers.shape)
        print("mean:           ", jg.mean(numbers).item())
        del numbers
    finally:
        block.close()
        block.unlink()


if __name__ == "__main__":
    main()
