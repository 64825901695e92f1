# SPDX-License-Identifier: Apache-2.0
"""Textures: what is stored and fetched, sampling between points, and what is refused."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")

F = qd.Format


@qd.kernel
def ramp(tex: qd.types.rw_texture(num_dimensions=2, fmt=F.r32f, lod=0), n: int):
    for i, j in qd.ndrange(n + 4, n + 4):  # what lies outside is not stored
        tex.store([i - 2, j - 2], [10.0 * (i - 2) + (j - 2), 0.0, 0.0, 0.0])


def test_what_is_stored_is_fetched_and_what_is_missing_has_its_number():
    texture = qd.Texture(F.r32f, (4, 3))
    ramp(texture, 4)

    @qd.kernel
    def read(tex: qd.types.texture(2), out: qd.types.ndarray()):
        for i, j in qd.ndrange(6, 5):
            found = tex.fetch(qd.Vector([i - 1, j - 1]), 0)
            for k in qd.static(range(4)):
                out[i, j, k] = found[k]

    out = np.full((6, 5, 4), -1.0, np.float32)
    read(texture, out)
    expected = np.zeros((6, 5, 4))
    expected[1:5, 1:4, 0] = 10 * np.arange(4)[:, None] + np.arange(3)
    expected[:, :, 3] = 1
    assert np.array_equal(out, expected)


def sampled(values, uv):
    """Linear between points in each axis, in float64; the picture repeats."""
    place = np.asarray(uv) * values.shape - 0.5
    low = np.floor(place).astype(int)
    part, total = place - low, 0.0
    for corner in np.ndindex(*(2,) * values.ndim):
        weight = np.prod([p if c else 1 - p for p, c in zip(part, corner, strict=True)])
        total += weight * values[tuple((low + corner) % values.shape)]
    return total


@pytest.mark.parametrize("shape", [(7,), (5, 8), (3, 4, 5)])
def test_samples_are_linear_between_points(shape):
    texture, ndim = qd.Texture(F.r32f, shape), len(shape)
    source = qd.ndarray(qd.f32, shape)
    values = np.random.default_rng(3).random(shape, np.float32)
    source.from_numpy(values)
    texture.from_ndarray(source)

    @qd.kernel
    def sample(tex: qd.types.texture(ndim), uv: qd.types.ndarray(), out: qd.types.ndarray()):
        for i in out:
            place = qd.Vector([uv[i, k] for k in range(ndim)])
            out[i] = tex.sample_lod(place, 0.0).x

    uv = np.random.default_rng(4).random((50, ndim), np.float32) * 3 - 1
    out = np.zeros(50, np.float32)
    sample(texture, uv, out)
    assert np.allclose(out, [sampled(values.astype(float), p) for p in uv], atol=1e-5)


@pytest.mark.parametrize("fmt", [F.rgba8, F.rg16, F.rgb32i, F.rgba16f, F.rg8u, F.r8i])
def test_formats_keep_what_they_have_room_for(fmt):
    texture, is_signed = qd.Texture(fmt, (2,)), fmt is not F.rg8u

    @qd.kernel
    def write(tex: qd.types.rw_texture(1, fmt=fmt)):
        tex.store(0, [0.25, 1.0, 3.0, 0.5])
        tex.store(1, [7.0, qd.select(is_signed, -2.0, 2.0), 1.0, 1.0])

    @qd.kernel
    def read(tex: qd.types.rw_texture(1, fmt=fmt), out: qd.types.ndarray()):
        for i, k in out:
            out[i, k] = tex.load(i)[k]

    out = np.zeros((2, 4), np.float32)
    write(texture)
    read(texture, out)
    expected = {
        F.rgba8: [[64 / 255, 1, 1, 128 / 255], [1, 0, 1, 1]],
        F.rg16: [[16384 / 65535, 1, 0, 1], [1, 0, 0, 1]],
        F.rgb32i: [[0, 1, 3, 1], [7, -2, 1, 1]],
        F.rgba16f: [[0.25, 1, 3, 0.5], [7, -2, 1, 1]],
        F.rg8u: [[0, 1, 0, 1], [7, 2, 0, 1]],
        F.r8i: [[0, 0, 0, 1], [7, 0, 0, 1]],
    }[fmt]
    assert np.allclose(out, expected, atol=1e-6)


def test_fields_and_pictures_become_textures():
    image = pytest.importorskip("PIL.Image")
    field = qd.Vector.field(2, qd.f32, (2, 3))
    field.from_numpy(np.arange(12, dtype=np.float32).reshape(2, 3, 2))
    texture = qd.Texture(F.rg32f, (2, 3))
    texture.from_field(field)

    @qd.kernel
    def at(tex: qd.types.texture(2), i: int, j: int) -> qd.types.vector(4, qd.f32):
        return tex.fetch([i, j], 0)

    assert at(texture, 1, 2).to_list() == [10, 11, 0, 1]
    pixels = np.random.default_rng(5).integers(0, 255, (3, 4, 3), np.uint8)
    picture = qd.Texture(F.rgba8, (4, 3))
    picture.from_image(image.fromarray(pixels))
    assert np.array_equal(np.asarray(picture.to_image()), pixels)
    assert np.allclose(at(picture, 3, 0).to_list(), [*(pixels[0, 0] / 255), 1])


def test_a_graph_takes_textures():
    arg, kind = qd.graph.Arg, qd.graph.ArgKind
    builder = qd.graph.GraphBuilder()
    target = arg(kind.RWTEXTURE, "target", fmt=F.r32f, ndim=2)
    builder.dispatch(ramp, target, arg(kind.SCALAR, "n", qd.i32))
    graph, texture = builder.compile(), qd.Texture(F.r32f, (3, 3))
    graph.run({"target": texture, "n": 3})
    assert texture._texels.to_numpy()[2, 1, 0] == 21
    with pytest.raises(TypeError, match=r"target: got .* allowed are textures of Format\.r32f"):
        graph.run({"target": qd.Texture(F.r8, (3, 3)), "n": 3})


def test_what_does_not_fit_is_refused():
    @qd.kernel
    def read(tex: qd.types.texture(2)) -> qd.f32:
        return tex.fetch([0, 0], 0).x

    with pytest.raises(
        TypeError, match="tex: got a texture of 1 dimensions, allowed are 2, as the annotation"
    ):
        read(qd.Texture(F.r32f, 3))
    with pytest.raises(TypeError, match="tex: got ScalarField, allowed are textures"):
        read(qd.field(qd.f32, (2, 2)))
    with pytest.raises(TypeError, match=r"tex: got a texture of Format\.r8, allowed is"):
        ramp(qd.Texture(F.r8, (2, 2)), 2)
    with pytest.raises(NotImplementedError, match=r"fmt: got Format\.bgra8, allowed are r8"):
        qd.Texture(F.bgra8, (2, 2))
    with pytest.raises(TypeError, match=r"fmt: got 'r8', allowed is one of Format"):
        qd.Texture("r8", (2, 2))
    with pytest.raises(ValueError, match=r"arr_shape: got \(2, 0\), allowed are 1 to 3 extents"):
        qd.Texture(F.r8, (2, 0))
    with pytest.raises(ValueError, match="num_dimensions: got 4, allowed are 1, 2 and 3"):
        qd.types.texture(4)
    with pytest.raises(ValueError, match="lod: got 1, allowed is 0"):
        qd.types.rw_texture(2, lod=1, fmt=F.r8)
    with pytest.raises(ValueError, match=r"field: got .*, allowed is shape"):
        qd.Texture(F.r32f, (2, 2)).from_field(qd.field(qd.f64, (2, 2)))


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("tex[0, 0]", "has no elements; allowed are sample_lod, fetch"),
        ("tex.store([0, 0], [1.0, 1.0, 1.0, 1.0])", "has no attribute store"),
        ("tex.fetch([0, 0, 0], 0)", "index: got .*, allowed are 2 numbers"),
        ("tex.fetch([0.5, 0.0], 0)", "index: got .*, allowed are integers"),
        ("tex.fetch([0, 0])", "fetch: missing a required argument: 'lod'"),
    ],
)
def test_what_a_texture_has_not_is_refused_in_kernels(body, fault, tmp_path):
    path = tmp_path / "reads.py"
    path.write_text(
        f"import joggle.fields as qd\n@qd.kernel\ndef read(tex: qd.types.texture(2)):\n    {body}\n"
    )
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(TypeError, match=fault):
        scope["read"](qd.Texture(F.r32f, (2, 2)))
