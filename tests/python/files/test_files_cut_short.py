# SPDX-License-Identifier: Apache-2.0
"""A file that is cut short while arrays lie in it: who reads them gets OSError with its path, in
whatever thread and process, and signals of others go where they went before."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import joggle as jg

NUMBERS = np.linspace(0, 1, 50_000, dtype="f4")

FORMATS = {
    "npy": (lambda path, a: np.save(path, a), lambda loaded: loaded),
    "npz": (lambda path, a: np.savez(path, a=a), lambda loaded: loaded["a"]),
    "safetensors": (
        lambda path, a: jg.save_safetensors(path, {"a": jg.array(a)}),
        lambda loaded: loaded["a"],
    ),
    "gguf": (lambda path, a: jg.save_gguf(path, {"a": jg.array(a)}), lambda loaded: loaded["a"]),
}
READS = {
    "work": lambda x: jg.eval(x + 1),
    "a reduction": lambda x: jg.sum(x).item(),
    "a routine": lambda x: jg.eval(jg.sort(x)),
    "a view": lambda x: jg.eval(x[::-3] * 2),
    "a list": lambda x: x.tolist(),
    "a number": lambda x: x[-1].item(),
    "text": str,
    "an export": np.from_dlpack,
    "a buffer": memoryview,
    "a copy": lambda x: jg.eval(x.copy()),
    "a file": lambda x: jg.save(os.devnull, x),
    "work that is not waited for": lambda x: waited_for(x + 1),
}


def waited_for(x):
    jg.async_eval(x)
    return x.tolist()


def loaded(tmp_path, format, numbers=NUMBERS):
    write, get = FORMATS[format]
    path = str(tmp_path / f"x.{format}")
    write(path, numbers)
    return path, get(jg.load(path))


def run(code, *args):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("format", FORMATS)
def test_reading_a_cut_file_raises_an_os_error_naming_the_path(tmp_path, format, read):
    for left in (0, 10, 5000, 100_000, -1):
        path, x = loaded(tmp_path, format)
        os.truncate(path, left if left >= 0 else os.path.getsize(path) - 1)
        with pytest.raises(OSError, match="cut short") as raised:
            READS[read](x)
        assert path in str(raised.value)


def test_a_small_file_that_loses_less_than_a_page_is_noticed(tmp_path):
    path, x = loaded(tmp_path, "npy", np.ones(8))
    os.truncate(path, os.path.getsize(path) - 8)
    with pytest.raises(OSError, match="cut short"):
        jg.eval(x * 2)


def test_what_was_computed_before_stays_and_other_files_are_read_on(tmp_path):
    path, x = loaded(tmp_path, "npy")
    _, other = loaded(tmp_path, "safetensors")
    before = x + 1
    jg.eval(before)
    os.truncate(path, 0)
    with pytest.raises(OSError):
        jg.eval(x + 2)
    assert np.array_equal(before, NUMBERS + 1)
    assert np.array_equal(other + 1, NUMBERS + 1)


def test_a_foreign_reader_of_exported_memory_gets_zeros(tmp_path):
    path, x = loaded(tmp_path, "npy")
    memory = np.from_dlpack(x)
    os.truncate(path, 0)
    assert not memory.any()
    with pytest.raises(OSError):
        jg.sum(x).item()


def test_a_file_that_is_loaded_while_it_has_its_size_again_is_whole(tmp_path):
    path, x = loaded(tmp_path, "npy")
    os.truncate(path, 0)
    with pytest.raises(OSError):
        jg.eval(x + 1)
    del x
    _, x = loaded(tmp_path, "npy")
    assert np.array_equal(x + 1, NUMBERS + 1)


@pytest.mark.parametrize("numbers", [NUMBERS[:3], NUMBERS + 1, np.tile(NUMBERS, 2)])
@pytest.mark.parametrize("format", FORMATS)
def test_saving_over_a_mapped_file_leaves_its_arrays_alone(tmp_path, format, numbers):
    path, x = loaded(tmp_path, format)
    save = {
        "npy": lambda: jg.save(path, jg.array(numbers)),
        "npz": lambda: jg.savez(path, a=jg.array(numbers)),
        "safetensors": lambda: jg.save_safetensors(path, {"a": jg.array(numbers)}),
        "gguf": lambda: jg.save_gguf(path, {"a": jg.array(numbers)}),
    }
    save[format]()
    assert np.array_equal(x + 1, NUMBERS + 1)
    assert np.array_equal(x, NUMBERS)
    assert np.array_equal(FORMATS[format][1](jg.load(path)), numbers)


def test_an_array_is_saved_over_the_file_that_it_lies_in(tmp_path):
    path, x = loaded(tmp_path, "npy")
    jg.save(path, x[::2] * 2)
    assert np.array_equal(jg.load(path), NUMBERS[::2] * 2)
    assert np.array_equal(x, NUMBERS)


def test_threads_reading_a_cut_file_have_its_numbers_or_an_error(tmp_path):
    expected = np.exp(NUMBERS)
    for _ in range(10):
        path, x = loaded(tmp_path, "npy")
        found, start = [], threading.Barrier(5)

        def read(x=x, found=found, start=start):
            start.wait()
            for _ in range(20):
                try:
                    found.append(np.allclose(np.asarray(jg.exp(x)), expected))
                except OSError:
                    return

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        start.wait()
        os.truncate(path, 5000)
        for thread in threads:
            thread.join()
        assert all(found)


def test_a_child_of_a_fork_gets_the_error_too(tmp_path):
    path, x = loaded(tmp_path, "npy")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.truncate(path, 0)
            jg.eval(x + 1)
        except OSError:
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with pytest.raises(OSError):
        jg.eval(x + 1)


SIGNALS = """
import mmap, os, signal, sys
import joggle as jg
mode, ours, others = sys.argv[1:]
if mode == "python":
    signal.signal(signal.SIGBUS, lambda *args: print("handled", flush=True))
