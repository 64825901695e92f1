# SPDX-License-Identifier: Apache-2.0
"""Runs the Array API's test suite (github.com/data-apis/array-api-tests) from a folder, as it is.

Each version of the standard is tested on the namespace that joggle has for it. The suite runs file
by file, several at a time, from a scratch folder: nothing is written where it lies.
contradictions.txt holds the cases that ask for what the standard does not; they run too, and are
counted apart. So do those of devices.txt when the default device is another than the CPU. CUDA is
the driver of the host's that the tests have (tests/cuda), gpu that of the machine.

The exit status is 1 if a case failed that is in no list, or if a file could not be run.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joggle

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCRATCH = ROOT / "build/conformance"
PAGE = ROOT / "docs/conformance.md"
LISTED = HERE / "contradictions.txt"

# A small text takes PoCL a quarter of this time when it reads a short header and does not optimize.
POCL_FLAGS = f"-D_OPENCL_H_ -DDECLARATIONS=<{HERE / 'declarations.h'}> -cl-opt-disable"

NAMESPACES = {"2025.12": "joggle", "2024.12": "joggle._array_api_2024_12"}

# What takes longest comes first, so that no process is left alone with it.
LONGEST = (
    "test_special_cases",
    "test_operators_and_elementwise_functions",
    "test_linalg",
    "test_array_object",
    "test_manipulation_functions",
)
PASSED, FAILED, SKIPPED, LISTED_KIND = "passed", "failed", "skipped", "listed"
OUTCOMES = {
    "passed": PASSED,
    "xpassed": PASSED,
    "failed": FAILED,
    "error": FAILED,
    "skipped": SKIPPED,
    "xfailed": LISTED_KIND,
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=Path, help="the folder of array-api-tests")
    parser.add_argument("--examples", type=int, default=20, help="Hypothesis's examples a test")
    parser.add_argument("--derandomize", action="store_true", help="the same examples every time")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="files at a time")
    parser.add_argument("--only", nargs="+", default=[], metavar="FILE", help="such as test_fft")
    parser.add_argument("--versions", nargs="+", default=list(NAMESPACES), choices=NAMESPACES)
    parser.add_argument("--device", choices=("cpu", "opencl", "cuda", "gpu"), default="cpu")
    parser.add_argument("--write", action="store_true", help="put the figures into the docs")
    return parser.parse_args()


def test_files(suite, only):
    names = [path.stem for path in sorted((suite / "array_api_tests").glob("test_*.py"))]
    if not names or not (suite / "conftest.py").exists():
        sys.exit(f"conformance: {suite} is no folder of array-api-tests")
    names = [name for name in names if not only or name in only]
    rank = {name: place for place, name in enumerate(LONGEST)}
    return sorted(names, key=lambda name: rank.get(name, len(rank)))


def scratch(options, version):
    """Where the reports and logs of a version are."""
    folder = SCRATCH / (version if options.device == "cpu" else f"{options.device}-{version}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_list(options):
    """All the cases that may fail, in one file."""
    lists = [LISTED] + ([HERE / "devices.txt"] if options.device != "cpu" else [])
    path = SCRATCH / f"{options.device}-listed.txt"
    path.write_text("\n".join(part.read_text() for part in lists))
    return path


def fake_environment():
    """What puts the fake driver on the loader's path. Its streams are not late here."""
    folder = str(Path(joggle._core.__file__).resolve().parents[1] / "tests/cuda")
    return {
        "JOGGLE_DEVICE": "cuda",
        "LD_LIBRARY_PATH": folder,
        "JOGGLE_NVRTC": folder,
        "JOGGLE_JIT_CACHE": str(SCRATCH / "cubins"),
        "FAKE_CUDA_LATE": "0",
        "FAKE_CUDA_OPTIMIZE": "0",
    }


def device_environment(options):
    """What has joggle use the device. PoCL's cache is not made for several processes at once, so
    each thread that starts processes has its own."""
    if options.device == "cpu":
        return {}
    if options.device == "cuda":
        return fake_environment()
    if options.device == "gpu":
        return {"JOGGLE_DEVICE": "cuda"}
    cache = SCRATCH / f"pocl-{threading.current_thread().name}"
    cache.mkdir(exist_ok=True)
    return {
        "JOGGLE_DEVICE": options.device,
        "POCL_CACHE_DIR": str(cache),
        "POCL_EXTRA_BUILD_FLAGS": POCL_FLAGS,
    }


