#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a site: the pages of the repository, and one of each Python module.

The pages of the modules are made of the doc strings of the installed package, those of the ops come
from op.def. mkdocs.yml lists what is where; MkDocs refuses a page that is missing.

    tools/site.py OUT    the site to OUT, what it is made of to OUT-sources
"""

import argparse
import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = (
    "joggle",
    "joggle.linalg",
    "joggle.fft",
    "joggle.random",
    "joggle.fast",
    "joggle.fields",
    "joggle.torch",
)
LINK = re.compile(r"\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)")


def unlink_sources(text, page):
    """The text with links to what is no page turned into plain words."""

    def keep_or_strip(match):
        target = (page.parent / match[2]).resolve()
        is_page = target.suffix == ".svg" or (target.suffix == ".md" and target.exists())
        return match[0] if is_page else match[1]

    return LINK.sub(keep_or_strip, text)


def copy_pages(folder):
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        target = folder / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(unlink_sources(page.read_text(), page))
    for picture in (ROOT / "docs").glob("*.svg"):
        shutil.copy(picture, folder / "docs")


def public_names(module):
    names = getattr(module, "__all__", None) or dir(module)
    return sorted(name for name in names if not name.startswith("_"))


def signature_of(thing):
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""


def fenced(doc):
    """A doc string as Markdown: examples become blocks of code, the rest stays text."""
    lines, code = [], False
    for line in doc.splitlines():
        if line.startswith(">>> ") and not code:
            lines, code = [*lines, "```python"], True
        elif code and not line.strip():
            lines, code = [*lines, "```"], False
        lines.append(line)
    return "\n".join([*lines, "```"] if code else lines)


def described(name, thing):
    """The Markdown of one function or class, or None for what is neither."""
    if not (callable(thing) or inspect.isclass(thing)):
        return None
    doc = inspect.getdoc(thing) or ""
    return f"## {name}\n\n```python\n{name}{signature_of(thing)}\n```\n\n{fenced(doc)}\n"


def module_page(module):
    entries = [described(name, getattr(module, name)) for name in public_names(module)]
    head = f"# {module.__name__}\n\n{fenced(inspect.getdoc(module) or '')}\n"
    return "\n".join([head, *filter(None, entries)])


def write_modules(folder):
    folder.mkdir(parents=True)
    for name in MODULES:
        (folder / f"{name}.md").write_text(module_page(importlib.import_module(name)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path, help="folder of the site")
    out = parser.parse_args().out.resolve()
    sources = out.with_name(out.name + "-sources")
    shutil.rmtree(sources, ignore_errors=True)
    copy_pages(sources / "pages")
    write_modules(sources / "pages/api")
    shutil.copy(ROOT / "mkdocs.yml", sources)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--clean"]
    command += ["--config-file", str(sources / "mkdocs.yml"), "--site-dir", str(out)]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
