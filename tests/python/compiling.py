# SPDX-License-Identifier: Apache-2.0
"""Compiles small programs against the tree's headers, for tests of what headers tell a compiler."""

import importlib.util
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
C_FLAGS = ["-std=c17", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]
CXX_FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Werror"]

# What a program that makes views links with: the library's rooms up to dlpack, and nothing else.
SOURCES = [
    *(ROOT / f"src/base/{name}.c" for name in ("alloc", "error", "text", "vec")),
    *(ROOT / "src/tensor").glob("*.c"),
    *(ROOT / "src/dlpack").glob("*.c"),
]


def compiler(variable, *names):
    """The command in the environment variable, else the first of names that is there."""
    command = shlex.split(os.environ.get(variable, ""))
    if command:
        return command
    for name in names:
        if shutil.which(name):
            return [name]
    pytest.skip(f"no compiler: {', '.join(names)}")


def cc():
    return compiler("CC", "cc", "gcc", "clang")


def cxx():
    return compiler("CXX", "c++", "g++", "clang++")


def run(command):
    """Runs a command to its end, both outputs in one text, in English."""
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )


def must(command):
    """The output of a command that has to succeed."""
    result = run(command)
    assert result.returncode == 0, result.stdout
    return result.stdout


def build(command, directory, name="program"):
    """Compiles and links by command; the path of the program."""
    program = Path(directory) / name
    must([*command, "-o", program])
    return program


def library(directory):
    """The objects of SOURCES, compiled into directory."""
    objects = []
    for source in SOURCES:
        target = Path(directory) / f"{source.parent.name}_{source.stem}.o"
        flags = [
            "-std=c17",
            "-D_GNU_SOURCE",
            "-iquote",
            ROOT / "src",
            "-I",
            ROOT / "include",
        ]
        must([*cc(), *flags, "-c", source, "-o", target])
        objects.append(target)
    return objects


def package_path(package, *parts):
    """A path inside an installed package, which is not imported; None if it is not there."""
    spec = importlib.util.find_spec(package)
    for base in spec.submodule_search_locations or [] if spec else []:
        path = Path(base).joinpath(*parts)
        if path.exists():
            return path
    return None
