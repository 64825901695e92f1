# SPDX-License-Identifier: Apache-2.0
"""joggle/dlpack.h has the sizes, offsets, values and types of the official header."""

import itertools
import sysconfig
from pathlib import Path

import compiling
import pytest
from compiling import ROOT

STRUCTS = {
    "DLPackVersion": "major minor",
    "DLDevice": "device_type device_id",
    "DLDataType": "code bits lanes",
    "DLTensor": "data device ndim dtype shape strides byte_offset",
    "DLManagedTensor": "dl_tensor manager_ctx deleter",
    "DLManagedTensorVersioned": "version manager_ctx deleter flags dl_tensor",
    "DLPackExchangeAPIHeader": "version prev_api",
    "DLPackExchangeAPI": "header managed_tensor_allocator managed_tensor_from_py_object_no_sync "
    "managed_tensor_to_py_object_no_sync dltensor_from_py_object_no_sync current_work_stream",
}
NAMES = """
    DLPACK_MAJOR_VERSION DLPACK_MINOR_VERSION DLPACK_FLAG_BITMASK_READ_ONLY
    DLPACK_FLAG_BITMASK_IS_COPIED DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED kDLCPU kDLCUDA
    kDLCUDAHost kDLOpenCL kDLVulkan kDLMetal kDLVPI kDLROCM kDLROCMHost kDLExtDev kDLCUDAManaged
    kDLOneAPI kDLWebGPU kDLHexagon kDLMAIA kDLTrn kDLInt kDLUInt kDLFloat kDLOpaqueHandle
    kDLBfloat kDLComplex kDLBool kDLFloat8_e3m4 kDLFloat8_e4m3 kDLFloat8_e4m3b11fnuz
    kDLFloat8_e4m3fn kDLFloat8_e4m3fnuz kDLFloat8_e5m2 kDLFloat8_e5m2fnuz kDLFloat8_e8m0fnu
    kDLFloat6_e2m3fn kDLFloat6_e3m2fn kDLFloat4_e2m1fn
"""
VALUES = NAMES.split()
# Function types have no layout to print: they are assigned to and from these spelled-out ones.
FUNCTIONS = {
    "DLPackManagedTensorAllocator": "int (*{})(DLTensor *, DLManagedTensorVersioned **, void *, "
    "void (*)(void *, const char *, const char *))",
    "DLPackManagedTensorFromPyObjectNoSync": "int (*{})(void *, DLManagedTensorVersioned **)",
    "DLPackManagedTensorToPyObjectNoSync": "int (*{})(DLManagedTensorVersioned *, void **)",
    "DLPackDLTensorFromPyObjectNoSync": "int (*{})(void *, DLTensor *)",
    "DLPackCurrentWorkStream": "int (*{})(DLDeviceType, int32_t, void **)",
}

OURS = "#include <joggle/dlpack.h>\n"
OFFICIAL = "#include <dlpack/dlpack.h>\n"


@pytest.fixture(scope="module")
def official():
    """The folder that holds dlpack/dlpack.h as published."""
    path = compiling.package_path("tvm_ffi", "include")
    if path is None or not (path / "dlpack/dlpack.h").exists():
        pytest.skip("the apache-tvm-ffi wheel, which brings the official header, is not installed")
    return path


