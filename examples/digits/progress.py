# SPDX-License-Identifier: Apache-2.0
"""A progress bar in plain text: redrawn in place on a terminal, a few lines elsewhere."""

import sys

WIDTH = 32


class Progress:
    """Shows how many of `total` steps are done, with a note at the end of the line."""

    def __init__(self, total, stream=sys.stderr):
        self.total, self.stream = total, stream
        self.redraws = stream.isatty()
        self.done = self.shown = 0

    def advance(self, note=""):
        self.done += 1
        percent = 100 * self.done // self.total
        if percent >= self.shown + (1 if self.redraws else 25) or self.done == self.total:
            self.shown = percent
            self._draw(percent, note)

    def _draw(self, percent, note):
        filled = WIDTH * percent // 100
        line = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {percent:3d} % {note}"
        last = self.done == self.total
        end = "\n" if last or not self.redraws else ""
        self.stream.write(("\r" if self.redraws else "") + line + end)
        self.stream.flush()
