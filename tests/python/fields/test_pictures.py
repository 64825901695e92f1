# SPDX-License-Identifier: Apache-2.0
"""Windows that nobody sees, and files of pictures, videos and meshes."""

import subprocess
import sys
import types

import numpy as np
import pytest

import joggle.fields as qd

pytest.importorskip("PIL")
ui, tools = qd.ui, qd.tools


@pytest.fixture(autouse=True)
def few_frames(monkeypatch):
    monkeypatch.setenv("JOGGLE_FRAMES", "3")
    monkeypatch.delenv("JOGGLE_FRAMES_FOLDER", raising=False)


def coloured(image, color):
    """Where an image [column, row] has a colour of three bytes."""
    return (np.round(image[..., :3] * 255).astype(int) == color).all(-1)


def test_a_window_is_closed_after_its_frames():
    gui = qd.GUI("a window", res=(20, 10))
    shown = 0
    while gui.running:
        gui.show()
        shown += 1
    assert shown == 3 and gui.frame == 3
    with pytest.raises(SystemExit) as end:
        gui.show()
    assert end.value.code == 0
    window = ui.Window("another", (20, 10))
    window.running = False
    assert not window.running
    gui = qd.GUI("third")
    gui.close()
    assert not gui.running


def test_the_number_of_frames_is_checked(monkeypatch):
    monkeypatch.setenv("JOGGLE_FRAMES", "many")
    with pytest.raises(ValueError, match="JOGGLE_FRAMES: got 'many', allowed are integers from 1"):
        qd.GUI("x")
    monkeypatch.delenv("JOGGLE_FRAMES")
    assert qd.GUI("x").frames.most == 100


def test_frames_are_kept_in_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("JOGGLE_FRAMES_FOLDER", str(tmp_path / "new"))
    gui = qd.GUI("My window!", res=8, background_color=0x102030)
    gui.show()
    gui.clear(0xFF0000)
    gui.show(str(tmp_path / "own.png"))
    names = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert names == ["My_window_00001.png", "My_window_00002.png"]
    assert (tools.imread(tmp_path / "new" / names[0]) == [0x10, 0x20, 0x30]).all()
    assert (tools.imread(tmp_path / "own.png") == [255, 0, 0]).all()
    assert coloured(gui.get_image(), (0x10, 0x20, 0x30)).all()  # cleared after each frame


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int32])
def test_pixels_come_back_as_they_were_set(dtype):
    numbers = np.random.default_rng(0).integers(0, 256, (12, 7, 3))
    given = (numbers / 255 if dtype == np.float32 else numbers).astype(dtype)
    gui = qd.GUI("x", res=(12, 7))
    gui.set_image(given)
    assert np.abs(gui.get_image() - numbers / 255).max() < 1e-6
    field = qd.Vector.field(3, qd.f32, (12, 7))
    field.from_numpy((numbers / 255).astype(np.float32))
    window = ui.Window("y", (12, 7))
    window.get_canvas().set_image(field)
    found = window.get_image_buffer_as_numpy()
    assert found.shape == (12, 7, 4) and (found[..., 3] == 1).all()
    assert np.abs(found[..., :3] - numbers / 255).max() < 1e-6


def test_set_image_takes_pixels_of_other_forms():
    gui = qd.GUI("x", res=(4, 6))
    gui.set_image(np.full((4, 6), 0.5, np.float32))
    assert coloured(gui.get_image(), (128, 128, 128)).all()
    gui.set_image(np.full((4, 6, 2), 1.0))
    assert coloured(gui.get_image(), (255, 255, 0)).all()
    gui.set_image(np.full((2, 3, 3), 1.0))  # stretched
    assert coloured(gui.get_image(), (255, 255, 255)).all()
    gui.set_image(np.array([[np.nan, -1.0], [2.0, 0.0]]).repeat(2, 0).repeat(3, 1))
    assert coloured(gui.get_image(), (255, 255, 255)).sum() == 6
    for wrong in (np.zeros(4), np.zeros((4, 6, 5)), np.zeros((2, 2, 2, 2))):
        with pytest.raises(ValueError, match="img: got shape"):
            gui.set_image(wrong)
    with pytest.raises(TypeError, match="img: got an array of complex128"):
        gui.set_image(np.zeros((4, 6), complex))


