# SPDX-License-Identifier: Apache-2.0
"""Run by Python processes that a process has started in which packages of joggle stand for others
(install.py)."""


def _run():
    # joggle is imported only where such a package is: the file is loaded by its path.
    import importlib.util
    import os
    import sys

    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    root = os.path.dirname(os.path.dirname(folder))
    spec = importlib.util.spec_from_file_location(
        "joggle_aliases_install", os.path.join(folder, "install.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.install_for_child()
    if importlib.util.find_spec("joggle") is None:
        sys.path.append(root)


_run()
