#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds circles of calls between the C files of one room, and calls of rooms that are higher in
tools/layers.txt, from the object files of a build.

Fails on a circle that is not a line of tools/circles.txt, and on a line that is not a circle.
A file uses another one if its object file needs a symbol that the other defines.

    tools/check_circles.py [BUILD] [--root ROOT]    BUILD: a Meson build (build/lint)
"""

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def read_allowed(path):
    """Sets of files, from lines of `ROOM: FILES: REASON`. Lines that are indented go on."""
    allowed = []
    for line in re.sub(r"\n +", " ", path.read_text()).splitlines():
        if line.strip() and not line.startswith("#"):
            room, files, reason = line.split(":", 2)
            if not reason.strip():
                sys.exit(f"{path}: gives no reason: {line}")
            allowed.append(frozenset(f"{room}/{name}" for name in files.split()))
    return allowed


def room_of(file):
    return Path(*file.parts[:2])


def objects_of(build, root):
    """The C files of rooms, and the object files that they were compiled to."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        folder = Path(entry["directory"])
        source = (folder / entry["file"]).resolve()
        target = folder / entry["output"]
        if source.suffix == ".c" and source.is_relative_to(root) and target.exists():
            file = source.relative_to(root)
            if file.parts[0] == "src" or file.parts[:2] == ("python", "src"):
                yield file, target


def symbols_of(target):
    """Those that an object file needs, and those that it defines for others."""
    listing = subprocess.run(["nm", "-g", target], capture_output=True, text=True, check=True)
    rows = [line.split()[-2:] for line in listing.stdout.splitlines() if line.strip()]
    needed = {name for kind, name in rows if kind == "U"}
    return needed, {name for kind, name in rows} - needed


def uses_of(build, root):
    """The files that each file uses."""
    needed, owners = defaultdict(set), defaultdict(set)
    for file, target in objects_of(build, root):
        needs, defines = symbols_of(target)
        needed[file] |= needs
        for name in defines:
            owners[name].add(file)
    return {
        file: {other for name in names for other in owners[name] if other != file}
        for file, names in needed.items()
    }


def inside_rooms(uses):
    """The files of the same room that each file uses."""
    return {
        file: {other for other in others if room_of(other) == room_of(file)}
        for file, others in uses.items()
    }


def levels_in(root):
    """The level of each room in tools/layers.txt, by the room's folder."""
    path = root / "tools/layers.txt"
    lines = re.findall(r"^room (\d+) (\w+):", path.read_text(), re.M) if path.exists() else []
    return {Path("src") / name: int(level) for level, name in lines}


def calls_upward(uses, levels):
    for file, others in uses.items():
        for other in others:
            own, its = levels.get(room_of(file)), levels.get(room_of(other))
            if own is not None and its is not None and its > own:
                yield f"{file} calls {other}, whose room is above its own"


def reached_from(file, uses):
    reached, ahead = set(), [file]
    while ahead:
        for other in uses[ahead.pop()] - reached:
            reached.add(other)
            ahead.append(other)
    return reached


def circles_in(uses):
    """Sets of files that reach each other."""
    reached = {file: reached_from(file, uses) for file in uses}
    return {
        frozenset(other for other in reached[file] if file in reached[other])
        for file in uses
        if file in reached[file]
    }


def faults_of(line, circles, uses, root):
    """What is not so of a line of the list; a build without some of its files tells nothing."""
    gone = sorted(name for name in line if not (root / name).exists())
    if gone:
        yield f"{' '.join(gone)}: no such file"
    elif all(Path(name) in uses for name in line) and line not in circles:
        left = line.difference(*(circle for circle in circles if circle <= line))
        if left == line:
            yield f"{' '.join(sorted(line))}: no circle any more"
        elif left:
            yield f"{' '.join(sorted(left))}: not of the others' circle any more"
        else:
            yield f"{' '.join(sorted(line))}: several circles"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", type=Path)
    parser.add_argument("--root", type=Path, default=ROOT)
    options = parser.parse_args()
    root = options.root.resolve()
    all_uses = uses_of(options.build or root / "build/lint", root)
    uses = inside_rooms(all_uses)
    circles = [frozenset(str(file) for file in circle) for circle in circles_in(uses)]
    allowed = read_allowed(root / "tools/circles.txt")
    faults = [
        f"{' '.join(sorted(circle))}: use each other; tools/circles.txt has no such circle"
        for circle in circles
        if not any(circle <= line for line in allowed)
    ] + [
        f"tools/circles.txt: {fault}"
        for line in allowed
        for fault in faults_of(line, circles, uses, root)
    ]
    faults += calls_upward(all_uses, levels_in(root))
    print(*sorted(faults), sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
