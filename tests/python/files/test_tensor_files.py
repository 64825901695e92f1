# SPDX-License-Identifier: Apache-2.0
"""safetensors and gguf against the library safetensors and MLX."""

import io
import struct

import ml_dtypes
import mlx.core as mx
import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch

import joggle as jg

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "bfloat16", "float32", "float64"]
SMALL = ["float8_e4m3fn", "float8_e5m2"]


def tensors():
    """Of each dtype a tensor whose size moves the next one out of alignment."""
    made = {}
    for i, name in enumerate(DTYPES + SMALL):
        made[f"layer.{i}"] = torch.arange(3 * i + 1).remainder(7).to(getattr(torch, name))
    return made


def bits(x):
    return np.asarray(x.view(torch.uint8) if isinstance(x, torch.Tensor) else x.view(jg.uint8))


def test_files_of_the_library_are_read_in_place(tmp_path):
    path = tmp_path / "x.safetensors"
    written = tensors()
    safetensors.torch.save_file(written, path, {"who": "torch"})
    arrays, metadata = jg.load(path, return_metadata=True)
    assert metadata == {"who": "torch"} and arrays.keys() == written.keys()
    for name, x in arrays.items():
        assert x.dtype.name == str(written[name].dtype).removeprefix("torch.")
        assert x.status == ("available" if x.dtype != jg.bool else "unscheduled")
        assert (bits(x) == bits(written[name])).all()


def test_the_library_reads_what_we_write(tmp_path):
    path = tmp_path / "x.safetensors"
    written = tensors()
    jg.save_safetensors(path, {k: jg.from_dlpack(v) for k, v in written.items()}, {"k": 'a "b"\n'})
    read = safetensors.torch.load_file(path)
    assert read.keys() == written.keys()
    for name, x in read.items():
        assert x.dtype == written[name].dtype and (bits(x) == bits(written[name])).all()
    with safetensors.safe_open(path, "np") as file:
        assert file.metadata() == {"k": 'a "b"\n'}
    assert all(x.status == "available" for n, x in jg.load(path).items() if x.dtype != jg.bool)


def test_mlx_and_we_read_each_other(tmp_path):
    path = str(tmp_path / "x.safetensors")
    mx.save_safetensors(path, {"a": mx.arange(5), "z": mx.array([1 + 2j])}, {"m": "t"})
    arrays, metadata = jg.load(path, return_metadata=True)
    assert arrays["a"].tolist() == [0, 1, 2, 3, 4] and arrays["z"].tolist() == [1 + 2j]
    assert metadata["m"] == "t"
    jg.save_safetensors(path, arrays, {"m": "t"})
    assert mx.load(path)["z"].tolist() == [1 + 2j]


def test_a_tensor_that_is_not_aligned_is_computed():
    header = b'{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    file = struct.pack("<Q", len(header)) + header + struct.pack("<2f", 1, 2)
    loaded = jg.load(io.BytesIO(file), format="safetensors")["x"]
    assert len(header) % 4 and loaded.status == "unscheduled" and loaded.tolist() == [1, 2]


def test_names_of_any_alphabet_go_round(tmp_path):
    names = ["é", "日本", "😀", 'quote"', "back\\slash", "\t", ""]
    jg.save_safetensors(tmp_path / "x", {name: jg.array(i) for i, name in enumerate(names)})
    loaded = jg.load(tmp_path / "x.safetensors")
    assert [loaded[name].item() for name in names] == list(range(len(names)))
    assert safetensors.numpy.load_file(tmp_path / "x.safetensors").keys() == loaded.keys()


def test_a_dict_of_nothing_goes_round(tmp_path):
    jg.save_safetensors(tmp_path / "x", {})
    assert jg.load(tmp_path / "x.safetensors", return_metadata=True) == ({}, {})


def test_four_and_six_bits_are_what_the_header_says():
    header = b'{"x":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}}'
    file = struct.pack("<Q", len(header)) + header + b"\x12\x34"
    x = jg.load(io.BytesIO(file), format="safetensors")["x"]
    assert x.dtype == jg.float4_e2m1fn and x.shape == (4,)


def test_what_cannot_be_saved_is_refused(tmp_path):
    with pytest.raises(TypeError, match="complex128"):
        jg.save_safetensors(tmp_path / "x", {"x": jg.ones(1, jg.complex128)})
    with pytest.raises(TypeError, match="metadata"):
        jg.save_safetensors(tmp_path / "x", {}, {"k": 1})
    with pytest.raises(TypeError, match="str"):
        jg.save_safetensors(tmp_path / "x", {1: jg.ones(1)})
    with pytest.raises(ValueError, match="NUL"):
        jg.save_safetensors(tmp_path / "x", {"a\0b": jg.ones(1)})
    assert not list(tmp_path.iterdir())


