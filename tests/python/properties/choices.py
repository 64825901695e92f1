# SPDX-License-Identifier: Apache-2.0
"""What the draws of cases choose from: by hypothesis, which shrinks what fails, or by dice, which
are a hundred times quicker. The names are those of hypothesis.strategies."""

import numpy as np
from elementwise import ALL
from hypothesis import strategies


class Choice:
    """strategy is hypothesis' own, roll(rng) an item by a NumPy generator; dtypes are named where
    one of them is chosen."""

    def __init__(self, strategy, roll, dtypes=()):
        self.strategy = strategy
        self.roll = roll
        self.dtypes = dtypes

    def __or__(self, other):
        return Choice(
            self.strategy | other.strategy,
            lambda rng: (self if rng.integers(2) else other).roll(rng),
        )


def none():
    return just(None)


def just(value):
    return Choice(strategies.just(value), lambda rng: value)


def booleans():
    return Choice(strategies.booleans(), lambda rng: bool(rng.integers(2)))


def integers(least, most):
    def roll(rng):
        return least + int(rng.integers(most - least, dtype="uint64", endpoint=True))

    return Choice(strategies.integers(least, most), roll)


def sampled_from(items):
    items = list(items)
    dtypes = items if all(isinstance(item, str) and item in ALL for item in items) else ()
    return Choice(
        strategies.sampled_from(items), lambda rng: items[rng.integers(len(items))], dtypes
    )


def permutations(items):
    items = list(items)
    return Choice(
        strategies.permutations(items), lambda rng: [items[i] for i in rng.permutation(len(items))]
    )


def lists(choice, min_size=0, max_size=None, unique=False):
    def roll(rng):
        size = int(rng.integers(min_size, (min_size + 4 if max_size is None else max_size) + 1))
        rolled = [choice.roll(rng) for _ in range(size)]
        while unique and len(set(rolled)) < min_size:
            rolled.append(choice.roll(rng))
        return list(dict.fromkeys(rolled)) if unique else rolled

    strategy = strategies.lists(
        choice.strategy, min_size=min_size, max_size=max_size, unique=unique
    )
    return Choice(strategy, roll)


def by(data):
    """The draw of a case by hypothesis; data is what strategies.data() gives to a test."""
    return lambda choice: data.draw(choice.strategy)


class Dice:
    """The draw of a case by a seed. dtype is what is chosen where dtypes are and it is among them;
    most is the largest extent of shapes that have no limit of their own."""

    def __init__(self, seed, dtype=None, most=4):
        self.rng = np.random.default_rng(seed)
        self.dtype = dtype
        self.most = most

    def __call__(self, choice):
        return self.dtype if self.dtype in choice.dtypes else choice.roll(self.rng)
