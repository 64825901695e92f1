# SPDX-License-Identifier: Apache-2.0
"""python -m joggle.mlx FILE [ARGUMENT ...], or -m MODULE, -c CODE, or -: docs/mlx.md."""

from joggle.mlx._run import main

if __name__ == "__main__":
    main()
