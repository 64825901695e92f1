# SPDX-License-Identifier: Apache-2.0
"""Runs import-linter over python/joggle as it lies in the tree."""

import pathlib
import sys

from importlinter import cli

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The hook of the editable installation would find the package in a place of its own.
sys.meta_path[:] = [x for x in sys.meta_path if "editable" not in type(x).__module__]
sys.path.insert(0, str(ROOT / "python"))
sys.exit(cli.lint_imports(config_filename=str(ROOT / "tools" / "python_layers.ini"), no_cache=True))
