# SPDX-License-Identifier: Apache-2.0
"""Runs random programs beside NumPy and prints those whose values differ.

python tests/python/programs --seeds 0:100000
python tests/python/programs --seconds 60               from a seed that the clock gives
python tests/python/programs --seeds 7:8 --print        shows one
python tests/python/programs --seeds 7:8 --minimise     and what is left of it that still fails
"""

import argparse
import itertools
import sys
import time

from runner import failure_of, minimise
from statements import show
from writer import write_program

MOST_FAILURES = 20


def seeds_of(options):
    if options.seconds is None:
        yield from range(*map(int, options.seeds.split(":")))
        return
    end = time.monotonic() + options.seconds
    for seed in itertools.count(time.time_ns() // 1000):
        if time.monotonic() > end:
            return
        yield seed


def report(seed, statements, failure, options):
    if options.minimise:
        statements = minimise(statements)
        failure = failure_of(statements)
        print(show(statements))
    print(f"seed {seed}: {failure}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Runs random programs beside NumPy.")
    parser.add_argument("--seeds", default="0:1000", metavar="FROM:TO")
    parser.add_argument("--seconds", type=float, help="run for so long instead")
    parser.add_argument("--print", action="store_true", help="show the programs as well")
    parser.add_argument("--minimise", action="store_true", help="leave out what is not needed")
    options = parser.parse_args()
    count = failed = 0
    for seed in seeds_of(options):
        count += 1
        statements = write_program(seed)
        if options.print:
            print(show(statements))
        failure = failure_of(statements)
        if failure is not None:
            failed += 1
            report(seed, statements, failure, options)
        if failed == MOST_FAILURES:
            break
    print(f"{count} programs, {failed} differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
