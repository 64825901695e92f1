# SPDX-License-Identifier: Apache-2.0
"""The array API tests that the wheels of SciPy and scikit-learn ship, on joggle and on
array_api_strict.

    python clients/array_api_suites.py [--only TEXT] [--out FILE]

Both are installed into an environment of its own, build/clients/array_api; joggle is found there by
PYTHONPATH, as `make clients` sets it. array_api_backend.py makes the tests take the namespace. The
table counts them by package; FILE.failures names those that fail on joggle, and what they told.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "array-api-strict==2.6.1",
    "hypothesis==6.170.15",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "pytest==9.2.0",
    "pytest-timeout==2.4.0",
    "scikit-learn==1.9.1",
    "scipy==1.17.1",
    "scipy-openblas32==0.3.34.481.3",
)
BACKENDS = ("joggle", "array_api_strict")
OUTCOMES = ("passed", "failed", "skipped")
TAKES_NAMESPACE = {
    "scipy": re.compile(r"\bxp\b"),
    "sklearn": re.compile(r"_array_api_for_tests|yield_namespace_device"),
}


def suites(site):
    """The files with such tests, by the package of SciPy; scikit-learn's are one suite."""
    found = {}
    for path in sorted(site.glob("s*/**/tests/**/test_*.py")):
        top, part = path.relative_to(site).parts[:2]
        if top in TAKES_NAMESPACE and TAKES_NAMESPACE[top].search(path.read_text()):
            found.setdefault(f"scipy.{part}" if top == "scipy" else top, []).append(path)
    return found


def run(python, backend, site, files):
    """How the tests ended: dicts with `test`, `outcome` and `told`."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        places = (str(ROOT / "clients"), os.environ.get("PYTHONPATH", ""))
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, places)),
            "SCIPY_ARRAY_API": "1",
            "SUITE_BACKEND": backend,
            "SUITE_RESULTS": str(result),
        }
        command = [python, "-m", "pytest", "-p", "array_api_backend", "-p", "no:cacheprovider"]
        command += ["--rootdir", site, "-q", "-W", "ignore", "--tb=line", "--timeout=100", *files]
        ran = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
        if ran.returncode not in (0, 1, 5):  # all passed, some failed, none are there
            raise SystemExit(ran.stdout[-2000:] + ran.stderr[-2000:])
        return [json.loads(line) for line in result.open()] if result.exists() else []


def counts(tests):
    outcomes = Counter(test["outcome"] for test in tests)
    outcomes["skipped"] += outcomes.pop("xfailed", 0)
    return [f"{outcomes[each]:,}" for each in OUTCOMES]


def row(name, ends):
    return f"| {name} | {' | '.join(cell for tests in ends.values() for cell in counts(tests))} |"


def write(path, lines, failures):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    texts = [f"{test['test']}\n    {test['told']}\n" for test in failures]
    path.with_suffix(".failures").write_text("".join(texts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="suites with that text in their name")
    parser.add_argument("--out", default=ROOT / "build" / "clients" / "array_api.md", type=Path)
    given = parser.parse_args()
    from environments import install

    python = install("array_api", PACKAGES)
    told = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    site = Path(told.stdout.strip())
    heads = [f"{backend}: {outcome}" for backend in BACKENDS for outcome in OUTCOMES]
    lines = ["| " + " | ".join(["suite", *heads]) + " |", "|---" * (1 + len(heads)) + "|"]
    print(*lines, sep="\n")
    failures, sums = [], {backend: [] for backend in BACKENDS}
    for name, files in suites(site).items():
        if given.only not in name:
            continue
        ends = {backend: run(python, backend, site, files) for backend in BACKENDS}
        if not any(ends.values()):
            continue
        for backend, tests in ends.items():
            sums[backend] += tests
        failures += [test for test in ends["joggle"] if test["outcome"] == "failed"]
        lines.append(row(name, ends))
        print(lines[-1], flush=True)
        write(given.out, [*lines, row("all", sums)], failures)
    print(row("all", sums))


if __name__ == "__main__":
    sys.exit(main())
