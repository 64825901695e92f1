# SPDX-License-Identifier: Apache-2.0
"""Compiled code on disk is read from files and folders of the user's own that nobody else may
write, and made as such; everything else is as good as none."""

import os
import stat
import subprocess
import sys

import pytest

KERNEL = """
import numpy as np
import joggle.fields as qd

qd.init()
x = np.arange(100, dtype="i4")

@qd.kernel
def run(x: qd.types.ndarray()):
    for i in range(100):
        x[i] = x[i] * 3

run(x)
assert (x == 3 * np.arange(100)).all()
"""


def run(folder):
    environment = {**os.environ, "JOGGLE_JIT_CACHE": str(folder)}
    script = folder.parent / "kernel.py"
    script.write_text(KERNEL)
    done = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr


def objects(folder):
    return {path.name: path.lstat() for path in folder.glob("*.jit")}


@pytest.fixture
def folder(tmp_path):
    old = os.umask(0)
    try:
        run(tmp_path / "cache")
    finally:
        os.umask(old)
    return tmp_path / "cache"


def inodes(folder):
    return {name: facts.st_ino for name, facts in objects(folder).items()}


def test_folder_and_files_are_for_the_user_alone(folder):
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert objects(folder)
    assert {stat.S_IMODE(facts.st_mode) for facts in objects(folder).values()} == {0o600}
    before = inodes(folder)
    run(folder)
    assert inodes(folder) == before


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_read_but_made_anew(folder, mode):
    before = inodes(folder)
    for path in folder.glob("*.jit"):
        path.chmod(mode)
    run(folder)
    after = objects(folder)
    assert all(after[name].st_ino != inode for name, inode in before.items())
    assert {stat.S_IMODE(facts.st_mode) for facts in after.values()} == {0o600}


def test_a_link_is_not_followed(folder, tmp_path):
    for path in folder.glob("*.jit"):
        path.rename(tmp_path / path.name)
        path.symlink_to(tmp_path / path.name)
    run(folder)
    assert all(stat.S_ISREG(facts.st_mode) for facts in objects(folder).values())


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_nothing_is_read_from_or_put_into_a_folder_that_others_may_write(tmp_path, mode):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(mode)
    run(folder)
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_files_and_folders_of_others_are_not_trusted(folder):
    for path in folder.glob("*.jit"):
        os.chown(path, 12345, -1)
    run(folder)
    assert {facts.st_uid for facts in objects(folder).values()} == {0}
    before = inodes(folder)
    for path in folder.glob("*.jit"):
        path.unlink()
    os.chown(folder, 12345, -1)
    run(folder)
    assert before and not objects(folder)
