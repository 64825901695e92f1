# SPDX-License-Identifier: Apache-2.0
"""Run by Python processes that a process with joggle.mlx under mlx has started (_install.py)."""


def _run():
    # joggle is imported only where mlx is: the file is loaded by its path.
    import importlib.util
    import os
    import sys

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    root = os.path.dirname(os.path.dirname(package))
    spec = importlib.util.spec_from_file_location(
        "joggle_mlx_install", os.path.join(package, "_install.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.install_for_child()
    if importlib.util.find_spec("joggle") is None:
        sys.path.append(root)


_run()
