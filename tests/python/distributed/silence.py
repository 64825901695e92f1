# SPDX-License-Identifier: Apache-2.0
"""What the process does that the others of a group wait for in vain."""

import os
import time


def keep_silent(folder, others, seconds):
    """Answers nothing until a second after all others have left marks there, at most so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if len(os.listdir(folder)) >= others:
            until = min(until, time.monotonic() + 1)
        time.sleep(0.1)
    os._exit(0)
