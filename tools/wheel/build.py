#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds what a release uploads, from what git knows of in this checkout.

    tools/wheel/build.py FOLDER [--python EXE]... [--cross ROOT] [--no-jit] [--sign KEY]

FOLDER gets joggle's wheel for each Python (this one, if none is named), that of joggle-jit (the
tier that compiles, which is four times as large as all else and holds LLVM; `pip install
joggle[jit]` brings it), the source distribution, and SHA256SUMS of these, signed with an SSH key
if one is named. Wheels run with glibc 2.28 or newer; auditwheel refuses them otherwise. Each holds
a list of what it is made of (CycloneDX) and the licences of that. The Pythons share a build folder,
so the library is compiled once.

With --cross the wheels are for 64-bit Arm: ROOT has Debian's headers of the Python for it, as
tools/cross/debian.sh lays them there. They are without the tier that compiles.

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
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ARM = "aarch64-linux-gnu"
MACHINE = f"""
[binaries]
c = '{ARM}-gcc'
ar = '{ARM}-ar'
strip = '{ARM}-strip'
[properties]
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'armv8-a'
endian = 'little'
"""


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


def environment_of(python, folder):
    """The interpreter of a new environment of that Python with what the build needs."""
    run(python, "-m", "venv", "--without-pip", folder)
    made = folder / "bin/python"
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    pip = [sys.executable, "-m", "pip", "--python", made, "--disable-pip-version-check"]
    run(*pip, "install", "-q", "pip", *needs)
    return made


def cross_settings(root, python, work):
    """Settings of the build, and variables by which Python tells what the one on 64-bit Arm would:
    it reads the file with that one's configuration, alone in a folder of the path."""
    code = "import sys; print('python%d.%d' % sys.version_info[:2])"
    name = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    version = name.stdout.strip()
    told = root / f"usr/lib/{version}/_sysconfigdata__{ARM}.py"
    only = work / f"config-{version}"
    only.mkdir()
    shutil.copy(told, only)
    # In the place of pyconfig.h Debian has a file that includes it from /usr/include.
    headers = shutil.copytree(root / "usr/include" / version, work / f"include-{version}")
    shutil.copy(root / "usr/include" / ARM / version / "pyconfig.h", headers)
    (only / "machine.ini").write_text(MACHINE)
    return [f"--cross-file={only / 'machine.ini'}", f"-Dc_args=-I{headers}"], {
        "PYTHONPATH": str(only),
        "_PYTHON_HOST_PLATFORM": "linux-aarch64",
        "_PYTHON_SYSCONFIGDATA_NAME": told.stem,
    }


def build_wheel(python, tree, work, out, options):
    """options: of Meson, and variables."""
    settings, variables = options
    variables = {"LDFLAGS": f"-L{work / 'old_glibc'}"} | variables
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    # Ninja and Meson are found beside the interpreter.
    environment["PATH"] = os.pathsep.join((str(Path(python).parent), environment["PATH"]))
    pip = [python, "-m", "pip", "--disable-pip-version-check", "wheel", "-q"]
    pip += ["--no-build-isolation", "--no-deps", f"-Cbuild-dir={work / 'build'}"]
    pip += [f"-Csetup-args={setting}" for setting in settings]
    run(*pip, "-w", out, tree, env=environment | variables)
    (path,) = out.glob("joggle-*.whl")
    return path


def repair(wheel, out, machine):
    """Marks the wheel for the platform, or fails with the symbol that is too new for it."""
    platform = f"manylinux_2_28_{machine}"
    # It knows the platforms of the machine alone that it believes to be on.
    code = f"import platform, runpy; platform.machine = lambda: {machine!r}; "
    code += "runpy.run_module('auditwheel', run_name='__main__')"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            "-v",
            "repair",
            "--only-plat",
            "--plat",
            platform,
            "-w",
            str(out),
            str(wheel),
        ],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"{wheel.name} does not run on {platform}:\n{done.stdout}{done.stderr}")


def build_wheels(asked, tree, work):
    settings = [f"-Djit={'disabled' if asked.no_jit or asked.cross else 'enabled'}"]
    compiler = f"{ARM}-gcc" if asked.cross else "cc"
    machine = "aarch64" if asked.cross else os.uname().machine
    run(sys.executable, HERE / "old_glibc.py", work / "old_glibc", "--compiler", compiler)
    for number, python in enumerate(asked.python or [sys.executable]):
        built, parts = (work / f"{name}-{number}" for name in ("built", "parts"))
        built.mkdir()
        parts.mkdir()
        if python != sys.executable:
            python = environment_of(python, work / f"python-{number}")
        options = settings, {}
        if asked.cross:
            more, variables = cross_settings(asked.cross, python, work)
            options = [*settings, *more], variables
        wheel = build_wheel(python, tree, work, built, options)
        run(sys.executable, HERE / "split.py", wheel, parts)
        for part in sorted(parts.glob("*.whl")):
            # The tier that compiles is the same for every Python.
            if number == 0 or part.name.startswith("joggle-"):
                repair(part, asked.folder, machine)


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
    path = lambda text: Path(text).resolve()  # noqa: E731
    parser.add_argument("folder", type=path)
    parser.add_argument("--python", action="append", help="an interpreter to build a wheel for")
    parser.add_argument("--cross", type=path, metavar="ROOT", help="wheels for 64-bit Arm")
    parser.add_argument("--no-jit", action="store_true", help="leave out the tier that compiles")
    parser.add_argument("--sign", metavar="KEY", help="an SSH key, to sign SHA256SUMS with")
    asked = parser.parse_args()
    work = asked.folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    tree = work / "tree"
    tree.mkdir(parents=True)
    copy_tree(tree)
    build_wheels(asked, tree, work)
    build_source(tree, asked.folder)
    write_sums(asked.folder, asked.sign)
    shutil.rmtree(work)
    for path in sorted(asked.folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.name}")


if __name__ == "__main__":
    main()
