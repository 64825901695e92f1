# SPDX-License-Identifier: Apache-2.0
"""python -m joggle.mlx FILE [ARGUMENT ...], or -m MODULE, -c CODE, or -: docs/mlx.md."""

from joggle._aliases.run import Command, main

COMMAND = Command(
    "joggle.mlx",
    "Runs a program that was written for MLX on joggle: import mlx.core gives joggle.mlx.core, in\n"
    "the program and in the Python processes that it starts.",
    ("mlx",),
)

if __name__ == "__main__":
    main(COMMAND)
