# SPDX-License-Identifier: Apache-2.0
"""What users get: a C library found by pkg-config, a wheel that needs nothing of the tree."""

import os
import shutil
import subprocess
import sys
import textwrap
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Two builds of the whole library, on two slow cores perhaps, beside other tests. What is built is
# not what is asked here, so the compiler need not optimise it, which takes most of the time.
pytestmark = pytest.mark.timeout(900)
FAST = "-Doptimization=0"

# The variables by which `make` leads imports to its own build.
OURS = ("PYTHONPATH", "MESONPY_EDITABLE_SKIP", "LD_LIBRARY_PATH")


def run(*command, cwd, **variables):
    environment = {name: text for name, text in os.environ.items() if name not in OURS}
    # Meson and ninja lie beside the interpreter that runs the tests.
    environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), environment["PATH"]))
    result = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment | variables,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """A prefix that `meson install` has filled."""
    folder = tmp_path_factory.mktemp("c")
    prefix, build = folder / "prefix", folder / "build"
    run(
        "meson",
        "setup",
        build,
        ROOT,
        f"--prefix={prefix}",
        "-Dlibdir=lib",
        "-Dtests=disabled",
        "-Djit=disabled",  # everything but kernels works without LLVM
        FAST,
        cwd=ROOT,
    )
    run("meson", "install", "-C", build, "--quiet", cwd=ROOT)
    return prefix


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    settings = ("--no-build-isolation", "--no-deps", f"-Csetup-args={FAST}")
    run(*pip, "wheel", "-q", ROOT, *settings, "-w", folder, cwd=folder)
    (path,) = folder.glob("joggle-*.whl")
    return path


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples/c").glob("*.c")), ids=lambda path: path.stem
)
def test_c_program_builds_through_pkg_config_and_runs(prefix, example, tmp_path):
    paths = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "joggle", cwd=tmp_path, **paths).split()
    run(
        "cc",
        "-std=c17",
        "-Wall",
        "-Wextra",
        "-Werror",
        example,
        "-o",
        "program",
        *flags,
        cwd=tmp_path,
    )
    output = run(tmp_path / "program", cwd=tmp_path, LD_LIBRARY_PATH=str(prefix / "lib"))
    assert output.strip()


def test_a_build_without_llvm_says_what_kernels_need(prefix, tmp_path):
    (tmp_path / "kernel.c").write_text("""
        #include <joggle/joggle.h>
        #include <joggle/kernel.h>
        #include <stdio.h>
        int main(void)
        {
            jg_kernel *kernel;
            if (jg_kernel_from_text("kernel nothing\\n{\\n}\\n", &kernel) != JG_OK)
                return 1;
            jg_status status = jg_kernel_run(kernel, NULL, NULL, NULL);
            printf("%s: %s", jg_status_name(status), jg_error_message());
            return 0;
        }
    """)
    library = [f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-ljoggle"]
    run("cc", "kernel.c", "-o", "kernel", *library, cwd=tmp_path)
    output = run(tmp_path / "kernel", cwd=tmp_path)
    assert "libjoggle_jit.so" in output and "llvm-19-dev" in output
    assert not (prefix / "lib/libjoggle_jit.so").exists()


def test_hello_prints_the_shape(prefix, tmp_path):
    library = [f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-ljoggle"]
    run("cc", ROOT / "examples/c/hello.c", "-o", "hello", *library, cwd=tmp_path)
    assert "float32 2 x 3, contiguous" in run(tmp_path / "hello", cwd=tmp_path)


def test_pkg_config_tells_the_version_of_the_headers(prefix):
    told = run("pkg-config", "--modversion", prefix / "lib/pkgconfig/joggle.pc", cwd=prefix).strip()
    header = (prefix / "include/joggle/version.h").read_text()
    assert told == ".".join(
        line.split()[-1]
        for line in header.splitlines()
        if line.startswith("#define JOGGLE_VERSION_M")
        or line.startswith("#define JOGGLE_VERSION_P")
    )


def test_wheel_holds_the_library_and_its_headers(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "joggle/libjoggle.so.0" in names
    if shutil.which("llvm-config-19"):
        assert "joggle/libjoggle_jit.so" in names
    for header in (ROOT / "include/joggle").iterdir():
        assert f"joggle/include/joggle/{header.name}" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]


def test_wheel_imports_outside_the_source_tree(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv/bin/python"
    site = run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=tmp_path).strip()
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "install", "-q", "--no-deps", "--no-index", "--target", site, wheel, cwd=tmp_path)
    code = """
        import sys
        import joggle, joggle._core
        for module in (joggle, joggle._core):
            assert module.__file__.startswith(sys.prefix), module.__file__
        assert not [name for name in ("numpy", "torch") if name in sys.modules]
        print("imported")
    """
    output = run(python, "-I", "-c", textwrap.dedent(code), cwd=tmp_path)
    assert output == "imported\n"


def test_program_links_against_the_wheel(wheel, tmp_path):
    package = tmp_path / "joggle"
    zipfile.ZipFile(wheel).extractall(tmp_path)
    library = [f"-I{package}/include", package / "libjoggle.so.0", f"-Wl,-rpath,{package}"]
    run("cc", ROOT / "examples/c/hello.c", "-o", "hello", *library, cwd=tmp_path)
    assert "2 x 3" in run(tmp_path / "hello", cwd=tmp_path)
