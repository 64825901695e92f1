# SPDX-License-Identifier: Apache-2.0
"""`import joggle` is quick and loads none of the frameworks it works with."""

import os
import subprocess
import sys
from pathlib import Path

import joggle as jg


def fresh(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_no_framework_is_loaded():
    loaded = fresh("import joggle, sys; print(*sys.modules)").split()
    tops = {name.split(".")[0] for name in loaded}
    assert not tops & {
        "numpy",
        "torch",
        "jax",
        "jaxlib",
        "mlx",
        "tvm_ffi",
        "ml_dtypes",
        "scipy_openblas32",
        "scipy",
    }


def test_computing_loads_none_either():
    code = """
import joggle as jg, sys
x = jg.ones((4, 4)); y = repr(x @ x + 1); assert x.tolist()
print("numpy" in sys.modules, "torch" in sys.modules)
"""
    assert fresh(code) == "False False"


def test_modules_are_imported_when_they_are_asked_for():
    code = """
import joggle as jg, sys
before = "joggle.fields" in sys.modules
print(before, callable(jg.fields.function), callable(jg.nn.Linear), callable(jg.utils.tree_map))
"""
    assert fresh(code) == "False True True True"


# How long it takes, `make bench ARGS="--only import_time"` measures; what it loads decides that.
HEAVY = (
    "argparse",
    "ast",
    "asyncio",
    "dataclasses",
    "inspect",
    "json",
    "re",
    "subprocess",
    "typing",
)


def test_import_loads_no_heavy_module():
    code = f"""
import sys
before = set(sys.modules); import joggle; print(sorted(set({HEAVY}) & (set(sys.modules) - before)))
"""
    assert fresh(code) == "[]"


def test_import_loads_few_modules_of_ours():
    code = """
import sys
import joggle; print(sum(name.startswith("joggle") for name in sys.modules))
"""
    assert int(fresh(code)) <= 14


def test_the_package_says_what_it_offers():
    for name in jg.__all__:
        assert hasattr(jg, name) and not name.startswith("_")
    for name in [
        "array",
        "asarray",
        "from_dlpack",
        "zeros",
        "arange",
        "eval",
        "float32",
        "CopyError",
        "add",
        "matmul",
        "get_include",
    ]:
        assert name in jg.__all__
    assert jg.__version__.count(".") == 2
    assert jg.zeros(1).__array_namespace__() is jg
    assert (Path(jg.get_include()) / "joggle" / "joggle.h").exists()
    assert (Path(jg.get_library_dir()) / "libjoggle.so.0").exists()


def test_blas_is_found_without_importing_it():
    code = """
import joggle as jg, joggle._core as core, sys
print(core.get_option("blas")); print("scipy_openblas32" in sys.modules)
"""
    path, imported = fresh(code).splitlines()
    assert path == "" or Path(path).exists()
    assert imported == "False"


def test_the_environment_goes_before_the_wheels_blas():
    code = "import joggle._core as core; import joggle; print(core.get_option('blas'))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"JOGGLE_BLAS": "none"},
    )
    assert result.stdout.strip() == "none"
