# SPDX-License-Identifier: Apache-2.0
"""How many threads share work, for the length of a test."""

from contextlib import contextmanager

import joggle as jg


@contextmanager
def with_threads(count):
    before = jg.get_num_threads()
    jg.set_num_threads(count)
    try:
        yield count
    finally:
        jg.set_num_threads(before)
