# SPDX-License-Identifier: Apache-2.0
"""ti.ui without a display: a window that nobody sees, its canvas and its controls."""

from contextlib import contextmanager

import numpy as np

from joggle.fields._pictures.frames import Unseen
from joggle.fields._pictures.gui import Event, each
from joggle.fields._pictures.pixels import Pixels, array_of, float_colors, points_of
from joggle.fields._pictures.scene import Scene

_GREY = (0.5, 0.5, 0.5)


class Window(Unseen):
    """A window that nobody sees. res: its extents in pixels. It is closed after JOGGLE_FRAMES
    frames, 100 unless that is set; JOGGLE_FRAMES_FOLDER keeps them as pictures. vsync, show_window,
    fps_limit and pos say how a window is seen, and change nothing. Raises ImportError without
    Pillow."""

    def __init__(self, name, res, vsync=False, show_window=True, fps_limit=1000, pos=(100, 100)):
        del vsync, show_window, fps_limit, pos
        super().__init__(name)
        self.res, self.event = tuple(map(int, res)), Event()
        self._canvas, self._gui, self._scene = Canvas(Pixels(*self.res)), Gui(), Scene()
        self._shown = None  # the pixels of the last frame

    is_running = Unseen.running
    destroy = Unseen.close

    def get_canvas(self):
        """The canvas to draw on."""
        return self._canvas

    def get_gui(self):
        """Its controls."""
        return self._gui

    GUI = property(get_gui)

    def get_scene(self):
        """A scene in three dimensions, for canvas.scene."""
        return self._scene

    def show(self):
        """Ends a frame, and clears the canvas. SystemExit after the last one."""
        self._shown = self._canvas.pixels.image.copy()
        self.frames.end(self._canvas.pixels)
        self._canvas.clear()

    def save_image(self, filename):
        """Writes the picture as it is, or the last frame where nothing was drawn since."""
        self._picture().save(filename)

    def _picture(self):
        drawn = self._canvas.is_drawn or self._shown is None
        return self._canvas.pixels.image if drawn else self._shown

    def get_image_buffer_as_numpy(self):
        """The same pixels [column, row] as four floats."""
        rows = np.asarray(self._picture().convert("RGBA"), np.float32) / np.float32(255)
        return np.ascontiguousarray(np.swapaxes(rows[::-1], 0, 1))

    def get_depth_buffer_as_numpy(self):
        """Refused: what is behind is drawn first, and no depth is kept."""
        raise NotImplementedError("get_depth_buffer_as_numpy: no depths are kept; draw them")

    get_depth_buffer = get_depth_buffer_as_numpy

    def get_window_shape(self):
        """The extents in pixels."""
        return self.res

    def get_event(self, tag=None):
        """Whether something has happened: False."""
        return False

    def get_events(self, tag=None):
        """The events since the last call: none."""
        return []


class Canvas:
    """The canvas of a window. Colours are three floats; radii and widths are relative to its
    height."""

    def __init__(self, pixels):
        self.pixels, self.background = pixels, (0.0, 0.0, 0.0)
        self.clear()

    def clear(self):
        """Fills it with its background."""
        self.pixels.fill(*float_colors(self.background, 1))
        self.is_drawn = False

    def set_background_color(self, color):
        """The colour that a frame begins with, from this one on."""
        self.background = tuple(color)
        if not self.is_drawn:
            self.clear()

    def set_image(self, img):
        """A field or array of pixels as the picture."""
        self.is_drawn = True
        self.pixels.set_array(img)

    def contour(self, scalar_field, cmap_name="plasma", normalize=False):
        """A field of numbers in the colours of one of matplotlib's maps: numbers from 0 to 1, or
        with normalize of what it holds."""
        from matplotlib import colormaps

        values = np.asarray(array_of(scalar_field), np.float64)
        if normalize:
            values = (values - values.min()) / (np.ptp(values) or 1)
        self.set_image(colormaps[cmap_name](values)[..., :3])

    def _pixels_of(self, lengths):
        return [length * self.pixels.size[1] for length in lengths]

    def circles(self, centers, radius, color=_GREY, per_vertex_color=None, per_vertex_radius=None):
        """Discs."""
        self.is_drawn = True
        points = points_of(centers)
        radii = each(radius if per_vertex_radius is None else per_vertex_radius, len(points))
        colors = float_colors(color if per_vertex_color is None else per_vertex_color, len(points))
        self.pixels.discs(points, self._pixels_of(radii), colors)

    def lines(self, vertices, width, indices=None, color=_GREY, per_vertex_color=None):
        """Lines between each two vertices, or between those that indices name. One that is given
        colours has that of its first vertex."""
        self.is_drawn = True
        points, pairs, colors = drawn(vertices, indices, 2, 2, color, per_vertex_color)
        widths = self._pixels_of(each(width, len(pairs)))
        self.pixels.segments(points[pairs[:, 0]], points[pairs[:, 1]], widths, colors)

    def triangles(self, vertices, color=_GREY, indices=None, per_vertex_color=None):
        """Triangles of each three vertices, or of those that indices name. One that is given
        colours has the mean of its vertices'."""
        self.is_drawn = True
        points, corners, colors = drawn(vertices, indices, 3, 2, color, per_vertex_color)
        self.pixels.polygons(points[corners], colors)

    def vector_field(self, vector_field, arrow_spacing=5, scale=0.1, width=0.002, color=(0, 0, 0)):
        """Every fifth arrow, or so, of a field of directions."""
        self.is_drawn = True
        steps = np.asarray(array_of(vector_field), np.float64)
        chosen = steps[::arrow_spacing, ::arrow_spacing, :2]
        axes = [np.arange(0, n, arrow_spacing) / n for n in steps.shape[:2]]
        begins = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 2)
        ends = begins + points_of(chosen) * scale
        widths = self._pixels_of(each(width, len(begins)))
        self.pixels.segments(begins, ends, widths, float_colors(color, len(begins)))

    def scene(self, scene):
        """A scene, seen by its camera."""
        self.is_drawn = True
        scene.draw(self.pixels)


def drawn(vertices, indices, corners, dimensions, color, per_vertex_color):
    """Points, the points of each line or triangle, and a colour for each of these."""
    points = points_of(vertices, dimensions)
    if indices is None:
        chosen = np.arange(len(points) // corners * corners)
    else:
        chosen = np.asarray(array_of(indices), np.int64)
    chosen = chosen.reshape(-1, corners)
    if per_vertex_color is not None:
        given = points_of(per_vertex_color, 3)[chosen]
        color = given[:, 0] if corners == 2 else given.mean(1)
    return points, chosen, float_colors(color, len(chosen))


class Gui:
    """The controls of a window, which nobody moves: each answers what the program has given it."""

    @contextmanager
    def sub_window(self, name, x, y, width, height):
        """A part of the window for controls."""
        yield self

    def begin(self, name, x, y, width, height):
        """Begins such a part."""

    def end(self):
        """Ends it."""

    def text(self, text, color=None):
        """Shows a text."""

    def checkbox(self, text, old_value):
        """A box that is ticked or not."""
        return old_value

    def slider_int(self, text, old_value, minimum, maximum):
        """An integer."""
        return old_value

    def slider_float(self, text, old_value, minimum, maximum):
        """A number."""
        return old_value

    def color_edit_3(self, text, old_value):
        """A colour."""
        return old_value

    def button(self, text):
        """Whether it was pressed: False."""
        return False
