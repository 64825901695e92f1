# SPDX-License-Identifier: Apache-2.0
"""Threads of a block by 32: what they tell each other and compute together."""

from typing import Any as _Any

from joggle._kernel.library.threads import THREADS as _THREADS
from joggle.fields._absent import message_of as _message_of

globals().update(_THREADS["subgroup"])


def __getattr__(name: str) -> _Any:
    raise AttributeError(_message_of(__name__, name))


__all__ = [*_THREADS["subgroup"]]
