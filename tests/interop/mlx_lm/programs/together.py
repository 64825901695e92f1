# SPDX-License-Identifier: Apache-2.0
"""together.py FOLDER MODEL DRAFT: the programs beside it in one process, as mlx-lm takes seconds to
import; each writes FOLDER/<its name>.npz."""

import pathlib
import runpy
import sys

HERE = pathlib.Path(__file__).parent
folder, *models = sys.argv[1:]
GIVEN = {"families": (), "generating": models, "quantising": models[:1], "tuning": models[:1]}

for name, given in GIVEN.items():
    sys.argv = [f"{name}.py", f"{folder}/{name}.npz", *given]
    runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
