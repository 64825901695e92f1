#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds what a release uploads, for this interpreter, from what git knows of in this checkout.

    tools/wheel/build.py FOLDER [--no-jit] [--sign KEY]

FOLDER gets joggle's wheel, that of joggle-jit (the tier that compiles, which is four times as large
as all else and holds LLVM; `pip install joggle[jit]` brings it), the source distribution, and
SHA256SUMS of these, signed with an SSH key if one is named. Wheels run with glibc 2.28 or newer;
auditwheel refuses them otherwise. Each holds a list of what it is made of (CycloneDX) and the
licences of that.

joggle's wheel is for one Python, not for all by the stable ABI: with what that has in the place of
macros and of vectorcall, a call of a compiled function took 1.30 of the time, array() of a list
1.08, reshape 1.07, sum 1.04, an index 1.03.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PLATFORM = f"manylinux_2_28_{os.uname().machine}"


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def copy_tree(to):
    """The files that git tracks, or would, as they are now: a clean folder."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def build_source(tree, out):
    """An archive of the same files, with the metadata that pip reads."""
    run("git", "init", "-q", cwd=tree)  # Meson archives what git has
    run("git", "add", "-A", cwd=tree)
    name = ["-c", "user.name=joggle", "-c", "user.email=joggle@localhost"]
    run("git", *name, "commit", "-q", "-m", "release", cwd=tree)
    code = f"import mesonpy; mesonpy.build_sdist({str(out)!r})"
    run(sys.executable, "-c", code, cwd=tree, stdout=subprocess.DEVNULL)


def build_wheel(tree, work, out, has_jit):
    libraries = work / "old_glibc"
    run(sys.executable, HERE / "old_glibc.py", libraries)
    settings = [f"-Cbuild-dir={work / 'build'}"]
    settings += [f"-Csetup-args=-Djit={'enabled' if has_jit else 'disabled'}"]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-q"]
    pip += ["--no-build-isolation", "--no-deps", *settings, "-w", out, tree]
    run(*pip, env={**os.environ, "LDFLAGS": f"-L{libraries}"})
    (path,) = out.glob("joggle-*.whl")
    return path


def repair(wheel, out):
    """Marks the wheel for the platform, or fails with the symbol that is too new for it."""
    auditwheel = [sys.executable, "-m", "auditwheel", "-v", "repair"]
    done = subprocess.run(
        [*auditwheel, "--only-plat", "--plat", PLATFORM, "-w", str(out), str(wheel)],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"{wheel.name} does not run on {PLATFORM}:\n{done.stdout}{done.stderr}")


def write_sums(out, key):
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(out.iterdir())
        if path.suffix in (".whl", ".gz")
    ]
    sums = out / "SHA256SUMS"
    sums.write_text("".join(lines))
    if key:
        run("ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "file", sums)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=lambda text: Path(text).resolve())
    parser.add_argument("--no-jit", action="store_true", help="leave out the tier that compiles")
    parser.add_argument("--sign", metavar="KEY", help="an SSH key, to sign SHA256SUMS with")
    asked = parser.parse_args()
    work = asked.folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    tree, built, parts = (work / name for name in ("tree", "built", "parts"))
    for folder in (tree, built, parts):
        folder.mkdir(parents=True)
    copy_tree(tree)
    wheel = build_wheel(tree, work, built, not asked.no_jit)
    run(sys.executable, HERE / "split.py", wheel, parts)
    for part in sorted(parts.glob("*.whl")):
        repair(part, asked.folder)
    build_source(tree, asked.folder)
    write_sums(asked.folder, asked.sign)
    shutil.rmtree(work)
    for path in sorted(asked.folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.name}")


if __name__ == "__main__":
    main()
