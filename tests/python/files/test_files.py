# SPDX-License-Identifier: Apache-2.0
"""npy and npz: files of NumPy, MLX and our own, mapped where they can be, and all that is no such
file. tests/python/files/test_tensor_files.py has safetensors and gguf."""

import gc
import io
import os
import pathlib
import warnings

import ml_dtypes
import mlx.core as mx
import numpy as np
import pytest
from layouts import DTYPES, assert_same, layouts, numpy_dtype, to_joggle, values

import joggle as jg


def mappings(path):
    with open("/proc/self/maps") as maps:
        return sum(line.rstrip().endswith(str(path)) for line in maps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_npy_goes_round_in_every_dtype_and_layout(tmp_path, dtype):
    for x, reference in layouts(dtype):
        jg.save(tmp_path / "x", x)
        assert_same(jg.load(tmp_path / "x.npy"), reference)
        written = np.load(tmp_path / "x.npy")
        assert written.tobytes() == np.ascontiguousarray(reference).tobytes()
        assert written.dtype == reference.dtype or dtype == "bfloat16"


@pytest.mark.parametrize("dtype", DTYPES)
def test_files_of_numpy_are_read(tmp_path, dtype):
    x = values((3, 5), numpy_dtype(dtype))
    for array in (x, np.asfortranarray(x), x[:0], x[1, 2]):
        np.save(tmp_path / "x.npy", array)
        assert_same(jg.load(tmp_path / "x.npy"), array)
    if dtype != "bfloat16":
        np.save(tmp_path / "x.npy", x.astype(x.dtype.newbyteorder(">")))
        assert_same(jg.load(tmp_path / "x.npy"), x)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_npy_is_read(tmp_path, version):
    with open(tmp_path / "x.npy", "wb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.lib.format.write_array(file, np.arange(6), version)
    assert jg.load(tmp_path / "x.npy").tolist() == list(range(6))


@pytest.mark.parametrize("damage", [(7, b"\1"), (100, b"x"), (126, b"7")])
def test_headers_that_numpy_refuses_are_refused(tmp_path, damage):
    np.save(tmp_path / "x.npy", np.arange(6.0))
    written = bytearray((tmp_path / "x.npy").read_bytes())
    at, byte = damage
    written[at : at + 1] = byte  # of the version's second number, and of the padding
    (tmp_path / "x.npy").write_bytes(written)
    for load in (np.load, jg.load):
        with pytest.raises(
            ValueError, match=r"1,0|Cannot parse|version 1\.1|byte .* is not padding"
        ):
            load(tmp_path / "x.npy")


def test_a_file_is_mapped_until_its_last_view_is_gone(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(100_000.0))
    x = jg.load(path)
    assert x.status == "available" and mappings(path) == 1
    window = x[10:20]
    del x
    assert mappings(path) == 1 and window[0].item() == 10
    exported = np.from_dlpack(window)
    del window
    assert exported[1] == 11 and mappings(path) == 1
    del exported
    gc.collect()
    assert mappings(path) == 0


def test_whoever_writes_an_export_leaves_the_file_alone(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(4))
    x = jg.load(tmp_path / "x.npy")
    exported = np.from_dlpack(x)
    exported[:] = 7
    assert x.tolist() == [7] * 4 and jg.load(tmp_path / "x.npy").tolist() == [0] * 4


def test_a_file_may_be_written_over_while_its_arrays_are_in_use(tmp_path):
    path = tmp_path / "x.npy"
    jg.save(path, jg.arange(5))
    path.chmod(0o640)
    x = jg.load(path)
    jg.save(path, x + 1)
    assert x.tolist() == [0, 1, 2, 3, 4] and jg.load(path).tolist() == [1, 2, 3, 4, 5]
    assert path.stat().st_mode & 0o777 == 0o640 and [path] == list(tmp_path.iterdir())


def test_a_failure_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.npy"
    jg.save(path, jg.arange(3))
    with pytest.raises(TypeError, match="float8_e5m2"):
        jg.save(path, jg.zeros(3, "float8_e5m2"))
    assert jg.load(path).tolist() == [0, 1, 2] and [path] == list(tmp_path.iterdir())


def test_what_cannot_be_used_where_it_lies_is_computed_when_it_is_asked_for(tmp_path):
    x = np.arange(7)
    np.savez(tmp_path / "x.npz", a=x)  # NumPy aligns nothing in a zip
    np.save(tmp_path / "x.npy", x.astype(">i8"))
    for loaded in (jg.load(tmp_path / "x.npz")["a"], jg.load(tmp_path / "x.npy")):
        assert loaded.status == "unscheduled"
        assert (loaded + 1).tolist() == list(range(1, 8))


def test_bytes_of_a_bool_that_are_neither_0_nor_1_become_bools(tmp_path):
    np.save(tmp_path / "x.npy", np.array([0, 1, 2, 255], "u1").view("?"))
    assert jg.load(tmp_path / "x.npy").view(jg.uint8).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("save", [jg.savez, jg.savez_compressed])
def test_npz_goes_round(tmp_path, save):
    arrays = {"a": jg.arange(10), "b": jg.array([[True, False]])}
    save(tmp_path / "x", jg.ones(3), **arrays)
    ours, numpys = jg.load(tmp_path / "x.npz"), np.load(tmp_path / "x.npz")
    assert list(ours) == list(numpys) == ["arr_0", "a", "b"]
    for name in ours:
        assert_same(ours[name], numpys[name])
    assert {k: v.tolist() for k, v in mx.load(str(tmp_path / "x.npz")).items()} == {
        k: v.tolist() for k, v in ours.items()
    }


def test_npz_that_we_write_is_mapped(tmp_path):
    jg.savez(tmp_path / "x", name=jg.arange(9), anOtherName=jg.ones((3, 3)))
    for x in jg.load(tmp_path / "x.npz").values():
        assert x.status == "available" and np.from_dlpack(x).ctypes.data % 64 == 0


@pytest.mark.parametrize("save", [jg.savez, jg.savez_compressed])
def test_a_bool_named_allow_pickle_is_numpys_parameter(save, tmp_path):
    path = tmp_path / "x.npz"
    save(path, a=jg.arange(3), allow_pickle=False)
    assert list(jg.load(path)) == ["a"]
    with pytest.raises(ValueError, match=r"\[savez.*\] allow_pickle: got True, allowed is False"):
        save(path, jg.ones(2), allow_pickle=True)
    assert list(np.load(path)) == ["a"]
    save(path, allow_pickle=jg.arange(2))
    assert jg.load(path)["allow_pickle"].tolist() == [0, 1]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_of_numpy_is_read(tmp_path, save):
    save(tmp_path / "x.npz", np.arange(4, dtype="i2"), f=np.asfortranarray(np.ones((2, 3))))
    loaded = jg.load(tmp_path / "x.npz")
    assert_same(loaded["arr_0"], np.arange(4, dtype="i2"))
    assert_same(loaded["f"], np.ones((2, 3)))


def test_a_name_that_is_taken_is_refused(tmp_path):
    with pytest.raises(ValueError, match="arr_0"):
        jg.savez(tmp_path / "x", jg.ones(1), arr_0=jg.ones(1))


def test_a_dict_of_arrays_is_given_by_its_names(tmp_path):
    told = r"\[savez\] arr_0: got a dict, allowed are arrays; write savez\(file, \*\*arrays\)"
    with pytest.raises(TypeError, match=told):
        jg.savez(tmp_path / "x", {"a": jg.ones(1)})
    assert not list(tmp_path.iterdir())


def test_a_damaged_zip_is_told(tmp_path):
    jg.savez(tmp_path / "x", a=jg.arange(100))
    whole = (tmp_path / "x.npz").read_bytes()
    for content in (whole[:100], whole[:-30], b"PK" + bytes(50)):
        (tmp_path / "y.npz").write_bytes(content)
        with pytest.raises(ValueError):
            jg.load(tmp_path / "y.npz")


def zip_of_one_member(compression):
    import zipfile

    member, file = io.BytesIO(), io.BytesIO()
    np.save(member, np.arange(100))
    with zipfile.ZipFile(file, "w", compression) as archive:
        archive.writestr("a.npy", member.getvalue())
    return bytearray(file.getvalue())


@pytest.mark.parametrize("compression", [0, 8, 12, 14])  # stored, deflated, bzip2, LZMA
def test_any_damaged_byte_of_a_zip_gives_an_array_or_a_value_error(compression):
    whole = zip_of_one_member(compression)
    refused = 0
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        try:
            loaded = jg.load(io.BytesIO(damaged), format="npz")
            jg.eval([loaded[name] for name in loaded])
        except ValueError as error:
            refused += 1
            assert str(error).startswith("[load] ") or isinstance(error, UnicodeError)
    assert refused > 20  # the places of the directory and the magic numbers at least


def test_a_member_before_the_beginning_of_a_zip_is_told(tmp_path):
    path = tmp_path / "x.npz"
    whole = zip_of_one_member(8)
    end = whole.rindex(b"PK\5\6")
    start = int.from_bytes(whole[end + 16 : end + 20], "little") + 1000
    path.write_bytes(whole[: end + 16] + start.to_bytes(4, "little") + whole[end + 20 :])
    with pytest.raises(ValueError, match=r"\[load\] npz: 'a.npy' begins at byte -1000"):
        jg.load(path)


def test_damage_to_a_compressed_member_is_told(tmp_path):
    jg.savez_compressed(tmp_path / "a.npz", x=jg.arange(1000))
    data = bytearray((tmp_path / "a.npz").read_bytes())
    place = data.index(b"x.npy") + 60
    data[place : place + 40] = bytes(40)
    (tmp_path / "b.npz").write_bytes(data)
    with pytest.raises(ValueError, match=r"\[load\] npz"):
        jg.load(tmp_path / "b.npz")
    data[6] |= 1  # the flag of an encrypted member, here and in the directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "c.npz").write_bytes(data)
    with pytest.raises(ValueError, match="is encrypted"):
        jg.load(tmp_path / "c.npz")


def test_what_a_message_quotes_of_a_file_may_be_no_text(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3))
    data = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "b.npy").write_bytes(data.replace(b"descr", b"des\xdar"))
    with pytest.raises(ValueError, match=r"\[load\] npy: .*des\\xdar"):
        jg.load(tmp_path / "b.npy")


