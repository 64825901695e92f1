# SPDX-License-Identifier: Apache-2.0
"""Streams and events of kernels, for programs that order their kernels by them.

Kernels of the CPU run in the order of their calls, whatever stream they are given to, so an event
has been reached when it is recorded, and only sync() waits.
"""

import joggle as _jg


class _Handle:
    """The base of streams and events: destroy() or the end of a block ends one."""

    handle = 0

    def synchronize(self):
        """Waits until everything that was started has run."""
        _jg.synchronize()

    def destroy(self):
        """Nothing to release."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.destroy()


class Stream(_Handle):
    """A stream, which kernels take as qd_stream=."""


class Event(_Handle):
    """A point in a stream."""

    def record(self, qd_stream=None):
        """Records what has been started on the stream so far."""
        check_stream(qd_stream)

    def wait(self, qd_stream=None):
        """Makes later work of the stream wait for the event; it would do so in any case."""
        check_stream(qd_stream)


def check_stream(stream):
    """Raises TypeError unless it is a Stream or None."""
    if stream is not None and not isinstance(stream, Stream):
        raise TypeError(f"qd_stream: got {stream!r}, allowed are create_stream() and None")


def create_stream():
    """A stream."""
    return Stream()


def create_event():
    """An event."""
    return Event()
