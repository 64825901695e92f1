# SPDX-License-Identifier: Apache-2.0
"""Files of pictures, videos and meshes, under Taichi's names. Pictures are arrays of pixels
[column, row] from the lower left corner, read and written by Pillow."""

import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np

from joggle.fields._pictures.gui import GUI as _GUI
from joggle.fields._pictures.pixels import array_of as _array_of
from joggle.fields._pictures.pixels import pillow as _pillow
from joggle.fields._pictures.pixels import to_bytes as _to_bytes


def imwrite(img, filename):
    """Writes a field or array of pixels, of one number or of 3 or 4, in the format that the name
    ends with. Floats count from 0 to 1, integers from 0 to 255. Raises ValueError for a shape."""
    array = _to_bytes(img)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim != 2 and not (array.ndim == 3 and array.shape[2] in (3, 4)):
        raise ValueError(
            f"img: got shape {array.shape}, allowed are columns by rows, of 1, 3 or 4 numbers"
        )
    rows = np.ascontiguousarray(np.swapaxes(array, 0, 1)[::-1])
    _pillow()[0].fromarray(rows).save(filename)


def imread(filename, channels=0):
    """The pixels of a file as bytes. channels: how many numbers each has, 1, 3 or 4; 0 for as many
    as the file has."""
    modes = {0: None, 1: "L", 3: "RGB", 4: "RGBA"}
    if channels not in modes:
        raise ValueError(f"channels: got {channels!r}, allowed are 0, 1, 3 and 4")
    with _pillow()[0].open(filename) as image:
        mode = modes[channels] or (image.mode if image.mode in ("L", "RGB", "RGBA") else "RGB")
        rows = np.asarray(image.convert(mode))
    rows = rows.reshape(*rows.shape[:2], -1)
    return np.ascontiguousarray(np.swapaxes(rows[::-1], 0, 1))


def imresize(img, w, h=None):
    """Pixels in other extents, w by h, or w by w: each the nearest there is."""
    array, h = _array_of(img), w if h is None else h
    columns, rows = (
        np.arange(n) * old // n for n, old in zip((w, h), array.shape[:2], strict=True)
    )
    return array[columns][:, rows]


def imshow(img, title="imshow"):
    """One frame of a window that nobody sees; JOGGLE_FRAMES_FOLDER keeps it as a picture."""
    array = _array_of(img)
    gui = _GUI(title, res=array.shape[:2])
    gui.set_image(array)
    gui.show()


class VideoManager:
    """Numbered pictures in output_dir/frames, and videos of them.

    video_filename: the video's name without its end, "video" unless given. width and height: of the
    video, where they are to differ. post_processor: its process(img) gives the pixels to write.
    framerate: pictures a second. automatic_build has no effect: make_video makes it.
    """

    def __init__(
        self,
        output_dir,
        video_filename=None,
        width=None,
        height=None,
        post_processor=None,
        framerate=24,
        automatic_build=True,
    ):
        del automatic_build
        if (width is None) != (height is None):
            raise ValueError(f"width, height: got {width} and {height}, allowed are both or none")
        self.directory, self.name = Path(output_dir), video_filename or "video"
        self.size = None if width is None else (int(width), int(height))
        self.post_processor, self.framerate, self.frame_counter = post_processor, framerate, 0
        Path(self.get_frame_directory()).mkdir(parents=True, exist_ok=True)

    def get_frame_directory(self):
        """The folder of the pictures."""
        return str(self.directory / "frames")

    def get_output_filename(self, suffix):
        """The name of a video, whose end is suffix."""
        return str(self.directory / (self.name + suffix))

    def write_frame(self, img):
        """Writes the next picture."""
        if self.post_processor is not None:
            img = self.post_processor.process(img)
        imwrite(img, self._frame(self.frame_counter))
        self.frame_counter += 1

    def write_frames(self, images):
        """Writes several."""
        for img in images:
            self.write_frame(img)

    def clean_frames(self):
        """Removes all pictures."""
        for path in Path(self.get_frame_directory()).glob("*.png"):
            path.unlink()
        self.frame_counter = 0

    def make_video(self, mp4=True, gif=True):
        """Makes a video of the pictures: a GIF by Pillow, an MP4 by ffmpeg, the system's or
        that of imageio-ffmpeg. Raises RuntimeError where there are no pictures, or no ffmpeg."""
        if self.frame_counter == 0:
            raise RuntimeError("make_video: there are no frames, write_frame makes one")
        if gif:
            self._make_gif()
        if mp4:
            self._make_mp4()

    def _frame(self, number):
        return Path(self.get_frame_directory()) / f"{number:06d}.png"

    def _make_gif(self):
        image = _pillow()[0]
        frames = [image.open(self._frame(k)).convert("RGB") for k in range(self.frame_counter)]
        if self.size is not None:
            frames = [frame.resize(self.size) for frame in frames]
        first, *rest = frames
        pause = round(1000 / self.framerate)
        first.save(
            self.get_output_filename(".gif"),
            save_all=True,
            append_images=rest,
            duration=pause,
            loop=0,
        )

    def _make_mp4(self):
        ffmpeg = _ffmpeg()
        # yuv420p, which every player shows, takes even extents only.
        scale = "trunc(iw/2)*2:trunc(ih/2)*2" if self.size is None else "{}:{}".format(*self.size)
        given = ["-framerate", str(self.framerate), "-i", f"{self.get_frame_directory()}/%06d.png"]
        made = ["-vf", f"scale={scale}", "-pix_fmt", "yuv420p", self.get_output_filename(".mp4")]
        subprocess.run([ffmpeg, "-y", "-loglevel", "error", *given, *made], check=True)


