#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts joggle's wheel into one without the tier that compiles and one that holds nothing else.

    tools/wheel/split.py WHEEL FOLDER

Both get a list of what they are made of, as CycloneDX 1.6 in sboms/ (PEP 770), and the licences of
what is linked into them. The wheel without LLVM gets the extra `jit`, which asks for the other one
at the same version, which is of one wheel for every Python: one that was built without that tier
comes out as the first of the two.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import uuid
from email.parser import HeaderParser
from pathlib import Path

LIBRARY = "libjoggle_jit.so"
# What is linked into the tier that compiles: Debian's package (of the compiler's version), its
# name elsewhere, its licence.
LINKED = (
    ("llvm-19-dev", "llvm", "Apache-2.0 WITH LLVM-exception"),
    ("libstdc++-{compiler}-dev", "libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    ("zlib1g-dev", "zlib", "Zlib"),
    ("libzstd-dev", "zstd", "BSD-3-Clause"),
)
MODULE = '''# SPDX-License-Identifier: Apache-2.0
"""The tier of joggle that compiles, as a library that joggle opens. There is nothing to import."""
'''


def run(*command):
    told = subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True
    )
    return told.stdout


def linked():
    """The rows of LINKED with the packages that are here."""
    compiler = run("cc", "-dumpversion").strip().partition(".")[0]
    return [(package.format(compiler=compiler), name, what) for package, name, what in LINKED]


def wheel_tool(*arguments):
    run(sys.executable, "-m", "wheel", *arguments)


def component(name, version, licence):
    choice = {"expression": licence} if " " in licence else {"license": {"id": licence}}
    return {"type": "library", "name": name, "version": version, "licenses": [choice]}


def linked_components():
    """What Debian's packages say that the tier was linked with."""
    found = []
    for package, name, licence in linked():
        version = run("dpkg-query", "-W", "-f=${Version}", package).strip()
        origin = f"pkg:deb/debian/{package}@{version}"
        found.append(component(name, version, licence) | {"purl": origin})
    return found


def write_list(info, name, version, components):
    about = {"component": component(name, version, "Apache-2.0")}
    about["component"]["purl"] = f"pkg:pypi/{name}@{version}"
    told = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}
    told["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, about["component"]["purl"]).urn
    told |= {"metadata": about, "components": components}
    (info / "sboms").mkdir()
    (info / "sboms" / f"{name}.cdx.json").write_text(json.dumps(told, indent=2) + "\n")


def copy_licences(info):
    (info / "licenses").mkdir(exist_ok=True)
    for package, name, _ in linked():
        text = Path("/usr/share/doc", package, "copyright").read_bytes()
        (info / "licenses" / f"{name}.txt").write_bytes(text)


def add_extra(info, version):
    path = info / "METADATA"
    head, mark, text = path.read_text().partition("\n\n")
    head += f"\nProvides-Extra: jit\nRequires-Dist: joggle-jit=={version}; extra == 'jit'"
    path.write_text(head + mark + text)


def write_metadata(info, version, requires_python):
    licences = dict.fromkeys(f"({licence})" for _, _, licence in LINKED)
    files = ["LICENSE", *(f"{name}.txt" for _, name, _ in LINKED)]
    lines = [
        "Metadata-Version: 2.4",
        "Name: joggle-jit",
        f"Version: {version}",
        "Summary: The tier of joggle that compiles, with LLVM inside",
        f"License-Expression: {' AND '.join(['Apache-2.0', *licences])}",
        *(f"License-File: {name}" for name in files),
        f"Requires-Python: {requires_python}",
    ]
    (info / "METADATA").write_text("\n".join(lines) + "\n")
    (info / "WHEEL").write_text(
        "Wheel-Version: 1.0\nGenerator: joggle\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-linux_{os.uname().machine}\n"
    )


def make_jit(tree, library, base_info, version, out):
    info = tree / f"joggle_jit-{version}.dist-info"
    package = tree / "joggle_jit"
    package.mkdir(parents=True)
    info.mkdir()
    library.rename(package / LIBRARY)
    (package / "__init__.py").write_text(MODULE)
    base = HeaderParser().parsestr((base_info / "METADATA").read_text())
    write_metadata(info, version, base["Requires-Python"])
    copy_licences(info)
    (licence,) = (base_info / "licenses").glob("LICENSE")
    (info / "licenses/LICENSE").write_bytes(licence.read_bytes())
    write_list(info, "joggle-jit", version, linked_components())
    wheel_tool("pack", tree, "--dest-dir", out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        wheel_tool("unpack", asked.wheel, "--dest", scratch)
        (tree,) = Path(scratch).iterdir()
        (info,) = tree.glob("*.dist-info")
        version = info.name.removesuffix(".dist-info").partition("-")[2]
        library = tree / "joggle" / LIBRARY
        if library.exists():
            make_jit(Path(scratch) / "jit", library, info, version, asked.folder)
        add_extra(info, version)
        write_list(info, "joggle", version, [])
        wheel_tool("pack", tree, "--dest-dir", asked.folder)


if __name__ == "__main__":
    main()