def test_shapes_lie_where_they_are_drawn():
    gui = qd.GUI("x", res=100)
    gui.circles(np.array([[0.25, 0.75], [0.75, 0.25]]), radius=10, color=[0xFF0000, 0x00FF00])
    red, green = (coloured(gui.get_image(), c) for c in ((255, 0, 0), (0, 255, 0)))
    assert abs(red.sum() - np.pi * 100) < 40 and abs(green.sum() - np.pi * 100) < 40
    assert np.abs(np.argwhere(red).mean(0) - (25, 75)).max() <= 1
    assert np.abs(np.argwhere(green).mean(0) - (75, 25)).max() <= 1
    gui.clear()
    gui.circles([[0.5, 0.5]], palette=[0x0000FF, 0x00FFFF], palette_indices=[1], radius=5)
    gui.triangle([0.1, 0.1], [0.3, 0.1], [0.1, 0.3], color=0x123456)
    gui.line([0.0, 0.9], [1.0, 0.9], radius=2, color=0xABCDEF)
    image = gui.get_image()
    assert coloured(image, (0, 255, 255)).sum() > 50
    assert abs(coloured(image, (0x12, 0x34, 0x56)).sum() - 200) < 40
    assert coloured(image, (0xAB, 0xCD, 0xEF)).sum() == 400
    assert np.argwhere(coloured(image, (0xAB, 0xCD, 0xEF)))[:, 1].min() in (87, 88)
    gui.clear()
    gui.rect([0.2, 0.8], [0.8, 0.2], color=0xFF)
    gui.text("words", [0.3, 0.6], color=0xFFFF00)
    gui.arrow([0.5, 0.1], [0.3, 0.0], color=0xFF00FF)
    image = gui.get_image()
    corners = np.argwhere(coloured(image, (0, 0, 255)))
    assert corners.min() in (18, 19, 20) and corners.max() in (79, 80, 81)
    assert coloured(image, (255, 255, 0)).any()
    arrow = np.argwhere(coloured(image, (255, 0, 255)))
    assert arrow[:, 0].min() in (49, 50) and arrow[:, 0].max() in (80, 81)
    with pytest.raises(ValueError, match="palette_indices: got None"):
        gui.circles([[0.5, 0.5]], palette=[0])
    with pytest.raises(TypeError, match="tip"):
        gui.arrow([0, 0], [1, 1], tip=3)


def test_fields_of_numbers_and_directions_are_drawn():
    gui = qd.GUI("x", res=40)
    gui.contour(np.arange(1600.0).reshape(40, 40), normalize=True)
    image = gui.get_image()
    assert image[0, 0].max() == 0 and image[39, 39].min() == 1
    gui.clear()
    gui.point_field(np.full((2, 2), 3.0), color=0xFF0000)
    centers = coloured(gui.get_image(), (255, 0, 0))
    assert centers[10, 10] and centers[30, 30] and not centers[20, 20]
    gui.clear()
    gui.arrow_field(np.full((2, 2, 2), 0.1), color=0xFF00)
    gui.vector_field(np.ones((10, 10, 2)), color=0xFF)
    image = gui.get_image()
    assert coloured(image, (0, 255, 0)).sum() > 4 and coloured(image, (0, 0, 255)).sum() > 10