def test_arrays_are_written_and_read_one_after_the_other(tmp_path):
    with open(tmp_path / "x", "wb+") as file:
        for target in (file, io.BytesIO()):
            jg.save(target, jg.arange(3))
            jg.save(target, jg.ones((2, 2)))
            end = target.tell()
            target.seek(0)
            assert jg.load(target).tolist() == [0, 1, 2]
            assert jg.load(target).tolist() == [[1, 1], [1, 1]]
            assert target.tell() == end


def test_numpy_reads_what_we_write_to_a_file_object_and_we_what_numpy_writes():
    file = io.BytesIO()
    jg.savez(file, a=jg.arange(3))
    file.seek(0)
    assert np.load(file)["a"].tolist() == [0, 1, 2]
    file = io.BytesIO()
    np.save(file, np.arange(4))
    file.seek(0)
    assert jg.load(file).tolist() == [0, 1, 2, 3]


def test_a_writer_that_takes_a_part_at_a_time_gets_the_rest():
    class Slow:
        def __init__(self):
            self.content = bytearray()

        def write(self, view):
            taken = bytes(view[:7])
            self.content += taken
            return len(taken)

    file = Slow()
    jg.save(file, jg.arange(5))
    assert np.load(io.BytesIO(file.content)).tolist() == [0, 1, 2, 3, 4]


