# SPDX-License-Identifier: Apache-2.0
"""The recipe for conda is read as its build tool reads it; building needs conda's own packages.
tools/package/deb.sh builds Debian's packages and has lintian look at them."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "tools/package"
HEADER = (ROOT / "include/joggle/version.h").read_text()
VERSION = ".".join(re.findall(r"^#define JOGGLE_VERSION_[MP]\w+ (\d+)$", HEADER, re.MULTILINE))
PYTHONS = ("3.11.*", "3.12.*", "3.13.*", "3.14.*")


@pytest.fixture(scope="module")
def rendered():
    """The recipe as conda-forge would read it, on a machine with its usual compilers."""
    from rattler_build import Stage0Recipe, VariantConfig

    variants = {"python": list(PYTHONS), "c_compiler": ["gcc"], "cxx_compiler": ["gxx"]}
    variants |= {"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]}
    recipe = Stage0Recipe.from_file(str(PACKAGE / "conda/recipe.yaml"))
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


def test_debian_s_packages_are_built_with_the_llvm_that_the_build_asks_for():
    """The tier that compiles is a package of its own, which installs what Meson calls it."""
    build = (ROOT / "src/meson.build").read_text()
    (major,) = set(re.findall(r"llvm_major = '(\d+)'", build))
    control = (PACKAGE / "debian/control").read_text()
    assert set(re.findall(r"(?:clang|lld|llvm)-(\d+)", control)) == {major}
    installed = (PACKAGE / "debian/libjoggle-jit.install").read_text().split()
    assert [Path(path).name for path in installed] == ["libjoggle_jit.so"]
    assert "'joggle_jit'" in build and "\nPackage: libjoggle-jit\n" in control


def test_debian_s_changelog_is_of_this_version():
    first = (PACKAGE / "debian/changelog").read_text().split("\n", 1)[0]
    assert first.startswith(f"joggle ({VERSION}-")


def test_debian_s_package_tells_python_what_it_is(tmp_path):
    """The folder that pip would have written, with the entry point that torch.compile looks for."""
    package = tmp_path / "usr/lib/python3/dist-packages/joggle"
    package.mkdir(parents=True)
    script = PACKAGE / "debian/dist_info.py"
    subprocess.run([sys.executable, script, tmp_path], cwd=ROOT, check=True)
    code = """if True:
        import importlib.metadata as metadata
        found = metadata.distribution("joggle")
        print(found.version, [entry.value for entry in found.entry_points])"""
    told = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": str(package.parent)},
        check=True,
        capture_output=True,
        text=True,
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (entries,) = project["entry-points"].values()
    assert told.stdout.strip() == f"{VERSION} {list(entries.values())}"
