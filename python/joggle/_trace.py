# SPDX-License-Identifier: Apache-2.0
"""Traces of what joggle does, for Perfetto and chrome://tracing."""

import atexit
import os

from joggle import _core


class trace:
    """Records what joggle does, from now until stop() or the end of a with block, into path.

    The file is JSON in the trace-event format: spans of building, planning, launches and waits, by
    thread. One trace can run at a time. A trace that was not stopped is written at exit. It does
    not run in a forked child, where to stop it does nothing.
    """

    def __new__(cls, path, *args, **kwargs):
        # MLX has another function of this name, the sum of a diagonal: that is for arrays.
        if hasattr(path, "__dlpack__"):
            return _core.trace(path, *args, **kwargs)
        return super().__new__(cls)

    def __init__(self, path):
        _core._trace_start(path)
        self._running, self._process = True, os.getpid()
        atexit.register(self.stop)

    def stop(self):
        """Waits for what was started and writes the file. Does nothing the second time."""
        if self._running and self._process == os.getpid():
            self._running = False
            atexit.unregister(self.stop)
            _core._trace_stop()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.stop()