def test_an_exception_of_the_writer_is_what_is_raised():
    class Full:
        def write(self, view):
            raise RuntimeError("full")

    with pytest.raises(RuntimeError, match="full"):
        jg.save(Full(), jg.arange(5))


def test_paths_and_formats_that_are_none_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        jg.load(tmp_path / "absent.npy")
    with pytest.raises(ValueError, match="format"):
        jg.load(pathlib.Path(__file__), format="txt")
    with pytest.raises(ValueError, match="metadata"):
        jg.save(tmp_path / "x", jg.ones(1))
        jg.load(tmp_path / "x.npy", return_metadata=True)
    with pytest.raises(TypeError, match="text"):
        jg.load(io.StringIO("text"))


@pytest.mark.parametrize(
    "array", [np.array(["text"]), np.array([None]), np.zeros(1, "i4,f4"), np.zeros(1, "M8[s]")]
)
def test_elements_that_no_dtype_describes_are_refused(tmp_path, array):
    np.save(tmp_path / "x.npy", array, allow_pickle=True)
    with pytest.raises(TypeError, match="allowed are those of joggle's dtypes"):
        jg.load(tmp_path / "x.npy")


def test_a_file_that_is_cut_short_is_told(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(10))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="allowed is up to 207, which the file has"):
        jg.load(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="0 are left"):
        jg.load(path)


