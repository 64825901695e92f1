# SPDX-License-Identifier: Apache-2.0
"""Scenes of Genesis, a physics engine written for Quadrants, on joggle.fields and on Quadrants.

    python clients/genesis_scenes.py [--only TEXT] [--steps N] [--out FILE]

Genesis is installed into an environment of its own, build/clients/genesis, as it comes from PyPI;
joggle is found there by PYTHONPATH, as `make clients` sets it. Each scene is built and run in a
process of its own, on both in turn, with no cache of compiled kernels; compared are the positions
of all bodies or particles after the last step, or a gradient through all steps.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("torch==2.13.0", "genesis-world==1.4.5")
CLOSE = 1e-3  # how far numbers may lie apart, of the largest


def rigid(gs, *morphs):
    scene = gs.Scene(show_viewer=False, sim_options=gs.options.SimOptions(dt=0.01))
    bodies = [scene.add_entity(morph) for morph in (gs.morphs.Plane(), *morphs)]
    return scene, bodies[-1].get_qpos


def particles(gs, material, morph, **options):
    sim = gs.options.SimOptions(dt=2e-3, substeps=10)
    scene = gs.Scene(show_viewer=False, sim_options=sim, **options)
    scene.add_entity(gs.morphs.Plane())
    body = scene.add_entity(material=material, morph=morph)
    if hasattr(body, "get_particles_pos"):
        return scene, body.get_particles_pos
    return scene, lambda: body.get_state().pos


def cube(gs, side=0.3):
    return gs.morphs.Box(pos=(0, 0, 0.65), size=(side,) * 3)


def room(**options):
    return {"lower_bound": (-0.5, -0.5, 0), "upper_bound": (0.5, 0.5, 1), **options}


def box(gs):
    morph = gs.morphs.Box(size=(0.2, 0.2, 0.2), pos=(0, 0, 0.5), euler=(10, 20, 30))
    return rigid(gs, morph)


def franka_arm(gs):
    return rigid(gs, gs.morphs.MJCF(file="xml/franka_emika_panda/panda.xml"))


def sph_liquid(gs):
    options = gs.options.SPHOptions(**room(particle_size=0.02))
    return particles(gs, gs.materials.SPH.Liquid(), cube(gs), sph_options=options)


def mpm_elastic(gs):
    options = gs.options.MPMOptions(**room(grid_density=64))
    return particles(gs, gs.materials.MPM.Elastic(), cube(gs, 0.2), mpm_options=options)


def pbd_liquid(gs):
    options = gs.options.PBDOptions(**room(particle_size=0.02))
    return particles(gs, gs.materials.PBD.Liquid(), cube(gs), pbd_options=options)


def cloth(gs):
    morph = gs.morphs.Mesh(file="meshes/cloth.obj", scale=1.0, pos=(0, 0, 0.5))
    options = gs.options.PBDOptions(particle_size=1e-2)
    return particles(gs, gs.materials.PBD.Cloth(), morph, pbd_options=options)


def fem_elastic(gs):
    return particles(gs, gs.materials.FEM.Elastic(), cube(gs, 0.2))


def mpm_gradient(gs):
    """The derivative of where a thrown cube is by its velocity."""
    import torch

    scene = gs.Scene(
        show_viewer=False,
        sim_options=gs.options.SimOptions(dt=2e-3, substeps=10, requires_grad=True),
        mpm_options=gs.options.MPMOptions(**room(grid_density=32)),
    )
    body = scene.add_entity(material=gs.materials.MPM.Elastic(), morph=cube(gs))
    velocity = torch.tensor([0.5, -0.2, 0.1], requires_grad=True)

    def gradient():
        goal = torch.tensor([0.2, 0.1, 0.3])
        loss = ((body.get_state().pos - goal) ** 2).sum()
        loss.backward()
        return velocity.grad

    gradient.before = lambda: body.set_velocity(velocity)
    return scene, gradient


SCENES = (box, franka_arm, sph_liquid, mpm_elastic, pbd_liquid, cloth, fem_elastic, mpm_gradient)


def play(which, name, steps, result):
    """Builds and runs a scene in this process; RESULT, a file of NumPy's, gets what is told."""
    if which == "joggle":
        import joggle.fields

        joggle.fields.install()
    import genesis as gs

    gs.init(backend=gs.cpu, precision="32", logging_level="error", seed=0)
    scene, final = {scene.__name__: scene for scene in SCENES}[name](gs)
    times = [time.perf_counter()]
    scene.build()
    times.append(time.perf_counter())
    getattr(final, "before", lambda: None)()
    for _ in range(steps):
        scene.step()
        times.append(time.perf_counter())
    told = np.asarray(final().detach().cpu(), np.float64)
    spent = np.diff(times)
    # What the first step compiles belongs to building.
    np.savez(result, final=told, build=spent[:2].sum(), step=spent[2:].min())


def run(python, which, name, steps):
    """What the scene tells, or the last line of its error."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.npz"
        empty = {"HOME": folder, "XDG_CACHE_HOME": folder, "JOGGLE_JIT_CACHE": folder}
        command = [python, __file__, "--play", which, name, "--steps", str(steps), "--out", result]
        ran = subprocess.run(command, env=os.environ | empty, capture_output=True, text=True)
        if not result.exists():
            return (ran.stderr.strip() or f"ended with {ran.returncode}").splitlines()[-1]
        with np.load(result) as values:
            return {name: values[name][()] for name in values.files}


def row_of(name, ours, theirs):
    fault = next((x for x in (ours, theirs) if isinstance(x, str)), None)
    if fault is not None:
        return f"| {name} | {'joggle' if fault is ours else 'Quadrants'}: {fault} | | | | | |"
    apart = np.abs(ours["final"] - theirs["final"]).max() / np.abs(theirs["final"]).max()
    shown = f"{apart:.0e}" if apart <= CLOSE else f"**{apart:.0e}**"
    cells = [shown]
    for part, unit, scale in (("step", "ms", 1e3), ("build", "s", 1)):
        cells += [f"{scale * x[part]:.3g} {unit}" for x in (ours, theirs)]
        cells.append(f"{ours[part] / theirs[part]:.2f}")
    return f"| {name} | {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="scenes with that text in their name")
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--play", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--out", default=ROOT / "build" / "clients" / "genesis.md", type=Path)
    given = parser.parse_args()
    if given.play:
        play(*given.play, given.steps, given.out)
        return
    from environments import install

    python = install("genesis", PACKAGES)
    lines = [
        "| scene | apart | step: joggle | Quadrants | ratio | build: joggle | Quadrants | ratio |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for scene in SCENES:
        if given.only in scene.__name__:
            theirs = run(python, "quadrants", scene.__name__, given.steps)
            ours = run(python, "joggle", scene.__name__, given.steps)
            lines.append(row_of(scene.__name__.replace("_", " "), ours, theirs))
            print(lines[-1], flush=True)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
