# SPDX-License-Identifier: Apache-2.0
"""What users get: a C library found by pkg-config, a wheel that needs nothing of the tree."""

import importlib.util
import json
import os
import re
import shutil
import sys
import textwrap
import venv
import zipfile
from pathlib import Path

import pytest
from building import FAST, ROOT, copy_tree, run

SPLIT = ROOT / "tools/wheel/split.py"
VERSION = "0.1.0"

# A build of the whole library, on two slow cores perhaps, beside other tests; the later tests
# compile only what differs from what the earlier ones built.
pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a copy of the tree, for a build beside it."""
    folder = tmp_path_factory.mktemp("builds")
    copy_tree(folder / "tree")
    return folder


@pytest.fixture(scope="module")
def prefix(folder):
    """A prefix that `meson install` has filled."""
    prefix, build = folder / "prefix", folder / "build"
    options = (f"--prefix={prefix}", "-Dlibdir=lib", "-Dtests=disabled", FAST)
    # Everything but kernels works without LLVM.
    run("meson", "setup", build, folder / "tree", *options, "-Djit=disabled", cwd=folder)
    run("meson", "install", "-C", build, "--quiet", cwd=folder)
    return prefix


@pytest.fixture(scope="module")
def wheel(folder, prefix):
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    options = (FAST, "-Dwhole_program=false", "-Djit=auto")
    settings = ("--no-build-isolation", "--no-deps", f"-Cbuild-dir={folder / 'build'}")
    settings += tuple(f"-Csetup-args={option}" for option in options)
    old = folder / "old_glibc"
    run(sys.executable, ROOT / "tools/wheel/old_glibc.py", old, cwd=folder)
    # The folder was configured before, and Meson reads LDFLAGS but then.
    settings += (f"-Csetup-args=-Dc_link_args=-L{old}",)
    run(*pip, "wheel", "-q", folder / "tree", *settings, "-w", folder, cwd=folder)
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
    for name in ("libjoggle.so.0", "libjoggle.so", "pkgconfig/joggle.pc"):
        assert f"joggle/{name}" in names
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


@pytest.fixture(scope="module")
def released(folder, wheel):
    """A folder with the two wheels that the one is parted into."""
    released = folder / "released"
    released.mkdir()
    run(sys.executable, SPLIT, wheel, released, cwd=folder)
    return released


def test_wheels_run_with_glibc_2_28(released, tmp_path):
    wheels = sorted(released.glob("*.whl"))
    assert [path.name.split("-")[0] for path in wheels] == ["joggle", "joggle_jit"]
    platform = f"manylinux_2_28_{os.uname().machine}"
    for wheel in wheels:
        auditwheel = (sys.executable, "-m", "auditwheel", "repair", "--only-plat")
        run(*auditwheel, "--plat", platform, "-w", tmp_path, wheel, cwd=tmp_path)
    assert {path.stem.split("-")[-1] for path in tmp_path.glob("*.whl")} == {platform}


def test_wheels_list_what_is_in_them(released):
    for wheel in released.glob("*.whl"):
        archive = zipfile.ZipFile(wheel)
        (name,) = [name for name in archive.namelist() if name.endswith(".cdx.json")]
        told = json.loads(archive.read(name))
        about = told["metadata"]["component"]
        assert (told["bomFormat"], about["version"]) == ("CycloneDX", VERSION)
        parts = {part["name"]: part["version"] for part in told["components"]}
        if about["name"] == "joggle":
            assert parts == {} and "joggle/libjoggle_jit.so" not in archive.namelist()
            continue
        assert sorted(parts) == ["libstdc++", "llvm", "zlib", "zstd"]
        assert parts["llvm"].removeprefix("1:").startswith("19.")
        licences = [name for name in archive.namelist() if "/licenses/" in name]
        assert len(licences) == 5 and all(archive.read(name) for name in licences)


def test_extra_brings_what_compiles(released, tmp_path):
    """As `pip install joggle`, then `joggle[jit]`, each into a bare environment."""
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv/bin/python"
    site = run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=tmp_path).strip()
    place = importlib.util.find_spec("scipy_openblas32").submodule_search_locations[0]
    Path(site, "scipy_openblas32").symlink_to(place)
    install = (sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index")
    smoke = (python, "-I", ROOT / "tests/package/smoke.py")
    base, jit = sorted(released.glob("*.whl"))
    run(*install, "--target", site, base, cwd=tmp_path)
    assert " parts hold" in run(*smoke, cwd=tmp_path)
    run(*install, "--target", tmp_path / "elsewhere", jit, cwd=tmp_path)
    Path(site, "elsewhere.pth").write_text(f"{tmp_path}/elsewhere\n")
    assert " parts hold" in run(*smoke, "--jit", cwd=tmp_path)


def test_signed_checksums_are_checked_as_SECURITY_says(released, tmp_path):
    key = tmp_path / "key"
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key, cwd=tmp_path)
    code = f"import build; build.write_sums(build.Path({str(released)!r}), {str(key)!r})"
    run(sys.executable, "-c", code, cwd=SPLIT.parent)
    (tmp_path / "signers").write_text(f"joggle {key.with_suffix('.pub').read_text()}")
    (command,) = re.findall(r"ssh-keygen -Y verify .*", (ROOT / "SECURITY.md").read_text())
    shutil.copy(tmp_path / "signers", released)
    assert 'Good "file" signature' in run("bash", "-c", command, cwd=released)
    run("sha256sum", "-c", "--quiet", "SHA256SUMS", cwd=released)
    sums = released / "SHA256SUMS"
    sums.write_text(sums.read_text().replace("a", "b"))
    with pytest.raises(AssertionError, match="incorrect signature"):
        run("bash", "-c", command, cwd=released)


@pytest.fixture(scope="module")
def site(folder, wheel):
    """A folder of packages with the wheel and, beside it, a package that holds an OpenBLAS."""
    site = folder / "site"
    zipfile.ZipFile(wheel).extractall(site)
    place = importlib.util.find_spec("scipy_openblas32").submodule_search_locations[0]
    (site / "scipy_openblas32").symlink_to(place)
    return site


@pytest.mark.parametrize("asked", ["-m joggle", "pkg-config", "-m joggle --pkg-config-dir"])
def test_program_links_against_the_wheel_by_the_flags_that_it_tells(site, asked, tmp_path):
    joggle = (sys.executable, "-S", "-m", "joggle")
    if asked == "-m joggle":
        flags = run(*joggle, "--cflags", "--libs", cwd=tmp_path, PYTHONPATH=str(site))
    else:
        where = str(site / "joggle/pkgconfig")
        if asked != "pkg-config":
            where = run(*joggle, "--pkg-config-dir", cwd=tmp_path, PYTHONPATH=str(site)).strip()
        command = ("pkg-config", "--cflags", "--libs", "joggle")
        flags = run(*command, cwd=tmp_path, PKG_CONFIG_PATH=where)
    run("cc", ROOT / "examples/c/hello.c", "-o", "hello", *flags.split(), cwd=tmp_path)
    assert "2 x 3" in run(tmp_path / "hello", cwd=tmp_path)
    told = run("readelf", "-d", tmp_path / "hello", cwd=tmp_path)
    assert "libjoggle.so.0" in told


# A product of 512 rows that are all ones, on the library that the wheel brings.
PRODUCT = """
#include <joggle/joggle.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    jg_number one = {.kind = JG_KIND_FLOAT, .re = 1};
    jg_array *x, *y;
    jg_number value;
    if (jg_full(JG_DTYPE_FLOAT32, 2, (int64_t[]){512, 512}, one, &x) ||
        jg_matmul(x, x, &y) || jg_sum(y, JG_ALL_AXES, NULL, false, NULL, &x) ||
        jg_array_item(x, &value))
        return 1;
    printf("%.0f\\n", value.re);
    FILE *maps = fopen("/proc/self/maps", "r");
    for (char line[4096]; fgets(line, sizeof line, maps) != NULL;)
        if (strstr(line, "openblas") != NULL) {
            puts("OpenBLAS");
            return 0;
        }
    return 0;
}
"""


def test_program_finds_the_openblas_beside_the_wheel(site, tmp_path):
    (tmp_path / "product.c").write_text(PRODUCT)
    flags = run(
        *(sys.executable, "-S", "-m", "joggle", "--cflags", "--libs"),
        cwd=tmp_path,
        PYTHONPATH=str(site),
    )
    run("cc", "product.c", "-o", "product", *flags.split(), cwd=tmp_path)
    assert run(tmp_path / "product", cwd=tmp_path).split() == ["134217728", "OpenBLAS"]


CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(client C)
find_package(joggle ${ASKED} REQUIRED CONFIG)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE joggle::joggle)
"""


@pytest.mark.parametrize("installed", ["prefix", "wheel"])
def test_cmake_finds_the_library(prefix, site, installed, tmp_path):
    shutil.copy(ROOT / "examples/c/hello.c", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    where = [f"-DCMAKE_PREFIX_PATH={prefix}"]
    if installed == "wheel":
        joggle = (sys.executable, "-S", "-m", "joggle")
        told = run(*joggle, "--cmake-dir", cwd=tmp_path, PYTHONPATH=str(site)).strip()
        where = [f"-Djoggle_DIR={told}"]
    cmake = ("cmake", "-S", ".", *where)
    run(*cmake, "-B", "build", "-DASKED=0.1", cwd=tmp_path)
    run("cmake", "--build", "build", cwd=tmp_path)
    assert "2 x 3" in run(tmp_path / "build/hello", cwd=tmp_path)
    for asked in ("0.2", "0.1.9", "1"):
        with pytest.raises(AssertionError, match=r"joggleConfig\.cmake, version: 0\.1\.0"):
            run(*cmake, "-B", f"refused-{asked}", f"-DASKED={asked}", cwd=tmp_path)
