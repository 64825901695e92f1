# SPDX-License-Identifier: Apache-2.0
"""joggle/mdspan.hpp: views of mdspans, compiled by a plain C++ compiler against CCCL and run."""

from pathlib import Path

import compiling
import pytest
from compiling import ROOT

PROGRAM = ROOT / "tests/c/mdspan/mdspan_views.cpp"
TOOLKIT = Path("/usr/local/cuda/include")


def cccl_folders():
    """CCCL as its wheel brings it, and as a CUDA toolkit does."""
    wheel = compiling.package_path("nvidia", "cu13", "include", "cccl")
    toolkit = TOOLKIT / "cccl"
    return [path for path in (wheel, toolkit) if path and (path / "cuda/std/mdspan").exists()]


@pytest.fixture(scope="module")
def cccl():
    folders = cccl_folders()
    if not folders:
        pytest.skip("no CCCL headers: neither the nvidia-cuda-cccl wheel nor a CUDA toolkit")
    return folders[0]


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    return compiling.library(tmp_path_factory.mktemp("library"))


def run_views(tmp_path, objects, *flags):
    """The program's lines; each names a behaviour that was seen."""
    command = [*compiling.cxx(), *compiling.CXX_FLAGS, "-I", ROOT / "include", *flags]
    program = compiling.build([*command, PROGRAM, *objects], tmp_path, "views")
    return compiling.must([program]).splitlines()


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_views_of_mdspans_need_cccl_alone(tmp_path, objects, cccl, standard):
    lines = run_views(tmp_path, objects, f"-std={standard}", "-isystem", cccl)
    assert "layouts_keep_their_strides" in lines
    assert "without_a_toolkit_there_are_no_cuda_types" in lines


def test_a_toolkits_headers_give_views_of_cuda_element_types(tmp_path, objects, cccl):
    if not (TOOLKIT / "cuda_fp16.h").exists():
        pytest.skip("no CUDA toolkit headers")
    lines = run_views(tmp_path, objects, "-isystem", cccl, "-isystem", TOOLKIT)
    assert "narrow_floats_have_their_dtypes" in lines


def test_a_second_cccl_without_spans_of_its_own_gives_views(tmp_path, objects):
    """The toolkit's, if there is one beside the wheel's: it may be older and lack device_mdspan."""
    others = cccl_folders()[1:]
    if not others:
        pytest.skip("only one CCCL")
    assert "layouts_keep_their_strides" in run_views(tmp_path, objects, "-isystem", others[0])


def test_without_cccl_the_header_still_compiles(tmp_path):
    source = tmp_path / "plain.cpp"
    source.write_text("#include <joggle/mdspan.hpp>\nint main() { return 0; }\n")
    command = [
        *compiling.cxx(),
        *compiling.CXX_FLAGS,
        "-I",
        ROOT / "include",
        "-fsyntax-only",
        source,
    ]
    compiling.must(command)


WRONG = {
    "a struct as element": (
        "struct point { float x, y; } p[2];"
        "cuda::std::mdspan<point, cuda::std::dextents<int, 1>> m(p, 2);"
        "auto v = joggle::view(m);",
        "no dtype describes the element type",
    ),
    "wide integers": (
        "__extension__ typedef __int128 wide; wide p[2] = {};"
        "cuda::std::mdspan<wide, cuda::std::dextents<int, 1>> m(p, 2); auto v = joggle::view(m);",
        "no dtype describes the element type",
    ),
    "a volatile element": (
        "volatile int p[2] = {};"
        "cuda::std::mdspan<volatile int, cuda::std::dextents<int, 1>> m(p, 2);"
        "auto v = joggle::view(m);",
        "volatile elements cannot be viewed",
    ),
    "an accessor that computes": (
        "float p[2]; cuda::std::mdspan<float, cuda::std::dextents<int, 1>, cuda::std::layout_right,"
        " negating> m(p, 2); auto v = joggle::view(m);",
        "plain references to the elements",
    ),
    "a data handle that is no pointer": (
        "cuda::std::mdspan<float, cuda::std::dextents<int, 1>, cuda::std::layout_right, numbered>"
        " m(0, 2); auto v = joggle::view(m);",
        "data_handle_type must be a pointer",
    ),
    "a DLTensor of a temporary view": (
        "float p[2]; cuda::std::mdspan<float, cuda::std::dextents<int, 1>> m(p, 2);"
        "auto v = joggle::dltensor(joggle::view(m));",
        "deleted function",
    ),
    "an ordinal for host memory": (
        "float p[2]; cuda::std::mdspan<float, cuda::std::dextents<int, 1>> m(p, 2);"
        "auto v = joggle::view(m, 1);",
        "only a device_mdspan lies on a numbered device",
    ),
    "a view that is thrown away": (
        "float p[2]; cuda::std::mdspan<float, cuda::std::dextents<int, 1>> m(p, 2);"
        "int v = 0; joggle::view(m);",
        "nodiscard",
    ),
}
RIGHT = (
    "float p[2]; cuda::std::mdspan<float, cuda::std::dextents<int, 1>> m(p, 2);"
    "auto w = joggle::view(m); auto v = joggle::dltensor(w);"
)
ACCESSORS = """
struct negating {
    using offset_policy = negating;
    using element_type = float;
    using reference = float;
    using data_handle_type = float *;
    reference access(float *p, size_t i) const { return -p[i]; }
    float *offset(float *p, size_t i) const { return p + i; }
};
struct numbered {
    using offset_policy = numbered;
    using element_type = float;
    using reference = float &;
    using data_handle_type = int;
    static float &access(int, size_t) { static float one; return one; }
    static int offset(int handle, size_t) { return handle; }
};
"""


@pytest.fixture(scope="module")
def header(tmp_path_factory, cccl):
    """The flags that put the headers before a program: they are compiled once for all bodies."""
    path = tmp_path_factory.mktemp("header") / "headers.hpp"
    path.write_text(f"#include <cuda/std/mdspan>\n#include <joggle/mdspan.hpp>\n{ACCESSORS}")
    flags = [*compiling.CXX_FLAGS, "-I", ROOT / "include", "-isystem", cccl]
    compiling.build(
        [*compiling.cxx(), *flags, "-xc++-header", path], path.parent, "headers.hpp.gch"
    )
    return [*flags, "-include", path]


def compile_body(tmp_path, header, body):
    source = tmp_path / "body.cpp"
    source.write_text(f"int main() {{ {body} (void)v; }}\n")
    return compiling.run([*compiling.cxx(), *header, "-fsyntax-only", source])


@pytest.mark.parametrize("body, message", WRONG.values(), ids=WRONG.keys())
def test_wrong_uses_do_not_compile_and_say_why(tmp_path, header, body, message):
    result = compile_body(tmp_path, header, body)
    assert result.returncode != 0
    assert message in result.stdout


def test_the_right_use_compiles(tmp_path, header):
    result = compile_body(tmp_path, header, RIGHT)
    assert result.returncode == 0, result.stdout
