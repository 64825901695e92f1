# SPDX-License-Identifier: Apache-2.0
"""Runs one of Taichi's examples in its own process, on Taichi or on joggle, and tells how long its
frames take and what it draws.

    python harness.py taichi|joggle|unchecked FILE FRAMES RESULT

unchecked is joggle that checks no index, as Taichi does not.

Windows are stand-ins that draw nothing: Taichi's need a display, and drawing is not what is
compared. RESULT, a file of NumPy's, gets the shortest time of a frame but the first, the time until
the first is shown, and the arrays that the first frames drew.
"""

import runpy
import sys
import time
import types
from pathlib import Path

import numpy as np

LONGEST = 15  # seconds that the frames of an example may take
DRAWN = 2  # frames whose arrays are kept

shown, drawn = [], []  # times, and arrays


class Enough(BaseException):
    """There were as many frames as were asked for."""


def keep(x):
    """Keeps what is drawn, as an array."""
    if len(shown) < DRAWN and x is not None:
        values = x.to_numpy() if hasattr(x, "to_numpy") else np.asarray(x)
        if values.dtype.kind in "fiu":
            drawn.append(np.array(values, np.float64).ravel())


class Anything:
    """Has every method, each of which gives the thing itself."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Camera(Anything):
    """Stays where it is."""

    @property
    def curr_position(self):
        return module.Vector([0.0, 0.0, 0.0])

    curr_lookat = curr_up = curr_position


class Controls(Anything):
    """What is set stays as it is."""

    def slider_float(self, text, old_value, minimum, maximum):
        return old_value

    slider_int = slider_float

    def checkbox(self, text, old_value):
        return old_value

    color_edit_3 = checkbox

    def button(self, text):
        return False


class Drawing(Anything):
    """Keeps what is drawn."""

    def set_image(self, img):
        keep(img)

    def circles(self, centers, *args, **kwargs):
        keep(centers)

    def lines(self, *points, **kwargs):
        keep(points[0])

    def triangles(self, *points, **kwargs):
        keep(points[0])


class Window(Drawing):
    """A window, of both kinds, in which nothing happens."""

    running, event, frame, fps_limit = True, None, 0, 60

    def __init__(self, name="", res=512, *args, **kwargs):
        self.res = (res, res) if isinstance(res, int) else tuple(res)

    def show(self, *args):
        self.frame += 1
        module.sync()
        shown.append(time.perf_counter())
        if len(shown) > frames or (len(shown) > 3 and shown[-1] - shown[0] > LONGEST):
            raise Enough

    def get_event(self, *args):
        return False

    def get_events(self, *args):
        return iter(())

    def is_pressed(self, *args):
        return False

    def get_cursor_pos(self):
        return (0.3, 0.4)

    def get_window_shape(self):
        return self.res

    def get_image(self):
        return np.zeros((*self.res, 3), np.float32)

    def slider(self, text, minimum, maximum, step=1):
        return types.SimpleNamespace(value=minimum)

    def label(self, text):
        return types.SimpleNamespace(value=0)

    def get_canvas(self):
        return Drawing()

    def get_scene(self):
        return Anything()

    def get_gui(self):
        return Controls()

    GUI = property(get_gui)


def stand_in(module):
    """Puts these windows in place of the module's."""
    for name in ("ESCAPE", "EXIT", "SPACE", "UP", "DOWN", "LEFT", "RIGHT", "LMB", "RMB", "MMB"):
        setattr(Window, name, name)
    for name in ("PRESS", "RELEASE", "MOTION", "MOVE", "WHEEL", "SHIFT", "CTRL", "ALT", "TAB"):
        setattr(Window, name, name)
    module.GUI = Window
    keys = {name: name for name in vars(Window) if name.isupper()}
    module.ui = types.SimpleNamespace(
        **keys, Window=Window, Camera=Camera, make_camera=Camera, Scene=Anything
    )


def taichi():
    """Taichi itself, always on the CPU."""
    import taichi as module

    init = module.init
    module.init = lambda arch=None, **options: init(arch=module.cpu, **options)
    return module, Path(module.__file__).parent / "examples"


def joggle(examples):
    """joggle.fields under Taichi's name, with Taichi's package of examples."""
    import joggle.fields

    joggle.fields.install(taichi=True)
    import taichi as module

    package = types.ModuleType("taichi.examples")
    package.__path__ = [str(examples)]
    module.examples = sys.modules["taichi.examples"] = package
    return module


def unchecked(examples):
    """The same without checks of indices."""
    module = joggle(examples)
    init = module.init
    module.init = lambda *args, **options: init(*args, **{"check_out_of_bound": False, **options})
    return module


def main():
    global module, frames
    which, path, count, result = sys.argv[1:]
    frames = int(count)
    parts = Path(path).parts
    examples = Path(*parts[: len(parts) - parts[::-1].index("examples")])
    if which == "taichi":
        module = taichi()[0]
    else:
        module = (unchecked if which == "unchecked" else joggle)(examples)
    stand_in(module)
    sys.argv = [path]
    begin, fault = time.perf_counter(), ""
    try:
        runpy.run_path(path, run_name="__main__")
    except (Enough, SystemExit):
        pass
    except BaseException as error:
        fault = (
            f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"
        )
    steps = np.diff(shown)
    np.savez(
        result,
        fault=fault,
        frame=steps[1:].min() if len(steps) > 1 else np.nan,
        first=(shown[0] if shown else time.perf_counter()) - begin,
        drawn=np.concatenate(drawn) if drawn else np.zeros(0),
    )


if __name__ == "__main__":
    main()
