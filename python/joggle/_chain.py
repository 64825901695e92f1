# SPDX-License-Identifier: Apache-2.0
"""A chain of matrix products, in the order that takes the fewest multiplications."""

from joggle import _core


def product_of(arrays):
    """The product in the best order, by the least cost of every run of neighbours."""
    sizes = [array.shape[0] for array in arrays] + [arrays[-1].shape[1]]
    best = {(at, at): (0, at) for at in range(len(arrays))}
    for length in range(1, len(arrays)):
        for low in range(len(arrays) - length):
            high = low + length
            best[low, high] = min(
                (
                    best[low, cut][0]
                    + best[cut + 1, high][0]
                    + sizes[low] * sizes[cut + 1] * sizes[high + 1],
                    cut,
                )
                for cut in range(low, high)
            )

    def product(low, high):
        if low == high:
            return arrays[low]
        cut = best[low, high][1]
        return _core.matmul(product(low, cut), product(cut + 1, high))

    return product(0, len(arrays) - 1)