def test_bfloat16_is_exchanged_with_ml_dtypes_and_mlx(tmp_path):
    x = np.array([1.5, -2, 3e38], ml_dtypes.bfloat16)
    np.save(tmp_path / "x.npy", x)
    assert jg.load(tmp_path / "x.npy").dtype == jg.bfloat16
    jg.save(tmp_path / "y.npy", to_joggle(x))
    assert mx.load(str(tmp_path / "y.npy")).dtype == mx.bfloat16


def test_members_of_an_npz_that_are_no_arrays_are_refused_when_asked_for(tmp_path):
    import zipfile

    path = tmp_path / "x.npz"
    np.savez(path, a=np.arange(3), objects=np.array([{}, 1], dtype=object))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("readme.txt", "words")
    arrays = jg.load(path)
    assert list(arrays) == ["a"] and arrays["a"].tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="objects"):
        arrays["objects"]
    with pytest.raises(TypeError, match=r"readme\.txt"):
        arrays["readme.txt"]
    with pytest.raises(KeyError):
        arrays["b"]


def test_members_that_expand_beyond_the_limit_are_refused_by_name(tmp_path):
    path = tmp_path / "x.npz"
    np.savez_compressed(path, small=np.zeros(1000), bomb=np.zeros(9 << 20))
    with pytest.raises(ValueError, match=r"'bomb\.npy' has 75497600 bytes in .*max_expansion"):
        jg.load(path)
    arrays = jg.load(path, max_expansion=2000)
    assert arrays["bomb"].size == 9 << 20
    np.savez_compressed(path, many=np.zeros(1 << 20))
    assert jg.load(path)["many"].shape == (1 << 20,)
    with pytest.raises(ValueError, match="max_expansion"):
        jg.load(path, max_expansion=0)


def test_errors_of_the_system_name_the_path(tmp_path):
    for path in (tmp_path / "absent.npy", tmp_path):
        with pytest.raises(OSError) as raised:
            jg.load(path)
        assert str(path) in str(raised.value)


@pytest.mark.parametrize("save", [jg.savez, jg.savez_compressed])
def test_members_of_an_npz_have_no_nul_in_their_names(save, tmp_path):
    path = tmp_path / "n.npz"
    with pytest.raises(ValueError, match=rf"\[{save.__name__}\] name: 'a\\x00b' has a NUL in it"):
        save(path, **{"a\0b": jg.ones(2), "a\0c": jg.zeros(2)})
    assert not path.exists()


NAMED = {"missing": None, "a number": 3, "a list": [], "an object": object()}
SAVERS = {
    jg.save: lambda file: jg.save(file, jg.ones(2)),
    jg.savez: lambda file: jg.savez(file, jg.ones(2)),
    jg.savez_compressed: lambda file: jg.savez_compressed(file, jg.ones(2)),
    jg.save_safetensors: lambda file: jg.save_safetensors(file, {"a": jg.ones(2)}),
    jg.save_gguf: lambda file: jg.save_gguf(file, {"a": jg.ones(2)}),
    jg.load: jg.load,
}


@pytest.mark.parametrize("function", SAVERS)
def test_what_is_no_file_of_bytes_is_refused_by_name(function, tmp_path):
    call = SAVERS[function]
    for file in NAMED.values():
        text = rf"\[{function.__name__}\] file: got {type(file).__name__}, allowed are a path and a"
        with pytest.raises(TypeError, match=text):
            call(file)
    with pytest.raises(
        TypeError, match=rf"\[{function.__name__}\] file: got \w+, opened for text, allowed"
    ):
        call(io.StringIO())
    with open(tmp_path / "x", "wb") as closed:
        pass
    with pytest.raises(ValueError, match=rf"\[{function.__name__}\] file: '.*' is closed"):
        call(closed)


