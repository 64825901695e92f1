# SPDX-License-Identifier: Apache-2.0
"""The stubs: they name what there is, and a checker of types finds no fault in the examples."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import joggle.fields as qd

ROOT = Path(__file__).resolve().parents[3]
STUB = ROOT / "python/joggle/fields/__init__.pyi"


def checked(project):
    """What basedpyright finds under the settings of a folder."""
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    command += ["--project", project]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.stdout, result.stderr
    report = json.loads(result.stdout)
    assert report["summary"]["filesAnalyzed"] > 0
    found = [d for d in report["generalDiagnostics"] if d["severity"] == "error"]
    return [
        f"{Path(d['file']).name}:{d['range']['start']['line'] + 1}: {d['message']}" for d in found
    ]


def test_the_examples_have_no_type_errors():
    assert checked(ROOT) == []


WRONG = {
    "qd.fill(x)": '"fill" is not a known attribute of module "joggle.fields"',
    "qd.init(debug=True, default_fp=qd.nothing)": '"nothing" is not a known attribute',
    "qd.field(qd.f32, shape=3, needs_grad='yes')": "\"Literal['yes']\" is not assignable to",
    "qd.kernel(fastmath=True)": 'No overloads for "kernel" match',
    "jg.sum([1, 2], axes=0)": 'No parameter named "axes"',
}


def test_what_is_wrong_is_found(tmp_path):
    """So that a checker that finds nothing is not one that sees nothing."""
    head = ["import joggle as jg", "import joggle.fields as qd", "x = qd.field(qd.f32, 3)"]
    (tmp_path / "wrong.py").write_text("\n".join([*head, *WRONG, ""]))
    settings = {"include": ["wrong.py"], "extraPaths": [str(ROOT / "python")]}
    settings["typeCheckingMode"] = "standard"
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    for number, (found, fault) in enumerate(zip(checked(tmp_path), WRONG.values(), strict=True)):
        assert found.startswith(f"wrong.py:{number + 4}: ") and fault in found


def names_in(stub):
    """The public names that a stub defines or passes on."""
    names = set()
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.asname}
    return {name for name in names if not name.startswith("_")}


def test_the_stub_of_fields_names_what_there_is():
    assert names_in(STUB) == {name for name in dir(qd) if not name.startswith("_")}
