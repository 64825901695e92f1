# SPDX-License-Identifier: Apache-2.0
"""python -m joggle.fields FILE [ARGUMENT ...], or -m MODULE, -c CODE, or -: docs/kernels.md."""

from joggle._aliases.run import Command, main

COMMAND = Command(
    "joggle.fields",
    "Runs a program that was written for Quadrants on joggle: import quadrants gives\n"
    "joggle.fields, in the program and in the Python processes that it starts.",
    ("quadrants",),
    {"--taichi": ("taichi", "import taichi gives joggle.fields as well")},
)

if __name__ == "__main__":
    main(COMMAND)
