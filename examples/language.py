# SPDX-License-Identifier: Apache-2.0
"""Trains a small language model on the text of Python's own documentation, and lets it write.

language.py [SECONDS]: how long it is trained, 60 without a number. Fails if it has not learnt that
some symbols are likelier than others.
"""

import sys
import time

import numpy as np
from language import model, steptime, text

import joggle as jg
from joggle import nn, optimizers

ROWS = 8  # of a batch
LEAST_STEPS = 40  # after which something has been learnt, however slow the machine is
START = "Return the "


def train(network, numbers, seconds):
    """The loss of each step, for as many steps as there is time for, and at least LEAST_STEPS."""
    step, state = model.training(nn, optimizers, network)
    step = jg.compile(step, inputs=state, outputs=state)
    losses, tokens = [], 0
    batches = text.batches(numbers, ROWS, model.CONTEXT)
    begin = time.monotonic()
    for x, y in (bar := jg.utils.progress(batches, label="training", unit="steps")):
        loss = step(jg.asarray(x), jg.asarray(y))
        jg.eval(loss, state)
        losses.append(loss.item())
        passed, tokens = time.monotonic() - begin, tokens + x.size
        left = max(0, seconds - passed)
        bar.show(loss=losses[-1], tokens=f"{tokens / passed:,.0f}/s", left=f"{left:.0f} s")
        if passed > seconds and len(losses) >= LEAST_STEPS:
            break
    return losses


def write(network, start, count, temperature=0.7):
    """Prints count symbols after start, each drawn as likely as the model takes it to be."""

    @jg.compile
    def draw(window, last):
        # What follows the window is padding, which a causal model does not see.
        return jg.random.categorical(network(window)[0, last] / temperature)

    numbers = text.encode(start).tolist()
    print(start, end="")
    for _ in range(count):
        window = numbers[-model.CONTEXT :]
        padded = np.array([window + [0] * (model.CONTEXT - len(window))], np.int32)
        numbers.append(draw(jg.asarray(padded), jg.array(len(window) - 1)).item())
        print(text.SYMBOLS[numbers[-1]], end="", flush=True)
    print()


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    jg.random.seed(0)
    numbers = text.encode(text.load())
    network = model.make(jg, nn, len(text.SYMBOLS))
    count = nn.summary(network).parameters
    print(f"a transformer of {count:,} parameters reads {len(numbers):,} symbols")
    x, y = next(text.batches(numbers, ROWS, model.CONTEXT))
    steptime.print_table(network, x, y, len(text.SYMBOLS))
    print()
    losses = train(network, numbers, seconds)
    print(f"loss {losses[0]:.3f} before, {np.mean(losses[-10:]):.3f} after {len(losses)} steps\n")
    assert np.mean(losses[-10:]) < 3.5, "the model has not learnt"  # 4.6 without any knowledge
    write(network, START, 400 if seconds > 10 else 40)


if __name__ == "__main__":
    main()
