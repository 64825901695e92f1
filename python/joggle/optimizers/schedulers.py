# SPDX-License-Identifier: Apache-2.0
"""Values that follow the number of the step: functions of it, for `learning_rate`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import joggle as jg

__all__ = [
    "cosine_decay",
    "exponential_decay",
    "join_schedules",
    "linear_schedule",
    "step_decay",
]


class Schedule:
    """A function of the step alone, which an optimizer records together with its update."""

    def __init__(self, name: str, of_step: Callable[[jg.array], jg.array]) -> None:
        self.__name__ = name
        self._of_step = of_step

    def __call__(self, step: jg.array | float) -> jg.array:
        return self._of_step(step if isinstance(step, jg.array) else jg.array(step))

    def __repr__(self) -> str:
        return f"<schedule {self.__name__}>"


def _is_positive(name: str, argument: str, value: float) -> None:
    if value < 1:
        raise ValueError(f"[{name}] {argument}: got {value!r}, allowed are numbers from 1")


def _power_of(init: float, decay_rate: float, step: jg.array) -> jg.array:
    return init * decay_rate ** step.astype(jg.float32)


def _of_steps(init: float, decay_rate: float, step_size: int, step: jg.array) -> jg.array:
    return _power_of(init, decay_rate, step // step_size)


def _cosine(init: float, decay_steps: int, end: float, step: jg.array) -> jg.array:
    done = jg.minimum(step, decay_steps).astype(jg.float32)
    return end + 0.5 * (init - end) * (1.0 + jg.cos(done * (math.pi / decay_steps)))


def _line(init: float, end: float, steps: int, step: jg.array) -> jg.array:
    return jg.minimum(step, steps).astype(jg.float32) * ((end - init) / steps) + init


def _joined(
    schedules: Sequence[Callable[[jg.array], jg.array]], boundaries: Sequence[int], step: jg.array
) -> jg.array:
    value = schedules[0](step)
    for boundary, schedule in zip(boundaries, schedules[1:], strict=True):
        value = jg.where(step < boundary, value, schedule(jg.maximum(step, boundary) - boundary))
    return value


def exponential_decay(init: float, decay_rate: float) -> Callable[[jg.array], jg.array]:
    """init times decay_rate to the power of the step.

    >>> rate = jg.optimizers.exponential_decay(0.5, 0.5)
    >>> rate(3).item()
    0.0625
    """
    return Schedule("exponential_decay", functools.partial(_power_of, init, decay_rate))


def step_decay(init: float, decay_rate: float, step_size: int) -> Callable[[jg.array], jg.array]:
    """init, multiplied by decay_rate after each step_size steps.

    >>> rate = jg.optimizers.step_decay(1.0, 0.5, 10)
    >>> [rate(step).item() for step in (0, 9, 10, 20)]
    [1.0, 1.0, 0.5, 0.25]
    """
    _is_positive("step_decay", "step_size", step_size)
    return Schedule("step_decay", functools.partial(_of_steps, init, decay_rate, step_size))


def cosine_decay(init: float, decay_steps: int, end: float = 0.0) -> Callable[[jg.array], jg.array]:
    """Half a wave of the cosine from init down to end in decay_steps steps, then end.

    >>> rate = jg.optimizers.cosine_decay(1.0, 10)
    >>> [round(rate(step).item(), 3) for step in (0, 5, 10, 20)]
    [1.0, 0.5, 0.0, 0.0]
    """
    _is_positive("cosine_decay", "decay_steps", decay_steps)
    return Schedule("cosine_decay", functools.partial(_cosine, init, decay_steps, end))


def linear_schedule(init: float, end: float, steps: int) -> Callable[[jg.array], jg.array]:
    """A line from init to end in the given number of steps, then end.

    >>> rate = jg.optimizers.linear_schedule(0.0, 1.0, 4)
    >>> [rate(step).item() for step in (0, 1, 4, 9)]
    [0.0, 0.25, 1.0, 1.0]
    """
    _is_positive("linear_schedule", "steps", steps)
    return Schedule("linear_schedule", functools.partial(_line, init, end, steps))


def join_schedules(
    schedules: list[Callable[[jg.array], jg.array]], boundaries: list[int]
) -> Callable[[jg.array], jg.array]:
    """Schedules one after another: each counts its steps from the boundary where it begins.

    >>> warmup = jg.optimizers.linear_schedule(0.0, 1.0, 4)
    >>> rate = jg.optimizers.join_schedules([warmup, jg.optimizers.step_decay(1.0, 0.5, 2)], [4])
    >>> [rate(step).item() for step in (0, 2, 4, 6)]
    [0.0, 0.5, 1.0, 0.5]
    """
    schedules, boundaries = list(schedules), list(boundaries)
    if len(schedules) == 0:
        raise ValueError("[join_schedules] schedules: got none, allowed is one or more")
    if len(boundaries) != len(schedules) - 1:
        raise ValueError(
            f"[join_schedules] boundaries: got {len(boundaries)}, allowed for {len(schedules)} "
            f"schedules are {len(schedules) - 1}"
        )
    of_step = functools.partial(_joined, schedules, boundaries)
    # A user's function may do more than compute: an optimizer calls it at each step.
    recorded = all(isinstance(schedule, Schedule) for schedule in schedules)
    return Schedule("join_schedules", of_step) if recorded else of_step
