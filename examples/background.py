# SPDX-License-Identifier: Apache-2.0
"""Starts work with async_eval and goes on; whoever needs the value waits for it."""

import time

import joggle as jg

x = jg.full((2000, 2000), 0.5)
jg.eval(x)

product = x @ x
start = time.perf_counter()
jg.async_eval(product)
started = time.perf_counter() - start
print(f"async_eval came back after {started * 1e6:.0f} us; the product is {product.status}")

# More can be built on a result that is still being computed.
corner = jg.sum(product[:2, :2])
print("the corner's sum is", corner.item())
print(f"it took {time.perf_counter() - start:.3f} s; the product is {product.status}")
jg.synchronize()  # waits for all that was started
