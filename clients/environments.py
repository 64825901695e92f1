# SPDX-License-Identifier: Apache-2.0
"""Environments of their own, for what published programs need."""

import subprocess
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "clients"


def install(name, packages):
    """The Python of an environment with these packages; made when they are others than before."""
    environment = BUILD / name
    python, stamp = environment / "bin" / "python", environment / "installed"
    if not stamp.exists() or stamp.read_text() != " ".join(packages):
        venv.create(environment, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        stamp.write_text(" ".join(packages))
    return python