@pytest.mark.parametrize("save", [jg.save_safetensors, jg.save_gguf])
def test_dicts_of_other_things_are_refused_with_the_key(save, tmp_path):
    name, path, one = save.__name__, tmp_path / "x", {"a": jg.ones(1)}
    for arguments, text in (
        ((None,), r"arrays: got NoneType, allowed is a dict"),
        (({1: 2},), r"arrays: has the key 1, allowed is str"),
        (({"k": "text"},), r"arrays\['k'\]: x: got str"),
        ((one, [1]), r"metadata: got list, allowed is a dict"),
        ((one, {2: "x"}), r"metadata: has the key 2, allowed is str"),
        ((one, {"k": 3}), r"metadata\['k'\]: got int, allowed is .*str"),
        ((one, {"k": None}), r"metadata\['k'\]: got NoneType, allowed is .*str"),
    ):
        with pytest.raises(TypeError, match=rf"\[{name}\] {text}"):
            save(path, *arguments)
    with pytest.raises(TypeError, match=r"\[save_gguf\] metadata\['k'\]\[1\]: got int"):
        jg.save_gguf(path, one, {"k": ["x", 1]})
    assert list(tmp_path.iterdir()) == []


WRITERS = {each.__name__: call for each, call in SAVERS.items() if each is not jg.load}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_was_opened_for_reading_is_not_written_and_named(tmp_path, name):
    path = tmp_path / "read.bin"
    path.write_bytes(b"as before")
    with (
        open(path, "rb") as file,
        pytest.raises(OSError, match=rf"\[{name}\] file: '{path}' was opened for reading only"),
    ):
        WRITERS[name](file)
    assert path.read_bytes() == b"as before"


def test_a_file_that_was_opened_for_writing_is_not_read_and_named(tmp_path):
    path = tmp_path / "write.npy"
    with (
        open(path, "wb") as file,
        pytest.raises(OSError, match=rf"\[load\] file: '{path}' was opened for writing only"),
    ):
        jg.load(file)


@pytest.mark.parametrize("name", WRITERS)
def test_what_fails_in_writing_names_the_path(tmp_path, name):
    path = tmp_path / "none" / "x"
    with pytest.raises(FileNotFoundError) as caught:
        WRITERS[name](path)
    assert str(caught.value).endswith(f"No such file or directory: '{caught.value.filename}'")
    assert caught.value.filename.startswith(str(path))


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_told_with_the_path_of_the_open_file(name):
    with (
        open("/dev/full", "wb", buffering=0) as file,
        pytest.raises(OSError, match="No space left on device: '/dev/full'"),
    ):
        WRITERS[name](file)


def test_a_descriptor_is_not_cut_to_an_int():
    for descriptor in (2**32, -1, -(2**32)):
        with pytest.raises(
            ValueError, match=rf"descriptor: got {descriptor}, allowed is 0 to 2147"
        ):
            jg._core._source(descriptor)


def test_what_is_no_regular_file_is_not_mapped(tmp_path):
    pipe, other_end = os.pipe()
    folder = os.open(tmp_path, os.O_RDONLY)
    for descriptor, kind in ((pipe, "a pipe"), (folder, "a folder")):
        with pytest.raises(OSError, match=f"file: got {kind}, allowed is a regular file"):
            jg._core._source(descriptor)
    for descriptor in (pipe, other_end, folder):
        os.close(descriptor)


class Grudging:
    """Takes and gives a few bytes at a time, as pipes may, and can do nothing else."""

    def __init__(self, content=b""):
        self.content, self.at = bytearray(content), 0

    def write(self, data):
        self.content += bytes(data[:40])
        return min(len(data), 40)

    def read(self, size=40):
        piece = bytes(self.content[self.at : self.at + 40])
        self.at += len(piece)
        return piece


@pytest.mark.parametrize("save", [jg.savez, jg.savez_compressed])
def test_archives_are_whole_where_writes_take_less(save):
    file, x = Grudging(), jg.arange(100)
    save(file, a=x, b=x[:3])
    read = jg.load(io.BytesIO(bytes(file.content)))
    assert read["a"].tolist() == list(range(100)) and read["b"].tolist() == [0, 1, 2]


class Reader:
    """A file that can be read, and nothing else."""

    def __init__(self, read):
        self.read = read


def test_what_only_has_read_is_loaded_piece_by_piece():
    whole = io.BytesIO()
    jg.save(whole, jg.arange(100))
    file = Grudging(whole.getvalue())
    assert jg.load(Reader(file.read)).tolist() == list(range(100))
    with pytest.raises(TypeError, match=r"read.. of Reader gave NoneType, allowed are bytes"):
        jg.load(Reader(lambda: None))