def _ffmpeg():
    """The program: the system's, or that of the package imageio-ffmpeg."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        raise RuntimeError(
            "make_video: an MP4 is made by ffmpeg, which is not installed: "
            "pip install imageio-ffmpeg"
        ) from None
    return get_ffmpeg_exe()


_PLY_TYPES = {
    "char": "i1",
    "uchar": "u1",
    "short": "i2",
    "ushort": "u2",
    "int": "i4",
    "uint": "u4",
    "float": "f4",
    "double": "f8",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "float32": "f4",
    "float64": "f8",
}
_CORNERS = {"tri": 3, "quad": 4}


class PLYWriter:
    """Points and faces for a file of the PLY format (G. Turk, "The PLY Polygon File Format", 1994).

    num_vertices, num_faces: how many; each channel that is added has a number for each of them.
    face_type: "tri" or "quad". comment: a line of the file.
    """

    def __init__(self, num_vertices, num_faces=0, face_type="tri", comment="created by PLYWriter"):
        if num_vertices < 1:
            raise ValueError(f"num_vertices: got {num_vertices}, allowed are integers from 1")
        if face_type not in _CORNERS:
            raise ValueError(f"face_type: got {face_type!r}, allowed are tri and quad")
        self.num_vertices, self.num_faces = int(num_vertices), int(num_faces)
        self.corners, self.comment = _CORNERS[face_type], comment
        self.vertex_channels, self.face_channels = [], []  # (name, type, numbers)
        self.face_indices = None

    def add_vertex_channel(self, key, data_type, data):
        """A number for each vertex, of one of PLY's types, as float or uchar. A channel of another
        type is left out, with a warning."""
        self._add_channel(self.vertex_channels, key, data_type, data, self.num_vertices)

    def add_face_channel(self, key, data_type, data):
        """A number for each face."""
        self._add_channel(self.face_channels, key, data_type, data, self.num_faces)

    def _add_channel(self, channels, key, data_type, data, count):
        if data_type not in _PLY_TYPES:
            allowed = ", ".join(_PLY_TYPES)
            problem = f"data_type: got {data_type!r}, so {key} is left out; allowed are {allowed}"
            warnings.warn(problem, stacklevel=3)
            return
        numbers = np.asarray(_array_of(data)).reshape(-1)
        if len(numbers) != count:
            raise ValueError(f"{key}: got {len(numbers)} numbers, allowed are {count}")
        channels.append((key, data_type, numbers.astype("<" + _PLY_TYPES[data_type])))

    def add_vertex_pos(self, x, y, z):
        """The places of the vertices."""
        self._add_floats(("x", x), ("y", y), ("z", z))

    def add_vertex_normal(self, nx, ny, nz):
        """Their normals."""
        self._add_floats(("nx", nx), ("ny", ny), ("nz", nz))

    def add_vertex_color(self, r, g, b):
        """Their colours, from 0 to 1."""
        self._add_floats(("red", r), ("green", g), ("blue", b))

    def add_vertex_alpha(self, alpha):
        """How opaque they are, from 0 to 1."""
        self._add_floats(("Alpha", alpha))

    def add_vertex_rgba(self, r, g, b, a):
        """Their colours and how opaque they are, from 0 to 1."""
        self.add_vertex_color(r, g, b)
        self.add_vertex_alpha(a)

    def add_vertex_vel(self, vx, vy, vz):
        """Their velocities."""
        self._add_floats(("vx", vx), ("vy", vy), ("vz", vz))

    def add_vertex_id(self):
        """Their numbers."""
        self.add_vertex_channel("id", "int", np.arange(self.num_vertices))

    def add_vertex_piece(self, piece):
        """The part of a whole that each belongs to."""
        self.add_vertex_channel("piece", "int", piece)

    def _add_floats(self, *channels):
        for key, data in channels:
            self.add_vertex_channel(key, "float", data)

    def add_faces(self, indices):
        """The vertices of each face."""
        numbers = np.asarray(_array_of(indices)).reshape(-1)
        if len(numbers) != self.corners * self.num_faces:
            raise ValueError(
                f"indices: got {len(numbers)}, allowed are {self.corners} for each of "
                f"{self.num_faces} faces"
            )
        self.face_indices = numbers.reshape(-1, self.corners).astype("<i4")

    def add_face_id(self):
        """The numbers of the faces."""
        self.add_face_channel("id", "int", np.arange(self.num_faces))

    def add_face_piece(self, piece):
        """The part of a whole that each belongs to."""
        self.add_face_channel("piece", "int", piece)

    def export(self, path):
        """Writes a binary file. Raises ValueError where there are no channels, or faces without
        vertices."""
        with open(path, "wb") as file:
            file.write(self._header("binary_little_endian").encode("ascii"))
            file.write(self._table(self.vertex_channels, self.num_vertices).tobytes())
            if self.num_faces:
                file.write(self._faces().tobytes())

    def export_ascii(self, path):
        """Writes a file of text."""
        with open(path, "w", encoding="ascii") as file:
            file.write(self._header("ascii"))
            file.writelines(_lines(self._table(self.vertex_channels, self.num_vertices)))
            if self.num_faces:
                file.writelines(_lines(self._faces()))

    def export_frame(self, series_num, path):
        """Writes a binary file of a series: path_000001.ply."""
        self.export(_numbered(path, series_num))

    def export_frame_ascii(self, series_num, path):
        """Writes a file of text of a series."""
        self.export_ascii(_numbered(path, series_num))

    def _header(self, form):
        if not self.vertex_channels:
            raise ValueError("PLYWriter: got no channels of vertices, allowed is at least one")
        if self.num_faces and self.face_indices is None:
            raise ValueError(
                f"PLYWriter: got {self.num_faces} faces without vertices, allowed are those of "
                "add_faces"
            )
        lines = ["ply", f"format {form} 1.0", f"comment {self.comment}"]
        lines.append(f"element vertex {self.num_vertices}")
        lines += [f"property {kind} {key}" for key, kind, _ in self.vertex_channels]
        if self.num_faces:
            lines.append(f"element face {self.num_faces}")
            lines.append("property list uchar int vertex_indices")
            lines += [f"property {kind} {key}" for key, kind, _ in self.face_channels]
        return "\n".join([*lines, "end_header", ""])

    def _table(self, channels, count):
        """The numbers of all channels as rows."""
        rows = np.empty(
            count, [(str(k), numbers.dtype) for k, (_, _, numbers) in enumerate(channels)]
        )
        for k, (_, _, numbers) in enumerate(channels):
            rows[str(k)] = numbers
        return rows

    def _faces(self):
        """For each face how many vertices it has, these, and its channels."""
        counts = np.full(self.num_faces, self.corners, "u1")
        columns = [("", "", counts), *(("", "", column) for column in self.face_indices.T)]
        return self._table([*columns, *self.face_channels], self.num_faces)


def _lines(rows):
    return (" ".join(map(str, row)) + "\n" for row in rows.tolist())


def _numbered(path, number):
    path = str(path).removesuffix(".ply")
    return f"{path}_{number:06d}.ply"


__all__ = ["PLYWriter", "VideoManager", "imread", "imresize", "imshow", "imwrite"]
