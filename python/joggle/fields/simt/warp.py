# SPDX-License-Identifier: Apache-2.0
"""The same under CUDA's names. Masks of threads are not looked at: those that take part do."""

from typing import Any as _Any

from joggle._kernel.library.threads import THREADS as _THREADS
from joggle.fields._absent import message_of as _message_of

globals().update(_THREADS["warp"])


def __getattr__(name: str) -> _Any:
    raise AttributeError(_message_of(__name__, name))


__all__ = [*_THREADS["warp"]]
