# SPDX-License-Identifier: Apache-2.0
"""The recipe for conda is read as its build tool reads it; building needs conda's own packages.
tools/package/deb.sh builds Debian's packages and has lintian look at them."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import joggle

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "tools/package"
HEADER = (ROOT / "include/joggle/version.h").read_text()
VERSION = ".".join(re.findall(r"^#define JOGGLE_VERSION_[MP]\w+ (\d+)$", HEADER, re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
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


def test_the_recipe_for_conda_needs_what_the_wheel_needs(rendered):
    """OpenBLAS, which the wheel has from a package for SciPy, and no Python below the oldest."""
    assert PROJECT["requires-python"] == f">={PYTHONS[0].removesuffix('.*')}"
    assert [need.partition("==")[0] for need in PROJECT["dependencies"]] == ["scipy-openblas32"]
    for each in rendered:
        needs = [str(need).split()[0] for need in each.requirements.run]
        other = {"joggle": "libopenblas", "joggle-jit": "joggle"}[each.package.name]
        assert sorted(needs) == sorted(["python", other])
        assert str(each.about.license).startswith(PROJECT["license"])


def test_the_recipe_for_conda_installs_what_the_build_makes():
    """Its script names settings that Meson has, and the folder that libjoggle looks in."""
    text = (PACKAGE / "conda/recipe.yaml").read_text()
    options = set(re.findall(r"^option\('(\w+)'", (ROOT / "meson.options").read_text(), re.M))
    asked = set(re.findall(r"-D(\w+)=", text))
    assert asked - {"prefix", "libdir"} <= options
    assert "src/libjoggle_jit.so" in text
    assert '"../joggle_jit/libjoggle_jit.so"' in (ROOT / "src/jit/host.c").read_text()
    assert "/joggle_jit/" in text and (ROOT / "LICENSE").is_file()


def place_elsewhere(folder, tier):
    """The package that is imported here, with the tier that compiles at another place in it."""
    package, copy = Path(joggle.__file__).parent, folder / "joggle"
    copy.mkdir()
    for part in package.iterdir():
        if part.name == "libjoggle_jit.so":
            continue
        if ".so" in part.suffixes:
            shutil.copy(part, copy)  # paths beside it are those of the copy
        elif part.name != "__pycache__":
            (copy / part.name).symlink_to(part.resolve())
    if tier is not None:
        (copy / tier).parent.mkdir(exist_ok=True)
        (copy / tier).symlink_to((package / "libjoggle_jit.so").resolve())
    (folder / "_joggle_editable_loader.py").write_text("def init():\n    pass\n")


@pytest.mark.parametrize("tier", [None, "libjoggle_jit.so", "joggle/libjoggle_jit.so"])
def test_the_tier_that_compiles_is_found_in_the_folder_that_debian_s_package_has(tmp_path, tier):
    if not (Path(joggle.__file__).parent / "libjoggle_jit.so").exists():
        pytest.skip("this build has no compiler")
    assert "libraries)/joggle/" in (PACKAGE / "debian/rules").read_text()
    place_elsewhere(tmp_path, tier)
    (tmp_path / "program.py").write_text("""if True:
        import numpy as np, joggle.fields as qd
        @qd.kernel
        def double(x: qd.types.ndarray()):
            for i in x:
                x[i] *= 2
        x = np.ones(3)
        double(x)
        print(qd.__file__, x.sum())
    """)
    env = os.environ | {"PYTHONPATH": str(tmp_path), "LD_LIBRARY_PATH": str(tmp_path / "joggle")}
    env |= {"JOGGLE_JIT_CACHE": "none", "JOGGLE_JIT_LIBRARY": ""}
    command = [sys.executable, tmp_path / "program.py"]
    ran = subprocess.run(command, env=env, capture_output=True, text=True)
    if tier is None:
        assert ran.returncode != 0 and "in a folder joggle there" in ran.stderr
    else:
        assert ran.stdout.split()[1:] == ["6.0"], ran.stderr
        assert ran.stdout.startswith(str(tmp_path))


def test_debian_s_packages_are_built_with_the_llvm_that_the_build_asks_for():
    """The tier that compiles is a package of its own, which installs what Meson calls it."""
    build = (ROOT / "src/meson.build").read_text()
    (major,) = set(re.findall(r"llvm_major = '(\d+)'", build))
    control = (PACKAGE / "debian/control").read_text()
    assert set(re.findall(r"(?:clang|lld|llvm)-(\d+)", control)) == {major}
    installed = (PACKAGE / "debian/libjoggle-jit.install").read_text().split()
    assert installed == ["usr/lib/*/joggle/libjoggle_jit.so"]
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
    (entries,) = PROJECT["entry-points"].values()
    assert told.stdout.strip() == f"{VERSION} {list(entries.values())}"


STEPS = ("aarch64-tests", "aarch64-wheel", "wheels", "wheel-3.12", "bare-trixie", "deb")


def nightly(tmp_path, *steps):
    """What tools/package/nightly.sh says on a machine with next to nothing."""
    for name in ("bash", "dirname", "id", "sed"):
        (tmp_path / name).symlink_to(shutil.which(name))
    command = [shutil.which("bash"), ROOT / "tools/package/nightly.sh", *steps]
    few = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    return subprocess.run(command, env=few, capture_output=True, text=True)


def test_a_nightly_step_that_a_machine_cannot_do_is_left_out_by_name(tmp_path):
    told = nightly(tmp_path, *STEPS)
    lines = told.stderr.splitlines()
    assert told.returncode == 0 and not told.stdout
    assert {line.split(",")[0] for line in lines} == {f"nightly: left out {s}" for s in STEPS}
    assert all(", for want of " in line for line in lines), lines
    assert "lintian" in next(line for line in lines if " deb," in line)
    assert "qemu-aarch64-static" in next(line for line in lines if " aarch64-wheel," in line)
    assert "CPython 3.12" in next(line for line in lines if " wheel-3.12," in line)


def test_a_nightly_step_of_another_name_is_refused(tmp_path):
    told = nightly(tmp_path, "wheel-2.7")
    assert told.returncode == 1 and "got wheel-2.7, allowed are aarch64-tests" in told.stderr