def test_gguf_goes_round_between_mlx_and_us(tmp_path):
    path = str(tmp_path / "x.gguf")
    words = {"text": "t", "list": ["p", "q"], "number": mx.array(2.5), "numbers": mx.arange(3)}
    mx.save_gguf(path, {"a": mx.arange(6).reshape(2, 3), "h": mx.ones(4, mx.float16)}, words)
    arrays, metadata = jg.load(path, return_metadata=True)
    assert arrays["a"].tolist() == [[0, 1, 2], [3, 4, 5]] and arrays["h"].dtype == jg.float16
    assert metadata["text"] == "t" and metadata["list"] == ["p", "q"]
    assert metadata["number"].item() == 2.5 and metadata["numbers"].tolist() == [0, 1, 2]
    assert all(x.status == "available" for x in arrays.values())
    jg.save_gguf(path, arrays, metadata)
    again, words = mx.load(path, return_metadata=True)
    assert again["a"].tolist() == [[0, 1, 2], [3, 4, 5]] and again["h"].dtype == mx.float16
    assert words["list"] == ["p", "q"] and words["numbers"].tolist() == [0, 1, 2]


def gguf_of(name, kind, blocks, extent):
    """A file with one tensor of a quantised kind, which no writer here makes."""
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 0)
    head += struct.pack("<Q", len(name)) + name + struct.pack("<IQQIQ", 2, extent, 3, kind, 0)
    return head + bytes(-len(head) % 32) + blocks


@pytest.mark.parametrize(("kind", "nbytes"), [(2, 18), (3, 20), (8, 34)])
def test_quantised_kinds_become_what_mlx_makes_of_them(tmp_path, kind, nbytes):
    path = tmp_path / "x.gguf"
    blocks = np.random.default_rng(kind).integers(0, 256, (6, nbytes), dtype="u1")
    blocks[:, :4].view("f2")[:] = np.random.default_rng(1).standard_normal((6, 2))
    path.write_bytes(gguf_of(b"layer.weight", kind, blocks.tobytes(), 64))
    ours, theirs = jg.load(path), mx.load(str(path))
    assert ours.keys() == theirs.keys() == {"layer.weight", "layer.scales", "layer.biases"}
    for name, x in ours.items():
        assert x.shape == theirs[name].shape and str(theirs[name].dtype).endswith(x.dtype.name)
        assert np.asarray(x).tobytes() == np.asarray(theirs[name]).tobytes()


def of_q4_k(blocks):
    """The numbers as block_q4_K of ggml defines them."""
    own, least = (blocks[:, at : at + 2].copy().view("f2").astype("f8") for at in (0, 2))
    q, groups = blocks[:, 4:16].astype(int), range(4)
    scales = [q[:, j] & 63 for j in groups]
    scales += [(q[:, j + 8] & 15) | (q[:, j] >> 6) << 4 for j in groups]
    lowest = [q[:, j + 4] & 63 for j in groups]
    lowest += [(q[:, j + 8] >> 4) | (q[:, j + 4] >> 6) << 4 for j in groups]
    codes = blocks[:, 16:].reshape(-1, 4, 1, 32) >> np.array([0, 4], "u1")[:, None] & 15
    values = (own * np.stack(scales, 1))[..., None] * codes.reshape(-1, 8, 32)
    return values - (least * np.stack(lowest, 1))[..., None]


