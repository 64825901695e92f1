# SPDX-License-Identifier: Apache-2.0
"""Drops a fluid of particles into a box, with the particles' members side by side in memory (AOS)
and apart (SOA); PyTorch reads both in place while it falls.

Writes demo/fluid.png. Fails if the layouts, NumPy and Quadrants do not agree, if PyTorch sees
another memory than the kernel writes, or if the fluid has not come down.
"""

from collections.abc import Callable
from pathlib import Path

from simulations import beside, fluid, pictures

import joggle.fields as qd

COUNT, CELLS, STEPS, LAYOUTS = 8192, 128, 900, ("AOS", "SOA")
OUT = Path("demo/fluid.png")


def check(fluids):
    """After a few steps everybody has the places that NumPy has."""
    state = fluid.numpy_state(COUNT)
    for _ in range(5):
        state = fluid.numpy_step(state, CELLS)
        for _, step in fluids.values():
            step()
    for name, (particles, _) in fluids.items():
        for member, tolerance in (("x", 1e-5), ("v", 1e-3), ("J", 1e-4)):
            error = abs(getattr(particles, member).to_numpy() - state[member]).max()
            assert error < tolerance, f"{name} and NumPy do not agree about {member}: {error}"


def fall(particles, step):
    """Places, speeds and energy at some moments, from tensors that are the field's memory."""
    x, v = particles.x.to_torch(copy=False), particles.v.to_torch(copy=False)
    moments, energies = [], []
    for turn in range(4):
        for _ in range(STEPS * (turn > 0)):
            step()
        energies.append((0.5 * v.square().sum(1) + fluid.GRAVITY * x[:, 1]).mean().item())
        moments.append((x.clone(), v.norm(dim=1), f"{energies[-1]:.2f} J/kg"))
    assert particles.x.to_torch(copy=False).data_ptr() == x.data_ptr(), "the memory has moved"
    assert energies[-1] < 0.75 * energies[0], "the fluid has not come down"
    print(f"PyTorch reads places with the strides {x.stride()}, speeds with {v.stride()}")
    return moments


def main():
    fluids = {f"joggle, {name}": fluid.make_fluid(qd, COUNT, CELLS, name) for name in LAYOUTS}
    if quadrants := beside.load_quadrants():
        for name in LAYOUTS:
            fluids[f"Quadrants, {name}"] = fluid.make_fluid(quadrants, COUNT, CELLS, name)
    check(fluids)
    moments = [fall(*fluids[f"joggle, {name}"]) for name in LAYOUTS]
    calls: dict[str, Callable[[], object]] = {name: step for name, (_, step) in fluids.items()}
    state = fluid.numpy_state(COUNT)
    calls["NumPy"] = lambda: fluid.numpy_step(state, CELLS)
    beside.print_table(f"one step of {COUNT} particles", calls)
    pictures.save_particles(OUT, moments[-1])
    print(f"wrote {OUT}")


if __name__ == "__main__":
    main()
