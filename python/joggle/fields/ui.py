# SPDX-License-Identifier: Apache-2.0
"""ti.ui, GGUI's names: windows that nobody sees (_pictures/frames.py says how long they live)."""

from joggle.fields._pictures.gui import GUI as _GUI
from joggle.fields._pictures.scene import Camera, ProjectionMode, Scene, make_camera
from joggle.fields._pictures.window import Canvas, Gui, Window

ALT, BACKSPACE, CAPSLOCK, CTRL, DOWN = "Alt", "BackSpace", "CapsLock", "Control", "Down"
ESCAPE, LEFT, LMB, MMB, RETURN = "Escape", "Left", "LMB", "MMB", "Return"
RIGHT, RMB, SHIFT, SPACE, TAB, UP = "Right", "RMB", "Shift", " ", "Tab", "Up"
PRESS, RELEASE = _GUI.PRESS, _GUI.RELEASE


def check_ggui_availability():
    """Windows can always be had."""
    return True


__all__ = [
    "ALT",
    "BACKSPACE",
    "CAPSLOCK",
    "CTRL",
    "DOWN",
    "ESCAPE",
    "LEFT",
    "LMB",
    "MMB",
    "PRESS",
    "RELEASE",
    "RETURN",
    "RIGHT",
    "RMB",
    "SHIFT",
    "SPACE",
    "TAB",
    "UP",
    "Camera",
    "Canvas",
    "Gui",
    "ProjectionMode",
    "Scene",
    "Window",
    "check_ggui_availability",
    "make_camera",
]