@pytest.mark.parametrize(
    ("kind", "nbytes", "halves"), [(10, 84, (80, 82)), (12, 144, (0, 2)), (14, 210, (208,))]
)
def test_kinds_of_superblocks_become_float16_as_in_mlx(tmp_path, kind, nbytes, halves):
    path = tmp_path / "x.gguf"
    blocks = np.random.default_rng(kind).integers(0, 256, (6, nbytes), dtype="u1")
    for at in halves:
        scales = np.random.default_rng(at).standard_normal((6, 1)).astype("f2")
        blocks[:, at : at + 2] = scales.view("u1")
    path.write_bytes(gguf_of(b"layer.weight", kind, blocks.tobytes(), 512))
    ours, theirs = jg.load(path), mx.load(str(path))
    assert ours.keys() == theirs.keys() == {"layer.weight"}
    ours, theirs = ours["layer.weight"], theirs["layer.weight"]
    assert ours.dtype == jg.float16 and ours.shape == theirs.shape == (3, 512)
    ours, theirs = (np.asarray(x).reshape(6, 8, 32) for x in (ours, np.array(theirs)))
    if kind == 12:  # of which MLX 0.32 has other numbers in every second group
        np.testing.assert_allclose(ours, of_q4_k(blocks), rtol=1e-3, atol=1e-3)
        ours, theirs = ours[:, ::2], theirs[:, ::2]
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def test_other_quantised_kinds_are_refused_by_name():
    file = gguf_of(b"w", 13, bytes(528), 256)
    with pytest.raises(NotImplementedError, match="'w' is of kind Q5_K"):
        jg.load(io.BytesIO(file))


