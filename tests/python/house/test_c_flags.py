# SPDX-License-Identifier: Apache-2.0
"""What `python -m joggle` tells C and C++ programs, and the header of owners, joggle/array.hpp."""

import ctypes.util
import os
import shlex
import subprocess
import sys

import pytest
from compiling import C_FLAGS, ROOT, cc, cxx, must

import joggle as jg

CXX_FLAGS = ["-std=c++11", "-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Werror"]


def told(*options):
    """(exit status, standard output, standard error) of python -m joggle."""
    command = [sys.executable, "-m", "joggle", *options]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


def flags():
    status, output, errors = told("--libs", "--cflags")
    assert status == 0 and errors == ""
    return shlex.split(output)


def test_one_line_has_the_flags_in_the_order_that_a_compiler_wants():
    first, *others = flags()
    assert first == f"-I{jg.get_include()}"
    assert others == [
        f"-L{jg.get_library_dir()}",
        f"-Wl,-rpath,{jg.get_library_dir()}",
        "-ljoggle",
    ]
    assert told("--version") == (0, jg.__version__ + "\n", "")
    assert told("--include-dir", "--library-dir")[1].split() == [
        jg.get_include(),
        jg.get_library_dir(),
    ]


def test_what_there_is_not_is_refused():
    status, output, errors = told("--pkg-config-dir")
    assert status == 1 and output == "" and "not installed from a wheel" in errors
    status, output, errors = told("--ldflags")
    assert status == 2 and output == "" and "--ldflags" in errors
    status, output, errors = told()
    assert status == 0 and "--cflags" in output


def build(tmp_path, compiler, name, text):
    source = tmp_path / name
    source.write_text(text)
    must([*compiler, source, "-o", tmp_path / "program", *flags()])
    return tmp_path / "program"


@pytest.mark.parametrize("version", [(0, 0, 9), (0, 1, 0), (0, 1, 1), (0, 2, 0), (1, 0, 0)])
def test_headers_tell_whether_they_are_of_a_version_or_a_later_one(tmp_path, version):
    told = [int(number) for number in jg.__version__.split(".")]
    wanted = tuple(told) >= version
    source = f"""
        #include <joggle/version.h>
        #if JOGGLE_VERSION_AT_LEAST({", ".join(map(str, version))})
        int found = 1;
        #else
        int found = 0;
        #endif
        int main(void) {{ return found; }}
    """
    program = build(tmp_path, [*cc(), *C_FLAGS, "-Wno-unused"], "version.c", source)
    assert subprocess.run([program]).returncode == wanted


OWNERS = """
#include <joggle/array.hpp>
#include <cassert>
#include <clocale>
#include <cstdio>
#include <joggle/memory.h>
#include <vector>

static joggle::array ramp(int64_t size)
{
    std::vector<float> data(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = 0.5f + static_cast<float>(i);
    return joggle::make(jg_array_from_data, data.data(), JG_DTYPE_FLOAT32, 1, &size);
}

int main()
{
    const std::size_t before = jg_active_memory();
    {
        joggle::array x = ramp(3), none;
        assert(none.get() == nullptr);
        joggle::array y = joggle::make(jg_add, x, x);
        std::puts(joggle::to_string(y).c_str());
        joggle::array copy = y, moved = std::move(y);
        assert(copy.get() == moved.get() && y.get() == nullptr);
        for (const joggle::array *empty : {&none, &y})
            try {
                joggle::to_string(*empty);
                return 1;
            } catch (const joggle::error &error) {
                assert(error.status() == JG_ERR_VALUE);
                assert(std::string(error.what()).find("empty owner") != std::string::npos);
            }
        copy = copy;
        copy = joggle::array();
        moved = joggle::make(jg_multiply, moved, x);
        std::puts(joggle::to_string(moved).c_str());
        jg_array *raw = moved.release();
        joggle::array again = joggle::array::retain(raw);
        jg_array_release(raw);
        std::puts(joggle::to_string(again).c_str());
        std::vector<joggle::array> many(100, again);
        many.erase(many.begin() + 3);
        try {
            joggle::make(jg_add, x, ramp(2));
            return 1;
        } catch (const joggle::error &error) {
            assert(error.status() == JG_ERR_VALUE);
            std::puts(error.what());
        }
        std::setlocale(LC_ALL, "");
        std::printf("%.1f\\n%s\\n", 0.5, joggle::to_string(x).c_str());
    }
    jg_clear_cache();
    assert(jg_active_memory() == before);
    return 0;
}
"""


def test_owners_of_arrays_in_cpp_release_each_reference_once(tmp_path):
    program = build(tmp_path, [*cxx(), *CXX_FLAGS], "owners.cpp", OWNERS)
    lines = must([program]).splitlines()
    assert lines[:3] == ["[1.0, 3.0, 5.0]", "[ 0.5,  4.5, 12.5]", "[ 0.5,  4.5, 12.5]"]
    assert lines[3].startswith("[add] ") and "(3,)" in lines[3] and "(2,)" in lines[3]
    assert lines[4:] == ["0.5", "[0.5, 1.5, 2.5]"]


def test_texts_have_a_point_where_the_locale_has_a_comma(tmp_path):
    program = build(tmp_path, [*cxx(), *CXX_FLAGS], "owners.cpp", OWNERS)
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"],
        capture_output=True,
        text=True,
    )
    if not (tmp_path / "de_DE.UTF-8").exists():
        pytest.skip(f"the system has no sources of locales (Debian: locales): {made.stderr}")
    environment = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LOCPATH": str(tmp_path)}
    output = subprocess.run([program], env=environment, capture_output=True, text=True).stdout
    assert output.splitlines()[4:] == ["0,5", "[0.5, 1.5, 2.5]"]


def test_the_owners_do_not_hide_anything_that_the_c_headers_have(tmp_path):
    source = "#include <joggle/joggle.h>\n#include <joggle/array.hpp>\nint main() { return 0; }\n"
    build(tmp_path, [*cxx(), *CXX_FLAGS], "both.cpp", source)
    assert (ROOT / "include/joggle/array.hpp").exists()


# Two products of 480 rows of ones, and their sum.
PRODUCTS = """
#include <joggle/joggle.h>
#include <stdio.h>
int main(void)
{
    jg_number one = {.kind = JG_KIND_FLOAT, .re = 1}, value;
    jg_array *x, *y, *z, *sum;
    if (jg_full(JG_DTYPE_FLOAT32, 2, (int64_t[]){480, 480}, one, &x) || jg_matmul(x, x, &y) ||
        jg_matmul(y, x, &z) || jg_sum(z, JG_ALL_AXES, NULL, false, NULL, &sum) ||
        jg_array_item(sum, &value))
        return 1;
    printf("%.0f\\n", value.re);
    jg_array_release(x);
    jg_array_release(y);
    jg_array_release(z);
    jg_array_release(sum);
    return 0;
}
"""


def test_a_program_without_openblas_says_so_once_unless_it_wants_none(tmp_path):
    if ctypes.util.find_library("openblas"):
        pytest.skip("the system has an OpenBLAS, which is found")
    program = build(tmp_path, [*cc(), *C_FLAGS], "products.c", PRODUCTS)
    environment = {name: text for name, text in os.environ.items() if name != "JOGGLE_BLAS"}
    for wanted, lines in (({}, 1), ({"JOGGLE_BLAS": "none"}, 0)):
        result = subprocess.run([program], env=environment | wanted, capture_output=True, text=True)
        assert float(result.stdout) == 480.0**4
        assert result.stderr.count("\n") == lines
        assert ("no OpenBLAS was found" in result.stderr) == bool(lines)
