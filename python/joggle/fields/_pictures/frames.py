# SPDX-License-Identifier: Apache-2.0
"""How long a window that nobody sees lives, and where its frames go.

JOGGLE_FRAMES: after how many frames it counts as closed, 100 unless set. JOGGLE_FRAMES_FOLDER: a
folder that gets each frame as a picture.
"""

import os
import re
from pathlib import Path

USUAL = 100


def most_frames():
    """The number of frames that JOGGLE_FRAMES allows. Raises ValueError."""
    given = os.environ.get("JOGGLE_FRAMES", "")
    if not given:
        return USUAL
    if not given.isdigit() or int(given) < 1:
        raise ValueError(f"JOGGLE_FRAMES: got {given!r}, allowed are integers from 1")
    return int(given)


class Frames:
    """The frames of one window."""

    def __init__(self, name):
        self.name = re.sub(r"\W+", "_", name).strip("_") or "window"
        self.most, self.count, self.is_closed = most_frames(), 0, False
        self.folder = os.environ.get("JOGGLE_FRAMES_FOLDER") or None

    @property
    def is_open(self):
        return not self.is_closed and self.count < self.most

    def end(self, pixels):
        """Ends a frame. A program that goes on after the last one, as nobody closes the window, is
        ended: SystemExit."""
        if not self.is_open:
            raise SystemExit(0)
        self.count += 1
        if self.folder is not None:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
            pixels.save(Path(self.folder) / f"{self.name}_{self.count:05d}.png")


class Unseen:
    """The base of windows of both kinds: they live for some frames and get no input."""

    def __init__(self, name):
        self.name, self.frames = name, Frames(name)

    @property
    def running(self):
        """Whether it is still open."""
        return self.frames.is_open

    @running.setter
    def running(self, value):
        self.frames.is_closed = not value

    def close(self):
        """Closes it."""
        self.frames.is_closed = True

    def is_pressed(self, *keys):
        """Whether one of the keys is down: False."""
        return False

    def get_cursor_pos(self):
        """The place of the cursor: the lower left corner."""
        return (0.0, 0.0)