def is_refused(file):
    """Whether the file is refused, for what is wrong with it; else its arrays are evaluated."""
    try:
        jg.eval(jg.load(io.BytesIO(file)))
    except (ValueError, TypeError, NotImplementedError, MemoryError):
        return True
    return False


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_are_refused_or_read_but_do_no_harm(seed):
    random = np.random.default_rng(seed)
    made = [io.BytesIO() for _ in range(2)]
    jg.save_safetensors(made[0], {"a": jg.arange(9), "b": jg.ones(2)}, {"k": "v"})
    jg.save_gguf(made[1], {"a": jg.arange(9)}, {"k": ["v", "w"]})
    for file in (bytes(opened.getvalue()) for opened in made):
        refused = 0
        for _ in range(200):
            damaged = bytearray(file)
            for at in random.integers(0, len(damaged), 3):
                damaged[at] = random.integers(0, 256)
            refused += is_refused(damaged)
        assert 20 <= refused < 200
        assert all(is_refused(file[:end]) for end in range(len(file) // 2))
        arrays, metadata = jg.load(io.BytesIO(file), return_metadata=True)
        assert arrays["a"].tolist() == list(range(9)) and metadata["k"] in ("v", ["v", "w"])


def test_bfloat16_of_ml_dtypes_goes_round(tmp_path):
    x = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    safetensors.numpy.save_file({"x": x}, tmp_path / "x.safetensors")
    assert jg.load(tmp_path / "x.safetensors")["x"].tolist() == [1.5, -2.0]


def test_what_a_reader_would_take_for_something_else_is_not_written(tmp_path):
    path = str(tmp_path / "x")
    with pytest.raises(ValueError, match=r"general\.alignment"):
        metadata = {"general.alignment": jg.array(64, dtype=jg.uint32)}
        jg.save_gguf(path, {"x": jg.ones(3)}, metadata)
    with pytest.raises(ValueError, match="__metadata__"):
        jg.save_safetensors(path, {"__metadata__": jg.ones(3)})
    with pytest.raises(ValueError, match="axes"):
        jg.save_gguf(path, {"x": jg.ones((1,) * 9)})


def u8(first, end, count):
    return {"dtype": "U8", "shape": [count], "data_offsets": [first, end]}


PLACES = {
    "dense": ({"a": u8(0, 4, 4), "b": u8(4, 8, 4)}, 8),
    "in another order": ({"b": u8(4, 8, 4), "a": u8(0, 4, 4)}, 8),
    "an empty one at the end": ({"a": u8(0, 4, 4), "e": u8(4, 4, 0)}, 4),
    "an empty one at the start": ({"a": u8(0, 4, 4), "e": u8(0, 0, 0)}, 4),
    "none": ({}, 0),
    "a hole": ({"a": u8(0, 4, 4), "b": u8(6, 8, 2)}, 8),
    "a hole at the start": ({"a": u8(2, 4, 2)}, 4),
    "an overlap": ({"a": u8(0, 4, 4), "b": u8(2, 6, 4)}, 6),
    "two in one place": ({"a": u8(0, 4, 4), "b": u8(0, 4, 4)}, 4),
    "an empty one inside": ({"a": u8(0, 4, 4), "e": u8(2, 2, 0)}, 4),
    "an empty one outside": ({"a": u8(0, 4, 4), "e": u8(9, 9, 0)}, 4),
    "a byte behind": ({"a": u8(0, 4, 4)}, 5),
    "a byte and no tensor": ({}, 1),
}


@pytest.mark.parametrize("name", PLACES)
def test_safetensors_with_holes_overlaps_and_bytes_behind_are_refused_as_by_its_library(name):
    import json

    import safetensors.numpy

    header, count = PLACES[name]
    text = json.dumps(header).encode()
    content = len(text).to_bytes(8, "little") + text + bytes(count)
    try:
        expected = safetensors.numpy.load(content)
    except safetensors.SafetensorError:
        with pytest.raises(ValueError, match="safetensors"):
            jg.load(io.BytesIO(content), "safetensors")
    else:
        found = jg.load(io.BytesIO(content), "safetensors")
        assert found.keys() == expected.keys()


def raw_safetensors(header, nbytes):
    return len(header).to_bytes(8, "little") + header.encode() + bytes(range(nbytes))


def entry(name="a", dtype="U8", first=0, end=4, extent=4):
    return f'"{name}":{{"dtype":"{dtype}","shape":[{extent}],"data_offsets":[{first},{end}]}}'


@pytest.mark.parametrize("entries", [
    [entry(), entry()],
    [entry(), entry("b", first=4, end=8), entry("\\u0061"), entry()],
    [entry(), entry(dtype="I8")],
    [entry(dtype="I8"), entry()],
    [entry(end=0, extent=0), entry()],
    [entry(), entry(end=0, extent=0)],
    [entry(), entry(first=4, end=8)],
    [entry(first=4, end=8), entry()],
    [entry(), entry("b")],
], ids=len)  # fmt: skip
def test_of_safetensors_of_one_name_the_last_stands_as_with_the_library(entries):
    nbytes = max(int(each.rsplit(",", 1)[1].rstrip("]}")) for each in entries)
    content = raw_safetensors("{" + ",".join(entries) + "}", nbytes)
    try:
        expected = safetensors.numpy.load(content)
    except safetensors.SafetensorError:
        with pytest.raises(ValueError, match="safetensors"):
            jg.load(io.BytesIO(content), "safetensors")
        return
    found = jg.load(io.BytesIO(content), "safetensors")
    assert found.keys() == expected.keys()
    for name, x in expected.items():
        assert np.asarray(found[name]).dtype == x.dtype
        np.testing.assert_array_equal(np.asarray(found[name]), x)


def test_safetensors_with_members_twice_are_refused():
    for header in (
        '{"__metadata__":{},"__metadata__":{},' + entry() + "}",
        "{" + entry().replace("{", '{"dtype":"U8",') + "}",
    ):
        with pytest.raises(ValueError, match="twice"):
            jg.load(io.BytesIO(raw_safetensors(header, 4)), "safetensors")


def test_safetensors_of_mlx_say_null_where_there_is_no_metadata():
    header = '{"__metadata__":null,' + entry() + "}"
    assert jg.load(io.BytesIO(raw_safetensors(header, 4)), "safetensors").keys() == {"a"}
    with pytest.raises(ValueError, match=r"'\{'"):
        jg.load(io.BytesIO(raw_safetensors('{"__metadata__":nul}', 0)), "safetensors")


def test_a_name_that_is_no_text_is_refused_with_the_path_and_the_byte(tmp_path):
    header = b'{"n\xff":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    path = tmp_path / "x.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"1")
    with pytest.raises(UnicodeDecodeError, match=r"at byte 11 of '.*x.safetensors'"):
        jg.load(path)


def _gguf_of_many(tensors):
    """A file of (name, kind, extent, bytes), the bytes of each at a multiple of 32."""
    head, data = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 0), b""
    for name, kind, extent, blocks in tensors:
        head += struct.pack("<Q", len(name)) + name + struct.pack("<I", 1)
        head += struct.pack("<QIQ", extent, kind, len(data))
        data += blocks + bytes(-len(blocks) % 32)
    return head + bytes(-len(head) % 32) + data


FLOATS = np.arange(4, dtype=np.float32).tobytes()


@pytest.mark.parametrize(
    "tensors",
    [
        [(b"a", 0, 4, FLOATS), (b"a", 0, 4, FLOATS)],
        [(b"w.scales", 0, 4, FLOATS), (b"w.weight", 2, 32, bytes(18))],
        [(b"w.weight", 2, 32, bytes(18)), (b"w.scales", 0, 4, FLOATS)],
    ],
)
def test_gguf_with_a_name_twice_is_refused(tensors, tmp_path):
    path = tmp_path / "x.gguf"
    path.write_bytes(_gguf_of_many(tensors))
    with pytest.raises(ValueError, match=r"names a tensor twice, allowed is once, in .*x\.gguf"):
        jg.load(path)