def dump_program(includes):
    """A program that prints a line for everything that the ABI fixes."""
    lines = ["#include <stddef.h>", "#include <stdio.h>", includes]
    for i, (name, text) in enumerate(FUNCTIONS.items()):
        lines.append(f"static {text.format(f'spelled{i}')}; static {name} named{i};")
    lines.append("int main(void) {")
    lines += [f"    spelled{i} = named{i}; named{i} = spelled{i};" for i in range(len(FUNCTIONS))]
    for struct, members in STRUCTS.items():
        lines.append(f'    printf("{struct} %zu\\n", sizeof({struct}));')
        for member in members.split():
            size = f"sizeof((({struct} *)0)->{member})"
            line = f'"{struct}.{member} %zu %zu\\n", offsetof({struct}, {member}), {size}'
            lines.append(f"    printf({line});")
    lines += [f'    printf("{name} %lld\\n", (long long){name});' for name in VALUES]
    lines += [
        '    printf("%zu %zu\\n", sizeof(DLDeviceType), sizeof(DLDataTypeCode));',
        "    return 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def dump(tmp_path, includes, *flags, language="c"):
    """What the program prints, compiled as C or C++."""
    suffix = {"c": "c", "c++": "cpp"}[language]
    source = tmp_path / f"dump.{suffix}"
    source.write_text(dump_program(includes))
    command = compiling.cc() + compiling.C_FLAGS
    if language == "c++":
        command = compiling.cxx() + compiling.CXX_FLAGS
    program = compiling.build([*command, "-I", ROOT / "include", *flags, source], tmp_path, "dump")
    return compiling.must([program])


@pytest.mark.parametrize("language", ["c", "c++"])
def test_every_size_offset_and_value_is_the_official_one(tmp_path, official, language):
    theirs = dump(tmp_path, OFFICIAL, "-isystem", official, language=language)
    assert dump(tmp_path, OURS, language=language) == theirs
    members = sum(len(text.split()) for text in STRUCTS.values())
    assert theirs.count("\n") == len(STRUCTS) + members + len(VALUES) + 1


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("includes", [OURS + OFFICIAL, OFFICIAL + OURS], ids=["first", "second"])
def test_both_headers_can_be_included_in_either_order(tmp_path, official, includes, language):
    assert dump(tmp_path, includes, "-isystem", official, language=language)


def preprocessed(tmp_path, *flags):
    source = tmp_path / "only.c"
    source.write_text(OURS)
    return compiling.must([*compiling.cc(), "-E", "-I", ROOT / "include", *flags, source])


def test_system_dlpack_takes_the_official_header(tmp_path, official):
    text = preprocessed(tmp_path, "-DJOGGLE_SYSTEM_DLPACK", "-isystem", official)
    assert str(official / "dlpack/dlpack.h") in text
    assert dump(tmp_path, OURS, "-DJOGGLE_SYSTEM_DLPACK", "-isystem", official) == dump(
        tmp_path, OURS
    )


def test_system_dlpack_falls_back_to_ours_where_there_is_none(tmp_path):
    assert dump(tmp_path, OURS, "-DJOGGLE_SYSTEM_DLPACK") == dump(tmp_path, OURS)


def test_the_room_header_of_that_name_is_not_taken_for_the_official_one(tmp_path):
    flags = ["-DJOGGLE_SYSTEM_DLPACK", "-I", ROOT / "src"]
    assert dump(tmp_path, OURS, *flags) == dump(tmp_path, OURS)


def test_unless_asked_for_the_official_header_is_not_taken(tmp_path, official):
    assert str(official) not in preprocessed(tmp_path, "-isystem", official)


def test_no_dlpack_declares_nothing(tmp_path):
    text = preprocessed(tmp_path, "-DJOGGLE_NO_DLPACK")
    assert "DLTensor" not in text and "DLManagedTensor" not in text
    assert "jg_view_init" in text


def test_no_dlpack_leaves_the_other_headers_whole(tmp_path):
    """All public headers together, in both languages; python.h where Python's own header is."""
    python = Path(sysconfig.get_path("include"))
    headers = {path.name for path in (ROOT / "include/joggle").glob("*.h")}
    if not (python / "Python.h").exists():
        headers.discard("python.h")
    text = "".join(f"#include <joggle/{name}>\n" for name in sorted(headers))
    flags = ["-DJOGGLE_NO_DLPACK", "-fsyntax-only", "-I", ROOT / "include", "-isystem", python]
    for command, suffix in [(compiling.cc(), "c"), (compiling.cxx(), "cpp")]:
        source = tmp_path / f"headers.{suffix}"
        source.write_text(f"{text}int main(void) {{ return 0; }}\n")
        compiling.must([*command, *flags, source])


def test_no_dlpack_leaves_the_room_compiling(tmp_path):
    for source in (ROOT / "src/dlpack").glob("*.c"):
        flags = ["-DJOGGLE_NO_DLPACK", "-std=c17", "-iquote", ROOT / "src", "-I", ROOT / "include"]
        compiling.must([*compiling.cc(), *flags, "-fsyntax-only", source])


def test_an_older_dlpack_header_is_refused_by_name(tmp_path):
    old = "#define DLPACK_DLPACK_H_\n#define DLPACK_VERSION 80\n"
    source = tmp_path / "old.c"
    source.write_text(old + OURS)
    result = compiling.run([*compiling.cc(), "-fsyntax-only", "-I", ROOT / "include", source])
    assert result.returncode != 0
    assert "joggle needs DLPack 1.x" in result.stdout


def test_the_words_of_the_official_header_are_not_copied(official):
    """No run of eight words of a comment occurs in both headers."""

    def runs(path):
        words = path.read_text().replace("*", " ").replace("/", " ").split()
        return {" ".join(words[i : i + 8]) for i in range(len(words) - 7)}

    ours = runs(ROOT / "include/joggle/dlpack.h")
    shared = ours & runs(official / "dlpack/dlpack.h")
    code = {";", "=", "(", "typedef", "{", "#define", "#endif", "#else", ","}
    prose = {run for run in shared if not any(mark in run for mark in code)}
    assert not prose, sorted(itertools.islice(prose, 5))
