# SPDX-License-Identifier: Apache-2.0
"""joggle/python.h from somebody else's extension, built out of the tree with plain commands."""

import importlib.util
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

import pytest
from compiling import cc, cxx, must

import joggle as jg

SOURCE = Path(__file__).parent / "bridge_extension" / "doubler.c"


def includes():
    return ["-I", jg.get_include(), "-isystem", sysconfig.get_paths()["include"]]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    target = tmp_path_factory.mktemp("doubler") / f"doubler{sysconfig.get_config_var('EXT_SUFFIX')}"
    library = jg.get_library_dir()
    flags = ["-std=c17", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    link = ["-L", library, "-l:libjoggle.so.0", f"-Wl,-rpath,{library}"]
    must([*cc(), *flags, *includes(), SOURCE, "-o", target, *link])
    return target


@pytest.fixture(scope="module")
def doubler(path):
    spec = importlib.util.spec_from_file_location("doubler", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_arrays_go_in_and_out(doubler):
    x = jg.array([1.0, 2.0])
    y = doubler.twice(x)
    assert isinstance(y, jg.array) and y.tolist() == [2, 4] and x.tolist() == [1, 2]
    assert doubler.zeros(3).tolist() == [0, 0, 0]
    assert doubler.is_array(x) and not doubler.is_array([1.0])


def test_what_is_no_array_is_a_type_error(doubler):
    with pytest.raises(TypeError, match=r"got list, allowed is joggle.array"):
        doubler.twice([1.0])
    with pytest.raises(SystemError, match="NULL"):
        doubler.wrap_null()


def test_errors_of_the_library_come_through(doubler):
    with pytest.raises(ValueError):
        doubler.zeros(-1)


def test_references_are_given_back(doubler):
    jg.clear_cache()
    before = jg.get_active_memory()
    for _ in range(100):
        jg.eval(doubler.twice(jg.ones(1000)))
    assert jg.get_active_memory() == before


def test_the_header_imports_joggle_itself_and_from_several_threads(path):
    code = f"""
import importlib.util, sys, threading
spec = importlib.util.spec_from_file_location("doubler", {str(path)!r})
doubler = importlib.util.module_from_spec(spec)
spec.loader.exec_module(doubler)
assert "joggle" not in sys.modules
found = []
def make(): found.append(doubler.zeros(2).tolist())
threads = [threading.Thread(target=make) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert found == [[0, 0]] * 8, found
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_the_extension_may_use_it_from_any_python_thread(doubler):
    results = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(doubler.twice(jg.ones(n)).size))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(8))


def test_the_header_compiles_as_cplusplus(tmp_path):
    program = tmp_path / "use.cpp"
    program.write_text(
        "#include <joggle/python.h>\nint use(PyObject *x) { return jg_python_check(x); }\n"
    )
    must(
        [
            *cxx(),
            "-std=c++17",
            "-Wall",
            "-Wextra",
            "-Werror",
            *includes(),
            "-c",
            program,
            "-o",
            tmp_path / "use.o",
        ]
    )
