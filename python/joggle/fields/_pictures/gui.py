# SPDX-License-Identifier: Apache-2.0
"""ti.GUI without a display: drawing goes to a picture, and no key is ever pressed."""

import numpy as np

from joggle.fields._pictures.frames import Unseen
from joggle.fields._pictures.pixels import Pixels, array_of, hex_colors, points_of

_WHITE = 0xFFFFFF


class Event:
    """Events; none ever happens."""

    type = modifier = pos = key = delta = None


class WidgetValue:
    """The value of a slider or label, which only the program changes."""

    def __init__(self, value):
        self.value = value


def each(values, count):
    """A number for each of several things: one for all, or one each."""
    return np.broadcast_to(np.asarray(array_of(values), np.float64), (count,)).tolist()


class GUI(Unseen):
    """A window that nobody sees. res: its extents in pixels, or one for both; background_color: a
    number such as 0xff0000. It is closed after JOGGLE_FRAMES frames, 100 unless that is set;
    JOGGLE_FRAMES_FOLDER keeps them as pictures. show_gui, fullscreen and fast_gui say how a window
    is seen, and change nothing. Raises ImportError without Pillow."""

    ALT, BACKSPACE, CAPSLOCK, CTRL, DOWN = "Alt", "BackSpace", "Caps_Lock", "Control", "Down"
    ESCAPE, EXIT, LEFT, LMB, MMB, MOVE = "Escape", "WMClose", "Left", "LMB", "MMB", "Motion"
    RETURN, RIGHT, RMB, SHIFT, SPACE, TAB = "Return", "Right", "RMB", "Shift", " ", "Tab"
    UP, WHEEL = "Up", "Wheel"
    PRESS, RELEASE, MOTION = "press", "release", "motion"

    def __init__(
        self,
        name="Taichi",
        res=512,
        background_color=0x0,
        show_gui=True,
        fullscreen=False,
        fast_gui=False,
    ):
        del show_gui, fullscreen, fast_gui
        super().__init__(name)
        self.res = (res, res) if isinstance(res, int) else tuple(map(int, res))
        self.background_color = background_color
        self.pixels = Pixels(*self.res)
        self.event, self.fps_limit, self.frame = None, 60, 0
        self.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def show(self, file=None):
        """Ends a frame, which is written to a file if one is named, and clears the picture.
        SystemExit after the last one."""
        if file is not None:
            self.pixels.save(file)
        self.frames.end(self.pixels)
        self.frame += 1
        self.clear()

    def get_image(self):
        """The pixels [column, row] as three floats."""
        return self.pixels.array()

    def clear(self, color=None):
        """Fills the picture with a colour."""
        self.pixels.fill(*hex_colors(self.background_color if color is None else color, 1))

    def set_image(self, img):
        """A field or array of pixels as the picture."""
        self.pixels.set_array(img)

    def contour(self, scalar_field, normalize=False):
        """A field of numbers in shades of grey: from 0 to 1, or with normalize of what it holds."""
        values = np.asarray(array_of(scalar_field), np.float64)
        if normalize:
            low, span = values.min(), np.ptp(values)
            values = (values - low) / (span or 1)
        self.pixels.set_array(values)

    def circles(self, pos, radius=1, color=_WHITE, palette=None, palette_indices=None):
        """Discs. radius in pixels; color: one, or one each; palette: colours that palette_indices
        chooses from."""
        points = points_of(pos)
        if palette is not None:
            if palette_indices is None:
                raise ValueError("palette_indices: got None, allowed beside a palette are indices")
            color = np.asarray(palette)[np.asarray(array_of(palette_indices), np.int64)]
        self.pixels.discs(points, each(radius, len(points)), hex_colors(color, len(points)))

    def circle(self, pos, color=_WHITE, radius=1):
        """One disc."""
        self.circles([pos], radius, color)

    def triangles(self, a, b, c, color=_WHITE):
        """Triangles by their three corners."""
        corners = np.stack([points_of(x) for x in (a, b, c)], 1)
        self.pixels.polygons(corners, hex_colors(color, len(corners)))

    def triangle(self, a, b, c, color=_WHITE):
        """One triangle."""
        self.triangles([a], [b], [c], color)

    def lines(self, begin, end, radius=1, color=_WHITE):
        """Lines. radius: half their width in pixels."""
        begins, ends = points_of(begin), points_of(end)
        widths = [2 * r for r in each(radius, len(begins))]
        self.pixels.segments(begins, ends, widths, hex_colors(color, len(begins)))

    def line(self, begin, end, radius=1, color=_WHITE):
        """One line."""
        self.lines([begin], [end], radius, color)

    def rect(self, topleft, bottomright, radius=1, color=_WHITE):
        """The outline of a rectangle."""
        (left, top), (right, bottom) = topleft, bottomright
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        self.lines(corners, corners[1:] + corners[:1], radius, color)

    def arrows(self, orig, direction, radius=1, color=_WHITE, tip_scale=None):
        """Arrows from places along directions. tip_scale: the length of a tip, of its arrow's."""
        begins, steps = points_of(orig), points_of(direction)
        ends, scale = begins + steps, 0.25 if tip_scale is None else tip_scale
        self.lines(begins, ends, radius, color)
        for turn in (2.6, -2.6):  # most of half a turn
            cos, sin = np.cos(turn), np.sin(turn)
            tips = steps @ np.array([[cos, sin], [-sin, cos]]) * scale
            self.lines(ends, ends + tips, radius, color)

    def arrow(self, orig, direction, radius=1, color=_WHITE, **options):
        """One arrow."""
        self.arrows([orig], [direction], radius, color, **options)

    def arrow_field(self, direction, radius=1, color=_WHITE, bound=0.5, **options):
        """An arrow for each element of a field of directions."""
        steps = array_of(direction)
        self.arrows(_grid(steps.shape[:2], bound), points_of(steps), radius, color, **options)

    def vector_field(self, vector_field, arrow_spacing=5, color=_WHITE):
        """Every fifth arrow, or so, of a field of directions, the longest as long as that is."""
        steps = np.asarray(array_of(vector_field), np.float64)
        chosen = steps[::arrow_spacing, ::arrow_spacing, :2]
        longest = np.linalg.norm(chosen, axis=-1).max() or 1
        chosen = chosen / longest * arrow_spacing / max(steps.shape[:2])
        self.arrows(_grid(chosen.shape[:2], 0.5), points_of(chosen), 1, color)

    def point_field(self, radius, color=_WHITE, bound=0.5):
        """A disc for each element of a field of radii."""
        radii = array_of(radius)
        self.circles(_grid(radii.shape, bound), radii.reshape(-1), color)

    def text(self, content, pos, font_size=15, color=_WHITE):
        """Text, whose upper left corner lies at pos."""
        self.pixels.text(content, points_of([pos]), font_size, *hex_colors(color, 1))

    def get_event(self, *e_filter):
        """Whether something has happened: False."""
        return False

    def get_events(self, *e_filter):
        """The events since the last call: none."""
        return iter(())

    def get_key_event(self):
        """The next thing that happens: never one, so RuntimeError."""
        raise RuntimeError("get_key_event: nobody sees the window, so no key is ever pressed")

    def has_key_event(self):
        """Whether something has happened: False."""
        return False

    def slider(self, text, minimum, maximum, step=1):
        """A number that nobody moves."""
        return WidgetValue(minimum)

    def label(self, text):
        """A number that is shown beside the picture."""
        return WidgetValue(0)

    def button(self, text, event_name=None):
        """A button that nobody presses: the name of its event."""
        return event_name or text


def _grid(shape, bound):
    """The middles of the cells of a grid; bound: the part of a cell before the first."""
    axes = [(np.arange(n) + bound) / n for n in shape]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 2)
