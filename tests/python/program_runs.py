# SPDX-License-Identifier: Apache-2.0
"""Runs programs in processes of their own, for the tests of packages under other names."""

import os
import subprocess
import sys
import textwrap

TIMEOUT = 100


def run(*arguments, path="", **options):
    env = dict(os.environ)
    if path:
        env["PYTHONPATH"] = os.pathsep.join([str(path), env.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env=env,
        **options,
    )


def written(path, text):
    path.write_text(textwrap.dedent(text))
    return path


def printed(done):
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]
