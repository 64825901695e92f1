# SPDX-License-Identifier: Apache-2.0
"""progress: a line that shows how far a loop is, or an evaluation."""

import sys
import threading
import time

from joggle import _core

__all__ = ["progress"]

_WIDTH = 24  # characters of the bar
_PATIENCE = 0.5  # seconds that an evaluation takes before anything is shown of it
_INTERVAL = 0.1


class progress:
    """Gives the items of any iterable, and shows on a terminal how far the loop is.

    total is how many there are, where the iterable does not tell; unit names them, label stands
    before the bar. show(name=value, ...) adds values to the line, as loss=loss; an array of one
    element is read only when the line is drawn, every interval seconds. A file that is no terminal
    gets the last line alone.

    >>> import io
    >>> text = io.StringIO()
    >>> for number in (bar := jg.utils.progress([1, 2, 3], label="sum", file=text)):
    ...     bar.show(loss=number / 2)
    >>> text.getvalue().split(" in ")[0]
    'sum 3/3'
    """

    def __init__(self, iterable, total=None, *, label="", unit="it", file=None, interval=0.1):
        if total is not None and not (isinstance(total, int) and total >= 0):
            raise ValueError(f"[progress] total: got {total!r}, allowed are ints from 0 and None")
        try:
            iter(iterable)
        except TypeError:
            raise TypeError(
                f"[progress] iterable: got {type(iterable).__name__}, allowed is what a loop takes"
            ) from None
        self._iterable = iterable
        self._total = _length_of(iterable) if total is None else total
        self._label, self._unit = label, unit
        self._file = sys.stderr if file is None else file
        self._interval = interval
        self._values = {}
        self._count, self._start, self._drawn = 0, None, None

    def __len__(self):
        if self._total is None:
            raise TypeError("[progress] the length is not known")
        return self._total

    def __iter__(self):
        self._count, self._start = 0, time.monotonic()
        self._drawn = self._start
        try:
            for item in self._iterable:
                yield item
                self._count += 1
                now = time.monotonic()
                if now - self._drawn >= self._interval:
                    self._drawn = now
                    self._draw(now)
        finally:
            self._end()

    def show(self, **values):
        """Sets values that the line ends with: numbers, arrays of one element, texts.

        >>> import io
        >>> text = io.StringIO()
        >>> for _ in (bar := jg.utils.progress([1], file=text)):
        ...     bar.show(loss=0.25)
        >>> text.getvalue().split()[-2:]
        ['loss', '0.25']
        """
        self._values.update(values)

    def _is_on_terminal(self):
        return getattr(self._file, "isatty", bool)()

    def _draw(self, now):
        if self._is_on_terminal():
            self._file.write("\r" + self._line(now) + "\x1b[K")
            self._file.flush()

    def _end(self):
        start, end = ("\r", "\x1b[K\n") if self._is_on_terminal() else ("", "\n")
        self._file.write(start + self._line(time.monotonic()) + end)
        self._file.flush()

    def _line(self, now):
        seconds = max(now - self._start, 1e-9)
        parts = [self._label] if self._label else []
        if self._total is None:
            parts.append(f"{self._count} {self._unit}")
        else:
            share = self._count / self._total if self._total else 1.0
            if self._count < self._total:
                full = int(share * _WIDTH)
                parts.append("\u2588" * full + "\u2591" * (_WIDTH - full))
            parts.append(f"{self._count}/{self._total}")
        parts.append(f"in {_duration(seconds)}")
        parts.append(f"({self._count / seconds:.3g} {self._unit}/s)")
        if self._total and 0 < self._count < self._total:
            left = seconds / self._count * (self._total - self._count)
            parts.append(f"{_duration(left)} left")
        parts += [f"{name} {_text(value)}" for name, value in self._values.items()]
        return " ".join(parts)


def _length_of(iterable):
    """How many items there are; None where the iterable does not tell. Some have a __len__ that
    raises, as a DataLoader of PyTorch's over a stream has."""
    try:
        return len(iterable)
    except TypeError:
        return None


def _duration(seconds):
    minutes, seconds = divmod(seconds, 60)
    return f"{int(minutes)}:{int(seconds):02}" if minutes else f"{seconds:.1f} s"


def _text(value):
    if isinstance(value, (str, int)):
        return str(value)
    try:
        return f"{float(value):.4g}"
    except (TypeError, ValueError):
        return str(value)


def evaluate(*arrays, progress=False):
    """eval with its keywords."""
    if not isinstance(progress, bool):
        raise TypeError(f"[eval] progress: got {progress!r}, allowed are True and False")
    if not progress:
        _core.eval(*arrays)
        return
    with _Watch():
        _core.eval(*arrays)


evaluate.__qualname__ = "eval"  # which Python's own messages tell


class _Watch:
    """Draws from a thread of its own how far evaluations are, as this one waits for them."""

    def __enter__(self):
        _core._progress_begin()
        self.before = _core._progress_read()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.draw, daemon=True)
        self.thread.start()

    def __exit__(self, *failure):
        self.ended.set()
        self.thread.join()
        _core._progress_end()

    def draw(self):
        if self.ended.wait(_PATIENCE):
            return
        bar = _bar()
        while not self.ended.wait(_INTERVAL):
            bar.show(*self.count())
        bar.show(*self.count())
        bar.close()

    def count(self):
        """The work that is planned, and what is done of it."""
        return [now - then for now, then in zip(_core._progress_read(), self.before, strict=True)]


def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line()
    return _OfTqdm(tqdm(desc="eval", total=0, unit="op", unit_scale=True))


class _OfTqdm:
    def __init__(self, bar):
        self.bar = bar

    def show(self, planned, done):
        self.bar.total = planned
        self.bar.update(done - self.bar.n)

    def close(self):
        self.bar.close()


class _Line:
    """The same line as of a loop, in percent."""

    def __init__(self):
        self.line = progress((), 100, label="eval", unit="%")
        self.line._start = time.monotonic() - _PATIENCE

    def show(self, planned, done):
        self.line._count = 100 * done // planned if planned else 0
        self.line._draw(time.monotonic())

    def close(self):
        self.line._end()