def test_nobody_presses_anything():
    gui, window = qd.GUI("x", res=8), ui.Window("y", (8, 6))
    assert not gui.get_event(qd.GUI.PRESS) and list(gui.get_events()) == []
    assert not gui.is_pressed("a", qd.GUI.LMB) and not gui.has_key_event()
    assert gui.get_cursor_pos() == window.get_cursor_pos() == (0.0, 0.0)
    with pytest.raises(RuntimeError, match="no key is ever pressed"):
        gui.get_key_event()
    assert gui.slider("s", 2, 5).value == 2 and gui.label("l").value == 0
    assert gui.button("go") == "go" and gui.button("go", "gone") == "gone"
    assert window.get_events(ui.PRESS) == [] and not window.get_event() and window.event.key is None
    assert not window.is_pressed(ui.LMB) and window.get_window_shape() == (8, 6)
    with window.GUI.sub_window("w", 0, 0, 1, 1) as part:
        assert part.slider_float("f", 0.5, 0, 1) == 0.5 and part.slider_int("i", 3, 0, 9) == 3
        assert part.checkbox("c", True) and not part.button("b")
        assert part.color_edit_3("e", (1, 0, 0)) == (1, 0, 0)
    with pytest.raises(NotImplementedError, match="get_depth_buffer_as_numpy"):
        window.get_depth_buffer_as_numpy()


def test_a_canvas_takes_parts_of_its_height():
    window = ui.Window("x", (200, 100))
    canvas = window.get_canvas()
    canvas.set_background_color((0, 0, 1))
    canvas.circles(np.array([[0.5, 0.5]], np.float32), radius=0.2, color=(1, 0, 0))
    image = window.get_image_buffer_as_numpy()
    red = coloured(image, (255, 0, 0))
    assert abs(red.sum() - np.pi * 400) < 80
    assert np.abs(np.argwhere(red).mean(0) - (100, 50)).max() <= 1
    assert coloured(image, (0, 0, 255)).sum() == 200 * 100 - red.sum()
    points = np.array([[0, 0], [0.5, 0], [0, 1], [0.5, 1]], np.float32)
    colors = np.array([[0, 1, 0]] * 4)
    canvas.triangles(points, indices=np.array([0, 1, 2, 1, 3, 2]), per_vertex_color=colors)
    assert abs(coloured(window.get_image_buffer_as_numpy(), (0, 255, 0)).sum() - 100 * 100) < 400
    canvas.lines(np.array([[0, 0.5], [1, 0.5]]), 0.1, color=(1, 1, 1))
    assert coloured(window.get_image_buffer_as_numpy(), (255, 255, 255)).sum() == 200 * 10
    window.show()
    assert coloured(window.get_image_buffer_as_numpy(), (255, 255, 255)).sum() == 200 * 10
    canvas.contour(np.linspace(0, 1, 12).reshape(4, 3))
    canvas.vector_field(np.ones((10, 10, 2)), color=(1, 0, 0))
    assert coloured(window.get_image_buffer_as_numpy(), (255, 0, 0)).any()


def test_a_scene_is_seen_from_its_camera():
    window = ui.Window("x", (100, 100))
    scene, camera = window.get_scene(), ui.Camera()
    camera.position(0, 0, 5)
    camera.lookat(0, 0, 0)
    camera.fov(90)
    scene.set_camera(camera)
    scene.ambient_light((1, 1, 1))
    # At the distance 5 the picture is 10 high, at 3 it is 6.
    scene.particles(np.array([[0.0, 0, 2], [0, 0, 0], [2.5, 2.5, 0]]), 0.6,
                    per_vertex_color=np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]))  # fmt: skip
    window.get_canvas().scene(scene)
    image = window.get_image_buffer_as_numpy()
    red, green, blue = (coloured(image, np.eye(3)[k] * 255) for k in range(3))
    assert not green.any()  # behind the red one
    assert abs(red.sum() - np.pi * 100) < 60 and abs(blue.sum() - np.pi * 36) < 30
    assert np.abs(np.argwhere(red).mean(0) - 50).max() <= 1
    assert np.abs(np.argwhere(blue).mean(0) - 75).max() <= 1
    assert scene.things == []