def run_file(options, version, name):
    """What became of the cases of a file: the JSON report's entries, None if there is none."""
    suite, report = options.suite.resolve(), scratch(options, version) / f"{name}.json"
    report.unlink(missing_ok=True)
    command = [
        *(sys.executable, "-m", "pytest", suite / "array_api_tests" / f"{name}.py"),
        *("-c", suite / "pytest.ini", "--rootdir", suite, "-q", "-p", "no:cacheprovider"),
        *("--json-report", "--json-report-file", report),
        *("--json-report-omit", "collectors", "log", "streams", "warnings", "keywords"),
        *("--max-examples", str(options.examples), "--disable-deadline"),
        *("--xfails-file", SCRATCH / f"{options.device}-listed.txt"),
        *(["--derandomize"] if options.derandomize else []),
    ]
    environment = os.environ | {
        "ARRAY_API_TESTS_MODULE": NAMESPACES[version],
        "ARRAY_API_TESTS_VERSION": version,
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(SCRATCH / "hypothesis"),
        **device_environment(options),
    }
    result = subprocess.run(command, cwd=SCRATCH, env=environment, capture_output=True, text=True)
    (report.parent / f"{name}.log").write_text(result.stdout + result.stderr)
    return json.loads(report.read_text())["tests"] if report.exists() else None


def reason(test):
    """Why a case failed, in a line."""
    for step in ("setup", "call", "teardown"):
        crash = test.get(step, {}).get("crash")
        if crash:
            return crash["message"].strip().splitlines()[0]
    return "no reason given"


def show(options, version, name, tests):
    """Prints what failed; gives how many cases had which outcome."""
    if tests is None:
        log = scratch(options, version) / f"{name}.log"
        print(f"{version} {name}: could not be run:\n{log.read_text()[-3000:]}", flush=True)
        return Counter({FAILED: 1})
    counts = Counter(OUTCOMES[test["outcome"]] for test in tests)
    for test in tests:
        if OUTCOMES[test["outcome"]] == FAILED:
            case = test["nodeid"].split("::", 1)[1]
            print(f"{version} {name}::{case}\n    {reason(test)[:300]}", flush=True)
    return counts


def run(options):
    """The outcomes of each version's files: {version: {name: Counter}}."""
    names = test_files(options.suite, options.only)
    figures = {version: {} for version in options.versions}
    write_list(options)
    with ThreadPoolExecutor(options.workers, "worker") as pool:
        jobs = {
            (version, name): pool.submit(run_file, options, version, name)
            for name in names
            for version in options.versions
        }
        for (version, name), job in jobs.items():
            figures[version][name] = show(options, version, name, job.result())
    return figures


def table(files):
    """The figures of a version as lines of a table."""
    columns = (PASSED, FAILED, LISTED_KIND, SKIPPED)
    lines = [f"| file | cases | {' | '.join(columns)} |", "|---|---:|---:|---:|---:|---:|"]
    total = sum(files.values(), Counter())
    for name, counts in [*sorted(files.items()), ("all", total)]:
        cells = [str(counts.total()), *(str(counts[column]) for column in columns)]
        lines.append(f"| {name.removeprefix('test_')} | {' | '.join(cells)} |")
    return lines


def write(figures):
    """Puts the tables between the marks of the page."""
    text = PAGE.read_text()
    for version, files in figures.items():
        begin, end = f"<!-- {version}: begin -->\n", f"<!-- {version}: end -->"
        head, rest = text.split(begin)
        text = head + begin + "\n".join(table(files)) + "\n" + rest[rest.index(end) :]
    PAGE.write_text(text)


def main():
    options = arguments()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    figures = run(options)
    for version, files in figures.items():
        print(f"\nArray API {version}, {options.examples} examples a test\n")
        print("\n".join(table(files)), flush=True)
    if options.write:
        write(figures)
    failed = sum(counts[FAILED] for files in figures.values() for counts in files.values())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
