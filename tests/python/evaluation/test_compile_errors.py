# SPDX-License-Identifier: Apache-2.0
"""Wrong uses of the headers do not compile, and the message says why; the right twin compiles."""

import re

import compiling
import pytest
from compiling import ROOT

HEAD = """
#include <joggle/dlpack.h>
#include <stddef.h>
static const jg_device_id cpu = {JG_DEVICE_CPU, 0};
static jg_view make(void)
{
    jg_view view;
    (void)!jg_view_init(&view, NULL, cpu, JG_DTYPE_INT8, 1, 0, NULL, NULL, 0);
    return view;
}
"""

NO_DTYPE = "not compatible with any"  # what gcc and clang say of _Generic without a match

# Types that a pointer to can be viewed, and types that it cannot.
VIEWED = [
    "float",
    "const double",
    "unsigned char",
    "long long",
    "size_t",
    "const float _Complex",
    "_Bool",
]
NOT_VIEWED = [
    "struct { float x; }",
    "void",
    "volatile float",
    "const volatile float",
    "float *",
    "long double",
    "float[3]",
]

# name: (wrong, right, what the message says)
C_TWINS = {
    "strides shorter than the shape": (
        "int64_t shape[] = {2, 3}, strides[] = {3};"
        "return JG_VIEW_OF_ARRAYS(&view, data, cpu, shape, strides);",
        "int64_t shape[] = {2, 3}, strides[] = {3, 1};"
        "return JG_VIEW_OF_ARRAYS(&view, data, cpu, shape, strides);",
        "shape and strides differ in length",
    ),
    "more axes than a view holds": (
        "int64_t shape[65] = {0}, strides[65] = {0};"
        "return JG_VIEW_OF_ARRAYS(&view, data, cpu, shape, strides);",
        "int64_t shape[64] = {0}, strides[64] = {0};"
        "return JG_VIEW_OF_ARRAYS(&view, data, cpu, shape, strides);",
        "more axes than JG_MAX_NDIM",
    ),
    "a pointer where an array is needed": (
        "int64_t values[] = {2}, *shape = values, strides[] = {1};"
        "return JG_VIEW_OF_ARRAYS(&view, data, cpu, shape, strides);",
        "int64_t values[] = {2}, *shape = values, strides[] = {1};"
        "return JG_VIEW_OF(&view, data, cpu, 1, shape, strides);",
        NO_DTYPE,
    ),
    "extents of another integer type": (
        "int shape[] = {2}; int64_t strides[] = {1};"
        "return JG_VIEW_OF_ARRAYS(&view, data, cpu, shape, strides);",
        "const int64_t shape[] = {2}; int64_t strides[] = {1};"
        "return JG_VIEW_OF_ARRAYS(&view, data, cpu, shape, strides);",
        NO_DTYPE,
    ),
    "a status that nobody looks at": (
        "(void)data; jg_view_init(&view, NULL, cpu, JG_DTYPE_INT8, 1, 0, NULL, NULL, 0); return 0;",
        "(void)data; return jg_view_init(&view, NULL, cpu, JG_DTYPE_INT8, 1, 0, NULL, NULL, 0);",
        "unused-result",
    ),
    "a DLTensor that nobody uses": (
        "(void)data; view = make(); jg_view_dltensor(&view); return 0;",
        "(void)data; view = make(); return jg_view_dltensor(&view).ndim;",
        "unused-result",
    ),
    "a DLTensor of no view": (
        "(void)data; (void)view; return jg_view_dltensor(NULL).ndim;",
        "(void)data; view = make(); return jg_view_dltensor(&view).ndim;",
        "nonnull",
    ),
    "no place for the result": (
        "(void)data; view = make(); DLTensor t = jg_view_dltensor(&view);"
        "return jg_view_from_dltensor(&t, 0, NULL);",
        "(void)data; view = make(); DLTensor t = jg_view_dltensor(&view);"
        "return jg_view_from_dltensor(&t, 0, &view);",
        "nonnull",
    ),
    "a DLTensor of a temporary view": (
        "(void)data; (void)view; return jg_view_dltensor(&make()).ndim;",
        "(void)data; view = make(); return jg_view_dltensor(&view).ndim;",
        r"lvalue required|cannot take the address of an rvalue",
    ),
}
CXX_TWINS = {
    "a DLTensor of a temporary view": (
        "return joggle::dltensor(make()).ndim;",
        "jg_view view = make(); return joggle::dltensor(view).ndim;",
        r"deleted function",
    ),
    "the address of a temporary view": (
        "return jg_view_dltensor(&make()).ndim;",
        "jg_view view = make(); return jg_view_dltensor(&view).ndim;",
        r"address of rvalue|address of an rvalue|address of a temporary",
    ),
}


def compile_c(folder, *bodies):
    """The bodies of functions, which are compiled together."""
    source = folder / "body.c"
    text = "".join(
        f"long body{i}(float *data);\nlong body{i}(float *data) {{ jg_view view; {body} }}\n"
        for i, body in enumerate(bodies)
    )
    source.write_text(f"{HEAD}{text}int main(void) {{ return make().ndim; }}\n")
    flags = [*compiling.C_FLAGS, "-O1", "-I", ROOT / "include", "-c", "-o", folder / "body.o"]
    return compiling.run([*compiling.cc(), *flags, source])


def compile_cxx(folder, *bodies):
    source = folder / "body.cpp"
    text = "".join(f"long body{i}() {{ {body} }}\n" for i, body in enumerate(bodies))
    source.write_text(f"{HEAD}{text}int main() {{ return 0; }}\n")
    flags = [*compiling.CXX_FLAGS, "-I", ROOT / "include", "-fsyntax-only"]
    return compiling.run([*compiling.cxx(), *flags, source])


def check_refused(result, message):
    assert result.returncode != 0, "it compiled"
    assert re.search(message, result.stdout), result.stdout


@pytest.mark.parametrize("wrong, right, message", C_TWINS.values(), ids=C_TWINS.keys())
def test_a_wrong_use_does_not_compile_as_c(tmp_path, wrong, right, message):
    check_refused(compile_c(tmp_path, wrong), message)


@pytest.mark.parametrize("wrong, right, message", CXX_TWINS.values(), ids=CXX_TWINS.keys())
def test_a_wrong_use_does_not_compile_as_cxx(tmp_path, wrong, right, message):
    check_refused(compile_cxx(tmp_path, wrong), message)


@pytest.mark.parametrize("compile_bodies, twins", [(compile_c, C_TWINS), (compile_cxx, CXX_TWINS)])
def test_the_right_twins_are_accepted(tmp_path, compile_bodies, twins):
    accepted = compile_bodies(tmp_path, *(right for _, right, _ in twins.values()))
    assert accepted.returncode == 0, accepted.stdout


def view_of(element):
    """A body that makes a view of a pointer to element."""
    return (
        f"(void)data; __typeof__({element}) *typed = NULL;"
        "return JG_VIEW_OF(&view, typed, cpu, 0, NULL, NULL);"
    )


def test_a_pointer_to_what_a_dtype_describes_is_viewed(tmp_path):
    result = compile_c(tmp_path, *map(view_of, VIEWED))
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("element", NOT_VIEWED)
def test_a_pointer_to_anything_else_is_not(tmp_path, element):
    check_refused(compile_c(tmp_path, view_of(element)), NO_DTYPE)