def test_meshes_are_lit_and_seen_from_their_front():
    def drawn(two_sided, turned, light):
        window = ui.Window("x", (100, 100))
        scene, camera = window.get_scene(), ui.make_camera()
        camera.position(0, 0, 5)
        camera.lookat(0, 0, 0)
        camera.projection_mode(ui.ProjectionMode.Orthogonal)
        scene.set_camera(camera)
        scene.point_light((0, 0, light), (1, 1, 1))
        corners = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]])
        order = np.array([0, 1, 2, 0, 2, 3])
        scene.mesh(corners, order[::-1] if turned else order, color=(1, 1, 1), two_sided=two_sided)
        window.get_canvas().scene(scene)
        return window.get_image_buffer_as_numpy()[..., 0]

    front = drawn(False, False, 1e6)
    assert abs((front == 1).sum() - 2500) < 200 and (front[[0, -1]] == 0).all()
    assert (drawn(False, True, 1e6) == 0).all()
    assert abs((drawn(True, True, 1e6) == 1).sum() - 2500) < 200
    assert (drawn(False, False, -1e6) == 0).all()  # the light is behind
    assert 0.3 < drawn(False, False, 0.3)[50, 50] < 0.95
    with pytest.raises(NotImplementedError, match="mesh_instance"):
        ui.Scene().mesh_instance(None)


def test_pictures_are_written_and_read(tmp_path):
    numbers = np.random.default_rng(1).integers(0, 256, (9, 5, 4)).astype(np.uint8)
    for channels in (1, 3, 4):
        path = str(tmp_path / f"{channels}.png")
        tools.imwrite(numbers[..., :channels], path)
        assert np.array_equal(tools.imread(path), numbers[..., :channels])
    tools.imwrite(numbers[..., 0] / 255.0, path)
    assert np.array_equal(tools.imread(path)[..., 0], numbers[..., 0])
    assert tools.imread(path, 3).shape == (9, 5, 3)
    with pytest.raises(ValueError, match="channels: got 2, allowed are 0, 1, 3 and 4"):
        tools.imread(path, 2)
    with pytest.raises(ValueError, match="img: got shape"):
        tools.imwrite(np.zeros((3, 3, 2)), path)
    small = tools.imresize(numbers, 3, 10)
    assert small.shape == (3, 10, 4) and np.array_equal(small[1, 4], numbers[3, 2])
    assert tools.imresize(numbers, 4).shape == (4, 4, 4)


def test_a_picture_is_shown_as_a_frame(tmp_path, monkeypatch):
    monkeypatch.setenv("JOGGLE_FRAMES_FOLDER", str(tmp_path))
    tools.imshow(np.full((4, 3, 3), 0.2), "a title")
    assert (tools.imread(tmp_path / "a_title_00001.png") == 51).all()


def test_videos_are_made_of_frames(tmp_path, monkeypatch):
    video = tools.VideoManager(str(tmp_path), "film", framerate=10)
    with pytest.raises(RuntimeError, match="there are no frames"):
        video.make_video()
    video.write_frames(np.full((8, 6, 3), k / 4) for k in range(3))
    video.make_video(mp4=False)
    from PIL import Image

    with Image.open(video.get_output_filename(".gif")) as film:
        assert film.n_frames == 3 and film.size == (8, 6) and film.info["duration"] == 100
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(RuntimeError, match="an MP4 is made by ffmpeg, which is not installed: pip"):
        video.make_video(gif=False)
    called = tmp_path / "called"
    fake = tmp_path / "packaged"
    package = types.SimpleNamespace(get_ffmpeg_exe=lambda: str(fake))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", package)
    fake.write_text(f"#!/bin/sh\n/bin/echo packaged > {called}\n")
    fake.chmod(0o755)
    video.make_video(gif=False)
    assert called.read_text() == "packaged\n"
    fake = tmp_path / "ffmpeg"
    fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {called}\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    video.make_video(gif=False)
    given = called.read_text().split("\n")
    assert given[given.index("-framerate") + 1] == "10" and str(tmp_path / "film.mp4") in given
    assert str(tmp_path / "frames" / "%06d.png") in given
    video.clean_frames()
    assert not list((tmp_path / "frames").iterdir())
    with pytest.raises(ValueError, match=r"width, height: got [0-9]+ and None, allowed"):
        tools.VideoManager(str(tmp_path), width=3)


