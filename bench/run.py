# SPDX-License-Identifier: Apache-2.0
"""Measures joggle beside its peers. Every other script in this folder is one claim and defines

    NAME         what the claim is about, in a few words
    cases(q)     yields measure.Case or work.Work objects; q: a quick look at tiny sizes
    budget(q)    if it needs another than measure.Budget's
    THREADS      the numbers of threads for which it says something, if not all
    MEAN_GOAL    if the geometric mean of its ratios to the best peers has a goal

For each number of threads all contestants run in one process, in turns. Results are compared with
NumPy's before they are timed. bench/out gets the figures as results.json, a table of them as
results.md and a chart as chart.png; --keep puts their ratios beside those of other machines, for
docs/figures.md. --accuracy measures errors instead: every float32 goes through
every function, and bench/out/accuracy.txt gets the largest errors.

The exit status is 1 if a case of ours failed, gave wrong values or passed its error bound; a goal
that is missed is shown and changes nothing.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from support import keep, measure, peers, report  # nothing that imports NumPy: see peers.set_up

HERE = Path(__file__).resolve().parent
CLAIMS = sorted(path.stem for path in HERE.glob("*.py") if path.stem != "run")


def run_case(case, budget):
    if hasattr(case, "as_case"):
        case = case.as_case()
    wrong = measure.check(case)
    return report.row_of(case, measure.measure(case, budget), wrong)


def is_wanted(name, sizes):
    return not sizes or any(size in name for size in sizes)


def show_progress(text):
    if sys.stderr.isatty():
        print(text, end="\033[K\r", file=sys.stderr, flush=True)


def run_claim(claim, arguments):
    """Prints the claim's table; gives what is in it."""
    module = importlib.import_module(claim)
    budget = measure.QUICK if arguments.quick else measure.Budget(seconds=arguments.seconds)
    if hasattr(module, "budget"):
        budget = module.budget(arguments.quick)
    rows = []
    for number, case in enumerate(module.cases(arguments.quick)):
        if number % arguments.every == 0 and is_wanted(case.name, arguments.sizes):
            show_progress(f"{claim}: {case.name}")
            rows.append(run_case(case, budget))
    document = {
        "claim": claim,
        "name": module.NAME,
        "mean_goal": getattr(module, "MEAN_GOAL", None),
        "rows": rows,
    }
    show_progress("")
    for line in report.screen(document):
        print(line)
    print(flush=True)
    return document


def tell_of_a_plain_build():
    """Wheels, and what `make bench` builds, are optimised as one piece; other builds are not."""
    package = Path(importlib.util.find_spec("joggle").origin).parent
    library = (package / "libjoggle.so.0").resolve()
    options = library.parents[1] / "meson-info/intro-buildoptions.json"
    if not options.exists():
        return  # a wheel
    values = {option["name"]: option["value"] for option in json.loads(options.read_text())}
    if not values.get("whole_program", True) or values.get("loops", "all") != "all":
        print(f"{library.parents[1]} is no build to measure: small calls take a sixth longer\n")


def run_here(arguments):
    """One number of threads, in this process."""
    (threads,) = arguments.threads
    instructions = arguments.instructions
    peers.set_up(threads, not (arguments.no_compile or arguments.quick), instructions)
    tell_of_a_plain_build()
    machine = report.machine(instructions)
    run = {
        "machine": machine,
        "seconds": arguments.seconds,
        "threads": threads,
        "quick": arguments.quick,
        "claims": [],
    }
    print(f"=== {threads} thread{'s' * (threads > 1)}: minimum (median) of one call ===\n")
    for claim in arguments.only or CLAIMS:
        wanted = getattr(importlib.import_module(claim), "THREADS", (threads,))
        if arguments.quick or threads in wanted:
            run["claims"].append(run_claim(claim, arguments))
            run["versions"] = peers.versions()
            report.write_json(arguments.out / "results.json", [run])
    return [run]


def run_each(arguments):
    """Every number of threads in a process of its own: pools are sized at import."""
    runs = []
    for threads in arguments.threads:
        out = arguments.out / f"threads-{threads}"
        command = [sys.executable, __file__, "--threads", str(threads), "--out", str(out)]
        command += ["--seconds", str(arguments.seconds), "--every", str(arguments.every)]
        command += ["--quick"] * arguments.quick + ["--no-compile"] * arguments.no_compile
        if arguments.instructions:
            command += ["--instructions", arguments.instructions]
        for flag in ("only", "sizes"):
            values = getattr(arguments, flag)
            command += [f"--{flag}", *values] if values else []
        subprocess.run(command)
        path = out / "results.json"
        runs += json.loads(path.read_text()) if path.exists() else []
    return runs


def sweep_accuracy(out):
    """Every float32 through every function and instruction set: the C test, without its steps."""
    program = [HERE.parent / "build/bench/tests/c/c_tests", "tile/vector_math"]
    environment = os.environ | {"ACCURACY_STEP": "1", "ACCURACY_REPORT": "1"}
    print("every float32 through every function: an hour, divided by the number of CPUs")
    result = subprocess.run(program, env=environment, capture_output=True, text=True)
    lines = sorted(line for line in result.stdout.splitlines() if "ULP off" in line)
    out.mkdir(parents=True, exist_ok=True)
    (out / "accuracy.txt").write_text("\n".join(lines) + "\n")
    print(*lines, sep="\n")
    return result.returncode


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="CLAIM", choices=CLAIMS, help=str(CLAIMS))
    parser.add_argument("--sizes", nargs="+", metavar="TEXT", help="cases with this in their names")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], help="(1 2)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, few rounds, one thread")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every n-th case alone")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument(
        "--instructions",
        choices=peers.KEPT_TO,
        help="keep joggle, and every peer that has an option for it, to these",
    )
    parser.add_argument(
        "--keep",
        metavar="NAME",
        help="put the ratios into bench/figures/NAME.json, from which tools/figures.py makes"
        " docs/figures.md; claims that were not measured stay as they are there",
    )
    parser.add_argument("--accuracy", action="store_true", help="measure errors, not times")
    parser.add_argument("--seconds", type=float, default=1.0, help="at most, for one case (1)")
    parser.add_argument("--out", type=Path, default=HERE / "out", help="where the files go")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.threads = arguments.threads[:1]
    return arguments


def main():
    arguments = parse_arguments()
    if arguments.accuracy:
        return sweep_accuracy(arguments.out)
    started = time.monotonic()
    runs = run_here(arguments) if len(arguments.threads) == 1 else run_each(arguments)
    report.write_json(arguments.out / "results.json", runs)
    report.write_markdown(arguments.out / "results.md", runs)
    report.write_chart(arguments.out / "chart.png", runs)
    if arguments.keep:
        keep.write(HERE / f"figures/{arguments.keep}.json", runs)
    for line in report.conclusion(runs):
        print(line)
    print(
        f"{time.monotonic() - started:.0f} s; {arguments.out}: results.json, results.md, chart.png"
    )
    complete = len(runs) == len(arguments.threads)
    return 0 if complete and not report.failures(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