if mode == "faulthandler":
    import faulthandler; faulthandler.enable()
if mode == "ignored":
    signal.signal(signal.SIGBUS, signal.SIG_IGN)
x = jg.load(ours)
if mode == "faulthandler later":
    import faulthandler; faulthandler.enable()
    y = jg.load(ours)
os.truncate(ours, 0)
try:
    jg.eval(x + 1)
except OSError:
    print("refused", flush=True)
if mode in ("python", "ignored"):
    os.kill(os.getpid(), signal.SIGBUS)
else:
    with open(others, "r+b") as file:
        memory = mmap.mmap(file.fileno(), 0)
        os.truncate(others, 0)
        memory[5000]
print("went on")
"""


@pytest.mark.parametrize(
    ("mode", "code", "out", "error"),
    [
        ("default", -signal.SIGBUS, ["refused"], ""),
        ("faulthandler", -signal.SIGBUS, ["refused"], "Bus error"),
        ("faulthandler later", -signal.SIGBUS, ["refused"], "Bus error"),
        ("python", 0, ["refused", "handled", "went on"], ""),
        ("ignored", 0, ["refused", "went on"], ""),
    ],
)
def test_bus_errors_of_others_go_where_they_went_before(tmp_path, mode, code, out, error):
    ours, others = tmp_path / "x.npy", tmp_path / "others"
    np.save(ours, NUMBERS)
    others.write_bytes(bytes(10_000))
    done = run(SIGNALS, mode, ours, others)
    assert done.returncode == code, done.stderr
    assert done.stdout.split("\n")[:-1] == out
    assert error in done.stderr


WRITERS = {
    "save": (".npy", lambda path, x: jg.save(path, x)),
    "savez": (".npz", lambda path, x: jg.savez(path, a=x)),
    "savez_compressed": (".npz", lambda path, x: jg.savez_compressed(path, a=x)),
    "save_safetensors": (".safetensors", lambda path, x: jg.save_safetensors(path, {"a": x})),
    "save_gguf": (".gguf", lambda path, x: jg.save_gguf(path, {"a": x})),
    "savetxt": (".npy", lambda path, x: jg.savetxt(path, x[:10])),
    "savetxt packed": (".gz", lambda path, x: jg.savetxt(path, x[:10])),
    "export_to_dot": (".npy", lambda path, x: jg.export_to_dot(path, x + 1)),
}


def mapped_at(path):
    """An array over the file of that name, whatever its format."""
    with open(path, "wb") as file:
        np.save(file, NUMBERS)
    with open(path, "rb") as file:
        return jg.load(file, "npy")


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_leaves_arrays_over_the_old_file_alone(name, tmp_path):
    suffix, write = WRITERS[name]
    path = tmp_path / f"x{suffix}"
    x = mapped_at(path)
    path.chmod(0o640)
    link = tmp_path / f"link{suffix}"
    link.symlink_to(path.name)
    write(os.fsencode(link), jg.array(NUMBERS))
    np.testing.assert_array_equal(np.asarray(x), NUMBERS)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([path.name, link.name])
    assert not path.read_bytes().startswith(b"\x93NUMPY") or name == "save"


@pytest.mark.parametrize("suffix", ["txt", "txt.gz"])
def test_a_table_that_cannot_be_written_leaves_the_old_file_whole(suffix, tmp_path):
    path = tmp_path / f"x.{suffix}"
    jg.savetxt(path, jg.ones((2, 2)))
    before = path.read_bytes()
    with pytest.raises(UnicodeEncodeError):
        jg.savetxt(path, jg.zeros((2, 2)), footer="\u20ac", encoding="ascii")
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_is_not_there_is_told_with_the_path_that_was_given(tmp_path):
    for name, (suffix, write) in WRITERS.items():
        path = os.fspath(tmp_path / "missing" / f"x{suffix}")
        with pytest.raises(OSError) as failed:
            write(path, jg.ones(3))
        assert path in str(failed.value) and ".part" not in str(failed.value), name


def test_a_cut_file_is_noticed_when_another_result_fails(tmp_path):
    """Files are checked behind the launches, which a failure ends early."""
    size = 1 << 20
    path, x = loaded(tmp_path, "npy", np.ones(size, np.float32))
    os.truncate(path, 4096)
    good = x + 1
    bad = jg.take(jg.ones(size) + 1, jg.array([0, size + 7]))
    with pytest.raises((OSError, IndexError)):
        jg.eval(bad, good)
    with pytest.raises((OSError, IndexError)):
        good.tolist()
