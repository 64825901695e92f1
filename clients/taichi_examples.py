# SPDX-License-Identifier: Apache-2.0
"""The examples that Taichi's wheel ships, run as they are on joggle.fields and on Taichi.

    python clients/taichi_examples.py [--only TEXT] [--frames N] [--out FILE]

Taichi is installed into an environment of its own, build/clients/taichi. joggle is found there by
PYTHONPATH, as `make clients` sets it, or by another Python that has it (--joggle). Both take turns,
example by example.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from environments import install

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "taichi==1.7.4",
    "numpy==1.26.4",
    "scipy==1.15.3",
    "matplotlib==3.8.4",
    "pillow==11.3.0",
    "imageio-ffmpeg==0.8.1",  # a program that examples write videos with
)
HARNESS = Path(__file__).with_name("harness.py")
CLOSE = 1e-3  # how far numbers may lie apart, of the largest


def examples_of(python):
    """The programs, those that are only imported by others left out."""
    code = "import importlib.util as u; print(u.find_spec('taichi').origin)"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    folder = Path(found.stdout.strip().splitlines()[-1]).parent / "examples"
    return folder, sorted(
        p for p in folder.rglob("*.py") if p.name not in ("__init__.py", "patterns.py")
    )


def run(python, which, path, frames):
    """What the harness tells, or what ended it."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.npz"
        try:
            ran = subprocess.run(
                [python, HARNESS, which, path, str(frames), result],
                capture_output=True,
                cwd=folder,
                timeout=240,
            )
        except subprocess.TimeoutExpired:
            return {"fault": "took more than 240 s", "frame": np.nan, "drawn": np.zeros(0)}
        if not result.exists():
            return {"fault": f"ended with {ran.returncode}", "frame": np.nan, "drawn": np.zeros(0)}
        with np.load(result) as values:
            return {name: values[name][()] for name in values.files}


def agreement(path, ours, theirs):
    """The share of what both drew first that lies no farther apart than CLOSE of the largest
    number; or why that says nothing. What kernels append comes in any order, so it is sorted."""
    source = path.read_text()
    if "rand" in source or "perf_counter" in source:
        return "random" if "rand" in source else "by the clock"
    a, b = np.sort(ours["drawn"]), np.sort(theirs["drawn"])
    if not a.size or a.size != b.size:
        return "draws nothing" if not a.size and not b.size else "**differs in size**"
    share = (np.abs(a - b) <= CLOSE * np.abs(b).max()).mean()
    return f"{share:.2%}" if share > 0.99 else f"**{share:.2%}**"


def row_of(folder, path, ours, theirs):
    name = str(path.relative_to(folder).with_suffix(""))
    if ours["fault"]:
        return f"| {name} | {ours['fault']} | | | |", np.nan
    how = "runs, no index checked" if ours.get("unchecked") else "runs"
    if theirs["fault"]:
        return f"| {name} | {how} | Taichi: {theirs['fault']} | | |", np.nan
    ratio = float(ours["frame"] / theirs["frame"])
    times = [
        f"{1e3 * x['frame']:.3g} ms" if x["frame"] == x["frame"] else "" for x in (ours, theirs)
    ]
    shown = f"{ratio:.2f}" if ratio == ratio else ""
    return (
        f"| {name} | {how} | {agreement(path, ours, theirs)} | {' | '.join(times)} | {shown} |",
        ratio,
    )


def run_ours(python, path, frames):
    """On joggle; once more without checks, where a program reaches beyond the end of a field."""
    ours = run(python, "joggle", path, frames)
    if str(ours["fault"]).startswith("IndexError"):
        ours = {**run(python, "unchecked", path, frames), "unchecked": True}
    return ours


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="examples with that text in their path")
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--joggle", help="the Python that joggle's side runs on")
    parser.add_argument("--out", default=ROOT / "build" / "clients" / "taichi.md", type=Path)
    given = parser.parse_args()
    python = install("taichi", PACKAGES)
    folder, paths = examples_of(python)
    lines = [
        "| example | on joggle | agreement | joggle | Taichi | ratio |",
        "|---|---|---|---|---|---|",
    ]
    ratios, running = [], 0
    for path in paths:
        if given.only not in str(path.relative_to(folder)):
            continue
        theirs = run(python, "taichi", path, given.frames)
        ours = run_ours(given.joggle or python, path, given.frames)
        line, ratio = row_of(folder, path, ours, theirs)
        print(line, flush=True)
        lines.append(line)
        ratios.append(ratio)
        running += not ours["fault"]
    known = np.array([r for r in ratios if r == r and r > 0])
    mean = f"{np.exp(np.log(known).mean()):.2f}" if known.size else "none"
    lines.append(f"\n{running} of {len(lines) - 2} run; mean ratio of {known.size}: {mean}")
    print(lines[-1])
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
