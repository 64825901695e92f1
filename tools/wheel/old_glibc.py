#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a folder to link against, so that what is linked runs with an older glibc than ours.

    tools/wheel/old_glibc.py FOLDER [--glibc 2.28] [--compiler cc]

A shared object asks for the version of each symbol that the linker saw, and glibc gives functions
new versions although the old ones go on working. The folder holds libraries without code: each
symbol of this machine's glibc at the newest version that the older one has as well. Functions that
the older one lacks altogether come from old_glibc.c, as an archive; one that is in neither fails to
link, by name. Linking with -LFOLDER is all that is needed.
"""

import argparse
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
LIBRARIES = {"c": "libc.so.6", "m": "libm.so.6", "pthread": "libpthread.so.0", "dl": "libdl.so.2"}
LOADERS = ("ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1")
# What glibc 2.34 moved into libc.so.6: a program that is to run before must name where it was.
MOVED = {"pthread": ("pthread_", "__pthread_", "sem_"), "dl": ("dl",)}
SYMBOL = re.compile(r" (\w+) +(FUNC|IFUNC|OBJECT) +\w+ +\w+ +(\d+) (\w+)@@?GLIBC_([\d.]+)$")


def parse_version(text):
    return tuple(map(int, text.split(".")))


def library_path(compiler, name):
    """Where the compiler finds it; the name alone if it does not."""
    told = subprocess.run(
        [compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True
    )
    return Path(told.stdout.strip())


def symbols_of(path, newest):
    """Each symbol with its type, its size and all versions that are not newer."""
    told = subprocess.run(
        ["readelf", "--dyn-syms", "-W", path], check=True, capture_output=True, text=True
    )
    found = {}
    for line in told.stdout.splitlines():
        match = SYMBOL.search(line)
        if match is None or parse_version(match[5]) > newest:
            continue
        size, kind, _, name, version = match.groups()
        found.setdefault(name, []).append((parse_version(version), version, kind, int(size, 0)))
    return {name: max(versions) for name, versions in found.items()}


def place_of(library, name):
    for moved, prefixes in MOVED.items():
        if library == "c" and name.startswith(prefixes):
            return moved
    return library


def write_library(compiler, folder, library, symbols):
    """A library of symbols that only the linker reads."""
    nodes, lines = {}, [".text"]
    for name, (_, version, kind, size) in sorted(symbols.items()):
        nodes.setdefault(version, []).append(name)
        is_object = kind == "OBJECT"
        lines += [
            f".section .{'data' if is_object else 'text'}.{name}",
            f".globl {name}",
            f".type {name}, @{'object' if is_object else 'function'}",
            f".size {name}, {size}",
            f"{name}: .skip {max(size, 1) if is_object else 1}",
        ]
    lines.append('.section .note.GNU-stack, "", @progbits')
    source, script = folder / f"{library}.s", folder / f"{library}.map"
    source.write_text("\n".join(lines) + "\n")
    script.write_text(
        "\n".join(
            f"GLIBC_{version} {{ global: {'; '.join(names)}; }};"
            for version, names in nodes.items()
        )
        + "\n"
    )
    soname = LIBRARIES[library]
    command = [compiler, "-shared", "-nostdlib", "-o", folder / soname, source]
    command += [f"-Wl,-soname,{soname}", f"-Wl,--version-script={script}", "-Wl,--hash-style=gnu"]
    subprocess.run(command, check=True)


def write_archive(compiler, folder):
    made = folder / "old_glibc.o"
    flags = ["-std=c17", "-O2", "-fPIC", "-ffunction-sections", "-fvisibility=hidden"]
    flags += ["-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-c", HERE / "old_glibc.c", "-o", made], check=True)
    told = subprocess.run(
        [compiler, "-print-prog-name=ar"], check=True, capture_output=True, text=True
    )
    archiver = told.stdout.strip()
    subprocess.run([archiver, "rcs", folder / "libold_glibc.a", made], check=True)


def write_names(compiler, folder):
    """The names that -lc, -lm, -lpthread and -ldl look for."""
    parts = [folder / LIBRARIES["c"], folder / LIBRARIES["pthread"], folder / LIBRARIES["dl"]]
    parts += [folder / "libold_glibc.a", library_path(compiler, "libc_nonshared.a")]
    loaders = [library_path(compiler, name) for name in LOADERS]
    (loader,) = [path for path in loaders if path.is_absolute()]
    group = " ".join(map(str, parts))
    (folder / "libc.so").write_text(f"GROUP ( {group} AS_NEEDED ( {loader} ) )\n")
    for library in ("m", "pthread", "dl"):
        (folder / f"lib{library}.so").write_text(f"INPUT ( {folder / LIBRARIES[library]} )\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=lambda text: Path(text).resolve())
    parser.add_argument(
        "--glibc", type=parse_version, default=(2, 28), help="the oldest to run with"
    )
    parser.add_argument("--compiler", default="cc", help="also one for other processors")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    placed = {library: {} for library in LIBRARIES}
    for library in ("c", "m"):
        for name, found in symbols_of(
            library_path(asked.compiler, LIBRARIES[library]), asked.glibc
        ).items():
            placed[place_of(library, name)][name] = found
    for library, symbols in placed.items():
        write_library(asked.compiler, asked.folder, library, symbols)
    write_archive(asked.compiler, asked.folder)
    write_names(asked.compiler, asked.folder)


if __name__ == "__main__":
    main()