def ply_rows(path):
    text = path.read_text().split("\n")
    end = text.index("end_header")
    return text[:end], [list(map(float, line.split())) for line in text[end + 1 :] if line]


def test_meshes_are_written(tmp_path):
    writer = tools.PLYWriter(num_vertices=4, num_faces=2, face_type="tri")
    x, y, z = np.arange(12, dtype=np.float32).reshape(3, 4)
    writer.add_vertex_pos(x, y, z)
    writer.add_vertex_id()
    writer.add_vertex_channel("weight", "uchar", [1, 2, 3, 255])
    writer.add_faces(np.array([0, 1, 2, 0, 2, 3]))
    writer.add_face_channel("area", "double", [0.5, 1.5])
    with pytest.warns(UserWarning, match="data_type: got 'odd', so other is left out"):
        writer.add_vertex_channel("other", "odd", [1, 2, 3, 4])
    writer.export_ascii(tmp_path / "mesh.ply")
    head, rows = ply_rows(tmp_path / "mesh.ply")
    assert head[:3] == ["ply", "format ascii 1.0", "comment created by PLYWriter"]
    assert head[3:7] == ["element vertex 4", *(f"property float {n}" for n in "xyz")]
    assert head[7:9] == ["property int id", "property uchar weight"]
    assert head[9:11] == ["element face 2", "property list uchar int vertex_indices"]
    assert head[11:] == ["property double area"]
    assert rows[3] == [3, 7, 11, 3, 255] and rows[4:] == [[3, 0, 1, 2, 0.5], [3, 0, 2, 3, 1.5]]
    writer.export_frame(7, str(tmp_path / "series.ply"))
    written = (tmp_path / "series_000007.ply").read_bytes()
    body = written[written.index(b"end_header\n") + 11 :]
    kind = np.dtype("<f4,<f4,<f4,<i4,u1")
    assert np.frombuffer(body, kind, 4).tolist() == [tuple(row) for row in rows[:4]]
    faces = np.frombuffer(body[4 * kind.itemsize :], "u1,<i4,<i4,<i4,<f8")
    assert faces.tolist() == [tuple(row) for row in rows[4:]]


def test_meshes_that_are_not_whole_are_refused(tmp_path):
    with pytest.raises(ValueError, match="num_vertices: got 0"):
        tools.PLYWriter(0)
    with pytest.raises(ValueError, match="face_type: got 'hex', allowed are tri and quad"):
        tools.PLYWriter(4, 1, "hex")
    writer = tools.PLYWriter(4, 1, "quad")
    with pytest.raises(ValueError, match="got no channels of vertices"):
        writer.export(tmp_path / "x.ply")
    writer.add_vertex_pos(*np.zeros((3, 4)))
    with pytest.raises(ValueError, match=r"got [0-9]+ faces without vertices"):
        writer.export(tmp_path / "x.ply")
    with pytest.raises(ValueError, match="indices: got 3, allowed are 4 for each of 1 faces"):
        writer.add_faces([0, 1, 2])
    with pytest.raises(ValueError, match="piece: got 3 numbers, allowed are 4"):
        writer.add_vertex_piece([1, 2, 3])


def test_colours_are_turned_into_numbers_and_back():
    assert qd.rgb_to_hex((1, 0.5, 0)) == 0xFF8000
    assert qd.hex_to_rgb(0xFF8000) == (1.0, 128 / 255, 0.0)
    assert qd.rgb_to_hex(np.eye(3)).tolist() == [0xFF0000, 0xFF00, 0xFF]


def test_pillow_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="pip install pillow"):
        qd.GUI("x")


def test_fields_need_neither_numpy_nor_scipy():
    code = (
        "import sys; sys.modules.update(numpy=None, scipy=None); import joggle.fields as qd; "
        "x = qd.field(qd.f32); qd.root.pointer(qd.i, 8).place(x); x[3] = 2; print(x[3])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "2.0\n"


def test_nothing_of_this_is_imported_before_it_is_named():
    code = (
        "import sys, joggle.fields; "
        "print([m for m in sys.modules if 'PIL' in m or '_pictures' in m or 'scipy' in m])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
