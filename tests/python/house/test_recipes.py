# SPDX-License-Identifier: Apache-2.0
"""The recipe for conda is read as its build tool reads it; building needs conda's own packages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HEADER = (ROOT / "include/joggle/version.h").read_text()
VERSION = ".".join(re.findall(r"^#define JOGGLE_VERSION_[MP]\w+ (\d+)$", HEADER, re.MULTILINE))
PYTHONS = ("3.11.*", "3.12.*", "3.13.*", "3.14.*")


@pytest.fixture(scope="module")
def rendered():
    """The recipe as conda-forge would read it, on a machine with its usual compilers."""
    from rattler_build import Stage0Recipe, VariantConfig

    variants = {"python": list(PYTHONS), "c_compiler": ["gcc"], "cxx_compiler": ["gxx"]}
    variants |= {"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]}
    recipe = Stage0Recipe.from_file(str(ROOT / "tools/package/conda/recipe.yaml"))
    return [each.recipe for each in recipe.render(VariantConfig(variants))]


def test_the_recipe_for_conda_gives_both_packages_for_each_python(rendered):
    made = [(each.package.name, str(each.package.version)) for each in rendered]
    assert sorted(made) == sorted([("joggle", VERSION), ("joggle-jit", VERSION)] * len(PYTHONS))
    for each in rendered:
        assert "license" in each.about.to_dict() and each.requirements.build


def test_the_recipe_for_conda_asks_for_the_llvm_that_the_build_asks_for(rendered):
    (major,) = set(re.findall(r"llvm_major = '(\d+)'", (ROOT / "src/meson.build").read_text()))
    jit = next(each for each in rendered if each.package.name == "joggle-jit")
    asked = [str(need) for need in (*jit.requirements.build, *jit.requirements.host)]
    for name in ("clang", "lld", "llvmdev"):
        assert f"{name} {major}.*" in asked, asked
