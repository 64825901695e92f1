# SPDX-License-Identifier: Apache-2.0
"""Writes what tells Python that joggle is installed, from pyproject.toml: Meson writes none.

python3 dist_info.py DESTDIR
"""

import re
import sys
import tomllib
from pathlib import Path

package = next(Path(sys.argv[1]).rglob("*-packages/joggle"))
project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
header = Path("include/joggle/version.h").read_text()
parts = re.findall(r"^#define JOGGLE_VERSION_[MP]\w+ (\d+)$", header, re.MULTILINE)
version = ".".join(parts)
info = package.with_name(f"joggle-{version}.dist-info")
info.mkdir()
lines = ["Metadata-Version: 2.1", "Name: joggle", f"Version: {version}"]
lines += [f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
(info / "METADATA").write_text("\n".join(lines) + "\n")
(info / "INSTALLER").write_text("debian\n")
groups = [
    f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in entries.items())
    for group, entries in project["entry-points"].items()
]
(info / "entry_points.txt").write_text("\n".join(groups))
